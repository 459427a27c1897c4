"""How the command line prints scores.

The forms are a table to read, lines as ir-measures prints them, csv, JSON lines and Markdown.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NoReturn, TextIO, cast

from ir_trunc._core.errors import printable, warn
from ir_trunc._output.files import output_file
from ir_trunc._output.tables import WIDTH, aligned_text, fitted, markdown_table, number_text
from ir_trunc.scoring.results import Results

_OF_IR_MEASURES = {"--output-format": "--format"}

Row = tuple[str, str, str, float]  # run, topic (or view of the topics), measure, value
Writer = Callable[[Iterable[Row], Sequence[str], int, TextIO], None]


class Help(argparse.HelpFormatter):
    """Help whose texts keep their lines; one that is too long goes on below, in its last column."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        columns = (re.match(r"\s*(\S.*?\s{2,}(?=\S))?", line) for line in text.splitlines())
        starts = [min(found.end(), 40) if found else 0 for found in columns]
        return "\n".join(fitted(line, start) for line, start in zip(text.splitlines(), starts))


def show(text: str) -> None:
    """Print a text; a line that is too long for a terminal goes on below, further in."""
    for line in text.splitlines():
        print(fitted(line, len(line) - len(line.lstrip()) + 2))


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that says in one line what is wrong, and takes `--by_query` for `--by-query`."""

    def __init__(self, **options: Any):
        super().__init__(**{"formatter_class": Help} | options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words, as argparse does."""
        words = sys.argv[1:] if args is None else args
        return super().parse_known_args([_hyphenated(word) for word in words], namespace)

    def error(self, message: str) -> NoReturn:
        """Print the line and exit."""
        self.exit(2, printable(f"{self.prog}: {message}; see '{self.prog} --help'.") + "\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse would say nothing where that fails


def _hyphenated(word: str) -> str:
    """A flag as it is written here; the `ir_measures` command writes --by_query."""
    flag, equals, value = word.partition("=")
    if not re.fullmatch("--[a-z_-]+", flag):
        return word
    flag = flag.replace("_", "-")
    return _OF_IR_MEASURES.get(flag, flag) + equals + value


def rows_of(name: str, results: Results, by_query: bool, means: bool) -> Iterator[Row]:
    """The scores of one run by topic, and their means."""
    texts = [str(measure) for measure in results.measures]
    if by_query:
        for topic, values in zip(results.topics, results.values.T.tolist()):
            yield from ((name, topic, text, value) for text, value in zip(texts, values))
    if means:
        label = _summary_of(results.topics) if by_query else "all"
        yield from ((name, label, text, value) for text, value in zip(texts, results.aggregated.values()))


def _summary_of(topics: Sequence[str]) -> str:
    """What the means are called among the scores of topics, none of which is called so."""
    label = "all"
    while label in topics:
        label += " topics"
    if label != "all":
        warn(f"a topic is called 'all'; the means of all topics are those of {label!r}.")
    return label


def views_of(name: str, results: Results) -> Iterator[Row]:
    """Means over all topics, over those with answers and over nil queries, and how the system abstained.

    Where a list of the run holds the document NIL: what it was taken for, and how many lists hold it.
    """
    for view, part in results.views().items():
        abstention = part.abstention
        yield (name, view, "topics", abstention.topics)
        yield (name, view, "silent", abstention.silent)
        if results.rankings.nil and part.rankings.nil is not None:
            yield (name, view, f"nil={part.rankings.nil.convention}", len(part.rankings.nil))
        yield from ((name, view, str(measure), value) for measure, value in part.aggregated.items())
    yield (name, "silence", "precision", results.abstention.precision)
    yield (name, "silence", "recall", results.abstention.recall)


def _fields(row: Row, columns: Sequence[str]) -> dict[str, Any]:
    fields = zip(("run", "query_id", "measure", "value"), row)
    return {name: field for name, field in fields if name in columns}


def number(value: float, places: int) -> str:
    """A value with that many decimal places, or with all of them for -1; counts have none."""
    return str(value) if isinstance(value, int) else number_text(value, places)


def write_tsv(rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """Lines of tab-separated fields; means of several runs as a table with a row for each run."""
    if columns == ["run", "measure", "value"]:
        for line in _by_measure(rows, columns, places):
            print(*map(_cell, line), sep="\t", file=out)
        return
    for row in rows:
        *names, value = _fields(row, columns).values()
        print(*map(_cell, names), number(value, places), sep="\t", file=out)


def _cell(name: str) -> str:
    """A name where a tab or a line end would begin the next cell."""
    return name.translate({ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"})


def _by_measure(rows: Iterable[Row], columns: Sequence[str], places: int) -> list[list[str]]:
    """A header and a row for each run and topic, with a column for each measure.

    Of one run without topics there is a row for each measure.
    """
    names = [name for name in columns if name in ("run", "query_id")]
    if not names:
        return [["measure", "value"], *([measure, number(value, places)] for _, _, measure, value in rows)]
    table: dict[tuple[str, ...], dict[str, str]] = {}
    measures: dict[str, None] = {}
    for row in rows:
        fields = _fields(row, columns)
        measures[row[2]] = None
        table.setdefault(tuple(fields[name] for name in names), {})[row[2]] = number(row[3], places)
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
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        *names, value = _fields(row, columns).values()
        writer.writerow([*names, number(value, places)])


def write_jsonl(rows: Iterable[Row], columns: Sequence[str], places: int, out: TextIO) -> None:
    """One JSON object for each value, with all its places; null where there is none."""
    for row in rows:
        fields = {name: None if value != value else value for name, value in _fields(row, columns).items()}
        print(json.dumps(fields, ensure_ascii=False), file=out)


FORMATS: dict[str, Writer] = {
    "table": write_table,
    "tsv": write_tsv,
    "csv": write_csv,
    "jsonl": write_jsonl,
    "markdown": write_markdown,
}
_ENDINGS = {".md": "markdown", ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".txt": "table"}


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


def form_of(path: str | None) -> str:
    """The form of an output that nobody named: by the ending of its file; a table to read on a terminal."""
    if path is None or path == "-":
        return "table" if sys.stdout.isatty() else "tsv"
    return next((form for end, form in _ENDINGS.items() if path.removesuffix(".gz").endswith(end)), "tsv")
