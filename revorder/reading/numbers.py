"""Numbers in a text: the value of a run of digits, or none if it may be part of something larger."""

from __future__ import annotations

import re
from fractions import Fraction

from revorder.arithmetic.expression import read_number
from revorder.arithmetic.numbers import Number, decimal_text, places_needed
from revorder.arithmetic.reversed_numbers import MARK
from revorder.errors import ProblemError
from revorder.reading.scanner import CUT, FRACTION, plain_text

NEAR = 60  # characters beside a number that say what it is
NOTATIONS = (MARK, "@@")  # of reversed numbers in a text: r|27 and @@27@@
# a number in a solution, with what may stand before it; a point that no digit precedes; what makes it an operand
NUMBER = re.compile(r"-?[$€£]?-?(?=\.?[0-9])(?:[1-9][0-9]{0,2}(?:[, ][0-9]{3})+(?![0-9])|[0-9]*)(?:\.[0-9]+)?")
BARE_POINT = re.compile(r"(?<![0-9.,])\.(?=[0-9])")
OPERAND_OF = re.compile(r"\s*(?:[+*/x×÷^]\s*[\w$(]|-\s*[0-9$(])")
DATE = re.compile(r"\b[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}\b|\b[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{4}\b")
MOST_PLACES = 400  # of a number in scientific notation

