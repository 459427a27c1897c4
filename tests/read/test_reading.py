"""How a run is read: its order, its repeated documents and its ends, in every form, whole and in parts."""

import gzip
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from messages import refused
from written import to_file

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, calc, compare, evaluator, how_many, rank, report, truncation
from ir_trunc._cli.main import main
from ir_trunc._ranking.qrels import read_qrels
from ir_trunc._ranking.runs import by_rank, read_run

pl = pytest.importorskip("polars")


# The runs are small and odd; warnings about them have their own test below.
pytestmark = pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}}


# topic, mark, document, rank, score
LINES = [
    ("1", "AF", "b", 2, 5.0),
    ("1", "AF", "a", 1, 4.0),
    ("2", "AF", "d", 1, 1700000001.0),
    ("2", "NS", "c", 2, 1700000000.0),
]


def text(lines=LINES):
    return "".join(f"{topic} {mark} {doc} {rank} {score!r} tag\n" for topic, mark, doc, rank, score in lines)


def frame(lines=LINES):
    return pd.DataFrame(lines, columns=["query_id", "Q0", "doc_id", "rank", "score"])


FORMS = {
    "pandas": frame,
    "polars": lambda lines: pl.from_pandas(frame(lines)),
    "arrow": lambda lines: pa.table(frame(lines)),
    "tuples": lambda lines: list(frame(lines).itertuples(index=False)),
}


@pytest.fixture(params=["file", "gz", *FORMS])
def form(request, tmp_path):
    """The same run in each form that has a rank column."""

    def made(lines=LINES):
        if request.param in FORMS:
            return FORMS[request.param](lines)
        path, data = tmp_path / f"my.run.{request.param}", text(lines).encode()
        path.write_bytes(gzip.compress(data) if request.param == "gz" else data)
        return path

    return made


def both_ways(run, **reading):
    """The reciprocal ranks of both topics: ranked as a whole, and in parts."""
    whole = rank(QRELS, run, **reading)
    in_parts = calc("RR", QRELS, run, **reading)
    assert calc("RR", None, whole).values.tolist() == in_parts.values.tolist()
    return in_parts.values[0].tolist()


@pytest.mark.parametrize(
    ("order", "expected"),
    [("score", [0.5, 0.5]), ("score64", [0.5, 0.5]), ("rank", [1, 0.5]), ("file", [0.5, 0.5])],
)
def test_an_order_is_the_same_in_every_form(form, order, expected):
    assert both_ways(form(), order=order) == expected


def test_scores_that_differ_in_64_bits_only(form):
    swapped = [*LINES[:2], ("2", "AF", "c", 2, 1700000001.0), ("2", "AF", "d", 1, 1700000000.0)]
    assert both_ways(form(swapped))[1] == 0.5  # equal as 32-bit floats, so the higher id comes first
    assert both_ways(form(swapped), order="score64")[1] == 1
    assert both_ways(form(swapped), order="rank")[1] == 0.5
    assert both_ways(form(swapped), order="file")[1] == 1


@pytest.mark.parametrize("order", ["score", "score64"])
def test_scores_stay_with_their_documents_where_rows_are_sorted(order):
    run = pd.DataFrame({"query_id": "1", "doc_id": ["x", "a", "y"], "score": [1.0, 3.0, 2.0]})
    rows = read_run(run, order=order)
    ranked = by_rank(read_qrels(QRELS), rows).rows
    assert dict(zip(ranked.docs.to_pylist(), ranked.values.tolist())) == {"a": 3, "y": 2, "x": 1}
    assert rows.values.tolist() == run["score"].tolist() == [1, 3, 2]


def test_rows_that_are_scattered_keep_their_order():
    rows = [LINES[2], LINES[1], LINES[3], LINES[0]]
    assert both_ways(frame(rows), order="file") == [1, 0.5]
    assert both_ways(frame(rows), order="rank") == [1, 0.5]


@pytest.mark.parametrize("rank", [2, 1])
def test_equal_ranks_in_a_list_are_an_error_that_names_the_topic(form, rank):
    lines = [(*line[:3], rank, line[4]) for line in LINES[:2]]
    for read in (ir_trunc.rank, lambda *args, **kwargs: calc("RR", *args, **kwargs)):
        with pytest.raises(InputError, match=rf"topic 1, document [ab]: rank {rank} is in the list twice"):
            read(QRELS, form(lines), order="rank")


