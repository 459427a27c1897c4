"""What a command does to files and terminals, and how it ends: by signals, without memory, with one line."""

import ctypes
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import ir_trunc_plugin
import pytest

import ir_trunc
from ir_trunc import InputError, IrTruncWarning
from ir_trunc._core.errors import printable

EVIL = "\x1b[31m\u202e\x9b2J"


@pytest.fixture
def no_work(monkeypatch):
    """Reading is work: what is refused before it never gets there."""

    def work(*_, **__):
        raise AssertionError("work has begun")

    for name in ("truncate.read_run", "meta.score_matrix", "meta.pooled_runs"):
        monkeypatch.setattr(f"ir_trunc._cli.{name}", work)


@pytest.mark.parametrize(("words", "message"), [
    ("truncate in.run --policy Fixed(1) -o x -k ./x", "x and ./x are one file"),
    ("truncate in.run --policy k.tsv -k k.tsv", "k.tsv is the input k.tsv"),
    ("truncate in.run --policy Fixed(1) -o runs/../in.run", "is the input in.run"),
    ("truncate in.run --policy Greedy --qrels qrels -m AP -o qrels", "qrels is the input qrels"),
    ("study cuts qrels runs -o qrels", "qrels is the input qrels"),
    ("study cuts qrels runs -o runs/a", "runs/a is the input runs/a"),
    ("study cuts qrels runs -o runs/x", "runs/x is in the folder runs, whose files would"),
    ("qrels runs AP -o runs/../runs/x.csv", "x.csv is in the folder runs"),
    ("report qrels runs AP -o runs/page.html", "page.html is in the folder runs"),
    ("meta power qrels runs AP --plot x.abc", "ends in its kind"),
    ("meta power qrels soft.svg AP --plot soft.svg", "soft.svg is the input"),
    ("qrels in.run AP --topics k.tsv -o k.tsv", "k.tsv is the input k.tsv"),
    ("meta guide --page none", "none/guide.md cannot be written"),
])  # fmt: skip
def test_outputs_are_checked_before_the_work(folder, complaint, no_work, words, message):
    (folder / "k.tsv").write_text("1\t1\n2\t1\n3\t1\n")
    os.symlink("in.run", "soft.svg")
    assert message in complaint(*words.split())


def test_a_word_that_names_a_folder_by_chance_is_no_input(folder, command):
    assert command("truncate", "in.run", "--policy", "Fixed(1)", "--tag", "runs", "-o", "runs/a")[0] == 0


@pytest.mark.parametrize(
    "words", ["meta power qrels runs AP --plot x.png", "demo --plot x.png", "meta guide --page ."]
)
def test_pictures_without_matplotlib_are_refused_before_the_work(
    folder, complaint, no_work, monkeypatch, words
):
    monkeypatch.setitem(sys.modules, "matplotlib.backend_bases", None)
    assert "pip install 'ir_trunc[plot]'" in complaint(*words.split())


