"""A trace is the text a method writes for a problem: steps that are judged one by one, made of segments that say
what each digit is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.pictured import Pictured
from revorder.arithmetic.problem import Problem


class ChooseDigit(Protocol):
    """Asked with a quotient step (0-based), its correct digit, and the number of digits where a step writes a block.

    Returns the digit (or block) to write. It is asked again after a rollback. Step -1 is the place before the
    quotient's first digit, where a method asks for it: 0 is correct there, and not written.
    """

    def __call__(self, step: int, correct: int, width: int = 1, /) -> int: ...


class Kind(Enum):
    """How the digits of a segment come about."""

    COPY = "copy"  # marks, and digits copied from what is written already
    CARRIED_DOWN = "carried down"  # a copied partial product
    BASIC = "basic"  # one digit by a basic operation on written digits only (section 3.1: no SID)
    FORWARD = "forward"  # the result of `a op b`, most significant digit first
    REVERSED = "reversed"  # the result of `a op b`, least significant digit first (digits beyond it are zeros)
    ESTIMATE = "estimate"  # a quotient digit, or block, of a / b, a being the part of the dividend that is left
    UNREACHED = "unreached"  # a mark in place of a quotient digit 0: the divisor b does not fit into a yet
    ROLLBACK = "rollback"  # the mark that takes the last quotient digit back
    SIGN = "sign"  # the mark, or the minus, which says that a - b is negative
    ANSWER = "answer"  # the forward answer, a copy that may be left out
    STEP_END = "step end"  # an empty text


# Names of their own for what methods write in their inner loops: `Kind.COPY` takes three times as long to look up.
FORWARD, REVERSED, ESTIMATE, ROLLBACK, ANSWER = Kind.FORWARD, Kind.REVERSED, Kind.ESTIMATE, Kind.ROLLBACK, Kind.ANSWER
COPY = Kind.COPY

Piece = tuple[str, Kind, str, int, int]  # the fields of a Segment; a plain tuple takes a tenth of the time to make


class Segment(NamedTuple):
    """A piece of a trace: its text, how its digits come about, and the operation `a op b` that they belong to.

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
    """The ChooseDigit that is never wrong.

    >>> correct_digit(0, 7)
    7
    """
    return digit


@dataclass(frozen=True, slots=True, repr=False)
class Step:
    """One line or piece of a trace that can be judged on its own; step 0 begins with the question.

    >>> Step((Segment("12+35=", Kind.COPY), Segment("r|74", Kind.REVERSED, "+", 12, 35))).text
    '12+35=r|74'
    """

    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The step as it is written."""
        return text_of(self.segments)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Step({self.text!r})"


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Pictured):
    """The text that `method` writes for `problem`, step by step; `answer` most significant digit first.

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
        """The whole trace as it is written."""
        return "".join([step.text for step in self.steps])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Trace({self.text!r}, {self.method!r}, {self.form!r})"


def split_steps(pieces: Iterable[Piece]) -> tuple[Step, ...]:
    """Group pieces into steps; no step is empty.

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
