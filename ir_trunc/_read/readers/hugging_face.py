"""Data sets of Hugging Face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ir_trunc._core.errors import InputError
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import Table, reader
from ir_trunc._read.tables import read_of


def _is_dataset(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "datasets" and hasattr(data, "column_names")


@reader(
    "a Hugging Face Dataset with the columns <columns>",
    "run",
    "qrels",
    "topics",
    of="object",
    recognises=_is_dataset,
    columns=True,
)
def hugging_face(data: Any, layout: Layout) -> Table:
    """A split of a data set, as `datasets.load_dataset(..., split=...)` gives it.

    The columns are called as those of frames, or query-id and corpus-id.
    """
    source = layout.source
    if isinstance(data, Mapping):
        raise InputError(f"{source}: it has the splits {', '.join(data)}: give one of them, data[...].")
    if not hasattr(data, "select_columns") or not hasattr(data, "__len__"):
        raise InputError(f"{source} is a stream: a Dataset is needed, which streaming=False gives.")
    known = read_of(data.column_names, layout, source)
    return Table(source, data.select_columns(list(known)).with_format("arrow")[:])
