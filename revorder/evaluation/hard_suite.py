"""The hard suite: 20,000 problems within Table 1's sizes, in families that break models which solve random problems.

`+` and `-` to 16 digits, `*` to 16D*1D, 8D*4D and 6D*6D, `/` to 16D/1D and 12D/6D. The problems are always the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice

from revorder.arithmetic.problem import Problem

DrawOperands = Callable[[random.Random, int], tuple[int, int]]  # (randomness, number of the problem): the two operands

_SUMS = [(n, m) for n in range(1, 17) for m in range(1, 17)]
_LONG_PRODUCTS = [(n, m) for n in range(1, 9) for m in range(1, 9) if min(n, m) <= 4 or max(n, m) <= 6]
_PRODUCTS = _LONG_PRODUCTS + [pair for n in range(9, 17) for pair in ((n, 1), (1, n))]
_QUOTIENTS = [(n, m) for n in range(1, 13) for m in range(1, 7)] + [(n, 1) for n in range(13, 17)]


def number(rng: random.Random, size: int, digits: str = "0123456789") -> int:
    """Return a number of exactly `size` digits out of `digits`; its first digit is not 0.

    >>> number(random.Random(0), 4, "09")
    9909
    """
    first = [digit for digit in digits if digit != "0"]
    return int(rng.choice(first) + "".join(rng.choice(digits) for _ in range(size - 1)))


def holed(rng: random.Random, size: int) -> int:
    """Return a number of `size` digits with zeros inside, at its end, or both.

    >>> "0" in str(holed(random.Random(0), 6))
    True
    """
    digits = list(str(number(rng, size)))
    kind = rng.randrange(3)
    for place in range(1, size):
        if (kind != 1 and rng.random() < 0.6) or (kind != 0 and place >= size - rng.randint(1, size)):
            digits[place] = "0"
    return int("".join(digits))


def carries(rng: random.Random, i: int) -> tuple[int, int]:
    size = i % 16 + 1
    a = number(rng, size, "123456789") if size > 1 else rng.randint(1, 8)
    return a, 10**size - a if i % 3 else 10**size - 1 - a + 10 ** rng.randrange(size)


def nines(rng: random.Random, i: int) -> tuple[int, int]:
    size = i % 16 + 1
    a, b = 10**size - 1, rng.choice([1, 10 ** rng.randrange(size), number(rng, rng.randint(1, size)), 10**size - 1])
    return (a, b) if rng.random() < 0.5 else (b, a)


def borrows(rng: random.Random, i: int) -> tuple[int, int]:
    size = i % 15 + 2
    a = 10 ** (size - 1) * rng.randint(1, 9)
    return a + rng.choice([0, 0, rng.randint(0, 9)]), rng.choice([1, rng.randint(1, 9), number(rng, size - 1)])


def near(rng: random.Random, i: int) -> tuple[int, int]:
    size = i % 16 + 1
    a = number(rng, size)
    place = rng.randrange(size)
    digit = rng.choice([d for d in "123456789" if d != str(a)[place]])
    return a, int(str(a)[:place] + digit + str(a)[place + 1 :])


def less(rng: random.Random, i: int) -> tuple[int, int]:
    a, b = sorted((number(rng, rng.randint(1, 16)), number(rng, i % 16 + 1)))
    return (a, b) if a < b else (a, b + 1) if len(str(b + 1)) <= 16 else (a - 1, b)


def equal(rng: random.Random, i: int) -> tuple[int, int]:
    a = rng.choice([number, holed])(rng, i % 16 + 1)
    return a, a


def zeros_of(pairs: list[tuple[int, int]]) -> DrawOperands:
    def draw(rng: random.Random, i: int) -> tuple[int, int]:
        n, m = pairs[i % len(pairs)]
        which = rng.randrange(3)
        a, b = (holed if which != 1 else number)(rng, n), (holed if which != 0 else number)(rng, m)
        return rng.choice([(a, b)] * 14 + [(0, b), (a, 0)])

    return draw


def lengths_of(pairs: list[tuple[int, int]]) -> DrawOperands:
    def draw(rng: random.Random, i: int) -> tuple[int, int]:
        n, m = pairs[i % len(pairs)]
        return number(rng, n), number(rng, m)

    return draw


def high_digits(rng: random.Random, i: int) -> tuple[int, int]:
    n, m = _PRODUCTS[i % len(_PRODUCTS)]
    return rng.choice([10**n - 1, number(rng, n, "789"), number(rng, n, "89")]), number(rng, m, "89")


def plain_factor(rng: random.Random, i: int) -> tuple[int, int]:
    n, m = _PRODUCTS[i % len(_PRODUCTS)]
    one = rng.choice([1, 10 ** (m - 1), 10 ** (m - 1) * rng.randint(1, 9)])
    return number(rng, n), one


def division(rng: random.Random, divisor: int, quotient: int, kind: int | None = None) -> tuple[int, int]:
    """Return a dividend within Table 1's sizes; a quotient that would make it too long is cut."""
    rest = (0, min(1, divisor - 1), divisor - 1, rng.randrange(divisor))[rng.randrange(4) if kind is None else kind]
    most = 16 if divisor < 10 else 12
    while len(str(divisor * quotient + rest)) > most:
        quotient //= 10
    return divisor * quotient + rest, divisor


