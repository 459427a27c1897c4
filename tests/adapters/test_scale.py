"""Dask and Spark on real local clusters: the same digits, warnings and errors as one machine, also where a
worker is killed.
"""

import gc
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from generated import ALL, queries, with_ids
from generated import EVERY as MEASURES
from pages import ROOT, blocks, run_python

from ir_trunc import (
    InputError,
    IrTruncError,
    IrTruncWarning,
    ParameterError,
    UnknownMeasureError,
    calc,
    read_answers,
)
from ir_trunc.adapters import scale

EVERY = " ".join(MEASURES)

# Spark's own: said whenever Arrow functions are used, though pandas has no part in it here; and what Spark
# 3.5 does.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:distutils Version classes are deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The distutils package is deprecated:DeprecationWarning"),  # of 3.10
    pytest.mark.filterwarnings("ignore:unclosed <socket.*127.0.0.1:ResourceWarning"),
]


class OnDask:
    """Two worker processes."""

    def __init__(self, folder: Path):
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import get_mp_context

        # connect: how long a killed worker is waited for
        how = {"worker.multiprocessing-method": "forkserver", "comm.timeouts.connect": "10s"}
        dask.config.set({f"distributed.{name}": value for name, value in how.items()})
        dask.config.set({"temporary-directory": str(folder)})
        # Workers, also those that replace a killed one, start from a process that has all modules.
        get_mp_context().set_forkserver_preload(["distributed", "dask.dataframe", "ir_trunc.adapters.scale"])
        self.cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        )
        self.client = Client(self.cluster)

    def close(self):
        self.client.close()
        self.cluster.close()

    def frame(self, frame: pd.DataFrame, parts: int = 3):
        import dask.dataframe as dd

        cuts = np.linspace(0, len(frame), parts + 1).astype(int)
        pieces = [frame.iloc[a:b] for a, b in pairwise(cuts)]
        return dd.from_map(lambda piece: piece, pieces, meta=frame.iloc[:0])

    def nullable(self, frame: pd.DataFrame):
        return self.frame(frame)

    def local(self, scores):
        return scores.compute()

    calc = staticmethod(scale.dask)
    name = "run (Dask)"


class OnSpark:
    """Local mode: two tasks at a time, each in its own Python process, four trials for each."""

    def __init__(self, folder: Path):
        from pyspark.sql import SparkSession

        # Java does not optimise what runs a few times only, and does not verify Spark's own classes.
        java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        java += " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
        settings = {"driver.memory": "512m", "driver.extraJavaOptions": java, "log.level": "OFF"}
        settings |= {"python.daemon.module": "spark_daemon", "sql.shuffle.partitions": "3"}
        settings |= dict.fromkeys(["ui.enabled", "ui.showConsoleProgress"], "false")
        settings |= dict.fromkeys(["driver.host", "driver.bindAddress"], "127.0.0.1")
        settings |= dict.fromkeys(["local.dir", "sql.warehouse.dir"], str(folder))
        options = {f"spark.{name}": value for name, value in settings.items()}
        self.session = SparkSession.builder.master("local[2,4]").config(map=options).getOrCreate()

    def close(self):
        self.session.stop()
        gc.collect()  # sockets that Spark 3.5 leaves open are not found in another file's tests

    def frame(self, frame: pd.DataFrame, parts: int = 3):
        kinds = {"int64": "bigint", "float64": "double", "float32": "float", "bool": "boolean"}
        schema = ", ".join(f"{name} {kinds.get(str(kind), 'string')}" for name, kind in frame.dtypes.items())
        text = {
            name: frame[name].astype(object).where(frame[name].notna(), None)
            for name in frame
            if frame[name].dtype.kind == "O"
        }
        rows = list(frame.assign(**text).itertuples(index=False, name=None))
        return self.session.createDataFrame(rows, schema).repartition(parts)

    def nullable(self, frame: pd.DataFrame):
        """NaN are nulls."""
        from pyspark.sql.functions import col, isnan, when

        spark = self.frame(frame)
        return spark.withColumn("relevance", when(~isnan("relevance"), col("relevance")))

    def local(self, scores):
        return pd.DataFrame([row.asDict() for row in scores.collect()])

    calc = staticmethod(scale.spark)
    name = "run (Spark)"


def needs_spark() -> str:
    """What is missing for Spark."""
    if importlib.util.find_spec("pyspark") is None:
        return "needs PySpark"
    return "" if shutil.which("java") or "JAVA_HOME" in os.environ else "needs Java"


