"""Records with a list of documents each, of declared forms, of stores, or as the user names them."""

from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from messages import check, complaint, refused
from written import json_lines, put

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, calc, calc_aggregate, evaluator, read_qrels, read_run
from ir_trunc._cli.main import main

pl = pytest.importorskip("polars")

DOCS = [{"meta": {"key": "a"}, "sim": 0.9}, {"meta": {"key": "b"}, "sim": 0.5}]
RECORDS = [{"q": {"id": 7}, "found": {"docs": DOCS}}, {"q": {"id": 8}, "found": {"docs": []}}]
NAMES = {"list": "found.docs", "query_id": "q.id", "doc_id": "meta.key", "score": "sim"}


def test_any_records_are_read_by_the_names_of_their_parts(tmp_path):
    path = json_lines(tmp_path / "records.jsonl", RECORDS)
    for data in (RECORDS, path):
        rows = read_run(data, columns=NAMES)
        assert rows.to_dict() == {"7": {"a": 0.9, "b": 0.5}, "8": {}}
        assert rows.universe == ("7", "8")
        assert calc("RR NumRet", {"7": {"b": 1}}, data, columns=NAMES).values.tolist() == [[0.5], [2]]
    json_lines(path, RECORDS[:1])
    assert read_run(path, columns=NAMES).to_dict() == {"7": {"a": 0.9, "b": 0.5}}


def test_lists_without_scores_are_by_rank_and_the_usual_names_need_no_naming():
    records = [{"qid": "1", "contexts": [{"id": "a"}, {"id": "b"}]}]
    columns = {"list": "contexts"}
    assert calc("RR", {"1": {"b": 1}}, records, columns=columns).values.tolist() == [[0.5]]
    assert read_qrels(records, columns=columns).to_dict() == {"1": {"a": 1, "b": 1}}


@pytest.mark.parametrize(("record", "part"), [
    ({"qid": "2"}, " or user_input, and a list at contexts are needed; it has: qid"),
    ({"contexts": []}, "a list at contexts are needed; it has: contexts"),
    ({"qid": "2", "contexts": "a"}, "it has: qid, contexts"),
    ({f"name {n}": 0 for n in range(99)}, "it has: name 0, name 1, "),
    ({"qid": "1", "contexts": []}, "topic 1 is in an item before"),
    ({"qid": "2", "contexts": [{"id": "a"}]}, "topic 2, document a: it has no score, and others have one"),
])  # fmt: skip
def test_the_mistakes_of_records(record, part):
    records = [{"qid": "1", "contexts": [{"id": "a", "score": 1.0}]}, record]
    message = complaint(lambda: read_run(records, columns={"list": "contexts"}))
    check(message, part, "run (records)")
    assert len(message) < 400


SCORED = [{"id": "b", "score": 0.9, "text": "x"}, {"id": "a", "score": 0.5, "text": "y"}]
DECLARED = {
    "iKAT 2023": {"run_name": "mine", "turns": [
        {"turn_id": "1", "responses": [{"rank": 1, "text": "x", "passage_provenance": SCORED}]},
        {"turn_id": "2", "responses": [{"rank": 1, "text": "x", "passage_provenance": []}]},
    ]},
    "iKAT 2025": [
        {"turn_id": "1", "references": {"b": 0.9, "a": 0.5}, "responses": [{"rank": 1, "text": "x"}]},
        {"metadata": {"turn_id": "2", "topic_id": "7"}, "references": {}},
    ],
    "TREC RAG 2024": [
        {"run_id": "r", "topic_id": "1", "topic": "x", "references": SCORED, "answer": [{"citations": [1]}]},
        {"run_id": "r", "topic_id": "2", "topic": "y", "references": [], "answer": []},
    ],
    "TREC RAG 2025": [
        {"metadata": {"narrative_id": 1}, "references": {"b": 0.9, "a": 0.5}, "answer": []},
        {"metadata": {"narrative_id": 2}, "references": [], "answer": []},
    ],
    "DPR": [
        {"question": "1", "answers": ["x"], "ctxs": [doc | {"score": str(doc["score"])} for doc in SCORED]},
        {"question": "2", "answers": [], "ctxs": []},
    ],
    **{
        f"{name} as {type(docs).__name__}": [{"query_id": "1", name: docs}, {"query_id": "2", name: []}]
        for name in ("contexts", "ctxs", "documents", "results", "hits", "references")
        for docs in (SCORED, {"b": 0.9, "a": 0.5})
    },
    "LangSmith": [
        {"id": "x", "run_type": "retriever", "inputs": {"query": "1"}, "outputs": {"documents": [
            {"page_content": "x", "metadata": {"id": doc["id"], "score": doc["score"]}} for doc in SCORED
        ]}},
        {"id": "y", "run_type": "retriever", "inputs": {"query": "2"}, "outputs": {"documents": []}},
    ],
    "hits of a response": [
        {"query": "1", "hits": {"hits": [{"_id": "b", "_score": 0.9}, {"_id": "a", "_score": 0.5}]}},
        {"query": "2", "hits": {"hits": []}},
    ],
}  # fmt: skip


