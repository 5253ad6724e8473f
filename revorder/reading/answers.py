"""Answers: the number that a reply in words states last.

A number that could be read in two ways is not read: a wrong number must never pass for the right one, nor a part of a
number for the whole.
"""

from __future__ import annotations

import re
from itertools import pairwise

from revorder.arithmetic.numbers import Number
from revorder.reading.numbers import NEAR, number_at, number_text, read_stored, with_remainder
from revorder.reading.scanner import CUT, RUN, final_part, plain_text

# what stands between two operands
_WRAP = r"[ \t()\[\]\"']*"
_OPERATION = (
    r"[-+*/x×^•]|plus|minus|times|(?:multiplied |divided )?by|(?:added )?to|(?:subtracted )?from"
    r"|and|(?:out )?of|over|into|with|mod|through|take away"
)
_JOIN = re.compile(
    rf":|[ \t]+[:%][ \t]+|[ \t]*{CUT}[ \t]*|[ \t]*\)[ \t]*\([ \t]*|{_WRAP}(?:{_OPERATION}){_WRAP}[-+]?{_WRAP}",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"(?:[,;]\s*(?:and|&)|;)\s+|\s*(?:,|\||\]\s*\[)\s*", re.IGNORECASE
)  # what stands between two results
_OR = re.compile(r"[^.!?;:=\n]*\bor\b[^.!?;:=\n]*", re.IGNORECASE)  # what stands between two alternatives
# what stands before a remainder, behind a quotient and alone
_SAYS = r"(?:r\.?|rem\.?|remainder|余)(?!\w)\s*(?:(?:of|is|was|equals|=|:)\s*){0,2}"
_REMAINDER = re.compile(
    rf"[\s.,;:()]*(?:(?:with|and|leaving|leaves|has)\s+)?(?:(?:an?|the|its)\s+)?(?:r|{_SAYS})", re.IGNORECASE
)
_OURS = re.compile(r"(?:0|-?[1-9][0-9]*)R-?[1-9][0-9]*")  # as an Expression's answer is written
_ALONE = re.compile(rf"\b{_SAYS}\Z", re.IGNORECASE)
_NEGATIVE = re.compile(rf"(?:\b{_SAYS}|[0-9]\s*r\s*)-\s*\Z", re.IGNORECASE)  # before a remainder below 0
_UNREAD = re.compile(r"[\s,;(]*(?:r|rem|remainder)\b", re.IGNORECASE)
# an aside behind a stated number, and where an explanation of it begins
_NUMBER = r"-?[0-9](?:[0-9,.]*[0-9])?"
_ASIDE = re.compile(
    r"(?<=[0-9])(?:\.?\s*(?:\[[0-9]{1,3}\])+(?!\s*[-+*/^(0-9])|\s*\((?:source|check|see|ref|page|cf|note|as|since|because|verified|from|using)\b[^()]*\))",
    re.IGNORECASE,
)
_STATED_SUM = re.compile(rf"(\b(?:is|equals|be|answer:)\s+{_NUMBER})\s+\([-+*/=×÷ 0-9.,]*\)(?=\W*\Z)", re.IGNORECASE)
# a fraction or a percentage that ends a reply
_PART = re.compile(
    r"(?:\A|\b(?:is|equals|be|are|to|get|pays)\b|#### |[=:]|(?<![0-9]),)[\s(\"']*"
    r"((?:-?[0-9]{1,400}|(?:-\s{0,9})?\(-?[0-9]{1,400}\))\s*/\s*\(?-?[0-9]{1,400}\)?|-?[0-9][0-9,]*(?:\.[0-9]+)? ?%)"
    r"[\s).!\"']*\Z",
    re.IGNORECASE,
)
_NOT_IT = re.compile(  # what stands before a number that is not stated
    r"(?:[<>!/]=|[<>≠]|=<|[0-9)]\s*:)[\s(\"']*\Z"
    r"|(?:\b(?:not|never|cannot|could|may|might|would|should|must|if|or|either|what|how|less|more|most|least)\b|n't\b)"
    r"[^.!?\n]*\Z",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(
    rf"\A[\s\"'(=]*{_NUMBER}(?=[.,;:]?\s+(?:as|because|since)\b|[.,;:]?\s*\n\s*(?:explanation|reason\w*|check|proof|verification|note|work\w*|steps?)\b)"
    rf"|\banswer[^.\n0-9-]{{0,20}}(?:is|:|=)\s*{_NUMBER}"
    r"(?=[.;]\s+(?:explanation|reason\w*|check|proof|verification|note)\b|\s*\n\s*confidence\b)"
    rf"|=\s*{_NUMBER}(?=[.;]\s+(?:(?:you|we) can |to )?(?:check|verify|verification)\b"
    r"(?![^\n]*\b(?:so|answer)\b)[^=]*=[^=]*\Z)",
    re.IGNORECASE,
)
# the one box of a reply, unless it is part of more, denied or corrected
_BOX = re.compile(r"\\boxed\s*(\{(?>(?:[^{}]++|\{[^{}]{0,99}\})*)\})")
_NOT_A_NUMBER = re.compile(r"frac|pi\b|infty|sqrt|times|cdot|[()^/*=]")
_BEFORE_BOX = re.compile(r"(?:-|\bnot|n't|\bguess\w*(?: (?:is|was))?)[\s$:]*\Z", re.IGNORECASE)
_BEHIND_BOX = re.compile(
    r"[\s$]*(?:\\?%|\\times|\\cdot|[-+*/^:°]|,?\s*(?:million|billion|thousand|hundred|dozen|percent|r|rem|remainder|or|and)\b)"
    r"|.*?(?:\b(?:or|actually|wait|not|but|no)\b|=|answer|mistake|correct)",
    re.IGNORECASE | re.DOTALL,
)
_LARGER = re.compile(  # the larger of two units: 2 hours 15 minutes
    r"[ -]*(?:years?|weeks?|days?|hours?|hrs?|h|min(?:ute)?s?|feet|foot|ft|yards?|miles?|pounds?|lbs?|dollars?"
    r"|gallons?) +(?:and )?",
    re.IGNORECASE,
)
_SMALLER = re.compile(
    r"[ -]*(?:months?|days?|hours?|hrs?|min(?:ute)?s?|sec(?:ond)?s?|s|inch(?:es)?|in(?=\W*\Z)|ounces?|oz|cents?|pence"
    r"|pints?|feet)\b",
    re.IGNORECASE,
)


def extract_answer(reply: str) -> str | None:
    """Return the last number that a reply states, written as a Problem's answer is; None if it states none.

    Operands (`12 + 35`, `12 and 35`) are not stated, nor are alternatives (`47 or 48`), lists (`11; 12; and 47`) or
    what is denied (`not 47`). A number that is not whole is returned with its decimals.

    >>> extract_answer("12 - 35 = **−23**"), extract_answer("What is 12 plus 35?")
    ('-23', None)
    >>> extract_answer(r"\\boxed{79 \\text{ remainder } 5}"), extract_answer("The answer is 3/4.")
    ('79R5', '0.75')
    """
    reply = final_part(reply)
    if reply.rstrip().endswith(CUT):  # the answer would have followed
        return None
    text = plain_text(one_box(reply) or reply)
    if _OURS.fullmatch(text.strip()):
        return text.strip()
    text = _STATED_SUM.sub(r"\1", _ASIDE.sub("", text))
    if explained := list(_EXPLAINED.finditer(text)):
        text = text[: explained[-1].end()]
    part = _PART.search(text)
    if part and not _NOT_IT.search(text[max(0, part.start(1) - NEAR) : part.start(1)]):
        number = read_stored(re.sub(r"\s", "", part[1]))
        if number and (number.value.denominator > 1 or "%" in part[1]):
            return number_text(number.value)
    runs = list(RUN.finditer(text))
    between = [text[left.end(1) : right.start()][: NEAR + 1] for left, right in pairwise(runs)]
    joins = [bool(_JOIN.fullmatch(part)) for part in between]
    for i, part in enumerate(between):
        if part.strip() == CUT and i and joins[i - 1]:  # 12 + 35... 47
            joins[i] = False
        elif (
            part.strip() == ":" != part and text[max(0, runs[i].start() - 9) : runs[i].start()].rstrip()[-1:].isalpha()
        ):
            joins[i] = False  # Question 1 : 47
    remainders = {i + 1 for i, part in enumerate(between) if len(part) <= NEAR and _REMAINDER.fullmatch(part)}
    alone = {
        i
        for i, run in enumerate(runs)
        if i not in remainders and _ALONE.search(text, max(0, run.start() - NEAR), run.start())
    }
    alternatives = {i + 1 for i, part in enumerate(between) if len(part) <= NEAR and _OR.fullmatch(part)}
    listed = {i + 1 for i, part in enumerate(between) if _LIST.fullmatch(part)}
    for i in range(len(runs) - 1, -1, -1):
        if i in alone:
            continue
        if _NEGATIVE.search(text, max(0, runs[i].start() - NEAR), runs[i].start()):
            return None
        power = text.endswith("^", 0, runs[i].start())
        if i not in remainders and not power and (any(joins[i : i + 1]) or (i and joins[i - 1])):
            continue
        if alternatives & {i - (i in remainders), i + 1} or i in listed:
            return None
        if i and _LARGER.fullmatch(between[i - 1]) and _SMALLER.match(text, runs[i].end(1)):
            return None
        value = number_at(text, runs[i])
        if i in remainders:
            if i - 1 in remainders:
                return None
            return with_remainder(number_at(text, runs[i - 1]), value)
        if _UNREAD.match(text, runs[i].end(1)) and i + 1 not in alone:
            return None
        beside = [j for j in (*range(len(runs) - 1, i, -1), i - 1) if j in alone]
        return with_remainder(value, number_at(text, runs[beside[0]])) if beside else value
    return None


def one_box(reply: str) -> str | None:
    """Return the number in the one `\\boxed{}` of a reply, if nothing beside it changes, denies or corrects it.

    >>> one_box(r"So \\boxed{47} (3 a day)."), one_box(r"\\boxed{47} or 48")
    ('{47}', None)
    """
    boxes = list(_BOX.finditer(reply))
    if len(boxes) != 1 or _NOT_A_NUMBER.search(boxes[0][1]) or not any(map(str.isdigit, boxes[0][1])):
        return None
    start, end = boxes[0].span()
    beside = _BEFORE_BOX.search(reply, max(0, start - NEAR), start) or _BEHIND_BOX.match(reply, end)
    return None if beside else boxes[0][1]


def read_answer(text: str) -> Number | str | None:
    """Return the number that a stored answer is or states, or text such as `79R2`; None if it states none.

    >>> str(read_answer("The answer is $1,047.50.")), read_answer("5/4").value, read_answer("79 remainder 2")
    ('1047.50', Fraction(5, 4), '79R2')
    """
    if (number := read_stored(text)) is not None:
        return number
    stated = extract_answer(text)
    return stated if stated is None or "R" in stated else read_stored(stated)
