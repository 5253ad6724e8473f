"""Likely causes of a wrong result, such as a lost carry or two swapped digits."""

from __future__ import annotations

import re
from fractions import Fraction

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.numbers import Agreement, Number, agreement, apply, places_needed
from revorder.errors import ProblemError

SIGN = "sign"  # the right digits with the wrong sign
ROUNDING = "rounding"  # rounded or cut off, and not marked as such
PRECEDENCE = "precedence"  # computed from left to right, or with the brackets ignored
POWER_OF_TEN = "power of ten"
REVERSED = "digits reversed"
SWAPPED = "digits swapped"  # two neighbouring digits
DROPPED = "digit dropped"
DOUBLED = "digit doubled"
CARRY = "carry"  # lost, or one too many
MISALIGNMENT = "misalignment"  # an operand or a partial product shifted to the wrong place
ONE_DIGIT = "one digit"
UNKNOWN = "unknown"

COMPARED_PLACES = 12  # decimal places whose digits are compared

_TERM = re.compile(r"(-?[0-9.]+)(//|[-+*/])?")


def find_cause(expression: Expression, exact: Fraction, stated: Number) -> str:
    """Return the likely cause of a wrong result: the first check that explains the stated value.

    Args:
        expression: the expression that was computed.
        exact: its exact value.
        stated: the wrong result.

    >>> problem = Expression.parse("48+24")
    >>> [find_cause(problem, Fraction(72), Number(Fraction(n), 0)) for n in (62, -72, 720, 27, 7, 722, 90)]
    ['carry', 'sign', 'power of ten', 'digits reversed', 'digit dropped', 'digit doubled', 'unknown']
    """
    found = stated.value
    if found == -exact:
        return SIGN
    if agreement(exact, stated) in (Agreement.ROUNDED, Agreement.TRUNCATED) and exact.denominator > 1:
        return ROUNDING
    if len(expression.operators) > 1 and found in (left_to_right(text := str(expression)), without_brackets(text)):
        return PRECEDENCE
    if found and exact and is_power_of_ten(abs(found / exact)):
        return POWER_OF_TEN
    needed = places_needed(exact) or 0
    scale = 10 ** max(stated.places, needed if needed <= COMPARED_PLACES else 0)
    if (exact * scale).denominator == (found * scale).denominator == 1 and (exact < 0) == (found < 0):
        right, wrong = str(abs(exact * scale)), str(abs(found * scale))
        if cause := digit_cause(right, wrong) or step_cause(expression, exact * scale, found * scale):
            return cause
        if len(right) == len(wrong) and sum(a != b for a, b in zip(right, wrong, strict=True)) == 1:
            return ONE_DIGIT
    return UNKNOWN


def digit_cause(right: str, wrong: str) -> str:
    """Return the cause that turns the digits of `right` into those of `wrong`; empty if no cause does.

    >>> digit_cause("1234", "1324"), digit_cause("1234", "134"), digit_cause("1234", "12334"), digit_cause("1234", "9")
    ('digits swapped', 'digit dropped', 'digit doubled', '')
    """
    if wrong == right[::-1].lstrip("0"):
        return REVERSED
    swapped = (right[:i] + right[i + 1] + right[i] + right[i + 2 :] for i in range(len(right) - 1))
    if len(wrong) == len(right) and wrong in swapped:
        return SWAPPED
    if len(wrong) == len(right) - 1 and any(right[:i] + right[i + 1 :] == wrong for i in range(len(right))):
        return DROPPED
    if len(wrong) == len(right) + 1 and any(right[: i + 1] + right[i:] == wrong for i in range(len(right))):
        return DOUBLED
    return ""


def step_cause(expression: Expression, exact: Fraction, found: Fraction) -> str:
    """Return the wrong step of written arithmetic that explains a result; empty if none does.

    Args:
        expression: the expression that was computed; only a single operation is examined.
        exact: its value, scaled to an integer.
        found: the wrong result, scaled by the same power of ten.

    >>> step_cause(Expression.parse("123*45"), Fraction(5535), Fraction(1107))
    'misalignment'
    """
    items = expression.signed()
    if len(items) != 3 or not isinstance(items[0], Number) or not isinstance(items[1], Number):
        return ""
    (a, b), op = (items[0].value, items[1].value), str(items[2])
    value = apply(a, op, b) if op != "/" or b else Fraction()
    scale = exact / value if value else Fraction(1)
    difference = abs(exact - found)
    most = 9 if op == "*" else 2
    if op in "+-*" and difference >= 10 and difference.denominator == 1:
        digits = str(difference.numerator).rstrip("0")
        lost = len(digits) == 1 and int(digits) < most and digits != str(difference.numerator)
        if lost or (op == "+" and found == without_carries(int(a * scale), int(b * scale))):
            return CARRY
    if op in "+-" and any(
        found in (apply(a * 10**k, op, b) * scale, apply(a, op, b * 10**k) * scale, apply(a / 10**k, op, b) * scale)
        for k in range(1, 6)
    ):
        return MISALIGNMENT
    if op == "*" and a.denominator == b.denominator == 1:
        for one, other in ((int(a), int(b)), (int(b), int(a))):
            parts = [one * int(digit) * 10**place for place, digit in enumerate(reversed(str(abs(other))))]
            moved = (sum(parts) - part + part * 10**k // 100 for part in parts[1:] for k in (1, 3))
            flat = sum(part // 10**place for place, part in enumerate(parts))
            if len(parts) > 1 and abs(found / scale) in (flat, *moved):
                return MISALIGNMENT
    return ""


def without_carries(a: int, b: int) -> int:
    """Return the sum with every carry lost.

    >>> without_carries(48, 24)
    62
    """
    width = max(len(str(abs(a))), len(str(abs(b))))
    pairs = zip(str(abs(a)).zfill(width), str(abs(b)).zfill(width), strict=True)
    return int("".join(str((int(x) + int(y)) % 10) for x, y in pairs))


def left_to_right(text: str) -> Fraction | None:
    """Return the value of an expression computed strictly from left to right; None if it has brackets.

    >>> left_to_right("50+83*6+9"), left_to_right("2*(3+4)")
    (Fraction(807, 1), None)
    """
    terms = _TERM.findall(text)
    if "".join(map("".join, terms)) != text:
        return None
    total, before = Fraction(0), "+"
    try:
        for number, operator in terms:
            total, before = apply(total, before, Fraction(number)), operator
    except ZeroDivisionError:
        return None
    return total


def without_brackets(text: str) -> Fraction | None:
    """Return the value of an expression with its brackets ignored; None if it has no brackets.

    >>> without_brackets("(2+3)*4")
    Fraction(14, 1)
    """
    try:
        return Expression.parse(re.sub("[()]", "", text)).fraction() if "(" in text else None
    except ProblemError:
        return None


def is_power_of_ten(value: Fraction) -> bool:
    """Whether a positive value is 10, 100, ... or 1/10, 1/100, ..."""
    more = value if value > 1 else 1 / value
    return more.denominator == 1 and more > 1 and str(more.numerator).rstrip("0") == "1"
