"""`ir_trunc report`: writes one HTML page about runs."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from ir_trunc._cli._arguments import Words, cli_command, runs_and_measures
from ir_trunc._report.report import MEASURES, report

__all__ = ["main"]

_DECLARED = f"""
{runs_and_measures(f"{MEASURES}; best cuts are those of the first")}
= baseline unit judge days scoring
-o --output PAGE!  the page, report.html for example
--title TITLE  the heading of the page
--queries FILE  texts of the queries: lines 'id<TAB>text', CSV, JSON, TREC, or an ir_datasets id
--documents FILE  texts of the documents, in the same forms
"""


@cli_command("report", _DECLARED)
def main(args: Words) -> int:
    """Which run is better, where, and why? Write one HTML page: a verdict, the comparison with tests, empty
    lists, lengths and best cuts, what policies would change, and every topic with its lists by rank. It needs
    no network, no other file, and no JavaScript.

    TOPICS QRELS RUN ... of TREC's Change Detection track give a page with the leaderboard of `ir_trunc cdet`,
    and a calendar of each topic; the exit status is that of `ir_trunc cdet`.

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc report demo.qrels never-stops.run stops-in-time.run -o page.html
      $ ls page.html
      page.html
    """
    page: Any = None
    with suppress(ModuleNotFoundError):  # Change Detection can be taken away
        page = import_module("ir_trunc._cli.cdet").page
    if page is not None and (status := page(args)) is not None:
        return status
    options = args.keywords(report) | args.scoring
    report(args.measures or MEASURES, args.with_judge(args.qrels), args.runs, args.output, **options)
    return 0
