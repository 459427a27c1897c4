"""Naive twins: every measure once more, slowly, for one query, in plain loops written from its definition.

The tests hold the library against these functions; nothing here may import it. `TWINS` maps a name to a
function of a query and a setting; `RUN_TWINS` holds the measures in which the value of a query depends on the
whole run. Every file `naive_*.py` beside this one is imported, so that its twins are known.
"""

from importlib import import_module
from pathlib import Path

from naive_measures import RUN_TWINS, TWINS, Query, Setting, binary, seen

__all__ = ["RUN_TWINS", "TWINS", "Query", "Setting", "binary", "seen"]

for _file in sorted(Path(__file__).parent.glob("naive_*.py")):
    if _file.stem not in ("naive_meta", "naive_policies", "naive_properties"):  # twins of other things
        import_module(_file.stem)