def documents(doc_id, score):
    return [put(put({"text": "x"}, doc_id, doc["id"]), score, doc["score"]) for doc in SCORED]


# The path of the topic, that of the list, and those of id and score of a document.
for name, topic, path, *of_document in (
    ("MTRAGEval", "task_id", "contexts", "document_id", "score"),
    ("rank_llm", "query.qid", "candidates", "docid", "score"),
    ("ALCE", "question", "docs", "id", "score"),
    ("RAGChecker", "query_id", "retrieved_context", "id", "score"),
    ("MLflow", "inputs.query", "outputs", "metadata.doc_uri", "metadata.score"),
    ("Langfuse", "input.query", "output", "id", "score"),
):
    pair = (("1", documents(*of_document)), ("2", []))
    DECLARED[name] = [put(put({"name": "x"}, topic, query), path, docs) for query, docs in pair]
DECLARED |= {"RAGChecker": {"results": DECLARED["RAGChecker"]}, "Langfuse": {"data": DECLARED["Langfuse"]}}


@pytest.mark.parametrize("form", DECLARED)
def test_a_declared_form_is_the_run_of_its_lists(tmp_path, form):
    data = DECLARED[form]
    files = [json_lines(tmp_path / "whole.json", [data])]
    if isinstance(data, list):
        files.append(json_lines(tmp_path / "lines.jsonl", data))
    for run in (data, *files):
        rows = read_run(run)
        assert rows.to_dict() == {"1": {"b": 0.9, "a": 0.5}, "2": {}}
        assert rows.universe == ("1", "2")


RESPONSES = {
    "Vertex AI, RAG": {"contexts": {"contexts": [
        {"sourceUri": doc["id"], "sourceDisplayName": "x", "score": doc["score"]} for doc in SCORED
    ]}},
    "LanceDB": [{"id": doc["id"], "_relevance_score": doc["score"]} for doc in SCORED],
    "file search of OpenAI": {"id": "x", "type": "file_search_call", "results": [
        {"file_id": doc["id"], "filename": "x", "score": doc["score"]} for doc in SCORED
    ]},
    "Weaviate": SimpleNamespace(objects=[
        SimpleNamespace(
            uuid=doc["id"], properties={}, metadata=SimpleNamespace(distance=None, score=doc["score"])
        )
        for doc in SCORED
    ]),
}  # fmt: skip
RESPONSES |= {
    name: put({"note": "x"}, path, documents(*of_document))
    for name, path, *of_document in (
        ("Solr", "response.docs", "id", "score"),
        ("Vespa", "root.children", "id", "relevance"),
        ("Pinecone", "matches", "id", "score"),
        ("Azure AI Search", "value", "id", "@search.score"),
        ("OpenAI", "data", "file_id", "score"),
        ("Meilisearch", "hits", "id", "_rankingScore"),
        ("Bedrock", "retrievalResults", "location.s3Location.uri", "score"),
        ("Vertex AI, ranking", "records", "id", "score"),
    )
}
BY_RANK = {
    "Typesense": {"found": 2, "hits": [{"document": {"id": name}, "text_match": 7} for name in "ba"]},
    "Vertex AI Search": {"totalSize": 2, "results": [{"id": n, "document": {"id": n}} for n in "ba"]},
    "Algolia": {"nbHits": 2, "hits": [{"objectID": name, "title": "x"} for name in "ba"]},
    "GraphQL of Weaviate": [{"title": "x", "_additional": {"id": name, "distance": 0.5}} for name in "ba"],
    "rows of SQL": [{"id": name, "nearness": 0.5} for name in "ba"],
}


