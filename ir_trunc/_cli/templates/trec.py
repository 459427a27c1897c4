"""Is the new system better than the old one, and do its lists end in time?"""

import ir_trunc

QRELS, OLD, NEW = "data/qrels.txt", "data/old.run", "data/new.run"
MEASURES = "RBPT nDCG@10 SetF c@1"

# %% The means of both systems, with a paired test. A topic that a run lacks has an empty list.
print(ir_trunc.compare(MEASURES, QRELS, [OLD, NEW], baseline="old.run", missing="empty"))

# %% How often the new system returns nothing, and how often there was nothing to find.
results = ir_trunc.calc(MEASURES, QRELS, NEW, missing="empty")
print(results.abstention)

# %% The topics with the lowest scores.
print(results.to_pandas().sort_values("RBPT").head(5).round(3))
