"""Expressions: several operations on numbers as people write them, parsed exactly and in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from revorder.arithmetic.numbers import Number, apply
from revorder.arithmetic.problem import BY_ZERO, MAX_DIGITS, OPS, TOO_LARGE, Problem, answer_text, ascii_signs
from revorder.arithmetic.reduction import DECIMALS, Answer, reduce_integers, reduce_scaled, run_exactly
from revorder.errors import ProblemError, quote

MAX_TERMS = 10_000  # numbers and signs in one expression
ACCEPTED = "accepted: numbers such as 12, 1,234.5, .5, 10% or $3, + - * / (or × ÷), // (rounds down), brackets"
CURRENCY = "$€£"

_NUMBER = re.compile(
    r"(?=\.?[0-9])((?:[1-9][0-9]{0,2}(?:([,_ \u00a0\u202f'])[0-9]{3})(?:\2[0-9]{3})*(?![0-9])|[0-9]+)?)"
    r"(\.[0-9]+)?(\s?%)?"
)
_TIMES = re.compile(rf"([xX]\s*|(?<=\s)[xX]\s+-)[0-9.(\[{{{CURRENCY}]")  # 2 x -1 is a product, 2x-1 is not
_HEXADECIMAL = re.compile("0[xX][0-9a-fA-F]")
_MODULO = re.compile(r"\s%\s*[-+]?[0-9(]")  # 10 % -3 is a remainder, 10% - 3 a difference
_UNSUPPORTED = [  # what may stand in place of an operation, and the error message for it
    (re.compile(pattern), said)
    for pattern, said in (
        (r"\^|\*\*", "powers are not supported"),
        (r"%|mod", "remainders by % or mod are not supported; a division shows its remainder"),
        (r"!", "factorials are not supported"),
        (r"[(\[{]", "a product needs its sign, such as 2*(3+4)"),
        (r"[eE][-+]?[0-9]", "scientific notation is not supported; write the number in full"),
        (r",[0-9]{1,2}(?![0-9])", "a comma separates thousands; write a decimal point if one is meant, such as 1.5"),
    )
]
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "neg": 3}
_CLOSING = {"(": ")", "[": "]", "{": "}"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Expression:
    """Numbers joined by `+ - * / //`, brackets and signs, in postfix order.

    A number is an int, or a Number if it is written with a point or a percent sign; 10% is always 0.1. `source` is the
    text that was parsed, if any.

    >>> str(Expression.parse("[1+2]*-3")), str(Expression.parse("$1,000.50-10%"))
    ('(1+2)*-3', '1000.50-0.10')
    """

    postfix: tuple[int | Number | str, ...]
    source: str = field(default="", compare=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Parse an expression, in time linear in its length.

        × ÷ x, spaces, thousands separators, `$` and a final `=` are accepted. Raises ProblemError with the position of
        the wrong character, or the length of an operand that is too long.

        >>> Expression.parse("948 ÷ (5+7) =?").value()
        (79, 0)
        """
        text = text.removeprefix("\ufeff")
        body = ascii_signs(text).rstrip().removesuffix("?").rstrip().removesuffix("=").rstrip()
        postfix: list[int | Number | str] = []
        stack: list[str] = []
        want_number = True
        currency = ""
        at = 0

        def fail(what: str) -> ProblemError:
            return ProblemError(f"problem {quote(text)}: {what}; {ACCEPTED}")

        def unsupported(at: int) -> ProblemError:
            said = next((said for pattern, said in _UNSUPPORTED if pattern.match(body, at)), None)
            return (
                ProblemError(f"{said}: {quote(text)}")
                if said
                else fail(f"expected an operation at character {at + 1}, not {body[at]!r}")
            )

        if not body:
            raise fail("nothing to read")
        while at < len(body):
            char = body[at]
            if len(postfix) + len(stack) >= MAX_TERMS:
                raise fail(f"more than {MAX_TERMS} numbers and signs")
            if char.isspace():
                pass
            elif want_number and char in CURRENCY:
                if char != (currency := currency or char):
                    raise fail(f"{char!r} at character {at + 1} is another currency than {currency!r}")
            elif want_number:
                if _HEXADECIMAL.match(body, at):
                    raise fail(f"a hexadecimal number at character {at + 1}")
                if match := _NUMBER.match(body, at):
                    if match[4] and _MODULO.match(body, match.start(4)):
                        raise unsupported(match.start(4) + 1)
                    whole, _, point, percent = match.groups(default="")
                    digits, places = re.sub("[^0-9]", "", whole + point), max(len(point) - 1, 0) + 2 * bool(percent)
                    if len(digits) > MAX_DIGITS:
                        raise fail(f"an operand has {len(digits)} digits, more than {MAX_DIGITS}")
                    postfix.append(Number(Fraction(int(digits), 10**places), places) if places else int(digits))
                    want_number = False
                    at = match.end()
                    continue
                if char not in "([{-+":
                    raise fail(f"expected a number at character {at + 1}, not {char!r}")
                if char != "+":
                    stack.append("neg" if char == "-" else char)
            elif (char in OPS and not body.startswith("**", at)) or _TIMES.match(body, at):
                op = "*" if char in "xX" else "//" if text.startswith("//", at) else char  # ÷÷ is not //
                while stack and stack[-1] not in _CLOSING and _PRECEDENCE[stack[-1]] >= _PRECEDENCE[op]:
                    postfix.append(stack.pop())
                stack.append(op)
                want_number = True
                at += len(op) - 1
            elif char in ")]}":
                while stack and stack[-1] not in _CLOSING:
                    postfix.append(stack.pop())
                if not stack or _CLOSING[stack[-1]] != char:
                    raise fail(f"{char!r} at character {at + 1} closes nothing")
                stack.pop()
            else:
                raise unsupported(at)
            at += 1
        if want_number:
            raise fail("it ends where a number is expected")
        while stack:
            if stack[-1] in _CLOSING:
                raise fail(f"a {stack[-1]!r} is never closed")
            postfix.append(stack.pop())
        return cls(tuple(postfix), text.strip())

    @property
    def is_whole(self) -> bool:
        """Whether the expression has only integers and `+ - * /`.

        >>> Expression.parse("7/2").is_whole, Expression.parse("7.0/2").is_whole, Expression.parse("7//2").is_whole
        (True, False, False)
        """
        return all(isinstance(item, int) or item in (*OPS, "neg") for item in self.postfix)

    @property
    def is_problem(self) -> bool:
        """Whether the expression is one operation on two non-negative integers.

        >>> Expression.parse("2+3").is_problem, Expression.parse("--5").is_problem
        (True, False)
        """
        return len(self.postfix) == 3 and self.postfix[2] in tuple(OPS) and self.is_whole

    @property
    def operators(self) -> list[str]:
        """The operators, without signs, in the order in which they are applied.

        >>> Expression.parse("-1+2*3").operators
        ['*', '+']
        """
        return [item for item in self.postfix if isinstance(item, str) and item != "neg"]

    def problem(self) -> Problem:
        """Return the expression as a Problem; raises ProblemError unless it is one operation.

        >>> Expression.parse("2+3").problem()
        Problem(a=2, op='+', b=3)
        """
        if len(self.postfix) == 3:
            a, b, op = self.postfix
            if isinstance(a, int) and isinstance(b, int) and isinstance(op, str) and op != "//":
                return Problem(a, op, b)
        raise self._error("one operation on two non-negative integers is accepted here")

    def reduce(self) -> Generator[Problem, tuple[int, int], tuple[int, int]]:
        """Reduce integers pair by pair.

        The generator yields each Problem, is sent its (value, remainder), and returns those of the whole expression.
        Raises ProblemError if a division inside the expression is not exact, for a division by zero, and if the
        expression is not whole.

        >>> steps = Expression.parse("2*3+4").reduce()
        >>> next(steps), steps.send((6, 0))
        (Problem(a=2, op='*', b=3), Problem(a=6, op='+', b=4))
        """
        return self._named(reduce_integers(self.postfix))

    def reduce_to_answer(self, decimals: int | None = None) -> Generator[Problem, tuple[int, int], Answer]:
        """Reduce pair by pair to an Answer.

        The generator yields each Problem, is sent its (value, remainder), and returns the Answer. A whole expression
        without `decimals` is reduced as by `reduce`. Otherwise the answer is a decimal. It is exact if it ends within
        `decimals` places (DECIMALS for None), and else rounded as `reduce_scaled` describes.

        >>> steps = Expression.parse("1.5*2.25+10%").reduce_to_answer()
        >>> next(steps), steps.send((3375, 0))
        (Problem(a=15, op='*', b=225), Problem(a=3375, op='+', b=100))
        """
        if decimals is None and self.is_whole:
            return Answer(answer_text(*(yield from self.reduce())))
        return (yield from self._named(reduce_scaled(self.postfix, DECIMALS if decimals is None else decimals)))

    def value(self) -> tuple[int, int]:
        """Return the exact (value, remainder), computed with Python's integers; raises as `reduce` does.

        >>> Expression.parse("-7/2").value()
        (-3, -1)
        """
        return run_exactly(self.reduce())

    @property
    def answer(self) -> str:
        """The answer as text, computed with Python's integers; raises as `reduce_to_answer` does.

        >>> Expression.parse("(943+12)/12").answer, Expression.parse("2/3-10%").answer
        ('79R7', '0.566667')
        """
        return run_exactly(self.reduce_to_answer()).text

    def fraction(self) -> Fraction:
        """Return the exact value; raises ProblemError for a division by zero, and if a number grows too long.

        >>> Expression.parse("$1.50 × (10% + .4)").fraction()
        Fraction(3, 4)
        """
        stack: list[Fraction] = []
        for item in self.postfix:
            if not isinstance(item, str):
                stack.append(item.value if isinstance(item, Number) else Fraction(item))
            elif item == "neg":
                stack.append(-stack.pop())
            else:
                b, a = stack.pop(), stack.pop()
                if item in ("/", "//") and b == 0:
                    raise self._error(BY_ZERO)
                result = apply(a, item, b)
                if abs(result.numerator) >= TOO_LARGE or result.denominator >= TOO_LARGE:
                    raise self._error(f"it grows beyond {MAX_DIGITS} digits")
                stack.append(result)
        return stack.pop()

    def signed(self) -> list[Number | str]:
        """Return the postfix sequence with every number as a signed Number.

        >>> [str(item) for item in Expression.parse("-2*(3-.5)").signed()]
        ['-2', '3', '0.5', '-', '*']
        """
        items: list[Number | str] = []
        for item in self.postfix:
            if item == "neg" and isinstance(last := items[-1], Number):
                items[-1] = Number(-last.value, last.places)
            else:
                items.append(Number(Fraction(item), 0) if isinstance(item, int) else item)
        return items

    def _error(self, what: object) -> ProblemError:
        return ProblemError(f"problem {quote(self.source or str(self))}: {what}")

    def _named(self, steps: Generator[Problem, tuple[int, int], T]) -> Generator[Problem, tuple[int, int], T]:
        """Run a reduction, and add the expression to its error messages."""
        try:
            return (yield from steps)
        except ProblemError as error:
            raise self._error(error) from None

    def __str__(self) -> str:
        return infix(self.postfix)


