"""The registry of measures: the decorator that declares one, and measures by name and by text."""

from __future__ import annotations

import copyreg
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial, wraps
from importlib import import_module
from keyword import iskeyword
from typing import Any, Literal, get_args

from ir_trunc._core.arrays import Floats
from ir_trunc._core.errors import ParameterError, ParameterTypeError, UnknownMeasureError, nearest, shown
from ir_trunc._core.parameters import call_parts, kind_of, literal, refuse_bare
from ir_trunc.measures.definition import CUTOFF, JUDGED_ONLY, Declaration, Definition, Formula, Range, TieUnit
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import JudgedOnly, Nil, Param, Whole
from ir_trunc.measures.parts import at_least, gains_by, scale_of, silent_or

registry: dict[str, Definition] = {}
unlisted: dict[str, Definition] = {}
"""Measures that need other data than judgments of documents, which no list of measures has."""
_aliases: dict[str, str] = {}

Cutoff = Literal["none", "optional", "required"]


@dataclass(kw_only=True, eq=False, repr=False)
class measure(Declaration):
    """Declare a formula as a measure.

    The formula takes `Lists` and the measure's parameters, which their annotations declare
    (`ir_trunc.measures.params`); those that several measures share may be the fields of one dataclass. Its
    docstring has a sentence, then the formula as a paragraph of its own, then notes.

    Parameters
    ----------
    source : str
        Where the measure comes from.
    range : tuple of two floats, or function
        Its lowest and highest value; where they depend on the parameters, a function of them.
    cutoff : {'none', 'optional', 'required'}
        Whether `@k` can be written.
    scope : {'list', 'run'}
        'list' where a score depends on its own list alone, 'run' where it depends on all lists of a run.
    name : str, optional
        By default that of the function.
    aliases : tuple of str
        Other names.
    of_means : tuple of two functions, optional
        For scope 'run': how the measure follows from its queries, which significance tests and fitted
        thresholds need. `(parts, value)`: `parts(lists, **params)` returns one or more arrays over the
        points, each value of which depends on its own list alone; `value(*means, **params)` is the measure,
        from their means over queries. It has to be smooth, and to take arrays.
    influence : function, optional
        For scope 'run', where `of_means` is not possible: `influence(lists, **params)` returns a value for
        each query, the measure's derivative with respect to the query's weight plus the measure, so that
        their mean is the measure.
    at : str
        The parameter that is written behind an @ where it is another than the cutoff, as a recall is.
    lower_is_better : bool
        Whether the measure counts losses. Properties are tried on its negative, and no policy is fitted to
        it.
    takes_nil : bool
        Whether the measure takes `nil=`: what the empty list is worth on a nil query, where any other list is
        then worth 0. By default the formula decides.
    takes_judged_only : bool
        Whether a measure of lists takes `judged_only=`: not where ranks of several searches would be lost.
    reads : tuple of {'confidence', 'end'}, or function
        'confidence' where scores of first documents change the measure, 'end' where one more document without
        any gain at the end of a list does. Then a warning is given for runs whose first scores are all equal,
        or whose lists mostly have the same length. Where it depends on the parameters: a function of them
        that returns the tuple. By default neither, and there is no warning.
    scale_free : function, optional
        `scale_free(**params)`: whether the top of the judgment scale does not matter with these parameters,
        so that there is no warning where it is inferred. By default it matters to a measure with `max_rel`.
    ties : {'gains', 'grades', 'orders'}
        What `ties='expected'` can rely on. 'gains': what a document adds to the score depends on its rank,
        its gain and the gains above it, whatever their order, and an unjudged document counts like one of
        grade 0 or less. 'grades': the same, but these differ. 'orders': nothing; every order of the ties is
        scored, so that few documents may be tied. By default 'orders', for measures of ir_trunc 'gains'.

    Raises
    ------
    ParameterError
        Where the declaration is not complete.

    Examples
    --------
    >>> from ir_trunc.measures.params import Effort, MinRel
    >>> from ir_trunc.measures.parts import binary
    >>> @measure(source="an example", range=(float("-inf"), float("inf")))
    ... def Net(lists, e: Effort = 0.05, rel: MinRel = 1):
    ...     '''Relevant documents less the effort of reading the list.
    ...
    ...     sum_i r_i - e n
    ...     '''
    ...     return lists.sum(binary(lists, rel).hits) - e * lists.n
    """

    range: Range | Callable[..., Range] = (0, 1)
    cutoff: Cutoff = "optional"
    name: str | None = None
    takes_nil: bool = False
    takes_judged_only: bool = True
    ties: TieUnit | None = None

    def __new__(cls, *bare: object, **given: object) -> measure:
        """A declaration; ParameterTypeError where the decorator has no arguments."""
        refuse_bare(cls.__name__, bare)
        return super().__new__(cls)

    def __call__(self, formula: Formula) -> Formula:
        """Register the formula, and return it."""
        title = title_of(formula, self.name)
        if type(self) is measure and not formula.__module__.startswith("ir_trunc."):
            raise ParameterError(
                f"{title}: declare your own measures by ir_trunc.measure, which makes objects of ir-measures."
            )
        if self.scope == "list" and (self.of_means or self.influence):
            raise ParameterError(f"{title}: of_means and influence are for measures with scope='run'.")
        lines = (formula.__doc__ or "").strip().splitlines()
        if sys.flags.optimize < 2 and all(line.strip() for line in lines):
            raise ParameterError(f"{title} needs a docstring: a sentence, an empty line, and the formula.")
        shared = {field.name: getattr(self, field.name) for field in fields(Declaration)}
        ties: TieUnit = self.ties or ("gains" if type(self) is measure else "orders")
        declared = partial(self._declared, title, formula)
        definition = Definition(name=title, declared=declared, bounds=self.range, ties=ties, **shared)
        if type(self) is not measure:
            definition.params  # noqa: B018 (an error belongs where a user's measure is declared)
        registry[title] = definition
        _aliases.update(dict.fromkeys(self.aliases, title))
        return formula

    def _declared(self, title: str, formula: Formula) -> tuple[dict[str, Param], Formula]:
        """The parameters, and the formula as a function of these."""
        single, of_single = ungrouped(formula)
        params = {}
        for name, annotation, default in single:
            kind = kind_of(annotation)
            if not kind or default is inspect.Parameter.empty:
                raise ParameterError(
                    f"{title}: parameter {name!r} needs a kind and a default, such as 'e: Effort = 0.05'; "
                    "ir_trunc.measures.params has the kinds."
                )
            params[name] = Param(name, kind, default)
        if self.takes_nil:
            params["nil"] = Param("nil", get_args(Nil)[1])
            of_single = with_nil(of_single)
        if self.scope == "list" and self.takes_judged_only:
            params[JUDGED_ONLY] = Param(JUDGED_ONLY, get_args(JudgedOnly)[1], default=False)
        if self.cutoff != "none":
            depth = Whole("evaluation depth, written @k: only the first k documents are looked at")
            params[CUTOFF] = Param(CUTOFF, depth, required=self.cutoff == "required")
        return params, of_single


