"""Appendix C's enhancement data: small samples without words that teach reversed results in GSM8K's annotation style.

The paper's sample (figure 8) is lost. These samples teach each skill that a converted equation needs on its own:
reversing a number and reading it back, one sum, difference or product, and several numbers added and subtracted in
pairs. A quarter of the samples have two decimal places, as prices do. The rows have GSM8K's format:

    {"question": "r|456", "answer": "<<r|456=654>>654\\n#### 654"}
    {"question": "70+584", "answer": "70+584=<<70+584=r|456=654>>654\\n#### 654"}
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.problem import Problem
from revorder.corpora.gsm8k import WordProblem
from revorder.corpora.pair_steps import reversed_text
from revorder.corpora.rewriting import rewrite
from revorder.errors import ProblemError
from revorder.mixtures.split import is_held_out
from revorder.reading.numbers import NOTATIONS

KINDS = ("read", "reverse", *"++--**", *["several"] * 4)  # a kind's share is the number of its entries
MOST_DIGITS = {"read": 6, "reverse": 6, "+": 5, "-": 5, "several": 4, "*": 4}
MOST_TIMES = 2  # digits of a product's second number

Take = Callable[[int], int]


def example(seed: int, index: int, notation: str = NOTATIONS[0]) -> WordProblem:
    """Return the sample at `index`, a pure function of the arguments; no sample is in a held-out split.

    Raises ProblemError for an unknown notation.

    >>> example(0, 3)
    WordProblem(question='449+8977+6', answer='449+8977+6=<<449+8977+6=r|6249+6=r|2349=9432>>9432\\n#### 9432')
    """
    if notation not in NOTATIONS:
        raise ProblemError(f"notation {notation!r} is unknown; accepted: {', '.join(NOTATIONS)}")
    attempt = 0
    while True:
        take = drawing(f"{seed}:{index}:{attempt}")
        kind = KINDS[take(len(KINDS))]
        question = draw_question(kind, take)
        if not any(is_held_out(problem.a, problem.op, problem.b) for problem in problems(question)):
            break
        attempt += 1
    stated = Expression.parse(question).answer
    if kind == "read":
        question = reversed_text(stated, notation)
        return WordProblem(question, f"<<{question}={stated}>>{stated}\n#### {stated}")
    if kind == "reverse":
        return WordProblem(stated, f"<<{stated}={reversed_text(stated, notation)}={stated}>>{stated}\n#### {stated}")
    equation = rewrite(f"<<{question}={stated}>>", notation)
    return WordProblem(question, f"{question}={equation}{stated}\n#### {stated}")


def examples(seed: int, start: int, stop: int, notation: str = NOTATIONS[0]) -> Iterator[WordProblem]:
    """Yield the samples `start` to `stop`."""
    for index in range(start, stop):
        yield example(seed, index, notation)


def drawing(key: str) -> Take:
    """Return a function that draws numbers below any bound, always the same for the same key."""
    word = int.from_bytes(hashlib.blake2b(key.encode()).digest(), "little")

    def take(bound: int) -> int:
        nonlocal word
        word, number = divmod(word, bound)
        return number

    return take


def draw_question(kind: str, take: Take) -> str:
    """Return an expression, or a number for `read` and `reverse`."""
    places = 2 if take(4) == 0 else 0

    def number(most: int, places: int = 0) -> str:
        length = 1 + take(most)
        least = 10 ** (length - 1) if length > 1 else 1
        whole = str(least + take(10**length - least))
        return f"{whole}.{take(100):02}" if places else whole

    most = MOST_DIGITS[kind]
    first = number(most, places)
    if kind in ("read", "reverse"):
        return first
    if kind == "*":
        return f"{first}*{number(MOST_TIMES)}"
    count = 3 + take(2) if kind == "several" else 2
    signs = ["+-"[take(2)] if kind == "several" else kind for _ in range(count - 1)]
    numbers = [first] + [number(most, places) for _ in signs]
    if "-" in signs and take(8):  # few results are below 0 in GSM8K
        numbers.sort(key=float, reverse=True)
    return numbers[0] + "".join([sign + other for sign, other in zip(signs, numbers[1:], strict=True)])


def problems(question: str) -> Iterator[Problem]:
    """Yield the integer problems that solve an expression, pair by pair."""
    steps = Expression.parse(question).reduce_to_answer()
    try:
        problem = next(steps)
        while True:
            yield problem
            problem = steps.send((problem.value, problem.remainder))
    except StopIteration:
        return
