"""Evaluation of rankings whose length is a decision of the system."""
