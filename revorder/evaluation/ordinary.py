"""Ordinary numbers: decimals of up to 17 significant digits, like doubles, as operations on integers."""

from __future__ import annotations

import random

from revorder.arithmetic.problem import Problem

DIGITS = 17  # the most significant digits of an operand
EXPONENT = 14  # of ten, at the first digit: from -EXPONENT to EXPONENT
ANSWER_DIGITS = 15  # the least significant digits of a quotient
NAMES = {"+": "ADD", "-": "SUB", "*": "MUL", "/": "DIV"}

Decimal = tuple[int, int]  # (significant digits as an integer, the power of ten of the last one)


def ordinary_tasks(ops: str, seed: int, n: int) -> dict[str, list[Problem]]:
    """Return `n` problems on decimals for each operation, as the integers that a model is asked.

    >>> [len(str(problem)) for problem in ordinary_tasks("+", 0, 2)["ADD decimals"]]
    [40, 45]
    """
    tasks = {}
    for op in ops:
        rng, found = random.Random(f"{op}{seed}"), dict[Problem, None]()
        while len(found) < n:
            found[on_integers(draw_decimal(rng), op, draw_decimal(rng))] = None
        tasks[f"{NAMES[op]} decimals"] = list(found)
    return tasks


def draw_decimal(rng: random.Random) -> Decimal:
    """Draw the number of significant digits uniformly, then the digits, then the exponent of the first one."""
    size = rng.randint(1, DIGITS)
    return rng.randrange(10 ** (size - 1), 10**size), rng.randint(-EXPONENT, EXPONENT) - size + 1


def on_integers(a: Decimal, op: str, b: Decimal) -> Problem:
    """Return the operation on integers whose answer has the digits of a op b.

    Sums are aligned at the point, products leave the points out, and a dividend gets as many zeros as its quotient
    needs for ANSWER_DIGITS significant digits.

    >>> [str(on_integers((15, -1), op, (225, -2))) for op in "+-*/"]
    ['150+225', '150-225', '15*225', '150000000000000000/225']
    """
    (x, x_power), (y, y_power) = a, b
    if op == "*":
        return Problem(x, op, y)
    if op == "/":
        zeros = max(0, ANSWER_DIGITS + len(str(y)) - len(str(x)))
        return Problem(x * 10**zeros, op, y)
    last = min(x_power, y_power)
    return Problem(x * 10 ** (x_power - last), op, y * 10 ** (y_power - last))
