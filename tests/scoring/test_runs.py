"""Several runs: threads give what one after the other gives, with the same errors and warnings."""

import threading
import warnings

import pytest

from ir_trunc import IrTruncError, compare
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.runs import _in_threads, score_each
from ir_trunc.synthetic import generated

QRELS, RUNS = generated.collection(topics=20, systems=9)
MEASURES = "nDCG@10 AP RBPT OIE c@1 NumRet"


def outcome(runs, jobs, *, order="score"):
    """Scores of the runs, bit by bit, warnings and the error."""
    scored = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for name, results in score_each(Evaluator(MEASURES, QRELS, order=order), runs, jobs):
                scored.append((name, results.values.tobytes()))
        except IrTruncError as error:
            scored.append(str(error))
    return scored, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("jobs", [2, 3, 50])
def test_threads_give_the_same_scores_errors_and_warnings(jobs):
    shorter = {name: dict(list(run.items())[at:]) for at, (name, run) in enumerate(RUNS.items())}
    broken = {**shorter, "broken": {"1": {"a": float("nan")}}, "broken, too": {"1": 5}, **RUNS}
    for runs in (RUNS, shorter, broken, dict(list(shorter.items())[1:2])):
        expected = outcome(runs, 1)
        assert outcome(runs, jobs) == expected
        assert len(expected[0]) == (len(shorter) + 1 if runs is broken else len(runs))
    assert outcome(shorter, jobs)[1]


def test_a_warning_of_one_line_is_shown_once():
    """Python shows it again where filters of warnings have changed; and these belong to all threads."""
    full = {topic: [f"d{rank}" for rank in range(20)] for topic in QRELS}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            Evaluator(MEASURES, QRELS).calc(full)
    messages = [str(warning.message) for warning in caught]
    assert messages
    assert len(messages) == len(set(messages))


def test_threads_that_are_abandoned_are_not_waited_for():
    """The garbage collector may abandon them inside a thread, which would wait for itself."""
    released, order = threading.Event(), []

    def slowly(number):
        if number:
            released.wait(20)
            order.append(number)
        return number

    threads = _in_threads(slowly, range(9), 2)
    assert next(threads) == 0
    threads.close()
    order.append("closed")
    released.set()
    assert order[0] == "closed"


@pytest.mark.filterwarnings("ignore:.*probably a limit")
def test_a_comparison_by_threads_and_at_the_command_line(collection, command):
    expected = compare("AP RBPT", QRELS, RUNS, baseline=next(iter(RUNS)))
    assert repr(compare("AP RBPT", QRELS, RUNS, baseline=next(iter(RUNS)), jobs=4)) == repr(expected)
    words = ["demo.qrels", *sorted(path.name for path in collection.glob("*.run")), "RBPT", "AP"]
    for whole in (words, ["compare", *words, "--baseline", "says-little.run"]):
        alone = command(*whole)
        assert alone[0] == 0
        assert command(*whole, "--jobs", "2") == alone
    assert command(*words, "--jobs", "0") == (
        2,
        "",
        "ir_trunc: argument --jobs: '0' is not a whole number from 1 on; see 'ir_trunc --help'.\n",
    )
