"""What the order of lists says: distances, and lists in the order of their ids, are reported once."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from written import to_file

from ir_trunc import IrTruncWarning, calc, compare, evaluator, how_many, rank, read_run, report, truncation
from ir_trunc._cli.main import main

RISE, BY_ID = (
    "the scores rise from the first document on in 12 of 12 lists",
    "in the order of their document ids",
)
TOPICS = [f"q{n}" for n in range(12)]
QRELS = {topic: {f"{topic}d0": 1} for topic in TOPICS}
ROWS = [
    (topic, f"{topic}d{n}", 0.25 * (n + 1) + 0.01 * q) for q, topic in enumerate(TOPICS) for n in range(4)
]
FRAME = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score"])
LISTS = {topic: [(doc, score) for name, doc, score in ROWS if name == topic] for topic in TOPICS}


FORMS = {
    "tuples": lambda frame, folder: list(frame.itertuples(index=False, name=None)),
    "named tuples": lambda frame, folder: list(frame.itertuples(index=False)),
    "records": lambda frame, folder: frame.to_dict("records"),
    "frame": lambda frame, folder: frame,
    "frame of objects": lambda frame, folder: frame.astype({"query_id": object, "doc_id": object}),
    "columns": lambda frame, folder: frame.to_dict("list"),
    "CSV": lambda frame, folder: to_file(frame, folder / "run.csv"),
    "pairs by topic": lambda frame, folder: {
        topic: list(zip(docs["doc_id"], docs["score"]))
        for topic, docs in frame.groupby("query_id", sort=False)
    },
    "documents by topic": lambda frame, folder: {
        topic: [{"id": doc, "score": score} for doc, score in zip(docs["doc_id"], docs["score"])]
        for topic, docs in frame.groupby("query_id", sort=False)
    },
}


def told(call):
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IrTruncWarning)
        call()
    return [str(each.message) for each in caught if issubclass(each.category, IrTruncWarning)]


@pytest.mark.parametrize("form", FORMS)
def test_scores_that_rise_are_reported_and_each_remedy_is_one(form, tmp_path):
    run = FORMS[form](FRAME, tmp_path)
    for read in (partial(calc, "RR", QRELS), read_run, partial(rank, QRELS), evaluator("RR", QRELS).calc):
        (message,) = told(lambda read=read: read(run))
        assert RISE in message
    for remedy in ({"lower_is_better": True}, {"order": "file"}):
        assert not told(lambda remedy=remedy: calc("RR", QRELS, run, **remedy))
        assert calc("RR", QRELS, run, **remedy).aggregated["RR"] == 1
    falling = FORMS[form](FRAME.assign(score=-FRAME["score"]), tmp_path)
    assert not told(lambda: calc("RR", QRELS, falling))
    (message,) = told(lambda: calc("RR", QRELS, falling, lower_is_better=True))
    assert "the distances fall from the first document on in 12 of 12 lists" in message


@pytest.mark.filterwarnings("default::ir_trunc.IrTruncWarning")
def test_every_function_reports_it_once(tmp_path, capsys):
    runs = {"a": ROWS, "b": {topic: dict(reversed(docs)) for topic, docs in LISTS.items()}}
    for call in (
        lambda: compare("RR", QRELS, runs),
        lambda: report("RR", QRELS, runs, tmp_path / "page.html"),
        lambda: truncation.truncate(ROWS, "Fixed(k=1)"),
        lambda: how_many(QRELS, ROWS, "RBPT", policies="Greedy", folds=2),
    ):
        assert sum(RISE in message for message in told(call)) == 1
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 {topic}d0 1\n" for topic in TOPICS))
    assert main([str(tmp_path / "qrels"), str(to_file(FRAME, tmp_path / "run.csv")), "RR"]) == 0
    assert f"{RISE}; if they are distances, --lower-is-better" in capsys.readouterr().err


@pytest.mark.parametrize("form", FORMS)
def test_other_orders_are_not_reported(form, tmp_path):
    random = np.random.default_rng(0)
    mixed = FRAME.assign(score=random.permutation(len(FRAME)).astype(float))
    one_falls = FRAME.assign(score=np.where(FRAME["query_id"] == "q0", -FRAME["score"], FRAME["score"]))
    few = FRAME[FRAME["query_id"].isin(TOPICS[:9])]
    for frame in (mixed, one_falls, few, FRAME.assign(score=1.0).drop_duplicates("query_id")):
        run = FORMS[form](frame, tmp_path)
        assert not [message for message in told(lambda run=run: read_run(run)) if "rise" in message]
    assert not told(lambda: read_run({topic: dict(docs) for topic, docs in LISTS.items()}))  # have no order


BY_RANK = {topic: [doc for doc, _ in docs] for topic, docs in LISTS.items()}


@pytest.mark.parametrize("make", [
    lambda lists: lists,
    lambda lists: {topic: [{"id": doc} for doc in docs] for topic, docs in lists.items()},
    lambda lists: [{"topic_id": topic, "references": docs} for topic, docs in lists.items()],
], ids=["lists", "documents", "answers"])  # fmt: skip
def test_lists_without_scores_in_the_order_of_their_ids_are_reported(make):
    def found(lists, **options):
        return sum(BY_ID in message for message in told(lambda: calc("RR", QRELS, make(lists), **options)))

    numbers = {topic: [str(n) for n in range(8, 12)] for topic in TOPICS}  # in order as numbers, not as texts
    for lists in (
        BY_RANK,
        numbers,
        {topic: docs[: 2 + n % 3] for n, (topic, docs) in enumerate(BY_RANK.items())},
    ):
        assert found(lists) == 1
        assert found(lists, order="file") == 0
    reversed_one = BY_RANK | {"q3": BY_RANK["q3"][::-1]}
    few = {topic: BY_RANK[topic] for topic in TOPICS[:9]}
    by_chance = {topic: docs[:2] for topic, docs in BY_RANK.items()}  # 1 of 2^12
    for lists in (reversed_one, few, by_chance):
        assert found(lists) == 0
