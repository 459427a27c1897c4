"""SQuAD's own files: questions with their answers, and predictions with probabilities of no answer."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

from ir_trunc._core.errors import InputError, counted, shown
from ir_trunc._core.parameters import file_name
from ir_trunc._read.arrow import one_id
from ir_trunc._read.readers.answers import answer_classes, json_object
from ir_trunc._read.readers.memory import dicts, first_item
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import File, Table, reader
from ir_trunc._read.rows import PART, Rows
from ir_trunc._read.text import json_items

_FORM = '{"data": [{"paragraphs": [{"qas": [{"id": ..., "answers": [{"text": ...}]}]}]}]}'


def _is_squad(data: Any) -> bool:
    if isinstance(data, File):
        return data.start.startswith(b"{") and b'"data"' in data.start and b'"paragraphs"' in data.start
    articles = data.get("data")
    first = articles[0] if isinstance(articles, list) and articles else None
    return isinstance(first, Mapping) and isinstance(first.get("paragraphs"), list)


@reader("SQuAD's file of questions, as a path or a dict", "answers", recognises=_is_squad)
def squad_questions(data: Any, layout: Layout) -> Iterator[Rows]:
    """The form of SQuAD 1.1 and 2.0; the answers to a question are one class, none where it has no answer."""
    source, names = layout.source, set[str]()
    classes: dict[str, list[list[str]]] = {}
    try:
        of_articles = (article["paragraphs"] for article in json_object(data, source, _FORM)["data"])
        questions = [question for of in of_articles for paragraph in of for question in paragraph["qas"]]
        for place in range(len(questions)):
            question, questions[place] = questions[place], None  # what was read from a file is let go
            name = one_id(question["id"], "question", source)
            wordings = [answer["text"] for answer in question["answers"]]
            if name in names:
                raise InputError(f"{source}, question {name}: it is in the file twice.")
            names.add(name)
            if question.get("is_impossible", not wordings) is bool(wordings):
                what = f"is_impossible is {bool(wordings)}, and it has {counted(len(wordings), 'answer')}"
                raise InputError(f"{source}, question {name}: {what}; one of the two is wrong.")
            classes[name] = [wordings] if wordings else []
            if len(classes) == PART:
                yield from answer_classes.pieces(classes, layout)
                classes = {}
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{source}: SQuAD's form is needed, {_FORM}.") from None
    if classes or not names:
        yield from answer_classes.pieces(classes, layout)


@reader(
    "predictions as Hugging Face's squad and squad_v2 take them",
    "run",
    recognises=lambda data: (
        isinstance(item := first_item(data), Mapping) and {"id", "prediction_text"} <= {*item}
    ),
    called="predictions",
)
def predictions(data: Sequence[Mapping[str, Any]], layout: Layout) -> Table | Iterable[Rows]:
    """Records with id, prediction_text and, of squad_v2, no_answer_probability p; the score is 1 - p."""
    pairs = list[tuple[str, str, Any]]()
    for number, item in enumerate(data):
        place = f"{layout.source}, item {number}"
        if not isinstance(item, Mapping) or not isinstance(item.get("prediction_text"), str):
            raise InputError(f"{place}: {shown(item)}: id and prediction_text are needed.")
        name, p = one_id(item.get("id"), "id", place), item.get("no_answer_probability")
        pairs.append((name, item["prediction_text"], p))
    texts = {name: text for name, text, _ in pairs}
    if len(texts) < len(pairs):
        twice = Counter(name for name, *_ in pairs).most_common(1)[0][0]
        raise InputError(f"{layout.source}: question {shown(twice)} is there twice.")
    if all(probability is None for *_, probability in pairs):
        return dicts.read(texts, layout)
    return dicts.read(read_predictions(texts, {name: p for name, _, p in pairs}), layout)


def _are_references(data: Any) -> bool:
    if isinstance(data, File):
        return data.start.startswith((b"[", b"{")) and b'"answer_start"' in data.start and not _is_squad(data)
    return isinstance(item := first_item(data), Mapping) and {"id", "answers"} <= item.keys()


@reader(
    "answers as Hugging Face's squad and squad_v2 take them, also in JSON or JSON lines",
    "answers",
    recognises=_are_references,
)
def references(data: Any, layout: Layout) -> Table | Iterable[Rows]:
    """Records with id and answers, {"text": [...]}; the texts are wordings of one answer."""
    articles, is_path = [], isinstance(data, (str, os.PathLike))
    for number, item in enumerate(json_items(data, layout.source) if is_path else data):
        texts = item["answers"].get("text") if isinstance(item.get("answers"), Mapping) else None
        if not isinstance(texts, (list, tuple)):
            raise InputError(f"{layout.source}, item {number}: {shown(item)}: answers with text are needed.")
        articles.append({"id": item.get("id"), "answers": [{"text": text} for text in texts]})
    return squad_questions.read({"data": [{"paragraphs": [{"qas": articles}]}]}, layout)


def read_predictions(predictions: Any, no_answer: Any) -> dict[str, dict[str, float]]:
    """A run of SQuAD's predictions, scored by the probabilities that the questions have no answer.

    The score of an answer is 1 - p, where p is the probability that its question has no answer, so that a
    threshold on the scores can be fitted. An empty prediction is the empty list.

    Parameters
    ----------
    predictions : path or dict
        `{question: answer}`, as a dict or a JSON file, plain or gzipped.
    no_answer : path or dict
        `{question: probability}` with numbers from 0 to 1, for the same questions.

    Returns
    -------
    dict
        `{question: {answer: score}}`, a run.

    Raises
    ------
    InputError
        Where one of the two cannot be read, a question is in only one of them, or a number is not a
        probability.

    Examples
    --------
    >>> from ir_trunc import read_predictions
    >>> read_predictions({"q1": "Paris", "q2": ""}, {"q1": 0.25, "q2": 0.5})
    {'q1': {'Paris': 0.75}, 'q2': {}}
    """
    texts, probabilities = _object("predictions", predictions), _object("no_answer", no_answer)
    for question in [*texts, *probabilities]:
        if question not in texts or question not in probabilities:
            missing = "no_answer" if question in texts else "predictions"
            raise InputError(f"{missing}: question {shown(question)} is missing.")
    run: dict[str, dict[str, float]] = {}
    for question, text in texts.items():
        p = probabilities[question]
        if not isinstance(text, str):
            raise InputError(f"predictions, question {question}: {shown(text)}: an answer as text is needed.")
        if isinstance(p, bool) or not isinstance(p, Real) or not 0 <= float(p) <= 1:
            needed = "a number from 0 to 1 is needed; log-odds x are the probability 1 / (1 + exp(-x))"
            raise InputError(f"no_answer, question {question}: {shown(p)}: {needed}.")
        run[one_id(question, "question", "predictions")] = {text: 1 - float(p)} if text else {}
    return run


def _object(name: str, data: Any) -> Mapping[Any, Any]:
    source = name if isinstance(data, Mapping) else f"{name} {file_name(name, data)}"
    return json_object(data, source, f"{name} as {{question: ...}}")
