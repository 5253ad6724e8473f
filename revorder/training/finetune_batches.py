"""Batches for fine-tuning: each step's encoded examples, in pieces of about equal tokens, packed into lines.

Every batch is a pure function of its step.
"""

from __future__ import annotations

import inspect
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
LINE = 128  # tokens of a line that examples are packed into, more if one is longer
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
    """A sequence of pieces of the steps' batches; process `p` takes items p, p + processes, ...

    A line holds several examples if `packed`, otherwise one.
    """

    def __init__(
        self,
        recipe: FinetuneRecipe,
        source: Source,
        tokenizer: Any,
        steps: int,
        processes: int = 1,
        packed: bool = True,
    ) -> None:
        self.recipe, self.source, self.tokenizer, self.steps = recipe, source, tokenizer, steps
        self.packed = packed
        self.pieces = count_pieces(recipe, processes) * processes  # pieces per step
        self._step: tuple[int, list[dict[str, Any]]] = (-1, [])

    def __len__(self) -> int:
        return self.steps * self.pieces

    def __getitem__(self, item: int) -> dict[str, Any]:
        if item >= len(self):
            raise IndexError(item)
        step, piece = divmod(item, self.pieces)
        if self._step[0] != step:
            rows = sorted(self.rows(step), key=lambda row: -len(row[0]))  # so the lines of a piece are about as long
            self._step = (step, [self.lines(piece) for piece in cut(rows, self.pieces)])
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

    def lines(self, rows: list[Encoded]) -> dict[str, Any]:
        """Return rows as tensors of shape (lines, tokens of the longest line rounded up to 8).

        In `position_ids` each example begins at 0: transformers tells packed examples apart by that. Trainer counts
        tokens by the attention mask.
        """
        import torch

        lines = pack(rows, LINE if self.packed else 0)
        batch = pad([joined(line) for line in lines], self.tokenizer.eos_token_id)
        lengths = torch.tensor([sum(len(ids) for ids, _ in line) for line in lines])
        width = batch["labels"].shape[1]
        batch["attention_mask"] = (torch.arange(width) < lengths[:, None]).long()
        if self.packed:
            positions = [[at for ids, _ in line for at in range(len(ids))] for line in lines]
            batch["position_ids"] = torch.tensor([line + list(range(width - len(line))) for line in positions])
        return batch


def pack(rows: Sequence[Encoded], width: int) -> list[list[Encoded]]:
    """Return rows, given the longest first, as lines of at most `width` tokens; a longer row is a line of its own."""
    lines: list[list[Encoded]] = []
    free: list[int] = []
    for row in rows:
        at = next((at for at, left in enumerate(free) if len(row[0]) <= left), len(lines))
        if at == len(lines):
            lines.append([])
            free.append(width)
        lines[at].append(row)
        free[at] -= len(row[0])
    return lines


def joined(line: Sequence[Encoded]) -> Encoded:
    """Return the examples of a line as one; no first token is learned, for the one before it belongs to another."""
    return [token for ids, _ in line for token in ids], [
        label for _, labels in line for label in (IGNORED, *labels[1:])
    ]


def learned_only(batch: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with which a model computes logits, and the loss, for learned tokens only.

    The attention mask and the cache go: with either transformers does not see where packed examples begin.
    """
    import torch

    following = torch.nn.functional.pad(batch["labels"][:, 1:], (0, 1), value=IGNORED)
    learned = following != IGNORED
    inputs = {key: value for key, value in batch.items() if key != "attention_mask"}
    return inputs | {"shift_labels": following[learned], "logits_to_keep": learned, "use_cache": False}


def can_pack(model: Any) -> bool:
    """Whether a model reads an example behind another in a line as it reads it alone, going by the positions."""
    import torch

    if "position_ids" not in inspect.signature(model.forward).parameters:
        return False
    ids, positions = torch.tensor([[4, 3, 2, 1, 1, 2, 3, 4]]), torch.arange(4).repeat(2)[None]
    with torch.no_grad():
        alone = model(input_ids=ids[:, 4:]).logits
        behind = model(input_ids=ids, position_ids=positions, use_cache=False).logits[:, 4:]
    return bool((alone - behind).abs().max() < 1e-4 * alone.abs().max())


def cut(rows: Sequence[Encoded], pieces: int) -> list[list[Encoded]]:
    """Cut rows into `pieces` of about equal numbers of tokens, none of them empty."""
    total = sum(len(ids) for ids, _ in rows)
    found: list[list[Encoded]] = [[] for _ in range(pieces)]
    seen = at = 0
    for left, row in zip(range(len(rows), 0, -1), rows, strict=True):
        wanted = min(seen * pieces // total, at + 1) if found[at] else at
        at = max(wanted, pieces - left)  # if only as many rows as pieces are left, each piece gets one
        found[at].append(row)
        seen += len(row[0])
    return found


def examples_at_once(recipe: FinetuneRecipe, mean: float, cpu: bool) -> int:
    """Return about how many examples of `mean` tokens a piece holds: `device_batch`, on a CPU at most CPU_TOKENS.

    A recipe without `device_batch` has CPU_TOKENS tokens on a CPU: in small pieces threads mostly wait for each other.
    """
    if not cpu:
        return recipe.device_batch
    most = max(1, int(CPU_TOKENS / mean))
    return min(recipe.device_batch, most) if "device_batch" in recipe.model_fields_set else most
