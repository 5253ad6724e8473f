"""Batches for fine-tuning: each step's encoded examples, in pieces of similar lengths and of about equal tokens.

Every batch is a pure function of its step.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from revorder.errors import ProblemError
from revorder.mixtures.targets import IGNORED, Pair, labels_of
from revorder.model.pretrained import encode_completion, encode_prompt
from revorder.training.batches import Encoded, pad
from revorder.training.finetune_data import Source
from revorder.training.finetune_recipe import FinetuneRecipe

CPU_TOKENS = 1024  # about the most tokens that a process computes at once on a CPU
SAMPLED = 500  # examples in the sample from which the mean length is estimated


def encode_pair(tokenizer: Any, pair: Pair) -> Encoded:
    """Return the token ids and labels of an example; the end token is learned, the prompt is not."""
    prompt = encode_prompt(tokenizer, pair.prompt)
    ids, offsets = encode_completion(tokenizer, pair.completion)
    labels = labels_of(ids, offsets, pair.spans)
    end = [] if ids[-1:] == [tokenizer.eos_token_id] else [tokenizer.eos_token_id]  # a completion may already end in it
    return [*prompt, *ids, *end], [IGNORED] * len(prompt) + labels + end


def count_pieces(recipe: FinetuneRecipe, processes: int) -> int:
    """Return the number of pieces of a step in each process. Raises ProblemError if a process would have none."""
    if recipe.batch < processes:
        raise ProblemError(f"batch is {recipe.batch}; give at least {processes}, one example for each process")
    return min(-(-recipe.batch // (processes * recipe.device_batch)), recipe.batch // processes)


def first_rows(source: Source, tokenizer: Any) -> list[Encoded]:
    """Return the first examples, up to SAMPLED and not cut off, as the sample for estimates."""
    return [encode_pair(tokenizer, pair) for pair in source.pairs(0, 0, min(SAMPLED, len(source)))]


def cut_off(recipe: FinetuneRecipe, sample: Sequence[Encoded]) -> float:
    """Return the share of a sample that `max_tokens` cuts off. Raises ProblemError if nothing is left to learn."""
    most = recipe.max_tokens
    if not any(label != IGNORED for _, labels in sample for label in labels[:most]):
        raise ProblemError(f"max_tokens {most}: it cuts off everything that is to be learned; raise it")
    return fmean(len(ids) > most for ids, _ in sample)


def mean_tokens(recipe: FinetuneRecipe, sample: Sequence[Encoded]) -> float:
    """Return the mean tokens per example, estimated on a sample."""
    return fmean(min(len(ids), recipe.max_tokens) for ids, _ in sample)


def steps_for(recipe: FinetuneRecipe, size: int, mean: float, tokens: int = 0) -> int:
    """Return the number of steps of a run: for about `tokens` tokens if given, else the recipe's steps or epochs.

    Args:
        recipe: The recipe.
        size: The number of examples in an epoch.
        mean: The mean tokens per example.
        tokens: The tokens to train for, 0 for the recipe's length.
    """
    if tokens:
        return max(1, round(tokens / (mean * recipe.batch)))
    return recipe.steps or -(-recipe.epochs * size // recipe.batch)


class FinetuneBatches:
    """A sequence of pieces of the steps' batches; process `p` takes items p, p + processes, ..."""

    def __init__(self, recipe: FinetuneRecipe, source: Source, tokenizer: Any, steps: int, processes: int = 1) -> None:
        self.recipe, self.source, self.tokenizer, self.steps = recipe, source, tokenizer, steps
        self.pieces = count_pieces(recipe, processes) * processes  # pieces per step
        self._step: tuple[int, list[dict[str, Any]]] = (-1, [])

    def __len__(self) -> int:
        return self.steps * self.pieces

    def __getitem__(self, item: int) -> dict[str, Any]:
        if item >= len(self):
            raise IndexError(item)
        step, piece = divmod(item, self.pieces)
        if self._step[0] != step:
            self._step = (step, [self.padded(rows) for rows in cut(self.rows(step), self.pieces)])
        return self._step[1][piece]

    def dataset(self) -> Any:
        """Return the pieces as a dataset for SFTTrainer, which makes them on demand."""
        from datasets import Dataset

        return Dataset.from_dict({"item": range(len(self))}).with_transform(self.transform)

    def transform(self, asked: dict[str, list[int]]) -> dict[str, list[Any]]:
        """Return the columns of some items."""
        items = [self[item] for item in asked["item"]]
        return {name: [item[name] for item in items] for name in items[0]}

    def rows(self, step: int) -> list[Encoded]:
        """Return the examples of a step, cut off at `max_tokens`; a step may cross epochs."""
        size, most = len(self.source), self.recipe.max_tokens
        start, stop, rows = step * self.recipe.batch, (step + 1) * self.recipe.batch, list[Encoded]()
        while start < stop:
            epoch, first = divmod(start, size)
            last = min(size, first + stop - start)
            for pair in self.source.pairs(epoch, first, last):
                ids, labels = encode_pair(self.tokenizer, pair)
                rows.append((ids[:most], labels[:most]))
            start += last - first
        return rows

    def padded(self, rows: list[Encoded]) -> dict[str, Any]:
        """Return rows as tensors of shape (rows, tokens of the longest row rounded up to 8)."""
        import torch

        batch = pad(rows, self.tokenizer.eos_token_id)
        lengths = torch.tensor([len(ids) for ids, _ in rows])
        return batch | {"attention_mask": (torch.arange(batch["labels"].shape[1]) < lengths[:, None]).long()}


def from_first_learned(batch: dict[str, Any]) -> dict[str, Any]:
    """Return a batch whose logits are computed only from before the first learned token of any of its examples on."""
    labels = batch["labels"]
    kept = labels.shape[1] - int((labels[:, 1:] != IGNORED).any(0).int().argmax())
    return {**batch, "labels": labels[:, -kept:], "logits_to_keep": kept}


def cut(rows: Sequence[Encoded], pieces: int) -> list[list[Encoded]]:
    """Cut rows, the shortest first, into `pieces` of about equal numbers of tokens, none of them empty."""
    rows = sorted(rows, key=lambda row: len(row[0]))
    total = sum(len(ids) for ids, _ in rows)
    found: list[list[Encoded]] = [[] for _ in range(pieces)]
    seen = at = 0
    for left, row in zip(range(len(rows), 0, -1), rows, strict=True):
        wanted = min(seen * pieces // total, at + 1) if found[at] else at
        at = max(wanted, pieces - left)  # if only as many rows as pieces are left, each piece gets one
        found[at].append(row)
        seen += len(row[0])
    return found


def examples_at_once(recipe: FinetuneRecipe, sample: Sequence[Encoded], cpu: bool) -> int:
    """Return about how many examples a piece holds: `device_batch`, on a CPU at most about CPU_TOKENS tokens, padded.

    A recipe that does not say how many has CPU_TOKENS on a CPU: in small pieces threads mostly wait for each other.
    """
    if not cpu:
        return recipe.device_batch
    rows = [(ids[: recipe.max_tokens], labels) for ids, labels in sample[: recipe.batch]]

    def computed(pieces: int) -> float:
        return fmean(len(piece) * len(piece[-1][0]) for piece in cut(rows, pieces))

    pieces = next((n for n in range(1, len(rows)) if computed(n) <= CPU_TOKENS), len(rows))
    most = -(-len(rows) // pieces)
    return min(recipe.device_batch, most) if "device_batch" in recipe.model_fields_set else most
