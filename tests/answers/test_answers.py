"""Answers in classes of the same meaning, as JSON, frame and qrels; SQuAD's own files, scored end to end."""

import gzip
import json
import math
import re
import string
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from messages import check, complaint, refused

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, calc, read_answers, read_log, read_predictions, read_qrels
from ir_trunc._core.errors import ParameterTypeError
from ir_trunc._ranking.answers import squad

BEATLES = {
    "beatles": [
        {"Sir Paul McCartney": 3, "Paul McCartney": 3, "McCartney": 2, "Paul": 1},
        {"John Lennon": 3, "Lennon": 2, "John": 1},
        {"George Harrison": 3, "Harrison": 2, "George": 1},
        {"Ringo Starr": 3, "Starr": 2, "Ringo": 1},
    ]
}
ANSWERS = {"beatles": ["McCartney", "Lennon", "Paul", "George Harrison", "Starr"]}
ROWS = [
    ("beatles", f"c{number}", answer, level)
    for number, answers in enumerate(BEATLES["beatles"])
    for answer, level in answers.items()
]


def as_json(tmp_path):
    path = tmp_path / "answers.json.gz"
    path.write_bytes(gzip.compress(json.dumps(BEATLES).encode()))
    return read_answers(path)


def as_qrels(tmp_path):
    path = tmp_path / "answers.qrels"
    path.write_text("".join(f"{q} {c} {a.replace(' ', '_')} {level}\n" for q, c, a, level in ROWS))
    return read_answers(path, lambda answer: answer.replace("_", " "))


def as_frame(tmp_path):
    return read_answers(pd.DataFrame(ROWS, columns=["query_id", "iteration", "doc_id", "relevance"]))


@pytest.mark.parametrize("door", [lambda _: read_answers(BEATLES), as_json, as_qrels, as_frame])
def test_the_beatles_of_sakai_2004_through_every_door(tmp_path, door):
    values = calc("Q RMeasure", door(tmp_path), ANSWERS).aggregated
    assert values["Q"] == pytest.approx(0.722, abs=0.0005)
    assert values["RMeasure"] == pytest.approx(0.625, abs=0.0005)


def test_only_the_first_answer_of_a_class_counts_for_every_measure():
    results = calc("P@2 SetR AP", read_answers(BEATLES), {"beatles": ["Paul", "McCartney"]})
    assert results.values[:, 0].tolist() == [0.5, 0.25, 0.25]


def test_a_wrong_answer_may_be_in_several_classes():
    answers = read_answers({"q": [{"A": 2, "B": 0}, {"B": 1, "C": 0}, {"C": 1}]})
    assert calc("SetR", answers, {"q": ["B", "C"]}).values.tolist() == [[2 / 3]]


def test_a_wrong_answer_does_not_use_up_its_class():
    answers = read_answers({"q": [{"A": 2, "B": 0, "Z": -1}, {"C": 1}]})
    assert calc("Q RR AP", answers, {"q": ["B", "A"]}).values[:, 0] == pytest.approx([0.3, 0.5, 0.25])
    assert calc("RR", answers, {"q": ["Z", "B", "A"]}).values[0, 0] == pytest.approx(1 / 3)


def test_a_question_without_classes_has_no_answer():
    answers = read_answers({"love": [], "dvd": [["Digital Versatile Disk", "Digital Video Disk"]]})
    results = calc("Q EM", answers, {"love": "", "dvd": "Digital Video Disk"})
    assert results.values.tolist() == [[1, 1], [1, 1]]
    assert calc("Q EM", answers, {"love": "NIL"}).to_pandas().loc["love"].tolist() == [1, 1]


def test_answers_are_normalised_as_in_squad_and_count_once():
    answers = read_answers({"q": [["France"], ["Spain"]]}, "squad")
    for answer in ("The  France!", "france", "FRANCE."):
        assert calc("SetR", answers, {"q": answer}).values[0, 0] == 0.5
    values = calc("SetR SetP", answers, {"q": ["France", "the France", "Spain"]}).values[:, 0]
    assert values == pytest.approx([1, 2 / 3])


def _divides(answer):
    return 1 / 0 if answer == "Rome" else answer


@pytest.mark.parametrize(("normalise", "message"), [
    (len, "normalise gives 5 for the answer 'Paris': text is needed"),
    (lambda answer: None, "normalise gives None for the answer 'Paris'"),
    (_divides, "normalise fails for the answer 'Rome' .division by zero"),
    (lambda answer: 3 if answer == "Rome" else answer, "normalise gives 3 for the answer 'Rome'"),
])  # fmt: skip
def test_a_function_that_does_not_normalise_is_named_with_the_answer(normalise, message):
    with pytest.raises(InputError, match=message):
        calc("EM", read_answers({"q": [["Paris"]]}, normalise), {"q": ["Rome"]})


