"""RevOrder: exact arithmetic in language models.

`trace` writes the work of a problem with one of METHODS, `verify` judges such a text step by step, `csid` says how
hard it is to write, `restore` turns reversed numbers, and `solve` lets a small model compute and shows its work.
"""

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.problem import Problem
from revorder.arithmetic.reversed_numbers import Restorer, restore
from revorder.arithmetic.trace import Step, Trace
from revorder.errors import ProblemError
from revorder.inference.solver import Solution, solve, solve_many
from revorder.judge import Verdict, verify
from revorder.methods import METHODS, trace
from revorder.metrics.csid import csid
from revorder.provenance import __version__ as __version__

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
