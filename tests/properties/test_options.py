"""One table of options: signatures and flags follow from it, and each option acts or is refused."""

from __future__ import annotations

import inspect
import re
from itertools import product
from typing import Annotated, Unpack

import pandas as pd
import pytest
from messages import refused
from public import FUNCTIONS, handed_on

import ir_trunc
from ir_trunc import IrTruncError, NilRule, meta, read_run, truncation
from ir_trunc._cli.main import main
from ir_trunc._ranking.runs import Options
from ir_trunc._read.reading import HowRead, Option, options_of, takes
from ir_trunc._scoring.evaluator import ScoringOptions
from ir_trunc.truncation import cross_validate, study
from ir_trunc.typing import Evaluator, ParameterTypeError, Reading

pytestmark = pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")

TABLE = options_of(ScoringOptions)


@pytest.mark.parametrize(("function", "table"), [
    (read_run, HowRead), (ir_trunc.rank, Options), (Evaluator, ScoringOptions),
    (ir_trunc.calc, ScoringOptions),
])  # fmt: skip
def test_signatures_are_those_of_the_table(function, table):
    own = inspect.signature(function).parameters.values()
    defaults = {each.name: each.default for each in own if each.kind is each.KEYWORD_ONLY}
    defaults.pop("keep_scores", None)
    assert defaults == {name: row.default for name, row in options_of(table).items()}


def test_a_new_option_is_one_row():
    class More(HowRead, total=False):
        colour: Annotated[str, Option("red", "WORD", "The colour of the page.")]

    @takes(More, written=True)
    def paint(page: str, **options: Unpack[More]) -> dict:
        """Paint a page.

        Parameters
        ----------
        page, **options
            What is painted.
        """
        return options

    assert paint("x", colour="blue") == {"colour": "blue"}
    assert inspect.signature(paint).parameters["colour"].default == "red"
    assert "page, order, duplicates" in paint.__doc__
    assert "colour" in paint.__doc__
    with pytest.raises(
        ParameterTypeError, match=r"paint has no option 'color'; it has: .*Did you mean colour\?"
    ):
        paint("x", color="blue")


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if handed_on(name) & {*TABLE}])
def test_an_unknown_option_is_an_error_of_the_function_that_was_called(name):
    own = inspect.signature(FUNCTIONS[name]).parameters.values()
    needed = {
        each.name: {} for each in own if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    }
    if "ir_trunc.adapters.pyterrier" in name:
        return
    refused(TypeError, rf"^{name.rpartition('.')[2]}\b.*'at_moost'", FUNCTIONS[name], **needed, at_moost=3)


def test_flags_and_their_help_are_those_of_the_table(capsys):
    assert main(["compare", "--help"]) == 0
    said = re.sub(r"\s", "", capsys.readouterr().out)
    for name, row in TABLE.items():
        about = row.sentence[1:].removesuffix(".")
        assert f"--{name.replace('_', '-')}" in said
        assert re.sub(r"\s", "", about) in said, name


QRELS = {topic: {"a": 1, "b": int(topic) % 3, "c": 2 * (int(topic) % 5 > 2)} for topic in map(str, range(24))}
ROWS = [
    (
        topic,
        doc,
        (7 * place + 3 * int(topic)) % 11 / 10,
        place,
        "NS" if place > 2 else "Q0",
        "x" if place < 2 else doc,
    )
    for topic in QRELS
    if topic not in ("0", "5", "10")
    for place, doc in enumerate(("xNayc", "bxNac", "yxcb")[int(topic) % 3], 1)
]
RUN = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score", "rank", "Q0", "other"])
RUN["other"] += RUN["rank"].astype(str)
TIES = RUN.assign(score=1.0)
TWICE = pd.concat([RUN, RUN.groupby("query_id").head(1).assign(score=2.0)])
CLOSE = RUN.assign(score=1 + RUN["score"] * 1e-9)
NESTED = {f"{int(topic) % 3}/{topic}": docs for topic, docs in QRELS.items()}
OF_NESTED = RUN.assign(query_id=[f"{int(topic) % 3}/{topic}" for topic in RUN["query_id"]])
FOUND = {"x": ["x", "a"], "y": ["y", "b"], "z": ["c"]}
SEARCHES = {f"{topic}/{search}": docs for topic in QRELS for search, docs in FOUND.items()}

