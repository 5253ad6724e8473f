"""Batches of examples as token ids and labels; item `i` is a pure function of (recipe, i)."""

from __future__ import annotations

import hashlib
import random
from concurrent.futures import Future
from functools import cache
from itertools import pairwise
from typing import Any

from revorder.arithmetic.trace import ROLLBACK, STEP_END
from revorder.errors import ProblemError
from revorder.helpers import Helpers
from revorder.metrics.token_cost import characters
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import Example, sampler
from revorder.mixtures.targets import IGNORED, Pair, as_pair, labels_of
from revorder.model.tokenizer import Tokenizer
from revorder.training.recipe import Recipe

POOL = 32  # batches cut from one pool of examples

Encoded = tuple[list[int], list[int]]  # token ids and labels


def encode_example(tokenizer: Tokenizer, pair: Pair) -> Encoded:
    """Return the token ids and labels of an example, with <bos> and <eos>; <eos> is learned, the prompt is not.

    >>> encode_example(Tokenizer(), Pair("1+1=", [("2", True)]))[1]
    [-100, -100, -100, -100, -100, 92, 2]
    """
    ids = tokenizer.encode(pair.text)
    labels = labels_of(ids, tokenizer.offsets(ids), [(pair.prompt, False), *pair.spans])
    return [tokenizer.bos, *ids, tokenizer.eos], [IGNORED, *labels, tokenizer.eos]


def beginning(example: Example) -> Example:
    """Return a division up to the mark behind its first right quotient digit; of one digit, the whole division.

    >>> mixture = Mixture.read({"method": "lean", "estimate_digits": 2, "parts": [{"op": "/", "a": 4, "b": 2}]})
    >>> example = sampler(mixture).example(0, 7)
    >>> beginning(example).text, example.text
    ('5382/46=100r|64r|870#', '5382/46=100r|64r|870#10r|64r|223#7r|223r|000=117')
    """
    for last, (before, piece) in enumerate(pairwise(example.pieces), 3):
        if piece == STEP_END and before[1] is not ROLLBACK:
            return example._replace(pieces=example.pieces[:last])
    return example


def shift_example(recipe: Recipe, tokenizer: Tokenizer, example: Example, encoded: Encoded) -> Encoded:
    """Return an example with its places moved up, or unchanged, according to the recipe's `place_offset`.

    The choice is a pure function of the recipe's seed and the example's index. The label of `r|` stays: a finished
    model has only one `r|` to write.
    """
    ids, labels = encoded
    drawn, where = chance("place", recipe, example)
    problem = example.problem
    if drawn >= recipe.place_offset or (problem.op == "*" and problem.a > 9 and problem.b > 9):
        return encoded
    offset = where % (tokenizer.places - tokenizer.top_place(ids))
    moved = tokenizer.shift_places(ids, offset)
    return moved, [
        label if label == IGNORED or token >= len(tokenizer) else token
        for token, label in zip(moved, labels, strict=True)
    ]


def chance(what: str, recipe: Recipe, example: Example) -> tuple[float, int]:
    """Return a number from 0 to 1 and a whole number below 2**32, both a pure function of the arguments."""
    word = hashlib.blake2b(f"{what} {recipe.seed}:{example.index}".encode(), digest_size=8).digest()
    return int.from_bytes(word[:4], "little") / 2**32, int.from_bytes(word[4:], "little")


