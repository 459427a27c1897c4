"""Wrapped runs are what was scored; reports of lists that NIL ends."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from ir_measures import RR
from messages import refused

from ir_trunc import RBPT, InputError, NilRule, calc, read_answers, read_run, with_effort, with_terminal
from ir_trunc.meta import pooled_runs
from ir_trunc.truncation import truncate, write_run
from ir_trunc.truncation.study import best_cuts, nil_report


def test_a_wrapped_run_keeps_the_answers_behind_one_that_is_none():
    wrapped = with_terminal(read_answers({"1": [["Paris"]]}, "squad"), {"1": [" ", "Paris"]})
    rows = wrapped.run.to_pandas()[["doc_id", "rank", "gain"]].to_numpy().tolist()
    assert rows == [["paris", 1, 1], ["__end__", 2, 1]]


def generated(seed, top, costs=False):
    """Qrels and a run: nil queries, empty lists, unjudged and missed documents, negative grades."""
    rng = np.random.default_rng(seed)
    qrels, rows = {}, []
    for topic in range(40):
        highest = top if topic % 4 else 0
        qrels[f"q{topic}"] = {f"d{n}": int(x) for n, x in enumerate(rng.integers(-1, highest + 1, 6))}
        found = rng.permutation(9)[: rng.integers(0, 8)].tolist()
        rows += [(f"q{topic}", f"d{n}", -float(rank)) for rank, n in enumerate(found)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    return qrels, run.assign(cost=rng.integers(1, 9, len(run)) / 50) if costs else run


def of_columns(wrapped, formula):
    """By topic, a formula of gains, the gain of the end or None, ideal gains, and the gain of their end."""
    run, judged, values = wrapped.run.to_pandas(), wrapped.qrels, {}
    for topic in set(judged["query_id"]):
        rows, of_topic = run[run["query_id"] == topic], judged[judged["query_id"] == topic]
        is_end, of_end = rows["doc_id"] == "__end__", of_topic["doc_id"] == "__end__"
        end, m = rows.loc[is_end, "gain"].tolist(), of_topic.loc[of_end, "gain"].tolist()
        ideal = sorted((x for x in of_topic.loc[~of_end, "gain"] if x > 0), reverse=True)
        values[topic] = formula(rows.loc[~is_end, "gain"].tolist(), *(end or [None]), ideal, *m)
    return values


def rbp(gains, end):
    return 0.2 * sum(g * 0.8**i for i, g in enumerate(gains)) + 0.8 ** len(gains) * (end or 0)


def dcg(gains):
    return sum(g / np.log2(i + 2) for i, g in enumerate(gains))


def rbpt(gains, end, ideal, m):
    return rbp(gains, end) / rbp(ideal, m)


def ndcgt(gains, end, ideal, m):
    of_list, of_best = ([], []) if end is None else ([end], [m])
    best = [*ideal, *of_best][: len(gains) + len(of_best)]
    return dcg([*gains, *of_list]) / dcg(best) if best else 0


# `{}` stands for what the end is worth.
FORMULAS = {
    "RBPT(max_rel=4,{})": rbpt, "nDCGT(max_rel=4,{})": ndcgt, "RBPT(rel=2)": rbpt, "nDCGT(rel=2)": ndcgt,
}  # fmt: skip
IN_SHORT = {("least", None), ("full", 4), ("unit", 30)}


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize(("terminal", "depth"), [
    pytest.param(terminal, depth, marks=[pytest.mark.full] * ((terminal, depth) not in IN_SHORT))
    for terminal in ("least", "full", "unit")
    for depth in (None, 1, 4, 30)
])  # fmt: skip
def test_wrapped_is_scored(terminal, depth):
    """The formula, applied to what the wrapped run and its qrels hold, gives the score."""
    qrels, run = generated(seed=depth or 0, top=3)
    graded = with_terminal(qrels, run, max_rel=4, terminal=terminal, depth=depth)
    binary = with_terminal(qrels, run, rel=2, depth=depth)
    for measure, formula in FORMULAS.items():
        text = measure.format(f"terminal='{terminal}'") + (f"@{depth}" if depth else "")
        results = calc(text, qrels, run)
        found = of_columns(binary if "(rel=2)" in text else graded, formula)
        values = [found[topic] for topic in results.topics]
        np.testing.assert_allclose(values, results.values[0], rtol=1e-12, atol=1e-12, err_msg=text)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("costs", [False, True])
@pytest.mark.parametrize("options", ["", "gain='signed'", "max_rel=5", "gain='exp'"])
def test_effort_and_utility_are_scored(options, costs):
    qrels, run = generated(seed=5, top=3, costs=costs)
    given = eval(f"dict({options})")  # as a measure's text has them
    for depth in (None, 3):
        frame = with_effort(qrels, run, e=0.1, depth=depth, **given).run.to_pandas()
        assert np.allclose(frame["utility"], frame["gain"] - frame["effort"])
        at = "" if depth is None else f"@{depth}"
        results = calc(f"DCGU(e=0.1{',' * bool(options)}{options}){at}", qrels, run)
        sums = (frame["utility"] / np.log2(frame["rank"] + 1)).groupby(frame["query_id"]).sum()
        values = sums.reindex(results.topics, fill_value=0.0)
        np.testing.assert_allclose(values, results.values[0], rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_stock_measures_of_a_wrapped_run():
    qrels, run = generated(seed=1, top=1)
    wrapped = with_terminal(qrels, run)
    ends = calc("RRT", qrels, run)
    stock = {each.query_id: each.value for each in ir_measures.iter_calc([RR], wrapped.qrels, wrapped.run)}
    assert [stock[topic] for topic in ends.topics] == pytest.approx(ends.values[0].tolist())
    found = calc("RR AP nDCG", wrapped.qrels, wrapped.run).aggregated["RR"]
    assert found == pytest.approx(ends.values[0].mean())
    judged = with_terminal(qrels, run, rel=2).qrels  # by which all topics are nil
    assert {*judged["relevance"][judged["doc_id"] == "__end__"]} == {2}


WRAPPED = with_terminal({"1": {"a": 1}, "2": {}}, {"1": ["a", "b"], "2": []})


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("call", [
    *(lambda run, name=name: calc(name, {"1": {"a": 1}}, run)
      for name in ["RBPT", "c@1", "FlatU", "OIE", "NumRet", "AP(nil=1)", "RR RBPT"]),
    lambda run: calc("RBPT", None, calc("RR", {"1": {"a": 1}}, run).rankings),
    lambda run: calc("RR", {"1": {"a": 1}}, run).views(),
    lambda run: calc("RR", {"1": {"a": 1}}, run).abstention,
    lambda run: calc("RR", {"1": {"a": 1}}, run).answered,
    lambda run: ir_measures.calc_aggregate([RBPT], {"1": {"a": 1}}, run),
    lambda run: with_terminal({"1": {"a": 1}}, run),
    lambda run: with_effort({"1": {"a": 1}}, run),
    lambda run: truncate(run, "LargestGap"),
    lambda run: nil_report({"x": run}),
    lambda run: best_cuts("RBPT", {"1": {"a": 1}}, {"x": run}),
    lambda run: pooled_runs({"1": {"a": 1}}, {"x": run, "y": run}),
    lambda run: write_run("out", read_run(run), {"1": 1, "2": 0}),
])  # fmt: skip
@pytest.mark.parametrize("form", ["run", "dict", "file"])
def test_a_wrapped_run_is_refused(call, form, tmp_path):
    run = WRAPPED.run if form == "run" else WRAPPED.run.to_dict()
    if form == "file":
        run = tmp_path / "wrapped"
        WRAPPED.write(run)
        if "ir_measures" in call.__code__.co_names:
            run = list(ir_measures.read_trec_run(str(run)))
    refused(InputError, "__end__ documents already", call, run)


def test_tables_hold_what_wrapping_adds(tmp_path):
    run, qrels = tmp_path / "my.csv", tmp_path / "qrels.csv.gz"
    wrapped = with_effort({"1": {"a": 1}}, {"1": ["x", "a"]}, e=0.25)
    wrapped.write(run, qrels)
    assert run.read_text().splitlines() == [
        "query_id,doc_id,score,rank,gain,effort,utility",
        "1,x,0.0,1,0.0,0.25,-0.25",
        "1,a,-1.0,2,1.0,0.25,0.75",
    ]
    assert pd.read_csv(qrels).to_dict("records") == [
        {"query_id": 1, "doc_id": "a", "relevance": 1, "gain": 1.0}
    ]
    assert calc("RR", qrels, run).values.tolist() == [[0.5]]
    with pytest.raises(InputError, match=r"no columns for effort and utility; let its name end in \.csv"):
        wrapped.write(tmp_path / "my.run")


def test_a_report_takes_a_convention_or_a_rule_as_scoring_does():
    runs = {"x": {"1": ["none", "a"], "2": ["x", "NIL"]}}
    assert nil_report(runs).after.tolist() == [2, 1]
    assert nil_report(runs, nil=NilRule(id="none")).after.tolist() == [0, 2]
    table = nil_report({"x": {"1": ["a", "NIL", "b"]}}).to_pandas()
    assert table.to_dict("list") == {"before": [0, 0, 0, 1], "after": [0, 1, 0, 0]}
    assert nil_report(runs, nil="document").ended_by_nil == 0
    assert nil_report(runs, nil=NilRule("sakai", "none")).after.tolist() == [2, 2]


def test_a_report_counts_the_lists_of_all_runs(tmp_path, command):
    """Figure 1 of Liu et al. 2016, over a folder of runs."""
    runs = {"a": {"1": ["x", "NIL", "y"], "2": ["x"]}, "b": {"1": ["x", "y"], "3": ["NIL"]}}
    for name, run in runs.items():
        rows = [f"{q} Q0 {doc} 0 {-at} t\n" for q, docs in run.items() for at, doc in enumerate(docs)]
        (tmp_path / name).write_text("".join(rows))
    found = nil_report(runs, depth=2)
    assert (found.ended_by_nil, found.short, found.left_alone, found.runs) == (2, 1, 1, 2)
    assert found.to_pandas().to_dict("list") == {"before": [0, 2, 1, 1], "after": [1, 2, 1, 0]}
    assert (found.before.tolist(), found.after.tolist()) == ([3, 1, 2, 1], [1, 1, 2, 0])
    status, printed, told = command("study", "nil-report", str(tmp_path), "--depth", "2")
    assert (status, printed) == (0, "length,before,after\n0,0,1\n1,2,2\n2,1,1\n3,1,0\n")
    assert told.startswith("4 lists of 2 runs: 2 ended by NIL, 1 short")
    assert nil_report(runs, ["1", "2", "3"]).before.tolist() == [3, 1, 0, 2, 0, 1]


PARIS = [{"Paris": 2, "City of Light": 1}, {"London": 1, "Rome": 0}]
CLASSES = {"1": PARIS, "2": [], "3": [{"Oslo": 1}], "4": [], "5": []}
RUNS = [
    {"1": ["Rome", "the", "The Paris", "paris", "City of Light", "London"],
     "2": ["NIL"], "3": ["oslo", "Oslo"], "4": []},
    {"1": ["x", "X", "London", "london"],
     "2": ["a", "NIL"], "3": ["NIL", "Oslo"], "4": ["nil", "NIL", "b"], "5": ["b", "B"]},
    {"1": ["Nil", "Paris"], "2": ["y"], "3": [], "5": ["NIL", "b", "nil"]},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("nil", ["ends", "trec2001", "sakai", "document"])
@pytest.mark.parametrize("normalise", [None, "squad"])
@pytest.mark.parametrize("run", RUNS)
def test_trec_evals_reciprocal_rank_of_wrapped_answers_is_rrt(run, normalise, nil):
    qrels = read_answers(CLASSES, normalise, nil=nil)
    wrapped = with_terminal(qrels, run)
    found = wrapped.run.to_pandas()
    assert not found.duplicated(["query_id", "doc_id"]).any()
    judged: dict[str, dict[str, int]] = {}
    for topic, doc, grade, _ in wrapped.qrels.itertuples(index=False):
        judged.setdefault(topic, {})[doc] = grade
    shown: dict[str, dict[str, float]] = {}
    for row in found.itertuples(index=False):
        shown.setdefault(row.query_id, {})[row.doc_id] = row.score
    found = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank", "num_rel", "num_rel_ret"}).evaluate(shown)
    results = calc("RRT", qrels, run)
    expected = dict(zip(results.topics, results.values[0].tolist()))
    assert {topic: found[topic]["recip_rank"] for topic in expected} == pytest.approx(expected)
    assert found["1"]["num_rel"] == 2  # classes


def test_a_repeated_answer_is_marked_and_the_first_is_written_as_it_was_compared():
    wrapped = with_terminal(read_answers(CLASSES, "squad"), {"1": ["The Paris", "paris", "City of Light"]})
    docs = wrapped.run.to_pandas().query("query_id == '1'")
    assert docs["doc_id"].tolist() == ["paris", "__again__2__paris", "__again__3__city of light", "__end__"]
    assert docs["gain"].tolist() == [1, 0, 0, pytest.approx(1 / 3)]  # 2 of 3, times 1 / 2
    judged = wrapped.qrels[wrapped.qrels["query_id"] == "1"].set_index("doc_id")["relevance"]
    assert judged.to_dict() == {"paris": 2, "london": 1, "rome": 0, "__end__": 0}
