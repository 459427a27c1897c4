"""The measures of the figures and tables in Amigó, Mizzaro & Spina (2022)."""

from __future__ import annotations

CUTS = (
    "FlatU RBU RBU(p=0.9) RBU(p=0.98) DCGU ERRU RBPU RBPU(p=0.9) RBPU(p=0.98) "
    "nDCGT ERRT RBPT RBPT(p=0.9) RBPT(p=0.98) SetF OIE"
)
"""The measures of the paper's Figure 2."""

TRUNCATED = (
    "nDCGT ERRT RBPT RBPT(p=0.9) RBPT(p=0.98) RBU RBU(p=0.9) RBU(p=0.98) DCGU ERRU RBPU RBPU(p=0.9)"
    " RBPU(p=0.98) OIE"
)
"""The columns of the paper's Table 2, as Liu et al. (2016) define the measures with a terminal document."""

PAPER_2022 = (
    "nDCGT(ideal='full') ERRT RBPT(p=0.8,tail=False) RBPT(p=0.9,tail=False) RBPT(p=0.98,tail=False)"
    " RBU(p=0.8) RBU(p=0.9) RBU(p=0.98) DCGU ERRU RBPU(p=0.8) RBPU(p=0.9) RBPU(p=0.98) OIE"
)
"""The columns of the paper's Table 2 in the variants that give its figures of 1.00 on real runs.

They have one terminal document, and an ideal list that is never cut.
"""

FULL = "AP nDCG DCG ERRU(e=0) RBP RBP(p=0.9) RBP(p=0.98) iRBU iRBU(p=0.9) iRBU(p=0.98) OIE"
"""The rows of the paper's Table 2; ERRU(e=0) is expected reciprocal rank on the scale of the qrels."""
