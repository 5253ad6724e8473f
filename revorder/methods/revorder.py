"""RevOrder as the paper writes it: `expanded` (section 4.2, equations 1-8) and `compact` (section 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..digits import reverse
from ..problem import Problem
from ..trace import ANSWER, COPY, DOWN, GUESS, STEP, Guess, Part, copy
from .reading import final, question

__all__ = ["FORMS", "ROLLS_BACK", "equation", "final", "question", "quotient_equation", "write"]

FORMS = ("compact", "expanded")
ROLLS_BACK = True


def write(problem: Problem, form: str, guess: Guess, answer: bool) -> Iterator[Part]:
    """Yield the parts of a trace; with `answer` the forward answer comes last.

    >>> from revorder.trace import right
    >>> "".join(part[0] for part in write(Problem(948, "/", 12), "compact", right, True))
    '948/12=7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79'
    """
    if problem.op == "/" and form == "compact":
        return compact_division(problem, guess, answer)  # not wrapped: most of the data is this
    return written(problem, form, guess, answer)


def written(problem: Problem, form: str, guess: Guess, answer: bool) -> Iterator[Part]:
    """The question, the work, and the forward answer."""
    a, op, b = problem.a, problem.op, problem.b
    line = "=" if form == "compact" else "\n="
    yield copy(f"{a}{op}{b}{line}")
    if op == "/":
        yield from expanded_division(problem, guess)
    elif op == "*":
        yield from multiplication(a, b, form)
    else:
        yield (reverse(problem.value), "r" + op, a, b)
    if answer:
        yield STEP
        yield (f"{line}{problem.answer}", ANSWER, a, b)


def equation(a: int, op: str, b: int) -> str:
    """The whole compact trace of a sum or difference at once, for writing millions of them.

    >>> equation(123, "+", 46)
    '123+46=r|961=169'
    """
    result = str(a + b if op == "+" else a - b)
    return f"{a}{op}{b}=r|{result[::-1]}={result}"


def quotient_equation(a: int, b: int, rollback: Mapping[int, int | Iterable[int]] | None = None) -> str:
    """The whole compact trace of a division at once, for writing millions of them; `rollback` as `scripted` has it.

    >>> quotient_equation(948, 12, {0: 8})
    '948/12=8R-(12*80)(r|069)(-r|21)W7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79'
    """
    digits = str(a // b)
    power = 10 ** (len(digits) - 1)
    left = a
    steps: list[str] = []
    for digit in digits:
        value = int(digit) * power
        product = b * value
        left -= product
        power //= 10
        steps.append(f"{digit}R-({b}*{value})(r|{str(product)[::-1]})({f'r|{str(left)[::-1]}' if left else 0})")
    for i, wrongs in (rollback or {}).items():
        power = 10 ** (len(digits) - 1 - i)
        rest = a - b * int(digits[:i] or 0) * power * 10
        for wrong in [wrongs] if isinstance(wrongs, int) else reversed(list(wrongs)):
            product = b * wrong * power
            left_over = remainder_text(rest - product)
            steps[i] = f"{wrong}R-({b}*{wrong * power})(r|{str(product)[::-1]})({left_over})W{steps[i]}"
    return f"{a}/{b}={'#'.join(steps)}={digits}{f'R{left}' if left else ''}"


def place_values(b: int) -> list[int]:
    """The values of the digits of `b` that are not zero, highest first; [0] for 0.

    >>> place_values(4067)
    [4000, 60, 7]
    """
    digits = str(b)
    last = len(digits) - 1
    return [int(digit) * 10 ** (last - i) for i, digit in enumerate(digits) if digit != "0"] or [0]


def multiplication(a: int, b: int, form: str) -> Iterator[Part]:
    """Decompose the second operand, then add the partial products in adjacent pairs (equations 1-4)."""
    line = "=" if form == "compact" else "\n="
    values = place_values(b)
    products = [a * value for value in values]
    if len(values) > 1:
        yield copy("+".join([f"{a}*{value}" for value in values]))
        yield STEP
        yield copy(line)
    join = ""
    for value, product in zip(values, products, strict=True):
        yield (f"{join}{reverse(product)}", "r*", a, value)
        join = "+"
    while len(products) > 1:
        count = len(products)
        if form == "expanded" and count > 2:
            pairs = [f"({reverse(products[i])}+{reverse(products[i + 1])})" for i in range(0, count - 1, 2)]
            if count % 2:
                pairs.append(reverse(products[-1]))
            yield STEP
            yield copy(line + "+".join(pairs))
        yield STEP
        yield copy(line)
        sums = [products[i] + products[i + 1] for i in range(0, count - 1, 2)]
        for i, total in enumerate(sums):
            yield (f"{'+' if i else ''}{reverse(total)}", "r+", products[2 * i], products[2 * i + 1])
        if count % 2:
            yield (f"+{reverse(products[-1])}", DOWN, 0, 0)
            sums.append(products[-1])
        products = sums


def remainder_text(n: int) -> str:
    """A remainder of the compact form: 0 as it is, others reversed, a negative one with its sign first.

    >>> remainder_text(-12), remainder_text(0)
    ('-r|21', '0')
    """
    return reverse(n) if n > 0 else "0" if n == 0 else f"-{reverse(-n)}"


def compact_division(problem: Problem, guess: Guess, answer: bool) -> Iterator[Part]:
    """One quotient digit a step: digit, subtracted product, remainder; `W` after a wrong one (section 4.3)."""
    left, b = problem.a, problem.b
    whole = left // b
    power = 10 ** (len(str(whole)) - 1)
    step = 0
    yield (f"{left}/{b}=", COPY, 0, 0)
    while True:
        scaled = b * power
        quotient = left // scaled
        digit = guess(step, quotient)
        product = digit * scaled
        rest = left - product
        yield (str(digit), GUESS, left, scaled)
        yield (f"R-({b}*{digit * power})(", COPY, 0, 0)
        yield (f"r|{str(product)[::-1]}", "r*", scaled, digit)
        shown = f"r|{str(rest)[::-1]}" if rest > 0 else remainder_text(rest)
        yield (f")({shown})", "r-", left, product)
        if digit != quotient:
            yield ("W", COPY, 0, 0)
            yield STEP
            continue
        left = rest
        if power == 1:
            break
        power //= 10
        step += 1
        yield STEP
        yield ("#", COPY, 0, 0)
    if answer:
        yield STEP
        yield (f"={whole}R{left}" if left else f"={whole}", ANSWER, problem.a, b)


def expanded_division(problem: Problem, guess: Guess) -> Iterator[Part]:
    """Three lines a quotient digit, `Rem` written out; ` W` after a wrong one (equations 5-8)."""
    left, b = problem.a, problem.b
    zeros = len(str(left // b)) - 1
    step = 0
    before, shown = "", str(left)
    while zeros >= 0:
        scaled = b * 10**zeros
        quotient = left // scaled
        yield copy(before)
        digit = guess(step, quotient)
        product = digit * scaled
        rem = left - product
        yield (str(digit), GUESS, left, scaled)
        yield copy(f" Rem ({shown}-{b}*{digit * 10**zeros})")
        yield STEP
        yield copy(f"\n={before}{digit} Rem ({shown}-")
        yield (reverse(product), "r*", scaled, digit)
        yield copy(")")
        yield STEP
        yield copy(f"\n={before}{digit} Rem ")
        rem_text = remainder_text(rem)
        yield (rem_text if rem > 0 else f"({rem_text})", "r-", left, product)
        if digit == quotient:
            left, shown, zeros = rem, rem_text, zeros - 1
            step += 1
            before += str(digit)
        else:
            yield copy(" W")
        if zeros >= 0:
            yield STEP
            yield copy("\n=")
