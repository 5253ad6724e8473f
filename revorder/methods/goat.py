"""GOAT (Liu and Low, 2023): + and - direct, * and / decomposed with forward numbers, as in its released notebook.

A product splits the smaller operand by its digits, and adds the partial products from left to right. A division
subtracts `b * digit00` line by line. A product is direct if an operand is one digit and zeros. A quotient is direct if
the divisor is 10 or less, or the dividend is not larger than the divisor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from revorder.arithmetic.expression import parse_problem
from revorder.arithmetic.problem import Problem, ascii_signs
from revorder.arithmetic.trace import ESTIMATE, FORWARD, STEP_END, ChooseDigit, Piece, copy
from revorder.errors import ProblemError, quote
from revorder.methods import base
from revorder.methods.base import Method, direct_worst_case
from revorder.methods.revorder import place_values

# Of a product: the shorter operand's digits squared times the digits of both; about three times its characters.
LONGEST = 40_000_000


def pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool) -> Iterator[Piece]:
    """Yield the pieces of a trace; a decomposed division names its question in the last line only.

    Raises ProblemError for too long a product.

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> text_of(pieces(Problem(12, "*", 34), "goat", correct_digit, True))
    '12 * 34 = 34 * (10 + 2) = 34 * 10 + 34 * 2 = 340 + 68 = 408'
    """
    a, op, b = problem.a, problem.op, problem.b
    if op == "*" and len(place_values(a)) > 1 and len(place_values(b)) > 1:
        digits = sorted((len(str(a)), len(str(b))))
        if digits[0] ** 2 * sum(digits) > LONGEST:
            raise ProblemError(f"problem {quote(str(problem))}: its trace is too long; give fewer digits")
        yield copy(f"{a} * {b} = ")
        yield from multiplication(max(a, b), min(a, b))
    elif op == "/" and b > 10 and a > b:
        yield from division(a, b)
    else:
        yield copy(f"{a} {op} {b} = ")
        yield spaced(problem), FORWARD, op, a, b


def spaced(problem: Problem) -> str:
    """Return the answer as GOAT writes it.

    >>> spaced(Problem(950, "/", 12))
    '79 R 2'
    """
    return problem.answer.replace("R", " R ")


def parse_question(text: str) -> Problem:
    """Return the problem before the first `=`, or of a decomposed division, whose first line begins with its operands.

    Raises ProblemError if there is none.

    >>> str(parse_question("948 - 12 * 70 = 948 - 840 = 108"))
    '948/12'
    """
    start = ascii_signs(text).lstrip().partition("=")[0]
    if match := re.match(r"([^-*\n]+)-([^-*\n]+)\*[^-*\n]+\Z", start):
        try:
            return parse_problem(f"{match[1]}/{match[2]}")
        except ProblemError as error:
            raise ProblemError(f"trace {quote(text)}: {error}") from None
    return base.parse_question(text)


def multiplication(large: int, small: int) -> Iterator[Piece]:
    """Yield the smaller operand split by its digits, the partial products, and their sums from left to right."""
    values = place_values(small)
    yield copy(f"{large} * ({' + '.join(map(str, values))})")
    yield STEP_END
    yield copy(" = " + " + ".join([f"{large} * {value}" for value in values]))
    yield STEP_END
    products = [large * value for value in values]
    for i, product in enumerate(products):
        yield f"{' + ' if i else ' = '}{product}", FORWARD, "*", large, values[i]
    total = products[0]
    for i in range(1, len(products)):
        yield STEP_END
        yield f" = {total + products[i]}", FORWARD, "+", total, products[i]
        if products[i + 1 :]:
            yield copy("".join([f" + {product}" for product in products[i + 1 :]]))
        total += products[i]


def division(a: int, b: int) -> Iterator[Piece]:
    """Yield a quotient digit a line, subtracting its product until the rest is below the divisor; then the answer."""
    left = a
    while left >= b:
        zeros = len(str(left // b)) - 1
        value = left // (b * 10**zeros) * 10**zeros
        product = b * value
        yield copy(f"{left} - {b} * ")
        yield str(value)[0], ESTIMATE, "/", left, b * 10**zeros
        yield copy(f"{'0' * zeros} = {left} - ")
        yield str(product), FORWARD, "*", b, value
        yield copy(" = ")
        yield str(left - product), FORWARD, "-", left, product
        yield copy("\n")
        yield STEP_END
        left -= product
    yield copy(f"Therefore, {a} / {b} = {spaced(Problem(a, '/', b))}")


def worst_case(op: str, n: int, m: int, form: str = "") -> int:
    """Return a CSID that no trace exceeds: sums of partial products and differences are direct, as is division by 10.

    >>> worst_case("*", 8, 4)
    12
    """
    return {"+": n, "-": n, "*": n + m, "/": n if m > 2 else max(n, direct_worst_case("/", n, m))}[op]


GOAT = Method("goat", pieces, worst_case, forms=("goat",), parse_question=parse_question, multiline=True)
