"""Runs that are cut, and files of cuts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, shown
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._core.parameters import instance, mapping
from ir_trunc._core.rankings import Floats, Ints, Rankings, offsets_of
from ir_trunc._output.files import Target, run_lines, word, write_text
from ir_trunc._ranking.doors import read_run
from ir_trunc._ranking.likes import RunLike
from ir_trunc._ranking.nil import Convention, NilRule, nil_rule
from ir_trunc._ranking.qrels import Qrels
from ir_trunc._ranking.rank import rank
from ir_trunc._ranking.ranked import RankedRows
from ir_trunc._read.arrow import one_id, pa, pc, strings
from ir_trunc._read.reading import HowRead, Reading, Unpack
from ir_trunc._read.rows import PLACEHOLDER, Rows
from ir_trunc._read.text import read_numbers
from ir_trunc.truncation._policy import Cutter, lengths_of, sees_judgments
from ir_trunc.truncation._text import parse_policy


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
        If a line, which is named, does not have two fields, k is not a whole number >= 0, or a topic comes a
        second time.

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
        Where to write them; gzipped where the name ends in .gz.
    cuts : dict
        `{topic: k}`.

    Raises
    ------
    InputError
        If a length is not a whole number >= 0, or a topic has blanks in its name.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ir_trunc.truncation import write_cuts
    >>> write_cuts("my.cuts", {"1": 3, "2": 0})
    >>> Path("my.cuts").read_text().splitlines()
    ['1\\t3', '2\\t0']
    """
    write_text(path, (f"{word(topic, 'topic')}\t{count_of(topic, k)}" for topic, k in _checked(cuts).items()))


def write_run(path: Target, run: Rows, cuts: Mapping[str, int], tag: str = "ir_trunc") -> None:
    """Write the first k documents of each topic as a TREC run.

    An empty list is written as the placeholder `__nil__`: the topic stays visible to tools that look at runs
    only, and ir_trunc reads it as the empty list again, since that id is never a document.

    Parameters
    ----------
    path : path
        Where to write it; gzipped where the name ends in .gz.
    run : Rows
        As `ir_trunc.read_run(path)` gives it.
    cuts : dict
        `{topic: k}`.
    tag : str
        The last field of every line.

    Raises
    ------
    InputError
        If a topic of the run has no cut.

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
    rows_of_run(run)
    _checked(cuts)
    missing = next((topic for topic in pc.unique(run.topics).to_pylist() if topic not in cuts), None)
    if missing is not None:
        raise InputError(f"{run.source}: topic {missing} has no cut; every topic of the run needs one.")
    ranked = RankedRows.of(run, strings(list(cuts)))
    docs, scores = ranked.rows.docs, ranked.falling

    def kept() -> Iterator[tuple[str, list[tuple[str, float]]]]:
        for (topic, k), start, length in zip(cuts.items(), ranked.starts.tolist(), ranked.lengths.tolist()):
            part = slice(start, start + min(count_of(topic, k), length))
            yield topic, list(zip(docs[part].to_pylist(), scores[part].tolist()))

    write_lists(path, kept(), tag)


def write_lists(path: Target, lists: Iterable[tuple[str, list[tuple[str, float]]]], tag: str) -> None:
    """Write each topic's documents and scores as a TREC run, an empty list as the placeholder."""
    rows = (
        (topic, doc, rank, score)
        for topic, kept in lists
        for rank, (doc, score) in enumerate(kept or [(PLACEHOLDER, 0.0)], 1)
    )
    write_text(path, run_lines(rows, tag))


def _checked(cuts: Mapping[str, int]) -> Mapping[str, int]:
    for topic in mapping("cuts", cuts, "{topic: k}"):
        word(topic, "topic")
    return cuts


def rows_of_run(run: Any) -> Rows:
    """The argument, where it is the rows of a run."""
    return instance("run", run, Rows, "the rows of a run, as ir_trunc.read_run has them,")


def count_of(topic: str, k: int) -> int:
    """The length of a topic's list as a plain number; InputError where it is not one."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0:
        raise InputError(
            f"topic {topic}: {shown(k)} documents cannot be kept; a whole number from 0 on is needed."
        )
    return int(k)


def ranked(run: Rows, *, nil: NilRule | Convention | None = None) -> Rankings:
    """A run's lists for the topics that it has itself, without judgments: what a policy cuts.

    Parameters
    ----------
    run : Rows
        As `ir_trunc.read_run(path)` gives it.
    nil : str or NilRule, optional
        See `ir_trunc.read_qrels`.

    Returns
    -------
    Rankings

    Examples
    --------
    >>> import ir_trunc
    >>> from ir_trunc.truncation import ranked
    >>> ranked(ir_trunc.read_run({"1": {"a": 0.9, "b": 0.2}}))
    Rankings(1 topics, 2 documents, 0 of them judged)
    """
    topics = rows_of_run(run).topics.dictionary.take(pc.unique(run.topics.indices)).to_pylist()
    return ranked_for(run, topics, nil)


def ranked_for(run: Rows, topics: Sequence[str], nil: NilRule | Convention | None = None) -> Rankings:
    """A run's lists for these topics, without judgments; a topic that the run lacks has the empty list."""
    nothing = Rows.of("no qrels", strings([]), strings([]), np.zeros(0, np.int64))
    qrels = Qrels.of(nothing, topics, nil=None if nil is None else nil_rule(nil))
    return rank(qrels, [run], keep_scores=True)


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