@pytest.mark.parametrize("rank", [np.nan, "first", 1.5])
def test_an_error_about_a_rank_that_is_no_number_says_nothing_of_grades(rank):
    ranks = frame().assign(rank=[2, rank, 1, 2])
    told = r"topic 1, document a: rank \S+ is not a whole number below 2\^31\.$"
    with pytest.raises(InputError, match=told):
        calc("RR", QRELS, ranks, order="rank")


def test_a_frame_with_ranks_needs_no_scores():
    ranked = frame().drop(columns="score")
    assert both_ways(ranked, order="rank") == [1, 0.5]
    assert both_ways(ranked, order="file") == [0.5, 0.5]
    with pytest.raises(InputError, match=r"has no column score; .* order='rank' takes the column rank"):
        calc("RR", QRELS, ranked)
    refused(InputError, "measures of confidence need the scores", calc, "CWS", QRELS, ranked, order="rank")
    assert rank(QRELS, ranked, order="rank").scores is None


def test_lists_by_rank_keep_their_order_and_have_no_scores():
    lists = {"1": ["b", "a"], "2": ["c", "d"]}
    for order in ("score", "score64", "rank", "file"):
        assert both_ways(lists, order=order) == [0.5, 1]
    assert rank(QRELS, lists).scores is None
    refused(InputError, "measures of confidence need the scores", calc, "CWS", QRELS, lists)
    assert both_ways({"1": ["b", "a"], "2": {"c": 1700000000, "d": 1700000001}}) == [0.5, 0.5]


def test_a_list_by_rank_longer_than_32_bits_can_count_has_no_ties():
    rows = read_run({"1": ["a", "b"]})
    far = np.array([-(2.0**24), -(2.0**24) - 1])
    assert by_rank(read_qrels(QRELS), replace(rows, values=far)).rows.docs.to_pylist() == ["a", "b"]


def test_scores_in_a_dict_are_no_ranks():
    problem = r"topic 2: order='rank' needs a list by rank, \[document, ...\], not scores"
    refused(InputError, problem, calc, "RR", QRELS, {"1": ["a"], "2": {"c": 1}}, order="rank")


def test_distances_are_taken_with_the_opposite_sign(form):
    assert both_ways(form(), lower_is_better=True) == [1, 0.5]
    assert both_ways(form(), lower_is_better=True, order="score64") == [1, 1]
    assert rank(QRELS, form(), lower_is_better=True).scores.tolist()[:2] == [-4, -5]
    with pytest.raises(InputError, match="topic 1: lower_is_better needs scores"):
        calc("RR", QRELS, {"1": ["a"]}, lower_is_better=True)


def test_a_mark_ends_the_list_before_its_first_row(form):
    lines = [("1", "AF", "b", 1, 9), ("1", "NS", "x", 2, 8), ("1", "AF", "a", 3, 7), ("2", "NS", "c", 1, 6)]
    assert rank(QRELS, form(lines), stop="NS").lengths.tolist() == [1, 0]
    assert both_ways(form(lines), stop="NS") == [0, 0]
    assert both_ways(form(lines)) == [1 / 3, 1]


def test_a_column_shown_ends_the_list():
    run = frame().assign(shown=[True, False, False, True])
    assert rank(QRELS, run).lengths.tolist() == [1, 0]
    assert both_ways(run) == [0, 0]
    with pytest.raises(InputError, match=r"topic 1, document b: shown 1: True or False is needed"):
        calc("RR", QRELS, run.assign(shown=1))


def test_a_dict_has_no_second_column():
    refused(InputError, "a dict has no second column", calc, "RR", QRELS, {"1": {"a": 1}}, stop="NS")


