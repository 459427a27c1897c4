"""The compiled kernel, if there is one: it turns runs into lists, with the same bits as the Python code.

`IR_TRUNC_KERNEL=0` turns it off, `required` makes its absence an ImportError, and `1`, the default, uses it
if it is there.
"""

from __future__ import annotations

import os
from typing import Any


def _loaded() -> Any:
    """The compiled module; None where it is turned off or was not built for this Python."""
    wanted = os.environ.get("IR_TRUNC_KERNEL", "")
    if wanted not in ("", "0", "1", "required"):
        raise ImportError(f"IR_TRUNC_KERNEL={wanted}: 0, 1 or required is needed.")
    if wanted == "0":
        return None
    try:
        import ir_trunc._kernel._core as compiled
    except ImportError:
        if wanted == "required":
            raise
        return None
    return compiled


kernel = _loaded()
