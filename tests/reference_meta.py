"""Reference implementations of meta-evaluation: procedures in plain loops, written from their definitions.

Nothing here may import the library. What is drawn at random is handed in, so that both sides look at the same
draws.
"""

from itertools import combinations, permutations, product
from math import sqrt
from statistics import fmean, pstdev


def differences(scores):
    return [[x - y for x, y in zip(a, b)] for a, b in combinations(scores, 2)]


def t_value(D):
    spread = sqrt(sum((x - fmean(D)) ** 2 for x in D) / (len(D) - 1))
    if spread < 1e-9:
        return float("inf") if abs(fmean(D)) > 1e-9 else 0.0
    return abs(fmean(D)) / (spread / sqrt(len(D)))


def bootstrap_p(D, draws):
    """draws: for each one, how often every topic is drawn."""
    if not any(D):
        return 1.0
    centred = [x - fmean(D) for x in D]
    samples = [[x for x, times in zip(centred, draw) for _ in range(times)] for draw in draws]
    extreme = sum(t_value(sample) >= t_value(D) - 1e-9 for sample in samples)
    return (1 + extreme) / (1 + len(draws))


def randomisation_p(D, signs):
    if not any(D):
        return 1.0
    extreme = sum(abs(fmean([s * x for s, x in zip(sign, D)])) >= abs(fmean(D)) - 1e-9 for sign in signs)
    return (1 + extreme) / (1 + len(signs))


def holm(p):
    order = sorted(range(len(p)), key=p.__getitem__)
    result, top = [0.0] * len(p), 0.0
    for place, at in enumerate(order):
        top = max(top, min(1.0, p[at] * (len(p) - place)))
        result[at] = top
    return result


def ordering(values):
    return sorted(range(len(values)), key=lambda at: (-values[at], at))


def tau_ap_without_ties(a, b):
    """Of two lists of items, the first one held against the second."""
    total = 0.0
    for i in range(1, len(a)):
        total += sum(b.index(other) < b.index(a[i]) for other in a[:i]) / i
    return 2 * total / (len(a) - 1) - 1


def orders(values):
    """All lists of items, high values first, that ties leave open."""
    groups = [
        [at for at, v in enumerate(values) if v == value] for value in sorted(set(values), reverse=True)
    ]
    for order in product(*(permutations(group) for group in groups)):
        yield [item for group in order for item in group]


def tau_ap(x, y):
    """y without ties."""
    return fmean([tau_ap_without_ties(order, ordering(y)) for order in orders(x)])


def tau_ap_b(x, y):
    if len(set(x)) == 1 or len(set(y)) == 1:
        return 0.0
    halves = []
    for one, other in ((x, y), (y, x)):
        shares = []
        for i in range(len(one)):
            above = [j for j in range(len(one)) if one[j] > one[i]]
            if above:
                shares.append(sum(other[j] > other[i] for j in above) / len(above))
        halves.append(2 * fmean(shares) - 1)
    return fmean(halves)


