"""Reference implementations of the measures of reading cost: a reader who walks down the list and pays."""

import math

from reference_measures import REFERENCES, Query, Setting, costs_of, linear_or_binary, ratio, reference, seen


@reference
def TBG(
    q: Query,
    s: Setting,
    half_life: float = 224.0,
    cost: float = 1.0,
    rel: int | None = None,
    max_rel: float | None = None,
) -> float:
    total, time = 0.0, 0.0
    for g, c in zip(seen(q, linear_or_binary(s, rel, max_rel)), costs_of(q, cost)):
        total += g * math.exp(-time * math.log(2) / half_life)
        time += c
    return total


@reference
def UMeasure(
    q: Query,
    s: Setting,
    L: float = 132000.0,
    cost: float = 1.0,
    rel: int | None = None,
    max_rel: float | None = None,
) -> float:
    total, position = 0.0, 0.0
    for g, c in zip(seen(q, linear_or_binary(s, rel, max_rel)), costs_of(q, cost)):
        position += c
        total += g * max(0.0, (L - position) / L)
    return total


def going_on(i: int, gain: float, paid: float, reader: str, p, T, A, b1, R1, b2, R2) -> float:
    """The chance that the reader goes on from rank i to the next."""
    if reader == "rbp":
        return p
    if reader == "inst":
        wanted = T - gain
        return ((i + T + wanted - 1) / (i + T + wanted)) ** 2
    leaves_at_goal = 1 / (1 + b1 * math.exp((T - gain) * R1))
    if paid == 0 and R2 > 0:
        return 1 - leaves_at_goal
    rate = gain / paid if paid else 0.0
    return (1 - leaves_at_goal) / (1 + b2 * math.exp((A - rate) * R2))


def walk(q: Query, s: Setting, reader="rbp", p=0.8, T=1.0, A=0.2, b1=0.9, R1=1.0, b2=0.9, R2=1.0, cost=1.0,
         rel=None, max_rel=None):  # fmt: skip
    """Expected documents, gain and cost, from the chance to leave at each rank."""
    expected = [0.0, 0.0, 0.0]
    here, gain, paid = 1.0, 0.0, 0.0
    values = list(zip(seen(q, linear_or_binary(s, rel, max_rel)), costs_of(q, cost)))
    for i, (g, c) in enumerate(values, start=1):
        gain, paid = gain + g, paid + c
        go_on = 0.0 if i == len(values) else going_on(i, gain, paid, reader, p, T, A, b1, R1, b2, R2)
        leave = here * (1 - go_on)
        for at, so_far in enumerate((i, gain, paid)):
            expected[at] += leave * so_far
        here *= go_on
    return expected


@reference
def EU(q: Query, s: Setting, **habits) -> float:
    documents, gain, _ = walk(q, s, **habits)
    return ratio(gain, documents)


@reference
def ETU(q: Query, s: Setting, **habits) -> float:
    return walk(q, s, **habits)[1]


@reference
def EC(q: Query, s: Setting, **habits) -> float:
    documents, _, cost = walk(q, s, **habits)
    return ratio(cost, documents)


@reference
def ETC(q: Query, s: Setting, **habits) -> float:
    return walk(q, s, **habits)[2]


@reference
def EET(
    q: Query, s: Setting, of: str = "nDCG@10", alpha: float = -0.001, beta: float = 1.0, cost: float = 1.0
) -> float:
    name, _, k = of.partition("@")
    depths = [int(depth) for depth in (k, s.k) if depth]
    inner = REFERENCES[name](q, Setting(s.levels, min(depths, default=None)))
    efficiency = math.exp(alpha * sum(costs_of(q, cost)))
    return ratio((1 + beta**2) * efficiency * max(0.0, inner), beta**2 * max(0.0, inner) + efficiency)
