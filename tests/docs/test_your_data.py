"""The page "Your data": every call of its table runs as it stands, on small data of the form in its row."""

import gzip
import json
import re
import shlex
import warnings
from pathlib import Path
from types import SimpleNamespace

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ir_trunc
from ir_trunc._cli.main import main

PAGE = Path(__file__).parents[2] / "notebooks" / "howto" / "data.md"
LINES = re.findall(r"^\| (.+?) \| (.+) \|$", PAGE.read_text("utf-8"), re.M)
ROWS = {what: re.findall("`([^`]+)`", how) for what, how in LINES}
del ROWS["what you have"]

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
RUN = {"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d1": 3.0, "d3": 1.0}}
FRAMES = tuple(
    pd.DataFrame([(topic, *pair) for topic in data for pair in data[topic].items()], columns=names)
    for data, *names in ((QRELS, "qid", "docno", "label"), (RUN, "qid", "docno", "score"))
)
HITS = {"hits": {"hits": [{"_id": "d1", "_score": 3.2}, {"_id": "d2", "_score": 1.1}]}}
SPAN = {
    "openinference.span.kind": "RETRIEVER", "input.value": "q1",
    "retrieval.documents.0.document.id": "d1", "retrieval.documents.0.document.score": 0.9,
}  # fmt: skip
DAYS = "2024-01-01", "2024-01-02"
HEAD = {"runtag": "mine", "description": "d", "models": [], "extern": "none"}
RANKING = {"qid": "q", "question-rank": 0, "doc-ranking": [{"doc_id": "d1", "score": 2.0}]}
QUESTIONS = [{"id": "q1", "answers": [{"text": "Paris"}]}, {"id": "q2", "answers": []}]


def lines(*records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


FILES = {
    "qrels.txt": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n",
    "my.run": "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d1 1 3.0 t\nq2 Q0 d3 2 1.0 t\n",
    "qrels.dev.tsv": "q1\td1\t1\nq2\td3\t1\n",
    "ranks.tsv": "q1\td1\t1\nq1\td2\t2\n",
    "scores.tsv": "q1\td1\t2.5\nq1\td2\t1.5\n",
    "topics.trec": "<top>\n<num> Number: q1\n<title> one\n</top>\n<top>\n<num> Number: q9\n</top>\n",
    "answers.json": json.dumps({"q1": [["Paris", "Paris, France"]]}),
    "log.jsonl": lines({"id": 1, "answer": "a", "confidence": 0.9, "correct": 1}, {"id": 2, "answer": None}),
    "queries.tsv": "q1\tone\nq2\ttwo\n",
    "docs.jsonl": lines(*({"doc_id": f"d{n}", "text": f"text {n}"} for n in (1, 2, 3))),
    "topics.jsonl": lines({"tid": "t", "questions": [{"qid": "q"}]}),
    "track.qrels": "t/q/2024-01-01 0 d1 5\nt/q/2024-01-02 0 d2 5\n",
    "my.jsonl": lines(HEAD, {"topic": "t", "results": {day: [RANKING] for day in DAYS}}),
    "spans.jsonl": lines({"context": {"span_id": "1", "trace_id": "2"}, "attributes": SPAN}),
    "results.jsonl": lines({"query_id": "q1", "results": [{"id": "d1", "score": 0.9}]}),
    "qa-judgments": "q1 d1 1 in 1968\nq1 d2 2 in 1968, it says\n",
    "qa.run": "q1 Q0 d2 1 0 mine in 1968, it says\nq1 Q0 d1 2 0 mine in 1968\n",
    "rag.jsonl": lines({"run_id": "mine", "topic_id": "q1", "references": ["d1"], "answer": []}),
    "dev-v2.0.json": json.dumps({"data": [{"paragraphs": [{"qas": QUESTIONS}]}]}),
    "references.json": json.dumps(
        [{"id": "q1", "answers": {"text": ["Paris"], "answer_start": [0]}},
         {"id": "q2", "answers": {"text": [], "answer_start": []}}]
    ),
    "predictions-hf.json": json.dumps([{"id": q, "prediction_text": "Paris"} for q in ("q1", "q2")]),
    "bioasq.json": json.dumps({"questions": [{"id": "q1", "documents": ["d1"], "ideal_answer": ["x"]}]}),
    "golden.jsonl": lines(
        {"id": "q1", "question": "?", "expected_docs": ["d1"]},
        {"id": "q2", "question": "?", "expected_docs": [], "answerable": False},
    ),
    "rank-eval.json": json.dumps({"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": 1}]}]}),
    "opensearch.json": json.dumps(
        {"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d1", "rating": "1.0"}]}]}
    ),
    "depths.csv": "query_id,k,score\n" + "".join(f"{q},{k},{int(k > 0)}\n" for q in RUN for k in (0, 1, 2)),
    "quepid.csv": "query,docid,rating\nq1,d1,1\nq1,d2,0\n",
    "lotte.jsonl": lines({"qid": "q1", "query": "?", "answer_pids": ["d1"]}),
    "predictions.json": json.dumps({"q1": "Paris", "q2": ""}),
}  # fmt: skip


