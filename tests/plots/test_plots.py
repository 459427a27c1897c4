"""Plots show what is in the tables, can be read, leave matplotlib's state alone, and refuse wrong tables."""

import re
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from generated import queries, rankings_of
from messages import refused

from ir_trunc import calc, compare, curves, meta, parse_measure, plots
from ir_trunc._core.curve import bin_name
from ir_trunc._core.errors import InputError, ParameterError
from ir_trunc._core.rankings import Rankings
from ir_trunc.meta.guide import plot_guide
from ir_trunc.plots import _kit
from ir_trunc.plots._kit import save_picture
from ir_trunc.synthetic import generated
from ir_trunc.truncation import Greedy, LargestGap, Oracle, cross_validate, study

matplotlib = pytest.importorskip("matplotlib")
Figure = pytest.importorskip("matplotlib.figure").Figure
FigureCanvasAgg = pytest.importorskip("matplotlib.backends.backend_agg").FigureCanvasAgg
Text = pytest.importorskip("matplotlib.text").Text
Annotation = pytest.importorskip("matplotlib.text").Annotation

RANKINGS = rankings_of(queries(6, 30, longest=80))
FEW = [0, 2, 4, 6, 28]  # of lengths 80, 42, 0, 5, 0; nothing is relevant to the second and the last
MEASURE = parse_measure("RBPU(p=0.9)")
CURVE = curves(MEASURE, None, RANKINGS)[MEASURE]
POLICIES = cross_validate([Greedy(), LargestGap(), Oracle()], MEASURE, None, {"system": RANKINGS})
BEST = study.best_cuts(MEASURE, None, {"system": RANKINGS})
TAUS = pd.DataFrame([[1.0, 0.25], [np.nan, 0.5]], index=["AP", "RBP"], columns=["RBPU", "OIE"])
MEANS = compare("AP RBPT OIE", None, {"one": RANKINGS, "two": RANKINGS.cut(3)}).to_pandas()
SERIES = pd.DataFrame({"RR": [1.0, 0.5, 0.3], "Q": [1.0, 0.8, 0.7]}, index=pd.Index([1, 2, 3], name="rank"))
RISKS = pd.DataFrame({"answers": [5, 50], "coverage": [0.1, 1.0], "risk": [0.0, 0.4]})
RISKS = RISKS.assign(generalised_risk=[0.05, 0.4])
ABSTENTION = pd.DataFrame({"confidence": ["first"] * 2 + ["oracle"] * 2, "score": [0.5, 0.6, 0.5, 0.7]})
ABSTENTION = ABSTENTION.assign(measure="RR", rate=[0, 0.5] * 2)
NIL = study.nil_report({"x": {"1": ["a", "NIL"], "2": ["NIL"]}}).to_pandas()
SCORES = pd.Series({f"s{n}": float(n) for n in range(40)}, name="AP")

PICTURES = {
    "curve": lambda ax=None: plots.curve(CURVE, "3", MEASURE, ax=ax),
    "lengths": lambda ax=None: plots.lengths(BEST, ax=ax),
    "lists": lambda ax=None: plots.lists(RANKINGS, "system", ax=ax),
    "nil": lambda ax=None: plots.nil(NIL, ax=ax),
    "example": lambda ax=None: plots.example(study.example("FlatU RBU"), ax=ax),
    "agreement": lambda ax=None: plots.agreement(TAUS, ax=ax),
    "cuts": lambda ax=None: plots.cuts(study.cuts("RBPU SetF", None, {"s": RANKINGS}), ax=ax),
    "cuts and R": lambda ax=None: plots.cuts(
        study.cuts("RBPU SetF", None, {"s": RANKINGS}), ax, {"1": {"a": 1}, "2": dict.fromkeys("abcdef", 1)}
    ),
    "shaded": lambda ax=None: plots.cuts(study.cuts(study.CUTS, None, {"s": RANKINGS}), ax=ax),
    "policies": lambda ax=None: plots.policies(POLICIES, ax=ax),
    "costs": lambda ax=None: plots.policies(POLICIES, "cost", ax=ax),
    "tokens": lambda ax=None: plots.policies(POLICIES.assign(tokens=100 * POLICIES["cost"]), "tokens", ax=ax),
    "side by side": lambda ax=None: plots.side_by_side({"system": RANKINGS}, ax=ax),
    "scores": lambda ax=None: plots.scores(MEANS, ax=ax),
    "lines": lambda ax=None: plots.lines(SERIES, best=True, ax=ax),
    "captioned": lambda ax=None: plots.caption(PICTURES["lines"](ax), "generated data", 50, 12),
    "captioned curve": lambda ax=None: plots.caption(PICTURES["curve"](ax), "generated data", 1),
    "captioned lists": lambda ax=None: plots.caption(PICTURES["side by side"](ax), "generated data"),
    "recall": lambda ax=None: plots.recall_curve({"one": RANKINGS, "two": RANKINGS.cut(3)}, D=100, ax=ax),
    "risk": lambda ax=None: plots.risk_coverage(RISKS, ax=ax),
    "abstention": lambda ax=None: plots.abstention(ABSTENTION, ax=ax),
    "slope": lambda ax=None: plots.slope(SCORES, SCORES.iloc[::-1] * -1, ax=ax),
}

