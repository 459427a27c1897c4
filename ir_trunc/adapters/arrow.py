"""Lists of an Arrow table scored where their rows are: one function for Spark, Dask, Ray, polars and DuckDB.

The function that `scorer` returns takes whole lists. It returns a row for each list, which can stay in the
engine. With `collect=True` it returns the lists themselves, packed: `Scorer.results` makes one `Results` of
them, with every measure of `ir_trunc.calc`, also those that look at all lists of a run.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import chain
from typing import Any, Unpack, get_args

import numpy as np

from ir_trunc._core import errors
from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, UnknownMeasureError, noted
from ir_trunc._core.parameters import flag, one_of, text, whole
from ir_trunc._core.rankings import Judgments, NilLists, Rankings, sizes_of
from ir_trunc._core.universe import Keys, Universe
from ir_trunc._ranking.qrels import CodedRows, Qrels, QrelsLike, Unjudged, without_repeats
from ir_trunc._ranking.ranked_rows import DOCUMENTS, NilRule, Notes, nil_rule
from ir_trunc._ranking.runs import Builder, Options, with_missing
from ir_trunc._read import tables
from ir_trunc._read.arrow import flat, index_in, pa, pc, strings
from ir_trunc._read.reading import QRELS, RUN, Columns, Layout, Reading, takes
from ir_trunc._read.rows import PART, Rows, Sample, encoded
from ir_trunc._scoring.evaluator import Evaluator, warn_about_lists, warn_about_scale
from ir_trunc._scoring.objects import MeasureLike
from ir_trunc._scoring.results import Results
from ir_trunc.measures import scores

__all__ = ["Scorer", "scorer"]

_HIGHEST_GRADE = 1000  # of judgments in rows: all grades of the scale are levels


@takes(Options)
def scorer(
    measures: MeasureLike,
    qrels: QrelsLike | None = None,
    *,
    collect: bool = False,
    max_rel: int | None = None,
    source: str = "table",
    **options: Unpack[Options],
) -> Scorer:
    """A picklable function from an Arrow table of documents to a table with a row for each list.

    A table has the columns of the keys, doc_id (or docno) and score, and without `qrels` relevance (or
    label): a judgment, or null for an unjudged document. Every table must have all rows of its lists: shuffle
    or sort the rows by the keys first. A list without a row cannot appear. To score an empty list, add a row
    with the document `__nil__`, or keep rows with `shown` (a column of truth values) False.

    Parameters
    ----------
    measures : MeasureLike
        As for `ir_trunc.calc`, without measures that other tools compute.
    qrels : QrelsLike, optional
        As for `ir_trunc.calc`. Topics of a table that the qrels lack are left out, with a warning. By default
        the judgments are in the rows: documents that are not in a list are then not judged.
    collect : bool
        Whether the lists themselves are returned, for `Scorer.results`. Otherwise measures that look at all
        lists of a run are refused.
    max_rel : int, optional
        The highest grade that judgments in the rows can have. A table does not show it, so it is required
        without `qrels`, unless the lists are collected.
    source : str
        The name of the tables in messages.
    topics, missing : optional
        With qrels only: as for `ir_trunc.calc`. Unless the lists are collected, missing='exclude' is needed.
    keys : list of str or str, optional
        The columns that identify a list together, outermost first, by default ["query_id"].
    unjudged : {'exclude', 'nil'}, optional
        With judgments in the rows: whether a list without any judgment is left out, or a nil query. By
        default it is an error. With qrels as for `ir_trunc.calc`.
    nil, order, duplicates, stop, lower_is_better, columns, withheld : optional
        As for `ir_trunc.calc`; `searches` is refused, since those of a question may be in several tables.

    Returns
    -------
    Scorer

    Raises
    ------
    ParameterError
        Where a parameter is wrong, or a measure looks at all lists of a run and these are not collected.
    InputError
        Where the qrels cannot be read.

    Examples
    --------
    >>> import pyarrow as pa
    >>> clicks = pa.table({"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1.0, 1.0],
    ...                    "relevance": [1, 0, 0]})
    >>> score = scorer("RBPT(p=0.5)", max_rel=1)
    >>> score(clicks).to_pylist()[0]
    {'query_id': '1', 'RBPT(p=0.5)': 0.75, 'length': 2, 'nil': False}
    """
    collect, source, names = flag("collect", collect), text("source", source), options.get("keys")
    names = [names] if isinstance(names, str) and re.fullmatch(r"[\w-]+", names) else names
    if isinstance(names, (list, tuple)) and len(names) == 1 and isinstance(names[0], str):
        options |= {"keys": None, "columns": {**Columns.of(options.get("columns")), "query_id": names[0]}}
    rule, unjudged = DOCUMENTS, None  # of judgments in the rows
    if qrels is None:
        nil, others = options.pop("nil", None), options.pop("unjudged", None)
        rule = DOCUMENTS if nil is None else nil_rule(nil)
        unjudged = None if others is None else one_of("unjudged", others, get_args(Unjudged))
        max_rel = None if max_rel is None else whole("max_rel", max_rel, 1, _HIGHEST_GRADE)
        if options.pop("topics", None) is not None or options.pop("missing", None) is not None:
            raise ParameterError("topics and missing go with qrels: a list without a row cannot appear.")
        if max_rel is None and (not collect or rule.answers):
            what = "the highest grade that the judgments in the rows can have; a table does not show it"
            raise ParameterError(f"max_rel is needed: {what}. max_rel=1 is that of clicks.")
    elif max_rel is not None:
        raise ParameterError("max_rel goes with judgments in the rows; qrels have their own scale.")
    evaluator = Evaluator(measures, qrels, **options)
    if evaluator.reading.by_search or evaluator.reading.searches:
        raise ParameterError("searches for one question may be in several tables: ir_trunc.calc joins them.")
    if qrels is not None and not collect and evaluator.missing != "exclude":
        what = "a topic of the qrels without a row in a table cannot appear among its lists"
        raise ParameterError(f"{what}: missing='exclude' confirms that; collect=True collects the lists.")
    for measure in evaluator.others.values():
        raise UnknownMeasureError(f"{measure} is not computed by ir_trunc: other tools need the whole run.")
    for measure, bound in () if collect else zip(evaluator.measures, evaluator.bound):
        if bound.definition.scope == "run":
            what = f"{measure} looks at all lists of a run, and a table has some of them"
            raise ParameterError(f"{what}: collect=True collects the lists, for `results`.")
    if evaluator.qrels is not None:  # sent to workers without the rows that they were read from
        rule, none = evaluator.qrels.nil, evaluator.qrels.given.take(np.zeros(0, np.int64))
        evaluator.qrels = replace(evaluator.qrels, given=none)
    score = Scorer(evaluator, rule, unjudged, max_rel, collect, source)
    if len(set(score.schema.names)) < len(score.schema.names):
        names = ", ".join(score.schema.names)
        raise ParameterError(f"The columns {names} must have distinct names: keys, measures, length and nil.")
    return score


_ERRORS = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, ValueError)}
_COLLECTED = {Notes, Rankings, Judgments, NilLists, Universe, Keys, Reading, Columns, Sample} | _ERRORS
_OF_ARRAYS = {"dtype", "ndarray", "_reconstruct", "_frombuffer", "scalar"}


class _Unpickler(pickle.Unpickler):
    """Reads collected lists and errors; other classes and functions could do anything, and are not found."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] == "numpy" and name in _OF_ARRAYS:
            return super().find_class(module, name)
        return {(each.__module__, each.__qualname__): each for each in _COLLECTED}[module, name]


