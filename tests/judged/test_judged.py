"""Labels by a model and by people: corrected means, agreement, differences, gates, reports and commands."""

import ast
import html
import json
import re

import numpy as np
import pytest
from messages import refused
from scipy import stats

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, Judged, ParameterError, calc, check, compare
from ir_trunc._inference.estimate import CorrectedEstimate, Estimate

MEASURES = "RBPT SetF nDCG@5 c@1"


def collection(topics=150, people=50, errors=0.08, seed=0):
    """True labels, those of a judge that errs on a share of the documents, and people's for some topics."""
    rng = np.random.default_rng(seed)
    truth = {
        str(q): {f"d{i}": int(q % 3 > 0 and rng.random() < 0.3) for i in range(8)} for q in range(topics)
    }
    run = {
        q: {d: float(rng.normal(0.4 * g, 0.2)) for d, g in list(docs.items())[: 3 + int(q) % 6]}
        for q, docs in truth.items()
    }
    judge = {
        q: {d: int(g if rng.random() > errors else 1 - g) for d, g in docs.items()}
        for q, docs in truth.items()
    }
    chosen = rng.permutation(topics)[:people].astype(str)
    return truth, judge, {q: truth[q] for q in chosen}, run


TRUTH, JUDGE, PEOPLE, RUN = collection()
LABELS = Judged(JUDGE, PEOPLE)
SHORT = {q: dict(sorted(docs.items(), key=lambda item: -item[1])[: 1 + len(q)]) for q, docs in RUN.items()}
CUT = {q: {d: s for d, s in docs.items() if s > 0.25} for q, docs in RUN.items()}


def test_corrected_means_are_those_of_both_kinds_of_labels():
    results, by_judge = calc(MEASURES, LABELS, RUN), calc(MEASURES, JUDGE, RUN)
    by_people = calc(MEASURES, PEOPLE, {q: RUN[q] for q in PEOPLE})
    table = results.corrected.to_pandas()
    for measure in ("RBPT", "SetF", "nDCG@5"):
        people, judge, row = by_people[measure], by_judge[measure], table.loc[measure]
        alone, of_judge = (Estimate(scores.to_numpy(), (0.0, 1.0)) for scores in (people, judge))
        both = CorrectedEstimate.of(alone, of_judge, LABELS.labelled(judge.index))
        expected = [alone.mean, *alone.interval(), both.mean, *both.interval(), float(both.weight)]
        assert row["people":"weight"].tolist() == pytest.approx(expected)
        assert row["judge"] == pytest.approx(by_judge.aggregated[measure])
        assert results.aggregated[measure] == row["corrected"]
        assert results[measure].to_dict() == {**judge, **people}  # by topic people's where there are some
    assert table.loc["c@1", "judge"] == pytest.approx(by_judge.aggregated["c@1"])
    assert table.loc["c@1", "people"] == pytest.approx(by_people.aggregated["c@1"])
    assert (table[["topics", "labelled"]] == [150, 50]).all(axis=None)
    assert [weight > 0.5 for weight in table["weight"]] == [False, True, True, False]
    width = table["high"] - table["low"]
    assert (width <= (table["people_high"] - table["people_low"]) + 1e-12).all()
    assert "150 topics by the judge, 50 of them labelled by people" in " ".join(repr(results).split())


def test_equal_scores_are_those_of_people_with_the_bounds_of_the_measure():
    """60 of 60 right are better than 58 of 60."""
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(100)}
    labels = Judged(qrels, {topic: docs for topic, docs in qrels.items() if int(topic) < 60})
    lows = []
    for wrong in range(3):
        run = {topic: ["a" if int(topic) >= wrong else "b"] for topic in qrels}
        row = calc("Success@1", labels, run).corrected.to_pandas().iloc[0]
        passed = ir_trunc.check("Success@1 < 0.9", labels, run, require="shown").passed
        assert passed == (row["low"] > 0.9) == (wrong < 2)
        expected = stats.binomtest(60 - wrong, 60).proportion_ci()
        assert row[["low", "high"]].tolist() == pytest.approx([expected.low, expected.high], abs=1e-9)
        lows.append(row["low"])
    assert lows == sorted(lows, reverse=True)


def test_where_people_labelled_all_topics_the_interval_is_the_plain_one():
    results = calc(MEASURES, Judged(JUDGE, TRUTH), RUN)
    plain = calc(MEASURES, TRUTH, RUN)
    for row in range(len(results.measures)):
        np.testing.assert_array_equal(results.estimate(row).interval(), plain.estimate(row).interval())
    but_one = calc("SetF", Judged(JUDGE, {q: TRUTH[q] for q in [*TRUTH][1:]}), RUN)
    assert but_one.corrected.table["weight"].tolist() == [0]


