"""Pages that are written: the reference."""
