"""Files that are written whole or not at all, and tables as text, Markdown, CSV, LaTeX and HTML."""
