"""GSM8K solutions scored: the final answer, the equations in all and by operator, and what went wrong first.

It reads annotations as they are and in both converted notations, exactly. An equation is right where every field has
the value of the first. Its stated result alone may be rounded or cut, and only where that is stated: the result has
decimals, or its line says so (`about`, `rounded`, `≈`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from revorder.arithmetic.rational import Agreement, Number, RationalExpression, agreement, read_number
from revorder.data.annotations import Equation, find_annotations
from revorder.data.rewriting import read_reversed
from revorder.data.sources.gsm8k import final_answer
from revorder.errors import ProblemError, first_line
from revorder.evaluation.scores import wilson

OPS = ("+", "-", "*", "/", "mixed")  # mixed: more than one kind of operator
# Table 3 of the paper: LLaMA2-7B on the test set, percent
PAPER: dict[str, dict[str, float]] = {
    "LLaMA2-7B, as it is (paper)": {"score": 41.6, "equations": 88.9, "+": 96.7, "-": 97.0, "*": 95.8},
    "LLaMA2-7B, RevOrder (paper)": {"score": 44.4, "equations": 94.1, "+": 99.8, "-": 99.6, "*": 98.8},
}

ARITHMETIC = "arithmetic"  # a result is wrong
REVERSAL = "reversal"  # a reversed result is right, and is read forward wrongly
COPY = "copy"  # a number changes on its way from one place to the next
NOTATION = "notation"  # what stands in an equation can't be read
REASONING = "reasoning"  # all equations are right, and the final answer is not
NO_ANSWER = "no final answer"

_STATES_ROUNDING = re.compile(r"≈|~|\b(?:round|about\b|approx|nearest|roughly|almost)", re.IGNORECASE)
_NUMBER_BEHIND = re.compile(r">> ?[$€£]?(-?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]*)(?:\.[0-9]+)?%?)")
_NUMBER = re.compile(r"-?(?:[0-9][0-9,]*)?(?:\.[0-9]+)?%?")
_LAST_NUMBER = re.compile(r"-?[$€£]?-?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)?(?:\.[0-9]+|(?<=[0-9]))")
_WORK = re.compile(r"\[?[0-9]R-\(")  # of a division that is written step by step
_TEXTS = ("solution", "completion", "prediction", "output", "response")  # keys of a solution
_REFERENCES = ("ground_truth", "reference", "target", "answer")


class Checked(NamedTuple):
    """An equation of a solution: its text, its operator, whether it is right, and what went wrong first, if anything."""

    text: str
    op: str
    right: bool
    cause: str


class Solution(NamedTuple):
    """A solution that was scored: whether its final answer is the reference's, its equations, what went wrong first."""

    text: str
    correct: bool
    equations: tuple[Checked, ...]
    cause: str


@dataclass(frozen=True, slots=True)
class SolutionScore:
    """The scores of a system's solutions. `equations`: right and all by operator; `causes`: of wrong solutions."""

    system: str
    total: int
    correct: int
    equations: dict[str, tuple[int, int]]
    wrong_equations: dict[str, int]
    causes: dict[str, int]
    examples: dict[str, str] = field(repr=False)

    @property
    def all_equations(self) -> tuple[int, int]:
        """How many equations are right, and how many there are."""
        return sum(right for right, _ in self.equations.values()), sum(n for _, n in self.equations.values())


def check_solution(text: str, reference: str) -> Solution:
    """Score one solution; `reference` is the right final answer. Raises ProblemError where that is no number.

    >>> check_solution("48/2 = <<48/2=24>>24\\n#### 24", "24").correct
    True
    >>> check_solution("48+24 = <<48+24=r|27=73>>73\\n#### 73", "72").cause
    'reversal'
    """
    wanted = read_number(reference).value
    equations = tuple(filter(None, (check_equation(equation, text) for equation in find_annotations(text))))
    found = read_final(text)
    correct = found is not None and found == wanted
    cause = ""
    if not correct:
        causes = (equation.cause for equation in equations if equation.cause)
        cause = NO_ANSWER if found is None else next(causes, REASONING)
    return Solution(text, correct, equations, cause)


def read_final(text: str) -> Fraction | None:
    """The number of the last line that begins with `####` or `A:`; None where there is none.

    >>> read_final("A: $1,234.50 a year"), read_final("#### none")
    (Fraction(2469, 2), None)
    """
    try:
        answer = final_answer(text)
    except ProblemError:
        return None
    found = _LAST_NUMBER.search(answer)
    return read_number(found[0]).value if found else None


def check_equation(equation: Equation, text: str) -> Checked | None:
    """Check one annotation of a text; None where its first field is no arithmetic, or has no operator."""
    whole = text[equation.start : equation.end]
    fields = [read_reversed(part).strip() for part in whole.split("=")]
    try:
        expression = RationalExpression.parse(fields[0])
        value = expression.value()
    except ProblemError:
        return None
    if not expression.operators:
        return None
    kinds = set(expression.operators)
    op = "mixed" if len(kinds) > 1 else kinds.pop().replace("//", "/")
    cause = find_cause(whole.split("="), fields, value, states_rounding(text, equation))
    right = not cause
    if right and not copied(equation.stated, text[equation.end :][:40]):
        cause = COPY
    return Checked(whole, op, right, cause)


def find_cause(written: list[str], fields: list[str], value: Fraction, rounding: bool) -> str:
    """What is wrong first in an equation whose first field has this value; empty where nothing is."""
    if len(fields) == 1:
        return NOTATION
    for i, part in enumerate(fields[1:], 1):
        last = i == len(fields) - 1
        if not last and _WORK.match(part):
            continue
        try:
            parsed = RationalExpression.parse(part)
            if parsed.value() == value:
                continue
        except ProblemError:
            return NOTATION
        if last and len(parsed.postfix) == 1 and isinstance(parsed.postfix[0], Number):
            if i == 1 or fields[i - 1].lstrip("(-").rstrip(")") == "" or written[i - 1] == fields[i - 1]:
                if agrees(value, parsed.postfix[0], rounding):
                    continue
            return REVERSAL if i > 1 and is_reversed_number(written[i - 1]) else ARITHMETIC
        return ARITHMETIC if is_reduced(fields[i - 1], part) else COPY
    return ""
