"""Laws that hold for every registered policy, fitted or not; a policy that a user adds is found everywhere.

A law is a function of a policy that is ready to cut, and of lists. Hypothesis draws a policy's parameters,
the measure and the run that it is fitted on. The law looks at how the policy cuts this run, and lists at the
edges: equal scores, one document, no document.

A policy needs a reference implementation in `reference_policies` and nothing else to be held to them all.
"""

import contextlib
import copy
import itertools
import pickle
import re
import sys
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from generated import _samples, queries, runs
from hypothesis import given, reject, settings, strategies as st
from messages import refused
from pages import ROOT, blocks, extension
from reference_policies import CUTS, FILE, REFERENCES, SAMPLES, allowed, positive

import ir_trunc
from ir_trunc import ParameterError, load_policy, truncation
from ir_trunc._core.rankings import Rankings
from ir_trunc.truncation import parse_policy, registry, write_cuts
from ir_trunc.truncation._fitting import one_measure

MEASURES = ["RBPU", "nDCGT", "RBPT@5", "SetF", "FlatU(e=0.5)"]
BOUNDS = [{}, {"at_least": 2}, {"at_most": 3}, {"at_least": 1, "at_most": 2}, {"at_least": 4, "at_most": 4}]
BOUNDS += [{"budget": 5.0}, {"budget": 4.0, "at_least": 3}, {"budget": 0.5, "at_most": 3}]
BOUNDS += [{"among": (0, 2, 5)}, {"among": (4, 1), "at_least": 2}, {"among": (2, 4), "budget": 5.0}]
PAGE = ROOT / "notebooks" / "howto" / "own-policy.md"


# Equal scores, one document, no document, scores whose difference is beyond 64 bits, neighbours among the
# numbers.
EDGES = Rankings.from_lists(
    [[1, 0, 0], [1], [], [0, 1], [1, 0, 1]],
    scores=[[0.5, 0.5, 0.5], [0.5], [], [1.7e308, 1e-300], [0.5, 0.5, np.nextafter(0.5, 0)]],
    costs=[[2, 2, 2], [6], [], [0, 0], [5, 0.5, 0]],
)


def values_of(param):
    kind = param.kind
    return SAMPLES[type(kind)] if type(kind) in SAMPLES else _samples(param.name, kind)


def policies_of(definition):
    """The policy with every combination of sample values; a parameter with a default is left out, too."""
    choices = [[*([] if p.required else [p.default]), *values_of(p)] for p in definition.params.values()]
    policies = []
    for values in itertools.product(*choices):
        with contextlib.suppress(ParameterError):  # of values that are not allowed together
            policies.append(definition.kind(*values))
    return policies


def scores_of(rankings, at):
    return rankings.scores[rankings.starts[at] :][: rankings.lengths[at]].tolist()


def costly(run):
    rankings = positive(run)
    return rankings.with_fields(costs=np.arange(len(rankings.scores)) % 7 / 2)


def costs_of(rankings, at):
    return rankings.costs[rankings.starts[at] :][: rankings.lengths[at]].tolist()


def within(policy, costs):
    """The policy with the bounds that its budget sets for a list with these costs."""
    if policy.budget is None:
        return policy
    fits = max(k for k in range(len(costs) + 1) if sum(costs[:k]) <= policy.budget)
    most = fits if policy.at_most is None else min(fits, policy.at_most)
    return replace(policy, budget=None, at_most=most, at_least=min(policy.at_least or 0, most))


def sees(policy):
    return getattr(policy, "sees_judgments", False)


LAWS = []


def law(function):
    LAWS.append(function)
    return function


@law
def lengths_are_whole_numbers_up_to_the_list_s_own(policy, rankings):
    for lists in (rankings, rankings.cut(0)):
        cuts = policy.cut(lists)
        assert cuts.dtype == np.int64
        assert cuts.shape == lists.lengths.shape
        assert ((cuts >= 0) & (cuts <= lists.lengths)).all()


@law
def to_cut_again_changes_nothing_where_that_is_declared(policy, rankings):
    once = rankings.cut(policy.cut(rankings))
    twice = once.cut(policy.cut(once))
    assert not registry[type(policy).__name__].idempotent or twice.lengths.tolist() == once.lengths.tolist()


