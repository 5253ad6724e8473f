"""Mine: the answer at once, with a mark before it."""

from revorder.arithmetic.trace import FORWARD, copy
from revorder.methods.base import Method, direct_worst_case


def pieces(problem, form, choose, answer):
    """Yield the question, the mark and the answer."""
    yield copy(f"{problem}=is ")
    yield problem.answer, FORWARD, problem.op, problem.a, problem.b


MINE = Method("mine", pieces, direct_worst_case, forms=("mine",))
