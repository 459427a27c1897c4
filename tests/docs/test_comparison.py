"""The comparison is what the tools do: every column is tried again where its tool is installed."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE / "comparison"))

import compare

PAGE = compare.PAGE.read_text(encoding="utf-8")
COLUMNS = compare.columns_of(PAGE)
RENEW = "renew our own column by .ci/renew, the others by: python tests/comparison/compare.py --venvs FOLDER"


def test_every_tool_has_its_column_and_every_question_its_row():
    assert list(COLUMNS) == list(compare.TOOLS)
    questions = ["Version", *(question.__doc__ for question in compare.QUESTIONS)]
    assert all(list(cells) == questions for cells in COLUMNS.values()), RENEW


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_the_page_is_renewed_with_our_own_column():
    older = PAGE.replace(f"| {COLUMNS['ir_trunc']['Nil query']} |", "| of old |", 1)
    assert older != PAGE
    assert compare.renewed(older) == PAGE, RENEW


@pytest.mark.parametrize("tool", [tool for tool in compare.TOOLS if tool != "ir_trunc"])
def test_the_column_is_what_the_tool_does(tool):
    printed, tried = COLUMNS[tool], compare.asked(tool)
    if tried is None:
        pytest.skip(f"{compare.TOOLS[tool][0]} is not installed")
    if tried["Version"] != printed["Version"]:
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
