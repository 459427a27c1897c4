"""The forms of data: one file makes a form known everywhere, and each form is known by one reader."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from ir_measures import ScoredDoc

import ir_trunc
from ir_trunc import InputError, ParameterError, calc, read_topics
from ir_trunc._core.errors import ParameterTypeError
from ir_trunc._read import registry
from ir_trunc._read.reading import RUN
from ir_trunc._read.registry import READERS, Reader, Table, reader_of, readers_of
from ir_trunc._read.text import beginning

PACKAGE = Path(ir_trunc.__file__).parent
PAGE = Path(__file__).parents[2] / "notebooks" / "reference.md"  # test_reference: what the command prints


class Shelf:
    """Data in a form of one's own: topics with their documents and numbers."""

    def __init__(self, **topics):
        self.topics = topics


def read_shelf(data, layout):
    rows = [(topic, *row) for topic, docs in data.topics.items() for row in docs]
    names = ("query_id", "doc_id", layout.value)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return Table(layout.source, columns if rows else None, topics=tuple(data.topics))


@pytest.fixture
def shelf(monkeypatch):
    """A reader of shelves, for a while."""
    kinds = ("run", "qrels", "topics")
    of_shelves = lambda data: isinstance(data, Shelf)  # noqa: E731
    known = Reader(
        "a shelf", "As libraries have.", kinds, ("object",), read_shelf, of_shelves, called="shelf"
    )
    monkeypatch.setitem(READERS, known.form, known)


def test_a_new_form_is_known_to_runs_qrels_and_topics(shelf):
    qrels, run = Shelf(a=[("x", 1)], b=[("y", 0)], c=[]), Shelf(a=[("x", 0.5)], b=[("x", 0.5)])
    results = calc("RR NumRet", qrels, run)
    assert results.topics == ("a", "b", "c")
    assert results.values.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert read_topics(qrels) == ["a", "b", "c"]


def test_a_new_form_is_named_where_the_data_are_of_none(shelf):
    with pytest.raises(
        InputError, match=r"^run of type int: one of these is needed: .*a path of TREC.*a shelf"
    ):
        calc("RR", {"a": {"x": 1}}, 5)
    with pytest.raises(InputError, match=r"^qrels of type int: .*a shelf"):
        calc("RR", 5, {})


def known_as(monkeypatch, shape, asked, suffix=""):
    """A reader of this shape that notes what it is asked, and recognises nothing."""

    def recognises(data):
        asked.append(data)

    form = f"(nothing, as a {shape})"
    one = Reader(form, "It is asked.", ("run", "qrels"), (shape,), read_shelf, recognises, suffix=suffix)
    monkeypatch.setitem(READERS, form, one)


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
    asked = []
    known_as(monkeypatch, shape, asked)
    for other, run in data.items():
        asked.clear()
        with contextlib.suppress(InputError):
            calc("RR", {"1": {"a": 1}}, run)
        # An object is all that has a class which is not Python's own.
        assert bool(asked) == (other == shape or (other, shape) == ("frame", "object")), other


def test_the_usual_reader_of_a_shape_asks_no_other(monkeypatch, tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 0.5 t\n")
    frame = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]})
    asked = []
    for shape in ("path", "frame", "mapping", "list", "object"):
        known_as(monkeypatch, shape, asked)
    for run in (tmp_path / "a.run", {"1": {"a": 1.0}}, frame, [ScoredDoc("1", "a", 1.0)]):
        assert calc("RR", {"1": {"a": 1}}, run).values.tolist() == [[1]]
    assert not asked
    assert reader_of(tmp_path / "a.run", RUN).form.startswith("a path of TREC lines")


class OddPath:
    """A path of something else than text."""

    def __init__(self, value):
        self.value = value

    def __fspath__(self):
        return self.value


@pytest.mark.parametrize("value", [b"a.run", 5])
def test_a_path_that_is_not_text_is_refused(value):
    for door in (lambda run: calc("RR", {"1": {"a": 1}}, run), ir_trunc.read_qrels, read_topics):
        with pytest.raises(InputError, match="a path of type OddPath is not text"):
            door(OddPath(value))
    with pytest.raises(ParameterTypeError, match="a path is needed, not OddPath"):
        ir_trunc.compare("RR", {"1": {"a": 1}}, [OddPath(value), "b.run"])


def test_lines_with_the_suffix_of_another_form_are_of_that_form(tmp_path):
    (tmp_path / "a.parquet").write_text("1 Q0 a 1 0.5 t\n")
    with pytest.raises(InputError, match=r"a\.parquet cannot be read as Parquet"):
        calc("RR", {"1": {"a": 1}}, tmp_path / "a.parquet")


