"""The reference: every measure, policy, procedure and data form in Markdown, from the registries."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.resources import files
from inspect import cleandoc
from typing import Any, get_args

from ir_trunc import meta, truncation
from ir_trunc._core.rankings import Rankings
from ir_trunc._output.tables import markdown_table
from ir_trunc._read.reading import DataKind
from ir_trunc._read.registry import readers_of
from ir_trunc._scoring.evaluator import calc_aggregate
from ir_trunc.measures import Definition, Family, families
from ir_trunc.measures.definition import ADDRESS, CUTOFF, mark_of
from ir_trunc.measures.params import Param
from ir_trunc.meta._trials import PROPERTIES
from ir_trunc.meta.properties import RULE, Finding, Verdicts, properties

__all__ = [
    "RENEW", "boundary_scores", "forms_section", "policies_section", "procedures_section", "reference_page",
]  # fmt: skip

RENEW = "ir_trunc measures --reference > notebooks/reference.md"

_QRELS = {"q": {"a": 1, "b": 1, "c": 1, "x": 0}}
_RUN = {"q": {"a": 0.9, "x": 0.5, "b": 0.4}}
_SETUP = f"""\
>>> from ir_trunc import calc_aggregate
>>> qrels = {json.dumps(_QRELS)}  # three relevant documents
>>> run = {json.dumps(_RUN)}  # by rank: 1 0 1
"""

# Name, grades by rank, and grades of all judged documents.
_LISTS: tuple[tuple[str, list[int], list[int]], ...] = (
    ("1 0 1", [1, 0, 1], [1, 1, 1, 0, 0, 0]),
    ("1 0 1 0 0", [1, 0, 1, 0, 0], [1, 1, 1, 0, 0, 0]),
    ("empty", [], [1, 1, 1, 0, 0, 0]),
    ("empty, nil query", [], [0, 0]),
    ("0 0, nil query", [0, 0], [0, 0]),
)
_SCORES = [0.9, 0.5, 0.4, 0.3, 0.2]

_SIGNS = {"strict": "●", "weak": "◐", "constant": "○", "violated": "✕", "depends": "◇"}


def reference_page() -> str:
    """The reference as a page in Markdown."""
    template = (files("ir_trunc._reporting") / "templates" / "reference.md").read_text(encoding="utf-8")
    verdicts = {of_measure.measure.partition("@")[0]: of_measure for of_measure in properties()}
    all_families = list(families())
    return template.removesuffix("\n").format(
        renew=RENEW,
        setup=_SETUP,
        contents=_table(
            ["family", "question", "measures"],
            [[_link(f.title), f.question, " ".join(_link(m.name) for m in f.members)] for f in all_families],
        ),
        families="\n".join(_family(family, verdicts) for family in all_families),
        parameters=_parameters(all_families),
        meanings="".join(f"{each.number}. **{each.name}**: {each.meaning}.\n" for each in PROPERTIES),
        rule=RULE,
        legend=", ".join(f"{sign} {word}" for word, sign in _SIGNS.items()),
        properties=_properties(
            [verdicts[measure.name] for family in all_families for measure in family.members]
        ),
        policies="\n".join(policies_section()),
        procedures="\n".join(procedures_section()),
        forms=forms_section(),
    )


def _family(family: Family, verdicts: Mapping[str, Verdicts]) -> str:
    about = family.about.removeprefix(f"{family.title}:").strip()
    head = f"## {family.title}\n\n*{family.question}*\n\n{about[:1].upper()}{about[1:]}\n"
    return "\n".join([head, *(_measure(measure, verdicts[measure.name]) for measure in family.members)])


def _measure(definition: Definition, verdicts: Verdicts) -> str:
    low, high = (f"{bound:g}".replace("inf", "∞") for bound in definition.range)
    better = ", lower is better" if definition.lower_is_better else ""
    facts = [f"`{definition.signature}`", f"{low} to {high}{better}", _source(definition.source)]
    if definition.aliases:
        facts.append("also called " + ", ".join(f"`{alias}`" for alias in definition.aliases))
    paragraphs = _notes(definition.notes)
    if definition.scope == "run":
        paragraphs.append(
            "The measure looks at the whole run: in the table, each list comes with a question answered"
            " correctly.\n"
        )
    names, scores = [name for name, *_ in _LISTS], [f"{score:.4f}" for score in boundary_scores(definition)]
    call = definition.name + "".join(f"@{depth}" for depth in _cutoff(definition).values())
    value = round(calc_aggregate(call, _QRELS, _RUN)[call], 4)
    computed = [
        _table(["list", *names], [[f"`{call}`", *scores]]),
        f"{_verdicts(verdicts)}\n",
        f'```pycon\n>>> round(calc_aggregate("{call}", qrels, run)["{call}"], 4)\n{value!r}\n```\n',
    ]
    return _entry(definition, facts, [*paragraphs, *_own_parameters(definition.params), *computed])


def _cutoff(definition: Definition) -> dict[str, int]:
    """The cutoff of a measure that requires one: 1 for the answer to a question, 5 for a list."""
    needs = CUTOFF in definition.params and definition.params[CUTOFF].required
    return {CUTOFF: 1 if definition.scope == "run" else 5} if needs else {}


def boundary_scores(definition: Definition) -> list[float]:
    """The default scores of the five lists of the small table.

    Each list is in a run beside one more topic, which is answered correctly.
    """
    measure = definition.bind(_cutoff(definition))
    runs = (
        Rankings.from_lists([grades, [1]], [judged, [1]], scores=[_SCORES[: len(grades)], [0.6]])
        for _, grades, judged in _LISTS
    )
    return [float(measure.score(rankings)[0]) for rankings in runs]


def _verdicts(verdicts: Verdicts) -> str:
    """The verdicts in words, and those of the paper that differ."""
    by_word = [(word, [_with_what(f) for f in verdicts.findings if f.verdict == word]) for word in _SIGNS]
    text = "; ".join(f"{word}: {', '.join(names)}" for word, names in by_word if names)
    of = f" of `{verdicts.measure}`" if "@" in verdicts.measure else ""
    others = [f"{f.property} {f.paper}" for f in verdicts.findings if f.disagrees()]
    lists = [f"{f.property} {f.lists}" for f in verdicts.findings if f.verdict not in ("violated", "depends")]
    text += "." + f" No counter-example among these numbers of lists: {', '.join(lists)}." * bool(lists)
    return f"Properties{of}, {text}" + (f" The paper says otherwise: {', '.join(others)}." if others else "")


def _with_what(finding: Finding) -> str:
    """The property, and what its verdict depends on."""
    if not finding.depends_on:
        return finding.property
    examples = "; ".join(f"{word} with {where}" for word, where, _ in finding.examples)
    return f"{finding.property} on {' and '.join(finding.depends_on)} ({examples})"


def _parameters(all_families: list[Family]) -> str:
    links = defaultdict(list)
    for definition in (definition for family in all_families for definition in family.members):
        for param in definition.params.values():
            links[param.name, param.kind.meaning, param.kind.allowed].append(_link(definition.name))
    rows = [[f"`{name}`", *about, " ".join(measures)] for (name, *about), measures in sorted(links.items())]
    return _table(["parameter", "meaning", "allowed", "measures"], rows)


def _properties(all_verdicts: list[Verdicts]) -> str:
    rows = []
    for verdicts in all_verdicts:
        signs = [_SIGNS[each.verdict] + "*" * each.disagrees() for each in verdicts.findings]
        rows.append([f"[{verdicts.measure}](#{_anchor(verdicts.measure.partition('@')[0])})", *signs])
    return _table(["measure", *(each.name for each in PROPERTIES)], rows)


def forms_section() -> str:
    """The forms that data may have."""
    readers = {reader.form: reader for kind in get_args(DataKind) for reader in readers_of(kind)}
    named = {form.replace("<value>", "value").replace("<columns>", "..."): of for form, of in readers.items()}
    rows = [[f"`{form}`", ", ".join(reader.kinds), reader.about] for form, reader in named.items()]
    return _table(["form", "of", "what is to be known"], rows)


def policies_section() -> list[str]:
    """The policies, an entry each."""
    entries = []
    for definition in truncation.registry.values():
        again = "to cut again changes nothing" if definition.idempotent else "to cut again may cut deeper"
        facts = [f"`{definition.signature}`", again, _source(definition.source)]
        rest = [*_notes(definition.notes), *_own_parameters(definition.params)]
        entries.append(_entry(definition, facts, rest))
    return entries


def procedures_section() -> list[str]:
    """The procedures of meta-evaluation, an entry each."""
    entries = []
    for definition in sorted(meta.registry.values(), key=lambda definition: definition.name):
        facts = [f"`{definition.signature}`", f"`{definition.result.__name__}`", _source(definition.source)]
        text = definition.notes.replace(RULE, f"{_link('The seven properties')} says what is tried.")
        entries.append(_entry(definition, facts, [*_notes(text), *_own_parameters(definition.options)]))
    return entries


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    return markdown_table(head, ([cell.replace("|", "\\|") for cell in row] for row in rows))


def _link(name: str) -> str:
    """A link to the heading of this name."""
    return f"[{name}](#{_anchor(name)})"


def _anchor(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    return "".join(sign for sign in title.lower().replace(" ", "-") if sign.isalnum() or sign in "-_")


def _source(source: str) -> str:
    """A source with a link to its first address, and its mark."""
    address = ADDRESS.search(source)
    name = source[: address.start()] if address else source
    linked = f"[{name}]({address[1]})" if address else name
    rest = ADDRESS.sub("", source[address.end() :]) if address else ""
    return f"*{mark_of(source)}*: {linked}{rest}"


def _notes(text: str) -> list[str]:
    """Paragraphs; an indented one becomes a block of text."""
    parts = (
        f"```text\n{cleandoc(part)}\n```" if part.startswith(" ") else " ".join(part.split())
        for part in text.split("\n\n")
        if part
    )
    return [f"{part}\n" for part in parts]


def _entry(definition: Any, facts: Sequence[str], rest: Sequence[str]) -> str:
    """The entry of a measure, a policy or a procedure."""
    formula = [f"```text\n{definition.equation}\n```\n"] if hasattr(definition, "equation") else []
    about = [f"### {definition.name}\n", f"{definition.summary}\n", *formula]
    return "\n".join([*about, " · ".join(facts) + "\n", *rest])


def _own_parameters(params: Mapping[str, Param]) -> list[str]:
    """A table of parameters, if there are any."""
    rows = []
    for param in params.values():
        default = "not set" if param.default is None else f"`{param.default!r}`"
        default = "required" if param.required else default
        rows.append([f"`{param.name}`", param.kind.meaning, param.kind.allowed, default])
    return [_table(["parameter", "meaning", "allowed", "default"], rows)] if rows else []
