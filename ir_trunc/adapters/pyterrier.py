"""PyTerrier: experiments that see where lists end, and truncation as a transformer.

Measure objects work in `pt.Experiment` as they are. `experiment` adds what that cannot do: measures as text,
topics without judgments, systems that return nothing, means over answerable and nil queries; and it refuses
what would be wrong. PyTerrier finds this module as `pt.truncation`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pandas as pd

try:
    import pyterrier as pt
except ImportError:
    raise ImportError(
        "ir_trunc.adapters.pyterrier needs PyTerrier: pip install 'ir_trunc[pyterrier]'."
    ) from None

from ir_trunc.core.errors import InputError, ParameterError, UnknownMeasureError, shown, warn

__all__ = ["Truncate", "experiment"]


def __getattr__(name: str) -> Any:
    """Each policy of `ir_trunc.truncation` as a transformer: `bm25 >> pt.truncation.ScoreThreshold(12.5)`."""
    from ir_trunc.truncation import registry

    if name not in registry:
        raise AttributeError(f"module 'ir_trunc.adapters.pyterrier' has no attribute {name!r}")

    def transformer(*args: Any, measure: Any = None, **kwargs: Any) -> Truncate:
        return Truncate(registry[name].kind(*args, **kwargs), measure)

    return transformer


# What pt.Experiment decides while it runs the systems; here they have run before.
_OF_RUNNING = ("save_dir", "save_mode", "save_format", "precompute_prefix", "plan")

_NOT_HERE = {
    "dataframe": "the result is always a DataFrame.",
    "highlight": "use the style of the table that comes back, such as table.style.highlight_max().",
    "validate": "topics, qrels and results are checked as ir_trunc.calc checks them.",
}
"""Options of pt.Experiment that cannot be given here, and what there is in their place."""


def experiment(
    systems: Mapping[str, Any] | Sequence[Any],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: Any,
    names: Sequence[str] | None = None,
    *,
    views: bool = False,
    batch_size: int | None = None,
    **options: Any,
) -> pd.DataFrame:
    """`pt.Experiment` with measures of any kind, over all topics.

    systems: transformers or result frames, as a list or by name. topics: qid, query. qrels: qid, docno,
    label. measures: as `ir_trunc.calc` takes them. views=True: the same for answerable and for nil queries,
    in a column `queries`. batch_size: topics that are retrieved at once; results are put together before they
    are scored, since measures of the whole run, and the scale of graded gains, must not depend on batches.
    options: those of `pt.Experiment` (perquery, baseline, test, correction, round, ...) but for `dataframe`,
    `highlight` and `validate`, and those about running systems (`save_dir`, `save_mode`, `save_format`,
    `precompute_prefix`, `plan`).

    Topics without judgments are nil queries; a system without any result for a topic, or for all, gets empty
    lists. Ids, labels and scores follow the rules of `ir_trunc.calc`: whole numbers are ids, whatever the
    topics, qrels and results have them as. Judgments and results for other topics than those given are left
    out with a warning. Raises InputError for ids that are missing or no ids, UnknownMeasureError for 'mrt',
    ParameterError for a baseline with measures whose values by topic depend on each other.
    """
    from ir_trunc.ranking.universe import with_topics
    from ir_trunc.scoring.objects import parse_measures

    if "mrt" in ([measures] if isinstance(measures, str) else measures):
        raise UnknownMeasureError(
            "'mrt' is the time a system takes, not a measure of rankings: use pt.Experiment for it."
        )
    for name in options:
        if name in _OF_RUNNING:
            raise ParameterError(
                f"{name} is about running systems: use pt.Experiment for it, or give result frames."
            )
        if name in _NOT_HERE:
            raise ParameterError(f"{name} is an option of pt.Experiment alone: {_NOT_HERE[name]}")
    if options.get("perquery") not in (None, False, True):
        raise ParameterError(f"perquery={shown(options['perquery'])}: True or False is needed.")
    wanted = list(parse_measures(measures))
    if options.get("baseline") is not None:
        _refuse_dependent(wanted)
    topics = _checked(topics, "topics")
    universe = with_topics(_of_topics(_checked(qrels, "qrels", "label"), topics, "qrels"), topics)
    if isinstance(systems, Mapping):
        names, systems = list(systems), list(systems.values())
    names = [_name(system, at) for at, system in enumerate(systems, 1)] if names is None else list(names)
    if len(names) != len(systems):
        raise ParameterError(f"{len(names)} names for {len(systems)} systems: one for each is needed.")
    results = [_results(str(name), system, topics, batch_size) for name, system in zip(names, systems)]
    parts = _views(topics, universe) if views else {"all": topics}
    tables: dict[str, pd.DataFrame] = {}
    for view, part in parts.items():
        of_view = [_never_empty(result[result["qid"].isin(part["qid"])], part) for result in results]
        judged = universe[universe["qid"].isin(part["qid"])]
        table = pt.Experiment(of_view, part, judged, wanted, names=names, validate="ignore", **options)
        tables[view] = _in_order(table, wanted)
    if not views:
        return tables["all"]
    for view, table in tables.items():
        table.insert(0, "queries", view)
    return pd.concat(list(tables.values()), ignore_index=True)


def _in_order(table: pd.DataFrame, measures: Sequence[Any]) -> pd.DataFrame:
    """Columns of each measure, with those that belong to it (`RBPT p-value`), in the order of measures."""
    of = {
        column: next((at for at, m in enumerate(measures) if f"{column} ".startswith(f"{m} ")), -1)
        for column in table
    }
    return table[sorted(table.columns, key=of.__getitem__)]


def _refuse_dependent(measures: Sequence[Any]) -> None:
    from ir_trunc.scoring.objects import bind

    for measure in measures:
        bound = bind(measure)
        if bound is not None and bound.definition.scope == "run":
            raise ParameterError(
                f"{measure}: its value for one topic depends on all others, and PyTerrier's paired tests may"
                " not take it. Give no baseline; ir_trunc.meta.power tests it by influence values."
            )


def _checked(frame: Any, name: str, value: str | None = None) -> pd.DataFrame:
    """A frame as `calc` understands it, under PyTerrier's names; further columns stay.

    value: 'score', 'label' or none.
    """
    from ir_trunc.read.layout import QRELS, RUN
    from ir_trunc.read.tables import column_name, from_frame, ids_of_column

    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{name} of type {type(frame).__name__}: a DataFrame is needed.")
    fields = {"qid": "query_id"} | (
        {"docno": "doc_id", value: "score" if value == "score" else "relevance"} if value else {}
    )
    named = frame.rename(
        columns={column_name(frame.columns, field, name): ours for ours, field in fields.items()}
    )
    if value is None:
        return named.assign(qid=ids_of_column(named, "query_id", name))
    rows = from_frame(named, RUN if value == "score" else QRELS, name)
    return named.assign(
        **{"qid": rows.topics.to_pylist(), "docno": rows.docs.to_pylist(), value: rows.values}
    )


def _of_topics(frame: pd.DataFrame, topics: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows for these topics, with a warning that counts the others."""
    known = frame["qid"].isin(topics["qid"])
    if not known.all():
        strangers = frame.loc[~known, "qid"].unique()
        none = "" if known.any() else "; NO topic is left"
        warn(
            f"{name}: {len(strangers)} topic(s) that the topics lack are left out (topic {min(strangers)} for"
            f" one){none}."
        )
    return frame[known]


