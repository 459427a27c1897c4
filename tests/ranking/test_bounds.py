"""Memory grows with the lists, not with pairs of documents nor with the length of a run."""

import gzip
import tracemalloc

import pyarrow as pa
import pytest

from ir_trunc import calc, read_qrels
from ir_trunc._ranking.runs import Builder, rank_rows
from ir_trunc._read.reading import RUN
from ir_trunc._read.registry import recognised
from ir_trunc._read.rows import Rows


def test_a_piece_of_a_run_is_joined_without_a_table_of_all_pairs():
    qrels = {"1": {f"d{at}": at % 3 for at in range(3000)}, "2": {"d1": 1}}
    run = {"1": {f"d{at}": -at for at in range(1000, 4000)}, "2": {"d1": 0.5}}
    tracemalloc.start()
    try:
        rankings = rank_rows(read_qrels(qrels), recognised(run, RUN).rows())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2e7  # 9,000,000 pairs of documents take seven times that
    assert rankings.judged_grades.tolist() == [*(at % 3 for at in range(1000, 3000)), 1]
    assert rankings.judged_ranks.tolist() == [*range(1, 2001), 1]


@pytest.fixture
def held(monkeypatch, tmp_path):
    """The most memory of Python, numpy and Arrow while a run of these lines is scored in blocks of 64 KiB."""
    monkeypatch.setattr("ir_trunc._read.text.BLOCK", 1 << 16)
    arrow = []

    def watched(function):
        def call(*args):
            result = function(*args)
            arrow.append(pa.total_allocated_bytes())
            return result

        return call

    for module, name in ((Builder, "add"), (Rows, "concat")):
        monkeypatch.setattr(module, name, watched(getattr(module, name)))

    def most(lines, name="some.run"):
        data = "".join(lines).encode()
        (tmp_path / name).write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
        arrow[:] = [before := pa.total_allocated_bytes()]
        tracemalloc.start()
        try:
            calc("AP", {"0": {"d1": 1}, "1": {"d2": 1}}, tmp_path / name)
            return tracemalloc.get_traced_memory()[1] + max(arrow) - before
        finally:
            tracemalloc.stop()

    return most


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_memory_does_not_grow_with_a_run_whose_topics_are_contiguous(held):
    """Ten times the lines, plain or gzipped; where topics are scattered the run is held as a whole."""

    def lines(topics):
        return [f"{at // 100} Q0 d{at % 100} {at % 100} {-at} some-system\n" for at in range(100 * topics)]

    for name in ("some.run", "some.run.gz"):
        held(lines(20), name)  # what is imported and cached stays
        few, many = held(lines(100), name), held(lines(1000), name)
        assert many < 1.5 * few
        assert held(lines(1000)[50:] + lines(1)[:50], name) > 4 * few
