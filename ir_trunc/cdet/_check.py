"""Runs of the track are checked by the rules of its run checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from ir_trunc._core.errors import InputError, counted
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Choice, checked
from ir_trunc._output.tables import fitted
from ir_trunc._read.readers.cdet import Absent, ChangeCollection, ChangeRun, read_change_run
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import by_file_name
from ir_trunc.cdet._collection import RAGTIME1, DaysLike, collection_of, read_days

AbsentDates = Annotated[Absent, Choice("what a date is that a run does not name")]


def read_all(paths: Mapping[str, Any], collection: ChangeCollection, absent: Absent) -> dict[str, ChangeRun]:
    """The runs with their errors, by the names of their files; a runtag of several is an error of each."""
    read = {n: read_change_run(p, f"run {p}", collection, absent, True) for n, p in paths.items()}
    for name, run in read.items():
        if others := [other for other, each in read.items() if each.tag == run.tag != "" and other != name]:
            run.refuse(f"run {paths[name]}, line 1: runtag {run.tag} is that of {', '.join(others)}, too.")
    return read


@dataclass(frozen=True, eq=False, repr=False)
class ChangeCheck(Result):
    """What is wrong with runs of the track.

    Attributes
    ----------
    against : str
        What they were checked against.
    errors, warnings : dict
        Messages by the name of the run's file; a run with errors is invalid.
    """

    against: str
    errors: Mapping[str, Sequence[str]]
    warnings: Mapping[str, Sequence[str]]

    @property
    def valid(self) -> bool:
        """Whether all runs are."""
        return not any(self.errors.values())

    @property
    def heading(self) -> str:
        """How many runs are valid, and what they were checked against."""
        valid = len(self.errors) - sum(map(bool, self.errors.values()))
        return f"{valid} of {counted(len(self.errors), 'run')} valid, checked against {self.against}"

    def to_pandas(self) -> pd.DataFrame:
        """A row for each message, in the columns run, kind ('error' or 'warning') and message."""
        rows = [
            (name, kind, message)
            for name in self.errors
            for kind, messages in (("error", self.errors), ("warning", self.warnings))
            for message in messages[name]
        ]
        return pd.DataFrame(rows, columns=["run", "kind", "message"])

    def __repr__(self) -> str:
        lines = [f"{self.heading}."]
        for name, errors in self.errors.items():
            lines.append(f"{name}: {counted(len(errors), 'error') if errors else 'valid'}")
            lines += [f"  error: {message}" for message in errors]
            lines += [f"  warning: {message}" for message in self.warnings[name]]
        return "\n".join(fitted(line, 4) for line in lines)


@checked
def check_runs(
    topics: Any,
    runs: Any,
    *,
    days: DaysLike | None = None,
    docs: DaysLike | None = None,
    absent: AbsentDates = "error",
) -> ChangeCheck:
    """Check runs by the rules of the track's run checker.

    Parameters
    ----------
    topics : path or dict
        The file of topics, or `{topic: [question, ...]}`.
    runs : path, or several
        Files of runs, or folders of them.
    days : DaysLike, optional
        The days of the collection; by default those of `docs`, and without these RAGTIME1's.
    docs : DaysLike, optional
        The days of documents: a file of lines `document<TAB>date`, or `{document: date}`.
    absent : {'error', 'tied', 'empty'}
        As for `score`.

    Returns
    -------
    ChangeCheck
        Up to 50 errors of each run, and warnings for what is allowed, but probably not meant.

    Raises
    ------
    InputError
        Where topics or days are not valid, or there is no run.

    Examples
    --------
    >>> from ir_trunc import cdet
    >>> cdet.check_runs("topics.jsonl", "my.jsonl", days="2024-01-01..2024-03-31").valid  # doctest: +SKIP
    """
    paths = by_file_name(runs)
    given = [read_days(each) for each in (days, docs) if each is not None] or [read_days(RAGTIME1)]
    (chosen, _), (_, date_of) = given[0], given[-1]
    if docs is not None and not date_of:
        raise InputError("docs: lines 'document<TAB>date', or {document: date}, are needed.")
    collection = collection_of(topics, chosen, date_of)
    read = read_all(paths, collection, absent)
    asked = f"{counted(len(collection.questions), 'topic')} and {counted(len(chosen), 'day')}"
    against = f"{asked} ({chosen[0]} to {chosen[-1]})"
    errors = {name: run.errors for name, run in read.items()}
    return ChangeCheck(against, errors, {name: run.warnings for name, run in read.items()})
