"""The old name of a package that is private now."""

from ir_trunc._core.deprecation import former

former(__name__, "ir_trunc._scoring", "evaluator", "results")
