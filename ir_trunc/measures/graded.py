"""Graded relevance and question answering: the Q-measure and its family (Sakai 2004).

A nil query's right answer is silence: the empty list scores 1 and any other list 0, in every measure here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np

from ir_trunc._core.arrays import Floats, Ints
from ir_trunc.measures.declaration import measure
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import Choice, Flag, GradeGains, Number
from ir_trunc.measures.parts import Gains, OfJudged, count, grade_groups, mapped, nil, over, scale_of

SAKAI = (
    "Sakai, NTCIR-4, 2004,"
    " http://research.nii.ac.jp/ntcir/workshop/OnlineProceedings4/OPEN/NTCIR4-OPEN-SakaiTrev.pdf"
)
SAKAI_AGR = "Sakai, SIGIR 2003, https://doi.org/10.1145/860435.860525"
KANDO = "Kando, Kuriyama & Yoshioka, IPSJ SIG Notes FI-63-12, 2001, http://ci.nii.ac.jp/naid/110002934331"

QUESTION = "How good are answers of several grades, if some mean the same and a question may have none?"

GainWeight = Annotated[float, Number("weight of gain against count", 0, inside=True)]
Divisor = Annotated[
    Literal["cut", "full"], Choice("divisor of a list that is cut at k: R but at most k, or always R")
]
Adjusted = Annotated[bool, Flag("whether gains are adjusted to the topic, as in AGR")]


def adjusted_gains(lists: Lists, gains: dict[int, float] | None) -> Gains:
    """gain(X) - R(X)/R (gain(X) - gain(X')), X' the next lower level; unadjusted where R(X) = R."""
    plain = mapped(lists, gains)
    judgments = lists.judgments
    levels = np.union1d(judgments.levels, [x for x, worth in (gains or {}).items() if worth > 0])
    worth = scale_of(gains)(levels)
    by_gain = np.argsort(worth, kind="stable")
    below = np.empty(len(worth))
    below[by_gain] = np.concatenate(([0.0], worth[by_gain][:-1]))
    R, grades = plain.R, grade_groups(judgments)

    def units(row: Ints, grade: Ints, size: Ints) -> Floats:
        at = np.searchsorted(levels, grade)
        same = (size * (worth[at] > 0)).astype(np.float64)
        share = np.where(same == R[row], 0.0, over(same, R[row]))
        return worth[at] - share * (worth[at] - below[at])

    of_judged, of_hits = np.zeros(len(judgments.grades)), np.zeros(len(lists.grade))
    of_judged[judgments.grades > 0] = np.repeat(units(grades.row, grades.grade, grades.size), grades.size)
    hits = np.flatnonzero(lists.grade)
    row, grade = lists.row[hits], lists.grade[hits]
    of_hits[hits] = units(row, grade, grades.around(row, grade)[1])
    if 0 in levels:  # where the map gives it a gain
        zeros, seen = np.flatnonzero(judgments.grades == 0), np.flatnonzero(lists.raw_grade == 0)
        row = judgments.rows[zeros]
        size = np.bincount(row, minlength=len(R))
        of_judged[zeros] = units(row, judgments.grades[zeros], size[row])
        of_hits[seen] = units(lists.row[seen], lists.raw_grade[seen], size[lists.row[seen]])
    return Gains(lists, of_hits, OfJudged.of(judgments, of_judged), of_hits)


def averaged(
    lists: Lists, gains: Gains, at_relevant: Callable[[Floats, Floats], Floats], most: int | None
) -> Floats:
    """1/R times the sum over relevant ranks of a ratio of cg and cig; R is at most `most`."""
    cg, cig = lists.running(gains.units), gains.ideal().at_hits(lists.rank)
    R = lists.spread(gains.R if most is None else np.minimum(gains.R, most))
    ratio = np.where(gains.relevant, at_relevant(cg, np.where(gains.relevant, cig, 1.0)), 0.0)
    return over(lists.sum(ratio), R, otherwise=lambda: nil(lists))


def at_R(lists: Lists, gains: Gains, beta: float, bonus: int) -> Floats:
    """(beta cg(R) + bonus count(R)) / (beta cig(R) + bonus R); a list shorter than R keeps its last cg."""
    in_reach = lists.rank <= gains.rank_of_last
    R = gains.R
    cg, hits = lists.sum(in_reach * gains.units), lists.sum(in_reach & gains.relevant)
    cig = gains.ideal().at_points(lists.spread(R))
    return over(beta * cg + bonus * hits, beta * cig + bonus * lists.spread(R), otherwise=lambda: nil(lists))


@measure(source=f"{SAKAI}, eq. 5 (the beta of the gains is later)")
def Q(
    lists: Lists,
    beta: GainWeight = 1.0,
    gains: GradeGains = None,
    adjusted: Adjusted = False,
    ideal: Divisor = "cut",
) -> Floats:
    """Q-measure: average precision for graded relevance, which goes on falling after rank R.

    1/R sum over relevant ranks r of (beta cg(r) + count(r)) / (beta cig(r) + r)

    cg and cig are the cumulated gains of the list and of the ideal list. Q@k: ranks to k, divisor min(k, R)
    as in aAP@k (Webber et al. 2010, eq. 4), or with ideal='full' R, as in figure 2 of Sakai (2004).
    """
    worth = (adjusted_gains if adjusted else mapped)(lists, gains)
    hits = count(lists, worth)
    most = lists.k if ideal == "cut" else None
    return averaged(lists, worth, lambda cg, cig: (beta * cg + hits) / (beta * cig + lists.rank), most)


@measure(source=f"{SAKAI}, eq. 6")
def RMeasure(
    lists: Lists, beta: GainWeight = 1.0, gains: GradeGains = None, adjusted: Adjusted = False
) -> Floats:
    """R-measure: the blended ratio of the Q-measure at rank R alone.

    (beta cg(R) + count(R)) / (beta cig(R) + R)

    A list shorter than R keeps its last cg.
    """
    return at_R(lists, (adjusted_gains if adjusted else mapped)(lists, gains), beta, bonus=1)


@measure(source=f"{KANDO}; Sakai, NTCIR-4, 2004, eq. 3")
def AWP(lists: Lists, gains: GradeGains = None) -> Floats:
    """Average weighted precision.

    1/R sum over relevant ranks r of cg(r) / cig(r)

    AWP@k: ranks to k, divisor min(k, R). A single relevant document earns 1 at whatever rank; the Q-measure
    mends that.
    """
    return averaged(lists, mapped(lists, gains), lambda cg, cig: cg / cig, lists.k)


@measure(source=f"{KANDO}; Sakai, NTCIR-4, 2004, eq. 4")
def RWP(lists: Lists, gains: GradeGains = None) -> Floats:
    """R-weighted precision.

    cg(R) / cig(R)

    A list shorter than R keeps its last cg.
    """
    return at_R(lists, mapped(lists, gains), beta=1, bonus=0)


@measure(source=f"{SAKAI_AGR}; Sakai, NTCIR-4, 2004, section 5.1 and eq. 7")
def AGR(lists: Lists, gains: GradeGains = None) -> Floats:
    """Average gain ratio: average weighted precision with gains adjusted to the topic.

    1/R sum over relevant ranks r of cg'(r) / cig'(r), gain'(X) = gain(X) - R(X)/R (gain(X) - gain(X'))

    X' is the next lower level of the scale (gain 0 under the lowest); a level that holds all relevant
    documents is not adjusted. Levels are those that occur anywhere in the qrels or in the gain map.
    """
    return averaged(lists, adjusted_gains(lists, gains), lambda cg, cig: cg / cig, lists.k)


@measure(source=f"{SAKAI_AGR}; Sakai, NTCIR-4, 2004, section 5.1 and eq. 7")
def RGR(lists: Lists, gains: GradeGains = None) -> Floats:
    """R-gain ratio: R-weighted precision with gains adjusted to the topic, as in AGR.

    cg'(R) / cig'(R)

    A list shorter than R keeps its last cg.
    """
    return at_R(lists, adjusted_gains(lists, gains), beta=1, bonus=0)
