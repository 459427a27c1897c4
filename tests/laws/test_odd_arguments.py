"""Wrong arguments: every public function returns a result or raises an error that says what would be right.

Every argument of every public function is replaced by values of wrong types and ranges (`odd_values`), while
the others are right. The outcome is a result, an IrTruncError, or an OSError about a file; what an object of
the user raises is passed on. IR_TRUNC_ODD_CASES sets how many cases are drawn.
"""

import contextlib
import dataclasses
import inspect
import locale
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

pytest.importorskip("matplotlib")

from hypothesis import example, given, settings, strategies as st
from odd_values import CONTAINERS, VALUES, WRAPPINGS, OwnError
from procedures import examples

import ir_trunc
from ir_trunc import IrTruncError, IrTruncWarning, answers, meta, plots, truncation
from ir_trunc._ranking.runs import read_run
from ir_trunc.adapters import arrow
from ir_trunc.truncation import study

CASES = int(os.environ.get("IR_TRUNC_ODD_CASES", "250"))

QRELS = {"1": {"a": 1, "b": 0}, "2": {"b": 2, "c": 1}, "3": {}, "4": {"a": 1, "d": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 3.0, "a": 1.0}, "4": {"x": 2.0, "d": 1.0}}
OTHER = {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 3.0}, "3": {"x": 1.0}}
THIRD = {"1": ["x"], "2": ["b", "c"], "4": ["a"]}
RUNS = {"one": RUN, "other": OTHER, "third": THIRD}
RESULTS = ir_trunc.calc("AP RBPT", QRELS, RUN)
COMPARED = ir_trunc.compare("AP RBPT", QRELS, RUNS)
RANKINGS = ir_trunc.rank(QRELS, RUN)
MANY = [{str(topic): of["1"] for topic in range(24)} for of in (QRELS, RUN)]  # enough for a monitor
LISTS = ir_trunc.Rankings.from_lists(
    [[1, 0], [None]], [[1, 0], []], scores=[[2, 1], [1]], costs=[[1, 2], [3]]
)
CURVE = next(iter(ir_trunc.curves("AP", QRELS, RUN).values()))
MATRIX = meta.score_matrix("AP RBPT", QRELS, RUNS)
POOLED = meta.pooled_runs(QRELS, RUNS)
POWER = meta.power(MATRIX)
ERRORS = meta.error_rates(MATRIX, repetitions=3)
SWAPS = meta.swap_rates(MATRIX, repetitions=3)
AGREEMENT = meta.agreement(MATRIX)
GRID = meta.pool_grid(["AP"], POOLED, (1, 2), (1, 2))
REFERENCE = meta.Reference.of(MATRIX)
EVALUATOR = ir_trunc.evaluator("AP RBPT", QRELS)
AXES = plots.example(study.example("RBPT"))
BEFORE = pd.Series({"AP": 0.5, "RBPT": 0.4})
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ABSTENTION = answers.abstention_curve("RBPT", QRELS, RUN)
    RISKS = answers.risk_coverage(QRELS, RUN)
    CROSS = truncation.cross_validate(["Greedy", "LargestGap"], "RBPT", QRELS, {"one": RUN}, folds=2)
    ADVICE = ir_trunc.how_many(QRELS, RUN, policies="Greedy", folds=2)
CUTS = {"1": 1, "2": 0, "4": 1}
SEARCHES = {f"{topic}/{search}": docs for topic, docs in RUN.items() for search in "ab"}
GAP, GREEDY, NUCLEUS = truncation.LargestGap(), truncation.Greedy(), truncation.Nucleus(0.5)
SHORT, ORACLE = truncation.Fixed(2, at_most=1), truncation.Oracle("AP", at_least=1)
RISK, FITTED = truncation.RiskControlled("missed", 0.9), GAP.fit(ir_trunc.rank(*MANY), "RBPT")
SCORED = {"measures": "AP RBPT", "qrels": QRELS, "run": RUN}
TIES = {"ties": "id", "depth": 10}
READING = dict.fromkeys(("stop", "columns", "searches"))
READING |= {"order": "score", "duplicates": "error", "lower_is_better": False, "withheld": {"1": ["zz"]}}
UNIVERSE = {"topics": ["1", "2", "9"], "nil": "ends", "missing": "empty", "unjudged": None, "keys": None}
TABLE = {"measures": "AP RBPT", "qrels": QRELS, "runs": RUNS}

