"""Arguments that take measures, policies, systems and runs: a text, an object, or a list of both."""

import numpy as np
import pytest
from messages import refused

from ir_trunc import AP, RBPT, RR, InputError, P, ParameterError, calc, compare
from ir_trunc.meta import (
    coverage,
    pool_grid,
    pooled_runs,
    score_matrix,
)  # fmt: skip
from ir_trunc.truncation import Fixed, Greedy, cross_validate, study

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
    refused(InputError, "each run needs a name of its own", call, "AP", QRELS, {1: RUN, "1": OTHER})
    for none in ({}, []):
        refused(InputError, "There is no run", call, "AP", QRELS, none)
    assert compare("AP", QRELS, {1: RUN, 2: OTHER}).systems == ("1", "2")


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
