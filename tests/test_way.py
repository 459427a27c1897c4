"""The way of a run from its form to a score is short, and the same for every form."""

import runpy
from pathlib import Path

import pytest

import ir_trunc

WAY = runpy.run_path(str(Path(__file__).parent / "benchmarks" / "way.py"), run_name="way")
FORMS = ("TREC file", "dict of dicts", "dict, one document", "pandas frame", "named tuples")


@pytest.mark.parametrize("form", FORMS)
def test_a_run_goes_through_few_files_on_its_way_to_a_score(form, tmp_path):
    run = WAY["forms"](tmp_path)[form]
    ready = ir_trunc.evaluator("RBPT", WAY["QRELS"])
    entered, between, calls = WAY["counted"](lambda: ready.calc(run))
    readers = [name for name in entered if "readers" in name]
    assert len(readers) == 1
    assert len(entered) <= 30, sorted(entered)
    assert between <= 110
    assert calls <= 250


def test_every_form_is_counted(tmp_path):
    assert tuple(WAY["forms"](tmp_path)) == FORMS
