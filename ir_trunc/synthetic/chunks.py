"""Generated questions with the chunks that a retriever returned, to try `how_many` on."""

from __future__ import annotations

from ir_trunc._core.parameters import generator, whole


def chunks(
    questions: int = 200, retrieved: int = 20, seed: int = 0
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """What was retrieved for each question, and which of it answers the question.

    One question in four has no answer; the others have 1 to 5 chunks that answer them. Similarities are
    normal: about 0.72 (standard deviation 0.10) for these, about 0.45 (0.09) for all others, and those of a
    question are shifted together (0.04).

    Parameters
    ----------
    questions, retrieved : int
        How many questions, and chunks for each.
    seed : int
        One seed gives one collection.

    Returns
    -------
    dict, dict
        `{question: {chunk: similarity}}` and `{question: {chunk: 1}}`.

    Examples
    --------
    >>> from ir_trunc.synthetic.chunks import chunks
    >>> retrieved, labels = chunks(questions=8)
    >>> len(retrieved["q1"]), [len(answers) for answers in labels.values()]
    (20, [0, 4, 3, 2, 0, 1, 4, 5])
    """
    rng, found, labels = generator(seed), {}, {}
    whole("questions", questions, 1), whole("retrieved", retrieved, 5)
    for number in range(questions):
        answers = int(rng.integers(1, 6)) * (number % 4 > 0)
        shift, names = rng.normal(0, 0.04), [f"c{number}-{at}" for at in range(retrieved)]
        means = [(0.72, 0.10)] * answers + [(0.45, 0.09)] * (retrieved - answers)
        scores = [round(float(rng.normal(*mean) + shift), 3) for mean in means]
        found[f"q{number + 1}"] = dict(zip(names, scores))
        labels[f"q{number + 1}"] = dict.fromkeys(names[:answers], 1)
    return found, labels
