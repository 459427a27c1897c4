"""Several searches for one question: their lists become one, the gain of each, and when to stop."""

import io
import json
import random

import numpy as np
import pandas as pd
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, ParameterError, calc, truncation
from ir_trunc._core.errors import noted
from ir_trunc._inference.estimate import Estimate
from ir_trunc.truncation import study

pytestmark = pytest.mark.filterwarnings("ignore:.*(several searches|not in the run|not read|are few)")

KEYS = ("question", "search")
HOW = ("union", "first", "last", "sequence")


def generated(seed: int, empty: bool = True) -> dict[tuple[str, str], dict[str, float]]:
    """Up to four searches a question, whose ids do not sort as they go, one after the other for all."""
    rng = random.Random(seed)
    run = {}
    for search in range(4):
        for q in range(8):
            if search <= q % 4:
                docs = rng.sample("abcdefgh", rng.randint(0 if empty else 1, 5))
                run[str(q), str(9 - search)] = dict(zip(docs, sorted(rng.sample(range(99), len(docs)))[::-1]))
    return run


def reference(run, how: str) -> dict[str, list[str]]:
    """The list of each question, from the definition."""
    lists: dict[str, list[str]] = {}
    for (question, _), docs in run.items():
        if how == "first" and question in lists:
            continue
        shown = [] if how == "last" else lists.get(question, [])
        lists[question] = shown + [
            doc for doc in sorted(docs, key=docs.get, reverse=True) if doc not in shown
        ]
    return lists


def frame(run) -> pd.DataFrame:
    rows = [(q, s, doc, score) for (q, s), docs in run.items() for doc, score in docs.items()]
    return pd.DataFrame(rows, columns=[*KEYS, "doc_id", "score"])


def spans(run) -> list[dict]:
    """A trace for each question, with its searches; the spans in no order."""
    made = []
    for number, ((q, s), docs) in enumerate(run.items()):
        documents = [{"document": {"id": d, "score": x}} for d, x in docs.items()]
        attributes = {"input.value": f"{q} again", "retrieval.documents": documents}
        context = {"span_id": f"{q}{s}", "trace_id": f"t{q}"}
        made.append({"context": context, "parent_id": f"root{q}", "attributes": attributes})
        made[-1]["start_time"] = f"2026-01-01T00:00:{number:02}Z"
    for q in {q for q, _ in run}:
        attributes = {"openinference.span.kind": "AGENT", "input.value": q}
        context = {"span_id": f"root{q}", "trace_id": f"t{q}"}
        made.append({"context": context, "parent_id": None, "start_time": "2026", "attributes": attributes})
    random.Random(0).shuffle(made)
    return made


FORMS = {
    "tuples as ids": (lambda run: run, {"keys": KEYS}),
    "ids as texts": (
        lambda run: {"/".join(ids): docs for ids, docs in run.items()},
        {"keys": "question/search"},
    ),
    "a frame": (frame, {"keys": KEYS}),
    "spans": (spans, {}),
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(2))
def test_each_form_gives_the_list_of_the_definition(form, how, seed):
    run = generated(seed, empty=form != "a frame")
    make, options = FORMS[form]
    expected = reference(run, how)
    qrels = {q: {"a": 1, "b": 2, "h": 0} for q in expected}
    found = calc("AP RBPT FlatU", qrels, make(run), searches=how, **options)
    assert found.values.tolist() == calc("AP RBPT FlatU", qrels, expected).values.tolist()
    read = ir_trunc.read_run(make(run), searches=how, **options).to_dict()
    assert {q: [*docs] for q, docs in read.items()} == expected
    first = {}  # a document keeps the score of its first search
    for (q, _), docs in run.items():
        first[q] = docs if how == "last" else {**docs, **first.get(q, {})}
    assert all(score == first[q][doc] for q, docs in read.items() for doc, score in docs.items())
    assert found.universe.keys == ()


@pytest.mark.parametrize("form", FORMS)
def test_a_sequence_has_what_each_search_showed(form):
    run = generated(1, empty=form != "a frame")
    make, options = FORMS[form]
    union = reference(run, "union")
    found = ir_trunc.rank({q: {"a": 1} for q in union}, make(run), searches="sequence", **options).universe
    expected: dict[str, list[list[int]]] = {q: [] for q in union}
    for (q, _), docs in run.items():
        expected[q].append([union[q].index(doc) + 1 for doc in sorted(docs, key=docs.get, reverse=True)])
    assert {q: [*searches] for q, searches in found.sequence.items()} == expected


