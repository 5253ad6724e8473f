"""The steps of a converted equation: an expression solved pair by pair, with reversed results, in two notations.

- Each step is the whole expression after one pair is solved: the leftmost that precedence and brackets allow.
- The result of `+ - *` is reversed, and stays reversed in later steps. The result of `/` and `//` is not. If the last
  operation is a division its step is left out: the stated result takes its place.
- Decimals are scaled integers with the point put back: `0.2*50=r|0.01=10` is 2*50 = 100 with one place, 10.0 reversed.
  So a sum has as many places as its longer operand, a product the places of both, and a quotient as few as it needs.
- An inner quotient that does not end is kept as a division. The next factor or divisor is moved before it.
- Percent, `$` and separators stay in the first field and in the stated result; steps are written in plain numbers.
- The notation `@@` writes `@@27@@` for `r|27` (appendix C). `decompose` writes a product or quotient of several digits
  as method `revorder`'s compact form does, in square brackets inside an expression:
  `[12*50+12*2]+1=[r|006+r|42]+1=...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from revorder.arithmetic.expression import Expression, infix
from revorder.arithmetic.numbers import Number, apply, decimal_text, places_needed
from revorder.arithmetic.problem import Problem
from revorder.arithmetic.reversed_numbers import MARK
from revorder.methods import trace

PLACES = 8  # of a quotient inside an expression


class Term(NamedTuple):
    """A number in a step: its value, its decimal places, whether it is reversed, and any work written in its place."""

    value: Fraction
    places: int
    is_reversed: bool = False
    work: str = ""


class Endless(Exception):
    """A quotient does not end, and no multiplication or division follows to take it up."""


def write_steps(expression: Expression, notation: str, decompose: bool) -> Iterator[str]:
    """Yield the expression after each pair is solved. Raises Endless if a pair can't be solved.

    >>> list(write_steps(Expression.parse("2*20+9*80"), "r|", False))
    ['r|04+9*80', 'r|04+r|027', 'r|067']
    >>> list(write_steps(Expression.parse("12*52+1"), "r|", True))
    ['[12*50+12*2]+1', '[r|006+r|42]+1', 'r|426+1', 'r|526']
    """
    items: list[Term | str] = [
        Term(item.value, item.places) if isinstance(item, Number) else item for item in expression.signed()
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
            yield infix(items, write, bracket_signs=True)
            continue
        for work in decomposed(a, op, b, notation) if decompose else ():
            work = work if last else f"[{work}]"
            yield infix([*items[: at - 2], Term(Fraction(), 0, work=work), *items[at + 1 :]], write, bracket_signs=True)
        while items[at + 1 : at + 2] == ["neg"]:
            result = result._replace(value=-result.value)
            del items[at + 1]
            last = len(items) == 3
        if last and not result.is_reversed:
            return
        items[at - 2 : at + 1] = [result]
        yield infix(items, write, bracket_signs=True)
        if last:
            return


def solve_pair(a: Term, op: str, b: Term) -> Term | None:
    """Return the result of one operation, or None for a quotient of more than PLACES decimal places."""
    value = apply(a.value, op, b.value)
    if op in ("+", "-"):
        return Term(value, max(a.places, b.places), is_reversed=True)
    if op == "*":
        return Term(value, a.places + b.places, is_reversed=True)
    places = places_needed(value)
    return None if places is None or places > PLACES else Term(value, places)


def move_division(items: list[Term | str], at: int) -> list[Term | str]:
    """Move the division whose operator is at index `at` behind the `*` or `/` that uses its quotient.

    (a/b)*c is a*c/b, (a/b)/c is a/(b*c), c*(a/b) is c*a/b, and c/(a/b) is c*b/a. Raises Endless if there is no such
    operator.
    """
    head, a, b, tail = items[: at - 2], items[at - 2], items[at - 1], items[at + 1 :]
    if tail[0] == "*":
        return [*head, a, "*", b, "/", *tail[1:]]
    if tail[0] == "/":
        return [*head, b, "*", a, "/", *tail[1:]]
    operands = 0
    for i, item in enumerate(tail):  # first the right operand, then the operator that uses the quotient
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
    """Return the work of a product or an exact quotient of several digits in the compact form, otherwise nothing.

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
    """Return a number reversed, its sign last.

    >>> reversed_text("-7.50", "r|"), reversed_text("24", "@@")
    ('r|05.7-', '@@42@@')
    """
    return MARK + number[::-1] if notation == MARK else f"@@{number[::-1]}@@"
