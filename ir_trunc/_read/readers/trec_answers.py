"""Ranked answers of TREC's question answering tracks up to 2001, and their judgments.

The fields of runs are those that Aranea writes (Jimmy Lin, https://cs.uwaterloo.ca/~jimmylin/downloads,
ConvertToTREC), and the numbers of judgments those of NIST
(https://trec.nist.gov/data/qa/2005_qadata/README.list+other.results).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ir_trunc._core.errors import InputError, counted, warn
from ir_trunc._read.readers.trec import has_answers, rows_in
from ir_trunc._read.reading import RANK, RUN, Layout
from ir_trunc._read.registry import File, Table, reader
from ir_trunc._read.text import decoded, numbered_lines, parts

_NIL = "NIL"
_GRADES = {"-1": 0, "1": 1, "2": 0, "3": 0}  # wrong, right, unsupported by the document, inexact


def _are_judgments(data: File) -> bool:
    rows = rows_in(data.start)
    judged = all(len(row) > 2 and row[2].decode(errors="replace") in _GRADES for row in rows[:-1] or rows)
    return judged and any(len(row) > len(("topic", "document", "judgment", "answer")) for row in rows)


def _lines(data: str | os.PathLike[str], source: str, least: int) -> Iterator[tuple[str, list[str]]]:
    """The place of each line, and its fields: so many, and then the answer."""
    for place, line in numbered_lines(parts(data, source), source):
        fields = decoded(line, f"{place}: the text is").split(None, least)
        if "".join(fields[:1]).startswith("#"):  # a comment
            continue
        if len(fields) < least:
            raise InputError(f"{place}: {counted(len(fields), 'field')}; {least} and an answer are needed.")
        yield place, [*fields[:least], " ".join("".join(fields[least:]).split())]


def _pair(doc: str, answer: str) -> str:
    """What is judged: an answer with its document. NIL is NIL, whatever stands behind it."""
    return doc if doc == _NIL or not answer else f"{doc} {answer}"


@reader("a path of TREC lines 'question Q0 document rank score tag answer'", "run", recognises=has_answers)
def answer_run(data: str | os.PathLike[str], layout: Layout) -> Table:
    """As TREC-8 to TREC 2001 had them. A document of the list is a document with an answer, in the order of
    the ranks; `order="rank"` keeps the scores, too."""
    columns: dict[str, list[Any]] = {name: [] for name in ("query_id", "doc_id", RANK, "score")}
    for place, (topic, _, doc, rank, score, _, answer) in _lines(data, layout.source, len(RUN.fields)):
        try:
            numbers = int(rank), float(score) if layout.reading.order == RANK else -float(rank)
        except ValueError:
            raise InputError(f"{place}: rank {rank!r} and score {score!r}: numbers are needed.") from None
        for name, value in zip(columns, (topic, _pair(doc, answer), *numbers)):
            columns[name].append(value)
    return Table(layout.source, columns)


@reader("a path of TREC lines 'question document judgment answer'", "qrels", recognises=_are_judgments)
def answer_judgments(data: str | os.PathLike[str], layout: Layout) -> Table:
    """As TREC-8 to TREC 2001 had them: a document with an answer is wrong (-1), right (1), or right without
    support by the document (2), which counts as wrong; `levels={"2": 1}` counts it as right (lenient)."""
    grades, unsupported = _GRADES | dict(layout.levels or {}), 0
    columns: dict[str, list[Any]] = {name: [] for name in ("query_id", "doc_id", layout.value)}
    for place, (topic, doc, judgment, answer) in _lines(data, layout.source, 3):
        if judgment not in grades:
            raise InputError(f"{place}: judgment {judgment!r}: one of {', '.join(grades)} is needed.")
        unsupported += judgment == "2"
        for name, value in zip(columns, (topic, _pair(doc, answer), grades[judgment])):
            columns[name].append(value)
    if unsupported and "2" not in (layout.levels or {}):
        what = f"{counted(unsupported, 'answer')} that the document does not support count as wrong (strict)"
        warn(f"{layout.source}: {what}; levels={{'2': 1}} (--levels 2=1) counts them as right (lenient).")
    return Table(layout.source, columns)
