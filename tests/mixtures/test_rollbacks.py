"""Rollbacks: the quotient digits that are written wrong and taken back, as an estimate errs or at random."""

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import POSITIVE, ROLLING, quotient_digits

from revorder import METHODS, Problem, trace, verify
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.rollbacks import estimated_digits, plan_rollbacks, random_digit
from revorder.mixtures.sampling import sampler

DIVISIONS = {"op": "/", "a": [1, 12], "b": [1, 6], "remainder": 0.7, "hard": 0.2}


def estimating(method, form, leading):
    return Mixture.read({"method": method, "form": form, "estimate_digits": leading, "parts": [DIVISIONS]})


def by_long_division(problem, leading, digits):
    """{step: estimated digit} where that is wrong: what stands above the divisor's leading digits, by them and rounded
    up within a tenth (of a block: a unit of as many decimals as it has digits), up to 9 (to nines).

    `digits`: those of each step.
    """
    dividend, divisor = str(problem.a), str(problem.b)
    below = max(0, len(divisor) - leading)  # the divisor's digits that the estimate does not see
    read = len(dividend) - sum(map(len, digits.values()))
    wrong, left = {}, int(dividend[:read] or 0)
    for step, correct in digits.items():
        read += len(correct)
        left = int(f"{left}{dividend[:read][-len(correct) :]}")
        seen = str(left)[: max(0, len(str(left)) - below)] or "0"
        size = 10 ** len(correct)
        estimate = math.floor(Fraction(int(seen), int(divisor[: len(divisor) - below])) + Fraction(1, size))
        assert left // problem.b == int(correct)
        if min(estimate, size - 1) != int(correct):
            wrong[step] = min(estimate, size - 1)
        left %= problem.b
    return wrong


@given(POSITIVE, POSITIVE, st.integers(1, 5), st.sampled_from(ROLLING))
@example(902, 129, 2, ("lean", "lean"))
@example(120, 129, 1, ("lean", "lean"))
@example(1000, 19, 1, ("lean", "lean"))
@example(119, 12, 1, ("lean", "lean"))
@example(10**40 - 1, 10**20 - 1, 2, ("revorder", "compact"))
@example(10**6 - 1, 1009, 4, ("blocks", "3"))
def test_an_estimate_errs_upwards_only_and_by_little(a, b, leading, how):
    (method, form), problem = how, Problem(a, "/", b)
    correct = quotient_digits(method, form, problem)
    plan = estimated_digits(a, b, leading, METHODS[method].quotient_steps(a, b, form))
    assert plan == by_long_division(problem, leading, correct)
    for step, digit in plan.items():
        assert int(correct[step]) < digit < 10 ** len(correct[step])
        assert leading <= len(correct[step]) or digit == int(correct[step]) + 1
    assert plan == {} or len(str(b)) > 1
    made = trace(problem, method, form, plan)
    verdict = verify(made.text, method, form, problem)
    assert verdict.ok and verdict.rollbacks == len(plan), verdict


def estimate_of(left, b, leading):
    """The estimate of a quotient of one digit."""
    return estimated_digits(left, b, leading, {0: str(left // b)}).get(0, left // b)


@given(POSITIVE, POSITIVE, st.integers(2, 4), st.data())
def test_an_estimate_is_a_function_of_the_digits_it_sees(a, b, leading, data):
    left = a % (10 * b)  # of one quotient digit
    estimate = estimate_of(left, b, leading)
    below = 10 ** max(0, len(str(b)) - leading)
    other_b = b - b % below + data.draw(st.integers(0, below - 1))
    other = left - left % below + data.draw(st.integers(0, below - 1))
    if other // other_b < 10:
        assert estimate_of(other, other_b, leading) == estimate
    assert len(str(left // below)) + len(str(b // below)) <= 2 * leading + 1


@pytest.mark.parametrize("leading", [1, 2, 3])
@pytest.mark.parametrize(("method", "form"), ROLLING)
def test_examples_take_back_what_the_estimate_gets_wrong_and_no_other(method, form, leading):
    mixture = estimating(method, form, leading)
    seen = Counter()
    for made in sampler(mixture).examples(5, 0, 600):
        expected = by_long_division(made.problem, leading, quotient_digits(method, form, made.problem))
        assert made.rollback == plan_rollbacks(mixture, made.problem.a, made.problem.b) == expected, made
        assert made.text == trace(made.problem, method, form, made.rollback).text
        verdict = verify(made.text, method, form, made.problem)
        assert verdict.ok and verdict.rollbacks == made.text.count("W") == len(expected), (made, verdict)
        seen.update(expected)
    assert seen[0] and seen[1] and bool(seen[-1]) == bool(METHODS[method].unreached_mark)


def test_an_estimate_takes_no_chance_and_more_digits_err_less():
    taken = []
    for leading in (1, 2, 3):
        examples = list(sampler(estimating("lean", "lean", leading)).examples(3, 0, 1000))
        assert all(
            plan_rollbacks(estimating("lean", "lean", leading), e.problem.a, e.problem.b, 0) == e.rollback
            for e in examples
        )
        taken.append(sum(len(example.rollback) for example in examples))
    assert taken[0] > 2 * taken[1] > 2 * taken[2] > 0


def test_the_share_of_random_rollbacks():
    mixture = Mixture.read({"rollback": 0.5, "parts": [{"op": "/", "a": [4, 9], "b": [1, 3], "remainder": 0.5}]})
    made = list(sampler(mixture).examples(0, 0, 2000))
    assert 0.45 < sum(bool(m.rollback) for m in made) / 2000 < 0.55


def test_without_its_randomness_an_example_has_no_digit_that_is_wrong_at_random():
    mixture = Mixture.read({"rollback": 1, "parts": [{"op": "/", "a": 4, "b": 2}]})
    assert plan_rollbacks(mixture, 7990, 85) == {} != plan_rollbacks(mixture, 7990, 85, 0)


@given(POSITIVE, POSITIVE, st.sampled_from(ROLLING), st.integers(0, 2**64))
def test_a_random_digit_is_off_by_one(a, b, how, word):
    digits = quotient_digits(*how, Problem(a, "/", b))
    ((step, digit),) = random_digit(METHODS[how[0]].quotient_steps(a, b, how[1]), word).items()
    assert step >= 0 and abs(digit - int(digits[step])) == 1 and 0 <= digit < 10 ** len(digits[step])
