"""The page that shows runs: what stands in it, that it escapes names, is small, and works in a browser."""

import gzip
import hashlib
import html
import html.parser
import itertools
import json
import os
import re
import shutil

import ir_measures
import numpy as np
import pandas as pd
import pytest
from messages import refused

import ir_trunc
from ir_trunc import InputError, IrTruncError, IrTruncWarning, report
from ir_trunc._cli.main import main
from ir_trunc._read.reading import Columns
from ir_trunc._report.report import read_texts

ODD = '<img src=x onerror="alert(1)">&\'`{{ 7*7 }}'
QRELS = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0, "b": 0}, ODD: {"a": 1}, "q10": {"b": 2, "c": 0}}
RUNS = {
    "long": {topic: ["b", "a", "x", "c"] for topic in QRELS},
    ODD + "run": {"q1": ["a", "c"], ODD: ["a", "x"], "q10": ["c"]},
}
VOID = {"meta", "br", "input", "img", "link", "hr"}
OPTIONAL = {"li", "p", "td", "th", "tr", "tbody", "thead"}  # elements whose ends may be left out


class Page(html.parser.HTMLParser):
    """Elements with their attributes and texts; complains where an end has no beginning."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open[-1] != tag:
            assert self.open.pop() in OPTIONAL, f"</{tag}> ends no {self.open[-1]}"
        self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def page():
    return report("RBPT nDCG c@1", QRELS, RUNS, baseline="long")


def test_names_are_text_whatever_stands_in_them(page):
    found = Page(page)
    assert not found.all("img")
    assert not [attrs for _, attrs in found.elements if any(name.startswith("on") for name in attrs)]
    assert "".join(found.texts).count(ODD) >= 4
    assert {attrs["data-id"] for attrs in found.all("tbody") if "data-id" in attrs} == set(QRELS)


def test_the_page_needs_nothing_from_elsewhere(page):
    found = Page(page)
    assert not found.all("link")
    assert not [attrs for _, attrs in found.elements if {"src", "srcset"} & set(attrs)]
    assert all(attrs["href"].startswith("#") for attrs in found.all("a"))
    policy = next(attrs["content"] for attrs in found.all("meta") if "http-equiv" in attrs)
    assert "default-src 'none'" in policy
    assert "url(" not in page
    assert "@import" not in page


def test_the_page_can_be_read_by_ear(page):
    found = Page(page)
    tables = [at for at, (tag, _) in enumerate(found.elements) if tag == "table"]
    inner = len([attrs for attrs in found.all("details") if attrs.get("id", "").startswith("t")])
    captions = [at for at, (tag, _) in enumerate(found.elements) if tag == "caption"]
    assert len(captions) == len(tables) - inner
    assert all(attrs.get("scope") in ("row", "col") for attrs in found.all("th"))
    assert all(attrs.get("aria-label") or attrs.get("aria-hidden") for attrs in found.all("svg"))
    headings = [tag for tag, _ in found.elements if tag in ("h1", "h2", "h3")]
    sections = [attrs["id"] for attrs in found.all("section")]
    assert headings == ["h1", *["h2"] * len(sections)]
    assert [attrs["href"][1:] for attrs in found.all("a")][: len(sections)] == sections
    assert found.all("html")[0]["lang"] == "en"
    anchors = {attrs["href"][1:] for attrs in found.all("a")}
    assert anchors <= {attrs["id"] for _, attrs in found.elements if "id" in attrs}


def rows_of(page, topic):
    """Of each system: the numbers of its list, and the list by rank in signs."""
    part = page.split(f'data-id="{topic}"')[1].split("</tbody>")[0]
    rows = [row.split("<td>") for row in part.split("<tr><th scope=row>")[1:]]
    signs = "<i aria-hidden=true>(.*?)</i>"
    return {row[0]: (*row[1:6], re.search(signs, "".join(row))[1]) for row in rows}


def test_a_topic_shows_its_lists_by_rank_with_their_ends_and_best_cuts(page):
    curve = ir_trunc.curves("RBPT", QRELS, RUNS["long"])["RBPT"]
    at = curve.topics.index("q1")
    best, score = (of[at] for of in curve.best())
    own = curve.own()[at]
    *numbers, signs = rows_of(page, "q1")["long"]
    assert numbers == [f"{own:.4f}", f"{score - own:.4f}", "4", str(best), "2"]
    assert signs.replace("✂", "") == "○●·●┃"
    assert signs.index("✂") == best if best < 4 else "✂" not in signs
    assert [row[-1] for name, row in rows_of(page, "q2").items() if name != "long"] == ["┃"]


@pytest.mark.parametrize("measure", ["RBPT", "OIE", "LastRel"])
def test_curves_fill_their_picture_and_stay_inside(measure):
    """Points from x = 4 to 92 and from y = 4 (the highest score of a topic) to 20 (the lowest)."""
    page = report(measure, QRELS, RUNS)
    for topic, name in itertools.product(["q1", "q10"], RUNS):
        part = page.split(f'data-id="{topic}"')[1].split("</tbody>")[0]
        paths = re.findall(r'<svg aria-hidden=true><path d="([^"]*)"/><path d="M(\d+) (\d+)h0"/>', part)
        points = [[tuple(map(int, xy)) for xy in re.findall(r"(\d+) (\d+)", path)] for path, *_ in paths]
        x, y = zip(*itertools.chain(*points))
        assert (min(x), max(x), min(y), max(y)) == (4, 92, 4, 20)
        curves = ir_trunc.curves(measure, QRELS, RUNS[name])[measure]
        at = curves.topics.index(topic)
        best, end = curves.best()[0][at], len(list(curves.rows())[at][1]) - 1
        shown = [int(x) for _, x, y in paths]
        longest = max(len(run.get(topic, [])) for run in RUNS.values())
        assert round(4 + 88 * np.log1p(best) / np.log1p(longest)) in shown
        assert max(of[-1][0] for of in points) == 92
        assert any(of[-1][0] == round(4 + 88 * np.log1p(end) / np.log1p(longest)) for of in points)


def test_a_curve_of_one_document_goes_from_side_to_side():
    page = report("RBPT", {"q": {"a": 1}, "r": {"b": 1}}, {"one": {"q": ["a"], "r": ["b"]}})
    assert re.findall(r'<svg aria-hidden=true><path d="([^"]*)"', page) == ["M4 20L92 4"] * 2


def test_topics_come_with_the_largest_regret_first(page):
    regrets = [float(value) for value in re.findall(r'<tr class="top">(?:.*?<td>){4}([\d.]+)', page)]
    assert len(regrets) == 4
    assert regrets == sorted(regrets, reverse=True)


def test_without_a_measure_of_single_lists_there_are_no_curves():
    page = report("c@1", QRELS, RUNS)
    assert {attrs["id"] for attrs in Page(page).all("section")} & {"lengths", "policies"} == set()
    assert "no measure of the page scores each list by itself" in page
    assert "regret" not in page.lower().split("</style>")[1].split("<script>")[0]
    Page(page)


def test_a_measure_need_not_be_one_that_text_can_name():
    """One that a user defines, and one whose parameter is a number of numpy's."""
    own = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="Returned")
    text = report(["RBPT", own, ir_trunc.AP(rel=np.int64(2))], TWELVE, THREE, folds=2)
    assert "Returned" in text
    assert "AP(rel=" in text


