"""SQuAD's own files: questions give the answers of `read_answers`, predictions a run with scores."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from messages import check, complaint, refused

from ir_trunc import calc, calc_aggregate, rank, read_answers, read_predictions, truncation
from ir_trunc._core.errors import ParameterTypeError

CLASSES = {"q1": [["Paris", "Paris, France"]], "q2": [], "q3": [["red", "red"]]}


def question(name, classes, **more):
    answers = [{"text": text, "answer_start": 3} for texts in classes for text in texts]
    return {"id": name, "question": "?", "answers": answers, "is_impossible": not answers} | more


def squad(*questions):
    """Questions in two articles, as SQuAD's files have them."""
    halves = (questions[::2], questions[1::2])
    paragraphs = ({"title": "t", "paragraphs": [{"context": "c", "qas": list(half)}]} for half in halves)
    return {"version": "v2.0", "data": list(paragraphs)}


def test_a_file_of_questions_is_read_in_one_line(tmp_path):
    gold = squad(*(question(name, classes) for name, classes in CLASSES.items()))
    path, packed = tmp_path / "dev-v2.0.json", tmp_path / "dev-v2.0.json.gz"
    path.write_text(json.dumps(gold, indent=2), encoding="utf-8")
    packed.write_bytes(gzip.compress(json.dumps(gold).encode()))
    run = {"q1": "paris", "q2": "1789", "q3": ""}
    expected = calc("EM UF c@1 Q", read_answers(CLASSES, "squad"), run)
    for data in (gold, path, str(packed)):
        results = calc("EM UF c@1 Q", read_answers(data, "squad"), run)
        assert dict(zip(results.topics, results.values.T.tolist())) == dict(
            zip(expected.topics, expected.values.T.tolist())
        )


def test_questions_of_version_1_need_no_mark():
    gold = squad({"id": "q1", "answers": [{"text": "Paris"}]})
    assert calc("EM", read_answers(gold, "squad"), {"q1": "Paris"}).values.tolist() == [[1]]


def test_a_question_named_data_is_no_file():
    qrels = read_answers({"data": [], "version": [["2"]]})
    assert calc("EM", qrels, {"data": "", "version": "2"}).topics == ("data", "version")


def test_predictions_and_references_of_hugging_face(tmp_path):
    references = [
        {"id": name, "answers": {"text": [text for each in texts for text in each], "answer_start": []}}
        for name, texts in CLASSES.items()
    ]
    run = [
        {"id": "q1", "prediction_text": "paris", "no_answer_probability": 0.25},
        {"id": "q2", "prediction_text": "", "no_answer_probability": 0.75},
        {"id": "q3", "prediction_text": "blue", "no_answer_probability": 0.5},
    ]
    (tmp_path / "run.json").write_text(json.dumps(run), encoding="utf-8")
    (tmp_path / "references.json").write_text(json.dumps(references), encoding="utf-8")
    same = {"q1": {"paris": 0.75}, "q2": {}, "q3": {"blue": 0.5}}
    expected = calc("EM AURC", read_answers(CLASSES, "squad"), same).values.tolist()
    for gold in (references, tmp_path / "references.json"):
        for data in (run, tmp_path / "run.json"):
            assert calc("EM AURC", read_answers(gold, "squad"), data).values.tolist() == expected
    plain = [{"id": item["id"], "prediction_text": item["prediction_text"]} for item in run]
    assert calc("EM", read_answers(references, "squad"), plain).values.tolist() == [[1, 1, 0]]
    for wrong, part in (
        ([*run, run[0]], "question 'q1' is there twice"),
        ([run[0], {"id": "q2"}], "item 1: {'id': 'q2'}: id and prediction_text are needed"),
        ([run[0], plain[1]], "no_answer, question q2: None: a number from 0 to 1"),
    ):
        check(complaint(lambda wrong=wrong: calc("EM", read_answers(references), wrong)), part)
    check(
        complaint(lambda: read_answers([{"id": "q", "answers": ["x"]}])),
        "item 0: SQuAD's form is needed",
        "records with id and answers",
    )


def test_a_measure_of_confidence_names_what_reads_the_probabilities(tmp_path):
    (tmp_path / "pred.json").write_text(json.dumps({"q1": "Paris", "q2": ""}), encoding="utf-8")
    message = complaint(lambda: calc("EM BestEM", read_answers(CLASSES, "squad"), tmp_path / "pred.json"))
    check(message, "pred.json: BestEM reads how sure", "read_predictions(predictions, no_answer=...)")


@pytest.mark.parametrize(("questions", "part"), [
    ([question("q", [["a"]], is_impossible=True)], "q: is_impossible is True, and it has 1 answer"),
    ([question("q", [], is_impossible=False)], "q: is_impossible is False, and it has 0 answers"),
    ([question("q", []), question("q", [])], "question q: it is in the file twice"),
    ([{"id": "q"}], 'SQuAD\'s form is needed, {"data": [{"paragraphs"'), ([5], "SQuAD's form is needed"),
    ([question(None, [])], "question is missing"),
    ([question("q", [[3.5]])], "question q, class 1: answer 3.5 is float"),
])  # fmt: skip
def test_a_mistake_in_the_questions_names_its_place(questions, part):
    check(complaint(lambda: read_answers(squad(*questions))), part)


