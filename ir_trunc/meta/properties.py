"""The seven properties of Amigó, Mizzaro & Spina (SIGIR 2022): which of them a measure has, by trying."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from inspect import cleandoc
from itertools import product
from typing import Annotated, Any

import numpy as np
from ir_measures import Measure

from ir_trunc._core.errors import ParameterError, shown
from ir_trunc._core.parameters import Several, several, whole
from ir_trunc._core.rankings import Floats
from ir_trunc.measures import BoundMeasure
from ir_trunc.measures.params import Whole
from ir_trunc.meta.axioms import OUTSIDE, PROPERTIES, Scale, named
from ir_trunc.meta.declare import procedure
from ir_trunc.meta.findings import Claim, Finding, Verdicts, tried_on
from ir_trunc.meta.pools import own_formulas
from ir_trunc.meta.trials import DEPTHS, SHALLOW, SHARES, Batch, Part, depths, every_list
from ir_trunc.scoring.objects import parse_measure, written

Grading = Annotated[
    Sequence[int] | None,
    Several("grades of the lists, 0 first (by default 0,1 and then 0,1,2)", Whole("grade", 0)),
]
Length = Annotated[int, Whole("length of the longest lists of which all are tried", 4, 10)]

SCALES: tuple[Scale, ...] = ((0, 1), (0, 1, 2))
"""The scales of grades that are tried by default."""

LARGER = 10
"""How many times larger the second collection is, where a measure knows the collection's size D."""

MOST = 100_000
"""How many lists can be tried."""

_SHARES = ", ".join(f"D/{share}" for share in SHARES)
_SHALLOW = f"1 to 32, {', '.join(map(str, SHALLOW[32:]))}"

RULE = f"""\
Each property is tried in several settings: on lists of grades 0,1 and on lists of grades 0,1,2; Deepness and
Shallowness with R = n relevant documents in the collection and with R = 2n (and as many irrelevant ones, all
judged), of each grade; and where a measure knows the size D of the collection, with its default D and with
{LARGER} times as much. The verdict in one setting:

    strict     the property holds in every case
    weak       no case is against it, but there are ties
    constant   all cases tie: the measure does not see what the property is about
    violated   there is a case against it

Where the settings disagree the verdict is 'depends', followed by what it depends on and an example of each
verdict. The cases are all lists up to a length, by default of 6, with up to {OUTSIDE} relevant documents
outside them.

Deepness: one relevant document on top beats n relevant ones after n irrelevant ones 'for some n large
enough'. The largest n that is tried decides, {DEPTHS[-1]}; where a measure knows D, each of n = {_SHARES}
is a setting of its own.
Shallowness: it loses to m relevant ones after m irrelevant ones for some m, of {_SHALLOW}.

A violation is proved by the case that is shown. The other verdicts hold for what was tried."""

Function = Callable[[Sequence[int], Sequence[int]], float]
Scorer = Callable[[Batch], Floats]


@procedure(source="Amigó, Mizzaro & Spina, SIGIR 2022, https://doi.org/10.1145/3477495.3532051")
def check_properties(
    measure: str | Measure | Function, scale: Grading = None, length: Length = 6
) -> Verdicts:
    """Try the seven properties on a measure.

    Parameters
    ----------
    measure : text, measure or callable
        A callable takes the grades by rank and the grades of all judged documents, and returns a number.
    scale : sequence of int, optional
        Grades from which lists are made, 0 first; by default 0,1 and then 0,1,2.
    length : int
        Length of the longest lists of which all are tried, 4 to 10.

    Returns
    -------
    Verdicts
        A finding for each property.

    Raises
    ------
    ParameterError
        Where too many lists would be tried, or the function returns no finite number.

    Examples
    --------
    >>> from ir_trunc import meta
    >>> meta.check_properties("RBPT", length=4)["Confidence"].shows
    '- (R=1) 0 = 0 (R=1) 0'
    """
    return next(verdicts_of([measure], scale, length))


def with_rule(told: str | None) -> str:
    """A docstring in which the rule of the verdicts stands before the parameters."""
    return cleandoc(told or "").replace("\n\nParameters\n", f"\n\n{RULE}\n\nParameters\n", 1)


check_properties.__doc__ = with_rule(check_properties.__doc__)


def verdicts_of(
    measures: Iterable[Any], scale: Sequence[int] | None = None, length: int = 6
) -> Iterator[Verdicts]:
    """`check_properties` of several measures."""
    scales = SCALES if scale is None else (_ascending(scale),)
    for grades in scales:
        lists = sum(len(grades) ** n for n in range(length + 1))
        lists *= math.comb(len(grades) + OUTSIDE - 1, OUTSIDE)
        if lists > MOST:
            asked = f"scale={named(grades)}, length={length}"
            raise ParameterError(
                f"{asked}: {lists} lists would be tried, and at most {MOST} can be: take fewer grades or a"
                " shorter length."
            )
    return (_check(measure, scales, length) for measure in measures)