@pytest.mark.parametrize(("qrels", "runs", "said"), [
    ({"1": {"a": 1}}, {"one": {"1": ["a"]}}, "one topic cannot be split"),
    ({"1": {"a": 0}, "2": {}}, {"one": {}}, "2 of them nil queries"),
    ({"1": {"a": 1}, "2": {"a": 1}}, {"one": {"1": ["a"]}}, "none of them a nil query"),
])  # fmt: skip
def test_small_and_one_sided_collections_have_a_page(qrels, runs, said):
    page = report("RBPT c@1", qrels, runs)
    assert said in page
    Page(page)


def test_the_page_ends_with_the_topics_and_assumptions_of_each_run(page):
    shown = html.unescape("".join(re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)))
    for name, run in RUNS.items():
        universe = ir_trunc.calc("RBPT", QRELS, run).universe
        assert f"{name}\n{universe}\n" in shown


def test_runs_that_can_be_read_once_only_are_kept():
    run = (ir_measures.ScoredDoc(topic, "a", 1.0) for topic in "12")
    assert "mean length 1.0" in report("RBPT", {"1": {"a": 1}, "2": {"a": 1}}, {"one": run})


TWELVE = {str(topic): {"a": 1, "b": 1} for topic in range(12)}
THREE = {
    "good": {topic: {"a": 2.0, "b": 1.0} for topic in TWELVE},
    "same": {topic: {"a": 1.0, "b": 2.0} for topic in TWELVE},
    "poor": {topic: {"x": 2.0, "a": 1.0} if int(topic) % 4 else {"x": 1.0} for topic in TWELVE},
}


