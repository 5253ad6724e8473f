"""Cost: the number of tokens of a trace, by characters or by a Hugging Face tokenizer (section 5.4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from revorder.arithmetic.expression import Expression
from revorder.arithmetic.problem import Problem
from revorder.arithmetic.reversed_numbers import MARK
from revorder.errors import ProblemError, first_line, needs
from revorder.methods import trace

TokenCounter = Callable[[str], int]


def characters(text: str) -> int:
    """Return the number of tokens if every character is a token, and so is the mark `r|`.

    >>> characters("12+35=r|74")
    9
    """
    return len(text) - text.count(MARK) * (len(MARK) - 1)


def counter(tokenizer: str | None = None) -> TokenCounter:
    """Return a function that counts tokens, with the Hugging Face tokenizer at a path or name, or by characters.

    Raises ProblemError if the tokenizer can't be loaded, or transformers is not installed.
    """
    if tokenizer is None:
        return characters
    with needs(f"tokenizer {tokenizer!r}:", "train"):
        from transformers import AutoTokenizer
    try:
        loader: Any = AutoTokenizer
        loaded: Any = loader.from_pretrained(tokenizer)
    except Exception as error:  # the Hub's loaders raise many kinds of errors
        raise ProblemError(
            f"tokenizer {tokenizer!r} can't be loaded: {first_line(error)}; give a folder or a name"
        ) from None
    return lambda text: len(loaded.encode(text, add_special_tokens=False))


def cost(
    problem: str | Problem, method: str = "revorder", form: str | None = None, count: TokenCounter = characters
) -> int:
    """Return the tokens of a trace, with its question and answer.

    >>> cost("948/12"), cost("948/12", "lean")
    (51, 29)
    """
    return count(trace(problem, method, form).text)


def bare_cost(
    problem: str | Problem, method: str = "revorder", form: str | None = None, count: TokenCounter = characters
) -> int:
    """Return the tokens of a trace without the forward answer, except for /, where no rule restores it (section 5.4.2).

    >>> bare_cost("123+46"), bare_cost("948/12"), bare_cost("948/12", "lean")
    (11, 51, 29)
    """
    problem = Expression.parse(problem).problem() if isinstance(problem, str) else problem
    return count(trace(problem, method, form, answer=None if problem.op == "/" else False).text)


def extra(
    problem: str | Problem, method: str = "revorder", form: str | None = None, count: TokenCounter = characters
) -> int:
    """Return the tokens beyond question and direct answer, if a rule restores a reversed answer (section 5.4.2).

    >>> extra("123+46"), extra("948/12", "lean")
    (1, 20)
    """
    return bare_cost(problem, method, form, count) - count(trace(problem, "plain").text)
