"""The tokenizer: one token a character, `r|` one token, and each digit's token says its place.

A digit of a number gets the number of digits to its right as its place (units: 0). A digit of a reversed number gets
the place that comes next (after the first digit: 1), so that the token at which a digit is predicted names the place
of the digits that it is computed from. Nothing changes in the text: `123+46=r|961` has 11 tokens either way.
With `places=0` it is an ordinary character tokenizer.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .digits import MARK
from .problem import ProblemError, quote

PAD, BOS, EOS = "<pad>", "<bos>", "<eos>"
PLACES = 40
_CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_PIECES = re.compile(r"(r\|[0-9]+)|([0-9]+)|(r\|)|(.)", re.DOTALL)


class Tokenizer:
    """Encodes text to token ids and back, without any library; `places` is how many places digits are told apart by.

    >>> tokenizer = Tokenizer()
    >>> tokenizer.tokens(tokenizer.encode("123+46=r|961"))
    ['1₂', '2₁', '3', '+', '4₁', '6', '=', 'r|', '9₁', '6₂', '1₃']
    """

    def __init__(self, places: int = PLACES) -> None:
        self.places = places
        others = [char for char in _CHARACTERS if not char.isdigit()]
        digits = [digit + mark(place) for place in range(max(places, 1)) for digit in "0123456789"]
        self.vocabulary = [PAD, BOS, EOS, MARK, *others, *digits]
        self.ids = {token: i for i, token in enumerate(self.vocabulary)}
        self.pad, self.bos, self.eos = 0, 1, 2
        self._first = len(self.vocabulary) - len(digits)  # the id of '0' at place 0

    def __len__(self) -> int:
        return len(self.vocabulary)

    def encode(self, text: str) -> list[int]:
        """Token ids of a text, without <bos> and <eos>; places beyond the last one count as the last one.

        Raises ProblemError at a character that has no token.

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
                raise ProblemError(f"text {quote(text)}: {char!r} has no token; accepted: ASCII characters")
        return out

    def digit(self, char: str, place: int) -> int:
        """The id of a digit at a place; of a #, which stands for a 0 before a quotient, where others follow.

        >>> tokenizer = Tokenizer()
        >>> tokenizer.tokens([tokenizer.digit("7", 2), tokenizer.digit("#", 2), tokenizer.digit("#", 0)])
        ['7₂', '#', '0']
        """
        if char == "#" and place:
            return self.ids["#"]
        return self.ids[char.replace("#", "0") + mark(min(place, max(self.places, 1) - 1))]

    def tokens(self, ids: list[int]) -> list[str]:
        """The tokens' names, places as subscripts.

        >>> Tokenizer().tokens([1, 2])
        ['<bos>', '<eos>']
        """
        return [self.vocabulary[i] for i in ids]

    def decode(self, ids: list[int]) -> str:
        """The text of token ids; <pad>, <bos> and <eos> have none.

        >>> tokenizer = Tokenizer()
        >>> tokenizer.decode(tokenizer.encode("948/12=7r|48r|801"))
        '948/12=7r|48r|801'
        """
        vocabulary, first = self.vocabulary, self._first
        return "".join([vocabulary[i][0] if i >= first else vocabulary[i] for i in ids if i > 2])

    def factors(self, token: int) -> tuple[int, int | None]:
        """(what, place) of a token: digits share a `what` over all places, other tokens have no place, `r|` has 0.

        >>> tokenizer = Tokenizer()
        >>> [tokenizer.factors(i) for i in tokenizer.encode("r|7")]
        [(3, 0), (97, 1)]
        """
        if token >= self._first:
            place, digit = divmod(token - self._first, 10)
            return self._first + digit, place
        return token, 0 if token == self.ids[MARK] else None


def mark(place: int) -> str:
    """The subscript that names a place in a token; none for the units.

    >>> mark(12), mark(0)
    ('₁₂', '')
    """
    return str(place).translate(_LOW) if place else ""


def build(places: int = PLACES) -> Any:
    """The same tokenizer as a `tokenizers.Tokenizer`, which writes the tokenizer.json that other runtimes read.

    Raises ImportError without the `tokenizers` package.

    >>> build().encode("<bos>12+35=r|74").ids == [1, *Tokenizer().encode("12+35=r|74")]
    True
    """
    from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers
    from tokenizers import Tokenizer as Fast

    plain = Tokenizer(places)
    last = places - 1
    steps: list[Any] = []
    if places > 1:
        # zero-width insertions of the subscripts, the far end first, so that digits not yet marked stay together
        steps = [normalizers.Replace(Regex(rf"(?<=r\|[0-9]{{{k}}})"), mark(k)) for k in range(last, 0, -1)]
        steps += [
            normalizers.Replace(Regex(rf"(?<=[0-9])(?=[0-9]{{{k}}}(?![0-9]))"), mark(k)) for k in range(last, 0, -1)
        ]
    fast = Fast(models.WordLevel(dict(plain.ids), unk_token=PAD))
    fast.normalizer = normalizers.Sequence(steps)
    fast.pre_tokenizer = pre_tokenizers.Split(Regex(r"r\||[0-9][₀-₉]*|[\s\S]"), "isolated")
    fast.decoder = decoders.Sequence([decoders.Replace(Regex("[₀-₉]+"), ""), decoders.Fuse()])
    # r| is no special token: skip_special_tokens would drop it and leave a wrong number
    fast.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in (PAD, BOS, EOS)])
    return fast


def save(folder: str | Path, places: int = PLACES) -> None:
    """Write tokenizer.json and tokenizer_config.json, loadable by transformers 4 and 5.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(folder)
    """
    import json

    folder = Path(folder)
    build(places).save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": PAD,
        "bos_token": BOS,
        "eos_token": EOS,
        "clean_up_tokenization_spaces": False,
        "revorder_places": places,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")


def __getattr__(name: str) -> Any:
    """RevOrderTokenizer, made when it is asked for: a transformers tokenizer whose `decode` restores reversed numbers.

    `RevOrderTokenizer.from_pretrained(folder).decode(ids)` gives `12+35=47` for `12+35=r|74` (section 5.4.2: recovery
    by the tokenizer's decode function).
    """
    if name != "RevOrderTokenizer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from transformers import PreTrainedTokenizerFast

    from .digits import restore

    class RevOrderTokenizer(PreTrainedTokenizerFast):
        def _decode(self, *args: Any, **options: Any) -> str:
            return restore(super()._decode(*args, **options))

    globals()[name] = RevOrderTokenizer
    return RevOrderTokenizer
