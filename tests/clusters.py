"""Local clusters of Dask and Spark for tests, and what is compared between them and one machine."""

import gc
import importlib.util
import os
import shutil
import signal
import sys
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from generated import EVERY as MEASURES

from ir_trunc import IrTruncWarning, calc
from ir_trunc.adapters import scale

EVERY = " ".join(MEASURES)

# Spark's own: said whenever Arrow functions are used, though pandas has no part in it here; and what Spark
# 3.5 does.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:distutils Version classes are deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings(
        "ignore:The distutils package is deprecated:DeprecationWarning"
    ),  # Python 3.10
    pytest.mark.filterwarnings("ignore:unclosed <socket.*127.0.0.1:ResourceWarning"),
]


class OnDask:
    """Two worker processes."""

    def __init__(self, folder: Path):
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import get_mp_context

        dask.config.set(
            {
                "temporary-directory": str(folder),
                "distributed.worker.multiprocessing-method": "forkserver",
                "distributed.comm.timeouts.connect": "10s",  # how long a killed worker is waited for
            }
        )
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

        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.memory": "512m",
            # Java does not optimise what runs a few times only, and does not verify Spark's own classes.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
            " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote",
            "spark.python.daemon.module": "spark_daemon",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": str(folder),
            "spark.sql.shuffle.partitions": "3",
            "spark.log.level": "OFF",
        }
        self.session = SparkSession.builder.master("local[2,4]").config(map=settings).getOrCreate()

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
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)  # of spark_daemon
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
    return (
        Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    )  # nobody has asked for its status yet