@dataclass(frozen=True, eq=False, repr=False)
class Scorer:
    """Scores the lists of Arrow tables. `scorer` makes it; engines call it on their workers."""

    evaluator: Evaluator
    nil: NilRule
    unjudged: str | None
    max_rel: int | None
    collect: bool
    source: str

    def _layout(self, fields: Layout) -> Layout:
        """How the rows are read: as a run, or as qrels."""
        reading, of_run = self.evaluator.reading, tables.possible_fields(RUN)
        needed = {name for name in reading.names.needed if (name in of_run) == (fields is RUN)}
        return replace(fields, reading=replace(reading, columns=Columns(reading.names, needed)))

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that identify a list in the tables that are returned."""
        reading = self.evaluator.reading
        return reading.nesting.names if reading.nesting else (reading.names.get("query_id", "query_id"),)

    @property
    def schema(self) -> pa.Schema:
        """The schema of the tables that are returned. Keys are texts."""
        if self.collect:
            return pa.schema([("part", pa.binary())])
        measures = [(str(measure), pa.float64()) for measure in self.evaluator.measures]
        keys = [(key, pa.string()) for key in self.keys]
        return pa.schema([*keys, *measures, ("length", pa.int64()), ("nil", pa.bool_())])

    def needed(self, names: Iterable[Any]) -> tuple[list[str], list[str]]:
        """The columns of a table that identify a list, and all that are read; InputError where one lacks."""
        names, layout = list(names), self._layout(RUN)
        columns = tables.columns_of(names, layout, self.source)
        keys = list(tables.key_columns(names, layout, self.source)) or [columns["query_id"]]
        labels = {}
        if self.evaluator.qrels is None:
            labels = tables.columns_of(names, self._layout(QRELS), self.source)
            if labels["relevance"] == columns.get("score"):  # as BEIR calls it
                raise InputError(f"{self.source} has no column relevance; qrels=... has judgments, too.")
        # Ranks and marks, too, which may show that the run should be read with other options.
        of_run = tables.field_of_columns(names, layout, self.source)
        return keys, list(dict.fromkeys([*keys, *of_run, *labels.values()]))

    def __call__(self, table: Any) -> pa.Table:
        """A row for each list of a table, in the canonical order of their ids."""
        piece = self._piece(_as_table(table, self.source))
        if piece is None:
            return self.schema.empty_table()
        if self.collect:
            return pa.table({"part": [pickle.dumps(piece)]}, self.schema)
        (rankings, notes), keys = piece, self.evaluator.reading.nesting
        notes.warn(self.source, self.nil.id, self._layout(RUN).reading)
        ids = keys.split(rankings.topics) if keys else [(topic,) for topic in rankings.topics]
        columns: list[Any] = [[parts[level] for parts in ids] for level in range(len(self.keys))]
        columns += scores(self.evaluator.bound, rankings)
        columns += [rankings.lengths, rankings.judgments.nil_queries]
        return pa.table(dict(zip(self.schema.names, columns)), self.schema)

    def stream(self, batches: Any) -> Iterator[pa.RecordBatch]:
        """The same for a stream that is sorted by the keys, of batches in which lists may go on.

        `batches` is an iterable of tables or batches, or an object with Arrow's stream, as relations of
        DuckDB are. Some batches are held at a time. A list that comes again after others is an InputError;
        where lists are collected, `results` raises it.
        """
        # What is no stream of batches is an error further down.
        with suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
            batches = pa.RecordBatchReader.from_stream(batches)
        is_one = not isinstance(batches, Iterable) or getattr(batches, "ndim", 1) != 1  # a frame has 2 axes
        several = [batches] if is_one else batches
        held, finished, enough = list[pa.Table](), set[str](), PART
        try:
            for table in chain((_as_table(batch, self.source) for batch in several), (None,)):
                held += [] if table is None else [table]
                if not held or (table is not None and sum(map(len, held)) < enough):
                    continue
                try:
                    rows = pa.concat_tables(held)
                except pa.ArrowInvalid:
                    what = "the batches of a stream need the same columns and types"
                    raise InputError(f"{self.source}: {what}.") from None
                (key, *_), _ = self.needed(rows.column_names)
                ids = encoded(tables.list_ids(rows, rows[key], self._layout(RUN), self.source))
                codes = flat(ids.indices)
                ended = int(np.flatnonzero(np.diff(codes)).max(initial=-1)) + 1  # rows of lists that ended
                ended = len(codes) if table is None else ended
                names = set(ids.dictionary.take(pc.unique(ids.indices[:ended])).to_pylist())
                again = finished & names
                if again:
                    what = "its rows are in several places; a stream sorted by the keys is needed"
                    raise InputError(f"{self.source}, list {min(again)}: {what}.")
                finished |= names
                held, enough = [rows.slice(ended)], max(PART, 2 * (len(codes) - ended))
                yield from self(rows.slice(0, ended)).to_batches()
        except IrTruncError as error:
            if not self.collect:
                raise
            # Spark would hide it in a long text, and would try in vain again. Other packages may have changed
            # how exceptions are pickled, as distributed does: its parts are.
            yield pa.record_batch({"part": [pickle.dumps((type(error), str(error)))]}, self.schema)

    def results(self, parts: Any) -> Results:
        """One result of all lists, as `ir_trunc.calc` returns it for the whole run.

        Parameters
        ----------
        parts : table, or iterable of bytes
            What was returned with `collect=True`, in any order: the column `part`, or its values.

        Returns
        -------
        Results

        Raises
        ------
        InputError
            Where a table was wrong, or two tables had rows of the same list.

        Examples
        --------
        >>> import pyarrow as pa
        >>> score = scorer("RBPT(p=0.5) c@1", {"1": {"a": 1}, "2": {}}, collect=True)
        >>> parts = score(pa.table({"query_id": ["1", "2"], "doc_id": ["a", "b"], "score": [1.0, 1.0]}))
        >>> score.results(parts).aggregated
        {RBPT(p=0.5): 0.75, c@1: 0.5}
        """
        if not self.collect:
            raise ParameterError("results need the lists: scorer(..., collect=True) collects them.")
        try:
            packed = parts["part"].to_pylist() if hasattr(parts, "column_names") else list(parts)
            pieces = [_Unpickler(BytesIO(part)).load() for part in packed]
        except Exception:  # of many types
            pieces = [None]
        for piece in pieces:
            match piece:
                case (Rankings(), Notes()):
                    continue
                case (type() as kind, str() as message) if issubclass(kind, IrTruncError):
                    raise kind(message)
            raise InputError("parts: what the function returned is needed, with the column `part`.")
        evaluator, qrels = self.evaluator, self.evaluator.qrels
        if qrels is None:
            qrels = self._qrels_of([rankings.judgments.without_nil() for rankings, _ in pieces])
            warn_about_scale(evaluator.bound, qrels.judgments)
        builder = Builder(qrels)
        builder.source, builder.reading = self.source, evaluator.reading
        for rankings, notes in pieces:
            builder.keep(rankings, notes)
        lists = builder.rankings(takes_ends=evaluator.takes_ends)
        rankings = with_missing(lists, evaluator.missing, self.source)
        warn_about_lists(evaluator.by_measure, self.source, rankings)
        return Results(evaluator.measures, rankings, np.array(scores(evaluator.bound, rankings)))

    def _piece(self, table: pa.Table) -> tuple[Rankings, Notes] | None:
        """A list for each topic that has a row in the table, and what is noted; None for one without rows."""
        table = table.select(self.needed(table.column_names)[1])
        rows, qrels = tables.rows_of_table(table, self._layout(RUN), self.source), self.evaluator.qrels
        if not len(rows):
            return None
        qrels = self._labels(table, rows) if qrels is None else qrels
        builder = Builder(qrels)
        builder.add(rows)
        builder.settle()
        (lists,) = builder.pieces
        places = index_in(strings([*lists.topics, *builder.silent]), qrels.topics)
        judgments = qrels.judgments_with_nil.take(np.sort(places[places >= 0]))
        # Each topic has a row.
        return Rankings.concat(judgments, [lists]).with_fields(missing=None), builder.notes

    def _labels(self, table: pa.Table, rows: Rows) -> Qrels:
        """The judgments in the rows of a table, without lists that are left out because they have none."""
        layout, levels = self._layout(QRELS), range(1, (self.max_rel or 0) + 1)
        label = table[tables.columns_of(table.column_names, layout, self.source)["relevance"]]
        judged = tables.rows_of_table(table.filter(pc.is_valid(label)), layout, self.source)
        for top in levels[-1:]:
            judged.require("relevance", judged.values, judged.values <= top, f"a grade up to max_rel={top}")
        with noted(issued=False):  # of a document that is in a list twice: `duplicates` decides about it
            judged = without_repeats(judged)
        topics = judged.named_topics()
        unjudged = set(rows.named_topics()).difference(topics)
        if unjudged and self.unjudged is None:
            what = "no document has a judgment; unjudged='exclude' leaves out such lists, unjudged='nil'"
            raise InputError(f"{self.source}, list {min(unjudged)}: {what} counts them as nil queries.")
        topics += unjudged if self.unjudged == "nil" else ()
        named = topics or [""]  # qrels need a topic
        qrels = Qrels.of(CodedRows.of(judged), named, levels=levels, nil=self.nil)
        return qrels.with_keys(layout.reading.nesting) if topics else qrels

    def _qrels_of(self, parts: Sequence[Judgments]) -> Qrels:
        """The judgments of all tables, without document ids."""
        none, topics = pa.array([], pa.string()), [topic for part in parts for topic in part.topics]
        nothing = Rows.of(self.source, none, none, np.zeros(0, np.int64))
        qrels = Qrels.of(CodedRows.of(nothing), topics, nil=self.nil)
        places = index_in(strings(topics), qrels.topics)
        rows = places[np.repeat(np.arange(len(topics)), np.concatenate([sizes_of(p.offsets) for p in parts]))]
        grades, levels = (np.concatenate([getattr(p, name) for p in parts]) for name in ("grades", "levels"))
        judgments = Judgments.from_rows(qrels.judgments.topics, rows, grades, levels.tolist())
        judgments = replace(judgments, scale_declared=self.max_rel is not None)
        return replace(qrels, judgments=judgments, nesting=self.evaluator.reading.nesting)


def _as_table(data: Any, source: str) -> pa.Table:
    """A table, batch or frame as an Arrow table."""
    is_table = hasattr(data, "__arrow_c_stream__") or isinstance(data, pa.RecordBatch)
    if not is_table or getattr(data, "ndim", 2) != 2:  # a Series is a stream, too
        what = f"{source} of type {type(data).__name__}"
        raise InputError(f"{what}: an Arrow table or record batch is needed, or a frame that is one.")
    try:
        table = pa.Table.from_pandas(data, preserve_index=False) if hasattr(data, "iloc") else pa.table(data)
        for place, field in enumerate(table.schema):
            if pa.types.is_string_view(field.type):  # of polars; pyarrow cannot take rows of it
                table = table.set_column(place, field.name, table[place].cast(pa.string()))
        return table
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{source}: Arrow cannot hold it ({' '.join(str(error).split())}).") from None
