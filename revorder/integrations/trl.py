"""Rewards for TRL's trainers: the judge, and the reader of answers, as functions of prompts and completions.

A reward takes `prompts` and `completions`, texts or lists of messages, and columns of the dataset. It returns a number
from 0 to 1 for each completion, or None for a row without an answer or a problem. It depends on nothing before, has no
timeout, and never raises for a model's text. `functools.partial(step_reward, method="lean")` sets the method.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.numbers import Number
from revorder.arithmetic.problem import ascii_signs
from revorder.arithmetic.reversed_numbers import MARK
from revorder.arithmetic.trace import Kind, correct_digit
from revorder.errors import ProblemError
from revorder.inference.prompts import Prompts, without_fence
from revorder.judge import verify
from revorder.methods import find_method, trace
from revorder.methods.base import Method
from revorder.reading.answers import extract_answer, read_answer
from revorder.reading.checking import check_text
from revorder.reading.numbers import number_text
from revorder.reading.sides import RIGHT, UNREAD

Turns = str | Sequence[dict[str, Any]]  # a text, or the messages of a chat
Rewards = list[float | None]

_NUMBER = "(?:0|(?<=0))"  # a number of a skeleton, or further digits of the one before


def answer_reward(
    prompts: Sequence[Turns],
    completions: Sequence[Turns],
    answer: Sequence[Any] | None = None,
    method: str = "revorder",
    form: str | None = None,
    **columns: Any,
) -> Rewards:
    """Return 1.0 for each completion whose last stated answer is that of the column `answer`, else 0.0.

    A completion is read as a trace of the method; with `plain`, as any words. A part of a number does not count, nor
    does a list of numbers. Raises ProblemError for an unknown method or form.

    >>> answer_reward(["12+35="] * 3, ["r|74=47", "r|74=470", "46 or 47"], answer=["47"] * 3)
    [1.0, 0.0, 0.0]
    """
    writer, _ = find_method(method, form)
    rights = [
        None if right is None else canonical(read_answer(str(right))) for right in answer or [None] * len(completions)
    ]
    return [
        None if right is None else float(shortest(stated_answer(writer, text_of(completion))) == shortest(right))
        for right, completion in zip(rights, completions, strict=True)
    ]


def step_reward(
    prompts: Sequence[Turns],
    completions: Sequence[Turns],
    problem: Sequence[str | None] | None = None,
    method: str = "revorder",
    form: str | None = None,
    **columns: Any,
) -> Rewards:
    """Return the share of the problem's steps that each completion writes before its first wrong one.

    The problem is that of the column `problem`, or else of the last line of the prompt. A quotient digit that is taken
    back adds no step. Raises ProblemError for an unknown method or form.

    >>> step_reward(["948/12="] * 2, ["7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79", "7R-(12*70)(r|048)(r|801)#8"])
    [1.0, 0.3333333333333333]
    """
    return rewards(share_of_steps, prompts, completions, problem, method, form)


def format_reward(
    prompts: Sequence[Turns],
    completions: Sequence[Turns],
    problem: Sequence[str | None] | None = None,
    method: str = "revorder",
    form: str | None = None,
    **columns: Any,
) -> Rewards:
    """Return 1.0 for each completion in the method's notation, whatever its digits and signs, else 0.0.

    >>> format_reward(["12+35="] * 2, ["r|75=57", "It is 47."])
    [1.0, 0.0]
    """
    return rewards(is_in_format, prompts, completions, problem, method, form)


_warned = False


def equation_reward(prompts: Sequence[Turns], completions: Sequence[Turns], **columns: Any) -> Rewards:
    """Return the share of the equations in each completion that are right; None if it states none that can be read.

    >>> equation_reward([""] * 3, ["48+24 = 72, 2*3 = 7", "<<48/2=24>>24", "It is 72."])
    [0.5, 1.0, None]
    """
    found = [equation_score(text_of(completion)) for completion in completions]
    warn_alike(found)
    return found


def equation_veto(prompts: Sequence[Turns], completions: Sequence[Turns], **columns: Any) -> Rewards:
    """Return 0.0 for a completion that states a wrong equation, else None, so that it can only lower a reward.

    >>> equation_veto([""] * 2, ["48+24 = 72, 2*3 = 7", "48+24 = 72"])
    [0.0, None]
    """
    return [0.0 if (score := equation_score(text_of(text))) is not None and score < 1 else None for text in completions]


def equation_score(text: str) -> float | None:
    """Return the share of a text's readable equations that are right; None if it states none."""
    verdicts = [found.verdict for found in check_text(text) if found.verdict != UNREAD]
    return verdicts.count(RIGHT) / len(verdicts) if verdicts else None


def warn_alike(found: Rewards) -> None:
    """Warn once, on stderr, that all rewards of a batch are equal: nothing is learned from them."""
    global _warned
    if not _warned and len(found) > 1 and len(set(found)) == 1:
        _warned = True
        print(
            f"revorder: all {len(found)} rewards of a batch are {found[0]}: nothing can be learned from it",
            file=sys.stderr,
        )


def rewards(
    judge: Callable[[Any, str, str, str], float],
    prompts: Sequence[Turns],
    completions: Sequence[Turns],
    problem: Sequence[str | None] | None,
    method: str,
    form: str | None,
) -> Rewards:
    """Return the highest score that `judge` gives each completion in any form of the method, or in the named one."""
    writer, named = find_method(method, form)
    forms = writer.forms if form is None else [named]
    found: Rewards = []
    for asked, completion in zip(problem or map(last_line, prompts), completions, strict=True):
        try:
            expression = Expression.parse(asked if isinstance(asked, str) else "")
            read = expression if writer.takes_expressions and not expression.is_problem else expression.problem()
            found.append(max(judge(read, text_of(completion), method, name) for name in forms))
        except ProblemError:  # the row has no problem, or one that the method can't write
            found.append(None)
    return found


