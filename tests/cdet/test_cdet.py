"""The Change Detection track: a generated stream is checked and scored as independent code does."""

import csv
import gzip
import io
import json
import re
from collections import defaultdict
from functools import cache, partial
from itertools import pairwise, permutations
from math import log2
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from messages import refused

from ir_trunc import InputError, IrTruncError, ParameterError, calc, cdet, read_qrels, read_topics
from ir_trunc._inference.estimate import Estimate
from ir_trunc.synthetic import generated

DAYS = [f"2024-01-{day:02}" for day in range(1, 21)]
RANGE = f"{DAYS[0]}..{DAYS[-1]}"
QRELS, RUNS = generated.stream(topics=3, questions=3, days=len(DAYS), seed=6)
del RUNS["silent"]  # the name of a row of the table
TOPICS = {f"t{topic}": ["q1", "q2", "q3"] for topic in (1, 2, 3)}
HEAD = {"description": "d", "models": [], "extern": "none"}
NAMES = ["nDCGT", "APT", "RBPT", "RRT"]


def reference(grades, of_topic, terminal):
    """The track's measures with p = .5, from their definitions; grades are gains, and the end is worth m."""
    ideal = sorted((grade for grade in of_topic if grade > 0), reverse=True)
    m = 1.0 if terminal == "unit" or not ideal else ideal[-1]
    n, share = len(grades), sum(max(0, g) for g in grades) / sum(ideal) if ideal else 1.0

    def dcg(values):
        return sum(value / log2(rank + 1) for rank, value in enumerate(values, 1))

    def ap(values):
        return sum(value * sum(values[:rank]) / rank for rank, value in enumerate(values, 1))

    def rbp(values):
        return sum(0.5 * value * 0.5**place for place, value in enumerate(values)) + 0.5 ** len(values) * m

    of_list = rbp(grades) - 0.5**n * m * (1 - share)
    first = next((rank for rank, gain in enumerate(grades, 1) if gain), 0)
    return (
        dcg([*grades, share * m]) / dcg([*ideal, m][: n + 1]),
        ap([*grades, share * m]) / ap([*ideal, m]),
        of_list if terminal == "unit" else of_list / rbp(ideal),
        1 / first if first else float(not ideal) / (n + 1),
    )


def orders(scores):
    """All orders of a list, where documents with the same score are in any order."""
    levels = defaultdict(list)
    for doc, score in scores.items():
        levels[-score].append(doc)
    found = [[]]
    for level in sorted(levels):
        found = [[*before, *after] for before in found for after in permutations(levels[level])]
    return found


def reference_table(qrels, run, terminal="unit"):
    """{names of the group: mean scores}, over all orders of ties."""
    scores = {}
    for key, judged in qrels.items():
        each = [[judged.get(doc, 0) for doc in order] for order in orders(run.get(key, {}))]
        values = [reference(grades, judged.values(), terminal) for grades in each]
        scores[tuple(key.split("/"))] = tuple(map(fmean, zip(*values)))
    return nested(scores)


def nested(scores):
    """{names of the group: means}, of innermost means first."""
    table = dict(scores)
    while any(scores):
        inner = defaultdict(list)
        for names, values in scores.items():
            inner[names[:-1]].append(values)
        scores = {names: tuple(map(fmean, zip(*values))) for names, values in inner.items()}
        table |= scores
    return table


def question_qrels():
    gains = {f"{topic}/{day}": {} for topic in TOPICS for day in DAYS}
    for key, judged in QRELS.items():
        topic, question, day = key.split("/")
        if any(judged.values()):
            gains[f"{topic}/{day}"][question] = max(judged.values())
    return gains


def ranking_of_questions(run, rank=lambda place: place):
    """{topic/day: {question: -rank}}, by the best scores of the documents."""
    best = defaultdict(dict)
    for key, docs in run.items():
        topic, question, day = key.split("/")
        if docs:
            best[f"{topic}/{day}"][question] = max(docs.values())
    ordered = {key: sorted(of, key=lambda name: -of[name]) for key, of in best.items()}
    return {key: {name: -rank(place) for place, name in enumerate(of)} for key, of in ordered.items()}


def in_lines(tag, run, rank=lambda place: place, **head):
    """The lines of a run of the track's form; each date is named."""
    of_questions = ranking_of_questions(run, rank)
    lines = [HEAD | {"runtag": tag} | head]
    for topic in TOPICS:
        results = {}
        for day in DAYS:
            places = of_questions.get(f"{topic}/{day}", {}).items()
            results[day] = [in_ranking(run[f"{topic}/{q}/{day}"], q, -place) for q, place in places]
        lines.append({"topic": topic, "results": results})
    return lines


