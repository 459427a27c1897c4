"""What to return, as an advice that prints, draws and holds the policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ir_trunc import plots
from ir_trunc._core.errors import InputError, counted
from ir_trunc._core.lazy import pd
from ir_trunc._core.parameters import text
from ir_trunc.scoring.results import Result, axes
from ir_trunc.truncation._text import parse_policy

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
