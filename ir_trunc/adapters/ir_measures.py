"""ir-measures: a provider, by which its own functions compute the measures of ir_trunc.

It answers the measures that ir-measures has itself, too, in those of their settings that the definition here
has, in one pass with the others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

import ir_measures
from ir_measures import Measure, providers

from ir_trunc._core.errors import UnknownMeasureError, warn
from ir_trunc.measures import scores
from ir_trunc.scoring.objects import bind, make_known, objects

__all__ = ["Evaluator", "Provider", "register"]


class Evaluator(providers.Evaluator):
    """Scores any number of runs against qrels that are made ready once.

    Every topic of the qrels gets a score from the formula, a topic without documents too: nothing is filled
    in by a constant. Topics come in canonical order, measures in the order given.
    """

    def __init__(self, measures: Iterable[Measure], qrels: Any):
        # pyarrow: not before it is needed
        from ir_trunc._ranking.qrels import read_qrels
        from ir_trunc.scoring.evaluator import Doubts

        self.qrels = read_qrels(qrels)
        found = {measure: bind(measure) for measure in measures}
        self.bound = [bound for bound in found.values() if bound]
        if unknown := [measure for measure, bound in found.items() if bound is None]:
            raise UnknownMeasureError(
                f"ir_trunc does not compute {', '.join(map(str, unknown))}: use ir_measures.calc."
            )
        self.doubts = Doubts(self.bound)
        super().__init__(list(found), self.qrels.judgments.topics)

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield a Metric for each measure and topic of the qrels."""
        from ir_trunc._ranking.runs import rank_run

        rankings = rank_run(self.qrels, run)
        self.doubts.warn(f"run ({type(run).__name__})", rankings)
        of_run = [str(m) for m, bound in zip(self.measures, self.bound) if bound.definition.scope == "run"]
        if of_run and _tested_by_pyterrier():
            what = f"the p values of {', '.join(of_run)} are not valid"
            warn(
                f"pt.Experiment(baseline=...): {what}, since the value of a topic depends on all others;"
                " ir_trunc.compare tests such measures."
            )
        for measure, values in zip(self.measures, scores(self.bound, rankings)):
            for topic, value in zip(rankings.topics, values.tolist()):
                yield ir_measures.Metric(topic, measure, value)


def _tested_by_pyterrier() -> bool:
    """Whether these values are for a paired test of PyTerrier, which does not tell providers of it."""
    frame: FrameType | None = sys._getframe() if "pyterrier" in sys.modules else None
    while frame is not None:
        inside = frame.f_globals.get("__name__", "").startswith("pyterrier")
        if inside and frame.f_code.co_name == "Experiment":
            return frame.f_locals.get("baseline") is not None
        frame = frame.f_back
    return False


class Provider(providers.Provider):
    """ir-measures' way to the measures of ir_trunc."""

    NAME = "ir_trunc"

    def supports(self, measure: Measure) -> bool:
        """Whether the registry has this measure with these settings."""
        measure.validate_params()
        return bind(measure) is not None

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> Evaluator:
        return Evaluator(measures, qrels)


def register() -> None:
    """Make the measures and the provider known to ir-measures; doing it again changes nothing."""
    make_known()
    if Provider.NAME not in providers.registry:
        provider = providers.register(Provider())  # type: ignore[no-untyped-call]
        provider.SUPPORTED_MEASURES = objects.values()  # of measures that are declared later, too
        ir_measures.DefaultPipeline.providers.append(provider)
