"""Reference implementations of the measures of screening, which walk down the list as a reviewer does."""

from reference_measures import Query, costs_of, level, ratio, reference


class Reviewer:
    """What has been read and found at the list's end."""

    def __init__(self, q: Query, D: int | str, rel: int):
        self.read = len(q.grades)
        self.judged = len(q.judged) if D in ("qrels", "tool") else D
        self.D = max(self.judged, self.read) if D == "tool" else self.judged
        self.R = sum(1 for x in q.judged if level(x) >= rel)
        self.ranks = [i for i, x in enumerate(q.grades, start=1) if level(x) >= rel]
        self.found = len(self.ranks)

    @property
    def recall(self) -> float:
        return ratio(self.found, self.R)

    def reach(self, r: float) -> int | None:
        """How much is read until a recall is reached; None where it is not."""
        needed = round(r * self.R)
        if self.found < needed:
            return None
        return self.ranks[needed - 1] if needed else 0


@reference
def WSS(q, s, r=None, D="qrels", rel=1):
    reviewer = Reviewer(q, D, rel)
    if r is None:
        return reviewer.recall - ratio(reviewer.read, reviewer.D)
    read = reviewer.reach(r)
    return 0.0 if read is None else 1 - ratio(read, reviewer.D) - (1 - r)


@reference
def TNR(q, s, r=0.95, D="qrels", rel=1):
    reviewer = Reviewer(q, D, rel)
    read = reviewer.reach(r)
    if read is None:
        return 0.0
    false_positives = sum(1 for i in range(1, read + 1) if i not in reviewer.ranks)
    negatives = max(reviewer.D - reviewer.R, reviewer.read - reviewer.found)
    return (negatives - false_positives) / negatives if negatives else 1.0


@reference
def Reliability(q, s, r=0.95, rel=1):
    reviewer = Reviewer(q, "qrels", rel)
    return 1.0 if reviewer.R == 0 or reviewer.found / reviewer.R >= r else 0.0


@reference
def LastRel(q, s, rel=1):
    return max(Reviewer(q, "qrels", rel).ranks, default=0)


@reference
def OneMinusLossER(q, s, D="qrels", rel=1):
    reviewer = Reviewer(q, D, rel)
    loss_r = (1 - reviewer.recall) ** 2
    loss_e = ratio(100, reviewer.D) ** 2 * (reviewer.read / (reviewer.R + 100)) ** 2
    return 1 - (loss_r + loss_e)


@reference
def NegTotalCost(q, s, price=1.0, penalty="none", unread=2.0, D="qrels", rel=1):
    reviewer = Reviewer(q, D, rel)
    cost = sum(costs_of(q, price))
    missing, left = reviewer.R - reviewer.found, reviewer.judged - reviewer.read
    if penalty == "uniform":
        cost += ratio(left * unread * missing, reviewer.R)
    if penalty == "weighted":
        cost += sum(left * unread / 2**i for i in range(1, missing))
    return -cost


@reference
def NormArea(q, s, D="qrels", rel=1):
    reviewer = Reviewer(q, D, rel)
    area, found = 0.0, 0
    for i in range(1, reviewer.D + 1):
        here = i in reviewer.ranks
        area += found + here / 2
        found += here
    return ratio(area, reviewer.R * reviewer.D - reviewer.R**2 / 2)
