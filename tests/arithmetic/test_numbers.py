"""Numbers with places: how a stated one agrees with an exact value, and how many places a value needs."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from revorder.arithmetic.expression import read_number
from revorder.arithmetic.numbers import Agreement, Number, agreement, places_needed


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