def test_a_dash_prints_what_a_file_would_hold(folder, command):
    for words in (["truncate", "in.run", "--policy", "Fixed(1)"], ["study", "cuts", "qrels", "runs"]):
        command(*words, "-o", "file")
        assert command(*words, "-o", "-")[:2] == (0, (folder / "file").read_text())
    assert sorted(os.listdir()) == ["file", "in.run", "qrels", "runs"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("words", [
    "truncate in.run --policy Fixed(1) -o", "truncate in.run --policy Fixed(1) -k", "study example -o",
    "qrels in.run AP -o",
])  # fmt: skip
def test_a_full_disk_is_one_line_that_names_the_file(folder, command, words):
    status, out, err = command(*words.split(), "/dev/full")
    assert (status, out, err) == (2, "", "ir_trunc: /dev/full: No space left on device.\n")


SLOW = """
import sys, time
from ir_trunc._cli import truncate
from ir_trunc._output.files import write_text
from ir_trunc._cli.main import main
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


@pytest.mark.parametrize(("number", "status", "told"), [
    (signal.SIGTERM, 143, b""), (signal.SIGKILL, -9, b""), (signal.SIGINT, 130, b"ir_trunc: interrupted.\n"),
])  # fmt: skip
def test_a_command_that_is_ended_leaves_the_old_output(folder, number, status, told):
    (folder / "out").write_text("before")
    before = sorted(os.listdir(folder))
    code, pipe = [sys.executable, "-c", SLOW, "out"], subprocess.PIPE
    with subprocess.Popen(code, cwd=folder, stdout=pipe, stderr=pipe, preexec_fn=as_at_a_terminal) as process:
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(number)
        assert (process.stderr.read(), process.wait()) == (told, status)
    assert (folder / "out").read_text() == "before"
    assert [name for name in sorted(os.listdir(folder)) if not name.startswith(".")] == before
    assert number == signal.SIGKILL or not list(folder.glob(".*"))


def test_signals_mean_what_they_meant_once_the_command_has_ended(folder, command):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    command("qrels", "in.run", "AP")
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


@pytest.mark.parametrize(("error", "status", "message"), [
    (MemoryError(), 2, "ir_trunc: there is not enough memory.\n"),
    (MemoryError("no room for 9 EiB"), 2, "ir_trunc: there is not enough memory: no room for 9 EiB.\n"),
    (KeyboardInterrupt(), 130, "ir_trunc: interrupted.\n"),
    (ImportError("no libarrow"), 2, "ir_trunc: a package cannot be imported: no libarrow.\n"),
    (IrTruncWarning("it is an error here"), 2, "ir_trunc: it is an error here\n"),
])  # fmt: skip
def test_what_ends_a_command_is_one_line(folder, command, monkeypatch, error, status, message):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("ir_trunc._cli.score.score_each", fail)
    assert command("qrels", "in.run", "AP") == (status, "", message)


def test_a_module_that_leaves_the_process_is_a_mistake_and_no_verdict(folder, ended):
    """Status 1 is the answer 'no' of a command that ran."""
    (folder / "leaves.py").write_text("raise SystemExit(1)")
    status, out, message = ended("--import", "leaves", "qrels", "in.run", "AP")
    assert (status, out) == (2, "")
    assert message == "ir_trunc: --import 'leaves' fails: SystemExit: 1\n"


def test_what_ends_the_imports_of_a_command_is_one_line(folder, ended):
    (folder / "pyarrow.py").write_text("raise KeyboardInterrupt")
    env = {"PYTHONPATH": os.pathsep.join([".", *filter(None, [os.environ.get("PYTHONPATH")])])}
    said = ended("truncate", "in.run", "--policy", "Fixed(1)", env=env)
    assert said == (130, "", "ir_trunc: interrupted.\n")


@pytest.mark.parametrize("module", ["numpy", "ir_measures"])
def test_a_command_that_is_interrupted_while_it_imports_says_so(folder, module):
    """At once: numpy takes an exception in its imports for a broken installation."""
    in_checkout = Path(ir_trunc.__file__).parent / "adapters" / "_plugin.py"
    shutil.copy(in_checkout if in_checkout.exists() else ir_trunc_plugin.__file__, "ir_trunc_plugin.py")
    ends = "os.kill(os.getpid(), signal.SIGINT)"
    (folder / f"{module}.py").write_text(f"import os, signal; {ends}; import ended_late")
    code = "import sys; from ir_trunc_plugin import command; sys.exit(command())"
    words, env = [sys.executable, "-c", code, "qrels", "in.run", "AP"], os.environ | {"PYTHONPATH": "."}
    done = subprocess.run(words, env=env, capture_output=True, text=True, preexec_fn=as_at_a_terminal)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "ir_trunc: interrupted.\n")


UNBUFFERED = "export PYTHONUNBUFFERED=1; "
GATE = "ir_trunc check qrels in.run --fail-if 'AP < 1.1' --fail-if 'AP < 1' --junit it.xml"


@pytest.mark.parametrize(("line", "status", "out", "err"), [
    ("ir_trunc qrels in.run runs/a RR -q | cat", 0, r"run\tquery_id\tRR\n(\S+\t\S+\t\S+\n){8}", ""),
    ("ir_trunc qrels <(gzip -c in.run | zcat) RR", 0, "RR\t0.6111\n", ""),
    ("ir_trunc measures | head -1", 0, ".*\n", ""),
    (f"{UNBUFFERED} ir_trunc qrels in.run AP -q | head -1", 0, ".+\n", ""),
    (f"{UNBUFFERED} {GATE} | true; echo $?; grep -c AP it.xml", 0, "1\n[1-9]\n", ""),
    ("ir_trunc --help >&-", 2, "", "ir_trunc: standard output: Bad file descriptor.\n"),
    ("ir_trunc qrels in.run AP >/dev/full", 2, "", "ir_trunc: standard output: No space left on device.\n"),
    ("ir_trunc qrels in.run AP -q >&- 2>&-", 2, "", ""),
    ("ir_trunc truncate in.run --policy 'Fixed(1)' -o out >&- 2>&-; wc -l <out", 0, "3\n", ""),
])  # fmt: skip
def test_a_pipe_gets_what_is_asked_for_and_streams_that_take_nothing_are_one_line_at_most(
    folder, bash, line, status, out, err
):
    """A reader may leave: that is no error, and no excuse for a gate that fails."""
    found = bash(line)
    assert found[::2] == (status, err)
    assert re.fullmatch(out, found[1])


def without_power_over_files():
    """Root writes anywhere; without this capability it does not."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux' capabilities")
