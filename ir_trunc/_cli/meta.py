"""`ir_trunc meta`: meta-evaluation; and how commands follow from functions, as those of `study` do, too.

Arguments, flags, their values and the help follow from declarations: the signatures of the procedures, the
kinds of their options and their docstrings. Only `matrix`, `guide` and `calibrate` are written out.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import cleandoc, signature
from itertools import chain, product
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeAlias

from ir_trunc._cli._arguments import QRELS, RUNS, OneLineParser, Words, cli_command, runs_and_measures
from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, nearest, warn
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Flag, Number, Several, Text, Whole, literal
from ir_trunc._output.files import check_folder, check_output, make_folder, output_file, write_text
from ir_trunc._output.tables import WIDTH, csv_text, fitted, table_text
from ir_trunc._ranking.depths import GradedAnswers
from ir_trunc._read.text import numbered_lines, parts
from ir_trunc._scoring.results import Result
from ir_trunc.measures.declaration import split_at_blanks
from ir_trunc.meta import ProcedureDefinition, ScoreMatrix, calibration, pooled_runs, registry, score_matrix
from ir_trunc.meta.guide import Question, guide_page, next_step, plot_guide
from ir_trunc.meta.pools import PooledRuns
from ir_trunc.meta.procedures import MatrixMeasures, SingleMeasure, SystemGroups, SystemNames

Definitions: TypeAlias = Collection[ProcedureDefinition]
Written: TypeAlias = Mapping[str, Callable[[Sequence[str]], int]]
"""Commands that are written out, whose docstrings describe them."""


def run_command(
    group: str, about: str | None, definitions: Definitions, written_out: Written, words: Sequence[str]
) -> int:
    """`ir_trunc GROUP COMMAND ...`. about: what the group answers, then an example."""
    procedures = by_command(definitions, written_out)
    name, *rest = words or ["--help"]
    if name in ("-h", "--help"):
        print(_overview(group, cleandoc(about or ""), procedures, written_out))
    elif name in written_out:
        return written_out[name](rest)
    elif name in procedures:
        _run(group, procedures[name], rest)
    else:
        names = [*written_out, *procedures]
        near = nearest(name, names)
        raise IrTruncError(f"{group} has no command {name!r}; it has: {', '.join(names)}.{near}")
    return 0


def by_command(definitions: Definitions, written_out: Written) -> dict[str, list[ProcedureDefinition]]:
    """The procedures that each command runs, without the commands that are written out."""
    names = sorted({each.command for each in definitions}.difference(written_out))
    return {name: [each for each in definitions if each.command == name] for name in names}


def _overview(
    group: str, about: str, procedures: Mapping[str, Sequence[ProcedureDefinition]], written_out: Written
) -> str:
    """The help of a group."""
    texts = {}
    for name, several in procedures.items():
        *names, last = (procedure.name.replace("_", " ") for procedure in several)
        together = f"{', '.join(names)} and {last} of measures.".capitalize()
        texts[name] = together if names else several[0].summary
    texts |= {name: (command.__doc__ or "").partition("\n")[0] for name, command in written_out.items()}
    width = max(map(len, texts))
    lines = [fitted(f"  {name:<{width}}  {text}", width + 4) for name, text in texts.items()]
    asked, _, example = about.partition("\n\n")
    head = f"usage: ir_trunc {group} COMMAND ...\n\n{asked}\n"
    after = "Most take QRELS RUNS MEASURE ..., some take only measures: see COMMAND --help."
    runs = "RUNS: files, or a folder in which every file is a run."
    return "\n".join([head, *lines, "", after, runs, "", example])


def _run(group: str, procedures: Sequence[ProcedureDefinition], words: Sequence[str]) -> None:
    """Run procedures one after the other over the same data, and print what they find.

    A procedure that also takes the result of an earlier one runs once more with it.
    """
    first, *_ = procedures
    args = _parser(group, procedures).read(words)
    if getattr(args, "tables", None) is not None:
        check_folder(args.tables)
    chosen = [(each, values) for each in procedures if (values := _option_values(args, each)) is not None]
    named = [option.name for procedure, _ in chosen for option in procedure.options.values()
             if isinstance(option.kind, MatrixMeasures)]  # fmt: skip
    data = _data(args, first, [measure for name in named for measure in getattr(args, name, ())])
    results: list[Any] = []
    for procedure, options in chosen:
        inputs, before = _inputs(procedure, data), list(results)
        results.append(procedure.function(**inputs, **options))
        for (name, kinds), result in product(procedure.inputs.items(), before):
            if type(result) in kinds:
                try:
                    results.append(procedure.function(**inputs | {name: result}, **options))
                except InputError as error:
                    warn(f"{procedure.name} of {type(result).__name__} is left out: {error}")
    _show(args, results)


def _inputs(procedure: ProcedureDefinition, data: Mapping[Any, Any]) -> dict[str, Any]:
    """The data as arguments of a procedure, by their type or name; other arguments are measures."""
    inputs = {}
    for name, kinds in procedure.inputs.items():
        single = name in ("measure", "run")
        keys = *(key for key in data if key in kinds), f"{name}s" if single else name, "measures"
        value = next((data[key] for key in keys if key in data), None)
        if single and value and len(value) > 1:
            raise ParameterError(f"{procedure.command} is of one {name}; {len(value)} are given.")
        if value:
            inputs[name] = value[0] if single else value
    return inputs | data.get("reading", {})


_OF_MATRIX = f"""
qrels QRELS?  {QRELS}
runs RUN ... MEASURE ...*  {RUNS}; then measures
= measures unit depth scoring
--matrix FILE  scores that 'meta matrix' saved, in place of QRELS and RUNS; MEASURE ... then picks some
--pool-depth N  score by a simulated pool: the judged documents that are among the first N of any run
"""


def _matrix(args: Words, further: Sequence[str]) -> ScoreMatrix:
    """The scores of runs, or those of a file. further: measures that options name."""
    if args.matrix is not None:
        if args.scoring or args.of(("unit", "pool_depth", "levels")):
            others = "--pool-depth, --unit, --levels and the options of topics and of reading runs"
            raise ParameterError(f"--matrix holds scores already, and no run is read: leave {others} out.")
        matrix = ScoreMatrix.load(args.matrix)
        words = [*([args.qrels] if args.qrels else ()), *args.runs]
        if not words and args.measures is None:
            return matrix
        places = matrix.places([*args.measures_of(words), *further])
        return matrix.take(measures=list(dict.fromkeys(matrix.measures[place] for place in places)))
    if not args.runs:
        raise ParameterError("QRELS, RUNS and MEASURE ... are needed, or --matrix FILE.")
    measures = [*args.measures, *further]
    if args.pool_depth is None:
        return score_matrix(measures, args.qrels, args.runs, unit=args.unit, **args.scoring)
    for name in args.of(("unit", "depth", "topics", "missing", "unjudged")):  # of a matrix, but not of pools
        raise ParameterError(f"--{name} has no effect on the scores of --pool-depth: leave it out.")
    pools = pooled_runs(args.qrels, args.runs, args.nil, **args.reading)
    return pools.score(measures, pools.in_pool(args.pool_depth))


def _about(procedure: ProcedureDefinition) -> Any:
    """What a procedure is about: a score matrix, pools, or runs by their qrels; None for measures alone."""
    names = {*procedure.inputs, *chain.from_iterable(procedure.inputs.values())}
    return next((each for each in (ScoreMatrix, PooledRuns, "qrels") if each in names), None)


def _reading(procedure: ProcedureDefinition) -> str:
    """How runs are read, and where the procedure takes it, which topics are scored."""
    return "scoring" if "options" in signature(procedure.function).parameters else "levels reading"


def _declared(first: ProcedureDefinition) -> str:
    """The arguments of a command, and its options but those of the procedures."""
    about = _about(first)
    if about is ScoreMatrix:
        return _OF_MATRIX
    if about is not None:
        return f"{runs_and_measures(first.measures)}= {_reading(first)}"
    may_lack = type(None) in first.inputs.get("measures", ()) or not first.inputs or first.measures
    return f"words MEASURE ...{'*' if may_lack else '+'}  measures\n= measures"


def _data(args: Words, first: ProcedureDefinition, further: Sequence[str]) -> dict[Any, Any]:
    """The data of a command, by types or by names of arguments. further: measures that options name."""
    about = _about(first)
    if about is ScoreMatrix:
        return {ScoreMatrix: _matrix(args, further)}
    if about is None:
        named = args.words or args.measures or first.measures
        return {"measures": args.measures_of(args.words, first.measures)} if named else {}
    default = args.qrels.measure if isinstance(args.qrels, GradedAnswers) else first.measures
    data = {"measures": args.measures or split_at_blanks(default)}
    if about is PooledRuns:
        return data | {PooledRuns: pooled_runs(args.qrels, args.runs, args.nil, **args.reading)}
    reading = args.scoring if _reading(first) == "scoring" else args.reading
    return data | {"qrels": args.qrels, "runs": args.runs, "reading": reading}


def _parser(group: str, procedures: Sequence[ProcedureDefinition]) -> OneLineParser:
    """The parser of a command; procedures that have an option of the same name share it."""
    first, *others = procedures
    about, declared = [first.summary, *([each.summary for each in others] or [first.notes])], _declared(first)
    if issubclass(first.result, Result):
        declared += ("\n= plot" if hasattr(first.result, "plot") else "") + _OF_RESULTS
        if any(hasattr(procedure.result, "intervals") for procedure in procedures):
            declared += "--intervals  also bootstrap confidence intervals (systems are drawn)"
    else:
        declared += CSV_OUTPUT
    sources = "; ".join(dict.fromkeys(procedure.source for procedure in procedures))
    parser = OneLineParser(f"{group} {first.command}", "\n\n".join(about), declared, f"source: {sources}")
    for name in dict.fromkeys(name for procedure in procedures for name in procedure.options):
        having = [procedure for procedure in procedures if name in procedure.options]
        option = having[0].options[name]
        default, text = option.default, option.kind.meaning
        if default is not None and all(each.options[name].default == default for each in having):
            values = default if isinstance(default, (tuple, list)) else [default]
            text += f" (default {','.join(map(str, values))})"
        if option.required and others:  # of several procedures, one whose required options lack is left out
            text = f"{having[0].name}: {text}"
        how: dict[str, Any] = {"required": option.required and not others, "help": text.replace("%", "%%")}
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, default=argparse.SUPPRESS, **how, **_form(option.kind))
    return parser


_OF_RESULTS = """
--csv  print the first table as csv, with all values
--tables FOLDER  write all values into this folder, a CSV file for each table: taus and p values too
-p --places PLACES  decimal places, -1 for all (default: those of each table; all in csv)
"""
CSV_OUTPUT = """
-o --output FILE  write the CSV here, gzipped if named .gz. Cells are not escaped: a spreadsheet takes one
    that begins with =, +, - or @ for a formula
