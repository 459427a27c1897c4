"""`how_many`: how many documents to return, learnt from labelled questions by cross-validation."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from ir_measures import Measure

from ir_trunc import plots
from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, counted, warn
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import Number, Seed, Whole, checked, text
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike, rank
from ir_trunc._read.reading import Unpack
from ir_trunc._reporting._selection import (
    bootstrap,
    chance_of_lead,
    choose,
    keeping,
    separation,
    shares_of_first,
    weighted,
    weights_of,
)  # fmt: skip
from ir_trunc._scoring._runs import progress
from ir_trunc._scoring.evaluator import Options
from ir_trunc._scoring.results import Result
from ir_trunc.measures.definition import BoundMeasure, influence
from ir_trunc.truncation._fitting import one_measure, single_measure, units_of
from ir_trunc.truncation._policy import Cutter, profiled, refuse_if_not_live, registry, sees_judgments
from ir_trunc.truncation._text import PoliciesLike, parse_policies, parse_policy
from ir_trunc.truncation._validation import cut_each, fit_each, topic_folds
from ir_trunc.truncation.policies.lengths import Fixed, Greedy
from ir_trunc.truncation.policies.thresholds import LevelPolicy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["HowMany", "how_many"]

FEW = 50
"""With fewer questions than this, the advice calls them few."""

FIXED = (1, 2, 3, 5, 10, 20, 50, 100)
"""The fixed lengths that are tried, up to the longest list."""

WHOLE, SILENT = "as retrieved", "always silent"
"""The names of the two references: the lists as they are, and nothing for any question."""

FOLDS = 5
_CHANCE = 0.05
_OF_ALL = "at_least", "at_most", "fitted_on"  # what every policy has
_INTERVAL = 2.5, 97.5
_ENOUGH, _MOST = 10, 0.75  # lists with a relevant document, and their share that suggests distances
_PRECISE_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


@dataclass(frozen=True, repr=False, eq=False)
class HowMany(Result):
    """How well each policy did on questions that it was not fitted on, the highest score first.

    Arrays have a value for each policy (P).

    Attributes
    ----------
    measure : str
        The measure of the scores.
    questions, unanswerable : int
        Number of questions, and of those without an answer in the labels.
    unit, units : str and int
        The outermost key of the questions ("" without keys), over which means are nested, and how many values
        it has (without keys the number of questions), over which folds and intervals are.
    production : float or None
        The share of unanswerable questions for which all figures are; None for that of the labels.
    folds, seed : int
        Of the cross-validation.
    policies : tuple of str
        Their names (P). 'always silent' and 'as retrieved' are the two references.
    fitted : tuple of str
        Each policy fitted on all questions, as text; "" for one that text cannot hold.
    advised, present : str
        Name of the advised policy, and of the setting in use.
    policy : Policy
        The advised policy, fitted on all questions: `advice.policy(scores)`, `advice.policy.keep(items)`, or
        `advice.policy.save("stop.json")`.
    kept, unanswered, wrongly : numpy.ndarray
        Share of the answerable questions whose list keeps a relevant document, of the unanswerable questions
        that get the empty list, and of the questions with the empty list that have an answer.
    empty, length, cost : numpy.ndarray
        Share of empty lists, and documents and their cost per question; cost is NaN where it is unknown.
    score, low, high : numpy.ndarray
        Mean scores on these questions, with individual 95 % intervals.
    first : numpy.ndarray
        Share of the bootstrap samples of the questions in which the policy has the highest score.
    behind_low, behind_high : numpy.ndarray
        95 % interval of the advised policy's score less this policy's.
    expected : tuple of three floats
        The score of the advised policy on new questions, with its 95 % interval: without the optimism of the
        best of many (the bootstrap of Tsamardinos et al. 2018).
    chance : float
        p value of the highest score against the better reference (White's reality check): how often chance
        alone would show as large a lead of the best of so many policies.
    separation : tuple of three floats
        AUROC of the top score for questions with against those without an answer, with its 95 % interval
        (DeLong et al. 1988); NaN where there is no question of one kind, or no score.
    margin : float
        A simpler policy whose score is within this of the highest is preferred.
    keep : float or None
        The share of the answerable questions that had to keep a relevant document.
    left_out : tuple of str
        Policies that could not be tried, with the reason.
    """

    measure: str
    questions: int
    unanswerable: int
    unit: str
    units: int
    production: float | None
    folds: int
    seed: int
    policies: tuple[str, ...]
    fitted: tuple[str, ...]
    advised: str
    present: str
    policy: Any
    kept: Floats
    unanswered: Floats
    wrongly: Floats
    empty: Floats
    length: Floats
    cost: Floats
    score: Floats
    low: Floats
    high: Floats
    first: Floats
    behind_low: Floats
    behind_high: Floats
    expected: tuple[float, float, float]
    chance: float
    separation: tuple[float, float, float]
    margin: float
    keep: float | None
    left_out: tuple[str, ...]

    digits = 3

    @property
    def alike(self) -> tuple[str, ...]:
        """The other policies whose score does not differ significantly: the 95 % interval holds 0."""
        rows = zip(self.policies, self.behind_low, self.behind_high)
        return tuple(name for name, low, high in rows if low <= 0 <= high and name != self.advised)

    @property
    def heading(self) -> str:
        """The advice as text."""
        best, now = self.policies.index(self.advised), self.policies.index(self.present)
        advised = self._written(best)
        weighted = "" if self.production is None else f" (weighted to {self.production:.0%})"
        lines = [
            f"{counted(self.questions, 'question')}, {self.unanswerable} of them without an answer{weighted};"
            f" {self.folds}-fold cross-validation.",
            f"Advice: keep the present setting, {advised}." if best == now else f"Advice: {advised}.",
        ]
        if self.unit:
            nested = f"Means are nested; folds and intervals are over {self.units} values of {self.unit!r}."
            lines.insert(1, nested)
        if best != now:
            lines[-1] += f" In brackets: the present setting, {self._written(now)}."
        if self.empty[best] == 1:
            lines.append("This leaves every question unanswered.")
        quantities: list[tuple[str, str, Floats, str]] = [
            ("kept", "of the answerable questions still get a relevant passage", self.kept, "{:.0%}"),
            ("unanswered", "of the unanswerable questions are left unanswered", self.unanswered, "{:.0%}"),
            ("wrongly", "of the unanswered questions had an answer", self.wrongly, "{:.0%}"),
            ("passages", "per question", self.length, "{:.1f}"),
            ("cost", "per question", self.cost, "{:.4g}"),
        ]
        for column, what, values, form in quantities:
            if not math.isnan(values[best]):
                compared = "" if best == now or math.isnan(values[now]) else f" ({form.format(values[now])})"
                lines.append(f"{column}: {form.format(values[best])}{compared} {what}.")
        expected, low, high = self.expected
        on_new = f"expect {expected:.3f} ({low:.3f} to {high:.3f}) on new questions"
        if math.isnan(expected):
            on_new = "so few questions do not show what to expect on new ones"
        at_present = "" if best == now else f", and {self.score[now]:.3f} with the present setting"
        lines.append(f"{self.measure}: {on_new}; it is {self.score[best]:.3f} on these{at_present}.")
        return "\n".join([*lines, *self._remarks(best)])

    def _written(self, row: int) -> str:
        """The name of a policy with its fitted parameters to four significant digits."""
        name, fitted = self.policies[row], self.fitted[row]
        if name in (SILENT, WHOLE) or not fitted:
            return name
        if fitted == str(Fixed(0)):
            return f"{name}, which returns nothing for any question"
        return _PRECISE_NUMBER.sub(lambda match: f"{float(match[0]):.4g}", fitted)

    def _remarks(self, best: int) -> Iterator[str]:
        """What the advice rests on, and reasons for caution."""
        if self.keep is not None:
            no_bound = f"No bound is known for keep={self.keep:g} with keys: their lists are not independent."
            yield no_bound if self.unit else self._shown_keep(best)
        if best > 0 and self.score[0] - self.score[best] <= self.margin:
            simpler = f"{self._written(best)} is simpler than {self._written(0)}"
            yield f"{simpler}; its score is within {self.margin:g}."
        yield f"It ranks first in {self.first[best]:.0%} of bootstrap samples."
        if not (beaten := self.chance <= _CHANCE):
            reference = min((SILENT, WHOLE), key=self.policies.index)
            yield f"No policy is better than '{reference}' beyond chance (p = {self.chance:.2f})."
        auroc, low, high = self.separation
        if not math.isnan(auroc):
            separate = "do not separate" if low <= 0.5 <= high else "separate"
            little = " too little" if not beaten and low > 0.5 else ""
            yield (
                f"These scores {separate} questions with and without an answer{little}: AUROC of the top"
                f" score {auroc:.2f} ({low:.2f} to {high:.2f})."
            )
        if self.alike:
            yield f"No significant difference from {', '.join(self.alike)}."
        if self.units < FEW:
            yield _few(self.units, self.unit)
        for reason in self.left_out:
            yield f"Not tried: {reason}"

    def _shown_keep(self, best: int) -> str:
        """Whether the questions show that the wanted share keeps a relevant passage."""
        from scipy.stats import binomtest

        answerable = self.questions - self.unanswerable
        keeping = round(self.kept[best] * answerable)
        bound = binomtest(keeping, answerable, alternative="greater").proportion_ci(0.95).low
        shown = "shows" if bound >= self.keep else "does not show"
        return (
            f"{keeping} of {answerable} answerable questions keep a relevant passage: at least {bound:.1%} of"
            f" new ones do, with 95 % confidence. This {shown} keep={self.keep:g}."
        )

    def to_pandas(self) -> pd.DataFrame:
        """One row for each policy, with all columns."""
        columns = [field.name for field in fields(self) if isinstance(getattr(self, field.name), np.ndarray)]
        table = pd.DataFrame(
            {"policy": self.policies, "fitted": self.fitted} | {name: getattr(self, name) for name in columns}
        )
        return table.drop(columns="cost") if np.isnan(self.cost).all() else table

    def summary(self) -> pd.DataFrame:
        """The printed table: the quantities of the heading, and the score with its interval."""
        columns = ["kept", "unanswered", "wrongly", "length", "cost", "score", "low", "high"]
        table = self.to_pandas().set_index("policy").filter(columns).dropna(axis=1, how="all")
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


@checked
def how_many(
    labels: QrelsLike | None,
    retrieved: RunLike,
    measure: str | Measure = "RBPT(p=0.8)",
    *,
    keep: Annotated[float | None, Number("share of answerable questions", 0, 1)] = None,
    unanswerable: Annotated[float | None, Number("share of questions", 0, 1)] = None,
    price: Annotated[float | None, Number("price of a document", 0)] = None,
    policies: PoliciesLike = (),
    also: PoliciesLike = (),
    present: int | str | Cutter | None = None,
    margin: Annotated[float, Number("difference of scores", 0)] = 0.01,
    folds: Annotated[int | None, Whole("parts of the questions", 2)] = None,
    seed: Seed = 0,
    **options: Unpack[Options],
) -> HowMany:
    """How many documents to return for a question, from which score on, and when none.

    Fixed lengths and policies are fitted on some of the questions and scored on the others, in turn. The
    advice is the policy with the highest score, or a simpler one within `margin` of it: the present setting
    before a fixed length, and a fixed length before policies that read scores. The score to expect on new
    questions leaves out what the best of many policies owes to chance (Tsamardinos, Greasidou & Borboudakis,
    Machine Learning 2018, https://doi.org/10.1007/s10994-018-5714-4).

    Parameters
    ----------
    labels : QrelsLike or None
        Which documents are relevant, such as `{question: {document: 1}}`. A question without any is one that
        should get no answer. A frame or records have no row for it: `topics=` names all questions then.
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
    policies : str or list, optional
        The policies to try, as texts or objects. By default all that work on live lists and need no parameter
        and no other package.
    also : str or list, optional
        Further policies: `"Learned"`, which needs scikit-learn, or `"RiskControlled('missed', 0.1)"`.
    present : int, str or Policy, optional
        The setting in use: a fixed length, or a policy. By default all that was retrieved is returned.
    margin : float
        A simpler policy is preferred if its score is within this of the highest.
    folds, seed : int
        Number of parts of the questions, by default 5, and the seed of their random assignment.
    topics, missing, unjudged, nil, order, duplicates, stop, lower_is_better, columns, keys
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
    rankings = _ranked(labels, retrieved, options)
    _check_that_ids_match(rankings)
    bound = one_measure(measure)
    _check_that_shorter_can_win(bound, single_measure(measure), rankings)
    _warn_of_scores(rankings)
    unit, unit_of, nested = units_of(rankings)
    count, units, nil = len(rankings), int(unit_of.max()) + 1, rankings.judgments.nil_queries
    if folds is not None and folds > units > 1:
        raise ParameterError(f"folds={folds}: {units} {_plural(unit)} can be in at most {units} parts.")
    unit_parts = topic_folds(units, min(FOLDS, max(units, 2)) if folds is None else folds, seed)
    parts = [np.flatnonzero(np.isin(unit_of, part)) for part in unit_parts]
    if units < FEW:
        warn(f"how_many: {_few(units, unit)}")
    weights = weights_of(nil, nested, unanswerable)
    target = bound if (weights == 1).all() else weighted(bound, rankings.topics, weights)
    fitting = target if keep is None else keeping(target, keep, int((~nil).sum()))
    trials, left_out = _try_policies(policies, also, present, target, fitting, rankings, parts)
    values = np.array([influence(target, rankings.cut(trial.cuts)) for trial in trials])
    # Of equal scores the shorter lists come first, and of equal lists what is simpler.
    lengths = np.array([trial.cuts.mean() for trial in trials])
    order = np.lexsort((np.arange(len(trials)), lengths, -np.round(values.mean(axis=1), 12)))
    trials, values = [trials[i] for i in order], values[order]
    lists = [rankings.cut(trial.cuts) for trial in trials]
    hits = [cut.judged_rows[cut.judged_grades > 0] for cut in lists]
    kept = np.array([np.bincount(rows, minlength=count) > 0 for rows in hits]) & ~nil
    kept_shares = kept @ nested / (~nil @ nested)
    if keep is not None and kept_shares.max() < keep:
        most = int(kept_shares.argmax())
        raise InputError(
            f"keep={keep:g}: no policy keeps a relevant document for that share of the answerable questions;"
            f" {trials[most].name} does for {kept_shares[most]:.1%}. Retrieve more, or lower `keep`."
        )
    scores, ranks = values.mean(axis=1), np.array([trial.rank for trial in trials])
    best = int(choose(scores[None], kept_shares[None], ranks, margin, keep)[0])
    table = np.vstack([values, kept * nested, weights, ~nil * nested])
    by_kind = unanswerable is not None and not unit
    draws = bootstrap(table, unit_of, nil if by_kind else np.zeros(units, bool), seed)
    chosen = choose(draws.scores, draws.kept, ranks, margin, keep)
    outside = draws.outside[np.arange(len(chosen)), chosen]
    expected = float(np.nanmean(outside)) if np.isfinite(outside).any() else np.nan
    low, high = np.percentile(draws.scores, _INTERVAL, axis=0)
    behind_low, behind_high = np.percentile(draws.scores[:, best, None] - draws.scores, _INTERVAL, axis=0)
    empty = np.array([cut.lengths == 0 for cut in lists])
    with np.errstate(invalid="ignore"):  # no question is unanswerable, or none is unanswered
        unanswered = (empty & nil) @ nested / (nil @ nested)
        wrongly = (empty & ~nil) @ weights / (empty @ weights)
    names = tuple(trial.name for trial in trials)
    return HowMany(
        measure=str(single_measure(measure)),
        questions=count,
        unanswerable=int(nil.sum()),
        unit=unit,
        units=units,
        production=unanswerable,
        folds=len(parts),
        seed=seed,
        policies=names,
        fitted=tuple(_as_text(trial.fitted) for trial in trials),
        advised=names[best],
        present=next(trial.name for trial in trials if trial.rank == 0),
        policy=profiled(trials[best].fitted, rankings, str(single_measure(measure))),
        kept=kept_shares,
        unanswered=unanswered,
        wrongly=wrongly,
        empty=empty @ weights / count,
        length=np.array([cut.lengths @ weights for cut in lists]) / count,
        cost=np.array([_costs(cut, price) @ weights for cut in lists]) / count,
        score=scores,
        low=low,
        high=high,
        first=shares_of_first(draws.scores),
        behind_low=behind_low,
        behind_high=behind_high,
        expected=(expected, expected + low[best] - scores[best], expected + high[best] - scores[best]),
        chance=chance_of_lead(scores, draws.scores, np.isin(names, (SILENT, WHOLE))),
        separation=separation(None if unit else rankings.first_scores, nil),
        margin=margin,
        keep=keep,
        left_out=tuple(left_out),
    )


# What is read, and what is refused.


def _ranked(labels: Any, retrieved: Any, options: Any) -> Rankings:
    """The lists with their labels; in the other order of the two where they can only be read so."""
    try:
        return rank(labels, retrieved, **options)
    except InputError as error:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
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


def _plural(unit: str) -> str:
    return f"values of {unit!r}" if unit else "questions"


def _few(units: int, unit: str) -> str:
    return f"{units} {_plural(unit)} are few; the advice is more certain with {FEW} or more."


# Policies.


@dataclass(frozen=True)
class _Trial:
    """A policy that was tried."""

    name: str
    cuts: Ints  # its lengths for lists that it was not fitted on (Q)
    fitted: Any  # itself, fitted on all lists
    rank: int  # 0: the setting in use, 1: a fixed length, 2: others; the lowest within the margin is advised


def _try_policies(
    policies: Any,
    also: Any,
    present: Any,
    target: BoundMeasure,
    fitting: BoundMeasure,
    rankings: Rankings,
    parts: list[Ints],
) -> tuple[list[_Trial], list[str]]:
    """The setting in use, the references and all policies that could be tried, and why others could not."""
    longest = int(rankings.lengths.max())
    now: Cutter = Fixed(longest)
    if present is not None:
        is_policy = isinstance(present, str) or hasattr(present, "cut")
        now = parse_policy(present) if is_policy else Fixed(present)
    asked, further = (
        [] if isinstance(texts, (str, list, tuple)) and not texts else parse_policies(texts)
        for texts in (policies, also)
    )
    required = [*asked, *further]
    offered = {} if asked else _all_policies(longest)
    by_name: dict[str, Cutter] = {} if present is None else {str(now): now}
    by_name |= {WHOLE: now if present is None else Fixed(longest), SILENT: Fixed(0)}
    by_name |= {name: policy for name, policy in offered.items() if str(policy) not in by_name}
    by_name |= {str(policy): policy for policy in required if str(policy) not in by_name}
    trials: list[_Trial] = []
    topics = np.arange(len(rankings))
    sets = [*(np.setdiff1d(topics, part) for part in parts), topics]
    left_out = []
    for name, policy in progress(by_name.items(), "policies", "policy"):
        # A level can be chosen so that enough questions keep a relevant document.
        measure = fitting if isinstance(policy, (LevelPolicy, Greedy)) else target
        try:
            refuse_if_not_live(policy)
            *of_others, of_all = fit_each(policy, measure, rankings, sets)
            cuts, fitted = cut_each(of_others, rankings, parts), _finite(of_all)
        except IrTruncError as error:
            if policy is now or policy in required:
                raise
            left_out.append(str(error))
            continue
        rank = 0 if policy is now else 1 if isinstance(fitted, Fixed) else 2
        trials.append(_Trial(name, cuts, fitted, rank))
    return trials, left_out


def _all_policies(longest: int) -> dict[str, Cutter]:
    """Fixed lengths, and all policies that need no parameter and no other package, and work on live lists."""
    policies: dict[str, Cutter] = {str(Fixed(k)): Fixed(k) for k in FIXED if k < longest}
    for name, definition in registry.items():
        live = not (getattr(definition.kind, "not_live", "") or sees_judgments(definition.kind))
        alone = not hasattr(definition.kind, "needs")
        if live and alone and not any(param.required for param in definition.params.values()):
            policies[name] = definition.kind()
    return policies


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
