"""NIL answers under every convention, in every command and procedure."""

from typing import get_args

import ir_measures
import pytest
from generated import EVERY
from messages import refused

from ir_trunc import (
    InputError,
    IrTruncWarning,
    NilRule,
    calc,
    evaluator,
    meta,
    rank,
    read_answers,
    read_qrels,
)
from ir_trunc._cli.main import main
from ir_trunc._ranking.ranked_rows import Convention

QRELS = {"1": {"a": 1}, "2": {"b": 0}, "3": {"c": 0}, "4": {"d": 1}}
RUN = {"1": ["NIL", "a"], "2": ["x", "NIL"], "3": ["NIL"], "4": ["d", "e"]}


def test_nil_ends_the_list_with_one_warning():
    what = r"NIL ends 1 list\(s\) before their last document; 1 document"
    with pytest.warns(UserWarning, match=what) as caught:
        results = calc("RRT RR", QRELS, RUN, nil="ends")
    assert len(caught) == 1
    assert results.rankings.lengths.tolist() == [0, 1, 0, 2]
    assert results.values[0].tolist() == [0, 0.5, 1, 1]


@pytest.mark.parametrize(("nil", "expected"), [("trec2001", [0.5, 0.5, 1, 1]), ("sakai", [0.5, 0, 1, 1])])
def test_nil_is_right_at_any_rank_or_at_rank_1_only(nil, expected):
    assert calc("RR", QRELS, RUN, nil=nil).values[0].tolist() == expected


def test_a_document_called_NIL_is_a_document_unless_the_user_chooses_and_a_warning_says_so():
    what = r"^run \(dict\): 3 lists hold a document called NIL, taken for a document; nil='ends' ends these"
    with pytest.warns(IrTruncWarning, match=what) as caught:
        results = calc("RR", QRELS, RUN)
    assert len(caught) == 1
    assert results.values[0].tolist() == [0.5, 0, 0, 1]
    assert calc("RR", QRELS, RUN, nil="document").values.tolist() == results.values.tolist()  # no warning


@pytest.mark.filterwarnings("ignore:.*documents? called NIL, taken for a document")
def test_every_stock_score_is_that_of_ir_measures_where_documents_are_called_NIL():
    qrels = {"1": {"NIL": 2, "a": 1}, "2": {"b": 1}, "3": {"c": 0}}
    run = {"1": {"x": 3.0, "NIL": 2.0, "a": 1.0}, "2": {"NIL": 2.0, "b": 1.0}, "3": {"NIL": 1.0}}
    measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.P @ 5, ir_measures.SetP]
    stock = {
        (m.measure, m.query_id): m.value for m in ir_measures.pytrec_eval.iter_calc(measures, qrels, run)
    }
    ours = calc(measures, qrels, run)
    for measure, values in zip(ours.measures, ours.values.tolist()):
        assert values == pytest.approx([stock[measure, topic] for topic in ours.topics]), measure


def test_judgments_of_a_document_called_NIL_count_where_it_is_one_and_are_never_lost_in_silence():
    qrels, run = {"1": {"NIL": 1}, "2": {"a": 1}}, {"1": ["x", "NIL"], "2": ["a"]}
    assert calc("RR", qrels, run, nil="document").values[0].tolist() == [0.5, 1]
    for convention in ("ends", "trec2001", "sakai"):
        what = rf"1 judgment\(s\) of a document called NIL are left out, since nil='{convention}' gives"
        with pytest.warns(IrTruncWarning, match=what) as caught:
            results = calc("RRT", qrels, run | {"1": ["NIL"]}, nil=convention)
        assert len(caught) == 1
        assert results.values[0].tolist() == [1, 1]  # a nil query, and NIL says so


