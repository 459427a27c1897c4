"""One evaluator for many threads, and processes forked while these work: the same bits as alone, and nobody
waits.
"""

import threading

import pytest
from faulty import draws, python, small_blocks
from generated import EVERY, queries, with_ids

import ir_trunc

THREADS = 8

pytestmark = pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")


def as_file(run, path) -> str:
    """A run in a file whose topics are scattered or stand together."""
    rows = zip(run["query_id"], run["doc_id"], run["score"])
    path.write_text("".join(f"{topic} Q0 {doc} 1 {score!r} tag\n" for topic, doc, score in rows))
    return str(path)


def test_many_threads_share_an_evaluator(tmp_path, monkeypatch, long_form):
    small_blocks(monkeypatch, 500)
    # Odd seeds: runs without costs, which files do not have.
    seed = draws("threads").randrange(10**6) // 2 * 2 + 1
    qrels, _ = with_ids(queries(seed, 12), seed)
    runs = [with_ids(queries(seed, 12), seed + 2 * number)[1] for number in range(4)]
    given = [
        as_file(run.sort_values("query_id") if number % 2 else run, tmp_path / f"{number}.run")
        for number, run in enumerate(runs)
    ]
    given += [run.drop(columns="cost", errors="ignore") for run in runs]
    alone = [ir_trunc.calc(EVERY, qrels, run).values.tobytes() for run in given]
    shared = ir_trunc.evaluator(EVERY, qrels)
    rounds = 40 if long_form else 2
    wrong, started = [], threading.Barrier(THREADS)

    def work(number):
        try:
            rng = draws("threads", number)
            started.wait()
            for at in [at for _ in range(rounds) for at in rng.sample(range(len(given)), len(given))]:
                if shared.calc(given[at]).values.tobytes() != alone[at]:
                    wrong.append((number, at))
        except BaseException as error:
            wrong.append((number, error))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


FORKED = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
import ir_trunc

measures = "AP nDCG@10 RBPT OIE c@1 NumRet"
shared = ir_trunc.evaluator(measures, "some.qrels")
alone = shared.calc("some.run").values.tobytes()
done = threading.Event()

def work():
    while not done.is_set():
        assert shared.calc("some.run").values.tobytes() == alone

threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
ends = []
for number in range(int(sys.argv[1])):
    time.sleep(0.002 * (number % 5))
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # a child that waits for a thread that it does not have
        ready = ir_trunc.evaluator(measures, "some.qrels")
        same = [one.calc("some.run").values.tobytes() == alone for one in (shared, ready)]
        os._exit(0 if all(same) else 1)
    ends.append(os.waitpid(child, 0)[1])
done.set()
for thread in threads:
    thread.join()
print(sorted(set(ends)))
"""


def test_a_process_that_is_forked_beside_threads_has_the_same_bits(tmp_path, long_form):
    rng = draws("forks")
    run = [(topic, doc, rng.random()) for topic in range(30) for doc in range(50)]
    rng.shuffle(run)
    lines = (f"{topic} Q0 d{doc} 1 {score} tag\n" for topic, doc, score in run)
    (tmp_path / "some.run").write_text("".join(lines))
    lines = (f"{topic} 0 d{doc} {doc % 3}\n" for topic, doc, _ in run if doc % 4 == 0)
    (tmp_path / "some.qrels").write_text("".join(lines))
    assert python(FORKED, 200 if long_form else 8, cwd=tmp_path) == (0, "[0]\n", "")
