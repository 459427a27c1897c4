"""Engines call the function of `arrow.scorer`: the bits of `calc`, and the examples of the page."""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest
from generated import EVERY, queries, with_ids
from pages import ROOT, blocks

from ir_trunc import calc
from ir_trunc.adapters.arrow import scorer

# What engines say of pandas, of Python and of sockets that they leave open is not ours.
pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning"
)
pytestmark = [pytestmark, pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")]

PAGE = ROOT / "notebooks" / "howto" / "large-runs.md"
QRELS, RUN = with_ids(queries(2, 25, longest=60, pool=20), 2)


def needs_spark() -> str:
    """What is missing for Spark."""
    if importlib.util.find_spec("pyspark") is None:
        return "needs PySpark"
    return "" if shutil.which("java") or "JAVA_HOME" in os.environ else "needs Java"


@pytest.fixture
def score():
    return scorer(EVERY, QRELS, collect=True, topics=["unheard-of"])


def has_the_bits_of_calc(score, parts):
    here, there = calc(EVERY, QRELS, RUN, topics=["unheard-of"]), score.results(parts)
    assert len(parts) > 1
    assert there.topics == here.topics
    for measure, a, b in zip(here.measures, here.values, there.values):
        assert a.tobytes() == b.tobytes(), measure


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


@pytest.mark.skipif(bool(needs_spark()), reason=needs_spark() or "Spark is here")
def test_scores_on_spark_have_the_bits_of_calc(score, tmp_path, monkeypatch):
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    # Java does not optimise what runs a few times only, and does not verify Spark's own classes.
    java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    java += " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
    settings = {
        "driver.memory": "512m",
        "driver.extraJavaOptions": java,
        "log.level": "OFF",
        "sql.shuffle.partitions": "2",
    }
    settings |= {"sql.adaptive.enabled": "false"}  # which would join small partitions
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