@law
def a_list_alone_is_cut_as_in_a_batch(policy, rankings):
    alone = [policy.cut(rankings.take([at]))[0] for at in range(len(rankings))]
    assert alone == policy.cut(rankings).tolist()


@law
def judgments_are_not_looked_at_unless_that_is_declared(policy, rankings):
    assert sees(policy) or policy.cut(rankings.unjudged()).tolist() == policy.cut(rankings).tolist()


@law
def the_reference_cuts_alike(policy, rankings):
    expected = []
    for at, topic in enumerate(rankings.topics):
        alone = rankings.take([at])

        def score(measure, k, alone=alone):
            return one_measure(measure).score(alone.cut(k))[0]

        bounded = within(policy, costs_of(rankings, at))
        n = rankings.lengths[at]
        length = REFERENCES[type(policy).__name__](bounded, topic, scores_of(rankings, at), score)
        length = max(length, bounded.at_least or 0)
        length = min(length, n) if bounded.at_most is None else min(length, bounded.at_most, n)
        possible = allowed(bounded, n)
        length = max([k for k in possible if k <= length], default=min(possible))
        length = min(max(length, bounded.at_least or 0), n)
        expected.append(int(length if bounded.at_most is None else min(length, bounded.at_most)))
    assert policy.cut(rankings).tolist() == expected


@law
def the_rankings_stay_as_they_are(policy, rankings):
    before = copy.deepcopy(rankings)
    policy.cut(rankings)
    assert rankings.lengths.tolist() == before.lengths.tolist()
    assert rankings.scores.tolist() == before.scores.tolist()


@law
def fitting_again_changes_nothing(policy, rankings):
    assert registry[type(policy).__name__].kind is type(policy)
    assert policy.fit(costly(queries(77, 5)), "RBPU(p=0.5)") == policy


@law
def its_text_and_its_file_are_the_policy(policy, rankings):
    if registry[type(policy).__name__].written:
        policy.save("saved.json")
        assert parse_policy(str(policy)) == load_policy("saved.json") == policy
    else:
        refused(ParameterError, "JSON cannot", policy.save, "saved.json")


@law
def it_is_a_value(policy, rankings):
    if registry[type(policy).__name__].written:
        assert pickle.loads(pickle.dumps(policy)) == copy.deepcopy(policy) == policy
    for again in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert again.cut(rankings).tolist() == policy.cut(rankings).tolist()
    values = {field.name: getattr(policy, field.name) for field in fields(policy)}
    assert type(policy)(**values) == policy
    for name in values or ["anything"]:
        with pytest.raises(FrozenInstanceError):
            setattr(policy, name, None)


@law
def a_live_list_is_cut_as_that_of_a_run(policy, rankings):
    if sees(policy) or policy.not_live:
        refused(ParameterError, "cannot be used on a live list", policy, [0.9, 0.5])
        return
    rows = [(scores_of(rankings, at), costs_of(rankings, at)) for at in range(len(rankings))]
    assert [policy(*row) for row in rows] == policy.cut(rankings).tolist()
    for scores, costs in rows:
        assert policy.keep(scores, cost=costs) == scores[: policy(scores, costs)]


