"""Views: functions that turn an example of a mixture into a row for trainers."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import Any

from revorder.arithmetic.trace import split_steps
from revorder.errors import ProblemError, quote
from revorder.judge import verify
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import Example
from revorder.mixtures.targets import as_pair, labels_of

Row = dict[str, Any]
View = Callable[[Example, Mixture], Row]

_DIGIT = re.compile("[0-9]")


def trace_row(example: Example, mixture: Mixture) -> Row:
    """Return the problem, its answer and the trace, with numbers as text, since they may be long.

    >>> from revorder.mixtures.sampling import sampler
    >>> mixture = Mixture.read("small")
    >>> trace_row(sampler(mixture).example(42, 7), mixture)
    {'index': 7, 'op': '*', 'a': '3422', 'b': '8', 'answer': '27376', 'text': '3422*8=r|67372'}
    """
    problem = example.problem
    return {
        "index": example.index,
        "op": problem.op,
        "a": str(problem.a),
        "b": str(problem.b),
        "answer": problem.answer,
        "text": example.text,
    }


def prompt_completion(example: Example, mixture: Mixture) -> Row:
    """Return a prompt and its completion for fine-tuning, and the problem and answer for rewards.

    >>> from revorder.mixtures.sampling import sampler
    >>> mixture = Mixture.read("small")
    >>> prompt_completion(sampler(mixture).example(42, 7), mixture)
    {'prompt': '3422*8=', 'completion': 'r|67372', 'problem': '3422*8', 'answer': '27376'}
    """
    pair = as_pair(example)
    return {
        "prompt": pair.prompt,
        "completion": pair.completion,
        "problem": str(example.problem),
        "answer": example.problem.answer,
    }


def messages(example: Example, mixture: Mixture) -> Row:
    """Return prompt and completion as the turns of a chat, and the problem and answer for rewards.

    >>> from revorder.mixtures.sampling import sampler
    >>> mixture = Mixture.read("small")
    >>> messages(sampler(mixture).example(42, 7), mixture)["messages"][1]
    {'role': 'assistant', 'content': 'r|67372'}
    """
    row = prompt_completion(example, mixture)
    turns = [
        {"role": "user", "content": row.pop("prompt")},
        {"role": "assistant", "content": row.pop("completion")},
    ]
    return {"messages": turns, **row}


def steps(example: Example, mixture: Mixture) -> Row:
    """Return the steps of a completion and whether each is right, for process reward models.

    Half of the rows have one changed digit, in each step equally often. They end with the step that the judge finds
    wrong.

    >>> from revorder.mixtures.sampling import sampler
    >>> mixture = Mixture.read("small")
    >>> steps(sampler(mixture).example(42, 7), mixture)
    {'prompt': '3422*8=', 'completions': ['r|67372'], 'labels': [True]}
    """
    text, pair = example.text, as_pair(example)
    begin = len(text) - len(pair.completion)
    ends = list(accumulate(len(step.text) for step in split_steps(example.pieces)))
    bounds = list(pairwise([begin, *ends]))
    right = len(bounds)
    word, is_changed = divmod(int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "little"), 2)
    if is_changed:
        digits = [found for start, stop in bounds if (found := list(_DIGIT.finditer(text, start, stop)))]
        word, step = divmod(word, len(digits))
        word, i = divmod(word, len(digits[step]))
        digit = digits[step][i]
        other = (int(digit[0]) + 1 + word % 9) % 10
        text = f"{text[: digit.start()]}{other}{text[digit.end() :]}"
        wrong = verify(text, mixture.method, mixture.form, example.problem).step
        right = right if wrong is None else wrong
    labels = [i < right for i in range(len(bounds))][: right + 1]
    return {
        "prompt": pair.prompt,
        "completions": [text[i:j] for (i, j), _ in zip(bounds, labels, strict=False)],
        "labels": labels,
    }


def tokens(example: Example, mixture: Mixture, tokenizer: Any) -> Row:
    """Return token ids and labels, for a fast tokenizer of transformers.

    A token with any text of the prompt, or of a random wrong digit, has no loss. The token that ends a text is learned.
    """
    pair = as_pair(example, learn_estimates=mixture.estimate_digits > 0)
    encoded = tokenizer(pair.prompt + pair.completion, return_offsets_mapping=True)
    ids = list(encoded["input_ids"])
    labels = labels_of(ids, encoded["offset_mapping"], [(pair.prompt, False), *pair.spans])
    end = tokenizer.eos_token_id
    if ids[-1] == end:
        labels[-1] = end
        return {"input_ids": ids, "labels": labels}
    return {"input_ids": [*ids, end], "labels": [*labels, end]}


VIEWS: dict[str, View] = {
    "trace": trace_row,
    "prompt_completion": prompt_completion,
    "messages": messages,
    "steps": steps,
}
TOKENS = "tokens"  # the view that needs a tokenizer


def find_view(name: str, tokenizer: Any = None) -> View:
    """Return the view of a name; `tokens`, the view of token ids, needs a tokenizer.

    Raises ProblemError that lists the accepted names, or describes what is wrong with the tokenizer.
    """
    if name == TOKENS and tokenizer is not None:
        if not getattr(tokenizer, "is_fast", False) or tokenizer.eos_token_id is None:
            raise ProblemError(
                f"tokenizer {quote(type(tokenizer).__name__)}: no offsets, or no token that ends a text; give a"
                " fast tokenizer of transformers with an eos_token"
            )
        return partial(tokens, tokenizer=tokenizer)
    if name not in VIEWS:
        raise ProblemError(f"view {name!r} is unknown; accepted: {', '.join(VIEWS)}, and {TOKENS} with a tokenizer")
    return VIEWS[name]
