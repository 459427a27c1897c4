"""What a reader returns goes wherever its input goes, itself, pickled and copied, with the same figures."""

import copy
import os
import pickle
import re
import threading
from itertools import product
from pathlib import Path

import ir_measures
import pandas as pd
import pytest

import ir_trunc
from ir_trunc import InputError, IrTruncError, answers, meta, read_qrels, read_run, truncation
from ir_trunc._cli.main import main
from ir_trunc.truncation import study
from ir_trunc.typing import Reading

pytestmark = pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")

TOPICS = [str(number) for number in range(24)]
QRELS = {topic: {"a": 1, "b": int(topic) % 3, "c": 2 * (int(topic) % 5 > 2)} for topic in TOPICS[:-1]}
ROWS = [
    (topic, doc, (7 * place + 3 * int(topic)) % 11 / 10, place, 1 + place / 4)
    for topic in TOPICS[1:]
    for place, doc in enumerate("xabyc"[: 2 + int(topic) % 4], 1)
]
RUN = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score", "rank", "cost"])
DOUBLE = pd.concat([RUN, RUN[:3].assign(score=2.0)])
NESTED = RUN.assign(query_id=[f"t{int(topic) % 2}" for topic in RUN["query_id"]], day=RUN["query_id"])
OF_KEYS = {f"t{int(topic) % 2}/{topic}": docs for topic, docs in QRELS.items()}
SEARCHES = {f"{topic}/{search}": ["x", "a", search] for topic in TOPICS for search in "bc"}
RENAMED = RUN.rename(columns={"doc_id": "chunk", "score": "relevance"})

CASES = {  # qrels, run, and how the run is read
    "scores and costs": (QRELS, RUN, {}),
    "by rank": (QRELS, RUN, {"order": "rank"}),
    "as it stands": (QRELS, RUN, {"order": "file"}),
    "without scores": (QRELS, {topic: ["x", "a"] for topic in TOPICS[2:]} | {"0": []}, {}),
    "distances": (QRELS, RUN, {"lower_is_better": True}),
    "twice": (QRELS, DOUBLE, {"duplicates": "best"}),
    "withheld": (QRELS, RUN, {"withheld": {topic: ["a"] for topic in TOPICS}}),
    "keys": (OF_KEYS, NESTED.rename(columns={"query_id": "t"}), {"keys": ("t", "day")}),
    "searches": (QRELS, SEARCHES, {"keys": "question/search", "searches": "last"}),
    "columns": (QRELS, RENAMED, {"columns": {"doc_id": "chunk", "score": "relevance"}}),
    "mark": (QRELS, RUN.assign(Q0=["NS" if cost > 1.6 else "Q0" for cost in RUN["cost"]]), {"stop": "NS"}),
}


def policy_of(run, lower_is_better=False, **_):
    """A policy that was fitted on scores, or on distances."""
    lower_is_better |= getattr(run, "given", Reading()).lower_is_better
    return truncation.ScoreThreshold().fit(ir_trunc.rank(QRELS, RUN, lower_is_better=lower_is_better), "RBPT")


