"""Laws that hold for every registered measure; a new measure is covered by being registered.

A setting is a choice of a measure's parameters; a trial is a measure in one setting on a run of generated
lists; a law is a function that checks a trial. Every law checks every trial: Hypothesis draws runs and
settings, and each setting of `settings_of` has a run of its own. Further tests check fewer settings.
"""

import math
import pickle
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice

import numpy as np
import pytest
from generated import ALL, EVERY, in_sessions, queries, rankings_of, runs, setting_of, settings_of
from hypothesis import given, settings, strategies as st
from reference_measures import REFERENCES, RUN_REFERENCES, Query

from ir_trunc._core.curve import TOLERANCE, Curve
from ir_trunc._core.rankings import Floats, Ints, Rankings
from ir_trunc.measures import BoundMeasure, Definition, registry, scores
from ir_trunc.measures.declaration import CUTOFF
from ir_trunc.measures.definition import influence

each_measure = pytest.mark.parametrize("definition", ALL, ids=lambda definition: definition.name)


class Run:
    """Generated lists; what all trials on them look at is made once."""

    def __init__(self, run: list[Query]):
        self.queries = in_sessions(run)  # which sDCG reads; to other measures the lists are plain
        self.rankings = rankings_of(self.queries)

    @cached_property
    def cuts(self) -> tuple[Rankings, Ints, Ints]:
        """Every list cut at every depth, in one batch, with the list and the depth of each cut."""
        sizes = self.rankings.lengths + 1
        lists = np.repeat(np.arange(len(sizes)), sizes)
        depths = np.concatenate([np.arange(size) for size in sizes])
        return self.rankings.take(lists).cut(depths), lists, depths

    @cached_property
    def cuts_of_the_last(self) -> list[Rankings]:
        """The run with its last list cut at every depth."""
        *others, last = self.rankings.lengths
        return [self.rankings.cut([*others, depth]) for depth in range(last + 1)]

    @cached_property
    def alone(self) -> list[Rankings]:
        """Each list as a run of its own."""
        return [self.rankings.take([at]) for at in range(len(self.rankings))]


@cache
def run_with(**kind: int) -> Run:
    """One for all measures."""
    return Run(queries(**kind))


@dataclass(frozen=True)
class Trial:
    """A measure in one setting on a run. What several laws look at is computed once."""

    definition: Definition
    change: dict
    run: Run

    @property
    def rankings(self) -> Rankings:
        return self.run.rankings

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


def reference_scores(definition, run, measure, change):
    setting = setting_of(run, measure, {k: v for k, v in change.items() if k != CUTOFF})
    if definition.scope == "run":
        return RUN_REFERENCES[definition.name](run, setting)
    return [REFERENCES[definition.name](q, setting) for q in run]


def equal_to_the_reference(trial):
    expected = np.array(reference_scores(trial.definition, trial.run.queries, trial.measure, trial.change))
    assert trial.scores.shape == expected.shape
    assert (np.abs(trial.scores - expected) <= 1e-12 + 1e-12 * np.abs(expected)).all(), expected


def the_curve_at_every_depth(trial):
    """Of every list. Below the cutoff it goes on with its last value."""
    curve, cutoff = trial.curve, trial.measure.cutoff
    shown = trial.rankings.lengths if cutoff is None else np.minimum(trial.rankings.lengths, cutoff)
    if trial.measure.judged_only and cutoff is not None:  # the list is read on to the k-th judged document
        kept = [
            [at for at, x in enumerate(q.grades, 1) if x is not None and x >= 0] for q in trial.run.queries
        ]
        lengths = zip(kept, trial.rankings.lengths.tolist())
        shown = np.array([each[cutoff - 1] if len(each) >= cutoff else n for each, n in lengths])
    assert np.diff(curve.offsets).tolist() == (shown + 1).tolist()
    assert curve.own().tobytes() == trial.scores.tobytes()
    if trial.definition.scope == "run":
        return only_the_last_list_is_cut(trial)
    cuts, lists, depths = trial.run.cuts
    expected = curve.values[curve.offsets[lists] + np.minimum(depths, shown[lists])]
    found = trial.measure.score(cuts)
    assert found.tobytes() == expected.tobytes(), list(zip(lists, depths, found, expected))


