"""Dask and Spark on real local clusters: the same digits, warnings and errors as one machine, also where a
worker is killed.
"""

import gzip
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from clusters import EVERY, dask_is_missing, engines, is_dead, killer, pytestmark, running_engine, said, same  # noqa: F401 (used by pytest)
from generated import ALL, queries, with_ids

from ir_trunc import (
    InputError,
    IrTruncError,
    IrTruncWarning,
    UnknownMeasureError,
    calc,
    read_answers,
    read_qrels,
)
from ir_trunc.adapters import scale


@pytest.mark.parametrize(("seed", "nil"), [(2, "ends"), (3, "trec2001"), (6, "sakai"), (5, "document")])
def test_every_measure_has_the_same_digits_under_every_nil_convention(engine, seed, nil):
    qrels, run = with_ids(queries(seed, 25, longest=60, pool=20), seed)
    results = same(engine, qrels, run, nil=nil, topics=["q3", "unheard-of"])
    assert "unheard-of" in results.topics
    assert results.to_pandas().shape == (26, len(ALL))


def test_real_runs_have_the_same_digits(engine, real_data):
    folder = real_data("covid-r1")
    path = folder / "runs" / "BM25R2.gz"
    same(engine, folder / "qrels.covid-r1.txt", path, path)
    columns = ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
    frame = pd.read_csv(path, sep="\t", names=columns, dtype={"query_id": str})
    same(engine, folder / "qrels.covid-r1.txt", frame)


def test_parquet(engine, tmp_path):
    qrels, run = with_ids(queries(8, 12), 8)
    for part, rows in enumerate(np.array_split(np.arange(len(run)), 3)):
        run.iloc[rows].astype({"query_id": "category"}).to_parquet(tmp_path / f"{part}.parquet", index=False)
    same(engine, qrels, run, engine.parquet(tmp_path))


def text_of(run: pd.DataFrame) -> str:
    return "".join(f"{r.query_id} Q0 {r.doc_id} 1 {r.score!r} sys\n" for r in run.itertuples())


SHAPES = {
    "plain": lambda text: text.encode(),
    "gzip": lambda text: gzip.compress(text.encode()),
    "blanks and tabs": lambda text: text.replace(" ", " \t ").replace("\nq", "\n \tq").encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "byte order mark": lambda text: ("\ufeff" + text).encode(),
    "no last newline, empty lines": lambda text: ("\n" + text.replace("\n", "\n\n", 5)).rstrip("\n").encode(),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_text_files(engine, tmp_path, monkeypatch, shape):
    """Topics stand in several files, and in several blocks of a file."""
    monkeypatch.setattr("ir_trunc.adapters.scale.BLOCK", 700)
    qrels, run = with_ids(queries(9, 12), 9)
    for part, rows in enumerate(np.array_split(np.arange(len(run)), 2)):
        path = tmp_path / f"{part}.run{'.gz' * (shape == 'gzip')}"
        path.write_bytes(SHAPES[shape](text_of(run.iloc[rows])))
    same(engine, qrels, run, sorted(tmp_path.iterdir()) if shape == "gzip" else f"{tmp_path}/*.run")


def test_ids_of_other_types_and_names(engine):
    rng = np.random.default_rng(1)
    columns = {
        "qid": rng.integers(1, 9, 60),
        "docno": np.arange(60),
        "score": rng.integers(0, 9, 60).astype(np.float32),
    }
    run = pd.DataFrame(columns)
    qrels = {str(topic): {str(doc): int(doc % 3) for doc in range(0, 60, 2)} for topic in range(1, 10)}
    same(engine, qrels, run, measures="AP CWS RBPT OIE")
    same(engine, qrels, run.astype({"qid": str}).astype({"qid": "category"}), measures="AP CWS RBPT OIE")


def test_partitions_without_rows_and_topics_without_partitions(engine):
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {}}
    run = pd.DataFrame({"query_id": ["2", "1"], "doc_id": ["b", "x"], "score": [1.0, 2.0]})
    same(engine, qrels, run, engine.frame(run, parts=7), "AP c@1 CWS")
    silent = engine.calc("AP c@1 CWS", qrels, engine.frame(run.iloc[:0]))
    assert silent.values.tobytes() == calc("AP c@1 CWS", qrels, {}).values.tobytes()


def test_ties_across_partitions_go_by_document(engine):
    run = pd.DataFrame(
        {"query_id": ["1"] * 9, "doc_id": list("cgbfaeidh"), "score": [0.5, 0.5 + 1e-9, 0.5] * 3}
    )
    same(engine, {"1": {"a": 1, "d": 2, "i": 3}}, run)


