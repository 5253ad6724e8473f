"""MathGLM (Yang et al., 2023): the whole expression is rewritten after each operation; one operation is direct."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from revorder.arithmetic.expression import Expression, infix
from revorder.arithmetic.problem import Problem, answer_text, ascii_signs
from revorder.arithmetic.trace import FORWARD, STEP_END, ChooseDigit, Piece, copy
from revorder.errors import ProblemError, quote
from revorder.methods.base import Method, direct_worst_case

LONGEST = 40_000_000  # characters of an expression times its operations; about twice the characters of its trace


def parse_question(text: str) -> Problem | Expression:
    """Return the expression before the first `=`, as a Problem if it is one operation.

    Raises ProblemError if it can't be read.

    >>> str(parse_question("3468*4046/7424=14031528/7424=1890R168"))
    '3468*4046/7424'
    """
    expression = Expression.parse(ascii_signs(text).partition("=")[0])
    return expression.problem() if expression.is_problem else expression


def pieces(problem: Problem | Expression, form: str, choose: ChooseDigit, answer: bool) -> Iterator[Piece]:
    """Yield the question, then the expression after each operation; the last one is the answer.

    Raises ProblemError if the expression is too long.

    >>> from revorder.arithmetic.trace import correct_digit, text_of
    >>> text_of(pieces(Expression.parse("3468*4046/7424"), "mathglm", correct_digit, True))
    '3468*4046/7424=14031528/7424=1890R168'
    """
    if isinstance(problem, Expression) and len(str(problem)) * len(problem.operators) > LONGEST:
        raise ProblemError(f"problem {quote(str(problem))}: its trace is too long; give fewer operations or digits")
    yield copy(f"{problem}=")
    if isinstance(problem, Problem):
        yield problem.answer, FORWARD, problem.op, problem.a, problem.b
        return
    yield from reductions(problem)


def reductions(expression: Expression) -> Iterator[Piece]:
    """Yield the expression after each operation, leftmost first, with `=` between them."""
    steps = expression.reduce()
    postfix = list(expression.postfix)
    sent = None
    first = True
    while True:
        try:
            step = next(steps) if sent is None else steps.send(sent)
        except StopIteration as done:
            if first:  # a single number
                yield copy(answer_text(*done.value))
            return
        sent = (step.value, step.remainder)
        at = next(i for i, item in enumerate(postfix) if isinstance(item, str) and item != "neg")
        start = operands_start(postfix, at)
        value, _ = Expression(tuple(postfix[start : at + 1])).value()
        postfix[start : at + 1] = [value]
        if not first:
            yield STEP_END
            yield copy("=")
        first = False
        tail = [item for item in postfix if item != "neg"]
        whole = expression.answer if len(tail) == 1 else infix(postfix)
        yield whole, FORWARD, step.op, step.a, step.b


def operands_start(postfix: Sequence[object], at: int) -> int:
    """Return the index where the operands of the operation at index `at` begin, with their signs.

    >>> operands_start([7, 1, "neg", 2, "+"], 4)
    1
    """
    numbers = 0
    while numbers < 2:
        at -= 1
        numbers += not isinstance(postfix[at], str)
    return at


MATHGLM = Method(
    "mathglm", pieces, direct_worst_case, forms=("mathglm",), parse_question=parse_question, takes_expressions=True
)
