"""Answers and confidence: a price, SQuAD's token F1 and best threshold, risk and coverage, abstention."""

import gzip
import json

import numpy as np
import pytest
from generated import queries, rankings_of
from messages import refused
from scipy.stats import binomtest

from ir_trunc import InputError, ParameterError, calc, calc_aggregate, plots, rank, read_answers, read_log
from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.answers import squad
from ir_trunc.answers import abstention_curve, nauc, risk_coverage
from ir_trunc.measures import lookup
from ir_trunc.measures.definition import RunScores
from ir_trunc.truncation import ScoreThreshold, cross_validate


def test_a_price_in_two_ways_is_refused():
    wrong = dict.fromkeys(("price=-1", "target=1", "target=0", "target=75"), "(price|target)=")
    for given, says in {"price=2, target=0.5": "price=2 and target=0.5 .* give one of them", **wrong}.items():
        refused(ParameterError, f"UF: {says}", calc, f"UF({given})", {"1": {"a": 1}}, {"1": {"a": 1.0}})


# SQuAD's best threshold.


def squads_f1(answer, right):
    """As SQuAD's script: harmonic mean of precision and recall of the words."""
    if not answer or not right:
        return float(answer == right)
    same = sum(min(answer.count(word), right.count(word)) for word in {*answer})
    if not same:
        return 0.0
    precision, recall = same / len(answer), same / len(right)
    return 2 * precision * recall / (precision + recall)


def squads_best(gold, answered, scores, no_answer):
    """SQuAD 2.0's way: all questions start out silent; the surest answers come in one after the other."""
    current = best = sum(not has_answer for has_answer in gold.values())
    threshold = 0.0
    for question in sorted(no_answer, key=no_answer.get):
        current += scores[question] if gold[question] else -1 if answered[question] else 0
        if current > best:
            best, threshold = current, no_answer[question]
    return best / len(scores), threshold


def squad_questions(folder, system):
    """Gold answers and predictions by question, and answers read by the library."""
    gold, said = (
        json.loads(gzip.decompress((folder / f"{name}.json.gz").read_bytes())) for name in ("gold", system)
    )
    classes = {q: [item["answers"]] if item["answers"] else [] for q, item in gold.items()}
    return gold, said, read_answers(classes, "squad")


each_system = pytest.mark.parametrize("system", ["bert", "nlnet", "bidaf-elmo"])


@each_system
def test_token_f1_is_that_of_squads_script(real_data, system):
    gold, said, answers = squad_questions(real_data("squad2-half"), system)
    found = calc("TokenF1 EM", answers, said)
    words = {
        q: [squad(text).split() for text in item["answers"] if squad(text)] or [[]]
        for q, item in gold.items()
    }
    expected = [max(squads_f1(squad(said[q]).split(), right) for right in words[q]) for q in found.topics]
    np.testing.assert_allclose(found.values[0], expected, atol=1e-12)
    assert (found.values[0] >= found.values[1]).all()
    assert found.aggregated["TokenF1"] > found.aggregated["EM"] + 0.02


@pytest.mark.needs("more measures")
@each_system
@pytest.mark.parametrize("name", ["EM", "TokenF1"])
def test_the_best_threshold_is_that_of_squads_script(real_data, system, name):
    """The systems' answers, with made-up confidences that fall with the length of the answer."""
    gold, said, answers = squad_questions(real_data("squad2-half"), system)
    rng = np.random.default_rng(1)
    no_answer = {q: len(said[q]) / 1000 + rng.random() / 10 for q in gold}
    run = {q: {said[q]: -no_answer[q]} for q in gold if said[q]}
    exact = calc(name, answers, run)
    expected, threshold = squads_best(
        {q: bool(item["answers"]) for q, item in gold.items()},
        {q: bool(said[q]) for q in gold},
        dict(zip(exact.topics, exact.values[0])),
        no_answer,
    )
    found = calc(f"Best{name}", answers, run).aggregated[f"Best{name}"]
    assert found == pytest.approx(expected, abs=1e-12)
    assert found >= exact.aggregated[name]
    rankings = rank(answers, run)
    fitted = ScoreThreshold().fit(rankings, name)
    assert fitted.threshold == pytest.approx(-threshold)
    assert calc(name, None, rankings.cut(fitted.cut(rankings))).aggregated[name] == pytest.approx(found)


def test_words_count_as_often_as_both_answers_have_them():
    answers = read_answers({"q": [["the tall tall tower", "tower"]], "none": []}, "squad")
    expected = {"a tall tower": 4 / 5, "Tower!": 1, "tall tall tall tower": 6 / 7, "bridge": 0, "": 0}
    for said, worth in expected.items():
        assert calc("TokenF1", answers, {"q": said}).values[:, 1].tolist() == pytest.approx([worth])
    assert calc("TokenF1", answers, {"none": "tower"}).values[0, 0] == 0
    assert calc("TokenF1", answers, {"none": "NIL"}).values[0, 0] == 1


