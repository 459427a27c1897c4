"""`how_many`: how many documents to return, learnt from labelled questions by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ir_trunc import plots
from ir_trunc._core.errors import InputError, IrTruncError, counted, warn
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import generator, number, text
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike, rank
from ir_trunc._read.reading import Unpack
from ir_trunc.measures.definition import influence
from ir_trunc.scoring._statistics import interval_of_mean
from ir_trunc.scoring.evaluator import Options
from ir_trunc.scoring.results import Result
from ir_trunc.truncation._fitting import one_measure, single_measure
from ir_trunc.truncation._policy import Cutter, refuse_if_not_live, registry, sees_judgments
from ir_trunc.truncation._text import PoliciesLike, parse_policies, parse_policy
from ir_trunc.truncation._validation import held_out_cuts, topic_folds
from ir_trunc.truncation.policies.lengths import Fixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["HowMany", "how_many"]

FEW = 50
"""With fewer questions than this, the advice calls them few."""

FIXED = (1, 2, 3, 5, 10, 20, 50, 100)
"""The fixed lengths that are tried, up to the longest list."""

PRESENT = "as retrieved"
"""The name of the lists as they are, in the place of a policy."""

_RESAMPLES = 2000
_SAME = 1e-12
_ENOUGH, _MOST = 10, 0.75  # lists with a relevant document, and their share that suggests distances
_COLUMNS = (
    *("fitted", "score", "low", "high", "length", "cost", "empty", "silence_precision", "first"),
    *("behind_low", "behind_high"),
)


@dataclass(frozen=True, repr=False, eq=False)
class HowMany(Result):
    """How well each policy did on questions that it was not fitted on, the best policy first.

    Attributes
    ----------
    measure : str
        The measure of the scores.
    questions, silent : int
        Number of questions, and of those without an answer in the labels.
    folds, seed : int
        Of the cross-validation.
    policies : tuple of str
        Their names (P).
    present : str
        The name of the setting in use.
    fitted : tuple of str
        Each policy fitted on all questions, as text; "" for one that text cannot hold.
    policy : Policy
        The best policy, fitted on all questions: `advice.policy(scores)`, `advice.policy.keep(items)`, or
        `advice.policy.save("stop.json")`.
    score, low, high : numpy.ndarray
        Mean scores with 95 % intervals (P).
    length, cost : numpy.ndarray
        Documents of a list and their cost, on average (P); cost is NaN where it is unknown.
    empty, silence_precision : numpy.ndarray
        Share of empty lists, and the share of these that belong to questions without an answer (P).
    first : numpy.ndarray
        Share of 2,000 bootstrap samples of the questions in which the policy ranks first (P).
    behind_low, behind_high : numpy.ndarray
        95 % interval of the best policy's score less this policy's (P).
    left_out : tuple of str
        Policies that could not be tried, with the reason.
    """

    measure: str
    questions: int
    silent: int
    folds: int
    seed: int
    policies: tuple[str, ...]
    present: str
    fitted: tuple[str, ...]
    policy: Any
    score: Floats
    low: Floats
    high: Floats
    length: Floats
    cost: Floats
    empty: Floats
    silence_precision: Floats
    first: Floats
    behind_low: Floats
    behind_high: Floats
    left_out: tuple[str, ...]

    digits = 3

    @property
    def alike(self) -> tuple[str, ...]:
        """The policies whose scores do not differ significantly from the best: the 95 % interval holds 0."""
        return tuple(name for name, low in zip(self.policies[1:], self.behind_low[1:]) if low <= 0)

    @property
    def heading(self) -> str:
        """The advice as text."""
        best, now = self.policies[0], self.policies.index(self.present)
        named = self.fitted[0] if now and self.fitted[0] else best
        leader = named if now else f"the present setting, {named}"
        lines = [
            f"{counted(self.questions, 'question')}, {self.silent} of them without an answer; {self.measure},"
            f" {self.folds}-fold cross-validation.",
            f"Best is {leader}: {self.score[0]:.3f} ({self.low[0]:.3f} to {self.high[0]:.3f}) with"
            f" {self.length[0]:.1f} documents on average. It is the best again in {self.first[0]:.0%} of the"
            " bootstrap samples of the questions.",
        ]
        if now:
            lines.append(
                f"The present setting, {self.present}, has {self.score[now]:.3f} with {self.length[now]:.1f}"
                f" documents; it is behind by {self.behind_low[now]:.3f} to {self.behind_high[now]:.3f}."
            )
        else:
            lines.append("Nothing that was tried is better.")
        return "\n".join([*lines, *self.doubts])

    @property
    def doubts(self) -> tuple[str, ...]:
        """Reasons for caution."""
        doubts = []
        if self.questions < FEW:
            doubts.append(f"Careful: {self.questions} questions are few; with {FEW} or more this is surer.")
        if self.alike:
            names = ", ".join(self.alike)
            doubts.append(f"Careful: these questions do not tell it apart from {names}.")
            fitted = zip(self.policies, self.fitted)
            one_length = [name for name, policy in fitted if policy.startswith("Fixed(")]
            simple = [name for name in one_length if name in self.alike]
            if simple and self.policies[0] not in one_length:
                doubts.append(
                    f"One length for all, {simple[0]}, is simpler and as good, as far as they tell."
                )
        return (*doubts, *(f"Not tried: {reason}" for reason in self.left_out))

    def to_pandas(self) -> pd.DataFrame:
        """One row for each policy, with all columns."""
        table = pd.DataFrame({"policy": self.policies} | {name: getattr(self, name) for name in _COLUMNS})
        return table.drop(columns="cost") if np.isnan(self.cost).all() else table

    def summary(self) -> pd.DataFrame:
        """The printed table: score with its interval, documents, cost, silence and its precision."""
        columns = ["score", "low", "high", "length", "cost", "empty", "silence_precision"]
        table = self.to_pandas().set_index("policy").filter(columns)
        return table.rename(columns={"empty": "silent", "silence_precision": "rightly"})

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


def how_many(
    retrieved: RunLike,
    labels: QrelsLike | None,
    measure: str | Measure = "RBPT(p=0.8)",
    cost: float | None = None,
    *,
    policies: PoliciesLike | None = None,
    also: PoliciesLike = (),
    present: int | str | Cutter | None = None,
    folds: int = 5,
    seed: int = 0,
    **options: Unpack[Options],
) -> HowMany:
    """How many documents to return for a question, from which score on, and when none.

    Fixed lengths and policies are fitted on some of the questions and scored on the others, in turn. The best
    of many policies owes a part of its score to chance: the result has the share of bootstrap samples in
    which it ranks first, and the policies that do not differ significantly from it.

    Parameters
    ----------
    retrieved : RunLike
        What the system returned for each question, with scores; in any form that `ir_trunc.calc` takes, such
        as `{question: {document: score}}` or a frame. The lists should be long enough to be cut.
    labels : QrelsLike or None
        Which documents are relevant, such as `{question: {document: 1}}`. A question without any is one that
        should get no answer. A frame or records have no row for it: `topics=` names all questions then.
    measure : str or Measure
        What the policies maximise. It should depend on where lists end, as `RBPT`, `FlatU(e=0.1)`, `SetF` and
        `c@1` do.
    cost : float, optional
        What one document costs, in any unit (tokens, cents), for the table and the plot; by default the
        column `cost` of the run. The best policy is chosen by the measure alone.
    policies : str or list, optional
        The policies to try, as texts or objects. By default all that work on live lists and need no parameter
        and no other package.
    also : str or list, optional
        Further policies: `"Learned"`, which needs scikit-learn, or `"RiskControlled('missed', 0.1)"`.
    present : int, str or Policy, optional
        The setting in use: a fixed length, or a policy. By default all that was retrieved is returned.
    folds, seed : int
        Number of parts of the questions, and the seed of their random assignment.
    topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.

    Returns
    -------
    HowMany
        It prints as a paragraph and a table; `advice.policy` is the best policy, fitted on all questions, and
        `advice.plot()` draws a row for each policy.

    Raises
    ------
    InputError
        Where there are fewer than two questions, where no list belongs to a labelled question or no relevant
        document was retrieved for any, and where the data cannot be read.
    ParameterError
        Where a policy that was asked for cannot be fitted, or sees the judgments.

    Warns
    -----
    IrTruncWarning
        Where there are fewer than 50 questions.

    Examples
    --------
    >>> import warnings
    >>> import ir_trunc
    >>> labels = {str(q): {"a": 1} if q % 2 else {} for q in range(60)}
    >>> retrieved = {q: {"a": 0.9, "b": 0.3} if labels[q] else {"c": 0.4, "d": 0.2} for q in labels}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     advice = ir_trunc.how_many(retrieved, labels)
    >>> advice.policy
    ScoreThreshold(threshold=0.9)
    >>> advice.policy([0.95, 0.5])
    1
    """
    bound = one_measure(measure)
    rankings = rank(labels, retrieved, **options)
    _check_that_ids_match(rankings)
    _warn_of_distances(rankings)
    price = None if cost is None else number("cost", cost, 0)
    parts = topic_folds(len(rankings), folds, seed)
    if len(rankings) < FEW:
        warn(f"how_many: {len(rankings)} questions are few; with {FEW} or more the advice is surer.")
    trials, left_out = _try_policies(policies, also, present, measure, rankings, parts)
    lists = [rankings.cut(trial.cuts) for trial in trials]
    values = np.array([influence(bound, cut) for cut in lists])
    means = np.array([bound.score(cut).mean() for cut in lists])
    # Of equal scores the shorter lists come first, and of equal lists what is simpler.
    lengths = np.array([trial.cuts.mean() for trial in trials])
    order = np.lexsort((np.arange(len(trials)), lengths, -np.round(means, 12)))
    values, best = values[order], values[order[0]]
    trials, lists = [trials[i] for i in order], [lists[i] for i in order]
    bounds, behind = (
        np.array([interval_of_mean(scores, repetitions=_RESAMPLES, seed=seed) for scores in table])
        for table in (values, best - values)
    )
    if price is not None:
        costs = [price * float(cut.lengths.mean()) for cut in lists]
    else:
        sums = [np.nan if cut.costs is None else cut.costs[cut.places].sum() for cut in lists]
        costs = [float(total / len(rankings)) for total in sums]
    empty = [trial.cuts == 0 for trial in trials]
    rightly = [rankings.judgments.nil_queries[silent] for silent in empty]
    return HowMany(
        measure=str(single_measure(measure)),
        questions=len(rankings),
        silent=int(rankings.judgments.nil_queries.sum()),
        folds=len(parts),
        seed=int(seed),
        policies=tuple(trial.name for trial in trials),
        present=next(trial.name for trial in trials if trial.present),
        fitted=tuple(_as_text(trial.fitted) for trial in trials),
        policy=trials[0].fitted,
        score=means[order],
        low=bounds[:, 0],
        high=bounds[:, 1],
        length=lengths[order],
        cost=np.array(costs),
        empty=np.array([silent.mean() for silent in empty]),
        silence_precision=np.array([nil.mean() if len(nil) else np.nan for nil in rightly]),
        first=_first(values, seed),
        behind_low=behind[:, 0],
        behind_high=behind[:, 1],
        left_out=tuple(left_out),
    )


def _check_that_ids_match(rankings: Rankings) -> None:
    """InputError if labels and lists have nothing in common, most likely because their ids differ."""
    if not rankings.lengths.any():
        raise InputError(
            f"how_many: nothing was retrieved for any of the {len(rankings)} labelled questions (for"
            f" example question {rankings.topics[0]}). Nothing can be learnt: `retrieved` needs"
            " lists of documents for the questions of `labels`, under the same ids."
        )
    answerable = int((~rankings.judgments.nil_queries).sum())
    if answerable and not (rankings.judged_grades > 0).any():
        raise InputError(
            f"how_many: {answerable} questions have relevant documents, and none of these was"
            " retrieved. Nothing can be learnt: `retrieved` and `labels` need the same ids of documents."
        )


def _warn_of_distances(rankings: Rankings) -> None:
    """Warn if relevant documents are in the lower half of most lists that have one."""
    right = rankings.judged_grades > 0
    lists = rankings.judged_rows[right]
    found = np.bincount(lists, minlength=len(rankings))
    with_some = found > 0
    mean_rank = np.bincount(lists, rankings.judged_ranks[right], len(rankings))[with_some] / found[with_some]
    low = int((mean_rank > (rankings.lengths[with_some] + 1) / 2).sum())
    if with_some.sum() >= _ENOUGH and low > _MOST * with_some.sum():
        where = f"in the lower half of {low} of {with_some.sum()} lists"
        warn(
            f"how_many: relevant documents are {where}; if the scores are distances, pass"
            " lower_is_better=True."
        )


@dataclass(frozen=True)
class _Trial:
    """A policy, its lengths for lists that it was not fitted on (Q), and itself fitted on all lists."""

    name: str
    cuts: Ints
    fitted: Any
    present: bool


def _try_policies(
    policies: Any, also: Any, present: Any, measure: Any, rankings: Rankings, parts: list[Ints]
) -> tuple[list[_Trial], list[str]]:
    """The setting in use and all policies that could be tried, and why others could not."""
    longest = int(rankings.lengths.max(initial=0))
    now: Cutter = Fixed(longest)
    if present is not None:
        is_policy = isinstance(present, str) or hasattr(present, "cut")
        now = parse_policy(present) if is_policy else Fixed(present)
    names = {PRESENT if present is None else str(now): now}
    required = [] if policies is None else parse_policies(policies)
    required += [] if isinstance(also, (str, list, tuple)) and not also else parse_policies(also)
    offered = _all_policies(longest) if policies is None else []
    names |= {str(policy): policy for policy in [*offered, *required] if str(policy) not in names}
    trials: list[_Trial] = []
    left_out = []
    for name, policy in names.items():
        try:
            refuse_if_not_live(policy)
            cuts = held_out_cuts(policy, measure, rankings, parts)
            trials.append(_Trial(name, cuts, policy.fit(rankings, measure), policy is now))
        except IrTruncError as error:
            if policy is now or policy in required:
                raise
            left_out.append(str(error))
    return trials, left_out


def _all_policies(longest: int) -> list[Cutter]:
    """Fixed lengths, and all policies that need no parameter and no other package, and work on live lists."""
    policies: list[Cutter] = [Fixed(k) for k in FIXED if k <= longest]
    for definition in registry.values():
        live = not (getattr(definition.kind, "not_live", "") or sees_judgments(definition.kind))
        alone = not hasattr(definition.kind, "needs")
        if live and alone and not any(param.required for param in definition.params.values()):
            policies.append(definition.kind())
    return policies


def _as_text(policy: Any) -> str:
    """A policy as text; "" if text cannot hold it."""
    definition = registry.get(type(policy).__name__)
    return str(policy) if definition and definition.kind is type(policy) and definition.written else ""


def _first(values: Floats, seed: int) -> Floats:
    """The share of bootstrap samples in which each policy ranks first; ties share a sample."""
    questions = values.shape[1]
    drawn = generator(seed).multinomial(questions, [1 / questions] * questions, size=_RESAMPLES)
    means = drawn @ values.T / questions
    best = means >= means.max(axis=1, keepdims=True) - _SAME
    shared: Floats = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    return shared
