"""Results of vector stores and search engines, by hand and from the libraries themselves."""

import warnings
from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, read_run

TOPICS = ["a", "b"]
NEAR, PLACES = np.array([[0.1, 0.7], [0.2, 3e38]], np.float32), np.array([[0, 1], [2, -1]])
CHROMA = {"ids": [["x", "y"], ["z"]], "distances": [[0.5, 2.0], [0.25]], "documents": None}
HITS = {"hits": {"hits": [{"_id": "x", "_score": 2.0}, {"_id": "y", "_score": 1.0}]}, "timed_out": False}


class Results(namedtuple("Results", "documents scores")):
    """As bm25s has it: its length is the number of queries."""

    def __len__(self):
        return len(self.documents)


def orders(run, **options):
    return {topic: list(docs) for topic, docs in read_run(run, **options).to_dict().items()}


@pytest.mark.parametrize(("results", "expected"), [
    ((-NEAR, PLACES), [["0", "1"], ["2"]]),
    (Results(PLACES, -NEAR), [["0", "1"], ["2"]]),
    (Results(np.array([[{"id": "x"}, {"id": "y"}]] * 2), -NEAR), [["x", "y"], ["x", "y"]]),
    (CHROMA, [["x", "y"], ["z"]]),
    ([[], [{"corpus_id": 4, "score": 0.9}, {"corpus_id": 3, "score": 0.5}]], [[], ["4", "3"]]),
    ({"responses": [HITS, {"hits": {"hits": []}}]}, [["x", "y"], []]),
    (SimpleNamespace(body={"responses": [HITS, HITS]}), [["x", "y"], ["x", "y"]]),
    ([SimpleNamespace(points=[SimpleNamespace(id=7, score=0.5)]), SimpleNamespace(points=[])], [["7"], []]),
])  # fmt: skip
def test_results_with_their_topics(results, expected):
    assert orders((TOPICS, results)) == dict(zip(TOPICS, expected))
    refused(InputError, r"without their topics; \(topics, results\) is needed", read_run, results)
    refused(InputError, "3 topics have results of 2 queries", read_run, (["a", "b", "c"], results))
    refused(InputError, "topic 'a' is given twice", read_run, (["a", "a"], results))
    with pytest.raises(InputError):
        read_run((np.array("a"), results))  # iterable by its type, without dimensions


@pytest.mark.parametrize(("result", "expected"), [
    (HITS, ["x", "y"]),
    (SimpleNamespace(body=HITS), ["x", "y"]),
    ({"ids": [["x", "y"]], "distances": [[0.5, 2.0]]}, ["x", "y"]),
    (SimpleNamespace(points=[SimpleNamespace(id=7, score=0.5)]), ["7"]),
    ([SimpleNamespace(id=7, score=0.5, payload={})], ["7"]),
    ([SimpleNamespace(docid="x", score=0.5)], ["x"]),  # of pyserini
    ([{"corpus_id": 4, "score": 0.9}], ["4"]),
])  # fmt: skip
def test_a_response_for_each_topic(result, expected):
    assert orders({"a": result, "b": result}) == {"a": expected, "b": expected}


@pytest.mark.parametrize("queries", [1, 3])
def test_bm25s_counts_queries(queries):
    topics = [f"q{n}" for n in range(queries)]
    found = Results(np.array([[4, 2]] * queries), np.array([[0.9, 0.5]] * queries))
    assert orders((topics, found)) == {topic: ["4", "2"] for topic in topics}


def test_points_of_a_list_may_be_distances():
    points = [SimpleNamespace(id=n, score=float(n), payload={}) for n in (1, 2)]
    with pytest.warns(IrTruncWarning, match="taken for distances"):
        assert orders({"a": points}) == {"a": ["1", "2"]}


def test_positions_are_ids_of_the_documents_that_are_given():
    assert orders((TOPICS, (-NEAR, PLACES), ["p", "q", "r"])) == {"a": ["p", "q"], "b": ["r"]}
    with pytest.raises(InputError, match="topic b: 2 is not a position in the 2 documents"):
        read_run((TOPICS, (-NEAR, PLACES), ["p", "q"]))


