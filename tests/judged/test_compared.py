"""Labels by a model and by people in gates, reports and commands."""

import ast
import json
import re

import numpy as np
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, Judged, check, compare


def collection(topics=150, people=50, seed=0):
    """True labels, those of a judge with 5 % false positives, people's of some topics, two runs."""
    rng = np.random.default_rng(seed)
    truth = {
        str(q): {str(d): int(q % 3 > 0 and rng.random() < 0.2) for d in range(10)} for q in range(topics)
    }
    judge = {
        q: {d: int(rng.random() < (0.9 if grade else 0.05)) for d, grade in docs.items()}
        for q, docs in truth.items()
    }
    humans = {q: truth[q] for q in rng.permutation(topics)[:people].astype(str)}
    scores = {q: {d: rng.normal(0.5 * g, 0.2) for d, g in docs.items()} for q, docs in truth.items()}
    run, short = (
        {q: {d: s for d, s in docs.items() if s > level} for q, docs in scores.items()}
        for level in (-0.2, 0.25)
    )
    return truth, judge, humans, run, short


TRUTH, JUDGE, HUMANS, RUN, SHORT = collection()
LABELS = Judged(JUDGE, HUMANS)


def test_gates_take_the_corrected_difference():
    conditions = ["RBPT worsens 0.02", "RBPT < 0.5", "c@1 worsens 0.01"]
    gate = check(conditions, LABELS, SHORT, baseline=RUN)
    new, old = (ir_trunc.calc("RBPT c@1", LABELS, run) for run in (SHORT, RUN))
    for place, row in ((0, 0), (2, 1)):
        found, difference = gate.checks[place], new.estimate(row) - old.estimate(row)
        assert [found.change, found.low, found.high] == [difference.mean, *difference.interval()]
        assert (found.now, found.before) == (new.estimate(row).mean, old.estimate(row).mean)
        assert ("corrected difference" in found.line()) == (
            abs(found.change - found.now + found.before) > 1e-9
        )
    assert [found.units for found in gate.checks] == [50] * 3
    assert "150 topics, 50 of them labelled by people" in gate.heading
    alone = check("RBPT < 0.5", LABELS, SHORT).checks[0]
    assert alone.now == gate.checks[1].now == ir_trunc.calc_aggregate("RBPT", LABELS, SHORT)["RBPT"]


def test_gates_correct_what_depends_on_labels_and_nothing_else():
    quantities = [
        "kept < 0.5", "unanswered < 0.1", "wrongly > 0.9", "passages > 99", "abstention.silent > 0.9",
    ]  # fmt: skip
    found = {each.condition.split()[0]: each for each in check(quantities, LABELS, SHORT).checks}
    true = {each.condition.split()[0]: each for each in check(quantities, TRUTH, SHORT).checks}
    for name in ("passages", "abstention.silent"):
        assert vars(found[name]) == vars(true[name])
    answerable = sum(any(docs.values()) for docs in HUMANS.values())  # these are people's alone
    silent = sum(not SHORT[topic] for topic in HUMANS)
    for name in ("kept", "unanswered", "wrongly"):
        assert found[name].low <= true[name].now <= found[name].high, name
        assert found[name].low <= found[name].now <= found[name].high
        assert found[name].units == {"kept": answerable, "unanswered": 50 - answerable}.get(name, silent)


def test_runs_that_people_did_not_judge_are_refused():
    more = {q: docs | {"new": 0.9} for q, docs in RUN.items()}
    message = "the run: people did not label 50 documents"
    with pytest.warns(ir_trunc.IrTruncWarning), pytest.raises(InputError, match=message):
        check("RBPT < 0.5", LABELS, more)


@pytest.mark.full
def test_a_page_has_corrected_means_and_no_policies_fitted_to_mixed_labels():
    page = re.sub(
        r"\s+", " ", re.sub(r"<[^>]+>", " ", ir_trunc.report("RBPT", LABELS, {"all": RUN, "short": SHORT}))
    )
    means = compare("RBPT", LABELS, {"all": RUN, "short": SHORT})["RBPT"]
    assert f"short has a mean RBPT of {means['short']:.4f}" in page
    assert "Scores by topic are by people&#39;s labels where there are some" in page.replace(
        "&#x27;", "&#39;"
    )
    assert "No policy was tried: they would be fitted to labels by a model and by people" in page
    assert "cross-validat" not in page
    assert not re.search(r"\bnan\b", page)
    assert "Means over the" not in page  # which are not corrected


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = {"people": HUMANS, "judge": JUDGE, "all": RUN, "short": SHORT}
    for name, content in data.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))


