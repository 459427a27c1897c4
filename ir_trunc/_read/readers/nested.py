"""Records inside records: lists of documents by topic, in every form that `FORMS` declares.

A new form is a row of `FORMS`. All forms end in the same rows, by `rows_of_lists`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain, islice, pairwise, repeat, zip_longest
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from ir_trunc._core.errors import InputError, counted, either, listed, nearest, option, repeated, shown, warn
from ir_trunc._read.arrow import joined_id, one_id, values_of
from ir_trunc._read.readers.memory import dicts, first_item, has_name, value_at, value_in
from ir_trunc._read.reading import RANK, Layout
from ir_trunc._read.registry import Table, reader, shape_of
from ir_trunc._read.rows import Rows
from ir_trunc._read.tables import COST, DISTANCES, LIST, OWN_IDS, records_of_frame, rows_of_table, usual
from ir_trunc._read.text import number_of, read_json

Read = Table | Iterable[Rows]

# Names of a document's id and number, and those whose value may have them.
_IDS = (*OWN_IDS, *usual("doc_id"))
_SCORES = usual("score")
_INSIDE = ("node", "document", "metadata", "meta", "_additional")
_METADATA = ("metadata", "meta")

_ROWS = ("doc_id", "docno", "corpus-id")  # names of the document in a row
_ASKED = (*usual("topic"), "question", "query", "user_input")  # names of the topic of a record

_SAMPLE = 100  # records by which their form is recognised
_FILLER, _LARGEST = -1, 3e38  # FAISS fills a list that is too short with this position, and a distance above


class Form(NamedTuple):
    """A form of records that hold lists of documents. Paths have dots; the first that a record has counts."""

    name: str  # such data in messages
    lists: tuple[str, ...]  # paths to the documents, in the order of their ranks
    topics: tuple[str, ...] = ()  # paths to the topic; none where it stands beside the record
    judged: tuple[str, ...] = ()  # paths to the relevant documents, where the records are qrels, too
    records: tuple[str, ...] = ()  # paths to the records, where the data hold more than them
    docs: tuple[str, ...] = _IDS  # names of the id of a document
    scores: tuple[str, ...] = _SCORES  # names of its score
    beside: str = ""  # path to the distances, where they are in a list of their own
    cited: str = ""  # path to sentences whose citations give the order of the documents
    golden: bool = False  # whether `answerable` says that there is none, and one may stand alone
    signs: tuple[str, ...] = ()  # other names by which a record is recognised, which may lack its list
    check: Callable[[Any, str], None] | None = None  # InputError where a record is not whole

    def is_in(self, record: Any, kind: str = "") -> bool:
        """Whether a record has this form, and what data of a kind are read from."""
        if self.topics and _first_at(record, self.topics) is None:
            return False
        if self.cited and value_at(record, self.cited) is None:
            return False
        paths = {"run": self.lists, "qrels": self.judged}.get(kind, (*self.lists, *self.judged))
        documents = _first_at(record, paths)
        if self.golden and isinstance(documents, (str, int)):
            return True
        if not self.topics and not isinstance(documents, (list, tuple)):
            documents = None  # as the hits of Elasticsearch, which hold more than documents
        has_sign = any(not isinstance(value_in(record, name), (Real, type(None))) for name in self.signs)
        return has_sign or _as_list(documents) is not None


def _one_query(response: Any, place: str) -> None:
    """InputError where Chroma's response is not that of one query."""
    values = [value_in(response, name) for name in ("ids", "distances")]
    are_single = all(isinstance(v, list) and len(v) == 1 and isinstance(v[0], list) for v in values)
    if not are_single or len(values[0][0]) != len(values[1][0]):
        needed = "one list of Chroma's ids and one of distances are needed"
        raise InputError(f"{place}: {needed}: include=['distances'].")


