"""Solve expressions given as text: reduce them pair by pair, let the model compute, and judge its work.

Python's integers compute the operations that the model was not trained on, and those that the judge rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from revorder.arithmetic.problem import Problem
from revorder.errors import ProblemError, quote
from revorder.inference.ctranslate import Runtime
from revorder.inference.transformers_runtime import TransformersRuntime, is_other_model
from revorder.judge import verify
from revorder.reading.questions import read_expression

BATCH = 1024  # expressions in flight
Show = Callable[[str], None]
HOW = {"tool": "by Python's integers", "repaired": "repaired by Python's integers"}  # by a step's `by`


@dataclass(frozen=True, slots=True)
class Computed:
    """One computed operation.

    Args:
        problem: The operation.
        text: Its trace.
        method: The method of the trace.
        form: The form of the trace.
        answer: The answer that the trace states, None if it is unreadable.
        verified: Whether the answer is verified.
        by: `model`, `tool` for Python's integers, or `repaired` for Python's integers after a rejected trace.
        reason: The fault in the model's trace, or why the model was not asked.
        rejected: The model's trace that the judge rejected, else empty.
    """

    problem: Problem
    text: str
    method: str
    form: str
    answer: str | None
    verified: bool
    by: str
    reason: str = ""
    rejected: str = ""

    @property
    def value(self) -> tuple[int, int] | None:
        """The answer as (value, remainder), or None.

        >>> by_python(Problem(950, "/", 12), "too large").value
        (79, 2)
        """
        value, _, remainder = (self.answer or "").partition("R")
        try:
            return int(value), int(remainder or 0)
        except ValueError:  # empty, or more digits than Python reads
            return None


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer and the work behind it.

    Args:
        problem: The expression, as given.
        answer: The answer, most significant digit first: `79R5` with a remainder, `3.475` for a decimal, or None.
        trace: The work, one line per operation on integers.
        verified: Whether the judge passed all of the work.
        by: `repaired` if any operation was repaired, else `tool` if Python's integers computed any, else `model`;
            `nobody` if there was no operation, as in `$5`.
        reason: The model's errors, and the operations that it was not asked.
        error: Why the input has no answer, else empty.
        steps: The computed operations, in order.
        decimals: The decimal places that were asked for.
        rounded: Whether the answer is rounded.
    """

    problem: str
    answer: str | None
    trace: str
    verified: bool
    by: str
    reason: str = ""
    error: str = ""
    steps: tuple[Computed, ...] = field(default=(), repr=False)
    decimals: int | None = None
    rounded: bool = False

    def _repr_html_(self) -> str:
        from revorder.rendering.trace_html import fragment, headline, picture, rejection

        said = self.reason or self.error or ("Every step is verified." if self.verified else "Not verified.")
        head = headline(self.problem, self.answer, "right" if self.verified and self.answer else "wrong", said)
        works = [
            (rejection(step.rejected, step.reason) if step.rejected else "")
            + picture(step.text, step.method, step.form)
            for step in self.steps
        ]
        return fragment(f'<section class="trace">{head}</section>{"".join(works)}')


def open_runtime(model: str | None = None) -> Runtime | TransformersRuntime:
    """Load the checkpoint with this path or shipped name, by default the default checkpoint.

    Raises ProblemError if it can't be loaded.
    """
    return TransformersRuntime(model) if model and is_other_model(model) else Runtime(model)


load_runtime = cache(open_runtime)  # loads each model once


def solve(
    problem: str,
    model: str | None = None,
    max_digits: int | None = None,
    show: Show | None = None,
    model_only: bool = False,
    decimals: int | None = None,
) -> Solution:
    """Solve one expression of numbers with + - * / and brackets. The answer is exact, or marked as rounded.

    The model computes on integers, and a rule puts the decimal points back. Python's integers compute what the model
    was not trained on, and what the judge rejects.

    Args:
        problem: The expression.
        model: The path or shipped name of a checkpoint.
        max_digits: Operands with more digits go to Python's integers too.
        show: Called with each piece of the work as it is written.
        model_only: Never use Python's integers. The answer is the model's, and `verified` tells whether it is exact.
        decimals: The digits after the point of a division, 6 by default if the expression has a point, a percent sign
            or `//`. A longer quotient is rounded once, at the end, with halves away from zero.

    Raises:
        ProblemError: The expression can't be read or has no answer.

    >>> solve("(12+34)*2").answer, solve("1.5*2.25+10%").answer, solve("2/3", decimals=2).answer
    ('92', '3.475', '0.67')
    """
    solution = next(solve_many([problem], model, max_digits, show, model_only=model_only, decimals=decimals))
    if solution.error:
        raise ProblemError(solution.error)
    return solution


