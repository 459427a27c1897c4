"""The seven properties: verdicts known by hand, proofs that can be checked, and the table of all measures, pinned."""

from pathlib import Path

import ir_measures
import numpy as np
import pytest
from naive import TWINS, Query, Setting

from ir_trunc import meta
from ir_trunc.errors import IrTruncError
from ir_trunc.measures import registry
from ir_trunc.meta import axioms, properties

TABLE = Path(__file__).parent / "property_table.csv"


def verdicts(measure, **options):
    return [finding.verdict for finding in meta.check_properties(measure, **options).findings]


def first_wins(grades, judged):
    return 1 / (1 + list(grades).index(1)) if 1 in grades else 0.0


def count_less_length(grades, judged):
    return sum(grades) - 0.1 * len(grades)


def constant(grades, judged):
    return 1


@pytest.mark.parametrize(("function", "expected"), [
    (constant, ["constant"] * 7),
    (first_wins, ["weak", "weak", "strict", "violated", "constant", "constant", "strict"]),
    (count_less_length, ["constant", "constant", "violated", "strict", "strict", "constant", "constant"]),
    (lambda g, j: -first_wins(g, j), ["violated", "violated", "violated", "strict", "constant", "constant", "violated"]),
])  # fmt: skip
def test_verdicts_that_are_known_by_hand(function, expected):
    assert verdicts(function) == expected


@pytest.mark.parametrize("name", ["AP", "RBPT", "RBPU", "nDCG", "ERR", "OIE", "Q"])
def test_a_users_function_is_judged_as_the_formula_that_it_equals(name, monkeypatch):
    monkeypatch.setattr(axioms, "DEEPEST", 5)  # powers of 2: the twins are slow

    def twin(grades, judged):
        return TWINS[name](Query(list(grades), list(judged), [1.0] * len(grades)), Setting(levels=(1,)))

    found = meta.check_properties(twin, length=5)
    assert [f.verdict for f in found.findings] == verdicts(name, length=5)
    assert [f.shows for f in found.findings] == [f.shows for f in meta.check_properties(name, length=5).findings]


def test_every_violation_is_a_violation_by_the_naive_twin():
    """The cases that are printed are found again, and scored once more by hand."""
    for name in ("Q", "SetF", "Bpref", "RBU"):
        for known, finding in zip(axioms.PROPERTIES, meta.check_properties(name, length=5).findings):
            if finding.verdict != "violated" or known.threshold:
                continue
            for case in known.cases((0, 1), 5):
                scores = [
                    TWINS[name](Query(list(r.grades), list(r.judged), [1.0] * len(r.grades)), Setting(levels=(1,)))
                    for _, r in case
                ]
                margin = sum(sign * score for (sign, _), score in zip(case, scores))
                if margin < -1e-9:
                    assert finding.shows.startswith(f"{case[0][1]} {scores[0]:.4g}")
                    break
            else:
                pytest.fail(f"{name}, {known.name}: no case is violated")


def test_cases_are_what_the_properties_say():
    by_name = {known.name: list(known.cases((0, 1), 4)) for known in axioms.PROPERTIES}
    for (_, better), (_, worse) in by_name["Priority"]:
        assert sorted(better.grades) == sorted(worse.grades)
        assert better.grades > worse.grades
    for (_, better), (_, worse) in by_name["Top-weightedness"]:
        assert better.grades > worse.grades
    assert {str(better) for (_, better), _ in by_name["Top-weightedness"]} == {f"1001 (R={R})" for R in (2, 3, 4)}
    for (_, shorter), (_, longer) in by_name["Confidence"]:
        assert (*shorter.grades, 0) == longer.grades
        assert shorter.judged == longer.judged
    for (_, fewer), (_, more) in by_name["Recall"]:
        assert fewer.grades == more.grades
        assert sum(more.judged) == sum(fewer.judged) + 1
        assert any(fewer.grades)
    for cases in by_name.values():
        for case in cases:
            for _, ranking in case:
                for grade in (0, 1):
                    assert ranking.grades.count(grade) <= ranking.judged.count(grade)


