"""The hard suite: always the same 20,000 problems, within Table 1's sizes, and as hard as their names say."""

import hashlib

import pytest

from revorder import trace, verify
from revorder.evaluation.hard_suite import FAMILIES, hard_tasks
from revorder.evaluation.suites import SEED, Draw, suite_tasks
from revorder.model.checkpoint import CheckpointInfo

TASKS = hard_tasks("+-*/", SEED)
TABLE_1 = (("+", 16, 16), ("-", 16, 16), ("*", 16, 1), ("*", 8, 4), ("*", 6, 6), ("/", 16, 1), ("/", 12, 6))


def carries(a: int, b: int) -> int:
    """How many places of a + b hand on a carry."""
    return sum((a % 10**k + b % 10**k) >= 10**k for k in range(1, 20))


def test_the_same_problems_each_time_within_the_sizes_of_table_1():
    problems = [problem for task in TASKS.values() for problem in task]
    assert len(problems) == 20_000 == sum(count for _, _, count, _ in FAMILIES)
    assert all(len(set(task)) == len(task) for task in TASKS.values())
    info = CheckpointInfo("lean", "lean", TABLE_1)
    assert [problem for problem in problems if not info.covers(problem)] == []
    text = "\n".join(f"{name}: {problem}" for name, task in TASKS.items() for problem in task)
    assert (
        hashlib.sha256(text.encode()).hexdigest() == "9227b6d68be6f9acec384a4cff567adce887587e2278c0938b18d00a6e3d02d5"
    )
    others = [problem for task in suite_tasks("hard", Draw("+-*/", None, 7)).values() for problem in task]
    assert len(others) == 20_000 and len(set(others) & set(problems)) < 1000
    assert suite_tasks("hard", Draw("/", None, 2024)) == {
        name: task for name, task in TASKS.items() if name.startswith("/")
    }


def test_carries_run_over_the_whole_length():
    long = [p for p in TASKS["+ carries over the whole length"] if carries(p.a, p.b) >= len(str(max(p.a, p.b)))]
    assert len(long) > 500 and any(len(str(p.a)) == 16 for p in long)
    long = [p for p in TASKS["- borrows over the whole length"] if carries(p.a - p.b, p.b) == len(str(p.a)) - 1]
    assert len(long) > 500 and any(len(str(p.a)) == 16 for p in long)


def test_what_the_names_promise():
    assert all(p.a < p.b for p in TASKS["- a < b"])
    assert all(p.a == p.b for op in "+-" for p in TASKS[f"{op} a = b"])
    for p in TASKS["- one digit differs"]:
        assert sum(x != y for x, y in zip(str(p.a), str(p.b), strict=True)) == 1
    for op, pairs in (("+", 256), ("-", 256), ("*", 68), ("/", 76)):
        assert len({(len(str(p.a)), len(str(p.b))) for p in TASKS[f"{op} every pair of lengths"]}) == pairs
    for op in "+-*":
        assert sum("0" in f"{p.a}{p.b}" for p in TASKS[f"{op} zeros"]) > 0.8 * len(TASKS[f"{op} zeros"])
    for name, remainder in (("0", lambda b: 0), ("1", lambda b: min(1, b - 1)), ("b-1", lambda b: b - 1)):
        assert all(p.remainder == remainder(p.b) for p in TASKS[f"/ remainder {name}"])
    assert {p.b for p in TASKS["/ divisor 1999..9"]} == {19, 199, 1999, 19999, 199999}
    assert {p.b for p in TASKS["/ divisor 9..9"]} == {10**n - 1 for n in range(1, 7)}
    assert {p.b for p in TASKS["/ divisor 10^k"]} == {10**n for n in range(6)} and {
        p.b for p in TASKS["/ divisor 1"]
    } == {1}
    assert sum(p.a < p.b for p in TASKS["/ dividend up to the divisor"]) > 300


@pytest.mark.parametrize("digit", "09")
def test_quotients_have_the_digit_in_every_place(digit):
    quotients = [str(p.value) for name, task in TASKS.items() if name.startswith("/") for p in task]
    places = {(len(q), place) for q in quotients for place, found in enumerate(reversed(q)) if found == digit}
    first = 1 if digit == "9" else 0
    assert places >= {(size, place) for size in range(2, 13) for place in range(size - 1 + first)}


def test_every_trace_of_it_is_judged_right():
    for task in TASKS.values():
        for problem in task[::40]:
            assert verify(trace(problem, "lean").text, "lean", problem=problem).ok
