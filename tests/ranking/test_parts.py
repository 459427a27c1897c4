"""A run that is ranked in parts has the scores of the same run in one piece, to the last bit."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from generated import ALL, queries, rankings_of, runs, settings_of, with_ids
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import Query

import ir_trunc
from ir_trunc import InputError, calc, curves, read_answers, read_qrels
from ir_trunc._core.errors import ParameterTypeError
from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.runs import put_together, rank_piece, rank_rows, read_run
from ir_trunc.measures import scores
from ir_trunc.measures.declaration import CUTOFF
from ir_trunc.measures.lists import Depths, Lists
from ir_trunc.truncation import LargestGap
from ir_trunc.truncation._text import parse_policy

EVERY = [d.bind({CUTOFF: 5} if d.params.get(CUTOFF) and d.params[CUTOFF].required else {}) for d in ALL]


def groups(count: int, parts: int, seed: int) -> list[np.ndarray]:
    """Positions in random groups, some of them empty, in random order."""
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, parts, count)
    return [rng.permutation(np.flatnonzero(owner == part)) for part in range(parts)]


def same_lists(a: Rankings, b: Rankings) -> bool:
    names = ("lengths", "judged_offsets", "judged_ranks", "judged_grades", "first_scores")
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in names)


def in_pieces(run: list[Query], parts: int, seed: int) -> tuple[Rankings, Rankings]:
    """A run in one piece, and put together from pieces."""
    whole = rankings_of(run)
    return whole, Rankings.concat(whole.judgments, [whole.take(at) for at in groups(len(run), parts, seed)])


@settings(max_examples=5 * settings().max_examples)
@given(run=runs, parts=st.integers(1, 5), seed=st.integers(0, 99))
def test_pieces_put_together_are_the_whole(run, parts, seed):
    """All that measures look at; then they have the same bits."""
    whole, joined = in_pieces(run, parts, seed)
    assert same_lists(joined, whole)
    assert joined.judgments is whole.judgments
    assert joined.overlaps.tobytes() == whole.overlaps.tobytes()
    for name in ("scores", "costs"):
        ours, theirs = getattr(joined, name), getattr(whole, name)
        assert (ours is None) == (theirs is None)
        assert ours is None or ours[joined.places].tobytes() == theirs[whole.places].tobytes()


@cache
def in_drawn_pieces(seed: int) -> tuple[Rankings, Rankings]:
    """One run for all measures."""
    return in_pieces(queries(seed, 1 + seed % 9), 1 + seed % 5, seed)


@cache
def seen(seed: int, kind: type[Lists], cutoff: int | None) -> list[Lists]:
    """The run in one piece and put together, as all formulas with this cutoff see it."""
    return [kind(lists, cutoff) for lists in in_drawn_pieces(seed)]


@pytest.mark.parametrize("definition", ALL, ids=lambda definition: definition.name)
def test_every_measure_has_the_same_bits(definition):
    """In every setting, each on pieces of its own."""
    for at, change in enumerate(settings_of(definition)):
        measure = definition.bind(change)
        for kind in (Lists, Depths):
            whole, joined = seen(at, kind, measure.cutoff)
            assert measure.of(joined).tobytes() == measure.of(whole).tobytes(), (change, kind)


@given(run=runs, depth=st.integers(0, 4), seed=st.integers(0, 99))
def test_lists_that_are_cut_and_picked_are_parts_too(run, depth, seed):
    whole = rankings_of(run).cut(depth)
    at = np.random.default_rng(seed).permutation(len(run))[: len(run) // 2 + 1]
    picked = whole.take(np.sort(at))
    again = Rankings.concat(picked.judgments, [picked])
    assert same_lists(again, picked)
    assert np.array(scores(EVERY, again)).tobytes() == np.array(scores(EVERY, picked)).tobytes()


@given(seed=st.integers(0, 9999), parts=st.integers(1, 4))
def test_rows_of_whole_topics_are_parts_under_every_nil_convention(seed, parts):
    qrels, run = with_ids(queries(seed, 6), seed)
    names = run["query_id"].unique()
    frames = [run[run["query_id"].isin(names[at])] for at in groups(len(names), parts, seed)]
    for nil in ("ends", "trec2001", "sakai", "document"):
        ready = read_qrels(qrels, nil=nil)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            whole = calc("AP", ready, run)
        with warnings.catch_warnings(record=True) as said_of_parts:
            warnings.simplefilter("always")
            made = [rank_piece(ready, read_run(frame)) for frame in frames]
            assert not said_of_parts
            joined = put_together(ready, made, "run (DataFrame)")
        assert [str(w.message) for w in said_of_parts] == [str(w.message) for w in said], nil
        assert same_lists(joined, whole.rankings), nil
        for name in ("topics", "grades", "levels"):
            assert np.array_equal(getattr(joined.judgments, name), getattr(whole.rankings.judgments, name))
        some = EVERY[seed % 9 :: 9]
        for measure, found, expected in zip(some, scores(some, joined), scores(some, whole.rankings)):
            assert found.tobytes() == expected.tobytes(), (nil, measure.definition.name)


def test_answers_of_which_only_the_first_of_a_class_counts_come_in_parts():
    qrels = read_answers({"1": [["a", "the A"], {"b": 3}], "2": [], "3": [["c"]]}, "squad")
    run = pd.DataFrame(
        {"query_id": list("111223"), "doc_id": ["x", "an A", "the a", "d", "the", "C"], "score": range(6)}
    )
    parts = [rank_piece(qrels, read_run(run[run["query_id"] == topic])) for topic in "312"]
    with pytest.raises(InputError, match="topic 2"):  # the same topic again
        put_together(qrels, [*parts, parts[2]], "run")
    with pytest.warns(match="^run: 3 answer.s. that normalise to nothing are left out"):
        joined = put_together(qrels, parts, "run")
    with pytest.warns(match="3 answer.s. that normalise to nothing are left out"):
        whole = calc("Q", qrels, run).rankings
    assert same_lists(joined, whole)


def test_no_part_at_all_is_a_silent_run():
    qrels = read_qrels({"1": {"a": 1}, "2": {"b": 0}})
    assert same_lists(put_together(qrels, [], "run"), calc("AP", qrels, {}).rankings)


def test_a_topic_in_two_parts_is_an_error_that_names_it():
    qrels = read_qrels({"1": {"a": 1}, "2": {"b": 0}})
    part = rank_piece(qrels, read_run({"2": {"x": 1.0}}))
    with pytest.raises(InputError, match="topic 2 is in two pieces of the run"):
        put_together(qrels, [part, rank_piece(qrels, read_run({"1": {"x": 1.0}})), part], "run r")


def test_a_piece_is_one_list_for_each_topic_that_it_has_with_its_judged_documents_only():
    qrels = read_qrels({"1": {"a": 1, "b": -1}, "2": {"b": 0}, "3": {"c": 2}})
    run = {"1": {"x": 3.5, "a": 3, "y": 2, "b": 1}, "3": {"z": 1}, "4": {"z": 1}}
    piece = rank_piece(qrels, read_run(run)).rankings
    assert piece.topics == ("1", "3")
    assert piece.lengths.tolist() == [4, 1]
    assert (piece.judged_ranks.tolist(), piece.judged_grades.tolist()) == ([2, 4], [1, -1])
    assert piece.first_scores.tolist() == [3.5, 1.0]
    assert piece.scores is None


def test_a_topic_that_the_judgments_lack_is_an_error_that_names_it():
    with pytest.raises(InputError, match="topic x of a piece is not a topic of the judgments"):
        Rankings.concat(
            Rankings.from_lists([[1]]).judgments,
            [Rankings.from_lists([[1]]), Rankings.from_lists([[1]], topics=["x"])],
        )


def test_costs_that_only_some_pieces_have_are_an_error():
    some = Rankings.from_lists([[1], [1]], costs=[[1.0], [1.0]])
    with pytest.raises(InputError, match="only some pieces of the run have costs"):
        Rankings.concat(some.judgments, [some.take([0]), Rankings.from_lists([[1], [1]]).take([1])])


def test_scores_and_costs_go_with_their_lists():
    whole = Rankings.from_lists(
        [[1, 0], [], [0]], scores=[[3.0, 1.0], [], [2.0]], costs=[[0.5, 0.25], [], [0.75]]
    )
    joined = Rankings.concat(whole.judgments, [whole.take([2]), whole.take([0])])
    assert joined.scores[joined.places].tolist() == [3.0, 1.0, 2.0]
    assert joined.costs[joined.places].tolist() == [0.5, 0.25, 0.75]
    assert joined.lengths.tolist() == [2, 0, 1]


def test_a_piece_that_starts_over_has_the_rows_of_all_before_it():
    qrels = read_qrels({"1": {"a": 1}, "2": {"b": 1}})
    first = read_run({"1": {"x": 2.0}})
    whole = replace(read_run({"1": {"x": 2.0, "a": 1.0}, "2": {"b": 1.0}}), starts_over=True)
    lists = rank_rows(qrels, [first, whole], keep_scores=True)
    assert same_lists(lists, rank_rows(qrels, [whole]))
    assert lists.scores[lists.places].tolist() == [2.0, 1.0, 1.0]


@pytest.mark.parametrize("policy", ["LargestGap", "ShareOfTop(share=0.5)", "Fixed(k=1)"])
def test_policies_take_the_rankings_of_scores_that_were_kept(policy):
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.9, "x": 0.3, "y": 0.2}, "2": {"b": 0.1}}
    kept = calc("AP", qrels, run, keep_scores=True)
    assert kept.rankings.scores.tolist() == ir_trunc.rank(qrels, run).scores.tolist()
    chosen = parse_policy(policy)
    assert chosen.cut(kept.rankings).tolist() == chosen.cut(ir_trunc.rank(qrels, run)).tolist()
    ready = ir_trunc.evaluator("AP", qrels)
    assert chosen.cut(ready.calc(run, keep_scores=True).rankings).tolist() == (
        chosen.cut(kept.rankings).tolist()
    )
    assert calc("AP", None, kept.rankings, keep_scores=True).values.tolist() == kept.values.tolist()


def test_rankings_without_scores_say_what_keeps_them():
    found = calc("AP", {"1": {"a": 1}}, {"1": {"a": 0.9}}).rankings
    with pytest.raises(InputError, match=r"ir_trunc\.rank.* or calc\(\.\.\., keep_scores=True\)"):
        LargestGap().cut(found)
    with pytest.raises(InputError, match="keep_scores=True: these Rankings have no scores"):
        calc("AP", None, found, keep_scores=True)
    with pytest.raises(ParameterTypeError, match="keep_scores='yes': True or False is needed"):
        calc("AP", {"1": {"a": 1}}, {"1": {"a": 0.9}}, keep_scores="yes")


def test_first_scores_follow_the_lists():
    lists = Rankings.from_lists([[1, 0], [], [0]], scores=[[3.0, 1.0], [], [2.0]])
    assert lists.first_scores.tolist() == [3.0, -np.inf, 2.0]
    assert lists.take([2, 1]).first_scores.tolist() == [2.0, -np.inf]
    assert lists.cut([1, 0, 0]).first_scores.tolist() == [3.0, -np.inf, -np.inf]
    assert lists.unjudged().first_scores.tolist() == [3.0, -np.inf, 2.0]
    assert Rankings.from_lists([[1]]).first_scores is None
    assert curves("CWS", None, lists)


def test_one_warning_speaks_for_all_parts():
    qrels = read_qrels({"1": {"a": 1}})
    strange = [
        rank_piece(qrels, read_run({"zz": {"a": 1.0}, "yy": {"a": 1.0}})),
        rank_piece(qrels, read_run({"xx": {"a": 1.0}})),
    ]
    with pytest.warns(
        match=r"^run: 3 topics that the qrels lack are left out \(topic xx for one\); NO topic is left\.$"
    ):
        put_together(qrels, strange, "run")
    with pytest.warns(match=r"^run: 3 topics that the qrels lack are left out \(topic xx for one\)\.$"):
        put_together(
            qrels,
            [
                *strange,
                rank_piece(qrels, read_run({"1": {}})),
                rank_piece(qrels, read_run({"1": {"a": 1.0}})),
            ],
            "run",
        )