def test_compare_tests_corrected_differences():
    runs = {"whole": RUN, "short": SHORT, "same": RUN}
    for baseline in (None, "whole"):
        found = compare("RBPT SetF", LABELS, runs, baseline=baseline)
        means = found.to_pandas()
        labelled = LABELS.labelled(sorted(TRUTH))
        for row in found.pairs().to_dict("records"):
            name, first, second = row["measure"], row["system"], row["other"]
            for run in (first, second):  # a mean does not depend on the other runs
                assert means.loc[run, name] == calc(name, LABELS, runs[run]).aggregated[name]
            if {first, second} == {"whole", "same"}:
                assert (row["difference"], row["p"]) == (0, 1)
                continue
            assert row["low"] < row["difference"] < row["high"]
    one = compare("RBPT", LABELS, {"whole": RUN, "short": SHORT}, baseline="whole", correction=None)
    short, whole = (calc("RBPT", LABELS, run).estimate(0) for run in (SHORT, RUN))
    best, row = (short - whole).best, one.pairs().iloc[0]
    half = stats.t.ppf(0.975, 49) * best.error
    bounds = [best.mean - half, best.mean + half]
    assert row[["difference", "low", "high"]].tolist() == pytest.approx([best.mean, *bounds])
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(best.mean) / best.error, 49))
    assert one.heading.startswith("Corrected mean scores")
    assert "150 topics, 50 of them labelled by people" in one.heading
    assert any("Scores by topic are by people's labels" in note for note in one.notes)
    assert "t test of corrected differences" in repr(one)
    assert labelled.sum() == 50


def test_a_margin_is_tested_on_corrected_differences():
    found = compare("RBPT", LABELS, {"whole": RUN, "same": SHORT}, baseline="whole", margin=0.2)
    row = found.pairs().iloc[0]
    assert 0 <= row["p_not_worse"] <= row["p_equivalent"] <= 1
    assert row["p_not_worse"] < 0.05
    same = compare("RBPT", LABELS, {"whole": RUN, "same": RUN}, baseline="whole", margin=0.2)
    assert "not worse than whole within 0.2: same." in " ".join(repr(same).split())


def test_agreement_counts_documents_and_topics():
    with pytest.warns(IrTruncWarning, match="no answer, by people"):
        agreement = LABELS.agreement(RUN)
    table = agreement.to_pandas()
    pairs = [(PEOPLE[q][d], JUDGE[q][d]) for q in PEOPLE for d in RUN[q]]
    n, positive = len(pairs), sum(person for person, _ in pairs)
    false = sum(judge > person for person, judge in pairs) / (n - positive)
    missed = sum(judge < person for person, judge in pairs) / positive
    same = sum(judge == person for person, judge in pairs) / n
    by_judge = sum(judge for _, judge in pairs) / n
    chance = by_judge * positive / n + (1 - by_judge) * (1 - positive / n)
    kappa = (same - chance) / (1 - chance)
    assert table["value"][:3].tolist() == pytest.approx([false, missed, kappa])
    assert table["n"].tolist() == [n - positive, positive, n, 50, 50]
    assert (table["low"] <= table["value"]).all()
    assert (table["value"] <= table["high"]).all()
    assert (table["low"] < table["high"]).all()
    perfect = Judged(TRUTH, PEOPLE).agreement()
    assert perfect.to_pandas()["value"].tolist()[:3] == [0, 0, 1]
    assert (perfect.to_pandas()["high"] > perfect.to_pandas()["low"]).all()
    assert not perfect.differs


@pytest.mark.filterwarnings("ignore:.*that these did not label")
def test_what_people_labelled_is_their_keys_or_is_named():
    extra = PEOPLE | {"0": {"d0": 1}, "new": {}}
    message = r"people labelled 1 topic that the judge did not \(for example new\)"
    refused(InputError, message, Judged, JUDGE, extra)
    named = Judged(JUDGE, extra, labelled=[*PEOPLE])
    assert calc("SetF", named, RUN).aggregated == calc("SetF", LABELS, RUN).aggregated
    none = Judged(JUDGE, {"1": {"d0": 0}}, labelled=["1", "2"])  # topic 2 has no relevant document
    with pytest.warns(IrTruncWarning, match="people did not judge 8 documents"):
        assert calc("SetF", none, RUN)["SetF"]["2"] == 0
    with pytest.raises(InputError, match="people labelled 1 topic; two are needed, and better 20"):
        Judged(JUDGE, {"1": {"d0": 0}})


