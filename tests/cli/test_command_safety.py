"""The command line does no harm: to files that it reads, to terminals, to whoever waits for one line when it
ends.
"""

import ctypes
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys

import pytest

from ir_trunc import InputError
from ir_trunc._core.errors import printable

RUN = "".join(f"{topic} Q0 d{rank} {rank} {20 - rank} tag\n" for topic in (1, 2, 3) for rank in range(1, 5))
QRELS = "1 0 d1 1\n2 0 d2 1\n3 0 d3 1\n"
LONG = "".join(f"{topic} Q0 d{rank} {rank} {999 - rank} tag\n" for topic in range(99) for rank in range(500))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    for name in "ab":
        (tmp_path / "runs" / name).write_text(RUN)
    return tmp_path


@pytest.fixture
def complaint(folder, command):
    """The one line about words that are refused; nothing is written."""

    def call(*words):
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        status, out, err = command(*words)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
        return err

    return call


def ended(folder, *words, **options):
    """Status, output and errors of the command line in a process of its own."""
    command = [sys.executable, "-m", "ir_trunc", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, **options)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def no_work(monkeypatch):
    """Reading is work: what is refused before it never gets there."""

    def work(*_, **__):
        raise AssertionError("work has begun")

    for name in ("truncate.read_run", "study.study.cuts"):
        monkeypatch.setattr(f"ir_trunc.cli.{name}", work)
    monkeypatch.setattr("ir_trunc.cli.meta.score_matrix", work)


@pytest.mark.parametrize("path", ["in.run", "./in.run", "hard", "soft", "runs/../in.run"])
@pytest.mark.parametrize("option", ["-o", "-k"])
def test_the_run_is_not_overwritten(folder, complaint, no_work, path, option):
    os.link("in.run", "hard")
    os.symlink("in.run", "soft")
    assert "is the input in.run" in complaint("truncate", "in.run", "--policy", "Fixed(1)", option, path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("truncate in.run --policy Fixed(1) -o x -k ./x", "x and ./x are one file"),
        ("truncate in.run --policy Fixed(1) -o - -k -", "are one file"),
        ("truncate in.run --policy k.tsv -k k.tsv", "k.tsv is the input k.tsv"),
        ("truncate in.run --policy Greedy --qrels qrels -m AP -o qrels", "qrels is the input qrels"),
        ("truncate in.run --policy Fixed(1) -o none/x", "none/x cannot be written: there is no folder"),
        ("truncate in.run --policy Fixed(1) -o runs", "runs is a directory"),
        ("study cuts qrels runs -o qrels", "qrels is the input qrels"),
        ("study cuts qrels runs -o runs/a", "runs/a is the input runs/a"),
        ("study cuts qrels runs -o none/x", "there is no folder"),
        ("meta power qrels runs AP --plot none/x.png", "there is no folder"),
        ("meta power qrels runs AP --plot x.abc", "ends in its kind"),
        ("meta power qrels runs AP --plot x", "ends in its kind"),
        ("meta power qrels soft.svg AP --plot soft.svg", "soft.svg is the input"),
        ("meta guide --page none", "none/guide.md cannot be written"),
        ("demo --plot none/x.svg", "none/x.svg cannot be written"),
    ],
)
def test_outputs_are_checked_before_the_work(folder, complaint, no_work, words, message):
    (folder / "k.tsv").write_text("1\t1\n2\t1\n3\t1\n")
    os.symlink("in.run", "soft.svg")
    assert message in complaint(*words.split())


@pytest.mark.parametrize(
    "words",
    ["truncate in.run --policy Fixed(1) -o", "truncate in.run --policy Fixed(1) -k",
     "study cuts qrels runs -o", "qrels in.run AP -o",
     "meta power qrels runs AP --plot", "meta guide --page", "demo --plot"],
)  # fmt: skip
def test_an_empty_path_is_an_error(complaint, no_work, words):
    assert "the path is empty" in complaint(*words.split(), "")


@pytest.mark.parametrize(
    "words", ["meta power qrels runs AP --plot x.png", "demo --plot x.png", "meta guide --page ."]
)
def test_a_picture_without_matplotlib_is_refused_before_the_work(complaint, no_work, monkeypatch, words):
    monkeypatch.setitem(sys.modules, "matplotlib.backend_bases", None)
    assert "pip install 'ir_trunc[plot]'" in complaint(*words.split())


