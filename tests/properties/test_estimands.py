"""What is printed together is one estimand: means, intervals, differences and counts of the same units.

The groups of the data are unequal: topic `a` has twenty questions, ten other topics have one each, so that a
mean over questions is far from a nested mean.
"""

import re

import numpy as np
import pytest

import ir_trunc
from ir_trunc import meta, truncation

QRELS = {f"a/{question}": {"x": 1} for question in range(20)} | {
    f"{topic}/0": {"x": 1} for topic in "bcdefghijk"
}
MINE = {key: (["x"] if key[0] == "a" else ["y", "x"]) for key in QRELS}
OTHER = {key: (["y", "x"] if key[0] == "a" and int(key[2:]) % 2 else ["x", "y"]) for key in QRELS}
RUNS = {"mine": MINE, "other": OTHER}
DEPTHS = {"short": 50, "long": 100}
KEYS = "topic/question"
UNITS = {None: "11 topics with 30 lists", "topic": "11 topics with 30 lists", "question": "30 questions"}


def by_hand(values, unit):
    """The mean over units, from values by list."""
    if unit == "question":
        return np.mean(list(values.values()))
    groups: dict[str, list[float]] = {}
    for key, value in values.items():
        groups.setdefault(key.partition("/")[0], []).append(value)
    return np.mean([np.mean(group) for group in groups.values()])


@pytest.mark.parametrize("unit", UNITS)
def test_a_comparison_is_of_one_estimand(unit):
    found = ir_trunc.compare("RBPT RR c@1 nDCG", QRELS, RUNS, keys=KEYS, unit=unit, intervals=True)
    assert UNITS[unit] in found.heading
    means = found.to_pandas()
    for row, measure in enumerate(("RBPT", "RR")):
        for column, (name, run) in enumerate(RUNS.items()):
            scores = ir_trunc.calc(measure, QRELS, run, keys=KEYS)[measure].to_dict()
            assert means.loc[name, measure] == pytest.approx(by_hand(scores, unit), abs=1e-12)
            low, high = (found.means[end][row, column] for end in ("low", "high"))
            assert low <= means.loc[name, measure] <= high
    pairs = found.pairs().set_index("measure")
    for measure in ("RBPT", "RR", "nDCG"):
        difference = means.loc["mine", measure] - means.loc["other", measure]
        assert pairs.loc[measure, "difference"] == pytest.approx(difference, abs=1e-12)
        assert pairs.loc[measure, "low"] <= difference <= pairs.loc[measure, "high"]


@pytest.mark.parametrize("unit", UNITS)
def test_a_gate_s_values_are_the_means_of_the_comparison(unit):
    gate = ir_trunc.check("RR worsens 0.1", QRELS, MINE, baseline=OTHER, keys=KEYS, unit=unit)
    means = ir_trunc.compare("RR", QRELS, RUNS, keys=KEYS, unit=unit).to_pandas()["RR"]
    (condition,) = gate.checks
    assert (condition.before, condition.now) == pytest.approx((means["other"], means["mine"]), abs=1e-12)
    assert condition.low <= condition.now - condition.before <= condition.high
    assert UNITS[unit] in gate.heading


@pytest.mark.parametrize("unit", UNITS)
def test_the_oracle_gains_at_least_nothing_and_lengths_are_means_over_units(unit):
    page = ir_trunc.report("RBPT", QRELS, {"mine": MINE}, keys=KEYS, folds=3, unit=unit)
    assert f"<p>1 system, {UNITS[unit]}, none of them" in page
    score = by_hand(ir_trunc.calc("RBPT", QRELS, MINE, keys=KEYS)["RBPT"].to_dict(), unit)
    assert f"has a mean RBPT of {score:.4f}" in page
    table = truncation.cross_validate("Oracle Greedy", "RBPT", QRELS, {"mine": MINE}, 3, keys=KEYS, unit=unit)
    oracle = table.iloc[0]
    assert oracle["score"] >= score - 1e-12
    for _, row in table.iterrows():
        assert row["low"] - 1e-12 <= row["score"] <= row["high"] + 1e-12
    length = by_hand({key: len(docs) for key, docs in MINE.items()}, unit)
    changed = re.search(r"with (\d+\.\d) documents in a list in place of (\d+\.\d)", page)
    assert float(changed[2]) == pytest.approx(length, abs=0.05)
    numbers = r"change this mean by ([-+.\d]+) on new topics \(95 % interval ([-+.\d]+) to ([-+.\d]+)\)"
    ((change, low, high),) = re.findall(numbers, page)
    assert float(low) <= float(change) <= float(high)


