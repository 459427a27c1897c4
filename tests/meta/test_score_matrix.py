"""A score matrix that is saved, or made from a table of scores, and what it then lacks."""

import numpy as np
import pandas as pd
import pytest

from ir_trunc import InputError, compare, meta
from ir_trunc.cli.main import main
from ir_trunc.synthetic import demo

QRELS = str(demo.data() / "demo.qrels")
RUNS = [str(demo.data() / f"{name}.run") for name in demo.SYSTEMS]
MATRIX = meta.score_matrix("AP RBPT(p=0.9) c@1", QRELS, RUNS)
BY_LIST = MATRIX.take(measures="AP RBPT(p=0.9)")


def equal(one, other):
    assert (one.measures, one.systems, one.topics) == (other.measures, other.systems, other.topics)
    assert one.values.tobytes() == other.values.tobytes()
    return True


@pytest.mark.parametrize(
    "table",
    [
        BY_LIST.to_pandas(),
        BY_LIST.to_pandas().reset_index(),
        compare("AP RBPT(p=0.9)", QRELS, RUNS).by_topic(),
        compare("AP RBPT(p=0.9)", QRELS, RUNS).by_topic().rename(columns={"query_id": "qid"}),
        compare("AP RBPT(p=0.9)", QRELS, RUNS).by_topic().iloc[:, ::-1],
    ],
)
def test_a_table_becomes_the_matrix_that_it_came_from(table):
    before = table.copy()
    assert equal(meta.ScoreMatrix.from_pandas(table), BY_LIST)
    pd.testing.assert_frame_equal(table, before)


def test_tables_of_other_libraries_do_too():
    pa = pytest.importorskip("pyarrow")
    long = compare("AP RBPT(p=0.9)", QRELS, RUNS).by_topic()
    assert equal(meta.ScoreMatrix.from_pandas(pa.Table.from_pandas(pd.DataFrame(long))), BY_LIST)


LONG = pd.DataFrame(
    [("s", "1", "AP", 0.5), ("s", "2", "AP", 0.25), ("t", "1", "AP", 0.0), ("t", "2", "AP", 1.0)],
    columns=["system", "query_id", "measure", "value"],
)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (LONG.iloc[:-1], r"'AP' of system 't' on topic '2' has no score \(1 are missing\)"),
        (pd.concat([LONG, LONG.iloc[:1]]), "'AP' of system 's' on topic '1' has two scores"),
        (LONG.assign(value=["x", 1, 2, 3]), "has the score 'x': a finite number is needed"),
        (LONG.assign(value=[True, 1, 2, 3]), "has the score True: a finite number is needed"),
        (LONG.assign(value=[np.nan, 1, 2, 3]), "has the score nan: a finite number is needed"),
        (LONG.assign(value=[np.inf, 1, 2, 3]), "has the score inf: a finite number is needed"),
        (LONG.assign(query_id=[1.0, 2.0, 1.0, 2.0]), "query_id 1.0 is float, not text or a whole number"),
        (LONG.assign(system=[None, "s", "t", "t"]), "row 0: system is missing"),
        (LONG.drop(columns="system"), "the columns system, query_id, measure, value"),
        (LONG.assign(fold=1), "the column 'fold' is not known beside measure and value"),
        (LONG.iloc[:0], "it has no scores"),
        (LONG[["system", "query_id"]], "it has no scores"),
        ([("s", "1", "AP", 0.5)], "table of type list: a DataFrame with scores is needed"),
    ],
)
def test_a_table_that_is_not_a_matrix_is_refused_with_the_place(table, says):
    with pytest.raises(InputError, match=says):
        meta.ScoreMatrix.from_pandas(table)


@pytest.fixture
def saved(tmp_path):
    MATRIX.save(tmp_path / "matrix.json")
    return tmp_path / "matrix.json"


def test_a_loaded_matrix_gives_the_same_figures(saved):
    loaded = meta.ScoreMatrix.load(saved)
    assert equal(loaded, MATRIX)
    assert equal(loaded.take(measures="AP RBPT(p=0.9)"), BY_LIST)
    for procedure in (meta.power, meta.error_rates, meta.swap_rates, meta.predictivity):
        assert repr(procedure(loaded.take(measures="AP RBPT(p=0.9)"))) == repr(procedure(BY_LIST))
    np.testing.assert_array_equal(meta.agreement(loaded).values, meta.agreement(MATRIX).values)


@pytest.mark.parametrize("name", ["c@1", "c@1, with a name of its own"])
def test_a_loaded_matrix_says_where_it_lacks_the_lists(name, tmp_path):
    matrix = (
        MATRIX if name == "c@1" else BY_LIST.joined({"with a name of its own": MATRIX.take(measures="c@1")})
    )
    matrix.save(tmp_path / "matrix.json")
    loaded = meta.ScoreMatrix.load(tmp_path / "matrix.json")
    calls = [
        meta.power,
        meta.error_rates,
        meta.swap_rates,
        meta.predictivity,
        lambda m: m.take(topics=m.topics[:1]),
    ]
    for call in calls:
        with pytest.raises(InputError, match=f"{name} looks at all lists of a run"):
            call(loaded)
    with pytest.raises(InputError, match="has no score of one topic alone"):
        meta.coverage(loaded, name)
    assert loaded.take(systems=loaded.systems[:2]).means().tolist() == matrix.means()[:, :2].tolist()


def out(capsys, *words):
    status = main(["meta", *map(str, words)])
    captured = capsys.readouterr()
    return captured.out if status == 0 else captured.err


def test_commands_over_a_saved_matrix_print_what_they_print_over_the_runs(capsys, tmp_path):
    path = tmp_path / "matrix.json"
    assert out(capsys, "matrix", QRELS, *RUNS, "AP", "RBPT(p=0.9)", "c@1", "-o", path) == ""
    assert equal(meta.ScoreMatrix.load(path), MATRIX)
    for words in (
        ["power"],
        ["stability", "--repetitions", "10"],
        ["stability", "--repetitions", "10", "--csv"],
    ):
        given = [words[0], "--matrix", path, *words[1:]]
        of_runs = out(capsys, words[0], QRELS, *RUNS, "AP", "RBPT(p=0.9)", *words[1:])
        assert out(capsys, *given, "AP", "RBPT(p=0.9)") == of_runs
        assert "c@1 looks at all lists of a run" in out(capsys, *given)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["power", "--matrix", "MATRIX", "P@1"], "There is no measure P@1 here"),
        (["power", "--matrix", "MATRIX", "AP", "--order", "rank"], "--matrix holds scores already"),
        (["power", "--matrix", "nowhere", "AP"], "nowhere: there is no such file"),
        (["power", "--matrix", QRELS, "AP"], "cannot be read as JSON"),
        (["power", "AP"], "QRELS, RUNS and MEASURE"),
        (["power"], "QRELS, RUNS and MEASURE"),
        (["matrix", QRELS, *RUNS, "AP", "-o", QRELS], "would be overwritten"),
        (["matrix", QRELS, *RUNS, "-o", "x"], "No measure is given"),
    ],
)
def test_a_wrong_command_over_a_matrix_is_one_line(words, says, saved, capsys):
    said = out(capsys, *[str(saved) if word == "MATRIX" else word for word in words])
    assert says in said
    assert said.count("\n") == 1
