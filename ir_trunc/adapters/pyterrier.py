"""PyTerrier: experiments that see where lists end, and truncation as a transformer.

Measure objects work in `pt.Experiment` as they are. `experiment` adds what that cannot do: measures as text,
topics without judgments as nil queries, systems that return nothing, means over answerable and nil queries;
and it refuses what would be wrong. PyTerrier finds this module as `pt.truncation`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from types import ModuleType
from typing import Any, Literal

import numpy as np
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
    noted,
    shown,
    warn,
)
from ir_trunc._core.parameters import flag, number, one_of, whole
from ir_trunc._scoring.objects import bind, parse_measures

__all__ = ["Truncate", "experiment", "grid_search"]


_RUNS = "it decides how systems are run; use pt.Experiment for it, or give frames of results."
_REFUSED: dict[str, tuple[Any, str]] = {
    "filter_by_qrels": (False, "unjudged='exclude' or 'nil' decides about topics without judgments."),
    "filter_by_topics": (True, "the topics are those that are scored; add those of the qrels to them."),
    "dataframe": (True, "the result is always a DataFrame."),
    "highlight": (None, "use the style of the table, such as table.style.highlight_max()."),
    "validate": ("warn", "topics, qrels and results are checked as ir_trunc.calc checks them."),
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
        depend on each other, c@1 for example, are scored and not tested, with a warning: a paired test of
        these values is not valid.
    test, correction, correction_alpha, round
        As for `pt.Experiment`.
    verbose : bool or 'auto'
        Whether to show a progress bar over the systems; 'auto' shows none.
    filter_by_qrels, filter_by_topics, dataframe, highlight, validate
        Options of `pt.Experiment` that have their defaults here: another value is refused, with the reason.
    save_dir, save_mode, save_format
        Where and how the results of transformers are saved and reused, as for `pt.Experiment`: the files have
        the same names and contents. A system that returns nothing has a file without rows.
    precompute_prefix, plan
        Refused: they decide how systems are run.

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

    if "mrt" in (measures if isinstance(measures, list | tuple) else [measures]):
        raise UnknownMeasureError(
            "'mrt' is the time a system takes, not a measure of rankings: use pt.Experiment for it."
        )
    others = filter_by_qrels, filter_by_topics, dataframe, highlight, validate, precompute_prefix, plan
    for (name, (default, reason)), value in zip(_REFUSED.items(), others):
        if value is not default and value != default:
            raise ParameterError(f"{name}={shown(value)} is for pt.Experiment alone: {reason}")
    wanted = list(parse_measures(measures))
    if isinstance(systems, Mapping):
        names, systems = list(systems), list(systems.values())
    if names is None:
        numbered = [(f"results {place}", system) for place, system in enumerate(systems, 1)]
        names = [name if isinstance(system, pd.DataFrame) else str(system) for name, system in numbered]
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
    store = None if save_dir is None else _Store(save_dir, save_mode, save_format, [*map(str, names)])
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
    results = [_results_of(str(name), system, topics, batch_size, store) for name, system in bar]
    answerable = scored["qid"].isin(universe.loc[universe["label"] > 0, "qid"])
    parts = {"all": scored, "answerable": scored[answerable], "nil": scored[~answerable]}
    tables = []
    for view, part in parts.items():
        if not len(part) or (view != "all" and not views):
            continue
        runs = [_never_empty(result[result["qid"].isin(part["qid"])], part) for result in results]
        judged = universe[universe["qid"].isin(part["qid"])]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "save_dir is set")  # of results that this call has saved
            table = pt.Experiment(
                runs,
                part,
                judged,
                wanted,
                names=names,
                validate="ignore",
                perquery=perquery,
                round=places,
                save_dir=save_dir if view == "all" else None,  # for the two tables of scores there
                save_format=save_format,
                **tests,
            )
        untested = tuple(f"{measure} " for measure in wanted if tests and _of_whole_run(measure))
        columns = [column for column in table if not column.startswith(untested)]

        def place(column: str) -> int:
            return next((n for n, m in enumerate(wanted) if f"{column} ".startswith(f"{m} ")), -1)

        # Each measure's columns (`RBPT`, `RBPT p-value`) stand together, in the order of the measures.
        tables.append(table[sorted(columns, key=place)])
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
            what = f"correction={shown(correction)}"
            raise ParameterError(f"{what} corrects tests against a baseline: name one.")
        return {}
    if perquery:
        raise ParameterError("baseline tests means: perquery=True, which gives none, cannot go with it.")
    if isinstance(baseline, str):
        if baseline not in names:
            raise ParameterError(f"baseline={baseline!r}: the systems are {', '.join(names)}.")
        baseline = names.index(baseline)
    if untested := [str(measure) for measure in measures if _of_whole_run(measure)]:
        warn(
            f"{', '.join(untested)}: not tested against the baseline. The value for one topic depends on all"
            " others, so that paired tests are not valid; ir_trunc.compare tests these measures."
        )
    place = whole("baseline", baseline, 0, len(names) - 1)
    return {"baseline": place, "test": test, "correction": correction, "correction_alpha": level}


def _of_whole_run(measure: Any) -> bool:
    bound = bind(measure)
    return bound is not None and bound.definition.scope == "run"


class _Store:
    """The files of `save_dir`, one for each system, named as pt.Experiment names them."""

    def __init__(self, folder: str, mode: str, form: Any, names: list[str]):
        if not os.path.isdir(folder):
            raise ParameterError(f"save_dir={shown(folder)}: a folder that exists is needed.")
        if repeated := [name for name in sorted(names) if names.count(name) > 1]:
            what = f"{repeated[0]!r} is repeated"
            raise ParameterError(f"save_dir needs different names= of the systems; {what}.")
        if unfit := [name for name in names if not pt.io.ok_filename(name)]:
            raise ParameterError(f"save_dir needs names= that can name files; {unfit[0]!r} cannot.")
        self.mode = one_of("save_mode", mode, ("warn", "error", "reuse", "overwrite"))
        self.load: Callable[[Any], pd.DataFrame]
        self.dump: Callable[[pd.DataFrame, Any], Any]
        if form == "trec":
            suffix = "res.gz"
        elif isinstance(form, ModuleType):
            suffix, self.load, self.dump = "mod", form.load, form.dump
        elif isinstance(form, tuple) and len(form) == 2:
            suffix, (self.load, self.dump) = "custom", form
        else:
            needed = "'trec', a module such as pickle, or two functions to read and write are needed"
            raise ParameterError(f"save_format={shown(form)}: {needed}.")
        self.text = form == "trec"
        self.path = os.path.join(folder, "{}." + suffix)

    def read(self, name: str) -> pd.DataFrame | None:
        """The results that are reused; None where there are none."""
        path = self.path.format(name)
        if not os.path.exists(path):
            return None
        if self.mode == "reuse":
            with pt.io.autoopen(path, "rb") as file:
                if self.text:
                    return pt.io.read_results(path) if file.read(1) else pd.DataFrame()
                return self.load(file)
        if self.mode == "error":
            raise ParameterError(f"{path} exists: save_mode='reuse', 'overwrite' or 'warn' is needed.")
        if self.mode == "warn":
            warn(f"{path} is overwritten; save_mode='reuse' would read it, save_mode='overwrite' is silent.")
        return None

    def write(self, name: str, results: pd.DataFrame) -> None:
        """Save the results of a transformer."""
        path = self.path.format(name)
        if self.text:
            pt.io.write_results(results, path)
        else:
            with pt.io.autoopen(path, "wb") as file:
                self.dump(results, file)


def _checked_frame(frame: Any, name: str, value: str | None = None) -> pd.DataFrame:
    """A frame as `calc` reads it, by PyTerrier's names; value: 'score', 'label' or none."""
    from ir_trunc._read.reading import QRELS, RUN
    from ir_trunc._read.tables import column_name, ids_of_table, rows_of_table

    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{name} of type {type(frame).__name__}: a DataFrame is needed.")
    fields = {"qid": "query_id"}
    if value:
        fields |= {"docno": "doc_id", value: "score" if value == "score" else "relevance"}
    columns = {column_name(frame.columns, field, name): ours for ours, field in fields.items()}
    named = frame.rename(columns=columns)
    if value is None:
        return named.assign(qid=ids_of_table(named, "query_id", name))
    rows = rows_of_table(named, RUN if value == "score" else QRELS, name)
    return named.assign(qid=rows.topics.to_pylist(), docno=rows.docs.to_pylist(), **{value: rows.values})


