"""The topics that are scored: judged or not, in every form of qrels, and three views of the results."""

import math

import ir_measures
import pandas as pd
import pyarrow as pa
import pytest
from ir_measures import AP, Qrel
from messages import refused

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, calc, compare, rank, read_qrels, with_topics
from ir_trunc._read.rows import PLACEHOLDER

pl = pytest.importorskip("polars")
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUN = {"1": {"a": 2.0}, "3": {"z": 1.0}}
ROWS = [Qrel(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]


@pytest.fixture
def path(tmp_path):
    """A file of topics."""
    (tmp_path / "topics.txt").write_text("1\n2\n3\n4\n")
    return tmp_path / "topics.txt"


@pytest.mark.filterwarnings("ignore:.*nil queries")
def test_a_path_of_topics_is_read_wherever_topics_are_wanted(path, tmp_path, command):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 s\n")
    expected = ("1", "2", "3", "4")
    for topics in (path, str(path)):
        assert read_qrels({"1": {"a": 1}}, topics).judgments.topics == expected
        assert read_qrels(read_qrels({"1": {"a": 1}}), topics).judgments.topics == expected
        assert tuple(with_topics({"1": {"a": 1}}, topics)) == expected
        assert rank({"1": {"a": 1}}, {}, topics=topics).topics == expected
    words = (str(tmp_path / "qrels"), str(tmp_path / "run"), "RBPT", "-q", "-n", "--topics", str(path))
    status, out, err = command(*words)
    assert (status, len(out.splitlines())) == (0, 4)
    assert "for 3 of 4 topics (for example topic '2'); they count as nil queries" in err


@pytest.mark.parametrize("form", ["file", "list"])
def test_topics_that_the_topics_alone_have_are_counted_once(path, form):
    topics, source = (path, r"topics\.txt") if form == "file" else ([*"1234"], r"^topics \(list\)")
    what = rf"{source}: no judgments in qrels \(dict\) for 2 of 4 topics \(for example topic '3'\)"
    for call in (
        lambda: calc("AP", QRELS, RUN, topics=topics, missing="empty"),
        lambda: with_topics(QRELS, topics),
        lambda: compare("AP", QRELS, {name: {key: {} for key in "1234"} for name in "abc"}, topics=topics),
    ):
        with pytest.warns(IrTruncWarning, match=what) as caught:
            call()
        assert len(caught) == 1
    calc("AP", QRELS, {}, topics=["1", "2"])  # without a warning


def test_topics_that_share_no_id_with_qrels_get_a_warning_and_a_run_that_shares_none_an_error():
    said, none = "no judgments in qrels", "no topic of the run is in the qrels"
    with pytest.warns(IrTruncWarning, match=said), pytest.raises(InputError, match=none):
        calc("RBPT", QRELS, {"R1": ["a"]}, topics=["Q1", "Q2"], missing="empty")
    refused(InputError, none, calc, "RBPT", QRELS, {"Q1": ["a"]}, topics=["1", "2"])


def test_with_topics_knows_numbers_for_the_topics_that_they_are():
    assert with_topics({1: {"a": 1}, 2: {}}, ["1", "2"]) == {1: {"a": 1}, 2: {PLACEHOLDER: 0}}


@pytest.mark.filterwarnings("ignore:.*nil quer")
def test_topics_are_added_to_lists_of_relevant_documents():
    assert with_topics({"1": ["a"], "2": []}, ["1", "2", "3"]).judgments.topics == ("1", "2", "3")


@pytest.mark.filterwarnings("ignore:.*nil queries")
def test_unjudged_topics_are_nil_queries():
    results = calc("RBPT AP", QRELS, RUN, topics=["3", "4"])
    assert results.topics == ("1", "2", "3", "4")
    assert results.to_pandas()["RBPT"].round(2).tolist() == [1, 0, 0.8, 1]


FORMS = {
    "dict": QRELS,
    "named tuples": ROWS,
    "pandas": pd.DataFrame(ROWS),
    "PyTerrier": pd.DataFrame([row[:3] for row in ROWS], columns=["qid", "docno", "label"]),
    "pyarrow": pa.Table.from_pandas(pd.DataFrame(ROWS)),
    "polars": pl.DataFrame(pd.DataFrame(ROWS).to_dict("list")),
    "Qrels": read_qrels(QRELS),
    "plain tuples": [tuple(row[:3]) for row in ROWS],
    "records": [row._asdict() for row in ROWS],
    "dicts by topic": {"1": [{"id": "a", "relevance": 1}], "2": [{"id": "c", "relevance": 2}]},
}


@pytest.mark.filterwarnings("ignore:.*nil queries")
@pytest.mark.parametrize("form", FORMS)
def test_with_topics_in_every_form(form):
    larger = with_topics(FORMS[form], ["4", "2", "3"])
    expected = calc("RBPT c@1 OIE", QRELS, RUN, topics=["3", "4"])
    assert calc("RBPT c@1 OIE", larger, RUN).values.tobytes() == expected.values.tobytes()


@pytest.mark.filterwarnings("ignore:.*nil queries")
@pytest.mark.parametrize("form", ["dict", "named tuples", "pandas"])
def test_with_topics_is_ir_measures_input(form):
    larger = with_topics(FORMS[form], ["3", "4"])
    means = ir_measures.calc_aggregate([ir_trunc.RBPT, AP], larger, RUN)
    assert means == pytest.approx(calc("RBPT AP", QRELS, RUN, topics=["3", "4"]).aggregated)
    assert QRELS == {"1": {"a": 1, "b": 0}, "2": {"c": 2}}


def test_the_placeholder_is_neither_retrieved_nor_judged():
    qrels = {"1": {"a": 1}, "2": {PLACEHOLDER: 1}}
    run = {"1": {PLACEHOLDER: 9.0, "a": 1.0}, "2": {PLACEHOLDER: 1.0}}
    results = calc("RR RBPT SetP OIE(D=1)", qrels, run)
    assert results.rankings.lengths.tolist() == [1, 0]
    assert results.values[:3].tolist() == [[1, 0], [1, 1], [1, 0]]


def test_three_views_and_abstention():
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"x": 0}, "4": {}}
    results = calc("RBPT c@1", qrels, {"1": ["a"], "3": ["x"]})
    views = results.views()
    topics = {"all": ("1", "2", "3", "4"), "answerable": ("1", "2"), "nil": ("3", "4")}
    assert {name: view.topics for name, view in views.items()} == topics
    assert views["nil"].aggregated["RBPT"] == pytest.approx((0.8 + 1) / 2)
    assert views["answerable"].aggregated["c@1"] == 1 / 2 + 1 / 2 * 1 / 2  # over these questions alone
    silence = results.abstention
    assert (silence.silent, silence.nil, silence.rightly) == (2, 2, 1)
    assert (silence.precision, silence.recall) == (0.5, 0.5)


