"""Calibration, the guide, the commands and the pictures."""

import re
import shlex
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_trunc import Rankings, meta
from ir_trunc._core.errors import IrTruncWarning, ParameterError
from ir_trunc.cli.main import main
from ir_trunc.meta import calibration
from ir_trunc.meta.guide import Advice, _walk, guide_page, plot_guide, tree
from ir_trunc.scoring.objects import bind, parse_measure
from ir_trunc.synthetic import demo

DOCS = Path(__file__).parents[2] / "notebooks"


def test_persistences_that_the_paper_prints():
    for depth, printed in ((10, 0.8), (100, 0.977), (1000, 0.9977)):
        places = len(str(printed)) - 2
        assert abs(meta.persistence(0.1, depth) - printed) <= 0.51 * 10**-places + (depth == 10) * 0.001


@given(st.floats(0.001, 0.999), st.integers(1, 2000))
def test_a_persistence_put_back_leaves_the_residual(residual, depth):
    p = meta.persistence(residual, depth)
    assert 0 < p < 1
    assert meta.residual(p, depth) == pytest.approx(residual, rel=1e-9)


SETTINGS = ("FlatU", "DCGU", "RBPU", "ERRU", "RBU", "RBPU(p=0.98)", "RBU(gain='linear')")


@pytest.mark.parametrize(
    ("measure", "parameter"), [*((name, "e") for name in SETTINGS), ("OIE", "beta"), ("RBPU(e=0.01)", "p")]
)
@pytest.mark.parametrize("rank", [2, 7, 20])
def test_a_calibrated_parameter_breaks_even_when_put_back(measure, parameter, rank):
    found = meta.break_even(measure, parameter, rank)
    bound = bind(parse_measure(found.measure))
    assert bound.params[parameter] == found.value
    assert abs(calibration.gain_over_silence(bound, rank)) < 1e-9
    assert found.last_rank == rank
    assert calibration.gain_over_silence(bound, rank + 1) < 0 < calibration.gain_over_silence(bound, rank - 1)


def test_break_evens_that_are_known():
    assert meta.break_even("FlatU", "e", 20).value == pytest.approx(1 / 20)
    assert meta.break_even("OIE", "beta", 20).value == pytest.approx(1.0464, abs=5e-5)
    assert calibration.last_rank_that_pays(bind(parse_measure("OIE"))) == 18
    assert meta.break_even("RBPU", "e", 3).value == pytest.approx(0.64 / (1 + 0.8 + 0.64))


def test_a_deep_rank_breaks_even_in_a_moment_or_is_refused(capsys):
    assert meta.break_even("FlatU", "e", 100_000).value == pytest.approx(1e-5)
    assert meta.break_even("OIE", "beta", 15_000).last_rank == 15_000  # deeper lists than D are not tried
    assert main(["meta", "calibrate", "RBPU", "e", "--rank", "1000000"]) == 2
    assert "a whole number from 1 to 100000 is needed" in capsys.readouterr().err


def test_a_small_effort_is_found_too():
    """0.8^99 (1 - e) = e (1 + 0.8 + ... + 0.8^98), so e is 0.8^99 over the sum of 100 powers."""
    found = meta.break_even("RBPU", "e", 100)
    assert found.value == pytest.approx(0.8**99 / sum(0.8**i for i in range(100)))
    assert found.last_rank == 100


@pytest.mark.parametrize(("wrong", "says"), [
    (lambda: meta.break_even("RBPU", "gain", 3), "'gain' cannot be calibrated; p, e can"),
    (lambda: meta.break_even("AP", "p", 3), "nothing can"),
    (lambda: meta.break_even("RBP", "p", 3), "more than nothing at every p .*, from 0.00249 to 0.998"),
    (lambda: meta.break_even("RBPU", "e", 10**30), "rank=1(0){30} is out of range: .* 1 to 100000"),
    (lambda: meta.break_even("OIE", "beta", 30000), "rank=30000 is beyond the D=20000 documents"),
    (lambda: meta.break_even("RBPU", "e", 0), "rank=0"),
    (lambda: meta.persistence(0, 10), "residual=0"),
    (lambda: meta.residual(1, 10), "p=1"),
    (lambda: meta.guide(length=True), "answers is not answered"),
    (lambda: meta.guide(length="no"), "length='no': True or False is needed"),
    (lambda: meta.guide(lenght=True), "Did you mean length"),
])  # fmt: skip
def test_errors_name_what_was_wrong(wrong, says):
    with pytest.raises(ParameterError, match=says):
        wrong()