def _whole_response(response: Any, place: str) -> None:
    """InputError where a response is an error or a part of the result."""
    error, hits = value_in(response, "error"), value_in(response, "hits")
    if error is not None or not isinstance(hits, Mapping):
        raise InputError(f"{place}: the response is an error: {shown(error)}.")
    shards = value_in(response, "_shards") or {}
    if not isinstance(shards, Mapping):
        raise InputError(f"{place}: _shards is {shown(shards)}: an object is needed.")
    failed = shards.get("failed", 0)
    if value_in(response, "timed_out") or failed:
        why = f"{failed} shards failed" if failed else "it timed out"
        raise InputError(f"{place}: the response is a part of the result: {why}.")
    hits = hits.get("hits")
    if not isinstance(hits, list):
        raise InputError(f"{place}: hits.hits is {shown(hits)}: a list is needed, empty for no documents.")
    if any(isinstance(hit, Mapping) and hit.get("_score", 0) is None for hit in hits):
        raise InputError(f"{place}: _score is null, as in sorted hits; track_scores=True gives scores.")


# fmt: off
_GOLD = tuple(
    f"{what}_{of}" for what in ("expected", "relevant", "gold", "reference", "ground_truth") for of in (
        "docs", "doc", "doc_ids", "doc_id", "documents", "document_ids", "document_id",
        "sources", "source", "ids", "chunks", "chunk_ids", "context_ids", "passages",
    )
)

FORMS = (
    # Of 2023 and 2024 in a list, with the passages of the first response; of 2025 each.
    Form("turns of iKAT", ("responses.0.passage_provenance", "references"),
         topics=("turn_id", "metadata.turn_id"), records=("turns",)),
    # Their references are in the order of their ids.
    Form("reports of RAGTIME", ("references",), topics=("metadata.topic_id", "topic_id"), cited="responses"),
    Form("answers of TREC RAG", ("references",),
         topics=("topic_id", "metadata.topic_id", "narrative_id", "metadata.narrative_id")),
    Form("samples of ragas", ("retrieved_context_ids",), topics=("user_input",), records=("samples",),
         judged=("reference_context_ids",), signs=("retrieved_contexts", "reference_contexts")),
    Form("answers of MTRAGEval", ("contexts",), topics=("task_id",), docs=("document_id", *_IDS)),
    Form("questions of DPR", ("ctxs",), topics=("q_id", "id", "question")),
    # Of LangSmith, spans of MLflow, observations of Langfuse.
    Form("retrieval runs", ("outputs.documents", "outputs", "output.documents", "output"),
         topics=("inputs.query", "inputs.question", "input.query", "input.question"),
         records=("data",), docs=(*_IDS, "metadata.doc_uri")),
    Form("results of RAGChecker", ("retrieved_context",), topics=("query_id",), records=("results",)),
    Form("questions of BioASQ", ("documents",), topics=("id",), judged=("documents",),
         records=("questions",), signs=("exact_answer", "ideal_answer")),
    Form("ratings of Elasticsearch's rank_eval, OpenSearch or Quepid", (), judged=("ratings",),
         topics=("id", "query_text", "query"), records=("requests", "judgmentRatings", "queries")),
    Form("golden sets", (), topics=_ASKED, judged=_GOLD, docs=(*_IDS, "source", "chunk_id"), golden=True,
         records=("questions", "queries", "examples", "test_cases", "cases", "samples", "data")),
    Form("search results by query",
         ("contexts", "ctxs", "documents", "results", "hits.hits", "hits", "references", "candidates",
          "docs", "retrieved_passages", "passages"),
         topics=("query.qid", *_ASKED), judged=("positive_passages", "answer_pids"),
         docs=("document_id", *_IDS)),
    # Of Solr, Vespa, Pinecone, Azure AI Search, OpenAI, Meilisearch, rerankers, Milvus and Weaviate, Bedrock,
    # Vertex AI.
    Form("responses",
         ("response.docs", "root.children", "matches", "value", "results", "data", "hits", "objects",
          "retrievalResults", "contexts.contexts", "records"),
         docs=("file_id", *_IDS, "index", "uuid", "objectID", "sourceUri",
               "metadata.x-amz-bedrock-kb-chunk-id", "location.s3Location.uri"),
         scores=(*_SCORES, "relevance", "@search.score", "_rankingScore")),
    Form("responses of Elasticsearch or OpenSearch", ("hits.hits",), signs=("hits", "_shards", "error"),
         check=_whole_response),
    Form("responses of Chroma", ("ids.0",), beside="distances.0", signs=("distances",), check=_one_query),
    Form("responses of Qdrant", ("points",)),
)
# fmt: on
"""The declared forms. Those with topics are records; the others are what a search for one query returns."""


