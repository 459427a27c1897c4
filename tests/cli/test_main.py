"""The commands `measures` and `demo`, words that are nearly a command, and what a user sees of warnings."""

import ast
import os
import re
import sys
import warnings
from itertools import chain

import ir_datasets
import pytest
from ir_datasets.formats import TrecQrels
from ir_datasets.util import LocalDownload
from pages import ROOT
from source import FILES, nodes_of

import ir_trunc
from ir_trunc._cli._arguments import OPTIONS
from ir_trunc._cli.main import COMMANDS
from ir_trunc.measures import names, registry
from ir_trunc.synthetic import demo

QRELS, RUNS = "demo.qrels", ["never-stops.run", "stops-in-time.run"]


def test_version(command):
    status, out, err = command("--version")
    assert (status, err) == (0, "")
    versions = r"\nkernel: (yes|no, .+)\nPython 3\..+\n([\w-]+ [\d.]+\S*\n)+"
    assert re.match(f"ir_trunc {ir_trunc.__version__}{versions}", out)
    assert re.search(r"^pyarrow \d", out, re.MULTILINE)


def test_short_help_is_one_screen_and_help_has_every_option(command):
    short, long = command("-h")[1], command("--help")[1]
    assert short.count("\n") <= 40 < long.count("\n")
    assert short.startswith("usage: ir_trunc ")
    assert long.startswith("usage: ir_trunc ")
    assert max(map(len, short.splitlines())) <= 80
    for name in [*chain(*COMMANDS.values()), *re.findall(r"--[a-z][\w-]*", short)]:
        assert name in short
        assert name in long


def test_sources_are_printed_as_bibtex(command):
    of_one = command("measures", "RBP@10", "RBP", "--bibtex")[1]
    assert of_one.startswith("@misc{moffat2008tois,\n  author = {{Moffat} and {Zobel}},\n")
    text = command("measures", "--bibtex")[1]
    keys = re.findall(r"^@misc\{(\w+),$", text, re.MULTILINE)
    assert len(keys) == len({*keys}) == text.count("  year = {")
    for definition in registry.values():
        for address in re.findall(r"https?://[^,;\s]+", definition.source):
            assert f"url = {{{address}}}" in text or "trec_eval" in address, address
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    page = (ROOT / "notebooks" / "cite.md").read_text("utf-8")
    titles = re.findall(r'^  - type: conference-paper\n    title: "(.*)"$', cited, re.MULTILINE)
    assert len(titles) == 5
    assert all(f"title = {{{title}}}" in page for title in titles)


