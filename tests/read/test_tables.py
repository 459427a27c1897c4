"""Columns of tables: names that the user gives, and costs."""

import json

import numpy as np
import pandas as pd
import pytest
from messages import refused
from written import to_file

from ir_trunc import InputError, calc, rank, read_answers, read_qrels, read_run

pl = pytest.importorskip("polars")
QRELS = {"1": {"a": 1}, "2": {"b": 2}}
RUN = {"1": {"a": 0.9, "b": 0.5}, "2": {"a": 0.7}}
LABELS = pd.DataFrame({"question": ["1", "2"], "chunk": ["a", "b"], "grade": [1, 2], "note": ["", "x"]})
FOUND = pd.DataFrame({"question": ["1", "1", "2"], "chunk": ["a", "b", "a"], "sim": [0.9, 0.5, 0.7]})
IDS = {"query_id": "question", "doc_id": "chunk"}
OF_RUN, OF_QRELS = IDS | {"score": "sim"}, IDS | {"relevance": "grade"}
BOTH = OF_RUN | OF_QRELS
EXPECTED = calc("AP RBPT", QRELS, RUN)


def same(results):
    assert results.topics == EXPECTED.topics
    assert results.values.tobytes() == EXPECTED.values.tobytes()


def test_a_table_without_the_usual_names_is_told_of_columns(tmp_path):
    for found in (FOUND, to_file(FOUND, tmp_path / "r.csv"), to_file(FOUND, tmp_path / "r.parquet")):
        refused(InputError, r"has: question, chunk, sim\. columns=\{'query_id': '\.\.\.'\}", read_run, found)


def test_a_csv_file_of_six_columns_is_a_table_where_its_columns_are_named(tmp_path):
    path = to_file(FOUND.assign(x=1, y=2, z=3), tmp_path / "six.csv")
    assert read_run(path, columns=OF_RUN).to_dict() == RUN


def test_one_line_of_json_is_a_record(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"question": "1", "chunk": "a", "sim": 0.5}))
    assert read_run(path, columns=OF_RUN).to_dict() == {"1": {"a": 0.5}}


def test_qrels_that_were_read_before_have_no_part_in_it():
    ready = read_qrels(LABELS, columns=OF_QRELS)
    same(calc("AP RBPT", ready, FOUND, columns=OF_RUN))
    usual = FOUND.rename(columns={"chunk": "doc_id"})
    with pytest.raises(InputError, match=r"run .* has no column 'chunk', which columns names for doc_id"):
        calc("AP", ready, usual, columns=OF_RUN)
    refused(InputError, "read before", calc, "AP", ready, FOUND, columns=BOTH)


def test_a_column_that_nobody_has_is_an_error_that_offers_the_nearest():
    with pytest.raises(InputError, match=r"run .* no column 'simm'.* for score; it .*Did you mean sim\?"):
        calc("AP", LABELS, FOUND, columns=BOTH | {"score": "simm"})
    with pytest.raises(InputError, match=r"qrels .* no column 'grad'.*Did you mean grade\?"):
        calc("AP", LABELS, FOUND, columns=BOTH | {"relevance": "grad"})
    with pytest.raises(InputError, match=r"qrels .* no column chnk or doc_id.*Did you mean chunk\?"):
        calc("AP", LABELS, FOUND, columns=BOTH | {"doc_id": "chnk"})
    usual = [frame.rename(columns={"chunk": "doc_id"}) for frame in (LABELS, FOUND)]
    with pytest.raises(InputError, match="no column 'chnk'"):  # though both have doc_id
        calc("AP", *usual, columns=BOTH | {"doc_id": "chnk"})
    with pytest.raises(InputError, match="no column 'tokens', which columns names for cost"):
        read_run(FOUND, columns=OF_RUN | {"cost": "tokens"})


def test_data_without_columns_are_refused(tmp_path):
    (tmp_path / "run.txt").write_text("1 Q0 a 1 0.5 x\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    runs = [(read_run, run) for run in (RUN, {"1": ["a"]}, [("1", "a", 0.5)], tmp_path / "run.txt")]
    for read, data in (*runs, (read_qrels, QRELS), (read_qrels, tmp_path / "qrels.txt")):
        refused(InputError, "no columns; leave doc_id out", read, data, columns={"doc_id": "chunk"})
    refused(InputError, "no columns; leave doc_id out", calc, "AP", QRELS, RUN, columns={"doc_id": "chunk"})
    with pytest.raises(InputError, match="lower_is_better and columns are for other runs"):
        calc("AP", None, rank(QRELS, RUN), columns={"doc_id": "chunk"})
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path / "none.csv", columns={"doc_id": "chunk"})