ACTS = {  # data on which each value of an option shows
    "order rank": (QRELS, RUN, {"order": "rank"}, {}),
    "order file": (QRELS, RUN, {"order": "file"}, {}),
    "order score64": (QRELS, CLOSE, {"order": "score64"}, {}),
    "duplicates": (QRELS, TWICE, {"duplicates": "best"}, {"duplicates": "first"}),
    "stop": (QRELS, RUN, {"stop": "NS"}, {}),
    "lower_is_better": (QRELS, RUN, {"lower_is_better": True}, {}),
    "columns": (QRELS, RUN, {"columns": {"score": "rank"}}, {}),
    "keys": (NESTED, OF_NESTED, {"keys": "group/topic"}, {}),
    "searches": (QRELS, SEARCHES, {"keys": "topic/search", "searches": "last"}, {"keys": "topic/search"}),
    "withheld": (QRELS, RUN, {"withheld": {topic: ["a", "x"] for topic in QRELS}}, {}),
    "topics": (QRELS, RUN, {"topics": ["90", "91", *QRELS]}, {}),
    "missing": (QRELS, RUN, {"missing": "exclude"}, {}),
    "nil": (QRELS, RUN, {"nil": NilRule("ends", "N")}, {}),
    "ties": (QRELS, TIES, {"ties": "expected"}, {}),
    "depth": (QRELS, RUN, {"depth": 2}, {}),
}

DOORS = {
    "calc": (lambda q, r, **how: scores(ir_trunc.calc("AP RBPT", q, r, **how)), ()),
    "curves": (lambda q, r, **how: [*ir_trunc.curves("RBPT", q, r, **how)["RBPT"].rows()], ("keys",)),
    "rank": (lambda q, r, **how: lists(ir_trunc.rank(q, r, **how)), ()),
    "compare": (lambda q, r, **how: ir_trunc.compare("AP RBPT", q, {"r": r, "s": r}, **how), ()),
    "check": (lambda q, r, **how: ir_trunc.check(["AP > 0.2", "RBPT > 0.2"], q, r, **how).lines(), ()),
    "report": (lambda q, r, **how: ir_trunc.report("RBPT", q, {"r": r}, folds=2, **how), ()),
    "how_many": (lambda q, r, **how: ir_trunc.how_many(q, r, "RBPT", policies="Fixed(1)", **how), ()),
    "cross_validate": (lambda q, r, **how: cross_validate("Greedy", "RBPT", q, {"r": r}, 2, **how), ()),
    "best_cuts": (lambda q, r, **how: study.best_cuts("RBPT", q, {"r": r}, **how), ("keys",)),
    "score_matrix": (lambda q, r, **how: meta.score_matrix("AP RBPT", q, {"r": r}, **how).to_pandas(), ()),
    "with_terminal": (lambda q, r, **how: ir_trunc.with_terminal(q, r, **how).run.to_pandas(), ("keys",)),
    "with_effort": (lambda q, r, **how: ir_trunc.with_effort(q, r, **how).run.to_pandas(), ("keys",)),
    "truncate": (lambda q, r, **how: truncation.truncate(r, "Fixed(2)", **how).to_pandas(), ("keys",)),
    "read_run": (lambda q, r, **how: read_run(r, **how).to_pandas(), ("keys",)),
}  # fmt: skip


def lists(rankings):
    return rankings.topics, rankings.lengths.tolist(), rankings.judged_ranks.tolist(), str(rankings.universe)


def scores(results):
    return results.topics, results.values.tolist(), results.aggregated


def outcome(door, *given, **how):
    try:
        found = door(*given, **how)
    except (IrTruncError, TypeError) as error:
        return "refused", str(error)
    text = found.to_string() if isinstance(found, pd.DataFrame) else str(found)
    return "done", re.sub(r"[\d-]+ \d\d:\d\d UTC", "", text)


LONG = {"how_many", "report", "cross_validate", "check"}  # these take most of the time
IN_SHORT = {"lower_is_better", "columns", "keys", "missing", "nil"}


@pytest.mark.parametrize(
    ("case", "door"),
    [
        pytest.param(case, door, marks=[pytest.mark.weekly] * (door in LONG and case not in IN_SHORT))
        for case, door in product(ACTS, DOORS)
    ],
)
def test_an_option_acts_or_is_refused_by_name(case, door):
    function, without_effect = DOORS[door]
    qrels, run, how, otherwise = ACTS[case]
    name = case.split()[0]
    state, text = outcome(function, qrels, run, **how)
    if state == "refused":
        assert name in text, text
    elif name not in without_effect:  # there, keys only say what ids are made of
        assert (state, text) != outcome(function, qrels, run, **otherwise)


def test_reading_is_described_by_the_table():
    text = " ".join(Reading.__doc__.split())
    for name, row in options_of(HowRead).items():
        assert f"{name} : " in text
        assert row.sentence in text
        assert row.more in text
