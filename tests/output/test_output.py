"""What is written is whole or not there, can be read back, and never takes the place of what was read.

Objects show in a shell what a person asks about them, in a line or a table, and not their fields.
"""

import gzip
import os
import resource
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, ParameterError, meta, read_qrels, report, with_terminal
from ir_trunc._output import tables
from ir_trunc._output.files import check_outputs, output_file, write_text
from ir_trunc._ranking.runs import read_run
from ir_trunc.truncation import parse_policy, read_cuts, write_cuts, write_run

LINES = [f"line {number}" for number in range(1000)]
TEXT = "".join(f"{line}\n" for line in LINES)


class Stop(Exception):
    pass


def half():
    """Lines that end with a failure."""
    yield from LINES[:500]
    raise Stop


def alone(folder):
    """The only file in a folder."""
    (name,) = os.listdir(folder)
    return name


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz"])
def test_an_output_that_fails_leaves_what_was_there(tmp_path, name):
    target = tmp_path / name
    with pytest.raises(Stop):
        write_text(target, half())
    assert os.listdir(tmp_path) == []
    target.write_bytes(b"before")
    with pytest.raises(Stop):
        write_text(target, half())
    assert target.read_bytes() == b"before"
    assert alone(tmp_path) == name


def test_a_target_appears_only_when_it_is_complete(tmp_path):
    with output_file(tmp_path / "out") as file:
        file.write(b"half")
        file.flush()
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out").read_bytes() == b"half"


def test_gzipped_outputs_are_the_same_bytes_every_time(tmp_path):
    for name in ("one.gz", "other.gz"):
        write_text(tmp_path / name, LINES)
        os.utime(tmp_path / name, (0, 0))
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "other.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()).decode() == TEXT
    assert (tmp_path / "one.gz").read_bytes()[4:8] == bytes(4)


def test_a_file_that_is_replaced_keeps_its_permissions_and_a_new_one_gets_the_usual(tmp_path):
    old = tmp_path / "old"
    old.write_text("before")
    old.chmod(0o640)
    write_text(old, ["after"])
    assert (old.read_text(), old.stat().st_mode & 0o777) == ("after\n", 0o640)
    (tmp_path / "usual").write_text("")
    write_text(tmp_path / "new", ["after"])
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_symbolic_link_stays_and_its_file_is_written(tmp_path):
    (tmp_path / "far").mkdir()
    link = tmp_path / "link"
    link.symlink_to("far/file")  # which is not there yet
    for text in ("once", "again"):
        write_text(link, [text])
        assert (tmp_path / "far" / "file").read_text() == f"{text}\n"
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["far", "link"]


