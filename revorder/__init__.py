"""RevOrder: exact arithmetic in language models.

`trace` writes the work of a problem with one of METHODS, `verify` judges such a text step by step, `csid` says how
hard it is to write, `restore` turns reversed numbers, and `solve` lets a small model compute and shows its work.
"""

from .csid import csid
from .digits import Restorer, restore
from .methods import METHODS, trace
from .problem import Expression, Problem, ProblemError
from .solve import Solution, solve
from .trace import Step, Trace
from .verify import Verdict, verify

__version__ = "0.1.0"
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
    "trace",
    "verify",
]