_WHOLE = re.compile(r"([0-9]+|[1-9][0-9]{0,2}([,'_ ])[0-9]{3}(?:\2[0-9]{3})*)(?:\.0{1,2}|(\.[0-9]+))?\Z")
# what makes another number of the digits that it stands at
_TOUCHES = r"[^\s\w=≈→⇒>]"
_AFTER = re.compile(
    rf"{CUT}|\^|{_TOUCHES}[0-9]|-(?!\w)|\.\([0-9]|!+(?=\s*[-+*/^=<>)(0-9])"
    r"|-?\s*[⁰¹²³⁴-⁹ⁱⁿ]|\s*(?:and )?[¼-¾⅐-⅞]"
    r"|\s*(?:[%‰]|per ?cent\b|hundred|thousand|[mbtr]+illion|dozen|lakh|crore|(?:k|[bmt]n|mil|mln|pi|π)\b"
    r"|(?-i:[MBT])(?=\W*\Z|[.,;)]))"
    r"|\s+(?:(?:squared|cubed|factorial|minus|plus|times|over|less|divided by|multiplied by)\b"
    r"|(?:tenth|hundredth|thousandth|hal(?:f|ve)|third|quarter)s?\b"
    r"|and (?:an?|one) (?:half|third|quarter)\b"
    r"|(?:is|are|was|would be)(?:n't| not| never)?(?: an?| the)? (?:wrong|incorrect|false|impossible|too )"
    r"|(?:is|are|was)(?:n't| not)\b)"
    r"|\s*[(\[]\s*(?:negative|minus|not|wrong|incorrect|false)\b",
    re.IGNORECASE,
)
_FUNCTIONS = "sqrt|cbrt|log|ln|lg|exp|sin|cos|tan|abs|floor|ceil"
# words and signs before a number or an expression that make another number of it, or deny it
CHANGES = (
    r"(?:[√∛∜±∓]\s*"
    rf"|\b(?:{_FUNCTIONS})(?:[_^]?[0-9]+)?\s*[( ]\s*|\bround\s*\(\s*"
    r"|\b(?:(?:half|twice|double|triple|thirds?|quarters?)(?: of)?|choose"
    r"|(?:square|cube|square root|cube root|root|factorial|reciprocal|inverse"
    r"|negative|opposite|logarithm|log|power|multiple|factor|percent) of)\s+|% of\s+"
    r"|(?:[≠≤≥]|(?:\b(?:not|never|cannot|neither|nor|except|excluding|other than|rather than"
    r"|instead of|unlike|(?:any\w*|all|every\w*) but)|n't)\b(?: be| equal| equal to| exactly)?)\s*)\Z"
)
_BEFORE = re.compile(
    rf"(?:[{CUT}.,^/—―]|r\||@@|\.\(|[0-9]{_TOUCHES}|[0-9]\\?\n|[0-9][^\S\n]+|-\+|[0-9]e\+"
    r"|\bround\s+|(?:!=|=/=|<=?|(?<![-=])>=?|=<"
    r"|\b(?:less|fewer|more|greater|smaller|larger|higher|lower|at (?:least|most)|up to|over|under|below|above)"
    rf"(?: than)?\b)\s*)\Z|{CHANGES}",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(-+)([\s(\[\"']*)\Z")
_MINUS_WORD = re.compile(r"\b(?:minus|negative)[\s(\[\"':]*\Z", re.IGNORECASE)
_STATES = re.compile(r"(?:[=:≈]|\b(?:is|equals|be))[ \t]*\Z", re.IGNORECASE)
_ONLY_FACTORIAL = re.compile(r"[^\w.]*[0-9]+!+\W*")
_QUOTIENT = re.compile(r"(-?)\(?(-?[0-9]{1,400})\)?\s*/\s*\(?(-?[0-9]{1,400})\)?")
_SCIENTIFIC = re.compile(r"([-+]?[0-9]{1,400})(?:\.([0-9]{1,400}))?[eE]([-+]?[0-9]{1,3})")
_REVERSED = re.compile(r"r\|([0-9]+(?:\.[0-9]+)?)(-(?![0-9.(\[r@]))?|@@([0-9]+(?:\.[0-9]+)?)(-?)@@")
_AROUND = " \t\n`$\"'_*"  # markup around a stored number


def number_at(text: str, run: re.Match[str]) -> str | None:
    """Return the number at a run of digits, with its sign and without separators; None if it may be another number."""
    whole = _WHOLE.match(run[1])
    before = text[max(0, run.start() - NEAR) : run.start()]
    glued = run[2] and not re.match(r"[Rr][ \t.]*[0-9]", text[run.end(1) : run.end() + NEAR])
    if not whole or glued or _AFTER.match(text, run.end(1)) or _BEFORE.search(before):
        return None
    if text.endswith("!", 0, run.end(1) + 1) and _ONLY_FACTORIAL.fullmatch(text):
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
            if len(dashes) > 1 or re.search(r"(?:[\w)\]]|-[\s(\[]*)\Z", ahead):
                return None  # a sign, a hyphen, or a second minus
            if (
                ahead.endswith("|")
                and "|" not in ahead[:-1]
                and re.match(r"\s*\|", text[run.end(1) : run.end() + NEAR])
            ):
                return None  # bars around the number
            if _BEFORE.search(ahead + " "):
                return None
            negative = True
    decimals = whole[3] or ""
    return ("-" if negative and (digits != "0" or decimals) else "") + digits + decimals


def with_remainder(quotient: str | None, remainder: str | None) -> str | None:
    """Join a quotient and a remainder; None if either is missing or not whole.

    >>> with_remainder("79", "5"), with_remainder("79", "0")
    ('79R5', '79')
    """
    if quotient is None or remainder is None or "." in quotient + remainder:
        return None
    return quotient if remainder == "0" else f"{quotient}R{remainder}"


def bare(text: str) -> str:
    """Return a stored answer without the markup around it."""
    return plain_text(FRACTION.sub(r"(\1\2)/(\3\4)", text)).strip().rstrip(".").strip(_AROUND)


def read_fraction(text: str) -> tuple[int, int] | None:
    """Return the numerator and the denominator, not 0, of an answer that is one fraction, as written.

    >>> read_fraction("-46/262"), read_fraction(r"\\frac{5}{4}"), read_fraction("80+4")
    ((-46, 262), (5, 4), None)
    """
    match = _QUOTIENT.fullmatch(bare(text))
    if match is None or not int(match[3]):
        return None
    return -int(match[2]) if match[1] else int(match[2]), int(match[3])


def read_stored(text: str) -> Number | None:
    """Return the number that a stored text is, such as `.5`, `$1,047.50`, `5e-07`, `3/4` or `10%`; None for any other
    text.

    >>> str(read_stored("5e-07")), read_stored("5/4").value, read_stored("about 5")
    ('0.0000005', Fraction(5, 4), None)
    """
    if len(text) > 4 * MOST_PLACES:
        return None
    if (fraction := read_fraction(text)) and fraction[0] % fraction[1]:
        return Number(Fraction(*fraction), 0)
    alone = bare(text)
    if match := _SCIENTIFIC.fullmatch(alone):
        whole, behind, exponent = match[1], match[2] or "", int(match[3])
        value = Fraction(int(whole + behind)) * Fraction(10) ** (exponent - len(behind))
        return Number(value, max(len(behind) - exponent, 0))
    try:
        return read_number(alone)
    except ProblemError:
        return None


def number_text(value: Fraction, most: int = MOST_PLACES) -> str:
    """Write a value with as few places as it needs; one that needs more than `most`, or never ends, as `a/b`.

    >>> number_text(Fraction(1, 2)), number_text(Fraction(1, 3))
    ('0.5', '1/3')
    """
    places = places_needed(value)
    return str(value) if places is None or places > most else decimal_text(int(value * 10**places), places)


def read_reversed(text: str) -> str:
    """Return a text with its reversed numbers read forward, in either notation, a negative one in brackets.

    >>> read_reversed("r|04+r|9-*@@05.7@@")
    '40+(-9)*7.50'
    """

    def forward(match: re.Match[str]) -> str:
        digits, sign = match[1] or match[3], match[2] or match[4]
        return f"(-{digits[::-1]})" if sign else digits[::-1]

    return _REVERSED.sub(forward, text)


def is_reversed(text: str) -> bool:
    """Whether a text is one reversed number.

    >>> is_reversed("r|05.7-"), is_reversed("r|05-30")
    (True, False)
    """
    return bool(_REVERSED.fullmatch(text))
