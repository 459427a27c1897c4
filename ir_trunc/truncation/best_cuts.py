"""Where lists should have ended: the depth at which each scores best by a measure; of several the lowest."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import pd
from ir_trunc._core.rankings import Ints
from ir_trunc._ranking.likes import QrelsLike
from ir_trunc._read.reading import Unpack
from ir_trunc.measures.declare import lower_is_better
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.objects import MeasureLike, written
from ir_trunc.scoring.protocol import as_table
from ir_trunc.scoring.runs import RunsLike, each_run


@keywords_of(Evaluator)
def best_cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """Where each list should have ended, and what that would have been worth.

    Parameters
    ----------
    measures : MeasureLike
        Measures that score each list by itself.
    qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.
    runs : RunsLike
        As for `ir_trunc.compare`.

    Returns
    -------
    pandas.DataFrame
        A row for each system, topic and measure: length and score as they are, best_length, best_score, and
        regret (the difference of the scores). With a cutoff @k, lengths are counted to k.

    Raises
    ------
    InputError
        If there is no run.

    Examples
    --------
    >>> from ir_trunc.truncation import study
    >>> qrels, run = {"1": {"a": 1, "c": 1}}, {"1": {"a": 3, "b": 2}}
    >>> table = study.best_cuts("RBPT(p=0.5)", qrels, {"mine": run})
    >>> table[["length", "score", "best_length", "best_score", "regret"]].values.tolist()
    [[2.0, 0.625, 1.0, 0.75, 0.125]]
    """
    ready, tables = of_gains(Evaluator(measures, qrels, **options)), []
    for name, run in each_run(runs, "cutting"):
        for measure, curve in ready.curves(run).items():
            (depth, best), own = curve.best(), curve.own()
            names = {"system": name, "query_id": curve.topics, "measure": written(measure)}
            as_it_is = {"length": np.diff(curve.offsets) - 1, "score": own}
            at_best = {"best_length": depth, "best_score": best, "regret": best - own}
            tables.append(pd.DataFrame(names | as_it_is | at_best))
    if not tables:
        raise InputError("There is no run: at least one is needed.")
    return as_table(pd.concat(tables, ignore_index=True))


def of_gains(ready: Evaluator) -> Evaluator:
    """The evaluator, where its measures have best cuts: of losses, the highest value is not the best."""
    for measure in ready.measures:
        if lower_is_better(measure):
            raise ParameterError(f"{measure} counts losses, lower is better: its curve has no best cut here.")
    return ready


@keywords_of(Evaluator)
def cuts(
    measures: MeasureLike, qrels: QrelsLike | None, runs: RunsLike, **options: Unpack[Options]
) -> pd.DataFrame:
    """Distribution of the best cuts of all lists of all runs.

    Parameters
    ----------
    measures : MeasureLike
        Measures that score each list by itself.
    qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `ir_trunc.calc`.
    runs : RunsLike
        As for `ir_trunc.compare`.

    Returns
    -------
    pandas.DataFrame
        Share of the lists whose best cut is in a bin. Rows: the bins 0, 1-4, 5-8, 9-16, 17-32 and so on to
        the longest list. Columns: measures.

    Raises
    ------
    InputError
        If there is no run.

    Examples
    --------
    >>> from ir_trunc.truncation import study
    >>> qrels, run = {"1": {"a": 1, "c": 1}}, {"1": {"a": 3, "b": 2}}
    >>> study.cuts("RBPT(p=0.5) SetF", qrels, {"mine": run})
              RBPT(p=0.5)  SetF
    best_cut
    0                 0.0   0.0
    1-4               1.0   1.0
    """
    ready = of_gains(Evaluator(measures, qrels, **options))
    found, longest, lists = Counter[tuple[str, int]](), 0, 0
    for _, run in each_run(runs, "cutting"):
        for measure, curve in ready.curves(run).items():
            at, counts = np.unique(bin_of(curve.best()[0]), return_counts=True)
            found.update({(written(measure), int(place)): int(count) for place, count in zip(at, counts)})
        longest, lists = max(longest, int(np.diff(curve.offsets).max()) - 1), lists + len(curve.topics)
    if not lists:
        raise InputError("There is no run: at least one is needed.")
    bins = range(int(bin_of(longest)) + 1)
    table = {name: [found[name, place] / lists for place in bins] for name in map(written, ready.measures)}
    return as_table(table, index=pd.Index([bin_name(place) for place in bins], name="best_cut"))


def bin_of(length: npt.ArrayLike) -> Ints:
    """The bin of a length, in bins that double: 0 for 0, 1 for 1 to 4, and i for 2^i + 1 to 2^(i+1)."""
    lengths = np.asarray(length, dtype=np.float64)
    places: Ints = np.maximum(1, np.ceil(np.log2(np.maximum(lengths, 1))) - 1).astype(np.int64)
    return np.where(lengths == 0, 0, places)


def bin_name(place: int) -> str:
    """The lengths in a bin: '0', '1-4', '5-8', '9-16', ..."""
    return "0" if place == 0 else f"{1 if place == 1 else 2**place + 1}-{2 ** (place + 1)}"
