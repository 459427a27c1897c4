"""Rows and judgments as ranked lists."""
