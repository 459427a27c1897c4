"""The comparison is what the tools do: every column is tried again where its tool is installed."""

import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE / "comparison"))

import compare

PAGE = (HERE.parent / "notebooks" / "coming-from" / "other-tools.md").read_text(encoding="utf-8")
RENEW = "renew the table by: python tests/comparison/compare.py --venvs FOLDER"


def columns() -> dict[str, dict[str, str]]:
    """The table, by tool and row."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)
    ]
    head, _, *body = rows
    return {tool: {row[0]: row[at] for row in body} for at, tool in enumerate(head) if tool}


def test_every_tool_has_its_column_and_every_question_its_row():
    found = columns()
    assert list(found) == list(compare.TOOLS)
    questions = ["Version", *(question.__doc__ for question in compare.QUESTIONS)]
    assert all(list(cells) == questions for cells in found.values()), RENEW


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("tool", compare.TOOLS)
def test_the_column_is_what_the_tool_does(tool):
    """Our own is asked here: one question looks at every module, and a new process would import them all."""
    ask = compare.one if tool == "ir_trunc" else compare.asked
    printed, tried = columns()[tool], ask(tool)
    if tried is None:
        pytest.skip(f"{compare.TOOLS[tool][0]} is not installed")
    if tool != "ir_trunc" and tried["Version"] != printed["Version"]:
        pytest.skip(f"the table is of {tool} {printed['Version']}; here is {tried['Version']}")
    assert tried == printed, RENEW


def test_the_command_prints_the_tools_that_are_there(capsys, monkeypatch):
    cells = {"Version": "1", **{question.__doc__: "none" for question in compare.QUESTIONS}}
    monkeypatch.setattr(compare, "asked", lambda tool, venvs: cells if tool == "ir_trunc" else None)
    monkeypatch.setattr(sys, "argv", ["compare.py"])
    compare.main()
    out, error = capsys.readouterr()
    assert out.splitlines()[2] == "| Version | 1 |"
    assert error.count("left out") == len(compare.TOOLS) - 1
