"""`ir_trunc QRELS RUN ... MEASURE ...`: scores, their formats, and one line about wrong measures.

A format has the same values as any other, in a file as on a terminal or in a pipe.
"""

import csv
import gzip
import io
import json
import re
import shutil
import subprocess
import sys

import pytest

import ir_trunc
from ir_trunc._output.tables import FORMATS

JUDGMENTS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 1\n10 0 a 0\n"
RUN = "1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n2 Q0 b 1 3.0 x\n2 Q0 a 2 2.5 x\n2 Q0 c 3 0.1 x\n"
OTHER = "10 Q0 a 1 1.0 y\n2 Q0 c 1 1.0 y\n"

QRELS, RUNS = "demo.qrels", ["never-stops.run", "stops-in-time.run"]  # of the demonstration


@pytest.fixture
def cli(tmp_path, monkeypatch, command):
    """The command line, among these files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "directory").mkdir()
    (tmp_path / "qrels").write_text(JUDGMENTS)
    (tmp_path / "a.run").write_text(f"{RUN}10 Q0 __nil__ 1 0 x\n")  # silent, not missing
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(OTHER.encode()))
    return command


def test_scores_by_topic_in_the_order_of_the_topics(cli):
    lines = ["1\tRR\t1.0000", "2\tRR\t0.5000", "10\tRR\t0.0000", "all\tRR\t0.5000"]
    assert cli("qrels", "a.run", "RR", "-q")[1].splitlines() == lines
    assert cli("qrels", "a.run", "RR", "-q", "-n")[1].splitlines() == lines[:-1]


@pytest.mark.parametrize("places", [0, 2, 10, -1])
def test_decimal_places(cli, places):
    value = ir_trunc.calc_aggregate("AP", "qrels", "a.run")["AP"]
    shown = repr(value) if places == -1 else f"{value:.{places}f}"
    assert cli("qrels", "a.run", "AP", "-p", str(places)) == (0, f"AP\t{shown}\n", "")


@pytest.mark.parametrize("words", [
    ["RBPT(p=0.5, rel=1)", "AP(rel=2)@3"], ["RBPT(p=0.5, rel=1) AP(rel=2)@3"],
    ["  RBPT( rel = 1 , p = .5 )\tAP(rel=2)@3 "],
    ["RBPT(p=0.5,rel=1)", "AP(rel=2)@3", "RBPT(rel=1,p=0.5)"],
])  # fmt: skip
def test_blanks_inside_and_between_measures(cli, words):
    status, out, err = cli("qrels", "a.run", *words)
    assert (status, err) == (0, "")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["RBPT(p=0.5,rel=1)", "AP(rel=2)@3"]


def test_several_runs_make_a_table(cli):
    status, out, _ = cli("qrels", "a.run", "b.run.gz", "RR", "RBPT(p=0.5,rel=1)")
    table = [line.split("\t") for line in out.splitlines()]
    assert status == 0
    assert table[0] == ["run", "RR", "RBPT(p=0.5,rel=1)"]
    assert [row[0] for row in table[1:]] == ["a.run", "b.run"]
    assert [row[1] for row in table[1:]] == ["0.5000", "0.3333"]
    for row in table[1:]:
        alone = cli("qrels", {"b.run": "b.run.gz"}.get(row[0], row[0]), "RR", "RBPT(p=0.5,rel=1)")[1]
        assert [line.split("\t")[1] for line in alone.splitlines()] == row[1:]


@pytest.mark.parametrize("options", [[], ["-q"], ["-p", "-1"], ["-q", "-n"]], ids=" ".join)
def test_the_same_figures_as_ir_measures_own_command(cli, options):
    words = ["qrels", "a.run", "nDCG@10", "AP", "P@5", *options]
    command = [sys.executable, "-m", "ir_measures", *words]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert sorted(cli(*words)[1].splitlines()) == sorted(theirs.splitlines())


def test_a_topic_called_all_is_told_from_the_means(folder, command):
    (folder / "qrels").write_text("all 0 d1 1\n2 0 d2 1\n")
    (folder / "in.run").write_text("all Q0 d1 1 1 t\n2 Q0 x 1 1 t\n")
    for form in ("tsv", "csv", "jsonl"):
        _, out, err = command("qrels", "in.run", "RR", "-q", "--format", form)
        assert "a topic is called 'all'; the means of all topics are those of 'all topics'" in err
        rows = [line for line in out.splitlines() if "all" in line]
        assert [("all topics" in row, "0.5" in row) for row in rows] == [(False, False), (True, True)]
    assert command("qrels", "in.run", "RR") == (0, "RR\t0.5000\n", "")
    assert "all topics" not in command("qrels", "in.run", "RR", "-qn")[1]


@pytest.fixture
def nested(cli, tmp_path):
    """Qrels and a run whose ids have the keys user and day."""
    (tmp_path / "qrels").write_text("u1/mon 0 a 1\nu1/tue 0 b 1\nu2/mon 0 c 1\n")
    (tmp_path / "a.run").write_text("u1/mon Q0 a 1 1 x\nu1/tue Q0 x 1 1 x\nu2/mon Q0 c 1 1 x\n")
    return cli


def test_means_by_a_key(nested):
    assert nested("qrels", "a.run", "RR")[1] == "RR\t0.6667\n"
    words = ["qrels", "a.run", "RR", "--keys", "user/day"]
    assert nested(*words) == (0, "RR\t0.7500\n", "")
    assert nested(*words, "--by", "user")[1] == "u1\tRR\t0.5000\nu2\tRR\t1.0000\nall\tRR\t0.7500\n"
    lines = nested(*words, "--by", "day", "-n", "--format", "csv")[1].splitlines()
    assert lines[:2] == ["day,measure,value", "u1/mon,RR,1.0000"]
    results = ir_trunc.calc("RR", "qrels", "a.run", keys="user/day")
    assert len(lines) == 1 + len(results.by("day"))


@pytest.mark.parametrize(("words", "message"), [
    ("--by user", "--by needs --keys"), ("--keys user/day --by week", "no key 'week'"),
    ("--keys user/day --unit day --explain u1", "--unit is of means"),
    ("--keys user/day --by user -q", "--by are tables of their own"), ("--keys user/day/hour", "2 keys"),
])  # fmt: skip
def test_keys_that_do_not_fit(nested, complaint, words, message):
    assert message in complaint("qrels", "a.run", "RR", *words.split())


@pytest.mark.parametrize(("measure", "parts"), [
    ("RBPT(p=high)", ["RBPT(p=high)"]), ("RBPT(p='high')", ["RBPT", "p='high'"]),
    ("RBPT(0.5)", ["RBPT(0.5)", "name"]), ("RBPT(p=0.5", ["RBPT(p=0.5"]),
    ("RBPT(p=0.5))", ["RBPT(p=0.5))"]), ("RBPT(p=0.5,p=0.6)", ["RBPT", "twice"]),
    ("RBPT(p=1)(p=1)", ["RBPT(p=1)"]), ("RBPT@-1", ["RBPT", "-1"]), ("RBPT@1.5", ["RBPT", "1.5"]),
    ("P", ["P@10"]), ("AP@", ["AP@"]), ("@10", ["@10"]), ("nDCG@10@20", ["nDCG@10@20"]),
    ("AP,P@5", ["AP,P@5"]), ("", ["measure"]), (" ", ["measure"]),
    ("alpha_nDCG@10", ["alpha_nDCG@10", "pip install ir-measures[pyndeval]", "by subtopic"]),
    ("NERR8@10", ["NERR8", "max_rel"]), ("é", ["'é'"]),
    ("AP(rel=0)", ["AP", "rel=0"]), ("P(rel='x')@5", ["P", "rel='x'"]),
    ("SetF(beta=-1)", ["SetF", "beta=-1"]),
    ("NumRet(rel='x')", ["NumRet", "rel"]), ("RBPT" + "(" * 300, ["RBPT"]),
    ("__import__('os')", ["__import__"]),
], ids=lambda value: value[:20] if isinstance(value, str) else "")  # fmt: skip
def test_a_bad_measure(cli, complaint, measure, parts):
    message = complaint("qrels", "a.run", measure)
    assert [part for part in parts if part not in message] == [], message
    assert len(message) < 500
    assert "object at 0x" not in message


def test_missing_topics_count_as_the_option_says(cli, complaint, tmp_path):
    (tmp_path / "a.run").write_text(RUN)
    assert cli("qrels", "a.run", "RR", "--missing", "empty") == (0, "RR\t0.5000\n", "")
    assert cli("qrels", "a.run", "RR", "--missing", "exclude")[1] == "RR\t0.7500\n"
    assert "not in the run (for example 10)" in complaint("qrels", "a.run", "RR", "--missing", "error")
    words = ["compare", "qrels", "a.run", "b.run.gz", "RR", "--missing", "error"]
    assert "not in the run (for example 10)" in complaint(*words)


@pytest.mark.parametrize(("missing", "treated"), [("empty", "counted as empty"), ("exclude", "excluded")])
@pytest.mark.parametrize("option", ["-q", "--views", None])
def test_missing_topics_are_counted_below_the_table(cli, tmp_path, missing, treated, option):
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "whole.run").write_text(f"{RUN}10 Q0 x 1 0 x\n")
    words = ["qrels", "a.run", "whole.run", "RR", "--missing", missing, *filter(None, [option])]
    status, out, _ = cli(*words, "--format", "table")
    assert status == 0
    assert out.splitlines()[-1] == f"a.run: 1 topic missing from the run, {treated}"
    assert out.count("missing") == 1
    for form in ("tsv", "csv", "jsonl", "markdown"):
        assert "missing" not in cli(*words, "--format", form)[1]
    assert "missing" not in cli("qrels", "whole.run", "RR", "--format", "table")[1]


@pytest.mark.parametrize("form", FORMATS)
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


# Of one run, tsv has the lines of the ir_measures command.
@pytest.mark.parametrize(("runs", "form"), [
    (RUNS[:1], "table"), (RUNS[:1], "markdown"), (RUNS, "table"), (RUNS, "markdown"), (RUNS, "tsv"),
])  # fmt: skip
@pytest.mark.parametrize("options", [[], ["-q"], ["--views"]], ids=" ".join)
def test_tables_hold_every_value_once(collection, command, runs, options, form):
    words = [QRELS, *runs, "AP", "RBPT(p=0.5)", "c@1", *options]
    of_csv = csv.DictReader(io.StringIO(command(*words, "--format", "csv")[1]))
    expected = {(of.get("run", ""), of.get("query_id", ""), of["measure"]): of["value"] for of in of_csv}
    status, out, _ = command(*words, "--format", form)
    assert status == 0
    cells_of = {"markdown": r" \| |^\| | \|$", "tsv": "\t", "table": "  +"}
    lines = [re.split(cells_of[form], line) for line in out.splitlines() if "| --" not in line]
    header, *rows = [line[1:-1] for line in lines] if form == "markdown" else lines
    names = (len(runs) > 1) + bool(options)
    if not names:
        assert {("", "", measure): value for measure, value in rows} == expected
        return
    full = {}
    for row in (row for row in rows if len(row) == len(header)):
        full |= {(*row[:names], measure): value for measure, value in zip(header[names:], row[names:])}
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
    by_topic = command("qrels", "in.run", "a\tb\nc.run", "AP", "-q")[1].splitlines()
    assert {row.count("\t") for row in by_topic} == {2}


def test_jsonl_has_all_places_and_null_where_a_value_is_no_number(collection, command):
    """A system that is never silent has no precision of silence."""
    lines = command(QRELS, RUNS[0], "AP", "RR", "--format", "jsonl")[1].splitlines()
    aggregated = ir_trunc.calc_aggregate("AP RR", QRELS, RUNS[0])
    expected = [{"measure": str(measure), "value": value} for measure, value in aggregated.items()]
    assert [json.loads(line) for line in lines] == expected
    by_topic = command(QRELS, *RUNS, "AP", "-q", "--format", "jsonl")[1].splitlines()
    assert list(json.loads(by_topic[0])) == ["run", "query_id", "measure", "value"]
    as_list = json.loads(command(QRELS, *RUNS, "AP", "-q", "--format", "json")[1])
    assert as_list == [json.loads(line) for line in by_topic]
    words = [QRELS, RUNS[0], "AP", "--views"]
    lines = [json.loads(line) for line in command(*words, "--format", "jsonl")[1].splitlines()]
    assert [line["value"] for line in lines if line["measure"] == "precision"] == [None]
    assert "nan" in command(*words, "--format", "table")[1]
