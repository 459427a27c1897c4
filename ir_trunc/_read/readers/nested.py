"""Records inside records: lists of documents by topic, in every form that `FORMS` declares.

A new form is a row of `FORMS`. All forms end in the same rows, by `rows_of_lists`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain, pairwise, repeat, zip_longest
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from ir_trunc._core.errors import InputError, counted, listed, option, shown, warn
from ir_trunc._read.arrow import joined_id, one_id, pa
from ir_trunc._read.readers.memory import dicts, first_item
from ir_trunc._read.reading import RANK, Layout
from ir_trunc._read.registry import Table, reader, shape_of
from ir_trunc._read.rows import Rows
from ir_trunc._read.tables import COST, column_names, rows_of_table
from ir_trunc._read.text import number_of, read_json

Read = Table | Iterable[Rows]

# Names of a document's id and number, and those whose value may have them.
_IDS = ("id", "_id", "doc_id", "docno", "id_", "node_id", "docid", "corpus_id")
_SCORES = ("score", "_score", "relevance_score", "_relevance_score")
_INSIDE = ("node", "document", "metadata", "meta", "_additional")
_METADATA = ("metadata", "meta")

_ROWS = ("doc_id", "docno", "corpus-id")  # names of the document in a row
_TOPICS = ("query_id", "qid", "query-id", "topic_id", "_id", "id")  # names of the topic of a record

_FILLER, _LARGEST = -1, 3e38  # FAISS fills a list that is too short with this position, and a distance above


class Form(NamedTuple):
    """A form of records that hold lists of documents. Paths have dots; the first that a record has counts."""

    name: str  # such data in messages
    lists: tuple[str, ...]  # paths to the documents, in the order of their ranks
    topics: tuple[str, ...] = ()  # paths to the topic; none where it stands beside the record
    judged: tuple[str, ...] = ()  # paths to the relevant documents, where the records are qrels, too
    records: str = ""  # path to the records, where the data hold more than them
    docs: tuple[str, ...] = _IDS  # names of the id of a document
    scores: tuple[str, ...] = _SCORES  # names of its score
    beside: str = ""  # path to the scores, where they are in a list of their own
    distances: bool = False  # whether lower scores are better
    signs: tuple[str, ...] = ()  # other names by which a record is recognised, which may lack its list
    check: Callable[[Any, str], None] | None = None  # InputError where a record is not whole

    def is_in(self, record: Any) -> bool:
        """Whether a record has this form."""
        if self.topics and _first_at(record, self.topics) is None:
            return False
        documents = _first_at(record, (*self.lists, *self.judged))
        if not self.topics and not isinstance(documents, (list, tuple)):
            documents = None  # as the hits of Elasticsearch, which hold more than documents
        has_sign = any(not isinstance(value_in(record, name), (Real, type(None))) for name in self.signs)
        return has_sign or _as_list(documents) is not None


def _one_query(response: Any, place: str) -> None:
    """InputError where Chroma's response is not that of one query."""
    lists = [_as_list(response.get(name)) or [] for name in ("ids", "distances")]
    lengths = [[len(part) if isinstance(part, list) else None for part in each] for each in lists]
    if len(lengths[0]) != 1 or lengths[0] == [None] or lengths[0] != lengths[1]:
        needed = "one list of Chroma's ids and one of distances are needed"
        raise InputError(f"{place}: {needed}: include=['distances'].")


def _whole_response(response: Any, place: str) -> None:
    """InputError where a response is an error or a part of the result."""
    if "error" in response or not isinstance(response.get("hits"), Mapping):
        raise InputError(f"{place}: the response is an error: {shown(response.get('error'))}.")
    shards = response.get("_shards") or {}
    if not isinstance(shards, Mapping):
        raise InputError(f"{place}: _shards is {shown(shards)}: an object is needed.")
    failed = shards.get("failed", 0)
    if response.get("timed_out") or failed:
        why = f"{failed} shards failed" if failed else "it timed out"
        raise InputError(f"{place}: the response is a part of the result: {why}.")
    hits = response["hits"].get("hits")
    if not isinstance(hits, list):
        raise InputError(f"{place}: hits.hits is {shown(hits)}: a list is needed, empty for no documents.")
    if any(isinstance(hit, Mapping) and hit.get("_score", 0) is None for hit in hits):
        raise InputError(f"{place}: _score is null, as in sorted hits; track_scores=True gives scores.")


