"""Several searches for one question: the gain of each, and when to stop."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from ir_trunc import InputError, IrTruncWarning, ParameterError, calc
from ir_trunc._inference.estimate import Estimate
from ir_trunc.truncation import study


def agent(questions=40, seed=0):
    """One to four searches a question; the top score of one that finds something is higher."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in map(str, range(questions)):
        qrels[q] = {f"{q}r{d}": 1 for d in range(rng.integers(0, 4))}
        for search in range(rng.integers(1, 5)):
            docs = {f"{q}x{rng.integers(0, 9)}": rng.uniform(0.1, 0.5) for _ in range(rng.integers(0, 3))}
            if qrels[q] and rng.random() < 0.5:
                docs[f"{q}r{rng.integers(0, len(qrels[q]))}"] = rng.uniform(0.5, 0.9)
            run[f"{q}/{9 - search}"] = docs  # ids do not sort as the searches go
    return qrels, run


QRELS, RUN = agent()
KEYS = "question/search"


def union(question, stop):
    """The first searches for a question, from the definition."""
    searches = [docs for name, docs in RUN.items() if name.split("/")[0] == question][:stop]
    shown = []
    for docs in searches:
        shown += [doc for doc in sorted(docs, key=docs.get, reverse=True) if doc not in shown]
    return shown, len(searches), [max(docs.values(), default=-np.inf) for docs in searches]


@pytest.mark.parametrize("measure", ["RBPT", "SetF"])
def test_each_search_adds_to_the_union_of_those_before(measure):
    table = study.searches(measure, QRELS, RUN, keys=KEYS)
    assert table.index.tolist() == ["after 1", "after 2", "after 3", "after 4", "oracle", "top score"]
    scores = [calc(measure, QRELS, {q: union(q, stop)[0] for q in QRELS})[measure] for stop in range(1, 5)]
    assert table["score"][:4].tolist() == pytest.approx([of.mean() for of in scores])
    assert table["gain"][1:4].tolist() == pytest.approx(np.diff([of.mean() for of in scores]).tolist())
    assert np.isnan(table["gain"].iloc[0])
    gain = Estimate((scores[1] - scores[0]).to_numpy(), (-1, 1))
    assert table[["low", "high", "p_value"]].iloc[1].tolist() == pytest.approx([*gain.interval(), gain.p()])
    lengths = [np.mean([union(q, stop)[1] for q in QRELS]) for stop in range(1, 5)]
    assert table["searches"][:4].tolist() == pytest.approx(lengths)
    best = pd.concat(scores, axis=1).max(axis=1)
    assert table.loc["oracle", "score"] == pytest.approx(best.mean())
    assert table.loc["oracle", "gain"] == pytest.approx(best.mean() - scores[-1].mean())
    assert table["score"].max() == table.loc["oracle", "score"]
    assert 1 <= table.loc["oracle", "searches"] < table.loc["after 4", "searches"]


def test_the_policy_stops_at_a_top_score_and_is_judged_on_other_questions():
    """Even questions find at once, with a high score; a second search adds a wrong document."""
    qrels = {str(q): {"a": 1} for q in range(20)}
    run = {}
    for q in range(20):
        run[f"{q}/1"] = {"a": 0.9} if q % 2 == 0 else {"x": 0.3}
        run[f"{q}/2"] = {"y": 0.5} if q % 2 == 0 else {"a": 0.8}
    table = study.searches("RBPT", qrels, run, keys=KEYS)
    assert table.loc["top score", "score"] == table.loc["oracle", "score"] > table.loc["after 2", "score"]
    assert table.loc["top score", "searches"] == 1.5
    assert table.loc["top score", "gain"] > 0
    assert study.searches("RBPT", qrels, run, keys=KEYS, seed=1).equals(table)


def test_a_table_of_searches_is_read_as_the_dict_is():
    rows = [(*name.split("/"), *item) for name, docs in RUN.items() for item in docs.items()]
    frame = pd.DataFrame(rows, columns=["question", "search", "doc_id", "score"])
    filled = {name: docs for name, docs in RUN.items() if docs}  # a frame has no row for an empty search
    with pytest.warns(IrTruncWarning, match="not in the run"):
        expected = study.searches("SetF", QRELS, filled, keys=KEYS)
    with pytest.warns(IrTruncWarning, match="not in the run"):
        found = study.searches("SetF", QRELS, frame)
    assert found.equals(expected)


def test_what_is_refused_says_why():
    with pytest.raises(InputError, match="no question has several searches"):
        study.searches("RBPT", QRELS, {f"{q}/1": {f"{q}r0": 1.0} for q in QRELS}, keys=KEYS)
    with pytest.raises(
        ParameterError, match="c@1 looks at all lists of a run at once: a search has no gain by it"
    ):
        study.searches("c@1", QRELS, RUN, keys=KEYS)


def test_the_command_writes_the_table(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.json").write_text(json.dumps({q: docs or {"none": 0} for q, docs in QRELS.items()}))
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    status, out, _ = command("study", "searches", "qrels.json", "run.json", "RBPT", "--keys", KEYS)
    assert status == 0
    found = pd.read_csv(io.StringIO(out), index_col="stop")
    pd.testing.assert_frame_equal(found, pd.DataFrame(study.searches("RBPT", QRELS, RUN, keys=KEYS)))
    for words in (["run.json", "c@1"], ["run.json", "run.json", "RBPT"]):
        status, out, err = command("study", "searches", "qrels.json", *words, "--keys", KEYS)
        assert (status, out, len(err.splitlines())) == (2, "", 1)
