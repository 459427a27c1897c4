"""The Change Detection track: a generated stream is scored as a naive scorer does."""

import csv
import io
import json
from collections import defaultdict
from math import log2
from statistics import fmean

import numpy as np
import pytest

from ir_trunc import InputError, IrTruncError, ParameterError, calc
from ir_trunc.adapters import cdet
from ir_trunc.synthetic import generated

DAYS = 20
QRELS, RUNS = generated.stream(topics=2, questions=3, days=DAYS, seed=6)
TOPICS = {"t1": ["q1", "q2", "q3"], "t2": ["q1", "q2", "q3"]}
RANGE = "2024-01-01..2024-01-20"
NAMES = ["nDCGT", "APT", "RBPT", "RRT"]


def naive(grades, of_topic):
    """nDCGT, APT, RBPT and RRT with linear gains of at most 10, from their definitions."""
    gains, ideal = [grade / 10 for grade in grades], sorted((g / 10 for g in of_topic if g > 0), reverse=True)
    n, end = len(gains), sum(gains) / sum(ideal) if ideal else 1.0

    def dcg(values):
        return sum(value / log2(rank + 1) for rank, value in enumerate(values, 1))

    def ap(values):
        return sum(value * sum(values[:rank]) / rank for rank, value in enumerate(values, 1))

    first = next((rank for rank, gain in enumerate(gains, 1) if gain), 0)
    return (
        dcg([*gains, end]) / dcg([*ideal, 1.0][: n + 1]),
        ap([*gains, end]) / ap([*ideal, 1.0]),
        sum(0.2 * gain * 0.8**place for place, gain in enumerate(gains)) + 0.8**n * end,
        gains[first - 1] / ideal[0] / first if first else float(not ideal) / (n + 1),
    )


def naive_table(qrels, run):
    """{names of the group: mean scores}, of innermost means first."""
    scores = {}
    for key, judged in qrels.items():
        ranked = sorted(run.get(key, {}).items(), key=lambda item: np.float32(item[1]), reverse=True)
        scores[tuple(key.split("/"))] = naive([judged.get(doc, 0) for doc, _ in ranked], judged.values())
    table = {}
    while scores:
        inner = defaultdict(list)
        for names, values in scores.items():
            if names:
                inner[names[:-1]].append(values)
        scores = {names: tuple(map(fmean, zip(*values))) for names, values in inner.items()}
        table |= scores
    return table


def question_qrels():
    gains = {f"{topic}/2024-01-{day:02}": {} for topic in TOPICS for day in range(1, DAYS + 1)}
    for key, judged in QRELS.items():
        topic, question, day = key.split("/")
        if any(judged.values()):
            gains[f"{topic}/{day}"][question] = max(judged.values())
    return gains


def in_lines(name, run):
    """A run in the track's form, its questions by their best scores, and its ranking of questions."""
    results, of_questions = defaultdict(lambda: defaultdict(list)), {}
    for key, docs in run.items():
        topic, question, day = key.split("/")
        if docs:
            documents = [{"doc_id": doc, "score": score} for doc, score in docs.items()]
            results[topic][day].append({"qid": question, "doc-ranking": documents})
    for topic, days in results.items():
        for day, items in days.items():
            items.sort(key=lambda item: -max(doc["score"] for doc in item["doc-ranking"]))
            for rank, item in enumerate(items):
                item["question-rank"] = rank
            of_questions[f"{topic}/{day}"] = {item["qid"]: -item["question-rank"] for item in items}
    lines = [{"runtag": name}, *({"topic": topic, "results": days} for topic, days in results.items())]
    return "".join(f"{json.dumps(line)}\n" for line in lines), of_questions


@pytest.fixture
def track(tmp_path, monkeypatch):
    """The current folder, with topics, qrels and runs of the track's forms."""
    monkeypatch.chdir(tmp_path)
    lines = (json.dumps({"tid": t, "questions": [{"qid": q} for q in asked]}) for t, asked in TOPICS.items())
    (tmp_path / "topics.jsonl").write_text("\n".join(lines))
    rows = (f"{key} 0 {doc} {gain}\n" for key, judged in QRELS.items() for doc, gain in judged.items())
    (tmp_path / "qrels").write_text("".join(rows))
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        (tmp_path / "runs" / f"{name}.run").write_text(in_lines(name, run)[0])
    return tmp_path


