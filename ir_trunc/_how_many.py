"""`how_many`: how many documents to return, learnt from labelled questions by cross-validation."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
from ir_measures import Measure

from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, counted, noted, option, warn
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Number, Seed, Whole, checked, text
from ir_trunc._core.rankings import Bools, Floats, Ints, Rankings
from ir_trunc._core.universe import Universe
from ir_trunc._inference import selection
from ir_trunc._inference.estimate import ALPHA, QUANTITIES, CorrectedEstimate, Estimate, WeightedEstimate
from ir_trunc._ranking.depths import GradedAnswers
from ir_trunc._ranking.qrels import Labels, QrelsLike
from ir_trunc._ranking.runs import RunLike, rank
from ir_trunc._read.reading import Reading, takes
from ir_trunc._scoring.evaluator import Options
from ir_trunc._scoring.results import Result
from ir_trunc._scoring.runs import progress
from ir_trunc.measures.definition import BoundMeasure, influence
from ir_trunc.truncation import _policy
from ir_trunc.truncation._fitting import one_measure, single_measure
from ir_trunc.truncation._items import cost_of, text_of
from ir_trunc.truncation._policy import Cutter, Policy, registry
from ir_trunc.truncation._text import PoliciesLike, parse_policies, parse_policy
from ir_trunc.truncation._validation import Split, cut_each, estimate_of
from ir_trunc.truncation.policies.basic import Fixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HowMany", "how_many"]

WHOLE, SILENT = "as retrieved", "always silent"
"""The names of the two references: the lists as they are, and nothing for any question."""

CHANCE = 0.05
"""A lead that chance alone shows more often than this is none."""

_FEW = 50  # questions
_FEW_OF_A_KIND = 5  # with fewer, intervals of how scores separate two kinds are too narrow
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

FIXED = (1, 2, 3, 5, 10, 20, 50, 100)
"""The fixed lengths that are tried, up to the longest list."""

_OF_ALL = *_policy.BOUNDS, "fitted_on"  # what every policy has
_ENOUGH, _MOST = 10, 0.75  # lists with a relevant document, and their share that suggests distances


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
        - behind_low, behind_high: interval of the advised policy's score less this policy's, simultaneous for
          all policies with 95 % confidence (Bonferroni), by the bounds of the measure where it has any
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
    graded : str
        The depths at which answers were graded, which take the place of labels; "" without them.
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
    candidates : int
        Among how many policies the advised one was chosen; 1 for the present setting and for a reference.
    expected_kept : tuple of two floats
        The share of the answerable questions that keep a relevant document with the advised policy, and a
        lower bound of the share of new ones with 95 % confidence, for all candidates together.
    reference : str
        What a policy has to be better than: the present setting, or 'always silent' or 'as retrieved' where
        one of these is shown to be better than that.
    chance : float
        p value of the highest score against this reference: how often chance alone would show as large a
        lead of the best of so many policies (White's reality check), or that of the lead by the bounds of the
        measure, where this is larger. Where it is above 0.05, the advice is the reference.
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
    graded: str
    searched: str
    unit: str
    units: int
    production: float | None
    folds: int
    seed: int
    expected: tuple[float, float, float]
    candidates: int
    reference: str
    expected_kept: tuple[float, float]
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
        """The other policies whose score does not differ significantly: the interval holds 0."""
        same = (self.behind_low <= 0) & (self.behind_high >= 0)
        return tuple(name for name in self.table["policy"][same] if name != self.advised)

    @property
    def heading(self) -> str:
        """The advice as text."""
        rows = self.table.set_index("policy", drop=False)
        best, now = rows.loc[self.advised], rows.loc[self.present]
        return "\n".join([*self._advice(best, now), *self._quantities(best, now), *self._remarks(best)])

    def _advice(self, best: Any, now: Any) -> Iterator[str]:
        if self.judged:
            yield f"{self.judged} Scores and shares are corrected by people's labels."
        weighted = "" if self.production is None else f" (weighted to {self.production:.0%})"
        unanswerable = f"{self.unanswerable} of them without an answer{weighted}"
        unanswerable += " by the judge" if self.judged else ""
        if self.graded:
            unanswerable = f"answers graded with {self.graded} passages"
        yield f"{counted(self.questions, 'question')}, {unanswerable}; {self.folds}-fold cross-validation."
        if self.searched:
            yield f"{self.searched}."
        if self.budget is not None:
            price = self.price
            priced = "" if price is None else f", {self.budget * price:g} at the price of {price:g}"
            yield f"The documents of a question may cost {self.budget:g} together{priced}."
        if self.unit:
            yield f"Means are nested; folds and intervals are over {self.units} values of {self.unit!r}."
        advice = f"keep the present setting, {self._written(best)}."
        if self.advised != self.present:
            advice = f"{self._written(best)}. In brackets: the present setting, {self._written(now)}."
        yield f"Advice: {advice}"
        if best["empty"] == 1:
            yield "This leaves every question unanswered."

    def _quantities(self, best: Any, now: Any) -> Iterator[str]:
        """The quantities of the advised policy, with those of the present setting in brackets."""
        is_present = self.advised == self.present
        for column, (name, form, what) in _QUANTITIES.items():
            value = best[column]
            if column == "kept" and self.graded:
                name, what = "right", "of the questions get a right answer"
            if column == "kept" and not math.isnan(self.expected_kept[1]):
                what += f" on these questions; at least {self.expected_kept[1]:.0%} of new ones do"
            if not math.isnan(value):
                alone = is_present or math.isnan(now[column])
                compared = "" if alone else f" ({form.format(now[column])})"
                yield f"{name}: {form.format(value)}{compared} {what}."
        expected, low, high = self.expected
        on_new = f"expect {expected:.3f} ({low:.3f} to {high:.3f}) on new questions"
        if math.isnan(expected):
            on_new = "so few questions do not show what to expect on new ones"
        at_present = ""
        if not is_present:
            change = f"a change of {now['behind_low']:+.3f} to {now['behind_high']:+.3f}"
            at_present = f", and {now['score']:.3f} with the present setting: {change}"
        yield f"{self.measure}: {on_new}; it is {best['score']:.3f} on these{at_present}."

    def _written(self, row: Any) -> str:
        """The name of a row's policy with its fitted parameters to four significant digits."""
        name, fitted = row["policy"], row["fitted"]
        if name in (SILENT, WHOLE) or not fitted:
            return str(name)
        if fitted in (str(Fixed(0)), str(Fixed(0, budget=self.budget))):
            return f"{name}, which returns nothing for any question"
        return _PRECISE_NUMBER.sub(lambda match: f"{float(match[0]):.4g}", fitted)

    def _remarks(self, best: Any) -> Iterator[str]:
        """What the advice rests on, and reasons for caution."""
        if self.keep is not None:
            yield self._shown_keep(self.keep)
            if not self._meets.all():
                others = ", ".join(self.table["policy"][~self._meets])
                yield f"Policies that keep less than {self.keep:g} here: {others}."
        highest = self.table.iloc[0]
        if highest["policy"] != self.advised and highest["score"] - best["score"] <= self.tolerance:
            lengths = [row["fitted"].startswith(Fixed.__name__) for row in (best, highest)]
            if lengths == [True, False]:
                simpler = f"{self._written(best)} is simpler than {self._written(highest)}"
                yield f"{simpler}; its score is within {self.tolerance:g}."
            else:  # it is the present setting, or keeps more
                higher = f"the highest, that of {self._written(highest)}"
                yield f"Its score is within {self.tolerance:g} of {higher}."
        policies = counted(len(self.table), "policy", "policies")
        yield f"It ranks first of {policies} in {best['first']:.0%} of bootstrap samples."
        if self.chance > CHANCE:
            yield f"No policy is better than '{self.reference}' beyond chance (p = {self.chance:.2f})."
        able = self.table[(self.empty > 0) & (self.empty < 1) & self._meets]
        if self.unanswerable and best["empty"] == 0 and len(able):
            row, policies = able.iloc[0], counted(len(able), "policy", "policies")
            change = f"{-row['behind_high']:+.3f} to {-row['behind_low']:+.3f}"
            which = f"Of {policies} that can return nothing, {self._written(row)} scores highest here"
            does = f"it would change {self.measure} by {change}, keeps {row['kept']:.0%} and leaves"
            yield f"{which}: {does} {row['unanswered']:.0%} of the unanswerable questions unanswered."
        auroc, low, high = self.separation
        if not math.isnan(auroc):
            of_a_kind = min(self.unanswerable, self.questions - self.unanswerable)
            shown = of_a_kind >= _FEW_OF_A_KIND and not low <= 0.5 <= high
            separate = "separate" if shown else "are not shown to separate"
            wrongly = " the wrong way round" if shown and high < 0.5 else ""
            of_top = f"AUROC of the top score {auroc:.2f} ({low:.2f} to {high:.2f})"
            yield f"These scores {separate} questions with and without an answer{wrongly}: {of_top}."
        if self.alike:
            test = f"simultaneous 95 % intervals of {counted(len(self.table) - 1, 'difference')}"
            yield f"No significant difference, by {test}, from {', '.join(self.alike)}."
        if few := few_questions(self.units, self.unit):
            yield few
        for reason in self.left_out:
            yield f"Not tried: {reason}"

    @property
    def _meets(self) -> Bools:
        """Which policies keep the share `keep` on these questions."""
        return np.asarray(self.kept >= (self.keep or 0) - TOLERANCE)

    def _shown_keep(self, keep: float) -> str:
        """Whether the questions show that the wanted share keeps a relevant passage."""
        share, bound = self.expected_kept
        shows = "shows" if bound >= keep else "does not show"
        for_all = f", for each of {self.candidates} policies together" if self.candidates > 1 else ""
        right, kept = "questions get a right answer", "answerable questions keep a relevant passage"
        new = f"at least {bound:.1%} of new ones do, with 95 % confidence{for_all}"
        return f"{share:.1%} of the {right if self.graded else kept} here; {new}. This {shows} keep={keep:g}."

    def to_pandas(self) -> pd.DataFrame:
        """One row for each policy, with all columns."""
        unknown = [name for name in ("cost", "used", "limited") if self.table[name].isna().all()]
        return self.table.drop(columns=unknown)

    def summary(self) -> pd.DataFrame:
        """The printed table: the quantities of the heading, and the score with its interval."""
        columns = [*_QUANTITIES, "score", "low", "high"]
        table = self.table.set_index("policy")[columns].dropna(axis=1, how="all")
        return table.rename(columns={"length": "passages"} | ({"kept": "right"} if self.graded else {}))

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