def test_only_the_first_answer_has_a_token_f1_and_documents_have_exact_match():
    rankings = rank(read_answers({"q": [["tall tower"]]}), {"q": ["tower", "tall tower"]})
    assert calc("TokenF1", None, rankings).values[0, 0] == pytest.approx(2 / 3)
    assert calc("TokenF1", None, rankings.cut(0)).values[0, 0] == 0
    assert rankings.unjudged().overlaps is None
    assert calc("TokenF1 EM", {"q": {"a b": 1}}, {"q": {"a": 1.0, "a b": 0.5}}).values.tolist() == [[0], [0]]


# Risk and coverage: areas by another tool, abstention as MTEB has it, and pictures of both.

AREAS = ["AURC", "EAURC", "AUGRC"]
WRONG = [0, 0, 1, 0, 0, 1, 1, 0, 1, 1]
SURE = [0.99, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]


def answered(wrong, sure):
    """Qrels and a run of one answer to each question."""
    qrels = {f"q{at:02}": {"right": 1, "wrong": 0} for at in range(len(wrong))}
    run = {
        f"q{at:02}": {"wrong" if error else "right": confidence}
        for at, (error, confidence) in enumerate(zip(wrong, sure))
    }
    return qrels, run


def areas(wrong, sure):
    return [calc_aggregate(AREAS, *answered(wrong, sure))[name] for name in AREAS]


def test_equal_to_the_area_under_straight_lines_of_fd_shifts():
    """Its figures, times 1000: AURC and AUGRC, and AUGRC where some confidences are equal."""
    n, wrong = len(WRONG), np.mean(WRONG)
    aurc, _, augrc = areas(WRONG, SURE)
    assert 1000 * (aurc + (WRONG[0] - wrong) / (2 * n)) == pytest.approx(261.468253968254, abs=1e-9)
    assert 1000 * (augrc - wrong / (2 * n)) == pytest.approx(175, abs=1e-9)
    equal = [0.9, 0.9, 0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.4]
    assert 1000 * (areas(WRONG, equal)[2] - wrong / (2 * n)) == pytest.approx(180, abs=1e-9)


# Tests over topics.


@pytest.mark.parametrize("name", AREAS)
def test_influence_values_are_derivatives(name):
    """To first order: what a question's value says is what its leaving out does, for many questions."""
    rankings = rankings_of(queries(seed=5, count=300))
    scores = RunScores(lookup(name).bind({}), rankings)
    n, influence = len(rankings), scores.influence()
    without = scores.over(~np.eye(n, dtype=bool)[:40])
    expected = influence.mean() - (influence[:40] - influence.mean()) / (n - 1)
    np.testing.assert_allclose(without, expected, atol=3e-4)
    assert np.corrcoef(without, expected)[0, 1] > 0.99


def test_lower_is_better_is_said_and_no_policy_is_fitted_to_it():
    qrels, run = answered(WRONG, SURE)
    assert "range: 0 to 1, lower is better" in lookup("AUGRC").describe()
    with pytest.raises(ParameterError, match="AUGRC counts losses, lower is better"):
        cross_validate(["ScoreThreshold"], "AUGRC", qrels, {"run": run}, folds=2)


# The curve.


def test_the_curve_of_ten_answers():
    table = risk_coverage(*answered(WRONG, SURE))
    assert table["coverage"].tolist() == pytest.approx([at / 10 for at in range(1, 11)])
    assert table["risk"].mean() == pytest.approx(areas(WRONG, SURE)[0])
    assert table["generalised_risk"].mean() == pytest.approx(areas(WRONG, SURE)[2])
    assert table["threshold"].tolist() == SURE


def test_recall_and_fallout_are_the_ROC_curve():
    """Peñas & Rodrigo 2011, section 5. The area is the chance that a right answer is surer than a wrong."""
    rng, answers = np.random.default_rng(3), [{"id": 0, "answer": None, "candidate": "x", "correct": True}]
    for at, right in enumerate(rng.random(60) < 0.6, 1):
        sure = float(rng.integers(0, 6) + 2 * right)
        answers.append({"id": at, "answer": "a", "correct": bool(right), "confidence": sure})
    log = read_log(answers)
    table = log.risk_coverage()
    for row in table.itertuples():
        given = [item["correct"] for item in answers[1:] if item["confidence"] >= row.threshold]
        assert row.recall == pytest.approx(sum(given) / log.counts["correct"])
        assert row.fallout == pytest.approx((len(given) - sum(given)) / log.counts["wrong"])
    area = np.trapezoid([0, *table["recall"]], [0, *table["fallout"]])
    assert area == pytest.approx(log.validation()["auroc"].iloc[0])
    all_right = risk_coverage({"q": {"a": 1}}, {"q": {"a": 0.5}})
    assert all_right["recall"].tolist() == [1]
    assert all_right["fallout"].isna().all()


