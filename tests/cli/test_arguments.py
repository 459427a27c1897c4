"""One grammar for all commands: options, runs followed by measures, and help."""

import json
import re
import runpy
from collections import defaultdict
from itertools import chain, product
from pathlib import Path

import pytest

import ir_trunc
from ir_trunc._cli import _arguments, main, meta, study
from ir_trunc._cli.meta import by_command
from ir_trunc.measures import registry

GROUPS = {
    "study": [*by_command(study.STUDIES, study.WRITTEN_OUT), *study.WRITTEN_OUT],
    "meta": [*by_command(ir_trunc.meta.registry.values(), meta.WRITTEN_OUT), *meta.WRITTEN_OUT],
}
COMMANDS = [
    [],
    *([name] for group in main.COMMANDS.values() for name in group if name not in GROUPS),
    *([group, name] for group, names in GROUPS.items() for name in names),
]
QRELS, RUNS = "demo.qrels", ["never-stops.run", "stops-in-time.run"]


@pytest.fixture
def parsers(command, monkeypatch):
    """The parsers of all commands."""
    made, first = [], _arguments.OneLineParser.__init__

    def noted(self, *args, **options):
        first(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(_arguments.OneLineParser, "__init__", noted)
    for words in COMMANDS:
        assert command(*words, "--help")[0] == 0
    return made


@pytest.mark.needs("policies")
def test_a_letter_means_one_thing_in_all_commands_and_flags_come_from_one_table(parsers):
    meanings = defaultdict(set)
    starts = [line.split("  ")[0] for line in _arguments.OPTIONS.values()]
    table = [{*start.split()[:2]} & {*re.findall(r"-[-\w]+", start)} for start in starts]
    for action in (action for parser in parsers for action in parser._actions):
        names = set(action.option_strings)
        assert "_" not in "".join(names)
        assert all(names in (of_table, names | {"-m"}) for of_table in table if names & of_table)
        for letter in (name for name in names if not name.startswith("--")):
            meanings[letter].add(next(name for name in names if name.startswith("--")))
    letters = {"h": "help", "q": "by-query", "n": "no-summary", "p": "places", "o": "output", "k": "cuts"}
    assert meanings == {f"-{letter}": {f"--{name}"} for letter, name in (letters | {"m": "measures"}).items()}


def test_pages_of_text_fit_a_terminal(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    pages = ["demo"], ["measures"], *(["measures", name] for name in registry)
    for words in (*pages, *([*words, "--help"] for words in COMMANDS)):
        wide = [line for line in command(*words)[1].splitlines() if len(line) > 80]
        assert all(re.search(r"https?://\S{40}", line) for line in wide), words  # which cannot be broken


def test_options_may_stand_anywhere_and_are_those_of_the_ir_measures_command(collection, command):
    words = [QRELS, RUNS[0], "RR", "AP"]
    expected = command(*words, "-qnp-1", "--format=csv")
    assert expected[0] == 0
    for place in range(5):
        options = ["--by_query", "--no_summary", "-p", "-1", "--output_format", "csv"]
        assert command(*words[:place], *options, *words[place:]) == expected


def test_the_pages_name_the_options_of_ir_measures_that_are_not_here(folder, command, monkeypatch):
    theirs = []
    with monkeypatch.context() as patch:
        parse = "argparse.ArgumentParser.parse_args"
        patch.setattr(parse, lambda parser: theirs.extend(parser._actions) or 1 / 0)
        with pytest.raises(ZeroDivisionError):
            runpy.run_module("ir_measures", run_name="__main__")
    refused = []
    for action in theirs:
        values = [[]] if action.nargs == 0 else [[str(value)] for value in action.choices or [2]]
        for option, value in product(action.option_strings, values):
            by_query = ["-q"] if action.dest == "no_summary" else []
            words = ["qrels", "in.run", "AP", *by_query, option, *value]
            if option not in ("-h", "--help") and command(*words)[0]:
                refused.append(" ".join([option, *value]) if option == "-o" else option)
    assert sorted({*refused}) == ["--provider", "-o jsonl", "-o tsv"]
    for page in ("README.md", "notebooks/start/know-ndcg.md", "notebooks/coming-from/ir-measures.md"):
        text = " ".join((Path(__file__).parents[2] / page).read_text().split())
        assert "except `--provider` and `-o jsonl`" in text, page


def test_a_run_is_told_from_a_measure_in_one_way(collection, command):
    """By the commands that score, and by those of meta."""
    for name in ("AP", "P_5", "P_5.run"):
        (collection / name).write_bytes((collection / RUNS[0]).read_bytes())
    score = command(QRELS, "AP", RUNS[1], "P_5.run", "AP", "P_5", "-q", "-n", "--format", "csv")[1]
    assert {line.split(",")[0] for line in score.splitlines()[1:]} == {"AP", RUNS[1], "P_5.run"}
    assert command("meta", "matrix", QRELS, "AP", RUNS[1], "P_5.run", "AP", "P_5", "-o", "saved")[0] == 0
    matrix = ir_trunc.meta.ScoreMatrix.load("saved")
    assert (matrix.systems, matrix.measures) == (("AP", RUNS[1], "P_5.run"), ("AP", "P@5"))


@pytest.mark.parametrize(
    "words", ["report -o page.html qrels", "study cuts qrels", "qrels", "meta matrix -o x qrels"]
)
@pytest.mark.parametrize("measure", ["RBPT", "nDCG@10", "P(rel=2)@5", "RBPT AP"])
def test_a_measure_in_the_place_of_the_run(folder, complaint, words, measure):
    message = complaint(*words.split(), measure, "in.run", "AP")
    assert f"{measure!r} is a measure where a run is needed: QRELS RUN ... MEASURE ..." in message


@pytest.mark.parametrize("words", ["P@5 qrels in.run", "report -o page.html AP qrels", "compare AP qrels x"])
def test_a_measure_in_the_place_of_the_qrels(folder, complaint, words):
    assert " is a measure where qrels are needed: QRELS RUN ... MEASURE ..." in complaint(*words.split())


@pytest.mark.parametrize(
    "words", ["qrels in.run AP qrels", "compare qrels in.run AP runs/a", "meta weights AP in.run"]
)
def test_a_file_in_the_place_of_a_measure(folder, complaint, words):
    assert "is a file where a measure is needed: measures come last" in complaint(*words.split())


@pytest.mark.parametrize("words", [
    "QRELS RUN MEASURES", "meta power QRELS RUNS MEASURES", "study cuts QRELS RUN MEASURES",
    "report QRELS RUN -o page.html MEASURES",
])  # fmt: skip
def test_measures_stand_behind_the_runs_or_in_one_text(collection, command, complaint, words):
    """In every command; not in both places."""
    places = {"QRELS": [QRELS], "RUN": RUNS[:1], "RUNS": RUNS}

    def call(call, *measures):
        each = (places.get(word, [word]) for word in words.split() if word != "MEASURES")
        return call(*chain.from_iterable(each), *measures)

    def result(*measures):
        printed = call(command, *measures)
        page = (collection / "page.html").read_text() if "report" in words else ""
        return printed, page.partition('id="provenance"')[0]  # which has the command

    behind = result("AP", "RBPT(p=0.5, rel=1)")
    assert behind[0][0] == 0
    assert result("-m", "AP RBPT(p=0.5, rel=1)") == result("--measures", "AP RBPT(p=.5,rel=1)") == behind
    assert "-m 'RR' and 'AP': name the measures in one place" in call(complaint, "AP", "-m", "RR")


@pytest.mark.parametrize(("words", "part"), [
    ([], "QRELS"), (["qrels"], "RUN"), (["qrels", "in.run"], "measure"), (["qrels", "AP"], "measure"),
    (["qrels", "in.run", "AP", "-n"], "-q"), (["qrels", "in.run", "AP", "-p"], "-p"),
    (["qrels", "in.run", "AP", "-p", "many"], "'many'"),
    (["qrels", "in.run", "AP", "-p", "99999999999"], "99999999999"),
    (["qrels", "in.run", "AP", "--format", "xml"], "'xml'"),
    (["qrels", "in.run", "AP", "--quiet"], "--quiet"),
    (["qrels", "in.run", "in.run", "AP"], "twice"),
    (["qrels", "in.run", "x/missing.run", "AP"], "x/missing.run"),
    (["qrels", "in.run", "missing.gz", "AP"], "no such file"),
    (["qrels", "in.run", "missing.run", "AP"], "neither a file nor a measure"),
    (["answers", "qrels", "missing.jsonl", "c@1"], "'missing.jsonl' is neither a file nor a measure"),
    (["measures", "RBPT", "AX"], "'AX'"), (["measures", "--all"], "--all"), (["demo", "now"], "now"),
    (["qrels", "in.run", "AP", "--topics", "missing"], "no such file"),
    (["qrels", "in.run", "AP", "--topics", "runs"], "runs"),
    (["", "in.run", "AP"], "the path is empty"), (["qrels", "", "AP"], "the path is empty"),
    (["qrels", "in.run", "AP", "--nil", "never"], "'never'"),
    (["qrels", "in.run", "AP(rel=1_0)"], "'AP(rel=1_0)' is not a measure"),
    (["truncate", "in.run", "--policy", "Fixed(k=1_0)"], "k='1_0'"),
    (["qrels", "in.run", "AP", "-p", "2", "--format", "jsonl"], "jsonl has all decimal places"),
    (["check", "qrels", "in.run", "--require", "certain"], "invalid choice: 'certain' (choose from"),
    (["meta", "calibrate", "OIE", "beta", "--rank", "20", "--depth", "2"], "or --residual R --depth K, is"),
    (["meta", "guide", "length=yes", "--page", "x"], "leave the answers out"),
    (["meta", "matrix", "qrels", "in.run", "-m", "", "-o", "x"], "A measure is needed"),
    (["meta", "power", "qrels", "in.run", "runs", "AP", "--pool-depth", "2", "--unit", "x"], "--unit"),
    (["compare", "qrels", "in.run", "AP", "--latex"], "Write --format latex."),
    (["power", "qrels", "in.run", "AP"], "Did you mean meta power?"),
    (["meta", "pools", "qrels", "in.run", "AP", "--pool-depths", "1", "2"], "'2' is neither a run nor a mea"),
    (["qrels", "in.run", "AP", "--columns", "s=score"], "then its column: --columns doc_id=chunk."),
    (["qrels", "in.run", "AP", "--columns", "doc_id"], "--columns doc_id: FIELD=COLUMN is needed"),
    (["qrels", "in.run", "AP", "--columns", "doc_id=a", "--columns", "doc_id=b"], "once for a field"),
    (["qrels", "in.run", "-m", "in.run"], "'in.run' is not a measure: it is a file; in Python, measures"),
    (["qrels", "in.run", "AP", "--views", "-q"], "--views, --by-query (-q) and --by"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")  # fmt: skip
def test_bad_words(folder, complaint, words, part):
    assert part in complaint(*words)


@pytest.mark.parametrize(("words", "option"), [
    ("qrels in.run AP --places 2 -p 3", "-p/--places"),
    ("qrels in.run AP -q --by-query", "-q/--by-query"),
    ("meta power qrels in.run runs --repetitions 3 --repetitions 5", "--repetitions"),
    ("truncate in.run --policy Fixed(1) --order score --order score", "--order"),
    ("truncate in.run --policy Fixed(1) --policy Fixed(2)", "--policy"),
    ("report qrels in.run -o x -o y", "-o/--output"),
    ("check qrels in.run --fail-if AP<1 --alpha .1 --alpha .2", "--alpha"),
])  # fmt: skip
def test_an_option_that_is_given_twice_is_refused(folder, complaint, words, option):
    """It would override the first value, which may have taken a run."""
    assert f"argument {option}: it is given twice" in complaint(*words.split())


def test_options_that_are_declared_repeatable_may_be_repeated(folder, command):
    (folder / "own.csv").write_text("q,d,score\n1,d1,2\n")
    words = ["qrels", "own.csv", "RR", "--columns", "query_id=q", "--columns"]
    assert command(*words, "doc_id=d")[:2] == (0, "RR\t0.3333\n")
    assert command(*words, "doc_id=d,score=score")[:2] == (0, "RR\t0.3333\n")


@pytest.mark.parametrize("number", ["1_0", "²", "١٠", "1e2", "0x10", "", "7" * 5000])
@pytest.mark.parametrize("words", [
    "study example --relevant", "meta calibrate --residual 0.1 --depth", "qrels in.run AP -p",
    "meta stability qrels runs AP RR --repetitions", "study policies qrels runs SetF --folds",
])  # fmt: skip
def test_whole_numbers_have_one_grammar(folder, complaint, words, number):
    message = complaint(*words.split(), number)
    assert "number" in message
    assert len(message) < 200


def test_runs_of_pipes_are_numbered(folder, bash):
    lines = bash("ir_trunc qrels <(cat in.run) in.run <(cat runs/a) RR")[1].splitlines()
    assert [line.split("\t")[0] for line in lines] == ["run", "run 1", "in.run", "run 3"]


def test_a_dash_is_standard_input(folder, bash, complaint):
    for line in ("qrels - RR -o - < in.run", "- in.run RR < qrels"):
        assert bash(f"ir_trunc {line}") == (0, "RR\t0.6111\n", "")
    assert bash("ir_trunc truncate - --policy 'Fixed(1)' < in.run")[1] == "1\t1\n2\t1\n3\t1\n"
    assert "- is given twice; standard input can be read once" in complaint("-", "-", "RR")


LEVELS = ("--levels", "S=3,A=2,B=1,none=0")


@pytest.mark.parametrize("words", [
    "{} runs nDCG Q", "compare {} runs nDCG", "check {} in.run --fail-if Q<.1", "how-many {} in.run nDCGT",
    "truncate {} in.run nDCG --policy Greedy", "meta power {} runs nDCG",
    "meta matrix {} runs nDCG -o matrix", "meta pools {} runs nDCG", "study cuts {} runs nDCG",
    "study policies {} in.run nDCG --policy Greedy --folds 3",
    "study searches {} in.run nDCG --keys topic/search --folds 2",
])  # fmt: skip
def test_levels_that_are_words_are_the_grades_that_the_option_gives(folder, command, words):
    """Sakai 2004, section 2.2: S is worth 3, A 2 and B 1."""
    (folder / "words").write_text("1 0 d1 S\n2 0 d2 A\n2 0 d4 none\n3 0 d3 B\n")
    (folder / "grades").write_text("1 0 d1 3\n2 0 d2 2\n2 0 d4 0\n3 0 d3 1\n")
    (folder / "runs" / "c").write_text("1 Q0 d2 1 9 t\n")
    if "searches" in words:
        lines = (folder / "in.run").read_text().splitlines()
        each = (f"{line[0]}/{place % 2}{line[1:]}\n" for place, line in enumerate(lines))
        (folder / "in.run").write_text("".join(each))
    by_grade = command(*words.format("grades").split())
    assert by_grade[0] in (0, 1)
    status, out, err = command(*words.format("words").split(), *LEVELS)
    assert (status, out) == by_grade[:2], err


@pytest.mark.needs("answers", "Change Detection")
@pytest.mark.parametrize(("words", "message"), [
    ("words runs nDCG", r"\(--levels S=3,A=2,B=1\) says what words are worth"),
    ("words runs nDCG --levels S=3,A", "argument --levels: 'S=3,A' is not a grade for each level"),
    ("words runs nDCG --levels S=3", "relevance 'A' is not .* --levels has S"),
    ("truncate in.run --policy Fixed(k=1) --levels S=3", "--levels is for QRELS, and RUN alone is given"),
    ("check log.jsonl --fail-if Q<1 --levels S=3", "--levels has no effect on a log"),
    ("meta power --matrix m --levels S=3", "--matrix holds scores already"),
    ("report topics grades in.run nDCG -o page.html --levels S=3", "no effect on the gains of Ch"),
])  # fmt: skip
def test_levels_that_do_not_fit(folder, complaint, words, message):
    (folder / "words").write_text("1 0 d1 S\n2 0 d2 A\n")
    (folder / "log.jsonl").write_text('{"id": 1, "answer": "a", "correct": true}\n')
    topic = {"tid": "1", "label": "l", "narrative": "n", "questions": [{"qid": "q", "question": "?"}]}
    (folder / "topics").write_text(json.dumps(topic) + "\n")
    assert re.search(message, complaint(*words.split()))
