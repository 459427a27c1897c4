"""Decisions between yes, no and no answer, as qrels and run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ir_trunc._core.errors import InputError, IrTruncError, shown, warn
from ir_trunc._core.parameters import number
from ir_trunc._read.arrow import one_id
from ir_trunc._read.registry import shape_of
from ir_trunc._read.tables import column_names, columns_by_name
from ir_trunc._read.text import json_content

_IDS = ("id", "query_id", "qid")
_ANSWERS = ("value", "answer", "score")
_TRUTHS = ("same", "truth", "value", "label")
_FORMS = "a path of JSON or JSON lines, {id: value}, a list of dicts or a frame with the columns id and value"


class Decisions(NamedTuple):
    """Decisions as qrels and run: `calc("c@1", *decisions)`.

    Attributes
    ----------
    qrels : dict
        For each question the right answer, 'yes' with relevance 2 (the positive class of
        `F05u(positive=2)`) or 'no' with relevance 1; the other answer has relevance 0.
    run : dict
        For each question its answer, scored by the distance of the value from the threshold; {} is silence.
    """

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]


MIDDLE = 0.5  # of answers that are probabilities


def read_decisions(answers: Any, truth: Any, threshold: float = MIDDLE) -> Decisions:
    """The qrels and the run of a system that answers questions by yes, no or nothing; see `read_log`."""
    threshold = number("threshold", threshold)
    right = {name: _truth(value, name) for name, value in _values(truth, "truth", _TRUTHS).items()}
    values = {name: _value(value, name) for name, value in _values(answers, "answers", _ANSWERS).items()}
    if not right:
        raise InputError("truth: there is no question; at least one is needed.")
    missing = [name for name in right if name not in values]
    if missing:
        what = f"{len(missing)} of {len(right)} questions have no answer (for example question {missing[0]})"
        warn(f"answers: {what}; they count as left open.")
    far = [name for name, value in values.items() if value is not None and not 0 <= value <= 1]
    if far and threshold == MIDDLE:
        what = f"question {far[0]} has the value {values[far[0]]:g}, one of {len(far)} that are not in 0 to 1"
        warn(f"answers: {what}; is threshold={threshold:g}, which divides yes from no, on their scale?")
    qrels = {name: {"yes": 2, "no": 0} if yes else {"yes": 0, "no": 1} for name, yes in right.items()}
    run: dict[str, dict[str, float]] = {name: {} for name in [*values, *missing]}
    for name, value in values.items():
        if isinstance(value, bool):
            run[name] = {"yes" if value else "no": 1.0}
        elif value is not None and value != threshold:
            run[name] = {"yes" if value > threshold else "no": abs(value - threshold)}
    return Decisions(qrels, run)


def _value(value: Any, name: str) -> float | bool | None:
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    try:
        return number("value", value)
    except IrTruncError:
        what = "a finite number, True, False or None is needed"
        raise InputError(f"answers, question {name}: {shown(value)}: {what}.") from None


def _truth(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_, Real)) or value not in (0, 1):
        raise InputError(f"truth, question {name}: {shown(value)}: True or False is needed.")
    return bool(value)


def _values(data: Any, what: str, names: tuple[str, ...]) -> dict[str, Any]:
    """The value of every question; a list of one value stands for the value."""
    source = what
    if shape_of(data) == "path":
        source = f"{what} {os.fspath(data)}"
        data = _from_json(data, source)
    shape = shape_of(data)
    if shape == "mapping":
        pairs = list(data.items())
    elif shape == "frame":
        table = columns_by_name(data, source)
        columns = [table[_field(column_names(table), allowed, source)] for allowed in (_IDS, names)]
        pairs = list(zip(*(c.to_pylist() if hasattr(c, "to_pylist") else list(c) for c in columns)))
    elif shape == "list":
        pairs = []
        for number, item in enumerate(data):
            place = f"{source}, item {number}"
            if not isinstance(item, Mapping):
                needed = f"a dict with id and {names[0]} is needed, not {type(item).__name__}"
                raise InputError(f"{place}: {needed}.")
            pairs.append((item[_field(list(item), _IDS, place)], item[_field(list(item), names, place)]))
    else:
        raise InputError(f"{what} of type {type(data).__name__}: {_FORMS} is needed.")
    values: dict[str, Any] = {}
    for key, value in pairs:
        name = one_id(key, "id", source)
        if name in values:
            raise InputError(f"{source}: question {name} is given twice.")
        while isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        values[name] = value
    return values


def _from_json(path: str | os.PathLike[str], source: str) -> Any:
    content = json_content(path, source)
    is_question = isinstance(content, Mapping) and any(name in content for name in _IDS)
    return [content] if is_question else content


def _field(names: list[Any], allowed: tuple[str, ...], place: str) -> Any:
    """The first allowed name that there is."""
    name = next((name for name in allowed if name in names), None)
    if name is None:
        raise InputError(
            f"{place}: {' or '.join(allowed)} is missing; there is: {', '.join(map(str, names))}."
        )
    return name
