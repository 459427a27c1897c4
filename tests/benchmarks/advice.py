"""What `how_many` promises, by simulation, and how long it takes.

    python tests/benchmarks/advice.py optimism [--draws 300] [--questions 50]
    python tests/benchmarks/advice.py expect [--draws 300]
    python tests/benchmarks/advice.py silence [--draws 400]
    python tests/benchmarks/advice.py settings [--draws 200]
    python tests/benchmarks/advice.py change [--draws 100]
    python tests/benchmarks/advice.py keep [--draws 300]
    python tests/benchmarks/advice.py answers [--draws 200] [--questions 100]
    python tests/benchmarks/advice.py speed [--questions 50000]

Each draws labelled questions from a population, asks for advice, and looks at the advised policy on 20,000
other questions. The scores of lead 0 say nothing; those of lead 2 separate relevant documents from others.

`optimism` prints the bias of the highest score and of the score that is to be expected, each with its
standard error, how often their 95 % intervals hold the score on the other questions, and how often a policy
is said to be better than both references beyond chance. `expect` prints how often the interval of what to
expect holds the truth where production has another share of unanswerable questions than the labels. `silence`
prints how often the advised policy is worse than silence by more than 0.01. `settings` prints how often it is
worse than the present setting, whole lists: with few questions, with rare unanswerable ones, with 12 users of
8 questions each, and with labels by a model that errs in a tenth and by people for 40 questions. `change`
prints the bias of the change that `report` expects of the best policy, with its standard error. `keep` prints
by how much the printed share of kept questions exceeds the truth, and how often "This shows keep=" is false.

`answers` learns from graded answers with 0, 1, 3, 5, 10 and 20 passages. A generated model answers right with
a chance of 0.9 where a relevant passage is among those that it reads, of 0.1 elsewhere, and of 0.02 or 0.05
less for each of up to ten irrelevant ones. It prints how often the interval of what to expect holds the share
of right answers to the other questions, and what that share is with the advice from answers, with that from
labels of documents by RBPT and by FlatU(e=0.1), with all passages, and with the best fixed number.

`speed` prints the processor time of `how_many` for questions with 20 documents each.
"""

from __future__ import annotations

import argparse
import html
import re
import time
import warnings
from itertools import product

import numpy as np

import ir_trunc
from ir_trunc import Rankings
from ir_trunc._core.rankings import Judgments, offsets_of
from ir_trunc._scoring.objects import bind
from ir_trunc.truncation._text import parse_policy

DOCUMENTS = 20
TRIED = 0, 1, 3, 5, 10, 20
POPULATIONS = {"random": 0.0, "blurred": 0.7, "clear": 2.0}
CELLS = [(100, 0.1, 0.5), (100, 0.2, 0.8), (50, 0.2, 0.5), (100, 1 / 3, None), (200, 0.1, 0.5)]
"""Questions, and the shares of unanswerable ones in the labels and in production."""


def questions(count: int, lead: float, random: np.random.Generator, nil: float = 1 / 3) -> Rankings:
    """Lists of 20 documents; relevant ones have a score higher by `lead`; a share `nil` has none."""
    relevant = np.where(random.random(count) < nil, 0, random.integers(1, 5, count))
    grades = np.arange(DOCUMENTS) < relevant[:, None]
    scores = random.normal(0, 1, grades.shape) + lead * grades + 5
    order = np.argsort(-scores, axis=1)
    grades, scores = (np.take_along_axis(table, order, axis=1) for table in (grades, scores))
    rows, places = np.nonzero(grades)
    ones, starts = np.ones(len(rows), np.int64), DOCUMENTS * np.arange(count)
    judgments = Judgments.from_rows([str(number) for number in range(count)], rows, ones)
    lists = np.full(count, DOCUMENTS), offsets_of(relevant), places + 1, ones, starts, scores.ravel()
    return Rankings(judgments, *lists, first_scores=scores[:, 0].copy())


