"""Runs and qrels in memory: every form gives the same scores, every wrong one an error that says where it is
wrong.
"""

import copy
import gzip
from collections import namedtuple
from pathlib import Path

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_datasets.formats import TrecQrels, TsvQueries
from ir_datasets.util import LocalDownload

from ir_trunc import InputError, Rankings, calc, calc_aggregate, compare, iter_calc

pl = pytest.importorskip("polars")

MEASURES = "AP RR P@2 nDCG RBPT OIE APT c@1"
QRELS = {"9": {"7": 2, "10": 0, "è": 1}, "10": {"7": 0}, "11": {"8": 1}}
RUN = {"10": {"7": 1.5}, "9": {"10": 2.0, "è": 0.25, "7": 0.25, "x,\"'": -3.0}, "11": {"8": 4.0, "7": 5.0}}

QRELS_ROWS = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
RUN_ROWS = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
NAMED = {"run": RUN_ROWS, "qrels": QRELS_ROWS}
VALUE = {"run": "score", "qrels": "relevance"}


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


def in_chunks(kind, change=lambda part: part):
    """Every row a chunk of its own."""
    whole = table(kind)
    return pa.concat_tables([change(whole.slice(at, 1)) for at in range(len(whole))])


def small_values(kind):
    whole = table(kind)
    return whole.set_column(2, VALUE[kind], whole[2].cast(pa.float32() if kind == "run" else pa.int8()))


def of_records(kind):
    make = ir_measures.ScoredDoc if kind == "run" else ir_measures.Qrel
    return [make(*row) for row in NAMED[kind]]


def dictionary_of(type_):
    return lambda column: column.cast(type_).dictionary_encode()


def string_views(column):
    """What polars' categories look like."""
    codes = column.combine_chunks().dictionary_encode()
    return pa.DictionaryArray.from_arrays(
        codes.indices.cast(pa.uint32()), codes.dictionary.cast(pa.string_view())
    )


def ids_of(kind):
    return sorted({id for row in NAMED[kind] for id in row[:2]})


