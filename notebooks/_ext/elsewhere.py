"""Write notebooks/coming-from/names.md, what the names of other frameworks are here."""

from ir_trunc.measures.declaration import ELSEWHERE

PAGE = """# Names of measures in other tools

The names on the left are those of ranx, torchmetrics, BEIR, MTEB, sentence-transformers, LlamaIndex,
Haystack, ragas, CLEF's scripts, papers and others. Error messages give the same answer to an unknown name.
Names of ir-measures and of trec_eval are names here as well.

| there | here |
|---|---|
"""


def page():
    """The page as it should be."""
    names = {there.replace(" ", "`, `"): here for there, here in ELSEWHERE.items()}
    return PAGE + "".join(f"| `{there}` | {here} |\n" for there, here in names.items())


if __name__ == "__main__":
    print(page(), end="")
