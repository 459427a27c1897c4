"""`ir_trunc meta`: meta-evaluation at the command line. The commands follow from the registry of procedures.

Arguments, flags, their values and the help of a command follow from the signatures of its procedures, the
kinds of their options and their docstrings. Only `matrix`, `guide` and `calibrate` are written out.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import dedent, fill, indent, wrap
from typing import Any, get_origin

from ir_trunc._cli._arguments import (
    OneLineParser,
    add_flag,
    add_reading,
    add_runs_and_measures,
    add_topics,
    measures_of,
    options_of,
    reading_of,
    runs_and_measures,
)
from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, nearest, warn
from ir_trunc._core.parameters import Flag, Number, Several, Text, Whole, literal
from ir_trunc._output.files import check_output, check_outputs, make_folder, output_file, write_text
from ir_trunc._output.tables import WIDTH, csv_text, fitted, table_text
from ir_trunc._read.reading import DEFAULT, Reading
from ir_trunc._read.text import contents
from ir_trunc._scoring._runs import RunsLike
from ir_trunc._scoring.results import Result
from ir_trunc.meta import ScoreMatrix, calibration, pooled_runs, registry, score_matrix
from ir_trunc.meta.guide import Question, guide_page, next_step, plot_guide
from ir_trunc.meta.pools import PooledRuns
from ir_trunc.meta.procedures import MatrixMeasures, ProcedureDefinition, SystemGroups, SystemNames
from ir_trunc.plots._kit import check_picture, save_picture

__all__ = ["main"]


def main(words: Sequence[str]) -> int:
    """`ir_trunc meta COMMAND ...`."""
    procedures = commands()
    name, *rest = words or ["--help"]
    if name in ("-h", "--help"):
        print(_overview(procedures))
    elif name in _WRITTEN_OUT:
        command, about = _WRITTEN_OUT[name]
        command(OneLineParser(prog=f"ir_trunc meta {name}", description=about), rest)
    elif name in procedures:
        _run(procedures[name], rest)
    else:
        names = [*_WRITTEN_OUT, *procedures]
        near = nearest(name, names)
        raise IrTruncError(f"meta has no command {name!r}; it has: {', '.join(names)}.{near}")
    return 0


def commands() -> dict[str, list[ProcedureDefinition]]:
    """The procedures that each command runs, without the commands that are written out."""
    by_command: dict[str, list[ProcedureDefinition]] = {}
    for procedure in sorted(registry.values(), key=lambda procedure: procedure.command):
        if procedure.command not in _WRITTEN_OUT:
            by_command.setdefault(procedure.command, []).append(procedure)
    return by_command


def _overview(procedures: dict[str, list[ProcedureDefinition]]) -> str:
    """The help of `ir_trunc meta`."""
    texts = {}
    for name, several in procedures.items():
        names = ", ".join(procedure.name.replace("_", " ") for procedure in several).capitalize()
        texts[name] = f"{names}." if several[1:] else several[0].summary
    texts |= {name: about for name, (_, about) in _WRITTEN_OUT.items()}
    lines = [fitted(f"  {name:<16} {text}", 19) for name, text in texts.items()]
    after = "Most take QRELS RUNS MEASURE ..., some take only measures: see COMMAND --help."
    runs = "RUNS: files, or a folder in which every file is a run."
    return "\n".join(["usage: ir_trunc meta COMMAND ...\n", *lines, f"\n{after}", runs])


def _run(procedures: Sequence[ProcedureDefinition], words: Sequence[str]) -> None:
    """Run procedures one after the other over the same data, and print what they find."""
    types = {each for types in procedures[0].inputs.values() for each in types}
    kind = next((kind for kind in (ScoreMatrix, PooledRuns) if kind in types), None)
    args = _parser(procedures, kind).parse_intermixed_args(words)
    if getattr(args, "plot", None) is not None:
        read = (getattr(args, "qrels", None), *args.arguments, getattr(args, "matrix", None))
        check_picture(args.plot, read)
    if args.tables is not None:
        make_folder(args.tables)
    chosen = [(each, values) for each in procedures if (values := _option_values(args, each)) is not None]
    named = [option.name for procedure, _ in chosen for option in procedure.options.values()
             if isinstance(option.kind, MatrixMeasures)]  # fmt: skip
    further = [measure for name in named for measure in getattr(args, name, ())]
    data = _data(kind, args, further)
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


def _parser(procedures: Sequence[ProcedureDefinition], kind: type | None) -> OneLineParser:
    """The parser of a command; kind: what runs become, or None where none are needed."""
    first, *others = procedures
    notes = [each.summary for each in others] or first.notes.split("\n\n")
    sources = "; ".join(dict.fromkeys(procedure.source for procedure in procedures))
    parser = OneLineParser(
        prog=f"ir_trunc meta {first.command}",
        description=_filled(first.summary, *notes),
        epilog=_filled(f"source: {sources}"),
    )
    if kind is None and "runs" not in first.inputs:
        types = first.inputs.get("measures", ())
        many: Any = "*" if type(None) in types or not first.inputs else "+" if types else 1
        parser.add_argument("arguments", metavar="MEASURE", nargs=many)
    else:
        add_runs_and_measures(parser, needed=kind is not ScoreMatrix)
        add_reading(parser)
        if kind is ScoreMatrix:
            add_topics(parser)
            about = "scores that 'meta matrix' saved, in place of QRELS and RUNS; MEASURE ... then picks some"
            parser.add_argument("--matrix", metavar="FILE", help=about)
            add_flag(parser, "unit", help=_UNIT)
            about = "score by a simulated pool: the judged documents that are among the first D of any run"
            parser.add_argument("--pool-depth", metavar="D", type=int, help=about)
    if hasattr(first.result, "plot"):
        add_flag(parser, "plot")
    parser.add_argument("--csv", action="store_true", help="print the first table as csv, with all values")
    about = "write all values into this folder, a CSV file for each table: taus and p values too"
    parser.add_argument("--tables", metavar="FOLDER", help=about)
    about = "decimal places, -1 for all (default: those of each table; all in csv)"
    add_flag(parser, "places", help=about)
    if any(hasattr(procedure.result, "intervals") for procedure in procedures):
        about = "also bootstrap confidence intervals (systems are drawn)"
        parser.add_argument("--intervals", action="store_true", help=about)
    _add_options(parser, procedures)
    return parser


_OF_SCORES = ("unit", "topics", "missing", "unjudged")  # options of a matrix of scores, but not of pools
_UNIT = "of lists with --keys, the key whose values are independent (default: the outermost)"


def _filled(*paragraphs: str) -> str:
    """Paragraphs for a terminal; lines of one that is indented stay as they are."""
    texts = (indent(dedent(part), "  ") if part.startswith(" ") else fill(part, WIDTH) for part in paragraphs)
    return "\n\n".join(texts)


def _add_options(parser: argparse.ArgumentParser, procedures: Sequence[ProcedureDefinition]) -> None:
    """Add a flag for every option; procedures that have one of the same name share it."""
    alone = len(procedures) == 1
    for name in dict.fromkeys(name for procedure in procedures for name in procedure.options):
        having = [procedure for procedure in procedures if name in procedure.options]
        option = having[0].options[name]
        default = option.default
        same = default is not None and all(procedure.options[name].default == default for procedure in having)
        shown = ",".join(map(str, default)) if isinstance(default, (tuple, list)) else default
        about = option.kind.meaning + f" (default {shown})" * same
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


def _option_values(args: argparse.Namespace, procedure: ProcedureDefinition) -> dict[str, Any] | None:
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
    return {name: procedure.options[name].clean(value) for name, value in values.items()}


def _rows(path: str, count: int) -> list[list[str]]:
    """The lines of a file that hold `count` fields each; empty ones are left out."""
    lines = [line.split() for line in contents(Path(path), path).splitlines() if line.strip()]
    rows = [[field.decode(errors="backslashreplace") for field in line] for line in lines]
    for row in rows:
        if len(row) != count:
            raise InputError(f"{path}: the line {' '.join(row)!r} has {len(row)} fields; {count} are needed.")
    return rows


def _data(kind: type | None, args: argparse.Namespace, more_measures: Sequence[str]) -> dict[Any, Any]:
    """What the procedures are about, by its type or its name; measures as a list of texts."""
    if kind is ScoreMatrix:
        return {ScoreMatrix: _matrix(args, more_measures)}
    if not hasattr(args, "qrels"):
        return {list: list(args.arguments)}
    runs, measures = _runs_and_measures(args)
    if kind is None:
        return {list: measures, "qrels": args.qrels, "runs": runs, "reading": reading_of(args)}
    return {PooledRuns: pooled_runs(args.qrels, runs, args.nil, **reading_of(args)), list: measures}


def _inputs(
    procedure: ProcedureDefinition, data: dict[Any, Any], results: Sequence[Result]
) -> Iterator[tuple[dict[str, Any], Result | None]]:
    """The arguments of a procedure: the data, and each result before it that it takes too."""
    inputs: dict[str, Any] = {}
    derived: list[tuple[dict[str, Any], Result | None]] = []
    for name, kinds in procedure.inputs.items():
        plain = tuple(kind for kind in kinds if get_origin(kind) is None and isinstance(kind, type))
        fitting = [value for kind, value in data.items() if kind in plain]
        if name in data:
            inputs[name] = data[name]
        elif fitting:
            inputs[name] = fitting[0]
            derived += [({name: result}, result) for result in results if isinstance(result, plain)]
        elif data.get(list):
            inputs[name] = data[list] if name == "measures" else data[list][0]
    yield inputs | data.get("reading", {}), None
    yield from derived


def _runs_and_measures(args: argparse.Namespace) -> tuple[RunsLike, list[str]]:
    """Runs and the texts of measures; one folder stands for all its files."""
    runs, measures = runs_and_measures(args)
    return (runs[0] if len(runs) == 1 else runs), [str(measure) for measure in measures]


def _matrix(args: argparse.Namespace, more_measures: Sequence[str]) -> ScoreMatrix:
    """The scores of runs, or those of a file."""
    if args.matrix is not None:
        given = [args.nil, args.pool_depth, *(getattr(args, name) for name in _OF_SCORES)]
        if Reading.of(**reading_of(args)) != DEFAULT or any(value is not None for value in given):
            raise ParameterError(
                "--matrix holds scores already, and no run is read: leave --pool-depth, --unit and the"
                " options of topics and of reading runs out."
            )
        matrix = ScoreMatrix.load(args.matrix)
        words = [*([args.qrels] if args.qrels else ()), *args.arguments]
        if not words and args.measures is None:
            return matrix
        places = matrix.places([*measures_of(args, words), *more_measures])
        return matrix.take(measures=list(dict.fromkeys(matrix.measures[place] for place in places)))
    if not args.arguments:
        raise ParameterError("QRELS, RUNS and MEASURE ... are needed, or --matrix FILE.")
    runs, measures = _runs_and_measures(args)
    if args.pool_depth is None:
        return score_matrix([*measures, *more_measures], args.qrels, runs, unit=args.unit, **options_of(args))
    for name in _OF_SCORES:
        if getattr(args, name) is not None:
            raise ParameterError(f"--{name} has no effect on the scores of --pool-depth: leave it out.")
    pools = pooled_runs(args.qrels, runs, args.nil, **reading_of(args))
    return pools.score([*measures, *more_measures], pools.in_pool(args.pool_depth))


def _show(args: argparse.Namespace, results: Sequence[Any]) -> None:
    """Print results, and write what was asked for: the first as csv or picture, the tables of all."""
    if args.csv:
        print(csv_text(results[0].to_pandas(), args.places), end="")
    else:
        print(*(result.report(args.places) for result in results), sep="\n\n")
    if args.tables is not None:
        for name, table in (pair for result in results for pair in result.frames().items()):
            with output_file(Path(args.tables) / f"{name}.csv") as file:
                file.write(csv_text(table, args.places).encode())
    for result in results if getattr(args, "intervals", False) else ():
        if hasattr(result, "intervals"):
            print(f"\n95 % bootstrap intervals, {type(result).__name__}")
            print(table_text(result.intervals(), None))
    if getattr(args, "plot", None) is not None:
        save_picture(results[0].plot().figure, args.plot, "none")


def _save_matrix(parser: OneLineParser, words: Sequence[str]) -> None:
    add_runs_and_measures(parser)
    add_reading(parser)
    add_topics(parser)
    add_flag(parser, "unit", help=_UNIT)
    add_flag(parser, "output", required=True, help="JSON, gzipped where the name ends in .gz")
    args = parser.parse_intermixed_args(words)
    runs, measures = _runs_and_measures(args)
    check_outputs([args.output], [args.qrels, *args.arguments])
    score_matrix(measures, args.qrels, runs, unit=args.unit, **options_of(args)).save(args.output)


def _calibrate(parser: OneLineParser, words: Sequence[str]) -> None:
    parser.add_argument("measure", metavar="MEASURE", nargs="?")
    about = "e, p, beta: a number of the measure"
    parser.add_argument("parameter", metavar="PARAMETER", nargs="?", help=about)
    parser.add_argument("--rank", type=int, help="rank where one relevant document is worth as much as none")
    parser.add_argument("--residual", type=float, help="weight of all ranks beyond --depth")
    parser.add_argument("--depth", type=int)
    args = parser.parse_args(words)
    if None not in (args.residual, args.depth) and (args.measure, args.rank) == (None, None):
        p = calibration.persistence(args.residual, args.depth)
        print(f"p = {p!r}\nput back: p^{args.depth} = {calibration.residual(p, args.depth):.10g}")
    elif args.parameter and args.rank is not None and (args.residual, args.depth) == (None, None):
        print(calibration.break_even(args.measure, args.parameter, args.rank))
    else:
        raise ParameterError("calibrate: MEASURE PARAMETER --rank R, or --residual R --depth K, is needed.")


def _guide(parser: OneLineParser, words: Sequence[str]) -> None:
    about = "answers given at once: length=yes weighted=no"
    parser.add_argument("answers", metavar="KEY=yes|no", nargs="*", help=about)
    parser.add_argument("--page", metavar="FOLDER", help="write guide.md and guide.svg there instead")
    args = parser.parse_args(words)
    if args.page is not None:
        if args.answers:
            raise ParameterError("--page writes the page of all questions: leave the answers out.")
        text, picture = (args.page and os.path.join(args.page, f"guide.{end}") for end in ("md", "svg"))
        check_output(text)
        save_picture(plot_guide().figure, picture, "none")
        write_text(text, guide_page().splitlines())
        return
    answers = {}
    for word in args.answers:
        key, _, value = word.partition("=")
        if key in answers:
            raise ParameterError(f"{key} is answered twice.")
        answers[key] = _yes(value, f"{word!r}: KEY=yes or KEY=no is needed")
    given = tuple(answers)
    while isinstance(step := next_step(answers), Question):
        answer = _ask(step, can_go_back=len(answers) > len(given))
        if answer is None:
            answers.popitem()
        else:
            answers[step.key] = answer
    print(step)
    print(f"\nTo score runs:\n  {step.command}")
    if given != tuple(answers):
        again = " ".join(f"{key}={'yes' if answer else 'no'}" for key, answer in step.path)
        typed = wrap(f"ir_trunc meta guide {again}", WIDTH - 4, subsequent_indent="  ")
        print("These answers again:\n  " + " \\\n  ".join(typed))


def _ask(question: Question, can_go_back: bool) -> bool | None:
    """The answer to a question at the prompt, repeated until it is understood; None is one step back."""
    choices = "y/n, b: back" if can_go_back else "y/n"
    while True:
        try:
            word = input(f"{question.text} [{choices}] ").strip().casefold()
        except EOFError:
            print()
            answers = f"({question.key}=yes or =no)"
            raise ParameterError(f"{question.key} is not answered: {question.text} {answers}") from None
        if can_go_back and word in ("b", "back"):
            return None
        try:
            return _yes(word, "")
        except ParameterError:
            back = ", b goes back" if can_go_back else ""
            print(f"Please answer yes or no (y, n{back}); Ctrl-D ends.", file=sys.stderr)


def _yes(text: str, problem: str) -> bool:
    word = text.strip().casefold()
    if word not in ("y", "yes", "n", "no"):
        raise ParameterError(f"{problem}.")
    return word.startswith("y")


_ABOUT_MATRIX = "Scores of runs by topic, saved by -o FILE for --matrix FILE of other commands."
_WRITTEN_OUT = {
    "matrix": (_save_matrix, _ABOUT_MATRIX),
    "guide": (_guide, "Questions that lead to a measure."),
    "calibrate": (_calibrate, "A parameter from the rank that is to break even, or from a residual."),
}
"""The commands that are no procedures, or have two forms, with their descriptions."""
