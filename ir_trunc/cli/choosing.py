"""`ir_trunc meta guide` and `calibrate`: commands that ask, or that have two forms."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from ir_trunc._core.errors import ParameterError
from ir_trunc._output.files import check_output, write_text
from ir_trunc._output.tables import WIDTH
from ir_trunc.cli.output import OneLineParser
from ir_trunc.meta import calibration
from ir_trunc.meta.guide import Question, page, plot, step
from ir_trunc.plots._kit import save_picture


def meta_parser(command: str, description: str, **options: Any) -> OneLineParser:
    """The parser of a command of `ir_trunc meta`."""
    return OneLineParser(prog=f"ir_trunc meta {command}", description=description, **options)


def guide(words: Sequence[str]) -> None:
    """`ir_trunc meta guide ...`."""
    about = "Questions that lead to a measure. Answers may be given at once: length=yes weighted=no"
    parser = meta_parser("guide", about)
    parser.add_argument("answers", metavar="KEY=yes|no", nargs="*")
    parser.add_argument("--page", metavar="FOLDER", help="write guide.md and guide.svg there instead")
    args = parser.parse_args(words)
    if args.page is not None:
        text, picture = (args.page and os.path.join(args.page, f"guide.{end}") for end in ("md", "svg"))
        check_output(text)
        save_picture(plot().figure, picture, "none")
        write_text(text, page().splitlines())
        return
    answers = {}
    for word in args.answers:
        key, _, value = word.partition("=")
        if key in answers:
            raise ParameterError(f"{key} is answered twice.")
        answers[key] = _yes(value, f"{word!r}: KEY=yes or KEY=no is needed")
    given = tuple(answers)
    while isinstance(found := step(answers), Question):
        answer = _ask(found, can_go_back=len(answers) > len(given))
        if answer is None:
            answers.popitem()
        else:
            answers[found.key] = answer
    print(found)
    print(f"\nTo score runs:\n  {found.command}")
    if given != tuple(answers):
        again = " ".join(f"{key}={'yes' if answer else 'no'}" for key, answer in found.path)
        typed = wrap(f"ir_trunc meta guide {again}", WIDTH - 4, subsequent_indent="  ")
        print("These answers again:\n  " + " \\\n  ".join(typed))


def _ask(question: Question, can_go_back: bool) -> bool | None:
    """The answer to a question at the prompt, repeated until it is understood; None is one step back."""
    choices = "y/n, b: back" if can_go_back else "y/n"
    while True:
        try:
            word = input(f"{question.text} [{choices}] ").strip().casefold()
        except EOFError:
            print()
            answers = f"({question.key}=yes or =no)"
            raise ParameterError(f"{question.key} is not answered: {question.text} {answers}") from None
        if can_go_back and word in ("b", "back"):
            return None
        try:
            return _yes(word, "")
        except ParameterError:
            back = ", b goes back" if can_go_back else ""
            print(f"Please answer yes or no (y, n{back}); Ctrl-D ends.", file=sys.stderr)


def _yes(text: str, problem: str) -> bool:
    word = text.strip().casefold()
    if word not in ("y", "yes", "n", "no"):
        raise ParameterError(f"{problem}.")
    return word.startswith("y")


def calibrate(words: Sequence[str]) -> None:
    """`ir_trunc meta calibrate ...`."""
    about = "Find a parameter from what it should mean"
    parser = meta_parser("calibrate", f"{about}: MEASURE PARAMETER --rank R, or --residual R --depth K.")
    parser.add_argument("measure", metavar="MEASURE", nargs="?")
    about = "e, p, beta: a number of the measure"
    parser.add_argument("parameter", metavar="PARAMETER", nargs="?", help=about)
    parser.add_argument("--rank", type=int, help="rank where one relevant document is worth as much as none")
    parser.add_argument("--residual", type=float, help="weight of all ranks beyond --depth")
    parser.add_argument("--depth", type=int)
    args = parser.parse_args(words)
    if args.residual is not None and args.depth is not None and args.measure is None:
        p = calibration.persistence(args.residual, args.depth)
        print(f"p = {p!r}\nput back: p^{args.depth} = {calibration.residual(p, args.depth):.10g}")
    elif args.parameter and args.rank is not None:
        print(calibration.break_even(args.measure, args.parameter, args.rank))
    else:
        raise ParameterError("calibrate: MEASURE PARAMETER --rank R, or --residual R --depth K, is needed.")
