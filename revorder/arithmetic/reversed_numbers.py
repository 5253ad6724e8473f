"""Write reversed numbers such as `r|4321`, and restore them in a text or in a stream."""

from __future__ import annotations

import re

MARK = "r|"
# A minus after the digits is a sign (`r|21-` is -12) unless an operand follows it (`r|801-12*9`, `r|801-r|27`).
_REVERSED = re.compile(r"r\|([0-9]+)(-(?![0-9r(]))?")
_APART = re.compile(r"(?<=[0-9])r\|(?=[0-9])")


def reversed_number(n: int) -> str:
    """Return `n` reversed: the mark, the digits least significant first, the minus sign last (section 4.1).

    >>> reversed_number(-12)
    'r|21-'
    """
    return f"r|{str(n)[::-1]}"


def restore(text: str) -> str:
    """Return `text` with every reversed number most significant digit first, and a space between adjacent numbers.

    >>> restore("12+35=r|74"), restore("948/12=70r|48r|801")
    ('12+35=47', '948/12=70 84 108')
    """
    return _REVERSED.sub(lambda match: forward(match[1], match[2]), _APART.sub(" r|", text))


def forward(digits: str, sign: str | None = None) -> str:
    """Return digits that are least significant first as a forward number without leading zeros.

    >>> forward("0510", "-")
    '-150'
    """
    number = digits[::-1].lstrip("0") or "0"
    return f"-{number}" if sign and number != "0" else number


class Restorer:
    """Restore reversed numbers in a stream: feed it text as it arrives, get back the text that is final.

    >>> restorer = Restorer()
    >>> [restorer.feed(piece) for piece in ("1+1", "3=r", "|41", "=")] + [restorer.finish()]
    ['1+1', '3=', '', '14=', '']
    """

    def __init__(self) -> None:
        self._waiting = ""  # the text that may still change
        self._before = ""  # the character before that text, if it is a digit

    def feed(self, text: str) -> str:
        """Take the next piece of text, and return the restored text up to a number that may continue."""
        text = self._waiting + text
        cut = text.rfind("r", max(0, len(text) - 1))
        start = text.rfind(MARK)
        if start >= 0:
            match = _REVERSED.match(text, start)
            end = match.end() if match else start + len(MARK)
            # more digits may follow, and a minus is a sign only if no operand follows
            if end == len(text) or text[end:] == "-":
                cut = start
        self._waiting = text[cut:] if cut >= 0 else ""
        return self._give(text[:cut], "r") if cut >= 0 else self._give(text)

    def finish(self) -> str:
        """Return the rest of the text, after its last piece.

        >>> restorer = Restorer()
        >>> restorer.feed("r|41"), restorer.finish()
        ('', '14')
        """
        rest, self._waiting = self._waiting, ""
        return self._give(rest)

    def _give(self, text: str, then: str = "") -> str:
        # `then` is the next character: a minus before an operand is not a sign
        restored = restore(self._before + text + then)[len(self._before) :].removesuffix(then)
        if restored:
            self._before = restored[-1] if restored[-1] in "0123456789" else ""
        return restored
