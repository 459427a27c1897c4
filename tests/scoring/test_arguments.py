"""Arguments of policies and procedures: a text, an object, or a list of both; options that are refused."""

import numpy as np
import pytest

from ir_trunc import AP
from ir_trunc.meta import coverage, pool_grid, pooled_runs, score_matrix
from ir_trunc.truncation import cross_validate

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}, "3": {"a": 1}}
RUN = {"1": {"b": 3.0, "a": 2.0}, "2": {"c": 1.0}, "3": {"b": 1.0}}
OTHER = {"1": {"a": 3.0, "b": 2.0}, "2": {"d": 1.0}}
THIRD = {"1": {"d": 3.0, "b": 2.0}, "3": {"a": 1.0}}
RUNS = {"run": RUN, "other": OTHER, "third": THIRD}


def test_a_file_of_cuts_with_a_blank_in_its_path_is_one_policy(tmp_path):
    path = tmp_path / "my cuts.txt"
    path.write_text("1\t1\n2\t1\n3\t0\n")
    table = cross_validate(str(path), "AP", QRELS, {"run": RUN}, folds=2)
    assert table["length"].tolist() == pytest.approx([2 / 3])


def test_references_of_coverage_are_a_text_an_object_or_a_list_of_both():
    matrix = score_matrix("AP P@2 RR", QRELS, RUNS)
    assert {coverage(matrix, reference).reference for reference in ("AP", AP)} == {("AP",)}
    assert {coverage(matrix, reference).reference for reference in ("AP P@2", (AP, "P@2"))} == {("AP", "P@2")}
    assert coverage(matrix.joined({"again": matrix}), "AP, again").reference == ("AP, again",)


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
    texts = {"qrels": "1 0 a 1\n", "r1": "1 Q0 a 1 1 x\n", "r2": "1 Q0 b 1 1 x\n", "names": "r1 a\nr2 b\n"}
    for name, written in texts.items():
        (tmp_path / name).write_text(written)
    *files, names = (str(tmp_path / name) for name in texts)
    given = words.replace("FILES", " ".join(files)).replace("NAMES", names).split()
    status, out, error = command("meta", *given)
    assert (status, out) == (2, "")
    assert says in error.splitlines()[-1]


def test_a_residual_needs_a_measure_that_takes_the_persistence():
    pools = pooled_runs(QRELS, RUNS)
    usual = pool_grid("RBP(p={p},rel=1) AP", pools, [1], [2], forms=["raw"])
    given = pool_grid("RBP(p={p},rel=1) AP", pools, [1], [2], forms=["raw"], residual=0.1)
    np.testing.assert_array_equal(usual.share, given.share)
