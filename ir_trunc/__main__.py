"""The command line: score runs, list the measures, show the demonstration, evaluate the measures themselves."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from ir_measures import Measure

import ir_trunc
from ir_trunc.errors import IrTruncError, UnknownMeasureError
from ir_trunc.io import read_qrels
from ir_trunc.measures.text import split
from ir_trunc.output import FORMATS, OneLineParser, write_runs
from ir_trunc.provider import parse_measure
from ir_trunc.scoring import iter_compare, parse_measures

# The first word, and the module that has the command's main; any other first word is the qrels of runs to score.
_COMMANDS = {"measures": "listing", "demo": "demo", "meta": "meta.command"}

_EXAMPLES = """
examples:
  ir_trunc qrels.txt my.run.gz nDCG@10 'RBPT(p=0.8)' OIE
  ir_trunc trec-robust04 runs/*.gz RBPT c@1 -o csv     qrels by their ir_datasets id, several runs
  ir_trunc measures RBPT                               what a measure is
  ir_trunc demo                                        the point of it all, on a small collection
  ir_trunc meta power qrels.txt runs/ AP nDCG@10       which measure tells systems apart
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    warnings.showwarning = _show_warning
    try:
        command = _COMMANDS.get(words[0]) if words else None
        if command is None:
            return score(words)
        status: int = import_module(f"ir_trunc.{command}").main(words[1:])
        return status
    except (IrTruncError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more as it ends
            return 1
        print(f"ir_trunc: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def score(words: Sequence[str]) -> int:
    """`ir_trunc QRELS RUN [RUN ...] MEASURE ...`."""
    args = _parser().parse_intermixed_args(words)
    runs, measures = _runs_and_measures(args.arguments)
    if args.no_summary and not args.by_query:
        raise IrTruncError("--no_summary (-n) needs --by_query (-q): without either there is nothing to print.")
    scored = iter_compare(measures, read_qrels(args.qrels), runs)
    write_runs(scored, len(runs), FORMATS[args.output_format], args.places, args.by_query, not args.no_summary)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="ir_trunc",
        usage="ir_trunc QRELS RUN [RUN ...] MEASURE [MEASURE ...] [options]\n"
        "       ir_trunc measures [NAME]\n"
        "       ir_trunc demo\n"
        "       ir_trunc meta power|pools|stability|properties|guide|calibrate",
        description="Evaluation of rankings whose length is a decision of the system.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("qrels", metavar="QRELS", help="TREC qrels file, or the id of an ir_datasets data set")
    parser.add_argument("arguments", metavar="RUN ... MEASURE ...", nargs="+", help="TREC run files, then measures")
    parser.add_argument("-q", "--by_query", action="store_true", help="scores by topic")
    parser.add_argument("-n", "--no_summary", action="store_true", help="with -q: leave the means out")
    parser.add_argument("-p", "--places", type=int, default=4, metavar="N", help="decimal places, -1 for all (default 4)")
    parser.add_argument("-o", "--output_format", choices=FORMATS, default="tsv", help="default: tsv")
    parser.add_argument("--version", action="version", version=f"ir_trunc {ir_trunc.__version__}")
    return parser


def _runs_and_measures(arguments: Sequence[str]) -> tuple[list[str], tuple[Measure, ...]]:
    """The first argument is a run, as with ir-measures; so are further files, up to the first measure."""
    at = 1
    while at < len(arguments) and _is_run(arguments[at]):
        at += 1
    if at == len(arguments):
        raise IrTruncError(f"No measure is given after the run{'s' * (at > 1)}; 'RBPT nDCG@10', for example.")
    try:
        return list(arguments[:at]), parse_measures(arguments[at:])
    except UnknownMeasureError as error:
        raise UnknownMeasureError(f"{error} There is no file of that name either.") from None


def _is_run(argument: str) -> bool:
    try:
        for part in split(argument):
            parse_measure(part)
    except UnknownMeasureError:
        return Path(argument).exists() or "/" in argument or argument.endswith(".gz")
    except IrTruncError:
        pass  # a measure with a wrong parameter
    return False


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"ir_trunc: warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