@pytest.mark.parametrize("name", RESPONSES)
def test_the_response_of_a_store_is_the_list_of_its_topic(name):
    for run in ({"1": RESPONSES[name]}, (["1"], [RESPONSES[name]])):
        assert read_run(run).to_dict() == {"1": {"b": 0.9, "a": 0.5}}
    refused(InputError, r"without their topics|topic|query_id", read_run, RESPONSES[name])


@pytest.mark.parametrize("name", BY_RANK)
def test_other_numbers_are_not_taken_for_scores(name):
    for run in ({"1": BY_RANK[name]}, (["1"], [BY_RANK[name]])):
        with pytest.warns(IrTruncWarning, match="no scores and are in the order of their lists; they have: "):
            assert [*read_run(run).to_dict()["1"]] == ["b", "a"]


OF_DISTANCES = {
    "Milvus": {"code": 0, "data": [{"id": name, "distance": d} for name, d in (("b", 0.25), ("a", 0.5))]},
    "LanceDB": [{"id": name, "_distance": d, "vector": [1.0]} for name, d in (("b", 0.25), ("a", 0.5))],
}


@pytest.mark.parametrize("name", OF_DISTANCES)
def test_what_is_called_distance_is_a_distance(name):
    for run in ({"1": OF_DISTANCES[name]}, (["1"], [OF_DISTANCES[name]])):
        assert read_run(run).to_dict() == {"1": {"b": -0.25, "a": -0.5}}
        assert calc("RR", {"1": {"b": 1}}, run).rankings.universe.lower_is_better


def test_distances_that_fall_in_their_lists_are_similarities():
    run = {"1": [{"id": "b", "distance": 0.5}, {"id": "a", "distance": 0.25}]}  # of Milvus, inner products
    with pytest.warns(match=r"taken for similarities; columns=\{'score': 'distance'\} confirms"):
        assert read_run(run).to_dict() == {"1": {"b": 0.5, "a": 0.25}}
    assert read_run(run, columns={"score": "distance"}).to_dict() == {"1": {"b": 0.5, "a": 0.25}}


def test_a_reranker_returns_positions_in_the_documents():
    results = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.5}]
    found = ["1"], [{"id": "x", "results": results}], ["a", "b"]
    assert read_run(found).to_dict() == {"1": {"b": 0.9, "a": 0.5}}


JUDGED = {
    "BioASQ": {"questions": [
        {"id": "1", "body": "?", "type": "factoid", "documents": ["a", "b"], "exact_answer": [["x"]]},
        {"id": "2", "body": "?", "type": "summary", "documents": [], "ideal_answer": ["x"]},
    ]},
    "Tevatron": [
        {"query_id": "1", "positive_passages": [{"docid": "a"}, {"docid": "b"}], "negative_passages": []},
        {"query_id": "2", "positive_passages": [], "negative_passages": [{"docid": "a"}]},
    ],
    "LoTTE": [{"qid": 1, "query": "?", "answer_pids": ["a", "b"]}, {"qid": 2, "answer_pids": []}],
}  # fmt: skip


@pytest.mark.parametrize("form", JUDGED)
def test_a_declared_form_is_the_judgments_of_its_lists(tmp_path, form):
    for qrels in (JUDGED[form], json_lines(tmp_path / "whole.json", [JUDGED[form]])):
        assert calc("NumRel", qrels, {"1": ["a"], "2": []}).values.tolist() == [[2, 0]]
    if isinstance(JUDGED[form], list):  # JSON lines of a single line
        line = json_lines(tmp_path / "line.jsonl", JUDGED[form][:1])
        assert read_qrels(line).to_dict() == {"1": {"a": 1, "b": 1}}
    if form == "BioASQ":
        assert calc("RR", {"1": {"b": 1}}, JUDGED[form]).values.tolist() == [[0.5]]