def scored(**options):
    return cdet.score("topics.jsonl", "qrels", "runs", **{"days": RANGE} | options)


@pytest.mark.filterwarnings("ignore:no judgments of questions")
def test_the_scores_are_those_of_the_naive_scorer(track):
    table = scored().to_pandas()
    assert list(table)[3:] == [
        "nDCGT(max_rel=10)",
        "APT(gain='linear',max_rel=10)",
        "RBPT(max_rel=10)",
        "RRT(gain='linear')",
    ]
    of_questions = question_qrels()
    for name, run in [*RUNS.items(), ("silent", {}), ("perfect", RUNS["oracle"])]:
        row = name if name == "perfect" else f"{name}.run"
        questions = of_questions if name == "perfect" else in_lines(name, run)[1]
        for ranked, qrels, lists in (("documents", QRELS, run), ("questions", of_questions, questions)):
            for names, means in naive_table(qrels, lists).items():
                key = (ranked, *names, *["all"] * (2 - len(names)))
                assert table.loc[(*key, row)].iloc[3:].tolist() == pytest.approx(means, abs=1e-12), (
                    key,
                    name,
                )


@pytest.mark.filterwarnings("ignore:run .dict.. none of its")
@pytest.mark.parametrize("name", RUNS)
def test_nothing_of_the_track_is_special_in_calc(name):
    results = calc(cdet.MEASURES, QRELS, RUNS[name], keys="topic/question/day")
    table = naive_table(QRELS, RUNS[name])
    assert list(results.aggregated.values()) == pytest.approx(table[()], abs=1e-12)
    for topic, means in results.by("topic").iterrows():
        assert means.tolist() == pytest.approx(table[topic,], abs=1e-12)


@pytest.mark.filterwarnings("ignore:no judgments of questions")
def test_skill_is_0_for_silence_and_1_for_the_oracle(track):
    table = scored().to_pandas().iloc[:, 3:]
    whole = table.xs(("all", "all"), level=("topic", "question"))
    for ranked in ("documents", "questions"):
        assert (whole.loc[ranked, "silent.run, skill"] == 0).all()
        assert (whole.loc[ranked, "always.run, skill"] < 0).all()
        means = whole.loc[ranked]
        skill = (means.loc["alert.run"] - means.loc["silent"]) / (means.loc["perfect"] - means.loc["silent"])
        assert means.loc["alert.run, skill"].tolist() == pytest.approx(skill.tolist())
    assert (whole.loc["documents", "oracle.run, skill"] == 1).all()
    nothing = [key for key, means in naive_table(QRELS, {}).items() if len(key) == 2 and set(means) == {1.0}]
    assert nothing
    assert table.loc[("documents", *nothing[0], "alert.run, skill")].isna().all()


@pytest.mark.filterwarnings("ignore:no judgments of questions")
def test_lists_are_counted(track):
    table = scored().to_pandas()
    nil = sum(not any(judged.values()) for judged in QRELS.values())
    empty = sum(not docs for docs in RUNS["alert"].values())
    assert table.loc["documents", "all", "all", "alert.run"].iloc[:3].tolist() == [120, nil, empty]
    assert table.loc["questions", "all", "all", "silent"].iloc[:3].tolist() == [
        40,
        40 - sum(map(bool, question_qrels().values())),
        40,
    ]
    assert str(scored()).startswith(f"Change Detection: 120 lists of documents, {nil} of them nil")


