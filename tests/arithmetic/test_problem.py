"""Problems: one operation on non-negative integers, exact, and refused where it has no answer."""

import pytest
from hypothesis import given
from strategies import PROBLEMS, answer_of, value_of

from revorder import Problem, ProblemError
from revorder.arithmetic.expression import parse_problem
from revorder.arithmetic.problem import MAX_DIGITS, answer_text, ascii_signs


@given(PROBLEMS)
def test_answers_are_pythons(problem):
    assert (problem.value, problem.remainder) == value_of(problem)
    assert problem.answer == answer_of(problem) == answer_text(*value_of(problem))
    assert problem.digits == max(len(str(problem.a)), len(str(problem.b)))


@given(PROBLEMS)
def test_parse_undoes_str(problem):
    a, op, b = problem.a, problem.op, problem.b
    assert parse_problem(str(problem)) == problem == parse_problem(f" {a:,} {op} {b:,} =")


def test_problems_that_are_none():
    with pytest.raises(ProblemError, match="division by zero"):
        Problem(3, "/", 0)
    with pytest.raises(ProblemError, match="non-negative"):
        Problem(-1, "+", 1)
    with pytest.raises(ProblemError, match="unknown operation"):
        Problem(1, "^", 1)
    with pytest.raises(ProblemError, match="one operation"):
        parse_problem("1+2+3")


@pytest.mark.parametrize("a", [10**MAX_DIGITS, -(10**5000)], ids=["positive", "negative"])
def test_operands_longer_than_the_limit_are_named_not_printed(a):
    for pair in ((a, 1), (1, a)):
        with pytest.raises(ProblemError, match=f"more than {MAX_DIGITS} digits"):
            Problem(pair[0], "+", pair[1])
    assert Problem(10**MAX_DIGITS - 1, "*", 10**MAX_DIGITS - 1).answer.startswith("9")


def test_signs_of_other_scripts_are_ascii_ones():
    full_width = "".join(chr(0xFEE0 + ord(char)) for char in "0123456789+-*/()[]{}=?,")
    assert ascii_signs(full_width) == "0123456789+-*/()[]{}=?,"
    assert ascii_signs("×∗·÷∕−–") == "***//--"
    assert ascii_signs("12+x é٣²") == "12+x é٣²"  # what is no sign of ours stays
