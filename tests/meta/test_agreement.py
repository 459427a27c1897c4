"""Coefficients, equal to reference implementations and published figures, and the agreement of measures."""

import math
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
import reference_meta as plain
from hypothesis import given, strategies as st
from matrices import matrix_of, random_matrix
from messages import refused
from scipy import stats

from ir_trunc import RBPT, InputError, meta
from ir_trunc.synthetic import demo

pairs = st.lists(st.tuples(*[st.integers(0, 3).map(float)] * 2), min_size=2, max_size=6)
two = pairs.map(lambda values: [*zip(*values)])
strict = st.permutations(range(6))


@given(x=st.lists(st.integers(0, 3).map(float), min_size=6, max_size=6), y=strict)
def test_tau_ap_is_the_mean_over_all_orders_of_what_ties(x, y):
    assert meta.tau_ap(x, y) == pytest.approx(plain.tau_ap(x, y), abs=1e-12)


@given(x=strict, y=strict)
def test_without_ties_tau_ap_is_yilmaz_and_tau_ap_b_its_mean_both_ways(x, y):
    one, other = (plain.tau_ap_without_ties(*map(plain.ordering, both)) for both in ((x, y), (y, x)))
    assert meta.tau_ap(x, y) == pytest.approx(one, abs=1e-12)
    assert meta.tau_ap_b(x, y) == pytest.approx((one + other) / 2, abs=1e-12)


@given(two)
def test_tau_ap_b_equals_its_reference(orderings):
    x, y = orderings
    assert meta.tau_ap_b(x, y) == pytest.approx(plain.tau_ap_b(x, y), abs=1e-12)
    assert meta.tau_ap_b(x, y) == meta.tau_ap_b(y, x)
    assert meta.tau_ap_b(x, x) == (1 if len(set(x)) > 1 else 0)
    assert meta.tau(x, x) == pytest.approx(1 if len(set(x)) > 1 else 0)


