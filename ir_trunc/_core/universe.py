"""The universe of topics that are scored, what is assumed about it, and lists that have several keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_trunc._core.arrays import Floats, Ints
from ir_trunc._core.errors import InputError, ParameterError, ParameterTypeError, counted, option, shown

__all__ = ["Keys", "Universe"]


def _example() -> str:
    return f"as in {option('keys', ('topic', 'question', 'day'), 'topic/question/day')}"


@dataclass(frozen=True)
class Keys:
    """The keys that identify a list together, outermost first; the id of the list joins them."""

    names: tuple[str, ...]  # two or more
    separator: str = "/"  # in the id of a list

    @classmethod
    def of(cls, keys: Any) -> Keys:
        """From names, or from a text of names with the separator between them."""
        if isinstance(keys, Keys):
            return keys
        separator = "/"
        if isinstance(keys, str):
            signs = {sign for sign in keys if not (sign.isalnum() or sign in "_-")}
            if len(signs) > 1 or " " in signs:
                raise ParameterError(f"keys={shown(keys)}: one character separates the names, {_example()}.")
            separator = next(iter(signs), separator)
            keys = keys.split(separator)
        if not isinstance(keys, (list, tuple)) or not all(isinstance(name, str) for name in keys):
            raise ParameterTypeError(f"keys={shown(keys)}: names of keys are needed, {_example()}.")
        if len(keys) < 2 or not all(keys) or len(set(keys)) < len(keys):
            raise ParameterError(f"keys={shown(keys)}: two or more distinct names are needed, {_example()}.")
        return cls(tuple(keys), separator)

    def __str__(self) -> str:
        return self.separator.join(self.names)

    def joined(self, parts: Sequence[str], place: str) -> str:
        """The id of a list from its keys, which are texts; InputError where one cannot be a key."""
        if len(parts) != len(self.names):
            needed = f"{counted(len(parts), 'key')}; the {len(self.names)} keys {self} are needed"
            raise InputError(f"{place}: {shown(tuple(parts))} has {needed}.")
        for name, part in zip(self.names, parts):
            if not part or self.separator in part:
                problem = "holds the separator" if part else "is empty"
                other = f" {option('keys', '|'.join(self.names))} names another." if part else ""
                raise InputError(f"{place}: {name} {shown(part)} {problem}.{other}")
        return self.separator.join(parts)

    def split(self, topics: Iterable[str], source: str = "topics") -> list[tuple[str, ...]]:
        """The keys of each list from its id; InputError where an id does not have them all."""
        ids = [tuple(topic.split(self.separator)) for topic in topics]
        for parts in ids:
            if len(parts) != len(self.names) or not all(parts):
                what = f"{counted(len(parts), 'key')}; the {len(self.names)} keys {self} are needed"
                raise InputError(f"{source}, topic {self.separator.join(parts)}: {what}, none of them empty.")
        return ids


class Nest:
    """Nested means over lists with keys: over the innermost key first, so that outer keys weigh the same."""

    def __init__(self, keys: Keys, topics: Sequence[str]):
        self.keys = keys
        # For each key, the outermost first: the ids of its groups of lists, and the positions of these among
        # the groups of the key around it.
        self.groups: list[Sequence[str]] = [topics]
        self.parents: list[Ints] = []
        for _ in keys.names[1:]:
            outer = [group.rpartition(keys.separator)[0] for group in self.groups[0]]
            number_of = {group: number for number, group in enumerate(dict.fromkeys(outer))}
            self.groups.insert(0, list(number_of))
            self.parents.insert(0, np.fromiter(map(number_of.__getitem__, outer), np.int64, len(outer)))

    def weights(self, level: int = 0) -> tuple[Ints, Floats]:
        """The number of the group of each list under a key, and the weights of the lists in their mean."""
        units = np.arange(len(self.groups[level]))
        weights = np.ones(len(units))
        for parents in self.parents[level:]:
            units, weights = units[parents], (weights / np.bincount(parents))[parents]
        return units, weights / weights.mean()

    def means(self, values: Floats, level: int | None, unit: int = 0) -> Floats:
        """The means (M x groups) of values (M x lists) for a key: 0 is the outermost, None the whole run.

        unit: the key whose groups count alike in the mean of the whole run.
        """
        for parents in reversed(self.parents[unit if level is None else level :]):
            sums = np.array([np.bincount(parents, of_measure) for of_measure in values])
            values = sums / np.bincount(parents)
        return values.mean(axis=1, keepdims=True) if level is None else values


_SEARCHED = {
    "union": "each list is their union",
    "first": "each list is that of the first one",
    "last": "each list is that of the last one",
    "sequence": "each list is their union, and sDCG knows the place in each",
}


@dataclass(frozen=True, repr=False)
class Universe:
    """The set of topics that are scored, and what is assumed about them.

    With keys, "topic" stands for a list: a question on a day, for example.

    Attributes
    ----------
    topics : int
        Topics that are scored.
    in_run, missing : int
        Those that have rows in the run (or an empty list there), and those that do not.
    unjudged : int
        Those without any judgment.
    nil : int
        Nil queries: those with no relevant document.
    sizes : str
        The size of the collection that measures assume; empty where none reads it.
    levels : tuple of int
        Positive grades of the scale.
    declared : bool
        Whether the qrels' own scale is known. Otherwise its highest grade is the highest that occurs.
    nil_means : str
        The meaning of a document NIL, see `ir_trunc.NilRule`.
    order : str
        What decided the order of the lists, see `ir_trunc.typing.Reading`; 'given' for `Rankings`.
    excluded : int
        Topics of the qrels that are left out, because they are missing from the run.
    nesting : Keys, optional
        The keys of which the id of a list consists.
    lower_is_better : bool
        Whether the scores of the run are distances, which were taken with the opposite sign.
    score : str
        The column or key of the scores, if the user named it.
    depth : int, optional
        Where all lists are cut, for measures without a cutoff.
    searches, several : str and int
        What the lists of questions with several searches are, see `ir_trunc.typing.Reading`, and how many
        there are; empty and 0 where there is none.
    sequence : mapping, optional
        With searches='sequence', for each topic what each of its searches showed, as ranks in the union.
    top_scores : mapping, optional
        With searches='sequence', the highest score of each search, -inf where it showed nothing.
    holds_ends : bool
        Whether ends of lists are documents of the run, as `with_terminal` adds them for other tools.
    """

    topics: int = 0
    in_run: int = 0
    missing: int = 0
    unjudged: int = 0
    nil: int = 0
    sizes: str = ""
    levels: tuple[int, ...] = ()
    declared: bool = False
    nil_means: str = "document"
    order: str = "given"
    excluded: int = 0
    nesting: Keys | None = None
    lower_is_better: bool = False
    score: str = ""
    depth: int | None = None
    searches: str = ""
    several: int = 0
    sequence: Mapping[str, tuple[list[int], ...]] | None = None
    top_scores: Mapping[str, tuple[float, ...]] | None = None
    holds_ends: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys of a list, outermost first; () for lists that are identified by one id."""
        return () if self.nesting is None else self.nesting.names

    @property
    def searched(self) -> str:
        """What the lists of questions with several searches are; "" where there is none."""
        if not self.searches:
            return ""
        return f"{counted(self.several, 'topic')} with several searches: {_SEARCHED[self.searches]}"

    def __repr__(self) -> str:
        scale = ", ".join(map(str, self.levels)) or "nothing is relevant"
        lines = {
            "topics": self.topics,
            "in the run": self.in_run,
            "missing": f"{self.missing} and {self.excluded} excluded" if self.excluded else self.missing,
            "unjudged": self.unjudged,
            "nil queries": self.nil,
            "collection size": self.sizes or "not used",
            "relevant grades": scale + ("" if self.declared else " (those that occur)"),
            "document NIL": self.nil_means,
            "order": self.order,
            "keys": str(self.nesting or "none"),
            **({"cut at depth": self.depth} if self.depth else {}),
            **({"several searches": self.searched} if self.searched else {}),
        }
        return "\n".join(f"{name:15} {value}" for name, value in lines.items())
