"""Generated rankings, as plain queries and as Rankings, and every registered measure in many settings."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from reference_measures import Query, Setting

from ir_trunc._core.rankings import Rankings
from ir_trunc._core.universe import Universe
from ir_trunc.measures import BoundMeasure, Definition, registry
from ir_trunc.measures.declaration import CUTOFF
from ir_trunc.measures.params import Choice, Number, Whole

GRADES = np.array([-1, 0, 0, 1, 1, 2, 3])
SCORES, COSTS = np.arange(101) / 100, np.arange(21) / 100
COLLECTION = 90  # documents, at least as many as any generated topic knows


def query(rng: np.random.Generator, longest: int, pool: int) -> Query:
    """One topic: some of its judged documents between unjudged ones; empty, nil and unjudged topics are
    common.
    """
    judged = rng.choice(GRADES, rng.integers(0, pool + 1)).tolist()
    if rng.random() < 0.2:
        judged = [min(g, 0) for g in judged]
    found = judged[: rng.integers(0, len(judged) + 1)]
    unjudged = [None] * int(rng.integers(0, max(1, longest - len(found) + 1)))
    grades = found + unjudged
    rng.shuffle(grades)
    if rng.random() < 0.15:
        grades = []
    rng.shuffle(judged)
    scores = sorted(rng.choice(SCORES, len(grades)).tolist(), reverse=True)
    return Query(grades, judged, scores, overlap=sum(judged) % 4 / 4 if max(judged, default=0) > 0 else 0.0)


def queries(seed: int, count: int, longest: int = 20, pool: int = 12) -> list[Query]:
    """A run; every other one has costs."""
    rng = np.random.default_rng(seed)
    run = [query(rng, longest, pool) for _ in range(count)]
    if seed % 2:
        return run
    return [replace(q, costs=rng.choice(COSTS, len(q.grades)).tolist()) for q in run]


runs = st.builds(queries, st.integers(0, 2**32 - 1), st.integers(1, 9))


def session(rng: np.random.Generator, documents: int) -> list[list[int]]:
    """Searches whose union has so many documents; earlier ones come again, and a search may be empty."""
    searches: list[list[int]] = []
    shown = 0
    while shown < documents or rng.random() < 0.2:
        new = int(rng.integers(0, min(documents - shown, 9) + 1))
        again = rng.choice(shown, min(shown, rng.integers(0, 4)), replace=False) + 1
        search = list(range(shown + 1, shown + new + 1))
        for document in again.tolist():
            search.insert(int(rng.integers(0, len(search) + 1)), document)
        searches.append(search)
        shown += new
    return searches or [[]]


def in_sessions(run: list[Query], seed: int = 0) -> list[Query]:
    """The same lists as unions of several searches each."""
    rng = np.random.default_rng(seed)
    return [replace(q, searches=session(rng, len(q.grades))) for q in run]


def rankings_of(run: list[Query]) -> Rankings:
    costs = None if run[0].costs is None else [q.costs for q in run]
    made = Rankings.from_lists(
        [q.grades for q in run], [q.judged for q in run], scores=[q.scores for q in run], costs=costs
    )
    universe = made.universe
    if any(q.searches is not None for q in run):
        sequence = {topic: tuple(q.searches) for topic, q in zip(made.topics, run)}
        universe = Universe(searches="sequence", several=len(run), sequence=sequence)
    return replace(made, overlaps=np.array([q.overlap for q in run]), universe=universe)


def with_ids(run: list[Query], seed: int) -> tuple[dict[str, dict[str, int]], pd.DataFrame]:
    """The same as qrels and a frame of a run with documents' ids, ties, NIL documents and topics that the
    qrels lack.

    The rows are in no order.
    """
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    rows = []
    for topic, q in enumerate(run):
        judged = {f"j{at}": grade for at, grade in enumerate(q.judged)}
        qrels[f"q{topic}"] = judged
        names = iter(rng.permutation(1000).tolist())
        left = dict(judged)
        for grade, score in zip(q.grades, q.scores):
            doc = next((doc for doc, g in left.items() if g == grade), f"u{next(names)}")
            left.pop(doc, None)
            rows.append((f"q{topic}", doc, score))
        if rng.random() < 0.3:
            rows.append((f"q{topic}", "NIL", rng.integers(0, 101) / 100))
    rows += [("other", "j0", 1.0), ("others", "j0", 1.0), ("others", "j1", 1.0)][: rng.integers(0, 4)]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    if run[0].costs is not None:
        frame["cost"] = rng.choice(COSTS, len(frame))
    return qrels, frame.sample(frac=1, random_state=seed % 1000)


def setting_of(run: list[Query], measure: BoundMeasure, given: dict) -> Setting:
    levels = sorted({grade for q in run for grade in q.judged if grade > 0})
    return Setting(levels=tuple(levels), k=measure.cutoff, params=given)


_OF_KINDS = {
    "Flag": [True, False],
    "GainMap": [{1: 1, 2: 3, 3: 10}, {1: 0, 2: 0.5}, {0: 0.5, 1: 1}],
    "Named": ["SetF", "RBPT@3"],
    "RecallLevel": [0.5, 0.95, 1.0],
    "Sizes": [COLLECTION, "tool"],
    "Whole": [1, 2],
}
"""Values by the names of their kinds, some of which can be taken away."""


def _samples(name, kind) -> list:
    if isinstance(kind, Whole) and name in ("D", "max_rel"):
        return [COLLECTION] if name == "D" else [3, 5]
    if isinstance(kind, Choice):
        return [*kind.words, *(_samples(name, kind.number) if kind.number else [])]
    if isinstance(kind, Number):
        samples = (-1.0, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0)
        return [
            x for x in samples if kind.low < x < kind.high or (not kind.inside and x in (kind.low, kind.high))
        ]
    return _OF_KINDS[type(kind).__name__]


def pairwise(samples: dict[str, list]) -> list[dict]:
    """Settings of all parameters in which any two values of different parameters meet at least once."""
    rng = np.random.default_rng(0)
    values = [(name, at) for name, of in samples.items() for at in range(len(of))]
    missing = {pair for pair in itertools.combinations(values, 2) if pair[0][0] != pair[1][0]}
    settings = []
    while missing:
        drawn = [{name: int(rng.integers(len(of))) for name, of in samples.items()} for _ in range(20)]
        drawn = [setting | dict(min(missing)) for setting in drawn]
        best = max(
            drawn, key=lambda setting: len(missing.intersection(itertools.combinations(setting.items(), 2)))
        )
        missing -= {*itertools.combinations(best.items(), 2)}
        settings.append({name: samples[name][at] for name, at in best.items()})
    return settings


@cache
def settings_of(definition: Definition) -> list[dict]:
    """The default, every single change of a parameter, and settings in which any two changes meet.

    A price and a target say the same in two ways: no measure takes both.
    """
    params = definition.params
    samples = {name: _samples(name, param.kind) for name, param in params.items() if name != CUTOFF}
    base = {"D": COLLECTION} if "D" in params else {}
    if CUTOFF in params:
        base, samples = base | {CUTOFF: None}, {CUTOFF: [3, 1, 30]} | samples
        if params[CUTOFF].required:
            base[CUTOFF] = 3
        else:
            samples[CUTOFF].append(None)
    changes = [base] + [base | {name: value} for name, of in samples.items() for value in of]
    without = [name for name in ("price", "target") if {"price", "target"} <= params.keys()] or [""]
    for left_out in without:
        changes += pairwise({name: of for name, of in samples.items() if name != left_out})
    return list({repr(change): change for change in changes}.values())


ALL = [registry[name] for name in sorted(registry)]


def _for_any_list(definition: Definition) -> tuple[str, BoundMeasure]:
    required = CUTOFF in definition.params and definition.params[CUTOFF].required
    sized = "D" in definition.params and definition.params["D"].default == "qrels"
    params = ({CUTOFF: 5} if required else {}) | ({"D": "tool"} if sized else {})
    return definition.name + "(D='tool')" * sized + "@5" * required, definition.bind(params)


# Every measure by its text, with the parameters that it needs for any list.
EVERY = dict(map(_for_any_list, ALL))


def groups(count: int, parts: int, seed: int) -> list[np.ndarray]:
    """Positions in random groups, some of them empty, in random order."""
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, parts, count)
    return [rng.permutation(np.flatnonzero(owner == part)) for part in range(parts)]


def same_lists(a: Rankings, b: Rankings) -> bool:
    """Whether all that measures look at has the same bits."""
    names = ("lengths", "judged_offsets", "judged_ranks", "judged_grades", "first_scores")
    pairs = [(getattr(a, name), getattr(b, name)) for name in names]
    pairs += [(a.judgments.grades, b.judgments.grades), (a.judgments.levels, b.judgments.levels)]
    return a.topics == b.topics and all(one.tobytes() == other.tobytes() for one, other in pairs)