def test_a_folder_and_a_file_that_are_not_writable_are_one_line(folder, ended):
    (folder / "old").write_text("before")
    (folder / "old").chmod(0o444)
    (folder / "runs").chmod(0o555)
    for path, message in [
        ("runs/out", f"runs/out cannot be written: the folder {folder / 'runs'} is not writable."),
        ("old", "old cannot be written: its permissions do not allow it."),
    ]:
        words = ["truncate", "in.run", "--policy", "Fixed(1)", "-o", path]
        status, out, err = ended(*words, preexec_fn=without_power_over_files)
        assert (status, out, err) == (2, "", f"ir_trunc: {message}\n")
    assert (folder / "old").read_text() == "before"
    (folder / "runs").chmod(0o755)


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.full
@pytest.mark.parametrize("env", [ASCII, {"PYTHONIOENCODING": "cp1252"}], ids=["ASCII", "Windows"])
def test_any_encoding_prints_any_id(tmp_path, one_after_another, env):
    (tmp_path / "word.qrels").write_text("é漢-1 0 ü 1\n", encoding="utf-8")
    (tmp_path / "word.run").write_text("é漢-1 Q0 ü 1 1.0 s\n", encoding="utf-8")
    special = {"PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL"}
    usual = {name: value for name, value in os.environ.items() if name not in special}
    lines = ["word.qrels", "word.run", "RR", "-qn"], ["measures"], ["demo"]
    done = subprocess.run(one_after_another(*lines), cwd=tmp_path, capture_output=True, env=usual | env)
    assert (done.returncode, done.stderr) == (0, b"")
    scores = done.stdout.partition(b"END")[0]
    assert re.fullmatch(rb"\S+-1\tRR\t1.0000\r?\n", scores)


def test_control_characters_are_shown():
    assert printable("a\x1b[2J\u202eb\x85\n\udcff\u3000é") == "a\\x1b[2J\\u202eb\\u0085\\n\\xff\u3000é"
    error = InputError("topic \x1b[31m1")
    assert str(error) == "topic \\x1b[31m1"


@pytest.mark.filterwarnings("always")
def test_messages_show_control_characters(folder, command):
    evil = "\x1b[31m\u202e"
    (folder / "evil.run").write_text(f"{evil} Q0 d 1 high t\n")
    assert r"topic \x1b[31m\u202e, document d" in command("qrels", "evil.run", "AP")[2]
    (folder / "evil.run").write_text((folder / "in.run").read_text() + f"{evil} Q0 d 1 1 t\n")
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
    "qrels evil.run AP -q", "qrels evil.run AP -q --format jsonl", "qrels evil.run AP -q --format csv",
    "qrels in.run other.run AP", "truncate evil.run --policy Fixed(1)",
    "truncate evil.run --policy Fixed(1) -o -", "study best-cuts qrels evil.run -m SetF",
]  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory, one_after_another):
    """The folder, and what a terminal gets from each of these commands; one process prints all of them."""
    folder = tmp_path_factory.mktemp("evil")
    run = "1 Q0 d1 1 2 t\n2 Q0 d1 1 2 t\n"
    (folder / "qrels").write_text(f"{EVIL} 0 d1 1\n2 0 d2 1\n")
    (folder / "evil.run").write_text(run.replace("1 Q0", f"{EVIL} Q0"))
    names = {"other.run": f"{EVIL}\t\n.run"}
    for name in ("in.run", *names.values()):
        (folder / name).write_text(run)
    lines = [[names.get(word, word) for word in words.split()] for words in PRINTING]
    of_terminal = on_terminal(folder, one_after_another(*lines)).split("END\n")
    return folder, {words: both for words, *both in zip(PRINTING, lines, of_terminal)}


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
def test_a_terminal_is_not_told_what_to_do_and_a_pipe_gets_what_is_there(shown, words, command, monkeypatch):
    folder, printed = shown
    line, of_terminal = printed[words]
    monkeypatch.chdir(folder)
    assert not {"\x1b", "\u202e", "\x9b"} & set(of_terminal)
    assert {"\u202e", "\x9b"} <= set(command(*line)[1])
    assert r"[31m\u202e\u009b2J" in of_terminal


