"""Comparison of runs: means, differences, tests and tables."""
