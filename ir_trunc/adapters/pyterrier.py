"""PyTerrier: experiments that see where lists end, and truncation as a transformer.

Measure objects work in `pt.Experiment` as they are. `experiment` adds what that cannot do: measures as text,
topics without judgments as nil queries, systems that return nothing, means over answerable and nil queries;
and it refuses what would be wrong. PyTerrier finds this module as `pt.truncation`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from inspect import signature
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
from ir_measures import Measure
from pandas import DataFrame
from pytrec_eval import supported_nicknames
from tqdm import tqdm

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.pyterrier needs PyTerrier", "pyterrier"):
    import pyterrier as pt

from ir_trunc._core import errors
from ir_trunc._core.errors import InputError, ParameterError, counted, nearest, shown, warn
from ir_trunc._core.parameters import flag, number, one_of, several, whole
from ir_trunc._ranking.qrels import Qrels, with_topics
from ir_trunc._ranking.ranked_rows import RankedRows, Run
from ir_trunc._ranking.runs import rank, read_run
from ir_trunc._ranking.wrapping import with_effort, with_terminal
from ir_trunc._read.arrow import pa, strings
from ir_trunc._read.reading import QRELS, RUN
from ir_trunc._read.registry import Withheld
from ir_trunc._read.rows import PLACEHOLDER
from ir_trunc._read.tables import column_name, ids_of_table, rows_of_table
from ir_trunc._scoring.objects import bind, parse_measures, trec_eval_measures
from ir_trunc.adapters.ir_measures import SYSTEM
from ir_trunc.measures.declaration import items_of, oriented
from ir_trunc.truncation import parse_policy, rank_without_qrels, registry
from ir_trunc.truncation._policy import Policy, lengths_of, sees_judgments

__all__ = ["Truncate", "Wrap", "experiment", "grid_search"]


_RUNS = "it decides how systems are run; use pt.Experiment for it, or give frames of results."
_SAVED = "use pt.io.write_results(system(topics), 'a.res.gz'); pt.io.read_results('a.res.gz') is a system."
_REFUSED = {
    "filter_by_qrels": "unjudged='exclude' or 'nil' decides about topics without judgments.",
    "filter_by_topics": "the topics are those that are scored; add those of the qrels to them.",
    "dataframe": "the result is always a DataFrame.",
    "highlight": "use the style of the table, such as table.style.highlight_max().",
    "validate": "topics, qrels and results are checked as ir_trunc.calc checks them.",
    **dict.fromkeys(("precompute_prefix", "plan"), _RUNS),
    **dict.fromkeys(("save_dir", "save_mode", "save_format"), _SAVED),
}
"""Options of pt.Experiment that have their defaults here, and why."""


def experiment(
    systems: Mapping[str, Any] | Sequence[Any] | None = None,
    topics: DataFrame | str | None = None,
    qrels: DataFrame | str | None = None,
    measures: Any = None,
    names: Sequence[str] | None = None,
    *,
    views: bool = False,
    unjudged: Literal["exclude", "nil"] | None = None,
    withheld: Any = None,
    **options: Any,
) -> Any:
    """`pt.Experiment` with measures of any kind.

    The topics with judgments are scored, as by `pt.Experiment` and `ir_trunc.calc`; `unjudged` counts the
    others, too. A system without any result for a topic, or for all, gets empty lists. Ids, labels and scores
    follow the rules of `ir_trunc.calc`: whole numbers are ids, whatever the topics, qrels and results have
    them as. Judgments and results for other topics than those given are left out with a warning.

    Parameters
    ----------
    systems : list or dict
        Transformers, frames of results or what `ir_trunc.read_run` returns, as a list or by name; PyTerrier's
        name is `retr_systems`.
    topics, qrels : DataFrame or str
        With the columns qid and query, and qid, docno and label; or paths of files that PyTerrier reads.
    measures : MeasureLike
        As `ir_trunc.calc` takes them; PyTerrier's name is `eval_metrics`. A name of trec_eval, as 'map', is
        the name of its column; a family, as 'P' or 'official', has a column for each of its measures.
    names : list of str, optional
        Names of the systems. By default frames are called 'results 1', 'results 2', ...
    views : bool
        Whether to give the same for answerable and for nil queries, in a column `queries`.
    unjudged : {'exclude', 'nil'}, optional
        What topics without judgments are: not scored, or nil queries, for which the empty list is right. By
        default they are not scored, and a warning counts them.
    withheld : dict, path or 'same id', optional
        Documents that leave results and judgments, as for `ir_trunc.calc`; a warning counts them. Here a list
        fills the cutoff of `@k` if k documents are left.
    perquery : bool or 'both', optional
        Whether to give values by topic in the place of means; 'both' gives (averages, perquery). The values
        of topics without judgments are NaN, unless `unjudged` decides about these topics, and the averages
        are those of the others, also with 'both', where `pt.Experiment` makes NaN of them.
    batch_size : int, optional
        Topics that are retrieved at once. Results are put together before they are scored, since measures of
        the whole run, and the scale of graded gains, must not depend on batches.
    baseline : int or str, optional
        The place or the name of the system that the others are tested against. Measures whose values by topic
        depend on each other, c@1 for example, are scored and not tested, with a warning: a paired test of
        these values is not valid.
    test, correction, correction_alpha, round : optional
        As for `pt.Experiment`.
    verbose : bool or 'auto', optional
        Whether to show a progress bar over the systems; 'auto' shows none.
    filter_by_qrels, filter_by_topics, dataframe, highlight, validate : optional
    precompute_prefix, plan, save_dir, save_mode, save_format : optional
        Options of `pt.Experiment` that have their defaults here: another value is refused, with the reason.

    Returns
    -------
    DataFrame, or a tuple of two

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
    views, called = flag("views", views), _called(options.pop("eval_metrics", measures))
    names, each = _by_name(options.pop("retr_systems", systems), names)
    ready = _options(options, called, names)
    topics = _checked_frame(topics, "topics")
    universe = _of_topics(_checked_frame(qrels, "qrels", "label"), topics, "qrels")
    scored = topics
    if unjudged is not None and one_of("unjudged", unjudged, ("exclude", "nil")) == "nil":
        universe = with_topics(universe, topics)
    else:
        scored = _judged(topics, universe, unjudged is None)
    bar = tqdm(list(zip(names, each)), "systems", disable=ready["verbose"] in ("auto", False))
    results = [_results_of(name, system, topics, ready["batch_size"]) for name, system in bar]
    if withheld is not None:
        universe, results = _without(withheld, universe, results)
    parts = {"": scored}
    if views:
        answerable = scored["qid"].isin(universe.loc[universe["label"] > 0, "qid"])
        parts = {"all": scored, "answerable": scored[answerable], "nil": scored[~answerable]}
    unscored = [] if unjudged else topics.loc[~topics["qid"].isin(scored["qid"]), "qid"].tolist()
    tested, tables = _tested(called, ready["baseline"]), []
    for view, part in parts.items():
        if len(part):
            rows = list(product(names, unscored if part is scored else [], called, [np.nan]))
            with errors.noted(issued=False) as notes:
                of_view = _scored(results, part, universe, called, ready)
            for note in notes if part is scored else ():  # the parts have the same ones
                warn(note)
            tables.append([_arranged(table, called, tested, rows, view) for table in of_view])
    joined = [pd.concat(same, ignore_index=True) if views else same[0] for same in zip(*tables)]
    return joined[0] if len(joined) == 1 else of_view._make(joined)  # (averages, perquery)