DOORS = {
    "calc": lambda q, r, **how: ir_trunc.calc("RBPT nDCG@10 FlatU c@1", q, r, **how).to_pandas(),
    "calc_aggregate": lambda q, r, **how: ir_trunc.calc_aggregate("AP", q, r, **how),
    "iter_calc": lambda q, r, **how: [*ir_trunc.iter_calc("AP", q, r, **how)],
    "curves": lambda q, r, **how: ir_trunc.curves("RBPT", q, r, **how)["RBPT"].values.tolist(),
    "evaluator": lambda q, r, **how: ir_trunc.evaluator("AP", q, **how).calc(r).to_pandas(),
    "rank": lambda q, r, **how: vars(ir_trunc.rank(q, r, **how))["judged_ranks"].tolist(),
    "compare": lambda q, r, **how: ir_trunc.compare("AP", q, {"r": r}, **how),
    "check": lambda q, r, **how: ir_trunc.check("AP > 0.2", q, r, **how).lines(),
    "how_many": lambda q, r, **how: ir_trunc.how_many(q, r, "SetF", policies="Fixed(1)", **how),
    "report": lambda q, r, **how: ir_trunc.report("AP", q, {"r": r}, folds=2, **how),
    "cross_validate": lambda q, r, **how: truncation.cross_validate("Greedy", "AP", q, {"r": r}, 2, **how),
    "risk_coverage": answers.risk_coverage,
    "best_cuts": lambda q, r, **how: study.best_cuts("RBPT", q, {"r": r}, **how),
    "score_matrix": lambda q, r, **how: meta.score_matrix("AP", q, {"r": r}, **how).to_pandas(),
    "pooled_runs": lambda q, r, **how: meta.pooled_runs(q, {"r": r}, **how).score("AP").to_pandas(),
    "with_terminal": lambda q, r, **how: ir_trunc.with_terminal(q, r, **how).run.to_pandas(),
    "with_effort": lambda q, r, **how: ir_trunc.with_effort(q, r, **how).qrels,
    "truncate": lambda q, r, **how: truncation.truncate(r, "Fixed(2)", **how).to_dict(),
    "nil_report": lambda q, r, **how: study.nil_report({"r": r}, **how),
    "read_run": lambda q, r, **how: read_run(r, **how).to_pandas(),
    "monitor": lambda q, r, **how: policy_of(r, **how).monitor(r, **how),
}  # fmt: skip
COPIES = [copy.copy, copy.deepcopy, lambda read: pickle.loads(pickle.dumps(read))]


LONG = {"how_many", "report", "cross_validate", "monitor"}  # these take most of the time
IN_SHORT = {"without scores", "distances", "searches", "columns"}


def is_left_out(case, door):
    """Whether it is for the scheduled job: most cases of some doors, and every second one of the others."""
    if door in LONG:
        return case not in IN_SHORT
    return door != "calc" and ([*CASES].index(case) + [*DOORS].index(door)) % 2 == 1


@pytest.mark.parametrize(
    ("case", "door"),
    [
        pytest.param(case, door, marks=[pytest.mark.weekly] * is_left_out(case, door))
        for case, door in product(CASES, DOORS)
    ],
)
def test_what_is_read_once_is_read_everywhere(case, door):
    qrels, run, how = CASES[case]
    expected = figures(DOORS[door], qrels, run, how)
    read, judged = read_run(run, **how), read_qrels(qrels)
    assert figures(DOORS[door], qrels, read, {}) == expected
    assert figures(DOORS[door], judged, read, how) == expected, "the options given again"


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("case", CASES)
def test_copies_have_the_same_figures(case, copied):
    qrels, run, how = CASES[case]
    read, judged = copied(read_run(run, **how)), copied(read_qrels(qrels))
    assert figures(DOORS["calc"], judged, read, {}) == figures(DOORS["calc"], qrels, run, how)
    cut = truncation.truncate(run, "Fixed(2)", **how)
    assert figures(DOORS["calc"], qrels, copied(cut), {}) == figures(DOORS["calc"], qrels, cut, {})


def figures(door, qrels, run, how):
    try:
        found = door(qrels, run, **how)
    except IrTruncError as error:
        return str(error)
    text = found.to_string() if isinstance(found, pd.DataFrame) else str(found)
    return re.sub(r"[\d-]+ \d\d:\d\d UTC", "", text)  # when a page was made


def test_a_cost_that_is_a_function_is_read_before_a_run_is_pickled():
    passages = {"1": [{"id": "a", "score": 0.5, "text": "four words are here"}]}
    read = read_run(passages, columns={"cost": lambda passage: len(passage["text"].split())})
    assert pickle.loads(pickle.dumps(read)).to_pandas()["cost"].tolist() == [4]


