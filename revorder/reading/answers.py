"""Answer extraction: the number that a reply in words states.

What could be read in two ways is not read: a wrong number must never pass for the right one, nor a longer one for a
shorter.
"""

from __future__ import annotations

import html
import re
from itertools import pairwise

from revorder.arithmetic.problem import ascii_signs

CUT = "…"  # what stood here goes on
_NEAR = 60  # characters beside a number that say what it is

_ALIKE = str.maketrans(
    dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u20e3", "")
    | dict.fromkeys("‐‑‒⁻˗➖﹣－", "-")
    | dict(zip("０１２３４５６７８９，’", "0123456789,'", strict=True))
)
_WRAPS = "boxed|[fm]box|underline|text[a-z]*|math[a-z]+|bf|displaystyle|left|right|[bB]igg?[lr]?"  # change no number
_MARKUP = [
    (re.compile(pattern), by)
    for pattern, by in (
        (r"(?<=[0-9])\s*(?=\\[dt]?frac)", CUT),  # a mixed number
        (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r" (\1)/(\2) "),
        (r"\{,\}", ","),
        (r"(?<=[0-9])\}\s*\{(?=[0-9])", CUT),
        (r"\\!", ""),
        (r"\\(?:times|cdot|ast)(?![A-Za-z])", "*"),
        (r"\\div(?![A-Za-z])", "/"),
        (r"\\(?:not\s*=|neq?(?![A-Za-z]))", "≠"),
        (r"\\[lc]?dots(?![A-Za-z])|\.{2,}", CUT),
        (rf"\\(?:{_WRAPS})(?![A-Za-z])", " "),
        (r"\\(?:begin|end)\{[a-z]+\*?\}(?:\{[lcr|]+\})?", " "),
        (r"\\[A-Za-z]+\*?\{", CUT),  # any other command may change the number in it
        (r"\\%", "%"),
        (r"\\\\", "\n"),
        (r"</?(?:think|p|div|li|[uo]l|t[dhr]|table|h[1-6])\b[^<>\n]*>", "\n\n"),
        (r"<br\b[^<>\n]*>", "\n"),
        (r"(?<=[0-9])(?:[$&`]|</?[A-Za-z][^<>\n]*>)+(?=[0-9])", CUT),
        (r"\\(?:[A-Za-z]+|.)|[{}$&`]|(?<=[0-9])~(?=[0-9])|</?[A-Za-z][^<>\n]*>", " "),
        (r"(?<=[0-9])[ \t]*\*\*[ \t]*(?=[0-9])", "^"),
        (r"\*\*|(?<![0-9A-Za-z])_+|_+(?![0-9A-Za-z])", " "),
    )
]
# digits, with anything between them that may belong to the number, and the word that is glued to them
_RUN = re.compile(r"(?:(?<!\w)|(?<=[^A-Za-z_][Rr]))([0-9]+(?:(?:[.,'_ ]|, )[0-9]+)*)((?![Rr][0-9])[^\W0-9]\w*)?")
_WHOLE = re.compile(r"([0-9]+|[1-9][0-9]{0,2}([,'_ ])[0-9]{3}(?:\2[0-9]{3})*)(?:\.0{1,2}|(\.[0-9]+))?\Z")
# what makes another number of the digits that it stands at
_TOUCHES = r"[^\s\w=≈→⇒>]"
_AFTER = re.compile(
    rf"{CUT}|\^|{_TOUCHES}[0-9]|-(?!\w)|\.\([0-9]|\s*(?:[%‰¼-¾⅐-⅞]|per ?cent\b|hundred|thousand|[mbtr]+illion|dozen|lakh|crore"
    r"|(?:k|[bm]n)\b)|\s+(?:(?:squared|cubed)\b|(?:tenth|hundredth|thousandth|hal(?:f|ve)|third|quarter)s?\b"
    r"|and (?:an?|one) (?:half|third|quarter)\b)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?:[{CUT}√.,^/—―]|\.\(|[0-9]{_TOUCHES}|[0-9]\\?\n|[0-9][^\S\n]+|-\+|[0-9]e\+"
    r"|\b(?:half|twice|double|triple|third|quarter)(?: of)?\s+|(?:[≠≤≥<]|!=|=/=|(?:\b(?:not|never)|n't)\b(?: equal to| exactly)?|\b(?:less|fewer|more|greater) than\b)\s*)\Z",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(-+)([\s(\[\"']*)\Z")
_MINUS_WORD = re.compile(r"\b(?:minus|negative)[\s(\[\"']*\Z", re.IGNORECASE)
_STATES = re.compile(r"(?:[=:≈]|\b(?:is|equals|be))[ \t]*\Z", re.IGNORECASE)
# what stands between two operands
_WRAP = r"[ \t()\[\]\"']*"
_OPERATION = r"[-+*/x×^]|plus|minus|times|(?:multiplied |divided )?by|(?:added )?to|(?:subtracted )?from|and|of|over|into|with|mod"
_JOIN = re.compile(rf":|[ \t]*\)[ \t]*\([ \t]*|{_WRAP}(?:{_OPERATION}){_WRAP}[-+]?{_WRAP}", re.IGNORECASE)
_OR = re.compile(r"[^.!?;:=\n]*\bor\b[^.!?;:=\n]*", re.IGNORECASE)  # what stands between two alternatives
# what stands before a remainder, behind a quotient and alone
_SAYS = r"(?:r\.?|rem\.?|remainder)(?!\w)\s*(?:(?:of|is|was|equals|=|:)\s*){0,2}"
_REMAINDER = re.compile(
    rf"[\s.,;:()]*(?:(?:with|and|leaving|leaves|has)\s+)?(?:(?:an?|the|its)\s+)?(?:r|{_SAYS})", re.IGNORECASE
)
_OURS = re.compile(r"(?:0|-?[1-9][0-9]*)R-?[1-9][0-9]*")  # as an Expression's answer is written
_ALONE = re.compile(rf"\b{_SAYS}\Z", re.IGNORECASE)
_NEGATIVE = re.compile(rf"(?:\b{_SAYS}|[0-9]\s*r\s*)-\s*\Z", re.IGNORECASE)  # before a remainder below 0
_UNREAD = re.compile(r"[\s,;(]*(?:r|rem|remainder)\b", re.IGNORECASE)


def extract_answer(reply: str) -> str | None:
    """The last number that a reply states, written as a Problem's answer is; None where it states none.

    Operands (`12 + 35`, `12 and 35`) are not stated, nor are alternatives (`47 or 48`). A number that is not whole is
    returned with its decimals.

    >>> extract_answer("12 - 35 = **−23**"), extract_answer(r"\\boxed{79 \\text{ remainder } 5}"), extract_answer("What is 12 plus 35?")
    ('-23', '79R5', None)
    """
    if reply.rstrip().endswith(CUT):  # what it would have stated is not there
        return None
    text = ascii_signs(html.unescape(reply).translate(_ALIKE))
    if _OURS.fullmatch(text.strip()):
        return text.strip()
    for pattern, by in _MARKUP:
        text = pattern.sub(by, text)
    runs = list(_RUN.finditer(text))
    between = [text[left.end(1) : right.start()][: _NEAR + 1] for left, right in pairwise(runs)]
    joins = [bool(_JOIN.fullmatch(part)) for part in between]
    remainders = {i + 1 for i, part in enumerate(between) if len(part) <= _NEAR and _REMAINDER.fullmatch(part)}
    alone = {
        i
        for i, run in enumerate(runs)
        if i not in remainders and _ALONE.search(text, max(0, run.start() - _NEAR), run.start())
    }
    alternatives = {i + 1 for i, part in enumerate(between) if len(part) <= _NEAR and _OR.fullmatch(part)}
    for i in range(len(runs) - 1, -1, -1):
        if i in alone:
            continue
        if _NEGATIVE.search(text, max(0, runs[i].start() - _NEAR), runs[i].start()):
            return None
        power = text.endswith("^", 0, runs[i].start())
        if i not in remainders and not power and (any(joins[i : i + 1]) or (i and joins[i - 1])):
            continue
        if alternatives & {i - (i in remainders), i + 1}:
            return None
        value = read_number(text, runs[i])
        if i in remainders:
            if i - 1 in remainders:
                return None
            return with_remainder(read_number(text, runs[i - 1]), value)
        if _UNREAD.match(text, runs[i].end(1)) and i + 1 not in alone:
            return None
        beside = [j for j in (*range(len(runs) - 1, i, -1), i - 1) if j in alone]
        return with_remainder(value, read_number(text, runs[beside[0]])) if beside else value
    return None


def read_number(text: str, run: re.Match[str]) -> str | None:
    """The number at a match, sign included and separators left out; None where it may be another."""
    whole = _WHOLE.match(run[1])
    before = text[max(0, run.start() - _NEAR) : run.start()]
    glued = run[2] and not re.match(r"[Rr][ \t.]*[0-9]", text[run.end(1) : run.end() + _NEAR])
    if not whole or glued or _AFTER.match(text, run.end(1)) or _BEFORE.search(before):
        return None
    digits = re.sub("[^0-9]", "", whole[1]).lstrip("0") or "0"
    negative = bool(_MINUS_WORD.search(before))
    if minus := _MINUS.search(before):
        dashes, gap = minus.groups()
        ahead = before[: minus.start()]
        if gap and len(dashes) == 1:
            if not _STATES.search(ahead):
                return None  # a sign, a bullet, or a dash
            negative = True
        elif not gap:
            if len(dashes) > 1 or re.search(r"[\w)\]]\Z", ahead):
                return None  # a sign or a hyphen
            negative = True
    decimals = whole[3] or ""
    return ("-" if negative and (digits != "0" or decimals) else "") + digits + decimals


def with_remainder(quotient: str | None, remainder: str | None) -> str | None:
    """Join a quotient and a remainder; None where either is none, or not whole.

    >>> with_remainder("79", "5"), with_remainder("79", "0")
    ('79R5', '79')
    """
    if quotient is None or remainder is None or "." in quotient + remainder:
        return None
    return quotient if remainder == "0" else f"{quotient}R{remainder}"
