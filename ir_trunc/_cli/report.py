"""`ir_trunc report`: writes one HTML page about runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ir_trunc._cli._arguments import (
    OneLineParser,
    add_flag,
    add_reading,
    add_runs_and_measures,
    add_topics,
    options_of,
    runs_and_measures,
)
from ir_trunc._output.files import check_outputs
from ir_trunc._reporting.report import MEASURES, report

__all__ = ["main"]


def main(words: Sequence[str]) -> int:
    """`ir_trunc report QRELS RUN... [MEASURE...] -o report.html`."""
    args = _parser().parse_intermixed_args(words)
    runs, measures = runs_and_measures(args, MEASURES)
    check_outputs([args.output], [args.qrels, *runs, args.topics, args.queries, args.documents])
    report(
        measures,
        args.qrels,
        runs,
        args.output,
        baseline=args.baseline,
        unit=args.unit,
        title=args.title,
        queries=args.queries,
        documents=args.documents,
        command=shlex.join(["ir_trunc", "report", *words]),
        **options_of(args),
    )
    return 0


def _parser() -> OneLineParser:
    parser = OneLineParser(
        prog="ir_trunc report",
        description=(
            "Write one HTML page: a verdict, the comparison with tests, empty lists, lengths and best cuts,"
            " what policies would change, and every topic with its lists by rank. It needs no network, no"
            " other file, and no JavaScript."
        ),
    )
    add_runs_and_measures(parser, default=f"{MEASURES}; best cuts are those of the first")
    add_flag(parser, "output", required=True, help="the page, report.html for example")
    parser.add_argument("--baseline", metavar="RUN", help="the run that all others are compared with")
    add_flag(parser, "unit")
    parser.add_argument("--title", default="Rankings and where they end", help="the heading of the page")
    about = "texts of the {}: lines 'id<TAB>text', JSON, TREC, or an ir_datasets id"
    for name in ("queries", "documents"):
        parser.add_argument(f"--{name}", metavar="FILE", help=about.format(name))
    add_topics(parser)
    add_reading(parser)
    return parser
