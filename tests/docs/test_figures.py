"""Figures in sentences of the notebooks are those of the data."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import ir_trunc

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def sentences(name):
    """The text of a notebook's pages, in one line."""
    (path,) = NOTEBOOKS.glob(f"{name}-*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return " ".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def test_the_notebook_says_of_policies_what_the_table_has():
    worth = pd.read_csv(NOTEBOOKS / "policies.csv")
    shares = worth.pivot(index="policy", columns=["measure", "collection"], values="of_oracle")
    behind = shares.max() - shares.loc["Greedy"]
    counts = worth.groupby("policy")[["better", "worse", "runs"]].sum()
    better, worse, runs = counts.loc["Surprise"]
    text = sentences("06")
    assert f"has the highest share in {(behind == 0).sum()} of the {len(behind)} columns" in text
    (bound,) = re.findall(r"in the other 6 it is within ([\d.]+) of the highest", text)
    assert behind.max() <= float(bound) < behind.max() + 0.001
    assert f"it is better in {better} of {runs} comparisons and worse in {worse}" in text
    better, worse, _ = counts.loc["ScoreThreshold"]
    assert f"`ScoreThreshold`, the winner further up, is better in {better} and worse in {worse}" in text
    assert (counts["better"] - counts["worse"]).drop("Greedy").idxmax() == "Surprise"


@pytest.mark.full
def test_most_runs_of_trec_8_fill_1000_ranks(real_data):
    runs = sorted((real_data("trec8") / "runs").iterdir())
    full = 0
    for path in runs:
        with gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8") as lines:
            lengths = Counter(line.split(None, 1)[0] for line in lines)
        full += len(lengths) == 50 and min(lengths.values()) >= 1000
    assert f"{full} of the {len(runs)} runs fill 1,000 ranks for every topic" in sentences("09")


@pytest.mark.full
@pytest.mark.filterwarnings(
    "ignore:.*most lists end:ir_trunc.IrTruncWarning", "ignore:.*32 bits:ir_trunc.IrTruncWarning"
)
def test_where_most_runs_are_1000_deep_the_short_ones_win_by_their_length(real_data):
    folder, measures = real_data("robust03"), ["OIE(D=528155)", "OIE(D=528155)@100"]
    runs = {path.name.removesuffix(".gz"): path for path in (folder / "runs").iterdir()}
    ready = ir_trunc.evaluator(measures, folder / "qrels.robust03.txt")
    results = {name: ready.calc(path) for name, path in runs.items()}
    means = pd.DataFrame({name: list(result.aggregated.values()) for name, result in results.items()}).T
    ranks = means.rank(ascending=False).astype(int)
    page = (NOTEBOOKS / "start" / "know-ndcg.md").read_text(encoding="utf-8")
    for name in ("humR03dc", "NLPR03vb10", "pircRBa1"):
        length = results[name].rankings.lengths.mean()
        cells = [name, f"{length:.1f}" if length < 100 else f"{length:,.0f}"]
        cells += [text for at in (0, 1) for text in (f"{means.loc[name, at]:.1f}", str(ranks.loc[name, at]))]
        assert f"| {' | '.join(cells)} |" in page


@pytest.mark.full
@pytest.mark.parametrize(("run", "price"), [("amc.run", 1), ("waterloo.A-thresh-normal", 3)])
def test_a_document_with_feedback_costs_3(run, price, real_data):
    folder, measure = real_data("tar17-half"), f"NegTotalCost(price={price})"
    lines = (folder / "official" / f"{run}.abstract.results").read_text(encoding="utf-8").splitlines()
    costs = [line.split() for line in lines if "\ttotal_cost\t" in line and line.startswith("CD")]
    official = {topic: float(value) for topic, _, value in costs}
    found = ir_trunc.calc(measure, folder / "qrel_abs_test.txt", folder / "runs" / f"{run}.gz", order="rank")
    costs = {topic: -cost for topic, cost in found[measure].items() if topic in official}
    assert costs == pytest.approx(official, abs=0.01)
