"""Every function that reads qrels and a run: options act or are refused, what was read is taken as it was.

One table has the options: signatures and flags follow from it. What a reader returns goes wherever its input
goes, itself, pickled and copied, with the same figures. An input is opened once, and changed by no function.
"""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import re
import threading
from itertools import product
from pathlib import Path

import ir_measures
import pandas as pd
import pytest
from messages import refused
from public import FUNCTIONS, handed_on

import ir_trunc
from ir_trunc import InputError, IrTruncError, NilRule, answers, meta, read_qrels, read_run, truncation
from ir_trunc._cli.main import main
from ir_trunc._ranking.runs import Options
from ir_trunc._read.reading import HowRead, options_of
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


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if handed_on(name) & {*TABLE}])
def test_an_unknown_option_is_an_error_of_the_function_that_was_called(name):
    own = inspect.signature(FUNCTIONS[name]).parameters.values()
    named = [each for each in own if each.kind is not each.VAR_KEYWORD]
    needed = {each.name: {} for each in named if each.default is each.empty}
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


def test_reading_is_described_by_the_table():
    text = " ".join(Reading.__doc__.split())
    for name, row in options_of(HowRead).items():
        assert f"{name} : " in text
        assert row.sentence in text
        assert row.more in text


QRELS = {topic: {"a": 1, "b": int(topic) % 3, "c": 2 * (int(topic) % 5 > 2)} for topic in map(str, range(24))}
ROWS = [
    (topic, doc, (7 * place + 3 * int(topic)) % 11 / 10, place, 1 + place / 4)
    for topic in QRELS
    if topic not in ("0", "5", "10")
    for place, doc in enumerate(("xNayc", "bxNac", "yxcb")[int(topic) % 3], 1)
]
RUN = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score", "rank", "cost"])
TWICE = pd.concat([RUN, RUN.groupby("query_id").head(1).assign(score=2.0)])
NESTED = {f"{int(topic) % 3}/{topic}": docs for topic, docs in QRELS.items()}
OF_NESTED = RUN.assign(query_id=[f"{int(topic) % 3}/{topic}" for topic in RUN["query_id"]])
FOUND = {"x": ["x", "a"], "y": ["y", "b"], "z": ["c"]}
SEARCHES = {f"{topic}/{search}": docs for topic in QRELS for search, docs in FOUND.items()}

CASES = {  # qrels, a run, how it is read, and another way, which gives other figures
    "scores and costs": (QRELS, RUN, {}, None),
    "without scores": (QRELS, {topic: ["x", "a"] for topic in [*QRELS][2:]} | {"0": []}, {}, None),
    "order rank": (QRELS, RUN, {"order": "rank"}, {}),
    "order file": (QRELS, RUN, {"order": "file"}, {}),
    "order score64": (QRELS, RUN.assign(score=1 + RUN["score"] * 1e-9), {"order": "score64"}, {}),
    "duplicates": (QRELS, TWICE, {"duplicates": "best"}, {"duplicates": "first"}),
    "stop": (QRELS, RUN.assign(Q0=["NS" if rank > 2 else "Q0" for rank in RUN["rank"]]), {"stop": "NS"}, {}),
    "lower_is_better": (QRELS, RUN, {"lower_is_better": True}, {}),
    "columns": (QRELS, RUN.assign(other=RUN["score"] * 5 % 1), {"columns": {"score": "other"}}, {}),
    "keys": (NESTED, OF_NESTED, {"keys": "group/topic"}, {}),
    "searches": (QRELS, SEARCHES, {"keys": "topic/search", "searches": "last"}, {"keys": "topic/search"}),
    "withheld": (QRELS, RUN, {"withheld": {topic: ["a", "x"] for topic in QRELS}}, {}),
    "topics": (QRELS, RUN, {"topics": ["90", "91", *QRELS]}, {}),
    "missing": (QRELS, RUN, {"missing": "exclude"}, {}),
    "nil": (QRELS, RUN, {"nil": NilRule("ends", "N")}, {}),
    "ties": (QRELS, RUN.assign(score=1.0), {"ties": "expected"}, {}),
    "depth": (QRELS, RUN, {"depth": 2}, {}),
}
OF_READING = [case for case, (_, _, how, _) in CASES.items() if how.keys() <= HowRead.__annotations__.keys()]
LONG = {"how_many", "report", "cross_validate", "check", "monitor"}  # these take most of the time
IN_SHORT = {"without scores", "lower_is_better", "columns", "keys", "searches", "missing", "nil"}


