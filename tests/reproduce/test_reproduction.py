"""The papers' tables: how many cells come out, for the papers whose data are at hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ir_trunc._reproduce.reproduction import PAPERS, Reproduction, reproduce

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
"""Where the figures are that the notebooks show without data."""


@pytest.mark.full
def test_webber_2010_on_trec_8(real_data):
    folder = real_data("trec8")
    found = reproduce("webber2010", (folder / "qrels.trec8.txt", folder / "runs"))
    tables = {"Table 1": (5, 5), "Table 2": (45, 45), "Table 3": (36, 36)}
    counts = {title: tuple(row) for title, *row in found.summary()[["same", "cells"]].itertuples()}
    assert counts == tables | {"Figure 2": (3, 3), "Figure 4, text": (3, 6)}
    pd.testing.assert_frame_equal(pd.read_csv(NOTEBOOKS / "webber2010.csv"), found.cells, rtol=0, atol=1e-12)
    differing, pair = found.to_pandas()[~found.same], 1 / (129 * 128 / 2)  # one pair short each
    assert np.array_equal(differing["printed"], (differing["computed"] + pair).round(3))


def test_the_remark_on_pairs_is_made_only_where_it_holds():
    cells = pd.read_csv(NOTEBOOKS / "webber2010.csv")
    remark = "the 3 figures of the text that differ are one system pair of 8,256 short each"
    assert remark in Reproduction.from_pandas("webber2010", cells, "the collection given").heading
    text = cells["table"] == "Figure 4, text"
    for change in (2 / 8256, 0.0101):  # three pairs short, and shares of another number of pairs
        other = cells.assign(computed=cells["computed"] - change * text)
        assert "8,256" not in Reproduction.from_pandas("webber2010", other, "the collection given").heading


def test_amigo_2022_on_one_collection(real_data):
    """The columns of the terminal family that the paper prints as 1.00 come out; the collections differ."""
    folder = real_data("robust03")
    found = reproduce("amigo2022", (next(folder.glob("*qrels*")), folder / "runs"))
    kept = pd.read_csv(NOTEBOOKS / "amigo2022-robust03.csv")
    pd.testing.assert_frame_equal(kept, found.cells, rtol=0, atol=1e-12)
    perfect = found.to_pandas().query("printed == 1.0")
    assert len(perfect) == 5
    assert perfect["computed"].min() > 0.99


def test_a_cell_agrees_where_the_computed_figure_rounds_to_the_printed_one():
    printed, computed = [0.67, 0.67, 0.67, -0.5], [0.6651, 0.6749, 0.6751, -0.5049]
    rows = {"row": list("abcd"), "printed": printed, "computed": computed}
    cells = pd.DataFrame({"table": "Table 9", "column": "x", "places": 2} | rows)
    found = Reproduction("a paper", "some data", (), cells)
    assert found.same.tolist() == [True, True, False, True]
    assert found.heading.splitlines()[2] == "Table 9: 3 of 4 cells agree"
    assert found.table("Table 9")["x"].tolist() == ["0.67 0.67", "0.67 0.67", "0.67 0.68*", "-0.50 -0.50"]
    found.plot()


def test_the_command_prints_the_tables_and_saves_the_result(command, tmp_path):
    assert all(name in command("reproduce", "--help")[1] for name in PAPERS)
    path = tmp_path / "liu.csv"
    status, out, err = command("reproduce", "liu2016", "-o", str(path))
    assert (status, err) == (0, "")
    assert "101, R = 3    0.667 0.667  1.000 1.000  0.708 0.708  0.698 0.698  0.528 0.528" in out
    assert "Table 1: 50 of 50 cells" in out
    pd.testing.assert_frame_equal(pd.read_csv(path, dtype={"row": str}), reproduce("liu2016").cells)


def test_alone_it_lists_the_papers_and_strict_tells_by_the_status_whether_all_agree(command, collection):
    listed = command("reproduce")
    assert listed[::2] == (0, "")
    assert all(f"  {name} " in listed[1] for name in PAPERS)
    assert command("reproduce", "liu2016", "--strict")[0] == 0
    runs = collection / "runs"
    runs.mkdir()
    for name in ("never-stops", "stops-in-time"):
        (collection / f"{name}.run").rename(runs / f"{name}.run")
    other = "reproduce", "amigo2022", str(collection / "demo.qrels"), str(runs)
    status, out, _ = command(*other)
    assert status == 0
    assert "Table 2: Kendall's tau between orders of systems" in out
    assert "2 runs on 7 topics (the paper: the mean of nine collections)" in out  # not the paper's
    assert "Not tried: Table 1" in out
    assert command(*other, "--strict")[0] == 1


def test_every_table_has_a_title():
    for name in ("liu2016", "sakai2004", "penas2011"):
        assert {*reproduce(name).cells["table"]} == {*PAPERS[name].titles}
    for name, file in (("webber2010", "webber2010"), ("amigo2022", "amigo2022-trec8")):
        assert {*pd.read_csv(NOTEBOOKS / f"{file}.csv")["table"]} == {*PAPERS[name].titles}


@pytest.mark.parametrize(("words", "said"), [
    (["webber2010"], "webber2010 needs all 129 runs"),
    (["liu2016", "qrels", "runs"], "liu2016 takes no collection"),
    (["webber2010", "qrels"], "qrels has no runs"),
    (["webber2011"], "webber2011"),
])  # fmt: skip
def test_what_is_missing_is_said_in_one_line(command, words, said):
    status, out, err = command("reproduce", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err