SETS = [
    ([0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
     [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988], 0.8519, 0.7454, 0.8333, 0.7321),
    ([0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
     [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644], 0.2504, 0.2692, 0.2880, 0.297),
    ([0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
     [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
     -0.6971, -0.5558, -0.668, -0.7047),
]  # fmt: skip


@pytest.mark.parametrize(("true", "said", "ap", "ap_a", "symmetric", "ap_b"), SETS)
def test_figures_of_ircor(true, said, ap, ap_a, symmetric, ap_b):
    """What the authors' R package tests itself with; ties come from rounding to one place."""
    coarse, coarse_true = np.round(said, 1), np.round(true, 1)
    assert meta.tau_ap(said, true) == pytest.approx(ap, abs=5e-5)
    assert meta.tau_ap(coarse, true) == pytest.approx(ap_a, abs=5e-5)
    assert meta.tau_ap_b(true, said) == pytest.approx(symmetric, abs=5e-5)
    assert meta.tau_ap_b(coarse_true, coarse) == pytest.approx(ap_b, abs=5e-5)


@given(two, st.sampled_from([0.3, 0.9]), st.sampled_from(["b", "w"]))
def test_rbo_equals_its_reference(orderings, p, ties):
    x, y = orderings
    assert meta.rbo(x, y, p, ties) == pytest.approx(plain.rbo(x, y, p, ties), abs=1e-12)


four = st.lists(st.integers(0, 2), min_size=4, max_size=4)


@given(four, four)
@pytest.mark.needs("ties")
def test_rbo_a_is_the_mean_over_all_orders_of_what_ties(x, y):
    assert meta.rbo(x, y, 0.8, "a") == pytest.approx(plain.rbo(x, y, 0.8, "a"), abs=1e-12)


@given(st.permutations("abcdefgh"), st.permutations("cdefghij"), st.integers(1, 8), st.integers(1, 8))
def test_rbo_of_lists_of_different_length(a, b, n, m):
    x, y = ({item: -at for at, item in enumerate(one)} for one in (a[:n], b[:m]))
    expected = plain.rbo_without_ties(a[:n], b[:m], 0.9)
    assert [meta.rbo(x, y, 0.9, ties) for ties in "abw"] == pytest.approx([expected] * 3, abs=1e-12)
    assert meta.rbo(x, y) == pytest.approx(meta.rbo(y, x))


# Orderings with ties in brackets, p, and the figures w, a and b of Corsi & Urbano's own programs.
PUBLISHED = """
i13 (i1 i4 i5 i6),i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2,0.92238320668128,0.117578490,0.114619469,0.114748354
i13 i4 (i1 i2 i5 i6),i11 i14 i1 (i5 i6) (i3 i12) i8,0.936646766367491,0.419724385,0.400042335,0.410333983
(i3 i6) (i2 i7) i10,(i3 i6 i7 i10) (i1 i2),0.965413635276732,0.946064538,0.920515345,0.956844652
(i3 i6 i10 i14 i15),i6 (i3 i7 i10 i14) i8 i15 (i1 i2 i4),0.926466853612826,0.826094305,0.756260643,0.828615638
i2 i5 i3 (i1 i4),i5 i8 i2 (i3 i9),0.968922741966306,0.580287544,0.580994269,0.583518285
""".strip().splitlines()


def ordering_of(text):
    groups = re.findall(r"\([^)]*\)|\S+", text)
    return {item: -at for at, group in enumerate(groups) for item in group.strip("()").split()}


@pytest.mark.parametrize("line", PUBLISHED)
def test_figures_of_corsi_and_urbano(line, monkeypatch):
    x, y, p, *figures = line.split(",")
    for cells in (1, 1 << 22):
        monkeypatch.setattr(sys.modules["ir_trunc.meta.agreement"], "_CELLS", cells)
        for ties, figure in zip("wab", figures):
            found = meta.rbo(ordering_of(x), ordering_of(y), float(p), ties)
            assert found == pytest.approx(float(figure), abs=2e-9)


def test_agreement_of_systems_and_of_p_values():
    matrix = random_matrix(3, M=3, S=7)
    table, p = meta.agreement(matrix), meta.power(matrix)
    assert table.values[0, 2] == table.values[2, 0] == meta.tau(matrix.means()[0], matrix.means()[2])
    of_pairs = stats.kendalltau(*p.p[:2].round(9)).statistic
    assert meta.agreement(p).values[0, 1] == pytest.approx(of_pairs)
    ap = meta.agreement(matrix, "tau_ap_b").to_pandas()
    assert ap.loc["m0", "m1"] == ap.loc["m1", "m0"] == meta.tau_ap_b(matrix.means()[0], matrix.means()[1])
    low, high = table.interval("m0", "m2", repetitions=200)
    assert -1 <= low <= high <= 1
    assert meta.agreement({"a": [1, 2], "b": [2, 1]}).values[0, 1] == -1


def test_systems_that_tie_are_not_ordered_by_rounding():
    """The same scores in another order of topics may add up to another last bit."""
    scores = np.array([0.1, 0.2, 0.3, 0.7, 0.6, 0.9, 0.4])
    orders = [np.random.default_rng(seed).permutation(scores) for seed in range(40)]
    matrix = matrix_of([orders])
    assert len({order.mean() for order in orders}) > 1
    assert len(set(matrix.means()[0])) == 1


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_ap_b", "rbo"])
def test_intervals_of_an_ordering_with_itself_are_one(coefficient):
    """An item that is drawn twice is no disagreement."""
    found = meta.agreement({"a": [5, 1, 4, 2, 3], "b": [5, 1, 4, 2, 3]}, coefficient)
    low, high = found.interval("a", "b", repetitions=50)
    assert high == pytest.approx(1)
    assert low in (pytest.approx(1), 0)  # 0 where one item alone was drawn
    assert math.isfinite(low)


def test_blocks_are_cutoffs_or_conditions():
    found = meta.agreement({"AP@10": [3, 1, 2], "P@10": [3, 2, 1], "AP@5": [1, 2, 3]})
    means = found.block_means()
    assert list(means) == ["10", "5"]
    assert means.loc["10", "10"] == pytest.approx(found.values[0, 1])
    assert means.loc["5", "10"] == pytest.approx(np.mean(found.values[2, :2]))
    assert np.isnan(means.loc["5", "5"])
    of_conditions = meta.agreement({"AP@10, deep": [1, 2], "AP@5, flat": [1, 2]})
    assert list(of_conditions.block_means()) == ["deep", "flat"]
    refused(InputError, "blocks: AP@5 is in no block", found.block_means, {"AP@10": "a", "P@10": "a"})


@pytest.mark.parametrize(("coefficient", "expected"), [
    ("tau_ap", 2 * (1 / 1 + 2 / 2 + 2 / 3 + 2 / 4 + 2 / 5) / 5 - 1),
    ("rbo", 0.8**6 + 0.25 * sum(A * 0.8**d for d, A in enumerate((1, 1, 2 / 3, 2 / 4, 4 / 5, 1), 1))),
])  # fmt: skip
def test_the_pairs_with_the_lowest_p_values_come_first(coefficient, expected):
    """Both measures have the same two lowest p values; the four others are in opposite orders."""
    power = meta.power(random_matrix(3, M=2, S=4))
    p = np.array([[0.001, 0.01, 0.2, 0.5, 0.6, 0.9], [0.002, 0.02, 0.9, 0.6, 0.5, 0.3]])
    found = meta.agreement(replace(power, p=p), coefficient, 0.8)
    assert found.values[0, 1] == found.values[1, 0] == pytest.approx(expected)


DOCS = [*"abcdef", "NIL"]
lists = st.lists(st.sampled_from(DOCS), max_size=7, unique=True)
collections = st.dictionaries(st.sampled_from("1234"), lists, min_size=1)
judged = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 1))
judgments = st.fixed_dictionaries(dict.fromkeys("1234", judged))


def reference(qrels, run, depth, p=0.5):
    """Share of truncated lists, RBP by the rule of TREC 2001, and RBP with a terminal document."""
    truncated, before, after = 0, 0.0, 0.0
    for topic, grades in qrels.items():
        docs, relevant = run.get(topic, []), {doc for doc, grade in grades.items() if grade}
        gains = [1 if (doc in relevant if doc != "NIL" else not relevant) else 0 for doc in docs[:depth]]
        before += sum((1 - p) * p**at * gain for at, gain in enumerate(gains))
        kept = docs[: docs.index("NIL")] if "NIL" in docs else docs
        found = [1 if doc in relevant else 0 for doc in kept[:depth]]
        after += sum((1 - p) * p**at * gain for at, gain in enumerate(found))
        if len(kept) < depth:
            truncated += 1
            after += p ** len(kept) * (sum(found) / len(relevant) if relevant else 1)
    return truncated / len(qrels), before / len(qrels), after / len(qrels)


@given(judgments, st.lists(collections, min_size=1, max_size=3), st.integers(1, 6))
@pytest.mark.filterwarnings("ignore")
def test_the_impact_of_truncation_equals_its_reference(qrels, systems, depth):
    runs = {f"s{at}": run for at, run in enumerate(systems)}
    found = meta.truncation_impact(RBPT(p=0.5) @ depth, qrels, runs, f"RBP(p=0.5)@{depth}", depth)
    columns = np.stack([found.truncated, found.before, found.after], axis=1)
    np.testing.assert_allclose(columns, [reference(qrels, run, depth) for run in systems], atol=1e-12)


def test_both_scores_of_a_system_stand_over_its_share_of_truncated_lists():
    runs = sorted(demo.data().glob("*.run"))
    found = meta.truncation_impact("RBPT(p=0.5)@5", demo.data() / "demo.qrels", runs)
    ax = found.plot()
    for line, scores in zip(ax.lines, (found.before, found.after)):
        np.testing.assert_allclose(line.get_xdata(), 100 * found.truncated)
        np.testing.assert_allclose(line.get_ydata(), scores)
    named = ["RBP(p=0.5)@5, as usual", "RBPT(p=0.5)@5, with the end"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == named
    assert found.heading.endswith(f"tau between both orders {found.tau:.3f}")
    best = int(found.before.argmax())
    drawn = [line.get_ydata().tolist() for line in found.plot(top=1).lines]
    assert drawn == [[found.before[best]], [found.after[best]]]
    assert "tau" not in meta.truncation_impact("RBPT@5", demo.data() / "demo.qrels", runs[:1]).heading