def policy_of(run, lower_is_better=False, **_):
    """A policy that was fitted on scores, or on distances."""
    lower_is_better |= getattr(run, "given", Reading()).lower_is_better
    return truncation.ScoreThreshold().fit(ir_trunc.rank(QRELS, RUN, lower_is_better=lower_is_better), "RBPT")


def scores(results):
    return results.topics, results.values.tolist(), results.aggregated


def lists(rankings):
    return rankings.topics, rankings.lengths.tolist(), rankings.judged_ranks.tolist(), str(rankings.universe)


DOORS = {
    "calc": lambda q, r, **how: scores(ir_trunc.calc("AP RBPT nDCG@10 FlatU", q, r, **how)),
    "calc_aggregate": lambda q, r, **how: ir_trunc.calc_aggregate("c@1 AP", q, r, **how),
    "iter_calc": lambda q, r, **how: [*ir_trunc.iter_calc("AP", q, r, **how)],
    "curves": lambda q, r, **how: [*ir_trunc.curves("RBPT", q, r, **how)["RBPT"].rows()],
    "evaluator": lambda q, r, **how: scores(ir_trunc.evaluator("AP", q, **how).calc(r)),
    "rank": lambda q, r, **how: lists(ir_trunc.rank(q, r, **how)),
    "compare": lambda q, r, **how: ir_trunc.compare("AP RBPT", q, {"r": r}, **how),
    "check": lambda q, r, **how: ir_trunc.check(["AP > 0.2", "RBPT > 0.2"], q, r, **how).lines(),
    "how_many": lambda q, r, **how: ir_trunc.how_many(q, r, "RBPT", policies="Fixed(1)", **how),
    "report": lambda q, r, **how: ir_trunc.report("RBPT", q, {"r": r}, folds=2, **how),
    "cross_validate": lambda q, r, **how: cross_validate("Greedy", "RBPT", q, {"r": r}, 2, **how),
    "risk_coverage": answers.risk_coverage,
    "best_cuts": lambda q, r, **how: study.best_cuts("RBPT", q, {"r": r}, **how),
    "score_matrix": lambda q, r, **how: meta.score_matrix("AP RBPT", q, {"r": r}, **how).to_pandas(),
    "pooled_runs": lambda q, r, **how: meta.pooled_runs(q, {"r": r}, **how).score("AP").to_pandas(),
    "with_terminal": lambda q, r, **how: ir_trunc.with_terminal(q, r, **how).run.to_pandas(),
    "with_effort": lambda q, r, **how: ir_trunc.with_effort(q, r, **how).run.to_pandas(),
    "truncate": lambda q, r, **how: truncation.truncate(r, "Fixed(2)", **how).to_pandas(),
    "nil_report": lambda q, r, **how: study.nil_report({"r": r}, **how),
    "read_run": lambda q, r, **how: read_run(r, **how).to_pandas(),
    "monitor": lambda q, r, **how: policy_of(r, **how).monitor(r, **how),
}  # fmt: skip
AS_IDS = {"curves", "best_cuts", "with_terminal", "with_effort", "truncate", "read_run", "iter_calc"}
"""Where keys only say what ids are made of."""
OF_FEW = {"monitor", "nil_report", "pooled_runs", "risk_coverage"}
"""Whose figures are those of lengths or of first scores, which few options change."""


MADE = re.compile(r"[\d-]+ \d\d:\d\d UTC")  # when a page was made


