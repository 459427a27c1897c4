"""The advice of `how_many`: a table of policies, sentences about it, and the policy to deploy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ir_trunc._core.curve import TOLERANCE
from ir_trunc._core.errors import counted
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import text
from ir_trunc._core.rankings import Bools
from ir_trunc._scoring.results import Result
from ir_trunc.truncation.policies.lengths import Fixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HowMany"]

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
        if self.advised == self.present:
            yield f"Advice: keep the present setting, {self._written(best)}."
        else:
            present = f"In brackets: the present setting, {self._written(now)}."
            yield f"Advice: {self._written(best)}. {present}"
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
            yield (
                f"Of {policies} that can return nothing, {self._written(row)} scores highest here: it would"
                f" change {self.measure} by {change}, keeps {row['kept']:.0%} and leaves"
                f" {row['unanswered']:.0%} of the unanswerable questions unanswered."
            )
        auroc, low, high = self.separation
        if not math.isnan(auroc):
            of_a_kind = min(self.unanswerable, self.questions - self.unanswerable)
            shown = of_a_kind >= _FEW_OF_A_KIND and not low <= 0.5 <= high
            separate = "separate" if shown else "are not shown to separate"
            wrongly = " the wrong way round" if shown and high < 0.5 else ""
            yield (
                f"These scores {separate} questions with and without an answer{wrongly}: AUROC of the top"
                f" score {auroc:.2f} ({low:.2f} to {high:.2f})."
            )
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
        meets: Bools = self.kept >= (self.keep or 0) - TOLERANCE
        return meets

    def _shown_keep(self, keep: float) -> str:
        """Whether the questions show that the wanted share keeps a relevant passage."""
        share, bound = self.expected_kept
        shows = "shows" if bound >= keep else "does not show"
        for_all = f", for each of {self.candidates} policies together" if self.candidates > 1 else ""
        what = (
            "questions get a right answer" if self.graded else "answerable questions keep a relevant passage"
        )
        return (
            f"{share:.1%} of the {what} here; at least {bound:.1%} of new ones do, with 95 %"
            f" confidence{for_all}. This {shows} keep={keep:g}."
        )

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
    few = f"{units} {what} are few; the advice is more certain with {_FEW} or more."
    return few if units < _FEW else ""