def verdict(page):
    return [" ".join(words.split()) for words in re.findall(r'<p class="verdict">(.*?)</p>', page)]


def test_the_verdict_says_who_is_better_by_how_much_and_with_what_certainty():
    page = report("RR", TWELVE, THREE)
    means = ir_trunc.compare("RR", TWELVE, THREE)["RR"]
    assert means.to_list() == [1.0, 1.0, 0.375]
    first, second = verdict(page)
    assert "good has a mean RR of 1.0000, and same, the next, of 1.0000: a difference of 0.0000" in first
    assert "it differs significantly from 1 of the 2 other systems" in first
    best = "The best of 3 policies for good, Greedy, is to be expected to change this mean"
    assert second.startswith(f"{best} by 0.0000 on new topics (95 % interval -0.2")
    assert second.endswith("with 1.0 documents in a list in place of 2.0.")
    two = {name: THREE[name] for name in ("good", "poor")}
    against, _ = verdict(report("RR", TWELVE, two, baseline="good"))
    pairs = ir_trunc.compare("RR", TWELVE, two, baseline="good").pairs()
    low, high, p = pairs.iloc[0][["low", "high", "p"]]
    of_test = f"(95 % interval of the test {low:+.4f} to {high:+.4f}, significant, p = {p:.2g})"
    means = "poor has a mean RR of 0.3750, and good, the baseline, of 1.0000"
    assert against == f"{means}: a difference of -0.6250 {of_test}."
    assert verdict(report("RR", TWELVE, {"poor": THREE["poor"]}))[0] == "poor has a mean RR of 0.3750."


def test_the_verdict_names_what_it_shows():
    """A count is no mean, p values are corrected for several pairs, and one topic is few."""
    counts = report("NumRet", TWELVE, THREE)
    assert verdict(counts)[0].startswith("good has a total NumRet of 24.0000")
    three = report("RR", TWELVE, THREE, baseline="good")
    assert "corrected for 2 comparisons by Holm)" in verdict(three)[0]
    found = ir_trunc.compare("RR", TWELVE, THREE, baseline="good").tested
    for row in range(2):  # an interval holds 0 just where its p value is above alpha
        holds = found["at_low"][0, row] <= 0 <= found["at_high"][0, row]
        assert holds == (found["p"][0, row] > 0.05)
    assert sorted(found["level"][0]) == [0.025, 0.05]
    assert "(95 % interval" in verdict(three)[0]  # of the larger p value
    one = report("RBPT", {"1": {"a": 1, "b": 0}}, {"good": {"1": ["a"]}, "poor": {"1": ["b"]}})
    assert "Read with care, as 1 topic is few for a test:" in verdict(one)[0]


def test_what_a_policy_would_change_is_not_certain_where_all_scores_are_equal():
    """Of 12 topics."""
    table = ir_trunc.truncation.cross_validate("Greedy", "RR", TWELVE, {"good": THREE["good"]}, 4)
    assert (table["low"][0], table["high"][0]) == pytest.approx((0.025 ** (1 / 12), 1))
    page = report("RR", TWELVE, {"good": THREE["good"]})
    low, high = map(float, re.findall(r"95 % interval ([-+.\d]+) to ([-+.\d]+)\)", verdict(page)[1])[0])
    widest = 1 - 0.025 ** (1 / 12)  # of twelve differences of 0, from -1 to 1; by draws
    assert (low, high) == pytest.approx((-widest, widest), abs=0.03)


def test_of_a_measure_of_losses_the_lowest_mean_is_the_best():
    (first, *_) = verdict(report("HarmCompat", {"1": {"a": -1, "b": 0}, "2": {"a": -1, "b": 0}}, {
        "harms": {"1": ["a"], "2": ["a"]}, "harmless": {"1": ["b"], "2": ["b"]}
    }))  # fmt: skip
    caution, best = first.split("</strong> ")
    assert caution == "<strong>Read with care, as 2 topics are few for a test:"
    assert best.startswith("harmless has a mean HarmCompat (lower is better) of 0.0000, and harms, the next,")


