"""Decimal expressions, reduced pair by pair to problems on integers; the points are moved by rule."""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction
from typing import NamedTuple

from revorder.arithmetic.expression import signed_problem
from revorder.arithmetic.problem import Problem
from revorder.arithmetic.rational import Number, RationalExpression, decimal_text, places_needed
from revorder.errors import ProblemError, quote

MAX_PLACES = 1000  # that a division may go on to

Steps = Generator[Problem, tuple[int, int], "Scaled"]
Ask = Generator[Problem, tuple[int, int], int]


class Scaled(NamedTuple):
    """The value top / bottom / 10**places; `bottom` is 1 but for a quotient that does not end."""

    top: int
    bottom: int
    places: int


def reduce_decimals(text: str, decimals: int = 6) -> Generator[Problem, tuple[int, int], str]:
    """Reduce a decimal expression: yields each Problem, is sent its (value, remainder), returns the answer as text.

    A quotient that ends within `decimals` places is written in full. Any other stays a fraction, and is divided, and
    rounded to `decimals` places (a half away from zero), once and at the end: `1/3*3` is 1. Everything else is exact.
    Raises ProblemError where `text` is no expression, for a division by zero, and where operands grow too long.

    >>> steps = reduce_decimals("1.5*2.25+10%")
    >>> next(steps), steps.send((3375, 0))
    (Problem(a=15, op='*', b=225), Problem(a=3375, op='+', b=100))
    """
    if not 0 <= decimals <= MAX_PLACES:
        raise ProblemError(f"decimals {decimals}: accepted: 0 to {MAX_PLACES}")
    stack: list[Scaled] = []
    for item in RationalExpression.parse(text).postfix:
        if isinstance(item, Number):
            stack.append(Scaled(int(item.value * 10**item.places), 1, item.places))
        elif item == "neg":
            top, bottom, places = stack.pop()
            stack.append(Scaled(-top, bottom, places))
        else:
            b, a = stack.pop(), stack.pop()
            if item in "+-":
                stack.append((yield from _add(a, item, b)))
            elif item == "*":
                stack.append((yield from _multiply(a, b)))
            elif b.top == 0:
                raise ProblemError(f"problem {quote(text)}: division by zero has no answer")
            else:
                quotient = yield from _divide(a, b, decimals)
                stack.append((yield from _floor(quotient)) if item == "//" else quotient)
    top, bottom, places = stack.pop()
    if bottom > 1:
        top, places = (yield from _round(top, bottom, places, decimals)), decimals
    shown = decimal_text(top, places)
    return shown.rstrip("0").rstrip(".") if places else shown


def exact_decimals(text: str, decimals: int = 6) -> str:
    """The answer of `reduce_decimals` by Python's integers.

    >>> exact_decimals("1.5*2.25+10%"), exact_decimals("-2/3", 4), exact_decimals("1/3*3")
    ('3.475', '-0.6667', '1')
    """
    steps = reduce_decimals(text, decimals)
    try:
        problem = next(steps)
        while True:
            problem = steps.send((problem.value, problem.remainder))
    except StopIteration as done:
        return done.value


def _ask(a: int, op: str, b: int) -> Ask:
    """The result of one operation on signed integers."""
    problem, negate = signed_problem(a, op, b)
    value, _ = yield problem
    return -value if negate else value


def _times(a: int, b: int) -> Ask:
    """A product, which is asked for only where neither factor is 1."""
    return a * b if 1 in (a, b) else (yield from _ask(a, "*", b))


def _add(a: Scaled, op: str, b: Scaled) -> Steps:
    places = max(a.places, b.places)
    top, other = a.top * 10 ** (places - a.places), b.top * 10 ** (places - b.places)  # zeros written behind
    bottom = a.bottom
    if a.bottom != b.bottom:
        top = yield from _times(top, b.bottom)
        other = yield from _times(other, a.bottom)
        bottom = yield from _times(a.bottom, b.bottom)
    return Scaled((yield from _ask(top, op, other)), bottom, places)


def _multiply(a: Scaled, b: Scaled) -> Steps:
    top = yield from _ask(a.top, "*", b.top)
    return Scaled(top, (yield from _times(a.bottom, b.bottom)), a.places + b.places)


def _divide(a: Scaled, b: Scaled, decimals: int) -> Steps:
    top = yield from _times(a.top, b.bottom)
    bottom = yield from _times(b.top, a.bottom)
    if bottom < 0:
        top, bottom = -top, -bottom
    places = a.places - b.places
    if places < 0:
        top, places = top * 10**-places, 0
    needed = places_needed(Fraction(top, bottom))
    if needed is None or (needed and needed + places > decimals):
        return Scaled(top, bottom, places)
    return Scaled((yield from _ask(top * 10**needed, "/", bottom)), 1, places + needed)


def _floor(number: Scaled) -> Steps:
    """The largest integer that is not above a number."""
    bottom = number.bottom * 10**number.places
    if bottom == 1:
        return number
    value, remainder = yield Problem(abs(number.top), "/", bottom)
    if number.top < 0:
        value = -(value + 1 if remainder else value)
    return Scaled(value, 1, 0)


def _round(top: int, bottom: int, places: int, decimals: int) -> Ask:
    """top / bottom / 10**places, times 10**decimals, rounded to the nearest integer, a half away from zero."""
    shift = decimals - places
    scaled, bottom = abs(top) * 10 ** max(shift, 0), bottom * 10 ** max(-shift, 0)
    value, remainder = yield Problem(scaled, "/", bottom)
    if 2 * remainder >= bottom:
        value = yield from _ask(value, "+", 1)
    return -value if top < 0 else value
