"""Policies and cuts as text and as files, and runs that are cut: what is written is read again."""

import json
import math
from typing import get_args

import pandas as pd
import pytest
from hypothesis import given, strategies as st
from messages import refused

from ir_trunc import InputError, ParameterError, Rankings, calc, load_policy, rank, read_run
from ir_trunc._ranking.ranked_rows import Convention
from ir_trunc.truncation import Fixed, Given, Greedy, LargestGap, Oracle, Policy, ScoreThreshold, ShareOfTop
from ir_trunc.truncation._fitting import rank_without_qrels
from ir_trunc.truncation._text import parse_policy, read_cuts, truncate, write_cuts, write_run
from ir_trunc.truncation._validation import cross_validate

half = ScoreThreshold(0.5)


@pytest.mark.parametrize(("policy", "name"), [
    (Greedy(), "stop.json"), (ScoreThreshold(math.inf), "stop.json.gz"),
    (LargestGap(at_least=1, at_most=5), "stop.json"),
])  # fmt: skip
def test_a_saved_policy_is_loaded_by_its_path(policy, name, tmp_path):
    policy.save(tmp_path / name)
    assert load_policy(tmp_path / name) == parse_policy(str(tmp_path / name)) == policy


def test_what_is_not_a_saved_policy_is_refused_with_its_file(tmp_path):
    path = tmp_path / "stop.json"
    half.save(path)
    content = json.loads(path.read_text())

    for changed, message in [
        ({"ir_trunc": "Power"}, "says that it holds 'Power': a Policy is needed"),
        ({"data": {"policy": "Fixd", "parameters": {"k": 1}}}, "no policy 'Fixd'.*Did you mean"),
        ({"data": {"policy": ["x"], "parameters": {}}}, "there is no policy"),
        ({"data": {"policy": "Fixed", "parameters": {"k": -1}}}, "k=-1 is out of range"),
        ({"data": {"policy": "Fixed", "parameters": {"k": 1, "n": 2}}}, "'n' is unknown"),
        ({"data": 5}, "an object is needed"),
    ]:
        path.write_text(json.dumps(content | changed))
        refused(InputError, rf"stop\.json.*{message}", load_policy, path)


def test_a_file_of_cuts_says_what_it_is(tmp_path):
    write_cuts(tmp_path / "k.tsv", {"1": 2})
    with pytest.raises(InputError, match=r"k\.tsv is a file of cuts, .*: parse_policy and truncate"):
        load_policy(tmp_path / "k.tsv")


def test_a_policy_that_nobody_else_knows_is_not_saved(tmp_path):
    class Mine(Policy):
        def lengths(self, rankings):
            return rankings.lengths

    refused(ParameterError, "Mine is not in the registry of policies", Mine().save, tmp_path / "stop.json")


UNSCORED, NEGATIVE = Rankings.from_lists([[1]]), Rankings.from_lists([[1, 0]], scores=[[-1, -2]])


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda: Oracle("AP")([0.9]), ParameterError, "cannot be used on a live list: it looks at judgments"),
    (lambda: Given({"1": 2}).keep([0.9]), ParameterError, "its cuts belong to topics"),
    (lambda: Greedy().cut(NEGATIVE), ParameterError, "Greedy has no k yet: fit it"),
    (lambda: ScoreThreshold().cut(NEGATIVE), ParameterError, "ScoreThreshold has no threshold yet"),
    (lambda: Oracle().cut(NEGATIVE), ParameterError, "Oracle has no measure yet"),
    (lambda: Fixed(1, at_least=3, at_most=2), ParameterError, "at_least=3 is above at_most=2"),
    (lambda: ShareOfTop(0.5).cut(NEGATIVE), InputError, "topic 1 has -1 for its first document"),
    (lambda: LargestGap().cut(UNSCORED), InputError, "needs the scores"),
    (lambda: Given({}, "k.tsv").cut(NEGATIVE), InputError, "k.tsv has no cut for topic 1"),
    (lambda: Oracle("c@1").cut(NEGATIVE), ParameterError, "c@1 looks at all lists of a run at once"),
    (lambda: Greedy().fit(NEGATIVE, "RBPU OIE"), ParameterError, "one measure, not 2: RBPU, OIE"),
    (lambda: cross_validate("Greedy", "RBPU", None, {"r": NEGATIVE}), ParameterError, "1 topic cannot"),
], ids=range(12))  # fmt: skip
def test_errors_name_the_policy_and_what_is_needed(call, kind, message):
    refused(kind, message, call)