def test_a_terminal_gets_a_table_to_read_and_a_pipe_gets_tsv(folder, command):
    words = ["qrels", "in.run", "runs/a", "AP", "OIE"]
    run = [sys.executable, "-m", "ir_trunc", *words]
    shown = on_terminal(folder, run)
    assert shown == command(*words, "--format", "table")[1]
    assert "\t" not in shown
    assert len({len(line) for line in shown.splitlines()}) == 1
    piped = command(*words)[1]
    assert piped == command(*words, "--format", "tsv")[1]
    assert piped.splitlines()[0] == "run\tAP\tOIE"
    assert on_terminal(folder, [*run, "--format", "tsv"]) == piped


WITH_NAMES = [
    "qrels BAD AP -q", "qrels in.run BAD AP", "qrels in.run BAD AP --format jsonl",
    "study best-cuts qrels BAD -m SetF", "study best-cuts qrels BAD -m SetF -o out.csv",
    "study agreement qrels in.run BAD RBPU --full AP", "study policies qrels BAD -m SetF --folds 2",
    "truncate BAD --policy Fixed(1)", "truncate in.run --policy Fixed(1) -o BAD",
    "meta power qrels runs BAD AP P@1", "meta power qrels runs BAD AP P@1 --csv --plot x.svg",
    "meta leave-group-out qrels in.run BAD AP --depth 2",
]  # fmt: skip


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
    if ("in.run BAD AP" in words and "meta" not in words) or "best-cuts" in words:
        assert (r"caf\\xe9.run" if "jsonl" in words else r"caf\xe9.run") in data


@pytest.mark.parametrize("own", [None, "2"])
def test_the_installed_command_starts_no_threads_for_linear_algebra(folder, own):
    variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    variables |= {"OPENBLAS_NUM_THREADS": own} if own else {}
    (script,) = entry_points(group="console_scripts", name="ir_trunc")
    name, _, function = script.value.partition(":")
    code = f"import os, sys, {name}; sys.argv = ['ir_trunc', 'qrels', 'in.run', 'AP']; {name}.{function}()"
    code += "; print(os.environ['OPENBLAS_NUM_THREADS'])"
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["AP", own or "1"]


@pytest.mark.full
def test_without_docstrings_a_command_says_what_its_help_lacks(folder):
    words = [sys.executable, "-OO", "-m", "ir_trunc"]
    told = "ir_trunc: help and formulas are docstrings, which python -OO leaves out: start it without -OO.\n"
    each = (["compare", "--help"], told), (["measures", "RBPT"], told), (["qrels", "in.run", "AP"], "")
    for arguments, said in each:
        done = subprocess.run([*words, *arguments], capture_output=True, text=True, check=True)
        assert done.stderr == said
        assert done.stdout


@pytest.mark.full
def test_the_demonstration_runs_from_a_zip(folder, ended):
    package = Path(ir_trunc.__file__).parent
    with zipfile.ZipFile("ir_trunc.zip", "w") as packed:
        for path in package.rglob("*"):
            if path.suffix != ".so" and path.is_file() and "__pycache__" not in path.parts:
                packed.write(path, Path("ir_trunc", path.relative_to(package)))
    code = """
import sys
sys.path.insert(0, "ir_trunc.zip")
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
from ir_trunc._cli.main import main
from ir_trunc.synthetic import demo
assert ".zip" in demo.__file__
assert main(["demo"]) == main(["demo", "--copy", "copied"]) == 0
assert main(["copied/demo.qrels", "copied/never-stops.run", "RBPT"]) == 0
print(demo.data())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *shown, scored, where = done.stdout.splitlines()
    assert "\n".join(shown) == ended("demo")[1].rstrip("\n")
    assert scored == "RBPT\t0.4627"
    assert not os.path.exists(where)  # it was unpacked for the process
    assert len(os.listdir("copied")) == 4
