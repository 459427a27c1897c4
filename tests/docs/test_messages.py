"""The most frequent messages: `messages.txt` has a call or a command, and below it what users then see."""

import contextlib
import shlex
import warnings
from pathlib import Path

import pytest

import ir_trunc
from ir_trunc._cli.main import main

FILE = Path(__file__).parent / "messages.txt"
BLOCKS = FILE.read_text(encoding="utf-8").strip().split("\n\n")
ALL_POLICIES = ", ".join(ir_trunc.truncation.registry)
NAMES = {
    "ir_trunc": ir_trunc,
    "calc": ir_trunc.calc,
    "qrels": {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {}},
    "run": {"1": {"a": 2.0, "x": 1.0}, "2": {"c": 0.5}, "3": {}},
}


@pytest.fixture
def said(collection, capsys):
    """What a call or a command says: its warnings, and its error."""
    (collection / "bad.run").write_text("1 Q0 a 1 2.5 t\n1 Q0 b 2 high t\n")
    (collection / "short.run").write_text("1 Q0 a 1\n")
    (collection / "empty.run").write_text("")

    def says(call):
        if call.startswith("$ ir_trunc "):
            with contextlib.suppress(SystemExit):
                main(shlex.split(call)[2:])
            lines = capsys.readouterr().err.splitlines()
        else:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    eval(call, dict(NAMES))
                except ir_trunc.IrTruncError as error:
                    lines = [f"{type(error).__name__}: {error}"]
                else:
                    lines = []
            lines = [f"warning: {warning.message}" for warning in caught] + lines
        # A policy that is added changes no message.
        return [line.replace(str(collection), ".").replace(ALL_POLICIES, "(all policies)") for line in lines]

    return says


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_messages_are_those_that_were_edited(block, said):
    call, *expected = block.splitlines()
    assert said(call) == [line.strip() for line in expected]