def test_a_missing_kernel_is_mentioned_once_and_on_a_terminal_only(command, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("ir_trunc._kernel.absence", "it was not compiled: no compiler", raising=False)
    assert command("measures", "RBPT")[2] == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert [bool(command("measures", "RBPT")[2]) for _ in range(3)] == [True, False, False]
    monkeypatch.setattr("ir_trunc._kernel.absence", "IR_TRUNC_KERNEL=0 turns it off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert command("measures", "RBPT")[2] == ""


def test_all_measures_are_listed_and_described(command):
    status, out, _ = command("measures")
    assert status == 0
    for name in registry:
        assert re.search(rf"^  {re.escape(name)}[@\[(\s]", out, re.MULTILINE), name
    assert f"{len(registry)} measures" in out
    for name in names():
        status, out, err = command("measures", name)
        assert (status, err) == (0, "")
        assert all(part in out for part in ("range:", "source:", "example:")), name
    assert command("measures", "RBPT") == command("measures", "RBPT(p=0.5)@10")


def test_the_demonstration_tells_how_to_go_on(collection, command):
    status, out, err = command("demo")
    assert (status, err) == (0, "")
    for shown in re.findall(r"^  ir_trunc (.*)$", out, re.MULTILINE):
        assert command(*shown.split())[0] == 0


def test_the_demonstration_is_copied_and_nothing_is_overwritten(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    status, _, error = command(QRELS, RUNS[0], "AP")
    assert status == 2
    assert "'ir_trunc demo --copy .' puts the files of the demonstration there" in error
    assert command("demo", "--copy", "new/folder")[:2] == (0, "")
    assert sorted(os.listdir("new/folder")) == sorted(path.name for path in demo.data().iterdir())
    assert command(f"new/folder/{QRELS}", f"new/folder/{RUNS[0]}", "AP") == (0, "AP\t0.4094\n", "")
    assert command("demo", "--copy", "new/folder")[0] == 0
    (tmp_path / "new/folder" / QRELS).write_text("mine\n")
    status, _, error = command("demo", "--copy", "new/folder")
    assert (status, error.count("\n")) == (2, 1)
    assert "exists and is another file" in error
    assert (tmp_path / "new/folder" / QRELS).read_text() == "mine\n"


@pytest.mark.parametrize("folder", ["", "file", "file/below"])
def test_a_folder_that_cannot_be_one_is_refused(tmp_path, monkeypatch, command, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    status, out, error = command("demo", "--copy", folder)
    assert (status, out, error.count("\n")) == (2, "", 1)


def test_messages_of_runs_that_are_scored_beside_each_other_name_options_of_the_command_line(
    collection, command
):
    _, out, _ = command("compare", QRELS, *RUNS, "AP", "--jobs", "2", "--format", "table")
    assert "empty lists; --missing empty confirms" in " ".join(out.split())


def test_an_option_that_a_message_names_is_one_of_the_command_line():
    """With these values, which only differ in how they are written."""
    options = OPTIONS | {"judge": "--judge em|f1  of a log"}
    for node in chain.from_iterable(map(nodes_of, FILES)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "option":
            name, *values = (each.value for each in node.args if isinstance(each, ast.Constant))
            words = options[name.replace("_", "-")].split("  ")[0].split()[1:]
            if words:
                assert {*values} <= {*words[0].split("|")} or not words[0].islower()
            else:
                assert values == [True]


def test_a_file_named_like_a_command_is_qrels(collection, command):
    (collection / "measure").write_bytes((collection / QRELS).read_bytes())
    assert command("measure", RUNS[0], "AP")[0] == 0


def test_ids_of_data_sets_are_qrels(folder, command, complaint):
    class Here(LocalDownload):
        def __init__(self):
            super().__init__(folder / "qrels")

    class Broken:
        def stream(self):
            raise RuntimeError("the server is down\nand this is a long story")

    for name, place in (("ir-trunc-here", Here()), ("ir-trunc-unreachable", Broken())):
        ir_datasets.registry.register(name, ir_datasets.Dataset(TrecQrels(place, {})))
    assert command("ir-trunc-here", "in.run", "RR") == command("qrels", "in.run", "RR")
    assert "the server is down" in complaint("ir-trunc-unreachable", "in.run", "AP")


def test_a_home_that_cannot_be_written_is_no_obstacle(folder, bash):
    """ir_datasets wants a folder there."""
    _, _, err = bash("ir_trunc no-such-qrels in.run RR", HOME="/dev/null")
    assert re.fullmatch(r"ir_trunc: .*no-such-qrels.*\n", err)


def test_warnings_are_lines_without_code(folder, command):
    (folder / "strange.run").write_text("9 Q0 a 1 1 s\n8 Q0 a 1 1 s\n1 Q0 d1 1 1 s\n")
    status, out, err = command("qrels", "strange.run", "RR")
    assert (status, out) == (0, "RR\t0.3333\n")
    assert re.fullmatch(r"(ir_trunc: warning: run strange.run: .*2 .*topics .*\n){2}", err)


def test_warnings_of_other_packages_are_not_told(command, monkeypatch):
    def noisy(words):
        warnings.warn("Precision loss occurred", RuntimeWarning, stacklevel=1)
        warnings.warn("a thing that will change", FutureWarning, stacklevel=1)
        warnings.warn("said by a module of the user's", UserWarning, stacklevel=1)
        return 0

    monkeypatch.setattr("ir_trunc._cli.score.main", noisy)
    assert command("qrels") == (0, "", "ir_trunc: warning: said by a module of the user's\n")


def test_a_wrong_setting_of_the_kernel_is_one_sentence(folder, ended):
    message = "ir_trunc: a package cannot be imported: IR_TRUNC_KERNEL=maybe: 0, 1 or required is needed.\n"
    assert ended("qrels", "in.run", "RR", env={"IR_TRUNC_KERNEL": "maybe"}) == (2, "", message)