@pytest.mark.parametrize("qrels", [
    {"q": {"a": 0.5, "b": 1.0, "c": 0.0}},  # a page that answers a question in part, as in ViDoRe
    {"q": {"a": 3.2, "b": 5.0, "c": 0.75}, "r": {"a": 0.25}},  # similarities of sentences, from 0 to 5
])  # fmt: skip
def test_fractional_grades_are_refused_with_the_line_that_scales_them(qrels, tmp_path):
    run = {"q": {"c": 3.0, "b": 2.0, "a": 1.0}, "r": {"a": 1.0}}
    path = tmp_path / "qrels"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    frame = pd.DataFrame([(q, d, g) for q, docs in qrels.items() for d, g in docs.items()])
    for data in (qrels, path, frame.set_axis(["qid", "docno", "label"], axis=1)):
        with pytest.raises(InputError, match=r"not a whole number.*makes fractions whole; rel=50") as refused:
            calc("nDCGT", data, run)
    line = str(refused.value).partition("{q: ")[2].partition(" makes")[0]
    scaled = eval(f"{{q: {line}", {"qrels": qrels})
    scores = calc("nDCGT SetP(rel=50)", scaled, {q: run[q] for q in qrels})
    gains = [qrels["q"][doc] for doc in run["q"]]

    def dcg(gains):
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))

    best = sorted(filter(None, gains), reverse=True)
    expected = dcg([*gains, best[-1]]) / dcg([*best, best[-1]])  # Liu et al., of the fractions themselves
    assert scores.values[0, 0] == pytest.approx(expected)
    assert scores.values[1, 0] == pytest.approx(sum(gain >= 0.5 for gain in gains) / 3)


def test_a_judgment_that_is_there_twice_counts_once_and_contradictions_are_refused(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n1 0 b 0\n1 0 a 1\n1 0 a 1\n")
    for data in (path, [("1", "a", 1), ("1", "b", 0), ("1", "a", 1), ("1", "a", 1)]):
        with pytest.warns(IrTruncWarning, match=r"2 judgments are .*topic 1, document a\), and count once"):
            assert read_qrels(data).to_dict() == {"1": {"a": 1, "b": 0}}
    path.write_text("1 0 a 1\n1 0 a 1\n1 0 a 2\n")
    refused(InputError, "document a: it is judged twice", read_qrels, path)
