"""The table of the comparison: what each tool does with lists that end, tried with the versions that are
installed.

python tests/comparison/compare.py                    the tools that this Python has
python tests/comparison/compare.py --venvs FOLDER     all tools, each in its own virtual environment in FOLDER
python tests/comparison/compare.py --page             the page, with our own column as this Python computes it
"""

import argparse
import json
import os
import re
import subprocess
import sys
import venv
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "notebooks" / "coming-from" / "other-tools.md"
sys.path.insert(0, str(HERE))

from questions import QUESTIONS, column
from tools import TOOLS

_ONE = (
    "import json, sys; sys.path.insert(0, {here!r}); import compare; print(json.dumps(compare.one({tool!r})))"
)


def one(tool: str) -> dict[str, str] | None:
    """A tool's column with its version, by this Python; None where the tool is not installed."""
    try:
        found = version(TOOLS[tool][0])
    except PackageNotFoundError:
        return None
    by = "" if TOOLS[tool][0].lower() in (tool.lower(), f"{tool}-eval".lower()) else f"by {TOOLS[tool][0]} "
    return {"Version": by + found, **column(tool)}


def _alone() -> dict[str, str]:
    """The environment without packages from elsewhere."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def asked(tool: str, venvs: Path | None = None) -> dict[str, str] | None:
    """The same in a process of its own, so that no tool sees another, by this Python or by that of a virtual
    environment.
    """
    code = _ONE.format(here=str(HERE), tool=tool)
    python, env = (python_of(tool, venvs), _alone()) if venvs else (sys.executable, None)
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(f"{tool}: {done.stderr}")
    found: dict[str, str] | None = json.loads(
        done.stdout.splitlines()[-1]
    )  # some tools print when they are imported
    return found


def python_of(tool: str, folder: Path) -> str:
    """The Python of a virtual environment that has the tool; it is made where it is missing."""
    place = folder / TOOLS[tool][0]
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        what = str(HERE.parent.parent) if tool == "ir_trunc" else TOOLS[tool][0]
        subprocess.run([python, "-m", "pip", "install", "-q", what], check=True, env=_alone())
    return str(python)


def table(columns: dict[str, dict[str, str]]) -> str:
    """The columns side by side, in Markdown."""
    head = ["", *columns]
    rows = [["Version", *(cells["Version"] for cells in columns.values())]]
    rows += [[q.__doc__ or "", *(cells[q.__doc__ or ""] for cells in columns.values())] for q in QUESTIONS]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *rows])


def columns_of(page: str) -> dict[str, dict[str, str]]:
    """The columns of the page's table, by tool and row."""
    lines = re.findall(r"^\|.*\|$", page, re.MULTILINE)
    head, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {tool: {row[0]: row[at] for row in body} for at, tool in enumerate(head) if tool}


def renewed(page: str) -> str:
    """The page with our own column anew; those of other tools need their environments."""
    columns = columns_of(page) | {"ir_trunc": one("ir_trunc") or {}}
    return re.sub(r"(^\|.*\|\n)+", lambda _: table(columns), page, count=1, flags=re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--venvs", metavar="FOLDER", type=Path)
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()
    if args.page:
        print(renewed(PAGE.read_text(encoding="utf-8")), end="")
        return
    found = {tool: asked(tool, args.venvs) for tool in TOOLS}
    for tool, cells in found.items():
        if cells is None:
            print(f"{tool} is not installed here: left out", file=sys.stderr)
    print(table({tool: cells for tool, cells in found.items() if cells is not None}), end="")


if __name__ == "__main__":
    main()
