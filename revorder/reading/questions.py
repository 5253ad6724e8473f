"""Questions: the arithmetic expression that a text asks for, in signs or in words, and how to round its value.

A question is arithmetic if it is one expression and words that ask for its value. Any other word may ask for something
else (`the last digit of 3 * 4`), so the question is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.problem import ascii_signs
from revorder.errors import ProblemError, quote
from revorder.reading.numbers import DATE
from revorder.reading.scanner import FRACTION

# Words that ask for a value, and change nothing about it
_ASKING = frozenset(
    re.findall(
        "[a-z']+",
        """a an and answer answers arithmetic as at calculate calculation can compute could decimal determine do does
        equal equals equation evaluate exact exactly expression final find following for form fraction give given
        hello hi how i in is it its know lowest maximum me most much multiplication addition subtraction division
        need number numeric numerical of one only operation out places please problem q question reply respond
        response result return round rounded rounding show simplified simplify single solution solve state task tell
        terms thanks that the this to us value want what what's whats will with work would write you your""",
    )
)
_WORD = re.compile(r"(?<![\w.\\])[A-Za-z]+(?:'[a-z]+)?(?!\w)")

# Numbers in words, to a thousand
_UNITS = {
    word: i
    for i, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * i
    for i, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SMALL = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(list(_UNITS)[1:10])}))?"
    rf"|{'|'.join(sorted(_UNITS, key=len, reverse=True))})"
)
_NUMBER_WORDS = re.compile(
    rf"\b(?:(?P<thousand>(?:an?|one)\s+thousand)|(?P<hundreds>an?|{'|'.join(list(_UNITS)[1:10])})\s+hundred(?:\s+(?:and\s+)?(?P<rest>{_SMALL}))?|(?P<small>{_SMALL}))\b",
    re.IGNORECASE,
)

# Operations in words. A term is a number, or an expression in brackets; a rule replaces words and terms by one term.
_PERCENT = r"(-?[0-9](?:[0-9.,]*[0-9])?) ?(?:%|per ?cent)"
_TERM = (
    r"((?<![0-9.,_])-?[$€£]?[0-9]++(?>(?:[.,_]++[0-9]++)*)(?!\s?(?:%|per ?cent))"
    r"|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))"
)
_WHOLE = r"(?<!\bof )(?<!\band )(?<!\btwice )(?<!\bdouble )(?<!\btriple )"  # added is the whole sum, half or product
_RULES = [
    (re.compile(pattern.replace("TERM", f"(?:the )?{_TERM}").replace("PERCENT", _PERCENT), re.IGNORECASE), by)
    for pattern, by in (
        (r"\b(?:half|one half|a half) (?:of )?TERM", r"(\1/2)"),
        (r"\b(?:a |one )?third of TERM", r"(\1/3)"),
        (r"\b(?:a |one )?quarter of TERM", r"(\1/4)"),
        (r"\b(?:twice|double) TERM", r"(2*\1)"),
        (r"\btriple TERM", r"(3*\1)"),
        (r"PERCENT of TERM", r"(\1%*\2)"),
        (r"PERCENT more than TERM", r"(\2*(1+\1%))"),
        (r"PERCENT less than TERM", r"(\2*(1-\1%))"),
        (r"TERM increased by PERCENT", r"(\1*(1+\2%))"),
        (r"TERM decreased by PERCENT", r"(\1*(1-\2%))"),
        (r"\b(?:sum|total) of TERM,? and TERM", r"(\1+\2)"),
        (r"\bproduct of TERM,? and TERM", r"(\1*\2)"),
        (r"\bquotient of TERM,? (?:and|by) TERM", r"(\1/\2)"),
        (rf"{_WHOLE}TERM (?:is )?added to TERM", r"(\2+\1)"),
        (rf"{_WHOLE}TERM (?:is )?subtracted from TERM", r"(\2-\1)"),
        (r"TERM less than TERM", r"(\2-\1)"),
        (r"TERM more than TERM", r"(\2+\1)"),
        (r"TERM increased by TERM", r"(\1+\2)"),
        (r"TERM decreased by TERM", r"(\1-\2)"),
        (r"TERM over TERM", r"(\1/\2)"),
        (r"\badd TERM (?:and|to) TERM", r"(\1+\2)"),
        (r"\bsubtract TERM from TERM", r"(\2-\1)"),
        (r"\bmultiply TERM (?:and|by|with) TERM", r"(\1*\2)"),
        (r"\bdivide TERM by TERM", r"(\1/\2)"),
    )
]
_DIFFERENCE = re.compile(rf"\bdifference (?:between|of) {_TERM},? and {_TERM}", re.IGNORECASE)
_SIGNS = {"plus": "+", "minus": "-", "times": "*", "multiplied": "*", "cdot": "*", "divided": "/", "div": "/"}
_OPERATION = re.compile(rf"\\?\b({'|'.join(_SIGNS)})\b(?: by\b)?", re.IGNORECASE)
# 8 ÷ 1/2: 8/(1/2), or from left to right? And 200 minus 15%: of 200, or 0.15?
_FRACTION_BEHIND = re.compile(
    r"(?:÷|\\div\b|\bdivided by\b)\s*[0-9.,]+\s*/\s*[0-9]|\s/\s+[0-9.,]+/[0-9]", re.IGNORECASE
)
_PERCENT_BEHIND = re.compile(rf"\b(?:plus|minus|less|add|added to|subtract)\s+{_PERCENT}(?! of\b)", re.IGNORECASE)
_TERM_WORD = frozenset(("a", "i", "one", "q", "it"))  # a variable, or a number, beside a sign
_MODULO = re.compile(r"\b[0-9]+ ?(?:mod|modulo)\b|\b[0-9]+\s+%\s*[-+(]?[0-9]", re.IGNORECASE)

