"""Things that a person could hand to a function by mistake, and forms that hide them inside data."""

import array
import datetime
import enum
import math
import uuid
from collections import OrderedDict, namedtuple
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

try:
    import polars as pl
except ImportError:  # which the values named after it need
    pl = None


class OwnError(Exception):
    """What an object of the user's own raises: it is not hidden."""


class Fails:
    """Fails when it is looked at."""

    def __iter__(self):
        raise OwnError

    def __len__(self):
        raise OwnError


class Mute:
    """Has no way to be printed."""

    def __repr__(self):
        raise OwnError


class Color(enum.Enum):
    RED = 1


Pair = namedtuple("Pair", "one two")
Doc = namedtuple("Doc", "query_id doc_id score")
FRAME = {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "b"], "score": [2.0, 1.0, 3.0]}
FRAME |= {"relevance": [1, 0, 2]}


def frame(**changes):
    return pd.DataFrame(FRAME | changes)


# Values that stand alone, each made anew.
VALUES = {
    "None": lambda: None, "True": lambda: True, "numpy True": lambda: np.True_, "0": lambda: 0,
    "5": lambda: 5, "-1": lambda: -1, "0.5": lambda: 0.5, "2.5": lambda: 2.5, "nan": lambda: math.nan,
    "inf": lambda: math.inf, "-inf": lambda: -math.inf, "10^400": lambda: 10**400,
    "10^5000": lambda: 10**5000, "2^63": lambda: 2**63, "1e308": lambda: 1e308, "1j": lambda: 1j,
    "Decimal": lambda: Decimal("0.5"), "Decimal NaN": lambda: Decimal("NaN"),
    "Decimal sNaN": lambda: Decimal("sNaN"), "Fraction": lambda: Fraction(1, 3),
    "numpy int": lambda: np.int8(3), "numpy float": lambda: np.float32(0.5),
    "numpy nan": lambda: np.float64("nan"), "numpy date": lambda: np.datetime64("NaT", "s"),
    "masked": lambda: np.ma.masked, "empty text": lambda: "", "x": lambda: "x", "a blank": lambda: " ",
    "text 5": lambda: "5", "AP": lambda: "AP", "Fixed(k=x)": lambda: "Fixed(k=x)", "bracket": lambda: "AP(",
    "AP@10^30": lambda: f"AP@{10**30}", "zero byte": lambda: "a\0b", "lines": lambda: "a\nb",
    "half a character": lambda: "\ud800", "long text": lambda: "x" * 5000,
    "numpy text": lambda: np.str_("x"), "bytes": lambda: b"x", "bytearray": lambda: bytearray(b"x"),
    "memoryview": lambda: memoryview(b"x"), "path": lambda: Path("nowhere"), "folder": lambda: Path("."),
    "date": lambda: datetime.date(2026, 1, 1), "time": lambda: datetime.datetime(2026, 1, 1),
    "duration": lambda: datetime.timedelta(1), "UUID": lambda: uuid.UUID(int=1), "pandas NA": lambda: pd.NA,
    "pandas NaT": lambda: pd.NaT, "timestamp": lambda: pd.Timestamp("2026-01-01"),
    "enumeration": lambda: Color.RED, "class": lambda: Color, "object": object, "ellipsis": lambda: ...,
    "function": lambda: lambda *values: math.nan, "module": lambda: math,
    "exception": lambda: ValueError("x"), "mute": Mute, "fails": Fails,
}  # fmt: skip

# Things that hold others, or hold nothing.
CONTAINERS = {
    "[]": lambda: [], "()": lambda: (), "{}": lambda: {}, "set": lambda: {"a"}, "[[]]": lambda: [[]],
    "nothing to come": lambda: iter([]), "generator": lambda: (x for x in ["1", "2"]),
    "range": lambda: range(3), "named tuples": lambda: [Pair(1, 2)],
    "documents": lambda: [Doc("1", "a", 1.0)], "ordered": lambda: OrderedDict(a=1),
    "array": lambda: array.array("d", [1.0, math.nan]), "numpy 0-d": lambda: np.array(1.0),
    "numpy 1-d": lambda: np.array([1.0, 2.0]), "numpy 2-d": lambda: np.ones((2, 2)),
    "numpy objects": lambda: np.array([None, "x"], dtype=object),
    "numpy texts": lambda: np.array(["1", "2"]), "numpy empty": lambda: np.zeros(0),
    "numpy records": lambda: np.zeros(2, dtype=[("query_id", "U2"), ("score", "f8")]),
    "Series": lambda: pd.Series([1.0, 2.0], index=["a", "b"]),
    "Series of text": lambda: pd.Series(["1", "2"]), "empty Series": lambda: pd.Series(dtype=float),
    "Series of columns": lambda: pd.Series({"a": 1.0, "b": math.nan}),
    "Index": lambda: pd.Index(["1", "2"]), "frame": frame, "empty frame": pd.DataFrame,
    "frame without rows": lambda: frame()[:0],
    "frame without ids": lambda: frame().drop(columns="query_id"),
    "frame with a column twice": lambda: pd.concat([frame(), frame()[["score"]]], axis=1),
    "frame of numbers": lambda: pd.DataFrame(np.ones((2, 2))),
    "frame of dates": lambda: frame(query_id=pd.to_datetime(["2026-01-01"] * 3)),
    "frame of missing": lambda: frame(query_id=["1", None, "2"]),
    "frame of two levels": lambda: pd.DataFrame([[1, 2]], columns=[["score", "score"], [1, 2]]),
    "polars": lambda: pl.DataFrame(FRAME), "polars lazy": lambda: pl.DataFrame(FRAME).lazy(),
    "polars Series": lambda: pl.Series(["1", "2"]),
    "polars Int128": lambda: pl.DataFrame(FRAME).with_columns(score=pl.lit(1, pl.Int128)),
    "Arrow": lambda: pa.table(FRAME), "Arrow array": lambda: pa.array(["1", None]),
    "Arrow chunks": lambda: pa.chunked_array([["1"], ["2"]]), "Arrow scalar": lambda: pa.scalar(5),
    "Arrow dictionary": lambda: pa.array([1.0, 2.0]).dictionary_encode(),
}  # fmt: skip

if pl is None:
    CONTAINERS = {name: make for name, make in CONTAINERS.items() if not name.startswith("polars")}


def column(value):
    return pd.Series([value] * 3, dtype=object)


def hashed(value):
    """A dict that has the value as a key, where it can be one."""
    try:
        return {value: 1}
    except Exception:
        return {}


WRAPPINGS = {
    "alone": lambda value: value,
    "in a list": lambda value: [value],
    "in a tuple": lambda value: (value, value),
    "behind a good one": lambda value: ["1", value],
    "as a value": lambda value: {"1": value},
    "as a key": hashed,
    "as a document": lambda value: {"1": hashed(value)},
    "as a score": lambda value: {"1": {"a": value}},
    "by rank": lambda value: {"1": ["a", value]},
    "in classes": lambda value: {"1": [[value]]},
    "in a column": lambda value: frame(doc_id=column(value)).astype(object),
    "as scores of a frame": lambda value: frame(score=column(value)),
}
