"""Comparisons of systems: tests, intervals, effect sizes by their definitions, and tables that show them."""

import copy
import itertools
import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from messages import refused
from scipy import stats

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, ParameterError, Rankings, compare, meta
from ir_trunc._core.parameters import generator
from ir_trunc._inference.bounds import bootstrap_bounds
from ir_trunc._inference.estimate import Estimate
from ir_trunc._inference.significance import TESTS, Setting, corrected, paired_tests, residual_variance

pytestmark = pytest.mark.filterwarnings("ignore:.*probably a limit")  # the lists of RUNS are of one length

QRELS = {str(topic): {"a": 1, "b": 1, "c": 0} for topic in range(1, 10)} | {"10": {"a": 0}}
RUNS = {
    "bm25": {topic: ["c", "x", "a", "b"] for topic in QRELS},
    "good": {topic: ["a", "b"] if int(topic) % 3 else ["a"] for topic in list(QRELS)[:9]},
    "fair": {topic: ["a", "c", "b"] if int(topic) % 2 else ["c", "b", "a"] for topic in QRELS},
}


def setting(systems, alpha=0.05, repetitions=2000, seed=3):
    first, second = np.triu_indices(systems, k=1)
    return Setting(first, second, alpha, repetitions, seed)


def scores(systems=4, topics=12, seed=0):
    """Few different values, so that ties are common."""
    return np.round(np.random.default_rng(seed).random((systems, topics)) * 8) / 8


def test_the_t_test_is_scipy_s_with_its_interval_and_cohen_s_d():
    x, how = scores(), setting(4, alpha=0.1)
    found = paired_tests(x, "t", how)
    for at, (i, j) in enumerate(zip(how.first, how.second)):
        D = x[i] - x[j]
        asked = stats.ttest_rel(x[i], x[j])
        bounds = asked.confidence_interval(0.9)
        assert found.p[at] == pytest.approx(asked.pvalue)
        assert (found.low[at], found.high[at]) == pytest.approx((bounds.low, bounds.high))
        assert found.effect[at] == pytest.approx(D.mean() / D.std(ddof=1))


@pytest.mark.parametrize(("topics", "repetitions"), [(6, 1000), (9, 1000), (12, 300)])
def test_the_interval_of_the_randomisation_test_holds_what_it_does_not_reject(topics, repetitions):
    x, how = scores(2, topics, seed=topics) + 0.013, setting(2, repetitions=repetitions)
    found = paired_tests(x, "randomisation", how)
    for bound, outwards in ((found.low[0], -1e-6), (found.high[0], 1e-6)):
        for shift, rejected in ((bound + outwards, True), (bound - outwards, False)):
            p = paired_tests(np.array([x[0] - shift, x[1]]), "randomisation", how).p[0]
            assert (p <= how.alpha) == rejected
    few = paired_tests(scores(2, 4), "randomisation", setting(2))
    assert (few.low[0], few.high[0]) == (-np.inf, np.inf)


@pytest.mark.full
@pytest.mark.parametrize("test", ["tukey", "randomised-tukey"])
def test_an_interval_of_tukey_s_tests_excludes_0_only_where_the_difference_is_significant(test):
    """Few different values: a difference often equals the bound of the draws."""
    for seed in range(8):
        found = paired_tests(scores(2, 3 + seed % 4, seed), test, setting(2, repetitions=200))
        assert ((found.low > 0) | (found.high < 0)).tolist() <= (found.p <= 0.05).tolist(), seed


def test_tukey_s_test_has_the_residual_variance_of_a_two_way_analysis():
    pytest.importorskip("statsmodels")
    import statsmodels.formula.api as formula

    x = scores(4, 9, seed=5)
    table = pd.DataFrame([(s, t, x[s, t]) for s in range(4) for t in range(9)], columns=["s", "t", "x"])
    fitted = formula.ols("x ~ C(s) + C(t)", table).fit()
    assert residual_variance(x) == pytest.approx(fitted.mse_resid)
    found, how = paired_tests(x, "tukey", setting(4)), setting(4)
    for at, (i, j) in enumerate(zip(how.first, how.second)):
        q = abs(x[i].mean() - x[j].mean()) / np.sqrt(fitted.mse_resid / 9)
        assert found.p[at] == pytest.approx(stats.studentized_range.sf(q, 4, fitted.df_resid), abs=1e-9)


