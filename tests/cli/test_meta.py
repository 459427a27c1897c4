"""The commands of ir_trunc meta."""

import re
import shlex

import pandas as pd
import pytest

from ir_trunc import meta
from ir_trunc.meta.guide import tree
from ir_trunc.synthetic import demo

QRELS = str(demo.data() / "demo.qrels")
RUNS = [str(demo.data() / f"{name}.run") for name in sorted(demo.SYSTEMS)]


@pytest.fixture
def printed(command):
    """What a command prints where it succeeds."""

    def output(*words):
        status, out, error = command("meta", *words)
        assert status == 0, error
        return out

    return output


@pytest.fixture
def folder(tmp_path):
    """The runs of the demonstration in a folder of their own."""
    for name in demo.SYSTEMS:
        (tmp_path / name).write_bytes((demo.data() / f"{name}.run").read_bytes())
    return tmp_path


def test_commands_over_runs(printed, folder, tmp_path_factory):
    text = printed("power", QRELS, *RUNS, "AP", "RBPT", "--correction", "bh", "--test", "randomisation")
    assert "randomisation test, p < 0.05, corrected by bh, 128 repetitions, seed 0; 3\n  systems" in text
    assert "tau between orderings of systems by mean score" in text
    text = printed("power", QRELS, str(folder), "AP", "RBPT", "--csv")
    assert text.startswith("measure,discriminative_power,pairs")
    assert text == printed("power", QRELS, *map(str, sorted(folder.iterdir())), "AP", "RBPT", "--csv")
    text = printed("pools", QRELS, str(folder), "P", "--pool-depths", "1,2", "--depths", "2,3")
    assert "pool 1: 7 judgments" in text
    groups = tmp_path_factory.mktemp("groups") / "groups.txt"
    groups.write_text("never-stops a\nstops-in-time a\nsays-little b\n")
    left_out = ("leave-group-out", QRELS, str(folder), "AP", "--depth", "3", "--groups", str(groups))
    assert "2 groups" in printed(*left_out)
    text = printed("stability", QRELS, *RUNS, "AP", "RBPT", "--repetitions", "10", "--reference", "P@1", "RR")
    assert "10 sets of 3 topics" in text
    assert "Cov with respect to P@1, RR" in text
    text = printed("truncation-impact", QRELS, *RUNS, "RBPT(p=0.5)@5", "--depth", "5")
    assert text == f"{meta.truncation_impact('RBPT(p=0.5)@5', QRELS, RUNS)}\n"


def test_the_procedures_of_a_command_run_in_one_order(printed):
    text = printed("stability", QRELS, *RUNS, "AP", "--repetitions", "5", "--reference", "AP")
    heads = "topics for each pair", "times two sets", "mean tau between two halves", "Cov with respect to"
    assert sorted(heads, key=" ".join(text.split()).index) == list(heads)


def test_tables_of_a_command_have_taus_and_p_values(printed, tmp_path):
    tables = tmp_path / "of" / "power"
    words = ("power", QRELS, *RUNS, "AP", "RBPT(p=0.8)", "--alpha", "0.2")
    assert "RBPT(p=0.8)" in printed(*words, "--tables", str(tables), "--pool-depth", "5")
    found = {path.stem: pd.read_csv(path) for path in tables.iterdir()}
    pools = meta.pooled_runs(QRELS, RUNS)
    matrix = pools.score("AP RBPT(p=0.8)", pools.in_pool(5))
    taus = "tau-of-system-pairs-by-p-value", "tau-of-systems-by-mean-score"
    assert sorted(found) == ["p-values", "power", *taus]
    pairs = meta.power(matrix, alpha=0.2).pairs()
    pd.testing.assert_frame_equal(found["p-values"], pairs, check_exact=False, rtol=1e-15)
    taus = found["tau-of-systems-by-mean-score"].set_index(["name", "other"])["tau"]
    assert taus["AP", "RBPT(p=0.8)"] == meta.agreement(matrix).values[0, 1]
    assert len(found["tau-of-system-pairs-by-p-value"]) == 4


def test_places_are_those_that_are_asked_for(printed):
    words = ("power", QRELS, *RUNS, "AP", "RBPT", "--alpha", "0.2")
    assert " 0.6667 " in printed(*words)
    short = printed(*words, "--places", "1")
    assert " 0.7 " in short
    assert "0.67" not in short
    assert re.search(r" 0\.6666666666666\d+ ", printed(*words, "-p", "-1"))
    assert "\nAP,0.67,3," in printed(*words, "--csv", "--places", "2")
    grid = ("pools", QRELS, *RUNS, "P", "--pool-depths", "1,2", "--depths", "2,3", "--forms", "raw")
    assert re.search(r"\s\d\.\d{3}[=+]", printed(*grid))
    assert re.search(r"\s\d\.\d[=+]", printed(*grid, "--places", "1"))


@pytest.mark.needs("plots")
def test_commands_without_runs(printed, monkeypatch, tmp_path):
    assert "stability" in printed()
    assert "3 Deepness         strict" in printed("properties", "RBP", "--scale", "0,1,2", "--length", "4")
    assert printed("properties", "RBP", "--csv", "--length", "4").startswith("measure,property,verdict")
    assert "beta = 1.0464" in printed("calibrate", "OIE", "beta", "--rank", "20")
    assert "p = 0.794" in printed("calibrate", "--residual", "0.1", "--depth", "10")
    plain = ("length=yes", "answers=no", "paid=no", "harm=no")
    assert printed("guide", *plain, "weighted=no", "nil=yes").startswith("NilF")
    asked = []
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or "n")
    assert printed("guide", *plain, "nil=no", "everything=no").startswith("SetF")
    assert asked == ["Are documents less likely to be seen the lower they stand? [y/n] "]
    printed("guide", "--page", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} >= {"guide.md", "guide.svg"}


