"""The directive `play`: five lists, three measures, and a slider for the parameter of each.

ir_trunc computes every score that the page shows when the page is built, for each stop of the slider. The
script in the browser only draws them, so that no formula is written a second time.
"""

import html
import json
from pathlib import Path

import numpy as np
from docutils import nodes
from docutils.parsers.rst import Directive

import ir_trunc
from ir_trunc import Rankings
from ir_trunc.typing import Curve

LISTS = {
    "found at once": ([1, 1, 1] + 9 * [0], 3),
    "found late": ([0, 0, 0, 0, 1, 1, 1] + 5 * [0], 3),
    "here and there": ([1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0], 3),
    "one of many": ([1] + 11 * [0], 6),
    "nothing to find": (12 * [0], 0),
}
"""Grades by rank, and how many relevant documents there are."""

SLIDERS = {
    "RBPT": ("p", "persistence: how patient the reader is", [*np.arange(0.1, 0.96, 0.05).round(2).tolist()]),
    "RBPU": ("e", "effort of reading one document", [*np.arange(0, 0.31, 0.02).round(2).tolist()]),
    "OIE": (
        "beta",
        "weight of what list and judgments do not share",
        [*np.arange(1, 1.205, 0.01).round(2).tolist()],
    ),
}
"""Parameter, its meaning and its stops; each slider begins at the parameter's default."""


def rankings() -> Rankings:
    """The five lists, with the relevant documents that they lack."""
    lists = [grades for grades, _ in LISTS.values()]
    judged = [grades + (relevant - sum(grades)) * [1] for grades, relevant in LISTS.values()]
    return Rankings.from_lists(lists, judged=judged)


def _by_list(curve: Curve) -> list[np.ndarray]:
    return np.split(curve.values, curve.offsets[1:-1])


def table() -> dict[str, dict[str, object]]:
    """The slider of each measure; for each stop and list, the score at every cut, from no document to all."""
    drawn: dict[str, dict[str, object]] = {}
    for name, (parameter, meaning, stops) in SLIDERS.items():
        measures = [ir_trunc.parse_measure(f"{name}({parameter}={stop})") for stop in stops]
        curves = ir_trunc.curves(measures, None, rankings())
        default = ir_trunc.parse_measure(name).SUPPORTED_PARAMS[parameter].default
        drawn[name] = {
            "parameter": parameter,
            "meaning": meaning,
            "stops": stops,
            "start": int(np.abs(np.array(stops) - default).argmin()),
            "scores": [
                [values.round(4).tolist() for values in _by_list(curves[measure])] for measure in measures
            ],
        }
    return drawn


def page() -> str:
    """The HTML of the page: the lists, and all that the script draws."""
    data = json.dumps({"measures": table()}).replace("<", "\\u003c")
    choice = '<label><input type="radio" name="play-measure" value="{0}"{1}> {0}</label>&emsp;'
    choices = "".join(choice.format(name, " checked" * (name == "RBPT")) for name in SLIDERS)
    row = (
        "<tr><th scope='row'>{}<br><small>{}<br>{} relevant</small></th>"
        "<td><div class='play-curve'></div><small class='play-best'></small></td></tr>"
    )
    rows = "".join(
        row.format(html.escape(name), " ".join(map(str, grades)), relevant)
        for name, (grades, relevant) in LISTS.items()
    )
    return f"""
<div id="play">
<p class="play-controls">{choices}</p>
<p><label for="play-stop" id="play-label"></label> <input type="range" id="play-stop" min="0"></p>
<div class="pst-scrollable-table-container"><table class="table">
<caption>Score of each list, cut after 0 to 12 documents. The dot is the best cut.</caption>
<thead><tr><th scope="col">list, by rank</th><th scope="col">score by cut, best cut</th></tr></thead>
<tbody>{rows}</tbody></table></div>
<noscript>The slider needs JavaScript; <code>ir_trunc.curves</code> computes the same scores.</noscript>
</div>
<script type="application/json" id="play-data">{data}</script>
<script>{(Path(__file__).parent / "play.js").read_text(encoding="utf-8")}</script>
"""


class Play(Directive):
    """`{play}`: no content, no options."""

    def run(self):
        """The page's HTML as it is."""
        return [nodes.raw("", page(), format="html")]


def setup(app):
    """Make the directive known to Sphinx."""
    app.add_directive("play", Play)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
