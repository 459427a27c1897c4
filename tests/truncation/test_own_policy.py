"""A policy of one's own, as the page about it has it: found everywhere, and held by the laws to its twin."""

import pickle
import re
import sys

import pytest
from pages import ROOT, blocks
from test_policy_laws import EDGES, LAWS, hold, the_naive_twin_says_the_same

import ir_trunc
from ir_trunc import truncation
from ir_trunc._core.rankings import Rankings
from ir_trunc.reporting import reference

PAGE = ROOT / "notebooks" / "howto" / "own-policy.md"


@pytest.fixture
def own_policy(collection, monkeypatch):
    """The page's policy, of two parameters, saved as within.py and taken out of the registry afterwards."""
    (collection / "within.py").write_text(blocks(PAGE, "python notest")[0], encoding="utf-8")
    (collection / "my.run").write_text("1 Q0 a 1 9 t\n1 Q0 b 2 8.5 t\n1 Q0 c 3 3 t\n2 Q0 a 1 1 t\n")
    monkeypatch.chdir(collection)
    monkeypatch.setattr(sys, "path", [str(collection), *sys.path])
    before = dict(truncation.registry)
    yield
    sys.modules.pop("within", None)
    truncation.registry.clear()
    truncation.registry.update(before)


def test_the_policy_of_your_own_is_found_everywhere(own_policy, command):
    """In its text, help, reference and exports, and no file of the library names it."""
    assert "Within" not in command("truncate", "--help")[1]
    line = re.compile(
        r"Within\(distance, k=10\) +The documents whose scores are close to the best one, at most k."
    )
    for words in (("truncate", "--help"), ("study", "policies", "--help")):
        assert line.search(" ".join(command("--import", "within", *words)[1].split()))
    cut = command("--import", "within", "truncate", "my.run", "--policy", "Within(distance=0.5)")
    assert cut[:2] == (0, "1\t2\n2\t1\n")
    assert cut[2].startswith("Within(distance=0.5, k=10): 2 lists")
    assert (
        command("--import", "within", "truncate", "my.run", "--policy", "Within(5.5, k=1)")[1]
        == "1\t1\n2\t1\n"
    )
    study = (
        "study",
        "policies",
        "demo.qrels",
        "stops-in-time.run",
        "-m",
        "RBPU",
        "--folds",
        "2",
        "--policy",
        "Within(1, 3)",
    )
    assert '"Within(distance=1.0, k=3)"' in command(*study)[1]
    for wrong, said in (
        ("Within", "missing a required argument: 'distance'; Within(distance=..., k=...) is needed"),
        (
            "Within(distanse=1)",
            "Within has no parameter 'distanse'; it has: distance, k. Did you mean distance?",
        ),
        ("Within(1, k=-1)", "Within: k=-1 is out of range: a whole number >= 0 is needed"),
        ("Withn(1)", "Did you mean Within?"),
    ):
        status, printed, errors = command("truncate", "my.run", "--policy", wrong)
        assert (status, printed, errors.count("\n")) == (2, "", 1)
        assert said in errors
    made = truncation.parse_policy("Within(k=3, distance=1)")
    assert made == truncation.Within(1, 3) == pickle.loads(pickle.dumps(made))
    assert "Within" in dir(truncation)
    section = "\n".join(reference.policies_section())
    assert "### Within\n\nThe documents whose scores are close to the best one, at most k.\n" in section
    assert "| `k` | documents to keep at most | a whole number >= 0 | `10` |" in section


def test_the_laws_hold_the_policy_of_your_own_by_its_twin(own_policy):
    import naive_policies
    import within

    exec(blocks(PAGE, "python notest")[1], vars(naive_policies))
    try:
        hold(LAWS, truncation.registry["Within"])
        naive_policies.TWINS["Within"] = lambda policy, topic, scores, score: 0
        with pytest.raises(AssertionError):
            the_naive_twin_says_the_same(within.Within(0.5), EDGES)
    finally:
        del naive_policies.TWINS["Within"]
    assert within.Within(0.5).cut(Rankings.from_lists([[1, 0], []], scores=[[2, 1], []])).tolist() == [1, 0]


def test_the_policy_of_your_own_is_a_transformer(own_policy):
    pytest.importorskip("pyterrier")
    import pandas as pd
    import within

    from ir_trunc.adapters import pyterrier

    rows = {"qid": "1", "query": "q", "docno": list("abc"), "score": [9.0, 8.5, 3.0], "rank": [0, 1, 2]}
    assert within.Within.__name__ in truncation.registry
    assert pyterrier.Within(0.5)(pd.DataFrame(rows))["docno"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ('Annotated[float, Number("largest distance from the best score", low=0)]', "float"),
            "'distance' needs a kind",
        ),
        (("\n\n    min(k, number of i with s_i >= s_1 - distance)", ""), "Within needs a docstring"),
        (("def cut", "def cat"), "Within needs a method `cut`"),
        (("(Policy)", ""), "and `fit` too where it is not derived from Policy"),
        (("class Within", "class Fixed"), "Fixed is the name of another policy"),
    ],
)
def test_a_policy_that_declares_too_little_is_refused(change, said):
    code = blocks(PAGE, "python notest")[0]
    assert change[0] in code
    before = dict(truncation.registry)
    with pytest.raises(ir_trunc.ParameterError, match=said):
        exec(code.replace(*change), {"__name__": "elsewhere"})
    assert truncation.registry == before
