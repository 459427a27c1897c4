"""Reference implementations of the policies: the length of one list, from the definition, in plain Python.

Each has the name of its policy. It takes the policy, the topic, the scores of the list from the first on,
and a function that scores the list by a measure as if it had ended after k documents. `SAMPLES`
has values of the kinds of parameters that policies declare for themselves; those of other kinds come from
`tests/generated.py`.
"""

import math
import statistics
from dataclasses import replace
from fractions import Fraction

from generated import rankings_of

from ir_trunc._core.rankings import Rankings
from ir_trunc.measures.params import Text
from ir_trunc.truncation._text import parse_policies
from ir_trunc.truncation.policies.basic import CutsByTopic, Level, ListMeasure
from ir_trunc.truncation.policies.learned import Estimator
from ir_trunc.truncation.policies.risk import Risk

CUTS = {str(topic): topic * 7 % 5 for topic in range(1, 40)}
FILE = "cuts"  # the name that cuts have by default; the laws write them there
SAMPLES = {
    Level: [0.0, 0.25, 0.5, 0.9, 1.0, math.inf, -math.inf],
    ListMeasure: ["SetF", "RBPU(p=0.9)", "nDCGT@3"],
    CutsByTopic: [CUTS],
    Text: [FILE],
    Risk: ["missed", "dropped", "false_answer", "SetR"],
    Estimator: [],
}

FITTED = parse_policies("Greedy ScoreThreshold ShareOfTop Surprise ScoreDistribution")
ALONE = parse_policies("LargestGap AdaptiveK Knee Fixed(0) Fixed(3) ScoreThreshold(0.5) ShareOfTop(0.9)")
BLIND = [*FITTED, *ALONE]

REFERENCES = {}


def positive(run):
    """Scores above 0, which ShareOfTop needs, and up to 1, which K1 needs."""
    return rankings_of([replace(q, scores=[(s + 0.01) / 2 for s in q.scores]) for q in run])


def answers(correct, confidence):
    """A list of one document for each question."""
    topics = [f"{place:03}" for place in range(len(correct))]
    return Rankings.from_lists(
        [[int(c)] for c in correct], [[1, 0]] * len(correct), topics=topics, scores=[[s] for s in confidence]
    )


def reference(function):
    REFERENCES[function.__name__] = function
    return function


@reference
def Fixed(policy, topic, scores, score):
    return len(scores[: policy.k])


@reference
def Given(policy, topic, scores, score):
    return len(scores[: policy.cuts[topic]])


@reference
def ScoreThreshold(policy, topic, scores, score):
    return sum(s >= policy.threshold for s in scores)


@reference
def ShareOfTop(policy, topic, scores, score):
    return sum(s / scores[0] >= policy.share for s in scores)


@reference
def Nucleus(policy, topic, scores, score):
    """Shares of the list's probability, added from the top until they reach p."""
    weights = [math.exp((s - scores[0]) / policy.temperature) for s in scores]
    k, above = 0, 0.0
    while k < len(scores) and round(above / math.fsum(weights), 9) < policy.p:
        above += weights[k]
        k += 1
    return k


@reference
def LargestGap(policy, topic, scores, score):
    best, largest = len(scores), 0.0
    for i in range(1, len(scores)):
        if scores[i - 1] - scores[i] > largest:
            best, largest = i, scores[i - 1] - scores[i]
    return best


@reference
def AdaptiveK(policy, topic, scores, score):
    """Of 10 gaps and share 0.9, the last one is left out; the floor is taken of exact decimals."""
    gaps = [(scores[i - 1] - scores[i], i) for i in range(1, len(scores))]
    left_out = math.floor((1 - Fraction(str(policy.share))) * len(gaps))
    upper = gaps[: len(gaps) - left_out]
    if not upper or max(upper)[0] == 0:
        return len(scores)
    largest = max(gap for gap, _ in upper)
    return min(len(scores), policy.buffer + next(i for gap, i in upper if gap == largest))


@reference
def Knee(policy, topic, scores, score):
    n = len(scores)
    if n < 3 or scores[0] == scores[-1]:
        return n
    exact = [Fraction(s) for s in scores]
    scaled = [(s - exact[-1]) / (exact[0] - exact[-1]) for s in exact]
    below = [Fraction(n - i, n - 1) - s for i, s in enumerate(scaled, 1)]
    return next(i for i, x in enumerate(below) if x >= max(below) * (1 - 1e-9)) if max(below) > 1e-9 else n


@reference
def Surprise(policy, topic, scores, score):
    return sum(s >= policy.surprise for s in surprises(scores))


