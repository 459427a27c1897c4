"""The table of the comparison: what each tool does with lists that end, tried with the versions that are
installed.

python tests/comparison/compare.py                    the tools that this Python has
python tests/comparison/compare.py --venvs FOLDER     all tools, each in its own virtual environment in FOLDER
python tests/comparison/compare.py --page             the page, with our own column as this Python computes it
"""

import argparse
import contextlib
import importlib
import io
import json
import math
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import venv
import warnings
from collections import defaultdict
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# The tools that are compared, each called as its own documentation calls it.
#
# A function takes the paths of a TREC qrels and a TREC run, and returns scores by measure and topic and means
# by measure. All measures are asked for that the tool computes without further settings; those that want a
# depth get 5. Where a tool leaves the mean to its user (trec_eval by pytrec_eval, cwl), it is the mean over
# the topics that the tool reports.

Topics = dict[str, dict[str, float]]
Means = dict[str, float]
Rows = list[tuple]


def ir_trunc(qrels: str, run: str) -> tuple[Topics, Means]:
    import ir_trunc
    from ir_trunc.measures import registry

    needs = {name for name, d in registry.items() if "cutoff" in d.params and d.params["cutoff"].required}
    gains = [name for name, definition in registry.items() if not definition.lower_is_better]
    means, per_query = ir_trunc.calc([name + "@5" * (name in needs) for name in gains], qrels, run)
    return by_topic(per_query), {str(measure): mean for measure, mean in means.items()}


def ir_measures(qrels: str, run: str) -> tuple[Topics, Means]:
    import ir_measures

    judged, ranked = list(ir_measures.read_trec_qrels(qrels)), list(ir_measures.read_trec_run(run))
    topics: Topics = defaultdict(dict)
    means = {}
    for name, measure in ir_measures.measures.registry.items():
        wants = [key for key, info in measure.SUPPORTED_PARAMS.items() if info.required]
        measure = measure @ 5 if wants == ["cutoff"] else measure
        relative = [measure(relative=True)] if "relative" in measure.SUPPORTED_PARAMS else []
        for setting in (measure, *relative):
            # A measure may need a setting, a package that is not there, or a list that has irrelevant
            # documents.
            with contextlib.suppress(ValueError, AssertionError, ZeroDivisionError):
                mean, per_query = ir_measures.calc([setting], judged, ranked)
                if name == measure.NAME:
                    means[str(setting)] = mean[setting]
                    for topic, scores in by_topic(per_query).items():
                        topics[topic] |= scores
    if not means:
        raise ValueError("no measure can be computed")
    return topics, means


def by_topic(per_query) -> Topics:
    topics: Topics = defaultdict(dict)
    for metric in per_query:
        topics[metric.query_id][str(metric.measure)] = metric.value
    return topics


def trec_eval(qrels: str, run: str) -> tuple[Topics, Means]:
    """A topic that the run lacks has the scores that trec_eval gives it with -c, and is not in the means."""
    import pytrec_eval

    with open(qrels) as judged, open(run) as ranked:
        grades = pytrec_eval.parse_qrel(judged)
        ready = pytrec_eval.RelevanceEvaluator(grades, pytrec_eval.supported_measures)
        topics, means = averaged(ready.evaluate(pytrec_eval.parse_run(ranked)))
    least = math.log(0.00001)  # of the geometric means
    empty = {measure: least if measure.startswith("gm_") else 0.0 for measure in means}
    return {topic: topics.get(topic, empty) for topic in grades}, means


def ranx(qrels: str, run: str) -> tuple[Topics, Means]:
    from numba.core.errors import NumbaWarning
    from ranx import Qrels, Run, evaluate

    warnings.simplefilter("ignore", NumbaWarning)  # about its own compilation
    names = "hits hit_rate precision recall f1 r-precision bpref rbp.80 mrr map dcg ndcg"
    names += " dcg_burges ndcg_burges"
    ranked = Run.from_file(run, kind="trec")
    means = evaluate(Qrels.from_file(qrels, kind="trec"), ranked, names.split(), make_comparable=True)
    topics: Topics = defaultdict(dict)
    for measure, scores in ranked.scores.items():
        for topic, value in scores.items():
            topics[topic][measure] = float(value)
    return topics, {measure: float(mean) for measure, mean in means.items()}


def cwl(qrels: str, run: str) -> tuple[Topics, Means]:
    """Expected utility by the default measures of its command."""
    from cwl.cwl_eval import main

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        main(run, qrels)
    topics: Topics = defaultdict(dict)
    for line in printed.getvalue().splitlines():
        topic, measure, utility = line.split("\t")[:3]
        topics[topic][measure] = float(utility)
    return averaged(topics)


