"""Section 6.1's conversion of a text's equations to reversed results, and its way back, byte for byte.

The conversion only inserts. An equation `first=stated` becomes `first=step=...=step=stated`:

    <<48+24=72>>        <<48+24=r|27=72>>
    <<100-50-30-15=5>>  <<100-50-30-15=r|05-30-15=r|02-15=r|5=5>>
    <<80/100*10=8>>     <<80/100*10=0.8*10=r|0.8=8>>
    <<2/3*60=40>>       <<2/3*60=2*60/3=r|021/3=40>>
    <<48/2=24>>         <<48/2=24>>

- Each step is the whole expression after one pair of it is solved, leftmost first, precedence and brackets respected.
- The result of `+ - *` is reversed, and stays so in the steps that follow; that of `/` and `//` is not. A step whose
  result would be the last of a division is left out: the stated result stands for it.
- Decimals are scaled integers with the point put back: `0.2*50=r|0.01=10` is 2*50 = 100 with one place, 10.0 reversed.
  So a sum has the places of the longer operand, a product those of both, and a quotient as few as it needs.
- A quotient inside that does not end is kept as a division, what multiplies or divides it moved before it.
- Percent, `$` and separators stay in the first field and in the stated result; steps are written in plain numbers.
- The notation `@@` writes `@@27@@` for `r|27` (appendix C). `decompose` writes a product or quotient of several digits as
  method `revorder`'s compact form does, in square brackets where it is a part: `[12*50+12*2]+1=[r|006+r|42]+1=...`.

The steps follow from the first field and the stated result, so the way back takes out what the conversion would insert
and nothing else. What holds its steps already is given them once more, and loses them once on the way back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from revorder.arithmetic.problem import Problem
from revorder.arithmetic.rational import (
    Agreement,
    Number,
    RationalExpression,
    agreement,
    apply,
    decimal_text,
    infix,
    places_needed,
    read_number,
)
from revorder.arithmetic.reversed_numbers import MARK
from revorder.data.annotations import Equation, find_equations
from revorder.errors import ProblemError
from revorder.methods import trace

NOTATIONS = (MARK, "@@")
MAX_LENGTH = 400  # characters of a first field, since steps grow with its square
MAX_OPERATORS = 40
PLACES = 8  # of a quotient inside an expression
_REVERSED = re.compile(r"r\|([0-9]+(?:\.[0-9]+)?)(-(?![0-9.(r@]))?|@@([0-9]+(?:\.[0-9]+)?)(-?)@@")

REWRITTEN = "rewritten"
ALREADY = "rewritten again"
# What stays as it is, and why
DIVISION = "one division"  # both notations write it the same way
IDENTITY = "no operator"
WRONG = "wrong"
ROUNDED = "rounded"  # without decimals that say so, or by an operation that is exact
ENDLESS = "quotient without end inside"
PERCENT = "percent of something"  # 50-10% may mean 45
CHAIN = "several results"
LONG = "too long"
UNREADABLE = "not arithmetic"
NO_NUMBER = "result is no number"


class Edit(NamedTuple):
    """`text[start:end]` is replaced by `by`."""

    start: int
    end: int
    by: str


class Term(NamedTuple):
    """A number of a step: its value, its places, whether it is written reversed; or else the work that stands for it."""

    value: Fraction
    places: int
    is_reversed: bool = False
    work: str = ""


class Endless(Exception):
    """A quotient that does not end, and that no multiplication or division takes up."""


def rewrite(text: str, notation: str = MARK, decompose: bool = False, prose: bool = False) -> str:
    """Rewrite the annotations of a text, and with `prose` its equations in prose.

    Raises ProblemError for a notation that is none.

    >>> rewrite("He has 48+24 = <<48+24=72>>72.")
    'He has 48+24 = <<48+24=r|27=72>>72.'
    """
    return apply_edits(text, find_edits(text, notation, decompose, prose)[0])


def rewrite_back(text: str) -> str:
    """The text that `rewrite` was given, whatever its options were.

    >>> rewrite_back("He has 48+24 = <<48+24=@@27@@=72>>72.")
    'He has 48+24 = <<48+24=72>>72.'
    """
    return apply_edits(text, find_edits_back(text))


def apply_edits(text: str, edits: list[Edit]) -> str:
    """The text with edits applied, which are in order and apart.

    >>> apply_edits("abc", [Edit(1, 2, "xy")])
    'axyc'
    """
    pieces: list[str] = []
    at = 0
    for start, end, by in edits:
        pieces += [text[at:start], by]
        at = end
    return "".join([*pieces, text[at:]])


def find_edits(
    text: str, notation: str = MARK, decompose: bool = False, prose: bool = False
) -> tuple[list[Edit], Counter[str]]:
    """The insertions that rewrite a text, and how many of its equations came to what."""
    if notation not in NOTATIONS:
        raise ProblemError(f"notation {notation!r} is unknown; accepted: {', '.join(NOTATIONS)}")
    edits: list[Edit] = []
    counts: Counter[str] = Counter()
    for equation in find_equations(text, prose or may_hold_steps(text)):
        if inserted := steps_held(equation):
            outcome = ALREADY
        elif equation.prose and not prose:
            continue
        else:
            outcome, inserted = find_steps(equation, notation, decompose)
        if inserted:
            edits.append(Edit(equation.at, equation.at, inserted))
        counts[outcome] += 1
    return edits, counts


def find_edits_back(text: str) -> list[Edit]:
    """The deletions that take a text back."""
    edits: list[Edit] = []
    for equation in find_equations(text, prose=may_hold_steps(text)):
        if steps := steps_held(equation):
            edits.append(Edit(equation.at, equation.at + len(steps), ""))
    return edits


def may_hold_steps(text: str) -> bool:
    """Whether prose may hold steps: in prose they always have a reversed number.

    >>> may_hold_steps("360/20/1 = 18/1 = 18")
    False
    """
    return any(mark in text for mark in NOTATIONS)


def steps_held(equation: Equation) -> str:
    """The steps that an equation holds once or more, in either notation; empty where it holds none.

    >>> from revorder.data.annotations import read_equation
    >>> steps_held(read_equation("1+2=r|3=r|3=3")), steps_held(read_equation("1+2=3=3"))
    ('r|3=', '')
    """
    if not equation.steps:
        return ""
    for notation in NOTATIONS:
        for decompose in (False, True):
            _, steps = find_steps(equation._replace(steps=""), notation, decompose)
            if steps and equation.steps == steps * (len(equation.steps) // len(steps)):
                return steps
    return ""


def find_steps(equation: Equation, notation: str, decompose: bool) -> tuple[str, str]:
    """What an equation comes to, and the text of its steps: each ends as its first field does, with its `=`.

    >>> from revorder.data.annotations import read_equation
    >>> find_steps(read_equation("16*1/2 = 8"), "r|", False)
    ('rewritten', 'r|61/2 = ')
    """
    if equation.steps:
        return CHAIN, ""
    outcome, steps = solve_in_pairs(equation.first, equation.stated, notation, decompose and not equation.prose)
    text = "".join([step + equation.equals for step in steps])
    if text and equation.prose and notation not in text:
        return DIVISION, ""
    return outcome, text


@lru_cache(maxsize=4096)
def solve_in_pairs(first: str, stated: str, notation: str, decompose: bool) -> tuple[str, tuple[str, ...]]:
    """What `first=stated` comes to, and its steps.

    >>> solve_in_pairs("(12+10)/4", "5.5", "@@", False)
    ('rewritten', ('@@22@@/4',))
    >>> solve_in_pairs("7/2", "3", "r|", False), solve_in_pairs("2+2", "5", "r|", False)
    (('rounded', ()), ('wrong', ()))
    """
    if len(first) > MAX_LENGTH or len(stated) > MAX_LENGTH:
        return LONG, ()
    try:
        expression = RationalExpression.parse(first)
        value = expression.value()
    except ProblemError:
        return UNREADABLE, ()
    try:
        result = read_number(stated)
    except ProblemError:
        return NO_NUMBER, ()
    operators = expression.operators
    agrees = agreement(value, result)
    if agrees is Agreement.WRONG:
        return PERCENT if "%" in first + stated else WRONG, ()
    if not operators:
        return IDENTITY, ()
    if agrees is not Agreement.EXACT and (not result.places or operators[-1] != "/"):
        return ROUNDED, ()
    if len(operators) > MAX_OPERATORS:
        return LONG, ()
    try:
        steps = tuple(write_steps(expression, notation, decompose))
    except Endless:
        return ENDLESS, ()
    return (REWRITTEN if steps else DIVISION), steps


def write_steps(expression: RationalExpression, notation: str, decompose: bool) -> Iterator[str]:
    """The expression after each of its pairs is solved; raises Endless where one can't be.

    >>> list(write_steps(RationalExpression.parse("2*20+9*80"), "r|", False))
    ['r|04+9*80', 'r|04+r|027', 'r|067']
    >>> list(write_steps(RationalExpression.parse("12*52+1"), "r|", True))
    ['[12*50+12*2]+1', '[r|006+r|42]+1', 'r|426+1', 'r|526']
    """
    items: list[Term | str] = [
        Term(item.value, item.places) if isinstance(item, Number) else item for item in expression.postfix
    ]

    def write(term: Term) -> str:
        if term.work:
            return term.work
        text = decimal_text(int(term.value * 10**term.places), term.places)
        return reversed_text(text, notation) if term.is_reversed else text

    while True:
        at = next(i for i, item in enumerate(items) if isinstance(item, str))
        a, b, op = items[at - 2], items[at - 1], items[at]
        assert isinstance(a, Term) and isinstance(b, Term) and isinstance(op, str)
        last = len(items) == 3
        result = solve_pair(a, op, b)
        if result is None:
            if last:
                return
            items = move_division(items, at)
            yield infix(items, write)
            continue
        for work in decomposed(a, op, b, notation) if decompose else ():
            work = work if last else f"[{work}]"
            yield infix([*items[: at - 2], Term(Fraction(), 0, work=work), *items[at + 1 :]], write)
        while items[at + 1 : at + 2] == ["neg"]:
            result = result._replace(value=-result.value)
            del items[at + 1]
            last = len(items) == 3
        if last and not result.is_reversed:
            return
        items[at - 2 : at + 1] = [result]
        yield infix(items, write)
        if last:
            return


def solve_pair(a: Term, op: str, b: Term) -> Term | None:
    """The result of one operation; None for a quotient of more than PLACES places."""
    value = apply(a.value, op, b.value)
    if op in ("+", "-"):
        return Term(value, max(a.places, b.places), is_reversed=True)
    if op == "*":
        return Term(value, a.places + b.places, is_reversed=True)
    places = places_needed(value)
    return None if places is None or places > PLACES else Term(value, places)


def move_division(items: list[Term | str], at: int) -> list[Term | str]:
    """Move a division, whose operator is at index `at`, behind the `*` or `/` that takes it up.

    (a/b)*c is a*c/b, (a/b)/c is a/(b*c), c*(a/b) is c*a/b, and c/(a/b) is c*b/a. Raises Endless where nothing does.
    """
    head, a, b, tail = items[: at - 2], items[at - 2], items[at - 1], items[at + 1 :]
    if tail[0] == "*":
        return [*head, a, "*", b, "/", *tail[1:]]
    if tail[0] == "/":
        return [*head, b, "*", a, "/", *tail[1:]]
    operands = 0
    for i, item in enumerate(tail):  # the right operand of what takes it up, then that
        if isinstance(item, Term):
            operands += 1
        elif item != "neg" and operands == 1:
            right, rest = tail[:i], tail[i + 1 :]
            if item == "*":
                return [*head, a, *right, "*", b, "/", *rest]
            if item == "/":
                return [*head, a, b, *right, "*", "/", *rest]
            break
        elif operands == 0:
            break
        elif item != "neg":
            operands -= 1
    raise Endless


def decomposed(a: Term, op: str, b: Term, notation: str) -> list[str]:
    """The work of a product or an exact quotient of several digits, as the compact form writes it; else nothing.

    >>> decomposed(Term(Fraction(948), 0), "/", Term(Fraction(12), 0), "r|")
    ['7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)']
    """
    if op not in ("*", "/") or a.value.denominator > 1 or b.value.denominator > 1 or a.value < 0 or b.value < 0:
        return []
    if a.places or b.places:
        return []
    problem = Problem(int(a.value), op, int(b.value))
    if op == "/" and (problem.remainder or (problem.value < 10 and problem.b < 10)):
        return []
    stages = str(trace(problem, answer=False)).split("=")[1:]
    stages = stages[:-1] if op == "*" else stages
    return [re.sub(r"r\|([0-9]+)", lambda match: reversed_text(match[1][::-1], notation), stage) for stage in stages]


def reversed_text(number: str, notation: str) -> str:
    """A number reversed, its sign last.

    >>> reversed_text("-7.50", "r|"), reversed_text("24", "@@")
    ('r|05.7-', '@@42@@')
    """
    return MARK + number[::-1] if notation == MARK else f"@@{number[::-1]}@@"


def read_reversed(text: str) -> str:
    """A text with its reversed numbers read forward, in either notation, a negative one in brackets.

    >>> read_reversed("r|04+r|9-*@@05.7@@")
    '40+(-9)*7.50'
    """

    def forward(match: re.Match[str]) -> str:
        digits, sign = match[1] or match[3], match[2] or match[4]
        return f"(-{digits[::-1]})" if sign else digits[::-1]

    return _REVERSED.sub(forward, text)
