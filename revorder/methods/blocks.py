"""Blocks: lean with 1, 2 or 3 digits of a multiplier or quotient at a time, for fewer tokens at a higher CSID.

The form, `1`, `2` or `3`, is the number of digits; form `1` writes the same text as lean. Blocks are counted from the
units and written with all of their digits. Only the highest block of a multiplier or quotient may have fewer:

    4567*123=23r|140501#100r|007654r|147165
    950/12=79r|849r|0020=79R2

A block's product is written at once. The partial products of its digits are not written, nor are the products and
differences between the quotient digits of a block: the higher CSID counts these. `W` takes back a wrong block like a
wrong digit.
"""

from __future__ import annotations

from collections.abc import Iterator

from revorder.arithmetic.problem import Problem
from revorder.arithmetic.trace import ChooseDigit, Piece
from revorder.methods import lean
from revorder.methods.base import Method


def pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool) -> Iterator[Piece]:
    """Yield the pieces of a trace; `answer` adds a forward copy of a reversed answer.

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> text_of(pieces(Problem(950, "/", 12), "2", correct_digit, False))
    '950/12=79r|849r|0020=79R2'
    """
    return lean.pieces(problem, form, choose, answer, int(form))


def worst_case(op: str, n: int, m: int, form: str) -> int:
    """Return the worst CSID without quotient estimates: of `block_product`, or of the steps inside a quotient block.

    Each digit of a quotient block except the last omits up to m + 1 digits of a product and m of a difference, with
    m - 1 carries and m borrows.

    >>> [worst_case(op, 12, 6, "2") for op in "+-*/"], worst_case("/", 12, 6, "3")
    ([1, 1, 27, 24], 48)
    """
    if op in "+-":
        return 1
    size = min(int(form), m if op == "*" else n - m + 1)
    return block_product(n, min(size, m)) if op == "*" else max(block_product(m, size), 4 * m * (size - 1))


def block_product(n: int, m: int) -> int:
    """Return how many unwritten digits a digit of an n-digit by m-digit product needs at most.

    The product is written at once, lowest digit first. The digit's column and the column below each have a digit of
    every partial product, with up to n - 1 carries below it, and there is a carry between the columns. A product by one
    digit is itself the partial product, and needs one carry.

    >>> block_product(6, 1), block_product(6, 2)
    (1, 15)
    """
    n, m = max(n, m), min(n, m)
    return 1 if m == 1 else m * (n + 1) + 1


BLOCKS = Method(
    "blocks",
    pieces,
    worst_case,
    forms=("1", "2", "3"),
    block_digits=int,
    parse_answer=lean.parse_answer,
    rollback_mark="W",
    unreached_mark="#",
    writes_answer=False,
)
