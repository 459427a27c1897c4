"""Measures as objects of ir-measures and as text.

Every measure of the registry is an object of ir-measures under its own name. Measures that ir-measures has
itself keep its classes. `ir_trunc.adapters.ir_measures` has the provider that computes them there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from functools import cache
from typing import Any

import ir_measures
from ir_measures import Measure, parse_trec_measure
from ir_measures.measures import registry as ir_measures_registry
from ir_measures.providers.base import NOT_PROVIDED

from ir_trunc._core.errors import IrTruncError, ParameterError, UnknownMeasureError, nearest, shown
from ir_trunc._core.lazy import cached_property
from ir_trunc.measures import BoundMeasure, Definition, declaration, names, registry
from ir_trunc.measures.declaration import items_of, parse, title_of, unlisted
from ir_trunc.measures.definition import UNBOUNDED, Formula, Range
from ir_trunc.measures.params import Sizes, is_path

__all__ = ["MeasureLike", "TruncMeasure", "measure", "parse_measure"]

MeasureLike = str | Measure | Iterable[str | Measure]
"""One or more measures: a text such as 'RBPT(p=0.5) nDCG@10', a measure object, or a list of both."""


class TruncMeasure(Measure):
    """A measure of ir-measures that is declared in ir_trunc.

    Parameters are checked when they are given, and not again: an object holds plain values that are allowed.
    """

    DEFINITION: Definition

    @cached_property
    def SUPPORTED_PARAMS(self) -> dict[str, ir_measures.ParamInfo]:  # type: ignore[override]
        return {
            name: ir_measures.ParamInfo(
                required=param.required,
                default=NOT_PROVIDED if param.default is None else param.default,
                desc=f"{param.kind.meaning} ({param.kind.allowed})",
            )
            for name, param in self.DEFINITION.params.items()
        }

    @cached_property
    def SHORT_DESC(self) -> str:
        return self.DEFINITION.summary

    @cached_property
    def PRETTY_NAME(self) -> str:
        return self.DEFINITION.summary.split(":")[0].rstrip(".")

    def __init__(self, **params: Any):
        clean = self.DEFINITION.clean
        values = {name: clean(name, value) for name, value in params.items() if value is not None}
        super().__init__(**values)  # type: ignore[no-untyped-call]

    def __call__(self, **params: Any) -> TruncMeasure:
        """The measure with other values for these parameters; None takes a value back."""
        changed = type(self)(**params)
        kept = {name: value for name, value in self.params.items() if name not in params}
        changed.params = kept | changed.params
        return changed

    def validate_params(self) -> None:
        """Raise ParameterError where a parameter is missing."""
        self.DEFINITION.of_clean(self.params)

    def __repr__(self) -> str:
        definition, params = self.DEFINITION, self.params
        own = {name: params[name] for name in sorted(params) if name != definition.at}
        changed = [
            f"{name}={_as_written(x)}" for name, x in own.items() if x != definition.params[name].default
        ]
        inside = f"({','.join(changed)})" if changed else ""
        at = f"@{_as_written(params[definition.at])}" if definition.at in params else ""
        return f"{definition.name}{inside}{at}"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, dict[str, Any]]]:
        return _unpickled, (self.DEFINITION.name, self.params)


def _unpickled(name: str, params: dict[str, Any]) -> Any:
    made = ir_measures_registry[name] if name in unlisted else objects[name]
    return (made if isinstance(made, TruncMeasure) else _own_object(name))(**params)


def _as_written(value: Any) -> str:
    """A value as one would write it: 1, not 1.0."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else repr(value)


def _object_of(definition: Definition, name: str) -> Any:
    body: Any = {"DEFINITION": definition, "NAME": name, "AT_PARAM": definition.at}
    body |= {"__name__": definition.name, "__module__": __name__}
    body |= {"__doc__": cached_property(lambda measure: measure.DEFINITION.describe())}
    return type(f"_{definition.name}", (TruncMeasure,), body)()


