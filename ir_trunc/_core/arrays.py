"""What arrays of lists and judgments must be: checked where they are made, trusted everywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError

HIGHEST_GRADE = 2**31 - 1

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


def depths(given: npt.ArrayLike, topics: Sequence[str]) -> npt.NDArray[np.int64]:
    """Depths at which lists end, one for all or one for each topic: whole numbers >= 0, or InputError."""
    needed = "a whole number from 0 to 2^63 - 1 is needed, or one for each topic"
    try:
        depth = np.asarray(given)
        whole = depth.dtype.kind in "iu" or (
            depth.dtype.kind == "f" and bool((depth == np.floor(depth)).all())
        )
    except (ValueError, TypeError):  # rows of several lengths
        raise InputError(f"depth {given!r}: {needed}.") from None
    if depth.ndim > 1 or (depth.ndim and len(depth) != len(topics)):
        raise InputError(
            f"depth has the shape {depth.shape}: one for all, or one for each of {len(topics)} topics is"
            " needed."
        )
    if not whole and depth.size:
        raise InputError(f"depth {given!r}: {needed}.")
    if bad := places(~((depth >= 0) & (depth <= np.iinfo(np.int64).max))):
        topic = f"topic {topics[bad[0]]}, " if depth.ndim else ""
        raise InputError(f"{topic}depth {depth.ravel()[bad[0]]}: {needed}.")
    return depth.astype(np.int64, copy=False)


def positions(given: npt.ArrayLike, topics: int) -> npt.NDArray[np.int64]:
    """Positions among so many topics; InputError for a mask, and for a position that is not there."""
    at = np.asarray(given)
    if at.size and at.dtype.kind not in "iu":
        raise InputError(
            f"positions of topics: whole numbers are needed, not {at.dtype}; np.flatnonzero makes them of a"
            " mask."
        )
    if at.ndim != 1 or bool(((at < 0) | (at >= topics)).any()):
        raise InputError(
            f"positions of topics: a flat list of numbers from 0 to {topics - 1} is needed, not {given!r}."
        )
    return at.astype(np.int64)


def mask(given: npt.ArrayLike, topics: int) -> npt.NDArray[np.bool_]:
    """A truth value for each topic; InputError for anything else, positions for example."""
    keep = np.asarray(given)
    if keep.dtype.kind != "b" or keep.shape != (topics,):
        what = f"{keep.dtype} of shape {keep.shape}"
        raise InputError(
            f"which topics: a mask, True or False for each of {topics} topics, is needed, not {what}."
        )
    return keep


def places(wrong: npt.ArrayLike) -> list[int]:
    """The first place where something is wrong; empty where there is none."""
    at: list[int] = np.flatnonzero(wrong)[:1].tolist()
    return at


def whole(name: str, array: Any, shape: int | None = None) -> None:
    """InputError unless this is a flat array of whole numbers, of this length."""
    if not (isinstance(array, np.ndarray) and array.dtype.kind == "i" and array.ndim == 1):
        kind = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
        raise InputError(f"{name}: a flat array of whole numbers (int64) is needed, not {kind}.")
    if shape is not None and len(array) != shape:
        raise InputError(f"{name} has {len(array)} values: {shape} are needed.")


def offsets(name: str, array: Any, rows: int, total: int) -> None:
    """InputError unless these are offsets of `rows` rows into `total` values."""
    whole(name, array, rows + 1)
    if array[0] != 0 or array[-1] != total or (np.diff(array) < 0).any():
        raise InputError(
            f"{name}: offsets that rise from 0 to {total} are needed, not {array[0]} to {array[-1]}."
        )


def finite(name: str, array: Any, low: float = -np.inf) -> None:
    """InputError unless all these numbers are finite and not below `low`."""
    if not (isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.ndim == 1):
        raise InputError(f"{name}: a flat array of numbers (float64) is needed.")
    if bad := places(~(np.isfinite(array) & (array >= low))):
        least = "" if low == -np.inf else f" >= {low:g}"
        raise InputError(f"{name}: {array[bad[0]]} at place {bad[0]}; finite numbers{least} are needed.")


def reach(name: str, starts: Array, lengths: Array, total: int) -> None:
    """InputError where a list reaches beyond its flat array of values."""
    ends = np.where(lengths > 0, starts + lengths, 0)
    if (starts < 0).any() or ends.max(initial=0) > total:
        raise InputError(
            f"starts: lists reach from {starts.min()} to {ends.max()}, but there are {total} {name}."
        )


def of_documents(name: str, values: Array | None, starts: Array, lengths: Array, low: float) -> None:
    """InputError unless these are finite numbers >= `low` for the documents of all lists, or None."""
    if values is not None:
        finite(name, values, low)
        reach(name, starts, lengths, len(values))


def of_lists(name: str, values: Array | None, lists: int) -> None:
    """InputError unless this is a number for each list, or None."""
    if values is not None and (not isinstance(values, np.ndarray) or values.shape != (lists,)):
        raise InputError(f"{name}: one number for each of {lists} lists is needed, in an array.")


def judged(topics: Sequence[str], lengths: Array, row_offsets: Array, ranks: Array) -> None:
    """InputError unless the judged documents of each list have rising ranks from 1 to its length."""
    if bad := places(lengths < 0):
        raise InputError(
            f"topic {topics[bad[0]]}: a length of {lengths[bad[0]]}; a list has 0 documents or more."
        )
    row = np.repeat(np.arange(len(topics)), np.diff(row_offsets))
    above = np.append(0, ranks[:-1])
    above[row_offsets[:-1][np.diff(row_offsets) > 0]] = 0
    if bad := places((ranks <= above) | (ranks > lengths[row])):
        at = row[bad[0]]
        raise InputError(
            f"topic {topics[at]}: a judged document at rank {ranks[bad[0]]} of {lengths[at]} documents, after"
            f" rank {above[bad[0]]}; rising ranks from 1 to the list's length are needed."
        )


def grade(topic: str, value: Any) -> int:
    """A grade as a whole number; InputError where it is not one."""
    number = isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))
    if not number or value != value or abs(value) > HIGHEST_GRADE or value != int(value):
        raise InputError(
            f"topic {topic}: grade {value!r} is not a whole number below 2^31; None stands for an unjudged"
            " document."
        )
    return int(value)


def by_document(
    what: str, given: Sequence[Iterable[float]] | None, topics: Sequence[str], lengths: Array
) -> Floats | None:
    """One number for each document of every list, as a flat array; InputError for other rows or values."""
    if given is None:
        return None
    rows = [list(row) for row in given]
    if len(rows) != len(topics):
        raise InputError(
            f"{what} for {len(rows)} lists, but there are {len(topics)}: one row for each list is needed."
        )
    for topic, row, length in zip(topics, rows, lengths.tolist()):
        if len(row) != length:
            raise InputError(f"topic {topic}: {len(row)} {what} for {length} documents; one each is needed.")
    try:
        flat = np.array([value for row in rows for value in row], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: numbers are needed.") from None
    if bad := places(~np.isfinite(flat)):
        topic = topics[int(np.searchsorted(np.cumsum(lengths), bad[0], side="right"))]
        raise InputError(f"topic {topic}: {flat[bad[0]]} among the {what}; finite numbers are needed.")
    return flat


def falling(scores: Floats | None, topics: Sequence[str], lengths: Array) -> Floats | None:
    """The scores; InputError where one is higher, as 32-bit floats, than the one above it in its list."""
    if scores is None:
        return None
    row = np.repeat(np.arange(len(topics)), lengths)
    with np.errstate(over="ignore"):
        shown = scores.astype(np.float32)
    if bad := places((row[1:] == row[:-1]) & (shown[1:] > shown[:-1])):
        topic, pair = topics[row[bad[0]]], scores[bad[0] : bad[0] + 2].tolist()
        raise InputError(
            f"topic {topic}: score {pair[1]} comes after {pair[0]}; scores must fall down the list."
        )
    return scores


def fit_together(rankings: Any) -> None:
    """InputError unless the arrays of `Rankings` fit together."""
    size, starts, lengths = len(rankings.topics), rankings.starts, rankings.lengths
    whole("judged_grades", rankings.judged_grades)
    whole("judged_ranks", rankings.judged_ranks, len(rankings.judged_grades))
    whole("lengths", lengths, size)
    whole("starts", starts, size)
    offsets("judged_offsets", rankings.judged_offsets, size, len(rankings.judged_ranks))
    judged(rankings.topics, lengths, rankings.judged_offsets, rankings.judged_ranks)
    for name, low in (("scores", -np.inf), ("costs", 0.0)):
        of_documents(name, getattr(rankings, name), starts, lengths, low)
    for name in ("first_scores", "overlaps"):
        of_lists(name, getattr(rankings, name), size)
