"""Reverse: the answer least significant digit first and no mark, as Lee et al. (2023) write it; a control."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..problem import Problem, ascii_signs
from ..trace import Guess, Part, copy
from .reading import question

__all__ = ["FORMS", "ROLLS_BACK", "final", "question", "write"]

FORMS = ("reverse",)
ROLLS_BACK = False


def write(problem: Problem, form: str, guess: Guess, answer: bool) -> Iterator[Part]:
    """Yield the question and the reversed answer: a minus sign last, quotient and remainder reversed each.

    >>> from revorder.trace import right
    >>> "".join(part[0] for part in write(Problem(12, "-", 35), "reverse", right, True))
    '12-35=32-'
    """
    a, op, b = problem.a, problem.op, problem.b
    yield copy(f"{problem}=")
    text = str(problem.value)[::-1]
    if problem.remainder:
        text += f"R{str(problem.remainder)[::-1]}"
    yield (text, f"r{op}", a, b)


def final(text: str) -> str | None:
    """The answer after the last `=`, turned most significant digit first; None where there is none.

    >>> final("12-35=32-"), final("950/12=97R2")
    ('-23', '79R2')
    """
    field = re.sub(r"\s", "", ascii_signs(text).rpartition("=")[2])
    match = re.fullmatch(r"([0-9]+)(-?)(?:R([0-9]+))?", field)
    if not match:
        return None
    return match[2] + match[1][::-1] + (f"R{match[3][::-1]}" if match[3] else "")
