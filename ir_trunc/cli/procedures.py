"""Options of procedures as arguments of the command line: flags, help and values follow from their kinds."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ir_trunc._core.errors import InputError
from ir_trunc._core.parameters import Several
from ir_trunc._read.text import contents
from ir_trunc.measures.params import Flag, Number, Param, Text
from ir_trunc.meta.declare import ProcedureDefinition
from ir_trunc.meta.options import Groups, Measures, Names


def add_options(parser: argparse.ArgumentParser, procedures: Sequence[ProcedureDefinition]) -> None:
    """Add a flag for every option; procedures that have one of the same name share it.

    Where there is one procedure, its required options are required; of several, one is left out whose
    required options are not given.
    """
    alone = len(procedures) == 1
    for name in dict.fromkeys(name for known in procedures for name in known.options):
        having = [known for known in procedures if name in known.options]
        option = having[0].options[name]
        told = {default_of(known.options[name]) for known in having}
        about = f"{option.kind.meaning}{told.pop() if len(told) == 1 else ''}"
        only = f"{having[0].name}: " if option.required and not alone else ""
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            dest=name,
            default=argparse.SUPPRESS,
            required=option.required and alone,
            help=f"{only}{about}".replace("%", "%%"),
            **_form(option),
        )


def default_of(option: Param) -> str:
    """An option's default, in words."""
    if option.required or option.default is None:
        return ""
    several = isinstance(option.default, (tuple, list))
    value = ",".join(map(str, option.default)) if several else option.default
    return f" (default {value})"


def _form(option: Param) -> dict[str, Any]:
    """What argparse needs to know of a kind."""
    kind = option.kind
    if isinstance(kind, Flag):
        return {"action": argparse.BooleanOptionalAction}
    if isinstance(kind, Measures):
        return {"nargs": "+", "metavar": "MEASURE"}
    if isinstance(kind, (Names, Groups)):
        return {"metavar": "FILE"}
    if isinstance(kind, Several):
        return {"metavar": f"{_metavar(kind.each)},...", "type": _several}
    if isinstance(kind, Text) or hasattr(kind, "words"):
        return {"metavar": _metavar(kind)}
    return {"metavar": _metavar(kind), "type": _value}


def _metavar(kind: Any) -> str:
    if words := getattr(kind, "words", ()):
        return "|".join(words)
    return "WORD" if isinstance(kind, Text) else "X" if isinstance(kind, Number) else "N"


def _value(text: str) -> Any:
    """A number or another plain value; anything else stays text, which the option then refuses."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _several(text: str) -> tuple[Any, ...]:
    return tuple(map(_value, text.split(",")))


def given_options(args: argparse.Namespace, procedure: ProcedureDefinition) -> dict[str, Any] | None:
    """The options that are given, as the procedure takes them; None where a required one is not.

    Raises ParameterError for a value that is not allowed, before any work.
    """
    found: dict[str, Any] = {name: getattr(args, name) for name in procedure.options if hasattr(args, name)}
    if any(option.required and name not in found for name, option in procedure.options.items()):
        return None
    for name, option in procedure.options.items():
        if name in found and isinstance(option.kind, (Names, Groups)):
            found[name] = option.kind.of_rows(_rows(found[name], option.kind.fields))
    return procedure.clean(found)


def named_measures(args: argparse.Namespace, procedures: Iterable[ProcedureDefinition]) -> list[str]:
    """Measures that options name."""
    options = [option for known in procedures for option in known.options.values()]
    naming = [option.name for option in options if isinstance(option.kind, Measures)]
    return [measure for name in naming for measure in getattr(args, name, ())]


def _rows(path: str, count: int) -> list[list[str]]:
    """The lines of a file that hold `count` fields each; empty ones are left out."""
    lines = contents(Path(path), path).splitlines()
    rows = [
        [field.decode(errors="backslashreplace") for field in line.split()] for line in lines if line.strip()
    ]
    for row in rows:
        if len(row) != count:
            raise InputError(f"{path}: the line {' '.join(row)!r} has {len(row)} fields; {count} are needed.")
    return rows
