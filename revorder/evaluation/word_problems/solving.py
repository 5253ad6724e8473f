"""Solve GSM8K's problems by a model; each solution is kept as it comes, like the runner's results.

The prompt is that of fine-tuning on GSM8K. A base model may continue with a problem of its own, which is
cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from revorder.corpora import gsm8k
from revorder.corpora.gsm8k import WordProblem, question_prompt
from revorder.errors import ProblemError
from revorder.evaluation.runner import RunSettings, collect
from revorder.evaluation.scores import Result
from revorder.evaluation.suites import hash_of
from revorder.evaluation.word_problems.scoring import Attempt, check_solution, read_reference

SUITE = "gsm8k"
MAX_TOKENS = 512  # the longest rewritten solution of the test set has 487, a digit a token
_NEXT = "\n" + question_prompt("").partition(" ")[0]


class Completer(Protocol):
    """A model that solves problems, such as inference.transformers_runtime.TransformersRuntime."""

    def complete_each(self, prompts: Sequence[str], max_tokens: int, /) -> Iterable[tuple[int, str]]:
        """Yield (index, reply to the prompt of that index), in any order."""
        ...


def load_problems(data: str | None = None, n: int | None = None) -> list[WordProblem]:
    """Return the test set, or its first `n` problems.

    Raises ProblemError like `corpora.gsm8k.load`, and for a right answer that is not a number.
    """
    rows = list(islice(gsm8k.load(data, "test"), n))
    for number, row in enumerate(rows, 1):
        try:
            read_reference(gsm8k.final_answer(row.answer))
        except ProblemError as error:
            raise ProblemError(f"GSM8K's test problem {number}: {error}") from None
    return rows


def hash_of_problems(problems: Iterable[WordProblem]) -> str:
    """Return a hash of the questions, by which runs with other problems are told apart.

    >>> hash_of_problems([WordProblem("48 and 24?", "#### 72")])
    '308febf1824c'
    """
    return hash_of({SUITE: [row.question for row in problems]})


def write_solutions(
    writer: Completer,
    problems: Sequence[WordProblem],
    out: Path | None = None,
    settings: RunSettings | None = None,
    max_tokens: int = MAX_TOKENS,
    progress: Callable[[int], None] = lambda done: None,
    overwrite: bool = False,
) -> list[Result]:
    """Let a model solve every problem; `out`, `settings`, `progress` and `overwrite` are as in `evaluation.runner.run`.

    Raises ProblemError if `out` holds another run's, or can't be written.
    """

    def write(todo: Sequence[int]) -> Iterator[Result]:
        return solve_each(writer, [problems[i] for i in todo], max_tokens)

    return collect([(SUITE, row.question) for row in problems], write, out, settings, progress, overwrite)


def solve_each(writer: Completer, problems: Sequence[WordProblem], max_tokens: int) -> Iterator[Result]:
    """Yield the result of each problem, in any order."""
    prompts = [question_prompt(row.question) for row in problems]
    for i, text in writer.complete_each(prompts, max_tokens) if prompts else ():
        question, answer = problems[i]
        yield result_of(question, text.partition(_NEXT)[0].rstrip(), gsm8k.final_answer(answer))


def result_of(question: str, text: str, reference: str) -> Result:
    """Return a solution as a result: verified if all is right; `step` is the first wrong equation.

    >>> result_of("48 and 24?", "48+24=<<48+24=r|27=73>>73\\n#### 73", "72").reason
    'reversal'
    """
    _, final, correct, equations, cause = check_solution(Attempt(SUITE, text, reference, question))
    step = next((i for i, equation in enumerate(equations) if equation.cause), None)
    return Result(
        SUITE,
        question,
        text,
        answer=None if final is None else str(final),
        expected=reference,
        correct=correct,
        verified=correct and step is None,
        step=step,
        reason=cause,
        rollbacks=0,
        correct_rollbacks=0,
    )


def attempts_of(results: Iterable[Result], system: str) -> Iterator[Attempt]:
    """Return results as attempts, to be scored."""
    for result in results:
        yield Attempt(system, result.text, result.expected, result.problem)
