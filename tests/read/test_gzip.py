"""Gzipped files, by Python's gzip and by isal where it is installed: the same bytes and the same messages."""

import gzip
import os
import sys
import threading
import zlib
from functools import partial
from types import SimpleNamespace

import pytest

from ir_trunc import InputError, calc

QRELS = {str(topic): {"d1": 1} for topic in range(300)}
RUN = "".join(f"{topic} Q0 d{rank} {rank} {-rank} s\n" for topic in range(300) for rank in range(9)).encode()
compress = partial(gzip.compress, mtime=0)  # data in the names of tests must be the same in every process
PACKED = compress(RUN)
NOT_A_BLOCK = PACKED[:10] + b"\x07" + PACKED[11:]


class IsalError(Exception):
    """As isal's, which is neither zlib's nor gzip's."""


class FakeMember:
    """Decompresses as isal does: its errors have other types and words."""

    used = 0

    def __init__(self, bits):
        self._member = zlib.decompressobj(bits)

    def __getattr__(self, name):
        return getattr(self._member, name)

    def decompress(self, data, most):
        FakeMember.used += 1
        try:
            return self._member.decompress(data, most)
        except Exception as error:
            raise IsalError("words of its own") from error


@pytest.fixture(params=["gzip", "isal", "its twin"])
def package(request, monkeypatch):
    if request.param == "gzip":
        monkeypatch.setitem(sys.modules, "isal", None)
    elif request.param == "isal":
        pytest.importorskip("isal")
    else:
        twin = SimpleNamespace(isal_zlib=SimpleNamespace(decompressobj=FakeMember, error=IsalError))
        monkeypatch.setitem(sys.modules, "isal", twin)
    return request.param


@pytest.mark.parametrize("data", [
    PACKED, compress(RUN[:900]) + compress(RUN[900:]), PACKED + bytes(512), compress(RUN, 1),
    bytes(9).join(compress(RUN[at:at + 99], at % 10) for at in range(0, len(RUN), 99)),
    compress(b"") * 9 + PACKED,
])  # fmt: skip
def test_gzipped_lines_are_the_lines(package, data, tmp_path):
    (tmp_path / "run").write_bytes(RUN)
    (tmp_path / "run.gz").write_bytes(data)
    before = FakeMember.used
    plain, packed = (calc("AP RBPT", QRELS, tmp_path / name) for name in ("run", "run.gz"))
    assert packed.values.tobytes() == plain.values.tobytes()
    assert (FakeMember.used > before) == (package == "its twin")


@pytest.mark.parametrize(("data", "problem"), [
    (PACKED[:-5], "ends in the middle: the gzip file is truncated."),
    (PACKED[: len(PACKED) // 2], "ends in the middle: the gzip file is truncated."),
    (PACKED + PACKED[:-9], "ends in the middle: the gzip file is truncated."),
    (PACKED + PACKED[:1], "cannot be decompressed: Not a gzipped file (b'\\x1f')."),
    (PACKED[:3], "ends in the middle: the gzip file is truncated."),
    (PACKED + b"t", "cannot be decompressed: Not a gzipped file (b't')."),
    (PACKED + b"tail", "cannot be decompressed: Not a gzipped file (b'ta')."),
    (PACKED[:-4] + b"1234", "cannot be decompressed: Incorrect length of data produced."),
    (PACKED[:-8] + b"1234" + PACKED[-4:], "cannot be decompressed: CRC check failed 0x34333231 != "),
    (compress(b""), "is empty: lines of the form "),
    (NOT_A_BLOCK, "cannot be decompressed: Error -3 while decompressing data: invalid block type."),
])  # fmt: skip
def test_a_broken_gzip_file_has_one_message(package, data, problem, tmp_path):
    (tmp_path / "run.gz").write_bytes(data)
    with pytest.raises(InputError) as found:
        calc("AP", QRELS, tmp_path / "run.gz")
    assert str(found.value).startswith(f"run {tmp_path / 'run.gz'} {problem}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are those of Unix")
def test_a_broken_gzip_file_in_a_pipe_is_said_to_be_broken(package, tmp_path):
    """It cannot be read once more."""
    os.mkfifo(tmp_path / "run.gz")
    writer = threading.Thread(target=(tmp_path / "run.gz").write_bytes, args=[PACKED[:-20]])
    writer.start()
    with pytest.raises(InputError, match=r"truncated|cannot be decompressed: words of its own"):
        calc("AP", QRELS, tmp_path / "run.gz")
    writer.join()