def test_a_field_that_the_data_cannot_have():
    refused(InputError, r"run .* has no field relevance", read_run, FOUND, columns=BOTH)
    refused(InputError, r"qrels .* has no field score", read_qrels, LABELS, columns=BOTH)


def test_a_column_is_taken_for_one_field_alone():
    frame = pd.DataFrame({"query_id": ["a"], "doc_id": ["1"], "score": [1.0]})
    turned = read_run(frame, columns={"query_id": "doc_id", "doc_id": "query_id"})
    assert turned.to_dict() == {"1": {"a": 1.0}}
    refused(InputError, "no column score", read_run, frame, columns={"doc_id": "score"})
    twice = pd.DataFrame([["1", "a", 0.5, "b"]], columns=["question", "chunk", "sim", "chunk"])
    refused(InputError, "chunk and chunk", read_run, twice, columns=OF_RUN)


def test_ranks_costs_marks_and_columns_that_are_numbers():
    columns = ["query_id", "doc_id", "place", "tokens", "seen"]
    frame = pd.DataFrame([["1", "a", 2, 5, True], ["1", "b", 1, 7, True]], columns=columns)
    names = {"rank": "place", "cost": "tokens", "shown": "seen"}
    ranked = rank({"1": {"b": 1}}, frame, order="rank", columns=names)
    assert ranked.judged_ranks.tolist() == [1]
    assert ranked.costs.tolist() == [7, 5]
    marked = frame.assign(Q9="NS")
    assert read_run(marked, order="rank", stop="NS", columns={**names, "Q0": "Q9"}).hidden.all()
    unnamed = pd.DataFrame([["1", "a", 0.5]])
    assert read_run(unnamed, columns={"query_id": 0, "doc_id": 1, "score": 2}).to_dict() == {"1": {"a": 0.5}}


@pytest.mark.needs("spans and stores")
def test_records_by_topic():
    run = {"1": [{"chunk": "a", "distance": 0.25, "id": 7}]}
    names = {"doc_id": "chunk", "score": "distance"}
    assert read_run(run, columns=names, lower_is_better=True).to_dict() == {"1": {"a": -0.25}}
    held = {"1": [({"metadata": {"chunk": "a", "id": "other"}}, 0.5)]}
    assert read_run(held, columns={"doc_id": "chunk"}).to_dict() == {"1": {"a": 0.5}}
    refused(InputError, "no field query_id", read_run, run, columns={"query_id": "chunk"})
    with pytest.raises(InputError, match="'a' has no id; it is looked for under chunk"):
        read_run({"1": [("a", 0.5)]}, columns={"doc_id": "chunk"})


def test_classes_of_answers():
    frame = pd.DataFrame({"query_id": ["1"], "class": ["x"], "answer": ["Paris"], "relevance": [1]})
    assert calc("EM", read_answers(frame, columns={"doc_id": "answer"}), {"1": "Paris"}).aggregated["EM"] == 1


OF_COSTS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 1}}


def frame_of_costs(costs=(0.4, 0.3, 0.1, 0.2)):
    """Neither topics nor documents are in order."""
    ids = {"query_id": ["2", "1", "1", "1"], "doc_id": ["d", "c", "a", "b"]}
    return pd.DataFrame({**ids, "score": [1.0, 1.0, 3.0, 2.0], "cost": costs})


@pytest.mark.parametrize("form", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_costs_take_the_place_of_effort_in_ranked_order(form):
    values = calc("FlatU FlatU(e=0.5) DCGU", OF_COSTS, form(frame_of_costs())).values
    assert values[0] == pytest.approx([(1 - 0.1) + (0 - 0.2) + (1 - 0.3), 1 - 0.4])
    assert (values[1] == values[0]).all()
    assert values[2, 0] == pytest.approx((1 - 0.1) - 0.2 / np.log2(3) + (1 - 0.3) / 2)


@pytest.mark.parametrize(("bad", "message"), [
    ([0.1, 0.1, -0.2, 0.1], "topic 1, document a: cost -0.2: a finite number >= 0 is needed"),
    ([0.1, 0.2, 0.1, np.inf], "topic 1, document b: cost inf"),
    ([0.1, 0.2, 0.1, np.nan], "topic 1, document b: cost nan"),
    (["x", "y", "z", "w"], "topic 2, document d: cost 'x' is not a number"),
])  # fmt: skip
def test_wrong_costs_name_topic_and_document(bad, message):
    refused(InputError, message, calc, "FlatU", OF_COSTS, frame_of_costs(bad))
