"""Measures of the whole run in procedures that draw topics or test over them: influence values, and computing
anew.
"""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
import reference_meta as plain
from generated import ALL, queries, rankings_of, settings_of
from hypothesis import given, settings, strategies as st
from messages import refused
from scipy import stats

import ir_trunc
from ir_trunc import meta
from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.rankings import Rankings
from ir_trunc.measures import lookup, registry, scores
from ir_trunc.measures.answering import answers
from ir_trunc.measures.definition import RunScores, influence
from ir_trunc.measures.lists import Lists
from ir_trunc.measures.params import MinRel
from ir_trunc.meta.matrix import run_scores

WHOLE_RUN = [definition for definition in ALL if definition.scope == "run"]
READINGS = ["accuracy", "precision", "error", 0.0, 0.5, 1.0]

outcomes = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=12)


def system_of(questions, scores=None):
    """Lists of one document: True correct, False wrong, None unanswered."""
    lists = [[] if q is None else [int(q)] for q in questions]
    drawn = np.linspace(1, 0.5, len(lists)) if scores is None else scores
    topics = [f"{at:03}" for at in range(len(lists))]
    confidences = [[s] * len(answer) for answer, s in zip(lists, drawn)]
    return Rankings.from_lists(lists, [[1, 0]] * len(lists), topics=topics, scores=confidences)


def matrix_of(systems, *measures):
    bound = dict(measures)
    values = np.array([[one.score(system) for system in systems] for one in bound.values()])
    names = tuple(f"s{at}" for at in range(len(systems)))
    return meta.ScoreMatrix(tuple(bound), names, systems[0].topics, values, run_scores(bound, systems))


def c_at_1(**params):
    return lookup("c").bind({"cutoff": 1} | params)


# Influence values, whose mean is the measure: test_laws.


@given(questions=outcomes, unanswered=st.sampled_from(READINGS))
def test_influence_values_of_c_equal_their_reference(questions, unanswered):
    measure = partial(plain.weighted_c, unanswered=unanswered)
    found = influence(c_at_1(unanswered=unanswered), system_of(questions))
    if any(q is not None for q in questions):  # else a reading over the answered questions has no derivative
        np.testing.assert_allclose(found, plain.influence_values(measure, questions), atol=1e-5)


@given(outcomes)
def test_influence_values_of_cws_equal_their_reference(questions):
    questions.sort(key=lambda q: q is None)  # the unanswered last
    found = influence(lookup("CWS").bind({}), system_of(questions))
    np.testing.assert_allclose(found, plain.influence_values(plain.weighted_cws, questions), atol=1e-5)


# False alarms.

TOPICS = 60


def trial(rng, silence):
    """Two systems of one kind on 60 questions, half of them easy; the surest answers are right more often."""
    easy = rng.random(TOPICS) < 0.5
    systems = []
    for _ in range(2):
        sure = rng.random(TOPICS)
        correct = rng.random(TOPICS) < np.where(easy, 0.2, 0.0) + 0.3 + 0.4 * sure
        silent = rng.random(TOPICS) < silence
        systems.append(system_of([None if s else c for s, c in zip(silent, correct)], sure))
    return systems


C_AND_CWS = {"c@1": c_at_1(), "CWS": lookup("CWS").bind({})}
OTHERS = {name: lookup(name).bind({}) for name in ("AURC", "EAURC", "AUGRC", "F05u", "BestEM")}


@pytest.mark.weekly
@pytest.mark.parametrize(("measures", "silence", "trials", "options"), [
    *((C_AND_CWS, silence, 1000, {}) for silence in (0.2, 0.4, 0.6)),
    *((C_AND_CWS, 0.4, 400, {"test": t, "repetitions": 199}) for t in ("bootstrap", "randomisation")),
    (OTHERS, 0.4, 400, {}),
])  # fmt: skip
def test_equal_systems_are_told_apart_in_about_five_percent_of_trials(measures, silence, trials, options):
    """The seed is fixed. With a true rate of .055, 1000 trials give .036 to .079 in 99.8 % of seeds.

    Ten trials together make one matrix: the p of a pair does not depend on the pairs beside it.
    """
    rng = np.random.default_rng(11)
    pairs = list(combinations(range(20), 2))
    of_trials = [pairs.index((2 * k, 2 * k + 1)) for k in range(10)]
    alarms = np.zeros(len(measures), dtype=int)
    for _ in range(trials // 10):
        systems = [system for _ in range(10) for system in trial(rng, silence)]
        power = meta.power(matrix_of(systems, *measures.items()), **options)
        alarms += (power.p[:, of_trials] < 0.05).sum(axis=1)
    low, high = stats.binom.interval(0.998, trials, 0.055)
    assert ((low <= alarms) & (alarms <= high)).all(), dict(zip(measures, alarms.tolist()))


# Computed anew on drawn topics.


@pytest.mark.parametrize("definition", WHOLE_RUN, ids=lambda d: d.name)
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6))
def test_over_some_topics_the_measure_is_computed_anew(definition, seed):
    rankings, rng = rankings_of(queries(seed, 9)), np.random.default_rng(seed)
    sets = rng.random((5, 9)) < 0.5
    sets[:, 0] = True
    drawn = [rankings.take(np.flatnonzero(one)) for one in sets]
    bound = [definition.bind(change) for change in settings_of(definition)]
    expected = np.array([[values.mean() for values in scores(bound, lists)] for lists in drawn])
    for one, means in zip(bound, expected.T, strict=True):
        np.testing.assert_allclose(RunScores(one, rankings).over(sets), means, atol=1e-12)


