"""Laws for words: docstrings, messages and help texts are plain English of the field.

A docstring begins with one line: a sentence that says what the thing is. Some turns of phrase are not used,
since they puzzle readers or say what a thing is by what it is not.
"""

import ast
import re
from pathlib import Path

import pytest

import ir_trunc

PACKAGE = Path(ir_trunc.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


REFUSED = {
    r"^The same\b": "say what it is",
    r"\b(?:is|are|was|were) no (?!(?:longer|more|less|better|worse|higher|lower|shorter|other)\b)": (
        "write 'is not a', or 'there is no'"
    ),
    r"\bstands? together\b": "write 'is contiguous'",
    r"\bthe same, but\b": "say what it is",
    r"\bsay so\b": "say what is said",
}
ALLOWED = re.compile(r"[Tt]here (?:is|are|was|were) no ")


def docstrings(tree):
    """Docstrings of modules, classes, functions and attributes, each with its line."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for at, statement in enumerate(body if isinstance(body, list) else []):
            value = statement.value if isinstance(statement, ast.Expr) else None
            if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
                continue
            of_attribute = at > 0 and isinstance(body[at - 1], ast.Assign | ast.AnnAssign)
            if of_attribute or (at == 0 and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)):
                yield statement.lineno, value.value


def texts(tree):
    """All strings of a file, those of f-strings in one piece, each with its line."""
    inside = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_docstrings_begin_with_one_line(path):
    """A sentence that needs two lines is too long for a summary."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [f"{line}: {text}" for line, text in docstrings(tree) if "\n" in text.strip().split("\n\n")[0]]
    assert found == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_text_puzzles_its_reader(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = []
    for line, text in texts(tree):
        words = ALLOWED.sub("", " ".join(text.split()))
        found += [f"{line}: {text}: {why}" for turn, why in REFUSED.items() if re.search(turn, words)]
    assert found == []


def test_the_laws_see_what_they_refuse():
    tree = ast.parse(
        'class A:\n    """The same for\n    others."""\n    x: int\n    """It is no list."""\n'
        'def f(a):\n    raise ValueError(f"{a} is no run.")\n'
    )
    assert [line for line, text in docstrings(tree) if "\n" in text] == [2]
    assert len(list(docstrings(tree))) == 2
    assert "{} is no run." in [text for _, text in texts(tree)]
    assert re.search(list(REFUSED)[1], "{} is no run.")
    assert not re.search(list(REFUSED)[1], "the list is no longer than k")
