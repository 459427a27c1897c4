"""Risk and coverage: how many answers are wrong if only the surest are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir_trunc.core.checks import whole
from ir_trunc.core.errors import InputError
from ir_trunc.core.keywords import keywords_of
from ir_trunc.core.rankings import Ints
from ir_trunc.measures.answering import answers, first_scores
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.selective import Answers
from ir_trunc.ranking.likes import QrelsLike, RunLike
from ir_trunc.ranking.nil import Convention, NilRule
from ir_trunc.read.reading import HowRead, Reading
from ir_trunc.scoring.evaluator import rank

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ir_trunc.scoring.tables import Table


@keywords_of(Reading)
def risk_coverage(
    qrels: QrelsLike | None,
    run: RunLike,
    rel: int = 1,
    nil: NilRule | Convention | None = None,
    **reading: Unpack[HowRead],
) -> Table:
    """The risk-coverage curve: how many answers are wrong if only the surest are given.

    A question is answered by its list's first document, whose score is the confidence. Answers of equal
    confidence are given together.

    Parameters
    ----------
    qrels, run, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.
    rel : int
        Lowest grade that counts as relevant.

    Returns
    -------
    DataFrame
        A row for each threshold, the highest first: threshold, answers (their number at or above it),
        coverage (their share of all answers; questions with an empty list have none), risk (share of wrong
        ones among them) and generalised_risk (wrong ones as a share of all answers). The means of both risks
        over the answers are the measures `AURC` and `AUGRC`.

    Raises
    ------
    InputError
        Where the run is not understood, has no scores or answers nothing.

    Examples
    --------
    >>> from ir_trunc.truncation import risk_coverage
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 1}}
    >>> run = {"q1": {"a": 0.9}, "q2": {"x": 0.8}, "q3": {"c": 0.5}, "q4": {"y": 0.5}}
    >>> risk_coverage(qrels, run)
     threshold  answers  coverage  risk  generalised_risk
           0.9        1      0.25   0.0              0.00
           0.8        2      0.50   0.5              0.25
           0.5        4      1.00   0.5              0.50
    """
    from ir_trunc.scoring.tables import Table

    lists = Lists(rank(qrels, run, nil=nil, **reading))
    answered, correct = answers(lists, whole("rel", rel, 1))
    if not answered.any():
        raise InputError("risk_coverage: no question is answered; a curve needs an answer.")
    confidence = first_scores(lists)[answered]
    found = Answers.of(~correct[answered], confidence)
    ends: Ints = found.starts + found.sizes
    n, wrong = len(found.order), found.errors[ends - 1]
    return Table(
        {
            "threshold": confidence[found.order][ends - 1],
            "answers": ends,
            "coverage": ends / n,
            "risk": wrong / ends,
            "generalised_risk": wrong / n,
        }
    )
