"""Pictures can be read: letters large enough and apart, lines that differ on grey paper, whole ticks,
plain words.
"""

import re
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_plots import BEST, CURVE, PICTURES, RANKINGS

from ir_trunc import meta, plots
from ir_trunc.meta.guide import plot_guide
from ir_trunc.plots import _kit, _style
from ir_trunc.plots._labels import apart
from ir_trunc.synthetic import generated

matplotlib = pytest.importorskip("matplotlib")
FigureCanvasAgg = pytest.importorskip("matplotlib.backends.backend_agg").FigureCanvasAgg
Text = pytest.importorskip("matplotlib.text").Text
Annotation = pytest.importorskip("matplotlib.text").Annotation

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
    "properties": lambda: meta.properties("AP RBPT OIE", length=4).plot(),
    "impact": lambda: meta.truncation_impact("RBPT(p=0.5)@5", QRELS, RUNS).plot(),
    "guide": plot_guide,
    "grid": lambda: GRID.plot("RBP(p={p},rel=1)"),
    "whole grid": GRID.plot_all,
}


@cache
def drawn(name):
    """The figure, drawn, and its letters with the boxes that they fill; the tests only look at them."""
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


@pytest.mark.parametrize("name", ALL)
def test_no_words_overlap_or_are_cut_off(name):
    figure, found = drawn(name)
    found = [(text, box) for text, box in found if shows(text, figure)]
    assert found
    for (text, box), (other, its) in combinations(found, 2):
        width = min(box.x1, its.x1) - max(box.x0, its.x0)
        height = min(box.y1, its.y1) - max(box.y0, its.y0)
        assert min(width, height) <= 1.5, (text.get_text(), other.get_text())
    for text, box in found:
        inside = (
            box.x0 >= -1 and box.y0 >= -1 and box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1
        )
        assert inside, text.get_text()


@pytest.mark.parametrize("name", ALL)
def test_letters_are_at_least_eleven_pixels_where_a_page_is_830_wide(name):
    figure, found = drawn(name)
    scale = min(830 / 72 / figure.get_figwidth(), 100 / 72)
    for text, _ in found:
        assert text.get_fontsize() * scale >= 11, (text.get_text(), text.get_fontsize())


@pytest.mark.parametrize("name", ALL)
def test_titles_and_names_are_plain_words(name):
    """No template, no name of Python's."""
    for text, _ in drawn(name)[1]:
        assert not re.search(
            r"[{}]|None|dtype|Series|\b(tau_ap|generalised_risk|silence_recall)\b", text.get_text()
        )


COUNTED = ["curve", "lists", "lengths", "nil", "example", "side by side", "lines"]


@pytest.mark.parametrize("name", COUNTED)
def test_ranks_lengths_and_counts_have_whole_ticks(name):
    ax = PICTURES[name]()
    FigureCanvasAgg(ax.figure).draw()
    for axis in (ax.xaxis, ax.yaxis) if name in ("lengths", "nil") else (ax.xaxis,):
        words = [tick.get_text() for tick in axis.get_ticklabels()]
        assert words
        assert all(re.fullmatch(r"[0-9 +−-]*", word) for word in words), words


def test_short_lists_have_whole_ticks():
    for longest in (1, 2, 3, 7, 99, 101):
        ax = _kit.ready_axes(None)
        ax.plot([0, longest], [0, 1])
        _kit.length_axis(ax.xaxis, "length", longest)
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
    lightness = [grey(colour) for colour in _style.COLOURS]
    for count, least in ((4, 13), (7, 4.5)):
        steps = np.diff(sorted(lightness[:count]))
        assert steps.min() >= least, steps
    assert max(lightness) <= grey("#949494")  # three to one against white, as for all graphics
    assert grey(_style.GREY) - grey(_style.ACCENT) >= 15
    assert _style.INK not in _style.COLOURS


def test_names_are_moved_apart_by_as_little_as_they_must():
    wanted = np.array([5.0, 0.0, 5.0, 5.2, 20.0])
    places = apart(wanted, 1, 0, 20)
    order = np.argsort(places)
    assert (np.diff(places[order]) >= 1 - 1e-9).all()
    assert places[[1, 4]].tolist() == [0, 20]
    assert places[[0, 2, 3]].mean() == pytest.approx(wanted[[0, 2, 3]].mean())
    assert apart(np.array([1.0]), 1, 0, 2).tolist() == [1]
    crowded = apart(np.zeros(5), 1, 0, 2)  # more than there is room for: in order, from the lower end
    assert np.diff(crowded).tolist() == [1, 1, 1, 1]


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
        far = ax.transData.transform((1, 3))[1]
        assert abs(max(middles) - far) <= 1
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
    long = {f"{letter * 200}": RANKINGS for letter in "ab"}
    ax = plots.side_by_side(long)
    FigureCanvasAgg(ax.figure).draw()
    words = [tick.get_text() for tick in ax.get_yticklabels()][:2]
    assert words == [f"{letter * 24}...{letter * 12}" for letter in "ab"]
    assert ax.bbox.width > 0.3 * ax.figure.bbox.width


def test_every_measure_of_the_guide_is_a_link_to_its_entry():
    reference = Path(__file__).parents[2] / "notebooks" / "reference.md"
    entries = {
        name.lower() for name in re.findall(r"^### (\w+)$", reference.read_text("utf-8"), re.MULTILINE)
    }
    links = [text.get_url() for text in plot_guide().texts if text.get_url()]
    assert len(links) > 30
    assert {link.removeprefix("reference.html#") for link in links} <= entries


def test_the_best_cut_is_seen_where_it_is_the_own_end():
    """The square of the own end is inside the diamond of the best cut."""
    best, own = (line for line in plots.curve(CURVE, "3").lines if len(line.get_xdata()) == 1)
    assert best.get_markersize() > 1.5 * own.get_markersize()
    assert len(plots.lengths(BEST).texts) == 2
