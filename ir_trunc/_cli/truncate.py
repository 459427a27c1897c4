"""`ir_trunc truncate`: end a run's lists by a policy."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.compute as pc

from ir_trunc._cli._arguments import QRELS, Words, cli_command
from ir_trunc._cli._process import tell
from ir_trunc._core.errors import ParameterError, counted, shown, warn
from ir_trunc._ranking.qrels import read_qrels_of_runs
from ir_trunc._ranking.runs import rank_rows, read_run
from ir_trunc._read.reading import RUN
from ir_trunc._read.text import NUMBER, beginning
from ir_trunc.truncation import parse_policy, rank_without_qrels, write_cuts, write_run
from ir_trunc.truncation._policy import as_fitted, lengths_of, sees_judgments
from ir_trunc.truncation._text import list_of_policies

__all__ = ["main"]

_DECLARED = f"""
arguments [QRELS] RUN [MEASURE]+  TREC run file; QRELS: {QRELS}; MEASURE: what the policy is fitted to, a
    measure of single lists
--policy POLICY!  a policy, or a file of cuts
--qrels QRELS  in place of QRELS
-m --measures MEASURES  in place of MEASURE
-o --output FILE  write the run here with its lists cut, as lines of TREC, gzipped where the name ends in .gz;
    - prints. Distances get the opposite sign
= cuts topics levels reading
--tag TAG  last field of the lines of -o (default: that of RUN's first line, or the name of RUN)
"""

_TAG = "ir_trunc"
_WITH_QRELS = 3  # QRELS RUN MEASURE


@cli_command("truncate", _DECLARED, below=list_of_policies)
def main(args: Words) -> None:
    """Where should each list end? End it where a policy says: RUN --policy LargestGap, or RUN --policy
    'Fixed(k=10)'. A policy whose parameter is left out is fitted: QRELS RUN MEASURE --policy Greedy fits k to
    the measure on the topics of the qrels. A policy that sees the judgments cuts only the topics of the
    qrels.

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc truncate never-stops.run --policy LargestGap
      gap  3
      late  1
      nothing-to-find  1
      rank-100  6
      ten-found  10
      three-found  3
      wrong-answer  1
    """
    named = [word for word in (args.qrels, *args.arguments, args.measures) if word is not None]
    if len(named) not in (1, _WITH_QRELS):
        raise ParameterError(f"RUN alone or QRELS RUN MEASURE is needed, not {shown(' '.join(named))}.")
    if args.tag is not None and args.output is None:
        raise ParameterError("--tag has no effect without --output (-o), which writes the run.")
    qrels, path, measure = named if len(named) == _WITH_QRELS else (None, *named, "")
    policy, reading = parse_policy(args.policy), args.reading
    if qrels is not None:
        of_qrels, topics = args.with_levels(qrels), args.topics
        judged, reading = read_qrels_of_runs(of_qrels, topics, nil=args.nil, reading=reading)
    else:
        for name in args.of(("levels", "topics")):
            raise ParameterError(f"--{name} is for QRELS, and RUN alone is given.")
        reading = as_fitted(policy, reading)
    run = read_run(path, **reading)
    lists, sees = rank_without_qrels(run, nil=args.nil), sees_judgments(policy)
    if sees and qrels is None:
        raise ParameterError(f"{policy} looks at judgments: QRELS RUN MEASURE are needed.")
    if qrels is not None:
        training = rank_rows(judged, [run], keep_scores=True)
        unfitted, policy = policy, policy.fit(training, measure)
        if policy == unfitted and not sees:
            warn(f"{policy} has nothing to fit: QRELS and MEASURE do not change the cuts.")
        if sees:
            lists = training
            kept = pc.is_in(run.topics.cast(pa.string()), value_set=pa.array(lists.topics))
            run = run.filter(kept.to_numpy(False))
    lengths = lengths_of(policy, lists)
    cuts = dict(zip(lists.topics, lengths.tolist()))
    if args.output is not None:
        tag, comments = _head_of(path)
        write_run(args.output, run, cuts, tag if args.tag is None else args.tag, comments)
    if args.cuts is not None:
        write_cuts(args.cuts, cuts)
    if args.output is None and args.cuts is None:
        for topic, k in cuts.items():
            print(topic, k, sep="\t")
    what = f"{counted(len(cuts), 'list')}, {lists.lengths.mean():.1f} documents long on average"
    now = f"now {lengths.mean():.1f}; {(lengths == 0).sum()} empty"
    sign = ""
    if args.output is not None and run.reading.lower_is_better:
        sign = " The written scores are minus the distances: read them without --lower-is-better."
    tell(f"{policy}: {what}, {now}.{sign}")


def _head_of(path: str) -> tuple[str, list[str]]:
    """The tag of a TREC run's first line and the comments above it; of other files, the name."""
    comments: list[str] = []
    for line in beginning(path).decode("utf-8", "replace").splitlines() if os.path.isfile(path) else ():
        fields = line.split()
        if line.startswith("#"):
            comments.append(line)
        elif len(fields) >= len(RUN.fields) and NUMBER[float].fullmatch(fields[4]):
            return fields[5], comments
        elif fields:
            return "_".join(os.path.basename(path).partition(".")[0].split()) or _TAG, []
    return _TAG, []
