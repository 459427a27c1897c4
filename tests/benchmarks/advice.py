"""What `how_many` promises, by simulation, and how long it takes.

    python tests/benchmarks/advice.py optimism [--draws 300] [--questions 50]
    python tests/benchmarks/advice.py expect [--draws 300]
    python tests/benchmarks/advice.py silence [--draws 400]
    python tests/benchmarks/advice.py settings [--draws 200]
    python tests/benchmarks/advice.py ties [--draws 100]
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
8 questions each, and with labels by a model that errs in a tenth and by people for 40 questions. `ties` does
so where scores are whole numbers or all equal, under a measure whose values are 0 and 1 (EM) and another, and
prints how often the interval of what to expect holds the truth, and how often it has no width. `change`
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

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


def questions(count: int, lead: float, random: Any, nil: float = 1 / 3, unit: float = 0) -> Rankings:
    """Lists of 20 documents; relevant ones have a score higher by `lead`; a share `nil` has none.

    unit: of which the scores are multiples; 0 for none.
    """
    relevant = np.where(random.random(count) < nil, 0, random.integers(1, 5, count))
    grades = np.arange(DOCUMENTS) < relevant[:, None]
    scores = random.normal(0, 1, grades.shape) + lead * grades + 5
    order = np.argsort(-scores, axis=1)
    grades, scores = (np.take_along_axis(table, order, axis=1) for table in (grades, scores))
    if unit:
        scores = np.round(scores / unit) * unit
    rows, places = np.nonzero(grades)
    ones, starts = np.ones(len(rows), np.int64), DOCUMENTS * np.arange(count)
    judgments = Judgments.from_rows([str(number) for number in range(count)], rows, ones)
    lists = np.full(count, DOCUMENTS), offsets_of(relevant), places + 1, ones, starts, scores.ravel()
    return Rankings(judgments, *lists, first_scores=scores[:, 0].copy())


def advised(labels: Any, lists: Any, measure: str = "RBPT", **options: Any) -> ir_trunc.HowMany:
    """The advice without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ir_trunc.how_many(labels, lists, measure, **options)


def advice_of(
    draws: int,
    count: int,
    lead: float,
    measure: str = "RBPT",
    nil: float = 1 / 3,
    unit: float = 0,
    ask: Callable[..., ir_trunc.HowMany] | None = None,
    **options: Any,
) -> Iterator[tuple[ir_trunc.HowMany, Rankings, np.ndarray, float]]:
    """The advice on each draw, other questions cut by it, their scores, and the mean score of whole lists.

    ask: another way to the advice, by the lists and a generator of random numbers. A draw is left out where
    the advice is refused.
    """
    others = questions(20_000, lead, np.random.default_rng(0), nil, unit)
    bound = bind(ir_trunc.parse_measure(measure))
    whole = bound.score(others).mean()
    for draw in range(1, draws + 1):
        random = np.random.default_rng(draw)
        lists = questions(count, lead, random, nil, unit)
        with suppress(ir_trunc.IrTruncError):
            advice = ask(lists, random) if ask else advised(None, lists, measure, **options)
            cut = others.cut(advice.policy.cut(others))
            yield advice, cut, bound.score(cut), whole


def share(hits: Iterable[bool]) -> str:
    """A share with its Monte Carlo error."""
    hits = [*hits]
    mean = float(np.mean(hits)) if hits else np.nan
    return f"{mean:.3f} ({np.sqrt(mean * (1 - mean) / max(len(hits), 1)):.3f})"


def holds(advice: ir_trunc.HowMany, truth: float) -> tuple[bool, bool, float]:
    """Whether the interval of what to expect holds the truth, whether it has no width, and its width."""
    _, low, high = advice.expected
    return bool(low - 1e-9 <= truth <= high + 1e-9), high - low < 1e-9, high - low


