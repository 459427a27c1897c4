"""Commands of procedures: arguments, flags, their values and the help follow from declarations.

These are the signatures of the procedures, the kinds of their options and their docstrings.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc, signature
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias, get_origin

from ir_trunc._cli._arguments import QRELS, RUNS, Command, OneLineParser, Words, runs_and_measures
from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, nearest, warn
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.parameters import Flag, Number, Several, Text, Whole, literal
from ir_trunc._output.files import check_folder, make_folder, output_file
from ir_trunc._output.tables import csv_text, fitted, table_text
from ir_trunc._ranking.depths import GradedAnswers
from ir_trunc._read.text import numbered_lines, parts
from ir_trunc._scoring.results import Result
from ir_trunc.measures.declaration import split_at_blanks
from ir_trunc.meta import ScoreMatrix, pooled_runs, score_matrix
from ir_trunc.meta.pools import PooledRuns
from ir_trunc.meta.procedures import (
    MatrixMeasures,
    ProcedureDefinition,
    SingleMeasure,
    SystemGroups,
    SystemNames,
)

Written: TypeAlias = Mapping[str, Command]
"""Commands that are written out, whose docstrings describe them."""


def run_command(
    group: str,
    about: str | None,
    definitions: Iterable[ProcedureDefinition],
    written_out: Written,
    words: Sequence[str],
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


def by_command(
    definitions: Iterable[ProcedureDefinition], written_out: Written
) -> dict[str, list[ProcedureDefinition]]:
    """The procedures that each command runs, without the commands that are written out."""
    of_command = attrgetter("command")
    grouped = groupby(sorted(definitions, key=of_command), of_command)
    return {name: [*procedures] for name, procedures in grouped if name not in written_out}


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
    after = "Most take QRELS RUNS MEASURE ..., some take only measures: see COMMAND --help."
    runs = "RUNS: files, or a folder in which every file is a run."
    return "\n".join(
        [f"usage: ir_trunc {group} COMMAND ...\n\n{asked}\n", *lines, "", after, runs, "", example]
    )


def _run(group: str, procedures: Sequence[ProcedureDefinition], words: Sequence[str]) -> None:
    """Run procedures one after the other over the same data, and print what they find."""
    first, *_ = procedures
    types = {each for kinds in first.inputs.values() for each in kinds}
    about = next((about for about in SOURCES if about in {*types, *first.inputs}), "measures")
    declared, read = SOURCES[about]
    args = _parser(group, procedures, declared(first)).read(words)
    if getattr(args, "tables", None) is not None:
        check_folder(args.tables)
    chosen = [(each, values) for each in procedures if (values := _option_values(args, each)) is not None]
    named = [option.name for procedure, _ in chosen for option in procedure.options.values()
             if isinstance(option.kind, MatrixMeasures)]  # fmt: skip
    further = [measure for name in named for measure in getattr(args, name, ())]
    data = read(args, first, further)
    results: list[Result] = []
    for procedure, options in chosen:
        for inputs, derived in _inputs(procedure, data, results):
            try:
                results.append(procedure.function(**inputs, **options))
            except InputError as error:
                if not derived:
                    raise
                warn(f"{procedure.name} of {type(derived).__name__} is left out: {error}")
    _show(args, results)


_SINGLE = {"measure": "measures", "run": "runs"}


def _inputs(
    procedure: ProcedureDefinition, data: Mapping[Any, Any], results: Sequence[Result]
) -> Iterator[tuple[dict[str, Any], Result | None]]:
    """The arguments of a procedure: the data, and each result before it that it takes too.

    What `SOURCES` read is given to the argument of its type or of its name; other arguments are measures.
    """
    inputs: dict[str, Any] = {}
    derived: list[tuple[dict[str, Any], Result | None]] = []
    for name, kinds in procedure.inputs.items():
        plain = tuple(kind for kind in kinds if get_origin(kind) is None and isinstance(kind, type))
        of_type = [value for kind, value in data.items() if kind in plain]
        if of_type:
            inputs[name] = of_type[0]
            derived += [({name: result}, result) for result in results if isinstance(result, plain)]
        elif value := data.get(_SINGLE.get(name, name), data.get("measures")):
            if name in _SINGLE and len(value) > 1:
                raise ParameterError(f"{procedure.command} is of one {name}; {len(value)} are given.")
            inputs[name] = value[0] if name in _SINGLE else value
    yield inputs | data.get("reading", {}), None
    yield from derived


_OF_SCORES = "unit", "depth", "topics", "missing", "unjudged"  # options of a matrix, but not of pools
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
            raise ParameterError(
                "--matrix holds scores already, and no run is read: leave --pool-depth, --unit, --levels and"
                " the options of topics and of reading runs out."
            )
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
    for name in args.of(_OF_SCORES):
        raise ParameterError(f"--{name} has no effect on the scores of --pool-depth: leave it out.")
    pools = pooled_runs(args.qrels, args.runs, args.nil, **args.reading)
    return pools.score(measures, pools.in_pool(args.pool_depth))


def _reading(procedure: ProcedureDefinition) -> str:
    """How runs are read, and where the procedure takes it, which topics are scored."""
    return "scoring" if "options" in signature(procedure.function).parameters else "levels reading"


def _runs(args: Words, first: ProcedureDefinition, _: Sequence[str]) -> dict[Any, Any]:
    default = args.qrels.measure if isinstance(args.qrels, GradedAnswers) else first.measures
    measures = args.measures or split_at_blanks(default)
    reading = args.scoring if _reading(first) == "scoring" else args.reading
    return {"measures": measures, "qrels": args.qrels, "runs": args.runs, "reading": reading}


def _pools(args: Words, first: ProcedureDefinition, _: Sequence[str]) -> dict[Any, Any]:
    pools = pooled_runs(args.qrels, args.runs, args.nil, **args.reading)
    return {PooledRuns: pools, "measures": args.measures or split_at_blanks(first.measures)}


def _measures_alone(first: ProcedureDefinition) -> str:
    types, several = first.inputs.get("measures", ()), ""
    if type(None) in types or not first.inputs or first.measures:
        several = " ...*"
    elif types:
        several = " ...+"
    return f"words MEASURE{several}  measures\n= measures"


def _named_measures(args: Words, first: ProcedureDefinition, _: Sequence[str]) -> dict[Any, Any]:
    named = args.words or args.measures or first.measures
    return {"measures": args.measures_of(args.words, first.measures) if named else []}


def _runs_and_measures(first: ProcedureDefinition) -> str:
    return f"{runs_and_measures(first.measures)}= {_reading(first)}"


SOURCES: dict[Any, tuple[Callable[..., str], Callable[..., dict[Any, Any]]]] = {
    ScoreMatrix: (lambda _: _OF_MATRIX, lambda args, _, more: {ScoreMatrix: _matrix(args, more)}),
    PooledRuns: (_runs_and_measures, _pools),
    "qrels": (_runs_and_measures, _runs),
    "measures": (_measures_alone, _named_measures),
}
"""By the type or the name of an argument that procedures have, the first of which counts.

