"""`ir_trunc study`: experiments on truncation, as CSV; by default by the measures of Amigó et al. (2022)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence

from ir_trunc._cli._arguments import (
    RUNS,
    OneLineParser,
    add_flag,
    add_reading,
    add_runs_and_measures,
    add_topics,
    measures_of,
    natural,
    options_of,
    reading_of,
    runs_and_measures,
)
from ir_trunc._core.errors import ParameterError
from ir_trunc._core.lazy import pd
from ir_trunc._output.files import check_outputs, output_file
from ir_trunc._output.tables import csv_text
from ir_trunc.truncation import cross_validate, study
from ir_trunc.truncation._text import list_of_policies

__all__ = ["main"]

_OUTPUT = """\
write the CSV here, gzipped if named .gz. Cells are not escaped: a spreadsheet takes one that begins with
=, +, - or @ for a formula"""
_POLICIES = ["Greedy", "ScoreThreshold", "LargestGap", "Oracle"]


def main(words: Sequence[str]) -> int:
    """`ir_trunc study EXPERIMENT ...`."""
    parser, experiments = _parsers()
    named = bool(words) and words[0] in experiments
    args = experiments[words[0]].parse_intermixed_args(words[1:]) if named else parser.parse_args(words)
    also = [path for pair in getattr(args, "also", ()) for path in pair]
    check_outputs([args.output], [args.qrels, *args.arguments, *also, *(args.policy or ())])
    table: pd.DataFrame = args.experiment(args)
    with output_file(args.output) as file:
        file.write(csv_text(table, args.places).encode())
    return 0


def _parsers() -> tuple[OneLineParser, Mapping[str, OneLineParser]]:
    """The parser of the command, and those of the experiments."""
    about = "Experiments on where lists end. All of them give CSV."
    parser = OneLineParser(prog="ir_trunc study", description=about)
    experiments = parser.add_subparsers(metavar="EXPERIMENT", required=True)

    def add(
        name: str, meaning: str, experiment: Callable[[argparse.Namespace], pd.DataFrame]
    ) -> OneLineParser:
        sub = experiments.add_parser(name, help=meaning, description=meaning[0].upper() + meaning[1:] + ".")
        add_flag(sub, "output", default="-", help=_OUTPUT)
        add_flag(sub, "places", help="decimal places, -1 for all (default: all)")
        sub.set_defaults(experiment=experiment, qrels=None, policy=None)
        return sub

    sub = add("cuts", "distribution of the best cuts over lengths, for each measure", _cuts)
    _add_collection(sub, study.CUTS)
    _add_also(sub)
    add_flag(sub, "by-query", help="best cut and regret of every list instead")

    about = "Kendall's tau between system orders by full lists and by lists cut at their best"
    sub = add("agreement", about, lambda args: _of_all(study.agreement, args, study.TRUNCATED, args.full))
    _add_collection(sub, f"{study.TRUNCATED}; of the lists that are cut")
    _add_also(sub)
    sub.add_argument("--full", metavar="MEASURES", default=study.FULL, help="measures of the full lists")

    about = "how many lists have each length, before and after NIL ends its list"
    sub = add("lengths", about, _lengths)
    sub.add_argument("arguments", metavar="RUN", nargs="+", help=RUNS)
    add_reading(sub, nil="ends, which is what is counted")
    add_flag(sub, "qrels", help="count the lists of these topics, by default those of the runs")

    sub = add(
        "example",
        "score at every cut of irrelevant documents followed by relevant ones",
        _example,
    )
    about = f"measures (default: {study.EXAMPLE})"
    sub.add_argument("arguments", metavar="MEASURE", nargs="*", help=about)
    add_flag(sub, "measures")
    about = "documents at the top (default 10)"
    sub.add_argument("--irrelevant", type=natural, default=10, metavar="N", help=about)
    about = "documents behind them (default 40)"
    sub.add_argument("--relevant", type=natural, default=40, metavar="N", help=about)
    about = "scores as they are, not divided by the highest magnitude"
    sub.add_argument("--raw", action="store_true", help=about)

    sub = add("policies", "policies fitted on some topics and judged on the others", _policies)
    sub.epilog = list_of_policies()
    _add_collection(sub)
    default = f"a policy or a file of cuts; default: {', '.join(_POLICIES)}"
    add_flag(sub, "policy", action="append", help=default)
    sub.add_argument("--folds", type=natural, default=5, metavar="N", help="parts of the topics (default 5)")
    add_flag(sub, "seed", help="seed of the random parts (default 0)")
    return parser, experiments.choices


def _add_collection(parser: OneLineParser, default: str = "") -> None:
    add_runs_and_measures(parser, default=default)
    add_topics(parser)
    add_reading(parser)


def _add_also(parser: argparse.ArgumentParser) -> None:
    about = "another collection, its runs in one folder or file; may be repeated. The mean of all comes first"
    parser.add_argument("--also", metavar=("QRELS", "RUNS"), nargs=2, action="append", default=[], help=about)


def _lengths(args: argparse.Namespace) -> pd.DataFrame:
    return study.lengths(args.qrels, args.arguments, args.nil, **reading_of(args))


def _cuts(args: argparse.Namespace) -> pd.DataFrame:
    if args.by_query and args.also:
        raise ParameterError(
            "--by-query has a row for each list, and no mean of collections: leave --also out."
        )
    return _of_all(study.best_cuts if args.by_query else study.cuts, args, study.CUTS)


def _example(args: argparse.Namespace) -> pd.DataFrame:
    measures = measures_of(args, args.arguments, study.EXAMPLE)
    return study.example(measures, args.irrelevant, args.relevant, scaled=not args.raw)


def _of_all(
    experiment: Callable[..., pd.DataFrame], args: argparse.Namespace, default: str, *full: str
) -> pd.DataFrame:
    """The experiment on the collection, or on several by the names of their qrels."""
    runs, measures = runs_and_measures(args, default)
    if not args.also:
        return experiment(measures, *full, args.qrels, runs, **options_of(args))
    collections = {args.qrels: (args.qrels, runs)}
    collections |= {qrels: (qrels, [runs]) for qrels, runs in args.also}
    if len(collections) <= len(args.also):
        raise ParameterError("--also: the same qrels are given twice.")
    return study.over_collections(experiment, collections, measures, *full, **options_of(args))


def _policies(args: argparse.Namespace) -> pd.DataFrame:
    runs, measures = runs_and_measures(args)
    if len(measures) > 1:
        raise ParameterError(f"Policies are fitted to one measure; {len(measures)} are given.")
    chosen, collection = args.policy or _POLICIES, (args.qrels, runs)
    return cross_validate(chosen, measures[0], *collection, args.folds, args.seed, **options_of(args))