def few_questions(units: int, unit: str) -> str:
    """The caution that these are few questions, or values of a key; "" where they are enough."""
    what = f"values of {unit!r}" if unit else "questions"
    return f"{units} {what} are few; the advice is more certain with {_FEW} or more." if units < _FEW else ""


@checked
@takes(Options)
def how_many(
    labels: QrelsLike | None,
    retrieved: RunLike,
    measure: str | Measure | None = None,
    *,
    keep: Annotated[float | None, Number("share of answerable questions", 0, 1)] = None,
    unanswerable: Annotated[float | None, Number("share of questions", 0, 1)] = None,
    price: Annotated[float | None, Number("price of a document", 0)] = None,
    cost: Any = None,
    budget: Annotated[
        float | None, Number("highest cost of the documents of a question", 0, inside=True)
    ] = None,
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
    setting before a fixed length, and a fixed length before policies that read scores. Where none is shown to
    be better than the present setting, it is this, unless it does not meet `keep`; without `present` it is
    what was retrieved. The score to expect on new questions leaves out what the best of many policies owes to
    chance (Tsamardinos, Greasidou & Borboudakis, Machine Learning 2018,
    https://doi.org/10.1007/s10994-018-5714-4).

    Parameters
    ----------
    labels : QrelsLike or None
        Which documents are relevant, such as `{question: {document: 1}}`. A question without any is one that
        should get no answer. A frame or records have no row for it: `topics=` names all questions then. With
        `Judged`, policies are fitted on the labels of the judge, and chosen by means that people's correct.
        Or how good the answers were at several depths, as `read_depths` has them.
    retrieved : RunLike
        What the system returned for each question, with scores; in any form that `ir_trunc.calc` takes, such
        as `{question: {document: score}}` or a frame. The lists should be long enough to be cut.
    measure : str or Measure
        What the policies maximise. It has to depend on where lists end, as `RBPT`, `FlatU(e=0.1)`, `SetF` and
        `c@1` do. By default RBPT(p=0.8), and of graded answers their score.
    keep : float, optional
        Share of the answerable questions that have to keep a relevant document: the advice is the best of the
        policies that do so on these questions. Levels are fitted with a margin of one standard error. Of
        graded answers it is the share of the questions that are answered right.
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
        Where the labels come second, where there are fewer than two questions, where no list belongs to a
        labelled question, where the labels have no relevant document or none was retrieved, where no policy
        keeps the share `keep`, and where the data cannot be read.
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
        names = Reading(columns=options.get("columns")).names
        options["columns"] = {**names, "cost": cost_of(cost, text_of, "")}
    as_they_are = keep is None and unanswerable is None
    rankings, people, labelled, agreement = _read(labels, retrieved, options, as_they_are)
    graded = labels if isinstance(labels, GradedAnswers) else None
    if measure is None:
        measure = "RBPT(p=0.8)" if graded is None else graded.measure
    bound, named = one_measure(measure), single_measure(measure)
    _check_that_an_end_can_win(bound, named, rankings)
    _warn_of_scores(rankings)
    if budget is not None and rankings.costs is not None:
        least = rankings.costs[rankings.starts[rankings.lengths > 0]].min()
        if budget < least:
            what = f"every first passage costs more, {least:g} at least, so that none could be kept"
            raise ParameterError(f"budget={budget:g}: {what}.")
    split = Split.of(rankings, folds, seed)
    nil, units = rankings.judgments.nil_queries, int(split.unit_of.max()) + 1
    if few := few_questions(units, split.unit):
        warn(f"how_many: {few}")
    weights = selection.weights_of(nil, split.weights, unanswerable, bound.definition)
    kinds = labelled if unanswerable is None else nil
    kinds = np.zeros(units, bool) if split.unit else kinds
    scored = _Scored(named, split, weights, unanswerable is not None, kinds, labelled)
    trials, left_out = _try_policies(policies, also, present, budget, keep, scored, people)
    table, samples = _quantities(trials, scored, price, budget)
    draws = selection.bootstrap(samples, split.unit_of, kinds, seed)
    best, reference, chance, chosen = _choice(trials, table, draws, tolerance, keep)
    estimates = [trial.estimate for trial in trials]
    table = _with_bounds(table, estimates, draws.scores, best, kinds)
    expected: Any = tuple(table.loc[best, ["score", "low", "high"]].astype(float))
    candidates = 1 if chosen is None else len(trials)
    if chosen is not None:
        expected = selection.of_best(estimates, table["score"].to_numpy(), draws.outside, chosen, seed)
    bound_of_kept = float(trials[best].kept.bound(ALPHA / candidates, upper=False))
    return HowMany(
        table=table,
        policy=_policy.profiled(trials[best].fitted, rankings, named),
        advised=trials[best].name,
        present=next(trial.name for trial in trials if trial.rank == 0),
        measure=str(named),
        questions=len(rankings),
        unanswerable=int(nil.sum()),
        judged=agreement,
        graded="" if graded is None else graded.tried,
        searched=(rankings.universe or Universe()).searched,
        unit=split.unit,
        units=units,
        production=unanswerable,
        folds=len(split.parts),
        seed=seed,
        expected=expected,
        candidates=candidates,
        reference=trials[reference].name,
        expected_kept=(float(table["kept"][best]), bound_of_kept),
        chance=chance,
        separation=selection.separation(None if split.unit or agreement else rankings.first_scores, nil),
        tolerance=tolerance,
        keep=keep,
        budget=budget,
        price=price,
        left_out=tuple(left_out),
    )


# What is read, and what is refused.


def _read(
    labels: Any, retrieved: Any, options: Any, as_they_are: bool
) -> tuple[Rankings, Rankings, Bools, str]:
    """The lists, those of people's labels, which lists these are, and how far people and a judge agree."""
    if isinstance(labels, Labels):
        if not as_they_are or Reading(keys=options.get("keys")).of_questions:
            raise ParameterError("how_many: with Judged, leave out keep=, unanswerable= and keys=.")
        rankings, people, labelled, agreement = labels.lists(retrieved, **options)
    else:
        rankings = people = _ranked(labels, retrieved, options)
        labelled, agreement = np.ones(len(rankings), bool), ""
    _check_that_ids_match(rankings)
    return rankings, people, labelled, agreement


def _ranked(labels: Any, retrieved: Any, options: Any) -> Rankings:
    """The lists with their labels; an InputError says so where they can only be read in the other order."""
    try:
        return rank(labels, retrieved, **options)
    except InputError as error:
        try:
            with noted(issued=False):
                rank(retrieved, labels, **options)
        except IrTruncError:
            raise error from None
    looks = "the first argument looks like what was retrieved, the second like labels"
    raise InputError(f"how_many: {looks}. Write how_many(labels, retrieved), at a terminal LABELS RUN.")


def _check_that_ids_match(rankings: Rankings) -> None:
    """InputError if nothing can be learnt from the labels, most likely because ids differ."""
    questions, answerable = len(rankings), int((~rankings.judgments.nil_queries).sum())
    is_found = rankings.answers is not None or (rankings.judged_grades > 0).any()
    if not rankings.lengths.any():
        example = f"for example question {rankings.topics[0]}"
        why = f"nothing was retrieved for any of the {questions} labelled questions ({example})"
    elif not answerable:
        why = f"none of the {questions} questions has a relevant document in the labels (of grade 1 or more)"
    elif not is_found:
        why = f"{answerable} questions have relevant documents, and none of these was retrieved"
    else:
        return
    needed = "labels of relevant documents, and the same ids of questions and documents in both"
    raise InputError(f"how_many: {why}. Nothing can be learnt: what is needed is {needed}.")


def _check_that_an_end_can_win(bound: BoundMeasure, measure: Measure, rankings: Rankings) -> None:
    """ParameterError for a measure under which the longest list always wins, or always the empty one."""
    if bound.definition.scope == "run" or "answers" in bound.reads:
        return
    curve = bound.curve(rankings)
    empty = np.repeat(curve.values[curve.offsets[:-1]], np.diff(curve.offsets))
    rises = np.delete(np.diff(curve.values), curve.offsets[1:-1] - 1)
    if "end" not in bound.reads and not (rises < -TOLERANCE).any():
        what, higher, advice = "look at the end of a list", "if it ends earlier", "the longest"
    elif not (curve.values > empty + TOLERANCE).any():
        what, higher, advice = "reward what is found", "than the empty list", "silence"
    else:
        return
    why = f"no list of these questions has a higher score {higher}, so that the advice would always be"
    others = "RBPT, nDCGT, SetF, FlatU(e=0.1), or c@1 where one answer is enough"
    raise ParameterError(f"{measure} does not {what}: {why} {advice}. Use a measure that does: {others}.")


def _warn_of_scores(rankings: Rankings) -> None:
    """Warn if the scores of each list are all equal, or relevant documents are mostly in the lower half."""
    lengths, scores = rankings.lengths, rankings.scores
    several = lengths > 1
    if scores is not None and several.any():
        starts = rankings.starts[several]
        if (scores[starts] == scores[starts + lengths[several] - 1]).all():
            warn("how_many: all scores of a list are equal; give those by which documents were ranked.")
            return
    relevant = rankings.judged_grades > 0
    rows, counts = np.unique(rankings.judged_rows[relevant], return_counts=True)
    mean_ranks = np.bincount(rankings.judged_rows[relevant], rankings.judged_ranks[relevant])[rows] / counts
    low = int((mean_ranks > (lengths[rows] + 1) / 2).sum())
    if len(rows) >= _ENOUGH and low > _MOST * len(rows):
        what = f"relevant documents are in the lower half of {low} of {len(rows)} lists"
        warn(f"how_many: {what}; if the scores are distances, {option('lower_is_better', True)}.")


# Policies.


@dataclass(frozen=True)
class _Trial:
    """A policy that was tried.

    rank: 0 for the setting in use, 1 for a fixed length, 2 for others; the lowest within the tolerance is
    advised.
    """

    name: str
    cuts: Ints  # its lengths for lists that it was not fitted on (Q)
    free: Ints  # those that they would have without the budget (Q)
    lists: Rankings  # as it cuts them
    by_people: Rankings  # those that people labelled, with their labels
    fitted: Any  # itself, fitted on all lists
    rank: int
    estimate: Any  # of its score
    kept: Estimate  # the share of questions that keep a relevant document


def _try_policies(
    policies: Any, also: Any, present: Any, budget: Any, keep: float | None, scored: _Scored, people: Rankings
) -> tuple[list[_Trial], list[str]]:
    """The setting in use, the references and other policies, the best first, and why some were not tried."""
    split, goal = scored.split, {"weights": scored.unequal_weights, "keep": keep}
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
    lengths = split.rankings.depths or (0, *FIXED)
    if lengths[0] > 0:
        del by_name[SILENT]
    others = [] if asked else _all_policies(longest, lengths)
    for name, policy in [*others, *((str(policy), policy) for policy in required)]:
        by_name.setdefault(name, policy)
    trials: list[_Trial] = []
    reasons: dict[str, list[str]] = {}
    for name, policy in progress(by_name.items(), "policies", "policy"):
        try:
            _policy.refuse_if_not_live(policy)
            cuts, each = split.trial(_within(policy, budget), scored.measure, on_all=True, **goal)
            free = cuts
            if budget is not None:
                unlimited = [replace(fitted, budget=None) for fitted in each[:-1]]
                free = cut_each(unlimited, split.rankings, split.parts)
        except IrTruncError as error:
            if policy is now or policy in required:
                raise
            reasons.setdefault(str(error), []).append(name)
            continue
        fitted, lists = _finite(each[-1]), split.rankings.cut(cuts)
        rank = 1 if isinstance(fitted, Fixed) else 2
        if policy is now:
            rank = 0
        by_people = lists if people is split.rankings else people.cut(cuts[scored.labelled])
        estimate, kept = scored.estimate(lists, by_people), scored.share("kept", by_people)
        trials.append(_Trial(name, cuts, free, lists, by_people, fitted, rank, estimate, kept))
    # Of equal scores the shorter lists come first, and of equal lists what is simpler.
    trials.sort(key=lambda trial: (-np.round(float(trial.estimate.mean), 12), trial.cuts.mean()))
    named = reasons.items()
    return trials, [why if names[0] in why else f"{', '.join(names)}: {why}" for why, names in named]


@dataclass(frozen=True)
class _Scored:
    """How scores of questions are added up: units, weights, two kinds of questions, and labels by people."""

    measure: Measure
    split: Split
    weights: Floats  # of the questions (Q)
    production: bool  # whether these are those of another share of unanswerable questions
    kinds: Bools  # of the questions or units, each of which has a share of its own
    labelled: Bools  # by people (Q)

    def units(self, values: Any) -> Floats:
        """Sums of values of the questions that people labelled over units (U)."""
        unit_of = self.split.unit_of
        return np.bincount(unit_of[self.labelled], values, int(unit_of.max()) + 1).astype(np.float64)

    @property
    def unequal_weights(self) -> Floats | None:
        """The weights; None where all are 1."""
        return None if (self.weights == 1).all() else self.weights

    def values(self, lists: Rankings) -> Floats:
        """The values of the questions, in their weights, whose mean is the score (Q)."""
        return influence(one_measure(self.measure), lists, self.unequal_weights)

    def estimate(self, lists: Rankings, by_people: Rankings) -> Any:
        """What the questions say of the score of a policy."""
        if not self.production:
            judge = people = estimate_of(self.measure, lists)
            if by_people is not lists:
                people = estimate_of(self.measure, by_people)
            return CorrectedEstimate.of(people, judge, self.labelled)
        limits, values = one_measure(self.measure).range, self.values(lists)
        if self.split.unit:
            return Estimate.share(self.units(values), self.units(self.weights), limits)
        return WeightedEstimate(values, limits, kinds=self.kinds, scale=self.weights)

    def share(self, name: str, lists: Rankings) -> Estimate:
        """A share of the questions that people labelled."""
        weights = (self.weights if name == "wrongly" else self.split.weights)[self.labelled]
        part, whole = QUANTITIES[name][0](lists)
        return Estimate.share(self.units(part * weights), self.units(whole * weights))


def _quantities(
    trials: list[_Trial], scored: _Scored, price: float | None, budget: float | None
) -> tuple[pd.DataFrame, Floats]:
    """The columns of the table but for intervals, and what the bootstrap draws from."""
    weights, nested = scored.weights, scored.split.weights

    def mean(of_lists: Callable[[_Trial], Any]) -> Floats:
        return np.array([of_lists(trial) @ weights for trial in trials]) / len(weights)

    def share(name: str) -> list[float]:
        return [float(scored.share(name, trial.by_people).mean) for trial in trials]

    columns = {
        "policy": [trial.name for trial in trials],
        "fitted": [_as_text(trial.fitted) for trial in trials],
        "kept": [float(trial.kept.mean) for trial in trials],
        "unanswered": share("unanswered"),
        "wrongly": share("wrongly"),
        "empty": mean(lambda trial: trial.lists.lengths == 0),
        "length": mean(lambda trial: trial.lists.lengths),
        "cost": mean(lambda trial: _costs(trial.lists, price)),
        "used": mean(lambda trial: _costs(trial.lists.with_fields(answers=None), 1 / (budget or math.nan))),
        "limited": mean(lambda trial: trial.free > trial.cuts) * (1 if budget else math.nan),
        "score": [float(trial.estimate.mean) for trial in trials],
    }
    answerable = ~scored.split.rankings.judgments.nil_queries
    parts = np.array([QUANTITIES["kept"][0](trial.lists)[0] for trial in trials])
    values = [getattr(trial.estimate, "by_topic", scored.values(trial.lists)) for trial in trials]
    return pd.DataFrame(columns), np.vstack([values, parts * nested, weights, answerable * nested])


def _choice(
    trials: list[_Trial], table: pd.DataFrame, draws: selection.Draws, tolerance: float, keep: float | None
) -> tuple[int, int, float, Ints | None]:
    """The rows of the advised policy and of what it has to be better than, p of such a lead by chance, and
    what is chosen in each sample; None for a reference, which is not chosen among many.

    It has to be better than the present setting, or than silence or whole lists where these are shown to be.
    """
    scores, kept = (table[name].to_numpy() for name in ("score", "kept"))
    ranks = np.array([trial.rank for trial in trials])
    allowed = kept >= (keep or 0) - TOLERANCE
    if not allowed.any():
        most = table.iloc[int(kept.argmax())]
        does, questions = "keeps a relevant document for that share", "answerable questions"
        if trials[0].lists.answers is not None:
            does, questions = "answers that share of the questions right", "questions"
        what = f"no policy {does}; {most['policy']} does for {most['kept']:.1%} of the {questions}"
        raise InputError(f"keep={keep:g}: {what}. Retrieve more, or lower `keep`.")
    reference = int(ranks.argmin())
    if not allowed[reference]:
        reference = int(np.where(allowed, table["length"], -np.inf).argmax())
    is_reference = table["policy"].isin((SILENT, WHOLE)).to_numpy(copy=True)

    def p_of_lead(row: int) -> float:
        return float((trials[row].estimate - trials[reference].estimate).p_at_most(0.0))

    for row in np.flatnonzero(is_reference & allowed & (scores > scores[reference])).tolist():
        if p_of_lead(row) <= CHANCE:
            reference = row
    is_reference[reference] = True
    others = np.flatnonzero(allowed & ~is_reference)
    best = int(selection.choose(scores[None], kept[None], ranks, tolerance, keep)[0])
    leads = draws.scores[:, others] - draws.scores[:, [reference]]
    chance = selection.chance_of_lead(scores[others] - scores[reference], leads)
    if not is_reference[best]:  # with few questions the bootstrap alone shows too much
        chance = max(chance, p_of_lead(best))
    if is_reference[best] or chance > CHANCE:
        return reference, reference, chance, None
    return best, reference, chance, selection.choose(draws.scores, draws.kept, ranks, tolerance, keep)


def _with_bounds(
    table: pd.DataFrame, estimates: list[Any], drawn: Floats, best: int, kinds: Bools
) -> pd.DataFrame:
    """The table with what is known of the scores: that of silence is, where it is the same for all."""
    low, high = np.array([estimate.interval() for estimate in estimates]).T
    for row in np.flatnonzero(table["policy"] == SILENT):
        values = estimates[row].values
        parts = [values[kinds], values[~kinds]] if len(values) == len(kinds) else [values]
        if all(np.ptp(part) <= TOLERANCE for part in parts if len(part)):
            low[row] = high[row] = table["score"][row]
    level = ALPHA / max(len(estimates) - 1, 1)
    behind = np.array([(estimates[best] - estimate).interval(level) for estimate in estimates]).T
    behind[:, best] = 0.0
    table = table.assign(low=low, high=high, first=selection.shares_of_first(drawn))
    return table.assign(behind_low=behind[0], behind_high=behind[1])


def _all_policies(longest: int, fixed: Sequence[int]) -> Iterator[tuple[str, Cutter]]:
    """Fixed lengths, and all policies that need no parameter and no other package, and work on live lists."""
    yield from ((str(Fixed(k)), Fixed(k)) for k in fixed if 0 < k < longest)
    for name, definition in registry.items():
        alone = not hasattr(definition.kind, "needs") and not _policy.why_not_live(definition.kind)
        if alone and not any(param.required for param in definition.params.values()):
            yield name, definition.kind()


def _within(policy: Any, budget: float | None) -> Any:
    """The policy under a budget, or under its own where that is lower."""
    if budget is None:
        return policy
    if not isinstance(policy, Policy):
        raise ParameterError(f"{policy} takes no budget=: derive it from ir_trunc.truncation.Policy.")
    return replace(policy, budget=budget if policy.budget is None else min(budget, policy.budget))


def _finite(policy: Any) -> Any:
    """The policy; a level that nothing reaches is the length 0."""
    values = vars(policy) if is_dataclass(policy) else {}
    if not any(isinstance(value, float) and math.isinf(value) for value in values.values()):
        return policy
    least = min(values.get("among") or (0,))
    return Fixed(least, **{name: values[name] for name in _OF_ALL if name in values and name != "among"})


def _as_text(policy: Any) -> str:
    """A policy as text; "" if text cannot hold it."""
    definition = registry.get(type(policy).__name__)
    return str(policy) if definition and definition.kind is type(policy) and definition.written else ""


def _costs(rankings: Rankings, price: float | None) -> Floats:
    """The cost of each list (Q)."""
    if (costs := rankings.costs_of_lists()) is None:
        return rankings.lengths.astype(np.float64) * (math.nan if price is None else price)
    return costs * (1.0 if price is None else price)
