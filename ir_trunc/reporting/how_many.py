"""`how_many`: how many documents to return, learnt from labelled questions by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from ir_measures import Measure

from ir_trunc import plots
from ir_trunc._core.errors import InputError, IrTruncError, counted, warn
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import generator, number, text
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike, rank
from ir_trunc._read.reading import Unpack
from ir_trunc.measures.definition import influence
from ir_trunc.scoring.evaluator import Options
from ir_trunc.scoring.results import Result, axes
from ir_trunc.scoring.statistics import interval_of_mean
from ir_trunc.truncation._fitting import one_measure, single_measure
from ir_trunc.truncation._policy import Cutter, refuse_if_not_live, registry, sees_judgments
from ir_trunc.truncation._text import PoliciesLike, parse_policies, parse_policy
from ir_trunc.truncation._validation import held_out_cuts, topic_folds
from ir_trunc.truncation.policies.fixed import Fixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FEW = 50
"""With fewer questions than this, the advice says that they are few."""

_COLUMNS = (
    *("fitted", "score", "low", "high", "length", "cost", "empty", "silence_precision", "first"),
    *("behind_low", "behind_high"),
)


@dataclass(frozen=True, repr=False, eq=False)
class HowMany(Result):
    """What `how_many` found: a row for each policy, the best first.

    measure: by which they are judged. questions, silent: how many there are, and how many of them have no
    answer in the labels. folds, seed: of the cross-validation. policies: their names; present: that of the
    setting in use. fitted: each policy fitted on all questions, as text, or empty where text cannot hold it.
    score, low, high: mean on questions that the policy was not fitted on, with its 95 % interval. length:
    documents on average. cost: on average, NaN where no cost is known. empty: share of empty lists;
    silence_precision: share of these that are right. first: share of 2,000 draws of the questions in which
    this policy is the best. behind_low, behind_high: 95 % interval of what the best is better by. left_out:
    policies that could not be tried, with the reason.
    """

    measure: str
    questions: int
    silent: int
    folds: int
    seed: int
    policies: tuple[str, ...]
    present: str
    fitted: tuple[str, ...]
    score: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    length: npt.NDArray[np.float64]
    cost: npt.NDArray[np.float64]
    empty: npt.NDArray[np.float64]
    silence_precision: npt.NDArray[np.float64]
    first: npt.NDArray[np.float64]
    behind_low: npt.NDArray[np.float64]
    behind_high: npt.NDArray[np.float64]
    left_out: tuple[str, ...]

    shapes = axes(**dict.fromkeys(_COLUMNS, "policies"))
    digits = 3

    @property
    def policy(self) -> Any:
        """The best policy, fitted on all questions.

        Use it as `advice.policy(scores)` or `advice.policy.keep(items)`, and keep it by
        `advice.policy.save("stop.json")`.

        Raises InputError for one that was loaded from a file which cannot hold it.
        """
        kept = vars(self).get("_policy")
        if kept is None and not self.fitted[0]:
            raise InputError(f"A file cannot hold {self.policies[0]}: call how_many again.")
        return parse_policy(self.fitted[0]) if kept is None else kept

    @property
    def alike(self) -> tuple[str, ...]:
        """The policies that these questions do not tell from the best one.

        The 95 % interval of how far such a policy is behind the best one holds 0.
        """
        return tuple(name for name, low in zip(self.policies[1:], self.behind_low[1:]) if low <= 0)

    @property
    def heading(self) -> str:
        """The advice in words."""
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
        """What speaks against taking the advice as it stands."""
        found = []
        if self.questions < FEW:
            found.append(f"Careful: {self.questions} questions are few; with {FEW} or more this is surer.")
        if self.alike:
            names = ", ".join(self.alike)
            found.append(f"Careful: these questions do not tell it apart from {names}.")
            fitted = zip(self.policies, self.fitted)
            one_length = [name for name, policy in fitted if policy.startswith("Fixed(")]
            simple = [name for name in one_length if name in self.alike]
            if simple and self.policies[0] not in one_length:
                found.append(f"One length for all, {simple[0]}, is simpler and as good, as far as they tell.")
        return (*found, *(f"Not tried: {reason}" for reason in self.left_out))

    def to_pandas(self) -> pd.DataFrame:
        """One row for each policy, with all columns."""
        table = pd.DataFrame({name: getattr(self, name) for name in ("policies", *_COLUMNS)})
        table = table.rename(columns={"policies": "policy"})
        return table.drop(columns="cost") if np.isnan(self.cost).all() else table

    def summary(self) -> pd.DataFrame:
        """The printed table: score with its interval, documents, cost, silence and how often it is right."""
        columns = ["score", "low", "high", "length", "cost", "empty", "silence_precision"]
        table = self.to_pandas().set_index("policy")
        shown = table[[name for name in columns if name in table]]
        return shown.rename(columns={"empty": "silent", "silence_precision": "rightly"})

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


FIXED = (1, 2, 3, 5, 10, 20, 50, 100)
"""The fixed lengths that are tried, up to the longest list."""

PRESENT = "as retrieved"
"""The name of the lists as they are, in the place of a policy."""

_RESAMPLES = 2000
_SAME = 1e-12
_ENOUGH, _MOST = 10, 0.75  # lists with a relevant document, and the share of them that tells of distances


@keywords_of(rank)
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

    Fixed lengths and policies are fitted on some of the questions and judged on the others, in turn. A policy
    that is the best of many is so by a little luck, too: the share of the draws in which it stays the best,
    and the policies that are not told apart from it, say how much.

    Parameters
    ----------
    retrieved : RunLike
        What the system returned for each question, with scores; in any form that `ir_trunc.calc` takes, such
        as `{question: {document: score}}` or a frame. Long lists, so that there is something to cut.
    labels : QrelsLike or None
        Which documents are relevant, such as `{question: {document: 1}}`. A question without any is one that
        should get no answer. A frame or records have no row for it: `topics=` names all questions then.
    measure : str or Measure
        What is to be high. It should see where lists end: `RBPT`, `FlatU(e=0.1)`, `SetF`, `c@1`.
    cost : float, optional
        What one document costs, in any unit (tokens, cents), for the table and the picture. The measure
        decides what is best; where the run has a column `cost`, that is taken.
    policies : str or list, optional
        Policies in the place of all that can be fitted and used on live lists, and need no other package:
        texts or objects.
    also : str or list, optional
        Policies beside these: `"Learned"`, which needs scikit-learn, or `"RiskControlled('missed', 0.1)"`.
    present : int, str or Policy, optional
        The setting in use: a fixed length, or a policy. By default all that was retrieved is returned.
    folds, seed : int
        Parts of the questions, each judged once, and the seed by which they are drawn.
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
    _refuse_if_nothing_can_be_learnt(rankings)
    _say_if_scores_are_distances(rankings)
    price = None if cost is None else number("cost", cost, 0)
    parts = topic_folds(len(rankings), folds, seed)
    if len(rankings) < FEW:
        warn(f"how_many: {len(rankings)} questions are few; with {FEW} or more the advice is surer.")
    tried, left_out = _tried(policies, also, present, measure, rankings, parts)
    lists = [rankings.cut(one.cuts) for one in tried]
    values = np.array([influence(bound, cut) for cut in lists])
    means = np.array([bound.score(cut).mean() for cut in lists])
    # Of equal scores the shorter lists come first, and of equal lists what is simpler.
    lengths = np.array([one.cuts.mean() for one in tried])
    places = np.lexsort((np.arange(len(tried)), lengths, -np.round(means, 12)))
    values, best = values[places], values[places[0]]
    tried, lists = [tried[at] for at in places], [lists[at] for at in places]
    bounds = np.array([interval_of_mean(one, repetitions=_RESAMPLES, seed=seed) for one in values])
    behind = np.array([interval_of_mean(best - one, repetitions=_RESAMPLES, seed=seed) for one in values])
    empty = [one.cuts == 0 for one in tried]
    right = [rankings.judgments.nil_queries[silent] for silent in empty]
    advice = HowMany(
        measure=str(single_measure(measure)),
        questions=len(rankings),
        silent=int(rankings.judgments.nil_queries.sum()),
        folds=len(parts),
        seed=int(seed),
        policies=tuple(one.name for one in tried),
        present=next(one.name for one in tried if one.present),
        fitted=tuple(_as_text(one.fitted) for one in tried),
        score=means[places],
        low=bounds[:, 0],
        high=bounds[:, 1],
        length=lengths[places],
        cost=np.array([_cost(one, price) for one in lists]),
        empty=np.array([silent.mean() for silent in empty]),
        silence_precision=np.array([one.mean() if len(one) else np.nan for one in right]),
        first=_first(values, seed),
        behind_low=behind[:, 0],
        behind_high=behind[:, 1],
        left_out=tuple(left_out),
    )
    vars(advice)["_policy"] = tried[0].fitted
    return advice


def _refuse_if_nothing_can_be_learnt(rankings: Rankings) -> None:
    """InputError where labels and lists have nothing in common, most likely since their ids differ."""
    if not rankings.lengths.any():
        raise InputError(
            f"how_many: nothing was retrieved for any of the {len(rankings)} labelled questions (question"
            f" {rankings.topics[0]} for one). Nothing can be learnt: `retrieved` needs"
            " lists of documents for the questions of `labels`, under the same ids."
        )
    answerable = int((~rankings.judgments.nil_queries).sum())
    if answerable and not (rankings.judged_grades > 0).any():
        raise InputError(
            f"how_many: {answerable} questions have relevant documents, and none of these was"
            " retrieved. Nothing can be learnt: `retrieved` and `labels` need the same ids of documents."
        )


def _say_if_scores_are_distances(rankings: Rankings) -> None:
    """Warn where relevant documents are in the lower half of most lists that have one."""
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
class _Tried:
    """A policy with the lengths that it gave to lists which it was not fitted on (Q)."""

    name: str
    cuts: Ints
    fitted: Any
    present: bool


def _tried(
    policies: Any, also: Any, present: Any, measure: Any, rankings: Rankings, parts: list[Ints]
) -> tuple[list[_Tried], list[str]]:
    """The setting in use, and all policies that could be tried; and why others could not."""
    longest = int(rankings.lengths.max(initial=0))
    now = Fixed(longest) if present is None else _in_use(present)
    names = {PRESENT if present is None else str(now): now}
    asked = [] if policies is None else parse_policies(policies)
    asked += [] if isinstance(also, (str, list, tuple)) and not also else parse_policies(also)
    offered = _all_policies(longest) if policies is None else []
    names |= {str(policy): policy for policy in [*offered, *asked] if str(policy) not in names}
    tried: list[_Tried] = []
    left_out = []
    for name, policy in names.items():
        try:
            refuse_if_not_live(policy)
            cuts = held_out_cuts(policy, measure, rankings, parts)
            tried.append(_Tried(name, cuts, policy.fit(rankings, measure), policy is now))
        except IrTruncError as error:
            if policy is now or policy in asked:
                raise
            left_out.append(str(error))
    return tried, left_out


def _in_use(present: Any) -> Any:
    return parse_policy(present) if isinstance(present, str) or hasattr(present, "cut") else Fixed(present)


def _all_policies(longest: int) -> list[Cutter]:
    """Fixed lengths, and all policies that need no parameter and no other package, and work on live lists."""
    found: list[Cutter] = [Fixed(k) for k in FIXED if k <= longest]
    for known in registry.values():
        live = not (getattr(known.kind, "not_live", "") or sees_judgments(known.kind))
        alone = not hasattr(known.kind, "needs")
        if live and alone and not any(param.required for param in known.params.values()):
            found.append(known.kind())
    return found


def _as_text(policy: Any) -> str:
    """A policy as text; empty where text cannot hold it."""
    known = registry.get(type(policy).__name__)
    return str(policy) if known and known.kind is type(policy) and known.written else ""


def _cost(lists: Rankings, price: float | None) -> float:
    """What the documents of a list cost on average."""
    if price is not None:
        return price * float(lists.lengths.mean())
    return np.nan if lists.costs is None else float(lists.costs[lists.places].sum() / len(lists))


def _first(values: Floats, seed: int) -> Floats:
    """The share of draws of the questions in which each policy is the best; equal ones share a draw."""
    questions = values.shape[1]
    drawn = generator(seed).multinomial(questions, [1 / questions] * questions, size=_RESAMPLES)
    means = drawn @ values.T / questions
    best = means >= means.max(axis=1, keepdims=True) - _SAME
    shared: Floats = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    return shared
