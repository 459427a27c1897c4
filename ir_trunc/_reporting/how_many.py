"""`how_many`: how many documents to return, learnt from labelled questions by cross-validation."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from ir_measures import Measure

from ir_trunc import plots
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.deprecation import renamed
from ir_trunc._core.errors import (
    InputError,
    IrTruncError,
    ParameterError,
    ParameterTypeError,
    counted,
    noted,
    shown,
    warn,
)
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Number, Seed, Whole, checked, text
from ir_trunc._core.rankings import Bools, Floats, Ints, Rankings
from ir_trunc._core.universe import Universe
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike, rank
from ir_trunc._read.reading import Reading, Unpack
from ir_trunc._reporting._selection import (
    Draws,
    bootstrap,
    chance_of_lead,
    choose,
    of_chosen,
    separation,
    shares_of_first,
    weights_of,
)
from ir_trunc._scoring._runs import progress
from ir_trunc._scoring._statistics import interval_of_equals
from ir_trunc._scoring.evaluator import Options
from ir_trunc._scoring.judged import Judged, corrected_values
from ir_trunc._scoring.results import Result
from ir_trunc.measures.definition import BoundMeasure, influence
from ir_trunc.truncation._fitting import one_measure, single_measure
from ir_trunc.truncation._items import cost_of, text_of
from ir_trunc.truncation._policy import (
    BOUNDS,
    Cutter,
    Policy,
    profiled,
    refuse_if_not_live,
    registry,
    sees_judgments,
)
from ir_trunc.truncation._text import PoliciesLike, parse_policies, parse_policy
from ir_trunc.truncation._validation import Split, cut_each
from ir_trunc.truncation.policies.lengths import Fixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["HowMany", "how_many"]

FEW = 50
"""With fewer questions than this, the advice calls them few."""

FIXED = (1, 2, 3, 5, 10, 20, 50, 100)
"""The fixed lengths that are tried, up to the longest list."""

WHOLE, SILENT = "as retrieved", "always silent"
"""The names of the two references: the lists as they are, and nothing for any question."""

_CHANCE = 0.05
_OF_ALL = *BOUNDS, "fitted_on"  # what every policy has
_INTERVAL = 2.5, 97.5
_ENOUGH, _MOST = 10, 0.75  # lists with a relevant document, and their share that suggests distances
# The quantities of a user by their columns: name, form of the number, and what it is.
_QUANTITIES = {
    "kept": ("kept", "{:.0%}", "of the answerable questions still get a relevant passage"),
    "unanswered": ("unanswered", "{:.0%}", "of the unanswerable questions are left unanswered"),
    "wrongly": ("wrongly", "{:.0%}", "of the unanswered questions had an answer"),
    "length": ("passages", "{:.1f}", "per question"),
    "cost": ("cost", "{:.4g}", "per question"),
    "used": ("used", "{:.0%}", "of the budget per question"),
    "limited": ("limited", "{:.0%}", "of the lists end because the next document does not fit the budget"),
}
_PRECISE_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


@dataclass(frozen=True, repr=False, eq=False)
class HowMany(Result):
    """How well each policy did on questions that it was not fitted on.

    Each column of the table is an attribute as well: `advice.score` is an array of the scores, and
    `advice.policies` and `advice.fitted` are tuples of texts.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each policy, the highest score first. 'always silent' and 'as retrieved' are the two
        references.

        - policy, its name; fitted, the policy as it is fitted on all questions, as text, "" for one that text
          cannot hold
        - kept, the share of the answerable questions whose list keeps a relevant document; unanswered, of the
          unanswerable questions that get the empty list; wrongly, of the questions with the empty list that
          have an answer
        - empty, the share of empty lists; length and cost, documents and their cost per question; cost is NaN
          where it is unknown
        - used, the share of the budget that a question takes; limited, the share of the lists that the policy
          would keep longer without the budget; NaN where there is none
        - score, and its individual 95 % interval low to high
        - first, the share of the bootstrap samples of the questions in which the policy has the highest score
        - behind_low, behind_high: 95 % interval of the advised policy's score less this policy's
    policy : Policy
        The advised policy, fitted on all questions: `advice.policy(scores)`, `advice.policy.keep(items)`, or
        `advice.policy.save("stop.json")`.
    advised, present : str
        Name of the advised policy, and of the setting in use.
    measure : str
        The measure of the scores.
    questions, unanswerable : int
        Number of questions, and of those without an answer in the labels (with `Judged` those of the judge).
    judged : str
        With `Judged`, how far the judge and people agree, "" without; scores and shares are then corrected.
    searched : str
        What the lists are of questions with several searches; "" where there is none.
    unit, units : str and int
        The outermost key of the questions ("" without keys), over which means are nested, and how many values
        it has (without keys the number of questions), over which folds and intervals are.
    production : float or None
        The share of unanswerable questions for which all figures are; None for that of the labels.
    folds, seed : int
        Of the cross-validation.
    expected : tuple of three floats
        The score of the advised policy on new questions, with its 95 % interval. Of a policy that was chosen
        as the best of many it is without their optimism: over the questions that bootstrap samples leave out,
        the choice being made again in each (Tsamardinos et al. 2018). Of a reference it is that of its row.
    expected_kept : tuple of two floats
        The share of new answerable questions that keep a relevant document, and a lower bound of it with 95 %
        confidence (Clopper & Pearson 1934; NaN with keys), in the same way.
    reference : str
        The best of the references: the present setting, and with or without one 'always silent' and 'as
        retrieved'; with `keep` of those that keep enough.
    chance : float
        p value of the highest score against this reference (White's reality check): how often chance alone
        would show as large a lead of the best of so many policies. Where it is above 0.05, the advice is the
        present setting, or without one (or where it is significantly worse) this reference.
    separation : tuple of three floats
        AUROC of the top score for questions with against those without an answer, with its 95 % interval
        (DeLong et al. 1988); NaN where there is no question of one kind, or no score.
    tolerance : float
        A simpler policy whose score is within this of the highest is preferred.
    keep : float or None
        The share of the answerable questions that had to keep a relevant document.
    budget, price : float or None
        What the documents of a question were allowed to cost, in the unit of their costs, and what one unit
        costs: `cost` is priced, and `used` the share of the budget is the same at every price.
    left_out : tuple of str
        Policies that could not be tried, with the reason.
    """

    table: pd.DataFrame
    policy: Any
    advised: str
    present: str
    measure: str
    questions: int
    unanswerable: int
    judged: str
    searched: str
    unit: str
    units: int
    production: float | None
    folds: int
    seed: int
    expected: tuple[float, float, float]
    expected_kept: tuple[float, float]
    reference: str
    chance: float
    separation: tuple[float, float, float]
    tolerance: float
    keep: float | None
    budget: float | None
    price: float | None
    left_out: tuple[str, ...]

    digits = 3

    def __getattr__(self, name: str) -> Any:
        column = "policy" if name == "policies" else name
        if name.startswith("_") or column not in (table := self.table):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        values = table[column]
        return tuple(values) if column in ("policy", "fitted") else values.to_numpy()

    @property
    def alike(self) -> tuple[str, ...]:
        """The other policies whose score does not differ significantly: the 95 % interval holds 0."""
        same = (self.behind_low <= 0) & (self.behind_high >= 0)
        return tuple(name for name in self.table["policy"][same] if name != self.advised)

    @property
    def heading(self) -> str:
        """The advice as text."""
        best, now = self.policies.index(self.advised), self.policies.index(self.present)
        return "\n".join([*self._advice(best, now), *self._quantities(best, now), *self._remarks(best)])

    def _advice(self, best: int, now: int) -> Iterator[str]:
        weighted = "" if self.production is None else f" (weighted to {self.production:.0%})"
        unanswerable = f"{self.unanswerable} of them without an answer{weighted}"
        if self.judged:
            yield f"{self.judged} Scores and shares are corrected by people's labels."
            unanswerable += " by the judge"
        yield f"{counted(self.questions, 'question')}, {unanswerable}; {self.folds}-fold cross-validation."
        if self.searched:
            yield f"{self.searched}."
        if self.budget is not None:
            priced = (
                "" if self.price is None else f", {self.budget * self.price:g} at the price of {self.price:g}"
            )
            yield f"The documents of a question may cost {self.budget:g} together{priced}."
        if self.unit:
            yield f"Means are nested; folds and intervals are over {self.units} values of {self.unit!r}."
        if best == now:
            yield f"Advice: keep the present setting, {self._written(best)}."
        else:
            present = f"In brackets: the present setting, {self._written(now)}."
            yield f"Advice: {self._written(best)}. {present}"
        if self.empty[best] == 1:
            yield "This leaves every question unanswered."

    def _quantities(self, best: int, now: int) -> Iterator[str]:
        """The quantities of the advised policy, with those of the present setting in brackets."""
        for column, (name, form, what) in _QUANTITIES.items():
            values = self.table[column].to_numpy(copy=True)
            if column == "kept":
                of_these, values[best] = form.format(values[best]), self.expected_kept[0]
                if of_these != form.format(values[best]):
                    what += f"; it is the share expected on new questions, and {of_these} on these"
            if not math.isnan(values[best]):
                compared = "" if best == now or math.isnan(values[now]) else f" ({form.format(values[now])})"
                yield f"{name}: {form.format(values[best])}{compared} {what}."
        expected, low, high = self.expected
        on_new = f"expect {expected:.3f} ({low:.3f} to {high:.3f}) on new questions"
        if math.isnan(expected):
            on_new = "so few questions do not show what to expect on new ones"
        at_present = "" if best == now else f", and {self.score[now]:.3f} with the present setting"
        yield f"{self.measure}: {on_new}; it is {self.score[best]:.3f} on these{at_present}."

    def _written(self, row: int) -> str:
        """The name of a policy with its fitted parameters to four significant digits."""
        name, fitted = map(str, (self.policies[row], self.fitted[row]))
        if name in (SILENT, WHOLE) or not fitted:
            return name
        if fitted in (str(Fixed(0)), str(Fixed(0, budget=self.budget))):
            return f"{name}, which returns nothing for any question"
        return _PRECISE_NUMBER.sub(lambda match: f"{float(match[0]):.4g}", fitted)

    def _remarks(self, best: int) -> Iterator[str]:
        """What the advice rests on, and reasons for caution."""
        if self.keep is not None:
            yield self._shown_keep()
        if best > 0 and self.score[0] - self.score[best] <= self.tolerance:
            simpler = f"{self._written(best)} is simpler than {self._written(0)}"
            yield f"{simpler}; its score is within {self.tolerance:g}."
        yield f"It ranks first in {self.first[best]:.0%} of bootstrap samples."
        if self.chance > _CHANCE:
            yield f"No policy is better than '{self.reference}' beyond chance (p = {self.chance:.2f})."
        yield from self._can_be_silent(best)
        auroc, low, high = self.separation
        if not math.isnan(auroc):
            separate = "do not separate" if low <= 0.5 <= high else "separate"
            yield (
                f"These scores {separate} questions with and without an answer: AUROC of the top score"
                f" {auroc:.2f} ({low:.2f} to {high:.2f})."
            )
        if self.alike:
            yield f"No significant difference from {', '.join(self.alike)}."
        if self.units < FEW:
            yield _few(self.units, self.unit)
        for reason in self.left_out:
            yield f"Not tried: {reason}"

    def _can_be_silent(self, best: int) -> Iterator[str]:
        """What it costs to return nothing for some questions, where the advised policy never does."""
        able = (self.empty > 0) & (self.empty < 1) & (self.kept >= (self.keep or 0))
        if self.unanswerable and self.empty[best] == 0 and able.any():
            row = int(able.argmax())
            yield (
                f"The best policy that can return nothing is {self._written(row)}: {self.measure}"
                f" {self.score[row]:.3f} ({self.score[row] - self.score[best]:+.3f}), kept"
                f" {self.kept[row]:.0%}, unanswered {self.unanswered[row]:.0%}."
            )

    def _shown_keep(self) -> str:
        """Whether the questions show that the wanted share keeps a relevant passage."""
        answerable = self.questions - self.unanswerable
        (share, bound), keep = self.expected_kept, f"keep={self.keep:g}"
        if math.isnan(bound):
            return f"No bound is known for {keep} with keys: their lists are not independent."
        shown = "shows" if bound >= (self.keep or 0) else "does not show"
        return (
            f"{_hits(share, answerable)} of {answerable} answerable questions are expected to keep a relevant"
            f" passage: at least {bound:.1%} of new ones do, with 95 % confidence. This {shown} {keep}."
        )

    def to_pandas(self) -> pd.DataFrame:
        """One row for each policy, with all columns."""
        unknown = [name for name in ("cost", "used", "limited") if self.table[name].isna().all()]
        return self.table.drop(columns=unknown)

    def summary(self) -> pd.DataFrame:
        """The printed table: the quantities of the heading, and the score with its interval."""
        columns = [*_QUANTITIES, "score", "low", "high"]
        table = self.table.set_index("policy")[columns].dropna(axis=1, how="all")
        return table.rename(columns={"length": "passages"})

    def plot(self, against: str = "", ax: Axes | None = None) -> Axes:
        """A row for each policy: score with 95 % interval, and cost or, where none is known, length.

        Parameters
        ----------
        against : str
            'length' or 'cost'.
        """
        table = self.to_pandas().assign(system=f"{self.measure}, {self.questions} questions")
        against = text("against", against) or ("cost" if "cost" in table else "length")
        return plots.policies(table, against, ax)


@renamed(margin="tolerance")
@checked
def how_many(
    labels: QrelsLike | None,
    retrieved: RunLike,
    measure: str | Measure = "RBPT(p=0.8)",
    *,
    keep: Annotated[float | None, Number("share of answerable questions", 0, 1)] = None,
    unanswerable: Annotated[float | None, Number("share of questions", 0, 1)] = None,
    price: Annotated[float | None, Number("price of a document", 0)] = None,
    cost: Any = None,
    budget: Annotated[float | None, Number("highest cost of the documents of a question", 0)] = None,
    policies: PoliciesLike = (),
    also: PoliciesLike = (),
    present: int | str | Cutter | None = None,
    tolerance: Annotated[float, Number("difference of scores", 0)] = 0.01,
    folds: Annotated[int | None, Whole("parts of the questions", 2)] = None,
    seed: Seed = 0,
    **options: Unpack[Options],
) -> HowMany:
    """How many documents to return for a question, from which score on, and when none.

    Fixed lengths and policies are fitted on some of the questions and scored on the others, in turn. The
    advice is the policy with the highest score, or a simpler one within `tolerance` of it: the present
    setting before a fixed length, and a fixed length before policies that read scores. Where no policy is
    better than the references beyond chance, it is the present setting or the better reference. The score to
    expect on new questions leaves out what the best of many policies owes to chance (Tsamardinos, Greasidou &
    Borboudakis, Machine Learning 2018, https://doi.org/10.1007/s10994-018-5714-4).

    Parameters
    ----------
    labels : QrelsLike or None
        Which documents are relevant, such as `{question: {document: 1}}`. A question without any is one that
        should get no answer. A frame or records have no row for it: `topics=` names all questions then. With
        `Judged`, policies are fitted on the labels of the judge, and chosen by means that people's correct.
    retrieved : RunLike
        What the system returned for each question, with scores; in any form that `ir_trunc.calc` takes, such
        as `{question: {document: score}}` or a frame. The lists should be long enough to be cut. Where the
        first two arguments can only be read in the other order, they are, with a warning.
    measure : str or Measure
        What the policies maximise. It has to depend on where lists end, as `RBPT`, `FlatU(e=0.1)`, `SetF` and
        `c@1` do.
    keep : float, optional
        Share of the answerable questions that have to keep a relevant document: the advice is the best of the
        policies that do so on these questions. Levels are fitted with a margin of one standard error.
    unanswerable : float, optional
        Share of unanswerable questions to expect in production, where that of the labels differs. All figures
        and fitted levels are then those of questions in this proportion.
    price : float, optional
        What one unit of the column `cost` of the run costs, or one document where it has no such column, for
        the table and the plot. Without it, costs are those of the column. They do not change the advice.
    cost : str, tokenizer or callable, optional
        The column of the run, or the name in the documents of a framework or in their metadata, that has the
        cost of each document, such as its tokens; by default the column `cost`. Documents with a text take
        'characters/4' (about its tokens), a tokenizer with `encode`, or a function of the document, too.
    budget : float, optional
        The highest sum of these costs for a question. Every policy is tried under this limit, and the advised
        one has it: a document that does not fit ends the list.
    policies : str or list, optional
        The policies to try, as texts or objects. By default all that work on live lists and need no parameter
        and no other package.
    also : str or list, optional
        Further policies: `"Learned"`, which needs scikit-learn, or `"RiskControlled('missed', 0.1)"`.
    present : int, str or Policy, optional
        The setting in use: a fixed length, or a policy. By default all that was retrieved is returned.
    tolerance : float
        A simpler policy is preferred if its score is within this of the highest.
    folds, seed : int
        Number of parts of the questions, by default 5, and the seed of their random assignment.
    topics, missing, unjudged, nil
    order, duplicates, stop, lower_is_better, columns, keys, searches, withheld
        As for `ir_trunc.calc`.

    Returns
    -------
    HowMany
        It prints as a paragraph and a table; `advice.policy` is the advised policy, fitted on all questions,
        and `advice.plot()` draws a row for each policy.

    Raises
    ------
    InputError
        Where there are fewer than two questions, where no list belongs to a labelled question, where the
        labels have no relevant document or none was retrieved, where no policy keeps the share `keep`, and
        where the data cannot be read.
    ParameterError
        Where a policy that was asked for cannot be fitted, or sees the judgments, and where the measure never
        gives a shorter list a higher score.

    Warns
    -----
    IrTruncWarning
        Where there are fewer than 50 questions, all scores are equal, or scores look like distances.

    Examples
    --------
    >>> import warnings
    >>> import ir_trunc
    >>> labels = {str(q): {"a": 1} if q % 2 else {} for q in range(60)}
    >>> retrieved = {q: {"a": 0.9, "b": 0.3} if labels[q] else {"c": 0.4, "d": 0.2} for q in labels}
    >>> advice = ir_trunc.how_many(labels, retrieved)
    >>> advice.policy
    ScoreThreshold(threshold=0.9)
    >>> advice.policy([0.95, 0.5])
    1
    """
    if cost is not None:
        is_name = isinstance(cost, str) and cost != "characters/4"
        if not (isinstance(cost, str) or callable(cost) or hasattr(cost, "encode")):
            what = "a name, 'characters/4', a tokenizer with encode or a function of a document is needed"
            raise ParameterTypeError(f"cost={shown(cost)}: {what}.")
        column = cost if is_name else cost_of(cost, text_of, "")
        options["columns"] = {**Reading(columns=options.get("columns")).names, "cost": column}
    rankings, people, agreement = _read(labels, retrieved, options, keep is None and unanswerable is None)
    _check_that_ids_match(rankings)
    bound, named = one_measure(measure), single_measure(measure)
    _check_that_shorter_can_win(bound, named, rankings)
    _warn_of_scores(rankings)
    split = Split.of(rankings, folds, seed, "questions")
    nil, units = rankings.judgments.nil_queries, int(split.unit_of.max()) + 1
    if units < FEW:
        warn(f"how_many: {_few(units, split.unit)}")
    weights = weights_of(nil, split.weights, unanswerable)
    _check_that_it_has_weights(bound, weights)
    trials, left_out = _try_policies(policies, also, present, budget, named, split, weights, keep)
    trials, values = _best_first(trials, bound, rankings, weights, people)
    table, kept, answerable = _quantities(trials, split, weights, price, budget, people)
    scores, kept_shares = values.mean(axis=1), table["kept"].to_numpy()
    _check_that_one_keeps_enough(table, keep)
    ranks = np.array([trial.rank for trial in trials])
    is_reference = table["policy"].isin((SILENT, WHOLE)).to_numpy() | ((ranks == 0) & (present is not None))
    drawn = np.vstack([values, kept * split.weights, weights, answerable * split.weights])
    by_kind = unanswerable is not None and not split.unit
    kinds = nil if by_kind else np.zeros(units, bool) if people is None else people.labelled
    draws = bootstrap(drawn, split.unit_of, kinds, seed)
    allowed = np.flatnonzero(kept_shares >= (keep or 0) - TOLERANCE)
    reference = int(allowed[np.where(is_reference, scores, -np.inf)[allowed].argmax()])
    chance = chance_of_lead(scores[allowed], draws.scores[:, allowed], is_reference[allowed])
    if chance <= _CHANCE:
        best = int(choose(scores[None], kept_shares[None], ranks, tolerance, keep)[0])
    else:
        best = _in_doubt(reference, None if present is None else int(ranks.argmin()), allowed, draws.scores)
    chosen = None if is_reference[best] else choose(draws.scores, draws.kept, ranks, tolerance, keep)
    fewest = int(min(nil.sum(), (~nil).sum())) if by_kind else units
    table = _with_bounds(table, scores, draws.scores, best, fewest, bound.range)
    return HowMany(
        table=table,
        policy=profiled(trials[best].fitted, rankings, named),
        advised=trials[best].name,
        present=next(trial.name for trial in trials if trial.rank == 0),
        measure=str(named),
        questions=len(rankings),
        unanswerable=int(nil.sum()),
        judged=agreement,
        searched=(rankings.universe or Universe()).searched,
        unit=split.unit,
        units=units,
        production=unanswerable,
        folds=len(split.parts),
        seed=seed,
        expected=_expected(table.iloc[best], draws, chosen),
        expected_kept=_expected_kept(table["kept"][best], draws, chosen, split, people is not None),
        reference=trials[reference].name,
        chance=chance,
        separation=separation(None if split.unit or people is not None else rankings.first_scores, nil),
        tolerance=tolerance,
        keep=keep,
        budget=budget,
        price=price,
        left_out=tuple(left_out),
    )


# What is read, and what is refused.


def _read(
    labels: Any, retrieved: Any, options: Any, as_they_are: bool
) -> tuple[Rankings, _People | None, str]:
    """The lists with their labels; with `Judged` also those of people, and how far the two agree."""
    if not isinstance(labels, Judged):
        return _ranked(labels, retrieved, options), None, ""
    if not as_they_are or Reading(keys=options.get("keys")).of_questions:
        raise ParameterError("how_many: with Judged, leave out keep=, unanswerable= and keys=.")
    retrieved = [*retrieved] if isinstance(retrieved, Iterator) else retrieved
    people, agreement = _People.of(labels, retrieved, options), labels.agreement().heading
    with noted(issued=False):  # those of the mixed labels say the same
        rankings = rank(labels.judge, retrieved, **options)
    unlabelled = _unlabelled({"people on their topics": people.rankings, "the judge": rankings})
    return rankings, people, agreement + unlabelled


def _ranked(labels: Any, retrieved: Any, options: Any) -> Rankings:
    """The lists with their labels; in the other order of the two where they can only be read so."""
    try:
        return rank(labels, retrieved, **options)
    except InputError as error:
        try:
            with noted(issued=False):
                rankings = rank(retrieved, labels, **options)
        except IrTruncError:
            raise error from None
    warn("how_many: the labels come first and what was retrieved second. The arguments were exchanged.")
    return rankings


def _check_that_ids_match(rankings: Rankings) -> None:
    """InputError if nothing can be learnt from the labels, most likely because ids differ."""
    answerable = int((~rankings.judgments.nil_queries).sum())
    if not rankings.lengths.any():
        raise InputError(
            f"how_many: nothing was retrieved for any of the {len(rankings)} labelled questions (for"
            f" example question {rankings.topics[0]}). Nothing can be learnt: `retrieved` needs"
            " lists of documents for the questions of `labels`, under the same ids."
        )
    if not answerable:
        raise InputError(
            f"how_many: none of the {len(rankings)} questions has a relevant document in the labels. Nothing"
            " can be learnt: `labels` needs relevant documents (a grade of 1 or more) for some questions."
        )
    if not (rankings.judged_grades > 0).any():
        raise InputError(
            f"how_many: {answerable} questions have relevant documents, and none of these was"
            " retrieved. Nothing can be learnt: `retrieved` and `labels` need the same ids of documents."
        )


def _check_that_shorter_can_win(bound: BoundMeasure, measure: Measure, rankings: Rankings) -> None:
    """ParameterError for a measure that gives no shorter list a higher score."""
    if bound.definition.scope == "run" or "end" in bound.reads:
        return
    curve = bound.curve(rankings)
    rises = np.delete(np.diff(curve.values), curve.offsets[1:-1] - 1)
    if not (rises < -TOLERANCE).any():
        raise ParameterError(
            f"{measure} does not look at the end of a list: no list of these questions has a higher score if"
            " it ends earlier, so that the advice would always be the longest. Use a measure that does:"
            " RBPT, nDCGT, SetF, FlatU(e=0.1), or c@1 where one answer is enough."
        )


def _check_that_it_has_weights(bound: BoundMeasure, weights: Floats) -> None:
    """ParameterError for a measure of the whole run that has no weighted mean, if the questions need one."""
    if (weights != 1).any() and bound.definition.scope == "run" and bound.definition.of_means is None:
        raise ParameterError(
            f"{bound.definition.name} looks at all lists of a run and has no weighted mean, as `unanswerable`"
            " and `keys` need; RBPT, EM and c@1 have."
        )


def _check_that_one_keeps_enough(table: pd.DataFrame, keep: float | None) -> None:
    """InputError if no policy keeps the wanted share."""
    most = table.iloc[int(table["kept"].argmax())]
    if keep is not None and most["kept"] < keep:
        raise InputError(
            f"keep={keep:g}: no policy keeps a relevant document for that share of the answerable questions;"
            f" {most['policy']} does for {most['kept']:.1%}. Retrieve more, or lower `keep`."
        )


def _warn_of_scores(rankings: Rankings) -> None:
    """Warn if the scores of each list are all equal, or relevant documents are mostly in the lower half."""
    lengths, scores = rankings.lengths, rankings.scores
    several = lengths > 1
    if scores is not None and several.any():
        starts = rankings.starts[several]
        if (scores[starts] == scores[starts + lengths[several] - 1]).all():
            warn(
                "how_many: all scores of a list are equal, so that no policy can tell its documents apart."
                " `retrieved` needs the scores by which documents were ranked."
            )
            return
    relevant = rankings.judged_grades > 0
    rows, counts = np.unique(rankings.judged_rows[relevant], return_counts=True)
    mean_ranks = np.bincount(rankings.judged_rows[relevant], rankings.judged_ranks[relevant])[rows] / counts
    low = int((mean_ranks > (lengths[rows] + 1) / 2).sum())
    if len(rows) >= _ENOUGH and low > _MOST * len(rows):
        where = f"in the lower half of {low} of {len(rows)} lists"
        warn(
            f"how_many: relevant documents are {where}; if the scores are distances, pass"
            " lower_is_better=True."
        )


def _few(units: int, unit: str) -> str:
    what = f"values of {unit!r}" if unit else "questions"
    return f"{units} {what} are few; the advice is more certain with {FEW} or more."


# Policies.


@dataclass(frozen=True)
class _Trial:
    """A policy that was tried."""

    name: str
    cuts: Ints  # its lengths for lists that it was not fitted on (Q)
    limited: Bools  # whether they would be longer without the budget (Q)
    fitted: Any  # itself, fitted on all lists
    rank: (
        int  # 0: the setting in use, 1: a fixed length, 2: others; the lowest within the tolerance is advised
    )


def _try_policies(
    policies: Any,
    also: Any,
    present: Any,
    budget: float | None,
    measure: Measure,
    split: Split,
    weights: Floats,
    keep: float | None,
) -> tuple[list[_Trial], list[str]]:
    """The setting in use, the references and all policies that could be tried, and why others could not."""
    longest = int(split.rankings.lengths.max())
    now: Cutter = Fixed(longest)
    if present is not None:
        is_length = isinstance(present, (int, float, np.number))
        now = Fixed(present) if is_length else parse_policy(present)
    asked, further = (
        [] if isinstance(texts, (str, list, tuple)) and not texts else parse_policies(texts)
        for texts in (policies, also)
    )
    required = [*asked, *further]
    by_name: dict[str, Cutter] = {} if present is None else {str(now): now}
    by_name |= {WHOLE: now if present is None else Fixed(longest), SILENT: Fixed(0)}
    for name, policy in ({} if asked else _all_policies(longest)).items():
        by_name.setdefault(name, policy)
    for policy in required:
        by_name.setdefault(str(policy), policy)
    trials: list[_Trial] = []
    reasons: dict[str, list[str]] = {}
    goal = None if (weights == 1).all() else weights
    for name, policy in progress(by_name.items(), "policies", "policy"):
        try:
            refuse_if_not_live(policy)
            tried = _within(policy, budget)
            cuts, each = split.trial(tried, measure, True, weights=goal, keep=keep)
            free: list[Any] = [*each[:-1]]
            if budget is not None:
                free = [replace(fitted, budget=None) for fitted in free]
            limited = cut_each(free, split.rankings, split.parts) > cuts
        except IrTruncError as error:
            if policy is now or policy in required:
                raise
            reasons.setdefault(str(error), []).append(name)
            continue
        fitted = _finite(each[-1])
        rank = 0 if policy is now else 1 if isinstance(fitted, Fixed) else 2
        trials.append(_Trial(name, cuts, limited, fitted, rank))
    return trials, [
        why if names[0] in why else f"{', '.join(names)}: {why}" for why, names in reasons.items()
    ]


@dataclass(frozen=True)
class _People:
    """The lists of the questions that people labelled, with their labels, and which these are (Q)."""

    rankings: Rankings
    labelled: Bools

    @classmethod
    def of(cls, labels: Judged, retrieved: Any, options: Any) -> _People:
        mixed = rank(labels.mixed, retrieved, **options)
        labelled = labels.labelled(mixed.topics)
        return cls(mixed.take(np.flatnonzero(labelled)), labelled)


def _unlabelled(lists: dict[str, Rankings]) -> str:
    """How many of the retrieved documents nobody labelled, by who should have; a warning says it, too."""
    counts = {who: int(each.lengths.sum()) - len(each.judged_ranks) for who, each in lists.items()}
    some = [f"{n} of {lists[who].lengths.sum()} by {who}" for who, n in counts.items() if n]
    if not some:
        return ""
    warn(text := f"Retrieved documents without a label, which count as not relevant: {', '.join(some)}.")
    return f" {text}"


def _of_lists(
    function: Callable[[Rankings], Any], rankings: Rankings, trials: list[_Trial], people: _People | None
) -> Floats:
    """A function of the lists of each trial (P x Q), corrected where people labelled some."""
    values = np.array([function(rankings.cut(trial.cuts)) for trial in trials])
    if people is None:
        return values
    cut = [people.rankings.cut(trial.cuts[people.labelled]) for trial in trials]
    by_people = np.array([function(lists) for lists in cut], np.float64)
    return corrected_values(by_people, values.astype(np.float64), people.labelled)


def _kept(lists: Rankings) -> Bools:
    """Which lists keep a relevant document (Q)."""
    hits = lists.judged_rows[lists.judged_grades > 0]
    return (np.bincount(hits, minlength=len(lists)) > 0) & ~lists.judgments.nil_queries


def _silent(lists: Rankings, nil: bool) -> Bools:
    """Which lists are empty and belong to questions without (or with) an answer (Q)."""
    empty: Bools = (lists.lengths == 0) & (lists.judgments.nil_queries == nil)
    return empty


def _best_first(
    trials: list[_Trial], bound: BoundMeasure, rankings: Rankings, weights: Floats, people: _People | None
) -> tuple[list[_Trial], Floats]:
    """The trials by falling score, and the values of the questions under each (P x Q)."""
    goal = None if (weights == 1).all() else weights
    values = _of_lists(lambda lists: influence(bound, lists, goal), rankings, trials, people)
    # Of equal scores the shorter lists come first, and of equal lists what is simpler.
    lengths = np.array([trial.cuts.mean() for trial in trials])
    order = np.lexsort((np.arange(len(trials)), lengths, -np.round(values.mean(axis=1), 12)))
    return [trials[i] for i in order], values[order]


def _quantities(
    trials: list[_Trial],
    split: Split,
    weights: Floats,
    price: float | None,
    budget: float | None,
    people: _People | None,
) -> tuple[pd.DataFrame, Floats, Floats]:
    """The columns of the table that no bootstrap is needed for, which questions are kept (P x Q), and which
    have an answer (Q).
    """
    nested, count = split.weights, len(weights)
    nil: Any = split.rankings.judgments.nil_queries
    lists = [split.rankings.cut(trial.cuts) for trial in trials]
    kept = _of_lists(_kept, split.rankings, trials, people)
    empty = np.array([cut.lengths == 0 for cut in lists])
    rightly, wrongly = (
        _of_lists(partial(_silent, nil=right), split.rankings, trials, people) for right in (True, False)
    )
    unanswered: Any = empty
    answerable = ~nil
    if people is not None:
        by_people = (~people.rankings.judgments.nil_queries).astype(float)
        answerable = corrected_values(by_people, answerable.astype(float), people.labelled)
        nil, unanswered = 1 - answerable, rightly + wrongly
    with np.errstate(invalid="ignore"):  # no question is unanswerable, or none is unanswered
        columns = {
            "policy": [trial.name for trial in trials],
            "fitted": [_as_text(trial.fitted) for trial in trials],
            "kept": kept @ nested / (answerable @ nested),
            "unanswered": rightly @ nested / (nil @ nested),
            "wrongly": wrongly @ weights / (unanswered @ weights),
            "empty": empty @ weights / count,
            "length": np.array([cut.lengths @ weights for cut in lists]) / count,
            "cost": np.array([_costs(cut, price) @ weights for cut in lists]) / count,
            "used": np.array([_costs(cut, 1 / (budget or math.nan)) @ weights for cut in lists]) / count,
            "limited": np.array([trial.limited @ weights for trial in trials])
            / (count if budget else math.nan),
        }
        columns |= {name: np.clip(columns[name], 0, 1) for name in ("kept", "unanswered", "wrongly")}
    return pd.DataFrame(columns), kept, answerable


def _in_doubt(reference: int, now: int | None, allowed: Ints, drawn: Floats) -> int:
    """What is advised where nothing is better than the reference: the present setting, unless it is worse."""
    if now is None or now not in allowed:
        return reference
    is_worse = np.percentile(drawn[:, reference] - drawn[:, now], _INTERVAL[0]) > 0
    return reference if is_worse else now


def _expected(row: pd.Series, draws: Draws, chosen: Ints | None) -> tuple[float, float, float]:
    """Score and interval on new questions: of what is chosen in each sample, or (None) of this policy."""
    new = of_chosen(draws.outside, chosen)
    if chosen is None or (len(new) and np.ptp(new) <= TOLERANCE):
        return float(row["score"]), float(row["low"]), float(row["high"])
    if not len(new):
        return math.nan, math.nan, math.nan
    low, high = np.percentile(new, _INTERVAL)
    return float(new.mean()), float(low), float(high)


def _expected_kept(
    own: float, draws: Draws, chosen: Ints | None, split: Split, corrected: bool
) -> tuple[float, float]:
    """The same of the share of the answerable questions that is kept, with its lower bound."""
    from scipy.stats import binomtest

    new, answerable = (
        of_chosen(draws.outside_kept, chosen),
        int((~split.rankings.judgments.nil_queries).sum()),
    )
    share = float(new.mean()) if len(new) else float(own)
    if split.unit or corrected:  # lists of one unit are not independent, nor are corrected shares counts
        return share, math.nan
    keeping = binomtest(_hits(share, answerable), answerable, alternative="greater")
    return share, float(keeping.proportion_ci(2 * _INTERVAL[1] / 100 - 1).low)


def _hits(share: float, n: int) -> int:
    """How many of n a share is, rounded down."""
    return math.floor(share * n + TOLERANCE)


def _with_bounds(
    table: pd.DataFrame, scores: Floats, drawn: Floats, best: int, n: int, bounds: tuple[float, float]
) -> pd.DataFrame:
    """The table with the scores, and what their bootstrap samples (B x P) say of them.

    n, bounds: number of independent questions, and the lowest and the highest score of one, for policies
    under which all questions have the same score. That of silence is known.
    """
    low, high = np.percentile(drawn, _INTERVAL, axis=0)
    for row in np.flatnonzero((high - low <= TOLERANCE) & (table["policy"] != SILENT)):
        low[row], high[row] = interval_of_equals(scores[row], n, *bounds, 0.95)
    behind_low, behind_high = np.percentile(drawn[:, best, None] - drawn, _INTERVAL, axis=0)
    table = table.assign(score=scores, low=low, high=high, first=shares_of_first(drawn))
    return table.assign(behind_low=behind_low, behind_high=behind_high)


def _all_policies(longest: int) -> dict[str, Cutter]:
    """Fixed lengths, and all policies that need no parameter and no other package, and work on live lists."""
    policies: dict[str, Cutter] = {str(Fixed(k)): Fixed(k) for k in FIXED if k < longest}
    for name, definition in registry.items():
        live = not (getattr(definition.kind, "not_live", "") or sees_judgments(definition.kind))
        alone = not hasattr(definition.kind, "needs")
        if live and alone and not any(param.required for param in definition.params.values()):
            policies[name] = definition.kind()
    return policies


def _within(policy: Any, budget: float | None) -> Any:
    """The policy under a budget, or under its own where that is lower."""
    if budget is None:
        return policy
    if not isinstance(policy, Policy):
        raise ParameterError(
            f"{policy} takes no budget=; a policy derived from ir_trunc.truncation.Policy does."
        )
    return replace(policy, budget=budget if policy.budget is None else min(budget, policy.budget))


def _finite(policy: Any) -> Any:
    """The policy; a level that nothing reaches is the length 0."""
    values = vars(policy) if is_dataclass(policy) else {}
    if not any(isinstance(value, float) and math.isinf(value) for value in values.values()):
        return policy
    return Fixed(0, **{name: values[name] for name in _OF_ALL if name in values})


def _as_text(policy: Any) -> str:
    """A policy as text; "" if text cannot hold it."""
    definition = registry.get(type(policy).__name__)
    return str(policy) if definition and definition.kind is type(policy) and definition.written else ""


def _costs(rankings: Rankings, price: float | None) -> Floats:
    """The cost of each list (Q)."""
    if rankings.costs is None:
        return rankings.lengths.astype(np.float64) * (math.nan if price is None else price)
    costs = np.bincount(rankings.rows, rankings.costs[rankings.places], len(rankings))
    return costs.astype(np.float64) * (1.0 if price is None else price)
