"""PyTerrier: experiments that see where lists end, and truncation as a transformer.

Measure objects work in `pt.Experiment` as they are. `experiment` adds what that cannot do: measures as text,
topics without judgments, systems that return nothing, means over answerable and nil queries; and it refuses
what would be wrong. PyTerrier finds this module as `pt.truncation`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.pyterrier needs PyTerrier", "pyterrier"):
    import pyterrier as pt

from ir_trunc._core.errors import ParameterError, UnknownMeasureError, nearest, shown
from ir_trunc._core.parameters import flag, number, whole
from ir_trunc.adapters.pyterrier_frames import checked, name_of, never_empty, of_topics, results_of
from ir_trunc.adapters.pyterrier_truncate import Truncate
from ir_trunc.scoring.objects import bind, parse_measures

__all__ = ["Truncate", "experiment"]


def __getattr__(name: str) -> Any:
    """Each policy of `ir_trunc.truncation` as a transformer: `bm25 >> pt.truncation.ScoreThreshold(12.5)`."""
    from ir_trunc.truncation import registry

    if name not in registry:
        raise AttributeError(f"module 'ir_trunc.adapters.pyterrier' has no attribute {name!r}")

    def transformer(*args: Any, measure: Any = None, **kwargs: Any) -> Truncate:
        return Truncate(registry[name].kind(*args, **kwargs), measure)

    return transformer


_RUNS = "it decides how systems are run; use pt.Experiment for it, or give frames of results."
_REFUSED: dict[str, tuple[Any, str]] = {
    "filter_by_qrels": (
        False,
        "topics without judgments are nil queries here; leave them out of the topics.",
    ),
    "filter_by_topics": (True, "the topics are the query universe here; add those of the qrels to them."),
    "dataframe": (True, "the result is always a DataFrame."),
    "highlight": (None, "use the style of the table, such as table.style.highlight_max()."),
    "validate": ("warn", "topics, qrels and results are checked as ir_trunc.calc checks them."),
    "save_dir": (None, _RUNS),
    "save_mode": ("warn", _RUNS),
    "save_format": ("trec", _RUNS),
    "precompute_prefix": (False, _RUNS),
    "plan": ("linear", _RUNS),
}
"""Options of pt.Experiment that cannot be changed here: their defaults, and why."""


def experiment(
    systems: Mapping[str, Any] | Sequence[Any],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: Any,
    names: Sequence[str] | None = None,
    *,
    views: bool = False,
    perquery: bool = False,
    batch_size: int | None = None,
    baseline: int | str | None = None,
    test: Literal["t", "wilcoxon"] | Callable[..., Any] = "t",
    correction: str | None = None,
    correction_alpha: float = 0.05,
    round: int | Mapping[str, int] | None = None,
    verbose: bool | Literal["auto"] = "auto",
    filter_by_qrels: bool = False,
    filter_by_topics: bool = True,
    dataframe: bool = True,
    highlight: str | None = None,
    validate: str = "warn",
    save_dir: str | None = None,
    save_mode: str = "warn",
    save_format: Any = "trec",
    precompute_prefix: bool = False,
    plan: str = "linear",
) -> pd.DataFrame:
    """`pt.Experiment` with measures of any kind, over all topics.

    Topics without judgments are nil queries; a system without any result for a topic, or for all, gets empty
    lists. Ids, labels and scores follow the rules of `ir_trunc.calc`: whole numbers are ids, whatever the
    topics, qrels and results have them as. Judgments and results for other topics than those given are left
    out with a warning.

    Parameters
    ----------
    systems : list or dict
        Transformers or frames of results, as a list or by name.
    topics, qrels : DataFrame
        With the columns qid and query, and qid, docno and label.
    measures : MeasureLike
        As `ir_trunc.calc` takes them.
    names : list of str, optional
        Names of the systems.
    views : bool
        Whether to give the same for answerable and for nil queries, in a column `queries`.
    perquery : bool
        Whether to give values by topic in the place of means.
    batch_size : int, optional
        Topics that are retrieved at once. Results are put together before they are scored, since measures of
        the whole run, and the scale of graded gains, must not depend on batches.
    baseline : int or str, optional
        The place or the name of the system that the others are tested against. Measures whose values by topic
        depend on each other, c@1 for example, are refused: a paired test of these values is not valid.
    test, correction, correction_alpha, round
        As for `pt.Experiment`.
    verbose : bool or 'auto'
        Whether to show a progress bar over the systems; 'auto' shows none.
    filter_by_qrels, filter_by_topics, dataframe, highlight, validate
        Options of `pt.Experiment` that have their defaults here: another value is refused, with the reason.
    save_dir, save_mode, save_format, precompute_prefix, plan
        Refused in the same way: they decide how systems are run.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        For ids that are missing or no ids, and for frames that are not understood.
    UnknownMeasureError
        For 'mrt', which is a time.
    ParameterError
        For an option that is refused or out of its range.

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_trunc.adapters.pyterrier import experiment
    >>> topics = pd.DataFrame({"qid": ["1", "2"], "query": ["one", "two"]})
    >>> qrels = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "label": [1, 0]})
    >>> results = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [0.5]})
    >>> experiment({"mine": results}, topics, qrels, "RBPT AP")
       name  RBPT   AP
    0  mine   1.0  0.5
    """
    from tqdm import tqdm

    from ir_trunc._ranking.universe import with_topics

    if "mrt" in ([measures] if isinstance(measures, str) else measures):
        raise UnknownMeasureError(
            "'mrt' is the time a system takes, not a measure of rankings: use pt.Experiment for it."
        )
    others = (
        filter_by_qrels, filter_by_topics, dataframe, highlight, validate,
        save_dir, save_mode, save_format, precompute_prefix, plan,
    )  # fmt: skip
    for (name, (default, reason)), value in zip(_REFUSED.items(), others):
        if value is not default and value != default:
            raise ParameterError(f"{name}={shown(value)} is for pt.Experiment alone: {reason}")
    wanted = list(parse_measures(measures))
    if isinstance(systems, Mapping):
        names, systems = list(systems), list(systems.values())
    names = [name_of(system, at) for at, system in enumerate(systems, 1)] if names is None else list(names)
    if len(names) != len(systems):
        raise ParameterError(f"{len(names)} names for {len(systems)} systems: one for each is needed.")
    options = {
        "perquery": flag("perquery", perquery),
        "round": _rounded(round, perquery),
        **_tests(baseline, test, correction, correction_alpha, perquery, wanted, [*map(str, names)]),
    }
    topics = checked(topics, "topics")
    universe = with_topics(of_topics(checked(qrels, "qrels", "label"), topics, "qrels"), topics)
    bar = tqdm(
        list(zip(names, systems)), "systems", disable=verbose == "auto" or not flag("verbose", verbose)
    )
    results = [results_of(str(name), system, topics, batch_size) for name, system in bar]
    parts = _views(topics, universe) if views else {"all": topics}
    tables = []
    for view, part in parts.items():
        of_view = [never_empty(result[result["qid"].isin(part["qid"])], part) for result in results]
        judged = universe[universe["qid"].isin(part["qid"])]
        table = pt.Experiment(of_view, part, judged, wanted, names=names, validate="ignore", **options)
        tables.append(_in_order(table, wanted))
        if views:
            tables[-1].insert(0, "queries", view)
    return pd.concat(tables, ignore_index=True) if views else tables[0]


def _rounded(round: Any, perquery: bool) -> Any:
    """How values are rounded, as pt.Experiment takes it."""
    if not isinstance(round, Mapping):
        return None if round is None else whole("round", round, 0)
    if perquery:
        raise ParameterError("round by measure is for means: with perquery=True one number is needed.")
    return {str(measure): whole(f"round[{measure}]", places, 0) for measure, places in round.items()}


def _tests(
    baseline: Any,
    test: Any,
    correction: Any,
    alpha: Any,
    perquery: bool,
    measures: list[Any],
    names: list[str],
) -> dict[str, Any]:
    """What pt.Experiment needs to test the systems against a baseline."""
    if test not in ("t", "wilcoxon") and not callable(test):
        near = nearest(test, ("t", "wilcoxon"))
        raise ParameterError(f"test={shown(test)}: 't', 'wilcoxon' or a function is needed.{near}")
    level = number("correction_alpha", alpha, 0, 1, inside=True)
    if baseline is None:
        if correction is not None:
            raise ParameterError(
                f"correction={shown(correction)} corrects tests against a baseline: name one."
            )
        return {}
    if perquery:
        raise ParameterError("baseline tests means: perquery=True, which gives none, cannot go with it.")
    if isinstance(baseline, str):
        if baseline not in names:
            raise ParameterError(f"baseline={baseline!r}: the systems are {', '.join(names)}.")
        baseline = names.index(baseline)
    _refuse_dependent(measures)
    at = whole("baseline", baseline, 0, len(names) - 1)
    return {"baseline": at, "test": test, "correction": correction, "correction_alpha": level}


def _in_order(table: pd.DataFrame, measures: Sequence[Any]) -> pd.DataFrame:
    """Columns of each measure, with those that belong to it (`RBPT p-value`), in the order of measures."""
    of = {
        column: next((at for at, m in enumerate(measures) if f"{column} ".startswith(f"{m} ")), -1)
        for column in table
    }
    return table[sorted(table.columns, key=of.__getitem__)]


def _refuse_dependent(measures: Sequence[Any]) -> None:
    for measure in measures:
        bound = bind(measure)
        if bound is not None and bound.definition.scope == "run":
            raise ParameterError(
                f"{measure}: its value for one topic depends on all others, and PyTerrier's paired tests may"
                " not take it. Give no baseline; ir_trunc.meta.power tests it by influence values."
            )


def _views(topics: pd.DataFrame, qrels: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """All topics, those with a relevant document, and the others; views without a topic are left out."""
    answerable = topics["qid"].isin(qrels.loc[qrels["label"] > 0, "qid"])
    parts = {"all": topics, "answerable": topics[answerable], "nil": topics[~answerable]}
    return {view: part for view, part in parts.items() if len(part)}
