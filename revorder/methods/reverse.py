"""Reverse: the answer least significant digit first without a mark, as in Lee et al. (2023); a control."""

from __future__ import annotations

import re
from collections.abc import Iterator

from revorder.arithmetic.problem import Problem, ascii_signs
from revorder.arithmetic.trace import REVERSED, ChooseDigit, Piece, copy
from revorder.methods.base import Method, direct_worst_case


def pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool) -> Iterator[Piece]:
    """Yield the question and the reversed answer: a minus sign comes last, quotient and remainder are each reversed.

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> text_of(pieces(Problem(12, "-", 35), "reverse", correct_digit, True))
    '12-35=32-'
    """
    a, op, b = problem.a, problem.op, problem.b
    yield copy(f"{problem}=")
    text = str(problem.value)[::-1]
    if problem.remainder:
        text += f"R{str(problem.remainder)[::-1]}"
    yield text, REVERSED, op, a, b


def parse_answer(text: str) -> str | None:
    """Return the answer after the last `=`, most significant digit first; None if there is none.

    >>> parse_answer("12-35=32-"), parse_answer("950/12=97R2")
    ('-23', '79R2')
    """
    field = re.sub(r"\s", "", ascii_signs(text).rpartition("=")[2])
    match = re.fullmatch(r"([0-9]+)(-?)(?:R([0-9]+))?", field)
    if not match:
        return None
    return match[2] + match[1][::-1] + (f"R{match[3][::-1]}" if match[3] else "")


def worst_case(op: str, n: int, m: int, form: str = "") -> int:
    """Return a CSID that no trace exceeds.

    Only + and n-digit by 1-digit * are easy. The lowest quotient digit, which comes first, needs every step.

    >>> worst_case("+", 16, 16)
    1
    """
    direct = direct_worst_case(op, n, m)
    return {"+": 1, "-": n, "*": direct if m > 1 else 1, "/": direct + 2 * n + 2 * m}[op]


REVERSE = Method("reverse", pieces, worst_case, forms=("reverse",), parse_answer=parse_answer)
