"""What all tests share: where real data lies, and how hard hypothesis tries."""

import gc
import importlib.util
import json
import os
import re
import secrets
import shutil
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from registries import kept

# OpenMP's threads spin while they wait for each other: most of the time, where processes outnumber cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

EXPLORE = "IR_TRUNC_EXPLORE"  # set by `pytest --explore`, for all processes that test

for _profile, _derandomize in {"ir_trunc": True, "explore": False}.items():
    settings.register_profile(
        _profile,
        deadline=None,
        derandomize=_derandomize,
        max_examples=int(os.environ.get("IR_TRUNC_EXAMPLES", "12")),
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("ir_trunc")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """`pytest` alone takes two processes where pytest-xdist is installed; `pytest -n 0` takes one."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ  # which would start workers of its own
    whole = config.args_source is not config.ArgsSource.ARGS and not is_worker
    if whole and config.getoption("numprocesses", 0) is None and not config.getoption("usepdb"):
        config.option.numprocesses = 2
        config.option.dist = "worksteal"


FAULTS_SEED = "IR_TRUNC_FAULTS_SEED"
# Modules that can be taken away, and what takes long.
FULL = {"cdet", "faults", "plots", "report"}
FULL |= {f"test_{name}.py" for name in ("contributing", "frameworks", "package", "process")}


def pytest_addoption(parser):
    parser.addoption("--weekly", action="store_true", help="also the tests that only the scheduled job runs")
    parser.addoption("--explore", action="store_true", help="draw new examples and new faults on each run")
    parser.addoption(
        "--passed",
        metavar="FILE",
        type=Path,
        help="leave out the tests that FILE names; where there is no FILE, write into it which have passed",
    )
    parser.addoption(
        "--skips",
        metavar="JOB",
        help="fail where a test is skipped for a reason that .ci/skips does not allow this job",
    )


def pytest_configure(config):
    """Tests draw the same examples and faults on every run, unless new ones are asked for."""
    if config.getoption("--explore") or EXPLORE in os.environ:
        os.environ[EXPLORE] = "1"
        os.environ.setdefault(FAULTS_SEED, str(secrets.randbelow(10**6)))
        settings.load_profile("explore")
    os.environ.setdefault(FAULTS_SEED, "1")


def pytest_collection_modifyitems(config, items):
    """All tests in these folders and files belong to the full ring, and some tests to the scheduled job only.

    Real runs are odd, which tests of the warnings about them hold.
    """
    passed = config.getoption("--passed")
    left_out = set(passed.read_text("utf-8").splitlines()) if passed and passed.exists() else set()
    weekly = config.getoption("--weekly")
    items[:] = [
        item
        for item in items
        if item.nodeid not in left_out and (weekly or item.get_closest_marker("weekly") is None)
    ]
    odd = "ignore:.*(scores differ only beyond 32 bits|do not fall with the rank):UserWarning"
    for item in items:
        if not FULL.isdisjoint(item.nodeid.partition("::")[0].split("/")):
            item.add_marker("full")
        if "real_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.filterwarnings(odd))


OPTIONAL = {"dask": "dask", "fast": "isal", "learn": "sklearn", "plot": "matplotlib"}
OPTIONAL |= {"pyterrier": "pyterrier", "spark": "pyspark", "torch": "torch"}
"""Extras of the package, each with a module that it installs."""
LACKING = [extra for extra, module in OPTIONAL.items() if importlib.util.find_spec(module) is None]


NOT_IN_3_14 = "module 'ast' has no attribute 'Num'"  # which ir-measures 0.4.3 parses measures with


def skip_where_lacking(message: object) -> None:
    """Skip a test that met a message about an extra, or about what ir-measures needs and Python lacks."""
    if NOT_IN_3_14 in str(message):
        pytest.skip("ir-measures itself parses no measures from Python 3.14 on")
    for extra in LACKING:
        if f"pip install 'ir_trunc[{extra}]'" in str(message):
            pytest.skip(f"needs pip install 'ir_trunc[{extra}]'")


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call():
    """A test that needs what is not here is skipped."""
    outcome = yield
    if outcome.excinfo is not None and issubclass(outcome.excinfo[0], Exception):
        try:
            skip_where_lacking(outcome.excinfo[1])
        except pytest.skip.Exception as skipped:
            outcome.force_exception(skipped)


def pytest_collection_finish():
    """Modules and tests stay to the end: looking for garbage among them takes a few percent of the time."""
    gc.collect()
    gc.freeze()


def forbidden_skips(config) -> set[str]:
    """Reasons for which tests were skipped, and which `.ci/skips` does not list for this job."""
    job, reporter = config.getoption("--skips"), config.pluginmanager.get_plugin("terminalreporter")
    if job is None or reporter is None:
        return set()
    lines = (Path(__file__).parents[1] / ".ci" / "skips").read_text("utf-8").splitlines()
    allowed = [reason for jobs, _, reason in (line.partition(": ") for line in lines) if job in jobs.split()]
    skipped = {report.longrepr[2].removeprefix("Skipped: ") for report in reporter.stats.get("skipped", [])}
    return {reason for reason in skipped if not any(re.fullmatch(pattern, reason) for pattern in allowed)}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if session.exitstatus == pytest.ExitCode.OK and forbidden_skips(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    for reason in sorted(forbidden_skips(config)):
        terminalreporter.write_line(f"FAILED: .ci/skips does not allow a test to be skipped here: {reason}")
    passed = config.getoption("--passed")
    if passed and not passed.exists() and not hasattr(config, "workerinput"):  # which has a part of the tests
        names = (f"{report.nodeid}\n" for report in terminalreporter.getreports("passed"))
        passed.write_text("".join(names), "utf-8")
    ran = [report.nodeid for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    if any("/faults/" in name for name in ran):
        terminalreporter.write_line(f"The faults were drawn with {FAULTS_SEED}={os.environ[FAULTS_SEED]}.")


@pytest.fixture
def long_form(request):
    """Whether to try as much as a night has room for, or what every landing can wait for."""
    return request.config.getoption("--weekly")


DATA = "IR_TRUNC_TEST_DATA"


@pytest.fixture
def command(capsys):
    """The command line in this process: exit status, output, errors."""
    from ir_trunc._cli.main import main

    def call(*words: str) -> tuple[int, str, str]:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            try:
                status = main(words)
            except SystemExit as stop:
                status = stop.code or 0
        out, err = capsys.readouterr()
        skip_where_lacking(err)
        return status, out, err

    return call


@pytest.fixture(scope="session")
def one_after_another():
    """Several command lines as one process, which prints END after each."""

    def command(*lines: list[str]) -> list[str]:
        return [sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(lines)]

    return command


ONE_AFTER_ANOTHER = """
import json, sys
from ir_trunc._cli.main import main
for words in json.loads(sys.argv[1]):
    assert main(words) == 0, words
    print("END", flush=True)
"""


@pytest.fixture
def registries():
    """Measures, policies and procedures that a test declares are taken back when it ends."""
    with kept():
        yield


@pytest.fixture(scope="session")
def real_data():
    """A folder of real collections, by name; the test is skipped where they are absent."""

    def folder(name: str) -> Path:
        path = Path(os.environ.get(DATA, "")) / name
        if DATA not in os.environ or not path.is_dir():
            pytest.skip(f"no real data: set {DATA} to a folder that holds {name}")
        return path

    return folder


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """The current folder, a fresh one with the demonstration's files."""
    from ir_trunc.synthetic import demo

    monkeypatch.chdir(tmp_path)
    for path in demo.data().iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path
