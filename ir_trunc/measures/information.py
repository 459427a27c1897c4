"""Information: how far a list and the judgments say the same (Amigó et al. 2018, 2022)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np

from ir_trunc._core.arrays import Floats
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.definition import UNBOUNDED, ListPart
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import QRELS, TOOL, Choice, Documents, Number
from ir_trunc.measures.parts import collection_sizes
from ir_trunc.measures.standing import grade_groups, standing

AMIGO_OIE = "Amigó, Giner, Mizzaro & Spina, ICTIR 2018, https://doi.org/10.1145/3234944.3234958"

QUESTION = (
    "How much does the list tell of the judgments, with noise and with silence both counted against it?"
)

Part = Annotated[
    Literal["all", "S", "G", "joint"], Choice("the measure, or one of its three parts: H(S), H(G) or H(S,G)")
]
JointWeight = Annotated[
    float, Number("weight of the joint information; above 1, noise and silence both cost", 0)
]


def end_unless_joint(beta: float, part: str, **others: object) -> tuple[ListPart, ...]:
    """With beta=1 noise costs nothing, and the score is the information that list and judgments share."""
    return () if part == "G" or (part == "all" and beta == 1) else ("end",)


@measure(
    source=f"{AMIGO_OIE}; Amigó, Mizzaro & Spina, SIGIR 2022, section 3.4",
    range=UNBOUNDED,
    reads=end_unless_joint,
    ties="grades",
)
def OIE(lists: Lists, D: Documents = 20000, beta: JointWeight = 1.05, part: Part = "all") -> Floats:
    """Observational information effectiveness: the information that list and judgments share, in nats.

    H(S) + H(G) - beta H(S,G)

    H(S) = -sum over the retrieved of ln(i/D); H(G) = -sum over the relevant of ln(|{grade >= its own}|/D);
    H(S,G) = -sum over all of ln(|{rank no lower and grade no lower}|/D). Documents outside the list share the
    last rank, grades are 0 where nothing is judged, and the factor 1/D is left out. A document that is not
    relevant, or not retrieved, has as much joint information as it has alone; only relevant retrieved
    documents have less, and gain ln(documents as good, to its rank) - ln(rank) - ln(documents as good, in all
    / D). D='qrels': the documents that are judged or in the list. part='S', 'G' and 'joint' are H(S), H(G)
    and H(S,G) alone. In the largest collections m relevant documents behind m others beat one on top where
    beta is below (2m - 1)/m, and in smaller ones where it is lower still. Empty list: H(G) (1 - beta), which
    is 0 for a nil query.
    """
    judged = lists.spread(np.diff(lists.judgments.offsets))
    unjudged = lists.n - lists.sum(np.ones(len(lists.row))).astype(np.int64)
    size = np.maximum(collection_sizes(lists, TOOL if D == QRELS else D), judged + unjudged)
    log = natural_logs(len(lists.ranks))
    hit = standing(lists)
    gain = np.zeros(len(lists.row))
    gain[hit.at] = log[hit.as_good] - log[lists.rank[hit.at]] - log[hit.as_good_in_all]
    distinct, at = np.unique(size, return_inverse=True)
    of_size: Floats = np.array([math.log(max(1, number)) for number in distinct.tolist()])[at]
    shared = lists.sum(gain) + lists.sum(lists.grade > 0) * of_size
    H_S = lists.n * of_size - lists.prefix(log)
    grades = grade_groups(lists.judgments)
    coded = grades.sum(grades.size * log[grades.better + grades.size])
    H_G = lists.spread(grades.R) * of_size - lists.spread(coded)
    if part == "all":
        return H_S + H_G - beta * (H_S + H_G - shared)
    return {"S": H_S, "G": H_G, "joint": H_S + H_G - shared}[part]


@lru_cache(maxsize=4)
def natural_logs(size: int) -> Floats:
    """ln max(1, i) for i = 0, 1, 2, ..., size - 1, by `math` as the discounts are."""
    values = np.fromiter(map(math.log, (1, *range(1, size))), np.float64)
    values.flags.writeable = False
    return values
