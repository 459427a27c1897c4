"""Evaluation of rankings whose length is a decision of the system.

Importing ir_trunc makes its measures known to ir-measures: Python code can then use `RBPT(p=0.8)`, `OIE` or
`c@1` as it uses `nDCG@10`, as objects (`from ir_trunc import RBPT`) and as text. The `ir_measures` command
loads no plug-ins: the `ir_trunc` command takes its arguments but `--provider`, and `ir_trunc measures` lists
all measures. `ir_trunc.calc` takes more kinds of input than ir-measures' own.

Public names are those on the API pages of the documentation; `tests/surface.txt` lists them. Everything
else may change in any version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir_trunc._core.errors import (
    InputError,
    IrTruncError,
    IrTruncWarning,
    ParameterError,
    UnknownMeasureError,
)
from ir_trunc._scoring.objects import measure, objects as _objects, parse_measure
from ir_trunc.adapters.ir_measures import register as _register
from ir_trunc.version import __version__, show_versions

if TYPE_CHECKING:  # what type checkers see of the table below
    from ir_trunc._check import check as check
    from ir_trunc._compare import compare as compare
    from ir_trunc._core.rankings import Rankings as Rankings
    from ir_trunc._how_many import how_many as how_many
    from ir_trunc._judged import Judged as Judged, sample_for_people as sample_for_people
    from ir_trunc._ranking.answers import read_answers as read_answers
    from ir_trunc._ranking.depths import read_depths as read_depths
    from ir_trunc._ranking.qrels import read_qrels as read_qrels, with_topics as with_topics
    from ir_trunc._ranking.ranked_rows import NilRule as NilRule
    from ir_trunc._ranking.runs import rank as rank, read_run as read_run
    from ir_trunc._ranking.wrapping import with_effort as with_effort, with_terminal as with_terminal
    from ir_trunc._read.readers.answers import read_predictions as read_predictions
    from ir_trunc._read.readers.topics import read_topics as read_topics
    from ir_trunc._report.report import report as report
    from ir_trunc._reproduce.reproduction import reproduce as reproduce
    from ir_trunc._scoring.evaluator import (
        calc as calc,
        calc_aggregate as calc_aggregate,
        curves as curves,
        evaluator as evaluator,
        iter_calc as iter_calc,
    )
    from ir_trunc.answers import read_log as read_log
    from ir_trunc.truncation._text import load_policy as load_policy

_register()

# What needs pyarrow or pandas is imported when it is first asked for: `import ir_trunc` stays light.
_OWNERS = {
    "_core.rankings": "Rankings",
    "_ranking.answers": "read_answers",
    "_ranking.depths": "read_depths",
    "_ranking.qrels": "read_qrels with_topics",
    "_ranking.ranked_rows": "NilRule",
    "_ranking.runs": "rank read_run",
    "_ranking.wrapping": "with_effort with_terminal",
    "_read.readers.answers": "read_predictions",
    "_read.readers.topics": "read_topics",
    "_scoring.evaluator": "calc calc_aggregate curves evaluator iter_calc",
    "_judged": "Judged sample_for_people",
    "_compare": "compare",
    "_check": "check",
    "_how_many": "how_many",
    "_report.report": "report",
    "_reproduce.reproduction": "reproduce",
    "answers": "read_log",
    "truncation._text": "load_policy",
}
_LATER = {name: f"ir_trunc.{module}" for module, names in _OWNERS.items() for name in names.split()}

__all__ = [
    "InputError", "IrTruncError", "IrTruncWarning", "ParameterError", "UnknownMeasureError", "__version__",
    "measure", "parse_measure", "show_versions", *_LATER, *_objects,
]  # fmt: skip

_ROOMS = ("adapters", "answers", "cdet", "measures", "meta", "plots", "truncation", "typing")


def __getattr__(name: str) -> Any:
    if name in _objects:
        return _objects[name]
    from importlib import import_module

    if name in _LATER:
        found = globals()[name] = getattr(import_module(_LATER[name]), name)
        return found
    if name in _ROOMS:
        return import_module(f"ir_trunc.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_objects, *_ROOMS})
