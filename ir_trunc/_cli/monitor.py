"""`ir_trunc monitor`: whether live lists still look like those that a policy was fitted on."""

from __future__ import annotations

from ir_trunc._cli._arguments import Words, cli_command
from ir_trunc._cli._process import say
from ir_trunc.truncation._text import load_policy

__all__ = ["main"]

_DECLARED = """
policy POLICY  a file that 'ir_trunc how-many -o' wrote, or policy.save after policy.fit
run RUN  TREC run file
--alpha X  highest probability of an alarm, in each call, where nothing has changed (default 0.05)
= reading
"""


@cli_command("monitor", _DECLARED)
def main(args: Words) -> int:
    """Do live lists still look like those that a policy was fitted on? Compare the lists of a run, before
    they are cut: the share of empty lists, the mean length that the policy leaves, and the distributions of
    the scores and of the number of retrieved documents. The policy was fitted with judgments; the run needs
    none. The table has medians of the scores and means of the lengths.

    exit status: 0 if no shift is shown, 1 if the lists no longer match, 2 if nothing can be said: fewer than
    20 lists, lists that are cut already, bad input

    example:
      $ ir_trunc how-many labels.json retrieved.json -o policy.json >advice.txt
      $ ir_trunc monitor policy.json live.json
      No shift is shown: 120 live lists, ScoreThreshold(threshold=0.64) fitted on 120.
        False alarms: at most 0.05, from 20 lists on.
      ...
    """
    policy = load_policy(args.policy)
    monitoring = policy.monitor(args.run, **args.keywords(policy.monitor), **args.reading)
    say(monitoring)
    if monitoring.shifted.any():
        return 1
    return 0 if monitoring.matches else 2
