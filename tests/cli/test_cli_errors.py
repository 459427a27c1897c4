"""Mistakes at the command line: one line that says what is wrong, a status that is not zero, never a
traceback.
"""

import gzip
import os
import subprocess
import sys

import ir_datasets
import pytest
from ir_datasets.formats import TrecQrels

from ir_trunc.cli.main import main

QRELS = b"1 0 a 1\n2 0 a 2\n"
RUN = b"1 Q0 a 1 2.0 x\n2 Q0 b 1 3.0 x\n"
PACKED = gzip.compress(RUN, mtime=0)

FILES = {
    "qrels": QRELS,
    "good.run": RUN,
    "few.run": b"1 Q0 a 1 2.0\n",
    "many.run": RUN + b"2 Q0 c 1 2.0 my tag\n",
    "word.run": RUN + b"2 Q0 c 1 high x\n",
    "nan.run": RUN + b"2 Q0 c 1 nan x\n",
    "inf.run": RUN + b"2 Q0 c 1 -inf x\n",
    "twice.run": RUN + b"1 Q0 a 3 1.0 x\n",
    "latin.run": RUN + b"2 Q0 \xe9 1 1.0 x\n",
    "empty.run": b"",
    "zero.run": b"\0" * 9,
    "short.gz": PACKED[:-9],
    "plain.gz": RUN,
    "half.qrels": b"1 0 a 1.5\n",
    "word.qrels": b"1 0 a yes\n",
    "few.qrels": b"1 0 a\n",
    "twice.qrels": QRELS + b"1 0 a 0\n",
    "big.qrels": b"1 0 a 99999999999999999999\n",
    "low.qrels": b"1 0 a -9223372036854775808\n",
    "digits.qrels": b"7" * 5000 + b" 0 a 1\n",
    "empty.qrels": b"\n\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mistakes")
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    (folder / "directory").mkdir()
    return folder


@pytest.fixture
def complaint(folder, monkeypatch, command):
    """What is printed about these words."""
    monkeypatch.chdir(folder)

    def call(*words):
        status, out, err = command(*words)
        assert status != 0
        assert out == ""
        assert err.startswith("ir_trunc")
        assert err.count("\n") == 1, err
        return err

    return call


@pytest.mark.parametrize(("name", "parts"), [
    ("few.run", ["line 1", "5 fields"]), ("many.run", ["line 3", "7 fields"]),
    ("word.run", ["line 3", "'high'"]),
    ("nan.run", ["line 3", "'nan'"]), ("inf.run", ["line 3", "'-inf'"]),
    ("twice.run", ["topic 1", "document a", "twice"]),
    ("latin.run", ["line 3", "UTF-8"]), ("empty.run", ["empty"]), ("zero.run", ["not text"]),
    ("short.gz", ["truncated"]),
    ("plain.gz", ["not a gzip file"]), ("directory", ["directory"]), ("missing.run", ["no such file"]),
    ("qrels", ["4 fields"]),
])  # fmt: skip
def test_a_bad_run(complaint, name, parts):
    message = complaint("qrels", name, "RBPT", "AP")
    assert [part for part in ["run", name, *parts] if part not in message] == []


def test_a_bad_run_after_good_ones_is_named(complaint):
    message = complaint("qrels", "good.run", "few.run", "RBPT")
    assert "few.run" in message
    assert "line 1" in message


@pytest.mark.parametrize("command_line", ["report -o page.html qrels", "study cuts qrels", "study lengths"])
@pytest.mark.parametrize("measure", ["RBPT", "nDCG@10", "P(rel=2)@5", "RBPT AP"])
def test_a_measure_among_runs(complaint, command_line, measure):
    message = complaint(*command_line.split(), "good.run", measure)
    assert f"{measure!r} is a measure where a run is needed: here a flag names measures" in message


