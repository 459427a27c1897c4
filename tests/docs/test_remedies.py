"""What a message proposes is done in the call that gave it: the message goes, and what is confirmed stays.

The calls are those of `messages.txt`, and those of `remedies.txt`, each of which must get a proposal.
"""

import ast
import contextlib
import inspect
import re
import shlex
import warnings
from pathlib import Path

import pandas as pd
import pytest

import ir_trunc
from ir_trunc._cli.main import main
from ir_trunc._scoring.evaluator import ScoringOptions
from ir_trunc.adapters.arrow import scorer

MESSAGES, CASES = (
    Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    for name in ("messages.txt", "remedies.txt")
)
CALLS = [line for line in MESSAGES if line and not line.startswith(" ")]
MANY = {str(topic): {"d1": 1, "d2": 0} for topic in range(8)}


def many(score):
    return [(q, f"d{rank}", rank, float(score(rank))) for q in MANY for rank in range(1, 6)]


def frame(rows, *others):
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])
    return table[["query_id", "doc_id", "score", *others]]


def span(query, trace, doc, **more):
    attributes = {"openinference.span.kind": "RETRIEVER", "input.value": query}
    attributes |= {"retrieval.documents.0.document.id": doc, "retrieval.documents.0.document.score": 1.0}
    return {"context": {"span_id": f"{trace}{doc}", "trace_id": trace}, "attributes": attributes} | more


LEVEL, RISING, FALLING = (many(score) for score in (lambda rank: 1, lambda rank: rank, lambda rank: -rank))
UNEVEN = many(lambda rank: (6, 5, 3, 4, 1)[rank - 1])
NEAR = many(lambda rank: 1700000005 - rank)
NAMES = {
    **{name: getattr(ir_trunc, name) for name in ir_trunc.__all__},
    **{
        "ir_trunc": ir_trunc,
        "meta": ir_trunc.meta,
        "scorer": scorer,
        "MANY": MANY,
        "LEVEL": LEVEL,
        "RISING": RISING,
    },
    **{"frame": frame, "span": span, "TWELVE": {f"t{n}": {"d3": 1} for n in range(12)}},
    "records": lambda rows, *others: frame(rows, *others).to_dict("records"),
    "lists": lambda rows: {q: [(d, score) for topic, d, _, score in rows if topic == q] for q in MANY},
    "qrels": {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {}},
    "run": {"1": {"a": 2.0, "x": 1.0}, "2": {"c": 0.5}, "3": {}},
}


def trec(rows):
    return "".join(f"{q} Q0 {d} {rank} {score!r} t\n" for q, d, rank, score in rows)


FILES = {
    "level.run": trec(LEVEL),
    "rising.run": trec(RISING),
    "falling.run": trec(FALLING),
    "uneven.run": trec(UNEVEN),
    "near.run": trec(NEAR),
    "twice.run": trec(FALLING) + "0 Q0 d1 6 -6.0 t\n",
    "few.run": trec(FALLING[:30]),
    "nil.run": trec(FALLING) + "0 Q0 NIL 6 -6.0 t\n",
    "level.csv": frame(LEVEL).to_csv(index=False),
    "ranked.csv": frame(LEVEL, "rank").to_csv(index=False),
    "scores.txt": "".join(f"{q} {d} {score}\n" for q, d, _, score in FALLING),
    "ranks.txt": "".join(f"{q} {d} {rank}\n" for q, d, rank, _ in FALLING),
    "one.txt": "0 d1 1\n",
    "many.qrels": "".join(f"{q} 0 {d} {grade}\n" for q, docs in MANY.items() for d, grade in docs.items()),
    "words.qrels": "".join(f"{q} 0 d1 H\n{q} 0 d2 PR\n" for q in MANY),
    "log.jsonl": '{"id": 1, "answer": "I do not know"}\n{"id": 2, "answer": "x", "correct": 1}\n',
    "refused.jsonl": '{"id": 1, "answer": "I do not know", "references": ["x"]}\n',
    "bad.run": "1 Q0 a 1 2.5 t\n1 Q0 b 2 high t\n",
    "short.run": "1 Q0 a 1\n",
    "empty.run": "",
}

LITERAL = r"""(?:'[^']*'|"[^"]*"|\{[^{}]*\}|\[[^][]*\]|\([^()]*\)|True|False|None|-?\d+(?:\.\d+)?)"""
OPTION = re.compile(rf"\b([a-z_]+)=({LITERAL}(?:(?:,| or) {LITERAL})*)")
VALUE = r"(?:'[^']*'|[\w=/]+(?:,[\w=]+)*)"
FLAG = re.compile(rf"--(?!help)([a-z][a-z-]+)((?: {VALUE})(?: or {VALUE})*)?")
WITHOUT_VALUE = {"lower-is-better", "all-answerable"}


def figures(result):
    """The figures of whatever a call returns."""
    for name in ("values", "to_dict", "counts", "to_pandas"):
        if (part := getattr(result, name, None)) is not None:
            return repr(part() if callable(part) else part)
    return repr(result)


def kind(message):
    """A message without numbers and quotations."""
    return re.sub(r"'[^']*'|\d+", "", message)