LABELLED = pa.table({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "relevance": [1]})
COLLECTOR = arrow.scorer("AP", collect=True)


def parts(thing: object) -> dict[str, object]:
    """The arguments that a dataclass was made of."""
    return {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}


# Public functions, and methods of the objects above, with arguments that are right.
CALLS = {
    "calc": SCORED | UNIVERSE | READING | TIES | {"keep_scores": True},
    "calc_aggregate": SCORED | UNIVERSE | READING | TIES,
    "iter_calc": SCORED | UNIVERSE | READING | TIES,
    "curves": SCORED | UNIVERSE | READING,
    "rank": {"qrels": QRELS, "run": RUN} | UNIVERSE | READING,
    "compare": {"measures": "AP", "qrels": QRELS, "runs": RUNS, "baseline": "one", "test": "bootstrap",
     "correction": "bh", "alpha": 0.05, "intervals": True, "margin": 0.1, "repetitions": 20, "seed": 0,
     "unit": None, "jobs": 2, "sort": "AP"} | UNIVERSE | READING,
    "check": {"conditions": ["AP drops 0.1", "passages > 3", "c@1 < 0.1"], "qrels": QRELS, "run": RUN,
     "baseline": OTHER, "alpha": 0.1, "require": "shown", "unit": None, "by": None} | UNIVERSE | READING,
    "report": {"measures": "AP", "qrels": QRELS, "runs": RUNS, "path": "out", "baseline": "one",
     "title": "t", "folds": 2, "unit": None, "gate": None, "queries": None, "documents": {"a": "text"},
     "command": ""} | UNIVERSE | READING,
    "Rankings": parts(LISTS),
    "Rankings.from_lists": {"lists": [[1, None]], "judged": [[1, 0]], "topics": ["1"],
     "scores": [[0.9, 0.5]], "costs": [[1, 2]]},
    "Rankings.from_arrays": {"scores": [[0.9, 0.5]], "labels": [[1, 0]], "shown": [[True, False]],
     "judged": [[True, True]], "topics": ["1"]},
    "Rankings.concat": {"judgments": LISTS.judgments, "pieces": [LISTS]},
    "LISTS.cut": {"depth": 1},
    "LISTS.take": {"positions": [0]},
    "typing.Curve": parts(CURVE),
    "CURVE.at": {"depth": 1},
    "typing.Comparison": parts(COMPARED),
    "COMPARED.__getitem__": {"measure": "AP"},
    "COMPARED.to_latex": {"label": "tab:one", "digits": 3},
    "COMPARED.to_html": {"digits": 3},
    "COMPARED.to_markdown": {"digits": 3},
    "evaluator": {"measures": "AP", "qrels": QRELS} | UNIVERSE | READING | TIES,
    "EVALUATOR.calc": {"run": RUN, "keep_scores": False},
    "EVALUATOR.curves": {"run": RUN},
    "reproduce": {"paper": "penas2011"},
    "parse_measure": {"measure": "AP@10"},
    "RBPT": {"p": 0.5, "rel": 1, "cutoff": 10},
    "measure": {"source": "mine", "range": (0, 1), "cutoff": "optional", "scope": "list", "name": None,
     "aliases": (), "of_means": None, "influence": None},
    "WSS": {"r": 0.95, "D": {"1": 5}, "rel": 1},
    "study.searches": {"measure": "RBPT", "qrels": QRELS, "run": SEARCHES, "keys": "question/search",
     "folds": 2, "seed": 0},
    "study.nil_report": {"run": RUN, "topics": ["1"], "depth": 2, "nil": "ends"} | READING,
    "read_answers": {"data": {"1": [{"A": 2, "B": "b"}, ["C"]]}, "normalise": "squad", "nil": "ends",
     "columns": None, "abstains": ["N/A"], "levels": {"b": 1}},
    "read_log": {"log": [{"id": 1, "answer": "a", "correct": 0.5, "references": ["a"]}], "judge": "em",
     "correct_from": 0.5, "all_answerable": False, "columns": {"id": "id"}, "abstains": "N/A"},
    "read_predictions": {"predictions": {"1": "a", "2": ""}, "no_answer": {"1": 0.25, "2": 0.5}},
    "read_qrels": {"data": QRELS, "columns": None, "topics": ["1", "9"], "nil": "ends", "unjudged": None,
     "keys": None, "levels": {"S": 3}},
    "read_depths": {"data": {"1": {0: 0, 1: 1}, "2": {0: 0, 1: 0.5}}, "range": (0, 1), "right": 0.5,
     "columns": None},
    "read_run": {"data": RUN, "keys": None} | READING,
    "read_topics": {"data": ["1", "2"], "keys": None},
    "with_effort": {"qrels": QRELS, "run": RUN, "e": 0.05, "gain": "signed", "max_rel": 9, "depth": 10,
     "nil": "ends"} | READING,
    "with_terminal": {"qrels": QRELS, "run": RUN, "rel": 1, "gain": "raw", "max_rel": 9, "depth": 10,
     "terminal": "full", "nil": "ends"} | READING,
    "with_topics": {"qrels": QRELS, "topics": ["1", "9"]},
    "NilRule": {"convention": "ends", "id": "NIL"},
    "truncation.cross_validate": {"policies": ["Greedy"], "measure": "RBPT", "qrels": QRELS, "runs": RUNS,
     "folds": 2, "seed": 0, "further_measures": "AP", "unit": None} | UNIVERSE | READING,
    "answers.abstention_curve": {"measures": "RBPT", "qrels": QRELS, "run": RUN, "confidence": "gap",
     "steps": 4} | UNIVERSE | READING,
    "answers.nauc": {"measures": "RBPT", "qrels": QRELS, "run": RUN, "confidence": "gap",
     "steps": 4} | UNIVERSE | READING,
    "answers.risk_coverage": {"qrels": QRELS, "run": RUN, "rel": 1} | UNIVERSE | READING,
    "truncation.policy": {"source": "a paper", "idempotent": True, "written": True},
    "truncation.falling_scores": {"rankings": RANKINGS},
    "truncation.parse_policy": {"policy": "Fixed(k=3)"},
    "truncation.rank_without_qrels": {"run": read_run(RUN), "nil": "ends"},
    "truncation.read_cuts": {"path": "cuts"},
    "truncation.write_cuts": {"path": "out", "cuts": CUTS},
    "truncation.write_run": {"path": "out", "run": read_run(RUN), "cuts": CUTS, "tag": "mine",
     "comments": ["# mine"]},
    "truncation.ScoreThreshold": {"threshold": 0.5},
    "truncation.ShareOfTop": {"share": 0.5},
    "how_many": {"retrieved": RUN, "labels": QRELS, "measure": "RBPT", "keep": 0.5, "unanswerable": 0.3,
     "price": 1.5, "cost": None, "budget": None, "tolerance": 0.01, "policies": "Greedy LargestGap",
     "also": "Knee", "present": 1, "folds": 2, "seed": 0} | UNIVERSE | READING,
    "sample_for_people": {"labels": QRELS, "runs": {"run": RUN}, "n": 1, "seed": 0, "queries": None,
     "documents": None},
    "ADVICE.plot": {"against": "length", "ax": None},
    "truncation.AdaptiveK": {"share": 0.9, "buffer": 5},
    "truncation.Surprise": {"surprise": 1.0},
    "truncation.ScoreDistribution": {"probability": 0.5},
    "truncation.RiskControlled": {"risk": "missed", "alpha": 0.1, "by": "score", "level": 0.5, "delta": 0.1},
    "RISK.fit": {"rankings": RANKINGS, "measure": "RBPT"},
    "truncation.Learned": {"estimator": None},
    "GAP": {"scores": [0.9, 0.5], "lower_is_better": False},
    "GAP.keep": {"items": [("a", 0.9), ("b", 0.5)], "score": None, "lower_is_better": False},
    "truncation.policy_from_dict": {"data": {"policy": "Fixed", "parameters": {"k": 5}}, "where": "mine"},
    "GAP.save": {"path": "out"},
    "load_policy": {"path": "stop.json"},
    "truncation.truncate": {"run": RUN, "policy": "LargestGap", "nil": "ends"} | READING,
    "truncation.Given": {"cuts": CUTS, "source": "mine"},
    "truncation.Oracle": {"measure": "AP"},
    "GREEDY.fit": {"rankings": RANKINGS, "measure": "RBPT"},
    "GAP.cut": {"rankings": RANKINGS},
    "truncation.Fixed": {"k": 3, "at_least": 1, "at_most": 5, "fitted_on": None},
    "SHORT.cut": {"rankings": RANKINGS},
    "SHORT.fit": {"rankings": RANKINGS, "measure": "RBPT"},
    "ORACLE.cut": {"rankings": RANKINGS},
    "truncation.Nucleus": {"p": 0.5, "temperature": 1.0},
    "NUCLEUS.cut": {"rankings": RANKINGS},
    "FITTED.monitor": {"run": MANY[1], "alpha": 0.05} | READING,
    "study.agreement": {"truncated": "RBPT", "full": "AP", "qrels": QRELS,
     "runs": RUNS} | UNIVERSE | READING,
    "study.system_means": {"truncated": "RBPT", "full": "AP", "qrels": QRELS,
     "runs": RUNS} | UNIVERSE | READING,
    "study.best_cuts": TABLE | UNIVERSE | READING,
    "study.cuts": TABLE | UNIVERSE | READING,
    "study.example": {"measures": "RBPT", "irrelevant": 2, "relevant": 3, "scaled": True},
    "meta.conditions": {"measures": "AP RBP(p={p})", "pools": POOLED,
     "depths": {"a": (1, 2), "b": (None, 3)}, "pooled": ["one"], "residual": 0.2},
    "meta.procedure": {"source": "a paper", "command": "power"},
    "meta.persistence": {"residual": 0.1, "depth": 10},
    "meta.pooled_runs": {"qrels": QRELS, "runs": RUNS, "nil": "ends"} | READING,
    "meta.rbo": {"x": [3, 2, 1], "y": [3, 1, 2], "p": 0.9, "ties": "b"},
    "meta.residual": {"p": 0.5, "depth": 10},
    "meta.score_matrix": TABLE | UNIVERSE | READING | {"unit": None},
    "meta.tau": {"x": [3, 2, 1], "y": [3, 1, 2]},
    "meta.tau_ap_b": {"x": [3, 2, 1], "y": [3, 1, 2]},
    "meta.tau_ap": {"x": [3, 2, 1], "y": [3, 1, 2]},
    "meta.ScoreMatrix": {"measures": ("AP",), "systems": ("one",), "topics": ("1",),
     "values": np.ones((1, 1, 1))},
    "MATRIX.__getitem__": {"measure": "AP"},
    "MATRIX.joined": {"others": {"again": MATRIX}},
    "POWER.intervals": {"confidence": 0.9, "repetitions": 5},
    "POWER.matrix": {"measure": "AP"},
    "ERRORS.intervals": {"fuzziness": 0.05, "confidence": 0.9, "repetitions": 5},
    "SWAPS.sensitivity": {"limit": 0.05},
    "AGREEMENT.interval": {"name": "AP", "other": "RBPT", "confidence": 0.9, "repetitions": 5, "seed": 0},
    "AGREEMENT.scatter": {"name": "AP", "other": "RBPT", "ax": None},
    "AGREEMENT.plot": {"ax": None},
    "POOLED.in_pool": {"depth": 2, "pooled": ["one"]},
    "POOLED.coverage": {"depth": 2, "pooled": ["one"]},
    "POOLED.score": {"measures": "AP", "keep": None},
    "GRID.plot": {"measure": "AP", "form": "raw", "ax": None},
    "MATRIX.take": {"systems": ["one"], "topics": ["1"], "measures": "AP"},
    "meta.ScoreMatrix.from_results": {"results": {"one": RESULTS}, "unit": None},
    "meta.ScoreMatrix.from_pandas": {"table": MATRIX.to_pandas()},
    "MATRIX.save": {"path": "matrix"},
    "meta.ScoreMatrix.load": {"path": "matrix"},
    "meta.Reference": parts(REFERENCE),
    "meta.Reference.of": {"matrix": MATRIX},
    "REFERENCE.standardise": {"matrix": MATRIX},
    "REFERENCE.save": {"path": "out"},
    "meta.Reference.load": {"path": "reference"},
    "arrow.scorer": {"measures": "AP", "qrels": QRELS, "collect": True, "max_rel": None, "source": "rows"}
     | UNIVERSE | READING,
    "COLLECTOR": {"table": LABELLED},
    "COLLECTOR.stream": {"batches": [LABELLED]},
    "COLLECTOR.results": {"parts": COLLECTOR(LABELLED)},
    "plots.abstention": {"table": ABSTENTION, "ax": None},
    "plots.risk_coverage": {"table": RISKS, "ax": None},
    "plots.agreement": {"table": study.agreement("RBPT OIE", "AP RBP", QRELS, RUNS), "ax": None},
    "plots.calendar": {"ax": AXES, "table": pd.DataFrame({"news": [True], "a": [False]})},
    "plots.caption": {"ax": AXES, "data": "d", "topics": 1, "systems": 2},
    "plots.curve": {"curve": CURVE, "topic": "1", "measure": "AP", "ax": None},
    "plots.cuts": {"table": study.cuts("AP", QRELS, RUNS), "ax": None, "qrels": QRELS},
    "plots.example": {"table": study.example("RBPT"), "ax": None},
    "plots.lengths": {"table": study.best_cuts("AP", QRELS, RUNS), "ax": None},
    "plots.lines": {"series": study.example("RBPT"), "best": True, "ax": None},
    "plots.lists": {"rankings": RANKINGS, "title": "t", "longest": 5, "ax": None},
    "plots.nil": {"table": truncation.study.nil_report(RUNS["one"]).to_pandas(), "ax": None},
    "plots.policies": {"table": CROSS, "against": "length", "ax": None},
    "plots.recall_curve": {"runs": {"one": RANKINGS}, "D": 5, "rel": 1, "ax": None},
    "plots.scores": {"table": study.example("RBPT"), "ax": None},
    "plots.side_by_side": {"runs": {"one": RANKINGS}, "longest": 5, "ax": None},
    "plots.slope": {"before": BEFORE, "after": BEFORE * 1.1, "ax": None, "most_named": 30, "pairs": None,
     "alpha": 0.05},
}  # fmt: skip
CALLS |= {f"meta.{name}": given for name, (given, _) in examples().items()}
ARGUMENTS = [(name, argument) for name, given in CALLS.items() for argument in given]
ODD = VALUES | CONTAINERS