def test_a_repeated_document_is_an_error_or_kept_once(form):
    lines = [("1", "Q0", "a", 3, 1), ("1", "Q0", "b", 2, 2), ("1", "Q0", "a", 1, 3), ("2", "Q0", "c", 1, 1)]
    refused(InputError, "topic 1, document a: it is in the list twice", calc, "RR", QRELS, form(lines))
    assert both_ways(form(lines), duplicates="first") == [0.5, 1]
    assert both_ways(form(lines), duplicates="best") == [1, 1]
    assert both_ways(form(lines), duplicates="best", lower_is_better=True) == [1, 1]
    assert both_ways(form(lines), duplicates="first", lower_is_better=True) == [1, 1]
    assert rank(QRELS, form(lines), duplicates="best").lengths.tolist() == [2, 1]


def test_the_error_about_a_frame_of_several_runs_says_how_to_part_it():
    both = pd.concat([frame().assign(text="x", system=name) for name in ("old", "new")])
    parts = r"the column 'system' names .* \{name: part for name, part in df.groupby\('system'\)\}"
    refused(InputError, parts, calc, "RR", QRELS, both)
    refused(InputError, r"keeps one of them\.$", calc, "RR", QRELS, both.drop(columns="system"))
    with pytest.raises(InputError, match=r"not DataFrame, of a frame \{name: part for name, part in df"):
        compare("RR", QRELS, both)


def test_the_error_about_a_repeated_document_or_rank_names_its_lines(tmp_path):
    for name, pack in (("run", bytes), ("run.gz", gzip.compress)):
        (tmp_path / name).write_bytes(pack(b"# by hand\n1 Q0 a 1 3 t\n\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n"))
        with pytest.raises(InputError, match=r"document a: it is in the list twice.* \(lines 2 and 5\)"):
            calc("RR", QRELS, tmp_path / name)
    (tmp_path / "run").write_text("1 Q0 a 1 .9 x\n# a comment\n1 Q0 b 2 .8 x\n1 Q0 c 2 .7 x\n2 Q0 c 1 .7 x\n")
    problem = r"document c: rank 2 is in the list twice; order='file' .* \(lines 3 and 4\)"
    refused(InputError, problem, calc, "AP", QRELS, tmp_path / "run", order="rank")
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 a 0\n")
    with pytest.raises(InputError, match=r"document a: it is judged twice \(lines 1 and 3\)"):
        calc("RR", tmp_path / "qrels", {"1": ["a"]})


