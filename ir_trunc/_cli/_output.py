"""Formats of scores at the command line: a table to read, tab-separated, CSV, JSON Lines, Markdown."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from ir_trunc._core.errors import ParameterError, printable
from ir_trunc._core.lazy import pd
from ir_trunc._output.files import output_file
from ir_trunc._output.tables import WIDTH, aligned_text, csv_text, markdown_table, number_text, table_text

if TYPE_CHECKING:
    from ir_trunc._scoring.results import Results

Row = tuple[Any, ...]
"""Run and topic (or view of the topics), each where it is a column; measure; value."""

Writer = Callable[[Iterable[Row], Sequence[str], int, TextIO], None]


def _value_text(value: float, places: int) -> str:
    """A value with that many decimal places, or with all of them for -1; counts have none."""
    return str(value) if isinstance(value, int) else number_text(value, places)


def write_tsv(rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """The table of several runs, tab-separated; of one run, the lines of the `ir_measures` command."""
    lines: Iterable[Sequence[str]]
    if "run" in columns:
        lines = _by_measure(rows, columns, places)
    else:
        lines = ([*names, _value_text(value, places)] for *names, value in rows)
    # A tab or a line end in a name would begin the next cell.
    escaped = {ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}
    for line in lines:
        print(*(cell.translate(escaped) for cell in line), sep="\t", file=out)


def _by_measure(rows: Iterable[Row], columns: Sequence[str], places: int) -> list[list[str]]:
    """A header and a row for each run and topic, a column for each measure; or measures in rows."""
    names = columns[:-2]
    if not names:
        return [["measure", "value"], *([measure, _value_text(value, places)] for measure, value in rows)]
    table: dict[tuple[str, ...], dict[str, str]] = {}
    for *key, measure, value in rows:
        table.setdefault(tuple(key), {})[measure] = _value_text(value, places)
    measures = dict.fromkeys(measure for values in table.values() for measure in values)
    lines = ([*key, *(values.get(measure, "") for measure in measures)] for key, values in table.items())
    return [[*names, *measures], *lines]


def write_table(rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """Columns that line up. Those that do not fit continue below, with the names of the rows once more."""
    width = shutil.get_terminal_size().columns if out.isatty() else WIDTH
    print(aligned_text(_by_measure(rows, columns, places), max(1, len(columns) - 2), width), file=out)


def write_markdown(rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """A table in Markdown, as GitHub and notebooks show it."""
    lines = (
        [re.sub(r"([\\|`*_<>])", r"\\\1", printable(cell)) for cell in line]
        for line in _by_measure(rows, columns, places)
    )
    out.write(markdown_table(next(lines), lines, max(1, len(columns) - 2)))


def write_csv(rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """A header, and one line for each value."""
    lines = ([*names, _value_text(value, places)] for *names, value in rows)
    csv.writer(out, lineterminator="\n").writerows(chain([columns], lines))


def write_jsonl(rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """One JSON object for each value, with all its places; null where there is none."""
    for row in rows:
        print(_json(dict(zip(columns, map(_finite, row)))), file=out)


def write_list(rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """The same as one JSON list."""
    print(_json([dict(zip(columns, map(_finite, row))) for row in rows]), file=out)


_json = partial(json.dumps, ensure_ascii=False)


FORMATS: dict[str, Writer] = {
    "table": write_table,
    "tsv": write_tsv,
    "csv": write_csv,
    "jsonl": write_jsonl,
    "json": write_list,
    "markdown": write_markdown,
}


def table_lines(table: pd.DataFrame, form: str, places: int | None) -> str:
    """A table as text, CSV, TSV, JSON Lines or JSON."""
    if form == "table":
        return f"{table_text(table, places, every_row=True)}\n"
    if form not in ("jsonl", "json"):
        return csv_text(table, places, "," if form == "csv" else "\t")
    # JSON has no NaN and no infinity.
    rows = [{name: _finite(value) for name, value in row.items()} for row in table.to_dict("records")]
    return "".join(f"{_json(part)}\n" for part in ([rows] if form == "json" else rows))


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def write_explanations(scored: Iterable[tuple[str, Results]], topic: str, args: argparse.Namespace) -> None:
    """Why a topic has its scores in each run under each measure: as text, or as rows of one table."""
    form, places = form_and_places(args)
    each = {(name, str(m)): results.explain(topic, m) for name, results in scored for m in results.measures}
    several = len({name for name, _ in each}) > 1
    with printing(args.output) as out:
        if form != "table" and (args.format or args.output):
            rows = pd.concat({key: why.to_pandas() for key, why in each.items()}, names=["run", "measure"])
            out.write(table_lines(rows.reset_index(), form, places))
        else:
            names = [f"{printable(name)}: " if several else "" for name, _ in each]
            out.write("\n".join(f"{name}{why.report(places)}\n" for name, why in zip(names, each.values())))


OF_PAPERS = ("latex", "html")
"""Forms that only a comparison has."""
# Of files; other forms are those of their names.
_ENDINGS = {"tex": "latex", "md": "markdown", "txt": "table"}


@contextmanager
def printing(path: str | None) -> Iterator[TextIO]:
    """Where an output is written: standard output, or a file that appears once it is complete."""
    if path is None or path == "-":
        yield sys.stdout
        return
    with output_file(path) as file:
        out = io.TextIOWrapper(cast(BinaryIO, file), "utf-8", "backslashreplace", "")
        yield out
        out.detach()


def form_and_places(args: argparse.Namespace, papers: bool = False) -> tuple[str, int]:
    """The form of the output, and the decimal places. papers: whether forms for papers are among them."""
    form = args.format or _form_of(args.output)
    if form in OF_PAPERS and not papers:
        raise ParameterError(f"{args.output} would be {form}, which only 'ir_trunc compare' writes.")
    if form in ("jsonl", "json") and args.places is not None:
        raise ParameterError(f"{form} has all decimal places: leave --places (-p) out.")
    return form, 4 if args.places is None else args.places


def _form_of(path: str | None) -> str:
    """The form of an output that nobody named: by the ending of its file; a table to read on a terminal."""
    if path is None or path == "-":
        return "table" if sys.stdout.isatty() else "tsv"
    ending = os.path.splitext(path.removesuffix(".gz"))[1][1:]
    form = _ENDINGS.get(ending, ending)
    return form if form in (*FORMATS, *OF_PAPERS) else "tsv"