def test_outer_keys_stay():
    run = {("t", *ids): docs for ids, docs in generated(2).items()}
    union = {("t", q): docs for q, docs in reference(generated(2), "union").items()}
    qrels = {ids: {"a": 1} for ids in union}
    found = calc("AP", qrels, run, keys=("team", *KEYS))
    expected = calc("AP", qrels, union, keys=("team", "question"))
    assert found.universe.keys == ("team", "question")
    assert found.aggregated == expected.aggregated


@pytest.mark.parametrize("how", [None, *HOW])
def test_what_was_done_is_told_first(how):
    """In a warning, unless it was asked for, and in the headings; not where nobody searched twice."""
    run, qrels = FORMS["ids as texts"][0](generated(3)), {str(q): {"a": 1} for q in range(8)}
    of_reader = {"keys": "question/search", "searches": how}
    lists = f"that of the {how} one" if how in ("first", "last") else "their union"
    words = f"6 topics with several searches: each list is {lists}"
    with noted(issued=False) as warnings:
        results = calc("RBPT", qrels, run, **of_reader)
    assert any(words in warning for warning in warnings) == (how is None)
    assert words in results.heading
    assert words in str(results.universe)
    assert words in ir_trunc.how_many(qrels, run, policies="Fixed(2)", **of_reader).heading
    once = {name: docs for name, docs in run.items() if name.endswith("/9")}
    assert "searches" not in calc("RBPT", qrels, once, **of_reader).heading


def test_policies_do_not_compare_the_scores_of_several_searches():
    run, qrels = generated(4), {str(q): {"a": 1, "b": 1} for q in range(8)}
    lists = {how: ir_trunc.rank(qrels, run, keys=KEYS, searches=how) for how in HOW}
    for how in ("union", "sequence"):
        for policy in (truncation.ScoreThreshold(), truncation.LargestGap(), truncation.ShareOfTop(0.5)):
            with pytest.raises(InputError, match=r"several searches .* not comparable: .* searches='last'"):
                policy.fit(lists[how], "RBPT").cut(lists[how])
        assert truncation.Fixed(1).fit(lists[how]).cut(lists[how]).max() == 1
        with pytest.raises(InputError, match="have no ties: take searches='last'"):
            calc("RBPT", qrels, run, keys=KEYS, searches=how, ties="expected")
    truncation.ScoreThreshold().fit(lists["last"], "RBPT").cut(lists["last"])
    advice = ir_trunc.how_many(qrels, run, keys=KEYS)
    tried = {policy.partition("(")[0] for policy in advice.policies}
    assert tried == {"always silent", "as retrieved", "Fixed", "Greedy"}
    assert len(advice.left_out) == 1
    assert "ScoreThreshold, ShareOfTop, " in advice.left_out[0]


def test_nor_scores_that_rise_in_another_order():
    """The topic before has lower scores and a tie."""
    rows = [("1", "x", 0.9), ("1", "y", 0.9), ("2", "a", 2.0), ("2", "b", 1.0), ("2", "c", 1.5)]
    rows = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).assign(rank=[1, 2, 1, 2, 3])
    qrels = {"1": {"x": 1}, "2": {"a": 1}}
    for order in ("rank", "file"):
        lists = ir_trunc.rank(qrels, rows, order=order)
        with pytest.raises(InputError, match=f"topic 2: score 1.5 is below 1 by order='{order}'"):
            truncation.ScoreThreshold(0.95).cut(lists)
        assert truncation.Fixed(1).fit(lists).cut(lists).tolist() == [1, 1]
    falling = ir_trunc.rank(qrels, rows.assign(score=[0.9, 0.9, 2.0, 1.5, 0.1]), order="rank")
    assert truncation.ScoreThreshold(0.95).cut(falling).tolist() == [0, 2]


def test_lists_without_scores_have_none_as_a_union():
    run = {ids: [*docs] for ids, docs in generated(5).items()}
    lists = ir_trunc.rank({str(q): {"a": 1} for q in range(8)}, run, keys=KEYS)
    assert lists.scores is None
    assert lists.lengths.tolist() == [len(docs) for docs in reference(generated(5), "union").values()]


