"""A recipe: what a training run learns from, by what, for how long; read from YAML with every key checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from revorder.data.mixture import DigitCount, Mixture, MixturePart, Name
from revorder.model.llama import ModelShape
from revorder.settings import Count, Settings, read_settings

RECIPES = Path(__file__).parent / "recipes"

Column = tuple[Literal["+", "-", "*", "/"], DigitCount, DigitCount]
Columns = Annotated[
    tuple[Column, ...], Field(description="a list of [op, digits of the longer operand, of the shorter]")
]


class Stage(Settings):
    """A further stage: `steps` more from the weights before it, on other `parts` of the mixture, of all lengths at once.

    `muon_lr` and `lr` rise for the recipe's warmup again, and fall to 0 along a line over all the rest.
    """

    steps: Count
    lr: Annotated[float, Field(ge=0)]
    muon_lr: Annotated[float, Field(ge=0)]
    parts: Annotated[tuple[MixturePart, ...], Field(min_length=1, description="a list of parts")]


class Recipe(Settings):
    """A training run of one stage, or several.

    `max_digits`: columns [op, digits of the longer operand, of the shorter] of what the model may be asked for.
    `steps`; `tokens` of a batch, padding not counted; `batches` of a step: the processes of torchrun share them, and each
    takes one at least.
    `curriculum_steps`: over these the longest example grows from `shortest` to `longest` tokens.
    `muon_lr` and `lr`: of the matrices (Muon, or AdamW at `lr` where it is null) and of all else (AdamW); both rise for
    `warmup` steps, or a tenth of the run if that is less, stay, and fall to 0 along a line over the last `decay_steps`.
    So a run that has not begun to fall goes on to any number of steps as if it had been begun with that.
    `eval_columns`: on which exact match is measured, on the validation split, every `eval_every` steps.
    `then`: the stages after the first.

    >>> Recipe.read("sums").model.layers
    3
    """

    name: Name
    data: Mixture
    model: ModelShape = ModelShape()
    max_digits: Annotated[Columns, Field(min_length=1)]
    steps: Count = 10_000
    tokens: Count = 4096
    batches: Count = 1
    curriculum_steps: Annotated[int, Field(ge=0)] = 2000
    shortest: Count = 24
    longest: Count = 320
    lr: Annotated[float, Field(ge=0)] = 2e-3
    muon_lr: Annotated[float, Field(ge=0)] | None = 1e-2
    warmup: Annotated[int, Field(ge=0)] = 100
    decay_steps: Annotated[int, Field(ge=0)] = 10_000
    seed: Annotated[int, Field(ge=0)] = 0
    eval_columns: Columns = ()
    eval_every: Count = 1000
    save_every: Count = 500
    then: Annotated[tuple[Stage, ...], Field(description="a list of stages")] = ()

    @model_validator(mode="after")
    def _lengths_fit(self) -> Recipe:
        if self.longest < self.shortest:
            raise ValueError("key 'longest' is below 'shortest'; accepted: no less")
        if self.longest > self.model.positions:
            raise ValueError(f"key 'longest' is {self.longest}; accepted: up to the model's {self.model.positions}")
        return self

    def stages(self, steps: int | None = None) -> list[Recipe]:
        """The recipe of each stage; `steps`: as many in each, instead of its own.

        >>> [stage.steps for stage in Recipe.read("calculator").stages()]
        [20000, 20000, 16000]
        """
        stages = [self.model_copy(update={"then": ()})]
        for number, then in enumerate(self.then, 1):
            changed = {
                "data": self.data.model_copy(update={"parts": then.parts}),
                "steps": then.steps,
                "lr": then.lr,
                "muon_lr": then.muon_lr,
                "decay_steps": then.steps,
                "curriculum_steps": 0,
                "seed": self.seed + number,
            }
            stages.append(stages[0].model_copy(update=changed))
        return [stage.model_copy(update={"steps": steps}) for stage in stages] if steps else stages

    def batches_a_step(self, processes: int) -> int:
        """Each process takes as many batches as the others, and one at least."""
        return -(-self.batches // processes) * processes

    def tokens_seen(self, processes: int) -> int:
        """Tokens that the run learns from, padding not counted."""
        return self.steps * self.tokens * self.batches_a_step(processes)

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Recipe:
        """Read a YAML file, a packaged recipe by its name, or a mapping; raises ProblemError naming the wrong key."""
        return read_settings(cls, source, RECIPES, "recipe")
