"""`ir_trunc cdet`: runs of TREC's Change Detection track are checked and scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_trunc._cli._arguments import OneLineParser, runs_and_measures
from ir_trunc._cli._output import OF_PAPERS, form_and_places, printing, table_lines
from ir_trunc._cli._process import tell
from ir_trunc._core.errors import IrTruncError
from ir_trunc._output.files import check_outputs
from ir_trunc.adapters.cdet import MEASURES, RAGTIME1, ChangeScores, check_runs, score

__all__ = ["main"]

_ABOUT = """\
How good are runs of TREC's Change Detection track? Print a leaderboard for
lists of documents (of each question and day) and for lists of questions (of
each topic and day). Every question is scored on every day of the collection.
Means are taken over days, then over questions, then over topics; intervals and
tests are by topic. By default grades are gains and the end of a list is worth
one unit.

Beside the runs stand two systems: silent returns nothing, perfect the ideal
lists. skill is (mean - silent) / (perfect - silent): 0 for silence, 1 for
perfect lists, negative where silence would have been better. Of several runs
the valid ones are scored, and the exit status is 2 where others are not valid.

`ir_trunc cdet check TOPICS RUN ...` says what is wrong with runs."""

_ABOUT_CHECK = """\
Check runs by the rules of the track: all errors, up to 50 a run, and warnings
for what is allowed, but probably not meant. The exit status is 1 where a run is
invalid."""

_EPILOG = f"""
measures: {MEASURES["unit"]}
--terminal least: {MEASURES["least"]}

example ('ir_trunc cdet topics.jsonl track.qrels runs' scores the same):
  $ cat days.txt
  2024-01-01
  2024-01-02
  2024-01-03
  $ ir_trunc cdet check topics.jsonl runs/alert.jsonl --days days.txt
  1 of 1 run valid, checked against 3 topics and 3 days (2024-01-01 to
      2024-01-03).
  alert.jsonl: valid
"""

_TOPICS = "topics TOPICS  the track's topics: JSON lines with tid and questions\n"
_RUNS = "runs of the track, or folders of them: JSON lines that begin with the runtag"
_DAYS = """\
--days DAYS  days of the collection: ragtime1, a range 2024-01-01..2024-03-31, or a file of dates or of lines
    'document<TAB>date' """
_ABSENT = """\
--absent error|tied|empty  a date or a topic that a run does not name: an error (the default), all of the
    topic's questions at one rank, or silence
"""
_DECLARED = f"""
{_TOPICS}{runs_and_measures("those below", _RUNS)}
= places output baseline plot
{_DAYS}(default: from the first to the last day of the qrels)
{_ABSENT}
--question-qrels QRELS  gains of questions by topic/day (default: the highest gain of a question's documents
    on the day)
--terminal unit|least  what the end of a list is worth: one unit of the grades (the default), or the topic's
    least gain, with values of at most 1
--ties expected|file  questions with the same question-rank: the mean over all orders (the default), or the
    order of the file
--test TEST  as of `ir_trunc compare`, by topic
--correction holm|bh|none  for the number of comparisons of a measure (default: holm)
--alpha X  level of significance (default 0.05)
--by topic|question|day  means of each of these in place of the leaderboard
--pairs  the results of the tests in place of the leaderboard
--calendar TOPIC  with --plot: on which days of a topic runs reported, in place of the leaderboard
--format table|tsv|csv|jsonl|json|markdown|latex|html  the form; by default that of the file's ending, else a
    table on a terminal and tsv in a pipe
"""
_CHECKED = f"""
{_TOPICS}runs RUN+  {_RUNS}
{_DAYS}(default: those of --docs, else {RAGTIME1})
--docs FILE  the days of documents: lines 'document<TAB>date'
{_ABSENT}"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc cdet TOPICS QRELS RUN... [MEASURE...]`, or `ir_trunc cdet check TOPICS RUN...`."""
    if words[:1] == ["check"]:
        args = OneLineParser("cdet check", _ABOUT_CHECK, _CHECKED).read(words[1:])
        found = check_runs(args.topics, args.runs, **args.keywords(check_runs))
        print(found)
        return 0 if found.valid else 1
    args = OneLineParser("cdet", _ABOUT, _DECLARED, _EPILOG).read(words)
    runs, measures = args.runs_and_measures(MEASURES["unit"])
    form, places = form_and_places(args, papers=True)
    if (args.by or args.pairs) and form in (*OF_PAPERS, "markdown"):
        raise IrTruncError(f"--by and --pairs have the forms table, tsv, csv, jsonl and json, not {form}.")
    if args.calendar is not None and args.plot is None:
        raise IrTruncError("--calendar is drawn into a file: --plot FILE is needed, too.")
    days_file = None if args.days == RAGTIME1 or ".." in (args.days or "") else args.days
    inputs = [args.topics, args.qrels, *runs, days_file, args.question_qrels]
    check_outputs([args.output, args.plot], inputs)
    if args.plot is not None:
        from ir_trunc.plots._kit import check_picture

        check_picture(args.plot, inputs)
    options = args.keywords(score) | ({"correction": None} if args.correction == "none" else {})
    if args.measures is not None or len(args.arguments) > len(runs):
        options["measures"] = measures
    scores = score(args.topics, args.qrels, runs, **options)
    if args.plot is not None:
        _draw(scores, args.plot, args.calendar)
    with printing(args.output) as out:
        if args.by or args.pairs or form not in ("table", "markdown", *OF_PAPERS):
            tell(f"{scores.heading}.")
            table = scores.by(args.by) if args.by else scores.pairs() if args.pairs else scores.to_pandas()
            named = form in ("json", "jsonl") and not args.pairs
            out.write(table_lines(table.reset_index() if named else table, form, places))
        else:
            texts = {"markdown": scores.to_markdown, "html": scores.to_html}
            text = (
                scores.to_latex(digits=places) if form == "latex" else texts.get(form, scores.report)(places)
            )
            out.write(f"{text}\n")
    return 2 if scores.invalid else 0


def _draw(scores: ChangeScores, path: str, topic: str | None) -> None:
    from ir_trunc import plots
    from ir_trunc.plots._kit import save_picture

    figure: Any = (scores.plot() if topic is None else plots.calendar(scores.calendar(topic))).figure
    save_picture(figure, path, "none")