def solve_many(
    problems: Iterable[str],
    model: str | None = None,
    max_digits: int | None = None,
    show: Show | None = None,
    batch: int = BATCH,
    model_only: bool = False,
    decimals: int | None = None,
    progress: bool = False,
) -> Iterator[Solution]:
    """Yield the Solutions of many expressions in order; an expression without an answer has an `error`.

    The arguments are those of `solve`, and these:

    Args:
        problems: The expressions.
        batch: The number of expressions to take from `problems` and answer at a time.
        progress: Whether to show a bar, on stderr or in a notebook.

    Raises:
        ProblemError: `problems` is a single text, or `batch` is below 1.

    >>> [solution.answer for solution in solve_many(["1+1", "2*3"])]
    ['2', '6']
    """
    if isinstance(problems, str):  # it would be solved character by character
        raise ProblemError(f"problems {quote(problems)} is a single text; give an iterable of texts")
    if batch < 1:
        raise ProblemError(f"batch {batch}; accepted: a whole number, 1 or more")
    calculator = Calculator(load_runtime(model), max_digits, show, model_only)
    with bar(problems) if progress else nullcontext(iter(problems)) as source:
        while chunk := list(islice(source, batch)):
            yield from solve_batch(chunk, calculator, decimals)


@contextmanager
def bar(problems: Iterable[str]) -> Iterator[Iterator[str]]:
    """Yield the problems, with a bar that shows how many were taken."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False, redirect_stderr=False) as shown:
        yield iter(shown.track(problems, total=len(problems) if isinstance(problems, Sized) else None))


def solve_batch(texts: list[str], calculator: Calculator, decimals: int | None = None) -> list[Solution]:
    """Solve a batch: each round computes the next operation of every unfinished expression."""
    running = [reduced(text, decimals) for text in texts]
    solutions: dict[int, Solution] = {}
    sent: dict[int, Computed | None] = dict.fromkeys(range(len(texts)))
    while sent:
        asked: dict[int, Problem] = {}
        for i, computed in sent.items():
            try:
                asked[i] = running[i].send(computed)
            except StopIteration as done:
                solutions[i] = done.value
        answers = calculator.compute(asked.values())
        sent = {i: answers[problem] for i, problem in asked.items()}
    return [solutions[i] for i in range(len(texts))]


def reduced(text: str, decimals: int | None = None) -> Generator[Problem, Computed | None, Solution]:
    """Reduce an expression: yield each operation, receive its Computed, and return the Solution.

    >>> steps = reduced("7*(1+1)")
    >>> next(steps), steps.send(by_python(Problem(1, "+", 1), "an example"))
    (Problem(a=1, op='+', b=1), Problem(a=7, op='*', b=2))
    """
    steps: list[Computed] = []
    answer, rounded, error = None, False, ""
    try:
        if not isinstance(text, str):
            raise ProblemError(f"problem {quote(repr(text))}: not text; give text such as '12+34'")
        reduction = read_expression(text).reduce_to_answer(decimals)
        problem = next(reduction)
        while computed := (yield problem):
            steps.append(computed)
            if computed.value is None:
                break
            problem = reduction.send(computed.value)
    except StopIteration as done:
        answer, rounded = done.value
    except ProblemError as wrong:
        if all(step.verified for step in steps):  # otherwise the model's wrong answer is the cause
            error = str(wrong)
    return Solution(
        problem=text.strip() if isinstance(text, str) else repr(text),
        answer=answer,
        trace="\n".join(step.text for step in steps),
        verified=not error and all(step.verified for step in steps),
        by=next((by for by in ("repaired", "tool", "model") if any(step.by == by for step in steps)), "nobody"),
        reason="; ".join(
            ": ".join(filter(None, (HOW.get(step.by), quote(str(step.problem)), step.reason)))
            for step in steps
            if step.reason
        ),
        error=error,
        steps=tuple(steps),
        decimals=decimals,
        rounded=rounded,
    )


@dataclass(frozen=True, slots=True)
class Calculator:
    """Compute operations: the model those that it was trained on, judged, and Python's integers the rest."""

    runtime: Runtime | TransformersRuntime
    max_digits: int | None = None
    show: Show | None = None
    model_only: bool = False

    def compute(self, problems: Iterable[Problem]) -> dict[Problem, Computed]:
        """Return how each problem was computed; repeated problems are computed once."""
        beyond = {problem: self.beyond(problem) for problem in problems}
        done = {problem: self.unasked(problem, reason) for problem, reason in beyond.items() if reason}
        asked = [problem for problem, reason in beyond.items() if not reason]
        for problem, written in zip(asked, self.write(asked), strict=True):
            done[problem] = self.judge(problem, written)
        return done

    def beyond(self, problem: Problem) -> str:
        """Return why the model is not asked a problem, or an empty text if it is."""
        if self.max_digits is not None and problem.digits > self.max_digits:
            return f"more than {self.max_digits} digits"
        return "" if self.runtime.info.covers(problem) else "beyond what the model was trained on"

    def unasked(self, problem: Problem, reason: str) -> Computed:
        """Compute a problem that the model is not asked by Python's integers, or with `model_only` not at all."""
        if self.model_only:
            computed = self.by_model(problem, f"{problem}=", None, reason)
            self.say(f"{computed.text}{rejection(computed)}\n")
        else:
            computed = by_python(problem, reason)
            self.say(f"{computed.text}\n")
        return computed

    def write(self, problems: list[Problem]) -> Iterator[str]:
        """Yield the model's output after each question: in batches, or one by one if the work is shown."""
        questions = [f"{problem}=" for problem in problems]
        limits = [self.runtime.info.max_new_tokens(problem) for problem in problems]
        if problems and not self.show:
            yield from self.runtime.generate(questions, max(limits))
            return
        for question, limit in zip(questions, limits, strict=True):
            pieces = list[str]()
            self.say(question)
            for piece in self.runtime.stream(question, limit):
                pieces.append(piece)
                self.say(piece)
            yield "".join(pieces)

    def judge(self, problem: Problem, written: str) -> Computed:
        """Judge the model's output; if it is rejected, use Python's integers instead unless `model_only`."""
        text = self.runtime.as_trace(problem, written)
        verdict = verify(text, self.runtime.info.method, self.runtime.info.form, problem)
        computed = self.by_model(problem, text, verdict.answer, verdict.reason)
        self.say(f"{rejection(computed)}\n")
        if not (verdict.ok or self.model_only):
            computed = by_python(problem, verdict.reason, rejected=text)
            self.say(f"{computed.text}\n")
        return computed

    def by_model(self, problem: Problem, text: str, answer: str | None, reason: str) -> Computed:
        """Return a problem as the model computed it; a `reason` means that it was rejected."""
        info = self.runtime.info
        return Computed(problem, text, info.method, info.form, answer, not reason, "model", reason)

    def say(self, text: str) -> None:
        """Show a piece of the work if `show` is set."""
        if self.show:
            self.show(text)


def by_python(problem: Problem, reason: str, rejected: str = "") -> Computed:
    """Return a problem as computed by Python's integers, as a tool or to repair a `rejected` trace.

    >>> by_python(Problem(950, "/", 12), "more than 2 digits").text
    '950/12=79R2'
    """
    text, by = f"{problem}={problem.answer}", "repaired" if rejected else "tool"
    return Computed(problem, text, "plain", "plain", problem.answer, True, by, reason, rejected)


def rejection(computed: Computed) -> str:
    """Return the note after a line of work: why it is rejected, or an empty text."""
    return "" if computed.verified else f" <- rejected: {computed.reason}"
