"""Labels by a model, and by people for some topics: both together give corrected means (PPI++)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np
from ir_measures.measures.base import MeanAgg

from ir_trunc._core.errors import InputError, ParameterError, counted, noted, option, warn
from ir_trunc._core.lazy import cached_property, pd
from ir_trunc._core.parameters import generator, mapping, several, whole
from ir_trunc._core.rankings import Bools, Floats, Rankings
from ir_trunc._inference.bounds import bootstrap_bounds
from ir_trunc._inference.estimate import FEW_LABELLED, CorrectedEstimate, Estimate
from ir_trunc._output.tables import fitted, table_text
from ir_trunc._ranking.qrels import Labels, Qrels, QrelsLike, read_qrels
from ir_trunc._ranking.runs import RunLike, in_memory, rank, read_run, source_of
from ir_trunc._read.arrow import one_id
from ir_trunc._read.rows import PLACEHOLDER
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.objects import bind
from ir_trunc._scoring.results import Result, Results
from ir_trunc.measures.parts import over

__all__ = ["Corrected", "JudgeAgreement", "Judged", "JudgedResults", "sample_for_people"]

_FEWEST = 2
_SAME = 1e-12


class Judged(Labels):
    """Labels by a model, and by people for some of the topics, which correct those of the model.

    It is taken where qrels are by `calc`, `compare`, `check`, `report` and `how_many`. Means are then those
    that people's labels of all topics would have, as far as both kinds of labels tell: prediction-powered
    inference. The topics that people labelled have to be drawn at random (`sample_for_people`).

    Parameters
    ----------
    judge : QrelsLike
        The model's labels of all topics, in any form that `calc` takes.
    humans : QrelsLike
        People's labels of whole topics, with grade 0 for documents that are not relevant. A warning counts
        rows without a grade; a topic without another row is not labelled.
    labelled : iterable of str, optional
        The topics that people labelled, by default those of `humans`. One without rows has no answer.

    Raises
    ------
    InputError
        Where people labelled fewer than 2 topics, or one that the judge did not label.

    Warns
    -----
    IrTruncWarning
        Where the judge calls documents relevant, on topics of people, that people did not label.

    Examples
    --------
    >>> import ir_trunc
    >>> judge = {str(q): {"a": 1} for q in range(40)}
    >>> humans = {str(q): {"a": int(q % 3 > 0), "b": 0} for q in range(20)}
    >>> labels = ir_trunc.Judged(judge, humans)
    >>> results = ir_trunc.calc("SetP", labels, {q: ["a"] for q in judge})
    >>> results.corrected.to_pandas().round(3).T["SetP"].tolist()
    [1.0, 0.65, 0.408, 0.846, 0.65, 0.408, 0.846, 0.0, 40.0, 20.0]
    """

    def __init__(self, judge: QrelsLike, humans: QrelsLike, labelled: Iterable[str] | None = None):
        by_judge = read_qrels(judge)
        with noted(issued=False) as notes:
            by_people = read_qrels(humans)
        rows_of_people = by_people.given
        blank = {topic for topic, _ in rows_of_people.unfilled}.difference(rows_of_people.named_topics())
        if rows_of_people.unfilled and not len(rows_of_people.grade):
            rows = counted(sum(count for _, count in rows_of_people.unfilled), "row")
            raise InputError(f"Judged: people's labels are not filled in: none of their {rows} has a grade.")
        named = {*by_people.judgments.topics} - blank
        if blank:
            what = f"{counted(len(blank), 'topic')} without a filled row (for example {min(blank)})"
            notes.append(f"Judged: {what} count as not labelled by people.")
        for note in notes:
            warn(note)
        if labelled is not None:
            named = {one_id(topic, "topic", "labelled") for topic in several("labelled", labelled, "topics")}
        unknown = sorted(named - {*by_judge.judgments.topics})
        if unknown:
            what = f"people labelled {counted(len(unknown), 'topic')} that the judge did not"
            raise InputError(f"Judged: {what} (for example {unknown[0]}); the judge labels all topics.")
        if len(named) < _FEWEST:
            few = f"people labelled {counted(len(named), 'topic')}"
            raise InputError(f"Judged: {few}; two are needed, and better {FEW_LABELLED} or more.")
        of_judge, of_people = by_judge.to_dict(), by_people.to_dict()
        known = {topic: of_people.get(topic, {}).keys() - {PLACEHOLDER} for topic in named}
        relevant = [(q, doc) for q in named if known[q] for doc, grade in of_judge[q].items() if grade > 0]
        lacking = sum(doc not in known[topic] for topic, doc in relevant)
        if lacking:
            what = f"{counted(lacking, 'relevant document')} on topics of people that these did not label"
            which = "Measures that count all relevant documents (nDCG, AP, recall, RBPT)"
            remedy = "then have two collections: both have to label the same documents"
            warn(f"Judged: the judge has {what}. {which} {remedy}.")
        self.judge, self.humans, self.topics = by_judge, by_people, frozenset(named)

    def __repr__(self) -> str:
        return f"Judged({len(self.judge.topics)} topics, {len(self.topics)} of them labelled by people)"

    @cached_property
    def mixed(self) -> Qrels:
        """People's labels of the topics that they labelled, and the judge's of the others."""
        by_people = {topic: {PLACEHOLDER: 0} for topic in self.topics} | self.humans.to_dict()
        of_judge = self.judge.to_dict().items()
        return read_qrels({q: by_people[q] if q in self.topics else docs for q, docs in of_judge})

    def labelled(self, topics: Iterable[str]) -> Bools:
        """Which of these topics people labelled."""
        return np.array([topic in self.topics for topic in topics], bool)

    def scorer(self, evaluator: Evaluator) -> Callable[[Evaluator, RunLike, bool], JudgedResults]:
        """What scores a run by the labels of people and of the judge."""
        if evaluator.reading.of_questions is not None:
            what = "with Judged: means are corrected over topics without keys"
            raise ParameterError(f"{option('keys')} {what}.")
        by_judge = copy(evaluator)
        with noted(issued=False):
            by_judge.take(self.judge)
        return partial(self._scores, by_judge)

    def _scores(
        self, by_judge: Evaluator, evaluator: Evaluator, run: RunLike, keep_scores: bool
    ) -> JudgedResults:
        """Scores of one run by both kinds of labels; InputError where people labelled too few topics."""
        if isinstance(run, Rankings):
            raise InputError("Rankings hold their own judgments: with Judged, give the run itself.")
        run, by_people = in_memory(run, vars(evaluator.reading)), copy(evaluator)
        by_people.labels = None
        of_people = by_people.calc(run, keep_scores=keep_scores)
        with noted(issued=False):  # those of the mixed labels say the same
            of_judge = by_judge.calc(run)
        for measure in of_people.measures:
            if not isinstance(measure.aggregator(), MeanAgg):
                raise ParameterError(f"{measure} is added up over topics: labels by a model correct means.")
        labelled = self.labelled(of_people.topics)
        if labelled.sum() < _FEWEST:
            few = f"people labelled {labelled.sum()} of the topics that are scored"
            raise InputError(f"Judged: {few}; two are needed.")
        own = tuple(getattr(of_people, each.name) for each in fields(Results))
        results = JudgedResults(*own, judge=of_judge, labelled=labelled)
        documents = results.unlabelled()
        if documents:
            what = f"people did not judge {counted(documents, 'document')} of topics that they labelled"
            warn(f"{source_of(run)}: {what}; these count as not relevant.")
        return results

    def lists(self, run: RunLike, **options: Any) -> tuple[Rankings, Rankings, Bools, str]:
        """A run by the judge, by people on their topics, which these are, and the agreement."""
        run = in_memory(run, options)
        mixed = rank(self.mixed, run, **options)
        labelled = self.labelled(mixed.topics)
        people, agreement = mixed.take(np.flatnonzero(labelled)), self.agreement().heading
        with noted(issued=False):  # those of the mixed labels say the same
            rankings = rank(self.judge, run, **options)
        unlabelled = []
        for who, of_run in (("people on their topics", people), ("the judge", rankings)):
            documents = int(of_run.lengths.sum())
            lacking = documents - len(of_run.judged_ranks)
            if lacking:
                unlabelled.append(f"{lacking} of {documents} by {who}")
        if unlabelled:
            what = "Retrieved documents without a label, which count as not relevant"
            text = f"{what}: {', '.join(unlabelled)}."
            warn(text)
            agreement += f" {text}"
        return rankings, people, labelled, agreement

    def agreement(self, run: RunLike | None = None) -> JudgeAgreement:
        """How far the judge agrees with people, on the topics that both labelled.

        Parameters
        ----------
        run : RunLike, optional
            Only documents of this run are compared, in any form that `calc` takes.

        Returns
        -------
        JudgeAgreement

        Raises
        ------
        InputError
            Where there is no document that both judged.

        Warns
        -----
        IrTruncWarning
            Where the shares of topics without an answer differ beyond chance.

        Examples
        --------
        >>> from ir_trunc import Judged
        >>> labels = Judged({"1": {"a": 1, "b": 1}, "2": {"a": 0}}, {"1": {"a": 1, "b": 0}, "2": {"a": 0}})
        >>> labels.agreement().to_pandas()["value"].round(3).tolist()
        [0.5, 0.0, 0.4, 0.5, 0.5]
        """
        judge, people = self.judge.to_dict(), self.humans.to_dict()
        shown = None if run is None else read_run(run).to_dict()
        topics, counts = sorted(self.topics), np.zeros((len(self.topics), 2, 2))
        for row, topic in enumerate(topics):
            both = people.get(topic, {}).keys() & judge[topic].keys() - {PLACEHOLDER}
            for doc in both if shown is None else both & shown.get(topic, {}).keys():
                counts[row, int(people[topic][doc] > 0), int(judge[topic][doc] > 0)] += 1
        if not counts.any():
            raise InputError("Judged: there is no document that both people and the judge labelled.")
        answered = [[any(n > 0 for n in by.get(q, {}).values()) for q in topics] for by in (judge, people)]
        return JudgeAgreement(counts, 1.0 - np.array(answered))


def sample_for_people(
    labels: QrelsLike,
    runs: Mapping[str, RunLike] | None = None,
    n: int = 50,
    seed: int = 0,
    *,
    queries: Mapping[str, str] | None = None,
    documents: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Topics for people to label, drawn at random, as a sheet with a row for each passage of the runs.

    Passages are in random order, so that neither runs nor ranks can be told. People fill in the column
    relevance, 0 for a passage that is not relevant. `sheet.to_csv(path, index=False)` is then read as qrels.

    Parameters
    ----------
    labels : QrelsLike or Judged
        The labels of the judge. Of `Judged` those topics are drawn that people have not labelled.
    runs : dict of RunLike, optional
        `{name: run}`: the sheet has all documents of these; without runs, those that the judge labelled.
    n, seed : int
        How many topics are drawn, and the seed of their choice.
    queries, documents : dict, optional
        Their texts, `{id: text}`.

    Returns
    -------
    pandas.DataFrame
        query_id, query, doc_id, document and relevance, which is empty. A topic without a document has one
        row with the document `__nil__`, whose relevance is 0.

    Raises
    ------
    InputError
        Where there are fewer than n topics to draw.

    Examples
    --------
    >>> import ir_trunc
    >>> judge = {str(q): {"a": 1, "b": 0} for q in range(9)}
    >>> sheet = ir_trunc.sample_for_people(judge, {"mine": {q: {"a": 0.9} for q in judge}}, n=2)
    >>> sheet["query_id"].tolist(), sheet["doc_id"].tolist()
    (['5', '6'], ['a', 'a'])
    """
    chosen, random = labels if isinstance(labels, Judged) else None, generator(seed)
    judge = read_qrels(labels).to_dict() if chosen is None else chosen.judge.to_dict()
    possible = sorted(set(judge) - (set() if chosen is None else chosen.topics))
    if whole("n", n, 1) > len(possible):
        raise InputError(f"n={n}: there are {counted(len(possible), 'topic')} that people have not labelled.")
    queries = mapping("queries", {} if queries is None else queries, "{id: text}")
    documents = mapping("documents", {} if documents is None else documents, "{id: text}")
    lists: list[Any] = [judge]
    if runs is not None:
        lists = [read_run(run).to_dict() for run in mapping("runs", runs, "{name: run}").values()]
    if not lists:
        raise InputError("runs={}: there is no run; without runs=, the sheet has what the judge labelled.")
    rows = []
    for topic in sorted(random.choice(possible, n, replace=False).tolist()):
        docs = sorted({doc for of_run in lists for doc in of_run.get(topic, {})} - {PLACEHOLDER})
        order = random.permutation(len(docs)).tolist()
        rows += [(topic, docs[place], "") for place in order] or [(topic, PLACEHOLDER, "0")]
    sheet = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    sheet.insert(1, "query", [queries.get(topic, "") for topic in sheet["query_id"]])
    sheet.insert(3, "document", [documents.get(doc, "") for doc in sheet["doc_id"]])
    return sheet


