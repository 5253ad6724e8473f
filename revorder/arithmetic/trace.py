"""Traces: the text that a method writes for a problem.

A trace has steps, which are judged one by one. A step has segments, which tell how their digits are computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.pictured import Pictured
from revorder.arithmetic.problem import Problem


class ChooseDigit(Protocol):
    """Return the quotient digit (or block of digits) to write, right or wrong.

    It is called again after a rollback. Some methods also ask for the place before the quotient's first digit, as step
    -1: 0 is correct there, and is not written.

    Args:
        step: the quotient step, 0-based.
        correct: the correct digit or block.
        width: the number of digits of a block.
    """

    def __call__(self, step: int, correct: int, width: int = 1, /) -> int: ...


class Kind(Enum):
    """How the digits of a segment are computed."""

    COPY = "copy"  # marks, and digits copied from the text so far
    CARRIED_DOWN = "carried down"  # a copied partial product
    BASIC = "basic"  # one digit by a basic operation on written digits only (section 3.1: no SID)
    FORWARD = "forward"  # the result of `a op b`, most significant digit first
    REVERSED = "reversed"  # the result of `a op b`, least significant digit first (digits beyond it are zeros)
    ESTIMATE = "estimate"  # a quotient digit, or block, of a / b; a is the rest of the dividend
    UNREACHED = "unreached"  # a mark in place of a quotient digit 0: the divisor b does not fit into a yet
    ROLLBACK = "rollback"  # the mark that takes back the last quotient digit
    SIGN = "sign"  # the mark, or the minus, of a negative a - b
    ANSWER = "answer"  # the forward answer, a copy that may be omitted
    STEP_END = "step end"  # an empty text


# Global names for the inner loops of methods: `Kind.COPY` takes three times as long to look up.
FORWARD, REVERSED, ESTIMATE, ROLLBACK, ANSWER = Kind.FORWARD, Kind.REVERSED, Kind.ESTIMATE, Kind.ROLLBACK, Kind.ANSWER
COPY = Kind.COPY

Piece = tuple[str, Kind, str, int, int]  # the fields of a Segment; a plain tuple takes a tenth of the time to make


class Segment(NamedTuple):
    """A piece of a trace: its text, how its digits are computed, and the operation `a op b` that they belong to.

    >>> Segment("r|74", Kind.REVERSED, "+", 12, 35).text
    'r|74'
    """

    text: str
    kind: Kind
    op: str = ""
    a: int = 0
    b: int = 0


STEP_END = Segment("", Kind.STEP_END)


def copy(text: str) -> Piece:
    """Return a piece that computes nothing."""
    return text, COPY, "", 0, 0


def as_segments(pieces: Iterable[Piece]) -> tuple[Segment, ...]:
    """Return pieces as Segments.

    >>> as_segments([copy("12*7=")])[0].text
    '12*7='
    """
    return tuple([piece if isinstance(piece, Segment) else Segment._make(piece) for piece in pieces])


def text_of(pieces: Iterable[Piece]) -> str:
    """Join the text of pieces.

    >>> text_of([copy("12*7="), ("r|48", Kind.REVERSED, "*", 12, 7)])
    '12*7=r|48'
    """
    return "".join([piece[0] for piece in pieces])


def correct_digit(step: int, digit: int, width: int = 1) -> int:
    """Return the correct digit: the ChooseDigit that is never wrong."""
    return digit


@dataclass(frozen=True, slots=True, repr=False)
class Step:
    """A line, or part of one, of a trace that can be judged on its own; step 0 begins with the question.

    >>> Step((Segment("12+35=", Kind.COPY), Segment("r|74", Kind.REVERSED, "+", 12, 35))).text
    '12+35=r|74'
    """

    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The text of the step."""
        return text_of(self.segments)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Step({self.text!r})"


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Pictured):
    """The steps that `method` writes for `problem`; `answer` has its most significant digit first.

    >>> from revorder import trace
    >>> [step.text for step in trace("12+35").steps]
    ['12+35=r|74', '=47']
    """

    problem: Problem | Expression
    method: str
    form: str
    steps: tuple[Step, ...]
    answer: str

    @property
    def text(self) -> str:
        """The text of the whole trace."""
        return "".join([step.text for step in self.steps])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Trace({self.text!r}, {self.method!r}, {self.form!r})"


def split_steps(pieces: Iterable[Piece]) -> tuple[Step, ...]:
    """Return pieces grouped into steps, none of them empty.

    >>> len(split_steps([copy("1+1="), copy("2"), STEP_END, copy("=2")]))
    2
    """
    steps: list[Step] = []
    step: list[Segment] = []
    for segment in as_segments(pieces):
        if segment is not STEP_END:
            step.append(segment)
        elif step:
            steps.append(Step(tuple(step)))
            step = []
    if step:
        steps.append(Step(tuple(step)))
    return tuple(steps)
