"""Wrong arguments: every public function returns a result or raises an error that says what would be right.

Every argument of every public function is replaced by values of wrong types and ranges (`odd_values`), while
the others are right. The outcome is a result, an IrTruncError, or an OSError about a file; what an object of
the user raises is passed on. IR_TRUNC_ODD_CASES sets how many cases are drawn.
"""

import contextlib
import dataclasses
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
import pyarrow as pa
import pytest

pytest.importorskip("matplotlib")

from calls import examples
from hypothesis import example, given, settings, strategies as st
from odd_values import CONTAINERS, VALUES, WRAPPINGS, OwnError

import ir_trunc
from ir_trunc import IrTruncError, IrTruncWarning, meta, truncation
from ir_trunc.adapters import arrow

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
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ADVICE = ir_trunc.how_many(QRELS, RUN, policies="Greedy", folds=2)
CUTS = {"1": 1, "2": 0, "4": 1}
GAP, GREEDY, NUCLEUS = truncation.LargestGap(), truncation.Greedy(), truncation.Nucleus(0.5)
SHORT, ORACLE = truncation.Fixed(2, at_most=1), truncation.Oracle("AP", at_least=1)
RISK, FITTED = truncation.RiskControlled("missed", 0.9), GAP.fit(ir_trunc.rank(*MANY), "RBPT")
READING = dict.fromkeys(("stop", "columns", "searches"))
READING |= {"order": "score", "duplicates": "error", "lower_is_better": False, "withheld": {"1": ["zz"]}}

LABELLED = pa.table({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "relevance": [1]})
COLLECTOR = arrow.scorer("AP", collect=True)


def parts(thing: object) -> dict[str, object]:
    """The arguments that a dataclass was made of."""
    return {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}


# Methods of the objects above, and classes, with arguments that are right; functions follow below.
CALLS = {
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
    "EVALUATOR.calc": {"run": RUN, "keep_scores": False},
    "EVALUATOR.curves": {"run": RUN},
    "RBPT": {"p": 0.5, "rel": 1, "cutoff": 10},
    "measure": {"source": "mine", "range": (0, 1), "cutoff": "optional", "scope": "list", "name": None,
     "aliases": (), "of_means": None, "influence": None},
    "WSS": {"r": 0.95, "D": {"1": 5}, "rel": 1},
    "NilRule": {"convention": "ends", "id": "NIL"},
    "ADVICE.plot": {"against": "length", "ax": None},
    "RISK.fit": {"rankings": RANKINGS, "measure": "RBPT"},
    "GAP": {"scores": [0.9, 0.5], "lower_is_better": False},
    "GAP.keep": {"items": [("a", 0.9), ("b", 0.5)], "score": None, "lower_is_better": False},
    "GAP.save": {"path": "out"},
    "GREEDY.fit": {"rankings": RANKINGS, "measure": "RBPT"},
    "GAP.cut": {"rankings": RANKINGS},
    "SHORT.cut": {"rankings": RANKINGS},
    "SHORT.fit": {"rankings": RANKINGS, "measure": "RBPT"},
    "ORACLE.cut": {"rankings": RANKINGS},
    "NUCLEUS.cut": {"rankings": RANKINGS},
    "FITTED.monitor": {"run": MANY[1], "alpha": 0.05} | READING,
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
    "COLLECTOR": {"table": LABELLED},
    "COLLECTOR.stream": {"batches": [LABELLED]},
    "COLLECTOR.results": {"parts": COLLECTOR(LABELLED)},
}  # fmt: skip
POLICIES = GAP, GREEDY, NUCLEUS, SHORT, ORACLE, RISK, truncation.ScoreThreshold(0.5), truncation.AdaptiveK()
POLICIES += truncation.ShareOfTop(0.5), truncation.Surprise(1.0), truncation.ScoreDistribution(0.5)
POLICIES += truncation.Learned(), truncation.Given(CUTS, "mine")
CALLS |= {f"truncation.{type(policy).__name__}": parts(policy) for policy in POLICIES}
for name in ("", ".adapters.arrow", ".answers", ".meta", ".plots", ".truncation", ".truncation.study"):
    CALLS |= {function: given for function, (given, _) in examples(f"ir_trunc{name}").items()}
CALLS["load_policy"]["path"] = "stop.json"  # that of the example is gone
CALLS["truncation.study.searches"]["keys"] = "question/search"  # which None does not stand for
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
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("my.cuts").write_text("1\t3\n")
        REFERENCE.save("reference")
        MATRIX.save("matrix")
        truncation.Fixed(3).save("stop.json")
        Path("data", "runs").mkdir(parents=True)
        Path("data", "qrels.txt").write_text("1 0 a 1\n")
        yield


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
@example(("calc_aggregate", "ties"), "frame", "alone")
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
