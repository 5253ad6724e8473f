"""The judge: replays a method along a text, and names the first step that differs from what the method writes.

The same code writes and judges a trace. At each quotient digit the judge follows the digit in the text: a wrong digit
that is taken back is right, and a wrong digit that stays is a missed rollback.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.pictured import Pictured
from revorder.arithmetic.problem import Problem, ascii_signs
from revorder.arithmetic.trace import STEP_END, Kind, Piece
from revorder.errors import ProblemError, quote, shorten
from revorder.methods import Method, find_method

MISSED, NEEDLESS = "missed rollback", "rollback where nothing is to be taken back"  # how these reasons begin

_SPACE = re.compile(r"[^\S\n]+")
_QUESTION = re.compile(r"[^=\n]*")
_DIGITS = frozenset("0123456789")
_THOUSANDS = re.compile(r"(?<=[0-9])[,_'](?=[0-9]{3})")
_RESULTS = {"+": "sum", "-": "difference", "*": "product", "/": "quotient"}


@dataclass(frozen=True, slots=True)
class Verdict(Pictured):
    """The judge's verdict on a text.

    Attributes:
        ok: whether every step is right.
        answer: the answer that the text states, most significant digit first, or None.
        step: the 0-based index of the first wrong step, or None.
        reason: why that step is wrong, or an empty string.
        rollbacks: the number of wrong quotient digits that were rightly taken back before that step.
        kept: the number of right steps before that step, without those of wrong quotient digits.

    >>> from revorder import verify
    >>> verify("12+35=r|75=57").reason
    "wrong digit in the sum 12+35: expected 'r|74', found 'r|75'"
    """

    ok: bool
    answer: str | None
    step: int | None
    reason: str
    rollbacks: int = 0
    kept: int = 0


def verify(
    text: str | bytes,
    method: str = "revorder",
    form: str | None = None,
    problem: str | Problem | Expression | None = None,
) -> Verdict:
    """Return the verdict on a text as a trace of `method`, in time linear in its length.

    Empty lines and spaces don't matter, except spaces in the question's numbers. × ÷ − are accepted. No text makes the
    judge raise.

    Args:
        text: the text to judge; bytes are read as UTF-8.
        method: the name of the method.
        form: the form of the method; without it, every form is accepted.
        problem: the problem that the text must be about; without it, any question is accepted.

    Raises:
        ProblemError: for an unknown method or form, or an unreadable `problem`.

    >>> verify("948/12=8R-(12*80)(r|069)(-r|21)#9R-(12*9)(r|801)(0)=79").reason
    "missed rollback of the quotient digit 8, the right one is 7: expected 'W', found '#'"
    """
    judging, _ = find_method(method, form)
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    if isinstance(problem, str):
        problem = Expression.parse(problem)
    if isinstance(problem, Expression) and problem.is_problem:
        problem = problem.problem()
    try:
        asked = judging.parse_question(text)
    except ProblemError as error:
        return Verdict(False, None, 0, f"no question to judge: {error}")
    if problem is not None and asked != problem:
        return Verdict(
            False, judging.parse_answer(text), 0, f"the question was changed: expected '{problem}', found '{asked}'"
        )
    written = ascii_signs(text)
    if written.split() != [written]:
        written = re.sub(r"\n+", "\n", _SPACE.sub("", written)).strip("\n")
    written = without_separators(written)
    best = best_replay(judging, form, asked, written)
    if best.ok:
        return Verdict(True, asked.answer, None, "", best.rollbacks, best.kept)
    return Verdict(False, judging.parse_answer(text), best.step, best.reason, best.rollbacks, best.kept)


class Replay(NamedTuple):
    """How far a text follows a `form` of a method; `at` counts its characters without spaces.

    `step`, `reason`, `rollbacks` and `kept` are as in Verdict. `pieces` are what the method writes given the quotient
    digits of the text, up to the first piece that the text does not have.
    """

    ok: bool
    at: int
    step: int
    reason: str
    rollbacks: int = 0
    kept: int = 0
    form: str = ""
    pieces: Sequence[Piece] = ()


def without_separators(text: str, by: str = "") -> str:
    """Return a text with `by` in place of the thousands separators of its question.

    >>> without_separators("1,234+5=r|9,321")
    '1234+5=r|9,321'
    """
    if not ("," in text or "_" in text or "'" in text):
        return text
    return _QUESTION.sub(lambda match: _THOUSANDS.sub(by, match[0]), text, count=1)


def best_replay(method: Method, form: str | None, problem: Problem | Expression, written: str) -> Replay:
    """Return the replay in `form`, or without it in the form that follows the text furthest.

    >>> from revorder import METHODS
    >>> best_replay(METHODS["revorder"], None, Problem(1, "+", 1), "1+1\\n=r|2\\n=2").form
    'expanded'
    """
    first, *others = [form] if form else method.forms
    best = replay(method, first, problem, written)
    for name in others:
        if best.ok:
            break
        best = max(best, replay(method, name, problem, written), key=lambda one: (one.ok, one.at))
    return best


def replay(method: Method, form: str, problem: Problem | Expression, written: str) -> Replay:
    """Compare `written`, a text without spaces, with what the method writes for `problem`."""
    at = step = rollbacks = 0
    lost = begun = 0  # steps of wrong quotient digits; the step of the last quotient digit
    pieces: list[Piece] = []
    pending: tuple[str, str | None] | None = None  # a wrong quotient digit or block not taken back yet; the right one

    def choose(quotient_step: int, correct: int, width: int = 1) -> int:
        nonlocal pending, rollbacks, lost, begun
        if pending:
            rollbacks += 1
            lost += step - begun
        pending, begun = None, step
        found, right = written[at : at + width], f"{correct:0{width}d}"
        if len(found) == width and _DIGITS.issuperset(found):
            if quotient_step < 0:  # no digit is correct there, not even the 0 that the method asks about
                pending = found, None
            elif found != right and method.can_rollback:
                pending = found, right
        return int(found) if pending else correct

    def ended(ok: bool, reason: str = "") -> Replay:
        return Replay(ok, at, step, reason, rollbacks, (begun if pending else step) - lost, form, pieces)

    try:
        for piece in method.pieces(problem, form, choose, True):
            pieces.append(piece)
            text = piece[0]
            if text and written.startswith(text, at):
                at += len(text)
                continue
            if piece is STEP_END:
                step += 1
                continue
            expected = _SPACE.sub("", text)
            if written.startswith(expected, at):
                at += len(expected)
                continue
            if piece[1] is Kind.ANSWER and at == len(written):
                return ended(True)
            common = 0
            while at + common < len(written) and common < len(expected) and written[at + common] == expected[common]:
                common += 1
            reason = describe_difference(method, piece, expected, written, at, common, pending)
            at += common
            return ended(False, reason)
    except ProblemError as error:  # the expression has no answer
        return ended(False, str(error))
    return ended(False, f"nonsense after the end: {quote(written[at:])}") if at < len(written) else ended(True)


def describe_difference(
    method: Method,
    piece: Piece,
    expected: str,
    written: str,
    at: int,
    common: int,
    pending: tuple[str, str | None] | None,
) -> str:
    """Return why `written` differs from `expected`.

    Args:
        method: the method that writes `expected`.
        piece: the piece that `expected` is the text of.
        expected: the text that the method writes.
        written: the whole text, without spaces.
        at: where in `written` the piece begins.
        common: the number of equal characters before the difference.
        pending: a wrong quotient digit or block that is not taken back yet, and the correct one, which is None if no
            digit belongs there.

    >>> from revorder import METHODS
    >>> piece = ("r|74", Kind.REVERSED, "+", 12, 35)
    >>> describe_difference(METHODS["revorder"], piece, "r|74", "12+35=r|75", 6, 3, None)
    "wrong digit in the sum 12+35: expected 'r|74', found 'r|75'"
    """
    _, kind, op, a, b = piece
    asked = shorten(f"{a}{op}{b}")
    found = written[at : at + len(expected)]
    differ = f": expected {quote(expected)}, found {quote(found)}"
    if at + common == len(written):
        return f"the text ends early{differ}"
    wanted, got = expected[common], written[at + common]
    if pending and kind is Kind.ROLLBACK:
        why = "the divisor does not fit yet" if pending[1] is None else f"the right one is {pending[1]}"
        what = "digit" if len(pending[0]) == 1 else "block"
        return f"{MISSED} of the quotient {what} {pending[0]}, {why}: expected {wanted!r}, found {got!r}"
    if pending and pending[1] is None and (kind is Kind.UNREACHED or (kind is Kind.COPY and expected.isdigit())):
        mark = method.unreached_mark
        return f"the divisor does not fit yet: expected {mark!r}, found the quotient digit {pending[0]}"
    if got.isdigit() and not wanted.isdigit() and not common and at and written[at - 1].isdigit():
        return f"a number has more digits than it should{differ}"
    if method.rollback_mark and got == method.rollback_mark and kind is not Kind.SIGN:
        return f"{NEEDLESS}: expected {wanted!r}, found {got!r}"
    if kind is Kind.SIGN:
        return f"missed sign, {shorten(str(a))} is less than {shorten(str(b))}{differ}"
    if kind is Kind.CARRIED_DOWN:
        return f"wrong carry-down{differ}"
    if kind is Kind.ANSWER:
        return f"wrong answer{differ}"
    if kind is Kind.ESTIMATE:
        return f"{'wrong' if got.isdigit() else 'missing'} quotient digit of {asked}{differ}"
    if kind in (Kind.FORWARD, Kind.REVERSED):
        what = "digit" if wanted.isdigit() and got.isdigit() else "length or sign"
        return f"wrong {what} in the {_RESULTS[op]} {asked}{differ}"
    if kind is Kind.BASIC:
        return f"wrong digit{differ}"
    if not wanted.isdigit():
        return f"not the notation{differ}"
    return f"a copied digit {'was changed' if got.isdigit() else 'is missing'}{differ}"
