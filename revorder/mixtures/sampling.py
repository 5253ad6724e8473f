"""Sampling: the examples of a mixture, each a pure function of seed and index, and problems of held-out splits."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain, count
from typing import Any, NamedTuple

from revorder.arithmetic.problem import Problem
from revorder.arithmetic.trace import Piece, Segment, as_segments, correct_digit
from revorder.errors import ProblemError
from revorder.methods import METHODS, scripted_digits
from revorder.mixtures.hard_cases import hard_operands
from revorder.mixtures.mixture import LONGEST, Mixture, MixturePart
from revorder.mixtures.rollbacks import Plan, plan_rollbacks
from revorder.mixtures.split import BUCKETS, in_split, is_held_out

BLOCK = 256  # examples that share one digest
BYTES = 48  # of the digest for each example
WIDE_BYTES = 64  # in a mixture with operands of more than 32 digits
_SLOTS = 1024  # the resolution of the parts' weights
_POWERS = [10**n for n in range(LONGEST + 1)]
_new: Any = tuple.__new__  # makes a named tuple without the checks that a drawn problem does not need


class Example(NamedTuple):
    """An example of a mixture: its problem, the quotient digits that it takes back, and the pieces of its trace.

    >>> sampler(Mixture.read("small")).example(42, 7).text
    '3422*8=r|67372'
    """

    index: int
    problem: Problem
    rollback: Plan
    pieces: tuple[Piece, ...]

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The pieces as Segments."""
        return as_segments(self.pieces)

    @property
    def text(self) -> str:
        """The text of the trace."""
        return "".join([piece[0] for piece in self.pieces])


@cache
def sampler(mixture: Mixture) -> MixtureSampler:
    """Return the MixtureSampler of a mixture, which is made once."""
    return MixtureSampler(mixture)