def test_equal_confidences_are_one_point_of_the_curve():
    table = risk_coverage(*answered([0, 1, 0], [0.5, 0.5, 0.1]))
    assert table["answers"].tolist() == [2, 3]
    assert table["risk"].tolist() == pytest.approx([1 / 2, 1 / 3])
    refused(InputError, "no question is answered", risk_coverage, {"q": {"a": 1}}, {})


# Abstention.

FOUND_AT = [4, 1, 2, 3, 1, 4, 2, 1, 2, 4, 3, 1]
LISTS = [
    [0.92, 0.31], [0.88, 0.87, 0.12], [0.85], [0.8, 0.4, 0.39, 0.1], [0.77, 0.2], [0.71, 0.68, 0.65],
    [0.6, 0.1, 0.05], [0.55, 0.5], [0.42, 0.4, 0.3, 0.2], [0.35, 0.11], [0.3, 0.26, 0.25], [0.2, 0.12],
]  # fmt: skip
MTEB = [("first", -0.210534194153021), ("gap", -0.0600382682945877), ("spread", 0.2434332127144456)]


def abstaining():
    qrels = {f"q{at:02}": {f"d{rank}": 1} for at, rank in enumerate(FOUND_AT)}
    return qrels, {f"q{at:02}": {f"d{r}": x for r, x in enumerate(one, 1)} for at, one in enumerate(LISTS)}


@pytest.mark.parametrize(("confidence", "by_mteb"), MTEB)
def test_nauc_is_that_of_mteb(confidence, by_mteb):
    """mteb 2.26, `nauc` of the reciprocal ranks with its confidences max, diff1 and std."""
    table = nauc("RR", *abstaining(), confidence=confidence)
    assert table["nauc"].item() == pytest.approx(by_mteb, abs=1e-12)


def test_abstention_by_hand():
    """Four lists, RR 1, 1/2, 0, 0; the second is the surest."""
    qrels = {q: {"a": 1} for q in "1234"}
    run = {"1": {"a": 0.5}, "2": {"x": 0.9, "a": 0.2}, "3": {"x": 0.3}, "4": {}}
    table = abstention_curve("RR", qrels, run, confidence="first", steps=4)
    by = {name: rows["score"].tolist() for name, rows in table.groupby("confidence")}
    assert by["first"] == pytest.approx([3 / 8, 1 / 2, 3 / 4, 1 / 2])  # the empty list goes first
    assert by["oracle"] == pytest.approx([3 / 8, 1 / 2, 3 / 4, 1])


def test_equal_confidences_leave_out_the_mean():
    qrels, run = {q: {"a": 1} for q in "12"}, {"1": {"a": 0.5}, "2": {"x": 0.5}}
    table = abstention_curve("RR", qrels, run, confidence="first", steps=2)
    assert table["score"].tolist() == [0.5, 0.5, 0.5, 1.0]
    assert nauc("RR", qrels, {"1": {"a": 0.5}, "2": {"a": 0.4}})["nauc"].isna().all()


def test_confidence_needs_scores():
    for call in (calc, nauc):
        with pytest.raises(InputError, match=r"need.* the scores"):
            call("AURC" if call is calc else "RR", None, Rankings.from_lists([[1]]))


def test_both_curves_can_be_drawn():
    ax = plots.risk_coverage(risk_coverage(*answered(WRONG, SURE)))
    assert [line.get_ydata()[-1] for line in ax.lines] == pytest.approx([0.5, 0.5, 0.5])
    ax = plots.abstention(abstention_curve("RR", *abstaining()))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["first", "gap", "spread", "oracle"]
    refused(InputError, "one measure's curves", plots.abstention, abstention_curve("RR AP", *abstaining()))


def test_the_curve_of_risk_begins_at_the_tenth_answer_with_the_interval_of_clopper_and_pearson():
    table = risk_coverage(*answered(WRONG + WRONG[:5], [*SURE, 0.25, 0.2, 0.15, 0.1, 0.05]))
    ax = plots.risk_coverage(table)
    assert ax.get_xlabel().endswith("100 % is all 15)")
    np.testing.assert_allclose(ax.lines[0].get_xydata(), table[["coverage", "risk"]][9:])
    corners = {tuple(point) for point in ax.collections[0].get_paths()[0].vertices.round(4).tolist()}
    for row in table[9:].itertuples():
        wrong = round(row.risk * row.answers)
        for bound in binomtest(wrong, row.answers).proportion_ci(method="exact"):
            assert (round(row.coverage, 4), round(bound, 4)) in corners


def test_two_lists_that_are_empty_are_equally_unsure():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 1}}
    forwards = {"q1": {"a": 0.9}, "q2": {}, "q3": {"c": 0.7}, "q4": {}}
    curves = [
        abstention_curve("R@1", dict(order), forwards, confidence="first", steps=4).to_pandas()
        for order in (qrels.items(), reversed(qrels.items()))
    ]
    assert curves[0].equals(curves[1])
    assert curves[0].loc[curves[0]["confidence"] == "first", "score"].tolist() == [0.5, 2 / 3, 1, 1]
