"""PyTerrier: experiments, and policies in pipelines. No Java."""

import doctest
import os
import pickle
import pydoc
import re
import warnings
from contextlib import nullcontext
from functools import partial
from importlib import metadata, resources
from pathlib import Path

import pandas as pd
import pytest
from faulty import python
from ir_measures import AP, calc_aggregate, define_byquery, nDCG
from messages import refused

pt = pytest.importorskip("pyterrier")

import ir_trunc
from ir_trunc import (
    InputError,
    IrTruncWarning,
    ParameterError,
    calc,
    parse_measure,
    rank,
    read_qrels,
    read_run,
)
from ir_trunc.adapters import pyterrier as adapter
from ir_trunc.adapters.pyterrier import experiment
from ir_trunc.synthetic import generated

pytestmark = pytest.mark.filterwarnings("ignore")

TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["a", "b", "c"]})
QRELS = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [2, 1]})
RESULTS = pd.DataFrame(
    [("1", "a", "a", 2.0, 0), ("1", "a", "z", 1.0, 1), ("3", "c", "y", 1.0, 0)],
    columns=["qid", "query", "docno", "score", "rank"],
)
NOTHING = RESULTS.iloc[:0]


def test_topics_without_judgments_and_systems_that_return_nothing():
    measures, systems = "RBPT(p=0.5) c@1 OIE nDCG@10 AP", {"some": RESULTS, "nothing": NOTHING}
    table = experiment(systems, TOPICS, QRELS, measures, unjudged="nil")
    assert list(table.columns) == ["name", *measures.split()]
    for row, (name, run) in zip(table.values.tolist(), systems.items()):
        means = calc(measures, QRELS, run, topics=TOPICS).aggregated.values()
        assert row == [name, *map(pytest.approx, means)]


@pytest.mark.parametrize(("how", "wrap", "options"), [
    ("terminal", ir_trunc.with_terminal, {"terminal": "full", "depth": 3}),
    ("effort", ir_trunc.with_effort, {"e": 0.1}),
])  # fmt: skip
def test_wrapping_is_a_step(how, wrap, options):
    step = pt.truncation.Wrap(how, QRELS, **options)
    found, expected = (pt.Transformer.from_df(RESULTS) >> step)(TOPICS), wrap(QRELS, RESULTS, **options)
    table = expected.run.to_pandas().rename(columns={"query_id": "qid", "doc_id": "docno"})
    assert found[[*table]].equals(table.assign(rank=table["rank"] - 1))
    assert set(found["query"]) == {"a"}
    with pytest.raises(InputError, match="__end__ documents already") if how == "terminal" else nullcontext():
        step(found)


def test_by_query_and_against_a_baseline():
    by_query = experiment([RESULTS], TOPICS, QRELS, "RBPT", unjudged="nil", names=["some"], perquery=True)
    assert by_query.set_index("qid")["value"].round(3).to_dict() == {"1": 0.689, "2": 1.0, "3": 0.8}
    table = experiment(
        [RESULTS, NOTHING], TOPICS, QRELS, "RBPT AP", names=["a", "b"], baseline=0, correction="holm"
    )
    assert [column for column in table if column.startswith("RBPT")] == [
        f"RBPT{what}" for what in ("", " +", " -", " p-value", " reject", " p-value corrected")
    ]


CALLS = [
    {"eval_metrics": ["map", "P_5", "ndcg_cut_10", "recip_rank", AP, nDCG @ 5]},
    {"eval_metrics": ["P"], "round": 3},
    {"eval_metrics": ["official"]},
    {"eval_metrics": ["set", "recall"]},
    {"eval_metrics": ["map", "P.5"], "round": {"map": 1}, "verbose": False},
    {"eval_metrics": ["map", "num_q"], "perquery": True},
    {"eval_metrics": ["map", "P_5"], "perquery": True, "round": 1, "topics": TOPICS},  # 2 is unjudged
    {"eval_metrics": ["map", nDCG @ 10], "perquery": "both", "round": 2},
    {"eval_metrics": ["map", "P_5"], "baseline": 0, "correction": "holm", "test": "wilcoxon"},
    {"eval_metrics": [define_byquery(lambda qrels, run: float(run.text.str.len().sum()), name="chars",
                                     run_inputs=["query_id", "doc_id", "score", "text"])]},
]  # fmt: skip


