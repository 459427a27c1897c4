"""Which measure for which task: the workflow of Amigó, Mizzaro & Spina (SIGIR 2022), section 5, as questions and answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ir_trunc.errors import ParameterError, nearest

Node = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """What is to be asked next; `key` names its answer."""

    key: str
    text: str


@dataclass(frozen=True)
class Advice:
    """The measures to use, a word about them, and the answers that led there."""

    measures: tuple[str, ...]
    note: str
    path: tuple[tuple[str, bool], ...]

    def __str__(self) -> str:
        return f"{' or '.join(self.measures)}\n{self.note}"


def tree() -> Node:
    """The workflow: a node has key, question, yes and no; a leaf has measures and a note."""
    node: Node = json.loads((files("ir_trunc.meta") / "guide.json").read_text(encoding="utf-8"))
    return node


def step(answers: Mapping[str, bool]) -> Question | Advice:
    """What follows from the answers so far: the next question, or the advice."""
    node, path = tree(), []
    while "question" in node:
        if node["key"] not in answers:
            return Question(node["key"], node["question"])
        path.append((node["key"], bool(answers[node["key"]])))
        node = node["yes" if answers[node["key"]] else "no"]
    return Advice(tuple(node["measures"]), node["note"], tuple(path))


def guide(**answers: bool) -> Advice:
    """The measures for a task, `guide(length=True, weighted=True, recall=False, redundancy=False)`.

    Keys are those of the questions: length, weighted, first_n, one, recall, graded, redundancy, deep. Raises ParameterError
    where an answer is missing, with its question, or a key is unknown.
    """
    known = {node["key"] for _, node in _walk(tree()) if "key" in node}
    for key in answers:
        if key not in known:
            raise ParameterError(f"The guide asks no {key!r}; it asks: {', '.join(sorted(known))}.{nearest(key, known)}")
    found = step(answers)
    if isinstance(found, Question):
        raise ParameterError(f"{found.key} is not answered: {found.text} (True or False)")
    return found


def _walk(node: Node, depth: int = 0) -> Iterator[tuple[int, Node]]:
    yield depth, node
    for answer in ("no", "yes"):
        if answer in node:
            yield from _walk(node[answer], depth + 1)


def page(picture: str = "guide.svg") -> str:
    """The workflow as a page in Markdown, with the picture that `plot` draws."""
    lines = ["# Which measure?", "", f"![The questions as a tree, with a measure at each end]({picture})", ""]
    lines += _page(tree(), 0)
    lines += [
        "",
        "`ir_trunc meta guide` asks these questions; `ir_trunc meta properties NAME` shows what a measure rewards.",
    ]
    lines += ["The workflow is that of Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051.", ""]
    return "\n".join(lines)


def _page(node: Node, depth: int) -> list[str]:
    if "measures" in node:
        return [f"{'  ' * depth}- **{' or '.join(node['measures'])}**. {node['note']}"]
    lines = [f"{'  ' * depth}- {node['question']}"]
    for answer in ("no", "yes"):
        lines += [f"{'  ' * (depth + 1)}- *{answer}*", *_page(node[answer], depth + 2)]
    return lines


def plot(ax: Any = None) -> Any:
    """The tree, from left to right; a measure in a box at each end. Returns Axes."""
    from textwrap import fill

    from ir_trunc.meta.figures import axes

    shown = axes(ax, 16, 8)
    leaves = iter(range(1000))
    label = {"color": "white", "pad": 1}

    def draw(node: Node, depth: int) -> float:
        if "measures" in node:
            y = float(-next(leaves))
            box = {"boxstyle": "round", "facecolor": "0.88", "edgecolor": "black"}
            shown.text(depth, y, " or ".join(node["measures"]), ha="center", va="center", fontsize=10, bbox=box)
            return y
        ends = {answer: draw(node[answer], depth + 1) for answer in ("no", "yes")}
        y = sum(ends.values()) / 2
        for answer, end in ends.items():
            shown.plot([depth, depth + 1], [y, end], color="0.5", linewidth=1, zorder=0)
            shown.text(depth + 0.55, y + 0.55 * (end - y), answer, ha="center", fontsize=8, bbox=label, zorder=1)
        box = {"boxstyle": "square", "facecolor": "white", "edgecolor": "0.5"}
        shown.text(depth, y, fill(node["question"], 20), ha="center", va="center", fontsize=7.5, bbox=box)
        return y

    draw(tree(), 0)
    shown.set_xlim(-0.5, max(depth for depth, _ in _walk(tree())) + 0.5)
    shown.set_ylim(-next(leaves), 1)
    shown.axis("off")
    return shown
