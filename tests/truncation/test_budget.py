"""A token budget: no policy passes on more than it, in fitting, in runs and on live lists."""

import numpy as np
import pandas as pd
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, ParameterError, how_many, rank
from ir_trunc.truncation import Fixed, ScoreThreshold, parse_policy, truncate

BUDGET = 4000


def collection(questions=150, seed=3):
    """Lists of 20 passages of 80 to 900 tokens; a third of the questions has no answer."""
    rng = np.random.default_rng(seed)
    labels, rows = {}, []
    for q in map(str, range(questions)):
        labels[q] = {f"{q}-{d}": 1 for d in range(rng.integers(1, 13) if int(q) % 3 else 0)}
        for d in range(20):
            score = rng.normal(0.7 if f"{q}-{d}" in labels[q] else 0.4, 0.12)
            rows.append((q, f"{q}-{d}", score, int(rng.integers(80, 901))))
    return labels, pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "tokens"])


LABELS, RUN = collection()
COST = {"cost": "tokens"}


def tokens_kept(policy):
    cost = dict(zip(RUN["doc_id"], RUN["tokens"]))
    kept = truncate(RUN, policy, columns=COST).to_dict()
    return {q: sum(cost[doc] for doc in docs) for q, docs in kept.items()}


def test_nothing_kept_costs_more_than_the_budget():
    free = how_many(LABELS, RUN, cost="tokens")
    assert sum(total > BUDGET for total in tokens_kept(free.policy).values()) == 20
    advice = how_many(LABELS, RUN, cost="tokens", budget=BUDGET)
    table = advice.to_pandas().set_index("policy")
    assert advice.policy.budget == BUDGET
    assert max(tokens_kept(advice.policy).values()) <= BUDGET
    best = table.loc[advice.advised]
    assert best["used"] == pytest.approx(best["cost"] / BUDGET)
    assert (table["used"] <= 1).all()
    assert table.loc["as retrieved", ["used", "limited"]].tolist() == pytest.approx([0.9293, 1], abs=1e-4)
    assert table.loc["always silent", ["used", "limited"]].tolist() == [0, 0]
    assert "The documents of a question may cost 4000 together." in advice.heading
    assert "of the budget per question" in advice.heading
    assert parse_policy(str(advice.policy)) == advice.policy
    assert not {"used", "limited"} & set(free.to_pandas())


def test_a_price_changes_the_cost_and_not_the_share_of_the_budget():
    options = {"cost": "tokens", "budget": BUDGET}
    free, priced = (how_many(LABELS, RUN, **options, price=price) for price in (None, 0.002))
    assert priced.cost == pytest.approx(0.002 * free.cost)
    assert priced.used.tolist() == free.used.tolist()
    assert priced.limited.tolist() == free.limited.tolist()
    assert priced.cost.max() / priced.used.max() == pytest.approx(BUDGET * 0.002)
    assert "may cost 4000 together, 8 at the price of 0.002." in priced.heading


class Words:
    """A tokenizer."""

    def encode(self, text):
        return text.split()


