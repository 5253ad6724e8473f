"""The traces of the methods that RevOrder is compared with are true: their numbers are read and computed here."""

import operator
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import backwards, compute
from strategies import (
    NUMBERS,
    POSITIVE,
    PROBLEMS,
    value_of,
)

from revorder import Problem, ProblemError, trace, verify


@given(NUMBERS, NUMBERS)
def test_goats_products_are_true(a, b):
    fields = trace(Problem(a, "*", b), "goat").text.split(" = ")
    assert fields[0] == f"{a} * {b}" and {compute(field) for field in fields} == {a * b}


@pytest.mark.parametrize(
    ("method", "problem"),
    [
        ("goat", Problem(10**800 - 1, "*", 10**800 - 1)),
        ("scratchpad", Problem(10**800 - 1, "*", 10**800 - 1)),
        ("scratchpad", Problem(10**800 - 1, "/", 10**400 - 1)),
    ],
)
def test_a_problem_whose_text_would_fill_the_memory_is_refused(method, problem):
    with pytest.raises(ProblemError, match="too long; give fewer digits"):
        trace(problem, method)


def test_an_expression_whose_text_would_fill_the_memory_is_refused():
    with pytest.raises(ProblemError, match="too long; give fewer operations or digits"):
        trace("+".join(["9" * 25] * 5000), "mathglm")


@given(NUMBERS, POSITIVE)
def test_goats_divisions_are_true(a, b):
    *lines, last = trace(Problem(a, "/", b), "goat").text.split("\n")
    answer = Problem(a, "/", b).answer.replace("R", " R ")
    assert last == (f"Therefore, {a} / {b} = {answer}" if lines else f"{a} / {b} = {answer}")
    left = a
    for line in lines:
        fields = line.split(" = ")
        assert re.fullmatch(rf"{left} - {b} \* [1-9]0*", fields[0]) and len(fields) == 3
        assert len({compute(field) for field in fields}) == 1
        assert 0 <= int(fields[-1]) < left
        left = int(fields[-1])
    assert not lines or left == a % b


@settings(max_examples=250)
@given(NUMBERS, st.sampled_from("+-*"), NUMBERS)
def test_every_line_of_a_scratchpad_has_the_value_of_its_block(a, op, b):
    question, opened, *lines, closed, answer = trace(Problem(a, op, b), "scratchpad").text.split("\n")
    assert (opened, closed) == ("<scratch>", "</scratch>")
    assert question.replace(" ", "") == f"{a}{op}{b}"
    expected = str({"+": a + b, "-": a - b, "*": a * b}[op])
    assert answer.replace(" ", "") == expected
    value, op_now, totals = None, "", []
    for line in lines:
        joined = line.replace(" ", "")
        head, comma, tail = joined.partition(",")
        if not comma:  # the carry and the digits done: the block's result
            assert int(joined) == value
            totals.append(value)
            value = None
            continue
        done, carry = tail.split("C:")
        if value is None:
            body = head.removeprefix("-")
            op_now = next(char for char in "+-*" if char in body)
            left, right = body.split(op_now)
            value = {"+": operator.add, "-": operator.sub, "*": operator.mul}[op_now](int(left), int(right))
            assert (done, carry) == ("", "0")
            continue
        left, _, right = head.partition(op_now)
        left, right = int(left or 0), int(right or 0)
        rest = left + right + int(carry) if op_now == "+" else left - right - int(carry) if op_now == "-" else None
        if rest is None:
            rest = left * right + int(carry)
        assert rest * 10 ** len(done) + int(done) == value, line
    one_digit = op == "*" and len(str(b).strip("0")) == 1  # then the zeros behind it are put on the answer alone
    zeros = len(str(b)) - 1 if one_digit else 0
    assert value is None and totals[-1] * 10**zeros == abs(int(expected))


@given(NUMBERS, POSITIVE)
def test_scratchpad_divisions_are_true(a, b):
    text = trace(Problem(a, "/", b), "scratchpad").text
    steps = re.findall(r"^([0-9 ]+) / ([0-9 ]+) , ([0-9])$", text.replace("<scratch>", ""), re.M)
    assert len(steps) == len(str(a // b))
    digits = str(a)
    left = int(digits[: len(digits) - len(steps) + 1])
    for i, (shown, divisor, digit) in enumerate(steps):
        assert int(shown.replace(" ", "")) == left and int(divisor.replace(" ", "")) == b and int(digit) == left // b
        if i + 1 < len(steps):
            left = left % b * 10 + int(digits[len(digits) - len(steps) + 1 + i])
    assert text.rpartition("\n")[2].replace(" ", "") == Problem(a, "/", b).answer


@given(PROBLEMS)
def test_reverse_writes_the_answer_turned_round(problem):
    field = trace(problem, "reverse").text.partition("=")[2]
    value, _, remainder = field.partition("R")
    assert (backwards(value), backwards(remainder or "0")) == value_of(problem)


@given(st.recursive(st.integers(0, 999).map(str), lambda e: st.builds("({}{}{})".format, e, st.sampled_from("+-*"), e)))
def test_every_rewriting_of_mathglm_has_the_value(text):
    made = trace(text, "mathglm")
    fields = made.text.split("=")
    assert {compute(field) for field in fields} == {compute(text)}
    assert len(fields) == max(2, 1 + len(re.findall(r"[-+*]", text)))
    assert verify(made.text, "mathglm", problem=text).ok


@given(PROBLEMS)
def test_mathglm_writes_one_operation_as_plain_does(problem):
    assert trace(problem, "mathglm").text == trace(problem, "plain").text
