"""`ir_trunc cdet`: runs of TREC's Change Detection track are checked and scored."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._cli._arguments import Words, cli_command, runs_and_measures
from ir_trunc._cli._process import say, tell
from ir_trunc._cli.score import write_explanations
from ir_trunc._core.errors import IrTruncError, ParameterError
from ir_trunc._core.lazy import plots
from ir_trunc._output.files import printing
from ir_trunc._output.tables import FOR_PAGES, table_lines, written_in
from ir_trunc._read.readers.cdet import SEPARATOR, is_change_topics
from ir_trunc.cdet import MEASURES, check_runs, score
from ir_trunc.cdet._leaderboard import Ranked

__all__ = ["main"]

_TOPICS = "topics TOPICS  the track's topics: JSON lines with tid and questions\n"
_RUNS = "runs of the track, or folders of them: JSON lines that begin with the runtag"
_DECLARED = f"""
{_TOPICS}{runs_and_measures("those below", _RUNS)}
= format places output baseline plot days absent test correction alpha
--question-qrels QRELS  gains of questions by topic/day (default: the highest gain of a question's documents
    on the day)
--terminal unit|least  what the end of a list is worth: one unit of the grades (the default), or the topic's
    least gain, with values of at most 1
--ties expected|file  questions with the same question-rank: the mean over all orders (the default), or the
    order of the file
--by topic|question|day  means in place of the leaderboard, a row for each run and topic, question of a topic,
    or day of a question; skill is empty where silence is perfect: there the scores show what an alarm costs
--pairs  the results of the tests in place of the leaderboard
--explain LIST  why a list topic/question/day, or topic/day of questions, has its scores in each run
--calendar TOPIC  with --plot: on which days of a topic, or of topic/question, runs reported, in place of
    the leaderboard
"""
_CHECKED = f"""
{_TOPICS}runs RUN+  {_RUNS}
= days absent
--docs FILE  the days of documents: lines 'document<TAB>date'
"""


@cli_command("cdet check", _CHECKED)
def _check(args: Words) -> int:
    """Check runs by the rules of the track: the errors of each run, up to 50 causes, each with a count, and
    warnings for what is allowed, but probably not meant. The exit status is 1 where a run is invalid.
    """
    found = check_runs(args.topics, args.runs, **args.keywords(check_runs))
    say(found)
    return 0 if found.valid else 1


_BELOW = f"measures: {MEASURES['unit']}\n\n--terminal least: {MEASURES['least']}"


@cli_command("cdet", _DECLARED, below=_BELOW)
def _score(args: Words) -> int:
    """How good are runs of TREC's Change Detection track? Print a leaderboard for lists of documents (of each
    question and day) and for lists of questions (of each topic and day).

    Every question is scored on every day of the collection. Means are taken over days, then over questions,
    then over topics; intervals and tests are by topic. By default grades are gains and the end of a list is
    worth one unit. Beside the runs stand two systems: silent returns nothing, perfect the ideal lists. skill
    is (mean - silent) / (perfect - silent): 0 for silence, 1 for perfect lists, negative where silence would
    have been better. Of several runs the valid ones are scored, and the exit status is 2 where others are not
    valid. `ir_trunc cdet check TOPICS RUN ...` says what is wrong with runs.

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
    form, places = args.form_and_places(papers=True)
    if (args.by or args.pairs) and form in FOR_PAGES:
        raise IrTruncError(f"--by and --pairs have the forms table, tsv, csv, jsonl and json, not {form}.")
    if args.calendar is not None and args.plot is None:
        raise IrTruncError("--calendar is drawn into a file: --plot FILE is needed, too.")
    options = args.keywords(score) | ({"correction": None} if args.correction == "none" else {})
    scores = score(args.topics, args.qrels, args.runs, **options)
    if args.explain is not None:
        ranked: Ranked = "documents" if args.explain.count(SEPARATOR) == 2 else "questions"
        valid = scores.comparisons[ranked].systems
        write_explanations([(tag, scores.results[ranked][tag]) for tag in valid], args.explain, args)
        return 2 if scores.invalid else 0
    if args.plot is not None:
        of_topic = args.calendar is not None
        ax = plots.calendar(scores.calendar(args.calendar)) if of_topic else scores.plot()
        plots._kit.save_picture(ax.figure, args.plot)
    with printing(args.output) as out:
        if args.by or args.pairs or form not in ("table", *FOR_PAGES):
            tell(f"{scores.heading}.")
            of_runs = scores.pairs if args.pairs else scores.to_pandas
            table = scores.by(args.by) if args.by else of_runs()
            out.write(table_lines(table, form, places))
        else:
            out.write(f"{written_in(scores, form, places, scores.report)}\n")
    return 2 if scores.invalid else 0


def main(words: Sequence[str]) -> int:
    """`ir_trunc cdet TOPICS QRELS RUN... [MEASURE...]`, or `ir_trunc cdet check TOPICS RUN...`."""
    return _check(words[1:]) if words[:1] == ["check"] else _score(words)


def page(args: Words) -> int | None:
    """Write the page of `ir_trunc report` for runs of the track; None for other data."""
    is_path = isinstance(args.qrels, str)
    if not is_path or not is_change_topics(args.qrels) or is_change_topics(args.runs[0], "runtag"):
        return None
    if args.levels:
        raise ParameterError("--levels has no effect on the gains of Change Detection.")
    qrels, *runs = args.runs
    scores = score(args.qrels, qrels, runs, **args.keywords(score))
    scores.page(args.output, args.title or "Change Detection", args.command)
    return 2 if scores.invalid else 0