def surprises(scores):
    """Hosking & Wallis 1987, section 3: k = a0 / (a0 - 2 a1) - 2, a = 2 a0 a1 / (a0 - 2 a1)."""
    n = len(scores)
    if n == 0:
        return []
    x = from_0_to_1(scores)
    a0 = sum(x) / n
    a1 = sum(x[i] * i / (n - 1) for i in range(n)) / n if n > 1 else 0
    if a1 == 0:
        return [27.631021116 if value > 0 else 0.0 for value in x]
    k, a = a0 / (a0 - 2 * a1) - 2, 2 * a0 * a1 / (a0 - 2 * a1)
    found = []
    for value in x:
        inside = 1 - k * value / a
        above = math.exp(-value / a) if abs(k) < 1e-12 else inside ** (1 / k) if inside > 0 else 0.0
        found.append(round(-math.log(min(1.0, max(above, 1e-12))), 9) + 0.0)
    return found


@reference
def ScoreDistribution(policy, topic, scores, score):
    return sum(p >= policy.probability for p in probabilities(scores))


def probabilities(scores):
    """Expectation and maximisation for share * Normal(centre, width) + (1 - share) * Exponential(rate)."""
    n = len(scores)
    if len(set(scores)) < 3:
        return [0.5] * n
    x = from_0_to_1(scores)
    mean = sum(x) / n
    share, centre, rate = 0.5, 1.0, n / sum(x)
    width = math.sqrt(sum(value * value for value in x) / n - mean * mean)
    for _ in range(50):
        width = max(width, 0.02)
        relevant = []
        for value in x:
            normal = statistics.NormalDist(centre, width).pdf(value) * share
            exponential = (1 - share) * rate * math.exp(-rate * value)
            relevant.append(normal / (normal + exponential))
        weight = sum(relevant)
        share = min(0.999, max(0.001, weight / n))
        centre = sum(p * value for p, value in zip(relevant, x)) / max(weight, 1e-12)
        squares = sum(p * (value - centre) ** 2 for p, value in zip(relevant, x))
        width = math.sqrt(squares / max(weight, 1e-12))
        rate = min((n - weight) / max(1e-12, sum((1 - p) * value for p, value in zip(relevant, x))), 50.0)
    return [round(max(relevant[i:]), 9) for i in range(n)]


def from_0_to_1(scores):
    high, low = scores[0] / 2, scores[-1] / 2  # halves: a difference may be beyond 64 bits
    return [(s / 2 - low) / (high - low) if high > low else 0.0 for s in scores]


@reference
def RiskControlled(policy, topic, scores, score):
    keys = [s / scores[0] for s in scores] if policy.by == "share" else scores
    return sum(key >= policy.level for key in keys)


@reference
def Learned(policy, topic, scores, score):
    """The model is asked about each cut alone."""
    cuts = cuts_of(len(scores))
    expected = [policy.model.predict([features(scores, k)])[0] for k in cuts]
    return cuts[expected.index(max(expected))]


def cuts_of(n):
    tried = {*range(21)} | {round(20 * 1.05**j) for j in range(1, 400)}
    return sorted({k for k in tried if k < n} | {n})


def features(scores, k):
    n, scores = len(scores), [max(-1e30, min(s, 1e30)) for s in scores]
    if n == 0:
        return [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    mean = sum(scores) / n
    away = [s - mean for s in scores]
    spread = math.sqrt(sum(x * x for x in away) / n)
    skew = sum(x * x * x for x in away) / n / spread**3 if spread > 0 else 0
    score, following = scores[max(k, 1) - 1], scores[min(k, n - 1)]
    level = (score - scores[-1]) / (scores[0] - scores[-1]) if scores[0] > scores[-1] else 1
    kept = sum(scores[:k]) / k if k else scores[0]
    return [k, k / n, n, score, following, score - following, level, scores[0], mean, spread, skew, kept]


def allowed(policy, n):
    """The lengths that a list of n documents may have."""
    if policy.among is None:
        return [*range(n + 1)]
    return [k for k in sorted(policy.among) if k < n] + [n] * any(k >= n for k in policy.among)


@reference
def Oracle(policy, topic, scores, score):
    n = len(scores)
    low, high = min(policy.at_least or 0, n), n if policy.at_most is None else min(policy.at_most, n)
    values = {k: score(policy.measure, k) for k in range(low, high + 1) if k in allowed(policy, n)}
    if not values:
        return high
    enough = max(values.values()) - 1e-12 * max(abs(value) for value in values.values())
    return next(k for k, value in values.items() if value >= enough)
