"""Data: the examples of a mixture, example `index` being a pure function of (seed, index), and held-out problems."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, count
from operator import itemgetter

from .methods import METHODS, first_step, scripted
from .mixture import Mixture, Part, read_part
from .problem import Problem, ProblemError
from .settings import whole
from .split import TEST_SHARE, fingerprint, held
from .trace import right

BLOCK = 256  # examples that share one digest
BYTES = 48  # of the digest for each example
_SLOTS = 1024  # the resolution of the parts' weights
_POWERS = [10**n for n in range(33)]

Rollback = dict[int, int | tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Example:
    """One example of a mixture: its problem, the quotient digits to take back {step: digit or digits}, and the trace's text."""

    index: int
    problem: Problem
    rollback: Rollback | None
    text: str


class Drawing:
    """A mixture prepared for drawing: tables of bounds and of parts by weight."""

    def __init__(self, mixture: Mixture) -> None:
        self.mixture = mixture
        self.module = METHODS[mixture.method]
        self.write, self.form, self.answer = self.module.write, mixture.form, mixture.answer
        total = sum(part.weight for part in mixture.parts)
        self.slots = []
        reached = 0.0
        for part in mixture.parts:
            reached += part.weight
            first, second = self.tables(part)
            slot = (part, part.op, first, second, len(first), len(second), math.ceil(part.hard * 4096))
            self.slots += [slot] * (round(_SLOTS * reached / total) - len(self.slots))
        direct = self.module if mixture.answer and mixture.form == "compact" else None
        self.equation = getattr(direct, "equation", None)  # the whole text at once, where the method has that
        self.quotient_equation = getattr(direct, "quotient_equation", None)
        self.rollback = round(mixture.rollback * 2**16) if self.module.ROLLS_BACK else 0
        self.margin = mixture.margin if self.module.ROLLS_BACK else 0
        self.unsure = mixture.unsure

    @staticmethod
    def tables(part: Part) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """(least value, number of values) of each operand, for each of its digit counts; none for `multiple`."""
        if part.op == "/" and part.draw == "values":
            return [], []

        def bounds(low: int, high: int, least: int) -> list[tuple[int, int]]:
            if part.draw == "values":
                return [(1, 10**high - 1)]
            return [
                (max(10 ** (n - 1) if n > 1 else 0, least), 10**n - max(10 ** (n - 1) if n > 1 else 0, least))
                for n in range(low, high + 1)
            ]

        return bounds(*part.a, least=0), bounds(*part.b, least=1 if part.op == "/" else 0)

    def draw(self, word: int) -> tuple[int, str, int, int]:
        """(a, op, b, the rest of the randomness) from a random integer of 8 * BYTES bits."""
        part, op, first, second, few, many, hardness = self.slots[word & (_SLOTS - 1)]
        word >>= 10
        if hardness:
            if (word & 0xFFF) < hardness:
                a, b = hard(part, word >> 12)
                return a, op, b, word >> 200
            word >>= 12
        if many > 1:
            word, i = divmod(word, many)
            low, span = second[i]
        elif many:
            low, span = second[0]
        else:
            a, b, word = multiple(part, word)
            return a, op, b, word
        word, x = divmod(word, span)
        b = low + x
        if op == "/":
            a, word = dividend(part, b, word)
            return a, op, b, word
        if few > 1:
            word, i = divmod(word, few)
            low, span = first[i]
        else:
            low, span = first[0]
        a = low + word % span
        if part.either and (word // span) & 1:
            a, b = b, a
        return a, op, b, word

    def retry(self, seed: int, index: int) -> tuple[int, str, int, int]:
        """Draw again, until the problem is not held out."""
        attempt = 0
        while True:
            key = f"{seed}:{index}:{attempt}".encode()
            a, op, b, word = self.draw(int.from_bytes(hashlib.blake2b(key, digest_size=BYTES).digest(), "little"))
            if not held(a, op, b):
                return a, op, b, word
            attempt += 1

    def wrong_digit(self, a: int, b: int, word: int) -> Rollback | None:
        """The rollback of a division, if it gets one: what the margin rounds up, and a digit that is wrong at random."""
        planned = self.rounded_up(a, b, word >> 64)
        if (word & 0xFFFF) >= self.rollback:
            return planned
        word >>= 16
        digits = str(a // b)
        word, step = divmod(word, len(digits))
        right = int(digits[step])
        rolled = step in (planned or {})
        choices: list[int | tuple[int, ...]] = []
        for by in self.mixture.rollback_by:
            if isinstance(by, int):
                choices += [right + by] * (not rolled and 0 <= right + by <= 9)
            elif right + min(by) >= 0 and right + max(by) <= 9:
                choices.append(tuple([right + one for one in by]))
        if not choices:
            return planned
        return (planned or {}) | {step: choices[word % len(choices)]}

    def rounded_up(self, a: int, b: int, coins: int | None = None) -> Rollback | None:
        """The digits of a / b that the mixture's margin rounds up, or `coins` where it is unsure."""
        if not self.margin:
            return None
        return rounded_up(a, b, self.margin, first_step(self.module, a, b), self.unsure, coins) or None

    def text(self, a: int, op: str, b: int, rollback: Rollback | None) -> str:
        """The trace of `a op b` as the mixture writes it."""
        if op == "/" and self.quotient_equation:
            return self.quotient_equation(a, b, rollback)
        if op in "+-" and self.equation:
            return self.equation(a, op, b)
        guess = scripted(rollback) if rollback else right
        return "".join([part[0] for part in self.write(Problem(a, op, b), self.form, guess, self.answer)])

    def words(self, seed: int, block: int) -> list[int]:
        """The random integers of the BLOCK examples that share a digest."""
        stream = hashlib.shake_128(f"{seed}:{block}".encode()).digest(BLOCK * BYTES)
        return [int.from_bytes(chunk, "little") for (chunk,) in struct.iter_unpack(f"{BYTES}s", stream)]

    def problems(self, seed: int, start: int, stop: int) -> Iterator[tuple[int, int, str, int, int]]:
        """(index, a, op, b, the rest of the randomness) of each training example from `start` to `stop`."""
        draw, small = self.draw, 100_000
        for block in range(start // BLOCK, -(-stop // BLOCK)):
            base = block * BLOCK
            words = self.words(seed, block)[max(0, start - base) : stop - base]
            for index, word in enumerate(words, max(start, base)):
                a, op, b, word = draw(word)
                # large problems can only be held out by their bucket
                if (a < small or fingerprint(a, op, b) % TEST_SHARE == 0) and held(a, op, b):
                    a, op, b, word = self.retry(seed, index)
                yield index, a, op, b, word

    def rows(self, seed: int, start: int, stop: int) -> Iterator[tuple[int, int, str, int, str]]:
        """(index, a, op, b, text) of each training example from `start` to `stop`."""
        equation = self.equation
        direct = "+-" if equation else ""
        for index, a, op, b, word in self.problems(seed, start, stop):
            if op in direct and equation:
                yield index, a, op, b, equation(a, op, b)
            else:
                rollback = self.wrong_digit(a, b, word) if op == "/" else None
                yield index, a, op, b, self.text(a, op, b, rollback)

    def example(self, seed: int, index: int, telling: int = 0) -> Example:
        """The training example at `index`; of its block's digest only the beginning is made.

        Any other `telling` than 0 has the same problem, and takes back digits of its own.
        """
        block, at = divmod(index, BLOCK)
        chunk = hashlib.shake_128(f"{seed}:{block}".encode()).digest((at + 1) * BYTES)[-BYTES:]
        a, op, b, word = self.draw(int.from_bytes(chunk, "little"))
        if held(a, op, b):
            a, op, b, word = self.retry(seed, index)
        if telling:
            key = f"{seed}:{index} told again:{telling}".encode()
            word = int.from_bytes(hashlib.blake2b(key, digest_size=BYTES).digest(), "little")
        rollback = self.wrong_digit(a, b, word) if op == "/" else None
        return Example(index, Problem(a, op, b), rollback, self.text(a, op, b, rollback))


@cache
def drawing(mixture: Mixture) -> Drawing:
    """The Drawing of a mixture, made once."""
    return Drawing(mixture)


def rollback_of(mixture: Mixture, problem: Problem) -> Rollback | None:
    """The digits that the mixture's `margin` makes a problem take back.

    >>> rollback_of(Mixture.read({"method": "lean", "margin": 0.1, "parts": [{"op": "/", "a": 3, "b": 2}]}), Problem(359, "/", 12))
    {0: 3}
    """
    return drawing(mixture).rounded_up(problem.a, problem.b) if problem.op == "/" else None


def example(seed: int, index: int, mixture: Mixture, telling: int = 0) -> Example:
    """Example `index` of a mixture: a pure function of its arguments, always of the train split.

    A `telling` has the same problem as every other; which digits a division takes back is its own.

    >>> example(42, 7, Mixture.read("small")) == example(42, 7, Mixture.read("small"))
    True
    >>> mixture = Mixture.read({"method": "lean", "rollback": 1, "parts": [{"op": "/", "a": 3, "b": 2}]})
    >>> [example(0, 7, mixture, telling).rollback for telling in (0, 1)]
    [{0: 2}, {1: 6}]
    """
    return drawing(mixture).example(seed, index, telling)


def texts(mixture: Mixture, seed: int, start: int, stop: int) -> Iterator[str]:
    """The traces of examples `start` to `stop`, in bulk.

    >>> mixture = Mixture.read("small")
    >>> list(texts(mixture, 42, 3, 5)) == [example(42, i, mixture).text for i in (3, 4)]
    True
    """
    return map(itemgetter(4), drawing(mixture).rows(seed, start, stop))


def dividend(part: Part, b: int, word: int) -> tuple[int, int]:
    """A dividend for the divisor `b`, exact unless the part's share of remainders says otherwise."""
    low = max(part.a[0], len(str(b)))
    word, i = divmod(word, max(part.a[1], low) - low + 1)
    least, most = _POWERS[low + i - 1], _POWERS[low + i] - 1
    share, word = word & 0xFFF, word >> 12
    if share < part.remainder * 4096:
        word, x = divmod(word, most - least + 1)
        return least + x, word
    first, last = -(-least // b), most // b
    if first > last:  # no multiple of b has this many digits
        first, last = 1, max(1, most // b)
    word, x = divmod(word, last - first + 1)
    return b * (first + x), word


@cache
def ratio(margin: float) -> tuple[int, int]:
    """The decimal fraction that a float is written as, in whole numbers: a float's product may miss a bound by a bit.

    >>> ratio(0.07), 0.07 * 100 <= 7
    ((7, 100), False)
    """
    return Fraction(str(margin)).as_integer_ratio()


def falls_short(left: int, b: int, margin: float) -> bool:
    """Whether the remainder of left / b falls short of b by at most the share `margin`: a digit is then rounded up.

    A 9 can't be.

    >>> falls_short(35, 12, 0.1), falls_short(36, 12, 0.1), falls_short(119, 12, 0.1)
    (True, False, False)
    """
    share, of = ratio(margin)
    return margin > 0 and (b - left % b) * of <= b * share and left // b % 10 < 9


def either_will_do(left: int, b: int, margin: float, unsure: float) -> bool:
    """Whether left / b is within `unsure` of being rounded otherwise; a float's last bit may decide at the very ends.

    >>> [either_will_do(left, 12, 0.5, 0.25) for left in (62, 63, 64, 68, 69, 70, 114)]
    [False, True, True, True, False, False, False]
    """
    return unsure > 0 and falls_short(left, b, margin + unsure) and not falls_short(left, b, margin - unsure)


def rounded_up(a: int, b: int, margin: float, first: int = 0, unsure: float = 0, coins: int | None = None) -> Rollback:
    """The quotient digits of a / b, by step from `first` (-1 or 0), that are rounded up.

    The bits of `coins`, if it is given, decide where either digit will do.

    >>> rounded_up(359, 12, 0.1), rounded_up(119, 12, 0.1, first=-1), rounded_up(948, 12, 0.1)
    ({0: 3}, {-1: 1}, {})
    >>> [rounded_up(66, 12, 0.5, unsure=0.25, coins=coins) for coins in (None, 0, 1)]
    [{0: 6}, {}, {0: 6}]
    """
    quotient = str(a // b)
    size = len(quotient)
    out: Rollback = {}
    for step in range(first, size):
        left = a // 10 ** (size - 1 - step)
        up = falls_short(left, b, margin)
        if coins is not None and either_will_do(left, b, margin, unsure):
            up = coins >> step - first & 1
        if up:
            out[step] = int(quotient[step]) + 1 if step >= 0 else 1
    return out


def multiple(part: Part, word: int) -> tuple[int, int, int]:
    """(dividend, divisor, the rest of the randomness): a product of two numbers that share out the dividend's digits."""
    word, i = divmod(word, part.a[1] - part.a[0] + 1)
    total = max(2, part.a[0] + i)
    least = min(part.b[0], total - 1)
    word, i = divmod(word, min(part.b[1], total - 1) - least + 1)
    low, low_quotient = _POWERS[least + i - 1], _POWERS[total - least - i - 1]
    word, x = divmod(word, 9 * low)
    word, y = divmod(word, 9 * low_quotient)
    b = low + x
    return b * (low_quotient + y), b, word


def hard(part: Part, word: int) -> tuple[int, int]:
    """A pair of operands that is hard for the part's operation."""

    def take(n: int) -> int:
        nonlocal word
        word, x = divmod(word, n)
        return x

    def number(digits: int) -> int:
        """Runs of 9, 0 and another digit; a digit and zeros; a power of ten less 1 or 2; or digits with many zeros."""
        kind = take(4)
        if kind == 0:
            return 10**digits - 1 - take(2)
        if kind == 1:
            return (1 + take(9) * take(2)) * 10 ** (digits - 1) + take(2)
        out = 1 + take(9)
        while len(str(out)) < digits:
            if kind == 2:
                run = min(1 + take(4), digits - len(str(out)))
                out = out * 10**run + (0, 9, 9, take(10))[take(4)] * (10**run - 1) // 9
            else:
                out = out * 10 + (0 if take(2) else take(10))
        return out

    n = part.a[0] + take(part.a[1] - part.a[0] + 1)
    m = part.b[0] + take(part.b[1] - part.b[0] + 1)
    if part.op == "*":
        a, b = number(n), number(m) if m > 1 else take(10)
        return (b, a) if part.either and take(2) else (a, b)
    if part.op == "/":
        b = number(m) if m > 1 else 1 + take(9)
        most = max(0, n - len(str(b)))
        kind = take(6)
        if kind == 0:  # a dividend of any length up to the divisor's
            return take(min(b, 10 ** (1 + take(len(str(b)))))), b
        quotient = number(most) if most else 1 + take(9)
        rest = (0, 1, b - 1, take(b), take(b))[kind - 1]
        a = b * quotient + (rest if rest < b else 0)
        return (a if a < 10 ** part.a[1] else a // 10 ** (len(str(a)) - part.a[1])), b
    a = number(n) if take(2) else 10 ** (n - 1) + take(9 * 10 ** (n - 1))
    kind = take(6)
    if kind == 0:
        b = a
    elif kind == 1:  # one more or less somewhere
        b = abs(a + (1 - 2 * take(2)) * 10 ** take(n))
    elif kind == 2:  # the same leading digits
        low = 10 ** (1 + take(n))
        b = a - a % low + take(low)
    elif kind == 3:  # nines' complement: every place carries, or just does not
        b = 10 ** len(str(a)) - 1 - a + take(2)
    else:
        b = number(m)
    most = 10 ** part.b[1]
    a, b = a % 10 ** part.a[1], b % most
    return (b, a) if take(2) and a < most and b < 10 ** part.a[1] else (a, b)


def held_out(op: str, a_digits: int, b_digits: int, n: int, seed: int, exact: bool = True) -> list[Problem]:
    """`n` distinct problems of the test split, or all there are, operands of exactly so many digits.

    Where both operands have at most 2 digits nothing is held out, and any problem may be drawn. Divisions leave no
    remainder where `exact`. Raises ProblemError where no problem is like that.

    >>> problem = held_out("/", 12, 6, 1, seed=0)[0]
    >>> len(str(problem.a)), len(str(problem.b)), problem.remainder
    (12, 6, 0)
    """
    part = read_part({"op": op, "a": a_digits, "b": b_digits, "remainder": 0 if exact else 1}, "held-out problems")
    if not whole(1, math.inf)(n):
        raise ProblemError(f"held-out problems: {n!r} of them; accepted: a whole number of at least 1")
    small = a_digits <= 2 and b_digits <= 2

    def wanted(a: int, b: int) -> bool:
        return (small or held(a, op, b)) and len(str(a)) == a_digits

    if 9 * 10 ** (a_digits - 1) * (3 if op == "/" and exact else 9 * 10 ** (b_digits - 1)) < 2 * TEST_SHARE * n:
        there = [Problem(a, op, b) for a, b in pairs(part) if wanted(a, b)]  # so few that n may be too many
        if len(there) <= n:
            return there
    draw = Drawing(Mixture("held out", (part,), "plain", "plain"))
    found: dict[tuple[int, int], Problem] = {}
    words = chain.from_iterable(draw.words(seed, block) for block in count())
    while len(found) < n:
        a, _, b, _ = draw.draw(next(words))
        if wanted(a, b):
            found.setdefault((a, b), Problem(a, op, b))
    return list(found.values())


def pairs(part: Part) -> Iterator[tuple[int, int]]:
    """All operands that a part of one digit count each can draw."""
    [(low, span)], [(low_b, span_b)] = Drawing.tables(part)
    for b in range(low_b, low_b + span_b):
        step = b if part.op == "/" and not part.remainder else 1
        first = max(low, 1) if part.op == "/" else low
        for a in range(-(-first // step) * step, low + span, step):
            yield a, b
