"""A policy: what it does, and what is known of it where it is declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from ir_trunc._core.errors import ParameterError, warn
from ir_trunc._core.parameters import written_arguments
from ir_trunc._core.rankings import Ints, Rankings
from ir_trunc._read.write import Target
from ir_trunc.measures.definition import Declared
from ir_trunc.measures.params import Param
from ir_trunc.scoring.stored import plain, write_json
from ir_trunc.truncation import live

Items = TypeVar("Items")


class Cutter(Protocol):
    """What functions need of a policy: `fit` and `cut`."""

    def fit(self, rankings: Rankings, measure: Any) -> Cutter:
        """The policy with its parameter set to the best for a measure on these training topics."""

    def cut(self, rankings: Rankings) -> Ints:
        """The length at which each list should end (Q), from 0 to its own."""


class Policy:
    """The base of policies: a subclass has `cut`, and `fit` where it has something to fit.

    A policy works on lists of judged topics (`fit`, `cut`), and on lists that were just retrieved:
    `policy(scores)` and `policy.keep(items)`.

    >>> from ir_trunc.truncation import ScoreThreshold
    >>> policy = ScoreThreshold(0.5)
    >>> policy([0.9, 0.7, 0.2])
    2
    >>> policy.keep([("d1", 0.9), ("d2", 0.7), ("d3", 0.2)])
    [('d1', 0.9), ('d2', 0.7)]
    """

    sees_judgments = False
    """Whether the policy looks at judgments to cut, as the oracle does."""

    not_live = ""
    """Why the policy cannot cut a list that was just retrieved, where it cannot."""

    def fit(self, rankings: Rankings, measure: Any) -> Policy:
        """The policy fitted to a measure (text or object) on these training topics.

        A parameter that was given stays; a policy with nothing to fit stays as it is.
        """
        return self

    def cut(self, rankings: Rankings) -> Ints:
        """The length at which each list should end (Q), from 0 to its own."""
        raise NotImplementedError

    def __call__(self, scores: Any, *, lower_is_better: bool = False) -> Any:
        """How many documents of a list to keep: the first k.

        Parameters
        ----------
        scores : list of float, array or tensor
            The scores of one list, falling; or an array with two dimensions, whose rows are lists. Equal
            scores are allowed, and so is the empty list, of which 0 documents are kept.
        lower_is_better : bool
            Whether the scores are distances, which rise. The policy sees them with the opposite sign, as
            where it was fitted on a run with `lower_is_better=True`.

        Returns
        -------
        int, or an array of int for two dimensions

        Raises
        ------
        InputError
            Where a score is missing, NaN or infinite, or comes after a lower one.
        ParameterError
            Where the policy still has to be fitted, or looks at more than scores, as `Oracle` does.

        Examples
        --------
        >>> from ir_trunc.truncation import LargestGap
        >>> LargestGap()([0.91, 0.88, 0.41, 0.40])
        2
        >>> LargestGap()([0.1, 0.2, 0.9], lower_is_better=True)
        2
        """
        live.refuse_if_not_live(self)
        values = live.higher_is_better(scores, lower_is_better)
        if values.ndim == 2:
            lengths = [live.length_of(self, row, f"row {at}, ") for at, row in enumerate(values)]
            return np.array(lengths, np.int64)
        return live.length_of(self, values)

    def keep(self, items: Items, score: Any = None, *, lower_is_better: bool = False) -> Items:
        """What is kept of a list of objects, in their order and in a collection of the same type.

        The k objects with the highest scores are kept; of equal ones those that come first.

        Parameters
        ----------
        items : list, tuple, array, dict, or a frame of pandas, polars or pyarrow
            What was retrieved: pairs (document, score), dicts or objects with a `score`, `{id: score}`, rows
            with a column `score`.
        score : str, callable or list of float
            Where the score is, if not there: the name of an attribute, key or column
            (`'metadata.relevance'` goes one level down), a function of an item, or the scores themselves.
        lower_is_better : bool
            Whether the scores are distances, see `__call__`.

        Raises
        ------
        InputError
            Where an item has no score, or one that is not a finite number.
        ParameterError
            As for `__call__`.

        Examples
        --------
        >>> from ir_trunc.truncation import ShareOfTop
        >>> ShareOfTop(0.5).keep([{"id": "a", "sim": 0.8}, {"id": "b", "sim": 0.3}], score="sim")
        [{'id': 'a', 'sim': 0.8}]
        """
        live.refuse_if_not_live(self)
        values = live.higher_is_better(live.scores_of(items, score), lower_is_better)
        rises = live.first_rise(values) > 0
        if rises and (values[1:] > values[:-1]).all():
            warn(
                f"The {len(values)} items are in the order of rising scores: those at the end are taken for"
                f" the best. If those at the front are, pass lower_is_better={not lower_is_better}."
            )
        order = np.argsort(-values, kind="stable") if rises else np.arange(len(values))
        kept: Items = live.taken(items, np.sort(order[: live.length_of(self, values[order])]))
        return kept

    def save(self, path: Target) -> None:
        """Write the policy as JSON, to be read by `ir_trunc.load_policy`; gzipped where the name ends in .gz.

        Raises ParameterError where JSON cannot hold it: a policy that is not in the registry, or one with a
        model of another library in it.

        >>> import os, tempfile
        >>> from ir_trunc import load_policy
        >>> from ir_trunc.truncation import ScoreThreshold
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "stop.json")
        ...     ScoreThreshold(0.5).save(path)
        ...     load_policy(path)
        ScoreThreshold(threshold=0.5)
        """
        write_json(path, "Policy", self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The policy as JSON can hold it, to be read by `ir_trunc.truncation.policy_of`. Raises as `save`."""
        name = type(self).__name__
        if name not in registry or registry[name].kind is not type(self):
            raise ParameterError(
                f"{name} is not in the registry of policies: @policy(source=...) puts it there."
            )
        if not registry[name].written:
            raise ParameterError(
                f"{name} holds what JSON cannot, a model of another library: use joblib.dump or pickle."
            )
        return {"policy": name, "parameters": plain(vars(self))}


@dataclass(frozen=True)
class PolicyDefinition(Declared):
    """A policy as declared.

    kind: its class. params: by name. source: where it comes from. idempotent: whether a list once cut stays
    so. written: whether text and JSON can hold a fitted one.
    """

    name: str
    kind: type[Policy]
    params: Mapping[str, Param]
    source: str
    idempotent: bool
    written: bool = True

    def _docstring(self) -> str:
        return self.kind.__doc__ or ""

    @property
    def signature(self) -> str:
        """The policy as it is written, with its parameters and their defaults."""
        return self.name + written_arguments(self.params.values())

    def clean(self, made: Any) -> None:
        """Replace the parameters of a new policy by plain values; ParameterError where one is not allowed."""
        for name, param in self.params.items():
            value = getattr(made, name)
            if value is not None or param.required:
                try:
                    object.__setattr__(made, name, param.kind.clean(name, value))
                except ParameterError as error:
                    raise type(error)(f"{self.name}: {error}") from None


registry: dict[str, PolicyDefinition] = {}


def unfitted(made: Policy, name: str) -> ParameterError:
    """What to raise where a parameter has to be fitted first."""
    how = "fit it on training topics first (at the command line: --qrels and --measure)"
    return ParameterError(f"{type(made).__name__} has no {name} yet: {how}.")