def demo_matrix(seed=5, systems=4, topics=10):
    rng = np.random.default_rng(seed)
    lists = [
        system_of([[True, False, None][at] for at in rng.integers(0, 3, topics)], rng.random(topics))
        for _ in range(systems)
    ]
    return matrix_of(lists, *C_AND_CWS.items(), ("UF", lookup("UF").bind({}))), lists


@pytest.mark.parametrize("procedure", [
    lambda m: meta.error_rates(m, 5).fewer_wins,
    lambda m: meta.swap_rates(m, 5).swaps,
    lambda m: meta.predictivity(m, 10).halves.swapaxes(0, 2),
])  # fmt: skip
def test_procedures_that_draw_topics_do_not_average_the_values_of_the_whole_run(procedure):
    """UF looks at each list alone and has the same figures both ways; c@1 and CWS do not."""
    matrix, _ = demo_matrix(topics=20)
    averaged = meta.ScoreMatrix(("x", "y", "UF"), matrix.systems, matrix.topics, matrix.values)
    anew, plain = procedure(matrix), procedure(averaged)
    np.testing.assert_array_equal(anew[-1], plain[-1])
    assert (anew[0] != plain[0]).any()
    assert (anew[1] != plain[1]).any()


def test_some_topics_of_a_matrix_have_the_measure_over_these_topics():
    matrix, lists = demo_matrix()
    part = matrix.take(["s2", "s0"], ["001", "003", "004"])
    expected = c_at_1().score(lists[2].take([1, 3, 4]))
    np.testing.assert_allclose(part["c@1"][0], expected)
    assert part.paired()[0, 0].mean() == pytest.approx(expected.mean())
    np.testing.assert_array_equal(matrix.joined({"again": matrix}).paired()[3:], matrix.paired())


# Refused.


def test_a_measure_that_declares_nothing_is_computed_anew_and_not_tested(registries):
    @ir_trunc.measure(source="this test", cutoff="none", scope="run")
    def Half(lists):
        """Half of the share of answered questions.

        n_a / (2 n)
        """
        return np.full(lists.n.shape, answers(lists, 1)[0].mean() / 2)

    systems = [system_of([True, None, False, None]), system_of([True] * 4)]
    matrix = matrix_of(systems, ("Half", lookup("Half").bind({})))
    assert meta.error_rates(matrix, 2).measures == ("Half",)
    refused(ParameterError, r"Half looks at all lists.*Declare of_means= or influence=", meta.power, matrix)


def test_of_means_and_influence_belong_to_measures_of_the_whole_run():
    with pytest.raises(ParameterError, match="are for measures with scope='run'"):

        @ir_trunc.measure(source="this test", influence=lambda lists: lists.n)
        def Wrong(lists: Lists):
            """A.

            b
            """

    assert "Wrong" not in registry


def test_values_by_topic_alone_do_not_do():
    matrix, _ = demo_matrix()
    alone = meta.ScoreMatrix(matrix.measures, matrix.systems, matrix.topics, matrix.values)
    for procedure in (meta.power, meta.error_rates, meta.swap_rates, meta.predictivity):
        refused(InputError, r"c@1 looks at all lists.*score_matrix keeps them", procedure, alone)
    assert meta.agreement(alone).names == matrix.measures  # means over all topics are what they are


def test_procedures_that_need_scores_of_single_topics_say_so():
    matrix, _ = demo_matrix()
    assert meta.coverage(matrix, ["UF"]).cov.shape == (3,)
    with pytest.raises(InputError, match=r"c@1 .*no score of one topic alone: unanimity compares topics"):
        meta.coverage(matrix, ["UF", "c@1"])
    refused(InputError, "cannot be standardised by topic", meta.Reference.of, matrix)
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}}
    pools = meta.pooled_runs(qrels, {"x": run, "y": {"2": {"b": 1.0}}})
    refused(InputError, r"give forms=\['raw'\]", meta.pool_grid, ["c"], pools, (1,), (1,))
    assert meta.pool_grid(["c"], pools, (1,), (1,), forms=("raw",)).share.shape == (1, 1, 1, 1)


def test_a_whole_run_measure_of_ones_own_declares_how_it_follows_from_its_queries(registries):
    def answered(lists, rel):
        return ((lists.n > 0).astype(float),)

    @ir_trunc.measure(
        source="here", scope="run", cutoff="none", of_means=(answered, lambda share, rel: share**2)
    )
    def Odds(lists, rel: MinRel = 1):
        """The square of the share of questions that are answered.

        (answered / n)^2
        """
        return np.full(lists.n.shape, (lists.n > 0).mean() ** 2)

    runs = {name: {f"q{at}": {"d": 1.0} for at in range(count)} for name, count in (("a", 12), ("b", 15))}
    matrix = meta.score_matrix("Odds", {f"q{at}": {"d": 1} for at in range(20)}, runs)
    assert matrix.paired().mean(axis=2).ravel() == pytest.approx([0.36, 0.5625])
    assert 0 < meta.power(matrix).p[0, 0] < 1
