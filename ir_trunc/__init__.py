"""Evaluation of rankings whose length is a decision of the system.

Importing ir_trunc makes its measures known to ir-measures: Python code can then use `RBPT(p=0.8)`, `OIE` or
`c@1` as it uses `nDCG@10`, as objects (`from ir_trunc import RBPT`) and as text. The `ir_measures` command
loads no plug-ins: the `ir_trunc` command takes its arguments, except `--provider` and `-o jsonl`
(`--format jsonl`), and `ir_trunc measures` lists all measures. `ir_trunc.calc` takes more kinds of
input than ir-measures' own.

What is public is on the API pages of the documentation, and `tests/public_names.txt` lists it. Everything
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
from ir_trunc._scoring.objects import measure, parse_measure
from ir_trunc._scoring.objects import objects as _objects
from ir_trunc.adapters.ir_measures import register as _register
from ir_trunc.version import __version__, show_versions

if TYPE_CHECKING:
    from ir_trunc._check.gate import check
    from ir_trunc._compare.compare import compare
    from ir_trunc._core.rankings import Rankings
    from ir_trunc._how_many.how_many import how_many
    from ir_trunc._ranking.answers import read_answers
    from ir_trunc._ranking.depths import read_depths
    from ir_trunc._ranking.nil import NilRule
    from ir_trunc._ranking.qrels import read_qrels, with_topics
    from ir_trunc._ranking.runs import rank, read_run
    from ir_trunc._ranking.wrapping import with_effort, with_terminal
    from ir_trunc._read.readers.answers import read_predictions
    from ir_trunc._read.readers.topics import read_topics
    from ir_trunc._report.report import report
    from ir_trunc._reproduce.reproduction import reproduce
    from ir_trunc._scoring.evaluator import calc, calc_aggregate, curves, evaluator, iter_calc
    from ir_trunc._scoring.judged import Judged, sample_for_people
    from ir_trunc.answers._log import read_log
    from ir_trunc.truncation._text import load_policy

_register()

# What needs pyarrow or pandas is imported when it is first asked for: `import ir_trunc` stays light.
_LATER = {
    name: f"ir_trunc.{module}"
    for module, names in {
        "_core.rankings": ["Rankings"],
        "_ranking.answers": ["read_answers"],
        "_ranking.depths": ["read_depths"],
        "_ranking.nil": ["NilRule"],
        "_ranking.qrels": ["read_qrels", "with_topics"],
        "_ranking.runs": ["rank", "read_run"],
        "_read.readers.answers": ["read_predictions"],
        "_read.readers.topics": ["read_topics"],
        "_scoring.evaluator": ["calc", "calc_aggregate", "curves", "evaluator", "iter_calc"],
        "_scoring.judged": ["Judged", "sample_for_people"],
        "_compare.compare": ["compare"],
        "_check.gate": ["check"],
        "_how_many.how_many": ["how_many"],
        "_report.report": ["report"],
        "_reproduce.reproduction": ["reproduce"],
        "answers._log": ["read_log"],
        "truncation._text": ["load_policy"],
        "_ranking.wrapping": ["with_effort", "with_terminal"],
    }.items()
    for name in names
}

__all__ = [
    "InputError",
    "IrTruncError",
    "IrTruncWarning",
    "Judged",
    "NilRule",
    "ParameterError",
    "Rankings",
    "UnknownMeasureError",
    "__version__",
    "calc",
    "calc_aggregate",
    "check",
    "compare",
    "curves",
    "evaluator",
    "how_many",
    "iter_calc",
    "load_policy",
    "measure",
    "parse_measure",
    "rank",
    "read_answers",
    "read_depths",
    "read_log",
    "read_predictions",
    "read_qrels",
    "read_run",
    "read_topics",
    "report",
    "reproduce",
    "sample_for_people",
    "show_versions",
    "with_effort",
    "with_terminal",
    "with_topics",
    *_objects,
]

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
