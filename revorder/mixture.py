"""A mixture: which problems are drawn, in what shares, and how they are written; read from YAML with every key checked."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .methods import METHODS, method_named
from .problem import OPS, ProblemError
from .settings import COUNT, SHARE, YES, Keys, checked, filled, read_yaml, whole

MAX_DIGITS = 32  # an operand's; the randomness of an example is enough for two of them


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of problem in a mixture; `a` and `b` are the least and most digits of the operands.

    `draw`: `lengths` draws the digit count uniformly, then the digits; `values` draws the value uniformly below
    10**most, as the authors' generator does (for /: the digit count `a` is shared out uniformly between divisor and
    quotient, both of at least one digit, so the dividend has that many or one less; always exact).
    `remainder`: the share of divisions that need not be exact. `hard`: the share of carry and borrow chains, equal and
    near-equal operands, zeros inside, powers of ten, and divisions that leave 0, 1 or b-1 or have a small dividend.
    `either`: swap the operands half of the time.
    """

    op: str
    a: tuple[int, int]
    b: tuple[int, int]
    weight: float = 1
    draw: str = "lengths"
    remainder: float = 0
    hard: float = 0
    either: bool = False


@dataclass(frozen=True, slots=True)
class Mixture:
    """What is drawn, and how it is written (section 5.1.1, appendix B).

    `rollback`: the share of divisions that take one wrong quotient digit back, off by one of `rollback_by`; by a list
    there, several in turn, in place of what the margin says of that digit.
    `margin`: quotient digits are rounded up where the remainder falls short of the divisor by at most this share of it,
    and taken back: an estimate that is a little off is then never too low, which no borrow would show. 0.5 rounds to
    the nearest. `unsure`: this near to that bound, in divisors, either digit will do: one is drawn at random, and that
    it is one of the two is learned.

    >>> Mixture.read("small").method
    'lean'
    """

    name: str
    parts: tuple[Part, ...]
    method: str = "revorder"
    form: str = ""
    answer: bool = True
    rollback: float = 0
    rollback_by: tuple[int | tuple[int, ...], ...] = (-1, 1)
    margin: float = 0
    unsure: float = 0
    size: int = 100_000

    @classmethod
    def read(cls, source: str | Path | dict[str, Any], where: str = "mixture") -> Mixture:
        """Read a YAML file, a packaged mixture by its name, or a mapping, which messages call `where`.

        Raises ProblemError that names the file, the wrong key, and what it accepts.

        >>> Mixture.read({"parts": [{"op": "+", "a": [1, 16], "b": 3}]}).parts[0].b
        (3, 3)
        """
        if not isinstance(source, dict):
            where = f"mixture {str(source)!r}"
            source = read_yaml(source, where)
        if not isinstance(source, dict) or not isinstance(source.get("parts"), list) or not source["parts"]:
            raise ProblemError(f"{where}: accepted: a mapping with a list of parts")
        settings = checked(source, cls, where, MIXTURE_KEYS)
        settings["parts"] = tuple([read_part(part, f"{where}, part {i}") for i, part in enumerate(settings["parts"])])
        settings.setdefault("name", "unnamed")
        try:
            module, settings["form"] = method_named(settings.get("method", "revorder"), settings.get("form") or None)
        except ProblemError as error:
            raise ProblemError(f"{where}: {error}") from None
        for key in ("rollback", "margin", "unsure"):
            if settings.get(key) and not module.ROLLS_BACK:
                able = ", ".join(name for name, method in METHODS.items() if method.ROLLS_BACK)
                raise ProblemError(f"{where}: key {key!r} is for a method that takes digits back; accepted: {able}")
        if settings.get("unsure") and not settings.get("margin"):
            raise ProblemError(
                f"{where}: key 'unsure' is about the bound of 'margin'; accepted: both above 0, or neither"
            )
        if "rollback_by" in settings:
            settings["rollback_by"] = tuple(
                [by if isinstance(by, int) else tuple(by) for by in settings["rollback_by"]]
            )
        return cls(**settings)

    def spec(self) -> dict[str, Any]:
        """The mixture as plain data, all of its settings spelled out."""
        return asdict(self)


def digits(value: Any) -> bool:
    """Whether a value is a digit count, or the least and the most of them."""
    pair = list(value) if isinstance(value, (list, tuple)) else [value, value]
    return len(pair) == 2 and all(map(whole(1, MAX_DIGITS), pair)) and pair[0] <= pair[1]


def offsets(value: Any) -> bool:
    """Whether a value is how far digits are off: a number from -9 to 9 but 0, or a list of them."""
    return all(whole(-9, 9)(by) and by for by in (value if filled(value) else [value]))


_TEXT = (lambda value: value is None or isinstance(value, str), "a name")
_DIGITS = (digits, f"a digit count from 1 to {MAX_DIGITS}, or [least, most]")
MIXTURE_KEYS: Keys = {
    "name": (lambda value: isinstance(value, str) and re.fullmatch(r"[\w. -]*\w", value), "letters, digits, . _ -"),
    "parts": (lambda value: isinstance(value, list) and value, "a list of parts"),
    "method": (lambda value: isinstance(value, str), "a method's name"),
    "form": _TEXT,
    "answer": YES,
    "rollback": SHARE,
    "rollback_by": (
        lambda value: filled(value) and all(map(offsets, value)),
        "a list of numbers from -9 to 9 but 0, or of lists of them",
    ),
    "margin": SHARE,
    "unsure": SHARE,
    "size": COUNT,
}
PART_KEYS: Keys = {
    "op": (lambda value: value in tuple(OPS), " ".join(OPS)),
    "a": _DIGITS,
    "b": _DIGITS,
    "weight": (lambda value: type(value) in (int, float) and 0 < value < math.inf, "a number above 0"),
    "draw": (lambda value: value in ("lengths", "values"), "lengths, values"),
    "remainder": SHARE,
    "hard": SHARE,
    "either": YES,
}


def read_part(settings: Any, where: str) -> Part:
    """A Part from plain data; raises ProblemError that says which value is wrong."""
    settings = checked(settings, Part, where, PART_KEYS)
    for key in ("op", "a", "b"):
        if key not in settings:
            raise ProblemError(f"{where}: key {key!r} is missing; accepted: {PART_KEYS[key][1]}")
    for key in "ab":
        value = settings[key]
        settings[key] = (value, value) if isinstance(value, int) else tuple(value)
    part = Part(**settings)
    if part.op == "/" and part.a[1] < part.b[1]:
        raise ProblemError(
            f"{where}: key 'a' is at most {part.a[1]} digits, less than 'b'; accepted: dividends as long as divisors"
        )
    return part
