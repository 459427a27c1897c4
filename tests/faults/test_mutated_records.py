"""Data of every form that is read, with a part of them changed: an error, a warning, or the same scores.

The bases of records follow from the table of forms; those of other forms are written here. What changes is a
node of the tree: its type, its value, its key or its place. Whatever it becomes, only an IrTruncError comes
out, and no score changes without a message. The scheduled job tries 10,000 changes of each form.
"""

import json
import signal
import warnings
from collections import Counter, OrderedDict
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import getitem
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from faulty import draws
from spans import listed, openinference, otlp, span
from written import put

from ir_trunc import IrTruncError, IrTruncWarning, calc, read_answers
from ir_trunc._read.readers.nested import FORMS

MEASURES = "AP nDCG RBPT NumRet"
LISTS = {"1": {"b": 0.75, "a": 0.5, "x": 0.25}, "2": {"y": 0.5, "c": 0.25}, "3": {"z": 0.5}}
GRADES = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"z": 1}}
QRELS = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "3": {"y": 0}}


# Bases: trees of dicts and lists, and how they are written


def record_of(form, topic, docs, kind, names):
    """A record with a topic and its documents, or the response to one search."""
    path, doc_id, score, topic_at = names
    listed = [put(put({"text": "t"}, doc_id, doc), score, value) for doc, value in docs.items()]
    if form.cited or (kind == "qrels" and "rating" not in form.name):
        listed = [*docs]
    elif kind == "qrels":
        listed = [{"_id": doc, "rating": grade} for doc, grade in docs.items()]
    record = put({"note": "n"}, path, listed)
    if form.cited:
        record = put(record, form.cited, [{"text": "t", "citations": [doc]} for doc in docs])
    if form.beside:
        record = put(put({}, path, [*docs]), form.beside, [1 - value for value in docs.values()])
    return put(record, topic_at, topic) if form.topics else record


def of_form(form, kind):
    def base(rng):
        paths = form.judged if kind == "qrels" else form.lists
        names = [rng.choice(of) for of in (paths, form.docs, form.scores, form.topics or ("",))]
        lists = GRADES if kind == "qrels" else LISTS
        each = {topic: record_of(form, topic, docs, kind, names) for topic, docs in lists.items()}
        if not form.topics:
            return each
        within = form.records and rng.random() < 0.5
        return put({}, rng.choice(form.records), [*each.values()]) if within else [*each.values()]

    return base


BASES = {
    f"{kind}: {form.name}": (kind, of_form(form, kind))
    for form in FORMS
    for kind in ("run", "qrels")
    if (form.lists if kind == "run" else form.judged)
}


def spans_of(form):
    """Spans, one for each list, in a trace of its own."""
    return [span(form(*each), 2 * number) for number, each in enumerate(LISTS.items(), 1)]


DAYS = {"t/q/2024-01-01": {"b": 0.75, "a": 0.5}, "t/r/2024-01-01": {"y": 0.5}, "t/q/2024-01-02": {}}
GAINS = {"t/q/2024-01-01": {"a": 5, "b": 10}, "t/r/2024-01-01": {"c": 10}, "t/q/2024-01-02": {}}


def change_run(rng):
    days = {}
    for number, (key, docs) in enumerate(DAYS.items()):
        _, question, day = key.split("/")
        ranking = [{"doc_id": doc, "score": score} for doc, score in docs.items()]
        days.setdefault(day, []).append({"qid": question, "question-rank": number, "doc-ranking": ranking})
    return [{"runtag": "mine"}, {"topic": "t", "results": days}]


def change_qrels(rng):
    rows = ((key.split("/"), doc, gain) for key, docs in GAINS.items() for doc, gain in docs.items())
    return [
        {"topic": t, "qid": q, "day": day, "doc_id": doc, "gain": gain} for (t, q, day), doc, gain in rows
    ]


CLASSES = {"1": [["Paris", "Paris, France"]], "2": [], "3": [["red"]]}
ANSWERS = {"1": {"Paris": 0.75}, "2": {}, "3": {"blue": 0.5}}


