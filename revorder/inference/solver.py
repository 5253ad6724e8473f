"""Text in, exact answer and work out: expressions are reduced pair by pair, the model computes, the judge checks.

Python's integers answer what the model was not trained on, and what the judge rejects.
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
HOW = {"tool": "by Python's integers", "repaired": "repaired by Python's integers"}  # of what a step's `by` says


@dataclass(frozen=True, slots=True)
class Computed:
    """One operation as it was computed.

    `text`: its trace, in a `form` of a `method`. `answer`: what that states, None where nothing readable. `by`:
    `model`; `tool` for Python's integers; `repaired` for Python's integers after the judge rejected the model's trace,
    which is then `rejected`. `reason`: what is wrong with the model's trace, or why the model was not asked.
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
        """The answer as (value, remainder), None where there is none.

        >>> by_python(Problem(950, "/", 12), "too large").value
        (79, 2)
        """
        value, _, remainder = (self.answer or "").partition("R")
        try:
            return int(value), int(remainder or 0)
        except ValueError:  # nothing, or more digits than Python reads
            return None


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer and how it came about.

    `answer`: most significant digit first, `79R5` with a remainder, `3.475` for a decimal, None where there is none.
    `trace`: the work, a line an operation on integers. `verified`: whether the judge passed all of it. `by`: `repaired`
    where any operation was, else `tool` where any was Python's integers', else `model`, or `nobody` where there was
    none, as in `$5`. `reason`: what the model got wrong or was not asked. `error`: why the input has no answer, else
    empty.
    `decimals`: as they were asked for. `rounded`: whether the answer is rounded.
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
    """The checkpoint at a path or of a shipped one's name, the default one for None."""
    return TransformersRuntime(model) if model and is_other_model(model) else Runtime(model)


load_runtime = cache(open_runtime)  # the same, loaded once


def solve(
    problem: str,
    model: str | None = None,
    max_digits: int | None = None,
    show: Show | None = None,
    model_only: bool = False,
    decimals: int | None = None,
) -> Solution:
    """Solve one expression of numbers with + - * / and brackets; the answer is exact, or says that it is rounded.

    `max_digits`: operands with more digits go to Python's integers, as do operands beyond the model's training, and
    what the judge rejects. `show` is called with each piece of the work as it is written. `model_only`: nothing goes
    to Python's integers; the answer is what the model says, which `verified` tells to be exact or not. `decimals`:
    digits behind the point that a division goes on to, 6 by default where there is a point, a percent or `//`; a
    quotient that does not end there is rounded once, at the end, a half away from zero. The model computes on integers,
    and the points are put back by rule. Raises ProblemError for what can't be read or has no answer.

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
    """Solve many expressions in order, as `solve` does; one that has no answer is a Solution with its `error`.

    `batch` expressions are taken from `problems` at a time, and answered before the next are. `progress`: show a bar,
    on stderr or in a notebook. Raises ProblemError if `problems` is one text, and for a `batch` below 1.

    >>> [solution.answer for solution in solve_many(["1+1", "2*3"])]
    ['2', '6']
    """
    if isinstance(problems, str):  # which would be solved character by character
        raise ProblemError(f"problems {quote(problems)}: one text; accepted: an iterable of texts")
    if batch < 1:
        raise ProblemError(f"batch {batch}; accepted: a whole number, 1 or more")
    calculator = Calculator(load_runtime(model), max_digits, show, model_only)
    with bar(problems) if progress else nullcontext(iter(problems)) as source:
        while chunk := list(islice(source, batch)):
            yield from solve_batch(chunk, calculator, decimals)


@contextmanager
def bar(problems: Iterable[str]) -> Iterator[Iterator[str]]:
    """Yield the problems, with a bar that says how many were taken."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False, redirect_stderr=False) as shown:
        yield iter(shown.track(problems, total=len(problems) if isinstance(problems, Sized) else None))


