"""`ir_trunc demo`: the point of it all, on a small collection."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._core.process import tell
from ir_trunc.cli.arguments import add_flag
from ir_trunc.cli.output import OneLineParser
from ir_trunc.synthetic import demo


def main(words: Sequence[str]) -> int:
    """`ir_trunc demo [--plot FILE] [--copy FOLDER]`."""
    about = "Show what the measures see, on a small collection."
    parser = OneLineParser(prog="ir_trunc demo", description=about)
    add_flag(parser, "plot", help="draw it into a file instead: .png, .svg, .pdf")
    about = "put the files of the collection there instead, to be scored"
    parser.add_argument("--copy", metavar="FOLDER", help=about)
    args = parser.parse_args(words)
    if args.plot is not None and args.copy is not None:
        parser.error("--plot and --copy are two things: ask for one at a time")
    if args.plot is not None:
        demo.draw(args.plot)
    elif args.copy is not None:
        names = demo.copy(args.copy)
        where = "This folder" if args.copy == "." else args.copy
        tell(f"{where} now has {', '.join(names)}.")
    else:
        print(demo.text())
    return 0
