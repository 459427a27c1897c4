"""Lists with several keys: nested means, the forms of keys, and what results say of their universe."""

import datetime
import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from ir_measures import Qrel, ScoredDoc
from messages import refused

import ir_trunc
from ir_trunc import InputError, ParameterError, calc

KEYS = ("topic", "question", "day")


def collection(seed, missing=0.2):
    """Qrels and a run over uneven topics, questions and days, by tuples of keys."""
    draw = np.random.default_rng(seed)
    qrels, run = {}, {}
    for topic in range(draw.integers(2, 5)):
        for question in range(draw.integers(1, 4)):
            for day in range(draw.integers(1, 6)):
                ids = (f"t{topic}", f"q{question}", f"d{day}")
                qrels[ids] = {doc: int(draw.integers(0, 3)) for doc in "abcd"}
                if draw.random() > missing:
                    run[ids] = {doc: float(draw.random()) for doc in "abxy"[: draw.integers(0, 5)]}
    return qrels, run


def nested(values, depth=0):
    """Reference implementation: the mean over the first key of the nested means over the others."""
    if () in values:
        return values[()]
    inner = {}
    for ids, value in values.items():
        inner.setdefault(ids[0], {})[ids[1:]] = value
    means = [nested(group) for group in inner.values()]
    return sum(means) / len(means)


@pytest.mark.parametrize("seed", range(4))
def test_means_are_nested(seed):
    qrels, run = collection(seed)
    results = calc("RBPT nDCG@10 AP", qrels, run, keys=KEYS)
    for measure in results.measures:
        values = {tuple(topic.split("/")): value for topic, value in results[measure].items()}
        assert results.aggregated[measure] == pytest.approx(nested(values), abs=1e-12)
        for level, key in enumerate(KEYS):
            table = results.by(key)[str(measure)]
            groups = {}
            for ids, value in values.items():
                groups.setdefault(ids[: level + 1], {})[ids[level + 1 :]] = value
            assert table.index.names == list(KEYS[: level + 1])
            assert len(table) == len(groups)
            for ids, group in groups.items():
                assert table[ids if level else ids[0]] == pytest.approx(nested(group), abs=1e-12)


def test_units_are_groups_of_the_outermost_key_or_of_the_named_one():
    qrels, run = collection(1)
    results = calc("RBPT AP", qrels, run, keys=KEYS)
    for unit, key in ((None, "topic"), ("question", "question")):
        units, values = results.unit_means(unit)
        table = results.by(key)
        assert list(units) == ["/".join([ids] if isinstance(ids, str) else ids) for ids in table.index]
        assert np.array_equal(values.T, table.to_numpy())
    flat = calc("RBPT AP", *({"/".join(ids): docs for ids, docs in data.items()} for data in (qrels, run)))
    units, values = flat.unit_means()
    assert units == flat.topics
    assert values is flat.values


def frame(data, value):
    rows = [(*ids, doc, number) for ids, docs in data.items() for doc, number in docs.items()]
    return pd.DataFrame(rows, columns=[*KEYS, "doc_id", value])


def lines(data, run):
    rows = [("|".join(ids), doc, number) for ids, docs in data.items() for doc, number in docs.items()]
    form = "{} Q0 {} 0 {} tag\n" if run else "{} 0 {} {}\n"
    return "".join(form.format(*row) for row in rows)