def optimism(args: argparse.Namespace) -> None:
    """Bias of the highest and of the expected score, and the coverage of their intervals."""
    for name, lead in POPULATIONS.items():
        rows = []
        how = args.draws, args.questions, lead, args.measure
        for advice, _, scores, _ in advice_of(*how, tolerance=args.tolerance):
            truth, (expected, low, high) = scores.mean(), advice.expected
            of_highest = advice.score[0] - truth, advice.low[0] <= truth <= advice.high[0]
            rows.append((*of_highest, expected - truth, low <= truth <= high, advice.chance <= 0.05))
        bias, covers, corrected, corrected_covers, beyond_chance = np.array(rows, float).T
        for what, differences, held in (("highest", bias, covers), ("expected", corrected, corrected_covers)):
            error = differences.std(ddof=1) / np.sqrt(args.draws)
            bias_of = f"{differences.mean():+.4f} (standard error {error:.4f})"
            print(f"{name}: {what} score {bias_of}, interval {held.mean():.1%}", flush=True)
        print(f"{name}: better than both references beyond chance in {beyond_chance.mean():.1%}", flush=True)


def expect(args: argparse.Namespace) -> None:
    """How often the interval of what to expect holds the truth, and how often its width is 0."""
    print("measure      questions labels production lead  coverage       zero width     mean width  bias")
    for measure, cell, lead in product(("RBPT", "FlatU(e=0.1)"), CELLS, POPULATIONS.values()):
        rows, (count, labels, production) = [], cell
        of_draws = advice_of(args.draws, count, lead, measure, labels, unanswerable=production)
        for advice, cut, scores, _ in of_draws:
            nil = cut.judgments.nil_queries
            to_expect = nil.mean() if production is None else production
            truth = to_expect * scores[nil].mean() + (1 - to_expect) * scores[~nil].mean()
            rows.append((*holds(advice, truth), advice.expected[0] - truth))
        held, zero, width, bias = zip(*rows)
        of_cell = f"{measure:<12} {count:9} {labels:6.2f} {production or labels:10.2f} {lead:4.1f}"
        shares = f"{share(held)}  {share(zero)}  {np.nanmean(width):10.3f}  {np.nanmean(bias):+.3f}"
        print(f"{of_cell}  {shares}", flush=True)


def silence(args: argparse.Namespace) -> None:
    """How often the advised policy is worse than silence by more than 0.01."""
    print("lead  questions  worse than silence  mean loss to the better reference")
    for lead, count in product((0.0, 0.35, 0.7), (20, 50, 100, 400)):
        each = advice_of(args.draws, count, lead, nil=0.3)
        rows = [(cut.judgments.nil_queries.mean(), whole, scores.mean()) for _, cut, scores, whole in each]
        silent, whole, truth = np.array(rows).T
        loss = np.maximum(silent, whole).mean() - truth.mean()
        print(f"{lead:4.2f}  {count:9}  {share(truth < silent - 0.01)}  {loss:+.4f}", flush=True)


def settings(args: argparse.Namespace) -> None:
    """How often the advised policy is worse than whole lists by more than 0.01."""
    cells: dict[str, Any] = {f"{count} questions": (count, 0.3, None) for count in (8, 15, 20, 50)}
    cells |= {"50, 5 % unanswerable": (50, 0.05, None), "12 users of 8": (96, 0.3, of_users)}
    cells["40 of 120 by people"] = 120, 0.3, by_people
    print("lead  questions              worse than whole lists")
    for lead, (name, (count, nil, ask)) in product((0.0, 0.7), cells.items()):
        each = advice_of(args.draws, count, lead, nil=nil, ask=ask)
        worse = share(bool(scores.mean() < whole - 0.01) for _, _, scores, whole in each)
        print(f"{lead:4.2f}  {name:<22} {worse}", flush=True)


def ties(args: argparse.Namespace) -> None:
    """The same, and what to expect, where many scores and values are equal."""
    print("measure scores         lead  questions  advised  worse          coverage       zero width")
    kinds = {"whole numbers": 1.0, "all equal": 100.0}
    for measure, (kind, unit), lead, count in product(("EM", "RBPT"), kinds.items(), (0.0, 2.0), (15, 50)):
        each = advice_of(args.draws, count, lead, measure, unit=unit)
        rows = [(s.mean() < whole - 0.01, *holds(advice, s.mean())) for advice, _, s, whole in each]
        cells = "  ".join(map(share, [*zip(*rows)][:3]))
        print(f"{measure:7} {kind:13}  {lead:4.1f}  {count:9}  {len(rows):7}  {cells}", flush=True)


