"""What holds for every result: it prints within 80 columns, escapes names and becomes a DataFrame.

A result is what a function of the library returns: scores, a comparison, a table. Each kind has instances in
`RESULTS` or `TABLES`, with names as long and as odd as they come. Kinds that are saved as JSON are
loaded to the last bit, and refuse files that hold something else.
"""

import gzip
import json
import math
import tempfile
import warnings
from dataclasses import FrozenInstanceError, fields, is_dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from calls import examples
from hypothesis import given, settings, strategies as st
from messages import refused

import ir_trunc
from ir_trunc import InputError, calc, cdet, compare, meta, truncation
from ir_trunc._reproduce.reproduction import Reproduction
from ir_trunc._saved import Saved
from ir_trunc._scoring.results import Result, Statement
from ir_trunc._scoring.tables import ResultTable
from ir_trunc.answers import abstention_curve, nauc, risk_coverage
from ir_trunc.meta.matrix import SystemResult
from ir_trunc.truncation import cross_validate, study

LONG = "<b>system</b>-with-a-name-" + "x" * 90
SYSTEMS = ["plain", LONG, "a\nline\tend", "ünïcode & co"]
MEASURES = "AP RBPT(p=0.9) nDCG(dcg='exp-log2')@10 c@1 RR"
DOCS = [f"d{at}" for at in range(8)]


def collection():
    rng = np.random.default_rng(4)
    topics = [str(topic) for topic in range(1, 9)]
    qrels = {topic: {doc: int(rng.integers(0, 3)) for doc in DOCS} for topic in topics}
    qrels["8"] = dict.fromkeys(DOCS, 0)
    runs, falling = {}, np.arange(8.0, 0, -1).tolist()
    for system in SYSTEMS:
        lists = {topic: rng.permutation(DOCS)[: rng.integers(1, 8)] for topic in topics}
        runs[system] = {topic: dict(zip(docs, falling)) for topic, docs in lists.items()}
    return qrels, runs


QRELS, RUNS = collection()
MATRIX = meta.score_matrix(MEASURES, QRELS, RUNS)
CHANGES = {"t/q/2024-01-01": {"a": 1}, "t/q/2024-01-02": {}}
LISTS = MATRIX.take(measures="AP RR nDCG(dcg='exp-log2')@10")
POOLS = meta.pooled_runs(QRELS, RUNS)
SCORED = calc(MEASURES, QRELS, RUNS[LONG], nil="ends")
WEIGHTED = ir_trunc.rank(QRELS, RUNS["plain"])
MANY = [{f"{q} {n}": docs for q, docs in data.items() for n in range(3)} for data in (QRELS, RUNS["plain"])]

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        documents = [{"doc_id": "a", "score": 1.0}]
        lists = {"2024-01-01": [{"qid": "q", "question-rank": 0, "doc-ranking": documents}]}
        Path(folder, SYSTEMS[3]).write_text(
            '{"runtag": "x", "description": "", "models": [], "extern": "none"}\n'
            f"{json.dumps({'topic': 't', 'results': lists})}\n"
        )
        TRACK = cdet.score({"t": ["q"]}, CHANGES, Path(folder, SYSTEMS[3]), absent="empty")
        TRACK_CHECK = cdet.check_runs({"t": ["q"]}, Path(folder, SYSTEMS[3]), days="2024-01-01..2024-01-02")
    ADVICE = ir_trunc.how_many(QRELS, RUNS["plain"], present=3)
    SHORT = ir_trunc.how_many(QRELS, RUNS[LONG], "c@1", price=350, policies="Greedy LargestGap", folds=2)

    JUDGED = ir_trunc.Judged(MANY[0], {q: docs for q, docs in MANY[0].items() if q < "5"})

POLICIES, CONDITIONS = "Greedy Fixed(k=2) LargestGap", ["AP worsens 0.1", "c@1 < 0.5", "passages > 3"]
FIGURES = {"table": "Table 1", "row": SYSTEMS, "column": "AP", "places": 2, "printed": 0.5}
FIGURES |= {"computed": [0.5, 0.6, 1, 0]}

