"""`ir_trunc check`: a gate for pipelines."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ir_trunc._check import Gate, check, gate_of, read_conditions
from ir_trunc._cli._arguments import QRELS, Words, cli_command
from ir_trunc._cli._process import say
from ir_trunc._cli.answers import logs_of
from ir_trunc._core.errors import ParameterError, noted, printable
from ir_trunc._inference.estimate import QUANTITIES
from ir_trunc._output.files import write_text
from ir_trunc._read.text import digested
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.runs import by_file_name, score_each

__all__ = ["main"]

_DECLARED = f"""
qrels QRELS  {QRELS}; or a log of answers, without NEW
run NEW?  TREC run file
--baseline OLD  the run that changes are compared with
--fail-if CONDITION...  see below; may be repeated
--require observed|shown  when a condition has failed, see below (default observed)
--by KEY  with --keys: the lists of each value of this key must pass by themselves
--report FILE  also write a page that shows both runs
= alpha unit scoring
--junit FILE  also write the checks as JUnit XML
--judge FILE|em|f1  of QRELS NEW: labels of all topics by a model, where QRELS are those of people for some;
    of a log: compare answers with references, by exact match or token F1 after SQuAD's normalisation
= correct-from abstains all-answerable
"""


@cli_command("check", _DECLARED)
def main(args: Words) -> int:
    """Is a new run worse than it may be? The exit status says so to a pipeline.

    A condition is one of

      MEASURE worsens 0.02         the mean is worse than the baseline's by 0.02 or
                                   more; also improves
      QUANTITY rises 5             it is higher by 5 or more; also drops
      MEASURE < 0.5                the mean is below 0.5; also <=, > and >=

    and is about a measure or one of these quantities:

      passages            documents in a list
      kept                share of the answerable queries whose list keeps a
                          relevant document
      unanswered          share of the nil queries that get the empty list
      wrongly             share of the empty lists whose query has an answer
      abstention.silent   share of empty lists

    --require says when a condition has failed:

      observed   the observed value meets it
      shown      the confidence interval does not exclude that the true value meets
                 it: too few topics fail

    exit status: 0 if no condition has failed, 1 if one has, 2 if nothing can be said, for bad input for
    example

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc check demo.qrels stops-in-time.run --fail-if 'RBPT < 0.5'
      passed     RBPT < 0.5: 0.5775 [0.2227, 0.8738], 7 topics
      Nil queries, on which silence is right: 1 of 7.
      7 topics are few, and intervals are wide: take 10 or more.
    """
    if not args.fail_if:
        raise ParameterError("No condition is given: --fail-if 'RBPT worsens 0.02', for example.")
    options = args.keywords(check) | args.scoring
    if args.run is None:
        qrels, run, of_logs = _of_logs(args)
        options |= of_logs
    elif args.judge in ("em", "f1") or args.of(("correct_from", "all_answerable", "abstains")):
        options_of_logs = "--judge em|f1, --correct-from, --all-answerable and --abstains"
        raise ParameterError(f"{options_of_logs} are for a log in place of QRELS NEW.")
    elif args.report is not None:
        return _with_page(args)
    else:
        qrels, run = args.with_judge(args.qrels), args.run
    return _told(args, check(args.fail_if, qrels, run, **options))


def _told(args: Words, gate: Gate) -> int:
    """Print the verdicts; the exit status."""
    for line in gate.lines():
        say(printable(line))
    if args.junit is not None:
        write_text(args.junit, [gate.junit()])
    return 0 if gate.passed else 1


def _of_logs(args: Words) -> tuple[Any, Any, dict[str, Any]]:
    """The qrels and runs of a log and its baseline."""
    scoring = args.scoring | args.of(["levels"])
    for name in scoring.keys() - {"columns"}:
        option = name.replace("_", "-")
        raise ParameterError(f"--{option} has no effect on a log; qrels and a run are QRELS NEW.")
    if args.report is not None:
        raise ParameterError("--report needs qrels and a run; leave it out for a log.")
    conditions, measures = read_conditions(args.fail_if, args.baseline)
    logs = logs_of(args, [path for path in (args.qrels, args.baseline) if path is not None])
    for log in logs:  # each refuses what it cannot know
        if measures:
            log.calc(measures)
        if any(QUANTITIES.get(condition.name, (None, 0))[1] for condition in conditions):
            log.qrels  # noqa: B018
    baseline = logs[1].run if logs[1:] else None
    return logs[0]._qrels(nil=False), logs[0].run, {"columns": None, "baseline": baseline}


def _with_page(args: Words) -> int:
    """Check, and write a page of both runs under the measures of the conditions: each input is read once."""
    pages = import_module("ir_trunc._report.report")  # which stands on the gate, not the gate on it
    conditions, measures = read_conditions(args.fail_if, args.baseline)
    runs = by_file_name([path for path in (args.baseline, args.run) if path is not None])
    *old, new = runs
    named = {"baseline": old[0] if old else None, "title": f"{new}: {'; '.join(args.fail_if)}"}
    with noted() as notes, digested() as files:
        evaluator = Evaluator(measures or pages.MEASURES, args.with_judge(args.qrels), **args.scoring)
        scored = dict(score_each(evaluator, runs, alike=True, keep_scores=True))
        gate = gate_of(conditions, *reversed(scored.values()), notes=notes, **args.keywords(gate_of))
        status = _told(args, gate)
        options = args.keywords(pages.page_of) | named
        page = pages.page_of(evaluator, runs, scored.items(), notes, files, gate=gate, **options)
    write_text(args.report, [page])
    return status
