"""Documents that leave lists and judgments before ranks are given."""

import pytest
from messages import refused

from ir_trunc import InputError, calc, evaluator, rank, read_qrels
from ir_trunc._cli.main import main

QRELS = {"a": {"a": 2, "b": 1, "c": 0}, "b": {"a": 1}, "c": {"c": 1}}
RUN = {"a": {"a": 9.0, "x": 8.0, "b": 7.0}, "b": {"b": 3.0, "a": 2.0}, "c": {"c": 1.0}}
LEFT = {"a": {"b": 1, "c": 0}, "b": {"a": 1}, "c": {}}, {"a": {"x": 8.0, "b": 7.0}, "b": {"a": 2.0}, "c": {}}
IDS = {"a": ["a"], "b": "b", "c": {"c"}, "other": ["x"]}
MEASURES = "RBPT nDCGT RR P@1 SetF NumRet"

pytestmark = pytest.mark.filterwarnings("ignore:.*withheld=? says")


@pytest.fixture
def forms(tmp_path):
    (tmp_path / "lines").write_text("a a\nb b\nc c\n")
    (tmp_path / "qrels").write_text("a 0 a 0\nb 0 b 0\nc 0 c 0\n")
    (tmp_path / "ids.json").write_text('{"a": ["a"], "b": ["b"], "c": ["c"]}')
    return [IDS, "same id", *(str(tmp_path / name) for name in ("lines", "qrels", "ids.json"))]


def test_lists_and_judgments_are_those_without_the_documents(forms, tmp_path):
    expected, frame = calc(MEASURES, *LEFT).values.tolist(), tmp_path / "my.run"
    frame.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, docs in RUN.items() for d, s in docs.items()))
    for withheld in forms:
        for run in (RUN, frame, {q: [*docs] for q, docs in RUN.items()}):
            for qrels in (QRELS, read_qrels(QRELS)):
                results = calc(MEASURES, qrels, run, withheld=withheld, missing="error")
                assert results.values.tolist() == expected
    assert evaluator(MEASURES, QRELS, withheld=IDS).calc(RUN).values.tolist() == expected


def test_it_is_reported_with_the_count():
    with pytest.warns(match=r"run \(dict\): 3 documents left 3 lists, as withheld= says"):
        calc("RR", QRELS, RUN, withheld="same id")
    with pytest.warns(match=r"0 documents left 0 lists, as withheld= says"):
        calc("RR", QRELS, RUN, withheld={"a": ["zzz"]})


def test_a_list_fills_the_cutoff_if_it_did_before_they_left():
    """Of the 3 documents of topic a 2 are left: RBPT@3 has no terminal document, and RBPT@4 has one."""
    left = calc("RBPT(p=0.5)@3 RBPT(p=0.5)@4 RBPT(p=0.5)@2 NumRet", QRELS, RUN, withheld="same id")
    assert left.values[:, 0].tolist() == [0.25, 0.5, 0.25, 2]
    assert left.rankings.withheld.tolist() == [1, 1, 1]
    cut = rank(QRELS, RUN, withheld="same id").cut(1)
    assert cut.withheld.tolist() == [0, 1, 1]
    curve = evaluator("RBPT(p=0.5)@3", QRELS, withheld="same id").curves(RUN)["RBPT(p=0.5)@3"]
    assert curve.values[curve.offsets[0] : curve.offsets[1]].tolist() == [0, 0, 0.25]


def test_commands_take_it(tmp_path, capsys):
    for name, rows in (("qrels", QRELS), ("run", RUN)):
        form = "{q} 0 {d} {x}\n" if name == "qrels" else "{q} Q0 {d} 1 {x} t\n"
        lines = (form.format(q=q, d=d, x=x) for q, docs in rows.items() for d, x in docs.items())
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "own").write_text("a a\nb b\nc c\n")
    for withheld in ("same id", str(tmp_path / "own")):
        assert main([str(tmp_path / "qrels"), str(tmp_path / "run"), "RR", "--withheld", withheld]) == 0
        assert "0.5000" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", ["nowhere", 5, {"a": {"b": "c"}}, [("a", "b", "c")]])
def test_what_is_withheld_must_be_readable(wrong):
    refused(InputError, r"withheld: .*'same id' is needed", calc, "RR", QRELS, RUN, withheld=wrong)
