"""The task class of the YAML files in this folder: a task of the harness with our problems, prompts and judge.

The harness's own options apply: `--num_fewshot N` shows N worked examples, `--apply_chat_template` asks by turns of a
chat, and `--metadata '{"method": "lean"}'` (and `"form"`) asks for the method's work.
"""

from __future__ import annotations

import logging
import re
from itertools import chain, zip_longest
from typing import Any

from revorder.arithmetic.expression import parse_problem
from revorder.errors import needs
from revorder.evaluation.runner import judge_text
from revorder.evaluation.suites import Draw, find_suite, suite_tasks
from revorder.inference.prompts import Prompts
from revorder.methods import find_method, trace

with needs("these tasks", "lm-eval"):
    from datasets import Dataset
    from lm_eval.api.task import ConfigurableTask

REPLY_TOKENS = 256  # a reply may always have as many


class ArithmeticTask(ConfigurableTask):
    """The problems of one operation in a suite; `dataset_kwargs` names them as `op` and `suite`."""

    def __init__(self, config: dict[str, Any]) -> None:
        settings = config.get("metadata") or {}
        method, form = find_method(settings.get("method", "plain"), settings.get("form"))
        self.prompts = Prompts(method.name, form)
        super().__init__(config={key: value for key, value in config.items() if key != "class"})
        sizes = {tuple(map(len, re.split(r"[-+*/]", text))): text for text in self.dataset["test"]["problem"]}
        longest = max(len(trace(text, method.name, form).text) for text in sizes.values())
        generation = {"until": [self.prompts.stop], "max_gen_toks": max(REPLY_TOKENS, 2 * longest)}
        self.set_config(key="generation_kwargs", value=generation, update=True)

    def download(self, dataset_kwargs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Make the suite's problems; nothing is downloaded."""
        rows = problem_rows(**(dataset_kwargs or {}))
        about = {"method": self.prompts.method, "form": self.prompts.form}
        self.dataset = {"test": Dataset.from_list([row | about for row in rows])}

    def fewshot_context(
        self,
        doc: dict[str, Any],
        num_fewshot: int,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        fewshot_as_multiturn: bool = False,
        chat_template: Any = None,
        gen_prefix: str | None = None,
    ) -> str:
        """Return the prompt of a problem: the turns of a chat, or the text that a completion continues."""
        problem = parse_problem(doc["problem"])
        prompts = Prompts(self.prompts.method, self.prompts.form, num_fewshot)
        if not apply_chat_template:
            return f"{system_instruction}\n\n" * bool(system_instruction) + prompts.completion(problem)
        system = [{"role": "system", "content": system_instruction}] if system_instruction else []
        return chat_template(system + prompts.chat(problem))

    def construct_requests(self, doc: dict[str, Any], ctx: str, **kwargs: Any) -> Any:
        """Return the request for one problem; a chat ends by itself, and may begin with empty lines."""
        chats = kwargs.get("apply_chat_template")
        request = super().construct_requests(doc, ctx, **kwargs)
        if chats:
            request.arguments[1]["until"] = []
        return request


def problem_rows(suite: str, op: str) -> list[dict[str, str]]:
    """Return the problems of one operation in a suite, column by column in turn, so that `--limit` applies to each.

    >>> [row["column"] for row in problem_rows("one-digit", "*")[:3]]
    ['MUL 1D*1D', 'MUL 2D*1D', 'MUL 3D*1D']
    """
    found = find_suite(suite)
    tasks = suite_tasks(suite, Draw(op, found.n, found.seed, say=logging.getLogger(__name__).warning))
    columns = [
        [{"column": column, "problem": str(problem), "answer": problem.answer} for problem in problems]
        for column, problems in tasks.items()
    ]
    return [row for row in chain.from_iterable(zip_longest(*columns)) if row]


def score(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Return `exact_match`, whether the stated answer is exact, and `verified`, whether every step is right.

    >>> score({"problem": "12+35", "method": "plain", "form": "plain"}, ["The sum is **47**."])
    {'exact_match': 1.0, 'verified': 1.0}
    >>> score({"problem": "12+35", "method": "revorder", "form": "compact"}, ["r|75=47"])
    {'exact_match': 1.0, 'verified': 0.0}
    """
    problem, method = parse_problem(doc["problem"]), doc["method"]
    text = Prompts(method, doc["form"]).as_trace(problem, results[0])
    result = judge_text("", problem, text, method, doc["form"])
    return {"exact_match": float(result.correct), "verified": float(result.verified)}
