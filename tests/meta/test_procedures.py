"""What holds for every procedure, from its declaration and the example in its docstring."""

import inspect
import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import pytest
from calls import examples
from matrices import collection, matrix_of, random_matrix
from messages import refused

from ir_trunc import AP, RBPT, InputError, IrTruncError, meta
from ir_trunc._scoring.results import Result
from ir_trunc.measures.params import Number
from ir_trunc.meta import ScoreMatrix, procedure
from ir_trunc.meta.procedures import MatrixMeasures, SystemNames
from ir_trunc.synthetic import demo

REFERENCE = (Path(__file__).parents[2] / "notebooks" / "reference.md").read_text(encoding="utf-8")

PROCEDURES = sorted(meta.registry)

ODD = [object(), "such a value is nowhere", -(10**12), float("nan"), {"a": object()}, [], [None]]

every_procedure = pytest.mark.parametrize("name", PROCEDURES)


@every_procedure
def test_a_procedure_is_exported_and_gives_the_result_that_it_declares(name):
    known, (given, found) = meta.registry[name], examples("ir_trunc.meta")[f"meta.{name}"]
    assert known.summary.endswith(".")
    told = inspect.getdoc(known.function)
    assert re.search(rf"^Returns\n-+\n{known.result.__name__}$", told, re.MULTILINE)
    assert getattr(meta, name) is known.function
    assert getattr(meta, known.result.__name__) is known.result
    assert {name, known.result.__name__} <= {*meta.__all__} & {*dir(meta)}
    assert type(found) is known.result
    assert isinstance(found, Result)
    again = known.function(**given)
    assert repr(again) == repr(found)
    pd.testing.assert_frame_equal(again.to_pandas(), found.to_pandas(), check_exact=True)


@every_procedure
def test_every_option_that_is_wrong_is_refused_by_its_name(name):
    known, (given, _) = meta.registry[name], examples("ir_trunc.meta")[f"meta.{name}"]
    for option in known.options.values():
        for value in ODD:
            with pytest.raises(IrTruncError) as caught:
                known.function(**given | {option.name: value})
            said, named = str(caught.value), not isinstance(option.kind, (MatrixMeasures, SystemNames))
            assert option.name in said or not named, (option.name, value)
            assert "\n" not in said


@every_procedure
def test_what_a_procedure_is_about_is_refused_by_its_name_where_it_is_something_else(name):
    known, (given, _) = meta.registry[name], examples("ir_trunc.meta")[f"meta.{name}"]
    for argument in known.inputs:
        with pytest.raises(IrTruncError) as caught:
            known.function(**given | {argument: object()})
        assert argument in str(caught.value) or "measure" in str(caught.value)


@every_procedure
def test_a_procedure_is_in_the_reference_with_its_source(name):
    parts = re.split(r"^##+ ", REFERENCE, flags=re.MULTILINE)
    (mine,) = [part for part in parts if part.startswith(f"{name}\n")]
    known = meta.registry[name]
    assert known.signature in mine
    assert known.source.partition(", http")[0] in mine
    for option in known.options:
        assert f"| `{option}` |" in mine


@every_procedure
def test_a_command_has_every_option_as_a_flag(name, command):
    if meta.registry[name].command in ("guide", "calibrate"):  # written out
        return
    status, out, error = command("meta", meta.registry[name].command, "--help")
    assert (status, error) == (0, "")
    for option in meta.registry[name].options:
        assert f"--{option.replace('_', '-')}" in out
    assert " ".join(meta.registry[name].source.split()) in " ".join(out.split())


Score = Annotated[float, Number("score", 0, 1)]


@pytest.fixture
def topics_above(registries):
    """A procedure of one's own, while the test runs."""

    @procedure(source="a lecture")
    def topics_above(matrix: ScoreMatrix, score: Score = 0.5) -> ScoreMatrix:
        """Whether a system's score on a topic is above a score."""
        return replace(matrix, values=(matrix.values > score).astype(np.float64))

    return topics_above


