"""Procedures of meta-evaluation: their declaration, the registry, and the kinds that their options have."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, get_args

from ir_measures import Measure

from ir_trunc._core import parameters
from ir_trunc._core.errors import IrTruncError, ParameterError, shown
from ir_trunc._scoring.objects import parse_measure
from ir_trunc._scoring.results import Result
from ir_trunc.measures.declaration import items_of

P = ParamSpec("P")
R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class ProcedureDefinition:
    """A procedure as it is declared.

    Attributes
    ----------
    name : str
        Name of the function.
    function : callable
        The function, which checks its arguments.
    inputs : mapping of str to tuple of types
        The data that the procedure is about, by the name of the argument, with the types of its annotation.
    options : mapping of str to Param
        The other arguments, by name.
    result : type
        The kind of result that it returns.
    source : str
        The publication that describes the procedure.
    command : str
        The command of `ir_trunc meta` that runs it.
    measures : str
        Measures of the command where none are named.
    """

    name: str
    function: Callable[..., Result]
    inputs: Mapping[str, tuple[Any, ...]]
    options: Mapping[str, parameters.Param]
    result: type[Any]
    source: str
    command: str
    measures: str = ""

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        source: str,
        command: str | None = None,
        measures: str = "",
        further: Sequence[parameters.Param] = (),
    ) -> ProcedureDefinition:
        """What the signature of a function declares. further: options of which it declares no kind."""
        name, result = function.__name__, parameters.annotations_of(function).get("return", Any)
        options = {option.name: option for option in further} | parameters.declared_parameters(function)
        inputs = {name: kinds for name, kinds in _inputs_of(function).items() if name not in options}
        run_by = command or name.replace("_", "-")
        return cls(name, function, inputs, options, result, source, run_by, measures)

    @property
    def summary(self) -> str:
        """What the procedure finds, in one sentence."""
        return " ".join(self._description()[0].split())

    @property
    def notes(self) -> str:
        """The rest of the description, in paragraphs."""
        return self._description()[2]

    @property
    def signature(self) -> str:
        """The call, with the options and their defaults."""
        options = (p.name if p.required else f"{p.name}={p.default!r}" for p in self.options.values())
        return f"{self.name}({', '.join([*self.inputs, *options])})"

    def _description(self) -> tuple[str, str, str]:
        text = inspect.cleandoc(self.function.__doc__ or f"{self.name}.")
        return text.partition("\n\nParameters\n")[0].partition("\n\n")


registry: dict[str, ProcedureDefinition] = {}
"""All procedures by name."""


@parameters.with_source
def procedure(*, source: str, command: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Register a function as a procedure of meta-evaluation.

    The first arguments are the data: a `ScoreMatrix`, `PooledRuns` or measures. The options follow; each is
    annotated with a kind (`ir_trunc.measures.params`, `ir_trunc.meta.procedures`), as in `seed: Seed = 0`,
    and is checked before the function runs. The function returns a result
    (`ir_trunc._scoring.results.Result`), and its annotation says which. The docstring has a sentence, then
    paragraphs, then the sections Parameters, Returns and Examples.

    Parameters
    ----------
    source : str
        Where the procedure comes from, as "Sakai, SIGIR 2006, https://doi.org/10.1145/1148170.1148261".
    command : str, optional
        The command of `ir_trunc meta` that runs the procedure, by default its name with hyphens. Procedures
        over the same data may share one.

    Returns
    -------
    decorator
        It returns the function with its arguments checked.

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
    source = parameters.text("source", source)

    def register(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__name__
        if name in registry and registry[name].function.__module__ != function.__module__:
            raise ParameterError(f"{name} is the name of another procedure: give yours a name of its own.")
        definition = ProcedureDefinition.of(function, source, command)
        if not (isinstance(definition.result, type) and issubclass(definition.result, Result)):
            raise ParameterError(f"{name} needs a return annotation that is a Result: `-> Agreement`.")
        single = {argument: kinds[0] for argument, kinds in definition.inputs.items() if len(kinds) == 1}
        data = {argument: kind for argument, kind in single.items() if hasattr(kind, "_needed")}
        signature, with_checks = inspect.signature(function), parameters.checked(function)

        @wraps(function)
        def with_data_checked(*args: P.args, **kwargs: P.kwargs) -> R:
            arguments = signature.bind(*args, **kwargs).arguments
            for argument, kind in data.items():
                if argument in arguments:
                    parameters.instance(argument, arguments[argument], kind, kind._needed)
            return with_checks(*args, **kwargs)

        registry[name] = replace(definition, function=with_data_checked)
        return with_data_checked

    return register


def _inputs_of(function: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    """The arguments without a kind, with the types of their annotations."""
    name, hints, inputs = function.__name__, parameters.annotations_of(function), {}
    for argument in inspect.signature(function).parameters.values():
        if argument.kind is argument.VAR_KEYWORD:  # how runs are read
            continue
        if argument.name not in hints:
            raise ParameterError(f"{name}: {argument.name!r} needs an annotation, such as `ScoreMatrix`.")
        hint = hints[argument.name]
        if not hasattr(hint, "__metadata__"):
            inputs[argument.name] = get_args(hint) if len(get_args(hint)) > 1 else (hint,)
        elif not parameters.kind_of(hint):
            such_as = "`seed: Annotated[int, Whole('seed', low=0)]`; ir_trunc.measures.params has the kinds"
            raise ParameterError(f"{name}: option {argument.name!r} needs a kind, such as {such_as}.")
    return inputs


def exports() -> dict[str, Any]:
    """The procedures and their results, by name."""
    functions: dict[str, Any] = {name: each.function for name, each in registry.items()}
    return functions | {each.result.__name__: each.result for each in registry.values()}


class WholeOrAll(parameters.Kind):
    """A whole number from 1 on, or None for all that there are."""

    allowed = "a whole number >= 1, or None for all"

    def clean(self, name: str, value: Any) -> int | None:
        """The number as an int."""
        return None if value is None else parameters.whole(name, value, 1)


class SystemNames(parameters.Kind):
    """Names of systems; at the command line a file with one a line."""

    allowed = "names of systems, in a list"

    def clean(self, name: str, value: Any) -> tuple[str, ...]:
        """The names in their order."""
        systems = parameters.several(name, value, "names of systems")
        names = tuple(parameters.text(name, system) for system in systems)
        if not names:
            raise ParameterError(f"{name} is empty: at least one name is needed.")
        return names


class SystemGroups(parameters.Kind):
    """A group for each system; at the command line a file of lines 'system group'."""

    allowed = "{system: group}"

    def clean(self, name: str, value: Any) -> Mapping[str, str]:
        """The groups as a dict."""
        groups = parameters.mapping(name, value, self.allowed)
        return {system: parameters.text(f"{name}, {shown(system)}", of) for system, of in groups.items()}


class MatrixMeasures(parameters.Kind):
    """Measures of the score matrix, as texts, objects or a list of both."""

    allowed = "measures of the matrix, as a text, an object or a list of both"

    def clean(self, name: str, value: Any) -> list[Any]:
        """The measures one by one; the procedure looks them up in the matrix."""
        return items_of(name, value, "a measure of the matrix", lambda text: [text])


class SingleMeasure(parameters.Kind):
    """A measure, as a text or an object."""

    allowed = "a measure, as a text or an object"

    def clean(self, name: str, value: Any) -> Measure:
        """The measure as an object."""
        measures = items_of(name, value, "a measure")
        if len(measures) != 1:
            raise ParameterError(f"{name}={shown(value)}: one measure is needed, not {len(measures)}.")
        try:
            return parse_measure(measures[0])
        except IrTruncError as error:
            raise type(error)(f"{name}: {error}") from None
