"""The gate for pipelines: conditions, how they are decided, what the command prints and returns."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from messages import refused
from scipy import stats

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, ParameterError, check, meta
from ir_trunc._cli.check import main as check_command
from ir_trunc._cli.main import main
from ir_trunc._inference.estimate import QUANTITIES, Estimate

TOPICS = [str(topic) for topic in range(1, 31)]
QRELS = {topic: {"a": 1, "b": 0} if int(topic) % 5 else {"b": 0} for topic in TOPICS}
OLD = {topic: ["a", "b"] if QRELS[topic].get("a") else [] for topic in TOPICS}
WORSE = {topic: ["b", "a"] if int(topic) % 4 else OLD[topic] for topic in TOPICS}
NEARLY = {topic: ["b", "a"] if topic in ("1", "2") else docs for topic, docs in OLD.items()}
WORST = {topic: ["b"] for topic in TOPICS}


def verdicts(conditions, run, **options):
    return [one.verdict for one in check(conditions, QRELS, run, baseline=OLD, **options).checks]


@pytest.mark.parametrize(("run", "limit", "observed", "shown"), [
    (OLD, 0.12, "passed", "passed"),  # the interval ends at 1 - 0.025^(1/30) = 0.1157
    (OLD, 0.11, "passed", "failed"),
    (WORST, 0.1, "failed", "failed"),
    (NEARLY, 0.03, "failed", "failed"),  # observed: 1/30, from -0.102 to 0.163
    (NEARLY, 0.04, "passed", "failed"),
    (NEARLY, 0.17, "passed", "passed"),
])  # fmt: skip
def test_what_is_required_decides(run, limit, observed, shown):
    for require, expected in (("observed", observed), ("shown", shown)):
        assert verdicts(f"RR worsens {limit}", run, require=require) == [expected]
    assert verdicts(f"RR worsens {limit}", run) == [observed]


@pytest.mark.parametrize("measure", ["RR", "c@1"])  # c@1, of the whole run, by its influence values
def test_the_interval_is_that_of_bounded_differences(measure):
    found = check(f"{measure} worsens by 0.03", QRELS, WORSE, baseline=OLD, alpha=0.1).checks[0]
    new, old = meta.score_matrix(measure, QRELS, {"new": WORSE, "old": OLD}).paired()[0]
    least, most = min(-1, (new - old).min()), max(1, (new - old).max())
    means = [ir_trunc.calc_aggregate(measure, QRELS, run)[measure] for run in (OLD, WORSE)]
    bounds = Estimate(new - old, (least, most)).interval(0.1)
    assert (found.low, found.high) == pytest.approx(np.clip(bounds, -1, 1), abs=1e-9)
    assert [found.before, found.now] == pytest.approx(means)
    assert found.change == pytest.approx(means[1] - means[0])


@pytest.mark.parametrize(("limit", "needed"), [(0.1, 36), (0.05, 72), (0.02, 183)])
def test_two_equal_runs_show_a_limit_with_as_many_topics_as_the_message_says(limit, needed):
    for topics in (needed - 1, needed):
        qrels = {str(topic): {"a": 1} for topic in range(topics)}
        run = {topic: ["a"] for topic in qrels}
        gate = check(f"RR worsens {limit}", qrels, run, baseline=run, require="shown")
        assert gate.passed == (topics == needed)
        words = f"it takes {needed} or more to show this limit"
        assert (words in " ".join(repr(gate).split())) == (topics < needed)


VALUES = {"passages": 48 / 30, "kept": 1, "unanswered": 1, "wrongly": 0, "abstention.silent": 6 / 30}


@pytest.mark.parametrize(("name", "value"), [(name, VALUES[name]) for name in QUANTITIES])
def test_what_a_condition_may_speak_of_beside_measures(name, value, capsys):
    changes = f"{name} improves 0.5" if name == "wrongly" else f"{name} drops 0.5"
    found = check([f"{name} > 100", changes], QRELS, OLD, baseline=OLD)
    assert [one.now for one in found.checks] == pytest.approx([value, value])
    assert [one.verdict for one in found.checks] == ["passed", "passed"]
    assert f"`{name}`" in check.__doc__
    with pytest.raises(SystemExit):
        check_command(["--help"])
    assert f"\n  {name} " in capsys.readouterr().out
    if name == "passages":
        assert "all values are equal and have no bound" in found.checks[1].line()
        assert verdicts(f"{name} drops 0.5", OLD, require="shown") == ["failed"]
    else:
        assert found.checks[1].low == pytest.approx(-found.checks[1].high) != 0


@pytest.mark.parametrize(("condition", "units"), [
    ("unanswered < 0.5", 2), ("wrongly > 0.5", 2), ("kept < 0.5", 98), ("RR < 0.5", 100),
    ("unanswered worsens 0.5", 2), ("wrongly worsens 0.5", 2),
])  # fmt: skip
def test_a_verdict_stands_beside_the_number_of_topics_that_it_rests_on(condition, units):
    """Two of a hundred topics are nil queries, and two lists are empty."""
    qrels = {str(topic): {"a": int(topic > 1)} for topic in range(100)}
    run = {topic: ["a"] if int(topic) > 1 else [] for topic in qrels}
    gate = check(condition, qrels, run, baseline=run)
    assert gate.checks[0].units == units
    assert f", {units} topics" in " ".join(repr(gate).split("\n", 2)[2].split())
    assert ("2 topics are few, and intervals are wide" in repr(gate)) == (units == 2)
    one = check("unanswered < 0.5", {**qrels, "1": {"a": 1}}, run)
    assert "1 topic is few" in repr(one)
    with_change = check("unanswered worsens 0.5", {**qrels, "1": {"a": 1}}, run, baseline=run)
    assert with_change.checks[0].units == 1


@pytest.mark.filterwarnings("ignore:.*questions are few")
def test_kept_unanswered_and_wrongly_are_those_of_how_many():
    run = {t: {"b": 0.9} if t < "15" else {"a": 0.9, "b": 0.3} if t < "25" else {"c": 0.1} for t in TOPICS}
    cut = {t: [doc for doc, score in docs.items() if score >= 0.5] for t, docs in run.items()}
    advice = ir_trunc.how_many(QRELS, run, policies="ScoreThreshold(threshold=0.5)")
    row = advice.summary().loc["ScoreThreshold(threshold=0.5)", ["kept", "unanswered", "wrongly", "passages"]]
    found = check([f"{name} < -1" for name in row.index], QRELS, cut).checks
    assert [one.now for one in found] == pytest.approx(row.tolist())
    worse = check(["kept worsens 0.1", "wrongly worsens 0.1"], QRELS, cut, baseline=OLD)
    assert [one.verdict for one in worse.checks] == ["failed", "failed"]


def test_a_change_that_equals_the_limit_fails():
    """1.0 - 0.9 is a little less than 0.1."""
    qrels = {str(topic): {"a": 1} for topic in range(10)}
    old, new = {key: ["a"] for key in qrels}, {key: ["a"] for key in qrels} | {"0": ["b"]}
    assert not check("RR worsens 0.1", qrels, new, baseline=old).passed
    assert check("RR worsens 0.1001", qrels, new, baseline=old).passed
    assert check("RR < 0.9", qrels, new).passed


def test_a_change_of_a_share_of_other_lists_has_the_bounds_of_both():
    """Of the lists that each run left empty."""
    rng = np.random.default_rng(0)
    topics = [str(topic) for topic in range(400)]
    qrels = {topic: {"a": int(rng.random() < 0.7)} for topic in topics}
    old, new = ({t: [] if rng.random() < share else ["a"] for t in topics} for share in (0.5, 0.4))
    found = check("wrongly rises 0.5", qrels, new, baseline=old).checks[0]
    wrong = {t for t in topics if qrels[t]["a"]}
    bounds = []
    for run in (new, old):
        silent = [t for t in topics if not run[t]]
        bounds.append(stats.binomtest(len({*silent} & wrong), len(silent)).proportion_ci(0.975))
    expected = bounds[0].low - bounds[1].high, bounds[0].high - bounds[1].low
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("sign", "limit", "expected"), [
    ("<", 0.8, "passed"), ("<=", 0.8, "failed"), (">", 0.8, "passed"), (">=", 0.8, "failed"),
    ("<", 0.81, "failed"), (">", 0.79, "failed")
])  # fmt: skip
def test_a_limit_counts_or_does_not(sign, limit, expected):
    qrels, most = {topic: {"a": 1} for topic in TOPICS[:5]}, {topic: ["a"] for topic in TOPICS[:4]}
    assert check(f"RR{sign}{limit}", qrels, most).checks[0].verdict == expected


def test_one_topic_is_refused_and_few_are_reported():
    qrels, run = {str(topic): {"a": 1} for topic in range(9)}, {"0": ["a"]}
    refused(InputError, "there is 1 topic: a gate needs two", check, "RR < 0.5", {"0": {"a": 1}}, run)
    assert "9 topics are few" in repr(check("RR < 0.5", qrels, run))
    assert "few" not in repr(check("RR < 0.5", qrels | {"9": {"a": 1}}, run))


def test_a_share_of_nothing_passes_unless_it_must_be_shown():
    loud = {topic: ["a"] for topic in TOPICS}
    conditions = ["wrongly > 0.1", "wrongly rises 0.1"]
    found = check(conditions, QRELS, loud, baseline=OLD)
    assert [one.verdict for one in found.checks] == ["undecided", "undecided"]
    assert all("nothing that it is a share of" in one.unknown for one in found.checks)
    assert verdicts(conditions, loud, require="shown") == ["failed", "failed"]


@pytest.mark.parametrize(("condition", "message"), [
    ("", "is not understood: write 'RBPT worsens 0.02'"),
    ("RBPT falls 0.02", "is not understood"),
    ("RBPT drops 2 %", "is not understood"),
    ("RBPT drops -0.1", "how much it drops is a number above 0"),
    ("RBTP drops 0.1", "Did you mean RBPT"),
    ("abstention.recall > 5", "Beside measures there are: passages, kept,"),
    ("length > 5", "Beside measures there are: passages, kept, unanswered, wrongly, abstention.silent"),
    ("RBPT(p=2) < 0.5", "p=2"),
    ("NumRet > 5", "is added up over topics; a mean is needed"),
    ("HarmCompat drops 0.1", "of HarmCompat lower values are better: write worsens"),
    ("RBPT rises 0.1", "of RBPT higher values are better: write worsens"),
    ("unanswered rises 0.1", "of unanswered higher values are better"),
    ("passages worsens 5", "neither direction of passages is better: write drops or rises"),
])  # fmt: skip
def test_a_condition_that_is_not_understood_is_refused(condition, message):
    refused(ParameterError, message, check, condition, QRELS, OLD, baseline=OLD)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"conditions": "RR worsens 0.1"}, "compares with a baseline, which is not given"),
    ({"conditions": []}, "No condition is given"),
    ({"conditions": "RR < 1", "require": "certain"}, "require='certain' is unknown: 'observed' or"),
])  # fmt: skip
def test_a_gate_needs_conditions_and_what_they_compare(arguments, message):
    refused(ParameterError, message, check, **{"qrels": QRELS, "run": OLD} | arguments)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels = (f"{t} 0 {doc} {grade}\n" for t, docs in QRELS.items() for doc, grade in docs.items())
    (tmp_path / "qrels").write_text("".join(qrels))
    for name, run in {"old": OLD, "worse": WORSE, "worst": WORST, "nearly": NEARLY}.items():
        rows = ((t, doc, rank) for t, docs in run.items() for rank, doc in enumerate(docs, 1))
        (tmp_path / name).write_text("".join(f"{t} Q0 {doc} {rank} {-rank} x\n" for t, doc, rank in rows))


def run_check(capsys, *words):
    status = main(["check", "qrels", *words])
    out, err = capsys.readouterr()
    return status, out.splitlines(), err


def test_the_exit_status_says_what_a_pipeline_asks(files, capsys):
    drop = ["--baseline", "old", "--fail-if", "RR drops 0.03"]
    assert run_check(capsys, "old", *drop)[0] == 0
    status, (line, *about), _ = run_check(capsys, "worse", *drop)
    assert status == 1
    assert line.startswith("failed     RR drops 0.03: 0.8000 -> 0.5000, difference -0.3000 [-0.")
    assert line.endswith("], 30 topics")
    assert about == ["Nil queries, on which silence is right: 6 of 30."]
    almost = ["nearly", "--baseline", "old", "--fail-if", "RR drops 0.04", "--require"]
    rules = {"observed": 0, "shown": 1}
    assert {rule: run_check(capsys, *almost, rule)[0] for rule in rules} == rules
    wrong = "RR falls 1", "RR drops 1"
    for bad in (["no-such-file", *drop], ["old"], *(["old", "--fail-if", condition] for condition in wrong)):
        status, out, err = run_check(capsys, *bad)
        assert (status, out, err.count("\n")) == (2, [], 1)


def test_junit_has_a_case_for_each_condition(files, capsys):
    conditions = ["wrongly > 0.5", "passages > 100", "RR drops 0.04"]
    words = ["worst", "--baseline", "old", "--junit", "report.xml"]
    words += [word for condition in conditions for word in ("--fail-if", condition)]
    assert run_check(capsys, *words)[0] == 1
    suite = ElementTree.parse("report.xml").getroot()
    assert [suite.get(key) for key in ("tests", "failures", "skipped", "errors")] == ["3", "1", "1", "0"]
    assert [case.get("name") for case in suite] == conditions
    assert [next(iter(case)).tag for case in suite] == ["skipped", "system-out", "failure"]
    assert run_check(capsys, *words, "--require", "shown")[0] == 1
    assert ElementTree.parse("report.xml").getroot().get("failures") == "3"


@pytest.mark.parametrize("output", ["--junit", "--report"])
def test_an_output_does_not_overwrite_the_input(files, capsys, output):
    status, _, err = run_check(capsys, "old", "--fail-if", "RR < 0.1", output, "qrels")
    assert status == 2
    assert "qrels" in err


@pytest.mark.needs("report")
def test_a_page_of_both_runs_goes_with_the_check(files, capsys):
    words = ["worse", "--baseline", "old", "--fail-if", "RR drops 0.1", "--fail-if", "passages > 9"]
    with_page = run_check(capsys, *words, "--report", "page.html")
    assert with_page == run_check(capsys, *words)
    assert with_page[0] == 1
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h1>worse: RR drops 0.1; passages &gt; 9</h1>" in page
    assert '<th scope="row">old</th>' in page


def nested(shift, seed, users=12, days=30):
    """Lists of users on several days, alike for each user; a fifth of them are nil queries."""
    random, lists, qrels = np.random.default_rng(seed), {}, {}
    for user in range(users):
        good = random.random() < 0.5 + shift
        for day in range(days):
            key = (f"u{user:02}", f"d{day:02}")
            qrels[key] = {"b": 0} if day % 5 == 0 else {"a": 1, "b": 0}
            lists[key] = [] if good and day % 5 == 0 else ["a", "b"] if good else ["b", "a"]
    return qrels, lists


def test_the_interval_of_a_share_with_keys_is_one_of_shares():
    qrels = {f"{user}/{day}": {"a": 1} for user in "abcd" for day in range(4)}
    run = {key: {"a" if number else "b": 1.0} for number, key in enumerate(qrels)}
    (found,) = check("kept < 0.5", qrels, run, keys="user/day").checks
    users = Estimate(np.array([0.75, 1, 1, 1]), (0, 1))
    assert (found.now, found.low, found.high) == pytest.approx((0.9375, *users.interval()), abs=1e-9)


def test_lists_with_keys_are_tested_by_unit():
    (qrels, new), (_, old) = nested(0, 1), nested(0, 2)
    conditions = ["RR worsens 0.1", "passages rises 1", "unanswered worsens 0.1", "unanswered < 0.2"]
    found = check(conditions, qrels, new, baseline=old, keys="user/day")
    flat = [{"".join(key): value for key, value in data.items()} for data in (qrels, new, old)]
    wide = check(conditions, *flat[:2], baseline=flat[2])
    assert (found.unit, found.units, found.topics) == ("user", 12, 360)
    results = [ir_trunc.calc("RR", qrels, run, keys="user/day").by("user")["RR"] for run in (new, old)]
    bounds = Estimate((results[0] - results[1]).to_numpy(), (-1, 1)).interval()
    assert (found.checks[0].low, found.checks[0].high) == pytest.approx(bounds, abs=1e-9)
    for one, other in zip(found.checks, wide.checks):
        assert (one.before, one.now) == pytest.approx((other.before, other.now), nan_ok=True)
        assert one.high - one.low > 1.5 * (other.high - other.low)
    assert repr(found).count("12 users") == 5
    assert check(conditions, qrels, new, baseline=old, keys="user/day", unit="day").units == 360
    of_run = r"'c@1 < 0\.5': it looks at all lists of a run"
    refused(ParameterError, of_run, check, "c@1 < 0.5", qrels, new, keys="user/day")
    refused(ParameterError, "no key 'users'", check, "RR < 0.5", qrels, new, keys="user/day", unit="users")
    one = [{key: of for key, of in data.items() if key[0] == "u00"} for data in (qrels, new)]
    refused(InputError, "there is 1 user: a gate needs two", check, "RR < 0.5", *one, keys="user/day")


COUNTRIES = {f"{country}/{n}": {"a": 1} for country in ("de", "fr", "it", "no", "se") for n in range(40)}
COUNTRIES = {key: of for key, of in COUNTRIES.items() if key[:2] != "no" or int(key[3:]) < 8}
BEFORE = {key: ["a"] for key in COUNTRIES}
WORSE_IN_ONE = {key: ["x", "a"] if key.startswith("fr") else ["a"] for key in COUNTRIES}


def by_country(limit, **options):
    options = {"baseline": BEFORE, "keys": "country/query", "by": "country"} | options
    return ir_trunc.check(f"RR worsens {limit}", COUNTRIES, WORSE_IN_ONE, **options)


def test_a_run_that_fails_in_one_of_five_segments_does_not_pass():
    whole, gate = by_country(0.2, by=None), by_country(0.2)
    assert whole.passed
    assert "5 values of country with 168 lists" in whole.heading
    verdicts = {check.segment: check.verdict for check in gate.checks}
    assert [segment for segment, verdict in verdicts.items() if verdict == "failed"] == ["country=fr"]
    assert not gate.passed
    assert gate.heading.startswith("1 condition in each of 5 segments: 4 passed, 1 failed")
    assert 'name="country=fr: RR worsens 0.2"' in gate.junit()
    # Each is what the lists of the segment alone are.
    part = {key: of for key, of in COUNTRIES.items() if key.startswith("fr")}
    old, new = ({key: run[key] for key in part} for run in (BEFORE, WORSE_IN_ONE))
    alone = ir_trunc.check("RR worsens 0.2", part, new, baseline=old, keys="country/query", unit="query")
    of_segment = next(check for check in gate.checks if check.segment == "country=fr")
    assert (of_segment.low, of_segment.high) == pytest.approx((alone.checks[0].low, alone.checks[0].high))


def test_segments_that_are_too_small_say_how_many_it_takes():
    gate = by_country(0.1)
    small = [check.segment for check in gate.checks if check.needed]
    assert small == ["country=no"]
    assert "8 queries; it takes 36 or more to show this limit" in " ".join(str(gate).split())
    failed = [check.segment for check in by_country(0.1, require="shown").checks if check.verdict == "failed"]
    assert failed == ["country=fr", "country=no"]


@pytest.mark.parametrize(("options", "message"), [
    ({"by": np.array([[1], [2]])}, "Results have no key .*; they have"),
    ({"unit": np.array([[1], [2]])}, "Results have no key .*; they have"),
    ({"by": "query"}, "segments by 'query': each needs several values of another, inner key"),
    ({"by": "country", "unit": "country"}, "segments by 'country': each needs several"),
    ({"by": "land"}, "Results have no key 'land'; they have country, query"),
])  # fmt: skip
def test_segments_are_those_of_an_outer_key(options, message):
    refused(ir_trunc.ParameterError, message, by_country, 0.1, **options)


def test_only_a_limit_that_was_probably_imposed_stands_above_the_conditions():
    """`properties/test_estimands.py` holds that it does."""
    few = {"0": {"d0": 1.0, "x": 0.5}, "1": {"d0": 1.0}, "z": {"a": 1.0}}
    with pytest.warns(IrTruncWarning, match="ignored 1 topic"):
        assert "Read with care" not in str(check("RBPT > 0.5", {"0": {"d0": 1}, "1": {"d0": 1}}, few))
