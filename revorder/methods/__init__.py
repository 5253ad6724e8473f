"""The list of methods, and `trace`, which writes a trace with any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.problem import Problem
from revorder.arithmetic.trace import ChooseDigit, Trace, correct_digit, split_steps
from revorder.errors import ProblemError, first_line, quote
from revorder.methods.authors import AUTHORS
from revorder.methods.base import Method
from revorder.methods.blocks import BLOCKS
from revorder.methods.goat import GOAT
from revorder.methods.lean import LEAN
from revorder.methods.mathglm import MATHGLM
from revorder.methods.plain import PLAIN
from revorder.methods.reverse import REVERSE
from revorder.methods.revorder import REVORDER
from revorder.methods.scratchpad import SCRATCHPAD

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "revorder.methods"  # the group under which an installed package names its methods


class Methods(dict[str, Method]):
    """Methods by name; other names are looked up among the methods of installed packages."""

    looked = False

    def __missing__(self, name: str) -> Method:
        if not self.looked:
            from importlib.metadata import entry_points  # takes a tenth of a command's start

            self.looked = True
            for entry in entry_points(group=ENTRY_POINTS):
                self.setdefault(entry.name, load(entry))
            if super().__contains__(name):
                return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (not self.looked and self.find(str(name)) is not None)

    def all_forms(self) -> list[tuple[str, str]]:
        """Return (method, form) for every form of every method, those of installed packages too."""
        self.find("")  # looks them up
        return [(name, form) for name, method in self.items() for form in method.forms]

    def find(self, name: str) -> Method | None:
        """Return the method of a name, or None."""
        try:
            return self[name]
        except KeyError:
            return None

    def __repr__(self) -> str:
        return f"<methods {', '.join(self)}>"


def load(entry: EntryPoint) -> Method:
    """Import a method from a package; raises ProblemError if the import fails, or gives no Method of that name."""
    try:
        found = entry.load()
    except Exception as error:  # other packages may raise anything
        raise ProblemError(f"method {entry.name!r} of {entry.value!r} can't be imported: {first_line(error)}") from None
    if not isinstance(found, Method) or found.name != entry.name:
        raise ProblemError(f"method {entry.name!r} of {entry.value!r} is not a Method of that name")
    return found


METHODS = Methods(
    {method.name: method for method in (REVORDER, LEAN, AUTHORS, PLAIN, REVERSE, SCRATCHPAD, GOAT, MATHGLM, BLOCKS)}
)

Rollback = Mapping[int, int | Iterable[int]]  # quotient step, 0-based: the wrong digit (or block), or several in turn


def find_method(name: str, form: str | None = None) -> tuple[Method, str]:
    """Return the method of a name, and its form, the default one if `form` is None.

    Raises ProblemError that lists the accepted names.

    >>> find_method("revorder")[1]
    'compact'
    """
    method = METHODS.find(name)
    if method is None:
        raise ProblemError(f"method {quote(name)} is unknown; accepted: {', '.join(METHODS)}")
    if form is None:
        return method, method.forms[0]
    if form not in method.forms:
        raise ProblemError(f"form {quote(form)} is unknown to method {name!r}; accepted: {', '.join(method.forms)}")
    return method, form


def full_name(method: str, form: str | None = None) -> str:
    """Return a method's name, followed by the form if the method has several.

    Raises ProblemError for an unknown method or form.

    >>> full_name("revorder", "compact"), full_name("lean")
    ('revorder compact', 'lean')
    """
    return f"{method} {find_method(method, form)[1]}" if len(METHODS[method].forms) > 1 else method


def scripted_digits(rollback: Rollback) -> ChooseDigit:
    """Return a ChooseDigit that first writes the given wrong digits, then the correct one.

    The ChooseDigit raises ProblemError if a given digit is not a digit, or is the correct one.

    >>> choose = scripted_digits({0: 8})
    >>> choose(0, 7), choose(0, 7), choose(1, 9)
    (8, 7, 9)
    """
    plan = {step: list(wrong) if isinstance(wrong, Iterable) else [wrong] for step, wrong in rollback.items()}

    def choose(step: int, correct: int, width: int = 1) -> int:
        if not plan.get(step):
            return correct
        wrong = plan[step].pop(0)
        if type(wrong) is not int or wrong == correct or not 0 <= wrong < 10**width:
            these = "digits 0-9" if width == 1 else f"blocks {'0' * width}-{'9' * width}"
            raise ProblemError(
                f"rollback {step}:{wrong}: accepted: one of the {these} except {correct:0{width}d}, the right one"
            )
        return wrong

    return choose


def trace(
    problem: str | Problem | Expression,
    method: str = "revorder",
    form: str | None = None,
    rollback: Rollback | None = None,
    answer: bool | None = None,
) -> Trace:
    """Return the trace of a problem, as a method writes it (section 4; Table 1's baselines).

    Args:
        problem: an operation or expression, parsed or as text.
        method: the name of the method.
        form: a form of the method; by default its first form.
        rollback: maps a quotient step (0-based) to the wrong digit, or digits, to write and take back there. Lean also
            has a step -1 if a division's leading digits do not reach the divisor. In method blocks a step is a block.
        answer: whether the trace ends with the forward answer; by default it does, except in lean and blocks.

    Raises:
        ProblemError: if the problem can't be parsed, or can't be written by the method with these arguments.

    >>> trace("948/12", rollback={0: 8}).text
    '948/12=8R-(12*80)(r|069)(-r|21)W7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79'
    """
    writer, form = find_method(method, form)
    if isinstance(problem, str):
        problem = Expression.parse(problem)
    if isinstance(problem, Expression) and (problem.is_problem or not writer.takes_expressions):
        problem = problem.problem()
    if rollback:
        if not (writer.can_rollback and isinstance(problem, Problem) and problem.op == "/"):
            raise ProblemError(
                f"rollback: method {method!r} estimates no quotient digit in '{problem}'; give a division, and a"
                " method that takes digits back"
            )
        steps = writer.quotient_steps(problem.a, problem.b, form)
        for step in rollback:
            if step not in steps:
                raise ProblemError(f"rollback at step {step}: accepted: {min(steps)} to {max(steps)} in '{problem}'")
    choose = scripted_digits(rollback) if rollback else correct_digit
    pieces = writer.pieces(problem, form, choose, writer.writes_answer if answer is None else answer)
    return Trace(problem, method, form, split_steps(pieces), problem.answer)