def optimism(args: argparse.Namespace) -> None:
    """Bias of the highest and of the expected score, and the coverage of their intervals."""
    bound = bind(ir_trunc.parse_measure(args.measure))
    for name, lead in POPULATIONS.items():
        others = questions(20_000, lead, np.random.default_rng(0))
        rows = []
        for draw in range(1, args.draws + 1):
            lists = questions(args.questions, lead, np.random.default_rng(draw))
            advice = advised(lists, args.measure, tolerance=args.tolerance)
            truth = bound.score(others.cut(advice.policy.cut(others))).mean()
            expected, low, high = advice.expected
            rows.append(
                (advice.score[0] - truth, advice.low[0] <= truth <= advice.high[0],
                 expected - truth, low <= truth <= high, advice.chance <= 0.05)
            )  # fmt: skip
        bias, covers, corrected, corrected_covers, beyond_chance = np.array(rows, float).T
        for what, differences, held in (("highest", bias, covers), ("expected", corrected, corrected_covers)):
            error = differences.std(ddof=1) / np.sqrt(args.draws)
            bias_of = f"{differences.mean():+.4f} (standard error {error:.4f})"
            print(f"{name}: {what} score {bias_of}, interval {held.mean():.1%}", flush=True)
        print(f"{name}: better than both references beyond chance in {beyond_chance.mean():.1%}", flush=True)


def advised(lists: Rankings, measure: str = "RBPT", **options: object) -> ir_trunc.HowMany:
    """The advice without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ir_trunc.how_many(None, lists, measure, **options)


def share(hits: list[bool]) -> str:
    """A share with its Monte Carlo error."""
    mean = float(np.mean(hits)) if hits else np.nan
    return f"{mean:.3f} ({np.sqrt(mean * (1 - mean) / max(len(hits), 1)):.3f})"


def expect(args: argparse.Namespace) -> None:
    """How often the interval of what to expect holds the truth, and how often its width is 0."""
    print("measure      questions labels production lead  coverage       zero width     mean width  bias")
    for measure in ("RBPT", "FlatU(e=0.1)"):
        bound = bind(ir_trunc.parse_measure(measure))
        for count, labels, production in CELLS:
            for lead in POPULATIONS.values():
                others = questions(20_000, lead, np.random.default_rng(0), labels)
                nil = others.judgments.nil_queries
                to_expect = nil.mean() if production is None else production
                rows = []
                for draw in range(1, args.draws + 1):
                    lists = questions(count, lead, np.random.default_rng(draw), labels)
                    if not lists.judgments.nil_queries.any():
                        continue
                    advice = advised(lists, measure, unanswerable=production)
                    scores = bound.score(others.cut(advice.policy.cut(others)))
                    truth = to_expect * scores[nil].mean() + (1 - to_expect) * scores[~nil].mean()
                    expected, low, high = advice.expected
                    rows.append(
                        (low - 1e-9 <= truth <= high + 1e-9, high - low < 1e-9, high - low, expected - truth)
                    )
                holds, zero, width, bias = zip(*rows)
                print(
                    f"{measure:<12} {count:9} {labels:6.2f} {production or labels:10.2f} {lead:4.1f}"
                    f"  {share(holds)}  {share(zero)}  {np.nanmean(width):10.3f}  {np.nanmean(bias):+.3f}",
                    flush=True,
                )


def silence(args: argparse.Namespace) -> None:
    """How often the advised policy is worse than silence by more than 0.01."""
    bound = bind(ir_trunc.parse_measure("RBPT"))
    print("lead  questions  worse than silence  mean loss to the better reference")
    for lead in (0.0, 0.35, 0.7):
        others = questions(20_000, lead, np.random.default_rng(0), 0.3)
        silent, whole = float(others.judgments.nil_queries.mean()), bound.score(others).mean()
        for count in (20, 50, 100, 400):
            truths = []
            for draw in range(1, args.draws + 1):
                policy = advised(questions(count, lead, np.random.default_rng(draw), 0.3)).policy
                truths.append(bound.score(others.cut(policy.cut(others))).mean())
            worse = [bool(truth < silent - 0.01) for truth in truths]
            print(
                f"{lead:4.2f}  {count:9}  {share(worse)}  {max(silent, whole) - np.mean(truths):+.4f}",
                flush=True,
            )


def settings(args: argparse.Namespace) -> None:
    """How often the advised policy is worse than whole lists by more than 0.01."""
    bound = bind(ir_trunc.parse_measure("RBPT"))
    cells = {f"{count} questions": (count, 0.3) for count in (8, 15, 20, 50)}
    cells |= {
        "50, 5 % unanswerable": (50, 0.05),
        "12 users of 8": (96, 0.3),
        "40 of 120 by people": (120, 0.3),
    }
    print("lead  questions              worse than whole lists")
    for lead, (name, (count, nil)) in product((0.0, 0.7), cells.items()):
        others, worse = questions(20_000, lead, np.random.default_rng(0), nil), []
        whole = bound.score(others).mean()
        for draw in range(1, args.draws + 1):
            random = np.random.default_rng(draw)
            lists = questions(count, lead, random, nil)
            if name.startswith(str(count)):
                policy = advised(lists).policy
            else:
                policy = advised_on_data(lists, random, name.endswith("people")).policy
            worse.append(bool(bound.score(others.cut(policy.cut(others))).mean() < whole - 0.01))
        print(f"{lead:4.2f}  {name:<22} {share(worse)}", flush=True)


def advised_on_data(lists: Rankings, random: np.random.Generator, by_people: bool) -> ir_trunc.HowMany:
    """The advice on qrels and a run: of users with 8 questions each, or labelled by a model and by people."""
    topics = [q if by_people else f"{int(q) // 8}/{q}" for q in lists.topics]
    grades = np.zeros((len(topics), DOCUMENTS), int)
    grades[lists.judged_rows, lists.judged_ranks - 1] = lists.judged_grades
    scores = lists.scores.reshape(grades.shape)
    run = {q: {f"d{rank}": s for rank, s in enumerate(row)} for q, row in zip(topics, scores.tolist())}
    if not by_people:
        return advised_of(labels_of(topics, grades), run, keys="user/question")
    judge = np.where(random.random(grades.shape) < 0.1, 1 - grades, grades)
    return advised_of(ir_trunc.Judged(labels_of(topics, judge), labels_of(topics[:40], grades)), run)


def labels_of(topics: list[str], grades: np.ndarray) -> dict[str, dict[str, int]]:
    """All documents with their grades."""
    return {q: {f"d{rank}": int(grade) for rank, grade in enumerate(row)} for q, row in zip(topics, grades)}


def advised_of(labels: object, run: object, **options: object) -> ir_trunc.HowMany:
    """The advice without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ir_trunc.how_many(labels, run, "RBPT", **options)