@pytest.mark.parametrize(("form", "cost"), [
    ("dicts", "tokens"), ("dicts", "function"), ("pairs", Words()), ("records", Words()),
    ("records", "characters/4"), ("LangChain", "tokens"), ("LangChain", "function"),
])  # fmt: skip
def test_documents_of_frameworks_have_costs_as_columns_have_them(form, cost):
    """A name in them or in their metadata, a tokenizer, a quarter of the characters, or a function."""
    some = RUN[RUN["query_id"].astype(int) < 50].sort_values(["query_id", "score"], ascending=[True, False])
    words = {doc: tokens // 40 for doc, tokens in zip(some["doc_id"], some["tokens"])}
    price = {"characters/4": lambda n: -(-(2 * n) // 4), "function": lambda n: 3 * n}.get(cost, lambda n: n)
    labels = {q: LABELS[q] for q in some["query_id"]}
    priced = some.assign(tokens=[price(words[doc]) for doc in some["doc_id"]])
    expected = how_many(labels, priced, cost="tokens", budget=40)
    documents: dict[str, list] = {}
    for q, doc, score in zip(some["query_id"], some["doc_id"], some["score"]):
        text, more = "a " * words[doc], {"tokens": words[doc]}
        made = {"id": doc, "text": text, "metadata": more | {"score": score}}
        if form == "LangChain":
            library = pytest.importorskip("langchain_core.documents", reason="langchain is not installed")
            made = library.Document(text, id=doc, metadata=made["metadata"])
        documents.setdefault(q, []).append((made, score) if form == "pairs" else made)
    if form == "records":
        documents = [{"query_id": q, "documents": docs} for q, docs in documents.items()]

    def tokens(doc):
        return 3 * (doc.metadata if form == "LangChain" else doc["metadata"])["tokens"]

    found = how_many(labels, documents, cost=tokens if cost == "function" else cost, budget=40)
    pd.testing.assert_frame_equal(found.table, expected.table)


@pytest.mark.needs("spans and stores")
def test_lists_of_documents_without_scores_have_costs_too():
    run = {q: [{"id": f"{q}-{d}", "tokens": 10 * d} for d in range(5)] for q in LABELS}
    with pytest.warns(ir_trunc.IrTruncWarning, match="have no scores"):
        lists = rank(LABELS, run, columns=COST)
    assert lists.scores is None
    assert Fixed(5, budget=31).cut(lists).tolist() == [3] * len(run)


@pytest.mark.needs("spans and stores")
@pytest.mark.parametrize(("cost", "match"), [
    ("words", "it has no words; a number >= 0 is needed"),
    (lambda document: -1, "cost -1; a number >= 0 is needed"),
    ("characters/4", "has no text that could be counted"),
    (7, "cost=7: a name, 'characters/4', a tokenizer"),
])  # fmt: skip
def test_documents_without_a_cost_are_refused(cost, match):
    run = {q: [{"id": f"{q}-1", "score": 0.5}] for q in LABELS}
    refused((InputError, ParameterError), match, how_many, LABELS, run, cost=cost, budget=40)


def test_live_lists_stay_within_the_budget():
    policy, rows = Fixed(20, budget=BUDGET), RUN[:20]
    expected = truncate(rows, policy, columns=COST).to_dict()["0"]
    assert sorted(policy.keep(rows, cost="tokens")["doc_id"]) == sorted(expected)
    assert 0 < len(expected) < 20
    grid, costs = np.array([[0.9, 0.8, 0.7], [0.9, 0.2, 0.1]]), np.array([[5, 5, 1], [11, 0, 0]])
    assert ScoreThreshold(0.5, budget=10)(grid, costs).tolist() == [2, 0]


def test_what_a_budget_needs_is_said():
    refused(InputError, "needs what each document costs", how_many, LABELS, RUN, budget=BUDGET)
    refused(ParameterError, r"budget=0 .*> 0", how_many, LABELS, RUN, cost="tokens", budget=0)
    with pytest.raises(ParameterError, match=r"budget=0.5: every first passage costs more, \d+ at least"):
        how_many(LABELS, RUN, cost="tokens", budget=0.5)
    with pytest.raises(InputError, match="no column 'token', which columns names for cost"):
        how_many(LABELS, RUN, cost="token", budget=BUDGET)
    refused(InputError, r"policy\(scores, costs\) and keep\(items, cost=...\)", Fixed(3, budget=10), [0.9])
    for costs, message in (([1, 2], "shape"), ([-1], "costs: -1 at place 0; costs are 0 or more")):
        refused(InputError, message, Fixed(3, budget=10), [0.9], costs)
    with pytest.raises(InputError, match=r"item 0, .* has no cost: cost='name' says where it is"):
        Fixed(3, budget=10).keep([("a", 0.9)])
    refused(ParameterError, "budget=-1", Fixed, 3, budget=-1)

    class Own:
        def fit(self, rankings, measure):
            return self

        def cut(self, rankings):
            return rankings.lengths

    with pytest.raises(ParameterError, match="takes no budget="):
        how_many(LABELS, RUN, cost="tokens", budget=BUDGET, also=[Own()])


def test_the_command_takes_a_budget(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    RUN.to_csv("my.csv", index=False)
    rows = [f"{q} 0 {doc} 1" for q, docs in LABELS.items() for doc in docs]
    (tmp_path / "my.qrels").write_text("\n".join(rows + [f"{q} 0 __nil__ 0" for q in LABELS]) + "\n")
    words = ["how-many", "my.qrels", "my.csv", "--cost", "tokens", "--budget", "4000", "-o", "stop.json"]
    assert command(*words)[0] == 0
    assert ir_trunc.load_policy("stop.json") == how_many(LABELS, RUN, cost="tokens", budget=BUDGET).policy
    status, out, err = command("how-many", "my.qrels", "my.csv", "--budget", "4000")
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
