"""The impact of truncation on systems: by the rules of the 2016 paper, the picture, the command."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ir_trunc import RBPT, meta
from ir_trunc.synthetic import demo

DOCS = [*"abcdef", "NIL"]
lists = st.lists(st.sampled_from(DOCS), max_size=7, unique=True)
collections = st.dictionaries(st.sampled_from("1234"), lists, min_size=1)
judged = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 1))


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


@given(
    st.fixed_dictionaries(dict.fromkeys("1234", judged)),
    st.lists(collections, min_size=1, max_size=3),
    st.integers(1, 6),
)
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


def test_orders_are_compared_and_the_best_systems_drawn():
    """Liu et al. 2016, table 3 and figure 3 (its top 20)."""
    runs = sorted(demo.data().glob("*.run"))
    found = meta.truncation_impact("RBPT(p=0.5)@5", demo.data() / "demo.qrels", runs)
    assert found.tau == meta.tau(found.before, found.after)
    assert found.heading.endswith(f"tau between both orders {found.tau:.3f}")
    best = int(found.before.argmax())
    assert [line.get_ydata().tolist() for line in found.plot(top=1).lines] == [
        [found.before[best]], [found.after[best]]
    ]  # fmt: skip
    assert "tau" not in meta.truncation_impact("RBPT@5", demo.data() / "demo.qrels", runs[:1]).heading
