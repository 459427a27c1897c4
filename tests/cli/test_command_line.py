"""The command line as one thing: flags, forms of output, words that are nearly right, and terminals."""

import contextlib
import csv
import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections import defaultdict

import pytest

import ir_trunc
from ir_trunc.cli import arguments, main, output
from ir_trunc.cli.meta import commands
from ir_trunc.measures import names, registry
from ir_trunc.synthetic import demo

COMMANDS = [
    [],
    *([name] for name in (*main.COMMANDS, *main.MODULES) if name not in ("study", "meta")),
    *(["study", name] for name in ("cuts", "agreement", "lengths", "example", "policies")),
    *(["meta", name] for name in ("matrix", "guide", "calibrate", *commands())),
]
QRELS, RUNS = "demo.qrels", ["never-stops.run", "stops-in-time.run"]


@pytest.fixture
def collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demo.copy(".")
    return tmp_path


def parsers(command, monkeypatch):
    """The parsers that a command makes where it is asked for help."""
    made, first = [], arguments.OneLineParser.__init__

    def noted(self, *args, **options):
        first(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(arguments.OneLineParser, "__init__", noted)
    for words in COMMANDS:
        assert command(*words, "--help")[0] == 0
    return made


def test_a_letter_means_one_thing_in_all_commands(command, monkeypatch):
    meanings = defaultdict(set)
    for parser in parsers(command, monkeypatch):
        for action in parser._actions:
            for flag in action.option_strings:
                if not flag.startswith("--"):
                    meanings[flag].add(next(long for long in action.option_strings if long.startswith("--")))
    assert meanings.pop("-m") <= {"--measure", "--measures"}
    assert {flag: sorted(meant) for flag, meant in meanings.items() if len(meant) > 1} == {}
    assert {flag: min(meant) for flag, meant in meanings.items()} == {
        "-h": "--help",
        "-q": "--by-query",
        "-n": "--no-summary",
        "-p": "--places",
        "-o": "--output",
        "-k": "--cuts",
    }


def test_flags_are_words_with_hyphens_and_come_from_one_table(command, monkeypatch):
    table = [{letter, f"--{name}"} - {""} for name, (letter, _) in arguments.OPTIONS.items()]
    for parser in parsers(command, monkeypatch):
        for action in parser._actions:
            assert "_" not in "".join(action.option_strings)
            names = set(action.option_strings)
            assert all(names in (of_table, names - {"-m"} | {"-m"}) for of_table in table if names & of_table)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_fits_a_terminal(command, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", "80")
    assert too_long(command(*words, "--help")[1]) == []


@pytest.mark.parametrize("words", [["demo"], ["measures"], *(["measures", name] for name in registry)])
def test_pages_of_text_fit_a_terminal(command, words):
    assert too_long(command(*words)[1]) == []


def too_long(text):
    """Lines that are wider than a terminal, but for addresses, which cannot be broken."""
    return [line for line in text.splitlines() if len(line) > 80 and not re.search(r"https?://\S{40}", line)]


def test_the_flags_of_the_ir_measures_command_are_understood(collection, command):
    words = [QRELS, RUNS[0], "AP", "RBPT"]
    assert command(*words, "--by_query", "--no_summary", "--places=2", "--output_format", "jsonl") == command(
        *words, "-q", "-n", "-p", "2", "--format", "jsonl"
    )


@pytest.mark.parametrize("form", output.FORMATS)
def test_an_output_named_like_a_form_is_refused(collection, command, form):
    status, out, error = command(QRELS, RUNS[0], "AP", "-o", form)
    assert (status, out) == (2, "")
    assert f"write --format {form}" in error
    assert not (collection / form).exists()
    assert command(QRELS, RUNS[0], "AP", "-o", f"./{form}") == (0, "", "")
    assert (collection / form).read_text() == "AP\t0.4094\n"


@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("x.csv", "csv"),
        ("x.tsv", "tsv"),
        ("x.jsonl", "jsonl"),
        ("x.md", "markdown"),
        ("x", "tsv"),
        ("x.csv.gz", "csv"),
    ],
)
def test_an_output_has_the_form_of_its_ending_and_is_what_would_be_printed(collection, command, file, form):
    words = [QRELS, *RUNS, "AP", "OIE", "-q"]
    assert command(*words, "-o", file) == (0, "", "")
    data = (collection / file).read_bytes()
    written = (gzip.decompress(data) if file.endswith(".gz") else data).decode()
    assert written == command(*words, "--format", form)[1]
    assert command(*words, "-o", "-", "--format", form)[1] == written
    assert command(*words, "-o", file, "--format", "jsonl")[0] == 0
    assert (collection / file).read_bytes() != data or form == "jsonl"


