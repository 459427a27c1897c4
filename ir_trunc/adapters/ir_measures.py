"""ir-measures: the provider through which its own functions compute the measures of ir_trunc.

The provider also computes the measures that ir-measures has itself, in those of their settings that the
definition here has, in one pass with the others.

The value of a topic under a measure of the whole run, such as c@1, depends on all other topics. So a paired
test over its values is not valid, and neither is its value in a batch of topics. ir-measures tells a provider
of neither, so beside PyTerrier a warning says it where qrels are a frame. `pt.truncation.experiment` scores
these measures over all topics and without a test, and `ir_trunc.compare` has a valid test.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures import Measure, providers

from ir_trunc._core.errors import UnknownMeasureError, warn
from ir_trunc._scoring.objects import bind, objects, refuses_ends, register_objects
from ir_trunc.measures import scores

__all__ = ["Evaluator", "Provider", "register"]

SYSTEM = "ir_trunc.system"
"""Key of `DataFrame.attrs`: the name of a run, which warnings then use, and qrels of our own experiment."""


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
            names = ", ".join(map(str, unknown))
            raise UnknownMeasureError(f"ir_trunc does not compute {names}: use ir_measures.calc.")
        whole = [str(of) for of, bound in bound_measures.items() if bound and bound.definition.scope == "run"]
        if whole and "pyterrier" in sys.modules and SYSTEM not in getattr(qrels, "attrs", [SYSTEM]):
            why = f"{', '.join(whole)}: the value for one topic depends on all others"
            what = "so p values (baseline=) and batches (batch_size=) of pt.Experiment are not valid"
            warn(f"{why}, {what}. Use pt.truncation.experiment.")
        warn_about_scale(self.bound, self.qrels.judgments)
        super().__init__(list(bound_measures), self.qrels.judgments.topics)

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield a Metric for each measure and topic of the qrels."""
        from ir_trunc._ranking.runs import rank_run
        from ir_trunc._read.rows import Rows
        from ir_trunc._scoring.evaluator import warn_about_lists

        name = getattr(run, "attrs", {}).get(SYSTEM)
        source = f"run {name}" if name else f"run ({type(run).__name__})"
        takes_ends = not any(map(refuses_ends, self.measures))
        rankings = rank_run(self.qrels, run, must_match=False, source=source, takes_ends=takes_ends)
        cut_at = run.cut_at if isinstance(run, Rows) else None
        warn_about_lists(dict(zip(self.measures, self.bound)), source, rankings, cut_at)
        for measure, values in zip(self.measures, scores(self.bound, rankings)):
            for topic, value in zip(rankings.topics, values.tolist()):
                yield ir_measures.Metric(topic, measure, value)


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