def engine_of(kind: type, missing: str):
    return pytest.param(kind, marks=pytest.mark.skipif(bool(missing), reason=missing), id=kind.__name__)


dask_is_missing = "needs dask and distributed" * (importlib.util.find_spec("distributed") is None)
engines = [engine_of(OnDask, dask_is_missing), engine_of(OnSpark, needs_spark())]


@pytest.fixture(scope="module", params=engines, name="engine")
def running_engine(request, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYTHONPATH", str(ROOT / "tests"), prepend=os.pathsep)  # of spark_daemon
        started = request.param(tmp_path_factory.mktemp("engine"))
        yield started
        started.close()


def said(function, *args, **options):
    """What a function returns, and its warnings, in which all runs have one name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IrTruncWarning)
        result = function(*args, **options)
    return result, [str(w.message).partition(": ")[2] for w in caught if w.category is IrTruncWarning]


def same(engine, qrels, run, given=None, measures=EVERY, **options):
    """Scores of a pandas frame on one machine and by an engine, bit by bit, with equal warnings."""
    here, here_said = said(calc, measures, qrels, run, **options)
    there, there_said = said(
        engine.calc, measures, qrels, engine.frame(run) if given is None else given, **options
    )
    assert there.topics == here.topics
    for measure, a, b in zip(here.measures, here.values, there.values):
        assert a.tobytes() == b.tobytes(), measure
    assert there_said == here_said, (there_said, here_said)
    return there


def killer(marker: Path):
    """A function that returns what it is given, but kills the first process that calls it, unless that is
    this one.
    """
    driver = os.getpid()

    def kill_once(value):
        if os.getpid() != driver:
            try:
                descriptor = os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            except FileExistsError:
                return value
            os.write(descriptor, str(os.getpid()).encode())
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    return kill_once


def is_dead(marker: Path) -> bool:
    pid = int(marker.read_text())
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "Z"  # nobody has asked for its status yet


@pytest.mark.parametrize(("seed", "nil"), [(2, "ends"), (3, "trec2001"), (6, "sakai"), (5, "document")])
def test_every_measure_has_the_same_digits_under_every_nil_convention(engine, seed, nil):
    qrels, run = with_ids(queries(seed, 25, longest=60, pool=20), seed)
    results = same(engine, qrels, run, nil=nil, topics=["q3", "unheard-of"])
    assert "unheard-of" in results.topics
    assert results.to_pandas().shape == (26, len(ALL))


def test_partitions_without_rows_and_topics_without_partitions(engine):
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {}}
    run = pd.DataFrame({"query_id": ["2", "1"], "doc_id": ["b", "x"], "score": [1.0, 2.0]})
    same(engine, qrels, run, engine.frame(run, parts=7), "AP c@1 CWS")
    silent = engine.calc("AP c@1 CWS", qrels, engine.frame(run.iloc[:0]))
    assert silent.values.tobytes() == calc("AP c@1 CWS", qrels, {}).values.tobytes()


def bad(column: str, value):
    """A run with one bad value."""
    run = {"query_id": list("112"), "doc_id": list("abc"), "score": [3.0, 2.0, 1.0], "cost": [0.1] * 3}
    run[column][1] = value
    return pd.DataFrame(run)


LACKING = "has no column doc_id or docno or corpus-id or pid; it has: query_id"


@pytest.mark.parametrize(("run", "message"), [
    (bad("cost", -1.0), "topic 1, document b: cost -1.0: a finite number >= 0"),
    (bad("score", 1.0).drop(columns="doc_id"), LACKING),
])  # fmt: skip
def test_bad_frames(engine, run, message):
    with pytest.raises(InputError, match=message) as raised:
        engine.calc("AP", {"1": {"a": 1}}, engine.frame(run))
    assert str(raised.value).startswith(engine.name)
    assert "\n" not in str(raised.value)


def test_other_bad_input_is_found_before_the_work(engine):
    frame = engine.frame(bad("score", 1.0))
    with pytest.raises(UnknownMeasureError, match="infAP is not computed by ir_trunc"):
        engine.calc("AP infAP", {"1": {"a": 1}}, frame)
    for run in (None, 1, "no.run", {"1": ["a"]}, bad("score", 1.0)):
        with pytest.raises(InputError, match=rf"run of type {type(run).__name__}: a (Dask|Spark) DataFrame"):
            engine.calc("AP", {"1": {"a": 1}}, run)
    for options in ({"order": "file"}, {"duplicates": "first"}):
        with pytest.raises(ParameterError, match="need the run on one machine"):
            engine.calc("RR", {"1": {"a": 1}}, frame, **options)
    with pytest.raises(ParameterError, match="missing='exclude' confirms that"):
        engine.calc("RR", {"1": {"a": 1}}, frame, collect=False)
    with pytest.raises(ParameterError, match="c@1 looks at all lists of a run"):
        engine.calc("c@1", {"1": {"a": 1}}, frame, collect=False, missing="exclude")


def test_a_worker_killed_while_it_ranks_is_not_missed(engine, tmp_path):
    """The function that normalises ids runs where the rows are, after the shuffle."""
    qrels, run = with_ids(queries(11, 20), 11)
    classes = {topic: [[doc] for doc, grade in docs.items() if grade > 0] for topic, docs in qrels.items()}
    same(engine, read_answers(classes, killer(tmp_path / "killed")), run)
    assert is_dead(tmp_path / "killed")


@pytest.mark.skipif(bool(dask_is_missing), reason=dask_is_missing or "Dask is here")
@pytest.mark.parametrize("engine", engines[:1], indirect=True)
def test_a_worker_killed_while_it_reads_is_not_missed(engine, tmp_path):
    qrels, run = with_ids(queries(13, 20), 13)
    frame = engine.frame(run, parts=6)
    given = frame.map_partitions(killer(tmp_path / "killed"), meta=run.iloc[:0])
    same(engine, qrels, run, given)
    assert is_dead(tmp_path / "killed")


# without a cluster


def test_without_a_cluster_dask_uses_the_processors_here():
    dd = pytest.importorskip("dask.dataframe")
    qrels, run = with_ids(queries(4, 9), 4)
    given = dd.from_pandas(run, npartitions=2, sort=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrTruncWarning)
        assert scale.dask(EVERY, qrels, given).values.tobytes() == calc(EVERY, qrels, run).values.tobytes()


def test_runs_are_read_in_the_same_ways(engine):
    """Order, marks, distances and repeated documents as on one machine; what needs the order of rows is
    refused.
    """
    qrels = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(6)}
    rows = [
        (str(topic), "Q0" if rank < 3 else "NS", doc, rank, float(topic + rank))
        for topic in range(6)
        for rank, doc in enumerate("bac", 1)
    ]
    run = pd.DataFrame(rows, columns=["query_id", "Q0", "doc_id", "rank", "score"])
    again = pd.concat([run, run.assign(score=0.5, rank=9)[:3]], ignore_index=True)
    for given, options in [
        (run.drop(columns="Q0"), {"order": "rank"}),
        (run.drop(columns=["rank", "Q0"]), {"order": "score64"}),
        (run.drop(columns=["score", "Q0"]), {"order": "rank"}),
        (run, {"stop": "NS", "order": "rank"}),
        (run.assign(shown=run["rank"] < 2).drop(columns="Q0"), {"order": "rank"}),
        (run.drop(columns="Q0"), {"lower_is_better": True}),
        (again.drop(columns=["Q0", "rank"]), {"duplicates": "best", "lower_is_better": True}),
    ]:
        same(engine, qrels, given, measures="RR nDCG SetP", **options)
    _, notes = said(engine.calc, "RR", qrels, engine.frame(run, 1))
    assert any("runs against the scores" in note for note in notes)


def labelled(seed, count=30):
    """Rows of lists with two keys, scores and labels, of which some are null; and the labels alone."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"day {day}", question, f"d{rank}", float(rng.integers(0, 9)))
        for question in range(count)
        for day in range(2)
        for rank in range(rng.integers(1, 9))
    ]
    run = pd.DataFrame(rows, columns=["day", "question", "doc_id", "score"])
    labels = pd.array(rng.choice([0, 1, 2, None], len(run)), "Int64")
    run = run.assign(relevance=labels)
    run.loc[run.doc_id == "d0", "relevance"] = rng.integers(0, 3)  # no list without a label
    return run, run[run.relevance.notna()].drop(columns="score")