def of_users(lists: Rankings, random: Any) -> ir_trunc.HowMany:
    """The advice on users with 8 questions each."""
    topics = [f"{int(q) // 8}/{q}" for q in lists.topics]
    data = (by_document(topics, values) for values in (grades_of(lists), lists.scores))
    return advised(*data, keys="user/question")


def by_people(lists: Rankings, random: Any) -> ir_trunc.HowMany:
    """The advice on questions that a model labelled, of which people labelled 40."""
    topics, grades = lists.topics, grades_of(lists)
    judge = np.where(random.random(grades.shape) < 0.1, 1 - grades, grades)
    labels = ir_trunc.Judged(by_document(topics, judge), by_document(topics[:40], grades))
    return advised(labels, by_document(topics, lists.scores))


def grades_of(lists: Rankings) -> np.ndarray:
    """The grades of all documents by rank."""
    grades = np.zeros((len(lists), DOCUMENTS), int)
    grades[lists.judged_rows, lists.judged_ranks - 1] = lists.judged_grades
    return grades


def by_document(topics: Iterable[str], values: np.ndarray) -> dict[str, dict[str, Any]]:
    """Values of all documents, which are named by their ranks."""
    docs = [f"d{rank:02}" for rank in range(DOCUMENTS)]
    return {q: dict(zip(docs, row)) for q, row in zip(topics, values.reshape(-1, DOCUMENTS).tolist())}


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
    for lead, count, wanted in product((0.7, 1.5, 2.0), (50, 100, 200, 400), (0.8, 0.9)):
        rows = []
        for advice, cut, *_ in advice_of(args.draws, count, lead, keep=wanted):
            has_hit = np.bincount(cut.judged_rows[cut.judged_grades > 0], minlength=len(cut)) > 0
            truth = has_hit[~cut.judgments.nil_queries].mean()
            printed = float(re.search(r"kept: (\d+)%", advice.heading)[1]) / 100
            shown = f"This shows keep={wanted:g}" in advice.heading
            rows.append((printed - truth, shown, shown and truth < wanted))
        differences, shown, false = zip(*rows)
        of_shown = share(wrong for _, was, wrong in rows if was)
        error = np.std(differences) / np.sqrt(len(differences))
        mean = f"{np.mean(differences):+.3f} ({error:.3f})"
        shares = f"{share(shown)}  {share(false)}  {of_shown}"
        print(f"{lead:4.1f}  {count:9}  {wanted:4.2f}  {mean}   {shares}", flush=True)


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
            advice = advised(ir_trunc.read_depths(graded), by_document(lists.topics, lists.scores), None)
            by_labels = [advised(None, lists, measure) for measure in ("RBPT", "FlatU(e=0.1)")]
            cuts = [each.policy.cut(others) for each in (advice, *by_labels)]
            truth, *others_of = (chances[np.arange(len(others)), cut].mean() for cut in cuts)
            rows.append((holds(advice, truth)[0], advice.expected[0] - truth, truth, *others_of))
        held, bias, *worth = np.array(rows, float).T
        ends, error = chances.mean(axis=0), bias.std(ddof=1) / np.sqrt(len(bias))
        means = "  ".join(f"{each:.3f}" for each in (*np.mean(worth, axis=1), ends[-1], ends[[*TRIED]].max()))
        of_bias = f"{bias.mean():+.3f} ({error:.3f})"
        print(f"{lead:4.1f}  {harm:4.2f}  {count:9}  {share(held)}  {of_bias}  {means}", flush=True)


def speed(args: argparse.Namespace) -> None:
    """Processor seconds."""
    lists = questions(args.questions, 1.0, np.random.default_rng(0))
    start = time.process_time()
    ir_trunc.how_many(None, lists, args.measure)
    print(f"{args.questions} questions: {time.process_time() - start:.1f} s")


NAMED = optimism, expect, silence, settings, ties, change, keep, answers, speed
SIMULATIONS = {run.__name__: run for run in NAMED}


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