def solve_batch(texts: list[str], calculator: Calculator, decimals: int | None = None) -> list[Solution]:
    """Solve a batch: each round computes the next operation of every expression that is not done."""
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
    """Reduce an expression: yields each operation, is sent how that was computed, returns the Solution.

    >>> steps = reduced("7*(1+1)")
    >>> next(steps), steps.send(by_python(Problem(1, "+", 1), "an example"))
    (Problem(a=1, op='+', b=1), Problem(a=7, op='*', b=2))
    """
    steps: list[Computed] = []
    answer, rounded, error = None, False, ""
    try:
        if not isinstance(text, str):
            raise ProblemError(f"problem {quote(repr(text))}: no text; accepted: text such as '12+34'")
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
        if all(step.verified for step in steps):  # else it is the model's answer that nothing can be done with
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
    """Computes operations: the model what it was trained on, checked by the judge, and Python's integers the rest."""

    runtime: Runtime | TransformersRuntime
    max_digits: int | None = None
    show: Show | None = None
    model_only: bool = False

    def compute(self, problems: Iterable[Problem]) -> dict[Problem, Computed]:
        """How each problem was computed; one that comes twice is computed once."""
        beyond = {problem: self.beyond(problem) for problem in problems}
        done = {problem: self.unasked(problem, reason) for problem, reason in beyond.items() if reason}
        asked = [problem for problem, reason in beyond.items() if not reason]
        for problem, written in zip(asked, self.write(asked), strict=True):
            done[problem] = self.judge(problem, written)
        return done

    def beyond(self, problem: Problem) -> str:
        """Why the model is not asked a problem, empty where it is."""
        if self.max_digits is not None and problem.digits > self.max_digits:
            return f"more than {self.max_digits} digits"
        return "" if self.runtime.info.covers(problem) else "beyond what the model was trained on"

    def unasked(self, problem: Problem, reason: str) -> Computed:
        """A problem that the model is not asked: computed by Python's integers, or with `model_only` not at all."""
        if self.model_only:
            computed = self.by_model(problem, f"{problem}=", None, reason)
            self.say(f"{computed.text}{rejection(computed)}\n")
        else:
            computed = by_python(problem, reason)
            self.say(f"{computed.text}\n")
        return computed

    def write(self, problems: list[Problem]) -> Iterator[str]:
        """What the model writes after each question: all at once, or where they are shown one by one."""
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
        """What the model wrote, or where the judge rejects it, unless `model_only`, Python's integers in its place."""
        text = self.runtime.as_trace(problem, written)
        verdict = verify(text, self.runtime.info.method, self.runtime.info.form, problem)
        computed = self.by_model(problem, text, verdict.answer, verdict.reason)
        self.say(f"{rejection(computed)}\n")
        if not (verdict.ok or self.model_only):
            computed = by_python(problem, verdict.reason, rejected=text)
            self.say(f"{computed.text}\n")
        return computed

    def by_model(self, problem: Problem, text: str, answer: str | None, reason: str) -> Computed:
        """A problem as the model computes it; rejected where there is a `reason`."""
        info = self.runtime.info
        return Computed(problem, text, info.method, info.form, answer, not reason, "model", reason)

    def say(self, text: str) -> None:
        """Show a piece of the work, where that is wanted."""
        if self.show:
            self.show(text)


def by_python(problem: Problem, reason: str, rejected: str = "") -> Computed:
    """A problem as Python's integers compute it, as a tool or to repair what is `rejected`.

    >>> by_python(Problem(950, "/", 12), "more than 2 digits").text
    '950/12=79R2'
    """
    text, by = f"{problem}={problem.answer}", "repaired" if rejected else "tool"
    return Computed(problem, text, "plain", "plain", problem.answer, True, by, reason, rejected)


def rejection(computed: Computed) -> str:
    """What is shown behind a line of work: why it is rejected, if it is."""
    return "" if computed.verified else f" <- rejected: {computed.reason}"
