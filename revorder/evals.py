"""Evaluation: suites of problems, a runner that keeps every trace and verdict, and exact-match scores with intervals."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from .problem import Problem, ProblemError
from .runtime import Runtime
from .solve import judged, room

BATCH = 1024


@dataclass(frozen=True, slots=True)
class Result:
    """One problem's outcome: `right`: the stated answer is exact (the paper's metric); `verified`: every step is."""

    task: str
    problem: str
    text: str
    answer: str | None
    expected: str
    right: bool
    verified: bool
    reason: str
    rollbacks: int


@dataclass(frozen=True, slots=True)
class Score:
    """A task's score. `false_passes`: verified and yet not right, which must never happen.

    >>> Score("ADD 5D", 1000, 1000, 1000, 0, 0).percent
    100.0
    """

    task: str
    total: int
    right: int
    verified: int
    false_passes: int
    rollbacks: int

    @property
    def percent(self) -> float:
        return 100 * self.right / self.total if self.total else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson 95% interval of the percentage."""
        return wilson(self.right, self.total)


def wilson(right: int, total: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson score interval of a share, in percent; (0, 100) where there is nothing to count.

    >>> [round(end, 2) for end in wilson(1000, 1000)]
    [99.62, 100.0]
    """
    if not total:
        return 0.0, 100.0
    share = right / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, 100 * (middle - half) / scale), min(100.0, 100 * (middle + half) / scale)


# The columns of Table 1 that BIG-bench does not have: name, op, digits of both operands (a division's first is the dividend)
EXTRA = [
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


def one_digit_tasks(n: int = 1000, seed: int = 2024) -> dict[str, list[Problem]]:
    """Products of 1 to 5 digits by one digit, `n` problems each or all there are."""
    from .data import held_out

    return {f"MUL {digits}D*1D": held_out("*", digits, 1, n, seed) for digits in range(1, 6)}


def covered(runtime: Runtime, tasks: Mapping[str, list[Problem]]) -> tuple[dict[str, list[Problem]], list[str]]:
    """The tasks that the checkpoint was trained for, and the names of those that hold any problem it was not."""
    kept = {name: problems for name, problems in tasks.items() if all(map(runtime.card.covers, problems))}
    return kept, [name for name in tasks if name not in kept]


def extra_tasks(n: int = 1000, seed: int = 2024, ops: Iterable[str] = "+-*/") -> dict[str, list[Problem]]:
    """Table 1's extra columns: `n` held-out problems each, operands of exactly the stated digits, exact division."""
    from .data import held_out

    wanted = set(ops)
    return {name: held_out(op, a, b, n, seed) for name, op, a, b in EXTRA if op in wanted}


def run(
    runtime: Runtime,
    tasks: Mapping[str, Iterable[Problem]],
    out: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Result]:
    """Let a checkpoint write every problem of every task, and judge it.

    With `out` each result is a line of JSON there. An interrupted run leaves `<out>.partial`, from which the same
    run goes on; the file is whole when it bears its name. `progress` is called with the number of problems done.
    """
    wanted = [(task, problem) for task, problems in tasks.items() for problem in problems]
    partial = out.with_name(out.name + ".partial") if out else None
    known = {(result.task, result.problem): result for result in (kept(partial) if partial else [])}
    if progress:
        progress(sum((task, str(problem)) in known for task, problem in wanted))
    todo = [pair for pair in wanted if (pair[0], str(pair[1])) not in known]
    todo.sort(key=lambda pair: len(str(pair[1])))
    stream = partial.open("a") if partial else None
    try:
        for start in range(0, len(todo), BATCH):
            batch = todo[start : start + BATCH]
            for result in written(runtime, batch):
                known[result.task, result.problem] = result
                if stream:
                    stream.write(json.dumps(asdict(result)) + "\n")
            if stream:
                stream.flush()
            if progress:
                progress(len(batch))
    finally:
        if stream:
            stream.close()
    if out and partial:
        os.replace(partial, out)
    return [known[task, str(problem)] for task, problem in wanted]


def kept(partial: Path) -> Iterator[Result]:
    """The results of an interrupted run; a line that was cut off is dropped from the file."""
    if not partial.exists():
        return
    good: list[str] = []
    for line in partial.read_text().splitlines():
        try:
            result = Result(**json.loads(line))
        except (ValueError, TypeError):
            break
        good.append(line)
        yield result
    partial.write_text("".join(f"{line}\n" for line in good))


def written(runtime: Runtime, pairs: list[tuple[str, Problem]]) -> Iterator[Result]:
    """Generate and judge one batch."""
    most = max(room(runtime, problem) for _, problem in pairs)
    texts = runtime.generate([f"{problem}=" for _, problem in pairs], most)
    for (task, problem), text in zip(pairs, texts, strict=True):
        done = judged(runtime, problem, f"{problem}={text}")
        right = done.answer == problem.answer
        rolled = text.count("W") if problem.op == "/" else 0  # in lean a W of - is a sign
        yield Result(
            task, str(problem), done.text, done.answer, problem.answer, right, done.verified, done.reason, rolled
        )


def scores(results: Iterable[Result]) -> list[Score]:
    """The score of each task, in the order in which the tasks first appear."""
    tasks: dict[str, list[Result]] = {}
    for result in results:
        tasks.setdefault(result.task, []).append(result)
    return [
        Score(
            task,
            len(rows),
            sum(row.right for row in rows),
            sum(row.verified for row in rows),
            sum(row.verified and not row.right for row in rows),
            sum(row.rollbacks for row in rows),
        )
        for task, rows in tasks.items()
    ]


def load(path: Path) -> list[Result]:
    """The results in a file; raises ProblemError naming the file and line that can't be read."""
    results: list[Result] = []
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise ProblemError(f"results {str(path)!r} can't be read: {error}") from None
    for number, line in enumerate(lines, 1):
        try:
            results.append(Result(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ProblemError(
                f"results {str(path)!r}, line {number}: {error}; accepted: a file that eval wrote"
            ) from None
    return results
