"""Scratchpad (Nye et al., 2021): spaced digits, one column a line with its carry `C:`, between <scratch> tags.

The original is for +. The other operations use the same lines. - subtracts the smaller operand from the larger, and
adds the sign to the answer. * multiplies by one digit after the other and adds. / subtracts `divisor * digit` line by
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from revorder.arithmetic.expression import parse_problem
from revorder.arithmetic.problem import Problem, ascii_signs
from revorder.arithmetic.trace import ESTIMATE, STEP_END, ChooseDigit, Kind, Piece, copy
from revorder.errors import ProblemError, quote
from revorder.methods.base import Method

LONGEST = 4_000_000  # of a product or quotient: a count of digits, about a ninth or a fifth of its characters
OPEN, CLOSE = "<scratch>", "</scratch>"


def pieces(problem: Problem, form: str, choose: ChooseDigit, answer: bool) -> Iterator[Piece]:
    """Yield the question, the scratch lines and the answer; raises ProblemError if they are too long.

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> print(text_of(pieces(Problem(29, "+", 57), "scratchpad", correct_digit, True)))
    2 9 + 5 7
    <scratch>
    2 9 + 5 7 , C: 0
    2 + 5 , 6 C: 1
    , 8 6 C: 0
    0 8 6
    </scratch>
    8 6
    """
    a, op, b = problem.a, problem.op, problem.b
    long, short = (b, a // b) if op == "/" else (max(a, b), min(a, b))
    if op in "*/" and len(str(long)) ** 2 * len(str(short)) > LONGEST:
        raise ProblemError(f"problem {quote(str(problem))}: its scratchpad is too long; give fewer digits")
    yield copy(f"{spaced(a)} {op} {spaced(b)}\n{OPEN}\n")
    sign = ""
    if op == "-" and a < b:
        yield "- ", Kind.SIGN, "-", a, b
        a, b, sign = b, a, "- "
    if op == "*":
        yield from multiplication(a, b)
    elif op == "/":
        yield from division(a, b)
    else:
        yield from columns(a, op, b)
    yield copy(
        f"{CLOSE}\n{sign}{spaced(abs(problem.value))}{f' R {spaced(problem.remainder)}' if problem.remainder else ''}"
    )


def spaced(n: int) -> str:
    """Return the digits of `n` with spaces between them.

    >>> spaced(169)
    '1 6 9'
    """
    return " ".join(str(n))


def parse_question(text: str) -> Problem:
    """Return the problem in the first line, ignoring all spaces; raises ProblemError if there is none.

    >>> str(parse_question("2 9 + 5 7"))
    '29+57'
    """
    return parse_problem(re.sub(r"\s", "", re.split(r"\n|<", text.lstrip(), maxsplit=1)[0]))


def parse_answer(text: str) -> str | None:
    """Return the answer after the scratchpad; None if there is none.

    >>> parse_answer("<scratch> 0 8 6 </scratch> 8 6")
    '86'
    """
    _, tag, rest = ascii_signs(text).rpartition(CLOSE)
    number = re.sub(r"\s", "", rest)
    return number if tag and re.fullmatch(r"-?[0-9]+(R[0-9]+)?", number) else None


def columns(a: int, op: str, b: int) -> Iterator[Piece]:
    """Yield `a op b` column by column from the right; `op` is +, - with a >= b, or * with one digit b."""
    left, right = str(a), str(b)
    carry, done = 0, ""
    count = len(left) if op == "*" else max(len(left), len(right))
    yield copy(f"{' '.join(left)} {op} {' '.join(right)} , C: 0\n")
    for i in range(count):
        yield STEP_END
        x = int(left[-1 - i]) if i < len(left) else 0
        y = b if op == "*" else int(right[-1 - i]) if i < len(right) else 0
        total = x * y + carry if op == "*" else x + y + carry if op == "+" else x - y - carry
        digit, carry = total % 10, abs(total // 10)
        rest_left = " ".join(left[: max(0, len(left) - 1 - i)])
        rest_right = right if op == "*" else " ".join(right[: max(0, len(right) - 1 - i)])
        if i == count - 1:
            yield copy(", ")
        else:
            yield copy("".join([f"{piece} " for piece in (rest_left, op, rest_right, ",") if piece]))
        yield str(digit), Kind.BASIC, "", 0, 0
        if done:
            yield copy(f" {' '.join(done)}")
        yield copy(" C: ")
        yield str(carry), Kind.BASIC, "", 0, 0
        yield copy("\n")
        done = f"{digit}{done}"
    yield STEP_END
    yield copy(f"{carry} {' '.join(done)}\n")


def multiplication(a: int, b: int) -> Iterator[Piece]:
    """Yield the partial products from the lowest digit of b up, each added to the sum so far."""
    digits = str(b)
    total = 0
    for i, char in enumerate(reversed(digits)):
        if char == "0" and b:
            continue
        product = a * int(char)
        yield from columns(a, "*", int(char))
        yield STEP_END
        if len(digits) == 1:
            continue
        partial = product * 10**i
        if total:
            yield from columns(max(partial, total), "+", min(partial, total))
            yield STEP_END
        total += partial


def division(a: int, b: int) -> Iterator[Piece]:
    """Yield long division: for each quotient digit `dividend / divisor , digit`, the product and the difference."""
    digits = str(a)
    used = len(digits) - len(str(a // b)) + 1
    left = int(digits[:used])
    while True:
        quotient = left // b
        yield copy(f"{spaced(left)} / {spaced(b)} , ")
        yield str(quotient), ESTIMATE, "/", left, b
        yield copy("\n")
        yield STEP_END
        if quotient:
            yield from columns(b, "*", quotient)
            yield STEP_END
            yield from columns(left, "-", b * quotient)
            yield STEP_END
        left -= b * quotient
        if used == len(digits):
            return
        left = left * 10 + int(digits[used])
        used += 1


def worst_case(op: str, n: int, m: int, form: str = "") -> int:
    """Return the worst CSID: 0, except that a - b must first state which operand is larger."""
    return n if op == "-" else 0


SCRATCHPAD = Method(
    "scratchpad",
    pieces,
    worst_case,
    forms=("scratchpad",),
    parse_question=parse_question,
    parse_answer=parse_answer,
    multiline=True,
)