def test_values_that_rise_are_distances_and_a_warning_says_so():
    with pytest.warns(IrTruncWarning, match=r"rise .* taken for distances; lower_is_better=True confirms"):
        assert orders((TOPICS, (NEAR, PLACES))) == {"a": ["0", "1"], "b": ["2"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert orders((TOPICS, (NEAR, PLACES)), lower_is_better=True) == {"a": ["0", "1"], "b": ["2"]}
        assert orders((TOPICS, CHROMA), lower_is_better=True) == orders((TOPICS, CHROMA))
    with pytest.raises(
        InputError, match="so they are similarities; give them as scores; leave out lower_is_better"
    ):
        read_run((TOPICS, (-NEAR, PLACES)), lower_is_better=True)


@pytest.mark.parametrize(("run", "message"), [
    ({"a": HITS | {"timed_out": True}}, "topic a: the response is a part of the result: it timed out"),
    ({"a": HITS | {"_shards": {"failed": 2}}}, "2 shards failed"),
    *(({"a": HITS | {"_shards": odd}}, "topic a: _shards is .*: an object") for odd in ([1], 3, "x", True)),
    ({"a": {"error": {"type": "gone"}, "_shards": {}}}, "the response is an error: .*gone"),
    ({"a": {"hits": {"hits": [{"_id": "x", "_score": None}]}}}, "_score is null.*track_scores"),
    ({"a": CHROMA}, "one list of Chroma's ids and one of distances"),
    ({"a": [{"id": "x"}], "b": {"x"}}, "topic b: .*: a list of its documents is needed"),
    ((TOPICS, CHROMA | {"distances": None}), "include="),
    ((TOPICS, (NEAR[:1], PLACES)), "both need a row for each query"),
    ((TOPICS, (NEAR, np.array([["x", "y"], ["z", ""]]))), "give FAISS's own positions"),
    ((TOPICS, (np.array([[1.0, 2.0], [2, 1]]), np.array([[1, 2], [3, 4]]))), "fall in some lists and rise"),
    ((TOPICS, (-NEAR, PLACES), 5), "documents 5: a list of the ids is needed"),
    ({"a": {"hits": {"hits": None}}}, "hits.hits is None"),
    ({"a": {"error": {"reason": "gone"}, "status": 404}}, "the response is an error"),
    ((TOPICS, {"responses": [HITS, 5]}), "topic b: 5: a list of its documents is needed"),
    ({"a": {"ids": 5, "distances": [[0.5]]}}, "distances: score .* is not a number"),
    ({"a": {"ids": [["x"]], "distances": 5}}, "one list of Chroma's ids"),
    (({"a"}, {"ids": ["x"], "distances": [0.5]}), "one list of Chroma's ids"),
    (({"a"}, {"ids": [["x", "y"]], "distances": [[0.5]]}), "one list of Chroma's ids"),
    (({"a"}, {"ids": 5, "distances": [[0.5]]}), "one list of Chroma's ids"),
    ((TOPICS, {"ids": [["x"], ["y"]]}), "include="),
    ((TOPICS, Results("x", [1])), "every item needs the fields query_id"),
])  # fmt: skip
def test_what_is_no_whole_result_is_refused(run, message):
    refused(InputError, message, read_run, run)


def test_distances_that_fall_are_similarities_and_unordered_ones_are_sorted():
    """Whoever says that they are distances: the form, or the user."""
    falling = {"ids": [["x", "y"]], "distances": [[0.9, 0.5]]}
    spans = [openinference_span("a", {"x": 0.9, "y": 0.5})]
    message = "the distances fall from the first document on, so they are similarities; give them as scores"
    for run, options in (
        ({"a": falling}, {}),
        ((["a"], falling), {}),
        ({"a": HITS}, {"lower_is_better": True}),
        (spans, {"lower_is_better": True}),
    ):
        refused(InputError, message, read_run, run, **options)
    unordered = {"ids": [["x", "y", "z"]], "distances": [[0.5, 0.9, 0.1]]}
    what = r"distances of 1 list do not rise .* \(for example topic 'a'\); they are sorted"
    with pytest.warns(IrTruncWarning, match=what):
        assert ir_trunc.calc("RR", {"a": {"z": 1}}, {"a": unordered}).values.tolist() == [[1]]


def openinference_span(query, docs):
    documents = [{"document": {"id": doc, "score": score}} for doc, score in docs.items()]
    attributes = {"input": {"value": query}, "retrieval": {"documents": documents}}
    return {"context": {"span_id": "1"}, "attributes": attributes}


def test_whole_numbers_are_positions_whichever_comes_first():
    """`docs, scores = bm25s.retrieve(...)`, passed on as a pair."""
    assert orders((["a"], (np.array([[4, 2]]), np.array([[0.9, 0.5]])))) == {"a": ["4", "2"]}


def test_queries_without_any_result_are_empty_lists():
    assert read_run((TOPICS, [[], []])).universe == ("a", "b")


def test_a_lazy_frame_is_collected():
    polars = pytest.importorskip("polars")
    frame = polars.LazyFrame({"query_id": ["1"], "doc_id": ["a"], "score": [0.5]})
    assert orders(frame) == {"1": ["a"]}


# The libraries.

VECTORS = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)


def library(name):
    return pytest.importorskip(name, reason=f"{name} is not installed")


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_faiss():
    faiss = library("faiss")
    near, inner = faiss.IndexFlatL2(2), faiss.IndexFlatIP(2)
    for index in (near, inner):
        index.add(VECTORS)
    expected = {"a": ["0", "2", "1"], "b": ["1", "2", "0"]}
    assert orders((TOPICS, inner.search(VECTORS[:2], 4))) == expected
    assert orders((TOPICS, near.search(VECTORS[:2], 4)), lower_is_better=True) == expected


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_chroma_to_how_many():
    chromadb = library("chromadb")
    store = chromadb.EphemeralClient().create_collection("passages")
    store.add(ids=["x", "y", "z"], embeddings=VECTORS.tolist())
    found = store.query(query_embeddings=VECTORS.tolist() * 20, n_results=3)
    topics = [f"q{n}" for n in range(60)]
    labels = {topic: {"xyz"[n % 3]: 1} for n, topic in enumerate(topics)}
    advice = ir_trunc.how_many(labels, (topics, found), policies="Greedy ScoreThreshold")
    assert advice.policy([0.0, 0.4, 2.0]) == 1  # distances, as those that it was fitted on


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_qdrant():
    client = library("qdrant_client")
    models, store = client.models, client.QdrantClient(":memory:")
    store.create_collection("all", models.VectorParams(size=2, distance=models.Distance.DOT))
    points = [models.PointStruct(id=n, vector=vector) for n, vector in enumerate(VECTORS.tolist(), 1)]
    store.upsert("all", points)
    asked = [models.QueryRequest(query=vector, limit=3) for vector in VECTORS[:2].tolist()]
    found = {"a": ["1", "3", "2"], "b": ["2", "3", "1"]}
    assert orders((TOPICS, store.query_batch_points("all", asked))) == found
    single = {topic: store.query_points("all", vector) for topic, vector in zip(TOPICS, VECTORS.tolist())}
    assert orders(single) == found


@pytest.mark.full
def test_bm25s():
    bm25s = library("bm25s")
    texts = ["a cat purrs", "dogs bark loudly", "cats and dogs"]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    asked = bm25s.tokenize(["cat", "dogs"], show_progress=False)
    found = orders((TOPICS, index.retrieve(asked, k=1, show_progress=False), ["x", "y", "z"]))
    assert found["a"] == ["x"]
    assert found["b"][0] in ("y", "z")


@pytest.mark.full
def test_elasticsearch():
    library("elastic_transport")
    from elastic_transport import ObjectApiResponse

    assert orders({"a": ObjectApiResponse(body=HITS, meta=object())}) == {"a": ["x", "y"]}


@pytest.mark.full
def test_sentence_transformers():
    util = library("sentence_transformers.util")
    found = util.semantic_search(VECTORS[:2], VECTORS, top_k=3)
    assert orders((TOPICS, found)) == {"a": ["0", "2", "1"], "b": ["1", "2", "0"]}