def _without(withheld: Any, qrels: DataFrame, results: list[DataFrame]) -> tuple[DataFrame, list[DataFrame]]:
    """Judgments and results without documents that are withheld; judged topics stay."""
    rule = Withheld.of(withheld)

    def left(frame: DataFrame) -> DataFrame:
        topics, docs = (pa.array(frame[name].astype(str), pa.string()) for name in ("qid", "docno"))
        return frame[~rule.among(topics.dictionary_encode(), docs)]

    judged, kept = left(qrels), list(map(left, results))
    gone = sorted({*qrels["qid"]} - {*judged["qid"]})
    if gone:
        judged = pd.concat([judged, DataFrame({"qid": gone, "docno": PLACEHOLDER, "label": 0})])
    documents = counted(sum(map(len, results)) - sum(map(len, kept)), "document")
    warn(f"withheld: {documents} left the results of {counted(len(results), 'system')}.")
    return judged, kept


def _called(measures: Any) -> dict[str, Measure]:
    """Measures by the names of their columns: a name of trec_eval stays as it is, as in pt.Experiment."""
    called: dict[str, Measure] = {}
    for part in items_of("measures", measures, "a text as 'RBPT nDCG@10' or a measure object"):
        if isinstance(part, str) and part == "mrt":
            what = "'mrt' is the time a system takes, not a measure of rankings"
            raise errors.UnknownMeasureError(f"{what}: use pt.Experiment for it.")
        family = _of_trec_eval(part) if isinstance(part, str) else []
        named = parse_measures(family or [part])
        called |= {part: named[0]} if len(family) == 1 else {str(measure): measure for measure in named}
    parse_measures(list(called.values()))  # an error where there is none
    return called


