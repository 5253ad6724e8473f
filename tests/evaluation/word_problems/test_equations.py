"""Equations of solutions: right or wrong exactly, and what went wrong first, in every notation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder.arithmetic.expression import Expression
from revorder.corpora.rewriting import rewrite
from revorder.evaluation.word_problems.equations import check_annotation
from revorder.reading.equations import find_annotations
from revorder.reading.numbers import NOTATIONS


def check(text):
    [equation] = find_annotations(text)
    checked = check_annotation(equation, text)
    return checked and (checked.op, checked.right, checked.cause)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<48+24=72>>72", ("+", True, "")),
        ("<<48-24=24.0>>24", ("-", True, "")),
        ("<<5*3=$15>> a", ("*", True, "")),
        ("<<2*3+1=7>>7", ("mixed", True, "")),
        ("<<8//3=2>>2", ("/", True, "")),
        ("<<48+24=73>>73", ("+", False, "arithmetic")),
        ("<<25*3=7500>>7500", ("*", False, "arithmetic")),
        # rounded only where that is stated
        ("<<10/3=3.33>>3.33", ("/", True, "")),
        ("<<20/3=6.66>>6.66", ("/", True, "")),
        ("<<20/3=6.6667>>6.67", ("/", True, "")),
        ("<<20/3=6.68>>6.68", ("/", False, "arithmetic")),
        ("<<100/3=33.333333333333336>>33", ("/", True, "")),
        ("<<10/3=3>>3", ("/", False, "arithmetic")),
        ("That is about <<10/3=3>>3", ("/", True, "")),
        ("about noon\n<<10/3=3>>3", ("/", False, "arithmetic")),
        # the number behind
        ("<<48+24=72>>27", ("+", True, "copy")),
        ("<<4500*5=22500>>22,500", ("*", True, "")),
        ("<<17500*2=35000>>35 000 are", ("*", True, "")),
        ("<<5-8=-3>>3 fewer", ("-", True, "")),
        ("<<48+24=72>>72 100 apples", ("+", True, "")),
        # reversed
        ("<<48+24=r|27=72>>72", ("+", True, "")),
        ("<<48+24=@@27@@=72>>72", ("+", True, "")),
        ("<<48+24=r|27=27>>27", ("+", False, "reversal")),
        ("<<48+24=r|37=73>>73", ("+", False, "arithmetic")),
        ("<<48+24=r|37=72>>72", ("+", False, "arithmetic")),
        ("<<5-8=r|3-=-3>>3", ("-", True, "")),
        ("<<100-50-30=r|05-30=r|02=20>>20", ("-", True, "")),
        ("<<100-50-30=r|05-31=r|91=19>>19", ("-", False, "copy")),
        ("<<100-50-30=r|06-30=r|03=30>>30", ("-", False, "arithmetic")),
        ("<<2/3*60=2*60/3=r|021/3=40>>40", ("mixed", True, "")),
        ("<<2/3*60=2*60/3=r|021/3=41>>41", ("mixed", False, "arithmetic")),
        ("<<48+24=r|=72>>72", ("+", False, "notation")),
        ("<<48+24=@@27=72>>72", ("+", False, "notation")),
        ("<<48+24>>72", ("+", False, "notation")),
        ("<<948/12=7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79>>79", ("/", True, "")),
        ("<<12*52=12*50+12*2=r|006+r|42=r|426=624>>624", ("*", True, "")),
        ("<<12*52=12*50+12*2=r|006+r|52=r|526=625>>625", ("*", False, "arithmetic")),
        ("<<948/12=7R-(12*70)(r|148)(r|801)#9R-(12*9)(r|801)(0)=79>>79", ("/", False, "arithmetic")),
        ("<<948/12=7R-(12*70)(r|999)(r|1)#9R-(1*1)(r|0)=79>>79", ("/", False, "arithmetic")),
        ("<<936/12=7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=78>>78", ("/", False, "arithmetic")),
        ("<<948/12+1=[7R-(12*70)(@@048@@)(@@801@@)#9R-(12*9)(@@801@@)(0)]+1=@@08@@=80>>80", ("mixed", True, "")),
        ("<<948/12+1=[7R-(12*70)(@@048@@)(@@801@@)#9R-(12*9)(@@801@@)(0)]+2=@@08@@=80>>80", ("mixed", False, "copy")),
        ("<<2+2=5R-(banana=4>>4", ("+", False, "notation")),
        ("<<2*3=6>>-6", ("*", True, "copy")),
        # no equation
        ("<<12=12>>12", None),
        ("<<A+4=8>>8", None),
    ],
)
def test_what_is_wrong_first(text, expected):
    assert check(text) == expected


@given(
    st.lists(st.integers(1, 999), min_size=2, max_size=5),
    st.lists(st.sampled_from("+-*"), min_size=4, max_size=4),
    st.sampled_from(NOTATIONS),
    st.booleans(),
    st.data(),
)
def test_a_changed_digit_of_a_converted_equation_is_found(numbers, operators, notation, decompose, data):
    first = str(numbers[0]) + "".join(op + str(n) for op, n in zip(operators, numbers[1:], strict=False))
    value = Expression.parse(first).fraction()
    text = rewrite(f"<<{first}={value}>>", notation, decompose)
    assert check(text)[1:] == (True, "")
    digits = [i for i, char in enumerate(text) if char.isdigit() and i > text.index("=")]
    at = data.draw(st.sampled_from(digits))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != text[at]]))
    assert check(text[:at] + other + text[at + 1 :])[1] is False
