"""The grammar of all commands: their parser, one table of options, and runs followed by measures."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, cast, get_args

from ir_measures import Measure

from ir_trunc._cli._output import FORMATS
from ir_trunc._core.errors import InputError, ParameterError, UnknownMeasureError, printable, shown
from ir_trunc._output.tables import fitted
from ir_trunc._ranking.nil import Convention, NilRule
from ir_trunc._ranking.qrels import Unjudged
from ir_trunc._ranking.runs import Missing
from ir_trunc._read.reading import Duplicates, HowRead, Order
from ir_trunc._scoring.evaluator import Options, Ties
from ir_trunc._scoring.objects import is_measure, nearest_measures, parse_measures
from ir_trunc.measures.declaration import split_at_blanks

QRELS = "TREC qrels file, or the id of an ir_datasets data set"
RUNS = "TREC run files, folders of them, or - for standard input"
STANDARD_INPUT = "/dev/stdin"


class Help(argparse.HelpFormatter):
    """Help whose texts keep their lines; one that is too long goes on below, in its last column."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        columns = (re.match(r"\s*(\S.*?\s{2,}(?=\S))?", line) for line in text.splitlines())
        starts = [min(column.end(), 40) if column else 0 for column in columns]
        return "\n".join(fitted(line, start) for line, start in zip(text.splitlines(), starts))

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        if isinstance(action.metavar, str) and action.metavar.endswith(("...", "]")):
            return action.metavar  # which says itself how many there may be
        return super()._format_args(action, default_metavar)