@pytest.mark.filterwarnings("ignore:.*that these did not label")
def test_what_is_refused_says_why():
    fewer = {q: dict(list(docs.items())[1:]) for q, docs in list(PEOPLE.items())[:2]}
    few = "short: people did not label 2 documents on the topics"
    with pytest.warns(IrTruncWarning, match="did not judge 2"), pytest.raises(InputError, match=few):
        compare("RBPT", Judged(JUDGE, PEOPLE | fewer), {"short": RUN})
    assert compare("P@1", LABELS, {"whole": RUN}).labelled == 50
    for options, message in (
        ({"test": "bootstrap"}, "with Judged, differences are tested by 't'"),
        ({"keys": "a/b"}, "keys= with Judged"),
    ):
        refused(ParameterError, message, compare, "RBPT", LABELS, {"whole": RUN}, **options)
    refused(ParameterError, "NumRet is added up over topics", calc, "NumRet", LABELS, RUN)
    refused(InputError, "Rankings hold their own judgments", calc, "RBPT", LABELS, ir_trunc.rank(TRUTH, RUN))
    refused(ParameterError, "not corrected", calc("RBPT", LABELS, RUN).views)


def test_relevant_documents_that_only_the_judge_labelled_are_counted():
    """Such as those that no run returned: nDCG would divide by two different collections."""
    judge = {str(q): {"a": 1, "b": 0, "never shown": q % 2} for q in range(10)}
    humans = {str(q): {"a": 1, "b": 0} for q in range(5)} | {"8": {}}
    with pytest.warns(ir_trunc.IrTruncWarning, match="has 2 relevant documents on topics"):
        Judged(judge, humans)
    Judged({q: {d: g for d, g in docs.items() if d != "never shown"} for q, docs in judge.items()}, humans)


def test_withheld_documents_leave_the_lists_of_people_and_of_the_judge():
    judge = {str(q): {"a": 1, "b": 1} for q in range(30)}
    labels = Judged(judge, {str(q): {"a": 1, "b": 0} for q in range(10)})
    run = {q: {"a": 3.0, "b": 2.0} for q in judge}
    with pytest.warns(IrTruncWarning, match="30 documents left 30 lists"):
        results = ir_trunc.calc("SetP", labels, run, withheld={q: ["a"] for q in judge}, missing="empty")
    assert results.judge["SetP"].tolist() == [1.0] * 30
    assert results.people["SetP"].tolist() == [0.0] * 10


def test_a_judge_that_contradicts_people_has_no_weight():
    """Its scores fall where people's rise: the mean and the interval are those of people alone."""
    judge = {str(q): {"a": int(q % 3 > 0), "b": 0} for q in range(90)}
    humans = {str(q): {"a": int(q % 3 == 0 or q % 7 == 0), "b": 0} for q in range(50)}
    row = calc("Success@1", Judged(judge, humans), {q: ["a"] for q in judge}).corrected.to_pandas().iloc[0]
    positive = sum(docs["a"] for docs in humans.values())
    expected = stats.binomtest(positive, 50).proportion_ci()
    assert row["weight"] == 0
    assert row["corrected"] == pytest.approx(positive / 50, abs=1e-9)
    assert row[["low", "high"]].tolist() == pytest.approx([expected.low, expected.high], abs=1e-9)


def test_documents_without_a_label_are_sought_down_to_the_deepest_cutoff():
    humans = {q: dict.fromkeys(list(RUN[q])[:1], 0) for q in list(PEOPLE)[:5]}
    labels = Judged({q: dict.fromkeys(docs, 0) for q, docs in JUDGE.items()}, humans)
    run = {q: [*docs][:3] for q, docs in RUN.items()}
    compare("P@1", labels, {"mine": run})
    with pytest.warns(IrTruncWarning), pytest.raises(InputError, match="did not label 10 documents on the"):
        compare("P@1 P@5", labels, {"mine": run})


def test_gates_take_the_corrected_difference():
    conditions = ["RBPT worsens 0.02", "RBPT < 0.5", "c@1 worsens 0.01"]
    gate = check(conditions, LABELS, CUT, baseline=RUN)
    new, old = (ir_trunc.calc("RBPT c@1", LABELS, run) for run in (CUT, RUN))
    for place, row in ((0, 0), (2, 1)):
        found, difference = gate.checks[place], new.estimate(row) - old.estimate(row)
        assert [found.change, found.low, found.high] == [difference.mean, *difference.interval()]
        assert (found.now, found.before) == (new.estimate(row).mean, old.estimate(row).mean)
        is_corrected = abs(found.change - found.now + found.before) > 1e-9
        assert ("corrected difference" in found.line()) == is_corrected
    assert [found.units for found in gate.checks] == [50] * 3
    assert "150 topics, 50 of them labelled by people" in gate.heading
    alone = check("RBPT < 0.5", LABELS, CUT).checks[0]
    assert alone.now == gate.checks[1].now == ir_trunc.calc_aggregate("RBPT", LABELS, CUT)["RBPT"]