def test_randomised_tukey_permutes_systems_inside_topics():
    """The share of draws comes near the share of all permutations: 6^4 of 3 systems over 4 topics."""
    x = scores(3, 4, seed=2)
    rows = [list(itertools.permutations(column)) for column in x.T]
    ranges = [np.ptp(np.mean(chosen, axis=0)) for chosen in itertools.product(*rows)]
    found, how = paired_tests(x, "randomised-tukey", setting(3, repetitions=20_000)), setting(3)
    for at, (i, j) in enumerate(zip(how.first, how.second)):
        exact = np.mean(np.array(ranges) >= abs(x[i].mean() - x[j].mean()) - 1e-9)
        assert found.p[at] == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize("test", TESTS)
def test_equal_systems_do_not_differ_and_the_unit_of_a_measure_changes_no_p_value(test):
    x, how = scores(3, 10), setting(3, repetitions=200)
    x[1] = x[0]
    one, other = paired_tests(x, test, how), paired_tests(1000 * x, test, how)
    assert one.p[0] == 1
    assert one.low[0] <= 0 <= one.high[0]
    np.testing.assert_allclose([one.p, 1000 * one.low, one.effect], [other.p, other.low, other.effect])


@pytest.mark.parametrize("test", [test for test in TESTS if test != "sign"])  # it has no interval
def test_an_interval_without_zero_is_a_significant_difference(test):
    for seed in range(5):
        x = scores(3, 15, seed) + np.array([[0.0], [0.25], [0.5]])
        found = paired_tests(x, test, setting(3))
        zero = (found.low <= 1e-12) & (found.high >= -1e-12)
        near = np.abs(found.p - 0.05) < 1e-3
        assert ((found.p < 0.05) | near).tolist() == ((~zero) | near).tolist()


def test_a_comparison_with_a_baseline():
    found = compare("AP RBPT", QRELS, RUNS, baseline="bm25", correction="bh")
    assert found.compared == (("good", "bm25"), ("fair", "bm25"))
    aps = found.by_topic().query("measure == 'AP'").pivot(index="query_id", columns="system", values="value")
    p = [stats.ttest_rel(aps[name], aps["bm25"]).pvalue for name in ("good", "fair")]
    assert found.tested["p"][0] == pytest.approx(corrected(np.array(p), "bh"))
    assert found["AP"]["good"] == pytest.approx(aps["good"].mean())
    row = found.pairs().query("measure == 'AP' and system == 'good'").iloc[0]
    assert row["difference"] == pytest.approx((aps["good"] - aps["bm25"]).mean())
    assert row["low"] < row["difference"] < row["high"]


def test_the_table_marks_the_best_and_what_is_significant():
    lines = repr(compare("AP RBPT", QRELS, RUNS, baseline="bm25")).splitlines()
    assert next(line for line in lines if line.startswith("good ")).count("+*") == 2
    assert "* significantly different from bm25." in lines
    assert "Empty lists, which are scored as such: good 1." in lines
    assert not any("no marks" in line for line in lines)
    assert compare("AP", QRELS, RUNS).marked(digits=0).cells[0][0].text == "0"
    assert lines[0] == "Mean scores of 3 systems (baseline: bm25) over 10 topics, 1 of them a nil query"


def test_no_system_is_the_best_by_rounding():
    """The same scores in another order, whose sum differs in the last bit."""
    above = [1, 2, 3, 4, 5, 6, 7, 1, 3]
    qrels = {str(topic): {"a": 1} for topic in range(9)}
    orders = {"one": above, "other": [above[at] for at in (6, 5, 4, 0, 8, 7, 3, 2, 1)]}
    runs = {of: {q: [*"stuvwxyz"[:n], "a"] for q, n in zip(qrels, orders[of])} for of in orders}
    found = compare("RR", qrels, runs)
    assert len({*found["RR"]}) == 2
    assert "+" not in repr(found)
    assert repr(compare("RR", qrels, runs | {"worse": {}})).count("+") == 3  # both, and their legend


