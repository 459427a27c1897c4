"""Types for annotations of your own functions: what arguments may be, and what functions return."""

from ir_trunc._check import Gate as Gate
from ir_trunc._compare import Comparison as Comparison
from ir_trunc._core.curve import Curve as Curve
from ir_trunc._core.errors import ParameterTypeError as ParameterTypeError
from ir_trunc._explanation import Explanation as Explanation
from ir_trunc._how_many import HowMany as HowMany
from ir_trunc._judged import JudgeAgreement as JudgeAgreement, JudgedResults as JudgedResults
from ir_trunc._ranking.qrels import Qrels as Qrels, QrelsLike as QrelsLike
from ir_trunc._ranking.ranked_rows import Run as Run
from ir_trunc._ranking.runs import RunLike as RunLike
from ir_trunc._read.reading import Reading as Reading
from ir_trunc._reproduce.reproduction import Reproduction as Reproduction
from ir_trunc._scoring.evaluator import Evaluator as Evaluator
from ir_trunc._scoring.objects import MeasureLike as MeasureLike
from ir_trunc._scoring.results import Aggregated as Aggregated, ByMeasure as ByMeasure, Results as Results
from ir_trunc._scoring.runs import RunsLike as RunsLike
from ir_trunc.truncation._monitoring import Monitoring as Monitoring

__all__ = [name for name in dir() if not name.startswith("_")]