def only_the_last_list_is_cut(trial):
    """A measure of the whole run looks at all of its lists: the others stay as they are."""
    for depth, (value, run) in enumerate(zip(trial.values[-1], trial.run.cuts_of_the_last)):
        assert trial.measure.score(run)[-1].tobytes() == value.tobytes(), depth


def range_is_kept(trial):
    low, high = trial.measure.range
    values = trial.curve.values
    assert np.isfinite(values).all()
    assert (values >= low - 1e-12).all()
    assert (values <= high + 1e-12).all()


def the_best_cut_is_the_shortest_of_the_best(trial):
    """Of the curve, whose values are the scores of the lists cut there: the_curve_at_every_depth."""
    sign = -1 if trial.definition.lower_is_better else 1
    for values, depth, best in zip(trial.values, *trial.curve.best(), strict=True):
        assert best == sign * max(sign * values)
        good_enough = sign * best - TOLERANCE * max(abs(values))
        assert depth == np.flatnonzero(sign * values >= good_enough)[0]


def only_an_inferred_scale_matters(trial):
    """Where no warning is due, another top of the scale changes no score."""
    # A map of gains without the new grade is worth a warning, of which other tests are.
    if trial.change.get("max_rel") is None and not trial.measure.infers_scale and "gains" not in trial.change:
        judgments = trial.rankings.judgments
        wider = replace(judgments, levels=np.append(judgments.levels, 4))  # where gdeval's ERR ends, too
        other = trial.measure.score(replace(trial.rankings, judgments=wider))
        assert np.allclose(trial.scores, other, rtol=1e-12, atol=1e-12)


def influence_values_have_the_measure_as_mean(trial):
    assert abs(influence(trial.measure, trial.rankings).mean() - trial.scores.mean()) <= 1e-9


def hold_the_laws(definition, change, run):
    trial = Trial(definition, change, run)
    equal_to_the_reference(trial)
    the_curve_at_every_depth(trial)
    range_is_kept(trial)
    the_best_cut_is_the_shortest_of_the_best(trial)
    only_an_inferred_scale_matters(trial)
    influence_values_have_the_measure_as_mean(trial)


@each_measure
def test_the_laws_in_drawn_settings(definition):
    @settings(max_examples=settings().max_examples // 2)  # a measure for each, and each setting below
    @given(run=runs, changes=st.tuples(*3 * [st.sampled_from(settings_of(definition))]))
    def drawn(run, changes):
        shared = Run(run)
        for change in changes:
            hold_the_laws(definition, change, shared)

    drawn()


@each_measure
def test_the_laws_in_every_setting(definition):
    for at, change in enumerate(settings_of(definition)):
        hold_the_laws(definition, change, run_with(seed=at, count=8))


def test_every_measure_has_a_reference_implementation_and_none_is_left_over():
    by_scope = {scope: {d.name for d in registry.values() if d.scope == scope} for scope in ("list", "run")}
    assert set(REFERENCES) == by_scope["list"]
    assert set(RUN_REFERENCES) == by_scope["run"]


@each_measure
def test_equal_to_the_reference_on_long_lists(definition):
    run = run_with(seed=1, count=12, longest=1500, pool=300)
    for cutoff in (None, 1000):
        change = {CUTOFF: cutoff} if CUTOFF in definition.params else {}
        change |= {"D": 5000} if "D" in definition.params else {}
        if definition.params.get(CUTOFF) and definition.params[CUTOFF].required:
            change[CUTOFF] = cutoff or 10
        measure = definition.bind(change)
        expected = reference_scores(definition, run.queries, measure, change)
        found = measure.score(run.rankings)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=str(change))


