"""How far two orderings of the same items agree: Kendall's tau, tau_ap and rank-biased overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from ir_trunc._core.errors import InputError
from ir_trunc._core.parameters import number, numbers, one_of
from ir_trunc._core.rankings import Floats, Ints

TieRule = Literal["a", "b", "w"]

_CELLS = 1 << 22  # values of one block of depths: 32 MB


def tau(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau b of two orderings: the share of pairs that they order alike, less that of the others.

    (C - D) / sqrt((C + D + X) (C + D + Y))

    C, D: pairs of items that both orderings have in one order, and in opposite orders; X, Y: pairs that only
    x, and only y, has tied. Symmetric, from -1 to 1; 0 where all values of one ordering are equal.

    Parameters
    ----------
    x, y : array_like of float
        A value of every item, in the order of the items; at least two. High values come first.

    Returns
    -------
    float

    Raises
    ------
    InputError
        Where x and y have different lengths, or fewer than two values.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> round(meta.tau([3, 2, 1], [3, 1, 2]), 3)
    0.333
    """
    coefficient = float(stats.kendalltau(*_same_items(x, y)).statistic)
    return 0.0 if np.isnan(coefficient) else coefficient


def tau_ap(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau that weighs the top (Yilmaz, Aslam & Robertson, SIGIR 2008).

    2/(N - 1) sum_{i = 2..N} C_i / (i - 1) - 1

    C_i: items above rank i of ordering x that y, too, has above the item at rank i. From -1 to 1. It is not
    symmetric. Where x has ties, it is the mean over all orders of the tied items, tau_AP,a of Urbano &
    Marrero (ICTIR 2017). Where y has ties, it is not defined: take `tau_ap_b`.

    Parameters
    ----------
    x : array_like of float
        A value of every item, in the order of the items. High values come first.
    y : array_like of float
        Values of the same items in the same order, without ties.

    Returns
    -------
    float

    Raises
    ------
    InputError
        Where x and y have different lengths or fewer than two values, or y has ties.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> meta.tau_ap([4, 3, 2, 1], [4, 3, 2, 1]), meta.tau_ap([1, 1, 1, 1], [4, 3, 2, 1])
    (1.0, 0.0)
    """
    a, b = _same_items(x, y)
    if len(np.unique(b)) < len(b):
        raise InputError(
            "The ordering y, against which tau_ap holds x, has ties: its coefficient is not defined for them."
            " Take tau_ap_b."
        )
    top = _ranks(a)[0]
    order, rank = np.argsort(top, kind="stable"), np.arange(1, len(a) + 1)
    # In the orders of a tie group, an item has each of the ranks equally often, and half of the other items
    # that may be above it are above it.
    of_group = np.bincount(top, weights=_above_in_both(a, b)) / np.maximum(1, np.bincount(top))
    C = of_group[top[order]] + (rank - top[order]) / 2
    return float(2 * np.mean(C[1:] / (rank[1:] - 1)) - 1)


def tau_ap_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """tau_AP,b (Urbano & Marrero, ICTIR 2017): tau_ap where neither ordering is the true one, with ties.

    (t(x, y) + t(y, x)) / 2, where t(x, y) = 2/M sum_i C_i / (p_i - 1) - 1

    i runs over the M items outside x's first tie group; p_i: the first rank of i's tie group in x; C_i: items
    above that group that y, too, has above i. Without ties t is `tau_ap`. Symmetric, from -1 to 1; 0 where
    all values of one ordering are equal.

    Parameters
    ----------
    x, y : array_like of float
        A value of every item, in the order of the items; at least two. High values come first.

    Returns
    -------
    float

    Raises
    ------
    InputError
        Where x and y have different lengths, or fewer than two values.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> meta.tau_ap_b([3, 2, 2, 1], [3, 2, 2, 1])
    1.0
    """
    a, b = _same_items(x, y)
    if (a == a[0]).all() or (b == b[0]).all():
        return 0.0
    return (above_ties(a, b) + above_ties(b, a)) / 2


def above_ties(a: Floats, b: Floats) -> float:
    """t(a, b) of `tau_ap_b`; 0 where all values of a are equal."""
    top = _ranks(a)[0]
    below = top > 1
    return float(2 * np.mean(_above_in_both(a, b)[below] / (top[below] - 1)) - 1) if below.any() else 0.0


def rbo(x: Any, y: Any, p: float = 0.9, ties: TieRule = "b") -> float:
    """Rank-biased overlap of two orderings, extrapolated (Webber, Moffat & Zobel, TOIS 2010).

    A_l p^l + (1 - p)/p sum_{d = 1..l} A_d p^d

    A_d: agreement of the two orderings down to depth d, the share of items in common; l: length of the longer
    one. Beyond the end of the shorter ordering, of length s, its unseen items are taken to agree as those to
    depth s do (A_s). Symmetric, from 0 to 1.

    Parameters
    ----------
    x, y : array_like of float, or dict
        Values of the same items in the same order, or `{item: value}` each, which may hold different items
        and differ in length. High values come first.
    p : float
        The persistence, between 0 and 1: how much deeper ranks weigh.
    ties : {'a', 'b', 'w'}
        What A_d is where a tie group crosses depth d (Corsi & Urbano, SIGIR 2024). 'a': the mean over all
        orders of tied items, for orderings of one length. 'b': this mean, corrected for what the ties leave
        open, so that an ordering with ties agrees with itself by 1. 'w': tied items share their first rank,
        as in sports (Webber et al.).

    Returns
    -------
    float

    Raises
    ------
    InputError
        Where an ordering is empty, or only one of them is a dict.
    ParameterError
        Where p or ties is not allowed.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> round(meta.rbo({"a": 3, "b": 2, "c": 1}, {"a": 9, "c": 8}), 4)
    0.82
    """
    p = number("p", p, 0, 1, inside=True)
    one_of("ties", ties, ("a", "b", "w"))
    (shorter, s), (longer, length) = sorted(_tops_and_bottoms(x, y), key=lambda ordering: ordering[1])
    only_longer = shorter[0] > length
    agreement, at_s = np.empty(length), 0.0
    step = max(1, _CELLS // len(only_longer))
    # The first block ends at depth s, where the agreement that the second part extrapolates is known.
    starts = [*range(1, s + 1, step), *range(s + 1, length + 1, step)]
    for d in (np.arange(start, min(start + step, (s if start <= s else length) + 1)) for start in starts):
        in_shorter, in_longer = (_contributions(ranks, d, ties) for ranks in (shorter, longer))
        beyond = np.maximum(0, d - s)
        active = (in_longer[only_longer] > 0).sum(axis=0)
        share = in_longer[only_longer].sum(axis=0) / np.maximum(1, active)
        common = (in_shorter * in_longer).sum(axis=0) + beyond * at_s * share
        if ties == "a":
            size = d.astype(np.float64)
        elif ties == "w":
            size = (in_shorter.sum(axis=0) + beyond + in_longer.sum(axis=0)) / 2
        else:
            size = np.sqrt(((in_shorter**2).sum(axis=0) + beyond) * (in_longer**2).sum(axis=0))
        agreement[d - 1] = common / size
        at_s = agreement[s - 1] if d[-1] == s else at_s
    depth = np.arange(1, length + 1)
    both = _contributions(shorter, depth[-1:], ties) * _contributions(longer, depth[-1:], ties)
    last = (both.sum() + (length - s) * at_s) / length
    return float(last * p**length + (1 - p) / p * np.sum(agreement * p**depth))


def _contributions(ranks: tuple[Ints, Ints], d: Ints, ties: TieRule) -> Floats:
    """How far each item is among the first d (items x depths), from its tie group's first and last rank."""
    top, bottom = (one[:, None] for one in ranks)
    if ties == "w":
        return (d >= top).astype(np.float64)
    return np.clip((d - top + 1) / (bottom - top + 1), 0.0, 1.0)


def _ranks(values: Floats) -> tuple[Ints, Ints]:
    """First and last rank of every item's tie group; high values come first."""
    first, last = (stats.rankdata(-values, method).astype(np.int64) for method in ("min", "max"))
    return first, last


def _above_in_both(a: Floats, b: Floats) -> Floats:
    """For every item, how many others both orderings have above it."""
    return np.array([((a > one) & (b > other)).sum() for one, other in zip(a, b)], dtype=np.float64)


def _same_items(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    a, b = numbers("x", x), numbers("y", y)
    if a.shape != b.shape or len(a) < 2:
        raise InputError(
            f"orderings of {a.size} and {b.size} items: the same items, at least two, are needed."
        )
    return a, b


def _tops_and_bottoms(x: Any, y: Any) -> list[tuple[tuple[Ints, Ints], int]]:
    """The first and last ranks of all items of either ordering, the absent ones last, and its length."""
    if isinstance(x, Mapping) != isinstance(y, Mapping):
        raise InputError("x and y: both must be {item: value}, or both the values of the same items.")
    if not isinstance(x, Mapping):
        return [(_ranks(values), len(values)) for values in _same_items(x, y)]
    items = list(dict.fromkeys([*x, *y]))
    absent, orderings = len(items) * 2 + 1, []
    for ordering in (x, y):
        values = numbers("ordering", list(ordering.values()))
        if not len(values):
            raise InputError("an ordering needs at least one item.")
        place = {item: position for position, item in enumerate(ordering)}
        positions = np.array([place.get(item, -1) for item in items])
        top, bottom = (np.where(positions < 0, absent, ranks[positions]) for ranks in _ranks(values))
        orderings.append(((top, bottom), len(values)))
    return orderings
