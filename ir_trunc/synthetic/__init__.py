"""Generated data: the demonstration, runs, questions, retrieved chunks and passages."""

__all__: list[str] = []