_ROWS = ("false positives", "misses", "kappa", "no answer, judge", "no answer, people")


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAgreement(Result):
    """How far a judge agrees with people, with 95 % intervals.

    They are over topics: documents of one topic depend on each other. That of kappa is bootstrapped.

    Attributes
    ----------
    counts : array
        Documents by topic, by people (not relevant, relevant) and by the judge (T x 2 x 2).
    without : array
        Whether a topic has no answer by the judge and by people (2 x T).
    """

    counts: Floats
    without: Floats

    def __post_init__(self) -> None:
        if self.differs:
            warn(f"{self.heading} Measures that reward silence, and policies fitted on them, differ.")

    @cached_property
    def differs(self) -> bool:
        """Whether the shares of topics without an answer differ beyond chance."""
        judge, people = (Estimate(row, (0.0, 1.0)) for row in self.without)
        low, high = (judge - people).interval()
        return bool(low > 0 or high < 0)

    def to_pandas(self) -> pd.DataFrame:
        """Rows: false positives, misses, kappa, no answer by judge and by people; value, low, high and n."""
        relevant, others = self.counts[:, 1], self.counts[:, 0]
        wrong = (others, 1), (relevant, 0)  # that people call so, and the judge otherwise
        estimates = [Estimate.share(of[:, place], of.sum(axis=1)) for of, place in wrong]
        shares = [*estimates, *(Estimate(row, (0.0, 1.0)) for row in self.without)]
        rows = [(each.mean, *each.interval()) for each in shares]
        rows.insert(2, self._kappa())
        sizes = *(of.sum() for of, _ in wrong), self.counts.sum(), *[self.without.shape[1]] * 2
        table = pd.DataFrame(rows, pd.Index(_ROWS, name="of"), ["value", "low", "high"])
        return table.assign(n=np.array(sizes, float))

    def _kappa(self) -> tuple[float, float, float]:
        """Cohen's kappa with its interval over topics; of equal draws that of its range."""
        n = len(self.counts)
        value = float(_kappa(self.counts.sum(axis=0)))
        low, high = bootstrap_bounds(
            lambda drawn: _kappa(self.counts[drawn].sum(axis=-3)), n, repetitions=1000, vectorised=True
        )
        if not high - low > _SAME:
            low, high = Estimate(np.full(n, value), (-1.0, 1.0)).interval()
        return value, low, high

    @property
    def heading(self) -> str:
        """What was compared, and whether the shares without an answer differ."""
        topics, documents = self.without.shape[1], counted(int(self.counts.sum()), "document")
        judge, people = self.without.sum(axis=1).astype(int).tolist()
        without = f"By the judge {judge} of {topics} topics have no answer, by people {people}"
        about = f"The judge against people: {documents} of {counted(topics, 'topic')}."
        return f"{about} {without}, which is beyond chance." if self.differs else about