def rbo_without_ties(a, b, p):
    """Of two lists of items, extrapolated: equation 32 of Webber et al."""
    short, long = sorted((a, b), key=len)
    s, n = len(short), len(long)
    common = [len(set(short[:d]) & set(long[:d])) for d in range(1, n + 1)]
    total = sum(common[d - 1] / d * p**d for d in range(1, n + 1))
    total += sum(common[s - 1] * (d - s) / s / d * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * total + ((common[-1] - common[s - 1]) / n + common[s - 1] / s) * p**n


def rbo(x, y, p, ties):
    """Of values of the same items, with ties; from the shares of its places that each item fills down to
    depth d.
    """
    if ties == "a":
        return fmean([rbo_without_ties(a, b, p) for a, b in product(orders(x), orders(y))])

    def filled(values, item, d):
        first = 1 + sum(v > values[item] for v in values)
        if ties == "w":
            return float(d >= first)
        return min(1.0, max(0.0, (d - first + 1) / sum(v == values[item] for v in values)))

    total = 0.0
    for d in range(1, len(x) + 1):
        one, other = ([filled(values, item, d) for item in range(len(x))] for values in (x, y))
        common = sum(u * v for u, v in zip(one, other))
        squares = sum(u * u for u in one) * sum(v * v for v in other)
        agreement = 2 * common / (sum(one) + sum(other)) if ties == "w" else common / sqrt(squares)
        total += (1 - p) / p * agreement * p**d
    return total + p ** len(x)


# pools


def ranked(docs):
    return sorted(docs, key=lambda doc: (-docs[doc], doc))


def pool(qrels, runs, depth):
    """The qrels that a pool of this depth would have given; every topic stays."""
    result = {}
    for topic, judged in qrels.items():
        seen = {doc for run in runs.values() for doc in ranked(run.get(topic, {}))[:depth]}
        result[topic] = {doc: grade for doc, grade in judged.items() if doc in seen}
    return result


def ideal_run(qrels):
    """All relevant documents of every topic, best first."""
    return {
        topic: {doc: float(grade) for doc, grade in judged.items() if grade > 0}
        for topic, judged in qrels.items()
    }


def standardised(scores):
    """Of one topic: (x - mean) / sd over systems."""
    return [0.0 if max(scores) == min(scores) else (x - fmean(scores)) / pstdev(scores) for x in scores]


# stability


def error_rate_and_ties(scores, sets, f, spread=None):
    """sets: for every pair of systems its sets of topics. spread: what f is a share of, in place of the
    higher score.
    """
    lost = tied = compared = 0
    for (a, b), own in zip(combinations(scores, 2), sets):
        more = less = 0
        for topics in own:
            x, y = fmean([a[t] for t in topics]), fmean([b[t] for t in topics])
            whole = max(abs(x), abs(y)) if spread is None else spread
            if abs(x - y) < f * whole * (1 - 1e-9) or abs(x - y) <= 1e-9 * max(abs(x), abs(y)):
                tied += 1
            elif x > y:
                more += 1
            else:
                less += 1
        lost += min(more, less)
        compared += len(own)
    return lost / compared, tied / compared


def swaps(scores, set_pairs, width, bins=21):
    """For every bin: comparisons, swaps, comparisons without a difference."""
    result = [[0, 0, 0] for _ in range(bins)]
    for (a, b), own in zip(combinations(scores, 2), set_pairs):
        for first, second in own:
            d = fmean([a[t] for t in first]) - fmean([b[t] for t in first])
            e = fmean([a[t] for t in second]) - fmean([b[t] for t in second])
            d, e = (0.0 if abs(gap) < 1e-9 else gap for gap in (d, e))
            at = min(int(abs(d) / width + 1e-9), bins - 1)
            result[at][0] += 1
            result[at][1] += d * e < 0
            result[at][2] += d == 0
    return result


def sensitivity(swaps_by_bin, width, limit=0.05):
    """Of (comparisons, swaps, ties) in every bin: the edge, the share of comparisons at or above it."""
    for at, (compared, swapped, tied) in enumerate(swaps_by_bin):
        if compared > tied and swapped / compared <= limit:
            return at * width, sum(c for c, *_ in swaps_by_bin[at:]) / sum(c for c, *_ in swaps_by_bin)
    return float("inf"), 0.0


# unanimity


def uir(reference, topic_pairs):
    """reference: for every measure, scores of every system on every topic."""
    systems = range(len(reference[0]))
    result = [[0.0 for _ in systems] for _ in systems]
    for s, other in product(systems, systems):
        for t1, t2 in topic_pairs:
            result[s][other] += all(m[s][t1] >= m[other][t2] for m in reference) / len(topic_pairs)
            result[s][other] -= all(m[other][t2] >= m[s][t1] for m in reference) / len(topic_pairs)
    return result


# measures of the whole run, where every question has a weight


def weighted_c(questions, weights, unanswered):
    """questions: True (correct), False (wrong) or None (unanswered)."""
    n = sum(weights)
    ac = sum(w for w, q in zip(weights, questions) if q)
    aw = sum(w for w, q in zip(weights, questions) if q is False)
    answered = ac + aw
    rates = {
        "accuracy": ac / n,
        "precision": ac / answered if answered else 0,
        "error": aw / answered if answered else 0,
    }
    return (ac + (n - answered) * rates.get(unanswered, unanswered)) / n


def weighted_cws(questions, weights):
    """The same, the surest question first."""
    total = right = seen = 0.0
    for w, q in zip(weights, questions):
        right, seen = right + w * bool(q), seen + w
        total += w * right / seen
    return total / sum(weights)


def influence_values(measure, questions, h=1e-6):
    """The measure, plus its derivative where a question gets a share h more of all weight."""
    n = len(questions)
    values = []
    for at in range(n):
        up, down = ([(1 - s) / n + s * (other == at) for other in range(n)] for s in (h, -h))
        values.append(
            measure(questions, [1 / n] * n) + (measure(questions, up) - measure(questions, down)) / (2 * h)
        )
    return values
