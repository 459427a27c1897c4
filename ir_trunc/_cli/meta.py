"""`ir_trunc meta`: meta-evaluation. The commands follow from the registry of procedures.

Only `matrix`, `guide` and `calibrate` are written out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from textwrap import wrap

from ir_trunc._cli._arguments import Words, cli_command, runs_and_measures
from ir_trunc._cli._procedures import run_command
from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.lazy import plots
from ir_trunc._output.files import check_output, write_text
from ir_trunc._output.tables import WIDTH
from ir_trunc.meta import calibration, registry, score_matrix
from ir_trunc.meta.guide import Question, guide_page, next_step, plot_guide

__all__ = ["main"]

_OF_MATRIX = f"""
{runs_and_measures()}
= unit depth scoring
-o --output FILE!  JSON, gzipped where the name ends in .gz
"""
_OF_CALIBRATE = """
measure MEASURE?  OIE, for example; not with --residual
parameter PARAMETER?  a number of the measure: e, p or beta
--rank N  rank at which one relevant document is worth as much as none
--residual X  weight of all ranks beyond --depth
--depth N  the rank that --residual is about
"""
_OF_GUIDE = """
answers KEY=yes|no ...*  answers that are known already: length=yes weighted=no
--page FOLDER  write guide.md and guide.svg there instead
"""


@cli_command("meta matrix", _OF_MATRIX)
def _save_matrix(args: Words) -> None:
    """Scores of runs by topic, saved by -o FILE for --matrix FILE of other commands."""
    score_matrix(args.measures, args.qrels, args.runs, unit=args.unit, **args.scoring).save(args.output)


@cli_command("meta calibrate", _OF_CALIBRATE)
def _calibrate(args: Words) -> None:
    """A parameter from the rank that is to break even, or from a residual."""
    if None not in (args.residual, args.depth) and (args.measure, args.rank) == (None, None):
        p = calibration.persistence(args.residual, args.depth)
        print(f"p = {p!r}\nput back: p^{args.depth} = {calibration.residual(p, args.depth):.10g}")
    elif args.parameter and args.rank is not None and (args.residual, args.depth) == (None, None):
        print(calibration.break_even(args.measure, args.parameter, args.rank))
    else:
        raise ParameterError("calibrate: MEASURE PARAMETER --rank R, or --residual R --depth K, is needed.")


@cli_command("meta guide", _OF_GUIDE)
def _guide(args: Words) -> None:
    """Questions that lead to a measure."""
    if args.page is not None:
        if args.answers:
            raise ParameterError("--page writes the page of all questions: leave the answers out.")
        text, picture = (args.page and os.path.join(args.page, f"guide.{end}") for end in ("md", "svg"))
        check_output(text)
        for name in filter(os.path.lexists, (text, picture)):
            raise InputError(f"{name} exists already: name another folder, or remove it.")
        plots._kit.save_picture(plot_guide().figure, picture)
        write_text(text, guide_page().splitlines())
        return
    answers = {}
    for word in args.answers:
        key, _, value = word.partition("=")
        if key in answers:
            raise ParameterError(f"{key} is answered twice.")
        if value.casefold() not in _ANSWERS:
            raise ParameterError(f"{word!r}: KEY=yes or KEY=no is needed.")
        answers[key] = _ANSWERS[value.casefold()]
    typed_answers = tuple(answers)
    while isinstance(step := next_step(answers), Question):
        answer = _ask(step, can_go_back=len(answers) > len(typed_answers))
        if answer is None:
            answers.popitem()
        else:
            answers[step.key] = answer
    print(step)
    print(f"\nTo score runs:\n  {step.command}")
    if typed_answers != tuple(answers):
        again = " ".join(f"{key}={'yes' if answer else 'no'}" for key, answer in step.path)
        typed = wrap(f"ir_trunc meta guide {again}", WIDTH - 4, subsequent_indent="  ")
        print("These answers again:\n  " + " \\\n  ".join(typed))


_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}


def _ask(question: Question, can_go_back: bool) -> bool | None:
    """The answer to a question at the prompt, repeated until it is understood; None is one step back."""
    choices = "y/n, b: back" if can_go_back else "y/n"
    while True:
        try:
            word = input(f"{question.text} [{choices}] ").strip().casefold()
        except EOFError:
            print()
            needed = f"{question.text} ({question.key}=yes or =no)"
            raise ParameterError(f"{question.key} is not answered: {needed}") from None
        if can_go_back and word in ("b", "back"):
            return None
        if word in _ANSWERS:
            return _ANSWERS[word]
        back = ", b goes back" if can_go_back else ""
        print(f"Please answer yes or no (y, n{back}); Ctrl-D ends.", file=sys.stderr)


WRITTEN_OUT = {"matrix": _save_matrix, "guide": _guide, "calibrate": _calibrate}
"""The commands that are no procedures, or have two forms."""


def main(words: Sequence[str]) -> int:
    """Which measure can be trusted for an experiment? Measures are compared on runs:

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc meta calibrate RBPU e --rank 10
      RBPU(e=0.030072562400417856)
      e = 0.030072562400417856
      put back: one relevant document at rank 10 less nothing = -3.5e-18; last rank
        that pays: 10
    """
    return run_command("meta", main.__doc__, registry.values(), WRITTEN_OUT, words)
