"""Plain: the answer at once, as GPT-4 gives it in Table 1."""

from __future__ import annotations

from collections.abc import Iterator

from revorder.arithmetic.problem import Problem
from revorder.arithmetic.trace import ChooseDigit, Kind, Segment, copy
from revorder.methods.base import Method, direct_worst_case


def write(problem: Problem, form: str, choose: ChooseDigit, answer: bool) -> Iterator[Segment]:
    """Yield the question and the answer.

    >>> from revorder.arithmetic.trace import correct_digit
    >>> "".join(segment.text for segment in write(Problem(950, "/", 12), "plain", correct_digit, True))
    '950/12=79R2'
    """
    yield copy(f"{problem}=")
    yield Segment(problem.answer, Kind.FORWARD, problem.op, problem.a, problem.b)


PLAIN = Method("plain", write, direct_worst_case, forms=("plain",), states_answer_only=True)
