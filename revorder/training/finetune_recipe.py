"""A fine-tuning recipe: for how long, in what batches, at what rates a pretrained model learns; read from YAML."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from revorder.mixtures.mixture import Name, Share
from revorder.settings import Count, Settings, read_settings
from revorder.training.recipe import Lengths

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


class FinetuneRecipe(Settings):
    """How a pretrained model is fine-tuned.

    `epochs` over the data, or `steps` where that is not 0. `batch`: examples of a step, over all processes; each
    process takes about `device_batch` at once. `lr`: one rate, or one for each of as many equal parts of the run; it
    rises over the share `warmup` of the steps, and then follows the `schedule` to 0, or stays. `max_tokens`: longer
    examples are cut off there. `lora`: the rank of the adapters that are trained in place of the whole model, 0 for
    none. `checkpointing`: save memory by computing activations twice. `eval_columns`: [op, digits of the longer
    operand, of the shorter] of a mixture's problems on which exact match is measured, on the validation split, every
    `eval_every` steps.

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
    max_tokens: Annotated[int, Field(ge=16, le=1_000_000)] = 1024
    lora: Annotated[int, Field(ge=0, le=1024)] = 0
    checkpointing: bool = False
    seed: Annotated[int, Field(ge=0)] = 0
    save_every: Count = 500
    eval_columns: Lengths = ()
    eval_every: Count = 250

    def terms(self) -> dict[str, Any]:
        """Return every key but those of measurements, as JSON."""
        return self.model_dump(mode="json", exclude={"eval_columns", "eval_every"})

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> FinetuneRecipe:
        """Read a YAML file, a packaged recipe by its name, or a mapping; raises ProblemError naming the wrong key."""
        return read_settings(cls, source, FINETUNES, "recipe")

    def rate(self, step: int, steps: int) -> float:
        """The learning rate at a step of so many, from 0.

        >>> recipe = FinetuneRecipe(epochs=3, lr=(1e-4, 1e-4, 1e-5), schedule="constant", warmup=0)
        >>> [recipe.rate(step, 30) for step in (0, 19, 20)]
        [0.0001, 0.0001, 1e-05]
        """
        done = min(1.0, step / steps)
        base = self.lr[min(int(done * len(self.lr)), len(self.lr) - 1)]
        warmup = round(self.warmup * steps)
        if step < warmup:
            return base * (step + 1) / warmup
        if self.schedule == "constant":
            return base
        return base * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup))) / 2