def pyevall(qrels: str, run: str) -> tuple[Topics, Means]:
    """Its own format: a whole rank for every document, and an empty value for a topic that has none.

    Its measures of classification take the first document of a topic for the class that the system gives the
    topic.
    """
    judged = [(topic, doc, int(grade)) for topic, _, doc, grade in fields(qrels)]
    ranked = [(topic, doc, *map(float, rest[1:-1])) for topic, _, doc, *rest in fields(run)]
    scores = [row for row in ranked if len(row) == 3]
    places = {topic: sorted({s for t, _, s in scores if t == topic}, reverse=True) for topic, *_ in scores}
    found: Rows = [(t, doc, places[t].index(s) + 1 if s == s else math.nan) for t, doc, s in scores]
    found += [row for row in ranked if len(row) < 3]
    silent = {topic: doc for topic, doc, _ in judged if topic not in places}
    found += [(topic, doc, "") for topic, doc in silent.items()]
    topics, means = by_pyevall(judged, found, "PrecisionAtK RPrecision MRR MAP DCG nDCG ERR RBP")
    right = {topic: doc for topic, doc, grade in judged if grade > 0}
    given = {topic: doc for topic, doc, *place in found if place == [1] and topic in right}
    classes = [[("run", topic, doc) for topic, doc in each.items()] for each in (right, given)]
    return topics, means | by_pyevall(*classes, "Accuracy SystemPrecision Precision Recall FMeasure ICM")[1]


def by_pyevall(gold: Rows, found: Rows, names: str) -> tuple[Topics, Means]:
    from pyevall.evaluation import PyEvALLEvaluation

    for path, rows in (("gold.json", gold), ("run.json", found)):
        Path(path).write_text(json.dumps([dict(zip(("test_case", "id", "value"), row)) for row in rows]))
    how = {"report": "embedded", "log_level": "none"}
    report = PyEvALLEvaluation().evaluate("run.json", "gold.json", names.split(), **how).report
    for problem in (error for file in report["files"].values() for error in file["errors"].values()):
        if problem["status"] != "CONTINUE":
            raise ValueError(json.dumps(problem))
        warnings.warn(json.dumps(problem), stacklevel=2)
    topics: Topics = defaultdict(dict)
    means = {}
    for name, result in report["metrics"].items():
        for case in result["results"]["test_cases"]:
            if isinstance(case["average"], float):
                topics[case["name"]][name] = case["average"]
        means[name] = result["results"]["average_per_test_case"]
    return topics, means


def fields(path: str) -> list[list[str]]:
    return [line.split() for line in Path(path).read_text().splitlines()]


def averaged(topics: Topics) -> tuple[Topics, Means]:
    """The plain mean of every measure over the topics that a tool reports."""
    values = defaultdict(list)
    for scores in topics.values():
        for measure, value in scores.items():
            values[measure].append(value)
    return topics, {measure: sum(found) / len(found) for measure, found in values.items()}


# Title, distribution, package, function, and what it calls average precision and reciprocal rank.
TOOLS = {
    "ir_trunc": ("ir_trunc", "ir_trunc", ir_trunc, "AP", "RR"),
    "ir-measures": ("ir-measures", "ir_measures", ir_measures, "AP", "RR"),
    "trec_eval": ("pytrec_eval-terrier", "pytrec_eval", trec_eval, "map", "recip_rank"),
    "ranx": ("ranx", "ranx", ranx, "map", "mrr"),
    "cwl": ("cwl-eval", "cwl", cwl, "AP", "RR"),
    "PyEvALL": ("PyEvALL", "pyevall", pyevall, "MAP", "MRR"),
}

# What a tool does with lists that end, tried on the smallest data that show it. Every answer is computed.
#
# A question is a function of `Tried`, which scores qrels and runs with one tool; its docstring is its row in
# the table.

# The topic, document or line of what is wrong.
_PLACE = r'T17|D23|:[23]\b|[Ll]ine(?:\(s\))?:? [23]|"lines": \[[23]\]|instance\[1\]'
_NO_SCORE = "num_|Num|RBPRes"  # numbers of documents, and a residual
_FEW = 5  # names of measures in a cell; more are counted


def qrels(**topics: str) -> str:
    """Judged documents of each topic, 'a1 b0': a document and its grade."""
    lines = (f"{topic} 0 {word[:-1]} {word[-1]}" for topic, words in topics.items() for word in words.split())
    return "".join(f"{line}\n" for line in lines)


def run(**topics: str) -> str:
    """Documents of each topic by rank."""
    rows = ((topic, *row) for topic, docs in topics.items() for row in enumerate(docs.split(), 1))
    return "".join(f"{topic} Q0 {doc} {rank} {1 - rank / 100:.2f} s\n" for topic, rank, doc in rows)