@pytest.mark.parametrize("options", CALLS)
def test_a_call_of_pt_Experiment_gives_the_same_columns_and_values(options):
    """The order of columns is that of the measures; in pt.Experiment it follows from its providers."""
    topics, results = TOPICS[TOPICS.qid.isin(["1", "3"])], RESULTS.assign(text=["a", "bb", "ccc"])
    qrels = pd.concat([QRELS, pd.DataFrame({"qid": ["3"], "docno": ["y"], "label": [1]})])
    options = {"retr_systems": {"a": results, "b": results[1:]}, "topics": topics, "qrels": qrels} | options
    theirs, ours = pt.Experiment(**options, validate="ignore"), experiment(**options)
    if options.get("perquery") != "both":
        theirs, ours = [theirs], [ours]
    for their_table, our_table in zip(theirs, ours):
        rows = [column for column in ("name", "qid", "measure") if column in our_table]
        pd.testing.assert_frame_equal(
            our_table.sort_values(rows, ignore_index=True),
            their_table.sort_values(rows, ignore_index=True),
            check_like=True,
        )


def test_topics_and_judgments_may_be_files_that_pyterrier_reads(tmp_path):
    topics, qrels = str(tmp_path / "topics.trec"), str(tmp_path / "qrels")
    tops = (f"<top>\n<num>{qid}</num><title>{query}</title>\n</top>\n" for qid, query in TOPICS.values)
    (tmp_path / "topics.trec").write_text("".join(tops))
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 1\n")
    theirs = pt.Experiment([RESULTS], topics, qrels, [AP], names=["a"], validate="ignore")
    pd.testing.assert_frame_equal(experiment([RESULTS], topics, qrels, [AP], names=["a"]), theirs)
    with pytest.raises(InputError, match="qrels of type str: a DataFrame is needed"):
        experiment([RESULTS], TOPICS, f"{qrels}.gz", [AP])


def test_values_of_topics_without_judgments_are_nan_and_belong_to_no_mean():
    asked = [RESULTS], TOPICS, QRELS, "AP P@5"
    averages, by_query = experiment(*asked, names=["a"], perquery="both")
    assert averages["AP"].tolist() == [0.5]
    values = by_query.pivot(index="qid", columns="measure", values="value")
    assert values.isna().all(axis=1).to_dict() == {"1": False, "2": True, "3": True}
    for unjudged, topics in ("exclude", ["1"]), ("nil", ["1", "2", "3"]):
        by_query = experiment(*asked, perquery=True, unjudged=unjudged)
        assert by_query["qid"].unique().tolist() == topics
        assert by_query["value"].notna().all()
    views = experiment(*asked, perquery=True, views=True)
    assert views.loc[views["value"].isna(), ["queries", "qid"]].drop_duplicates().values.tolist() == [
        ["all", "2"], ["all", "3"]
    ]  # fmt: skip


def test_documents_that_are_withheld_leave_results_and_judgments_and_judged_topics_stay():
    systems, options = {"a": RESULTS, "b": RESULTS[:2]}, {"perquery": True, "unjudged": "exclude"}
    with pytest.warns(IrTruncWarning, match="withheld: 2 documents left the results of 2 systems"):
        table = experiment(systems, TOPICS, QRELS, "RBPT AP", withheld={"1": ["z"]}, **options)
    left = {name: frame[frame["docno"] != "z"] for name, frame in systems.items()}
    pd.testing.assert_frame_equal(table, experiment(left, TOPICS, QRELS, "RBPT AP", **options))
    table = experiment(systems, TOPICS, QRELS, "RBPT", withheld={"1": ["a", "b", "z"]}, **options)
    assert table["value"].tolist() == [1, 1]  # nothing is relevant to topic 1, and the list is empty