def outcome(door, qrels, run, **how):
    """What a function says of a run, or why it refuses it."""
    try:
        found = DOORS[door](qrels, run, **how)
    except (IrTruncError, TypeError) as error:
        return "refused", str(error)
    text = found.to_string() if isinstance(found, pd.DataFrame) else str(found)
    return "done", MADE.sub("", text)


def cases(names, doors, step=1):
    """Cases and doors; the scheduled job has most of those that take long, and all but each `step`th."""
    rows = []
    for at, (door, case) in enumerate(product(doors, names)):
        weekly = case not in IN_SHORT if door in LONG else at % step > 0
        rows.append(pytest.param(case, door, marks=[pytest.mark.weekly] * weekly))
    return rows


CHANGED = [case for case, of in CASES.items() if of[3] is not None]


@pytest.mark.parametrize(("case", "door"), cases(CHANGED, [door for door in DOORS if door not in OF_FEW]))
def test_an_option_acts_or_is_refused_by_name(case, door):
    qrels, run, how, otherwise = CASES[case]
    name = case.split()[0]
    state, text = outcome(door, qrels, run, **how)
    if state == "refused":
        assert name in text, text
    elif name != "keys" or door not in AS_IDS:
        assert (state, text) != outcome(door, qrels, run, **otherwise)


@pytest.mark.parametrize(("case", "door"), cases(OF_READING, DOORS, step=2))
def test_what_is_read_once_is_read_everywhere(case, door):
    qrels, run, how, _ = CASES[case]
    expected = outcome(door, qrels, run, **how)
    read, judged = read_run(run, **how), read_qrels(qrels)
    assert outcome(door, qrels, read) == expected
    assert outcome(door, judged, read, **how) == expected, "the options given again"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda read: pickle.loads(pickle.dumps(read))])
@pytest.mark.parametrize("case", OF_READING)
def test_copies_have_the_same_figures(case, copied):
    qrels, run, how, _ = CASES[case]
    read, judged = copied(read_run(run, **how)), copied(read_qrels(qrels))
    assert outcome("calc", judged, read) == outcome("calc", qrels, run, **how)
    cut = truncation.truncate(run, "Fixed(2)", **how)
    assert outcome("calc", qrels, copied(cut)) == outcome("calc", qrels, cut)


IN_DICTS = {topic: dict(zip(part["doc_id"], part["score"])) for topic, part in RUN.groupby("query_id")}
JUDGED = [(topic, doc, grade) for topic, grades in QRELS.items() for doc, grade in grades.items()]
IN_FRAME = pd.DataFrame(JUDGED, columns=["query_id", "doc_id", "relevance"])


@pytest.mark.parametrize(("qrels", "run"), [(QRELS, IN_DICTS), (IN_FRAME, RUN)], ids=["dicts", "frames"])
@pytest.mark.parametrize("door", DOORS)
def test_no_function_changes_what_it_is_given(qrels, run, door):
    """Nor the order of its keys."""
    given = copy.deepcopy((qrels, run))
    outcome(door, *given)
    ir_trunc.with_topics(given[0], ["99"])
    for data, before in zip(given, (qrels, run)):
        assert str(data) == str(before)
        assert not isinstance(data, pd.DataFrame) or data.equals(before)


@pytest.mark.needs("spans and stores")
def test_a_cost_that_is_a_function_is_read_before_a_run_is_pickled():
    passages = {"1": [{"id": "a", "score": 0.5, "text": "four words are here"}]}
    read = read_run(passages, columns={"cost": lambda passage: len(passage["text"].split())})
    assert pickle.loads(pickle.dumps(read)).to_pandas()["cost"].tolist() == [4]


