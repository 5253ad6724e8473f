"""The one list of methods, and `trace`, which writes with any of them.

A method is a module with
  write(problem, form, guess, answer)   yields the parts of its trace (see revorder.trace), the question first
  question(text) / final(text)          reads the problem / the stated answer of such a text
  FORMS                                 the names of its forms, the default first
  ROLLS_BACK                            whether it asks `guess` for quotient digits and can take one back
  LEADS                                 optional: it asks for the place before the first quotient digit too, at step -1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType

from ..problem import Expression, Problem, ProblemError
from ..trace import Guess, Trace, right, steps_of
from . import authors, goat, lean, mathglm, plain, reverse, revorder, scratchpad

METHODS: dict[str, ModuleType] = {
    "revorder": revorder,
    "lean": lean,
    "authors": authors,
    "plain": plain,
    "reverse": reverse,
    "scratchpad": scratchpad,
    "goat": goat,
    "mathglm": mathglm,
}


def method_named(name: str, form: str | None = None) -> tuple[ModuleType, str]:
    """The module of a method and its form, the default where `form` is None.

    Raises ProblemError that lists the accepted names.

    >>> method_named("revorder")[1]
    'compact'
    """
    module = METHODS.get(name)
    if module is None:
        raise ProblemError(f"method {name!r} is unknown; accepted: {', '.join(METHODS)}")
    if form is None:
        return module, module.FORMS[0]
    if form not in module.FORMS:
        raise ProblemError(f"form {form!r} is unknown to method {name!r}; accepted: {', '.join(module.FORMS)}")
    return module, form


def first_step(module: ModuleType, a: int, b: int) -> int:
    """The first step of a / b at which a method asks for a quotient digit: -1 or 0.

    >>> first_step(lean, 120, 48), first_step(lean, 948, 12), first_step(revorder, 120, 48)
    (-1, 0, 0)
    """
    return -1 if getattr(module, "LEADS", False) and len(str(a)) - len(str(b)) == len(str(a // b)) else 0


def scripted(rollback: Mapping[int, int | Iterable[int]]) -> Guess:
    """A Guess that first writes the given wrong digits: {quotient step, 0-based: digit or digits}.

    Raises ProblemError at a digit that is no digit, or is the right one.

    >>> guess = scripted({0: 8})
    >>> guess(0, 7), guess(0, 7), guess(1, 9)
    (8, 7, 9)
    """
    plan = {step: [wrong] if isinstance(wrong, int) else list(wrong) for step, wrong in rollback.items()}

    def guess(step: int, digit: int) -> int:
        if not plan.get(step):
            return digit
        wrong = plan[step].pop(0)
        if wrong == digit or not 0 <= wrong <= 9:
            raise ProblemError(
                f"rollback {step}:{wrong}: accepted: one of the digits 0-9 except {digit}, the right one"
            )
        return wrong

    return guess


def trace(
    problem: str | Problem | Expression,
    method: str = "revorder",
    form: str | None = None,
    rollback: Mapping[int, int | Iterable[int]] | None = None,
    answer: bool | None = None,
) -> Trace:
    """Write the trace of a problem with a method (section 4; Table 1's baselines).

    `rollback` maps a quotient step (0-based) to the wrong digit, or digits, to write and take back there; lean also
    has a step -1 where a division's leading digits do not reach the divisor.
    `answer` says whether the forward answer ends the trace; by default it does, but not in method lean.
    Raises ProblemError for what can't be read or written so.

    >>> trace("948/12", rollback={0: 8}).text
    '948/12=8R-(12*80)(r|069)(-r|21)W7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79'
    """
    module, form = method_named(method, form)
    if isinstance(problem, str):
        problem = Expression.parse(problem)
    if isinstance(problem, Expression) and (module is not mathglm or problem.is_problem):
        problem = problem.problem()
    if rollback:
        if not (module.ROLLS_BACK and isinstance(problem, Problem) and problem.op == "/"):
            raise ProblemError(f"rollback: method {method!r} estimates no quotient digit in '{problem}'")
        first, count = first_step(module, problem.a, problem.b), len(str(problem.value))
        for step in rollback:
            if not first <= step < count:
                raise ProblemError(f"rollback at step {step}: accepted: {first} to {count - 1} in '{problem}'")
    guess = scripted(rollback) if rollback else right
    if answer is None:
        answer = getattr(module, "ANSWER", True)
    steps = steps_of(module.write(problem, form, guess, answer))
    return Trace(problem, method, form, steps, problem.answer)
