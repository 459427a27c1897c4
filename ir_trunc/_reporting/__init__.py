"""What is said of systems: comparisons, gates, advice, pages, the reference and reproductions."""