_DOCUMENTS = Form("lists by topic", ())


def _first_at(record: Any, paths: Iterable[Any]) -> Any:
    """The value at the first path that the record has; None where it has none."""
    for path in paths:  # a generator takes twice the time
        value = value_at(record, path)
        if value is not None:
            return value
    return None


def _as_list(documents: Any) -> list[Any] | None:
    """The documents of a record; None where they are no list."""
    documents = documents.tolist() if hasattr(documents, "tolist") else documents
    documents = tuple(documents.items()) if isinstance(documents, Mapping) else documents
    return list(documents) if isinstance(documents, (list, tuple)) else None


def _records(data: Any, form: Form, source: str = "") -> Sequence[Any]:
    """The records in data of a form."""
    if shape_of(data) == "frame":
        return records_of_frame(data, source)
    inner = _first_at(data, form.records)
    data = data if inner is None else inner
    return [data] if isinstance(data, Mapping) else data


def _sampled(data: Any, form: Form) -> list[Any]:
    """The first records in data of a form."""
    if shape_of(data) == "frame":
        return [dict.fromkeys(getattr(data, "column_names", getattr(data, "columns", ())), ())]
    records = _records(data, form)
    is_list = isinstance(records, Collection) and getattr(records, "ndim", 1) == 1  # matrices hold no records
    return list(islice(records, _SAMPLE)) if is_list else []


def form_of_records(data: Any, kind: str = "") -> Form | None:
    """The declared form of records with topics that hold data of a kind; None where there is none."""
    if type(data).__module__.startswith("ir_datasets"):  # to look into a data set is to download it
        return None
    samples: dict[tuple[str, ...], list[Any]] = {}
    for form in (form for form in FORMS if form.topics):
        if form.records not in samples:
            records = _sampled(data, form)
            samples[form.records] = [record for record in records if _first_at(record, _ROWS) is None]
        if any(form.is_in(record, kind) for record in samples[form.records]):
            return form
    return None


def has_list(data: Any, layout: Layout) -> bool:
    """Whether records have the list that the user named, or need it."""
    names = layout.reading.names
    if LIST not in names or LIST in names.needed:
        return LIST in names
    return any(value_at(record, names[LIST]) is not None for record in _sampled(data, _DOCUMENTS))