def _of_trec_eval(name: str) -> list[Measure]:
    """The measures to which trec_eval gives this name, as far as ir-measures has them."""
    measures = []
    for member in supported_nicknames.get(name, [name]):
        with suppress(errors.UnknownMeasureError):
            measures += trec_eval_measures(member)
    return sorted(measures, key=lambda measure: (measure.NAME, measure.params.get("cutoff", 0), str(measure)))


def _by_name(systems: Any, names: Sequence[Any] | None) -> tuple[list[str], list[Any]]:
    """The names of systems, and the systems."""
    if isinstance(systems, Mapping):
        return list(map(str, systems)), list(systems.values())
    each = several("systems", systems, "transformers or frames of results")
    if names is None:
        numbered = enumerate(each, 1)
        names = [f"results {n}" if isinstance(one, (DataFrame, Run)) else str(one) for n, one in numbered]
    if len(names) != len(each):
        raise ParameterError(f"{len(names)} names for {len(each)} systems: one for each is needed.")
    return list(map(str, names)), each


def _options(options: Mapping[str, Any], called: Mapping[str, Measure], names: list[str]) -> dict[str, Any]:
    """All options of pt.Experiment, checked before a system is run."""
    parameters = signature(pt.Experiment).parameters.values()
    ready = {each.name: each.default for each in parameters if each.default is not each.empty}
    for name, value in options.items():
        if name not in ready:
            raise errors.ParameterTypeError(f"experiment has no option {name!r}.{nearest(name, ready)}")
        if name in _REFUSED and value is not ready[name] and value != ready[name]:
            raise ParameterError(f"{name}={shown(value)} is for pt.Experiment alone: {_REFUSED[name]}")
    ready |= {**options, "names": names, "validate": "ignore"}
    for name, word in (("perquery", "both"), ("verbose", "auto")):
        if ready[name] != word:
            flag(name, ready[name])
    if isinstance(ready["round"], Mapping):
        if ready["perquery"]:
            raise ParameterError("round by measure is for means: with perquery one number is needed.")
        column_of = {str(measure): column for column, measure in called.items()}
        given = {str(of): whole(f"round[{of}]", digits, 0) for of, digits in ready["round"].items()}
        ready["round"] = {column_of.get(of, of): digits for of, digits in given.items()}
    elif ready["round"] is not None:
        ready["round"] = whole("round", ready["round"], 0)
    ready["baseline"] = _baseline(ready, names)
    return ready


def _baseline(options: Mapping[str, Any], names: list[str]) -> int | None:
    """The place of the baseline; errors where the tests against it are not as they can be."""
    baseline, correction, test = (options[name] for name in ("baseline", "correction", "test"))
    if test not in ("t", "wilcoxon") and not callable(test):
        near = nearest(test, ("t", "wilcoxon"))
        raise ParameterError(f"test={shown(test)}: 't', 'wilcoxon' or a function is needed.{near}")
    number("correction_alpha", options["correction_alpha"], 0, 1, inside=True)
    if baseline is None and correction is not None:
        raise ParameterError(f"correction={shown(correction)} corrects tests against a baseline: name one.")
    if baseline is not None and options["perquery"]:
        raise ParameterError("baseline tests means: perquery, which gives none, cannot go with it.")
    if isinstance(baseline, str):
        if baseline not in names:
            raise ParameterError(f"baseline={baseline!r}: the systems are {', '.join(names)}.")
        baseline = names.index(baseline)
    return None if baseline is None else whole("baseline", baseline, 0, len(names) - 1)