def function_of(name: str) -> Callable[..., object]:
    owner, *rest = name.split(".")
    return reduce(getattr, rest, globals()[owner] if owner in globals() else getattr(ir_trunc, owner))


def called(name: str, /, **changes: object) -> None:
    result = function_of(name)(**CALLS[name] | changes)
    if isinstance(result, Iterator):
        list(result)


@contextlib.contextmanager
def empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("cuts").write_text("1\t3\n")
            REFERENCE.save("reference")
            MATRIX.save("matrix")
            truncation.Fixed(3).save("stop.json")
            Path("data", "runs").mkdir(parents=True)
            Path("data", "qrels.txt").write_text("1 0 a 1\n")
            yield
        finally:
            os.chdir(before)


def outcome(name: str, argument: str, value: object) -> BaseException | None:
    """What a call raises that it must not raise, or None."""
    with empty_folder(), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", IrTruncWarning)
        try:
            called(name, **{argument: value})
        except IrTruncError as error:
            return None if str(error) and "\n" not in str(error) else error
        except (OSError, OwnError):
            return None
        except Exception as error:
            return error
    return None


@given(st.sampled_from(ARGUMENTS), st.sampled_from(sorted(ODD)), st.sampled_from(sorted(WRAPPINGS)))
@example(("calc", "qrels"), "numpy 0-d", "as a value")
@example(("calc", "columns"), "pandas NA", "as a key")
@example(("plots.caption", "topics"), "numpy int", "alone")
@example(("truncation.policy_from_dict", "data"), "pandas NA", "as a key")
@example(("GAP.keep", "items"), "memoryview", "alone")
@example(("GAP.keep", "items"), "range", "alone")
@example(("GAP.keep", "items"), "numpy 2-d", "alone")
@example(("GAP.keep", "score"), "class", "alone")
@example(("SHORT.fit", "measure"), "10^5000", "alone")
@example(("RISK.fit", "measure"), "Decimal sNaN", "as scores of a frame")
@example(("truncation.Given", "cuts"), "10^5000", "as a key")
@example(("truncation.write_cuts", "cuts"), "10^5000", "as a value")
@example(("answers.abstention_curve", "confidence"), "numpy 0-d", "alone")
@example(("FITTED.monitor", "run"), "1e308", "as scores of a frame")
@example(("WSS", "D"), "frame with a column twice", "alone")
@example(("WSS", "D"), "10^5000", "as a key")
@example(("SWAPS.sensitivity", "limit"), "1e308", "alone")
@example(("plots.lines", "series"), "10^5000", "as a key")
@example(("with_terminal", "run"), "1e308", "as a score")
@example(("how_many", "labels"), "5", "by rank")
@example(("Rankings.concat", "pieces"), "None", "in a list")
@example(("LISTS.cut", "depth"), "masked", "in a list")
@example(("Rankings.from_arrays", "topics"), "10^5000", "in a list")
@example(("LISTS.take", "positions"), "[]", "behind a good one")
@example(("how_many", "cost"), "frame", "alone")
@example(("calc", "run"), "numpy objects", "alone")
@example(("calc", "qrels"), "numpy records", "alone")
@example(("calc", "withheld"), "Arrow chunks", "alone")
@example(("rank", "qrels"), "Arrow chunks", "as a value")
@example(("COLLECTOR", "table"), "Series", "alone")
@example(("COLLECTOR.stream", "batches"), "numpy 0-d", "alone")
@example(("COLLECTOR.stream", "batches"), "frame with a column twice", "alone")
@example(("COLLECTOR.stream", "batches"), "10^5000", "as scores of a frame")
@example(("COLLECTOR.stream", "batches"), "Series", "in a list")
@example(("plots.example", "table"), "frame of two levels", "alone")
@settings(max_examples=CASES)
def test_whatever_an_argument_is_the_answer_is_a_result_or_an_error_that_speaks(argument, odd, wrapping):
    value = WRAPPINGS[wrapping](ODD[odd]())
    error = outcome(*argument, value)
    if error is not None:
        raise AssertionError(f"{argument[0]}({argument[1]}={odd}, {wrapping}): {error!r}") from error