@dataclass
class Tried:
    """One tool. ap, rr: its names for average precision and reciprocal rank."""

    package: str
    score: object
    ap: str
    rr: str

    def __call__(self, judged: str, ranked: str) -> tuple[Topics, Means]:
        """Scores by measure and topic, and means, in an empty folder: some tools write beside their input."""
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            Path("the.qrels").write_text(judged)
            Path("the.run").write_text(ranked)
            return self.score("the.qrels", "the.run")

    def first_rank(self, judged: str, ranked: str) -> int:
        return round(1 / self(judged, ranked)[0]["t"][self.rr])

    def mean(self, judged: str, ranked: str) -> float:
        return round(self(judged, ranked)[1][self.ap], 9)

    def prefers(self, topic: str, judged: str, *pairs: tuple[str, str]) -> str:
        """The measures that give this topic more in the first run of a pair; a topic without a score is not
        preferred.

        Where a measure has no scores by topic, it is the score of the run.
        """
        names, known = set(), set()
        for better, worse in pairs:
            one, other = (self.scores_of(topic, judged, ranked) for ranked in (better, worse))
            known |= set(other)
            names |= {m for m in other if m in one and one[m] > other[m] + 1e-9}
        return (", ".join(sorted(names)) if len(names) <= _FEW else f"{len(names)} of {len(known)}") or "none"

    def scores_of(self, topic: str, judged: str, ranked: str) -> Means:
        topics, means = self(judged, ranked)
        by_topic = {measure for scores in topics.values() for measure in scores}
        whole = {m: mean for m, mean in means.items() if m not in by_topic and isinstance(mean, float)}
        scores = (whole | topics.get(topic, {})).items()
        return {m: score for m, score in scores if not re.match(_NO_SCORE, m)}


def goes_on(tried: Tried) -> str:
    """Measures by which a list loses that goes on with irrelevant documents"""
    judged = qrels(t="a1 b1 c1 x0 y0 z0")  # the list ends before, and at, the number of relevant documents
    return tried.prefers("t", judged, (run(t="a b"), run(t="a b y z")), (run(t="a x b"), run(t="a x b y z")))


def silence(tried: Tried) -> str:
    """Measures by which silence beats noise for a nil query"""
    return tried.prefers("nil", qrels(t="a1", nil="x0 y0"), (run(t="a"), run(t="a", nil="x y")))


def unanswered(tried: Tried) -> str:
    """Measures by which no answer beats a wrong one"""
    return tried.prefers("u", qrels(t="a1", u="b1 x0"), (run(t="a"), run(t="a", u="x")))


def curves(tried: Tried) -> str:
    """Functions named after curves, best cuts or truncation"""
    package = importlib.import_module(tried.package)
    names = set()
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        with contextlib.suppress(ImportError, DeprecationWarning):
            module = importlib.import_module(info.name)
            members = vars(module).items()
            own = {name for name, found in members if getattr(found, "__module__", "") == module.__name__}
            names |= {name for name in own if re.match("curve|best_?cut|truncat", name)}
    return ", ".join(sorted(names)) or "none"


def missing(tried: Tried) -> str:
    """Topic that the run lacks"""
    return {0.5: "counts", 1.0: "left out of the mean"}[tried.mean(qrels(t="a1", u="b1"), run(t="a"))]


def nil_query(tried: Tried) -> str:
    """Nil query"""
    found = tried.mean(qrels(t="a1", nil="x0"), run(t="a", nil="x"))
    return {0.5: "counts", 1.0: "left out of the mean"}[found]


def order(tried: Tried) -> str:
    """Order of a list: by"""
    judged = qrels(t="a0 b1 c0")
    lines = ["t Q0 a 1 0.1 s\n", "t Q0 b 2 0.9 s\n"]
    if tried.first_rank(judged, "".join(lines)) == 2:
        return "rank" if tried.first_rank(judged, "".join(reversed(lines))) == 2 else "place in the file"
    tied = ["t Q0 a 1 0.5 s\n", "t Q0 b 2 0.5 s\n", "t Q0 c 3 0.5 s\n"]
    judged = qrels(t="a0 b0 c1")
    ranks = tried.first_rank(judged, "".join(tied)), tried.first_rank(judged, "".join(reversed(tied)))
    then = {(1, 1): "document id, descending", (3, 3): "document id, ascending", (3, 1): "place in the file"}
    return f"score, then {then.get(ranks, 'something else')}"


def twice(tried: Tried) -> str:
    """Document that is there twice"""
    return verdict(tried, run(T17="a D23 D23"))


