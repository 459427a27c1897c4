"""The forms of data: which readers are asked, in which order, and that one reader recognises each form."""

import contextlib
import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from ir_measures import ScoredDoc
from messages import refused

import ir_trunc
from ir_trunc import InputError, calc, read_topics
from ir_trunc._core.errors import ParameterTypeError
from ir_trunc._read import readers, registry
from ir_trunc._read.reading import RUN
from ir_trunc._read.registry import File, Reader, Table
from ir_trunc._read.text import beginning


class Shelf:
    """Data in a form of one's own: topics with their documents and numbers."""

    def __init__(self, **topics):
        self.topics = topics


def read_shelf(data, layout):
    rows = [(topic, *row) for topic, docs in data.topics.items() for row in docs]
    names = ("query_id", "doc_id", layout.value)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return Table(layout.source, columns if rows else None, topics=tuple(data.topics))


def added(monkeypatch, shape, known, *kinds):
    """A reader that has its place in the order, before all others, for a while."""
    monkeypatch.setattr(readers, "READERS", [replace(known, shapes=(shape,), kinds=kinds), *readers.READERS])


@pytest.fixture
def shelf(monkeypatch):
    """A reader of shelves, for a while."""
    of_shelves = lambda data: isinstance(data, Shelf)  # noqa: E731
    known = Reader("a shelf", "As libraries have.", read_shelf, of_shelves, (), (), called="shelf")
    added(monkeypatch, "object", known, "run", "qrels", "topics")


def test_a_new_form_is_known_to_runs_qrels_and_topics(shelf):
    qrels, run = Shelf(a=[("x", 1)], b=[("y", 0)], c=[]), Shelf(a=[("x", 0.5)], b=[("x", 0.5)])
    results = calc("RR NumRet", qrels, run)
    assert results.topics == ("a", "b", "c")
    assert results.values.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert read_topics(qrels) == ["a", "b", "c"]


def test_a_new_form_is_named_where_the_data_are_of_none(shelf):
    with pytest.raises(InputError, match=r"^run of type int: one of these is needed: a shelf; \{topic: "):
        calc("RR", {"a": {"x": 1}}, 5)
    refused(InputError, r"^qrels of type int: .*a shelf", calc, "RR", 5, {})


@pytest.mark.parametrize("shape", ["path", "frame", "mapping", "list", "object"])
def test_a_reader_is_asked_only_for_data_of_its_shape(monkeypatch, tmp_path, shape):
    (tmp_path / "a.csv").write_text("query_id,doc_id,score\n1,a,1\n")
    data = {
        "path": tmp_path / "a.csv",
        "frame": pa.table({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}),
        "mapping": {"1": ["a"]},
        "list": [("1", "a", 1.0)],
        "object": Shelf(a=[]),
    }
    asked = []  # by a reader that recognises nothing
    added(monkeypatch, shape, Reader("nothing", "It is asked.", read_shelf, asked.append, (), ()), "run")
    for other, run in data.items():
        asked.clear()
        with contextlib.suppress(InputError, AttributeError):  # it takes what no other reader recognises
            calc("RR", {"1": {"a": 1}}, run)
        # An object is all that has a class which is not Python's own.
        assert bool(asked) == (other == shape or (other, shape) == ("frame", "object")), other


@pytest.mark.parametrize("value", [b"a.run", 5])
def test_a_path_that_is_not_text_is_refused(value):
    path = type("OddPath", (), {"__fspath__": lambda self: value})()
    for door in (lambda run: calc("RR", {"1": {"a": 1}}, run), ir_trunc.read_qrels, read_topics):
        refused(InputError, "a path of type OddPath is not text", door, path)
    with pytest.raises(ParameterTypeError, match="a path is needed, not OddPath"):
        ir_trunc.compare("RR", {"1": {"a": 1}}, [path, "b.run"])