def test_pairs_of_a_title_and_a_sentence_are_not_taken_for_grades_without_a_word():
    records = [{"_id": "1", "supporting_facts": [["a", 0], ["a", 2], ["b", 3]]}]
    columns = {"list": "supporting_facts"}
    with pytest.warns(IrTruncWarning, match=r"pairs in the lists are taken for \(document, relevance\)"):
        complaint(lambda: read_qrels(records, columns=columns))
    with pytest.warns(IrTruncWarning, match="1 judgment is there twice"):
        assert read_qrels(records, columns=columns | {"doc_id": 0}).to_dict() == {"1": {"a": 1, "b": 1}}
    found = [{"id": 1, "predicted_evidence": [["b", 0], ["a", 3]]}]
    columns = {"list": "predicted_evidence", "doc_id": 0}
    assert calc("RR", {"1": {"a": 1}}, found, columns=columns).values.tolist() == [[0.5]]


def test_rows_with_a_list_among_their_fields_are_rows():
    row = {"query_id": "1", "doc_id": "a", "score": 0.5, "references": ["x"]}
    assert read_run([row]).to_dict() == {"1": {"a": 0.5}}


@pytest.mark.parametrize(("record", "docs"), [
    ({"id": 7, "contexts": {"b": 2.0}, "more": {"a": 1}}, {"7": {"b": 2.0}}),  # a column of several types
    ({"id": "2", "contexts": {"b": 2.0}, "more": "\ud800"}, {"2": {"b": 2.0}}),
    ({"id": "\ud800", "contexts": []}, r"item 1: topic '\\ud800' is not text that UTF-8 can hold"),
    ({"id": "2", "contexts": {"\ud800": 2.0}}, r"doc_id '\\ud800' is not text that UTF-8 can hold"),
    ({"id": None, "contexts": []}, r"item 1: query\.qid, .* are needed"),
    ({"id": "2"}, "item 1: .*a list at contexts"),
])  # fmt: skip
def test_frames_may_have_cells_that_arrow_lacks(record, docs):
    first = {"id": "1", "contexts": [{"id": "a", "score": 0.5}], "more": 0.5}
    frame = pd.DataFrame([first, record], dtype=object)
    if isinstance(docs, dict):
        assert read_run(frame).to_dict() == {"1": {"a": 0.5}} | docs
    else:
        refused(InputError, docs, read_run, frame)


def test_a_frame_with_a_column_twice_is_refused():
    table = pa.Table.from_pylist([{"query_id": "1", "contexts": [{"id": "a"}]}])
    table = table.append_column("contexts", table["contexts"])
    for frame in (table, pd.concat([table.select([n]).to_pandas() for n in (0, 1, 1)], axis=1)):
        told = complaint(lambda frame=frame: read_run(frame))
        check(told, "two columns are called contexts; each needs its own name")


def test_a_run_is_no_judgments():
    check(complaint(lambda: read_qrels(DECLARED["DPR"])), "qrels (questions of DPR): they are a run")


SAMPLES = [
    {"user_input": "who?", "retrieved_context_ids": ["a", "x"], "reference_context_ids": ["a"]},
    {"user_input": "when?", "retrieved_context_ids": [], "reference_context_ids": []},
]
SAMPLES_RUN, SAMPLES_QRELS = {"who?": ["a", "x"], "when?": []}, {"who?": {"a": 1}, "when?": {}}


@pytest.mark.parametrize("data", [
    SAMPLES, pd.DataFrame(SAMPLES), pl.DataFrame(SAMPLES), pa.Table.from_pylist(SAMPLES),
    SimpleNamespace(samples=[SimpleNamespace(**sample) for sample in SAMPLES]),
], ids=["dicts", "pandas", "polars", "pyarrow", "objects"])  # fmt: skip
def test_samples_are_a_run_and_qrels(data):
    results = calc("RBPT AP c@1", data, data)
    assert results.aggregated == calc_aggregate("RBPT AP c@1", SAMPLES_QRELS, SAMPLES_RUN)
    assert set(results.topics) == {*SAMPLES_QRELS}


def test_samples_without_ids_are_refused():
    with pytest.raises(InputError, match=r"item 1: .* list at retrieved_context_ids"):
        read_run([SAMPLES[0], {"user_input": "who?", "retrieved_contexts": ["text"]}])


