"""What the commands share: one table of flags, and one way in which runs and measures stand on a line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, get_args

from ir_measures import Measure

from ir_trunc._core.errors import IrTruncError, ParameterError, UnknownMeasureError
from ir_trunc._ranking.nil import Convention
from ir_trunc._read.reading import Duplicates, HowRead, Order
from ir_trunc.cli.output import FORMATS, OneLineParser
from ir_trunc.measures.declaration import split
from ir_trunc.scoring.evaluator import RunOptions
from ir_trunc.scoring.objects import is_measure, nearest_measures, parse_measures

QRELS = "TREC qrels file, or the id of an ir_datasets data set"
RUNS = "TREC run files, or folders of them"


def places(text: str) -> int:
    """A number of decimal places, or -1."""
    if not (text == "-1" or (text.isascii() and text.isdigit() and len(text) <= 2)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of places: 0 to 99, or -1 for all")
    return int(text)


def count(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def _flag(*names: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    return names, options


_ORDER = (
    "what decides the order of a list: score (the default), as 32-bit floats and then the document id, as in"
    " ir-measures, pytrec_eval and trec_eval 9; score64, as in trec_eval 10 has it; the rank column; or the"
    " rows of the file as they stand"
)
_DUPLICATES = (
    "a document that is in a list twice: an error (the default), or only its first row counts, or its best"
)
_STOP = "a list ends before the first row with this mark in the second column, NS for example"
_COLUMNS = "what a field is called in CSV, TSV, JSON or Parquet: doc_id=chunk; may be repeated"

# A flag means the same in every command that has it; a letter belongs to one flag. Those that the
# `ir_measures` command has, too, are its own: -q, -n, -p.
_FLAGS = [
    _flag("-q", "--by-query", action="store_true", help="scores by topic"),
    _flag("-n", "--no-summary", action="store_true", help="with -q: leave the means out"),
    _flag(
        "-p", "--places", type=places, default=4, metavar="N", help="decimal places, -1 for all (default 4)"
    ),
    _flag("-o", "--output", metavar="FILE", help="write there, gzipped where the name ends in .gz; - prints"),
    _flag("--format", choices=FORMATS, help="the form of the output"),
    _flag("-m", "--measures", metavar="MEASURES", help="measures in one text"),
    _flag("-m", "--measure", metavar="MEASURE", help="the measure that counts"),
    _flag("--policy", metavar="POLICY", help="a policy, or a file of cuts"),
    _flag("--qrels", metavar="QRELS", help=QRELS),
    _flag("-k", "--cuts", metavar="FILE", help="write lines 'topic<TAB>k' there"),
    _flag("--topics", metavar="FILE", help="more topics of the query universe (TREC, TSV, CSV, JSON)"),
    _flag("--plot", metavar="FILE", help="draw it into a file: .png, .svg, .pdf"),
    _flag("--seed", type=count, default=0, metavar="N", help="of what is drawn at random (default 0)"),
    _flag("--order", choices=get_args(Order), default="score", help=_ORDER),
    _flag("--duplicates", choices=get_args(Duplicates), default="error", help=_DUPLICATES),
    _flag("--stop", metavar="MARK", help=_STOP),
    _flag("--lower-is-better", action="store_true", help="scores are distances"),
    _flag("--columns", action="append", metavar="FIELD=COLUMN", help=_COLUMNS),
    _flag("--nil", choices=get_args(Convention), help="what a document called NIL means"),
]
FLAGS = {names[-1].removeprefix("--"): (names, options) for names, options in _FLAGS}


def add_flag(parser: argparse._ActionsContainer, flag: str, **changed: Any) -> None:
    """Add a flag of the table. changed: what this command says of it: help, default, required, action."""
    names, options = FLAGS[flag]
    parser.add_argument(*names, **options | changed)


def add_reading(parser: argparse.ArgumentParser, nil: str = "document, like any other") -> None:
    """Add the options that say how runs are read, to a command that takes a run.

    nil: the default for NIL, in words.
    """
    group = parser.add_argument_group("how runs are read")
    for name in HowRead.__annotations__:
        add_flag(group, name.replace("_", "-"))
    add_flag(group, "nil", help=f"what a document called NIL means (default: {nil})")


def reading_of(args: argparse.Namespace) -> HowRead:
    """What the arguments say, as keywords."""
    given = {name: getattr(args, name) for name in HowRead.__annotations__}
    return cast(HowRead, given | {"columns": _columns(args.columns or [])})


def _columns(pairs: Sequence[str]) -> dict[str, str] | None:
    """What fields are called, as `columns` has it."""
    found: dict[str, str] = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals:
            raise ParameterError(f"--columns {pair}: FIELD=COLUMN is needed, such as doc_id=chunk.")
        if field in found:
            raise ParameterError(f"--columns {pair}: {field} is given twice.")
        found[field] = column
    return found or None


def options_of(args: argparse.Namespace) -> RunOptions:
    """What the arguments say, with the meaning of NIL; None where nothing is said of it."""
    return {**reading_of(args), "nil": args.nil}


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add runs, where flags name the measures."""
    parser.add_argument("runs", metavar="RUN", nargs="+", type=_run, help=RUNS)


def _run(word: str) -> str:
    """A word that names a run."""
    if is_measure(_name(word.partition(" ")[0])) and not Path(word).exists():
        raise argparse.ArgumentTypeError(
            f"{word!r} is a measure where a run is needed: here a flag names measures, all in one text"
        )
    return word


def add_runs_and_measures(parser: OneLineParser, needed: bool = True) -> None:
    """Add QRELS, runs and measures behind them, and how runs are read.

    needed: whether the command cannot do without.
    """
    parser.add_argument("qrels", metavar="QRELS", nargs=None if needed else "?", help=QRELS)
    many, about = "+" if needed else "*", f"{RUNS}; then measures"
    parser.add_argument("arguments", metavar="RUN ... MEASURE ...", nargs=many, help=about)
    add_reading(parser)


def runs_and_measures(words: Sequence[str]) -> tuple[list[str], list[str | Measure]]:
    """Runs, and the measures behind them.

    The first word is a run, as for the `ir_measures` command. So is each further one up to the first
    measure, if it is a file or looks like the path of one.
    """
    for at in range(1, len(words)):
        if found := _measures_in(words[at]):
            return list(words[:at]), [*found, *words[at + 1 :]]
    runs = "runs" if len(words) > 1 else "run"
    raise ParameterError(f"No measure is given after the {runs}; 'RBPT nDCG@10', for example.")


def _measures_in(word: str) -> list[str | Measure]:
    """The measures that a word names, or none where it is a run. Their parameters are not checked again."""
    try:
        return [*parse_measures(word)]
    except ParameterError:
        return [word]  # what computes it says what is wrong
    except UnknownMeasureError:
        if Path(word).exists() or "/" in word or word.endswith(".gz"):
            return []
        name = _name(word)
        if is_measure(name):  # a misspelt parameter, or one that is set later: 'RBP(p={p})'
            return [*split(word)]
        raise UnknownMeasureError(
            f"{word!r} is neither a file nor a measure.{nearest_measures(name)}"
        ) from None


def _name(measure: str) -> str:
    """What a measure is called without its parameters."""
    return measure.partition("@")[0].partition("(")[0]


def check_form(args: argparse.Namespace) -> None:
    """IrTruncError where the output is named like a form: -o is a file, here and in all commands."""
    if args.output in FORMATS:
        raise IrTruncError(
            f"-o names a file, and {args.output!r} is a form: write --format {args.output}, or -o"
            f" ./{args.output} for a file of that name."
        )
