"""Results and scores: what came of each problem, exact-match scores with intervals, and what went wrong first."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, get_type_hints

from revorder.arithmetic.causes import find_cause
from revorder.arithmetic.expression import Expression, read_number
from revorder.errors import ProblemError

_hints: Callable[[type], dict[str, Any]] = cache(get_type_hints)


@dataclass(frozen=True, slots=True)
class Result:
    """One problem's outcome: `correct`: the stated answer is exact (the paper's metric); `verified`: every step is.

    `step` is the first wrong one, 0-based, and `reason` says why. `rollbacks` counts the quotient digits taken back,
    `correct_rollbacks` those of them that were wrong. `reply` is what a model wrote, where `text` holds the answer
    alone, or does not hold it as it came.
    """

    task: str
    problem: str
    text: str
    answer: str | None
    expected: str
    correct: bool
    verified: bool
    step: int | None
    reason: str
    rollbacks: int
    correct_rollbacks: int
    reply: str = ""

    @classmethod
    def read(cls, line: str) -> Result:
        """Read a line of JSON; raises ValueError where it is no result."""
        row = json.loads(line)
        kinds = _hints(cls)
        if not isinstance(row, dict) or not kinds.keys() - {"reply"} <= row.keys() <= kinds.keys():
            raise ValueError(f"its keys are not {', '.join(kinds)}")
        for key, value in row.items():
            if not isinstance(value, kinds[key]):
                raise ValueError(f"{key} is {value!r}")
        return cls(**row)


@dataclass(frozen=True, slots=True)
class Score:
    """A task's score. `false_passes`: verified and yet not correct, which must never happen.

    `rollbacks` counts every quotient digit taken back, `correct_rollbacks` those that were wrong; `rolled` the problems
    with any rollback, and `rolled_correct` those of them with the correct answer.

    >>> Score("ADD 5D", 1000, 1000, 1000).percent
    100.0
    """

    task: str
    total: int
    correct: int
    verified: int
    false_passes: int = 0
    rollbacks: int = 0
    correct_rollbacks: int = 0
    rolled: int = 0
    rolled_correct: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.correct / self.total if self.total else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson 95% interval of the percentage."""
        return wilson(self.correct, self.total)

    @property
    def is_clean(self) -> bool:
        """Whether every answer is right."""
        return self.correct == self.total

    @property
    def shown(self) -> str:
        """The percentage with its interval, as tables have it.

        >>> Score("ADD 5D", 1000, 999, 999).shown
        '99.9 (99.4-100.0)'
        """
        low, high = self.interval
        return f"{self.percent:.1f} ({low:.1f}-{high:.1f})"


def wilson(correct: int, total: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson score interval of a share, in percent; (0, 100) where there is nothing to count.

    >>> [round(end, 2) for end in wilson(1000, 1000)]
    [99.62, 100.0]
    """
    if not total:
        return 0.0, 100.0
    share = correct / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    low = 100 * (middle - half) / scale if correct else 0.0  # exactly: rounding would put the share outside
    high = 100 * (middle + half) / scale if correct < total else 100.0
    return low, high


def score_tasks(results: Iterable[Result]) -> list[Score]:
    """The score of each task, in the order in which the tasks first appear."""
    tasks: dict[str, list[Result]] = {}
    for result in results:
        tasks.setdefault(result.task, []).append(result)
    return [
        Score(
            task,
            total=len(rows),
            correct=sum(row.correct for row in rows),
            verified=sum(row.verified for row in rows),
            false_passes=sum(row.verified and not row.correct for row in rows),
            rollbacks=sum(row.rollbacks for row in rows),
            correct_rollbacks=sum(row.correct_rollbacks for row in rows),
            rolled=sum(row.rollbacks > 0 for row in rows),
            rolled_correct=sum(row.rollbacks > 0 and row.correct for row in rows),
        )
        for task, rows in tasks.items()
    ]


def together(scores: Iterable[Score]) -> Score:
    """The score of several tasks as one.

    >>> together([Score("ADD 1D", 100, 100, 100), Score("ADD 2D", 1000, 999, 999)]).correct
    1099
    """
    rows = list(scores)
    counts = [field.name for field in fields(Score)[1:]]
    return Score("together", **{name: sum(getattr(row, name) for row in rows) for name in counts})


def first_wrong(result: Result) -> str:
    """What kind of step went wrong first, in the judge's words without the numbers.

    >>> reason = "wrong digit in the sum 12+35: expected ..."
    >>> first_wrong(Result("", "12+35", "", "57", "47", False, False, 0, reason, 0, 0))
    'wrong digit in the sum'
    """
    what = re.split("[:,]", result.reason)[0]
    return re.sub(r"( of)? [0-9][0-9+*/-]*$", "", what).strip()


def error_kind(result: Result) -> str:
    """The kind of the first wrong step; of an answer without steps, what it looks like (arithmetic.causes).

    >>> reason = "wrong digit in the sum 48+24: ..."
    >>> error_kind(Result("", "48+24", "48+24=62", "62", "72", False, False, 0, reason, 0, 0))
    'carry'
    """
    kind = first_wrong(result)
    if kind.startswith("wrong") and result.answer and result.text == f"{result.problem}={result.answer}":
        with suppress(ProblemError):  # a quotient with its remainder
            expected, stated = read_number(result.expected), read_number(result.answer)
            return find_cause(Expression.parse(result.problem), expected.value, stated)
    return kind


def group_errors(results: Iterable[Result]) -> dict[tuple[str, str], list[Result]]:
    """What is wrong or not verified, by (operation, kind of error), the most frequent first."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if not (result.correct and result.verified):
            op = result.problem.lstrip("0123456789")[:1]
            groups.setdefault((op, error_kind(result)), []).append(result)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))