def test_gates_correct_what_depends_on_labels_and_nothing_else():
    quantities = [
        "kept < 0.5", "unanswered < 0.1", "wrongly > 0.9", "passages > 99", "abstention.silent > 0.9",
    ]  # fmt: skip
    found = {each.condition.split()[0]: each for each in check(quantities, LABELS, CUT).checks}
    true = {each.condition.split()[0]: each for each in check(quantities, TRUTH, CUT).checks}
    for name in ("passages", "abstention.silent"):
        assert vars(found[name]) == vars(true[name])
    answerable = sum(any(docs.values()) for docs in PEOPLE.values())  # these are people's alone
    silent = sum(not CUT[topic] for topic in PEOPLE)
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
    text = re.sub(r"<[^>]+>", " ", ir_trunc.report("RBPT", LABELS, {"all": RUN, "short": CUT}))
    page = html.unescape(" ".join(text.split()))
    means = compare("RBPT", LABELS, {"all": RUN, "short": CUT})["RBPT"]
    assert f"short has a mean RBPT of {means['short']:.4f}" in page
    assert "Scores by topic are by people's labels where there are some" in page
    assert "No policy was tried: they would be fitted to labels by a model and by people" in page
    assert "cross-validat" not in page
    assert not re.search(r"\bnan\b", page)
    assert "Means over the" not in page  # which are not corrected


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = {"people": PEOPLE, "judge": JUDGE, "all": RUN, "short": CUT}
    for name, content in data.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))


def test_commands_take_the_labels_of_a_judge(folder, command):
    words = ["people.json", "all.json", "RBPT", "--judge", "judge.json", "--format", "table"]
    status, out, err = command(*words)
    mean = ir_trunc.calc_aggregate("RBPT", LABELS, RUN)["RBPT"]
    assert (status, f"{mean:.4f}" in out) == (0, True)
    assert "corrected means; 150 topics by the judge, 50 of them labelled by people, too" in out
    words = ["people.json", "all.json", "short.json", "RBPT", "--judge", "judge.json"]
    assert "Corrected mean scores" in command("compare", *words, "--format", "table")[1]
    words = ["people.json", "short.json", "--judge", "judge.json", "--baseline", "all.json"]
    status, out, err = command("check", *words, "--fail-if", "RBPT worsens 0.02")
    gate = check("RBPT worsens 0.02", LABELS, CUT, baseline=RUN)
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
    told = "The judge against people: 2500 documents of 50 topics. By the judge 0 of 50 topics"
    assert first.startswith(told)
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
    on_their_topics = sum(len(RUN[q]) for q in PEOPLE)
    fewer = {q: {d: g for d, g in docs.items() if d != "d3"} for q, docs in PEOPLE.items()}
    by_people = sum("d3" in RUN[q] for q in PEOPLE)
    by_judge = sum("d4" in docs for docs in RUN.values())
    judge = {q: {d: g for d, g in docs.items() if d != "d4"} for q, docs in JUDGE.items()}
    words = f"{by_people} of {on_their_topics} by people on their topics, {by_judge} of "
    with pytest.warns(ir_trunc.IrTruncWarning, match=words):
        advice = ir_trunc.how_many(Judged(judge, fewer), RUN)
    told = f"without a label, which count as not relevant: {words}{sum(map(len, RUN.values()))} by the judge."
    assert told in advice.heading.splitlines()[0]


@pytest.mark.filterwarnings("ignore:.*that these did not label")
def test_a_sheet_for_people_is_read_as_their_labels(tmp_path):
    texts = {f"d{n}": f"passage d{n}" for n in range(8)}
    runs = {"all": RUN, "short": CUT}
    sheet = ir_trunc.sample_for_people(JUDGE, runs, n=30, seed=1, queries={"1": "why?"}, documents=texts)
    chosen = sheet["query_id"].unique().tolist()
    assert (len(chosen), len({*sheet["doc_id"]})) == (30, 8)
    shown = {q: set(rows["doc_id"]) for q, rows in sheet.groupby("query_id")}
    assert shown == {q: {*RUN[q], *CUT[q]} for q in chosen}
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
