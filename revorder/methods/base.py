"""The Method class: the functions that write and read a method's traces, and what the method can do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from revorder.arithmetic.expression import Expression, parse_problem
from revorder.arithmetic.problem import MAX_DIGITS, Problem, ascii_signs
from revorder.arithmetic.reversed_numbers import restore
from revorder.arithmetic.trace import Piece

_NUMBER = rf"(0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}})"
_QUESTION = re.compile(rf"{_NUMBER}(?!/0=)([-+*/]){_NUMBER}=")  # as methods write it
_ANSWER = re.compile(r"-?[0-9]+(?:R-?[0-9]+)?\Z")


def parse_question(text: str) -> Problem:
    """Return the problem before the first `=` or line end; raises ProblemError if there is none.

    >>> str(parse_question("12+35=r|74"))
    '12+35'
    """
    if match := _QUESTION.match(text):
        return Problem(int(match[1]), match[2], int(match[3]))
    return parse_problem(re.split(r"[=\n]", ascii_signs(text).lstrip(), maxsplit=1)[0])


def parse_answer(text: str) -> str | None:
    """Return the answer after the last `=`, most significant digit first; None if there is none, or a line end in it.

    >>> parse_answer("12-35=r|32-"), parse_answer("950/12=79R2"), parse_answer("12+35=4\\n7")
    ('-23', '79R2', None)
    """
    field = restore(re.sub(r"[^\S\n]", "", ascii_signs(text).strip())).rpartition("=")[2]
    return field if _ANSWER.match(field) else None


@dataclass(frozen=True, slots=True, repr=False)
class Method:
    """A way of writing the work of a problem.

    Attributes:
        name: the name of the method.
        pieces: `pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool)` yields the pieces of a trace,
            the question first. It calls `choose` for each quotient digit, after yielding all pieces before it.
            `answer` says whether the forward answer ends the trace.
        worst_case: `worst_case(op, n, m, form)` returns the CSID that no n-digit by m-digit equation exceeds, n >= m.
        forms: the names of its forms, the default first.
        block_digits: `block_digits(form)` returns how many quotient digits a step writes.
        parse_question: returns the problem of a trace.
        parse_answer: returns the answer that a trace states.
        rollback_mark: the mark that takes back a wrong quotient digit; empty if the method can't.
        unreached_mark: the mark before the first quotient digit if the divisor does not fit yet; empty if the method
            does not ask for that place, step -1.
        writes_answer: whether traces end with the forward answer by default.
        takes_expressions: whether the method writes several operations in one trace.
        multiline: whether a trace of the default form may have line ends.
        states_answer_only: whether any text that states the answer is accepted.
    """

    name: str
    pieces: Callable[..., Iterable[Piece]]
    worst_case: Callable[[str, int, int, str], int]
    forms: tuple[str, ...]
    block_digits: Callable[[str], int] = lambda form: 1
    parse_question: Callable[[str], Problem | Expression] = parse_question
    parse_answer: Callable[[str], str | None] = parse_answer
    rollback_mark: str = ""
    unreached_mark: str = ""
    writes_answer: bool = True
    takes_expressions: bool = False
    multiline: bool = False
    states_answer_only: bool = False

    def __repr__(self) -> str:
        return f"Method({self.name!r})"

    @property
    def can_rollback(self) -> bool:
        """Whether a wrong quotient digit can be taken back."""
        return bool(self.rollback_mark)

    def quotient_steps(self, a: int, b: int, form: str) -> dict[int, str]:
        """Return the quotient digits of a / b by the step that writes them; step -1 has a 0 that is not written.

        Blocks are counted from the units, so the first block may be shorter than the others.

        >>> from revorder import METHODS
        >>> METHODS["lean"].quotient_steps(120, 48, "lean"), METHODS["blocks"].quotient_steps(1234567, 12, "2")
        ({-1: '0', 0: '2'}, {0: '10', 1: '28', 2: '80'})
        """
        size, digits = self.block_digits(form), str(a // b)
        if self.unreached_mark:
            digits = digits.zfill(len(str(a)) - len(str(b)) + 1)
        first = (len(digits) - 1) % size + 1
        blocks = (
            [*digits]
            if size == 1
            else [digits[:first], *(digits[i : i + size] for i in range(first, len(digits), size))]
        )
        return dict(enumerate(blocks, -1 if len(blocks) > 1 and blocks[0] == "0" else 0))


def direct_worst_case(op: str, n: int, m: int, form: str = "") -> int:
    """Return the worst CSID of an answer written at once, most significant digit first (section 3.2, appendix A).

    >>> [direct_worst_case(op, 12, 6) for op in "+-*/"]
    [12, 12, 366, 216]
    """
    return {
        "+": n,
        "-": n,
        "*": n if m == 1 else 2 * m * n + m + 2 * m * (n + m),  # 6n^2 + n if m = n
        "/": 2 * n * n - 2 * m * m,
    }[op]