MAX_READINGS = 64  # texts that the rules make of one question

# How to round
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_NEAREST = {
    "tenth": 1,
    "hundredth": 2,
    "cent": 2,
    "thousandth": 3,
    "integer": 0,
    "whole number": 0,
    "ten": -1,
    "hundred": -2,
}
_PRECISION = re.compile(
    rf"\b(?P<count>[0-9]{{1,3}}|{'|'.join(_COUNTS)}) (?:(?P<significant>sig(?:nificant|\.)?) (?:digit|fig(?:ure)?)s?"
    r"|decimals?(?: (?:place|digit)s?)?|digits? after the (?:decimal )?point)\b"
    rf"|\bnearest (?P<nearest>{'|'.join(_NEAREST)})\b",
    re.IGNORECASE,
)
_ROUNDING = re.compile(r"\bround", re.IGNORECASE)
_AS_DECIMAL = re.compile(r"\bas an? (?:exact )?decimal\b(?! place)", re.IGNORECASE)
_NO_CHANGE = re.compile(
    r"\bquotient and (?:the )?remainder\b|\brounding (?:up from the half|half up)\b"
    r"|\b(?:such as|for example|e\.g\.),? \S+",
    re.IGNORECASE,
)
_LOWEST = re.compile(r"\b(?:simpl|lowest\b)", re.IGNORECASE)

_OF_THE_TEXT = re.compile(  # about the expression, not its value
    r"\bnumber of\b|\b(?:number|places|terms|digits) in\s+[-(0-9]"
    r"|\b(?:write|give|make|create)\b[^.?!\n]{0,40}\b(?:equation|expression|problem) for\s+[-(0-9]"
    r"|[0-9)]\s+an?\s+(?:equation|expression|problem)\b",
    re.IGNORECASE,
)
_APART = re.compile(r"[;\n]|(?:[.,:?]|(?<=[A-Za-z;])!)(?=[\s;]|\Z)")  # no expression has them
_BOLD = re.compile(r"(?<![\w)])\*\*(?=\S)([^*]+(?:\*[^*]+)*)(?<=\S)\*\*(?![\w(])")
_NUMBERED = re.compile(r"\b(?:problem|question|q) ?[0-9]", re.IGNORECASE)  # `Question 5 - 3 + 4` asks for 7
_AROUND = " \t`\"'_"  # markup; so is a $ behind, but not before: it may be a currency