objects: dict[str, Any] = {}
"""Every measure of the registry as an ir-measures object, by name and alias."""


def _register_object(definition: Definition) -> Any:
    """A measure of the registry as an object of ir-measures, whose own measures stay as they are."""
    stock = ir_measures_registry.get(definition.name)
    own = stock is None or isinstance(stock, TruncMeasure)
    made = _object_of(definition, definition.name) if own else stock
    for name in (definition.name, *definition.aliases):
        if isinstance(ir_measures_registry.setdefault(name, made), TruncMeasure):
            ir_measures_registry[name] = made
        objects[name] = made
    return made


@cache
def _own_object(name: str) -> Any:
    """The object of a measure that ir-measures has too, for parameters that it does not have there."""
    # Other providers know their measures by name, and would leave the parameter out.
    return _object_of(registry[name], f"{name} of ir_trunc")


def _with_own_params(measure: Measure, params: Set[str]) -> Any:
    """The measure, or our own of its name where only that has the parameters."""
    foreign = params - measure.SUPPORTED_PARAMS.keys()
    definition = definition_of(measure) if foreign and not isinstance(measure, TruncMeasure) else None
    return _own_object(definition.name) if definition and foreign & definition.params.keys() else measure


class measure(declaration.measure):
    __doc__ = declaration.measure.__doc__

    def __call__(self, formula: Formula) -> Any:
        """Make a measure object of the formula, which is used like those of ir_trunc."""
        for name in (title_of(formula, self.name), *self.aliases):
            present = registry.get(name)
            # The cell of a notebook that declares a measure may be run again.
            same_module = present is not None and present.formula.__module__ == formula.__module__
            if not same_module and name in {*names(), *ir_measures_registry}:
                raise ParameterError(f"{name} is the name of another measure: give yours a name of its own.")
        super().__call__(formula)
        return _register_object(registry[title_of(formula, self.name)])


def register_objects() -> None:
    """Make every measure of the registry an object of ir-measures. A second call changes nothing."""
    for definition in registry.values():
        if definition.name not in objects:
            _register_object(definition)
    for name, definition in unlisted.items():
        ir_measures_registry.setdefault(name, _object_of(definition, name))


def refuses_ends(measure: Measure) -> bool:
    """Whether a document that stands for the end of its list would be wrong: not for those of ir-measures."""
    return isinstance(measure, TruncMeasure) or measure.NAME == "NumRet"


def definition_of(measure: Measure) -> Definition | None:
    """The registry's definition of an ir-measures measure, or None where it has none."""
    return measure.DEFINITION if isinstance(measure, TruncMeasure) else registry.get(measure.NAME or "")


def bind(measure: Measure) -> BoundMeasure | None:
    """The measure with its formula, or None where a setting is one that only other providers know."""
    if isinstance(measure, TruncMeasure):
        bound = measure.DEFINITION.of_clean(measure.params)
        for name, value in bound.params.items():  # the numbers of a file take the place of its path
            if isinstance(bound.definition.params[name].kind, Sizes) and is_path(value):
                from ir_trunc._read.text import read_sizes  # with pathlib and json, which no object needs

                bound = bound.with_params(**{name: read_sizes(value)})
        return bound
    definition = definition_of(measure)
    if definition is None:
        return None
    for name, value in measure.params.items():
        if name not in definition.params and value != measure.SUPPORTED_PARAMS[name].default:
            return None  # a setting that changes something, and that only others know
    return definition.of_clean(_clean(definition, measure.params))


def range_of(measure: Measure) -> Range:
    """The lowest and the highest value of a measure; infinite where they are not known."""
    bound = bind(measure)
    return UNBOUNDED if bound is None else bound.range


def _clean(definition: Definition, params: dict[str, Any]) -> dict[str, Any]:
    """Those of these parameters that the definition has, as plain values."""
    clean = definition.clean
    return {name: clean(name, value) for name, value in params.items() if name in definition.params}