def change(args: argparse.Namespace) -> None:
    """The bias of the change that a page expects of the policy that is best."""
    bound = bind(ir_trunc.parse_measure("RBPT"))
    said = re.compile(r"for s, (.+?), is to be expected to change this mean by ([+−-]?\d\.\d+) on new")
    print("lead  questions  bias (standard error)")
    for lead, count in product(POPULATIONS.values(), (15, 40)):
        others, bias = questions(20_000, lead, np.random.default_rng(0)), []
        whole = bound.score(others).mean()
        for draw in range(1, args.draws + 1):
            lists = questions(count, lead, np.random.default_rng(draw))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                page = ir_trunc.report("RBPT", None, {"s": lists})
            name, expected = said.search(html.unescape(page)).groups()
            fitted = parse_policy(name).fit(lists, "RBPT")
            truth = bound.score(others.cut(fitted.cut(others))).mean() - whole
            bias.append(float(expected.replace("−", "-")) - truth)
        error = np.std(bias, ddof=1) / np.sqrt(len(bias))
        print(f"{lead:4.2f}  {count:9}  {np.mean(bias):+.4f} ({error:.4f})", flush=True)


def keep(args: argparse.Namespace) -> None:
    """By how much the printed share of kept questions exceeds the truth; how often "shows" is false."""
    print("lead  questions  keep  printed - truth  shown           false          false where shown")
    for lead in (0.7, 1.5, 2.0):
        others = questions(20_000, lead, np.random.default_rng(0))
        answerable = ~others.judgments.nil_queries
        for count in (50, 100, 200, 400):
            for wanted in (0.8, 0.9):
                differences, shown, false = [], [], []
                for draw in range(1, args.draws + 1):
                    try:
                        advice = advised(questions(count, lead, np.random.default_rng(draw)), keep=wanted)
                    except ir_trunc.InputError:
                        continue
                    cut = others.cut(advice.policy.cut(others))
                    has_hit = np.bincount(cut.judged_rows[cut.judged_grades > 0], minlength=len(others)) > 0
                    truth = has_hit[answerable].mean()
                    differences.append(float(re.search(r"kept: (\d+)%", advice.heading)[1]) / 100 - truth)
                    shown.append(f"This shows keep={wanted:g}" in advice.heading)
                    false.append(shown[-1] and truth < wanted)
                of_shown = [wrong for wrong, was in zip(false, shown) if was]
                error = np.std(differences) / np.sqrt(len(differences))
                print(
                    f"{lead:4.1f}  {count:9}  {wanted:4.2f}  {np.mean(differences):+.3f} ({error:.3f})"
                    f"   {share(shown)}  {share(false)}  {share(of_shown)}",
                    flush=True,
                )


