"""Expressions solved in pairs: each step follows from the one before it, and is written as the rules say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.numbers import decimal_text
from revorder.corpora.pair_steps import Endless, reversed_text, write_steps
from revorder.reading.numbers import NOTATIONS, is_reversed, read_reversed


def steps(text, notation="r|", decompose=False):
    return list(write_steps(Expression.parse(text), notation, decompose))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("((2+3)*4-5)/3", ["(r|5*4-5)/3", "(r|02-5)/3", "r|51/3"]),
        ("2*(3+4*(5-1))", ["2*(3+4*r|4)", "2*(3+r|61)", "2*r|91", "r|83"]),
        ("-(1+2)+5", ["r|3-+5", "r|2"]),
        ("5-(1-3)", ["5-r|2-", "r|7"]),
        ("8/(1/3)/2", ["8*3/1/2", "r|42/1/2", "24/2"]),
        ("1/(2/3*6)", ["1/(2*6/3)", "1/(r|21/3)", "1/4"]),
        ("(1/3)/(1/6)", ["1/(3*(1/6))", "1/(3*1/6)", "1/(r|3/6)", "1/0.5"]),
        ("1/3+2", Endless),
        ("7-1/3", Endless),
        ("-(1/3)", Endless),
        ("2//(1/3)", Endless),
        ("1/1024*1024", ["1*1024/1024", "r|4201/1024"]),  # ten places are too many to write
        ("12//5*2", ["2*2", "r|4"]),
        ("0.50*0.5+.25", ["r|052.0+0.25", "r|005.0"]),
        ("10%*3%", ["r|0300.0"]),
        ("1.50/0.5+1", ["3+1", "r|4"]),
    ],
)
def test_the_rules(text, expected):
    if expected is Endless:
        with pytest.raises(Endless):
            steps(text)
    else:
        assert steps(text) == expected


def test_a_reversed_number_in_either_notation():
    assert reversed_text("-7.50", "r|") == "r|05.7-" and reversed_text("24", "@@") == "@@42@@"
    assert is_reversed("@@05.7-@@") and is_reversed("r|0") and not is_reversed("24") and not is_reversed("r|")


@given(
    st.integers(-(10**6), 10**6),
    st.integers(0, 4),
    st.sampled_from(NOTATIONS),
    st.sampled_from(["", "+2", "-2", "*2", "-(2)", "-[2]"]),
)
def test_a_reversed_number_is_read_where_it_stands(n, places, notation, then):
    number = decimal_text(n, places)
    text = reversed_text(number, notation)
    assert Expression.parse(read_reversed(text + then)) == Expression.parse(f"({number}){then}")