@pytest.mark.parametrize("form", ["dates", "documents", "list", "dict", "none"])
@pytest.mark.filterwarnings("ignore:no judgments of questions")
def test_days_have_several_forms(track, form):
    expected, days = scored().to_pandas(), [f"2024-01-{day:02}" for day in range(1, DAYS + 1)]
    dates = {f"other{day}": day for day in days}
    for key, judged in QRELS.items():
        dates |= dict.fromkeys((doc for doc, gain in judged.items() if gain), key.split("/")[2])
    if form == "dates":
        (track / "days").write_text("\n".join(days))
    if form == "documents":  # the qrels need no days then
        (track / "days").write_text("".join(f"{doc}\t{day}\n" for doc, day in dates.items()))
        lines = [line for line in (track / "qrels").read_text().splitlines() if not line.endswith(" 0")]
        (track / "qrels").write_text("".join(line.replace(line[5:16], "", 1) + "\n" for line in lines))
    if form == "none":
        ends = f"t1/q1/{days[0]} 0 x 0\nt1/q1/{days[-1]} 0 y 0\n"
        (track / "qrels").write_text((track / "qrels").read_text() + ends)
        with pytest.warns(match=f"no days are given: .* all days from {days[0]} to {days[-1]}"):
            found = scored(days=None)
    else:
        found = scored(days={"dates": "days", "documents": "days", "list": days, "dict": dates}[form])
    assert found.to_pandas().equals(expected)


def test_gains_of_questions_may_be_given(track):
    gains = question_qrels()
    gains["t1/2024-01-02"] = {"q2": 10}
    with pytest.warns(match="the gain of a question on a day is the highest gain of its documents") as warned:
        derived = scored().to_pandas()
    assert len(warned) == 1
    found = scored(question_qrels=gains).to_pandas()
    assert found.loc["documents"].equals(derived.loc["documents"])
    assert not found.loc["questions"].equals(derived.loc["questions"])
    assert scored(question_qrels=question_qrels()).to_pandas().equals(derived)


def add(track, topic="t1", day="2024-01-03", qid="q1", tag="mine"):
    item = {"qid": qid, "question-rank": 0, "doc-ranking": [{"doc_id": "a", "score": 1.0}]}
    lines = [{"runtag": tag}, {"topic": topic, "results": {day: [item]}}]
    (track / "my.run").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.mark.parametrize(("changed", "message"), [
    ({"topic": "t9"}, "run my.run, line 2, topic t9, 2024-01-03, question q1: the topics have no topic t9"),
    ({"day": "2024-02-01"}, "the collection has no day 2024-02-01; it has 2024-01-01 to 2024-01-20"),
    ({"qid": "q9"}, "topic t1 has no question q9; a question that the run proposes begins with its runtag"),
])  # fmt: skip
def test_a_run_stays_in_the_collection(track, command, changed, message):
    add(track, **changed)
    status, out, err = command("cdet", "topics.jsonl", "qrels", "my.run", "--days", RANGE)
    assert (status, out) == (2, "")
    assert message in err


def test_questions_of_the_run_are_counted(track, command):
    add(track, qid="mine-1")
    status, out, err = command("cdet", "topics.jsonl", "qrels", "my.run", "--days", RANGE, "--by", "all")
    assert status == 0
    assert "run my.run: 1 question of its own without judgments (for example mine-1), ranked 1 time." in err
    names = [line.split("\t")[3] for line in out.splitlines()]
    assert names == ["run", *["silent", "perfect", "my.run", "my.run, skill"] * 2]


@pytest.mark.parametrize(("words", "message"), [
    ("--days 2024-02-01..2024-01-01", "the first day comes after the last"),
    ("--days 2024-01-01..2024-01-02", "the collection has no day"),
    ("--days qrels", "is not a date"),
    ("--days none", "no such file"),
    ("-o qrels", "would be overwritten"),
    ("RBPT -m AP", "name the measures in one place"),
    ("-p 2 --format jsonl", "jsonl has all decimal places"),
    ("-m AQ", "There is no measure 'AQ'"),
])  # fmt: skip
def test_wrong_options_are_one_line(track, command, words, message):
    status, out, err = command("cdet", "topics.jsonl", "qrels", "runs", *words.split())
    assert (status, out) == (2, "")
    assert message in err.splitlines()[-1]