def test_measures_of_the_whole_run_are_not_tested_and_the_others_are():
    systems = {"a": RESULTS, "b": NOTHING}
    alone = experiment(systems, TOPICS, QRELS, "RBPT", baseline="a")
    with pytest.warns(IrTruncWarning, match=r"c@1: not tested against the baseline"):
        table = experiment(systems, TOPICS, QRELS, "RBPT c@1", baseline="a")
    assert list(table.columns) == [*alone.columns, "c@1"]
    assert list(experiment(systems, TOPICS, QRELS, "c@1", baseline="a").columns) == ["name", "c@1"]
    pd.testing.assert_frame_equal(table[alone.columns], alone)


def test_pt_Experiment_warns_of_tests_and_batches_of_measures_of_the_whole_run():
    run = partial(pt.Experiment, [RESULTS, RESULTS[1:]], TOPICS.head(1), QRELS, names=["a", "b"])
    assert "RBPT p-value" in run([parse_measure("RBPT"), AP], baseline=0)
    with pytest.warns(
        IrTruncWarning, match=r"^c@1: .* p values \(baseline=\) and batches \(batch_size=\) of"
    ):
        run([parse_measure("c@1"), AP], baseline=0)


@pytest.mark.parametrize("option", [{"save_dir": "."}, {"save_mode": "reuse"}, {"save_format": pickle}])
def test_results_are_saved_by_what_the_error_says(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    system, topics = pt.Transformer.from_df(RESULTS.drop(columns="query")), TOPICS
    with pytest.raises(ParameterError, match=next(iter(option))) as refused:
        experiment({"a": system}, topics, QRELS, "RBPT AP", **option)
    write, read = re.findall(r"pt\.io\.\w+\(.*?\.gz'\)", str(refused.value))
    eval(write, {"pt": pt, "system": system, "topics": topics})
    table = experiment({"a": eval(read, {"pt": pt})}, topics, QRELS, "RBPT AP")
    pd.testing.assert_frame_equal(table, experiment({"a": system}, topics, QRELS, "RBPT AP"))


@pytest.mark.parametrize(("measure", "best_of"), [("RBPT", max), (AP, max), ("ETC", min)])
def test_grid_search_finds_the_setting_that_is_best_by_hand(measure, best_of):
    cut, retriever, values = pt.truncation.Fixed(k=3), pt.Transformer.from_df(RESULTS), [0, 1, 2, 3]
    pipeline, grid = retriever >> cut, {cut: {"k": values}}
    systems = [retriever >> pt.truncation.Fixed(k=k) for k in values]
    means = experiment(systems, TOPICS, QRELS, measure)[str(measure)].tolist()
    best = best_of(means)
    found = pt.truncation.grid_search(pipeline, grid, TOPICS, QRELS, measure, return_type="best_setting")
    assert found == (best, [(cut, "k", values[means.index(best)])])
    assert cut.policy.k == 3
    assert pt.truncation.grid_search(pipeline, grid, TOPICS, QRELS, measure) is pipeline
    assert cut.policy.k == values[means.index(best)]


def test_baselines_by_name_other_tests_rounding_and_a_bar(capsys):
    systems = {"a": RESULTS, "b": NOTHING}
    by_place = experiment(systems, TOPICS, QRELS, "RBPT AP", baseline=1, test="wilcoxon", round={"RBPT": 2})
    by_name = experiment(systems, TOPICS, QRELS, "RBPT AP", baseline="b", test="wilcoxon", round={"RBPT": 2})
    pd.testing.assert_frame_equal(by_place, by_name)
    assert by_place["RBPT"].tolist() == by_place["RBPT"].round(2).tolist()
    own = experiment(systems, TOPICS, QRELS, "RBPT", baseline="b", test=lambda one, other: (0.0, 0.125))
    assert own["RBPT p-value"].tolist()[0] == 0.125
    assert capsys.readouterr().err == ""
    experiment(systems, TOPICS, QRELS, "RBPT", verbose=True)
    assert "2/2" in capsys.readouterr().err


def test_batches_do_not_change_measures_of_the_whole_run_nor_the_scale_of_grades():
    system = pt.Transformer.from_df(RESULTS.drop(columns="query"))
    whole = experiment([system], TOPICS, QRELS, "RBPT c@1", names=["x"])
    in_batches = experiment([system], TOPICS, QRELS, "RBPT c@1", names=["x"], batch_size=1)
    pd.testing.assert_frame_equal(whole, in_batches)


@pytest.mark.parametrize(("measures", "options", "error", "message"), [
    (["mrt", "RBPT"], {}, ir_trunc.UnknownMeasureError, "'mrt' is the time a system takes"),
    ("RBTP", {}, ir_trunc.UnknownMeasureError, "Did you mean RBPT"),
    ("RBPT", {"precompute_prefix": True}, ParameterError, "precompute_prefix=True .* are run"),
    ("RBPT", {"plan": "tree"}, ParameterError, "plan='tree' is for .* how systems are run"),
    ("RBPT", {"highlight": "bold"}, ParameterError, "highlight='bold' is for .*: use the style of"),
    ("RBPT", {"dataframe": False}, ParameterError, "the result is always a DataFrame"),
    ("RBPT", {"validate": "error"}, ParameterError, "validate='error' is for .* as ir_trunc.calc"),
    ("RBPT", {"filter_by_qrels": True}, ParameterError, "decides about topics without judgments"),
    ("RBPT", {"filter_by_topics": False}, ParameterError, "the topics are those that are scored"),
    ("RBPT", {"perquery": "all"}, ParameterError, "perquery='all': True or False is needed"),
    ("RBPT", {"baseline": 1}, ParameterError, "baseline=1 is out of range"),
    ("RBPT", {"baseline": "b"}, ParameterError, "baseline='b': the systems are results 1"),
    ("RBPT", {"baseline": 0, "perquery": True}, ParameterError, "baseline tests means"),
    ("RBPT", {"baseline": 0, "test": "T"}, ParameterError, "test='T': 't', 'wilcoxon' or a function"),
    ("RBPT", {"correction": "holm"}, ParameterError, "correction='holm' corrects tests"),
    ("RBPT", {"baseline": 0, "correction_alpha": 2}, ParameterError, "alpha=2 is out of range"),
    ("RBPT", {"round": -1}, ParameterError, "round=-1 is out of range"),
    ("RBPT", {"round": {"RBPT": 1.5}}, ParameterError, r"round\[RBPT\]=1.5 is out of range"),
    ("RBPT", {"round": {"RBPT": 1}, "perquery": True}, ParameterError, "round by measure is for means"),
    ("RBPT", {"verbose": "yes"}, ParameterError, "verbose='yes': True or False is needed"),
    ("RBPT", {"names": ["x", "y"]}, ParameterError, "2 names for 1 systems"),
])  # fmt: skip
def test_what_would_be_wrong_is_refused(measures, options, error, message):
    refused(error, message, experiment, [RESULTS], TOPICS, QRELS, measures, **options)


FORMS = {
    "numbers in the results": lambda t, q, r: (t, q, r.astype({"qid": int})),
    "numbers in the topics": lambda t, q, r: (t.astype({"qid": int}), q, r),
    "numbers in the qrels": lambda t, q, r: (t, q.astype({"qid": "Int64"}), r),
    "numbers everywhere": lambda *frames: tuple(frame.astype({"qid": int}) for frame in frames),
    "categories": lambda t, q, r: (t, q, r.astype({"qid": "category", "docno": "category"})),
    "whole labels as floats": lambda t, q, r: (t, q.astype({"label": float}), r),
    "names of ir-measures": lambda t, q, r: (
        t.rename(columns={"qid": "query_id"}),
        q.set_axis(["query_id", "doc_id", "relevance"], axis=1),
        r.rename(columns={"qid": "query_id", "docno": "doc_id"}),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_ids_and_labels_mean_what_they_mean_to_calc(form):
    """A result frame with numbers as qids made every list silent."""
    topics, qrels, results = FORMS[form](TOPICS, QRELS, RESULTS)
    expected = calc("AP RBPT", QRELS, RESULTS, topics=TOPICS).aggregated.values()
    row = experiment({"x": results}, topics, qrels, "AP RBPT", unjudged="nil").iloc[0].tolist()
    assert row == ["x", *map(pytest.approx, expected)]


REFUSED = {
    "a missing qid in the results": lambda t, q, r: (t, q, r.assign(qid=["1", None, "3"])),
    "a missing qid in the topics": lambda t, q, r: (t.assign(qid=["1", None, "3"]), q, r),
    "topics that are a list": lambda t, q, r: (["1"], q, r),
    "no topics": lambda t, q, r: (t[:0], q, r),
    "a system that is a text": lambda t, q, r: (t, q, "bm25"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_calc_refuses_is_refused(kind):
    topics, qrels, results = REFUSED[kind](TOPICS, QRELS, RESULTS)
    with pytest.raises(InputError):
        experiment({"x": results}, topics, qrels, "AP")


@pytest.mark.filterwarnings("default::ir_trunc.IrTruncWarning")
def test_topics_that_are_left_out_are_counted_in_a_warning():
    more = pd.concat([RESULTS, RESULTS.assign(qid=["7", "8", "8"])], ignore_index=True)
    said = r"run x: ignored 2 topics that the given topics lack \(for example 7\)\."
    with pytest.warns(IrTruncWarning, match=said):
        table = experiment({"x": more}, TOPICS, QRELS, "AP")
    assert table.equals(experiment({"x": RESULTS}, TOPICS, QRELS, "AP"))
    with pytest.warns(IrTruncWarning, match=r"qrels: ignored 1 topic that .*no topic is left"):
        experiment({"x": RESULTS}, TOPICS[1:], QRELS, "AP", unjudged="nil")
    with pytest.raises(InputError, match="no topic has a judgment; unjudged='nil' counts all of them"):
        experiment({"x": RESULTS}, TOPICS[1:], QRELS, "AP", unjudged="exclude")


def test_the_same_topics_are_scored_by_default_everywhere(recwarn):
    """Topics without judgments are not scored, and counted where the function knows them."""
    measures = [parse_measure("RBPT"), parse_measure("AP")]
    theirs = pt.Experiment([RESULTS], TOPICS, QRELS, measures, names=["x"])
    recwarn.clear()
    ours = experiment([RESULTS], TOPICS, QRELS, measures, names=["x"])
    assert [str(note.message) for note in recwarn if "no judgment" in str(note.message)] == [
        "qrels: 2 of 3 topics have no judgment (for example 2) and are not scored; unjudged='nil' counts them"
        " as nil queries, unjudged='exclude' confirms."
    ]
    for measure in measures:
        score = calc(measures, QRELS, RESULTS).aggregated[measure]
        assert [theirs[str(measure)][0], ours[str(measure)][0]] == pytest.approx([score] * 2)


def test_truncation_takes_ids_as_numbers_and_refuses_missing_ones():
    numbered = RESULTS.assign(qid=[1, 1, 3], docno=[10, 9, 8])
    assert pt.truncation.Fixed(1).transform(numbered)["docno"].tolist() == [10, 8]
    assert len(pt.truncation.Fixed(3)(NOTHING)) == 0
    with pytest.raises(InputError, match="row 1: query_id is missing"):
        pt.truncation.Fixed(1).transform(RESULTS.assign(qid=["1", None, "3"]))


STRICT = os.environ | {"PYTHONWARNINGS": "error::UserWarning"}


def test_import_pyterrier_is_enough_and_imports_nothing_of_us_before_the_first_use():
    code = (
        "import sys, pyterrier as pt; print('ir_trunc' in sys.modules, pt.truncation.Fixed(1));"
        "from pyterrier.measures import RBPT; print(RBPT(p=0.5) @ 3)"
    )
    assert python(code, env=STRICT) == (0, "False Truncate(Fixed(k=1))\nRBPT(p=0.5)@3\n", "")


def test_a_broken_ir_trunc_does_not_break_pyterrier():
    code = (
        "import pyterrier as pt\nfrom pyterrier.measures import nDCG\n"
        "try: pt.truncation.Fixed\nexcept ImportError as error: print(error)"
    )
    status, out, err = python(code, env=STRICT | {"IR_TRUNC_KERNEL": "broken"})
    assert (status, out[:24]) == (0, "IR_TRUNC_KERNEL=broken: "), err


def test_pipelines_over_generated_lists():
    """Lists end where the policy ends those of the run, and fitting pays."""
    judged, runs = generated.collection(topics=40, systems=2)
    qrels, results = map(adapter._frame_of, (read_qrels(judged), read_run(runs["fair-never"])))
    topics = pd.DataFrame({"qid": [*judged], "query": "q"})
    retriever, whole = pt.Transformer.from_df(results), rank(qrels, results, topics=topics)
    for policy in (pt.truncation.Fixed(3), pt.truncation.LargestGap(), pt.truncation.ScoreThreshold(0.5)):
        cut = (retriever >> policy)(topics)
        lengths = policy.policy.cut(whole)
        expected = calc("RBPT nDCGT", None, whole.cut(lengths))
        assert calc("RBPT nDCGT", qrels, cut, topics=topics).values.tolist() == expected.values.tolist()
        assert len(cut) == lengths.sum() < len(results)
        assert pt.inspect.transformer_outputs(policy, list(results.columns)) == list(results.columns)
        assert pickle.loads(pickle.dumps(policy)).transform(results).equals(policy.transform(results))
    pipeline = retriever >> pt.truncation.ScoreThreshold(measure="RBPU")
    pipeline.fit(topics, qrels, None, None)
    table = experiment({"all": retriever, "cut": pipeline}, topics, qrels, "RBPU")
    assert table["RBPU"].iloc[1] > table["RBPU"].iloc[0]


def test_fitting_learns_silence_from_topics_without_judgments():
    """To answer topic 2 would be to answer topics 3 and 4 too, for which nothing is relevant."""
    rows = {"qid": list("1234"), "query": "q", "docno": list("abcd"), "score": [9.0, 2.0, 5.0, 4.0]}
    results = pd.DataFrame(rows | {"rank": 0})
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "label": 1})
    learner = pt.truncation.ScoreThreshold(measure="RBPT(p=0.1)")
    assert learner.fit(results, qrels).policy.threshold == 9.0
    learner = pt.truncation.ScoreThreshold(measure="RBPT(p=0.1)")
    assert learner.fit(results[results["qid"].isin(qrels["qid"])], qrels).policy.threshold == 2.0


def test_a_grid_search_counts_topics_without_judgments_once():
    topics = pd.concat([TOPICS, pd.DataFrame({"qid": ["unjudged"], "query": ["q"]})])
    cut = pt.truncation.Fixed(1)
    pipeline = pt.Transformer.from_df(RESULTS) >> cut
    with pytest.warns(IrTruncWarning) as caught:
        pt.truncation.grid_search(pipeline, {cut: {"k": [1, 2, 3]}}, topics, QRELS, "RBPT")
    assert sum("have no judgment" in str(warning.message) for warning in caught) == 1
    assert {warning.filename for warning in caught} == {__file__}


def test_a_warning_names_the_line_that_calls_pyterrier_or_ir_measures():
    qrels = QRELS.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    run = RESULTS.rename(columns={"qid": "query_id", "docno": "doc_id"})
    with pytest.warns(IrTruncWarning) as caught:
        pt.Experiment([RESULTS], TOPICS, QRELS, [parse_measure("RBPT")])
    assert {warning.filename for warning in caught} == {__file__}
    with pytest.warns(IrTruncWarning) as caught:
        calc_aggregate([parse_measure("RBPT")], qrels, run)
    assert {warning.filename for warning in caught} == {__file__}


def test_truncation_that_a_pipeline_cannot_do_is_refused():
    refused(ParameterError, "sees the judgments", pt.truncation.Oracle, measure="RBPT")
    with pytest.raises(ParameterError, match="has no measure to be fitted to: give one when it is made"):
        pt.truncation.ShareOfTop().fit(RESULTS, QRELS)
    with pytest.raises(ParameterError, match=r"LargestGap.* has nothing to fit; ShareOfTop"):
        pt.truncation.LargestGap(measure="RBPT").fit(RESULTS, QRELS)
    refused(AttributeError, "no attribute 'Fixd'", getattr, pt.truncation, "Fixd")


def test_what_was_read_goes_through_the_doors_of_pyterrier():
    run, judged = read_run(RESULTS), read_qrels(QRELS)
    expected = experiment({"mine": RESULTS}, TOPICS, QRELS, "RBPT AP")
    assert experiment({"mine": run}, TOPICS, judged, "RBPT AP").equals(expected)
    assert pt.truncation.Fixed(1).transform(run)["docno"].tolist() == ["a", "y"]
    fitted = [pt.truncation.Greedy(measure="RBPT").fit(*data) for data in ((run, judged), (RESULTS, QRELS))]
    assert fitted[0].policy == fitted[1].policy


def test_fitting_leaves_out_judgments_for_other_topics_without_a_warning():
    """Of 20 topics, half are in the results; the empty lists of the others would be unanswered questions."""
    topics = [str(number) for number in range(20)]
    qrels = pd.DataFrame({"qid": topics, "docno": [f"d{topic}" for topic in topics], "label": 1})
    dev = pd.DataFrame({"qid": topics[:10], "docno": [f"d{topic}" for topic in topics[:10]]})
    dev = dev.assign(score=[0.1 * (1 + int(topic)) for topic in topics[:10]], rank=0)
    dev.loc[dev["score"] < 0.6, "docno"] = "wrong"
    alone = pt.truncation.ScoreThreshold(measure="c@1").fit(dev, qrels[:10]).policy
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pt.truncation.ScoreThreshold(measure="c@1").fit(dev, qrels).policy == alone
    with pytest.warns(IrTruncWarning, match="qrels: ignored 10 topics .*no topic is left"):
        pt.truncation.ScoreThreshold(measure="c@1").fit(dev, qrels[10:])


def test_a_text_is_a_policy():
    cut = pt.truncation.Truncate("Fixed(1)")
    assert cut.transform(RESULTS)["docno"].tolist() == ["a", "y"]
    cut.set_parameter("policy", "Fixed(k=3)")
    assert cut.get_parameter("k") == 3
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["z"], "label": [1]})
    pt.GridSearch(pt.Transformer.from_df(RESULTS) >> cut, {cut: {"k": [1, 2]}}, TOPICS, qrels, "map")
    assert cut.policy == ir_trunc.truncation.Fixed(2)
    own = r"no parameter 'n'; it has: at_least, at_most, budget, among, k, policy, measure"
    refused(ParameterError, own, cut.set_parameter, "n", 1)
    refused(ParameterError, "k=-1 is out of range", cut.set_parameter, "k", -1)
    refused(ParameterError, "There is no policy 'Fixd", pt.truncation.Truncate, "Fixd(3)")


@pytest.mark.filterwarnings("default::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("views", [False, True])
def test_a_warning_about_lists_names_the_system_once(views):
    topics = pd.DataFrame({"qid": list("1234"), "query": "q"})
    qrels = pd.DataFrame({"qid": list("1234"), "docno": "d1", "label": [1, 1, 0, 0]})
    rows = [(qid, f"d{rank}", 1.0 / rank, rank - 1) for qid in "1234" for rank in range(1, 21)]
    long = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])
    tied = long.assign(score=1.0)
    with pytest.warns(IrTruncWarning) as caught:
        experiment({"long": long, "tied": tied}, topics, qrels, "RBPT", views=views)
    said = [" ".join(str(note.message).split()[:5]) for note in caught]
    assert said == ["run long: most lists end", "run tied: all scores are", "run tied: most lists end"]
    with pytest.warns(IrTruncWarning, match=r"^run \(DataFrame\): most lists end at 20 documents"):
        pt.Experiment([long], topics, qrels, [parse_measure("RBPT")])