def test_the_content_of_a_file_decides_and_then_its_name(tmp_path):
    (tmp_path / "a.parquet").write_text("1 Q0 a 1 0.5 t\n")
    assert calc("RR", {"1": {"a": 1}}, tmp_path / "a.parquet").values.tolist() == [[1]]
    (tmp_path / "a.parquet").write_text("damaged")
    with pytest.raises(InputError, match=r"a\.parquet cannot be read as Parquet"):
        calc("RR", {"1": {"a": 1}}, tmp_path / "a.parquet")


def test_a_file_is_looked_at_once_to_be_recognised(monkeypatch, tmp_path):
    (tmp_path / "a.json").write_text('{"1": {"a": 1}}')
    looked = []
    monkeypatch.setattr(registry, "beginning", lambda path: looked.append(path) or beginning(path))
    assert calc("RR", tmp_path / "a.json", {"1": ["a"]}).values.tolist() == [[1]]
    assert looked == [tmp_path / "a.json"]


def test_every_reader_of_the_package_has_its_place_in_the_order():
    for module in iter_modules(readers.__path__):
        content = vars(import_module(f"{readers.__name__}.{module.name}")).values()
        assert all(each in readers.READERS for each in content if isinstance(each, Reader)), module.name
    assert len({*map(name_of, readers.READERS)}) == len(readers.READERS)
    assert all(each.about.endswith(".") for each in readers.READERS)  # as the reference has it


def name_of(reader):
    return f"{reader.read.__module__.rpartition('.')[2]}.{reader.read.__name__}"


SPAN = {"context": {"span_id": "1"}, "attributes": {"openinference.span.kind": "RETRIEVER"}}
OTLP = {"resourceSpans": []}
RAGAS = {"user_input": "who?", "retrieved_context_ids": ["a"], "reference_context_ids": ["a"]}
RAG = {"topic_id": "1", "references": ["a"]}
RAG_2025 = {"metadata": {"narrative_id": 1}, "references": ["a"]}
HITS = {"took": 1, "timed_out": False, "_shards": {"total": 1}, "hits": {"hits": []}, "status": 200}
CHROMA = {"ids": [["a"]], "distances": [[0.5]]}
POINT = SimpleNamespace(id=1, score=0.5, payload={})
MATRIX = np.ones((2, 1))
ROWS = {"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}
SQUAD = {"data": [{"paragraphs": []}]}
FRAME_OF_SPANS = {"attributes.openinference.span.kind": ["RETRIEVER"], "context.span_id": ["1"]}

SAMPLES = {
    "trec.trec": [b"1 Q0 a 1 0.5 t\n", b"1 0 a 1\n"],
    "traces.spans": [
        json.dumps([SPAN]).encode(), json.dumps(SPAN).encode(), json.dumps(OTLP).encode(), SPAN, OTLP, [SPAN],
        (SPAN,), [OTLP], pd.DataFrame(FRAME_OF_SPANS), pa.table(FRAME_OF_SPANS),
    ],
    "cdet.change_run": [b'{"runtag": "mine"}\n'],
    "cdet.change_qrels": [b'{"topic": "1", "qid": "a", "day": "2024-01-01", "doc_id": "d", "gain": 5}\n'],
    "cdet.change_topics": [b'{"tid": "1", "questions": [{"qid": "a"}]}\n'],
    "answers.squad_questions": [
        SQUAD, json.dumps(SQUAD).encode(), [{"id": "q", "answers": {"text": ["x"], "answer_start": [0]}}],
    ],
    "answers.predictions": [[{"id": "q", "prediction_text": "x", "no_answer_probability": 0.0}]],
    "answers.answer_classes": [{"q": [["Paris"]]}, b'{"q": [["Paris"]]}'],
    "files.parquet_file": [b"PAR1"],
    "files.json_file": [b'{"1": {"a": 1}}', b'[{"query_id": "1"}]', b'[["1", "a", 1]]'],
    "trec.answer_run": [b"1 Q0 a 1 0.5 t in 1968\n1 Q0 b 2 0.5 t Oslo\n"],
    "trec.answer_judgments": [b"1 a 1 in 1968\n1 b -1 Oslo\n"],
    "files.short_lines": [b"1 a 1\n", b"1 a L3\n", b"1\ta\t0.5\n", b"1 a\n", b"1 a 1 0.5\n1 b 2 0.25\n"],
    "files.csv_file": [b"query_id,doc_id,score\n1,a,1\n", b"query-id\tcorpus-id\tscore\n1\ta\t1\n"],
    "files.beir_folder": [Path],
    "datasets.ir_dataset": ["trec-robust04", SimpleNamespace(queries_iter=list)],
    "topics.items": [pd.Series(["1"]), pa.array(["1"])],
    "memory.frame": [pd.DataFrame(ROWS), pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})],
    "memory.dicts": [
        {"1": {"a": 1}}, {"1": {}, "2": {"a": np.float32(1)}}, {"1": {"ids": 2.0, "x": 1.0}},
        {"1": ["a", "b"]}, {"1": (), "2": ("a",)}, {"1": [], "2": {"a", "b"}},
    ],
    "memory.run_object": [ir_trunc.read_run({"1": ["a"]})],
    "memory.named_tuples": [[ScoredDoc("1", "a", 1.0)]],
    "memory.plain_tuples": [
        [("1", "a", 1.0)], [["1", "a", 1]], (["1", "a", 2.0], ["1", "b", 1.0]), (("1", "a", 1),),
        [("1", "a")],
    ],
    "nested.lists_by_topic": [
        {"1": [("a", 1)]}, {"1": [["a", 1]]}, {"1": [(POINT, 1)]}, {"1": [{"id": "a", "score": 1}]},
        {"1": [SimpleNamespace(id="a", score=1)]}, {"1": '[{"id": "a", "score": 1}]'}, {"1": HITS},
        {"1": CHROMA}, {"1": {"error": {}, "status": 404}}, {"1": [POINT]},
    ],
    "memory.records": [[{"query_id": "1", "doc_id": "a", "score": 1.0}]],
    "nested.nested_records": [
        [RAGAS], SimpleNamespace(samples=[RAGAS]), pd.DataFrame([RAGAS]), pa.Table.from_pylist([RAGAS]),
        RAG, RAG_2025, [RAG], [RAG_2025],
    ],
    "nested.search_results": [
        HITS, CHROMA, {"responses": [HITS]}, [HITS], (MATRIX, MATRIX), (["a"], CHROMA),
        (("a", "b"), [HITS] * 2),
        ([1, 2, 3], [[], [{"corpus_id": 4, "score": 0.9}], []]), (["a"], (MATRIX, MATRIX), ["x"]),
        SimpleNamespace(body={"responses": [HITS]}), [SimpleNamespace(points=[POINT])],
    ],
}  # fmt: skip

