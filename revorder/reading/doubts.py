"""Doubts: why an equation that seems wrong may be right, read otherwise or in the light of what stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from revorder.arithmetic.expression import CURRENCY
from revorder.reading.equations import Equation
from revorder.reading.numbers import DATE, read_stored
from revorder.reading.sides import RIGHT, judge_sides
from revorder.reading.surroundings import CLAUSE_END, REACH, SENTENCE_END, around, since

FRACTION_BELOW = "a fraction may stand behind the division"
HEADED = 120  # characters before it that may say of what arithmetic it is
BESIDE = 40  # characters before it that may make it another equation
_FRACTION_BELOW = re.compile(r"/ *([0-9.,]+ */ *[0-9.,]+)")  # 28 / 1/5: (28/1)/5, or 28/(1/5)?
_LEADING_ZERO = re.compile(r"(?<![0-9.,])0[0-9]")  # of a time or a label
_PARTS = re.compile(r"\s+(?:thirds|(?:four|fif|six|seven|eigh|nin|ten|twelf|hundred)ths|tens?|hundreds?)\b(?!-)")
_CENTS = re.compile(r"\s*(?:cents?\b|¢|pence\b)")
_UNIT = re.compile(
    r"\s*(?:dollars?|pounds?|euros?|(?P<hours>hours?|hrs?)|min(?:ute)?s?|sec(?:ond)?s?|days?|weeks?|months?|years?|yrs?|feet|foot"
    r"|ft|inch(?:es)?|yards?|miles?|[ckm]?m|m?l|mg|gallons?|degrees?|(?:centi|kilo)?met(?:er|re)s?|k?g|(?:kilo)?grams?|lit(?:er|re)s?|dozens?"
    r"|ounces?|oz|lbs?|[KMGT]B|[Lhs])\b(?:,? (?:and )?(?P<more>[0-9]{1,9}))?"
)
_CONVERSIONS = {
    Fraction(n)
    for n in (7, 12, 16, 24, 30, 36, 52, 60, 100, 168, 360, 365, 1000, 1024, 1440, 1760, 3600, 5280, 86400, 2**20)
}
_RANGE = re.compile(r"([0-9]+(?:\.[0-9]+)?)-([0-9]+(?:\.[0-9]+)?)")
_DAYS = re.compile(r"\s*(?:days?|weeks?|months?|years?)\b")
_MULTIPLIED = re.compile(r"[ \0]*(\([-+*/0-9.() \0]{1,80}\))")  # = 2 (10)
_VARIABLE = re.compile(r"[ \0]+[A-Za-z]\$")  # $18 + 2 = 5 b$
_BELOW = re.compile(r"[ \t]+(?:(?:degrees )?below zero|over budget|short)\b")
_JOINED = re.compile(r"((?:-|\(|[0-9])[0-9.+*/() \0-]{0,80})\n[ \t>&]*\Z")
_CARRIED = re.compile(r"[\s,;(]*(?:and )?(?:carry|carries|carried|borrow(?:s|ed|ing)?)\b", re.IGNORECASE)
_BULLET = re.compile(r"(?:\A|\n)[ \t>]*- +\Z")
_CONTINUED = re.compile(r"(?:\A|\n)(?![ \t>]*[-+*] )[^\n]*[0-9)][ \t]*\n[ \t>]*[-+*] +\Z")  # 12\n+ 30 = 42
_ITEM = re.compile(r"[0-9]{1,3} *- *(?=[0-9.(])")  # Step 1 - 5 + 3 = 8
_NAMED = re.compile(r"(?:\A|\n|[A-Za-z]\.?)[ \t*#]*\Z")
_OPERAND_BEFORE = re.compile(  # 5 more than
    r"([0-9][0-9,]*(?:\.[0-9]+)?)[^=.!?:;\n0-9]*"
    r"\b(?:than|from|to|by|of|over|less|plus|minus|times|add(?:ed)?|subtract(?:ed)?) +\Z",
    re.IGNORECASE,
)
# words and letters that an operation or a function may begin or end with
_PART_OF_IT = re.compile(
    r"\b(?:plus|minus|times|twice|thrice|squared?|root|floor|ceiling|averages?|mean|median|negative|sec|log\S*"
    r"|(?:divided|multiplied|increased|decreased|reduced) by|absolute value of|(?:mean|average|median|floor|ceiling) of"
    r"|(?:half|thirds?|quarters?|[a-z]+ths?) of)[ (]*\Z|[\u0370-\u03ff\u2070-\u209f¹²³хХ] ?\Z",
    re.IGNORECASE,
)
# what says that an equation is denied, supposed or asked: before it in its clause, behind it also in the next sentence
_UNTRUE = r"(?:wrong(?:ly)?|incorrect(?:ly)?|false|untrue|impossible)\b"
_DOUBTED = re.compile(
    rf"\b(?:{_UNTRUE}|mistake|suppose|assum(?:e|ing)|claim(?:s|ed)?|might (?:think|say|write)|can(?:'t|not) make +\Z"
    r"|(?:do|can|could|should|must)(?:n?'t|not| not) (?:say|write|be))|<(?:del|s|strike)>"
    # an operation of its own: if a * b = a + 4b
    r"|\b(?:if|define\w*|let|operation)\b[^.=\n]{0,40}\b[A-Za-z] ?[*@#] ?[A-Za-z] ?= ?[0-9]{0,3}[A-Za-z(]",
    re.IGNORECASE,
)
_DOUBTED_BEHIND = re.compile(
    r"(?:\A|[,#(|.]|\b(?:is|are|was|be)|'s)(?: (?:an?|the|not|but|that|this|is|clearly|completely))*"
    rf"[ \t|]*(?:{_UNTRUE}|contradiction\b|not (?:a )?(?:true|right|correct))(?! [a-z]*(?:answer|guess|turn|number)s)",
    re.IGNORECASE,
)
_BASES = r"base[- ](?!10\b|ten\b)[0-9a-z]|binary|octal|hexadecimal|boolean|xor\b|modulo\b"
_OTHER_ARITHMETIC = re.compile(rf"\b(?:{_BASES}|base[- ](?!10\b|ten\b)|mod(?:ulus)?\b|clock\b)", re.IGNORECASE)
_HEADED = re.compile(rf"\b(?:{_BASES})", re.IGNORECASE)
_ROUNDED_OFF = re.compile(
    r"\b(?:(?:integer|floor) division|truncat|rounds? down|in (?:C|C\+\+|Java|Python ?2)\b)|\((?:floor|ceil)",
    re.IGNORECASE,
)
_ONE_DIGIT = re.compile(r"\b(?:last|units?|ones) digit", re.IGNORECASE)
_ASKS = re.compile(r"\W*(?:is|are|was|does|did|do|can|could|would|will|should)\b", re.IGNORECASE)
_SCORE = re.compile(r" *([0-9]{1,9})/([0-9]{1,9}) *")  # 15/20
_COMMA = re.compile(r"([0-9]{1,3}),[0-9]{3}(?![0-9])")
_DECIMAL_COMMA = re.compile(r",(?!000)")
_POINT = re.compile(r"(?<![0-9.,])([1-9][0-9]{0,2})\.([0-9]{3})(?![0-9.,])")


def doubt_of(equation: Equation, sides: tuple[str, ...], plain: str, expected: str) -> str:
    """Return why an equation that seems wrong may be right, read otherwise; empty if nothing speaks for that."""
    for other, why in other_readings(equation, sides, plain):
        if judge_sides(other, "%" in sides[-1]).verdict == RIGHT:
            return why
    before = plain[max(0, equation.start - BESIDE) : equation.start]
    glued = equation.first.startswith("(") and before.rstrip(" ")[-1:].isalpha()
    if glued or _PART_OF_IT.search(before) or _CONTINUED.search(plain, max(0, equation.start - REACH), equation.start):
        return "what stands before it may belong to it"
    start, end = equation.start, equation.end
    sentence = around(SENTENCE_END, plain, start, end)
    if _OTHER_ARITHMETIC.search(sentence) or _HEADED.search(plain, max(0, start - HEADED), start):
        return "it may be of another arithmetic"
    if _VARIABLE.match(plain, end):
        return "what stands behind it may multiply it"
    exact, stated = read_stored(expected), read_stored(sides[-1])
    if exact and stated:
        off = exact.value - stated.value
        if _ROUNDED_OFF.search(sentence) and abs(off) < 1 and stated.value.denominator == 1:
            return "it may be rounded down"
        if (_ONE_DIGIT.search(sentence) or _CARRIED.match(plain, end)) and 0 <= stated.value < 10 and off % 10 == 0:
            return "its last side may be one digit of the result"
        if _BELOW.match(plain, end) and exact.value == -stated.value:
            return "its last side may be less than nothing"
    stops = list(islice(SENTENCE_END.finditer(plain, end, end + REACH), 2))  # of its sentence and the next one
    asked = stops and stops[0][0] == "?" and _ASKS.match(sentence)
    behind = plain[end : stops[1].start() if len(stops) > 1 else end + REACH]
    if asked or _DOUBTED.search(plain, since(CLAUSE_END, plain, start), start) or _DOUBTED_BEHIND.search(behind):
        return "it may be denied, supposed or asked"
    if any(map(_LEADING_ZERO.search, sides)):
        return "a number with leading zeros may be a time or a label"
    if _PARTS.match(plain, end):
        return "its last side may be in parts or in tens"
    if _CENTS.match(plain, end) and ("." in sides[0] or any(sign in "".join(sides) for sign in CURRENCY)):
        return "its sides have other units"
    unit = _UNIT.match(plain, end)
    other_sign = any(sign in sides[-1] and sign not in equation.first for sign in CURRENCY)
    if other_sign and any(sign in equation.first for sign in CURRENCY):
        return "its sides are in different currencies"
    if (unit or other_sign) and stated and exact:
        ratios = {exact.value / stated.value, stated.value / exact.value} if exact.value and stated.value else set()
        if ratios & (_CONVERSIONS if unit else {Fraction(100)}):
            return "its sides may have other units"
        if more := Fraction(unit["more"]) if unit and unit["more"] else None:
            parts = exact.value - stated.value
            if any(exact.value == stated.value * n + more or parts * n == more for n in _CONVERSIONS):
                return "it states two units"
    days = _DAYS.match(plain, end)
    if span := _RANGE.fullmatch(sides[0].strip("() ")):
        first, last = Fraction(span[1]), Fraction(span[2])
        said = sides[-1].strip()
        named = before.rstrip()[-1:].isalpha()
        if first < last and (named or not (said.startswith("-") or said == str(last - first))):
            return "its first side may be a range"
        hours = unit and unit["hours"] and said == str((last - first) % 12)
        if hours or (days and said == str(last - first)):
            return "its first side may be a span of time"
    if days and any(map(DATE.search, sides)):
        return "a date may be in it"
    return ""


def other_readings(equation: Equation, sides: tuple[str, ...], plain: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the sides of an equation as they may be meant too, each with a word on what is read otherwise."""
    first, *others = sides
    before = plain[max(0, equation.start - BESIDE) : equation.start]
    if _BULLET.search(before):
        yield (f"-{first.strip()}", *others), "a bullet may be a minus"
    if any(map(_FRACTION_BELOW.search, sides)):
        yield tuple(_FRACTION_BELOW.sub(r"/(\1)", side) for side in sides), FRACTION_BELOW
    if (found := _OPERAND_BEFORE.search(before)) and (number := found[1].replace(",", "")):
        for op in "+-*/":
            for whole in (f"{number}{op}({first})", f"({first}){op}{number}"):
                yield (whole, *others), "a number before it may belong to it"
    if (item := _ITEM.match(first)) and _NAMED.search(before):
        yield (first[item.end() :], *others), "its first number may be a label"
    for i, side in enumerate(others):
        if comma := _COMMA.match(side.strip()):
            yield (first, *others[:i], comma[1]), "a comma may end a number"
    if any(map(_DECIMAL_COMMA.search, sides)):
        yield tuple(_DECIMAL_COMMA.sub(".", side) for side in sides), "a comma may be a decimal point"
    if multiplied := _MULTIPLIED.match(plain, equation.end):
        yield (*sides[:-1], sides[-1] + "*" + multiplied[1].replace("\0", "")), "what stands behind it may multiply it"
    if (joined := _JOINED.search(plain, max(0, equation.start - HEADED), equation.start)) and (
        (line := joined[1].replace("\0", "").strip())[-1] in "+-*/" or first[0] in "+-"
    ):
        yield (line + first, *others), "the line above may belong to it"
    if "/" not in first and (score := _SCORE.fullmatch(sides[-1])) and int(score[2]) >= 10:
        yield (*sides[:-1], score[1]), "its last side may be a score"
    if any("%" in side for side in sides):
        yield tuple(side.replace("%", "") for side in sides), "a percent may be a unit"
    if any(map(_POINT.search, sides)):
        yield tuple(_POINT.sub(r"\1\2", side) for side in sides), "points may separate thousands"
    if "$" in first and others[-1].strip().startswith("(") and others[-1].strip().endswith(")"):
        yield (first, *others[:-1], f"-{others[-1].strip()}"), "brackets may mean a minus"
