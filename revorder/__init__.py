"""RevOrder: exact arithmetic in language models.

`trace` writes the work of a problem with one of METHODS, `verify` judges such a text step by step, `csid` says how
hard it is to write, `restore` turns reversed numbers, and `solve` lets a small model compute and shows its work.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from revorder.provenance import __version__ as __version__

if TYPE_CHECKING:
    from revorder.arithmetic.expression import Expression
    from revorder.arithmetic.problem import Problem
    from revorder.arithmetic.reversed_numbers import Restorer, restore
    from revorder.arithmetic.trace import Step, Trace
    from revorder.errors import ProblemError
    from revorder.inference.solver import Solution, solve, solve_many
    from revorder.judge import Verdict, verify
    from revorder.methods import METHODS, trace
    from revorder.metrics.csid import csid

_HOME = {  # where each name is, which is imported when it is asked for
    "METHODS": "methods",
    "Expression": "arithmetic.expression",
    "Problem": "arithmetic.problem",
    "ProblemError": "errors",
    "Restorer": "arithmetic.reversed_numbers",
    "Solution": "inference.solver",
    "Step": "arithmetic.trace",
    "Trace": "arithmetic.trace",
    "Verdict": "judge",
    "csid": "metrics.csid",
    "restore": "arithmetic.reversed_numbers",
    "solve": "inference.solver",
    "solve_many": "inference.solver",
    "trace": "methods",
    "verify": "judge",
}

__all__ = [
    "METHODS",
    "Expression",
    "Problem",
    "ProblemError",
    "Restorer",
    "Solution",
    "Step",
    "Trace",
    "Verdict",
    "csid",
    "restore",
    "solve",
    "solve_many",
    "trace",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f"revorder.{_HOME[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
