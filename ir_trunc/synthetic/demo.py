"""The demonstration: three systems on a small collection, by measures with and without a list's end.

The topics are worked examples. ten-found is from the introduction of Amigó, Mizzaro & Spina 2022;
three-found, gap, late and nothing-to-find are lists of Table 1 of Liu et al. 2016; rank-100 has its only
relevant document at that rank, as in Sakai 2004; wrong-answer is a question better left open (Peñas & Rodrigo
2011).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ir_trunc._core.errors import InputError
from ir_trunc._core.lazy import pd, plots
from ir_trunc._core.rankings import Rankings
from ir_trunc._output.files import make_folder, output_file
from ir_trunc._output.tables import aligned_text
from ir_trunc._ranking.qrels import read_qrels
from ir_trunc._ranking.runs import rank_run
from ir_trunc._scoring.evaluator import evaluator

__all__ = ["CLASSICAL", "SYSTEMS", "TRUNCATION_AWARE", "copy", "data", "draw", "overview"]

SYSTEMS = ("never-stops", "stops-in-time", "says-little")
CLASSICAL = ("P@5", "RR", "AP", "nDCG@10")
TRUNCATION_AWARE = ("RRT", "RBPT(p=0.5)", "nDCGT", "APT", "RBPU", "OIE", "Q", "c@1")

_HEAD = """\
Three systems and seven topics, worked examples of the papers. Every list is
shown by rank: 1 is a relevant document, 0 one that is not, and a dash is a list
that the system left empty.
"""

_EXPLANATION = """\
never-stops returns all that stops-in-time returns, and then goes on. The
classical measures do not lower its score for that: all four prefer it. The
measures that take the end of a list into account prefer stops-in-time. They
also reward an empty list where there is nothing to find.

