"""Data in memory: every form gives the same scores, and every mistake an error that names its place."""

import datetime
from collections import namedtuple
from types import SimpleNamespace

import ir_measures
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from messages import check, complaint, refused

from ir_trunc import InputError, IrTruncWarning, Rankings, calc, rank, read_answers, read_qrels, read_run
from ir_trunc._read.readers import memory
from ir_trunc.truncation import Fixed, ScoreThreshold

pl = pytest.importorskip("polars")
MEASURES = "AP RR P@2 nDCG RBPT OIE APT c@1"
QRELS = {"9": {"7": 2, "10": 0, "è": 1}, "10": {"7": 0}, "11": {"8": 1}}
RUN = {"10": {"7": 1.5}, "9": {"10": 2.0, "è": 0.25, "7": 0.25, "x,\"'": -3.0}, "11": {"8": 4.0, "7": 5.0}}
QRELS_ROWS = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
RUN_ROWS = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
NAMED = {"run": RUN_ROWS, "qrels": QRELS_ROWS}
VALUE = {"run": "score", "qrels": "relevance"}
IDS = sorted({name for row in RUN_ROWS + QRELS_ROWS for name in row[:2]})
EXPECTED = calc(MEASURES, QRELS, RUN)


def frame(kind):
    return pd.DataFrame(NAMED[kind], columns=["query_id", "doc_id", VALUE[kind]])


def table(kind):
    """A pyarrow table, its ids as plain strings."""
    topics, docs, values = zip(*NAMED[kind])
    return pa.table({"query_id": pa.array(topics), "doc_id": pa.array(docs), VALUE[kind]: pa.array(values)})


def ids_as(kind, dtype):
    return frame(kind).astype({"query_id": dtype, "doc_id": dtype})


def arrow_ids(kind, change):
    """The table with its id columns changed."""
    columns = table(kind)
    for place, name in enumerate(["query_id", "doc_id"]):
        columns = columns.set_column(place, name, change(columns[name]))
    return columns


def polars_ids(kind, dtype):
    return pl.from_arrow(table(kind)).with_columns(pl.col("query_id", "doc_id").cast(dtype))


def in_chunks(kind):
    """Every row a chunk of its own."""
    whole = table(kind)
    return pa.concat_tables([whole.slice(at, 1) for at in range(len(whole))])


def of_records(kind):
    make = ir_measures.ScoredDoc if kind == "run" else ir_measures.Qrel
    return [make(*row) for row in NAMED[kind]]


def string_views(column):
    """What polars' categories look like."""
    codes = column.combine_chunks().dictionary_encode()
    texts = codes.dictionary.cast(pa.string_view())
    return pa.DictionaryArray.from_arrays(codes.indices.cast(pa.uint32()), texts)


FORMS = {
    "list of named tuples": of_records,
    "generator of named tuples": lambda kind: iter(of_records(kind)),
    "pandas": frame,
    "pandas object": lambda kind: ids_as(kind, object),
    "pandas string": lambda kind: ids_as(kind, "string[python]"),
    "pandas arrow string": lambda kind: ids_as(kind, "string[pyarrow]"),
    "pandas categories": lambda kind: ids_as(kind, "category"),
    "pandas categories of numbers": lambda kind: frame(kind).astype({"query_id": int}).astype(
        {"query_id": "category"}
    ),
    "pandas numbers as topics": lambda kind: frame(kind).astype({"query_id": int}),
    "pandas more columns": lambda kind: frame(kind).assign(iteration="0", rank=None, tag="x")[
        ["tag", "rank", VALUE[kind], "doc_id", "iteration", "query_id"]
    ],
    "polars": lambda kind: pl.from_arrow(table(kind)),
    "polars categories": lambda kind: polars_ids(kind, pl.Categorical),
    "polars enum": lambda kind: polars_ids(kind, pl.Enum(IDS)),
    "pyarrow": table,
    "pyarrow chunks": in_chunks,
    "pyarrow large": lambda kind: arrow_ids(kind, lambda column: column.cast(pa.large_string())),
    "pyarrow views": lambda kind: arrow_ids(kind, lambda column: column.cast(pa.string_view())),
    "pyarrow dictionaries": lambda kind: arrow_ids(kind, lambda column: column.dictionary_encode()),
    "pyarrow dictionaries of views": lambda kind: arrow_ids(kind, string_views),
    "pyarrow a dictionary per chunk": lambda kind: pa.concat_tables([
        pa.table({n: part[n] if n == VALUE[kind] else part[n].dictionary_encode() for n in part.column_names})
        for part in (table(kind).slice(0, 2), table(kind).slice(2))
    ]),
    "pyarrow batch": lambda kind: table(kind).to_batches()[0],
    "pyarrow reader": lambda kind: in_chunks(kind).to_reader(),
}  # fmt: skip


