"""Parameters that several measures share, as one dataclass: a formula then takes them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any

from ir_trunc.core.rankings import Floats


def single_parameters(formula: Callable[..., Floats]) -> list[Parameter]:
    """The parameters of a formula behind its lists, with those of its groups in their place."""
    found: list[Parameter] = []
    for parameter in _parameters(formula)[1:]:
        found += _parameters(parameter.annotation) if is_dataclass(parameter.annotation) else [parameter]
    return found


def of_single_parameters(formula: Callable[..., Floats]) -> Callable[..., Floats]:
    """The formula as a function of its single parameters."""
    groups: dict[str, Any] = {
        one.name: one.annotation for one in _parameters(formula)[1:] if is_dataclass(one.annotation)
    }
    if not groups:
        return formula
    names = {name: [one.name for one in _parameters(kind)] for name, kind in groups.items()}

    @wraps(formula)
    def together(lists: Any, **params: Any) -> Floats:
        for name, kind in groups.items():
            params[name] = kind(**{each: params.pop(each) for each in names[name]})
        return formula(lists, **params)

    return together


def _parameters(function: Any) -> list[Parameter]:
    return list(signature(function, eval_str=True).parameters.values())
