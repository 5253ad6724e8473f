"""Patterns and ordinary numbers: every pattern stands once, and a decimal problem comes down to the right integers."""

import random
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from revorder.evaluation.ordinary import DIGITS, draw_decimal, on_integers, ordinary_tasks
from revorder.evaluation.patterns import SIZE, pattern_tasks, with_pattern


def carries(problem):
    """Which places carry, or borrow, as bits, the units' lowest."""
    into, found = 0, 0
    for place in range(SIZE):
        x, y = (n // 10**place % 10 for n in (problem.a, problem.b))
        into = int(x + y + into > 9) if problem.op == "+" else int(x - y - into < 0)
        found |= into << place
    return found


@given(st.sampled_from("+-"), st.integers(0, 2**SIZE - 1), st.integers(0, 10))
def test_a_problem_has_exactly_its_pattern(op, pattern, seed):
    problem = with_pattern(op, pattern, seed)
    assert carries(problem) == pattern and len(str(problem.a)) == len(str(problem.b)) == SIZE
    assert problem == with_pattern(op, pattern, seed)


def test_some_patterns_are_drawn_from_all():
    tasks = pattern_tasks("+-", 0, 50)
    assert [len(problems) for problems in tasks.values()] == [50, 50, 50]
    assert all(problem.a < problem.b for problem in tasks["SUB 16D-16D borrows, a < b"])
    assert all(problem.a >= problem.b for problem in tasks["SUB 16D-16D borrows, a >= b"])


@given(st.integers(0, 10**6), st.sampled_from("+-*/"))
def test_integers_give_the_decimals_result(seed, op):
    rng = random.Random(seed)
    a, b = draw_decimal(rng), draw_decimal(rng)
    x, y = (Fraction(digits) * Fraction(10) ** power for digits, power in (a, b))
    exact = x + y if op == "+" else x - y if op == "-" else x * y if op == "*" else x / y
    problem = on_integers(a, op, b)
    found = Fraction(problem.value) + Fraction(problem.remainder, problem.b if op == "/" else 1)
    ratio = found / exact if exact else Fraction(1)
    power = ratio.numerator if ratio >= 1 else ratio.denominator
    assert min(ratio.numerator, ratio.denominator) == 1 and str(power).strip("0") == "1"
    assert op != "/" or len(str(problem.value)) >= 15
    assert all(1 <= len(str(digits)) <= DIGITS for digits, _ in (a, b))


def test_ordinary_problems_are_different_and_the_same_each_time():
    tasks = ordinary_tasks("+-*/", 3, 20)
    assert tasks == ordinary_tasks("+-*/", 3, 20) and [len(set(problems)) for problems in tasks.values()] == [20] * 4
