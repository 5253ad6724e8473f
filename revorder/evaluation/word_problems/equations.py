"""Annotated equations, checked one by one with exact arithmetic: whether they are right, and what is wrong first.

An equation is right if every field has the value of the first. Only its stated result may be rounded or cut, and only
if that shows: the result has decimals, or its line says so (`about`, `rounded`, `≈`).
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

from revorder.arithmetic.expression import Expression, read_number
from revorder.arithmetic.numbers import Agreement, Number, agreement
from revorder.errors import ProblemError, quote
from revorder.judge import verify
from revorder.reading.checking import STATES_ROUNDING
from revorder.reading.equations import Equation
from revorder.reading.numbers import NUMBER, read_reversed

OPERATORS = ("+", "-", "*", "/", "mixed")  # mixed: more than one operator

ARITHMETIC = "arithmetic"  # a result is wrong
REVERSAL = "reversal"  # a reversed result is right, and is read forward wrongly
COPY = "copy"  # a number changes on its way from one place to the next
NOTATION = "notation"  # a part of an equation can't be read

_OPERATION = re.compile(r"[^A-Za-z]*[0-9)]\s*[-+*/×÷][^A-Za-z]*")
_WORK = re.compile(r"(?P<bracket>\[)?(?P<work>[0-9]R-\([^\[\]]*)(?(bracket)\]|\Z)")  # a division, written step by step
_WORK_DIGIT = re.compile(r"[0-9]R-\(([0-9]+)\*([0-9]+)\)(?:\([^()]*\))*(W?)")


class Checked(NamedTuple):
    """An equation of a solution: its text, its operator, whether it is right, and the cause of its first error.

    A right equation has the cause `copy` if the number after it differs from its result.
    """

    text: str
    op: str
    right: bool
    cause: str


def check_annotation(equation: Equation, text: str) -> Checked | None:
    """Check an annotation of a text; None if its first field has no operator, or has letters (`28-2x`).

    Any other operation that can't be read is wrong, in its notation.

    >>> from revorder.reading.equations import find_annotations
    >>> text = "48/2 = <<48/2=24>>42"
    >>> check_annotation(next(find_annotations(text)), text)
    Checked(text='48/2=24', op='/', right=True, cause='copy')
    """
    written = text[equation.start : equation.end]
    fields = written.split("=")
    try:
        expression = Expression.parse(read_reversed(fields[0]))
        value = expression.fraction()
    except ProblemError:
        return Checked(written, "mixed", False, NOTATION) if _OPERATION.fullmatch(read_reversed(fields[0])) else None
    if not expression.operators:
        return None
    kinds = {operator[0] for operator in expression.operators}
    op = "mixed" if len(kinds) > 1 else kinds.pop()
    line = text[text.rfind("\n", 0, equation.start) + 1 :].partition("\n")[0]
    cause = find_cause(fields, value, bool(STATES_ROUNDING.search(line)))
    behind = NUMBER.match(text, equation.end + len(">>"))
    if not cause and behind and not is_copied(equation.stated, behind[0]):
        return Checked(written, op, True, COPY)
    return Checked(written, op, not cause, cause)


def find_cause(fields: list[str], value: Fraction, rounding: bool) -> str:
    """Return the first error in the fields of an equation whose first field has this value, or an empty string.

    `rounding` says whether its line states that numbers are rounded.

    >>> [find_cause(["48+24", *fields], Fraction(72), False) for fields in (["r|28", "82"], ["r|27", "27"])]
    ['arithmetic', 'reversal']
    >>> find_cause(["1+2+3", "r|3+4", "7"], Fraction(6), False), find_cause(["1+2", "r|"], Fraction(3), False)
    ('copy', 'notation')
    >>> find_cause(["10/3", "3.33"], Fraction(10, 3), False), find_cause(["10/3", "3"], Fraction(10, 3), False)
    ('', 'arithmetic')
    """
    last = len(fields) - 1
    before: list[Fraction] = []
    for i, part in enumerate(fields):
        try:
            solved = _WORK.sub(solve_work, part) if 0 < i < last else part
            expression = Expression.parse(read_reversed(solved))
            right = expression.fraction() == value
        except ProblemError:
            return NOTATION
        except ArithmeticError:
            return ARITHMETIC
        numbers = [item for item in expression.signed() if isinstance(item, Number)]
        values = [number.value for number in numbers]
        if not right:
            if i < last or expression.operators:
                return ARITHMETIC if is_reduced(before, values) else COPY
            if agreement(value, numbers[0]) is Agreement.WRONG or not (numbers[0].places or rounding):
                return REVERSAL if len(before) == 1 else ARITHMETIC
        if solved == part:
            before = values
    return "" if last else NOTATION


def solve_work(found: re.Match[str]) -> str:
    """Return the exact quotient of a division written step by step; raises ArithmeticError if a step is wrong.

    >>> _WORK.sub(solve_work, "[7R-(12*70)(@@048@@)(@@801@@)#9R-(12*9)(@@801@@)(0)]+1")
    '79+1'
    """
    digits = [(int(divisor), int(part)) for divisor, part, back in _WORK_DIGIT.findall(found["work"]) if not back]
    work = re.sub("@@([0-9]+)@@", r"r|\1", found["work"])
    if not digits:
        raise ProblemError(f"division {quote(work)}: no step can be read")
    divisor, quotient = digits[0][0], sum(part for _, part in digits)
    verdict = verify(f"{divisor * quotient}/{divisor}={work}={quotient}", "revorder", "compact")
    if not verdict.ok:
        raise ArithmeticError(verdict.reason)
    return str(quotient)


def is_reduced(before: list[Fraction], after: list[Fraction]) -> bool:
    """Whether a step has the numbers of the one before it, except that one may replace two neighbours, or may move.

    >>> is_reduced([100, 50, 30], [7, 30]), is_reduced([100, 50, 30], [50, 31]), is_reduced([2, 3, 60], [2, 60, 3])
    (True, False, True)
    """
    if len(after) == len(before):
        return Counter(before) == Counter(after)
    if len(after) != len(before) - 1:
        return True  # the work of a product: an error in it is a wrong result
    return any(before[:i] == after[:i] and before[i + 2 :] == after[i + 1 :] for i in range(len(after)))


def is_copied(stated: str, behind: str) -> bool:
    """Whether the number after an annotation is its stated result, also rounded or without its sign.

    >>> is_copied("6.666", "6.67"), is_copied("22500", "22,500"), is_copied("-6", "6"), is_copied("24", "24 100")
    (True, True, True, True)
    >>> is_copied("72", "27"), is_copied("6", "-6")
    (False, False)
    """
    try:
        exact = read_number(stated.replace("%", "")).value
        numbers = [read_number(text) for text in (behind, behind.partition(" ")[0])]
    except ProblemError:
        return True  # an unreadable number was found before
    return any(
        agreement(value, number) is not Agreement.WRONG for number in numbers for value in {exact, max(exact, -exact)}
    )
