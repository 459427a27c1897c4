"""PyTerrier: experiments that see where lists end, and truncation as a transformer.

Measure objects work in `pt.Experiment` as they are. `experiment` adds what that cannot do: measures as text,
topics without judgments as nil queries, systems that return nothing, means over answerable and nil queries;
and it refuses what would be wrong. PyTerrier finds this module as `pt.truncation`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal

import pandas as pd

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.pyterrier needs PyTerrier", "pyterrier"):
    import pyterrier as pt

from ir_trunc._core.errors import (
    InputError,
    ParameterError,
    UnknownMeasureError,
    counted,
    nearest,
    shown,
    warn,
)
from ir_trunc._core.parameters import flag, number, one_of, whole
from ir_trunc.scoring.objects import bind, parse_measures

__all__ = ["Truncate", "experiment"]


_RUNS = "it decides how systems are run; use pt.Experiment for it, or give frames of results."
_REFUSED: dict[str, tuple[Any, str]] = {
    "filter_by_qrels": (False, "unjudged='exclude' or 'nil' decides about topics without judgments."),
    "filter_by_topics": (True, "the topics are those that are scored; add those of the qrels to them."),
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
    unjudged: Literal["exclude", "nil"] | None = None,
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
    """`pt.Experiment` with measures of any kind.

    The topics with judgments are scored, as by `pt.Experiment` and `ir_trunc.calc`; `unjudged` counts the
    others, too. A system without any result for a topic, or for all, gets empty lists. Ids, labels and scores
    follow the rules of `ir_trunc.calc`: whole numbers are ids, whatever the topics, qrels and results have
    them as. Judgments and results for other topics than those given are left out with a warning.

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
    unjudged : {'exclude', 'nil'}, optional
        What topics without judgments are: not scored, or nil queries, for which the empty list is right. By
        default they are not scored, and a warning counts them.
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

    from ir_trunc._ranking.qrels import with_topics

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
    if names is None:
        names = [
            f"results {place}" if isinstance(system, pd.DataFrame) else str(system)
            for place, system in enumerate(systems, 1)
        ]
    names = list(names)
    if len(names) != len(systems):
        raise ParameterError(f"{len(names)} names for {len(systems)} systems: one for each is needed.")
    perquery = flag("perquery", perquery)
    if not isinstance(round, Mapping):
        places: Any = None if round is None else whole("round", round, 0)
    elif perquery:
        raise ParameterError("round by measure is for means: with perquery=True one number is needed.")
    else:
        places = {str(measure): whole(f"round[{measure}]", digits, 0) for measure, digits in round.items()}
    tests = _tests(baseline, test, correction, correction_alpha, perquery, wanted, [*map(str, names)])
    topics = _checked_frame(topics, "topics")
    universe = _of_topics(_checked_frame(qrels, "qrels", "label"), topics, "qrels")
    scored = topics
    if unjudged is not None and one_of("unjudged", unjudged, ("exclude", "nil")) == "nil":
        universe = with_topics(universe, topics)
    else:
        scored = _judged(topics, universe, unjudged is None)
    quiet = verbose == "auto" or not flag("verbose", verbose)
    bar = tqdm(list(zip(names, systems)), "systems", disable=quiet)
    results = [_results_of(str(name), system, topics, batch_size) for name, system in bar]
    answerable = scored["qid"].isin(universe.loc[universe["label"] > 0, "qid"])
    parts = {"all": scored, "answerable": scored[answerable], "nil": scored[~answerable]}
    tables = []
    for view, part in parts.items():
        if not len(part) or (view != "all" and not views):
            continue
        runs = [_never_empty(result[result["qid"].isin(part["qid"])], part) for result in results]
        judged = universe[universe["qid"].isin(part["qid"])]
        table = pt.Experiment(
            runs,
            part,
            judged,
            wanted,
            names=names,
            validate="ignore",
            perquery=perquery,
            round=places,
            **tests,
        )
        # Each measure's columns (`RBPT`, `RBPT p-value`) stand together, in the order of the measures.
        place = {
            column: next((at for at, m in enumerate(wanted) if f"{column} ".startswith(f"{m} ")), -1)
            for column in table
        }
        tables.append(table[sorted(table.columns, key=place.__getitem__)])
        if views:
            tables[-1].insert(0, "queries", view)
    combined: pd.DataFrame = pd.concat(tables, ignore_index=True) if views else tables[0]
    return combined


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
    for measure in measures:
        bound = bind(measure)
        if bound is not None and bound.definition.scope == "run":
            raise ParameterError(
                f"{measure}: its value for one topic depends on all others, and PyTerrier's paired tests may"
                " not take it. Give no baseline; ir_trunc.meta.power tests it by influence values."
            )
    place = whole("baseline", baseline, 0, len(names) - 1)
    return {"baseline": place, "test": test, "correction": correction, "correction_alpha": level}