-p --places PLACES  decimal places, -1 for all (default: all)
"""


_FORMS: dict[type, dict[str, Any]] = {
    Flag: {"action": argparse.BooleanOptionalAction},
    MatrixMeasures: {"nargs": "+", "metavar": "MEASURE"},
    SingleMeasure: {"metavar": "MEASURE"},
    SystemNames: {"metavar": "FILE"},
    SystemGroups: {"metavar": "FILE"},
    Text: {"metavar": "WORD"},
    Whole: {"metavar": "N", "type": int},
}


def _form(kind: Any) -> dict[str, Any]:
    """The arguments for argparse that follow from a kind."""
    if isinstance(kind, Several):
        each = _form(kind.each)["metavar"]
        return {"metavar": f"{each},...", "type": lambda text: tuple(map(_plain_value, text.split(",")))}
    if words := getattr(kind, "words", ()):
        return {"metavar": "|".join(words)}
    other = {"metavar": "X" if isinstance(kind, Number) else "N", "type": _plain_value}
    return _FORMS.get(type(kind), other)


def _plain_value(text: str) -> Any:
    """A number or another plain value; anything else stays text, which the option then refuses."""
    try:
        return literal(ast.parse(text.strip(), mode="eval").body, text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _option_values(args: Words, procedure: ProcedureDefinition) -> dict[str, Any] | None:
    """The options that are given, checked before any work; None where a required one is not given."""
    values: dict[str, Any] = {name: getattr(args, name) for name in procedure.options if hasattr(args, name)}
    if any(option.required and name not in values for name, option in procedure.options.items()):
        return None
    for name, value in values.items():
        kind = procedure.options[name].kind
        if isinstance(kind, SystemNames):
            values[name] = [system for (system,) in _rows(value, 1)]
        elif isinstance(kind, SystemGroups):
            values[name] = dict(_rows(value, 2))
    defaults = {name: option.default for name, option in procedure.options.items() if not option.required}
    return defaults | {name: procedure.options[name].clean(value) for name, value in values.items()}


def _rows(path: str, count: int) -> list[list[str]]:
    """The lines of a file that hold `count` fields each; empty ones are left out."""
    lines = [line.split() for _, line in numbered_lines(parts(Path(path), path), path)]
    rows = [[field.decode(errors="backslashreplace") for field in line] for line in lines]
    for row in rows:
        if len(row) != count:
            raise InputError(f"{path}: the line {' '.join(row)!r} has {len(row)} fields; {count} are needed.")
    return rows


def save_csv(path: str | Path, table: pd.DataFrame, places: int | None) -> None:
    """Write a table as CSV; `-` prints it."""
    with output_file(path) as file:
        file.write(csv_text(table, places).encode())


def _show(args: Words, results: Sequence[Any]) -> None:
    """Print results, and write what was asked for: the first as csv or picture, the tables of all."""
    first = results[0]
    if isinstance(first, pd.DataFrame):
        save_csv(args.output or "-", first, args.places)
        return
    if args.csv:
        print(csv_text(first.to_pandas(), args.places), end="")
    else:
        print(*(result.report(args.places) for result in results), sep="\n\n")
    if args.tables is not None:
        make_folder(args.tables)
        for name, table in (pair for result in results for pair in result.frames().items()):
            save_csv(Path(args.tables) / f"{name}.csv", table, args.places)
    for result in results if getattr(args, "intervals", False) else ():
        if hasattr(result, "intervals"):
            print(f"\n95 % bootstrap intervals, {type(result).__name__}")
            print(table_text(result.intervals(), None))
    if getattr(args, "plot", None) is not None:
        plots._kit.save_picture(first.plot().figure, args.plot)


__all__ = ["main"]

_OF_SAVED = f"""
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


@cli_command("meta matrix", _OF_SAVED)
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
