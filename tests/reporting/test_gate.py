"""The gate for pipelines: conditions, how they are decided, what the command prints and returns."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import ir_trunc
from ir_trunc import ParameterError, check, meta
from ir_trunc.cli.main import main
from ir_trunc.reporting.gate import _Estimate, read_condition

TOPICS = [str(topic) for topic in range(1, 31)]
QRELS = {topic: {"a": 1, "b": 0} if int(topic) % 5 else {"b": 0} for topic in TOPICS}
OLD = {topic: ["a", "b"] if QRELS[topic].get("a") else [] for topic in TOPICS}
WORSE = {topic: ["b", "a"] if int(topic) % 4 else OLD[topic] for topic in TOPICS}
NEARLY = {topic: ["b", "a"] if topic in ("1", "2") else docs for topic, docs in OLD.items()}


def verdicts(conditions, run, **options):
    return [one.verdict for one in check(conditions, QRELS, run, baseline=OLD, **options).checks]


def test_a_clear_drop_fails_a_clear_hold_passes_and_in_between_nothing_is_decided():
    assert verdicts("RR drops 0.1", WORSE) == ["failed"]
    assert verdicts("RR drops 0.1", OLD) == ["passed"]
    assert verdicts("RR drops 0.1", NEARLY) == ["passed"]
    assert verdicts("RR drops 0.03", NEARLY) == ["undecided"]


@pytest.mark.parametrize("measure", ["RR", "c@1"])  # c@1, of the whole run, by its influence values
def test_the_interval_is_that_of_the_paired_t_test(measure):
    found = check(f"{measure} drops by 0.03", QRELS, WORSE, baseline=OLD, confidence=0.9).checks[0]
    new, old = meta.score_matrix(measure, QRELS, {"new": WORSE, "old": OLD}).paired()[0]
    bounds = stats.ttest_rel(new, old).confidence_interval(0.9)
    means = [ir_trunc.calc_aggregate(measure, QRELS, run)[measure] for run in (OLD, WORSE)]
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high))
    assert [found.before, found.now] == pytest.approx(means)


def test_a_share_has_wilson_s_interval_and_is_not_certain_where_it_is_one():
    found = check("abstention.precision < 0.8", QRELS, OLD).checks[0]
    bounds = stats.binomtest(6, 6).proportion_ci(0.95, method="wilson")
    assert (found.now, found.low, found.high) == pytest.approx((1, bounds.low, bounds.high))
    assert found.verdict == "undecided"
    assert verdicts("abstention.precision < 0.5", OLD) == ["passed"]


@pytest.mark.parametrize(("name", "value"), [
    ("abstention.silent", 6 / 30), ("abstention.precision", 1), ("abstention.recall", 1), ("length", 48 / 30),
])  # fmt: skip
def test_what_a_condition_may_speak_of_beside_measures(name, value):
    found = check([f"{name} > 100", f"{name} drops 0.5"], QRELS, OLD, baseline=OLD)
    assert [one.now for one in found.checks] == pytest.approx([value, value])
    assert [one.verdict for one in found.checks] == ["passed", "passed"]
    assert found.checks[1].low == found.checks[1].high == 0


def test_a_change_of_a_share_is_tested_to_first_order():
    """The interval is near the bootstrap's over topics, in which numerator and denominator both vary."""
    rng = np.random.default_rng(0)
    topics = [str(topic) for topic in range(400)]
    qrels = {topic: {"a": int(rng.random() < 0.7)} for topic in topics}
    old, new = ({t: [] if rng.random() < share else ["a"] for t in topics} for share in (0.5, 0.4))
    found = check("abstention.precision drops 0.5", qrels, new, baseline=old).checks[0]
    nil = np.array([not qrels[t]["a"] for t in topics])
    a, b = (np.array([not run[t] for t in topics]) for run in (new, old))
    draws = rng.integers(0, 400, (4000, 400))
    drawn = (nil & a)[draws].sum(1) / a[draws].sum(1) - (nil & b)[draws].sum(1) / b[draws].sum(1)
    assert (found.low, found.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.01)


@pytest.mark.parametrize(("text", "met"), [
    ("RR drops 0.1", {(-0.3, -0.1): True, (-0.3, -0.09): None, (-0.09, 0.5): False}),
    ("RR rises 0.1", {(0.1, 0.3): True, (0.09, 0.3): None, (-0.5, 0.09): False}),
    ("RR < 0.8", {(0.1, 0.79): True, (0.1, 0.8): None, (0.8, 0.9): False}),
    ("RR <= 0.8", {(0.1, 0.8): True, (0.1, 0.81): None, (0.81, 0.9): False}),
    ("RR > 0.8", {(0.81, 0.9): True, (0.8, 0.9): None, (0.1, 0.8): False}),
    ("RR>=.8", {(0.8, 0.9): True, (0.79, 0.9): None, (0.1, 0.79): False}),
    ("OIE < -2e1", {(-30, -21): True, (-30, -19): None, (-20, -19): False}),
])  # fmt: skip
def test_a_condition_is_met_where_the_whole_interval_meets_it(text, met):
    condition = read_condition(text)
    for (low, high), expected in met.items():
        assert condition.met(_Estimate((low + high) / 2, low, high)) is expected