# These recognise what has a wide form, and are asked after all that know a part of it better.
WIDE = {"memory.records", "files.json_file", "answers.answer_classes", "nested.lists_by_topic"}


@pytest.mark.parametrize("name", SAMPLES)
def test_one_reader_recognises_each_sample(tmp_path, name):
    """Every recogniser of its shape is asked; of the readers of a kind, one recognises it."""
    for sample in SAMPLES[name]:
        data = sample
        if sample is Path:
            (tmp_path / "qrels").mkdir()
            data = tmp_path
        elif isinstance(sample, bytes):
            data = tmp_path / "data"
            data.write_bytes(sample)
        shape = registry.shape_of(data)
        asked = File(data, RUN.reading) if shape == "path" else data
        shapes = {shape} if shape == "path" else {shape, "object"}
        (own,) = (each for each in readers.READERS if name_of(each) == name)
        for kind in own.kinds:
            others = [each for each in readers.READERS if shapes & {*each.shapes} and kind in each.kinds]
            claims = [name_of(other) for other in others if other.recognises(asked)]
            wide = {*WIDE, "nested.search_results"} if name == "memory.run_object" else WIDE  # it has `docs`
            narrow = [other for other in claims if other not in wide] or claims
            assert narrow == [name], (kind, sample)
            assert claims[0] == name, (kind, sample)


def test_every_reader_has_a_sample():
    usual = {"topics.topic_file", "datasets.hugging_face", "files.depth_table"}
    assert {*map(name_of, readers.READERS)} == {*SAMPLES} | usual
