"""Fitting and cross-validation: the best level by trying all, what policies may see, what the table says."""

import numpy as np
import pytest
from generated import queries, rankings_of
from hypothesis import given, settings, strategies as st
from messages import refused
from reference_policies import BLIND, FITTED, answers, positive
from scipy import stats

from ir_trunc._core.errors import ParameterError
from ir_trunc._core.rankings import Rankings
from ir_trunc.measures import lookup, scores
from ir_trunc.synthetic import generated
from ir_trunc.truncation import Fixed, Given, Greedy, Nucleus, Oracle, ScoreThreshold, ShareOfTop, Surprise
from ir_trunc.truncation._fitting import one_measure
from ir_trunc.truncation._validation import cross_validate, cut_each, fit_each, topic_folds

MEASURES = [
    "RBPU", "OIE(D=90)", "nDCGT", "RBPT@5", "SetF", "FlatU(e=0.5)", "UF", "c@1", "c(rel=2)@3",
    "c(unanswered='precision')@1", "c(unanswered='error')@2", "c(unanswered=0.5)@1", "F05u",
    "F05u(positive=2)",
]  # fmt: skip
BOUND = [one_measure(name) for name in MEASURES]


def values(rankings):
    """Of all measures."""
    return [found.mean() for found in scores(BOUND, rankings)]


def value(name, rankings):
    return one_measure(name).score(rankings).mean()


@pytest.mark.full
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 12))
def test_a_fitted_level_is_the_highest_of_the_best_by_trying_all(seed, size):
    rankings = positive(queries(seed, size, longest=10, pool=8))
    shown = rankings.scores[rankings.places]
    tops = np.repeat(rankings.first_scores, rankings.lengths)
    for kind, some in ((ScoreThreshold, shown), (ShareOfTop, shown / tops)):
        levels = [np.inf, *np.unique(some)[::-1].tolist()]
        tried = [values(rankings.cut(kind(at).cut(rankings))) for at in levels]
        for name, reached in zip(MEASURES, np.transpose(tried), strict=True):
            fitted = kind().fit(rankings, name)
            level = fitted.threshold if kind is ScoreThreshold else fitted.share
            best = reached.max()
            assert value(name, rankings.cut(fitted.cut(rankings))) == pytest.approx(best, abs=1e-12), name
            assert level == max(at for at, one in zip(levels, reached) if one >= best - 1e-12), name
    depths = [values(rankings.cut(d)) for d in range(int(rankings.lengths.max()) + 1)]
    for name, reached in zip(MEASURES, np.transpose(depths), strict=True):
        k = Greedy().fit(rankings, name).k
        assert reached[k] == pytest.approx(reached.max(), abs=1e-12), name
        assert reached[:k].max(initial=-1) < reached.max(), name


AMONG = [{"among": lengths} for lengths in ((0, 2, 5), (3, 1), (2, 20))]


@pytest.mark.parametrize(("kind", "bounds"), [
    (ScoreThreshold, {"at_least": 1}), (ShareOfTop, {"at_most": 3}), (Surprise, {"at_most": 3}),
    (Nucleus, {"at_least": 2, "at_most": 4}),
    *((kind, among) for kind in (ScoreThreshold, ShareOfTop, Nucleus) for among in AMONG),
])  # fmt: skip
def test_a_level_is_fitted_for_the_lengths_that_are_possible(kind, bounds):
    rankings = positive(queries(5, 12, longest=10, pool=8))
    low, high = bounds.get("at_least", 0), bounds.get("at_most", 10)
    depths = bounds.get("among", range(low, high + 1))
    for name in ("RBPU", "SetF", "c@1"):
        kept = kind(**bounds).fit(rankings, name).cut(rankings)
        assert ((kept >= np.minimum(low, rankings.lengths)) & (kept <= high)).all()
        tried = [kind(level, **bounds).cut(rankings) for level in np.linspace(0, 1, 101)]
        best = max(value(name, rankings.cut(cuts)) for cuts in tried)
        assert value(name, rankings.cut(kept)) >= best - 1e-12
        k = Greedy(**bounds).fit(rankings, name).k
        assert k in depths
        assert value(name, rankings.cut(k)) >= max(value(name, rankings.cut(d)) for d in depths) - 1e-12


