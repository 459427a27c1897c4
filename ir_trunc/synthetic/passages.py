"""A generated text collection for retrieval that feeds a language model: passages, questions, judgments.

No text is real; what makes the task hard is. Subjects share words, a question often uses other words than its
answers, the passages nearest to a question without an answer are about its subject, and no score says where
the answers end::

    language   5000 words; the word of rank r has the frequency 1/r
    subjects   each has 25 words of its own among those of the language, and 3 questions
    questions  each asks for one point of its subject; a point has 5 words. A question has 2 words of its
               subject, 2 of its point, each of them replaced by any other word with a chance of 0.3, and 2 of
               the language
    passages   1 to 20 treat the point of a question, few more often than many (geometric, 5 on average),
               none that of an unanswerable one; 10 more on each subject treat points that nobody asks for
    wording    the length of a passage is log-normal, 20 to 400 words. Each passage draws how much of it is on
               its point (2 to 10 % of its words) and on its subject (10 to 30 %); all other words are any of
               the language

A passage is relevant (grade 1) to a question if it treats its point. A question without an answer has the
judgment of one other passage (grade 0), which says that it was judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any

import numpy as np
from ir_datasets import Dataset
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericDoc, GenericQuery, TrecQrel

from ir_trunc._core.parameters import Number, Seed, Whole, checked, generator
from ir_trunc._core.rankings import Floats, Ints

__all__ = ["passage_collection"]

WORDS = 5000
WORDS_OF_SUBJECT, WORDS_OF_POINT = 25, 5
QUESTIONS_OF_SUBJECT, OTHER_PASSAGES_OF_SUBJECT = 3, 10
MOST_ANSWERS = 20
MISMATCH = 0.3

_LETTERS = "bdfgklmnprstvz", "aeiou"


@checked
def passage_collection(
    questions: Annotated[int, Whole("questions")] = 300,
    unanswerable: Annotated[float, Number("share of the questions that no passage answers", 0, 1)] = 0.25,
    seed: Seed = 0,
) -> Any:
    """The generated collection as an ir_datasets data set in memory.

    Parameters
    ----------
    questions : int
        How many.
    unanswerable : float
        The share of the questions that no passage answers, from 0 to 1.
    seed : int
        Start of the random numbers: one seed gives one collection.

    Returns
    -------
    ir_datasets.Dataset
        With docs_iter(), queries_iter() and qrels_iter().

    Raises
    ------
    ParameterError
        If a value is out of range.

    Examples
    --------
    >>> from ir_trunc.synthetic import passages
    >>> data = passages.passage_collection(questions=6)
    >>> len(list(data.queries_iter()))
    6
    """
    rng = generator(seed)
    words, frequency = _language(rng)
    docs: list[GenericDoc] = []
    queries: list[GenericQuery] = []
    qrels: list[TrecQrel] = []

    def any_words(count: int) -> Ints:
        return rng.choice(WORDS, count, replace=False)

    def written(point: Ints, subject: Ints) -> str:
        length = int(np.clip(rng.lognormal(4.4, 0.6), 20, 400))
        on_point, on_subject = rng.uniform(0.02, 0.10), rng.uniform(0.10, 0.30)
        kinds = rng.choice(3, length, p=[on_point, on_subject, 1 - on_point - on_subject])
        drawn = rng.choice(point, length), rng.choice(subject, length), rng.choice(WORDS, length, p=frequency)
        name = f"d{len(docs) + 1}"
        docs.append(GenericDoc(name, " ".join(words[np.choose(kinds, drawn)])))
        return name

    unanswered = set(rng.permutation(questions)[: round(unanswerable * questions)].tolist())
    subject, other = any_words(WORDS_OF_SUBJECT), ""
    for question in range(questions):
        if question % QUESTIONS_OF_SUBJECT == 0:
            subject = any_words(WORDS_OF_SUBJECT)
            for _ in range(OTHER_PASSAGES_OF_SUBJECT):
                other = written(any_words(WORDS_OF_POINT), subject)
        point = any_words(WORDS_OF_POINT)
        on_point = np.where(rng.random(2) < MISMATCH, any_words(2), rng.choice(point, 2, replace=False))
        of_subject = rng.choice(subject, 2, replace=False)
        others = rng.choice(WORDS, 2, replace=False, p=frequency)
        asked = words[np.concatenate([of_subject, on_point, others])]
        queries.append(GenericQuery(str(question + 1), " ".join(asked)))
        answers = 0 if question in unanswered else min(MOST_ANSWERS, int(rng.geometric(0.2)))
        if not answers:
            qrels.append(TrecQrel(str(question + 1), other, 0, "0"))
        qrels += [TrecQrel(str(question + 1), written(point, subject), 1, "0") for _ in range(answers)]
    return Dataset(_Collection(docs, queries, qrels))


def _language(rng: np.random.Generator) -> tuple[Any, Floats]:
    """Words of three syllables, the most frequent first, and their frequencies."""
    syllables = ["".join(letters) for letters in product(*_LETTERS)]
    number = rng.choice(len(syllables) ** 3, WORDS, replace=False)
    digits = (number // len(syllables) ** place % len(syllables) for place in range(3))
    texts = np.array(["".join(syllables[digit] for digit in word) for word in zip(*digits)])
    frequency = 1 / np.arange(1, WORDS + 1)
    return texts, frequency / frequency.sum()


@dataclass
class _Collection(BaseDocs, BaseQueries, BaseQrels):  # type: ignore[misc]
    docs: list[GenericDoc]
    queries: list[GenericQuery]
    qrels: list[TrecQrel]

    def docs_iter(self) -> Iterator[GenericDoc]:
        return iter(self.docs)

    def docs_count(self) -> int:
        return len(self.docs)

    def queries_iter(self) -> Iterator[GenericQuery]:
        return iter(self.queries)

    def qrels_iter(self) -> Iterator[TrecQrel]:
        return iter(self.qrels)

    def qrels_cls(self) -> Any:
        return TrecQrel

    def qrels_defs(self) -> dict[int, str]:
        return {0: "treats another point", 1: "treats the point that is asked for"}
