"""Truncation: policies that end lists, what they are worth, and files of their cuts."""

from ir_trunc.truncation.files import parse_policy, ranked, read_cuts, write_cuts, write_run
from ir_trunc.truncation.policies import Fixed, Given, Greedy, LargestGap, Oracle, Policy, ScoreThreshold, ShareOfTop
from ir_trunc.truncation.validation import cross_validate

__all__ = [
    "Fixed",
    "Given",
    "Greedy",
    "LargestGap",
    "Oracle",
    "Policy",
    "ScoreThreshold",
    "ShareOfTop",
    "cross_validate",
    "parse_policy",
    "ranked",
    "read_cuts",
    "write_cuts",
    "write_run",
]
