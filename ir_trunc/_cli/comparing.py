"""Scores of runs as a comparison with significance tests: part of `ir_trunc QRELS RUN ... MEASURE ...`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, get_args

from ir_trunc._cli._arguments import add_flag, options_of
from ir_trunc._cli._output import FORMATS, form_of, printing
from ir_trunc._core.errors import IrTruncError
from ir_trunc._core.lazy import pd
from ir_trunc._output.tables import BEST, csv_text, table_text
from ir_trunc._scoring._statistics import PairTest

if TYPE_CHECKING:
    from ir_trunc._reporting.comparison import Comparison

__all__ = ["OF_PAPERS", "add_comparison", "is_asked", "write_comparison"]


_TEXTS: Mapping[str, Callable[[Comparison, int], str]] = {
    "table": lambda comparison, places: f"{comparison.marked(places).text()}\n",
    "markdown": lambda comparison, places: comparison.to_markdown(places),
    "latex": lambda comparison, places: comparison.to_latex(digits=places),
    "html": lambda comparison, places: comparison.to_html(places),
}
OF_PAPERS = tuple(form for form in _TEXTS if form not in FORMATS)
"""Forms that only a comparison has."""
_ENDINGS = {".tex": "latex", ".html": "html"}


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add the options of a comparison with tests."""
    about = "Any of these, or --format latex or html, makes the table a comparison with tests."
    group = parser.add_argument_group("significance tests", about)
    group.add_argument("--baseline", metavar="RUN", help="compare all others with it; without, all pairs")
    tests = f"{', '.join(get_args(PairTest))} (default t, paired over topics)"
    group.add_argument("--test", metavar="TEST", help=tests)
    about = "for the number of comparisons of a measure (default: holm; Tukey's tests need none)"
    group.add_argument("--correction", choices=("holm", "bh", "none"), help=about)
    group.add_argument("--alpha", type=float, metavar="P", help="level of significance (default 0.05)")
    about = "print the results of the tests, a row for each measure and pair of runs, with all places"
    group.add_argument("--pairs", action="store_true", help=about)
    group.add_argument("--intervals", action="store_true", default=None, help="print confidence intervals")
    add_flag(group, "unit", help="the key of --keys whose values are independent (default: the outermost)")
    about = "with --baseline: which are not worse by D, which equivalent"
    group.add_argument("--margin", type=float, metavar="D", help=about)


def is_asked(args: argparse.Namespace) -> bool:
    """Whether a comparison with tests is asked for."""
    return args.pairs or bool(_comparison_options(args)) or _form(args) in OF_PAPERS


def write_comparison(
    args: argparse.Namespace, measures: Sequence[Any], runs: Mapping[str, Any], places: int
) -> None:
    """Score and test the runs, and write the comparison in the form that is asked for."""
    form = _form(args)
    for flag, is_given in (("--by-query", args.by_query), ("--views", args.views), ("--by", args.by)):
        if is_given:
            raise IrTruncError(f"{flag} is not for a comparison with tests: ask for one at a time.")
    if args.pairs and form in (*OF_PAPERS, "markdown"):
        raise IrTruncError(f"--pairs has the forms table, tsv, csv and jsonl, not {form}.")
    from ir_trunc._reporting.compare import compare  # scipy: not before it is needed

    comparison = compare(
        measures, args.qrels, runs, jobs=args.jobs, **_comparison_options(args), **options_of(args)
    )
    with printing(args.output) as out:
        if form in _TEXTS and not args.pairs:
            out.write(_TEXTS[form](comparison, places if places >= 0 else 15))
        elif args.pairs:
            out.write(_lines(comparison.pairs(), form, places if form == "table" else args.places))
        else:
            out.write(_lines(_table(comparison, max(places, 0)), form, places))


def _table(comparison: Comparison, places: int) -> pd.DataFrame:
    """The means as numbers, each with columns for what stands beside and below it on a terminal."""
    marked = comparison.marked(places)
    columns: dict[str, Any] = {"letter": marked.letters} if marked.letters else {}
    columns["system"] = marked.rows
    for name, cells in zip(marked.columns, zip(*marked.cells)):
        columns[name] = comparison[name].to_numpy()
        columns[f"{name} marks"] = [BEST * cell.best + cell.marks for cell in cells]
        if comparison.intervals:
            columns[f"{name} interval"] = [cell.below for cell in cells]
    return pd.DataFrame({name: list(values) for name, values in columns.items()})


def _lines(table: pd.DataFrame, form: str, places: int | None) -> str:
    """A table as text, CSV, TSV or JSON Lines."""
    if form == "table":
        return f"{table_text(table, places, every_row=True)}\n"
    if form != "jsonl":
        return csv_text(table, places, "," if form == "csv" else "\t")
    # JSON has no NaN and no infinity.
    rows = ({name: _finite(value) for name, value in row.items()} for row in table.to_dict("records"))
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def _comparison_options(args: argparse.Namespace) -> dict[str, Any]:
    names = ("baseline", "test", "correction", "alpha", "intervals", "margin", "unit")
    options = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    return {name: None if value == "none" else value for name, value in options.items()}


def _form(args: argparse.Namespace) -> str:
    if args.format is not None:
        return str(args.format)
    path = (args.output or "").removesuffix(".gz")
    return next((form for end, form in _ENDINGS.items() if path.endswith(end)), form_of(args.output))
