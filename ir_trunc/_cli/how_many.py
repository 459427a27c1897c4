"""`ir_trunc how-many`: how many documents to return, from which score on, and when none."""

from __future__ import annotations

from ir_trunc._cli._arguments import QRELS, Words, cli_command
from ir_trunc._how_many import how_many

__all__ = ["main"]

_DECLARED = f"""
labels LABELS  which documents are relevant: {QRELS}
run RUN  what was retrieved, with scores, in lists that can be cut
measure MEASURE?  what the lengths maximise (default: RBPT(p=0.8))
-o --output FILE  write the advised policy there, stop.json for example
--keep X  share of the answerable questions that have to keep a relevant document
--present K|POLICY  the setting in use: a length or a policy (default: all that was retrieved is returned)
--unanswerable X  share of unanswerable questions in production, where that of the labels differs
--price X  what a document costs, for the table
--cost COLUMN  the column of the run with the cost of each document, its tokens for example (default: cost)
--budget X  the highest cost of the documents of a question: every policy is tried under it
= judge scoring
"""


@cli_command("how-many", _DECLARED)
def main(args: Words) -> None:
    """How many documents should be returned for a question, from which score on, and when none? Fixed lengths
    and policies are fitted on some of the questions and scored on the others; the advice is the best of them,
    or a simpler one that is as good.

    example ('ir_trunc demo --copy .' writes the files):
      $ ir_trunc how-many demo.qrels never-stops.run RBPT -o stop.json
      7 questions, 1 of them without an answer; 5-fold cross-validation.
      Advice: keep the present setting, as retrieved.
      kept: 83% of the answerable questions still get a relevant passage on these
        questions; at least 42% of new ones do.
      unanswered: 0% of the unanswerable questions are left unanswered.
      passages: 19.9 per question.
      RBPT: expect 0.463 (0.182 to 0.749) on new questions; it is 0.463 on these.
      ...
    """
    options = args.of(["measure"]) | args.keywords(how_many) | args.scoring
    advice = how_many(args.with_judge(args.labels), args.run, **options)
    if args.output is not None:
        advice.policy.save(args.output)
    print(advice)
