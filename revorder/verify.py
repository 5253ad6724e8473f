"""The judge: replays a method along a text, part by part, and names the first step that is not what the method writes.

The method that writes a trace is the one that judges it. At each quotient digit the judge follows what the text
chose, so a wrong digit that is taken back is right, and one that is not is a missed rollback.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import ModuleType

from .methods import method_named
from .problem import Expression, Problem, ProblemError, ascii_signs, quote
from .trace import ANSWER, COPY, DOWN, GUESS, SIGN, STEP, Part

_SPACE = re.compile(r"[^\S\n]+")
_QUESTION = re.compile(r"[^=\n]*")
_THOUSANDS = re.compile(r"(?<=[0-9])[,_'](?=[0-9]{3})")
_OPERATIONS = {"+": "sum", "-": "difference", "*": "product", "/": "quotient"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says of a text.

    `ok`: every step is right. `answer`: what the text states, most significant digit first, or None. `step`: the
    0-based index of the first wrong step, None where there is none. `reason`: why it is wrong, empty where it is
    not. `rollbacks`: how many wrong quotient digits were taken back, rightly, up to there.

    >>> from revorder import verify
    >>> verify("12+35=r|75=57").reason
    "wrong digit in the sum 12+35: expected 'r|74', found 'r|75'"
    """

    ok: bool
    answer: str | None
    step: int | None
    reason: str
    rollbacks: int = 0


def verify(
    text: str | bytes,
    method: str = "revorder",
    form: str | None = None,
    problem: str | Problem | Expression | None = None,
) -> Verdict:
    """Judge a text as a trace of `method`; spaces, empty lines and × ÷ − make no difference.

    With `problem` the text's question must be that one. Without `form` every form of the method is accepted.
    Never raises for what the text says, and takes time linear in its length; raises ProblemError for an unknown
    method, form, or an unreadable `problem`.

    >>> verify("948/12=8R-(12*80)(r|069)(-r|21)#9R-(12*9)(r|801)(0)=79").reason
    "missed rollback of the quotient digit 8, the right one is 7: expected 'W', found '#'"
    """
    module, only = method_named(method, form)
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    if isinstance(problem, str):
        problem = Expression.parse(problem)
    if isinstance(problem, Expression) and problem.is_problem:
        problem = problem.problem()
    try:
        asked = module.question(text)
    except ProblemError as error:
        return Verdict(False, None, 0, f"no question to judge: {error}")
    if problem is not None and asked != problem:
        return Verdict(False, module.final(text), 0, f"the question was changed: expected '{problem}', found '{asked}'")
    written = re.sub(r"\n+", "\n", _SPACE.sub("", ascii_signs(text))).strip("\n")
    written = _QUESTION.sub(lambda match: _THOUSANDS.sub("", match[0]), written, count=1)
    best = max(
        (replay(module, name, asked, written) for name in (module.FORMS if form is None else [only])), key=_reach
    )
    if best.ok:
        return Verdict(True, asked.answer, None, "", best.rollbacks)
    return Verdict(False, module.final(text), best.step, best.reason, best.rollbacks)


@dataclass(frozen=True, slots=True)
class Replay:
    """How far a text follows one form of a method: `at` counts its characters without spaces."""

    ok: bool
    at: int
    step: int
    reason: str
    rollbacks: int


def _reach(replay: Replay) -> tuple[bool, int]:
    return replay.ok, replay.at


def replay(module: ModuleType, form: str, problem: Problem | Expression, written: str) -> Replay:
    """Follow `written`, without spaces, along what the method writes for `problem`.

    >>> from revorder.methods import plain
    >>> replay(plain, "plain", Problem(1, "+", 1), "1+1=2").ok
    True
    """
    at = step = rollbacks = 0
    pending: tuple[int, int | None] | None = None  # a wrong quotient digit not yet taken back, and the right one

    def guess(quotient_step: int, right: int) -> int:
        nonlocal pending, rollbacks
        rollbacks += pending is not None
        char = written[at : at + 1]
        digit = int(char) if char in set("0123456789") else right
        if quotient_step < 0:  # no digit is right there, not even a 0, which the method does not write
            pending = (digit, None) if char == str(digit) else None
        else:
            pending = (digit, right) if digit != right and module.ROLLS_BACK else None
        return digit if pending else right

    try:
        for part in module.write(problem, form, guess, True):
            if part is STEP:
                step += 1
                continue
            expected = _SPACE.sub("", part[0])
            if written.startswith(expected, at):
                at += len(expected)
                continue
            if part[1] == ANSWER and at == len(written):
                return Replay(True, at, step, "", rollbacks)
            common = 0
            while at + common < len(written) and common < len(expected) and written[at + common] == expected[common]:
                common += 1
            return Replay(False, at + common, step, explain(part, expected, written, at, common, pending), rollbacks)
    except ProblemError as error:  # an expression whose reduction has no answer
        return Replay(False, at, step, str(error), rollbacks)
    if at < len(written):
        return Replay(False, at, step, f"nonsense after the end: {quote(written[at:])}", rollbacks)
    return Replay(True, at, step, "", rollbacks)


def explain(
    part: Part, expected: str, written: str, at: int, common: int, pending: tuple[int, int | None] | None
) -> str:
    """Say why `written` differs from `expected` at `at`, after `common` equal characters.

    `pending`: a wrong quotient digit that is not taken back yet and the right one, None where none belongs.

    >>> explain(("r|74", "r+", 12, 35), "r|74", "12+35=r|75", 6, 3, None)
    "wrong digit in the sum 12+35: expected 'r|74', found 'r|75'"
    """
    _, kind, a, b = part
    found = written[at : at + len(expected)]
    differ = f": expected {quote(expected)}, found {quote(found)}"
    if at + common == len(written):
        return f"the text ends early{differ}"
    wanted, got = expected[common], written[at + common]
    if pending and wanted == "W":
        why = "the divisor does not fit yet" if pending[1] is None else f"the right one is {pending[1]}"
        return f"missed rollback of the quotient digit {pending[0]}, {why}: expected 'W', found {got!r}"
    if pending and pending[1] is None and kind == COPY and (expected.isdigit() or pending[0] == 0):
        return f"the divisor does not fit yet: expected '#', found the quotient digit {pending[0]}"
    if got.isdigit() and not wanted.isdigit() and not common and at and written[at - 1].isdigit():
        return f"a number has more digits than it should{differ}"
    if got == "W" and kind != SIGN:
        return f"rollback where nothing is to be taken back: expected {wanted!r}, found 'W'"
    if kind == SIGN:
        return f"missed sign, {a} is less than {b}{differ}"
    if kind == DOWN:
        return f"wrong carry-down{differ}"
    if kind == ANSWER:
        return f"wrong answer{differ}"
    if kind == GUESS:
        return f"{'wrong' if got.isdigit() else 'missing'} quotient digit of {a}/{b}{differ}"
    if kind[-1] in _OPERATIONS:
        what = "digit" if wanted.isdigit() and got.isdigit() else "length or sign"
        return f"wrong {what} in the {_OPERATIONS[kind[-1]]} {a}{kind[-1]}{b}{differ}"
    if kind == COPY:
        if not wanted.isdigit():
            return f"not the notation{differ}"
        return f"a copied digit {'was changed' if got.isdigit() else 'is missing'}{differ}"
    return f"wrong digit{differ}"
