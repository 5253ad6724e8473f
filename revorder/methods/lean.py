"""Lean: RevOrder with the fewest tokens at a CSID of at most 1, subtraction with a < b included.

+   `123+46=r|961`
-   every place is written, zeros too, so that the end needs no look-ahead: `105-98=r|700`. It is written as if
    a >= b; if a borrow is left over, `W` takes that back and b - a follows: `12-35=r|77Wr|32-`.
*   the digits of the shorter operand, lowest first; a step is the digit, its partial product, and the sum of that
    and the running sum before without its lowest digit, which is final: `4567*12=2r|4319#1r|7654r|0845=r|40845`.
/   long division; a step is the quotient digit, the product, and the difference behind the next digit brought down:
    `948/12=7r|48r|801#9r|801r|00=79`. A digit too high leaves a borrow, and `W` after the difference takes it back.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..digits import MARK, reverse
from ..problem import Problem
from ..trace import ANSWER as ANSWER_KIND
from ..trace import COPY, GUESS, SIGN, STEP, Guess, Part, copy
from .reading import final, question

__all__ = ["ANSWER", "FORMS", "ROLLS_BACK", "final", "question", "write"]

FORMS = ("lean",)
ROLLS_BACK = True
ANSWER = False  # the last reversed number is the answer; a forward copy of it is accepted


def write(problem: Problem, form: str, guess: Guess, answer: bool) -> Iterator[Part]:
    """Yield the parts of a trace; `answer` adds a forward copy of a reversed answer.

    >>> from revorder.trace import right
    >>> "".join(part[0] for part in write(Problem(12, "-", 35), "lean", right, False))
    '12-35=r|77Wr|32-'
    """
    a, op, b = problem.a, problem.op, problem.b
    yield copy(f"{a}{op}{b}=")
    if op == "/":
        yield from division(a, b, guess)
        yield STEP
        yield copy(f"={problem.answer}")
        return
    if op == "+":
        yield (reverse(a + b), "r+", a, b)
    elif op == "-":
        yield from subtraction(a, b)
    else:
        yield from multiplication(a, b)
    if answer:
        yield STEP
        yield (f"={problem.value}", ANSWER_KIND, a, b)


def places(n: int, width: int) -> str:
    """`n` modulo 10**width, least significant digit first, zeros included.

    >>> places(-2, 3)
    '899'
    """
    return f"{n % 10**width:0{width}d}"[::-1]


def subtraction(a: int, b: int) -> Iterator[Part]:
    width = max(len(str(a)), len(str(b)))
    yield (MARK + places(a - b, width), "r-", a, b)
    if a < b:
        yield ("W", SIGN, a, b)
        yield STEP
        yield (MARK + places(b - a, width), "r-", b, a)
        yield copy("-")


def multiplication(a: int, b: int) -> Iterator[Part]:
    many, few = str(a), str(b)
    if len(many) < len(few):
        many, few, a = few, many, b
    width = len(many)

    def product(digit: str) -> Part:
        return (MARK + (str(a * int(digit))[::-1] if digit != "0" else "0" * width), "r*", a, int(digit))

    if len(few) == 1:
        yield product(few)
        return
    running = 0
    finals = ""
    for i in range(len(few) - 1, -1, -1):
        digit = few[i]
        yield copy(digit)
        if i == len(few) - 1:
            running = a * int(digit)
            yield product(digit)
            tail = "0" * width if digit == "0" else str(running)[::-1]
        elif digit == "0":
            tail = tail[1:]
            running //= 10
            yield copy(MARK + tail)
        else:
            yield product(digit)
            partial, rest = a * int(digit), running // 10
            running = partial + rest
            tail = str(running)[::-1]
            yield (MARK + tail, "r+", partial, rest)
        finals += tail[0]
        if i:
            yield STEP
            yield copy("#")
    yield STEP
    yield copy(f"={MARK}{finals}{tail[1:]}")


def division(a: int, b: int, guess: Guess) -> Iterator[Part]:
    digits, width = str(a), len(str(b))
    at = min(width, len(digits))  # digits of the dividend in use
    if at < len(digits) and int(digits[:at]) < b:
        at += 1
    left = int(digits[:at])
    size = at  # the digits that `left` is written with
    while True:
        down = digits[at] if at < len(digits) else ""
        quotient = left // b
        digit = guess(quotient)
        product = digit * b
        yield (str(digit), GUESS, left, b)
        difference = left - product
        if digit:
            yield (reverse(product), "r*", b, digit)
        yield (MARK + down, COPY, 0, 0)
        shown = min(width, size)
        if difference >= 10**shown:  # only after a digit that is much too low
            shown = len(str(difference))
        yield (places(difference, shown), "r-" if digit else COPY, left, product)
        if digit != quotient:
            yield copy("W")
            yield STEP
            continue
        left = difference * 10 + int(down or 0)
        at += 1
        size = shown + 1
        if not down:
            return
        yield STEP
        yield copy("#")
