"""Suites: the problems that a model is scored on, by task.

A suite is one function, whose docstring is its line in `revorder eval --help`, and one line in SUITES.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from revorder.arithmetic.problem import Problem
from revorder.errors import ProblemError
from revorder.evaluation.hard_suite import hard_tasks
from revorder.evaluation.neighbours import Confidence, hardest_neighbours
from revorder.evaluation.ordinary import ordinary_tasks
from revorder.evaluation.patterns import pattern_tasks
from revorder.model.checkpoint import CheckpointInfo

SEED = 2024  # of the problems, unless another is given
Tasks = dict[str, list[Problem]]
Column = tuple[str, str, int, int]  # task, op, digits of both operands (a division's first is the dividend)

# The columns of Table 1 that BIG-bench has; its divisors have any length up to the dividend's
SMALL: list[Column] = [
    *[(f"{name} {n}D", op, n, n) for name, op in (("ADD", "+"), ("SUB", "-"), ("MUL", "*")) for n in range(1, 6)],
    *[(f"DIV {n}D", "/", n, m) for n in range(1, 6) for m in range(1, n + 1)],
]
# The columns that it does not have
EXTRA: list[Column] = [
    ("ADD 8D+8D", "+", 8, 8),
    ("ADD 16D+8D", "+", 16, 8),
    ("ADD 16D+16D", "+", 16, 16),
    ("SUB 8D-8D", "-", 8, 8),
    ("SUB 16D-8D", "-", 16, 8),
    ("SUB 16D-16D", "-", 16, 16),
    ("MUL 16D*1D", "*", 16, 1),
    ("MUL 8D*4D", "*", 8, 4),
    ("MUL 6D*6D", "*", 6, 6),
    ("DIV 16D/1D", "/", 16, 1),
    ("DIV 6D/3D", "/", 6, 3),
    ("DIV 12D/6D", "/", 12, 6),
]
ONE_DIGIT: list[Column] = [(f"MUL {n}D*1D", "*", n, 1) for n in range(1, 6)]
# Operands longer than the calculator's training, by half if its places and positions allow that
BEYOND: list[Column] = [
    *[(f"ADD {n}D+{n}D", "+", n, n) for n in (50, 60)],
    *[(f"SUB {n}D-{n}D", "-", n, n) for n in (50, 60)],
    *[(f"MUL {n}D*{m}D", "*", n, m) for n, m in ((45, 1), (54, 1), (20, 20), (22, 22))],
    *[(f"DIV {n}D/{m}D", "/", n, m) for n, m in ((45, 1), (54, 1), (42, 21), (48, 24))],
]


@dataclass(frozen=True, slots=True)
class Draw:
    """The problems to draw from a suite.

    Attributes:
        ops: The operations.
        n: The number of problems of a task; None for all.
        seed: The seed.
        data: The folder of BIG-bench's files (corpora.bigbench).
        say: Called with a line that the user should read.
        confidence: How sure the model is of its traces (evaluation.neighbours); None if it can't be asked.
    """

    ops: str
    n: int | None
    seed: int
    data: str | None = None
    say: Callable[[str], None] = lambda line: None
    confidence: Confidence | None = None


def columns(wanted: Iterable[Column], draw: Draw, split: str = "test") -> Tasks:
    """Return held-out problems of each task: operands of exactly the stated digits, divisions without a remainder.

    The columns of a task share its problems.

    >>> {task: len(problems) for task, problems in columns(SMALL, Draw("/", 10, 0)).items()}
    {'DIV 1D': 10, 'DIV 2D': 10, 'DIV 3D': 10, 'DIV 4D': 10, 'DIV 5D': 10}
    """
    from revorder.mixtures.sampling import held_out

    sizes: dict[str, list[tuple[str, int, int]]] = {}
    for task, op, a, b in wanted:
        if op in draw.ops:
            sizes.setdefault(task, []).append((op, a, b))
    n = draw.n or 1000
    return {
        task: [
            problem for op, a, b in many for problem in held_out(op, a, b, -(-n // len(many)), draw.seed, split=split)
        ][:n]
        for task, many in sizes.items()
    }


def bigbench(draw: Draw) -> Tasks:
    """BIG-bench's problems of 1 to 5 digits"""
    from revorder.corpora.bigbench import load

    return {task: problems[: draw.n] for task, problems in load(draw.data, draw.ops).items()}


def extra(draw: Draw) -> Tasks:
    """Table 1's 12 columns of 6 digits and more"""
    return columns(EXTRA, draw)