FORMS = (
    Form(
        "turns of iKAT",  # of 2023 and 2024 in a list, with the passages of the first response; of 2025 each
        lists=("responses.0.passage_provenance", "references"),
        topics=("turn_id", "metadata.turn_id"),
        records="turns",
    ),
    Form(
        "answers of TREC RAG",
        lists=("references",),
        topics=("topic_id", "metadata.topic_id", "narrative_id", "metadata.narrative_id"),
    ),
    Form(
        "samples of ragas",
        lists=("retrieved_context_ids",),
        topics=("user_input",),
        judged=("reference_context_ids",),
        records="samples",
        signs=("retrieved_contexts", "reference_contexts"),
    ),
    Form("answers of MTRAGEval", lists=("contexts",), topics=("task_id",), docs=("document_id", *_IDS)),
    Form("questions of DPR", lists=("ctxs",), topics=("q_id", "id", "question")),
    Form(
        "retrieval runs",  # of LangSmith, spans of MLflow, observations of Langfuse
        lists=("outputs.documents", "outputs", "output.documents", "output"),
        topics=("inputs.query", "inputs.question", "input.query", "input.question"),
        records="data",
        docs=(*_IDS, "metadata.doc_uri"),
    ),
    Form("results of RAGChecker", lists=("retrieved_context",), topics=("query_id",), records="results"),
    Form(
        "questions of BioASQ",
        lists=("documents",),
        topics=("id",),
        judged=("documents",),
        records="questions",
        signs=("exact_answer", "ideal_answer"),
    ),
    Form(
        "search results by query",
        lists=(
            *("contexts", "ctxs", "documents", "results", "hits.hits", "hits", "references", "candidates"),
            *("docs", "retrieved_passages", "passages"),
        ),
        topics=("query.qid", *_TOPICS, "query", "question"),
        judged=("positive_passages", "answer_pids"),
        docs=("document_id", *_IDS),
    ),
    Form(
        "responses",  # of Solr, Vespa, Pinecone, Azure AI Search, OpenAI, Meilisearch, rerankers, Milvus and
        lists=(
            *("response.docs", "root.children", "matches", "value", "results", "data", "hits"),
            *("objects", "retrievalResults", "contexts.contexts", "records"),  # Weaviate, Bedrock, Vertex AI
        ),
        docs=(
            *("file_id", *_IDS, "index", "uuid", "objectID", "sourceUri"),
            *("metadata.x-amz-bedrock-kb-chunk-id", "location.s3Location.uri"),
        ),
        scores=(*_SCORES, "relevance", "@search.score", "_rankingScore"),
    ),
    Form(
        "responses of Elasticsearch or OpenSearch",
        lists=("hits.hits",),
        signs=("hits", "_shards", "error"),
        check=_whole_response,
    ),
    Form(
        "responses of Chroma",
        lists=("ids.0",),
        beside="distances.0",
        distances=True,
        signs=("distances",),
        check=_one_query,
    ),
    Form("responses of Qdrant", lists=("points",)),
)
"""The declared forms. Those with topics are records; the others are what a search for one query returns."""


_DOCUMENTS = Form("lists by topic", ())


def value_at(record: Any, path: Any) -> Any:
    """The value at a path of keys, attributes and places, or of a key with dots; None where there is none."""
    value = value_in(record, path)
    if value is not None or not isinstance(path, str) or "." not in path:
        return value
    name, _, rest = path.partition(".")
    inner = value_in(record, name)
    return None if inner is None else value_at(inner, rest)


def value_in(record: Any, name: Any) -> Any:
    """The value of a key, of an attribute or at a place in a list; None where there is none."""
    if isinstance(record, Mapping):
        return record.get(name)
    if isinstance(record, (list, tuple)) and str(name).isdigit():
        return record[int(name)] if int(name) < len(record) else None
    # Arrays are no records, and `data` of one is another thing; a row of a frame or of an array is one.
    is_array = hasattr(record, "__array__") and not hasattr(record, "keys") and getattr(record, "ndim", 1) > 0
    return None if is_array else getattr(record, str(name), None)


def _first_at(record: Any, paths: Iterable[Any]) -> Any:
    """The value at the first path that the record has; None where it has none."""
    return next((value for path in paths if (value := value_at(record, path)) is not None), None)


