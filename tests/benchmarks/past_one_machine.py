"""From which size on Dask and Spark pay: seconds by the clock, beside one process, for runs of several sizes.

    python tests/benchmarks/past_one_machine.py [--python] FOLDER [TOPICS ...]

1,000 documents for each topic, in TREC lines for one process and in Parquet for the engines. The client of
Dask (a process for each processor) and the session of Spark are there before the clock starts; each size is
scored once to warm them up, and the shorter of two more counts.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dask.dataframe import read_parquet
from distributed import Client, LocalCluster
from pyarrow import csv, parquet
from pyspark.sql import SparkSession
from workloads import write

import ir_trunc
from ir_trunc._kernel import absence
from ir_trunc.adapters import scale

TOPICS = (1000, 7000, 28000)
DEPTH = 1000
MEASURES = "nDCG@10 AP P@5 RBPT"


def as_parquet(run: Path) -> str:
    """A run as a file that engines read in parts."""
    path, names = run.with_suffix(".parquet"), ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
    options = csv.ReadOptions(column_names=names), csv.ParseOptions(delimiter=" ")
    texts = csv.ConvertOptions(
        column_types={"query_id": "string"}, include_columns=["query_id", "doc_id", "score"]
    )
    parquet.write_table(csv.read_csv(run, *options, texts), path, row_group_size=1 << 20)
    return str(path)


def seconds(score: Callable[..., object], *paths: object) -> float:
    """By the clock, the shorter of two after one that does not count."""
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        score(MEASURES, *paths)
        taken.append(time.perf_counter() - start)
    return min(taken[1:])


def main() -> None:
    folder, *topics = [word for word in sys.argv[1:] if word != "--python"]
    if absence and "--python" not in sys.argv:
        sys.exit(f"The kernel is not used: {absence}. --python measures the Python code.")
    processors = os.cpu_count()
    session = (
        SparkSession.builder.master(f"local[{processors}]").config("spark.driver.memory", "8g").getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    ways = {
        "alone": lambda measures, qrels, run, _: ir_trunc.calc(measures, qrels, run),
        "Dask": lambda measures, qrels, _, rows: scale.dask(measures, qrels, read_parquet(rows)),
        "Spark": lambda measures, qrels, _, rows: scale.spark(measures, qrels, session.read.parquet(rows)),
    }
    with LocalCluster(n_workers=processors, threads_per_worker=1) as cluster, Client(cluster):
        print("| lines |" + "".join(f" {way} |" for way in ways) + "\n" + "|---" * (1 + len(ways)) + "|")
        for size in map(int, topics or TOPICS):
            qrels, run = write(Path(folder), size, DEPTH)
            paths = str(qrels), str(run), as_parquet(Path(run))
            taken = "".join(f" {seconds(score, *paths):.2f} s |" for score in ways.values())
            print(f"| {size * DEPTH:,} |{taken}", flush=True)
    session.stop()


if __name__ == "__main__":
    main()
