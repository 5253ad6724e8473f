"""Read a trace's text back: classify each character, as far as the judge follows the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.problem import Problem, ascii_signs
from revorder.arithmetic.trace import STEP_END, Kind, Segment, Trace, as_segments, split_steps
from revorder.errors import ProblemError
from revorder.judge import Replay, best_replay, without_separators
from revorder.methods import Method, find_method
from revorder.metrics.csid import Digit, digits_of

_SPACE = re.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True)
class Char:
    """A character of a trace: its kind, its digit if it is a computed one, and whether a rollback takes it back."""

    char: str
    kind: Kind
    digit: Digit | None = None
    taken_back: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A trace's text as the judge follows it.

    Args:
        problem: The question, None if it can't be read.
        steps: The correct characters, one row per step.
        wrong: The text after the correct characters.
        verdict: The judge's verdict.
        trace: The whole trace if it is right, else None.
    """

    problem: Problem | Expression | None
    steps: tuple[tuple[Char, ...], ...]
    wrong: str
    verdict: Replay
    trace: Trace | None


def read_trace(text: str, method: str = "revorder", form: str | None = None, explain: bool = True) -> Reading:
    """Follow a text as the judge does; with `explain` each computed digit carries its sources.

    Raises ProblemError for an unknown method or form.

    >>> reading = read_trace("12+39=r|1")
    >>> [char.digit.sids for char in reading.steps[0] if char.digit], reading.wrong, reading.verdict.ok
    ([()], '', False)
    """
    writer, _ = find_method(method, form)
    text = re.sub(r"\n\s*\n", "\n", ascii_signs(text)).strip()
    try:
        problem = writer.parse_question(text)
    except ProblemError as error:
        return Reading(None, (), text, Replay(False, 0, 0, f"no question to judge: {error}"), None)
    places = [i for i, char in enumerate(without_separators(text, " ")) if not _SPACE.match(char)]
    written = "".join([text[i] for i in places])
    verdict = best_replay(writer, form, problem, written)
    segments: list[Segment] = []
    chars: list[Char] = []
    breaks: list[int] = []  # the index in `chars` at each step's end
    begins: dict[Kind, int] = {}  # the start of each kind's last segment
    at = 0
    for segment in as_segments(verdict.pieces):
        if at == verdict.at and segment.text:
            break
        segments.append(segment)
        if segment is STEP_END:
            breaks.append(len(chars))
            continue
        end = min(at + len(_SPACE.sub("", segment.text)), verdict.at)
        begins[segment.kind] = len(chars)
        piece = text[places[at] : places[end] if end < len(places) else len(text)]
        chars += explained(segment, piece) if explain else [Char(char, segment.kind) for char in piece]
        at = end
        if (mark := taken_back_from(segment, writer)) and mark in begins:
            begin = begins[mark]
            chars[begin:] = [Char(char.char, char.kind, char.digit, True) for char in chars[begin:]]
    steps = [tuple(chars[i:j]) for i, j in zip([0, *breaks], [*breaks, len(chars)], strict=True)]
    whole = Trace(problem, method, verdict.form, split_steps(segments), problem.answer) if verdict.ok else None
    wrong = text[places[at] :] if at < len(places) else ""
    return Reading(problem, tuple(step for step in steps if step), wrong, verdict, whole)


def taken_back_from(segment: Segment, method: Method) -> Kind | None:
    """Return the kind of the earliest segment that a rollback mark takes back, or None for any other segment."""
    if segment.kind is Kind.SIGN and segment.text == method.rollback_mark:
        return Kind.REVERSED
    return Kind.ESTIMATE if segment.kind is Kind.ROLLBACK else None


def explained(segment: Segment, piece: str) -> list[Char]:
    """Return the characters of a segment or of its beginning, with their digits.

    >>> segment = Segment("r|14", Kind.REVERSED, "+", 12, 29)
    >>> [char.digit and char.digit.place for char in explained(segment, "r|14")]
    [None, None, 1, 2]
    """
    digits = list(digits_of(segment))
    skip = 0
    if segment.kind is Kind.FORWARD:  # there may be other numbers beside the result
        value = str(Problem(segment.a, segment.op, segment.b).value)
        written = _SPACE.sub("", segment.text)
        spots = [match.start() for match in re.finditer(f"(?<![0-9]){value}(?![0-9])", written)]
        skip = spots[0] if len(spots) == 1 else len(written)
    chars: list[Char] = []
    for char in piece:
        found = bool(digits) and skip <= 0 and char == digits[0].char
        chars.append(Char(char, segment.kind, digits.pop(0) if found else None))
        skip -= not _SPACE.match(char)
    return chars