def test_the_command_prints_the_table(track, command):
    words = ["cdet", "topics.jsonl", "qrels", "runs/alert.run", "--days", RANGE]
    _, out, _ = command(*words, "--format", "csv", "-p", "-1")
    rows = list(csv.DictReader(io.StringIO(out)))
    with pytest.warns(match="no judgments of questions"):
        table = cdet.score("topics.jsonl", "qrels", ["runs/alert.run"], days=RANGE).to_pandas()
    assert len(rows) == table.size == (9 + 3) * 4 * 7
    for row in rows[::17]:
        column = next(name for name in table if name.startswith(row["measure"]))
        value = table.loc[(row["ranked"], row["topic"], row["question"], row["run"]), column]
        assert row["value"] == str(int(value) if column in ("lists", "nil", "empty") else value)
    for by, groups in (("topic", 6), ("all", 2)):
        assert len(command(*words, "--format", "csv", "--by", by)[1].splitlines()) == 1 + groups * 4 * 7
    text = command(*words, "--format", "table", "--by", "all")[1]
    assert text.split()[:8] == ["ranked", "topic", "question", "run", "lists", "nil", "empty", "nDCGT"]
    assert max(map(len, text.splitlines())) <= 80


def test_names_of_the_rows_are_free(track):
    (track / "silent").write_text((track / "runs" / "alert.run").read_text())
    with pytest.raises(InputError, match="run silent: a row of the table has this name"):
        cdet.score("topics.jsonl", "qrels", ["silent"], days=RANGE)


def test_what_is_ranked_is_a_choice(track):
    assert cdet.universe(TOPICS, "2024-01-01..2024-01-02", "questions") == [
        "t1/2024-01-01", "t1/2024-01-02", "t2/2024-01-01", "t2/2024-01-02",
    ]  # fmt: skip
    assert len(cdet.universe("topics.jsonl", RANGE)) == 120
    assert cdet.read_lists("runs/alert.run") == {key: docs for key, docs in RUNS["alert"].items() if docs}
    assert cdet.read_lists("runs/alert.run", "questions") == in_lines("alert", RUNS["alert"])[1]
    with pytest.raises(ParameterError, match="what='days' is unknown"):
        cdet.read_lists("runs/alert.run", "days")


@pytest.mark.parametrize(("line", "message"), [
    ("t9/q1/2024-01-03 0 a 1", "topic t9/q1/2024-01-03: the topics have no topic t9"),
    ("t1/q1/2024-02-03 0 a 1", "the collection has no day 2024-02-03; it has 2024-01-01 to 2024-01-20"),
    ("t1/q1/2024-01-03 0 a 11", "gain 11; the highest gain of the track is 10"),
    ("t1/q1 0 a 1", "2 keys; the 3 keys topic/question/day are needed"),
])  # fmt: skip
def test_qrels_stay_in_the_collection(track, line, message):
    (track / "qrels").write_text(f"{(track / 'qrels').read_text()}{line}\n")
    with pytest.raises(InputError, match=message):
        scored()


def test_gains_of_questions_stay_in_the_collection(track):
    message = "qrels of questions, topic t1/2024-02-01: the collection has no day 2024-02-01"
    with pytest.raises(InputError, match=message):
        scored(question_qrels={"t1/2024-02-01": {"q1": 1}})


def test_judged_questions_of_other_runs_count_in_the_ranking_of_questions(track):
    (track / "qrels").write_text(f"{(track / 'qrels').read_text()}t1/other-1/2024-01-03 0 a 10\n")
    with pytest.warns() as warned:
        table = scored().to_pandas()
    assert "ignored 1 question that the topics do not have (for example t1/other-1)" in str(warned[0].message)
    assert "other-1" not in table.index.get_level_values("question")
    assert table.loc["questions", "t1", "all", "perfect"].loc["RRT(gain='linear')"] == 1


@pytest.mark.parametrize("call", [
    lambda: cdet.universe(5, RANGE), lambda: cdet.universe({"t": "q1"}, RANGE),
    lambda: cdet.universe({"t/1": ["q"]}, RANGE), lambda: cdet.universe(TOPICS, 5),
    lambda: cdet.universe(TOPICS, [5]), lambda: cdet.universe(TOPICS, []),
    lambda: cdet.universe(TOPICS, {"d": 5}), lambda: cdet.read_lists(5),
    lambda: cdet.score(TOPICS, QRELS, 5), lambda: cdet.score(TOPICS, 5, "x"),
])  # fmt: skip
def test_other_arguments_are_refused(call):
    with pytest.raises(IrTruncError):
        call()
