"""What users see: public names, their keywords, and the most frequent messages: `tests/surface.txt`.

- names: public are those in `__all__` of the modules that an API page documents or a page names. Public
  functions have types, one order of arguments and numpydoc sections.
- keywords: what each keyword of public functions means, its types, and the functions that have it (* for more
  than six). A function that takes a keyword joins its row only if it means the same.
- messages: a call or a command, and below it what users then see. What a message proposes is done in the call
  that gave it: the message goes, and what is confirmed stays.
- remedies: calls and commands each of whose messages must propose something.
"""

import ast
import contextlib
import inspect
import json
import re
import shlex
import warnings
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import walk_packages

import pandas as pd
import pytest
from messages import refused
from public import FUNCTIONS, MODULES, OF_PYTERRIER, handed_on, parameters_of

import ir_trunc
from ir_trunc import measures, meta, truncation, typing
from ir_trunc._scoring.evaluator import ScoringOptions
from ir_trunc.adapters.arrow import scorer

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "surface.txt"
PARTS = re.split(r"^# ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
SECTIONS = dict(part.split("\n", 1) for part in PARTS)
LISTED = set(SECTIONS["names"].split())
KEYWORDS = [line.split("\t") for line in SECTIONS["keywords"].strip().splitlines()]
CALLS = [block.split("\n") for block in SECTIONS["messages"].strip().split("\n\n")]
CALLS += [[call] for call in SECTIONS["remedies"].strip().splitlines()]
ORDER = (
    {"policies"},
    {"measure", "measures", "truncated", "full"},
    {"qrels"},
    {"run", "runs", "pools", "matrix"},
)


def texts_of_pages():
    """README and pages, and the text and code of notebooks without what they print."""
    for path in [ROOT / "README.md", *(ROOT / "notebooks").rglob("*.md")]:
        yield path.read_text(encoding="utf-8")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            yield "".join(cell["source"])


PAGES = "\n".join(texts_of_pages())
DOCUMENTED_MODULES = set(re.findall(r"automodule:: (\S+)", PAGES))
FROM = re.findall(r"from (ir_trunc[\w.]*) import ([\w, ]+)", PAGES)
IMPORTED = {f"{module}.{name}" for module, names in FROM for name in re.split(r"[, ]+", names)}
DOTTED = set(re.findall(r"(?<![\w/])(ir_trunc(?:\.[A-Za-z]\w*)+)(?!\w|/)", PAGES))
# What is registered needs no line in the list, nor do the results of procedures.
RESULTS = {str(inspect.signature(each.function).return_annotation) for each in meta.registry.values()}
REGISTERED = {
    *(f"{module}.{name}" for module in MODULES for name in (*measures.names(), *truncation.registry)),
    *(f"ir_trunc.meta.{name}" for name in (*meta.registry, *RESULTS)),
}


# Modules whose own packages are not installed, too.
WALKED = {module.name for module in walk_packages(ir_trunc.__path__, "ir_trunc.")}


def is_public(name):
    """A name of the list or an attribute of one, a module, something registered, or a page's own example."""
    owner, _, last = name.rpartition(".")
    known = name in LISTED | REGISTERED or name in WALKED or owner in LISTED | REGISTERED
    return known or f"class {last}(" in PAGES


def test_public_names_are_those_that_are_listed():
    """Users rely on them: a name that goes or comes needs a line in CHANGELOG.md, too."""
    modules = {name.rpartition(".")[0] for name in LISTED} & set(MODULES)
    public = {f"{module}.{name}" for module in modules for name in MODULES[module].__all__}
    listed = {name for name in LISTED if name.rpartition(".")[0] in MODULES}
    assert public - REGISTERED == listed, f"write the names into {FILE.name}, sorted"


def test_every_public_name_is_on_a_page():
    unnamed = LISTED - IMPORTED - DOTTED
    assert {name for name in unnamed if name.rpartition(".")[0] not in DOCUMENTED_MODULES} == set()


def test_every_name_on_a_page_is_public():
    assert {name for name in IMPORTED | DOTTED if not is_public(name)} == set()


def test_few_names_are_at_the_top_level():
    """Beside measures and modules; classes that a function returns are in `ir_trunc.typing`."""
    assert len(set(ir_trunc.__all__) - set(measures.names())) <= 35


def test_arguments_and_results_have_types():
    for name, function in FUNCTIONS.items():
        assert inspect.signature(function).return_annotation is not inspect.Signature.empty, name
        for parameter in parameters_of(name).values():
            assert parameter.annotation is not inspect.Parameter.empty, (name, parameter.name)


def test_measures_come_first_then_qrels_then_runs():
    for name in FUNCTIONS.keys() - {*OF_PYTERRIER}:
        by_place = [word for word, each in parameters_of(name).items() if each.kind is not each.KEYWORD_ONLY]
        places = [place for word in by_place for place, words in enumerate(ORDER) if word in words]
        assert places == sorted(places), name


def test_the_documentation_has_the_sections_of_numpydoc():
    for name in filter(parameters_of, FUNCTIONS):
        parts = inspect.getdoc(FUNCTIONS[name]).split("\n---")
        sections = {title.splitlines()[-1]: body for title, body in pairwise(parts)}
        described = sections.get("Parameters", "")
        listed = (line.split(" : ")[0] for line in described.splitlines())
        names = {word.strip(" *") for words in listed for word in words.split(",")}
        named = {word for word, each in parameters_of(name).items() if each.kind is not each.VAR_KEYWORD}
        assert named <= names, name
        assert handed_on(name) <= set(re.findall(r"\w+", described)), name
        returns_none = "None" in str(inspect.signature(FUNCTIONS[name]))
        assert "Returns" in sections or "Yields" in sections or returns_none, name
        assert "Examples" in sections, name


def test_the_guide_takes_an_answer_to_each_of_its_questions():
    asked, nodes = set(), [import_module("ir_trunc.meta.guide").tree()]
    for node in nodes:
        asked |= {node["key"]} if "key" in node else set()
        nodes += [node[answer] for answer in ("yes", "no") if answer in node]
    keywords = {word for word, each in parameters_of("ir_trunc.meta.guide").items() if each.kind != 4}
    assert keywords | handed_on("ir_trunc.meta.guide") == asked
    refused(ir_trunc.ParameterError, "length is not answered", meta.guide, length=None, recall=True)


def test_the_types_of_arguments_can_be_imported():
    def mine(measures: typing.MeasureLike, qrels: typing.QrelsLike, run: typing.RunLike) -> None:
        """A function of a user's own."""

    assert inspect.signature(mine, eval_str=True).parameters["run"].annotation == typing.RunLike


def test_dir_shows_what_is_public():
    shown = set(dir(ir_trunc))
    assert set(ir_trunc.__all__) <= shown
    assert "study" in dir(truncation)  # which is imported when it is first used
    assert not {"scoring", "core", "annotations", "Any", "TYPE_CHECKING"} & shown


ELSEWHERE = (*OF_PYTERRIER, "ir_trunc.meta.guide")  # PyTerrier's words, and questions of the guide


def type_of(annotation):
    """The type as it is written, without the kind that checks it."""
    text = str(annotation).replace('"', "")
    return re.sub(r"^Annotated\[(.*?), [A-Z]\w*\(.*", r"\1", text, flags=re.DOTALL)


def rows():
    """[keyword, types, functions] of public functions and of the methods of policies."""
    methods = {f"Policy.{name}": each for name, each in vars(truncation.Policy).items() if name[0] != "_"}
    types, functions = {}, {}
    for name, function in (FUNCTIONS | methods).items():
        if name in ELSEWHERE or not inspect.isfunction(function):
            continue
        for each in inspect.signature(function).parameters.values():
            if each.name != "self" and each.kind is not each.VAR_KEYWORD:
                types.setdefault(each.name, set()).add(type_of(each.annotation))
                functions.setdefault(each.name, set()).add(name.removeprefix("ir_trunc."))
        if name in FUNCTIONS:
            for keyword in handed_on(name):
                types.setdefault(keyword, set())
    for keyword in sorted(types):
        names = sorted(functions[keyword])
        yield [keyword, " or ".join(sorted(types[keyword])), " ".join(names) if len(names) <= 6 else "*"]


def test_every_keyword_has_one_row():
    assert [[keyword, types, functions] for keyword, _, types, functions in KEYWORDS] == [*rows()]
    assert len({meaning for _, meaning, *_ in KEYWORDS}) == len(KEYWORDS)


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
    **{"ir_trunc": ir_trunc, "meta": meta, "scorer": scorer, "MANY": MANY, "LEVEL": LEVEL, "RISING": RISING},
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
ALL_POLICIES = ", ".join(truncation.registry)
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
def done(collection, command):
    """Do a call or a command: its figures, its messages, and whether it failed."""
    for name, text in FILES.items():
        (collection / name).write_text(text, encoding="utf-8")

    def does(call):
        if call.startswith("$"):
            status, found, err = command(*shlex.split(call)[2:])
            return found, without_place(err.splitlines()), status == 2
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found, errors = figures(eval(call, dict(NAMES))), []
            except ir_trunc.IrTruncError as error:
                found, errors = None, [f"{type(error).__name__}: {error}"]
        said = [f"warning: {each.message}" for each in caught]
        return found, without_place(said + errors), bool(errors)

    def without_place(lines):  # nor policies: one that is added changes no message
        return [line.replace(str(collection), ".").replace(ALL_POLICIES, "(all policies)") for line in lines]

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
    new = [] if value is None else [ast.keyword(name, ast.parse(value, mode="eval").body)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and takes(eval(ast.unparse(node.func), dict(NAMES)), name):
            old = [each for each in node.keywords if each.arg == name]
            node.keywords = [*(each for each in node.keywords if each.arg != name), *new]
            return None if [*map(ast.dump, old)] == [*map(ast.dump, new)] else ast.unparse(tree)
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
            values = re.findall(VALUE if is_command else LITERAL, match[2])
            values = [value.strip("'") for value in values] if is_command else values
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


@pytest.mark.parametrize("lines", CALLS, ids=[call for call, *_ in CALLS])
def test_messages_are_those_that_were_edited_and_their_remedies_work(lines, done):
    call, *edited = lines
    found, messages, _ = done(call)
    assert edited in ([], [f"  {line}" for line in messages])
    tried = 0
    for message in messages:
        for new, how in offers(call, message):
            tried += 1
            of_new, said, failed = done(new)
            assert kind(message) not in map(kind, said), new
            assert how == "choice" or not failed, (new, said)
            assert how != "confirmation" or found is None or of_new == found, new
    assert tried or edited, messages


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
