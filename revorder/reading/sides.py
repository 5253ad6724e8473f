"""Sides: whether what an equation states on each side is right, and if not, what is expected, and why."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from revorder.arithmetic.causes import UNKNOWN, find_cause
from revorder.arithmetic.expression import Expression
from revorder.arithmetic.numbers import Agreement, Number, agreement, places_needed
from revorder.errors import ProblemError
from revorder.reading.numbers import number_text, read_reversed

RIGHT, WRONG, UNREAD = "right", "wrong", "unread"
REMAINDER = "remainder"  # 17/5 = 3 R 3
ROUNDED_SOMEHOW = "rounded, and how is not said"
CHAIN = "run-on chain"  # 3+4=7*2=14: what follows the second sign is not 3+4
_PERCENT_OF_IT = re.compile(r"[-+] *[$€£]?[0-9.,]+ ?%")  # 200 + 10%


class Judged(NamedTuple):
    """The verdict on the sides of an equation: `side` is the index of the wrong one."""

    verdict: str | None
    side: int = 0
    expected: str = ""
    cause: str = ""


@lru_cache(maxsize=65536)
def judge_sides(
    sides: tuple[str, ...],
    rounding: bool = False,
    remainder: str = "",
    left_over: bool = False,
    near: tuple[int, ...] = (),
    tens: bool = False,
) -> Judged:
    """Judge the sides of an equation.

    `rounding`: its line says so; `tens`: it may say so of tens and more; `near`: the sides behind a ≈; `remainder`:
    stated behind its last side, `left_over`: in words, which may speak of something else behind an exact quotient or a
    decimal.

    The verdict is None if the first side has no operation, or letters.

    >>> judge_sides(("3+4", "7*2", "14"))
    Judged(verdict='wrong', side=2, expected='7', cause='run-on chain')
    >>> judge_sides(("10/3", "3.33")).verdict, judge_sides(("10/3", "3")).cause
    ('right', 'rounding')
    """
    try:
        first = Expression.parse(read_reversed(sides[0]))
        value = first.fraction()
    except ProblemError as error:
        if any(char.isalpha() for char in read_reversed(sides[0]).replace("x", "")):
            return Judged(None)
        return Judged(UNREAD, 0, "", "by zero" if "by zero" in str(error) else "its first side can't be read")
    if not first.operators:
        return Judged(None)
    accepted, run_on = {value}, False
    percent = any(map(_PERCENT_OF_IT.search, sides))
    for i, side in enumerate(sides[1:], 1):
        try:
            expression = Expression.parse(read_reversed(side))
            found = expression.fraction()
        except ProblemError:
            return Judged(UNREAD, i, "", "a side can't be read")
        items = expression.signed()
        if (
            remainder
            and i == len(sides) - 1
            and not (left_over and (found == value or found.denominator > 1))
            and (judged := judge_remainder(first, found, Fraction(remainder), i))
        ):
            return judged
        stated = items[0] if len(items) == 1 and isinstance(items[0], Number) else None
        if found in accepted and not run_on:
            if found != value and (stated is None or "%" in side):
                return Judged(UNREAD, i, "", "a side may continue with a rounded one")
            continue
        if stated is None:
            begins = next(item for item in items if isinstance(item, Number))
            if begins.value in accepted and i + 1 < len(sides) and not run_on:
                run_on = True
                continue
            if any(close(found, one) for one in accepted) and len(accepted) > 1:
                return Judged(UNREAD, i, "", "a side may continue with a rounded one")
        elif not run_on:
            how = agreement(value, stated)
            # no digit of a decimal that ends is cut without a word
            cut = how is Agreement.TRUNCATED and (rounding or (stated.places and places_needed(value) is None))
            if cut or (how is Agreement.ROUNDED and (stated.places or rounding)):
                accepted.add(found)
                continue
            if (i in near or tens) and is_round(value, found):
                if i not in near:
                    return Judged(UNREAD, i, "", ROUNDED_SOMEHOW)
                accepted.add(found)
                continue
        if percent:
            return Judged(UNREAD, i, "", "a percent may be of the number before it")
        is_next = rounding and found.denominator == 1 and abs(found - value) < 1
        if is_next or ((i in near or (rounding and value.denominator > 1)) and close(found, value, Fraction(1, 20))):
            return Judged(UNREAD, i, "", ROUNDED_SOMEHOW)
        cause = CHAIN if run_on else find_cause(first, value, stated) if stated is not None else UNKNOWN
        return Judged(WRONG, i, number_text(value), cause)
    return Judged(RIGHT)


def judge_remainder(first: Expression, quotient: Fraction, rest: Fraction, side: int) -> Judged | None:
    """Judge the quotient and the remainder that a text states for its first side; None if that ends in no division.

    >>> first = Expression.parse("-17/5")
    >>> [judge_remainder(first, Fraction(q), Fraction(r), 1).verdict for q, r in ((-3, -2), (-4, 3), (-3, 2))]
    ['right', 'right', 'wrong']
    """
    if first.postfix[-1] != "/":
        return None
    begin, missing = len(first.postfix) - 1, 1  # of the divisor
    while missing:
        begin -= 1
        item = first.postfix[begin]
        missing += 0 if item == "neg" else 1 if isinstance(item, str) else -1
    divisor = Expression(first.postfix[begin:-1]).fraction()
    value = first.fraction()
    if quotient.denominator == 1 and (quotient - value) * divisor + rest == 0 and abs(rest) < abs(divisor):
        return Judged(RIGHT)
    left = number_text((value - int(value)) * divisor)
    return Judged(WRONG, side, f"{int(value)} remainder {left}", REMAINDER)


def is_round(value: Fraction, stated: Fraction) -> bool:
    """Whether a whole number that ends in zeros is the nearest of its kind to a value.

    >>> is_round(Fraction(301), Fraction(300)), is_round(Fraction(301), Fraction(310))
    (True, False)
    """
    digits = str(abs(stated))
    zeros = len(digits) - len(digits.rstrip("0"))
    return stated.denominator == 1 and zeros > 0 and stated != 0 and abs(value - stated) * 2 <= 10**zeros


def close(a: Fraction, b: Fraction, share: Fraction = Fraction(1, 100)) -> bool:
    """Whether two values differ by at most a share of the second."""
    return abs(a - b) <= abs(b) * share
