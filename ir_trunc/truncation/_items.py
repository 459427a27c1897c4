"""Lists that were just retrieved: their scores, and items with scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from numbers import Real
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterTypeError, shown
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._read.readers.memory import has_name, value_at, value_in

_NUMBERS = "one list of numbers, or a 2-d array with a row for each list"
_MISSING = (
    "{0}='name' says where it is (an attribute, a key or a column; 'metadata.{0}' goes one level down),"
    " {0}=function reads it, and {0}=[...] gives the {0}s themselves"
)

_TAKE = dict.fromkeys(("numpy", "polars", "torch", "jax", "jaxlib", "cupy"), "__getitem__")
_TAKE |= {"pandas": "take", "pyarrow": "take", "datasets": "select"}
"""The method that takes rows by their places, by the package of a frame or an array."""


def numbers_of(scores: Any, name: str = "score") -> Floats:
    """Scores as an array of one or two dimensions; InputError with the place of one that is not finite.

    name: of one number, for messages.
    """
    try:
        array = np.asarray(scores)
        if array.ndim == 1 and array.dtype.kind == "O" and all(map(_is_real, array.tolist())):
            array = array.astype(np.float64)
    except Exception as error:  # of several lengths, of tensors on a GPU, of polars: they have no common type
        raise InputError(f"{name}s={shown(scores)}: {_NUMBERS} is needed ({error}).") from None
    rows = array.ndim == 2 and hasattr(scores, "ndim") and not hasattr(scores, "columns")
    if not (array.ndim == 1 or rows) or (array.size and array.dtype.kind not in "iuf"):
        raise InputError(f"{name}s={shown(scores)}: {_NUMBERS} is needed; `keep` takes items with {name}s.")
    values = array.astype(np.float64)
    if not np.isfinite(values).all():
        place = np.argwhere(~np.isfinite(values))[0].tolist()
        where = f"row {place[0]}, " if rows else ""
        where += f"{values[tuple(place)]} at place {place[-1]}"
        raise InputError(f"{name}s: {where}; finite numbers are needed. Leave such documents out first.")
    return values


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def costs_like(scores: Floats, costs: Any) -> Floats:
    """The costs of the documents with these scores; InputError unless each has one, a finite number >= 0."""
    values = numbers_of(costs, "cost")
    if values.shape != scores.shape:
        shapes = f"costs have the shape {values.shape} and scores {scores.shape}"
        raise InputError(f"{shapes}: they must be equal.")
    if (values < 0).any():
        place = np.argwhere(values < 0)[0].tolist()
        raise InputError(f"costs: {values[tuple(place)]:g} at place {place[-1]}; costs are 0 or more.")
    return values


def first_rise(values: Floats) -> int:
    """The first place whose score (a 32-bit float, as in runs) is above the one before it; 0 for none."""
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32)
    rises = rounded[1:] > rounded[:-1]
    return int(rises.argmax()) + 1 if rises.any() else 0


def has_field(items: Any, name: str) -> bool:
    """Whether a frame has a column of this name, or its first item a key or an attribute."""
    columns = getattr(items, "column_names", getattr(items, "columns", None))
    if columns is not None:
        return name in list(columns)
    first = None
    with suppress(TypeError):
        first = next(iter(items.values() if isinstance(items, Mapping) else items), None)
    return has_name(first, name)


def cost_of(cost: Any, text_of: Callable[[Any], str], metadata: str) -> Any:
    """How the cost of a framework's documents is read, for `keep`.

    cost: 'characters/4', about the number of tokens of English text; a tokenizer, whose `encode` is counted;
    a function of a document; or a name in its metadata, by default 'cost', or (metadata='') in itself.
    """
    if cost is None or isinstance(cost, str):
        if cost == "characters/4":
            return lambda document: -(-len(text_of(document)) // 4)
        return f"{metadata}.{cost or 'cost'}" if metadata else cost
    if hasattr(cost, "encode"):
        return lambda document: len(cost.encode(text_of(document)))
    if not callable(cost):
        what = "a name, 'characters/4', a tokenizer with encode or a function of a document is needed"
        raise ParameterTypeError(f"cost={shown(cost)}: {what}.")
    return cost


def text_of(document: Any) -> str:
    """The text of a framework's document; InputError for one without."""
    for name in ("page_content", "content", "text"):
        text = value_in(document, name)
        if isinstance(text, str):
            return text
    raise InputError(f"{shown(document)} has no text that could be counted: page_content, content or text.")


