"""Lines of code: without blank lines, comments and docstrings, Python and C together.

    python tests/benchmarks/size.py [--files]

A line counts where a token of the code stands on it; a text over several lines counts with all of its lines,
unless it is a docstring. Templates, which are written out for users, are counted apart: those in Python as
code, the others by all lines that are not blank. --files: each file with its lines, the longest first.
"""

import argparse
import ast
import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[2]
SILENT = {
    getattr(tokenize, name)
    for name in ("COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER")
}
OWNERS = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef


def python_lines(text: str) -> int:
    """Of a module."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, OWNERS) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def c_lines(text: str) -> int:
    """Of a C file or header."""
    code = re.sub(r'("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*', lambda found: found[1] or "", text, flags=re.S)
    return sum(bool(line.strip()) for line in code.splitlines())


def filled_lines(text: str) -> int:
    """Of a text of another kind."""
    return sum(bool(line.strip()) for line in text.splitlines())


COUNTS = {".py": python_lines, ".pyi": python_lines, ".c": c_lines, ".h": c_lines}
TEMPLATES = dict.fromkeys((".html", ".css", ".js", ".md", ".yml"), filled_lines)


def sizes(folder: str) -> dict[str, dict[str, int]]:
    """The lines of each file of a folder, those of templates apart."""
    counted: dict[str, dict[str, int]] = {folder: {}, "templates": {}}
    for path in sorted((ROOT / folder).rglob("*")):
        is_template = "templates" in path.parts
        count = (COUNTS | TEMPLATES if is_template else COUNTS).get(path.suffix)
        if count:
            lines = count(path.read_text(encoding="utf-8"))
            counted["templates" if is_template else folder][path.relative_to(ROOT).as_posix()] = lines
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", action="store_true")
    args = parser.parse_args()
    package, tests = sizes("ir_trunc"), sizes("tests")
    for name, counted in {**package, "tests": tests["tests"]}.items():
        print(f"{name}: {sum(counted.values()):,} lines of code in {len(counted)} files")
        for file, lines in sorted(counted.items(), key=lambda item: -item[1]) if args.files else ():
            print(f"{lines:6} {file}")


if __name__ == "__main__":
    main()