def divisor_of(rng: random.Random, i: int) -> int:
    return number(rng, i % 6 + 1)


def quotient_for(rng: random.Random, divisor: int, digits: str) -> int:
    return number(rng, rng.randint(1, (17 if divisor < 10 else 13) - len(str(divisor))), digits)


def quotients_of(*alphabets: str, make: Callable[[random.Random, int], int] = divisor_of) -> DrawOperands:
    def draw(rng: random.Random, i: int) -> tuple[int, int]:
        divisor = make(rng, i)
        return division(rng, divisor, quotient_for(rng, divisor, rng.choice(alphabets)))

    return draw


def divisors(make: Callable[[random.Random, int], int]) -> DrawOperands:
    return quotients_of("0123456789", "0123456789", "09", make=make)


def remainder_of(kind: int) -> DrawOperands:
    def draw(rng: random.Random, i: int) -> tuple[int, int]:
        divisor = divisor_of(rng, i)
        return division(rng, divisor, quotient_for(rng, divisor, "0123456789"), kind)

    return draw


def small_dividend(rng: random.Random, i: int) -> tuple[int, int]:
    divisor = divisor_of(rng, i)
    return rng.choice([0, 1, divisor - 1, divisor, rng.randrange(divisor), rng.randrange(divisor)]), divisor


def just_short(rng: random.Random, i: int) -> tuple[int, int]:
    """Return a division whose leading digits fall just short of a multiple of the divisor, or just reach it."""
    divisor = number(rng, i % 5 + 2)
    lead = divisor * rng.randint(1, 9) + rng.choice([-1, -1, 0, 1])
    tail = rng.randint(0, 12 - len(str(lead)))
    return lead * 10**tail + rng.choice([0, 10**tail - 1, rng.randrange(10**tail)]), divisor


FAMILIES: list[tuple[str, str, int, DrawOperands]] = [
    ("carries over the whole length", "+", 1000, carries),
    ("nines", "+", 500, nines),
    ("zeros", "+", 700, zeros_of(_SUMS)),
    ("a = b", "+", 276, equal),
    ("every pair of lengths", "+", 1024, lengths_of(_SUMS)),
    ("borrows over the whole length", "-", 1000, borrows),
    ("one digit differs", "-", 800, near),
    ("a < b", "-", 1200, less),
    ("a = b", "-", 276, equal),
    ("zeros", "-", 700, zeros_of(_SUMS)),
    ("every pair of lengths", "-", 1024, lengths_of(_SUMS)),
    ("every pair of lengths", "*", 2000, lengths_of(_PRODUCTS)),
    ("high digits", "*", 1000, high_digits),
    ("zeros", "*", 1500, zeros_of(_PRODUCTS)),
    ("1, 10^k and d*10^k", "*", 500, plain_factor),
    ("quotients with 0", "/", 700, quotients_of("09", "01", "000123456789")),
    ("quotients with 9", "/", 700, quotients_of("9", "89", "0123456789999")),
    ("divisor 1", "/", 300, divisors(lambda rng, i: 1)),
    ("divisor 10^k", "/", 400, divisors(lambda rng, i: 10 ** (i % 6))),
    ("divisor 1999..9", "/", 400, divisors(lambda rng, i: 2 * 10 ** (i % 5 + 1) - 1)),
    ("divisor 9..9", "/", 400, divisors(lambda rng, i: 10 ** (i % 6 + 1) - 1)),
    ("remainder 0", "/", 400, remainder_of(0)),
    ("remainder 1", "/", 400, remainder_of(1)),
    ("remainder b-1", "/", 400, remainder_of(2)),
    ("any remainder", "/", 500, remainder_of(3)),
    ("dividend up to the divisor", "/", 500, small_dividend),
    ("just short of a multiple", "/", 640, just_short),
    ("every pair of lengths", "/", 760, lengths_of(_QUOTIENTS)),
]


def problems_of(name: str, op: str, count: int, draw: DrawOperands, seed: int) -> Iterator[Problem]:
    """Return `count` different problems of a family, or as many as 50 draws for each find."""
    rng = random.Random(f"{seed}:{op}:{name}")
    seen: set[tuple[int, int]] = set()
    for i in range(50 * count):
        pair = draw(rng, i)
        if pair not in seen:
            seen.add(pair)
            yield Problem(pair[0], op, pair[1])
            if len(seen) == count:
                return


def hard_tasks(ops: str, seed: int, n: int | None = None) -> dict[str, list[Problem]]:
    """Return the suite by family, in the order above: 20,000 problems in all, or the first `n` of each family.

    >>> sum(map(len, hard_tasks("+-*/", 2024).values()))
    20000
    """
    return {
        f"{op} {name}": list(islice(problems_of(name, op, count, draw, seed), n))
        for name, op, count, draw in FAMILIES
        if op in ops
    }
