"""Measures as text: `Name(param=value, ...)@k`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from ir_trunc._core.errors import ParameterTypeError, UnknownMeasureError, shown

_FORM = "Name, Name@k or Name(param=value, ...)@k"


def parse(text: str) -> tuple[str, dict[str, Any], int | None]:
    """The name, the parameters and the cutoff that a measure's text holds."""

    def refuse(problem: str) -> UnknownMeasureError:
        return UnknownMeasureError(f"{text!r} is not a measure: {problem}; {_FORM} is needed.")

    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise refuse("it cannot be read") from None
    cutoff = None
    try:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            cutoff = ast.literal_eval(node.right)
            node = node.left
        params = {}
        if isinstance(node, ast.Call):
            if node.args or any(keyword.arg is None for keyword in node.keywords):
                raise refuse("parameters need names")
            if len({keyword.arg for keyword in node.keywords}) < len(node.keywords):
                raise refuse("a parameter is given twice")
            params = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
            node = node.func
    except (ValueError, TypeError) as error:
        if isinstance(error, UnknownMeasureError):
            raise
        raise refuse(
            "a value must be a number, a word in quotes, True, False, None or a {grade: gain} map"
        ) from None
    if not isinstance(node, ast.Name):
        raise refuse("it does not begin with a name")
    return node.id, params, cutoff


def split(text: str) -> list[str]:
    """The measures in a text that are separated by blanks; blanks inside brackets separate nothing."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text + " "):
        depth += (char in "([{") - (char in ")]}")
        if char.isspace() and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in parts if part] + ([text[start:]] if text[start:].strip() else [])


def items_of(name: str, given: Any, needed: str, parts_of: Callable[[str], list[str]] = split) -> list[Any]:
    """The items of an argument that takes a text, an object, or a list of both.

    name: of the argument. needed: what it takes, in words. parts_of: what takes a text apart, by default at
    its blanks.
    """
    if isinstance(given, str):
        return parts_of(given)
    single = isinstance(given, (bytes, int, float)) or getattr(given, "ndim", None) == 0
    if given is None or single or hasattr(given, "itertuples"):
        raise ParameterTypeError(
            f"{name}={shown(given)} is {type(given).__name__}: {needed} is needed, or a list of these."
        )
    if not isinstance(given, Iterable):
        return [given]
    return [part for item in given for part in (parts_of(item) if isinstance(item, str) else [item])]