def _as_list(documents: Any) -> list[Any] | None:
    """The documents of a record; None where they are no list."""
    documents = documents.tolist() if hasattr(documents, "tolist") else documents
    documents = tuple(documents.items()) if isinstance(documents, Mapping) else documents
    return list(documents) if isinstance(documents, (list, tuple)) else None


def records_of_frame(frame: Any, source: str) -> list[dict[Any, Any]]:
    """The rows of a frame as dicts, None where a value is missing."""
    of_pandas = hasattr(frame, "itertuples")
    try:
        table = frame if of_pandas else pa.table(frame)
    except (pa.ArrowInvalid, TypeError):
        raise InputError(f"{source} is a single column: a frame with several columns is needed.") from None
    names = column_names(table)
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:  # a dict would keep one of them
        raise InputError(f"{source}: two columns are called {twice}; each needs its own name.")
    if of_pandas:  # Arrow knows no column of several types and no half of a surrogate pair
        table = table.astype(object).where(table.notna(), None)
    rows: list[dict[Any, Any]] = table.to_dict("records") if of_pandas else table.to_pylist()
    return rows


def _records(data: Any, form: Form, source: str = "") -> Sequence[Any]:
    """The records in data of a form."""
    if shape_of(data) == "frame":
        return records_of_frame(data, source)
    inner = value_at(data, form.records) if form.records else None
    data = data if inner is None else inner
    return [data] if isinstance(data, Mapping) else data


def _first_record(data: Any, form: Form) -> Any:
    if shape_of(data) == "frame":
        return dict.fromkeys(getattr(data, "column_names", getattr(data, "columns", ())), ())
    records = _records(data, form)
    is_sized = hasattr(records, "__len__") and getattr(records, "ndim", 1) == 1  # matrices hold no records
    return next(iter(records), None) if is_sized else None


def form_of_records(data: Any) -> Form | None:
    """The declared form of records with topics; None where they have none."""
    first = ((form, _first_record(data, form)) for form in FORMS if form.topics)
    return next((form for form, record in first if form.is_in(record) and not _first_at(record, _ROWS)), None)


@reader(
    "records with a topic and a list of documents each",
    recognises=lambda data: form_of_records(data) is not None,
    columns=True,
)
def nested_records(data: Any, layout: Layout) -> Read:
    """Answers of TREC's RAG track, turns of iKAT, answers of MTRAGEval, questions of DPR, samples of ragas.

    Samples have user_input, retrieved_context_ids and, as qrels, reference_context_ids. Results of RAGChecker
    stand below results, questions of BioASQ, which are qrels as well, below questions. Retrieval runs of
    LangSmith, spans of MLflow and observations of Langfuse have inputs and outputs. Other search results
    have query_id or query, and contexts, ctxs, documents, docs, results, hits, references, candidates or
    passages; as qrels, positive_passages or answer_pids. The order of a list is its rank.
    columns={"list": "contexts", "query_id": "qid", "doc_id": "id"} names the parts of other records; dots
    lead into records, as in "metadata.id".
    """
    names = layout.reading.names
    if "list" in names.needed:
        form = Form("records", (names["list"],), _TOPICS, judged=(names["list"],))
    else:
        form = form_of_records(data) or _DOCUMENTS
    source = f"{layout.kind} ({form.name})"
    layout = replace(layout, source=source)
    names.check(names.values(), ("list", "query_id", "doc_id", layout.value, COST), source)
    paths = form.lists if layout.kind == "run" else form.judged
    if not paths:
        raise InputError(f"{source}: they are a run, and hold no judgments.")
    topics, pairs, lists = names.candidates("query_id", form.topics), False, Lists()
    records = _records(data, form, source)
    if shape_of(records) != "list":
        raise InputError(f"{source}: {shown(data)}: records with a topic and a list each are needed.")
    for number, record in enumerate(records):
        place = f"{source}, item {number}"
        topic, found = _first_at(record, topics), _first_at(record, paths)
        documents = _as_list(found)
        if topic is None or documents is None:
            needed = f"{' or '.join(map(str, topics))}, and a list at {' or '.join(map(str, paths))}"
            raise InputError(f"{place}: {needed} are needed; it has: {_keys_of(record)}.")
        topic = one_id(joined_id(topic, layout.reading.nesting, place), "topic", place)
        if topic in lists:
            raise InputError(f"{place}: topic {topic} is in an item before; each topic needs one.")
        pairs |= not isinstance(found, Mapping) and isinstance(first_item(found), (list, tuple))
        lists[topic] = documents_of(documents, f"{place}, topic {topic}", layout, form)
    if pairs and "doc_id" not in names:
        what = f"pairs in the lists are taken for (document, {layout.value})"
        warn(f"{source}: {what}; {option('columns', {'doc_id': 0})} takes the first of a pair alone.")
    return rows_of_lists(lists, layout, ranked=True)