def table1(draw: Draw) -> Tasks:
    """bigbench and extra, all 32 columns of Table 1"""
    from revorder.corpora.bigbench import folder_of

    if draw.data or folder_of(None):
        return bigbench(draw) | extra(draw)
    draw.say(
        "BIG-bench's problems are not here, so 1D-5D are drawn, held out from training; "
        "give the folder of its files by --data or $REVORDER_DATA"
    )
    return columns(SMALL + EXTRA, draw)


def one_digit(draw: Draw) -> Tasks:
    """products of 1 to 5 digits by one digit"""
    return columns(ONE_DIGIT, draw)


def hard(draw: Draw) -> Tasks:
    """20,000 hard problems in 28 families"""
    return hard_tasks(draw.ops, draw.seed, draw.n)


def patterns(draw: Draw) -> Tasks:
    """16D+16D and 16D-16D, every pattern of carries and of borrows once"""
    return pattern_tasks(draw.ops, draw.seed, draw.n)


def ordinary(draw: Draw) -> Tasks:
    """decimals of up to 17 significant digits, scaled to integers"""
    return ordinary_tasks(draw.ops, draw.seed, draw.n or 2000)


def beyond(draw: Draw) -> Tasks:
    """operands longer than those trained on"""
    return columns(BEYOND, draw)


def validation(draw: Draw) -> Tasks:
    """the columns of extra, from the validation split: use it to choose, the others to report"""
    return columns(EXTRA, draw, "validation")


def neighbours(draw: Draw) -> Tasks:
    """problems close to those of validation that the model is least sure of"""
    if draw.confidence is None:
        raise ProblemError("suite 'neighbours': this model does not say how sure it is; give a checkpoint of train")
    columns_drawn = columns(EXTRA, replace(draw, n=1000), "validation")
    return {
        task: hardest_neighbours(problems, draw.confidence, draw.n or 1000, draw.seed)
        for task, problems in columns_drawn.items()
    }


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite: the function that draws it, and the problems a task and the seed unless others are given.

    `untrained` says that it asks for problems beyond the model's training.
    """

    tasks: Callable[[Draw], Tasks]
    n: int | None = 1000
    seed: int = SEED
    untrained: bool = False


SUITES: dict[str, Suite] = {
    "bigbench": Suite(bigbench),
    "extra": Suite(extra),
    "table1": Suite(table1),
    "one-digit": Suite(one_digit),
    "hard": Suite(hard, n=None),
    "patterns": Suite(patterns, n=None),
    "ordinary": Suite(ordinary, n=2000),
    "beyond": Suite(beyond, untrained=True),
    "validation": Suite(validation, seed=1),
    "neighbours": Suite(neighbours, seed=1),
}


def suite_tasks(name: str, draw: Draw) -> Tasks:
    """Return the tasks of a suite; raises ProblemError if the suite is unknown, or has no problem to draw.

    >>> list(suite_tasks("one-digit", Draw("*", 3, 0)))
    ['MUL 1D*1D', 'MUL 2D*1D', 'MUL 3D*1D', 'MUL 4D*1D', 'MUL 5D*1D']
    """
    tasks = find_suite(name).tasks(draw)
    if not any(tasks.values()):
        raise ProblemError(f"suite {name!r} has no problem with {' '.join(draw.ops)}; choose other operations")
    return tasks


def find_suite(name: str) -> Suite:
    """Return the suite of a name; raises ProblemError that lists the accepted names.

    >>> find_suite("hard").seed
    2024
    """
    if name not in SUITES:
        raise ProblemError(
            f"suite {name!r} is unknown; accepted: {', '.join(SUITES)}; for word problems: revorder gsm8k"
        )
    return SUITES[name]


def hash_of(tasks: Mapping[str, Iterable[object]]) -> str:
    """Return a hash of the problems of all tasks, by which runs with other problems are told apart.

    >>> hash_of({"ADD 1D": [Problem(1, "+", 1)]})
    '1d70bd5f3080'
    """
    text = "".join(f"{task}: {problem}\n" for task, problems in tasks.items() for problem in problems)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def split_covered(info: CheckpointInfo, tasks: Mapping[str, list[Problem]]) -> tuple[Tasks, list[str]]:
    """Return the tasks that a checkpoint was trained for, and the names of the tasks beyond its training."""
    kept = {name: problems for name, problems in tasks.items() if all(map(info.covers, problems))}
    return kept, [name for name in tasks if name not in kept]
