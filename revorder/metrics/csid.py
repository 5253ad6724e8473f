"""CSID, the Count of Sequential Intermediate Digits (section 3): how hard a text is to write, digit by digit.

A SID is a digit that the next digit depends on and that is not in the text so far: a nonzero carry or borrow, or a
digit of an omitted step. One-digit operations, counting and copying need no SID (section 3.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.pictured import Pictured
from revorder.arithmetic.problem import OPS, Problem
from revorder.arithmetic.trace import Kind, Segment, Trace
from revorder.errors import ProblemError, quote
from revorder.methods import find_method, trace
from revorder.metrics.unwritten_work import (
    borrows,
    carries,
    division_work,
    estimate,
    lowest_first_work,
    multiplication_work,
    one_digit,
    product_carries,
    run_below,
    top_run,
)

# Of a product or quotient written at once: digits of the operands multiplied, with those of the longer one squared
LONGEST = 16_000_000


@dataclass(frozen=True, slots=True)
class Digit:
    """A written digit (or minus sign, or the `W` for one) and the digits it is computed from.

    Attributes:
        char: the digit.
        of: the operation that it belongs to, empty for a copy.
        place: 1 for the units, as in the paper's a_1.
        sources: the written digits that it needs.
        sids: the unwritten digits that it needs.
        estimated: whether it is a quotient estimate, which the paper does not count (section 4.2.2, appendix A.2).

    >>> explain("12+39", "revorder")[1].sids
    ('carry 1',)
    """

    char: str
    of: str
    place: int
    sources: tuple[str, ...]
    sids: tuple[str, ...]
    estimated: bool = False


def csid(
    problem: str | Problem | Expression | Trace,
    method: str = "plain",
    form: str | None = None,
    estimation: bool = False,
) -> int:
    """Return the CSID of an equation as `method` writes it: the largest number of SIDs that a digit needs.

    For direct addition this is the longest run of carries (Figure 2).

    Args:
        problem: a problem, parsed or as text, or a trace of one.
        method: the name of the method; ignored for a trace.
        form: a form of the method; ignored for a trace.
        estimation: whether quotient estimates count.

    Raises:
        ProblemError: as `trace` does.

    >>> csid("123+179"), csid("123+179", "revorder"), csid("12-35", "revorder"), csid("12-35", "lean")
    (2, 1, 2, 1)
    """
    digits = explain(problem, method, form)
    return max((len(digit.sids) for digit in digits if estimation or not digit.estimated), default=0)


class Explanation(tuple[Digit, ...], Pictured):
    """The digits that a trace computes, in the order written."""

    def __repr__(self) -> str:
        return "\n".join(
            f"{digit.char} from {' '.join(digit.sources) or 'nothing'}, not written:"
            f" {', '.join(digit.sids) or 'nothing'}"
            for digit in self
        )


def explain(problem: str | Problem | Expression | Trace, method: str = "plain", form: str | None = None) -> Explanation:
    """Return the digits that a trace computes, in the order written; copied digits, which need no SID, are omitted.

    Raises ProblemError as `trace` does.

    >>> [(digit.char, len(digit.sids)) for digit in explain("123+179")]
    [('3', 2), ('0', 1), ('2', 0)]
    """
    if isinstance(problem, str):
        problem = problem.partition("=")[0]
    written = problem if isinstance(problem, Trace) else trace(problem, method, form)
    return Explanation(digit for step in written.steps for segment in step.segments for digit in digits_of(segment))


def worst_case(op: str, n: int, m: int | None = None, method: str = "plain", form: str | None = None) -> int:
    """Return the CSID that no n-digit by m-digit equation exceeds.

    Quotient estimates are not counted. Divisions are exact, and no digit is taken back. By section 3.2 and appendix A,
    direct + and - have n, * has 6n^2 + n, and exact / has 2n^2 - 2m^2. RevOrder has 1, except that the lowest digit of
    a - b with a < b needs to know which is larger, which costs up to n. For blocks it depends on the form.

    Args:
        op: one of `+ - * /`.
        n: the digits of the longer operand.
        m: the digits of the shorter operand, n by default.
        method: the name of the method.
        form: a form of the method; by default its first form.

    Raises:
        ProblemError: for an unknown operation, method or form, or unless n >= m >= 1.

    >>> worst_case("+", 16), worst_case("*", 4), worst_case("/", 12, 6), worst_case("*", 4, method="revorder")
    (16, 100, 216, 1)
    """
    writer, form = find_method(method, form)
    m = n if m is None else m
    if op not in tuple(OPS):
        raise ProblemError(f"operation {op!r} is unknown; accepted: {' '.join(OPS)}")
    if not n >= m >= 1:
        raise ProblemError(f"{n}D {op} {m}D: accepted: digit counts n >= m >= 1")
    return writer.worst_case(op, n, m, form)


def digits_of(segment: Segment) -> Iterator[Digit]:
    """Yield the digits that a segment of a trace computes, in the order written.

    Raises ProblemError if a long product or quotient is written at once.

    >>> [digit.sids for digit in digits_of(Segment("r|14", Kind.REVERSED, "+", 12, 29))]
    [(), ('carry 1',)]
    """
    text, kind, op, a, b = segment
    if kind in (Kind.FORWARD, Kind.REVERSED) and op in ("*", "/") and not (op == "*" and one_digit(a, b)):
        n, m = len(str(a)), len(str(b))
        if n * m * max(n, m) > LONGEST:
            raise ProblemError(
                f"problem {quote(f'{a}{op}{b}')}: its unwritten work is too long to list; give fewer digits"
            )
    if kind is Kind.BASIC:
        for char in text:
            if char.isdigit():
                yield Digit(char, "", 1, ("written digits",), ())
    elif kind is Kind.ESTIMATE:
        first, *rest = quotient_digits(text, a, b)
        yield replace(first, sids=tuple(estimate(a // 10 ** len(rest), b)), estimated=True)
        yield from rest
    elif kind is Kind.SIGN:
        run = top_run(borrows(a, b))
        behind = text.strip() != "-"  # a mark after the digits needs the last borrow only, a minus before them all
        yield Digit(text.strip(), f"{a}-{b}", 1, ("a", "b"), run[-1:] if behind else run)
    elif kind is Kind.REVERSED and op == "-" and "-" in text:
        yield from signed_difference(text, a, b)
    elif kind is Kind.REVERSED:
        yield from reversed_digits(text, op, a, b)
    elif kind is Kind.FORWARD:
        yield from forward_digits(op, a, b)


def operands(place: int, a: str, b: str, op: str) -> tuple[str, ...]:
    """Return the operands' digits that a digit at `place` is computed from.

    >>> operands(2, "12", "9", "+")
    ('a2=1',)
    """
    if op == "*":
        return (f"a{place}={a[-place]}" if place <= len(a) else "", f"b={b}")[place > len(a) :]
    return tuple([f"{name}{place}={n[-place]}" for name, n in (("a", a), ("b", b)) if place <= len(n)])


def last_product(place: int, a: str, op: str) -> int:
    """Return the place whose one-digit product a digit belongs to; the last product has two digits.

    >>> last_product(3, "12", "*"), last_product(3, "12", "+")
    (2, 3)
    """
    return min(place, len(a)) if op == "*" else place


def by_places(op: str, a: int, b: int) -> tuple[int, int, int, list[int], str]:
    """Return (a, b, trailing zeros, carries or borrows, their name) of a sum, a difference or a one-digit product.

    >>> by_places("*", 7, 120)
    (12, 7, 1, [1, 0], 'carry')
    """
    if op == "*":
        a, b, zeros = one_digit(a, b) or (a, b, 0)
        return a, b, zeros, product_carries(a, b), "carry"
    return (a, b, 0, borrows(a, b), "borrow") if op == "-" else (a, b, 0, carries(a, b), "carry")


def forward_digits(op: str, a: int, b: int) -> Iterator[Digit]:
    """Yield the digits of a result written most significant first."""
    of = f"{a}{op}{b}"
    if op == "/":
        yield from quotient_digits(str(a // b), a, b)
        work = tuple(chain(*division_work(a, b)))
        for i, char in enumerate(str(a % b) if a % b else ""):
            yield Digit(char, of, len(str(a % b)) - i, ("a", "b"), work)
        return
    value = Problem(a, op, b).value
    text = str(abs(value))
    if op == "*" and not one_digit(a, b):
        work = tuple(multiplication_work(a, b))
        for i, char in enumerate(text):
            yield Digit(char, of, len(text) - i, ("a", "b"), work)
        return
    if op == "-" and a < b:
        yield Digit("-", of, len(text) + 1, ("a", "b"), top_run(borrows(a, b)))
        a, b = b, a
    a, b, zeros, flags, name = by_places(op, a, b)
    first, second = str(a), str(b)
    for i, char in enumerate(text):
        place = len(text) - i - zeros
        known = operands(place, first, second, op) if place > 0 else ("0",)
        # the first digit of a difference also shows that the places above it are empty
        top = len(flags) if op == "-" and i == 0 else last_product(place, first, op)
        yield Digit(char, of, len(text) - i, known, run_below(flags, top, name) if place > 0 else ())


def quotient_digits(text: str, a: int, b: int) -> Iterator[Digit]:
    """Yield the digits of a / b written at once; each needs the products and differences of the steps before it.

    >>> [len(digit.sids) for digit in quotient_digits("079", 948, 12)]
    [0, 0, 5]
    """
    work = division_work(a, b)
    zeros = len(text) - len(work)  # leading ones
    for i, char in enumerate(text):
        sids = tuple(chain(*work[: max(0, i - zeros)])) if b > 9 or a > 99 else ()
        yield Digit(char, f"{a}/{b}", len(text) - i, ("a", "b"), sids)


def reversed_digits(text: str, op: str, a: int, b: int) -> Iterator[Digit]:
    """Yield the digits of a result written least significant first; each needs the carry before it, unless 0."""
    of = f"{a}{op}{b}"
    digits = [char for char in text if char.isdigit()]
    if op == "/" or (op == "*" and not one_digit(a, b)):
        work = [list(chain(*division_work(a, b)))] * len(digits) if op == "/" else lowest_first_work(a, b)
        for i, (char, names) in enumerate(zip(digits, work, strict=True)):
            yield Digit(char, of, i + 1, ("a", "b"), tuple(names))
        return
    a, b, zeros, flags, name = by_places(op, a, b)
    first, second = str(a), str(b)
    for i, char in enumerate(digits):
        place = i + 1 - zeros
        sids = run_below(flags, last_product(place, first, op), name, 1) if place > 0 else ()
        yield Digit(char, of, i + 1, operands(place, first, second, op) if place > 0 else ("0",), sids)


def signed_difference(text: str, a: int, b: int) -> Iterator[Digit]:
    """Yield the digits and the sign (first or last) of a - b if a < b: some digit must show that a < b."""
    of = f"{a}-{b}"
    run = top_run(borrows(a, b))
    flags, first, second = borrows(b, a), str(b), str(a)
    sign_first = text.lstrip("()~").startswith("-")
    place = 0
    for char in text:
        if char == "-":
            yield Digit(char, of, len(str(b - a)) + 1, ("a", "b"), run if sign_first else ())
        elif char.isdigit():
            place += 1
            # the sign is unknown until a written digit differs from the one that a > b would give
            unknown = not sign_first and 2 * (a - b) % 10 ** (place - 1) == 0
            sids = run_below(flags, place, "borrow", 1) + (run if unknown else ())
            yield Digit(char, of, place, operands(place, first, second, "-"), sids)