def test_a_dash_prints_what_a_file_would_hold(folder, command):
    for words in (["truncate", "in.run", "--policy", "Fixed(1)"], ["study", "lengths", "runs"]):
        command(*words, "-o", "file")
        assert command(*words, "-o", "-")[:2] == (0, (folder / "file").read_text())
    assert sorted(os.listdir()) == ["file", "in.run", "qrels", "runs"]


def test_outputs_of_commands_are_whole_or_not_there(folder):
    """A limit on the size of files stands for a disk that is full."""
    (folder / "in.run").write_text(LONG)
    (folder / "out").write_text("before")
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999))}
    status, out, err = ended(folder, "truncate", "in.run", "--policy", "Fixed(400)", "-o", "out", **limit)
    assert (status, out, err) == (2, b"", b"ir_trunc: [Errno 27] File too large: 'out'\n")
    assert (folder / "out").read_text() == "before"
    assert not [name for name in os.listdir(folder) if name.startswith(".")]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize(
    "words",
    ["truncate in.run --policy Fixed(1) -o", "truncate in.run --policy Fixed(1) -k", "study example -o",
     "qrels in.run AP -o"],
)  # fmt: skip
def test_a_full_disk_is_one_line_that_names_the_file(folder, command, words):
    status, out, err = command(*words.split(), "/dev/full")
    assert (status, out, err) == (2, "", "ir_trunc: [Errno 28] No space left on device: '/dev/full'\n")


SLOW = """
import sys, time
from ir_trunc.cli import truncate
from ir_trunc._output.files import write_text
from ir_trunc.cli.main import main
def lines():
    yield from map(str, range(100_000))
    print("writing", flush=True)
    time.sleep(60)
truncate.write_run = lambda path, *_: write_text(path, lines())
sys.exit(main(["truncate", "in.run", "--policy", "Fixed(1)", "-o", sys.argv[1]]))
"""


def as_at_a_terminal():
    """A process that nohup starts, or a shell in the background, ignores some of these signals."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("name", ["out", "out.gz"])
@pytest.mark.parametrize(
    ("number", "status", "told"),
    [
        (signal.SIGTERM, 143, b""),
        (signal.SIGHUP, 129, b""),
        (signal.SIGINT, 130, b"ir_trunc: interrupted.\n"),
        (signal.SIGKILL, -9, b""),
    ],
)
def test_a_command_that_is_ended_leaves_the_old_output(folder, name, number, status, told):
    (folder / name).write_text("before")
    before = sorted(os.listdir(folder))
    code, pipe = [sys.executable, "-c", SLOW, name], subprocess.PIPE
    with subprocess.Popen(code, cwd=folder, stdout=pipe, stderr=pipe, preexec_fn=as_at_a_terminal) as process:
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(number)
        assert (process.stderr.read(), process.wait()) == (told, status)
    assert (folder / name).read_text() == "before"
    left = [
        left for left in sorted(os.listdir(folder)) if number != signal.SIGKILL or not left.startswith(".")
    ]
    assert left == before


def test_signals_mean_what_they_meant_once_the_command_has_ended(folder, command):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    command("qrels", "in.run", "AP")
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


@pytest.mark.parametrize(("error", "status", "message"), [
    (MemoryError(), 2, "ir_trunc: there is not enough memory.\n"),
    (MemoryError("no room for 9 EiB"), 2, "ir_trunc: there is not enough memory: no room for 9 EiB.\n"),
    (KeyboardInterrupt(), 130, "ir_trunc: interrupted.\n"),
    (ImportError("no libarrow"), 2, "ir_trunc: a package cannot be imported: no libarrow.\n"),
])  # fmt: skip
def test_what_ends_a_command_is_one_line(folder, command, monkeypatch, error, status, message):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("ir_trunc.cli.score.score_each", fail)
    assert command("qrels", "in.run", "AP") == (status, "", message)


@pytest.mark.parametrize(("error", "status"), [("MemoryError", 2), ("KeyboardInterrupt", 130)])
def test_what_ends_the_imports_of_a_command_is_one_line(folder, error, status):
    (folder / "pyarrow.py").write_text(f"raise {error}")
    path = os.pathsep.join([".", *filter(None, [os.environ.get("PYTHONPATH")])])
    found, out, err = ended(folder, "study", "lengths", "in.run", env=os.environ | {"PYTHONPATH": path})
    assert (found, out) == (status, b"")
    assert err in (b"ir_trunc: interrupted.\n", b"ir_trunc: there is not enough memory.\n")


def test_other_programs_keep_their_tracebacks(folder):
    code = "import ir_trunc; raise KeyboardInterrupt"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert b"Traceback" in done.stderr


@pytest.mark.parametrize("words", ["--help", "qrels in.run AP -q"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output_that_takes_nothing_is_one_line_at_most(folder, words, unbuffered):
    line, env = f'exec "$0" -m ir_trunc {words} ', os.environ | {"PYTHONUNBUFFERED": unbuffered}
    for redirected, told in [
        (">&-", b"ir_trunc: standard output: Bad file descriptor.\n"),
        ("> /dev/full", b"ir_trunc: standard output: No space left on device.\n"),
        ("2> /dev/full > /dev/full", b""),
        (">&- 2>&-", b""),
    ]:
        done = subprocess.run(["bash", "-c", line + redirected, sys.executable], capture_output=True, env=env)
        assert (done.returncode, done.stderr) == (2, told), redirected
    pipe = subprocess.run(
        ["bash", "-c", f'("$0" -m ir_trunc {words}) | true', sys.executable], capture_output=True, env=env
    )
    assert pipe.stderr == b""


def test_an_output_in_a_file_does_not_need_standard_output(folder):
    line = 'exec "$0" -m ir_trunc truncate in.run --policy "Fixed(1)" -o out >&- 2>&-'
    assert subprocess.run(["bash", "-c", line, sys.executable]).returncode == 0
    assert len((folder / "out").read_text().splitlines()) == 3


def without_power_over_files():
    """Root writes anywhere; without this capability it does not."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux' capabilities")
