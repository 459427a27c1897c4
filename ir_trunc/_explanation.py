"""Why a topic has its score: the score if its list ended at each depth, and what its end is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ir_trunc._core.arrays import Bools, Floats
from ir_trunc._core.curve import TOLERANCE, Curve
from ir_trunc._core.errors import InputError, ParameterError, counted, nearest, noted, shown
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.rankings import Rankings
from ir_trunc._output.tables import fitted
from ir_trunc._scoring.objects import own_formula
from ir_trunc._scoring.results import Result, Results
from ir_trunc.measures import definition as of
from ir_trunc.measures.definition import NOT_FINITE, BoundMeasure
from ir_trunc.measures.lists import Depths, Lists

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TOP = 10  # ranks that are printed of a long list, beside those of relevant documents and the last


class _Endless(Lists):
    """Lists whose ends do not count, as where they fill a cutoff."""

    asked = False

    @property
    def stopped(self) -> Bools | bool:
        self.asked = True
        return False


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """Why a topic has its score.

    Attributes
    ----------
    measure : Measure
    topic : str
    table : DataFrame
        A row for each depth 0 to n, by `rank`: document, grade (NaN: not judged), gain where the measure has
        one, the score if the list ended here, and the change from the row above, which adds up to the score.
        Of a measure of the whole run, scores are those of the run if this one list ended here.
    score : float
        The score of the topic, or of the whole run.
    end : float or None
        What of it the end of the list is worth; None where no cutoff of the measure takes the end away.
    influence : float or None
        Of a measure of the whole run: what the topic adds. The mean over topics is the score.
    curve : Curve or None
        The scores; None where a measure of the whole run has only influence.
    notes : tuple of str
        What else decides the score: the cutoff, documents without judgments, ties, weights of nested means.
    """

    measure: Measure
    topic: str
    table: pd.DataFrame
    score: float
    end: float | None
    influence: float | None
    curve: Curve | None
    notes: tuple[str, ...]

    def to_pandas(self) -> pd.DataFrame:
        """The table, a row for each depth."""
        return self.table

    @property
    def heading(self) -> str:
        """The measure, the topic and the score."""
        if self.influence is None:
            return f"{self.measure} of topic {self.topic}: {self.score:.4f}"
        about = f"the influence of topic {self.topic} is {round(self.influence, 4) + 0.0:.4f}"
        return f"{self.measure} of the whole run: {self.score:.4f}; {about}"

    @property
    def _shown(self) -> Bools:
        """The rows that are printed: the first ones, relevant documents and the last."""
        ranks, grades = np.arange(len(self.table)), self.table["grade"].to_numpy(float)
        return np.asarray((ranks <= _TOP) | (grades > 0) | (ranks == ranks[-1]))

    def summary(self) -> pd.DataFrame:
        """The table as it is printed: of long lists the first ranks, relevant documents and the last rank."""
        shown = self.table[self._shown]
        grades = shown["grade"].map("{:.0f}".format, na_action="ignore").astype(object).fillna("-")
        shown = shown.assign(grade=grades.where(shown.index != 0, ""))
        return shown.astype(object).where(shown.notna(), "") if "gain" in shown else shown

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines below the table."""
        left_out = len(self.table) - int(self._shown.sum())
        what = f"{counted(left_out, 'rank')} without a relevant document left out here."
        return (what, *self.notes) if left_out else self.notes

    def _text(self, digits: int) -> str:
        table = "\n".join(line.rstrip() for line in super()._text(digits).splitlines())
        return "\n".join([table, "", *map(fitted, self.lines)])

    def _repr_html_(self) -> str:
        import html  # for notebooks: commands start sooner without its table of entities

        return f"{super()._repr_html_()}\n<p>{'<br>'.join(map(html.escape, self.lines))}</p>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """The score at every depth, with the relevant documents, the best cut, and what the end is worth.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        Axes

        Raises
        ------
        ParameterError
            Where a measure of the whole run has no score of one list.
        """
        if self.curve is None:
            raise ParameterError(f"{self.measure} has no score at each depth of one list, only influence.")
        ax, kit = plots.curve(self.curve, self.topic, self.measure, ax), plots._kit
        scores = self.curve.values
        if self.influence is not None:
            ax.set_ylabel(kit.label(f"{self.measure} of the run"))
        relevant = np.flatnonzero(self.table["grade"] > 0)
        ax.plot(relevant, scores[relevant], "o", color=kit.INK, markersize=4, label="relevant document")
        if self.end:
            last, worth = len(scores) - 1, f"worth of the end: {self.end:.3f}"
            ends = scores[-1] - self.end, scores[-1]
            ax.vlines(last, *ends, color=kit.ACCENT, linewidth=3, clip_on=False, zorder=1, label=worth)
        kit.legend_above(ax, 2)
        return ax


def explain(results: Results, topic: str, measure: str | Measure | None = None) -> Explanation:
    """Why a topic has its score, see `Results.explain`."""
    row = 0 if measure is None else results._row(measure)
    bound, notes, weights = own_formula(results.measures[row], "it has no curve"), list[str](), None
    if topic not in results.topics:
        scored = f"{counted(len(results.topics), 'topic')}, {shown(results.topics[0])} for example"
        raise InputError(f"topic {shown(topic)} is not among the {scored}.{nearest(topic, results.topics)}")
    place = results.topics.index(topic)
    with noted(issued=False):  # scoring gave the warnings
        found = results.documents and results.documents.of(topic, results.rankings.take([place]))
    ids, tied = found or (None, 0)
    if ids is None:
        notes.append("Ids of documents are not known: the run was a stream, or came without them.")
    if tied:
        notes.append(f"{tied} documents have the same score as a neighbour; ids decide their order.")
    if results.ties is not None:
        score = results.values[row, place]
        notes.append(f"The printed score, {score:.4f}, is the mean over all orders of tied documents.")
    if (labelled := getattr(results, "labelled", None)) is not None:
        notes.append(f"Its labels are those of {'people' if labelled[place] else 'the judge'}.")
    if results._nest is not None:
        weights = results._nest.weights()[1]
        share = weights[place] / len(weights)
        notes.append(f"The list has a weight of {share:.4f} in the mean of the run over {results._units}.")
    return explained(results.measures[row], bound, results.rankings, place, ids, weights, notes)


def explained(
    measure: Measure,
    bound: BoundMeasure,
    rankings: Rankings,
    place: int,
    documents: Sequence[str] | None = None,
    weights: Floats | None = None,
    notes: Sequence[str] = (),
) -> Explanation:
    """The explanation of a list. documents: their ids, by rank; weights: of the lists in nested means."""
    one, k, topics = rankings.take([place]), bound.cutoff, len(rankings)
    length = min([int(one.lengths[0]), *([] if k is None else [k])])
    if bound.judged_only:
        one = one.without_negative()
        length = len(bound.curve(one).values) - 1
        notes = (*notes, "Documents that are not judged (-) leave the list.")
    hits = one.judged_ranks[one.judged_ranks <= length]
    said, gains, curve, end, influence = [*_of_list(bound, one, length, len(hits))], None, None, None, None
    with np.errstate(**NOT_FINITE):
        if bound.definition.scope == "run":
            run, score = of.RunScores(bound, rankings, weights), float(bound.score(rankings).mean())
            influence = float(run.influence()[place])
            said += ["Scores are those of the run if this list alone ended there."]
            said += [f"Over the {counted(topics, 'topic')}, the mean of the influence is the score."]
            if bound.definition.of_means is not None:
                own = np.array(of.parts_of(bound, Depths(one, k)))
                share = (1.0 if weights is None else weights[place]) / topics
                means = run.parts.mean(axis=1)[:, None] + share * (own - own[:, -1:])
                scores, ends = of.value_from_means(bound, means), np.array([0, length + 1])
                curve = Curve(one.topics, ends, scores, bound.definition.lower_is_better)
        else:
            curve, without = bound.curve(one), _Endless(one, k, bound.judged_only)
            rest, score, gains = float(bound.of(without)[0]), float(curve.values[-1]), without.gains
            if without.asked and of.CUTOFF in bound.definition.params:
                end = score - rest * (length > 0)
                counts = bool(np.all(Lists(one, k, bound.judged_only).stopped))
                said.insert(0, _of_end(end, rest, length, counts))
    columns: dict[str, Any] = {} if documents is None else {"document": ["", *documents[:length]]}
    for name, values, other in (("grade", one.judged_grades, np.nan), ("gain", gains, 0.0)):
        if values is not None:
            columns[name] = np.append(np.nan, np.full(length, other))
            columns[name][hits] = values[: len(hits)]
    if curve is not None:
        columns |= {"score": curve.values, "change": np.diff(curve.values, prepend=0.0)}
        (depth,), (best,) = (each.tolist() for each in curve.best())
        if abs(best - score) > TOLERANCE:
            said.append(f"The best end would be after {counted(depth, 'document')}: {best:.4f}.")
    table = pd.DataFrame(columns, pd.RangeIndex(length + 1, name="rank"))
    return Explanation(measure, one.topics[0], table, score, end, influence, curve, (*said, *notes))


def _of_end(end: float, rest: float, length: int, counts: bool) -> str:
    """What the end is worth, in words."""
    if not counts:
        return "The list fills the cutoff, so that its end does not count."
    if not length:
        return f"The list is empty: all of this score, {end:.4f}, is what its end is worth."
    without = f"a list that went on there, as at a cutoff of {length}, would score {rest:.4f}"
    return f"Of this score, the end of the list is worth {end:.4f}: {without}."


def _of_list(bound: BoundMeasure, one: Rankings, length: int, judged: int) -> Iterator[str]:
    """What decides the score of a list beside its documents."""
    below, withheld = int(one.lengths[0]) - length, 0 if one.withheld is None else int(one.withheld[0])
    grades, rel = one.judgments.without_nil().grades, bound.params.get("rel") or 1
    listed = one.judged_grades[one.judged_ranks <= length]
    relevant, found = (int((each >= rel).sum()) for each in (grades, listed))
    if one.nil is not None and one.nil.held[0]:
        yield f"The list of the run has a document NIL, which means: {one.nil.convention}."
    if one.missing is not None and one.missing[0]:
        yield "The topic has no rows in the run, which counts as the empty list."
    if one.answers is not None:
        yield "Answers are graded, and not documents."
        judged = length
    elif not relevant:
        why = "Nothing is relevant (a nil query)" if len(grades) else "Without judgments, it is a nil query"
        yield f"{why}: the empty list is right."
    else:
        yield f"Relevant: {counted(relevant, 'document')}, {found} of them down to rank {length}."
    if length > judged and not bound.judged_only:
        yield f"Not judged (-), which counts as not relevant: {counted(length - judged, 'document')}."
    if withheld:
        yield f"Withheld from the list before ranks were given: {counted(withheld, 'document')}."
    if below:
        yield f"Below the cutoff @{length}, where nothing changes the score: {counted(below, 'document')}."
    if one.universe is not None and one.universe.depth == one.lengths[0]:
        yield f"The list is cut at {counted(length, 'document')}, as depth= says."
    if bound.definition.lower_is_better:
        yield "Lower is better."
