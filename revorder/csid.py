"""CSID, the Count of Sequential Intermediate Digits (section 3): how hard a text is to write, digit by digit.

A SID is a digit that the next digit depends on and that stands nowhere in the text so far: a carry or borrow that is
not zero, or a digit of a step that was left out. One-digit operations, counting and copying need none (section 3.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from .methods import method_named, trace
from .problem import Expression, Problem, ProblemError
from .trace import ANSWER, BASIC, COPY, DOWN, GUESS, SIGN, Part, Trace


@dataclass(frozen=True, slots=True)
class Digit:
    """One written digit (or minus sign, or the `W` that stands for one) and what it is computed from.

    `char`; `of`: the operation it belongs to, empty for a copy; `place`: 1 for the units, as in the paper's a_1;
    `sources`: the written digits it needs; `sids`: the digits it needs that are not written. `estimated`: it is a
    quotient estimate, which the paper leaves out of its count (section 4.2.2, appendix A.2).

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
    rollback: Mapping[int, int | Iterable[int]] | None = None,
    estimation: bool = False,
) -> int:
    """The CSID of an equation as `method` writes it: the largest number of SIDs that any of its digits needs.

    For direct addition this is the longest run of carries (Figure 2). Quotient estimates count with `estimation`.
    Raises ProblemError as `trace` does.

    >>> csid("123+179"), csid("123+179", "revorder"), csid("12-35", "revorder"), csid("12-35", "lean")
    (2, 1, 2, 1)
    """
    digits = explain(problem, method, form, rollback)
    return max((len(digit.sids) for digit in digits if estimation or not digit.estimated), default=0)


def explain(
    problem: str | Problem | Expression | Trace,
    method: str = "plain",
    form: str | None = None,
    rollback: Mapping[int, int | Iterable[int]] | None = None,
) -> list[Digit]:
    """Every digit that a trace computes, in the order written; copied digits, which need no SID, are left out.

    >>> [(digit.char, len(digit.sids)) for digit in explain("123+179")]
    [('3', 2), ('0', 1), ('2', 0)]
    """
    if isinstance(problem, str):
        problem = problem.partition("=")[0]
    written = problem if isinstance(problem, Trace) else trace(problem, method, form, rollback)
    return [digit for step in written.steps for part in step.parts for digit in digits_of(part)]


def worst_case(op: str, n: int, m: int | None = None, method: str = "plain", form: str | None = None) -> int:
    """The CSID that no n-digit by m-digit equation (n >= m; m = n by default) exceeds.

    Quotient estimates aside, where a division is exact and no digit is taken back. Section 3.2 and appendix A: n for direct + and -, 6n^2 + n for *, 2n^2 - 2m^2 for exact /. RevOrder has 1, except
    that the lowest digit of a - b with a < b needs to know which is larger, which costs up to n. Raises
    ProblemError for an unknown operation or method.

    >>> worst_case("+", 16), worst_case("*", 4), worst_case("/", 12, 6), worst_case("*", 4, method="revorder")
    (16, 100, 216, 1)
    """
    module, _ = method_named(method, form)
    m = n if m is None else m
    if op not in tuple("+-*/"):
        raise ProblemError(f"operation {op!r} is unknown; accepted: + - * /")
    if not n >= m >= 1:
        raise ProblemError(f"{n}D {op} {m}D: accepted: digit counts n >= m >= 1")
    name = module.__name__.rpartition(".")[2]
    direct = {
        "+": n,
        "-": n,
        "*": n if m == 1 else 2 * m * n + m + 2 * m * (n + m),  # 6n^2 + n where m = n
        "/": 2 * n * n - 2 * m * m,
    }[op]
    if name in ("plain", "mathglm"):
        return direct
    if name == "scratchpad":
        return n if op == "-" else 0
    if name == "goat":  # direct sums of partial products, direct differences
        return {"+": n, "-": n, "*": n + m, "/": n if m > 2 else max(n, direct)}[op]  # 10 is direct
    if name == "reverse" and op == "/":
        return direct + 2 * n + 2 * m  # the lowest quotient digit needs every iteration
    if name == "reverse" and op == "*" and m > 1:
        return direct
    return n if op == "-" and name != "lean" else 1


