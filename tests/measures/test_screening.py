"""Screening: the official tool of CLEF TAR, and how many documents a topic has."""

import gzip
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, ParameterError, Rankings, calc, plots

# The tool's name of a measure, ours with the price of a document, and how ours becomes the tool's.
OFFICIAL = {
    "r": ("SetR", lambda x: x),
    "wss_95": ("WSS@95", lambda x: x),
    "wss_100": ("WSS@100", lambda x: x),
    "last_rel": ("LastRel", lambda x: x),
    "loss_er": ("OneMinusLossER", lambda x: 1 - x),
    "total_cost": ("NegTotalCost(price={price})", lambda x: -x),
    "total_cost_uniform": ("NegTotalCost(price={price}, penalty='uniform')", lambda x: -x),
    "total_cost_weighted": ("NegTotalCost(price={price}, penalty='weighted')", lambda x: -x),
    "norm_area": ("NormArea", lambda x: x),
    "ap": ("AP", lambda x: x),
}
# A document costs 1, and 2 more where the system asks for feedback on it.
PRICES = {"amc.run": 1, "iiit.run2": 3, "qut.result_pico_es_test": 1, "waterloo.A-thresh-normal": 3}


@pytest.mark.parametrize(("run", "price"), PRICES.items())
def test_equal_to_the_official_results_of_clef_tar_2017(run, price, real_data):
    folder = real_data("tar17-half")
    lines = (folder / "official" / f"{run}.abstract.results").read_text().splitlines()
    official = {(topic, name): value for topic, name, value in map(str.split, lines)}
    measures = [text.format(price=price) for text, _ in OFFICIAL.values()]
    scored = calc(measures, folder / "qrel_abs_test.txt", folder / "runs" / f"{run}.gz", order="rank")
    table = scored.to_pandas()
    topics = {topic for topic, _ in official} - {"ALL"}
    assert len(topics) >= 27
    for (name, (_, back)), (_, column) in zip(OFFICIAL.items(), table.items()):
        for topic in topics:
            printed = float(official[topic, name])
            assert back(column[topic]) == pytest.approx(printed, abs=0.000501), (topic, name)


def test_a_recall_may_be_a_percentage():
    assert str(ir_trunc.parse_measure("WSS@95")) == str(ir_trunc.WSS @ 0.95) == "WSS@0.95"
    assert ir_trunc.parse_measure("WSS(r=95)") == ir_trunc.WSS(r=0.95)
    assert str(ir_trunc.parse_measure("TNR")) == "TNR"
    assert ir_trunc.parse_measure(str(ir_trunc.WSS(r=0.95, D=30))) == ir_trunc.WSS(D=30) @ 95
    for odd in ("WSS@0", "WSS@-1", "WSS@101", "WSS@'x'"):
        refused(ParameterError, r"a share > 0 and <= 1, or a percentage", ir_trunc.parse_measure, odd)


QRELS = {"1": {"a": 1, "b": 0}, "2": {"b": 1, "c": 0, "d": 0, "e": 0}}
RUN = {"1": ["a"], "2": ["c", "b"]}


@pytest.mark.parametrize(("measure", "with_tool"), [
    ("WSS", "WSS(D='tool')"), ("WSS@0.5", "WSS(D='tool')@0.5"), ("TNR", "TNR(D='tool')"),
    ("NormArea", "NormArea(D='tool')"), ("OneMinusLossER", "OneMinusLossER(D='tool')"),
    ("NegTotalCost(penalty='uniform')", "NegTotalCost(penalty='uniform', D='tool')"),
])  # fmt: skip
def test_an_unjudged_document_shows_that_the_collection_is_not_what_the_qrels_judge(measure, with_tool):
    unjudged, judged = ({"1": ["a"], "2": ["c", *more]} for more in (["x", "y"], ["b"]))
    says = "D='qrels': the list of topic 2 has 2 unjudged documents, so the"
    refused(ParameterError, says, calc, measure, QRELS, unjudged)
    assert np.isfinite(calc(with_tool, QRELS, unjudged).values).all()
    assert calc(with_tool, QRELS, judged).values.tolist() == calc(measure, QRELS, judged).values.tolist()


