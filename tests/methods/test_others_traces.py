"""The authors' and GOAT's released traces, byte for byte, written and judged."""

import json
import re

import pytest

from revorder import Problem, ProblemError, trace, verify


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def rollback_of(text):
    """{step: wrong digits} of a trace in the authors' dialect."""
    plan, step = {}, 0
    for digit, wrong in re.findall(r"([0-9])R\([^)]*\)(W?)", text):
        if wrong:
            plan.setdefault(step, []).append(int(digit))
        else:
            step += 1
    return plan


def test_authors(shared):
    traces = rows(shared / "traces" / "authors.jsonl")
    assert len(traces) == 1125
    rolled = 0
    for row in traces:
        problem = Problem(row["a"], row["op"], row["b"])
        plan = rollback_of(row["trace"]) if row["op"] == "/" else {}
        rolled += bool(plan)
        assert trace(problem, "authors", rollback=plan).text == row["trace"]
        verdict = verify(row["trace"], "authors", problem=problem)
        assert verdict.ok and verdict.answer == problem.answer and verdict.rollbacks == len(plan)
    assert rolled == 125


def test_goat(shared):
    traces = rows(shared / "traces" / "goat.jsonl")
    assert len(traces) == 800
    for row in traces:
        if row["answer"] == "undefined":
            with pytest.raises(ProblemError, match="division by zero"):
                trace(row["input"], "goat")
            continue
        assert trace(row["input"], "goat").text == row["output"]
        verdict = verify(row["output"], "goat", problem=row["input"])
        assert verdict.ok and verdict.answer == row["answer"].replace(" ", "")
