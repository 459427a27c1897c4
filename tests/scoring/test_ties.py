"""Scores over all orders of ties, against the scores of each order, and published formulas."""

import itertools
import math

import numpy as np
import pytest
from generated import ALL, settings_of
from messages import refused

import ir_trunc
from ir_trunc import Rankings, calc
from ir_trunc._cli.main import main
from ir_trunc._scoring.objects import objects
from ir_trunc._ties import score_ties
from ir_trunc.adapters.arrow import scorer
from ir_trunc.measures.declaration import CUTOFF

OF_LISTS = [definition for definition in ALL if definition.scope == "list" and definition.name != "TokenF1"]


def objects_of(definition, settings):
    for setting in settings:
        at = {definition.at: setting[CUTOFF]} if setting.get(CUTOFF) else {}
        yield objects[definition.name](**{k: v for k, v in setting.items() if k != CUTOFF} | at)


def tied_lists(seed, count, longest=6, costs=False):
    """Grades, judged grades, scores and costs of lists with few distinct scores."""
    rng = np.random.default_rng(seed)
    mixed = [2, None, 1, 0, -1]  # all tied
    grades, judged, scores, cost = [mixed], [[2, 1, 1, 0, -1]], [[0.5] * 5], [[0.1, 0.3, 0.3, 0.3, 0.0]]
    for _ in range(count):
        size = int(rng.integers(1, longest + 1))
        row = [None if rng.random() < 0.25 else int(rng.choice([-1, 0, 1, 1, 2, 3])) for _ in range(size)]
        others = rng.choice([0, 1, 2], rng.integers(0, 3)).tolist()
        grades.append(row)
        judged.append([grade for grade in row if grade is not None] + others)
        scores.append(sorted(rng.choice([0.25, 0.5, 0.75], size, p=[0.2, 0.5, 0.3]).tolist(), reverse=True))
        cost.append(rng.choice([0.0, 0.1, 0.3], size).tolist())
    return grades, judged, scores, cost if costs else None


def orders(documents, scores):
    """Every order of the documents, each as often as there are permutations that make it."""
    groups = [
        [d for d, _ in group] for _, group in itertools.groupby(zip(documents, scores), lambda pair: pair[1])
    ]
    return [sum(order, ()) for order in itertools.product(*map(itertools.permutations, groups))]


def reference(measures, grades, judged, scores, costs):
    """The mean, the least and the greatest score (3 x M x Q) over the scores of all orders."""
    documents = [list(zip(row, costs[q] if costs else row)) for q, row in enumerate(grades)]
    every = [orders(row, row_scores) for row, row_scores in zip(documents, scores)]
    owner = np.repeat(np.arange(len(every)), [len(of_list) for of_list in every])
    flat = [order for of_list in every for order in of_list]
    rankings = Rankings.from_lists(
        [[grade for grade, _ in order] for order in flat],
        [judged[q] for q in owner],
        scores=[scores[q] for q in owner],
        costs=[[cost for _, cost in order] for order in flat] if costs else None,
    )
    values = calc(measures, None, rankings).values
    of_lists = [values[:, owner == q] for q in range(len(every))]
    return np.array([[getattr(v, f)(axis=1) for v in of_lists] for f in ("mean", "min", "max")]).transpose(
        0, 2, 1
    )


@pytest.mark.parametrize("measure", ["nDCG", "Q", "AGR"])
def test_a_gain_of_grade_0_makes_it_another_kind_than_an_unjudged_document(measure):
    lists = [[1, 0, None], [0, None], [1]], [[1, 0], [1, 0], [1]], [[0.5] * 3, [0.5] * 2, [0.5]], None
    equal_to_all_orders(f"{measure}(gains={{0: 0.5, 1: 1}})", lists)


