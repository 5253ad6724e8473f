"""Reversed numbers: restored in whole texts, and in streams cut anywhere."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import PROBLEMS

from revorder import Restorer, restore, trace
from revorder.arithmetic.reversed_numbers import reversed_number

TEXTS = st.one_of(
    st.text(st.sampled_from("r|0123456789-+=()W# x"), max_size=40),
    st.builds(
        lambda problem, how: trace(problem, *how).text,
        PROBLEMS,
        st.sampled_from([("revorder", "compact"), ("revorder", "expanded"), ("lean", "lean")]),
    ),
)


@given(st.integers(-(10**30), 10**30))
def test_restore_undoes_reversed_number(n):
    assert restore(reversed_number(n)) == str(n)
    assert restore(f"7+{reversed_number(abs(n))}=x") == f"7+{abs(n)}=x"


def test_restore():
    assert restore("12+35=r|74") == "12+35=47"
    assert restore("12-35=r|32-=-23") == "12-35=-23=-23"
    assert restore("r|801-12*9 r|801-r|27") == "108-12*9 108-72"
    assert restore("r|0021 r|000 r| r r|x") == "1200 0 r| r r|x"
    assert restore("948/12=70r|48r|801#9r|801r|000=79") == "948/12=70 84 108#9 108 0=79"


@given(TEXTS, st.data())
def test_a_stream_gives_the_same_for_every_cut(text, data):
    restorer, out, at = Restorer(), "", 0
    while at < len(text):
        size = data.draw(st.integers(1, 6))
        out += restorer.feed(text[at : at + size])
        at += size
    assert out + restorer.finish() == restore(text)


def chunkings(text):
    """Every way to cut a text into pieces."""
    if len(text) < 2:
        yield [text] if text else []
        return
    for at in range(1, len(text)):
        for rest in chunkings(text[at:]):
            yield [text[:at], *rest]
    yield [text]


@pytest.mark.parametrize("text", ["r|1-r", "r|1-r|2", "1r|1-", "r|10-2r", "rr|1-x", "r|12-(r|", "r|-1r|1", "r|1--r|0"])
def test_a_stream_gives_the_same_for_all_cuts_of_a_short_text(text):
    for pieces in chunkings(text):
        restorer = Restorer()
        assert "".join(map(restorer.feed, pieces)) + restorer.finish() == restore(text), pieces


@pytest.mark.parametrize("form", ["compact", "expanded"])
def test_a_minus_between_reversed_numbers_is_no_sign_in_a_stream(form):
    text = trace("948/12", form=form).text
    restorer = Restorer()
    assert "".join(map(restorer.feed, text)) + restorer.finish() == restore(text)
    assert form == "compact" or "(108-108)" in restore(text)


@given(TEXTS)
def test_only_reversed_numbers_change(text):
    if not re.search(r"r\|[0-9]", text):
        assert restore(text) == text
