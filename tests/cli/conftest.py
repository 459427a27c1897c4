"""Files for the command line, and how a test runs it."""

import os
import subprocess
import sys

import pytest

RUN = "".join(f"{topic} Q0 d{rank} {rank} {20 - rank} tag\n" for topic in (1, 2, 3) for rank in range(1, 5))
QRELS = "1 0 d1 1\n2 0 d2 1\n3 0 d3 1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder: qrels, in.run, and a folder with two runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    for name in "ab":
        (tmp_path / "runs" / name).write_text(RUN)
    return tmp_path


@pytest.fixture
def complaint(tmp_path, command):
    """The one line about words that are refused; nothing is printed or written."""

    def call(*words):
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        status, out, err = command(*words)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("ir_trunc")
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        return err

    return call


@pytest.fixture
def ended(tmp_path):
    """Status, output and errors of the command line in a process of its own."""

    def call(*words, env=None, **options):
        done = subprocess.run(
            [sys.executable, "-m", "ir_trunc", *words], cwd=tmp_path, capture_output=True, timeout=60,
            env=os.environ | (env or {}), **options,
        )  # fmt: skip
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return call


@pytest.fixture
def bash(tmp_path):
    """Status, output and errors of a line of bash, in which `ir_trunc` is the command line."""

    def call(line, **env):
        line = f'ir_trunc() {{ "{sys.executable}" -m ir_trunc "$@"; }}; set -o pipefail; {line}'
        words, env = ["bash", "-c", line], os.environ | env
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, env=env, timeout=60)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return call