def scores_of_items(items: Any, score: Any = None, what: str = "score") -> Any:
    """The scores (or costs) of items, in their order; InputError if they cannot be found."""
    refused = isinstance(items, (str, bytes, bytearray, memoryview))
    is_record = hasattr(items, "_fields")  # a named tuple
    has_places = hasattr(items, "__len__") and hasattr(items, "__getitem__")  # which sets and views lack
    if refused or is_record or not has_places or getattr(items, "ndim", 1) == 0:
        needed = "a list, a tuple, an array, a frame or a dict is needed"
        raise InputError(f"items of type {type(items).__name__}: {needed}.")
    if score is not None and not isinstance(score, str) and not callable(score):
        scores = numbers_of(score, what)
        if scores.shape != (len(items),):
            raise InputError(f"{what} has the shape {scores.shape}: {len(items)} items need a {what} each.")
        return scores
    columns = getattr(items, "column_names", getattr(items, "columns", None))
    if columns is not None and not callable(score):
        name = "score" if score is None else score
        names = list(columns)
        if names.count(name) != 1:
            problem = f"items have {'several columns' if name in names else 'no column'} {name!r}"
            raise InputError(f"{problem}: {what}=... names one; they have: {names}.")
        return items[name]
    if columns is not None and not isinstance(next(iter(items), {}), Mapping):  # but its columns
        raise InputError(f"items are a frame, whose rows no function reads: {what}='name' names a column.")
    if isinstance(items, Mapping):
        items = list(items.values())
        if score is None:
            return items
    elif score is None and getattr(items, "ndim", 0) == 1 and getattr(items.dtype, "kind", "") in "iuf":
        return items
    return [_score_of_item(item, score, place, what) for place, item in enumerate(items)]


def _score_of_item(item: Any, score: str | Callable[[Any], Any] | None, place: int, what: str) -> float:
    if callable(score):
        try:
            value = score(item)
        except Exception as error:
            raise InputError(f"item {place}, {shown(item)}: the function {what} fails ({error}).") from error
    else:
        value = value_at(item, score or "score")
    if value is None and score is None:
        if isinstance(item, tuple) and len(item) == 2:
            value = item[1]
        elif isinstance(item, Real):
            value = item
    if value is None:
        raise InputError(f"item {place}, {shown(item)}, has no {score or what}: {_MISSING.format(what)}.")
    with suppress(Exception):  # of tensors, and of other classes of numbers: they have no common type
        value = value.item() if hasattr(value, "item") else value
        if _is_real(value):
            return float(value)
    missing = _MISSING.format(what)
    raise InputError(f"item {place} has the {what} {shown(value)}: a number is needed; {missing}.")


def selected(items: Any, places: Ints) -> Any:
    """The items at these places, in a collection of the same type."""
    if isinstance(items, Mapping):
        kept, kept_places = copy(items), set(places.tolist())
        for place, name in enumerate(items):
            if place not in kept_places:
                del kept[name]  # type: ignore[attr-defined]
        return kept
    for kind in type(items).__mro__:
        package = kind.__module__.partition(".")[0]
        if package in _TAKE:
            return getattr(items, _TAKE[package])(places)
    chosen = [items[place] for place in places.tolist()]
    if type(items) in (list, range):
        return chosen
    try:
        return type(items)(chosen)
    except TypeError as error:  # as of array.array
        name = type(items).__name__
        raise InputError(f"{name} cannot be made of the items to keep ({error}): give a list.") from None