def with_library(name, make):
    """What `make` makes of a library, which may be absent."""
    return lambda: make(pytest.importorskip(name, reason=f"{name} is not installed"))


def of_ir_datasets():
    """A data set in the place of TREC Robust 2004, which cannot be fetched here."""
    path = Path("qrels.txt")
    download = SimpleNamespace(path=lambda: path, stream=lambda: path.open("rb"))
    dataset = ir_datasets.Dataset(ir_datasets.formats.TrecQrels(download, {0: "no", 1: "yes"}))
    return {"dataset": dataset, "load": lambda _: dataset}


def of_faiss(faiss):
    index, vectors = faiss.IndexFlatIP(2), np.eye(2, dtype=np.float32)
    index.add(vectors)
    qrels = {"q1": {"0": 1}, "q2": {"1": 1}}
    return {"index": index, "vectors": vectors, "query_ids": ["q1", "q2"], "qrels": qrels}


def of_pyserini():
    hits = [SimpleNamespace(docid="d1", score=2.5)]
    searcher = SimpleNamespace(batch_search=lambda texts, ids: dict.fromkeys(ids, hits))
    return {"searcher": searcher, "queries": ["one", "two"], "query_ids": ["q1", "q2"]}


def of_phoenix():
    attributes = {"openinference.span.kind": "RETRIEVER", "input.value": "q1"}
    found = [{"document.id": "d1", "document.score": 0.9}]
    columns = {f"attributes.{name}": [value] for name, value in attributes.items()}
    columns |= {"attributes.retrieval.documents": [found], "context.span_id": ["1"]}
    return {"phoenix_frame": pd.DataFrame(columns)}


def of_pyterrier(pt):
    topics = pd.DataFrame({"qid": ["q1", "q2"], "query": ["one", "two"]})
    return {"pt": pt, "systems": [FRAMES[1]], "topics": topics, "qrels": FRAMES[0]}


def of_llama_index(schema):
    return {"documents": [schema.NodeWithScore(node=schema.TextNode(text="x", id_="d1"), score=0.5)]}


def of_haystack(haystack):
    return {"documents": [haystack.Document(content="x", id="d1", score=0.5)]}


def of_langchain(documents):
    return {"documents": [documents.Document("x", id="d1", metadata={"score": 0.5})]}


def frames(convert):
    return dict(zip(("qrels_frame", "run_frame"), map(convert, FRAMES)))


