"""A parameter is checked when it is given, and not again on its way to the scores."""

import ir_measures
import pytest

import ir_trunc
from ir_trunc import AP, RBPT, ParameterError, nDCG
from ir_trunc.measures.params import Number, Whole

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}

WAYS = {
    "text": lambda: ir_trunc.calc("RBPT(p=0.7)", QRELS, RUN),
    "object": lambda: ir_trunc.calc(RBPT(p=0.7), QRELS, RUN),
    "object with a cutoff": lambda: ir_trunc.calc(RBPT(p=0.7) @ 10, QRELS, RUN),
    "object that is changed": lambda: ir_trunc.calc(RBPT(p=0.7)(tail=False), QRELS, RUN),
    "classical measure": lambda: ir_trunc.calc("RBP(p=0.7)", QRELS, RUN),
    "several runs": lambda: ir_trunc.compare("RBPT(p=0.7)", QRELS, {"a": RUN, "b": RUN}),
    "curves": lambda: ir_trunc.curves("RBPT(p=0.7)", QRELS, RUN),
    "ir-measures": lambda: ir_measures.calc([RBPT(p=0.7)], QRELS, RUN),
    "text of ir-measures": lambda: ir_measures.calc_aggregate(
        [ir_measures.parse_measure("RBPT(p=0.7)")], QRELS, RUN
    ),
}


@pytest.fixture
def checks(monkeypatch):
    """The names of the parameters that are checked, in order."""
    names = []
    for kind in (Number, Whole):

        def counting(self, name, value, clean=kind.clean):
            names.append(name)
            return clean(self, name, value)

        monkeypatch.setattr(kind, "clean", counting)
    return names


@pytest.mark.parametrize("way", WAYS)
def test_a_parameter_is_checked_once_on_every_way(checks, way):
    WAYS[way]()
    assert checks.count("p") == 1
    assert checks.count("cutoff") <= 1


def test_a_change_checks_what_changes_and_takes_values_back(checks):
    measure = RBPT(p=0.7, max_rel=3)
    checks.clear()
    assert str(measure(max_rel=None)) == "RBPT(p=0.7)"
    assert checks == []
    assert str(measure @ 5) == "RBPT(max_rel=3,p=0.7)@5"
    assert checks == ["cutoff"]
    with pytest.raises(ParameterError, match="p=7 is out of range"):
        measure(p=7)


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        (AP(persistence=3), "AP has no parameter 'persistence'; it has: "),
        (ir_measures.infAP(rel="high"), "invalid param rel='high'"),
        (nDCG(dcg="log3"), "nDCG: dcg='log3' is unknown"),
        (ir_measures.P(rel=0) @ 5, "P: rel=0 is out of range"),
    ],
)
def test_an_object_of_ir_measures_is_checked_where_it_comes_in(measure, says):
    with pytest.raises(ParameterError) as caught:
        ir_trunc.calc(measure, QRELS, RUN)
    assert says in str(caught.value)
