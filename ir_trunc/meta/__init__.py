"""Meta-evaluation: which measure can be trusted, for what, and at which depth. See `score_matrix` for the way in."""

from ir_trunc.meta.agreement import Agreement, agreement, rbo, tau, tau_ap
from ir_trunc.meta.matrix import ScoreMatrix, score_matrix
from ir_trunc.meta.power import Power, power

__all__ = ["Agreement", "Power", "ScoreMatrix", "agreement", "power", "rbo", "score_matrix", "tau", "tau_ap"]