def test_documents_of_a_topic_from_the_qrels_a_number_a_map_and_a_file(tmp_path):
    (tmp_path / "sizes.tsv").write_text("1\t10\n2\t20\n3\t30\n")
    with gzip.open(tmp_path / "sizes.gz", "wt") as file:
        file.write("1 10\n2 20\n")
    by_topic = [1 - 1 / 10, 1 - 2 / 20]
    path = str(tmp_path / "sizes.tsv")
    for D, expected in (
        ("qrels", [1 - 1 / 2, 1 - 2 / 4]),
        (100, [1 - 1 / 100, 1 - 2 / 100]),
        (SimpleNamespace(docs_count=lambda: 100), [1 - 1 / 100, 1 - 2 / 100]),
        ({"1": 10, "2": 20}, by_topic),
        ({1: 10, 2: np.int32(20)}, by_topic),
        (pd.Series({"1": 10, "2": 20}), by_topic),
        (path, by_topic),
        (tmp_path / "sizes.gz", by_topic),
    ):
        found = calc(ir_trunc.WSS(D=D), QRELS, RUN).to_pandas()
        assert found.iloc[:, 0].tolist() == pytest.approx(expected), D
    assert calc(f"WSS(D={path!r})", QRELS, RUN).to_pandas().columns.tolist() == [f"WSS(D={path!r})"]


def test_information_takes_a_collection_for_each_topic():
    alone = [
        calc(f"OIE(D={D})", {topic: QRELS[topic]}, {topic: RUN[topic]}).to_pandas().iloc[0, 0]
        for topic, D in (("1", 64), ("2", 12807))
    ]
    together = calc(ir_trunc.OIE(D={"1": 64, "2": 12807}), QRELS, RUN).to_pandas().iloc[:, 0]
    assert together.tolist() == pytest.approx(alone, rel=1e-14)


@pytest.mark.parametrize(("D", "says"), [
    ({"1": 10}, r"no number for 1 topic \(for example 2\); its topics are written like 1"),
    ({"1": 10, "2": 3}, r"D\['2'\]=3 is smaller than the 4 documents known for topic 2"),
    (3, "D=3 is smaller than the 4 documents known for topic 2"),
    ({"1": 5, 1: 6}, "a topic is in it twice"),
])  # fmt: skip
def test_what_is_no_number_of_documents_is_refused(D, says):
    with pytest.raises(ParameterError, match=says):
        calc(ir_trunc.WSS(D=D), QRELS, RUN)


def test_a_file_of_sizes_that_is_none_is_refused_with_its_line(tmp_path):
    path = tmp_path / "sizes"
    for text, says in (
        ("1\t5\n1\t6\n", "line 2: topic 1 has a size already"),
        ("1\t5\n2\n", "line 2: '2': 'topic<TAB>number' with a whole number"),
        ("1\t0\n", "line 1: '1 0'"),
        ("", "is empty"),
    ):
        path.write_text(text)
        refused(InputError, says, calc, ir_trunc.WSS(D=path), QRELS, RUN)
    refused((InputError, OSError), "qrel", calc, "WSS(D='qrel')", QRELS, RUN)


def test_the_picture_of_recall_has_a_line_and_an_end_for_each_system():
    rankings = Rankings.from_lists([[1, 0, 0, 1], [0, 1]], [[1, 1, 0, 0], [1, 0, 0, 0]])
    shown = plots.recall_curve({"whole": rankings, "cut": rankings.cut(1)})
    _, *lines = shown.lines
    assert [line.get_xydata()[-1].tolist() for line in lines] == [[1, 1], [0.75, 1], [1, 0.25], [0.25, 0.25]]
    assert [text.get_text() for text in shown.texts] == ["whole", "cut"]
    refused(InputError, "no topic has a document of grade 2", plots.recall_curve, rankings, rel=2)


def test_costs_without_a_penalty_need_no_collection_size():
    qrels, run = {"1": {"a": 1}}, {"1": ["a", "x", "b"]}
    assert calc("NegTotalCost", qrels, run).aggregated["NegTotalCost"] == -3
    refused(ParameterError, "D='qrels'", calc, "NegTotalCost(penalty='uniform')", qrels, run)
