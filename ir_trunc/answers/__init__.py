"""Answers: logs of a system that may decline, the threshold for a risk, and confidence against scores."""

from ir_trunc.answers._abstention import abstention_curve, nauc, risk_coverage

__all__ = ["abstention_curve", "nauc", "risk_coverage"]