def test_commands_take_the_labels_of_a_judge(folder, command):
    status, out, err = command(
        "people.json", "all.json", "RBPT", "--judge", "judge.json", "--format", "table"
    )
    mean = ir_trunc.calc_aggregate("RBPT", LABELS, RUN)["RBPT"]
    assert (status, f"{mean:.4f}" in out) == (0, True)
    assert "corrected means; 150 topics by the judge, 50 of them labelled by people, too" in out
    words = ["people.json", "all.json", "short.json", "RBPT", "--judge", "judge.json"]
    assert "Corrected mean scores" in command("compare", *words, "--format", "table")[1]
    words = ["people.json", "short.json", "--judge", "judge.json", "--baseline", "all.json"]
    status, out, err = command("check", *words, "--fail-if", "RBPT worsens 0.02")
    gate = check("RBPT worsens 0.02", LABELS, SHORT, baseline=RUN)
    assert (status, out.splitlines()) == (0, gate.lines())
    page = command("report", "people.json", "all.json", "--judge", "judge.json", "RBPT", "-o", "page.html")
    assert page[0] == 0
    status, out, err = command("people.json", "all.json", "RBPT", "--judge", "nosuch.json")
    assert (status, out, len(err.splitlines())) == (2, "", 1)


def long_lists(questions=150, seed=0):
    """Lists of 50: a third of the questions has no answer, and by a judge with 5 % errors hardly one."""
    rng = np.random.default_rng(seed)
    truth = {
        str(q): {str(d): int(q % 3 > 0 and d < rng.integers(1, 5)) for d in range(50)}
        for q in range(questions)
    }
    run = {
        q: {d: float(rng.normal(0.35 * g + 0.3, 0.1)) for d, g in docs.items()} for q, docs in truth.items()
    }
    judge = {q: {d: int(g or rng.random() < 0.05) for d, g in docs.items()} for q, docs in truth.items()}
    return truth, judge, {q: truth[q] for q in rng.permutation(questions)[:50].astype(str)}, run


def test_how_many_chooses_by_corrected_means():
    truth, judge, humans, run = long_lists()
    true, alone = ir_trunc.how_many(truth, run), ir_trunc.how_many(judge, run)
    with pytest.warns(ir_trunc.IrTruncWarning, match="by people 19, which is beyond chance"):
        both = ir_trunc.how_many(Judged(judge, humans), run)
    assert (true.advised, alone.advised, both.advised) == ("ScoreThreshold", "Fixed(k=3)", "ScoreThreshold")
    assert both.expected[1] < true.expected[0] < both.expected[2]
    assert not alone.expected[1] < true.expected[0] < alone.expected[2]
    first, second, *_ = both.heading.splitlines()
    assert first.startswith(
        "The judge against people: 2500 documents of 50 topics. By the judge 0 of 50 topics"
    )
    assert "150 questions, 2 of them without an answer by the judge" in second
    table = both.to_pandas().set_index("policy")
    assert table[["kept", "unanswered", "wrongly"]].stack().dropna().between(0, 1).all()
    fixed = table.loc["Fixed(k=2)"]
    cut = {q: dict(sorted(docs.items(), key=lambda item: -item[1])[:2]) for q, docs in run.items()}
    expected = ir_trunc.calc("RBPT(p=0.8)", Judged(judge, humans), cut).corrected.table.iloc[0]
    assert [fixed["score"], fixed["low"], fixed["high"]] == pytest.approx(
        expected[["corrected", "low", "high"]].tolist(), abs=1e-9
    )
    for options in ({"keep": 0.9}, {"unanswerable": 0.3}):
        with pytest.raises(ir_trunc.ParameterError, match="leave out keep=, unanswerable= and keys="):
            ir_trunc.how_many(Judged(judge, humans), run, **options)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*beyond chance")