OF_ROWS = ["shaded", "side by side", "captioned lists", "scores", "slope", "policies", "costs", "tokens"]
"""Pictures whose rows have names in place of a label."""


@pytest.fixture
def few(monkeypatch):
    """A few topics and systems, where their number does not matter."""
    monkeypatch.setitem(globals(), "RANKINGS", RANKINGS.take(FEW))
    monkeypatch.setitem(globals(), "SCORES", SCORES[:6])


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_draw_on_the_axes_given_or_on_new_ones(name, few):
    before = dict(matplotlib.rcParams)
    given = Figure().add_subplot()
    assert PICTURES[name](given) is given
    for ax in (PICTURES[name](), given):
        assert ax.get_xlabel() or name == "scores"
        assert ax.get_ylabel() or name in OF_ROWS
    given.figure.draw_without_rendering()
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_the_curve_marks_best_cut_and_own_end():
    """The square of the own end is inside the diamond of the best cut, if both are in one place."""
    values = dict(CURVE.rows())["3"]
    best, own = (line for line in plots.curve(CURVE, "3", MEASURE).lines if len(line.get_xdata()) == 1)
    ends = [(int(np.argmax(values)), values.max()), (len(values) - 1, values[-1])]
    assert [tuple(line.get_xydata()[0]) for line in (best, own)] == ends
    assert best.get_markersize() > 1.5 * own.get_markersize()


def test_the_lists_shown_have_their_documents_and_their_ends():
    small = Rankings.from_lists([[1, 0, 1], [], [0] * 9 + [1]], topics=["a", "b", "c"])
    ax = plots.side_by_side({"one": small, "two": small.cut(2)}, longest=5)
    drawn = [circles for circles in ax.collections if len(circles.get_offsets())]
    faces = [[tuple(face[:3]) for face in circles.get_facecolor()] for circles in drawn]
    filled = ["".join("01"[face != (1, 1, 1)] for face in of_list) for of_list in faces]
    assert filled == ["101", "10", "00000", "00"]
    assert [line.get_xdata()[0] - 0.5 for line in ax.lines if len(line.get_xdata())] == [3, 2, 2, 0, 0]
    words = [text.get_text() for text in ax.texts]
    assert words == ["a: 2 relevant", "c: 1 relevant", "... to 10, 1 relevant", "b: none relevant"]
    assert [label.get_text() for label in ax.get_yticklabels()] == 3 * ["one", "two"]


def dots_of(ax):
    return [line for line in ax.lines if line.get_marker() == "o"]


