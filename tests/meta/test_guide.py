"""The guide: every end says what it lacks, and its measures score runs."""

import shlex
from pathlib import Path

import numpy as np
import pytest

from ir_trunc import Rankings, meta
from ir_trunc._cli.main import main
from ir_trunc._scoring.objects import bind, parse_measure
from ir_trunc.meta.guide import Advice, guide_page, plot_guide, tree
from ir_trunc.synthetic import demo

DOCS = Path(__file__).parents[2] / "notebooks"


def ends(node, path=()):
    """Every end of the workflow, with (node, answer) for each question on the way."""
    if "measures" in node:
        yield node, path
        return
    for answer in ("no", "yes"):
        yield from ends(node[answer], (*path, (node, answer)))


ENDS = list(ends(tree()))


@pytest.mark.weekly
@pytest.mark.parametrize(("end", "path"), ENDS, ids=[" ".join(end["measures"]) for end, _ in ENDS])
def test_every_end_of_the_guide_has_what_was_asked_for_or_says_what_it_lacks(end, path):
    asked = [node["asks"][answer] for node, answer in path if answer in node.get("asks", {})]
    scale = (0, 1) if ("graded", "no") in [(node["key"], answer) for node, answer in path] else None
    lacking = {}
    for measure in end["measures"]:
        verdicts = meta.properties(measure, scale)[0]
        findings = [verdicts[prop] for prop in asked]
        words = {
            found.property: " on ".join(filter(None, [found.verdict, " and ".join(found.depends_on)]))
            for found in findings if found.verdict != "strict"
        }  # fmt: skip
        lacking |= {measure: words} if words else {}
    assert end.get("but", {}) == lacking


@pytest.mark.needs("plots", "screening")
def test_what_an_end_lacks_is_printed_and_drawn():
    asked = {"paid": False, "harm": False, "weighted": True, "nil": False, "recall": True, "redundancy": True}
    found = meta.guide(length=True, answers=False, **asked)
    oie = {"Confidence": "depends on D", "Recall": "depends on D and grades", "Redundancy": "violated"}
    assert found.but["OIE"] == oie
    line = "Caution: that appending an irrelevant document lowers the score (Confidence) does not always hold"
    line += ": under OIE it depends on D; under ERRT the scores can be equal."
    assert line in " ".join(str(found).split())
    assert line in guide_page()
    drawn = " ".join(text.get_text() for text in plot_guide().texts)
    assert "under OIE it can be the other way round." in drawn


def test_where_nothing_may_be_found_the_empty_list_is_the_best():
    nil = Rankings.from_lists([[], [0], [0, 0]], [[0, 0]] * 3)
    for end, path in ENDS:
        if ("nil", "yes") in [(node["key"], answer) for node, answer in path]:
            for measure in end["measures"]:
                empty, *noise = bind(parse_measure(measure)).score(nil)
                assert empty == 1, measure
                assert max(noise) < 1, measure


@pytest.mark.needs("screening")
def test_every_way_through_the_guide_ends_at_measures_that_exist():
    for end, path in ENDS:
        answers = {node["key"]: answer == "yes" for node, answer in path}
        advice = meta.guide(**answers)
        assert (advice.measures, dict(advice.path)) == (tuple(end["measures"]), answers)
        assert all(bind(parse_measure(measure)) for measure in advice.measures)


@pytest.mark.needs("screening")
@pytest.mark.parametrize("end", [end for end, _ in ENDS], ids=[" ".join(end["measures"]) for end, _ in ENDS])
def test_the_line_at_each_end_scores_runs(end, capsys):
    line = Advice(tuple(end["measures"]), {}, "", ()).command.replace("SIZE", "1000")
    _, _, _, *names = shlex.split(line, comments=True)
    qrels, run = str(demo.data() / "demo.qrels"), str(demo.data() / "stops-in-time.run")
    assert main([qrels, run, *names]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(names)


@pytest.mark.needs("plots")
def test_the_page_is_the_workflow():
    assert (DOCS / "guide.md").read_text(encoding="utf-8") == guide_page()
    picture = (DOCS / "guide.svg").read_text(encoding="utf-8")
    ax = plot_guide()
    for text in ax.texts:
        assert f">{text.get_text()}<" in picture
    starts = np.array([text.get_position() for text in ax.texts])
    for line in ax.lines:  # from below the first letter of a question to the answer
        (trunk, top), _, (answer, y) = line.get_xydata()
        assert np.isclose(starts - (trunk, top), (-0.01, 0.1)).all(axis=1).any()
        assert np.isclose(starts, (answer, y)).all(axis=1).any()


OF_THE_PAPER = {"length", "first_n", "weighted", "one", "recall", "graded", "redundancy", "deep"}


def test_notebook_03_counts_the_questions_that_the_paper_does_not_have():
    more = {node["key"] for _, path in ENDS for node, _ in path} - OF_THE_PAPER
    words = dict(zip(range(6, 11), ("six", "seven", "eight", "nine", "ten")))
    text = (DOCS / "03-ranking-interruptus.ipynb").read_text(encoding="utf-8")
    assert f"the paper's with {words[len(more)]} more questions" in text


def test_the_paper_s_err_is_that_of_the_judgments_scale():
    """Amigó et al. 2022, 4.1: a perfect binary list scores (2^1 - 1) / 2^1 = .5; ERR ends its scale at 4."""
    one = Rankings.from_lists([[1]])
    assert [bind(parse_measure(measure)).score(one)[0] for measure in ("ERR", "ERRU(e=0)")] == [1 / 16, 1 / 2]
    assert "ERRU(e=0)" in {measure for end, _ in ENDS for measure in end["measures"]}
    assert "ERR" not in {measure for end, _ in ENDS for measure in end["measures"]}
