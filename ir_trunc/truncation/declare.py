"""The declaration of a policy: one decorated class, and everything else reads the registry."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.parameters import flag, text
from ir_trunc.measures.params import Param
from ir_trunc.truncation.definition import Cutter, Policy, PolicyDefinition, registry, unfitted

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:  # says what `policy` makes, to type checkers alone

    def dataclass_transform(**_: bool) -> Callable[[Any], Any]:
        """Nothing at run time."""
        return lambda decorator: decorator


__all__ = ["Cutter", "Policy", "PolicyDefinition", "policy", "registry", "unfitted"]

Made = TypeVar("Made", bound=Policy)


@dataclass_transform(frozen_default=True)
def policy(
    *, source: str, idempotent: bool = True, written: bool = True
) -> Callable[[type[Made]], type[Made]]:
    """Register a class as a policy of the same name, and make it a frozen dataclass.

    The class is derived from `Policy`. Its parameters are annotated attributes, `k: Annotated[int,
    Whole("documents")]`, whose annotations hold a kind (`ir_trunc.measures.params`) that checks what a user
    gives, once, when the policy is made; a parameter that is to be fitted has the default None. Its docstring
    has a sentence, then the length of a list as a formula, then notes. A policy that has to look at judgments
    has a true attribute `sees_judgments`.

    Parameters
    ----------
    source : str
        Where the policy comes from.
    idempotent : bool
        Whether cutting a list again leaves it as it is.
    written : bool
        Whether text and JSON can hold a fitted policy; not where it has a model of another library in it.

    Returns
    -------
    decorator
        It returns the class as a frozen dataclass that checks its parameters.

    Raises
    ------
    ParameterError
        Where something of this is missing, or the name belongs to another policy.

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
    ...     def cut(self, rankings):
    ...         return rankings.lengths // 2
    >>> FirstHalf()([0.9, 0.8, 0.7, 0.6])
    2
    """
    source, idempotent = text("source", source), flag("idempotent", idempotent)
    written = flag("written", written)

    def register(kind: type[Made]) -> type[Made]:
        name = kind.__name__
        if name in registry and registry[name].kind.__module__ != kind.__module__:  # a cell may be run again
            raise ParameterError(f"{name} is the name of another policy: give yours a name of its own.")
        if sys.flags.optimize < 2 and len(inspect.cleandoc(kind.__doc__ or "").split("\n\n")) < 2:
            raise ParameterError(
                f"{name} needs a docstring: a sentence, an empty line, and the formula of the length."
            )
        if not hasattr(kind, "fit") or getattr(kind, "cut", Policy.cut) is Policy.cut:
            raise ParameterError(
                f"{name} needs a method `cut`, and `fit` too where it is not derived from Policy."
            )
        check = getattr(kind, "__post_init__", lambda made: None)

        def clean(made: Made) -> None:
            definition.clean(made)
            check(made)

        methods = {"__str__": _text, "__repr__": _text, **vars(kind), "__post_init__": clean}
        for method in ("__str__", "__repr__", "__post_init__"):
            setattr(kind, method, methods[method])
        made = dataclass(frozen=True, repr=False)(kind)
        definition = registry[name] = PolicyDefinition(name, made, _params(made), source, idempotent, written)
        return made

    return register


def _params(kind: type[Policy]) -> dict[str, Param]:
    hints, params = get_type_hints(kind, include_extras=True), {}
    for field in fields(kind):  # type: ignore[arg-type]
        kind_of, *_ = getattr(hints[field.name], "__metadata__", [None])
        if not hasattr(kind_of, "clean"):
            raise ParameterError(
                f"{kind.__name__}: parameter {field.name!r} needs a kind, such as `k: Annotated[int,"
                " Whole('documents')]`; ir_trunc.measures.params has the kinds."
            )
        required = field.default is MISSING
        params[field.name] = Param(field.name, kind_of, None if required else field.default, required)
    return params


def _text(made: Any) -> str:
    """A policy as it is written: its name, and the parameters that it has."""
    values = {field.name: getattr(made, field.name) for field in fields(made)}
    inside = ", ".join(f"{name}={value!r}" for name, value in values.items() if value is not None)
    return f"{type(made).__name__}({inside})" if inside else type(made).__name__
