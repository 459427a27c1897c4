"""`ir_trunc reproduce`: the tables of a paper, computed anew and put beside what is printed."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._cli._arguments import Words, cli_command
from ir_trunc._cli._process import say
from ir_trunc._cli.meta import save_csv
from ir_trunc._core.errors import IrTruncError
from ir_trunc._reproduce.reproduction import PAPERS, reproduce

__all__ = ["main"]

_DECLARED = f"""
paper {"|".join(PAPERS)}  one of the papers below
collections QRELS RUNS ...*  a qrels file and a folder of runs; several collections are averaged
-o --output FILE  also write all cells as CSV
--strict  exit with 1 where a cell differs
"""

_NEEDS = (f"  {name:12}{paper.data or 'no data'}" for name, paper in PAPERS.items())
_PAPERS = "\n".join(["papers, and what they need:", *_NEEDS])


@cli_command("reproduce", _DECLARED, below=_PAPERS)
def _reproduce(args: Words) -> int:
    """Do a paper's tables come out? Each cell is printed and computed, * where the two differ.

    example:
      $ ir_trunc reproduce penas2011
      A cell has the printed figure and the computed one, and * where the two differ.

      Table 3: c@1 and accuracy of four systems
      column           c@1 c(unanswered=0)@1
      ...
    """
    if len(args.collections) % 2:
        raise IrTruncError(f"{args.collections[-1]} has no runs: give QRELS RUNS for each collection.")
    collections = list(zip(args.collections[::2], args.collections[1::2]))
    reproduction = reproduce(args.paper, *collections)
    if args.output:
        save_csv(args.output, reproduction.cells, None)
    titles = PAPERS[args.paper].titles
    say("A cell has the printed figure and the computed one, and * where the two differ.\n")
    for title in reproduction.cells["table"].unique():
        say(f"{title}: {titles[title]}\n{reproduction.table(title).to_string()}\n")
    say(reproduction.heading)
    return int(args.strict and not reproduction.same.all())


def main(words: Sequence[str]) -> int:
    """`ir_trunc reproduce PAPER [QRELS RUNS ...]`, or the papers that there are."""
    if words:
        return _reproduce(words)
    print(_PAPERS)
    return 0