@pytest.mark.parametrize(("test", "measure"), [
    ("t", "RR"), ("t", "RBPU"), ("t", "c@1"), ("bootstrap", "RR"), ("randomisation", "RBPU"), ("tukey", "RR"),
    ("randomised-tukey", "c@1"),
])  # fmt: skip
@pytest.mark.parametrize("docs", [["a"], ["x", "a"]])
def test_equal_differences_of_few_topics_show_nothing(test, measure, docs):
    """Up to 63 % of all topics may be others than the three; of RBPU, without a lowest value, all."""
    qrels = {topic: {"a": 1} for topic in "123"}
    runs = {"old": {topic: ["a"] for topic in qrels}, "new": dict.fromkeys(qrels, docs)}
    for options in ({"intervals": True}, {"intervals": True, "baseline": "old", "margin": 0.1}):
        found = compare(measure, qrels, runs, test=test, repetitions=500, **options)
        assert found.tested["p"].min() > 0.05
        assert not (found.tested["high"] - found.tested["low"] < 1e-3).any()
        assert not (found.means["high"] - found.means["low"] < 1e-3).any()
        assert "By" not in repr(found) or repr(found).count(": none.") == 2
        assert "]" in repr(found) or measure == "RBPU"


def test_the_p_value_of_equal_differences_is_that_of_their_interval():
    """A third of 20 topics may have -1 in place of a half: (2 / 3)^20 of samples show the half alone."""
    qrels = {str(topic): {"a": 1} for topic in range(20)}
    runs = {"new": {topic: ["a"] for topic in qrels}, "old": {topic: ["x", "a"] for topic in qrels}}
    found = compare("RR HarmCompat", qrels, runs, baseline="old", margin=0.2)
    assert found.tested["p"][0, 0] == pytest.approx(2 * (1 / 1.5) ** 20)
    assert found.tested["p_not_worse"][0, 0] == pytest.approx((0.8 / 1.5) ** 20)
    assert found.tested["p_equivalent"][0, 0] == 1
    low = compare("RR", qrels, runs, baseline="old", alpha=found.tested["p"][0, 0]).tested["low"][0, 0]
    assert low == pytest.approx(0, abs=1e-9)
    # Both have no harm.
    assert [found.tested[name][1, 0] for name in ("p", "p_not_worse")] == pytest.approx([1, 0.8**20])


@pytest.mark.parametrize(("options", "says"), [
    ({"test": "tukey"}, "not corrected for the number of comparisons"),
    ({"test": "sign"}, "corrected for 2 comparisons by Holm"),
    ({"correction": "holm-all"}, "corrected for 4 comparisons by Holm"),
])  # fmt: skip
def test_the_tests_of_margins_say_how_they_are_corrected(options, says):
    text = " ".join(repr(compare("AP RBPT", QRELS, RUNS, baseline="bm25", margin=0.1, **options)).split())
    assert f"One-sided tests by the bounds of the measure, {says}, p < 0.05." in text


def test_without_a_baseline_all_pairs_are_compared():
    found = compare("AP RBPT", QRELS, RUNS)
    assert found.compared == tuple(itertools.combinations(RUNS, 2))
    assert found.correction == "holm"
    assert len(found.pairs()) == 6
    assert next(line for line in repr(found).splitlines() if line.startswith("b good")).count("+a") == 2


def test_a_measure_of_the_whole_run_is_tested_by_its_influence_values():
    found = compare("c@1", QRELS, RUNS, baseline="bm25")
    matrix = meta.score_matrix("c@1", QRELS, RUNS)
    good, bm25 = matrix.paired()[0][[1, 0]]
    assert found.pairs()["difference"][0] == pytest.approx((good - bm25).mean())
    assert found.tested["p"][0].min() == pytest.approx(2 * min(stats.ttest_rel(good, bm25).pvalue, 1), rel=1)
    assert not found.untested


def test_what_cannot_be_tested_is_shown_without_a_test_and_the_reason():
    found = compare("AP NumRet", QRELS, RUNS)
    assert found.untested == {"NumRet": "it is added up over topics."}
    assert np.isnan(found.tested["p"][1]).all()
    assert "Not tested: NumRet; it is added up over topics." in repr(found)
    assert found["NumRet"].tolist() == [40, 15, 30]
    single = {name: {"1": run["1"]} for name, run in RUNS.items()}
    one = repr(compare("AP c@1", {"1": QRELS["1"]}, single, intervals=True))
    assert "Not tested: AP, c@1; there is 1 topic, and a test needs two." in one
    assert "[0.0104, 0.9854]" in one  # what one topic says
    alone = compare("AP", QRELS, {"bm25": RUNS["bm25"]}, intervals=True)
    assert alone.compared == ()
    assert "Significance" not in repr(alone)
    assert "[" in repr(alone)


