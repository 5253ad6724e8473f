"""Decimal expressions reduced to problems on integers: exact, and rounded once where a quotient does not end."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import ProblemError
from revorder.arithmetic.decimals import exact_decimals, reduce_decimals
from revorder.arithmetic.rational import RationalExpression, decimal_text, places_needed


def problems(text, decimals=6):
    """The problems asked, and the answer."""
    steps = reduce_decimals(text, decimals)
    asked = []
    try:
        asked.append(next(steps))
        while True:
            asked.append(steps.send((asked[-1].value, asked[-1].remainder)))
    except StopIteration as done:
        return [str(problem) for problem in asked], done.value


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
        ("-7//2", ["70/2", "35/10"], "-4"),
        ("$1,000.00", [], "1000"),
    ],
)
def test_it_asks_for_problems_on_integers(text, asked, answer):
    assert problems(text) == (asked, answer)


def test_an_answer_that_is_wrong_on_its_way_is_not_mended():
    steps = reduce_decimals("1.5*2+1")
    next(steps)
    steps.send((31, 0))
    with pytest.raises(StopIteration) as done:
        steps.send((41, 0))
    assert done.value.value == "4.1"


def test_what_is_refused():
    for text, reason in (
        ("1.5/(2-2)", "division by zero"),
        ("1.5+a", "expected a number"),
        ("9" * 1500 + "*" + "9" * 1500 + "*2", "2000 digits"),
    ):
        with pytest.raises(ProblemError, match=reason):
            exact_decimals(text)
    with pytest.raises(ProblemError, match="decimals -1: accepted: 0 to 1000"):
        exact_decimals("1+1", -1)


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
        value = RationalExpression.parse(text).value()
    except ProblemError:
        return
    answer = exact_decimals(text, decimals)
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
