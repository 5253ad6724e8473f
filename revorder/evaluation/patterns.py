"""Patterns: every pattern of carries of 16D+16D and of borrows of 16D-16D, which random problems meet only in part."""

from __future__ import annotations

import random
from functools import cache
from itertools import product

from revorder.arithmetic.problem import Problem

SIZE = 16  # digits of both operands


def pattern_tasks(ops: str, seed: int, n: int | None) -> dict[str, list[Problem]]:
    """Return a problem for each pattern, or for `n` patterns of each task, drawn by the seed.

    >>> {task: len(problems) for task, problems in pattern_tasks("+-", 0, 5).items()}
    {'ADD 16D+16D carries': 5, 'SUB 16D-16D borrows, a >= b': 5, 'SUB 16D-16D borrows, a < b': 5}
    """
    half = 2 ** (SIZE - 1)
    wanted = [
        ("ADD 16D+16D carries", "+", range(2 * half)),
        ("SUB 16D-16D borrows, a >= b", "-", range(half)),
        ("SUB 16D-16D borrows, a < b", "-", range(half, 2 * half)),
    ]
    return {
        task: [with_pattern(op, i, seed) for i in _some(patterns, n, seed)]
        for task, op, patterns in wanted
        if op in ops
    }


def with_pattern(op: str, pattern: int, seed: int) -> Problem:
    """Return a problem that carries, or borrows, from exactly the places whose bits are set, the units' bit lowest.

    >>> str(with_pattern("-", 2**16 - 1, 0))
    '2605412378124320-4855533398689866'
    """
    rng = random.Random(f"{op}{pattern}:{seed}")
    a = b = into = 0
    for place in range(SIZE):
        out = pattern >> place & 1
        x, y = rng.choice(_pairs(op, into, out, place == SIZE - 1))
        a, b, into = a + x * 10**place, b + y * 10**place, out
    return Problem(a, op, b)


@cache
def _pairs(op: str, into: int, out: int, first: bool) -> list[tuple[int, int]]:
    """Return the pairs of digits that turn a carry, or borrow, into another one; numbers begin with no 0."""
    digits = range(1 if first else 0, 10)
    if op == "+":
        return [(x, y) for x, y in product(digits, digits) if (x + y + into > 9) == out]
    return [(x, y) for x, y in product(digits, digits) if (x - y - into < 0) == out]


def _some(patterns: range, n: int | None, seed: int) -> list[int]:
    return list(patterns) if n is None or n >= len(patterns) else sorted(random.Random(seed).sample(patterns, n))