def test_the_guide_follows_the_papers_workflow():
    no_length = {"length": False, "first_n": False, "weighted": True, "one": False}
    assert meta.guide(length=False, first_n=False, weighted=False).measures == ("Spearman", "KendallTau")
    assert meta.guide(length=False, first_n=True).measures == ("P@10", "R@10")
    assert meta.guide(**no_length | {"one": True}).measures == ("RR",)
    assert meta.guide(**no_length, recall=True, graded=True).measures == ("nDCG",)
    assert meta.guide(**no_length, recall=False, redundancy=False).measures == ("RBP",)
    documents = {"length": True, "answers": False, "paid": False, "harm": False}
    assert "SetF" in meta.guide(**documents, weighted=False, nil=False, everything=False).measures
    assert "WSS" in meta.guide(**documents, weighted=False, nil=False, everything=True).measures
    assert "NilF" in meta.guide(**documents, weighted=False, nil=True).measures
    expected = {
        (False, False): "RBPU",
        (True, False): "OIE",
        (True, True): "OIE",
    }  # the paper has DCGU for the second
    for (recall, redundancy), measure in expected.items():
        answers = documents | {"weighted": True, "nil": False, "recall": recall, "redundancy": redundancy}
        found = meta.guide(**answers)
        assert found.measures[0] == measure
        assert dict(found.path) == answers


def test_the_guide_leads_to_answers_and_to_empty_lists_too():
    question = {"length": True, "answers": True}
    assert meta.guide(**question, single=False).measures == ("Q",)
    assert meta.guide(**question, single=True, nil=True).measures == ("EM",)
    unpriced = question | {"single": True, "nil": False, "surest": False, "price": False}
    assert meta.guide(**unpriced).measures == ("c@1",)
    assert meta.guide(**unpriced | {"price": True}).measures == ("UF(price=3)", "F05u")
    assert meta.guide(**unpriced | {"surest": True}).measures == ("AUGRC", "EAURC")
    silent = {"length": True, "answers": False, "paid": False, "harm": False, "weighted": True, "nil": True}
    assert meta.guide(**silent, redundancy=False, deep=False).measures == ("RBPT",)
    assert meta.guide(**silent, redundancy=False, deep=True).measures == ("nDCGT",)
    assert meta.guide(**silent, redundancy=True).measures == ("ERRT",)


def test_the_guide_asks_who_pays_for_reading_and_what_does_harm():
    assert "TBG" in meta.guide(length=True, answers=False, paid=True).measures
    assert "SignedRBPT" in meta.guide(length=True, answers=False, paid=False, harm=True).measures


def ends(node, path=()):
    """Every end of the workflow, with (node, answer) for each question on the way."""
    if "measures" in node:
        yield node, path
        return
    for answer in ("no", "yes"):
        yield from ends(node[answer], (*path, (node, answer)))


ENDS = list(ends(tree()))


@pytest.mark.parametrize(("end", "path"), ENDS, ids=[" ".join(end["measures"]) for end, _ in ENDS])
def test_every_end_of_the_guide_has_what_was_asked_for_or_says_what_it_lacks(end, path):
    asked = [node["asks"][answer] for node, answer in path if answer in node.get("asks", {})]
    scale = (0, 1) if ("graded", "no") in [(node["key"], answer) for node, answer in path] else None
    lacking = {}
    for measure in end["measures"]:
        verdicts = meta.properties(measure, scale)[0]
        findings = [verdicts[prop] for prop in asked]
        words = {
            found.property: " ".join(
                [found.verdict, *(["on", *found.depends_on] if found.depends_on else [])]
            )
            for found in findings
            if found.verdict != "strict"
        }
        lacking |= {measure: words} if words else {}
    assert end.get("but", {}) == lacking


def test_what_an_end_lacks_is_printed_and_drawn():
    asked = {"paid": False, "harm": False, "weighted": True, "nil": False, "recall": True, "redundancy": True}
    found = meta.guide(length=True, answers=False, **asked)
    assert found.but["OIE"] == {"Redundancy": "violated"}
    line = "Asked for, but not held in every case: Redundancy (OIE: violated), Confidence (ERRT: weak)."
    assert line in " ".join(str(found).split())
    assert line in guide_page()
    assert "Redundancy (OIE: violated)" in " ".join(text.get_text() for text in plot_guide().texts)


