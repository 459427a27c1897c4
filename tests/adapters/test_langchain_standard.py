"""LangChain's own tests of retrievers, on a vector store with scores and a policy behind it."""

import pytest

standard = pytest.importorskip("langchain_tests.integration_tests", reason="langchain-tests is not installed")

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from ir_trunc.adapters.langchain import Truncate, scored

pytestmark = [
    pytest.mark.full,
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("ignore::pytest.PytestWarning"),  # not all of these tests are asynchronous
]


def cut(store, k=10):
    """A retriever, and a policy that keeps all of its documents."""
    return scored(store, k, raw=True) | Truncate("Fixed(k=10)")


class TestRetrieversThatEndAtThePolicy(standard.RetrieversIntegrationTests):
    retriever_constructor = staticmethod(cut)
    retriever_query_example = "query"

    @property
    def retriever_constructor_params(self):
        embedding = DeterministicFakeEmbedding(size=8)
        return {"store": InMemoryVectorStore.from_texts([f"text {number}" for number in range(5)], embedding)}