def test_pipelines_that_end_in_equal_policies_run_what_stands_behind_once():
    runs = []

    class Reranker(pt.Transformer):
        def transform(self, inp):
            runs.append(len(inp))
            return inp

    retriever, reranker = pt.Transformer.from_df(RESULTS.drop(columns="query")), Reranker()
    pipelines = [retriever >> pt.truncation.Fixed(2) >> reranker for _ in range(2)]
    pipelines[1] >>= pt.truncation.Fixed(1)
    names = ["long", "short"]
    pt.Experiment(pipelines, TOPICS.head(1), QRELS, [AP], names=names, plan="tree", validate="ignore")
    assert runs == [2]
    assert pt.truncation.Fixed(1) != pt.truncation.Fixed(2) != "Truncate(Fixed(k=2))"
    assert pt.truncation.Greedy(measure="AP") != pt.truncation.Greedy(measure="RBPT")


def test_the_documented_names_are_listed_and_policies_become_transformers():
    named = dir(pt.truncation)
    assert "above the largest gap" in pydoc.render_doc(pt.truncation.LargestGap)
    assert {"experiment", "grid_search", "Truncate", "Fixed", "LargestGap"} <= {*named}
    assert "Oracle" not in named
    assert {*named} - {*adapter.__all__} < {*ir_trunc.truncation.registry}
    policy = ir_trunc.truncation.Fixed(1)
    pipeline = pt.Transformer.from_df(RESULTS) >> policy.as_pyterrier_transformer()
    assert pipeline(TOPICS)["docno"].tolist() == ["a", "y"]
    assert policy.as_pyterrier_transformer("RBPT") == pt.truncation.Truncate(policy, "RBPT")


def test_a_policy_that_was_fitted_on_distances_is_refused():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.1, "x": 0.9}, "2": {"b": 0.2, "y": 0.8}}
    policy = ir_trunc.truncation.ScoreThreshold()
    fitted = policy.fit(rank(qrels, run, lower_is_better=True), "RBPT")
    refused(ParameterError, "was fitted on distances, and scores are higher", pt.truncation.Truncate, fitted)
    pt.truncation.Truncate(policy.fit(rank(qrels, run), "RBPT"))


def test_the_page_for_the_site_of_pyterrier_is_in_the_package():
    """Its docs/extras/generate_extensions.py looks for it so, by the name in its list of extensions."""
    page = resources.files("ir_trunc").joinpath("pt_docs", "index.rst")
    assert doctest.DocTestRunner().run(
        doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, "index.rst", None, 0)
    ) == (0, 14)
    upstream = Path(__file__).parents[2] / ".github" / "upstream" / "README.md"
    assert "ir_trunc # Truncation <" in upstream.read_text(encoding="utf-8")
    assert metadata.metadata("ir_trunc")["name"] == "ir_trunc"
