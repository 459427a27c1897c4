"""Keywords that many functions share: written down once, shown in the signature of each of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar, get_type_hints, is_typeddict

from ir_trunc._core.errors import ParameterTypeError, nearest

P = ParamSpec("P")
R = TypeVar("R")


def keywords_of(source: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show the optional arguments of `source` in the signature of a function that hands them on.

    The function takes them as `**options: Unpack[Options]`, which type checkers understand. `help()`,
    notebooks and `inspect.signature` then see names, types and defaults in the place of `**options`.

    Parameters
    ----------
    source : function, class or TypedDict
        What the options are handed on to. An argument that the function names itself is its own. The keys of
        a TypedDict are shown with the default None.

    Raises
    ------
    ParameterTypeError
        In a call, for a keyword that neither of them has.

    Examples
    --------
    >>> from inspect import signature
    >>> def read(path, *, order="score", stop=None): ...
    >>> @keywords_of(read)
    ... def count(path, depth, **options):
    ...     return read(path, **options)
    >>> signature(count)
    <Signature (path, depth, *, order='score', stop=None)>
    """
    shared = _of_typed_dict(source) if is_typeddict(source) else _of_function(source)

    def show(function: Callable[P, R]) -> Callable[P, R]:
        own = signature(function)
        named = [one for one in own.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        of_function = {one.name for one in named}
        further = [one for one in shared if one.name not in of_function]
        known = of_function.union(one.name for one in further)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            if not known.issuperset(kwargs):
                name = next(name for name in kwargs if name not in known)
                what = f"{function.__name__}() got an unexpected keyword argument {name!r}."
                raise ParameterTypeError(what + nearest(name, known))
            return function(*args, **kwargs)

        shown: Any = checked
        shown.__signature__ = own.replace(parameters=[*named, *further])
        return checked

    return show


def _of_typed_dict(source: Any) -> list[Parameter]:
    return [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in get_type_hints(source).items()
    ]


def _of_function(source: Callable[..., Any]) -> list[Parameter]:
    return [
        parameter.replace(kind=Parameter.KEYWORD_ONLY)
        for parameter in signature(source).parameters.values()
        if parameter.default is not Parameter.empty
    ]