@pytest.mark.parametrize(("answer", "part"), [
    ({"x": 1}, "narrative_id, and a list at references are needed; it has: x"),
    (5, "item 1: topic_id, "),
    ({"topic_id": 1.5, "references": []}, "topic 1.5 is float"),
    ({"topic_id": "3", "references": ["a", "a"]}, "topic 3, document a: it is in the list twice"),
    ({"topic_id": "3", "references": [None]}, "topic 3: doc_id is missing"),
])  # fmt: skip
def test_a_mistake_is_an_error_that_names_its_place(answer, part):
    first = {"topic_id": "1", "references": ["a", "b"], "answer": [{"citations": [1]}]}
    check(complaint(lambda: read_run([first, answer])), part, "run (answers of TREC RAG)")


@pytest.mark.parametrize("data", [5, None, True, 2.5, np.array(5), np.float64(2), object(), pd.Series([1])])
@pytest.mark.parametrize(
    "read", [read_run, read_qrels, lambda data, **how: calc("AP", {"1": {"a": 1}}, data, **how)]
)
def test_one_value_in_place_of_records_is_refused(data, read):
    needed = "records with a topic and a list each are needed|is a single column"
    with pytest.raises(InputError, match=f"{needed}|and a list at contexts are needed; it has: 1"):
        read(data, columns={"list": "contexts"})  # a column of an older pandas is a list


GOLD = {"1": {"a": 1}, "2": {}}
LABELS = {"1": {"a": 3, "b": 0}, "2": {}}
RATED = [{"_index": "i", "_id": "a", "rating": 3}, {"_index": "i", "_id": "b", "rating": 0}]
RATED_AS_TEXT = [{"docId": "a", "rating": "3.0"}, {"docId": "b", "rating": "0.0"}]
OF_GOLD = {
    "relevant_sources": ([
        {"id": "1", "question": "?", "relevant_sources": ["a"], "answerable": True},
        {"id": "2", "question": "?", "relevant_sources": [], "answerable": False},
    ], GOLD),
    "expected_doc_id": ([{"id": 1, "expected_doc_id": "a"}, {"id": 2, "expected_doc_id": None}], GOLD),
    "expected_docs, by question": ([
        {"question": "2", "expected_docs": [], "contexts": ["x"]}, {"question": "1", "expected_docs": ["a"]},
    ], GOLD),
    "answerable alone": (
        {"questions": [{"id": "2", "answerable": False}, {"id": "1", "gold_docs": [{"source": "a"}]}]}, GOLD
    ),
    "rank_eval": ({
        "requests": [{"id": "1", "request": {"query": {}}, "ratings": RATED}, {"id": "2", "ratings": []}],
        "metric": {"precision": {"k": 20}},
    }, LABELS),
    "OpenSearch": ({
        "judgmentRatings": [{"query": "1", "ratings": RATED_AS_TEXT}, {"query": "2", "ratings": []}],
    }, LABELS),
    "Quepid": ({
        "queries": [{"query_text": "1", "ratings": {"a": 3, "b": 0}}, {"query_text": "2", "ratings": {}}],
    }, LABELS),
}  # fmt: skip


@pytest.mark.parametrize("form", OF_GOLD)
def test_golden_sets_and_judgments_of_search_engines_are_qrels_at_every_door(tmp_path, capsys, form):
    data, grades = OF_GOLD[form]
    run = {"1": ["b", "a"], "2": []}
    json_lines(tmp_path / "run.json", [run])
    qrels = [data, json_lines(tmp_path / "gold.json", [data])]
    if isinstance(data, list):
        qrels += [json_lines(tmp_path / "gold.jsonl", data), pd.DataFrame(data)]
    for each in qrels:
        judgments = read_qrels(each)
        assert judgments.judgments.topics == ("1", "2")
        assert judgments.to_dict() == {topic: docs or {"__nil__": 0} for topic, docs in grades.items()}
        expected = calc("RR RBPT nDCG", grades, run).values.tolist()
        assert calc("RR RBPT nDCG", each, run).values.tolist() == expected
        assert evaluator("RR RBPT nDCG", each).calc(run).values.tolist() == expected
    words = [str(tmp_path / "gold.json"), str(tmp_path / "run.json"), "RR"]
    for command in ((), ("compare",)):
        assert main([*command, *words]) == 0
        assert "0.2500" in capsys.readouterr().out


