"""Meta-evaluation: which measure can be trusted, for what, and at which depth.

Most begins with `score_matrix(measures, qrels, runs)`, simulated pools with `pooled_runs(qrels, runs)`. Every
procedure of the registry is a function here, `meta.power(matrix)`, and so are those that others declare with
`procedure`. Results are frozen; they print, convert with `to_pandas()`, are saved, and many draw with
`plot()`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ir_trunc.meta.agreement import (
    Agreement,
    TruncationImpact,
    agreement,
    rbo,
    tau,
    tau_ap,
    tau_ap_b,
    truncation_impact,
)
from ir_trunc.meta.calibration import Calibration, break_even, persistence, residual
from ir_trunc.meta.guide import Advice, guide
from ir_trunc.meta.matrix import Reference, ScoreMatrix, score_matrix, standardised
from ir_trunc.meta.pools import (
    CONDITIONS_2010,
    PAPER_2010,
    LeftOut,
    PooledRuns,
    PoolGrid,
    conditions,
    leave_group_out,
    pool_grid,
    pooled_runs,
)
from ir_trunc.meta.power import Power, power
from ir_trunc.meta.procedures import ProcedureDefinition, exports, procedure, registry
from ir_trunc.meta.properties import PropertyTable, properties
from ir_trunc.meta.stability import (
    Coverage,
    ErrorRates,
    Predictivity,
    SwapRates,
    coverage,
    error_rates,
    predictivity,
    swap_rates,
)

__all__ = [
    "CONDITIONS_2010", "PAPER_2010", "Advice", "Agreement", "Calibration", "Coverage", "ErrorRates",
    "LeftOut", "PoolGrid", "PooledRuns", "Power", "Predictivity", "ProcedureDefinition", "PropertyTable",
    "Reference", "ScoreMatrix", "SwapRates", "TruncationImpact", "agreement", "break_even", "conditions",
    "coverage", "error_rates", "guide", "leave_group_out", "persistence", "pool_grid", "pooled_runs", "power",
    "predictivity", "procedure", "properties", "rbo", "registry", "residual", "score_matrix", "standardised",
    "swap_rates", "tau", "tau_ap", "tau_ap_b", "truncation_impact",
]  # fmt: skip

for _module in iter_modules(__path__):  # procedures in further files
    import_module(f"{__name__}.{_module.name}")
__all__ += sorted({*exports()}.difference(__all__))


def __getattr__(name: str) -> Any:
    procedures = exports()  # with procedures of further files, and those that were declared later
    if name in procedures:
        return procedures[name]
    raise AttributeError(f"module 'ir_trunc.meta' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *exports()})
