"""Webber, Moffat & Zobel (2010): Tables 1 to 3 and the figures that the text gives, on TREC-8.

nDCG has the discount of 2002 and its ideal list cut at k; RBP is binary; all runs are pooled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ir_trunc._core.rankings import Floats
from ir_trunc.meta.agreement import agreement
from ir_trunc.meta.depths import CONDITIONS_2010, PAPER_2010, conditions
from ir_trunc.meta.matrix import ScoreMatrix
from ir_trunc.meta.pools import PooledRuns, pooled_runs
from ir_trunc.meta.significance import power
from ir_trunc.meta.standardisation import Reference
from ir_trunc.reporting.reproduction.cells import Cells
from ir_trunc.reporting.reproduction.declare import Collection, printed, reproduction

NDCG = "anDCG(dcg='jk')"
ORDERS = {"10": f"P R AP {NDCG}", "all": "RBP(p=0.8,rel=1)", "1000": f"P R AP {NDCG} RBP(p=0.9977,rel=1)"}
"""The measures of Table 2 by their evaluation depth."""


@reproduction(
    source="Webber, Moffat & Zobel, Information Retrieval 2010",
    data="all 129 runs of TREC-8's ad hoc task, topics 401 to 450",
    notes=(
        "Runs are in the order of their 64-bit scores.",
        "In Table 2 the measures at depth 10 see a pool of depth 10, and RBP.8 sees all of a list.",
        "On TREC-8 the three figures of the text that differ are one system pair of 8,256 short each.",
    ),
)
def webber2010(collection: Collection) -> Iterator[Cells]:
    """Discriminative power, and agreement between measures at several depths of pool and evaluation."""
    qrels, runs = collection
    pools = pooled_runs(qrels, runs, order="score64")
    figures = printed("webber2010")

    basic = pools.score(["P@10", "RBP(p=0.8,rel=1)", "RBP(p=0.95,rel=1)", "AP", f"{NDCG}@1000"])
    yield _shares("Table 1", figures["table_1"], power(basic).share.tolist())

    orders = conditions(ORDERS, pools, {"10": (10, 10), "all": (None, None), "1000": (None, 1000)})
    yield _triangle("Table 2", figures["table_2"], agreement(orders).values)

    measures = dict.fromkeys(CONDITIONS_2010, PAPER_2010) | {"shallow": PAPER_2010.replace("{p}", "0.8")}
    matrix = conditions(measures, pools, CONDITIONS_2010)
    yield _triangle("Table 3", figures["table_3"], agreement(power(matrix)).values)

    of_ndcg = [name for name in matrix.measures if name.startswith("anDCG")]
    taus = agreement(matrix.take(measures=of_ndcg)).values
    pairs, three = figures["figure_2"], [taus[0, 1], taus[0, 2], taus[2, 1]]
    yield Cells("Figure 2", ["nDCG"] * 3, list(pairs), list(pairs.values()), three, 3)

    shares = [float(power(matrix).share[0]) for matrix in _in_the_text(pools)]
    yield _shares("Figure 4, text", figures["figure_4"], shares)


def _in_the_text(pools: PooledRuns) -> Iterator[ScoreMatrix]:
    """The conditions that the text of section 5 names, in the order of the printed figures."""

    def standardised(measure: str) -> ScoreMatrix:
        raw = pools.score(measure)
        return Reference.of(raw).standardise(raw)

    yield standardised("AP@100")
    yield pools.score("R@100")
    yield pools.score("R@10", pools.in_pool(10))
    yield standardised("AP@10")
    yield pools.score(f"{NDCG}@20", pools.in_pool(20))
    yield pools.score(f"{NDCG}@20", pools.in_pool(5))


def _shares(title: str, figures: dict[str, float], shares: Sequence[float]) -> Cells:
    """Shares of system pairs, a row for each."""
    return Cells(title, list(figures), ["share of pairs"] * len(figures), list(figures.values()), shares, 3)


def _triangle(title: str, figures: dict[str, Sequence[Sequence[float]]], taus: Floats) -> Cells:
    """The cells above the diagonal of a symmetric table."""
    names = [str(name) for name in figures["measures"]]
    places = [(row, row + 1 + at) for row, cells in enumerate(figures["rows"]) for at in range(len(cells))]
    rows, columns = [names[row] for row, _ in places], [names[column] for _, column in places]
    in_print = [figure for cells in figures["rows"] for figure in cells]
    return Cells(title, rows, columns, in_print, [float(taus[place]) for place in places], places=2)
