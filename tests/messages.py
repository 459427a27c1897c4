"""Errors as tests read them: one line that names what is wrong."""

import pytest

from ir_trunc import InputError


def refused(error, message, call, *arguments, **options):
    """A call raises this error, with a message that matches."""
    with pytest.raises(error, match=message):
        call(*arguments, **options)


def complaint(call) -> str:
    """The message of the InputError that a call raises."""
    with pytest.raises(InputError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def check(message, *parts):
    """All these parts are in a message."""
    assert [part for part in parts if part not in message] == [], message