@pytest.mark.parametrize("measure", ["AP", "MAP", "AP(rel=1)", ir_trunc.AP, ir_trunc.parse_measure("AP")])
def test_the_means_of_a_measure_are_found_by_any_spelling(measure):
    found = compare("AP RR", QRELS, RUNS)
    assert found[measure].tolist() == found.to_pandas()["AP"].tolist()


def test_means_over_all_answerable_and_nil_queries():
    table = compare("AP c@1 NumRet", QRELS, RUNS).by_view()
    for name, run in RUNS.items():
        views = ir_trunc.calc("AP c@1 NumRet", QRELS, run).views()
        for view, part in views.items():
            assert table.loc[(view, name)].tolist() == list(part.aggregated.values())
    assert compare("AP", {"1": {"a": 1}}, {"one": {}}).by_view().loc[("nil", "one")].isna().all()


def test_not_worse_than_the_baseline_by_a_margin():
    found = compare("AP RBPT", QRELS, RUNS, baseline="bm25", margin={"AP": 0.1})
    assert found.margins == {"AP": 0.1}
    assert found.tested["p_not_worse"][0].max() < 0.05 < found.tested["p_equivalent"][0].min()
    assert np.isnan(found.tested["p_not_worse"][1]).all()
    of_margin = ["margin", "bounded_low", "bounded_high", "p_not_worse", "p_equivalent"]
    assert list(found.pairs().columns[-5:]) == of_margin
    scores = dict(zip(found.systems, found.values[0]))
    for row in found.pairs().query("measure == 'AP'").to_dict("records"):
        difference = Estimate(scores[row["system"]] - scores["bm25"], (-1, 1))
        alone = found.tested["p_alone"][0]
        assert difference.interval(0.1) == pytest.approx((row["bounded_low"], row["bounded_high"]), abs=1e-9)
        assert (difference.p_at_most(-0.1) < 0.05) == (row["bounded_low"] > -0.1)
        assert difference.t_test() == pytest.approx(alone[["good", "fair"].index(row["system"])])
    refused(ParameterError, "margin=0", compare, "AP", QRELS, RUNS, baseline="bm25", margin=0)
    assert "By AP not worse than bm25 within 0.1: good, fair." in repr(found)
    assert "By AP equivalent to bm25 within 0.1: none." in repr(found)


def test_warnings_that_runs_have_in_common_are_one():
    others = {"98": ["a"], "99": ["a"]}
    runs = {f"r{n}": RUNS[name] | others for n, name in enumerate(["bm25", "fair", "bm25"])}
    with pytest.warns(IrTruncWarning) as caught:
        found = compare("AP", QRELS, runs | {"last": runs["r0"] | {"97": ["a"]}, "well": RUNS["bm25"]})
    expected = "4 of 5 runs (for example r0): ignored 2 topics that are not in the qrels (for example 98)"
    expected += "; topics= names those to which nothing is relevant."
    said, equal = found.notes  # four runs are the same
    assert [str(warning.message) for warning in caught] == [said] == [expected]
    assert said in repr(found).replace("\n  ", " ")
    same = "Every topic has the same difference under AP for r0 and r2 and 5 other pairs, so the t test is"
    assert equal.startswith(f"{same} undefined")
    with pytest.warns(IrTruncWarning, match=r"^r0: ignored 2 topics"):
        compare("AP", QRELS, {"r0": runs["r0"], "well": RUNS["bm25"]})


