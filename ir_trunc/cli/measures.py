"""`ir_trunc measures`: every measure with formula, parameters, range and source, from the registry."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._core.rankings import Rankings
from ir_trunc.cli.output import OneLineParser, show
from ir_trunc.measures import Definition, families, lookup, registry
from ir_trunc.measures.definition import CUTOFF


def main(words: Sequence[str]) -> int:
    """`ir_trunc measures [NAME] [--reference]`."""
    parser = OneLineParser(prog="ir_trunc measures", description="List all measures, or describe one.")
    parser.add_argument("name", metavar="NAME", nargs="?", help="a measure")
    about = "everything about all measures, as a page in Markdown"
    parser.add_argument("--reference", action="store_true", help=about)
    args = parser.parse_args(words)
    if args.reference:
        if args.name:
            parser.error("--reference is a page of all measures: leave NAME out")
        from ir_trunc.reporting.reference import page

        print(page(), end="")
    elif args.name:
        found = lookup(args.name.partition("@")[0].partition("(")[0])
        show(f"{found.signature}\n\n{found.describe()}\n{example(found)}")
    else:
        _list()
    return 0


def _list() -> None:
    for family in families():
        show(f"\n{family.about}\n")
        for definition in family.members:
            low, high = (f"{bound:g}" for bound in definition.range)
            about = [f"range {low} to {high}; {definition.source.split(', http')[0]}"]
            lines = [*definition.equation.splitlines(), *about]
            show("\n".join([f"  {definition.signature}", *(f"      {line}" for line in lines)]))
    print(f"\n{len(registry)} measures. 'ir_trunc measures NAME' tells more.")


def example(definition: Definition) -> str:
    """What the measure says of one list, computed as it is asked for."""
    lists = Rankings.from_lists([[1, 0, 1]], [[1, 1, 1, 0]], scores=[[0.9, 0.5, 0.4]])
    params = {CUTOFF: 5} if CUTOFF in definition.params and definition.params[CUTOFF].required else {}
    value = definition.bind(params).score(lists)[0]
    name = f"{definition.name}@5" if params else definition.name
    return f"example: {name} of the list 1 0 1, of a topic with three relevant documents, is {value:.4f}"
