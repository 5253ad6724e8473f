"""Audit: the stored answers of arithmetic questions, each compared with the exact one.

Questions that ask for more than arithmetic are left alone. An answer is right if it is exact, or rounded as the
question says, or to the decimals that it states.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

from revorder.arithmetic import causes
from revorder.arithmetic.causes import left_to_right
from revorder.arithmetic.expression import Expression
from revorder.arithmetic.numbers import Agreement, Number, agreement, places_needed
from revorder.arithmetic.problem import answer_text
from revorder.errors import ProblemError, quote, shorten
from revorder.reading.answers import read_answer
from revorder.reading.numbers import number_text, read_fraction, read_stored
from revorder.reading.questions import Asked, read_question
from revorder.reading.sides import RIGHT, UNREAD, WRONG

LEFT_ALONE = "not arithmetic"
OUTCOMES = (WRONG, RIGHT, UNREAD, LEFT_ALONE)

# Further causes, of answers to questions
ROUNDED_DOWN = "each division rounded down"
LAST_DIGITS = "wrong in its last digits alone, as where steps are rounded"
NOT_LOWEST = "not in lowest terms"
BY_ZERO = "a division by zero has no answer"

MAX_PLACES = 50  # of a decimal that is shown; a value that needs more is shown as a fraction


class Finding(NamedTuple):
    """The outcome of one answer: one of OUTCOMES, the expression, the exact answer, the stated one, and the cause.

    The cause of a wrong answer is its likely error, that of an unread answer why it can't be read.
    """

    outcome: str
    asked: str = ""
    expected: str = ""
    found: str = ""
    cause: str = ""


def check_answer(question: str, answer: str) -> Finding:
    """Compare a stored answer with the exact one.

    >>> check_answer("Calculate 50 + 83 * 6 + 9.", "807")[2:]
    ('557', '807', 'precedence')
    >>> check_answer("What is 10 / 3? Round to 2 decimal places.", "3.33").outcome
    'right'
    """
    asked = read_question(question)
    return Finding(LEFT_ALONE) if asked is None else check_asked(asked, answer)


def check_asked(asked: Asked, answer: str) -> Finding:
    """Compare a stored answer with that of a question that has been read.

    >>> check_asked(read_question("48+24"), "62").cause
    'carry'
    """
    expression, stated = asked.expression, read_answer(answer)
    if asked.name and read_stored(answer) is None and not isinstance(stated, str):
        return Finding(LEFT_ALONE)  # 24/7 in `24 hours, 7 days a week`
    try:
        value = expression.fraction()
        in_lowest = str(value) if asked.lowest else number_text(value, MAX_PLACES)
        exact = expression.answer if isinstance(stated, str) and expression.is_whole else in_lowest
    except ProblemError as error:
        if "by zero" not in str(error):
            return Finding(UNREAD, str(expression), cause=str(error))
        return Finding(LEFT_ALONE) if stated is None else Finding(WRONG, str(expression), "none", answer, BY_ZERO)
    if stated is None:
        return Finding(UNREAD, str(expression), cause=f"answer {quote(answer)}: it states no number that can be read")
    if asked.lowest and (fraction := read_fraction(answer)) and gcd(*fraction) > 1 and Fraction(*fraction) == value:
        return Finding(WRONG, str(expression), exact, answer, NOT_LOWEST)
    if stated in (exact, rounded_down(expression)) if isinstance(stated, str) else agrees(asked, value, stated):
        return Finding(RIGHT)
    if "%" in expression.source + answer or by_a_fraction(expression) == stated:  # 50-10% may mean 45
        return Finding(LEFT_ALONE)
    if isinstance(stated, str):
        return Finding(WRONG, str(expression), exact, stated, causes.UNKNOWN)
    found = number_text(stated.value, MAX_PLACES)
    return Finding(WRONG, str(expression), exact, found, find_cause(asked, value, stated))


def by_a_fraction(expression: Expression) -> Number | None:
    """Return the value of an expression whose last division may be by a fraction, read that way; None for others.

    >>> str(by_a_fraction(Expression.parse("8 / 1/2"))), by_a_fraction(Expression.parse("8/4/2"))
    ('16', None)
    """
    other, found = re.subn(r"(?:÷ ?|/ )([0-9.]+/[0-9.]+)\Z", r"/(\1)", expression.source)
    with suppress(ProblemError):
        return Number(Expression.parse(other).fraction(), 0) if found else None
    return None


def rounded_down(expression: Expression) -> str | None:
    """Return the answer of one division of integers with the quotient rounded down, as many languages have it.

    >>> rounded_down(Expression.parse("-7/2"))
    '-4R1'
    """
    match expression.signed():
        case [Number(a, 0), Number(b, 0), "/"] if b:
            return answer_text(int(a // b), int(a % b))
    return None


def agrees(asked: Asked, value: Fraction, stated: Number) -> bool:
    """Whether a stated number is the value, exactly or rounded as the question allows.

    >>> asked = read_question("10 / 3")
    >>> [agrees(asked, Fraction(10, 3), read_answer(text)) for text in ("3.33", "3.34", "3")]
    [True, False, False]
    """
    how, places = agreement(value, stated), asked.places
    if asked.significant is not None:
        places = asked.significant - 1 - magnitude(value)
    if how is Agreement.EXACT:
        return True
    if places is not None:  # more decimals than asked for do no harm
        scale = Fraction(10) ** (max(places, stated.places) if stated.places else places)
        rounded = agreement(value * scale, Number(stated.value * scale, 0)) in (Agreement.EXACT, Agreement.ROUNDED)
        return rounded and (stated.value * scale).denominator == 1
    if how is Agreement.TRUNCATED and places_needed(value) is not None:
        return False  # cut before its end
    return (bool(stated.places) and how is not Agreement.WRONG) or (asked.rounding and how is Agreement.ROUNDED)


def magnitude(value: Fraction) -> int:
    """Return the power of ten of the first digit, 0 for 0.

    >>> magnitude(Fraction(-950)), magnitude(Fraction(1, 30))
    (2, -2)
    """
    if not value:
        return 0
    power = len(str(abs(value.numerator))) - len(str(value.denominator))
    return power if abs(value) >= Fraction(10) ** power else power - 1


def find_cause(asked: Asked, value: Fraction, stated: Number) -> str:
    """Return the likely cause of a wrong answer: one of this file, or of arithmetic.causes.

    >>> asked = read_question("7 / 2 * 3")
    >>> find_cause(asked, Fraction(21, 2), read_answer("9"))
    'each division rounded down'
    """
    found, text = stated.value, str(asked.expression)
    with suppress(ProblemError):
        if found not in (left_to_right(text), value) and Expression.parse(re.sub("/+", "//", text)).fraction() == found:
            return ROUNDED_DOWN
    cause = causes.find_cause(asked.expression, value, stated)
    close = stated.places and abs(found - value) * 10**5 < abs(value)
    rounded = cause == causes.ROUNDING and asked.places is asked.significant is None
    return LAST_DIGITS if close and not rounded and cause != causes.PRECEDENCE else cause


# Records


def audit(
    records: Iterable[tuple[int, Any]], question: str = "question", answer: str = "answer", source: str = "records"
) -> Iterator[tuple[int, Finding]]:
    """Yield (line, finding) for each record of `read_records`; `question` and `answer` name its fields.

    Raises ProblemError, which names `source`, if no record can be read.

    >>> [(line, finding.expected) for line, finding in audit([(1, {"question": "1+1", "answer": 3})])]
    [(1, '2')]
    """
    none_read, unread = True, []
    for line, record in records:
        try:
            asked = read_question(text_of(record, question))
            finding = Finding(LEFT_ALONE) if asked is None else check_asked(asked, text_of(record, answer))
        except ProblemError as error:
            finding = Finding(UNREAD, cause=str(error))
            if none_read:  # then the field or the file may be wrong
                unread.append((line, finding))
                continue
        none_read = False
        yield from unread
        unread.clear()
        yield line, finding
    if none_read:
        why = f"no record can be read; line {unread[0][0]}: {unread[0][1].cause}" if unread else "nothing in it"
        raise ProblemError(f"{source}: {why}; give records with the fields {question!r} and {answer!r}")


def text_of(record: Any, field: str) -> str:
    """Return a field's text, or its number as text; raises ProblemError if it has neither.

    >>> text_of({"answer": 47}, "answer")
    '47'
    """
    if isinstance(record, ProblemError):
        raise record
    if not isinstance(record, dict):
        raise ProblemError(f"not a JSON object; give one with the field {field!r}")
    if field not in record:
        raise ProblemError(f"no field {field!r}; there are: {', '.join(map(str, record))}")
    value = record[field]
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        raise ProblemError(f"field {field!r} is {shorten(repr(value))}; accepted: text or a number")
    return str(value)