@pytest.mark.filterwarnings("ignore:.*NIL")
@pytest.mark.parametrize("nil", get_args(Convention))
def test_a_topic_without_answers_is_a_nil_query_under_every_convention(nil):
    run = {"1": ["NIL", "a"], "2": [], "3": ["NIL"], "4": ["d", "e"]}
    results = calc("Q EM AP", QRELS, run, nil=nil)
    assert results.nil.tolist() == [False, True, True, False]
    silence = results.abstention
    assert (silence.nil, silence.silent, silence.rightly) == ((2, 3, 2) if nil == "ends" else (2, 1, 1))
    assert results.values[:, 1].tolist() == [1, 1, 0]  # the empty list is right
    assert results.values[:2, 2].tolist() == ([0, 0] if nil == "document" else [1, 1])


@pytest.mark.parametrize("nil", ["trec2001", "sakai"])
def test_the_empty_list_on_a_nil_query_scores_the_same_under_every_convention(nil):
    """Every measure, whether NIL is relevant there or nothing is; also at depth 0 of a longer list."""
    listwise = [m for m, bound in EVERY.items() if bound.definition.scope == "list"]
    qrels, run = {"1": {"a": 2, "b": 1}, "2": {"c": 0}, "3": {}}, {"1": {"b": 0.9}, "3": {"NIL": 0.5}}
    expected = calc(listwise, qrels, {"1": {"b": 0.9}}, nil="document")
    found = calc(listwise, qrels, run, nil=nil)
    assert found.values[:, :2].tolist() == expected.values[:, :2].tolist()
    cut = evaluator(listwise, None).calc(found.rankings.cut(0))
    for measure, curve in evaluator(listwise, None).curves(found.rankings).items():
        row = cut.measures.index(measure)
        assert curve.at([0, 0, 0]).tolist() == cut.values[row].tolist()
        assert cut.values[row, 1:].tolist() == expected.values[row, 1:].tolist(), measure


@pytest.mark.filterwarnings("ignore:.*NIL")
def test_the_result_shows_what_NIL_was_taken_for_and_in_how_many_lists():
    default, ends = calc("RR", QRELS, RUN), calc("RR", QRELS, RUN, nil="ends")
    for results, nil in ((default, "0.3750); nil='document'"), (ends, "0.2500); nil='ends'")):
        text = " ".join(repr(results).split())  # a line has 80 columns
        assert text == f"Results over 4 topics (RR: {nil}, 3 of the lists hold that document"
    plain = calc("RR", QRELS, dict.fromkeys(QRELS, ()) | {"1": ["a"]}, nil="ends")
    assert repr(plain) == "Results over 4 topics (RR: 0.2500)"
    assert (ends.rankings.nil.convention, len(ends.rankings.nil)) == ("ends", 3)
    assert ends.rankings.nil.held.tolist() == [True, True, True, False]
    assert [len(view.rankings.nil) for view in ends.views().values()] == [3, 1, 2]
    assert rank(QRELS, RUN, nil="ends").nil.held.tolist() == [True, True, True, False]


