"""Samples of ragas: which contexts were retrieved for a question, and which should have been."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ir_trunc._core.errors import InputError
from ir_trunc._read.arrow import one_id, pa
from ir_trunc._read.readers.memory import dicts, relevant_ids
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import Table, reader, shape_of
from ir_trunc._read.rows import Rows

_FIELDS = {"run": "retrieved_context_ids", "qrels": "reference_context_ids"}


def _value(sample: Any, name: str) -> Any:
    return sample.get(name) if isinstance(sample, Mapping) else getattr(sample, name, None)


def _are_samples(data: Any) -> bool:
    if shape_of(data) == "frame":
        columns = getattr(data, "column_names", getattr(data, "columns", ()))
        return "user_input" in columns and not {*_FIELDS.values()}.isdisjoint(columns)
    data = getattr(data, "samples", data)
    first = next(iter(data), None) if hasattr(data, "__len__") else None
    is_sample = _value(first, "user_input") is not None
    return is_sample and any(
        _value(first, name) is not None
        for name in (*_FIELDS.values(), "retrieved_contexts", "reference_contexts")
    )


@reader(
    "samples of ragas with user_input, retrieved_context_ids and reference_context_ids",
    "run",
    "qrels",
    recognises=_are_samples,
    called="samples of ragas",
)
def ragas_samples(data: Any, layout: Layout) -> Table | Iterable[Rows]:
    """One sample for each question, whose text is the topic; the order of the retrieved ids is their rank.

    The reference ids are relevant. Texts without ids (`retrieved_contexts`) cannot be compared.
    """
    name = _FIELDS[layout.kind]
    samples = getattr(data, "samples", data)
    if shape_of(data) == "frame":
        is_arrow = hasattr(data, "__arrow_c_stream__")
        samples = pa.table(data).to_pylist() if is_arrow else data.to_dict("records")
    lists: dict[str, list[Any]] = {}
    for number, sample in enumerate(samples):
        place = f"{layout.source}, sample {number}"
        topic, ids = one_id(_value(sample, "user_input"), "user_input", place), _value(sample, name)
        if not isinstance(ids, (list, tuple)) and not hasattr(ids, "tolist"):
            raise InputError(f"{place}: {name} is missing: a list of ids is needed, [] where there are none.")
        if topic in lists:
            raise InputError(f"{place}: the user_input {topic!r} is in two samples; each needs its own.")
        lists[topic] = list(ids)
    return dicts.read(lists, layout) if layout.kind == "run" else relevant_ids.read(lists, layout)
