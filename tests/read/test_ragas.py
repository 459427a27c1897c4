"""Samples of ragas as runs and as qrels."""

from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pytest

pl = pytest.importorskip("polars")

import ir_trunc

SAMPLES = [
    {"user_input": "who?", "retrieved_context_ids": ["a", "x"], "reference_context_ids": ["a"]},
    {"user_input": "when?", "retrieved_context_ids": [], "reference_context_ids": []},
]
RUN, QRELS = {"who?": ["a", "x"], "when?": []}, {"who?": {"a": 1}, "when?": {}}


@pytest.mark.parametrize("data", [
    SAMPLES, pd.DataFrame(SAMPLES), pl.DataFrame(SAMPLES), pa.Table.from_pylist(SAMPLES),
    SimpleNamespace(samples=[SimpleNamespace(**sample) for sample in SAMPLES]),
], ids=["dicts", "pandas", "polars", "pyarrow", "objects"])  # fmt: skip
def test_samples_are_a_run_and_qrels(data):
    results = ir_trunc.calc("RBPT AP c@1", data, data)
    assert results.aggregated == ir_trunc.calc_aggregate("RBPT AP c@1", QRELS, RUN)
    assert set(results.topics) == {*QRELS}


@pytest.mark.parametrize(("sample", "message"), [
    ({"user_input": "who?", "retrieved_contexts": ["text"]}, "item 1: .* list at retrieved_context_ids"),
    (SAMPLES[0], "item 1: topic who. is in an item before"),
    ({"retrieved_context_ids": ["a"]}, "item 1: user_input, and .* it has: retrieved_context_ids"),
])  # fmt: skip
def test_samples_without_ids_or_twice_are_refused(sample, message):
    with pytest.raises(ir_trunc.InputError, match=message):
        ir_trunc.read_run([SAMPLES[0], sample])
