"""Baselines, tests and forms for papers at the command line."""

import csv
import json
from pathlib import Path
from typing import get_args

import pytest

from ir_trunc import compare
from ir_trunc._cli._arguments import OPTIONS
from ir_trunc._core.errors import at_command_line
from ir_trunc._inference.significance import TESTS, PairTest

MEASURES = ("RBPT", "AP")
RUNS = ("never-stops.run", "stops-in-time.run", "says-little.run")


@pytest.fixture
def compared(collection, command):
    return lambda *words: command("compare", "demo.qrels", *RUNS, *MEASURES, *words)


def comparison(**options):
    """Whose notes name the options of the command line."""
    with at_command_line():
        return compare(" ".join(MEASURES), "demo.qrels", RUNS, **options)


@pytest.mark.parametrize(("form", "method"), [
    ("latex", "to_latex"), ("html", "to_html"), ("markdown", "to_markdown"),
])  # fmt: skip
def test_a_form_for_a_paper_is_that_of_python(compared, form, method):
    status, out, _ = compared("--baseline", "never-stops", "--format", form, "--intervals", "-p", "3")
    assert status == 0
    assert out == getattr(comparison(baseline="never-stops.run", intervals=True), method)(digits=3)


def test_latex_and_html_ask_for_tests_by_themselves(compared):
    assert compared("-o", "table.tex")[0] == compared("-o", "page.html")[0] == 0
    assert Path("table.tex").read_text("utf-8") == comparison().to_latex()
    assert Path("page.html").read_text("utf-8") == comparison().to_html()


def test_pairs_have_a_row_for_each_comparison(compared):
    expected = comparison(baseline=RUNS[0]).pairs()
    for form, separator in (("csv", ","), ("tsv", "\t")):
        lines = compared("--baseline", RUNS[0], "--pairs", "--format", form)[1].splitlines()
        rows = list(csv.DictReader(lines, delimiter=separator))
        assert [row["system"] for row in rows] == expected["system"].tolist()
        assert [float(row["p"]) for row in rows] == expected["p"].tolist()
    lines = compared("--baseline", RUNS[0], "--pairs", "--format", "jsonl")[1].splitlines()
    assert [json.loads(line)["low"] for line in lines] == expected["low"].tolist()
    rows = list(csv.DictReader(compared("--pairs", "-p", "2")[1].splitlines(), delimiter="\t"))
    assert [row["p"] for row in rows] == [f"{p:.2f}" for p in comparison().pairs()["p"]]
    text = compared("--pairs", "--format", "table")[1]
    assert all(f"{p:.4f}" in text for p in comparison().pairs()["p"])
    assert max(map(len, text.splitlines())) <= 80


BASELINE = ["--baseline", RUNS[0]]


@pytest.mark.parametrize("options", [[], BASELINE, ["--intervals"], ["--intervals", *BASELINE]], ids=" ".join)
def test_a_pipe_gets_the_table_of_the_terminal(compared, options):
    """Each word of a row of one is in the row of the other."""
    words = [*options, "--alpha", "0.9", "--test", "t", "-p", "2"]
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        rows = list(csv.DictReader(compared(*words, "--format", form)[1].splitlines(), delimiter=separator))
        assert [row["system"] for row in rows] == list(RUNS)
        shown = compared(*words, "--format", "table")[1]
        below = shown[shown.index("\nsystem") :].splitlines()
        lines = [next(line for line in below if run in line) for run in RUNS[1:]]
        for row, line in zip(rows[1:], lines):
            marked = "".join(f"{row[name]}{row[f'{name} marks']}" for name in MEASURES)
            assert "".join(line.split()) == f"{row.get('letter', '')}{row['system']}{marked}"
            of = " difference" if "--baseline" in options else ""
            bounds = [(row.get(f"{name}{of} low"), row.get(f"{name}{of} high")) for name in MEASURES]
            assert all((f"[{low}, {high}]" in shown) == ("--intervals" in options) for low, high in bounds)
    assert compared(*words) == compared(*words, "--format", "tsv")
    assert "paired t test, corrected for" in compared(*words)[2]
    lines = compared(*options, "--test", "t", "--format", "jsonl")[1].splitlines()
    assert [json.loads(line)["AP"] for line in lines] == comparison()["AP"].tolist()


def test_an_interval_without_bounds_is_null_in_json(compared):
    """Seven topics are too few for a randomisation test at this level."""
    options = ["--test", "randomization", "--alpha", "0.001", "--pairs", "--format", "jsonl"]
    rows = compared(*BASELINE, *options)[1].splitlines()
    assert {json.loads(line)["low"] for line in rows} == {None}


def test_a_table_to_read_fits_80_columns(compared):
    status, out, _ = compared("--test", "tukey", "--format", "table", "--intervals")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "Tukey's HSD test" in out


@pytest.mark.parametrize("words", [["--format", "latex"], ["-o", "x.html"]])
def test_the_command_of_scores_says_which_one_has_the_forms_of_papers(compared, complaint, words):
    refused = complaint("demo.qrels", *RUNS, *MEASURES, *words)
    assert "is a form of 'ir_trunc compare': write compare before the qrels" in refused
    assert compared(*words)[0] == 0


def test_help_names_every_test_between_systems():
    assert {*get_args(PairTest)} == {"bounded", *TESTS}
    assert f"TEST  {', '.join(get_args(PairTest))} (" in OPTIONS["test"]


def test_the_unit_of_tests_is_a_key(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("".join(f"u{n // 2}/d{n} 0 a 1\n" for n in range(24)))
    for name in "xy":
        docs = (f"u{n // 2}/d{n} Q0 {'a' if n % (3 + (name == 'y')) else 'b'} 1 1 t\n" for n in range(24))
        (tmp_path / name).write_text("".join(docs))
    words = "compare qrels x y RR --keys user/day --baseline x --pairs --format csv"
    runs = {"keys": "user/day", "baseline": "x"}
    for more, options in (([], {}), (["--unit", "day"], {"unit": "day"})):
        expected = compare("RR", "qrels", ["x", "y"], **runs, **options).pairs()
        row = next(csv.DictReader(command(*words.split(), *more)[1].splitlines()))
        assert float(row["p"]) == pytest.approx(expected["p"][0])
        score = "qrels x y RR --keys user/day --places -1 --format csv"
        scored = csv.DictReader(command(*score.split(), *more)[1].splitlines())
        means = compare("RR", "qrels", ["x", "y"], **runs, **options).to_pandas()["RR"].to_dict()
        assert {row["run"]: float(row["value"]) for row in scored} == pytest.approx(means)