def pad(rows: list[Encoded], padding: int) -> dict[str, Any]:
    """Return rows of ids and labels as tensors of shape (rows, tokens of the longest row rounded up to 8)."""
    import torch

    width = -(-max(len(ids) for ids, _ in rows) // 8) * 8
    ids = torch.tensor([row + [padding] * (width - len(row)) for row, _ in rows])
    labels = torch.tensor([row + [IGNORED] * (width - len(row)) for _, row in rows])
    return {"input_ids": ids, "labels": labels}  # padding comes last, so causal attention never sees it


class Batches:
    """A dataset of whole batches: item `i` belongs to step i // `a_step`, a pure function of (recipe, `a_step`, i).

    With `helpers`, that many processes make the next pools meanwhile: a GPU learns faster than one process writes.
    """

    def __init__(self, recipe: Recipe, tokenizer: Tokenizer, processes: int = 1, helpers: int = 0) -> None:
        self.recipe, self.tokenizer = recipe, tokenizer
        self.processes, self.a_step = processes, recipe.batches_a_step(processes)
        self.pieces = self.a_step // processes  # batches of a step in each process
        self._pools: dict[int, tuple[int, list[dict[str, Any]]]] = {}  # by slot: the turn and its batches
        self._coming: dict[int, Future[list[dict[str, Any]]]] = {}  # by number
        self._ahead = -(-2 * helpers // self.pieces)  # turns
        self._helpers = Helpers(helpers) if helpers else None

    def __len__(self) -> int:
        return self.recipe.steps * self.a_step

    def __getitem__(self, item: int) -> dict[str, Any]:
        if item >= len(self):
            raise IndexError(item)
        # process p takes items p, p + processes, ..., and makes only the pools of its own items
        step, slot = divmod(item, self.a_step)
        turn, at = divmod(step, POOL)
        if slot not in self._pools or self._pools[slot][0] != turn:
            self._pools[slot] = turn, self._made(turn, slot)
        return self._pools[slot][1][at]

    def close(self) -> None:
        """Stop the helpers."""
        if self._helpers:
            self._helpers.shutdown(cancel_futures=True)

    def _made(self, turn: int, slot: int) -> list[dict[str, Any]]:
        """Return the pool of a turn and slot, and have the helpers make the slot's next ones."""
        wanted = turn * self.a_step + slot
        if not self._helpers:
            return self.pool(wanted)
        import torch

        for number in range(wanted, wanted + self._ahead * self.a_step + 1, self.a_step):
            if number not in self._coming:
                self._coming[number] = self._helpers.submit(pool_as_arrays, self.recipe, self.processes, number)
        arrays = self._coming.pop(wanted).result()
        return [{name: torch.from_numpy(array) for name, array in batch.items()} for batch in arrays]

    def rows(self, mixture: Mixture, key: bytes, tokens: int) -> list[Encoded]:
        """Return examples of a mixture, `tokens` tokens in all, from a start that `key` determines."""
        recipe, rows, total = self.recipe, list[Encoded](), 0
        start = int.from_bytes(key, "little") % mixture.size
        while total < tokens:
            for first, last in ((start, mixture.size), (0, start)):
                for example in sampler(mixture).examples(recipe.seed, first, last):
                    if row := self.encoded(example, mixture.estimate_digits > 0):
                        rows.append(row)
                        total += len(row[0])
                        if total >= tokens:
                            return rows
            if not rows:
                raise ProblemError(
                    f"recipe {recipe.name!r}: no example has up to {recipe.longest} tokens; give a larger 'longest'"
                )
        return rows

    def encoded(self, example: Example, learn_estimates: bool) -> Encoded | None:
        """Return an example as the recipe learns it, whole or begun, its places moved or not; None if too long."""
        recipe, shown = self.recipe, example
        if recipe.beginnings and example.problem.op == "/":
            drawn, _ = chance("beginning", recipe, example)
            shown = beginning(example) if drawn < recipe.beginnings else example
        pair = as_pair(shown, learn_estimates)
        if characters(pair.text) + 2 > recipe.longest:
            return None
        ids, labels = encode_example(self.tokenizer, pair)
        if len(shown.pieces) < len(example.pieces):
            del ids[-1], labels[-1]  # a beginning has no <eos>
        return shift_example(recipe, self.tokenizer, example, (ids, labels)) if recipe.place_offset else (ids, labels)

    def pool(self, number: int) -> list[dict[str, Any]]:
        """Return POOL shuffled batches of about equal numbers of tokens, each with examples of similar lengths."""
        recipe = self.recipe
        key = hashlib.blake2b(f"{recipe.seed}:{number}".encode(), digest_size=8).digest()
        tokens = recipe.tokens * POOL
        phase, into = divmod(number // self.a_step * POOL, recipe.early_steps)
        now, then = (*recipe.early, recipe.data, recipe.data)[min(phase, len(recipe.early)) :][:2]
        first = tokens if now is then else tokens * (recipe.early_steps - into) // recipe.early_steps
        rows = self.rows(now, key, first) + self.rows(then, key, tokens - first)
        rows.sort(key=lambda row: len(row[0]))
        batches: list[list[Encoded]] = [[] for _ in range(POOL)]
        seen, total = 0, sum(len(ids) for ids, _ in rows)
        for row in rows:
            batches[min(POOL - 1, seen * POOL // total)].append(row)
            seen += len(row[0])
        if not all(batches):
            raise ProblemError(
                f"recipe {recipe.name!r}: an example has {len(rows[-1][0])} tokens, a batch {recipe.tokens}; "
                "give a larger 'tokens'"
            )
        random.Random(key).shuffle(batches)
        return [pad(batch, self.tokenizer.pad) for batch in batches]


@cache
def batches_in_helper(recipe: Recipe, processes: int) -> Batches:
    """Return the batches of a recipe, which each helper makes once."""
    return Batches(recipe, Tokenizer(recipe.model.places), processes)


def pool_as_arrays(recipe: Recipe, processes: int, number: int) -> list[dict[str, Any]]:
    """Return a pool in a helper, as arrays: tensors would travel as open files, two for each batch."""
    pool = batches_in_helper(recipe, processes).pool(number)
    return [{name: tensor.numpy() for name, tensor in batch.items()} for batch in pool]