def squad(rng):
    each = [
        {"id": name, "question": "?", "is_impossible": not classes,
         "answers": [{"text": text, "answer_start": 3} for texts in classes for text in texts]}
        for name, classes in CLASSES.items()
    ]  # fmt: skip
    return {"version": "v2.0", "data": [{"title": "t", "paragraphs": [{"context": "c", "qas": each}]}]}


def hugging_face(rng):
    texts = {name: [text for each in classes for text in each] for name, classes in CLASSES.items()}
    return [
        {"id": name, "answers": {"text": of, "answer_start": [3] * len(of)}} for name, of in texts.items()
    ]


def rows_of(lists):
    return [[topic, doc, value] for topic, docs in lists.items() for doc, value in docs.items()]


BASES |= {
    "run: dicts": ("run", lambda rng: LISTS),
    "qrels: dicts": ("qrels", lambda rng: GRADES),
    "run: lists by topic": ("run", lambda rng: {
        topic: [{"id": doc, "score": score} for doc, score in docs.items()] for topic, docs in LISTS.items()
    }),
    "run: pairs by topic": ("run", lambda rng: {
        topic: [[*pair] for pair in docs.items()] for topic, docs in LISTS.items()
    }),
    "run: tuples": ("run", lambda rng: [tuple(row) for row in rows_of(LISTS)]),
    "qrels: tuples": ("qrels", lambda rng: [tuple(row) for row in rows_of(GRADES)]),
    "run: rows": ("run", lambda rng: [
        dict(zip(("query_id", "doc_id", "score"), row)) for row in rows_of(LISTS)
    ]),
    "qrels: rows": ("qrels", lambda rng: [
        dict(zip(("query_id", "doc_id", "relevance"), row)) for row in rows_of(GRADES)
    ]),
    "run: spans": ("run", lambda rng: spans_of(listed)),
    "run: OTLP": ("run", lambda rng: otlp(spans_of(openinference))),
    "run: Change Detection": ("change", change_run),
    "qrels: Change Detection": ("gains", change_qrels),
    "answers: classes": ("answers", lambda rng: CLASSES),
    "answers: SQuAD": ("answers", squad),
    "answers: records": ("answers", hugging_face),
    "run: predictions": ("predictions", lambda rng: [
        {"id": q, "prediction_text": "".join(of), "no_answer_probability": 1 - sum(of.values(), 0.0)}
        for q, of in ANSWERS.items()
    ]),
    "lines: run": ("run lines", lambda rng: [[q, "Q0", doc, 1, s, "t"] for q, doc, s in rows_of(LISTS)]),
    "lines: qrels": ("qrels lines", lambda rng: [[q, 0, doc, grade] for q, doc, grade in rows_of(GRADES)]),
    "lines: NTCIR": ("qrels lines", lambda rng: [[q, doc, f"L{grade}"] for q, doc, grade in rows_of(GRADES)]),
    "lines: CSV": ("CSV, run lines", lambda rng: [["query_id", "doc_id", "score"], *rows_of(LISTS)]),
    "lines: run of answers": (
        "run lines", lambda rng: [[q, "Q0", doc, 1, s, "t", f"of {doc}"] for q, doc, s in rows_of(LISTS)]
    ),
    "lines: judged answers": (
        "qrels lines", lambda rng: [[q, doc, grade, f"of {doc}"] for q, doc, grade in rows_of(GRADES)]
    ),
}  # fmt: skip


# Changes


def nodes(tree, path=()):
    """The paths of all nodes."""
    yield path
    pairs = (
        tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, (list, tuple)) else ()
    )
    for key, inner in pairs:
        yield from nodes(inner, (*path, key))


def replaced(tree, path, value):
    """The tree with another node at a path; what is beside it stays the same object."""
    if not path:
        return value
    key, *rest = path
    if isinstance(tree, dict):
        return {name: replaced(inner, rest, value) if name == key else inner for name, inner in tree.items()}
    made = [replaced(inner, rest, value) if place == key else inner for place, inner in enumerate(tree)]
    return tuple(made) if isinstance(tree, tuple) else made


