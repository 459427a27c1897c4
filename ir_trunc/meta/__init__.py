"""Meta-evaluation: which measure can be trusted, for what, and at which depth.

Most begins with `score_matrix(measures, qrels, runs)`, simulated pools with `pooled_runs(qrels, runs)`. Every
procedure of the registry is a function here, `meta.power(matrix)`, and so are those that others declare with
`procedure`. Results are frozen; they print, convert with `to_pandas()`, are saved, and many draw with
`plot()`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from ir_trunc.meta.calibration import persistence, residual
from ir_trunc.meta.coefficients import rbo, tau, tau_ap, tau_ap_b
from ir_trunc.meta.matrix import ScoreMatrix, score_matrix
from ir_trunc.meta.pool_grid import CONDITIONS_2010, PAPER_2010, conditions
from ir_trunc.meta.pools import PooledRuns, pooled_runs
from ir_trunc.meta.procedures import ProcedureDefinition, exports, procedure, registry
from ir_trunc.meta.standardisation import Reference

if TYPE_CHECKING:  # what type checkers see; at run time the names are those of the registry
    from ir_trunc.meta.agreement import Agreement as Agreement
    from ir_trunc.meta.agreement import agreement as agreement
    from ir_trunc.meta.calibration import Calibration as Calibration
    from ir_trunc.meta.calibration import break_even as break_even
    from ir_trunc.meta.coverage import Coverage as Coverage
    from ir_trunc.meta.coverage import coverage as coverage
    from ir_trunc.meta.guide import Advice as Advice
    from ir_trunc.meta.guide import guide as guide
    from ir_trunc.meta.pool_grid import PoolGrid as PoolGrid
    from ir_trunc.meta.pool_grid import pool_grid as pool_grid
    from ir_trunc.meta.pools import LeftOut as LeftOut
    from ir_trunc.meta.pools import leave_group_out as leave_group_out
    from ir_trunc.meta.power import Power as Power
    from ir_trunc.meta.power import power as power
    from ir_trunc.meta.predictivity import Predictivity as Predictivity
    from ir_trunc.meta.predictivity import predictivity as predictivity
    from ir_trunc.meta.properties import PropertyTable as PropertyTable
    from ir_trunc.meta.properties import properties as properties
    from ir_trunc.meta.stability import ErrorRates as ErrorRates
    from ir_trunc.meta.stability import SwapRates as SwapRates
    from ir_trunc.meta.stability import error_rates as error_rates
    from ir_trunc.meta.stability import swap_rates as swap_rates
    from ir_trunc.meta.standardisation import standardised as standardised
    from ir_trunc.meta.truncation_impact import TruncationImpact as TruncationImpact
    from ir_trunc.meta.truncation_impact import truncation_impact as truncation_impact

# A command runs its procedures in the order in which they are declared.
for _module in ("stability", "predictivity", *(module.name for module in iter_modules(__path__))):
    import_module(f"{__name__}.{_module}")
globals().update(exports())  # over the modules of the same names

__all__ = [
    "CONDITIONS_2010",
    "PAPER_2010",
    "PooledRuns",
    "ProcedureDefinition",
    "Reference",
    "ScoreMatrix",
    "conditions",
    "persistence",
    "pooled_runs",
    "procedure",
    "rbo",
    "registry",
    "residual",
    "score_matrix",
    "tau",
    "tau_ap",
    "tau_ap_b",
    *sorted(exports().keys() - {"ScoreMatrix"}),
]


def __getattr__(name: str) -> Any:
    procedures = exports()  # with procedures that were declared later
    if name in procedures:
        return procedures[name]
    raise AttributeError(f"module 'ir_trunc.meta' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *exports()})