def names() -> list[str]:
    """All names by which measures can be called, aliases included."""
    return [*registry, *_aliases]


ELSEWHERE = {
    "hit_rate HitRate@k accuracy@k top_k_accuracy": "Success@k",
    "f1 F1@k": "SetF, with a cutoff SetF with depth=k",
    "hole Hole@k": "1 - Judged@k, if a document counts as judged that was judged for its own topic",
    "exact_match": "EM",
    "r_precision": "Rprec",
    "map_at_k MAP@k mean_average_precision": "AP@k, which divides by all relevant documents",
    "mrr MRR@k mrr_at_k mean_reciprocal_rank": "RR@k",
    "ndcg_at_k": "nDCG@k",
    "recall_at_k context_recall contextual_recall": "R@k, of the whole list SetR",
    "precision_at_k": "P@k",
    "pr_auc auprc aucpr": "AUPRC, by the trapezoidal rule; average_precision is AP",
    "AP' RBP' NDCG' RR'": "APT, RBPT, nDCGT, RRT of lists that end; AP(judged_only=True) of condensed ones",
    "context_precision contextual_precision": "AP, which divides by all relevant documents, found or not",
}
"""What measures of other frameworks are called there, and what they are here; families add their own."""


def lookup(name: str) -> Definition:
    """The definition of a measure.

    Parameters
    ----------
    name : str
        Its name or an alias.

    Returns
    -------
    Definition

    Raises
    ------
    UnknownMeasureError
        If no measure has this name; the message has the nearest names.

    Examples
    --------
    >>> from ir_trunc.measures import lookup
    >>> lookup("MAP").name
    'AP'
    """
    try:
        return unlisted.get(name) or registry[_aliases.get(name, name)]
    except KeyError:
        raise UnknownMeasureError(f"There is no measure {name!r}.{nearest(name, names())}") from None


def _lookup_in(module: str, name: str) -> Definition:
    import_module(module)
    return lookup(name)


# By name: the formula may be one that `ungrouped` or `with_nil` returned, which pickle cannot find.
copyreg.pickle(Definition, lambda definition: (_lookup_in, (definition.formula.__module__, definition.name)))


def lower_is_better(measure: object) -> bool:
    """Whether a measure, given as text or as an object, counts losses; False for an unknown name."""
    try:
        return lookup(parse(str(measure))[0]).lower_is_better
    except UnknownMeasureError:
        return False


