"""Numbers as people write them, read exactly: signs, decimals, percent, `$`, thousands separators, `//`, brackets.

Nothing is rounded and nothing is evaluated by Python's own parser; sizes are limited as for expressions of integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TypeVar

from revorder.arithmetic.expression import MAX_TERMS
from revorder.arithmetic.problem import MAX_DIGITS, TOO_LARGE, ascii_signs
from revorder.errors import ProblemError, quote

ACCEPTED = "accepted: numbers such as 1,234.5, .5, 10% or $3, + - * / //, brackets"
CURRENCY = "$€£"

_NUMBER = re.compile(
    r"(?=\.?[0-9])((?:[0-9]{1,3}(?:([,_ \u00a0\u202f'])[0-9]{3})(?:\2[0-9]{3})*(?![0-9])|[0-9]+)?)(\.[0-9]+)?(\s?%)?"
)
_TIMES = re.compile(rf"[xX]\s*[0-9.(\[{{{CURRENCY}]")  # but 2x+1 is no product of 2 and +1
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "neg": 3}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_FLOAT_PLACES = 10  # a stated number of so many places may come from binary floating point
_FLOAT_ERROR = Fraction(1, 2**44)  # and is then off by so much of it at most

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Number:
    """A number that was read: its exact value, and its places after the point as written, two more for a percent.

    >>> read_number("$1,234.50"), read_number("10%").value
    (Number(value=Fraction(2469, 2), places=2), Fraction(1, 10))
    """

    value: Fraction
    places: int


class Agreement(Enum):
    """How a stated number agrees with the exact value."""

    EXACT = "exact"
    ROUNDED = "rounded"  # to the nearest number of as many places, or as binary floating point comes to it
    TRUNCATED = "truncated"  # cut after as many places
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class RationalExpression:
    """Numbers joined by `+ - * / //`, brackets and signs, kept in postfix order.

    >>> RationalExpression.parse("$1.50 × (10% + .4)").value()
    Fraction(3, 4)
    """

    postfix: tuple[Number | str, ...]
    source: str = field(default="", compare=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> RationalExpression:
        """Read an expression in time linear in its length; × ÷ x, spaces and a final `=` or `=?` are accepted.

        Raises ProblemError that names the character, or the number that is too long.
        """
        body = ascii_signs(text.removeprefix("\ufeff")).rstrip().removesuffix("?").rstrip().removesuffix("=").rstrip()
        postfix: list[Number | str] = []
        stack: list[str] = []
        want_number = True
        at = 0

        def fail(what: str) -> ProblemError:
            return ProblemError(f"problem {quote(text)}: {what}; {ACCEPTED}")

        def write(op: str) -> None:
            last = postfix[-1]
            if op == "neg" and isinstance(last, Number):
                postfix[-1] = Number(-last.value, last.places)
            else:
                postfix.append(op)

        if not body:
            raise fail("nothing to read")
        while at < len(body):
            char = body[at]
            if len(postfix) + len(stack) >= MAX_TERMS:
                raise fail(f"more than {MAX_TERMS} numbers and signs")
            if char.isspace() or (want_number and char in CURRENCY):
                pass
            elif want_number:
                if match := _NUMBER.match(body, at):
                    if match.end() - at > MAX_DIGITS:
                        raise fail(f"a number has more than {MAX_DIGITS} digits")
                    postfix.append(_number(match))
                    want_number = False
                    at = match.end()
                    continue
                if char not in "([{-+":
                    raise fail(f"expected a number at character {at + 1}, not {char!r}")
                if char != "+":
                    stack.append("neg" if char == "-" else char)
            elif char in "+-*/" or _TIMES.match(body, at):
                op = "*" if char in "xX" else "//" if body.startswith("//", at) else char
                while stack and stack[-1] not in _CLOSING and _PRECEDENCE[stack[-1]] >= _PRECEDENCE[op]:
                    write(stack.pop())
                stack.append(op)
                want_number = True
                at += len(op) - 1
            elif char in ")]}":
                while stack and stack[-1] not in _CLOSING:
                    write(stack.pop())
                if not stack or _CLOSING[stack[-1]] != char:
                    raise fail(f"{char!r} at character {at + 1} closes nothing")
                stack.pop()
            else:
                raise fail(f"expected an operation at character {at + 1}, not {char!r}")
            at += 1
        if want_number:
            raise fail("it ends where a number is expected")
        while stack:
            if stack[-1] in _CLOSING:
                raise fail(f"a {stack[-1]!r} is never closed")
            write(stack.pop())
        return cls(tuple(postfix), text.strip())

    @property
    def operators(self) -> list[str]:
        """Its operators, signs aside, in the order in which they are applied.

        >>> RationalExpression.parse("-1+2*3").operators
        ['*', '+']
        """
        return [item for item in self.postfix if isinstance(item, str) and item != "neg"]

    def value(self) -> Fraction:
        """The exact value; raises ProblemError for a division by zero, and where it grows too long."""
        stack: list[Fraction] = []
        for item in self.postfix:
            if isinstance(item, Number):
                stack.append(item.value)
            elif item == "neg":
                stack.append(-stack.pop())
            else:
                b, a = stack.pop(), stack.pop()
                if item in ("/", "//") and b == 0:
                    raise ProblemError(f"problem {quote(self.source)}: division by zero has no answer")
                result = apply(a, item, b)
                if abs(result.numerator) >= TOO_LARGE or result.denominator >= TOO_LARGE:
                    raise ProblemError(f"problem {quote(self.source)}: it grows beyond {MAX_DIGITS} digits")
                stack.append(result)
        return stack.pop()


def _number(match: re.Match[str]) -> Number:
    whole, decimals = re.sub("[^0-9]", "", match[1]), (match[3] or "")[1:]
    places = len(decimals) + (2 if match[4] else 0)
    return Number(Fraction(int(whole + decimals), 10**places), places)


def read_number(text: str) -> Number:
    """Read one number, its sign included; raises ProblemError where it is none, or an expression.

    >>> read_number("-.50").value
    Fraction(-1, 2)
    """
    postfix = RationalExpression.parse(text).postfix
    if len(postfix) == 1 and isinstance(postfix[0], Number):
        return postfix[0]
    raise ProblemError(f"number {quote(text)}: an expression; accepted: a number such as 1,234.5, .5, 10% or $3")


def apply(a: Fraction, op: str, b: Fraction) -> Fraction:
    """The exact result of one operation; `//` rounds down.

    >>> apply(Fraction(-7), "//", Fraction(2))
    Fraction(-4, 1)
    """
    if op == "//":
        return Fraction(a // b)
    return a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b


def agreement(exact: Fraction, stated: Number) -> Agreement:
    """Whether a stated number is the exact value, or one that is correctly rounded or cut to its own places.

    >>> [agreement(Fraction(5, 3), read_number(text)).value for text in ("1.67", "1.66", "2", "1.68")]
    ['rounded', 'truncated', 'rounded', 'wrong']
    """
    error = abs(exact - stated.value)
    unit = Fraction(1, 10**stated.places)
    if not error:
        return Agreement.EXACT
    if error * 2 <= unit or (stated.places >= _FLOAT_PLACES and error <= abs(exact) * _FLOAT_ERROR):
        return Agreement.ROUNDED
    if error < unit and abs(stated.value) < abs(exact) and stated.value * exact >= 0:
        return Agreement.TRUNCATED
    return Agreement.WRONG


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


def infix(postfix: Sequence[T | str], write: Callable[[T], str]) -> str:
    """Write a postfix sequence with the fewest brackets, where no sign follows an operator; `write` writes a number.

    >>> infix([1, 2, "-", -3, "*", -4, 5, "*", "-"], str)
    '(1-2)*(-3)-(-4*5)'
    """
    stack: list[tuple[list[str], int]] = []  # pieces and their precedence; pieces are extended in place

    def wrapped(pieces: list[str], yes: bool) -> list[str]:
        return ["(", *pieces, ")"] if yes else pieces

    for item in postfix:
        if not isinstance(item, str):
            stack.append(([write(item)], 4))
            continue
        right, right_precedence = stack.pop()
        signed = right[0].startswith("-")
        if item == "neg":
            stack.append((["-", *wrapped(right, signed or right_precedence < 4)], 3))
            continue
        left, left_precedence = stack.pop()
        left = wrapped(left, left_precedence < _PRECEDENCE[item])
        left.append(item)
        left += wrapped(right, signed or right_precedence <= _PRECEDENCE[item])
        stack.append((left, _PRECEDENCE[item]))
    return "".join(stack[-1][0])