def equal_to_all_orders(measures, lists):
    grades, judged, scores, costs = lists
    found = score_ties(measures, Rankings.from_lists(grades, judged, scores=scores, costs=costs), "lists")
    values = np.array([each.values for each in (found.expected, found.least, found.greatest)])
    expected = reference(measures, *lists)
    wrong = np.abs(values - expected) > 1e-11 * (1 + np.abs(expected))
    assert not wrong.any(), {str(found.least.measures[m]) for _, m, _ in np.argwhere(wrong)}
    own = calc(measures, None, Rankings.from_lists(grades, judged, scores=scores, costs=costs)).values
    assert (found.least.values <= own + 1e-11).all()
    assert (own <= found.greatest.values + 1e-11).all()
    untied = [len(set(row)) == len(row) for row in scores]
    assert any(untied)
    assert found.expected.values[:, untied].tobytes() == own[:, untied].tobytes()
    assert found.tied.tolist() == [not alone for alone in untied]
    in_ties = [[row.count(score) > 1 for score in row] for row in scores]
    judged_ones = [[grade is not None for grade in row] for row in grades]
    assert found.judged.tolist() == [sum(map(all, zip(*both))) for both in zip(in_ties, judged_ones)]


@pytest.mark.parametrize("costs", [False, True])
def test_every_measure_has_the_mean_and_the_range_of_all_orders(costs):
    measures = []
    for definition in OF_LISTS:
        settings = settings_of(definition)
        if costs and not {"e", "cost"} & definition.params.keys():
            continue
        measures += objects_of(definition, [settings[0], settings[10 % len(settings)]])
    equal_to_all_orders(measures, tied_lists(seed=8, count=9, longest=4, costs=costs))


@pytest.mark.full
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.weekly)])
@pytest.mark.parametrize("definition", OF_LISTS, ids=lambda definition: definition.name)
def test_every_setting_has_the_mean_and_the_range_of_all_orders(definition, seed):
    settings = settings_of(definition)
    some = settings if len(settings) < 300 else settings[seed::2]
    equal_to_all_orders(
        list(objects_of(definition, some)), tied_lists(seed, 20, 5 if seed % 2 else 6, seed % 2 == 1)
    )


def test_a_list_with_ties_has_the_same_bits_beside_others_and_in_any_order_of_its_ties():
    measures, rng = "nDCGT APT(gain='linear') ERRT(max_rel=3) nDCG@5 AP Q SetF", np.random.default_rng(4)
    for _ in range(25):
        grades, scores, qrels = rng.integers(0, 4, 7), np.sort(rng.choice([1.0, 2.0, 3.0], 7))[::-1], {}
        run = {f"d{place}": float(score) for place, score in enumerate(scores)}
        for topic in "ab":
            order = np.lexsort((rng.random(7), -scores))  # anew where scores are the same
            qrels[topic] = dict(zip(run, grades[order].tolist()))
        together = calc(measures, qrels, dict.fromkeys("ab", run), ties="expected").values
        for place, topic in enumerate("ab"):
            alone = calc(measures, {topic: qrels[topic]}, {topic: run}, ties="expected").values
            assert alone.tobytes() == together[:, [place]].tobytes() == together[:, [0]].tobytes()


# The closed forms of McSherry & Najork (ECIR 2008), for the groups of tied documents of one list: the number
# of documents and their grades for each score, best first.


def average_precision(groups, R):
    total = relevant = above = 0.0
    for size, gains in groups:
        here = sum(gain > 0 for gain in gains)
        for j in range(1, size + 1):
            among = (j - 1) * (here - 1) / (size - 1) if size > 1 else 0.0
            total += here / size * (relevant + among + 1) / (above + j)
        relevant, above = relevant + here, above + size
    return total / R


def reciprocal_rank(groups):
    above = 0
    for size, gains in groups:
        if here := sum(gain > 0 for gain in gains):
            first_at = [math.comb(size - j, here - 1) / math.comb(size, here) for j in range(1, size + 1)]
            return sum(p / (above + j) for j, p in enumerate(first_at, 1))
        above += size
    return 0.0


def test_large_ties_have_the_closed_forms_of_the_paper():
    """Of 200 documents with a yes or a no, which no list of all orders could show."""
    rng = np.random.default_rng(3)
    names = [f"d{number}" for number in range(200)]
    run = {name: float(rng.random() < 0.3) for name in names}
    judged = {name: int(rng.random() < 0.1) for name in names[::2]} | {"missing": 1}
    tied = [[judged.get(name, 0) for name in names if run[name] == score] for score in (1.0, 0.0)]
    groups = [(len(gains), gains) for gains in tied]
    expected = {"AP": average_precision(groups, sum(judged.values())), "RR": reciprocal_rank(groups)}
    results = calc(list(expected), {"q": judged}, {"q": run}, ties="expected")
    assert results.values[:, 0].tolist() == pytest.approx(list(expected.values()), abs=1e-12)
    assert (results.ties.least.values < results.values).all()


