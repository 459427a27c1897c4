"""`ir_trunc QRELS RUN [RUN ...] MEASURE ...`: scores of runs, or a comparison of runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ir_trunc._core.errors import InputError, IrTruncError
from ir_trunc._output.files import check_outputs
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
