"""Why a topic has its score: the table adds up to the printed score, and each odd case has a line."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from generated import ALL, in_sessions, queries, rankings_of, settings_of
from messages import refused

import ir_trunc
from ir_trunc import InputError, UnknownMeasureError, calc
from ir_trunc._explanation import explained
from ir_trunc.measures.declaration import CUTOFF

QRELS = {"1": {"a": 1, "c": 1}, "2": {}, "3": {"d": 1, "e": 1}, "4": {"x": 0}}
RUN = {"1": {"a": 3.0, "b": 2.0}, "2": {"x": 1.0}, "3": {}, "4": {"x": 1.0}}
LISTS = rankings_of(in_sessions(queries(seed=3, count=7, longest=12)))


def adds_up(definition, change):
    """The law: the last score is the printed one, changes add up to it, and so on for each list."""
    bound = definition.bind(change)
    found = [explained(definition.name, bound, LISTS, place) for place in range(len(LISTS))]
    printed = bound.score(LISTS)
    if definition.scope == "run":
        assert np.mean([each.influence for each in found]) == pytest.approx(printed.mean(), abs=1e-12)
        printed = np.full(len(LISTS), printed.mean())
    for place, (each, score) in enumerate(zip(found, printed)):
        assert each.score == pytest.approx(score, abs=1e-12)
        if "score" in each.table:
            assert each.table["score"].iloc[-1] == pytest.approx(score, abs=1e-12)
            assert each.table["change"].sum() == pytest.approx(score, abs=1e-12)
            for depth in each.table.index:
                lengths = LISTS.lengths.copy()
                lengths[place] = depth
                cut = bound.score(LISTS.cut(lengths))
                expected = cut.mean() if definition.scope == "run" else cut[place]
                assert each.table["score"][depth] == pytest.approx(expected, abs=1e-12), depth
        length = int(LISTS.lengths[place])
        if each.end is not None and bound.cutoff is None:
            goes_on = definition.bind({**change, CUTOFF: length}).score(LISTS)[place] if length else 0.0
            assert each.end == pytest.approx(score - goes_on, abs=1e-12)


@pytest.mark.parametrize("some", [slice(3), pytest.param(slice(3, None), marks=pytest.mark.weekly)])
@pytest.mark.parametrize("definition", ALL, ids=lambda definition: definition.name)
def test_explanations_add_up(definition, some):
    for change in settings_of(definition)[some]:
        adds_up(definition, change)


def test_the_table_has_documents_grades_gains_scores_and_changes():
    table = calc("RBPT", QRELS, RUN).explain("1").to_pandas()
    assert table["document"].tolist() == ["", "a", "b"]
    expected = pd.DataFrame(
        {"grade": [np.nan, 1, np.nan], "gain": [np.nan, 1, 0], "score": [0, 0.6, 0.52]}, table.index
    )
    pd.testing.assert_frame_equal(table[["grade", "gain", "score"]], expected.astype(float))


@pytest.mark.parametrize(("measures", "topic", "options", "line"), [
    ("RBPT", "1", {}, "Of this score, the end of the list is worth 0.3200: a list that went on"),
    ("RBPT", "2", {}, "Without judgments, it is a nil query: the empty list is right."),
    ("RBPT", "4", {}, "Nothing is relevant (a nil query): the empty list is right."),
    ("RBPT", "3", {}, "The list is empty: all of this score, 0.0000, is what its end is worth."),
    ("RBPT@2", "1", {}, "The list fills the cutoff, so that its end does not count."),
    ("RBPT@1", "1", {}, "Below the cutoff @1, where nothing changes the score: 1 document."),
    ("RBPT", "1", {}, "Not judged (-), which counts as not relevant: 1 document."),
    ("SetP", "1", {"depth": 1}, "The list is cut at 1 document, as depth= says."),
    ("c@1", "1", {}, "Over the 4 topics, the mean of the influence is the score."),
    ("RBPT", "1", {}, "The best end would be after 1 document: 0.6000."),
])  # fmt: skip
def test_each_odd_case_has_a_line(measures, topic, options, line):
    assert any(words.startswith(line) for words in calc(measures, QRELS, RUN, **options).explain(topic).lines)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_ties_keys_missing_topics_and_withheld_documents_have_a_line():
    tied = {"1": {"a": 1.0, "b": 1.0}, "2": {}}
    lines = calc("RBPT", QRELS, tied, ties="expected").explain("1").lines
    assert "2 documents have the same score as a neighbour; ids decide their order." in lines
    assert "The printed score, 0.5000, is the mean over all orders of tied documents." in lines
    lines = calc("RBPT", QRELS, tied).explain("3").lines
    assert "The topic has no rows in the run, which counts as the empty list." in lines
    lines = calc("RBPT", QRELS, RUN, withheld={"1": ["b"]}).explain("1").lines
    assert "Withheld from the list before ranks were given: 1 document." in lines
    nested = {"s/q/mon": {"a": 1}, "s/q/tue": {}, "s/r/mon": {}, "t/q/mon": {}}
    results = calc("RBPT c@1", nested, {"s/q/mon": ["a"]}, keys="topic/question/day")
    weight = "The list has a weight of 0.1250 in the mean of the run over 2 topics."
    assert weight in results.explain("s/q/mon").lines
    influences = [results.explain(key, "c@1").influence for key in results.topics]
    assert np.mean(influences) == pytest.approx(results.aggregated["c@1"], abs=1e-12)


@pytest.mark.parametrize("form", ["dict", "file", "frame", "rows", "stream", "rankings"])
def test_ids_are_those_of_the_run_in_any_form(form, tmp_path):
    (tmp_path / "my.run").write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 x 1 1 t\n")
    rows = [("1", "b", 2.0), ("1", "a", 3.0), ("2", "x", 1.0)]
    run = {
        "dict": RUN,
        "file": tmp_path / "my.run",
        "frame": pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]),
        "rows": ir_trunc.read_run(rows),
        "stream": iter(rows),
        "rankings": ir_trunc.rank(QRELS, RUN),
    }[form]
    given = {} if form == "rankings" else {"missing": "empty"}
    results = calc("AP", None if form == "rankings" else QRELS, run, **given)
    explanation = results.explain("1")
    if form in ("stream", "rankings"):
        assert "document" not in explanation.table
        assert "Ids of documents are not known" in str(explanation)
    else:
        assert explanation.table["document"].tolist() == ["", "a", "b"]
    assert pickle.loads(pickle.dumps(results)).explain("1").score == explanation.score


def test_a_run_that_changed_is_refused_and_so_are_other_topics_and_measures():
    run = {topic: dict(docs) for topic, docs in RUN.items()}
    results = calc("AP NumRet", QRELS, run)
    run["1"] = {"b": 1.0, "a": 0.5}
    refused(InputError, "topic 1: it has changed since it was scored; score it again", results.explain, "1")
    refused(InputError, "topic 'q' is not among the 4 topics, '1' for example", results.explain, "q")
    refused(UnknownMeasureError, "have no measure RBPT", results.explain, "1", "RBPT")
    with pytest.raises(UnknownMeasureError, match="NumRet is not computed by ir_trunc: it has no curve"):
        results.explain("1", "NumRet")


def test_long_lists_print_the_top_relevant_documents_and_the_end():
    run = {"1": {f"d{n:03}": -n for n in range(1000)} | {"c": -700.5}}
    explanation = calc("RBPT", QRELS, run, missing="empty").explain("1")
    assert len(str(explanation).splitlines()) < 30
    assert "989 ranks without a relevant document left out here." in str(explanation)
    assert "\n702         c " in str(explanation)
    assert len(explanation.to_pandas()) == 1002
    assert "989 ranks" in explanation._repr_html_()


def test_it_draws_the_curve_the_relevant_documents_and_the_worth_of_the_end():
    assert calc("RBPT", QRELS, RUN).explain("1").plot().get_legend_handles_labels()[1] == [
        "best cut: 1 document, 0.600",
        "own end: 2 documents, 0.520",
        "relevant document",
        "worth of the end: 0.320",
    ]
    assert calc("c@1", QRELS, RUN).explain("1").plot().get_ylabel() == "c@1 of the run"
    with pytest.raises(ir_trunc.ParameterError, match="CWS has no score at each depth of one list"):
        calc("CWS", QRELS, RUN).explain("1").plot()


def test_the_command_explains_a_topic(tmp_path):
    (tmp_path / "my.run").write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 x 1 1 t\n3 Q0 __nil__ 1 0 t\n")
    (tmp_path / "my.qrels").write_text("1 0 a 1\n1 0 c 1\n2 0 z 0\n3 0 d 1\n")
    command = [sys.executable, "-m", "ir_trunc", "my.qrels", "-", "RBPT", "c@1", "--explain", "1"]
    with open(tmp_path / "my.run") as run:
        done = subprocess.run(command, cwd=tmp_path, stdin=run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "RBPT of topic 1: 0.5200" in done.stdout
    assert "c@1 of the whole run" in done.stdout
    assert "1           a     1" in done.stdout
