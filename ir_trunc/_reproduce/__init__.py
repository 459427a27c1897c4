"""The tables of papers, computed anew."""
