"""The way of a run from its form to a score is short, and the same for every form."""

import runpy
from pathlib import Path

import pytest

import ir_trunc
from ir_trunc._kernel import kernel

WAY = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "way.py"), run_name="way")
FORMS = ("TREC file", "dict of dicts", "dict, one document", "pandas frame", "named tuples")


@pytest.mark.parametrize("form", FORMS)
def test_a_run_goes_through_few_files_on_its_way_to_a_score(form, tmp_path):
    run = WAY["forms"](tmp_path)[form]
    ready = ir_trunc.evaluator("RBPT", WAY["QRELS"])
    entered, between, calls = WAY["counted"](lambda: ready.calc(run))
    readers = [name for name in entered if "readers" in name]
    assert len(readers) == 1
    in_python = kernel is None or form == "pandas frame"
    assert len(entered) <= (20 if in_python else 10), sorted(entered)
    assert between <= (95 if in_python else 24)
    assert calls <= (250 if in_python else 70)


@pytest.mark.parametrize("form", FORMS)
def test_measures_and_qrels_that_are_given_anew_add_few_files_to_the_way(form, tmp_path):
    run, qrels = WAY["forms"](tmp_path)[form], ir_trunc.read_qrels(WAY["QRELS"])
    entered, _, _ = WAY["counted"](lambda: ir_trunc.calc("RBPT", qrels, run))
    assert len(entered) <= (25 if kernel is None or form == "pandas frame" else 17), sorted(entered)


@pytest.mark.skipif(kernel is None, reason="the kernel is not compiled, or not wanted")
@pytest.mark.parametrize(("form", "files"), [
    ("TREC file", {"registry.py", "trec.py", "text.py"}),
    ("dict of dicts", {"registry.py", "dicts.py"}),
    ("named tuples", {"registry.py", "lists_of_rows.py"}),
])  # fmt: skip
def test_the_kernel_needs_little_of_the_room_of_readers(form, files, tmp_path):
    """What the data are, the reader that recognises them, and their text."""
    run = WAY["forms"](tmp_path)[form]
    ready = ir_trunc.evaluator("RBPT", WAY["QRELS"])
    entered, _, _ = WAY["counted"](lambda: ready.calc(run))
    assert {Path(name).name for name in entered if name.startswith(f"{WAY['PACKAGE']}/_read/")} == files


def test_every_form_is_counted(tmp_path):
    assert tuple(WAY["forms"](tmp_path)) == FORMS