@pytest.mark.parametrize("systems", [1, 5])
def test_scores_are_dots_on_the_scale_of_their_measure_and_the_best_is_full(systems):
    """The lowest mean is the best of a measure that counts losses."""
    scores = {"AP": [0.5, 0.25, 0.2, 0.1, 0.5], "HarmCompat": [3.0, 2.0, 4.0, 5.0, 6.0]}
    means = pd.DataFrame(scores, index=list("abcde"))[:systems]
    ax = plots.scores(means)
    dots = [(*line.get_xydata()[0], line.get_markerfacecolor()) for line in dots_of(ax)]
    ticks = {text.get_text(): place for place, text in zip(ax.get_xticks(), ax.get_xticklabels())}
    full = set()
    for column, (name, scores) in enumerate(means.items()):
        places = [x for x, _, _ in dots[column * systems : (column + 1) * systems]]
        assert all(column < x < column + 1 for x in places)
        assert np.argsort(places, kind="stable").tolist() == np.argsort(scores, kind="stable").tolist()
        inside = {float(word): x for word, x in ticks.items() if column < x < column + 1}
        known = dict(zip(scores, places))
        assert inside
        for score, x in inside.items():
            assert x == pytest.approx(np.interp(score, sorted(known), sorted(known.values())))
        of_measure = dots[column * systems :][:systems]
        full |= {(means.index[int(row)], name) for _, row, face in of_measure if face != "white"}
    one = {("a", "AP"), ("a", "HarmCompat")}
    assert full == (one if systems == 1 else {("a", "AP"), ("e", "AP"), ("b", "HarmCompat")})


@pytest.mark.parametrize("printed", [False, True])
def test_scores_of_a_comparison_have_their_intervals(printed):
    comparison = compare("AP RBPT", None, {"one": RANKINGS, "two": RANKINGS.cut(3)}, intervals=printed)
    ax = plots.scores(comparison)
    for column, bars in enumerate(ax.collections):
        ends = np.array([path.vertices[:, 0] for path in bars.get_paths()])
        dots = np.array([line.get_xdata()[0] for line in dots_of(ax)[2 * column :][:2]])
        low, high = comparison.means["low"][column], comparison.means["high"][column]
        spans = np.ptp(ends, axis=1) / (high - low)
        assert spans[0] == pytest.approx(spans[1])
        assert (dots - ends[:, 0]) / spans == pytest.approx(comparison.views[0, column] - low)
    assert "95 % confidence" in ax.get_xlabel()


def test_results_and_comparisons_draw_themselves():
    """That their bars are equal is held by `properties/test_inference.py`."""
    results, axes = calc("AP RBPT c@1", None, RANKINGS), Figure().subplots()
    assert compare("AP RBPT c@1", None, {"system": RANKINGS}).plot(axes) is axes
    ax = results.plot()
    assert [text.get_text() for text in ax.texts[1::2]] == [f"{mean:.3f}" for mean in results._means]
    assert "95 %" in ax.get_xlabel()
    assert ax.get_yticklabels()[0].get_text() == "30 topics"
    count = calc("NumRet", {"1": {"a": 1}, "2": {"b": 1}}, {"1": ["a"], "2": ["a", "b"]})
    assert "%" not in count.plot().get_xlabel()
    run = {"a/mon": {"d": 1.0}, "a/tue": {"e": 1.0}, "b/mon": {"d": 1.0}}
    nested = calc("RR", {key: {"d": 1} for key in run}, run, keys="user/day")
    assert nested.estimate(0).values.tolist() == [0.5, 1]
    assert nested.plot().get_yticklabels()[0].get_text() == "2 users"
    with pytest.raises(ParameterError, match="AP=nan is out of range: a finite number is needed"):
        results.over(np.zeros(30, bool)).plot()