def test_a_folder_and_a_file_that_are_not_writable_are_one_line(folder):
    (folder / "old").write_text("before")
    (folder / "old").chmod(0o444)
    (folder / "runs").chmod(0o555)
    for path, message in [
        ("runs/out", f"runs/out cannot be written: the folder {folder / 'runs'} is not writable."),
        ("old", "old cannot be written: its permissions do not allow it."),
    ]:
        words = ["truncate", "in.run", "--policy", "Fixed(1)", "-o", path]
        status, out, err = ended(folder, *words, preexec_fn=without_power_over_files)
        assert (status, out, err.decode()) == (2, b"", f"ir_trunc: {message}\n")
    assert (folder / "old").read_text() == "before"
    (folder / "runs").chmod(0o755)


def test_control_characters_are_shown():
    assert printable("a\x1b[2J\u202eb\x85\n\udcff\u3000é") == "a\\x1b[2J\\u202eb\\u0085\\n\\xff\u3000é"
    error = InputError("topic \x1b[31m1")
    assert str(error) == "topic \\x1b[31m1"


@pytest.mark.filterwarnings("always")
def test_messages_show_control_characters(folder, command):
    evil = "\x1b[31m\u202e"
    (folder / "evil.run").write_text(f"{evil} Q0 d 1 high t\n")
    assert r"topic \x1b[31m\u202e, document d" in command("qrels", "evil.run", "AP")[2]
    (folder / "evil.run").write_text(RUN + f"{evil} Q0 d 1 1 t\n")
    assert r"\x1b[31m\u202e" in command("qrels", "evil.run", "AP")[2]
    for words in (["qrels", f"{evil}.gz", "AP"], ["qrels", "in.run", evil], ["measures", evil, evil],
                  ["meta", evil], ["truncate", "in.run", "--policy", evil],
                  ["truncate", f"{evil}\n.run", "--policy", "Fixed(1)"],
                  ["truncate", "in.run", "--policy", "Fixed(1)", "-o", f"{evil}/x"]):  # fmt: skip
        err = command(*words)[2]
        assert "\x1b" not in err
        assert r"\x1b[31m" in err
        assert err.count("\n") == 1 or "warning" in err


PRINTING = [
    "qrels evil.run AP -q",
    "qrels evil.run AP -q --format jsonl",
    "qrels evil.run AP -q --format csv",
    "qrels in.run other.run AP",
    "truncate evil.run --policy Fixed(1)",
    "truncate evil.run --policy Fixed(1) -o -",
    "study cuts qrels evil.run -q -m SetF",
]
EVIL = "\x1b[31m\u202e\x9b2J"


