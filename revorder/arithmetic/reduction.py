"""Reduce expressions in postfix order, pair by pair, to problems on non-negative integers.

A reduction is a generator: it yields each Problem, is sent its (value, remainder), and returns the result of the whole
expression. A rule places signs and points.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from fractions import Fraction
from typing import NamedTuple, TypeVar

from revorder.arithmetic.numbers import Number, decimal_text, places_needed
from revorder.arithmetic.problem import BY_ZERO, MAX_DIGITS, TOO_LARGE, Problem, answer_text
from revorder.errors import ProblemError

DECIMALS = 6  # decimal places of a division by default
MAX_DECIMALS = 1000

T = TypeVar("T")
Ask = Generator[Problem, tuple[int, int], int]
Steps = Generator[Problem, tuple[int, int], "Scaled"]


class Answer(NamedTuple):
    """An answer as text, and whether it is rounded."""

    text: str
    rounded: bool = False


def run_exactly(steps: Generator[Problem, tuple[int, int], T]) -> T:
    """Run a reduction with Python's integers, and return its result.

    >>> run_exactly(reduce_integers((2, 3, "*", 4, "+")))
    (10, 0)
    """
    try:
        problem = next(steps)
        while True:
            problem = steps.send((problem.value, problem.remainder))
    except StopIteration as done:
        return done.value


def signed_problem(a: int, op: str, b: int) -> tuple[Problem, bool]:
    """Return one operation on signed integers as a Problem, and whether to negate its answer.

    >>> signed_problem(-3, "-", 5)
    (Problem(a=3, op='+', b=5), True)
    """
    if op in "*/":
        return Problem(abs(a), op, abs(b)), (a < 0) != (b < 0)
    if op == "-":
        b = -b
    if a < 0 and b < 0:
        return Problem(-a, "+", -b), True
    if a >= 0 and b >= 0:  # a - 0 stays a subtraction
        return (Problem(a, "-", 0) if op == "-" and b == 0 else Problem(a, "+", b)), False
    return (Problem(a, "-", -b), False) if b < 0 else (Problem(b, "-", -a), False)


def reduce_integers(postfix: Iterable[int | Number | str]) -> Generator[Problem, tuple[int, int], tuple[int, int]]:
    """Reduce integers to (value, remainder).

    Raises ProblemError if a division before the last operation is not exact, for a division by zero, and for a Number
    or a `//`.

    >>> steps = reduce_integers((2, 3, "*", 4, "+"))
    >>> next(steps), steps.send((6, 0))
    (Problem(a=2, op='*', b=3), Problem(a=6, op='+', b=4))
    """
    stack: list[tuple[int, int]] = []
    last = ""

    def take() -> int:
        value, remainder = stack.pop()
        if remainder:
            raise ProblemError(
                f"{last} inside it is not exact ({answer_text(value, remainder)}); "
                f"only the last operation may leave a remainder; for decimals: solve --decimals {DECIMALS}"
            )
        return value

    for item in postfix:
        if isinstance(item, int):
            stack.append((item, 0))
        elif item == "neg":
            value, remainder = stack.pop()
            stack.append((-value, -remainder))
        elif isinstance(item, Number) or item == "//":
            raise ProblemError("accepted here: integers, + - * / and brackets")
        else:
            b = take()
            a = take()
            if not (-TOO_LARGE < a < TOO_LARGE and -TOO_LARGE < b < TOO_LARGE):
                raise ProblemError(f"it grows beyond {MAX_DIGITS} digits")
            if item == "/" and b == 0:
                raise ProblemError(BY_ZERO)
            problem, negate = signed_problem(a, item, b)
            value, remainder = yield problem
            if item == "/" and a < 0:
                remainder = -remainder  # the remainder has the dividend's sign: a == value * b + remainder
            stack.append((-value if negate else value, remainder))
            last = f"{a}{item}{b}"
    return stack.pop()


class Scaled(NamedTuple):
    """The value top / bottom / 10**places; `bottom` is 1 except in a quotient whose decimals don't end."""

    top: int
    bottom: int
    places: int