def same(results, expected=EXPECTED):
    return results.topics == expected.topics and results.values.tobytes() == expected.values.tobytes()


@pytest.mark.parametrize("form", FORMS)
def test_a_run_and_qrels_in_this_form(form):
    assert same(calc(MEASURES, QRELS, FORMS[form]("run")))
    assert same(calc(MEASURES, FORMS[form]("qrels"), RUN))


@given(run=st.permutations(RUN_ROWS), qrels=st.permutations(QRELS_ROWS))
def test_the_order_of_rows_changes_no_score(run, qrels):
    runs = pd.DataFrame(run, columns=["query_id", "doc_id", "score"])
    assert same(calc(MEASURES, [ir_measures.Qrel(*row) for row in qrels], runs))


def test_rankings_hold_their_own_judgments():
    rankings = Rankings.from_lists([[0, 1]], judged=[[1, 1, 0]])
    assert calc("RR AP", None, rankings).values[:, 0].tolist() == [1 / 2, 1 / 4]
    refused(InputError, "NumRet", calc, "NumRet", None, rankings)
    refused(InputError, "qrels", calc, "RR", None, RUN)


NOTHING = [{}, [], frame("run")[:0], table("run")[:0], pl.from_arrow(table("run")).clear()]


@pytest.mark.parametrize("nothing", NOTHING, ids=["dict", "list", "pandas", "pyarrow", "polars"])
def test_a_run_of_nothing_is_silent_everywhere(nothing):
    assert calc("RBPT RR NumRet", QRELS, nothing).values.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_a_named_tuple_of_one_s_own():
    mine = namedtuple("mine", "score doc_id query_id more")
    assert calc("RR", QRELS, [mine(1, "7", "9", None)]).values[0].tolist() == [1, 0, 0]
    pyterrier = namedtuple("pyterrier", "qid docno score")
    assert calc("RR", QRELS, [pyterrier("9", "7", 1)]).values[0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("more", [
    {"rank": 1}, {"id": 5}, {"label": "x"}, {"qid": "8", "docno": "a", "class": "z"},
], ids=lambda more: " ".join(more))  # fmt: skip
def test_an_object_may_have_more_than_a_row_and_others_less(more):
    first, second = (SimpleNamespace(query_id="9", doc_id=doc, score=1.0) for doc in "7x")
    vars(first).update(more)
    assert read_run([first, second]).to_dict() == {"9": {"7": 1.0, "x": 1.0}}


def test_the_fields_of_objects_may_lie_inside_of_them():
    inside = SimpleNamespace(query_id="9", score=1.0, document=SimpleNamespace(id="7"))
    assert read_run([inside], columns={"doc_id": "document.id"}).to_dict() == {"9": {"7": 1.0}}


# records and tuples
def records(rows, value):
    return [{"query_id": topic, "doc_id": doc, value: number} for topic, doc, number in rows]


def test_a_record_without_a_field_is_named_by_its_row():
    rows = records(RUN_ROWS, "score")
    del rows[2]["doc_id"]
    assert "run (records), row 2: doc_id is missing" in complaint(lambda: calc("AP", QRELS, rows))
    unnamed = [{"query_id": "1", "chunk": "a", "score": 1.0}]
    told = complaint(lambda: calc("AP", QRELS, unnamed))
    check(told, "has no column doc_id or docno", "list of documents, columns={'list': '...'} names it.")
    unscored = [{"query_id": "1", "doc_id": "a"}]
    assert "order='file' takes the rows as they stand." in complaint(lambda: calc("AP", QRELS, unscored))
    keyed, how = [{"day": "1", "q": "2", "doc_id": "a", "score": 1.0}], {"columns": {"query_id": "q"}}
    named = complaint(lambda: read_run(keyed, keys="day/q", **how))
    assert "'q' for query_id, which is one of keys='day/q': leave query_id out" in named
    assert "row 1: a dict is needed, not str" in complaint(lambda: calc("AP", QRELS, [rows[0], "x"]))


def test_a_tuple_in_another_order_or_of_another_length_is_refused():
    swapped = [(topic, score, doc) for topic, doc, score in RUN_ROWS]
    assert "run (tuples), row 0: doc_id 1.5 is float" in complaint(lambda: calc("AP", QRELS, swapped))
    told = complaint(lambda: calc("AP", QRELS, [RUN_ROWS[0], ("2", "b")]))
    assert "row 1: ('2', 'b'): (query_id, doc_id, score) is needed" in told


# lists by topic
def document(name, score=None, **metadata):
    """As LangChain's and Haystack's."""
    return SimpleNamespace(id=name, score=score, metadata=metadata)


LISTS = {
    "pairs": lambda doc, score: (doc, score),
    "LangChain": lambda doc, score: (document(doc), score),
    "an id in the metadata": lambda doc, score: (document(None, doc_id=doc), score),
    "search engines": lambda doc, score: {"_id": doc, "_score": score},
    "Haystack": document,
    "LlamaIndex": lambda doc, score: SimpleNamespace(node=document(doc), score=score),
}


@pytest.mark.needs("spans and stores")
@pytest.mark.parametrize("form", LISTS)
def test_lists_by_topic(form):
    """And with the opposite sign, as distances."""
    for sign in (1, -1):
        run = {q: [LISTS[form](doc, sign * score) for doc, score in docs.items()] for q, docs in RUN.items()}
        assert same(calc(MEASURES, QRELS, run, lower_is_better=sign < 0))


@pytest.mark.needs("spans and stores")
def test_a_silent_topic_among_lists_is_the_empty_list():
    assert calc("NumRet", QRELS, {"9": [], "11": [("8", 1.0)]}).values.tolist() == [[0, 0, 1]]


@pytest.mark.needs("spans and stores")
def test_the_mistakes_of_lists_by_topic():
    def told(*items):
        return complaint(lambda: calc("AP", QRELS, {"1": list(items)}))

    partly = "run (lists by topic), topic 1, document b: it has no score, and others have one"
    assert partly in told(("a", 1.0), "b")
    assert "the document comes first, then its score" in told((0.5, "a"))
    assert "item 0: {'score': 1.0} has no id" in told({"score": 1.0})
    assert partly in told(document("a", 1.0), document("b"))
    assert "has no id" in told((document(None), 1.0))


@pytest.mark.needs("spans and stores")
@pytest.mark.filterwarnings("ignore:.*of the 2 topics of the qrels are not in the run")
@pytest.mark.parametrize(("form", "has"), [
    (lambda doc: {"id": doc, "nearness": 1.0}, "; they have: id, nearness"),
    (lambda doc: {"id": doc, "metadata": {}, "page_content": "x"}, "; they have: id, metadata"),
    (document, ""),
])  # fmt: skip
def test_documents_without_scores_are_in_the_order_of_their_list(form, has):
    run = {"q": [form("b"), form("a")], "r": [form("c")]}
    told = f"the documents have no scores and are in the order of their lists{has}"
    for data in (run, (["q", "r"], [*run.values()])):
        with pytest.warns(IrTruncWarning, match=told):
            assert calc("RR", {"q": {"a": 1}, "r": {"c": 1}}, data).values.tolist() == [[0.5, 1]]
        with pytest.warns(IrTruncWarning, match=told):
            rankings = rank({"q": {"a": 1}, "r": {"c": 1}}, data)
        assert Fixed(1).cut(rankings).tolist() == [1, 1]
        refused(InputError, "the policy needs the scores of the documents", ScoreThreshold(0.5).cut, rankings)


def test_qrels_may_be_the_ids_of_the_relevant_documents():
    expected = calc(MEASURES, {"9": {"7": 1, "è": 1}, "10": {}, "11": {"8": 1}}, RUN)
    assert same(calc(MEASURES, {"9": {"7", "è"}, "10": [], "11": ["8"]}, RUN), expected)


def test_a_text_in_the_place_of_a_list_of_relevant_ids_is_refused():
    told = complaint(lambda: read_qrels({"1": ["a"], "2": "b"}))
    assert "qrels (dict), topic 2: {document: relevance} is needed, not str" in told


def test_answers_may_be_records():
    rows = [{"query_id": "1", "iteration": "0", "doc_id": "Paris", "relevance": 1}]
    assert calc("RR", read_answers(rows), {"1": ["Paris"]}).values.tolist() == [[1.0]]


FRAME = frame("run")


def complaint_of(qrels, run):
    return complaint(lambda: calc(MEASURES, qrels, run))


@pytest.mark.parametrize("topic", [0, 7])
def test_a_bad_id_in_a_dict_is_named_with_its_topic(monkeypatch, topic):
    """Whichever part of the run it stands in: no row is counted."""
    monkeypatch.setattr(memory, "PART", 3)
    run = {str(at): {"a": 1.0, (None if at == topic else "b"): 0.5} for at in range(9)}
    check(complaint_of(QRELS, run), "run", f"topic {topic}", "doc_id", "missing")
    check(complaint_of(QRELS, {**run, 1.5: {}, str(topic): {}}), "run", "query_id 1.5 is float")


@pytest.mark.needs("spans and stores")
def test_a_dict_without_dicts_inside_is_refused():
    check(complaint_of(QRELS, {"1": {"a": 1.0}, "2": 0.5}), "run", "topic 2", "float")
    check(complaint_of({"1": {"a": 1}, "2": ["a"]}, FRAME), "qrels", "topic 2", "list")
    check(complaint_of(QRELS, {"1": [["a"], ["b"]]}), "run", "topic 1")
    check(complaint_of(QRELS, {"1": [("a", 2.0, "x")]}), "run", "topic 1", "(document, score)")


@pytest.mark.parametrize("thing", [None, 5, b"path", object(), calc, datetime.date(2026, 1, 1)])
def test_an_object_of_a_wrong_type_is_named(thing):
    check(complaint_of(QRELS, thing), f"run of type {type(thing).__name__}", "query_id, doc_id, score")
    if thing is not None:
        what = f"qrels of type {type(thing).__name__}"
        check(complaint_of(thing, FRAME), what, "query_id, doc_id, relevance")


@pytest.mark.parametrize("items", [
    [("1", "a")],
    ["1 Q0 a 1 2.0 sys"], {"1"},
    [None], [ir_measures.Qrel("1", "a", 1)], [namedtuple("Odd", "asked doc_id score")("1", "a", 1.0)],
], ids=["tuples", "lines", "set", "None", "qrels", "other names"])  # fmt: skip
def test_items_without_fields_are_refused_with_the_fields_that_are_needed(items):
    check(complaint_of(QRELS, items), "run", "query_id", "doc_id", "score")