def test_deepness_is_decided_by_the_deepest_block_and_says_where_it_holds():
    shows = meta.check_properties("AP")["Deepness"].shows
    assert shows.startswith("1 (R=8192) 0.0001221 < 0^8192 1^8192")
    assert shows.endswith("holds for n = 1, 2")  # 1/2 against (1/3 + 2/4) / 2
    assert meta.check_properties("RBP")["Deepness"].shows.startswith("1 (R=8) 0.2 > 0^8 1^8 (R=8)")


def test_parameters_decide_too():
    assert meta.check_properties("RBU")["Shallowness"].verdict == "violated"
    assert meta.check_properties("RBU(p=0.98)")["Shallowness"].verdict == "strict"
    assert meta.check_properties(ir_measures.AP @ 1)["Recall"].verdict == "weak"
    assert meta.check_properties("RBPU(e=0)")["Confidence"].verdict == "constant"
    assert meta.check_properties("AP", (0, 1, 2), 4)["Priority"].verdict == "weak"
    assert meta.check_properties("nDCG", (0, 1, 2), 4)["Priority"].verdict == "strict"


def test_the_paper_is_shown_where_it_says_otherwise():
    found = meta.check_properties("RBPT")
    assert found["Confidence"].disagrees()
    assert found["Confidence"].shows == "- (R=1) 0 = 0 (R=1) 0"
    assert "the paper says yes (section 3.2)" in repr(found)
    assert not found["Shallowness"].disagrees()
    assert not found["Recall"].paper


def test_every_claim_of_the_paper_is_about_a_measure_and_a_property():
    names = {known.name for known in axioms.PROPERTIES}
    for measure, claims in properties._claims().items():
        assert measure in registry
        assert set(claims) <= names
    in_table_1 = "Spearman KendallTau AUC P R Rprec RR SetF AP nDCG Q Bpref ERR RBP iRBU nDCGT ERRT RBPT FlatU RBU DCGU ERRU"
    assert set(properties._claims()) >= {*in_table_1.split(), "RBPU", "OIE"}


def test_the_table_of_all_measures():
    """Made by `ir_trunc meta properties --csv`. A change is a change of a formula or of a check: look at both."""
    table = meta.property_table()
    assert [v.measure.partition("@")[0] for v in table] == list(registry)
    csv = table.to_pandas().to_csv(index=False, lineterminator="\n")
    assert csv == TABLE.read_text(encoding="utf-8")
    assert len(repr(table).splitlines()) == len(registry) + 2


def test_a_table_of_some_measures_and_its_picture():
    table = meta.property_table("RBPT OIE", (0, 1), 4)
    assert table[0] == meta.check_properties("RBPT", (0, 1), 4)
    ax = table.plot()
    words = [text.get_text() for text in ax.texts]
    assert words == [found.verdict + "*" * found.disagrees() for verdicts in table for found in verdicts.findings]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["RBPT", "OIE"]


@pytest.mark.parametrize(("wrong", "says"), [
    (lambda: meta.check_properties("nothing"), "There is no measure"),
    (lambda: meta.check_properties("infAP"), "not computed"),
    (lambda: meta.check_properties("AP", (1, 2)), "scale="),
    (lambda: meta.check_properties("AP", (0, 2, 1)), "scale="),
    (lambda: meta.check_properties("AP", length=3), "length=3"),
])  # fmt: skip
def test_errors_name_what_was_wrong(wrong, says):
    with pytest.raises(IrTruncError, match=says):
        wrong()


def test_gains_never_depend_on_the_rankings_beside():
    trial = properties.trials((0, 1, 2), 4)[2][0]
    assert trial.lists.judgments.max_rel == 2
    assert np.isfinite(trial.lists.scores).all()
