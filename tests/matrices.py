"""Score matrices and collections for the tests of meta-evaluation."""

import numpy as np
from hypothesis import strategies as st

import ir_trunc
from ir_trunc import meta


def matrix_of(values, measures=None):
    values = np.asarray(values, dtype=np.float64)
    M, S, T = values.shape
    names = measures or [f"m{i}" for i in range(M)]
    return meta.ScoreMatrix(
        tuple(names), tuple(f"s{i}" for i in range(S)), tuple(str(t) for t in range(T)), values
    )


def random_matrix(seed, M=2, S=5, T=8):
    """Few different values, so that ties are common; the last system is a copy of the first."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, size=(M, S, T)) / 4 * rng.integers(0, 2, size=(M, S, 1))
    values[:, -1] = values[:, 0]
    return matrix_of(values)


matrices = st.builds(random_matrix, st.integers(0, 2**32 - 1))


def collection(seed, systems=5, topics=4):
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {f"s{i}": {} for i in range(systems)}
    for topic in map(str, range(topics)):
        docs = [f"d{i}" for i in range(12)]
        judged = rng.permutation(docs)[: rng.integers(1, 12)]
        qrels[topic] = {str(doc): int(rng.integers(0, 3)) for doc in judged}
        for run in runs.values():
            found = rng.permutation(docs)[: rng.integers(0, 10)]
            run[topic] = {str(doc): float(-rank) for rank, doc in enumerate(found)}
    qrels["0"]["d0"] = 2  # the scale is the same for every collection
    return qrels, runs


collections = st.builds(collection, st.integers(0, 2**32 - 1))


def scores(measures, qrels, runs):
    """Of each run, by ir_trunc on qrels made by hand; every topic has a judgment, so that none is lost."""
    padded = {topic: {"nowhere": 0} | judged for topic, judged in qrels.items()}
    padded["~scale"] = {"top": 2}
    ready = ir_trunc.evaluator(measures, padded)
    found = [ready.calc(run) for run in runs]
    assert {results.topics for results in found} == {(*sorted(qrels), "~scale")}
    return [results.values[:, :-1] for results in found]
