"""Rewards as plain functions of one text, in the shapes that verl, NeMo-RL and verifiers call; none of them is
imported."""

from __future__ import annotations

from typing import Any

from revorder.integrations.trl import answer_reward, equation_score, equation_veto, text_of


def compute_score(data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **_: Any) -> float:
    """Return a reward as verl's `custom_reward_function` asks for it: always a number.

    1.0 if the answer stated last is the right one and no equation is wrong, else 0.0; without a right answer, the share
    of the equations that are right, 0.0 if there are none.

    >>> [compute_score("gsm8k", f"48+24 = {n}. The answer is 72.", "72") for n in (72, 62)]
    [1.0, 0.0]
    """
    if ground_truth is None:
        return equation_score(solution_str) or 0.0
    [right] = answer_reward([""], [solution_str], answer=[ground_truth], method="plain")
    [veto] = equation_veto([""], [solution_str])
    return float(right or 0.0) if veto is None else 0.0


def batch_scores(responses: list[str], answers: list[Any]) -> list[float]:
    """Return a reward for each response, as an environment of NeMo-RL computes them for a batch.

    >>> batch_scores(["It is 72.", "It is 27."], ["72", "72"])
    [1.0, 0.0]
    """
    return [compute_score("", response, answer) for response, answer in zip(responses, answers, strict=True)]


def equations_right(completion: Any, **_: Any) -> float:
    """Return the share of right equations in a completion, as a function of a `verifiers` rubric: 0.0 if it states
    none.

    >>> equations_right([{"role": "assistant", "content": "2*3 = 6"}])
    1.0
    """
    return equation_score(text_of(completion)) or 0.0
