"""Scores are the same on every processor: those of all measures in a few settings are stored.

`.ci/renew` adds those of new measures. Measures that need logarithms may differ with another C library, and
those that need exp on another processor, each by at most 1e-12.
"""

import ast
import builtins
import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import other_processor
import pytest
from generated import ALL, rankings_of, settings_of
from reference_measures import Query

from ir_trunc.measures import lookup, parts, registry, terminal

STORED = Path(__file__).with_name("scores.tsv")
PAGE = Path(__file__).parents[2] / "notebooks" / "promises.md"
SETTINGS = 5  # of each measure
DEEP = 1300  # documents of the longest list
GRADES = [1, None, 0, 3, None, 2, -1, None, 1, 0, None]
EXP = {"EC", "EET", "ETC", "ETU", "EU", "TBG", "UDCG"}
LOG = {"DCG", "DCGU", "OIE", "SignedDCG", "anDCG", "enDCG", "nDCG", "nDCGT", "nsDCG", "sDCG"}
LOGARITHMS = "cbb22bffe68b8553"  # a hash of those of the C library that the stored scores come from


def query(topic: int, length: int) -> Query:
    """A topic whose list is written by a rule, so that no generator of random numbers has to be the same."""
    grades = [GRADES[(place * place + 3 * topic) % len(GRADES)] for place in range(length)]
    grades = [min(grade, 0) if topic == 2 and grade else grade for grade in grades]
    judged = [grade for grade in grades if grade is not None] + [1, 2, 0][: topic % 4]
    scores = [(length - place) / length for place in range(length)]
    costs = [(place * 7 % 5 + 1) / 4 for place in range(length)]
    return Query(grades, judged, scores, costs, overlap=topic % 4 / 4)


def rankings():
    return rankings_of([query(topic, length) for topic, length in enumerate((0, 1, 7, 19, 60, DEEP))])


def rows(names) -> list[str]:
    """A line for each setting: the measure, its parameters, and the score of each list."""
    lines, run = [], rankings()
    for name in sorted(names):
        settings = settings_of(registry[name])
        for change in settings[:: -(-len(settings) // SETTINGS)]:
            params = change | ({"D": 2 * DEEP} if isinstance(change.get("D"), int) else {})
            scores = lookup(name).bind(params).score(run).tolist()
            lines.append(f"{name}\t{params}\t{' '.join(map(repr, scores))}")
    return lines


def stored() -> list[tuple[str, dict, np.ndarray]]:
    lines = (line.split("\t") for line in STORED.read_text("utf-8").splitlines())
    return [(name, ast.literal_eval(params), np.array(of.split(), float)) for name, params, of in lines]


def the_c_library_is_another() -> bool:
    logarithms = np.array([log(number) for log in (math.log, math.log2) for number in range(1, 4097)])
    return hashlib.sha256(logarithms.astype("<f8").tobytes()).hexdigest()[:16] != LOGARITHMS


def differing() -> set[str]:
    """Measures whose scores are not those that are stored, within what is allowed."""
    loose = EXP | LOG if the_c_library_is_another() else EXP
    wrong, run = set(), rankings()
    for name, params, scores in (each for each in stored() if each[0] in registry):
        tolerance = 1e-12 * np.maximum(1, np.abs(scores)) if name in loose else 0.0
        if (np.abs(lookup(name).bind(params).score(run) - scores) > tolerance).any():
            wrong.add(name)
    return wrong


@pytest.mark.needs("more measures", "graded answers", "screening", "sessions")
def test_stored_scores_are_of_all_measures():
    assert {name for name, *_ in stored()} == {definition.name for definition in ALL}


def test_scores_are_those_that_are_stored():
    assert differing() == set()


NEWEST = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
"""Instructions of this processor that numpy uses and does not need."""


@pytest.mark.parametrize(
    "tunables", [{}, {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2"}], ids=["numpy", "C library"]
)
def test_scores_are_the_same_without_the_newest_instructions(tunables):
    here = Path(__file__).parent
    others = os.environ | tunables | {"NPY_DISABLE_CPU_FEATURES": NEWEST}
    others["PYTHONPATH"] = os.pathsep.join([str(here), str(here.parent), *sys.path])
    words = [sys.executable, "-W", "ignore", "-c", "import test_processors as law; print(law.differing())"]
    done = subprocess.run(words, env=others, capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr


def test_measures_that_may_differ_are_those_that_the_page_names():
    page = " ".join(PAGE.read_text("utf-8").split())
    for names in (EXP, LOG):
        *first, last = (f"`{name}`" for name in sorted(names))
        assert f"{', '.join(first)} and {last}" in page


def test_a_power_planted_in_a_measure_breaks_the_stored_scores(monkeypatch):
    """Under the plugin that stands in for another processor."""
    moved = other_processor.as_on_another_processor
    monkeypatch.setattr(builtins, other_processor.NAME, moved, raising=False)
    planted = {"table": parts.powers}
    source = "def powers(lists, p):\n    return table(lists, p) ** 1.0"  # x ** 1.0 is x on this processor
    exec(compile(source, "planted", "exec"), planted)
    monkeypatch.setattr(terminal, "parts", SimpleNamespace(**vars(parts) | {"powers": planted["powers"]}))
    assert differing() == set()
    exec(other_processor.compiled(source, "planted", terminal.__name__), planted)
    monkeypatch.setattr(terminal, "parts", SimpleNamespace(**vars(parts) | {"powers": planted["powers"]}))
    assert differing() == {"RBPT"}


if __name__ == "__main__":  # .ci/renew: the stored scores, with those of new measures
    kept = STORED.read_text("utf-8").splitlines()
    new = registry.keys() - {line.partition("\t")[0] for line in kept}
    STORED.write_text("".join(f"{line}\n" for line in sorted(kept + rows(new))), "utf-8")
