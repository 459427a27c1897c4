"""`ir_trunc cdet`: scores of runs of TREC's Change Detection track."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ir_trunc._cli._arguments import OneLineParser, runs_and_measures
from ir_trunc._cli._output import FORMATS, Row, form_and_places, printing
from ir_trunc._output.files import check_outputs
from ir_trunc.adapters.cdet import MEASURES, ChangeScores, score

__all__ = ["main"]

_ABOUT = """\
Score runs of TREC's Change Detection track: for documents (a list for each
question and day) and for questions (a list for each topic and day), by
question, by topic and in all. Every question is scored on every day of the
collection. Means are taken over days, then over questions, then over topics.

Beside each run stand two systems: silent returns nothing, perfect the ideal
lists. skill is (score - silent) / (perfect - silent): 0 for silence, 1 for
perfect lists, negative where silence would have been better."""

_EPILOG = f"""
measures: {MEASURES}

example:
  ir_trunc cdet topics.jsonl cdet.qrels my.jsonl --days 2024-01-01..2024-03-31
"""

_RUNS = "runs of the track: JSON lines that begin with the runtag"
_DECLARED = f"""
topics TOPICS  the track's topics: JSON lines with tid and questions
{runs_and_measures("those below", _RUNS)}
= places output format
--days DAYS  days of the collection: a range 2024-01-01..2024-03-31, or a file of dates or of lines
    'document<TAB>date' (default: from the first to the last day of the qrels)
--question-qrels QRELS  gains of questions by topic/day (default: the highest gain of a question's documents
    on the day)
--by question|topic|all  the finest means that are printed (default question)
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc cdet TOPICS QRELS RUN... [MEASURE...]`."""
    args = OneLineParser("cdet", _ABOUT, _DECLARED, _EPILOG).read(words)
    runs, measures = args.runs_and_measures(MEASURES)
    form, places = form_and_places(args)
    days_file = None if ".." in (args.days or "") else args.days
    check_outputs([args.output], [args.topics, args.qrels, *runs, days_file, args.question_qrels])
    options = args.keywords(score) | {"measures": measures}
    scores = score(args.topics, args.qrels, runs, **options)
    columns = [*map(str, scores.table.index.names), "measure", "value"]
    with printing(args.output) as out:
        FORMATS[form](_rows(scores, args.by or "question"), columns, places, out)
    return 0


def _rows(scores: ChangeScores, by: str) -> Iterator[Row]:
    """Each value with its names. Measures have short names where these differ."""
    table = scores.table
    short = [str(name).partition("(")[0] for name in table]
    if len(set(short)) == len(short):
        table = table.set_axis(short, axis=1)
    for names, *values in table.itertuples(name=None):
        _, topic, question, _ = names
        if (by != "question" and question != "all") or (by == "all" and topic != "all"):
            continue
        for measure, value in zip(table, values):
            yield (*names, measure, int(value) if measure in table.columns[:3] else value)
