"""Types for annotations of your own functions: what arguments may be, and what procedures return."""

from ir_trunc._ranking.qrels import QrelsLike
from ir_trunc._ranking.runs import RunLike
from ir_trunc._reporting.reproduction import Reproduction
from ir_trunc._scoring.objects import MeasureLike

__all__ = ["MeasureLike", "QrelsLike", "Reproduction", "RunLike"]