class MixtureSampler:
    """A mixture prepared for drawing, with tables of bounds, and of parts by weight."""

    def __init__(self, mixture: Mixture) -> None:
        self.mixture = mixture
        self.method, self.form, self.answer = METHODS[mixture.method], mixture.form, mixture.answer
        wide = any(max(part.a[1], part.b[1]) > 32 for part in mixture.parts)
        self.bytes = WIDE_BYTES if wide else BYTES
        total = sum(part.weight for part in mixture.parts)
        self.slots = []
        reached = 0.0
        for part in mixture.parts:
            reached += part.weight
            first, second = value_tables(part)
            slot = (part, part.op, first, second, len(first), len(second), math.ceil(part.hard * 4096))
            if (count := round(_SLOTS * reached / total) - len(self.slots)) < 1:
                raise ProblemError(
                    f"part {part.op!r}: weight {part.weight:g} of {total:g} is too little; accepted: one in {_SLOTS} or"
                    " more"
                )
            self.slots += [slot] * count

    def example(self, seed: int, index: int) -> Example:
        """Return the training example at `index`: a pure function of the arguments, never from a held-out split."""
        return next(self.examples(seed, index, index + 1))

    def examples(self, seed: int, start: int, stop: int) -> Iterator[Example]:
        """Yield the training examples from `start` to `stop`."""
        for index, problem, word in self.problems(seed, start, stop):
            plan = plan_rollbacks(self.mixture, problem.a, problem.b, word) if problem.op == "/" else {}
            yield self.written(index, problem, plan)

    def written(self, index: int, problem: Problem, plan: Plan) -> Example:
        """Return a problem as an example, as the mixture writes it."""
        choose = scripted_digits(plan) if plan else correct_digit
        pieces = self.method.pieces(problem, self.form, choose, self.answer)
        return _new(Example, (index, problem, plan, tuple(pieces)))

    def problems(self, seed: int, start: int, stop: int) -> Iterator[tuple[int, Problem, int]]:
        """Yield (index, problem, the rest of the randomness) of the training examples from `start` to `stop`."""
        for block in range(start // BLOCK, -(-stop // BLOCK)):
            base = block * BLOCK
            skipped = max(0, start - base)
            words = block_words(seed, block, min(BLOCK, stop - base), self.bytes)[skipped:]
            for index, word in enumerate(words, base + skipped):
                a, op, b, word = self.draw(word)
                attempt = 0
                while is_held_out(a, op, b):
                    key = hashlib.blake2b(f"{seed}:{index}:{attempt}".encode(), digest_size=self.bytes).digest()
                    a, op, b, word = self.draw(int.from_bytes(key, "little"))
                    attempt += 1
                yield index, _new(Problem, (a, op, b)), word

    def draw(self, word: int) -> tuple[int, str, int, int]:
        """Return (a, op, b, the rest of the randomness) from a random integer of 8 * self.bytes bits."""
        part, op, first, second, first_count, second_count, hard_share = self.slots[word & (_SLOTS - 1)]
        word >>= 10
        if hard_share:
            if (word & 0xFFF) < hard_share:
                a, b = hard_operands(part, word >> 12)
                return a, op, b, word >> 200
            word >>= 12
        if second_count > 1:
            word, i = divmod(word, second_count)
            low, span = second[i]
        elif second_count:
            low, span = second[0]
        else:
            a, b, word = _DRAWS[part.draw](part, word)
            return a, op, b, word
        word, x = divmod(word, span)
        b = low + x
        if op == "/":
            a, word = dividend(part, b, word)
            return a, op, b, word
        if first_count > 1:
            word, i = divmod(word, first_count)
            low, span = first[i]
        else:
            low, span = first[0]
        a = low + word % span
        if part.swap_operands and (word // span) & 1:
            a, b = b, a
        return a, op, b, word


def value_tables(part: MixturePart) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return (least value, number of values) for each digit count of each operand.

    The lists are empty for parts that the functions in _DRAWS draw.
    """
    if part.draw in _DRAWS and (part.op == "/" or part.draw != "values"):
        return [], []

    def bounds(low: int, high: int, least: int) -> list[tuple[int, int]]:
        if part.draw == "values":
            return [(1, 10**high - 1)]
        return [
            (max(10 ** (n - 1) if n > 1 else 0, least), 10**n - max(10 ** (n - 1) if n > 1 else 0, least))
            for n in range(low, high + 1)
        ]

    return bounds(*part.a, least=0), bounds(*part.b, least=1 if part.op == "/" else 0)


def dividend(part: MixturePart, b: int, word: int) -> tuple[int, int]:
    """Return (dividend for `b`, the rest of the randomness); the part's share of divisions may leave a remainder."""
    low = max(part.a[0], len(str(b)))
    word, i = divmod(word, part.a[1] - low + 1)
    least, most = _POWERS[low + i - 1], _POWERS[low + i] - 1
    share, word = word & 0xFFF, word >> 12
    if share < part.remainder * 4096:
        word, x = divmod(word, most - least + 1)
        return least + x, word
    first, last = -(-least // b), most // b
    word, x = divmod(word, last - first + 1)
    return b * (first + x), word


def multiple(part: MixturePart, word: int) -> tuple[int, int, int]:
    """Return (dividend, divisor, the rest of the randomness).

    The dividend is a product of two numbers that share out its digits.
    """
    word, i = divmod(word, part.a[1] - part.a[0] + 1)
    total = max(2, part.a[0] + i)
    least = min(part.b[0], total - 1)
    word, i = divmod(word, min(part.b[1], total - 1) - least + 1)
    low, low_quotient = _POWERS[least + i - 1], _POWERS[total - least - i - 1]
    word, x = divmod(word, 9 * low)
    word, y = divmod(word, 9 * low_quotient)
    b = low + x
    return b * (low_quotient + y), b, word


def retried(part: MixturePart, word: int) -> tuple[int, int, int]:
    """Return (dividend, divisor, the rest of the randomness) of a quotient with two bad estimates in a row.

    The quotient has an 8, first or after a 0, and is just short of a 9 there. Estimates from two leading digits of the
    divisor are 1 and then 9, both too high (revorder.mixtures.rollbacks).
    """
    word, i = divmod(word, part.b[1] - part.b[0] + 1)
    cut = _POWERS[part.b[0] + i - 2]
    word, i = divmod(word, 81)
    leading = 10 + i + i // 9  # skips 19, 29 and so on, which estimate 8 rightly
    least = -(-9 * leading // 10) * 10 * cut  # the least rest of the dividend with an estimate of 1
    low = least // 9 + 1
    word, x = divmod(word, (leading + 1) * cut - low)
    b = low + x
    most = part.a[1] - len(str(b)) - 1
    word, i = divmod(word, most)
    unit = _POWERS[i + 1]
    word, below = divmod(word, (9 * b - least) * unit // b or 1)
    quotient = 9 * unit - 1 - below
    word, before = divmod(word, 2)
    if before and most > i + 2:
        word, x = divmod(word, 9 * _POWERS[most - i - 3])
        quotient += (x + 1) * 100 * unit
    share, word = word & 0xFFF, word >> 12
    word, rest = divmod(word, b) if share < part.remainder * 4096 else (word, 0)
    return b * quotient + rest, b, word


def zeros(part: MixturePart, word: int) -> tuple[int, int, int]:
    """Return (dividend of a few digits and zeros, as a decimal has it, divisor, the rest of the randomness)."""
    b, word = number(*part.b, word)
    low = max(part.a[0], len(str(b)))
    word, i = divmod(word, part.a[1] - low + 1)
    begin, word = number(1, min(17, low + i), word)
    return begin * _POWERS[low + i - len(str(begin))], b, word


def near(part: MixturePart, word: int) -> tuple[int, int, int]:
    """Return (dividend near a multiple of the divisor, half of the time near its first digits, divisor, the rest).

    The quotient has zeros or nines. Its number of digits, or its next digit, depends on which of two nearly equal
    numbers is greater.
    """
    b, word = number(*part.b, word)
    low = max(part.a[0], len(str(b)) + 1)
    word, i = divmod(word, part.a[1] - low + 1)
    zeros = low + i - len(str(b))
    word, many = divmod(word, 2)
    quotient = 1
    if many:
        quotient, word = number(1, zeros, word)
        zeros -= len(str(quotient))
    unit = b * _POWERS[zeros]
    word, x = divmod(word, unit // 25 + 1)
    return min(unit * quotient + x - unit // 50, _POWERS[part.a[1]] - 1), b, word


def sparse(part: MixturePart, word: int) -> tuple[int, int, int]:
    """Return (factor, multiplier with zeros below its first digit except for one, the rest of the randomness)."""
    a, word = number(*part.a, word)
    word, i = divmod(word, part.b[1] - part.b[0] + 1)
    lower = part.b[0] + i - 1
    word, first = divmod(word, 9)
    word, place = divmod(word, lower)
    word, second = divmod(word, 10)
    return a, (first + 1) * _POWERS[lower] + second * _POWERS[place], word


def fives(part: MixturePart, word: int) -> tuple[int, int, int]:
    """Return (factor that ends in 0 or 5, multiplier, the rest of the randomness)."""
    a, word = number(*part.a, word)
    b, word = number(*part.b, word)
    return a - a % 5, b, word


def number(least: int, most: int, word: int) -> tuple[int, int]:
    """Return (number of `least` to `most` digits, each count as likely, the rest of the randomness)."""
    word, i = divmod(word, most - least + 1)
    low = _POWERS[least + i - 1]
    word, x = divmod(word, 9 * low)
    return low + x, word


_DRAWS = {"values": multiple, "retries": retried, "sparse": sparse, "zeros": zeros, "fives": fives, "near": near}


def held_out(
    op: str, a_digits: int, b_digits: int, n: int, seed: int, exact: bool = True, split: str = "test"
) -> list[Problem]:
    """Return distinct problems of a held-out split.

    If both operands have at most 2 digits, nothing is held out, and any problem may be drawn.

    Args:
        op: one of `+ - * /`.
        a_digits: the digits of the first operand.
        b_digits: the digits of the second operand.
        n: how many problems; fewer are returned if there are fewer.
        seed: the seed.
        exact: whether divisions leave no remainder.
        split: `test` or `validation`.

    Raises:
        ProblemError: for wrong arguments, such as digit counts that no problem has.

    >>> problem = held_out("/", 12, 6, 1, seed=0)[0]
    >>> len(str(problem.a)), len(str(problem.b)), problem.remainder
    (12, 6, 0)
    """
    return list(_held_out(op, a_digits, b_digits, n, seed, exact, split))


@lru_cache(maxsize=256, typed=True)
def _held_out(op: str, a_digits: int, b_digits: int, n: int, seed: int, exact: bool, split: str) -> tuple[Problem, ...]:
    small = a_digits <= 2 and b_digits <= 2
    found = distinct(op, a_digits, b_digits, n, seed, exact, lambda a, op, b: in_split(a, op, b, split) or small)
    return tuple(found)


def distinct(
    op: str, a_digits: int, b_digits: int, n: int, seed: int, exact: bool, accepted: Callable[[int, str, int], bool]
) -> list[Problem]:
    """Return `n` distinct problems that `accepted` accepts, or all of them if fewer exist; see `held_out`."""
    part = MixturePart.check(
        {"op": op, "a": a_digits, "b": b_digits, "remainder": 0 if exact else 1}, "held-out problems"
    )
    if type(n) is not int or n < 1:
        raise ProblemError(f"held-out problems: {n!r} of them; accepted: a whole number of at least 1")

    def wanted(a: int, b: int) -> bool:
        return len(str(a)) == a_digits and accepted(a, op, b)

    if 9 * 10 ** (a_digits - 1) * (3 if op == "/" and exact else 9 * 10 ** (b_digits - 1)) < 2 * BUCKETS * n:
        there = [Problem(a, op, b) for a, b in pairs(part) if wanted(a, b)]  # so few that n may exceed them
        if len(there) <= n:
            return there
    drawing = MixtureSampler(Mixture(parts=(part,), method="plain"))
    found: dict[tuple[int, int], Problem] = {}
    words = chain.from_iterable(block_words(seed, block, width=drawing.bytes) for block in count())
    while len(found) < n:
        a, _, b, _ = drawing.draw(next(words))
        if wanted(a, b):
            found.setdefault((a, b), Problem(a, op, b))
    return list(found.values())


def block_words(seed: int, block: int, size: int = BLOCK, width: int = BYTES) -> list[int]:
    """Return the random integers of the first `size` examples of a block."""
    stream = hashlib.shake_128(f"{seed}:{block}".encode()).digest(size * width)
    return [int.from_bytes(chunk, "little") for (chunk,) in struct.iter_unpack(f"{width}s", stream)]


def pairs(part: MixturePart) -> Iterator[tuple[int, int]]:
    """Yield all operands that a part with one digit count per operand can draw."""
    [(low, span)], [(low_b, span_b)] = value_tables(part)
    for b in range(low_b, low_b + span_b):
        step = b if part.op == "/" and not part.remainder else 1
        first = max(low, 1) if part.op == "/" else low
        for a in range(-(-first // step) * step, low + span, step):
            yield a, b
