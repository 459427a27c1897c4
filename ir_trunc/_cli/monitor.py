"""`ir_trunc monitor`: whether live lists still look like those that a policy was fitted on."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._cli._arguments import OneLineParser, add_reading, reading_of
from ir_trunc.truncation._text import load_policy

__all__ = ["main"]

_ABOUT = (
    "Compare the lists of a run, before they are cut, with those that a policy was fitted on. No judgments"
    " are needed. Compared are the share of empty lists, the mean length that the policy leaves, and the"
    " distributions of the scores and of the number of retrieved documents."
)
_EPILOG = """
exit status: 0 if no shift is shown, 1 if the lists no longer match, 2 if
nothing can be said, for bad input for example

example:
  ir_trunc monitor stop.json live.run
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc monitor POLICY RUN`."""
    parser = OneLineParser(prog="ir_trunc monitor", description=_ABOUT, epilog=_EPILOG)
    parser.add_argument("policy", metavar="POLICY", help="a file that policy.save wrote after policy.fit")
    parser.add_argument("run", metavar="RUN", help="TREC run file")
    about = "highest probability of an alarm where nothing has changed (default 0.05)"
    parser.add_argument("--false-alarms", type=float, default=0.05, metavar="SHARE", help=about)
    add_reading(parser)
    args = parser.parse_args(words)
    policy = load_policy(args.policy)
    monitoring = policy.monitor(args.run, false_alarms=args.false_alarms, **reading_of(args))
    print(monitoring)
    return 0 if monitoring.matches else 1