@reader(
    "records with a topic and a list of documents each",
    recognises=lambda data: form_of_records(data) is not None,
    columns=True,
    shapes="mapping list frame object",
)
def nested_records(data: Any, layout: Layout) -> Read:
    """Answers of TREC's RAG track, turns of iKAT, answers of MTRAGEval, questions of DPR, samples of ragas.

    Samples have user_input, retrieved_context_ids and, as qrels, reference_context_ids. Results of RAGChecker
    stand below results, questions of BioASQ, which are qrels as well, below questions. Retrieval runs of
    LangSmith, spans of MLflow and observations of Langfuse have inputs and outputs. Other search results
    have query_id or query, and contexts, ctxs, documents, docs, results, hits, references, candidates or
    passages; as qrels, positive_passages or answer_pids. The order of a list is its rank; reports of RAGTIME
    are in the order in which their sentences cite. Qrels are golden sets, too, with relevant_sources,
    expected_docs, expected_doc_id or gold_ids, for example, where an empty list, null and `answerable: false`
    make a nil query, and judgments of Elasticsearch's rank_eval, OpenSearch and Quepid.
    columns={"list": "contexts", "query_id": "qid", "doc_id": "id"} names the parts of other records; dots
    lead into records, as in "metadata.id".
    """
    names = layout.reading.names
    if has_list(data, layout):
        form = Form("records", (names[LIST],), _ASKED, judged=(names[LIST],), golden=True)
    else:
        form = form_of_records(data, layout.kind) or form_of_records(data) or _DOCUMENTS
    source = f"{layout.kind} ({form.name})"
    layout = replace(layout, source=source)
    fields = Fields(layout, form)
    names.check(names.values(), (LIST, "query_id", *fields.possible), source)
    paths = form.lists if layout.kind == "run" else form.judged
    if not paths:
        them = "judgments, and hold no run" if layout.kind == "run" else "a run, and hold no judgments"
        raise InputError(f"{source}: they are {them}.")
    pairs, strange, joined = False, 0, list[str]()
    lists, records = Lists(), _records(data, form, source)
    if shape_of(records) != "list":
        raise InputError(f"{source}: {shown(data)}: records with a topic and a list each are needed.")
    keys = layout.reading.nesting
    for number, record in enumerate(records):
        place = f"{source}, item {number}"
        topic = fields.value("query_id", record, form.topics)
        if keys is not None and all(has_name(record, name) for name in keys.names):
            topic = tuple(value_in(record, name) for name in keys.names)
        found = _first_at(record, paths)
        if form.golden and layout.kind == "qrels":
            joined += [found] if isinstance(found, str) and "," in found else []
            found = _gold(record, found, paths, place)
        documents = _as_list(found)
        if form.cited and documents is not None:
            documents, unknown = _by_citation(documents, value_at(record, form.cited))
            strange += unknown
        if topic is None or documents is None:
            topics = names.candidates("query_id", form.topics)
            needed = f"{either([*map(str, topics)])}, and a list at {either(paths[:9])}"
            raise InputError(f"{place}: {needed} are needed; it has: {_keys_of(record)}.")
        topic = one_id(joined_id(topic, keys, place), "topic", place)
        if topic in lists:
            raise InputError(f"{place}: topic {topic} is in an item before; each topic needs one.")
        pairs |= not isinstance(found, Mapping) and isinstance(first_item(found), (list, tuple))
        lists[topic] = documents_of(documents, f"{place}, topic {topic}", fields)
    if strange:
        warn(f"{source}: {counted(strange, 'citation')} of what is not among the references does not count.")
    if joined:
        several = f"{counted(len(joined), 'text')} with commas, {shown(joined[0])} for example"
        warn(f"{source}: {several}: each is taken for one document; several need a list, ['a', 'b'].")
    fields.found.update({LIST: len(lists)} if names.get(LIST) in paths else {})
    if pairs and "doc_id" not in names:
        what = f"pairs in the lists are taken for (document, {layout.value})"
        warn(f"{source}: {what}; {option('columns', {'doc_id': 0})} takes the first of a pair alone.")
    return rows_of_lists(lists, layout, fields, ranked=True)


def _gold(record: Any, documents: Any, paths: Iterable[str], place: str) -> Any:
    """The relevant documents of a question of a golden set, of which there are none if it has no answer."""
    answerable = value_in(record, "answerable")
    if documents is None and (answerable is False or any(has_name(record, path) for path in paths)):
        documents = []
    if isinstance(documents, str) and not documents.strip():
        raise InputError(f"{place}: the text of its documents is empty; [] says that there is no answer.")
    if isinstance(documents, (str, int)):
        documents = [documents]
    if isinstance(answerable, bool) and documents is not None and answerable is not (len(documents) > 0):
        what = f"answerable is {answerable}, and it has {counted(len(documents), 'document')}"
        raise InputError(f"{place}: {what}; one of the two is wrong.")
    return documents


def _by_citation(documents: list[Any], sentences: Any) -> tuple[list[Any], int]:
    """The references of a report in the order in which its sentences cite them, others behind them.

    Beside them the number of citations of anything else.
    """
    if not all(isinstance(doc, str) for doc in documents):
        return documents, 0
    citations = [value_in(sentence, "citations") for sentence in _as_list(sentences) or ()]
    are_listed = ((each, isinstance(each, (list, tuple, Mapping))) for each in citations if each is not None)
    cited = chain.from_iterable(each if is_list else [each] for each, is_list in are_listed)
    named = [documents[doc] if isinstance(doc, int) and -1 < doc < len(documents) else doc for doc in cited]
    place_of = {doc: place for place, doc in reversed([*enumerate(named)]) if isinstance(doc, str)}
    references = {*documents}
    strange = sum(not isinstance(doc, str) or doc not in references for doc in named)
    return sorted(documents, key=lambda doc: place_of.get(doc, len(named))), strange


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
    is_json = any(text.startswith(("[{", "[ {")) for text in texts)
    item = next((docs[0] for docs in data.values() if isinstance(docs, (list, tuple)) and docs), None)
    is_pair = isinstance(item, list) and len(item) == 2
    return is_json or is_pair or isinstance(item, (tuple, Mapping)) or _is_document(item)


