"""Runs larger than the memory of a worker: Dask and Spark beside one process, also where workers are killed.

    python tests/benchmarks/past_one_machine.py FOLDER --topics 69800 --memory 768 --engine Dask \\
        --lose none one all
    python tests/benchmarks/past_one_machine.py FOLDER --topics 69800 --memory 1024 --engine Spark \\
        --lose none one all
    python tests/benchmarks/past_one_machine.py FOLDER --topics 1000 6980 --memory 4096 --warm

1,000 documents for each topic: TREC lines for one process, Parquet (files of a million rows) for the engines.
An engine has two workers with one thread. A worker of Dask is a process with `memory_limit`; its nanny kills
it above 95 % of that. A worker of Spark (`local-cluster`) is an executor with half of --memory as heap. The
other half is the address space of its Python process (`spark.executor.pyspark.memory`). What Java needs
beside its heap is not limited.

Each row of the table has its own process, the driver, which starts the engine before the clock; with --warm
it also scores the run once before. `--lose` sends SIGKILL to workers as soon as the shuffled rows on the disk
are a quarter of the files: `one` to one worker, which the engine starts again; `all` to all, and none comes
back; `each` to all, and to all that come back. Processor seconds are those of the driver (with Spark's Java)
and of all workers. Memory is RSS, sampled five times a second: of the driver, and of the largest worker (in
Spark the sum of an executor and its Python processes). Values and topics are compared with those of `alone`.
"""

import argparse
import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
from workloads import write

DEPTH = 1000
MEASURES = "nDCG@10 AP P@5 RBPT"
LIMIT = 1200  # seconds for a row of the table
COLUMNS = "engine|lines|files|limit of a worker|lost|clock|processor|driver|largest worker|bits"


def as_parquet(run: Path) -> Path:
    """A folder of files that engines read in parts, made where it is not there."""
    from pyarrow import Table, csv, parquet

    path, partly = run.with_suffix(".parquet"), run.with_suffix(".part")
    if not path.exists():
        partly.mkdir(exist_ok=True)
        kept, names = ["query_id", "doc_id", "score"], ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
        how = csv.ReadOptions(column_names=names, block_size=1 << 25), csv.ParseOptions(delimiter=" ")
        texts = csv.ConvertOptions(column_types=dict.fromkeys(kept[:2], "string"), include_columns=kept)
        for number, rows in enumerate(csv.open_csv(run, *how, texts)):
            file = partly / f"{number:04}.parquet"
            parquet.write_table(Table.from_batches([rows]), file, row_group_size=1 << 18)
        partly.rename(path)
    return path


def size(folder: str | Path) -> int:
    """Bytes of the files in a folder, some of which may vanish."""
    return int(subprocess.run(["du", "-sb", folder], capture_output=True).stdout.split()[0])


