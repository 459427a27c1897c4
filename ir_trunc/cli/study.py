"""`ir_trunc study`: experiments on truncation, as CSV; by default by the measures of Amigó et al. (2022)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.lazy import pd
from ir_trunc._output.files import check_outputs, output_file
from ir_trunc._output.tables import csv_text
from ir_trunc.cli._arguments import (
    QRELS,
    OneLineParser,
    add_flag,
    add_reading,
    add_runs,
    add_topics,
    natural,
    options_of,
    reading_of,
)
from ir_trunc.truncation import cross_validate, study
from ir_trunc.truncation._text import list_of_policies

__all__ = ["main"]

_OUTPUT = """\
write the CSV here, gzipped if named .gz. Cells are not escaped: a spreadsheet takes one that begins with
=, +, - or @ for a formula"""
_POLICIES = ["Greedy", "ScoreThreshold", "LargestGap", "Oracle"]


def main(words: Sequence[str]) -> int:
    """`ir_trunc study EXPERIMENT ...`."""
    args = _parser().parse_args(words)
    also = [path for pair in getattr(args, "also", ()) for path in pair]
    check_outputs([args.output], [args.qrels, *args.runs, *also, *(args.policy or ())])
    table: pd.DataFrame = args.experiment(args)
    with output_file(args.output) as file:
        file.write(csv_text(table, args.places).encode())
    return 0


def _parser() -> argparse.ArgumentParser:
    about = "Experiments on where lists end. All of them give CSV."
    parser = OneLineParser(prog="ir_trunc study", description=about)
    experiments = parser.add_subparsers(metavar="EXPERIMENT", required=True)

    def add(
        name: str, meaning: str, experiment: Callable[[argparse.Namespace], pd.DataFrame]
    ) -> argparse.ArgumentParser:
        sub = experiments.add_parser(name, help=meaning, description=meaning[0].upper() + meaning[1:] + ".")
        add_flag(sub, "output", default="-", help=_OUTPUT)
        add_flag(sub, "places", default=None, help="decimal places, -1 for all (default: all)")
        sub.set_defaults(experiment=experiment, qrels=None, runs=(), policy=None)
        return sub

    sub = add("cuts", "distribution of the best cuts over lengths, for each measure", _cuts)
    _add_collection(sub)
    _add_also(sub)
    add_flag(sub, "measures", default=study.CUTS)
    add_flag(sub, "by-query", help="best cut and regret of every list instead")

    about = "Kendall's tau between system orders by full lists and by lists cut at their best"
    sub = add("agreement", about, lambda args: _of_all(study.agreement, args, args.truncated, args.full))
    _add_collection(sub)
    _add_also(sub)
    about = "measures of the lists that are cut"
    sub.add_argument("--truncated", metavar="MEASURES", default=study.TRUNCATED, help=about)
    sub.add_argument("--full", metavar="MEASURES", default=study.FULL, help="measures of the full lists")

    about = "how many lists have each length, before and after NIL ends its list"
    sub = add("lengths", about, _lengths)
    add_runs(sub)
    add_reading(sub, nil="ends, which is what is counted")
    add_flag(sub, "qrels", help="count the lists of these topics, by default those of the runs")

    sub = add(
        "example",
        "score at every cut of irrelevant documents followed by relevant ones",
        lambda args: study.example(args.measures, args.irrelevant, args.relevant, scaled=not args.raw),
    )
    add_flag(sub, "measures", default=study.EXAMPLE)
    about = "documents at the top (default 10)"
    sub.add_argument("--irrelevant", type=natural, default=10, metavar="N", help=about)
    about = "documents behind them (default 40)"
    sub.add_argument("--relevant", type=natural, default=40, metavar="N", help=about)
    about = "scores as they are, not divided by the highest magnitude"
    sub.add_argument("--raw", action="store_true", help=about)

    sub = add("policies", "policies fitted on some topics and judged on the others", _policies)
    sub.epilog = list_of_policies()
    _add_collection(sub)
    add_flag(sub, "measure", required=True)
    default = f"a policy or a file of cuts; default: {', '.join(_POLICIES)}"
    add_flag(sub, "policy", action="append", help=default)
    sub.add_argument("--folds", type=natural, default=5, metavar="N", help="parts of the topics (default 5)")
    add_flag(sub, "seed", help="seed of the random parts (default 0)")
    return parser


def _add_collection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", help=QRELS)
    add_runs(parser)
    add_topics(parser)
    add_reading(parser)


def _add_also(parser: argparse.ArgumentParser) -> None:
    about = "another collection, its runs in one folder or file; may be repeated. The mean of all comes first"
    parser.add_argument("--also", metavar=("QRELS", "RUNS"), nargs=2, action="append", default=[], help=about)


def _lengths(args: argparse.Namespace) -> pd.DataFrame:
    return study.lengths(args.qrels, args.runs, args.nil, **reading_of(args))


def _cuts(args: argparse.Namespace) -> pd.DataFrame:
    if args.by_query and args.also:
        raise ParameterError(
            "--by-query has a row for each list, and no mean of collections: leave --also out."
        )
    return _of_all(study.best_cuts if args.by_query else study.cuts, args, args.measures)


def _of_all(
    experiment: Callable[..., pd.DataFrame], args: argparse.Namespace, *measures: str
) -> pd.DataFrame:
    """The experiment on the collection, or on several by the names of their qrels."""
    if not args.also:
        return experiment(*measures, args.qrels, args.runs, **options_of(args))
    collections = {args.qrels: (args.qrels, args.runs)}
    collections |= {qrels: (qrels, [runs]) for qrels, runs in args.also}
    if len(collections) <= len(args.also):
        raise ParameterError("--also: the same qrels are given twice.")
    return study.over_collections(experiment, collections, *measures, **options_of(args))


def _policies(args: argparse.Namespace) -> pd.DataFrame:
    chosen, collection = args.policy or _POLICIES, (args.qrels, args.runs)
    return cross_validate(chosen, args.measure, *collection, args.folds, args.seed, **options_of(args))
