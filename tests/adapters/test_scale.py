"""Dask and Spark on real local clusters: the same digits, warnings and errors as one machine, also where a
worker is killed.
"""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from clusters import (  # noqa: F401 (used by pytest)
    EVERY,
    OnDask,
    dask_is_missing,
    engines,
    is_dead,
    killer,
    needs_spark,
    pytestmark,
    running_engine,
    said,
    same,
)
from generated import ALL, queries, with_ids
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
    run = pd.DataFrame(
        {"query_id": list("112"), "doc_id": list("abc"), "score": [3.0, 2.0, 1.0], "cost": [0.1] * 3}
    )
    return run.assign(**{column: [run[column][0], value, run[column][2]]})


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (bad("cost", -1.0), "topic 1, document b: cost -1.0: a finite number >= 0"),
        (
            bad("score", 1.0).drop(columns="doc_id"),
            "has no column doc_id or docno or corpus-id or pid; it has: query_id",
        ),
    ],
)
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
    assert any(
        "runs against the scores" in text for text in said(engine.calc, "RR", qrels, engine.frame(run, 1))[1]
    )


def labelled(seed, count=30):
    """Rows of lists with two keys, scores and labels, of which some are null; and the labels alone."""
    rng = np.random.default_rng(seed)
    run = pd.DataFrame(
        [
            (f"day {day}", question, f"d{rank}", float(rng.integers(0, 9)))
            for question in range(count)
            for day in range(2)
            for rank in range(rng.integers(1, 9))
        ],
        columns=["day", "question", "doc_id", "score"],
    )
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
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
        ) as cluster,
        Client(cluster),
    ):
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
    with pytest.raises(
        IrTruncError, match=r"^Spark has had no worker for 1 seconds: the run is not scored\.$"
    ):
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
    with pytest.raises(
        IrTruncError, match=r"^(Dask|Spark) gave up \(.*\): the run is not scored\.$"
    ) as raised:
        engine.calc("AP", {"1": {"a": 1}}, given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("engine_of_page", ["dask", "spark", "ray", "polars", "duckdb"])
def test_the_examples_of_the_page_on_large_runs(engine_of_page, tmp_path, monkeypatch):
    module = {"spark": "pyspark", "ray": "ray.data", "dask": "dask.dataframe"}.get(
        engine_of_page, engine_of_page
    )
    pytest.importorskip(module, reason=f"{engine_of_page} is not installed")
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