def best_exact(gold, predictions, no_answer):
    """The best EM of any threshold, as SQuAD's script finds it, with equal probabilities on one side."""
    by_probability = sorted(no_answer, key=lambda name: no_answer[name])
    score = best = sum(not answers for answers in gold.values())
    for place, name in enumerate(by_probability):
        score += predictions[name] in gold[name] if gold[name] else -(predictions[name] != "")
        following = by_probability[place + 1 : place + 2]
        if not following or no_answer[following[0]] > no_answer[name]:  # no threshold parts equals
            best = max(best, score)
    return best / len(gold)


GOLD, PROBABILITIES = st.sampled_from([[], ["b"], ["b", "c"]]), st.sampled_from([0.0, 0.25, 0.5, 1.0])
PREDICTED = st.tuples(st.sampled_from(["b", "d"]), GOLD, PROBABILITIES)


@settings(max_examples=10)
@given(st.lists(PREDICTED, min_size=1, max_size=6))
def test_a_fitted_threshold_has_the_best_exact_score_of_the_script(items):
    predictions = {f"q{number}": answer for number, (answer, _, _) in enumerate(items)}
    gold = {f"q{number}": right for number, (_, right, _) in enumerate(items)}
    no_answer = {f"q{number}": probability for number, (_, _, probability) in enumerate(items)}
    qrels = read_answers({name: [right] if right else [] for name, right in gold.items()}, "squad")
    run = read_predictions(predictions, no_answer)
    assert run == {name: {predictions[name]: 1 - no_answer[name]} for name in predictions}
    rankings = rank(qrels, run)
    policy = truncation.ScoreThreshold().fit(rankings, "EM")
    cut = {name: docs if policy([*docs.values()]) else {} for name, docs in run.items()}
    assert calc_aggregate("EM", qrels, cut)["EM"] == pytest.approx(best_exact(gold, predictions, no_answer))


@pytest.mark.parametrize(("predictions", "no_answer", "part"), [
    ({"q": "a"}, {"q": 1.5}, "no_answer, question q: 1.5: a number from 0 to 1 is needed; log-odds x"),
    ({"q": "a"}, {"q": float("nan")}, "no_answer, question q: nan"),
    ({"q": "a"}, {"q": True}, "no_answer, question q: True"),
    ({"q": "a"}, {"q": None}, "no_answer, question q: None"),
    ({"q": "a"}, {}, "no_answer: question 'q' is missing"),
    ({"q": "a"}, {"q": 0, "r": 0}, "predictions: question 'r' is missing"),
    ({"q": None}, {"q": 0}, "predictions, question q: None: an answer as text is needed"),
    ("nowhere.json", {}, "predictions nowhere.json: there is no such file"),
])  # fmt: skip
def test_a_mistake_in_the_predictions_names_its_place(predictions, no_answer, part):
    check(complaint(lambda: read_predictions(predictions, no_answer)), part)


def test_an_empty_prediction_is_silence_and_files_are_read(tmp_path):
    path = tmp_path / "na_prob.json"
    path.write_text('{"q1": 0.25, "q2": 0.5}', encoding="utf-8")
    assert read_predictions({"q1": "Paris", "q2": ""}, path) == {"q1": {"Paris": 0.75}, "q2": {}}
    path.write_text("[1]", encoding="utf-8")
    check(complaint(lambda: read_predictions({"q1": "Paris"}, path)), "na_prob.json", "not list")
    refused(ParameterTypeError, "no_answer=5: a path is needed", read_predictions, {}, 5)


@pytest.mark.full
def test_real_questions_in_the_form_of_the_file(real_data, tmp_path):
    folder = real_data("squad2-half")
    with gzip.open(folder / "gold.json.gz") as file:
        gold = json.load(file)
    classes = {name: [each["answers"]] if each["answers"] else [] for name, each in gold.items()}
    path = tmp_path / "dev-v2.0.json"
    path.write_text(json.dumps(squad(*(question(name, each) for name, each in classes.items()))))
    for system in ("bert", "bidaf-elmo", "nlnet"):
        run = folder / f"{system}.json.gz"
        scores = [calc_aggregate("EM UF c@1", read_answers(data, "squad"), run) for data in (path, classes)]
        assert scores[0] == pytest.approx(scores[1])


@pytest.mark.parametrize("odd", [pd.NA, np.zeros(0), np.zeros(1, object), pd.DataFrame()], ids=str)
def test_odd_objects_are_no_answers_and_no_questions(odd):
    for gold in ({"q1": [[odd]]}, squad(question("q1", [["a"]]), odd), squad(question("q1", [[odd]]))):
        complaint(lambda gold=gold: read_answers(gold))
    complaint(lambda: read_predictions({"q1": "a"}, {"q1": 10**400}))