class OneLineParser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, and takes `--by_query`, and `-` for standard input."""

    def __init__(self, **options: Any):
        super().__init__(**{"formatter_class": Help} | options)
        for kind, parse in {int: _whole, float: _number}.items():
            self.register("type", kind, parse)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words, as argparse does, and refuse an option twice that cannot be repeated."""
        words = sys.argv[1:] if args is None else args
        self._given: list[argparse.Action] = []
        self._inputs = 0  # words that name standard input
        return super().parse_known_args([_hyphenated(word) for word in words], namespace)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.nargs == argparse.PARSER:  # the words of a subcommand, which its own parser reads
            pass
        elif not action.option_strings:
            self._inputs += arg_strings.count("-")
            if self._inputs > 1:
                raise argparse.ArgumentError(action, "- is given twice; standard input can be read once")
            arg_strings = [STANDARD_INPUT if word == "-" else word for word in arg_strings]
        elif not isinstance(action, argparse._AppendAction):
            if action in self._given:  # argparse would take the last, even where the first swallowed a run
                raise argparse.ArgumentError(action, "it is given twice; once is enough")
            self._given.append(action)
        return super()._get_values(action, arg_strings)

    def error(self, message: str) -> NoReturn:
        """Print the line and exit."""
        self.exit(2, printable(f"{self.prog}: {message}; see '{self.prog} --help'.") + "\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse would say nothing where that fails


def _hyphenated(word: str) -> str:
    """A flag as it is written here; the `ir_measures` command writes --by_query and --output_format."""
    flag, equals, value = word.partition("=")
    if not re.fullmatch("--[a-z_-]+", flag):
        return word
    flag = flag.replace("_", "-")
    return ("--format" if flag == "--output-format" else flag) + equals + value


def _places(text: str) -> int:
    """A number of decimal places, or -1."""
    if not re.fullmatch("-1|[0-9]{1,2}", text):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a number of places: 0 to 99, or -1 for all")
    return int(text)


def _whole(text: str) -> int:
    """A whole number, without the signs that Python allows between digits."""
    if not re.fullmatch("[+-]?[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number")
    return int(text)


def _number(text: str) -> float:
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a number")
    return float(text)


def _nil(text: str) -> NilRule:
    """The meaning of NIL, as MEANING or ID=MEANING."""
    doc_id, _, convention = text.rpartition("=")
    try:
        return NilRule(cast(Convention, convention), doc_id or NilRule.id)
    except InputError:
        meanings = ", ".join(get_args(Convention))
        raise argparse.ArgumentTypeError(f"{shown(text)} is not one of {meanings}, nor ID=MEANING") from None


def natural(text: str, least: int = 0) -> int:
    """A whole number from 0 on."""
    if (number := _whole(text)) < least:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number from {least} on")
    return number


def _positive(text: str) -> int:
    return natural(text, 1)


_ORDER = (
    "what decides the order of a list: score (the default), as 32-bit floats and then the document id, as in"
    " ir-measures, pytrec_eval and trec_eval 9; score64, as trec_eval 10 has it; the rank column; or the"
    " rows of the file as they stand"
)
_DUPLICATES = (
    "a document that is in a list twice: an error (the default), or only its first row counts, or its best"
)
_STOP = "a list ends before the first row with this mark in the second column, NS for example"
_COLUMNS = "what a field is called in CSV, TSV, JSON or Parquet: doc_id=chunk; may be repeated"

_MISSING = "topics of the qrels without rows in the run: empty lists (the default), left out, or an error"
_UNJUDGED = "topics of a data set without judgments: left out (the default), or nil queries"
_TIES = "documents with the same score: by id (the default), or the expected score over all of their orders"

# The letter of an option, if it has one, and the arguments of `add_argument`. An option means the same in all
# commands that have it; a letter belongs to one option. Those that the `ir_measures` command has, too, are
# its own: -q, -n, -p.
OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "by-query": ("-q", {"action": "store_true", "help": "scores by topic"}),
    "no-summary": ("-n", {"action": "store_true", "help": "with -q: leave the means out"}),
    "places": (
        "-p",
        {"type": _places, "metavar": "N", "help": "decimal places, -1 for all (default 4)"},
    ),
    "output": (
        "-o",
        {"metavar": "FILE", "help": "write there, gzipped where the name ends in .gz; - prints"},
    ),
    "format": ("", {"choices": FORMATS, "help": "the form of the output"}),
    "measures": ("-m", {"metavar": "MEASURES", "help": "in place of MEASURE: all in one text"}),
    "policy": ("", {"metavar": "POLICY", "help": "a policy, or a file of cuts"}),
    "qrels": ("", {"metavar": "QRELS", "help": QRELS}),
    "cuts": ("-k", {"metavar": "FILE", "help": "write lines 'topic<TAB>k' there"}),
    "topics": ("", {"metavar": "FILE", "help": "more topics of the query universe (TREC, TSV, CSV, JSON)"}),
    "missing": ("", {"choices": get_args(Missing), "help": _MISSING}),
    "unjudged": ("", {"choices": get_args(Unjudged), "help": _UNJUDGED}),
    "ties": ("", {"choices": get_args(Ties), "default": "id", "help": _TIES}),
    "jobs": ("", {"type": _positive, "metavar": "N", "help": "runs that are scored at a time (default 1)"}),
    "plot": ("", {"metavar": "FILE", "help": "draw it into a file: .png, .svg, .pdf"}),
    "seed": (
        "",
        {"type": natural, "default": 0, "metavar": "N", "help": "of what is drawn at random (default 0)"},
    ),
    "unit": ("", {"metavar": "KEY", "help": "the key of --keys whose values are independent"}),
    "order": ("", {"choices": get_args(Order), "default": "score", "help": _ORDER}),
    "duplicates": ("", {"choices": get_args(Duplicates), "default": "error", "help": _DUPLICATES}),
    "stop": ("", {"metavar": "MARK", "help": _STOP}),
    "lower-is-better": ("", {"action": "store_true", "help": "scores are distances"}),
    "columns": ("", {"action": "append", "metavar": "FIELD=COLUMN", "help": _COLUMNS}),
    "keys": (
        "",
        {"metavar": "KEYS", "help": "keys that identify a list, outermost first: topic/question/day"},
    ),
    "nil": ("", {"type": _nil, "metavar": "[ID=]MEANING"}),
}


def add_flag(parser: argparse._ActionsContainer, name: str, **changed: Any) -> None:
    """Add an option of the table; `changed` are arguments of `add_argument` that differ in this command."""
    letter, arguments = OPTIONS[name]
    parser.add_argument(*[letter] * bool(letter), f"--{name}", **arguments | changed)


def add_reading(parser: argparse.ArgumentParser, nil: str = "document, like any other") -> None:
    """Add the options that say how runs are read. nil: the default for NIL, in words."""
    group = parser.add_argument_group("how runs are read")
    for name in HowRead.__annotations__:
        add_flag(group, name.replace("_", "-"))
    about = f"what a document called NIL means: {', '.join(get_args(Convention))} (default: {nil})"
    add_flag(group, "nil", help=f"{about}; --nil=-1=ends for the id -1")


