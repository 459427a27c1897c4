"""The score matrix: every system's score on every topic under every measure.

All of meta-evaluation starts from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_trunc._core.errors import InputError, counted, shown
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import instance, mapping, several
from ir_trunc._core.rankings import Bools, Floats, Ints
from ir_trunc.measures.declaration import items_of, split
from ir_trunc.measures.definition import RunScores
from ir_trunc.meta.pairs import place_of, positions, rounded
from ir_trunc.meta.tables import by_name, scores_in
from ir_trunc.scoring import stored
from ir_trunc.scoring.objects import definition_of, parse_measure
from ir_trunc.scoring.results import Result

if TYPE_CHECKING:
    from typing_extensions import Self

A_MATRIX = "a score matrix, which meta.score_matrix(measures, qrels, runs) makes"
"""What an argument has to be, in messages."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix(Result):
    """Scores of S systems on T topics under M measures.

    measures: M names. systems: S names. topics: T ids. values: (M x S x T). A measure of scope 'run' (`c@1`,
    `CWS`) has the values that belong to the whole run, which depend on each other. runs: for each such
    measure the lists of every system, from which it is computed anew over drawn topics (`over`) and tested
    (`paired`). They are not saved: in a matrix that was loaded there are none, and what needs them is an
    InputError.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats
    runs: Mapping[str, tuple[RunScores, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for of in ("measures", "systems", "topics"):
            names = getattr(self, of)
            if not (isinstance(names, tuple) and all(isinstance(name, str) for name in names)):
                raise InputError(f"{of}={shown(names)}: a tuple of texts is needed.")
        if not (isinstance(self.values, np.ndarray) and self.values.dtype.kind == "f"):
            raise InputError(f"values of type {type(self.values).__name__}: an array of floats is needed.")
        shape = (len(self.measures), len(self.systems), len(self.topics))
        if self.values.shape != shape:
            raise InputError(
                f"scores of shape {self.values.shape}: measures x systems x topics = {shape} is needed."
            )
        if not np.isfinite(self.values).all():
            at = tuple(int(i) for i in np.argwhere(~np.isfinite(self.values))[0])
            where = f"{self.measures[at[0]]}, system {self.systems[at[1]]}, topic {self.topics[at[2]]}"
            raise InputError(f"{where}: score {self.values[at]}; a finite number is needed.")

    @property
    def heading(self) -> str:
        """How many measures, systems and topics there are."""
        named = (self.measures, "measure"), (self.systems, "system"), (self.topics, "topic")
        return f"ScoreMatrix({', '.join(counted(len(names), what) for names, what in named)})"

    def summary(self) -> pd.DataFrame:
        """Mean scores: a row for each system, a column for each measure."""
        return by_name("system", self.systems, self.means().T, self.measures)

    @classmethod
    def from_pandas(cls, table: Any) -> Self:
        """The matrix of a table of scores, one for each system, topic and measure.

        table: a frame with the columns system, query_id (or qid), measure and value, as
        `compare(...).by_topic()` makes it, or system, query_id and a column for each measure, as `to_pandas`
        does; both may be in its index. Systems and measures keep their order, topics are put in the canonical
        one. Raises InputError where a score is missing, there twice or not a finite number.
        """
        return cls(*scores_in(table))

    def _data(self) -> Any:
        saved = ("measures", "systems", "topics", "values")
        return {name: stored.plain(getattr(self, name)) for name in saved} | {"whole_run": list(self.runs)}

    @classmethod
    def _from(cls, data: Any, where: str) -> Self:
        fields = stored.named(data, ("measures", "systems", "topics", "values", "whole_run"), where)
        measures, systems, topics, whole_run = (
            stored.value_of(fields[name], tuple[str, ...], f"{where}, {name}")
            for name in ("measures", "systems", "topics", "whole_run")
        )
        values = stored.array_of(fields["values"], np.float64, f"{where}, values")
        try:
            positions(whole_run, measures)
            return cls(measures, systems, topics, values, dict.fromkeys(whole_run, ()))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def __getitem__(self, measure: Any) -> Floats:
        """The scores under one measure (S x T), by its text or its ir-measures object."""
        scores: Floats = self.values[place_of(measure, self.measures)]
        return scores

    def places(self, measures: Any) -> list[int]:
        """The positions of measures, given as texts, objects or a list of both.

        A name of the matrix stays as it is, blanks included.
        """
        needed = f"a measure of the matrix ({', '.join(self.measures)})"
        found = items_of("measures", measures, needed, self._names_in)
        return [place_of(measure, self.measures) for measure in found]

    def _names_in(self, text: str) -> list[str]:
        return [text] if text in self.measures else split(text)

    def means(self) -> Floats:
        """Mean scores over topics (M x S), rounded."""
        return rounded(self.values.mean(axis=2))

    def over(self, systems: Ints, sets: Bools) -> Floats:
        """The measures over sets of topics: of P systems R sets each (P x R x T), P x R x M values."""
        self._refuse_values_alone()
        found: Floats = (sets / sets.sum(axis=-1, keepdims=True)) @ self.values.transpose(1, 2, 0)[systems]
        for name, runs in self.runs.items():
            row = self.measures.index(name)
            found[:, :, row] = [runs[at].over(chosen) for at, chosen in zip(systems, sets)]
        return found

    def paired(self) -> Floats:
        """What a paired test over topics may take (M x S x T).

        These are scores; for measures of the whole run, influence values.
        """
        self._refuse_values_alone()
        values = self.values.copy()
        for name, runs in self.runs.items():
            values[self.measures.index(name)] = [run.influence() for run in runs]
        return values

    def refuse_whole_run(self, measures: Iterable[str], what: str) -> None:
        """InputError where one of these measures has no score of a topic alone."""
        for name in measures:
            if name in self.runs or _looks_at_the_whole_run(name):
                raise InputError(
                    f"{name} looks at all lists of a run, and has no score of one topic alone: {what}."
                )

    def _refuse_values_alone(self) -> None:
        for name in self.measures:
            if not self.runs.get(name, ()) and (name in self.runs or _looks_at_the_whole_run(name)):
                raise InputError(
                    f"{name} looks at all lists of a run: its values by topic depend on each other, so that"
                    " the lists are needed here. ir_trunc.meta.score_matrix keeps them."
                )

    def take(
        self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None, measures: Any = None
    ) -> ScoreMatrix:
        """Some of the systems, some of the topics, some of the measures, in the order given."""
        if measures is not None:
            at = self.places(measures)
            names = tuple(self.measures[place] for place in at)
            kept_runs = {name: self.runs[name] for name in names if name in self.runs}
            chosen = replace(self, measures=names, values=self.values[at], runs=kept_runs)
            return chosen.take(systems, topics)
        if topics is not None:
            self._refuse_values_alone()
        rows = self.systems if systems is None else tuple(several("systems", systems, "names"))
        columns = self.topics if topics is None else tuple(several("topics", topics, "ids"))
        kept, shown = positions(rows, self.systems), positions(columns, self.topics)
        values = self.values[np.ix_(range(len(self.measures)), kept, shown)]
        runs = {
            name: tuple(each[at].take(shown) for at in kept) if each else ()
            for name, each in self.runs.items()
        }
        for name, each in runs.items() if topics is not None else ():
            values[self.measures.index(name)] = [run.measure.score(run.rankings) for run in each]
        return ScoreMatrix(self.measures, rows, columns, values, runs)

    def joined(self, others: Mapping[str, ScoreMatrix]) -> ScoreMatrix:
        """This matrix and others of the same systems and topics.

        A measure of `others` is called 'measure, name'.
        """
        names, parts, runs = list(self.measures), [self.values], dict(self.runs)
        for name, other in mapping("others", others, "{name: matrix}").items():
            matrix_of(other)
            if (other.systems, other.topics) != (self.systems, self.topics):
                raise InputError(
                    f"matrix {name!r} has other systems or topics: the same in the same order are needed."
                )
            names += [f"{measure}, {name}" for measure in other.measures]
            parts.append(other.values)
            runs |= {f"{measure}, {name}": each for measure, each in other.runs.items()}
        return ScoreMatrix(tuple(names), self.systems, self.topics, np.concatenate(parts), runs)

    def to_pandas(self) -> pd.DataFrame:
        """Scores in rows of (system, query_id), a column for each measure."""
        index = pd.MultiIndex.from_product([self.systems, self.topics], names=["system", "query_id"])
        rows = self.values.reshape(len(self.measures), -1).T
        return pd.DataFrame(rows, index=index, columns=list(self.measures))


def matrix_of(value: Any) -> ScoreMatrix:
    """The argument, where it is a score matrix."""
    return instance("matrix", value, ScoreMatrix, f"{A_MATRIX},")


def _looks_at_the_whole_run(name: str) -> bool:
    try:
        definition = definition_of(parse_measure(name))
    except ValueError:  # scores may have any name
        return False
    return definition is not None and definition.scope == "run"