def test_the_result_of_a_gate_stands_below_the_verdict():
    gate = ir_trunc.check("RR worsens 0.1", TWELVE, THREE["poor"], baseline=THREE["good"])
    page = report("RR", TWELVE, THREE, gate=gate)
    assert "The gate failed." in page.split("<nav")[0]
    assert gate.lines()[0].replace(">", "&gt;") in page.split("<nav")[0]
    assert "The gate" not in report("RR", TWELVE, THREE)
    conditions = ["RR worsens 0.001", "wrongly > 0.5"]  # of no empty list
    gate = ir_trunc.check(conditions, TWELVE, THREE["good"], baseline=THREE["good"])
    assert gate.passed
    assert "The gate is undecided." in report("RR", TWELVE, THREE, gate=gate)
    refused(IrTruncError, "gate", report, "RR", TWELVE, THREE, gate="failed")


def test_charts_have_a_dot_at_each_mean_and_a_bar_for_its_interval(page):
    comparison = ir_trunc.compare("RBPT nDCG c@1", QRELS, RUNS, baseline="long", intervals=True)
    charts = page.split('id="comparison"')[1].split("<table>")[0].split("<figure>")[1:]
    assert len(charts) == 3
    for chart, row in zip(charts, range(3)):
        mean, low, high = (comparison.means[name][row] for name in ("all", "low", "high"))
        low, high = (np.where(np.isnan(bound), mean, bound) for bound in (low, high))
        x = 142 + 160 * (np.array([mean, low, high]) - low.min()) / (np.ptp([low, high]) or 1)
        dots = [int(x) for x in re.findall(r'<circle class="own" cx="(\d+)"', chart)]
        assert dots == pytest.approx(x[0], abs=1)
        bars = [tuple(map(int, x)) for x in re.findall(r'class="range" d="M(\d+) \d+H(\d+)"', chart)]
        ends = [(a, b) for a, b in zip(x[1], x[2]) if b > a]
        assert bars == [pytest.approx(end, abs=1) for end in ends]


def test_lengths_are_those_of_the_lists_where_a_measure_has_a_cutoff():
    runs = {"long": {topic: [*"abcdefghijkl"] for topic in TWELVE}}
    page = report("RBPT@3", TWELVE, runs)
    assert "mean length 12.0, median best cut 2" in page
    assert "RBPT@3 reads no more than 3 documents of a list" in page
    assert "in place of 12.0" in verdict(page)[1]


def test_sections_without_content_are_left_out():
    two, always = {"good": THREE["good"], "poor": THREE["poor"]}, {"comparison", "lengths", "policies"}
    always |= {"topics", "provenance"}
    assert {attrs["id"] for attrs in Page(report("RR", TWELVE, two)).all("section")} == always
    # The values of two runs are the same, which is a note.
    assert {attrs["id"] for attrs in Page(report("RR", TWELVE, THREE)).all("section")} == {*always, "notes"}


def test_lists_without_scores_have_the_policies_that_need_none():
    page = report("RR", TWELVE, {"one": {topic: ["a", "x"] for topic in TWELVE}})
    assert "Only Greedy and Oracle were tried as policies" in page.split('id="notes"')[1]
    assert "The best of one policy for one, Greedy," in verdict(page)[1]


def test_texts_of_queries_and_documents_are_shown():
    texts = {"a": "apples & <pears>", "b": "b" * 500}
    page = report("RR", TWELVE, {"poor": THREE["poor"]}, queries={t: f"query {t}!" for t in TWELVE},
                  documents=texts | {"x": "other"})  # fmt: skip
    part = page.split('data-id="1"')[1].split("</tbody>")[0]
    assert "1: query 1!" in part
    assert re.findall(r"<li>(.*)", part) == ["x: other", "● a: apples &amp; &lt;pears&gt;"]
    assert "b" * 200 not in report("RR", TWELVE, THREE, documents=texts | {"x": "other"})
    with pytest.warns(IrTruncWarning, match=r"documents: no text for 1 of 2 \(for example 'x'\)"):
        assert "<li>x\n" in report("RR", TWELVE, {"poor": THREE["poor"]}, documents=texts)
    lists, why = {"one": ir_trunc.rank(TWELVE, THREE["good"])}, "Rankings, which have no ids of documents"
    refused(InputError, why, report, "RR", None, lists, documents=texts)


