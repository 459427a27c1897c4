"""From data to a deployed policy inside the frameworks that people run, with the real libraries."""

import asyncio
import importlib
import json
import pickle
from hashlib import sha256
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from messages import refused
from pages import ROOT, blocks

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, ParameterError, rank, read_run
from ir_trunc.truncation import Fixed, Greedy, ScoreThreshold

TEXTS = ["one two three", "four five", "six"]
SCORES = dict(zip(TEXTS, [0.9, 0.7, 0.2]))
half = ScoreThreshold(0.5)
# What a framework warns of is not ours.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")


def quietly(name):
    """Import a framework, or skip where it is absent."""
    return pytest.importorskip(name, reason=f"{name} is not installed")


class Words:
    def encode(self, text):
        return text.split()


def letters(document):
    return len(getattr(document, "page_content", "") or document.content)


# LangChain.


def documents(name="relevance_score"):
    core = quietly("langchain_core.documents")
    return [core.Document(page_content=doc, metadata={name: score}) for doc, score in SCORES.items()]


def contents(found):
    return [doc.page_content for doc in found]


def test_langchain_documents_are_compressed():
    given = documents()
    from ir_trunc.adapters.langchain import Truncate

    assert Truncate(half).compress_documents(given, "query") == Truncate(half).invoke(given) == given[:2]
    assert contents(Truncate(policy="Fixed(k=1)").invoke(documents("score"))) == TEXTS[:1]
    assert Truncate(half, "sim").invoke(documents("sim")) == documents("sim")[:2]
    by_function = Truncate(half, score=lambda doc: SCORES[doc.page_content])
    assert by_function.invoke(tuple(documents("other"))) == documents("other")[:2]
    assert Truncate(half).invoke([]) == []
    far = Truncate(ScoreThreshold(-0.8), lower_is_better=True)
    assert contents(far.invoke(given[::-1])) == TEXTS[:0:-1]


def test_langchain_mistakes_are_refused():
    given = documents("other")
    from ir_trunc.adapters.langchain import Truncate, scored

    with pytest.raises(InputError, match=r"no relevance_score or score in their metadata.*scored"):
        Truncate(half).invoke(given)
    for policy, message in [("Oracle(measure=AP)", "looks at judgments"), (5, "is not a policy")]:
        refused(ParameterError, message, Truncate, policy)
    refused(ParameterError, "lower_is_better='no': True or False", Truncate, half, lower_is_better="no")
    for found in ("query", "", None, {"context": given}, ["a"], given[0]):
        with pytest.raises(InputError, match=r"a list of documents is needed.*retriever \| Truncate"):
            Truncate(half).invoke(found)
    for wrong in ({"k": 0}, {"k": "3"}, {"raw": 1}):
        refused(ParameterError, "is needed", scored, None, **wrong)


def store_on_a_circle():
    """The vector store of LangChain's tutorials; a text is at the angle that it names."""
    base = quietly("langchain_core.embeddings").Embeddings
    stores = quietly("langchain_core.vectorstores")

    class OnACircle(base):
        def embed_documents(self, texts):
            return [self.embed_query(text) for text in texts]

        def embed_query(self, text):
            angle = float(text.split()[-1])
            return [np.cos(angle), np.sin(angle)]

    return stores.InMemoryVectorStore.from_texts(["far 1.5", "close 0.3", "near 0.1"], OnACircle())


def test_langchain_pipes_end_at_the_policy(recwarn):
    store = store_on_a_circle()
    from ir_trunc.adapters.langchain import Truncate, scored

    pipe = scored(store, raw=True) | Truncate(half)
    queries, expected = ["query 0.0", "query 1.5"], [["near 0.1", "close 0.3"], ["far 1.5"]]
    assert [contents(pipe.invoke(query)) for query in queries] == expected
    assert [contents(found) for found in pipe.batch(queries)] == expected
    assert [contents(found) for found in pipe.stream(queries[0])] == expected[:1]

    async def asynchronously():
        return [await pipe.ainvoke(queries[0]), *await pipe.abatch(queries)]

    assert [contents(found) for found in asyncio.run(asynchronously())] == [expected[0], *expected]
    assert contents(pickle.loads(pickle.dumps(Truncate(half))).invoke(documents())) == TEXTS[:2]
    with importlib.import_module("langchain_core.tracers.context").collect_runs() as steps:
        Truncate(half).invoke(documents(), {"run_name": "stop"})
    assert [step.name for step in steps.traced_runs] == ["stop"]
    assert not [warning for warning in recwarn if issubclass(warning.category, IrTruncWarning)]