def bad(column: str, value):
    """A run with one bad value."""
    run = pd.DataFrame(
        {"query_id": list("112"), "doc_id": list("abc"), "score": [3.0, 2.0, 1.0], "cost": [0.1] * 3}
    )
    return run.assign(**{column: [run[column][0], value, run[column][2]]})


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (bad("score", np.nan), "topic 1, document b: score nan: a finite number is needed"),
        (bad("score", np.inf), "topic 1, document b: score inf"),
        (bad("cost", -1.0), "topic 1, document b: cost -1.0: a finite number >= 0"),
        (bad("doc_id", "a"), "topic 1, document a: it is in the list twice"),
        (bad("doc_id", None), "doc_id is missing"),
        (bad("query_id", None), "query_id is missing"),
        (
            bad("score", 1.0).drop(columns="doc_id"),
            "has no column doc_id or docno or corpus-id; it has: query_id, score, cost",
        ),
        (bad("score", 1.0).astype({"score": str}), "score .*number"),
        (bad("score", 1.0).assign(score=True), "score .*number"),
        (bad("score", 1.0).assign(query_id=1.5), "query_id .*text"),
    ],
)
def test_bad_frames(engine, run, message):
    with pytest.raises(InputError, match=message) as raised:
        engine.calc("AP", {"1": {"a": 1}}, engine.frame(run))
    assert str(raised.value).startswith(engine.name)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 d 4 2", "5 fields; 6 are needed"),
        ("1 Q0 d 4 two s", r"\(topic 1, document d\): score 'two' is not a number"),
        ("1 Q0 d 4 nan s", r"\(topic 1, document d\): score 'nan': a finite number"),
        ("1 Q0 \xff 4 2 s", "the ids are not UTF-8 text"),
        ("1 Q0 \0 4 2 s", "it holds a zero byte"),
        ("1 Q0 a 4 2 s", "topic 1, document a: it is in the list twice"),
    ],
)
def test_bad_lines(engine, tmp_path, line, message):
    (tmp_path / "a.run").write_bytes(f"1 Q0 a 1 9 s\n1 Q0 b 2 8 s\n{line}\n2 Q0 c 1 9 s\n".encode("latin-1"))
    with pytest.raises(InputError, match=message) as raised:
        engine.calc("AP", {"1": {"a": 1}}, f"{tmp_path}/a.*")
    assert str(raised.value).startswith("run ")
    assert "a." in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bad_files_and_runs(engine, tmp_path):
    (tmp_path / "empty.run").write_text("")
    (tmp_path / "blank.run").write_text("\n \n")
    for name in ("empty", "blank"):
        with pytest.raises(InputError, match=rf"run .*{name}.run is empty: lines of the form"):
            engine.calc("AP", {"1": {"a": 1}}, tmp_path / f"{name}.run")
    for path in ("none.run", "*.none"):
        with pytest.raises(FileNotFoundError, match=r"run .*none"):
            engine.calc("AP", {"1": {"a": 1}}, f"{tmp_path}/{path}")
    for run in (None, 1):
        with pytest.raises(
            InputError,
            match=rf"run of type {type(run).__name__}: one of these is needed: a (Dask|Spark) DataFrame; ",
        ):
            engine.calc("AP", {"1": {"a": 1}}, run)


def test_a_run_that_is_in_memory_is_scored_as_on_one_machine(engine):
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    for run in ({"1": {"x": 2.0, "a": 1.0}}, {"1": ["x", "a"]}, []):
        assert engine.calc("AP", qrels, run).values.tolist() == calc("AP", qrels, run).values.tolist()


def test_other_bad_input_is_found_before_the_work(engine):
    with pytest.raises(UnknownMeasureError, match="infAP is not computed by ir_trunc"):
        engine.calc("AP infAP", {"1": {"a": 1}}, "no.run")
    with pytest.raises(InputError, match="qrels are needed"):
        engine.calc("AP", None, "no.run")


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


@pytest.mark.parametrize(("call", "module"), [(scale.dask, "dask.dataframe"), (scale.spark, "pyspark.sql")])
def test_a_missing_extra_is_named(monkeypatch, call, module):
    monkeypatch.setitem(sys.modules, module, None)
    extra = module.partition(".")[0].removeprefix("py")
    with pytest.raises(IrTruncError, match=rf"pip install 'ir_trunc\[{extra}\]'"):
        call("AP", {"1": {"a": 1}}, "a.run")


def test_without_a_cluster_dask_uses_the_processors_here():
    dd = pytest.importorskip("dask.dataframe")
    qrels, run = with_ids(queries(4, 9), 4)
    given = dd.from_pandas(run, npartitions=2, sort=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrTruncWarning)
        assert scale.dask(EVERY, qrels, given).values.tobytes() == calc(EVERY, qrels, run).values.tobytes()


def test_bad_gzip_files(tmp_path):
    pytest.importorskip("dask.dataframe")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"1 Q0 a 1 2 s\n" * 9)[:-9])
    (tmp_path / "plain.gz").write_bytes(b"1 Q0 a 1 2 s\n")
    (tmp_path / "folder").mkdir()
    for name, message in (
        ("cut.gz", "ends in the middle"),
        ("plain.gz", "is not a gzip file"),
        ("folder", "is a directory"),
    ):
        with pytest.raises(InputError, match=f"^run .*{name} {message}"):
            scale.dask("AP", {"1": {"a": 1}}, tmp_path / name)


def test_qrels_that_are_ready_are_not_changed():
    dd = pytest.importorskip("dask.dataframe")
    ready = read_qrels({"1": {"a": 1, "b": 0}})
    run = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]})
    scale.dask("AP", ready, dd.from_pandas(run, npartitions=1))
    assert ready.to_dict() == {"1": {"a": 1, "b": 0}}
    assert len(ready.rows) == 2


def test_runs_are_read_in_the_same_ways(engine, tmp_path):
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
    path = tmp_path / "my.run"
    path.write_text("# by hand\n" + "".join(" ".join(map(str, row)) + " t\n" for row in rows))
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
    for options in ({}, {"order": "rank"}, {"stop": "NS", "order": "rank"}, {"lower_is_better": True}):
        here, here_said = said(calc, "RR", qrels, path, **options)
        there, there_said = said(engine.calc, "RR", qrels, str(path), **options)
        assert here.values.tolist() == there.values.tolist()
        assert there_said == here_said
    assert len(said(engine.calc, "RR", qrels, str(path))[1]) == 2  # ranks against scores, and several marks
    assert any(
        "runs against the scores" in text for text in said(engine.calc, "RR", qrels, engine.frame(run, 1))[1]
    )
    for options in ({"order": "file"}, {"duplicates": "first"}):
        with pytest.raises(InputError, match="need the run on one machine"):
            engine.calc("RR", qrels, str(path), **options)
