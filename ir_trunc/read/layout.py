"""The fields of a line, of qrels and of runs: which are read, and as what."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Literal

from ir_trunc.core.errors import InputError
from ir_trunc.read.arrow import pa
from ir_trunc.read.reading import DEFAULT, Reading

Kind = Literal["run", "qrels", "answers", "topics"]
ValueType = Literal["int64", "double", "string"]

COMMENT = b"#"  # begins a line that is not read, as in trec_eval 10
RANK, MARK = "rank", "Q0"  # columns of a run that are read where they decide


@dataclass(frozen=True)
class Layout:
    """The fields of a line."""

    kind: Kind
    fields: tuple[str, ...]
    value: str
    value_type: ValueType
    by_class: str | None = None
    reading: Reading = DEFAULT

    @property
    def columns(self) -> dict[str, pa.DataType]:
        """The fields that are read, and their types."""
        ids = {"query_id": pa.dictionary(pa.int32(), pa.string()), "doc_id": pa.string()}
        others = {self.by_class: pa.string()} if self.by_class else {}
        if self.reading.order == "rank":
            others[RANK] = pa.int64()
        if self.reading.stop is not None:
            others[MARK] = pa.string()
        return ids | {self.value: pa.type_for_alias(self.value_type)} | others

    @property
    def named(self) -> str:
        """The names of the fields that are read."""
        return ", ".join(self.fields if self.kind == "topics" else self.columns)

    def source(self, path: str | os.PathLike[str]) -> str:
        """What to call a file of this layout in a message."""
        return f"{self.kind} {os.fspath(path)}"


RUN = Layout("run", ("query_id", MARK, "doc_id", RANK, "score", "tag"), "score", "double")
QRELS = Layout("qrels", ("query_id", "iteration", "doc_id", "relevance"), "relevance", "int64")
TOPICS = Layout("topics", ("query_id",), "topic", "string")
ANSWERS = Layout("answers", QRELS.fields, "relevance", "int64", by_class="iteration")


def run_layout(reading: Reading) -> Layout:
    """The layout of a run that is read in this way."""
    return replace(RUN, reading=reading)


def nothing_in(source: str, layout: Layout) -> InputError:
    """The error about a file without lines."""
    return InputError(f"{source} is empty: lines of the form '{' '.join(layout.fields)}' are needed.")
