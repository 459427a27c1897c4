"""`ir_trunc demo`: what the measures see, on a small collection."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._cli._arguments import OneLineParser
from ir_trunc._cli._process import tell
from ir_trunc.synthetic import demo

__all__ = ["main"]

_OPTIONS = """
--plot FILE  draw it into a file instead: .png, .svg, .pdf
--copy FOLDER  put the files of the collection there instead, to be scored
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc demo [--plot FILE] [--copy FOLDER]`."""
    about = "Show what the measures see, on a small collection."
    parser = OneLineParser("demo", about, _OPTIONS)
    args = parser.read(words)
    if args.plot is not None and args.copy is not None:
        parser.error("--plot and --copy are two things: ask for one at a time")
    if args.plot is not None:
        demo.draw(args.plot)
    elif args.copy is not None:
        names = demo.copy(args.copy)
        where = "This folder" if args.copy == "." else args.copy
        tell(f"{where} now has {', '.join(names)}.")
    else:
        print(demo.overview())
    return 0
