"""Pool depth and evaluation depth as values: measures at a depth, and scores under several conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, overload

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, shown, warn
from ir_trunc._core.parameters import instance, mapping, number, several, text, whole
from ir_trunc.measures.declaration import items_of, parse
from ir_trunc.meta.calibration import persistence
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.meta.pools import PooledRuns
from ir_trunc.scoring.objects import MeasureLike, parse_measure, written

Depths = Mapping[str, tuple[int | None, int | None]]
"""Pool depth and evaluation depth by the name of a condition."""

PAPER_2010 = "aAP anDCG(dcg='jk') RBP(p={p},rel=1)"
"""The measures of Webber, Moffat & Zobel (2010).

nDCG has the discount of 2002, and an ideal list that is cut at the evaluation depth.
"""

CONDITIONS_2010: Depths = {"shallow": (10, 10), "extended": (10, 100), "deep": (100, 100)}
"""Pool depth and evaluation depth in the three conditions of Webber, Moffat & Zobel (2010)."""

_PERSISTENCE = "{p}"
_HALF = 0.5


@overload
def conditions(
    measures: MeasureLike | Mapping[str, MeasureLike],
    pools: PooledRuns,
    depths: Depths,
    *,
    pooled: Iterable[str] | None = None,
    residual: float | None = None,
) -> ScoreMatrix: ...


@overload
def conditions(
    measures: PooledRuns,
    pools: Depths,
    depths: MeasureLike | Mapping[str, MeasureLike],
    *,
    pooled: Iterable[str] | None = None,
    residual: float | None = None,
) -> ScoreMatrix: ...


def conditions(
    measures: Any,
    pools: Any,
    depths: Any,
    *,
    pooled: Iterable[str] | None = None,
    residual: float | None = None,
) -> ScoreMatrix:
    """Scores under several conditions of pool depth and evaluation depth, in one matrix.

    `meta.power` and `meta.agreement` of the matrix compare measures across conditions. The first three
    arguments may also be given in the order pools, depths, measures.

    Parameters
    ----------
    measures : text, measure or list of both, or {condition: these}
        Measures without a cutoff: '@k' is added. '{p}' in a text stands for the persistence whose residual
        at depth k is `residual`, as in 'RBP(p={p},rel=1)'.
    pools : PooledRuns
        Runs with the judged documents in them, from `meta.pooled_runs(qrels, runs)`.
    depths : {condition: (pool depth, evaluation depth)}
        Depths in documents, 1 or more. None as pool depth keeps all judgments, None as evaluation depth looks
        at whole lists.
    pooled : list of str, optional
        Systems that feed the pools, by default all.
    residual : float, optional
        Between 0 and 1; 0.1 where not given.

    Returns
    -------
    ScoreMatrix
        Its measures are called 'measure@k, condition'.

    Raises
    ------
    ParameterError
        For a measure with a cutoff of its own where the condition sets one, for '{p}' without an evaluation
        depth, or for a residual without '{p}' in any measure.
    InputError
        Where `depths` names no condition, or `measures` names others.

    Warns
    -----
    IrTruncWarning
        Where fewer than half of the ranks that a pool covers are judged.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> pools = meta.pooled_runs(demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> found = meta.conditions("AP nDCG", pools, {"shallow": (1, 1), "deep": (5, 5)})
    >>> found.measures
    ('AP@1, shallow', 'nDCG@1, shallow', 'AP@5, deep', 'nDCG@5, deep')
    """
    if isinstance(measures, PooledRuns):
        measures, pools, depths = depths, measures, pools
    pools = instance("pools", pools, PooledRuns, "the result of meta.pooled_runs(qrels, runs)")
    wanted = _depths(depths)
    asked = _by_condition(measures, list(wanted))
    check_residual(residual, [one for texts in asked.values() for one in texts])
    parts = {}
    for name, (pool, depth) in wanted.items():
        parsed = [parse_measure(at_depth(one, depth, residual)) for one in asked[name]]
        keep = None
        if pool is not None:
            keep, coverage = pools.in_pool(pool, pooled), pools.coverage(pool, pooled)
            if coverage < _HALF:
                judged = f"{100 * coverage:.0f} % of the first {pool} ranks of the pooled runs are judged"
                warn(
                    f"{name}: {judged}, and the simulated pool lacks the others; PooledRuns.coverage has the"
                    " share for any depth."
                )
        parts[name] = pools.score(parsed, keep)
    topics = pools.qrels.judgments.topics
    nothing = ScoreMatrix((), pools.systems, topics, np.empty((0, len(pools.systems), len(topics))))
    return nothing.joined(parts)


def at_depth(measure: str, depth: int | None, residual: float | None = None) -> str:
    """A measure's text at an evaluation depth.

    '{p}' in it becomes the persistence whose residual there is the one given, or 0.1 where none is.
    """
    if depth is None:
        if _PERSISTENCE in measure:
            raise ParameterError(
                f"{measure}: {_PERSISTENCE} stands for the persistence of an evaluation depth, and there is"
                " none: write a number."
            )
        return measure
    weight = 0.1 if residual is None else number("residual", residual, 0, 1, inside=True)
    filled = measure.replace(_PERSISTENCE, repr(persistence(weight, depth)))
    if parse(filled)[2] is not None:
        raise ParameterError(f"{measure} has a cutoff, and the evaluation depth sets it: leave it out.")
    return f"{filled}@{depth}"


def check_residual(residual: float | None, measures: Iterable[str]) -> None:
    """Raise ParameterError where a residual is given and no measure has a place for its persistence."""
    if residual is not None and not any(_PERSISTENCE in measure for measure in measures):
        raise ParameterError(
            f"residual={shown(residual)} is for measures with {_PERSISTENCE}, as 'RBP(p={_PERSISTENCE},"
            " rel=1)', and none has it: write such a measure, or leave residual out."
        )


def texts_of(measures: Any) -> list[str]:
    """The texts of measures that have no cutoff yet, each once."""
    wanted = items_of("measures", measures, "a text without a cutoff as 'AP P' or a measure object")
    return list(dict.fromkeys(one if isinstance(one, str) else written(parse_measure(one)) for one in wanted))


def _depths(depths: Any) -> dict[str, tuple[int | None, int | None]]:
    given = mapping("depths", depths, "{condition: (pool depth, evaluation depth)}")
    if not given:
        raise InputError("depths names no condition: at least one is needed.")
    found = {}
    for name, both in given.items():
        where = f"depths[{shown(name)}]"
        values = several(where, both, "a pool depth and an evaluation depth")
        if len(values) != 2:
            raise ParameterError(f"{where}={shown(both)}: a pool depth and an evaluation depth are needed.")
        pool, depth = (
            None if value is None else whole(f"{where}, {what}", value, 1)
            for value, what in zip(values, ("pool depth", "evaluation depth"))
        )
        found[text("condition", name)] = (pool, depth)
    return found


def _by_condition(measures: Any, names: list[str]) -> dict[str, list[str]]:
    """The texts of the measures of each condition."""
    if not isinstance(measures, Mapping):
        measures = dict.fromkeys(names, measures)
    if set(measures) != set(names):
        raise InputError(
            f"measures are given for {', '.join(map(shown, measures))}, and the conditions are"
            f" {', '.join(map(shown, names))}: measures for each of these are needed."
        )
    found = {name: texts_of(measures[name]) for name in names}
    for name, texts in found.items():
        if not texts:
            raise ParameterError(f"No measure is given for {shown(name)}; 'AP nDCG', for example.")
    return found