@pytest.mark.parametrize("longest", [6, 1000])
def test_circles_of_lengths_do_not_overlap(longest):
    lengths = range(longest) if longest < 20 else [*range(40), *range(40, longest, 25)]
    rows = [{"measure": "RR", "length": n, "best_length": n // k} for n in lengths for k in (1, 2, 3)]
    ax = plots.lengths(pd.DataFrame(rows))
    FigureCanvasAgg(ax.figure).draw()
    (circles,) = ax.collections
    places = ax.transData.transform(circles.get_offsets())
    radii = np.sqrt(circles.get_sizes()) / 2 * ax.figure.dpi / 72
    away = np.hypot(*(places[:, None] - places).T) + 1e9 * np.eye(len(places))
    assert (away - radii - radii[:, None]).min() >= 0


def test_the_lengths_shown_are_those_of_the_table():
    """Those of short lists exactly, those of long lists within a step of the axes."""
    short = BEST[BEST[["length", "best_length"]].max(axis=1) < 20]
    for table in (short, BEST):
        shown = {tuple(map(int, place)) for place in plots.lengths(table).collections[0].get_offsets()}
        lists = set(zip(table["length"], table["best_length"]))
        assert shown == lists if table is short else len(shown) <= len(lists)
        for pair in lists:
            assert any(all(abs(a - b) <= 0.2 * a for a, b in zip(pair, place)) for place in shown), pair


def test_lists_are_shown_as_they_are():
    """Topics with most relevant documents come first, nil queries below the line; arrows are longer lists."""
    rankings = Rankings.from_lists([[0], [0, None, 1, 1, 0]], [[0], [0, 0, 1, 1, 2]])
    ax = plots.lists(rankings, longest=4)
    shades = [[0.2, 0.2, 1.0, 1.0], [0.2, 0.0, 0.0, 0.0]]  # 0: no document, 0.2: not relevant, 1: relevant
    assert ax.collections[0].get_array().tolist() == shades
    arrows, line = ax.lines
    assert arrows.get_ydata().tolist() == [0.5]
    assert list(line.get_ydata()) == [1, 1]
    assert len(plots.lists(rankings.take([1])).lines) == 1  # without nil queries there is no line


def test_bars_and_tables_show_their_figures():
    assert [bar.get_height() for bar in PICTURES["nil"]().patches] == [0, 1, 1, 1, 1, 0]
    assert [text.get_text() for text in PICTURES["agreement"]().texts] == ["1.00", "0.25", "nan", "0.50"]


def test_policies_have_a_row_each_with_what_they_cost_beside_it():
    """Policies of the same score hide each other nowhere; the best is on top."""
    table = pd.concat([POLICIES, POLICIES.iloc[:1].assign(policy="Twin", length=1234.5)])
    ax = plots.policies(table)
    order = table.sort_values("score", ascending=False, kind="stable")
    assert [tick.get_text() for tick in ax.get_yticklabels()] == order["policy"].tolist()
    beside = ["1,234" if spent > 1000 else f"{spent:.1f}" for spent in order["length"]]
    assert [text.get_text() for text in ax.texts] == [*beside, "mean length\n(documents)"]


def test_a_policy_whose_interval_is_not_known_has_no_bar():
    table = POLICIES.iloc[:2].assign(score=[0.5, 0.4], low=[0.3, np.nan], high=[0.6, np.nan])
    (bars,) = plots.policies(table).collections
    drawn = [path.vertices for path in bars.get_paths() if np.isfinite(path.vertices).all()]
    assert [bar[:, 0].tolist() for bar in drawn] == [[0.3, 0.6]]
    refused(InputError, "column low, once", plots.policies, table.drop(columns="low"))


def test_lines_may_have_their_best_score_marked():
    ax = plots.lines({"up": pd.Series([0.1, np.nan, 0.3]), "down": pd.Series([0.2, 0.1], [5, 9])}, best=True)
    dots = [line.get_xydata()[0].tolist() for line in ax.lines if len(line.get_xdata()) == 1]
    assert dots == [[2, 0.3], [5, 0.2]]
    assert {text.get_text() for text in ax.texts} == {"up (best: 0.30)", "down (best: 0.20)"}


def test_a_caption_says_what_the_data_are():
    ax = plots.caption(plots.lines(SERIES), "generated data", topics=1, systems=1200)
    assert ax.get_title() == "generated data, 1 topic, 1,200 systems"
    assert plots.caption(ax, "$x$").get_title().splitlines()[1] == r"\$x\$"


def test_lines_differ_without_colour():
    table = pd.DataFrame(np.eye(7), columns=list("ABCDEFG"))
    assert len({(line.get_marker(), line.get_linestyle()) for line in plots.lines(table).lines}) == 7


def test_shares_of_categories_are_not_joined():
    """Each share has a marker at its height and a stem to zero; those of a bin stand beside each other."""
    table = pd.DataFrame({"A": [0.25, 0.75], "B": [0.5, 0.5]}, index=["0", "1-4"])
    ax = plots.cuts(table)
    assert all(line.get_linestyle() == "None" for line in ax.lines)
    for line, stems, shares in zip(ax.lines, ax.collections, table.T.to_numpy()):
        assert line.get_ydata().tolist() == (100 * shares).tolist()
        drawn = [path.vertices[:, 1].tolist() for path in stems.get_paths()]
        assert drawn == [[0, 100 * share] for share in shares]
    places = np.sort(np.concatenate([line.get_xdata() for line in ax.lines]))
    assert np.diff(places).min() > 0.3
    assert np.rint(places).tolist() == [0, 0, 1, 1]


def test_markers_of_long_lines_are_sparse():
    ax = plots.lines({name: pd.Series(np.linspace(0, at, 500)) for at, name in enumerate("ab", 1)})
    assert [line.get_markevery() for line in ax.lines] == [(0, 71), (1, 71)]
    gaps = _kit.draw_unnamed_lines(_kit.ready_axes(None), {"": (range(20), [0.5, np.nan] * 10)})
    assert gaps[0][1].get_markevery() == (0, 1)  # a point between gaps has nothing but its marker


@pytest.mark.parametrize(("after", "signs"), [("OIE", 1), ("HarmCompat", -1)])
def test_moves_that_are_not_significant_are_drawn_lightly(after, signs):
    """a and b change places, significantly by both measures; a and c by one of them only."""
    columns = ["measure", "system", "other", "difference", "p"]
    rows = [("AP", "a", "b", 1.0, 0.01), ("AP", "a", "c", 1.0, 0.01), ("AP", "b", "c", 1.0, 0.2)]
    rows += [(after, "a", "b", -1.0 * signs, 0.02), (after, "a", "c", -1.0 * signs, 0.3)]
    before = pd.Series({"a": 3.0, "b": 2.0, "c": 1.0}, name="AP")
    by_after = pd.Series({"a": 1.0, "b": 3.0, "c": 2.0}, name=after) * signs
    tests = pd.DataFrame(rows, columns=columns)
    ax = plots.slope(before, by_after, pairs=tests)
    drawn = {tuple(line.get_ydata()): line.get_color() for line in ax.lines}
    assert drawn == {(1, 3): _kit.INK, (2, 1): _kit.INK, (3, 2): _kit.GREY}
    assert "significant moves, p < 0.05" in ax.get_xlabel()
    stricter = plots.slope(before, by_after, pairs=tests, alpha=0.015)
    assert {line.get_color() for line in stricter.lines} == {_kit.GREY}


def test_the_slope_chart_has_the_best_system_on_top_and_names_the_movers():
    after = SCORES.copy()
    after["s0"] = 99.0
    ax = plots.slope(SCORES, after, most_named=5)
    ends = [tuple(line.get_ydata()) for line in ax.lines]
    assert (40, 1) in ends
    assert (1, 2) in ends
    assert "s0" in [text.get_text() for text in ax.texts]
    assert ax.yaxis_inverted()


def test_importing_the_plots_imports_no_matplotlib():
    code = "import sys, ir_trunc.plots, ir_trunc.truncation.study; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


SVG_TEXT = "{http://www.w3.org/2000/svg}text"
EVIL = ["a$b$c$^", "_hidden", "\x1b[31m<&", r"\$x\$", "plain"]
SHOWN = ["a$b$c$^", "_hidden", r"\x1b[31m<&", r"\$x\$", "plain"]


def drawn_with(names):
    """Pictures in which systems, topics and policies have these names, by what they show."""
    runs = {name: {name: {"d1": 2.0, "d2": 1.0}} for name in names}
    qrels = {name: {"d1": 1} for name in names}
    first, second = (pd.Series(range(1, len(names) + 1), names, name=name, dtype=float) for name in names[:2])
    rankings = {name: calc("RBPT", qrels, run).rankings for name, run in runs.items()}
    values = {"system": "s", "score": 0.5, "low": 0.4, "high": 0.6, "length": 3}
    table = pd.DataFrame({"policy": names}).assign(**values)
    yield plots.slope(first, second)
    yield plots.side_by_side(rankings)
    yield plots.policies(table)
    for name in names[::2]:
        yield plots.policies(table[:1].assign(system=name))
        yield plots.curve(curves("RBPT", qrels, runs[name])[parse_measure("RBPT")], name)


def test_names_are_drawn_as_they_are(tmp_path):
    """No formula, no line that its name hides, no character that XML forbids."""
    texts = []
    for number, ax in enumerate(drawn_with(EVIL)):
        path = tmp_path / f"{number}.svg"
        save_picture(ax.figure, path, "none")
        texts.append({"".join(text.itertext()).strip() for text in ElementTree.parse(path).iter(SVG_TEXT)})
        if number == 0:  # it has all names
            save_picture(ax.figure, path, "path")
            ElementTree.parse(path)
    slope, lists, policies, *others = texts
    assert set(SHOWN) <= slope
    assert {f"{name}: 1 relevant" for name in SHOWN} <= lists
    assert set(SHOWN) <= policies
    for name, title, curve in zip(SHOWN[::2], others[::2], others[1::2], strict=True):
        assert name in title
        assert f"score of topic {name}" in curve


@pytest.mark.weekly
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_same_bytes_every_time(name, few, tmp_path):
    figures = [PICTURES[name]().figure for _ in range(2)]
    for kind in ("svg", "pdf", "png"):
        for number, figure in enumerate(figures, 1):
            save_picture(figure, tmp_path / f"{number}.{kind}", "none")
        assert (tmp_path / f"1.{kind}").read_bytes() == (tmp_path / f"2.{kind}").read_bytes()


QRELS, RUNS = generated.collection(topics=20, systems=9, depth=30)
MATRIX = meta.score_matrix("AP RR nDCG@10", QRELS, RUNS)
POOLS = meta.pooled_runs(QRELS, RUNS)
GRID = meta.pool_grid(["P", "RBP(p={p},rel=1)"], POOLS, (5, 10), (5, 10, 20))

ALL = PICTURES | {
    "power": lambda: meta.power(MATRIX).plot(),
    "error rates": lambda: meta.error_rates(MATRIX, repetitions=5).plot(),
    "swap rates": lambda: meta.swap_rates(MATRIX, repetitions=5).plot(),
    "agreement of measures": lambda: meta.agreement(MATRIX).plot(),
    "scatter": lambda: meta.agreement(MATRIX).scatter("AP", "RR"),
    "predictivity": lambda: meta.predictivity(MATRIX, 5).plot(),
    "properties": lambda: meta.properties("AP RBPT", (0, 1), 4).plot(),
    "impact": lambda: meta.truncation_impact("RBPT(p=0.5)@5", QRELS, RUNS).plot(),
    "guide": plot_guide,
    "grid": lambda: GRID.plot("RBP(p={p},rel=1)"),
    "whole grid": GRID.plot_all,
    "grid of one form": lambda: meta.pool_grid("P AP", POOLS, (5, 10, 20, 50, 100), (5, 10), "raw").plot(),
    "grid of one panel": lambda: meta.pool_grid(["P"], POOLS, (5, 100), (5, 100), ["raw"]).plot(),
}


def drawn(name):
    """The figure, drawn, and its letters with the boxes that they fill."""
    figure = ALL[name]().figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    found = []
    for text in figure.findobj(Text):
        ticks = text.get_rotation() % 90  # the boxes of slanted words overlap, the words do not
        if text.get_text().strip() and text.get_visible() and not ticks and text.get_figure() is not None:
            if isinstance(text, Annotation):
                text.update_positions(renderer)
            found.append((text, Text.get_window_extent(text, renderer)))
    return figure, found


def shows(text, figure):
    """Whether the words are drawn: ticks beyond the limits are not."""
    for ax in figure.axes:
        for axis, at in ((ax.xaxis, 0), (ax.yaxis, 1)):
            low, high = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if text in (tick.label1, tick.label2):
                    beyond = 1e-9 * (high - low)
                    return text.get_visible() and low - beyond <= text.get_position()[at] <= high + beyond
    return True


VARIANTS = ["impact", "costs", "tokens", "captioned curve", "captioned lists", "cuts and R", "shaded", "grid"]
VARIANTS += ["error rates", "swap rates", "predictivity", "guide", "whole grid", "grid of one panel"]


def whole_ticks(name, figure):
    """The axes with ranks, lengths or counts."""
    ax = figure.axes[0]
    if name in ("lengths", "nil"):
        return ax.xaxis, ax.yaxis
    return (ax.xaxis,) if name in ("curve", "lists", "example", "side by side", "lines") else ()


NAMES = [pytest.param(name, marks=[pytest.mark.full] * (name in VARIANTS)) for name in ALL]


@pytest.mark.parametrize("name", NAMES)
def test_words_can_be_read(name):
    """None overlap or are cut off; letters are at least eleven pixels where a page is 830 wide; whole numbers
    have whole ticks.
    """
    figure, texts = drawn(name)
    scale = min(830 / 72 / figure.get_figwidth(), 100 / 72)
    for text, _ in texts:
        assert text.get_fontsize() * scale >= 11, (text.get_text(), text.get_fontsize())
    texts = [(text, box) for text, box in texts if shows(text, figure)]
    assert texts
    for axis in whole_ticks(name, figure):
        words = [tick.get_text() for tick in axis.get_ticklabels()]
        assert words
        assert all(re.fullmatch(r"[0-9 +−-]*", word) for word in words), words
    for (text, box), (other, its) in combinations(texts, 2):
        width = min(box.x1, its.x1) - max(box.x0, its.x0)
        height = min(box.y1, its.y1) - max(box.y0, its.y0)
        assert min(width, height) <= 1.5, (text.get_text(), other.get_text())
    for text, box in texts:
        assert min(box.x0, box.y0) >= -1, text.get_text()
        assert max(box.x1 - figure.bbox.x1, box.y1 - figure.bbox.y1) <= 1, text.get_text()


@pytest.mark.parametrize("longest", [1, 3, 101])
def test_short_lists_have_whole_ticks(longest):
    ax = plots.lengths(pd.DataFrame({"measure": "RR", "length": [longest], "best_length": [0]}))
    FigureCanvasAgg(ax.figure).draw()
    words = [tick.get_text() for tick in ax.xaxis.get_ticklabels()]
    assert len(words) == len(set(words)), words
    assert all("." not in word for word in words)


def grey(colour):
    """Lightness L* from 0 to 100."""
    channels = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return 116 * np.cbrt(linear @ [0.2126, 0.7152, 0.0722]) - 16


def test_lines_differ_on_grey_paper_and_stand_out_from_white():
    lightness = [grey(colour) for colour in _kit.COLOURS]
    for count, least in ((4, 13), (7, 4.5)):
        steps = np.diff(sorted(lightness[:count]))
        assert steps.min() >= least, steps
    assert max(lightness) <= grey("#949494")  # three to one against white, as for all graphics
    assert grey(_kit.GREY) - grey(_kit.ACCENT) >= 15
    assert _kit.INK not in _kit.COLOURS


@pytest.mark.parametrize("height", [2.2, 6])
def test_names_at_the_ends_of_lines_follow_the_limits_and_the_size(height):
    """They are placed when the picture is drawn, whatever was changed before."""
    series = {f"line {at}": pd.Series([0.0, 1 + at / 5]) for at in range(4)}
    series["far"] = pd.Series([0.0, 3.0])
    ax = plots.lines(series, ax=_kit.new_figure(5, height).add_subplot())
    ax.set_ylim(-1, 5)
    canvas = FigureCanvasAgg(ax.figure)
    for _ in range(2):
        canvas.draw()
        boxes = [Text.get_window_extent(text, canvas.get_renderer()) for text in ax.texts]
        middles = sorted((box.y0 + box.y1) / 2 for box in boxes)
        assert np.diff(middles).min() >= min(box.height for box in boxes)
        assert abs(max(middles) - ax.transData.transform((1, 3))[1]) <= 1
    assert max(box.x1 for box in boxes) <= ax.figure.bbox.x1


def test_lines_that_meet_at_their_ends_have_a_legend():
    meet = {name: pd.Series([at, 0.0]) for at, name in enumerate("abc", 1)}
    assert plots.lines(meet).get_legend()
    assert not plots.lines({"a": pd.Series([0, 1.0]), "b": pd.Series([1, 0.0])}).get_legend()
    assert plots.lines({str(at): pd.Series([0.0, at]) for at in range(8)}).get_legend()


def test_a_slope_chart_says_how_many_systems_it_names():
    many = pd.Series({f"system-{n}": float(n) for n in range(100)}, name="AP")
    after = many.sample(frac=1, random_state=1).set_axis(many.index).rename("OIE")
    ax = plots.slope(many, after)
    assert ax.get_title() == "Systems from best to worst\nby AP and by OIE"
    named = {text.get_text() for text in ax.texts}
    assert f"named: the {len(named)} that move furthest" in ax.get_xlabel()
    assert 20 <= len(named) <= 30
    moves = (many.rank() - after.rank()).abs().sort_values(ascending=False)
    assert moves[list(named)].min() >= moves.iloc[len(named)]
    assert "named" not in plots.slope(many[:12], after[:12]).get_xlabel()


def test_long_names_leave_room_for_the_picture():
    """They differ where one of them begins or ends otherwise."""
    long = {f"{'x' * 200}{letter}{'y' * 20}": RANKINGS.take(FEW) for letter in "ab"}
    ax = plots.side_by_side(long)
    FigureCanvasAgg(ax.figure).draw()
    words = [tick.get_text() for tick in ax.get_yticklabels()][:2]
    assert words == [f"{'x' * 23}...x{letter}{'y' * 20}" for letter in "ab"]
    assert ax.bbox.width > 0.3 * ax.figure.bbox.width


@pytest.mark.parametrize(("name", "longest"), [("a", 1), ("a name of 21 letters..", 20)])
def test_the_legend_of_lists_is_inside_of_the_picture(longest, name):
    ax = plots.side_by_side({name: RANKINGS.take(FEW)}, longest)
    FigureCanvasAgg(ax.figure).draw()
    legend, whole = ax.get_legend().get_window_extent(), ax.figure.bbox
    assert whole.x0 <= legend.x0 < legend.x1 <= whole.x1


def test_the_numbers_of_scores_are_inside_of_their_columns():
    ax = plots.scores(pd.DataFrame({"OIE": [-1234.5, 1.0], "AP": [0.0, 1.0]}))
    FigureCanvasAgg(ax.figure).draw()
    for column in range(2):
        left, right = ax.transData.transform([(column, 0), (column + 1, 0)])[:, 0]
        for text in ax.texts[3 * column + 1 :][:2]:
            box = text.get_window_extent()
            assert left <= box.x0 < box.x1 <= right, text


def test_the_line_of_relevant_documents_has_the_bins_of_the_cuts():
    """Amigó et al. 2022, figure 2: a topic with 1 relevant document, one with 40 and one with none."""
    table = study.cuts("RBPT", None, {"s": RANKINGS})
    qrels = {"1": {"a": 1}, "2": {str(n): 1 for n in range(40)}, "3": {"a": 0}}
    [line] = [line for line in plots.cuts(table, qrels=qrels).lines if "relevant" in str(line.get_label())]
    found = dict(zip([bin_name(number) for number in range(7)], line.get_ydata().round(1)))
    assert {name: share for name, share in found.items() if share} == {"0": 33.3, "1-4": 33.3, "33-64": 33.3}


def test_differences_by_topic_are_sorted_by_the_first_measure():
    """Sakai 2004, figure 3."""
    qrels = {str(n): {"a": 1, "b": 1} for n in range(4)}
    runs = {"AF": {"0": ["x", "a"], "1": ["a", "b"], "2": ["a"], "3": []}}
    runs["noAF"] = {topic: ["x", "a"] for topic in qrels}
    ax = compare("RR Q", qrels, runs).plot_topics()
    assert ax.lines[0].get_ydata().tolist() == [0.5, 0.5, 0, -0.5]
    assert ax.get_ylabel() == "AF less noAF"
