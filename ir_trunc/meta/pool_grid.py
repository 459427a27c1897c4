"""Pool depth against evaluation depth: discriminative power over the whole grid.

Webber, Moffat & Zobel, 2010.

Each measure is seen in three forms:

    raw            the score itself
    normalised     the score over that of the ideal list (all relevant documents of the pool, best first, to
                   the same evaluation depth); 0 where that is 0. So AP@k becomes AP with the divisor
                   min(k, R), and DCG@k nDCG@k
    standardised   (score - mean) / sd, by topic, over the systems themselves; 0 where all are equal
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from ir_trunc.core.errors import ParameterError
from ir_trunc.core.rankings import Floats, Judgments, Rankings, offsets_of
from ir_trunc.measures.params import Choice, Number, Whole
from ir_trunc.measures.parts import over
from ir_trunc.meta.declare import procedure
from ir_trunc.meta.depths import at_depth, check_residual, texts_of
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.meta.options import Alpha, Names, Several
from ir_trunc.meta.pool_grids import PoolGrid
from ir_trunc.meta.pools import PooledRuns, own_formulas
from ir_trunc.meta.significance import power
from ir_trunc.meta.standardisation import Reference
from ir_trunc.scoring.objects import MeasureLike, parse_measure


def _raw(raw: ScoreMatrix, best: Floats) -> ScoreMatrix:
    return raw


def _normalised(raw: ScoreMatrix, best: Floats) -> ScoreMatrix:
    return replace(raw, values=over(raw.values, np.broadcast_to(best[:, None, :], raw.values.shape)))


def _standardised(raw: ScoreMatrix, best: Floats) -> ScoreMatrix:
    return Reference.of(raw).standardise(raw)


# From scores and those of the ideal lists (M x T) to each form of the scores.
_FORMED = {"raw": _raw, "normalised": _normalised, "standardised": _standardised}
FORMS = tuple(_FORMED)


@procedure(source="Webber, Moffat & Zobel, EVIA 2010")
def pool_grid(
    measures: MeasureLike,
    pools: PooledRuns,
    pool_depths: Annotated[Sequence[int], Several("depths of the pools", Whole("depth"))] = (
        5,
        10,
        20,
        50,
        100,
    ),
    depths: Annotated[Sequence[int], Several("evaluation depths", Whole("depth"))] = (
        5,
        10,
        20,
        50,
        100,
        1000,
    ),
    forms: Annotated[Iterable[str], Several("forms of the scores", Choice("form", FORMS))] = FORMS,
    pooled: Annotated[Iterable[str] | None, Names("systems that feed the pool, by default all")] = None,
    residual: Annotated[
        float | None,
        Number("residual at depth k, for '{p}' in a measure (0.1 where not given)", 0, 1, inside=True),
    ] = None,
    alpha: Alpha = 0.05,
) -> PoolGrid:
    """Discriminative power of measures at every pool depth and evaluation depth.

    Parameters
    ----------
    measures : text, measure or list of both
        Without a cutoff: '@k' is added. '{p}' in a text stands for the persistence whose residual at depth k
        is `residual`, as in 'RBP(p={p}, rel=1)'.
    pools : PooledRuns
        Runs with the judged documents in them, from `meta.pooled_runs(qrels, runs)`.
    pool_depths, depths : sequence of int
        Depths of the pools and evaluation depths, 1 or more.
    forms : {'raw', 'normalised', 'standardised'} or list of these
        Forms of the scores.
    pooled : list of str, optional
        Systems that feed the pool, by default all.
    residual : float, optional
        Between 0 and 1; 0.1 where not given.
    alpha : float
        Significance level of the paired t test, between 0 and 1.

    Returns
    -------
    PoolGrid
        Discriminative power, and the size of each pool.

    Raises
    ------
    ParameterError
        For a residual without '{p}' in any measure.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> from ir_trunc.synthetic import demo
    >>> pools = meta.pooled_runs(demo.data() / "demo.qrels", sorted(demo.data().glob("*.run")))
    >>> meta.pool_grid("AP P", pools, pool_depths=[1, 2], depths=[1, 2], forms="raw", alpha=0.2).judged
    (7, 13)
    """
    from tqdm import tqdm

    names = tuple(texts_of(measures))
    kinds, sizes, ends = tuple(forms), tuple(pool_depths), tuple(depths)
    if not names:
        raise ParameterError("A grid needs at least one measure.")
    check_residual(residual, names)
    feeding = pools.systems if pooled is None else tuple(pooled)
    texts = [at_depth(name, k, residual) for k in ends for name in names]
    bound = dict(zip(texts, own_formulas(parse_measure(text) for text in texts)))
    share = np.empty((len(sizes), len(texts), len(kinds)))
    keeps = [pools.in_pool(depth, feeding) for depth in sizes]
    for at, keep in enumerate(tqdm(keeps, desc="pools", unit="pool", disable=None, delay=1, leave=False)):
        raw = pools.matrix(bound, keep)
        if kinds != ("raw",):
            raw.refuse_whole_run(texts, "give forms=['raw']")
        best = np.array([measure.score(ideal(pools.judgments(keep))) for measure in bound.values()])
        for column, form in enumerate(kinds):
            share[at, :, column] = power(_FORMED[form](raw, best), alpha=alpha).share
    return PoolGrid(
        sizes,
        ends,
        names,
        kinds,
        share.reshape(len(sizes), len(ends), len(names), len(kinds)),
        tuple(int(keep.sum()) for keep in keeps),
        np.array([pools.coverage(depth, feeding) for depth in sizes]),
        alpha,
        len(pools.qrels.judgments.topics),
        len(pools.systems),
    )


def ideal(judgments: Judgments) -> Rankings:
    """The ideal list of every topic: its relevant documents, best first, and nothing else."""
    relevant = judgments.grades > 0
    lengths = np.bincount(judgments.rows[relevant], minlength=len(judgments.topics))
    offsets = offsets_of(lengths)
    ranks = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths) + 1
    return Rankings(judgments, lengths, offsets, ranks, judgments.grades[relevant], offsets[:-1])