def frame_of(items, make):
    """Records as a frame; as they are where they are none."""
    return make(items) if items and all(isinstance(item, dict) for item in items) else items


NUMBERS = [
    Decimal, Fraction, np.float64, np.float32, np.float16, np.longdouble, lambda x: np.array(x), str,
    lambda x: np.array([x])[0], lambda x: int(x) if x == int(x) else x, lambda x: pd.Series([x])[0],
]  # fmt: skip
TEXTS = [np.str_, lambda x: np.array([x])[0], lambda x: np.array(x), lambda x: np.array([x], object)[0]]
LISTED = [
    tuple, lambda x: np.array(x, object) if len(x) != 1 else np.array([*x, None], object)[:1], pd.Series,
    lambda x: iter(x), lambda x: frame_of(x, pd.DataFrame), lambda x: frame_of(x, pa.Table.from_pylist),
    lambda x: frame_of(x, lambda items: pd.DataFrame(items).to_records(index=False)),
]  # fmt: skip
MAPPED = [OrderedDict, MappingProxyType, lambda x: SimpleNamespace(**x), pd.Series]
DEEP = reduce(lambda inner, _: [inner], range(3000), [])
DAMAGE = [
    None, float("nan"), float("inf"), -float("inf"), 10**400, "", " ", "a\0b", "\ud800", "x\ny", b"a", [[]],
    {"": None}, [None], {"x": {}}, object(), Decimal("NaN"), Decimal("sNaN"), np.array([]), np.ones((2, 2)),
    pd.NaT, pd.NA, np.datetime64("NaT", "s"), {1, 2}, range(2), Exception, DEEP, 1j, pd.DataFrame(), print,
    np.ma.masked, np.void(b"x"), memoryview(b"x"), np.zeros(2, [("id", "U2")]), "1e999", "0x1", "١", "1_0",
]  # fmt: skip


IDS = {"1", "2", "3", *"abcxyztqr", *DAYS, "2024-01-01", "2024-01-02"}


def may_be(kind, node, value):
    """Whether a value in the place of a node may be other data, not damaged data."""
    if "lines" in kind and isinstance(value, (list, tuple, np.ndarray)):  # which no text shows
        return True
    if isinstance(node, str):  # other ids, and other answers
        empty = kind in ("answers", "predictions")
        return "lines" in kind or type(value) is int or (isinstance(value, str) and (empty or value != ""))
    return isinstance(node, (dict, list)) and hasattr(value, "__len__") and len(value) == 0


def same(node, rng):
    """The node as another type that says the same."""
    if isinstance(node, bool):
        return rng.choice([np.bool_])(node)
    if isinstance(node, (int, float)):
        return rng.choice(NUMBERS)(node)
    if isinstance(node, str):
        return rng.choice(TEXTS)(node)
    return rng.choice(MAPPED if isinstance(node, dict) else LISTED)(node)


def changed(kind, tree, rng):
    """The tree with a change, and what it was."""
    # A sentence of a report that has no citations cites nothing.
    path = rng.choice([path for path in nodes(tree) if "responses" not in path or "citations" in path])
    node = reduce(getitem, path, tree)
    change = rng.choice(["same", "same", "damage", "damage", "key", "twice", "wrapped"])
    if "lines" in kind and change != "twice":  # whose rows and fields are texts
        change = "twice" if len(path) < 2 else "same" if change == "same" else "damage"
    if change == "same":
        value = same(node, rng)
    elif change == "wrapped":
        wraps = [lambda x: [x], lambda x: {"of": x}, lambda x: np.array([x], object), lambda x: (x,)]
        value = rng.choice(wraps)(node)
    elif change == "damage" or not isinstance(node, (dict, list)) or not node:
        value = rng.choice([value for value in DAMAGE if not may_be(kind, node, value)])
    elif isinstance(node, list):  # an item comes twice
        value = [*node, rng.choice(node)]
    else:
        name = rng.choice([*node])
        others = [None, (1,)] if name in IDS else ["", 1, None, "x.y", f"{name}s", (1,), *node]
        value = {rng.choice(others) if key == name else key: inner for key, inner in node.items()}
    return replaced(tree, path, value), f"{change} at {path}"


