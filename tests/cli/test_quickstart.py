"""Projects of `ir_trunc quickstart`: they are complete, refuse to overwrite, and run."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from ir_trunc._cli import quickstart

KINDS = tuple(quickstart._DATA)


@pytest.fixture
def project(tmp_path, monkeypatch, command):
    """The files of a project of a kind, in the current folder."""

    def made(kind):
        status, out, err = command("quickstart", kind, str(tmp_path / "it"))
        assert (status, out, err.count("\n")) == (0, "", 1)
        monkeypatch.chdir(tmp_path / "it")
        files = [path for path in (tmp_path / "it").rglob("*") if path.is_file()]
        return {path.relative_to(tmp_path / "it").as_posix(): path.read_text() for path in files}

    return made


def commands_of(contents):
    """What the workflow runs after the installation."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    steps = yaml.safe_load(contents[".github/workflows/gate.yml"])["jobs"]["gate"]["steps"]
    installation, commands = [step["run"] for step in steps if "run" in step]
    assert installation == "pip install ir_trunc"
    return commands


def cells_of(contents):
    return [
        cell["source"]
        for cell in json.loads(contents["evaluate.ipynb"])["cells"]
        if cell["cell_type"] == "code"
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_project_is_complete(project, kind):
    contents = project(kind)
    script = contents["evaluate.py"]
    compile(script, "evaluate.py", "exec")
    assert len(script.splitlines()) < 30
    lines = [
        line for line in script.partition('"""\n')[2].splitlines() if line and not line.startswith("# %%")
    ]
    assert lines == [line for cell in cells_of(contents) for line in cell.splitlines() if line]
    data = [name for name in contents if name.startswith("data")]
    assert set(contents) - set(data) == {
        "README.md", "evaluate.py", "evaluate.ipynb", ".github/workflows/gate.yml"
    }  # fmt: skip
    for name in data:
        assert f"| `{name}` |" in contents["README.md"]
        assert f'"{name}"' in script
    commands = commands_of(contents)
    assert f"```sh\n{commands}```" in contents["README.md"]
    assert "ir_trunc check" in commands


def test_a_folder_that_is_not_empty_is_refused(folder, complaint, command):
    assert "runs is not empty: a new folder is needed, or an empty one" in complaint(
        "quickstart", "rag", "runs"
    )
    assert "in.run" in complaint("quickstart", "rag", "in.run")
    assert "empty" in complaint("quickstart", "rag", "")
    assert "invalid choice: 'tree'" in complaint("quickstart", "tree", "new")
    assert "required: KIND, DIR" in complaint("quickstart")
    (folder / "new").mkdir()
    assert command("quickstart", "answers", "new")[0] == 0
    assert "new is not empty" in complaint("quickstart", "answers", "new")


def run(commands):
    """Status, output and errors of the shell that GitHub takes."""
    python = f'python() {{ "{sys.executable}" "$@"; }}; ir_trunc() {{ python -m ir_trunc "$@"; }}\n'
    words = ["bash", "-e", "-o", "pipefail", "-c", python + commands]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.full
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS)
def test_a_project_runs(project, capsys, kind):
    contents = project(kind)
    status, out, err = run(commands_of(contents))
    assert status == 0, err
    assert "Warning" not in err
    assert "warning" not in err
    assert "passed" in out
    assert "failed" not in out
    names = {}
    for cell in cells_of(contents):
        exec(cell, names)
    printed = capsys.readouterr().out
    assert printed
    assert printed in out


@pytest.mark.full
@pytest.mark.parametrize(("kind", "data"), [("rag", "retrieved.json"), ("screening", "ranked.run")])
def test_the_gate_of_a_release_fails_for_a_retriever_whose_scores_say_nothing(project, kind, data):
    """The released policy and lists are kept: nothing is fitted to what is tested."""
    commands = commands_of(project(kind))
    assert run(commands)[0] == 0
    draw = random.Random(0)
    if kind == "rag":
        lists = json.loads(Path("data", data).read_text())
        for docs in lists.values():
            docs.update(zip(docs, draw.sample([*docs.values()], len(docs))))
        Path("data", data).write_text(json.dumps(lists))
    else:
        rows = [line.split() for line in Path("data", data).read_text().splitlines()]
        lines = [" ".join([*row[:4], repr(draw.random()), row[5]]) for row in rows]
        Path("data", data).write_text("\n".join(lines))
    released = Path("released-policy.json").read_text()
    status, out, _ = run(commands)
    assert (status, Path("released-policy.json").read_text()) == (1, released)
    assert "failed" in out


@pytest.mark.full
def test_the_gate_of_a_project_fails_for_a_worse_run(project):
    contents = project("trec")
    os.replace("data/old.run", "data/older.run")
    os.replace("data/new.run", "data/old.run")
    os.replace("data/older.run", "data/new.run")
    status, out, _ = run(commands_of(contents).partition("\n")[2])
    assert status == 1
    assert "failed" in out


@pytest.mark.parametrize("name", ["", "it"])
def test_a_disk_that_fills_up_leaves_a_folder_that_can_be_tried_again(tmp_path, command, monkeypatch, name):
    write = quickstart.write_text

    def fill(path, lines):
        write(path, lines)
        if path.suffix == ".json":
            raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(quickstart, "write_text", fill)
    status, _, err = command("quickstart", "rag", str(tmp_path / name))
    assert (status, err.count("\n")) == (2, 1)
    assert os.listdir(tmp_path / name) == []
    monkeypatch.undo()
    assert command("quickstart", "rag", str(tmp_path / name))[0] == 0


def test_a_link_to_nothing_is_no_folder(tmp_path, command):
    (tmp_path / "it").symlink_to("nowhere")
    status, _, err = command("quickstart", "rag", str(tmp_path / "it"))
    assert (status, err.count("\n")) == (2, 1)
    assert "is a link to what does not exist: the name of a folder is needed" in err
