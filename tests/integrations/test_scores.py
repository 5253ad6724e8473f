"""Rewards as the libraries call them: verl's loader of reward functions, and a task of verifiers."""

import asyncio
import importlib.util
import inspect
import json

import pytest

from revorder.integrations import scores


def test_they_are_numbers_whatever_they_are_given():
    for text in ("48+24 = 72", "nothing", "", "{}"):
        for truth in ("72", 72, None, "", [1]):
            assert scores.compute_score("gsm8k", text, truth, {}) in (0.0, 1.0)
    for content in (5, [None], {"a": 1}, None):
        assert scores.equations_right(content) == 0.0


def test_verl_loads_and_calls_it():
    pytest.importorskip("verl")
    from omegaconf import OmegaConf
    from verl.trainer.ppo.reward import get_custom_reward_fn

    path = inspect.getfile(scores)
    config = OmegaConf.create({"reward": {"custom_reward_function": {"path": path, "name": "compute_score"}}})
    function = get_custom_reward_fn(config)
    assert function("gsm8k", "48+24 = 72. The answer is 72.", "72", extra_info={}) == 1.0


def test_verifiers_scores_a_trace_by_it():
    if not importlib.util.find_spec("verifiers"):
        pytest.skip("needs verifiers")
    import verifiers.v1 as vf

    class CheckedTask(vf.Task):
        @vf.reward(weight=0.5)
        async def right_equations(self, trace: vf.Trace) -> float:
            return scores.equations_right(trace.last_reply)

    task = CheckedTask(vf.TaskData(prompt="What is 48 + 24?"))
    trace = vf.Trace.model_construct(root_reply="48+24 = 72, 2*3 = 7", rewards={}, metrics={}, nodes=[], errors=[])
    asyncio.run(task.score(trace, None))
    assert json.loads(json.dumps({name: reward.value for name, reward in trace.rewards.items()})) == {
        "right_equations": 0.25
    }
