"""LlamaIndex: nodes behind the point where a policy ends the list are left out.

index.as_query_engine(similarity_top_k=50, node_postprocessors=[Truncate(policy=policy)])
"""

from __future__ import annotations

from typing import Any

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.llama_index needs LlamaIndex", "llamaindex"):
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore, QueryBundle

from ir_trunc.truncation._items import cost_of
from ir_trunc.truncation._text import live_policy

__all__ = ["Truncate"]


class Truncate(BaseNodePostprocessor):  # type: ignore[misc]
    """A node postprocessor that keeps what a policy keeps.

    Parameters
    ----------
    policy : Policy or str
        Fitted, as `ir_trunc.how_many(...).policy` or `ir_trunc.load_policy("stop.json")`.
    lower_is_better : bool, optional
        Whether the scores are distances; by default if those were that the policy was fitted on.
    cost : str or callable, optional
        What a document costs, for a policy with a budget: 'characters/4' (about its tokens), a tokenizer with
        `encode`, a function of the node, or a name in its metadata, by default 'cost'.
    """

    policy: Any
    lower_is_better: bool | None = None
    cost: Any = None

    def model_post_init(self, context: Any, /) -> None:
        """Refuse a policy that cannot work on live lists."""
        super().model_post_init(context)
        self.policy = live_policy(self.policy)

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex knows the postprocessor by."""
        return "ir_trunc.Truncate"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        """The nodes that are kept, in their order; InputError where one has no score."""
        cost = cost_of(self.cost, NodeWithScore.get_content, "metadata")
        return self.policy.keep(list(nodes), cost=cost, lower_is_better=self.lower_is_better)