def _tested(called: Mapping[str, Measure], baseline: int | None) -> set[str]:
    """The columns of the measures that are tested, with a warning for those that cannot be."""
    if baseline is None:
        return set()
    bound = {column: bind(measure) for column, measure in called.items()}
    untested = [name for name, measure in bound.items() if measure and measure.definition.scope == "run"]
    if untested:
        why = "The value for one topic depends on all others, so that paired tests are not valid"
        what = f"{', '.join(untested)}: not tested against the baseline"
        warn(f"{what}. {why}; ir_trunc.compare tests these measures.")
    return {*called}.difference(untested)


def _scored(
    results: list[DataFrame], topics: DataFrame, qrels: DataFrame, called: Mapping[str, Measure], options: Any
) -> Any:
    """The tables of pt.Experiment for these topics: (averages,), (perquery,) or (averages, perquery)."""
    # pt.Experiment refuses a system without any result: a placeholder, never a document, makes a row
    row = {"qid": [topics["qid"].iloc[0]], "docno": [PLACEHOLDER], "score": [0.0], "rank": [0]}
    of_topics = (result[result["qid"].isin(topics["qid"])] for result in results)
    runs = [result if len(result) else DataFrame(row) for result in of_topics]
    for name, run in zip(options["names"], runs):
        run.attrs[SYSTEM] = name
    done = {"batch_size": None, "verbose": False}
    asked = [measure if name == str(measure) else name for name, measure in called.items()]
    judged = qrels[qrels["qid"].isin(topics["qid"])]
    judged.attrs[SYSTEM] = None
    tables = pt.Experiment(runs, topics, judged, asked, **{**options, **done})
    return tables if options["perquery"] == "both" else (tables,)


_OF_TESTS = (" +", " -", " p-value", " reject", " p-value corrected")
"""How columns of pt.Experiment with the results of a test end."""


def _arranged(
    table: DataFrame, called: Iterable[str], tested: set[str], unscored: list[Any], view: str
) -> DataFrame:
    """A table of pt.Experiment with its columns in the order of measures. unscored: more rows of values."""
    if "measure" not in table:  # means
        columns = (f"{name}{end}" for name in called for end in ("", *_OF_TESTS * (name in tested)))
        table = table[["name", *(column for column in columns if column in table)]]
    elif unscored:
        table = pd.concat([table, DataFrame(unscored, columns=list(table))], ignore_index=True)
        table = table.sort_values(["name", "qid"])  # as pt.Experiment does
    if view:
        table.insert(0, "queries", view)
    return table


def _frame_of(data: Any) -> Any:
    """What `read_run` or `read_qrels` returned as a frame with PyTerrier's names; else the data."""
    if isinstance(data, Run):
        return data.to_pandas().rename(columns={"query_id": "qid", "doc_id": "docno"})
    if isinstance(data, Qrels):
        rows = [(q, doc, grade) for q, docs in data.to_dict().items() for doc, grade in docs.items()]
        return DataFrame(rows, columns=["qid", "docno", "label"])
    return data


def _checked_frame(frame: Any, name: str, value: str | None = None) -> DataFrame:
    """A frame as `calc` reads it, by PyTerrier's names; value: 'score', 'label' or none."""
    if isinstance(frame, str) and name in ("topics", "qrels") and os.path.isfile(frame):
        frame = getattr(pt.io, f"read_{name}")(frame)
    frame = _frame_of(frame)
    if not isinstance(frame, DataFrame):
        raise InputError(f"{name} of type {type(frame).__name__}: a DataFrame is needed.")
    wanted = {"qid": "query_id"}
    if value:
        wanted |= {"docno": "doc_id", value: "score" if value == "score" else "relevance"}
    columns = {column_name(frame.columns, field, name): theirs for theirs, field in wanted.items()}
    named = frame.rename(columns=columns)
    if value is None:
        return named.assign(qid=ids_of_table(named, "query_id", name))
    rows = rows_of_table(named, RUN if value == "score" else QRELS, name)
    return named.assign(qid=rows.topics.to_pylist(), docno=rows.docs.to_pylist(), **{value: rows.values})