def test_a_procedure_that_is_added_is_exported_and_a_command(topics_above, command):
    assert meta.topics_above is topics_above
    assert "topics_above" in dir(meta)
    files = [str(demo.data() / "demo.qrels"), *map(str, sorted(demo.data().glob("*.run")))]
    status, out, _ = command("meta", "topics-above", *files, "AP", "RBPT", "--score", "0.4")
    matrix = meta.score_matrix("AP RBPT", files[0], files[1:])
    assert (status, out) == (0, f"{topics_above(matrix, 0.4)}\n")
    status, out, error = command("meta", "topics-above", *files, "AP", "--score", "2")
    assert (status, out) == (2, "")
    assert "score=2 is out of range: a number >= 0 and <= 1 is needed" in error
    assert re.search(r"\n  topics-above +Whether a system's score on a topic is", command("meta")[1])


def test_measures_are_found_by_text_and_by_object_in_every_result():
    runs = sorted(demo.data().glob("*.run"))
    matrix = meta.score_matrix("RBPT(p=0.5) AP", demo.data() / "demo.qrels", runs)
    power, agreement = meta.power(matrix), meta.agreement(matrix)
    np.testing.assert_array_equal(matrix["RBPT( p = 0.5 )"], matrix[RBPT(p=0.5)])
    pd.testing.assert_frame_equal(power.matrix("RBPT(p=.5)"), power.matrix(RBPT(p=0.5)))
    one, other = (AP, "RBPT(p=0.50)"), ("AP", RBPT(p=0.5))
    assert agreement.interval(*one, repetitions=9) == agreement.interval(*other, repetitions=9)
    table = meta.properties("AP RBPT(p=0.5)", (0, 1), 4)
    assert table[RBPT(p=0.5)] is table["RBPT(p=.5)"] is table[1]
    refused(IrTruncError, "There is no measure RBPT here; there are: RBPT", power.matrix, "RBPT")
    refused(InputError, "matrix of type list", meta.power, [matrix])


POOLS, TOPIC = meta.pooled_runs(*collection(0)), random_matrix(0).take(topics=["1"])


@pytest.mark.parametrize(("wrong", "says"), [
    (lambda m: meta.agreement({"a": [2, 1, 1], "b": [3, 2, 1]}, "tau_ap"), "has ties.*Take tau_ap_b"),
    (lambda m: meta.tau_ap([4, 3, 2, 1], [1, 1, 1, 1]), "has ties.*Take tau_ap_b"),
    (lambda m: meta.rbo([1, 2, 3], [1, 2]), "3 and 2 items: the same items, at least two, are needed"),
    (lambda m: meta.rbo({"a": float("nan")}, {"a": 1}), "finite"),
    (lambda m: meta.break_even("RBPU", "gain", 3), "'gain' cannot be calibrated; p, e can"),
    (lambda m: meta.break_even("RBP", "p", 3), "more than nothing at every p .*, from 0.00249 to 0.998"),
    (lambda m: meta.break_even("OIE", "beta", 30000), "rank=30000 is beyond the D=20000 documents"),
    (lambda m: meta.coverage(m.take(m.systems[:2]), m.measures[:1]), "2 systems: Cov needs at least three"),
    (lambda m: meta.guide(length=True), "answers is not answered"),
    (lambda m: meta.leave_group_out("AP", POOLS, 1, {"s0": "a"}), "system s1 has none"),
    (lambda m: meta.power(TOPIC), "at least two"),
    (lambda m: meta.power(m.take(["s1"])), "at least two"),
    (lambda m: meta.predictivity(TOPIC), "at least two topics"),
    (lambda m: meta.split_tests(m.take(topics=[*"012"])), "3 topics: two halves .* need at least four"),
    (lambda m: matrix_of(m.values * np.nan), "finite"),
    (lambda m: m.joined({"x": m.take(["s1"])}), "other systems"),
])  # fmt: skip
def test_errors_name_what_was_wrong(wrong, says):
    refused(IrTruncError, says, wrong, random_matrix(0))