@pytest.fixture
def done(collection, capsys):
    """Do a call or a command: its figures, its messages, and whether it failed."""
    for name, text in FILES.items():
        (collection / name).write_text(text, encoding="utf-8")

    def does(call):
        if call.startswith("$"):
            with warnings.catch_warnings():
                warnings.simplefilter("always", ir_trunc.IrTruncWarning)
                try:
                    status = main(shlex.split(call)[2:])
                except SystemExit as stopped:
                    status = stopped.code
            out, err = capsys.readouterr()
            return out, err.splitlines(), status == 2
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found, errors = figures(eval(call, dict(NAMES))), []
            except ir_trunc.IrTruncError as error:
                found, errors = None, [str(error)]
        said = [str(each.message) for each in caught if each.category is ir_trunc.IrTruncWarning]
        return found, said + errors, bool(errors)

    return does


def takes(function, name):
    """Whether a function has a keyword, by its own name or as one of the options that it hands on."""
    with contextlib.suppress(TypeError, ValueError):
        parameters = inspect.signature(function).parameters.values()
        any_option = name in ScoringOptions.__annotations__
        return any(each.name == name or (each.kind is each.VAR_KEYWORD and any_option) for each in parameters)
    return False


def changed(call, name, value):
    """The call with a keyword, or without it; None where it has it so already, or takes no such one."""
    tree = ast.parse(call, mode="eval")
    before = ast.unparse(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and takes(eval(ast.unparse(node.func), dict(NAMES)), name):
            kept = [each for each in node.keywords if each.arg != name]
            added = [] if value is None else [ast.keyword(name, ast.parse(value, mode="eval").body)]
            places = [place for place, each in enumerate(node.keywords) if each.arg == name]
            place = places[0] if places else len(kept)
            node.keywords = [*kept[:place], *added, *kept[place:]]
            after = ast.unparse(tree)
            return None if after == before else after
    return None


def changed_command(call, name, value):
    """The same of a command; an option without a value has the value ''."""
    words, flag = shlex.split(call)[1:], f"--{name}"
    after = [word for word in words if word != flag]
    if value is not None and words == after:
        after += [flag] if name in WITHOUT_VALUE else [flag, value]
    return None if after == words or f"{flag} {value}" in call else f"$ {shlex.join(after)}"


def offers(call, message):
    """The calls that a message proposes, each with how: a choice, a change, or a confirmation."""
    is_command = call.startswith("$")
    for match in (FLAG if is_command else OPTION).finditer(message):
        name, ahead, behind = match[1], message[: match.start()], message[match.end() :]
        change = changed_command if is_command else changed
        if choices := re.match(rf" is unknown: ({LITERAL}(?:(?:,| or) {LITERAL})*) is needed", behind):
            values, how = re.findall(LITERAL, choices[1]), "choice"
        elif ahead.endswith("leave ") and re.match(r"[^,;.]* out\b", behind):
            values, how = [None], "change"
        elif is_command and (name in WITHOUT_VALUE or not match[2]):
            values, how = [""] if name in WITHOUT_VALUE else [], "change"
        else:
            values = [
                value.strip("'") if is_command else value
                for value in re.findall(VALUE if is_command else LITERAL, match[2])
            ]
            values, how = [value for value in values if "..." not in value and value != "or"], "change"
            if is_command and name == "abstains":
                values = values[:1]
        how = "confirmation" if re.match(r"(?: [a-z]*)? ?confirms\b", behind) else how
        if is_command and match[2] and match[2].endswith(" confirms"):
            how = "confirmation"
        yield from ((new, how) for value in values if (new := change(call, name, value)))
    if near := re.search(r"Did you mean ([^?]+)\?", message):
        wrong = re.search(r"unrecognized arguments: (\S+)|'([^']+)'", message)
        for word in re.split(r", | or ", near[1]):
            yield call.replace(wrong[1] or wrong[2], word), "choice"


@pytest.mark.parametrize("call", [*CALLS, *CASES])
def test_a_remedy_works_in_the_call_that_named_it(call, done):
    found, messages, _ = done(call)
    tried = 0
    for message in messages:
        for new, how in offers(call, message):
            tried += 1
            of_new, said, failed = done(new)
            assert kind(message) not in map(kind, said), new
            assert how == "choice" or not failed, (new, said)
            assert how != "confirmation" or found is None or of_new == found, new
    assert tried or call in CALLS, messages


def test_fractions_are_made_whole_by_the_line_in_the_message(done):
    qrels = {"1": {"a": 0.5, "b": 0.2}}
    _, (message,), _ = done(f"calc('AP', {qrels}, run)")
    line, rel = re.search(r"\. (\{.*\}) makes fractions whole; (rel=\d+)", message).groups()
    found, said, _ = done(f"calc('AP({rel})', {eval(line, {'qrels': qrels})}, {{'1': ['a', 'b']}})")
    assert (found, said) == ("array([[1.]])", [])


def test_a_scale_is_confirmed_as_the_message_writes_it(done):
    qrels = {"1": {"a": 1, "b": 4}}
    found, (message,), _ = done(f"calc('ERRT', {qrels}, {{'1': ['a', 'b']}})")
    written = re.search(r"max_rel=\d", message)[0]
    assert done(f"calc('ERRT({written})', {qrels}, {{'1': ['a', 'b']}})") == (found, [], False)
