"""Labels by a model and by people in gates, reports and commands."""

import json
import re

import numpy as np
import pytest

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


def test_gates_take_the_corrected_difference_that_compare_has():
    conditions = ["RBPT worsens 0.02", "RBPT < 0.5", "c@1 worsens 0.01"]
    gate = check(conditions, LABELS, SHORT, baseline=RUN)
    pairs = compare("RBPT c@1", LABELS, {"old": RUN, "new": SHORT}, baseline="old").pairs()
    for place, row in ((0, pairs.iloc[0]), (2, pairs.iloc[1])):
        found = gate.checks[place]
        assert [found.now - found.before, found.low, found.high] == pytest.approx(
            row[["difference", "low", "high"]].tolist()
        )
    assert gate.checks[0].now == gate.checks[1].now  # one weight for all that is printed
    assert [found.units for found in gate.checks] == [50] * 3
    assert "150 topics, 50 of them labelled by people" in gate.heading
    alone = check("RBPT < 0.5", LABELS, SHORT)
    assert alone.checks[0].now == ir_trunc.calc_aggregate("RBPT", LABELS, SHORT)["RBPT"]


def test_gates_correct_what_depends_on_labels_and_nothing_else():
    quantities = [
        "kept < 0.5",
        "unanswered < 0.1",
        "wrongly > 0.9",
        "passages > 99",
        "abstention.silent > 0.9",
    ]
    found = {each.condition.split()[0]: each for each in check(quantities, LABELS, SHORT).checks}
    true = {each.condition.split()[0]: each for each in check(quantities, TRUTH, SHORT).checks}
    for name in ("passages", "abstention.silent"):
        assert vars(found[name]) == vars(true[name])
    for name in ("kept", "unanswered", "wrongly"):
        assert found[name].low <= true[name].now <= found[name].high, name
        assert found[name].low <= found[name].now <= found[name].high
        assert (found[name].units, true[name].units) == (50, 150)


def test_runs_that_people_did_not_judge_are_refused():
    more = {q: docs | {"new": 0.9} for q, docs in RUN.items()}
    message = "the run: people did not label 50 documents"
    with pytest.warns(ir_trunc.IrTruncWarning), pytest.raises(InputError, match=message):
        check("RBPT < 0.5", LABELS, more)


def test_a_page_has_corrected_means_and_no_policies_fitted_to_mixed_labels():
    page = re.sub(
        r"\s+", " ", re.sub(r"<[^>]+>", " ", ir_trunc.report("RBPT", LABELS, {"all": RUN, "short": SHORT}))
    )
    means = compare("RBPT", LABELS, {"all": RUN, "short": SHORT})["RBPT"]
    assert f"short has a mean RBPT of {means['short']:.4f}" in page
    assert "Scores by topic are by people&#39;s labels where there are some" in page.replace(
        "&#x27;", "&#39;"
    )
    assert "cross-validat" not in page


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
