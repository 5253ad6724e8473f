"""Problems and expressions: how they are read, and their exact answers (the one oracle)."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass

OPS = "+-*/"
MAX_DIGITS = 2000  # an operand's digits; keeps every result below Python's limit of 4300 digits for int <-> str
MAX_TERMS = 10_000  # the numbers and signs of one expression
ACCEPTED = "accepted: integers, + - * / (or × ÷), parentheses, thousands separators"

_SIGNS = str.maketrans({"×": "*", "∗": "*", "·": "*", "÷": "/", "∕": "/", "−": "-", "–": "-", "＋": "+", "＝": "="})
_NUMBER = re.compile(r"[0-9]{1,3}(?:([,_ \u00a0\u202f'])[0-9]{3})(?:\1[0-9]{3})*(?![0-9])|[0-9]+")
_TOO_LONG = 10**MAX_DIGITS
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}


class ProblemError(ValueError):
    """A problem that can't be read or has no answer; the message names the input and what is accepted."""


def quote(text: str) -> str:
    """Quote `text` for a message, shortened to 60 characters.

    >>> quote("12+x")
    "'12+x'"
    """
    return repr(text if len(text) <= 60 else f"{text[:40]}…{text[-19:]}")


def ascii_signs(text: str) -> str:
    """Replace × ÷ − and their like by `*`, `/` and `-`.

    >>> ascii_signs("12×4567÷2")
    '12*4567/2'
    """
    return text if text.isascii() else text.translate(_SIGNS)


@dataclass(frozen=True, slots=True)
class Problem:
    """One operation `a op b` on non-negative integers, op being one of `+ - * /` (section 3.2).

    Raises ProblemError for a negative operand, one of more than MAX_DIGITS digits, another op, or division by zero.

    >>> Problem(950, "/", 12).answer
    '79R2'
    """

    a: int
    op: str
    b: int

    def __post_init__(self) -> None:
        if not (-_TOO_LONG < self.a < _TOO_LONG and -_TOO_LONG < self.b < _TOO_LONG):
            raise ProblemError(f"an operand of {quote(self.op)} has more than {MAX_DIGITS} digits, the most accepted")
        if self.a < 0 or self.b < 0:
            raise ProblemError(f"problem {quote(str(self))}: operands are non-negative; write an expression instead")
        if self.op not in OPS or len(self.op) != 1:
            raise ProblemError(f"problem {quote(str(self))}: unknown operation {self.op!r}; accepted: + - * /")
        if self.op == "/" and self.b == 0:
            raise ProblemError(f"problem {quote(str(self))}: division by zero has no answer")

    def __str__(self) -> str:
        return f"{self.a}{self.op}{self.b}"

    @property
    def value(self) -> int:
        """The exact result; for `/` the quotient without its remainder.

        >>> Problem(3, "-", 5).value
        -2
        """
        a, b = self.a, self.b
        return a + b if self.op == "+" else a - b if self.op == "-" else a * b if self.op == "*" else a // b

    @property
    def remainder(self) -> int:
        """The remainder of `/`, 0 for every other operation.

        >>> Problem(950, "/", 12).remainder
        2
        """
        return self.a % self.b if self.op == "/" else 0

    @property
    def answer(self) -> str:
        """The exact answer as text, most significant digit first, `79R5` where a division leaves a remainder.

        >>> Problem(12, "*", 4567).answer
        '54804'
        """
        return answer_text(self.value, self.remainder)

    @property
    def digits(self) -> int:
        """The number of digits of the longer operand.

        >>> Problem(12, "*", 4567).digits
        4
        """
        return len(str(max(self.a, self.b)))

    @classmethod
    def parse(cls, text: str) -> Problem:
        """Read one operation; × ÷, spaces, thousands separators and a final `=` are accepted.

        Raises ProblemError for anything else, an expression of several operations included.

        >>> Problem.parse("1,234 × 5 =")
        Problem(a=1234, op='*', b=5)
        """
        return Expression.parse(text).problem()


def answer_text(value: int, remainder: int = 0) -> str:
    """Write an answer: the value, and `R` with the remainder where it is not zero.

    >>> answer_text(79, 5)
    '79R5'
    """
    return f"{value}R{remainder}" if remainder else str(value)


def signed_problem(a: int, op: str, b: int) -> tuple[Problem, bool]:
    """Turn one operation on signed integers into a Problem and whether its answer is to be negated.

    >>> signed_problem(-3, "-", 5)
    (Problem(a=3, op='+', b=5), True)
    """
    if op in "*/":
        return Problem(abs(a), op, abs(b)), (a < 0) != (b < 0)
    if op == "-":
        b = -b
    if a < 0 and b < 0:
        return Problem(-a, "+", -b), True
    if a >= 0 and b >= 0:  # a - 0 stays a subtraction
        return (Problem(a, "-", 0) if op == "-" and b == 0 else Problem(a, "+", b)), False
    return (Problem(a, "-", -b), False) if b < 0 else (Problem(b, "-", -a), False)