def test_every_command_that_takes_runs_takes_how_they_are_read(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 0\n")
    (tmp_path / "x").write_text(text())
    (tmp_path / "y").write_text("1 Q0 a 1 9 t\n2 Q0 d 1 9 t\n")
    qrels, x, y = (str(tmp_path / name) for name in ("qrels", "x", "y"))

    def said(*words):
        assert main(words) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    each = (qrels, x, "RR", "-q", "-n")
    assert said(*each, "--order", "rank").split() == ["1", "RR", "1.0000", "2", "RR", "0.5000"]
    assert said(*each, "--lower-is-better", "--order=score64").split()[2::3] == ["1.0000"] * 2
    assert said(qrels, x, "NumRet", "--stop", "NS").split()[1] == "3.0000"
    assert said("study", "best-cuts", qrels, x, "-m", "RR", "--order", "rank").count(",1.0,") > 0
    assert said("truncate", x, "--policy", "Fixed(k=1)", "--stop", "NS").split() == ["1", "1", "2", "1"]
    power = ("meta", "power", qrels, x, y, "RR", "--csv")
    assert said(*power, "--order", "rank") != said(*power)


def test_what_is_written_keeps_the_order_for_tools_that_read_scores(tmp_path):
    """By rank 'a' is first in topic 1; its score is lower than that of 'b'."""
    import ir_measures

    (tmp_path / "run").write_text(text())
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 c 1\n")
    cut = str(tmp_path / "cut")
    assert main(["truncate", str(tmp_path / "run"), "--policy", "Fixed(k=2)", "--order=rank", "-o", cut]) == 0
    effort = ir_trunc.with_effort(QRELS, tmp_path / "run", order="rank").run
    for run in (list(ir_measures.read_trec_run(cut)), effort):
        qrels = [ir_measures.Qrel("1", "a", 1), ir_measures.Qrel("2", "c", 1)]
        metrics = ir_measures.iter_calc([ir_measures.RR], qrels, run)
        assert {metric.query_id: metric.value for metric in metrics} == {"1": 1, "2": 0.5}
    wrapped = ir_trunc.with_terminal(QRELS, tmp_path / "run", order="rank").run.to_pandas()
    by_score = wrapped.sort_values("score", ascending=False, kind="stable")
    docs = by_score.groupby("query_id")["doc_id"].agg(list).tolist()
    assert docs == [["a", "b", "__end__"], ["d", "c", "__end__"]]
    scores = ir_trunc.with_effort(QRELS, tmp_path / "run").run.to_pandas()["score"]
    assert scores.tolist()[:2] == [5, 4]  # as they were, where they give this order


# streams
def test_a_stream_that_is_read_twice_is_an_error_not_zeros():
    tuples = list(frame().itertuples(index=False))
    for stream in (iter(tuples), (item for item in tuples), pa.table(frame()).to_reader()):
        assert calc("RR", QRELS, stream).values.tolist() == [[0.5, 0.5]]
        with pytest.raises(InputError, match=r"it yields nothing\. An iterator can be read only once"):
            calc("RR", QRELS, stream)
        refused(InputError, "it yields nothing", rank, QRELS, stream)
    refused(InputError, "it yields nothing", calc, "RR", iter([]), tuples)


# warnings
MANY = {str(topic): {"d1": 1, "d2": 0} for topic in range(8)}
EQUAL = (
    "all scores are equal in 8 of 8 lists, so that document ids decide their order; order='file' takes the"
    " rows as they stand, order='rank' the ranks;"
)
AGAINST = "the ranks run against the scores in 8 of 8 sampled lists"


def many(score, mark=lambda rank: "Q0"):
    rows = [(str(topic), rank) for topic in range(8) for rank in range(1, 6)]
    return [(topic, mark(rank), f"d{rank}", rank, float(score(rank))) for topic, rank in rows]


FALLING, LEVEL, RISING = map(many, (lambda r: -r, lambda r: 0, lambda r: r))
NEAR = many(lambda r: 1700000005 - r)
MARKED = many(lambda rank: -rank, lambda rank: "NS" if rank > 3 else "AF")
HIDDEN = many(lambda rank: -rank, lambda rank: "NS" if rank == 3 else "AF")
OTHER = {topic: {"x1": 1} for topic in MANY}


@pytest.mark.parametrize("kept", [True, False], ids=["whole", "in parts"])
@pytest.mark.parametrize(("lines", "qrels", "options", "parts"), [
    (FALLING, MANY, {}, []),
    (LEVEL, MANY, {}, [EQUAL]),
    (LEVEL, MANY, {"order": "rank"}, []),
    (LEVEL, MANY, {"order": "file"}, []),
    (NEAR, MANY, {}, ["all scores are equal in 8 of 8 lists"]),  # as 32-bit floats
    (NEAR, MANY, {"order": "score64"}, []),
    (RISING, MANY, {}, [AGAINST, "lower_is_better=True"]),
    (RISING, MANY, {"lower_is_better": True}, []),
    (RISING, MANY, {"order": "rank"}, []),
    (FALLING, MANY, {"lower_is_better": True}, ["leave lower_is_better=True out"]),
    (FALLING, OTHER, {}, ["none of its 40 documents is judged", "x1"]),
    (MARKED, MANY, {}, ["the second column has several values (AF, NS)"]),
    (MARKED, MANY, {"stop": "NS"}, []),
    (MARKED, MANY, {"stop": "NSX"}, ["no row has the mark NSX"]),
    (HIDDEN, MANY, {"stop": "NS"}, ["16 documents come after one that was not shown"]),
])  # fmt: skip
def test_signs_of_a_misread_run_are_warnings(form, kept, lines, qrels, options, parts):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if kept:
            rank(qrels, form(lines), **options)
        else:
            calc("RR", qrels, form(lines), **options)
    assert len(caught) == bool(parts)
    assert all(part in str(caught[0].message) for part in parts)


@pytest.mark.parametrize("form", ["dict", "frame", "lines", "costs"])  # the kernel leaves costs to Python
def test_lists_with_scores_that_differ_only_beyond_32_bits_are_counted(form, tmp_path):
    run = {str(t): {f"d{k:03}": 100.0 - k for k in range(100)} for t in range(100)}
    for topic in ("3", "40", "41", "77", "99"):
        run[topic]["e"] = run[topic]["d050"] + 1e-9
    qrels = {topic: {"d001": 1} for topic in [*run, "alone"] if topic != "99"}
    run["alone"] = {"d001": 1.0}
    rows = [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    data = run if form == "dict" else pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    if form == "costs":
        data["cost"] = 1.0
    if form == "lines":
        data = tmp_path / "run"
        data.write_text("".join(f"{topic} Q0 {doc} 1 {score} x\n" for topic, doc, score in rows))
    remedy = "so that document ids decide their order; order='score64' compares all digits"
    with pytest.warns(match=rf"only beyond 32 bits in 4 of 99 lists, {remedy}") as notes:
        calc("AP", qrels, data)
    assert sum("32 bits" in str(note.message) for note in notes) == 1
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        calc("AP", qrels, data, order="score64")
        calc("AP", QRELS, {"1": {"a": 0.1234567, "b": 0.1234568}, "2": {}})
    assert not any("32 bits" in str(note.message) for note in notes)


def test_scores_that_do_not_fall_with_the_rank_are_reported(tmp_path):
    scores = (0.9, 0.5, 0.7, 0.6, 0.4, 0.3, 0.35)
    lines = [f"{t} Q0 d{k} {k} {s} x\n" for t in "12" for k, s in enumerate(scores, 1)]
    (tmp_path / "run").write_text("".join(lines), encoding="utf-8")
    qrels = {"1": {"d3": 1}, "2": {"d3": 1}}
    told = "do not fall with the rank in 2 of 2 sampled lists.*order='file' takes the rows as they"
    with pytest.warns(match=told):
        assert calc("RR", qrels, tmp_path / "run").aggregated["RR"] == 0.5
    assert calc("RR", qrels, tmp_path / "run", order="file").aggregated["RR"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("duplicates", ["first", "best"])
def test_lists_by_rank_keep_the_first_place_of_a_document(duplicates):
    run = {"1": ["x", "a", "x", "a", "b"], "2": ["a"]}
    once = {"1": ["x", "a", "b"], "2": ["a"]}
    kept = calc("AP RBPT", QRELS, run, duplicates=duplicates)
    assert kept.to_pandas().equals(calc("AP RBPT", QRELS, once).to_pandas())
    with pytest.raises(InputError, match=r"document x: it is in the list twice; duplicates='first' keeps"):
        calc("AP", QRELS, run)


# What the order of lists says: distances, and lists in the order of their ids, are reported once.
RISE = "the scores rise from the first document on in 12 of 12 lists"
BY_ID = "in the order of their document ids"
TOPICS = [f"q{n}" for n in range(12)]
TWELVE = {topic: {f"{topic}d0": 1} for topic in TOPICS}
ROWS = [
    (topic, f"{topic}d{n}", 0.25 * (n + 1) + 0.01 * q) for q, topic in enumerate(TOPICS) for n in range(4)
]
FRAME = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score"])
LISTS = {topic: [(doc, score) for name, doc, score in ROWS if name == topic] for topic in TOPICS}


def by_topic(frame, made):
    lists = frame.groupby("query_id", sort=False)
    return {topic: list(map(made, docs["doc_id"], docs["score"])) for topic, docs in lists}


IN_ORDER = {
    "tuples": lambda frame, folder: list(frame.itertuples(index=False, name=None)),
    "named tuples": lambda frame, folder: list(frame.itertuples(index=False)),
    "records": lambda frame, folder: frame.to_dict("records"),
    "frame": lambda frame, folder: frame,
    "frame of objects": lambda frame, folder: frame.astype({"query_id": object, "doc_id": object}),
    "columns": lambda frame, folder: frame.to_dict("list"),
    "CSV": lambda frame, folder: to_file(frame, folder / "run.csv"),
    "pairs by topic": lambda frame, folder: by_topic(frame, lambda *pair: pair),
    "documents by topic": lambda frame, folder: by_topic(frame, lambda doc, s: {"id": doc, "score": s}),
}


def told(call):
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IrTruncWarning)
        call()
    return [str(each.message) for each in caught if issubclass(each.category, IrTruncWarning)]


@pytest.mark.parametrize("form", IN_ORDER)
def test_scores_that_rise_are_reported_and_each_remedy_is_one(form, tmp_path):
    run = IN_ORDER[form](FRAME, tmp_path)
    for read in (partial(calc, "RR", TWELVE), read_run, partial(rank, TWELVE), evaluator("RR", TWELVE).calc):
        (message,) = told(lambda read=read: read(run))
        assert RISE in message
    for remedy in ({"lower_is_better": True}, {"order": "file"}):
        assert not told(lambda remedy=remedy: calc("RR", TWELVE, run, **remedy))
        assert calc("RR", TWELVE, run, **remedy).aggregated["RR"] == 1
    falling = IN_ORDER[form](FRAME.assign(score=-FRAME["score"]), tmp_path)
    assert not told(lambda: calc("RR", TWELVE, falling))
    (message,) = told(lambda: calc("RR", TWELVE, falling, lower_is_better=True))
    assert "the distances fall from the first document on in 12 of 12 lists" in message


def test_every_function_reports_it_once(tmp_path, capsys):
    runs = {"a": ROWS, "b": {topic: dict(reversed(docs)) for topic, docs in LISTS.items()}}
    for call in (
        lambda: compare("RR", TWELVE, runs),
        lambda: report("RR", TWELVE, runs, tmp_path / "page.html"),
        lambda: truncation.truncate(ROWS, "Fixed(k=1)"),
        lambda: how_many(TWELVE, ROWS, "RBPT", policies="Greedy", folds=2),
    ):
        assert sum(RISE in message for message in told(call)) == 1
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 {topic}d0 1\n" for topic in TOPICS))
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main([str(tmp_path / "qrels"), str(to_file(FRAME, tmp_path / "run.csv")), "RR"]) == 0
    assert f"{RISE}; if they are distances, --lower-is-better" in capsys.readouterr().err


@pytest.mark.parametrize("form", IN_ORDER)
def test_other_orders_are_not_reported(form, tmp_path):
    random = np.random.default_rng(0)
    mixed = FRAME.assign(score=random.permutation(len(FRAME)).astype(float))
    one_falls = FRAME.assign(score=np.where(FRAME["query_id"] == "q0", -FRAME["score"], FRAME["score"]))
    few = FRAME[FRAME["query_id"].isin(TOPICS[:9])]
    for frame in (mixed, one_falls, few, FRAME.assign(score=1.0).drop_duplicates("query_id")):
        run = IN_ORDER[form](frame, tmp_path)
        assert not [message for message in told(lambda run=run: read_run(run)) if "rise" in message]
    assert not told(lambda: read_run({topic: dict(docs) for topic, docs in LISTS.items()}))  # have no order


BY_RANK = {topic: [doc for doc, _ in docs] for topic, docs in LISTS.items()}


@pytest.mark.needs("spans and stores")
@pytest.mark.parametrize("make", [
    lambda lists: lists,
    lambda lists: {topic: [{"id": doc} for doc in docs] for topic, docs in lists.items()},
    lambda lists: [{"topic_id": topic, "references": docs} for topic, docs in lists.items()],
], ids=["lists", "documents", "answers"])  # fmt: skip
def test_lists_without_scores_in_the_order_of_their_ids_are_reported(make):
    def found(lists, **options):
        return sum(BY_ID in message for message in told(lambda: calc("RR", TWELVE, make(lists), **options)))

    numbers = {topic: [str(n) for n in range(8, 12)] for topic in TOPICS}  # in order as numbers, not as texts
    shorter = {topic: docs[: 2 + n % 3] for n, (topic, docs) in enumerate(BY_RANK.items())}
    for lists in (BY_RANK, numbers, shorter):
        assert found(lists) == 1
        assert found(lists, order="file") == 0
    reversed_one = BY_RANK | {"q3": BY_RANK["q3"][::-1]}
    few = {topic: BY_RANK[topic] for topic in TOPICS[:9]}
    by_chance = {topic: docs[:2] for topic, docs in BY_RANK.items()}  # 1 of 2^12
    for lists in (reversed_one, few, by_chance):
        assert found(lists) == 0
