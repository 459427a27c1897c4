"""The way of a run from its form to a score is short, and the same for every form."""

import runpy
from pathlib import Path

import pytest

import ir_trunc
from ir_trunc._kernel import kernel

WAY = runpy.run_path(str(Path(__file__).parent / "benchmarks" / "way.py"), run_name="way")
FORMS = ("TREC file", "dict of dicts", "dict, one document", "pandas frame", "named tuples")


@pytest.mark.parametrize("form", FORMS)
def test_a_run_goes_through_few_files_on_its_way_to_a_score(form, tmp_path):
    run = WAY["forms"](tmp_path)[form]
    ready = ir_trunc.evaluator("RBPT", WAY["QRELS"])
    entered, between, calls = WAY["counted"](lambda: ready.calc(run))
    readers = [name for name in entered if "readers" in name]
    assert len(readers) == 1
    assert len(entered) <= (23 if kernel is None or form == "pandas frame" else 16), sorted(entered)
    assert between <= 110
    assert calls <= 250


@pytest.mark.skipif(kernel is None, reason="the kernel is not compiled, or not wanted")
@pytest.mark.parametrize(("form", "files"), [
    ("TREC file", {"registry.py", "trec.py", "text.py", "notes.py"}),
    ("dict of dicts", {"registry.py", "dicts.py", "notes.py"}),
    ("named tuples", {"registry.py", "lists_of_rows.py", "notes.py"}),
])  # fmt: skip
def test_the_kernel_needs_little_of_the_room_of_readers(form, files, tmp_path):
    """What the data are, the reader that recognises them, their text, and what is to be said of them."""
    run = WAY["forms"](tmp_path)[form]
    ready = ir_trunc.evaluator("RBPT", WAY["QRELS"])
    entered, _, _ = WAY["counted"](lambda: ready.calc(run))
    assert {Path(name).name for name in entered if name.startswith(f"{WAY['PACKAGE']}/read/")} == files


def test_every_form_is_counted(tmp_path):
    assert tuple(WAY["forms"](tmp_path)) == FORMS