def test_the_page_ends_with_where_it_comes_from(tmp_path):
    (tmp_path / "my.qrels").write_bytes(gzip.compress(b"1 0 a 1\n2 0 b 1\n"))
    pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [2.0]}).to_parquet(tmp_path / "my.run")
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.iterdir()]
    with pytest.warns(IrTruncWarning, match=re.escape(str(tmp_path))):
        page = report("RR", tmp_path / "my.qrels", [tmp_path / "my.run"], command="ir_trunc report <it>")
    last = page.split('id="provenance"')[1]
    for part in (*digests, "my.qrels", "ir_trunc report &lt;it&gt;", ir_trunc.__version__, "relevant grades"):
        assert part in last
    assert str(tmp_path) not in page
    assert "run my.run: 1 of the 2 topics" in page


@pytest.mark.full
def test_many_lists_make_a_page_below_2_mb():
    rng = np.random.default_rng(0)
    docs = [f"d{at}" for at in range(300)]
    qrels = {str(300 + t): {d: int(rng.random() < 0.1) for d in docs[:150]} for t in range(250)}
    lists = ({t: rng.permutation(docs)[: rng.integers(0, 120)].tolist() for t in qrels} for _ in range(20))
    runs = {f"system-{number:02d}.run": run for number, run in enumerate(lists)}
    page = report("RBPT nDCG@10 c@1", qrels, runs, folds=2)
    assert len(page.encode()) < 2_000_000
    assert "5000 lists are many for one page: each is shown to rank 16" in page


def test_the_command_writes_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 t\n2 Q0 a 1 2.0 t\n2 Q0 b 2 1.0 t\n")
    assert main(["report", "qrels", "run", "-m", "RBPT AP", "-o", "page.html", "--title", "A & B"]) == 0
    assert "<h1>A &amp; B</h1>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert main(["report", "qrels", "run", "-o", "qrels"]) == 2
    assert main(["report", "qrels", "missing", "-o", "page.html"]) == 2
    assert main(["report", "qrels", "run", "-m", "RBTP", "-o", "page.html"]) == 2
    assert capsys.readouterr().err.count("\n") == 3


