"""Rollbacks: the quotient digits that an example of a mixture writes wrong and takes back."""

from __future__ import annotations

from collections.abc import Mapping

from revorder.methods import METHODS
from revorder.mixtures.mixture import Mixture

Steps = Mapping[int, str]  # quotient step, 0-based (-1: the place before the first digit): its correct digits
Plan = dict[int, int]  # quotient step: the wrong digit, or block of digits


def estimated_digits(a: int, b: int, leading: int, steps: Steps) -> Plan:
    """Return the quotient digits of a / b that an estimate from the leading digits of b gets wrong, by step.

    The estimate divides the digits above those leading digits, in the rest of the dividend, by the leading digits. It
    is rounded up if it is within a tenth of the next whole number, and is at most 9. It is never too low, so the borrow
    of the step's subtraction shows each error. With two or more leading digits it is too high by at most 1, and is a
    function of five digits, whatever the length of the operands. Rounding up makes an estimate that is one too low near
    the rule's bound harmless: that digit is the correct one. A block of k digits is rounded up within 1/10**k, and is
    too high by at most 1 with k + 1 or more leading digits.

    Args:
        a: the dividend.
        b: the divisor.
        leading: how many leading digits of the divisor are used.
        steps: the correct digits by quotient step.

    >>> estimated_digits(902, 129, 2, {0: "6"}), estimated_digits(948, 12, 2, {0: "7", 1: "9"})
    ({0: 7}, {})
    """
    cut = 10 ** max(0, len(str(b)) - leading)
    plan: Plan = {}
    unread, quotient = sum(map(len, steps.values())), 0
    for step, digits in steps.items():
        unread -= len(digits)
        size = 10 ** len(digits)
        left = a // 10**unread - quotient * size * b
        estimate = min(size - 1, (size * (left // cut) + b // cut) // (size * (b // cut)))
        if estimate != int(digits):
            plan[step] = estimate
        quotient = quotient * size + int(digits)
    return plan


def random_digit(steps: Steps, word: int) -> Plan:
    """Return one quotient digit (or block), off by one, chosen by a random integer.

    >>> random_digit({0: "7", 1: "9"}, 4)
    {0: 6}
    """
    word, step = divmod(word, max(steps) + 1)
    digits = steps[step]
    choices = [wrong for wrong in (int(digits) - 1, int(digits) + 1) if 0 <= wrong < 10 ** len(digits)]
    return {step: choices[word % len(choices)]}


def plan_rollbacks(mixture: Mixture, a: int, b: int, word: int | None = None) -> Plan:
    """Return the digits that an example of the mixture takes back in a / b.

    `word` is the example's randomness; without it, no digit is wrong at random.

    >>> plan_rollbacks(Mixture.read("lean"), 902, 129)
    {0: 7}
    """
    at_random = word is not None and (word & 0xFFFF) < round(mixture.rollback * 2**16)
    if not (mixture.estimate_digits or at_random):
        return {}
    steps = METHODS[mixture.method].quotient_steps(a, b, mixture.form)
    if mixture.estimate_digits:
        return estimated_digits(a, b, mixture.estimate_digits, steps)
    return random_digit(steps, (word or 0) >> 16)
