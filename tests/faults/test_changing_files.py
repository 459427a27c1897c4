"""A file that somebody writes to while it is read is an error: a list that was read in part would be a
shorter list.
"""

import os
from pathlib import Path

import pytest
from faulty import draws, small_blocks

from ir_trunc import InputError, calc
from ir_trunc._read import text
from ir_trunc._read.readers import files

TOPICS = 2000
QRELS = {str(topic): {"d3": 1} for topic in range(TOPICS)}
LINES = [f"{topic} Q0 d{rank} {rank} {9 - rank} tag\n" for topic in range(TOPICS) for rank in range(9)]
RUN = "".join(LINES)
OTHER = RUN.replace(" d3 ", " x3 ")

needs_proc = pytest.mark.skipif(
    not os.path.isdir("/proc/self/fdinfo"), reason="needs /proc: how far is a file read?"
)


def truncated(path: Path) -> None:
    os.truncate(path, len("".join(LINES[: 9 * TOPICS * 3 // 4])))  # where a list ends


def grown(path: Path) -> None:
    with open(path, "a") as file:
        file.write("new Q0 d1 1 1 tag\n")


def overwritten(path: Path) -> None:
    with open(path, "r+") as file:
        file.write(OTHER)


def replaced(path: Path) -> None:
    path.with_name("other").write_text(OTHER)
    os.replace(path.with_name("other"), path)


def deleted(path: Path) -> None:
    path.unlink()


def position(path: Path) -> int:
    """How far this process has read a file; 0 where it has not opened it."""
    for number in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{number}") == str(path):
                return int(Path(f"/proc/self/fdinfo/{number}").read_text().split()[1])
        except FileNotFoundError:
            pass
    return 0


def scored_while(change, path: Path, least: int, monkeypatch):
    """RR of the run, which changes once so many bytes of it are read."""
    path.write_text(RUN)
    os.utime(path, ns=(0, 0))  # it was written long before
    changed_at = []
    check_lengths = text._check_lengths

    def after_a_block(view):
        if not changed_at and (at := position(path)) >= least:
            changed_at.append(at)
            change(path)
        check_lengths(view)

    with monkeypatch.context() as patch:
        patch.setattr(text, "_check_lengths", after_a_block)
        try:
            return calc("RR", QRELS, path).values.mean()
        finally:
            assert 0 < changed_at[0] < len(RUN), "the file was read before it could be changed"


@needs_proc
@pytest.mark.filterwarnings("ignore::ir_trunc.IrTruncWarning")
@pytest.mark.parametrize("change", [truncated, grown, overwritten])
def test_a_file_that_is_written_to_while_it_is_read_is_an_error(tmp_path, monkeypatch, long_form, change):
    small_blocks(monkeypatch, 1 << 13)
    for number in range(20 if long_form else 1):
        least = draws("changing", number).randrange(1, len(RUN) // 2)
        with pytest.raises(
            InputError, match=f"^run {tmp_path}/some.run was changed while it was read: read it again once"
        ):
            scored_while(change, tmp_path / "some.run", least, monkeypatch)


def test_a_file_of_records_that_grows_is_an_error_that_names_it_once(tmp_path, monkeypatch):
    small_blocks(monkeypatch, 16)
    path, rows = tmp_path / "some.jsonl", files._rows_of_parts
    path.write_text("".join(f'{{"query_id": "1", "doc_id": "d{n}", "score": {n}}}\n' for n in range(40)))

    def while_it_grows(*parts):
        grown(path)
        return rows(*parts)

    monkeypatch.setattr(files, "_rows_of_parts", while_it_grows)
    with pytest.raises(InputError, match=f"^run {path} was changed while it was read: read it again"):
        calc("RR", {"1": {"d3": 1}}, path)


@needs_proc
@pytest.mark.parametrize("change", [replaced, deleted])
def test_a_file_that_another_takes_the_place_of_is_read_to_its_end(tmp_path, monkeypatch, long_form, change):
    small_blocks(monkeypatch, 1 << 13)
    for number in range(20 if long_form else 1):
        least = draws("changing", number).randrange(1, len(RUN) // 2)
        score = scored_while(change, tmp_path / "some.run", least, monkeypatch)
        assert score == pytest.approx(1 / 4)  # of d0, d1, d2, d3
