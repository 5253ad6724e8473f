"""Mixtures, read from YAML and checked: the problems to draw, their shares, and how to write them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from revorder.methods import METHODS, find_method
from revorder.settings import Count, Settings, read_settings

LONGEST = 70  # digits of an operand; the random bits of an example suffice for two such operands
MIXTURES = Path(__file__).parent

Share = Annotated[float, Field(ge=0, le=1, description="a number from 0 to 1")]
Name = Annotated[str, Field(pattern=r"^[\w. -]{0,99}\w$", description="letters, digits, . _ -, up to 100 of them")]
DigitCount = Annotated[int, Field(ge=1, le=LONGEST)]


def _in_order(pair: tuple[int, int]) -> tuple[int, int]:
    if pair[0] > pair[1]:
        raise ValueError("the least first")
    return pair


DigitRange = Annotated[
    tuple[DigitCount, DigitCount],
    BeforeValidator(lambda value: (value, value) if type(value) is int else value),
    AfterValidator(_in_order),
    Field(description=f"a digit count from 1 to {LONGEST}, or [least, most]"),
]


class MixturePart(Settings):
    """One kind of problem in a mixture.

    Attributes:
        op: one of `+ - * /`.
        a: the least and most digits of the first operand.
        b: the least and most digits of the second operand.
        weight: the weight of the part among the parts of the mixture.
        draw: how operands are drawn. `lengths` draws the digit count uniformly, then the digits. `values` draws the
            value uniformly below 10**most, as the authors' generator does. For /, `values` shares out the digit count
            `a` uniformly between divisor and quotient, each of at least one digit, so the dividend has `a` digits or
            one less, and the division is exact. `retries` draws divisions of at most `a` digits; in most of them, two
            quotient digits in a row are estimated too high. `sparse` draws products whose second operand has a first
            digit, another one and zeros. `zeros` draws divisions whose dividend has up to 17 digits and zeros. `fives`
            draws products whose first operand ends in 0 or 5. `near` draws divisions whose dividend is near a
            multiple of the divisor with zeros behind it.
        remainder: the share of divisions that need not be exact.
        hard: the share of hard cases (revorder.mixtures.hard_cases).
        swap_operands: whether to swap the operands half of the time.
    """

    op: Literal["+", "-", "*", "/"] = Field(description="+ - * /")
    a: DigitRange
    b: DigitRange
    weight: Annotated[float, Field(gt=0, le=1e6, description="a number above 0, up to a million")] = 1
    draw: Literal["lengths", "values", "retries", "sparse", "zeros", "fives", "near"] = "lengths"
    remainder: Share = 0
    hard: Share = 0
    swap_operands: bool = False

    @model_validator(mode="after")
    def _dividends_reach_divisors(self) -> MixturePart:
        if self.op == "/" and self.a[1] < self.b[1]:
            raise ValueError(
                f"key 'a' is at most {self.a[1]} digits, less than 'b'; dividends must be as long as divisors"
            )
        if self.draw == "retries" and (self.op != "/" or self.b[0] < 3 or self.a[1] < self.b[1] + 2):
            raise ValueError(
                "key 'draw' is \"retries\"; accepted: for /, 'b' of 3 digits or more, 'a' of two more than 'b'"
            )
        if self.draw == "zeros" and self.op != "/":
            raise ValueError("key 'draw' is \"zeros\"; accepted: for /")
        if self.draw == "near" and (self.op != "/" or self.a[1] <= self.b[1]):
            raise ValueError("key 'draw' is \"near\"; accepted: for /, 'a' of one digit more than 'b'")
        if self.draw == "fives" and (self.op != "*" or self.a[0] < 2 or self.swap_operands):
            raise ValueError("key 'draw' is \"fives\"; accepted: for *, 'a' of 2 digits or more, no 'swap_operands'")
        if self.draw == "sparse" and (self.op != "*" or self.b[0] < 2 or self.swap_operands):
            raise ValueError("key 'draw' is \"sparse\"; accepted: for *, 'b' of 2 digits or more, no 'swap_operands'")
        return self


class Mixture(Settings, frozen=True):  # pyright: ignore[reportGeneralTypeIssues]  # hashable, as every frozen one is
    """The problems to draw, and how to write them (section 5.1.1, appendix B).

    Attributes:
        name: the name, which begins the shards' file names.
        method: the name of the method that writes the traces.
        form: a form of the method; by default its first form.
        answer: whether traces end with the forward answer; by default as the method does.
        rollback: the share of divisions that write one random quotient digit wrong, off by one, and take it back.
        estimate_digits: the number of leading digits of the divisor, with the dividend's digits above them, that each
            quotient digit is estimated from; an estimate that is too high is taken back (revorder.mixtures.rollbacks).
        size: the number of examples by default.
        parts: the kinds of problems.

    >>> Mixture.read("lean").method
    'lean'
    """

    name: Name = "unnamed"
    method: str = Field(default="revorder", description="a method's name")
    form: str = Field(default="", description="a form of the method")
    answer: bool = True
    rollback: Share = 0
    estimate_digits: int = Field(default=0, ge=0, description="a whole number, 0 for none")
    size: Count = 100_000
    parts: Annotated[tuple[MixturePart, ...], Field(min_length=1, description="a list of parts")]

    @model_validator(mode="before")
    @classmethod
    def _fill_form(cls, settings: Any) -> Any:
        if isinstance(settings, dict) and isinstance(name := settings.get("method", "revorder"), str):
            form = settings.get("form") or None
            if form is None or isinstance(form, str):
                method, form = find_method(name, form)
                return {"answer": method.writes_answer} | settings | {"form": form}
        return settings

    @model_validator(mode="after")
    def _rolls_back(self) -> Mixture:
        for key in ("rollback", "estimate_digits"):
            if getattr(self, key) and not METHODS[self.method].can_rollback:
                able = ", ".join(name for name, method in METHODS.items() if method.can_rollback)
                raise ValueError(f"key {key!r} is for a method that takes digits back; accepted: {able}")
        if self.rollback and self.estimate_digits:
            raise ValueError("keys 'rollback' and 'estimate_digits'; give one of them")
        return self

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Mixture:
        """Return a mixture from a YAML file, a packaged name, or a mapping.

        Raises ProblemError with the file, the wrong key, its value, and what is accepted.

        >>> Mixture.read({"parts": [{"op": "+", "a": [1, 16], "b": 3}]}).parts[0].b
        (3, 3)
        """
        return read_settings(cls, source, MIXTURES, "mixture")
