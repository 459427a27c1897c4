"""Several runs, by their names."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import copy_context
from typing import Any, TypeVar

from ir_trunc._core.errors import InputError, noted, warn
from ir_trunc._core.parameters import file_name, several, whole
from ir_trunc._core.rankings import Rankings
from ir_trunc._ranking.runs import source_of
from ir_trunc._read.arrow import one_id
from ir_trunc._read.registry import shape_of
from ir_trunc._scoring.evaluator import IMPOSED, Evaluator, imposed_depth, warn_about_ends
from ir_trunc._scoring.results import Results

RunsLike = Mapping[str, Any] | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""Several runs: `{name: run}`, or paths of files and of folders, whose runs are then named by their files."""

T = TypeVar("T")


def progress(items: Iterable[T], doing: str, unit: str) -> Iterable[T]:
    """The items, with a progress bar on a terminal where they take long."""
    from tqdm import tqdm

    shown: Iterable[T] = tqdm(items, desc=doing, unit=unit, disable=None, delay=1, leave=False)
    return shown


def each_run(runs: RunsLike, doing: str) -> Iterator[tuple[str, Any]]:
    """Yield (name, run) for each run, with a progress bar on a terminal where it takes long."""
    named = by_name(runs)
    yield from progress(named.items(), doing, "run") if len(named) > 1 else named.items()


def score_each(
    ready: Evaluator, runs: RunsLike, jobs: int = 1, alike: bool = False, keep_scores: bool = False
) -> Iterator[tuple[str, Results]]:
    """Yield (name, Results) for each run. Warnings that several runs have in common are one, at the end.

    jobs: how many runs are scored at a time, each by a thread: the kernel and numpy let others run.
    alike: whether all runs need the same topics. keep_scores: as for `ir_trunc.calc`, but for Rankings.
    """

    def calc(run: Any) -> Results:
        return ready.calc(run, keep_scores=keep_scores and not isinstance(run, Rankings))

    named, messages, jobs = by_name(runs), [], whole("jobs", jobs, 1)
    ready.alike = alike and len(named) > 1
    if len(named) == 1:
        yield from ((name, calc(run)) for name, run in named.items())
        return

    def score(run: Any) -> tuple[Results | Exception, list[str]]:
        with noted(issued=False) as notes:
            try:
                return calc(run), notes
            except Exception as error:  # raised when it is the run's turn
                return error, notes

    depths: dict[str, int | None] = {}
    try:
        scored = _in_threads(score, named.values(), jobs) if jobs > 1 else map(score, named.values())
        for (name, run), (results, notes) in zip(progress(named.items(), "scoring", "run"), scored):
            messages += [(name, f"{source_of(run)}: ", note) for note in notes if IMPOSED not in note]
            if isinstance(results, Exception):
                raise results
            chosen, lists = ready.chosen_depths(run), results.rankings
            depths[name] = None if isinstance(run, Rankings) else imposed_depth(lists, *chosen)
            yield name, results
        warn_about_ends(ready.by_measure, depths)
    finally:
        for message in _merged(messages, len(named)):
            warn(message)


def _in_threads(function: Callable[[Any], T], items: Iterable[Any], jobs: int) -> Iterator[T]:
    """The function of each item, in order; a thread more than `jobs` items ahead would only take memory."""
    from concurrent.futures import Future, ThreadPoolExecutor

    begun: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        for item in items:
            begun.append(pool.submit(copy_context().run, function, item))
            if len(begun) > jobs:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    finally:
        # Where an error ends the loop over this generator, the garbage collector may close it inside any
        # thread, which must not wait for itself.
        pool.shutdown(wait=False, cancel_futures=True)


def _merged(messages: Iterable[tuple[str, str, str]], runs: int) -> Iterator[str]:
    """Messages of runs (name, source, text), of which those that differ only in numbers are one."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for name, source, text in messages:
        if text.startswith(source):
            of_run = text.removeprefix(source)
            kinds.setdefault(re.sub(r"\d[\d.,]*", "", of_run), []).append((name, of_run))
        else:
            kinds.setdefault(text, [("", text)])
    for (name, text), *others in kinds.values():
        if not name:
            yield text
        elif not others:
            yield f"{name}: {text}"
        else:
            example = "" if all(other == text for _, other in others) else f" (for example {name})"
            yield f"{len(others) + 1} of {runs} runs{example}: {text}"


def by_name(runs: RunsLike) -> dict[str, Any]:
    """Runs by their names, which are text; InputError where 1 and "1" are two of them, and for no run."""
    if not isinstance(runs, Mapping):
        named: dict[str, Any] = dict(by_file_name(runs))
    elif len(named := {one_id(name, "name", "runs"): run for name, run in runs.items()}) < len(runs):
        names = f"{len(runs)} names are only {len(named)} as text"
        raise InputError(f"runs: {names}: each run needs a name of its own.")
    if not named:
        raise InputError("There is no run: give {name: run} with at least one, or paths.")
    return named


def by_file_name(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> dict[str, str | os.PathLike[str]]:
    """Runs (of folders: all files) named by their files without '.gz', or by paths where names repeat."""
    single = shape_of(paths) in ("path", "frame")
    items: list[Any] = [paths] if single else several("runs", paths, "{name: run}, or paths")
    for path in items:
        if shape_of(path) != "path":
            of_frame = ", of a frame {name: part for name, part in df.groupby('system')}"
            needed = f"runs need names: give {{name: run}} or paths, not {type(path).__name__}"
            raise InputError(f"{needed}{of_frame if shape_of(path) == 'frame' else ''}.")
        file_name("run", path)
    files: list[Any] = []
    for path in items:
        if not os.path.isdir(path):
            files.append(path)
            continue
        with os.scandir(path) as entries:
            paths = sorted(each.path for each in entries if not each.name.startswith("."))
        # A link that leads nowhere is taken for a run that is missing.
        inside = [each for each in paths if os.path.isfile(each) or not os.path.exists(each)]
        if not inside:
            raise InputError(f"folder {path} holds no files: the runs are needed.")
        files += inside
    _refuse_one_file_twice(files)
    names = [_file_name(file, number) for number, file in enumerate(files, 1)]
    if len(set(names)) < len(names):
        names = [_text(file) for file in files]
    if len(set(names)) < len(names):
        raise InputError(f"run {next(name for name in names if names.count(name) > 1)} is given twice.")
    return dict(zip(names, files))


def _refuse_one_file_twice(files: Iterable[Any]) -> None:
    """InputError where two paths lead to one file, `a.run` and `./a.run` for example."""
    paths: dict[tuple[int, int], Any] = {}
    for path in filter(os.path.isfile, files):  # of others their reader says what is wrong
        status = os.stat(path)
        other = paths.setdefault((status.st_dev, status.st_ino), path)
        if other is not path:
            raise InputError(f"runs {_text(other)} and {_text(path)} are one file: give each run once.")


def _file_name(path: str | os.PathLike[str], number: int) -> str:
    """The name of a file without '.gz'; a number for a pipe, such as bash's `<(zcat my.run.xz)`."""
    if re.fullmatch(r"/dev/fd/\d+|/proc/\w+/fd/\d+|/dev/stdin|-", os.fsdecode(path)):
        return f"run {number}"
    return _text(os.path.basename(os.fspath(path)).removesuffix(".gz"))


def _text(path: str | os.PathLike[str]) -> str:
    """A path as text; bytes that are not UTF-8 are written out, as `\\xff`."""
    return os.fsencode(path).decode(errors="backslashreplace")
