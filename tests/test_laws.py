"""Laws that hold for every registered measure; a new measure is covered by being registered.

For newcomers. A measure is a formula with parameters; a setting is a choice of their values. A trial is a
measure in one setting on a run of generated lists, and a law is a function that looks at a trial:

    equal_to_the_naive_twin      the measure equals a slow function of `naive.py`, written from the definition
    the_curve_at_every_depth     the curve at depth d is the score of the list cut there, bit by bit
    all_lists_cut_at_once        the same where all lists of the run are cut together
    range_is_kept                no score leaves the declared range, and none is NaN or infinite
    the_best_cut_is_the_shortest_of_the_best
                                 the best depth has the highest score of all, and no shorter list has it
    influence_values_have_the_measure_as_mean
                                 the mean of the influence values of all topics is the measure of the run

Every law looks at every trial. Hypothesis draws runs, and for each run a few settings; then each setting that
`settings_of` knows has a run of its own.

The tests behind them hold for each measure in fewer settings: the same bits alone and in any batch, whatever
measures are beside it; long lists; no input is changed; the documentation is complete.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from generated import ALL, queries, rankings_of, runs, setting_of, settings_of, some_settings_of
from hypothesis import given
from naive import RUN_TWINS, TWINS, Query

from ir_trunc.core.curve import TOLERANCE, Curve
from ir_trunc.core.rankings import Floats, Rankings
from ir_trunc.measures import BoundMeasure, Definition, registry, scores
from ir_trunc.measures.declare import CUTOFF
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.whole_run import influence

each_measure = pytest.mark.parametrize("definition", ALL, ids=lambda definition: definition.name)


@dataclass(frozen=True)
class Trial:
    """A measure in one setting on a run; rankings: the run's. What several laws look at is computed once."""

    definition: Definition
    change: dict
    run: list[Query]
    rankings: Rankings

    @cached_property
    def measure(self) -> BoundMeasure:
        return self.definition.bind(self.change)

    @cached_property
    def scores(self) -> Floats:
        return self.measure.score(self.rankings)

    @cached_property
    def curve(self) -> Curve:
        return self.measure.curve(self.rankings)

    @cached_property
    def values(self) -> list[Floats]:
        """The curve's, for each list."""
        return [values for _, values in self.curve.rows()]


def twin_scores(definition, run, measure, change):
    setting = setting_of(run, measure, {k: v for k, v in change.items() if k != CUTOFF})
    if definition.scope == "run":
        return RUN_TWINS[definition.name](run, setting)
    return [TWINS[definition.name](q, setting) for q in run]


def equal_to_the_naive_twin(trial):
    expected = twin_scores(trial.definition, trial.run, trial.measure, trial.change)
    np.testing.assert_allclose(trial.scores, expected, rtol=1e-12, atol=1e-12)


def the_curve_at_every_depth(trial):
    """Of the last list; the others stay as they are."""
    rankings, measure, curve = trial.rankings, trial.measure, trial.curve
    assert curve.own().tobytes() == trial.scores.tobytes()
    at = len(trial.run) - 1
    values = trial.values[at]
    length = len(trial.run[at].grades)
    assert len(values) == min(length, measure.cutoff or length) + 1
    for depth, value in enumerate(values):
        lengths = rankings.lengths.copy()
        lengths[at] = depth
        assert measure.score(rankings.cut(lengths))[at].tobytes() == value.tobytes(), depth


def all_lists_cut_at_once(trial):
    if trial.definition.scope == "run":
        return  # it looks at all lists of the run: they are cut one at a time
    for depth in range(6):
        cut = trial.measure.score(trial.rankings.cut(depth))
        assert cut.tobytes() == trial.curve.at(depth).tobytes(), depth


def range_is_kept(trial):
    low, high = trial.definition.range
    values = trial.curve.values
    assert np.isfinite(values).all()
    assert (values >= low - 1e-12).all()
    assert (values <= high + 1e-12).all()


def the_best_cut_is_the_shortest_of_the_best(trial):
    """Of the curve, whose values are the scores of the lists cut there: the_curve_at_every_depth."""
    for values, depth, best in zip(trial.values, *trial.curve.best(), strict=True):
        assert best == max(values)
        good_enough = best - TOLERANCE * max(abs(values))
        assert depth == np.flatnonzero(values >= good_enough)[0]


