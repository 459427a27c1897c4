"""The guide for contributors and the files for GitHub: recipes work as written, commands in them exist."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import dropwhile
from pathlib import Path

import pytest
import yaml
from source import ROOT, source_tree

GUIDE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = [ROOT / ".pre-commit-config.yaml", *sorted((ROOT / ".github").rglob("*.yml"))]
RECIPES = re.findall(r"^## (Add a [\w ]+)$", GUIDE, re.MULTILINE)
BLOCK = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def parsed(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def follow(recipe, folder):
    """Write the files of a recipe into a copy; returns the commands that it has."""
    commands = []
    for kind, place, text in BLOCK.findall(GUIDE.partition(f"\n## {recipe}\n")[2].partition("\n## ")[0]):
        path, _, where = place.partition(", ")
        file = folder / path
        if kind == "sh":
            commands += text.splitlines()
        elif where == "at the end":
            file.write_text(f"{file.read_text(encoding='utf-8').rstrip()}\n\n\n{text}", encoding="utf-8")
        elif where.startswith("below"):
            line = next(line for line in file.read_text("utf-8").splitlines() if where[7:-1] in line)
            file.write_text(file.read_text("utf-8").replace(f"{line}\n", f"{line}\n{text}"), "utf-8")
        else:
            assert not file.exists(), file
            file.write_text(text, encoding="utf-8")
    return commands


LAWS_OF_DATA = ("doors", "refusals", "side_effects", "values")  # which see no addition


@source_tree
def test_recipes_that_are_followed_end_green(tmp_path):
    """All commands of the recipes, and the laws, on a copy of the source with the four additions."""
    folder = tmp_path / "project"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".git", ".*_cache", ".hypothesis"))
    commands = [command for recipe in RECIPES for command in follow(recipe, folder)]
    tests = [command for command in commands if command.startswith("pytest ")]
    assert len(tests) == len(RECIPES)
    commands = [command for command in dict.fromkeys(commands) if command not in tests]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(folder), "IR_TRUNC_EXAMPLES": "5"}
    for name in ("PYTEST_ADDOPTS", "IR_TRUNC_TEST_DATA", "PYTEST_XDIST_WORKER"):
        env.pop(name, None)
    # Laws that are about pages or names follow from `.ci/renew`; a new keyword needs a row of its own.
    more = "tests/docs/test_reference.py tests/read/test_readers.py"
    of_data = " ".join(f"--ignore tests/properties/test_{name}.py" for name in LAWS_OF_DATA)
    left_out = "-k 'not (has_one_row or messages_are or stands_beside_it)'"
    laws = f"pytest tests/properties {of_data} {more} {left_out}"
    for line in (*commands, "ruff check .", "ruff format --check .", *tests, laws):
        done = subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    renewed = (folder / "notebooks" / "reference.md").read_text(encoding="utf-8")
    assert all(f"### {name}" in renewed for name in ("Balance", "Above", "shares_of_best"))


def test_there_is_a_recipe_for_each_registry():
    assert RECIPES == ["Add a measure", "Add a policy", "Add a reader", "Add a procedure"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_file_is_yaml_and_its_commands_exist(path):
    """A command is a program that is here, that the job installs, or a file of the repository."""
    content = parsed(path)
    if "repos" in content:
        jobs = {hook["id"]: [hook["entry"]] for repo in content["repos"] for hook in repo["hooks"]}
        assert all(repo["repo"] == "local" for repo in content["repos"])
    else:
        steps = {job: of["steps"] for job, of in content.get("jobs", {}).items()}
        runs = {job: [step["run"] for step in each if "run" in step] for job, each in steps.items()}
        jobs = {job: "\n".join(lines).splitlines() for job, lines in runs.items()}
        form = {"name", "description", "body"} <= set(content) or "contact_links" in content
        assert jobs or form or {"version", "updates"} == set(content)
    always_there = {"for", "done", "do", "pipx"}  # the shell's words, and what every runner of GitHub has
    for job, lines in jobs.items():
        installed = {name for line in lines if line.startswith("pip install") for name in shlex.split(line)}
        installed |= {name.partition("==")[0] for name in installed}
        for line in lines:
            words = dropwhile(re.compile(r"\w+=").match, shlex.split(line, comments=True))  # NAME=value
            program, *arguments = words
            if program == "python" and arguments[0] == "-m":
                there = importlib.util.find_spec(arguments[1]) is not None
            else:
                there = (ROOT / program).is_file() or shutil.which(program) is not None
            known = program in always_there or installed & {program, *arguments[1:2]}
            extra = program == "sphinx-build" and ".[docs]" in installed
            assert there or known or extra, f"{job}: {line}"


def test_workflows_test_every_python_that_is_declared():
    classifiers = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert parsed(ROOT / ".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"] == (
        [*classifiers, "3.14"]  # which is tried, and not promised before its packages are there
    )


@source_tree
def test_files_that_the_guide_names_are_there():
    for word in re.findall(r"`((?:tests|ir_trunc|notebooks|\.ci)/[\w/.]+)`", GUIDE):
        assert (ROOT / word).exists(), word
    for word in re.findall(r"`(\w+/[\w/]+\.py)`", GUIDE):
        assert (ROOT / word).exists() or (ROOT / "ir_trunc" / word).exists(), word


@source_tree
def test_type_checkers_see_every_policy():
    """The names of the registry are made at run time; type checkers read this list."""
    from ir_trunc.truncation import registry

    text = (ROOT / "ir_trunc" / "truncation" / "__init__.py").read_text(encoding="utf-8")
    listed = set(re.findall(r"\b(\w+) as \1\b", text))
    own = {n for n, known in registry.items() if known.kind.__module__.startswith("ir_trunc.")}
    assert listed == own