class Asked(NamedTuple):
    """What a question asks: an expression, and how its value is to be rounded, if at all.

    `places`: to this many decimals, negative for tens and hundreds; `significant`: to this many digits; `rounding`: it
    says that the value is rounded; `decimal`: it is to be a decimal; `lowest`: a fraction is to be in lowest terms;
    `name`: the expression may be a name or a date (`24/7`, `7-11`).
    """

    expression: Expression
    places: int | None = None
    significant: int | None = None
    rounding: bool = False
    decimal: bool = False
    lowest: bool = False
    name: bool = False


def read_expression(text: str) -> Expression:
    """Read an expression in signs or in words.

    Raises ProblemError as Expression.parse does, and if a question asks for a rounded value or lowest terms.

    >>> str(read_expression("half of 10")), str(read_expression("12 x 7"))
    ('10/2', '12*7')
    """
    if _FRACTION_BEHIND.search(text):
        raise ProblemError(f"problem {quote(text)}: a fraction behind a division has two meanings; put it in brackets")
    try:
        return Expression.parse(text)
    except ProblemError:
        asked = read_question(text) if re.search(r"[A-Za-z]|\.\s*\Z", text) else None
        if asked is None:
            if len(readings(unmarked(text))) > 1:
                what = "has more than one value, by the order of its words; write it with signs and brackets"
                raise ProblemError(f"problem {quote(text)} {what}") from None
            raise
        alone = quote(str(asked.expression))
        if asked.rounding or asked.decimal:
            what = "a rounded value" if asked.rounding else "a decimal"
            raise ProblemError(f"problem {quote(text)} asks for {what}; give {alone} alone, and --decimals") from None
        if asked.lowest and asked.expression.fraction().denominator > 1:
            raise ProblemError(f"problem {quote(text)} asks for lowest terms; give {alone} alone") from None
        return Expression(asked.expression.postfix, text.strip())


def read_question(text: str) -> Asked | None:
    """Return what a question asks; None if it is not arithmetic, or may ask for something more.

    >>> str(read_question("What is 12 times (3 + 4)? Give only the result.").expression)
    '12*(3+4)'
    >>> str(read_question("What is fifteen more than a quarter of 48?").expression)
    '48/4+15'
    >>> read_question("What is the last digit of 12 * 3?") is read_question("Solve 3x + 4 = 10.") is None
    True
    """
    if _NUMBERED.search(text) or DATE.search(text) or _MODULO.search(text):
        return None
    if _FRACTION_BEHIND.search(text) or _PERCENT_BEHIND.search(text) or _OF_THE_TEXT.search(text):
        return None
    rest = unmarked(text)
    found = [alone] if (alone := written(rest)) else readings(rest)
    if len(found) != 1:
        return None
    expression = found[0]
    precision = _PRECISION.search(rest)
    asked = Asked(
        expression,
        rounding=bool(precision or _ROUNDING.search(text)),
        decimal=bool(_AS_DECIMAL.search(text)),
        lowest=bool(_LOWEST.search(text)),
        name=bool(re.search(r"(?<![\w.])[0-9]+[-/][0-9]+(?![\w-])", text)) and len(expression.operators) == 1,
    )
    if precision is None:
        return asked
    if nearest := precision["nearest"]:
        return asked._replace(places=_NEAREST[nearest.lower()])
    count = _COUNTS.get(precision["count"].lower()) or int(precision["count"])
    return asked._replace(significant=count) if precision["significant"] else asked._replace(places=count)


def unmarked(text: str) -> str:
    """Return a question without bold and LaTeX fractions, its signs as ASCII."""
    return ascii_signs(FRACTION.sub(r"((\1\2)/(\3\4))", _BOLD.sub(r"\1", text))).replace("’", "'")