def _of_topics(frame: DataFrame, topics: DataFrame, name: str, reported: bool = True) -> DataFrame:
    """The rows for these topics; a warning counts the others, if it is `reported` or no topic is left."""
    listed = frame["qid"].isin(topics["qid"])
    if not listed.all() if reported else not listed.any():
        others = frame.loc[~listed, "qid"].unique()
        what = f"{counted(len(others), 'topic')} that the given topics lack (for example {min(others)})"
        warn(f"{name}: ignored {what}{'' if listed.any() else '; no topic is left'}.")
    return frame[listed]


def _judged(topics: DataFrame, qrels: DataFrame, reported: bool) -> DataFrame:
    """The topics with judgments, with a warning that counts the others where this is to be reported."""
    judged = topics["qid"].isin(qrels["qid"])
    if not judged.any():
        raise InputError("qrels: no topic has a judgment; unjudged='nil' counts all of them as nil queries.")
    if reported and not judged.all():
        what = f"{(~judged).sum()} of {counted(len(topics), 'topic')} have no judgment"
        example = topics.loc[~judged, "qid"].iloc[0]
        remedy = "unjudged='nil' counts them as nil queries, unjudged='exclude' confirms"
        warn(f"qrels: {what} (for example {example}) and are not scored; {remedy}.")
    return topics[judged]


def _results_of(name: str, system: Any, topics: DataFrame, batch_size: int | None) -> DataFrame:
    """All results of a system, which may already be results."""
    if isinstance(system, (DataFrame, Run)):
        results = _frame_of(system)
    elif not hasattr(system, "transform"):
        raise InputError(f"system {shown(system)}: a transformer or a frame of results is needed.")
    elif batch_size is None:
        results = system.transform(topics)
    else:
        results = pd.concat(list(system.transform_gen(topics, batch_size=batch_size)), ignore_index=True)
    if not len(results):
        return DataFrame(columns=["qid", "query", "docno", "score", "rank"])
    return _of_topics(_checked_frame(results, f"run {name}", "score"), topics, f"run {name}")