def test_an_output_that_is_an_input_is_refused(collection, command):
    before = (collection / QRELS).read_bytes()
    assert "would be overwritten" in command(QRELS, RUNS[0], "AP", "-o", QRELS)[2]
    assert (collection / QRELS).read_bytes() == before


def values_of(command, *words):
    """What csv says, which other forms have to say, too."""
    rows = csv.DictReader(io.StringIO(command(*words, "--format", "csv")[1]))
    return {(row.get("run", ""), row.get("query_id", ""), row["measure"]): row["value"] for row in rows}


@pytest.mark.parametrize("runs", [RUNS[:1], RUNS], ids=["one run", "two runs"])
@pytest.mark.parametrize("options", [[], ["-q"], ["--views"]], ids=" ".join)
@pytest.mark.parametrize("form", ["table", "markdown"])
def test_tables_hold_every_value_once(collection, command, runs, options, form):
    words = [QRELS, *runs, "AP", "RBPT(p=0.5)", "c@1", *options]
    expected = values_of(command, *words)
    status, out, _ = command(*words, "--format", form)
    assert status == 0
    if form == "markdown":
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()]
        del lines[1]
    else:
        lines = [re.split(r"  +", line) for line in out.splitlines()]
    cells = [cell for line in lines[1:] for cell in line]
    for (run, topic, measure), value in expected.items():
        assert value in cells
        assert {run, topic} - {""} <= set(cells)
        assert measure in [cell for line in lines for cell in line]
    names_of_rows = len(runs) > 1, bool(options)
    if any(names_of_rows):
        header, *rows = lines
        found = {
            (*(row[: sum(names_of_rows)]), measure): value
            for row in rows
            if len(row) == len(header)
            for measure, value in zip(header[sum(names_of_rows) :], row[sum(names_of_rows) :])
        }
        for (run, topic, measure), value in expected.items():
            key = tuple(part for part, there in ((run, names_of_rows[0]), (topic, names_of_rows[1])) if there)
            assert found.get((*key, measure), value) == value


def test_a_wide_table_continues_below_with_the_names_of_its_rows(collection, command):
    measures = [f"nDCG@{k}" for k in range(1, 20)]
    out = command(QRELS, *RUNS, *measures, "--format", "table")[1]
    assert too_long(out) == []
    blocks = out.split("\n\n")
    assert len(blocks) > 1
    assert [block.split()[0] for block in blocks] == ["run"] * len(blocks)
    assert [word for block in blocks for word in block.splitlines()[0].split()[1:]] == measures
    assert out.count("never-stops.run") == len(blocks)


def test_a_name_with_a_bar_stays_in_its_cell_of_markdown(collection, command):
    (collection / "a|b_c.run").write_bytes((collection / RUNS[0]).read_bytes())
    out = command(QRELS, RUNS[0], "a|b_c.run", "AP", "--format", "markdown")[1]
    assert r"| a\|b\_c.run | 0.4094 |" in out


def on_a_terminal(words, folder):
    """What a command prints where standard output is a terminal."""
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "ir_trunc", *words]
    with subprocess.Popen(command, cwd=folder, stdout=its, stderr=subprocess.PIPE) as process:
        os.close(its)
        printed = b""
        with contextlib.suppress(OSError):  # how a terminal ends
            while part := os.read(ours, 4096):
                printed += part
        assert process.wait() == 0, process.stderr.read()
    os.close(ours)
    return printed.decode().replace("\r\n", "\n")