def _of_topics(frame: pd.DataFrame, topics: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows for these topics, with a warning that counts the others."""
    listed = frame["qid"].isin(topics["qid"])
    if not listed.all():
        others = frame.loc[~listed, "qid"].unique()
        what = f"{counted(len(others), 'topic')} that the given topics lack (for example {min(others)})"
        warn(f"{name}: ignored {what}{'' if listed.any() else '; no topic is left'}.")
    return frame[listed]


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


def _results_of(
    name: str, system: Any, topics: pd.DataFrame, batch_size: int | None, store: _Store | None
) -> pd.DataFrame:
    """All results of a system, which may already be results; those of transformers are saved."""
    saved = None if store is None or isinstance(system, pd.DataFrame) else store.read(name)
    if isinstance(system, pd.DataFrame):
        results = system
    elif saved is not None:
        results = saved
    elif not hasattr(system, "transform"):
        raise InputError(f"system {shown(system)}: a transformer or a frame of results is needed.")
    elif batch_size is None:
        results = system.transform(topics)
    else:
        results = pd.concat(list(system.transform_gen(topics, batch_size=batch_size)), ignore_index=True)
    if store is not None and saved is None and not isinstance(system, pd.DataFrame):
        store.write(name, results)
    if not len(results):
        return pd.DataFrame(columns=["qid", "query", "docno", "score", "rank"])
    return _of_topics(_checked_frame(results, f"run {name}", "score"), topics, f"run {name}")


def _never_empty(results: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """pt.Experiment refuses a system without any result; a placeholder, never a document, makes a row."""
    from ir_trunc._read.rows import PLACEHOLDER

    if len(results):
        return results
    return pd.DataFrame({"qid": [topics["qid"].iloc[0]], "docno": [PLACEHOLDER], "score": [0.0], "rank": [0]})


def grid_search(
    pipeline: Any,
    params: Mapping[Any, Mapping[str, Sequence[Any]]],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
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
    from itertools import product

    from ir_trunc.measures.declaration import oriented

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
        with noted(issued=False) as notes:  # each setting has the same ones
            for values in settings:
                apply(values)
                table = experiment(
                    [pipeline], topics, qrels, chosen, unjudged=unjudged, batch_size=batch_size
                )
                means.append(float(table[str(chosen[0])].iloc[0]))
    finally:
        apply(before)
    for note in notes:
        warn(note)
    best = int(np.argmax(oriented(chosen[0], np.array(means))))
    if return_type != "best_setting":
        apply(settings[best])
    setting = [(*place, value) for place, value in zip(places, settings[best])]
    return {
        "opt_pipeline": pipeline,
        "best_setting": (means[best], setting),
        "both": (pipeline, means[best], setting),
    }[return_type]


class Truncate(pt.Estimator):
    """Ends every list where a policy says: `bm25 >> Truncate(Fixed(10))`.

    policy: anything with `cut(rankings)`, the length of every list (`ir_trunc.truncation`). measure: what
    `fit` fits the policy for. Lists are ranked as for scoring: by score, then by docno, both descending.
    """

    def __init__(self, policy: Any, measure: Any = None):
        from ir_trunc.truncation._policy import sees_judgments

        super().__init__()
        if sees_judgments(policy):
            what = "sees the judgments, which a pipeline does not have"
            raise ParameterError(f"{policy} {what}: take another policy.")
        self.policy, self.measure = policy, measure

    def get_parameter(self, name: str) -> Any:
        """A parameter of the policy by its name, such as 'k'; or 'policy', or 'measure'."""
        if name in ("policy", "measure"):
            return getattr(self, name)
        own = [field.name for field in fields(self.policy)] if is_dataclass(self.policy) else []
        own = [parameter for parameter in own if parameter != "fitted_on"]
        if name not in own:
            names = ", ".join([*own, "policy", "measure"])
            raise ParameterError(f"{self!r} has no parameter {name!r}; it has: {names}.")
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
        lengths = lengths_of(self.policy, rank_rows(qrels, [rows], keep_scores=True))
        kept = ranked.rows.filter(ranked.rank <= lengths[ranked.topic])
        wanted = set(zip(kept.topics.to_pylist(), kept.docs.to_pylist()))
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
