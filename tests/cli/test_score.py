"""`ir_trunc QRELS RUN ... MEASURE ...`: scores, and one line about wrong runs, qrels and measures."""

import gzip
import subprocess
import sys

import pytest

import ir_trunc

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 1\n10 0 a 0\n"
RUN = "1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n2 Q0 b 1 3.0 x\n2 Q0 a 2 2.5 x\n2 Q0 c 3 0.1 x\n"
OTHER = "10 Q0 a 1 1.0 y\n2 Q0 c 1 1.0 y\n"


@pytest.fixture
def cli(tmp_path, monkeypatch, command):
    """The command line, among these files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "directory").mkdir()
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(f"{RUN}10 Q0 __nil__ 1 0 x\n")  # silent, not missing
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(OTHER.encode()))
    return command


def test_means_of_one_run(cli):
    out = "RR\t0.5000\nRBPT(p=0.5,rel=1)\t0.7500\nP@5\t0.2000\n"
    assert cli("qrels", "a.run", "RR", "RBPT(p=0.5,rel=1)", "P@5") == (0, out, "")


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


def test_measures_that_other_tools_compute_stand_among_ours(cli):
    out = cli("qrels", "a.run", "NumRet", "RBPT", "Judged@2", "RR")[1]
    assert [line.split("\t")[0] for line in out.splitlines()] == ["NumRet", "RBPT", "Judged@2", "RR"]
    assert out.startswith("NumRet\t5.0000\n")


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
    ("--keys user/day --by user -q", "--by are tables of their own"), ("--keys user/day/hour", "2 keys"),
])  # fmt: skip
def test_keys_that_do_not_fit(nested, complaint, words, message):
    assert message in complaint("qrels", "a.run", "RR", *words.split())


BAD = [
    ("run", "word.run", RUN.encode() + b"2 Q0 d 1 high x\n", "line 6 (topic 2, document d)"),
    ("run", "missing.run", None, "no such file"), ("run", "directory", None, "directory"),
    ("qrels", "half.qrels", b"1 0 a 1.5\n", "line 1 (topic 1, document a): relevance '1.5'"),
    ("qrels", "a.run", RUN.encode(), "6 fields"), ("qrels", "missing.qrels", None, "no such file"),
    ("qrels", "some/unknown/set", None, "ir_datasets"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "data", "part"), BAD, ids=[name for _, name, *_ in BAD])
def test_bad_runs_and_qrels(cli, complaint, tmp_path, kind, name, data, part):
    """One line names the file and the place; the tests of the readers have all mistakes."""
    if data is not None:
        (tmp_path / name).write_bytes(data)
    words = [name, "a.run"] if kind == "qrels" else ["qrels", name]
    message = complaint(*words, "RBPT", "AP")
    assert name in message
    assert part in message


@pytest.mark.filterwarnings("ignore")
def test_topics_of_thousands_of_digits_are_topics(cli, tmp_path):
    (tmp_path / "digits.qrels").write_bytes(b"7" * 5000 + b" 0 a 1\n")
    (tmp_path / "digits.run").write_bytes(b"7" * 5000 + b" Q0 a 1 2.5 t\n")
    assert cli("digits.qrels", "digits.run", "AP", "-q")[0] == 0


@pytest.mark.parametrize(("measure", "parts"), [
    ("RBPT(p=2)", ["p=2", "< 1"]), ("RBPT(p=high)", ["RBPT(p=high)"]),
    ("RBPT(p='high')", ["RBPT", "p='high'"]),
    ("RBPT(q=0.5)", ["RBPT", "'q'", "p, "]), ("RBPT(0.5)", ["RBPT(0.5)", "name"]),
    ("RBPT(p=0.5", ["RBPT(p=0.5"]),
    ("RBPT(p=0.5))", ["RBPT(p=0.5))"]), ("RBPT(p=0.5,p=0.6)", ["RBPT", "twice"]),
    ("RBPT(p=1)(p=1)", ["RBPT(p=1)"]),
    ("RBPT@0", ["RBPT", "cutoff=0", ">= 1"]), ("RBPT@-1", ["RBPT", "-1"]), ("RBPT@1.5", ["RBPT", "1.5"]),
    ("P", ["P@10"]),
    ("AP@x", ["AP@x"]), ("AP@", ["AP@"]), ("@10", ["@10"]), ("nDCG@10@20", ["nDCG@10@20"]),
    ("NoSuch", ["'NoSuch'"]),
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
