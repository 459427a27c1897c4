"""Answers to questions: classes of them, as dicts or as JSON, and SQuAD's questions and predictions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

from ir_trunc._core.errors import InputError, counted, repeated, shown
from ir_trunc._core.parameters import file_name
from ir_trunc._read.arrow import number_column, one_id, pa
from ir_trunc._read.readers.memory import dicts, first_item
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import File, Table, reader
from ir_trunc._read.rows import PART, Rows
from ir_trunc._read.text import as_dict, json_content, json_parts


@reader(
    "{question: [class, ...]} as a dict or a JSON file",
    recognises=lambda data: isinstance(data, Mapping) or data.start.startswith((b"{", b"[")),
    shapes="path mapping",
    kinds="answers",
)
def answer_classes(data: Any, layout: Layout) -> Iterator[Rows]:
    """A class is {answer: level}, or a list of answers of level 1.

    No class stands for a question without an answer.
    """
    for part in [data] if isinstance(data, Mapping) else json_parts(data, layout.source):
        classes_of = as_dict(part, layout.source, "{question: [class, ...]}")
        topics = [one_id(question, "question", "answers") for question in classes_of]
        if (twice := repeated(topics)) is not None:
            raise InputError(f"answers: question {shown(twice)} is given twice, as text and as a number.")
        ids, classes, answers, levels = (list[Any]() for _ in range(4))
        for question, each in zip(topics, classes_of.values()):
            if not isinstance(each, list):
                what = f"a list of classes is needed, not {type(each).__name__}"
                raise InputError(f"answers, question {question}: {what}.")
            for number, wordings in enumerate(each):
                place = f"answers, question {question}, class {number + 1}"
                if not isinstance(wordings, (Mapping, list)):
                    what = f"{{answer: level}} or a list of answers is needed, not {type(wordings).__name__}"
                    if isinstance(wordings, str):
                        what += f". Wordings of one answer are one class: [[{wordings!r}, ...]]"
                    raise InputError(f"{place}: {what}.")
                # The empty text is given as silence, and is no answer.
                for answer in wordings:
                    is_blank = isinstance(answer, str) and not answer
                    answers.append("" if is_blank else one_id(answer, "answer", place))
                levels += wordings.values() if isinstance(wordings, Mapping) else [1] * len(wordings)
                classes += [str(number)] * len(wordings)
                ids += [question] * len(wordings)
        questions, of_classes, texts = (pa.array(column, pa.string()) for column in (ids, classes, answers))
        numbers = number_column(levels, "level", "int64", "answers", (questions, texts), layout.levels)
        rows = Rows.of("answers (classes)", questions, texts, numbers, of_classes)
        yield replace(rows, universe=tuple(topics))


_ARTICLES = '{"data": [{"paragraphs": [{"qas": [{"id": ..., "answers": [{"text": ...}]}]}]}]}'
_RECORDS = 'records with id and answers, {"text": [...]}'


def _are_questions(data: Any) -> bool:
    """Whether these are articles with SQuAD's questions, or the questions themselves."""
    if isinstance(data, File):
        articles = b'"data"' in data.start and b'"paragraphs"' in data.start
        return data.start.startswith((b"{", b"[")) and (articles or b'"answer_start"' in data.start)
    first = first_item(data.get("data") if isinstance(data, Mapping) else data)
    if not isinstance(first, Mapping):
        return False
    return isinstance(first.get("paragraphs"), list) or {"id", "answers"} <= first.keys()


def _questions(data: Any, source: str) -> list[Any]:
    """The questions, of articles and paragraphs or without."""
    content = json_content(data, source) if isinstance(data, (str, os.PathLike)) else data
    if isinstance(content, Mapping):
        content = content.get("data", [content])
    questions = list[Any]()
    for item in content:
        paragraphs = item.get("paragraphs")
        questions += [item] if paragraphs is None else [q for part in paragraphs for q in part["qas"]]
    return questions


