"""Rollbacks: which quotient digits an example of a mixture writes wrong, to take them back."""

from __future__ import annotations

from revorder.data.mixture import Mixture
from revorder.methods import METHODS

Plan = dict[int, int]  # quotient step, 0-based (-1: the place before the first digit): the wrong digit


def estimated_digits(a: int, b: int, leading: int, first: int = 0) -> Plan:
    """The quotient digits of a / b that an estimate from `leading` digits of b gets wrong, by step from `first`.

    The estimate is the quotient of those digits and of what stands above them in the dividend's rest, rounded up where
    it falls short of the next whole number by a tenth or less, at most 9. It is never too low, so that the borrow of
    the step's subtraction shows each error, and with two or more leading digits it is too high by at most 1: it is a
    function of five digits, whatever the length of the operands. Rounding up makes it harmless to be one too low where
    the rule's bound is near: that digit is the correct one.

    >>> estimated_digits(902, 129, 2), estimated_digits(948, 12, 2), estimated_digits(59, 12, 2)
    ({0: 7}, {}, {0: 5})
    """
    quotient = str(a // b)
    cut = 10 ** max(0, len(str(b)) - leading)
    plan: Plan = {}
    for step in range(first, len(quotient)):
        correct = int(quotient[step]) if step >= 0 else 0
        left = a // 10 ** (len(quotient) - 1 - step) - int(quotient[: max(0, step)] or 0) * 10 * b
        estimate = min(9, (10 * (left // cut) + b // cut) // (10 * (b // cut)))
        if estimate != correct:
            plan[step] = estimate
    return plan


def random_digit(a: int, b: int, offsets: tuple[int, ...], word: int) -> Plan:
    """One quotient digit of a / b, off by one of `offsets`, chosen by a random integer; none where none fits.

    >>> random_digit(948, 12, (-1, 1), 4)
    {0: 6}
    """
    digits = str(a // b)
    word, step = divmod(word, len(digits))
    choices = [wrong for by in offsets if 0 <= (wrong := int(digits[step]) + by) <= 9]
    return {step: choices[word % len(choices)]} if choices else {}


def plan_rollbacks(mixture: Mixture, a: int, b: int, word: int = 2**16 - 1) -> Plan:
    """The digits that an example of the mixture takes back in a / b; `word`: the example's randomness.

    >>> plan_rollbacks(Mixture.read("lean"), 902, 129)
    {0: 7}
    """
    if mixture.estimate_digits:
        return estimated_digits(a, b, mixture.estimate_digits, METHODS[mixture.method].first_step(a, b))
    if (word & 0xFFFF) >= round(mixture.rollback * 2**16):
        return {}
    return random_digit(a, b, mixture.rollback_by, word >> 16)