def grid_search(
    pipeline: Any,
    params: Mapping[Any, Mapping[str, Sequence[Any]]],
    topics: DataFrame,
    qrels: DataFrame,
    measure: Any,
    *,
    unjudged: Literal["exclude", "nil"] | None = None,
    batch_size: int | None = None,
    return_type: Literal["opt_pipeline", "best_setting", "both"] = "opt_pipeline",
) -> Any:
    """`pt.GridSearch` for any measure: the setting of a pipeline with the best mean.

    `pt.GridSearch` takes names of measures only; a measure object ends in its KeyError. Here each
    setting is scored as `experiment` scores it, so that a setting may return nothing. Of settings that are as
    good as each other the first one is chosen.

    Parameters
    ----------
    pipeline : Transformer
        The pipeline to be tuned.
    params : dict
        For each transformer of the pipeline its parameters and their values.
    topics, qrels : DataFrame
        As for `experiment`. Choose on other topics than those on which systems are compared.
    measure : MeasureLike
        One measure; the best mean is the lowest one for a measure for which lower is better.
    unjudged, batch_size
        As for `experiment`.
    return_type : str
        'opt_pipeline' gives the pipeline, set to the best setting; 'best_setting' gives the best mean and a
        list of (transformer, name, value), and leaves the pipeline as it was; 'both' gives pipeline, mean
        and setting.

    Returns
    -------
    Transformer or tuple

    Raises
    ------
    ParameterError
        Where no value is given, or a transformer has no such parameter.

    Examples
    --------
    >>> import pandas as pd, pyterrier as pt
    >>> from ir_trunc.truncation import Fixed
    >>> topics = pd.DataFrame({"qid": ["1"], "query": ["one"]})
    >>> qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    >>> results = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0], "rank": [0, 1]})
    >>> cut = Truncate(Fixed(k=2))
    >>> pipeline = pt.Transformer.from_df(results) >> cut
    >>> best, setting = grid_search(
    ...     pipeline, {cut: {"k": [1, 2]}}, topics, qrels, "RBPT", return_type="best_setting"
    ... )
    >>> round(best, 3), setting
    (1.0, [(Truncate(Fixed(k=2)), 'k', 1)])
    """
    one_of("return_type", return_type, ("opt_pipeline", "best_setting", "both"))
    chosen = list(parse_measures(measure))
    if len(chosen) != 1:
        raise ParameterError(f"grid_search maximises one measure, not {len(chosen)}.")
    places = [(transformer, name) for transformer, values in params.items() for name in values]
    settings = list(product(*(params[transformer][name] for transformer, name in places)))
    if not places or not settings:
        raise ParameterError("params has no values: {transformer: {'k': [5, 10]}} is needed.")

    def apply(values: Sequence[Any]) -> None:
        for (transformer, name), value in zip(places, values):
            transformer.set_parameter(name, value)

    before, means = [transformer.get_parameter(name) for transformer, name in places], []
    try:
        with errors.noted(issued=False) as notes:  # each setting has the same ones
            for values in settings:
                apply(values)
                how: dict[str, Any] = {"unjudged": unjudged, "batch_size": batch_size}
                table = experiment([pipeline], topics, qrels, chosen, **how)
                means.append(float(table[str(chosen[0])].iloc[0]))
    finally:
        apply(before)
    for note in notes:
        warn(note)
    best = int(np.argmax(oriented(chosen[0], np.array(means))))
    if return_type != "best_setting":
        apply(settings[best])
    both = pipeline, means[best], [(*place, value) for place, value in zip(places, settings[best])]
    return {"opt_pipeline": pipeline, "best_setting": both[1:], "both": both}[return_type]