def reduce_scaled(postfix: Iterable[int | Number | str], decimals: int) -> Generator[Problem, tuple[int, int], Answer]:
    """Reduce decimals, as scaled integers, to an Answer.

    A quotient that ends within `decimals` places is written in full. Any other quotient stays a fraction until the end,
    where it is divided and rounded once to `decimals` places (a half away from zero): `1/3*3` is 1. Everything else is
    exact. Raises ProblemError for a division by zero, and if numbers grow too long.

    >>> steps = reduce_scaled((15, Number(Fraction(9, 4), 2), "*"), 6)
    >>> next(steps)
    Problem(a=15, op='*', b=225)
    """
    if type(decimals) is not int or decimals not in range(MAX_DECIMALS + 1):
        raise ProblemError(f"decimals {decimals!r}: accepted: 0 to {MAX_DECIMALS}")
    stack: list[Scaled] = []
    for item in postfix:
        if isinstance(item, int):
            stack.append(Scaled(item, 1, 0))
        elif isinstance(item, Number):
            stack.append(Scaled(item.scaled, 1, item.places))
        elif item == "neg":
            top, bottom, places = stack.pop()
            stack.append(Scaled(-top, bottom, places))
        else:
            b, a = stack.pop(), stack.pop()
            if max(a.places, b.places) > MAX_DIGITS:
                raise ProblemError(f"it grows beyond {MAX_DIGITS} digits")
            if item in "+-":
                stack.append((yield from _add(a, item, b)))
            elif item == "*":
                stack.append((yield from _multiply(a, b)))
            else:
                stack.append((yield from _divide(a, item, b, decimals)))
    top, bottom, places = stack.pop()
    rounded = False
    if bottom > 1:
        shift = decimals - places
        bottom, places = bottom * 10 ** max(-shift, 0), decimals
        value, remainder = yield Problem(abs(top) * 10 ** max(shift, 0), "/", bottom)
        if 2 * remainder >= bottom:
            value = yield from _ask(value, "+", 1)
        top, rounded = -value if top < 0 else value, remainder > 0
    shown = decimal_text(top, places)
    return Answer(shown.rstrip("0").rstrip(".") if places else shown, rounded)


def _ask(a: int, op: str, b: int) -> Ask:
    """Ask for one operation on signed integers, and return its result."""
    problem, negate = signed_problem(a, op, b)
    value, _ = yield problem
    return -value if negate else value


def _times(a: int, b: int) -> Ask:
    """Ask for a product, unless a factor is 1, and return it."""
    return a * b if 1 in (a, b) else (yield from _ask(a, "*", b))


def _add(a: Scaled, op: str, b: Scaled) -> Steps:
    places = max(a.places, b.places)
    top, other = a.top * 10 ** (places - a.places), b.top * 10 ** (places - b.places)  # append zeros
    bottom = a.bottom
    if a.bottom != b.bottom:
        top = yield from _times(top, b.bottom)
        other = yield from _times(other, a.bottom)
        bottom = yield from _times(a.bottom, b.bottom)
    return Scaled((yield from _ask(top, op, other)), bottom, places)


def _multiply(a: Scaled, b: Scaled) -> Steps:
    top = yield from _ask(a.top, "*", b.top)
    return Scaled(top, (yield from _times(a.bottom, b.bottom)), a.places + b.places)


def _divide(a: Scaled, op: str, b: Scaled, decimals: int) -> Steps:
    top = yield from _times(a.top, b.bottom)
    bottom = yield from _times(b.top, a.bottom)
    if bottom == 0:
        raise ProblemError(BY_ZERO)
    if bottom < 0:
        top, bottom = -top, -bottom
    places = a.places - b.places
    if places < 0:
        top, places = top * 10**-places, 0
    if op == "//":
        return (yield from _floor(top, bottom * 10**places))
    needed = places_needed(Fraction(top, bottom))
    if needed is None or needed + places > decimals:  # rounded at the end
        return Scaled(top, bottom, places) if bottom > 1 else Scaled(top, 10**places, 0)
    return Scaled((yield from _ask(top * 10**needed, "/", bottom)), 1, places + needed)


def _floor(top: int, bottom: int) -> Steps:
    """Return the largest integer that is not above top / bottom."""
    value, remainder = yield Problem(abs(top), "/", bottom)
    if top < 0 and remainder:
        value = yield from _ask(value, "+", 1)
    return Scaled(-value if top < 0 else value, 1, 0)