def digits_of(part: Part) -> Iterator[Digit]:
    """The digits that a part of a trace computes, in the order written.

    >>> [digit.sids for digit in digits_of(("r|14", "r+", 12, 29))]
    [(), ('carry 1',)]
    """
    text, kind, a, b = part
    if kind in (COPY, DOWN, ANSWER):
        return
    if kind == BASIC:
        for char in text:
            if char.isdigit():
                yield Digit(char, "", 1, ("written digits",), ())
    elif kind == GUESS:
        yield Digit(text.strip()[0], f"{a}/{b}", 1, ("dividend", "divisor"), tuple(estimate(a, b)), True)
    elif kind == SIGN:
        run = top_run(borrows(a, b))
        sids = run[-1:] if text.strip() == "W" else run
        yield Digit(text.strip(), f"{a}-{b}", 1, ("a", "b"), sids)
    elif kind == "r-" and "-" in text:
        yield from signed_difference(text, a, b)
    elif kind[0] == "r":
        yield from reversed_digits(text, kind[1], a, b)
    else:
        yield from forward_digits(kind, a, b)


# Carries and borrows. A list entry i is the carry out of place i+1 (i = 0: the units).


def carries(a: int, b: int) -> list[int]:
    """The carries of a + b, lowest place first.

    >>> carries(999, 1)
    [1, 1, 1]
    """
    out: list[int] = []
    x, y = str(a)[::-1], str(b)[::-1]
    carry = 0
    for i in range(max(len(x), len(y))):
        carry = (int(x[i : i + 1] or 0) + int(y[i : i + 1] or 0) + carry) // 10
        out.append(carry)
    return out


def borrows(a: int, b: int) -> list[int]:
    """The borrows of a - b, lowest place first; the last one is 1 where a < b.

    >>> borrows(12, 35)
    [1, 1]
    """
    out: list[int] = []
    x, y = str(a)[::-1], str(b)[::-1]
    borrow = 0
    for i in range(max(len(x), len(y))):
        borrow = int(int(x[i : i + 1] or 0) - int(y[i : i + 1] or 0) - borrow < 0)
        out.append(borrow)
    return out


def product_carries(a: int, digit: int) -> list[int]:
    """The carries of a times a digit, lowest place first.

    >>> product_carries(12, 7)
    [1, 0]
    """
    out: list[int] = []
    carry = 0
    for char in reversed(str(a)):
        carry = (int(char) * digit + carry) // 10
        out.append(carry)
    return out


def run_below(flags: list[int], place: int, name: str) -> tuple[str, ...]:
    """The names of the unbroken run of carries that ends just below `place` (1 = units).

    >>> run_below([1, 1, 0], 3, "carry")
    ('carry 2', 'carry 1')
    """
    run: list[str] = []
    i = place - 2
    while i >= 0 and i < len(flags) and flags[i]:
        run.append(f"{name} {i + 1}")
        i -= 1
    return tuple(run)


def top_run(flags: list[int]) -> tuple[str, ...]:
    """The names of the run of borrows that ends in the top place: what tells that a < b.

    >>> top_run(borrows(312, 335))
    ('borrow 3', 'borrow 2', 'borrow 1')
    """
    return run_below(flags, len(flags) + 1, "borrow")


# The digits that a step left out would have written


def product_work(a: int, digit: int, name: str) -> list[str]:
    """The digits and inner carries of a product by one digit that is not written.

    >>> product_work(12, 7, "p")
    ['p 1', 'p 2', 'p carry 1']
    """
    inner = product_carries(a, digit)[:-1]
    return [f"{name} {i + 1}" for i in range(len(str(a * digit)))] + [
        f"{name} carry {i + 1}" for i, carry in enumerate(inner) if carry
    ]