def test_a_terminal_gets_a_table_to_read_and_a_pipe_gets_tsv(collection, command):
    words = [QRELS, *RUNS, "AP", "OIE"]
    shown = on_a_terminal(words, collection)
    assert shown == command(*words, "--format", "table")[1]
    assert "\t" not in shown
    piped = command(*words)[1]
    assert piped == command(*words, "--format", "tsv")[1]
    assert piped.splitlines()[0] == "run\tAP\tOIE"
    assert on_a_terminal([*words, "--format", "tsv"], collection) == piped


@pytest.mark.parametrize("words", [[QRELS, *RUNS, "AP", "-q"], ["measures"], ["demo"], ["study", "example"]])
def test_a_reader_that_has_seen_enough_is_not_an_error(collection, words):
    line = 'set -o pipefail; "$0" -m ir_trunc "$@" | head -1'
    command = ["bash", "-c", line, sys.executable, *words]
    for setting in ({}, {"PYTHONUNBUFFERED": "1"}):
        found = subprocess.run(command, cwd=collection, capture_output=True, env=os.environ | setting)
        assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tuncate", RUNS[0]], "'tuncate' is neither a command nor qrels. Did you mean truncate?"),
        (["measure", "RBPT"], "'measure' is neither a command nor qrels. Did you mean measures?"),
        (["Demo"], "Did you mean demo?"),
        ([QRELS, RUNS[0], "nDGC"], "'nDGC' is neither a file nor a measure. Did you mean nDCG"),
        ([QRELS, RUNS[0], "nDGC@10"], "'nDGC@10' is neither a file nor a measure. Did you mean nDCG"),
        ([QRELS, RUNS[0], "RBPT(p=0.5"], "'RBPT(p=0.5' is not a measure: it cannot be read"),
        ([QRELS, RUNS[0], "AP", "nDGC"], "There is no measure 'nDGC'. Did you mean nDCG"),
        (["meta", "power", QRELS, *RUNS, "nDGC"], "'nDGC' is neither a file nor a measure. Did you"),
        (["meta", "powr"], "Did you mean power?"),
    ],
)  # fmt: skip
def test_a_word_that_is_nearly_right_gets_the_nearest(collection, command, words, says):
    status, out, error = command(*words)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert says in error


def test_a_file_named_like_a_command_is_qrels(collection, command):
    (collection / "measure").write_bytes((collection / QRELS).read_bytes())
    assert command("measure", RUNS[0], "AP")[0] == 0


def test_a_run_is_told_from_a_measure_in_one_way(collection, command):
    """By the commands that score, and by those of meta."""
    for name in ("AP", "P_5", "P_5.run"):
        (collection / name).write_bytes((collection / RUNS[0]).read_bytes())
    score = command(QRELS, "AP", RUNS[1], "P_5.run", "AP", "P_5", "-q", "-n", "--format", "csv")[1]
    assert {line.split(",")[0] for line in score.splitlines()[1:]} == {"AP", RUNS[1], "P_5.run"}
    assert command("meta", "matrix", QRELS, "AP", RUNS[1], "P_5.run", "AP", "P_5", "-o", "saved")[0] == 0
    matrix = ir_trunc.meta.ScoreMatrix.load("saved")
    assert (matrix.systems, matrix.measures) == (("AP", RUNS[1], "P_5.run"), ("AP", "P@5"))


