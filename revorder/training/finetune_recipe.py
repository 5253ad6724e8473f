"""A fine-tuning recipe, read from YAML: the length of a run, its batches and its learning rates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from revorder.mixtures.mixture import Name, Share
from revorder.settings import Count, Settings, read_settings
from revorder.training.recipe import Lengths, drawn

FINETUNES = Path(__file__).parent / "finetunes"

Rate = Annotated[float, Field(gt=0, le=1)]
Rates = Annotated[
    tuple[Rate, ...],
    BeforeValidator(lambda value: value if isinstance(value, (tuple, list)) else (value,)),
    Field(
        min_length=1,
        description="a number above 0, up to 1, or a list of one for each of as many equal parts of the run",
    ),
]


def rising(steps: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return two steps, or None; raises ValueError if the second is not after the first."""
    if steps and steps[0] >= steps[1]:
        raise ValueError
    return steps


class FinetuneRecipe(Settings):
    """How a pretrained model is fine-tuned.

    Args:
        name: The recipe's name.
        epochs: The number of passes over the data.
        steps: The number of steps, 0 to follow `epochs`.
        batch: The examples of a step, over all processes.
        device_batch: About how many examples a process computes at once. On a CPU about 1,024 tokens are the most, and
            the default.
        lr: One learning rate, or a list of rates, one for each equal part of the run.
        schedule: The course of the rate after the warmup: `cosine` falls to 0, `constant` stays.
        warmup: The share of the steps in which the rate rises.
        finish: Two steps, to end a run early, even after it has begun: from the first step on the rate falls linearly,
            to 0 at the second.
        max_tokens: The length at which examples are cut off.
        undo: The share of a fine-tuned model's change that is undone first: each weight moves so far back to its value
            in the model that it was fine-tuned from.
        lora: The rank of the adapters trained instead of the whole model, 0 for no adapters.
        checkpointing: Whether to save memory by computing activations twice.
        seed: The seed of the data's order and of new weights.
        save_every: The steps between two saved states.
        eval_columns: The columns [op, digits of the longer operand, of the shorter] of a mixture's problems on which
            exact match is measured, on the validation split.
        eval_every: The steps between two measurements.

    >>> FinetuneRecipe.read("llama2-7b").lr
    (5e-05,)
    """

    name: Name = "unnamed"
    epochs: Count = 1
    steps: Annotated[int, Field(ge=0)] = 0
    batch: Count = 32
    device_batch: Count = 8
    lr: Rates = (1e-4,)
    schedule: Literal["constant", "cosine"] = "cosine"
    warmup: Share = 0.03
    finish: Annotated[
        tuple[Count, Count] | None,
        AfterValidator(rising),
        Field(description="two steps, the second after the first"),
    ] = None
    max_tokens: Annotated[int, Field(ge=16, le=1_000_000)] = 1024
    undo: Annotated[float, Field(gt=0, lt=1, description="a number between 0 and 1")] | None = None
    lora: Annotated[int, Field(ge=0, le=1024)] = 0
    checkpointing: bool = False
    seed: Annotated[int, Field(ge=0)] = 0
    save_every: Count = 500
    eval_columns: Lengths = ()
    eval_every: Count = 250

    _columns_are_drawn = model_validator(mode="after")(drawn)

    def terms(self) -> dict[str, Any]:
        """Return every key but those of measurements, as JSON."""
        return self.model_dump(mode="json", exclude={"eval_columns", "eval_every"}, exclude_none=True)

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> FinetuneRecipe:
        """Read a YAML file, a packaged recipe by name, or a mapping. Raises ProblemError that names the wrong key."""
        return read_settings(cls, source, FINETUNES, "recipe")

    def rate(self, step: int, steps: int) -> float:
        """Return the learning rate at a `step`, counted from 0, of a run planned for `steps`.

        >>> recipe = FinetuneRecipe(epochs=3, lr=(1e-4, 1e-4, 1e-5), schedule="constant", warmup=0)
        >>> [recipe.rate(step, 30) for step in (0, 19, 20)]
        [0.0001, 0.0001, 1e-05]
        """
        if self.finish and step > self.finish[0]:
            start, end = self.finish
            return self.rate(start, steps) * (end - step) / (end - start)
        done = min(1.0, step / steps)
        base = self.lr[min(int(done * len(self.lr)), len(self.lr) - 1)]
        warmup = round(self.warmup * steps)
        if step < warmup:
            return base * (step + 1) / warmup
        if self.schedule == "constant":
            return base
        return base * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup))) / 2
