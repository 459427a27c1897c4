"""Where there is not enough memory a call raises MemoryError, and nothing is computed wrongly.

The limit is set once Python, numpy and pyarrow have what they need of themselves. Where not even some
kilobytes are left, the C libraries below may end the process before Python hears of it: then there is no
result either.
"""

import os

import pytest
from faulty import python

CALLED = """
import resource, sys
import pyarrow
import ir_trunc
pyarrow.set_io_thread_count(1)  # a thread that starts later needs memory, too
ir_trunc.calc("AP", "small.qrels", "small.run")
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv[1]) * 2**20, -1))
try:
    ir_trunc.calc("AP", "large.qrels", "large.run")
    print("enough")
except MemoryError:
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    print("MemoryError, then", ir_trunc.calc("AP", "large.qrels", "large.run").values.shape)
"""

FROM_BELOW = ("arrow", "Bad status: Out of memory", "thread-local", "TLS", "terminate called", "OpenBLAS")
# Arrow's other pools set aside a gigabyte before they need it, and the C library 64 MB for each thread. They
# count as in use when the limit is set, and the large run may find its place in them.
POOLS = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1", "PYTHONWARNINGS": "ignore"}


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc: how much memory is in use?")
def test_a_call_that_needs_more_memory_than_there_is_raises_what_python_has_for_it(tmp_path):
    """A run of scattered topics, which is read as a whole: 40 MB, for which more than 80 are needed."""
    for name, topics, depth, size in (("small", 2, 5, 1), ("large", 100, 200, 2000)):
        rows = [(topic, f"{'x' * size}{rank}", rank) for rank in range(depth) for topic in range(topics)]
        run = "".join(f"{topic} Q0 {doc} 1 {-rank} tag\n" for topic, doc, rank in rows)
        (tmp_path / f"{name}.run").write_text(run)
        qrels = "".join(f"{topic} 0 {doc} 1\n" for topic, doc, rank in rows if rank % 50 == 0)
        (tmp_path / f"{name}.qrels").write_text(qrels)
    ends = [python(CALLED, more, cwd=tmp_path, env=os.environ | POOLS) for more in (12, 20, 32, 40)]
    assert "MemoryError, then (1, 100)\n" in {out for _, out, _ in ends}
    for status, out, err in ends:
        if status == 0:
            assert out == "MemoryError, then (1, 100)\n"
        else:  # a library below ended the process
            assert out == "", err
            assert status < 0 or any(name in err for name in FROM_BELOW), (status, err)
