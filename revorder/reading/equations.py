"""Equations in a text: calculator annotations `<<48/2=24>>24`, and plain `48 / 2 = 24` in prose, LaTeX and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from revorder.arithmetic.problem import ascii_signs
from revorder.reading.numbers import CHANGES
from revorder.reading.scanner import ALIKE, BLANK

_ANNOTATION = re.compile(r"<<([^<>\n]*)>>")
_EQUALS = re.compile(r"(?:(?<![ \n\t])[ \n\t]++)?[=≈] *")  # in linear time

# An equation in prose. Repeats are bounded, possessive or atomic, so that time is linear in the text's length. Repeats
# of groups are atomic: Python 3.11.2 matches too much if they are possessive.
_PLAIN = r"(?=\.?[0-9])(?:[1-9][0-9]{0,2}+(?>(?:,[0-9]{3})+)(?![0-9])|[0-9]*+)(?:\.[0-9]++)?%?"
_REVERSED = r"r\|[0-9]++(?:\.[0-9]++)?(?:-(?! ?[0-9.(r@$]))?|@@[0-9]++(?:\.[0-9]++)?-?@@"
_OPERAND = rf"(?:[-+$€£]|\( {{0,2}}+){{0,8}}(?:{_REVERSED}|{_PLAIN})(?: {{0,2}}\)){{0,8}}"
_OPERATION = r" {0,2}(?://|[-+*/×÷−]|[xX](?= ?[0-9.($€£@r])) {0,2}"
_EXPRESSION = rf"{_OPERAND}(?>(?:{_OPERATION}{_OPERAND})+)"
_PROSE = re.compile(
    rf"{_ANNOTATION.pattern}|(?<![\w.,)])(?<![0-9]:)"
    rf"(?P<prose>{_EXPRESSION}(?>(?: {{0,2}}= {{0,2}}(?:{_EXPRESSION}|{_OPERAND}))*))"
)
# The same as a text states it to its reader: also with ≈, with the sign at the start of the next line, and with the
# gaps that `same_length` leaves
_SIGN = r"(?: {0,12}|[ \t]{0,12}\n[ \t]{0,12})[=≈] {0,12}"
_SIDE, _NUMBER = (
    part.replace(" {0,2}", " {0,12}").replace(",[0-9]{3}", r",\0{0,7}[0-9]{3}").replace(r"\)){0,8}", r"[)\0]){0,24}")
    for part in (_EXPRESSION, _OPERAND)
)
_STATED = re.compile(rf"(?<![\w.,()}}^\0])(?<![0-9][:'’]){_SIDE}(?>(?:{_SIGN}(?:{_SIDE}|{_NUMBER}))*)")
_ROW = re.compile(
    rf"(?<=\|) {{0,12}}({_SIDE})( {{0,12}}\| {{0,12}}=? {{0,12}})({_NUMBER})"
    rf"(?= {{0,12}}(?:[Rr] ?[0-9]{{1,9}} {{0,12}})?\|)"
)  # | 12*8 | 96 |
_OUTSIDE = re.compile(r"[=≈＝](?![ $€£]*<)|\||\\approx|\\simeq")  # a sign that is not the one before an annotation
_FOREIGN = "\1"  # stands for each character of LaTeX that may change the number beside it
_BRACES = r"\{(?>(?:[^{}]|\{(?>(?:[^{}]|\{[^{}]{0,200}\}){0,200})\}){0,200})\}"  # with two more levels in them
# HTML, LaTeX, Markdown and wide characters, by as many characters of plain text
_HTML = [
    (re.compile(pattern), by)
    for pattern, by in (
        (r"&(?:times|middot);", "*"),
        (r"&divide;", "/"),
        (r"&(?:minus|ndash);", "-"),
        (r"&asymp;", "≈"),
        (r"(?<=[0-9])&(?:nbsp|thinsp);(?=[0-9]{3}(?![0-9]))", ","),
        (r"&(?:nbsp|thinsp|ensp|emsp);", ""),
        (r"&(?:frac[0-9]{2}|sup[123]|deg|permil|radic|ne);", _FOREIGN),
        (r"&#?[A-Za-z0-9]{2,8};", ""),
        (r"<su([pb])\b[^<>\n]{0,80}>(?!\[)[^<>\n]{0,80}</su\1>", _FOREIGN),
        (r"</?(?:b|i|u|em|su[pb]|strong|span|code|font|mark|small)\b[^<>\n]{0,80}>", ""),
        (r"<(?:br|/?(?:p|div|li|tr))\b[^<>\n]{0,80}>", "\n"),
    )
]
_LATEX = [
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\\(?:times|cdot|ast)(?![A-Za-z])", "*"),
        (r"\\div(?![A-Za-z])", "/"),
        (r"\\(?:approx|simeq)(?![A-Za-z])", "≈"),
        (r"(?<=[0-9])(?:\{,\}|,\\!|\\text\{,\}|\\[,;: ])(?=[0-9]{3}(?![0-9]))", ","),
        (r"\\[dtc]?frac *(?:\{([0-9.]+)\}|([0-9])) *(?:\{([0-9.]+)\}|([0-9]))", None),
        (r"\\[dtc]?frac\{([0-9.+*/()\0 -]{1,99})\}\{([0-9.+*/()\0 -]{1,99})\}", None),
        (r"\\right(?=\))", "\0"),
        (r"\\\\(?:\[[^\[\]\n]{0,12}\])?[ \t]*\n?", "\n"),
        (r"\\(?:tag\{[^{}]*\}|checkmark(?![A-Za-z]))", ""),
        (r"\\%", "%"),
        (rf"\\(?:[$,;:!()\[\] ]|(?:{BLANK})(?![A-Za-z])|(?:begin|end)\{{[a-z]+\*?\}})", ""),
        (r"[_^]\{[^{}]*\}", _FOREIGN),
        # any other command may change what it is given, and what stands beside it
        (rf"[ \t]*\\[A-Za-z]+\*?(?:\[[^\[\]]*\])?(?:{_BRACES}|{_FOREIGN})*[ \t]*", _FOREIGN),
        (r"[{}&]", ""),
    )
]
_INSIDE = r"[^\[\]{}=\n]{0,40}?[0-9)] {0,2}(?:[-+*/×÷−xX]|\\(?:times|cdot|div))[^\[\]{}=\n]{1,40}"
_GROUPS = [  # an operation in square or curly brackets, which may hold square ones
    re.compile(rf"(?:(?<![\w.)\]}}^\\])|(?<=\\left)){left}({_INSIDE}){right}(?!\()")
    for left, right in ((r"\[(?! ?[0-9]+ ?/ ?[0-9]+ ?(?:\\right)?\])", r"\]"), (r"\{", r"\}"))  # [7/2] may be 3
]
_BOLD = re.compile(r"(?<![0-9)])\*\*(?! )|(?<! )\*\*(?![0-9(-])")
# 3 cm + 4 cm = 7 cm: the same unit behind every number, and no other unit before
_ONE_UNIT = re.compile(
    r"(?<![\w.,$+*/=-])(?<![-+*/=] )[0-9][0-9,]*(?:\.[0-9]+)?"
    r" ?(?P<unit>(?![apAP][mM]\b)[A-Za-z]{2,10}|[€£¥₹°])(?![\w²³])"
    r"(?: ?[-+] ?[0-9][0-9,]*(?:\.[0-9]+)? ?(?P=unit)(?![\w²³]))+"
    r" ?= ?-?[0-9][0-9,]*(?:\.[0-9]+)? ?(?P=unit)(?![\w²³]|\s*[-+*/=≈×÷^]|,? (?:and )?[0-9])"
)
_OTHER_UNIT = re.compile(r"[0-9] ?[A-Za-z]{1,12},? (?:and )?\Z")
_CLOSED = re.compile(r"(?<=[0-9)])\$(?= ?[=≈])")  # $3 + 4$ = $7$
_STRUCK = re.compile(r"~~[^~\n]+~~")
_ONE_BY_ONE = {code: by or " " for code, by in ALIKE.items() if chr(code) not in "。、\u20e3"}

# What makes an equation part of a longer one: an operation before it, but for a bullet, or behind it
_BEFORE = re.compile(r"(?:[-+*/×÷−^]|\b[xX]) *\Z")
_BULLET = re.compile(r"(?:\A|\n)[ \t>]*[-+*] +\Z")
_AFTER = re.compile(rf" *[-+*/×÷−^]| *[xX] *[0-9($.]|[:'’]?[0-9]|[A-Za-z_({_FOREIGN}]|[ \t]+[nxyz]\b")
# What stands behind a stated number and makes another one of it, or a question of the equation
_MONTHS = (
    "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?"
)
_OPERATES = r"(?:times|plus|minus|mod(?:ulo)?|(?:divided|multiplied) by|(?:raised )?to the power(?: of)?|take away)"
_UNTRUE = r"(?:[a-z]+ly[ \t]+)?(?:wrong|incorrect|false|untrue|invalid|a mistake)\b"
_QUALIFIED = re.compile(
    "|".join(
        pattern
        for _, pattern in (
            ("a question", r"\s*\?|[ \t]+(?:true|right|correct|valid)\b[^.!?\n]{0,30}\?"),
            ("a factorial", "!"),
            ("a sign at the number", r"[ \t]{0,4}[%‰⁰¹²³⁴-⁹⁺½¼¾⅐-⅞₀-₉]|[ \t]*[•万萬億亿千百]"),
            ("more digits of it", rf"\.?\([0-9]|\.[0-9{_FOREIGN}]|,[0-9]| [0-9]{{3}}(?![0-9])"),
            ("a ratio", " +: *[0-9]"),
            ("a fraction behind a whole number", r"[ \t]+(?:and[ \t]+)?[$(]?[0-9]+/[0-9]++(?! ?[=≈])"),
            ("half of it in words", "[ \t]+and (?:an?|one) (?:half|third|quarter)"),
            ("an operation in words", rf"[ \t]+{_OPERATES}[ \t]+[(0-9$]|(?<=/[0-9])[ \t]+of[ \t]+[0-9]"),
            ("a power in words", r"[ \t]+(?:squared|cubed|to the [a-z]+ power)"),
            ("less than nothing", r"[ \t]+(?:below zero|in debt|(?:loss|deficit)\b)"),
            ("a large unit", r"[ \t]+(?:[mbtr]+illion|thousand|hundred|dozen|lakh|crore|(?:[kKMBT]|mn|bn|mln|tn)\b)"),
            ("percent", "[ \t]+(?:per ?cent|pct)"),
            ("a modulus or a base", r"\s*\(?mod\b|\s*\(?(?:in )?(?:base|binary|octal|hex)\b"),
            ("a date or a time", rf"\s*(?:[aApP]\.?[mM]\b|o['’]clock)|[ \t]+(?:{_MONTHS})\b(?![ \t]+[a-z])"),
            ("another division", r"[ \t]*\(?(?:integer|floor)[ -]division"),
            ("struck out", r"[ \t]*~~|[ \t]*[❌✗✘]"),
            (
                "denied",
                r"[ \t]*(?:[,(—:][ \t]*)?(?:(?:which|that|this|it)[ \t]+)?(?:does(?:n't| not) hold"
                r"|(?:(?:is|are|was)(?:n't|[ \t]+not)|can(?:not|'t)[ \t]+be)[ \t]+"
                r"(?:true|right|correct|valid|so|the case)\b"
                rf"|(?:is|are|was|would be)[ \t]+{_UNTRUE})|[ \t]*[,(—:][ \t]*{_UNTRUE}",
            ),
        )
    )
)
# What stands before an equation and makes another one of it, or denies it; the label of an item does not
_DENIED = re.compile(
    "|".join(
        rf"(?:{pattern})\Z"
        for _, pattern in (
            (
                "denied",
                r"\b(?:not|never|isn't|instead of|rather than|wrong(?:ly)?|incorrect(?:ly)?|false|mistake"
                r"|(?:common|typical) (?:error|mistake)s?|don't write|(?:incorrect|wrong) answer)[ :]*|[❌✗✘] *"
                r"|(?:\bnot|n't) (?:true|right|correct)(?: to (?:say|write|think|claim))? that +",
            ),
            ("not stated", r"\b(?:if|whether|suppose|assume)[ :]*|\btrue or false\W*"),
            (
                "an operation in words",
                rf"\b(?:minus|remainder of)[ :]*|[0-9)] *(?:[•%]|{_OPERATES}) *"
                r"|(?<![0-9])[0-9]{1,3} *(?:[a-z]{1,12} )?of +|[0-9)][%)$ \0]*\bof[ $\0]+"
                r"|\b(?:sum|product|difference|quotient|total) of [^=.\n]{1,20} and +",
            ),
            (
                "a modulus, a base or another division",
                r"\b(?:in (?:binary|octal|hex[a-z]*)|base (?!10\b)(?:[0-9]+|two|eight|sixteen)|mod(?:ulo)? ?[0-9]+"
                r"|(?:integer|floor) division)[ :,]*",
            ),
            ("a range", r"(?:\A|[^A-Za-z0-9 ] *)[0-9]{1,9} *— *"),
            ("a command of LaTeX", _FOREIGN),
        )
    )
    + f"|{CHANGES}",
    re.IGNORECASE,
)
_GLUED = re.compile(r"(?:[0-9\]½¼¾⅓⅔]|(?<![A-Za-z]{2})\))[ :]*\Z")  # a product, a ratio, a mixed number
_LABEL = re.compile(
    r"(?:\A|\n)[ \t>*#-]{0,8}(?:[A-Za-z]{1,12}[ \t])?[(\[]?(?:[A-Za-z]|[A-Za-z]?[0-9]{1,3})[)\]:.]{1,2}[ \t]{1,8}\Z"
    r"|\b[A-Za-z]{2,12}[ \t][0-9]{1,4}:[ \t]{1,8}\Z"
)
_MIXED = re.compile(r"(?:\A|[^0-9.,=≈$ ]) *[0-9]+ +and +\Z")  # 1 and 1/4
_LETTER = re.compile(r"[A-Za-z0-9] *\Z|[°€£¥%½¼¾⅓⅔²³]\Z")
_REMAINDER = re.compile(r"[Rr] ?[0-9]")
# a unit of two letters or more, as one letter may be a variable
_UNIT_BEHIND = re.compile(
    r"(?:[kcm]m|[km]g|[cm][lL]|ft|lbs?|oz|hrs?|mins?|secs?|k?cal|kWh|km/h|mph|[KMGT]B)(?![\w²³^]|[ \t]*[-+*/×÷=≈(])"
)


class Equation(NamedTuple):
    """An equation `first = steps = ... = stated`: its fields, what joins them, and where they are in the text.

    `steps` is the text between the first and the last field, with the `=` behind it; it begins at `at`. `equals` is
    empty if there is no `=`, and a bar for two cells of a table.
    """

    first: str
    equals: str
    steps: str
    stated: str
    start: int
    at: int
    end: int
    prose: bool = False

    @property
    def sides(self) -> list[tuple[str, int, int]]:
        """Its sides in order, each with its start and end in the whole text.

        >>> read_equation("48+24 = r|27 = 72").sides
        [('48+24', 0, 5), ('r|27', 8, 12), ('72', 15, 17)]
        """
        whole, found, at = self.first + self.equals + self.steps + self.stated, [], 0
        for sign in [*_EQUALS.finditer(whole), None] if not self.equals.strip().startswith("|") else ():
            end = sign.start() if sign else len(whole)
            found.append((whole[at:end], self.start + at, self.start + end))
            at = sign.end() if sign else end
        first, stated = self.start + len(self.first), self.end - len(self.stated)
        return found or [(self.first, self.start, first), (self.stated, stated, self.end)]


def read_equation(text: str, start: int = 0, prose: bool = False) -> Equation:
    """Take an equation apart; `start` is where it is in the whole text.

    >>> read_equation("48+24=r|27=72")[:4]
    ('48+24', '=', 'r|27=', '72')
    """
    first, sign, stated = text.partition("=")
    if sign and "=" not in stated and first[-1:] > " " and stated[:1] > " " and "≈" not in text:  # the most of them
        at, end = start + len(first) + 1, start + len(text)
        return Equation(first, sign, "", stated, start, at, end, prose)
    signs = list(_EQUALS.finditer(text))
    if not signs:
        return Equation(text, "", "", "", start, start + len(text), start + len(text), prose)
    at, last = signs[0].end(), signs[-1].end()
    return Equation(
        text[: signs[0].start()],
        signs[0][0],
        text[at:last],
        text[last:],
        start,
        start + at,
        start + len(text),
        prose,
    )


def find_annotations(text: str) -> Iterator[Equation]:
    """The calculator annotations of a text, in order.

    >>> [equation.first for equation in find_annotations("48/2 = <<48/2=24>>24, 24+1 = <<24+1=25>>25")]
    ['48/2', '24+1']
    """
    for match in _ANNOTATION.finditer(text):
        yield read_equation(match[1], match.start(1))


def find_prose(text: str) -> Iterator[Equation]:
    """The equations `a op b = c` in prose, those of annotations aside, in order; parts of longer ones are left out.

    >>> [(e.first, e.stated) for e in find_prose("She has 48 + 24 = 72 (and 1 + 1=$2) of x + 3 * 4 = 12")]
    [('48 + 24', '72'), ('1 + 1', '$2')]
    """
    for match in _PROSE.finditer(text):
        if "=" not in (match["prose"] or ""):
            continue
        start, chain = unbracketed(match["prose"], match.start())
        end = start + len(chain)
        before = text[max(0, start - 40) : start]
        if _AFTER.match(text, end) or (_BEFORE.search(before) and not _BULLET.search(before)):
            continue
        yield read_equation(chain, start, prose=True)


def read_equations(text: str) -> list[Equation]:
    """Return every equation that a text states, in order: in annotations, prose, LaTeX and rows of tables.

    Parts of longer equations and of formulas with letters are left out, as are questions (`2+2 = 5?`).

    >>> [[side for side, _, _ in e.sides] for e in read_equations("Buy $3 \\\\times 4 = 12$ or 2+2 = 5? <<1+1=2>>2")]
    [['$3 *      4', '12'], ['1+1', '2']]
    """
    found = list(find_annotations(text))
    outside = _ANNOTATION.sub(lambda match: "<" * len(match[0]), text) if found else text
    if not _OUTSIDE.search(outside):
        return found
    plain = same_length(outside)
    for match in _STATED.finditer(plain):
        if not _EQUALS.search(match[0]):
            continue
        start, chain = unbracketed(match[0], match.start())
        end = start + len(chain)
        before = plain[max(0, start - 40) : start]
        if (
            (_AFTER.match(plain, end) and not _REMAINDER.match(plain, end) and not _UNIT_BEHIND.match(plain, end))
            or _QUALIFIED.match(plain, end)
            or (_BEFORE.search(before) and not _BULLET.search(before))
            or _DENIED.search(before)
            or (_GLUED.search(before) and not _LABEL.search(before))
            or (chain[0] in "+-" and _LETTER.search(before))
            or (_MIXED.search(before) and re.match(r"[0-9]+/[0-9]", chain))
        ):
            continue
        found.append(read_equation(chain, start, prose=True))
    for match in _ROW.finditer(plain) if "|" in plain else ():
        found.append(Equation(match[1], match[2], "", match[3], match.start(1), match.end(2), match.end(3), True))
    return sorted(found, key=lambda equation: equation.start)


@lru_cache(maxsize=2)
def same_length(text: str) -> str:
    """Return a text with LaTeX, bold and wide characters replaced by plain signs and spaces, character by character.

    >>> same_length(r"4 \\times 2"), len(same_length(r"\\frac{1}{2}"))
    ('4 *      2', 11)
    """
    text = ascii_signs(text)
    if not text.isascii():
        text = text.translate(_ONE_BY_ONE)
    if "\r" in text:
        text = text.replace("\r\n", " \n")
    if "~~" in text:
        text = _STRUCK.sub(lambda found: _FOREIGN * len(found[0]), text)
    text = _ONE_UNIT.sub(without_unit, text)
    if "$" in text:
        text = _CLOSED.sub(" ", text)
    if "**" in text:
        text = _BOLD.sub("  ", text)
    if "&" in text or "</" in text or "<br" in text:
        text = without_markup(text, _HTML)
    if "[" in text or "{" in text:
        text = grouped(text)
    if "\\" in text or "{" in text:
        text = without_markup(text, _LATEX)
    return text


def without_markup(text: str, rules: Iterable[tuple[re.Pattern[str], str | None]]) -> str:
    """Return a text with each match of the rules padded, in their order."""
    for pattern, by in rules:
        text = pattern.sub(lambda found, by=by: padded(found, by), text)
    return text


def without_unit(found: re.Match[str]) -> str:
    """Return a match of _ONE_UNIT with blanks for its unit; unchanged if another unit precedes (2 hours 10 minutes)."""
    if _OTHER_UNIT.search(found.string, max(0, found.start() - 20), found.start()):
        return found[0]
    return found[0].replace(found["unit"], " " * len(found["unit"]))


def grouped(text: str) -> str:
    """Return a text with round brackets in place of square and curly ones around an operation.

    >>> grouped("{[(3+4)*2]-1}*3 = 39 [1]")
    '(((3+4)*2)-1)*3 = 39 [1]'
    """
    for pattern in _GROUPS:
        text = pattern.sub(r"(\1)", text)
    return text


def padded(found: re.Match[str], by: str | None) -> str:
    """Return what replaces a LaTeX command, in as many characters; a fraction for None."""
    length = len(found[0])
    if by is None:
        over, under = (part for part in found.groups() if part)
        joined = f"({over}/{under}" if (over + under).replace(".", "").isdigit() else f"(({over})/({under})"
        return joined.ljust(length - 1, "\0") + ")"
    if by == ",":
        return by.ljust(length, "\0")
    return by * length if by in (_FOREIGN, "\0") else by.ljust(length)


def unbracketed(chain: str, start: int) -> tuple[int, str]:
    """Return an equation without the brackets around it, and its start.

    >>> unbracketed("( 48+24 = 72)", 3)
    (5, '48+24 = 72')
    """
    first = _EQUALS.split(chain, maxsplit=1)[0]
    while chain.startswith("(") and first.count("(") > first.count(")"):
        inside = chain[1:].lstrip(" ")
        chain, first, start = inside, first[1:], start + len(chain) - len(inside)
    while chain.endswith(")") and (last := _EQUALS.split(chain)[-1]).count(")") > last.count("("):
        chain = chain[:-1].rstrip(" ")
    return start, chain


def is_prose(text: str) -> bool:
    """Whether a text is an equation as `find_prose` finds it.

    >>> is_prose("48 + 24 = 72"), is_prose("48 + x = 72")
    (True, False)
    """
    found = _PROSE.fullmatch(text)
    return found is not None and found["prose"] is not None


def find_equations(text: str, prose: bool) -> list[Equation]:
    """The annotations of a text, and with `prose` the equations in its prose, in order.

    >>> [equation.prose for equation in find_equations("1+1 = 2, so <<2*2=4>>4", prose=True)]
    [True, False]
    """
    found = list(find_annotations(text))
    return sorted([*found, *find_prose(text)], key=lambda equation: equation.start) if prose else found
