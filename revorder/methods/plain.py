"""Plain: the answer at once, as GPT-4 gives it in Table 1."""

from __future__ import annotations

from collections.abc import Iterator

from ..problem import Problem
from ..trace import Guess, Part, copy
from .reading import final, question

__all__ = ["FORMS", "ROLLS_BACK", "final", "question", "write"]

FORMS = ("plain",)
ROLLS_BACK = False


def write(problem: Problem, form: str, guess: Guess, answer: bool) -> Iterator[Part]:
    """Yield the question and the answer.

    >>> from revorder.trace import right
    >>> "".join(part[0] for part in write(Problem(950, "/", 12), "plain", right, True))
    '950/12=79R2'
    """
    yield copy(f"{problem}=")
    yield (problem.answer, problem.op, problem.a, problem.b)
