<<<<<<<< Updated upstream:ir_trunc/cli/score.py
"""`ir_trunc QRELS RUN [RUN ...] MEASURE ...`: scores of runs, or a comparison of runs."""
========
"""The command line: finds the command that the first word names; `measures` and `demo` are here."""
>>>>>>>> Stashed changes:ir_trunc/cli/main.py

from __future__ import annotations

from collections.abc import Sequence
<<<<<<<< Updated upstream:ir_trunc/cli/score.py
from functools import partial
========
from importlib import import_module
>>>>>>>> Stashed changes:ir_trunc/cli/main.py
from pathlib import Path
from typing import TYPE_CHECKING

<<<<<<<< Updated upstream:ir_trunc/cli/score.py
from ir_trunc._core.errors import InputError, IrTruncError
from ir_trunc._read.write import check_outputs
from ir_trunc.cli.arguments import add_flag, add_runs_and_measures, check_form, options_of, runs_and_measures
from ir_trunc.cli.comparing import OF_PAPERS, add_comparison, is_asked, write_comparison
from ir_trunc.cli.output import FORMATS, OneLineParser, form_of, printing, rows_of, views_of
from ir_trunc.scoring.evaluator import Evaluator
from ir_trunc.scoring.runs import by_file_name, score_each
from ir_trunc.version import __version__

_FORMAT = (
    "the form; by default that of the file's ending (.csv, .tsv, .jsonl, .md), else a table on a terminal and"
    " tsv in a pipe. Names and ids are printed as they are: a spreadsheet takes a cell of a csv that begins"
    " with =, +, - or @ for a formula"
)

_USAGE = """\
ir_trunc QRELS RUN [RUN ...] MEASURE [MEASURE ...] [options]
       ir_trunc truncate RUN --policy POLICY [options]
       ir_trunc study EXPERIMENT ...
       ir_trunc report QRELS RUN [RUN ...] -o PAGE [options]
       ir_trunc check QRELS RUN --fail-if CONDITION [options]
       ir_trunc measures [NAME]
       ir_trunc demo [--copy FOLDER]
       ir_trunc meta COMMAND ...
       ir_trunc reproduce PAPER [QRELS RUNS]"""

_EXAMPLES = """
examples:
  ir_trunc demo                         the point of it all, on a small collection
  ir_trunc qrels.txt my.run.gz nDCG@10 'RBPT(p=0.8)' OIE
  ir_trunc trec-robust04 runs/*.gz RBPT c@1 -o scores.csv
                                        qrels by their ir_datasets id, several runs
  ir_trunc truncate my.run --policy LargestGap -o ended.run
                                        end the lists of a run by a policy
  ir_trunc study cuts qrels.txt runs/   where the lists should have ended
  ir_trunc measures RBPT                what a measure is
  ir_trunc --import netp qrels.txt my.run NetP
                                        a measure of your own, declared in netp.py
  ir_trunc meta power qrels.txt runs/ AP nDCG@10
                                        which measure tells systems apart
"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc QRELS RUN [RUN ...] MEASURE ...`."""
    args = _parser().parse_intermixed_args(words)
    runs, measures = runs_and_measures(args.arguments)
    check_form(args)
    if args.no_summary and not args.by_query:
        raise IrTruncError(
            "--no-summary (-n) needs --by-query (-q): without either there is nothing to print."
        )
    if args.views and args.by_query:
        raise IrTruncError("--views and --by-query (-q) are two tables: ask for one at a time.")
    check_outputs([args.output], [args.qrels, *runs])
    _offer_demo([args.qrels, *runs])
    named = by_file_name(runs)
    if is_asked(args):
        write_comparison(args, measures, named)
        return 0
    ready = Evaluator(measures, args.qrels, topics=args.topics, **options_of(args))
    scores_of = partial(rows_of, by_query=args.by_query, means=not args.no_summary)
    rows_of_one = views_of if args.views else scores_of
    rows = (row for name, results in score_each(ready, named) for row in rows_of_one(name, results))
    topics_told = args.by_query or args.views
    columns = [*["run"] * (len(named) > 1), *["query_id"] * topics_told, "measure", "value"]
    with printing(args.output) as out:
        FORMATS[args.format or form_of(args.output)](rows, columns, args.places, out)
    return 0


def _offer_demo(paths: Sequence[str]) -> None:
    """InputError where a file of the demonstration is asked for that has not been copied yet."""
    missing = [path for path in paths if not Path(path).exists()]
    if not missing:
        return
    from ir_trunc.synthetic import demo

    for path in missing:
        if (demo.data() / Path(path).name).is_file():
            folder = Path(path).parent
            raise InputError(
                f"{path}: there is no such file. 'ir_trunc demo --copy {folder}' puts the files of the"
                " demonstration there."
            )


def _parser() -> OneLineParser:
    parser = OneLineParser(
        prog="ir_trunc",
        usage=_USAGE,
        description="Evaluation of rankings whose length is a decision of the system.",
        epilog=_EXAMPLES,
    )
    add_runs_and_measures(parser)
    for flag in ("by-query", "no-summary", "places", "output"):
        add_flag(parser, flag)
    add_flag(parser, "format", help=_FORMAT, choices=[*FORMATS, *OF_PAPERS])
    add_flag(parser, "topics")
    about = "means over all, answerable and nil queries, and silence"
    parser.add_argument("--views", action="store_true", help=about)
    about = "import a module that declares measures or policies, netp for netp.py"
    parser.add_argument("--import", metavar="MODULE", help=about)
    add_comparison(parser)
    parser.add_argument("--version", action="version", version=f"ir_trunc {__version__}")
    return parser
