"""The compiled module. Judged documents and lists are capsules; False says that the kernel is not sure."""

from typing import Any

from typing_extensions import Buffer

sources: str

_Qrels = tuple[tuple[bytes, bytes], tuple[bytes, bytes], bytes, bytes, bytes] | None

def judged(
    topic_offsets: Buffer,
    topics: Buffer,
    doc_offsets: Buffer,
    docs: Buffer,
    odd_offsets: Buffer,
    odds: Buffer,
    keys: Buffer,
    grades: Buffer,
    seed: int,
    /,
) -> Any: ...
def begin(judged: Any, order: int, lower_is_better: bool, keep_scores: bool, /) -> Any: ...
def lines(lists: Any, block: Buffer, /) -> bool: ...
def dicts(lists: Any, run: dict[str, dict[str, float]], floats: type[float], /) -> bool: ...
def tuples(
    lists: Any,
    items: list[tuple[Any, ...]],
    kind: type[tuple[Any, ...]],
    size: int,
    topic: int,
    doc: int,
    score: int,
    floats: type[float],
    /,
) -> bool: ...
def objects(
    lists: Any, topics: list[Any], docs: list[Any], scores: list[Any], floats: type[float], /
) -> bool: ...
def columns(
    lists: Any,
    topic_of: Buffer,
    topic_offsets: Buffer,
    topics: Buffer,
    doc_offsets: Buffer,
    docs: Buffer,
    scores: Buffer,
    /,
) -> bool: ...
def found(
    lists: Any, all: bool, /
) -> tuple[tuple[bytearray, ...], bytearray, bytearray, int, int, int, int, int, str | None]: ...
def qrels_of_lines(lines: Buffer, seed: int, /) -> _Qrels: ...
def qrels_of_dicts(judged: dict[str, dict[str, int]], seed: int, /) -> _Qrels: ...
def qrels_of_tuples(
    items: list[tuple[Any, ...]],
    kind: type[tuple[Any, ...]],
    size: int,
    topic: int,
    doc: int,
    relevance: int,
    seed: int,
    /,
) -> _Qrels: ...
def qrels_of_columns(
    topic_of: Buffer,
    topic_offsets: Buffer,
    topics: Buffer,
    doc_offsets: Buffer,
    docs: Buffer,
    grades: Buffer,
    seed: int,
    /,
) -> _Qrels: ...
