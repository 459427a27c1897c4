"""Sections of the reference on policies, procedures and forms of data, and what its Markdown is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any, get_args

from ir_trunc import meta, truncation
from ir_trunc.measures.params import Param
from ir_trunc.meta.properties import RULE
from ir_trunc.read.reading import Kind
from ir_trunc.read.registry import readers


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


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
    return [table(["parameter", "meaning", "allowed", "default"], rows)] if rows else []


def forms_section() -> str:
    """The forms that data may have."""
    found = {known.form: known for kind in get_args(Kind) for known in readers(kind)}
    named = {form.replace("<value>", "value").replace("<columns>", "..."): of for form, of in found.items()}
    rows = [[f"`{form}`", ", ".join(known.kinds), known.about] for form, known in named.items()]
    return table(["form", "of", "what is to be known"], rows)


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
