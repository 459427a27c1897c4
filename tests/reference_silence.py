"""Reference implementations: silence with a price, risk and coverage, and sets that may be empty."""

import itertools
import math

from reference_measures import (
    Query,
    SetF,
    SetP,
    SetR,
    Setting,
    binary,
    level,
    linear_or_binary,
    pool,
    ratio,
    reference,
    run_reference,
    seen,
)


def right(q: Query, rel: int) -> bool | None:
    """Whether the answer is; None where there is none."""
    return level(q.grades[0]) >= rel if q.grades else None


@reference
def UF(q: Query, s: Setting, rel: int = 1, price: float | None = None, target: float | None = None) -> float:
    c = 1.0 if price is None else price
    if target is not None:
        c = target / (1 - target)
    return {True: 1.0, False: -c, None: 0.0}[right(q, rel)]


@run_reference
def F05u(queries: list[Query], s: Setting, rel: int = 1, positive: int | None = None) -> list[float]:
    """Counted as PAN's evaluator does: what is left open first, then positive claims, then misses."""
    tp = fp = fn = u = 0
    for q in queries:
        truth = positive is None or any(grade >= positive for grade in q.judged)
        if right(q, rel) is None:
            u += 1
        elif right(q, rel):
            tp += truth
        elif positive is None or not truth:
            fp += 1
        else:
            fn += 1
    return [ratio(1.25 * tp, 1.25 * tp + 0.25 * (fn + u) + fp)] * len(queries)


def at_best_threshold(queries: list[Query], given: list[float], silent: list[float]) -> list[float]:
    """Every threshold is tried, the highest first; a later one has to be better."""
    best: list[float] = []
    for t in [math.inf, *sorted({q.scores[0] for q in queries if q.grades}, reverse=True)]:
        earned = [x if q.grades and q.scores[0] >= t else y for q, x, y in zip(queries, given, silent)]
        if not best or sum(earned) > sum(best) + 1e-9:
            best = earned
    return best


@run_reference
def BestEM(queries: list[Query], s: Setting, rel: int = 1) -> list[float]:
    silent = [float(all(grade < rel for grade in q.judged)) for q in queries]
    return at_best_threshold(queries, [float(bool(right(q, rel))) for q in queries], silent)


def worth_of_words(q: Query) -> float:
    if right(q, 1) is None:
        return float(all(grade < 1 for grade in q.judged))
    return 1.0 if right(q, 1) else q.overlap


@reference
def TokenF1(q: Query, s: Setting) -> float:
    return worth_of_words(q)


@run_reference
def BestTokenF1(queries: list[Query], s: Setting) -> list[float]:
    silent = [float(all(grade < 1 for grade in q.judged)) for q in queries]
    return at_best_threshold(queries, [worth_of_words(q) for q in queries], silent)


# Risk and coverage.


def in_every_order(confidences: list[float]) -> list[list[int]]:
    """All orders of answers by falling confidence."""
    orders: list[list[int]] = [[]]
    falling = sorted(range(len(confidences)), key=lambda j: -confidences[j])
    for _, group in itertools.groupby(falling, lambda j: confidences[j]):
        equals = list(group)
        orders = [[*before, *after] for before in orders for after in itertools.permutations(equals)]
    return orders


def by_risk(queries: list[Query], rel: int, risks) -> list[float]:
    """risks: from the errors of answers in order of confidence, a value for each place. Equal confidences:
    the mean over every order, where these are few, else the chance of an error among equals in place of the
    errors. Equals share the mean of their values.
    """
    at = [j for j, q in enumerate(queries) if q.grades]
    wrong = [float(not right(queries[j], rel)) for j in at]
    sure = [queries[j].scores[0] for j in at]
    equals = [[i for i, x in enumerate(sure) if x == own] for own in sure]
    at_answer = [0.0] * len(at)
    if math.prod(math.factorial(sure.count(x)) for x in set(sure)) < 500:
        orders = in_every_order(sure)
        for order in orders:
            for j, value in zip(order, risks([wrong[j] for j in order])):
                at_answer[j] += value / len(orders)
    else:
        order = sorted(range(len(at)), key=lambda j: -sure[j])
        for j, value in zip(order, risks([sum(wrong[i] for i in equals[j]) / len(equals[j]) for j in order])):
            at_answer[j] = value
    values = [sum(at_answer[i] for i in group) / len(group) for group in equals]
    area = sum(values) / len(values) if values else 0.0
    result = [area] * len(queries)
    for j, value in zip(at, values):
        result[j] = value
    return result


def selective(errors: list[float]) -> list[float]:
    return [sum(errors[:i]) / i for i in range(1, len(errors) + 1)]


@run_reference
def AURC(queries: list[Query], s: Setting, rel: int = 1) -> list[float]:
    return by_risk(queries, rel, selective)


@run_reference
def EAURC(queries: list[Query], s: Setting, rel: int = 1) -> list[float]:
    wrong = sum(1.0 for q in queries if right(q, rel) is False)
    total = sum(1.0 for q in queries if q.grades)
    best = selective([0.0] * int(total - wrong) + [1.0] * int(wrong))
    return by_risk(queries, rel, lambda errors: [x - y for x, y in zip(selective(errors), best)])


@run_reference
def AUGRC(queries: list[Query], s: Setting, rel: int = 1) -> list[float]:
    return by_risk(
        queries, rel, lambda errors: [sum(errors[:i]) / len(errors) for i in range(1, len(errors) + 1)]
    )


# Sets that may be empty.


def on_silent_topics(q: Query, relevant: list[float], nil: float, score: float) -> float:
    if relevant:
        return score
    return 0.0 if q.grades else nil


@reference
def NilP(q: Query, s: Setting, rel: int = 1, nil: float = 1.0) -> float:
    return on_silent_topics(q, pool(q, binary(rel)), nil, SetP(q, s, rel))


@reference
def NilR(q: Query, s: Setting, rel: int = 1, nil: float = 1.0) -> float:
    return on_silent_topics(q, pool(q, binary(rel)), nil, SetR(q, s, rel))


@reference
def NilF(q: Query, s: Setting, rel: int = 1, beta: float = 1.0, nil: float = 1.0) -> float:
    return on_silent_topics(q, pool(q, binary(rel)), nil, SetF(q, s, rel, beta))


@reference
def EG(q: Query, s: Setting, rel: int | None = None, max_rel: float | None = None, nil: float = 1.0) -> float:
    scale = linear_or_binary(s, rel, max_rel)
    return on_silent_topics(q, pool(q, scale), nil, ratio(sum(seen(q, scale)), len(q.grades)))


@reference
def nCG(
    q: Query, s: Setting, rel: int | None = None, max_rel: float | None = None, nil: float = 1.0
) -> float:
    scale = linear_or_binary(s, rel, max_rel)
    relevant = pool(q, scale)
    return on_silent_topics(q, relevant, nil, ratio(sum(seen(q, scale)), sum(relevant[: s.k])))


@reference
def GMP(
    q: Query, s: Setting, alpha: float = 0.5, rel: int | None = None, max_rel: float | None = None
) -> float:
    gains = seen(q, linear_or_binary(s, rel, max_rel))
    return sum(alpha * x if x > 0 else -(1 - alpha) for x in gains)


@reference
def T11SU(q: Query, s: Setting, rel: int = 1, m: float = -0.5) -> float:
    relevant = len(pool(q, binary(rel)))
    if not relevant:
        return 0.0 if q.grades else 1.0
    utility = sum(2 if x > 0 else -1 for x in seen(q, binary(rel)))
    return (max(utility / (2 * relevant), m) - m) / (1 - m)
