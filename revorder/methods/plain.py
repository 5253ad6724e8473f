"""Plain: the answer at once, as GPT-4 writes it in Table 1."""

from __future__ import annotations

from collections.abc import Iterator

from revorder.arithmetic.problem import Problem
from revorder.arithmetic.trace import FORWARD, ChooseDigit, Piece, copy
from revorder.methods.base import Method, direct_worst_case


def pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool) -> Iterator[Piece]:
    """Yield the question and the answer.

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> text_of(pieces(Problem(950, "/", 12), "plain", correct_digit, True))
    '950/12=79R2'
    """
    yield copy(f"{problem}=")
    yield problem.answer, FORWARD, problem.op, problem.a, problem.b


PLAIN = Method("plain", pieces, direct_worst_case, forms=("plain",), states_answer_only=True)
