"""LangChain: documents behind the point where a policy ends the list are left out.

ContextualCompressionRetriever(base_compressor=Truncate(policy), base_retriever=scored(store, k=50))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.langchain needs LangChain", "langchain"):
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.runnables import RunnableLambda

from ir_trunc._core.errors import InputError
from ir_trunc.truncation._text import live_policy

__all__ = ["Truncate", "scored"]

SCORES = ("relevance_score", "score")
"""The names in `metadata` under which rerankers, and `scored`, leave scores."""


class Truncate(BaseDocumentCompressor):  # type: ignore[misc]
    """A document compressor that keeps what a policy keeps.

    Parameters
    ----------
    policy : Policy or str
        Fitted, as `ir_trunc.how_many(...).policy` or `ir_trunc.load_policy("stop.json")`.
    score : str or callable, optional
        Where a document has its score: a name in its metadata, or a function of the document. By default
        'relevance_score', as rerankers write it, or 'score'.
    lower_is_better : bool
        Whether the scores are distances.
    """

    policy: Any
    score: Any = None
    lower_is_better: bool = False

    def model_post_init(self, context: Any, /) -> None:
        """Refuse a policy that cannot work on live lists."""
        self.policy = live_policy(self.policy)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> list[Document]:
        """The documents that are kept, in their order; InputError where one has no score."""
        retrieved = list(documents)
        score = self.score
        if score is None:
            with_score = (name for name in SCORES if all(name in doc.metadata for doc in retrieved))
            score = next(with_score, None)
        if score is None:
            raise InputError(
                f"documents have no {' or '.join(SCORES)} in their metadata: most retrievers of LangChain"
                " leave scores out. ir_trunc.adapters.langchain.scored(vector_store) retrieves with them,"
                " and Truncate(policy=..., score='name') takes another name."
            )
        path = score if callable(score) else f"metadata.{score}"
        kept: list[Document] = self.policy.keep(retrieved, path, lower_is_better=self.lower_is_better)
        return kept


def scored(store: Any, k: int = 50, raw: bool = False, **search: Any) -> Any:
    """A retriever on a vector store that leaves each document's score in its metadata, under 'score'.

    store: a vector store of LangChain. k: documents to retrieve, more than will be kept. raw: whether to take
    the scores as the store has them, which may be distances, in the place of relevance scores, of which some
    stores have none. search: more options of the store's search, such as filter.
    """
    by_score = store.similarity_search_with_score if raw else store.similarity_search_with_relevance_scores

    def retrieve(query: str) -> list[Document]:
        try:
            scored_docs = by_score(query, k=k, **search)
        except NotImplementedError:
            remedy = "scored(store, raw=True) takes its own; where these are distances, lower_is_better=True"
            what = f"{type(store).__name__} has no relevance scores"
            raise InputError(f"{what}: {remedy} says so.") from None
        with_scores = [(doc, doc.metadata | {"score": score}) for doc, score in scored_docs]
        return [Document(page_content=doc.page_content, metadata=m, id=doc.id) for doc, m in with_scores]

    return RunnableLambda(retrieve)
