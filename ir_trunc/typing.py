"""Types for annotations of your own functions: what arguments may be, and what functions return."""

from ir_trunc._check.gate import Gate
from ir_trunc._compare.comparison import Comparison
from ir_trunc._core.curve import Curve
from ir_trunc._core.errors import ParameterTypeError
from ir_trunc._how_many.advice import HowMany
from ir_trunc._ranking.qrels import Qrels, QrelsLike
from ir_trunc._ranking.ranked_rows import Run
from ir_trunc._ranking.runs import RunLike
from ir_trunc._read.reading import Reading
from ir_trunc._reproduce.reproduction import Reproduction
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.explanation import Explanation
from ir_trunc._scoring.judged import JudgeAgreement, JudgedResults
from ir_trunc._scoring.objects import MeasureLike
from ir_trunc._scoring.results import Aggregated, ByMeasure, Results
from ir_trunc._scoring.runs import RunsLike

__all__ = [
    "Aggregated", "ByMeasure", "Comparison", "Curve", "Evaluator", "Explanation", "Gate", "HowMany",
    "JudgeAgreement", "JudgedResults", "MeasureLike", "ParameterTypeError", "Qrels", "QrelsLike", "Reading",
    "Reproduction", "Results", "Run", "RunLike", "RunsLike",
]  # fmt: skip