def iteration_work(left: int, b: int, name: str) -> list[str]:
    """The unwritten digits of one iteration of long division: the product, its carries, the difference, its borrows.

    >>> len(iteration_work(94, 12, "q"))
    5
    """
    digit = left // b
    if not digit:
        return []
    product = b * digit
    rest = [f"{name} rest {i + 1}" for i in range(len(str(left - product)))]
    lent = [f"{name} borrow {i + 1}" for i, borrow in enumerate(borrows(left, product)) if borrow]
    return product_work(b, digit, name) + rest + lent


def estimate(left: int, b: int) -> list[str]:
    """What an estimated quotient digit depends on: one whole iteration, none where the divisor has one digit.

    >>> estimate(63, 7), len(estimate(94, 12))
    ([], 5)
    """
    while b % 10 == 0:
        left, b = left // 10, b // 10
    return [] if b < 10 else iteration_work(left, b, "estimate")


def multiplication_work(a: int, b: int) -> list[str]:
    """The unwritten digits of a * b: partial products with their carries, and their sums with theirs (appendix A.1).

    The shorter factor is the multiplier, as in the paper.

    >>> multiplication_work(3, 4), len(multiplication_work(12, 34))
    ([], 5)
    """
    if len(str(b)) == 1 and len(str(a)) == 1:
        return []
    if len(str(a)) < len(str(b)):
        a, b = b, a
    work: list[str] = []
    total = 0
    digits = [(i, int(char)) for i, char in enumerate(reversed(str(b))) if char != "0"]
    for count, (i, digit) in enumerate(digits):
        partial = a * digit
        work += product_work(a, digit, f"product {i + 1}")
        shifted = partial * 10**i
        if count:
            work += [f"sum {count} carry {k + 1}" for k, carry in enumerate(carries(total, shifted)) if carry]
            if count < len(digits) - 1:  # the digits of the last sum are written
                work += [f"sum {count} digit {k + 1}" for k in range(len(str(total + shifted)))]
        total += shifted
    return work


