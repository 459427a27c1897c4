"""Words that people type into the search, and the page that comes first for each of them."""

from docutils import nodes
from sphinx import addnodes

WORDS = {
    "coming-from/ragas": "ragas",
    "coming-from/trec-eval": "trec_eval",
    "coming-from/ir-measures": "ir-measures, ir_measures",
    "cite": "cite, bibtex, citation",
    "gallery": "plot, picture, ax=, axes, figure",
    "howto/abstention": "abstention, abstain, silence",
    "howto/best-cut": "best cut, oracle",
    "howto/choose-k": "threshold, how many, top k, number of documents",
    "howto/compare-systems": "confidence interval, confidence intervals, significance, t test, latex, "
    "latex leaderboard, table for a paper",
    "howto/cutoffs": "cutoff, depth",
    "howto/data": "agent, agents, traces, training loop, torch, json",
    "howto/experiments": "truncate, truncation, policies",
    "howto/frames": "pandas, polars, duckdb",
    "howto/gate": "ci, gate, regression, pipeline",
    "howto/graded-judgments": "graded, grades, gain",
    "howto/incomplete-judgments": "unjudged, incomplete judgments, pooling",
    "howto/large-runs": "slow, memory, spark, dask",
    "howto/leave-open": "selective prediction, coverage, risk",
    "howto/live-policy": "drift, monitor, monitoring, production",
    "howto/look-at-runs": "html, report, debug",
    "howto/order-of-a-list": "ties, same score, different scores",
    "howto/own-measure": "own measure, custom measure, new measure",
    "howto/graded-answers": "graded answers, f1, right or wrong",
    "howto/trust-measures": "tau, tau between measures, kendall, correlation of measures, agreement",
    "howto/why-this-score": "why this score, explain, explanation",
    "howto/token-budget": "token, tokens, context window, budget, cost",
    "start/change-detection": "leaderboard, stream, news",
    "start/evaluate-answers": "judge, llm judge, no answer, unanswerable, hallucination, squad",
    "start/index": "install, pip",
    "start/know-ndcg": "ndcg, graded relevance",
    "start/pyterrier": "pyterrier",
    "start/rag-pipeline": "rag, langchain, llamaindex, haystack, passages",
    "start/screening": "systematic review, e-discovery, screening, technology-assisted review",
}
"""The title of a page says it in a sentence; search sees words."""


def index(app, doctree):
    """An index entry for each word of the page, which the search puts first."""
    words = WORDS.get(app.env.docname, "")
    entries = [("single", word, "", "main", None) for word in words.split(", ") if word]
    if app.env.docname.startswith("reference/"):
        for section in doctree.findall(nodes.section):  # a measure
            entries.append(("single", section[0].astext(), section["ids"][0], "main", None))
    doctree += addnodes.index(entries=entries, inline=False)


def setup(app):
    """Make it known to Sphinx."""
    app.connect("doctree-read", index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
