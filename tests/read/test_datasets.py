"""Data sets of ir_datasets, by id and as objects, from local files; and of Hugging Face."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ir_datasets
import pandas as pd
import pytest
from ir_datasets.datasets.base import FilteredQueries
from ir_datasets.formats import TrecQrels, TrecScoredDocs, TsvQueries
from ir_datasets.util import Lazy, LocalDownload
from messages import refused

from ir_trunc import InputError, calc, read_qrels, read_run, read_topics


def dataset(name, *parts):
    made = ir_datasets.Dataset(*parts)
    if name not in ir_datasets.registry:
        ir_datasets.registry.register(name, made)
    return ir_datasets.registry[name]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """Four topics: one is not judged, one has grades of 0 only; grade 3 of the scale never occurs."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "queries").write_text("1\tone\n2\ttwo\n3\tthree\n4\tfour\n")
    (folder / "qrels").write_text("1 0 a 2\n1 0 b 1\n2 0 c 0\n3 0 d 1\n")
    (folder / "run").write_text("1 Q0 a 1 2.0 x\n1 Q0 z 2 1.0 x\n3 Q0 y 1 3.0 x\n")
    scale = {0: "no", 1: "somewhat", 2: "yes", 3: "perfectly"}
    queries = TsvQueries(LocalDownload(folder / "queries"), lang="en")
    parts = [queries, TrecQrels(LocalDownload(folder / "qrels"), scale)]
    dataset("ir-trunc-generated", *parts, TrecScoredDocs(LocalDownload(folder / "run")))
    dataset("ir-trunc-without-run", *parts)
    dataset("ir-trunc-without-qrels", parts[0])
    dataset("ir-trunc-broken", TrecQrels(LocalDownload(folder / "lost"), {}))
    return folder


def test_topics_scale_and_run_of_a_data_set(generated):
    name = "ir-trunc-generated"
    with pytest.warns(match=r"data set ir-trunc-generated: 1 of 4 topics have no judgment \(for example 4\)"):
        assert calc("RBPT", name, name).topics == ("1", "2", "3")
    assert calc("RBPT", name, name, unjudged="exclude").topics == ("1", "2", "3")
    results = calc("RBPT(p=0.5) FlatU OIE", name, name, unjudged="nil")
    assert results.topics == ("1", "2", "3", "4")
    by_hand = [(0.5 * 2 / 3 + 0.25 * 2 / 3 / 3) / (0.5 * 2 / 3 + 2 * 0.25 / 3), 1, 0, 1]
    assert results.values[0].tolist() == pytest.approx(by_hand)
    again = calc("RBPT(p=0.5)", ir_datasets.load(name), generated / "run", unjudged="nil")
    assert again.values[0].tolist() == pytest.approx(by_hand)


@pytest.mark.parametrize(("qrels", "run", "message"), [
    ("ir-trunc-without-qrels", {}, "data set .* has no qrels"),
    ("ir-trunc-without-run", "ir-trunc-without-run", "has no run .scoreddocs. of its own"),
    ("ir-trunc-broken", {}, "cannot be loaded"),
    ("no-such-data-set", {}, "no such file, nor an ir_datasets data set"),
])  # fmt: skip
def test_what_a_data_set_lacks_is_said(generated, qrels, run, message):
    refused((InputError, FileNotFoundError), message, calc, "AP", qrels, run, unjudged="exclude")


class Loose:
    """A data set whose ids and scale are what its maker liked."""

    def __init__(self, topics, scale):
        self.topics, self.scale = topics, scale

    def dataset_id(self):
        return "loose"

    def queries_iter(self):
        return (ir_datasets.formats.GenericQuery(topic, "") for topic in self.topics)

    def qrels_iter(self):
        return iter([ir_datasets.formats.TrecQrel("1", "a", 1, "0")])

    def qrels_defs(self):
        return self.scale


Loose.__module__ = "ir_datasets.loose"


def test_ids_and_scale_of_a_data_set_follow_the_same_rule():
    assert read_qrels(Loose([1, "2"], {1: "yes"}), unjudged="nil").judgments.topics == ("1", "2")
    refused(InputError, r"data set loose, row 1: query_id 2.0 is float", read_qrels, Loose(["1", 2.0], {}))
    with pytest.raises(InputError, match=r"data set loose: its judgment scale \['high'\]"):
        read_qrels(Loose(["1"], {"high": "yes"}))


