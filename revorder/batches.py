"""Batches: the examples that a step learns from, as token ids and labels; item `i` is a pure function of (recipe, i).

The loss is on the answer only, and not on a quotient digit that is wrong at random: the model learns to take it back,
not to write it. Where either of two digits will do, it learns that it is one of them. Short examples come first.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from .cost import characters
from .data import Example, Rollback, drawing, either_will_do, example, falls_short
from .methods import METHODS, scripted
from .mixture import Mixture
from .problem import Problem, ProblemError
from .recipe import Recipe
from .tokenizer import Tokenizer
from .trace import GUESS, Part, right

IGNORED = -100  # the label of a token that is not learned
GROUP = 32  # batches that are cut from one pool of examples
Row = tuple[list[int], list[int]]  # token ids and labels


def learned(
    parts: Iterable[Part], margin: float = 0, unsure: float = 0, strict: bool = True
) -> Iterator[tuple[str, str]]:
    """Pieces of a trace's answer and what is learned of each: itself, but of a quotient digit what `margin` asks for.

    Nothing ("") is learned of one that is wrong at random; what follows it is, its W above all. Where either digit will
    do both are named, and everywhere if not `strict`; before the quotient's first digit a # stands for the 0.

    >>> from revorder import trace
    >>> steps = trace("94/12", "lean", rollback={0: 8}).steps
    >>> parts = [part for step in steps for part in step.parts]
    >>> [[wanted for text, wanted in learned(parts, *margins) if text == "8"] for margins in ((0,), (0.5,), (0.5, 0.4))]
    [[''], ['8'], ['78']]
    """
    taken_back = begun = False
    for text, kind, left, b in parts:
        wanted = text
        if kind == GUESS or (b and text == "#"):  # which stands for a 0 before the quotient's first digit
            digit = left // b
            begun |= digit > 0
            if not taken_back and (not strict or either_will_do(left, b, margin, unsure)):
                wanted = "".join(map(str, (digit, digit + 1)[: 10 - digit])) if begun else "#1"
            elif int(text.strip("#0") or 0) != digit + (not taken_back and falls_short(left, b, margin)):
                wanted = ""
            begun = True
        yield text, wanted
        if text:
            taken_back = text.endswith("W")


def encode(tokenizer: Tokenizer, question: str, pieces: Iterable[tuple[str, str]]) -> Row:
    """Token ids and labels of an example, <bos> and <eos> included; pieces as from `learned`.

    A label is the id of the token that is learned; of one of two, the first's + size of the vocabulary * the second's.

    >>> tokenizer = Tokenizer()
    >>> encode(tokenizer, "1+1=", [("r|2", "r|2")])[1][:5]
    [-100, -100, -100, -100, -100]
    >>> label = encode(tokenizer, "14/4=", [("3", "34"), ("r|21", "")])[1][6]
    >>> tokenizer.tokens([label % len(tokenizer), label // len(tokenizer)])
    ['3', '4']
    """
    text = "".join([piece for piece, _ in pieces])
    ids = [tokenizer.bos, *tokenizer.encode(question + text), tokenizer.eos]
    labels = [IGNORED] * (len(tokenizer.encode(question)) + 1)
    for piece, wanted in pieces:
        size = characters(piece)
        written = ids[len(labels) : len(labels) + size]
        if wanted == piece:
            labels += written
        elif wanted:
            before = piece == "#"  # what may stand there instead has a place more than the digit behind it
            place = (tokenizer.factors(ids[len(labels) + before])[1] or 0) + before
            one, *another = [tokenizer.digit(char, place) for char in wanted]
            labels.append(one + len(tokenizer) * sum(another))
        else:
            labels += [IGNORED] * size
    labels.append(tokenizer.eos)
    return ids, labels


def encode_problem(
    tokenizer: Tokenizer,
    mixture: Mixture,
    problem: Problem,
    rollback: Rollback | None = None,
    strict: bool = True,
) -> Row:
    """Token ids and labels of a problem's trace as the mixture writes it."""
    module = METHODS[mixture.method]
    guess = scripted(rollback) if rollback else right
    parts = list(module.write(problem, mixture.form, guess, mixture.answer))
    question = parts[0][0]
    return encode(tokenizer, question, list(learned(parts[1:], mixture.margin, mixture.unsure, strict)))


def encode_example(tokenizer: Tokenizer, recipe: Recipe, drawn: Example, strict: bool = True) -> Row:
    """Token ids and labels of an example of the recipe."""
    return encode_problem(tokenizer, recipe.data, drawn.problem, drawn.rollback, strict)


def shown(recipe: Recipe, index: int) -> Example:
    """Example `index` of the recipe's mixture; if `retold`, the mixture's size further on is the next telling.

    >>> from dataclasses import replace
    >>> recipe = replace(Recipe.read("calculator"), retold=True)
    >>> shown(recipe, 7).problem == shown(recipe, 500_007).problem
    True
    """
    telling, at = divmod(index, recipe.data.size) if recipe.retold else (0, index)
    return example(recipe.seed, at, recipe.data, telling)


def long_ones(recipe: Recipe) -> list[int]:
    """The indices of the mixture's examples that are at least as long as one of the recipe's `long`, if it has any.

    Raises ProblemError where none is.

    >>> from dataclasses import replace
    >>> recipe = Recipe.read("sums")
    >>> recipe = replace(recipe, data=replace(recipe.data, size=40), long=(("+", 15, 10), ("*", 16, 1)))
    >>> [str(example(recipe.seed, index, recipe.data).problem) for index in long_ones(recipe)]
    ['100000000000+999999999999998']
    """
    if not recipe.long:
        return []
    found = [
        index
        for index, a, op, b, _ in drawing(recipe.data).problems(recipe.seed, 0, recipe.data.size)
        for longer, shorter in [sorted((len(str(a)), len(str(b))), reverse=True)]
        if any(op == one and longer >= n and shorter >= m for one, n, m in recipe.long)
    ]
    if not found:
        columns = ", ".join(f"{n}D{op}{m}D" for op, n, m in recipe.long)
        raise ProblemError(f"recipe {recipe.name!r}: no example is as long as {columns}; accepted: a shorter 'long'")
    return found


def pad(rows: list[Row], tokenizer: Tokenizer) -> dict[str, Any]:
    """Rows of ids and labels as tensors of shape (rows, longest row, rounded up to 8)."""
    import torch

    width = -(-max(len(ids) for ids, _ in rows) // 8) * 8
    ids = torch.tensor([row + [tokenizer.pad] * (width - len(row)) for row, _ in rows])
    labels = torch.tensor([row + [IGNORED] * (width - len(row)) for _, row in rows])
    return {"input_ids": ids, "labels": labels}  # pads come last: causal attention never sees them


def right_ones(labels: Any, size: int) -> tuple[Any, Any]:
    """The one token, or the first and the second, that a label of `encode` names; `size`: of the vocabulary.

    >>> import torch
    >>> [ids.tolist() for ids in right_ones(torch.tensor([IGNORED, 5, 5 + 100 * 6]), 100)]
    [[0, 5, 5], [0, 5, 6]]
    """
    import torch

    kept = labels.clamp(min=0)
    one, another = kept % size, kept // size
    return one, torch.where(another > 0, another, one)


def losses(logits: Any, labels: Any) -> Any:
    """The loss of each token but the first, 0 where nothing is learned: -log of the probability of what is right."""
    import torch

    labels = labels[:, 1:]
    chances = logits[:, :-1].float().log_softmax(-1)
    one, another = (chances.gather(-1, ids[..., None])[..., 0] for ids in right_ones(labels, chances.shape[-1]))
    either = torch.where(labels < chances.shape[-1], one, torch.logaddexp(one, another))
    return -either * (labels != IGNORED)


class Batches:
    """A dataset whose item `i` is a whole batch, of step i // processes: a pure function of (recipe, i)."""

    def __init__(
        self,
        recipe: Recipe,
        tokenizer: Tokenizer,
        processes: int = 1,
        hardest: Callable[[int], list[int]] = lambda _: [],
    ) -> None:
        self.recipe, self.tokenizer, self.processes, self.hardest = recipe, tokenizer, processes, hardest
        self._pool: tuple[int, list[dict[str, Any]]] = (-1, [])

    def __len__(self) -> int:
        return self.recipe.steps * self.processes

    def __getitem__(self, item: int) -> dict[str, Any]:
        if item >= len(self):
            raise IndexError(item)
        # process p takes items p, p + processes, ...: each makes the pools of its own items only
        step, process = divmod(item, self.processes)
        turn, at = divmod(step, GROUP)
        number = turn * self.processes + process
        if self._pool[0] != number:
            cap = self.cap(turn * GROUP / self.recipe.steps)
            self._pool = (number, self.pool(number, cap, self.hardest(turn * GROUP)))
        return self._pool[1][at]

    @cached_property
    def long(self) -> list[int]:
        """The indices of the examples that the recipe's `long` has it shown more often."""
        return long_ones(self.recipe)

    def cap(self, progress: float) -> int:
        """The tokens of the longest example at `progress`, the share of the steps that are done."""
        recipe = self.recipe
        grown = 1.0 if progress >= recipe.short_first else (progress / recipe.short_first) ** 1.5
        return round(recipe.shortest + (recipe.longest - recipe.shortest) * grown)

    def short(self, among: Sequence[int], key: bytes, cap: int, enough: int) -> list[Row]:
        """Examples of up to `cap` tokens, around and around from where `key` says, until they have `enough` tokens.

        None where none is so short.
        """
        rows: list[Row] = []
        total = 0
        start = int.from_bytes(key, "little") % max(1, len(among))
        while total < enough:
            for index in chain(among[start:], among[:start]):
                drawn = shown(self.recipe, index)
                if characters(drawn.text) + 2 <= cap:
                    rows.append(encode_example(self.tokenizer, self.recipe, drawn))
                    total += len(rows[-1][0])
                    if total >= enough:
                        break
            if not rows:
                break
        return rows

    def pool(self, number: int, cap: int, hardest: Sequence[int] = ()) -> list[dict[str, Any]]:
        """GROUP batches of like lengths and about equal numbers of tokens, no example above `cap`; in an order of its own.

        Half of the tokens are of the examples `hardest`, or of the recipe's `long`, if there are any.
        """
        recipe = self.recipe
        first = number * recipe.data.size * recipe.retold
        every = range(first, first + recipe.data.size)
        more = hardest or [first + index for index in self.long]
        key = hashlib.blake2b(f"{recipe.seed}:{number}".encode(), digest_size=8).digest()
        rows = self.short(more, key, cap, recipe.tokens * GROUP // 2)
        rows += self.short(every, key, cap, recipe.tokens * GROUP - sum(len(ids) for ids, _ in rows))
        if not rows:
            raise ProblemError(
                f"recipe {recipe.name!r}: no example has up to {cap} tokens; accepted: a larger 'shortest'"
            )
        rows.sort(key=lambda row: len(row[0]))
        batches: list[list[Row]] = [[] for _ in range(GROUP)]
        seen, total = 0, sum(len(ids) for ids, _ in rows)
        for row in rows:
            batches[min(GROUP - 1, seen * GROUP // total)].append(row)
            seen += len(row[0])
        if not all(batches):
            longest = len(rows[-1][0])
            raise ProblemError(
                f"recipe {recipe.name!r}: an example has {longest} tokens, a batch {recipe.tokens}; accepted: a larger 'tokens'"
            )
        random.Random(key).shuffle(batches)
        return [pad(batch, self.tokenizer) for batch in batches]