class Watch(threading.Thread):
    """Memory and processor time of this process, the driver, and of the workers that it has started."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.driver, self.ended = psutil.Process(), threading.Event()
        self.peaks, self.seconds, self.workers = {}, {}, []

    def run(self) -> None:
        while not self.ended.wait(0.2):
            self.look()

    def look(self) -> float:
        """Processor seconds of all processes."""
        memory = {}
        self.add(self.driver, self.driver, memory)
        self.workers = [owner for owner in memory if owner != self.driver]
        self.peaks |= {owner: max(used, self.peaks.get(owner, 0)) for owner, used in memory.items()}
        return sum(self.seconds.values())

    def add(self, process: psutil.Process, owner: psutil.Process, memory: dict[psutil.Process, int]) -> None:
        """A process and those that it has started, which belong to a worker or to the driver."""
        with suppress(psutil.Error):
            command = " ".join(process.cmdline())
            if process != owner == self.driver and ("CoarseGrained" in command or "spawn_main" in command):
                owner = process
            memory[owner] = memory.get(owner, 0) + process.memory_info().rss
            self.seconds[process] = sum(process.cpu_times()[:2])
            for child in process.children():
                self.add(child, owner, memory)


def alone(memory: int, scratch: Path, stack: ExitStack) -> tuple[Any, Any, str]:
    """A function that scores, one after which no worker is started again, and what limits a worker."""
    import ir_trunc

    return lambda qrels, run, _: ir_trunc.calc(MEASURES, qrels, run), None, "none"


def dask(memory: int, scratch: Path, stack: ExitStack) -> tuple[Any, Any, str]:
    """As `alone`."""
    from dask import config
    from dask.dataframe import read_parquet
    from distributed import Client, LocalCluster

    from ir_trunc.adapters import scale

    # By default, 1 GiB of rows may wait for being sent.
    config.set({"distributed.p2p.comm.buffer": "64 MiB", "distributed.p2p.storage.buffer": "64 MiB"})
    here = {"host": "127.0.0.1", "dashboard_address": None, "local_directory": str(scratch)}
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=f"{memory} MiB", **here)
    stack.enter_context(cluster)
    stack.enter_context(Client(cluster))

    def stop() -> None:
        for nanny in cluster.workers.values():
            nanny.close_gracefully()

    return lambda qrels, _, rows: scale.dask(MEASURES, qrels, read_parquet(rows)), stop, f"{memory} MiB"


def spark(memory: int, scratch: Path, stack: ExitStack) -> tuple[Any, Any, str]:
    """As `alone`."""
    import pyspark
    from pyspark.sql import SparkSession

    from ir_trunc.adapters import scale

    home, heap, rest = scratch / "home", memory // 2, memory - memory // 2
    home.mkdir()  # Spark writes to `work` in it
    for path in Path(pyspark.__file__).parent.iterdir():
        (home / path.name).symlink_to(path)
    os.environ |= {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    settings = {"spark.executor.memory": f"{heap}m", "spark.executor.pyspark.memory": f"{rest}m"}
    settings |= {"spark.driver.memory": "1g", "spark.log.level": "OFF"}
    settings |= dict.fromkeys(["spark.driver.host", "spark.driver.bindAddress"], "127.0.0.1")
    settings |= dict.fromkeys(["spark.local.dir", "spark.sql.warehouse.dir"], str(scratch))
    settings |= dict.fromkeys(["spark.ui.enabled", "spark.ui.showConsoleProgress"], "false")
    session = SparkSession.builder.master(f"local-cluster[2,1,{memory}]").config(map=settings).getOrCreate()
    stack.callback(session.stop)

    def stop() -> None:
        none = session.sparkContext._jvm.PythonUtils.toScalaMap({})
        session.sparkContext._jsc.sc().requestTotalExecutors(0, 0, none)

    limit = f"{heap} MiB heap + {rest} MiB Python"
    return lambda qrels, _, rows: scale.spark(MEASURES, qrels, session.read.parquet(rows)), stop, limit


def measured(engine: str, paths: tuple[str, ...], memory: int, lose: str, warm: bool, scratch: str) -> Any:
    """Cells of a row of the table; the last is a digest of the bits, or the error."""
    signal.alarm(LIMIT)  # ends this process, and the engine with it
    warnings.simplefilter("ignore")
    lost = list[float]()
    with ExitStack() as stack:
        score, stop, limit = ENGINES[engine](memory, Path(scratch), stack)
        if warm:
            score(*paths)
        watch = Watch()
        before, began = watch.look(), time.perf_counter()

        def kill() -> None:
            while lose == "none" or size(scratch) < size(paths[2]) / 4:
                if watch.ended.wait(0.1):
                    return
            if lose == "all":
                stop()
            while not (watch.ended.wait(0.1) or (lost and lose != "each")):
                for worker in watch.workers[: 1 if lose == "one" else None]:
                    with suppress(psutil.Error):
                        worker.kill()  # an error where it is not alive
                        worker.wait(10)
                        lost.append(time.perf_counter() - began)

        watch.start()
        threading.Thread(target=kill, daemon=True).start()
        try:
            results = score(*paths)
            bits = hashlib.sha256(results.values.tobytes() + "\n".join(results.topics).encode()).hexdigest()
        except Exception as error:
            bits = f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - began
        watch.ended.set()
        watch.join()
        processor = watch.look() - before
    killed = f"{len(lost)} killed, the first after {lost[0]:.1f} s" if lost else "none"
    bits += f" ({seconds - lost[0]:.1f} s after the first loss)" if lost and " " in bits else ""
    peaks = watch.peaks.pop(watch.driver) >> 20, max(watch.peaks.values(), default=0) >> 20
    return limit, killed, f"{seconds:.1f} s", f"{processor:.1f} s", *(f"{peak} MiB" for peak in peaks), bits


ENGINES = {"alone": alone, "Dask": dask, "Spark": spark}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--topics", type=int, nargs="+", default=[1000, 6980])
    parser.add_argument("--memory", type=int, default=1024, help="MiB of a worker")
    parser.add_argument("--engine", nargs="+", default=["Dask", "Spark"], choices=["Dask", "Spark"])
    parser.add_argument("--lose", nargs="+", default=["none"], choices=["none", "one", "all", "each"])
    parser.add_argument("--warm", action="store_true")
    args = parser.parse_args()
    # Free memory goes back to the system, and few addresses are reserved: the limits of both engines need it.
    os.environ |= {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1"}
    columns = COLUMNS.split("|")
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|", flush=True)
    for topics in args.topics:
        qrels, run = write(args.folder, topics, DEPTH)
        rows, here = as_parquet(run), ""
        for engine, lose in [("alone", "none")] + [(name, how) for name in args.engine for how in args.lose]:
            paths, spawn = (str(qrels), str(run), str(rows)), multiprocessing.get_context("spawn")
            folder = TemporaryDirectory(dir=args.folder, ignore_cleanup_errors=True)
            with folder as scratch, ProcessPoolExecutor(1, spawn) as pool:
                job = pool.submit(measured, engine, paths, args.memory, lose, args.warm, scratch)
                *cells, bits = job.result()
            here = here or bits
            told = bits if " " in bits else "equal" if bits == here else "NOT EQUAL"
            files = run.stat().st_size if engine == "alone" else size(rows)
            row = engine, f"{topics * DEPTH:,}", f"{files >> 20} MiB", *cells, told
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
