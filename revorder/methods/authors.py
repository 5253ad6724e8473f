"""RevOrder as the authors' released generator writes it, which differs from the paper's text.

It writes `r` without a bar, `r21-=-12` for a negative difference, `R(-7*120~r048~r801)` for a quotient step, and `#`
after each step, also after the `W` of a rejected one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from revorder.arithmetic.problem import Problem
from revorder.arithmetic.reversed_numbers import forward
from revorder.arithmetic.trace import ANSWER, ESTIMATE, REVERSED, ROLLBACK, STEP_END, ChooseDigit, Kind, Piece, copy
from revorder.methods import base
from revorder.methods.base import Method
from revorder.methods.revorder import answer_of_steps, place_values, worst_case


def pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool) -> Iterable[Piece]:
    """Return the pieces of a trace in the script's format, also for problems that it never draws (0, remainders).

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> text_of(pieces(Problem(948, "/", 12), "authors", correct_digit, True))
    '948/12=7R(-7*120~r048~r801)#9R(-9*12~r801~r0)=79'
    """
    a, op, b = problem
    stated = problem.answer
    work: Iterable[Piece] = ((f"r{stated[::-1]}", REVERSED, op, a, b),)
    if op == "/":
        work = division(a, b, choose)
    elif op == "*":
        work = multiplication(a, b)
    end = (STEP_END, (f"={stated}", ANSWER, op, a, b)) if answer else ()
    return chain((copy(f"{a}{op}{b}="),), work, end)


def reversed_number(n: int) -> str:
    """Return `n` reversed after a bare `r`, with its sign last.

    >>> reversed_number(-12)
    'r21-'
    """
    return f"r{str(n)[::-1]}"


def parse_answer(text: str) -> str | None:
    """Return the answer after the last `=`, forward or reversed, or else the quotient from the steps of a division.

    >>> parse_answer("12-35=r32-=-23"), parse_answer("12-35=r32-")
    ('-23', '-23')
    """
    stated = re.sub(r"r([0-9]+)(-?)(?=\s*\Z)", lambda match: forward(match[1], match[2]), text)
    return base.parse_answer(stated) or answer_of_steps(text)


def multiplication(a: int, b: int) -> Iterator[Piece]:
    """Yield the partial products by the digits of b, then their sums in adjacent pairs."""
    values = place_values(b)
    products = [a * value for value in values]
    yield copy("+".join([f"{a}*{value}" for value in values]))
    yield STEP_END
    for i, product in enumerate(products):
        yield f"{'+' if i else '='}{reversed_number(product)}", REVERSED, "*", a, values[i]
    while len(products) > 1:
        yield STEP_END
        count = len(products)
        sums = [products[i] + products[i + 1] for i in range(0, count - 1, 2)]
        for i, total in enumerate(sums):
            sign = "+" if i else "="
            yield f"{sign}{reversed_number(total)}", REVERSED, "+", products[2 * i], products[2 * i + 1]
        if count % 2:
            yield f"+{reversed_number(products[-1])}", Kind.CARRIED_DOWN, "", 0, 0
            sums.append(products[-1])
        products = sums


def division(left: int, b: int, choose: ChooseDigit) -> Iterator[Piece]:
    """Yield one quotient digit a step: digit, product, rest; then `W` if the digit is wrong, `#` if a step follows."""
    scaled = b * 10 ** (len(str(left // b)) - 1)
    step = 0
    while True:
        quotient = left // scaled
        digit = choose(step, quotient)
        product = digit * scaled
        rest = left - product
        yield str(digit), ESTIMATE, "/", left, scaled
        yield copy(f"R(-{digit}*{scaled}")
        yield f"~{reversed_number(product)}", REVERSED, "*", scaled, digit
        yield f"~{reversed_number(rest)})", REVERSED, "-", left, product
        if digit == quotient:
            if scaled == b:
                return
            left = rest
            scaled //= 10
            step += 1
        else:
            yield "W", ROLLBACK, "", 0, 0
        yield STEP_END
        yield copy("#")


AUTHORS = Method("authors", pieces, worst_case, forms=("authors",), parse_answer=parse_answer, rollback_mark="W")