def division_work(a: int, b: int) -> list[list[str]]:
    """The unwritten digits of each iteration of a / b, highest quotient digit first (appendix A.2).

    >>> [len(work) for work in division_work(948, 12)]
    [5, 5]
    """
    digits = str(a)
    used = len(digits) - len(str(a // b)) + 1
    left = int(digits[:used])
    work: list[list[str]] = []
    while True:
        work.append(iteration_work(left, b, f"quotient {len(work) + 1}") if a >= b else [])
        left %= b
        if used == len(digits):
            return work
        left = left * 10 + int(digits[used])
        used += 1


def one_digit(a: int, b: int) -> tuple[int, int, int] | None:
    """(multiplicand, digit, zeros) where one factor is a digit and zeros, else None.

    >>> one_digit(12, 400), one_digit(12, 34)
    ((12, 4, 2), None)
    """
    zeros = 0
    while a and b and a % 10 == 0:
        a, zeros = a // 10, zeros + 1
    while a and b and b % 10 == 0:
        b, zeros = b // 10, zeros + 1
    if a < 10 <= b:
        a, b = b, a
    return (a, b, zeros) if b < 10 else None


def operands(place: int, a: int, b: int, op: str) -> tuple[str, ...]:
    """The operands' digits that a digit at `place` is computed from.

    >>> operands(2, 12, 9, "+")
    ('a2=1',)
    """
    if op == "*":
        return (f"a{place}={str(a)[-place]}" if place <= len(str(a)) else "", f"b={b}")[place > len(str(a)) :]
    names = (f"{name}{place}={str(n)[-place]}" for name, n in (("a", a), ("b", b)) if place <= len(str(n)))
    return tuple(names)


def last_product(place: int, a: int, op: str) -> int:
    """The place whose one-digit product a digit belongs to: the last product has two digits.

    >>> last_product(3, 12, "*"), last_product(3, 12, "+")
    (2, 3)
    """
    return min(place, len(str(a))) if op == "*" else place


def forward_digits(op: str, a: int, b: int) -> Iterator[Digit]:
    """The digits of a result written most significant first."""
    of = f"{a}{op}{b}"
    if op == "/":
        work = division_work(a, b)
        for i, char in enumerate(str(a // b)):
            yield Digit(char, of, len(work) - i, ("a", "b"), tuple(chain(*work[:i])) if b > 9 or a > 99 else ())
        for i, char in enumerate(str(a % b) if a % b else ""):
            yield Digit(char, of, len(str(a % b)) - i, ("a", "b"), tuple(chain(*work)))
        return
    value = Problem(a, op, b).value
    text = str(abs(value))
    if op == "*" and not one_digit(a, b):
        work = tuple(multiplication_work(a, b))
        for i, char in enumerate(text):
            yield Digit(char, of, len(text) - i, ("a", "b"), work)
        return
    name = "borrow" if op == "-" else "carry"
    zeros = 0
    if op == "+":
        flags = carries(a, b)
    elif op == "-":
        if a < b:
            yield Digit("-", of, len(text) + 1, ("a", "b"), top_run(borrows(a, b)))
            a, b = b, a
        flags = borrows(a, b)
    else:
        a, b, zeros = one_digit(a, b) or (a, b, 0)
        flags = product_carries(a, b)
    for i, char in enumerate(text):
        place = len(text) - i - zeros
        known = operands(place, a, b, op) if place > 0 else ("0",)
        # the first digit of a difference also says that the places above it are empty
        top = len(flags) if op == "-" and i == 0 else last_product(place, a, op)
        yield Digit(char, of, len(text) - i, known, run_below(flags, top, name) if place > 0 else ())


def reversed_digits(text: str, op: str, a: int, b: int) -> Iterator[Digit]:
    """The digits of a result written least significant first: each needs the carry before it, where that is not 0."""
    of = f"{a}{op}{b}"
    digits = [char for char in text if char.isdigit()]
    if op == "/" or (op == "*" and not one_digit(a, b)):
        work = list(chain(*division_work(a, b))) if op == "/" else multiplication_work(a, b)
        for i, char in enumerate(digits):
            yield Digit(char, of, i + 1, ("a", "b"), tuple(work))
        return
    zeros = 0
    if op == "+":
        flags, name = carries(a, b), "carry"
    elif op == "-":
        flags, name = borrows(a, b), "borrow"
    else:
        a, b, zeros = one_digit(a, b) or (a, b, 0)
        flags, name = product_carries(a, b), "carry"
    for i, char in enumerate(digits):
        place = i + 1 - zeros
        sids = run_below(flags, last_product(place, a, op), name)[:1] if place > 0 else ()
        yield Digit(char, of, i + 1, operands(place, a, b, op) if place > 0 else ("0",), sids)


def signed_difference(text: str, a: int, b: int) -> Iterator[Digit]:
    """The digits of b - a where a < b and the sign is written too, first or last: something must tell a < b."""
    of = f"{a}-{b}"
    run = top_run(borrows(a, b))
    flags = borrows(b, a)
    sign_first = text.lstrip("()~").startswith("-")
    place = 0
    for char in text:
        if char == "-":
            yield Digit(char, of, len(str(b - a)) + 1, ("a", "b"), run if sign_first else ())
        elif char.isdigit():
            place += 1
            # until a written digit differs from what a > b would give, the sign can't be read off the text
            unknown = not sign_first and 2 * (a - b) % 10 ** (place - 1) == 0
            sids = run_below(flags, place, "borrow")[:1] + (run if unknown else ())
            yield Digit(char, of, place, operands(place, b, a, "-"), sids)
