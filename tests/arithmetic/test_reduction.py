"""Decimal expressions reduced to problems on integers: exact, and rounded once where a quotient does not end."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import Expression, ProblemError
from revorder.arithmetic.numbers import decimal_text, places_needed
from revorder.arithmetic.reduction import run_exactly


def solved(text, decimals=6):
    """The answer by Python's integers, and whether it is rounded."""
    return run_exactly(Expression.parse(text).reduce_to_answer(decimals))


def problems(text, decimals=6):
    """The problems asked, and the answer."""
    steps = Expression.parse(text).reduce_to_answer(decimals)
    asked = []
    try:
        asked.append(next(steps))
        while True:
            asked.append(steps.send((asked[-1].value, asked[-1].remainder)))
    except StopIteration as done:
        return [str(problem) for problem in asked], done.value.text


@pytest.mark.parametrize(
    ("text", "asked", "answer"),
    [
        ("1.5*2.25+10%", ["15*225", "3375+100"], "3.475"),
        ("0.2*50", ["2*50"], "10"),
        ("6-4.50", ["600-450"], "1.5"),
        ("1-2.5", ["10-25"], "-1.5"),
        ("3/8", ["3000/8"], "0.375"),
        ("12/60", ["120/60"], "0.2"),
        ("1.5/0.05", ["150/5"], "30"),
        ("2/3", ["2000000/3", "666666+1"], "0.666667"),
        ("1/3", ["1000000/3"], "0.333333"),
        ("1/3*3", ["1*3", "3000000/3"], "1"),
        ("1/3+1/6", ["3*6", "6+3", "9000000/18"], "0.5"),
        ("-7//2", ["7/2", "3+1"], "-4"),
        ("7.5//.25", ["750/25"], "30"),
        ("$1,000.00", [], "1000"),
    ],
)
def test_it_asks_for_problems_on_integers(text, asked, answer):
    assert problems(text) == (asked, answer)


def test_an_answer_that_is_wrong_on_its_way_is_not_mended():
    steps = Expression.parse("1.5*2+1").reduce_to_answer()
    next(steps)
    steps.send((31, 0))
    with pytest.raises(StopIteration) as done:
        steps.send((41, 0))
    assert done.value.value.text == "4.1"


def test_what_is_refused():
    for text, reason in (
        ("1.5/(2-2)", "division by zero"),
        ("1.5+a", "expected a number"),
        ("9" * 1500 + "*" + "9" * 1500 + "*2", "2000 digits"),
        ("*".join(["0." + "0" * 1998 + "1"] * 3), "2000 digits"),
        ("1e5", "scientific notation is not supported"),
    ):
        with pytest.raises(ProblemError, match=reason):
            solved(text)
    for decimals in (-1, 1001, 2.5, "2"):
        with pytest.raises(ProblemError, match=f"problem '1[+]1': decimals {decimals!r}: accepted: 0 to 1000"):
            solved("1+1", decimals)


def test_a_model_that_errs_brings_no_other_error_than_ours():
    for said in (0, -5, 10**2500):
        for text in ("1/3/(1/7)*2.5", "1/3+1/7+1/11", "-2/3//.7", "(1/3-1/3)/.5"):
            steps = Expression.parse(text).reduce_to_answer(3)
            try:
                next(steps)
                while True:
                    steps.send((said, 0))
            except (StopIteration, ProblemError):
                pass


@pytest.mark.parametrize(
    ("text", "decimals", "answer", "rounded"),
    [
        ("2.5/1", 0, "3", True),
        ("2.5/1.0", 0, "3", True),
        ("1.25/0.5", 0, "3", True),
        ("2.4/1", 0, "2", True),
        ("-2.5/1", 0, "-3", True),
        ("12.34/1", 2, "12.34", False),
        ("1/8", 2, "0.13", True),
        ("-1/8", 2, "-0.13", True),
        ("5/2", 0, "3", True),
        ("1/8", 3, "0.125", False),
        ("1/3*3", 2, "1", False),
        ("1/1024*1024", 2, "1", False),
        ("1.25*1.25", 2, "1.5625", False),  # a product is exact
        ("-1.0/3000000", 2, "0", True),
        ("200+10%", None, "200.1", False),
        ("7/2", None, "3R1", False),
        ("7.0/2", None, "3.5", False),
    ],
)
def test_what_is_rounded_says_so(text, decimals, answer, rounded):
    assert solved(text, decimals) == (answer, rounded)


NUMBERS = st.builds(decimal_text, st.integers(0, 10**7), st.integers(0, 4))
TEXTS = st.recursive(
    st.one_of(NUMBERS, NUMBERS.map(lambda text: f"{text}%")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//"]), inner).map(lambda p: f"({p[0]}){p[1]}({p[2]})"),
        inner.map(lambda text: f"-({text})"),
    ),
    max_leaves=7,
)


def rounded(value, decimals):
    """A half away from zero."""
    scaled = abs(value) * 10**decimals
    whole = int(scaled + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, 10**decimals)


@given(TEXTS, st.integers(0, 8))
def test_the_answer_is_the_exact_one_rounded_at_most_once(text, decimals):
    try:
        value = Expression.parse(text).fraction()
    except ProblemError:
        return
    answer, is_rounded = solved(text, decimals)
    assert is_rounded == (Fraction(answer) != value)
    assert Fraction(answer) in (value, rounded(value, decimals))
    if "/" not in text or (places_needed(value) is not None and places_needed(value) <= decimals):
        assert Fraction(answer) == value
    assert answer == "0" or (not answer.endswith(".") and answer.lstrip("-")[0] in "0123456789")
    assert "." not in answer or not answer.endswith("0")


@given(TEXTS)
def test_every_problem_asked_for_has_non_negative_integers(text):
    try:
        for problem in problems(text)[0]:
            assert "." not in problem
    except ProblemError as error:
        assert "division by zero" in str(error)
