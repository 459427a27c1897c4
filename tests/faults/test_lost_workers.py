"""Workers of Dask and Spark that die again and again: the same digits, or an error that says that the work
was given up.

That one lost worker is not missed is in `test_scale`, whose clusters these are.
"""

import os
import signal

import pytest
from faulty import draws
from generated import queries, with_ids
from test_scale import engine, engines, is_dead, killer, pytestmark, same  # noqa: F401 (the fixture and its warnings)

from ir_trunc import read_answers


def answers(qrels):
    """Classes of answers of one document each: their ids are normalised by a function, which runs on the
    workers.
    """
    return {topic: [[doc] for doc, grade in docs.items() if grade > 0] for topic, docs in qrels.items()}


@pytest.fixture(scope="module", autouse=True)
def tried(request):
    """Before any cluster is started."""
    if not request.config.getoption("--all-faults"):
        pytest.skip("in the long form only, --all-faults: clusters take their time to start workers again")


def test_workers_that_are_killed_in_one_computation_after_the_other_are_not_missed(engine, tmp_path):  # noqa: F811
    for number in range(2):
        seed = draws("workers", number).randrange(10**6)
        qrels, run = with_ids(queries(seed, 20), seed)
        marker = tmp_path / f"killed {number}"
        same(engine, read_answers(answers(qrels), killer(marker)), run)
        assert is_dead(marker)


def test_two_workers_that_are_killed_in_one_computation_are_not_missed(engine, tmp_path):  # noqa: F811
    qrels, run = with_ids(queries(11, 20), 11)
    first, second = killer(tmp_path / "first"), killer(tmp_path / "second")
    same(engine, read_answers(answers(qrels), lambda text: second(first(text))), run)
    assert is_dead(tmp_path / "first")
    assert is_dead(tmp_path / "second")


def poison():
    """A function that kills every process that calls it but this one, as a lack of memory would."""
    driver = os.getpid()

    def kill(text):
        if os.getpid() != driver:
            os.kill(os.getpid(), signal.SIGKILL)
        return text

    return kill


@pytest.mark.parametrize("engine", engines[1:], indirect=True)
def test_work_that_kills_every_worker_is_given_up(engine):  # noqa: F811
    """After as many trials as Spark is told to make, with its own error. Dask gives up too, but not always:
    it may wait.
    """
    qrels, run = with_ids(queries(11, 20), 11)
    with pytest.raises(Exception, match=r"(?s)failed 4 times.* Python worker exited"):
        same(engine, read_answers(answers(qrels), poison()), run)