========
from ir_trunc._core.errors import IrTruncError, IrTruncWarning, nearest
from ir_trunc.cli.process import ENDINGS, ended_by_signals, flushed, reason, standard_streams, tell

if TYPE_CHECKING:
    from ir_trunc.measures import Definition

MODULES = ("truncate", "study", "check", "report", "meta", "reproduce")
"""Commands that are modules of this package, each with a `main`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    warnings.showwarning = _show_warning
    with standard_streams(), ended_by_signals():
        status, problem = 2, ""
        try:
            status = _run(words)
        except SystemExit as end:  # of the parsers, which have said why, and of signals
            status = int(end.code or 0)
        except KeyboardInterrupt as error:
            status, problem = 130, reason(error)
        except ENDINGS as error:
            if isinstance(error, BrokenPipeError) and error.filename is None:
                status = 0
            else:
                problem = reason(error)
        lost = flushed()
        if lost and not isinstance(lost, BrokenPipeError):  # a reader that has seen enough is not a problem
            status, problem = 2, reason(lost)
        if problem:
            tell(f"ir_trunc: {problem}")
        return status


def _run(words: Sequence[str]) -> int:
    """The command that the first word names; any other first word is the qrels of runs to score."""
    words = _import_modules(words)
    command = words[0] if words else ""
    if command in COMMANDS:
        return COMMANDS[command](words[1:])
    if command in MODULES:
        status: int = import_module(f"ir_trunc.cli.{command}").main(words[1:])
        return status
    if command and not Path(command).exists() and (near := nearest(command, [*COMMANDS, *MODULES])):
        from ir_trunc._read.readers.datasets import load

        if load(command) is None:
            raise IrTruncError(f"{command!r} is neither a command nor qrels.{near}")
    from ir_trunc.cli import score

    return score.main(words)


def _import_modules(words: Sequence[str]) -> list[str]:
    """The words without `--import MODULE`, which any command takes.

    Modules of the current folder declare measures or policies.
    """
    modules, rest = [], []
    following = iter(words)
    for word in following:
        option, _, name = word.partition("=")
        if option != "--import":
            rest.append(word)
        elif module := name or next(following, ""):
            modules.append(module)
        else:
            raise IrTruncError("--import needs the name of a module: --import netp for netp.py.")
    if modules:
        sys.path.insert(0, os.getcwd())
    for name in modules:
        try:
            import_module(name.removesuffix(".py").replace(os.sep, "."))
        except IrTruncError as error:
            raise IrTruncError(f"--import {name}: {error}") from None
        except Exception as error:  # the module is the user's: anything may be wrong with it
            raise IrTruncError(f"--import {name!r} fails: {type(error).__name__}: {error}") from error
    return rest


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Tell a warning of ir_trunc, or of a module of the user's. Those of scipy and others are left out."""
    if category in (IrTruncWarning, UserWarning):
        tell(f"ir_trunc: warning: {message}")


def _demo(words: Sequence[str]) -> int:
    """`ir_trunc demo [--plot FILE] [--copy FOLDER]`."""
    from ir_trunc.cli.arguments import add_flag
    from ir_trunc.cli.output import OneLineParser
    from ir_trunc.synthetic import demo

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


def _measures(words: Sequence[str]) -> int:
    """`ir_trunc measures [NAME] [--reference]`: formula, parameters, range and source, from the registry."""
    from ir_trunc.cli.output import OneLineParser
    from ir_trunc.measures import families, lookup, registry
    from ir_trunc.scoring.printed import fitted

    def show(text: str) -> None:
        """Print a text; a line that is too long for a terminal goes on below, further in."""
        for line in text.splitlines():
            print(fitted(line, len(line) - len(line.lstrip()) + 2))

    parser = OneLineParser(prog="ir_trunc measures", description="List all measures, or describe one.")
    parser.add_argument("name", metavar="NAME", nargs="?", help="a measure")
    about = "everything about all measures, as a page in Markdown"
    parser.add_argument("--reference", action="store_true", help=about)
    args = parser.parse_args(words)
    if args.reference:
        if args.name:
            parser.error("--reference is a page of all measures: leave NAME out")
        from ir_trunc.reporting.reference import page

        print(page(), end="")
    elif args.name:
        definition = lookup(args.name.partition("@")[0].partition("(")[0])
        show(f"{definition.signature}\n\n{definition.describe()}\n{_example(definition)}")
    else:
        for family in families():
            show(f"\n{family.about}\n")
            for definition in family.members:
                low, high = (f"{bound:g}" for bound in definition.range)
                about = f"range {low} to {high}; {definition.source.split(', http')[0]}"
                lines = (f"      {line}" for line in (*definition.equation.splitlines(), about))
                show("\n".join([f"  {definition.signature}", *lines]))
        print(f"\n{len(registry)} measures. 'ir_trunc measures NAME' tells more.")
    return 0


def _example(definition: Definition) -> str:
    """The score of one list under a measure, computed as it is asked for."""
    from ir_trunc._core.rankings import Rankings
    from ir_trunc.measures.definition import CUTOFF

    lists = Rankings.from_lists([[1, 0, 1]], [[1, 1, 1, 0]], scores=[[0.9, 0.5, 0.4]])
    params = {CUTOFF: 5} if CUTOFF in definition.params and definition.params[CUTOFF].required else {}
    value = definition.bind(params).score(lists)[0]
    name = f"{definition.name}@5" if params else definition.name
    return f"example: {name} of the list 1 0 1, of a topic with three relevant documents, is {value:.4f}"


COMMANDS = {"measures": _measures, "demo": _demo}
"""Commands that are functions here."""
>>>>>>>> Stashed changes:ir_trunc/cli/main.py
