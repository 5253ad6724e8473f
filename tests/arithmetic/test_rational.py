"""Numbers as people write them: read exactly, computed exactly, and compared with what is stated."""

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import ProblemError
from revorder.arithmetic.rational import (
    Agreement,
    Number,
    RationalExpression,
    agreement,
    decimal_text,
    infix,
    places_needed,
    read_number,
)


@pytest.mark.parametrize(
    ("text", "value", "places"),
    [
        (".5", "1/2", 1),
        ("1.50", "3/2", 2),
        ("-0.05", "-1/20", 2),
        ("+7", "7", 0),
        ("10%", "1/10", 2),
        ("33.3 %", "333/1000", 3),
        ("$1,234,567.89", "123456789/100", 2),
        ("-$5", "-5", 0),
        ("$-5", "-5", 0),
        ("€ 1 234.5", "2469/2", 1),
        ("１２.５", "25/2", 1),
        ("−3", "-3", 0),
        ("(4)", "4", 0),
        ("007", "7", 0),
    ],
)
def test_a_number_is_read_exactly(text, value, places):
    assert read_number(text) == Number(Fraction(value), places)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("48/2", "24"),
        ("1/3+1/6", "1/2"),
        ("2+3*4", "14"),
        ("(2+3)*4", "20"),
        ("100-50-30-15", "5"),
        ("60/(2/3)", "90"),
        ("-21/3", "-7"),
        ("-(1.5+.5)*2", "-4"),
        ("3*-2", "-6"),
        ("560//10", "56"),
        ("-7//2", "-4"),
        ("7.5//2*2", "6"),
        ("20 x 5 × 2 ÷ 4", "50"),
        ("50%*$20", "10"),
        ("[1+{2-(3)}]=?", "0"),
        ("\ufeff1+1=", "2"),
    ],
)
def test_an_expression_is_computed_exactly(text, value):
    assert RationalExpression.parse(text).value() == Fraction(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "nothing to read"),
        ("12+", "ends where a number"),
        ("2x+1", "expected an operation at character 2"),
        ("1,5", "expected an operation at character 2"),
        ("1,2345", "expected an operation at character 2"),
        ("5.", "expected an operation at character 2"),
        ("1..5", "expected an operation"),
        ("2(3)", "expected an operation"),
        ("2**3", "expected a number"),
        ("10%3", "expected an operation"),
        ("3 apples*2", "expected an operation at character 3, not 'a'"),
        ("(1+2", "never closed"),
        ("1+2)", "closes nothing"),
        ("__import__('os')", "expected a number at character 1"),
        ("1" * 2001, "more than 2000 digits"),
        ("1+" * 10_000 + "1", "more than 10000"),
    ],
)
def test_what_is_no_arithmetic_is_refused_in_one_line(text, reason):
    with pytest.raises(ProblemError, match=reason) as error:
        RationalExpression.parse(text)
    assert "\n" not in str(error.value) and "accepted" in str(error.value)


def test_a_division_by_zero_and_what_grows_too_long_are_refused():
    with pytest.raises(ProblemError, match="'1/\\(2-2\\)': division by zero"):
        RationalExpression.parse("1/(2-2)").value()
    with pytest.raises(ProblemError, match="grows beyond 2000 digits"):
        RationalExpression.parse("*".join(["9" * 1500] * 2)).value()


def test_time_is_linear_in_the_length():
    for text in ("1+" * 4999 + "1", "(" * 9000, "-" * 9000 + "1", "9" * 100_000, " " * 100_000, "1," * 100_000):
        start = time.perf_counter()
        try:
            RationalExpression.parse(text).value()
        except ProblemError:
            pass
        assert time.perf_counter() - start < 5, text[:4]


DECIMALS = st.builds(lambda n, places: decimal_text(n, places), st.integers(0, 10**6), st.integers(0, 4))


def joined(part):
    """The text and the value of an operation; None for a division by zero, or by what has none."""
    (left, a), op, (right, b) = part
    text = f"({left}){op}({right})"
    if None in (a, b) or (b == 0 and op in ("/", "//")):
        return text, None
    return text, {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "//": lambda: a // b}[
        op
    ]()


EXPRESSIONS = st.recursive(
    st.one_of(
        DECIMALS.map(lambda text: (text, Fraction(text))),
        DECIMALS.map(lambda text: (f"{text}%", Fraction(text) / 100)),
        DECIMALS.map(lambda text: (f"${text}", Fraction(text))),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//"]), inner).map(joined),
        inner.map(lambda part: (f"-({part[0]})", None if part[1] is None else -part[1])),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_expressions_have_the_value_of_pythons_fractions(pair):
    text, expected = pair
    expression = RationalExpression.parse(text)
    if expected is None:
        with pytest.raises(ProblemError, match="division by zero"):
            expression.value()
        return
    assert expression.value() == expected
    again = infix(expression.postfix, lambda number: decimal_text(int(number.value * 10**number.places), number.places))
    assert RationalExpression.parse(again).value() == expected and again.count("(") <= text.count("(")


@given(st.fractions(), st.integers(0, 6))
def test_a_rounded_and_a_cut_value_are_told_from_a_wrong_one(exact, places):
    unit = Fraction(1, 10**places)
    rounded, cut = Number(round(exact, places), places), Number(Fraction(int(exact / unit)) * unit, places)
    is_exact = exact % unit == 0
    assert agreement(exact, rounded) is (Agreement.EXACT if is_exact else Agreement.ROUNDED)
    assert agreement(exact, cut) is not Agreement.WRONG
    for stated in (rounded.value + unit, rounded.value - unit):
        if abs(stated - exact) * 2 > unit and stated != cut.value:
            assert agreement(exact, Number(stated, places)) is Agreement.WRONG


def test_what_binary_floating_point_says_is_rounded():
    for text in ("0.6000000000000014", "33.333333333333336"):
        exact = {"0": Fraction(3, 5), "3": Fraction(100, 3)}[text[0]]
        assert agreement(exact, read_number(text)) is Agreement.ROUNDED
    assert agreement(Fraction(3, 5), read_number("0.6000001")) is Agreement.WRONG
    assert agreement(Fraction(10**15), read_number("1,000,000,000,000,001")) is Agreement.WRONG
    assert agreement(Fraction(-1, 3), read_number("0.33")) is Agreement.WRONG


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 10**6))
def test_places_needed_are_the_fewest(twos, fives, top):
    value = Fraction(top, 2**twos * 5**fives)
    places = places_needed(value)
    assert (value * 10**places).denominator == 1 and (not places or (value * 10 ** (places - 1)).denominator > 1)
    assert places_needed(value / 7) is None or value.numerator % 7 == 0
