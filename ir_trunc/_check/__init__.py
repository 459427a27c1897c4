"""The gate: whether runs are as good as they may be expected to be, one condition each."""
