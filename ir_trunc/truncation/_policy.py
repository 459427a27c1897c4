"""Policies, which decide where lists end: their base class, their declaration and their registry."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from itertools import repeat
from typing import Annotated, Any, ClassVar, Protocol, TypeVar, Unpack, dataclass_transform

import numpy as np
import numpy.typing as npt

from ir_trunc._core import parameters
from ir_trunc._core.errors import InputError, ParameterError, option, shown, warn
from ir_trunc._core.lazy import needed
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc._output.files import Target
from ir_trunc._ranking.runs import RunLike, read_run
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._saved import plain, write_json
from ir_trunc.measures.definition import Declared
from ir_trunc.measures.lists import running
from ir_trunc.measures.params import Number, Param, Whole
from ir_trunc.truncation import _items
from ir_trunc.truncation._fitting import Profile, check_rankings, independent, rank_without_qrels

Items = TypeVar("Items")
_AMONG = parameters.Several("numbers of documents that may be kept", Whole("documents", low=0))


class Cutter(Protocol):
    """What functions need of a policy: `fit` and `cut`."""

    def fit(self, rankings: Rankings, measure: Any) -> Cutter:
        """The policy with the parameters that are best for a measure on these training topics."""

    def cut(self, rankings: Rankings) -> Ints:
        """The length at which each list should end (Q), from 0 to its own."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Policy:
    """The base class of policies: a subclass has `lengths`, and `learn` if it has parameters to fit.

    `cut` and `fit` call these two and do what all policies have in common: they check the arguments, keep to
    the bounds, and note what a policy was fitted on. They work on lists of judged topics; `policy(scores)`
    and `policy.keep(items)` work on lists that were just retrieved, without topics, ids or judgments.

    Every policy takes `at_least=` and `at_most=`: a length outside is replaced by the nearer bound, and a
    shorter list is kept whole. `among=` has the lengths that are possible, the whole of a list below the
    highest included: another one is replaced by the next lower, or by the lowest. `budget=` limits what the
    kept documents cost together: a document that does not fit ends the list, whatever `at_least` and `among`
    say. What is fitted is the best within these bounds.

    Attributes
    ----------
    at_least, at_most : int, optional
        The fewest and the most documents to keep of a list.
    budget : float, optional
        The highest sum of the costs of the documents that are kept, in the unit of the costs (tokens).
    among : tuple of int, optional
        The numbers of documents that may be kept.

    >>> from ir_trunc.truncation import ScoreThreshold
    >>> policy = ScoreThreshold(0.5)
    >>> policy([0.9, 0.7, 0.2])
    2
    >>> policy.keep([("d1", 0.9), ("d2", 0.7), ("d3", 0.2)])
    [('d1', 0.9), ('d2', 0.7)]
    >>> ScoreThreshold(0.5, budget=1000)([0.9, 0.7, 0.2], [600, 500, 300])
    1
    """

    at_least: Annotated[int | None, Whole("fewest documents to keep of a list", low=0)] = None
    at_most: Annotated[int | None, Whole("most documents to keep of a list", low=0)] = None
    budget: Annotated[float | None, Number("highest sum of the costs of what is kept", 0)] = None
    among: Annotated[tuple[int, ...] | None, _AMONG] = None

    fitted_on: Any = field(default=None, compare=False)
    """What the policy was fitted on (`Profile`), with which `monitor` compares live lists."""

    sees_judgments: ClassVar[bool] = False
    """Whether `cut` uses the judgments, as the oracle does."""

    not_live: ClassVar[str] = ""
    """Why the policy cannot cut a list that was just retrieved; empty if it can."""

    _params: ClassVar[Mapping[str, Param]] = {}
    """The parameters that the policy declares."""

    def __post_init__(self) -> None:
        for name, param in {**self._params, **BOUNDS}.items():
            try:
                object.__setattr__(self, name, param.clean(getattr(self, name)))
            except ParameterError as error:
                raise type(error)(f"{type(self).__name__}: {error}") from None
        if self.fitted_on is not None:
            parameters.instance("fitted_on", self.fitted_on, Profile, "a Profile, as policy.fitted_on is,")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            what = f"at_least={self.at_least} is above at_most={self.at_most}"
            raise ParameterError(f"{what}: no length is within these bounds.")

    def __repr__(self) -> str:
        """The name and the parameters that have a value; bounds come last."""
        values = dict(sorted(vars(self).items(), key=lambda item: item[0] in BOUNDS))
        values.pop("fitted_on", None)
        inside = ", ".join(f"{name}={value!r}" for name, value in values.items() if value is not None)
        return f"{type(self).__name__}({inside})" if inside else type(self).__name__

    def fit(self, rankings: Rankings, measure: Any = None, weights: Floats | None = None) -> Policy:
        """The policy fitted to a measure (text or object) on these training topics.

        A parameter that was given stays as it is; so does a policy with nothing to fit. The policy keeps what
        it was fitted on, for `monitor`.

        Parameters
        ----------
        rankings : Rankings
            The lists of the training topics, with their judgments (Q).
        measure : str or Measure
            What the policy maximises.
        weights : array, optional
            The weight of each list (Q); by default all count the same.
        """
        lists = len(check_rankings(rankings))
        further = [] if weights is None else [parameters.numbers("weights", weights)]
        if further and len(further[0]) != lists:
            raise ParameterError(f"weights: {len(further[0])} for {lists} lists; each list needs one.")
        learnt = among_tried(self, rankings).learn(rankings, measure, *further)
        return profiled(learnt, rankings, measure)

    def learn(self, rankings: Rankings, measure: Any, weights: Floats | None = None) -> Policy:
        """What `fit` calls: the policy with the parameters that are best for the measure."""
        return self

    def cut(self, rankings: Rankings) -> Ints:
        """The length at which each list should end (Q), from 0 to its own."""
        lengths = self.lengths(check_rankings(rankings))
        if not self.is_bounded:
            return lengths
        longest = self.longest(rankings)
        return np.minimum(self._possible(np.clip(lengths, self.at_least, longest), rankings.lengths), longest)

    def _possible(self, cuts: Ints, whole: Ints) -> Ints:
        """What `among` makes of these cuts of lists with these lengths."""
        if self.among is None:
            return cuts
        allowed = np.array(sorted(self.among))
        below = allowed[np.maximum(np.searchsorted(allowed, cuts, side="right") - 1, 0)]
        keeps_all = (cuts >= whole) & (whole <= allowed[-1])
        return np.where(keeps_all, whole, np.minimum(np.maximum(below, self.at_least or 0), whole))

    def _meant(self, whole: Ints, shown: Ints) -> Ints:
        """For every cut d = 0..n of lists with these lengths, the point that `among` makes of it.

        It is one of the points of the lists as a measure with a cutoff sees them, with the lengths `shown`.
        """
        lists = np.repeat(np.arange(len(whole)), whole + 1)
        cuts = self._possible(np.arange(len(lists)) - offsets_of(whole + 1)[lists], whole[lists])
        return offsets_of(shown + 1)[lists] + np.minimum(cuts, shown[lists])

    @property
    def is_bounded(self) -> bool:
        return any(getattr(self, name) is not None for name in BOUNDS)

    def longest(self, rankings: Rankings) -> Ints:
        """The most documents of each list that `at_most` and the budget allow (Q)."""
        most = rankings.lengths if self.at_most is None else np.minimum(rankings.lengths, self.at_most)
        if self.budget is None:
            return most
        if rankings.costs is None:
            other = f"{option('columns', {'cost': 'tokens'})} names another"
            what = f"budget= needs what each document costs. A run has it in a column `cost`, or {other}"
            raise InputError(f"{self}: {what}; policy(scores, costs) and keep(items, cost=...) take it.")
        fits = running(rankings.costs[rankings.places], offsets_of(rankings.lengths)) <= self.budget
        return np.minimum(most, np.bincount(rankings.rows[fits], minlength=len(rankings)))

    def lengths(self, rankings: Rankings) -> Ints:
        """What `cut` calls: the length at which each list should end (Q), from 0 to its own."""
        raise NotImplementedError

    def __call__(self, scores: Any, costs: Any = None, *, lower_is_better: bool | None = None) -> Any:
        """How many documents of a list to keep: the first k.

        Parameters
        ----------
        scores : list of float, array or tensor
            The scores of one list, falling; or an array with two dimensions, whose rows are lists. Equal
            scores are allowed, and so is the empty list, of which 0 documents are kept.
        costs : list of float or array, optional
            What each document costs, for a policy with a budget; of the same shape.
        lower_is_better : bool, optional
            Whether the scores are distances, which rise. The policy sees them with the opposite sign. By
            default they are if the policy was fitted on distances (a run with `lower_is_better=True`).

        Returns
        -------
        int, or an array of int for two dimensions

        Raises
        ------
        InputError
            If a score is missing, NaN or infinite, or comes after a lower one.
        ParameterError
            If the policy still has to be fitted, or needs more than scores, as `Oracle` does.

        Examples
        --------
        >>> from ir_trunc.truncation import Fixed, LargestGap
        >>> LargestGap()([0.91, 0.88, 0.41, 0.40])
        2
        >>> LargestGap()([0.1, 0.2, 0.9], lower_is_better=True)
        2
        >>> Fixed(3, budget=1000)([0.9, 0.8, 0.7], [300, 600, 200])
        2
        """
        values, _ = self._oriented(scores, lower_is_better)
        of_documents = None if self.budget is None or costs is None else _items.costs_like(values, costs)
        if values.ndim == 1:
            return self._length(values, of_documents)
        rows = enumerate(zip(values, repeat(None) if of_documents is None else of_documents))
        return np.array([self._length(*row, f"row {number}, ") for number, row in rows], np.int64)

    def keep(
        self, items: Items, score: Any = None, *, cost: Any = None, lower_is_better: bool | None = None
    ) -> Items:
        """The items of a list that are kept, in their order and in a collection of the same type.

        The k items with the highest scores are kept; of equal scores those that come first.

        Parameters
        ----------
        items : list, tuple, array, dict, or a frame of pandas, polars or pyarrow
            What was retrieved: pairs (document, score), dicts or objects with a `score`, `{id: score}`, rows
            with a column `score`.
        score : str, callable or list of float
            Where the score is, if not there: the name of an attribute, key or column
            (`'metadata.relevance'` goes one level down), a function of an item, or the scores themselves. By
            default the column or key of the run that the policy was fitted on, where the items have it.
        cost : str, callable or list of float, optional
            Where the cost of an item is, in the same ways, for a policy with a budget; by default in `cost`.
        lower_is_better : bool, optional
            Whether the scores are distances, see `__call__`.

        Raises
        ------
        InputError
            If an item has no score, or one that is not a finite number.
        ParameterError
            As for `__call__`.

        Examples
        --------
        >>> from ir_trunc.truncation import ShareOfTop
        >>> ShareOfTop(0.5).keep([{"id": "a", "sim": 0.8}, {"id": "b", "sim": 0.3}], score="sim")
        [{'id': 'a', 'sim': 0.8}]
        >>> from ir_trunc.truncation import Fixed
        >>> Fixed(2, budget=10).keep([("a word", 0.9), ("two words", 0.8)], cost=lambda item: len(item[0]))
        [('a word', 0.9)]
        """
        if score is None and self.fitted_on is not None and _items.has_field(items, self.fitted_on.score):
            score = self.fitted_on.score
        values, are_distances = self._oriented(_items.scores_of_items(items, score), lower_is_better)
        rises = _items.first_rise(values) > 0
        if rises and (values[1:] > values[:-1]).all():
            taken = "in the order of rising scores: those at the end are taken for the best"
            remedy = f"If those at the front are, pass lower_is_better={not are_distances}"
            warn(f"The {len(values)} items are {taken}. {remedy}.")
        order = np.argsort(-values, kind="stable") if rises else np.arange(len(values))
        costs = None
        if self.budget is not None:
            of_items = _items.scores_of_items(items, "cost" if cost is None else cost, "cost")
            costs = _items.costs_like(values, of_items)[order]
        return _items.selected(items, np.sort(order[: self._length(values[order], costs)]))

    @takes(HowRead)
    def monitor(
        self, run: RunLike | Rankings, *, alpha: float = 0.05, cost: Any = None, **reading: Unpack[HowRead]
    ) -> Any:  # Monitoring: that module can be taken away
        """Whether live lists still look like those that the policy was fitted on; no labels are needed.

        Compared are the share of lists that the policy leaves empty (Fisher's exact test), the lengths that
        it leaves (Wilcoxon's rank sum test), and the distributions of the top score, of the gap below it, of
        the spread of the scores and of the number of retrieved documents (Kolmogorov-Smirnov). The p values
        are corrected by Holm's method. With keys, the sizes of the samples are the numbers of values of the
        outermost key, since its lists depend on each other.

        Parameters
        ----------
        run : RunLike or Rankings
            What was retrieved, before the policy cut it: whole lists, as the policy was fitted on. A question
            may come several times, each time with a list of its own.
        alpha : float
            Highest probability of an alarm where nothing has changed.
        cost : str, tokenizer or callable, optional
            The cost of each document, for a policy with a budget: in the forms that `how_many` takes.
        **options
            How the run is read, as for `ir_trunc.calc`; scores are distances if those of the fit were.

        Returns
        -------
        Monitoring
            It prints as a verdict and a table; `matches` is False where a shift is shown, and where `doubts`
            say what could not be compared.

        Raises
        ------
        ParameterError
            If the policy was not fitted, or uses judgments.
        InputError
            If the run cannot be read, or has fewer than 20 lists, which are too few to tell.

        Examples
        --------
        >>> from ir_trunc.synthetic import generated
        >>> from ir_trunc.truncation import ScoreThreshold
        >>> import ir_trunc
        >>> qrels, runs = generated.collection(topics=40, systems=2)
        >>> policy = ScoreThreshold().fit(ir_trunc.rank(qrels, runs["fair-never"]), "RBPT")
        >>> policy.monitor(runs["fair-never"]).matches
        True
        """
        refuse_if_not_live(self)
        how: Any = as_fitted(self, reading)
        if cost is not None and isinstance(run, Rankings):
            raise ParameterError("cost= is read with a run, and Rankings hold their costs.")
        if cost is not None:
            of_costs = {"cost": _items.cost_of(cost, _items.text_of, "")}
            how = {**how, "columns": {**(how.get("columns") or {}), **of_costs}}
        monitor = import_module("ir_trunc.truncation._monitoring")
        if not isinstance(run, Rankings):
            run = rank_without_qrels(monitor.lists_apart(read_run(run, **how)))
        return monitor.monitoring(self, run.unjudged(), alpha)

    def _oriented(self, scores: Any, lower_is_better: bool | None) -> tuple[Floats, bool]:
        """Live scores, and whether they are distances (by default as those of the fit): these change sign."""
        refuse_if_not_live(self)
        if lower_is_better is None:
            lower_is_better = self.fitted_on is not None and self.fitted_on.lower_is_better
        values = _items.numbers_of(scores)
        return -values if parameters.flag("lower_is_better", lower_is_better) else values, lower_is_better

    def _length(self, values: Floats, costs: Floats | None = None, where: str = "") -> int:
        """How many documents of a list with these falling scores are kept."""
        place = _items.first_rise(values)
        if place:
            what = f"{values[place]:g} at place {place} is higher than {values[place - 1]:g} before it"
            remedy = "Sort the documents first, or let `keep` choose among them"
            remedy += "; where lower is better, pass lower_is_better=True"
            raise InputError(f"scores: {where}{what}; scores must fall. {remedy}.")
        # The checks of `Rankings` would take longer than most policies.
        first = values[:1] if len(values) else np.array([-np.inf])
        own = {"lengths": np.array([len(values)]), "scores": values, "first_scores": first, "costs": costs}
        return int(lengths_of(self, Rankings.unchecked(**(vars(_ONE_LIST) | own)))[0])

    def as_pyterrier_transformer(self, measure: Any = None) -> Any:
        """The policy as a transformer of PyTerrier: `bm25 >> policy.as_pyterrier_transformer()`.

        measure: what `fit` of the pipeline fits it to.
        """
        with needed("as_pyterrier_transformer needs PyTerrier", "pyterrier"):
            import pyterrier
        transformers: Any = pyterrier.truncation  # type: ignore[attr-defined]  # by our entry point
        return transformers.Truncate(self, measure)

    def save(self, path: Target) -> None:
        """Write the policy as JSON, for `ir_trunc.load_policy`; gzipped if the name ends in .gz.

        Raises ParameterError if JSON cannot hold it: a policy that is not in the registry, or one with a
        model of another library in it.

        >>> import os, tempfile
        >>> from ir_trunc import load_policy
        >>> from ir_trunc.truncation import ScoreThreshold
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "stop.json")
        ...     ScoreThreshold(0.5).save(path)
        ...     load_policy(path)
        ScoreThreshold(threshold=0.5)
        """
        write_json(path, "Policy", self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The policy as JSON can hold it, for `truncation.policy_from_dict`. Raises as `save` does."""
        name = type(self).__name__
        if name not in registry or registry[name].kind is not type(self):
            there = "the registry of policies: @policy(source=...) puts it there"
            raise ParameterError(f"{name} is not in {there}.")
        if not registry[name].written:
            what = "holds what JSON cannot, a model of another library"
            raise ParameterError(f"{name} {what}: use joblib.dump or pickle.")
        bounds = [bound for bound in BOUNDS if getattr(self, bound) is not None]
        values = {param: getattr(self, param) for param in [*registry[name].params, *bounds]}
        written = {"policy": name, "parameters": plain(values)}
        return written if self.fitted_on is None else written | {"fitted_on": plain(self.fitted_on)}


def among_tried(policy: Any, rankings: Rankings) -> Any:
    """The policy, which keeps to the depths at which answers were graded: what was scored is what it does."""
    is_free = isinstance(policy, Policy) and not policy.sees_judgments and policy.among is None
    if rankings.depths is None or not is_free or "k" in policy._params:
        return policy
    return replace(policy, among=rankings.depths)


def profiled(policy: Any, rankings: Rankings, measure: Any) -> Any:
    """The policy with what it was fitted on; as it is where it has that already, or cannot cut live lists."""
    live = isinstance(policy, Policy) and policy.fitted_on is None and not why_not_live(policy)
    if not live or independent(rankings) < 2:
        return policy
    return replace(policy, fitted_on=Profile.of(policy, rankings, measure))


def as_fitted(policy: Any, reading: HowRead) -> HowRead:
    """How the lists of a live run are read: their scores are distances if those of the fit were."""
    profile = getattr(policy, "fitted_on", None)
    return reading if profile is None else {"lower_is_better": profile.lower_is_better, **reading}


def sees_judgments(policy: object) -> bool:
    """Whether a policy uses judgments to cut. One that is not derived from `Policy` need not say."""
    return bool(getattr(policy, "sees_judgments", False))


def why_not_live(policy: Any) -> str:
    """Why a policy, or a kind of policies, cannot cut a list that was just retrieved; "" where it can."""
    sees = "it looks at judgments, which a list that was retrieved just now does not have"
    return str(getattr(policy, "not_live", "")) or (sees if sees_judgments(policy) else "")


def refuse_if_not_live(policy: Any) -> None:
    """ParameterError with the reason if a policy cannot cut a list that was just retrieved."""
    if reason := why_not_live(policy):
        raise ParameterError(f"{policy} cannot be used on a live list: {reason}.")


def lengths_of(policy: Cutter, rankings: Rankings) -> Ints:
    """The length at which a policy ends each list (Q), checked, and at most the list's own length."""
    returned = policy.cut(rankings)
    try:
        lengths: npt.NDArray[Any] = np.asarray(returned)
    except ValueError:  # lists of several lengths
        lengths = np.zeros(0)
    kind = lengths.dtype.kind
    are_whole = kind in "iu" or (kind == "f" and (lengths == np.floor(lengths)).all())
    if lengths.shape != (len(rankings),) or not are_whole or (lengths < 0).any():
        needed = f"a whole length >= 0 for each of {len(rankings)} topics"
        raise InputError(f"{policy}: `cut` must return {needed}, not {shown(returned)}.")
    return np.minimum(lengths, rankings.lengths).astype(np.int64, copy=False)


def unfitted(policy: Policy, name: str) -> ParameterError:
    """The error about a parameter that has to be fitted first."""
    how = "fit it on training topics first (at the command line: QRELS RUN MEASURE)"
    return ParameterError(f"{type(policy).__name__} has no {name} yet: {how}.")


# The declaration.


@dataclass(frozen=True)
class PolicyDefinition(Declared):
    """A policy as declared.

    Attributes
    ----------
    name : str
    kind : type
        The class.
    params : mapping
        Its parameters by name, besides the bounds that all have.
    source, idempotent, written
        As `policy` takes them.
    """

    name: str
    kind: type[Policy]
    params: Mapping[str, Param]
    source: str
    idempotent: bool
    written: bool

    def _docstring(self) -> str:
        return self.kind.__doc__ or ""

    @property
    def signature(self) -> str:
        """The name with the parameters and their defaults."""
        return self.name + parameters.written_arguments(self.params.values())


registry: dict[str, PolicyDefinition] = {}
"""The declared policies by name."""

PolicyClass = TypeVar("PolicyClass", bound=Policy)


@dataclass_transform(frozen_default=True)
@parameters.with_source
def policy(
    *, source: str, idempotent: bool = True, written: bool = True
) -> Callable[[type[PolicyClass]], type[PolicyClass]]:
    """Register a class as a policy of the same name, and make it a frozen dataclass.

    The class is derived from `Policy`. Its parameters are annotated attributes, `k: Annotated[int,
    Whole("documents")]`. The annotation holds a kind (`ir_trunc.measures.params`), which checks the value
    once, when a policy is made; a parameter that is to be fitted has the default None. The docstring has a
    sentence, then the length of a list as a formula, then notes. A policy that uses judgments to cut has a
    true attribute `sees_judgments`. A `__post_init__` of its own calls that of `Policy`, which checks.

    Parameters
    ----------
    source : str
        Where the policy comes from.
    idempotent : bool
        Whether cutting a list again leaves it as it is.
    written : bool
        Whether text and JSON can hold a fitted policy; False if it has a model of another library in it.

    Returns
    -------
    decorator
        It returns the class as a frozen dataclass that checks its parameters.

    Raises
    ------
    ParameterError
        If something of this is missing, or the name belongs to another policy.

    Examples
    --------
    >>> from ir_trunc.truncation import Policy, policy
    >>> @policy(source="a lecture")
    ... class FirstHalf(Policy):
    ...     '''The first half of each list.
    ...
    ...     n // 2
    ...     '''
    ...
    ...     def lengths(self, rankings):
    ...         return rankings.lengths // 2
    >>> FirstHalf()([0.9, 0.8, 0.7, 0.6])
    2
    """
    source = parameters.text("source", source)
    idempotent, written = parameters.flag("idempotent", idempotent), parameters.flag("written", written)

    def register(kind: type[PolicyClass]) -> type[PolicyClass]:
        name = kind.__name__
        if name in registry and registry[name].kind.__module__ != kind.__module__:  # a cell may be run again
            raise ParameterError(f"{name} is the name of another policy: give yours a name of its own.")
        if sys.flags.optimize < 2 and len(inspect.cleandoc(kind.__doc__ or "").split("\n\n")) < 2:
            docstring = "a docstring: a sentence, an empty line, and the formula of the length"
            raise ParameterError(f"{name} needs {docstring}.")
        if not issubclass(kind, Policy) or kind.lengths is Policy.lengths:
            raise ParameterError(f"{name} needs a method `lengths`, and is derived from Policy.")
        for base in kind.__mro__[: kind.__mro__.index(Policy)]:
            own = inspect.unwrap(vars(base).get("__post_init__", Policy.__post_init__))
            code = getattr(own, "__code__", None)  # of a function, which names what it calls
            if own is not Policy.__post_init__ and "__post_init__" not in getattr(code, "co_names", ()):
                whose = "its __post_init__" if base is kind else f"__post_init__ of {base.__name__}"
                call = f"{whose} has to call super().__post_init__()"
                raise ParameterError(f"{name}: {call}, which checks the parameters.")
        made = dataclass(frozen=True, repr=False)(kind)
        declared = parameters.declared_parameters(made)
        for each in fields(made):
            if each.name not in declared and each.name != "fitted_on":
                such = "`k: Annotated[int, Whole('documents')]`; ir_trunc.measures.params has the kinds"
                raise ParameterError(f"{name}: parameter {each.name!r} needs a kind, such as {such}.")
        made._params = {param: kind for param, kind in declared.items() if param not in BOUNDS}
        registry[name] = PolicyDefinition(name, made, made._params, source, idempotent, written)
        return made

    return register


BOUNDS = parameters.declared_parameters(Policy)
"""The parameters that every policy has."""

_ONE_LIST = Rankings.from_lists([[]], topics=["(the list)"], scores=[[]])
"""A list that was just retrieved, without judgments."""