@pytest.mark.filterwarnings("ignore:.*that these did not label")
def test_how_many_counts_documents_that_nobody_labelled():
    """They count as not relevant: where there are any, the advice begins with them."""
    assert "without a label" not in ir_trunc.how_many(LABELS, RUN).heading
    on_their_topics = sum(len(RUN[q]) for q in HUMANS)
    fewer = {q: {d: g for d, g in docs.items() if d != "3"} for q, docs in HUMANS.items()}
    by_people = sum("3" in RUN[q] for q in HUMANS)
    by_judge = sum("4" in docs for docs in RUN.values())
    judge = {q: {d: g for d, g in docs.items() if d != "4"} for q, docs in JUDGE.items()}
    words = f"{by_people} of {on_their_topics} by people on their topics, {by_judge} of "
    with pytest.warns(ir_trunc.IrTruncWarning, match=words):
        advice = ir_trunc.how_many(Judged(judge, fewer), RUN)
    first = advice.heading.splitlines()[0]
    assert (
        f"without a label, which count as not relevant: {words}{sum(map(len, RUN.values()))} by the judge."
        in first
    )


@pytest.mark.filterwarnings("ignore:.*that these did not label")
def test_a_sheet_for_people_is_read_as_their_labels(tmp_path):
    texts = {d: f"passage {d}" for d in map(str, range(10))}
    runs = {"all": RUN, "short": SHORT}
    sheet = ir_trunc.sample_for_people(JUDGE, runs, n=30, seed=1, queries={"1": "why?"}, documents=texts)
    chosen = sheet["query_id"].unique().tolist()
    assert (len(chosen), len({*sheet["doc_id"]})) == (30, 10)
    shown = {q: set(rows["doc_id"]) for q, rows in sheet.groupby("query_id")}
    assert shown == {q: {*RUN[q], *SHORT[q]} for q in chosen}
    assert (sheet["document"] == "passage " + sheet["doc_id"]).all()
    assert (sheet["relevance"] == "").all()
    again = ir_trunc.sample_for_people(JUDGE, runs, n=30, seed=1)
    assert again[["query_id", "doc_id"]].equals(sheet[["query_id", "doc_id"]])
    sheet["relevance"] = [TRUTH[q][d] for q, d in zip(sheet["query_id"], sheet["doc_id"])]
    sheet.to_csv(tmp_path / "people.csv", index=False)
    labels = Judged(JUDGE, tmp_path / "people.csv")
    assert labels.topics == {*chosen}
    assert compare("RBPT", labels, runs).labelled == 30
    more = ir_trunc.sample_for_people(labels, runs, n=120)
    assert not {*more["query_id"]} & {*chosen}
    with pytest.raises(InputError, match="n=121: there are 120 topics that people have not labelled"):
        ir_trunc.sample_for_people(labels, runs, n=121)
    nothing = ir_trunc.sample_for_people({"1": {"a": 1}, "2": {}}, {"none": {"1": {}, "2": {}}}, n=2)
    assert nothing[["doc_id", "relevance"]].to_numpy().tolist() == [["__nil__", "0"]] * 2
    refused(InputError, "there is no run", ir_trunc.sample_for_people, JUDGE, {}, n=1)


def remedy_of(call):
    """The levels that the message of a call names, as they stand there."""
    with pytest.raises(InputError) as caught:
        call()
    return re.search(r"levels=(\{.*?\})", str(caught.value))[1]


@pytest.mark.parametrize("words", ["yes no", "Yes No", "Y N", "relevant irrelevant", "H R", "S B"])
@pytest.mark.parametrize("form", ["frame", "csv"])
def test_a_sheet_filled_with_words_is_read_as_its_error_says(words, form, tmp_path):
    judge = {str(q): {"a": 1, "b": 0} for q in range(30)}
    sheet, path = ir_trunc.sample_for_people(judge, n=20), tmp_path / "sheet.csv"
    sheet["relevance"] = [words.split()[place % 2] for place in range(len(sheet))]
    sheet.to_csv(path, index=False)
    humans = sheet if form == "frame" else path
    levels = ast.literal_eval(remedy_of(lambda: Judged(judge, humans)))
    labels = Judged(judge, ir_trunc.read_qrels(humans, levels=levels))
    grades = [grade for docs in labels.humans.to_dict().values() for grade in docs.values()]
    assert sorted(grades) == sorted(levels[word] for word in sheet["relevance"])
    assert levels[words.split()[0]] > levels[words.split()[1]]


def test_words_of_no_known_scale_are_named_and_the_others_asked_for():
    message = r"levels=\{'ja': 1\}, with a grade for each word that occurs, in read_qrels .*\(--levels\) says"
    refused(InputError, message, ir_trunc.read_qrels, {"1": {"a": "ja", "b": "nein"}})
