"""Classes of answers to questions, as dicts or as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from ir_trunc._core.errors import InputError, shown
from ir_trunc._core.judgments import HIGHEST_GRADE
from ir_trunc._read.arrow import grade_of, hint_of_grades, one_id, pa
from ir_trunc._read.reading import Layout
from ir_trunc._read.registry import reader
from ir_trunc._read.rows import Rows
from ir_trunc._read.text import json_content, json_parts


@reader(
    "{question: [class, ...]} as a dict or a JSON file",
    "answers",
    recognises=lambda data: isinstance(data, Mapping) or data.start.startswith((b"{", b"[")),
)
def answer_classes(data: Any, layout: Layout) -> Iterator[Rows]:
    """A class is {answer: level}, or a list of answers of level 1.

    No class stands for a question without an answer.
    """
    for part in [data] if isinstance(data, Mapping) else json_parts(data, layout.source):
        classes_of = json_object(part, layout.source, "{question: [class, ...]}")
        topics = [one_id(question, "question", "answers") for question in classes_of]
        if len(set(topics)) < len(topics):
            twice = next(question for place, question in enumerate(topics) if question in topics[:place])
            raise InputError(f"answers: question {shown(twice)} is given twice, as text and as a number.")
        items = list(_items(classes_of, layout.levels))
        *ids, levels = zip(*items) if items else ((), (), (), ())
        questions, classes, answers = (pa.array(column, pa.string()) for column in ids)
        rows = Rows.of("answers (classes)", questions, answers, np.array(levels, np.int64), classes)
        yield replace(rows, universe=tuple(topics))


def json_object(data: Any, source: str, needed: str) -> Mapping[Any, Any]:
    """A dict, or the object of a JSON file. needed: the form, for messages."""
    content = json_content(data, source) if isinstance(data, (str, os.PathLike)) else data
    if not isinstance(content, Mapping):
        raise InputError(f"{source}: {needed} is needed, not {type(content).__name__}.")
    return content


def _items(data: Mapping[Any, Any], levels: Mapping[str, int] | None) -> Iterator[tuple[str, str, str, int]]:
    for question, classes in data.items():
        if not isinstance(classes, list):
            what = f"a list of classes is needed, not {type(classes).__name__}"
            raise InputError(f"answers, question {question}: {what}.")
        for number, answers in enumerate(classes):
            place = f"answers, question {question}, class {number + 1}"
            if not isinstance(answers, (Mapping, list)):
                what = f"{{answer: level}} or a list of answers is needed, not {type(answers).__name__}"
                if isinstance(answers, str):
                    what += f". Wordings of one answer are one class: [[{answers!r}, ...]]"
                raise InputError(f"{place}: {what}.")
            graded = answers.items() if isinstance(answers, Mapping) else [(answer, 1) for answer in answers]
            for answer, word in graded:
                level = grade_of(word, levels)
                text = one_id(answer, "answer", place)
                whole = isinstance(level, Integral) and not isinstance(level, bool)
                if not whole or abs(int(level)) > HIGHEST_GRADE:
                    what = f"level {shown(level)} is not a whole number below 2^31"
                    what = f"answers, question {question}, answer {shown(answer)}: {what}"
                    raise InputError(f"{what}.{hint_of_grades(level, levels)}")
                yield str(question), str(number), text, int(level)
