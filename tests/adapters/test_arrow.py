"""The function that engines call on their workers: the bits of `calc`, in whatever way lists are divided."""

import copyreg
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from generated import EVERY, queries, with_ids
from messages import refused
from pages import ROOT, blocks

from ir_trunc import InputError, IrTruncWarning, ParameterError, UnknownMeasureError, calc
from ir_trunc._scoring.objects import bind, parse_measure
from ir_trunc.adapters import arrow
from ir_trunc.adapters.arrow import scorer

LISTS = [measure for measure in EVERY if bind(parse_measure(measure)).definition.scope == "list"]
# They look at the scale of grades, or at all lists.
SCALED = ["RBP", "RBPT", "nDCGT", "AGR", "RGR", "ERR", "TBG", "AP", "nERR", "Q", "AWP", "c@1", "CWS", "AURC"]

# What engines say of pandas, of Python and of sockets that they leave open is not ours.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ir_trunc.IrTruncWarning",
    "ignore::FutureWarning",
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
)


def table_of(run: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(run, preserve_index=False)


def divided(table: pa.Table, parts: int, key: str = "query_id"):
    """Tables of whole lists, in no order."""
    ids = table[key].to_pylist()
    owner = {name: at % parts for at, name in enumerate(dict.fromkeys(ids))}
    return [table.filter(pa.array([owner[name] == part for name in ids])) for part in range(parts)]


def with_labels(seed: int, lists: int = 9) -> pd.DataFrame:
    """A run whose judged documents have their grade beside their score."""
    qrels, run = with_ids(queries(seed, lists), seed)
    grades = [qrels.get(topic, {}).get(doc) for topic, doc in zip(run.query_id, run.doc_id)]
    return run.assign(relevance=pd.array(grades, dtype="Int64"))


def test_rows_of_lists_have_the_bits_of_calc():
    qrels, run = with_ids(queries(2, 9), 2)
    score = pickle.loads(pickle.dumps(scorer(LISTS, qrels, missing="exclude")))
    rows = pa.concat_tables(map(score, divided(table_of(run), 3))).to_pandas().set_index("query_id")
    here = calc(LISTS, qrels, run, missing="exclude")
    rows = rows.loc[list(here.topics)]
    assert rows[list(map(str, here.measures))].to_numpy().T.tobytes() == here.values.tobytes()
    assert rows["length"].tolist() == here.rankings.lengths.tolist()
    assert rows["nil"].tolist() == here.nil.tolist()


@pytest.mark.parametrize("missing", ["empty", "exclude"])
def test_collected_lists_are_one_result(missing):
    qrels, run = with_ids(queries(4, 9), 4)
    score = pickle.loads(pickle.dumps(scorer(EVERY, qrels, collect=True, missing=missing, topics=["new"])))
    there = score.results(pa.concat_tables(map(score, divided(table_of(run), 3))))
    here = calc(EVERY, qrels, run, missing=missing, topics=["new"])
    assert there.values.tobytes() == here.values.tobytes()
    assert there.topics == here.topics
    assert there.universe == here.universe
    assert there.abstention == here.abstention


@pytest.mark.parametrize(("seed", "nil"), [(3, None), (5, "sakai"), (7, "ends")])
def test_labels_in_the_rows_are_the_qrels(seed, nil):
    table = with_labels(seed, 30)
    labels, topics = table[table.relevance.notna()], table.query_id.unique().tolist()
    top = int(labels.relevance.max())
    assert set(labels.relevance) >= set(range(1, top + 1))
    here = calc(SCALED, labels, table.drop(columns="relevance"), topics=topics, nil=nil)
    tables = divided(table_of(table), 3)
    score = scorer(SCALED, collect=True, unjudged="nil", nil=nil, max_rel=top)
    there = score.results(part for each in tables for part in score(each)["part"].to_pylist())
    assert there.topics == here.topics
    assert there.values.tobytes() == here.values.tobytes()
    score = scorer(SCALED[:-3], unjudged="nil", nil=nil, max_rel=top)
    rows = pa.concat_tables(map(score, tables)).to_pandas().set_index("query_id").loc[list(here.topics)]
    for measure in SCALED[:-3]:
        assert rows[measure].tolist() == here[measure].tolist(), measure


def test_keys_make_nested_means_and_units():
    days, labels = ["mon", "tue"] * 6, [1, 0, 0, 1] * 3
    table = pa.table(
        {"day": days, "query_id": [1, 1, 2, 2] * 3, "doc_id": list("aabbccddeeff"),
         "score": np.arange(12.0) % 5, "relevance": labels}
    )  # fmt: skip
    keys = ["day", "query_id"]
    run = table.to_pandas()
    here = calc("RBPT RR", run.drop(columns="score"), run.drop(columns="relevance"), keys=keys)
    score = scorer("RBPT RR", keys=keys, collect=True)
    there = score.results(pa.concat_tables(map(score, divided(table, 2, "day"))))
    assert there.by("day").equals(here.by("day"))
    assert there.unit_means("day")[1].tobytes() == here.unit_means("day")[1].tobytes()
    rows = scorer("RBPT RR", keys=keys, max_rel=1)(table).to_pandas()
    assert rows.groupby("day").mean(numeric_only=True)["RBPT"].to_numpy() == pytest.approx(
        here.by("day").RBPT
    )
    assert rows.day.tolist() == ["mon", "mon", "tue", "tue"]
    one = scorer("RR", keys=["day"], max_rel=1)
    assert one.schema.names == ["day", "RR", "length", "nil"]
    assert one(table.filter(pa.array([d == "mon" for d in days])))["length"].to_pylist() == [6]


def test_a_sorted_stream_holds_a_list_until_it_ends(monkeypatch):
    monkeypatch.setattr(arrow, "PART", 20)
    # Other packages change how exceptions are pickled, as distributed does.
    monkeypatch.setitem(copyreg.dispatch_table, InputError, lambda error: (os.getcwd, ()))
    table = table_of(with_labels(9)).sort_by("query_id")
    score = scorer("RBPT AP", max_rel=3, unjudged="nil")
    batches = list(score.stream(table.to_batches(max_chunksize=3)))
    assert len(batches) > 3
    assert pa.Table.from_batches(batches).sort_by("query_id").equals(score(table).sort_by("query_id"))
    assert list(score.stream([])) == []
    again = [table, table.slice(0, 1)]
    refused(InputError, r"list .+: its rows are in several places", list, score.stream(again))
    collecting = scorer("RBPT", collect=True, unjudged="nil")
    with pytest.raises(InputError, match="its rows are in several places"):
        collecting.results(pa.Table.from_batches(list(collecting.stream(again))))
    with pytest.raises(InputError, match="in two pieces of the run"):
        collecting.results(pa.concat_tables(map(collecting, [table.slice(0, 1), table])))


def test_empty_lists_have_a_row():
    rows = {"query_id": ["1", "2", "3"], "doc_id": ["a", "__nil__", "c"], "score": [1.0, 0.0, 2.0]}
    table = pa.table(rows | {"relevance": pa.array([1, 0, 0]), "shown": [True, True, False]})
    score = scorer("RBPT", max_rel=1)
    assert score(table)["length"].to_pylist() == [1, 0, 0]
    assert score(table)["nil"].to_pylist() == [False, True, True]
    bound = scorer("RBPT", {"1": {"a": 1}, "2": {"b": 1}, "9": {"b": 1}}, missing="exclude")
    with pytest.warns(IrTruncWarning, match="ignored 1 topic that is not in the qrels .for example 3"):
        assert bound(table)["RBPT"].to_pylist() == [1.0, 0.0]
    assert bound(table.slice(0, 0)).schema == score(table.slice(0, 0)).schema == score.schema


def test_lists_without_a_judgment_are_decided_about():
    table = pa.table({"query_id": ["1", "2"], "doc_id": ["a", "b"], "score": [1.0, 1.0],
                      "label": pa.array([1, None])})  # fmt: skip
    with pytest.raises(InputError, match="table, list 2: no document has a judgment; unjudged='exclude'"):
        scorer("AP", max_rel=1)(table)
    assert scorer("AP", max_rel=1, unjudged="exclude")(table)["query_id"].to_pylist() == ["1"]
    assert scorer("AP", max_rel=1, unjudged="nil")(table)["nil"].to_pylist() == [False, True]
    score = scorer("AP", collect=True, unjudged="exclude", source="clicks")
    parts = pa.concat_tables(map(score, (table.slice(0, 1), table.slice(1))))  # nothing is judged in one
    for lists in (score(table), parts):
        with pytest.warns(IrTruncWarning, match="clicks: ignored 1 topic"):
            assert score.results(lists).topics == ("1",)
    unjudged = table.slice(1).add_column(0, "day", [["mon"]])
    assert scorer("AP", max_rel=1, unjudged="exclude", keys=["day", "query_id"])(unjudged).num_rows == 0


@pytest.mark.full  # polars takes seconds to be imported
def test_frames_are_tables():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    table, score = table_of(with_labels(9)), scorer("RBPT", max_rel=3, unjudged="nil")
    expected = score(table)
    for data in (table.to_pandas(), polars.from_arrow(table), table.combine_chunks().to_batches()[0]):
        assert score(data).equals(expected)
    for data in (None, {"query_id": ["1"]}, "my.parquet", [1], 3):
        refused(InputError, "an Arrow table or record batch is needed", score, data)
    with pytest.raises(InputError, match="Arrow cannot hold it"):
        score(pd.DataFrame({"query_id": ["1", 2], "doc_id": [b"", "a"]}))


GOOD = {"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [2.0, 1.0], "relevance": [1, 0]}


@pytest.mark.parametrize(("columns", "message"), [
    ({"relevance": None}, "table has no column relevance or label; it has: query_id, doc_id, score"),
    ({"score": None}, "table has no column score"),
    ({"relevance": [2, 0]}, r"topic 1, document a: relevance 2: a grade up to max_rel=1 is needed"),
    ({"doc_id": ["a", "a"]}, "it is in the list twice|it is judged twice"),
    ({"doc_id": None, "corpus-id": ["a", "b"], "relevance": None}, "has no column relevance"),
])  # fmt: skip
def test_wrong_tables(columns, message):
    table = pa.table({name: column for name, column in (GOOD | columns).items() if column is not None})
    refused(InputError, message, scorer("AP", max_rel=1), table)


@pytest.mark.parametrize(("options", "message"), [
    ({}, "max_rel is needed: the highest grade that the judgments in the rows can have"),
    ({"max_rel": 1, "missing": "empty"}, "topics and missing go with qrels"),
    ({"collect": True, "nil": "sakai"}, "max_rel is needed"),
    ({"max_rel": 1, "measures": "AP c@1"}, r"c@1 looks at all lists of a run, and a table has some"),
    ({"qrels": {"1": {"a": 1}}}, "missing='exclude' confirms that"),
    ({"qrels": {"1": {"a": 1}}, "max_rel": 1}, "max_rel goes with judgments in the rows"),
])  # fmt: skip
def test_wrong_options(options, message):
    refused(ParameterError, message, scorer, **{"measures": "AP"} | options)
    refused(UnknownMeasureError, "infAP is not computed by ir_trunc", scorer, "infAP", max_rel=1)
    refused(ParameterError, r"scorer.*collects them", scorer("AP", max_rel=1).results, [])


def test_wrong_streams():
    score, table = scorer("AP", max_rel=1, source="clicks"), pa.table(GOOD)
    for stream in (table, table.to_batches()[0], table.to_reader(), iter([table])):
        assert pa.Table.from_batches(list(score.stream(stream))).equals(score(table))
    for stream, message in (
        (None, "clicks of type NoneType: an Arrow table or record batch is needed"),
        (table["score"], "clicks of type DoubleScalar: an Arrow table or record batch is needed"),
        ([table, 3], "clicks of type int: an Arrow table or record batch is needed"),
        ([table, table.drop_columns("score")], "clicks: the batches of a stream need the same columns"),
        ([table, pa.table(GOOD | {"query_id": [2, 2]})], "clicks: the batches of a stream need the same"),
    ):
        refused(InputError, message, list, score.stream(stream))


def test_what_others_made_is_not_run(tmp_path):
    """A pickle can call any function when it is loaded."""

    class Evil:
        def __reduce__(self):
            return (tmp_path / "written").write_text, ("",)

    score = scorer("AP", max_rel=1, collect=True)
    piece = pickle.loads(score(pa.table(GOOD))["part"][0].as_py())
    for part in (Evil(), (piece[0], Evil()), [os.getcwd], InputError, (1, "a")):
        with pytest.raises(InputError, match="parts: what the function returned is needed"):
            score.results([pickle.dumps(part)])
    assert not list(tmp_path.iterdir())


def test_columns_have_other_names():
    table = pa.table(dict(zip(["session", "chunk", "rank_score", "clicked"], GOOD.values())))
    names = {"doc_id": "chunk", "score": "rank_score", "relevance": "clicked"}
    for keys in ("session", ["session"]):
        score = scorer("AP", keys=keys, columns=names, max_rel=1)
        assert score(table).to_pylist() == [{"session": "1", "AP": 1.0, "length": 2, "nil": False}]
    with pytest.raises(InputError, match="has no column 'clicked', which columns names for relevance"):
        score(table.drop_columns("clicked"))


@pytest.mark.parametrize(("max_rel", "said"), [(None, False), (3, True)])
def test_the_scale_of_labels_is_declared_by_max_rel_alone(max_rel, said):
    table = with_labels(3, 6)
    score = scorer("RBPT", collect=True, unjudged="exclude", max_rel=max_rel)
    results = score.results(score(table_of(table)))
    assert results.rankings.judgments.scale_declared is said
    assert results.universe.declared is said


@pytest.mark.parametrize(("duplicates", "expected"), [("first", 0.5), ("best", 1.0)])
def test_a_document_that_is_in_a_list_twice_is_judged_once(duplicates, expected):
    rows = {"query_id": ["1"] * 3, "doc_id": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]}
    table = pa.table(rows | {"relevance": [1, 0, 1]})
    score = scorer("RR", max_rel=1, duplicates=duplicates)
    assert score(table)["RR"].to_pylist() == [expected]
    with pytest.raises(InputError, match="in the list twice; duplicates='first' or 'best' keeps one"):
        scorer("RR", max_rel=1)(table)
    refused(InputError, "judged twice", score, pa.table(rows | {"relevance": [1, 0, 0]}))


# Engines.

PAGE = ROOT / "notebooks" / "howto" / "large-runs.md"
QRELS, RUN = with_ids(queries(2, 25, longest=60, pool=20), 2)


@pytest.fixture
def score():
    return scorer(EVERY, QRELS, collect=True, topics=["unheard-of"])


def has_the_bits_of_calc(score, parts):
    here, there = calc(EVERY, QRELS, RUN, topics=["unheard-of"]), score.results(parts)
    assert len(parts) > 1
    assert there.topics == here.topics
    for measure, a, b in zip(here.measures, here.values, there.values):
        assert a.tobytes() == b.tobytes(), measure


@pytest.mark.full
def test_scores_on_dask_have_the_bits_of_calc(score, tmp_path):
    dask = pytest.importorskip("dask", reason="needs dask and distributed")
    dd = pytest.importorskip("dask.dataframe", reason="needs dask and distributed")
    distributed = pytest.importorskip("distributed", reason="needs dask and distributed")
    here = {"dashboard_address": None, "host": "127.0.0.1", "local_directory": str(tmp_path)}
    how = dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    with how, distributed.Client(n_workers=2, threads_per_worker=1, **here):
        rows = dd.from_pandas(RUN, npartitions=3, sort=False).shuffle(on=["query_id"])
        empty = score.schema.empty_table().to_pandas()
        parts = rows.map_partitions(lambda part: score(part).to_pandas(), meta=empty)
        has_the_bits_of_calc(score, parts["part"].compute().tolist())


@pytest.mark.full
def test_scores_on_spark_have_the_bits_of_calc(score, tmp_path, monkeypatch):
    pytest.importorskip("pyspark", reason="needs PySpark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs Java")
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    # Java does not optimise what runs a few times only, and does not verify Spark's own classes.
    java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    java += " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
    settings = {"driver.memory": "512m", "driver.extraJavaOptions": java, "log.level": "OFF"}
    # Adaptive execution would join small partitions.
    settings |= {"sql.shuffle.partitions": "2", "sql.adaptive.enabled": "false"}
    settings |= dict.fromkeys(["ui.enabled", "ui.showConsoleProgress"], "false")
    settings |= dict.fromkeys(["driver.host", "driver.bindAddress"], "127.0.0.1")
    settings |= dict.fromkeys(["local.dir", "sql.warehouse.dir"], str(tmp_path))
    options = {f"spark.{name}": value for name, value in settings.items()}
    session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    try:
        RUN.to_parquet(tmp_path / "run.parquet")
        rows = session.read.parquet(str(tmp_path / "run.parquet"))
        rows = rows.repartition("query_id").sortWithinPartitions("query_id")
        parts = rows.mapInArrow(score.stream, from_arrow_schema(score.schema)).collect()
    finally:
        session.stop()
    has_the_bits_of_calc(score, [row["part"] for row in parts])


@pytest.mark.weekly
@pytest.mark.parametrize("engine", ["dask", "spark", "ray", "polars", "duckdb"])
def test_the_examples_of_the_page_on_large_runs(engine, tmp_path):
    """In a process of its own: Ray leaves processes behind, and Spark keeps its first folder."""
    examples = blocks(PAGE, f"python {engine}")
    assert len(examples) == 1
    program = "import sys, pages\nfor block in sys.argv[1:]: pages.run_python(block, globals())"
    command = [sys.executable, "-W", "ignore", "-c", program, *blocks(PAGE, "python")[1:], *examples]
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, check=True, timeout=600)
