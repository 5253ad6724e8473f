"""Convert a text's equations to reversed results (section 6.1), and undo the conversion byte for byte.

The conversion only inserts. An equation `first=stated` becomes `first=step=...=step=stated`:

    <<48+24=72>>        <<48+24=r|27=72>>
    <<100-50-30-15=5>>  <<100-50-30-15=r|05-30-15=r|02-15=r|5=5>>
    <<80/100*10=8>>     <<80/100*10=0.8*10=r|0.8=8>>
    <<2/3*60=40>>       <<2/3*60=2*60/3=r|021/3=40>>
    <<48/2=24>>         <<48/2=24>>

The steps (see corpora/pair_steps.py) follow from the first field and the stated result. So undoing removes exactly the
text that the conversion would insert. An equation that already has its steps gets them a second time, and loses one
copy when undone.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from revorder.arithmetic.expression import Expression, read_number
from revorder.arithmetic.numbers import Agreement, agreement
from revorder.corpora.pair_steps import Endless, write_steps
from revorder.errors import ProblemError
from revorder.reading.equations import Equation, find_equations, is_prose
from revorder.reading.numbers import NOTATIONS, is_reversed

MAX_LENGTH = 400  # characters of a first field, since steps grow with its square
MAX_OPERATORS = 40
MAX_STEPS = 10_000  # characters of an equation's steps

REWRITTEN = "rewritten"
ALREADY = "rewritten again"
# Reasons to leave an equation unchanged
DIVISION = "one division"  # both notations write it the same way
IDENTITY = "no operator"
WRONG = "wrong"
ROUNDED = "rounded"  # without decimals, or by an exact operation
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


def rewrite(text: str, notation: str = NOTATIONS[0], decompose: bool = False, prose: bool = False) -> str:
    """Rewrite the annotations of a text, and with `prose` also its equations in prose.

    Raises ProblemError for an unknown notation.

    >>> rewrite("He has 48+24 = <<48+24=72>>72.")
    'He has 48+24 = <<48+24=r|27=72>>72.'
    """
    return apply_edits(text, find_edits(text, notation, decompose, prose)[0])


def rewrite_back(text: str) -> str:
    """Return the text that `rewrite` was given, whatever its options were.

    >>> rewrite_back("He has 48+24 = <<48+24=@@27@@=72>>72.")
    'He has 48+24 = <<48+24=72>>72.'
    """
    return apply_edits(text, find_edits_back(text)[0])


def apply_edits(text: str, edits: list[Edit]) -> str:
    """Return the text with edits applied; they must be in order and must not overlap.

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
    text: str, notation: str = NOTATIONS[0], decompose: bool = False, prose: bool = False
) -> tuple[list[Edit], Counter[str]]:
    """Return the insertions that rewrite a text, and the number of equations by outcome."""
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


def find_edits_back(text: str) -> tuple[list[Edit], Counter[str]]:
    """Return the deletions that undo a conversion, and the number of converted equations.

    >>> find_edits_back("<<1+2=r|3=3>>")
    ([Edit(start=6, end=10, by='')], Counter({'rewritten': 1}))
    """
    edits: list[Edit] = []
    for equation in find_equations(text, prose=may_hold_steps(text)):
        if steps := steps_held(equation):
            edits.append(Edit(equation.at, equation.at + len(steps), ""))
    return edits, Counter({REWRITTEN: len(edits)} if edits else {})


def may_hold_steps(text: str) -> bool:
    """Whether prose may contain steps: in prose, steps always include a reversed number."""
    return any(mark in text for mark in NOTATIONS)


def steps_held(equation: Equation) -> str:
    """Return the steps that an equation contains once or more, in either notation, or an empty text.

    >>> from revorder.reading.equations import read_equation
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
    """Return the outcome of an equation, and its steps as text, each followed by the equation's own `=`.

    >>> from revorder.reading.equations import read_equation
    >>> find_steps(read_equation("16*1/2 = 8"), "r|", False)
    ('rewritten', 'r|61/2 = ')
    """
    if equation.steps:
        return CHAIN, ""
    outcome, steps = solve_in_pairs(equation.first, equation.stated, notation, decompose and not equation.prose)
    text = "".join([step + equation.equals for step in steps])
    if text and equation.prose and notation not in text:
        return DIVISION, ""
    if text and equation.prose and not is_prose(equation.first + equation.equals + text + equation.stated):
        return LONG, ""  # the reader would not find it again
    return outcome, text


@lru_cache(maxsize=4096)
def solve_in_pairs(first: str, stated: str, notation: str, decompose: bool) -> tuple[str, tuple[str, ...]]:
    """Return the outcome of `first=stated`, and its steps.

    >>> solve_in_pairs("(12+10)/4", "5.5", "@@", False)
    ('rewritten', ('@@22@@/4',))
    >>> solve_in_pairs("7/2", "3", "r|", False), solve_in_pairs("2+2", "5", "r|", False)
    (('rounded', ()), ('wrong', ()))
    """
    if len(first) > MAX_LENGTH or len(stated) > MAX_LENGTH:
        return LONG, ()
    try:
        expression = Expression.parse(first)
        value = expression.fraction()
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
    if len(operators) > MAX_OPERATORS:
        return LONG, ()
    try:
        steps = tuple(write_steps(expression, notation, decompose))
    except Endless:
        return ENDLESS, ()
    if sum(map(len, steps)) > MAX_STEPS:
        return LONG, ()
    if agrees is not Agreement.EXACT and (not result.places or (steps and is_reversed(steps[-1]))):
        return ROUNDED, ()
    return (REWRITTEN if steps else DIVISION), steps