# The text of a completion


def text_of(turns: Turns | None) -> str:
    """Return a text unchanged, or the text of the last message; empty if that is not text, or a tool's.

    >>> text_of([{"role": "assistant", "content": [{"type": "text", "text": "r|74"}]}])
    'r|74'
    """
    if isinstance(turns, str):
        return turns
    if not turns:
        return ""
    last = turns[-1] if isinstance(turns, Sequence) else None
    if not isinstance(last, Mapping) or last.get("role") == "tool":  # a tool's message is not the model's answer
        return ""
    content = last.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = "".join([part for part in parts if isinstance(part, str)])
    return content if isinstance(content, str) else ""


def shortest(number: str | None) -> str | None:
    """Return a number without trailing zeros of its decimals; `47.000` keeps its point, since it may be 47 thousand.

    >>> shortest("3.50"), shortest("350"), shortest("47.000")
    ('3.5', '350', '47.')
    """
    return number.rstrip("0") if number and "." in number else number


def canonical(answer: Number | str | None) -> str | None:
    """Return a right answer as `extract_answer` writes it.

    >>> canonical(read_answer("1e+3")), canonical(read_answer("79 remainder 2"))
    ('1000', '79R2')
    """
    return number_text(answer.value) if isinstance(answer, Number) else answer


def last_line(prompt: Turns) -> str:
    """Return the last line of a prompt, which may begin with worked examples.

    >>> last_line("1+1=r|2=2\\n12+35=")
    '12+35='
    """
    return text_of(prompt).rstrip().rpartition("\n")[2]


def stated_answer(method: Method, reply: str) -> str | None:
    """Return the last answer of a reply, as the method writes it; None if it is one of a list, such as `46=47`.

    >>> from revorder import METHODS
    >>> [stated_answer(METHODS["plain"], reply) for reply in ("So it is **47**.", "46; 47", "46 or 47", "46=47")]
    ['47', None, None, None]
    """
    reply = without_fence(reply)
    fields = [field.strip() for field in ascii_signs(reply.rpartition("\n")[2]).split("=") if field.strip()]
    if len({method.parse_answer(f"={field}") for field in fields if MARK not in field[1:]} - {None}) > 1:
        return None
    return extract_answer(reply) if method.states_answer_only else method.parse_answer(f"={reply}")


# How much of it is right


def share_of_steps(problem: Any, reply: str, method: str, form: str) -> float:
    """Return the share of right steps before the first wrong one; less than 1 if a step is wrong.

    >>> share_of_steps(Expression.parse("948/12").problem(), "8R-(12*80)(r|069)(-r|21)W7R-(12*7", "revorder", "compact")
    0.0
    """
    verdict = verify(Prompts(method, form).as_trace(problem, reply), method, form, problem)
    if verdict.ok:
        return 1.0
    count = len(trace(problem, method, form).steps)
    return min(verdict.kept, count - 1) / count


def is_in_format(problem: Any, reply: str, method: str, form: str) -> float:
    """Return 1.0 if a reply is right, or would be with other digits and signs, with any digits taken back, else 0.0.

    >>> is_in_format(Expression.parse("94/12").problem(), "8r|69r|019W7r|48r|0=7R9", "lean", "lean")
    1.0
    """
    text = Prompts(method, form).as_trace(problem, reply)
    if verify(text, method, form, problem).ok:
        return 1.0
    written = re.sub(r"\n+", "\n", skeleton(text)).strip("\n")
    return float(bool(notation(problem, method, form).fullmatch(written)))


@lru_cache(maxsize=512)
def notation(problem: Any, method: str, form: str) -> re.Pattern[str]:
    """Return a pattern of the skeletons of a problem's traces, with any number of digits taken back.

    >>> bool(notation(Expression.parse("12+35").problem(), "revorder", "compact").fullmatch("0+0=r|0=0"))
    True
    """
    pieces: list[str] = []
    asked: Counter[int] = Counter()

    def choose(step: int, correct: int, width: int = 1, /) -> int:
        """Choose a wrong digit, then a wrong 0, which may have no product: atomic groups of the pattern."""
        wrong = [correct + 1 if correct < 2 else correct - 1, *([0] if correct else [])]
        turn = asked[step]
        asked[step] += 1
        pieces.append("(?>(?:" if not turn else "|" if turn < len(wrong) else ")*)")
        return [*wrong, correct][turn]

    writer, _ = find_method(method, form)
    for text, kind, op, *_ in writer.pieces(problem, form, choose if writer.can_rollback else correct_digit, True):
        remainder = kind is Kind.REVERSED and op == "-"  # below 0 it may be in brackets
        piece = re.escape(skeleton(text).strip("()" if remainder else "")).replace("0", _NUMBER)
        pieces.append(
            f"[()]{{0,2}}{piece}[()]{{0,2}}" if remainder else f"(?:{piece})?" if kind is Kind.ANSWER else piece
        )
    return re.compile("".join(pieces))


def skeleton(text: str) -> str:
    """Return a text with each number as 0, without spaces and minus signs.

    >>> skeleton("12-35=r|32-=-23")
    '0=r|0=0'
    """
    return re.sub("[0-9]+", "0", re.sub(r"[^\S\n]+|-", "", ascii_signs(text)))
