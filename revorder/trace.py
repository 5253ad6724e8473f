"""A trace is the text a method writes for a problem; its steps are judged one by one, its parts say what each digit is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .problem import Expression, Problem

# A part is (text, kind, a, b): a piece of a trace, how its digits come about, and the two operands.
#   COPY      marks, and digits copied from what is written already
#   DOWN      a copied partial product, carried down as it is
#   BASIC     one digit by a basic operation on written digits only (section 3.1: no SID)
#   + - * /   the result of `a op b`, most significant digit first
#   r+ r- r*  the result of `a op b`, least significant digit first (trailing digits beyond it are zeros)
#   GUESS     an estimated quotient digit of a / b, a being the part of the dividend that is left
#   SIGN      the W that says that the borrow of a - b does not end: the answer is negative
#   STEP      an empty text: a step ends here
#   ANSWER    the forward answer, a copy that may be left out
Part = tuple[str, str, int, int]
COPY, DOWN, BASIC, GUESS, SIGN, ANSWER = "copy", "down", "basic", "guess", "sign", "answer"
STEP: Part = ("", "step", 0, 0)

# Asked with a quotient step (0-based) and its right digit; returns the digit to write. It is asked again after a
# rollback. Step -1 is the place before the quotient's first digit, where a method asks for it: right is 0, not written.
Guess = Callable[[int, int], int]


def copy(text: str) -> Part:
    """A part that computes nothing.

    >>> copy("12*7=")
    ('12*7=', 'copy', 0, 0)
    """
    return (text, COPY, 0, 0)


def right(step: int, digit: int) -> int:
    """The Guess that is never wrong.

    >>> right(0, 7)
    7
    """
    return digit


@dataclass(frozen=True, slots=True)
class Step:
    """One segment of a trace that can be judged on its own; step 0 begins with the question.

    >>> Step((("12+35=", "copy", 0, 0), ("r|74", "r+", 12, 35))).text
    '12+35=r|74'
    """

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "".join([part[0] for part in self.parts])

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Trace:
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
        return "".join([step.text for step in self.steps])

    def __str__(self) -> str:
        return self.text


def steps_of(parts: Iterable[Part]) -> tuple[Step, ...]:
    """Group parts into steps; no step is empty.

    >>> len(steps_of([copy("1+1="), ("r|2", "r+", 1, 1), STEP, ("=2", "answer", 1, 1)]))
    2
    """
    steps: list[Step] = []
    step: list[Part] = []
    for part in parts:
        if part is not STEP:
            step.append(part)
        elif step:
            steps.append(Step(tuple(step)))
            step = []
    if step:
        steps.append(Step(tuple(step)))
    return tuple(steps)