def test_an_option_that_comes_too_late_is_refused_by_name():
    read = read_run(RUN, order="file")
    for option, value in {"order": "score64", "stop": "NS", "columns": {"score": "cost"}}.items():
        with pytest.raises(
            InputError, match=f"run .DataFrame.: this run was read before; read_run takes {option}"
        ):
            ir_trunc.calc("AP", QRELS, read, **{option: value})
    later = ir_trunc.calc("AP", QRELS, read_run(RUN), order="file")
    assert later.values.tolist() == ir_trunc.calc("AP", QRELS, read).values.tolist()


def test_ir_measures_takes_a_run_that_was_read():
    expected = ir_measures.calc_aggregate([ir_measures.AP], QRELS, RUN)
    assert ir_measures.calc_aggregate([ir_measures.AP], QRELS, read_run(RUN)) == expected


JUDGED = [(topic, doc, grade) for topic, grades in QRELS.items() for doc, grade in grades.items()]
TEXTS = {
    "qrels": "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in JUDGED),
    "run": "".join(f"{topic} Q0 {doc} {rank} {score} t\n" for topic, doc, score, rank, _ in ROWS),
    "other": "".join(f"{topic} Q0 {doc} {rank} {-score} t\n" for topic, doc, score, rank, _ in ROWS),
    "people": "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in JUDGED if int(topic) < 12),
    "log": "".join(
        f'{{"id": {topic}, "answer": "x", "confidence": {score}, "correct": {int(score > 0.4)}}}\n'
        for topic, _, score, rank, _ in ROWS
        if rank == 1
    ),
}
COMMANDS_OF_RUNS = [
    "qrels run RBPT -q", "qrels run other RBPT", "qrels run RBPT --explain 3",
    "people run RBPT --judge qrels", "how-many people run SetF --judge qrels", "how-many qrels run SetF",
    "compare qrels run other RBPT", "check qrels run --baseline other --fail-if AP<0.1", "answers log",
    "report qrels run other RBPT -o page.html", "wrap qrels run --terminal", "monitor policy.json run",
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
        ended.append(capsys.readouterr().out)
    assert ended[0] in (0, 1)
    assert ended[2:] == ended[:2], "it waits for an input that it has read"


def test_a_page_of_check_needs_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("qrels", "run"):
        write_pipe(tmp_path / name, TEXTS[name])
    assert main(["check", "qrels", "run", "--fail-if", "AP<0.1", "--report", "page.html"]) == 2
    assert "--report reads qrels twice, for the check and for the page" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("door", DOORS)
def test_no_call_opens_an_input_twice(door, tmp_path):
    folders = tmp_path / "files", tmp_path / "pipes"
    for folder in folders:
        folder.mkdir()
    for folder, write in zip(folders, (Path.write_text, write_pipe)):
        for name in ("qrels", "run"):
            write(folder / name, TEXTS[name])
    whole, piped = ([folder / name for name in ("qrels", "run")] for folder in folders)
    found = []
    call = threading.Thread(target=lambda: found.append(figures(DOORS[door], *piped, {})), daemon=True)
    call.start()
    call.join(60)
    assert found, "it waits for an input that it has read"
    # A table may break a path anywhere.
    found = ["".join(text.split()) for text in found]
    expected = "".join(figures(DOORS[door], *whole, {}).split()).replace("/files/", "/pipes/")
    if door == "report":  # whose last section has the sizes of files
        found, expected = [re.findall(r"\d\.\d{4}", found[0])], re.findall(r"\d\.\d{4}", expected)
    assert found == [expected]


def test_texts_of_documents_need_no_second_reading(tmp_path):
    (tmp_path / "texts.tsv").write_text("a\tthe first\nx\tthe other\n")
    write_pipe(tmp_path / "run", TEXTS["run"])
    runs = {"piped": tmp_path / "run"}
    page = ir_trunc.report("AP", QRELS, runs, folds=2, documents=tmp_path / "texts.tsv")
    assert "the other" in page