@reader(
    "SQuAD's questions: its file as a path or a dict, or records of Hugging Face's squad and squad_v2",
    recognises=_are_questions,
    shapes="path mapping list",
    kinds="answers",
)
def squad_questions(data: Any, layout: Layout) -> Iterator[Rows]:
    """The form of SQuAD 1.1 and 2.0, or records with id and answers, {"text": [...]}, in memory or in a file.

    The texts are wordings of one answer; a question without any has no answer.
    """
    source, place, names = layout.source, layout.source, set[str]()
    classes: dict[str, list[list[str]]] = {}
    try:
        questions = _questions(data, source)
        for number in range(len(questions)):
            question, questions[number] = questions[number], None  # what was read from a file is let go
            place = f"{source}, item {number}"
            name, answers = one_id(question["id"], "question", place), question["answers"]
            texts = answers["text"] if isinstance(answers, Mapping) else [each["text"] for each in answers]
            if not isinstance(texts, (list, tuple)):
                raise TypeError
            if name in names:
                raise InputError(f"{source}, question {name}: it is in the file twice.")
            names.add(name)
            if question.get("is_impossible", not texts) is bool(texts):
                what = f"is_impossible is {bool(texts)}, and it has {counted(len(texts), 'answer')}"
                raise InputError(f"{source}, question {name}: {what}; one of the two is wrong.")
            classes[name] = [[*texts]] if texts else []
            if len(classes) == PART:
                yield from answer_classes.pieces(classes, layout)
                classes = {}
    except (LookupError, TypeError, AttributeError):
        raise InputError(f"{place}: SQuAD's form is needed, {_ARTICLES}, or {_RECORDS}.") from None
    if classes or not names:
        yield from answer_classes.pieces(classes, layout)


@reader(
    "predictions as Hugging Face's squad and squad_v2 take them",
    recognises=lambda data: (
        isinstance(item := first_item(data), Mapping) and {"id", "prediction_text"} <= {*item}
    ),
    called="predictions",
    shapes="list",
    kinds="run",
)
def predictions(data: Sequence[Mapping[str, Any]], layout: Layout) -> Table | Iterable[Rows]:
    """Records with id, prediction_text and, of squad_v2, no_answer_probability p; the score is 1 - p."""
    texts, no_answer = dict[str, str](), dict[str, Any]()
    for number, item in enumerate(data):
        place = f"{layout.source}, item {number}"
        if not isinstance(item, Mapping) or not isinstance(item.get("prediction_text"), str):
            raise InputError(f"{place}: {shown(item)}: id and prediction_text are needed.")
        name = one_id(item.get("id"), "id", place)
        if name in texts:
            raise InputError(f"{layout.source}: question {shown(name)} is there twice.")
        texts[name], no_answer[name] = item["prediction_text"], item.get("no_answer_probability")
    scored = any(probability is not None for probability in no_answer.values())
    return dicts.read(read_predictions(texts, no_answer) if scored else texts, layout)


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
    contents = []
    for name, data in (("predictions", predictions), ("no_answer", no_answer)):
        source = name if isinstance(data, Mapping) else f"{name} {file_name(name, data)}"
        content = data if isinstance(data, Mapping) else json_content(data, source)
        contents.append(as_dict(content, source, f"{name} as {{question: ...}}"))
    texts, probabilities = contents
    for question in [*texts, *probabilities]:
        if question not in texts or question not in probabilities:
            missing = "no_answer" if question in texts else "predictions"
            raise InputError(f"{missing}: question {shown(question)} is missing.")
    run: dict[str, dict[str, float]] = {}
    for question, text in texts.items():
        p = probabilities[question]
        if not isinstance(text, str):
            raise InputError(f"predictions, question {question}: {shown(text)}: an answer as text is needed.")
        if isinstance(p, bool) or not isinstance(p, Real) or p < 0 or not p <= 1:
            needed = "a number from 0 to 1 is needed; log-odds x are the probability 1 / (1 + exp(-x))"
            raise InputError(f"no_answer, question {question}: {shown(p)}: {needed}.")
        run[one_id(question, "question", "predictions")] = {text: 1 - float(p)} if text else {}
    return run
