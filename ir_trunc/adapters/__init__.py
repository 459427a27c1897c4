"""Adapters for other tools: retrieval pipelines, ir-measures, scikit-learn, and engines for large runs."""
