"""Wrapped runs of answers are what was scored: stock tools then find the same reciprocal ranks."""

import pytest
import pytrec_eval

from ir_trunc import calc, read_answers, with_terminal

CLASSES = {
    "1": [{"Paris": 2, "City of Light": 1}, {"London": 1, "Rome": 0}],
    "2": [],
    "3": [{"Oslo": 1}],
    "4": [],
    "5": [],
}
RUNS = [
    {
        "1": ["Rome", "the", "The Paris", "paris", "City of Light", "London"],
        "2": ["NIL"],
        "3": ["oslo", "Oslo"],
        "4": [],
    },
    {
        "1": ["x", "X", "London", "london"],
        "2": ["a", "NIL"],
        "3": ["NIL", "Oslo"],
        "4": ["nil", "NIL", "b"],
        "5": ["b", "B"],
    },
    {"1": ["Nil", "Paris"], "2": ["y"], "3": [], "5": ["NIL", "b", "nil"]},
]


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("nil", ["ends", "trec2001", "sakai", "document"])
@pytest.mark.parametrize("normalise", [None, "squad"])
@pytest.mark.parametrize("run", RUNS)
def test_trec_evals_reciprocal_rank_of_wrapped_answers_is_rrt(run, normalise, nil):
    qrels = read_answers(CLASSES, normalise, nil=nil)
    wrapped = with_terminal(qrels, run)
    assert not wrapped.run.duplicated(["query_id", "doc_id"]).any()
    judged: dict[str, dict[str, int]] = {}
    for topic, doc, grade in wrapped.qrels.itertuples(index=False):
        judged.setdefault(topic, {})[doc] = grade
    shown: dict[str, dict[str, float]] = {}
    for row in wrapped.run.itertuples(index=False):
        shown.setdefault(row.query_id, {})[row.doc_id] = row.score
    found = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank", "num_rel", "num_rel_ret"}).evaluate(shown)
    results = calc("RRT", qrels, run)
    expected = dict(zip(results.topics, results.values[0].tolist()))
    assert {topic: found[topic]["recip_rank"] for topic in expected} == pytest.approx(expected)
    assert found["1"]["num_rel"] == 2  # classes


def test_a_repeated_answer_is_marked_and_the_first_is_written_as_it_was_compared():
    wrapped = with_terminal(read_answers(CLASSES, "squad"), {"1": ["The Paris", "paris", "City of Light"]})
    docs = wrapped.run[wrapped.run["query_id"] == "1"]
    assert docs["doc_id"].tolist() == ["paris", "__again__2__paris", "__again__3__city of light", "__end__"]
    assert docs["gain"].tolist() == [1, 0, 0, 0.5]
    judged = wrapped.qrels[wrapped.qrels["query_id"] == "1"].set_index("doc_id")["relevance"]
    assert judged.to_dict() == {"paris": 2, "london": 1, "rome": 0, "__end__": 0}
