"""`ir_trunc quickstart`: writes a small project that runs, whose data are then replaced by one's own."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from textwrap import indent
from typing import Any

from ir_trunc._cli._arguments import Words, cli_command
from ir_trunc._cli._process import tell
from ir_trunc._core.errors import InputError
from ir_trunc._output.files import make_folder, qrels_lines, run_lines, write_text
from ir_trunc.synthetic.generated import GeneratedQrels, chunks, collection, quiz

__all__ = ["main"]

Data = dict[str, list[str]]  # the lines of each file


def _title(kind: str) -> str:
    return _template(f"{kind}.py").partition('"""')[2].partition('"""')[0]


def _project(kind: str) -> Data:
    title, script = _title(kind), _template(f"{kind}.py")
    readme = f"# {title}\n\n{_template(f'{kind}.md')}"
    commands = readme.partition("```sh\n")[2].partition("```")[0]
    workflow = Template(_template("gate.yml")).substitute(commands=indent(commands, " " * 10).rstrip())
    notebook = json.dumps(_notebook(title, script), indent=1)
    texts = {"README.md": readme, "evaluate.py": script, "evaluate.ipynb": notebook}
    texts[".github/workflows/gate.yml"] = workflow
    return {name: text.splitlines() for name, text in texts.items()} | {
        f"data/{name}": lines for name, lines in _DATA[kind]().items()
    }


def _template(name: str) -> str:
    return (files("ir_trunc._cli") / "templates" / name).read_text(encoding="utf-8")


def _notebook(title: str, script: str) -> dict[str, Any]:
    """The script as a notebook: each `# %%` line begins a cell and explains it."""
    imports, *parts = re.split(r"^# %% (.*)\n", script.partition('"""\n\n')[2], flags=re.MULTILINE)
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": source.strip()}
        | (code if number % 2 else {})
        for number, source in enumerate([f"# {title}", imports, *parts])
    ]
    python = {"language_info": {"name": "python"}}
    return {"cells": cells, "metadata": python, "nbformat": 4, "nbformat_minor": 5}


def _json(topics: Mapping[str, Any]) -> list[str]:
    """JSON with a line for each topic."""
    lines = [f"{json.dumps(topic)}: {json.dumps(documents)}" for topic, documents in topics.items()]
    return ["{", *(f"{line}," for line in lines[:-1]), lines[-1], "}"]


def _qrels(qrels: GeneratedQrels) -> list[str]:
    return [*qrels_lines((topic, *judged) for topic, grades in qrels.items() for judged in grades.items())]


def _run(run: Mapping[str, Mapping[str, float]], tag: str) -> list[str]:
    ranked = ((topic, enumerate(docs.items(), 1)) for topic, docs in run.items())
    return [
        *run_lines(((topic, doc, rank, score) for topic, docs in ranked for rank, (doc, score) in docs), tag)
    ]


def _rag() -> Data:
    retrieved, labels = chunks(questions=120)
    return {"labels.json": _json(labels), "retrieved.json": _json(retrieved)}


def _trec() -> Data:
    qrels, runs = collection(topics=40, systems=11, depth=50)
    old, new = _run(runs["fair-threshold"], "old"), _run(runs["strong-threshold"], "new")
    return {"qrels.txt": _qrels(qrels), "old.run": old, "new.run": new}


def _answers() -> Data:
    labels, runs = quiz(questions=200)
    old, new = _json(runs["good-always"]), _json(runs["good-if-sure"])
    return {"labels.json": _json(labels), "old.json": old, "new.json": new}


def _screening() -> Data:
    qrels, runs = collection(topics=40, systems=7, depth=100, pool=100)
    reviews = {topic: grades for topic, grades in qrels.items() if any(grades.values())}
    ranked = {topic: runs["strong-never"][topic] for topic in reviews}
    return {"qrels.txt": _qrels(reviews), "ranked.run": _run(ranked, "ranked")}


def _monitoring() -> Data:
    labelled, labels = chunks(questions=120)
    live = _json(chunks(questions=120, seed=1)[0])
    return {"labels.json": _json(labels), "labelled.json": _json(labelled), "live.json": live}


_PROJECTS = (_rag, _trec, _answers, _screening, _monitoring)
_DATA = {project.__name__[1:]: project for project in _PROJECTS}
"""The data of each kind of project."""


_DECLARED = f"kind {'|'.join(_DATA)}  one of the kinds above\nfolder DIR  a new folder, or an empty one"


_KINDS = "\n".join(["kinds:", *(f"  {kind:<12}{_title(kind)}" for kind in _DATA)])


@cli_command("quickstart", _DECLARED, above=_KINDS)
def main(args: Words) -> None:
    """Write a small project that runs. It has generated data, a script, the same as a notebook, a README that
    says what to replace by your own, and a workflow of GitHub with the gate.

    example:
      $ ir_trunc quickstart rag my-project
      $ cd my-project && python evaluate.py
      120 questions, 30 of them without an answer; 5-fold cross-validation.
      Advice: ScoreThreshold(threshold=0.64). In brackets: the present setting,
        Fixed(k=5).
      kept: 97% (100%) of the answerable questions still get a relevant passage.
      ...
    """
    make_folder(args.folder)
    if os.listdir(args.folder):
        raise InputError(f"{args.folder} is not empty: a new folder is needed, or an empty one.")
    contents = _project(args.kind)
    try:
        for name, lines in contents.items():
            make_folder(os.path.join(args.folder, os.path.dirname(name)))
            write_text(Path(args.folder, name), lines)
    except BaseException:  # a half of a project is none, and would be refused the next time
        for name in {Path(name).parts[0] for name in contents}:
            shutil.rmtree(Path(args.folder, name), ignore_errors=True)
            Path(args.folder, name).unlink(missing_ok=True)
        raise
    tell(f"{args.folder} now has {', '.join(contents)}. README.md says what to replace by your own.")