FORMS = {
    "dict": lambda data, value, path: data,
    "dict of text": lambda data, value, path: {"/".join(ids): docs for ids, docs in data.items()},
    "frame": lambda data, value, path: frame(data, value),
    "records": lambda data, value, path: frame(data, value).to_dict("records"),
    "tuples": lambda data, value, path: [(i, d, v) for i, docs in data.items() for d, v in docs.items()],
    "named tuples": lambda data, value, path: list(frame(data, value).itertuples(index=False)),
    "items": lambda data, value, path: {ids: list(docs.items()) for ids, docs in data.items()},
    "csv": lambda data, value, path: frame(data, value).to_csv(path, index=False) or path,
    "parquet": lambda data, value, path: frame(data, value).to_parquet(path) or path,
    "json": lambda data, value, path: frame(data, value).to_json(path, orient="records", lines=True) or path,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_keys(form, tmp_path):
    qrels, run = collection(2, missing=0)
    run = {ids: docs for ids, docs in run.items() if docs}
    expected = calc("RBPT AP", qrels, run, keys=KEYS).to_pandas()
    qrels = FORMS[form](qrels, "relevance", tmp_path / f"qrels.{form}")
    run = FORMS[form](run, "score", tmp_path / f"run.{form}")
    pd.testing.assert_frame_equal(calc("RBPT AP", qrels, run, keys=KEYS).to_pandas(), expected)


def test_ids_of_lines_are_split_and_the_kernel_reads_them(tmp_path):
    qrels, run = collection(3, missing=0)
    (tmp_path / "q").write_text(lines(qrels, run=False), encoding="utf-8")
    with gzip.open(tmp_path / "r.gz", "wt") as file:
        file.write(lines(run, run=True))
    results = calc("RBPT", tmp_path / "q", tmp_path / "r.gz", keys="topic|question|day")
    assert results.universe.keys == KEYS
    assert results.aggregated == calc("RBPT", qrels, run, keys=KEYS).aggregated
    assert results.topics[0] == "t0|q0|d0"


def test_dates_are_written_as_iso_dates():
    day = datetime.date(2024, 1, 31)
    qrels = pd.DataFrame({"user": ["u"], "day": ["2024-01-31"], "doc_id": ["a"], "relevance": [1]})
    run = pd.DataFrame({"user": ["u"], "day": [pd.Timestamp(day)], "doc_id": ["a"], "score": [1.0]})
    others = [run, run.assign(day=[day]), {("u", day): ["a"]}, {("u", pd.Timestamp(day)): ["a"]}]
    for unit in ("D", "h", "ns"):
        date = np.datetime64(day, unit)
        others += [{("u", date): ["a"]}, [{"user": "u", "day": date, "doc_id": "a", "score": 1.0}]]
    for other in others:
        assert calc("RR", qrels, other, keys="user/day").to_pandas()["RR"].to_dict() == {"u/2024-01-31": 1.0}


@pytest.mark.parametrize("zone", ["", "+02:00"])
def test_times_of_day_are_different_keys(zone):
    hours = [f"2024-01-31 0{hour}:00:00{zone}" for hour in (1, 3)]
    docs = {"doc_id": ["a", "b"], "score": [1.0, 1.0]}
    times = pd.Series(pd.to_datetime(hours))
    run = pd.DataFrame({"user": ["u", "u"], "hour": times, **docs})
    tuples = {("u", time): [doc] for time, doc in zip(times, docs["doc_id"])}
    columns = {"user": ["u", "u"], "hour": times.dt.to_pydatetime().tolist(), **docs}
    qrels = {f"u/{hour}": {"a": 1} for hour in hours}
    frames = [run, run.astype({"hour": object}), pa.Table.from_pandas(run), pd.DataFrame(columns)]
    numpy = {("u", np.datetime64(time.tz_localize(None))): docs for (_, time), docs in tuples.items()}
    for other in (*frames, tuples, *([] if zone else [numpy])):
        assert calc("RR", qrels, other, keys="user/hour").to_pandas()["RR"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("gap", [pd.NaT, None, np.nan])
def test_a_key_that_is_missing(gap):
    table = {"user": ["u", "u"], "hour": [pd.Timestamp("2024-01-31 03:00"), gap], "doc_id": ["a", "b"]}
    frame, dates = pd.DataFrame(table | {"score": [1.0, 1.0]}), {("u", np.datetime64("NaT", "D")): []}
    for run in (frame, frame.astype({"hour": object}), {("u", gap): ["a"]}, dates):
        refused(InputError, "hour is missing", calc, "RR", {"u/1": {"a": 1}}, run, keys="user/hour")


@pytest.mark.parametrize("odd", [datetime.timedelta(1), datetime.time(3), pd.Period("2024-01-31 03"), 1.5])
def test_what_is_no_key(odd):
    frame = pd.DataFrame({"user": ["u"], "hour": [odd], "doc_id": ["a"], "score": [1.0]})
    for run in (frame, frame.astype({"hour": object}), {("u", odd): ["a"]}):
        with pytest.raises(InputError, match=r"run.*: hour .* not text or a whole number"):
            calc("RR", {"u/1": {"a": 1}}, run, keys="user/hour")


def test_the_universe_may_be_given_as_tuples_or_columns():
    qrels = {("u", "mon"): {"a": 1}}
    days = [("u", "mon"), ("u", "tue")]
    frame = pd.DataFrame(days, columns=["user", "day"])
    for topics in (days, frame, dict.fromkeys(days), ["u/mon", "u/tue"]):
        with pytest.warns(match="1 of 2 topics"):
            results = calc("RBPT", qrels, {("u", "mon"): ["a"]}, topics=topics, keys="user/day")
        assert results.topics == ("u/mon", "u/tue")


def test_keys_of_qrels_that_were_read_hold_for_their_runs():
    qrels = ir_trunc.read_qrels({("u", "mon"): {"a": 1}, ("v", "mon"): {"a": 1}}, keys=("user", "day"))
    run = {("u", "mon"): ["a"], ("v", "mon"): []}
    assert calc("RR", qrels, run).by("user")["RR"].to_dict() == {"u": 1, "v": 0}
    assert calc("RR", None, ir_trunc.rank(qrels, run)).universe.keys == ("user", "day")
    with pytest.raises(InputError, match=r"keys='a/b': these qrels were read with keys='user/day'"):
        calc("RR", qrels, run, keys="a/b")


def test_rankings_take_keys():
    rankings = ir_trunc.Rankings.from_lists([[1], [0]], topics=["u/1", "v/1"])
    assert calc("RR", None, rankings, keys="user/day").unit_means()[0] == ("u", "v")
    lists, problem = ir_trunc.Rankings.from_lists([[1]]), "Rankings, topic 1: 1 key; the 2 keys user/day are"
    refused(InputError, problem, calc, "RR", None, lists, keys="user/day")


def test_views_and_measures_of_the_whole_run_are_nested():
    qrels, run = collection(4)
    results = calc("RBPT c@1 NumRet", qrels, run, keys=KEYS)
    for view in (results, results.over(~results.nil)):
        values = {tuple(topic.split("/")): value for topic, value in view["RBPT"].items()}
        assert view.aggregated["RBPT"] == pytest.approx(nested(values), abs=1e-12)
    ids = [tuple(topic.split("/")) for topic in results.topics]
    right = dict(zip(ids, calc("Success@1", None, results.rankings)["Success@1"]))
    silent = {key: float(length == 0) for key, length in zip(ids, results.rankings.lengths)}
    assert results.aggregated["c@1"] == pytest.approx(nested(right) * (1 + nested(silent)), abs=1e-12)
    assert results.aggregated["NumRet"] == results["NumRet"].sum()
    refused(ParameterError, "c looks at all lists of a run: it has no values of its own", results.unit_means)
    with pytest.raises(ParameterError, match="CWS looks at all lists of a run and has no nested means"):
        calc("CWS", qrels, run, keys=KEYS)


NO_NAMES = ["topic day", "topic", "a/b|c", ("a",), ("a", "a"), ("a", ""), "a//b", 3, [1, 2]]


@pytest.mark.parametrize("keys", NO_NAMES)
def test_keys_that_are_no_names_are_refused(keys):
    refused(ParameterError, r"keys=.*as in keys=", calc, "RR", {"a/b": {"x": 1}}, {"a/b": ["x"]}, keys=keys)


@pytest.mark.parametrize(("ids", "message"), [
    ("a|b|c", r"qrels \(dict\), topic a\|b\|c: 1 key; the 3 keys topic/question/day are needed"),
    ("a//c", "topic a//c: 3 keys; the 3 keys topic/question/day are needed, none of them empty"),
    (("a/b", "c", "d"), r"topic 'a/b' holds the separator\. keys='topic\|question\|day' names another"),
    (("a", "", "d"), "question is missing"),
    (("a", "d"), r"\('a', 'd'\) has 2 keys; the 3 keys topic/question/day are needed"),
    (("a", None, "d"), "question is missing"),
    (("a", 1.5, "d"), "question 1.5 is float, not text or a whole number"),
])  # fmt: skip
def test_ids_that_lack_keys_are_refused(ids, message):
    refused(InputError, message, calc, "RR", {ids: {"x": 1}}, {ids: ["x"]}, keys=KEYS)


def test_columns_that_cannot_be_keys_are_refused():
    table = frame({("a", "b", "c"): {"x": 1}}, "relevance")
    lacking, odd, run = table.drop(columns="day"), table.assign(topic="a/b"), {("a", "b", "c"): ["x"]}
    none = r"has no column day, which keys='topic/question/day' names"
    refused(InputError, none, calc, "RR", lacking, run, keys=KEYS)
    refused(InputError, r"row 0: topic 'a/b' holds the separator", calc, "RR", odd, run, keys=KEYS)
    refused(InputError, r"keys=\(\.\.\.\) names the parts of a tuple", calc, "RR", {("a", "b"): {"x": 1}}, {})
    named = [Qrel("a/b", "x", 1)], [ScoredDoc("a/b", "x", 1.0)]
    assert calc("RR", *named, keys="topic/day").by("topic")["RR"].to_dict() == {"a": 1.0}
    problem = r"Results have no key 'dya'; they have topic, day\. Did you mean day\?"
    refused(ParameterError, problem, calc("RR", *named, keys="topic/day").by, "dya")
    refused(ParameterError, r"no key 'day'; they have none; keys= names them", calc("RR", *named).by, "day")


MISSING = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}, "4": {"a": 1}}
FORMS_OF_SILENCE = {
    "lists by rank": {"1": ["a"], "2": []},
    "scores": {"1": {"a": 1.0}, "2": {}},
    "numbers": {1: {"a": 1}, 2: {}},
    "placeholder": [ScoredDoc("1", "a", 1.0), ScoredDoc("2", "__nil__", 0.0)],
    "pairs": {"1": [("a", 1.0)], "2": []},
    "frame": pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["a", "__nil__"], "score": [1.0, 0]}),
}


