"""The columns of experiments: their problems, and their names in tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from revorder.arithmetic.problem import OPS, Problem
from revorder.evaluation.suites import EXTRA, SEED, SMALL, Column, Draw, columns
from revorder.methods import trace
from revorder.metrics.token_cost import characters
from revorder.mixtures.sampling import held_out


def table1_columns(n: int, only: Collection[str] = ()) -> dict[str, list[Problem]]:
    """Return Table 1's 32 columns, or `only` those named, of up to `n` held-out problems."""
    wanted: list[Column] = [column for column in SMALL + EXTRA if not only or column[0] in only]
    return columns(wanted, Draw(OPS, n, SEED))


def problems_by_digits(op: str, digits: int, n: int) -> list[Problem]:
    """Return up to `n` held-out problems with operands of `digits` digits, dividends of twice as many."""
    return held_out(op, digits * (2 if op == "/" else 1), digits, n, SEED)


def digits_named(op: str, digits: int) -> str:
    """Return the table name of `problems_by_digits`.

    >>> digits_named("*", 6), digits_named("/", 6)
    ('6D * 6D', '12D / 6D')
    """
    return f"{digits * (2 if op == '/' else 1)}D {op} {digits}D"


def fits(problems: Sequence[Problem], method: str, form: str, longest: int) -> bool:
    """Whether at least half of a sample of traces have up to `longest` tokens, the most its model trained on.

    >>> fits([Problem(12, "+", 35)], "scratchpad", "scratchpad", 24)
    False
    """
    lengths = [
        characters(trace(problem, method, form).text) + 2 for problem in problems[:: max(1, len(problems) // 50)]
    ]
    return sum(length <= longest for length in lengths) * 2 >= len(lengths)


def fewer(tasks: Mapping[str, Sequence[Problem]], n: int) -> str:
    """Return the columns with fewer than `n` problems, in words.

    >>> fewer({"DIV 1D": [Problem(1, "/", 1)], "DIV 5D": [Problem(1, "/", 1)] * 2}, 2)
    'columns with fewer: DIV 1D (1)'
    """
    short = [f"{task} ({len(problems)})" for task, problems in tasks.items() if len(problems) < n]
    return f"columns with fewer: {', '.join(short)}" if short else "no column has fewer"


def by_op(tasks: list[str]) -> dict[str, list[str]]:
    """Return the columns by operation, in order.

    >>> by_op(["ADD 1D", "ADD 2D", "DIV 1D"])
    {'ADD': ['ADD 1D', 'ADD 2D'], 'DIV': ['DIV 1D']}
    """
    found: dict[str, list[str]] = {}
    for task in tasks:
        found.setdefault(task.partition(" ")[0], []).append(task)
    return found
