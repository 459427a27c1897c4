"""Reference implementations: measures in plain loops for one query, slowly, written from their definitions.

The tests hold the library against these functions; nothing here may import it. `REFERENCES` maps a name to a
function of a query and a setting; `RUN_REFERENCES` holds the measures in which the value of a query depends
on the whole run. Every file `reference_*.py` beside this one is imported, so that what it has is known.
"""

from importlib import import_module
from pathlib import Path

from reference_measures import REFERENCES, RUN_REFERENCES, Query, Setting, binary, seen

__all__ = ["REFERENCES", "RUN_REFERENCES", "Query", "Setting", "binary", "seen"]

for _file in sorted(Path(__file__).parent.glob("reference_*.py")):
    if _file.stem not in ("reference_meta", "reference_policies", "reference_properties"):  # of other things
        import_module(_file.stem)
