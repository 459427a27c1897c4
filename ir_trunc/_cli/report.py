"""`ir_trunc report`: writes one HTML page about runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ir_trunc._cli._arguments import OneLineParser, runs_and_measures
from ir_trunc._output.files import check_outputs
from ir_trunc._reporting.report import MEASURES, report

__all__ = ["main"]

_ABOUT = """\
Write one HTML page: a verdict, the comparison with tests, empty lists, lengths
and best cuts, what policies would change, and every topic with its lists by
rank. It needs no network, no other file, and no JavaScript."""

_DECLARED = f"""
{runs_and_measures(f"{MEASURES}; best cuts are those of the first")}
= baseline unit topics missing unjudged reading
-o --output PAGE!  the page, report.html for example
--title TITLE  the heading of the page
--queries FILE  texts of the queries: lines 'id<TAB>text', JSON, TREC, or an ir_datasets id
--documents FILE  texts of the documents, in the same forms
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc report QRELS RUN... [MEASURE...] -o report.html`."""
    args = OneLineParser("report", _ABOUT, _DECLARED).read(words)
    runs, measures = args.runs_and_measures(MEASURES)
    check_outputs([args.output], [args.qrels, *runs, args.topics, args.queries, args.documents])
    args.command = shlex.join(["ir_trunc", "report", *words])
    report(measures, args.qrels, runs, args.output, **args.keywords(report), **args.scoring)
    return 0