RESULTS = {
    "judged": calc("RBPT(p=0.9) nDCG(dcg='exp-log2')@10 c@1", JUDGED, MANY[1]),
    "corrected": calc("RBPT c@1", JUDGED, MANY[1]).corrected,
    "agreement of a judge": JUDGED.agreement(),
    "Results": SCORED,
    "Explanation": SCORED.explain("1", "RBPT(p=0.9)"),
    "Explanation of a run": SCORED.explain("1", "c@1"),
    "Results of lists with scores": calc("AP CWS", None, WEIGHTED),
    "Aggregated": SCORED.aggregated,
    "Aggregated of counts": calc("NumRet NumQ", QRELS, RUNS["plain"]).aggregated,
    "Comparison": compare(MEASURES + " NumRet", QRELS, RUNS),
    "Comparison to a baseline": compare(MEASURES, QRELS, RUNS, baseline="plain", intervals=True, margin=0.2),
    "Gate": ir_trunc.check(CONDITIONS, QRELS, RUNS[LONG], baseline=RUNS["plain"]),
    "Abstention": SCORED.abstention,
    "Abstention without nil queries": SCORED.over(~SCORED.nil).abstention,
    "NilReport": study.nil_report({"x": {"1": ["a", "NIL", "b"], "2": ["a"], "3": ["NIL"]}}, depth=3),
    "Reproduction": Reproduction("A paper", LONG, ("a note",), pd.DataFrame(FIGURES)),
    "ScoreMatrix": MATRIX,
    "ScoreMatrix of conditions": meta.conditions("AP RBPT", POOLS, {"a": (1, 2), LONG: (None, 5)}),
    "Power": meta.power(MATRIX),
    "Power by draws": meta.power(LISTS, "bootstrap", correction="bh", repetitions=30),
    "Agreement": meta.agreement(MATRIX),
    "Agreement of p values": meta.agreement(meta.power(MATRIX), "rbo"),
    "ErrorRates": meta.error_rates(MATRIX, repetitions=10),
    "SwapRates": meta.swap_rates(MATRIX, repetitions=10),
    "Predictivity": meta.predictivity(MATRIX, repetitions=5),
    "Coverage": meta.coverage(LISTS, "AP RR"),
    "PoolGrid": meta.pool_grid("AP P", POOLS, [1, 2], [2, 3, 4, 5, 6, 7, 8, 9, 10]),
    "LeftOut": meta.leave_group_out("AP RBPT(p=0.9)", POOLS, 2),
    "Reference": meta.Reference.of(LISTS),
    "Verdicts": meta.properties("nDCG(dcg='exp-log2')", length=4)[0],
    "PropertyTable": meta.properties("AP RBPT(p=0.9) nDCG(dcg='exp-log2')", length=4),
    "ChangeScores": TRACK,
    "ChangeCheck": TRACK_CHECK,
    "Monitoring": truncation.LargestGap().fit(ir_trunc.rank(*MANY), "RBPT").monitor(MANY[1]),
    "HowMany": ADVICE,
    "HowMany with costs": SHORT,
    "Advice": meta.guide(length=False, first_n=False, weighted=True, one=False, recall=True, graded=True),
}
TABLES = {
    "cross_validate": cross_validate(POLICIES, "RBPT", QRELS, RUNS, folds=2, further_measures="AP c@1"),
    "compare, pairs": compare(MEASURES, QRELS, RUNS, baseline=LONG, margin={"AP": 0.1}).pairs(),
    "compare, by topic": compare("AP c@1", QRELS, RUNS).by_topic(),
    "compare, by view": compare("AP c@1", QRELS, RUNS).by_view(),
    "best_cuts": study.best_cuts(study.CUTS, QRELS, RUNS),
    "cuts": study.cuts(study.CUTS, QRELS, RUNS),
    "agreement": study.agreement(study.TRUNCATED, study.FULL, QRELS, RUNS),
    "example": study.example(),
    "abstention_curve": abstention_curve("AP RR", QRELS, RUNS[LONG]),
    "nauc": nauc("AP RR", QRELS, RUNS[LONG]),
    "risk_coverage": risk_coverage(QRELS, RUNS[LONG]),
}
RESULTS["calc, ties"] = ir_trunc.calc("AP RBPT", QRELS, RUNS[LONG], ties="expected").ties
EXAMPLES = {f"example of {name}": found for name, (_, found) in examples("ir_trunc.meta").items()}
RESULTS |= {name: found for name, found in EXAMPLES.items() if isinstance(found, Result)}
every_result = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
SAVED = {name: result for name, result in RESULTS.items() if isinstance(result, Saved)}
every_saved = pytest.mark.parametrize("result", SAVED.values(), ids=SAVED)
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
every_one = pytest.mark.parametrize("result", [*RESULTS.values(), *TABLES.values()], ids=[*RESULTS, *TABLES])


def kinds(of=Result):
    own = [sub for sub in of.__subclasses__() if sub.__module__.startswith("ir_trunc.")]
    return {kind for sub in own for kind in (sub, *kinds(sub))}


@pytest.mark.needs("labels by a model")
def test_every_result_is_held_to_the_laws():
    assert kinds() - {Saved, Statement, SystemResult} == {type(result) for result in RESULTS.values()}


def test_no_result_can_be_changed():
    for result in RESULTS.values():
        for field in fields(result) if is_dataclass(result) else ():
            with pytest.raises(FrozenInstanceError):
                setattr(result, field.name, None)