def test_an_option_that_is_unknown_or_comes_too_late_is_refused_by_name():
    said = r"compare has no option 'ordr'; it has: .*Did you mean order\?"
    refused(ParameterTypeError, said, ir_trunc.compare, "AP", QRELS, {"r": RUN}, ordr="file")
    read = read_run(RUN, order="file")
    for option, value in {"order": "score64", "stop": "NS", "columns": {"score": "cost"}}.items():
        said = f"run .DataFrame.: this run was read before; read_run takes {option}"
        refused(InputError, said, ir_trunc.calc, "AP", QRELS, read, **{option: value})
    later = ir_trunc.calc("AP", QRELS, read_run(RUN), order="file")
    assert later.values.tolist() == ir_trunc.calc("AP", QRELS, read).values.tolist()


def test_ir_measures_takes_a_run_that_was_read():
    expected = ir_measures.calc_aggregate([ir_measures.AP], QRELS, RUN)
    assert ir_measures.calc_aggregate([ir_measures.AP], QRELS, read_run(RUN)) == expected


TEXTS = {
    "qrels": "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in JUDGED),
    "run": "".join(f"{topic} Q0 {doc} {rank} {score} t\n" for topic, doc, score, rank, _ in ROWS),
    "other": "".join(f"{topic} Q0 {doc} {rank} {-score} t\n" for topic, doc, score, rank, _ in ROWS),
    "people": "".join(
        f"{topic} 0 {doc} {QRELS[topic].get(doc, 0)}\n" for topic in [*QRELS][:12] for doc in "abcxyN"
    ),
    "log": "".join(
        f'{{"id": {topic}, "answer": "x", "confidence": {score}, "correct": {int(score > 0.4)}}}\n'
        for topic, _, score, rank, _ in ROWS
        if rank == 1
    ),
    "queries": "".join(f"{topic}\twords of it\n" for topic in QRELS),
    "documents": "a\tthe first\nx\tthe other\n",
}
COMMANDS_OF_RUNS = [
    "qrels run RBPT -q", "qrels run other RBPT", "qrels run RBPT --explain 3",
    "people run RBPT --judge qrels", "how-many people run SetF --judge qrels", "how-many qrels run SetF",
    "compare qrels run other RBPT", "check qrels run --baseline other --fail-if AP<0.1", "answers log",
    "report qrels run RBPT --queries queries --documents documents -o page.html",
    "check qrels run --baseline other --topics queries --fail-if passages>1 --report page.html",
    "check people run --judge qrels --fail-if P@1<0.1 --report page.html", "wrap qrels run --terminal",
    "wrap qrels run --effort", "monitor policy.json run", "study nil-report run",
    "truncate qrels run RBPT --policy Fixed(k=2)", "truncate run --policy LargestGap",
    "study policies qrels run RBPT --folds 2 --policy Greedy", "meta pools qrels run other AP",
    *(f"study {name} qrels run other RBPT" for name in ("agreement", "best-cuts", "cuts")),
    *(f"meta {name} qrels run other AP" for name in ("power", "stability", "split-tests", "standardised")),
    "meta matrix qrels run other AP -o matrix.json", "meta truncation-impact qrels run other RBPT@5",
]  # fmt: skip


def write_pipe(path, text):
    """A named pipe gives its content once: who opens it again waits for ever."""
    os.mkfifo(path)
    threading.Thread(target=path.write_text, args=[text], daemon=True).start()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("line", COMMANDS_OF_RUNS)
def test_no_command_opens_an_input_twice(line, tmp_path, monkeypatch, capsys):
    policy, ended = policy_of(RUN), []
    for folder, write in (("files", Path.write_text), ("pipes", write_pipe)):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        for name, text in TEXTS.items():
            write(tmp_path / folder / name, text)
        policy.save("policy.json")
        call = threading.Thread(target=lambda: ended.append(main(line.split())), daemon=True)
        call.start()
        call.join(60)
        page = Path("page.html").read_text("utf-8") if "page.html" in line else ""
        ended.append((capsys.readouterr().out, MADE.sub("", page)))
    assert ended[0] in (0, 1)
    assert ended[2:] == ended[:2], "it waits for an input that it has read"
