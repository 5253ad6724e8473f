"""Evaluation: suites of problems, a runner that keeps every trace and verdict, and exact-match scores with intervals."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, get_type_hints

from .data import held_out
from .methods import METHODS
from .problem import Problem, ProblemError
from .runtime import Card
from .verify import verify

BATCH = 1024
hints: Callable[[type], dict[str, Any]] = cache(get_type_hints)


class Writer(Protocol):
    """What is evaluated: a checkpoint (runtime.Runtime) or a server (endpoint.Endpoint)."""

    @property
    def card(self) -> Card:
        """The method that it writes, and the digits that it may be asked for."""
        ...

    def generate_each(self, questions: Sequence[str], max_tokens: int, /) -> Iterable[tuple[int, str]]:
        """(index, what it writes after that question), in any order."""
        ...

    def as_trace(self, problem: Problem, written: str, /) -> str:
        """The question and what was written, as the judge reads it."""
        ...


@dataclass(frozen=True, slots=True)
class Result:
    """One problem's outcome: `right`: the stated answer is exact (the paper's metric); `verified`: every step is.

    `step` is the first wrong one, 0-based, and `reason` says why. `rollbacks` counts the quotient digits taken back
    with `W`, `rightly` those of them that were wrong. `reply` is a server's reply that is not in `text` as it came.
    """

    task: str
    problem: str
    text: str
    answer: str | None
    expected: str
    right: bool
    verified: bool
    step: int | None
    reason: str
    rollbacks: int
    rightly: int
    reply: str = ""

    @classmethod
    def read(cls, line: str) -> Result:
        """Read a line of JSON; raises ValueError where it is no result."""
        row = json.loads(line)
        kinds = hints(cls)
        if not isinstance(row, dict) or not kinds.keys() - {"reply"} <= row.keys() <= kinds.keys():
            raise ValueError(f"its keys are not {', '.join(kinds)}")
        for key, value in row.items():
            if not isinstance(value, kinds[key]):
                raise ValueError(f"{key} is {value!r}")
        return cls(**row)


@dataclass(frozen=True, slots=True)
class Score:
    """A task's score. `false_passes`: verified and yet not right, which must never happen.

    `rollbacks` counts every `W`, `rightly` those after a wrong quotient digit; `rolled` the problems with any `W`, and
    `rolled_right` those of them with the right answer.

    >>> Score("ADD 5D", 1000, 1000, 1000).percent
    100.0
    """

    task: str
    total: int
    right: int
    verified: int
    false_passes: int = 0
    rollbacks: int = 0
    rightly: int = 0
    rolled: int = 0
    rolled_right: int = 0

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


def drawn(
    columns: Iterable[tuple[str, str, int, int]], n: int, seed: int, ops: Iterable[str]
) -> dict[str, list[Problem]]:
    """`n` held-out problems, or all there are, of each column (name, op, digits, digits) of the wanted operations."""
    wanted = set(ops)
    return {name: held_out(op, a, b, n, seed) for name, op, a, b in columns if op in wanted}


def one_digit_tasks(n: int = 1000, seed: int = 2024, ops: Iterable[str] = "*") -> dict[str, list[Problem]]:
    """Products of 1 to 5 digits by one digit, `n` problems each or all there are."""
    return drawn([(f"MUL {digits}D*1D", "*", digits, 1) for digits in range(1, 6)], n, seed, ops)


def bigbench_tasks(ops: str, data: str | None) -> dict[str, list[Problem]]:
    """BIG-bench's own problems of 1 to 5 digits."""
    from .corpora import bigbench

    return bigbench.load(data, ops)


def hard(ops: str, seed: int) -> dict[str, list[Problem]]:
    """The hard suite, see revorder.hard."""
    from .hard import hard_tasks

    return hard_tasks(ops, seed)


def covered(card: Card, tasks: Mapping[str, list[Problem]]) -> tuple[dict[str, list[Problem]], list[str]]:
    """The tasks that the checkpoint was trained for, and the names of those that hold any problem it was not."""
    kept = {name: problems for name, problems in tasks.items() if all(map(card.covers, problems))}
    return kept, [name for name in tasks if name not in kept]


