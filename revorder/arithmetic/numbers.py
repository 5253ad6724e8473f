"""Numbers with digits after the point: exact values, how they are written, and how a stated one agrees with a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

_FLOAT_DIGITS, _FLOAT_PLACES = 16, 10  # a stated number with this many may come from binary floating point
_FLOAT_ERROR = Fraction(1, 2**44)  # the most that it is then off, relative to the value


@dataclass(frozen=True, slots=True)
class Number:
    """A number that was read: its exact value, and its places after the point as written, two more for a percent.

    >>> str(Number(Fraction(3, 2), 2)), Number(Fraction(3, 2), 2).scaled
    ('1.50', 150)
    """

    value: Fraction
    places: int

    @property
    def scaled(self) -> int:
        """Its digits without the point."""
        return int(self.value * 10**self.places)

    def __str__(self) -> str:
        return decimal_text(self.scaled, self.places)


class Agreement(Enum):
    """How a stated number agrees with the exact value."""

    EXACT = "exact"
    ROUNDED = "rounded"  # to the nearest number of as many places, or as binary floating point comes to it
    TRUNCATED = "truncated"  # cut after as many places
    WRONG = "wrong"


def agreement(exact: Fraction, stated: Number) -> Agreement:
    """Return how a stated number agrees with the exact value: equal, rounded or cut to its own places, or not at all.

    Of two roundings of an exact half, half up (away from zero) and half to even are accepted. A fraction (2/6 for 3/4)
    is neither rounded nor cut.

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
    """The exact result of one operation; `//` rounds down.

    >>> apply(Fraction(-7), "//", Fraction(2))
    Fraction(-4, 1)
    """
    if op == "//":
        return Fraction(a // b)
    return a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b


def places_needed(value: Fraction) -> int | None:
    """The places after the point that write a value in full; None where no number of them does.

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
    """Write `scaled` / 10**`places` with exactly so many places.

    >>> decimal_text(-5, 2), decimal_text(700, 2)
    ('-0.05', '7.00')
    """
    digits = str(abs(scaled)).rjust(places + 1, "0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else sign + digits