def test_the_user_names_the_parts_of_a_golden_set():
    data = [
        {"key": "1", "asked": "?", "wanted": "a", "answerable": True},
        {"key": "2", "asked": "?", "wanted": None, "answerable": False},
    ]
    columns = {"list": "wanted", "query_id": "key"}
    assert calc("RBPT", data, {"1": ["a"]}, columns=columns).values.tolist() == [[1, 1]]
    assert read_qrels(data, columns=columns).to_dict() == {"1": {"a": 1}, "2": {"__nil__": 0}}


@pytest.mark.parametrize(("record", "part"), [
    ({"id": "2", "relevant_docs": ["a"], "answerable": False}, "answerable is False, and it has 1 document"),
    ({"id": "2", "relevant_docs": [], "answerable": True}, "answerable is True, and it has 0 documents"),
    ({"id": "2", "relevant_docs": None, "answerable": True}, "item 1: answerable is True"),
    ({"id": "2"}, "a list at "),
    ({"id": "2", "relevant_docs": ""}, "item 1: the text of its documents is empty; [] says that"),
    ({"relevant_docs": ["a"]}, "item 1: query_id, "),
    ({"id": "2", "relevant_docs": [{"name": "a"}]}, "has no id; it is looked for under id, _id"),
])  # fmt: skip
def test_the_mistakes_of_golden_sets(record, part):
    first = {"id": "1", "relevant_docs": ["a"], "answerable": True}
    check(complaint(lambda: calc("RR", [first, record], {"1": ["a"]})), part, "qrels (golden sets)")


def test_a_text_with_commas_is_one_document_of_a_golden_set_and_reported():
    data = [{"id": "1", "relevant_docs": "a, b"}, {"id": "2", "relevant_docs": "c"}]
    with pytest.warns(IrTruncWarning, match=r"1 text with commas, 'a, b' for example: each is taken for one"):
        assert read_qrels(data).to_dict() == {"1": {"a, b": 1}, "2": {"c": 1}}


def test_judgments_are_no_run():
    for data in (OF_GOLD["relevant_sources"][0], OF_GOLD["rank_eval"][0]):
        check(complaint(lambda data=data: read_run(data)), "they are judgments, and hold no run")


def test_ratings_of_quepid_as_csv(tmp_path):
    (tmp_path / "ratings.csv").write_text('query,docid,rating\n"a, b",x,3\n"a, b",y,0\nc,x,1\n')
    assert read_qrels(tmp_path / "ratings.csv").to_dict() == {"a, b": {"x": 3, "y": 0}, "c": {"x": 1}}


@pytest.mark.parametrize("grade", [None, "", float("nan")])
def test_ratings_that_are_blank_are_no_judgments(grade):
    for ratings in ({"a": 3, "b": grade}, [{"docId": "a", "rating": 3}, {"docId": "b", "rating": grade}]):
        with pytest.warns(IrTruncWarning, match="1 of 2 rows have no judgment"):
            assert read_qrels({"queries": [{"query": "1", "ratings": ratings}]}).to_dict() == {"1": {"a": 3}}


def report(topic, cited):
    sentences = [{"text": "x", "citations": citations} for citations in cited]
    references = sorted({doc for citations in cited for doc in citations})
    return {"metadata": {"topic_id": topic, "run_id": "r"}, "responses": sentences, "references": references}


@pytest.mark.parametrize("form", [list, lambda docs: dict.fromkeys(docs, 1.0)], ids=["ids", "confidence"])
def test_reports_of_ragtime_are_read_by_citation(form):
    reports = [report("1", [form("cb"), form("ab")]), report("2", [form("ba")]), report("3", [])]
    assert list(read_run(reports).to_dict()["1"]) == ["c", "b", "a"]
    assert calc("RR", {"1": {"c": 1}, "2": {"b": 1}, "3": {}}, reports).values.tolist() == [[1, 1, 0]]
    reports[0]["references"].append("d")  # which no sentence cites
    assert list(read_run(reports).to_dict()["1"]) == ["c", "b", "a", "d"]


def test_a_document_may_be_a_row_of_a_frame():
    docs = [pd.Series({"id": "b", "score": 0.9}), {"id": "a", "score": 0.5}]
    for run in ({"1": docs}, [{"query_id": "1", "contexts": docs}]):
        assert read_run(run).to_dict() == {"1": {"b": 0.9, "a": 0.5}}