# What is tied, and what is refused


def test_scores_are_tied_as_the_order_compares_them():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0 + 1e-12}}
    assert calc("RR", qrels, run, ties="expected").aggregated["RR"] == 0.75
    exact = calc("RR", qrels, run, ties="expected", order="score64")
    assert exact.aggregated["RR"] == 0.5
    assert not exact.ties.tied.any()
    beyond = {"q": {"a": 1e300, "b": 2e300, "c": -1e300}}  # infinite in 32 bits
    assert calc("RR", qrels, beyond, ties="expected").aggregated["RR"] == 0.75


def test_the_end_of_a_list_stays():
    """NIL ends the list behind b, which is tied with it; what is behind NIL is not in the list."""
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 2.0, "NIL": 1.0, "c": 1.0}}
    assert calc("RRT", qrels, run, nil="ends", ties="expected").values.tolist() == [[0.75]]


def test_empty_lists_and_an_empty_run_have_no_ties():
    results = calc(
        "RBPT RR@1", {"1": {"a": 1}, "2": {}}, {"1": {}, "2": {}}, ties="expected", missing="empty"
    )
    assert results.values.tolist() == [[0.0, 1.0], [0.0, 0.0]]
    assert not results.ties.tied.any()


def test_views_and_nested_means_are_expected_ones():
    qrels = {"a/1": {"x": 1}, "a/2": {}, "b/1": {"x": 1}}
    run = {"a/1": {"x": 1.0, "y": 1.0}, "a/2": {"x": 1.0}, "b/1": {"x": 2.0, "y": 1.0}}
    results = calc("RR", qrels, run, keys="user/day", ties="expected")
    assert results.aggregated["RR"] == (0.75 / 2 + 1) / 2
    views = results.views()
    assert views["answerable"].aggregated["RR"] == 0.875
    assert views["answerable"].ties.least["RR"].to_dict() == {"a/1": 0.5, "b/1": 1.0}
    assert results.ties.to_pandas().loc["RR"].tolist() == [0.6875, 0.625, 0.75]
    assert results.over(np.zeros(3, bool)).ties.to_pandas().isna().all(axis=None)
    assert "1 of 3 lists, with 1 judged document" in repr(results)


def test_a_comparison_is_of_expected_scores():
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    assert ir_trunc.compare("RR", qrels, {"one": run}, ties="expected").to_pandas()["RR"].tolist() == [0.875]


RUN = {"q": {"a": 1.0, "b": 1.0}}


@pytest.mark.parametrize(("call", "says"), [
    (lambda: calc("RR", QRELS, RUN, ties="expect"), "ties='expect' is unknown.*Did you mean expected"),
    (lambda: calc("RR", QRELS, RUN, ties=None), "ties=None is unknown: 'id' or 'expected' is needed"),
    (lambda: calc("c@1", QRELS, RUN, ties="expected"), "c@1 looks at all lists of a run"),
    (lambda: calc("infAP", QRELS, RUN, ties="expected"), "infAP is computed by another tool"),
    (lambda: calc("RR", QRELS, RUN, ties="expected", order="rank"), "order='rank' leaves no ties"),
    (lambda: calc("RR", QRELS, {"q": ["a"]}, ties="expected"), r"run \(dict\): its lists have no scores"),
    (lambda: calc("RR", None, Rankings.from_lists([[1]]), ties="expected"), "lists have no scores"),
    (lambda: ir_trunc.curves("RR", QRELS, RUN, ties="expected"), "curves has no option 'ties'"),
    (lambda: scorer("RR", QRELS, missing="exclude", ties="expected"), "scorer has no option 'ties'"),
    (lambda: calc("RR", ANSWERS, RUN, ties="expected"), "its lists hold answers"),
    (lambda: calc("RR", QRELS, NIL, nil="sakai", ties="expected"), "a NIL that is right at rank 1 only"),
    (lambda: calc("EU", LARGE, LARGE_RUN, ties="expected"), "40 documents are tied from rank 1 on"),
    (lambda: calc("ERR", *GRADED, ties="expected"), "ERR needs more than 100,000 of their orders"),
])  # fmt: skip
def test_what_has_no_expected_score_is_refused(call, says):
    refused(ir_trunc.IrTruncError, says, call)


