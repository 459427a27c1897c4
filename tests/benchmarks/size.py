"""Lines of code: without blank lines, comments and docstrings, Python and C together.

    python tests/benchmarks/size.py [--files]

A line counts where a token of the code stands on it; a text over several lines counts with all of its lines,
unless it is a docstring. --files: each file with its lines, the longest first.
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


def sizes(folder: str) -> dict[str, int]:
    """The lines of each file of a folder."""
    counted = {}
    for path in sorted((ROOT / folder).rglob("*")):
        count = {".py": python_lines, ".pyi": python_lines, ".c": c_lines, ".h": c_lines}.get(path.suffix)
        if count:
            counted[path.relative_to(ROOT).as_posix()] = count(path.read_text(encoding="utf-8"))
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", action="store_true")
    args = parser.parse_args()
    for folder in ("ir_trunc", "tests"):
        counted = sizes(folder)
        print(f"{folder}: {sum(counted.values()):,} lines of code in {len(counted)} files")
        for name, lines in sorted(counted.items(), key=lambda item: -item[1]) if args.files else ():
            print(f"{lines:6} {name}")


if __name__ == "__main__":
    main()
