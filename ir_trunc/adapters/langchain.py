"""LangChain: documents behind the point where a policy ends the list are left out.

chain = scored(store, k=50) | Truncate(policy)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ir_trunc._core.lazy import needed

with needed("ir_trunc.adapters.langchain needs LangChain", "langchain"):
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.runnables import RunnableLambda, RunnableSerializable

from ir_trunc._core.errors import InputError, shown, warn
from ir_trunc._core.parameters import flag, whole
from ir_trunc.truncation._items import cost_of
from ir_trunc.truncation._text import live_policy

__all__ = ["Truncate", "scored"]

SCORES = ("relevance_score", "score")
"""The names in `metadata` under which rerankers, and `scored`, leave scores."""


class Truncate(
    BaseDocumentCompressor,  # type: ignore[misc]
    RunnableSerializable[Sequence[Document], list[Document]],  # type: ignore[misc]
):
    """A runnable, and a document compressor, that keeps what a policy keeps.

    `retriever | Truncate(policy)` retrieves as the retriever does, by `invoke`, `batch` and `stream`, and by
    the asynchronous methods.

    Parameters
    ----------
    policy : Policy or str
        Fitted, as `ir_trunc.how_many(...).policy` or `ir_trunc.load_policy("stop.json")`.
    score : str or callable, optional
        Where a document has its score: a name in its metadata, or a function of the document. By default
        'relevance_score', as rerankers write it, or 'score'.
    cost : str or callable, optional
        What a document costs, for a policy with a budget: 'characters/4' (about its tokens), a tokenizer with
        `encode`, a function of the document, or a name in its metadata, by default 'cost'.
    lower_is_better : bool, optional
        Whether the scores are distances; by default if those were that the policy was fitted on.

    Examples
    --------
    >>> from langchain_core.documents import Document
    >>> near = Document(page_content="near", metadata={"score": 0.9})
    >>> far = Document(page_content="far", metadata={"score": 0.2})
    >>> stop = Truncate("ScoreThreshold(threshold=0.5)")
    >>> [document.page_content for document in stop.invoke([near, far])]
    ['near']
    """

    policy: Any
    score: Any = None
    cost: Any = None
    lower_is_better: bool | None = None

    def __init__(
        self,
        policy: Any,
        score: Any = None,
        lower_is_better: bool | None = None,
        name: str | None = None,
        cost: Any = None,
    ):
        better = None if lower_is_better is None else flag("lower_is_better", lower_is_better)
        live = live_policy(policy)
        super().__init__(policy=live, score=score, cost=cost, lower_is_better=better, name=name)

    def invoke(self, input: Sequence[Document], config: Any = None, **kwargs: Any) -> list[Document]:
        """The documents of one query that are kept, in their order; InputError where one has no score."""
        return self._call_with_config(self._keep, input, config, **kwargs)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> list[Document]:
        """As `invoke`, for `ContextualCompressionRetriever`; policies do not read the query."""
        return self._keep(documents)

    def _keep(self, documents: Sequence[Document]) -> list[Document]:
        """The documents that are kept."""
        if not (isinstance(documents, (list, tuple)) and all(isinstance(doc, Document) for doc in documents)):
            what = "a list of documents is needed, as retrievers return it: retriever | Truncate(policy)"
            raise InputError(f"Truncate: {shown(documents)}: {what}.")
        retrieved, score = list(documents), self.score
        if score is None:
            score = next((name for name in SCORES if all(name in doc.metadata for doc in retrieved)), None)
        if score is None:
            what = f"documents have no {' or '.join(SCORES)} in their metadata"
            why = f"{what}: most retrievers of LangChain leave scores out"
            remedy = "ir_trunc.adapters.langchain.scored(vector_store) retrieves with them"
            raise InputError(f"{why}. {remedy}, and Truncate(policy, score='name') takes another name.")
        path = score if callable(score) else f"metadata.{score}"
        cost = cost_of(self.cost, lambda document: document.page_content, "metadata")
        return self.policy.keep(retrieved, path, cost=cost, lower_is_better=self.lower_is_better)


def scored(store: Any, k: int = 50, raw: bool | None = None, **search: Any) -> Any:
    """A retriever on a vector store that leaves each document's score in its metadata, under 'score'.

    Parameters
    ----------
    store : VectorStore
        A vector store of LangChain.
    k : int
        Documents to retrieve, more than will be kept; `invoke(query, k=...)` overrides it for a query.
    raw : bool, optional
        True takes the scores of the store, which may be distances; False takes relevance scores. By default
        relevance scores are taken, and with a warning the store's own where it has no relevance scores, or
        where these rise while its own fall, as LangChain computes them from inner products.
    **search
        More options of the store's search, such as filter.

    Returns
    -------
    Runnable
        From a query to a list of documents.

    Raises
    ------
    InputError
        Where raw is False and the store has no relevance scores, or such that rise, when it is asked.

    Examples
    --------
    >>> from langchain_core.embeddings import DeterministicFakeEmbedding
    >>> from langchain_core.vectorstores import InMemoryVectorStore
    >>> store = InMemoryVectorStore.from_texts(["a", "b", "c"], DeterministicFakeEmbedding(size=8))
    >>> retriever = scored(store, raw=True) | Truncate("Fixed(k=2)")
    >>> len(retriever.invoke("question"))
    2
    """
    default_k, own = whole("k", k, 1), None if raw is None else flag("raw", raw)

    def retrieve(query: str, k: int = default_k) -> list[Document]:
        nonlocal own
        scored_docs, problem, hint = [], "", ""
        if not own:
            try:
                scored_docs = store.similarity_search_with_relevance_scores(query, k=k, **search)
            except NotImplementedError:
                problem = "has no relevance scores"
                hint = " Where they are distances, write Truncate(policy, lower_is_better=True)."
        if own or problem or _rises(scored_docs):
            own_docs = store.similarity_search_with_score(query, k=k, **search)
            if not own and not problem and not _rises(own_docs):
                problem = "has relevance scores that rise from the first document on, while its own fall"
            scored_docs = own_docs if own or problem else scored_docs
        if problem:
            what = f"{type(store).__name__} {problem}"
            if own is False:
                raise InputError(f"{what}: scored(store, raw=True) takes its own scores.")
            warn(f"{what}: its own scores are taken, which raw=True confirms.{hint}")
            own = True
        return [doc.model_copy(update={"metadata": doc.metadata | {"score": s}}) for doc, s in scored_docs]

    return RunnableLambda(retrieve)


def _rises(scored_docs: list[tuple[Document, float]]) -> bool:
    """Whether a document has a higher score than the one before it."""
    return any(after > before for (_, before), (_, after) in pairwise(scored_docs))
