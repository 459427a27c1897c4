"""Answers to questions: of each class of answers with one meaning, only the first counts (Sakai 2004)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, ParameterTypeError, counted, option, shown
from ir_trunc._core.lazy import pattern
from ir_trunc._core.rankings import Floats, Ints
from ir_trunc._ranking.qrels import CodedRows, Qrels, checked_levels, warn_of_unfilled
from ir_trunc._ranking.ranked_rows import Convention, NilRule, RankedRows, nil_rule, repeats
from ir_trunc._read.arrow import flat, pa
from ir_trunc._read.reading import ANSWERS, Reading
from ir_trunc._read.registry import read_rows
from ir_trunc._read.rows import Rows

Normalise = Callable[[str], str]

_ARTICLES = pattern(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad(answer: str) -> str:
    """An answer as SQuAD compares it: in lower case, without punctuation and articles, with single blanks.

    Articles and then punctuation stay where nothing else is left: "(A)" is "a", and "?" is "?".
    """
    text = answer.lower()
    words = text.translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", words).split() or words.split() or text.split())


def read_answers(
    data: Any,
    normalise: str | Normalise | None = None,
    *,
    nil: NilRule | Convention = "ends",
    abstains: str | Iterable[str] | re.Pattern[str] | None = None,
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
        Applied to these answers and to those of a run: it decides whether two answers are the same, not
        whether there is one. Where it leaves nothing of an answer, this is compared as it was given. 'squad'
        is the convention of SQuAD 1.1 and 2.0, and keeps articles, or marks, where nothing else is left.
    nil : str or NilRule
        The meaning of the answer NIL in a run. By default it ends the list, and a list that begins with it is
        empty. NIL is normalised, too.
    abstains : str, iterable of str or compiled pattern, optional
        Answers that stand for no answer, in a run and in these data: "unanswerable", "I don't know". Texts
        are compared as SQuAD compares answers, and a pattern is searched for. By default a warning counts
        wrong answers of a run that look like abstentions in English; `()` confirms that none is one.
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
    clean: Normalise | None = squad
    if not (isinstance(normalise, str) and normalise == "squad"):
        if normalise is not None and (not callable(normalise) or isinstance(normalise, type)):
            raise InputError(f"normalise={shown(normalise)} is unknown: squad or a function is needed.")
        clean = None if normalise is None else partial(_as_text, normalise)
    words, is_none = checked_levels(levels), stands_for_none(abstains)
    rows = read_rows(data, replace(ANSWERS, reading=Reading(columns=columns), levels=words))
    topics = rows.universe or rows.named_topics()  # a question stays, though all its answers are nothing
    rows = answers_of(rows, is_none)
    scale = [*(words or {}).values()]
    rule, coded = nil_rule(nil), CodedRows.of(_merged(rows, clean))
    if coded.unfilled:
        warn_of_unfilled(coded)
    del rows
    pa.default_memory_pool().release_unused()  # or Arrow keeps what reading took
    read = Qrels.of(coded, topics, levels=scale, words=words, normalise=clean, nil=rule)
    return replace(read, abstains=is_none)


_SEEMING = pattern(  # of answers as `squad` writes them
    r"(sorry |i ?a?m sorry )?(but )?("
    r"unanswerable|unknown|null|n ?a|(there is )?no ?answer.*|cannotanswer"
    r"|not (answerable|available|applicable|enough|sure|mentioned|provided|specified|stated|given|found).*"
    r"|(no|insufficient|not enough) (relevant )?(information|context|evidence|data|documents?|passages?).*"
    r"|answer (is|was|could|can) ?(not|n.?t) (be )?(in|found|given|available|provided|mentioned|stated).*"
    r"|(as ai )?(i|we|it) ?(do|did|ca|can|could|a?m|are|is|was) ?(not|n.?t|unable).*"
    r"( know| answer| sure| determine| find| tell| help| possible| provide| inform| mention| state).*"
    r"|(ca ?n.?t|can ?not|unable to) (be )?(answer|determine|find|tell|say).*"
    r"|(the |this |provided |given )*(question|context|passages?|documents?|text) ([a-z]+ )?"
    r"(is|are|was|can|could|does|do|has|contains?|provides?) ?(not|n.?t|no|un[a-z]+able).*)"
)


def stands_for_none(abstains: Any) -> Callable[[str], object] | None:
    """Whether an answer is one that a user declares to stand for none; None where he declares nothing."""
    if abstains is None:
        return None
    if isinstance(abstains, re.Pattern):
        return abstains.search
    texts = [abstains] if isinstance(abstains, str) else abstains
    texts = [*texts] if isinstance(texts, Iterable) and getattr(texts, "ndim", 1) != 0 else [texts]
    if not all(isinstance(text, str) for text in texts):
        raise ParameterTypeError(f"abstains={shown(abstains)}: texts or a compiled pattern are needed.")
    return partial(_is_one_of, frozenset(map(squad, texts)))


def answers_of(rows: Rows, is_none: Callable[[str], object] | None) -> Rows:
    """The rows with answers: neither blank nor declared to stand for none."""
    texts = rows.docs.to_pylist()
    given = [bool(text.strip()) and not (is_none is not None and is_none(text)) for text in texts]
    return rows if all(given) else rows.filter(np.array(given, bool))


def _is_one_of(abstains: Collection[str], answer: str) -> bool:
    return squad(answer) in abstains


def seems_none(answer: str) -> bool:
    """Whether an answer looks like one that says, in English, that there is none; a quotation does not."""
    return '"' not in answer and _SEEMING.fullmatch(squad(answer)) is not None


def seeming_abstentions(answers: Collection[str], how: str) -> str:
    """What to warn of wrong answers that look like abstentions. how: 'read_answers with ', the function."""
    ((example, count),) = Counter(answers).most_common(1)
    often = f"{shown(example)}, {counted(count, 'time')}, for example"
    be = "wrong answer looks like an abstention", "wrong answers look like abstentions"
    remedy = f"{how}{option('abstains', [example])}, texts or a pattern, takes them for no answer"
    return f"{counted(len(answers), *be)} ({often}); {remedy}, and {option('abstains', [])} confirms"


def _as_text(normalise: Normalise, answer: str) -> str:
    """An answer by a user's function; InputError where it fails or gives something else than text."""
    try:
        text = normalise(answer)
    except Exception as error:
        raise InputError(f"normalise fails for the answer {shown(answer)} ({error}).") from error
    if not isinstance(text, str):
        raise InputError(f"normalise gives {shown(text)} for the answer {shown(answer)}: text is needed.")
    return text if text.strip() else answer.strip()


def _merged(rows: Rows, normalise: Normalise | None) -> Rows:
    """One row for each normalised answer of a question, with its best level."""
    assert rows.classes is not None
    texts = rows.docs if normalise is None else pa.array(map(normalise, rows.docs.to_pylist()), pa.string())
    kept = replace(rows, docs=texts)
    if not len(repeats(flat(kept.topics.indices).astype(np.int64), kept.docs)):
        return kept  # nothing to merge, which takes less memory
    best = dict[tuple[str, str], int]()  # the row of each
    kinds, levels = rows.classes.to_pylist(), rows.values.tolist()
    for row, answer in enumerate(zip(kept.topics.to_pylist(), kept.docs.to_pylist())):
        before = best.setdefault(answer, row)
        if kinds[before] != kinds[row] and min(levels[before], levels[row]) > 0:
            what = f"the answer {rows.docs[row].as_py()!r} is in two classes"
            raise InputError(f"{rows.source}, question {answer[0]}: {what}.")
        if levels[before] < levels[row]:
            best[answer] = row
    return kept.take(np.array([*best.values()]))


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
