"""The tokenizer: one token per character, one token for `r|`, and a place in the token of every digit.

The place of a digit in a number is the number of digits to its right (units: 0). A digit of a reversed number gets the
place that comes next (the first digit: 1). So the token from which a digit is predicted names the place of the digits
that it is computed from. The text does not change: `123+46=r|961` has 11 tokens either way.
With `places=0` it is an ordinary character tokenizer.
"""

from __future__ import annotations

import re

from revorder.arithmetic.reversed_numbers import MARK
from revorder.errors import ProblemError, quote

PAD, BOS, EOS = "<pad>", "<bos>", "<eos>"
PLACES = 40
_CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_PIECES = re.compile(r"(r\|[0-9]+)|([0-9]+)|(r\|)|(.)", re.DOTALL)


class Tokenizer:
    """Encode text to token ids and back, without any library; `places` is the number of places with own tokens.

    >>> tokenizer = Tokenizer()
    >>> tokenizer.tokens(tokenizer.encode("123+46=r|961"))
    ['1₂', '2₁', '3', '+', '4₁', '6', '=', 'r|', '9₁', '6₂', '1₃']
    """

    def __init__(self, places: int = PLACES) -> None:
        self.places = places
        others = [char for char in _CHARACTERS if not char.isdigit()]
        digits = [digit + place_suffix(place) for place in range(max(places, 1)) for digit in "0123456789"]
        self.vocabulary = [PAD, BOS, EOS, MARK, *others, *digits]
        self.ids = {token: i for i, token in enumerate(self.vocabulary)}
        self.pad, self.bos, self.eos = 0, 1, 2
        self._first = len(self.vocabulary) - len(digits)  # the id of '0' at place 0

    def __len__(self) -> int:
        return len(self.vocabulary)

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text, without <bos> and <eos>; places above the last count as the last.

        Raises ProblemError at a character without a token.

        >>> len(Tokenizer().encode("12+35=r|74"))
        9
        """
        out: list[int] = []
        ids, first, last = self.ids, self._first, max(self.places, 1) - 1
        for backward, forward, lone, char in _PIECES.findall(text):
            if forward:
                top = len(forward) - 1
                out += [first + 10 * min(top - i, last) + int(digit) for i, digit in enumerate(forward)]
            elif backward:
                out.append(ids[MARK])
                out += [first + 10 * min(i, last) + int(digit) for i, digit in enumerate(backward[2:], 1)]
            elif lone:
                out.append(ids[MARK])
            elif char in ids:
                out.append(ids[char])
            else:
                raise ProblemError(f"text {quote(text)}: {char!r} has no token; give ASCII characters")
        return out

    def tokens(self, ids: list[int]) -> list[str]:
        """Return the tokens' names, with places as subscripts."""
        return [self.vocabulary[i] for i in ids]

    def decode(self, ids: list[int]) -> str:
        """Return the text of token ids, without <pad>, <bos> and <eos>.

        >>> tokenizer = Tokenizer()
        >>> tokenizer.decode(tokenizer.encode("948/12=7r|48r|801"))
        '948/12=7r|48r|801'
        """
        vocabulary, first = self.vocabulary, self._first
        return "".join([vocabulary[i][0] if i >= first else vocabulary[i] for i in ids if i > self.eos])

    def offsets(self, ids: list[int]) -> list[tuple[int, int]]:
        """Return the (start, end) of each token in characters, as `tokenizers` does; <bos> and <eos> are empty.

        >>> tokenizer = Tokenizer()
        >>> tokenizer.offsets(tokenizer.encode("1=r|1"))
        [(0, 1), (1, 2), (2, 4), (4, 5)]
        """
        out: list[tuple[int, int]] = []
        at = 0
        for i in ids:
            size = 0 if i <= self.eos else len(MARK) if i == self.eos + 1 else 1
            out.append((at, at + size))
            at += size
        return out

    def shift_places(self, ids: list[int], offset: int) -> list[int]:
        """Return the ids with every place moved up by `offset`, for training only.

        `r|` moves too: at place n its id is len(self) + n - 1, which only a model in training has.

        >>> tokenizer = Tokenizer(places=5)
        >>> tokenizer.tokens(tokenizer.shift_places(tokenizer.encode("12+7"), 3))
        ['1₄', '2₃', '+', '7₃']
        """
        mark, moved = self.ids[MARK], len(self) + offset - 1
        return [i + 10 * offset if i >= self._first else moved if i == mark and offset else i for i in ids]

    def top_place(self, ids: list[int]) -> int:
        """Return the highest place that the ids name, or 0.

        >>> Tokenizer().top_place(Tokenizer().encode("12+345="))
        2
        """
        return max(0, (max(ids, default=0) - self._first) // 10)

    def factors(self, token: int) -> tuple[int, int | None]:
        """Return (symbol, place) of a token: a digit is one symbol at all places, `r|` has place 0, others None.

        >>> tokenizer = Tokenizer()
        >>> [tokenizer.factors(i) for i in tokenizer.encode("r|7")]
        [(3, 0), (97, 1)]
        """
        if token >= len(self):
            return self.ids[MARK], token - len(self) + 1
        if token >= self._first:
            place, digit = divmod(token - self._first, 10)
            return self._first + digit, place
        return token, 0 if token == self.ids[MARK] else None


def place_suffix(place: int) -> str:
    """Return the subscript for a place in a token's name, empty for the units.

    >>> place_suffix(12), place_suffix(0)
    ('₁₂', '')
    """
    return str(place).translate(_LOW) if place else ""