@pytest.mark.parametrize("run", FORMS_OF_SILENCE.values(), ids=FORMS_OF_SILENCE)
def test_a_missing_topic_is_what_the_user_says(run):
    said = r"2 of the 4 topics of the qrels are not in the run \(for example 3\) and count as"
    with pytest.warns(match=said):
        by_default = calc("RBPT", MISSING, run)
    assert by_default.universe.missing == 2
    assert by_default.rankings.missing.tolist() == [False, False, True, True]
    assert by_default.aggregated["RBPT"] == 0.25
    assert calc("RBPT", MISSING, run, missing="empty").aggregated == by_default.aggregated
    with pytest.warns(match=r"\(for example 3\); excluded from all means"):
        excluded = calc("RBPT", MISSING, run, missing="exclude")
    assert excluded.aggregated["RBPT"] == 0.5
    assert (excluded.universe.topics, excluded.universe.missing, excluded.universe.excluded) == (2, 0, 2)
    assert "2 more missing from the run, excluded" in " ".join(repr(excluded).split())
    with pytest.raises(InputError, match="a run with rows for each topic is needed, or missing='empty'"):
        calc("RBPT", MISSING, run, missing="error")


def test_missing_is_checked_and_nothing_may_be_excluded_wholly():
    misspelled = r"missing='exclud' is unknown.*Did you mean exclude"
    refused(ParameterError, misspelled, calc, "RBPT", MISSING, {}, missing="exclud")
    none = "4 of the 4 topics of the qrels are not in the run"
    refused(InputError, none, calc, "RBPT", MISSING, {}, missing="exclude")
    complete = {topic: ["a"] for topic in MISSING}
    for missing in (None, "empty", "exclude", "error"):
        assert calc("AP", MISSING, complete, missing=missing).universe.missing == 0


def test_the_universe_counts_topics_and_names_what_is_assumed():
    qrels = {"1": {"a": 2}, "2": {"a": 0}, "3": {}, "4": {"a": 1}}
    results = calc("RBPT WSS", qrels, {"1": {"a": 1.0}, "2": {}}, order="score64")
    universe = results.universe
    assert (universe.order, universe.nil_means) == ("score64", "document")
    assert (universe.levels, universe.keys) == ((1, 2), ())
    lines = "topics          4\nin the run      2\nmissing         2\nunjudged        1\nnil queries     2\n"
    assert str(universe).startswith(lines)
    assert "relevant grades 1, 2 (those that occur)" in str(universe)
    assert "collection size qrels" in str(universe)
    assert "2 missing from the run" in repr(results)
    assert results.over(~results.nil).universe.missing == 1
