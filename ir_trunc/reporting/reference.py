"""The reference: every measure, policy and procedure in Markdown, from the registries and computed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from inspect import cleandoc
from typing import Any, get_args

from ir_trunc import meta, truncation
from ir_trunc._core.rankings import Rankings
from ir_trunc._output.tables import markdown_table
from ir_trunc._read.reading import DataKind
from ir_trunc._read.registry import readers_of
from ir_trunc.measures import Definition, Family, families
from ir_trunc.measures.definition import CUTOFF
from ir_trunc.measures.params import Param
from ir_trunc.meta._trials import PROPERTIES
from ir_trunc.meta.properties import RULE, Finding, Verdicts, properties
from ir_trunc.scoring.evaluator import calc_aggregate

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


def page() -> str:
    """The reference as a page in Markdown."""
    template = (files("ir_trunc.reporting") / "templates" / "reference.md").read_text(encoding="utf-8")
    verdicts = {found.measure.partition("@")[0]: found for found in properties()}
    known = list(families())
    return template.removesuffix("\n").format(
        renew=RENEW,
        setup=_SETUP,
        contents=_contents(known),
        families="\n".join(_family(family, verdicts) for family in known),
        parameters=_parameters(known),
        meanings="".join(f"{known.number}. **{known.name}**: {known.meaning}.\n" for known in PROPERTIES),
        rule=RULE,
        legend=", ".join(f"{sign} {word}" for word, sign in _SIGNS.items()),
        properties=_properties([verdicts[one.name] for family in known for one in family.members]),
        policies="\n".join(policies_section()),
        procedures="\n".join(procedures_section()),
        forms=forms_section(),
    )


def _contents(known: list[Family]) -> str:
    rows = [[link(f.title), f.question, " ".join(link(measure.name) for measure in f.members)] for f in known]
    return _table(["family", "question", "measures"], rows)


def _family(family: Family, verdicts: Mapping[str, Verdicts]) -> str:
    about = family.about.removeprefix(f"{family.title}:").strip()
    head = f"## {family.title}\n\n*{family.question}*\n\n{about[:1].upper()}{about[1:]}\n"
    return "\n".join([head, *(_entry(one, verdicts[one.name]) for one in family.members)])


def _entry(definition: Definition, verdicts: Verdicts) -> str:
    low, high = (f"{bound:g}".replace("inf", "∞") for bound in definition.range)
    better = ", lower is better" if definition.lower_is_better else ""
    facts = [f"`{definition.signature}`", f"{low} to {high}{better}", source(definition.source)]
    if definition.aliases:
        facts.append("also called " + ", ".join(f"`{alias}`" for alias in definition.aliases))
    told = notes(definition.notes)
    if definition.scope == "run":
        told.append(
            "The measure looks at the whole run: in the table, each list comes with a question answered"
            " correctly.\n"
        )
    found = [_small_lists(definition), f"{_verdicts(verdicts)}\n", f"```pycon\n{_example(definition)}```\n"]
    return entry(definition, facts, [*told, *own_parameters(definition.params), *found])


def _cutoff(definition: Definition) -> dict[str, int]:
    """The depth of a measure that has to be given one: 1 for the answer to a question, 5 for a list."""
    needs = CUTOFF in definition.params and definition.params[CUTOFF].required
    return {CUTOFF: 1 if definition.scope == "run" else 5} if needs else {}


def _shown(definition: Definition) -> str:
    """The measure in its default setting, with a depth where one has to be given."""
    return definition.name + "".join(f"@{depth}" for depth in _cutoff(definition).values())


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


def _small_lists(definition: Definition) -> str:
    scores = [f"{score:.4f}" for score in boundary_scores(definition)]
    return _table(["list", *(name for name, *_ in _LISTS)], [[f"`{_shown(definition)}`", *scores]])


def _verdicts(verdicts: Verdicts) -> str:
    """The verdicts in words, and where the paper says otherwise."""
    by_word = [(word, [_with_what(f) for f in verdicts.findings if f.verdict == word]) for word in _SIGNS]
    text = "; ".join(f"{word}: {', '.join(names)}" for word, names in by_word if names)
    of = f" of `{verdicts.measure}`" if "@" in verdicts.measure else ""
    others = [f"{f.property} {f.paper}" for f in verdicts.findings if f.disagrees()]
    return f"Properties{of}, {text}." + (f" The paper says otherwise: {', '.join(others)}." if others else "")


def _with_what(found: Finding) -> str:
    """The property, and what its verdict depends on."""
    if not found.depends_on:
        return found.property
    examples = "; ".join(f"{word} with {where}" for word, where, _ in found.examples)
    return f"{found.property} on {' and '.join(found.depends_on)} ({examples})"


def _example(definition: Definition) -> str:
    """Two lines of a session in Python; the second is what the first gives."""
    shown = _shown(definition)
    value = round(calc_aggregate(shown, _QRELS, _RUN)[shown], 4)
    return f'>>> round(calc_aggregate("{shown}", qrels, run)["{shown}"], 4)\n{value!r}\n'


def _parameters(known: list[Family]) -> str:
    found: dict[tuple[str, str, str], list[str]] = {}
    for definition in (definition for family in known for definition in family.members):
        for param in definition.params.values():
            about = (param.name, param.kind.meaning, param.kind.allowed)
            found.setdefault(about, []).append(link(definition.name))
    rows = [
        [f"`{name}`", meaning, allowed, " ".join(links)]
        for (name, meaning, allowed), links in sorted(found.items())
    ]
    return _table(["parameter", "meaning", "allowed", "measures"], rows)


def _properties(measured: list[Verdicts]) -> str:
    rows = []
    for found in measured:
        signs = [_SIGNS[one.verdict] + "*" * one.disagrees() for one in found.findings]
        rows.append([f"[{found.measure}](#{anchor(found.measure.partition('@')[0])})", *signs])
    return _table(["measure", *(known.name for known in PROPERTIES)], rows)


def forms_section() -> str:
    """The forms that data may have."""
    found = {known.form: known for kind in get_args(DataKind) for known in readers_of(kind)}
    named = {form.replace("<value>", "value").replace("<columns>", "..."): of for form, of in found.items()}
    rows = [[f"`{form}`", ", ".join(known.kinds), known.about] for form, known in named.items()]
    return _table(["form", "of", "what is to be known"], rows)


def policies_section() -> list[str]:
    """The policies, an entry each."""
    return [_policy(definition) for definition in truncation.registry.values()]


def _policy(definition: truncation.PolicyDefinition) -> str:
    again = "to cut again changes nothing" if definition.idempotent else "to cut again may cut deeper"
    facts = [f"`{definition.signature}`", again, source(definition.source)]
    return entry(definition, facts, [*notes(definition.notes), *own_parameters(definition.params)])


def procedures_section() -> list[str]:
    """The procedures of meta-evaluation, an entry each."""
    known = sorted(meta.registry.values(), key=lambda definition: definition.name)
    return [_procedure(definition) for definition in known]


def _procedure(definition: meta.ProcedureDefinition) -> str:
    facts = [f"`{definition.signature}`", f"`{definition.result.__name__}`", source(definition.source)]
    told = definition.notes.replace(RULE, f"{link('The seven properties')} says what is tried.")
    return entry(definition, facts, [*notes(told), *own_parameters(definition.options)])


# What the Markdown of the page is made of.


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    return markdown_table(head, ([cell.replace("|", "\\|") for cell in row] for row in rows))


def link(name: str) -> str:
    """A link to the heading of this name."""
    return f"[{name}](#{anchor(name)})"


def anchor(title: str) -> str:
    """What GitHub makes of a heading."""
    return "".join(sign for sign in title.lower().replace(" ", "-") if sign.isalnum() or sign in "-_")


def default(param: Param) -> str:
    """A parameter's default, in words."""
    return "required" if param.required else "not set" if param.default is None else f"`{param.default!r}`"


def source(source: str) -> str:
    """A paper, linked where it has an address."""
    name, _, address = source.partition(", http")
    return f"[{name}](http{address})" if address else name


def notes(text: str) -> list[str]:
    """Paragraphs, those that are indented as they stand."""
    parts = (
        f"```text\n{cleandoc(part)}\n```" if part.startswith(" ") else " ".join(part.split())
        for part in text.split("\n\n")
        if part
    )
    return [f"{part}\n" for part in parts]


def entry(definition: Any, facts: Sequence[str], rest: Sequence[str]) -> str:
    """The entry of a measure, a policy or a procedure: in a page of all of them."""
    formula = [f"```text\n{definition.equation}\n```\n"] if hasattr(definition, "equation") else []
    about = [f"### {definition.name}\n", f"{definition.summary}\n", *formula]
    return "\n".join([*about, " · ".join(facts) + "\n", *rest])


def own_parameters(params: Mapping[str, Param]) -> list[str]:
    """A table of parameters, if there are any."""
    rows = [[f"`{p.name}`", p.kind.meaning, p.kind.allowed, default(p)] for p in params.values()]
    return [_table(["parameter", "meaning", "allowed", "default"], rows)] if rows else []
