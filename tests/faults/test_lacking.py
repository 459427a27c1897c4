"""Where disk, memory or network are lacking: an error that says so, and nothing that is wrong or half.

A disk that is full: one line that names the file, the old file stays, and nothing else is left. Too little
memory: a call raises MemoryError; the limit is set once Python, numpy and pyarrow have what they need of
themselves, and where not even some kilobytes are left, the C libraries below may end the process before
Python hears of it. Without a network, what would be downloaded is an error of one line, soon and without a
traceback; what ir_datasets says of its own accord while it tries stands above that line.
"""

import hashlib
import json
import os
import subprocess
import sys

import pytest
from faulty import python

# A small file system of its own, which goes away with the process: mounted in a name space that nobody else
# sees.
MOUNT = 'mount -t tmpfs -o size=128k tmpfs "$0" && exec "$@"'
MOUNTED = ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT]

ON_DISK = """
import json, os, shutil, subprocess, sys
os.chdir(sys.argv[1])
shutil.copy("in.run", "disk/in.run")
for name in ("out", "out.gz", "out.csv", "out.svg"):
    open(f"disk/{name}", "w").write("before")
with open("disk/filler", "wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)):
            pass
    except OSError:
        pass
os.truncate("disk/filler", os.path.getsize("disk/filler") // 4096 * 4096 - 4096)
for words in json.loads(sys.argv[2]):
    module = [] if words[0] == "-c" else ["-m", "ir_trunc"]
    done = subprocess.run([sys.executable, *module, *words], capture_output=True, text=True)
    outputs = ["out", "out.gz", "out.csv", "out.svg"]
    files = sorted(set(os.listdir("disk")) - {"filler", "in.run", *outputs})
    old = [name for name in outputs if open(f"disk/{name}").read() != "before"]
    same = open("disk/in.run").read() == open("in.run").read()
    print(json.dumps([done.returncode, done.stdout, done.stderr, files, old, same]))
"""

WRAPPED = """
import ir_trunc
qrels = {str(topic): {"d1": 1} for topic in range(999)}
try:
    ir_trunc.with_terminal(qrels, {topic: ["d1", "d2"] for topic in qrels}).write("disk/out", "disk/qrels")
except OSError as error:
    print(error)
"""

# Every other one is enough for every day.
COMMANDS = [
    (["truncate", "disk/in.run", "--policy", "Fixed(4)", "-o", "disk/out"], "out"),
    (["truncate", "disk/in.run", "--policy", "Fixed(4)", "-k", "disk/out"], "out"),
    (["truncate", "disk/in.run", "--policy", "Fixed(4)", "-o", "disk/out.gz"], "out.gz"),
    (["study", "best-cuts", "qrels", "disk/in.run", "-m", "SetF", "-o", "disk/out.csv"], "out.csv"),
    (["-c", WRAPPED], "out"),
    (["meta", "power", "qrels", "a.run", "b.run", "AP", "RR", "--plot", "disk/out.svg"], "out.svg"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "disk").mkdir()
    done = subprocess.run([*MOUNTED, tmp_path / "disk", "true"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")

    def digest(*words):
        return hashlib.sha256(repr(words).encode()).hexdigest()

    rows = [(digest(topic), rank, digest(topic, rank)[:24]) for topic in range(150) for rank in range(5)]
    (tmp_path / "in.run").write_text("".join(f"{t[:30]} Q0 {d} {r} {-r} tag\n" for t, r, d in rows if r < 4))
    (tmp_path / "qrels").write_text("".join(f"{t[:30]} 0 {d} 1\n" for t, r, d in rows if r == 3))
    for name in "ab":
        lines = (f"{t[:30]} Q0 {d} 1 {-ord(d[0])} {name}\n" for t, r, d in rows if r)
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def test_whatever_is_written_to_a_full_disk_leaves_the_old_file(folder, long_form):
    commands = COMMANDS if long_form else COMMANDS[::2]
    words = json.dumps([words for words, _ in commands])
    command = [*MOUNTED, folder / "disk", sys.executable, "-c", ON_DISK, folder, words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    for (words, name), line in zip(commands, done.stdout.splitlines(), strict=True):
        status, out, err, others, changed, same = json.loads(line)
        assert (others, changed, same) == ([], [], True), words
        if words[0] == "-c":
            assert (status, out) == (0, f"[Errno 28] No space left on device: 'disk/{name}'\n")
        else:
            # The command meta prints its table first.
            assert (status, out if words[0] != "meta" else "") == (2, ""), words
            assert err.endswith(f"ir_trunc: disk/{name}: No space left on device.\n"), err


# memory
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


# network
CUT_OFF = """
import socket, sys
def unreachable(*_, **__):
    raise OSError(101, "Network is unreachable")
socket.socket.connect = socket.getaddrinfo = unreachable
from ir_trunc._cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "datasets"))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "some.run").write_text("1 Q0 a 1 1 s\n")
    (tmp_path / "some.qrels").write_text("1 0 a 1\n")
    return tmp_path


@pytest.mark.parametrize("name", ["antique/test", "vaswani"])  # one source that is asked, and several
def test_data_sets_that_are_not_here_are_one_line(home, name):
    env = os.environ | {"IR_DATASETS_DL_TRIES": "1"}
    status, out, err = python(CUT_OFF, name, "some.run", "AP", cwd=home, env=env)
    assert (status, out) == (2, ""), err
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    assert last.startswith(f"ir_trunc: data set {name} cannot be loaded: ")
    assert "cannot be reached; is there a connection to the" in last
    assert len(last) < 500
    assert err.count("ir_trunc: ") == 1


def test_files_need_no_network(home):
    assert python(CUT_OFF, "some.qrels", "some.run", "AP", cwd=home)[:2] == (0, "AP\t1.0000\n")