@pytest.mark.parametrize(("data", "message"), [
    ({"q": [{"a": 1}, {"a": 2}]}, "question q: the answer 'a' is in two classes"),
    ({"q": {"a": 1}}, "question q: a list of classes is needed, not dict"),
    ({"q": ["a"]}, r"question q, class 1: .* not str. Wordings of one .* are one class: \[\['a', ...\]\]"),
    ({"q": [{"a": "S"}]}, "topic q, document a: level 'S' is not a whole number below 2"),
    ({"q": [{"a": 2**70}]}, "level .* is not a whole number"),
    ({"q": [[None]]}, "question q, class 1: answer is missing"),
    ({"q": [[1.5]]}, "question q, class 1: answer 1.5 is float, not text"),
    ({"q": [["\ud800"]]}, "question q, class 1: answer .* is not text that UTF-8 can hold"),
    ({"\ud800": [["a"]]}, "question .* is not text that UTF-8 can hold"),
    ({1: [["a"]], "1": [["b"]]}, "question '1' is given twice, as text and as a number"),
])  # fmt: skip
def test_answers_that_make_no_sense_are_refused(data, message):
    refused(InputError, message, read_answers, data)


@pytest.mark.parametrize(("text", "message"), [
    ('{"q": [["a"]], "q": [["b"]]}', "cannot be read as JSON: an object has the name 'q' twice"),
    ('{"q": ' + "[" * 100_000, "is nested too deeply to be read"),
    ('{"q": [["\\ud800"]]}', "question q, class 1: answer .* is not text that UTF-8 can hold"),
    ('{"q": [{"a": -Infinity}]}', "-Infinity is not a JSON number"),
    ('{"q": [{"a": 1e400}]}', "level inf is not a whole number"),
    ('[["a"]]', r"{question: \[class, ...\]} is needed, not list"),
])  # fmt: skip
def test_a_JSON_file_of_answers_is_understood_or_refused(tmp_path, text, message):
    path = tmp_path / "answers.json"
    path.write_text(text)
    refused(InputError, message, read_answers, path)


@pytest.mark.parametrize("system", ["bert", "nlnet", "bidaf-elmo"])
def test_squad_end_to_end(real_data, system):
    """Exact match and no-answer accuracy, computed here as SQuAD's own script does, beside c@1, Q and RRT."""
    folder = real_data("squad2-half")
    with gzip.open(folder / "gold.json.gz", "rt", encoding="utf-8") as file:
        gold = json.load(file)
    with gzip.open(folder / f"{system}.json.gz", "rt", encoding="utf-8") as file:
        predictions = json.load(file)
    accepted = {q: {squads_text(a) for a in item["answers"]} - {""} or {""} for q, item in gold.items()}
    exact = {q: squads_text(predictions[q]) in accepted[q] for q in gold}
    impossible = [q for q, item in gold.items() if not item["answers"]]

    classes = {q: [item["answers"]] if item["answers"] else [] for q, item in gold.items()}
    results = calc("EM c@1 Q RRT", read_answers(classes, "squad"), predictions)
    means = results.aggregated
    assert len(results.topics) == 6078
    assert dict(zip(results.topics, results.values[0].tolist())) == exact
    on_nil = results.views()["nil"].aggregated["EM"]
    assert on_nil == pytest.approx(sum(exact[q] for q in impossible) / len(impossible))
    assert results.abstention.recall == on_nil
    assert means["EM"] <= means["RRT"] <= 1
    assert 0 < means["c@1"] < 1
    assert means["Q"] == pytest.approx(means["EM"])  # one class, one answer: right or wrong


def test_levels_below_the_best_of_their_class_count_in_every_measure():
    """One class, best level 3, answered at level 1: as one relevant document at rank 1 of a list of 1."""
    answers = read_answers({"q": [{"yes indeed": 3, "yes": 1}]})
    by_hand = 2 * math.log(100) - 1.05 * math.log(100)
    assert calc("OIE(D=100)", answers, {"q": "yes"}).values[0, 0] == pytest.approx(by_hand)


def squads_text(text):
    """As SQuAD's script normalises: lower case, then no punctuation, then no articles, then single blanks."""
    text = "".join(mark for mark in text.lower() if mark not in string.punctuation)
    return " ".join(word for word in re.sub(r"\b(a|an|the)\b", " ", text).split())


def test_squads_text_is_the_scripts_wherever_it_leaves_anything():
    rng, marks = np.random.default_rng(0), "aAnthe Pbé1-'’.(?_$/ \t"
    texts = {"".join(rng.choice([*marks], rng.integers(1, 12))) for _ in range(20_000)}
    left = [text for text in texts if squads_text(text)]
    assert [text for text in left if squad(text) != squads_text(text)] == []
    assert sum(bool(text.strip()) for text in texts) > len(left) + 500
    assert all(bool(squad(text)) == bool(text.strip()) for text in texts)


