"""The command line: score runs, list the measures, show the demonstration, evaluate measures."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from ir_trunc._core.errors import InputError, IrTruncError, IrTruncWarning, nearest
from ir_trunc._core.process import (
    ENDINGS,
    ended_by_signals,
    flushed,
    imported,
    reason,
    standard_streams,
    tell,
)
from ir_trunc._output.files import check_outputs
from ir_trunc._read.readers.datasets import load_dataset
from ir_trunc.cli.arguments import add_flag, add_runs_and_measures, check_form, options_of, runs_and_measures
from ir_trunc.cli.comparing import OF_PAPERS, add_comparison, is_asked, write_comparison
from ir_trunc.cli.output import FORMATS, OneLineParser, form_of, printing, rows_of, views_of
from ir_trunc.scoring.evaluator import Evaluator
from ir_trunc.scoring.runs import by_file_name, score_each
from ir_trunc.version import __version__

# Modules of this folder with a main; any other first word is the qrels of runs to score.
_COMMANDS = ("measures", "demo", "truncate", "study", "check", "report", "meta", "reproduce")

_FORMAT = (
    "the form; by default that of the file's ending (.csv, .tsv, .jsonl, .md), else a table on a terminal and"
    " tsv in a pipe. Names and ids are printed as they are: a spreadsheet takes a cell of a csv that begins"
    " with =, +, - or @ for a formula"
)

_USAGE = """\
ir_trunc QRELS RUN [RUN ...] MEASURE [MEASURE ...] [options]
       ir_trunc truncate RUN --policy POLICY [options]
       ir_trunc study EXPERIMENT ...
       ir_trunc report QRELS RUN [RUN ...] -o PAGE [options]
       ir_trunc check QRELS RUN --fail-if CONDITION [options]
       ir_trunc measures [NAME]
       ir_trunc demo [--copy FOLDER]
       ir_trunc meta COMMAND ...
       ir_trunc reproduce PAPER [QRELS RUNS]"""

_EXAMPLES = """
examples:
  ir_trunc demo                         the point of it all, on a small collection
  ir_trunc qrels.txt my.run.gz nDCG@10 'RBPT(p=0.8)' OIE
  ir_trunc trec-robust04 runs/*.gz RBPT c@1 -o scores.csv
                                        qrels by their ir_datasets id, several runs
  ir_trunc truncate my.run --policy LargestGap -o ended.run
                                        end the lists of a run by a policy
  ir_trunc study cuts qrels.txt runs/   where the lists should have ended
  ir_trunc measures RBPT                what a measure is
  ir_trunc --import netp qrels.txt my.run NetP
                                        a measure of your own, declared in netp.py
  ir_trunc meta power qrels.txt runs/ AP nDCG@10
                                        which measure tells systems apart
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    warnings.showwarning = _show_warning
    with standard_streams(), ended_by_signals():
        status, problem = _ended(words)
        lost = flushed()
        if lost and not isinstance(lost, BrokenPipeError):  # a reader that has seen enough is not a problem
            status, problem = 2, reason(lost)
        if problem:
            tell(f"ir_trunc: {problem}")
        return status


def _ended(words: Sequence[str]) -> tuple[int, str]:
    """The exit status of the command, and what to tell where it fails."""
    try:
        return run(words), ""
    except SystemExit as end:  # of the parsers, which have said why, and of signals
        return int(end.code or 0), ""
    except KeyboardInterrupt as error:
        return 130, reason(error)
    except ENDINGS as error:
        if isinstance(error, BrokenPipeError) and error.filename is None:
            return 0, ""
        return 2, reason(error)


def run(words: Sequence[str]) -> int:
    """The command that the first word names; without one, the scores of runs."""
    words = _import_modules(words)
    if not words or words[0] not in _COMMANDS:
        _refuse_mistyped(words[:1])
        imported()
        return score(words)
    module = import_module(f"ir_trunc.cli.{words[0]}")
    imported()
    status: int = module.main(words[1:])
    return status


def _refuse_mistyped(words: Sequence[str]) -> None:
    """IrTruncError where the first word is neither qrels nor an option, and is near a command."""
    for word in words:
        near = "" if Path(word).exists() else nearest(word, _COMMANDS)
        if near and load_dataset(word) is None:
            raise IrTruncError(f"{word!r} is neither a command nor qrels.{near}")


def _import_modules(words: Sequence[str]) -> list[str]:
    """The words without `--import MODULE`, which any command takes.

    Modules of the current folder declare measures or policies.
    """
    given, rest = [], []
    following = iter(words)
    for word in following:
        option, _, name = word.partition("=")
        if option != "--import":
            rest.append(word)
        elif found := name or next(following, ""):
            given.append(found)
        else:
            raise IrTruncError("--import needs the name of a module: --import netp for netp.py.")
    if given:
        sys.path.insert(0, os.getcwd())
    for name in given:
        try:
            import_module(name.removesuffix(".py").replace(os.sep, "."))
        except IrTruncError as error:
            raise IrTruncError(f"--import {name}: {error}") from None
        except Exception as error:  # the module is the user's: anything may be wrong with it
            raise IrTruncError(f"--import {name!r} fails: {type(error).__name__}: {error}") from error
    return rest


def score(words: Sequence[str]) -> int:
    """`ir_trunc QRELS RUN [RUN ...] MEASURE ...`."""
    args = _parser().parse_intermixed_args(words)
    runs, measures = runs_and_measures(args.arguments)
    check_form(args)
    if args.no_summary and not args.by_query:
        raise IrTruncError(
            "--no-summary (-n) needs --by-query (-q): without either there is nothing to print."
        )
    if args.views and args.by_query:
        raise IrTruncError("--views and --by-query (-q) are two tables: ask for one at a time.")
    check_outputs([args.output], [args.qrels, *runs])
    _offer_demo([args.qrels, *runs])
    named = by_file_name(runs)
    if is_asked(args):
        write_comparison(args, measures, named)
        return 0
    ready = Evaluator(measures, args.qrels, topics=args.topics, **options_of(args))
    scores_of = partial(rows_of, by_query=args.by_query, means=not args.no_summary)
    rows_of_one = views_of if args.views else scores_of
    rows = (row for name, results in score_each(ready, named) for row in rows_of_one(name, results))
    topics_told = args.by_query or args.views
    columns = [*["run"] * (len(named) > 1), *["query_id"] * topics_told, "measure", "value"]
    with printing(args.output) as out:
        FORMATS[args.format or form_of(args.output)](rows, columns, args.places, out)
    return 0


def _offer_demo(paths: Sequence[str]) -> None:
    """InputError where a file of the demonstration is asked for that has not been copied yet."""
    missing = [path for path in paths if not Path(path).exists()]
    if not missing:
        return
    from ir_trunc.synthetic import demo

    for path in missing:
        if (demo.data() / Path(path).name).is_file():
            folder = Path(path).parent
            raise InputError(
                f"{path}: there is no such file. 'ir_trunc demo --copy {folder}' puts the files of the"
                " demonstration there."
            )


def _parser() -> OneLineParser:
    parser = OneLineParser(
        prog="ir_trunc",
        usage=_USAGE,
        description="Evaluation of rankings whose length is a decision of the system.",
        epilog=_EXAMPLES,
    )
    add_runs_and_measures(parser)
    for flag in ("by-query", "no-summary", "places", "output"):
        add_flag(parser, flag)
    add_flag(parser, "format", help=_FORMAT, choices=[*FORMATS, *OF_PAPERS])
    add_flag(parser, "topics")
    about = "means over all, answerable and nil queries, and silence"
    parser.add_argument("--views", action="store_true", help=about)
    about = "import a module that declares measures or policies, netp for netp.py"
    parser.add_argument("--import", metavar="MODULE", help=about)
    add_comparison(parser)
    parser.add_argument("--version", action="version", version=f"ir_trunc {__version__}")
    return parser


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Tell a warning of ir_trunc, or of a module of the user's. Those of scipy and others are left out."""
    if category in (IrTruncWarning, UserWarning):
        tell(f"ir_trunc: warning: {message}")