def extra_tasks(n: int = 1000, seed: int = 2024, ops: Iterable[str] = "+-*/") -> dict[str, list[Problem]]:
    """Table 1's extra columns: `n` held-out problems each, operands of exactly the stated digits, exact division."""
    return drawn(EXTRA, n, seed, ops)


# Operands longer than Table 1's: what is left of exactness beyond the training range
BEYOND = [
    *[(f"ADD {n}D+{n}D", "+", n, n) for n in (17, 18, 20, 24, 32)],
    *[(f"SUB {n}D-{n}D", "-", n, n) for n in (17, 18, 20, 24, 32)],
    *[(f"MUL {n}D*{m}D", "*", n, m) for n, m in ((17, 1), (20, 1), (9, 4), (7, 7), (8, 8), (16, 16))],
    *[(f"DIV {n}D/{m}D", "/", n, m) for n, m in ((17, 1), (20, 1), (13, 6), (14, 7), (16, 8), (24, 12))],
]


def beyond_tasks(n: int = 1000, seed: int = 2024, ops: Iterable[str] = "+-*/") -> dict[str, list[Problem]]:
    """Columns beyond Table 1's sizes: `n` held-out problems each, operands of exactly the stated digits."""
    return drawn(BEYOND, n, seed, ops)


# The suites by name; each makes its tasks from (operations, problems a column, seed, BIG-bench's folder)
SUITES: dict[str, Callable[[str, int, int, str | None], dict[str, list[Problem]]]] = {
    "bigbench": lambda ops, n, seed, data: bigbench_tasks(ops, data),
    "extra": lambda ops, n, seed, data: extra_tasks(n, seed, ops),
    "table1": lambda ops, n, seed, data: bigbench_tasks(ops, data) | extra_tasks(n, seed, ops),
    "one-digit": lambda ops, n, seed, data: one_digit_tasks(n, seed, ops),
    "hard": lambda ops, n, seed, data: hard(ops, seed),
    "beyond": lambda ops, n, seed, data: beyond_tasks(n, seed, ops),
}


def tasks_of(suite: str, ops: str, n: int, seed: int, data: str | None = None) -> dict[str, list[Problem]]:
    """The tasks of a suite by name; raises ProblemError where there is no such suite, or no problem in it.

    >>> list(tasks_of("one-digit", "*", 3, 0))
    ['MUL 1D*1D', 'MUL 2D*1D', 'MUL 3D*1D', 'MUL 4D*1D', 'MUL 5D*1D']
    """
    if suite not in SUITES:
        raise ProblemError(f"suite {suite!r} is unknown; accepted: {', '.join(SUITES)}, or a .jsonl file of results")
    tasks = SUITES[suite](ops, n, seed, data)
    if not any(tasks.values()):
        raise ProblemError(f"suite {suite!r} has no problem with {' '.join(ops)}; accepted: other operations or data")
    return tasks


def run(
    writer: Writer,
    tasks: Mapping[str, Iterable[Problem]],
    out: Path | None = None,
    progress: Callable[[int], None] | None = None,
    name: str = "",
    tokens: int = 0,
) -> list[Result]:
    """Let a model write every problem of every task, and judge it.

    With `out` each result is a line of JSON there. An interrupted run leaves `<out>.partial`, from which the same
    run goes on; the file is whole when it bears its name. `name` says whose run it is: raises ProblemError where the
    partial file is another's. `progress` is called with the number of problems done. A text may always have `tokens`.
    """
    wanted = [(task, problem) for task, problems in tasks.items() for problem in problems]
    if out and out.is_dir():
        raise ProblemError(f"results {str(out)!r}: a folder; accepted: a file")
    partial = out.with_name(out.name + ".partial") if out else None
    known = {(result.task, result.problem): result for result in (kept(partial, name) if partial else [])}
    if progress:
        progress(sum((task, str(problem)) in known for task, problem in wanted))
    todo = [pair for pair in wanted if (pair[0], str(pair[1])) not in known]
    todo.sort(key=lambda pair: len(str(pair[1])))
    try:
        stream = partial.open("a", buffering=1) if partial else None
    except OSError as error:
        raise ProblemError(
            f"results {str(out)!r} can't be written: {error.strerror}; accepted: a file in a folder that is there"
        ) from None
    try:
        if stream and not stream.tell():
            stream.write(json.dumps({"run": name}) + "\n")
        for start in range(0, len(todo), BATCH):
            for result in written(writer, todo[start : start + BATCH], tokens):
                known[result.task, result.problem] = result
                if stream:
                    stream.write(json.dumps(asdict(result)) + "\n")
                if progress:
                    progress(1)
    finally:
        if stream:
            stream.close()
    results = [known[task, str(problem)] for task, problem in wanted]
    if out and partial:
        partial.write_text("".join(json.dumps(asdict(result)) + "\n" for result in results))
        os.replace(partial, out)
    return results


