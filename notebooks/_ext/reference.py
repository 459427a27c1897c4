"""Print reference.md: `python notebooks/_ext/reference.py`. All in it comes from the registries."""

import json
from collections import defaultdict
from contextlib import suppress
from inspect import cleandoc
from pathlib import Path
from typing import get_args

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ir_trunc._core.rankings import Rankings
from ir_trunc._read.reading import DataKind
from ir_trunc._read.registry import readers_of
from ir_trunc._read.tables import VOCABULARY
from ir_trunc._scoring.evaluator import calc_aggregate
from ir_trunc.measures import families
from ir_trunc.measures.definition import ADDRESS, CUTOFF, JUDGED_ONLY

meta = truncation = None  # modules that can be taken away
PROPERTIES, RULE = (), ""
with suppress(ImportError):
    from ir_trunc import truncation
with suppress(ImportError):
    from ir_trunc import meta
    from ir_trunc.meta.properties import PROPERTIES, RULE

_QRELS = {"q": {"a": 1, "b": 1, "c": 1, "x": 0}}
_RUN = {"q": {"a": 0.9, "x": 0.5, "b": 0.4}}
_SETUP = f"""\
>>> from ir_trunc import calc_aggregate
>>> qrels = {json.dumps(_QRELS)}  # three relevant documents
>>> run = {json.dumps(_RUN)}  # by rank: 1 0 1
"""

# Name, grades by rank, and grades of all judged documents.
_LISTS = (
    ("1 0 1", [1, 0, 1], [1, 1, 1, 0, 0, 0]),
    ("1 0 1 0 0", [1, 0, 1, 0, 0], [1, 1, 1, 0, 0, 0]),
    ("empty", [], [1, 1, 1, 0, 0, 0]),
    ("empty, nil query", [], [0, 0]),
    ("0 0, nil query", [0, 0], [0, 0]),
)
_SCORES = [0.9, 0.5, 0.4, 0.3, 0.2]

_SIGNS = {"strict": "●", "weak": "◐", "constant": "○", "violated": "✕", "depends": "◇"}


def page():
    """The reference as a page in Markdown."""
    tried = meta.properties() if meta else ()
    verdicts = {of_measure.measure.partition("@")[0]: of_measure for of_measure in tried}
    all_families = list(families())
    users = defaultdict(list)  # of a parameter
    for definition in (definition for family in all_families for definition in family.members):
        for param in definition.params.values():
            if param.name == JUDGED_ONLY:  # said once
                continue
            users[param.name, param.kind.meaning, param.kind.allowed].append(_link(definition.name))
    readers = defaultdict(list)  # the kinds of data of each
    for kind in get_args(DataKind):
        for reader in readers_of(kind):
            readers[reader].append(kind)
    filters = {
        "link": _link,
        "source": _source,
        "paragraphs": _paragraphs,
        "row": _row,
        "in_words": _in_words,
    }
    how = {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    texts = Environment(loader=FileSystemLoader(Path(__file__).parent), **how)
    texts.filters |= filters
    return texts.get_template("reference.txt").render(
        setup=_SETUP,
        families=all_families,
        verdicts=verdicts,
        lists=[name for name, *_ in _LISTS],
        example=_example,
        parameters=sorted(users.items()),
        seven=PROPERTIES,
        rule=RULE,
        signs=_SIGNS,
        policies=truncation.registry.values() if truncation else (),
        procedures=sorted(meta.registry.values() if meta else (), key=lambda definition: definition.name),
        readers=readers.items(),
        vocabulary=[(field, names) for field, names in VOCABULARY.items() if field != "topic"],
    )


def _example(definition):
    """A call of a measure, its scores of the five lists, and its value in the example."""
    call = definition.name + "".join(f"@{depth}" for depth in _cutoff(definition).values())
    return call, boundary_scores(definition), round(calc_aggregate(call, _QRELS, _RUN)[call], 4)


def _cutoff(definition):
    """The cutoff of a measure that requires one: 1 for the answer to a question, 5 for a list."""
    needs = CUTOFF in definition.params and definition.params[CUTOFF].required
    return {CUTOFF: 1 if definition.scope == "run" else 5} if needs else {}


def boundary_scores(definition):
    """The default scores of the five lists of the small table.

    Each list is in a run beside one more topic, which is answered correctly.
    """
    measure = definition.bind(_cutoff(definition))
    runs = (
        Rankings.from_lists([grades, [1]], [judged, [1]], scores=[_SCORES[: len(grades)], [0.6]])
        for _, grades, judged in _LISTS
    )
    return [float(measure.score(rankings)[0]) for rankings in runs]


def _in_words(verdicts):
    """The verdicts in words, and those of the paper that differ."""
    by_word = [(word, [_with_what(f) for f in verdicts.findings if f.verdict == word]) for word in _SIGNS]
    text = "; ".join(f"{word}: {', '.join(names)}" for word, names in by_word if names)
    of = f" of `{verdicts.measure}`" if "@" in verdicts.measure else ""
    others = [f"{f.property} {f.paper}" for f in verdicts.findings if f.disagrees()]
    lists = [f"{f.property} {f.lists}" for f in verdicts.findings if f.verdict not in ("violated", "depends")]
    text += "." + f" No counter-example among these numbers of lists: {', '.join(lists)}." * bool(lists)
    return f"Properties{of}, {text}" + (f" The paper says otherwise: {', '.join(others)}." if others else "")


def _with_what(finding):
    """The property, and what its verdict depends on."""
    if not finding.depends_on:
        return finding.property
    examples = "; ".join(f"{word} with {where}" for word, where, _ in finding.examples)
    return f"{finding.property} on {' and '.join(finding.depends_on)} ({examples})"


def _row(cells):
    """A row of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _link(name):
    """A link to the heading of this name."""
    return f"[{name}](#{_anchor(name)})"


def _anchor(title):
    """The anchor that GitHub gives a heading."""
    return "".join(sign for sign in title.lower().replace(" ", "-") if sign.isalnum() or sign in "-_")


def mark_of(source):
    """Whether something is as a paper has it, an extension of a paper, or ours."""
    if source.startswith("ours"):
        return "ours"
    return "extension" if source.startswith("after ") else "paper"


def _source(source):
    """A source with a link to its first address, and its mark."""
    address = ADDRESS.search(source)
    name = source[: address.start()] if address else source
    linked = f"[{name}]({address[1]})" if address else name
    rest = ADDRESS.sub("", source[address.end() :]) if address else ""
    return f"*{mark_of(source)}*: {linked}{rest}"


def _paragraphs(text):
    """Paragraphs; an indented one becomes a block of text."""
    return [
        f"```text\n{cleandoc(part)}\n```" if part.startswith(" ") else " ".join(part.split())
        for part in text.split("\n\n")
        if part
    ]


if __name__ == "__main__":
    print(page(), end="")
