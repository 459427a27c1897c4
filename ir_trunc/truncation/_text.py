"""Policies and cuts as texts and files, and runs that are cut by them.

A policy as text is `Name(param=value, ...)`, the path of a saved policy, or that of a file of cuts.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, TypeAlias, TypeVar, Unpack, get_type_hints, overload

import numpy as np

from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, nearest, printable, shown
from ir_trunc._core.parameters import call_parts, literal, several, text
from ir_trunc._core.rankings import Rankings
from ir_trunc._output.files import Target, check_outputs, word, write_text
from ir_trunc._ranking.ranked_rows import Convention, NilRule, RankedRows, Run
from ir_trunc._ranking.runs import RunLike, read_run
from ir_trunc._read.arrow import pc, strings
from ir_trunc._read.reading import HowRead, takes
from ir_trunc._read.rows import Rows
from ir_trunc._read.text import read_numbers
from ir_trunc._saved import fields_of, from_json, read_saved
from ir_trunc.measures.declaration import items_of, split_at_blanks
from ir_trunc.truncation import _policy
from ir_trunc.truncation._fitting import Profile, check_rows, unjudged_lists
from ir_trunc.truncation._policy import BOUNDS, Cutter, Policy, PolicyDefinition, registry
from ir_trunc.truncation.policies.basic import CutsByTopic, Given

_SAVED = re.compile(r"\.json(\.gz)?$")
CutterType = TypeVar("CutterType", bound=Cutter)

PoliciesLike: TypeAlias = str | Cutter | Iterable[str | Cutter]
"""One or more policies: a text such as 'LargestGap Fixed(k=3)', a policy, or a list of both."""


@overload
def parse_policy(policy: str) -> Policy: ...


@overload
def parse_policy(policy: CutterType) -> CutterType: ...


def parse_policy(policy: Any) -> Any:
    """The policy that a text names; an object stays as it is.

    Parameters
    ----------
    policy : str or Policy
        A name with parameters (`LargestGap`, `Fixed(k=10)`), or the path of a file: of cuts, or of a policy
        that `save` wrote (`stop.json`).

    Returns
    -------
    Policy

    Raises
    ------
    ParameterError
        With the policies, or the parameters, that there are.

    Examples
    --------
    >>> from ir_trunc.truncation import parse_policy
    >>> parse_policy("Fixed(k=10)").k
    10
    """
    if not isinstance(policy, str):
        if not (hasattr(policy, "cut") and hasattr(policy, "fit")) or isinstance(policy, type):
            needed = "a text, or an object with `fit` and `cut`, is needed"
            raise ParameterError(f"{shown(policy)} is not a policy: {needed}.")
        return policy
    match = re.fullmatch(r"(\w+)\s*+(\(.*\))?", policy.strip(), re.DOTALL)
    if match and match[1] in registry:
        return _from_call(registry[match[1]], policy.strip())
    if os.path.isfile(policy):
        return load_policy(policy) if _SAVED.search(policy) else Given(read_cuts(policy), policy)
    there = f"{', '.join(registry)}.{nearest(policy.partition('(')[0].strip(), registry)}"
    raise ParameterError(f"There is no policy {policy!r}, nor a file of cuts; there are: {there}")


def _from_call(definition: PolicyDefinition, call_text: str) -> Policy:
    """The policy that a text `Name(...)` describes, written as a call in Python."""
    name, params = definition.name, {**definition.params, **BOUNDS}
    own = ", ".join(f"{param}=..." for param in definition.params)
    form = f"{name}({own})" if own else name

    def refuse(problem: object) -> ParameterError:
        return ParameterError(f"{call_text!r} cannot be read: {problem}; {form} is needed.")

    _, args, keywords, _ = call_parts(call_text, refuse)
    positional = [_argument_value(call_text, node) for node in args]
    by_name = {key: _argument_value(call_text, node) for key, node in keywords.items()}
    for key in by_name.keys() - params.keys():
        known = f"{', '.join(params)}.{nearest(key, params)}"
        raise ParameterError(f"{name} has no parameter {key!r}; it has: {known}")
    try:
        inspect.signature(definition.kind).bind(*positional, **by_name)
    except TypeError as error:
        raise refuse(error) from None
    return definition.kind(*positional, **by_name)


def load_policy(path: Target) -> Policy:
    """The policy that `policy.save(path)` wrote.

    Parameters
    ----------
    path : str or path
        A file of JSON, plain or gzipped.

    Returns
    -------
    Policy
        Equal to the one that was saved.

    Raises
    ------
    InputError
        If the file holds something else, or a policy that is not registered: import the module that
        declares it first.

    Examples
    --------
    >>> import os, tempfile
    >>> import ir_trunc
    >>> from ir_trunc.truncation import Fixed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "stop.json")
    ...     Fixed(5).save(path)
    ...     ir_trunc.load_policy(path)([0.9, 0.8, 0.7])
    3
    """
    try:
        saved = read_saved(path, "Policy")
    except InputError as error:
        try:
            read_numbers(path, "cut", "k")
        except IrTruncError:
            needed = "A policy is needed, as policy.save and 'ir_trunc how-many -o' write it"
            raise InputError(f"{error} {needed}.") from None
        what = f"{printable(os.fspath(path))} is a file of cuts, 'topic<TAB>k'"
        others = "parse_policy and truncate take its path; load_policy reads what policy.save wrote"
        raise InputError(f"{what}: {others}.") from None
    return policy_from_dict(*saved)


def policy_from_dict(data: Any, where: str = "the policy") -> Policy:
    """The policy that `policy.to_dict()` describes.

    Parameters
    ----------
    data : dict
        The policy's name and parameters.
    where : str
        What to call the data in a message.

    Returns
    -------
    Policy
        Equal to the one that was described.

    Raises
    ------
    InputError
        If the data are anything else; the message begins with `where`.

    Examples
    --------
    >>> from ir_trunc.truncation import policy_from_dict
    >>> policy_from_dict({"policy": "Fixed", "parameters": {"k": 5}})
    Fixed(k=5)
    """
    where = text("where", where)
    profile = data.get("fitted_on") if isinstance(data, dict) else None
    names = ("policy", "parameters") if profile is None else ("policy", "parameters", "fitted_on")
    data = fields_of(data, names, where)
    name = data["policy"]
    if not isinstance(name, str) or name not in registry or not registry[name].written:
        allowed = f"there are: {', '.join(registry)}.{nearest(name, registry)}"
        raise InputError(f"{where}: there is no policy {shown(name)}; {allowed}")
    kind = registry[name].kind
    hints = get_type_hints(kind)
    parameters = data["parameters"]
    if isinstance(parameters, dict):
        parameters = {**dict.fromkeys(BOUNDS), **parameters}
    written = fields_of(parameters, [*registry[name].params, *BOUNDS], f"{where}, parameters")
    values = {
        param: value if hints[param] is Any else from_json(value, hints[param], f"{where}, {param}")
        for param, value in written.items()
    }
    if profile is not None:
        values["fitted_on"] = Profile.from_dict(profile, f"{where}, fitted_on")
    try:
        return kind(**values)
    except IrTruncError as error:
        raise InputError(f"{where}: {error}") from None


def _argument_value(call_text: str, node: ast.expr) -> Any:
    """A number, a quoted text or another literal; anything else, such as a measure, stays text."""
    try:
        return literal(node, call_text)
    except (ValueError, TypeError, MemoryError, RecursionError):
        written = ast.get_source_segment(call_text, node) or ""
    return float(written) if written.lstrip("+-") in ("inf", "nan") else written


def live_policy(policy: Any) -> Any:
    """The policy that a text names, or an object; ParameterError if it cannot cut live lists."""
    parsed = parse_policy(policy)
    _policy.refuse_if_not_live(parsed)
    return parsed


def parse_policies(policies: Any) -> list[Cutter]:
    """Policies from texts (`"Greedy Fixed(k=10)"`), objects, or both; a path may hold blanks."""
    parts = items_of(
        "policies", policies, "a text as 'Greedy Fixed(k=10)' or a policy object",
        lambda text: [text] if os.path.isfile(text) else split_at_blanks(text),
    )  # fmt: skip
    if not parts:
        raise ParameterError(f"No policy is given; there are: {', '.join(registry)}.")
    return [parse_policy(policy) for policy in parts]


def list_of_policies() -> str:
    """The policies, and what each of them does, for the end of a help text."""
    lines = [f"  {definition.signature}\n    {definition.summary}" for definition in registry.values()]
    rest = (
        "Every policy takes at_least= and at_most=, the fewest and the most documents to keep of a list,"
        " among=, the numbers that are possible, and budget=, the most that they may cost together (a column"
        " `cost` of the run). Files of lines 'topic<TAB>k', and files like stop.json that save() wrote, are"
        " policies too."
    )
    return "\n".join(["policies:", *lines, "", rest])


# Files of cuts, and runs that are cut.


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
    rows = read_run(run, **_policy.as_fitted(cutter, reading))
    if _policy.sees_judgments(cutter):
        needed = "give the rankings that it cut, rankings.cut(policy.cut(rankings))"
        raise ParameterError(f"{cutter} looks at judgments, which a run does not have: {needed}.")
    named = cutter.cuts if isinstance(cuts, Mapping) else ()
    topics = {*pc.unique(rows.topics).to_pylist(), *named, *rows.universe}
    lists = unjudged_lists(rows, list(topics), nil)
    kept = _policy.lengths_of(cutter, lists)
    return Run.cut(RankedRows.of(rows, strings(lists.topics)), lists.topics, kept)
