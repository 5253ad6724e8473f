"""Decimal numbers: their exact values, how they are written, and how a stated number agrees with an exact value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

_FLOAT_DIGITS, _FLOAT_PLACES = 16, 10  # a stated number this long may come from binary floating point
_FLOAT_ERROR = Fraction(1, 2**44)  # the largest relative error of such a number


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written: its exact value and its decimal places, two more for a percentage.

    >>> str(Number(Fraction(3, 2), 2)), Number(Fraction(3, 2), 2).scaled
    ('1.50', 150)
    """

    value: Fraction
    places: int

    @property
    def scaled(self) -> int:
        """The number without its point, as an integer."""
        return int(self.value * 10**self.places)

    def __str__(self) -> str:
        return decimal_text(self.scaled, self.places)


class Agreement(Enum):
    """How a stated number agrees with the exact value."""

    EXACT = "exact"
    ROUNDED = "rounded"  # to the nearest number with as many places, or as binary floating point gives it
    TRUNCATED = "truncated"  # cut off after as many places
    WRONG = "wrong"


def agreement(exact: Fraction, stated: Number) -> Agreement:
    """Return how a stated number agrees with the exact value: equal, rounded or cut to its own places, or wrong.

    An exact half may be rounded up (away from zero) or to even. A fraction (2/6 for 3/4) is neither rounded nor cut.

    >>> [agreement(Fraction(5, 3), Number(Fraction(n, 100), 2)).value for n in (167, 166, 168)]
    ['rounded', 'truncated', 'wrong']
    """
    error = abs(exact - stated.value)
    unit = Fraction(1, 10**stated.places)
    if not error:
        return Agreement.EXACT
    if (stated.value / unit).denominator > 1:  # a fraction is not rounded
        return Agreement.WRONG
    half_up_or_even = abs(stated.value) > abs(exact) or stated.scaled % 2 == 0
    if error * 2 < unit or (error * 2 == unit and half_up_or_even):
        return Agreement.ROUNDED
    from_float = stated.places >= _FLOAT_PLACES and len(str(abs(stated.scaled))) >= _FLOAT_DIGITS
    if from_float and error <= abs(exact) * _FLOAT_ERROR:
        return Agreement.ROUNDED
    if error < unit and abs(stated.value) < abs(exact) and stated.value * exact >= 0:
        return Agreement.TRUNCATED
    return Agreement.WRONG


def apply(a: Fraction, op: str, b: Fraction) -> Fraction:
    """Return the exact result of one operation; `//` rounds down.

    >>> apply(Fraction(-7), "//", Fraction(2))
    Fraction(-4, 1)
    """
    if op == "//":
        return Fraction(a // b)
    return a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b


def places_needed(value: Fraction) -> int | None:
    """Return how many decimal places write a value in full; None if the decimals never end.

    >>> places_needed(Fraction(3, 8)), places_needed(Fraction(1, 3))
    (3, None)
    """
    rest = value.denominator
    twos, fives = (rest & -rest).bit_length() - 1, 0
    rest >>= twos
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def decimal_text(scaled: int, places: int) -> str:
    """Return `scaled` / 10**`places` as text with exactly `places` decimal places.

    >>> decimal_text(-5, 2), decimal_text(700, 2)
    ('-0.05', '7.00')
    """
    digits = str(abs(scaled)).rjust(places + 1, "0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else sign + digits
