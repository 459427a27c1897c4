"""The command line: what it prints, in every format, and how it meets pipes, encodings and terminals."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys

import ir_datasets
import pytest
from ir_datasets.formats import TrecQrels
from ir_datasets.util import LocalDownload

import ir_trunc
from ir_trunc.measures import names, registry

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 1\n10 0 a 0\n"
RUN = "1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n2 Q0 b 1 3.0 x\n2 Q0 a 2 2.5 x\n2 Q0 c 3 0.1 x\n"
OTHER = "10 Q0 a 1 1.0 y\n2 Q0 c 1 1.0 y\n"


# Settings that most people do not have.
SPECIAL = {"PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "IR_DATASETS_HOME"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    (folder / "qrels").write_text(QRELS)
    (folder / "a.run").write_text(RUN)
    (folder / "b.run.gz").write_bytes(gzip.compress(OTHER.encode()))
    (folder / "word.qrels").write_text("é漢-1 0 ü 1\n", encoding="utf-8")
    (folder / "word.run").write_text("é漢-1 Q0 ü 1 1.0 s\n", encoding="utf-8")
    return folder


@pytest.fixture
def cli(folder, monkeypatch, command):
    """The command line, among these files."""
    monkeypatch.chdir(folder)
    return command


def usual():
    """The environment without them."""
    return {name: value for name, value in os.environ.items() if name not in SPECIAL}


def shell(folder, command, **env):
    """A line of bash, in which `ir_trunc` is the command line in a process of its own."""
    line = f'ir_trunc() {{ "{sys.executable}" -m ir_trunc "$@"; }}; set -o pipefail; {command}'
    words, env = ["bash", "-c", line], usual() | env
    return subprocess.run(words, cwd=folder, capture_output=True, env=env, timeout=60)


def test_means_of_one_run(cli):
    out = "RR\t0.5000\nRBPT(p=0.5,rel=1)\t0.7500\nP@5\t0.2000\n"
    assert cli("qrels", "a.run", "RR", "RBPT(p=0.5,rel=1)", "P@5") == (0, out, "")


def test_scores_by_topic_in_the_order_of_the_topics(cli):
    lines = ["1\tRR\t1.0000", "2\tRR\t0.5000", "10\tRR\t0.0000", "all\tRR\t0.5000"]
    assert cli("qrels", "a.run", "RR", "-q")[1].splitlines() == lines
    assert cli("qrels", "a.run", "RR", "-q", "-n")[1].splitlines() == lines[:-1]
    assert cli("qrels", "a.run", "RR", "--by_query", "--no_summary")[1].splitlines() == lines[:-1]


@pytest.mark.parametrize("at", range(5))
def test_options_may_stand_anywhere(cli, at):
    words = ["qrels", "a.run", "RR", "AP"]
    assert cli(*words[:at], "-q", "-p", "-1", "--format", "csv", *words[at:]) == cli(
        *words, "-qp-1", "--output_format=csv"
    )


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


def test_csv_is_csv(cli):
    out = cli("qrels", "a.run", "b.run.gz", "RBPT(p=0.5,rel=1)", "RR", "-q", "--format", "csv")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["run", "query_id", "measure", "value"]
    assert len(rows) == 2 * 2 * 4
    assert [row["value"] for row in rows if row["measure"] == "RR" and row["query_id"] == "all"] == [
        "0.5000",
        "0.3333",
    ]


def no_json(word):
    raise ValueError(f"{word} is not JSON")


def test_jsonl_holds_one_object_per_line_with_all_places(cli):
    out = cli("qrels", "a.run", "AP", "RR", "--format", "jsonl")[1]
    aggregated = ir_trunc.calc_aggregate("AP RR", "qrels", "a.run")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"measure": m, "value": aggregated[m]} for m in ("AP", "RR")
    ]
    both = [
        json.loads(line)
        for line in cli("qrels", "a.run", "b.run.gz", "RR", "-q", "--format", "jsonl")[1].splitlines()
    ]
    assert both[0] == {"run": "a.run", "query_id": "1", "measure": "RR", "value": 1.0}


def test_jsonl_is_json_where_a_value_is_no_number(cli, folder):
    """A system that is never silent has no precision of silence."""
    (folder / "loud.run").write_text(RUN + OTHER.splitlines()[0] + "\n")
    views = cli("qrels", "loud.run", "RR", "--views", "--format", "jsonl")[1]
    assert all(json.loads(line, parse_constant=no_json) for line in views.splitlines())


def test_measures_that_other_tools_compute_stand_among_ours(cli):
    out = cli("qrels", "a.run", "NumRet", "RBPT", "Judged@2", "RR")[1]
    assert [line.split("\t")[0] for line in out.splitlines()] == ["NumRet", "RBPT", "Judged@2", "RR"]
    assert out.startswith("NumRet\t5.0000\n")


@pytest.mark.parametrize("options", [[], ["-q"], ["-p", "-1"], ["-q", "-n"]], ids=" ".join)
def test_the_same_figures_as_ir_measures_own_command(cli, folder, options):
    words = ["qrels", "a.run", "nDCG@10", "AP", "P@5", *options]
    command = [sys.executable, "-m", "ir_measures", *words]
    theirs = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert sorted(cli(*words)[1].splitlines()) == sorted(theirs.splitlines())


def test_all_measures_are_listed_and_described(cli):
    status, out, _ = cli("measures")
    assert status == 0
    assert {
        name for name in registry if not re.search(rf"^  {re.escape(name)}[@\[(\s]", out, re.MULTILINE)
    } == set()
    assert f"{len(registry)} measures" in out
    for name in names():
        status, out, err = cli("measures", name)
        assert (status, err) == (0, "")
        assert all(part in out for part in ("range:", "source:", "example:")), name
    assert cli("measures", "RBPT") == cli("measures", "RBPT(p=0.5)@10")


def test_an_unknown_measure_offers_the_nearest_names(cli):
    for words in (["measures", "RBTP"], ["qrels", "a.run", "RBTP"], ["qrels", "a.run", "AP", "rbpt"]):
        status, out, err = cli(*words)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert re.search("Did you mean (\\w+ or )*RBPT", err)
    assert "Did you mean" not in cli("measures", "xyzzy")[2]
    assert "Did you mean p?" in cli("qrels", "a.run", "RBPT(P=0.5)")[2]


def test_the_demonstration_tells_how_to_go_on(cli, monkeypatch, tmp_path):
    status, out, err = cli("demo")
    assert (status, err) == (0, "")
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^  ir_trunc (.*)$", out, re.MULTILINE)
    assert [cli(*command.split())[0] for command in commands] == [0, 0]


def test_version_and_help(cli):
    assert cli("--version") == (0, f"ir_trunc {ir_trunc.__version__}\n", "")
    for words in (["--help"], ["-h"], ["measures", "--help"], ["demo", "-h"]):
        status, out, err = cli(*words)
        assert (status, err) == (0, "")
        assert "usage: ir_trunc" in out


def test_warnings_are_lines_without_code(cli, folder):
    (folder / "strange.run").write_text("9 Q0 a 1 1 s\n8 Q0 a 1 1 s\n" + RUN)
    status, out, err = cli("qrels", "strange.run", "RR")
    assert (status, out) == (0, "RR\t0.5000\n")
    assert re.fullmatch(r"ir_trunc: warning: run strange.run: 2 topics that the qrels lack .*\n", err)


def test_a_data_set_gives_the_qrels(cli, folder):
    class Place(LocalDownload):
        def __init__(self):
            super().__init__(folder / "qrels")

    ir_datasets.registry.register("ir-trunc-cli", ir_datasets.Dataset(TrecQrels(Place(), {})))
    assert cli("ir-trunc-cli", "a.run", "RR") == cli("qrels", "a.run", "RR")


def test_a_pipe_gets_the_scores_and_nothing_else(folder):
    done = shell(
        folder,
        "ir_trunc qrels a.run b.run.gz RBPT AP -q | cat; ir_trunc qrels <(zcat b.run.gz) RR; ir_trunc demo",
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"b.run\tall\tAP\t" in done.stdout
    assert b"\nRR\t0.3333\n" in done.stdout


@pytest.mark.parametrize("command", ["qrels a.run AP -q", "measures", "demo"])
def test_a_reader_that_leaves_is_no_error(folder, command):
    """Before the first line; after it: test_command_line."""
    assert shell(folder, f"ir_trunc {command} | true").stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_output_that_cannot_be_written_is_one_line(folder):
    done = shell(folder, "ir_trunc qrels a.run AP > /dev/full")
    assert done.returncode != 0
    assert re.fullmatch(rb"ir_trunc: .*No space left on device.*\n", done.stderr)


@pytest.mark.parametrize("runs", ["a.run", "a.run b.run.gz"])
def test_closed_output_is_no_error_of_ours(folder, runs):
    assert b"Traceback" not in shell(folder, f"ir_trunc qrels {runs} AP >&-").stderr


def test_a_home_that_cannot_be_written_is_no_obstacle(folder):
    """ir_datasets wants a folder there."""
    done = shell(folder, "ir_trunc qrels a.run RR && ir_trunc no-such-qrels a.run RR", HOME="/dev/null")
    assert done.stdout == b"RR\t0.5000\n"
    assert re.fullmatch(rb"ir_trunc: .*no-such-qrels.*\n", done.stderr)


def test_python_without_docstrings_scores_all_the_same(folder):
    assert shell(folder, "ir_trunc qrels a.run RR RBPT", PYTHONOPTIMIZE="2").stderr == b""


@pytest.mark.parametrize("env", [
    {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "cp1252"},
], ids=["C", "ASCII", "Windows"])  # fmt: skip
def test_any_encoding_prints_any_id(folder, one_after_another, env):
    lines = ["word.qrels", "word.run", "RR", "-qn"], ["measures"], ["demo"]
    done = subprocess.run(one_after_another(*lines), cwd=folder, capture_output=True, env=usual() | env)
    assert (done.returncode, done.stderr) == (0, b"")
    scores = done.stdout.partition(b"END")[0]
    assert re.fullmatch(rb"\S+-1\tRR\t1.0000\r?\n", scores)
    if list(env) == ["LC_ALL"]:
        assert scores == "é漢-1\tRR\t1.0000\n".encode()


@pytest.mark.skipif(not shutil.which("script"), reason="needs util-linux' script")
def test_a_terminal_gets_a_table_that_lines_up(folder):
    command = f"'{sys.executable}' -m ir_trunc qrels a.run b.run.gz RR 'RBPT(p=0.5)'"
    script = ["script", "-qec", command, "/dev/null"]
    done = subprocess.run(script, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
    lines = done.stdout.decode().split("\r\n")
    assert done.returncode == 0
    assert "\t" not in done.stdout.decode()
    assert len({len(line) for line in lines if line.strip()}) == 1
    assert lines[0].split() == ["run", "RR", "RBPT(p=0.5)"]
