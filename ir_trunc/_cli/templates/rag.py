"""How many passages should the pipeline hand on, and when none?"""

import ir_trunc
from ir_trunc import truncation

LABELS, RETRIEVED = "data/labels.json", "data/retrieved.json"
PRESENT = 5  # the number of passages that the pipeline hands on today

# %% Cross-validation on the labelled questions tries several policies.
advice = ir_trunc.how_many(LABELS, RETRIEVED, measure="RBPT", present=PRESENT)
print(advice)

# %% A release: the policy, and the lists that it keeps today, with which the gate compares later ones.
advice.policy.save("released-policy.json")
truncation.truncate(RETRIEVED, advice.policy).write("released.run")

# %% The pipeline loads the policy, which decides how many of the retrieved passages to keep.
policy = ir_trunc.load_policy("released-policy.json")
for scores in ([0.83, 0.71, 0.44], [0.52, 0.49, 0.48]):
    print(f"passages with the scores {scores}: keep {policy(scores)}")
