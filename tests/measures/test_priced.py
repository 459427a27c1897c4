"""Silence with a price: one price, and token F1 and the best threshold of SQuAD by its official evaluator."""

import gzip
import json

import numpy as np
import pytest

from ir_trunc import ParameterError, calc, rank, read_answers
from ir_trunc._ranking.answers import squad
from ir_trunc.truncation import ScoreThreshold


def test_a_price_in_two_ways_is_refused():
    with pytest.raises(ParameterError, match=r"UF: price=2 and target=0.5 .* give one of them"):
        calc("UF(price=2, target=0.5)", {"1": {"a": 1}}, {"1": {"a": 1.0}})
    for wrong in ("price=-1", "target=1", "target=0", "target=75"):
        with pytest.raises(ParameterError, match=r"UF: (price|target)="):
            calc(f"UF({wrong})", {"1": {"a": 1}}, {"1": {"a": 1.0}})


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
    answers = read_answers({"q": [["tall tower"]]})
    rankings = rank(answers, {"q": ["tower", "tall tower"]})
    assert calc("TokenF1", None, rankings).values[0, 0] == pytest.approx(2 / 3)
    assert calc("TokenF1", None, rankings.cut(0)).values[0, 0] == 0
    assert rankings.unjudged().overlaps is None
    assert calc("TokenF1 EM", {"q": {"a b": 1}}, {"q": {"a": 1.0, "a b": 0.5}}).values.tolist() == [[0], [0]]


def test_equal_confidences_are_answered_together():
    """One by one the right answer alone would make 2/3, as no threshold can."""
    qrels = {"1": {"a": 1}, "2": {"z": 0}, "3": {"b": 1}}
    run = {"1": {"a": 0.5}, "2": {"x": 0.5}, "3": {"y": 0.1}}
    assert calc("BestEM", qrels, run).values[0].tolist() == [0, 1, 0]
    assert calc("BestEM", qrels, run | {"2": {"x": 0.4}}).values[0].tolist() == [1, 1, 0]
