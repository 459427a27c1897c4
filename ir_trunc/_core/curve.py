"""A score at every depth of every list. The score of a list and its best cut are both read from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ir_trunc._core import arrays
from ir_trunc._core.arrays import Floats, Ints, indices_of_rows, offsets_of
from ir_trunc._core.errors import InputError, counted, option
from ir_trunc._core.lazy import npt, pd
from ir_trunc._core.parameters import flag, instance

TOLERANCE = 1e-12
"""Scores this close to the best count as equal, as a share of the largest magnitude in the curve."""


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """The score of each list if it ended after d = 0, 1, ..., n documents.

    Parameters
    ----------
    topics : tuple of str
        Q ids.
    offsets : array of int64
        Q + 1 offsets into `values`.
    values : array of float64
        Topic `q` has the n + 1 values `values[offsets[q]:offsets[q + 1]]`, the first for the empty list. NaN
        for depths above the first that was tried, where answers were graded at some depths alone.
    lower_is_better : bool
        Whether the scores are losses.

    Raises
    ------
    InputError
        If the offsets do not fit the topics and the values, or leave a topic without a value.

    Examples
    --------
    >>> from ir_trunc import Rankings
    >>> from ir_trunc.measures import lookup
    >>> rankings = Rankings.from_lists([[1, None, 1]], judged=[[1, 1, 1]])
    >>> curve = lookup("SetF").bind({}).curve(rankings)
    >>> for topic, values in curve.rows():
    ...     print(topic, values.round(2))
    1 [0.   0.5  0.4  0.67]
    >>> curve.best()[0]
    array([3])
    """

    topics: tuple[str, ...]
    offsets: Ints
    values: Floats
    lower_is_better: bool = False

    def __post_init__(self) -> None:
        instance("topics", self.topics, tuple, "a tuple of ids")
        arrays.check_array("values", self.values, "float64", "scores", self.values)
        flag("lower_is_better", self.lower_is_better)
        arrays.check_offsets("offsets of the curve", self.offsets, len(self.topics), len(self.values))
        if (np.diff(self.offsets) < 1).any():
            raise InputError("offsets of the curve: every topic needs a value, for the empty list at least.")

    def __repr__(self) -> str:
        longest = (np.diff(self.offsets) - 1).tolist()
        lists = f"lists of {min(longest)} to {counted(max(longest), 'document')}" if longest else "no list"
        return f"Curve({counted(len(self.topics), 'topic')}, {lists})"

    def own(self) -> Floats:
        """The score of every list at its own length (Q): the last value of its curve."""
        return self.values[self.offsets[1:] - 1]

    def best(self) -> tuple[Ints, Floats]:
        """The best depth and the best score of every list: the highest, or the lowest of a loss.

        Scores that are equal by their formula may differ in their last digits. A score counts as best if it
        is within 1e-12 of the best, relative to the largest magnitude in the list's curve.

        Returns
        -------
        depths : array of int64
            Q depths; of several best depths the lowest.
        scores : array of float64
            Q scores, the best of each curve.
        """
        sign = -1.0 if self.lower_is_better else 1.0
        depths, top = lowest_of_best(sign * self.values, self.offsets, TOLERANCE)
        return depths, 0.0 + sign * top  # 0.0, and never -0.0

    def at(self, depth: npt.ArrayLike) -> Floats:
        """The score of every list cut after `depth` documents.

        Parameters
        ----------
        depth : int or array of int
            One number for all lists, or one for each topic. A shorter list has the score of its own end.

        Returns
        -------
        array of float64
            Q scores.

        Raises
        ------
        InputError
            If a depth is not a whole number >= 0, or a list has no score there.
        """
        longest = np.diff(self.offsets) - 1
        indices: Ints = self.offsets[:-1] + np.minimum(arrays.checked_depths(depth, self.topics), longest)
        return self.scored(self.values[indices], indices - self.offsets[:-1])

    def scored(self, scores: Floats, depths: Ints) -> Floats:
        """Scores at these depths (Q); InputError where a list has none."""
        for q in arrays.first_true(np.isnan(scores)):
            known = np.isfinite(self.values[self.offsets[q] : self.offsets[q + 1]])
            least = f"the lowest depth that was tried is {known.argmax()}"
            if not known.any():
                least = f"the run has no list for it; {option('missing', 'exclude')} leaves it out"
            cut = counted(int(depths[q]), "document")
            raise InputError(f"topic {self.topics[q]} has no graded answer for a list of {cut}: {least}.")
        return scores

    def take(self, positions: Ints) -> Curve:
        """The curves of some of the topics, by their positions."""
        sizes = np.diff(self.offsets)[positions]
        values = self.values[indices_of_rows(self.offsets[positions], sizes)]
        topics = tuple(self.topics[q] for q in positions.tolist())
        return Curve(topics, offsets_of(sizes), values, self.lower_is_better)

    def rows(self) -> Iterator[tuple[str, Floats]]:
        """Each topic with its values for d = 0..n."""
        for q, topic in enumerate(self.topics):
            yield topic, self.values[self.offsets[q] : self.offsets[q + 1]]

    def to_pandas(self) -> pd.DataFrame:
        """One row for each topic and depth: query_id, depth, value."""
        lengths = np.diff(self.offsets)
        depth = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], lengths)
        columns = {"query_id": np.repeat(self.topics, lengths), "depth": depth, "value": self.values}
        return pd.DataFrame(columns)


def lowest_of_best(values: Floats, offsets: Ints, tolerance: float = 0.0) -> tuple[Ints, Floats]:
    """The first index in each row whose value is the highest within the tolerance, and the highest value."""
    top: Floats = np.fmax.reduceat(values, offsets[:-1])
    lengths = np.diff(offsets)
    place = np.arange(len(values)) - np.repeat(offsets[:-1], lengths)
    good_enough = top - tolerance * np.fmax.reduceat(np.abs(values), offsets[:-1]) if tolerance else top
    reached = values >= np.repeat(good_enough, lengths)
    return np.minimum.reduceat(np.where(reached, place, lengths.max()), offsets[:-1]), top


def bin_of(length: npt.ArrayLike) -> Ints:
    """The bin of a length; bins double in width: 0 for 0, 1 for 1 to 4, and i for 2^i + 1 to 2^(i+1)."""
    values = np.asarray(length, dtype=np.float64)
    bins: Ints = np.maximum(1, np.ceil(np.log2(np.maximum(values, 1))) - 1).astype(np.int64)
    return np.where(values == 0, 0, bins)


def bin_name(number: int) -> str:
    """The lengths in a bin: '0', '1-4', '5-8', '9-16', ..."""
    return "0" if number == 0 else f"{1 if number == 1 else 2**number + 1}-{2 ** (number + 1)}"
