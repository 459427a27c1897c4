"""Lines of code: without blank lines, comments and docstrings, Python and C together.

    python tests/benchmarks/size.py [--files | --rooms | --renew]

A line counts where a token of the code stands on it; a text over several lines counts with all of its lines,
unless it is a docstring. Templates, which are written out for users, are counted apart: those in Python as
code, the others by all lines that are not blank. --files: each file with its lines, the longest first.
--rooms: the tables of CONTRIBUTING, the core in the order of reading, and the modules with their lines.
--renew: write them there.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from rooms import ROOMS, core, owner_of

GUIDE = Path(__file__).parents[2] / ".github" / "CONTRIBUTING.md"
START, END = "<!-- tables -->\n\n", "\n\n<!-- end -->"
ROOT = Path(__file__).parents[2]
UNCOUNTED = "COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER"
SILENT = {getattr(tokenize, name) for name in UNCOUNTED}
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


def table_of_core() -> list[str]:
    """Rows in Markdown: the files of the core in the order of reading, with lines and their own sentence."""
    found = sizes("ir_trunc")["ir_trunc"]
    rows = ["| file of the core | lines | what it is |", "| --- | --- | --- |"]
    for path in core():
        text = (ROOT / "ir_trunc" / path).read_text("utf-8")
        about = (ast.get_docstring(ast.parse(text)) or "").split("\n")
        if found[f"ir_trunc/{path}"] > 1:
            rows.append(f"| `{path}` | {found[f'ir_trunc/{path}']:,} | {about[0]} |")
    compiled = [number for path, number in found.items() if path.endswith((".c", ".h"))]
    return [*rows, f"| `_kernel/core`, `_kernel/binding` | {sum(compiled):,} | The kernel, in C. |"]


def table_of_rooms() -> list[str]:
    """Rows in Markdown: the core, and each room with its lines, its paths and the rooms that it stands on."""
    lines = Counter[str]()
    for path, number in sizes("ir_trunc")["ir_trunc"].items():
        lines[owner_of(path.removeprefix("ir_trunc/"))] += number
    rows = ["| module | lines | stands on | in `ir_trunc` |", "| --- | --- | --- | --- |"]
    rows.append(f"| core | {lines['']:,} |  | all that no other row has |")
    for name, room in ROOMS.items():
        paths = ", ".join(f"`{path}`" for path in room.package.split())
        rows.append(f"| {name} | {lines[name]:,} | {', '.join(room.on)} | {paths} |")
    pairs = ((name, other) for name, room in ROOMS.items() for other in room.on)
    edges = [f'  {_key(name)}["{name}"] --> {_key(other)}' for name, other in pairs]
    return [*rows, "", "```mermaid", "graph TD", *edges, "```"]


def _key(name: str) -> str:
    return name.replace(" ", "").replace("-", "")


def tables() -> str:
    """What CONTRIBUTING shows of the core and the modules."""
    return "\n".join([*table_of_core(), "", *table_of_rooms()])


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--rooms", action="store_true")
    parser.add_argument("--renew", action="store_true")
    args = parser.parse_args()
    if args.rooms:
        print(tables())
        return
    if args.renew:
        before, _, rest = GUIDE.read_text(encoding="utf-8").partition(START)
        GUIDE.write_text(f"{before}{START}{tables()}{END}{rest.partition(END)[2]}", encoding="utf-8")
        return
    package, tests = sizes("ir_trunc"), sizes("tests")
    for name, counted in {**package, "tests": tests["tests"]}.items():
        print(f"{name}: {sum(counted.values()):,} lines of code in {len(counted)} files")
        for file, lines in sorted(counted.items(), key=lambda item: -item[1]) if args.files else ():
            print(f"{lines:6} {file}")


if __name__ == "__main__":
    main()
