"""`ir_trunc compare`: scores of runs, with significance tests of their differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir_trunc._cli._arguments import Words, cli_command, runs_and_measures
from ir_trunc._cli._process import tell
from ir_trunc._core.errors import IrTruncError
from ir_trunc._core.lazy import pd
from ir_trunc._output.files import printing
from ir_trunc._output.tables import BEST, FOR_PAGES, table_lines, written_in
from ir_trunc._scoring.runs import by_file_name

if TYPE_CHECKING:
    from ir_trunc._compare import Comparison

__all__ = ["main"]

_DECLARED = f"""
{runs_and_measures()}
--pairs  print the results of the tests, a row for each measure and pair of runs, with all places
--intervals  print confidence intervals
--margin X  with --baseline: which are not worse by X, which equivalent
--sort MEASURE  print the runs by their means, the best first (default: in the order in which they are named)
= baseline test correction alpha format places output
= unit ties depth jobs judge scoring
"""


@cli_command("compare", _DECLARED)
def main(args: Words) -> None:
    """Which runs differ? Score them, and test which of their differences are significant: all pairs of runs,
    or all against a baseline.

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc compare demo.qrels *.run RBPT --format table
      Mean scores of 3 systems over 7 topics, 1 of them a nil query
      2 of 3 runs: 3 of the 7 topics of the qrels are not in the run (for example
        nothing-to-find) and count as empty lists; --missing empty confirms.
      Empty lists, which are scored as such: says-little.run 3, stops-in-time.run 3.

                              RBPT
      system
      a never-stops.run    0.4627
      b says-little.run    0.3162
      c stops-in-time.run  0.5775+

      ...
    """
    form, places = args.form_and_places(papers=True)
    if args.pairs and form in FOR_PAGES:
        raise IrTruncError(f"--pairs has the forms table, tsv, csv, jsonl and json, not {form}.")
    from ir_trunc._compare import compare  # scipy: not before it is needed

    options = args.keywords(compare) | args.scoring
    if args.correction == "none":
        options["correction"] = None
    comparison = compare(args.measures, args.with_judge(args.qrels), by_file_name(args.runs), **options)
    with printing(args.output) as out:
        if args.pairs:
            out.write(table_lines(comparison.pairs(), form, places if form == "table" else args.places))
        elif form in ("table", *FOR_PAGES):
            out.write(
                written_in(comparison, form, places, lambda digits: f"{comparison.marked(digits).text()}\n")
            )
        else:
            out.write(table_lines(_table(comparison, max(places, 0)), form, places))
            if explained := comparison.marked().explained(BEST, str):
                tell(f"marks: {' '.join(explained)}")


def _table(comparison: Comparison, places: int) -> pd.DataFrame:
    """The means as numbers, each with columns for what stands beside and below it on a terminal."""
    marked, means = comparison.marked(places), comparison.to_pandas()
    columns: dict[str, Any] = {"letter": marked.letters} if marked.letters else {}
    columns["system"] = marked.rows
    for name, cells in zip(marked.columns, zip(*marked.cells)):
        columns[name] = means[name]
        columns[f"{name} marks"] = [BEST * cell.best + cell.marks for cell in cells]
        columns |= {f"{name} {end}": means[f"{name} {end}"] for end in comparison.bound_names}
    return pd.DataFrame({name: list(values) for name, values in columns.items()})
