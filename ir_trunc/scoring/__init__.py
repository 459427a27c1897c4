"""Scoring: measures over ranked lists, by the names and objects of ir-measures.

`evaluator` has the functions that score runs, `objects` the measures by object and by text, and `results`
what the functions return.
"""

__all__: list[str] = []
