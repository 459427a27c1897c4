"""`ir_trunc answers`: scores of a log of answers, its risk by coverage, and the threshold for a risk."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import takewhile
from typing import Any

import numpy as np

from ir_trunc._cli._arguments import Words, cli_command, measures_in
from ir_trunc._core.errors import ParameterError, counted
from ir_trunc._core.lazy import plots
from ir_trunc._output.tables import table_text
from ir_trunc._scoring.results import as_table
from ir_trunc._scoring.runs import by_file_name
from ir_trunc.answers import AnswerLog, read_log

__all__ = ["main"]

_DECLARED = """
log LOG  JSON lines, see below
words [LOG ...] [MEASURE ...]*  other logs, which are compared with the first; then measures, c@1 for example
    (default for one log: c@1, UF, and what others count of risk and coverage)
--risk X  print the threshold for this risk, 0 to 1
--delta X  probability with which the risk of the threshold may be higher on other questions
= columns measures places plot
--judge em|f1  of a log: compare answers with references, by exact match or token F1 after SQuAD's
    normalisation
= correct-from abstains all-answerable
"""


@cli_command("answers", _DECLARED)
def main(args: Words) -> None:
    """How good are a system's answers, and which should it have kept back? Score a log of answers, each with
    its confidence, and whether it was correct. A question whose answer is null or empty is unanswered.

    log: JSON lines (.gz as well) with the fields

      id           of the question
      answer       also prediction; null or "" where the system gave none
      correct      true, false, or a number from 0 to 1; or
      references   right answers, for --judge; [] where there is none
      confidence   optional; the table of risk and coverage and --risk need it
      answerable   optional: whether the question has an answer
      group        optional: scores by group

    Risk is the share of wrong answers among those given; coverage is the share of the answers that are given.
    The threshold of --risk is chosen on the questions of the log: on other questions its risk is higher half
    of the time or more. With --delta 0.1 the risk on other questions is higher with a probability of at most
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
    if args.delta is not None and args.risk is None:
        raise ParameterError("--delta needs --risk: the risk that the threshold promises.")
    # An error for what is neither a measure nor looks like the path of a log.
    is_log = {word: os.path.exists(word) or not measures_in(word) for word in args.words}
    paths = [args.log, *takewhile(is_log.__getitem__, args.words)]
    if paths[1:] and (args.plot is not None or args.risk is not None):
        raise ParameterError("--risk and --plot are for one log.")
    words = args.words[len(paths) - 1 :]
    logs, places = logs_of(args, paths), 4 if args.places is None else args.places
    measures = args.measures_of(words) if words or args.measures is not None or paths[1:] else []
    if logs[1:]:
        parts = _compared(dict(zip(by_file_name(paths), logs)), measures, places)
    else:
        parts = _scored(logs[0], args, measures, places)
    print("\n\n".join(parts))


def _scored(log: AnswerLog, args: Words, measures: list[Any], places: int) -> Iterator[str]:
    """The scores of a log, its risk by coverage, and the threshold for a risk."""
    if measures:
        means = log.calc(measures).aggregated
        scores = as_table({"score": list(means.values())}, [str(measure) for measure in means])
        yield from (str(log), table_text(scores, places))
    else:
        figures = log.figures()
        by_source = figures.groupby("source", sort=False)
        sources = "\n".join(f"{', '.join(of.index)}: {source}" for source, of in by_source)
        yield from (str(log), table_text(figures[["score"]], places), sources)
    if log.groups and measures:
        yield table_text(log.by_group(measures), places)
    if not log.has_confidence and args.plot is None and args.risk is None:
        yield "The log has no confidence: no risk by coverage."
        return
    curve = log.risk_coverage()
    deciles = np.searchsorted(curve["coverage"], np.arange(1, 11) / 10 - 1e-12)
    columns = ["threshold", "answers", "coverage", "risk"]
    yield table_text(curve.iloc[np.unique(deciles)][columns].reset_index(drop=True), places)
    answered, unanswered = curve["answers"].iloc[-1], log.counts["unanswered"]
    if unanswered and not measures:
        answers, questions = counted(answered, "answer"), counted(len(log.run), "question")
        yield f"In this table, coverage is a share of the {answers}; above it, of the {questions}."
    if args.risk is not None:
        threshold = log.threshold(args.risk, args.delta)
        row = curve[curve["threshold"] == threshold].iloc[0]
        elsewhere = "half of the time or more; --delta promises more"
        if args.delta is not None:
            elsewhere = f"with a probability of at most {args.delta:g}"
        yield (
            f"Threshold for a risk of at most {args.risk:g}: {threshold!r}\n(on this log"
            f" {row['answers']:.0f} of {curve['answers'].iloc[-1]} answers are given, with a risk of"
            f" {row['risk']:.4g}; on other questions it is above {args.risk:g} {elsewhere})"
        )
    if args.plot is not None:
        plots._kit.save_picture(plots.risk_coverage(curve).figure, args.plot)


def _compared(logs: Mapping[str, AnswerLog], measures: list[Any], places: int) -> Iterator[str]:
    """Counts and scores of logs of the same questions, with intervals and tests of differences."""
    from ir_trunc._compare import compare

    for log in logs.values():
        log.calc(measures)  # which refuses what the logs do not say
    runs = {name: log.run for name, log in logs.items()}
    first, *_ = logs
    comparison = compare(measures, logs[first]._qrels(nil=False), runs, baseline=first, intervals=True)
    yield table_text(as_table([{"questions": len(log.run), **log.counts} for log in logs.values()], [*logs]))
    notes = tuple(note for note in comparison.notes if not note.startswith("Empty lists"))  # they are counted
    yield replace(comparison, unit="question", notes=notes).marked(places).text()


def logs_of(args: Words, paths: Sequence[str]) -> list[AnswerLog]:
    """Logs as the options say, which tell each other which questions have an answer."""
    understood = args.of(("correct_from", "all_answerable", "abstains"))
    logs = [read_log(path, args.judge, columns=args.reading.get("columns"), **understood) for path in paths]
    return [reduce(AnswerLog.with_answerable, logs, log) for log in logs]