def test_the_page_on_rag_pipes_a_vector_store(tmp_path, monkeypatch):
    quietly("langchain_core")
    monkeypatch.chdir(tmp_path)
    ScoreThreshold(-1).save("stop.json")
    (block,) = blocks(ROOT / "notebooks" / "start" / "rag-pipeline.md", "py")
    names = {}
    exec(block, names)
    assert len(names["documents"]) == 3


def test_langchain_scores_are_those_of_relevance_or_the_store_s_with_a_warning():
    store = store_on_a_circle()
    from ir_trunc.adapters.langchain import scored

    with pytest.raises(InputError, match=r"no relevance scores: scored\(store, raw=True\) takes"):
        scored(store, raw=False).invoke("query 0.0")
    retriever = scored(store)
    with pytest.warns(IrTruncWarning, match="InMemoryVectorStore has no relevance scores: its own") as caught:
        found, again = retriever.invoke("query 0.0"), retriever.invoke("query 0.0", k=2)
    assert len(caught) == 1
    assert found[:2] == again
    assert [doc.metadata["score"] for doc in found] == pytest.approx(np.cos([0.1, 0.3, 1.5]))
    assert list(read_run({"q": found}).to_dict()["q"]) == [doc.id for doc in found]  # as they are
    store._select_relevance_score_fn = lambda: lambda similarity: similarity / 2
    for relevance in (scored(store), scored(store, raw=False)):
        scores = [doc.metadata["score"] for doc in relevance.invoke("query 0.0")]
        assert scores == pytest.approx(np.cos([0.1, 0.3, 1.5]) / 2)


def test_langchain_scores_of_inner_products_are_those_of_the_store():
    """LangChain takes 1 - s for the relevance of an inner product s: the best document has the lowest."""
    store = store_on_a_circle()
    from ir_trunc.adapters.langchain import scored

    store._select_relevance_score_fn = lambda: store._max_inner_product_relevance_score_fn
    retriever = scored(store)
    with pytest.warns(IrTruncWarning, match="relevance scores that rise .* raw=True confirms") as caught:
        found = [retriever.invoke("query 0.0") for _ in range(2)]
    assert len(caught) == 1
    for docs in found:
        assert [doc.metadata["score"] for doc in docs] == pytest.approx(np.cos([0.1, 0.3, 1.5]))
    with pytest.raises(InputError, match=r"while its own fall: scored\(store, raw=True\) takes"):
        scored(store, raw=False).invoke("query 0.0")


def test_langchain_compressors_of_its_own_retriever():
    retrievers = quietly("langchain_classic.retrievers")
    from ir_trunc.adapters.langchain import Truncate, scored

    retriever = retrievers.ContextualCompressionRetriever(
        base_compressor=Truncate(half), base_retriever=scored(store_on_a_circle(), raw=True)
    )
    assert contents(retriever.invoke("query 0.0")) == ["near 0.1", "close 0.3"]
    assert contents(asyncio.run(retriever.ainvoke("query 0.0"))) == ["near 0.1", "close 0.3"]


def test_documents_without_id_are_named_by_their_content():
    found = documents("score")
    digests = {sha256(doc.encode()).hexdigest(): score for doc, score in SCORES.items()}
    pairs = [(doc, doc.metadata["score"]) for doc in found]
    for run in (found, pairs):
        with pytest.warns(IrTruncWarning, match="3 documents have no id.*SHA-256 of page_content") as caught:
            assert read_run({"q": run}).to_dict() == {"q": digests}
        assert len(caught) == 1
    found[0].id = "a"
    with pytest.warns(IrTruncWarning, match="2 documents have no id"):
        assert list(read_run({"q": found}).to_dict()["q"]) == ["a", *list(digests)[1:]]
    with pytest.raises(InputError, match=r"item 0: .* has no id; it is looked for under chunk"):
        read_run({"q": found}, columns={"doc_id": "chunk"})
    with pytest.warns(IrTruncWarning), pytest.raises(InputError, match="twice"):
        rank({"q": {"a": 1}}, {"q": [found[1], found[1]]})


# LlamaIndex.


def test_llama_index_nodes_are_postprocessed():
    schema = quietly("llama_index.core.schema")
    from ir_trunc.adapters.llama_index import Truncate

    made = [schema.TextNode(text=text, metadata={"n": 4}) for text in TEXTS]
    given = [schema.NodeWithScore(node=node, score=score) for node, score in zip(made, SCORES.values())]
    assert Truncate(policy=half).postprocess_nodes(given, query_str="query") == given[:2]
    assert Truncate(policy="Fixed(k=1)").postprocess_nodes(given) == given[:1]
    assert Truncate(policy=half).postprocess_nodes([]) == []
    for cost, kept in (("n", 1), (lambda node: len(node.text.split()), 3), (Words(), 3)):
        assert Truncate(policy=Fixed(3, budget=7), cost=cost).postprocess_nodes(given) == given[:kept]
    given[1].score = None
    refused(InputError, r"item 1, .*has no score", Truncate(policy=half).postprocess_nodes, given)
    refused(ValueError, "looks at judgments", Truncate, policy="Oracle(measure=AP)")


