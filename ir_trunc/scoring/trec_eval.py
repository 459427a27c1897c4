"""The names that trec_eval has for measures: `map`, `recip_rank`, `ndcg_cut_10`, `P_5`."""

from __future__ import annotations

import re

from ir_measures import Measure, parse_trec_measure

from ir_trunc.core.errors import UnknownMeasureError

# A word, and its parameters behind a dot or an underscore: a name of a file, as P_5.run, is not one.
_NAME = re.compile(
    r"(?:11pt_avg|[A-Za-z]+(?:_[A-Za-z]+)*)(?:[._][0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)?"
)


def measures_of(name: str) -> list[Measure]:
    """The measures that trec_eval calls by this name; none where it has no such name.

    They are several where a name without a cutoff stands for many. Raises UnknownMeasureError for a measure
    that ir-measures does not have.
    """
    if not _NAME.fullmatch(name):
        return []
    from pytrec_eval import supported_nicknames

    if name in supported_nicknames:  # all that trec_eval prints, some of which ir-measures does not have
        return []
    try:
        return list(parse_trec_measure(name))
    except ValueError as error:
        if "not yet supported" in str(error):
            raise UnknownMeasureError(
                f"{name} is a measure of trec_eval that ir-measures does not have."
            ) from None
        return []