def test_a_file_is_looked_at_once_to_be_recognised(monkeypatch, tmp_path):
    (tmp_path / "a.json").write_text('{"1": {"a": 1}}')
    looked = []
    monkeypatch.setattr(registry, "beginning", lambda path: looked.append(path) or beginning(path))
    assert calc("RR", tmp_path / "a.json", {"1": ["a"]}).values.tolist() == [[1]]
    assert looked == [tmp_path / "a.json"]


def declared(monkeypatch, form, **options):
    """A reader of lines `topic<TAB>document<TAB>rank`, as MS MARCO has runs, for a while."""
    monkeypatch.setattr(registry, "READERS", dict(registry.READERS))

    @registry.reader(form, "run", of="path", **options)
    def ranks(data, layout):
        """Lines of three fields."""
        rows = [line.split("\t") for line in Path(data).read_text().splitlines()]
        topics, docs, places = zip(*rows)
        scores = [-float(place) for place in places]
        return Table(layout.source, {"query_id": topics, "doc_id": docs, "score": scores})

    return ranks


def is_tabular(data):
    return data.start.count(b"\t") == 2


@pytest.mark.parametrize("form", ["a path of MS MARCO lines", "MS MARCO lines", "zzz"])
def test_which_reader_is_taken_does_not_depend_on_what_its_form_is_called(monkeypatch, tmp_path, form):
    """CSV takes all files whose names end in .csv, and is asked after the readers of users."""
    path = tmp_path / "run.csv"
    path.write_text("1\t7187158\t1\n")
    with pytest.raises(InputError, match=r"run\.csv: two columns are called 1"):
        calc("RR", {"1": {"7187158": 1}}, path)
    declared(monkeypatch, form, recognises=is_tabular)
    assert calc("RR", {"1": {"7187158": 1}}, path).values.tolist() == [[1]]


def test_two_readers_that_recognise_the_same_data_need_different_priorities(monkeypatch, tmp_path):
    path = tmp_path / "my.ranks"
    path.write_text("1\t7187158\t1\n")
    declared(monkeypatch, "lines of mine", recognises=is_tabular)
    declared(monkeypatch, "lines of yours", recognises=is_tabular)
    message = r"priority 50 takes run .*my\.ranks: 'lines of mine' and 'lines of yours'\. Give one"
    with pytest.raises(InputError, match=message):
        calc("RR", {"1": {"7187158": 1}}, path)
    ours = declared(monkeypatch, "lines of ours", recognises=is_tabular, priority=51)
    assert reader_of(path, RUN) is ours


def test_two_readers_of_the_same_suffix_or_shape_need_different_priorities(monkeypatch):
    mine = declared(monkeypatch, "mine", suffix=".ranks")
    with pytest.raises(ParameterError, match=r"takes files whose name ends in \.ranks: 'mine' and 'yours'"):
        declared(monkeypatch, "yours", suffix=".ranks")
    declared(monkeypatch, "yours", suffix=".ranks", priority=49)
    assert declared(monkeypatch, "mine", suffix=".ranks") is not mine  # a notebook's cell, run again
    with pytest.raises(ParameterError, match=r"shape 'path' .* recognises: 'a path.* and 'mine'"):
        declared(monkeypatch, "mine", fallback=True, priority=registry.COMMON)
    with pytest.raises(ParameterError, match="priority=101: a number from 0 to 100"):
        declared(monkeypatch, "mine", priority=101)


NEW = '''
"""Shelves."""

from ir_trunc._read.registry import Table, reader


def is_shelf(data):
    return hasattr(data, "shelf")


@reader("a shelf with <columns>", "run", "qrels", "topics", of="object", recognises=is_shelf)
def shelf(data, layout):
    """What libraries have."""
    return Table("shelf", data.shelf)
'''
USE = """
import warnings
from types import SimpleNamespace as Any
import ir_trunc
from ir_trunc._reporting.reference import forms_section

run = Any(shelf={"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})
qrels = Any(shelf={"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
print(ir_trunc.calc_aggregate("RR", qrels, run)["RR"], ir_trunc.read_topics(qrels))
print("| `a shelf with ...` | run, qrels, topics | What libraries have. |" in forms_section())
"""


def test_one_file_makes_a_form_known_everywhere(tmp_path):
    """In a copy of the package: to calc, to topics, on the page."""
    shutil.copytree(PACKAGE, tmp_path / "ir_trunc", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "ir_trunc/_read/readers/shelves.py").write_text(NEW)
    command, environment = [sys.executable, "-c", USE], {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.stdout.splitlines() == ["0.5 ['1']", "True"], done.stderr


def test_the_reference_says_what_is_to_be_known_of_every_form():
    text = PAGE.read_text(encoding="utf-8")
    for kind in ("run", "qrels", "answers", "topics"):
        for known in readers_of(kind):
            assert known.about.endswith("."), known.form
            assert known.about in text