def parse_measure(measure: str | Measure) -> Measure:
    """The measure that a text names, as an ir-measures object; an object stays as it is.

    Parameters
    ----------
    measure : str or Measure
        `Name`, `Name@k` or `Name(param=value, ...)@k`; or trec_eval's name of a measure, as `ndcg_cut_10`.

    Returns
    -------
    ir_measures.Measure

    Raises
    ------
    UnknownMeasureError
        With the nearest names.
    ParameterError
        With what is allowed.

    Examples
    --------
    >>> parse_measure("RBPT(p=0.5)@10")
    RBPT(p=0.5)@10
    >>> parse_measure("recip_rank")
    RR
    """
    if isinstance(measure, Measure):
        return measure
    measures = [each for each, _ in _named(measure)]
    if len(measures) > 1:
        many = f"{measure!r} is {len(measures)} measures in trec_eval"
        raise UnknownMeasureError(f"{many}: name one, {' and '.join(map(str, measures[:2]))} are two.")
    return measures[0]


def written(measure: Measure) -> str:
    """The text of a measure with all parameters that its user gave, also those at their defaults."""
    cutoff = measure.AT_PARAM
    params = {name: value for name, value in measure.params.items() if name != cutoff}
    if not any(value == measure.SUPPORTED_PARAMS[name].default for name, value in params.items()):
        return str(measure)
    shown = _as_written if isinstance(measure, TruncMeasure) else measure._param_repr
    inside = ",".join(f"{name}={shown(value)}" for name, value in params.items())
    name = measure.DEFINITION.name if isinstance(measure, TruncMeasure) else measure.NAME
    return f"{name}({inside})" + (f"@{measure.params[cutoff]}" if cutoff in measure.params else "")


def canonical(name: str) -> str:
    """The text of a measure without parameters at their defaults; any other text stays as it is."""
    try:
        return str(parse_measure(name))
    except IrTruncError:  # scores may have any name
        return name


def own_formula(measure: Measure, otherwise: str = "its formula is needed here") -> BoundMeasure:
    """The formula of a measure; UnknownMeasureError where only another provider knows it."""
    formula = bind(measure)
    if formula is None:
        raise UnknownMeasureError(f"{measure} is not computed by ir_trunc: {otherwise}.")
    return formula


def read_measures(measures: MeasureLike) -> dict[Measure, BoundMeasure | None]:
    """Measures, each once and in the order given, with their formulas; None for those of other providers."""
    parts = items_of("measures", measures, "a text as 'RBPT nDCG@10' or a measure object")
    if not parts:
        raise ParameterError("No measure is given; 'RBPT nDCG@10', for example.")
    bound_measures: dict[Measure, BoundMeasure | None] = {}
    for part in parts:
        bound_measures.update([_checked(part)] if isinstance(part, Measure) else _named(part))
    return bound_measures


def _checked(measure: Measure) -> tuple[Measure, BoundMeasure | None]:
    """Check the parameters of a measure object, which ir-measures itself does not, and bind it."""
    name = measure.NAME or type(measure).__name__
    if not isinstance(measure, TruncMeasure):
        own = _with_own_params(measure, measure.params.keys())
        measure = measure if own is measure else own(**measure.params)
        _check_names(name, measure.params, measure)
    bound = bind(measure)
    if bound is None:  # ir-measures would not take parameters that are missing or of other values
        required = [key for key, info in measure.SUPPORTED_PARAMS.items() if info.required]
        if missing := [key for key in required if key not in measure.params]:
            raise ParameterError(f"{name} needs {' and '.join(missing)}: write {name}({missing[0]}=...).")
        try:
            measure.validate_params()
        except AssertionError as error:
            raise ParameterError(f"{measure}: {error}.") from None
    return measure, bound


