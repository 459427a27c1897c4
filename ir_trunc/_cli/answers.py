"""`ir_trunc answers`: scores of a decision log, its risk by coverage, and the threshold for a risk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import reduce
from itertools import takewhile

import numpy as np

from ir_trunc._cli._arguments import OneLineParser, Words, measures_in
from ir_trunc._core.errors import ParameterError
from ir_trunc._output.tables import table_text
from ir_trunc._scoring._runs import by_file_name
from ir_trunc._scoring.results import as_table
from ir_trunc.truncation._log import DecisionLog, read_log

__all__ = ["main"]

_ABOUT = """\
How good are a system's answers, and which should it have kept back? Score a log
of answers, each with its confidence, and whether it was correct. A
question whose answer is null or empty is unanswered."""

_EPILOG = """
log: JSON lines (.gz as well) with the fields

  id           of the question
  answer       also prediction; null or "" where the system gave none
  correct      true, false, or a number from 0 to 1; or
  references   right answers, for --judge; [] where there is none
  confidence   optional; the table of risk and coverage and --risk need it
  answerable   optional: whether the question has an answer
  group        optional: scores by group

Risk is the share of wrong answers among those given; coverage is the share of
the answers that are given. The threshold of --risk is chosen on the questions
of the log: on other questions its risk is higher about half of the time. With
--delta 0.1 the risk on other questions is higher with a probability of at most
0.1.

example:
  $ cat log.jsonl
  {"id": 1, "answer": "Paris", "correct": true}
  {"id": 2, "answer": "Rome", "correct": false}
  {"id": 3, "answer": null}
  $ ir_trunc answers log.jsonl c@1
  3 questions: 1 correct, 1 wrong, 1 unanswered

       score
  c@1 0.4444

  The log has no confidence: no risk by coverage.
"""

_DECLARED = """
log LOG  JSON lines, see below
words MEASURE ...*  c@1, for example; before them other logs, which are compared with the first
--risk X  print the threshold for this risk, 0 to 1
--delta X  probability with which the risk of the threshold may be higher on other questions
= columns measures places plot
"""
LOG_OPTIONS = """
--judge em|f1  of a log: compare answers with references, by exact match or token F1 after SQuAD's
    normalisation
--correct-from X  of a log: lowest correctness of a right answer (default 1)
--abstains TEXT...  of a log: an answer that stands for none, "I don't know"; may be repeated
--all-answerable  of a log: questions have an answer unless the log says that they have none
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc answers LOG ... MEASURE ...`."""
    args = OneLineParser("answers", _ABOUT, _DECLARED + LOG_OPTIONS, _EPILOG).read(words)
    if args.delta is not None and args.risk is None:
        raise ParameterError("--delta needs --risk: the risk that the threshold promises.")
    for word in args.words:
        if not os.path.exists(word):
            measures_in(word)  # an error for what is neither a measure nor a log
    if args.words and os.path.exists(args.words[0]):
        return _compare(args)
    measures = args.measures_of(args.words)
    if args.plot is not None:
        from ir_trunc.plots._kit import check_picture

        check_picture(args.plot, [args.log])
    (log,) = logs_of(args, [args.log])
    places = 4 if args.places is None else args.places
    means = log.calc(measures).aggregated
    scores = as_table({"score": list(means.values())}, [str(measure) for measure in means])
    parts = [str(log), table_text(scores, places)]
    if log.groups:
        parts.append(table_text(log.by_group(measures), places))
    if log.has_confidence:
        curve = log.risk_coverage()
        deciles = np.searchsorted(curve["coverage"], np.arange(1, 11) / 10 - 1e-12)
        columns = ["threshold", "answers", "coverage", "risk"]
        parts.append(table_text(curve.iloc[np.unique(deciles)][columns].reset_index(drop=True), places))
    elif args.plot is not None or args.risk is not None:
        log.risk_coverage()  # says what is missing
    else:
        parts.append("The log has no confidence: no risk by coverage.")
    if args.risk is not None:
        threshold = log.threshold(args.risk, args.delta)
        row = curve[curve["threshold"] == threshold].iloc[0]
        elsewhere = "about half of the time; --delta promises more"
        if args.delta is not None:
            elsewhere = f"with a probability of at most {args.delta:g}"
        parts.append(
            f"Threshold for a risk of at most {args.risk:g}: {threshold!r}\n(on this log"
            f" {row['answers']:.0f} of {curve['answers'].iloc[-1]} answers are given, with a risk of"
            f" {row['risk']:.4g}; on other questions it is above {args.risk:g} {elsewhere})"
        )
    if args.plot is not None:
        from ir_trunc.plots import risk_coverage
        from ir_trunc.plots._kit import new_figure, save_picture

        figure = new_figure(6.4, 4.0)
        risk_coverage(curve, figure.add_subplot())
        save_picture(figure, args.plot, "none")
    print("\n\n".join(parts))
    return 0


def _compare(args: Words) -> int:
    """Print counts and scores of logs of the same questions, with intervals and tests of differences."""
    from ir_trunc._reporting.compare import compare

    if args.plot is not None or args.risk is not None:
        raise ParameterError("--risk and --plot are for one log.")
    others = [*takewhile(os.path.exists, args.words)]
    paths, measures = [args.log, *others], args.measures_of(args.words[len(others) :])
    logs = logs_of(args, paths)
    for log in logs:
        log.calc(measures)  # which refuses what the logs do not say
    runs = dict(zip(by_file_name(paths), (log.run for log in logs)))
    comparison = compare(measures, logs[0]._qrels(nil=False), runs, baseline=next(iter(runs)), intervals=True)
    counts = as_table([{"questions": len(log.run), **log.counts} for log in logs], list(runs))
    places = 4 if args.places is None else args.places
    print("\n\n".join([table_text(counts), comparison.marked(places).text()]))
    return 0


def logs_of(args: Words, paths: Sequence[str]) -> list[DecisionLog]:
    """Logs as the options say, which tell each other which questions have an answer."""
    understood = args.of(("correct_from", "all_answerable", "abstains"))
    logs = [read_log(path, args.judge, columns=args.reading.get("columns"), **understood) for path in paths]
    return [reduce(DecisionLog.with_answerable, logs, log) for log in logs]
