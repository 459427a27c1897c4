"""The grammar of all commands: their declaration, one table of options, and runs followed by measures."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial, wraps
from importlib import import_module
from inspect import cleandoc, signature
from textwrap import fill
from typing import Any, NoReturn, cast, get_args

from ir_measures import Measure

from ir_trunc._cli._process import tell
from ir_trunc._core.errors import InputError, ParameterError, UnknownMeasureError, nearest, printable, shown
from ir_trunc._core.lazy import plots
from ir_trunc._output.files import check_outputs
from ir_trunc._output.tables import FORMATS, OF_PAPERS, WIDTH, fitted
from ir_trunc._ranking.qrels import PathWithLevels
from ir_trunc._ranking.ranked_rows import Convention, NilRule
from ir_trunc._read.reading import HowRead, options_of
from ir_trunc._scoring.evaluator import ScoringOptions
from ir_trunc._scoring.objects import is_measure, nearest_measures, parse_measures
from ir_trunc.measures.declaration import split_at_blanks

QRELS = "TREC qrels file, or the id of an ir_datasets data set"
RUNS = "TREC run files, folders of them, or - for standard input"
STANDARD_INPUT = "/dev/stdin"

Command = Callable[[Sequence[str]], int]


def cli_command(
    name: str, declared: str, above: str = "", below: str | Callable[[], str] = ""
) -> Callable[[Callable[[Words], int | None]], Command]:
    """Make the command `ir_trunc NAME` of a function that returns the exit status, None for 0.

    The docstring of the function is the help: its first paragraph and `above` stand above the arguments and
    options that are `declared` (see `OneLineParser`), `below` and its other paragraphs stand below them.
    `below` is a function where what it says may change, as policies may be imported.
    """

    def make(function: Callable[[Words], int | None]) -> Command:
        @wraps(function)
        def main(words: Sequence[str]) -> int:
            about, _, rest = cleandoc(function.__doc__ or "").partition("\n\n")
            first = below() if callable(below) else below
            parser = OneLineParser(name, f"{about}\n\n{above}", declared, f"{first}\n\n{rest}")
            return function(parser.read(words)) or 0

        return main

    return make


class OneLineParser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, and takes `--by_query`, and `-` for standard input.

    command: the words behind `ir_trunc`. declared: its arguments and options, in lines 'name VALUE  help',
    '--name VALUE  help', '= names in the table'. There, `reading` stands for how runs are read, and `scoring`
    for this and for which topics are scored. a|b is a choice of words, VALUE? may be left out, of VALUE+ and
    VALUE* there may be several, VALUE! must be given, VALUE... may be repeated, and an option without a value
    is a flag; so may be VALUE?.
    """

    def __init__(self, command: str, about: str, declared: str, below: str = ""):
        form: Any = {"usage": "%(prog)s [options]", "formatter_class": argparse.RawDescriptionHelpFormatter}
        form |= {"description": _filled(about), "epilog": _filled(below)}
        super().__init__(prog=f"ir_trunc {command}".strip(), **form)
        self.register("action", None, _Once)
        self.register("action", "store_true", partial(_Once, nargs=0, const=True, default=False))
        self.register("type", int, _TYPES["WHOLE"])
        for line in _lines(f"{declared}\n= import"):  # main imports the module before
            if not line.startswith("="):
                self._add(self, line)
                continue
            for name in line.replace("scoring", _SCORING).split()[1:]:
                group = self.add_argument_group("how runs are read") if name == "reading" else self
                for each in _READING if name == "reading" else [name]:
                    self._add(group, OPTIONS[each])

    def _add(self, group: argparse._ActionsContainer, line: str) -> None:
        """Add an argument or option, and what the usage says about it."""
        start, about = line.split("  ", 1)
        names = re.findall(r"(?<!\S)--?\w\S*", start) or start.split()[:1]
        value = start.partition(names[-1])[2].strip()
        how: dict[str, Any] = {"help": about.strip().replace("%", "%%")}
        is_option = names[-1].startswith("-")
        mark = next((mark for mark in ("!", "?", "*", "+", "...") if value.endswith(mark)), "")
        value = value.removesuffix(mark)
        if mark == "!":
            how["required"] = True
        elif mark == "...":
            how["action"] = "append"
        elif mark:
            how |= {"nargs": mark} | ({"const": True} if is_option else {})
        if not value:
            how["action"] = "store_true"
        elif "|" in value and value.islower():
            how["choices"] = value.split("|")
            if not is_option:
                value = how["metavar"] = names[0].upper()
        else:
            how |= {"metavar": value, "type": _TYPES.get(value, str)}
        added = group.add_argument(*names, **how)
        if not is_option or "required" in how:
            if is_option:
                value = f"{names[0]} {value}"
            elif added.nargs in ("?", "*") and "[" not in value:
                value = f"[{value}]"
            self.usage = str(self.usage).replace("[options]", f"{value} [options]")

    def read(self, words: Sequence[str]) -> Words:
        """The arguments and options that words give, in any order. Outputs are checked before the work."""
        self.used = list[argparse.Action | str]()
        args = self.parse_intermixed_args([_hyphenated(word) for word in words], Words())
        if getattr(args, "runs", None) and "measures" in args and getattr(args, "matrix", None) is None:
            args.runs, args.measures = args.runs_and_measures(optional="[MEASURE" in str(self.usage))
        args.check_files()
        for name in {"qrels", "labels", "judge"} & vars(args).keys():
            path = getattr(args, name)
            with suppress(ModuleNotFoundError):  # graded answers can be taken away
                path = import_module("ir_trunc._ranking.depths").qrels_in(path)
            setattr(args, name, args.with_levels(path))
        args.command = printable(shlex.join([*self.prog.split(), *words]))
        return args

    def error(self, message: str) -> NoReturn:
        """Print the line and exit."""
        unknown = re.match(r"unrecognized arguments:.*?(--\w[\w-]*)", message)
        near = ""
        if unknown:
            near = nearest(unknown[1], re.findall(r"--\w[\w-]*", self.format_help()))
            word = unknown[1].removeprefix("--")
            for action in self._actions:  # --latex for --format latex
                if action.option_strings and word in (action.choices or ()):
                    near = f" Write {action.option_strings[-1]} {word}."
        tell(f"{self.prog}: {message}; see '{self.prog} --help'.{near}")
        raise SystemExit(2)

    def print_help(self, file: Any = None) -> None:
        """Print the help; argparse would say nothing where that fails."""
        (file or sys.stdout).write(self.format_help())