# Haystack.


def test_haystack_documents_pass_through_a_pipeline_that_is_saved():
    haystack = quietly("haystack")
    from ir_trunc.adapters.haystack import Truncate

    given = [haystack.Document(content=doc, score=score, meta={"n": 4}) for doc, score in SCORES.items()]
    pipeline = haystack.Pipeline()
    pipeline.add_component("stop", Truncate(half))
    saved, trusted = pipeline.dumps(), {"allowed_modules": ["ir_trunc.adapters.haystack"]}
    if "allowed_modules" in signature(haystack.Pipeline.loads).parameters:  # from version 3 on
        with pytest.raises(Exception, match=r"allowed_modules=\['ir_trunc.adapters.haystack'\]"):
            haystack.Pipeline.loads(saved)
    else:
        trusted = {}
    for one in (pipeline, haystack.Pipeline.loads(saved, **trusted)):
        assert one.run({"stop": {"documents": given}})["stop"]["documents"] == given[:2]
        assert one.get_component("stop").policy == half
    assert Truncate("Fixed(k=0)").run(documents=given) == {"documents": []}
    trust = getattr(haystack.core.serialization, "allow_deserialization_module", lambda name: None)
    trust(letters.__module__)  # version 3 reads functions of modules that are trusted
    for cost, kept in (("n", 1), ("characters/4", 2), (letters, 0)):
        stop = Truncate(Fixed(3, budget=7), cost=cost)
        again = Truncate.from_dict(json.loads(json.dumps(stop.to_dict())))
        assert stop.run(given) == again.run(given) == {"documents": given[:kept]}
    refused(ParameterError, "looks at judgments", Truncate, "Oracle(measure=AP)")


# What documents cost, and a budget.

COSTS = [(7, "characters/4", 2), (5, Words(), 2), (22, letters, 2), (21, letters, 1)]


@pytest.mark.parametrize(("budget", "cost", "kept"), [*COSTS, (5, "tokens", 1), (4, None, 1)])
def test_adapters_keep_to_a_budget(budget, cost, kept):
    policy = Fixed(3, budget=budget)
    costs = [{"tokens": 3 + at, "cost": 4, "score": 0.9 - at / 10} for at in range(3)]
    document = quietly("langchain_core.documents").Document
    from ir_trunc.adapters.langchain import Truncate

    given = [document(page_content=text, metadata=meta) for text, meta in zip(TEXTS, costs)]
    assert Truncate(policy, cost=cost).invoke(given) == given[:kept]
    (block,) = blocks(ROOT / "notebooks" / "howto" / "token-budget.md", "py")
    names = {}
    exec(block, names)
    assert len(names["documents"]) == 2


# scikit-learn.

LISTS = [[0.9, 0.8, 0.3], [0.4, 0.2], [0.7, 0.6, 0.5, 0.1]] * 8
GRADES = [[1, 1, 0], [0, 0], [1, 0, 0, 0, 1]] * 8