def test_one_file_under_two_paths_is_one_run(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.0 t\n")
    (tmp_path / "link.run").symlink_to("a.run")
    (tmp_path / "x").mkdir()
    why, first = r"a\.run and .* are one file: give each run once", str(tmp_path / "a.run")
    for other in (tmp_path / "x" / ".." / "a.run", tmp_path / "link.run"):
        refused(InputError, why, compare, "AP", QRELS, [first, str(other)])


@pytest.mark.parametrize("target", ["nowhere", "link.run"])
def test_a_link_in_a_folder_of_runs_that_leads_nowhere_is_a_missing_run(tmp_path, target):
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.0 t\n")
    (tmp_path / "link.run").symlink_to(target)
    refused(FileNotFoundError, r"link\.run: there is no such file", compare, "AP", QRELS, tmp_path)


def test_a_comparison_is_loaded_as_it_was_saved_and_not_where_it_was_changed(tmp_path):
    path, found = tmp_path / "comparison.json", compare("AP RR", QRELS, RUNS)
    found.save(path)
    again = ir_trunc.typing.Comparison.load(path)
    assert repr(again) == repr(found) == repr(copy.deepcopy(found))
    assert again.tested["effect"].tolist() == found.tested["effect"].tolist()
    of_shape = "a value for each of the measures x"
    for old, new, message in (
        ('"p_equivalent"', '"p_equal"', of_shape), ('"shape": [2, 3]', '"shape": [3, 2]', of_shape),
        ('"RR"', '"RP"', "measures: There is no measure 'RP'"),
    ):  # fmt: skip
        path.write_text(path.read_text().replace(old, new))
        refused(InputError, rf"comparison\.json.*{message}", ir_trunc.typing.Comparison.load, path)
        found.save(path)


@pytest.mark.parametrize(("path", "value", "message"), [
    (["alpha"], 2.0, "alpha is 2.0: a number between 0 and 1"), (["alpha"], 0.0, "alpha is 0.0"),
    (["tested", "differ", "values", 1], 0.5, "tested, differ: numbers of topics"),
    (["tested", "up", "values", 0], "Infinity", "tested, up: numbers of topics"),
])  # fmt: skip
def test_a_comparison_with_numbers_that_cannot_be_is_not_loaded(tmp_path, path, value, message):
    saved = tmp_path / "comparison.json"
    compare("AP RR", QRELS, RUNS, test="sign").save(saved)
    content = json.loads(saved.read_text())
    part = content["data"]
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    saved.write_text(json.dumps(content))
    refused(InputError, f"comparison.json, {message}", ir_trunc.typing.Comparison.load, saved)


@pytest.mark.parametrize("name", ["bm25", "runs/bm25.run.gz", "bm25.run"])
def test_a_baseline_may_be_named_by_its_file(name, tmp_path):
    for run in ("bm25", "other"):
        (tmp_path / f"{run}.run").write_text("1 Q0 a 1 2.0 t\n2 Q0 a 1 2.0 t\n")
    assert compare("AP", QRELS, tmp_path, baseline=name).baseline == "bm25.run"


def test_runs_of_other_topics_are_refused():
    lists = {"one": Rankings.from_lists([[1], [0]]), "two": Rankings.from_lists([[1], [0], [1]])}
    refused(InputError, "'one' and 'two' have different topics", compare, "AP", None, lists)


ODD = {"a_b & 50%": RUNS["bm25"], "<b>{#}$~^\\": RUNS["good"]}


def test_the_latex_table_has_rules_marks_and_a_note():
    found = compare("AP RBPT", QRELS, ODD, baseline="a_b & 50%", intervals=True)
    table = found.to_latex("tab:main", digits=3)
    for part in (
        r"\toprule", r"\midrule", r"\bottomrule", r"\label{tab:main}", r"$^{*}$", r"\textbf{",
        r"a\_b \& 50\%", "Bold: the best mean of a measure.", r"* significantly different from a\_b \& 50\%.",
        r"\textless{}b\textgreater{}\{\#\}\$\textasciitilde{}\textasciicircum{}\textbackslash{}",
    ):  # fmt: skip
        assert part in table
    rows = table[table.index(r"\toprule") : table.index(r"\bottomrule")].splitlines()
    cells = [row.replace(r"\&", "").count("&") + row.count("multicolumn") for row in rows if "&" in row]
    assert cells == [4] * 4  # the name, and number and marks of each measure
    assert "of RBPT: p=0.8, tail=True, gain='linear', terminal='least', norm='ideal'.}" in table


def test_names_in_latex_have_no_file_endings_where_they_differ_without_them():
    runs = {"bm25.run": RUNS["bm25"], "new.v2.txt": RUNS["good"]}
    table = compare("AP", QRELS, runs, baseline="bm25.run").to_latex()
    assert r"new.v2 & \textbf" in table
    assert "(baseline: bm25)" in table
    assert "different from bm25." in table
    both = compare("AP", QRELS, {"bm25.run": RUNS["bm25"], "bm25.txt": RUNS["good"]}).to_latex()
    assert all(name in both for name in ("bm25.run", "bm25.txt"))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("baseline", [None, "a_b & 50%"])
def test_the_latex_table_compiles_and_fits_the_page(baseline, tmp_path):
    runs = ODD | {f"the_{n}th-run.with/a-name_that.is-longer/than_all.others": RUNS["bm25"] for n in range(6)}
    measures = "AP RBPT(p=0.9,terminal='full')@20 nDCG@10 OIE NumRet RBPU(e=0.01,p=0.9)@20"
    table = compare(measures, QRELS, runs, baseline=baseline, intervals=True).to_latex("tab:one")
    head = "\\documentclass{article}\\usepackage{booktabs,graphicx}"
    page = f"{head}\\begin{{document}}{table}\\end{{document}}"
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_tables_in_html_and_markdown_are_well_formed_and_escape_names():
    html = compare("AP RBPT", QRELS, ODD, baseline="a_b & 50%", intervals=True).to_html()
    page = ElementTree.fromstring(f"<page>{html.replace('<br>', '<br/>')}</page>")
    assert page.find("table/caption/span") is not None
    assert [row.text for row in page.findall("table/tbody/tr/th")] == list(ODD)
    assert [head.get("scope") for head in page.findall("table/thead/tr/th")] == ["col"] * 3
    lines = compare("AP RBPT", QRELS, {"a|b": RUNS["bm25"], "c": RUNS["good"]}).to_markdown().splitlines()
    cells = [line.replace("\\|", "").count("|") for line in lines if line.startswith("|")]
    assert cells == [4] * 4


def test_many_systems_have_no_letters():
    table = repr(compare("AP", QRELS, {f"s{at}": RUNS["fair"] for at in range(27)}))
    assert "More than 26 systems have no marks unless there is a baseline." in table.replace("\n  ", " ")
    assert "pairs() has the p values" in table


def nested(users=12):
    """Qrels and two equal systems over 30 days: a user's lists are alike."""
    random = np.random.default_rng(3)
    keys = [(f"u{user:02}", f"d{day:02}") for user in range(users) for day in range(30)]
    good = {f"u{user:02}": random.random(2) < 0.5 for user in range(users)}
    runs = {
        name: {(user, day): ["a", "b"] if good[user][at] else ["b", "a"] for user, day in keys}
        for at, name in enumerate(("one", "other"))
    }
    return {key: {"a": 1, "b": 0} for key in keys}, runs


@pytest.mark.parametrize("test", TESTS)
def test_lists_with_keys_are_tested_by_unit(test):
    qrels, runs = nested()
    found = compare("RR c@1", qrels, runs, test=test, keys="user/day", repetitions=200)
    values = [ir_trunc.calc("RR", qrels, run, keys="user/day").by("user")["RR"] for run in runs.values()]
    alone = paired_tests(np.stack(values), test, setting(2, repetitions=200, seed=0))
    ours = [found.tested[name][0] for name in ("p", "low", "high")]
    np.testing.assert_allclose(ours, [alone.p, alone.low, alone.high])
    assert (found.unit, found.units) == ("user", 12)
    assert found.significant[0, 0] == (found.tested["p"][0, 0] < 0.05)
    assert found.heading == "Mean scores of 2 systems over 12 users with 360 lists"
    assert found.untested == {"c@1": "it looks at all lists of a run, and has no values of its own by user."}


def test_few_units_are_reported_and_one_is_not_tested():
    qrels, runs = nested(users=9)
    assert "9 users are few for a test: take 10 or more." in repr(compare("RR", qrels, runs, keys="user/day"))
    qrels, runs = nested(users=1)
    alone = compare("RR", qrels, runs, keys="user/day")
    assert alone.untested == {"RR": "there is 1 user, and a test needs two."}
    assert compare("RR", qrels, runs, keys="user/day", unit="day").units == 30
    refused(ParameterError, "no key 'user'; they have none", compare, "AP", QRELS, RUNS, unit="user")


def test_the_mean_of_a_measure_of_the_whole_run_has_a_bca_interval():
    """Of 2,000 draws of topics."""
    random, runs = np.random.default_rng(1), {}
    for name, share in (("s0", 0.3), ("s1", 0.55)):
        right = (random.random((40, 1)) < share).astype(int).tolist()
        runs[name] = Rankings.from_lists(right, [[1, 0]] * 40, scores=random.random((40, 1)).tolist())
    found = compare("CWS AURC", None, runs)
    assert len(found.means) == 3  # bounds are computed when they are asked for
    assert "+ the best mean of a measure, the lowest of AURC." in repr(found)
    np.testing.assert_allclose(found.means["low"][0], 1 - found.means["high"][1])
    right, sure = runs["s0"].judged_grades > 0, runs["s0"].scores

    def cws(drawn):
        ordered = right[drawn[np.argsort(-sure[drawn], kind="stable")]]
        return (np.cumsum(ordered) / np.arange(1, len(ordered) + 1)).mean()

    expected = bootstrap_bounds(cws, len(right), 0.95, 2000, 0, method="BCa")
    assert (found.means["low"][0, 0], found.means["high"][0, 0]) == pytest.approx(expected)


@pytest.mark.parametrize(("options", "kind"), [
    ({}, "individual"), ({"correction": "bh"}, "individual"), ({"test": "tukey"}, "simultaneous"),
])  # fmt: skip
def test_it_stands_there_for_what_an_interval_holds(options, kind):
    text = repr(compare("AP", QRELS, RUNS, **options))
    assert f"Differences, with {kind} 95 % confidence intervals:" in text
    with_baseline = repr(compare("AP", QRELS, RUNS, baseline="bm25", intervals=True, **options))
    assert f"The intervals of the differences to bm25 have {kind} 95 % confidence." in with_baseline
    of_means = repr(compare("AP", QRELS, RUNS, intervals=True, **options))
    assert "The intervals of the means have individual 95 % confidence." in of_means


def test_the_sign_test_counts_topics_up_and_down():
    """Sakai 2004, table 2: of 195 questions, Q-measure is higher on 35 and lower on 5."""
    qrels = {f"q{n}": {"a": 1} for n in range(195)}
    better = {n: ["a"] if n < 35 else ["y", "x", "a"] for n in range(40)}
    runs = {"noAF": {q: ["x", "a"] for q in qrels}}
    runs["AF"] = {f"q{n}": better.get(n, ["x", "a"]) for n in range(195)}
    found = compare("Q c@1", qrels, runs, test="sign", correction=None)
    first = found.pairs().iloc[0]
    assert (first["up"], first["down"]) == (5, 35)  # noAF against AF
    assert first["p"] == pytest.approx(stats.binomtest(5, 40).pvalue)
    assert "*" not in str(found)
    assert "Letters behind a mean: better on significantly more topics than these systems." in str(found)
    assert found.untested["c@1"] == "it looks at all lists of a run, and the sign test counts topics."
    assert found.pairs().tail(1)["up"].isna().all()
    against = compare("Q", qrels, runs, baseline="noAF", test="sign")
    assert against.pairs().iloc[0][["up", "down"]].tolist() == [35, 5]
    power = meta.power(meta.score_matrix("Q", qrels, runs), "sign")
    assert power.pairs().iloc[0][["up", "down", "p"]].tolist() == first[["up", "down", "p"]].tolist()
    how = {"baseline": "noAF", "test": "sign", "intervals": True}
    refused(ParameterError, "'sign' has no intervals of the differences", compare, "Q", qrels, runs, **how)
    why = r"c@1 looks at all lists of a run.*the sign test counts topics"
    refused(InputError, why, meta.power, meta.score_matrix("c@1", qrels, runs), "sign")


def test_a_letter_of_the_sign_test_follows_the_topics_and_not_the_mean():
    qrels = {f"q{n}": {"a": 1} for n in range(20)}
    runs = {
        "best": {f"q{n}": ["a"] if n < 4 else [*"xyza"] for n in range(20)},
        "often": {f"q{n}": [*"xyz"] if n < 4 else [*"xya"] for n in range(20)},
    }
    found = compare("RR", qrels, runs, test="sign")
    assert (found.tested["up"][0, 0], found.tested["down"][0, 0]) == (4, 16)
    assert found["RR"]["best"] > found["RR"]["often"]
    rows = [line.split() for line in str(found).splitlines() if line[:2] in ("a ", "b ")]
    assert rows == [["a", "best", "0.4000+"], ["b", "often", "0.2667", "a"]]


@pytest.mark.parametrize(("items", "near"), [(30, 1e-9), (1200, 0.01)])
def test_bca_bounds_are_those_of_scipy(items, near):
    """scipy's own change the filters of warnings, and leave out each of many items."""
    scores = generator(1).exponential(size=items) ** 2

    def mean(drawn, axis=-1):
        return scores[drawn].mean(axis=axis)

    how = {"n_resamples": 500, "method": "BCa", "vectorized": True, "random_state": generator(3)}
    expected = stats.bootstrap((np.arange(items),), mean, **how).confidence_interval
    within = near * (expected.high - expected.low)
    found = bootstrap_bounds(mean, items, 0.95, 500, 3, True, "BCa")
    assert found == pytest.approx(tuple(expected), abs=within)


@pytest.mark.parametrize(("test", "is_said"), [("t", True), ("bootstrap", True), ("sign", False)])
def test_equal_differences_are_named_where_the_test_says_nothing_of_them(test, is_said):
    topics = [f"{number}" for number in range(12)]
    qrels = {topic: {"a": 1} for topic in topics}
    runs = {name: {topic: [*name] for topic in topics} for name in ("ab", "ba")}
    said = "Every topic has the same difference under AP"
    assert (said in " ".join(str(compare("AP", qrels, runs, test=test)).split())) is is_said
    runs["ba"]["0"] = ["b"]
    assert said not in " ".join(str(compare("AP", qrels, runs, test=test)).split())
    runs["ba"]["0"] = ["b", "c", "a"]  # AP differs on a topic, and success on none
    both = " ".join(str(compare("Success@9 AP", qrels, runs, test=test)).split())
    assert ("same difference under Success@9 for ab and ba" in both) is is_said


def test_names_in_notes_are_printable():
    run, qrels = {"1": {"a": 1.0}}, {"1": {"a": 1}, "2": {"b": 1}}
    with pytest.warns(IrTruncWarning):
        notes = compare("AP", qrels, {"x\x1b[31m": run, "y\ufeff": run | {"3\x07": {"a": 1.0}}}).notes
    others = "topics= names those to which nothing is relevant"
    assert rf"y\ufeff: ignored 1 topic that is not in the qrels (for example 3\x07); {others}." in notes
    assert r"Empty lists, which are scored as such: x\x1b[31m 1, y\ufeff 1." in notes
    assert all(note.isprintable() for note in notes)


def test_runs_are_sorted_by_a_measure():
    qrels = {str(q): {"a": 1, "x": 0} for q in range(4)}
    runs = {"low": {q: ["x", "y"] for q in qrels}, "mid": {q: ["x", "a"] for q in qrels}}
    runs["high"] = {q: ["a"] for q in qrels}
    found = ir_trunc.compare("RR NumRet", qrels, runs, sort="RR", baseline="mid")
    assert found.systems == ("high", "mid", "low")
    assert found.compared == (("high", "mid"), ("low", "mid"))
    assert found.to_pandas()["RR"].tolist() == [1.0, 0.5, 0.0]
    plain = ir_trunc.compare("RR NumRet", qrels, runs, baseline="mid")
    by_name = (each.pairs().set_index(["measure", "system"]).sort_index() for each in (found, plain))
    pd.testing.assert_frame_equal(*by_name, check_exact=False)
    why = r"no measure 'AP' to sort by; .* RR, NumRet"
    refused(ParameterError, why, compare, "RR NumRet", qrels, runs, sort="AP")


def test_two_topics_are_enough_for_a_test():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {"ab": {"1": ["a", "b"], "2": ["a", "b"]}, "ba": {"1": ["b", "a"], "2": ["c", "b", "a"]}}
    (row,) = compare("RR", qrels, runs).pairs().to_dict("records")
    assert row["p"] == pytest.approx(stats.ttest_1samp([1 / 2, 2 / 3], 0).pvalue)


@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
def test_one_topic_that_carries_an_unbounded_mean_is_named():
    qrels = {str(q): {f"d{n}": 1 for n in range(5)} for q in range(30)}
    runs = {"plain": {q: [f"d{n}" for n in range(int(q) % 4)] for q in qrels}}
    runs["long"] = runs["plain"] | {"7": [f"x{n}" for n in range(1000)]}
    (note,) = (note for note in ir_trunc.compare("OIE RBPT", qrels, runs).notes if "variance" in note)
    assert note.startswith("OIE has no bounds, and one topic carries most of the variance of the mean (long:")
    values = ir_trunc.calc("OIE", qrels, runs["long"])["OIE"]
    share = (values["7"] - values.mean()) ** 2 / ((values - values.mean()) ** 2).sum()
    assert f"(long: topic 7, {share:.0%}): tests and intervals rest on it" in note