def test_a_saved_matrix_gives_what_the_runs_give(command, printed, tmp_path):
    path = str(tmp_path / "matrix.json")
    assert printed("matrix", QRELS, *RUNS, "AP", "RBPT(p=0.9)", "c@1", "-o", path) == ""
    matrix = meta.score_matrix("AP RBPT(p=0.9) c@1", QRELS, RUNS)
    assert meta.ScoreMatrix.load(path).values.tobytes() == matrix.values.tobytes()
    for name, *options in (["power"], ["stability", "--repetitions", "10", "--csv"]):
        of_runs = printed(name, QRELS, *RUNS, "AP", "RBPT(p=0.9)", *options)
        assert printed(name, "--matrix", path, *options, "AP", "RBPT(p=0.9)") == of_runs
        assert "c@1 looks at all lists of a run" in command("meta", name, "--matrix", path, *options)[2]


@pytest.mark.parametrize(("words", "says"), [
    ("guide length=yes length=no", "length is answered twice"),
    ("power --matrix MATRIX AP --order rank", "--matrix holds scores already"),
    ("power --matrix MATRIX --pool-depth 2", "leave --pool-depth"),
    ("power --matrix MATRIX --missing empty", "options of topics"),
    ("power --matrix MATRIX --topics QRELS", "options of topics"),
    ("power QRELS RUNS AP --pool-depth 2 --missing empty", "--missing has no effect on the scores"),
    ("power QRELS RUNS AP --missing error", "are not in the run"),
    ("matrix QRELS RUNS AP -o x --missing error", "are not in the run"),
    ("matrix QRELS RUNS AP -o QRELS", "would be overwritten"),
])  # fmt: skip
def test_a_wrong_command_is_one_line(words, says, complaint, tmp_path, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("asked"))
    matrix = tmp_path / "matrix.json"
    meta.score_matrix("AP RBPT(p=0.9)", QRELS, RUNS).save(matrix)
    places = {"QRELS": [QRELS], "RUNS": RUNS, "MATRIX": [str(matrix)]}
    assert says in complaint("meta", *(part for word in words.split() for part in places.get(word, [word])))


def test_options_are_checked_before_runs_are_read(complaint, monkeypatch):
    reading = "ir_trunc._cli.meta.score_matrix"
    monkeypatch.setattr(reading, lambda *_, **__: pytest.fail("the runs were read"))
    assert "alpha=7 is out of range" in complaint("meta", "power", QRELS, *RUNS, "AP", "--alpha", "7")


def test_the_guide_asks_again_goes_back_and_ends_with_the_lines_to_type(command, monkeypatch):
    typed = iter(["b", "no", "BACK", "y", "maybe", "n", "n", "n", "y", "n", "y", "n"])
    asked = []
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or next(typed))
    status, out, error = command("meta", "guide")
    assert status == 0
    first, second = tree(), tree()["no"]
    assert asked[:2] == [f"{first['question']} [y/n] "] * 2  # there is nothing to go back to
    assert asked[2] == f"{second['question']} [y/n, b: back] "
    assert asked[3].startswith(first["question"])  # the question before that
    first_time = "Please answer yes or no (y, n); Ctrl-D ends."
    assert error.splitlines() == [first_time, "Please answer yes or no (y, n, b goes back); Ctrl-D ends."]
    score, again = out.split("To score runs:")[1].split("These answers again:")
    assert score.split("#")[0].strip() == "ir_trunc QRELS RUN 'OIE(D=SIZE)'"
    words = shlex.split(again.replace("\\\n", " "))
    assert words[:3] == ["ir_trunc", "meta", "guide"]
    assert command(*words[1:])[:2] == (0, out.partition("These answers again:")[0])


def test_a_guide_without_anybody_to_answer_is_one_line(command, monkeypatch):
    def nobody(_):
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    status, out, error = command("meta", "guide")
    assert (status, out, error.count("\n")) == (2, "\n", 1)  # the prompt's line ends
    assert error.startswith("ir_trunc: length is not answered: Does the system choose")


@pytest.mark.filterwarnings("default::ir_trunc.IrTruncWarning")
def test_two_systems_have_one_pair_whose_p_values_have_no_order(command):
    status, out, error = command("meta", "power", QRELS, *RUNS[:2], "AP", "RBPT")
    assert (status, "discriminative_power" in out) == (0, True)
    assert "agreement of Power is left out: orderings of 1 and 1 items" in error


def test_a_folder_of_tables_is_made_when_there_are_tables(command, tmp_path):
    words = ["meta", "power", QRELS, RUNS[0], "AP", "--tables", str(tmp_path / "new" / "tables")]
    assert command(*words)[0] == 2
    assert list(tmp_path.iterdir()) == []
    assert command(*words[:4], *RUNS[1:], *words[4:])[0] == 0
    assert list((tmp_path / "new" / "tables").glob("*.csv"))


def test_the_page_of_the_guide_replaces_no_page(complaint, tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "guide.svg").write_text("mine")
    said = complaint("meta", "guide", "--page", str(tmp_path))
    assert said == f"ir_trunc: {tmp_path}/guide.svg exists already: name another folder, or remove it.\n"