@pytest.mark.parametrize(("answer", "reference", "same"), [
    ("A", "a", True), ("(A)", "A.", True), ("An", "A", False), ("The", "an", False), ("?", "?", True),
    ("-", "?", False), ("-", "A", False), ("!", " ! ", True), ("B", "the b", True),
])  # fmt: skip
def test_an_answer_of_which_nothing_is_left_is_compared_as_it_is(answer, reference, same):
    """It is neither silence nor equal to every other one of this kind, for SQuAD's and other functions."""
    questions = {"q": [[reference]], "nil": [], "other": [["x"]]}
    run = {"q": answer, "nil": answer, "other": answer}
    results = calc("EM NumRet TokenF1", read_answers(questions, "squad"), run)
    assert results.values.tolist() == [[0, 0, same], [1, 1, 1], [0, 0, same]]
    items = [{"id": q, "answer": answer, "references": [*chain(*questions[q])]} for q in questions]
    for judge in ("em", "f1"):
        assert read_log(items, judge).counts == {"correct": int(same), "wrong": 3 - same, "unanswered": 0}
    nothing = read_answers(questions, lambda text: "")
    assert calc("EM NumRet", nothing, run).values[:, 2].tolist() == [answer == reference.strip(), 1]
    declared = read_answers(questions, "squad", abstains="...")
    assert calc("NumRet", declared, run).values.tolist() == [[1, 1, 1]]


@pytest.mark.parametrize("normalise", [None, "squad", str.upper])
@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_answer_is_silence_and_no_reference(blank, normalise):
    qrels = read_answers({"1": [["b"]], "2": [[blank]], "3": [["b"]]}, normalise)
    results = calc("NumRet EM", qrels, {"1": [blank, "b"], "2": blank, "3": {blank: 1.0}})
    assert results.values.tolist() == [[1, 0, 0], [1, 1, 0]]


@given(seed=st.integers(0, 9999))
def test_the_first_of_a_class_is_the_first_by_rank_among_many(seed):
    """Answers are found in no order: the rank decides. Two classes for each of forty questions."""
    rng = np.random.default_rng(seed)
    levels = {str(q): [{f"{kind}{q}-{at}": at for at in range(1, 6)} for kind in "ab"] for q in range(40)}
    run = {q: rng.permutation([*classes[0], *classes[1], "wrong"]).tolist() for q, classes in levels.items()}
    rankings = calc("Q", read_answers(levels), run).rankings
    for q, answers in run.items():
        seen, grades = {"wrong"}, []
        for answer in answers:
            kind, _, level = answer.partition("-")
            if level:
                grades.append(0 if kind in seen else int(level))
            seen.add(kind)
        at = rankings.topics.index(q)
        assert rankings.judged_grades[slice(*rankings.judged_offsets[at : at + 2])].tolist() == grades


@pytest.mark.filterwarnings("ignore:.*NIL ends 3 list")
@pytest.mark.parametrize(
    ("nil", "counted"), [("ends", [1, 0, 0]), ("trec2001", [3, 1, 1]), ("sakai", [3, 0, 0])]
)
def test_several_answers_that_normalise_to_NIL_are_one(nil, counted):
    """The first of them by rank counts."""
    answers = read_qrels(read_answers({"1": [["a"]], "2": [], "3": []}, str.upper), nil=nil)
    rankings = calc("AP", answers, {q: ["b", "nil", "NIL"] for q in "123"}).rankings
    assert [rankings.lengths[0], *np.diff(rankings.judged_offsets)[1:]] == counted


NTCIR = {"S": 3, "A": 2, "B": 1}


def test_levels_may_be_words():
    """Sakai 2004, 3.2, example 1, in the paper's own levels: Q .722, R-measure .625."""
    words = {3: "S", 2: "A", 1: "B"}
    beatles = [{name: words[level] for name, level in answers.items()} for answers in BEATLES["beatles"]]
    qrels = read_answers({"beatles": beatles, "nil": []}, levels=NTCIR)
    scores = calc("Q RMeasure", qrels, ANSWERS | {"nil": ["NIL"]})
    assert scores.values.round(3).tolist() == [[0.722, 1], [0.625, 1]]
    assert "relevant grades 1, 2, 3\n" in str(scores.universe)  # declared, not those that occur
    frame = pd.DataFrame([("q", "1", "x", "H"), ("q", "2", "y", "PR"), ("q", "3", "z", "0")])
    frame.columns = ["query_id", "iteration", "doc_id", "relevance"]
    assert read_answers(frame, levels={"H": 3, "R": 2, "PR": 1}).to_dict() == {"q": {"x": 3, "y": 1, "z": 0}}


