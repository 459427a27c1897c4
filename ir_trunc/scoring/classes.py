"""ir-measures: a class for every measure of the registry.

New measures become ir-measures classes under their own names. Measures that ir-measures has itself keep its
classes. `ir_trunc.adapters.ir_measures` has the provider that computes them there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import registry as ir_measures_registry
from ir_measures.providers.base import NOT_PROVIDED

from ir_trunc._core.errors import ParameterError
from ir_trunc.measures import Definition, declare, names, registry
from ir_trunc.measures.declare import title_of
from ir_trunc.measures.definition import Formula


class TruncMeasure(Measure):
    """An ir-measures measure that is declared in ir_trunc.

    Parameters are checked when they are given, and not again: those of an object are plain values that are
    allowed.
    """

    DEFINITION: Definition

    def __init__(self, **params: Any):
        given = {
            name: self.DEFINITION.clean(name, value) for name, value in params.items() if value is not None
        }
        super().__init__(**given)  # type: ignore[no-untyped-call]

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
        behind = self.DEFINITION.at
        set_here = {
            k: v for k, v in self.params.items() if k != behind and v != self.DEFINITION.params[k].default
        }
        inside = ",".join(f"{k}={plain(v)}" for k, v in sorted(set_here.items()))
        at = f"@{plain(self.params[behind])}" if behind in self.params else ""
        return f"{self.NAME}({inside}){at}" if inside else f"{self.NAME}{at}"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, dict[str, Any]]]:
        return _with, (self.DEFINITION.name, self.params)


def _with(name: str, params: dict[str, Any]) -> Any:
    """The measure of this name with these parameters."""
    return objects[name](**params)


def plain(value: Any) -> str:
    """A value as one would write it: 1, not 1.0."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else repr(value)


def _measure_of(definition: Definition) -> Any:
    params = {
        name: ir_measures.ParamInfo(
            required=param.required,
            default=NOT_PROVIDED if param.default is None else param.default,
            desc=f"{param.kind.meaning} ({param.kind.allowed})",
        )
        for name, param in definition.params.items()
    }
    body = {
        "DEFINITION": definition,
        "NAME": definition.name,
        "__name__": definition.name,
        "PRETTY_NAME": definition.summary.split(":")[0].rstrip("."),
        "SHORT_DESC": definition.summary,
        "SUPPORTED_PARAMS": params,
        "AT_PARAM": definition.at,
        "__doc__": definition.describe(),
        "__module__": __name__,
    }
    return type(f"_{definition.name}", (TruncMeasure,), body)()


objects: dict[str, Any] = {}
"""Every measure of the registry as an ir-measures object, by name and alias."""


def _make_known(definition: Definition) -> Any:
    """A measure of the registry as an ir-measures object, under its name and its aliases.

    Measures that ir-measures has itself stay as they are.
    """
    stock = ir_measures_registry.get(definition.name)
    made = _measure_of(definition) if stock is None or isinstance(stock, TruncMeasure) else stock
    for name in (definition.name, *definition.aliases):
        if isinstance(ir_measures_registry.setdefault(name, made), TruncMeasure):
            ir_measures_registry[name] = made
        objects[name] = made
    return made


class measure(declare.measure):  # noqa: D101 (its docstring is that of the class it is derived from)
    __doc__ = declare.measure.__doc__

    def __call__(self, formula: Formula) -> Any:
        """Make a measure object of the formula, which is used like those of ir_trunc."""
        for word in (title_of(formula, self.name), *self.aliases):
            known = registry.get(word)
            run_again = known is not None and known.formula.__module__ == formula.__module__  # a cell
            if not run_again and word in {*names(), *ir_measures_registry}:
                raise ParameterError(f"{word} is the name of another measure: give yours a name of its own.")
        super().__call__(formula)
        return _make_known(registry[title_of(formula, self.name)])


def make_known() -> None:
    """Make every measure of the registry an object of ir-measures; doing it again changes nothing."""
    for definition in registry.values():
        if definition.name not in objects:
            _make_known(definition)
