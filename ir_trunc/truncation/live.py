"""Policies at work: on one list that was retrieved just now, without topics, ids or judgments.

`policy(scores)` says how many documents of a list to keep, `policy.keep(items)` keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError, ParameterError, shown
from ir_trunc._core.parameters import flag
from ir_trunc._core.rankings import Floats, Ints, Rankings

_BLANK = Rankings.from_lists([[]], topics=["(the list)"], scores=[[]])
_NUMBERS = "one list of numbers, or a 2-d array with a row for each list"
_MISSING = (
    "score='name' says where it is (an attribute, a key or a column; 'metadata.score' goes one level down),"
    " score=function reads it, and score=[...] gives the scores themselves"
)


def sees_judgments(policy: object) -> bool:
    """Whether a policy looks at judgments to cut. One that is not derived from `Policy` need not say."""
    return bool(getattr(policy, "sees_judgments", False))


def refuse_if_not_live(policy: Any) -> None:
    """ParameterError with the reason where a policy cannot cut a list that was retrieved just now."""
    reason = getattr(policy, "not_live", "")
    if sees_judgments(policy):
        reason = reason or "it looks at judgments, which a list that was retrieved just now does not have"
    if reason:
        raise ParameterError(f"{policy} cannot be used on a live list: {reason}.")


def numbers_of(scores: Any) -> Floats:
    """Scores as an array of one or two dimensions; InputError with the place of one that is not finite."""
    try:
        found = np.asarray(scores)
        if found.ndim == 1 and found.dtype.kind == "O" and all(map(_is_number, found.tolist())):
            found = found.astype(np.float64)
    except Exception as error:  # of several lengths, of tensors on a GPU, of polars: they have no common type
        raise InputError(f"scores={shown(scores)}: {_NUMBERS} is needed ({error}).") from None
    rows = found.ndim == 2 and hasattr(scores, "ndim") and not hasattr(scores, "columns")
    if not (found.ndim == 1 or rows) or (found.size and found.dtype.kind not in "iuf"):
        raise InputError(f"scores={shown(scores)}: {_NUMBERS} is needed; `keep` takes items with scores.")
    values = found.astype(np.float64)
    if not np.isfinite(values).all():
        bad = np.argwhere(~np.isfinite(values))[0].tolist()
        row = f"row {bad[0]}, " if rows else ""
        raise InputError(
            f"scores: {row}{values[tuple(bad)]} at place {bad[-1]}; finite numbers are needed. Leave such"
            " documents out first."
        )
    return values


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def higher_is_better(scores: Any, lower_is_better: bool) -> Floats:
    """Scores as numbers; distances, of which lower ones are better, with the opposite sign."""
    values = numbers_of(scores)
    return -values if flag("lower_is_better", lower_is_better) else values


def first_rise(values: Floats) -> int:
    """The first place whose score is higher than the one before; 0 where all fall, as those of a run have to.

    They are compared as 32-bit floats.
    """
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32)
    rises = rounded[1:] > rounded[:-1]
    return int(rises.argmax()) + 1 if rises.any() else 0


def length_of(policy: Any, values: Floats, where: str = "") -> int:
    """How many documents of a list with these scores a policy keeps."""
    if at := first_rise(values):
        raise InputError(
            f"scores: {where}{values[at]:g} at place {at} is higher than {values[at - 1]:g} before it; scores"
            " must fall. Sort the documents first, or let `keep` choose among them; where lower is better,"
            " pass lower_is_better=True."
        )
    return int(lengths_of(policy, _ranked(values))[0])


def lengths_of(policy: Any, rankings: Rankings) -> Ints:
    """The length at which a policy ends each list (Q); one beyond a list's end means the whole list.

    Raises InputError where `cut` does not return one whole number >= 0 for each list.
    """
    returned = policy.cut(rankings)
    try:
        lengths: npt.NDArray[Any] = np.asarray(returned)
    except ValueError:  # lists of several lengths
        lengths = np.zeros(0)
    kind = lengths.dtype.kind
    are_whole = kind in "iu" or (kind == "f" and (lengths == np.floor(lengths)).all())
    if lengths.shape != (len(rankings),) or not are_whole or (lengths < 0).any():
        needed = f"a whole length >= 0 for each of {len(rankings)} topics"
        raise InputError(f"{policy}: `cut` must return {needed}, not {shown(returned)}.")
    shortened: Ints = np.minimum(lengths, rankings.lengths).astype(np.int64, copy=False)
    return shortened


def _ranked(values: Floats) -> Rankings:
    """One list without judgments.

    Its arrays are right as they are made here, so that the checks of `Rankings`, which take longer than most
    policies, are left out.
    """
    made: Rankings = object.__new__(Rankings)
    first = values[:1] if len(values) else np.array([-np.inf])
    lengths = np.array([len(values)])
    vars(made).update(vars(_BLANK), lengths=lengths, scores=values, first_scores=first)
    return made


# Items and their scores.


def scores_of(items: Any, score: Any = None) -> Any:
    """The scores of items, in their order; InputError where they cannot be found."""
    one = isinstance(items, (str, bytes, bytearray, memoryview, set, frozenset)) or hasattr(items, "_fields")
    if one or not hasattr(items, "__len__") or getattr(items, "ndim", 1) == 0:
        raise InputError(
            f"items of type {type(items).__name__}: a list, a tuple, an array, a frame or a dict is needed."
        )
    if score is not None and not isinstance(score, str) and not callable(score):
        given = numbers_of(score)
        if given.shape != (len(items),):
            raise InputError(f"score has the shape {given.shape}: {len(items)} items need a score each.")
        return given
    columns = getattr(items, "column_names", getattr(items, "columns", None))
    if columns is not None and not callable(score):
        name = "score" if score is None else score
        if name not in list(columns):
            raise InputError(
                f"items have no column {name!r}: score=... names it; they have: {list(columns)}."
            )
        return items[name]
    if isinstance(items, Mapping):
        items = list(items.values())
        if score is None:
            return items
    elif score is None and getattr(getattr(items, "dtype", None), "kind", "") in ("i", "u", "f"):
        return items
    return [_score_of(item, score, at) for at, item in enumerate(items)]


def _score_of(item: Any, score: str | Callable[[Any], Any] | None, place: int) -> float:
    plain = type(item) is tuple  # which has no attributes to look at
    found = score(item) if callable(score) else None if plain else _field(item, score or "score")
    if found is None and score is None:
        if isinstance(item, tuple) and len(item) == 2:
            found = item[1]
        elif isinstance(item, Real):
            found = item
    if found is None:
        raise InputError(f"item {place}, {shown(item)}, has no {score or 'score'}: {_MISSING}.")
    with suppress(Exception):  # of tensors, and of other classes of numbers: they have no common type
        found = found.item() if hasattr(found, "item") else found
        if _is_number(found):
            return float(found)
    raise InputError(f"item {place} has the score {shown(found)}: a number is needed; {_MISSING}.")


def _field(item: Any, path: str) -> Any:
    """A field by its name, or by names with dots between; None where there is none."""
    for name in path.split("."):
        item = item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
    return item


def taken(items: Any, places: Ints) -> Any:
    """Some of the items, in a collection of the same type."""
    if hasattr(items, "iloc"):
        return items.iloc[places]
    if hasattr(items, "column_names"):  # a table of pyarrow, a data set of Hugging Face
        return items.take(places) if hasattr(items, "columns") else items.select(places)
    if hasattr(items, "ndim") or hasattr(items, "columns"):
        return items[places]
    if isinstance(items, Mapping):
        kept, wanted = copy(items), set(places.tolist())
        for at, name in enumerate(items):
            if at not in wanted:
                del kept[name]  # type: ignore[attr-defined]
        return kept
    chosen = [items[at] for at in places.tolist()]
    return chosen if type(items) is list else type(items)(chosen)