def test_views_at_the_command_line_show_what_NIL_was_taken_for(command, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 s\n2 Q0 NIL 1 2 s\n")
    (tmp_path / "plain").write_text("1 Q0 a 1 2 s\n")
    words = (str(tmp_path / "qrels"), str(tmp_path / "run"), "RR", "--views")
    _, out, err = command(*words)
    assert "taken for a document" in err
    assert [line for line in out.splitlines() if "nil=" in line] == [
        "all\tnil=document\t1",
        "answerable\tnil=document\t0",
        "nil\tnil=document\t1",
    ]
    assert "all\tnil=ends\t1" in command(*words, "--nil", "ends")[1]
    assert "nil=" not in command(words[0], str(tmp_path / "plain"), "RR", "--views")[1]


def test_NIL_is_found_whatever_the_normaliser_makes_of_it():
    answers = read_answers({"1": [], "2": [["Paris"]]}, "squad")
    results = calc("EM UF", answers, {"1": "NIL", "2": "NIL"})
    assert results.values.tolist() == [[1, 0], [0, 0]]
    assert len(results.rankings.nil) == 2
    with pytest.warns(IrTruncWarning, match="1 judgment.s. of a document called nil are left out"):
        read_answers({"1": [["Nil."]]}, "squad")
    as_document = read_answers({"1": [["Nil."]]}, "squad", nil="document")
    assert calc("EM", as_document, {"1": "NIL"}).values[0, 0] == 1


def test_a_convention_can_be_chosen_for_qrels_that_are_ready():
    ready, answers = read_qrels(QRELS), read_answers({"1": [["a"]], "2": []})
    assert calc("RR", ready, RUN, nil="trec2001").values[0].tolist() == [0.5, 0.5, 1, 1]
    assert calc("RR", answers, {"2": ["x", "NIL"]}, nil="sakai").values[0].tolist() == [0, 0]
    assert calc("RR", answers, {"2": ["NIL", "x"]}, nil="sakai").values[0].tolist() == [0, 1]
    assert ready.nil == NilRule("document")
    assert answers.nil == NilRule("ends")


@pytest.mark.parametrize("name", ["", " ", 5, None, "__nil__"])
def test_a_NIL_document_needs_an_id_that_a_document_can_have(name):
    refused(InputError, r"NilRule\(id=.*\): a document id other than '__nil__'", NilRule, id=name)


RUN_TEXT = (
    "1 Q0 a 1 3 x\n1 Q0 NIL 2 2 x\n1 Q0 d 3 1 x\n2 Q0 NIL 1 2 x\n2 Q0 b 2 1 x\n3 Q0 NIL 1 2 x\n3 Q0 c 2 1 x\n"
)
SHOWN = pytest.mark.filterwarnings("always::ir_trunc.IrTruncWarning")
COMMANDS = [
    "QRELS RUN SetP",
    "truncate RUN --policy Fixed(k=5)",
    "truncate QRELS RUN SetF --policy Greedy",
    "study cuts QRELS RUN SetF",
    "meta power QRELS RUN OTHER AP SetP",
    "meta power QRELS RUN OTHER AP --pool-depth 2",
    "meta pools QRELS RUN OTHER P --pool-depths 2 --depths 2",
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n3 0 c 0\n")
    (tmp_path / "run").write_text(RUN_TEXT)
    (tmp_path / "other").write_text(RUN_TEXT.replace("1 Q0 a 1 3", "1 Q0 a 1 1.5"))
    return {name.upper(): str(tmp_path / name) for name in ("qrels", "run", "other")}


@SHOWN
@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_that_reads_runs_takes_nil(words, files, capsys):
    given = [files.get(word, word) for word in words.split()]

    def said(*nil):
        assert main([*given, *nil]) == 0
        return capsys.readouterr()

    assert "taken for a document" not in said("--nil", "document").err
    assert "NIL ends 3 list(s)" in said("--nil", "ends").err
    assert main([*given, "--nil", "nothing"]) == 2
    assert "'nothing' is not one of ends, trec2001" in capsys.readouterr().err


@SHOWN
def test_pools_refuse_an_answer_that_no_pool_holds(files):
    with pytest.raises(InputError, match="nil='sakai' makes NIL an answer that no pool holds"):
        meta.pooled_runs(files["QRELS"], [files["RUN"]], nil="sakai")
    with pytest.warns(IrTruncWarning, match="nil='ends' ends these lists"):
        meta.pooled_runs(files["QRELS"], [files["RUN"]])


@pytest.mark.parametrize("nil", ["trec2001", "sakai"])
def test_a_right_nil_stands_at_its_rank_among_the_judged_documents(nil):
    """Bpref counts the irrelevant documents above NIL, of which there are none."""
    run = {"1": {"NIL": 3.0, "a": 2.0, "b": 1.0}, "2": {"c": 1.0}}
    results = calc("Bpref", {"1": {"a": 0, "b": 0}, "2": {"c": 1}}, run, nil=nil)
    assert results.values.tolist() == [[1, 1]]
    assert results.rankings.judged_ranks.tolist() == [1, 2, 3, 1]
