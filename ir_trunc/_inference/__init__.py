"""Inference: estimates from independent units, and what is asked of them."""