def _checked_frame(frame: Any, name: str, value: str | None = None) -> pd.DataFrame:
    """A frame as `calc` understands it, under PyTerrier's names; further columns stay.

    value: 'score', 'label' or none.
    """
    from ir_trunc._read.reading import QRELS, RUN
    from ir_trunc._read.tables import column_name, ids_of_table, rows_of_table

    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{name} of type {type(frame).__name__}: a DataFrame is needed.")
    fields = {"qid": "query_id"} | (
        {"docno": "doc_id", value: "score" if value == "score" else "relevance"} if value else {}
    )
    named = frame.rename(
        columns={column_name(frame.columns, field, name): ours for ours, field in fields.items()}
    )
    if value is None:
        return named.assign(qid=ids_of_table(named, "query_id", name))
    rows = rows_of_table(named, RUN if value == "score" else QRELS, name)
    return named.assign(
        **{"qid": rows.topics.to_pylist(), "docno": rows.docs.to_pylist(), value: rows.values}
    )


def _of_topics(frame: pd.DataFrame, topics: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows for these topics, with a warning that counts the others."""
    known = frame["qid"].isin(topics["qid"])
    if not known.all():
        unknown = frame.loc[~known, "qid"].unique()
        none = "" if known.any() else "; no topic is left"
        warn(
            f"{name}: ignored {counted(len(unknown), 'topic')} that the given topics lack (for example"
            f" {min(unknown)}){none}."
        )
    return frame[known]


def _judged(topics: pd.DataFrame, qrels: pd.DataFrame, reported: bool) -> pd.DataFrame:
    """The topics with judgments, with a warning that counts the others where this is to be reported."""
    judged = topics["qid"].isin(qrels["qid"])
    if not judged.any():
        raise InputError("qrels: no topic has a judgment; unjudged='nil' counts all of them as nil queries.")
    if reported and not judged.all():
        count, example = int((~judged).sum()), topics.loc[~judged, "qid"].iloc[0]
        warn(
            f"qrels: {count} of {counted(len(topics), 'topic')} have no judgment (for example {example}) and"
            " are not scored; unjudged='nil' counts them as nil queries, unjudged='exclude' confirms."
        )
    return topics[judged]


def _results_of(name: str, system: Any, topics: pd.DataFrame, batch_size: int | None) -> pd.DataFrame:
    """All results of a system, which may already be results."""
    if isinstance(system, pd.DataFrame):
        results = system
    elif not hasattr(system, "transform"):
        raise InputError(f"system {shown(system)}: a transformer or a frame of results is needed.")
    elif batch_size is None:
        results = system.transform(topics)
    else:
        results = pd.concat(list(system.transform_gen(topics, batch_size=batch_size)), ignore_index=True)
    if not len(results):
        return pd.DataFrame(columns=["qid", "query", "docno", "score", "rank"])
    return _of_topics(_checked_frame(results, f"run {name}", "score"), topics, f"run {name}")


def _never_empty(results: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """pt.Experiment refuses a system without any result; a placeholder, never a document, makes a row."""
    from ir_trunc._read.rows import PLACEHOLDER

    if len(results):
        return results
    return pd.DataFrame({"qid": [topics["qid"].iloc[0]], "docno": [PLACEHOLDER], "score": [0.0], "rank": [0]})


class Truncate(pt.Estimator):
    """Ends every list where a policy says: `bm25 >> Truncate(Fixed(10))`.

    policy: anything with `cut(rankings)`, the length of every list (`ir_trunc.truncation`). measure: what
    `fit` fits the policy for. Lists are ranked as for scoring: by score, then by docno, both descending.
    """

    def __init__(self, policy: Any, measure: Any = None):
        from ir_trunc.truncation._policy import sees_judgments

        super().__init__()
        if sees_judgments(policy):
            raise ParameterError(
                f"{policy} sees the judgments, which a pipeline does not have: take another policy."
            )
        self.policy = policy
        self.measure = measure

    def get_parameter(self, name: str) -> Any:
        """A parameter of the policy by its name, such as 'k'; or 'policy', or 'measure'."""
        if name in ("policy", "measure"):
            return getattr(self, name)
        own = [field.name for field in fields(self.policy)] if is_dataclass(self.policy) else []
        if name not in own:
            raise ParameterError(
                f"{self!r} has no parameter {name!r}; it has: {', '.join([*own, 'policy', 'measure'])}."
            )
        return getattr(self.policy, name)

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter, as `pt.GridSearch` does: `{truncate: {"k": [5, 10, 20]}}`."""
        self.get_parameter(name)
        if name in ("policy", "measure"):
            setattr(self, name, value)
        else:
            self.policy = replace(self.policy, **{name: value})

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The rows that are kept, in the order given."""
        pt.validate.result_frame(inp)
        if not len(inp):
            return inp
        from ir_trunc._ranking.qrels import read_qrels
        from ir_trunc._ranking.ranked_rows import RankedRows
        from ir_trunc._ranking.runs import rank_rows, read_run
        from ir_trunc.truncation._policy import lengths_of

        rows = read_run(inp)
        pairs = list(zip(rows.topics.to_pylist(), rows.docs.to_pylist()))
        qrels = read_qrels({topic: {} for topic, _ in pairs}, nil="document")
        ranked = RankedRows.of(rows, qrels.topics)
        kept = (
            ranked.rank <= lengths_of(self.policy, rank_rows(qrels, [rows], keep_scores=True))[ranked.topic]
        )
        ids = zip(ranked.rows.topics.to_pylist(), ranked.rows.docs.to_pylist())
        wanted = {pair for pair, keep in zip(ids, kept.tolist()) if keep}
        return inp[[pair in wanted for pair in pairs]].reset_index(drop=True)

    def fit(
        self,
        topics_or_res_tr: pd.DataFrame,
        qrels_tr: pd.DataFrame,
        topics_or_res_va: pd.DataFrame | None = None,
        qrels_va: pd.DataFrame | None = None,
    ) -> Truncate:
        """Fit the policy on ranked results and their qrels; validation data are not needed.

        Topics of the results without judgments are nil queries: a policy has to learn silence from them.
        """
        from ir_trunc._ranking.runs import rank

        if self.measure is None:
            raise ParameterError(
                f"{self!r} has no measure to be fitted to: give one when it is made, as measure='RBPT'."
            )
        pt.validate.result_frame(topics_or_res_tr)
        rankings = rank(qrels_tr, topics_or_res_tr, topics=topics_or_res_tr)
        self.policy = self.policy.fit(rankings, self.measure)
        return self

    def transform_outputs(self, inp_cols: list[str]) -> list[str]:
        """The columns stay as they are."""
        return inp_cols

    def __repr__(self) -> str:
        return f"Truncate({self.policy!r})"


def __getattr__(name: str) -> Any:
    """Each policy of `ir_trunc.truncation` as a transformer: `bm25 >> pt.truncation.ScoreThreshold(12.5)`."""
    from ir_trunc.truncation import registry

    if name not in registry:
        raise AttributeError(f"module 'ir_trunc.adapters.pyterrier' has no attribute {name!r}")

    def transformer(*args: Any, measure: Any = None, **kwargs: Any) -> Truncate:
        return Truncate(registry[name].kind(*args, **kwargs), measure)

    return transformer
