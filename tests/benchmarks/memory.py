"""The memory that each form of a file takes, as a multiple of its unpacked bytes.

    python tests/benchmarks/memory.py [--megabytes 300] [--limit 3] [FORM ...]

At most 6 for lines, 14 for one JSON text. Each file is gzipped, and read in a process of its own that may
take `--limit` GB. Some forms hold nothing but what takes most memory, and may be refused.
"""

import argparse
import gzip
import resource
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import ir_trunc
from ir_trunc._report.report import read_texts
from ir_trunc.cdet import _scoring

RUN, QRELS = partial(ir_trunc.rank, {"1": {"a": 1}}), partial(ir_trunc.evaluator, "AP")
TOPICS, LOG, ANSWERS = ir_trunc.read_topics, ir_trunc.read_log, ir_trunc.read_answers
TEXTS = partial(read_texts, "documents", wanted={"1"})
CDET = '{"topic": "@", "results": {"2024-01-01": [{"qid": "q", "question-rank": 1, "doc-ranking": ['
CDET_DOCS = "".join(f'{{"doc_id": "d{doc}", "score": 9}}, ' for doc in range(90))
SPAN = '{"context": {"span_id": "@"}, "attributes": {"input.value": "@", "retrieval.documents": ['
QUESTION = (
    '{"id": "@", "question": "who wrote this and when", "answer": "some words of an answer", "correct": 1}'
)
FORMS = {  # what is read; what stands at both ends; of each topic, what stands before, in and after 100 rows
    "lines: qrels": (QRELS, "", "", "", "@ 0 d%08d 1\n"),
    "lines: run": (RUN, "", "", "", "@ Q0 d%08d 1 1.5 x\n"),
    "lines: run of one topic": (RUN, "", "", "", "1 Q0 d%08d 1 1.5 x\n"),
    "lines: NTCIR": (QRELS, "", "", "", "@ d%08d L1\n"),
    "lines: run of three fields": (RUN, "", "", "", "@ d%08d 1.5\n"),
    "lines: CSV": (RUN, "query_id,doc_id,score\n", "", "", "@,d%08d,1.5\n"),
    "lines: TSV": (QRELS, "query-id\tcorpus-id\tscore\n", "", "", "@\td%08d\t1\n"),
    "lines: JSON records": (RUN, "", "", "", '{"query_id": "@", "doc_id": "d%08d", "score": 1.5}\n'),
    "lines: topics": (TOPICS, "", "", "@\tsome words of a query\n"),
    "lines: topics, CSV": (TOPICS, "qid,query\n", "", "@,some words of a query\n"),
    "lines: topics, JSON": (TOPICS, "", "", '{"_id": "@", "text": "some words of a query"}\n'),
    "lines: topics, TREC": (TOPICS, "", "", "<top>\n<num> Number: @\n<title> words of a query\n</top>\n"),
    "lines: ids": (TOPICS, "", "", "@\n"),
    "lines: one id": (TOPICS, "", "", "xy\n"),
    "lines: cdet run": (
        RUN, '{"runtag": "x"}\n', "", CDET + CDET_DOCS, "",
        '{"doc_id": "z", "score": 0}]}]}}\n'
    ),
    "lines: cdet qrels": (
        QRELS, "", "", "", '{"topic": "@", "qid": "q", "day": "2024-01-01", "doc_id": "d%08d", "gain": 1}\n'
    ),
    "lines: cdet topics": (
        TOPICS, "", "", '{"tid": "@", "questions": [{"qid": "q1", "question": "words of the question"}]}\n'
    ),
    "lines: days": (_scoring._days_of_file, "", "", "", "d%08d\t2024-01-01\n"),
    "lines: documents": (TEXTS, "", "", "@\tsome words of a document\n"),
    "lines: documents, JSON": (TEXTS, "", "", '{"id": "@", "text": "words"}\n'),
    "lines: log": (LOG, "", "", QUESTION + "\n"),
    "lines: empty objects": (LOG, "", "", "{}\n"),
    "JSON: qrels": (QRELS, "{", '"z": {}}', '"@": {', '"d%08d": 1, ', '"z": 1}, '),
    "JSON: run by rank": (RUN, "{", '"z": []}', '"@": [', '"d%08d", ', '"z"], '),
    "JSON: one topic": (QRELS, '{"1": {', '"z": 1}}', "", '"d%08d": 1, '),
    "JSON: records": (
        RUN, "[", '{"query_id": "1", "doc_id": "z", "score": 1}]', "",
        '{"query_id": "@", "doc_id": "d%08d", "score": 1.5},\n',
    ),
    "JSON: topics": (TOPICS, "[", '"z"]', '"@", '),
    "JSON: answers": (ANSWERS, "{", '"z": []}', '"@": [["some words", "or others"]], '),
    "JSON: SQuAD": (
        ANSWERS, '{"data": [{"paragraphs": [{"context": "some words", "qas": [',
        '{"id": "z", "answers": []}]}]}]}', '{"id": "@", "question": "who", "answers": [{"text": "words"}]}, '
    ),
    "JSON: log": (LOG, "[", QUESTION.replace("@", "z") + "]", QUESTION + ", "),
    "JSON: spans": (
        RUN, "[", '{"context": {"span_id": "z"}}]', SPAN, '{"id": "d%08d", "score": 1}, ',
        '{"id": "z", "score": 0}]}}, '
    ),
    "JSON: empty lists": (TOPICS, "[", "[]]", "[], "),
    "JSON: empty answers": (ANSWERS, '{"1": [', "[]]}", "[], "),
}  # fmt: skip


def write(path: Path, size: int, head: str, last: str, before: str, row: str = "", after: str = "") -> None:
    with gzip.open(path, "wt", compresslevel=1) as file:
        written, topic = file.write(head), 1
        while written < size:
            rows = (row * 100) % tuple(range(topic * 100, topic * 100 + 100 * row.count("%")))
            written += file.write((before + rows + after).replace("@", str(topic)))
            topic += 1
        file.write(last)


def measure(form: str, path: str, gigabytes: float) -> None:
    most = int(gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    outcome = ""
    with suppress(ir_trunc.InputError):
        FORMS[form][0](f"{path}.small.gz")  # what it imports is not counted
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        FORMS[form][0](path)
    except ir_trunc.InputError as error:
        outcome = f"refused: {str(error)[-100:]}"
    except MemoryError:
        outcome = "takes more than the limit"
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, outcome)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("forms", nargs="*")
    parser.add_argument("--megabytes", type=float, default=300)
    parser.add_argument("--limit", type=float, default=3)
    parser.add_argument("--measure", default="")
    args = parser.parse_args()
    if args.measure:
        measure(args.forms[0], args.measure, args.limit)
        sys.exit()
    for form in [form for form in FORMS if not args.forms or any(word in form for word in args.forms)]:
        with tempfile.TemporaryDirectory() as folder:
            path, size = Path(folder, "data.gz"), args.megabytes * 1e6
            write(path, size, *FORMS[form][1:])
            write(Path(f"{path}.small.gz"), size / 100, *FORMS[form][1:])
            words = [sys.executable, "-W", "ignore", __file__, form, "--measure", path]
            words += ["--limit", str(args.limit)]
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
        kilobytes, _, outcome = (done.stdout or f"0 {done.stderr[-200:]}").partition(" ")
        print(f"{form:32}{int(kilobytes) * 1024 / size:6.1f} {outcome.strip()}", flush=True)