# Scores


def scores(kind, tree, path):
    """Scores of a tree: of the object itself, or of a file where it can be written."""
    if path is not None:
        if "lines" in kind:
            separator = "," if kind.startswith("CSV") else " "
            text = "".join(separator.join(map(str, row)) + "\n" for row in tree)
        elif kind in ("change", "gains"):
            text = "".join(f"{json.dumps(line)}\n" for line in tree)
        else:
            text = json.dumps(tree)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        tree = path
    if kind == "answers":
        return calc("EM TokenF1", read_answers(tree, "squad"), ANSWERS)
    if kind == "predictions":
        return calc("EM AURC", read_answers(CLASSES, "squad"), tree)
    if kind == "change":
        return calc(MEASURES, GAINS, tree)
    if kind == "gains":
        return calc(MEASURES, tree, DAYS)
    return calc(MEASURES, QRELS, tree) if "run" in kind else calc(MEASURES, tree, LISTS)


class Hang(BaseException):
    """A case takes longer than any should."""


def hang(*_):
    raise Hang


def outcome(kind, tree, path=None):
    """The scores, or the name of what was raised; and what was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        signal.alarm(20)
        try:
            results = scores(kind, tree, path)
            found = dict(zip(results.topics, results.values.T.round(9).tolist()))
        except IrTruncError as error:
            found = "refused" if len(str(error)) < 2000 and "\n" not in str(error) else str(error)
        finally:
            signal.alarm(0)
    assert not {*(warning.category for warning in said)} - {IrTruncWarning}, [*map(str, said)]
    return found, {str(warning.message) for warning in said}


def is_wrong(found, said, expected):
    """Whether scores changed without a word, or an error has no message that can be read."""
    return found not in ("refused", expected) and not (said and isinstance(found, dict))


def fault_of(name, rng, folder):
    """What is wrong with what comes of a changed tree, '' where nothing is; and what came of it."""
    kind, base = BASES[name]
    tree = base(rng)
    in_file = kind in ("change", "gains") or "lines" in kind
    expected, usual = outcome(kind, tree, folder / "data" if in_file else None)
    assert expected != "refused", name
    try:
        tree, what = changed(kind, tree, rng)
    except (TypeError, ValueError, ArithmeticError, IndexError, pa.ArrowException):  # no type holds it
        return "", "no case"
    try:
        text = json.dumps(tree)
    except (TypeError, ValueError, RecursionError):
        text = None
    if in_file and text is None and "lines" not in kind:
        return "", "no case"
    try:
        case = f"{what}: {str(tree)[:1500]}"
    except RecursionError:
        case = what
    try:
        found, said = outcome(kind, tree, folder / "data" if in_file else None)
        if not in_file and text is not None and repr(json.loads(text)) == repr(tree):
            of_file = outcome(kind, tree, folder / "changed")
            if is_wrong(of_file[0], of_file[1] - usual, expected):
                return f"in a file {of_file[0]}, not {expected}, without a word; {case}", what
    except Exception as error:
        return f"{type(error).__name__}: {error}; {case}", what
    if is_wrong(found, said - usual, expected):
        return f"{found}, not {expected}, without a word; {case}", what
    return "", "refused" if found == "refused" else "warned" if said - usual else "same"


@pytest.mark.parametrize("name", BASES)
def test_what_is_no_longer_what_it_was_is_an_error_or_a_warning_or_changes_nothing(name, tmp_path, long_form):
    counts, before = Counter(), signal.signal(signal.SIGALRM, hang)
    try:
        for number in range(10_000 if long_form else 60):
            fault, came = fault_of(name, draws("records", name, number), tmp_path)
            assert not fault, f"case {number}: {fault}"
            counts[came] += 1
    finally:
        signal.signal(signal.SIGALRM, before)
    print(dict(counts))
    assert counts["refused"] > 0 < counts["same"], counts
