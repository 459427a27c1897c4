"""The frozen dataclasses of ir_trunc do what those of the standard library do."""

import dataclasses
import inspect
import pickle
import sys

import pytest

from ir_trunc._core.lazy import dataclass


def declared(decorator):
    @decorator(frozen=True)
    class Span:
        """From one place to another."""

        start: int
        end: int = 10
        name: str = dataclasses.field(default="", repr=False, compare=False)
        closed: bool = dataclasses.field(default=False, kw_only=True)

        def __post_init__(self):
            if self.start > self.end:
                raise ValueError("it ends before it starts")

    @decorator(frozen=True, eq=False, repr=False)
    class Named(Span):
        """A span without equality."""

        label: str = "none"

    return Span, Named


OURS, STANDARD = declared(dataclass), declared(dataclasses.dataclass)
Span, Named = OURS
for made in OURS:
    made.__qualname__ = made.__name__  # where pickle looks for it
    setattr(sys.modules[__name__], made.__name__, made)

ARGUMENTS = [
    ((1,), {}),
    ((1, 2, "a"), {"closed": True}),
    ((), {"end": 5, "start": 1}),
    ((), {}),
    ((1,), {"start": 1}),
    ((1, 2, "a", True, 5), {}),
    ((1,), {"stop": 1}),
    ((11,), {}),
]


def outcome(make):
    try:
        return make()
    except (AttributeError, TypeError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(("args", "kwargs"), ARGUMENTS)
def test_objects_are_those_of_the_standard_library(which, args, kwargs):
    ours, standard = (outcome(lambda kind=kind: kind[which](*args, **kwargs)) for kind in (OURS, STANDARD))
    if isinstance(standard, type):
        assert ours is standard
        return
    assert vars(ours) == vars(standard)
    assert list(vars(ours)) == list(vars(standard))
    assert vars(dataclasses.replace(ours, start=0)) == vars(dataclasses.replace(standard, start=0))
    assert vars(pickle.loads(pickle.dumps(ours))) == vars(ours)
    assert repr(ours) == repr(standard).replace(type(standard).__qualname__, type(ours).__qualname__)
    for change in (lambda made: setattr(made, "end", 3), lambda made: delattr(made, "end")):
        assert outcome(lambda change=change: change(ours)) is outcome(lambda change=change: change(standard))


@pytest.mark.parametrize("which", [0, 1])
def test_equality_and_signatures_are_those_of_the_standard_library(which):
    for one in ((1, 2), (1, 3), (1, 2, "a")):
        same = [kind[which](1, 2) == kind[which](*one) for kind in (OURS, STANDARD)]
        assert same[0] == same[1]
        if same[0]:
            assert hash(Span(1, 2)) == hash(Span(*one))
    assert Span(1, 2) != Named(1, 2)
    parameters = [list(inspect.signature(kind[which]).parameters.values()) for kind in (OURS, STANDARD)]
    assert [str(each) for each in parameters[0]] == [str(each) for each in parameters[1]]
    assert [each.kind for each in parameters[0]] == [each.kind for each in parameters[1]]


def test_a_wrong_argument_is_named():
    with pytest.raises(TypeError, match="missing a required argument: 'start'"):
        Span()
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'stop'"):
        Span(1, stop=2)