def written(text: str) -> Expression | None:
    """Return the expression of a text whose operations are signs, or words that stand for one sign each."""
    rest = _OPERATION.sub(lambda match: _SIGNS[match[1].lower()], text)
    return only_expression(rest)


def readings(text: str) -> list[Expression]:
    """Return the expressions of a text with operations or numbers in words, one for each value that it may have.

    >>> [str(found) for found in readings("half of 10")], readings("half of 10 + 3")
    (['10/2'], [])
    >>> [str(found) for found in readings("half of 10 increased by 3")]
    ['10/2+3', '(10+3)/2']
    """
    rest = _NUMBER_WORDS.sub(number_of_words, _PRECISION.sub(";", text))
    if (signs := written(rest)) is not None:
        return [signs]
    reached = [rest]  # by the rules, in every order
    for before in reached:
        found = [applied(match, by) for pattern, by in _RULES for match in matches(pattern, before)]
        found += [applied(match, difference_between(match)) for match in matches(_DIFFERENCE, before)]
        reached += [text for text in dict.fromkeys(found) if text not in reached]
        if len(reached) > MAX_READINGS:
            return []
    ends = [expression for rest in reached if (expression := only_expression(rest, bracketed=True))]
    return [*{value_of(expression): expression for expression in reversed(ends)}.values()][::-1]


def value_of(expression: Expression) -> Fraction | None:
    """Return an expression's value, None if it divides by zero."""
    try:
        return expression.fraction()
    except ProblemError:
        return None


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield every match of a pattern, also those that overlap."""
    match = pattern.search(text)
    while match:
        yield match
        match = pattern.search(text, match.start() + 1)


def applied(match: re.Match[str], by: str) -> str:
    """Return a text with a match replaced."""
    return match.string[: match.start()] + match.expand(by) + match.string[match.end() :]


def only_expression(text: str, bracketed: bool = False) -> Expression | None:
    """Return the expression that a text is beside words that ask for its value; None if there is more, or none.

    `bracketed`: it must be one term in brackets.
    """
    rest = _PRECISION.sub(";", _NO_CHANGE.sub(";", text))
    rest = _WORD.sub(lambda match: ";" if only_asks(match) else match[0], rest)
    parts = (part.rstrip(_AROUND + "$").lstrip(_AROUND) for part in _APART.split(rest))
    pieces = [part for part in parts if part not in ("", "=")]
    if len(pieces) != 1 or re.match(r"[-+]\s", pieces[0]):  # or a dash
        return None
    if bracketed and not (pieces[0].startswith("(") and re.fullmatch(_TERM, pieces[0])):
        return None
    try:
        expression = Expression.parse(pieces[0])
    except ProblemError:
        return None
    return expression if expression.operators else None


def only_asks(match: re.Match[str]) -> bool:
    """Whether a word only asks for a value; in `a+3` the `a` is a term of the expression."""
    word, text = match[0].lower(), match.string
    behind = text[match.end() : match.end() + 8]
    if word not in _ASKING or behind[:1] in tuple("+-*/^") or re.search(r"[-+*/^]\s*\Z", text[: match.start()][-8:]):
        return False
    return word not in _TERM_WORD or not re.match(r"\s+[-+*/^]", behind)


def number_of_words(match: re.Match[str]) -> str:
    """Return a number in words as digits.

    >>> number_of_words(_NUMBER_WORDS.search("two hundred and forty-one"))
    '241'
    """

    def small(words: str) -> int:
        return sum((_UNITS | _TENS)[word] for word in re.split(r"[-\s]+", words.lower()))

    if match["thousand"]:
        return "1000"
    if hundreds := match["hundreds"]:
        return str(100 * (_UNITS.get(hundreds.lower()) or 1) + (small(match["rest"]) if match["rest"] else 0))
    return str(small(match["small"]))


def difference_between(match: re.Match[str]) -> str:
    """Return the difference between two numbers, the larger first; anything else stays."""
    try:
        a, b = (Expression.parse(term).fraction() for term in match.groups())
    except ProblemError:
        return match[0]
    return f"({match[1]}-{match[2]})" if a >= b else match[0]