def not_a_number(tried: Tried) -> str:
    """Score that is NaN"""
    return verdict(tried, "T17 Q0 a 1 0.9 s\nT17 Q0 D23 2 nan s\n")


def a_field_less(tried: Tried) -> str:
    """Line with a field too few"""
    return verdict(tried, "T17 Q0 a 1 0.9 s\nT17 Q0 D23 2 0.8\n")


def unknown_topic(tried: Tried) -> str:
    """Topic that the qrels lack"""
    return verdict(tried, run(T16="a", T17="a D23"), qrels(T16="a1 b0"))


def verdict(tried: Tried, ranked: str, judged: str = qrels(T17="a1 D230")) -> str:
    """Whether data are refused, and whether the message helps to find the place."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            _, means = tried(judged, ranked)
        except Exception as error:
            return "error, says where" if re.search(_PLACE, str(error)) else "error"
    if any(re.search(_PLACE, str(warning.message)) for warning in warned):
        return "warning, says where"
    return "NaN" if any(math.isnan(mean) for mean in means.values()) else "accepted"


QUESTIONS = (
    goes_on, silence, unanswered, curves, missing, nil_query, order, twice, not_a_number, a_field_less,
    unknown_topic,
)  # fmt: skip


def column(tool: str) -> dict[str, str]:
    """The answers of one tool, by question."""
    tried = Tried(*TOOLS[tool][1:])
    answers = {}
    for question in QUESTIONS:
        try:
            answers[question.__doc__] = question(tried)
        except Exception as error:
            answers[question.__doc__] = f"error ({type(error).__name__})"
    return answers


# The table.

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "notebooks" / "coming-from" / "other-tools.md"


_ONE = "import json, sys; sys.path.insert(0, {here!r}); import compare"
_ONE += "; print(json.dumps(compare.one({tool!r})))"


def one(tool: str) -> dict[str, str] | None:
    """A tool's column with its version, by this Python; None where the tool is not installed."""
    try:
        found = version(TOOLS[tool][0])
    except PackageNotFoundError:
        return None
    by = "" if TOOLS[tool][0].lower() in (tool.lower(), f"{tool}-eval".lower()) else f"by {TOOLS[tool][0]} "
    return {"Version": by + found, **column(tool)}


def _alone() -> dict[str, str]:
    """The environment without packages from elsewhere."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def asked(tool: str, venvs: Path | None = None) -> dict[str, str] | None:
    """The same in a process of its own, so that no tool sees another, by this Python or by that of a virtual
    environment.
    """
    code = _ONE.format(here=str(HERE), tool=tool)
    python, env = (python_of(tool, venvs), _alone()) if venvs else (sys.executable, None)
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(f"{tool}: {done.stderr}")
    # Some tools print when they are imported.
    found: dict[str, str] | None = json.loads(done.stdout.splitlines()[-1])
    return found


def python_of(tool: str, folder: Path) -> str:
    """The Python of a virtual environment that has the tool; it is made where it is missing."""
    place = folder / TOOLS[tool][0]
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        what = str(HERE.parent.parent) if tool == "ir_trunc" else TOOLS[tool][0]
        subprocess.run([python, "-m", "pip", "install", "-q", what], check=True, env=_alone())
    return str(python)


def table(columns: dict[str, dict[str, str]]) -> str:
    """The columns side by side, in Markdown."""
    head = ["", *columns]
    rows = [["Version", *(cells["Version"] for cells in columns.values())]]
    rows += [[q.__doc__ or "", *(cells[q.__doc__ or ""] for cells in columns.values())] for q in QUESTIONS]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *rows])


def columns_of(page: str) -> dict[str, dict[str, str]]:
    """The columns of the page's table, by tool and row."""
    lines = re.findall(r"^\|.*\|$", page, re.MULTILINE)
    head, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {tool: {row[0]: row[at] for row in body} for at, tool in enumerate(head) if tool}


def renewed(page: str) -> str:
    """The page with our own column anew; those of other tools need their environments."""
    columns = columns_of(page) | {"ir_trunc": one("ir_trunc") or {}}
    return re.sub(r"(^\|.*\|\n)+", lambda _: table(columns), page, count=1, flags=re.MULTILINE)


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--venvs", metavar="FOLDER", type=Path)
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()
    if args.page:
        print(renewed(PAGE.read_text(encoding="utf-8")), end="")
        return
    found = {tool: asked(tool, args.venvs) for tool in TOOLS}
    for tool, cells in found.items():
        if cells is None:
            print(f"{tool} is not installed here: left out", file=sys.stderr)
    print(table({tool: cells for tool, cells in found.items() if cells is not None}), end="")


if __name__ == "__main__":
    main()
