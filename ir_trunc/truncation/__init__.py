"""Truncation: policies that end lists, what they are worth, and files of their cuts.

Every policy of the registry is a class here, `from ir_trunc.truncation import Fixed`, and so are those that
others declare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir_trunc.truncation._fitting import Profile, falling_scores, rank_without_qrels
from ir_trunc.truncation._policy import Policy, PolicyDefinition, policy, registry
from ir_trunc.truncation._text import (
    parse_policy,
    policy_from_dict,
    read_cuts,
    truncate,
    write_cuts,
    write_run,
)
from ir_trunc.truncation._validation import cross_validate

if TYPE_CHECKING:  # what type checkers see; at run time the names are those of the registry
    from ir_trunc.truncation.policies.basic import (
        AdaptiveK as AdaptiveK,
        Fixed as Fixed,
        Given as Given,
        Greedy as Greedy,
        Knee as Knee,
        LargestGap as LargestGap,
        Nucleus as Nucleus,
        Oracle as Oracle,
        ScoreDistribution as ScoreDistribution,
        ScoreThreshold as ScoreThreshold,
        ShareOfTop as ShareOfTop,
        Surprise as Surprise,
    )
    from ir_trunc.truncation.policies.learned import Learned as Learned
    from ir_trunc.truncation.policies.risk import RiskControlled as RiskControlled

__all__ = [
    "Policy", "PolicyDefinition", "Profile", "cross_validate", "falling_scores",
    "parse_policy", "policy", "policy_from_dict", "rank_without_qrels", "read_cuts", "registry", "truncate",
    "write_cuts", "write_run", *registry,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in registry:
        return registry[name].kind
    if name == "study":  # which needs more than policies do
        from importlib import import_module

        return import_module("ir_trunc.truncation.study")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *registry, "study"})