def _name(system: Any, at: int) -> str:
    return f"results {at}" if isinstance(system, pd.DataFrame) else str(system)


def _results(name: str, system: Any, topics: pd.DataFrame, batch_size: int | None) -> pd.DataFrame:
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
    return _of_topics(_checked(results, f"run {name}", "score"), topics, f"run {name}")


def _never_empty(results: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """pt.Experiment refuses a system without any result; a placeholder, never a document, makes a row."""
    from ir_trunc.read.rows import PLACEHOLDER

    if len(results):
        return results
    return pd.DataFrame({"qid": [topics["qid"].iloc[0]], "docno": [PLACEHOLDER], "score": [0.0], "rank": [0]})


def _views(topics: pd.DataFrame, qrels: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """All topics, those with a relevant document, and the others; views without a topic are left out."""
    answerable = topics["qid"].isin(qrels.loc[qrels["label"] > 0, "qid"])
    parts = {"all": topics, "answerable": topics[answerable], "nil": topics[~answerable]}
    return {view: part for view, part in parts.items() if len(part)}


class Truncate(pt.Estimator):
    """Ends every list where a policy says: `bm25 >> Truncate(Fixed(10))`.

    policy: anything with `cut(rankings)`, the length of every list (`ir_trunc.truncation`). measure: what
    `fit` fits the policy for. Lists are ranked as for scoring: by score, then by docno, both descending.
    """

    def __init__(self, policy: Any, measure: Any = None):
        from ir_trunc.truncation.live import sees_judgments

        super().__init__()
        if sees_judgments(policy):
            raise ParameterError(
                f"{policy} sees the judgments, which a pipeline has not: take another policy."
            )
        self.policy = policy
        self.measure = measure

    def get_parameter(self, name: str) -> Any:
        """A parameter of the policy by its name, such as 'k'; or 'policy', or 'measure'."""
        of = self if name in ("policy", "measure") else self.policy
        if of is self.policy and name not in self._parameters():
            raise ParameterError(
                f"{self!r} has no parameter {name!r}; it has: {', '.join(self._parameters())}."
            )
        return getattr(of, name)

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter, as `pt.GridSearch` does: `{truncate: {"k": [5, 10, 20]}}`."""
        self.get_parameter(name)
        if name in ("policy", "measure"):
            setattr(self, name, value)
        else:
            self.policy = replace(self.policy, **{name: value})

    def _parameters(self) -> list[str]:
        own = [field.name for field in fields(self.policy)] if is_dataclass(self.policy) else []
        return [*own, "policy", "measure"]

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The rows that are kept, in the order given."""
        pt.validate.result_frame(inp)
        if not len(inp):
            return inp
        from ir_trunc.ranking.doors import read_qrels, read_run
        from ir_trunc.ranking.rank import rank
        from ir_trunc.ranking.ranked import RankedRows
        from ir_trunc.truncation.live import lengths_of

        rows = read_run(inp)
        pairs = list(zip(rows.topics.to_pylist(), rows.docs.to_pylist()))
        qrels = read_qrels({topic: {} for topic, _ in pairs}, nil="document")
        ranked = RankedRows.of(rows, qrels.topics)
        kept = ranked.rank <= lengths_of(self.policy, rank(qrels, [rows], keep_scores=True))[ranked.topic]
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
        from ir_trunc.scoring.evaluator import rank

        if self.measure is None:
            raise ParameterError(
                f"{self!r} has no measure to be fitted for: give one, measure=..., when it is made."
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
