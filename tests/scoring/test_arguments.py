"""Arguments that take measures, policies, systems and runs: a text, an object, or a list of both."""

import numpy as np
import pandas as pd
import pytest

from ir_trunc import AP, RBPT, RR, InputError, IrTruncError, P, ParameterError, calc, compare
from ir_trunc._core.errors import ParameterTypeError
from ir_trunc.meta import (
    Reference,
    agreement,
    coverage,
    error_rates,
    leave_group_out,
    pool_grid,
    pooled_runs,
    power,
    predictivity,
    properties,
    score_matrix,
    swap_rates,
)  # fmt: skip
from ir_trunc.truncation import Fixed, Given, Greedy, cross_validate, parse_policy, study

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}, "3": {"a": 1}}
RUN = {"1": {"b": 3.0, "a": 2.0}, "2": {"c": 1.0}, "3": {"b": 1.0}}
OTHER = {"1": {"a": 3.0, "b": 2.0}, "2": {"d": 1.0}}
THIRD = {"1": {"d": 3.0, "b": 2.0}, "3": {"a": 1.0}}
RUNS = {"run": RUN, "other": OTHER, "third": THIRD}


@pytest.mark.parametrize("policies", ["Greedy Fixed(k=2)", ["Greedy", Fixed(2)], (Greedy(), Fixed(2))])
def test_policies_are_a_text_an_object_or_a_list_of_both(policies):
    table = cross_validate(policies, AP, QRELS, {"run": RUN}, folds=2)
    assert table["policy"].tolist() == ["Greedy", "Fixed(k=2)"]


def test_a_file_of_cuts_with_a_blank_in_its_path_is_one_policy(tmp_path):
    path = tmp_path / "my cuts.txt"
    path.write_text("1\t1\n2\t1\n3\t0\n")
    table = cross_validate(str(path), "AP", QRELS, {"run": RUN}, folds=2)
    assert table["length"].tolist() == pytest.approx([2 / 3])


@pytest.mark.parametrize("measures", [None, 5, b"AP", np.array(5), pd.DataFrame()])
def test_what_is_no_measure_is_refused(measures):
    with pytest.raises(ParameterTypeError, match="a text as 'RBPT nDCG@10' or a measure object is needed"):
        calc(measures, QRELS, RUN)


@pytest.mark.parametrize("measures", ["AP P", [AP, "P"], (AP, P)], ids=str)
def test_a_pool_grid_takes_measures_forms_systems_and_depths_one_or_several(measures):
    grid = pool_grid(measures, pooled_runs(QRELS, RUNS), [1], [2], forms="raw", pooled=["run"])
    wide = pool_grid(["AP", "P"], pooled_runs(QRELS, RUNS), [1], [2], forms=["raw"], pooled=["run"])
    assert grid.measures == wide.measures == ("AP", "P")
    np.testing.assert_array_equal(grid.share, wide.share)


def test_references_of_coverage_are_a_text_an_object_or_a_list_of_both():
    matrix = score_matrix("AP P@2 RR", QRELS, RUNS)
    assert {coverage(matrix, reference).reference for reference in ("AP", AP)} == {("AP",)}
    assert {coverage(matrix, reference).reference for reference in ("AP P@2", (AP, "P@2"))} == {("AP", "P@2")}
    both = matrix.joined({"again": matrix})
    assert coverage(both, "AP, again").reference == ("AP, again",)


def test_procedures_over_pooled_runs_say_that_they_need_them():
    for procedure in (pool_grid, lambda measures, runs: leave_group_out(measures, runs, 1)):
        with pytest.raises(InputError, match="pooled_runs"):
            procedure("AP", RUNS)


