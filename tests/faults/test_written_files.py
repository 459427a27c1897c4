"""Files that others write to or that writers leave.

A file that somebody writes to while it is read is an error: a list that was read in part would be a shorter
list. Whenever a writer is killed, and however many write at once: under a name there is one whole file, the
old or the new.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from faulty import draws, one_line, python, small_blocks

from ir_trunc import InputError, calc
from ir_trunc._output.files import write_text
from ir_trunc._read import text
from ir_trunc._read.readers import files

TOPICS = 2000
QRELS = {str(topic): {"d3": 1} for topic in range(TOPICS)}
LINES = [f"{topic} Q0 d{rank} {rank} {9 - rank} tag\n" for topic in range(TOPICS) for rank in range(9)]
RUN = "".join(LINES)
OTHER = RUN.replace(" d3 ", " x3 ")

has_proc = os.path.isdir("/proc/self/fdinfo")
needs_proc = pytest.mark.skipif(not has_proc, reason="needs /proc: how far is a file read?")


def truncated(path: Path) -> None:
    os.truncate(path, len("".join(LINES[: 9 * TOPICS * 3 // 4])))  # where a list ends


def grown(path: Path) -> None:
    with open(path, "a") as file:
        file.write("new Q0 d1 1 1 tag\n")


def overwritten(path: Path) -> None:
    with open(path, "r+") as file:
        file.write(OTHER)


def replaced(path: Path) -> None:
    path.with_name("other").write_text(OTHER)
    os.replace(path.with_name("other"), path)


def deleted(path: Path) -> None:
    path.unlink()


def position(path: Path) -> int:
    """How far this process has read a file; 0 where it has not opened it."""
    for number in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{number}") == str(path):
                return int(Path(f"/proc/self/fdinfo/{number}").read_text().split()[1])
        except FileNotFoundError:
            pass
    return 0


def scored_while(change, path: Path, least: int, monkeypatch):
    """RR of the run, which changes once so many bytes of it are read."""
    path.write_text(RUN)
    os.utime(path, ns=(0, 0))  # it was written long before
    changed_at = []
    check_lengths = text._check_lengths

    def after_a_block(view):
        if not changed_at and (at := position(path)) >= least:
            changed_at.append(at)
            change(path)
        check_lengths(view)

    with monkeypatch.context() as patch:
        patch.setattr(text, "_check_lengths", after_a_block)
        try:
            return calc("RR", QRELS, path).values.mean()
        finally:
            assert 0 < changed_at[0] < len(RUN), "the file was read before it could be changed"


@needs_proc
@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("change", [truncated, grown, overwritten])
def test_a_file_that_is_written_to_while_it_is_read_is_an_error(tmp_path, monkeypatch, long_form, change):
    small_blocks(monkeypatch, 1 << 13)
    for number in range(20 if long_form else 1):
        least = draws("changing", number).randrange(1, len(RUN) // 2)
        problem = f"^run {tmp_path}/some.run was changed while it was read: read it again once"
        with pytest.raises(InputError, match=problem):
            scored_while(change, tmp_path / "some.run", least, monkeypatch)


def test_a_file_of_records_that_grows_is_an_error_that_names_it_once(tmp_path, monkeypatch):
    small_blocks(monkeypatch, 16)
    path, rows = tmp_path / "some.jsonl", files._rows_of_parts
    path.write_text("".join(f'{{"query_id": "1", "doc_id": "d{n}", "score": {n}}}\n' for n in range(40)))

    def while_it_grows(*parts):
        grown(path)
        return rows(*parts)

    monkeypatch.setattr(files, "_rows_of_parts", while_it_grows)
    with pytest.raises(InputError, match=f"^run {path} was changed while it was read: read it again"):
        calc("RR", {"1": {"d3": 1}}, path)


@needs_proc
@pytest.mark.parametrize("change", [replaced, deleted])
def test_a_file_that_another_takes_the_place_of_is_read_to_its_end(tmp_path, monkeypatch, long_form, change):
    small_blocks(monkeypatch, 1 << 13)
    for number in range(20 if long_form else 1):
        least = draws("changing", number).randrange(1, len(RUN) // 2)
        score = scored_while(change, tmp_path / "some.run", least, monkeypatch)
        assert score == pytest.approx(1 / 4)  # of d0, d1, d2, d3


WRAPPED = """
import ir_trunc
qrels = {str(topic): {"d1": 1} for topic in range(100)}
def of(kind):
    run = {topic: {f"{kind}{rank}": 9.0 - rank for rank in range(9)} | {"d1": 0.0} for topic in qrels}
    return ir_trunc.with_terminal(qrels, run)