class Truncate(pt.Estimator):
    """Ends every list where a policy says: `bm25 >> Truncate(Fixed(10))`.

    policy: a text, or anything with `cut(rankings)`, the length of every list (`ir_trunc.truncation`).
    measure: what `fit` fits the policy for. Lists are ranked as for scoring: by score, then by docno, both
    descending.
    """

    def __init__(self, policy: Any, measure: Any = None):
        super().__init__()
        policy = parse_policy(policy) if isinstance(policy, str) else policy
        if sees_judgments(policy):
            what = "sees the judgments, which a pipeline does not have"
            raise ParameterError(f"{policy} {what}: take another policy.")
        if getattr(getattr(policy, "fitted_on", None), "lower_is_better", False):
            what = "was fitted on distances, and scores are higher for better documents in PyTerrier"
            raise ParameterError(f"{policy} {what}: fit it on such scores.")
        self.policy, self.measure = policy, measure

    def get_parameter(self, name: str) -> Any:
        """A parameter of the policy by its name, such as 'k'; or 'policy', or 'measure'."""
        given = fields(self.policy) if is_dataclass(self.policy) else ()
        own = {each.name: getattr(self.policy, each.name) for each in given if each.name != "fitted_on"}
        own |= {"policy": self.policy, "measure": self.measure}
        if name not in own:
            raise ParameterError(f"{self!r} has no parameter {name!r}; it has: {', '.join(own)}.")
        return own[name]

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter, as `pt.GridSearch` does: `{truncate: {"k": [5, 10, 20]}}`."""
        self.get_parameter(name)
        if name in ("policy", "measure"):
            self.__init__(**{"policy": self.policy, "measure": self.measure, name: value})  # type: ignore[misc]
        else:
            self.policy = replace(self.policy, **{name: value})

    def transform(self, inp: DataFrame) -> DataFrame:
        """The rows that are kept, in the order given."""
        inp = _frame_of(inp)
        pt.validate.result_frame(inp)
        if not len(inp):
            return inp
        rows = read_run(inp)
        lists = rank_without_qrels(rows)
        ranked = RankedRows.of(rows, strings(lists.topics))
        kept = ranked.rows.filter(ranked.rank <= lengths_of(self.policy, lists)[ranked.topic])
        wanted = set(zip(kept.topics.to_pylist(), kept.docs.to_pylist()))
        pairs = zip(rows.topics.to_pylist(), rows.docs.to_pylist())
        return inp[[pair in wanted for pair in pairs]].reset_index(drop=True)

    def fit(
        self,
        topics_or_res_tr: DataFrame,
        qrels_tr: DataFrame,
        topics_or_res_va: DataFrame | None = None,
        qrels_va: DataFrame | None = None,
    ) -> Truncate:
        """Fit the policy on ranked results and their qrels; validation data are not needed.

        Topics of the results without judgments are nil queries: a policy has to learn silence from them.
        Judgments for other topics are left out: those of all topics may be given.
        """
        if getattr(type(self.policy), "learn", None) is Policy.learn:
            raise ParameterError(f"{self!r} has nothing to fit; ShareOfTop(measure='RBPT') has, for example.")
        if self.measure is None:
            what = f"{self!r} has no measure to be fitted to"
            raise ParameterError(f"{what}: give one when it is made, as measure='RBPT'.")
        pt.validate.result_frame(_frame_of(topics_or_res_tr))
        results = _checked_frame(topics_or_res_tr, "results", "score")
        judged = _of_topics(_checked_frame(qrels_tr, "qrels", "label"), results, "qrels", reported=False)
        rankings = rank(judged, results, topics=results)
        self.policy = self.policy.fit(rankings, self.measure)
        return self

    def transform_outputs(self, inp_cols: list[str]) -> list[str]:
        """The columns stay as they are."""
        return inp_cols

    def __repr__(self) -> str:
        return f"Truncate({self.policy!r})"

    def __eq__(self, other: object) -> bool:
        """Whether lists end at the same places: `plan="tree"` of pt.Experiment then runs one of the two."""
        return isinstance(other, Truncate) and (self.policy, self.measure) == (other.policy, other.measure)

    __hash__ = pt.Transformer.__hash__


class Wrap(pt.Transformer):
    """Results with the ends of their lists as documents, or with efforts: `bm25 >> Wrap("terminal", qrels)`.

    how: 'terminal' or 'effort', for `ir_trunc.with_terminal` or `ir_trunc.with_effort`, whose options are
    taken. Each topic of the qrels gets its end, also one without results.
    """

    def __init__(self, how: Literal["terminal", "effort"], qrels: Any, **options: Any):
        super().__init__()
        self.how = one_of("how", how, ("terminal", "effort"))
        self.qrels, self.options = _checked_frame(qrels, "qrels", "label"), options

    def transform(self, inp: DataFrame) -> DataFrame:
        """The rows of the lists by rank, with gain, or with gain, effort and utility."""
        wrap: Any = with_terminal if self.how == "terminal" else with_effort
        found = _frame_of(wrap(self.qrels, inp, **self.options).run)
        found["rank"] -= 1  # here from 0 on
        rest = inp[["qid", "docno", *(name for name in inp if name not in found)]]
        merged: DataFrame = found.merge(rest, how="left", on=["qid", "docno"])
        if "query" in merged:  # of the ends, too
            merged["query"] = merged.groupby("qid")["query"].transform("first")
        return merged

    def __repr__(self) -> str:
        return f"Wrap({self.how!r})"


def __getattr__(name: str) -> Any:
    """Each policy of `ir_trunc.truncation` as a transformer: `bm25 >> pt.truncation.ScoreThreshold(12.5)`."""
    if name not in registry:
        raise AttributeError(f"module 'ir_trunc.adapters.pyterrier' has no attribute {name!r}")

    kind = registry[name].kind

    @wraps(kind, updated=())  # for help()
    def transformer(*args: Any, measure: Any = None, **kwargs: Any) -> Truncate:
        return Truncate(kind(*args, **kwargs), measure)

    return transformer


def __dir__() -> list[str]:
    return [*__all__, *(name for name, policy in registry.items() if not policy.kind.sees_judgments)]
