"""Carries, borrows and omitted steps: the digits that a written digit may need but can't read (section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, zip_longest

# In a list of carries or borrows, entry i comes from place i + 1 (i = 0: the units).


def passed_on(columns: Iterable[int]) -> list[int]:
    """Return the carry out of each column of an addition, lowest place first; negative for a borrow.

    >>> passed_on([12, 9, 3])
    [1, 1, 0]
    """
    return [*accumulate(columns, lambda carry, column: (carry + column) // 10, initial=0)][1:]


def places(a: int, b: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of digits of two numbers, the units first.

    >>> [*places(12, 3)]
    [(2, 3), (1, 0)]
    """
    return zip_longest(map(int, str(a)[::-1]), map(int, str(b)[::-1]), fillvalue=0)


def carries(a: int, b: int) -> list[int]:
    """Return the carries of a + b, lowest place first.

    >>> carries(999, 1)
    [1, 1, 1]
    """
    return passed_on(x + y for x, y in places(a, b))


def borrows(a: int, b: int) -> list[int]:
    """Return the borrows of a - b, lowest place first; the last one is 1 if a < b.

    >>> borrows(12, 35)
    [1, 1]
    """
    return [-passed for passed in passed_on(x - y for x, y in places(a, b))]


def product_carries(a: int, digit: int) -> list[int]:
    """Return the carries of a times a digit, lowest place first.

    >>> product_carries(12, 7)
    [1, 0]
    """
    return passed_on(int(char) * digit for char in reversed(str(a)))


def run_below(flags: list[int], place: int, name: str, most: int | None = None) -> tuple[str, ...]:
    """Return the names of the unbroken run of carries just below a place, highest first.

    Args:
        flags: the carries or borrows, lowest place first.
        place: the place, 1 for the units.
        name: `carry` or `borrow`, with what it belongs to.
        most: the most names to return.

    >>> run_below([1, 1, 0], 3, "carry")
    ('carry 2', 'carry 1')
    """
    run: list[str] = []
    i = place - 2
    while 0 <= i < len(flags) and flags[i] and len(run) != most:
        run.append(f"{name} {i + 1}")
        i -= 1
    return tuple(run)


def top_run(flags: list[int]) -> tuple[str, ...]:
    """Return the names of the run of borrows that ends in the top place, which shows that a < b.

    >>> top_run(borrows(312, 335))
    ('borrow 3', 'borrow 2', 'borrow 1')
    """
    return run_below(flags, len(flags) + 1, "borrow")


def product_work(a: int, digit: int, name: str) -> list[str]:
    """Return the names of the digits and inner carries of an unwritten product by one digit.

    >>> product_work(12, 7, "p")
    ['p 1', 'p 2', 'p carry 1']
    """
    inner = product_carries(a, digit)[:-1]
    return [f"{name} {i + 1}" for i in range(len(str(a * digit)))] + [
        f"{name} carry {i + 1}" for i, carry in enumerate(inner) if carry
    ]


def iteration_work(left: int, b: int, name: str) -> list[str]:
    """Return the unwritten digits of an iteration of long division: product, carries, difference and borrows.

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
    """Return the unwritten digits that a quotient estimate needs: a whole iteration, or none for a one-digit divisor.

    >>> estimate(63, 7), len(estimate(94, 12))
    ([], 5)
    """
    while b % 10 == 0:
        left, b = left // 10, b // 10
    return [] if b < 10 else iteration_work(left, b, "estimate")


def multiplication_work(a: int, b: int) -> list[str]:
    """Return the unwritten digits of a * b: partial products, their sums, and the carries of both (appendix A.1).

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


def lowest_first_work(a: int, b: int) -> list[list[str]]:
    """Return the unwritten digits that each digit of a * b needs if written at once, lowest first; units first.

    The shorter factor is the multiplier, and its partial products are not written. A digit is the sum of a column: one
    digit of each partial product, each with the run of carries below it, and the carry from the columns below. Since
    the last digit of each column's sum is written, a carry depends only on the column below (on as many columns as the
    carry may have digits).

    >>> lowest_first_work(12, 34)[1]
    ['product 1 digit 2', 'product 2 digit 1']
    """
    if len(str(a)) < len(str(b)):
        a, b = b, a
    digits = [(shift, int(char)) for shift, char in enumerate(reversed(str(b))) if char != "0"]
    partials = [(shift, str(a * digit)[::-1], product_carries(a, digit)) for shift, digit in digits]
    columns: list[list[list[str]]] = []  # the digits in each column, each with the carries that it needs
    carried: list[list[str]] = []  # the digits of the carry into each column
    carry = 0
    for column in range(len(str(a * b))):
        addends: list[list[str]] = []
        carried.append([f"column {column} carry digit {i + 1}" for i in range(len(str(carry or "")))])
        for shift, product, flags in partials:
            if 0 <= (i := column - shift) < len(product):
                name = f"product {shift + 1}"
                run = run_below(flags, min(i + 1, len(str(a))), f"{name} carry")
                addends.append([f"{name} digit {i + 1}", *run])
                carry += int(product[i])
        columns.append(addends)
        carry //= 10
    below = len(str(len(partials) - 1))
    work: list[list[str]] = []
    for column, addends in enumerate(columns):
        alone = len(addends) == 1 and not carried[column]  # then it is the written digit itself
        needed = [name for names in addends for name in names[alone:]]
        for i in range(column, max(0, column - below), -1):
            if carried[i]:
                needed += [*carried[i], *chain(*columns[i - 1])]
        work.append(list(dict.fromkeys(needed)))
    return work


def division_work(a: int, b: int) -> list[list[str]]:
    """Return the unwritten digits of each iteration of a / b, highest quotient digit first (appendix A.2).

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
    """Return (multiplicand, digit, zeros) if one factor is a digit followed by zeros, else None.

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
