"""Judged documents as the compiled kernel has them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from ir_trunc._kernel import kernel
from ir_trunc.core.rankings import Ints
from ir_trunc.read.arrow import pa, strings
from ir_trunc.read.rows import PLACEHOLDER


class JudgedDocs:
    """The judged documents of qrels as the kernel has them.

    They are made of texts and numbers in buffers, and made anew of these where they are unpickled.
    """

    def __init__(self, *columns: npt.NDArray[Any]):
        self.columns = columns
        seed = int.from_bytes(os.urandom(8), "little")
        self.here = kernel.judged(*columns, seed) if kernel else None

    @classmethod
    def of(
        cls, topics: pa.StringArray, docs: pa.StringArray, nil: str, keys: Ints, grades: Ints
    ) -> JudgedDocs:
        """Those of qrels. The kernel leaves lists with NIL or the placeholder to Python."""
        odd = strings([PLACEHOLDER, nil])
        texts = (column for ids in (topics, docs, odd) for column in offsets_and_bytes(ids))
        return cls(*texts, keys, grades)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.columns


def offsets_and_bytes(ids: pa.StringArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Offsets and bytes of ids."""
    _, offsets, data = ids.buffers()
    ends = np.frombuffer(offsets, np.int32)[ids.offset : ids.offset + len(ids) + 1]
    return ends, np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)
