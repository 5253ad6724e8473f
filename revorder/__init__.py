"""RevOrder: exact arithmetic in language models. `trace`, `verify`, `csid`, `restore`, `solve` and METHODS are the way in."""

from .digits import Restorer, restore
from .methods import METHODS, trace
from .problem import Expression, Problem, ProblemError
from .verify import Verdict, verify

__all__ = ["METHODS", "Expression", "Problem", "ProblemError", "Restorer", "Verdict", "restore", "trace", "verify"]