What declares the arguments of the command, and what reads the data, by their types or names of arguments.
"""


def _parser(group: str, procedures: Sequence[ProcedureDefinition], declared: str) -> OneLineParser:
    """The parser of a command."""
    first, *others = procedures
    about = [first.summary, *([each.summary for each in others] or [first.notes])]
    if issubclass(first.result, Result):
        declared += ("\n= plot" if hasattr(first.result, "plot") else "") + _OF_RESULTS
        if any(hasattr(procedure.result, "intervals") for procedure in procedures):
            declared += "--intervals  also bootstrap confidence intervals (systems are drawn)"
    else:
        declared += CSV_OUTPUT
    sources = "; ".join(dict.fromkeys(procedure.source for procedure in procedures))
    parser = OneLineParser(f"{group} {first.command}", "\n\n".join(about), declared, f"source: {sources}")
    _add_options(parser, procedures)
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


def _add_options(parser: argparse.ArgumentParser, procedures: Sequence[ProcedureDefinition]) -> None:
    """Add a flag for every option; procedures that have one of the same name share it."""
    alone = len(procedures) == 1
    for name in dict.fromkeys(name for procedure in procedures for name in procedure.options):
        having = [procedure for procedure in procedures if name in procedure.options]
        option = having[0].options[name]
        default = option.default
        same = default is not None and all(procedure.options[name].default == default for procedure in having)
        shown = ",".join(map(str, default)) if isinstance(default, (tuple, list)) else default
        about = option.kind.meaning + (f" (default {shown})" if same else "")
        # Of several procedures, one whose required options are not given is left out.
        only = f"{having[0].name}: " if option.required and not alone else ""
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            dest=name,
            default=argparse.SUPPRESS,
            required=option.required and alone,
            help=f"{only}{about}".replace("%", "%%"),
            **_form(option.kind),
        )


def _form(kind: Any) -> dict[str, Any]:
    """The arguments for argparse that follow from a kind."""
    if isinstance(kind, Flag):
        return {"action": argparse.BooleanOptionalAction}
    if isinstance(kind, MatrixMeasures):
        return {"nargs": "+", "metavar": "MEASURE"}
    if isinstance(kind, SingleMeasure):
        return {"metavar": "MEASURE"}
    if isinstance(kind, (SystemNames, SystemGroups)):
        return {"metavar": "FILE"}
    if isinstance(kind, Several):
        return {
            "metavar": f"{_form(kind.each)['metavar']},...",
            "type": lambda text: tuple(map(_plain_value, text.split(","))),
        }
    if isinstance(kind, Whole):
        return {"metavar": "N", "type": int}
    if isinstance(kind, Text) or hasattr(kind, "words"):
        return {"metavar": "|".join(getattr(kind, "words", ())) or "WORD"}
    return {"metavar": "X" if isinstance(kind, Number) else "N", "type": _plain_value}


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


def write_csv_table(args: Words, table: pd.DataFrame) -> None:
    """Write a table as CSV where `--output` says."""
    with output_file(args.output or "-") as file:
        file.write(csv_text(table, args.places).encode())


def _show(args: Words, results: Sequence[Any]) -> None:
    """Print results, and write what was asked for: the first as csv or picture, the tables of all."""
    first = results[0]
    if isinstance(first, pd.DataFrame):
        write_csv_table(args, first)
        return
    if args.csv:
        print(csv_text(first.to_pandas(), args.places), end="")
    else:
        print(*(result.report(args.places) for result in results), sep="\n\n")
    if args.tables is not None:
        make_folder(args.tables)
        for name, table in (pair for result in results for pair in result.frames().items()):
            with output_file(Path(args.tables) / f"{name}.csv") as file:
                file.write(csv_text(table, args.places).encode())
    for result in results if getattr(args, "intervals", False) else ():
        if hasattr(result, "intervals"):
            print(f"\n95 % bootstrap intervals, {type(result).__name__}")
            print(table_text(result.intervals(), None))
    if getattr(args, "plot", None) is not None:
        plots._kit.save_picture(first.plot().figure, args.plot)