def test_labels_in_the_rows_keys_and_distributed_scores(engine):
    run, labels = labelled(3)
    rows = run.sample(frac=1, random_state=1).astype({"relevance": float})
    keys = ["day", "question"]
    rows = rows.assign(relevance=rows.relevance.where(rows.relevance.notna()))
    frame = engine.nullable(rows)
    here = calc("RBPT AP TBG", labels, run.drop(columns="relevance"), keys=keys)
    there = engine.calc("RBPT AP TBG", None, frame, keys=keys)
    assert there.values.tobytes() == here.values.tobytes()
    assert there.aggregated == here.aggregated
    assert there.by("day").equals(here.by("day"))
    for unit in ("day", "question"):
        assert there.unit_means(unit)[1].tobytes() == here.unit_means(unit)[1].tobytes()
    scores = engine.calc("RBPT AP TBG", None, frame, keys=keys, collect=False, max_rel=2)
    table = engine.local(scores).set_index(keys)
    table = table.loc[[tuple(topic.split("/")) for topic in here.topics]]
    assert table[["RBPT", "AP", "TBG"]].to_numpy().T.tobytes() == here.values.tobytes()
    assert table["length"].tolist() == here.rankings.lengths.tolist()
    assert table["nil"].tolist() == here.nil.tolist()