class Words(argparse.Namespace):
    """The arguments and options that are given; what is left out has the default of the function called."""

    command: str
    """The whole command as a line to type."""

    def of(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of these options that are given."""
        values = {name: getattr(self, name, None) for name in names}
        return {name: value for name, value in values.items() if value is not None and value is not False}

    def keywords(self, function: Callable[..., Any]) -> dict[str, Any]:
        """The options that are keywords of a function."""
        parameters = signature(function).parameters.values()
        return self.of(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)

    @property
    def reading(self) -> Any:
        """How runs are read."""
        columns: dict[str, str] = {}
        for pair in (pair for word in self.columns or () for pair in re.split(r",(?=\w+=)", word)):
            field, equals, column = pair.partition("=")
            if not equals or field in columns:
                needed = "FIELD=COLUMN is needed, such as doc_id=chunk, once for a field"
                raise ParameterError(f"--columns {pair}: {needed}.")
            columns[field] = column
        return self.of(HowRead.__annotations__) | ({"columns": columns} if columns else {})

    @property
    def scoring(self) -> Any:
        """How runs are read and which topics are scored, with the meaning of NIL and of ties."""
        return self.of(ScoringOptions.__annotations__) | self.reading

    def with_levels(self, path: Any) -> Any:
        """The path of judgments, with the grades of their levels by `--levels`."""
        if isinstance(path, str) and self.of(["levels"]):
            path = PathWithLevels(path)
            path.levels = self.levels
        return path

    def with_judge(self, qrels: Any) -> Any:
        """The qrels; those of people for some topics beside those of `--judge`."""
        if self.judge is None:
            return qrels
        return import_module("ir_trunc._judged").Judged(self.judge, qrels)

    def check_files(self) -> None:
        """Check outputs before the work: they can be written, and none is another or an input."""
        inputs = [
            value
            for name, values in vars(self).items()
            for value in (values if isinstance(values, list) else [values])
            if name not in _OUTPUTS and isinstance(value, str)
            if name in _FOLDERS or not os.path.isdir(value)  # a title or a measure is no folder
        ]
        check_outputs(self.of(_OUTPUTS).values(), inputs)
        if self.of(["plot"]):
            plots._kit.check_picture(self.plot)

    def form_and_places(self, papers: bool = False) -> tuple[str, int]:
        """The form of the output, and the decimal places. papers: whether forms for papers are among them.

        A form that nobody named follows from the ending of the file; on a terminal it is a table to read.
        """
        form = self.format
        if form is None and self.output in (None, "-"):
            form = "table" if sys.stdout.isatty() else "tsv"
        elif form is None:
            ending = os.path.splitext(self.output.removesuffix(".gz"))[1][1:]
            form = {"tex": "latex", "md": "markdown", "txt": "table"}.get(ending, ending)
            form = form if form in (*FORMATS, *OF_PAPERS) else "tsv"
        if form in OF_PAPERS and not papers:
            what = f"{form} is a form of 'ir_trunc compare', not of this command"
            raise ParameterError(f"{what}; use --format csv.")
        if form in ("jsonl", "json") and self.places is not None:
            raise ParameterError(f"{form} has all decimal places: leave --places (-p) out.")
        return form, 4 if self.places is None else self.places

    def runs_and_measures(self, optional: bool) -> tuple[list[str], list[str | Measure] | None]:
        """Runs, and the measures behind them or of `-m`; None where they are `optional` and not named.

        The first word is a run, as for the `ir_measures` command. So is each further one up to the first
        measure, if it is a file or looks like the path of one.
        """
        words = self.runs
        for word, needed in ((getattr(self, "qrels", None), "qrels are"), (words[0], "a run is")):
            if word and not os.path.exists(word) and is_measure(_name(word.partition(" ")[0])):
                what = f"{word!r} is a measure where {needed} needed"
                raise ParameterError(f"{what}: QRELS RUN ... MEASURE ...")
        for word in words[1:]:
            if re.fullmatch(r"[0-9.]+", word) and not os.path.exists(word):
                several = "several values of an option are written as 10,20"
                raise ParameterError(f"{word!r} is neither a run nor a measure; {several}.")
        for place in range(1, len(words)):
            if measures := measures_in(words[place]):
                return words[:place], self.measures_of([*measures, *words[place + 1 :]])
        return words, None if optional and self.measures is None else self.measures_of([])

    def measures_of(self, words: Sequence[str | Measure], default: str = "") -> list[str | Measure]:
        """The measures that words name, or `-m`, or the default."""
        if words and self.measures is not None:
            both = f"-m {self.measures!r} and {str(words[0])!r}"
            raise ParameterError(f"{both}: name the measures in one place.")
        for word in map(str, words):
            if os.path.exists(word) and not is_measure(_name(word)):
                raise ParameterError(f"{word!r} is a file where a measure is needed: measures come last.")
        measures = words or split_at_blanks(default if self.measures is None else self.measures)
        if not measures:
            raise ParameterError("A measure is needed: 'RBPT nDCG@10', for example.")
        return [*measures]


class _Once(argparse.Action):
    """An option that is refused where it is given twice; an argument, in which - is standard input.

    argparse would take the last value of an option, even where the first swallowed a run.
    """

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if self.option_strings:
            if self in parser.used:
                raise argparse.ArgumentError(self, "it is given twice; once is enough")
            parser.used.append(self)
            values = self.const if self.nargs == 0 else values
        else:
            words = values if isinstance(values, list) else [values]
            parser.used += ["-"] * words.count("-")
            if parser.used.count("-") > 1:
                raise argparse.ArgumentError(self, "- is given twice; standard input can be read once")
            words = [STANDARD_INPUT if word == "-" else word for word in words]
            values = words if isinstance(values, list) else words[0]
        setattr(namespace, self.dest, values)


def _filled(text: str) -> str:
    """Paragraphs for a terminal. Indented ones keep their lines; a long line goes on in its last column."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = paragraph.splitlines()
        if any(line.startswith(" ") for line in lines):
            columns = (re.match(r"\s*(\S.*?\s{2,}(?=\S))?", line) for line in lines)
            starts = [min(column.end(), 40) if column else 0 for column in columns]
            paragraphs.append("\n".join(map(fitted, lines, starts)))
        else:
            paragraphs.append(fill(paragraph, WIDTH, break_on_hyphens=False))
    return "\n\n".join(paragraphs)


def _hyphenated(word: str) -> str:
    """A flag as it is written here; the `ir_measures` command writes --by_query and --output_format."""
    flag, equals, value = word.partition("=")
    if not re.fullmatch("--[a-z_-]+", flag):
        return word
    flag = flag.replace("_", "-")
    return ("--format" if flag == "--output-format" else flag) + equals + value


def _typed(pattern: str, what: str, convert: Callable[[str], Any] = int) -> Callable[[str], Any]:
    """The type of an option: a text of this pattern, converted. int() and float() take 1_0 and ١٠, too."""

    def read(text: str) -> Any:
        try:
            if re.fullmatch(pattern, text, re.IGNORECASE):
                return convert(text)
        except InputError:
            pass
        raise argparse.ArgumentTypeError(f"{shown(text)} is not {what}")

    return read


def _nil(text: str) -> NilRule:
    """The meaning of NIL, as MEANING or ID=MEANING."""
    doc_id, _, convention = text.rpartition("=")
    return NilRule(cast(Convention, convention), doc_id or NilRule.id)


def _levels(text: str) -> dict[str, int]:
    """The grades of levels: S=3,A=2,B=1."""
    pairs = (pair.rpartition("=") for pair in text.split(","))
    return {level: int(grade) for level, _, grade in pairs}


_NATURAL = "[+]?[0-9]{1,18}"
_TYPES = {
    "WHOLE": _typed("[+-]?[0-9]{1,18}", "a whole number"),
    "N": _typed(_NATURAL, "a whole number from 0 on"),
    "COUNT": _typed("[+]?0*[1-9][0-9]{0,17}", "a whole number from 1 on"),
    "X": _typed(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", "a number", float),
    "PLACES": _typed("-1|[0-9]{1,2}", "a number of places: 0 to 99, or -1 for all"),
    "K|POLICY": lambda text: int(text) if re.fullmatch(_NATURAL, text) else text,
    "[ID=]MEANING": _typed(".*", f"one of {', '.join(get_args(Convention))}, nor ID=MEANING", _nil),
    "LEVEL=GRADE": _typed(
        r"([^=,\s]+=-?[0-9]{1,9}(,(?!$)|$))+", "a grade for each level, as S=3,A=2,B=1", _levels
    ),
}
"""How values are read, by their names in declarations; any other value is a text."""


def _lines(text: str) -> Iterable[str]:
    """The lines of a declaration; one that is indented belongs to the line before it."""
    return filter(None, re.sub(r"\n +", " ", text).splitlines())


_TABLE = """
-q --by-query  scores by topic
-n --no-summary  with -q: leave the means out
-p --places PLACES  decimal places, -1 for all (default 4)
-o --output FILE  write there, gzipped where the name ends in .gz; - prints
-m --measures MEASURES  in place of MEASURE: all in one text
-k --cuts FILE  write lines 'topic<TAB>k' there; without -o and -k they are printed
--format table|tsv|csv|jsonl|json|markdown|latex|html  the form; by default that of the file's ending (.csv,
    .md, .tex and so on), else a table on a terminal and tsv in a pipe
--judge FILE  labels of all topics by a model, where the qrels are those of people for some: means are
    corrected by both
--correct-from X  of a log: lowest correctness of a right answer (default 1)
--abstains TEXT...  of a log: an answer that stands for none, "I don't know"; may be repeated
--all-answerable  of a log: questions have an answer unless the log says that they have none
--days DAYS  of Change Detection: days of the collection, ragtime1, a range 2024-01-01..2024-03-31, or a file
    of dates or of lines 'document<TAB>date' (default: from the first to the last day of the qrels; of
    `ir_trunc cdet check`, those of --docs, else ragtime1)
--absent error|tied|empty  a date or a topic that a run does not name: an error (the default), all of the
    topic's questions at one rank, or silence
--jobs COUNT  runs that are scored at a time (default 1)
--plot FILE  draw it into a file: .png, .svg, .pdf
--seed N  of what is drawn at random (default 0)
--baseline RUN  the run that all others are compared with (default: all pairs are compared)
--test TEST  t, bounded, bootstrap, randomisation, sign, tukey, randomised-tukey (default t, paired over
    topics)
--correction holm|bh|none  for the number of comparisons of a measure (default: holm; Tukey's tests need none)
--alpha X  level of significance; that of intervals is 1 - X (default 0.05)
--unit KEY  the key of --keys whose values are independent (default: the outermost)
--levels LEVEL=GRADE  grades of levels that are words in the judgments: S=3,A=2,B=1
--import MODULE  import a module that declares measures or policies, netp for netp.py
"""
OPTIONS = {re.findall(r"--([\w-]+)", line)[0]: line for line in _lines(_TABLE)}
for name, row in options_of(ScoringOptions).items():
    flag = name.replace("_", "-")
    OPTIONS[flag] = f"--{flag} {row.value}  {row.sentence[0].lower()}{row.sentence[1:-1]}"
"""The options that several commands have, by name. Each means one thing; a letter belongs to one option.

Those that the `ir_measures` command has, too, are its own: -q, -n, -p.
"""
_OUTPUTS = "output", "qrels_output", "cuts", "plot", "junit", "report"
_FOLDERS = "runs", "collections"  # arguments that may be folders of files
_SCORING = "topics missing unjudged levels reading"
_READING = [name.replace("_", "-") for name in (*HowRead.__annotations__, "nil")]


def runs_and_measures(default: str = "", about: str = RUNS) -> str:
    """The declaration of QRELS, runs and measures. default: the measures where none are named, in words."""
    measures = f"then measures (default: {default})" if default else "then measures"
    value = "RUN ... [MEASURE ...]+" if default else "RUN ... MEASURE ...+"
    return f"qrels QRELS  {QRELS}\nruns {value}  {about}; {measures}\n= measures\n"


def measures_in(word: str) -> list[str | Measure]:
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
        what = f"{word!r} is neither a file nor a measure"
        raise UnknownMeasureError(f"{what}.{nearest_measures(name)}") from None


def _name(measure: str) -> str:
    """What a measure is called without its parameters."""
    return measure.partition("@")[0].partition("(")[0]