def test_scikit_learn_fits_clones_and_searches():
    quietly("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    from ir_trunc.adapters.sklearn import Truncate

    estimator = Truncate("ScoreThreshold", "SetF")
    assert estimator.fit(LISTS, GRADES).predict(LISTS[:3]).tolist() == [2, 0, 1]
    assert estimator.policy_ == ScoreThreshold(0.7)
    assert estimator.predict([np.array([0.95, 0.1]), []]).tolist() == [1, 0]
    assert estimator.transform(LISTS[:1]) == [[0.9, 0.8]]
    assert estimator.score(LISTS, GRADES) == pytest.approx((1 + 0 + 2 / 3) / 3)
    again = clone(estimator)
    assert again.get_params() == {"policy": "ScoreThreshold", "measure": "SetF"}
    assert not hasattr(again, "policy_")
    assert again.set_params(policy=Fixed(2)).fit(LISTS, GRADES).predict(LISTS[:2]).tolist() == [2, 2]
    grid = {"policy": ["ScoreThreshold", Greedy(), "LargestGap"]}
    search = GridSearchCV(Truncate(measure="FlatU(e=0.3)"), grid, cv=4).fit(LISTS, GRADES)
    assert search.best_params_ == {"policy": "ScoreThreshold"}
    assert search.predict(LISTS[:2]).tolist() == [2, 0]
    assert cross_val_score(estimator, LISTS, GRADES, cv=4).shape == (4,)
    halved = make_pipeline(FunctionTransformer(lambda rows: [np.array(row) / 2 for row in rows]), Truncate())
    assert halved.fit(LISTS, GRADES).predict(LISTS[:2]).tolist() == [2, 0]


# Hugging Face.


def test_what_is_kept_of_a_hugging_face_data_set_is_one(monkeypatch):
    datasets = quietly("datasets")
    monkeypatch.setattr(datasets.fingerprint.Hasher, "hash", classmethod(lambda cls, value: "0" * 16))
    run = datasets.Dataset.from_dict({"chunk": [*SCORES], "sim": [*SCORES.values()]})
    kept = half.keep(run, score="sim")
    assert isinstance(kept, datasets.Dataset)
    assert kept["chunk"][:] == list(half.keep(SCORES))


# From data to a policy, whatever the data are.


QUESTIONS = {f"question {chr(97 + n)}": n % 3 for n in range(12)}
"""Where the passage with the answer stands: the fake models repeat what they read."""
IS = {True: "answered", False: "asked"}
PASSAGES = {q: [f"{q} is {IS[at == n]} here, {at}" for at in range(3)] for q, n in QUESTIONS.items()}


def of_langchain():
    document = quietly("langchain_core.documents").Document
    runnable = importlib.import_module("langchain_core.runnables").RunnableLambda

    def retrieve(question):
        return [
            document(page_content=text, id=f"p{at}", metadata={"score": 1 - at / 10})
            for at, text in enumerate(PASSAGES[question])
        ]

    model = runnable(lambda asked: " ".join(doc.page_content for doc in asked["context"]))
    return {"retriever": runnable(retrieve), "chain": model}


def of_llama_index():
    schema, core = quietly("llama_index.core.schema"), importlib.import_module("llama_index.core")
    base = importlib.import_module("llama_index.core.retrievers").BaseRetriever

    class Retriever(base):
        def _retrieve(self, query):
            nodes = [schema.TextNode(text=text, id_=text) for text in PASSAGES[query.query_str]]
            return [schema.NodeWithScore(node=node, score=1 - at / 10) for at, node in enumerate(nodes)]

    synthesizer = core.get_response_synthesizer(llm=core.llms.MockLLM())  # which repeats what it is asked
    return {"retriever": Retriever(), "synthesizer": synthesizer}


def of_haystack():
    haystack = quietly("haystack")
    builder = importlib.import_module("haystack.components.builders").PromptBuilder

    class Retriever:
        def run(self, query):
            texts = enumerate(PASSAGES[query])
            return {"documents": [haystack.Document(content=text, score=1 - at / 10) for at, text in texts]}

    class Generator:
        def run(self, prompt):
            return {"replies": [prompt]}

    template = "{{question}}\n{% for each in documents %}{{each.content}}\n{% endfor %}"
    return {"retriever": Retriever(), "builder": builder(template=template), "generator": Generator()}


def of_pyterrier():
    pt = quietly("pyterrier")
    rows = [(q, q, f"p{at}", text, 1 - at / 10, at) for q in QUESTIONS for at, text in enumerate(PASSAGES[q])]
    frame = pd.DataFrame(rows, columns=["qid", "query", "docno", "text", "score", "rank"])

    def read(results):
        answers = [(q, " ".join(of["text"])) for q, of in results.groupby("qid")]
        return pd.DataFrame(answers, columns=["qid", "qanswer"])

    topics = pd.DataFrame({"qid": list(QUESTIONS), "query": list(QUESTIONS)})
    return {"retriever": pt.Transformer.from_df(frame), "reader": pt.apply.generic(read), "topics": topics}


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("place", range(4), ids=["langchain", "llama_index", "haystack", "pyterrier"])
def test_the_page_on_graded_answers_makes_the_table_of_a_pipeline(place):
    names = (of_langchain, of_llama_index, of_haystack, of_pyterrier)[place]()
    names |= {
        "ir_trunc": ir_trunc,
        "questions": list(QUESTIONS),
        "is_right": lambda q, answer: f"{q} is answered" in answer,
    }
    exec(blocks(ROOT / "notebooks" / "howto" / "graded-answers.md", "py")[place], names)
    assert {row["k"]: row["score"] for row in names["rows"] if row["query_id"] == "question b"}[3]
    scores = ir_trunc.read_depths(names["rows"]).to_pandas()["score"]
    assert scores.loc[[1, 3]].tolist() == pytest.approx([1 / 3, 1])
    assert names["advice"].advised == "as retrieved"