# What names of a row stand for, besides QRELS, RUN and files; a row is tried with each of several meanings.
MEANINGS = {
    "pandas, polars, pyarrow, DuckDB": [
        frames(pd.DataFrame),
        frames(pa.Table.from_pandas),
        with_library("polars", lambda polars: frames(polars.from_pandas)),
        with_library("duckdb", lambda duckdb: frames(duckdb.from_df)),
    ],
    "ir_datasets": [of_ir_datasets],
    "topics that nobody judged": [{"topics": ["q1", "q2", "q9"]}],
    "texts of queries and documents, for a report": [{"runs": {"mine": RUN}}],
    "columns with other names": [{"run": [{"query_id": "q1", "chunk": "d1", "similarity": 0.5}]}],
    "lists with several keys": [{"qrels": {("u", 1): {"d1": 1}}, "run": {("u", 1): ["d1"]}}],
    "runs of TREC's Change Detection track": [{"qrels": "track.qrels"}],
    "FAISS, bm25s, Chroma, Qdrant, sentence-transformers": [with_library("faiss", of_faiss)],
    "Elasticsearch, OpenSearch": [
        {"response": HITS, "query_ids": ["q1", "q2"], "msearch_response": {"responses": [HITS] * 2}}
    ],
    "Solr, Vespa, Pinecone, Azure AI Search, OpenAI, Meilisearch, Weaviate, Milvus, Typesense, Algolia,"
    " Bedrock, Vertex AI": [
        {"store_response": response, "query_ids": ["q1", "q2"]}
        for response in (
            {"response": {"docs": [{"id": "d1", "score": 2.0}]}},
            {"root": {"children": [{"id": "d1", "relevance": 2.0}]}},
            {"value": [{"id": "d1", "@search.score": 2.0}]},
        )
    ],
    "Pyserini": [of_pyserini],
    "other records with a list of documents each": [
        {"records": [{"query": {"id": "q1"}, "found": [{"key": "d1", "score": 0.9}]}]}
    ],
    "LangChain, LlamaIndex, Haystack": [
        with_library("langchain_core.documents", of_langchain),
        with_library("llama_index.core.schema", of_llama_index),
        with_library("haystack", of_haystack),
    ],
    "spans of OpenTelemetry or OpenInference, Phoenix": [of_phoenix],
    "samples of ragas": [
        {"samples": [{"user_input": "?", "retrieved_context_ids": ["a"], "reference_context_ids": ["a"]}]}
    ],
    "matrices of scores and labels: numpy, torch": [
        {"scores": np.eye(2), "labels": np.eye(2, dtype=int)},
        with_library("torch", lambda torch: {"scores": torch.eye(2), "labels": torch.eye(2, dtype=int)}),
    ],
    "PyTerrier": [with_library("pyterrier", of_pyterrier)],
}
CASES = [(what, meaning) for what in ROWS for meaning in MEANINGS.get(what, [{}])]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "my.run.gz").write_bytes(gzip.compress(FILES["my.run"].encode()))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("what", "meaning"), CASES, ids=[f"{what}-{at}" for at, (what, _) in enumerate(CASES)]
)
def test_every_call_of_the_table_runs_as_it_stands(what, meaning, monkeypatch, capsys):
    names = {name: getattr(ir_trunc, name) for name in ir_trunc.__all__}
    names |= {"ir_measures": ir_measures, "ir_trunc": ir_trunc, "measures": "RR RBPT"}
    names |= {"qrels": QRELS, "run": RUN, "runs": {"one": RUN}}
    meaning = meaning() if callable(meaning) else meaning
    if load := meaning.get("load"):
        monkeypatch.setattr(ir_datasets, "load", load)
    calls = [span for span in ROWS[what] if "(" in span or span.startswith("ir_trunc ")]
    assert calls
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of data that are as small
            if call.startswith("ir_trunc "):
                assert main(shlex.split(call)[1:]) == 0, capsys.readouterr().err
                continue
            *first, last = call.split("; ")
            scope = names | meaning
            for statement in first:
                exec(statement, scope)
            result = eval(last, scope)
        if isinstance(result, ir_trunc.typing.Results):
            assert float(np.abs(result.values).max()) > 0, call


def test_no_row_is_named_that_the_table_lacks():
    assert set(MEANINGS) <= set(ROWS)
