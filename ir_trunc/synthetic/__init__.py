"""Generated data: the demonstration, runs, questions, retrieved chunks and passages."""
