"""The score matrix: from runs, from tables and from files, and what a saved one lacks."""

import gzip

import ir_measures
import numpy as np
import pandas as pd
import pytest
from matrices import collection, matrix_of
from messages import refused

from ir_trunc import compare, meta
from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc.meta.matrix import higher_is_better
from ir_trunc.synthetic import demo

QRELS = str(demo.data() / "demo.qrels")

RUNS = [str(demo.data() / f"{name}.run") for name in demo.SYSTEMS]

MATRIX = meta.score_matrix("AP RBPT(p=0.9) c@1", QRELS, RUNS)

BY_LIST = MATRIX.take(measures="AP RBPT(p=0.9)")


def equal(one, other):
    assert (one.measures, one.systems, one.topics) == (other.measures, other.systems, other.topics)
    assert one.values.tobytes() == other.values.tobytes()
    return True


def test_a_score_matrix_from_a_folder_paths_and_a_mapping(tmp_path):
    for name in demo.SYSTEMS:
        data = (demo.data() / f"{name}.run").read_bytes()
        (tmp_path / f"{name}.run.gz").write_bytes(gzip.compress(data))
    qrels = demo.data() / "demo.qrels"
    matrix = meta.score_matrix("AP RBPT(p=0.5)", qrels, tmp_path)
    assert matrix.systems == tuple(f"{name}.run" for name in sorted(demo.SYSTEMS))
    paths = meta.score_matrix("AP RBPT(p=0.5)", qrels, sorted(tmp_path.iterdir()))
    by_name = {path.name: path for path in sorted(tmp_path.iterdir())}
    mapped = meta.score_matrix("AP RBPT(p=0.5)", qrels, by_name)
    assert matrix.values.tobytes() == paths.values.tobytes() == mapped.values.tobytes()
    assert matrix[ir_measures.AP].shape == (3, len(matrix.topics))
    assert matrix.to_pandas().loc[("says-little.run", "nothing-to-find"), "RBPT(p=0.5)"] == 1
    assert " ".join(matrix.joined({"again": matrix}).measures[2:]) == "AP, again RBPT(p=0.5), again"


def test_tables_keep_what_their_user_wrote():
    """And a measure is found by any way to write it."""
    qrels, runs = collection(4)
    wanted = ["RBP(p=0.8)", "RBPT(p=0.8,tail=True)@3", "nDCG(dcg='log2')@2", "AP"]
    matrix = meta.score_matrix(wanted, qrels, runs)
    pools = meta.pooled_runs(qrels, runs)
    left = meta.leave_group_out(wanted, pools, 3)
    for found in (matrix, pools.score(wanted), meta.power(matrix), meta.agreement(matrix)):
        assert list(getattr(found, "measures", None) or found.names) == wanted
    assert left.measures == tuple(wanted)
    assert meta.properties("RBP(p=0.8)", length=4)[0].measure == "RBP(p=0.8)"
    for short, written in (("RBP", wanted[0]), ("RBPT@3", wanted[1]), (ir_measures.nDCG @ 2, wanted[2])):
        np.testing.assert_array_equal(matrix[short], matrix[written])
    assert meta.score_matrix("RBP RBP(p=0.8)", qrels, runs).measures == ("RBP",)  # one measure
    reference = meta.Reference.of(meta.score_matrix("RBP RBPT@3 nDCG@2 AP", qrels, runs))
    np.testing.assert_array_equal(
        reference.standardise(matrix).values, meta.Reference.of(matrix).standardise(matrix).values
    )


BY_TOPIC = compare("AP RBPT(p=0.9)", QRELS, RUNS).by_topic()