@pytest.mark.needs("spans and stores")
def test_the_study_takes_spans_as_they_are():
    run = generated(6)
    qrels = {q: {"a": 1} for q, _ in run}
    by_keys = study.searches("RBPT", qrels, FORMS["ids as texts"][0](run))
    assert study.searches("RBPT", qrels, spans(run)).equals(by_keys)


@pytest.mark.parametrize(("options", "error", "match"), [
    ({"searches": "last"}, InputError,
     "nothing tells its searches apart; spans, or keys whose innermost is 'search'"),
    ({"searches": "best"}, ParameterError, "'union', 'first', 'last' or 'sequence' is needed"),
    ({"searches": "last", "keys": ("question", "turn")}, InputError, "keys whose innermost is 'search'"),
    ({"searches": "sequence", "keys": KEYS, "withheld": "same id"}, InputError, "takes no withheld="),
])  # fmt: skip
def test_what_cannot_be_is_refused(options, error, match):
    qrels = {("1", "x"): {"a": 1}} if options.get("keys") == ("question", "turn") else {"1": {"a": 1}}
    run = {("1", "x"): {"a": 1.0}, ("1", "y"): {"b": 1.0}} if "keys" in options else {"1": {"a": 1.0}}
    refused(error, match, ir_trunc.calc, "RBPT", qrels, run, **options)


def test_searches_are_studied_by_a_measure_with_a_cutoff():
    """The curve of the measure ends at its cutoff, before the lists do."""
    run = {"q/1": {"a": 0.2, "c": 0.1}, "q/2": {"b": 0.9}, "r/1": {"a": 0.8, "d": 0.1}, "r/2": {"c": 0.3}}
    table = study.searches("Success@1", {"q": {"a": 1}, "r": {"b": 1}}, run, folds=2)
    assert table["score"].tolist() == [0.5] * 4
    assert table["searches"].tolist()[:2] == [1, 2]


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
            run[q, str(9 - search)] = docs  # ids do not sort as the searches go
    return qrels, run


QRELS, RUN = agent()


def first(question, stop):
    """The first searches for a question, from the definition."""
    return dict([item for item in RUN.items() if item[0][0] == question][:stop])


@pytest.mark.parametrize("measure", ["RBPT", "SetF"])
def test_each_search_adds_to_the_union_of_those_before(measure):
    table = study.searches(measure, QRELS, RUN, keys=KEYS)
    assert table.index.tolist() == ["after 1", "after 2", "after 3", "after 4", "oracle", "top score"]
    scores = [
        calc(measure, QRELS, {q: reference(first(q, stop), "union")[q] for q in QRELS})[measure]
        for stop in range(1, 5)
    ]
    assert table["score"][:4].tolist() == pytest.approx([of.mean() for of in scores])
    assert table["gain"][1:4].tolist() == pytest.approx(np.diff([of.mean() for of in scores]).tolist())
    assert np.isnan(table["gain"].iloc[0])
    gain = Estimate((scores[1] - scores[0]).to_numpy(), (-1, 1))
    assert table[["low", "high", "p_value"]].iloc[1].tolist() == pytest.approx([*gain.interval(), gain.p()])
    lengths = [np.mean([len(first(q, stop)) for q in QRELS]) for stop in range(1, 5)]
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


def test_what_is_refused_says_why():
    with pytest.raises(InputError, match="no question has several searches"):
        study.searches("RBPT", QRELS, {f"{q}/1": {f"{q}r0": 1.0} for q in QRELS}, keys=KEYS)
    message = "c@1 looks at all lists of a run at once: a search has no gain by it"
    refused(ParameterError, message, study.searches, "c@1", QRELS, RUN, keys=KEYS)


def test_the_command_writes_the_table(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.json").write_text(json.dumps({q: docs or {"none": 0} for q, docs in QRELS.items()}))
    (tmp_path / "run.json").write_text(json.dumps(FORMS["ids as texts"][0](RUN)))
    status, out, _ = command("study", "searches", "qrels.json", "run.json", "RBPT", "--keys", "/".join(KEYS))
    assert status == 0
    found = pd.read_csv(io.StringIO(out), index_col="stop")
    pd.testing.assert_frame_equal(found, pd.DataFrame(study.searches("RBPT", QRELS, RUN, keys=KEYS)))
    for words in (["run.json", "c@1"], ["run.json", "run.json", "RBPT"]):
        status, out, err = command("study", "searches", "qrels.json", *words, "--keys", "/".join(KEYS))
        assert (status, out, len(err.splitlines())) == (2, "", 1)
