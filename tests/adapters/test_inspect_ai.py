"""Inspect AI finds the metrics, and gives them what a task has scored."""

import pytest
from messages import refused

pytest.importorskip("inspect_ai")

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, SampleScore, Score, scorer
from inspect_ai.scorer._metric import metric_create  # what the registry of metrics gives to tasks
from inspect_ai.solver import solver

import ir_trunc
from ir_trunc import InputError, IrTruncWarning, ParameterError
from ir_trunc.adapters.inspect_ai import abstention, answer_utility, area_under_risk_coverage, c_at_1

pytestmark = pytest.mark.full
# Inspect gives names of packages to what is installed.
PACKAGE = "ir_trunc/" if "site-packages" in ir_trunc.__file__ else ""


def scores_of(values, **options):
    return [SampleScore(score=Score(value=value, **options), sample_id=at) for at, value in enumerate(values)]


@pytest.mark.parametrize(("values", "c", "uf", "counts"), [
    ("CCII", 0.5, -0.5, (2, 2, 0)),
    ("CCIN", 2 / 4 + 1 / 4 * 2 / 4, 0.0, (2, 1, 1)),
    ("NNNN", 0.0, 0.0, (0, 0, 4)),
    ("CPIN", 1 / 4 + 1 / 4 * 1 / 4, -0.75, (1, 2, 1)),
    ([True, 1, 0.0, "N"], 2 / 4 + 1 / 4 * 2 / 4, 0.0, (2, 1, 1)),
])  # fmt: skip
def test_metrics_are_the_formulas(values, c, uf, counts):
    scores = scores_of(values)
    assert c_at_1()(scores) == pytest.approx(c)
    assert answer_utility(price=2)(scores) == pytest.approx(uf)
    assert tuple(abstention()(scores).values()) == counts


def test_partial_answers_refusals_and_samples_without_a_score():
    assert abstention(correct_from=0.5)(scores_of("CPIN")) == {"correct": 2, "wrong": 1, "unanswered": 1}
    assert abstention()(scores_of("II", reason="refusal"))["unanswered"] == 2
    with pytest.warns(IrTruncWarning, match="ignored 1 sample without a score"):
        assert c_at_1()([*scores_of("CI"), *scores_of([float("nan")])]) == 0.5
    assert c_at_1()([]) == 0.0


def test_confidence_orders_the_answers():
    answers = [("C", 0.2), ("I", 0.9), ("C", 0.5), ("N", 0.99)]
    values = [Score(value=value, metadata={"sure": sure}) for value, sure in answers]
    scores = [SampleScore(score=value, sample_id="s") for value in values]
    assert area_under_risk_coverage("sure")(scores) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    refused(InputError, r"sample s: metadata\['confidence'\] is None", area_under_risk_coverage(), scores)
    for wrong in ({"price": -1}, {"correct_from": 2}):
        with pytest.raises(ParameterError):
            answer_utility(**wrong)


@pytest.mark.filterwarnings("ignore")  # of what Inspect is built on
def test_a_task_reports_them(tmp_path):
    names = (metric_create(f"{PACKAGE}c_at_1"), metric_create(f"{PACKAGE}answer_utility", price=2))

    @scorer(metrics=[*names, abstention()])
    def exact():
        async def score(state, target):
            answer = state.input_text
            value = NOANSWER if answer == "?" else CORRECT if answer == target.text else INCORRECT
            return Score(value=value, answer=answer)

        return score

    @solver
    def nothing():  # the answers are the inputs: a model would ask for the network
        async def solve(state, generate):
            return state

        return solve

    samples = [Sample(input=answer, target="a") for answer in ("a", "a", "b", "?")]
    task = Task(dataset=samples, solver=nothing(), scorer=exact())
    log = eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success", log.error
    metrics = {name: metric for score in log.results.scores for name, metric in score.metrics.items()}
    values = {name.rpartition("/")[2]: metric.value for name, metric in metrics.items()}
    assert values["c_at_1"] == pytest.approx(2 / 4 + 1 / 4 * 2 / 4)
    assert values["answer_utility"] == 0.0
    assert [values[name] for name in ("correct", "wrong", "unanswered")] == [2, 1, 1]
