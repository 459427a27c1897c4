"""What objects show in a shell: what a person asks about them, in a line or a table, and not their fields."""

import pytest

import ir_trunc
from ir_trunc import meta
from ir_trunc._output import tables

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"x": 0}}
GRADES = {"1": {f"d{i}": i for i in range(9)}}
RUN = {"1": {"a": 3.0, "y": 2.0}, "2": {"x": 1.0}}
RUNS = {"a": RUN, "b": RUN}
JUDGMENTS = "2 topics, 1 of them a nil query; 4 judgments: 2 of grade 0, 1 of grade 1, 1 of grade 2"
PRINTED = [
    (f"Qrels({JUDGMENTS})", lambda: ir_trunc.read_qrels(QRELS)),
    (f"Judgments({JUDGMENTS})", lambda: ir_trunc.rank(QRELS, RUN).judgments),
    ("Qrels(1 topic; 9 judgments: grades from 0 to 8)", lambda: ir_trunc.read_qrels(GRADES)),
    ("Run(2 lists, 3 documents, from run (dict))", lambda: ir_trunc.read_run(RUN)),
    ("Rankings(2 topics, 3 documents, 2 of them judged)", lambda: ir_trunc.rank(QRELS, RUN)),
    ("Evaluator(RBPT, AP@10; 2 topics)", lambda: ir_trunc.evaluator("RBPT AP@10", QRELS)),
    ("Curve(2 topics, lists of 1 to 2 documents)", lambda: ir_trunc.curves("RBPT", QRELS, RUN)["RBPT"]),
    ("Wrapped(run: 5 rows, qrels: 6 rows)", lambda: ir_trunc.with_terminal(QRELS, RUN)),
    ("PooledRuns(2 systems, 2 topics, 4 judged documents)", lambda: meta.pooled_runs(QRELS, RUNS)),
]  # fmt: skip


@pytest.mark.parametrize(("printed", "made"), PRINTED, ids=[printed for printed, _ in PRINTED])
def test_objects_are_printed_in_a_line(printed, made):
    assert repr(made()) == printed


def test_a_universe_is_printed_as_a_table():
    universe = ir_trunc.calc("RBPT", QRELS, RUN).universe
    assert repr(universe) == str(universe)
    assert "nil queries     1\n" in repr(universe)


def test_no_p_value_is_printed_as_0():
    right = {"x": 60, "y": 1, "z": 0}  # from which topic on
    runs = {name: {str(t): ["b"] * (t < n) + ["a"] for t in range(60)} for name, n in right.items()}
    found = ir_trunc.compare("AP", {str(t): {"a": 1} for t in range(60)}, runs, intervals=True)
    lines = [line.split() for line in str(found).splitlines() if line.endswith(("-7.6169", "NaN"))]
    assert [line[-2] for line in lines] == ["<0.0001"] * 2
    assert tables.as_html(found.pairs()).count("<td>&lt;0.0001</td>") == 2
