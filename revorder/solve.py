"""Text in, checked answer and work out: expressions are reduced pair by pair, the model computes, the judge checks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from .methods import METHODS
from .problem import Expression, Problem, ProblemError, answer_text
from .runtime import Runtime
from .verify import verify

BATCH = 1024  # expressions in flight


@dataclass(frozen=True, slots=True)
class Computed:
    """One operation as it was computed: `text` is its trace; `by` is `model`, or `tool` for Python's integers."""

    problem: Problem
    text: str
    answer: str | None
    verified: bool
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer and how it came about.

    `answer`: most significant digit first, `79R5` with a remainder; where `verified` is false, what the model said if
    the problem is one operation, and None if it is more or nothing readable was said. `trace`: the work, a line an
    operation. `by`: `model`, or `tool` where any operation was handed to Python's integers. `reason`: why it is not
    verified, or what the tool was needed for. `error`: why the input has no answer, else empty.
    """

    problem: str
    answer: str | None
    trace: str
    verified: bool
    by: str
    reason: str = ""
    error: str = ""
    steps: tuple[Computed, ...] = field(default=(), repr=False)


@cache
def loaded(model: str | None = None) -> Runtime:
    """The checkpoint at a path or of a shipped one's name, `runtime.DEFAULT` for None, loaded once."""
    return Runtime(model)


def solve(
    problem: str,
    model: str | None = None,
    max_digits: int | None = None,
    show: Callable[[str], None] | None = None,
) -> Solution:
    """Solve one expression of integers with + - * / and parentheses.

    `show` is called with each piece of the work as it is written. `max_digits`: operands with more digits go to
    Python's integers, as do operands beyond the model's training. Raises ProblemError for what can't be read or has
    no answer: a division that is not exact inside an expression is named.
    """
    solution = next(solve_many([problem], model, max_digits, show))
    if solution.error:
        raise ProblemError(solution.error)
    return solution


def solve_many(
    problems: Iterable[str],
    model: str | None = None,
    max_digits: int | None = None,
    show: Callable[[str], None] | None = None,
    batch: int = BATCH,
) -> Iterator[Solution]:
    """Solve many expressions in batches, in order; one that has no answer is a Solution with its `error`."""
    source = iter(problems)
    runtime = loaded(model)
    while chunk := list(islice(source, batch)):
        yield from solve_batch(runtime, chunk, max_digits, show)


def solve_batch(
    runtime: Runtime, texts: list[str], max_digits: int | None, show: Callable[[str], None] | None
) -> list[Solution]:
    """Solve a batch: each round computes the next operation of every expression that is not done."""
    asked: dict[int, Expression] = {}
    running: dict[int, Generator[Problem, tuple[int, int], tuple[int, int]]] = {}
    pending: dict[int, Problem] = {}
    done: dict[int, tuple[str | None, str, str]] = {}  # answer, reason, error
    work: list[list[Computed]] = [[] for _ in texts]

    def advance(i: int, sent: tuple[int, int] | None) -> None:
        try:
            pending[i] = running[i].send(sent) if sent else next(running[i])
        except StopIteration as finished:
            done[i] = (answer_text(*finished.value), "", "")
        except ProblemError as error:
            done[i] = (None, "", str(error))

    for i, text in enumerate(texts):
        try:
            asked[i] = Expression.parse(text)
        except ProblemError as error:
            done[i] = (None, "", str(error))
        else:
            running[i] = asked[i].reduce()
            advance(i, None)
    while pending:
        now, pending = pending, {}
        for (i, problem), computed in zip(
            now.items(), compute(runtime, list(now.values()), max_digits, show), strict=True
        ):
            work[i].append(computed)
            if computed.verified:
                advance(i, (problem.value, problem.remainder))
            else:
                last = computed.answer if asked[i].is_problem else None
                done[i] = (last, computed.reason, "")
    return [solution(texts[i].strip(), work[i], *done[i]) for i in range(len(texts))]


def solution(text: str, steps: list[Computed], answer: str | None, reason: str, error: str) -> Solution:
    """Put a Solution together from its operations."""
    by = "tool" if any(step.by == "tool" for step in steps) else "model"
    verified = not error and all(step.verified for step in steps)
    reason = reason or "; ".join(step.reason for step in steps if step.reason)
    return Solution(text, answer, "\n".join(step.text for step in steps), verified, by, reason, error, tuple(steps))


def compute(
    runtime: Runtime, problems: list[Problem], max_digits: int | None, show: Callable[[str], None] | None = None
) -> list[Computed]:
    """Compute each problem by the model where it is within its limits, else by the tool, and judge what it wrote."""
    out: dict[Problem, Computed] = {}
    ask: list[Problem] = []
    for problem in dict.fromkeys(problems):
        if max_digits is not None and problem.digits > max_digits:
            out[problem] = by_tool(problem, f"{problem}: more than {max_digits} digits")
        elif not runtime.card.covers(problem):
            out[problem] = by_tool(problem, f"{problem}: beyond what the model was trained on")
        else:
            ask.append(problem)
    written = write(runtime, ask, show)
    out.update((problem, judged(runtime, problem, text)) for problem, text in zip(ask, written, strict=True))
    if show:
        for problem in problems:
            if out[problem].by == "tool":
                show(f"{out[problem].text}\n")
    return [out[problem] for problem in problems]


def by_tool(problem: Problem, why: str) -> Computed:
    """A problem computed by Python's integers."""
    return Computed(
        problem, f"{problem}={problem.answer}", problem.answer, True, "tool", f"by Python's integers: {why}"
    )


def write(runtime: Runtime, problems: list[Problem], show: Callable[[str], None] | None) -> list[str]:
    """The model's texts, the questions included."""
    if not show:
        if not problems:
            return []
        most = max(runtime.card.room(problem) for problem in problems)
        return [
            f"{p}={text}" for p, text in zip(problems, runtime.generate([f"{p}=" for p in problems], most), strict=True)
        ]
    texts = []
    for problem in problems:
        text = f"{problem}="
        show(text)
        for piece in runtime.stream(text, runtime.card.room(problem)):
            text += piece
            show(piece)
        show("\n")
        texts.append(text)
    return texts


def judged(runtime: Runtime, problem: Problem, text: str) -> Computed:
    """What the model wrote, with the judge's verdict."""
    card = runtime.card
    verdict = verify(text, card.method, card.form, problem)
    answer = verdict.answer if verdict.ok else METHODS[card.method].final(text)
    return Computed(problem, text, answer, verdict.ok, "model", verdict.reason)
