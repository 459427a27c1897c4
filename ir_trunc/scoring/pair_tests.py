"""Names of the significance tests between systems.

`ir_trunc.meta.paired` has the tests. It needs scipy, which takes longer to import than a small run to score;
the names do not.
"""

from typing import Literal

PairTest = Literal["t", "bootstrap", "randomisation", "tukey", "randomised-tukey"]
