"""Equations in a text: calculator annotations `<<48/2=24>>24`, and plain `48 / 2 = 24` in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_ANNOTATION = re.compile(r"<<([^<>\n]*)>>")
_EQUALS = re.compile(r"(?:(?<! ) ++)?= *")  # in linear time

# An equation in prose. Repeats are bounded or possessive, so that time is linear in the text's length.
_PLAIN = r"(?=\.?[0-9])(?:[1-9][0-9]{0,2}+(?:,[0-9]{3})++(?![0-9])|[0-9]*+)(?:\.[0-9]++)?%?"
_REVERSED = r"r\|[0-9]++(?:\.[0-9]++)?(?:-(?! ?[0-9.(r@$]))?|@@[0-9]++(?:\.[0-9]++)?-?@@"
_OPERAND = rf"[-+($€£]{{0,8}}(?:{_REVERSED}|{_PLAIN})\){{0,8}}"
_OPERATION = r" {0,2}(?://|[-+*/×÷−]|[xX](?= ?[0-9.($€£@r])) {0,2}"
_EXPRESSION = rf"{_OPERAND}(?:{_OPERATION}{_OPERAND})++"
_PROSE = re.compile(
    rf"{_ANNOTATION.pattern}|(?<![\w.,)])(?<![0-9]:)(?P<prose>{_EXPRESSION}(?: {{0,2}}= {{0,2}}(?:{_EXPRESSION}|{_OPERAND}))*+)"
)
# What makes an equation part of a longer one: an operation before it, but for a bullet, or behind it
_BEFORE = re.compile(r"(?:[-+*/×÷−^]|\b[xX]) *\Z")
_BULLET = re.compile(r"(?:\A|\n) *[-+*] +\Z")
_AFTER = re.compile(r" *[-+*/×÷−^]| *[xX] *[0-9($.]|:?[0-9]|[A-Za-z_(]")


class Equation(NamedTuple):
    """An equation `first = steps = ... = stated`: its fields, what joins them, and where they are in the text.

    `steps` is what stands between the first and the last field, the `=` behind it included; it begins at `at`.
    `equals` is empty where there is no `=`.
    """

    first: str
    equals: str
    steps: str
    stated: str
    start: int
    at: int
    end: int
    prose: bool = False


def read_equation(text: str, start: int = 0, prose: bool = False) -> Equation:
    """Take an equation apart; `start` is where it is in the whole text.

    >>> read_equation("48+24=r|27=72")[:4]
    ('48+24', '=', 'r|27=', '72')
    """
    signs = list(_EQUALS.finditer(text))
    if not signs:
        return Equation(text, "", "", "", start, start + len(text), start + len(text), prose)
    at, last = signs[0].end(), signs[-1].end()
    return Equation(
        text[: signs[0].start()],
        signs[0][0],
        text[at:last],
        text[last:],
        start,
        start + at,
        start + len(text),
        prose,
    )


def find_annotations(text: str) -> Iterator[Equation]:
    """The calculator annotations of a text, in order.

    >>> [equation.first for equation in find_annotations("48/2 = <<48/2=24>>24, 24+1 = <<24+1=25>>25")]
    ['48/2', '24+1']
    """
    for match in _ANNOTATION.finditer(text):
        yield read_equation(match[1], match.start(1))


def find_prose(text: str) -> Iterator[Equation]:
    """The equations `a op b = c` in prose, those of annotations aside, in order; parts of longer ones are left out.

    >>> [(e.first, e.stated) for e in find_prose("She has 48 + 24 = 72 (and 1 + 1=$2) of x + 3 * 4 = 12")]
    [('48 + 24', '72'), ('1 + 1', '$2')]
    """
    for match in _PROSE.finditer(text):
        start, end = match.span()
        chain = match["prose"] or ""
        if "=" not in chain:
            continue
        while chain.startswith("(") and chain.partition("=")[0].count("(") > chain.partition("=")[0].count(")"):
            chain, start = chain[1:], start + 1
        stated = chain.rpartition("=")[2]
        while chain.endswith(")") and stated.count(")") > stated.count("("):
            chain, stated, end = chain[:-1], stated[:-1], end - 1
        before = text[max(0, start - 40) : start]
        if _AFTER.match(text, end) or (_BEFORE.search(before) and not _BULLET.search(before)):
            continue
        yield read_equation(chain, start, prose=True)


def is_prose(text: str) -> bool:
    """Whether a text is an equation as `find_prose` finds it.

    >>> is_prose("48 + 24 = 72"), is_prose("48 + x = 72")
    (True, False)
    """
    found = _PROSE.fullmatch(text)
    return found is not None and found["prose"] is not None


def find_equations(text: str, prose: bool) -> list[Equation]:
    """The annotations of a text, and with `prose` the equations in its prose, in order.

    >>> [equation.prose for equation in find_equations("1+1 = 2, so <<2*2=4>>4", prose=True)]
    [True, False]
    """
    found = list(find_annotations(text))
    return sorted([*found, *find_prose(text)], key=lambda equation: equation.start) if prose else found