def test_a_pipe_and_a_device_are_written_directly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_text(tmp_path / "pipe", LINES)
    reader.join()
    assert got == [TEXT]
    write_text(os.devnull, LINES)
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_a_dash_is_standard_output(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    print("first")
    write_text(name, ["é"])
    assert capsys.readouterr().out == "first\né\n"
    write_text(Path("-"), ["a file"])
    assert Path("./-").read_text() == "a file\n"


def test_an_open_file_is_written_where_it_stands(tmp_path):
    with open(tmp_path / "file", "wb", buffering=0) as file:
        file.write(b"first\n")
        write_text(f"/dev/fd/{file.fileno()}", ["second"])
    assert (tmp_path / "file").read_text() == "first\nsecond\n"


def test_two_outputs_need_two_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text("")
    os.link("there", "hard")
    os.symlink("new", "soft")
    for words in ("new ./new", "new soft", "there hard", "- /dev/stdout", "- -"):
        first, second = words.split()
        refused(InputError, "are one file", check_outputs, [first, None, second])
    check_outputs(["new", "other", "-", os.devnull, os.devnull, None])


def test_an_input_is_not_an_output_by_any_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_text("")
    os.link("in", "hard")
    os.symlink("in", "soft")
    for path in ("in", "./in", str(tmp_path / "in"), "hard", "soft"):
        with pytest.raises(InputError, match="is the input in, which would be overwritten"):
            check_outputs([path], ["some-data-set", None, {"a": 1}, "in"])


@pytest.mark.parametrize("path", ["nosuch/../in", "nosuch/folder/../../in", "in/../in", "dangling"])
def test_no_way_leads_through_a_folder_that_does_not_exist(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_text("before")
    os.symlink("nosuch/../in", "dangling")
    for attempt in (
        lambda: check_outputs([path], ["in"]),
        lambda: write_text(path, LINES),
        lambda: parse_policy("Fixed(k=3)").save(path),
        lambda: report("AP", {"1": {"a": 1}}, {"x": {"1": ["a"]}}, path),
    ):
        refused(OSError, "cannot be written: there is no folder", attempt)
    assert (tmp_path / "in").read_text() == "before"
    (tmp_path / "folder").mkdir()
    write_text("folder/../in", ["after"])
    assert (tmp_path / "in").read_text() == "after\n"


@pytest.mark.parametrize("path", ["qrels", "./in.run", "runs/../in.run", "topics"])
def test_a_report_does_not_replace_what_it_is_about(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    files = {"qrels": "1 0 a 1\n", "in.run": "1 Q0 a 1 2 x\n", "topics": "1\n"}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match="which would be overwritten"):
        report("AP", "qrels", ["in.run"], path, topics="topics")
    if path != "topics":
        with pytest.raises(InputError, match="which would be overwritten"):
            with_terminal("qrels", "in.run").write("other", path)
    if path.endswith("in.run"):
        refused(InputError, "which would be overwritten", write_run, path, read_run("in.run"), {"1": 0})
    assert {name: (tmp_path / name).read_text() for name in files} == files


STRANGE = [
    "日本\u3000語", "a\u00a0b", "next\u0085line", "\u2028", "\x1c", "\ufeff1", "=1+1", "\x1b[31m", '"', "all",
]  # fmt: skip


def test_every_id_that_is_read_can_be_written(tmp_path):
    run = {topic: dict.fromkeys(STRANGE, 1.0) for topic in ["\ufeff1", *STRANGE]}
    for name in ("some.run", "some.run.gz"):
        write_run(tmp_path / name, read_run(run), dict.fromkeys(run, 99))
        assert read_run(tmp_path / name).to_dict() == run
    cuts = dict.fromkeys(run, 3)
    write_cuts(tmp_path / "k.tsv", cuts)
    assert read_cuts(tmp_path / "k.tsv") == cuts


UNREADABLE = ["", "a b", "a\tb", "a\nb", "a\rb", "a\x0bb", "a\x0cb", "a\0b"]


@pytest.mark.parametrize("text", UNREADABLE)
def test_ids_and_tags_that_could_not_be_read_back_are_refused(tmp_path, text):
    rows = read_run({"1": {"a": 1.0}})
    refused(InputError, r"tag .*cannot hold", write_run, tmp_path / "x.run", rows, {"1": 1}, tag=text)
    wrapped = with_terminal(read_qrels({"1": {"a": 1}}), {"1": {"a": 2.0}})
    wrapped = replace(wrapped, run=replace(wrapped.run, docs=pa.array([text, "__end__"])))
    with pytest.raises(InputError, match=r"topic 1, document .*cannot hold"):
        wrapped.write(tmp_path / "x.run", tmp_path / "x.qrels")
    refused(InputError, "are one file", wrapped.write, tmp_path / "x.run", tmp_path / "x.run")
    refused(InputError, r"topic .*cannot hold|topic is missing", write_cuts, tmp_path / "x.tsv", {text: 1})
    assert os.listdir(tmp_path) == []


def test_other_words_that_would_be_read_otherwise_are_refused(tmp_path):
    with pytest.raises(InputError, match="begins with # is a comment"):
        write_run(tmp_path / "x.run", read_run({"#1": {"a": 1.0}}), {"#1": 1})
    refused(InputError, r"topic '.udcff'", write_cuts, tmp_path / "x.tsv", {"\udcff": 1})
    for k in (-1, 1.5, "3"):
        with pytest.raises(ParameterError, match=r"cuts, topic '1'=.* a whole number"):
            write_run(tmp_path / "x.run", read_run({"1": {"a": 1.0}, "2": {"b": 1.0}}), {"1": k, "2": 1})


def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path):
    """A limit on the size of files stands for the disk."""
    (tmp_path / "out").write_bytes(b"before")
    lines = "('x' * 99 for _ in range(10**5))"
    code = f"from ir_trunc._output.files import write_text; write_text('out', {lines})"
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10**5, 10**5))}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, **limit)
    assert done.stderr.splitlines()[-1] == "OSError: [Errno 27] File too large: 'out'"
    assert alone(tmp_path) == "out"
    assert (tmp_path / "out").read_bytes() == b"before"


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
