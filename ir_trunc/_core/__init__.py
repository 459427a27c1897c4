"""What everything stands on: lists, judgments, curves, checks, errors."""
