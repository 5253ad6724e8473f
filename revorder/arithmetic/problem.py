"""Problems: one operation on two integers, and its exact answer. Every check relies on this answer."""

from __future__ import annotations

from typing import NamedTuple

from revorder.errors import ProblemError, quote

OPS = "+-*/"
MAX_DIGITS = 2000  # of an operand; keeps every result below Python's limit of 4300 digits for int <-> str
TOO_LARGE = 10**MAX_DIGITS
BY_ZERO = "division by zero has no answer"

_TO_ASCII = str.maketrans(
    dict.fromkeys("×∗·⋅∙✕✖⨯⨉・", "*")
    | dict.fromkeys("÷∕⁄➗", "/")
    | dict.fromkeys("−–", "-")
    | {chr(0xFEE0 + code): chr(code) for code in range(ord("!"), ord("~") + 1)}  # full width
)


def ascii_signs(text: str) -> str:
    """Replace × ÷ − and similar signs, and full-width characters, by ASCII ones; the length stays the same.

    >>> ascii_signs("12×4567÷２")
    '12*4567/2'
    """
    return text if text.isascii() else text.translate(_TO_ASCII)


class _Operation(NamedTuple):
    a: int
    op: str
    b: int


class Problem(_Operation):
    """One operation `a op b` on non-negative integers; `op` is one of `+ - * /` (section 3.2).

    Raises ProblemError for a negative operand, an operand of more than MAX_DIGITS digits, an unknown operation, or
    division by zero.

    >>> Problem(950, "/", 12).answer
    '79R2'
    """

    __slots__ = ()

    def __new__(cls, a: int, op: str, b: int) -> Problem:
        if not (-TOO_LARGE < a < TOO_LARGE and -TOO_LARGE < b < TOO_LARGE):
            raise ProblemError(f"an operand of {quote(op)} has more than {MAX_DIGITS} digits, the most accepted")
        if a < 0 or b < 0:
            raise ProblemError(
                f"problem {quote(f'{a}{op}{b}')}: operands are non-negative; write an expression instead"
            )
        if op not in OPS or len(op) != 1:
            raise ProblemError(f"problem {quote(f'{a}{op}{b}')}: unknown operation {op!r}; accepted: + - * /")
        if op == "/" and b == 0:
            raise ProblemError(f"problem {quote(f'{a}{op}{b}')}: {BY_ZERO}")
        return super().__new__(cls, a, op, b)

    def __str__(self) -> str:
        return f"{self.a}{self.op}{self.b}"

    @property
    def value(self) -> int:
        """The exact result; for `/` the quotient without the remainder.

        >>> Problem(3, "-", 5).value
        -2
        """
        a, op, b = self
        return a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a // b

    @property
    def remainder(self) -> int:
        """The remainder of `/`, 0 for every other operation.

        >>> Problem(950, "/", 12).remainder
        2
        """
        return self.a % self.b if self.op == "/" else 0

    @property
    def answer(self) -> str:
        """The exact answer as text, most significant digit first; `79R5` if a division leaves a remainder.

        >>> Problem(12, "*", 4567).answer
        '54804'
        """
        return answer_text(*divmod(self.a, self.b)) if self.op == "/" else str(self.value)

    @property
    def digits(self) -> int:
        """The number of digits of the longer operand.

        >>> Problem(12, "*", 4567).digits
        4
        """
        return len(str(max(self.a, self.b)))


def question_in(problem: object, text: str) -> str:
    """Return the beginning of a text up to `=` if it is the problem's question, else an empty string.

    Spaces in the question don't matter. `problem` is a Problem or an Expression.

    >>> question_in(Problem(12, "+", 34), "12 + 34 = 46"), question_in(Problem(12, "+", 34), "13 + 34 = 47")
    ('12 + 34 =', '')
    """
    at = 0
    for char in f"{problem}=":
        while at and text[at : at + 1].isspace():
            at += 1
        if text[at : at + 1] != char:
            return ""
        at += 1
    return text[:at]


def answer_text(value: int, remainder: int = 0) -> str:
    """Return an answer as text: the value, then `R` and the remainder unless it is zero.

    >>> answer_text(79, 5)
    '79R5'
    """
    return f"{value}R{remainder}" if remainder else str(value)
