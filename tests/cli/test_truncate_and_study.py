"""`how-many`, `truncate`, `wrap` and `study`: files in, files and CSV out, one line for a mistake."""

import csv
import io
import shlex

import pytest

from ir_trunc import NilRule, calc_aggregate, how_many, load_policy, with_effort, with_terminal
from ir_trunc._cli.main import main
from ir_trunc._output.tables import csv_text

ROWS = [f"{q} Q0 d{rank} {rank} {20 - rank * rank} tag\n" for q in (1, 2, 3, 4) for rank in (1, 2, 3, 4)]
QRELS = "1 0 d1 1\n2 0 d1 1\n2 0 d2 1\n3 0 d3 0\n4 0 d9 1\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text("".join(ROWS))
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    for name, drop in (("x", "d1 "), ("y", "d2 "), ("z", "d3 ")):
        (tmp_path / "runs" / name).write_text("".join(row for row in ROWS if drop not in row))
    return tmp_path


def out(capsys, command):
    assert main(shlex.split(command)) == 0
    return capsys.readouterr()


def table(capsys, command):
    return list(csv.DictReader(io.StringIO(out(capsys, command).out)))


def test_cuts_are_printed(files, capsys):
    printed = out(capsys, "truncate a.run --policy LargestGap")
    assert printed.out == "1\t3\n2\t3\n3\t3\n4\t3\n"
    assert printed.err == "LargestGap: 4 lists, 4.0 documents long on average, now 3.0; 0 empty.\n"


def test_cuts_and_runs_are_written_and_read_again(files, capsys):
    out(capsys, "truncate a.run --policy 'Fixed(k=2)' -o cut.run.gz -k k.tsv")
    assert (files / "k.tsv").read_text() == "1\t2\n2\t2\n3\t2\n4\t2\n"
    (files / "k.tsv").write_text("1\t1\n2\t2\n3\t0\n4\t0\n")
    out(capsys, "truncate a.run --policy k.tsv -o cut.run")
    scores = calc_aggregate("SetF nDCGT P@1", "qrels", "cut.run")
    assert (scores["SetF"], scores["nDCGT"]) == (0.5, 0.75)


@pytest.mark.needs("spans and stores")
def test_a_cut_run_keeps_its_tag_and_its_comments(files, capsys):
    (files / "b.run").write_text("# run of 2026\n#second line\n" + "".join(ROWS[:4]) + "# later\n")
    out(capsys, "truncate b.run --policy 'Fixed(k=1)' -o cut.run")
    assert (files / "cut.run").read_text() == "# run of 2026\n#second line\n1 Q0 d1 1 19.0 tag\n"
    assert out(capsys, "truncate b.run --policy 'Fixed(k=1)' -o - --tag mine").out.endswith(" 19.0 mine\n")
    (files / "c.csv").write_text("query_id,doc_id,score\n1,a,2\n")
    assert out(capsys, "truncate c.csv --policy 'Fixed(k=1)' -o -").out == "1 Q0 a 1 2.0 c\n"
    (files / "log.jsonl").write_text('{"query_id": "1", "documents": [{"id": "a", "score": 0.2}]}\n')
    printed = out(capsys, "truncate log.jsonl --policy 'Fixed(k=1)' -o - --lower-is-better")
    assert printed.out == "1 Q0 a 1 -0.2 log\n"
    assert "written scores are minus the distances" in printed.err


def test_the_fitted_policy_is_printed(files, capsys):
    for policy, fitted in (("Greedy", "Fixed(k=2)"), ("ScoreThreshold", "ScoreThreshold(threshold=16.0)")):
        printed = out(capsys, f"truncate qrels a.run FlatU --policy {policy} -k k.tsv")
        assert printed.err.startswith(f"{fitted}: 4 lists")


@pytest.mark.filterwarnings("ignore")
def test_a_policy_is_fitted_to_topics_without_judgments_too(files, capsys):
    (files / "qrels").write_text("1 0 d1 1\n")
    command = "truncate qrels a.run 'FlatU(e=0.3)' --policy ScoreThreshold --topics topics -k k"
    for topics, end in (("4\n", "now 1.0; 0 empty.\n"), ("2\n3\n4\n", "now 0.0; 4 empty.\n")):
        (files / "topics").write_text(topics)
        assert out(capsys, command).err.endswith(end)


@pytest.mark.filterwarnings("always")
def test_the_oracle_cuts_the_judged_topics(files, capsys):
    (files / "qrels").write_text("2 0 d2 1\n1 0 d8 1\n")
    printed = out(capsys, "truncate a.run --policy Oracle --qrels qrels -m SetF -o o.run -k o.tsv")
    assert "warning: run a.run: ignored 2 topics that are not in the qrels" in printed.err
    assert "Oracle(measure=SetF): 2 lists" in printed.err
    assert (files / "o.tsv").read_text() == "1\t0\n2\t2\n"
    assert [line.split()[2] for line in (files / "o.run").read_text().splitlines()] == ["__nil__", "d1", "d2"]