# Cuts.

# What lines are split at, and what is not UTF-8 text, cannot be written; "#" begins a comment; two ids stand
# for something.
ids = st.text(
    st.characters(exclude_characters="\0\t\n\v\f\r ", exclude_categories=["Cs"]), min_size=1, max_size=6
).filter(lambda text: not text.startswith("#") and text not in ("NIL", "__nil__"))
scores = st.floats(-1e6, 1e6, width=32)
a_run = st.dictionaries(ids, st.dictionaries(ids, scores, min_size=1, max_size=8), min_size=1, max_size=6)
RUN = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"a": 0.2}, "q3": {}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cuts")


@pytest.mark.parametrize("name", ["cuts.tsv", "cuts.tsv.gz"])
@given(cuts=st.dictionaries(ids, st.integers(0, 10**6), min_size=1))
def test_cuts_round_trip(folder, name, cuts):
    write_cuts(folder / name, cuts)
    assert read_cuts(folder / name) == cuts


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("name", ["some.run", "some.run.gz"])
@given(run=a_run, data=st.data())
def test_a_run_that_is_cut_reads_as_the_same_lists_cut(folder, name, run, data):
    rows = read_run(run)
    whole = rank_without_qrels(rows)
    cuts = {topic: data.draw(st.integers(0, 9)) for topic in whole.topics}
    write_run(folder / name, rows, cuts)
    back = rank_without_qrels(read_run(folder / name))
    assert back.topics == whole.topics
    expected = whole.cut(Given(cuts).cut(whole))
    assert back.lengths.tolist() == expected.lengths.tolist()
    assert back.scores[back.places].tolist() == expected.scores[expected.places].tolist()


def test_published_cuts_are_read_whatever_separates_the_fields(folder):
    path = folder / "published.txt"
    path.write_bytes(b"\xef\xbb\xbf301\t12\r\n302 0\r\n\r\n  303\t  1000\n")
    assert read_cuts(path) == {"301": 12, "302": 0, "303": 1000}
    assert parse_policy(str(path)) == Given({"301": 12, "302": 0, "303": 1000}, str(path))
    assert f"{Given({'1': 2}, 'my')}, {Given({'1': 2}, 'my')!r}" == "my, Given(cuts={'1': 2}, source='my')"


@pytest.mark.parametrize(("text", "message"), [
    (b"1\t3\n2\t-1\n", "line 2: '2 -1': .* whole number k >= 0 is needed"), (b"1\t3.5\n", "line 1: '1 3.5'"),
    (b"1\n", "line 1: '1'"), (b"1\t2\t3\n", "line 1: '1 2 3'"),
    (b"1\t3\n\n1\t4\n", "line 3: topic 1 has a cut already"), (b"\n\n", "is empty: 'topic<TAB>k'"),
    (b"\xff\t3\n", "line 1: the topic is not UTF-8"), ("1\t٣\n".encode(), "line 1"),
])  # fmt: skip
def test_wrong_lines_are_named(folder, text, message):
    path = folder / "wrong.tsv"
    path.write_bytes(text)
    refused(InputError, f"cuts .*wrong.tsv.*{message}", read_cuts, path)


