"""Without a network, what would be downloaded is an error of one line that says so, soon and without a
traceback.

What ir_datasets says of its own accord while it tries (licences, sources, trials) stands above that line.
"""

import os

import pytest
from faulty import python

CUT_OFF = """
import socket, sys
def unreachable(*_, **__):
    raise OSError(101, "Network is unreachable")
socket.socket.connect = socket.getaddrinfo = unreachable
from ir_trunc._cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "datasets"))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "some.run").write_text("1 Q0 a 1 1 s\n")
    (tmp_path / "some.qrels").write_text("1 0 a 1\n")
    return tmp_path


@pytest.mark.parametrize("name", ["antique/test", "vaswani"])  # one source that is asked, and several
def test_data_sets_that_are_not_here_are_one_line(folder, name):
    status, out, err = python(
        CUT_OFF, name, "some.run", "AP", cwd=folder, env=os.environ | {"IR_DATASETS_DL_TRIES": "1"}
    )
    assert (status, out) == (2, ""), err
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    assert last.startswith(f"ir_trunc: data set {name} cannot be loaded: ")
    assert "cannot be reached; is there a connection to the" in last
    assert len(last) < 500
    assert err.count("ir_trunc: ") == 1


def test_files_need_no_network(folder):
    assert python(CUT_OFF, "some.qrels", "some.run", "AP", cwd=folder)[:2] == (0, "AP\t1.0000\n")
