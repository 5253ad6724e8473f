"""Expressions: several operations on integers, read in linear time and reduced pair by pair to problems."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field

from revorder.arithmetic.problem import MAX_DIGITS, OPS, TOO_LARGE, Problem, answer_text, ascii_signs
from revorder.errors import ProblemError, quote

MAX_TERMS = 10_000  # the numbers and signs of one expression
ACCEPTED = "accepted: integers, + - * / (or × ÷), brackets, thousands separators"

_NUMBER = re.compile(r"[0-9]{1,3}(?:([,_ \u00a0\u202f'])[0-9]{3})(?:\1[0-9]{3})*(?![0-9])|[0-9]+")
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Expression:
    """Integers joined by `+ - * /`, brackets and signs, kept in postfix order; `source` is what was read, if anything.

    >>> str(Expression.parse("[1+2]*-3"))
    '(1+2)*-3'
    """

    postfix: tuple[int | str, ...]
    source: str = field(default="", compare=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Read an expression in time linear in its length; × ÷, spaces, separators and a final `=` are accepted.

        Raises ProblemError that names the character, or the operand that is too long.

        >>> Expression.parse("948 ÷ (5+7) =?").value()
        (79, 0)
        """
        text = text.removeprefix("\ufeff")
        body = ascii_signs(text).rstrip().removesuffix("?").rstrip().removesuffix("=").rstrip()
        postfix: list[int | str] = []
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
            if len(postfix) + len(stack) >= MAX_TERMS:
                raise fail(f"more than {MAX_TERMS} numbers and signs")
            if want_number:
                if match := _NUMBER.match(body, at):
                    number = re.sub("[^0-9]", "", match[0])
                    if len(number) > MAX_DIGITS:
                        raise fail(f"an operand has {len(number)} digits, more than {MAX_DIGITS}")
                    postfix.append(int(number))
                    want_number = False
                    at = match.end()
                    continue
                if char not in "([{-+":
                    raise fail(f"expected a number at character {at + 1}, not {char!r}")
                if char != "+":
                    stack.append("neg" if char == "-" else char)
            elif char in OPS:
                while stack and stack[-1] not in _CLOSING and _PRECEDENCE[stack[-1]] >= _PRECEDENCE[char]:
                    postfix.append(stack.pop())
                stack.append(char)
                want_number = True
            elif char in ")]}":
                while stack and stack[-1] not in _CLOSING:
                    postfix.append(stack.pop())
                if not stack or _CLOSING[stack[-1]] != char:
                    raise fail(f"{char!r} at character {at + 1} closes nothing")
                stack.pop()
            else:
                raise fail(f"expected an operation at character {at + 1}, not {char!r}")
            at += 1
        if want_number:
            raise fail("it ends where a number is expected")
        while stack:
            if stack[-1] in _CLOSING:
                raise fail(f"a {stack[-1]!r} is never closed")
            postfix.append(stack.pop())
        return cls(tuple(postfix), text.strip())

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
        quoted = quote(self.source or str(self))

        def take() -> int:
            value, remainder = stack.pop()
            if remainder:
                raise ProblemError(
                    f"problem {quoted}: {last} inside it is not exact ({answer_text(value, remainder)}); "
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
                if not (-TOO_LARGE < a < TOO_LARGE and -TOO_LARGE < b < TOO_LARGE):
                    raise ProblemError(f"problem {quoted}: it grows beyond {MAX_DIGITS} digits")
                if item == "/" and b == 0:
                    raise ProblemError(f"problem {quoted}: division by zero has no answer")
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


def parse_problem(text: str) -> Problem:
    """Read one operation; raises ProblemError as Expression.parse does, and for several operations.

    >>> parse_problem("1,234 × 5 =")
    Problem(a=1234, op='*', b=5)
    """
    return Expression.parse(text).problem()


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


def infix(postfix: tuple[int | str, ...] | list[int | str]) -> str:
    """Write a postfix sequence with the fewest parentheses.

    >>> infix((1, 2, "+", 3, "*"))
    '(1+2)*3'
    """
    stack: list[tuple[list[str], int]] = []  # pieces and their precedence; pieces are extended in place

    def wrap(pieces: list[str], yes: bool) -> list[str]:
        return ["(", *pieces, ")"] if yes else pieces

    for item in postfix:
        if isinstance(item, int):
            stack.append(([str(item)], 4 if item >= 0 else 3))
        elif item == "neg":
            pieces, precedence = stack.pop()
            stack.append((["-", *wrap(pieces, precedence < 4)], 3))
        else:
            right, right_precedence = stack.pop()
            left, left_precedence = stack.pop()
            left = wrap(left, left_precedence < _PRECEDENCE[item])
            left.append(item)
            left += wrap(right, right_precedence <= _PRECEDENCE[item])
            stack.append((left, _PRECEDENCE[item]))
    return "".join(stack[-1][0])