@pytest.mark.parametrize("citation", [["z"], [b"b"], [7], {"of": ["b"]}])
def test_citations_of_anything_but_references_are_counted(citation):
    reports = [report("1", [["c"], ["a"], ["b"]])]
    reports[0]["responses"][2]["citations"] = citation
    with pytest.warns(IrTruncWarning, match="1 citation of what is not among the references does not count"):
        assert list(read_run(reports).to_dict()["1"]) == ["c", "a", "b"]


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
    (SimpleNamespace(**HITS), ["x", "y"]),
    (SimpleNamespace(ids=[["x", "y"]], distances=[[0.5, 2.0]]), ["x", "y"]),
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
    names = ["p", "q", "r"]
    sorted_names = pd.Series(names, index=[2, 0, 1])
    for ids in (names, np.array(names), pa.array(names), dict(enumerate(names)), sorted_names):
        assert orders((TOPICS, (-NEAR, PLACES), ids)) == {"a": ["p", "q"], "b": ["r"]}
    with pytest.raises(InputError, match="topic b: 2 is not a position in the 2 documents"):
        read_run((TOPICS, (-NEAR, PLACES), ["p", "q"]))


def test_values_that_rise_are_distances_and_a_warning_says_so():
    with pytest.warns(IrTruncWarning, match=r"rise .* taken for distances; lower_is_better=True confirms"):
        assert orders((TOPICS, (NEAR, PLACES))) == {"a": ["0", "1"], "b": ["2"]}
    assert orders((TOPICS, (NEAR, PLACES)), lower_is_better=True) == {"a": ["0", "1"], "b": ["2"]}
    assert orders((TOPICS, CHROMA), lower_is_better=True) == orders((TOPICS, CHROMA))
    message = "so they are similarities; give them as scores; leave out lower_is_better"
    refused(InputError, message, read_run, (TOPICS, (-NEAR, PLACES)), lower_is_better=True)


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
    *(((TOPICS, (-NEAR, PLACES), odd), "documents .*: a list of the ids is needed")
      for odd in (5, b"xyz", {"x", "y", "z"}, {"x": 0, "y": 1, "z": 2}, np.array([["x"], ["y"], ["z"]]))),
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


def test_lists_that_are_ranked_are_no_data_to_read():
    """They have a length, and are no iterable."""
    rankings = ir_trunc.rank({"a": {"x": 1}}, {"a": {"x": 1.0}})
    refused(InputError, "run of type Rankings: one of these is needed", read_run, rankings)
    refused(InputError, "qrels of type Rankings: one of these is needed", calc, "RR", rankings, {})


def test_distances_that_fall_are_similarities_and_unordered_ones_are_sorted():
    """Whoever says that they are distances: the form, or the user."""
    falling = {"ids": [["x", "y"]], "distances": [[0.9, 0.5]]}
    message = "the distances fall from the first document on, so they are similarities; give them as scores"
    for run, options in (
        ({"a": falling}, {}),
        ((["a"], falling), {}),
        ({"a": HITS}, {"lower_is_better": True}),
        ([{"qid": "a", "contexts": {"x": 0.9, "y": 0.5}}], {"lower_is_better": True}),
    ):
        refused(InputError, message, read_run, run, **options)
    unordered = {"ids": [["x", "y", "z"]], "distances": [[0.5, 0.9, 0.1]]}
    what = r"distances of 1 list do not rise .* \(for example topic 'a'\); they are sorted"
    with pytest.warns(IrTruncWarning, match=what):
        assert ir_trunc.calc("RR", {"a": {"z": 1}}, {"a": unordered}).values.tolist() == [[1]]


def test_whole_numbers_are_positions_whichever_comes_first():
    """`docs, scores = bm25s.retrieve(...)`, passed on as a pair."""
    assert orders((["a"], (np.array([[4, 2]]), np.array([[0.9, 0.5]])))) == {"a": ["4", "2"]}


def test_queries_without_any_result_are_empty_lists():
    assert read_run((TOPICS, [[], []])).universe == ("a", "b")


def test_a_lazy_frame_is_collected():
    frame = pl.LazyFrame({"query_id": ["1"], "doc_id": ["a"], "score": [0.5]})
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
