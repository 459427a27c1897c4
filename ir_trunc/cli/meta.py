"""`ir_trunc meta`: meta-evaluation at the command line, a command for each procedure of the registry."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import dedent, fill, indent
from typing import Any, get_origin

from ir_trunc._core.errors import InputError, IrTruncError, ParameterError, nearest, warn
from ir_trunc._output.files import check_outputs, make_folder, output_file
from ir_trunc._output.tables import WIDTH, csv_text, table_text
from ir_trunc._read.reading import DEFAULT, Reading
from ir_trunc.cli import choosing
from ir_trunc.cli.arguments import add_flag, add_runs_and_measures, options_of, reading_of, runs_and_measures
from ir_trunc.cli.choosing import meta_parser
from ir_trunc.cli.procedures import add_options, given_options, named_measures
from ir_trunc.meta import ScoreMatrix, pooled_runs, registry, score_matrix
from ir_trunc.meta.declare import ProcedureDefinition
from ir_trunc.meta.pools import PooledRuns
from ir_trunc.plots._kit import check_picture, save_picture
from ir_trunc.scoring.results import Result
from ir_trunc.scoring.runs import RunsLike

# Commands that run one or more procedures under another name than the procedure's own.
_TOGETHER = {
    "power": ("power", "agreement"),
    "pools": ("pool_grid",),
    "stability": ("error_rates", "swap_rates", "predictivity", "coverage"),
    "properties": ("property_table",),
}
_ABOUT = {
    "matrix": "Scores of runs by topic, saved by -o FILE for --matrix FILE of other commands.",
    "power": "P values, discriminative power, and agreement of measures.",
    "stability": "Error rates, ties, swap rates, predictivity, and coverage of reference measures.",
    "guide": "Questions that lead to a measure.",
    "calibrate": "A parameter from the rank that is to break even, or from a residual.",
}


def main(words: Sequence[str]) -> int:
    """`ir_trunc meta COMMAND ...`."""
    own = {"matrix": _save_matrix, "guide": choosing.guide, "calibrate": choosing.calibrate}
    known = commands()
    if not words or words[0] in ("-h", "--help"):
        print(_help(known))
    elif words[0] in own:
        own[words[0]](words[1:])
    elif words[0] in known:
        _run(words[0], known[words[0]], words[1:])
    else:
        names = [*own, *known]
        near = nearest(words[0], names)
        raise IrTruncError(f"meta has no command {words[0]!r}; it has: {', '.join(names)}.{near}")
    return 0


def commands() -> dict[str, list[ProcedureDefinition]]:
    """The procedures that each command runs."""
    together = {command: [registry[name] for name in names] for command, names in _TOGETHER.items()}
    done = {"guide", *(names[0] for names in _TOGETHER.values() if len(names) == 1)}
    alone = {name.replace("_", "-"): [registry[name]] for name in sorted(registry) if name not in done}
    return alone | together


def _help(known: dict[str, list[ProcedureDefinition]]) -> str:
    texts = {name: found[0].summary for name, found in known.items()}
    lines = [
        fill(f"  {name:<16} {text}", WIDTH, subsequent_indent=" " * 19, break_on_hyphens=False)
        for name, text in (texts | _ABOUT).items()
    ]
    after = "Most take QRELS RUNS MEASURE ..., some take only measures: see COMMAND --help."
    runs = "RUNS: files, or a folder in which every file is a run."
    return "\n".join(["usage: ir_trunc meta COMMAND ...\n", *lines, f"\n{after}", runs])


def _run(command: str, procedures: Sequence[ProcedureDefinition], words: Sequence[str]) -> None:
    """Run procedures one after the other over the same data, and print what they find."""
    first = procedures[0]
    parser = meta_parser(
        command,
        _filled(_ABOUT.get(command, first.summary), *first.notes.split("\n\n") * (len(procedures) == 1)),
        epilog=_filled("source: " + "; ".join(dict.fromkeys(known.source for known in procedures))),
    )
    kind = _about(first)
    if kind is None and "runs" not in first.inputs:
        kinds = first.inputs.get("measures", ())
        many: Any = "*" if type(None) in kinds or not first.inputs else "+" if kinds else 1
        parser.add_argument("arguments", metavar="MEASURE", nargs=many)
    else:
        add_runs_and_measures(parser, needed=kind is not ScoreMatrix)
        if kind is ScoreMatrix:
            about = "scores that 'meta matrix' saved, in place of QRELS and RUNS; MEASURE ... then picks some"
            parser.add_argument("--matrix", metavar="FILE", help=about)
            about = "score by a simulated pool: the judged documents that are among the first D of any run"
            parser.add_argument("--pool-depth", metavar="D", type=int, help=about)
    if hasattr(first.result, "plot"):
        add_flag(parser, "plot")
    parser.add_argument("--csv", action="store_true", help="print the first table as csv, with all values")
    about = "write all values into this folder, a CSV file for each table: taus and p values too"
    parser.add_argument("--tables", metavar="FOLDER", help=about)
    about = "decimal places, -1 for all (default: those of each table; all in csv)"
    add_flag(parser, "places", default=None, help=about)
    if any(hasattr(known.result, "intervals") for known in procedures):
        about = "also bootstrap confidence intervals (systems are drawn)"
        parser.add_argument("--intervals", action="store_true", help=about)
    add_options(parser, procedures)
    args = parser.parse_intermixed_args(words)
    if getattr(args, "plot", None) is not None:
        read = (getattr(args, "qrels", None), *args.arguments, getattr(args, "matrix", None))
        check_picture(args.plot, read)
    if args.tables is not None:
        make_folder(args.tables)
    options = {known.name: given for known in procedures if (given := given_options(args, known)) is not None}
    chosen = [known for known in procedures if known.name in options]
    data = _data(kind, args, named_measures(args, chosen))
    results: list[Result] = []
    for procedure in chosen:
        for inputs, derived in _inputs(procedure, data, results):
            try:
                results.append(procedure.function(**inputs, **options[procedure.name]))
            except InputError as error:
                if not derived:
                    raise
                warn(f"{procedure.name} of {type(derived).__name__} is left out: {error}")
    _show(args, *results)


def _filled(*paragraphs: str) -> str:
    """Paragraphs for a terminal; lines of one that is indented stay as they are."""
    texts = (indent(dedent(part), "  ") if part.startswith(" ") else fill(part, WIDTH) for part in paragraphs)
    return "\n\n".join(texts)


def _about(procedure: ProcedureDefinition) -> type | None:
    """What runs become for a procedure: a score matrix or pooled runs; None where it needs no runs."""
    of = {one for types in procedure.inputs.values() for one in types}
    return next((kind for kind in (ScoreMatrix, PooledRuns) if kind in of), None)


def _data(kind: type | None, args: argparse.Namespace, extra: Sequence[str]) -> dict[Any, Any]:
    """What the procedures are about, by its type or its name; measures as a list of texts."""
    if kind is ScoreMatrix:
        return {ScoreMatrix: _matrix(args, extra)}
    if not hasattr(args, "qrels"):
        return {list: list(args.arguments)}
    runs, measures = _runs_and_measures(args.arguments)
    if kind is None:
        return {list: measures, "qrels": args.qrels, "runs": runs, "reading": reading_of(args)}
    return {PooledRuns: pooled_runs(args.qrels, runs, **options_of(args)), list: measures}


def _inputs(
    procedure: ProcedureDefinition, data: dict[Any, Any], results: Sequence[Result]
) -> Iterator[tuple[dict[str, Any], Result | None]]:
    """What a procedure is given: the data, and each result before it that it takes too."""
    found: dict[str, Any] = {}
    derived: list[tuple[dict[str, Any], Result | None]] = []
    for name, kinds in procedure.inputs.items():
        plain = tuple(kind for kind in kinds if get_origin(kind) is None and isinstance(kind, type))
        fitting = [value for kind, value in data.items() if kind in plain]
        if name in data:
            found[name] = data[name]
        elif fitting:
            found[name] = fitting[0]
            derived += [({name: made}, made) for made in results if isinstance(made, plain)]
        elif data.get(list):
            found[name] = data[list] if name == "measures" else data[list][0]
    yield found | data.get("reading", {}), None
    yield from derived


def _runs_and_measures(words: Sequence[str]) -> tuple[RunsLike, list[str]]:
    """Runs and the texts of measures; one folder stands for all its files."""
    runs, measures = runs_and_measures(words)
    return (runs[0] if len(runs) == 1 else runs), [str(measure) for measure in measures]


def _matrix(args: argparse.Namespace, extra: Sequence[str]) -> ScoreMatrix:
    if args.matrix is not None:
        return _saved_matrix(args, extra)
    if not args.arguments:
        raise ParameterError("QRELS, RUNS and MEASURE ... are needed, or --matrix FILE.")
    runs, measures = _runs_and_measures(args.arguments)
    if args.pool_depth is None:
        return score_matrix([*measures, *extra], args.qrels, runs, **options_of(args))
    pools = pooled_runs(args.qrels, runs, **options_of(args))
    return pools.score([*measures, *extra], pools.in_pool(args.pool_depth))


def _saved_matrix(args: argparse.Namespace, extra: Sequence[str]) -> ScoreMatrix:
    if Reading.of(**reading_of(args)) != DEFAULT or args.nil is not None or args.pool_depth is not None:
        raise ParameterError(
            "--matrix holds scores already, and no run is read: leave --pool-depth and the options of reading"
            " runs out."
        )
    found, measures = ScoreMatrix.load(args.matrix), [*([args.qrels] if args.qrels else ()), *args.arguments]
    if not measures:
        return found
    names = dict.fromkeys(found.measures[at] for at in found.places([*measures, *extra]))
    return found.take(measures=list(names))


def _save_matrix(words: Sequence[str]) -> None:
    parser = meta_parser("matrix", _ABOUT["matrix"])
    add_runs_and_measures(parser)
    add_flag(parser, "output", required=True, help="JSON, gzipped where the name ends in .gz")
    args = parser.parse_intermixed_args(words)
    runs, measures = _runs_and_measures(args.arguments)
    check_outputs([args.output], [args.qrels, *args.arguments])
    score_matrix(measures, args.qrels, runs, **options_of(args)).save(args.output)


def _show(args: argparse.Namespace, *results: Any) -> None:
    """Print results, and write what was asked for.

    --csv prints the values of the first result, --plot draws it, and --tables writes the values of all.
    """
    if args.csv:
        print(csv_text(results[0].to_pandas(), args.places), end="")
    else:
        print(*(result.report(args.places) for result in results), sep="\n\n")
    if args.tables is not None:
        for name, table in (pair for result in results for pair in result.frames().items()):
            with output_file(Path(args.tables) / f"{name}.csv") as file:
                file.write(csv_text(table, args.places).encode())
    if getattr(args, "intervals", False):
        for result in results:
            if hasattr(result, "intervals"):
                what = f"95 % bootstrap intervals, {type(result).__name__}"
                print(f"\n{what}\n{table_text(result.intervals(), None)}")
    if getattr(args, "plot", None) is not None:
        save_picture(results[0].plot().figure, args.plot, "none")