def write(path, lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def track(tmp_path, monkeypatch):
    """The current folder, with topics, qrels and runs of the track's forms."""
    monkeypatch.chdir(tmp_path)
    asked = ({"tid": topic, "questions": [{"qid": q} for q in of]} for topic, of in TOPICS.items())
    write(tmp_path / "topics.jsonl", asked)
    rows = (f"{key} 0 {doc} {gain}\n" for key, judged in QRELS.items() for doc, gain in judged.items())
    (tmp_path / "qrels").write_text("".join(rows))
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        write(tmp_path / "runs" / f"{name}.jsonl", in_lines(name, run))
    return tmp_path


def scored(runs="runs", **options):
    return cdet.score("topics.jsonl", "qrels", runs, **{"days": RANGE} | options)


@cache
def usual():
    """The scores of the track as it is, wherever it is first scored."""
    return scored().to_pandas()


@pytest.mark.parametrize("terminal", ["unit", "least"])
def test_the_scores_are_those_of_independent_code(track, terminal):
    write(track / "runs" / "tied.jsonl", in_lines("tied", RUNS["alert"], lambda place: 1))
    scores = scored(terminal=terminal)
    board, tables = scores.to_pandas(), [scores.by(key)[NAMES] for key in ("topic", "question", "day")]
    by = [dict(zip(table.index, table.to_numpy().tolist())) for table in tables]  # faster than its loc
    of_questions = question_qrels()
    runs = RUNS | {"silent": {}, "perfect": RUNS["oracle"], "tied": RUNS["alert"]}
    whole = {}
    for name, run in runs.items():
        rank = (lambda place: 1) if name == "tied" else (lambda place: place)
        questions = of_questions if name == "perfect" else ranking_of_questions(run, rank)
        for ranked, qrels, lists in (("documents", QRELS, run), ("questions", of_questions, questions)):
            table = reference_table(qrels, lists, terminal)
            for names, means in table.items():
                if not names:
                    whole[ranked, name] = board.loc[(ranked, name), NAMES]
                    found = whole[ranked, name].tolist()
                else:
                    keys = names if ranked == "documents" or len(names) < 2 else (names[0], "", names[1])
                    found = by[len(keys) - 1][(ranked, *keys, name)]
                assert found == pytest.approx(means, abs=1e-12), (ranked, name, names)
            values = np.array([table[topic,] for topic in TOPICS])
            if name not in ("silent", "perfect"):
                low = board.loc[(ranked, name), [f"{measure} low" for measure in NAMES]]
                expected = [Estimate(of_topics, (0, 1)).bound(0.025, upper=False) for of_topics in values.T]
                assert low.tolist() == pytest.approx(expected, abs=1e-9)
            news = {key: judged for key, judged in qrels.items() if any(judged.values())}
            with_news = board.loc[(ranked, name), [f"{measure} with news" for measure in NAMES]]
            assert with_news.tolist() == pytest.approx(reference_table(news, lists, terminal)[()], abs=1e-12)
            quiet = {tuple(key.split("/")): [float(not lists.get(key))] for key in qrels.keys() - news.keys()}
            assert board.loc[(ranked, name), "right silence"] == pytest.approx(nested(quiet)[()][0])
    for (ranked, name), means in whole.items():
        silent, perfect = whole[ranked, "silent"], whole[ranked, "perfect"]
        skill = board.loc[(ranked, name), [f"{measure} skill" for measure in NAMES]]
        assert skill.tolist() == pytest.approx(((means - silent) / (perfect - silent)).tolist())
        pairs = scores.pairs()
        for row in pairs[(pairs["ranked"] == ranked) & (pairs["system"] == name)].itertuples():
            short = row.measure.partition("(")[0]
            assert row.difference == pytest.approx(means[short] - whole[ranked, row.other][short])


def test_the_order_of_the_file_may_decide_ties_and_double_precision_does(track):
    write(track / "tied.jsonl", in_lines("tied", RUNS["alert"], lambda place: 1))
    board = scored(["runs/alert.jsonl", "tied.jsonl"], ties="file").to_pandas()
    assert board.loc[("questions", "alert")].equals(board.loc[("questions", "tied")])
    run = {"t1/q1/2024-01-02": {"wrong": 0.5, "right": 0.5 + 1e-12}}
    write(track / "near.jsonl", in_lines("near", run))
    scores = cdet.score(TOPICS, {"t1/q1/2024-01-02": {"right": 1}}, "near.jsonl", days=RANGE, measures="RR")
    assert scores.by("day").loc[("documents", "t1", "q1", "2024-01-02", "near"), "RR"] == 1


def test_the_first_line_names_what_was_assumed_and_runs_are_in_order(track):
    found = scored()
    text = str(found)
    assert text.startswith("Literal convention (grades as gains, end worth one unit, p = .5, RR binary)")
    assert "highest of its documents" in " ".join(text.split("\n\n")[0].split())
    board = found.to_pandas().loc["documents"]
    assert all(one >= other for one, other in pairwise(board["nDCGT"][:-2]))
    assert list(board.index[-2:]) == ["silent", "perfect"]
    assert (board.loc["silent", [f"{name} skill" for name in NAMES]] == 0).all()
    assert str(scored(terminal="least")).startswith("Bounded convention")
    own = scored(measures="AP RBPT(p=0.5)")
    assert list(own.to_pandas())[::7] == ["AP", "RBPT(p=0.5)", "right silence"]
    assert "letters" in text.lower()
    assert "No mark where fewer than 6 topics differ." in str(scored(baseline="alert"))
    assert re.findall(r"\\label{tab:x-(\d)}", found.to_latex("tab:x")) == ["1", "2", "3", "4"]
    assert "right silence" in found.to_markdown()
    assert "\n| silent | " in found.to_markdown()
    assert "\nsilent & " in found.to_latex()


@pytest.mark.parametrize("form", ["dates", "documents", "list", "dict", "none"])
def test_days_have_several_forms(track, form):
    expected = usual()
    dates = {f"other{day}": day for day in DAYS}
    for key, judged in QRELS.items():
        dates |= dict.fromkeys((doc for doc, gain in judged.items() if gain), key.split("/")[2])
    for run in RUNS.values():
        dates |= {doc: key.split("/")[2] for key, docs in run.items() for doc in docs if doc not in dates}
    if form == "dates":
        (track / "days").write_text("\n".join(DAYS))
    if form == "documents":  # the qrels need no days then
        (track / "days").write_text("".join(f"{doc}\t{day}\n" for doc, day in dates.items()))
        lines = [line for line in (track / "qrels").read_text().splitlines() if not line.endswith(" 0")]
        (track / "qrels").write_text("".join(line.replace(line[5:16], "", 1) + "\n" for line in lines))
    if form in ("documents", "dict"):
        (track / "runs" / "late.jsonl").unlink()  # its documents are of the day before
        expected = expected.drop("late", level=1)
    if form == "none":
        ends = f"t1/q1/{DAYS[0]} 0 x 0\nt1/q1/{DAYS[-1]} 0 y 0\n"
        (track / "qrels").write_text((track / "qrels").read_text() + ends)
        with pytest.warns(match=f"no days are given: .* all days from {DAYS[0]} to {DAYS[-1]}"):
            found = scored(days=None)
    else:
        found = scored(days={"dates": "days", "documents": "days", "list": DAYS, "dict": dates}[form])
    assert np.allclose(found.to_pandas(), expected, equal_nan=True)


def planted(change):
    """The lines of a valid run in which something was changed."""
    lines = in_lines("mine", RUNS["oracle"])
    return change(lines) or lines


def in_day(change):
    """A change of the questions of a day that has some."""

    def changed(lines):
        day = next(day for day, questions in lines[1]["results"].items() if len(questions) == 1)
        change(lines[1]["results"][day], lines[1]["results"][day][0])

    return changed


def of_head(**changes):
    """A change of the first line; None takes a name out."""

    def changed(lines):
        lines[0] = {name: value for name, value in (lines[0] | changes).items() if value is not None}

    return changed


def documents(change):
    """A change of the documents of such a day's question."""
    return in_day(lambda day, item: change(item["doc-ranking"]))


def of_question(**changes):
    """A change of such a day's question."""
    return in_day(lambda day, item: item.update({name.replace("_", "-"): of for name, of in changes.items()}))


PASSES = r"; the organisers' checker lets it pass\.$"
OF_FORM = {  # which need no collection to be found
    "a tag that is empty": (of_head(runtag=""), "line 1: runtag is '', not the name of a run"),
    "a topic twice": (lambda lines: [*lines, lines[1]], r"line 5: topic t1 has a line already \(.*line 2\)"),
    "a line without topic": (lambda lines: [*lines, {"results": {}}], "line 5: topic is missing"),
    "a line that is a list": (lambda lines: [*lines, ["topic"]],
     'line 5: an object with "topic" and "results" is needed'),
    "a day without results": (lambda lines: lines[1]["results"].update({DAYS[0]: {"extra": 1}}),
     "line 2, topic t1, 2024-01-01: results is missing"),
    "a question twice": (in_day(lambda day, item: day.append(item)), f"results of this day twice{PASSES}"),
    "two names of a field": (in_day(lambda day, item: item.update(question_rank=0)),
     "question q.: question-rank and question_rank stand for the same field"),
    "a question with a slash": (of_question(qid="q/1"), "question 'q/1': an id without '/' is needed"),
    "a rank below 0": (of_question(question_rank=-1),
     rf"question-rank is -1, not a whole number from 0 on{PASSES}"),
    "a rank as a text": (of_question(question_rank="1"), f"question-rank is '1', not .*{PASSES}"),
    "a rank that is a word": (of_question(question_rank="x"), r"not a whole number from 0 on\.$"),
    "a rank that is null": (of_question(question_rank=None), r"question-rank is null, not .* 0 on\.$"),
    "documents that are null": (of_question(doc_ranking=None), "doc-ranking is null, not a list of doc"),
    "documents as an object": (of_question(doc_ranking={"a": 1}), "doc-ranking is {'a': 1}, not a list of"),
    "a document twice": (documents(lambda docs: docs.append(docs[0])),
     "document .*: it is in the list twice"),
    "too many documents": (
     documents(lambda docs: docs.extend({"doc_id": f"n{n}", "score": -n} for n in range(100))),
     "10. documents; at most 100 are allowed"),
    "a score as a text": (documents(lambda docs: docs[0].update(score="0.5")),
     rf"document .*: score is '0.5', not a finite number{PASSES}"),
    "a score that is a word": (documents(lambda docs: docs[0].update(score="high")), r"a finite number\.$"),
    "a score that is True": (documents(lambda docs: docs[0].update(score=True)), "score is True, not"),
    "a score that is infinite": (documents(lambda docs: docs[0].update(score=1e999)),
     "line 2 cannot be read as JSON"),
    "a document without score": (documents(lambda docs: docs[0].pop("score")),
     "score is missing; it has: 'doc_id'"),
    "a document that is a text": (documents(lambda docs: docs.append("a")),
     'an object with "doc_id" and "score" is needed, not str'),
    "an empty id": (documents(lambda docs: docs.append({"doc_id": "", "score": 0})),
     "doc_id is '', not an id"),
    "an id that is no text": (documents(lambda docs: docs.append({"doc_id": "\ud800", "score": 0})),
     "is not text that UTF-8 can hold"),
} | {
    f"the date {day}": (lambda lines, day=day: lines[1]["results"].update({day: []}),
     f"line 2, topic t1: '{day}' is not a date; YYYY-MM-DD is needed")
    for day in ("2024-02-30", "2024-1-1", "today", "20240101")
}  # fmt: skip
MISTAKES = OF_FORM | {
    "a tag that is too long": (of_head(runtag="m" * 21), "line 1: runtag 'm.*at most 20 letters"),
    "a head without models": (of_head(models=None), "line 1: models is missing"),
    "an extern that is no text": (of_head(extern=False), "line 1: extern is False, not text"),
    "models that are one text": (of_head(models="m"), "line 1: models is 'm', not a list of texts"),
    "another run_type": (of_head(run_type="both"), "line 1: run_type is 'both', not 'manual' or"),
    "a missing topic": (lambda lines: lines[:-1], "1 topic missing, t3;"),
    "an unknown topic": (lambda lines: [*lines, {"topic": "t9", "results": {}}],
     f"line 5, topic t9: .* no topic t9{PASSES}"),
    "missing dates": (lambda lines: [lines[1]["results"].pop(day) for day in DAYS[:6]] and None,
     "line 2, topic t1: 6 dates missing, 2024-01-01, .*-05, ...; write an empty list"),
    "a date of another year": (lambda lines: lines[1]["results"].update({"2023-01-01": []}),
     "line 2, .* no day 2023-01-01; it has 2024"),
    "another topic's question": (of_question(qid="q9"),
     "question q9: topic t1 has no question q9; a question that"),
    "a document of another day": (documents(lambda docs: docs.append({"doc_id": "moved", "score": 0})),
     f"document moved: it is of {DAYS[0]}"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_planted_mistake_is_found_and_no_other(track, mistake):
    """With the place where it is, as an error of the run that is read alone, too."""
    change, message = MISTAKES[mistake]
    docs = {doc: key.split("/")[2] for key, run in RUNS["oracle"].items() for doc in run} | {"moved": DAYS[0]}
    options = {"days": RANGE} | ({"docs": docs} if "another day" in mistake else {})
    write(track / "good.jsonl", planted(lambda lines: None))
    head, *lines = planted(change)
    write(track / "bad.jsonl", [head | ({} if "tag" in mistake else {"runtag": "other"}), *lines])
    found = cdet.check_runs("topics.jsonl", ["good.jsonl", "bad.jsonl"], **options)
    assert not found.errors["good.jsonl"]
    (error,) = found.errors["bad.jsonl"]
    place = "" if "line" in message or mistake not in OF_FORM else r"line 2, topic t1, 2024-01-\d\d.*"
    assert re.search(f"^run bad.jsonl.*{place}{message}", error), error
    assert "question-rank" not in str(found.warnings["bad.jsonl"])
    assert "without documents" not in str(found.warnings)
    if mistake in OF_FORM:
        refused(InputError, f"^run bad.jsonl, .*{message}", calc, "RR", QRELS, "bad.jsonl")


def test_lines_that_cannot_be_read_are_not_taken_for_missing_topics(track):
    lines = Path("runs/oracle.jsonl").read_text().splitlines()
    files = {
        "nan": [lines[0], lines[1].replace('"score": ', '"score": NaN', 1), *lines[2:]],
        "indented": json.dumps(lines, indent=1).splitlines(),
        "empty": [],
    }
    for name, text in files.items():
        Path(name).write_text("\n".join(text))
    found = cdet.check_runs(TOPICS, [*files, "none"], days=RANGE)
    messages = {name: message for name, (message,) in found.errors.items()}  # each has one
    assert "NaN" in messages["nan"]
    assert messages["indented"].startswith("run indented, line 1 cannot be read as JSON")
    assert "empty: a line with runtag" in messages["empty"]
    assert "there is no such file" in messages["none"]


def in_schema(lines):
    """The same run in the form that the organisers' types have."""
    head, *topics = lines
    for content in topics:
        for day, questions in content["results"].items():
            of_day = [
                {"qid": q["qid"], "question_rank": q["question-rank"], "question_text": None}
                | {"doc_ranking": q["doc-ranking"]}
                for q in questions
            ]
            content["results"][day] = {"results": of_day}
    return [head | {"run_type": "automatic"}, *topics]


def of_item(**changes):
    """A change of a question in the organisers' form; None takes a name out."""

    def changed(lines):
        item = next(day["results"] for day in lines[1]["results"].values() if day["results"])[0]
        item.update(changes)
        for name in [name for name, value in changes.items() if value == "out"]:
            del item[name]

    return changed


UNSCHEMED = {
    "a run without run_type": lambda lines: lines[0].pop("run_type"),
    "extra whose values are not all text": lambda lines: lines[0].update(extra={"a": 1}),
    "a question without question_text": of_item(question_text="out"),
    "a doc_id that is no text": lambda lines: of_item(doc_ranking=[{"doc_id": 7, "score": 1}])(lines),
    "extra that is no object": of_item(extra=["a"]),
    "a runtag of one character": lambda lines: lines[0].update(runtag="m"),
}


def test_both_forms_are_the_same_run_as_a_dict(track):
    lines, lists = in_lines("alert", RUNS["alert"]), {key: of for key, of in RUNS["alert"].items() if of}
    scored_by = partial(calc, "RBPT(max_rel=10) RR", QRELS, keys="topic/question/day", missing="empty")
    write(track / "toolkit.run", in_schema(in_lines("alert", RUNS["alert"])))
    (track / "packed.gz").write_bytes(gzip.compress((track / "toolkit.run").read_bytes()))
    write(track / "plain.run", lines)
    for path in ("plain.run", "toolkit.run", "packed.gz"):
        assert scored_by(path).to_pandas().equals(scored_by(lists).to_pandas())


@pytest.mark.parametrize("what", UNSCHEMED)
def test_what_the_organisers_schema_refuses_is_a_warning(track, what):
    lines = in_schema(in_lines("mine", RUNS["oracle"]))
    write(track / "good.jsonl", lines)
    UNSCHEMED[what](lines)
    write(track / "odd.jsonl", [lines[0] | ({} if "runtag" in what else {"runtag": "odd"}), *lines[1:]])
    found = cdet.check_runs(TOPICS, ["good.jsonl", "odd.jsonl"], days=RANGE)
    assert found.valid
    assert not any("schema" in each for each in found.warnings["good.jsonl"])
    assert sum(f"schema refuses {what}" in each for each in found.warnings["odd.jsonl"]) == 1


def test_the_skill_has_an_interval_over_topics(track):
    scores = scored(["runs/alert.jsonl", "runs/always.jsonl"])
    table, by_topic = (of.loc["documents"] for of in (scores.to_pandas(), scores.by("topic")["RBPT"]))
    by_topic = by_topic.unstack()
    part, whole = by_topic["always"] - by_topic["silent"], by_topic["perfect"] - by_topic["silent"]
    skill = part.sum() / whole.sum()
    low = Estimate((skill + (part - skill * whole) / whole.mean()).to_numpy()).student()[0]
    assert table.loc["always", "RBPT skill"] == pytest.approx(part.sum() / whole.sum())
    assert table.loc["always", "RBPT skill low"] == pytest.approx(low)
    assert skill < table.loc["always", "RBPT skill high"] <= 1
    assert table.loc[["silent", "perfect"], "RBPT skill low"].isna().all()
    assert "of the skill, by topic (BCa bootstrap; of fewer than 10" in " ".join(str(scores).split())
    assert scores.plot().get_xlabel().endswith("dotted: silent")


def test_all_errors_of_all_runs_are_listed_by_cause_up_to_50_and_tags_are_distinct(track):
    lines = in_lines("mine", RUNS["always"])
    of_day = [question for questions in lines[1]["results"].values() for question in questions]
    for item in of_day:
        item["doc-ranking"].append(item["doc-ranking"][0])
    write(track / "many.jsonl", lines + [{"topic": "x" * n, "results": {}} for n in range(1, 60)])
    write(track / "tied.jsonl", in_lines("mine", RUNS["alert"], lambda place: 1))
    found = cdet.check_runs(TOPICS, ["many.jsonl", "tied.jsonl"], days=RANGE)
    assert len(found.errors["many.jsonl"]) == 50
    assert f"it is in the list twice ({len(of_day)} times)." in found.errors["many.jsonl"][1]
    assert found.errors["tied.jsonl"] == ["run tied.jsonl, line 1: runtag mine is that of many.jsonl, too."]
    assert any("questions have the same question-rank" in each for each in found.warnings["tied.jsonl"])
    assert str(found).startswith("0 of 2 runs valid, checked against 3 topics and 20 days (2024-01-01")
    assert "1093 days" in cdet.check_runs(TOPICS, "tied.jsonl").against
    assert set(found.to_pandas()["kind"]) == {"error", "warning"}


def test_errors_without_a_colon_have_causes_too(track):
    write(track / "mine.jsonl", in_lines("mine", RUNS["always"]))
    with (track / "mine.jsonl").open("ab") as file:
        file.write(b'{"topic": "\xff"}\n' * 2 + b'{"topic": ' + b"[" * 100_000 + b"\n")
    errors = cdet.check_runs(TOPICS, "mine.jsonl", days=RANGE).errors["mine.jsonl"]
    assert [error.split(", line ")[1][2:] for error in errors] == [
        "is not UTF-8 text (2 times).", "is nested too deeply to be read."
    ]  # fmt: skip


def test_the_valid_runs_of_several_are_scored(track):
    write(track / "runs" / "bad.jsonl", in_lines("bad", RUNS["alert"])[:2])
    said = r"run bad.jsonl is not valid, and not scored: .*2 topics missing, t2, t3;.*1 error"
    with pytest.warns(match=said):
        scores = scored()
    assert list(scores.invalid) == ["bad.jsonl"]
    assert str(scores).endswith("Not scored, since it is invalid: bad.jsonl (1 error).")
    write(track / "again.jsonl", in_lines("alert", RUNS["alert"]))
    with pytest.raises(InputError, match=r"alert.jsonl, line 1: runtag alert is that of again.jsonl, too"):
        scored(["runs/alert.jsonl", "again.jsonl"])
    with pytest.warns(match=r"runtag alert is that of"):
        scores = scored(["again.jsonl", "runs/always.jsonl", "runs/alert.jsonl"])
    assert scores.comparisons["documents"].systems == ("always",)
    assert [*scores.invalid] == ["again.jsonl", "alert.jsonl"]
    said = cdet.check_runs(TOPICS, ["again.jsonl", "runs/alert.jsonl"], days=RANGE).errors
    assert [len(errors) for errors in said.values()] == [1, 1]
    write(track / "silent.jsonl", in_lines("silent", {}))
    refused(InputError, "runtag silent is the name of a row of the table", scored, "silent.jsonl")
    assert not cdet.check_runs(TOPICS, "silent.jsonl", days=RANGE).valid


def test_dates_that_are_not_named_may_be_ties_or_silence(track):
    lines = in_lines("mine", RUNS["oracle"])
    lines[1:] = [lines[1] | {"results": {DAYS[0]: []}}]
    write(track / "mine.jsonl", lines)
    refused(InputError, r"topic t1: 19 dates missing, 2024-01-02, .*2 errors", scored, "mine.jsonl")
    days = {absent: scored("mine.jsonl", absent=absent).calendar("t1") for absent in ("empty", "tied")}
    assert days["empty"]["mine"].sum() == 0
    assert days["tied"]["mine"].tolist() == [False] + [True] * 19
    assert days["tied"]["news"].tolist() == [bool(question_qrels()[f"t1/{day}"]) for day in DAYS]
    silent, tied = (scored("mine.jsonl", absent=absent) for absent in ("empty", "tied"))
    assert silent.to_pandas().loc["documents"].equals(tied.to_pandas().loc["documents"])
    expected = {key: dict.fromkeys(TOPICS["t1"], 0) for key in question_qrels() if key != f"t1/{DAYS[0]}"}
    found = tied.to_pandas().loc[("questions", "mine"), NAMES].tolist()
    assert found == pytest.approx(reference_table(question_qrels(), expected)[()], abs=1e-12)
    assert "dates that a run does not name are tied" in tied.heading
    refused(InputError, "topic t9: the topics have no topic t9", tied.calendar, "t9")


def test_questions_that_a_run_proposed_are_known_on_later_dates(track):
    lines = in_lines("mine", {})
    lines[1]["results"] = {DAYS[4]: [in_ranking({"x": 1.0}, "mine-1")]}
    write(track / "mine.jsonl", lines)
    with pytest.warns(match="1 question of its own without judgments"):
        table = scored("mine.jsonl", absent="tied").to_pandas()
    ranked = {f"t1/{day}": dict.fromkeys(TOPICS["t1"], 0) for day in DAYS}
    ranked[f"t1/{DAYS[4]}"] = {"mine-1": 0}
    for day in DAYS[5:]:
        ranked[f"t1/{day}"]["mine-1"] = 0
    expected = reference_table(question_qrels(), ranked)[()]
    assert table.loc[("questions", "mine"), NAMES].tolist() == pytest.approx(expected, abs=1e-12)


NAMES_OF_FIELDS = (
    "topic qid day gain", "tid qid date rel", "topic_id question_id day rel_grade", "topic qid day relevance"
)  # fmt: skip


@pytest.mark.parametrize("names", NAMES_OF_FIELDS)
def test_judgments_may_be_json_lines(track, names):
    topic, question, day, gain = names.split()
    judged = [(*key.split("/"), doc, x) for key, of in QRELS.items() for doc, x in of.items()]
    fields = (topic, question, day, "doc_id", gain)
    write(track / "qrels", [dict(zip(fields, row)) for row in judged])
    assert scored().to_pandas().equals(usual())
    of_questions = [(*key.split("/"), q, x) for key, of in question_qrels().items() for q, x in of.items()]
    write(track / "questions", [{topic: t, day: d, question: q, gain: x} for t, d, q, x in of_questions])
    assert scored(question_qrels="questions").to_pandas().equals(usual())
    write(track / "qrels", [{topic: "t1", question: "q1", day: DAYS[0], "doc_id": "a", gain: 1.5}])
    refused(InputError, r"qrels, line 1: gain is 1.5, not a whole number", scored)


def test_gains_of_questions_may_be_given(track):
    gains = question_qrels()
    gains["t1/2024-01-02"] = {"q2": 10}
    derived, found = scored().to_pandas(), scored(question_qrels=gains).to_pandas()
    assert "highest" not in scored(question_qrels=gains).heading
    assert found.loc["documents"].equals(derived.loc["documents"])
    assert not found.loc["questions"].equals(derived.loc["questions"])
    assert scored(question_qrels=question_qrels()).to_pandas().equals(derived)


def test_questions_of_the_run_are_counted_and_those_of_other_runs_count(track):
    lines = in_lines("mine", RUNS["oracle"])
    in_day(lambda day, item: item.update(qid="mine-1"))(lines)
    write(track / "my.jsonl", lines)
    said = r"run mine: 1 question of its own without judgments \(for example mine-1\), ranked 1 time"
    with pytest.warns(match=said):
        scored("my.jsonl")
    (track / "qrels").write_text(f"{(track / 'qrels').read_text()}t1/other-1/2024-01-03 0 a 10\n")
    with pytest.warns(match=r"ignored 1 question that the topics do not have \(for example t1/other-1\)"):
        table = scored().by("day")
    assert "other-1" not in table.index.get_level_values("question")
    assert table.loc[("questions", "t1", "", "2024-01-03", "perfect"), "RRT"] == 1


@pytest.mark.parametrize(("line", "message"), [
    ("t9/q1/2024-01-03 0 a 1", "topic t9/q1/2024-01-03: the topics have no topic t9"),
    ("t1/q1/2024-02-03 0 a 1", "the collection has no day 2024-02-03; it has 2024-01-01 to 2024-01-20"),
    ("t1/q1/2024-01-03 0 a 11", "gain 11; the highest gain of the track is 10"),
    ("t1/q1 0 a 1", "2 keys; the 3 keys topic/question/day are needed"),
])  # fmt: skip
def test_qrels_stay_in_the_collection(track, line, message):
    (track / "qrels").write_text(f"{(track / 'qrels').read_text()}{line}\n")
    refused(InputError, message, scored)
    said = "qrels of questions, topic t1/2024-02-01: the collection has no day"
    with pytest.raises(InputError, match=said):
        cdet.score(TOPICS, QRELS, "runs", days=RANGE, question_qrels={"t1/2024-02-01": {"q1": 1}})


def test_gains_that_no_run_can_earn_are_refused_and_odd_ones_are_reported(track):
    write(track / "mine.jsonl", in_lines("mine", {}))
    key, dates = f"t1/q1/{DAYS[0]}", {f"d{day}": day for day in DAYS}
    with pytest.raises(InputError, match=f"topic {key}, document d{DAYS[1]}: it is of {DAYS[1]}"):
        cdet.score(TOPICS, {key: {f"d{DAYS[1]}": 1}}, "mine.jsonl", days=dates)
    with pytest.raises(InputError, match=f"topic {key}, document x: the days have no date for it"):
        cdet.score(TOPICS, {key: {"x": 1}}, "mine.jsonl", days=dates)
    with pytest.raises(InputError, match="the 3 keys topic/question/day are needed"):
        cdet.score(TOPICS, {"t1": {"x": 1}}, "mine.jsonl", days=dates)
    with pytest.warns(match="qrels: gains 2, 3 are not of the track's scale 0, 1, 5, 10"):
        cdet.score(TOPICS, {key: {"a": 2, "b": 3}}, "mine.jsonl", days=RANGE)
    with pytest.warns(match=r"1 question that the topics do not have \(for example t1/q9\)"):
        scored("mine.jsonl", question_qrels={f"t1/{DAYS[0]}": {"q9": 1}})


def test_a_document_has_one_date(track):
    (track / "days").write_text(f"a\t{DAYS[0]}\nb\t{DAYS[0]}\na\t{DAYS[0]}\na\t{DAYS[1]}\n")
    refused(InputError, f"line 4: document a is of {DAYS[0]} in a line above", cdet.universe, TOPICS, "days")


def test_a_day_far_from_the_others_is_refused_before_there_are_millions_of_lists(track):
    far = QRELS | {"t1/q1/2042-01-03": {"a": 1}}
    with pytest.raises(InputError, match="qrels: 2024-01-20 and 2042-01-03 are 6,558 days apart"):
        cdet.score(TOPICS, far, "runs")
    with pytest.raises(InputError, match="days: 2024-01-01 and 2042-01-03 are"):
        cdet.universe(TOPICS, ["2024-01-01", "2042-01-03"])
    with pytest.raises(InputError, match="at most 20,000,000 can be scored"):
        cdet.score({"t": [f"q{n}" for n in range(900)]}, QRELS, "runs", days="1924-01-01..2024-01-01")


def test_what_is_ranked_and_ragtime1(track):
    assert cdet.universe(TOPICS, "2024-01-01..2024-01-02", "questions")[:3] == [
        "t1/2024-01-01", "t1/2024-01-02", "t2/2024-01-01",
    ]  # fmt: skip
    days = [key.rpartition("/")[2] for key in cdet.universe({"t": ["q"]}, "ragtime1")]
    assert (len(days), days[0], days[-1]) == (1093, "2021-08-01", "2024-07-31")
    assert not {"2023-10-24", "2023-10-25", "2023-10-26"} & {*days}
    assert cdet.read_lists("runs/alert.jsonl") == {key: docs for key, docs in RUNS["alert"].items() if docs}
    assert cdet.read_lists("runs/alert.jsonl", "questions") == ranking_of_questions(RUNS["alert"])
    refused(ParameterError, "what='days' is unknown", cdet.read_lists, "runs/alert.jsonl", "days")


@pytest.mark.parametrize("call", [
    lambda: cdet.universe(5, RANGE), lambda: cdet.universe({"t": "q1"}, RANGE),
    lambda: cdet.universe({"t/1": ["q"]}, RANGE), lambda: cdet.universe(TOPICS, 5),
    lambda: cdet.universe({}, RANGE), lambda: cdet.universe({"t": []}, RANGE),
    lambda: cdet.universe({"t": ["q", "q"]}, RANGE), lambda: cdet.universe({1: ["q"], "1": ["r"]}, RANGE),
    lambda: cdet.universe(TOPICS, [5]), lambda: cdet.universe(TOPICS, []),
    lambda: cdet.universe(TOPICS, {"d": 5}), lambda: cdet.read_lists(5),
    lambda: cdet.score(TOPICS, QRELS, 5), lambda: cdet.score(TOPICS, 5, "x"),
    lambda: cdet.check_runs(TOPICS, "x", docs="2024-01-01"),
    lambda: cdet.score(TOPICS, QRELS, "x", ties="id"),
    lambda: cdet.score(TOPICS, QRELS, "x", measures="AP", terminal="least"),
])  # fmt: skip
def test_other_arguments_are_refused(call):
    with pytest.raises(IrTruncError):
        call()


def test_false_alarms_on_days_without_judgments_are_free_in_general_and_a_warning_says_so(track):
    qrels = {f"t/q/{DAYS[0]}": {"a": 1}}
    runs = {"right": {f"t/q/{DAYS[0]}": {"a": 1.0}}}
    runs["alarm"] = runs["right"] | {f"t/q/{DAYS[1]}": {"x": 2.0, "y": 1.0}}
    keys = "topic/question/day"
    assert calc("RBPT", qrels, runs["right"], keys=keys).aggregated["RBPT"] == 1
    with pytest.warns(match=r"costs it nothing: name all lists by topics=, .*`ir_trunc cdet`"):
        assert calc("RBPT", qrels, runs["alarm"], keys=keys).aggregated["RBPT"] == 1
    for name, run in runs.items():
        results = {key.split("/")[2]: [in_ranking(docs)] for key, docs in run.items()}
        write(track / f"{name}.jsonl", [HEAD | {"runtag": name}, {"topic": "t", "results": results}])
    options = {"days": DAYS[:2], "measures": "RBPT", "absent": "empty"}
    board = cdet.score({"t": ["q"]}, qrels, ["right.jsonl", "alarm.jsonl"], **options).to_pandas()
    assert board.loc["documents", "RBPT"].round(4)[["right", "alarm"]].tolist() == [1, 0.82]


def test_other_ids_are_not_told_of_change_detection():
    with pytest.warns(match=r"costs it nothing: name all lists by topics=\.$"):
        calc("RR", {"se/1": {"a": 1}}, {"se/1": ["a"], "se/2": ["a"]}, keys="country/query")


def in_ranking(docs, question="q", rank=0):
    """A question of a day with its documents."""
    documents = [{"doc_id": doc, "score": score} for doc, score in docs.items()]
    return {"qid": question, "question-rank": rank, "doc-ranking": documents}


def ran(command, words, status=0):
    found, out, err = command("cdet", *words.split(), "--days", RANGE)
    assert found == status, err
    return out, err


def test_the_calendar_has_a_sign_for_each_day_of_a_run(track):
    """Questions are reported on days with news and without: all four signs, in the order of the days."""
    scores, news, seen = scored(), question_qrels(), set()
    page = scores.page()
    for topic in TOPICS:
        lines = page.partition(f'aria-label="Calendar of {topic}"')[2].partition("<pre>")[2].splitlines()[1:]
        signs = dict(line.split() for line in lines[: 1 + len(RUNS)])
        assert signs["news"] == "".join("●" if news[f"{topic}/{day}"] else "·" for day in DAYS)
        for name, run in RUNS.items():
            reported = ranking_of_questions(run)
            of_days = [(bool(news[f"{topic}/{day}"]), f"{topic}/{day}" in reported) for day in DAYS]
            expected = {(1, 1): "●", (1, 0): "○", (0, 1): "✕", (0, 0): "·"}
            assert signs[name] == "".join(expected[each] for each in of_days), name
            seen |= set(of_days)
    assert len(seen) == 4
    hidden = 0  # false alarms of a question on days with news for another one
    for question in (f"{topic}/{name}" for topic in TOPICS for name in TOPICS[topic]):
        table, of_topic = scores.calendar(question), scores.calendar(question.partition("/")[0])
        keys = [f"{question}/{day}" for day in DAYS]
        assert table["news"].tolist() == [any(QRELS[key].values()) for key in keys]
        for name, run in RUNS.items():
            assert table[name].tolist() == [bool(run.get(key)) for key in keys]
            hidden += (table[name] & ~table["news"] & of_topic["news"]).sum()
    assert hidden > 0


def test_the_commands_check_score_and_draw(track, command):
    two = "topics.jsonl qrels runs/alert.jsonl runs/always.jsonl"
    assert "2 of 2 runs valid" in ran(command, "check topics.jsonl runs/alert.jsonl runs/always.jsonl")[0]
    with_csv, said = ran(command, f"{two} --format csv -p -1")
    assert said.startswith("Literal convention")
    rows = list(csv.DictReader(io.StringIO(with_csv)))
    scores = scored(["runs/alert.jsonl", "runs/always.jsonl"])
    assert [float(row["nDCGT"]) for row in rows] == scores.to_pandas()["nDCGT"].tolist()
    assert [row["run"] for row in rows][:4] == ["alert", "always", "silent", "perfect"]
    assert json.loads(ran(command, f"{two} --format json")[0])[2]["nDCGT low"] is None
    assert ran(command, f"{two} --format table")[0] == f"{scores}\n"
    assert ran(command, f"{two} --format latex")[0] == f"{scores.to_latex()}\n"
    assert ran(command, f"{two} --format html -p -1")[0] == f"{scores.to_html(15)}\n"
    assert ran(command, f"{two} --by day --format csv")[0].count("\n") == 1 + (9 + 3) * len(DAYS) * 4
    assert DAYS[-1] in ran(command, f"{two} --by day --format table")[0]
    pairs = ran(command, f"{two} --pairs --format csv --baseline always --correction none")[0]
    assert "always,0.1" not in pairs
    assert "RBPT(p=0.9)" in ran(command, f"{two} RBPT(p=0.9) --format csv")[0]
    assert "Bounded" in ran(command, f"{two} --terminal least --ties file --absent empty --format table")[0]
    ran(command, f"{two} --plot board.svg -o board.md")
    ran(command, f"{two} --plot days.svg --calendar t1 -o board.tex")
    assert "news on " in (track / "days.svg").read_text()
    status, _, err = command("report", *two.split(), "-o", "page.html", "--days", RANGE)
    assert (status, err) == (0, "")
    page = (track / "page.html").read_text(encoding="utf-8")
    assert page.count("Literal convention") == str(scores).count("Literal convention") == 1
    assert page.count('aria-label="Calendar of t') == len(TOPICS)
    write(track / "runs" / "bad.jsonl", in_lines("bad", RUNS["alert"])[:2])
    table = ran(command, "topics.jsonl qrels runs --format table", 2)[0]
    assert "Not scored, since it is invalid: bad.jsonl" in table
    assert "bad.jsonl: 1 error" in ran(command, "check topics.jsonl runs", 1)[0]


@pytest.mark.parametrize(("words", "message"), [
    ("--days 2024-02-01..2024-01-01", "the first day comes after the last"),
    ("--days 2024-01-01..2024-01-02", "the collection has no day"),
    ("--days qrels", "is not a date"), ("--days a:b", "no such file, and a range is 2024"),
    ("--plot qrels", "would be overwritten"),
    ("-m AQ", "There is no measure 'AQ'"), ("--calendar t1", "--plot FILE is needed"),
    ("--by topic --format latex", "--by and --pairs have the forms"),
])  # fmt: skip
def test_wrong_options_are_one_line(track, command, words, message):
    status, out, err = command("cdet", "topics.jsonl", "qrels", "runs", *words.split())
    assert (status, out) == (2, "")
    assert message in err.splitlines()[-1]


def test_topics_are_questions_and_their_documents_are_qrels(tmp_path):
    path = tmp_path / "topics.jsonl"
    topic = {"tid": "t", "label": "x", "questions": [{"qid": "q_1", "rel_docs": ["a"]}, {"qid": "q_2"}]}
    path.write_text(json.dumps(topic) + "\n")
    assert read_topics(path) == ["t/q_1", "t/q_2"]
    assert read_qrels(path).to_dict() == {"t/q_1": {"a": 1}, "t/q_2": {"__nil__": 0}}
    twice = {"tid": "t", "questions": [{"qid": "q"}, {"qid": "q"}]}
    for wrong, message in [
        ({"tid": "t", "questions": []}, "line 1, topic t: questions is \\[\\], not a list"),
        (twice, "topic t, question q: it is in the topic twice"),
        ({"tid": "t/1", "questions": [{"qid": "q"}]}, "tid 't/1': an id without '/'"),
    ]:
        path.write_text(json.dumps(wrong) + "\n")
        refused(InputError, message, read_topics, path)


def test_the_public_development_topics(real_data):
    assert len(read_topics(real_data("cdet-dev") / "dev-topics.jsonl")) == 24
