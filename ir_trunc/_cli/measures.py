"""`ir_trunc measures`: formula, parameters, range and source of measures, from the registry."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ir_trunc._cli._arguments import Words, cli_command
from ir_trunc._core.rankings import Rankings
from ir_trunc._output.tables import fitted
from ir_trunc.measures import Definition, families, lookup, registry
from ir_trunc.measures.definition import ADDRESS, CUTOFF

__all__ = ["main"]

_DECLARED = """
names NAME*  measures
--bibtex  the sources of these measures, or of all, as BibTeX
"""

_WORK = re.compile(
    r"(?:after )?(?P<author>.+?), (?P<howpublished>[^,&]*?),? ?(?P<year>\d{4})\b(?:, (?P<url>https?://[^,;\s]+))?"
)


@cli_command("measures", _DECLARED)
def main(args: Words) -> None:
    """What does a measure compute? Describe those that are named, or list them all.

    example:
      $ ir_trunc measures RBPT
      RBPT(p=0.8, rel, max_rel, tail=True, gain='linear', terminal='least',
        norm='ideal')[@k]

      Rank-biased precision whose terminal document speaks for all ranks that the
        system left empty.
      ...
    """
    named = [lookup(name.partition("@")[0].partition("(")[0]) for name in args.names]
    if args.bibtex:
        print("\n\n".join(bibtex(definition.source for definition in named or registry.values())))
    elif named:
        for definition in named:
            _show(f"{definition.signature}\n\n{definition.describe()}\n{_example(definition)}")
    else:
        for family in families():
            _show(f"\n{family.about}\n")
            for definition in family.members:
                low, high = definition.range
                about = f"range {low:g} to {high:g}; {ADDRESS.sub('', definition.source)}"
                lines = (f"      {line}" for line in (*definition.equation.splitlines(), about))
                _show("\n".join([f"  {definition.signature}", *lines]))
        print(f"\n{len(registry)} measures. 'ir_trunc measures NAME' tells more.")


def bibtex(sources: Iterable[str]) -> list[str]:
    """A BibTeX entry for each work that the sources name; titles stand behind the addresses."""
    entries: dict[str, str] = {}
    for work in filter(None, map(_WORK.match, "; ".join(sources).split("; "))):
        fields = {name: value for name, value in work.groupdict().items() if value}
        authors = re.split(", | & | et (?=al)", fields["author"])
        fields["author"] = " and ".join("others" if name == "al." else f"{{{name}}}" for name in authors)
        words = f"{authors[0]}{fields['year']}{fields.get('howpublished', '').partition(' ')[0]}".lower()
        key = re.sub("[^a-z0-9]", "", unicodedata.normalize("NFKD", words))
        if "url" in fields or key not in entries:
            lines = [key, *(f"  {name} = {{{value}}}" for name, value in fields.items())]
            entries[key] = "@misc{" + ",\n".join(lines) + "\n}"
    return [*entries.values()]


def _show(text: str) -> None:
    """Print a text; a line that is too long for a terminal goes on below, further in."""
    for line in text.splitlines():
        print(fitted(line, len(line) - len(line.lstrip()) + 2))


def _example(definition: Definition) -> str:
    """The score of one list under a measure, computed as it is asked for."""
    lists = Rankings.from_lists([[1, 0, 1]], [[1, 1, 1, 0]], scores=[[0.9, 0.5, 0.4]])
    params = {CUTOFF: 5} if CUTOFF in definition.params and definition.params[CUTOFF].required else {}
    value = definition.bind(params).score(lists)[0]
    name = f"{definition.name}@5" if params else definition.name
    return f"example: {name} of the list 1 0 1, of a topic with three relevant documents, is {value:.4f}"
