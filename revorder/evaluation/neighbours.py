"""Neighbours of the problems that a model is least sure of: errors come in clusters, which random samples miss."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from revorder.arithmetic.problem import Problem

HARDEST = 10  # problems of a column whose neighbours are drawn
REACH = 50  # how far an operand is moved

Confidence = Callable[[Sequence[Problem]], list[float]]  # the log-probability of the least likely token of each trace


def neighbours(problem: Problem) -> Iterator[Problem]:
    """Yield problems of the same lengths: one operand is up to REACH away, has two digits swapped, or one changed.

    >>> [str(beside) for beside in neighbours(Problem(9, "/", 8))][-3:]
    ['9/6', '9/7', '9/9']
    """
    for first in (True, False):
        operand = problem.a if first else problem.b
        for moved in sorted(moves(operand)):
            a, b = (moved, problem.b) if first else (problem.a, moved)
            if moved != operand and len(str(moved)) == len(str(operand)) and (b or problem.op != "/"):
                yield Problem(a, problem.op, b)


def moves(n: int) -> set[int]:
    """Return the neighbours of n: within REACH, with adjacent digits swapped, with one digit changed.

    >>> sorted(moves(12) - set(range(63)))
    [72, 82, 92]
    """
    digits = str(n)
    found = {n + by for by in range(max(-REACH, -n), REACH + 1)}
    for i, digit in enumerate(digits):
        found |= {int(digits[:i] + other + digits[i + 1 :]) for other in "0123456789"}
        found.add(int(digits[:i] + digits[i + 1 : i + 2] + digit + digits[i + 2 :]))
    return found


def hardest_neighbours(problems: Sequence[Problem], confidence: Confidence, n: int, seed: int) -> list[Problem]:
    """Return `n` neighbours, or all, of the HARDEST problems, those that a model is least sure of."""
    sure = confidence(problems)
    hardest = sorted(range(len(problems)), key=sure.__getitem__)[:HARDEST]
    around = dict.fromkeys(beside for i in hardest for beside in neighbours(problems[i]))
    return random.Random(seed).sample(list(around), min(n, len(around)))
