"""Runs whose lists were ended, with their documents: as frames, dicts and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc._ranking.doors import read_run
from ir_trunc._ranking.likes import RunLike
from ir_trunc._ranking.nil import Convention, NilRule
from ir_trunc._ranking.ranked import RankedRows
from ir_trunc._read.arrow import pa, pc
from ir_trunc._read.columns import one_id
from ir_trunc._read.reading import HowRead, Reading, Unpack
from ir_trunc._read.write import Target
from ir_trunc.truncation.declare import Cutter
from ir_trunc.truncation.files import count_of, ranked_for, write_lists
from ir_trunc.truncation.live import lengths_of, sees_judgments
from ir_trunc.truncation.text import parse_policy


@dataclass(frozen=True, eq=False, repr=False)
class Truncated(Mapping[str, dict[str, float]]):
    """A run whose lists were ended: the documents that are left, with their ids and scores.

    It is a mapping, `{topic: {document: score}}`, and so a run for every function that takes one.

    cuts: the length of every list, `{topic: k}`. docs and scores: the documents of all lists, one list after
    the other, in the order of the run.
    """

    cuts: Mapping[str, int]
    docs: tuple[str, ...]
    scores: Floats

    def __repr__(self) -> str:
        empty = sum(k == 0 for k in self.cuts.values())
        return f"Truncated({len(self.cuts)} lists, {len(self.docs)} documents, {empty} lists empty)"

    def __getitem__(self, topic: str) -> dict[str, float]:
        return self._lists[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists)

    def __len__(self) -> int:
        return len(self.cuts)

    @cached_property
    def _lists(self) -> dict[str, dict[str, float]]:
        return self.to_dict()

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{topic: {document: score}}`; the empty list is `{}`."""
        ends, scores = offsets_of(list(self.cuts.values())).tolist(), self.scores.tolist()
        return {
            topic: dict(zip(self.docs[start:end], scores[start:end]))
            for topic, start, end in zip(self.cuts, ends, ends[1:])
        }

    def to_pandas(self) -> pd.DataFrame:
        """One row for each document: query_id, doc_id, score, rank. Topics with the empty list have none."""
        lengths = np.array(list(self.cuts.values()), np.int64)
        ranks = np.arange(1, len(self.docs) + 1) - np.repeat(offsets_of(lengths)[:-1], lengths)
        topics = np.repeat(np.array(list(self.cuts), object), lengths)
        columns = {
            "query_id": topics.tolist(),
            "doc_id": list(self.docs),
            "score": self.scores,
            "rank": ranks,
        }
        return pd.DataFrame(columns)

    def write(self, path: Target, tag: str = "ir_trunc") -> None:
        """Write a TREC run; gzipped where the name ends in .gz.

        An empty list is written as the placeholder `__nil__`, which ir_trunc reads as the empty list again.
        """
        write_lists(path, ((topic, list(found.items())) for topic, found in self.to_dict().items()), tag)


@keywords_of(Reading)
def truncate(
    run: RunLike,
    policy: Cutter | str | Mapping[str, int] | Rankings,
    *,
    nil: NilRule | Convention | None = None,
    **reading: Unpack[HowRead],
) -> Truncated:
    """End every list of a run, and get its documents back.

    Parameters
    ----------
    run : RunLike
        As for `ir_trunc.calc`. No judgments are needed.
    policy : Policy, str, dict or Rankings
        Where lists end: a policy or its text (`"LargestGap"`), the path of a file of cuts, `{topic: k}`, or
        Rankings that were cut, `rankings.cut(...)`, of the same topics.
    nil, order, duplicates, stop, lower_is_better, columns
        How the run is read, as for `ir_trunc.calc`.

    Returns
    -------
    Truncated
        Its `to_dict()`, `to_pandas()` and `write(path)` give the run that is left.

    Raises
    ------
    InputError
        Where a topic has no cut, or the run cannot be read.
    ParameterError
        Where the policy still has to be fitted, or looks at judgments.

    Examples
    --------
    >>> from ir_trunc.truncation import truncate
    >>> truncate({"q1": {"a": 0.9, "b": 0.8, "c": 0.1}}, "LargestGap").to_dict()
    {'q1': {'a': 0.9, 'b': 0.8}}
    """
    rows = read_run(run, **reading)
    given: Any = policy
    cuts = _cuts(given)
    chosen: Any = parse_policy(given) if cuts is None else None
    if sees_judgments(chosen):
        raise ParameterError(
            f"{chosen} looks at judgments, which a run does not have: give the rankings that it cut,"
            " rankings.cut(policy.cut(rankings))."
        )
    topics = {*pc.unique(rows.topics).to_pylist(), *(cuts or ()), *rows.universe}
    lists = ranked_for(rows, list(topics), nil)
    lengths = lengths_of(chosen, lists) if cuts is None else _lengths(cuts, lists)
    of_run = RankedRows.of(rows, pa.array(lists.topics, pa.string()))
    starts = np.repeat(of_run.starts - offsets_of(lengths)[:-1], lengths)
    places = starts + np.arange(lengths.sum())
    docs = of_run.rows.docs.take(pa.array(places)).to_pylist()
    return Truncated(dict(zip(lists.topics, lengths.tolist())), tuple(docs), of_run.falling[places])


def _cuts(policy: Any) -> dict[str, int] | None:
    """Cuts that are known already; None where a policy has to find them."""
    if isinstance(policy, Rankings):
        return dict(zip(policy.topics, policy.lengths.tolist()))
    if isinstance(policy, Mapping):
        given = {one_id(topic, "topic", "cuts"): k for topic, k in policy.items()}
        return {topic: count_of(topic, k) for topic, k in given.items()}
    return None


def _lengths(cuts: Mapping[str, int], lists: Rankings) -> Ints:
    missing = next((topic for topic in lists.topics if topic not in cuts), None)
    if missing is not None:
        raise InputError(
            f"topic {missing} of the run has no cut: every topic needs one, 0 for an empty list."
        )
    return np.minimum([cuts[topic] for topic in lists.topics], lists.lengths).astype(np.int64)