@dataclass(frozen=True, slots=True)
class Expression:
    """Integers joined by `+ - * /`, parentheses and unary minus, kept in postfix order.

    >>> str(Expression.parse("(1+2)*-3"))
    '(1+2)*-3'
    """

    postfix: tuple[int | str, ...]

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Read an expression in time linear in its length; a final `=` or `=?` is accepted.

        Raises ProblemError that names the character, or the operand that is too long.

        >>> Expression.parse("948 ÷ (5+7)").value()
        (79, 0)
        """
        source = ascii_signs(text)
        body = source.rstrip()
        body = body.removesuffix("?").rstrip().removesuffix("=").rstrip()
        out: list[int | str] = []
        stack: list[str] = []
        want_number = True
        at = 0

        def fail(what: str) -> ProblemError:
            return ProblemError(f"problem {quote(text)}: {what}; {ACCEPTED}")

        if not body:
            raise fail("nothing to read")
        while at < len(body):
            char = body[at]
            if char.isspace():
                at += 1
                continue
            if len(out) + len(stack) >= MAX_TERMS:
                raise fail(f"more than {MAX_TERMS} numbers and signs")
            if want_number:
                if match := _NUMBER.match(body, at):
                    number = re.sub("[^0-9]", "", match[0])
                    if len(number) > MAX_DIGITS:
                        raise fail(f"an operand has {len(number)} digits, more than {MAX_DIGITS}")
                    out.append(int(number))
                    want_number = False
                    at = match.end()
                    continue
                if char not in "(-":
                    raise fail(f"expected a number at character {at + 1}, not {char!r}")
                stack.append("neg" if char == "-" else char)
            elif char in OPS:
                while stack and stack[-1] != "(" and _BINDS[stack[-1]] >= _BINDS[char]:
                    out.append(stack.pop())
                stack.append(char)
                want_number = True
            elif char == ")":
                while stack and stack[-1] != "(":
                    out.append(stack.pop())
                if not stack:
                    raise fail(f"')' at character {at + 1} closes nothing")
                stack.pop()
            else:
                raise fail(f"expected an operation at character {at + 1}, not {char!r}")
            at += 1
        if want_number:
            raise fail("it ends where a number is expected")
        while stack:
            if stack[-1] == "(":
                raise fail("a '(' is never closed")
            out.append(stack.pop())
        return cls(tuple(out))

    @property
    def is_problem(self) -> bool:
        """Whether it is one operation on two non-negative integers.

        >>> Expression.parse("2+3").is_problem, Expression.parse("--5").is_problem
        (True, False)
        """
        return len(self.postfix) == 3 and self.postfix[2] in ("+", "-", "*", "/")

    def problem(self) -> Problem:
        """The one Problem this expression is; raises ProblemError where it is more or less than that.

        >>> Expression.parse("2+3").problem()
        Problem(a=2, op='+', b=3)
        """
        if len(self.postfix) == 3:
            a, b, op = self.postfix
            if isinstance(a, int) and isinstance(b, int) and isinstance(op, str):
                return Problem(a, op, b)
        raise ProblemError(f"problem {quote(str(self))}: one operation on two non-negative integers is accepted here")

    def reduce(self) -> Generator[Problem, tuple[int, int], tuple[int, int]]:
        """Reduce pair by pair: yields each Problem, is sent its (value, remainder), returns the whole's.

        Signs are moved by rule, so that operands stay non-negative. Raises ProblemError where a division
        inside the expression is not exact, or by zero.

        >>> steps = Expression.parse("2*3+4").reduce()
        >>> next(steps), steps.send((6, 0))
        (Problem(a=2, op='*', b=3), Problem(a=6, op='+', b=4))
        """
        stack: list[tuple[int, int]] = []
        last = ""

        def take() -> int:
            value, remainder = stack.pop()
            if remainder:
                raise ProblemError(
                    f"problem {quote(str(self))}: {last} inside it is not exact ({answer_text(value, remainder)}); "
                    "accepted: a remainder only in the last operation"
                )
            return value

        for item in self.postfix:
            if isinstance(item, int):
                stack.append((item, 0))
            elif item == "neg":
                value, remainder = stack.pop()
                stack.append((-value, -remainder))
            else:
                b = take()
                a = take()
                if not (-_TOO_LONG < a < _TOO_LONG and -_TOO_LONG < b < _TOO_LONG):
                    raise ProblemError(f"problem {quote(str(self))}: it grows beyond {MAX_DIGITS} digits")
                problem, negate = signed_problem(a, item, b)
                value, remainder = yield problem
                if item == "/" and a < 0:
                    remainder = -remainder  # the remainder has the dividend's sign: a == value * b + remainder
                stack.append((-value if negate else value, remainder))
                last = f"{a}{item}{b}"
        return stack.pop()

    def value(self) -> tuple[int, int]:
        """The exact (value, remainder) by Python's integers; raises as `reduce` does.

        >>> Expression.parse("-7/2").value()
        (-3, -1)
        """
        steps = self.reduce()
        try:
            problem = next(steps)
            while True:
                problem = steps.send((problem.value, problem.remainder))
        except StopIteration as done:
            return done.value

    @property
    def answer(self) -> str:
        """The exact answer as text, as Problem's; raises as `reduce` does.

        >>> Expression.parse("(943+12)/12").answer
        '79R7'
        """
        return answer_text(*self.value())

    def __str__(self) -> str:
        return infix(self.postfix)


def infix(postfix: tuple[int | str, ...] | list[int | str]) -> str:
    """Write a postfix sequence with the fewest parentheses.

    >>> infix((1, 2, "+", 3, "*"))
    '(1+2)*3'
    """
    stack: list[tuple[list[str], int]] = []  # pieces, how tightly they bind; pieces are extended in place

    def wrap(pieces: list[str], yes: bool) -> list[str]:
        return ["(", *pieces, ")"] if yes else pieces

    for item in postfix:
        if isinstance(item, int):
            stack.append(([str(item)], 4 if item >= 0 else 3))
        elif item == "neg":
            pieces, binds = stack.pop()
            stack.append((["-", *wrap(pieces, binds < 4)], 3))
        else:
            right, right_binds = stack.pop()
            left, left_binds = stack.pop()
            left = wrap(left, left_binds < _BINDS[item])
            left.append(item)
            left += wrap(right, right_binds <= _BINDS[item])
            stack.append((left, _BINDS[item]))
    return "".join(stack[-1][0])
