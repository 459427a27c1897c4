"""The measures: one decorated function each, in a file for each family.

Importing this package fills `registry`, which everything else reads: the ir-measures provider, the command line, the
reference and the laws that hold for all measures.
"""

from ir_trunc.measures import (  # noqa: F401  importing a family registers its measures
    answering,
    classical,
    correlation,
    graded,
    information,
    probabilistic,
    terminal,
    utility,
)
from ir_trunc.measures.declare import BoundMeasure, Definition, curves, lookup, measure, names, registry, scores

__all__ = ["BoundMeasure", "Definition", "curves", "lookup", "measure", "names", "registry", "scores"]
