"""Answers to questions: of each class of answers with one meaning, only the first counts (Sakai 2004)."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._ranking.nil import Convention, NilRule, nil_rule
from ir_trunc._ranking.qrels import Qrels, checked_levels
from ir_trunc._ranking.ranked_rows import RankedRows
from ir_trunc._read.arrow import pa
from ir_trunc._read.reading import ANSWERS, Reading
from ir_trunc._read.registry import read_rows
from ir_trunc._read.rows import Rows

Normalise = Callable[[str], str]

_ARTICLES = pattern(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad(answer: str) -> str:
    """An answer as SQuAD compares it: in lower case, without punctuation and articles, with single blanks."""
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())


NORMALISERS: dict[str, Normalise] = {"squad": squad}


def read_answers(
    data: Any,
    normalise: str | Normalise | None = None,
    *,
    nil: NilRule | Convention = "ends",
    columns: Mapping[str, Any] | None = None,
    levels: Mapping[str, int] | None = None,
) -> Qrels:
    """Qrels from answer classes: R is the number of classes, and a class is worth its best answer.

    Parameters
    ----------
    data : dict, path or frame
        `{question: [class, ...]}`, where a class is `{answer: level}` or a list of answers of level 1, as a
        dict or a JSON file, plain or gzipped; a question without a class has no answer. Or a frame with the
        columns query_id, iteration (the class), doc_id (the answer) and relevance (the level), or a TREC
        qrels file whose second column is the class.
    normalise : {'squad'} or function, optional
        Applied to these answers and to those of a run. An answer that normalises to nothing is not counted.
    nil : str or NilRule
        The meaning of the answer NIL in a run. By default it ends the list, and a list that begins with it is
        empty. NIL is normalised, too.
    columns : dict, optional
        The names of the columns of a frame, see `Reading`.
    levels : dict, optional
        The grades of levels that are words, as `{"S": 3, "A": 2, "B": 1}`; they are the judgement scale.

    Returns
    -------
    Qrels

    Raises
    ------
    InputError
        Where the data cannot be read, an answer is in two classes of a question, or there is no normaliser
        of this name.

    Examples
    --------
    >>> from ir_trunc import calc_aggregate, read_answers
    >>> qrels = read_answers({"capital of France?": [["Paris", "the city of Paris"]]}, "squad")
    >>> calc_aggregate("EM", qrels, {"capital of France?": ["paris."]})
    {EM: 1.0}
    """
    if isinstance(normalise, str):
        valid = normalise in NORMALISERS
    else:
        valid = normalise is None or (callable(normalise) and not isinstance(normalise, type))
    if not valid:
        raise InputError(
            f"normalise={shown(normalise)} is unknown: {', '.join(NORMALISERS)} or a function is needed."
        )
    clean = NORMALISERS[normalise] if isinstance(normalise, str) else normalise
    if clean is not None and clean not in NORMALISERS.values():
        clean = partial(_as_text, clean)
    words = checked_levels(levels)
    rows = read_rows(data, replace(ANSWERS, reading=Reading(columns=columns), levels=words))
    topics = rows.universe or rows.named_topics()  # a question stays, though all its answers are nothing
    scale = [*(words or {}).values()]
    rule, merged = nil_rule(nil), _merged(rows, clean)
    return Qrels.of(merged, topics, levels=scale, words=words, normalise=clean, nil=rule)


def _as_text(normalise: Normalise, answer: str) -> str:
    """An answer by a user's function; InputError where it fails or gives something else than text."""
    try:
        text = normalise(answer)
    except Exception as error:
        raise InputError(f"normalise fails for the answer {shown(answer)} ({error}).") from error
    if not isinstance(text, str):
        raise InputError(f"normalise gives {shown(text)} for the answer {shown(answer)}: text is needed.")
    return text


def _merged(rows: Rows, normalise: Normalise | None) -> Rows:
    """One row for each normalised answer of a question, with its best level."""
    assert rows.classes is not None
    best: dict[tuple[str, str], tuple[str, int]] = {}
    ids = (column.to_pylist() for column in (rows.topics, rows.docs, rows.classes))
    for question, answer, kind, level in zip(*ids, rows.values.tolist()):
        normalised = normalise(answer) if normalise else answer
        previous = best.get((question, normalised))
        if previous and previous[0] != kind and min(previous[1], level) > 0:
            raise InputError(f"{rows.source}, question {question}: the answer {answer!r} is in two classes.")
        if normalised and (previous is None or previous[1] < level):
            best[question, normalised] = (kind, level)
    questions, answers = zip(*best) if best else ((), ())
    kinds, levels = zip(*best.values()) if best else ((), ())
    topics, docs, classes = (pa.array(texts, pa.string()) for texts in (questions, answers, kinds))
    return Rows.of(rows.source, topics, docs, np.array(levels, np.int64), classes)


def token_f1(words: Counter[str], right: Counter[str]) -> float:
    """2 s / (w + w'), with s words in common, w in the answer and w' in the right one."""
    return 2 * (words & right).total() / ((words.total() + right.total()) or 1)


def overlaps_of(qrels: Qrels, ranked: RankedRows, lengths: Ints) -> Floats:
    """The token F1 of each list's first answer with the nearest right one (Q), for lists of these lengths."""
    overlaps = np.zeros(len(lengths))
    answered = np.flatnonzero(lengths > 0)
    for topic, answer in zip(answered, ranked.rows.docs.take(ranked.starts[answered]).to_pylist()):
        words = Counter((qrels.normalise(answer) if qrels.normalise else answer).split())
        for right in qrels.right_words[topic]:
            overlaps[topic] = max(overlaps[topic], token_f1(words, right))
    return overlaps
