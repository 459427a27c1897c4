"""`ir_trunc report`: writes one HTML page about runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from ir_trunc._cli._arguments import OneLineParser, Words, runs_and_measures
from ir_trunc._core.errors import ParameterError, printable
from ir_trunc._output.files import check_outputs
from ir_trunc._read.readers.cdet import is_change_topics
from ir_trunc._reporting.report import MEASURES, report

__all__ = ["main"]

_ABOUT = """\
Which run is better, where, and why? Write one HTML page: a verdict, the
comparison with tests, empty lists, lengths and best cuts, what policies would
change, and every topic with its lists by rank. It needs no network, no other
file, and no JavaScript.

TOPICS QRELS RUN ... of TREC's Change Detection track give a page with the
leaderboard of `ir_trunc cdet`, and a calendar of each topic."""

_DECLARED = f"""
{runs_and_measures(f"{MEASURES}; best cuts are those of the first")}
= baseline unit judge topics missing unjudged levels reading
--days DAYS  of Change Detection: as of `ir_trunc cdet`
-o --output PAGE!  the page, report.html for example
--title TITLE  the heading of the page
--queries FILE  texts of the queries: lines 'id<TAB>text', JSON, TREC, or an ir_datasets id
--documents FILE  texts of the documents, in the same forms
"""


_EPILOG = """
example ('ir_trunc demo --copy .' writes the files):
  $ ir_trunc report demo.qrels never-stops.run stops-in-time.run -o page.html
  $ ls page.html
  page.html
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc report QRELS RUN... [MEASURE...] -o report.html`."""
    args = OneLineParser("report", _ABOUT, _DECLARED, _EPILOG).read(words)
    runs, measures = args.runs_and_measures(MEASURES)
    check_outputs([args.output], [args.qrels, *runs, args.topics, args.queries, args.documents])
    args.command = printable(shlex.join(["ir_trunc", "report", *words]))
    if is_change_topics(args.qrels) and not is_change_topics(runs[0], "runtag"):
        return _change_detection(args, runs, measures)
    report(measures, args.with_judge(args.qrels), runs, args.output, **args.keywords(report), **args.scoring)
    return 0


def _change_detection(args: Words, runs: Sequence[str], measures: Sequence[Any]) -> int:
    """The page of TOPICS QRELS RUN ...; the exit status is that of `ir_trunc cdet`."""
    from ir_trunc.adapters.cdet import score

    if args.levels:
        raise ParameterError("--levels has no effect on the gains of Change Detection.")
    qrels, *runs = runs
    own = {"measures": measures} if args.measures or len(args.arguments) > len(runs) + 1 else {}
    scores = score(args.qrels, qrels, runs, **args.keywords(score) | own)
    scores.page(args.output, args.title or "Change Detection", args.command)
    return 2 if scores.invalid else 0
