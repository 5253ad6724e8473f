"""Equations are found where they stand: annotations, and in prose only those that stand alone."""

import time

import pytest

from revorder.reading.equations import find_annotations, find_equations, find_prose


def parts(equations):
    return [(e.first, e.steps, e.stated) for e in equations]


def test_annotations_with_their_places():
    text = "A <<1+2=3>>3, b <<4 * 5 = 20 >>, c <<7>>, d <<1=1=1>>, e << <<2+2=4>> >>, <<3+\n4=7>> <<5+5=10"
    found = list(find_annotations(text))
    assert parts(found) == [("1+2", "", "3"), ("4 * 5", "", "20 "), ("7", "", ""), ("1", "1=", "1"), ("2+2", "", "4")]
    assert [e.equals for e in found] == ["=", " = ", "", "=", "="]
    for e in found:
        assert text[e.start : e.end] == e.first + e.equals + e.steps + e.stated
        assert text[e.start : e.at] == e.first + e.equals and text[e.end : e.end + 2] == ">>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She has 48 + 24 = 72.", [("48 + 24", "", "72")]),
        ("(48 + 24 = 72)", [("48 + 24", "", "72")]),
        ("- 48+24=72", [("48+24", "", "72")]),
        ("so x = 48 + 24 = 72", [("48 + 24", "", "72")]),
        ("1,000 x 3 = $3,000, ok", [("1,000 x 3", "", "$3,000")]),
        ("2*(3+4) = 14 and (2+3)*(3+4) = 35", [("2*(3+4)", "", "14"), ("(2+3)*(3+4)", "", "35")]),
        ("30 - 50 + 3 = r|02-+3 = r|71- = -17", [("30 - 50 + 3", "r|02-+3 = r|71- = ", "-17")]),
        ("<<48+24=72>>72 = 70 + 2 = 72", [("70 + 2", "", "72")]),
        ("in 48/2 = <<48/2=24>>24 days", []),
        ("x - 3 + 4 = 7", []),
        ("a x 3 + 4 = 7", []),
        ("11x+15 = 301", []),
        ("3*4 = 12 - x", []),
        ("3*4 = 12(x)", []),
        ("at 7:00+48 = 7:48", []),
        ("3*4 = 12:30", []),
        ("v2 + 3 apples = 5 and 12 = 12", []),
        ("@@ -1,3 +1,4 @@ x = 3", []),
    ],
)
def test_prose(text, expected):
    found = list(find_prose(text))
    assert parts(found) == expected
    for e in found:
        assert text[e.start : e.end] == e.first + e.equals + e.steps + e.stated


def test_both_in_order():
    text = "1+1 = 2, <<2*2=4>>4, 3-1 = 2"
    assert [(e.first, e.prose) for e in find_equations(text, True)] == [("1+1", True), ("2*2", False), ("3-1", True)]
    assert [e.first for e in find_equations(text, False)] == ["2*2"]


@pytest.mark.parametrize(
    "piece",
    ["1+", "1", "(", "1 ", "1+1=", "r|", "@@1", "<<", "<<1=1", "1,111", " ", "-", "1.1", "1%", "=1", "1)", "$", "1x"],
)
def test_time_is_linear_in_the_length(piece):
    start = time.perf_counter()
    list(find_equations(piece * 100_000, True))
    assert time.perf_counter() - start < 10  # the square of the length would be minutes
