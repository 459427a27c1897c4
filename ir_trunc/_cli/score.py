"""`ir_trunc QRELS RUN [RUN ...] MEASURE ...`: scores of runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Any

from ir_trunc._cli._arguments import OPTIONS, Words, cli_command, runs_and_measures
from ir_trunc._cli.main import COMMANDS
from ir_trunc._core.errors import InputError, IrTruncError, counted, printable, warn
from ir_trunc._core.lazy import pd
from ir_trunc._output.files import printing
from ir_trunc._output.tables import FORMATS, OF_PAPERS, Row, table_lines, write_scores
from ir_trunc._ranking.runs import read_run
from ir_trunc._scoring.evaluator import Evaluator
from ir_trunc._scoring.results import Results
from ir_trunc._scoring.runs import by_file_name, score_each

__all__ = ["main"]

_DECLARED = f"""
{runs_and_measures()}
= by-query no-summary format places output unit ties depth jobs judge scoring
--by KEY  with --keys: nested means for each value of this key, question for example
--explain TOPIC  why this topic has its scores: a table of depths for each measure, and what the end is worth
--views  means over all, answerable and nil queries, and silence
--version  versions of ir_trunc, Python and the dependencies, and whether the kernel is used
"""

_COMMANDS = [
    "\n".join([f"{group}:", *(f"  {name:<12}{about}" for name, about in commands.items())])
    for group, commands in COMMANDS.items()
]
_MOST_USED = "by-query format output places measures order columns keys missing topics"
_EXAMPLES = (
    "  $ ir_trunc demo",
    "  $ ir_trunc qrels.txt bm25.run splade.run RBPT nDCG@10 OIE",
    "  $ ir_trunc how-many qrels.txt bm25.run",
)
_DEMO = os.path.join(os.path.dirname(__file__), "..", "synthetic", "data")  # if it is here
_AFTER = "Without a command, runs are scored. 'ir_trunc COMMAND --help' tells more."


def short_help() -> str:
    """What `ir_trunc -h` prints: the commands, the options that are needed most, and examples."""
    lines = ["usage: ir_trunc QRELS RUN ... MEASURE ... [options]\n       ir_trunc COMMAND ...\n\ncommands:"]
    lines += [f"  {name:<10}{about}" for commands in COMMANDS.values() for name, about in commands.items()]
    lines += ["", "options, which most commands have, too:"]
    for name in _MOST_USED.split():
        flag, about = OPTIONS[name].replace(" --", ", --", 1).split("  ", 1)
        flag = re.sub(r" \S*\|.*|\.\.\.$", "", flag)  # no list of words
        lines.append(f"  {flag:<24}{re.split('[;:(,]', about)[0].strip()}")
    end = "All options: ir_trunc --help, ir_trunc COMMAND --help"
    return "\n".join([*lines, "", "examples:", *_EXAMPLES, "", end])


@cli_command("", _DECLARED, above="\n\n".join([*_COMMANDS, _AFTER]))
def main(args: Words) -> None:
    """Score runs: rankings whose length is a decision of the system.

    With one run, the form tsv has the lines of the ir_measures command. The forms latex and html belong to
    'ir_trunc compare'. Names and ids are printed as they are: a spreadsheet takes a cell of a csv that begins
    with =, +, - or @ for a formula.

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc demo.qrels never-stops.run stops-in-time.run nDCG@10 RBPT OIE
      run   nDCG@10   RBPT   OIE
      never-stops.run   0.4545   0.4627   13.0717
      stops-in-time.run   0.4286   0.5775   16.7757
    """
    if args.output in FORMATS:
        what = f"-o names a file, and {args.output!r} is a form: write --format {args.output}"
        raise IrTruncError(f"{what}, or -o ./{args.output} for a file of that name.")
    if args.no_summary and not (args.by_query or args.by):
        raise IrTruncError("--no-summary (-n) prints nothing without --by-query (-q) or --by.")
    if args.views + args.by_query + (args.by is not None) + (args.explain is not None) > 1:
        raise IrTruncError("--explain, --views, --by-query (-q) and --by are tables of their own: name one.")
    if args.unit is not None and (args.no_summary or args.explain is not None):
        raise IrTruncError("--unit is of means, which --no-summary (-n) and --explain do not print.")
    if args.by is not None and args.keys is None:
        raise IrTruncError("--by needs --keys: --keys topic/question/day --by question, for example.")
    _offer_demo([args.qrels, *args.runs])
    named = by_file_name(args.runs)
    form, places = args.form_and_places(papers=True)
    if form in OF_PAPERS:
        raise IrTruncError(f"{form} is a form of 'ir_trunc compare': write compare before the qrels.")
    evaluator = Evaluator(args.measures, args.with_judge(args.qrels), **args.scoring)
    if args.explain is not None:
        runs = {name: read_run(path, **args.reading) for name, path in named.items()}  # pipes are read once
        write_explanations(score_each(evaluator, runs, args.jobs or 1), args.explain, args)
        return
    shown = (len(named) > 1, args.by_query or args.views or args.by is not None, True, True)
    columns = list(compress(("run", args.by or "query_id", "measure", "value"), shown))
    notes = [*filter(None, [evaluator.cut_note])]

    def rows() -> Iterator[Row]:
        for name, results in score_each(evaluator, named, args.jobs or 1):
            universe = results.universe
            for missing, treated in ((universe.missing, "counted as empty"), (universe.excluded, "excluded")):
                if missing:
                    notes.append(f"{name}: {counted(missing, 'topic')} missing from the run, {treated}")
            notes.extend(f"{name}: {note}" for note in results.notes())
            of_run = _views(name, results, args.unit) if args.views else _scores(name, results, args)
            yield from (tuple(compress(row, shown)) for row in of_run)

    with printing(args.output) as out:
        write_scores(form, rows(), columns, places, out)
        if form == "table":  # the other forms are for programs and papers
            out.writelines(f"{printable(note)}\n" for note in notes)


def _scores(name: str, results: Results, args: Words) -> Iterator[Row]:
    """The scores of one run by topic or by the groups of a key, and their means."""
    texts = [str(measure) for measure in results.measures]
    groups: tuple[str, ...] = ()
    if args.by_query:
        groups, values = results.topics, results.values.T
    elif args.by is not None:
        table = results.by(args.by)
        groups = tuple(keys if isinstance(keys, str) else "/".join(keys) for keys in table.index)
        values = table.to_numpy()
    for group, row in zip(groups, values.tolist() if groups else ()):
        yield from ((name, group, text, value) for text, value in zip(texts, row))
    label = "all"
    while label in groups:
        label += " topics"
    if not args.no_summary:
        if label != "all":
            warn(f"a topic is called 'all'; the means of all topics are those of {label!r}.")
        yield from ((name, label, text, value) for text, value in zip(texts, results.means(args.unit)))


def _views(name: str, results: Results, unit: str | None) -> Iterator[Row]:
    """Means over all topics, over those with answers and over nil queries, and how the system abstained."""
    for view, part in results.views().items():
        abstention = part.abstention
        yield (name, view, "topics", abstention.topics)
        yield (name, view, "silent", abstention.silent)
        # Where a list of the run holds the document NIL: its meaning, and the number of these lists.
        if results.rankings.nil and part.rankings.nil is not None:
            yield (name, view, f"nil={part.rankings.nil.convention}", len(part.rankings.nil))
        means = zip(part.measures, part.means(unit))
        yield from ((name, view, str(measure), value) for measure, value in means)
    yield (name, "silence", "precision", results.abstention.precision)
    yield (name, "silence", "recall", results.abstention.recall)


def write_explanations(scored: Iterable[tuple[str, Results]], topic: str, args: Words) -> None:
    """Why a topic has its scores in each run under each measure: as text, or as rows of one table."""
    form, places = args.form_and_places()
    each = {(name, str(m)): results.explain(topic, m) for name, results in scored for m in results.measures}
    several = len({name for name, _ in each}) > 1
    with printing(args.output) as out:
        if form != "table" and (args.format or args.output):
            rows = pd.concat({key: why.to_pandas() for key, why in each.items()}, names=["run", "measure"])
            out.write(table_lines(rows, form, places))
        else:
            names = [f"{printable(name)}: " if several else "" for name, _ in each]
            out.write("\n".join(f"{name}{why.report(places)}\n" for name, why in zip(names, each.values())))


def _offer_demo(paths: Sequence[Any]) -> None:
    """InputError where a file of the demonstration is asked for that has not been copied yet."""
    for path in (path for path in paths if isinstance(path, str) and not os.path.exists(path)):
        folder, name = os.path.split(path)
        if os.path.isfile(os.path.join(_DEMO, name)):
            remedy = f"'ir_trunc demo --copy {folder or '.'}' puts the files of the demonstration there"
            raise InputError(f"{path}: there is no such file. {remedy}.")
