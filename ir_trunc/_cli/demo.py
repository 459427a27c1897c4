"""`ir_trunc demo`: what the measures see, on a small collection."""

from __future__ import annotations

from ir_trunc._cli._arguments import Words, cli_command
from ir_trunc._cli._process import tell
from ir_trunc._core.errors import ParameterError
from ir_trunc.synthetic import demo

__all__ = ["main"]

_DECLARED = """
--plot FILE  draw it into a file instead: .png, .svg, .pdf
--copy FOLDER  put the files of the collection there instead, to be scored
"""


@cli_command("demo", _DECLARED)
def main(args: Words) -> None:
    """What do the measures see? Print the lists and scores of a small collection.

    example:
      $ ir_trunc demo
      Three systems and seven topics, worked examples of the papers. Every list is
      shown by rank: 1 is a relevant document, 0 one that is not, and a dash is a list
      that the system left empty.

      topic            relevant  never-stops           stops-in-time  says-little
      gap              3         10100                 101            1
      late             3         01001                 01             0
      nothing-to-find  0         000                   -              -
      ...
    """
    if args.plot is not None and args.copy is not None:
        raise ParameterError("--plot and --copy are two things: ask for one at a time.")
    if args.plot is not None:
        demo.draw(args.plot)
    elif args.copy is not None:
        names = demo.copy(args.copy)
        where = "This folder" if args.copy == "." else args.copy
        tell(f"{where} now has {', '.join(names)}.")
    else:
        print(demo.overview())