def test_where_nothing_may_be_found_the_empty_list_is_the_best():
    nil = Rankings.from_lists([[], [0], [0, 0]], [[0, 0]] * 3)
    for end, path in ENDS:
        if ("nil", "yes") in [(node["key"], answer) for node, answer in path]:
            for measure in end["measures"]:
                empty, *noise = bind(parse_measure(measure)).score(nil)
                assert empty == 1, measure
                assert max(noise) < 1, measure


def test_every_way_through_the_guide_ends_at_measures_that_exist():
    keys = {node["key"] for *_, node in _walk(tree()) if "key" in node}
    for key in keys:
        assert key in meta.guide.__doc__
    for end, path in ENDS:
        advised = meta.guide(**{node["key"]: answer == "yes" for node, answer in path}).measures
        assert advised == tuple(end["measures"])
        assert all(bind(parse_measure(measure)) for measure in advised)


def test_the_guide_asks_again_goes_back_and_ends_with_the_lines_to_type(capsys, monkeypatch):
    typed = iter(["b", "no", "BACK", "y", "maybe", "n", "n", "n", "y", "n", "y", "n"])
    asked = []
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or next(typed))
    assert main(["meta", "guide"]) == 0
    out, err = capsys.readouterr()
    first, second = tree(), tree()["no"]
    assert asked[:2] == [f"{first['question']} [y/n] "] * 2  # there is nothing to go back to
    assert asked[2] == f"{second['question']} [y/n, b: back] "
    assert asked[3].startswith(first["question"])  # the question before that
    assert err.count("Please answer yes or no") == 2
    score, again = out.split("To score runs:")[1].split("These answers again:")
    assert score.split("#")[0].strip() == "ir_trunc QRELS RUN 'OIE(D=SIZE)'"
    words = shlex.split(again.replace("\\\n", " "))
    assert words[:3] == ["ir_trunc", "meta", "guide"]
    assert main(words[1:]) == 0
    assert capsys.readouterr().out == out.partition("These answers again:")[0]