def _keys_of(record: Any) -> str:
    """What a record has, for messages."""
    return listed(record) if isinstance(record, Mapping) else shown(record)


def _form_of_result(result: Any) -> Form | None:
    """The declared form of what a search for one query returned; None for a list of documents."""
    return next((form for form in FORMS if not form.topics and form.is_in(_body(result))), None)


def _body(result: Any) -> Any:
    """A response without the object that Elasticsearch's client puts around it."""
    return getattr(result, "body", result)


def _are_lists(data: Mapping[Any, Any]) -> bool:
    """Whether the documents of a topic are a response, a text of JSON, or pairs, dicts or objects."""
    if _form_of_result(next(iter(data.values()), None)) is not None:
        return True
    texts = (text.lstrip() for text in data.values() if isinstance(text, str))
    if any(text.startswith(("[{", "[ {")) for text in texts):
        return True
    item = next((docs[0] for docs in data.values() if isinstance(docs, (list, tuple)) and docs), None)
    if isinstance(item, list):
        return len(item) == 2
    if isinstance(item, (tuple, Mapping)):
        return True
    return _is_document(item)


def _is_document(item: Any) -> bool:
    """Whether this is an object that a retriever returns for a document."""
    has = any(hasattr(item, name) for name in (*_SCORES, *_METADATA, *_IDS, "page_content", "payload"))
    return has and not isinstance(item, (str, bytes, int, float, set, frozenset))


@reader(
    '{topic: [(document, <value>), {"id": document, "<value>": number} or an object, ...]}',
    recognises=_are_lists,
    columns=True,
    called="lists by topic",
)
def lists_by_topic(data: Mapping[Any, Any], layout: Layout) -> Read:
    """Pairs, dicts, documents of LlamaIndex, Haystack and LangChain, or a response of a store for each topic.

    Stores are Elasticsearch, OpenSearch, Chroma, Qdrant, Solr, Vespa, Pinecone, Azure AI Search, OpenAI's,
    Meilisearch, Weaviate, Milvus, Typesense, Algolia, Bedrock and Vertex AI; an error or a partial response
    is refused. JSON texts of lists are read, too. The id is called id, _id, doc_id or docno, also in the
    node, document or metadata; the score is score, _score or relevance_score, also in the metadata, and
    decides the order. Documents without scores are in the order of the list, with a warning. Documents of
    LangChain without an id have the SHA-256 of their page_content.
    """
    return _results(data, layout)


@reader(
    "(topics, results) or (topics, results, documents) of a search in a vector store",
    recognises=lambda data: _by_query(data) is not None or _with_topics(data),
    columns=True,
    called="search results",
)
def search_results(data: Any, layout: Layout) -> Read:
    """What FAISS, Chroma, bm25s, Qdrant, sentence-transformers or Elasticsearch (msearch) return for queries.

    `topics` are the ids of the queries, in their order. `documents` are the ids of all documents, where the
    results have their positions in the collection. Chroma's distances are lower for better documents; so are
    values that rise in all lists, which a warning reports.
    """
    if not _with_topics(data):
        needed = "(topics, results) is needed, with the ids of the queries in their order"
        raise InputError(f"{layout.source}: these are results of a search without their topics; {needed}.")
    topics = [one_id(topic, "query_id", layout.source) for topic in data[0]]
    results = [*(_by_query(data[1], layout.source) or ())]
    if len(topics) != len(results):
        raise InputError(f"{layout.source}: {len(topics)} topics have results of {len(results)} queries.")
    if len(set(topics)) < len(topics):
        twice = Counter(topics).most_common(1)[0][0]
        raise InputError(f"{layout.source}: topic {shown(twice)} is given twice.")
    ids = data[2] if len(data) == 3 else None
    if ids is not None and (isinstance(ids, (str, bytes)) or not hasattr(ids, "__len__")):
        raise InputError(f"{layout.source}: documents {shown(ids)}: a list of the ids is needed.")
    return _results(dict(zip(topics, results)), layout, ranked=True, ids=ids)


