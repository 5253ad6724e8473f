"""GOAT (Liu and Low, 2023): + and - direct, * and / decomposed with forward numbers, as its released notebook writes.

A product splits the smaller operand by its digits and folds the partial products left to right; a division
subtracts `b * digit00` line by line. Direct are a product with an operand of one digit and zeros, and a quotient
where the divisor is 10 or less or the dividend is not larger.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..problem import Problem, ProblemError, ascii_signs, quote
from ..trace import COPY, GUESS, STEP, Guess, Part, copy
from .reading import final as last_field
from .reading import question as first_field
from .revorder import place_values

__all__ = ["FORMS", "ROLLS_BACK", "final", "question", "write"]

FORMS = ("goat",)
ROLLS_BACK = False


def write(problem: Problem, form: str, guess: Guess, answer: bool) -> Iterator[Part]:
    """Yield the parts of a trace; a decomposed division names its question in the last line only.

    >>> from revorder.trace import right
    >>> "".join(part[0] for part in write(Problem(12, "*", 34), "goat", right, True))
    '12 * 34 = 34 * (10 + 2) = 34 * 10 + 34 * 2 = 340 + 68 = 408'
    """
    a, op, b = problem.a, problem.op, problem.b
    if op == "*" and len(place_values(a)) > 1 and len(place_values(b)) > 1:
        yield copy(f"{a} * {b} = ")
        yield from multiplication(max(a, b), min(a, b))
    elif op == "/" and b > 10 and a > b:
        yield from division(a, b)
    else:
        yield copy(f"{a} {op} {b} = ")
        yield (spaced(problem), op, a, b)


def spaced(problem: Problem) -> str:
    """The answer as GOAT writes it, `79 R 5`.

    >>> spaced(Problem(950, "/", 12))
    '79 R 2'
    """
    return problem.answer.replace("R", " R ")


def question(text: str) -> Problem:
    """The question: before the first `=`, or for a decomposed division the two numbers its first line begins with.

    Raises ProblemError where there is none.

    >>> str(question("948 - 12 * 70 = 948 - 840 = 108"))
    '948/12'
    """
    start = ascii_signs(text).lstrip().partition("=")[0]
    if match := re.match(r"([^-*\n]+)-([^-*\n]+)\*[^-*\n]+\Z", start):
        try:
            return Problem.parse(f"{match[1]}/{match[2]}")
        except ProblemError as error:
            raise ProblemError(f"trace {quote(text)}: {error}") from None
    return first_field(text)


def final(text: str) -> str | None:
    """The answer after the last `=`.

    >>> final("Therefore, 950 / 12 = 79 R 2")
    '79R2'
    """
    return last_field(text)


def multiplication(large: int, small: int) -> Iterator[Part]:
    values = place_values(small)
    yield copy(f"{large} * ({' + '.join(map(str, values))})")
    yield STEP
    yield copy(" = " + " + ".join([f"{large} * {value}" for value in values]))
    yield STEP
    products = [large * value for value in values]
    for i, product in enumerate(products):
        yield (f"{' + ' if i else ' = '}{product}", "*", large, values[i])
    total = products[0]
    for i in range(1, len(products)):
        yield STEP
        yield (f" = {total + products[i]}", "+", total, products[i])
        if products[i + 1 :]:
            yield copy("".join([f" + {product}" for product in products[i + 1 :]]))
        total += products[i]


def division(a: int, b: int) -> Iterator[Part]:
    left = a
    while left >= b:
        zeros = len(str(left // b)) - 1
        value = left // (b * 10**zeros) * 10**zeros
        product = b * value
        yield copy(f"{left} - {b} * ")
        yield (str(value), GUESS, left, b * 10**zeros)
        yield (f" = {left} - ", COPY, 0, 0)
        yield (str(product), "*", b, value)
        yield copy(" = ")
        yield (str(left - product), "-", left, product)
        yield copy("\n")
        yield STEP
        left -= product
    yield copy(f"Therefore, {a} / {b} = {spaced(Problem(a, '/', b))}")
