"""Haystack: documents behind the point where a policy ends the list are left out.

pipeline.add_component("stop", Truncate(policy)); pipeline.connect("retriever.documents", "stop.documents")
"""

from __future__ import annotations

from typing import Any

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.haystack needs Haystack", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.utils import deserialize_callable, serialize_callable

from ir_trunc.truncation._items import cost_of
from ir_trunc.truncation._text import live_policy, policy_from_dict

__all__ = ["Truncate"]


@component  # type: ignore[misc, unused-ignore]
class Truncate:
    """A component that keeps what a policy keeps. `Pipeline.dumps` saves it with its pipeline.

    From version 3 on, Haystack loads components of other packages only where the caller trusts them:
    `Pipeline.loads(text, allowed_modules=["ir_trunc.adapters.haystack"])`.

    Parameters
    ----------
    policy : Policy or str
        Fitted, as `ir_trunc.how_many(...).policy` or `ir_trunc.load_policy("stop.json")`.
    lower_is_better : bool, optional
        Whether the scores are distances; by default if those were that the policy was fitted on.
    cost : str or callable, optional
        What a document costs, for a policy with a budget: 'characters/4' (about its tokens), a tokenizer with
        `encode`, a function of the document, or a name in its metadata, by default 'cost'.
        A pipeline that is saved needs a text, or a function that can be imported.
    """

    def __init__(self, policy: Any, lower_is_better: bool | None = None, cost: Any = None):
        self.policy = live_policy(policy)
        self.cost = cost
        self.lower_is_better = lower_is_better

    @component.output_types(documents=list[Document])  # type: ignore[misc, untyped-decorator, unused-ignore]
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """The documents that are kept, in their order; InputError where one has no score."""
        cost = cost_of(self.cost, lambda document: document.content or "", "meta")
        kept = self.policy.keep(list(documents), cost=cost, lower_is_better=self.lower_is_better)
        return {"documents": kept}

    def to_dict(self) -> dict[str, Any]:
        """The component as pipelines are saved."""
        cost = {"function": serialize_callable(self.cost)} if callable(self.cost) else self.cost
        policy = self.policy.to_dict()
        return default_to_dict(self, policy=policy, lower_is_better=self.lower_is_better, cost=cost)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Truncate:
        """The component from a saved pipeline."""
        parameters = data["init_parameters"]
        read = parameters | {"policy": policy_from_dict(parameters["policy"])}
        cost = parameters.get("cost")
        if isinstance(cost, dict):
            read["cost"] = deserialize_callable(cost["function"])
        return default_from_dict(cls, data | {"init_parameters": read})