def parse_problem(text: str) -> Problem:
    """Parse one operation; raises ProblemError as Expression.parse does, and for several operations.

    >>> parse_problem("1,234 × 5 =")
    Problem(a=1234, op='*', b=5)
    """
    return Expression.parse(text).problem()


def read_number(text: str) -> Number:
    """Parse one number with its sign; raises ProblemError if the text is not a number, or is an expression.

    >>> read_number("$1,234.50"), read_number("-10%").value
    (Number(value=Fraction(2469, 2), places=2), Fraction(-1, 10))
    """
    items = Expression.parse(text).signed()
    if len(items) == 1 and isinstance(items[0], Number):
        return items[0]
    raise ProblemError(f"number {quote(text)}: an expression; give a number such as 1,234.5, .5, 10% or $3")


def infix(postfix: Sequence[T | str], write: Callable[[T], str] = str, bracket_signs: bool = False) -> str:
    """Return a postfix sequence as text, with the fewest brackets.

    Args:
        postfix: numbers and operators in postfix order.
        write: turns a number into text.
        bracket_signs: put brackets around a signed number that follows an operator.

    >>> infix((1, 2, "+", -3, "*")), infix((1, 2, "+", -3, "*"), bracket_signs=True)
    ('(1+2)*-3', '(1+2)*(-3)')
    """
    stack: list[tuple[list[str], int]] = []  # pieces and their precedence; pieces are extended in place

    def wrap(pieces: list[str], yes: bool) -> list[str]:
        return ["(", *pieces, ")"] if yes else pieces

    for item in postfix:
        if not isinstance(item, str):
            text = write(item)
            stack.append(([text], 3 if text.startswith("-") else 4))
        elif item == "neg":
            pieces, precedence = stack.pop()
            stack.append((["-", *wrap(pieces, precedence < 4)], 3))
        else:
            right, right_precedence = stack.pop()
            left, left_precedence = stack.pop()
            left = wrap(left, left_precedence < _PRECEDENCE[item])
            left.append(item)
            signed = bracket_signs and right[0].startswith("-")
            left += wrap(right, signed or right_precedence <= _PRECEDENCE[item])
            stack.append((left, _PRECEDENCE[item]))
    return "".join(stack[-1][0])
