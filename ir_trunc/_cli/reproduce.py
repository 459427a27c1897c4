"""`ir_trunc reproduce`: the tables of a paper, computed anew and put beside what is printed."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._cli._arguments import OneLineParser
from ir_trunc._core.errors import IrTruncError
from ir_trunc._output.files import check_outputs, write_text
from ir_trunc._output.tables import csv_text
from ir_trunc._reporting.reproduction import PAPERS, reproduce

__all__ = ["main"]

_OPTIONS = """
-o --output FILE  also write all cells as CSV
--strict  exit with 1 where a cell differs
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc reproduce PAPER [QRELS RUNS ...]`."""
    parser = _parser()
    if not words:
        print("papers, and what they need:", *_papers(), sep="\n")
        return 0
    args = parser.read(words)
    if len(args.collections) % 2:
        raise IrTruncError(f"{args.collections[-1]} has no runs: give QRELS RUNS for each collection.")
    check_outputs([args.output] if args.output else [], args.collections)
    collections = list(zip(args.collections[::2], args.collections[1::2]))
    reproduction = reproduce(args.paper, *collections)
    if args.output:
        write_text(args.output, [csv_text(reproduction.cells, None)])
    titles = PAPERS[args.paper].titles
    print("A cell has the printed figure and the computed one, and * where the two differ.\n")
    for title in reproduction.cells["table"].unique():
        print(f"{title}: {titles[title]}\n{reproduction.table(title).to_string()}\n")
    print(reproduction.heading)
    return int(args.strict and not reproduction.same.all())


def _papers() -> list[str]:
    return [f"  {name:12}{paper.data or 'no data'}" for name, paper in PAPERS.items()]


def _parser() -> OneLineParser:
    about = "The tables of a paper: each cell printed and computed, * where the two differ."
    papers = ["papers, and what they need:", *_papers()]
    usage = "PAPER [QRELS RUNS ...] [options]"
    parser = OneLineParser("reproduce", usage, about, "\n".join(papers), options=_OPTIONS)
    parser.add_argument("paper", choices=tuple(PAPERS), metavar="PAPER", help=", ".join(PAPERS))
    about = "a qrels file and a folder of runs; several collections are averaged"
    parser.add_argument("collections", nargs="*", metavar="QRELS RUNS", help=about)
    return parser
