"""The seven properties: a checker in plain loops, cells worked out by hand, and the cases."""

import math
import re
import sys
from functools import cache
from importlib.resources import files

import pytest
from messages import refused
from reference_measures import REFERENCES, RUN_REFERENCES, Query, Setting
from reference_properties import deepness, on_every_list, shallowness

from ir_trunc import Rankings, calc, meta
from ir_trunc._core.errors import IrTruncError
from ir_trunc.measures import registry
from ir_trunc.meta.properties import PROPERTIES, TABLE_CUTOFF, _claims, _kept, default_settings, kept_text

SMALL = 60  # a collection that a plain loop can go through
NARROW = {"UMeasure": {"L": 30}, "TBG": {"half_life": 20}}  # limits that a plain loop can go beyond


@pytest.fixture
def shallow_lists(monkeypatch):
    """Deepness to n = 16 only, since plain loops are slow."""
    module = sys.modules["ir_trunc.meta.properties"]  # meta.properties is the function
    module._batch.cache_clear()
    monkeypatch.setattr(module, "DEPTHS", (1, 2, 4, 8, 16))
    monkeypatch.setattr(module, "SHALLOW", (1, 2, 3, 4, 5, 6, 12))
    yield
    module._batch.cache_clear()


def tried(measure, *args, **options):
    """The verdicts on one measure."""
    return meta.properties(measure, *args, **options)[0]


@pytest.fixture(scope="module")
def kept():
    """The verdicts that the package keeps."""
    return meta.properties()


def first_wins(grades, judged):
    return 1 / (1 + list(grades).index(1)) if 1 in grades else 0.0


@pytest.mark.parametrize(("function", "expected"), [
    (lambda g, j: 1, ["constant"] * 7),
    (first_wins, ["weak", "weak", "strict", "violated", "constant", "constant", "strict"]),
    (lambda g, j: sum(g) - 0.1 * len(g),
     ["constant", "constant", "violated", "strict", "strict", "constant", "constant"]),
    (lambda g, j: -first_wins(g, j),
     ["violated", "violated", "violated", "strict", "constant", "constant", "violated"]),
])  # fmt: skip
def test_verdicts_that_are_known_by_hand(function, expected):
    assert [finding.verdict for finding in tried(function, (0, 1)).findings] == expected


def reference_of(name, scale, **params):
    """A score by the reference implementation, for a scale; whole-run measures get a run of this list."""
    levels = tuple(grade for grade in scale if grade > 0)
    setting = Setting(k=TABLE_CUTOFF if needs_a_depth(name) else None, levels=levels, params=params)

    @cache  # a list is a case's better side, another's worse one, and the beginning of longer ones
    def value(grades, judged):
        query = Query(list(grades), list(judged), [1.0] * len(grades))
        of_run = name in RUN_REFERENCES
        value = RUN_REFERENCES[name]([query], setting)[0] if of_run else REFERENCES[name](query, setting)
        return -value if registry[name].lower_is_better else value

    return lambda grades, judged: value(tuple(grades), tuple(sorted(judged)))


def needs_a_depth(name):
    return bool((depth := registry[name].params.get("cutoff")) and depth.required)


# Plain loops take a second for each measure: every test goes through one, `full` through more.
FEW = ("RBPT",)
MORE = ("OIE", "SignedDCG", "AP", "c", "Q")
OTHERS = [name for name in registry if name not in FEW]
RINGS = dict.fromkeys(OTHERS, pytest.mark.weekly) | dict.fromkeys(MORE, pytest.mark.full)
NAMES = [*FEW, *(pytest.param(name, marks=ring) for name, ring in RINGS.items())]


