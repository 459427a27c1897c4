"""ir-measures: the provider through which its own functions compute the measures of ir_trunc.

The provider also computes the measures that ir-measures has itself, in those of their settings that the
definition here has, in one pass with the others.

The value of a topic under a measure of the whole run, such as c@1, depends on all other topics, so that a
paired test over its values is not valid. `pt.Experiment(baseline=...)` makes such tests, and is refused these
measures: `pt.truncation.experiment` scores them without a test, and `ir_trunc.compare` has a valid one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
from ir_measures import Measure, providers

from ir_trunc._core.errors import ParameterError, UnknownMeasureError, counted, warn
from ir_trunc._scoring.objects import bind, objects, refuses_ends, register_objects
from ir_trunc.measures import BoundMeasure, scores

if TYPE_CHECKING:
    from ir_trunc._core.rankings import Rankings

__all__ = ["Evaluator", "Provider", "register"]


class Evaluator(providers.Evaluator):
    """An evaluator of ir-measures: scores any number of runs against the same qrels.

    Every topic of the qrels gets a score from the formula, also a topic that the run lacks; no constant
    takes its place. Topics come in canonical order, measures in the order given.
    """

    def __init__(self, measures: Iterable[Measure], qrels: Any):
        # pyarrow: not before it is needed
        from ir_trunc._ranking.qrels import read_qrels
        from ir_trunc._scoring.evaluator import warn_about_scale

        self.qrels = read_qrels(qrels)
        bound_measures = {measure: bind(measure) for measure in measures}
        self.bound = [bound for bound in bound_measures.values() if bound]
        if unknown := [measure for measure, bound in bound_measures.items() if bound is None]:
            raise UnknownMeasureError(
                f"ir_trunc does not compute {', '.join(map(str, unknown))}: use ir_measures.calc."
            )
        if "pyterrier" in sys.modules:
            # Our own experiment shows no test of these measures.
            if _local_above("ir_trunc.adapters.pyterrier", "tested") is None:
                _refuse_tests(bound_measures, _local_above("pyterrier._evaluation", "baseline"))
            # PyTerrier hands over the qrels of one batch as all qrels.
            if batch := _local_above("pyterrier._evaluation", "batch_size"):
                _refuse_batches(bound_measures, batch, self.qrels.judgments.max_rel)
        warn_about_scale(self.bound, self.qrels.judgments)
        msmarco = providers.registry["msmarco"]
        asked = _local_above("ir_measures.providers.fallback", "orig_measures") or ()
        self.other_order = [
            measure
            for measure in asked
            if measure not in bound_measures and "cutoff" in measure.params and msmarco.supports(measure)
        ]
        super().__init__(list(bound_measures), self.qrels.judgments.topics)

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield a Metric for each measure and topic of the qrels."""
        from ir_trunc._ranking.runs import rank_run
        from ir_trunc._scoring.evaluator import readers_of_lists, warn_about_lists

        name = "pyterrier" in sys.modules and _local_above("pyterrier._evaluation._exec_linear", "name")
        # PyTerrier calls a frame without a name by its rows.
        source = f"run {name}" if name and "\n" not in name else f"run ({type(run).__name__})"
        by_score = bool(self.other_order)
        rankings = rank_run(
            self.qrels, run, keep_scores=by_score, must_match=False, source=source,
            takes_ends=lambda: not any(map(refuses_ends, self.measures)),
        )  # fmt: skip
        for stock in self.other_order:
            self._warn_about_ties(stock, source, rankings)
        readers = readers_of_lists(dict(zip(self.measures, self.bound)))
        warn_about_lists(self.bound, readers, source, rankings)
        for measure, values in zip(self.measures, scores(self.bound, rankings)):
            for topic, value in zip(rankings.topics, values.tolist()):
                yield ir_measures.Metric(topic, measure, value)

    def _warn_about_ties(self, stock: Measure, source: str, rankings: Rankings) -> None:
        """Say that MS MARCO's tool reads lists with ties in another order than this one."""
        if rankings.scores is None:
            return
        heads = np.minimum(rankings.lengths, stock.params["cutoff"] + 1)
        values = rankings.scores.astype(np.float32)
        tied = sum((np.diff(values[at : at + n]) == 0).any() for at, n in zip(rankings.starts, heads))
        if tied:
            warn(
                f"{source}: {stock} comes from another tool of ir-measures, which orders documents of equal"
                f" score otherwise than {next(iter(self.measures))} here; {counted(tied, 'list')} have such"
                " documents. ir_trunc.calc computes both on one order."
            )


def _local_above(module: str, name: str) -> Any:
    """A local variable of a calling function of a module that does not hand it over; None without one."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__", "").startswith(module) and name in frame.f_locals:
            return frame.f_locals[name]
    return None


def _refuse_tests(measures: Mapping[Measure, BoundMeasure | None], baseline: int | None) -> None:
    """ParameterError for measures of the whole run where PyTerrier tests systems against a baseline."""
    whole = [str(name) for name, bound in measures.items() if bound and bound.definition.scope == "run"]
    if baseline is not None and whole:
        raise ParameterError(
            f"baseline={baseline}: the value of {', '.join(whole)} for one topic depends on all others, so"
            " that a paired test is not valid. Use pt.truncation.experiment, which tests no such measure, or"
            " ir_trunc.compare, which has a test for them."
        )


def _refuse_batches(measures: Mapping[Measure, BoundMeasure | None], size: int, highest: int) -> None:
    """ParameterError for measures of the whole run; a warning where a batch decides about the scale."""
    remedy = "Leave batch_size out, or use pt.truncation.experiment, which reads all qrels first."
    for name, bound in measures.items():
        assert bound is not None
        if bound.definition.scope == "run":
            raise ParameterError(f"batch_size={size}: {name} looks at all topics of a run at once. {remedy}")
        if bound.infers_scale:
            write = "max_rel" if "max_rel" in bound.params else "rel"
            warn(
                f"batch_size={size}: {name} depends on the highest grade of the qrels, which is {highest} in"
                f" this batch and may differ in others. Write {write}=. {remedy}"
            )


class Provider(providers.Provider):
    """The provider of ir-measures that computes the measures of ir_trunc."""

    NAME = "ir_trunc"

    def supports(self, measure: Measure) -> bool:
        """Whether the registry has this measure with these settings."""
        measure.validate_params()
        return bind(measure) is not None

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> Evaluator:
        return Evaluator(measures, qrels)


def register() -> None:
    """Make the measures and the provider known to ir-measures; doing it again changes nothing."""
    register_objects()
    if Provider.NAME not in providers.registry:
        provider = providers.register(Provider())  # type: ignore[no-untyped-call]
        provider.SUPPORTED_MEASURES = objects.values()  # of measures that are declared later, too
        ir_measures.DefaultPipeline.providers.append(provider)
        ir_measures.ir_trunc = provider  # type: ignore[attr-defined]  # as ir_measures.pytrec_eval is there