def _by_query(results: Any, source: str = "") -> Iterable[Any] | None:
    """The result of each query of a search for several, or of one; None where this is no search's result."""
    results = _body(results)
    if isinstance(results, tuple):
        scores, documents = (getattr(results, name, None) for name in ("scores", "documents"))  # of bm25s
        matrices = results if scores is None else (scores, documents)
        are_two = len(matrices) == 2 and all(getattr(matrix, "ndim", 0) == 2 for matrix in matrices)
        return _pairs(matrices[0], matrices[1], scores is not None, source) if are_two else None
    if isinstance(results, list):
        first: Any = next((result for result in results if not isinstance(result, list) or result), [{}])
        item = first_item(first) if isinstance(first, list) else None
        is_result = _form_of_result(first) is not None or isinstance(item, Mapping) or _is_document(item)
        return results if results and is_result else None
    if isinstance(results, Mapping) and isinstance(results.get("responses"), list):
        return list(results["responses"])
    form = _form_of_result(results)
    if form is None or not form.beside:
        return None if form is None else [results]
    pairs = zip_longest(*(_as_list(results.get(name)) or () for name in ("ids", "distances")))
    return [{"ids": [ids], "distances": [distances]} for ids, distances in pairs]


def _pairs(values: Any, documents: Any, of_bm25s: bool, source: str) -> Iterator[list[Any]]:
    """The pairs (document, value) of each query, of two matrices in either order."""
    if values.dtype.kind != "f" and documents.dtype.kind == "f":  # of bm25s, unpacked
        values, documents = documents, values
    if documents.shape != values.shape:
        what = f"of the shape {documents.shape} and values of the shape {values.shape}"
        raise InputError(f"{source}: documents {what}: both need a row for each query.")
    if not of_bm25s and (np.abs(values[documents != _FILLER]) >= _LARGEST).any():
        what = f"the distance {_LARGEST:.2g} stands for no document, whose position is -1"
        raise InputError(f"{source}: {what}; give FAISS's own positions, and the ids of documents apart.")
    yield from ([*zip(*row)] for row in zip(documents.tolist(), values.tolist()))


def _with_topics(data: Any) -> bool:
    """Whether this is (topics, results) or (topics, results, documents)."""
    return (
        type(data) is tuple and len(data) in (2, 3) and _is_list(data[0]) and _by_query(data[1]) is not None
    )


def _is_list(data: Any) -> bool:
    """Whether data are items one after another; an array without dimensions, though iterable, has none."""
    return isinstance(data, Iterable) and shape_of(data) in ("list", "frame")


def _results(
    results: Mapping[Any, Any], layout: Layout, ranked: bool = False, ids: Sequence[Any] | None = None
) -> Read:
    """The rows of {topic: result}. ids: of all documents, where results have their positions in them."""
    names, source = layout.reading.names, layout.source
    names.check(names.values(), ("doc_id", layout.value, COST), source)
    lists, distances, bare = Lists(), False, None
    for topic, result in results.items():
        topic = one_id(joined_id(topic, layout.reading.nesting, source), "query_id", source)
        place, result = f"{source}, topic {topic}", _body(result)
        form = _form_of_result(result)
        ranked |= form is not None or hasattr(first_item(result), "payload")  # of Qdrant's points
        if isinstance(result, str):
            result = read_json(result.encode(errors="replace"), place)
        items = result
        if form is not None:
            if form.check:
                form.check(result, place)
            items = _first_at(result, form.lists)
            items = zip(items, _first_at(result, [form.beside])) if form.beside else items
            distances |= form.distances
        if not _is_list(items) or isinstance(items, (set, frozenset)):  # whose order is no ranking
            raise InputError(f"{place}: {shown(result)}: a list of its documents is needed.")
        items = items if isinstance(items, (list, tuple)) else [*items]
        bare = next((item for item in items if not isinstance(item, (str, Integral))), bare)
        lists.setdefault(topic, []).extend(documents_of(items, place, layout, form or _DOCUMENTS, ids))
    notes, numbers = [], [number for docs in lists.values() for _, number, _ in docs]
    if bare is not None and layout.kind == "run" and numbers.count(None) == len(numbers):
        has = f"; they have: {_keys_of(bare)}" if isinstance(bare, Mapping) else ""
        notes.append(f"the documents have no scores and are in the order of their lists{has}")
    return rows_of_lists(lists, layout, distances=distances, guessed=ranked, notes=notes)


