"""Ranking: which examples a model in training is most likely to get wrong, to show it more of them.

Of a quotient digit's estimate it counts whether it is right or one too high: that is taken back, and no error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from .batches import encode_example, losses, pad, shown
from .recipe import Recipe
from .shards import write_whole
from .tokenizer import Tokenizer

AT_ONCE = 4096  # examples, sorted by length


def ranking(model: Any, recipe: Recipe, tokenizer: Tokenizer, run: Path) -> Callable[[int], list[int]]:
    """What gives a step's hardest examples, in the order of their indices: by the model as it was when first asked.

    A ranking is kept in the folder `run`: a resumed run goes on with the same examples.
    """

    @cache
    def ranked(number: int) -> list[int]:
        if not recipe.hardest or not (number or recipe.start):
            return []
        kept = run / f"hardest-{number}.json"
        if not kept.exists():
            indices = candidates(recipe, number)
            print(f"ranking {len(indices):,} examples", flush=True)
            worst = shared(indices, partial(worst_losses, model, recipe, tokenizer))
            order = sorted(indices, key=worst.__getitem__, reverse=True)
            write_whole(kept, json.dumps(sorted(order[: round(recipe.hardest * len(order))])))
        earlier = ranked(number - 1) if (recipe.fresh or recipe.retold) and number else []
        return earlier + json.loads(kept.read_text())

    return lambda step: ranked(step // recipe.rank_every)


def candidates(recipe: Recipe, number: int) -> range:
    """The indices of the examples that ranking `number` chooses from.

    >>> from dataclasses import replace
    >>> recipe = Recipe.read("calculator")
    >>> candidates(recipe, 1), candidates(replace(recipe, retold=True), 1)
    (range(1, 500000, 2), range(500001, 1000000, 2))
    >>> candidates(replace(recipe, fresh=1000, passed=3000), 1)
    range(504000, 505000)
    """
    if not recipe.fresh:
        first = number * recipe.data.size * recipe.retold
        return range(first + number % recipe.apart, first + recipe.data.size, recipe.apart)
    first = recipe.data.size + recipe.passed + number * recipe.fresh
    return range(first, first + recipe.fresh)


def shared(indices: Sequence[int], rank: Callable[[Sequence[int]], dict[int, float]]) -> dict[int, float]:
    """What `rank` says of all indices, each process (torchrun's) having asked it of its share of them."""
    import torch.distributed as processes

    if not processes.is_available() or not processes.is_initialized():
        return rank(indices)
    found: list[dict[int, float]] = [{}] * processes.get_world_size()
    processes.all_gather_object(found, rank(indices[processes.get_rank() :: len(found)]))
    return {index: loss for part in found for index, loss in part.items()}


def worst_losses(model: Any, recipe: Recipe, tokenizer: Tokenizer, indices: Iterable[int]) -> dict[int, float]:
    """The greatest loss of a learned token of each example, a quotient digit that is one too high no error."""
    import torch

    out: dict[int, float] = {}
    indices = list(indices)
    for start in range(0, len(indices), AT_ONCE):
        rows = []
        for index in indices[start : start + AT_ONCE]:
            rows.append((index, encode_example(tokenizer, recipe, shown(recipe, index), strict=False)))
        rows.sort(key=lambda row: len(row[1][0]))
        while rows:
            many = max(1, 2 * recipe.tokens // len(rows[-1][1][0]))
            chosen, rows = rows[-many:], rows[:-many]
            batch = pad([row for _, row in chosen], tokenizer)
            with torch.no_grad():
                logits = model.forward(batch["input_ids"].to(model.device)).logits  # not compiled
                worst = losses(logits, batch["labels"].to(model.device)).amax(1)
            out |= dict(zip([index for index, _ in chosen], worst.tolist(), strict=True))
    return out