def influence_values_have_the_measure_as_mean(trial):
    found = influence(trial.measure, trial.rankings)
    assert found.mean() == pytest.approx(trial.scores.mean(), abs=1e-9)


LAWS = [
    equal_to_the_naive_twin,
    the_curve_at_every_depth,
    all_lists_cut_at_once,
    range_is_kept,
    the_best_cut_is_the_shortest_of_the_best,
    influence_values_have_the_measure_as_mean,
]


def hold_the_laws(definition, run, changes):
    rankings = rankings_of(run)
    for change in changes:
        trial = Trial(definition, change, run, rankings)
        for law in LAWS:
            law(trial)


@each_measure
def test_the_laws_in_drawn_settings(definition):
    @given(run=runs, changes=some_settings_of(definition))
    def drawn(run, changes):
        hold_the_laws(definition, run, changes)

    drawn()


@each_measure
def test_the_laws_in_every_setting(definition):
    for at, change in enumerate(settings_of(definition)):
        hold_the_laws(definition, queries(seed=at, count=8), [change])


def test_every_measure_has_a_naive_twin_and_no_twin_is_left_over():
    by_scope = {scope: {d.name for d in registry.values() if d.scope == scope} for scope in ("list", "run")}
    assert set(TWINS) == by_scope["list"]
    assert set(RUN_TWINS) == by_scope["run"]


@each_measure
def test_equal_to_the_naive_twin_on_long_lists(definition):
    run = queries(seed=1, count=12, longest=1500, pool=300)
    rankings = rankings_of(run)
    for cutoff in (None, 1000):
        change = {CUTOFF: cutoff} if CUTOFF in definition.params else {}
        if definition.params.get(CUTOFF) and definition.params[CUTOFF].required:
            change = {CUTOFF: cutoff or 10}
        measure = definition.bind(change)
        expected = twin_scores(definition, run, measure, change)
        np.testing.assert_allclose(
            measure.score(rankings), expected, rtol=1e-12, atol=1e-12, err_msg=str(change)
        )


@each_measure
def test_alone_as_in_any_batch(definition):
    """To the last bit, and with lists of very different lengths beside it."""
    if definition.scope == "run":
        pytest.skip("looks at all lists of the run")
    run = queries(seed=2, count=40, longest=1200, pool=400)
    rankings = rankings_of(run)
    for change in [c for c in settings_of(definition) if "D" not in c][:6] or [{}]:
        measure = definition.bind(change)
        batch, curve = measure.score(rankings), measure.curve(rankings)
        for at, (_, values) in enumerate(curve.rows()):
            alone = rankings.take([at])
            assert measure.score(alone).tobytes() == batch[at : at + 1].tobytes(), (change, at)
            assert measure.curve(alone).values.tobytes() == values.tobytes(), (change, at)


@given(run=runs)
def test_no_measure_depends_on_the_measures_beside_it(run):
    rankings = rankings_of(run)
    measures = [d.bind({CUTOFF: 5} if CUTOFF in d.params else {}) for d in ALL]
    together = scores(measures, rankings)
    for measure, values in zip(measures, together):
        assert measure.score(rankings).tobytes() == values.tobytes(), measure.definition.name


@each_measure
def test_scoring_changes_no_input(definition):
    rankings = rankings_of(queries(seed=3, count=5))
    arrays = [
        rankings.lengths,
        rankings.judged_ranks,
        rankings.judged_grades,
        rankings.scores,
        rankings.judgments.grades,
    ]
    before = [array.copy() for array in arrays]
    definition.bind({CUTOFF: 3} if CUTOFF in definition.params else {}).curve(rankings)
    for old, new in zip(before, arrays):
        np.testing.assert_array_equal(old, new)


@each_measure
def test_documentation_is_complete(definition):
    low, high = definition.range
    assert low < high
    assert not math.isnan(low + high) or (low, high) == (-math.inf, math.inf)
    assert definition.summary.endswith(".")
    assert len(definition.equation) > 5
    assert definition.source
    for param in definition.params.values():
        assert param.kind.meaning
        assert param.kind.allowed
        assert param.default is None or param.kind.clean(param.name, param.default) == param.default


def test_lists_share_one_view_of_the_judgments():
    """A cut is a view: what depends on the qrels alone stays the same object."""
    rankings = rankings_of(queries(seed=4, count=3))
    assert Lists(rankings, 2).judgments is rankings.judgments