Lists = dict[str, list[tuple[Any, Any, Any]]]
"""The documents of each topic: id, number, and what it costs to read one; None for a number that it lacks."""


class _Hash(str):
    """The id of a document that has none: the SHA-256 of its text."""


def documents_of(
    items: Iterable[Any], place: str, layout: Layout, form: Form, all_ids: Sequence[Any] | None = None
) -> list[tuple[Any, Any, Any]]:
    """The documents of a list. all_ids: where the items have the positions of documents in them."""
    names, is_run, documents = layout.reading.names, layout.kind == "run", list[tuple[Any, Any, Any]]()
    ids, cost = names.candidates("doc_id", form.docs), names.get(COST) if is_run else None
    values = names.candidates(layout.value, form.scores if is_run else (layout.value, "label"))
    for number, item in enumerate(items):
        here, doc, value = f"{place}, item {number}", item, None
        if isinstance(item, (tuple, list)) and not str(ids[0]).isdecimal():  # the user may name a place
            doc, value = item if len(item) == 2 else (None, "")
            if isinstance(value, str) and not isinstance(doc, str):
                needed = "a pair (document, score) is needed: the document comes first, then its score"
                raise InputError(f"{here}: {shown(item)}: {needed}.")
        elif not isinstance(item, (str, int)):
            value = _number_in(item, values)
        if value is None and not is_run and not form.topics:
            has = f"it has: {_keys_of(item)}" if isinstance(item, Mapping) else "a pair or a record is needed"
            what = f"{' or '.join(map(str, values[:2]))} is missing"
            raise InputError(f"{here}: {shown(item)}: {what}; {has}.")
        doc_id = _id_of(doc, ids, "doc_id" not in names.needed, here)
        if not form.topics and doc_id == _FILLER:
            continue
        if all_ids is not None:
            if not isinstance(doc_id, Integral) or not 0 <= int(doc_id) < len(all_ids):
                what = f"{shown(doc_id)} is not a position in the {len(all_ids)} documents"
                raise InputError(f"{place}: {what}.")
            doc_id = all_ids[int(doc_id)]
            doc_id = doc_id.item() if isinstance(doc_id, np.generic) else doc_id
        documents.append((doc_id, number_of(value), None if cost is None else _cost_of(doc, cost, here)))
    return documents


def _number_in(item: Any, names: Iterable[Any]) -> Any:
    """The first value of these names that a document has, or its metadata have."""
    holders = (item, *(value_in(item, name) for name in _METADATA))
    return next((value for each in holders if (value := _first_at(each, names)) is not None), None)


def _cost_of(doc: Any, cost: Any, place: str) -> float:
    """What it costs to read a document, by a name or a function of the user."""
    value = number_of(cost(doc) if callable(cost) else _number_in(doc, (cost,)))
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        has = f"cost {shown(value)}" if callable(cost) or value is not None else f"it has no {cost}"
        raise InputError(f"{place}: {shown(doc)}: {has}; a number >= 0 is needed.")
    return float(value)


def _id_of(doc: Any, names: tuple[Any, ...], plain: bool, place: str) -> Any:
    """The id of a document. plain: whether a text or a number is an id itself."""
    doc_id = _id_in(doc, names, plain)
    if doc_id is not None or doc is None:
        return doc_id
    content = getattr(doc, "page_content", None)  # of LangChain, where an id is optional
    if plain and isinstance(content, str):
        return _Hash(sha256(content.encode("utf-8", "surrogatepass")).hexdigest())
    usual = ", ".join(map(str, names[:4]))
    has = f"; it has: {_keys_of(doc)}" if isinstance(doc, Mapping) else ""
    raise InputError(f"{place}: {shown(doc)} has no id; it is looked for under {usual}{has}.")


def _id_in(item: Any, names: tuple[Any, ...], plain: bool) -> Any:
    if item is None or isinstance(item, (str, int, float)):
        return item if plain else None
    for name in names:
        value = value_at(item, name)
        if value is not None and not callable(value):
            return value
    inner = (_id_in(value_in(item, name), names, plain) for name in _INSIDE)
    return next((doc for doc in inner if doc is not None), None)


