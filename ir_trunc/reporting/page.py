"""`report`: one page that shows runs to people who would rather look than read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from ir_trunc._core.errors import InputError, IrTruncError, noted, printable
from ir_trunc._core.keywords import keywords_of
from ir_trunc._core.lazy import needed
from ir_trunc._core.parameters import text, whole
from ir_trunc._output.files import Target, check_outputs, write_text
from ir_trunc._ranking.doors import rank, read_qrels_of_runs
from ir_trunc._ranking.likes import QrelsLike
from ir_trunc._read.reading import Unpack
from ir_trunc.measures.questions import reads_the_end
from ir_trunc.reporting.comparing import compare
from ir_trunc.reporting.sections import Cuts, lengths, policies, silence, topics_of, views
from ir_trunc.scoring.evaluator import Evaluator, Options
from ir_trunc.scoring.objects import MeasureLike, read_measures
from ir_trunc.scoring.runs import RunsLike, by_name
from ir_trunc.version import __version__

MEASURES = "RBPT nDCG@10 RBPU c@1"
"""What a page shows unless it is told otherwise."""


@keywords_of(Evaluator)
def report(
    measures: MeasureLike,
    qrels: QrelsLike | None,
    runs: RunsLike,
    path: Target | None = None,
    *,
    baseline: str | None = None,
    title: str = "Rankings and where they end",
    folds: int = 5,
    **options: Unpack[Options],
) -> str:
    """Write one HTML page about several runs: it needs no network, no other file, and no JavaScript.

    It shows the comparison with its tests; means over queries with and without an answer; who was silent,
    and how often rightly; how long the lists are and where their best cuts lie; what truncation policies
    would gain; every topic with the lists by rank, their curves and regrets, worst first; and what was
    guessed or left out.

    Parameters
    ----------
    measures, qrels, topics, nil, order, duplicates, stop, lower_is_better, columns
        As for `calc`. Curves, best cuts and policies are those of the first measure that scores each list by
        itself.
    runs : RunsLike
        `{name: run}`, or paths of files and folders, whose runs are then named by their files.
    path : path, optional
        Where to write the page.
    baseline : str, optional
        The run that all others are compared with.
    title : str
        The heading of the page.
    folds : int
        Parts of the topics for the policies, which are fitted on some and applied to the others.

    Returns
    -------
    str
        The page.

    Raises
    ------
    IrTruncError
        Where Jinja2 is not installed (`pip install 'ir_trunc[report]'`), and as `compare` does.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {}}
    >>> page = report("RBPT AP", qrels, {"one": {"q1": ["a"], "q2": ["x", "b"]}}, folds=3)
    >>> page.splitlines()[0]
    '<!DOCTYPE html>'
    """
    render = _template()
    text("title", title)
    folds = whole("folds", folds, 2)
    if path is not None:
        check_outputs([path])
    named = {name: list(run) if isinstance(run, Iterator) else run for name, run in by_name(runs).items()}
    topics, nil = options.pop("topics", None), options.pop("nil", None)
    with noted() as notes:
        given = None
        if qrels is not None:
            given, how = read_qrels_of_runs(qrels, topics, nil=nil, reading=options)
            if "columns" in how:
                options["columns"] = how["columns"]
        elif topics is not None or nil is not None:
            raise InputError("topics and nil go with qrels: Rankings have their query universe.")
        found = compare(measures, given, named, baseline=baseline, intervals=True, **options)
        with warnings.catch_warnings():  # of what the comparison has read and warned of
            warnings.simplefilter("ignore")
            lists = {name: rank(given, run, **options) for name, run in named.items()}
            cuts = _cuts(measures, lists)
            gains = policies(cuts, lists, folds)
    page: str = render(
        title=title,
        version=__version__,
        found=found,
        comparison=found.to_html(),
        views=views(found),
        silence=silence(lists),
        cuts=cuts,
        lengths=lengths(cuts, lists),
        policies=gains,
        topics=topics_of(found, lists, cuts),
        notes=[*dict.fromkeys((*found.notes, *notes))],
        many=len(found.systems) * len(found.topics),
    )
    if path is not None:
        write_text(path, [page])
    return page


def _cuts(measures: MeasureLike, lists: Any) -> Cuts | None:
    """The curves of the measure that the page shows by depth; None where there is none.

    It is the first measure that sees where a list ends, else the first that scores each list by itself. A
    measure that counts losses has no best cut.
    """
    own = {
        str(measure): bound
        for measure, bound in read_measures(measures).items()
        if bound is not None and bound.definition.scope == "list" and not bound.definition.lower_is_better
    }
    if not own:
        return None
    name = next((name for name, bound in own.items() if reads_the_end(bound)), next(iter(own)))
    return Cuts(name, {run: own[name].curve(rankings) for run, rankings in lists.items()})


def _template() -> Any:
    with needed("A page needs Jinja2", "report", IrTruncError):
        from jinja2 import Environment, PackageLoader, StrictUndefined
    loaded = Environment(
        loader=PackageLoader("ir_trunc.reporting"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    loaded.filters["shown"] = lambda value: printable(str(value))
    loaded.filters["number"] = lambda value, digits=4: "–" if value != value else f"{value:.{digits}f}"
    loaded.filters["counted"] = lambda count, one, many="": (
        f"one {one}" if count == 1 else f"{count} {many or one + 's'}"
    )
    loaded.filters["change"] = lambda value: f"{value:+.4f}" if round(value, 4) else "0.0000"
    return loaded.get_template("report.html").render
