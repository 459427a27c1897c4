"""The experiments: by hand on small runs, and on real runs what the paper finds."""

from itertools import combinations

import numpy as np
import pytest
from generated import queries, rankings_of
from hypothesis import given, strategies as st
from messages import refused

from ir_trunc import calc, compare, meta
from ir_trunc._core.curve import bin_name, bin_of
from ir_trunc._core.errors import InputError
from ir_trunc._core.rankings import Rankings
from ir_trunc.synthetic import generated
from ir_trunc.truncation import study


def test_bins_are_those_of_the_paper():
    names = [bin_name(number) for number in range(8)]
    assert names == ["0", "1-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129-256"]
    for number, name in enumerate(names):
        assert bin_of([int(length) for length in name.split("-")]).tolist() == [number] * len(name.split("-"))


RUNS = {
    "first": Rankings.from_lists([[1, 0, 0], [0] * 5 + [1], [0]], [[1, 0, 0], [1] + [0] * 5, [0]]),
    "second": Rankings.from_lists([[0, 0, 1], [1] + [0] * 5, []], [[1, 0, 0], [1] + [0] * 5, [0]]),
}


def test_distribution_of_best_cuts_by_hand():
    table = study.cuts("SetF FlatU(e=0.3)", None, RUNS)
    assert list(table.index) == ["0", "1-4", "5-8"]
    assert table["SetF"].tolist() == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert table["FlatU(e=0.3)"].tolist() == pytest.approx([3 / 6, 3 / 6, 0])
    assert study.cuts("AP AP@3", None, RUNS).sum().tolist() == pytest.approx([1, 1])


def test_best_cuts_and_regret_by_hand():
    table = study.best_cuts("FlatU(e=0.25)", None, {"first": RUNS["first"]})
    assert table[["length", "score"]].values.tolist() == [[3, 0.25], [6, -0.5], [1, -0.25]]
    of_best = table[["best_length", "best_score", "regret"]]
    assert of_best.values.tolist() == [[1, 0.75, 0.5], [0, 0, 0.5], [0, 0, 0.25]]


@given(seed=st.integers(0, 10**6))
def test_best_cuts_agree_with_the_scores_of_lists_cut_there(seed):
    rankings = rankings_of(queries(seed, 7))
    for name, rows in study.best_cuts("RBPU OIE(D=90) nDCGT@5", None, {"run": rankings}).groupby("measure"):
        best = rankings.cut(rows["best_length"].to_numpy())
        assert (calc(name, None, best).values[0] == rows["best_score"]).all()
        assert (calc(name, None, rankings).values[0] == rows["score"]).all()
        assert (rows["regret"] >= 0).all()


def test_agreement_is_that_of_systems_cut_by_hand():
    rng = np.random.default_rng(0)
    judged = [[1] * 4 + [0] * 8] * 5
    shuffled = [[rng.permutation(pool).tolist() for pool in judged] for _ in range(7)]
    runs = {f"s{n}": Rankings.from_lists(lists, judged) for n, lists in enumerate(shuffled)}
    table = study.agreement("DCGU(e=0.4) nDCGT", "AP OIE", None, runs)
    assert table.index.tolist() == ["AP", "OIE"]
    assert table.columns.tolist() == ["DCGU(e=0.4)", "nDCGT"]
    full = compare("AP", None, runs)["AP"]
    cut = {}
    for name, rankings in runs.items():
        every = [calc("DCGU(e=0.4)", None, rankings.cut(d)).values[0] for d in range(13)]
        cut[name] = np.max(every, axis=0).mean()
    agree = [np.sign(full[a] - full[b]) * np.sign(cut[a] - cut[b]) for a, b in combinations(runs, 2)]
    assert table.loc["AP", "DCGU(e=0.4)"] == pytest.approx(np.mean(agree))


def test_the_paper_s_example():
    """Ten irrelevant documents cost; papers.csv has which measures pay the reader back."""
    table = study.example()
    assert table.shape == (51, 10)
    assert (table.abs().max() == 1).all()
    assert (table.diff().iloc[1:11] < 0).all().all()


