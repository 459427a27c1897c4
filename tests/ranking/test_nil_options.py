"""What NIL means can be said to every command and procedure that reads runs with qrels."""

import pytest

from ir_trunc import InputError, IrTruncWarning, meta
from ir_trunc.cli.main import main
from ir_trunc.truncation import cross_validate, study

pytestmark = pytest.mark.filterwarnings("always::ir_trunc.IrTruncWarning")

QRELS = "1 0 a 1\n2 0 b 1\n3 0 c 0\n"
RUN = (
    "1 Q0 a 1 3 x\n1 Q0 NIL 2 2 x\n1 Q0 d 3 1 x\n2 Q0 NIL 1 2 x\n2 Q0 b 2 1 x\n3 Q0 NIL 1 2 x\n3 Q0 c 2 1 x\n"
)

COMMANDS = [
    "QRELS RUN SetP",
    "truncate RUN --policy Fixed(k=5)",
    "truncate RUN --policy Greedy --qrels QRELS --measure SetF",
    "study cuts QRELS RUN -m SetF",
    "study cuts QRELS RUN -m SetF --by_query",
    "study agreement QRELS RUN OTHER --truncated SetF --full AP",
    "study lengths RUN --qrels QRELS",
    "study policies QRELS RUN -m SetF --policy Greedy --folds 2",
    "meta power QRELS RUN OTHER AP SetP",
    "meta stability QRELS RUN OTHER AP --size 1 --repetitions 5",
    "meta pools QRELS RUN OTHER P --pool-depths 2 --depths 2",
    "meta leave-group-out QRELS RUN OTHER P@2 --depth 2",
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "other").write_text(RUN.replace("1 Q0 a 1 3", "1 Q0 a 1 1.5"))
    return {name.upper(): str(tmp_path / name) for name in ("qrels", "run", "other")}


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_that_reads_runs_takes_nil(words, files, capsys):
    given = [files.get(word, word) for word in words.split()]

    def said(*nil):
        assert main([*given, *nil]) == 0
        return capsys.readouterr()

    assert "taken for a document" not in said("--nil", "document").err
    ended = said("--nil", "ends")
    assert ("NIL ends 3 list(s)" in ended.err) == ("lengths" not in words)
    if "lengths" in words:
        assert said().out == ended.out != said("--nil", "document").out
    assert main([*given, "--nil", "nothing"]) == 2
    assert "invalid choice" in capsys.readouterr().err


def test_procedures_take_nil_as_calc_does(files):
    runs = [files["RUN"], files["OTHER"]]
    for convention in ("ends", "document", "sakai"):
        cross_validate("Greedy", "SetF", files["QRELS"], runs, folds=2, nil=convention)
        study.agreement("SetF", "AP", files["QRELS"], runs, nil=convention)
        study.cuts("SetF", files["QRELS"], runs, nil=convention)
        study.lengths(files["QRELS"], runs, nil=convention)
    assert meta.pooled_runs(files["QRELS"], runs, nil="ends").rankings[0].lengths.tolist() == [1, 0, 0]


def test_pools_refuse_an_answer_that_no_pool_holds(files):
    with pytest.raises(InputError, match="nil='sakai' makes NIL an answer that no pool holds"):
        meta.pooled_runs(files["QRELS"], [files["RUN"]], nil="sakai")
    with pytest.warns(IrTruncWarning, match="nil='ends' ends these lists"):
        meta.pooled_runs(files["QRELS"], [files["RUN"]])
