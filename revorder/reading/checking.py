"""Checking: whether an equation that a text states is right, and if not, at which side, what is expected, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from revorder.arithmetic.causes import ROUNDING, UNKNOWN
from revorder.reading.doubts import BESIDE, FRACTION_BELOW, doubt_of
from revorder.reading.equations import Equation, read_equations, same_length
from revorder.reading.numbers import read_stored
from revorder.reading.sides import CHAIN, REMAINDER, RIGHT, UNREAD, WRONG, judge_sides
from revorder.reading.surroundings import CLAUSE_END, around, line_around, since

MAX_LENGTH = 2000  # characters of an equation
_ROUNDED = r"round(?:ed\b|ing\b|s?\s+(?:up|down|off|it|to)\b)"  # a round trip rounds nothing
_NEAREST = (
    r"to the nearest|nearest (?:whole|integer|tens?|hundreds?|thousands?|cent|dollar|tenth|hundredth)\b"
    r"|[0-9] ?(?:s\.?f\b|d\.?p\b)|sig(?:nificant|\.)? ?(?:fig|digit)"
)
STATES_ROUNDING = re.compile(rf"≈|~|\b(?:{_ROUNDED}|about\b|approx|nearest|roughly|almost)", re.IGNORECASE)
_STATES_REST = re.compile(r"\b(?:remainder|left ?over)", re.IGNORECASE)
_SAYS_REST = re.compile(r"\b(?:rest|r\.|leav(?:ing|es)|remain(?:ing|s)|spare|extra|over)(?!\w)", re.IGNORECASE)
_DIGITS = r"(?:[0-9]{1,15}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})"
_SIMPLE = re.compile(rf"({_DIGITS}(?:(?:[-+*]{_DIGITS}){{1,8}}|/{_DIGITS}))=({_DIGITS})")  # the most of them
_REST = r"(-?[0-9]{1,400}(?:\.[0-9]{1,400})?)"
_REMAINDER = re.compile(
    rf"[\s,]*\(?(?:[a-z]+,? ){{0,5}}?"
    rf"(?:(?:[Rr][ :]*|(?:rem\.?|remainder(?: of| is)?|rest[eo]?|余り?|あまり|나머지)[ :=]*){_REST}(?![\w.]*\w)"
    rf"|{_REST} (?:[a-z]+ )?(?:left(?: ?over)?|remain(?:ing)?)\b)"
    rf"|[\s,]*\(?(?:leaving|remaining|\.{{3}}|…+|[·⋯]{{2,6}}) *{_REST}(?![\w.]*\w| *[-+*/=])"
)
_BY_FRACTION = re.compile(r"(?:÷|\\div(?![A-Za-z])) *[0-9.,]+ */")
_CELL = re.compile(r" *[0-9]+ *[-/xX] *[0-9]+ *")  # a date, a range, a fraction, or a size
# what says of an equation that it is rounded: anywhere in its line, or in its clause
_ROUNDS = re.compile(rf"≈|\b(?:{_ROUNDED}|approx|{_NEAREST})", re.IGNORECASE)
_ROUGHLY = re.compile(r"~|\b(?:about|roughly|almost|nearly)\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(rf"(?:{_ROUGHLY.pattern})[^0-9]{{0,4}}([0-9]+)[^≈~]*\Z", re.IGNORECASE)
# that says of whole numbers that they are rounded: before the equation, or anywhere in its line
_ABOUT = re.compile(r"(?:≈|~|\b(?:about|approx[a-z]*|roughly|almost))\W{0,3}\Z", re.IGNORECASE)
_TO_TENS = re.compile(rf"\b(?:{_ROUNDED}|{_NEAREST})", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_BEHIND_ANNOTATION = re.compile(r">>[$€£]?([0-9][0-9,]*(?:\.[0-9]+)?)(?![0-9,.]*[0-9/%]| ?[0-9])")
_CONTINUES = re.compile(r"\.\.+|…")


class Finding(NamedTuple):
    """What is said of one equation of a text.

    `start` and `end` are the place of the equation, `at` and `to` that of the side that is wrong, in characters.
    """

    verdict: str
    equation: str
    start: int
    end: int
    at: int = 0
    to: int = 0
    expected: str = ""
    found: str = ""
    cause: str = ""  # of a wrong one, or why it is unread


def check_text(text: str) -> Iterator[Finding]:
    """Yield a finding on every equation that a text states, in linear time; nothing in a text makes it raise.

    >>> [(found.verdict, found.expected, found.cause) for found in check_text("48+24 = 62, and 2*3 = 6.")]
    [('wrong', '72', 'carry'), ('right', '', '')]
    """
    equations, plain = read_equations(text), same_length(text)
    tables = tables_of([equation for equation in equations if "|" in equation.equals], plain)
    # a right row may be chance if it may be a date or a size
    states = [sum((2, 1)[is_cell(row)] for row in table if is_right(row, text, plain)) > 1 for table in tables]
    rows = {row.start for table, right in zip(tables, states, strict=True) if right for row in table}
    for equation in equations:
        found = check_equation(equation, text, plain, equation.start in rows)
        if found is not None:
            yield found


def tables_of(rows: list[Equation], plain: str) -> list[list[Equation]]:
    """Return rows of tables by table: an empty line ends one."""
    tables: list[list[Equation]] = []
    for i, row in enumerate(rows):
        if not i or _EMPTY_LINE.search(plain, rows[i - 1].end, row.start):
            tables.append([])
        tables[-1].append(row)
    return tables


def is_cell(row: Equation) -> bool:
    """Whether the first side of a row of a table may be no operation."""
    return _CELL.fullmatch(row.first) is not None


def is_right(row: Equation, text: str, plain: str) -> bool:
    """Whether an equation of a text is right."""
    found = check_equation(row, text, plain)
    return found is not None and found.verdict == RIGHT


def check_equation(equation: Equation, text: str, plain: str, in_table: bool = False) -> Finding | None:
    """Return the finding on one equation of a text; None if it has one side, or no operation on its first.

    `plain` is the text as `same_length` writes it; `in_table`: another row of its table is a right equation.
    """
    written = text[equation.start : equation.end]
    behind = _BEHIND_ANNOTATION.match(text, equation.end)
    contradicted = behind is not None and differs(behind[1], equation.stated)
    remainder = _REMAINDER.match(plain, equation.end)
    simple = None if contradicted or remainder else _SIMPLE.fullmatch(written)
    if simple and is_equal(*simple.groups()):
        return Finding(RIGHT, written, equation.start, equation.end)
    sides = equation.sides
    if len(sides) < 2:
        return None
    if len(written) > MAX_LENGTH:
        return Finding(UNREAD, written, equation.start, equation.end, cause="it is too long")
    line = line_around(plain, equation.start, equation.end)
    rounding = _ROUNDS.search(line) is not None
    if not rounding and _ROUGHLY.search(line):
        rounding = _ROUGHLY.search(around(CLAUSE_END, plain, equation.start, equation.end)) is not None
        other = _OF_ANOTHER.search(plain, since(CLAUSE_END, plain, equation.start), equation.start)
        rounding &= other is None or other[1] == sides[-1][0].strip()
    continues = bool(_CONTINUES.match(plain, equation.end)) and not remainder
    cut = continues and "." in sides[-1][0]
    texts = tuple(side.replace("\0", "") for side, _, _ in sides)
    said, *left = remainder.groups("") if remainder else ("", "")
    near = tuple(i for i, (one, two) in enumerate(pairwise(sides), 1) if "≈" in plain[one[2] : two[1]])
    tens = rounding and bool(
        _ABOUT.search(plain[max(0, equation.start - BESIDE) : equation.start]) or _TO_TENS.search(line)
    )
    verdict, side, expected, cause = judge_sides(texts, rounding or cut, said or "".join(left), not said, near, tens)
    if verdict is None:
        return None
    doubt = ""
    if verdict == WRONG:
        doubt = doubt_of(equation, texts, plain, expected)
        if not doubt and cause != REMAINDER and "/" in texts[0]:
            floored = cause == ROUNDING and _SAYS_REST.search(plain, equation.end, equation.end + BESIDE)
            doubt = "its remainder can't be read" if floored or _STATES_REST.search(line) else ""
        if not doubt and cause == ROUNDING and continues:
            doubt = "it may continue"
        if not doubt and "|" in equation.equals and not in_table and (cause == UNKNOWN or is_cell(equation)):
            doubt = "its row may be no equation"
    elif contradicted:
        doubt = "another number stands behind it"
    elif _BY_FRACTION.search(written):
        doubt = FRACTION_BELOW
    if doubt:
        return Finding(UNREAD, written, equation.start, equation.end, cause=doubt)
    _, at, to = sides[side]
    found = texts[side].strip() if verdict == WRONG else ""
    return Finding(verdict, written, equation.start, equation.end, at, to, expected, found, cause)


def differs(one: str, other: str) -> bool:
    """Whether two texts are numbers of different values.

    >>> differs("8", "$7"), differs("8.0", "8"), differs("8", "x")
    (True, False, False)
    """
    if one == other:
        return False
    first, second = read_stored(one), read_stored(other)
    return first is not None and second is not None and first.value != second.value


def is_equal(left: str, stated: str) -> bool:
    """Whether numbers joined by + - * or one / come exactly to a number.

    >>> is_equal("2+3*4-1", "13"), is_equal("48/1.5", "32"), is_equal("7/2", "3")
    (True, True, False)
    """
    result, places = scaled(stated)
    if "/" in left:
        (a, a_places), (b, b_places) = map(scaled, left.split("/"))
        return b != 0 and a * 10 ** (b_places + places) == b * result * 10**a_places
    total, most = 0, 0
    for term in left.replace("-", "+-").split("+"):
        product, behind = 1, 0
        for factor in term.split("*"):
            number, more = scaled(factor)
            product, behind = product * number, behind + more
        if behind > most:
            total, most = total * 10 ** (behind - most), behind
        total += product * 10 ** (most - behind)
    return total * 10**places == result * 10**most


def scaled(number: str) -> tuple[int, int]:
    """Return a number's digits as an integer, and how many are behind the point.

    >>> scaled("-2.50")
    (-250, 2)
    """
    if "." not in number:
        return int(number), 0
    whole, _, behind = number.partition(".")
    return int(whole + behind), len(behind)


def fixes(finding: Finding) -> bool:
    """Whether one number settles a wrong equation: its last side is a number, and the expected value is a decimal."""
    return (
        finding.verdict == WRONG
        and finding.cause not in (CHAIN, ROUNDING, REMAINDER)
        and finding.to == finding.end
        and "/" not in finding.expected
    )