@pytest.mark.needs("study")
def test_a_study_orders_systems_by_one_kind_of_mean():
    """A cut changes no reciprocal rank, so that both orders are one, whatever the means."""
    third = {key: (["y", "y2", "x"] if key[0] == "a" else ["x"]) for key in QRELS}
    table = truncation.study.agreement("RR", "RR", QRELS, RUNS | {"third": third}, keys=KEYS)
    assert table.loc["RR", "RR"] == 1


def test_a_measure_of_the_whole_run_says_what_its_value_is():
    run = {key: docs for key, docs in MINE.items() if key != "a/3"} | {"a/3": []}
    results = ir_trunc.calc("RR c@1 Judged@5", QRELS, run, keys=KEYS)
    assert results.heading.startswith("Results over 11 topics, 30 lists (RR: ")
    assert results.heading.endswith("; c@1 computed from nested means")
    assert results.by("topic")["RR"].mean() == pytest.approx(results.aggregated["RR"], abs=1e-12)
    assert results.by("topic")["c@1"].mean() != pytest.approx(results.aggregated["c@1"], abs=1e-3)


@pytest.mark.parametrize("unit", [None, "question"])
def test_a_matrix_of_scores_has_the_means_of_the_comparison(unit):
    matrix = meta.score_matrix("RR RBPT", QRELS, RUNS, keys=KEYS, unit=unit)
    means = ir_trunc.compare("RR RBPT", QRELS, RUNS, keys=KEYS, unit=unit).to_pandas()
    np.testing.assert_allclose(matrix.values.mean(axis=2).T, means, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*probably a limit")
def test_a_depth_that_the_evaluation_set_stands_above_the_result():
    qrels = {str(topic): {"d1": 1} for topic in range(12)}
    runs = {name: {topic: [f"d{rank}" for rank in range(k)] for topic in qrels} for name, k in DEPTHS.items()}
    comparison = ir_trunc.compare("OIE", qrels, runs)
    caution = "most lists of 2 of 2 runs end at one depth (50: short; 100: long)"
    markdown, html = comparison.to_markdown(), comparison.to_html()
    for text, table in ((repr(comparison), "OIE system"), (markdown, "| system"), (html, "<table")):
        assert 0 <= " ".join(text.split()).index(caution) < " ".join(text.split()).index(table)
    page = ir_trunc.report("OIE", qrels, runs)
    limit = "probably a limit set by the evaluation"
    verdict = page.index(f"<strong>Read with care, as {caution}, {limit}:</strong> short has")
    advice = page.index("treats it as a decision of the system; if it is a limit, use OIE@50.")
    assert verdict < advice < page.index("<nav")
    gate = ir_trunc.check("OIE worsens 1", qrels, runs["long"], baseline=runs["short"])
    assert repr(gate).index("Read with care: ") < repr(gate).index("OIE worsens 1:")
    (note,) = gate.notes
    assert note.endswith("use OIE@50.")
    calm = ir_trunc.check("OIE@50 worsens 1", qrels, runs["long"], baseline=runs["short"])
    assert "Read with care" not in repr(calm)


def test_the_universe_counts_scored_topics_only():
    run = {"a/0": ["x"]}
    with pytest.warns(ir_trunc.IrTruncWarning, match="excluded from all means"):
        results = ir_trunc.calc("RR", QRELS, run, keys=KEYS, missing="exclude")
    universe = results.universe
    assert (universe.topics, universe.in_run, universe.missing, universe.excluded) == (1, 1, 0, 29)
    assert "29 more missing from the run, excluded" in " ".join(results.heading.split())