def reading_of(args: argparse.Namespace) -> HowRead:
    """The keywords of `Reading` that the options set."""
    keywords = {name: getattr(args, name) for name in HowRead.__annotations__}
    return cast(HowRead, keywords | {"columns": named_columns(args)})


def named_columns(args: argparse.Namespace) -> dict[str, str] | None:
    """The columns of fields that `--columns` names."""
    columns: dict[str, str] = {}
    for pair in args.columns or []:
        field, equals, column = pair.partition("=")
        if not equals:
            raise ParameterError(f"--columns {pair}: FIELD=COLUMN is needed, such as doc_id=chunk.")
        if field in columns:
            raise ParameterError(f"--columns {pair}: {field} is given twice.")
        columns[field] = column
    return columns or None


def add_topics(parser: argparse._ActionsContainer) -> None:
    """Add the options that say which topics are scored."""
    for name in ("topics", "missing", "unjudged"):
        add_flag(parser, name)


def options_of(args: argparse.Namespace) -> Options:
    """The same with the meaning of NIL, topics and ties; None for the default of the function called."""
    names = ("topics", "missing", "unjudged", "ties")
    others = {name: getattr(args, name) for name in names if hasattr(args, name)}
    return cast(Options, {**reading_of(args), "nil": args.nil, **others})


def add_runs_and_measures(
    parser: OneLineParser, needed: bool = True, default: str = "", about: str = RUNS
) -> None:
    """Add QRELS, runs and measures behind them. needed: whether they must be given; default: the measures."""
    parser.add_argument("qrels", metavar="QRELS", nargs=None if needed else "?", help=QRELS)
    many, about = "+" if needed else "*", f"{about}; then measures{f' (default: {default})' * bool(default)}"
    metavar = "RUN ... [MEASURE ...]" if default else "RUN ... MEASURE ..."
    parser.add_argument("arguments", metavar=metavar, nargs=many, help=about)
    add_flag(parser, "measures")


def runs_and_measures(args: argparse.Namespace, default: str = "") -> tuple[list[str], list[str | Measure]]:
    """Runs, and the measures behind them, or of `-m`, or the default.

    The first word is a run, as for the `ir_measures` command. So is each further one up to the first
    measure, if it is a file or looks like the path of one.
    """
    words = args.arguments
    if not os.path.exists(words[0]) and is_measure(_name(words[0].partition(" ")[0])):
        raise ParameterError(f"{words[0]!r} is a measure where a run is needed: QRELS RUN ... MEASURE ...")
    for place in range(1, len(words)):
        if measures := _measures_in(words[place]):
            return words[:place], measures_of(args, [*measures, *words[place + 1 :]])
    return words, measures_of(args, [], default)


def measures_of(
    args: argparse.Namespace, words: Sequence[str | Measure], default: str = ""
) -> list[str | Measure]:
    """The measures that words name, or `-m`, or the default."""
    if words and args.measures is not None:
        raise ParameterError(f"-m {args.measures!r} and {str(words[0])!r}: name the measures in one place.")
    measures = words or split_at_blanks(default if args.measures is None else args.measures)
    if not measures:
        raise ParameterError("A measure is needed: 'RBPT nDCG@10', for example.")
    return [*measures]


def _measures_in(word: str) -> list[str | Measure]:
    """The measures that a word names, or none where it is a run. Their parameters are not checked again."""
    try:
        return [*parse_measures(word)]
    except ParameterError:
        return [word]  # what computes it says what is wrong
    except UnknownMeasureError:
        if os.path.exists(word) or "/" in word or word.endswith(".gz"):
            return []
        name = _name(word)
        if is_measure(name):  # a misspelt parameter, or one that is set later: 'RBP(p={p})'
            return [*split_at_blanks(word)]
        raise UnknownMeasureError(
            f"{word!r} is neither a file nor a measure.{nearest_measures(name)}"
        ) from None


def _name(measure: str) -> str:
    """What a measure is called without its parameters."""
    return measure.partition("@")[0].partition("(")[0]
