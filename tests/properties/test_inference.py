"""One quantity of one run has one interval, at every door, and nothing but _inference computes one."""

import re

import numpy as np
import pytest
from source import FILES, PACKAGE, imports_of, package_of

import ir_trunc
from ir_trunc import Judged, calc, check, compare, how_many, read_log
from ir_trunc._inference.estimate import Estimate, intervals_of_shares
from ir_trunc.plots import risk_coverage
from ir_trunc.truncation import cross_validate

RANDOM = np.random.default_rng(0)
QRELS = {str(q): {"a": 1, "b": 1, "c": 0} if q % 5 else {"c": 0} for q in range(20)}
RUN = {q: {doc: float(RANDOM.random()) for doc in [*"abcxy"[: int(RANDOM.integers(0, 6))]]} for q in QRELS}
ONES = {q: {"a": 1} for q in QRELS}
ALMOST = {q: {"a": 2.0, "b": 1.0} if q != "7" else {"b": 2.0, "x": 1.0} for q in QRELS}
DATA = {"scores": (QRELS, RUN), "shares": (ONES, ALMOST)}  # 19 of 20 right
MEASURES = ("RBPT(p=0.8)", "SetF", "FlatU(e=0.1)", "c@1")


def of_doors(measure, qrels, run):
    """The interval of the mean of a measure, by door."""
    calculated = calc(measure, qrels, run, missing="empty")
    compared = compare(measure, qrels, {"run": run}, missing="empty")
    checked = check(f"{measure} < -9", qrels, run, missing="empty").checks[0]
    validated = cross_validate("Fixed(k=100)", measure, qrels, {"run": run}, 2, missing="empty").iloc[0]
    table = how_many(qrels, run, measure, policies="Fixed(k=2)", missing="empty").table
    row = table.set_index("policy").loc["as retrieved"]
    corrected = calc(measure, Judged(qrels, qrels), run, missing="empty").corrected.to_pandas().iloc[0]
    bars = calculated.plot().collections[0].get_segments()[0][:, 0]
    other = compared.plot().collections[0].get_segments()[0][:, 0]
    return {
        "Results": calculated.estimate(0).interval(),
        "compare": [compared.means[end][0, 0] for end in ("low", "high")],
        "check": (checked.low, checked.high),
        "cross_validate": validated[["low", "high"]],
        "how_many": row[["low", "high"]],
        "Judged": corrected[["low", "high"]],
    }, (bars, other)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("measure", [*MEASURES, "Success@1"])
@pytest.mark.parametrize("data", DATA)
def test_every_door_has_the_same_interval(measure, data):
    qrels, run = DATA[data]
    if measure == "Success@1":  # which shorter lists cannot raise
        doors = {
            "Results": calc(measure, qrels, run).estimate(0).interval(),
            "check": [getattr(check(f"{measure} < 0", qrels, run).checks[0], end) for end in ("low", "high")],
        }
        if data == "shares":
            assert doors["check"] == pytest.approx((0.7513, 0.9987), abs=5e-5)
    else:
        doors, (bars, other) = of_doors(measure, qrels, run)
        assert bars == pytest.approx(other, abs=1e-9)
    expected = [*doors.pop("Results")]
    assert expected[0] < expected[1]
    for door, interval in doors.items():
        assert [*interval] == pytest.approx(expected, abs=1e-9), door


@pytest.mark.filterwarnings("ignore")
def test_a_page_and_pictures_of_answers_have_it_too():
    low, high = calc("RBPT", QRELS, RUN).estimate(0).interval()
    assert f"[{low:.4f}, {high:.4f}]" in ir_trunc.report("RBPT", QRELS, {"run": RUN, "short": {}})
    answers = [{"id": n, "answer": "a", "correct": n != 7, "confidence": 1 - n / 50} for n in range(20)]
    log = read_log(answers)
    assert log.calc("c@1").estimate(0).interval() == pytest.approx((0.7513, 0.9987), abs=5e-5)
    (band,) = risk_coverage(log.risk_coverage()).collections[:1]
    ends = band.get_paths()[0].vertices
    at_all = ends[ends[:, 0] == 1][:, 1]
    right = Estimate(np.repeat([0.0, 1.0], [19, 1]), (0, 1)).interval()
    assert [at_all.min(), at_all.max()] == pytest.approx(right, abs=1e-9)
    for hits, n in ((0, 9), (4, 9), (9, 9)):
        values = np.repeat([1.0, 0.0], [hits, n - hits])
        of_share = intervals_of_shares(np.array([hits]), np.array([n]))[:, 0]
        np.testing.assert_allclose(of_share, Estimate(values, (0, 1)).interval(), atol=1e-9)


def test_with_keys_intervals_are_over_the_same_units():
    qrels = {f"{user}/{day}": QRELS[str(day)] for user in "abcdef" for day in range(1 + ord(user) % 4)}
    run = {key: RUN[key.partition("/")[2]] for key in qrels}
    for unit in ("user", "day"):
        options = {"keys": "user/day", "unit": unit}
        found = check("RBPT < 0", qrels, run, **options).checks[0]
        expected = pytest.approx((found.low, found.high), abs=1e-9)
        compared = compare("RBPT", qrels, {"run": run}, **options).means
        assert (compared["low"][0, 0], compared["high"][0, 0]) == expected
        table = cross_validate("Fixed(k=100)", "RBPT", qrels, {"run": run}, 2, **options)
        assert tuple(table.iloc[0][["low", "high"]]) == expected


SCIPY = {  # beside _inference and meta: thresholds and guarantees, tests of live lists, tau, places of names
    "answers.py", "truncation/policies/risk.py", "truncation/_monitoring.py", "truncation/study.py",
    "plots/_labels.py",
}  # fmt: skip


def test_nothing_else_computes_intervals():
    for path in FILES:
        name = path.relative_to(PACKAGE).as_posix()
        if package_of(path) in ("_inference", "meta"):
            continue
        if any(module.startswith("scipy") for module in imports_of(path)):
            assert name in SCIPY, name
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(nan)?(quantile|percentile)s?\(|\bppf\b", source), name
