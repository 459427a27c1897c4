"""Which questions should the system leave unanswered?"""

import ir_trunc
from ir_trunc import truncation

LABELS, OLD, NEW = "data/labels.json", "data/old.json", "data/new.json"
MEASURES = "c@1 EM UF(price=1)"

# %% The old system always answers. The new system leaves questions unanswered.
for run in (OLD, NEW):
    results = ir_trunc.calc(MEASURES, LABELS, run)
    print(run, results.aggregated, results.abstention, sep="\n", end="\n\n")

# %% A threshold on the confidence of the old system, evaluated on other questions than it was fitted on.
table = truncation.cross_validate(["Fixed(k=1)", "ScoreThreshold"], "c@1", LABELS, {"old": OLD})
print(table.set_index("policy")[["score", "low", "high", "empty"]].round(3))

# %% The threshold that is best on all questions.
policy = truncation.ScoreThreshold().fit(ir_trunc.rank(LABELS, OLD), "c@1")
policy.save("policy.json")
print(policy)
