"""The seven properties once more, in plain loops written from their definitions; nothing of `ir_trunc.meta`
is used.

A score is a function of (grades by rank, grades of all judged documents).
"""

from itertools import product


def word(margins):
    """The verdict over all cases; each is (margin, size of the scores)."""
    signs = [
        0 if abs(margin) <= 1e-11 * max(size, 1e-3) else (1 if margin > 0 else -1) for margin, size in margins
    ]
    if set(signs) == {0}:
        return "constant"
    return {1: "strict", 0: "weak", -1: "violated"}[min(signs)]


def compared(*signed):
    return sum(sign * score for sign, score in signed), max(abs(score) for _, score in signed)


def swap(grades, i, j):
    copy = list(grades)
    copy[i], copy[j] = copy[j], copy[i]
    return copy


def with_collections(scale, length, limits, crowd):
    """Each list with its collection, the place from which on its documents are swapped, and whether it may
    be made longer.

    All lists to a length, with an irrelevant document and up to two others; those to length 3, with a crowd
    of one grade; lists of 5 to 11 that have noise up to their last four; and lists that have noise up to a
    limit. The last two kinds have nothing or a crowd outside them.
    """
    others = [grade for grade in scale if grade]
    pairs = [[g, h] for g in others for h in others if g <= h]
    for n in range(length + 1):
        for grades in product(scale, repeat=n):
            for missed in [[], *([g] for g in others), *pairs]:
                yield grades, [*grades, 0, *missed], 0, n < length
            for grade in scale if n <= 3 else ():
                yield grades, [*grades, 0, *[grade] * crowd], 0, n < length
    relevant = [grade for grade in scale if grade > 0]
    ends = [(), *product(scale), *product(scale, scale)]
    ends += [end for g in relevant for end in ((0, g, 0, g), (g, 0, g))]
    long = [(n, end) for n in range(1, 8) for end in product(scale, repeat=4)]
    for noise, end in [*long, *product(limits, ends)]:
        grades = (*[0] * noise, *end)
        for missed in [[], *([grade] * crowd for grade in scale)]:
            yield grades, [*grades, 0, *missed], noise - 1, True


def on_every_list(score, scale, length, limits, crowd):
    """The verdicts on the five properties that hold for every list."""
    margins = {name: [] for name in ("Priority", "Top-weightedness", "Confidence", "Recall", "Redundancy")}
    relevant = [grade for grade in scale if grade > 0]
    for grades, judged, first, extended in with_collections(scale, length, limits, crowd):
        n = len(grades)
        here = score(grades, judged)
        swaps = {}
        for i in range(first, n):
            for j in range(i + 1, n):
                if grades[j] > grades[i]:
                    swaps[i, j] = score(swap(grades, i, j), judged)
                    margins["Priority"].append(compared((1, swaps[i, j]), (-1, here)))
        for i in range(first, n - 1):
            for j in range(i + 1, n - 1):
                if grades[i] == grades[j] < grades[i + 1] == grades[j + 1]:
                    both = (1, swaps[i, i + 1]), (-1, swaps[j, j + 1])
                    margins["Top-weightedness"].append(compared(*both))
        if extended:
            margins["Confidence"].append(compared((1, here), (-1, score([*grades, 0], judged))))
        for grade in relevant if max(grades, default=0) > 0 else ():
            margins["Recall"].append(compared((1, here), (-1, score(grades, [*judged, grade]))))
    others = [grade for grade in scale if grade]
    missed = [[], *([g] for g in others), *([g, h] for g in others for h in others if g <= h)]
    places = [*((n, some) for n in range(1, length) for some in missed), *((k + 1, []) for k in limits)]
    for n, some in places:
        noise = [0] * (n - 1)
        for above, below in product(relevant, repeat=2):
            judged = [*noise, 0, 0, above, below, *some]
            first = [(1, score([*noise, 0, below], judged)), (-1, score([*noise, 0, 0], judged))]
            later = [(-1, score([*noise, above, below], judged)), (1, score([*noise, above, 0], judged))]
            margins["Redundancy"].append(compared(*first, *later))
    return {name: word(of_cases) for name, of_cases in margins.items()}


def block(score, grade, n, times):
    """(one on top) - (n relevant after n irrelevant), in a collection of `times` as many documents."""
    judged = [0] * (n * times) + [grade] * (n * times)
    return compared((1, score([grade], judged)), (-1, score([0] * n + [grade] * n, judged)))


def deepness(score, grade, n, times):
    return word([block(score, grade, n, times)] * 2)


def shallowness(score, grade, ms, times):
    words = {word([(-margin, size)]) for margin, size in (block(score, grade, m, times) for m in ms)}
    if len(words) == 1:
        return words.pop()
    return "strict" if "strict" in words else "weak"  # the best m decides; "constant" is a tie there
