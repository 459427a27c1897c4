"""Where should the reviewer stop reading?"""

import ir_trunc
from ir_trunc import truncation

QRELS, RANKED = "data/qrels.txt", "data/ranked.run"
POLICIES = ["Fixed(k=50)", "Greedy", "ScoreThreshold", "Knee"]
MEASURES = ["OneMinusLossER", "SetR", "WSS"]

# %% Policies are fitted on some reviews and evaluated on the others; the oracle is the upper bound.
tried = [*POLICIES, "Oracle"]
table = truncation.cross_validate(tried, MEASURES[0], QRELS, RANKED, further_measures=MEASURES[1:])
print(table.set_index("policy")[["score", "low", "high", "length", *MEASURES[1:]]].round(3))

# %% A release: the best policy, fitted on all reviews, and where it ends the lists of today.
best = POLICIES[table["score"].to_numpy()[: len(POLICIES)].argmax()]
policy = truncation.parse_policy(best).fit(ir_trunc.rank(QRELS, RANKED), MEASURES[0])
policy.save("released-policy.json")
truncation.truncate(RANKED, policy).write("released.run")
print(policy)