def answering(lists: Rankings, harm: float) -> np.ndarray:
    """The chance that the generated model answers right with the first 0, 1, ..., 20 passages (Q x 21)."""
    relevant = np.zeros((len(lists), DOCUMENTS + 1))
    relevant[lists.judged_rows, lists.judged_ranks] = lists.judged_grades > 0
    found = np.cumsum(relevant, axis=1)
    irrelevant = np.minimum(np.arange(DOCUMENTS + 1) - found, 10)
    return np.maximum(np.where(found > 0, 0.9, 0.1) - harm * irrelevant, 0)


def answers(args: argparse.Namespace) -> None:
    """Coverage of what to expect from graded answers, and what advice from answers and labels is worth."""
    print("lead  harm  questions  coverage       bias            answers  RBPT   FlatU  all    best fixed")
    count = args.questions
    for lead, harm in product((0.7, 2.0), (0.02, 0.05)):
        others = questions(20_000, lead, np.random.default_rng(0))
        chances, rows = answering(others, harm), []
        for draw in range(1, args.draws + 1):
            random = np.random.default_rng(draw)
            lists = questions(count, lead, random)
            right = random.random(count)[:, None] < answering(lists, harm)
            graded = {q: {k: int(row[k]) for k in TRIED} for q, row in zip(lists.topics, right)}
            of_lists = zip(lists.topics, lists.scores.reshape(count, DOCUMENTS).tolist())
            run = {q: {f"d{rank:02}": s for rank, s in enumerate(scores)} for q, scores in of_lists}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                advice = ir_trunc.how_many(ir_trunc.read_depths(graded), run)
            by_labels = [advised(lists, measure) for measure in ("RBPT", "FlatU(e=0.1)")]
            cuts = [each.policy.cut(others) for each in (advice, *by_labels)]
            truth, *others_of = (chances[np.arange(len(others)), cut].mean() for cut in cuts)
            expected, low, high = advice.expected
            rows.append((low - 1e-9 <= truth <= high + 1e-9, expected - truth, truth, *others_of))
        holds, bias, *worth = np.array(rows, float).T
        ends, error = chances.mean(axis=0), bias.std(ddof=1) / np.sqrt(len(bias))
        means = "  ".join(f"{each:.3f}" for each in (*np.mean(worth, axis=1), ends[-1], ends[[*TRIED]].max()))
        print(
            f"{lead:4.1f}  {harm:4.2f}  {count:9}  {share([*holds])}  {bias.mean():+.3f} ({error:.3f})"
            f"  {means}",
            flush=True,
        )


def speed(args: argparse.Namespace) -> None:
    """Processor seconds."""
    lists = questions(args.questions, 1.0, np.random.default_rng(0))
    start = time.process_time()
    ir_trunc.how_many(None, lists, args.measure)
    print(f"{args.questions} questions: {time.process_time() - start:.1f} s")


SIMULATIONS = {
    run.__name__: run for run in (optimism, expect, silence, settings, change, keep, answers, speed)
}


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("what", choices=tuple(SIMULATIONS))
    parser.add_argument("--questions", type=int, help="default: 50 for optimism, 50000 for speed")
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--measure", default="RBPT")
    parser.add_argument("--tolerance", type=float, default=0.01)
    args = parser.parse_args()
    args.questions = args.questions or {"speed": 50_000, "answers": 100}.get(args.what, 50)
    SIMULATIONS[args.what](args)


if __name__ == "__main__":
    main()