def _kappa(counts: Floats) -> Floats:
    """(observed - expected) / (1 - expected) agreement (Cohen); 1 where all documents are called alike."""
    n, by_people = counts.sum(axis=(-2, -1)), counts.sum(axis=-1)
    expected = (counts.sum(axis=-2) * by_people).sum(axis=-1) / n**2
    observed = (counts[..., 0, 0] + counts[..., 1, 1]) / n
    return over(observed - expected, 1 - expected, 1.0)


_ALONE, _BOTH = ["people", "people_low", "people_high"], ["corrected", "low", "high"]
_COLUMNS = ["judge", *_ALONE, *_BOTH, "weight", "topics", "labelled"]


@dataclass(frozen=True, eq=False, repr=False)
class Corrected(Result):
    """Means by the judge, by people, and corrected, with 95 % intervals."""

    table: pd.DataFrame
    topics: int
    labelled: int

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure.

        judge, people with people_low and people_high, corrected with low and high, the weight of the judge's
        scores, and the numbers of topics and of those with people's labels.
        """
        return self.table

    @property
    def heading(self) -> str:
        """How many topics each rests on."""
        few = ""
        if self.labelled < FEW_LABELLED:
            few = f"; fewer than {FEW_LABELLED} by people are few, and means are those of people alone"
        return f"{self.topics} topics by the judge, {self.labelled} of them labelled by people, too{few}"


@dataclass(frozen=True, eq=False, repr=False)
class JudgedResults(Results):
    """Scores of one run by labels of a model and of people.

    Scores by topic are by people where they labelled, by the judge elsewhere; means are `corrected`.
    """

    judge: Results = field(kw_only=True)
    labelled: Bools = field(kw_only=True)

    @cached_property
    def people(self) -> Results:
        """The results over the topics that people labelled, by their labels."""
        return super().over(self.labelled)

    @cached_property
    def corrected(self) -> Corrected:
        """The means by judge, people and both, with intervals, weights and numbers of topics."""
        n, rows = int(self.labelled.sum()), []
        for row in range(len(self.measures)):
            both, people = self.estimate(row), self.people.estimate(row)
            weight = getattr(both, "weight", 0.0)
            of_each = (people.mean, *people.interval(), both.mean, *both.interval(), weight)
            rows.append((self.judge.estimate(row).mean, *of_each, len(self.labelled), n))
        index = pd.Index([str(measure) for measure in self.measures], name="measure")
        table = pd.DataFrame(rows, index, _COLUMNS).astype(dict.fromkeys(_COLUMNS[:-2], float))
        return Corrected(table, len(self.topics), n)

    def estimate(self, row: int, unit: str | None = None) -> Estimate:
        """What both kinds of labels say of the mean of a measure, as `Results.estimate`."""
        people, judge = (part.estimate(row, unit) for part in (self.people, self.judge))
        return CorrectedEstimate.of(people, judge, self.labelled)

    @cached_property
    def _means(self) -> tuple[float, ...]:
        return tuple(self.corrected.table["corrected"].tolist())

    @property
    def _units(self) -> str:
        return self.corrected.heading

    def counts(self, unit: str | None = None) -> tuple[str, int, int]:
        """As that of results, with the number of topics that people labelled."""
        name, units, _ = super().counts(unit)
        return name, units, int(self.labelled.sum())

    def quantity(self, function: Any, by_labels: bool, unit: str | None) -> Estimate:
        """As that of results; what depends on labels is by those of people alone."""
        return Results.quantity(self.people if by_labels else self, function, by_labels, unit)

    def unlabelled(self) -> int:
        """How many documents in reach of the measures people did not label on topics that they labelled."""
        rankings, bound = self.rankings, [bind(measure) for measure in self.measures]
        cutoffs = [each.cutoff for each in bound if each is not None and each.cutoff is not None]
        if cutoffs and len(cutoffs) == len(bound):
            rankings = rankings.cut(max(cutoffs))
        documents = rankings.lengths - np.bincount(rankings.judged_rows, minlength=len(rankings))
        return int(documents[self.labelled].sum())

    def refuse_unequal(self, name: str) -> None:
        """InputError where people did not label all documents of this run on their topics."""
        documents = self.unlabelled()
        if documents:
            what = f"people did not label {counted(documents, 'document')} on the topics that they labelled"
            remedy = "Add them (with grade 0 where they are not relevant), or use measures with a cutoff"
            equal = "runs are compared on equal terms only where they labelled all"
            raise InputError(f"{name}: {what}; {equal}. {remedy}.")

    def notes(self) -> Iterator[str]:
        """What stands below the means; first, that they are corrected."""
        yield f"corrected means; {self.corrected.heading}"
        yield from super().notes()

    def view_means(self, unit: str | None = None) -> Floats:
        """Means over all topics; those over parts are not known."""
        return np.array([self._means, *np.full((2, len(self.measures)), np.nan)])

    def over(self, keep: Any) -> Results:
        """ParameterError: whether a topic belongs to a part may depend on who labelled it."""
        raise ParameterError("Means over a part of the topics are not corrected: take results.people.")

    @property
    def heading(self) -> str:
        """How many topics there are, and who labelled them."""
        return f"Corrected means over {self.corrected.heading}"

    def __repr__(self) -> str:
        return f"{fitted(self.heading)}\n{table_text(self.corrected.table, self.digits)}"