def test_a_folder_stands_for_its_files(tmp_path):
    for name in ("one", "two", ".hidden"):
        (tmp_path / name).write_text(f"1 Q0 a 1 2.0 {name}\n")
    assert study.best_cuts("RBPU", {"1": {"a": 1}}, tmp_path)["system"].tolist() == ["one", "two"]
    (tmp_path / "none").mkdir()
    refused(InputError, "none holds no files", study.best_cuts, "RBPU", {"1": {"a": 1}}, [tmp_path / "none"])


def test_the_curve_of_a_measure_with_a_cutoff_goes_on_behind_it():
    table = study.example("P@2 SetP", irrelevant=1, relevant=2, scaled=False)
    assert table.to_numpy().T.tolist() == [[0, 0, 0.5, 0.5], [0, 0, 0.5, pytest.approx(2 / 3)]]


def test_tables_keep_what_their_user_wrote():
    measures = ["RBPT(p=0.8)", "RBPU(p=0.8,e=0.05)", "FlatU"]
    assert study.cuts(measures, None, RUNS).columns.tolist() == measures
    assert study.best_cuts(measures, None, RUNS)["measure"].unique().tolist() == measures
    assert study.example(measures).columns.tolist() == measures
    table = study.agreement(measures, "RBP(p=0.8) AP", None, RUNS)
    assert (table.columns.tolist(), table.index.tolist()) == (measures, ["RBP(p=0.8)", "AP"])


# Real runs.


@pytest.fixture(scope="module")
def robust(real_data):
    folder = real_data("robust03")
    return folder / "qrels.robust03.txt", folder / "runs"


def test_distribution_of_best_cuts_on_real_runs(robust):
    """Figure 2 and section 4.2: by measures with an end, "in very few cases" a list ends before rank 9."""
    table = study.cuts(f"{study.CUTS} nDCGT", *robust)
    assert table.sum().to_numpy() == pytest.approx(np.ones(17))
    nothing, with_ends = table.loc["0"], study.TRUNCATED.split()[:5]
    assert (nothing[["RBU(p=0.8)", "ERRU", "RBPU(p=0.8)"]] > 0.15).all()
    assert (nothing[[*with_ends, "SetF"]] < 0.02).all()
    early = table.loc[["0", "1-4", "5-8"], [with_ends[0], with_ends[-1], "nDCGT"]].sum()
    assert early.tolist() == pytest.approx([0.042, 0.050, 0.376], abs=0.0005)  # the last one as Liu et al.
    assert table.loc["1-4", ["RBU(p=0.8)", "ERRU"]].min() > 0.3
    assert table["OIE"].drop("0").idxmax() == "65-128"


def test_the_paper_s_measures_have_the_paper_s_settings():
    """Where a list has all that is relevant, one end is worth a full gain, and the ideal list is not cut."""
    full = calc(study.TRUNCATED, {"q": {"a": 2, "b": 1, "c": 1}}, {"q": ["b"]}).values[:, 0]
    end, best = 0.25, [1, 0.5, 0.5, 1]  # of one of four units of gain
    discounted = sum(gain / np.log2(rank + 1) for rank, gain in enumerate(best, 1))
    assert full[0] == pytest.approx((0.5 + end / np.log2(3)) / discounted)
    assert full[2:5] == pytest.approx([(1 - p) * (0.5 + p * end) for p in (0.8, 0.9, 0.98)])


def test_the_means_of_systems_have_taus_with_p_values_and_a_picture_by_collection():
    """Amigó et al. 2022, 4.3 and figure 3; papers.csv has the p values and the legend."""
    qrels, runs = generated.collection(topics=20, systems=8)
    table = study.system_means("RBPT OIE", "AP RBP", qrels, runs)
    assert table.columns.tolist() == ["AP", "RBP", "RBPT, cut", "OIE, cut"]
    taus = study.agreement("RBPT OIE", "AP RBP", qrels, runs)
    found = meta.agreement(dict(table.items()))
    assert found.to_pandas().loc["AP", "OIE, cut"] == taus.loc["AP", "OIE"]
    assert found.p_values().isna().sum().sum() == 4
    refused(InputError, "coloured_by has 1 names for", found.scatter, "AP", "OIE, cut", coloured_by=["old"])


def test_RBPU_pays_ten_irrelevant_documents_back_at_rank_13():
    """Against the sentence of Amigó et al., section 3.3."""
    curve = study.example("RBPU", scaled=False)["RBPU"]
    assert (curve[1:13] < 0).all()
    assert (curve[13:] > 0).all()