@pytest.mark.parametrize(("words", "says"), [
    ("leave-group-out FILES P@1 --depth 1 --depths 1", "unrecognized arguments: --depths 1"),
    ("leave-group-out FILES P@1", "the following arguments are required: --depth"),
    ("leave-group-out FILES P@1 --depth 1 --plot x.png", "unrecognized arguments: --plot x.png"),
    ("pools FILES P --groups NAMES", "unrecognized arguments: --groups"),
    ("pools FILES P --residual 0.2", "residual=0.2 is for measures with {p}"),
    ("pools FILES P --residual 2", "residual=2 is out of range: a number > 0 and < 1"),
    ("pools FILES P --depths 1,x", "depths='x': a whole number >= 1 is needed"),
    ("stability FILES P@1 --size no", "argument --size: 'no' is not a whole number"),
    ("power FILES P@1 --test u", "test='u' is unknown"),
    ("power FILES P@1 --alpha 5%", "alpha='5%': a number > 0 and < 1 is needed"),
])  # fmt: skip
def test_options_of_a_procedure_that_it_does_not_have_or_allow_are_refused(command, tmp_path, words, says):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "r1").write_text("1 Q0 a 1 1 x\n")
    (tmp_path / "r2").write_text("1 Q0 b 1 1 x\n")
    (tmp_path / "names").write_text("r1 a\nr2 b\n")
    files = " ".join(str(tmp_path / name) for name in ("qrels", "r1", "r2"))
    given = words.replace("FILES", files).replace("NAMES", str(tmp_path / "names")).split()
    status, out, error = command("meta", *given)
    assert (status, out) == (2, "")
    assert says in error.splitlines()[-1]


def test_a_residual_needs_a_measure_that_takes_the_persistence():
    pools = pooled_runs(QRELS, RUNS)
    with pytest.raises(ParameterError, match=r"residual=0\.2 is for measures with \{p\}"):
        pool_grid(["AP", "RBP(p=0.5, rel=1)"], pools, [1], [2], forms=["raw"], residual=0.2)
    usual, given = (
        pool_grid("RBP(p={p},rel=1) AP", pools, [1], [2], forms=["raw"], **residual)
        for residual in ({}, {"residual": 0.1})
    )
    np.testing.assert_array_equal(usual.share, given.share)


@pytest.mark.parametrize("call", [compare, score_matrix, study.best_cuts, study.cuts])
def test_runs_need_names_of_their_own_and_there_must_be_one(call):
    with pytest.raises(InputError, match="each run needs a name of its own"):
        call("AP", QRELS, {1: RUN, "1": OTHER})
    for none in ({}, []):
        with pytest.raises(InputError, match="There is no run"):
            call("AP", QRELS, none)
    assert compare("AP", QRELS, {1: RUN, 2: OTHER}).systems == ("1", "2")


@pytest.mark.parametrize("make", [
    lambda: calc(f"AP@{10**30}", QRELS, RUN),
    lambda: calc(f"OIE(D={10**25})", QRELS, RUN),
    lambda: calc(AP(rel=10**400), QRELS, RUN),
    lambda: calc(f"AP(rel={10**400})", QRELS, RUN),
    lambda: parse_policy(f"Fixed(k={10**30})"),
    lambda: Given({"1": 10**30}),
])  # fmt: skip
def test_whole_numbers_beyond_64_bits_are_refused(make):
    with pytest.raises(ParameterError, match=r"too large: .* >= [01], and at most 9223372036854775807"):
        make()


@pytest.mark.parametrize("cuts", [{"1": -1}, {"1": 0.5}, {"1": "2"}, {"1": None}, 5], ids=str)
def test_cuts_are_checked_where_they_are_made(cuts):
    with pytest.raises(IrTruncError, match="cut"):
        Given(cuts)


def test_a_mean_is_looked_up_by_text_and_by_object_in_every_way():
    means = calc("AP RBPT(p=0.5)", QRELS, RUN).aggregated
    for key in ("AP", AP, "MAP", "RBPT(p=0.5)", RBPT(p=0.5)):
        assert key in means
        assert means.get(key) == means[key]
    for key in ("RR", RR, RBPT, "nothing of the kind", 5):
        assert key not in means
        assert means.get(key) is None
        assert means.get(key, 7) == 7
    with pytest.raises(KeyError, match=r"RR is not among the measures: AP, RBPT\(p=0\.5\)"):
        means[RR]


@pytest.mark.parametrize("given", [pd.DataFrame({"AP": [0.5]}), {"AP": {"run": 0.5}}, [[0.5]], "AP", 3, None])
def test_procedures_over_scores_say_what_makes_a_score_matrix(given):
    procedures = [power, error_rates, swap_rates, predictivity, Reference.of, lambda m: coverage(m, "AP")]
    for procedure in [*procedures, *([] if isinstance(given, dict) else [agreement])]:
        with pytest.raises(InputError, match=r"score_matrix\(measures, qrels, runs\)"):
            procedure(given)
    with pytest.raises(ParameterError, match="measures"):
        properties(3)
