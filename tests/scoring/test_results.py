"""What results look like: printed, in a notebook, as pandas, by the text of a measure."""

import math
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from ir_measures import NumRet, P

from ir_trunc import AP, RBPT, RR, Rankings, UnknownMeasureError, calc, curves
from ir_trunc.typing import Results

QRELS = {str(number): {"a": 1} for number in range(30)}
RUN = {"3": {"a": 2.0, "b": 1.0}}


def test_results_print_their_means_and_unpack_as_those_of_ir_measures():
    results = calc("RBPT P@5", QRELS, RUN)
    means = "Results over 30 topics (RBPT: 0.0280, P@5: 0.0067)"
    assert " ".join(repr(results).split()) == f"{means}; 29 missing from the run"
    aggregated, per_query = results
    assert aggregated[RBPT] == aggregated["RBPT"] == aggregated["RBPT(p=0.8)"]
    assert len(per_query) == 60


def test_results_are_neither_a_pair_nor_a_list():
    """A length of 2 says nothing of the topics or the measures, and an index 0 nothing of what it gives."""
    results = calc("RBPT P@5", QRELS, RUN)
    with pytest.raises(TypeError):
        len(results)
    with pytest.raises(UnknownMeasureError, match="0 is int"):
        results[0]
    assert results


def test_scores_means_and_curves_are_looked_up_by_text_and_by_object_in_every_way():
    results, by_measure = (score("AP RBPT(p=0.5)", QRELS, RUN) for score in (calc, curves))
    means = results.aggregated
    for key in ("AP", AP, "MAP", "RBPT(p=0.5)", RBPT(p=0.5)):
        assert key in means
        assert means.get(key) == means[key]
        assert key in results
        assert by_measure[key].own().tolist() == results[key].tolist()
    for key in ("RR", RR, RBPT, "nothing of the kind", 5):
        assert key not in means
        assert means.get(key) is None
        assert means.get(key, 7) == 7
    with pytest.raises(KeyError, match=r"RR is not among the measures: AP, RBPT\(p=0\.5\)"):
        means[RR]


@pytest.mark.parametrize("measure", ["AP", "P@10", RR, "nonsense", None, [], 1.5])
def test_what_was_not_scored_is_refused_with_what_was(measure):
    results = calc("P@5 RBPT", QRELS, RUN)
    assert measure not in results
    with pytest.raises(UnknownMeasureError, match=r"P@5, RBPT|There is no measure|is an object or a text"):
        results[measure]


@settings(max_examples=50)
@given(st.lists(st.floats(-1e100, 1e100) | st.sampled_from([math.nan, -0.0, 5e-324]), max_size=50))
def test_means_and_sums_are_those_of_ir_measures_to_the_last_bit(values):
    """Added one after the other, in the order of the topics."""
    lists = Rankings.from_lists([[1]] * len(values))
    results = Results((RBPT, NumRet, P @ 5), lists, np.array([values] * 3, np.float64))
    for measure, mean in results.aggregated.items():
        aggregator = measure.aggregator()
        for value in values:
            aggregator.add(value)
        assert np.array(mean).tobytes() == np.array(aggregator.result()).tobytes()


def test_a_notebook_shows_a_table_and_says_what_it_leaves_out(monkeypatch):
    """Without jinja2, which pandas' styles would need."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    results = calc("RBPT P@5", QRELS, RUN)
    shown = results._repr_html_()
    assert "all 30 topics (10 more)" in shown
    assert "<th>RBPT</th>" in shown
    assert "0.8400" in shown
    assert "0.0280" in results.aggregated._repr_html_()


def test_results_become_pandas_in_one_step():
    assert calc("RBPT P@5", QRELS, RUN).to_pandas().loc["3"].round(2).tolist() == [0.84, 0.2]
    assert calc("RBPT", QRELS, RUN).aggregated.to_pandas().index.tolist() == ["RBPT"]
    of_topic_3 = curves("P@5", QRELS, RUN)[P @ 5].to_pandas().query("query_id == '3'")
    assert of_topic_3["value"].tolist() == [0, 0.2, 0.2]


def test_scores_become_an_arrow_table_from_arrow_tables():
    qrels = pa.table({"query_id": ["1", "2"], "doc_id": ["a", "b"], "relevance": [1, 1]})
    run = pa.table({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]})
    assert calc("P@1 AP", qrels, run).to_arrow().to_pylist() == [
        {"query_id": "1", "measure": "P@1", "value": 1.0},
        {"query_id": "2", "measure": "P@1", "value": 0.0},
        {"query_id": "1", "measure": "AP", "value": 1.0},
        {"query_id": "2", "measure": "AP", "value": 0.0},
    ]
