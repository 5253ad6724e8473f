"""How a method's question and final answer are read, where a method has no way of its own."""

from __future__ import annotations

import re

from ..digits import restore
from ..problem import Problem, ascii_signs

_LAST = re.compile(r"-?[0-9]+(?:R-?[0-9]+)?\Z")


def question(text: str) -> Problem:
    """The problem before the first `=` or line end; raises ProblemError where there is none.

    >>> str(question("12+35=r|74"))
    '12+35'
    """
    return Problem.parse(re.split(r"[=＝\n]", text.lstrip(), maxsplit=1)[0])


def final(text: str) -> str | None:
    """The answer that the last `=` field states, most significant digit first; None where it states none.

    >>> final("12-35=r|77Wr|32-"), final("950/12=79R2"), final("12+35=?")
    ('-23', '79R2', None)
    """
    field = re.sub(r"\s", "", restore(re.sub(r"\s", "", ascii_signs(text))).rpartition("=")[2].rpartition("W")[2])
    return field if _LAST.match(field) else None