def test_levels_of_qrels_may_be_words(tmp_path):
    lines = tmp_path / "qrels"
    lines.write_text("1 0 a S\n1 0 b B\n# a comment\n2  0 c 0\n2 0 d A\n")
    expected = {"1": {"a": 3, "b": 1}, "2": {"c": 0, "d": 2}}
    for data in (lines, {"1": {"a": "S", "b": "B"}, "2": {"c": 0, "d": "A"}}):
        assert read_qrels(data, levels=NTCIR).to_dict() == expected
    message = r"line 1 .*'S' is not a whole number\. levels=\{'S': 3, 'A': 2, 'B': 1\}"
    refused(InputError, message, read_qrels, lines)
    message = r"document b: relevance 'PR' is not .*levels=\{'H': 3, 'R': 2, 'PR': 1\}"
    refused(InputError, message, read_qrels, {"1": {"a": 1, "b": "PR"}})
    message = r"document b: relevance 'B' is not .*levels= has S, A\."
    refused(InputError, message, read_qrels, lines, levels={"S": 3, "A": 2})
    refused(InputError, r"document x: level 'S' is not .*levels=\{'S': 3", read_answers, {"q": [{"x": "S"}]})
    refused(ir_trunc.ParameterError, r"levels=\['S'\]: grades of levels, as", read_qrels, lines, levels=["S"])


def test_the_summary_counts_answers_by_class_and_level():
    """As table 1 of Sakai 2004 does: R is a number of classes."""
    answers = {"nil": [], "one": [{"a": "S", "b": "A", "c": "B"}], "other": [{"d": "A"}]}
    answers["many"] = [{f"{number}": "S", f"{number} again": "B"} for number in range(10)]
    found = read_answers(answers, levels=NTCIR).summary()["count"]
    assert found["topics"].to_dict() == {"all": 4, "nil": 1}
    assert found["R"].to_dict() == {"0": 1, "1": 2, "10": 1}
    assert found["level"].to_dict() == {"S": 11, "A": 2, "B": 11}
    assert read_qrels({"1": {"a": 3, "b": 0}}).summary()["count"].tolist() == [1, 0, 1, 1]
    mapped = read_qrels({"1": {"a": "2", "b": "S"}}, levels={"2": 1, "S": 3}).summary()["count"]
    assert mapped["level"].to_dict() == {"S": 1, "1": 1}  # a "2" that is worth 1 is called by its grade


@pytest.mark.parametrize("normalise", [None, "squad"])
def test_answers_of_the_run_that_stand_for_none_are_declared_or_counted(normalise):
    gold = {"a": [["unanswerable"]], "b": [["x"]], "c": [["x"]], "d": [["none"]]}
    run = {"a": "unanswerable", "b": "N/A", "c": ["x", "I don't know."], "d": "none"}
    told = r"2 wrong answers look like abstentions \('N/A', 1 time, for.*abstains="
    with pytest.warns(IrTruncWarning, match=told):
        assert calc("c@1", read_answers(gold, normalise), run).aggregated.popitem()[1] == 3 / 4
    qrels = read_answers(gold, normalise, abstains=["unanswerable", "n/a", "I don't know"])
    results = calc("EM NumRet", read_qrels(qrels, nil="ends"), run, missing="error")
    assert results.values.tolist() == [[1, 0, 1, 1], [0, 0, 1, 1]]
    assert calc("NumRet", read_answers(gold, normalise, abstains=()), run).values.tolist() == [[1, 1, 2, 1]]


CLASSES = {"q1": [["Paris", "Paris, France"]], "q2": [], "q3": [["red", "red"]]}


def question(name, classes, **more):
    answers = [{"text": text, "answer_start": 3} for texts in classes for text in texts]
    return {"id": name, "question": "?", "answers": answers, "is_impossible": not answers} | more


def articles(*questions):
    """Questions in two articles, as SQuAD's files have them."""
    halves = (questions[::2], questions[1::2])
    paragraphs = ({"title": "t", "paragraphs": [{"context": "c", "qas": list(half)}]} for half in halves)
    return {"version": "v2.0", "data": list(paragraphs)}


def test_a_file_of_questions_is_read_in_one_line(tmp_path):
    gold = articles(*(question(name, classes) for name, classes in CLASSES.items()))
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
    check(complaint(lambda: read_answers(articles(*questions))), part)


@pytest.mark.parametrize(("predictions", "no_answer", "part"), [
    ({"q": "a"}, {"q": 1.5}, "no_answer, question q: 1.5: a number from 0 to 1 is needed; log-odds x"),
    ({"q": "a"}, {"q": True}, "no_answer, question q: True"),
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
