"""`ir_trunc study`: experiments on truncation, as CSV; by default by the measures of Amigó et al. (2022)."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._cli._arguments import RUNS, Words, cli_command, runs_and_measures
from ir_trunc._cli._process import tell
from ir_trunc._cli.meta import CSV_OUTPUT, run_command, save_csv
from ir_trunc._core.parameters import Param, Text
from ir_trunc.measures.terminal import AMIGO, LIU
from ir_trunc.meta.procedures import ProcedureDefinition
from ir_trunc.truncation import cross_validate, study
from ir_trunc.truncation._text import list_of_policies

__all__ = ["main"]

_FULL = Param("full", Text("measures of the full lists"), study.FULL)
STUDIES = [
    ProcedureDefinition.of(study.cuts, f"{AMIGO}, section 4.2, figure 2", measures=study.CUTS),
    ProcedureDefinition.of(study.best_cuts, f"{AMIGO}, section 4.2", measures=study.CUTS),
    ProcedureDefinition.of(
        study.agreement, f"{AMIGO}, section 4.3, table 2", measures=study.TRUNCATED, further=[_FULL]
    ),
    ProcedureDefinition.of(study.example, f"{AMIGO}, section 3.3, figure 1", measures=study.EXAMPLE),
    ProcedureDefinition.of(study.searches, "ours: where a list should end, asked of searches"),
]
_POLICIES = ["Greedy", "ScoreThreshold", "LargestGap", "Oracle"]

_DECLARED = f"""
{runs_and_measures()}
= scoring
--policy POLICY...  a policy or a file of cuts; default: {", ".join(_POLICIES)}
--folds N  parts of the topics (default 5)
--seed N  seed of the random parts (default 0)
{CSV_OUTPUT}"""


@cli_command("study policies", _DECLARED, below=list_of_policies)
def _policies(args: Words) -> None:
    """Policies fitted on some topics and judged on the others.

    They are fitted to the first measure; further ones have a column each. score, low and high are the mean
    over topics and its 95 % interval; of_oracle is the share of the best possible score, and regret the
    difference from it. length is the number of documents for a topic, empty the share of empty lists,
    coverage that of the others, and set_size the number of documents in these. p_value is of a paired t
    test against the best fixed length. silence_precision is the share of the empty lists that are right,
    silence_recall that of the topics without an answer that have one.
    """
    policies, options = args.policy or _POLICIES, args.of(("folds", "seed")) | args.scoring
    first, *options["further_measures"] = args.measures
    table = cross_validate(policies, first, args.qrels, args.runs, **options)
    save_csv(args.output or "-", table, args.places)


_REPORT = f"""
runs RUN+  {RUNS}
--topics FILE  the topics (default: those of each run)
--depth COUNT  the length that the evaluation imposed: a list of that length without NIL is left alone
= reading
{CSV_OUTPUT}"""


@cli_command("study nil-report", _REPORT, below=f"source: {LIU}, figure 1")
def _nil_report(args: Words) -> None:
    """Lengths of the lists of all runs, before and after the document NIL ends them."""
    report = study.nil_report(args.runs, **args.of(("topics", "depth", "nil")), **args.reading)
    tell(report.heading)
    save_csv(args.output or "-", report.to_pandas(), args.places)


WRITTEN_OUT = {"policies": _policies, "nil-report": _nil_report}
"""The commands that are no study."""


def main(words: Sequence[str]) -> int:
    """What would lists have gained by ending elsewhere? These experiments tell:

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc study cuts demo.qrels never-stops.run RBPT --places 2
      best_cut,RBPT
      0,0.29
      1-4,0.29
      5-8,0.14
      ...
    """
    return run_command("study", main.__doc__, STUDIES, WRITTEN_OUT, words)