def test_what_cannot_be_written_is_refused(folder):
    rows = read_run({"1": {"a": 1.0}, "2": {"b": 1.0}})
    refused(InputError, "topic 2 has no cut", write_run, folder / "x.run", rows, {"1": 1})
    refused(InputError, "topic 'a b': a TREC file cannot hold", write_cuts, folder / "x.tsv", {"a b": 1})
    assert not (folder / "x.run").exists()


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_an_empty_list_is_written_as_the_placeholder_which_every_convention_reads_as_no_document(folder):
    rows = read_run({"1": {"a": 3.0, "b": 2.0}, "2": {"c": 3.0, "NIL": 2.0}, "3": {"__nil__": 1.0, "d": 0.5}})
    write_run(folder / "nil.run", rows, {"1": 0, "2": 1, "3": 1, "4": 7})
    lines = [line.split()[:4] for line in (folder / "nil.run").read_text().splitlines()]
    assert lines == [[str(q), "Q0", doc, "1"] for q, doc in enumerate(["__nil__", "c", "d", "__nil__"], 1)]
    for convention in get_args(Convention):
        empty = rank({"1": {"x": 1}, "2": {}, "3": {}, "4": {}}, folder / "nil.run", nil=convention).lengths
        assert empty.tolist() == [0, 1, 1, 0]


def test_a_cut_run_goes_back_to_a_dict_a_frame_and_a_file(tmp_path):
    cut = truncate(RUN, half)
    assert cut.to_dict() == {"q1": {"a": 0.9, "b": 0.8}, "q2": {}, "q3": {}}
    assert cut.cuts == {"q1": 2, "q2": 0, "q3": 0}
    frame = pd.DataFrame({"query_id": ["q1"] * 2, "doc_id": ["a", "b"], "score": [0.9, 0.8], "rank": [1, 2]})
    pd.testing.assert_frame_equal(cut.to_pandas(), frame, check_dtype=False)
    cut.write(tmp_path / "cut.run.gz")
    qrels = {topic: {"a": 1} for topic in RUN}
    forms = cut, cut.to_dict(), tmp_path / "cut.run.gz"
    first, *others = (calc("RBPT SetF", qrels, run).values.tolist() for run in forms)
    assert others == [first, first]
    assert repr(cut) == "Run(3 lists, 2 documents, from run (dict))"


def test_every_form_of_cuts_ends_a_run(tmp_path):
    expected = truncate(RUN, half).to_dict()
    rankings = rank({topic: {"a": 1} for topic in RUN}, RUN)
    write_cuts(tmp_path / "cuts.tsv", {"q1": 2, "q2": 0, "q3": 0})
    half.save(tmp_path / "stop.json")
    for cuts in (
        "ScoreThreshold(0.5)",
        {"q1": 2, "q2": 0, "q3": 9},
        rankings.cut(half.cut(rankings)),
        str(tmp_path / "cuts.tsv"),
        str(tmp_path / "stop.json"),
    ):
        assert truncate(RUN, cuts).to_dict() == expected
    assert truncate(RUN, rankings.cut(Oracle("SetF").cut(rankings))).to_dict()["q1"] == {"a": 0.9}


def test_a_cut_run_has_the_order_in_which_it_was_read():
    distances = {"q": {"near": 0.1, "far": 0.9, "middle": 0.3}}
    cut = truncate(distances, LargestGap(), lower_is_better=True)
    assert cut.to_dict() == {"q": {"near": -0.1, "middle": -0.3}}
    # As ir-measures orders equal scores.
    assert truncate({"q": {"a": 1.0, "b": 1.0, "c": 0.5}}, Fixed(1)).to_dict() == {"q": {"b": 1.0}}
    assert truncate({1: ["x", "y", "z"]}, Fixed(2)).to_pandas()["doc_id"].tolist() == ["x", "y"]


def test_runs_that_cannot_be_cut_are_refused():
    for policy, error, message in [
        ({"q1": 1}, InputError, "cuts has no cut for topic q2: every topic needs one"),
        ({"q1": 1, "q2": 0, "q3": -1}, ParameterError, "cuts, topic 'q3'=-1 is out of range"),
        ("Oracle(measure=AP)", ParameterError, "looks at judgments, which a run does not have"),
        ("Greedy", ParameterError, "Greedy has no k yet"),
        (5, ParameterError, "5 is not a policy"),
        (half.cut, ParameterError, "is not a policy"),
    ]:
        refused(error, message, truncate, RUN, policy)