@pytest.mark.filterwarnings("ignore")
def test_how_many_prints_the_advice_and_saves_the_policy(collection, capsys):
    qrels, run, options = "demo.qrels", "never-stops.run", {"keep": 0.5, "present": 5, "price": 0.1}
    expected = how_many(qrels, run, "SetF", missing="empty", **options)
    words = "--keep .5 --present 5 --price .1 --missing empty -o stop.json"
    assert out(capsys, f"how-many {qrels} {run} SetF {words}").out == f"{expected}\n"
    assert load_policy("stop.json") == expected.policy
    assert out(capsys, f"how-many {qrels} {run} --present 'Fixed(3)'").out.count("Advice: ") == 1


def test_wrap_prints_and_writes_what_with_terminal_and_with_effort_hold(files, capsys):
    (files / "qrels").write_text(QRELS.replace("2 0 d1 1", "2 0 d1 3"))
    for words, expected in {
        "--terminal": with_terminal("qrels", "a.run"),
        "--terminal full --rel 2 --depth 5": with_terminal("qrels", "a.run", terminal="full", rel=2, depth=5),
        "--terminal --gain exp --max-rel 4": with_terminal("qrels", "a.run", gain="exp", max_rel=4),
        "--effort .1 --depth 2": with_effort("qrels", "a.run", e=0.1, depth=2),
        "--effort --nil d4=ends": with_effort("qrels", "a.run", nil=NilRule("ends", "d4")),
    }.items():
        printed = out(capsys, f"wrap qrels a.run {words} -p -1").out
        assert printed == csv_text(expected.run.to_pandas(), -1, "\t")
        out(capsys, f"wrap qrels a.run {words} -o it.csv --qrels-output judged.csv")
        expected.write("again.csv", "other.csv")
        assert (files / "it.csv").read_text() == (files / "again.csv").read_text()
        assert (files / "judged.csv").read_text() == (files / "other.csv").read_text()
    out(capsys, "wrap qrels a.run --terminal -o wrapped.run --qrels-output wrapped.qrels")
    own = calc_aggregate("RRT", "qrels", "a.run")["RRT"]
    assert calc_aggregate("RR", "wrapped.qrels", "wrapped.run")["RR"] == own


def test_study_cuts(files, capsys):
    rows = table(capsys, "study cuts qrels runs SetF -o - RBPU")
    assert [row["best_cut"] for row in rows] == ["0", "1-4"]
    assert sum(float(row["SetF"]) for row in rows) == pytest.approx(1)
    rows = table(capsys, "study best-cuts qrels a.run -m 'FlatU(e=0.1)'")
    lengths = [(row["query_id"], row["best_length"], row["length"]) for row in rows]
    assert lengths == [("1", "1", "4"), ("2", "2", "4"), ("3", "0", "4"), ("4", "0", "4")]


def test_study_agreement_example_policies(files, capsys):
    rows = table(capsys, "study agreement qrels runs --full AP RBPU nDCGT")
    assert list(rows[0]) == ["full", "RBPU", "nDCGT"]
    rows = table(capsys, "study example FlatU --irrelevant 1 --relevant 1 --no-scaled")
    assert [float(row["FlatU"]) for row in rows] == pytest.approx([0, -0.05, 0.9])
    rows = table(capsys, "study policies qrels runs --folds 2 FlatU SetR --policy Greedy --policy Oracle")
    assert [(row["system"], row["policy"]) for row in rows[:2]] == [("x", "Greedy"), ("x", "Oracle")]
    assert all(0 <= float(row["SetR"]) <= 1 for row in rows)
    out(capsys, "study example -o it.csv")
    assert (files / "it.csv").read_text().startswith("cut,FlatU,ERRU,")


@pytest.mark.parametrize(("words", "message"), [
    ("truncate a.run --policy Greedy", "Greedy has no k yet: fit it on training topics first (at the"),
    ("truncate a.run --policy Oracle(measure=SetF)", "looks at judgments: QRELS RUN MEASURE are needed"),
    ("truncate a.run --policy qrels", "cuts qrels, line 1: '1 0 d1 1'"),
    ("how-many qrels a.run -o qrels", "qrels is the input qrels"),
    ("study agreement qrels a.run", "1 run: an agreement"),
    ("wrap qrels a.run", "--terminal or --effort is needed, and not both"),
    ("wrap qrels a.run --effort 1 --rel 2", "--rel is for --terminal"),
    ("wrap qrels a.run --effort 1 -o x.run", "a TREC run has no columns for effort and utility"),
    ("wrap qrels a.run --terminal --format latex", "latex is a form of 'ir_trunc compare', not of this"),
    ("wrap qrels a.run --terminal --gain signed", "gain='signed'"),
    ("study policies qrels runs -m FlatU --folds 9", "folds=9: 4 topics cannot be split"),
    ("truncate a.run --policy LargestGap --topics qrels", "--topics is for QRELS, and RUN alone is given"),
    ("truncate a.run --policy LargestGap --tag x", "--tag has no effect without --output"),
])  # fmt: skip
def test_mistakes_are_one_line(files, complaint, words, message):
    assert message in complaint(*words.split())


def test_qrels_without_an_effect_are_named(files, command):
    words = ["truncate", "qrels", "a.run", "AP", "--policy"]
    said = "Fixed(k=1) has nothing to fit: QRELS and MEASURE do not change the cuts"
    assert said in command(*words, "Fixed(k=1)")[2]
    for policy in ("Greedy", "Oracle(measure=AP)"):
        assert "nothing to fit" not in command(*words, policy)[2]