@pytest.mark.full
def test_the_calls_are_right_and_four_threads_leave_filters_numpys_errors_and_the_locale(monkeypatch):
    """pandas and matplotlib enter `catch_warnings` themselves: here they take turns."""
    turn, filters = threading.RLock(), warnings.catch_warnings
    enter, leave = filters.__enter__, filters.__exit__

    def entered(self):
        caller = sys._getframe(1).f_globals["__name__"]
        assert not caller.startswith("ir_trunc."), f"{caller} enters catch_warnings"
        turn.acquire()
        return enter(self)

    def left(self, *error):
        leave(self, *error)
        turn.release()

    def call(name: str) -> dict[str, str]:
        try:
            called(name)
        except Exception as error:
            raise AssertionError(name) from error
        return np.geterr()

    def state() -> object:
        return list(warnings.filters), warnings.showwarning, locale.setlocale(locale.LC_ALL)

    names = [name for name in CALLS for _ in range(2)]
    warnings.simplefilter("ignore", IrTruncWarning)
    monkeypatch.setattr(filters, "__enter__", entered)
    monkeypatch.setattr(filters, "__exit__", left)
    before = state()
    with empty_folder(), ThreadPoolExecutor(4) as threads:
        assert [*threads.map(call, names)] == [np.geterr()] * len(names)
    assert state() == before


def public(module: object) -> dict[str, Callable[..., object]]:
    """The functions of a module that has no __all__ are those that it defines."""
    listed = getattr(module, "__all__", None)
    found = {name: getattr(module, name) for name in listed or vars(module) if not name.startswith("_")}
    own = {name: thing for name, thing in found.items() if inspect.isfunction(thing)}
    return (
        own if listed else {name: thing for name, thing in own.items() if thing.__module__ == module.__name__}
    )


@pytest.mark.parametrize(
    "module", [ir_trunc, truncation, study, meta, arrow, plots], ids=lambda module: module.__name__
)
def test_the_law_knows_every_public_function_and_argument(module):
    calls = [(function_of(name), set(given)) for name, given in CALLS.items()]
    functions = {function: given for function, given in calls if inspect.isfunction(function)}
    for name, function in public(module).items():
        parameters = inspect.signature(function).parameters.values()
        assert function in functions or not parameters, name
        asked = {p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
        assert asked <= functions.get(function, set()), name
