"""Do live lists still look like the lists that the policy was fitted on?"""

import ir_trunc
from ir_trunc import truncation

LABELS, LABELLED, LIVE = "data/labels.json", "data/labelled.json", "data/live.json"

# %% The policy is fitted on labelled questions. It keeps what their lists looked like.
policy = truncation.ScoreThreshold().fit(ir_trunc.rank(LABELS, LABELLED), "RBPT")
policy.save("policy.json")

# %% Live lists need no labels.
print(policy.monitor(LIVE))
