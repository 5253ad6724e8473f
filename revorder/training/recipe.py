"""A recipe: what a training run learns from, by what, for how long; read from YAML with every key checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from revorder.mixtures.mixture import DigitCount, Mixture, MixturePart, Name, Share
from revorder.model.llama import ModelShape
from revorder.settings import Count, Settings, read_settings

WARMUP = 100  # steps
NOT_LEARNED = {"eval_columns", "eval_every", "save_every"}  # keys that may change while a run goes on
RECIPES = Path(__file__).parent / "recipes"

Length = tuple[Literal["+", "-", "*", "/"], DigitCount, DigitCount]
Lengths = Annotated[
    tuple[Length, ...], Field(description="a list of [op, digits of the longer operand, of the shorter]")
]


class Recipe(Settings):
    """A training run.

    `max_digits`: columns [op, digits of the longer operand, of the shorter] of what the model may be asked for.
    `steps`; `tokens` of a batch, padding not counted; `batches` of a step: the processes of torchrun share them, and
    each takes one at least.
    `longest`: tokens of the longest example; longer ones are passed over.
    `place_offset`: the share of examples whose digits and `r|` name places that are moved up by one random number, as
    far as the tokens' places reach, so that places above the trained lengths are learned too. A product of two numbers
    of two digits or more stays: its partial products are moved by the place of a digit, which must count from 0.
    `muon_lr` and `lr`: of the matrices (Muon, or AdamW at `lr` where it is null) and of all else (AdamW); both rise for
    WARMUP steps, or a tenth of the run if that is less, stay, and fall to 0 along a line over the last `decay_steps`.
    So a run that has not begun to fall goes on to any number of steps as if it had been begun with that.
    `eval_columns`: on which exact match is measured, on the validation split, every `eval_every` steps.

    >>> Recipe.read("sums").model.layers
    3
    """

    name: Name
    data: Mixture
    model: ModelShape = ModelShape()
    max_digits: Annotated[Lengths, Field(min_length=1)]
    steps: Count = 10_000
    tokens: Count = 4096
    batches: Count = 1
    longest: Count = 320
    place_offset: Share = 0
    lr: Annotated[float, Field(ge=0)] = 1.4e-3
    muon_lr: Annotated[float, Field(ge=0)] | None = 7e-3
    decay_steps: Annotated[int, Field(ge=0)] = 10_000
    seed: Annotated[int, Field(ge=0)] = 0
    eval_columns: Lengths = ()
    eval_every: Count = 1000
    save_every: Count = 500

    @model_validator(mode="after")
    def _columns_are_drawn(self) -> Recipe:
        for op, a, b in self.eval_columns:
            MixturePart.check({"op": op, "a": a, "b": b}, "key 'eval_columns'")
        return self

    @model_validator(mode="after")
    def _longest_fits(self) -> Recipe:
        if self.longest > self.model.positions:
            raise ValueError(f"key 'longest' is {self.longest}; accepted: up to the model's {self.model.positions}")
        return self

    def schedule(self) -> tuple[int, int]:
        """The steps over which the rates rise, and those over which they fall.

        >>> Recipe.read("sums").schedule()
        (100, 5900)
        """
        warmup = min(WARMUP, self.steps // 10)
        return warmup, min(self.decay_steps, self.steps - warmup)

    def batches_a_step(self, processes: int) -> int:
        """Each process takes as many batches as the others, and one at least."""
        return -(-self.batches // processes) * processes

    def run_settings(self, processes: int) -> dict[str, Any]:
        """Return every setting that affects what is learned in a run of this many processes, as JSON."""
        settings = self.model_dump(mode="json", exclude=NOT_LEARNED) | {"batches": self.batches_a_step(processes)}
        return settings if self.place_offset else {key: settings[key] for key in settings if key != "place_offset"}

    def tokens_seen(self, processes: int) -> int:
        """Tokens that the run learns from, padding not counted."""
        return self.steps * self.tokens * self.batches_a_step(processes)

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Recipe:
        """Read a YAML file, a packaged recipe by its name, or a mapping; raises ProblemError naming the wrong key."""
        return read_settings(cls, source, RECIPES, "recipe")
