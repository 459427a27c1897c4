"""`ir_trunc study`: experiments on truncation, as CSV; by default by the measures of Amigó et al. (2022)."""

from __future__ import annotations

from collections.abc import Sequence

from ir_trunc._cli._arguments import OneLineParser, runs_and_measures
from ir_trunc._cli._procedures import CSV_OUTPUT, run_command, write_csv_table
from ir_trunc._core.errors import ParameterError
from ir_trunc._core.parameters import Param, Text
from ir_trunc._output.files import check_outputs
from ir_trunc.meta.procedures import ProcedureDefinition
from ir_trunc.truncation import cross_validate, study
from ir_trunc.truncation._text import list_of_policies

__all__ = ["main"]

_SOURCE = "Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051"
_FULL = Param("full", Text("measures of the full lists"), study.FULL)
STUDIES = [
    ProcedureDefinition.of(study.cuts, f"{_SOURCE}, section 4.2, figure 2", measures=study.CUTS),
    ProcedureDefinition.of(study.best_cuts, f"{_SOURCE}, section 4.2", measures=study.CUTS),
    ProcedureDefinition.of(
        study.agreement, f"{_SOURCE}, section 4.3, table 2", measures=study.TRUNCATED, further=[_FULL]
    ),
    ProcedureDefinition.of(study.example, f"{_SOURCE}, section 3.3, figure 1", measures=study.EXAMPLE),
    ProcedureDefinition.of(study.searches, "ours: where a list should end, asked of searches"),
]
_POLICIES = ["Greedy", "ScoreThreshold", "LargestGap", "Oracle"]

_DECLARED = f"""
{runs_and_measures()}
= topics missing unjudged levels reading
--policy POLICY...  a policy or a file of cuts; default: {", ".join(_POLICIES)}
--folds N  parts of the topics (default 5)
--seed N  seed of the random parts (default 0)
{CSV_OUTPUT}"""


def main(words: Sequence[str]) -> int:
    """`ir_trunc study EXPERIMENT ...`."""
    return run_command("study", STUDIES, WRITTEN_OUT, words)


def _policies(words: Sequence[str], about: str) -> None:
    args = OneLineParser("study policies", about, _DECLARED, list_of_policies()).read(words)
    check_outputs([args.output], [args.qrels, *args.arguments, *(args.policy or ())])
    runs, measures = args.runs_and_measures()
    if len(measures) > 1:
        raise ParameterError(f"Policies are fitted to one measure; {len(measures)} are given.")
    policies, options = args.policy or _POLICIES, args.of(("folds", "seed")) | args.scoring
    table = cross_validate(policies, measures[0], args.qrels, runs, **options)
    write_csv_table(args, table)


WRITTEN_OUT = {
    "policies": (_policies, "Policies fitted on some topics and judged on the others."),
}
"""The commands that are no study, with their descriptions."""
