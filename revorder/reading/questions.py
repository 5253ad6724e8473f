"""Questions of arithmetic in words, and the answers stored with them, read strictly.

A question is arithmetic where it is one expression and words that ask for its value. Any other word may ask for
something else (`the last digit of 3 * 4`).
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from revorder.arithmetic.expression import Expression, read_number
from revorder.arithmetic.numbers import Number
from revorder.arithmetic.problem import ascii_signs
from revorder.errors import ProblemError
from revorder.reading.answers import extract_answer

# Words that ask for a value, and change nothing about it
_ASKING = frozenset(
    re.findall(
        "[a-z']+",
        """a an and answer answers arithmetic as at calculate calculation can compute could decimal determine do does
        equal equals equation evaluate exact exactly expression final find following for form fraction give given how in
        is it its lowest maximum me most much multiplication addition subtraction division number numeric numerical of
        one only operation out places please problem q question reply respond response result return round rounded
        rounding show simplified simplify single solution solve state task tell terms that the this to us value what
        what's whats will with work would write you your""",
    )
)
_WORD = re.compile(r"(?<![\w.\\])[A-Za-z]+(?:'[a-z]+)?(?!\w)")
_SIGNS = {"plus": "+", "minus": "-", "times": "*", "multiplied": "*", "cdot": "*", "divided": "/", "div": "/"}
_OPERATION = re.compile(rf"\\?\b({'|'.join(_SIGNS)})\b(?: by\b)?", re.IGNORECASE)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_NEAREST = {
    "tenth": 1,
    "hundredth": 2,
    "cent": 2,
    "thousandth": 3,
    "integer": 0,
    "whole number": 0,
    "ten": -1,
    "hundred": -2,
}
_PRECISION = re.compile(
    rf"\b(?P<count>[0-9]{{1,3}}|{'|'.join(_COUNTS)}) (?:(?P<significant>sig(?:nificant|\.)?) (?:digit|fig(?:ure)?)s?"
    rf"|decimals?(?: (?:place|digit)s?)?|digits? after the (?:decimal )?point)\b|\bnearest (?P<nearest>{'|'.join(_NEAREST)})\b",
    re.IGNORECASE,
)
_ROUNDING = re.compile(r"\bround", re.IGNORECASE)
_NO_CHANGE = re.compile(
    r"\bquotient and (?:the )?remainder\b|\brounding (?:up from the half|half up)\b|\b(?:such as|for example|e\.g\.),? \S+",
    re.IGNORECASE,
)
_APART = re.compile(r"[;\n]|[.,:?](?=[\s;]|\Z)")  # what no expression has
_BOLD = re.compile(r"(?<![\w)])\*\*(?=\S)([^*]+(?:\*[^*]+)*)(?<=\S)\*\*(?![\w(])")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_NUMBERED = re.compile(r"\b(?:problem|question|q) ?[0-9]", re.IGNORECASE)  # `Question 5 - 3 + 4` asks for 7
_AROUND = " \t`$\"'_"  # markup
_LOWEST = re.compile(r"\b(?:simpl|lowest\b)", re.IGNORECASE)
_QUOTIENT = re.compile(r"(-?)\(?(-?[0-9]{1,400})\)?\s*/\s*\(?(-?[0-9]{1,400})\)?")
_SCIENTIFIC = re.compile(r"([-+]?[0-9]{1,400})(?:\.([0-9]{1,400}))?[eE]([-+]?[0-9]{1,3})")


class Asked(NamedTuple):
    """What a question asks: an expression, and how its value is to be rounded, if at all.

    `places`: to so many decimals, negative ones for tens and hundreds; `significant`: to so many digits; `rounding`: it
    says that the value is rounded; `lowest`: a fraction is to be in lowest terms.
    """

    expression: Expression
    places: int | None = None
    significant: int | None = None
    rounding: bool = False
    lowest: bool = False


def read_question(text: str) -> Asked | None:
    """What a question asks; None where it is not arithmetic, or may be something more.

    >>> str(read_question("What is 12 times (3 + 4)? Give only the result.").expression)
    '12*(3+4)'
    >>> read_question("What is the last digit of 12 * 3?") is read_question("Solve 3x + 4 = 10.") is None
    True
    """
    rest = _FRACTION.sub(r"(\1)/(\2)", _BOLD.sub(r"\1", ascii_signs(text)))
    rest = _OPERATION.sub(lambda match: _SIGNS[match[1].lower()], rest)
    rest = _NO_CHANGE.sub(";", rest)
    precision = _PRECISION.search(rest)
    rest = _WORD.sub(lambda match: ";" if match[0].lower() in _ASKING else match[0], _PRECISION.sub(";", rest))
    pieces = [piece for part in _APART.split(rest) if (piece := part.strip(_AROUND)) not in ("", "=")]
    if len(pieces) != 1 or re.match(r"[-+]\s", pieces[0]) or _NUMBERED.search(text):  # or a dash
        return None
    try:
        expression = Expression.parse(pieces[0])
    except ProblemError:
        return None
    if not expression.operators:
        return None
    asked = Asked(expression, None, None, bool(precision or _ROUNDING.search(text)), bool(_LOWEST.search(text)))
    if precision is None:
        return asked
    if nearest := precision["nearest"]:
        return asked._replace(places=_NEAREST[nearest.lower()])
    count = _COUNTS.get(precision["count"].lower()) or int(precision["count"])
    return asked._replace(significant=count) if precision["significant"] else asked._replace(places=count)


def bare_answer(text: str) -> str:
    """An answer without the markup around it."""
    return _FRACTION.sub(r"(\1)/(\2)", ascii_signs(text)).strip().rstrip(".").strip(_AROUND)


def read_fraction(text: str) -> tuple[int, int] | None:
    """The numerator and the denominator, not 0, of an answer that is a fraction alone, as it is written.

    >>> read_fraction("-46/262"), read_fraction(r"\\frac{5}{4}"), read_fraction("80+4")
    ((-46, 262), (5, 4), None)
    """
    match = _QUOTIENT.fullmatch(bare_answer(text))
    if match is None or not int(match[3]):
        return None
    return -int(match[2]) if match[1] else int(match[2]), int(match[3])


def read_answer(text: str) -> Number | str | None:
    """The number that a stored answer states, or text such as `79R2`; None where it states none.

    >>> str(read_answer("The answer is $1,047.50.")), read_answer("5/4").value, read_answer("79 remainder 2")
    ('1047.50', Fraction(5, 4), '79R2')
    """
    bare = bare_answer(text)
    if (fraction := read_fraction(text)) and fraction[0] % fraction[1]:
        return Number(Fraction(*fraction), 0)
    if match := _SCIENTIFIC.fullmatch(bare):
        whole, behind, exponent = match[1], match[2] or "", int(match[3])
        value = Fraction(int(whole + behind)) * Fraction(10) ** (exponent - len(behind))
        return Number(value, max(len(behind) - exponent, 0))
    try:
        return read_number(bare)
    except ProblemError:
        stated = extract_answer(text)
    try:
        return stated if stated is None or "R" in stated else read_number(stated)
    except ProblemError:  # it is too long
        return None