@each_measure
def test_alone_as_in_any_batch(definition):
    """To the last bit, and with lists of very different lengths beside it."""
    if definition.scope == "run":
        pytest.skip("looks at all lists of the run")
    run = run_with(seed=2, count=40, longest=1200, pool=400)
    changes = settings_of(definition)
    for change in changes[:: -(-len(changes) // 3)]:  # three of them, from the first on
        measure = definition.bind(change | ({"D": 5000} if "D" in change else {}))
        batch, curve = measure.score(run.rankings), measure.curve(run.rankings)
        lists = enumerate(zip(run.alone, curve.rows(), strict=True))
        for at, (alone, (_, values)) in islice(lists, 1, None, 6):  # of 0 to 1189 documents
            assert measure.score(alone).tobytes() == batch[at : at + 1].tobytes(), (change, at)
            assert measure.curve(alone).values.tobytes() == values.tobytes(), (change, at)


@given(run=runs)
def test_no_measure_depends_on_the_measures_beside_it(run):
    rankings = rankings_of(run)
    together = scores(EVERY.values(), rankings)
    for measure, values in zip(EVERY.values(), together):
        assert measure.score(rankings).tobytes() == values.tobytes(), measure.definition.name


@pytest.mark.parametrize("bound", EVERY.values(), ids=EVERY)
def test_a_measure_changes_no_input_and_can_be_pickled(bound):
    rankings, copy = rankings_of(queries(seed=3, count=5)), pickle.loads(pickle.dumps(bound))
    names = ("lengths", "judged_ranks", "judged_grades", "scores")
    arrays = [*(getattr(rankings, name) for name in names), rankings.judgments.grades]
    before = [array.copy() for array in arrays]
    bound.curve(rankings)
    for old, new in zip(before, arrays):
        np.testing.assert_array_equal(old, new)
    assert copy.definition is bound.definition
    assert copy.score(rankings).tobytes() == bound.score(rankings).tobytes()


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


@cache
def one_list_of(grade, length, worthless):
    """A list with one document of this grade, one without judgments, and an empty one."""
    lists, judged = [[grade] + [worthless] * (length - 1), [None], []], [[grade] + [0] * 9, [0], [3]]
    scores = 1 / np.arange(1, 10)
    return Rankings.from_lists(lists, judged, scores=[scores[:length], scores[:1], []])


def reads_the_end(measure):
    """Whether one more document without gain at the end changes the score of a list that misses nothing."""
    worthless = None if "gains" in measure.params else 0  # a map may give grade 0 a gain
    lists = ([one_list_of(grade, length, worthless) for length in (8, 9)] for grade in (3, 2))
    return any((measure.score(one) != measure.score(longer)).any() for one, longer in lists)


SURE_OF_RIGHT, SURE_OF_WRONG = (
    Rankings.from_lists([[3], [0]], scores=[[right], [wrong]]) for right, wrong in ((1.0, 0.5), (0.5, 1.0))
)


def reads_confidence(measure):
    """Whether it changes the scores that the right or the wrong answer is the surer one."""
    return (measure.score(SURE_OF_RIGHT) != measure.score(SURE_OF_WRONG)).any()


@each_measure
@pytest.mark.parametrize(("what", "reads"), [("end", reads_the_end), ("confidence", reads_confidence)])
def test_what_a_measure_reads_is_declared(definition, what, reads):
    """In no setting does it read what is not declared; what is declared is read in one setting at least."""
    needs_cutoff = CUTOFF in definition.params and definition.params[CUTOFF].required
    cutoff = {CUTOFF: 5 if needs_cutoff else None}
    measures = [definition.bind(change | cutoff) for change in settings_of(definition)]
    declared, others = ([m for m in measures if (what in m.reads) is is_in] for is_in in (True, False))
    assert not [measure.params for measure in others if reads(measure)]
    assert not declared or any(map(reads, declared))
