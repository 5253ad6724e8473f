"""RevOrder as the paper writes it: `expanded` (section 4.2, equations 1-8) and `compact` (section 4.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from revorder.arithmetic.problem import Problem, ascii_signs
from revorder.arithmetic.reversed_numbers import forward, reversed_number
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

# a quotient digit that is not taken back, and the rest after it
_STEP = re.compile(r"([0-9])R-?\([^#WR]*[(~](?:0|r\|?([0-9]+))\)(?=#|\Z)")
_LAST_LINE = re.compile(r"=([0-9]+)Rem(?:\(0\)|r\|([0-9]+))\Z")


def pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool) -> Iterable[Piece]:
    """Return the pieces of a trace; with `answer` the forward answer comes last.

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> text_of(pieces(Problem(948, "/", 12), "compact", correct_digit, True))
    '948/12=7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79'
    """
    a, op, b = problem
    line = "=" if form == "compact" else "\n="
    stated = problem.answer
    work: Iterable[Piece] = ((f"r|{stated[::-1]}", REVERSED, op, a, b),)
    if op == "/":
        work = (compact_division if form == "compact" else expanded_division)(a, b, choose)
    elif op == "*":
        work = multiplication(a, b, form)
    end = (STEP_END, (f"{line}{stated}", ANSWER, op, a, b)) if answer else ()
    return chain((copy(f"{a}{op}{b}{line}"),), work, end)


def place_values(b: int) -> list[int]:
    """Return the place values of the nonzero digits of `b`, highest first; [0] for 0.

    >>> place_values(4067)
    [4000, 60, 7]
    """
    digits = str(b)
    last = len(digits) - 1
    return [int(digit) * 10 ** (last - i) for i, digit in enumerate(digits) if digit != "0"] or [0]


def multiplication(a: int, b: int, form: str) -> Iterator[Piece]:
    """Yield the product split by b's digits, the partial products, and their sums in adjacent pairs (equations 1-4)."""
    line = "=" if form == "compact" else "\n="
    values = place_values(b)
    products = [a * value for value in values]
    if len(values) > 1:
        yield copy("+".join([f"{a}*{value}" for value in values]))
        yield STEP_END
        yield copy(line)
    join = ""
    for value, product in zip(values, products, strict=True):
        yield f"{join}{reversed_number(product)}", REVERSED, "*", a, value
        join = "+"
    while len(products) > 1:
        count = len(products)
        if form == "expanded" and count > 2:
            numbers = [reversed_number(product) for product in products]
            pairs = [f"({numbers[i]}+{numbers[i + 1]})" for i in range(0, count - 1, 2)] + numbers[count - count % 2 :]
            yield STEP_END
            yield copy(line + "+".join(pairs))
        yield STEP_END
        yield copy(line)
        sums = [products[i] + products[i + 1] for i in range(0, count - 1, 2)]
        for i, total in enumerate(sums):
            text = f"{'+' if i else ''}{reversed_number(total)}"
            yield text, REVERSED, "+", products[2 * i], products[2 * i + 1]
        if count % 2:
            yield f"+{reversed_number(products[-1])}", Kind.CARRIED_DOWN, "", 0, 0
            sums.append(products[-1])
        products = sums


def remainder_text(n: int) -> str:
    """Return a remainder in the compact form: reversed, with a minus sign first; 0 without a mark.

    >>> remainder_text(-12), remainder_text(0)
    ('-r|21', '0')
    """
    return reversed_number(n) if n > 0 else "0" if n == 0 else f"-{reversed_number(-n)}"


def compact_division(left: int, b: int, choose: ChooseDigit) -> Iterator[Piece]:
    """Yield one quotient digit a step: digit, product, remainder; then `W` if the digit is wrong (section 4.3)."""
    power = 10 ** (len(str(left // b)) - 1)
    step = 0
    while True:
        scaled = b * power
        quotient = left // scaled
        digit = choose(step, quotient)
        product = digit * scaled
        rest = left - product
        yield f"{digit}", ESTIMATE, "/", left, scaled
        yield f"R-({b}*{digit * power})(", COPY, "", 0, 0
        yield f"r|{str(product)[::-1]}", REVERSED, "*", scaled, digit
        yield f")(r|{str(rest)[::-1]})" if rest > 0 else f")({remainder_text(rest)})", REVERSED, "-", left, product
        if digit != quotient:
            yield "W", ROLLBACK, "", 0, 0
            yield STEP_END
            continue
        if power == 1:
            return
        left = rest
        power //= 10
        step += 1
        yield STEP_END
        yield copy("#")


def expanded_division(left: int, b: int, choose: ChooseDigit) -> Iterator[Piece]:
    """Yield three lines a quotient digit, with `Rem`; then ` W` if the digit is wrong (equations 5-8)."""
    zeros = len(str(left // b)) - 1
    step = 0
    before, shown = "", str(left)
    while zeros >= 0:
        scaled = b * 10**zeros
        quotient = left // scaled
        yield copy(before)
        digit = choose(step, quotient)
        product = digit * scaled
        rest = left - product
        yield str(digit), ESTIMATE, "/", left, scaled
        yield copy(f" Rem ({shown}-{b}*{digit * 10**zeros})")
        yield STEP_END
        yield copy(f"\n={before}{digit} Rem ({shown}-")
        yield reversed_number(product), REVERSED, "*", scaled, digit
        yield copy(")")
        yield STEP_END
        yield copy(f"\n={before}{digit} Rem ")
        rest_text = remainder_text(rest)
        yield rest_text if rest > 0 else f"({rest_text})", REVERSED, "-", left, product
        if digit == quotient:
            left, shown, zeros = rest, rest_text, zeros - 1
            step += 1
            before += str(digit)
        else:
            yield " W", ROLLBACK, "", 0, 0
        if zeros >= 0:
            yield STEP_END
            yield copy("\n=")


def worst_case(op: str, n: int, m: int, form: str = "") -> int:
    """Return a CSID that no trace exceeds, without quotient estimates: one carry, but a - b needs to know the larger.

    >>> worst_case("*", 16, 16), worst_case("-", 16, 16)
    (1, 16)
    """
    return n if op == "-" else 1


def parse_answer(text: str) -> str | None:
    """Return the answer that a trace states; of a division without one, the quotient and remainder of its steps.

    >>> parse_answer("950/12=8R-(12*80)(r|069)(-r|01)W7R-(12*70)(r|048)(r|011)#9R-(12*9)(r|801)(r|2)")
    '79R2'
    """
    return base.parse_answer(text) or answer_of_steps(text)


def answer_of_steps(text: str) -> str | None:
    """Return the answer from the steps of a division, also in the authors' dialect; None if the steps don't end."""
    written = re.sub(r"\s", "", ascii_signs(text))
    if found := _LAST_LINE.search(written):
        quotient, left = found[1], found[2]
    else:
        steps = list(_STEP.finditer(written))
        if not steps or steps[-1].end() != len(written):
            return None
        quotient, left = "".join([step[1] for step in steps]), steps[-1][2]
    remainder = forward(left or "0", "")
    return quotient if remainder == "0" else f"{quotient}R{remainder}"


REVORDER = Method(
    "revorder", pieces, worst_case, forms=("compact", "expanded"), parse_answer=parse_answer, rollback_mark="W"
)
