"""`ir_trunc wrap`: a run with the ends of its lists, or with efforts, for people and other tools."""

from __future__ import annotations

from typing import Any

from ir_trunc._cli._arguments import QRELS, Words, cli_command
from ir_trunc._core.errors import ParameterError
from ir_trunc._output.tables import table_lines
from ir_trunc._ranking.wrapping import with_effort, with_terminal

__all__ = ["main"]

_DECLARED = f"""
qrels QRELS  {QRELS}
run RUN  TREC run file
--terminal least|full|unit?  add the end of each list as a document; a perfect end is worth the smallest gain
    of the topic (least, the default), 1, or grade 1
--effort X?  add the effort of each document (default: the run's costs, else 0.05), and its utility
--rel COUNT  with --terminal: lowest grade that counts as relevant, with gain 1 (default: gains are graded)
--gain NAME  linear (the default), exp, with --terminal raw, with --effort signed
--max-rel COUNT  top of the judgement scale (default: the highest grade in the qrels)
-o --output FILE  write the run there: a table where the name ends in .csv, else a TREC run, without gains
--qrels-output FILE  write the qrels that match: a table where the name ends in .csv, else TREC qrels
= format places depth levels reading
"""


@cli_command("wrap", _DECLARED)
def main(args: Words) -> None:
    """What is scored where a list ends? Print a run with its ends, or with the effort of each document, and
    all gains. Other tools score what -o and --qrels-output write.

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc wrap demo.qrels stops-in-time.run --terminal
      query_id  doc_id  score  rank  gain
      gap  gap-r1  0.8710  1  1.0000
      gap  gap-x1  0.7040  2  0.0000
      gap  gap-r2  0.6880  3  1.0000
      gap  __end__  0.6880  4  0.6667
      ...
    """
    if (args.terminal is None) == (args.effort is None):
        raise ParameterError("--terminal or --effort is needed, and not both.")
    if args.rel is not None and args.effort is not None:
        raise ParameterError("--rel is for --terminal: with --effort gains are graded.")
    wrap: Any = with_terminal if args.effort is None else with_effort
    name, value = ("terminal", args.terminal) if args.effort is None else ("e", args.effort)
    options = args.of({"rel", "gain", "max_rel", "depth", "nil"}) | ({} if value is True else {name: value})
    wrapped = wrap(args.qrels, args.run, **options, **args.reading)
    if args.output is not None or args.qrels_output is not None:
        wrapped.write(args.output, args.qrels_output)
    else:
        print(table_lines(wrapped.run.to_pandas(), *args.form_and_places()), end="")