@pytest.mark.parametrize("measure", ["RBPU", "SetF", "c@1"])
@pytest.mark.parametrize("kind", [Greedy, ScoreThreshold, ShareOfTop])
def test_a_list_of_weight_three_counts_like_three_lists(kind, measure):
    rankings = positive(queries(6, 12, longest=10, pool=8))
    weights = np.arange(12) % 3 + 1
    several = rankings.take(np.repeat(np.arange(12), weights))
    assert kind().fit(rankings, measure, weights) == kind().fit(several, measure)
    with pytest.raises(ParameterError, match="weights: 2 for 12 lists; each list needs one"):
        kind().fit(rankings, measure, [1, 2])


def test_nothing_returned_is_the_best_where_nothing_is_relevant():
    rankings = Rankings.from_lists([[0, 0], [0]], scores=[[2, 1], [1]])
    assert Greedy().fit(rankings, "RBPU") == Fixed(0)
    assert ScoreThreshold().fit(rankings, "RBPU") == ScoreThreshold(np.inf)


def test_what_has_no_level_for_the_whole_run_says_why():
    rankings = answers([1, 0, 1], [0.9, 0.5, 0.4])
    for policy, measure, says in (
        ("Oracle", "c@1", r"c@1 looks at all lists.*Greedy, ScoreThreshold and ShareOfTop"),
        ("ScoreThreshold", "CWS", r"CWS looks at all lists.*no policy can be fitted to it"),
    ):
        refused(ParameterError, says, cross_validate, policy, measure, None, {"run": rankings}, folds=3)
    assert Oracle("RBPU").fit(rankings, "c@1").cut(rankings).tolist() == [1, 0, 1]
    assert Fixed(1).fit(rankings, "CWS") == Fixed(1)


# Cross-validation.


@pytest.mark.parametrize("sees", [False, True])
def test_a_policy_is_fitted_on_other_topics_and_sees_judgments_only_if_it_says_so(sees):
    fitted, cut = [], []

    class Watching:
        sees_judgments = sees

        def fit(self, rankings, measure):
            assert len(rankings.judgments.grades) > 0
            fitted.append(rankings.topics)
            return self

        def cut(self, rankings):
            assert (len(rankings.judgments.grades) > 0) == (len(rankings.judged_ranks) > 0) == sees
            cut.append(rankings.topics)
            return rankings.lengths

    rankings = rankings_of(queries(3, 11))
    cross_validate([Watching()], "RBPU", None, {"run": rankings}, folds=4)
    for both in zip(fitted, cut, strict=True):
        assert sorted([topic for topics in both for topic in topics], key=int) == list(rankings.topics)
    assert sorted([topic for topics in cut for topic in topics], key=int) == list(rankings.topics)


@pytest.mark.parametrize("policy", [*BLIND, Oracle("RBPU")], ids=str)
def test_policies_on_arrays_of_lists_are_those_of_each_set_alone(policy):
    """Lists of many lengths, grades 0 to 3, and a measure with a cutoff."""
    rankings = positive(queries(8, 30))
    parts = topic_folds(30, 4, 1)
    sets = [np.setdiff1d(np.arange(30), part) for part in parts]
    for measure in ("RBPU", "nDCGT@4", "c@1"):
        fitted = fit_each(policy, measure, rankings, sets)
        assert fitted == [policy.fit(rankings.take(positions), measure) for positions in sets]
        alone = [own.cut(rankings.take(part)) for own, part in zip(fitted, parts)]
        cuts = cut_each(fitted, rankings, parts)
        assert cuts[np.concatenate(parts)].tolist() == np.concatenate(alone).tolist()


def test_a_policy_that_keeps_what_it_learns_in_itself_is_fitted_for_each_part():
    class Longest:
        def fit(self, rankings, measure):
            self.k = int(rankings.lengths.max())
            return self

        def cut(self, rankings):
            return np.minimum(rankings.lengths, self.k)

    rankings = Rankings.from_lists([[1], [1, 0], [1, 0, 0], [1, 0, 0, 0]])
    parts = [np.array([0, 3]), np.array([1, 2])]
    fitted = fit_each(Longest(), "RBPT", rankings, parts[::-1])
    assert cut_each(fitted, rankings, parts).tolist() == [1, 2, 3, 3]


