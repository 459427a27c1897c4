"""A disk that is full: one line that names the file, the old file stays, and nothing else is left."""

import hashlib
import json
import subprocess
import sys

import pytest

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
    if words[0] == "-c":
        command = [sys.executable, *words]
    else:
        command = [sys.executable, "-m", "ir_trunc", *words]
    done = subprocess.run(command, capture_output=True, text=True)
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
        (tmp_path / f"{name}.run").write_text(
            "".join(f"{t[:30]} Q0 {d} 1 {-ord(d[0])} {name}\n" for t, r, d in rows if r)
        )
    return tmp_path


def test_whatever_is_written_to_a_full_disk_leaves_the_old_file(folder, long_form):
    commands = COMMANDS if long_form else COMMANDS[::2]
    words = json.dumps([words for words, _ in commands])
    done = subprocess.run(
        [*MOUNTED, folder / "disk", sys.executable, "-c", ON_DISK, folder, words],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for (words, name), line in zip(commands, done.stdout.splitlines(), strict=True):
        status, out, err, others, changed, same = json.loads(line)
        assert (others, changed, same) == ([], [], True), words
        if words[0] == "-c":
            assert (status, out) == (0, f"[Errno 28] No space left on device: 'disk/{name}'\n")
        else:
            assert (status, out if words[0] != "meta" else "") == (2, ""), (
                words
            )  # which prints its table first
            assert err.endswith(f"ir_trunc: disk/{name}: No space left on device.\n"), err
