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
      $ ir_trunc demo --copy .
      $ ir_trunc demo.qrels never-stops.run stops-in-time.run RBPT c@1
      run   RBPT   c@1
      never-stops.run   0.4627   0.4286
      stops-in-time.run   0.5775   0.6122
    """
    if args.plot is not None and args.copy is not None:
        raise ParameterError("--plot and --copy are two things: ask for one at a time.")
    if args.plot is not None:
        demo.draw(args.plot)
    elif args.copy is not None:
        where = "This folder" if args.copy == "." else args.copy
        tell(f"{where} now has {', '.join(demo.copy(args.copy))}.")
    else:
        print(demo.overview())
