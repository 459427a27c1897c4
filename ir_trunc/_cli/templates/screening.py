"""Where should the reviewer stop reading?"""

import ir_trunc
from ir_trunc import truncation

QRELS, RANKED = "data/qrels.txt", "data/ranked.run"
POLICIES = ["Fixed(k=50)", "Greedy", "ScoreThreshold", "Knee", "Oracle"]
MEASURES = ["OneMinusLossER", "SetR", "WSS"]

# %% Policies are fitted on some reviews and evaluated on the others.
table = truncation.cross_validate(POLICIES, MEASURES[0], QRELS, RANKED, further_measures=MEASURES[1:])
print(table.set_index("policy")[["score", "low", "high", "length", *MEASURES[1:]]].round(3))

# %% The policy is fitted on all reviews and saved.
policy = truncation.ScoreThreshold().fit(ir_trunc.rank(QRELS, RANKED), MEASURES[0])
policy.save("policy.json")
print(policy)
