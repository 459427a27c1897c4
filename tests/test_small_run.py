"""What a small run costs before its first line is read: the modules that it imports."""

import json
import subprocess
import sys

import pytest

# Packages and rooms that scoring a run of TREC lines can do without. Some take longer to import than such a
# run takes to read and score.
NOT_NEEDED = {
    "scipy", "pandas", "ir_datasets", "pytrec_eval", "matplotlib", "jinja2", "sklearn", "tqdm",
    "importlib.metadata", "importlib.resources", "asyncio", "multiprocessing",
    "pyarrow.parquet", "pyarrow.dataset", "pyarrow.fs", "pyarrow.pandas_compat",
    "ir_trunc.meta", "ir_trunc.plots", "ir_trunc.reporting", "ir_trunc.synthetic", "ir_trunc.truncation",
}  # fmt: skip
WAYS = {
    "command": "from ir_trunc.cli.main import main; main([*sys.argv[1:], 'nDCG@10', 'RBPT', 'c@1'])",
    "function": "import ir_trunc; print(ir_trunc.calc_aggregate('nDCG@10 RBPT c@1', *sys.argv[1:]))",
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "run").write_text("q Q0 b 1 2.0 x\nq Q0 a 2 1.0 x\n")
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


@pytest.mark.parametrize("way", WAYS)
def test_scoring_a_small_run_imports_only_what_it_needs(way, files):
    code = f"import json, sys; {WAYS[way]}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, text=True, check=True)
    *scores, modules = done.stdout.splitlines()
    assert "nDCG@10" in "".join(scores)
    assert NOT_NEEDED.isdisjoint(json.loads(modules))