def oriented(measure: object, values: Floats) -> Floats:
    """Values of a measure such that higher is better: those of a loss with the opposite sign."""
    return -values if lower_is_better(measure) else values


def title_of(formula: Callable[..., Any], name: str | None = None) -> str:
    """The name of a measure, by default that of its function; ParameterError for anything but a function."""
    code = getattr(formula, "__code__", None)
    takes_lists = code is not None and (code.co_argcount or code.co_flags & inspect.CO_VARARGS)
    if not inspect.isfunction(formula) or not takes_lists:
        raise ParameterError(f"measure decorates a function of lists, not {shown(formula)}.")
    return name or formula.__name__


def ungrouped(formula: Callable[..., Floats]) -> tuple[list[_Parameter], Callable[..., Floats]]:
    """The single parameters of a formula behind its lists, and the formula as a function of these."""
    single: list[_Parameter] = []
    groups: dict[str, tuple[Any, list[str]]] = {}
    for parameter in _parameters(formula, 1):
        name, kind, _ = parameter
        is_group = is_dataclass(kind)
        members = _parameters(kind) if is_group else [parameter]
        if is_group:
            groups[name] = kind, [member for member, *_ in members]
        single += members

    @wraps(formula)
    def together(lists: Any, **params: Any) -> Floats:
        for name, (kind, members) in groups.items():
            params[name] = kind(**{member: params.pop(member) for member in members})
        return formula(lists, **params)

    return single, together if groups else formula


def with_nil(formula: Formula) -> Formula:
    """The formula with the parameter `nil`."""

    @wraps(formula)
    def silent(lists: Lists, nil: float | None = None, **params: Any) -> Floats:
        score = formula(lists, **params)
        if nil is None:
            return score
        scale = scale_of(params["gains"]) if "gains" in params else at_least(params.get("rel") or 1)
        return silent_or(lists, gains_by(scale, lists).R, nil, score)

    return silent


_Parameter = tuple[str, Any, Any]  # name, annotation, default


@cache  # a group is of several measures
def _parameters(function: Any, first: int = 0) -> list[_Parameter]:
    """The parameters from position `first` on."""
    names = getattr(inspect.unwrap(function), "__globals__", None) or vars(sys.modules[function.__module__])
    given = [*inspect.signature(function).parameters.values()][first:]
    # Most annotations are one name. Looking these up takes half the time of evaluating all.
    if all(isinstance(each.annotation, str) and each.annotation in names for each in given):
        return [(each.name, names[each.annotation], each.default) for each in given]
    given = [*inspect.signature(function, eval_str=True).parameters.values()][first:]
    return [(each.name, each.annotation, each.default) for each in given]


def parse(text: str) -> tuple[str, dict[str, Any], int | None]:
    """The name, the parameters and the cutoff that a measure's text holds."""

    def refuse(problem: str) -> UnknownMeasureError:
        form = "Name, Name@k or Name(param=value, ...)@k"
        if "," in re.sub(r"\([^()]*\)", "", text):
            problem = "measures are separated by blanks, without commas"
        if os.path.exists(text):
            problem = "it is a file; in Python, measures come first, then qrels and runs"
        return UnknownMeasureError(f"{text!r} is not a measure: {problem}; {form} is needed.")

    source = text.strip()
    if source.isascii() and source.isidentifier() and not iskeyword(source):
        return source, {}, None
    name, args, by_name, behind = call_parts(source, refuse)
    if args:
        raise refuse("parameters need names")
    try:
        params = {key: literal(value, source) for key, value in by_name.items()}
        return name, params, None if behind is None else literal(behind, source)
    except (ValueError, TypeError):
        raise refuse(
            "a value must be a number, a word in quotes, True, False, None or a {grade: gain} map"
        ) from None


def split_at_blanks(text: str) -> list[str]:
    """The measures in a text that are separated by blanks; blanks inside brackets separate nothing."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text + " "):
        depth += (char in "([{") - (char in ")]}")
        if char.isspace() and depth <= 0:
            parts += [text[start:at]] if at > start else []
            start = at + 1
    return parts + ([text[start:]] if text[start:].strip() else [])


def items_of(
    name: str, given: Any, needed: str, parts_of: Callable[[str], list[str]] = split_at_blanks
) -> list[Any]:
    """The items of an argument: a text, which `parts_of` takes apart, an object, or a list of both."""
    if isinstance(given, str):
        return parts_of(given)
    single = isinstance(given, (bytes, int, float)) or getattr(given, "ndim", None) == 0
    if given is None or single or hasattr(given, "itertuples"):
        raise ParameterTypeError(
            f"{name}={shown(given)} is {type(given).__name__}: {needed} is needed, or a list of these."
        )
    if not isinstance(given, (list, tuple, Iterable)):
        return [given]
    return [part for item in given for part in (parts_of(item) if isinstance(item, str) else [item])]