@pytest.mark.parametrize("name", NAMES)
def test_every_verdict_is_that_of_plain_loops(name, shallow_lists):
    """Each setting of each property, by definitions and formulas that share nothing with the library."""
    sized = "D" in registry[name].params
    params = {"D": SMALL} if sized else NARROW.get(name, {})
    text = f"({','.join(f'{key}={value}' for key, value in params.items())})" if params else ""
    found = tried(name + text + f"@{TABLE_CUTOFF}" * needs_a_depth(name), length=4)
    limits, crowd = found.reach.limits, found.reach.crowd
    for scale in found.scales:
        score, here = reference_of(name, scale, **params), ",".join(map(str, scale))
        for prop, verdict in on_every_list(score, scale, 4, limits, crowd).items():
            (part,) = [part for part in found[prop].parts if part.setting["grades"] == here]
            assert (prop, scale, part.verdict) == (prop, scale, verdict)
    for prop in ("Deepness", "Shallowness"):
        for part in found[prop].parts:
            grade, _, scale = part.setting["grades"].partition(" of ")
            score = reference_of(name, tuple(map(int, scale.split(","))), **params)
            times = 2 if part.setting["R"] == "2n" else 1
            if prop == "Shallowness":
                expected = shallowness(score, int(grade), (1, 2, 3, 4, 5, 6, 12), times)
            else:
                deepest = max([16, *(2 * limit for limit in limits if limit >= 16)])
                n = max(1, SMALL // int(part.setting["n"].removeprefix("D/"))) if sized else deepest
                expected = deepness(score, int(grade), n, times)
            assert (prop, part.setting, part.verdict) == (prop, part.setting, expected)


# Verdicts that were wrong: the first list has to score higher than the second, and does not. The numbers are
# those of relevant documents that are judged.
REFUTED = {
    ("WSS", "Recall"): (("10", 21), ("10", 22)),
    ("AP", "Top-weightedness"): (("00001001", 2), ("00000110", 2)),
    ("AWP", "Top-weightedness"): (("00001001", 22), ("00000110", 22)),
    ("EET", "Top-weightedness"): (("00000001001", 2), ("00000000110", 2)),
    ("NormArea", "Recall"): (("000001111", 4), ("000001111", 5)),
}


@pytest.mark.parametrize(("name", "prop"), REFUTED)
def test_verdicts_that_were_refuted_are_given_no_more(name, prop):
    scores = []
    for text, relevant in REFUTED[name, prop]:
        judged = [0] * (text.count("0") + 1) + [1] * relevant
        lists = Rankings.from_lists([map(int, text)], [judged])
        scores.append(calc(name, None, lists).aggregated[name])
    assert scores[0] < scores[1]
    first, *_ = _kept()[name][prop]
    assert first.verdict == "violated"


def test_limits_are_cutoffs_inner_ones_too_and_lengths():
    for name, limits in {"EET": (10,), "nDCG@5": (5,), "UMeasure(L=50.5)": (51,), "AP": ()}.items():
        assert tried(name, (0, 1), 4).reach.limits == limits


@pytest.mark.needs("screening", "sessions")
def test_the_package_keeps_verdicts_on_all_its_measures():
    """`.ci/renew --verdicts` writes them."""
    assert {row.measure for row in meta.properties()} == set(_kept()) == set(default_settings())


@pytest.mark.parametrize("names", [
    ["AP"], pytest.param(["RBPT", "WSS", "HarmCompat", "EET"], marks=pytest.mark.full),
    pytest.param(default_settings(), marks=pytest.mark.weekly),
])  # fmt: skip
def test_verdicts_that_are_kept_are_those_that_are_computed(names):
    kept = (files("ir_trunc.meta") / "verdicts.csv").read_text(encoding="utf-8").splitlines()
    found = kept_text(names).splitlines()
    assert sorted(found) == sorted(line for line in kept if line.partition(",")[0] in ("measure", *names))


def settings(finding, *names):
    """The verdict in each setting, by the values of what is named."""
    return {" ".join(part.setting[name] for name in names): part.verdict for part in finding.parts}


@pytest.mark.full
def test_graded_lists_turn_priority_round(kept):
    found = tried("OIE")["Priority"]
    assert (found.verdict, found.depends_on) == ("depends", ("grades",))
    assert settings(found, "grades") == {"0,1": "strict", "0,1,2": "violated"}
    shows = "violated with grades 0,1,2: 00120 (relevant: 1,2) 14.27 < 00021 (relevant: 1,2) 14.46"
    assert shows in found.shows
    assert tried("OIE", (0, 1))["Priority"].verdict == "strict"

    def effectiveness(joint):
        """joint: for each of the five documents, how many are no lower and no less relevant."""
        H_S = -sum(math.log(rank / 20000) for rank in range(1, 6))
        H_G = -math.log(1 / 20000) - math.log(2 / 20000)
        return H_S + H_G - 1.05 * -sum(math.log(count / 20000) for count in joint)

    below, above = effectiveness((1, 2, 3, 1, 2)), effectiveness((1, 2, 1, 1, 5))
    assert (round(below, 2), round(above, 2)) == (14.46, 14.27)
    assert below - above == pytest.approx(1.05 * (math.log(2) - math.log(5 / 3)))
    for name in ("Q", "AWP", "AGR"):
        verdicts = settings(kept[name]["Priority"], "grades")
        assert verdicts["0,1,2"] == "violated" != verdicts["0,1"], name


@pytest.mark.parametrize(("name", "prop", "shows"), [
    # (1/5 + 2/6 + 3/7 + 4/8) / 4
    ("AP", "Deepness", "1 (R=4) 0.25 < 00001111 (R=4) 0.3655; so for n = 4 to 8192"),
    ("RBPT", "Confidence", "- (R=1) 0 = 0 (R=1) 0"),  # nothing found: the terminal document is worth nothing
    ("RBPU", "Confidence", "- (R=0) 0 > 0 (R=0) -0.01"),  # 0.2 * -0.05
    ("FlatU", "Confidence", "- (R=0) 0 > 0 (R=0) -0.05"),
    # 1/16 each: 1/32 > 15/512
    ("ERR", "Redundancy", "01 (R=2) 0.03125 - 00 (R=2) 0 > 11 (R=2) 0.0918 - 10 (R=2) 0.0625"),
    ("SetF", "Redundancy", "01 (R=2) 0.5 - 00 (R=2) 0 = 11 (R=2) 1 - 10 (R=2) 0.5"),
    ("RBU", "Shallowness", "01 (R=1) 0.062 < 1 (R=1) 0.09"),  # 0.2 (0.8 * 0.5 - 1.8 * 0.05), 0.2 (0.5 - 0.05)
])  # fmt: skip
def test_examples_that_were_worked_out_by_hand(name, prop, shows):
    assert tried(name, (0, 1))[prop].shows == shows


@pytest.mark.full
def test_a_verdict_says_what_was_tried():
    found = tried("OIE")
    assert "n = D/1000, D/100, D/10, D/5 or 1, 2, 4 to 8192; R = n and 2n" in found["Deepness"].tried
    assert found["Priority"].lists == 3 * sum(part.lists for part in tried("AP")["Priority"].parts)
    assert tried("P@10", (0, 1)).heading.endswith("to length 6, some to length 11, and some longer than 10")
    shown = " ".join(repr(tried("AP", (0, 1))).split())
    assert "strict no counter-example among 928 lists; 10 (R=1) 1 > 01 (R=1) 0.5" in shown


def test_scores_are_printed_with_as_many_digits_as_show_which_is_higher():
    shows = tried("Spearman", (0, 1))["Priority"].shows  # 0.7071 > 0.7071, with four digits
    higher, lower = re.fullmatch(r"10 \(R=1\) (\S+) > 01 \(R=1\) (\S+)", shows).groups()
    assert float(higher) > float(lower)


def test_the_paper_is_shown_where_it_says_otherwise(kept):
    found = kept["RBPT"]
    assert found["Confidence"].disagrees()
    assert "the paper says yes (section 3.2)" in repr(found)
    assert not found["Shallowness"].disagrees()
    assert not found["Recall"].paper
    assert "the paper says" not in repr(kept["c@4"])  # of which it is silent
    for name in ("Spearman", "KendallTau", "AUC"):  # a sentence of section 3.1 says otherwise than Table 1
        found = kept[name]
        assert found["Top-weightedness"].paper.startswith("no (table 1 and footnote 3; a sentence of")
        asked = "Top-weightedness", "Deepness", "Confidence"
        assert [found[prop].disagrees() for prop in asked] == [False, False, True]


def test_a_claim_about_ends_is_compared_with_the_end_of_the_paper(kept):
    """By default a list's end is worth less with grades than the paper's; on binary lists both are equal."""
    ours, paper = kept["nDCGT"], meta.properties("nDCGT(ideal='full',terminal='full')", length=4)[0]
    assert settings(ours["Recall"], "grades") == {"0,1": "strict", "0,1,2": "violated"}
    assert (ours["Recall"].disagrees(), paper["Recall"].disagrees()) == (False, False)
    assert (ours["Confidence"].disagrees(), paper["Confidence"].disagrees()) == (True, True)
    assert paper["Recall"].verdict == "strict"


def test_claims_are_compared_with_what_they_are_about(kept):
    """AP and AUC stand among the measures of binary relevance; single relevant documents have Rel = 1, the
    top grade.
    """
    for name in ("AP", "AUC"):
        found = kept[name]["Priority"]
        assert found.verdict == "depends"
        assert found.paper.startswith("yes")
        assert not found.disagrees()
    for name in ("AP", "AUPRC"):
        found = kept[name]["Top-weightedness"]
        assert (found.paper, found.disagrees()) == ("yes (footnote 3)", True)
    found = kept["RBPU"]["Shallowness"]
    verdicts = {"1 of 0,1": "strict", "1 of 0,1,2": "violated", "2 of 0,1,2": "strict"}
    assert settings(found, "grades") == verdicts
    assert not found.disagrees()


def test_every_claim_of_the_paper_is_about_a_measure_and_a_property():
    names = {known.name for known in PROPERTIES}
    for measure, claims in _claims().items():
        assert measure in registry
        assert set(claims) <= names
        assert {claim.says for claim in claims.values()} <= {"yes", "no"}
    of_ranks = "Spearman KendallTau AUC P R Rprec RR SetF AP nDCG Q Bpref ERR RBP iRBU"
    with_ends = "nDCGT ERRT RBPT FlatU RBU DCGU ERRU RBPU OIE"
    assert {*of_ranks.split(), *with_ends.split()} <= {*_claims()}


def test_a_table_of_some_measures_and_its_picture():
    table = meta.properties("RBPT OIE", (0, 1), 4)
    assert table[0] == tried("RBPT", (0, 1), 4)
    ax = table.plot()
    words = [text.get_text() for text in ax.texts]
    findings = (found for verdicts in table for found in verdicts.findings)
    assert words == [found.verdict + "*" * found.disagrees() for found in findings]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["RBPT", "OIE"]


@pytest.mark.parametrize(("wrong", "says"), [
    (lambda: tried("AP", (1, 2)), "scale=.*ascending grades are needed, 0 and at least one other"),
    (lambda: tried("AP", range(6)), "1175727 lists would be tried"),
    (lambda: tried("OIE(D=5)", length=4), "D=5 is out of range: a whole number >= 28"),
    (lambda: tried("ERRU(max_rel=1)", length=4), "on lists of grades 0,1,2: max_rel=1 .* 'scale'"),
    (lambda: tried(lambda g, j: math.nan, (0, 1), 4),
     "returns nan for 10 .R=1.; a finite number is needed"),
    (lambda: tried(lambda g, j: "high", (0, 1), 4), "returns 'high'"),
])  # fmt: skip
def test_errors_name_what_was_wrong(wrong, says):
    refused(IrTruncError, says, wrong)
