"""Hard cases for training: operands that random digits hardly ever give.

They have carry and borrow chains, equal or nearly equal operands, inner zeros, powers of ten, divisions with remainder
0, 1, b - 1 or of any length, and small dividends.
"""

from __future__ import annotations

from revorder.mixtures.mixture import MixturePart


def hard_operands(part: MixturePart, word: int) -> tuple[int, int]:
    """Return a pair of operands that is hard for the part's operation, from a random integer of 180 bits or more.

    >>> from revorder.mixtures.mixture import MixturePart
    >>> hard_operands(MixturePart(op="-", a=8, b=8), 123456789)
    (69999990, 69999990)
    """

    def take(n: int) -> int:
        nonlocal word
        word, x = divmod(word, n)
        return x

    def patterned(digits: int) -> int:
        """Return runs of 9, 0 and another digit, a digit and zeros, 10**n less 1 or 2, or digits with many zeros."""
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
        a, b = patterned(n), patterned(m) if m > 1 else take(10)
        return (b, a) if part.swap_operands and take(2) else (a, b)
    if part.op == "/":
        b = patterned(m) if m > 1 else 1 + take(9)
        most = max(0, n - len(str(b)))
        kind = take(6)
        if kind == 0:  # a dividend of any length up to the divisor's
            return take(min(b, 10 ** (1 + take(len(str(b)))))), b
        quotient = patterned(most) if most else 1 + take(9)
        rest = (0, 1, b - 1, take(b), take(10 ** (1 + take(len(str(b))))))[kind - 1]
        a = b * quotient + (rest if rest < b else 0)
        return (a if a < 10 ** part.a[1] else a // 10 ** (len(str(a)) - part.a[1])), b
    a = patterned(n) if take(2) else 10 ** (n - 1) + take(9 * 10 ** (n - 1))
    kind = take(6)
    if kind == 0:
        b = a
    elif kind == 1:  # one place is one more or less
        b = abs(a + (1 - 2 * take(2)) * 10 ** take(n))
    elif kind == 2:  # the same leading digits
        low = 10 ** (1 + take(n))
        b = a - a % low + take(low)
    elif kind == 3:  # nines' complement: every place carries, or almost carries
        b = 10 ** len(str(a)) - 1 - a + take(2)
    else:
        b = patterned(m)
    most = 10 ** part.b[1]
    a, b = a % 10 ** part.a[1], b % most
    return (b, a) if take(2) and a < most and b < 10 ** part.a[1] else (a, b)