@pytest.fixture(scope="module")
def browser():
    sync = pytest.importorskip("playwright.sync_api")
    known = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    program = os.environ.get("IR_TRUNC_CHROMIUM") or next(filter(None, known), None)
    if program is None:
        pytest.skip("there is no Chromium: install Debian's package, or name one in IR_TRUNC_CHROMIUM")
    with sync.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def visit(browser, page, tmp_path):
    """Open the page; complaints of the browser and all requests are collected."""
    contexts = []

    def opened(width=1280, text=page, **options):
        (tmp_path / "report.html").write_text(text, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.said, tab.asked = [], []
        tab.on("console", lambda message: tab.said.append(message.text))
        tab.on("pageerror", lambda error: tab.said.append(str(error)))
        tab.on("dialog", lambda dialog: tab.said.append(dialog.message))
        tab.on("request", lambda request: tab.asked.append(request.url))
        tab.goto((tmp_path / "report.html").as_uri())
        return tab

    yield opened
    for context in contexts:
        context.close()


def shown_topics(tab):
    return tab.eval_on_selector_all("tbody[data-id]:not([hidden])", "all => all.map(one => one.dataset.id)")


def test_topics_are_sorted_by_a_click_and_filtered_by_text_and_by_kind(visit):
    tab = visit()
    for direction in ("descending", "ascending"):
        tab.click("thead button:text-is('topic')")
        assert tab.get_attribute("#topics-table > thead th:first-child", "aria-sort") == direction
    assert [topic for topic in shown_topics(tab) if topic != ODD] == ["q1", "q2", "q10"]
    tab.click("thead button:text-is('relevant')")
    assert shown_topics(tab)[:: len(QRELS) - 1] == ["q1", "q2"]
    tab.fill("#filter", "Q1")
    assert sorted(shown_topics(tab)) == ["q1", "q10"]
    assert tab.inner_text("#shown") == "2 of 4 topics shown"
    tab.fill("#filter", "")
    tab.check("#only-nil")
    assert shown_topics(tab) == ["q2"]
    assert tab.said == []
    assert len(tab.asked) == 1


def test_a_topic_opens_by_click_and_by_keyboard(visit):
    tab = visit()
    lists = tab.locator("tbody[data-id=q1] details[id] > table")
    assert not lists.is_visible()
    tab.click("tbody[data-id=q1] tr.top a")
    assert "long" in lists.inner_text()
    tab.focus("tbody[data-id=q1] tr.top a")
    tab.keyboard.press("Enter")
    assert not lists.is_visible()


def test_the_page_is_whole_without_javascript(visit):
    tab = visit(java_script_enabled=False)
    assert not tab.locator("#filter").is_visible()
    assert tab.locator("thead button").count() == 0
    tab.click("tbody[data-id=q1] summary")
    assert tab.locator("tbody[data-id=q1] details[id] > table").is_visible()


BOXES = "all => all.map(one => { const b = one.getBBox(); return [b.x, b.y, b.width, b.height] })"


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_overlaps_or_runs_out_of_the_window(visit, width):
    tab = visit(width)
    tab.click("tbody[data-id=q1] tr.top a")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    shadow = tab.eval_on_selector(".wide", "one => getComputedStyle(one).backgroundAttachment")
    assert sorted(shadow.split(", ")) == ["local", "local", "scroll", "scroll"]  # a shadow where it scrolls
    boxes = tab.eval_on_selector_all(
        "h1, h2, main p, nav, .wide, .plots, .filter",
        "all => all.filter(one => one.offsetHeight && !one.closest('.wide .wide, .wide p'))"
        ".map(one => { const box = one.getBoundingClientRect(); return [box.top, box.bottom] })",
    )
    for above, below in itertools.pairwise(boxes):
        assert above[1] <= below[0] + 1 or above[0] <= below[0] < below[1] <= above[1]
    labels = tab.eval_on_selector_all("#lengths svg text", BOXES)
    svg = tab.locator("#lengths svg").first.get_attribute("viewBox").split()
    assert all(x >= 0 and x + w <= float(svg[2]) + 1 for x, _, w, _ in labels)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("width", [1280, 400])
def test_long_names_do_not_make_the_page_wider_than_the_window(visit, width):
    qrels = {f"<script>{'q' * 200}{n}": {"d": n % 2} for n in range(3)}
    runs = {f"{'s' * 200}-{n}": {topic: ["d"] for topic in list(qrels)[n:]} for n in range(3)}
    tab = visit(width, report("nDCG@10 RBPT", qrels, runs))
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_letters_in_pictures_are_large_enough_to_read(visit):
    """At least ten pixels, at 1280 and at 400, where the longest lists have 20,000 documents."""
    runs = {"long": {"q": [f"d{n}" for n in range(20_000)]}, "short": {"q": ["d1"]}}
    page = report("RBPT", {"q": {"d1": 1}}, runs)
    for width in (1280, 400):
        tab = visit(width, page)
        sizes = tab.eval_on_selector_all(
            "#lengths svg",
            "all => all.map(svg => parseFloat(getComputedStyle(svg.querySelector('text')).fontSize)"
            " * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)",
        )
        assert min(sizes) >= 10
        boxes = tab.eval_on_selector_all("#lengths figure:first-child svg text", BOXES)
        for (x, y, w, h), (x2, y2, w2, h2) in itertools.combinations(boxes, 2):
            apart = x + w <= x2 + 1 or x2 + w2 <= x + 1 or y + h <= y2 + 4 or y2 + h2 <= y + 4
            assert apart, boxes


def test_counts_of_one_are_in_the_singular():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
    words = " ".join(" ".join(Page(report("RBPT", qrels, {"one": {"q1": ["a"], "q2": ["a"]}})).texts).split())
    assert "1 system, 3 topics, 1 of them a nil query" in words
    assert "Means over the one nil query (nothing is relevant" in words
    assert "Means over the 2 topics with an answer" in words
    assert "-0.0000" not in words


def luminance(colour):
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return np.dot(linear, [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_in_light_and_dark(visit, scheme):
    tab = visit(color_scheme=scheme)
    ground = luminance(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (ground > 0.5) == (scheme == "light")
    for selector in ("body", "caption", "a", "small", "summary"):
        colour = luminance(tab.eval_on_selector(selector, "one => getComputedStyle(one).color"))
        low, high = sorted((colour, ground))
        assert (high + 0.05) / (low + 0.05) >= 4.5, selector


# Texts of queries and documents are read from every form, and refused with what would be right.

TEXTS = {"1": "first question?", "q2": "a & b"}
FORMS = {
    "lines": "1\tfirst  question?\nq2\ta & b\n",
    "object": json.dumps(TEXTS),
    "json lines": "".join(json.dumps({"_id": name, "text": words}) + "\n" for name, words in TEXTS.items()),
    "list": json.dumps([{"qid": name, "query": words} for name, words in TEXTS.items()]),
    "trec": "<top>\n<num> Number: 1\n<title> first question?\n</top>\n"
    "<top><num>q2</num><title>a &amp; b</title></top>",
    "xml": '<topics><topic number="1"><query>first question?</query></topic>'
    '<topic number="q2"><query>a &amp; b</query></topic></topics>',
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_any_form_has_the_texts(form, tmp_path):
    (tmp_path / "texts").write_text(FORMS[form])
    assert read_texts("queries", tmp_path / "texts", ["1", "q2"]) == TEXTS
    with gzip.open(tmp_path / "texts.gz", "wt") as file:
        file.write(FORMS[form])
    assert read_texts("queries", str(tmp_path / "texts.gz"), ["q2"]) == {"q2": "a & b"}


def test_texts_of_a_csv_have_the_names_of_its_header(tmp_path):
    (tmp_path / "texts.csv").write_text('query,text\n1,"one, two"\nq2,three\n')
    columns = Columns({"query_id": "query"})
    assert read_texts("queries", tmp_path / "texts.csv", ["1"], columns) == {"1": "one, two"}
    (tmp_path / "texts.csv").write_text("qid;query\n1;one\n")
    assert read_texts("queries", tmp_path / "texts.csv", ["1"]) == {"1": "one"}


def test_documents_have_names_of_their_own(tmp_path):
    (tmp_path / "docs").write_text("<DOC>\n<DOCNO>7</DOCNO>\nsome\nwords\n</DOC>")
    assert read_texts("documents", tmp_path / "docs", ["7"]) == {"7": "some words"}
    (tmp_path / "docs").write_text('{"docno": "7", "title": "A title", "text": "and words"}')
    assert read_texts("documents", tmp_path / "docs", ["7"]) == {"7": "A title and words"}


def test_a_data_set_has_queries_and_documents():
    passages = pytest.importorskip("ir_trunc.synthetic.passages")
    dataset = passages.passage_collection(seed=0)
    query, document = next(dataset.queries_iter()), next(dataset.docs_iter())
    assert read_texts("queries", dataset, [query.query_id]) == {query.query_id: query.text}
    wanted = read_texts("documents", dataset, [document.doc_id])
    assert wanted == {document.doc_id: " ".join(document.text.split())}


def test_a_data_set_that_cannot_be_loaded_is_refused_with_the_reason():
    class Broken:
        dataset_id = "broken".lower

        def queries_iter(self):
            raise OSError("there is no disk")

    why = "data set broken cannot be loaded: there is no disk"
    refused(InputError, why, read_texts, "queries", Broken(), ["1"])


def test_ids_without_a_text_are_counted():
    with pytest.warns(IrTruncWarning, match=r"queries: no text for 1 of 2 \(for example '2'\)"):
        assert read_texts("queries", {1: "one"}, ["1", "2"]) == {"1": "one"}
    assert read_texts("queries", None, ["1"]) == {}


@pytest.mark.parametrize(("content", "message"), [
    ("no tab here\n", "line 1: there is no tab between an id and a text"),
    ('{"1": 5}', "the text of '1' is int"),
    ('{"_id": "1"}\n{"_id": "2"}\n', "line 1: an object with an id and a text is needed"),
    ("[1, 2]", "an object with an id and a text is needed"),
    ("<html>no topics</html>", "holds no <top>, <topic> or <doc>"),
    ("<top>no number</top>", "has no id"),
    ("1\tone\n1\tone\n1\ttwo\n", "queries: '1' has two texts, 'one' and 'two'; each id needs one"),
])  # fmt: skip
def test_what_is_not_texts_is_refused(content, message, tmp_path):
    (tmp_path / "bad").write_text(content)
    refused(InputError, message, read_texts, "queries", tmp_path / "bad", ["1"])


def test_a_folder_does_not_hide_the_data_set_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vaswani").mkdir()
    monkeypatch.setattr("ir_trunc._report.report.load_dataset", {"vaswani": {"1": "one"}}.get)
    assert read_texts("queries", "vaswani", ["1"]) == {"1": "one"}
    refused(InputError, "there is no such file", read_texts, "queries", tmp_path, ["1"])