def test_nothing_is_decided_without_enough_topics():
    found = check("RR < 0.5", {"1": {"a": 1}}, {"1": ["a"]}).checks[0]
    assert (found.verdict, found.unknown) == ("undecided", "there is 1 topic")
    loud = {topic: ["a"] for topic in TOPICS}
    found = check(["abstention.precision < 0.9", "abstention.precision drops 0.1"], QRELS, loud, baseline=OLD)
    assert [one.verdict for one in found.checks] == ["undecided", "undecided"]
    assert all("nothing that it is a share of" in one.unknown for one in found.checks)


@pytest.mark.parametrize(("condition", "message"), [
    ("", "is not understood: write 'RBPT drops 0.02'"),
    ("RBPT falls 0.02", "is not understood"),
    ("RBPT drops", "is not understood"),
    ("RBPT drops 2 %", "is not understood"),
    ("RBPT drops -0.1", "how much it drops is a number above 0"),
    ("RBTP drops 0.1", "Did you mean RBPT"),
    ("abstention.precison < 0.8", "Did you mean abstention.precision"),
    ("RBPT(p=2) < 0.5", "p=2"),
    ("NumRet > 5", "is added up over topics; a mean is needed"),
])  # fmt: skip
def test_a_condition_that_is_not_understood_is_refused(condition, message):
    with pytest.raises(ParameterError, match=message):
        check(condition, QRELS, OLD, baseline=OLD)
    with pytest.raises(ParameterError, match="compares with a baseline, which is not given"):
        check("RR drops 0.1", QRELS, OLD)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels = (f"{t} 0 {doc} {grade}\n" for t, docs in QRELS.items() for doc, grade in docs.items())
    (tmp_path / "qrels").write_text("".join(qrels))
    for name, run in {"old": OLD, "worse": WORSE, "nearly": NEARLY}.items():
        rows = ((t, doc, rank) for t, docs in run.items() for rank, doc in enumerate(docs, 1))
        (tmp_path / name).write_text("".join(f"{t} Q0 {doc} {rank} {-rank} x\n" for t, doc, rank in rows))


def run_check(capsys, *words):
    status = main(["check", "qrels", *words])
    out, err = capsys.readouterr()
    return status, out.splitlines(), err


def test_the_exit_status_says_what_a_pipeline_asks(files, capsys):
    drop = ["--baseline", "old", "--fail-if", "RR drops 0.03"]
    assert run_check(capsys, "old", *drop)[0] == 0
    status, (line,), _ = run_check(capsys, "worse", *drop)
    assert status == 1
    assert line.startswith("failed     RR drops 0.03: 0.8000 -> 0.5000, difference -0.3000 [-0.")
    status, out, _ = run_check(capsys, "nearly", *drop, "--fail-if", "length > 100")
    assert (status, [line.split()[0] for line in out]) == (0, ["undecided", "passed"])
    assert run_check(capsys, "nearly", *drop, "--strict")[0] == 1
    wrong = "RR falls 1", "RR drops 1"
    for bad in (["no-such-file", *drop], ["old"], *(["old", "--fail-if", condition] for condition in wrong)):
        status, out, err = run_check(capsys, *bad)
        assert (status, out, err.count("\n")) == (2, [], 1)


def test_junit_has_a_case_for_each_condition(files, capsys):
    conditions = ["RR drops 0.03", "length > 100", "RR < 0.99"]
    words = ["nearly", "--baseline", "old", "--junit", "report.xml"]
    words += [word for condition in conditions for word in ("--fail-if", condition)]
    assert run_check(capsys, *words)[0] == 1
    suite = ElementTree.parse("report.xml").getroot()
    assert [suite.get(key) for key in ("tests", "failures", "skipped", "errors")] == ["3", "1", "1", "0"]
    assert [case.get("name") for case in suite] == conditions
    assert [next(iter(case)).tag for case in suite] == ["skipped", "system-out", "failure"]
    assert run_check(capsys, *words, "--strict")[0] == 1
    assert ElementTree.parse("report.xml").getroot().get("failures") == "2"


@pytest.mark.parametrize("output", ["--junit", "--report"])
def test_an_output_does_not_overwrite_the_input(files, capsys, output):
    status, _, err = run_check(capsys, "old", "--fail-if", "RR < 0.1", output, "qrels")
    assert status == 2
    assert "qrels" in err


def test_a_page_of_both_runs_goes_with_the_check(files, capsys):
    pytest.importorskip("jinja2")
    words = ["worse", "--baseline", "old", "--fail-if", "RR drops 0.1", "--fail-if", "length > 9"]
    assert run_check(capsys, *words, "--report", "page.html")[0] == 1
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h1>worse: RR drops 0.1; length &gt; 9</h1>" in page
    assert '<th scope="row">old</th>' in page
