"""The declaration of a procedure of meta-evaluation: one decorated function, and everything else follows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.parameters import instance, text
from ir_trunc.measures.params import Param
from ir_trunc.meta.matrix import A_MATRIX, ScoreMatrix
from ir_trunc.meta.pools import PooledRuns
from ir_trunc.scoring.results import Result

P = ParamSpec("P")
R = TypeVar("R", bound=Result)

_NEEDED: Mapping[type, str] = {ScoreMatrix: f"{A_MATRIX},", PooledRuns: "the result of meta.pooled_runs"}


@dataclass(frozen=True)
class ProcedureDefinition:
    """A procedure as declared: the function that checks its options, what it takes and gives, its source.

    inputs: what the procedure is about, by name, as the types of the annotation. options: its parameters.
    """

    name: str
    function: Callable[..., Result]
    inputs: Mapping[str, tuple[Any, ...]]
    options: Mapping[str, Param]
    result: type[Result]
    source: str

    @cached_property
    def _paragraphs(self) -> list[str]:
        told = inspect.cleandoc(self.function.__doc__ or f"{self.name}.")
        return told.partition("\n\nParameters\n")[0].split("\n\n")

    @property
    def summary(self) -> str:
        """What the procedure finds, in one sentence."""
        return " ".join(self._paragraphs[0].split())

    @property
    def notes(self) -> str:
        """Whatever else there is to know, in paragraphs."""
        return "\n\n".join(self._paragraphs[1:])

    @property
    def signature(self) -> str:
        """The call, with the options and their defaults."""
        options = (p.name if p.required else f"{p.name}={p.default!r}" for p in self.options.values())
        return f"{self.name}({', '.join([*self.inputs, *options])})"

    def clean(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """These options as plain values; ParameterError for one that is not allowed."""
        return {name: _clean(self.options[name], value) for name, value in options.items()}


registry: dict[str, ProcedureDefinition] = {}


def procedure(*, source: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Register a function as a procedure of meta-evaluation.

    The function returns a result (`ir_trunc.scoring.results.Result`), and its annotation says which. What
    it is about comes first: a `ScoreMatrix`, `PooledRuns` or measures. Its options are annotated with a kind
    (`ir_trunc.measures.params`, `ir_trunc.meta.options`), `seed: Seed = 0`, that checks what a user gives
    before the function runs. The docstring has a sentence, then paragraphs, then the sections Parameters,
    Returns and Examples.

    Exports of `ir_trunc.meta`, the command `ir_trunc meta NAME`, the reference page and the laws that hold
    for every procedure follow from the declaration.

    Parameters
    ----------
    source : str
        Where the procedure comes from, as "Sakai, SIGIR 2006, https://doi.org/10.1145/1148170.1148261".

    Returns
    -------
    decorator
        It returns the function with its options checked.

    Raises
    ------
    ParameterError
        Where the name belongs to another procedure, an annotation is missing or names no `Result`.

    Examples
    --------
    >>> from ir_trunc.meta import Agreement, ScoreMatrix, agreement, procedure
    >>> @procedure(source="a lecture")
    ... def agreement_by_overlap(matrix: ScoreMatrix) -> Agreement:
    ...     '''Rank-biased overlap of the orderings of the systems.'''
    ...     return agreement(matrix, "rbo")
    """
    source = text("source", source)

    def register(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__name__
        if name in registry and registry[name].function.__module__ != function.__module__:
            raise ParameterError(f"{name} is the name of another procedure: give yours a name of its own.")
        written = inspect.unwrap(function)  # without what `keywords_of` adds, which is checked elsewhere
        hints = _hints(written)
        inputs, options = _arguments(name, written, hints)
        result = hints.get("return")
        if not (isinstance(result, type) and issubclass(result, Result)):
            raise ParameterError(f"{name} needs a return annotation that is a Result: `-> Agreement`.")
        signature = inspect.signature(written)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature.bind(*args, **kwargs)
            for argument, value in given.arguments.items():
                if argument in options:
                    given.arguments[argument] = _clean(options[argument], value)
                elif len(types := inputs.get(argument, ())) == 1 and types[0] in _NEEDED:
                    instance(argument, value, types[0], _NEEDED[types[0]])
            return function(*given.args, **given.kwargs)

        registry[name] = ProcedureDefinition(name, checked, inputs, options, result, source)
        return checked

    return register


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations; those of further keywords, as how runs are read, are for type checkers alone."""
    parameters = inspect.signature(function).parameters.values()
    further = {parameter.name for parameter in parameters if parameter.kind is parameter.VAR_KEYWORD}
    told = {name: hint for name, hint in function.__annotations__.items() if name not in further}
    known = getattr(function, "__globals__", {})
    return get_type_hints(SimpleNamespace(__annotations__=told), known, include_extras=True)


def _arguments(
    name: str, function: Callable[..., Any], hints: Mapping[str, Any]
) -> tuple[dict[str, tuple[Any, ...]], dict[str, Param]]:
    """What a procedure is about, and its options."""
    inputs: dict[str, tuple[Any, ...]] = {}
    options: dict[str, Param] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:  # answers of the guide, or how runs are read
            continue
        if parameter.name not in hints:
            raise ParameterError(f"{name}: {parameter.name!r} needs an annotation, such as `ScoreMatrix`.")
        hint = hints[parameter.name]
        kind_of, *_ = getattr(hint, "__metadata__", [None])
        required = parameter.default is parameter.empty
        if kind_of is None:
            inputs[parameter.name] = get_args(hint) if len(get_args(hint)) > 1 else (hint,)
        elif hasattr(kind_of, "clean"):
            default = None if required else parameter.default
            options[parameter.name] = Param(parameter.name, kind_of, default, required)
        else:
            such_as = "`seed: Annotated[int, Whole('seed', low=0)]`; ir_trunc.measures.params has the kinds"
            raise ParameterError(f"{name}: option {parameter.name!r} needs a kind, such as {such_as}.")
    return inputs, options


def _clean(option: Param, value: Any) -> Any:
    """An option's value; None where it says that nothing is chosen."""
    nothing = option.default is None or getattr(option.kind, "or_none", False)
    if value is None and nothing and not option.required:
        return None
    return option.kind.clean(option.name, value)


def exports() -> dict[str, Any]:
    """The procedures and their results, by name."""
    found: dict[str, Any] = {name: known.function for name, known in registry.items()}
    return found | {known.result.__name__: known.result for known in registry.values()}
