"""A loss and its negative lead to the same conclusions, in every procedure of `meta` and of `reporting`."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest

from ir_trunc import check, compare, measure, meta, parse_measure, report
from ir_trunc._scoring.objects import bind

TOPICS = [str(topic) for topic in range(1, 13)]
DOCS = [f"d{at}" for at in range(9)]
LOSSES = ("HarmCompat", "LastRel")
OF_LOSSES, OF_NEGATIVES = "HarmCompat LastRel RR", "NegHarmCompat NegLastRel RR"

# Columns in the unit of a measure, whose signs are opposite. Everything else is a conclusion.
IN_UNITS = {"full", "without", "loss"}


def collection():
    """Systems that find harmful documents and stop early, each more than the one before."""
    random = np.random.default_rng(3)
    qrels = {topic: {doc: int(random.choice([-1, 0, 1, 2])) for doc in DOCS} for topic in TOPICS}
    runs = {f"s{n}": {} for n in range(6)}
    for n, run in enumerate(runs.values()):
        for topic, grades in qrels.items():
            noise = random.normal(size=len(DOCS)) - n / 5 * np.array(list(grades.values()))
            run[topic] = [DOCS[at] for at in np.argsort(noise)[: 9 - n]]
    return qrels, runs


QRELS, RUNS = collection()


@pytest.fixture
def negatives(registries):
    """The negatives of the losses, as measures of which higher values are better."""
    for name in LOSSES:
        loss = bind(parse_measure(name))

        def negative(lists, loss=loss):
            """A negative.

            -L
            """
            return -loss.of(lists)

        negative.__signature__ = inspect.signature(lambda lists: None)
        measure(source="a test", range=(-loss.range[1], -loss.range[0]), name=f"Neg{name}")(negative)


def inputs_of(measures):
    matrix = meta.score_matrix(measures, QRELS, RUNS)
    pools = meta.pooled_runs(QRELS, RUNS)
    return {
        "agreement": [(matrix, coefficient) for coefficient in ("tau", "tau_ap_b", "rbo")],
        "coverage": [(matrix, name) for name in matrix.measures],
        "error_rates": [(matrix,)],
        "leave_group_out": [(measures, pools, 3)],
        "pool_grid": [(re.sub(r"\S*LastRel ", "", measures), pools, [2, 4], [3, 9])],  # it takes no depth
        "power": [(matrix,)],
        "predictivity": [(matrix, 20)],
        "properties": [(name, None, 4) for name in measures.split()],
        "split_tests": [(matrix, 20, "t", 0.3)],
        "swap_rates": [(matrix,)],
    }


WITHOUT_DIRECTION = {"break_even", "guide", "rank_weights", "truncation_impact"}  # about one measure, or none


def concludes(function):
    """A procedure that returns a matrix of scores leaves conclusions to others."""
    return inspect.signature(function).return_annotation != "ScoreMatrix"


CONCLUDING = {name for name, each in meta.registry.items() if concludes(each.function)} - WITHOUT_DIRECTION


def of_loss(cell):
    return cell.replace("Neg", "") if isinstance(cell, str) else cell


@pytest.mark.parametrize("name", sorted(CONCLUDING))
def test_a_procedure_concludes_the_same_from_a_loss_and_from_its_negative(name, negatives):
    function = meta.registry[name].function
    for of_losses, of_negatives in zip(inputs_of(OF_LOSSES)[name], inputs_of(OF_NEGATIVES)[name]):
        expected, found = (function(*given).to_pandas().reset_index() for given in (of_losses, of_negatives))
        found = found.map(of_loss).rename(columns=of_loss)
        assert list(found.columns) == list(expected.columns)
        for column in set(found) - {"shows"}:  # examples of properties, with scores
            values, wanted = found[column], expected[column]
            if column in IN_UNITS:
                values, wanted = values.abs(), wanted.abs()
            pd.testing.assert_series_equal(values, wanted, rtol=1e-9, atol=1e-9, check_names=False)


@pytest.mark.parametrize(
    "options", [{}, {"baseline": "s2"}, {"baseline": "s2", "margin": 0.2, "test": "randomised-tukey"}]
)
def test_a_comparison_concludes_the_same(options, negatives):
    compared = (compare(each, QRELS, RUNS, repetitions=200, **options) for each in (OF_LOSSES, OF_NEGATIVES))
    of_losses, of_negatives = compared
    for name in ("p", "p_not_worse", "p_equivalent"):
        np.testing.assert_allclose(of_losses.tested[name], of_negatives.tested[name], rtol=1e-9)
    for row, other in zip(of_losses.marked().cells, of_negatives.marked().cells):
        assert [(cell.best, cell.marks) for cell in row] == [(cell.best, cell.marks) for cell in other]


def test_a_gate_concludes_the_same(negatives):
    for change in ("worsens", "improves"):
        for new, old in (("s1", "s4"), ("s4", "s1"), ("s2", "s3")):
            for require in ("observed", "shown"):
                verdicts = []
                for measures in (OF_LOSSES, OF_NEGATIVES):
                    conditions = [f"{name} {change} 0.05" for name in measures.split()]
                    gate = check(conditions, QRELS, RUNS[new], baseline=RUNS[old], require=require)
                    verdicts.append([one.verdict for one in gate.checks])
                assert verdicts[0] == verdicts[1]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_page_begins_with_the_same_topics(loss, negatives):
    pages = [report(name, QRELS, RUNS, folds=2) for name in (loss, f"Neg{loss}")]
    for form in (r'data-id="(\d+)"', r"<td class=\"text\">(s\d)"):
        one, other = (re.findall(form, page) for page in pages)
        assert one == other