def _ascending(scale: Sequence[int]) -> Scale:
    grades = tuple(whole("scale", grade, 0, 2**31) for grade in several("scale", scale, "grades"))
    if len(grades) < 2 or grades[0] != 0 or list(grades) != sorted(set(grades)):
        raise ParameterError(f"scale={grades}: 0 and at least one grade above it, ascending, are needed.")
    return grades


def _check(measure: Any, scales: tuple[Scale, ...], length: int) -> Verdicts:
    sizes: list[int] = []
    cutoff: int | None = None
    claims: dict[str, Claim] = {}
    scorers: dict[int | None, Scorer]
    if callable(measure) and not isinstance(measure, (Measure, type)):
        name, scorers = getattr(measure, "__name__", "function"), {None: _function_scorer(measure)}
    else:
        parsed = parse_measure(measure)
        bound = own_formulas([parsed])[0]
        name, cutoff, claims = written(parsed), bound.cutoff, _claims().get(bound.definition.name, {})
        sizes = _sizes(bound.params.get("D"), "D" in parsed.params, length)
        scorers = {D: _formula_scorer(bound, D) for D in sizes} or {None: _formula_scorer(bound, None)}
    parts: dict[str, list[Part]] = {known.name: [] for known in PROPERTIES}
    for scale, (D, scorer) in product(scales, scorers.items()):
        also = {} if D is None else {"D": str(D)}
        for batch in (every_list(scale, length), depths(scale, D)):
            for prop, part in batch.judge(_scores(name, scorer, batch, scale), also):
                parts[prop].append(part)
    findings = []
    for known in PROPERTIES:
        tried = _tried(known.rule, scales, tried_on(scales, length, cutoff), sizes)
        findings.append(Finding(known.name, tuple(parts[known.name]), tried, claims.get(known.name)))
    return Verdicts(name, scales, length, tuple(findings), cutoff)


def _sizes(D: Any, given: bool, length: int) -> list[int]:
    """The collection sizes to try with a measure whose parameter D is this; none where it is a word."""
    if not isinstance(D, int):
        return []
    whole("D", D, length + OUTSIDE + 2)
    return [D] if given else [D, LARGER * D]


def _scores(name: str, scorer: Scorer, batch: Batch, scale: Scale) -> Floats:
    try:
        return scorer(batch)
    except ParameterError as error:
        where = f"{name} on lists of grades {named(scale)}"
        raise ParameterError(f"{where}: {error} Other grades are chosen by 'scale'.") from None


def _tried(rule: str, scales: Sequence[Scale], lists: str, sizes: Sequence[int]) -> str:
    """What was tried for a property, in words."""
    D = f"; D = {' and '.join(map(str, sizes))}" if sizes else ""
    if rule == "every case":
        return f"{lists}, 0 to {OUTSIDE} relevant documents outside{D}"
    grades = " and ".join(f"{named(scale[1:])} of {named(scale)}" for scale in scales)
    n = f"m = {_SHALLOW}; R = m and 2m"
    if rule == "from some n on":
        n = f"n = {_SHARES if sizes else f'1, 2, 4 to {DEPTHS[-1]}'}; R = n and 2n"
    return f"{n}; relevant documents of grade {grades}{D}"


def _formula_scorer(measure: BoundMeasure, D: int | None) -> Scorer:
    sized = measure if D is None else replace(measure, params={**measure.params, "D": D})
    sign = -1 if measure.definition.lower_is_better else 1

    def score(batch: Batch) -> Floats:
        if sized.definition.scope == "list":
            return sign * sized.score(batch.lists)
        return sign * np.concatenate([sized.score(one) for one in batch.alone])

    return score


def _function_scorer(function: Function) -> Scorer:
    def score(batch: Batch) -> Floats:
        found = np.empty(len(batch.rankings))
        for at, ranking in enumerate(batch.rankings):
            value = function(ranking.grades, ranking.judged)
            try:
                found[at] = float(value)
            except (TypeError, ValueError):
                found[at] = math.nan
            if not math.isfinite(found[at]):
                raise ParameterError(
                    f"The function returns {shown(value)} for {ranking}; a finite number is needed."
                )
        return found

    return score


def _claims() -> dict[str, dict[str, Claim]]:
    """What the paper says in legible words, by measure and property."""
    text = (files("ir_trunc.meta") / "claims.csv").read_text(encoding="utf-8")
    claims: dict[str, dict[str, Claim]] = {}
    for row in csv.DictReader(text.splitlines()):
        for name in row["properties"].split():
            claims.setdefault(row["measure"], {})[name] = Claim(row["says"], row["where"], row["scale"])
    return claims