@every_one
def test_a_result_becomes_a_data_frame_and_its_summary_fits_80_columns(result):
    frame = result.to_pandas()
    assert type(frame) is pd.DataFrame
    assert len(frame)
    for text in (repr(result), str(result)):
        assert text.strip()
        assert max(map(len, text.splitlines())) <= 80, text
        assert not any(ord(char) < 32 for char in text.replace("\n", ""))


@every_table
def test_a_table_prints_all_of_its_columns(table):
    assert "..." not in repr(table).splitlines()[0]
    for column in table.columns:
        assert str(column) in repr(table)


@every_result
def test_names_are_escaped_in_a_notebook(result):
    shown = result._repr_html_()
    assert "<table" in shown
    assert "<b>" not in shown
    if "plain" in shown:
        assert "&lt;b&gt;system" in shown


@every_saved
@pytest.mark.parametrize("name", ["result.json", "result.json.gz"])
def test_what_is_saved_is_loaded_to_the_last_bit(result, name, tmp_path):
    result.save(tmp_path / name)
    loaded = type(result).load(tmp_path / name)
    loaded.save(tmp_path / f"again-{name}")
    first, again = ((tmp_path / file).read_bytes() for file in (name, f"again-{name}"))
    assert first == again
    assert repr(loaded) == repr(result)
    pd.testing.assert_frame_equal(loaded.to_pandas(), result.to_pandas(), check_exact=True)
    json.loads(gzip.decompress(first) if name.endswith(".gz") else first)


def texts_in(data, path=()):
    """The paths to texts in JSON, and of names that are data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, value in items:
        if isinstance(value, str) and value not in ("NaN", "Infinity", "-Infinity"):
            yield (*path, name)
        yield from texts_in(value, (*path, name))


def changed(data, path, value):
    """The data with another value at a path."""
    copy = data.copy()
    copy[path[0]] = changed(data[path[0]], path[1:], value) if path[1:] else value
    return copy


def variants(data):
    """JSON that is nearly what was saved."""
    content = json.loads(data)
    for name in content:
        yield {key: value for key, value in content.items() if key != name}
        yield content | {name: "other"}
        yield content | {name: True}
    yield content | {"more": 1}
    yield content["data"]
    inside = content["data"]
    if not isinstance(inside, dict):
        return
    changes = [{"more": 1}]
    for path in texts_in(inside):
        yield content | {"data": changed(inside, path, "\ud800")}
    for name, value in inside.items():
        yield content | {"data": {key: item for key, item in inside.items() if key != name}}
        changes += [{name: {"shape": [1, 1, 1, 1, 1], "values": [0.5]}}, {name: [[[]]]}]
        if value is not None:
            changes.append({name: True if not isinstance(value, bool) else 1})
        if isinstance(value, dict) and set(value) == {"shape", "values"}:
            longer = [value["shape"][0] + 1, *value["shape"][1:]]
            changes += [
                {name: value | {"values": value["values"][1:]}},
                {name: value | {"values": ["x", *value["values"][1:]]}},
                {name: {"shape": longer, "values": [0] * math.prod(longer)}},
            ]
    for change in changes:
        yield content | {"data": inside | change}


@every_saved
def test_what_is_nearly_a_saved_result_is_refused_with_its_file(result, tmp_path):
    path = tmp_path / "result.json"
    result.save(path)
    for variant in variants(path.read_text()):
        path.write_text(json.dumps(variant))
        refused(InputError, r"result\.json", type(result).load, path)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
anything = st.recursive(
    scalars | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=20)
@given(data=anything)
def test_any_other_json_is_refused(data, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "anything.json"
    for kind in kinds(Saved):
        for content in (data, {"ir_trunc": kind.__name__, "format": 1, "data": data or "nothing"}):
            path.write_text(json.dumps(content))
            with pytest.raises(InputError):
                kind.load(path)


@pytest.mark.parametrize("text", ["", "AP\t1\t0.5\n", "[", '{"ir_trunc": NaN}', "\ufeff\n"])
def test_what_is_not_json_is_refused(text, tmp_path):
    (tmp_path / "matrix.json").write_text(text, encoding="utf-8")
    refused(InputError, r"matrix\.json", meta.ScoreMatrix.load, tmp_path / "matrix.json")


@pytest.mark.needs("compare", "labels by a model")
@pytest.mark.needs("demonstration")
def test_a_table_stays_a_data_frame():
    table = TABLES["compare, by view"]
    assert isinstance(table, pd.DataFrame)
    assert isinstance(table[["AP"]], ResultTable)
    assert table["AP"].idxmax()[1] in SYSTEMS


def test_a_picture_of_every_result_that_has_one():
    pytest.importorskip("matplotlib")
    for result in RESULTS.values():
        if hasattr(result, "plot"):
            assert hasattr(result.plot(), "spines")