def kept(partial: Path, name: str) -> Iterator[Result]:
    """The results of an interrupted run; a line that was cut off is dropped from the file.

    Raises ProblemError where the file is of another run than `name`.
    """
    lines = partial.read_text(errors="replace").splitlines() if partial.exists() else []
    if not lines:
        return
    head = json.dumps({"run": name})
    if lines[0] != head:
        raise ProblemError(
            f"results {str(partial)!r} are of another run, {lines[0]}; accepted: {head}, or no such file"
        )
    good = [head]
    for line in lines[1:]:
        try:
            result = Result.read(line)
        except ValueError:
            break
        good.append(line)
        yield result
    partial.write_text("".join(f"{line}\n" for line in good))


def written(writer: Writer, pairs: list[tuple[str, Problem]], tokens: int = 0) -> Iterator[Result]:
    """Generate and judge one batch, each text of at most `tokens` or thrice the longest right one's."""
    card = writer.card
    most = max(tokens, *(card.room(problem) for _, problem in pairs))
    for i, reply in writer.generate_each([f"{problem}=" for _, problem in pairs], most):
        task, problem = pairs[i]
        text = writer.as_trace(problem, reply)
        verdict = verify(text, card.method, card.form, problem)
        answer = verdict.answer if verdict.ok else METHODS[card.method].final(text)
        yield Result(
            task,
            str(problem),
            text,
            answer,
            problem.answer,
            answer == problem.answer,
            verdict.ok,
            verdict.step,
            verdict.reason,
            text.count("W") if problem.op == "/" else 0,  # in lean a W of - is a sign
            verdict.rollbacks,
            "" if reply in text else reply,
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
            sum(row.rightly for row in rows),
            sum(row.rollbacks > 0 for row in rows),
            sum(row.rollbacks > 0 and row.right for row in rows),
        )
        for task, rows in tasks.items()
    ]


def first_wrong(result: Result) -> str:
    """What kind of step went wrong first, in the judge's words without the numbers.

    >>> first_wrong(Result("", "12+35", "", "57", "47", False, False, 0, "wrong digit in the sum 12+35: expected ...", 0, 0))
    'wrong digit in the sum'
    """
    what = re.split("[:,]", result.reason)[0]
    return re.sub(r"( of)? [0-9][0-9+*/-]*$", "", what).strip()


def errors(results: Iterable[Result]) -> dict[tuple[str, str], list[Result]]:
    """The results that are wrong or not verified, by (operation, kind of the first wrong step), the most frequent first."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if not (result.right and result.verified):
            op = re.sub(r"[0-9]", "", result.problem.lstrip("-"))[:1]
            groups.setdefault((op, first_wrong(result)), []).append(result)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def load(path: Path) -> list[Result]:
    """The results in a file; raises ProblemError naming the file and line that can't be read."""
    results: list[Result] = []
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"results {str(path)!r} can't be read: {error}; accepted: a file that eval wrote") from None
    for number, line in enumerate(lines, 1):
        try:
            results.append(Result.read(line))
        except ValueError as error:
            raise ProblemError(
                f"results {str(path)!r}, line {number}: {error}; accepted: a file that eval wrote"
            ) from None
    return results