def test_cross_validation_table_by_hand():
    """Every list has its relevant document on top: the best fixed k is 1 on any topics."""
    rankings = Rankings.from_lists([[1, 0, 0]] * 6, scores=[[3, 2, 1]] * 6, costs=[[0.1, 0.2, 0.4]] * 6)
    table = cross_validate("Greedy Fixed(k=99) Fixed(k=0) Oracle", "SetP", None, {"run": rankings}, folds=3)
    expected = {
        "score": [1, 1 / 3, 0, 1], "of_oracle": [1, 1 / 3, 0, 1], "regret": [0, 2 / 3, 1, 0],
        "length": [1, 3, 0, 1], "cost": [0.1, 0.7, 0, 0.1], "empty": [0, 0, 1, 0],
    }  # fmt: skip
    for name, values in expected.items():
        assert table[name].tolist() == pytest.approx(values), name
    assert table["p_value"].tolist()[::3] == [1, 1]


def test_the_share_of_the_oracle_is_one_where_nobody_reaches_1():
    """Half of the lists have their relevant document at rank 2: the best scores are 1 and 1/2."""
    rankings = Rankings.from_lists([[1, 0], [0, 1]] * 3, scores=[[2, 1]] * 6)
    table = cross_validate(["Oracle", "Fixed(k=2)"], "SetP", None, {"run": rankings}, folds=2)
    assert table["score"].tolist() == [0.75, 0.5]
    assert table["of_oracle"].tolist() == pytest.approx([1, 2 / 3])


def test_other_measures_and_silence_of_the_same_lists_by_hand():
    """Topics 1 to 4 have a relevant document on top, 5 and 6 are nil queries with lower scores."""
    lists, scores = [[1, 0]] * 4 + [[0, 0]] * 2, [[9, 8]] * 4 + [[3, 2]] * 2
    rankings = Rankings.from_lists(lists, scores=scores)
    cuts = Given(dict(zip("123456", [0, 1, 1, 1, 0, 1])))
    policies = ["Fixed(k=0)", "Fixed(k=2)", "Oracle", ScoreThreshold(9.0), cuts]
    table = cross_validate(policies, "FlatU", None, {"run": rankings}, folds=3, further_measures="SetP c@1")
    assert table["silence_precision"].tolist() == pytest.approx([1 / 3, np.nan, 1, 1, 1 / 2], nan_ok=True)
    assert table["silence_recall"].tolist() == [1, 0, 1, 1, 1 / 2]
    assert table["SetP"].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1 / 2])
    silent_twice = (4 + 2 * 4 / 6) / 6
    assert table["c@1"].tolist() == pytest.approx([0, 4 / 6, silent_twice, silent_twice, (3 + 2 * 3 / 6) / 6])
    alone = cross_validate(policies, "FlatU", None, {"run": rankings}, folds=3)
    assert alone.equals(table[alone.columns])
    everywhere = cross_validate(policies, "FlatU", None, {"run": rankings.take(range(4))}, folds=2)
    assert everywhere["silence_recall"].isna().all()


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), folds=st.integers(2, 5))
def test_cross_validation_keeps_its_promises(seed, folds):
    rankings = positive(queries(seed, 9))
    table = cross_validate([*BLIND, Oracle()], "RBPU(p=0.9)", None, {"run": rankings}, folds, seed % 10)
    oracle = table.iloc[-1]
    assert (table["score"] <= oracle["score"] + 1e-12).all()
    assert (table["regret"] >= 0).all()
    assert oracle["regret"] == 0
    known = table[table["low"].notna()]  # RBPU has no lowest value: of equal scores no interval follows
    assert ((known["low"] <= known["score"] + 1e-12) & (known["score"] <= known["high"] + 1e-12)).mean() > 0.9
    assert table["p_value"].between(0, 1).all()
    assert ("cost" in table) == (seed % 2 == 0)
    assert sorted(np.concatenate(topic_folds(len(rankings), folds, seed % 10)).tolist()) == list(range(9))


