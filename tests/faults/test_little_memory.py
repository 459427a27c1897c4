"""Where there is not enough memory a command ends with one line, and a call raises MemoryError; nothing is
computed wrongly.

The limit is set once Python, numpy and pyarrow have what they need of themselves. Where not even some
kilobytes are left, the C libraries below may end the process before Python hears of it: then there is no
result either.
"""

import os

import pytest
from faulty import one_line, python

SCORED = """
import ast, contextlib, io, resource, sys
import pyarrow
from ir_trunc._cli.main import main

def ended(*files):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = main([*files, "AP", "nDCG@10", "RBPT@100", "OIE@50"])
    return status, out.getvalue(), err.getvalue()

pyarrow.set_io_thread_count(1)  # a thread that starts later needs memory, too
ended("small.qrels", "small.run")
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv[1]) * 2**20, -1))
result = ended("large.qrels", "large.run")
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
print(result, flush=True)
"""

CALLED = """
import resource, sys
import pyarrow
import ir_trunc
pyarrow.set_io_thread_count(1)
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
PLAIN = os.environ | {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "PYTHONWARNINGS": "ignore",
}

LITTLE = (12, 20, 32, 40)  # MiB, where more than 80 are needed

pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"), reason="needs /proc: how much memory is in use?"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A large run of scattered topics, which is read as a whole: 40 MB."""
    folder = tmp_path_factory.mktemp("memory")
    for name, topics, depth, size in (("small", 2, 5, 1), ("large", 100, 200, 2000)):
        rows = [(topic, f"{'x' * size}{rank}", rank) for rank in range(depth) for topic in range(topics)]
        (folder / f"{name}.run").write_text(
            "".join(f"{topic} Q0 {doc} 1 {-rank} tag\n" for topic, doc, rank in rows)
        )
        (folder / f"{name}.qrels").write_text(
            "".join(f"{topic} 0 {doc} 1\n" for topic, doc, rank in rows if rank % 50 == 0)
        )
    return folder


def ended(code, more, folder):
    """What a process with so many MiB more printed; None where a library below ended it without a result."""
    status, out, err = python(code, more, cwd=folder, env=PLAIN)
    assert "Traceback" not in err, err
    if status == 0:
        return out
    assert out == ""
    assert status < 0 or any(name in err for name in FROM_BELOW), (status, err)
    return None


def test_a_command_that_needs_more_memory_than_there_is_ends_with_one_line(folder):
    assert eval(ended(SCORED, 1000, folder))[0] == 0
    results = [eval(out) for more in LITTLE if (out := ended(SCORED, more, folder))]
    assert results, "every process was ended from below"
    for status, printed, said in results:
        assert (status, printed) == (2, "")
        assert one_line(said)
        assert said.startswith("ir_trunc: there is not enough memory")


def test_with_any_memory_there_are_right_scores_or_none(folder, long_form):
    if not long_form:
        pytest.skip("in the long form only: --weekly")
    expected = eval(ended(SCORED, 1000, folder))[1]
    ends = []
    for more in range(0, 250, 5):
        out = ended(SCORED, more, folder)
        if out is None:
            ends.append("ended from below")
            continue
        status, printed, said = eval(out)
        assert (status, printed) in [(0, expected), (2, "")]
        assert status == 0 or one_line(said)
        ends.append("scores" if status == 0 else "one line")
    print({kind: ends.count(kind) for kind in set(ends)})
    assert ends.count("ended from below") < len(ends) / 4
    assert (ends.count("one line") > 10, ends[-1]) == (True, "scores")


def test_a_call_that_needs_more_memory_than_there_is_raises_what_python_has_for_it(folder):
    ends = [ended(CALLED, more, folder) for more in LITTLE]
    assert set(ends) - {None} == {"MemoryError, then (1, 100)\n"}, ends
