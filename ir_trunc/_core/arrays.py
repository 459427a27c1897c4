"""Flat arrays with offsets, and checks of arrays that come from outside.

A flat array holds one row of values for each of Q topics: row `q` is the slice `offsets[q]:offsets[q + 1]`.
Arrays are checked where objects are made of them, and trusted everywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.lazy import npt

LARGEST = 2**63 - 1  # the largest whole number that arrays hold

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]


class Texts:
    """Ids one after the other: id i has the bytes from offsets[i] to offsets[i + 1], in UTF-8."""

    def __init__(self, offsets: npt.NDArray[np.int32], data: bytes | npt.NDArray[np.uint8]):
        self.offsets, self.data = offsets, data

    @classmethod
    def of(cls, ids: Sequence[str]) -> Texts:
        """The UTF-8 of texts; UnicodeEncodeError where one has none."""
        joined = "".join(ids)
        pieces: Sequence[str | bytes] = ids if joined.isascii() else list(map(str.encode, ids))
        offsets = np.fromiter(accumulate(map(len, pieces), initial=0), np.int32, len(pieces) + 1)
        return cls(offsets, joined.encode())

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def to_list(self) -> list[str]:
        """As Python's own texts."""
        data = bytes(self.data)
        return [data[start:end].decode() for start, end in pairwise(self.offsets.tolist())]


def offsets_of(lengths: Ints | Bools | Sequence[int]) -> Ints:
    """Offsets (Q + 1) of rows with these lengths (Q)."""
    sums = np.zeros(len(lengths) + 1, np.int64)
    np.add.accumulate(lengths, out=sums[1:])
    return sums


def sizes_of(offsets: Ints) -> Ints:
    """Lengths (Q) of rows with these offsets (Q + 1). `np.diff` is slower: it takes any axis and order."""
    return offsets[1:] - offsets[:-1]


def indices_of_rows(starts: Ints, lengths: Ints) -> Ints:
    """Indices of the values of rows with these starts and lengths, row after row."""
    ends = offsets_of(lengths)
    indices: Ints = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], lengths)
    return indices


def distinct(values: Ints) -> Ints:
    """The values, ascending, each once."""
    # np.unique imports numpy.ma, which takes longer than scoring a small run.
    ascending = np.array(values)
    ascending.sort()
    first = np.empty(len(ascending), bool)
    first[:1] = True
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def first_of(scores: Floats, starts: Ints, lengths: Ints) -> Floats:
    """The score of each list's first document (Q); -inf for an empty list."""
    first = np.full(len(lengths), -np.inf)
    first[lengths > 0] = scores[starts[lengths > 0]]
    return first


def first_true(mask: npt.ArrayLike) -> list[int]:
    """The index of the first true value, as a list; the empty list where all are false."""
    indices: list[int] = np.flatnonzero(mask)[:1].tolist()
    return indices


def as_array(name: str, given: Any, needed: str) -> npt.NDArray[Any]:
    """An array of any type; InputError where none can be made: of rows of several lengths, for example."""
    try:
        # Tensors of torch refuse to be arrays while they have a gradient, and in a type that numpy lacks.
        tensor = given.detach() if callable(getattr(given, "detach", None)) else given
        tensor = tensor.float() if str(getattr(tensor, "dtype", "")).endswith("bfloat16") else tensor
        array: npt.NDArray[Any] = np.asarray(tensor)
    except Exception as error:  # a tensor may be on a device
        why = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"{name}={shown(given)}: {needed}; {why}.") from None
    if masked(given) is not None:
        raise InputError(f"{name}: {needed}, without a mask.")
    return array


def masked(array: Any) -> Bools | None:
    """Which values of an array of numpy.ma are masked; None where none are, or for another array."""
    mask = getattr(array, "mask", None) if isinstance(array, np.ndarray) else None
    return mask if isinstance(mask, np.ndarray) and mask.dtype.kind == "b" and mask.any() else None


def checked_depths(given: npt.ArrayLike, topics: Sequence[str]) -> Ints:
    """Depths as integers >= 0, one for all lists or one for each topic; InputError for anything else."""
    needed = "a whole number from 0 to 2^63 - 1 is needed, or one for each topic"
    depth = as_array("depth", given, needed)
    kind = depth.dtype.kind
    if depth.ndim > 1 or (depth.ndim and len(depth) != len(topics)):
        what = f"one for all, or one for each of {len(topics)} topics is needed"
        raise InputError(f"depth has the shape {depth.shape}: {what}.")
    if depth.size and kind not in "iu" and (kind != "f" or (depth != np.floor(depth)).any()):
        raise InputError(f"depth {shown(given)}: {needed}.")
    for place in first_true(~((depth >= 0) & (depth <= LARGEST))):
        topic = f"topic {topics[place]}, " if depth.ndim else ""
        raise InputError(f"{topic}depth {depth.ravel()[place]}: {needed}.")
    return depth.astype(np.int64, copy=False)


def mask(given: npt.ArrayLike, topics: int) -> Bools:
    """A truth value for each topic; InputError for anything else, positions for example."""
    keep = as_array("which topics", given, "a mask is needed")
    if keep.dtype.kind != "b" or keep.shape != (topics,):
        needed = f"a mask, True or False for each of {topics} topics, is needed"
        raise InputError(f"which topics: {needed}, not {keep.dtype} of shape {keep.shape}.")
    return keep


def check_array(name: str, array: Any, kind: str, axis: str, each: Any) -> None:
    """InputError unless this is an array of this type with one value for each item of an axis, or None."""
    if array is None and kind.endswith("None"):
        return
    if not isinstance(array, np.ndarray) or array.dtype.kind != np.dtype(kind.split()[0]).kind:
        has = f"array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
        raise InputError(f"{name} is of type {has}: array of {kind} is needed.")
    if array.ndim != 1 or len(array) != len(each):
        raise InputError(f"{name} has the shape {array.shape}: one value for each of the {axis} is needed.")


def check_integers(name: str, array: Any, size: int | None = None) -> None:
    """InputError unless this is a flat array of integers, of this size where one is given."""
    if not (isinstance(array, np.ndarray) and array.dtype.kind == "i" and array.ndim == 1):
        kind = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
        raise InputError(f"{name}: a flat array of whole numbers (int64) is needed, not {kind}.")
    if size is not None and len(array) != size:
        raise InputError(f"{name} has {len(array)} values: {size} are needed.")


def check_offsets(name: str, array: Any, rows: int, total: int) -> None:
    """InputError unless these are offsets of `rows` rows into `total` values."""
    check_integers(name, array, rows + 1)
    if array[0] != 0 or array[-1] != total or (np.diff(array) < 0).any():
        needed = f"offsets that rise from 0 to {total} are needed"
        raise InputError(f"{name}: {needed}, not {array[0]} to {array[-1]}.")
