"""Checking: whether an equation that a text states is right, and if not, at which side, what is expected, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from revorder.arithmetic.causes import ROUNDING, UNKNOWN, find_cause
from revorder.arithmetic.expression import CURRENCY, Expression
from revorder.arithmetic.numbers import Agreement, Number, agreement, places_needed
from revorder.errors import ProblemError
from revorder.reading.equations import Equation, read_equations, same_length
from revorder.reading.numbers import number_text, read_reversed, read_stored

RIGHT, WRONG, UNREAD = "right", "wrong", "unread"
REMAINDER = "remainder"  # 17/5 = 3 R 3
FRACTION_BELOW = "a fraction may stand behind the division"
ROUNDED_SOMEHOW = "rounded, and how is not said"
CHAIN = "run-on chain"  # 3+4=7*2=14: what follows the second sign is not 3+4
MAX_LENGTH = 2000  # characters of an equation
NEAR = 2000  # characters of its line, before and behind it, that may say that it is rounded
BESIDE = 40  # characters before it that may make it another equation

_ROUNDED = r"round(?:ed\b|ing\b|s?\s+(?:up|down|off|it|to)\b)"  # a round trip rounds nothing
_NEAREST = r"to the nearest|nearest (?:whole|integer|tens?|hundreds?|thousands?|cent|dollar|tenth|hundredth)\b"
STATES_ROUNDING = re.compile(rf"≈|~|\b(?:{_ROUNDED}|about\b|approx|nearest|roughly|almost)", re.IGNORECASE)
_STATES_REST = re.compile(r"\b(?:remainder|left ?over)", re.IGNORECASE)
_SAYS_REST = re.compile(r"\b(?:rest|r\.|leav(?:ing|es)|remain(?:ing|s)|spare|extra|over)(?!\w)", re.IGNORECASE)
_DIGITS = r"(?:[0-9]{1,15}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})"
_SIMPLE = re.compile(rf"({_DIGITS}(?:(?:[-+*]{_DIGITS}){{1,8}}|/{_DIGITS}))=({_DIGITS})")  # the most of them
_REST = r"(-?[0-9]{1,400}(?:\.[0-9]{1,400})?)"
_REMAINDER = re.compile(
    rf"[\s,]*\(?(?:[a-z]+,? ){{0,5}}?"
    rf"(?:(?:[Rr][ :]*|(?:rem\.?|remainder(?: of| is)?|rest|余)[ :=]*){_REST}(?![\w.]*\w)"
    rf"|{_REST} (?:[a-z]+ )?(?:left(?: ?over)?|remain(?:ing)?)\b)"
    rf"|[\s,]*\(?(?:leaving|remaining|\.{{3}}|…+) *{_REST}(?![\w.]*\w| *[-+*/=])"
)
_FRACTION_BELOW = re.compile(r"/ *([0-9.,]+ */ *[0-9.,]+)")  # 28 / 1/5: (28/1)/5, or 28/(1/5)?
_BY_FRACTION = re.compile(r"(?:÷|\\div(?![A-Za-z])) *[0-9.,]+ */")
_LEADING_ZERO = re.compile(r"(?<![0-9.,])0[0-9]")  # of a time or a label
_PARTS = re.compile(r"\s+(?:thirds|(?:four|fif|six|seven|eigh|nin|ten|twelf|hundred)ths|tens|hundreds)\b")
_CENTS = re.compile(r"\s*(?:cents?\b|¢|pence\b)")
_UNIT = re.compile(
    r"\s*(?:dollars?|pounds?|euros?|(?P<hours>hours?|hrs?)|min(?:ute)?s?|sec(?:ond)?s?|days?|weeks?|months?|years?|feet|foot"
    r"|ft|inch(?:es)?|yards?|miles?|[ckm]?m|m?l|mg|gallons?|degrees?|(?:centi|kilo)?met(?:er|re)s?|k?g|(?:kilo)?grams?|lit(?:er|re)s?|dozens?"
    r"|ounces?|oz|lbs?|[KMGT]B)\b(?:,? (?:and )?(?P<more>[0-9]{1,9}))?"
)
_CONVERSIONS = {
    Fraction(n)
    for n in (7, 12, 16, 24, 30, 36, 52, 60, 100, 168, 360, 365, 1000, 1024, 1440, 1760, 3600, 5280, 86400, 2**20)
}
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_CELL = re.compile(r" *[0-9]+ *[-/xX] *[0-9]+ *")  # a date, a range, a fraction, or a size
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
    rf"\b(?:{_UNTRUE}|mistake|suppose|assum(?:e|ing)|claim(?:s|ed)?"
    r"|(?:do|can|could|should|must)(?:n?'t|not| not) (?:say|write|be))|<(?:del|s|strike)>",
    re.IGNORECASE,
)
_DOUBTED_BEHIND = re.compile(
    r"(?:\A|[,#(|.]|\b(?:is|are|was|be)|'s)(?: (?:an?|the|not|but|that|this|is|clearly|completely))*"
    rf"[ \t|]*(?:{_UNTRUE}|not (?:a )?(?:true|right|correct))(?! [a-z]*(?:answer|guess|turn|number)s)",
    re.IGNORECASE,
)
_OTHER_ARITHMETIC = re.compile(
    r"\b(?:base[- ](?!10\b|ten\b)|binary|octal|hexadecimal|mod(?:ulo|ulus)?\b|clock\b)", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?](?!\S)|\n")
_ASKS = re.compile(r"\W*(?:is|are|was|does|did|do|can|could|would|will|should)\b", re.IGNORECASE)
_PERCENT_OF_IT = re.compile(r"[-+] *[$€£]?[0-9.,]+ ?%")  # 200 + 10%
# what says of an equation that it is rounded: anywhere in its line, or in its clause
_ROUNDS = re.compile(rf"≈|\b(?:{_ROUNDED}|approx|{_NEAREST})", re.IGNORECASE)
_ROUGHLY = re.compile(r"~|\b(?:about|roughly|almost|nearly)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.!?](?!\S)|[:;\n]")
# that says of whole numbers that they are rounded: before the equation, or anywhere in its line
_ABOUT = re.compile(r"(?:≈|~|\b(?:about|approx[a-z]*|roughly|almost))\W{0,3}\Z", re.IGNORECASE)
_TO_TENS = re.compile(rf"\b(?:{_ROUNDED}|{_NEAREST})", re.IGNORECASE)
_COMMA = re.compile(r"([0-9]{1,3}),[0-9]{3}(?![0-9])")
_POINT = re.compile(r"(?<![0-9.,])([1-9][0-9]{0,2})\.([0-9]{3})(?![0-9.,])")
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_BEHIND_ANNOTATION = re.compile(r">>[$€£]?([0-9][0-9,]*(?:\.[0-9]+)?)(?![0-9,.]*[0-9/%]| ?[0-9])")
_CONTINUES = re.compile(r"\.\.+|…")


class Finding(NamedTuple):
    """What is said of one equation of a text.

    `start` and `end` are the place of the equation, `at` and `to` that of the side that is wrong, in characters.
    """

    verdict: str
    equation: str
    start: int
    end: int
    at: int = 0
    to: int = 0
    expected: str = ""
    found: str = ""
    cause: str = ""  # of a wrong one, or why it is unread


class Judged(NamedTuple):
    """The verdict on the sides of an equation: `side` is the index of the wrong one."""

    verdict: str | None
    side: int = 0
    expected: str = ""
    cause: str = ""


def check_text(text: str) -> Iterator[Finding]:
    """Yield a finding on every equation that a text states, in linear time; nothing in a text makes it raise.

    >>> [(found.verdict, found.expected, found.cause) for found in check_text("48+24 = 62, and 2*3 = 6.")]
    [('wrong', '72', 'carry'), ('right', '', '')]
    """
    equations, plain = read_equations(text), same_length(text)
    tables = tables_of([equation for equation in equations if "|" in equation.equals], plain)
    # a right row may be chance if it may be a date or a size
    states = [sum((2, 1)[is_cell(row)] for row in table if is_right(row, text, plain)) > 1 for table in tables]
    rows = {row.start for table, right in zip(tables, states, strict=True) if right for row in table}
    for equation in equations:
        found = check_equation(equation, text, plain, equation.start in rows)
        if found is not None:
            yield found


def tables_of(rows: list[Equation], plain: str) -> list[list[Equation]]:
    """Return rows of tables by table: an empty line ends one."""
    tables: list[list[Equation]] = []
    for i, row in enumerate(rows):
        if not i or _EMPTY_LINE.search(plain, rows[i - 1].end, row.start):
            tables.append([])
        tables[-1].append(row)
    return tables


def is_cell(row: Equation) -> bool:
    """Whether the first side of a row of a table may be no operation."""
    return _CELL.fullmatch(row.first) is not None


def is_right(row: Equation, text: str, plain: str) -> bool:
    """Whether an equation of a text is right."""
    found = check_equation(row, text, plain)
    return found is not None and found.verdict == RIGHT


def check_equation(equation: Equation, text: str, plain: str, in_table: bool = False) -> Finding | None:
    """Return the finding on one equation of a text; None if it has one side, or no operation on its first.

    `plain` is the text as `same_length` writes it; `in_table`: another row of its table is a right equation.
    """
    written = text[equation.start : equation.end]
    behind = _BEHIND_ANNOTATION.match(text, equation.end)
    contradicted = behind is not None and differs(behind[1], equation.stated)
    simple = None if contradicted else _SIMPLE.fullmatch(written)
    if simple and not _REMAINDER.match(plain, equation.end):
        left, stated = simple.groups()
        if is_equal(left, stated):
            return Finding(RIGHT, written, equation.start, equation.end)
    sides = equation.sides
    if len(sides) < 2:
        return None
    if len(written) > MAX_LENGTH:
        return Finding(UNREAD, written, equation.start, equation.end, cause="it is too long")
    line = line_around(plain, equation.start, equation.end)
    remainder = _REMAINDER.match(plain, equation.end)
    rounding = _ROUNDS.search(line) is not None
    if not rounding and _ROUGHLY.search(line):
        rounding = _ROUGHLY.search(around(_CLAUSE_END, plain, equation.start, equation.end)) is not None
    cut = bool(_CONTINUES.match(plain, equation.end)) and not remainder
    texts = tuple(side.replace("\0", "") for side, _, _ in sides)
    said, *left = remainder.groups("") if remainder else ("", "")
    near = tuple(i for i, (one, two) in enumerate(pairwise(sides), 1) if "≈" in plain[one[2] : two[1]])
    tens = rounding and bool(
        _ABOUT.search(plain[max(0, equation.start - BESIDE) : equation.start]) or _TO_TENS.search(line)
    )
    verdict, side, expected, cause = judge_sides(texts, rounding or cut, said or "".join(left), not said, near, tens)
    if verdict is None:
        return None
    doubt = ""
    if verdict == WRONG:
        doubt = doubt_of(equation, texts, plain, expected)
        if not doubt and cause != REMAINDER and "/" in texts[0]:
            floored = cause == ROUNDING and _SAYS_REST.search(plain, equation.end, equation.end + BESIDE)
            doubt = "its remainder can't be read" if floored or _STATES_REST.search(line) else ""
        if not doubt and "|" in equation.equals and not in_table and (cause == UNKNOWN or is_cell(equation)):
            doubt = "its row may be no equation"
    elif contradicted:
        doubt = "another number stands behind it"
    elif _BY_FRACTION.search(written):
        doubt = FRACTION_BELOW
    if doubt:
        return Finding(UNREAD, written, equation.start, equation.end, cause=doubt)
    _, at, to = sides[side]
    found = texts[side].strip() if verdict == WRONG else ""
    return Finding(verdict, written, equation.start, equation.end, at, to, expected, found, cause)


def line_around(text: str, start: int, end: int) -> str:
    """Return the line that a place stands in, up to NEAR characters before and behind it, so that time stays linear.

    >>> line_around("First.\\nAbout 10/3 = 3 left.\\nLast.", 13, 21)
    'About 10/3 = 3 left.'
    """
    first, last = max(0, start - NEAR), end + NEAR
    newline = text.find("\n", end, last)
    return text[max(first, text.rfind("\n", first, start) + 1) : newline if newline >= 0 else last]


def since(ends: re.Pattern[str], text: str, start: int) -> int:
    """Return where the clause or sentence of a place begins, behind the last of the `ends` or NEAR characters before.

    >>> since(_SENTENCE_END, "First. About 10/3 = 3.", 13)
    6
    """
    return max(
        (found.end() for found in ends.finditer(text, max(0, start - NEAR), start)), default=max(0, start - NEAR)
    )


def around(ends: re.Pattern[str], text: str, start: int, end: int) -> str:
    """Return the text between two of the `ends` that a place stands in, at most NEAR characters before and behind it.

    >>> around(_SENTENCE_END, "First. About 10/3 = 3 left. Last.", 13, 21)
    ' About 10/3 = 3 left'
    """
    last = ends.search(text, end, end + NEAR)
    return text[since(ends, text, start) : last.start() if last else end + NEAR]


def differs(one: str, other: str) -> bool:
    """Whether two texts are numbers of different values.

    >>> differs("8", "$7"), differs("8.0", "8"), differs("8", "x")
    (True, False, False)
    """
    if one == other:
        return False
    first, second = read_stored(one), read_stored(other)
    return first is not None and second is not None and first.value != second.value


def is_equal(left: str, stated: str) -> bool:
    """Whether numbers joined by + - * or one / come exactly to a number.

    >>> is_equal("2+3*4-1", "13"), is_equal("48/1.5", "32"), is_equal("7/2", "3")
    (True, True, False)
    """
    result, places = scaled(stated)
    if "/" in left:
        (a, a_places), (b, b_places) = map(scaled, left.split("/"))
        return b != 0 and a * 10 ** (b_places + places) == b * result * 10**a_places
    total, most = 0, 0
    for term in left.replace("-", "+-").split("+"):
        product, behind = 1, 0
        for factor in term.split("*"):
            number, more = scaled(factor)
            product, behind = product * number, behind + more
        if behind > most:
            total, most = total * 10 ** (behind - most), behind
        total += product * 10 ** (most - behind)
    return total * 10**places == result * 10**most


def scaled(number: str) -> tuple[int, int]:
    """Return a number's digits as an integer, and how many are behind the point.

    >>> scaled("-2.50")
    (-250, 2)
    """
    if "." not in number:
        return int(number), 0
    whole, _, behind = number.partition(".")
    return int(whole + behind), len(behind)


def doubt_of(equation: Equation, sides: tuple[str, ...], plain: str, expected: str) -> str:
    """Return why an equation that seems wrong may be right, read otherwise; empty if nothing speaks for that."""
    for other, why in other_readings(equation, sides, plain):
        if judge_sides(other).verdict == RIGHT:
            return why
    before = plain[max(0, equation.start - BESIDE) : equation.start]
    glued = equation.first.startswith("(") and before.rstrip(" ")[-1:].isalpha()
    if glued or _PART_OF_IT.search(before) or _CONTINUED.search(plain, max(0, equation.start - NEAR), equation.start):
        return "what stands before it may belong to it"
    start, end = equation.start, equation.end
    sentence = around(_SENTENCE_END, plain, start, end)
    if _OTHER_ARITHMETIC.search(sentence):
        return "it may be of another arithmetic"
    stops = list(islice(_SENTENCE_END.finditer(plain, end, end + NEAR), 2))  # of its sentence and the next one
    asked = stops and stops[0][0] == "?" and _ASKS.match(sentence)
    behind = plain[end : stops[1].start() if len(stops) > 1 else end + NEAR]
    if asked or _DOUBTED.search(plain, since(_CLAUSE_END, plain, start), start) or _DOUBTED_BEHIND.search(behind):
        return "it may be denied, supposed or asked"
    if any(map(_LEADING_ZERO.search, sides)):
        return "a number with leading zeros may be a time or a label"
    if _PARTS.match(plain, equation.end):
        return "its last side may be in parts or in tens"
    if _CENTS.match(plain, equation.end) and ("." in sides[0] or any(sign in "".join(sides) for sign in CURRENCY)):
        return "its sides have other units"
    unit = _UNIT.match(plain, equation.end)
    cents = "$" in sides[-1] and "$" not in equation.first
    if (unit or cents) and (stated := read_stored(sides[-1])) and (exact := read_stored(expected)):
        ratios = {exact.value / stated.value, stated.value / exact.value} if exact.value and stated.value else set()
        if ratios & (_CONVERSIONS if unit else {Fraction(100)}):
            return "its sides may have other units"
        if more := Fraction(unit["more"]) if unit and unit["more"] else None:
            parts = exact.value - stated.value
            if any(exact.value == stated.value * n + more or parts * n == more for n in _CONVERSIONS):
                return "it states two units"
    if span := _RANGE.fullmatch(sides[0]):
        first, last = int(span[1]), int(span[2])
        named = plain[max(0, equation.start - BESIDE) : equation.start].rstrip()[-1:].isalpha()
        said = sides[-1].strip()
        if first < last and (named or not (said.startswith("-") or said == str(last - first))):
            return "its first side may be a range"
        if unit and unit["hours"] and said == str((last - first) % 12):
            return "its first side may be a span of time"
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
    if any("%" in side for side in sides):
        yield tuple(side.replace("%", "") for side in sides), "a percent may be a unit"
    if any(map(_POINT.search, sides)):
        yield tuple(_POINT.sub(r"\1\2", side) for side in sides), "points may separate thousands"
    if "$" in first and others[-1].strip().startswith("(") and others[-1].strip().endswith(")"):
        yield (first, *others[:-1], f"-{others[-1].strip()}"), "brackets may mean a minus"


@lru_cache(maxsize=65536)
def judge_sides(
    sides: tuple[str, ...],
    rounding: bool = False,
    remainder: str = "",
    left_over: bool = False,
    near: tuple[int, ...] = (),
    tens: bool = False,
) -> Judged:
    """Judge the sides of an equation.

    `rounding`: its line says so; `tens`: it may say so of tens and more; `near`: the sides behind a ≈; `remainder`:
    stated behind its last side, `left_over`: in words, which may speak of something else behind an exact quotient or a
    decimal.

    The verdict is None if the first side has no operation, or letters.

    >>> judge_sides(("3+4", "7*2", "14"))
    Judged(verdict='wrong', side=2, expected='7', cause='run-on chain')
    >>> judge_sides(("10/3", "3.33")).verdict, judge_sides(("10/3", "3")).cause
    ('right', 'rounding')
    """
    try:
        first = Expression.parse(read_reversed(sides[0]))
        value = first.fraction()
    except ProblemError as error:
        letters = any(char.isalpha() for char in read_reversed(sides[0]).replace("x", ""))
        return (
            Judged(None)
            if letters
            else Judged(UNREAD, 0, "", "by zero" if "by zero" in str(error) else "its first side can't be read")
        )
    if not first.operators:
        return Judged(None)
    accepted, run_on = {value}, False
    percent = any(map(_PERCENT_OF_IT.search, sides))
    for i, side in enumerate(sides[1:], 1):
        try:
            expression = Expression.parse(read_reversed(side))
            found = expression.fraction()
        except ProblemError:
            return Judged(UNREAD, i, "", "a side can't be read")
        items = expression.signed()
        if (
            remainder
            and i == len(sides) - 1
            and not (left_over and (found == value or found.denominator > 1))
            and (judged := judge_remainder(first, found, Fraction(remainder), i))
        ):
            return judged
        stated = items[0] if len(items) == 1 and isinstance(items[0], Number) else None
        if found in accepted and not run_on:
            if found != value and (stated is None or "%" in side):
                return Judged(UNREAD, i, "", "a side may continue with a rounded one")
            continue
        if stated is None:
            begins = next(item for item in items if isinstance(item, Number))
            if begins.value in accepted and i + 1 < len(sides) and not run_on:
                run_on = True
                continue
            if any(close(found, one) for one in accepted) and len(accepted) > 1:
                return Judged(UNREAD, i, "", "a side may continue with a rounded one")
        elif not run_on:
            how = agreement(value, stated)
            ends = places_needed(value) is not None  # then no digit is cut without a word
            if how is Agreement.ROUNDED and (stated.places or rounding):
                accepted.add(found)
                continue
            if how is Agreement.TRUNCATED and (rounding or (stated.places and not ends)):
                accepted.add(found)
                continue
            if (i in near or tens) and is_round(value, found):
                if i not in near:
                    return Judged(UNREAD, i, "", ROUNDED_SOMEHOW)
                accepted.add(found)
                continue
        if percent:
            return Judged(UNREAD, i, "", "a percent may be of the number before it")
        is_next = rounding and found.denominator == 1 and abs(found - value) < 1
        if is_next or ((i in near or (rounding and value.denominator > 1)) and close(found, value, Fraction(1, 20))):
            return Judged(UNREAD, i, "", ROUNDED_SOMEHOW)
        cause = CHAIN if run_on else find_cause(first, value, stated) if stated is not None else UNKNOWN
        return Judged(WRONG, i, number_text(Number(value, 0)), cause)
    return Judged(RIGHT)


def judge_remainder(first: Expression, quotient: Fraction, rest: Fraction, side: int) -> Judged | None:
    """Judge the quotient and the remainder that a text states for its first side; None if that ends in no division.

    >>> first = Expression.parse("-17/5")
    >>> [judge_remainder(first, Fraction(q), Fraction(r), 1).verdict for q, r in ((-3, -2), (-4, 3), (-3, 2))]
    ['right', 'right', 'wrong']
    """
    if first.postfix[-1] != "/":
        return None
    begin, missing = len(first.postfix) - 1, 1  # of the divisor
    while missing:
        begin -= 1
        item = first.postfix[begin]
        missing += 0 if item == "neg" else 1 if isinstance(item, str) else -1
    divisor = Expression(first.postfix[begin:-1]).fraction()
    value = first.fraction()
    if quotient.denominator == 1 and (quotient - value) * divisor + rest == 0 and abs(rest) < abs(divisor):
        return Judged(RIGHT)
    left = number_text(Number((value - int(value)) * divisor, 0))
    return Judged(WRONG, side, f"{int(value)} remainder {left}", REMAINDER)


def is_round(value: Fraction, stated: Fraction) -> bool:
    """Whether a whole number that ends in zeros is the nearest of its kind to a value.

    >>> is_round(Fraction(301), Fraction(300)), is_round(Fraction(301), Fraction(310))
    (True, False)
    """
    digits = str(abs(stated))
    zeros = len(digits) - len(digits.rstrip("0"))
    return stated.denominator == 1 and zeros > 0 and stated != 0 and abs(value - stated) * 2 <= 10**zeros


def close(a: Fraction, b: Fraction, share: Fraction = Fraction(1, 100)) -> bool:
    """Whether two values differ by at most a share of the second."""
    return abs(a - b) <= abs(b) * share


def fixes(finding: Finding) -> bool:
    """Whether one number settles a wrong equation: its last side is a number, and the expected value is a decimal."""
    return (
        finding.verdict == WRONG
        and finding.cause not in (CHAIN, ROUNDING, REMAINDER)
        and finding.to == finding.end
        and "/" not in finding.expected
    )
