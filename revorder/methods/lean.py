"""Lean: RevOrder with the fewest tokens at a CSID of at most 1, also for subtraction with a < b.

+   The reversed sum: `123+46=r|961`.
-   Every place is written, zeros too, so that the end needs no look-ahead: `105-98=r|700`. The difference is written as
    if a >= b. If a borrow is left over, `W` takes the difference back and b - a follows: `12-35=r|77Wr|32-`.
*   The digits of the shorter operand, lowest first. A step is the digit with its zeros, its partial product, and the
    running total; the last total is the answer: `4567*12=2r|4319#10r|07654r|40845`. A zero has no product.
/   Long division. A step is the quotient digit with its zeros, the digit's product, and the difference after the next
    digit brought down, which is a 0 in the last step: `950/12=70r|48r|011#9r|801r|020=79R2`. A division begins with as
    many digits of the dividend as the divisor has. If they are less than the divisor, `#` moves on by a digit:
    `120/48=#2r|69r|042=2R24`. A digit that is too high leaves a borrow, and `W` takes the digit back.

The zeros after a digit show its place, so that the place of every digit can be read off the text. A 0 is brought down
in the last step for the same reason: in every step, a digit of the difference stands at the same place.
"""

from __future__ import annotations

from collections.abc import Iterator

from revorder.arithmetic.problem import Problem
from revorder.arithmetic.reversed_numbers import MARK, reversed_number
from revorder.arithmetic.trace import (
    ANSWER,
    COPY,
    ESTIMATE,
    REVERSED,
    ROLLBACK,
    STEP_END,
    ChooseDigit,
    Kind,
    Piece,
    copy,
)
from revorder.methods import base
from revorder.methods.base import Method


def pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool, size: int = 1) -> Iterator[Piece]:
    """Yield the pieces of a trace; `answer` adds a forward copy of a reversed answer.

    `size` is the number of multiplier or quotient digits that a step takes at a time, as in method `blocks`.

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> text_of(pieces(Problem(12, "-", 35), "lean", correct_digit, False))
    '12-35=r|77Wr|32-'
    """
    a, op, b = problem.a, problem.op, problem.b
    yield copy(f"{a}{op}{b}=")
    if op == "/":
        yield from division(a, b, choose, size)
        yield STEP_END
        yield copy(f"={problem.answer}")
        return
    if op == "+":
        yield reversed_number(a + b), REVERSED, "+", a, b
    elif op == "-":
        yield from subtraction(a, b)
    else:
        yield from multiplication(a, b, size)
    if answer:
        yield STEP_END
        yield f"={problem.value}", ANSWER, op, a, b


def parse_answer(text: str) -> str | None:
    """Return the answer after the last `=`: the last reversed number, or a forward one.

    >>> parse_answer("4567*12=2r|4319#10r|07654r|40845"), parse_answer("948/12=70r|48r|801#9r|801r|000=79")
    ('54804', '79')
    """
    _, mark, tail = text.rpartition("W")[2].rpartition(MARK)
    return base.parse_answer(f"={mark}{tail}" if mark and "=" not in tail else text)


def places(n: int, width: int) -> str:
    """Return `n` modulo 10**width, least significant digit first, with all zeros.

    >>> places(-2, 3)
    '899'
    """
    return f"{n % 10**width:0{width}d}"[::-1]


def subtraction(a: int, b: int) -> Iterator[Piece]:
    """Yield every place of a - b; if a borrow is left over, also `W`, b - a and its sign."""
    width = max(len(str(a)), len(str(b)))
    yield MARK + places(a - b, width), REVERSED, "-", a, b
    if a < b:
        yield "W", Kind.SIGN, "-", a, b
        yield STEP_END
        yield MARK + places(b - a, width), REVERSED, "-", b, a
        yield copy("-")


def multiplication(a: int, b: int, size: int) -> Iterator[Piece]:
    """Yield `size` digits of the shorter operand a step, lowest first: the digits, their product, the running total."""
    many, few = (a, str(b)) if len(str(a)) >= len(str(b)) else (b, str(a))
    if len(few) <= size:
        digits = str(many * int(few))[::-1] if few != "0" else "0" * len(str(many))
        yield MARK + digits, REVERSED, "*", many, int(few)
        return
    total = 0
    for place in range(0, len(few), size):
        if place:
            yield STEP_END
            yield copy("#")
        digits = few[-place - size : -place or None]
        yield copy(digits + "0" * place)
        value = int(digits) * 10**place
        if not value:
            continue
        partial = many * value
        yield reversed_number(partial), REVERSED, "*", many, value
        if total:
            yield reversed_number(total + partial), REVERSED, "+", total, partial
        total += partial


def division(a: int, b: int, choose: ChooseDigit, size: int) -> Iterator[Piece]:
    """Yield `size` quotient digits a step: the digits, their product, the difference after the next digits."""
    digits, width = str(a), len(str(b))
    place = max(0, len(digits) - width)
    count = place % size + 1  # digits of the first block
    place -= count - 1  # of the last digit of the block
    left = a // 10**place
    least = min(width, len(digits))  # digits of a difference, at least
    step = -1 if place and left < b else 0
    while True:
        quotient = left // b
        block = choose(step, quotient, count)
        down = digits[-place:][:size] if place else "0" * size
        if step < 0 and not block:
            yield "#", Kind.UNREACHED, "/", left, b
            left = left * 10**size + int(down)
            place, step, count = place - size, 0, size
            continue
        product = block * b
        difference = left - product
        yield f"{block:0{count}d}", ESTIMATE, "/", left, b
        if place:
            yield copy("0" * place)
        if block:
            yield reversed_number(product), REVERSED, "*", b, block
        yield copy(MARK + down[::-1])
        shown = max(least, len(str(max(difference, 0))))  # more digits only if the quotient digit is much too low
        kind = REVERSED if block else COPY
        yield places(difference, shown), kind, "-", left, product
        if block != quotient:
            yield "W", ROLLBACK, "", 0, 0
            yield STEP_END
            continue
        if not place:
            return
        left = difference * 10**size + int(down)
        place, step, count = place - size, step + 1, size
        yield STEP_END
        yield copy("#")


def worst_case(op: str, n: int, m: int, form: str = "") -> int:
    """Return the worst CSID without quotient estimates: one carry or borrow."""
    return 1


LEAN = Method(
    "lean",
    pieces,
    worst_case,
    forms=("lean",),
    parse_answer=parse_answer,
    rollback_mark="W",
    unreached_mark="#",
    writes_answer=False,  # the last reversed number is the answer; a forward copy is accepted
)