def test_hugging_face(monkeypatch):
    datasets = pytest.importorskip("datasets")
    # Its pickler does not know all types of every pyarrow; what is hashed does not matter here.
    monkeypatch.setattr(datasets.fingerprint.Hasher, "hash", classmethod(lambda cls, value: "0" * 16))
    judged = [("1", "a", 1), ("1", "007", 2), ("2", "b", 1)]
    rows = [("1", "a", 0.25), ("1", "007", 0.5), ("2", "b", 2.0)]
    expected = calc("AP nDCG RBPT", judged, rows).values.tolist()
    names = ["query_id", "doc_id"]
    run = datasets.Dataset.from_pandas(pd.DataFrame(rows, columns=[*names, "score"]).assign(text="x"))
    qrels = datasets.Dataset.from_pandas(pd.DataFrame(judged, columns=["query-id", "corpus-id", "score"]))
    assert calc("AP nDCG RBPT", qrels, run).values.tolist() == expected
    assert calc("AP nDCG RBPT", qrels, run.shuffle(seed=1)).values.tolist() == expected
    assert read_topics(qrels) == ["1", "2"]
    with pytest.raises(InputError, match="it has the splits test, dev: give one of them"):
        read_qrels(datasets.DatasetDict({"test": qrels, "dev": qrels}))
    refused(InputError, "is a stream", read_run, run.to_iterable_dataset())


def test_a_folder_that_is_called_like_a_data_set_is_not_taken_for_it(tmp_path, monkeypatch, generated):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ir-trunc-generated").mkdir()
    with pytest.raises(InputError, match="is a directory: name the files") as refused:
        calc("AP", "ir-trunc-generated", {"1": ["a"]})
    call = re.search(r"ir_datasets\.load\(.*?\)", str(refused.value))[0]
    found = calc("AP", eval(call, {"ir_datasets": ir_datasets}), {"1": ["a"]}, unjudged="exclude")
    monkeypatch.chdir("/")
    by_id = calc("AP", "ir-trunc-generated", {"1": ["a"]}, unjudged="exclude")
    assert found.values.tolist() == by_id.values.tolist()
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"folder is a directory: name the files in it\.$"):
        calc("AP", str(tmp_path / "folder"), {"1": ["a"]})


def test_the_command_of_the_start_page_loads_vaswani(real_data, tmp_path):
    """By the loading code of ir_datasets, which builds an index beside its files."""
    start = Path(__file__).parents[2] / "notebooks" / "start" / "know-ndcg.md"
    command = re.search(r"`ir_trunc (vaswani v\.run .*?)`", start.read_text(encoding="utf-8"))[1].split()
    home = shutil.copytree(real_data("ir-datasets-home"), tmp_path / "sets")
    (tmp_path / "v.run").write_text("1 Q0 1239 1 2.0 x\n1 Q0 1502 2 1.0 x\n")
    environment = os.environ | {"IR_DATASETS_HOME": str(home)}
    call = [sys.executable, "-m", "ir_trunc", *command, "-q"]
    done = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    scores = dict(line.split("\t")[1:] for line in done.stdout.splitlines() if line.startswith("1\t"))
    qrels = [line.split() for line in (real_data("vaswani") / "qrels").read_text().splitlines()]
    judged = {"1": {doc: int(grade) for topic, _, doc, grade in qrels if topic == "1"}}
    expected = calc("RBPT AP", judged, {"1": ["1239", "1502"]}).aggregated
    wanted = {str(measure): pytest.approx(value, abs=6e-5) for measure, value in expected.items()}
    assert {name: float(value) for name, value in scores.items()} == wanted


def test_a_data_set_that_cannot_be_downloaded_is_named_when_it_is_given_as_an_object(generated):
    """As the judged topics of TREC DL, which are known when the qrels are there."""

    def judged():
        raise RuntimeError("All download sources failed", [("source", OSError("no network"))])

    topics = FilteredQueries(TsvQueries(LocalDownload(generated / "queries"), lang="en"), Lazy(judged))
    lost = ir_datasets.Dataset(topics, TrecQrels(LocalDownload(generated / "qrels"), {}))
    refused(InputError, "cannot be loaded: no network", read_qrels, lost)
