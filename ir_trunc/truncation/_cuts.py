"""Runs that are cut, and files of cuts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Unpack

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, shown
from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._core.parameters import several, text
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc._output.files import Target, check_outputs, run_lines, word, write_text
from ir_trunc._ranking.nil import Convention, NilRule
from ir_trunc._ranking.ranked_rows import RankedRows
from ir_trunc._ranking.runs import RunLike, read_run
from ir_trunc._read.arrow import numeric, pa, pc, strings
from ir_trunc._read.reading import HowRead
from ir_trunc._read.rows import PLACEHOLDER, Rows
from ir_trunc._read.text import read_numbers
from ir_trunc.truncation._fitting import check_rows, unjudged_lists
from ir_trunc.truncation._policy import Cutter, as_fitted, lengths_of, sees_judgments
from ir_trunc.truncation._text import parse_policy
from ir_trunc.truncation.policies.lengths import CutsByTopic, Given


def read_cuts(path: str | os.PathLike[str]) -> dict[str, int]:
    """The lengths of lists from a file of lines `topic<TAB>k`; k = 0 is an empty list.

    Parameters
    ----------
    path : path
        The file, plain or gzipped.

    Returns
    -------
    dict of str to int
        `{topic: k}`.

    Raises
    ------
    InputError
        If a line does not have two fields, k is not a whole number >= 0, or a topic occurs twice; the message
        names the line.

    Examples
    --------
    >>> from ir_trunc.truncation import read_cuts, write_cuts
    >>> write_cuts("my.cuts", {"1": 3, "2": 0})
    >>> read_cuts("my.cuts")
    {'1': 3, '2': 0}
    """
    return read_numbers(path, "cut", "k")


def write_cuts(path: Target, cuts: Mapping[str, int]) -> None:
    """Write a line `topic<TAB>k` for each topic.

    Parameters
    ----------
    path : path
        Where to write them; gzipped if the name ends in .gz.
    cuts : dict
        `{topic: k}`.

    Raises
    ------
    InputError
        If a topic has blanks in its name.
    ParameterError
        If a length is not a whole number >= 0.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ir_trunc.truncation import write_cuts
    >>> write_cuts("my.cuts", {"1": 3, "2": 0})
    >>> Path("my.cuts").read_text().splitlines()
    ['1\\t3', '2\\t0']
    """
    write_text(path, (f"{word(topic, 'topic')}\t{k}" for topic, k in _CUTS.clean("cuts", cuts).items()))


def write_run(
    path: Target,
    run: Rows,
    cuts: Mapping[str, int],
    tag: str = "ir_trunc",
    comments: Iterable[str] = (),
) -> None:
    """Write the first k documents of each topic as a TREC run.

    An empty list is written as the placeholder `__nil__`, so that tools that read only runs see the topic.
    ir_trunc reads it as the empty list again: that id is never a document.

    Parameters
    ----------
    path : path
        Where to write it; gzipped if the name ends in .gz.
    run : Rows
        As `ir_trunc.read_run(path)` gives it.
    cuts : dict
        `{topic: k}`.
    tag : str
        The last field of every line.
    comments : iterable of str
        Lines for the head of the file, each of which begins with #.

    Raises
    ------
    InputError
        If a topic of the run has no cut, a comment does not begin with #, or the path is that of the run.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ir_trunc import read_run
    >>> from ir_trunc.truncation import write_run
    >>> write_run("short.run", read_run({"1": {"a": 0.9, "b": 0.2}, "2": {"c": 0.1}}), {"1": 1, "2": 0})
    >>> print(Path("short.run").read_text(), end="")
    1 Q0 a 1 0.9 ir_trunc
    2 Q0 __nil__ 1 0.0 ir_trunc
    """
    check_rows(run)
    check_outputs([path], [run.source.removeprefix("run ")])
    cuts = _CUTS.clean("cuts", cuts)
    missing = next((topic for topic in pc.unique(run.topics).to_pylist() if topic not in cuts), None)
    if missing is not None:
        raise InputError(f"{run.source}: topic {missing} has no cut; every topic of the run needs one.")
    heads = several("comments", comments, "lines that begin with #")
    for comment in heads:
        if not text("comments", comment).startswith("#") or len(comment.splitlines()) > 1:
            raise InputError(f"comments: {shown(comment)} is not a line that begins with #.")
    ordered = RankedRows.of(run, strings(list(cuts)))
    kept = np.minimum(ordered.lengths, list(cuts.values()))
    write_text(path, chain(heads, Truncated._of(ordered, list(cuts), kept)._lines(tag)))


_CUTS = CutsByTopic("documents to keep of each topic")


@dataclass(frozen=True, eq=False, repr=False)
class Truncated(Mapping[str, dict[str, float]]):
    """A run whose lists were cut: the documents that are left, with their ids and scores.

    It is a mapping, `{topic: {document: score}}`, and so a run for every function that takes one.

    Attributes
    ----------
    cuts : mapping
        The length of every list, `{topic: k}`.
    docs : tuple of str
        The documents of all lists, list after list, in the order of the run.
    scores : array of float64
        Their scores.
    """

    cuts: Mapping[str, int]
    docs: tuple[str, ...]
    scores: Floats

    @classmethod
    def _of(cls, ordered: RankedRows, topics: Sequence[str], lengths: Ints) -> Truncated:
        """The first documents of the ranked rows of each topic."""
        places = np.repeat(ordered.starts - offsets_of(lengths)[:-1], lengths) + np.arange(lengths.sum())
        docs = ordered.rows.docs.take(numeric(places)).to_pylist()
        return cls(dict(zip(topics, lengths.tolist())), tuple(docs), ordered.falling[places])

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
        ids = {"query_id": topics.tolist(), "doc_id": list(self.docs)}
        return pd.DataFrame({**ids, "score": self.scores, "rank": ranks})

    def write(self, path: Target, tag: str = "ir_trunc") -> None:
        """Write a TREC run; gzipped if the name ends in .gz.

        An empty list is written as the placeholder `__nil__`, which ir_trunc reads as the empty list again.
        """
        write_text(path, self._lines(tag))

    def _lines(self, tag: str) -> Iterator[str]:
        """The lines of a TREC run; an empty list is the placeholder."""
        rows = (
            (topic, doc, rank, score)
            for topic, scores in self.to_dict().items()
            for rank, (doc, score) in enumerate(scores.items() or [(PLACEHOLDER, 0.0)], 1)
        )
        return run_lines(rows, tag)


def truncate(
    run: RunLike,
    policy: Cutter | str | Mapping[str, int] | Rankings,
    *,
    nil: NilRule | Convention | None = None,
    **reading: Unpack[HowRead],
) -> Truncated:
    """Cut every list of a run, and return the documents that are left.

    Parameters
    ----------
    run : RunLike
        As for `ir_trunc.calc`. No judgments are needed.
    policy : Policy, str, dict or Rankings
        Where lists end: a policy or its text (`"LargestGap"`), the path of a file of cuts, `{topic: k}`, or
        Rankings that were cut, `rankings.cut(...)`, of the same topics.
    nil, order, duplicates, stop, lower_is_better, columns, keys, searches, withheld
        How the run is read, as for `ir_trunc.calc`.

    Returns
    -------
    Truncated
        Its `to_dict()`, `to_pandas()` and `write(path)` give the run that is left.

    Raises
    ------
    InputError
        If a topic has no cut, or the run cannot be read.
    ParameterError
        If the policy still has to be fitted, or uses judgments.

    Examples
    --------
    >>> from ir_trunc.truncation import truncate
    >>> truncate({"q1": {"a": 0.9, "b": 0.8, "c": 0.1}}, "LargestGap").to_dict()
    {'q1': {'a': 0.9, 'b': 0.8}}
    """
    cuts: Any = dict(zip(policy.topics, policy.lengths.tolist())) if isinstance(policy, Rankings) else policy
    cutter = Given(cuts) if isinstance(cuts, Mapping) else parse_policy(cuts)
    rows = read_run(run, **as_fitted(cutter, reading))
    if sees_judgments(cutter):
        raise ParameterError(
            f"{cutter} looks at judgments, which a run does not have: give the rankings that it cut,"
            " rankings.cut(policy.cut(rankings))."
        )
    named = cutter.cuts if isinstance(cuts, Mapping) else ()
    topics = {*pc.unique(rows.topics).to_pylist(), *named, *rows.universe}
    lists = unjudged_lists(rows, list(topics), nil)
    lengths = lengths_of(cutter, lists)
    return Truncated._of(RankedRows.of(rows, pa.array(lists.topics, pa.string())), lists.topics, lengths)
