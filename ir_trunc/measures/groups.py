"""Parameters that several measures share, as one dataclass: a formula then takes them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any

from ir_trunc.core.rankings import Floats


def ungrouped(formula: Callable[..., Floats]) -> tuple[list[Parameter], Callable[..., Floats]]:
    """The single parameters of a formula behind its lists, and the formula as a function of these.

    The parameters of a group stand in its place.
    """
    single: list[Parameter] = []
    groups: dict[str, tuple[Any, list[str]]] = {}
    for parameter in _parameters(formula)[1:]:
        kind = parameter.annotation
        members = _parameters(kind) if is_dataclass(kind) else [parameter]
        if is_dataclass(kind):
            groups[parameter.name] = kind, [member.name for member in members]
        single += members

    @wraps(formula)
    def together(lists: Any, **params: Any) -> Floats:
        for name, (kind, members) in groups.items():
            params[name] = kind(**{member: params.pop(member) for member in members})
        return formula(lists, **params)

    return single, together if groups else formula


def _parameters(function: Any) -> list[Parameter]:
    return list(signature(function, eval_str=True).parameters.values())
