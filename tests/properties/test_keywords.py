"""One keyword, one meaning: `tests/keywords.txt` has a row for each keyword of public functions.

keyword, what it means, its types, and the functions that have it (* for more than six): a function that takes
a keyword joins its row only if it means the same.
"""

import inspect
import re
from pathlib import Path

from public import FUNCTIONS, OF_PYTERRIER, handed_on

from ir_trunc import truncation

FILE = Path(__file__).parents[1] / "keywords.txt"
LISTED = [line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines()]
ELSEWHERE = (*OF_PYTERRIER, "ir_trunc.meta.guide")  # PyTerrier's words, and questions of the guide


def type_of(annotation):
    """The type as it is written, without the kind that checks it."""
    return re.sub(r'^"?Annotated\[(.*?), [A-Z]\w*\(.*', r"\1", str(annotation), flags=re.DOTALL).replace(
        '"', ""
    )


def rows():
    """[keyword, types, functions] of public functions and of the methods of policies."""
    methods = {f"Policy.{name}": each for name, each in vars(truncation.Policy).items() if name[0] != "_"}
    types, functions = {}, {}
    for name, function in (FUNCTIONS | methods).items():
        if name in ELSEWHERE or not inspect.isfunction(function):
            continue
        for each in inspect.signature(function).parameters.values():
            if each.name != "self" and each.kind is not each.VAR_KEYWORD:
                types.setdefault(each.name, set()).add(type_of(each.annotation))
                functions.setdefault(each.name, set()).add(name.removeprefix("ir_trunc."))
        if name in FUNCTIONS:
            for keyword in handed_on(name):
                types.setdefault(keyword, set())
    for keyword in sorted(types):
        names = sorted(functions[keyword])
        yield [keyword, " or ".join(sorted(types[keyword])), " ".join(names) if len(names) <= 6 else "*"]


def test_every_keyword_has_one_row():
    assert [[keyword, types, functions] for keyword, _, types, functions in LISTED] == [*rows()]
    assert len({meaning for _, meaning, *_ in LISTED}) == len(LISTED)