def rows_of_lists(
    lists: Lists,
    layout: Layout,
    *,
    ranked: bool = False,
    distances: bool = False,
    guessed: bool = False,
    notes: Iterable[str] = (),
) -> Read:
    """Rows of lists; where no document has a number, the lists are by rank.

    ranked: whether the places are ranks. distances: whether the form says that lower numbers are better.
    guessed: whether numbers that rise are taken for distances. notes: for the warning about what was read.
    """
    source, reading, is_run = layout.source, layout.reading, layout.kind == "run"
    topics = list(chain.from_iterable(repeat(topic, len(docs)) for topic, docs in lists.items()))
    ids, values, costs = ([doc[place] for docs in lists.values() for doc in docs] for place in range(3))
    if not is_run:  # documents without a grade are relevant
        values = [1 if value is None else value for value in values]
    unscored = [*map(type, values)].count(type(None))  # values may be arrays, which are equal to nothing
    if unscored and unscored < len(values) and not reading.without_scores:
        place = f"{source}, topic {topics[values.index(None)]}, document {ids[values.index(None)]}"
        remedy = f"others have one; {option('order', 'file')} takes the documents in the order of the lists"
        raise InputError(f"{place}: it has no score, and {remedy}.")
    if hashed := sum(isinstance(doc, _Hash) for doc in ids):
        what = "has no id; its id is" if hashed == 1 else "have no id; their ids are"
        warn(
            f"{source}: {counted(hashed, 'document')} {what} the SHA-256 of page_content, here and in qrels."
            " An id= for each document avoids that."
        )
    if notes:
        warn(f"{source}: {'; '.join(notes)}.")
    has_costs = is_run and COST in reading.names and bool(costs)
    if is_run and (unscored or not ids):
        by_rank: Any = dicts.read({topic: [doc for doc, *_ in docs] for topic, docs in lists.items()}, layout)
        return [replace(Rows.concat([*by_rank]), costs=np.array(costs))] if has_costs else by_rank
    table = {"query_id": topics, "doc_id": ids, layout.value: values}
    if is_run and (ranked or guessed or distances):
        distances = _are_distances(lists, layout, distances, guessed)
    if is_run and ranked:
        table[RANK] = list(chain.from_iterable(range(1, len(docs) + 1) for docs in lists.values()))
    if has_costs:
        table[COST] = costs
    lower = reading.lower_is_better or distances
    plain = replace(layout, reading=replace(reading, columns=None, keys=None, lower_is_better=lower))
    scored = rows_of_table(table, plain, source)
    return [replace(scored, universe=tuple(lists), named=frozenset(reading.names))]


def _are_distances(lists: Lists, layout: Layout, said: bool, guessed: bool) -> bool:
    """Whether the numbers are distances; InputError or a warning where their order says the contrary."""
    source, lower = layout.source, layout.reading.lower_is_better
    falls, rises = ([_is_in_order(docs, sign) for docs in lists.values()] for sign in (1, -1))
    same = all(falls) or all(rises)
    if guessed and not same and all(fall or rise for fall, rise in zip(falls, rises)):
        what = "the values fall in some lists and rise in others"
        raise InputError(f"{source}: {what}; the results of one search are needed.")
    if said or lower:
        if all(falls) and not all(rises):
            remedy = "; leave out lower_is_better" if lower else ""
            what = "the distances fall from the first document on, so they are similarities"
            raise InputError(f"{source}: {what}; give them as scores{remedy}.")
        if unordered := [topic for topic, rise in zip(lists, rises) if not rise]:
            what = (
                f"the distances of {counted(len(unordered), 'list')} do not rise from the first document on"
            )
            warn(f"{source}: {what} (for example topic {shown(unordered[0])}); they are sorted.")
        return True
    if not guessed or all(falls) or not all(rises):
        return False
    what = "the values rise from the first document on and are taken for distances"
    warn(f"{source}: {what}; {option('lower_is_better', True)} confirms.")
    return True


def _is_in_order(docs: Sequence[tuple[Any, Any, Any]], sign: int) -> bool:
    """Whether the values of a list fall (or, with -1, rise) from the first document on."""
    try:
        return all(sign * a >= sign * b for (_, a, _), (_, b, _) in pairwise(docs))
    except (TypeError, ValueError, OverflowError):  # of a value that is no number, which is refused later
        return False
