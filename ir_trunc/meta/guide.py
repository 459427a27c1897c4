"""Which measure for which task: the workflow of Amigó, Mizzaro & Spina (SIGIR 2022, section 5), and more.

The questions about answers, prices, nil queries and harm are not in the paper. They lead to measures of other
authors, which the reference names.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from textwrap import wrap
from typing import Annotated, Any

from ir_trunc._core.errors import ParameterError, nearest
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Flag
from ir_trunc._scoring.objects import parse_measure
from ir_trunc._scoring.results import Statement
from ir_trunc.measures import registry
from ir_trunc.measures.terminal import AMIGO
from ir_trunc.meta.procedures import procedure
from ir_trunc.meta.properties import PROPERTIES

Node = dict[str, Any]
Answer = Annotated[bool | None, Flag("answer to the question of this name")]


@dataclass(frozen=True)
class Question:
    """What is to be asked next; `key` names its answer."""

    key: str
    text: str


@dataclass(frozen=True, repr=False)
class Advice(Statement):
    """The measures to use, and the answers that led there."""

    measures: tuple[str, ...]
    but: Mapping[str, Mapping[str, str]]  # verdicts on properties that were asked for, where not strict
    note: str
    path: tuple[tuple[str, bool], ...]  # each question's key with its answer

    @property
    def heading(self) -> str:
        """The measures, what they do not hold in every case, and the note."""
        return "\n".join([" or ".join(self.measures), *_shortfall(self.but), self.note])

    @property
    def command(self) -> str:
        """What scores runs by these measures, to be typed into a shell."""
        sized = [name for name in self.measures if name in registry and "D" in registry[name].params]
        names = (f"{name}(D=SIZE)" if name in sized else name for name in self.measures)
        line = f"ir_trunc QRELS RUN {shlex.join(names)}"
        return f"{line}  # SIZE: how many documents the collection has" if sized else line

    def to_pandas(self) -> pd.DataFrame:
        """A row for each measure: its name, and what was asked for but does not always hold."""
        return pd.DataFrame([{"measure": name, **self.but.get(name, {})} for name in self.measures])


def _shortfall(but: Mapping[str, Mapping[str, str]]) -> list[str]:
    """A line for each property that was asked for and does not always hold: its meaning and what happens."""
    words = {"weak": "the scores can be equal", "constant": "they are always equal"}
    words["violated"] = "it can be the other way round"
    lines = []
    for prop in PROPERTIES:
        verdicts = {name: props[prop.name] for name, props in but.items() if prop.name in props}
        cases = [f"under {name} {words.get(word, f'it {word}')}" for name, word in verdicts.items()]
        if cases:
            what = f"that {prop.meaning} ({prop.name}) does not always hold"
            lines.append(f"Caution: {what}: {'; '.join(cases)}.")
    return lines


def tree() -> Node:
    """The workflow as a tree of questions."""
    # A node has key, question, yes, no, and the property that each answer asks for; a leaf has measures, a
    # note, and what was asked for and does not always hold.
    node: Node = json.loads((files("ir_trunc.meta") / "guide.json").read_text(encoding="utf-8"))
    return node


def next_step(answers: Mapping[str, bool]) -> Question | Advice:
    """The next question or the advice; ParameterError where a key is unknown."""
    known = {node["key"] for *_, node in _walk(tree()) if "key" in node}
    for key in answers:
        if key not in known:
            asked = ", ".join(sorted(known))
            raise ParameterError(f"The guide does not ask {key!r}; it asks: {asked}.{nearest(key, known)}")
    node, path = tree(), []
    while "question" in node:
        key = node["key"]
        if key not in answers:
            return Question(key, node["question"])
        path.append((key, answers[key]))
        node = node["yes" if answers[key] else "no"]
    return Advice(tuple(node["measures"]), node.get("but", {}), node["note"], tuple(path))


@procedure(source=f"{AMIGO}, section 5 and figure 4")
def guide(
    *,
    length: Answer = None,
    first_n: Answer = None,
    weighted: Answer = None,
    one: Answer = None,
    recall: Answer = None,
    graded: Answer = None,
    redundancy: Answer = None,
    deep: Answer = None,
    answers: Answer = None,
    single: Answer = None,
    nil: Answer = None,
    surest: Answer = None,
    price: Answer = None,
    paid: Answer = None,
    harm: Answer = None,
    everything: Answer = None,
) -> Advice:
    """The measures for a task, by the answers to a few questions.

    Each keyword answers the question of its name. `ir_trunc meta guide` asks them.

    Parameters
    ----------
    length, first_n, weighted, one, recall, graded, redundancy, deep : bool, optional
        The answers to the questions of the paper that are asked.
    answers, single, nil, surest, price, paid, harm, everything : bool, optional
        Answers to the questions that are not the paper's.

    Returns
    -------
    Advice
        The measures, what they do not hold in every case, and a note.

    Raises
    ------
    ParameterError
        Where an answer is missing, with its question.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> meta.guide(length=False, first_n=False, weighted=True, one=True).measures
    ('RR',)
    """
    step = next_step({key: answer for key, answer in locals().items() if answer is not None})
    if isinstance(step, Question):
        raise ParameterError(f"{step.key} is not answered: {step.text} (True or False)")
    return step


def _walk(node: Node, depth: int = 0, answer: str = "") -> Iterator[tuple[int, str, Node]]:
    """Every node with its depth, and the answer that leads to it."""
    yield depth, answer, node
    for word in ("no", "yes"):
        if word in node:
            yield from _walk(node[word], depth + 1, word)


def guide_page(picture: str = "guide.svg") -> str:
    """The workflow as a page in Markdown, with the picture that `plot_guide` draws."""
    frame = (files("ir_trunc.meta") / "guide.md").read_text(encoding="utf-8")
    lines = []
    for depth, answer, node in _walk(tree()):
        words = node.get("question")
        if words is None:
            after = " ".join([*_shortfall(node.get("but", {})), node["note"]])
            words = f"**{' or '.join(node['measures'])}**. {after}"
        if answer:
            lines.append(f"{'  ' * (2 * depth - 1)}- *{answer}*")
        lines.append(f"{'  ' * (2 * depth)}- {words}")
    return frame.format(picture=picture, questions="\n".join(lines))


_WIDE, _STEP, _LINE = 8.3, 0.4, 0.2  # the picture's width, a level's indent and a line's height, in inches
_LETTER, _SIGN = 0.068, 0.088  # the mean width of a letter and of a bold one
_PLAIN: dict[str, Any] = {"va": "center", "fontsize": 9}


def plot_guide(ax: Any = None) -> Any:
    """The questions in lines, each under the answer that leads to it; measures in boxes at each end.

    In SVG each box is a link to the measure's entry in the reference. Returns Axes.
    """
    rows = []
    for depth, answer, node in _walk(tree()):
        words = node.get("question") or " ".join(_shortfall(node.get("but", {})))
        lines = wrap(words, int((_WIDE - _STEP * depth - 0.5) / _LETTER))
        high = (len(lines) + 1.15 * ("measures" in node)) * _LINE + 0.12  # with the gap below
        rows.append((depth, answer, lines, node, high))
    height = sum(high for *_, high in rows) + 0.1
    shown = plots._kit.ready_axes(ax, _WIDE, height)
    shown.set(xlim=(0, _WIDE), ylim=(-height, 0))
    shown.axis("off")
    y, above = -0.2, {}
    for depth, answer, lines, node, high in rows:
        x = _STEP * depth + 0.1
        above[depth] = y - _LINE * max(len(lines) - 1, 0)
        if answer:
            trunk = x - _STEP + 0.05
            branch = [above[depth - 1] - 0.1, y, y]
            shown.plot([trunk, trunk, x - 0.03], branch, color="0.6", linewidth=0.8, zorder=0)
            label = {"color": "white", "pad": 1}
            shown.text(x - 0.03, y, answer, ha="right", color="0.25", bbox=label, **_PLAIN)
        below = y - _LINE * 1.15 * ("measures" in node)
        _links(shown, x + 0.1, y, node.get("measures", ()))
        for number, line in enumerate(lines):
            shown.text(x + 0.04, below - number * _LINE, line, color=plots._kit.INK, **_PLAIN)
        y -= high
    return shown


def _links(ax: Any, x: float, y: float, measures: Iterable[str]) -> None:
    """Measures in boxes from left to right, each with a link to its entry."""
    for number, name in enumerate(measures):
        if number:
            ax.text(x - 0.02, y, "or", ha="center", color="0.25", **_PLAIN)
            x += 0.22
        box = {"boxstyle": "round,pad=0.25", "facecolor": "0.9", "edgecolor": "0.4"}
        text = ax.text(x, y, name, weight="bold", color="#00507F", bbox=box, **_PLAIN)
        for part in (text, text.get_bbox_patch()):
            part.set_url(f"reference.html#{str(parse_measure(name).NAME).lower()}")
        x += _SIGN * len(name) + 0.3
