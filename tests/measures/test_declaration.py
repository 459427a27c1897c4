"""A measure of one's own, as the page about it has it: saved, imported, used and held to its definition."""

import pickle
import sys
from dataclasses import dataclass

import ir_measures
import numpy as np
import pytest
import reference_measures as references
from generated import queries, rankings_of
from messages import refused
from pages import ROOT, blocks, run_console, run_python

import ir_trunc
from ir_trunc.measures import BoundMeasure, declaration, registry
from ir_trunc.measures.params import Effort, MinRel, Persistence

PAGE = ROOT / "notebooks" / "howto" / "own-measure.md"


@pytest.fixture
def own_measure(collection, monkeypatch, registries):
    """The page's measure, saved as netp.py where the collection is."""
    own = blocks(PAGE, "python")[0]
    (collection / "netp.py").write_text(own, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(collection), *sys.path])
    yield own
    sys.modules.pop("netp", None)


def test_the_page_does_what_it_says(own_measure, collection):
    names: dict[str, object] = {}
    for block in blocks(PAGE, "python")[1:]:
        run_python(block, names)
    assert sum(run_console(block, collection) for block in blocks(PAGE, "console")) == 1


def test_the_measure_of_your_own_is_saved_imported_and_used(own_measure):
    """As a module, by its object and its text, and as the laws hold the library's measures: equal to its
    reference implementation.
    """
    from netp import NetP

    run = queries(seed=5, count=20)
    for given in ({}, {"e": 0.5}, {"rel": 2}):
        measure = NetP(**given)
        rankings = rankings_of(run)
        results = ir_trunc.calc([measure, str(measure)], None, rankings)
        assert results.measures == (measure,)
        e, rel = given.get("e", 0.05), references.binary(given.get("rel", 1))
        expected = [sum(references.seen(q, rel)) - e * len(q.grades) for q in run]
        np.testing.assert_allclose(results.values[0], expected, rtol=1e-12, atol=1e-12)
        assert (ir_trunc.curves(measure, None, rankings)[measure].own() == results.values[0]).all()
    qrels, found = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    assert ir_measures.calc_aggregate([ir_measures.parse_measure("NetP@1")], qrels, found) == {NetP @ 1: 0.95}
    assert ir_trunc.NetP is NetP
    assert pickle.loads(pickle.dumps(NetP(e=0.1) @ 5)) == NetP(e=0.1) @ 5


def test_a_measure_of_your_own_may_be_declared_again_but_not_take_a_name(own_measure):
    names: dict = {"__name__": "netp"}
    exec(own_measure.replace("e: Effort = 0.05", "e: Effort = 0.5"), names)
    assert ir_trunc.calc_aggregate("NetP", {"q": {"a": 1}}, {"q": {"a": 1.0}})["NetP"] == 0.5
    for taken in ("AP", "RBPT", "NDCG", "NetP"):
        code, says = own_measure.replace("NetP", taken), f"{taken} is the name of another measure"
        refused(ir_trunc.ParameterError, says, exec, code, {"__name__": "elsewhere"})


def test_a_sentence_and_the_formula_are_docstring_enough(own_measure):
    exec(own_measure.replace("\n\n    Empty list: 0.", ""), {"__name__": "netp"})
    assert ir_trunc.calc_aggregate("NetP", {"q": {"a": 1}}, {"q": {"a": 1.0}})["NetP"] == 0.95


def test_a_measure_outside_the_package_is_declared_by_the_public_decorator():
    """The package's own decorator makes no object of it, and does not look whether its name is taken."""
    before = dict(registry)
    for name in ("AP", "Mine"):
        declare, says = declaration.measure(source="here", name=name), f"{name}: declare your own measures"
        refused(ir_trunc.ParameterError, f"{says} by ir_trunc.meas", declare, lambda lists: lists.n)
    assert registry == before


RELEVANT = "lists.sum(binary(lists, rel).hits)"


@pytest.mark.parametrize(("result", "says"), [
    (f"{RELEVANT} / lists.n", r"not every score .*; over\(a, b\) of ir_trunc\.measures\.parts"),
    *((result, "NetP returns .* with a value for every point")
      for result in ("[1.0]", "0.5", "None", "lists.lengths[:0]")),
])  # fmt: skip
def test_a_measure_that_returns_no_value_for_some_points_is_refused(own_measure, result, says):
    exec(own_measure.replace(f"{RELEVANT} - e * lists.n", result), {"__name__": "netp"})
    refused(ir_trunc.ParameterError, says, ir_trunc.calc, "NetP", {"q": {"a": 1}}, {"q": []})


def test_import_at_the_command_line(own_measure, command, collection):
    score = ("demo.qrels", "stops-in-time.run", "NetP")
    for option in (("--import", "netp"), ("--import=netp",), ("--import", "netp.py")):
        assert command(*option, *score)[:2] == command(*score, *option)[:2] == (0, "NetP\t2.1571\n")
    assert "sum_i r_i - e n" in command("measures", "NetP", "--import", "netp")[1]
    assert command("study", "cuts", *score[:2], "-m", "NetP", "--import", "netp")[0] == 0
    (collection / "broken.py").write_text("1 / 0")
    for words, said in (
        (("--import", "nowhere"), "No module named 'nowhere'"),
        (("--import", "broken"), "--import 'broken' fails: ZeroDivisionError: division by zero"),
        (("--import",), "--import needs the name of a module"),
    ):
        status, printed, errors = command(*score, *words)
        assert (status, printed, errors.count("\n")) == (2, "", 1)
        assert said in errors


def test_measures_may_share_their_parameters_as_the_fields_of_a_dataclass(registries):
    @dataclass(frozen=True)
    class Reader:
        p: Persistence = 0.8
        e: Effort = 0.05

        def effort(self, lists):
            return self.e * self.p * lists.n

    @ir_trunc.measure(source="an example", range=(-1e9, 0))
    def MinusEffort(lists, reader: Reader, rel: MinRel = 1):
        """Minus the effort of reading.

        -p e n
        """
        return -reader.effort(lists)

    assert registry["MinusEffort"].signature == "MinusEffort(p=0.8, e=0.05, rel=1)[@k]"
    run = {"1": ["a", "b"]}
    measure = MinusEffort(p=0.5, e=0.5)
    assert ir_trunc.calc_aggregate(measure, {"1": {"a": 1}}, run)[measure] == -0.5
    refused(ir_trunc.ParameterError, "MinusEffort: p=2", MinusEffort, p=2)


def test_a_bound_measure_needs_no_cutoff():
    lists = ir_trunc.Rankings.from_lists([[0, 1, 1]])
    made = BoundMeasure(registry["AP"], {"rel": 1})
    assert made.score(lists).tolist() == registry["AP"].bind({}).score(lists).tolist()
