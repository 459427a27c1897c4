"""Papers whose tables are worked examples, which need no collection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ir_trunc._core.rankings import Rankings
from ir_trunc.measures.graded import SAKAI
from ir_trunc.reporting.reproduction.cells import Cells
from ir_trunc.reporting.reproduction.declare import printed, reproduction
from ir_trunc.scoring.evaluator import calc, calc_aggregate

_LIU = ("RRT", "RBPT(p=0.5)", "nDCGT", "APT")
_PENAS = ("c@1", "c(unanswered=0)@1")


@reproduction(source="Liu, Moffat, Baldwin & Zhang, SIGIR 2016, https://doi.org/10.1145/2911451.2914737")
def liu2016() -> Iterator[Cells]:
    """Each list with its relevant documents, scored with the terminal document."""
    columns = ("r_t", *_LIU)
    for signs, relevant, figures in printed("liu2016")["table_1"]:
        grades = [int(sign) for sign in signs]
        judged = [1] * relevant + [0] * (len(grades) - sum(grades))
        rankings = Rankings.from_lists([grades], [judged])
        behind = len(grades) + 1  # where the terminal document is
        precision, *scores = calc([f"PT@{behind}", *_LIU], None, rankings).values[:, 0].tolist()
        computed = [precision * behind - sum(grades), *scores]
        rows = [f"{signs}, R = {relevant}"] * len(columns)
        yield Cells("Table 1", rows, columns, figures, computed, places=3)


@reproduction(source="Peñas & Rodrigo, ACL 2011, https://aclanthology.org/P11-1142")
def penas2011() -> Iterator[Cells]:
    """c@1 and accuracy of as many right, wrong and open questions as the paper counts."""
    for system, (right, wrong, unanswered), figures in printed("penas2011")["table_3"]:
        lists: list[list[int]] = [[1]] * right + [[0]] * wrong + [[]] * unanswered
        topics = [f"{i:03}" for i in range(len(lists))]
        rankings = Rankings.from_lists(lists, [[1, 0]] * len(lists), topics=topics)
        means = calc_aggregate(_PENAS, None, rankings)
        computed = [means[measure] for measure in _PENAS]
        yield Cells("Table 3", [system] * len(_PENAS), _PENAS, figures, computed, places=2)


@reproduction(
    source=SAKAI,
    notes=(
        "The paper's formula for the last example has cig(100) + 1 for cig(100) + 100; its figure is right.",
    ),
)
def sakai2004() -> Iterator[Cells]:
    """Answers by rank, later ones of a class as 0, against the best level of every class."""
    for example, ranked, ideal, figures in printed("sakai2004")["examples"]:
        grades = [0] * (ranked["rank"] - 1) + [ranked["grade"]] if isinstance(ranked, dict) else ranked
        rankings = Rankings.from_lists([grades])
        rankings = replace(rankings, judgments=Rankings.from_lists([ideal]).judgments)
        for measure, (figure, places) in figures.items():
            computed = float(calc(measure, None, rankings).values[0, 0])
            yield Cells("Worked examples", [example], [measure], [figure], [computed], places)