def hold(laws, definition):
    """The laws for the policy in drawn settings, fitted on drawn lists, and for the lists at the edges."""
    needs = getattr(definition.kind, "needs", None)
    if needs:
        pytest.importorskip(needs)

    @settings(max_examples=3 if needs else 2 * settings().max_examples // 3)
    @given(
        run=runs,
        measure=st.sampled_from(MEASURES),
        policy=st.sampled_from(policies_of(definition)),
        bounds=st.sampled_from(BOUNDS if definition.name != "Given" else BOUNDS[:1]),  # its text is a file
    )
    def drawn(run, measure, policy, bounds):
        rankings = costly(run)
        try:
            fitted = replace(policy, **bounds).fit(rankings, measure)
        except (ir_trunc.IrTruncError, ir_trunc.IrTruncWarning) as error:
            # A few topics are too few for a promise, or every level keeps it; delta='mean' takes no bounds.
            if "promise" not in str(error) and "holds only for losses" not in str(error):
                raise
            reject()
        for law in laws:
            law(fitted, rankings)
            law(fitted, EDGES)

    drawn()


@pytest.fixture(autouse=True)
def file_of_cuts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_cuts(FILE, CUTS)


@pytest.mark.parametrize("name", list(registry))
def test_laws(name):
    hold(LAWS, registry[name])


def test_what_is_not_declared_idempotent_is_not():
    """Some list becomes shorter when it is cut again."""
    lists = [positive(queries(seed, 9)) for seed in range(20)]
    for name, definition in registry.items():
        if definition.idempotent:
            continue
        if hasattr(definition.kind, "needs"):
            pytest.importorskip(definition.kind.needs)
        fitted = [policy.fit(lists[0], "SetF") for policy in policies_of(definition)]
        once = ((policy, rankings.cut(policy.cut(rankings))) for policy in fitted for rankings in lists)
        assert any((policy.cut(cut) < cut.lengths).any() for policy, cut in once), name


def test_every_policy_says_what_it_is_in_a_line_and_where_it_comes_from():
    for definition in registry.values():
        assert definition.summary.endswith(".")
        assert len(f"{definition.signature}{definition.summary}") < 100
        assert definition.equation
        assert definition.source
        assert all(param.kind.meaning and param.kind.allowed for param in definition.params.values())


@pytest.fixture
def own_policy(collection, monkeypatch, registries):
    """The page's policy, of two parameters, saved as within.py and taken out of the registry afterwards."""
    (collection / "within.py").write_text(blocks(PAGE, "python within.py")[0], encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(collection), *sys.path])
    yield
    sys.modules.pop("within", None)


def test_the_policy_of_your_own_is_found_everywhere(own_policy, command):
    """In its text, help, reference and exports, and no file of the library names it."""
    assert "Within" not in command("truncate", "--help")[1]
    line = "Within(distance, k=10) The documents whose scores are close to the best one, at most k."
    for words in (("truncate", "--help"), ("study", "policies", "--help")):
        assert line in " ".join(command("--import", "within", *words)[1].split())
    study = ["study", "policies", "demo.qrels", "stops-in-time.run", "-m", "RBPU", "--folds", "2", "--policy"]
    assert '"Within(distance=1.0, k=3)"' in command(*study, "Within(1, 3)")[1]
    for wrong, said in (
        ("Within", "missing a required argument: 'distance'; Within(distance=..., k=...) is needed"),
        ("Withn(1)", "Did you mean Within?"),
    ):
        refused(ParameterError, re.escape(said), parse_policy, wrong)
    made = truncation.parse_policy("Within(k=3, distance=1)")
    assert made == truncation.Within(1, 3) == pickle.loads(pickle.dumps(made))
    assert "Within" in dir(truncation)
    section = extension("reference").page()
    assert "### Within\n\nThe documents whose scores are close to the best one, at most k.\n" in section
    assert "| `k` | documents to keep at most | a whole number >= 0 | `10` |" in section


@pytest.mark.needs("PyTerrier")
def test_the_policy_of_your_own_is_a_transformer(own_policy):
    pt = pytest.importorskip("pyterrier")
    within = pytest.importorskip("within")
    assert pt.truncation.Within(0.5) == pt.truncation.Truncate(within.Within(0.5))


@pytest.mark.parametrize(("change", "said"), [
    (('Annotated[float, Number("largest distance from the best score", low=0)]', "float"),
     "'distance' needs a kind"),
    (("\n\n    min(k, number of i with s_i >= s_1 - distance)", ""), "Within needs a docstring"),
    (("def lengths", "def cut_s"), "Within needs a method `lengths`"),
    (("(Policy)", ""), "and is derived from Policy"),
    (("class Within", "class Fixed"), "Fixed is the name of another policy"),
    (("    def lengths", "    def __post_init__(self):\n        pass\n\n    def lengths"),
     "its __post_init__ has to call super"),
    (("    def lengths", "    __post_init__ = print\n\n    def lengths"),
     "its __post_init__ has to call super"),
    (('@policy(source="my paper")\nclass Within(Policy)',
      'class Base(Policy):\n    __post_init__ = print\n\n@policy(source="my paper")\nclass Within(Base)'),
     "__post_init__ of Base has to call super"),
])  # fmt: skip
def test_a_policy_that_declares_too_little_is_refused(change, said):
    code = blocks(PAGE, "python within.py")[0]
    assert change[0] in code
    before = dict(truncation.registry)
    refused(ir_trunc.ParameterError, said, exec, code.replace(*change), {"__name__": "elsewhere"})
    assert truncation.registry == before