QRELS, NIL = {"q": {"a": 1}}, {"q": {"a": 1.0, "NIL": 1.0}}
ANSWERS = ir_trunc.read_answers({"q": [{"a": 1}]})
LARGE = {"q": {str(number): number % 2 for number in range(40)}}
LARGE_RUN = {"q": dict.fromkeys(LARGE["q"], 1.0)}
GRADED = (
    {"q": {str(number): number % 5 for number in range(100)}},
    {"q": {str(number): 1.0 for number in range(100)}},
)


def test_a_measure_of_ones_own_is_scored_in_all_orders(registries):
    @ir_trunc.measure(source="a test", range=(0, math.inf))
    def SquaredRanks(lists):
        """The square of a sum of ranks, which depends on all ties of a list at once.

        (sum_i i)^2 over the judged documents
        """
        return lists.sum(lists.rank * 1.0) ** 2

    run = {"q": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0}}
    results = calc("SquaredRanks", {"q": {"a": 1, "c": 1}}, run, ties="expected")
    assert results.values.tolist() == [[(4**2 + 5**2 + 5**2 + 6**2) / 4]]
    assert results.ties.to_pandas().loc["SquaredRanks", ["least", "greatest"]].tolist() == [16.0, 36.0]


def test_the_command_prints_expected_scores_and_how_much_ties_matter(tmp_path, capsys):
    (tmp_path / "q.txt").write_text("q 0 a 1\n")
    (tmp_path / "tied.run").write_text("q Q0 a 1 1.0 t\nq Q0 b 2 1.0 t\n")
    words = [str(tmp_path / "q.txt"), str(tmp_path / "tied.run"), "RR", "--ties", "expected"]
    assert main([*words, "--format", "table"]) == 0
    printed = capsys.readouterr().out
    assert "0.7500" in printed
    assert "tied.run: means over all orders of the ties in 1 of 1 list, with 1 judged document" in printed


@pytest.mark.full
def test_the_report_says_how_much_ties_matter():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {
        "plain": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}},
        "tied": {"1": {"a": 1.0, "b": 1.0, "c": 0.5}, "2": {"a": 2.0, "b": 1.0}},
        "by rank": {"1": ["a"], "2": ["a"]},
    }
    page = ir_trunc.report("RR", qrels, runs, folds=2)
    note = "1 run of 3 has documents with the same score in a list. Over all of their orders, RR differs most"
    assert f"{note} for tied: 0.7500 to 1.0000, on average 0.8750, with ties in 1 of 2 lists." in page
    assert "same score" not in ir_trunc.report("RR", qrels, {"plain": runs["plain"]}, folds=2)


def test_the_warning_about_ties_names_the_option_and_is_gone_with_it():
    with pytest.warns(ir_trunc.IrTruncWarning, match="ties='expected' gives the mean score over all orders"):
        calc("RR", QRELS, RUN)
    assert calc("RR", QRELS, RUN, ties="expected").aggregated["RR"] == 0.75


def test_lists_that_look_alike_are_scored_once_unless_a_measure_tells_them_apart():
    qrels = {topic: {"a": 2, "b": 1, "c": 0} for topic in "123"}
    run = {
        "1": {"a": 0.9, "b": 0.9, "c": 0.9},
        "2": {"c": 0.5, "b": 0.5, "a": 0.5},
        "3": {"c": 1.0, "a": 0.5, "b": 0.5},
    }
    values = calc("RBPT AP K1", qrels, run, ties="expected").to_pandas()
    for measure in values:
        for topic in run:
            alone = calc(measure, {topic: qrels[topic]}, {topic: run[topic]}, ties="expected")
            assert values.loc[topic, measure] == pytest.approx(alone.values[0, 0], abs=1e-12)
    assert values["K1"].round(3).tolist() == pytest.approx([0.3, 0.167, -1.0], abs=1e-3)
    assert values["RBPT"]["1"] == values["RBPT"]["2"] != values["RBPT"]["3"]
