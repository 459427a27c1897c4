"""Real runs: official scores, and agreement with pytrec-eval-terrier through ir-measures."""

import csv
import gzip
import json
import math

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, RR, Bpref, P, R, Rprec, SetF, SetP, SetR, Success, nDCG

from ir_trunc import calc_aggregate, evaluator, read_qrels

CLASSICAL = [nDCG @ 10, nDCG, P @ 5, R @ 100, AP, RR, Rprec, Bpref, SetP, SetR, SetF, Success @ 1]
WITH_PARAMETERS = [P(rel=2) @ 20, AP(rel=2) @ 50, SetF(beta=0.5), nDCG(gains={1: 1, 2: 5}) @ 20]


def runs_of(folder):
    return {path.name.removesuffix(".gz"): path for path in sorted((folder / "runs").glob("*.gz"))}


def plain_run(path):
    """{topic: {document: score}}, read without the library."""
    run = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            topic, _, document, _, score, _ = line.split()
            run.setdefault(topic, {})[document] = float(score)
    return run


def half_a_unit(printed: str) -> float:
    """Half a unit of the last printed place: an official figure is a rounded one."""
    return 0.5 * 10 ** -len(printed.partition(".")[2]) + 1e-9


def differing(official, column, means, measure):
    differences = {run: abs(means[run][measure] - float(row[column])) for run, row in official.items()}
    return [run for run, difference in differences.items() if difference > half_a_unit(official[run][column])]


OF_COVID = {"ndcg@10": "nDCG@10", "p@5": "P@5", "bpref": "Bpref", "MAP": "AP", "RBP(p=.5)": "RBP(p=0.5)"}


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize(("collection", "name", "delimiter", "columns", "runs"), [
    ("covid-r1", "official-leaderboard.csv", ",", OF_COVID, 143),
    ("robust03", "official-nist.tsv", "\t", {"map": "AP"}, 17),
])  # fmt: skip
def test_official_means(real_data, collection, name, delimiter, columns, runs):
    folder = real_data(collection)
    with open(folder / name, encoding="utf-8") as file:
        official = {row["run"]: row for row in csv.DictReader(file, delimiter=delimiter)}
    ready = evaluator([*columns.values()], next(folder.glob("qrels.*")))
    means = {run: ready.calc_aggregate(path) for run, path in runs_of(folder).items()}
    assert len(official) == len(means) == runs
    for column, measure in columns.items():
        assert len(differing(official, column, means, measure)) <= (measure == "RBP(p=0.5)")


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("collection", ["covid-r1", "robust03"])
def test_classical_measures_equal_pytrec_eval_on_every_run(real_data, collection):
    """And with parameters, for each of which pytrec_eval goes over a run again, on one run of three."""
    folder = real_data(collection)
    qrels_path = next(folder.glob("qrels.*"))
    qrels = list(ir_measures.read_trec_qrels(str(qrels_path)))
    evaluators = [
        (ir_measures.pytrec_eval.evaluator(measures, qrels), evaluator(measures, qrels_path))
        for measures in (CLASSICAL + WITH_PARAMETERS, CLASSICAL, CLASSICAL)
    ]
    for number, path in enumerate(runs_of(folder).values()):
        stock, ours = evaluators[number % 3]
        results = ours.calc(path)
        at = {topic: place for place, topic in enumerate(results.topics)}
        row = {measure: place for place, measure in enumerate(results.measures)}
        theirs = np.full(results.values.shape, np.nan)
        for metric in stock.iter_calc(plain_run(path)):
            theirs[row[metric.measure], at[metric.query_id]] = metric.value
        np.testing.assert_allclose(results.values, theirs, rtol=0, atol=1e-9, err_msg=path.name)


def read_jsonl(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_pan_official_c_at_1_and_f05u(real_data):
    """A value of 0.5 leaves the problem unanswered; a higher one says 'same author', a lower 'different'.

    F0.5u is that of PAN's evaluator; the table has it for the systems that answer every problem.
    """
    folder = real_data("pan20-av")
    truth = {item["id"]: item["same"] for item in read_jsonl(folder / "truth.jsonl.gz")}
    qrels = read_qrels({q: {"same": 2} if same else {"different": 1} for q, same in truth.items()})
    with open(folder / "official-metrics.tsv", encoding="utf-8") as file:
        official = {row["system"]: row for row in csv.DictReader(file, delimiter="\t")}
    assert len(official) == 7
    for system, row in official.items():
        items = read_jsonl(folder / "runs" / f"{system}.jsonl.gz")
        values = {item["id"]: float(np.squeeze(item["value"])) for item in items}  # one system writes lists
        sure = {q: value - 0.5 for q, value in values.items() if value != 0.5}
        run = {q: {"same" if margin > 0 else "different": abs(margin)} for q, margin in sure.items()}
        c_at_1, f05u = calc_aggregate("c@1 F05u(positive=2)", qrels, run).values()
        tp, fp = (sum(values[q] > 0.5 for q in truth if truth[q] is same) for same in (True, False))
        fn = sum(values[q] < 0.5 for q in truth if truth[q])
        unanswered = sum(value == 0.5 for value in values.values())
        expected = 1.25 * tp / (1.25 * tp + 0.25 * (fn + unanswered) + fp)
        assert math.isclose(c_at_1, float(row["c@1"]), abs_tol=1e-9), system
        assert math.isclose(f05u, expected, abs_tol=1e-12), system
        assert math.isclose(f05u, float(row["F0.5u"]), abs_tol=1e-9) == (unanswered == 0), system
