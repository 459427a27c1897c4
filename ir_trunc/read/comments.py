"""Comments in files of lines."""

from __future__ import annotations

from ir_trunc.read.layout import COMMENT, Layout


def without_comments(block: bytes) -> bytes:
    """The lines that are not comments."""
    if COMMENT not in block:
        return block
    return b"".join(line for line in block.splitlines(keepends=True) if not line.lstrip().startswith(COMMENT))


def row_in_a_comment(block: bytes, layout: Layout) -> str | None:
    """The first comment that would be a row if # were a part of its topic's id."""
    value = layout.fields.index(layout.value)
    for line in block.splitlines() if COMMENT in block else ():
        fields = line.decode(errors="replace").split()
        begins = len(fields) == len(layout.fields) and fields[0].startswith("#") and fields[0] != "#"
        if begins and _is_number(fields[value]):
            return " ".join(fields)
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
