"""The metric for training loops: batches and processes give the mean of one call."""

import subprocess
import sys

import numpy as np
import pytest
from messages import refused

import ir_trunc

torch = pytest.importorskip("torch", reason="torch is not installed")
SCORES = torch.tensor(np.random.default_rng(1).normal(size=(7, 5)).round(2))
LABELS = torch.tensor(np.random.default_rng(2).integers(0, 3, (7, 5)))
SHOWN = torch.tensor(np.random.default_rng(3).random((7, 5)) < 0.6)
MEASURES = ["RBPT", "nDCGT", "OIE", "ERRT(max_rel=2)", "RBP(rel=1)", "OneMinusLossER"]


@pytest.fixture(params=["torchmetrics", "alone"])
def adapter(request, monkeypatch):
    if request.param == "torchmetrics":
        pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")
    else:
        monkeypatch.setitem(sys.modules, "torchmetrics", None)
    monkeypatch.delitem(sys.modules, "ir_trunc.adapters.torch", raising=False)
    from ir_trunc.adapters import torch as adapter

    yield adapter
    sys.modules.pop("ir_trunc.adapters.torch", None)


@pytest.mark.parametrize("measure", MEASURES)
def test_batches_have_the_mean_of_one_call(adapter, measure):
    metric = adapter.Metric(measure)
    for _ in range(2):  # reset forgets
        for rows in (slice(0, 3), slice(3, 4), slice(4, 7)):
            metric.update(SCORES[rows].float().requires_grad_(), LABELS[rows], shown=SHOWN[rows])
        rankings = ir_trunc.Rankings.from_arrays(SCORES.float(), LABELS, shown=SHOWN)
        assert float(metric.compute()) == pytest.approx(
            float(ir_trunc.calc(measure, None, rankings).values.mean()), abs=1e-12
        )
        metric.reset()


@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric Metric was called before:UserWarning")
def test_what_a_batch_cannot_know_is_refused(adapter):
    for measure, said in [
        ("c@1", "all lists of a run"),
        ("ERRT", "write max_rel="),
        ("RBP", "write rel="),
        ("Judged@10", "another tool"),
    ]:
        refused(ir_trunc.IrTruncError, said, adapter.Metric, measure)
    refused(ir_trunc.InputError, "call update before compute", adapter.Metric("RBPT").compute)


def test_it_is_a_metric_of_torchmetrics():
    torchmetrics = pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")
    from ir_trunc.adapters.torch import Metric

    metrics = torchmetrics.MetricCollection({"stops": Metric("RBPT"), "loss": Metric("HarmCompat")})
    metrics.update(SCORES, LABELS, shown=SHOWN)
    assert 0 < float(metrics.compute()["stops"]) < 1
    assert (metrics["stops"].higher_is_better, metrics["loss"].higher_is_better) == (True, False)
    assert float(Metric("RBPT")(torch.tensor([[1.0]]), torch.tensor([[1]]))) == 1


PROCESS = """
import sys
import torch
from torch import distributed
rank, file, alone = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "alone"
if alone:
    sys.modules["torchmetrics"] = None
from ir_trunc.adapters.torch import Metric
distributed.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
metric = Metric("RBPT")
if rank:
    metric.update(torch.tensor([[1.0], [2.0]]), torch.tensor([[1], [0]]))
metric.update(torch.tensor([[1.0]]), torch.tensor([[1]]))
print(float(metric.compute()))
"""


@pytest.mark.full
@pytest.mark.parametrize("base", ["torchmetrics", "alone"])
def test_values_are_gathered_across_processes(base, tmp_path):
    pytest.importorskip(base if base != "alone" else "torch", reason=f"{base} is not installed")
    commands = ([sys.executable, "-c", PROCESS, rank, str(tmp_path / "met"), base] for rank in "01")
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE) for command in commands]
    means = [float(process.communicate(timeout=100)[0]) for process in ranks]
    assert means == [pytest.approx((1 + 1 + 0.8 + 1) / 4)] * 2


@pytest.mark.parametrize("shown", [None, SHOWN])
def test_the_label_that_pytorch_ignores_is_padding(adapter, shown):
    ignored = torch.tensor(np.random.default_rng(4).random((7, 5)) < 0.3)
    metric = adapter.Metric("RBPT")
    metric.update(SCORES, torch.where(ignored, -100, LABELS), shown=shown)
    judged = ~ignored
    rankings = ir_trunc.Rankings.from_arrays(
        SCORES, LABELS, shown=judged if shown is None else judged & shown, judged=judged
    )
    assert float(metric.compute()) == pytest.approx(
        ir_trunc.calc("RBPT", None, rankings).values.mean(), abs=1e-12
    )
