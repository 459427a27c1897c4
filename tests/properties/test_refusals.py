"""A refusal is as fast as reading: linear in time, and within six times the bytes of the file."""

import json
import subprocess
import sys

import pytest

from ir_trunc import IrTruncError, calc, read_qrels, read_run, read_topics
from ir_trunc._check import read_condition
from ir_trunc._report.report import read_texts
from ir_trunc.truncation import parse_policy

MANY = 100_000  # signs: what takes their square takes minutes
DAMAGED = "1" * MANY + "x"
QRELS, RUN = {"1": {"a": 1}}, {"1": {"a": 1.0}}


def in_file(read, name, text):
    def call(folder):
        path = folder / name
        path.write_text(text)
        return read(path)

    return call


REFUSED = {
    "run": in_file(read_run, "x.run", f"1 Q0 a 1 2.5 s\n1 Q0 b 2 {DAMAGED} s\n"),
    "qrels": in_file(read_qrels, "x.qrels", f"1 0 a 1\n1 0 b {DAMAGED}\n"),
    "a fraction in qrels": in_file(read_qrels, "x.qrels", f"1 0 a 1\n1 0 b .{DAMAGED}\n"),
    "short lines": in_file(read_run, "x.run", f"1 a 2.5\n1 b {DAMAGED}\n"),
    "CSV": in_file(read_run, "x.csv", f"query_id,doc_id,score\n1,a,{DAMAGED}\n"),
    "JSON": in_file(read_run, "x.json", json.dumps([{"query_id": "1", "doc_id": "a", "score": DAMAGED}])),
    "a name twice in JSON": in_file(
        read_run, "x.json", "{" + ", ".join(f'"{name}": {{}}' for name in [*range(MANY), MANY - 1]) + "}"
    ),
    "a dict": lambda _: read_qrels({"1": {"a": DAMAGED}}),
    "a fraction in a dict": lambda _: read_qrels({"1": {"a": "." + DAMAGED}}),
    "records": lambda _: read_run([{"query_id": "1", "doc_id": "a", "score": DAMAGED}]),
    "a list of documents": lambda _: read_run({"1": [{"id": "a", "score": DAMAGED}]}),
    "numbers of topics": in_file(read_topics, "x.xml", "<top><num>" + " " * MANY + "<"),
    "attributes of topics": in_file(read_topics, "x.xml", "<topic " * MANY),
    "texts of documents": in_file(lambda path: read_texts("documents", path, ["1"]), "x", "<doc>" * MANY),
    "marks in texts": in_file(
        lambda path: read_texts("documents", path, ["1"]), "x", f"<doc><docno>{' ' * MANY}<{'<' * MANY}</doc>"
    ),
    "a policy": lambda _: parse_policy("Fixed" + " " * MANY + "x"),
    "a measure": lambda _: calc("(" * MANY, QRELS, RUN),
    "blanks in a gate": lambda _: read_condition("AP" + " " * MANY + "x"),
    "a number in a gate": lambda _: read_condition("AP < " + DAMAGED),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_takes_no_square_of_the_length(tmp_path, case):
    with pytest.raises(IrTruncError):
        REFUSED[case](tmp_path)


# The memory of a process only grows: the file of the same form with 4n rows shows what n rows more take.
MEMORY = """
import resource, sys
import pandas, pyarrow.csv
import ir_trunc
peaks = []
for path in sys.argv[2:]:
    arguments = ("P@5", path, {"1": {"a": 1.0}}) if sys.argv[1] == "qrels" else ("P@5", {"1": {"a": 1}}, path)
    try:
        ir_trunc.calc(*arguments)
    except ir_trunc.InputError as error:
        print(error, file=sys.stderr)
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
print(*peaks)
"""


def line_of_run(row, score=None):
    return f"1 Q0 clueweb12-0000tw-{row:015} {row + 1} {1e6 - row if score is None else score} bm25\n"


def line_of_qrels(row, grade=0):
    return f"1 0 clueweb12-0000tw-{row:015}-fixed-by-hand-again-0 {grade}\n"


def line_of_csv(row, score=None):
    return f"1,clueweb12-0000tw-{row:015}-with-a-longer-name,{1e6 - row if score is None else score}\n"


def line_of_records(row, score=1.5):
    return json.dumps({"query_id": "1", "doc_id": f"clueweb12-0000tw-{row:015}", "score": score}) + "\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is that of Linux")
@pytest.mark.parametrize(
    ("kind", "start", "line", "last", "said"),
    [
        ("run", "", line_of_run, lambda n: line_of_run(n - 9), "twice"),
        ("run", "query_id,doc_id,score\n", line_of_csv, lambda n: line_of_csv(n, "x"), "score 'x'"),
        *(
            pytest.param(*case, marks=pytest.mark.weekly)
            for case in [
                ("run", "", line_of_run, lambda n: line_of_run(n, "x"), "score 'x' is not a number"),
                ("run", "", line_of_run, lambda n: "1" * (1 << 21), "is longer than"),
                ("qrels", "", line_of_qrels, lambda n: line_of_qrels(n - 9, 1), "judged twice"),
                ("run", "query_id,doc_id,score\n", line_of_csv, lambda n: line_of_csv(n - 9), "twice"),
                ("run", "", line_of_records, lambda n: line_of_records(n, "x"), "score 'x'"),
            ]
        ),
    ],
)
def test_a_refusal_takes_six_times_the_bytes_of_the_file(tmp_path, kind, start, line, last, said):
    paths, sizes = [], []
    for n in (25_000, 100_000):
        path = tmp_path / f"{n}.txt"
        path.write_text(start + "".join(map(line, range(n))) + last(n))
        paths.append(str(path))
        sizes.append(path.stat().st_size)
    command = [sys.executable, "-c", MEMORY, kind, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    few, many = map(int, done.stdout.split())
    assert done.stderr.count(said) == 2, done.stderr
    assert many - few <= 6 * (sizes[1] - sizes[0]), (many - few) / (sizes[1] - sizes[0])
