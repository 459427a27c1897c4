"""PyTerrier: truncation as a transformer."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pandas as pd

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.pyterrier needs PyTerrier", "pyterrier"):
    import pyterrier as pt

from ir_trunc._core.errors import ParameterError


class Truncate(pt.Estimator):
    """Ends every list where a policy says: `bm25 >> Truncate(Fixed(10))`.

    policy: anything with `cut(rankings)`, the length of every list (`ir_trunc.truncation`). measure: what
    `fit` fits the policy for. Lists are ranked as for scoring: by score, then by docno, both descending.
    """

    def __init__(self, policy: Any, measure: Any = None):
        from ir_trunc.truncation._policy import sees_judgments

        super().__init__()
        if sees_judgments(policy):
            raise ParameterError(
                f"{policy} sees the judgments, which a pipeline does not have: take another policy."
            )
        self.policy = policy
        self.measure = measure

    def get_parameter(self, name: str) -> Any:
        """A parameter of the policy by its name, such as 'k'; or 'policy', or 'measure'."""
        of = self if name in ("policy", "measure") else self.policy
        if of is self.policy and name not in self._parameters():
            raise ParameterError(
                f"{self!r} has no parameter {name!r}; it has: {', '.join(self._parameters())}."
            )
        return getattr(of, name)

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter, as `pt.GridSearch` does: `{truncate: {"k": [5, 10, 20]}}`."""
        self.get_parameter(name)
        if name in ("policy", "measure"):
            setattr(self, name, value)
        else:
            self.policy = replace(self.policy, **{name: value})

    def _parameters(self) -> list[str]:
        own = [field.name for field in fields(self.policy)] if is_dataclass(self.policy) else []
        return [*own, "policy", "measure"]

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The rows that are kept, in the order given."""
        pt.validate.result_frame(inp)
        if not len(inp):
            return inp
        from ir_trunc._ranking.doors import read_qrels, read_run
        from ir_trunc._ranking.rank import rank
        from ir_trunc._ranking.ranked import RankedRows
        from ir_trunc.truncation._policy import lengths_of

        rows = read_run(inp)
        pairs = list(zip(rows.topics.to_pylist(), rows.docs.to_pylist()))
        qrels = read_qrels({topic: {} for topic, _ in pairs}, nil="document")
        ranked = RankedRows.of(rows, qrels.topics)
        kept = ranked.rank <= lengths_of(self.policy, rank(qrels, [rows], keep_scores=True))[ranked.topic]
        ids = zip(ranked.rows.topics.to_pylist(), ranked.rows.docs.to_pylist())
        wanted = {pair for pair, keep in zip(ids, kept.tolist()) if keep}
        return inp[[pair in wanted for pair in pairs]].reset_index(drop=True)

    def fit(
        self,
        topics_or_res_tr: pd.DataFrame,
        qrels_tr: pd.DataFrame,
        topics_or_res_va: pd.DataFrame | None = None,
        qrels_va: pd.DataFrame | None = None,
    ) -> Truncate:
        """Fit the policy on ranked results and their qrels; validation data are not needed.

        Topics of the results without judgments are nil queries: a policy has to learn silence from them.
        """
        from ir_trunc._ranking.doors import rank

        if self.measure is None:
            raise ParameterError(
                f"{self!r} has no measure to be fitted to: give one when it is made, as measure='RBPT'."
            )
        pt.validate.result_frame(topics_or_res_tr)
        rankings = rank(qrels_tr, topics_or_res_tr, topics=topics_or_res_tr)
        self.policy = self.policy.fit(rankings, self.measure)
        return self

    def transform_outputs(self, inp_cols: list[str]) -> list[str]:
        """The columns stay as they are."""
        return inp_cols

    def __repr__(self) -> str:
        return f"Truncate({self.policy!r})"
