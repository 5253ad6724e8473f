"""The authors' released generator: RevOrder in its own dialect, which differs from the paper's text.

`r` without a bar, `r21-=-12` for a negative difference, `R(-7*120~r048~r801)` for a quotient step, and `#` after
each step, a rejected one's `W` included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..digits import forward
from ..problem import Problem
from ..trace import ANSWER, COPY, DOWN, GUESS, STEP, Guess, Part, copy
from .reading import final as last_field
from .reading import question
from .revorder import place_values

__all__ = ["FORMS", "ROLLS_BACK", "final", "question", "write"]

FORMS = ("authors",)
ROLLS_BACK = True


def write(problem: Problem, form: str, guess: Guess, answer: bool) -> Iterator[Part]:
    """Yield the parts of a trace as the released script writes them, and for what it never draws (0, remainders) alike.

    >>> from revorder.trace import right
    >>> "".join(part[0] for part in write(Problem(948, "/", 12), "authors", right, True))
    '948/12=7R(-7*120~r048~r801)#9R(-9*12~r801~r0)=79'
    """
    a, op, b = problem.a, problem.op, problem.b
    yield copy(f"{a}{op}{b}=")
    if op == "/":
        yield from division(a, b, guess)
    elif op == "*":
        yield from multiplication(a, b)
    else:
        yield (reverse(problem.value), "r" + op, a, b)
    if answer:
        yield STEP
        yield (f"={problem.answer}", ANSWER, a, b)


def reverse(n: int) -> str:
    """`n` reversed after a bare `r`, its sign last.

    >>> reverse(-12)
    'r21-'
    """
    return f"r{str(n)[::-1]}"


def final(text: str) -> str | None:
    """The answer after the last `=`, which may be reversed where the forward answer is left out.

    >>> final("12-35=r32-=-23"), final("12-35=r32-")
    ('-23', '-23')
    """
    return last_field(re.sub(r"r([0-9]+)(-?)(?=\s*\Z)", lambda match: forward(match[1], match[2]), text))


def multiplication(a: int, b: int) -> Iterator[Part]:
    values = place_values(b)
    products = [a * value for value in values]
    yield copy("+".join([f"{a}*{value}" for value in values]))
    yield STEP
    for i, product in enumerate(products):
        yield (f"{'+' if i else '='}{reverse(product)}", "r*", a, values[i])
    while len(products) > 1:
        yield STEP
        count = len(products)
        sums = [products[i] + products[i + 1] for i in range(0, count - 1, 2)]
        for i, total in enumerate(sums):
            yield (f"{'+' if i else '='}{reverse(total)}", "r+", products[2 * i], products[2 * i + 1])
        if count % 2:
            yield (f"+{reverse(products[-1])}", DOWN, 0, 0)
            sums.append(products[-1])
        products = sums


def division(left: int, b: int, guess: Guess) -> Iterator[Part]:
    scaled = b * 10 ** (len(str(left // b)) - 1)
    step = 0
    while True:
        quotient = left // scaled
        digit = guess(step, quotient)
        product = digit * scaled
        rest = left - product
        yield (str(digit), GUESS, left, scaled)
        yield (f"R(-{digit}*{scaled}", COPY, 0, 0)
        yield (f"~r{str(product)[::-1]}", "r*", scaled, digit)
        yield (f"~r{str(rest)[::-1]})", "r-", left, product)
        if digit == quotient:
            if scaled == b:
                return
            left = rest
            scaled //= 10
            step += 1
        else:
            yield ("W", COPY, 0, 0)
        yield STEP
        yield ("#", COPY, 0, 0)