def test_a_run_may_be_called_like_a_measure(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    (folder / "RBPT").write_bytes(RUN)
    assert command("study", "lengths", "RBPT")[0] == 0
    (folder / "RBPT").unlink()


@pytest.mark.parametrize(("name", "parts"), [
    ("half.qrels", ["line 1", "'1.5'"]), ("word.qrels", ["line 1", "'yes'"]),
    ("few.qrels", ["line 1", "3 fields"]),
    ("twice.qrels", ["topic 1", "document a", "twice"]), ("big.qrels", ["99999999999999999999"]),
    ("empty.qrels", ["empty"]),
    ("low.qrels", ["document a", "-9223372036854775808"]), ("good.run", ["6 fields"]),
    ("directory", ["directory"]),
    ("missing.qrels", ["no such file", "ir_datasets"]), ("some/unknown/set", ["no such file", "ir_datasets"]),
])  # fmt: skip
def test_bad_qrels(complaint, name, parts):
    message = complaint(name, "good.run", "RBPT", "AP")
    assert [part for part in ["qrels", name, *parts] if part not in message] == []


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
    ("AP,P@5", ["AP,P@5"]), ("", ["measure"]), (" ", ["measure"]), ("alpha_nDCG@10", ["alpha_nDCG@10"]),
    ("NERR8@10", ["NERR8", "max_rel"]), ("é", ["'é'"]),
    ("AP(rel=0)", ["AP", "rel=0"]), ("P(rel='x')@5", ["P", "rel='x'"]),
    ("SetF(beta=-1)", ["SetF", "beta=-1"]),
    ("NumRet(rel='x')", ["NumRet", "rel"]), ("RBPT" + "(" * 300, ["RBPT"]),
    ("__import__('os')", ["__import__"]),
], ids=lambda value: value[:20] if isinstance(value, str) else "")  # fmt: skip
def test_a_bad_measure(complaint, measure, parts):
    message = complaint("qrels", "good.run", measure)
    assert [part for part in parts if part not in message] == [], message
    assert len(message) < 500
    assert "object at 0x" not in message


@pytest.mark.parametrize(("words", "part"), [
    ([], "QRELS"), (["qrels"], "RUN"), (["qrels", "good.run"], "measure"), (["qrels", "AP"], "measure"),
    (["qrels", "good.run", "AP", "-n"], "-q"), (["qrels", "good.run", "AP", "-p"], "-p"),
    (["qrels", "good.run", "AP", "-p", "many"], "'many'"),
    (["qrels", "good.run", "AP", "-p", "99999999999"], "99999999999"),
    (["qrels", "good.run", "AP", "--format", "xml"], "'xml'"),
    (["qrels", "good.run", "AP", "--quiet"], "--quiet"),
    (["qrels", "good.run", "good.run", "AP"], "twice"),
    (["qrels", "good.run", "x/missing.run", "AP"], "x/missing.run"),
    (["qrels", "good.run", "missing.gz", "AP"], "no such file"),
    (["qrels", "good.run", "missing.run", "AP"], "neither a file nor a measure"),
    (["measures", "RBPT", "AP"], "AP"), (["measures", "--all"], "--all"), (["demo", "now"], "now"),
    (["qrels", "good.run", "AP", "--topics", "missing"], "no such file"), (["", "good.run", "AP"], "qrels"),
    (["qrels", "good.run", "AP", "--topics", "empty.run"], "empty.run"), (["qrels", "", "AP"], "run"),
    (["qrels", "good.run", "AP", "--nil", "never"], "'never'"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")  # fmt: skip
def test_bad_words(complaint, words, part):
    assert part in complaint(*words)


@pytest.mark.filterwarnings("ignore")
def test_topics_of_thousands_of_digits_are_topics(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["digits.qrels", "good.run", "AP", "-q"]) == 0


def test_a_data_set_that_fails_is_one_line(complaint):
    class Broken:
        def stream(self):
            raise RuntimeError("the server is down\nand this is a long story")

    ir_datasets.registry.register("ir-trunc-broken-cli", ir_datasets.Dataset(TrecQrels(Broken(), {})))
    assert "the server is down" in complaint("ir-trunc-broken-cli", "good.run", "AP")


def test_options_that_exclude_each_other_say_so(complaint):
    assert "--views and --by-query" in complaint("qrels", "good.run", "AP", "--views", "-q")


@pytest.mark.parametrize("words", [("", "good.run", "AP"), ("qrels", "", "AP")], ids=["qrels", "run"])
def test_an_empty_path_is_no_folder(complaint, words):
    assert "the path is empty" in complaint(*words)


def test_a_wrong_setting_of_the_kernel_is_one_sentence():
    done = subprocess.run(
        [sys.executable, "-m", "ir_trunc", "qrels", "run", "RR"],
        env={**os.environ, "IR_TRUNC_KERNEL": "maybe"},
        capture_output=True,
        text=True,
    )
    assert done.returncode
    assert done.stderr == (
        "ir_trunc: a package cannot be imported: IR_TRUNC_KERNEL=maybe: 0, 1 or required is needed.\n"
    )
