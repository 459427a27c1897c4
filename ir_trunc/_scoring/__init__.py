"""Scoring: measures over ranked lists, by the names and objects of ir-measures."""

__all__: list[str] = []