"""
# Children write one version after the other and are killed in the middle.
KILLED = f"""
import os, random, signal, sys, time
import pandas
{WRAPPED}
rng, trials, name = random.Random(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
wrapped, whole, found = [of(kind) for kind in "abc"], [], []
for one in wrapped:
    one.write(name, "qrels.txt")
    whole.append(open(name, "rb").read())
start = time.perf_counter()
wrapped[0].write(name, "qrels.txt")
usual = time.perf_counter() - start
for trial in range(trials):
    if trial % 3 == 0:
        os.unlink(name)
    child = os.fork()
    if child == 0:
        while True:
            for one in wrapped:
                one.write(name, "qrels.txt")
    time.sleep(rng.uniform(0, 2 * usual))
    os.kill(child, rng.choice([signal.SIGKILL, signal.SIGTERM]))
    os.waitpid(child, 0)
    if os.path.exists(name):
        found.append(open(name, "rb").read() in whole)
    elif trial % 3 != 0:
        found.append("lost")
    assert {{other for other in os.listdir() if not other.startswith(".")}} <= {{name, "qrels.txt"}}
    if not os.path.exists(name):
        wrapped[0].write(name, "qrels.txt")
print(len(set(whole)), sorted(set(found)), len(found) > trials / 2)
"""


@pytest.mark.parametrize("name", ["out.run", "out.run.gz"])
def test_a_writer_that_is_killed_at_any_moment_leaves_a_whole_file(tmp_path, long_form, name):
    seed = draws("killed", name).random()
    assert python(KILLED, seed, 400 if long_form else 20, name, cwd=tmp_path) == (0, "3 [True] True\n", "")


WRITER = f"""
import sys
{WRAPPED}
for _ in range(int(sys.argv[3])):
    of(sys.argv[1]).write(sys.argv[2], "qrels.txt")
"""


@pytest.mark.parametrize("name", ["out.run", "out.run.gz"])
def test_several_writers_of_one_file_leave_the_file_of_one_of_them(tmp_path, long_form, name):
    kinds = "abcd" if long_form else "ab"
    whole = set()
    for kind in kinds:
        assert python(WRITER, kind, name, 1, cwd=tmp_path) == (0, "", "")
        whole.add((tmp_path / name).read_bytes())
    assert len(whole) == len(kinds)
    code = [[sys.executable, "-c", WRITER, kind, name, "100" if long_form else "20"] for kind in kinds]
    writers = [subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE) for words in code]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        seen.add((tmp_path / name).read_bytes())
        time.sleep(0.001)
    assert [(*writer.communicate(), writer.returncode) for writer in writers] == [(None, b"", 0)] * len(kinds)
    assert seen <= whole
    assert sorted(os.listdir(tmp_path)) == sorted([name, "qrels.txt"])


def test_a_folder_that_goes_away_is_one_line(tmp_path):
    """Between the check of the outputs and the work's end much can happen."""
    (tmp_path / "far").mkdir()
    os.mkfifo(tmp_path / "in.run")  # the command waits for its input
    words = ["-m", "ir_trunc", "truncate", "in.run", "--policy", "Fixed(1)", "-o", "far/out"]
    how = {"cwd": tmp_path, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, *words], **how) as process:
        with open(tmp_path / "in.run", "w") as file:
            (tmp_path / "far").rmdir()
            file.write("1 Q0 a 1 1 s\n")
        said = process.stderr.read()
    assert process.returncode == 2
    assert one_line(said)
    assert "far/out" in said


HELD = """
import sys
from ir_trunc._output.files import output_file
with output_file("other.run") as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_the_next_write_removes_what_killed_writers_left_and_nothing_else(tmp_path):
    pipe = subprocess.PIPE
    code = [sys.executable, "-c", HELD]
    writers = [subprocess.Popen(code, cwd=tmp_path, stdin=pipe, stdout=pipe) for _ in range(3)]
    for writer in writers:
        assert writer.stdout.readline() == b"writing\n"
    living = writers[1]
    for writer in writers[::2]:
        writer.kill()
        writer.communicate()
    (tmp_path / ".0123456789abcdef.ir_trunc.txt").write_text("of a user")
    (tmp_path / ".0123456789abcdef.ir_trunc").mkdir()
    assert len(list(tmp_path.glob(".*.ir_trunc"))) == 4
    write_text(tmp_path / "other.run", ["new"])
    left = sorted(path.name for path in tmp_path.glob(".*.ir_trunc") if path.is_file())
    assert len(left) == 1
    assert (tmp_path / left[0]).read_bytes() == b"half"
    living.communicate()  # it goes on
    assert living.returncode == 0
    assert (tmp_path / "other.run").read_bytes() == b"half"
    kept = [".0123456789abcdef.ir_trunc", ".0123456789abcdef.ir_trunc.txt", "other.run"]
    assert sorted(path.name for path in tmp_path.iterdir()) == kept