* the best system by that measure. 'ir_trunc measures NAME' says what each is.
The files can be scored like your own:
  ir_trunc demo --copy .
  ir_trunc demo.qrels never-stops.run stops-in-time.run RBPT c@1"""


def data() -> Path:
    """The folder of the collection: demo.qrels and a .run file for each system."""
    folder = files("ir_trunc.synthetic") / "data"
    return folder if isinstance(folder, Path) else Path(_unpacked().name)


@cache
def _unpacked() -> TemporaryDirectory[str]:
    """The folder out of a zip, in which the package is, for as long as the process lives."""
    folder = TemporaryDirectory(prefix="ir_trunc-demo-")
    for each in (files("ir_trunc.synthetic") / "data").iterdir():
        Path(folder.name, each.name).write_bytes(each.read_bytes())
    return folder


def copy(folder: str) -> list[str]:
    """Put the files of the collection into a folder, which is made where it does not exist; their names.

    Files there that have other contents are not replaced: InputError. OSError where the folder cannot be
    written.
    """
    paths = [path for path in sorted(data().iterdir()) if path.is_file()]
    contents = {Path(folder, path.name): path.read_bytes() for path in paths}
    for target, content in contents.items():
        if target.exists() and (not target.is_file() or target.read_bytes() != content):
            raise InputError(f"{target} exists and is another file: choose another folder.")
    make_folder(folder)
    for target, content in contents.items():
        if not target.exists():
            with output_file(target) as file:
                file.write(content)
    return [target.name for target in contents]


def overview() -> str:
    """The lists of all systems, and their scores, side by side."""
    qrels = read_qrels(data() / "demo.qrels")
    runs = {name: rank_run(qrels, data() / f"{name}.run") for name in SYSTEMS}
    return "\n".join((_HEAD, _lists_by_rank(runs), _score_table(runs), _EXPLANATION))


def draw(file: str) -> None:
    """Write the picture of two systems: their lists, and what each measure makes of them."""

    plots._kit.check_picture(file)
    two, qrels = SYSTEMS[:2], read_qrels(data() / "demo.qrels")
    runs = {name: rank_run(qrels, data() / f"{name}.run") for name in two}
    shown = plots._kit.new_figure(5.8, 7)  # narrow, so that its words can be read on a phone
    parts: Any = shown.subfigures(2, 1, height_ratios=[1.9, 1])
    top, below = parts
    what = "never-stops returns what stops-in-time returns, and then goes on."
    shown.suptitle(f"{what}\nWhich measures see it?")
    plots.side_by_side(runs, ax=top.subplots())
    groups = {"Blind to the end of a list": CLASSICAL, "Aware of the end of a list": TRUNCATION_AWARE}
    grid: Any = below.subplots(1, 2)
    for ax, (title, names) in zip(grid, groups.items()):
        ready = evaluator(names, None)
        means = pd.DataFrame({system: ready.calc_aggregate(lists) for system, lists in runs.items()}).T
        _draw_means(means.T, ax)
        ax.set_title(title, fontsize="medium", weight="bold")
    grid[0].set_ylim(len(TRUNCATION_AWARE) - 0.5, -0.5)  # rows as high as those beside
    what = "mean of the seven topics, all worked\nexamples; the better system is dark"
    grid[0].set_xlabel(what, fontsize="small")
    # Letters as outlines look the same where the fonts are others.
    plots._kit.save_picture(shown, file, "path")


def _draw_means(means: pd.DataFrame, ax: Any) -> None:
    """Means as a table of measures and systems; the best system by each measure is dark."""
    for row, scores in enumerate(means.to_numpy()):
        for column, value in enumerate(scores):
            best = value == scores.max()
            if best:
                ax.barh(row, 0.94, 0.84, column - 0.47, color="#0070B8")
            style: Any = {"color": "white", "weight": "bold"} if best else {"color": "#222222"}
            ax.text(column, row, f"{value:.3f}", ha="center", va="center", fontsize="small", **style)
    ax.set_xticks(range(means.shape[1]), means.columns, fontsize="small")
    ax.set_yticks(range(len(means)), means.index, fontsize="small")
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.set(xlim=(-0.5, means.shape[1] - 0.5), ylim=(len(means) - 0.5, -0.5))


def _lists_by_rank(runs: dict[str, Rankings]) -> str:
    """The lists of all systems side by side, with the number of relevant documents."""
    first = next(iter(runs.values()))
    rows = [["topic", "relevant", *runs]]
    for q, topic in enumerate(first.topics):
        grades = first.judgments.grades[first.judgments.offsets[q] : first.judgments.offsets[q + 1]]
        rows.append([topic, str((grades > 0).sum()), *(picture(rankings, q) for rankings in runs.values())])
    return f"{aligned_text(rows, len(rows[0]))}\n"


def picture(rankings: Rankings, q: int) -> str:
    """One topic's list as 1 and 0 by rank; the middle of a long list is left out."""
    hits = slice(rankings.judged_offsets[q], rankings.judged_offsets[q + 1])
    relevant = set(rankings.judged_ranks[hits][rankings.judged_grades[hits] > 0].tolist())
    signs = "".join("1" if rank in relevant else "0" for rank in range(1, int(rankings.lengths[q]) + 1))
    if len(signs) > 20:
        signs = f"{signs[:5]}..{len(signs) - 10}..{signs[-5:]}"
    return signs or "-"


def _score_table(runs: dict[str, Rankings]) -> str:
    """Measures by systems, the best value of each marked."""
    ready = evaluator([*CLASSICAL, *TRUNCATION_AWARE], None)
    means = {name: ready.calc_aggregate(rankings) for name, rankings in runs.items()}
    lines = [f"{'mean over topics':<18}" + "".join(f"{name:>16}" for name in runs)]
    for title, measures in (("classical", CLASSICAL), ("with the list's end", TRUNCATION_AWARE)):
        lines.append(title)
        for measure in measures:
            values = [round(means[name][measure], 4) for name in runs]
            cells = (f"{value:>15.4f}{'*' if value == max(values) else ' '}" for value in values)
            lines.append(f"  {measure:<16}{''.join(cells)}".rstrip())
    return "\n".join(lines) + "\n"