def test_the_same_seed_gives_the_same_table():
    runs_ = {"run": positive(queries(4, 12))}
    first, second, other = (cross_validate(FITTED, "RBPU", None, runs_, 4, seed) for seed in (1, 1, 2))
    assert first.equals(second)
    assert not first.equals(other)


def test_cross_validation_by_c_at_1_looks_at_all_held_out_cuts_together():
    rng = np.random.default_rng(2)
    confidence = np.sort(rng.random(60))[::-1]
    rankings = answers(rng.random(60) < confidence, confidence)
    policies = ["ScoreThreshold", "Greedy", "Fixed(k=0)", "LargestGap", "ScoreThreshold(threshold=0.5)"]
    table = cross_validate(policies, "c@1", None, {"run": rankings}, further_measures="c@1 SetP")
    table = table.set_index("policy")
    np.testing.assert_allclose(table["score"], table["c@1"])
    assert table.loc["ScoreThreshold", "score"] > table.loc["Greedy", "score"]
    assert table["of_oracle"].isna().all()
    assert table["regret"].isna().all()
    assert ((table["low"] <= table["score"]) & (table["score"] <= table["high"])).all()
    assert table.loc["Greedy", "p_value"] == 1
    cut, whole = rankings.cut(ScoreThreshold(0.5).cut(rankings)), rankings
    c, u = (cut.judged_grades, cut.lengths == 0)
    correct = np.zeros(60)
    correct[cut.lengths > 0] = c
    a = correct.mean()
    values = correct * (1 + u.mean()) + u * a - u.mean() * a
    expected = stats.ttest_rel(values, lookup("c").bind({"cutoff": 1}).score(whole)).pvalue
    assert table.loc["ScoreThreshold(threshold=0.5)", "p_value"] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("policy", ["Fixed(k=2)", "ScoreThreshold", "LargestGap"])
@pytest.mark.parametrize(("counts", "last"), [((3, 3), "AP"), ((1, 5), "coverage")])  # the others count lists
def test_with_keys_values_of_the_outermost_key_are_split_and_tested(policy, counts, last):
    """Lists of a question on several days, all the same: as if there were one list of the question."""
    data = generated.collection(topics=24, systems=2)
    qrels, run = data[0], data[1]["fair-never"]
    days = {topic: range(counts[at % 2]) for at, topic in enumerate(qrels)}
    judged, lists = ({f"{q}/{day}": of[q] for q in days for day in days[q]} for of in (qrels, run))
    tables = (
        cross_validate(policy, "RBPT", of, {"fair": each}, 4, further_measures="AP", keys=keys)
        for of, each, keys in ((qrels, run, None), (judged, lists, "topic/day"), (judged, lists, None))
    )
    single, nested, flat = (table.loc[0, "score":last] for table in tables)
    assert nested.tolist() == pytest.approx(single.tolist(), rel=1e-9, nan_ok=True)
    assert nested["high"] - nested["low"] > 1.4 * (flat["high"] - flat["low"])
    with pytest.raises(ParameterError, match="folds=25"):
        cross_validate(policy, "RBPT", judged, {"fair": lists}, 25, keys="topic/day")


def test_the_mean_size_of_a_list_is_nested_and_leaves_empty_lists_out():
    """Topic 1 has lists of 2, 0 and 4, topic 2 one of 10: ((2 + 4) / 3 + 10) / (2 / 3 + 1) = 7.2."""
    lengths = {"1/a": 2, "1/b": 0, "1/c": 4, "2/a": 10}
    run = {topic: [f"d{place}" for place in range(10)] for topic in lengths}
    qrels = {topic: {"d0": 1} for topic in run}
    table = cross_validate(Given(lengths), "RBPT", qrels, {"run": run}, folds=2, keys="topic/day")
    sizes = table.loc[0, ["length", "empty", "coverage", "set_size"]].tolist()
    assert sizes == pytest.approx([6, 1 / 6, 5 / 6, 7.2])
