"""PyTorch: a metric for training loops, with or without torchmetrics.

Where torchmetrics is installed, the metric is one of its own: it goes into a `MetricCollection` and into
Lightning's `self.log`. Without it, `update`, `compute` and `reset` do the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.torch needs PyTorch", "torch"):
    import torch
    from torch import distributed

from ir_trunc._core.errors import InputError, ParameterError, UnknownMeasureError
from ir_trunc._core.rankings import Rankings
from ir_trunc._scoring.objects import bind, parse_measure

try:
    from torchmetrics import Metric as _Base

    _gathered = torch.cat  # torchmetrics has gathered the values already, in one tensor
except ImportError:

    class _Base:  # type: ignore[no-redef]
        """What the metric needs of torchmetrics: values that are reset, and gathered across processes."""

        device = torch.device("cpu")

        def add_state(self, name: str, default: list[Any], dist_reduce_fx: str) -> None:
            self.reset()

        def reset(self) -> None:
            """Forget all lists."""
            self.values: list[torch.Tensor] = []

    def _gathered(values: list[torch.Tensor]) -> torch.Tensor:
        parts = [torch.cat(values)]
        if distributed.is_available() and distributed.is_initialized():
            parts *= distributed.get_world_size()
            distributed.all_gather_object(parts, parts[0])
        return torch.cat(parts)


__all__ = ["Metric"]

IGNORE_INDEX = -100  # of PyTorch


class Metric(_Base):  # type: ignore[misc]
    """The mean score of the lists of all batches, and of all processes.

    The values of lists are kept, so that the mean does not depend on the sizes of batches. In a
    `MetricCollection` each needs a name: `{"RBPT": Metric("RBPT"), "SetF": Metric("SetF")}`.

    Parameters
    ----------
    measure : measure or str
        A measure of lists. A measure that divides by the top of the judgment scale needs `max_rel=`, since a
        batch may lack it. Every list of a batch has as many documents as its row: where the loop set this
        number, write it as a cutoff, `"RBPT@100"`.
    **options
        Those of `torchmetrics.Metric`, if torchmetrics is installed.

    Raises
    ------
    ParameterError
        For a measure of the whole run, and where `max_rel=` is missing.

    Examples
    --------
    >>> import torch
    >>> from ir_trunc.adapters.torch import Metric
    >>> metric = Metric("RBPT")
    >>> metric.update(torch.tensor([[0.9, 0.2]]), torch.tensor([[1, 0]]), shown=torch.tensor([[True, False]]))
    >>> metric.update(torch.tensor([[0.3, 0.8]]), torch.tensor([[1, 0]]))
    >>> round(float(metric.compute()), 4)
    0.9
    """

    is_differentiable = False
    full_state_update = False

    def __init__(self, measure: Any, **options: Any):
        super().__init__(**options)
        measure = parse_measure(measure)
        bound = bind(measure)
        if bound is None:
            what = f"{measure} is computed by another tool"
            raise UnknownMeasureError(f"{what}: a measure of ir_trunc is needed.")
        if bound.definition.scope == "run":
            raise ParameterError(f"{measure} looks at all lists of a run: a batch has only some of them.")
        if bound.infers_scale:
            write = "max_rel=" if "max_rel" in bound.params else "rel="
            what = f"{measure} depends on the highest grade, which a batch may lack"
            raise ParameterError(f"{what}: write {write}.")
        self.measure, self._bound = measure, bound
        self.add_state("values", [], dist_reduce_fx="cat")

    def __repr__(self) -> str:
        return f"Metric({str(self.measure)!r})"

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher mean is better: not for losses."""
        return not self._bound.definition.lower_is_better

    def update(self, scores: Any, labels: Any, *, shown: Any = None, judged: Any = None) -> None:
        """Add the lists of a batch.

        Parameters
        ----------
        scores, labels, shown, judged : tensor (Q x K)
            As for `ir_trunc.Rankings.from_arrays`: a row for each list. A cell with the label -100 is
            padding, as it is for the losses of PyTorch (`ignore_index`).

        Raises
        ------
        InputError
            As there.
        """
        arrays = {"scores": scores, "labels": labels, "shown": shown, "judged": judged}
        on_cpu = {name: x.detach().cpu() if isinstance(x, torch.Tensor) else x for name, x in arrays.items()}
        ignored = np.asarray(on_cpu["labels"]) == IGNORE_INDEX
        if ignored.any():
            for name in ("shown", "judged"):
                on_cpu[name] = ~ignored & (True if on_cpu[name] is None else np.asarray(on_cpu[name]))
        rankings = Rankings.from_arrays(**on_cpu)
        dtype = torch.float32 if self.device.type == "mps" else torch.float64  # which lacks the larger type
        self.values.append(torch.as_tensor(self._bound.score(rankings), dtype=dtype, device=self.device))

    def compute(self) -> torch.Tensor:
        """The mean over all lists; InputError before the first."""
        values = self.values
        if not isinstance(values, torch.Tensor):
            values = _gathered([torch.zeros(0, device=self.device), *values])
        if not len(values):
            raise InputError("There is no list: call update before compute.")
        return values.mean()