@pytest.fixture(scope="module")
def printed(tmp_path_factory, one_after_another):
    """What a terminal and a pipe get from each of these commands; one process prints all of them."""
    folder = tmp_path_factory.mktemp("evil")
    (folder / "qrels").write_text(QRELS.replace("1 0", f"{EVIL} 0"))
    (folder / "evil.run").write_text(RUN.replace("1 Q0", f"{EVIL} Q0"))
    names = {"other.run": f"{EVIL}\t\n.run"}
    for name in ("in.run", *names.values()):
        (folder / name).write_text(RUN)
    command = one_after_another(*([names.get(word, word) for word in words.split()] for words in PRINTING))
    piped = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout.decode()
    shown = on_terminal(folder, command)
    return {words: both for words, *both in zip(PRINTING, shown.split("END\n"), piped.split("END\n"))}


def on_terminal(folder, command):
    """What a terminal is sent."""
    main, side = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdin=side, stdout=side, stderr=subprocess.PIPE) as process:
        os.close(side)
        data = b""
        while True:
            try:
                part = os.read(main, 9999)
            except OSError:  # the other side is closed
                break
            data += part
            if not part:
                break
        assert process.wait() == 0, process.stderr.read()
    os.close(main)
    return data.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("words", PRINTING)
def test_a_terminal_is_not_told_what_to_do_and_a_pipe_gets_what_is_there(printed, words):
    shown, piped = printed[words]
    assert not {"\x1b", "\u202e", "\x9b"} & set(shown)
    assert {"\u202e", "\x9b"} <= set(piped)
    assert r"[31m\u202e\u009b2J" in shown


def test_names_of_runs_stay_in_their_cells(folder, command):
    shutil.copy("in.run", "a\tb\nc.run")
    rows = command("qrels", "in.run", "a\tb\nc.run", "AP")[1].splitlines()
    assert [row.split("\t")[0] for row in rows] == ["run", "in.run", r"a\tb\nc.run"]
    assert {
        row.count("\t") for row in command("qrels", "in.run", "a\tb\nc.run", "AP", "-q")[1].splitlines()
    } == {3}


WITH_NAMES = [
    "qrels BAD AP -q",
    "qrels in.run BAD AP",
    "qrels in.run BAD AP --format jsonl",
    "study cuts qrels BAD -q -m SetF",
    "study cuts qrels BAD -q -m SetF -o out.csv",
    "study lengths BAD",
    "study agreement qrels in.run BAD --truncated RBPU --full AP",
    "study policies qrels BAD -m SetF --folds 2",
    "truncate BAD --policy Fixed(1)",
    "truncate in.run --policy Fixed(1) -o BAD",
    "meta power qrels runs BAD AP P@1",
    "meta power qrels runs BAD AP P@1 --csv --plot x.svg",
    "meta leave-group-out qrels in.run BAD AP --depth 2",
]


@pytest.mark.parametrize("words", WITH_NAMES)
def test_a_run_with_a_name_that_is_not_utf8(folder, command, words):
    bad = os.fsdecode(b"caf\xe9.run")
    try:
        shutil.copy("in.run", bad)
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    status, out, err = command(*(bad if word == "BAD" else word for word in words.split()))
    assert status == 0, err
    data = out + ((folder / "out.csv").read_text() if "out.csv" in words else "")
    if ("in.run BAD AP" in words and "meta" not in words) or "cuts" in words:
        assert (r"caf\\xe9.run" if "jsonl" in words else r"caf\xe9.run") in data


def test_a_topic_called_all_is_told_from_the_means(folder, command):
    (folder / "qrels").write_text("all 0 d1 1\n2 0 d2 1\n")
    (folder / "in.run").write_text("all Q0 d1 1 1 t\n")
    for form in ("tsv", "csv", "jsonl"):
        _, out, err = command("qrels", "in.run", "RR", "-q", "--format", form)
        assert "a topic is called 'all'; the means of all topics are those of 'all topics'" in err
        rows = [line for line in out.splitlines() if "all" in line]
        assert [("all topics" in row, "0.5" in row) for row in rows] == [(False, False), (True, True)]
    assert command("qrels", "in.run", "RR") == (0, "RR\t0.5000\n", "")
    assert "all topics" not in command("qrels", "in.run", "RR", "-qn")[1]