@pytest.mark.parametrize("end", [end for end, _ in ENDS], ids=[" ".join(end["measures"]) for end, _ in ENDS])
def test_the_line_at_each_end_scores_runs(end, capsys):
    line = Advice(tuple(end["measures"]), {}, "", ()).command.replace("SIZE", "1000")
    _, _, _, *names = shlex.split(line, comments=True)
    qrels, run = str(demo.data() / "demo.qrels"), str(demo.data() / "stops-in-time.run")
    assert main([qrels, run, *names]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(names)


def test_the_page_is_the_workflow():
    assert (DOCS / "guide.md").read_text(encoding="utf-8") == guide_page()
    picture = (DOCS / "guide.svg").read_text(encoding="utf-8")
    assert picture.startswith("<?xml")
    for text in plot_guide().texts:
        assert f">{text.get_text()}<" in picture


@pytest.fixture
def runs(tmp_path):
    for name in demo.SYSTEMS:
        (tmp_path / name).write_bytes((demo.data() / f"{name}.run").read_bytes())
    return [str(demo.data() / "demo.qrels"), str(tmp_path)]


def printed(capsys, *words):
    assert main(["meta", *words]) == 0
    return capsys.readouterr().out


def test_commands_over_runs(capsys, runs, tmp_path):
    text = printed(capsys, "power", *runs, "AP", "RBPT", "--correction", "bh", "--test", "randomisation")
    assert "randomisation test, p < 0.05, corrected by bh, 128 repetitions, seed 0; 3\n  systems" in text
    assert "tau between orderings of systems by mean score" in text
    text = printed(capsys, "power", *runs, "AP", "RBPT", "--csv")
    assert text.startswith("measure,discriminative_power,pairs")
    files = sorted(str(path) for path in Path(runs[1]).iterdir())
    assert printed(capsys, "power", runs[0], *files, "AP", "RBPT", "--csv") == text
    text = printed(capsys, "pools", *runs, "P", "--pool-depths", "1,2", "--depths", "2,3")
    assert "pool 1: 7 judgments" in text
    (tmp_path / "groups.txt").write_text("never-stops a\nstops-in-time a\nsays-little b\n")
    groups = str(tmp_path / "groups.txt")
    assert "2 groups" in printed(
        capsys, "leave-group-out", *runs[:1], *files, "AP", "--depth", "3", "--groups", groups
    )
    text = printed(
        capsys, "stability", runs[0], *files, "AP", "RBPT", "--repetitions", "10", "--reference", "P@1", "RR"
    )
    assert "10 sets of 3 topics" in text
    assert "Cov with respect to P@1, RR" in text


def test_tables_of_a_command_have_taus_and_p_values(capsys, runs, tmp_path):
    folder = tmp_path.with_name("tables") / "of" / "power"
    words = ("power", *runs, "AP", "RBPT(p=0.8)", "--alpha", "0.2")
    text = printed(capsys, *words, "--tables", str(folder), "--pool-depth", "5")
    assert "RBPT(p=0.8)" in text
    found = {path.stem: pd.read_csv(path) for path in folder.iterdir()}
    pools = meta.pooled_runs(runs[0], runs[1])
    matrix = pools.score("AP RBPT(p=0.8)", pools.in_pool(5))
    power = meta.power(matrix, alpha=0.2)
    assert set(found) == {
        *("power", "p-values", "tau-of-systems-by-mean-score", "tau-of-system-pairs-by-p-value"),
    }
    pd.testing.assert_frame_equal(found["p-values"], power.pairs(), check_exact=False, rtol=1e-15)
    taus = found["tau-of-systems-by-mean-score"].set_index(["name", "other"])["tau"]
    assert taus["AP", "RBPT(p=0.8)"] == meta.agreement(matrix).values[0, 1]
    assert len(found["tau-of-system-pairs-by-p-value"]) == 4


def test_places_are_those_that_are_asked_for(capsys, runs):
    assert " 0.6667 " in printed(capsys, "power", *runs, "AP", "RBPT", "--alpha", "0.2")
    short = printed(capsys, "power", *runs, "AP", "RBPT", "--alpha", "0.2", "--places", "1")
    assert " 0.7 " in short
    assert "0.67" not in short
    every = printed(capsys, "power", *runs, "AP", "RBPT", "--alpha", "0.2", "-p", "-1")
    assert " 0.6666666666666666 " in every
    text = printed(capsys, "power", *runs, "AP", "RBPT", "--alpha", "0.2", "--csv", "--places", "2")
    assert "\nAP,0.67,3," in text
    grid = ("pools", *runs, "P", "--pool-depths", "1,2", "--depths", "2,3", "--forms", "raw")
    assert re.search(r"\s\d\.\d{3}[=+]", printed(capsys, *grid))
    assert re.search(r"\s\d\.\d[=+]", printed(capsys, *grid, "--places", "1"))


def test_commands_without_runs(capsys, monkeypatch, tmp_path):
    assert "stability" in printed(capsys)
    assert "3 Deepness         strict" in printed(
        capsys, "properties", "RBP", "--scale", "0,1,2", "--length", "4"
    )
    assert printed(capsys, "properties", "RBP", "--csv").startswith("measure,property,verdict")
    assert "beta = 1.0464" in printed(capsys, "calibrate", "OIE", "beta", "--rank", "20")
    assert "p = 0.794" in printed(capsys, "calibrate", "--residual", "0.1", "--depth", "10")
    plain = ("length=yes", "answers=no", "paid=no", "harm=no")
    assert printed(capsys, "guide", *plain, "weighted=no", "nil=yes").startswith("NilF")
    asked = []
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or "n")
    assert printed(capsys, "guide", *plain, "nil=no", "everything=no").startswith("SetF")
    assert asked == ["Are documents less likely to be seen the lower they stand? [y/n] "]
    printed(capsys, "guide", "--page", str(tmp_path))
    assert (tmp_path / "guide.md").exists()
    assert (tmp_path / "guide.svg").exists()


