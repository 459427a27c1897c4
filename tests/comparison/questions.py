"""What a tool does with lists that end, tried on the smallest data that show it. Every answer is computed.

A question is a function of `Tried`, which scores qrels and runs with one tool; its docstring is its row in
the table.
"""

import contextlib
import importlib
import math
import os
import pkgutil
import re
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

from tools import TOOLS, Means, Topics

# The topic, document or line of what is wrong.
_PLACE = r'T17|D23|:[23]\b|[Ll]ine(?:\(s\))?:? [23]|"lines": \[[23]\]|instance\[1\]'
_NO_SCORE = "num_|Num|RBPRes"  # numbers of documents, and a residual
_FEW = 5  # names of measures in a cell; more are counted


def qrels(**topics: str) -> str:
    """Judged documents of each topic, 'a1 b0': a document and its grade."""
    lines = (f"{topic} 0 {word[:-1]} {word[-1]}" for topic, words in topics.items() for word in words.split())
    return "".join(f"{line}\n" for line in lines)


def run(**topics: str) -> str:
    """Documents of each topic by rank."""
    lines = (
        f"{topic} Q0 {doc} {rank} {1 - rank / 100:.2f} s"
        for topic, docs in topics.items()
        for rank, doc in enumerate(docs.split(), 1)
    )
    return "".join(f"{line}\n" for line in lines)


@dataclass
class Tried:
    """One tool. ap, rr: its names for average precision and reciprocal rank."""

    package: str
    score: object
    ap: str
    rr: str

    def __call__(self, judged: str, ranked: str) -> tuple[Topics, Means]:
        """Scores by measure and topic, and means, in an empty folder: some tools write beside their input."""
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                Path("the.qrels").write_text(judged)
                Path("the.run").write_text(ranked)
                return self.score("the.qrels", "the.run")
            finally:
                os.chdir(before)

    def first_rank(self, judged: str, ranked: str) -> int:
        return round(1 / self(judged, ranked)[0]["t"][self.rr])

    def mean(self, judged: str, ranked: str) -> float:
        return round(self(judged, ranked)[1][self.ap], 9)

    def prefers(self, topic: str, judged: str, *pairs: tuple[str, str]) -> str:
        """The measures that give this topic more in the first run of a pair; a topic without a score is not
        preferred.

        Where a measure has no scores by topic, it is the score of the run.
        """
        names, known = set(), set()
        for better, worse in pairs:
            one, other = (self.scores_of(topic, judged, ranked) for ranked in (better, worse))
            known |= set(other)
            names |= {m for m in other if m in one and one[m] > other[m] + 1e-9}
        return (", ".join(sorted(names)) if len(names) <= _FEW else f"{len(names)} of {len(known)}") or "none"

    def scores_of(self, topic: str, judged: str, ranked: str) -> Means:
        topics, means = self(judged, ranked)
        by_topic = {measure for scores in topics.values() for measure in scores}
        whole = {m: mean for m, mean in means.items() if m not in by_topic and isinstance(mean, float)}
        return {
            m: score for m, score in (whole | topics.get(topic, {})).items() if not re.match(_NO_SCORE, m)
        }


def goes_on(tried: Tried) -> str:
    """Measures by which a list loses that goes on with irrelevant documents"""
    judged = qrels(t="a1 b1 c1 x0 y0 z0")  # the list ends before, and at, the number of relevant documents
    return tried.prefers("t", judged, (run(t="a b"), run(t="a b y z")), (run(t="a x b"), run(t="a x b y z")))


def silence(tried: Tried) -> str:
    """Measures by which silence beats noise for a nil query"""
    judged = qrels(t="a1", nil="x0 y0")
    return tried.prefers("nil", judged, (run(t="a"), run(t="a", nil="x y")))


def unanswered(tried: Tried) -> str:
    """Measures by which no answer beats a wrong one"""
    judged = qrels(t="a1", u="b1 x0")
    return tried.prefers("u", judged, (run(t="a"), run(t="a", u="x")))


def curves(tried: Tried) -> str:
    """Functions named after curves, best cuts or truncation"""
    package = importlib.import_module(tried.package)
    names = set()
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        with contextlib.suppress(ImportError, DeprecationWarning):
            module = importlib.import_module(info.name)
            own = (
                name
                for name, found in vars(module).items()
                if getattr(found, "__module__", "") == module.__name__
            )
            names |= {name for name in own if re.match("curve|best_?cut|truncat", name)}
    return ", ".join(sorted(names)) or "none"


def missing(tried: Tried) -> str:
    """Topic that the run lacks"""
    found = tried.mean(qrels(t="a1", u="b1"), run(t="a"))
    return {0.5: "counts", 1.0: "left out of the mean"}[found]


def nil_query(tried: Tried) -> str:
    """Nil query"""
    found = tried.mean(qrels(t="a1", nil="x0"), run(t="a", nil="x"))
    return {0.5: "counts", 1.0: "left out of the mean"}[found]


def order(tried: Tried) -> str:
    """Order of a list: by"""
    judged = qrels(t="a0 b1 c0")
    lines = ["t Q0 a 1 0.1 s\n", "t Q0 b 2 0.9 s\n"]
    if tried.first_rank(judged, "".join(lines)) == 2:
        return "rank" if tried.first_rank(judged, "".join(reversed(lines))) == 2 else "place in the file"
    tied = ["t Q0 a 1 0.5 s\n", "t Q0 b 2 0.5 s\n", "t Q0 c 3 0.5 s\n"]
    ranks = (
        tried.first_rank(qrels(t="a0 b0 c1"), "".join(tied)),
        tried.first_rank(qrels(t="a0 b0 c1"), "".join(tied[::-1])),
    )
    then = {(1, 1): "document id, descending", (3, 3): "document id, ascending", (3, 1): "place in the file"}
    return f"score, then {then.get(ranks, 'something else')}"


def twice(tried: Tried) -> str:
    """Document that is there twice"""
    return verdict(tried, run(T17="a D23 D23"))


def not_a_number(tried: Tried) -> str:
    """Score that is NaN"""
    return verdict(tried, "T17 Q0 a 1 0.9 s\nT17 Q0 D23 2 nan s\n")


def a_field_less(tried: Tried) -> str:
    """Line with a field too few"""
    return verdict(tried, "T17 Q0 a 1 0.9 s\nT17 Q0 D23 2 0.8\n")


def unknown_topic(tried: Tried) -> str:
    """Topic that the qrels lack"""
    return verdict(tried, run(T16="a", T17="a D23"), qrels(T16="a1 b0"))


def verdict(tried: Tried, ranked: str, judged: str = qrels(T17="a1 D230")) -> str:
    """Whether data are refused, and whether the message helps to find the place."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            _, means = tried(judged, ranked)
        except Exception as error:
            return "error, says where" if re.search(_PLACE, str(error)) else "error"
    if any(re.search(_PLACE, str(warning.message)) for warning in warned):
        return "warning, says where"
    return "NaN" if any(math.isnan(mean) for mean in means.values()) else "accepted"


QUESTIONS = (
    goes_on, silence, unanswered, curves, missing, nil_query, order, twice, not_a_number, a_field_less,
    unknown_topic,
)  # fmt: skip


def column(tool: str) -> dict[str, str]:
    """The answers of one tool, by question."""
    tried = Tried(*TOOLS[tool][1:])
    answers = {}
    for question in QUESTIONS:
        try:
            answers[question.__doc__] = question(tried)
        except Exception as error:
            answers[question.__doc__] = f"error ({type(error).__name__})"
    return answers
