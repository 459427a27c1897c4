"""Formats of scores: the same values in each, in a file as on a terminal or in a pipe."""

import csv
import gzip
import io
import json
import re
import shutil

import pytest

import ir_trunc
from ir_trunc._cli import _output

QRELS, RUNS = "demo.qrels", ["never-stops.run", "stops-in-time.run"]


@pytest.mark.parametrize("form", _output.FORMATS)
def test_an_output_named_like_a_form_is_refused(collection, command, form):
    status, out, error = command(QRELS, RUNS[0], "AP", "-o", form)
    assert (status, out) == (2, "")
    assert f"write --format {form}" in error
    assert not (collection / form).exists()
    assert command(QRELS, RUNS[0], "AP", "-o", f"./{form}") == (0, "", "")
    assert (collection / form).read_text() == "AP\t0.4094\n"


@pytest.mark.parametrize(("file", "form"), [
    ("x.csv", "csv"), ("x.tsv", "tsv"), ("x.jsonl", "jsonl"), ("x.md", "markdown"), ("x", "tsv"),
    ("x.csv.gz", "csv"), ("x.json", "json"),
])  # fmt: skip
def test_an_output_has_the_form_of_its_ending_and_is_what_would_be_printed(collection, command, file, form):
    words = [QRELS, *RUNS, "AP", "OIE", "-q", "--missing", "empty"]
    assert command(*words, "-o", file) == (0, "", "")
    data = (collection / file).read_bytes()
    written = (gzip.decompress(data) if file.endswith(".gz") else data).decode()
    assert written == command(*words, "--format", form)[1]
    assert command(*words, "-o", "-", "--format", form)[1] == written
    assert command(*words, "-o", file, "--format", "jsonl")[0] == 0
    assert (collection / file).read_bytes() != data or form == "jsonl"


def values_of(command, *words):
    """What csv says, which other forms have to say, too."""
    rows = csv.DictReader(io.StringIO(command(*words, "--format", "csv")[1]))
    return {(row.get("run", ""), row.get("query_id", ""), row["measure"]): row["value"] for row in rows}


# Of one run, tsv has the lines of the ir_measures command.
@pytest.mark.parametrize(("runs", "form"), [
    (RUNS[:1], "table"), (RUNS[:1], "markdown"), (RUNS, "table"), (RUNS, "markdown"), (RUNS, "tsv"),
])  # fmt: skip
@pytest.mark.parametrize("options", [[], ["-q"], ["--views"]], ids=" ".join)
def test_tables_hold_every_value_once(collection, command, runs, options, form):
    words = [QRELS, *runs, "AP", "RBPT(p=0.5)", "c@1", *options]
    expected = values_of(command, *words)
    status, out, _ = command(*words, "--format", form)
    assert status == 0
    cells_of = {"markdown": r" \| |^\| | \|$", "tsv": "\t", "table": "  +"}
    lines = [re.split(cells_of[form], line) for line in out.splitlines() if "| --" not in line]
    header, *rows = [line[1:-1] for line in lines] if form == "markdown" else lines
    names = (len(runs) > 1) + bool(options)
    if not names:
        assert {("", "", measure): value for measure, value in rows} == expected
        return
    full = {
        (*row[:names], measure): value
        for row in rows
        if len(row) == len(header)
        for measure, value in zip(header[names:], row[names:])
    }
    cells = [cell for row in rows for cell in row]
    for (run, topic, measure), value in expected.items():
        assert value in cells
        assert {run, topic} - {""} <= set(cells)
        assert measure in [cell for line in lines for cell in line]
        key = (*[run] * (len(runs) > 1), *[topic] * bool(options), measure)
        assert full.get(key, value) == value


def test_a_wide_table_continues_below_with_the_names_of_its_rows(collection, command):
    measures = [f"nDCG@{k}" for k in range(1, 20)]
    out = command(QRELS, *RUNS, *measures, "--format", "table")[1]
    assert max(map(len, out.splitlines())) <= 80
    blocks = out.split("\n\n")
    assert len(blocks) > 1
    assert [block.split()[0] for block in blocks] == ["run"] * len(blocks)
    assert [word for block in blocks for word in block.splitlines()[0].split()[1:]] == measures
    assert out.count("never-stops.run") == len(blocks)


def test_a_name_with_a_bar_stays_in_its_cell_of_markdown(collection, command):
    (collection / "a|b_c.run").write_bytes((collection / RUNS[0]).read_bytes())
    out = command(QRELS, RUNS[0], "a|b_c.run", "AP", "--format", "markdown")[1]
    assert r"| a\|b\_c.run | 0.4094 |" in out


def test_names_of_runs_stay_in_their_cells(folder, command):
    shutil.copy("in.run", "a\tb\nc.run")
    rows = command("qrels", "in.run", "a\tb\nc.run", "AP")[1].splitlines()
    assert [row.split("\t")[0] for row in rows] == ["run", "in.run", r"a\tb\nc.run"]
    assert {
        row.count("\t") for row in command("qrels", "in.run", "a\tb\nc.run", "AP", "-q")[1].splitlines()
    } == {2}


def test_jsonl_has_all_places_and_null_where_a_value_is_no_number(collection, command):
    """A system that is never silent has no precision of silence."""
    lines = command(QRELS, RUNS[0], "AP", "RR", "--format", "jsonl")[1].splitlines()
    aggregated = ir_trunc.calc_aggregate("AP RR", QRELS, RUNS[0])
    assert [json.loads(line) for line in lines] == [
        {"measure": str(measure), "value": value} for measure, value in aggregated.items()
    ]
    by_topic = command(QRELS, *RUNS, "AP", "-q", "--format", "jsonl")[1].splitlines()
    assert list(json.loads(by_topic[0])) == ["run", "query_id", "measure", "value"]
    as_list = json.loads(command(QRELS, *RUNS, "AP", "-q", "--format", "json")[1])
    assert as_list == [json.loads(line) for line in by_topic]
    words = [QRELS, RUNS[0], "AP", "--views"]
    lines = [json.loads(line) for line in command(*words, "--format", "jsonl")[1].splitlines()]
    assert [line["value"] for line in lines if line["measure"] == "precision"] == [None]
    assert "nan" in command(*words, "--format", "table")[1]