def test_the_demonstration_is_copied_and_nothing_is_overwritten(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    status, _, error = command(QRELS, RUNS[0], "AP")
    assert status == 2
    assert "'ir_trunc demo --copy .' puts the files of the demonstration there" in error
    assert command("demo", "--copy", "new/folder")[:2] == (0, "")
    assert sorted(os.listdir("new/folder")) == sorted(path.name for path in demo.data().iterdir())
    assert command(f"new/folder/{QRELS}", f"new/folder/{RUNS[0]}", "AP") == (0, "AP\t0.4094\n", "")
    assert command("demo", "--copy", "new/folder")[0] == 0
    (tmp_path / "new/folder" / QRELS).write_text("mine\n")
    status, _, error = command("demo", "--copy", "new/folder")
    assert (status, error.count("\n")) == (2, 1)
    assert "is there already" in error
    assert (tmp_path / "new/folder" / QRELS).read_text() == "mine\n"


@pytest.mark.parametrize("folder", ["", "file", "file/below"])
def test_a_folder_that_cannot_be_one_is_refused(tmp_path, monkeypatch, command, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    status, out, error = command("demo", "--copy", folder)
    assert (status, out, error.count("\n")) == (2, "", 1)


TREC_EVAL = {
    "map": "AP", "recip_rank": "RR", "ndcg_cut_10": "nDCG@10", "ndcg_cut.10": "nDCG@10", "P_5": "P@5",
    "P.5": "P@5", "recall_100": "R@100", "bpref": "Bpref", "ndcg": "nDCG", "set_F": "SetF",
    "map_cut_10": "AP@10", "success_1": "Success@1", "num_ret": "NumRet", "ndcg_cut.5,10": "nDCG@5 nDCG@10",
}  # fmt: skip


@pytest.mark.parametrize("name", TREC_EVAL)
def test_the_names_of_trec_eval_are_understood(collection, command, name):
    assert command(QRELS, RUNS[0], name) == command(QRELS, RUNS[0], TREC_EVAL[name])
    assert ir_trunc.calc_aggregate(name, QRELS, RUNS[0]) == ir_trunc.calc_aggregate(
        TREC_EVAL[name], QRELS, RUNS[0]
    )


@pytest.mark.parametrize(
    "name", ["gm_map", "official", "P_5.run", "P_x", "map_", "ndcg_cut_", "P_5x", "all_trec"]
)
def test_what_is_not_a_name_of_a_measure_is_refused(name, capsys):
    with pytest.raises(ir_trunc.UnknownMeasureError, match=name):
        ir_trunc.parse_measure(name)
    assert capsys.readouterr().out == ""


def test_a_name_of_trec_eval_that_stands_for_many_is_one_measure_nowhere():
    assert len(ir_trunc.calc("ndcg_cut", {"1": {"a": 1}}, {"1": ["a"]}).measures) == 9
    with pytest.raises(ir_trunc.UnknownMeasureError, match="'ndcg_cut' is 9 measures in trec_eval"):
        ir_trunc.parse_measure("ndcg_cut")


def test_no_name_of_ours_is_one_of_trec_eval_with_another_meaning():
    from ir_trunc.scoring.objects import trec_eval_measures

    for name in set(names()) & set(registry):
        found = {str(measure).partition("@")[0].partition("(")[0] for measure in trec_eval_measures(name)}
        assert found <= {name, *registry[name].aliases}


def test_warnings_of_other_packages_are_not_told(collection, command, monkeypatch):
    import warnings

    def noisy(words):
        warnings.warn("Precision loss occurred", RuntimeWarning, stacklevel=1)
        warnings.warn("a thing that will change", FutureWarning, stacklevel=1)
        warnings.warn("said by a module of the user's", UserWarning, stacklevel=1)
        return 0

    monkeypatch.setattr("ir_trunc.cli.score.main", noisy)
    assert command(QRELS) == (0, "", "ir_trunc: warning: said by a module of the user's\n")


def test_a_collection_that_cannot_be_reached_is_one_line(tmp_path):
    """Where there is no network, or the proxy does not answer."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    settings = nowhere | {"IR_DATASETS_HOME": str(tmp_path), "IR_DATASETS_DL_TRIES": "1"}
    (tmp_path / "run").write_text("1 Q0 a 1 1 x\n")
    command = [sys.executable, "-m", "ir_trunc", "vaswani", "run", "AP"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | settings)
    assert (found.returncode, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert "data set vaswani cannot be loaded: http" in found.stderr
    assert "cannot be reached; is there a connection to the network?" in found.stderr
    assert len(found.stderr) < 250


def test_the_words_of_json_lines_and_tables_agree_on_what_is_not_a_number(collection, command):
    words = [QRELS, RUNS[0], "AP", "--views"]
    lines = [json.loads(line) for line in command(*words, "--format", "jsonl")[1].splitlines()]
    assert [line["value"] for line in lines if line["measure"] == "precision"] == [None]
    assert "nan" in command(*words, "--format", "table")[1]
