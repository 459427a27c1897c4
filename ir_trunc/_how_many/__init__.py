"""How many documents to return, from which score on, and when none."""
