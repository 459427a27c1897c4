"""Runs that are cut, and files of cuts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Unpack

import numpy as np

from ir_trunc._core.errors import InputError, ParameterError, shown
from ir_trunc._core.parameters import several, text
from ir_trunc._core.rankings import Rankings
from ir_trunc._output.files import Target, check_outputs, word, write_text
from ir_trunc._ranking.ranked_rows import Convention, NilRule, RankedRows, Run
from ir_trunc._ranking.runs import RunLike, read_run
from ir_trunc._read.arrow import pc, strings
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._read.rows import Rows
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
    path: Target, run: Rows, cuts: Mapping[str, int], tag: str = "ir_trunc", comments: Iterable[str] = ()
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
    ordered = RankedRows.of(run, strings(list(cuts))).without_ends()
    kept = np.minimum(ordered.lengths, list(cuts.values()))
    write_text(path, chain(heads, Run.cut(ordered, cuts, kept).lines(tag)))


_CUTS = CutsByTopic("documents to keep of each topic")


@takes(HowRead)
def truncate(
    run: RunLike,
    policy: Cutter | str | Mapping[str, int] | Rankings,
    *,
    nil: NilRule | Convention | None = None,
    **reading: Unpack[HowRead],
) -> Run:
    """Cut every list of a run, and return the documents that are left.

    Parameters
    ----------
    run : RunLike
        As for `ir_trunc.calc`. No judgments are needed.
    policy : Policy, str, dict or Rankings
        Where lists end: a policy or its text (`"LargestGap"`), the path of a file of cuts, `{topic: k}`, or
        Rankings that were cut, `rankings.cut(...)`, of the same topics.
    nil, **options
        How the run is read, as for `ir_trunc.calc`.

    Returns
    -------
    Run
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
    return Run.cut(RankedRows.of(rows, strings(lists.topics)), lists.topics, lengths_of(cutter, lists))