PYTERRIER = {"run": "score", "qrels": "label"}
FORMS = {
    "dict of dicts": lambda kind: {"run": RUN, "qrels": QRELS}[kind],
    "dict with numpy values": lambda kind: {
        q: {d: np.float64(v) if kind == "run" else np.int32(v) for d, v in docs.items()}
        for q, docs in {"run": RUN, "qrels": QRELS}[kind].items()
    },
    "list of named tuples": of_records,
    "generator of named tuples": lambda kind: iter(of_records(kind)),
    "rows of a frame": lambda kind: frame(kind).itertuples(),
    "pandas": frame,
    "pandas object": lambda kind: ids_as(kind, object),
    "pandas string": lambda kind: ids_as(kind, "string[python]"),
    "pandas arrow string": lambda kind: ids_as(kind, "string[pyarrow]"),
    "pandas categories": lambda kind: ids_as(kind, "category"),
    "pandas categories of numbers": lambda kind: frame(kind).astype({"query_id": int}).astype(
        {"query_id": "category"}
    ),
    "pandas numbers as topics": lambda kind: frame(kind).astype({"query_id": int}),
    "pandas nullable numbers": lambda kind: frame(kind).astype({"query_id": "Int64"}),
    "pandas shuffled": lambda kind: frame(kind).sample(frac=1, random_state=3),
    "pandas index of nonsense": lambda kind: frame(kind).set_axis([0] * len(NAMED[kind])),
    "pandas more columns": lambda kind: frame(kind).assign(iteration="0", rank=None, tag="x")[
        ["tag", "rank", VALUE[kind], "doc_id", "iteration", "query_id"]
    ],
    "PyTerrier": lambda kind: frame(kind).set_axis(["qid", "docno", PYTERRIER[kind]], axis=1),
    "polars": lambda kind: pl.from_arrow(table(kind)),
    "polars categories": lambda kind: polars_ids(kind, pl.Categorical),
    "polars enum": lambda kind: polars_ids(kind, pl.Enum(ids_of(kind))),
    "polars small": lambda kind: pl.from_arrow(small_values(kind)),
    "pyarrow": table,
    "pyarrow chunks": in_chunks,
    "pyarrow slices": lambda kind: pa.concat_tables([table(kind)] * 2).slice(len(NAMED[kind])),
    "pyarrow large": lambda kind: arrow_ids(kind, lambda column: column.cast(pa.large_string())),
    "pyarrow views": lambda kind: arrow_ids(kind, lambda column: column.cast(pa.string_view())),
    "pyarrow dictionaries": lambda kind: arrow_ids(kind, dictionary_of(pa.string())),
    "pyarrow large dictionaries": lambda kind: arrow_ids(kind, dictionary_of(pa.large_string())),
    "pyarrow dictionaries of views": lambda kind: arrow_ids(kind, string_views),
    "pyarrow a dictionary per chunk": lambda kind: pa.concat_tables([
        pa.table({n: part[n] if n == VALUE[kind] else part[n].dictionary_encode() for n in part.column_names})
        for part in (table(kind).slice(0, 2), table(kind).slice(2))
    ]),
    "pyarrow small": small_values,
    "pyarrow batch": lambda kind: table(kind).to_batches()[0],
    "pyarrow reader": lambda kind: in_chunks(kind).to_reader(),
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The run and the qrels as files."""
    folder = tmp_path_factory.mktemp("doors")
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in QRELS_ROWS), encoding="utf-8")
    text = "".join(f"{q}\tQ0\t{d}\t1\t{s}\tsys\n" for q, d, s in RUN_ROWS).encode()
    (folder / "run").write_bytes(text)
    (folder / "run.gz").write_bytes(gzip.compress(text))
    (folder / "topics").write_text("9\tnine\n10\tten\n11\televen\n12\ttwelve\n")
    return folder


@pytest.fixture(scope="module")
def expected(files):
    return calc(MEASURES, files / "qrels", files / "run")


def same(one, other):
    return one.topics == other.topics and np.array_equal(one.values, other.values)


@pytest.mark.parametrize("form", FORMS)
def test_a_run_in_this_form(files, expected, form):
    assert same(calc(MEASURES, files / "qrels", FORMS[form]("run")), expected)


@pytest.mark.parametrize("form", FORMS)
def test_qrels_in_this_form(files, expected, form):
    assert same(calc(MEASURES, FORMS[form]("qrels"), files / "run"), expected)


@pytest.mark.parametrize("form", [str, Path])
def test_paths_as_text_and_as_objects_plain_and_packed(files, expected, form):
    for name in ("run", "run.gz"):
        assert same(calc(MEASURES, form(files / "qrels"), form(files / name)), expected)


def test_the_scores_by_hand(expected):
    assert expected.topics == ("9", "10", "11")
    assert expected.to_pandas()["RR"].tolist() == [1 / 2, 0, 1 / 2]
    assert expected.to_pandas()["AP"].tolist() == [(1 / 2 + 2 / 3) / 2, 0, 1 / 2]


@given(run=st.permutations(RUN_ROWS), qrels=st.permutations(QRELS_ROWS))
def test_the_order_of_rows_changes_no_score(expected, run, qrels):
    runs = pd.DataFrame(run, columns=["query_id", "doc_id", "score"])
    assert same(calc(MEASURES, [ir_measures.Qrel(*row) for row in qrels], runs), expected)


@pytest.mark.parametrize(
    "form", ["dict of dicts", "list of named tuples", "pandas", "pandas categories", "pyarrow"]
)
def test_the_caller_s_objects_stay_as_they_are(form):
    objects = [FORMS[form]("qrels"), FORMS[form]("run")]
    before = copy.deepcopy(objects)
    calc(MEASURES + " NumRet", *objects)
    for now, then in zip(objects, before):
        assert now.equals(then) if hasattr(now, "equals") else now == then


def test_all_verbs_say_the_same(expected):
    aggregated, per_query = expected
    assert calc_aggregate(MEASURES, QRELS, RUN) == aggregated
    assert list(iter_calc(MEASURES, QRELS, RUN)) == per_query
    assert compare(MEASURES, QRELS, {"a": RUN}).to_pandas().loc["a"].tolist() == list(aggregated.values())
    long = compare(MEASURES, QRELS, {"a": frame("run"), "b": RUN}).by_topic()
    assert sorted(long.query("system == 'a'")["value"]) == sorted(m.value for m in per_query)


def test_a_table_of_systems_adds_up_as_the_other_verbs_do():
    """To the last bit; counts are sums over topics, as in ir_measures."""
    rng = np.random.default_rng(1)
    qrels = {str(topic): {str(doc): int(rng.integers(0, 3)) for doc in range(9)} for topic in range(97)}
    run = {topic: {doc: float(rng.random()) for doc in docs} for topic, docs in qrels.items()}
    means = calc_aggregate("NumRet AP nDCG RBPT", qrels, run)
    assert compare(means, qrels, {"a": run}).to_pandas().loc["a"].to_dict() == {
        str(measure): value for measure, value in means.items()
    }


def test_rankings_hold_their_own_judgments():
    rankings = Rankings.from_lists([[0, 1]], judged=[[1, 1, 0]])
    assert calc("RR AP", None, rankings).values[:, 0].tolist() == [1 / 2, 1 / 4]
    with pytest.raises(InputError, match="NumRet"):
        calc("NumRet", None, rankings)
    with pytest.raises(InputError, match="qrels"):
        calc("RR", None, RUN)


NOTHING = [{}, [], frame("run")[:0], table("run")[:0], pl.from_arrow(table("run")).clear()]


@pytest.mark.parametrize("nothing", NOTHING, ids=["dict", "list", "pandas", "pyarrow", "polars"])
def test_a_run_of_nothing_is_silent_everywhere(nothing):
    assert calc("RBPT RR NumRet", QRELS, nothing).values.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_a_topic_without_documents_is_a_topic():
    assert calc("RBPT", {"1": {"a": 1}, "2": {}}, {"1": {}, "2": {}}).values.tolist() == [[0, 1]]


class Place(LocalDownload):
    def __init__(self, path):
        super().__init__(path)


def dataset(files, *kinds):
    makers = {"qrels": lambda file: TrecQrels(file, {}), "topics": TsvQueries}
    return ir_datasets.Dataset(*(makers[kind](Place(files / kind)) for kind in kinds))


def test_a_data_set_by_id_and_as_object_brings_its_topics(files, expected):
    ir_datasets.registry.register("ir-trunc-doors", dataset(files, "qrels", "topics"))
    for form in ("ir-trunc-doors", ir_datasets.load("ir-trunc-doors"), dataset(files, "qrels", "topics")):
        results = calc(MEASURES + " NumRet", form, files / "run")
        assert results.topics == ("9", "10", "11", "12")
        assert np.array_equal(results.values[:-1, :3], expected.values)
        assert results.to_pandas().loc["12", ["RBPT", "RR", "NumRet"]].tolist() == [1, 0, 0]
    assert calc("RR", dataset(files, "qrels"), files / "run").topics == expected.topics


def test_a_data_set_without_qrels_says_so(files):
    ir_datasets.registry.register("ir-trunc-doors-bare", dataset(files, "topics"))
    for form in ("ir-trunc-doors-bare", ir_datasets.load("ir-trunc-doors-bare"), dataset(files, "topics")):
        with pytest.raises(InputError, match="no qrels"):
            calc("AP", form, RUN)
    with pytest.raises(FileNotFoundError, match=r"no-such-set.*ir_datasets"):
        calc("AP", "no-such-set", RUN)


def test_a_named_tuple_of_one_s_own():
    mine = namedtuple("mine", "score doc_id query_id more")
    assert calc("RR", QRELS, [mine(1, "7", "9", None)]).values[0].tolist() == [1, 0, 0]
