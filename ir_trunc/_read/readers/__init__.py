"""The readers: one file for each form of data. What is here is found by `ir_trunc._read.registry`."""