def parse_measures(measures: MeasureLike) -> tuple[Measure, ...]:
    """Measures from texts and objects, each once, in the order given."""
    return tuple(read_measures(measures))


def _named(text: str) -> list[tuple[Measure, BoundMeasure | None]]:
    """The measures that a text names: one, or those to which trec_eval gives this name."""
    try:
        return [_read(text)]
    except UnknownMeasureError:
        measures = trec_eval_measures(text.strip()) if isinstance(text, str) else []
        if not measures:
            raise
        return [_checked(measure) for measure in measures]


def _read(text: str) -> tuple[Measure, BoundMeasure | None]:
    """The measure that a text names, with its parameters checked, and its formula."""
    if not isinstance(text, str):
        given = f"{shown(text)} is {type(text).__name__}"
        raise UnknownMeasureError(f"{given}: a measure is an object or a text.")
    prime = re.match(r"\w+'", text.strip())  # RBP' of a paper
    name, params, cutoff = (prime[0], {}, None) if prime else parse(text)
    if name not in ir_measures_registry:
        raise UnknownMeasureError(f"There is no measure {shown(name)}.{nearest_measures(name)}")
    default = ir_measures_registry[name]
    if cutoff is not None:
        params[default.AT_PARAM] = cutoff
    if isinstance(default, TruncMeasure) and not params:
        return default, bind(default)
    default = _with_own_params(default, params.keys())
    _check_names(name, params, default)
    definition = definition_of(default)
    if definition is not None and not isinstance(default, TruncMeasure):
        params |= _clean(definition, params)
    return _checked(default(**params))


def is_measure(name: str) -> bool:
    """Whether a measure has this name, here or in trec_eval."""
    if name in ir_measures_registry:
        return True
    try:
        return bool(trec_eval_measures(name))
    except UnknownMeasureError:  # of trec_eval, and of no tool that is known here
        return True


def nearest_measures(name: str) -> str:
    """What a name of another framework is here, or a question with the nearest names, or nothing."""
    plain = re.sub(r"_at_\d+$", "", name).casefold()
    for there, here in declaration.ELSEWHERE.items():
        if plain in re.sub("@k|_at_k", "", there).casefold().split():
            return f" Here it is {here}."
    return nearest(name, sorted({*names(), *ir_measures_registry}))


def _check_names(name: str, params: Iterable[str], measure: Measure) -> None:
    """ParameterError where a measure does not have a parameter of this name."""
    for key in params:
        if key not in (params_it_has := measure.SUPPORTED_PARAMS):
            # Measures of a longer name may have the parameter: ERRU for ERR.
            others = [other for other in registry if other.startswith(name) and key in registry[other].params]
            hint = f" {' and '.join(others)}: with {key}." if others and len(name) > 1 else ""
            has = f"it has: {', '.join(params_it_has) or 'none'}.{nearest(key, params_it_has)}"
            raise ParameterError(f"{name} has no parameter {key!r}; {has}{hint}")


# A name of trec_eval, as ndcg_cut_10 or P_5: a word, and its parameters behind a dot or an underscore. The
# name of a file, as P_5.run, is none.
_OF_TREC_EVAL = r"(?:11pt_avg|[A-Za-z]+(?:_[A-Za-z]+)*)(?:[._][0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)?"


def trec_eval_measures(name: str) -> list[Measure]:
    """The measures that have this name in trec_eval: none, one, or several for a name without a cutoff."""
    if not re.fullmatch(_OF_TREC_EVAL, name):
        return []
    from pytrec_eval import supported_nicknames

    if name in supported_nicknames:  # all that trec_eval prints, some of which ir-measures does not have
        return []
    try:
        return list(parse_trec_measure(name))
    except ValueError as error:
        if "not yet supported" not in str(error):
            return []
        why = "a measure of trec_eval that ir-measures does not have"
        raise UnknownMeasureError(f"{name} is {why}.") from None