@pytest.mark.parametrize(("words", "says"), [
    (["nothing"], "meta has no command 'nothing'"),
    (["power", "QRELS", "RUNS"], "No measure is given"),
    (["power", "QRELS", "nowhere", "AP"], "nowhere: there is no such file"),
    (["power", "QRELS", "RUNS", "AQ"], "'AQ' is neither a file nor a measure"),
    (["power", "QRELS", "RUNS", "AP", "--plot", "x.abc"], "x.abc: the name of a picture ends in its kind"),
    (["pools", "QRELS", "RUNS", "AP", "--pooled", "nowhere.txt"], "nowhere.txt"),
    (["stability", "QRELS", "RUNS", "AP", "--size", "6"], "size=6"),
    (["pools", "QRELS", "RUNS", "AP", "--forms", "raw,x"], "forms='x' is unknown"),
    (["pools", "QRELS", "RUNS", "AP", "--pooled", "QRELS"], "4 fields; 1 are needed"),
    (["pools", "QRELS", "RUNS", "AP@5"], "AP@5 has a cutoff, and the evaluation depth sets it"),
    (["guide", "length=perhaps"], "'length=perhaps'"),
    (["guide", "length=yes", "length=no"], "length is answered twice"),
    (["calibrate", "OIE"], "is needed"),
    (["properties", "AP", "--length", "99"], "length=99"),
])  # fmt: skip
def test_a_wrong_command_is_one_line(words, says, capsys, runs):
    places = dict(zip(("QRELS", "RUNS"), runs))
    assert main(["meta", *(places.get(word, word) for word in words)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("ir_trunc: ")
    assert error.count("\n") == 1
    assert says in error


def test_the_guide_asks_again_after_a_wrong_answer(capsys, monkeypatch):
    said = iter(["perhaps", "", "yes", "ja", "no", "n", "n", "n", "n", "n"])
    monkeypatch.setattr("builtins.input", lambda _: next(said))
    assert main(["meta", "guide"]) == 0
    out, error = capsys.readouterr()
    assert out.startswith("SetF")
    assert error.splitlines() == [
        "Please answer yes or no (y, n); Ctrl-D ends.",
        "Please answer yes or no (y, n); Ctrl-D ends.",
        "Please answer yes or no (y, n, b goes back); Ctrl-D ends.",
    ]


def test_an_unknown_key_is_refused_before_anything_is_asked(capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("asked"))
    assert main(["meta", "guide", "lenght=yes"]) == 2
    assert "Did you mean length" in capsys.readouterr().err


def test_a_guide_without_anybody_to_answer_is_one_line(capsys, monkeypatch):
    def nobody(_):
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    assert main(["meta", "guide"]) == 2
    out, error = capsys.readouterr()
    assert out == "\n"  # the prompt's line ends
    assert error.startswith("ir_trunc: length is not answered: Does the system choose")
    assert error.count("\n") == 1


def test_a_missing_extra_is_named(capsys, monkeypatch, runs):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["meta", "power", *runs, "AP", "RR", "--plot", "x.png"]) == 2
    assert "pip install 'ir_trunc[" in capsys.readouterr().err


def test_every_picture_says_what_it_shows(runs):
    matrix = meta.score_matrix("AP RBPT P@1", *runs)
    grid = meta.pool_grid(["P", "AP"], meta.pooled_runs(*runs), (1, 2), (1, 2, 3))
    agreement = meta.agreement(matrix)
    shown = [
        meta.power(matrix).plot(),
        agreement.scatter("AP", "RBPT"),
        meta.error_rates(matrix, repetitions=5).plot(),
        meta.swap_rates(matrix, repetitions=5).plot(),
        grid.plot("AP", "standardised"),
    ]
    for ax in shown:
        assert ax.get_xlabel()
        assert ax.get_ylabel()
    assert agreement.plot().get_title() == "Kendall's tau of systems by mean score"
    assert meta.predictivity(matrix, 3).plot().get_ylabel() == "Kendall's tau between halves (no unit)"
    assert len(grid.plot_all().figure.axes) == 6
    narrow = meta.pool_grid(["P", "Precision", "P"], meta.pooled_runs(*runs), (1,), (1, 2), ["raw"])
    assert narrow.measures == ("P", "Precision")
    assert (narrow.share[:, :, 0] == narrow.share[:, :, 1]).all()
    assert narrow.plot_all().figure.legends
    assert len(plot_guide().texts) > 20
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert not pyplot.get_fignums()  # a notebook that shows `.figure` would show the picture twice


def test_two_systems_have_one_pair_whose_p_values_have_no_order(capsys):
    runs = [str(demo.data() / f"{name}.run") for name in demo.SYSTEMS[:2]]
    with warnings.catch_warnings():
        warnings.simplefilter("default", IrTruncWarning)
        assert main(["meta", "power", str(demo.data() / "demo.qrels"), *runs, "AP", "RBPT"]) == 0
    out, err = capsys.readouterr()
    assert "discriminative_power" in out
    assert "agreement of Power is left out: orderings of 1 and 1 items" in err