def _is_document(item: Any) -> bool:
    """Whether this is an object that a retriever returns for a document."""
    has = any(hasattr(item, name) for name in (*_SCORES, *_METADATA, *_IDS, "page_content", "payload"))
    return has and not isinstance(item, (str, bytes, int, float, set, frozenset))


@reader(
    '{topic: [(document, <value>), {"id": document, "<value>": number} or an object, ...]}',
    recognises=_are_lists,
    columns=True,
    called="lists by topic",
    shapes="mapping",
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
    shapes="mapping list object",
    kinds="run",
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
    if (twice := repeated(topics)) is not None:
        raise InputError(f"{layout.source}: topic {shown(twice)} is given twice.")
    ids = data[2] if len(data) == 3 else None
    if isinstance(ids, Mapping) and {*ids} == {*range(len(ids))}:
        ids = [ids[place] for place in range(len(ids))]
    if ids is not None:
        if not _is_list(ids) or getattr(ids, "ndim", 1) != 1 or isinstance(ids, (set, frozenset)):
            raise InputError(f"{layout.source}: documents {shown(ids)}: a list of the ids is needed.")
        ids = values_of(ids)  # of a column of pandas, [0] is the row of the label 0
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
    if form is None:
        return None
    if not form.beside:
        return [results]
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
    is_tuple = type(data) is tuple and len(data) in (2, 3)
    return is_tuple and _is_list(data[0]) and _by_query(data[1]) is not None


def _is_list(data: Any) -> bool:
    """Whether data are items one after another; an array without dimensions, though iterable, has none."""
    return isinstance(data, Iterable) and shape_of(data) in ("list", "frame")


def _results(
    results: Mapping[Any, Any], layout: Layout, ranked: bool = False, ids: Sequence[Any] | None = None
) -> Read:
    """The rows of {topic: result}. ids: of all documents, where results have their positions in them."""
    source, fields = layout.source, Fields(layout)
    layout.reading.names.check(layout.reading.names.values(), fields.possible, source)
    lists, distances, are_records = Lists(), False, False
    for topic, result in results.items():
        place = f"{source}, topic {shown(topic)}"
        topic = one_id(joined_id(topic, layout.reading.nesting, place), "query_id", place)
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
            if form.beside:
                items, distances = zip(items, _first_at(result, [form.beside])), True
        if not _is_list(items) or isinstance(items, (set, frozenset)):  # whose order is no ranking
            raise InputError(f"{place}: {shown(result)}: a list of its documents is needed.")
        items = items if isinstance(items, (list, tuple)) else [*items]
        are_records |= any(not isinstance(item, (str, Integral)) for item in items)
        fields.form = form or _DOCUMENTS
        lists.setdefault(topic, []).extend(documents_of(items, place, fields, ids))
    return rows_of_lists(lists, layout, fields, distances=distances, guessed=ranked, are_records=are_records)


Doc = tuple[Any, Any, Any, Any]  # id, number, what it costs to read it, and rank; None for what it lacks
Lists = dict[str, list[Doc]]


class Fields:
    """The names of fields in records; those that the user gave are found in the data or refused.

    found, defaults: how often a field had the name that the user gave, and a usual one instead. hashed: how
    many documents have no id, which is then the SHA-256 of their text.
    """

    def __init__(self, layout: Layout, form: Form = _DOCUMENTS):
        self.names, self.layout, self.form = layout.reading.names, layout, form
        self.is_run = layout.kind == "run"
        self.possible = ("doc_id", layout.value, *((RANK, COST) if self.is_run else ()))
        self.found, self.defaults, self.distances, self.hashed = Counter[str](), Counter[str](), 0, 0
        self.example: Any = None  # a document

    def value(
        self, field: str, record: Any, names: Iterable[Any], read: Any = _first_at, read_usual: Any = None
    ) -> Any:
        """The value of a field of a record, under the name of the user or else a usual one; None without."""
        if field in self.names:
            value = read(record, (self.names[field],))
            if value is not None or field in self.names.needed:
                self.found[field] += value is not None
                return value
        value = (read_usual or read)(record, names)
        if self.names:
            self.defaults[field] += value is not None
        return value

    def number(self, item: Any) -> Any:
        """The score or the grade of a document that is a record; distances are counted."""
        field = self.layout.value
        value = self.value(field, item, self.form.scores if self.is_run else usual(field), _number_in)
        if value is None and self.is_run and field not in self.names.needed:
            value = _number_in(item, DISTANCES)
            self.distances += value is not None
        elif value is None and not self.is_run:  # a grade that is there, and is null, is no judgment
            value = "" if _has(item, self.names.candidates(field, usual(field))) else None
        return value

    def has_other_numbers(self) -> bool:
        """Whether a document has a number under a name that is not read: the score or the grade, perhaps."""
        record = self.example if isinstance(self.example, Mapping) else {}
        ids = self.names.candidates("doc_id", self.form.docs)
        return any(isinstance(value, Real) and name not in ids for name, value in record.items())

    def check(self) -> frozenset[str]:
        """The fields that had the names of the user; InputError where a needed one had not."""
        source = self.layout.source
        for field in () if self.example is None else ("query_id", *self.possible):
            name, found = self.names.get(field), self.found[field]
            is_missing = field in self.names.needed and field in self.possible and not found
            if is_missing or (found and self.defaults[field]):
                what = f"{'some items have no' if found else 'no document has'} {name!r}"
                has = f"which columns names for {field}; documents have: {_keys_of(self.example)}"
                known = map(str, self.example) if isinstance(self.example, Mapping) else ()
                raise InputError(f"{source}: {what}, {has}.{nearest(str(name), known)}")
        return frozenset(field for field, count in self.found.items() if count)


def documents_of(
    items: Iterable[Any], place: str, fields: Fields, all_ids: Sequence[Any] | None = None
) -> list[Doc]:
    """The documents of a list. all_ids: where the items have the positions of documents in them."""
    form, layout, documents = fields.form, fields.layout, list[Doc]()
    cost = fields.names.get(COST) if fields.is_run else None
    names = fields.names.candidates(layout.value, usual(layout.value))
    at_place = str(fields.names.get("doc_id", "")).isdecimal()  # the user may name a place of a tuple
    for number, item in enumerate(items):
        here, doc, value, rank = f"{place}, item {number}", item, None, None
        fields.example = item if fields.example is None else fields.example
        if isinstance(item, (tuple, list)) and not at_place:
            doc, value = item if len(item) == 2 else (None, "")
            if isinstance(value, str) and not isinstance(doc, str):
                needed = "a pair (document, score) is needed: the document comes first, then its score"
                raise InputError(f"{here}: {shown(item)}: {needed}.")
            value = "" if value is None and not fields.is_run else value  # no judgment
        elif not isinstance(item, (str, int)):
            value = fields.number(item)
            rank = fields.value(RANK, item, usual(RANK)) if fields.is_run else None
        if value is None and not fields.is_run and not form.topics:
            has = f"it has: {_keys_of(item)}" if isinstance(item, Mapping) else "a pair or a record is needed"
            raise InputError(f"{here}: {shown(item)}: {either([*map(str, names[:2])])} is missing; {has}.")
        doc_id = _id_of(doc, fields, here)
        if not form.topics and isinstance(doc_id, Real) and doc_id == _FILLER:
            continue
        if all_ids is not None:
            if not isinstance(doc_id, Integral) or not 0 <= int(doc_id) < len(all_ids):
                what = f"{shown(doc_id)} is not a position in the {len(all_ids)} documents"
                raise InputError(f"{place}: {what}.")
            doc_id = all_ids[int(doc_id)]
        costs = None if cost is None else _cost_of(doc, cost, here)
        documents.append((doc_id, number_of(value), costs, number_of(rank)))
    if cost is not None and documents:
        fields.found[COST] += 1
    return documents


def _number_in(item: Any, names: Iterable[Any]) -> Any:
    """The first value of these names that a document has, or its metadata have."""
    value = _first_at(item, names)
    if value is not None:
        return value
    holders = (value_in(item, name) for name in _METADATA)
    inner = (_first_at(holder, names) for holder in holders if holder is not None)
    return next((value for value in inner if value is not None), None)


def _has(item: Any, names: Iterable[Any]) -> bool:
    """Whether a document has one of these names, or its metadata have, where the value may be null."""
    holders = (item, *(value_in(item, name) for name in _METADATA))
    return any(has_name(each, name) for each in holders if each is not None for name in names)


def _cost_of(doc: Any, cost: Any, place: str) -> float:
    """What it costs to read a document, by a name or a function of the user."""
    value = number_of(cost(doc) if callable(cost) else _number_in(doc, (cost,)))
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        has = f"cost {shown(value)}" if callable(cost) or value is not None else f"it has no {cost}"
        raise InputError(f"{place}: {shown(doc)}: {has}; a number >= 0 is needed.")
    return float(value)


def _id_of(doc: Any, fields: Fields, place: str) -> Any:
    """The id of a document; a text or a number is an id itself, but where the user names where to look."""
    plain, names = "doc_id" not in fields.names.needed, fields.form.docs
    is_plain = doc is None or isinstance(doc, (str, int, float))
    doc_id = doc if is_plain and plain else fields.value("doc_id", doc, names, _id_in, _ID_OR_TEXT)
    if doc_id is not None or doc is None:
        return doc_id
    content = getattr(doc, "page_content", None)  # of LangChain, where an id is optional
    if plain and isinstance(content, str):
        fields.hashed += 1
        return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    looked = ", ".join(map(str, fields.names.candidates("doc_id", names)[:4]))
    has = f"; it has: {_keys_of(doc)}" if isinstance(doc, Mapping) else ""
    raise InputError(f"{place}: {shown(doc)} has no id; it is looked for under {looked}{has}.")


def _id_in(item: Any, names: tuple[Any, ...], plain: bool = False) -> Any:
    if item is None or isinstance(item, (str, int, float)):
        return item if plain else None
    for name in names:
        value = value_at(item, name)
        if value is not None and not callable(value):
            return value
    inner = (_id_in(value_in(item, name), names, plain) for name in _INSIDE)
    return next((doc for doc in inner if doc is not None), None)


_ID_OR_TEXT = partial(_id_in, plain=True)


def rows_of_lists(
    lists: Lists,
    layout: Layout,
    fields: Fields,
    *,
    ranked: bool = False,
    distances: bool = False,
    guessed: bool = False,
    are_records: bool = False,
    notes: Iterable[str] = (),
) -> Read:
    """Rows of lists; where no document has a number, the lists are by rank.

    ranked: whether the places are ranks. distances: whether the form says that lower numbers are better.
    guessed: whether numbers that rise are taken for distances. are_records: whether documents without scores
    probably had some. notes: for the warning about what was read.
    """
    source, reading, is_run, named = layout.source, layout.reading, layout.kind == "run", fields.check()
    lists, ranks = _by_ranks(lists, layout) if is_run else (lists, None)
    topics = list(chain.from_iterable(repeat(topic, len(docs)) for topic, docs in lists.items()))
    ids, values, costs = ([doc[place] for docs in lists.values() for doc in docs] for place in range(3))
    if all(value is None for value in values):
        if not notes and ((are_records and is_run) or (ranks is None and fields.has_other_numbers())):
            order = f"scores and are in the order of their {'lists' if ranks is None else 'ranks'}"
            has = f"; they have: {_keys_of(fields.example)}" if isinstance(fields.example, Mapping) else ""
            notes = [f"the documents have no {order if is_run else 'grades and count as relevant'}{has}"]
        values = values if is_run else [1] * len(values)
    unscored = [*map(type, values)].count(type(None))  # values may be arrays, which are equal to nothing
    if unscored and unscored < len(values) and not (is_run and reading.without_scores):
        place = f"{source}, topic {topics[values.index(None)]}, document {ids[values.index(None)]}"
        remedy = f"; {option('order', 'file')} takes the documents in the order of the lists"
        raise InputError(f"{place}: it has no {layout.value}, and others have one{remedy if is_run else ''}.")
    if fields.hashed:
        what = "has no id; its id is" if fields.hashed == 1 else "have no id; their ids are"
        what = f"{counted(fields.hashed, 'document')} {what} the SHA-256 of page_content, here and in qrels"
        warn(f"{source}: {what}. An id= for each document avoids that.")
    if notes:
        warn(f"{source}: {'; '.join(notes)}.")
    has_costs = is_run and COST in reading.names and bool(costs)
    if is_run and (unscored or not ids):
        by_rank: Any = dicts.read({topic: [doc for doc, *_ in docs] for topic, docs in lists.items()}, layout)
        return [replace(Rows.concat([*by_rank]), costs=np.array(costs))] if has_costs else by_rank
    table = {"query_id": topics, "doc_id": ids, layout.value: values}
    if is_run and (ranked or guessed or distances or fields.distances):
        distances = _are_distances(lists, layout, distances, guessed, fields.distances == len(values))
    if ranks is not None:
        table[RANK] = ranks
    elif is_run and ranked:
        table[RANK] = list(chain.from_iterable(range(1, len(docs) + 1) for docs in lists.values()))
    if has_costs:
        table[COST] = costs
    lower = reading.lower_is_better or distances
    plain = replace(layout, reading=replace(reading, columns=None, keys=None, lower_is_better=lower))
    scored = rows_of_table(table, plain, source)
    return [replace(scored, universe=tuple(lists), named=named)]


def _by_ranks(lists: Lists, layout: Layout) -> tuple[Lists, list[Any] | None]:
    """The lists, in the order of their ranks where these decide, and the ranks of all documents."""
    source, order = layout.source, layout.reading.order
    docs = [*chain.from_iterable(lists.values())]
    ranks, unscored = [rank for *_, rank in docs], all(number is None for _, number, *_ in docs)
    decide = order == "rank" or (unscored and order != "file")
    if None in ranks and (not decide or ranks.count(None) == len(ranks)):
        return lists, None
    for topic, listed_docs in lists.items() if decide else ():
        seen = set[Any]()
        for doc, _, _, rank in listed_docs:
            problem = "it has no rank, and others have one" if rank is None else ""
            if not problem and not (isinstance(rank, Real) and rank == rank // 1):
                problem = f"rank {shown(rank)} is not a whole number"
            if problem or rank in seen:
                problem = problem or f"rank {rank:g} is in the list twice"
                remedy = f"{option('order', 'file')} takes the documents in the order of the lists"
                raise InputError(f"{source}, topic {topic}, document {doc}: {problem}; {remedy}.")
            seen.add(rank)
    if unscored and decide:
        return {topic: sorted(docs, key=lambda doc: doc[3]) for topic, docs in lists.items()}, None
    return lists, ranks


def _are_distances(lists: Lists, layout: Layout, said: bool, guessed: bool, called: bool) -> bool:
    """Whether the numbers are distances; InputError or a warning where their order says the contrary.

    said: whether the form says so. guessed: whether numbers that rise are. called: whether the names say so.
    """
    source, lower = layout.source, layout.reading.lower_is_better
    falls, rises = ([_is_in_order(docs, sign) for docs in lists.values()] for sign in (1, -1))
    same = all(falls) or all(rises)
    if guessed and not same and all(fall or rise for fall, rise in zip(falls, rises)):
        what = "the values fall in some lists and rise in others"
        raise InputError(f"{source}: {what}; the results of one search are needed.")
    if called and not lower and all(falls) and not all(rises):
        what = "the values called distance fall from the first document on and are taken for similarities"
        warn(f"{source}: {what}; {option('columns', {'score': 'distance'})} confirms.")
        return False
    if said or lower or called:
        if all(falls) and not all(rises):
            remedy = "; leave out lower_is_better" if lower else ""
            what = "the distances fall from the first document on, so they are similarities"
            raise InputError(f"{source}: {what}; give them as scores{remedy}.")
        unordered = [topic for topic, rise in zip(lists, rises) if not rise]
        if unordered:
            what = f"the distances of {counted(len(unordered), 'list')} do not rise from the first document"
            warn(f"{source}: {what} on (for example topic {shown(unordered[0])}); they are sorted.")
        return True
    if not guessed or all(falls) or not all(rises):
        return False
    what = "the values rise from the first document on and are taken for distances"
    warn(f"{source}: {what}; {option('lower_is_better', True)} confirms.")
    return True


def _is_in_order(docs: Sequence[Doc], sign: int) -> bool:
    """Whether the values of a list fall (or, with -1, rise) from the first document on."""
    try:
        return all(sign * a[1] >= sign * b[1] for a, b in pairwise(docs))
    except (TypeError, ValueError, ArithmeticError, Warning):  # of what is no number, which is refused later
        return False