@pytest.mark.skipif(bool(dask_is_missing), reason=dask_is_missing or "Dask is here")
def test_a_cluster_whose_workers_are_all_lost_ends_with_an_error(monkeypatch):
    from dask import dataframe
    from distributed import Client, LocalCluster

    monkeypatch.setattr(scale, "PATIENCE", 3.0)

    def slowly(part):
        time.sleep(60)
        return part

    frame = dataframe.from_pandas(bad("score", 1.0), npartitions=2)
    here = {"dashboard_address": None, "host": "127.0.0.1", "silence_logs": 50}
    with LocalCluster(n_workers=2, threads_per_worker=1, **here) as cluster, Client(cluster):
        loss = threading.Timer(1, cluster.scale, [0])
        loss.start()
        start = time.monotonic()
        with pytest.raises(IrTruncError, match="no worker for 3 seconds"):
            scale.dask("AP", {"1": {"a": 1}}, frame.map_partitions(slowly, meta=frame._meta))
        assert time.monotonic() - start < 50
        loss.join()


@pytest.mark.skipif(bool(needs_spark()), reason=needs_spark() or "Spark is here")
@pytest.mark.parametrize("engine", engines[1:], indirect=True)
def test_a_session_whose_executors_are_lost_ends_with_an_error(engine, monkeypatch):
    executors = iter([True])
    monkeypatch.setattr(scale, "PATIENCE", 1.0)
    monkeypatch.setattr(scale, "_has_executor", lambda context: next(executors, False))

    def slowly(batches):
        time.sleep(60)
        yield from batches

    frame, start = engine.frame(bad("score", 1.0)), time.monotonic()
    lost = r"^Spark has had no worker for 1 seconds: the run is not scored\.$"
    with pytest.raises(IrTruncError, match=lost):
        scale.spark("AP", {"1": {"a": 1}}, frame.mapInArrow(slowly, frame.schema))
    assert time.monotonic() - start < 50


def test_an_engine_that_gives_up_says_so_in_a_line(engine, monkeypatch):
    def die(rows):
        os.kill(os.getpid(), signal.SIGKILL)

    frame = engine.frame(bad("score", 1.0), parts=1)
    if isinstance(engine, OnDask):
        monkeypatch.setattr(engine.cluster.scheduler, "allowed_failures", 0)
        given = frame.map_partitions(die, meta=frame._meta)
    else:
        given = frame.mapInArrow(die, frame.schema)
    ended = r"^(Dask|Spark) gave up \(.*\): the run is not scored\.$"
    with pytest.raises(IrTruncError, match=ended) as raised:
        engine.calc("AP", {"1": {"a": 1}}, given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("engine_of_page", ["dask", "spark", "ray", "polars", "duckdb"])
def test_the_examples_of_the_page_on_large_runs(engine_of_page, tmp_path, monkeypatch):
    modules = {"spark": "pyspark", "ray": "ray.data", "dask": "dask.dataframe"}
    pytest.importorskip(
        modules.get(engine_of_page, engine_of_page), reason=f"{engine_of_page} is not installed"
    )
    if engine_of_page == "spark" and (missing := needs_spark()):
        pytest.skip(missing)
    monkeypatch.chdir(tmp_path)
    page, names = ROOT / "notebooks" / "howto" / "large-runs.md", {}
    for block in blocks(page, "python")[1:]:
        run_python(block, names)
    examples = blocks(page, f"python {engine_of_page}")
    assert examples
    if engine_of_page in ("ray", "spark"):
        # In a process of its own: Ray leaves processes behind, and Spark keeps its first folder.
        program = "import sys, pages\nfor block in sys.argv[1:]: pages.run_python(block, globals())"
        path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
        command = [sys.executable, "-W", "ignore", "-c", program, *examples]
        subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, check=True, timeout=300)
        return
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the engines' own
        for block in examples:
            run_python(block, names)
