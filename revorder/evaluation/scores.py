"""Results and scores: the outcome of each problem, exact match with intervals, and the first wrong steps."""

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
    """The outcome of one problem.

    Attributes:
        correct: Whether the stated answer is exact, the paper's metric.
        verified: Whether every step is right.
        step: The first wrong step, 0-based; `reason` says what is wrong in it.
        rollbacks: The number of quotient digits taken back.
        correct_rollbacks: The number of those that were wrong.
        reply: The model's reply, if `text` is not its words.
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
        """Read a line of JSON; raises ValueError if it is not a result."""
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
    """The score of a task, as numbers of problems and of rollbacks.

    `false_passes` counts verified answers that are not correct, which must never happen; `rollbacks` the quotient
    digits taken back, `correct_rollbacks` the wrong ones among them; `rolled` the problems with a rollback, and
    `rolled_correct` those of them that end with the correct answer.

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
        """The percentage with its interval, as in tables.

        >>> Score("ADD 5D", 1000, 999, 999).shown
        '99.9 (99.4-100.0)'
        """
        low, high = self.interval
        return f"{self.percent:.1f} ({low:.1f}-{high:.1f})"


def wilson(correct: int, total: int) -> tuple[float, float]:
    """Return the Wilson score interval of a share, in percent; (0, 100) if `total` is 0.

    >>> [round(end, 2) for end in wilson(1000, 1000)]
    [99.62, 100.0]
    """
    if not total:
        return 0.0, 100.0
    z = 1.959964  # 95%
    share = correct / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    low = 100 * (middle - half) / scale if correct else 0.0  # exact: rounding would put the share outside
    high = 100 * (middle + half) / scale if correct < total else 100.0
    return low, high


def score_tasks(results: Iterable[Result]) -> list[Score]:
    """Return the score of each task, in the order in which the tasks first appear."""
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
    """Return the score of several tasks as one.

    >>> together([Score("ADD 1D", 100, 100, 100), Score("ADD 2D", 1000, 999, 999)]).correct
    1099
    """
    rows = list(scores)
    counts = [field.name for field in fields(Score)[1:]]
    return Score("together", **{name: sum(getattr(row, name) for row in rows) for name in counts})


def first_wrong(result: Result) -> str:
    """Return the kind of the first wrong step, in the judge's words without the numbers.

    >>> reason = "wrong digit in the sum 12+35: expected ..."
    >>> first_wrong(Result("", "12+35", "", "57", "47", False, False, 0, reason, 0, 0))
    'wrong digit in the sum'
    """
    what = re.split("[:,]", result.reason)[0]
    return re.sub(r"( of)? [0-9][0-9+*/-]*$", "", what).strip()


def error_kind(result: Result) -> str:
    """Return the kind of the first wrong step, or the likely cause of an answer without steps (arithmetic.causes).

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
    """Return the results that are wrong or not verified, by (operation, kind of error), the most frequent first."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if not (result.correct and result.verified):
            op = result.problem.lstrip("0123456789")[:1]
            groups.setdefault((op, error_kind(result)), []).append(result)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))
