"""`ir_trunc check`: a gate for pipelines."""

from __future__ import annotations

import argparse
import shlex
import warnings
from collections.abc import Sequence
from typing import get_args

from ir_trunc._cli._arguments import QRELS, OneLineParser, add_flag, add_reading, add_topics, options_of
from ir_trunc._cli.answers import add_log_options, log_of
from ir_trunc._core.errors import ParameterError, printable
from ir_trunc._output.files import check_outputs, write_text
from ir_trunc._output.tables import table_text
from ir_trunc._reporting.gate import OF_NIL_QUERIES, Gate, Require, check, read_condition
from ir_trunc._reporting.report import MEASURES, report
from ir_trunc._scoring._runs import by_file_name

__all__ = ["main"]

_EPILOG = """
A condition is one of

  MEASURE worsens 0.02         the mean is worse than the baseline's by 0.02 or
                               more; also improves
  QUANTITY rises 5             it is higher by 5 or more; also drops
  MEASURE < 0.5                the mean is below 0.5; also <=, > and >=

and is about a measure, length (documents in a list), abstention.silent
(share of empty lists), abstention.precision (share of these that belong to
nil queries), or abstention.recall (share of nil queries with an empty list).

--require says when a condition has failed:

  observed   the observed value meets it
  shown      the confidence interval does not exclude that the true value meets
             it: too few topics fail
  certain    the whole confidence interval meets it: too few topics pass

--plan prints how many topics the limits need. With these, a run that has not
changed passes, and a run whose true change is twice the limit fails, each with
a probability of 0.95.

exit status: 0 if no condition has failed, 1 if one has, 2 if nothing can be
said, for bad input for example

example:
  ir_trunc check demo.qrels stops-in-time.run --baseline never-stops.run \\
      --fail-if 'RBPT worsens 0.02' --fail-if 'abstention.precision < 0.2'
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc check QRELS NEW --baseline OLD --fail-if CONDITION`, or LOG in place of QRELS NEW."""
    parser = _parser()
    args = parser.parse_intermixed_args(words)
    if not args.fail_if:
        raise ParameterError("No condition is given: --fail-if 'RBPT worsens 0.02', for example.")
    inputs = [args.qrels, args.run, args.baseline, args.topics]
    check_outputs([args.junit, args.report], inputs)
    if args.run is None:
        _read_logs(parser, args)
    elif args.judge is not None or args.correct_from is not None or args.all_answerable:
        raise ParameterError(
            "--judge, --correct-from and --all-answerable are for a log in place of QRELS NEW."
        )
    gate = check(
        args.fail_if,
        args.qrels,
        args.run,
        baseline=args.baseline,
        require=args.require,
        confidence=args.confidence,
        unit=args.unit,
        **options_of(args),
    )
    if args.plan:
        if args.junit is not None or args.report is not None:
            raise ParameterError("--plan checks nothing: leave --junit and --report out.")
        print(table_text(gate.plan()))
        return 0
    for line in gate.lines():
        print(printable(line))
    if args.junit is not None:
        write_text(args.junit, [gate.junit()])
    if args.report is not None:
        _write_page(args, gate, words)
    return 0 if gate.passed else 1


def _read_logs(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Put the qrels and runs of a log and its baseline where those of other data stand."""
    for name, value in options_of(args).items():
        if name != "columns" and value != parser.get_default(name):
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} has no effect on a log; qrels and a run are QRELS NEW.")
    if args.report is not None:
        raise ParameterError("--report needs qrels and a run; leave it out for a log.")
    conditions = [read_condition(condition) for condition in args.fail_if]
    measures = [condition.measure for condition in conditions if condition.measure is not None]
    logs = [log_of(args, path) for path in (args.qrels, args.baseline) if path is not None]
    for log in logs:  # each refuses what it cannot know
        if measures:
            log.calc(measures)
        if any(condition.name in OF_NIL_QUERIES for condition in conditions):
            log.qrels  # noqa: B018
    args.qrels, args.run, args.columns = logs[0].with_answerable(logs[-1]), logs[0].run, None
    if args.baseline is not None:
        args.baseline = logs[1].run


def _write_page(args: argparse.Namespace, gate: Gate, words: Sequence[str]) -> None:
    """Write a page of both runs under the measures of the conditions."""
    measures = [measure for text in args.fail_if if (measure := read_condition(text).measure) is not None]
    runs = by_file_name([path for path in (args.baseline, args.run) if path is not None])
    with warnings.catch_warnings():  # the check has given the warnings
        warnings.simplefilter("ignore")
        report(
            measures or MEASURES,
            args.qrels,
            runs,
            args.report,
            unit=args.unit,
            baseline=None if args.baseline is None else next(iter(runs)),
            title=f"{[*runs][-1]}: {'; '.join(args.fail_if)}",
            gate=gate,
            command=shlex.join(["ir_trunc", "check", *words]),
            **options_of(args),
        )


def _parser() -> argparse.ArgumentParser:
    about = "Fail where a new run is worse than it may be."
    parser = OneLineParser(prog="ir_trunc check", description=about, epilog=_EPILOG)
    parser.add_argument("qrels", metavar="QRELS", help=f"{QRELS}; or a log of answers, without NEW")
    parser.add_argument("run", metavar="NEW", nargs="?", help="TREC run file")
    parser.add_argument("--baseline", metavar="OLD", help="the run that changes are compared with")
    parser.add_argument("--fail-if", metavar="CONDITION", action="append", help="see below; may be repeated")
    about = "observed (the default), shown or certain: what a condition fails by"
    parser.add_argument("--require", choices=get_args(Require), default="observed", help=about)
    parser.add_argument("--plan", action="store_true", help="print how many topics the limits need instead")
    about = "level of the intervals (default 0.95)"
    parser.add_argument("--confidence", type=float, default=0.95, metavar="C", help=about)
    add_flag(parser, "unit")
    parser.add_argument("--report", metavar="FILE", help="also write a page that shows both runs")
    parser.add_argument("--junit", metavar="FILE", help="also write the checks as JUnit XML")
    add_topics(parser)
    add_reading(parser)
    add_log_options(parser)
    return parser
