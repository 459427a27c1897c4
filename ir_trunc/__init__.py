"""Evaluation of rankings whose length is a decision of the system.

Importing ir_trunc makes its measures known to ir-measures: Python code can then use `RBPT(p=0.8)`, `OIE` or
`c@1` as it uses `nDCG@10`, as objects (`from ir_trunc import RBPT`) and as text. The `ir_measures` command
loads no plug-ins: the `ir_trunc` command takes its arguments but `--provider`, and `ir_trunc measures` lists
all measures. `ir_trunc.calc` takes more kinds of input than ir-measures' own.

What is public is named in `__all__` here, of `ir_trunc.truncation`, `ir_trunc.truncation.study`,
`ir_trunc.meta`, `ir_trunc.plots`, `ir_trunc.measures` (`.params`, `.parts` and `.lists` for measures of your
own), and of the modules of `ir_trunc.adapters`. Everything else may change in any version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir_trunc._core.errors import (
    InputError,
    IrTruncError,
    IrTruncWarning,
    ParameterError,
    ParameterTypeError,
    UnknownMeasureError,
)
from ir_trunc._scoring.objects import MeasureLike, measure, parse_measure
from ir_trunc._scoring.objects import objects as _objects
from ir_trunc.adapters.ir_measures import register as _register
from ir_trunc.version import __version__, show_versions

if TYPE_CHECKING:
    from ir_trunc._core.curve import Curve
    from ir_trunc._core.rankings import Rankings
    from ir_trunc._ranking.answers import read_answers
    from ir_trunc._ranking.decisions import read_decisions
    from ir_trunc._ranking.nil import NilRule
    from ir_trunc._ranking.qrels import Qrels, QrelsLike, read_qrels, with_topics
    from ir_trunc._ranking.runs import RunLike, rank, read_run
    from ir_trunc._read.readers.squad import read_predictions
    from ir_trunc._read.readers.topics import read_topics
    from ir_trunc._read.reading import Reading
    from ir_trunc._reporting.compare import compare
    from ir_trunc._reporting.comparison import Comparison
    from ir_trunc._reporting.gate import check
    from ir_trunc._reporting.how_many import how_many
    from ir_trunc._reporting.report import report
    from ir_trunc._reporting.reproduction import reproduce
    from ir_trunc._scoring.evaluator import calc, calc_aggregate, curves, evaluator, iter_calc
    from ir_trunc._scoring.results import Results
    from ir_trunc.truncation._log import read_log
    from ir_trunc.truncation._text import load_policy
    from ir_trunc.truncation._wrapping import with_effort, with_terminal
    from ir_trunc.truncation.study import nil_report

_register()

# What needs pyarrow or pandas is imported when it is first asked for: `import ir_trunc` stays light.
_LATER = {
    name: f"ir_trunc.{module}"
    for module, names in {
        "_core.curve": ["Curve"],
        "_core.rankings": ["Rankings"],
        "_ranking.answers": ["read_answers"],
        "_ranking.decisions": ["read_decisions"],
        "_ranking.nil": ["NilRule"],
        "_ranking.qrels": ["Qrels", "QrelsLike", "read_qrels", "with_topics"],
        "_ranking.runs": ["RunLike", "rank", "read_run"],
        "_read.reading": ["Reading"],
        "_read.readers.squad": ["read_predictions"],
        "_read.readers.topics": ["read_topics"],
        "_scoring.evaluator": ["calc", "calc_aggregate", "curves", "evaluator", "iter_calc"],
        "_scoring.results": ["Results"],
        "truncation.study": ["nil_report"],
        "_reporting.compare": ["compare"],
        "_reporting.comparison": ["Comparison"],
        "_reporting.gate": ["check"],
        "_reporting.how_many": ["how_many"],
        "_reporting.report": ["report"],
        "_reporting.reproduction": ["reproduce"],
        "truncation._log": ["read_log"],
        "truncation._text": ["load_policy"],
        "truncation._wrapping": ["with_effort", "with_terminal"],
    }.items()
    for name in names
}

__all__ = [
    "Comparison",
    "Curve",
    "InputError",
    "IrTruncError",
    "IrTruncWarning",
    "MeasureLike",
    "NilRule",
    "ParameterError",
    "ParameterTypeError",
    "Qrels",
    "QrelsLike",
    "Rankings",
    "Reading",
    "Results",
    "RunLike",
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
    "nil_report",
    "parse_measure",
    "rank",
    "read_answers",
    "read_decisions",
    "read_log",
    "read_predictions",
    "read_qrels",
    "read_run",
    "read_topics",
    "report",
    "reproduce",
    "show_versions",
    "with_effort",
    "with_terminal",
    "with_topics",
    *_objects,
]

_ROOMS = ("adapters", "measures", "meta", "plots", "truncation")


def __getattr__(name: str) -> Any:
    if name in _objects:
        return _objects[name]
    from importlib import import_module

    if name in _LATER:
        found = globals()[name] = getattr(import_module(_LATER[name]), name)
        return found
    if name in _ROOMS:
        return import_module(f"ir_trunc.{name}")
    raise AttributeError(f"module 'ir_trunc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_objects, *_ROOMS})
