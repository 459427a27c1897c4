"""Pictures as files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ir_trunc._core.errors import InputError, IrTruncError
from ir_trunc._core.lazy import needed
from ir_trunc._output.files import Target, check_outputs, output_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Without the time, a picture is the same bytes every time.
_UNDATED = {"svg": {"Date": None}, "svgz": {"Date": None}, "pdf": {"CreationDate": None}}


def check_picture(path: Target, inputs: Iterable[Target | None] = ()) -> None:
    """Check before the work that a picture can be drawn and written.

    Raises InputError, IrTruncError or OSError where it cannot.
    """
    check_outputs([path], inputs)
    with needed("Pictures need matplotlib", "plot", IrTruncError):
        from matplotlib.backend_bases import FigureCanvasBase
    if _kind(path) not in FigureCanvasBase.get_supported_filetypes():
        raise InputError(f"{os.fsdecode(path)}: the name of a picture ends in its kind, .png, .svg or .pdf.")


def save(figure: Figure, path: Target, fonts: str) -> None:
    """Write a figure, of the kind that the ending of its name says.

    fonts: letters in SVG as text ('none') or as outlines ('path').
    """
    from matplotlib import rc_context

    check_picture(path)
    data = io.BytesIO()
    settings: dict[str, Any] = {"svg.fonttype": fonts, "svg.hashsalt": "ir_trunc"}
    try:
        with rc_context(settings):
            figure.savefig(data, format=_kind(path), dpi=150, metadata=_UNDATED.get(_kind(path)))
    except (ValueError, RuntimeError) as error:
        raise IrTruncError(f"{os.fsdecode(path)}: {str(error).splitlines()[0]}.") from None
    with output_file(path) as file:
        file.write(data.getvalue())


def _kind(path: Target) -> str:
    return os.path.splitext(os.fsdecode(path))[1].lower().removeprefix(".")