@pytest.mark.parametrize("table", [
    BY_LIST.to_pandas(), BY_LIST.to_pandas().reset_index(),
    BY_TOPIC, BY_TOPIC.rename(columns={"query_id": "qid"}), BY_TOPIC.iloc[:, ::-1],
])  # fmt: skip
def test_a_table_becomes_the_matrix_that_it_came_from(table):
    before = table.copy()
    assert equal(meta.ScoreMatrix.from_pandas(table), BY_LIST)
    pd.testing.assert_frame_equal(table, before)
    pa = pytest.importorskip("pyarrow")
    assert equal(meta.ScoreMatrix.from_pandas(pa.Table.from_pandas(pd.DataFrame(table))), BY_LIST)


LONG = pd.DataFrame(
    [("s", "1", "AP", 0.5), ("s", "2", "AP", 0.25), ("t", "1", "AP", 0.0), ("t", "2", "AP", 1.0)],
    columns=["system", "query_id", "measure", "value"],
)


@pytest.mark.parametrize(("table", "says"), [
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
])  # fmt: skip
def test_a_table_that_is_not_a_matrix_is_refused_with_the_place(table, says):
    refused(InputError, says, meta.ScoreMatrix.from_pandas, table)


def test_a_loaded_matrix_gives_the_same_figures(tmp_path):
    MATRIX.save(tmp_path / "matrix.json")
    loaded = meta.ScoreMatrix.load(tmp_path / "matrix.json")
    assert equal(loaded, MATRIX)
    assert equal(loaded.take(measures="AP RBPT(p=0.9)"), BY_LIST)
    for procedure in (meta.power, meta.error_rates, meta.swap_rates, meta.predictivity):
        assert repr(procedure(loaded.take(measures="AP RBPT(p=0.9)"))) == repr(procedure(BY_LIST))
    np.testing.assert_array_equal(meta.agreement(loaded).values, meta.agreement(MATRIX).values)


@pytest.mark.parametrize("name", ["c@1", "c@1, with a name of its own"])
def test_a_loaded_matrix_says_where_it_lacks_the_lists(name, tmp_path):
    renamed = BY_LIST.joined({"with a name of its own": MATRIX.take(measures="c@1")})
    matrix = MATRIX if name == "c@1" else renamed
    matrix.save(tmp_path / "matrix.json")
    loaded = meta.ScoreMatrix.load(tmp_path / "matrix.json")
    procedures = meta.power, meta.error_rates, meta.swap_rates, meta.predictivity
    for call in (*procedures, lambda m: m.take(topics=m.topics[:1])):
        refused(InputError, f"{name} looks at all lists of a run", call, loaded)
    refused(InputError, "has no score of one topic alone", meta.coverage, loaded, name)
    assert loaded.take(systems=loaded.systems[:2]).means().tolist() == matrix.means()[:, :2].tolist()


def test_a_frame_that_pandas_cannot_hold_is_refused():
    pl = pytest.importorskip("polars")
    columns = {"system": ["a", "b"], "query_id": ["1", "1"], "measure": ["m", "m"]}
    table = pl.DataFrame({**columns, "value": pl.Series([1, 2], dtype=pl.Int128)})
    refused(InputError, r"table: .*cast its values to floats", meta.ScoreMatrix.from_pandas, table)


def test_conditions_have_the_direction_of_their_measure():
    values = np.ones((4, 1))
    names = ["HarmCompat@5, deep", "AP@5, deep", "HarmCompat", "a measure of one's own"]
    assert higher_is_better(names, values).ravel().tolist() == [-1, 1, -1, 1]


def test_without_the_worst_quarter_of_the_systems():
    scores = [[[0.5], [0.1], [0.9], [0.3], [0.2]], [[0.1], [0.2], [0.3], [0.4], [0.5]]]
    matrix = matrix_of(scores)
    assert matrix.without_worst().systems == tuple(matrix.systems[at] for at in (0, 2, 3, 4))
    assert matrix.without_worst(0.5, matrix.measures[1]).systems == matrix.systems[2:]
    assert matrix.without_worst(0.1).systems == matrix.systems
    refused(ParameterError, "share=1 is out of range", matrix.without_worst, 1)
