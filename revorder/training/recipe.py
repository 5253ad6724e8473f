"""A training recipe, read from YAML with every key checked: the data, the model, and the length of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from revorder.mixtures.mixture import DigitCount, Mixture, MixturePart, Name, Share
from revorder.model.llama import ModelShape
from revorder.settings import Count, Settings, read_settings

WARMUP = 100  # steps
NOT_LEARNED = {"eval_columns", "eval_every", "save_every"}  # keys that may change when a run resumes
RECIPES = Path(__file__).parent / "recipes"

Length = tuple[Literal["+", "-", "*", "/"], DigitCount, DigitCount]
Lengths = Annotated[
    tuple[Length, ...], Field(description="a list of [op, digits of the longer operand, of the shorter]")
]


def drawn(recipe: Any) -> Any:
    """Return a recipe; raises ValueError if a mixture can't draw one of the columns that measure it."""
    for op, a, b in recipe.eval_columns:
        MixturePart.check({"op": op, "a": a, "b": b}, "key 'eval_columns'")
    return recipe


class Recipe(Settings):
    """A training run.

    Both learning rates rise for WARMUP steps, or a tenth of the run if that is less, stay constant, and fall linearly
    to 0 over the last `decay_steps`. So a run that has not begun to decay can be extended to any number of steps, with
    the same result as if it had been started with that number.

    Args:
        name: The recipe's name.
        data: The mixture.
        early: Mixtures that come before `data`, each for a skill that comes late or never among others. Over
            `early_steps` the share of a mixture in the tokens falls from 1 to 0, and that of the next one rises.
        early_steps: The steps of each early mixture.
        model: The size of the model.
        max_digits: [op, digits of the longer operand, of the shorter] for each kind of problem to ask the model.
        steps: The number of steps.
        tokens: The tokens of a batch, padding not counted.
        batches: The batches of a step, shared by the processes of torchrun; each process takes at least one.
        longest: The most tokens in an example; longer examples are skipped.
        place_offset: The share of examples whose places are moved up by a random number, as far as the tokens' places
            reach, so that the model learns places above the trained lengths too. The digits and `r|` of an example move
            together. A product of two numbers of two or more digits never moves: its partial products are shifted by
            the place of a digit, which must count from 0.
        beginnings: The share of divisions that are learned only up to the mark behind their first quotient digit. The
            first step finds the digits of the dividend at a distance that depends on the lengths of the operands, the
            later ones always at the same places; so it is learned last, and needs the most examples.
        lr: The learning rate of AdamW.
        muon_lr: The learning rate of Muon for the layers' matrices, null to train them with AdamW too.
        decay_steps: The steps of the final decay.
        seed: The seed of the data and the initial weights.
        eval_columns: The columns on which exact match is measured, on the validation split, in the form of
            `max_digits`.
        eval_every: The steps between two measurements.
        save_every: The steps between two saved states.

    >>> Recipe.read("sums").model.layers
    3
    """

    name: Name
    data: Mixture
    early: tuple[Mixture, ...] = ()
    early_steps: Count = 1000
    model: ModelShape = ModelShape()
    max_digits: Annotated[Lengths, Field(min_length=1)]
    steps: Count = 10_000
    tokens: Count = 4096
    batches: Count = 1
    longest: Count = 320
    place_offset: Share = 0
    beginnings: Share = 0
    lr: Annotated[float, Field(ge=0)] = 1.4e-3
    muon_lr: Annotated[float, Field(ge=0)] | None = 7e-3
    decay_steps: Annotated[int, Field(ge=0)] = 10_000
    seed: Annotated[int, Field(ge=0)] = 0
    eval_columns: Lengths = ()
    eval_every: Count = 1000
    save_every: Count = 500

    _columns_are_drawn = model_validator(mode="after")(drawn)

    @model_validator(mode="after")
    def _fits_the_model(self) -> Recipe:
        if self.longest > self.model.positions:
            raise ValueError(f"key 'longest' is {self.longest}; accepted: up to the model's {self.model.positions}")
        if self.place_offset and not self.model.places:
            raise ValueError(f"key 'place_offset' is {self.place_offset}; accepted: 0 for a model without places")
        return self

    def schedule(self) -> tuple[int, int]:
        """Return the number of steps in which the rates rise, and in which they fall.

        >>> Recipe.read("sums").schedule()
        (100, 5900)
        """
        warmup = min(WARMUP, self.steps // 10)
        return warmup, min(self.decay_steps, self.steps - warmup)

    def batches_a_step(self, processes: int) -> int:
        """Return the batches of a step, rounded up so that every process takes the same number."""
        return -(-self.batches // processes) * processes

    def run_settings(self, processes: int) -> dict[str, Any]:
        """Return every setting that affects what is learned in a run of this many processes, as JSON."""
        used = {
            "place_offset": self.place_offset,
            "beginnings": self.beginnings,
            "early": self.early,
            "early_steps": self.early,
        }
        unused = {key for key, value in used.items() if not value}
        settings = self.model_dump(mode="json", exclude=NOT_LEARNED | unused)
        return settings | {"batches": self.batches_a_step(processes)}

    def tokens_seen(self, processes: int) -> int:
        """Return the number of tokens in the run, padding not counted."""
        return self.steps * self.tokens * self.batches_a_step(processes)

    @classmethod
    def read(cls, source: str | Path | Mapping[str, Any]) -> Recipe:
        """Read a YAML file, a packaged recipe by name, or a mapping. Raises ProblemError that names the wrong key."""
        return read_settings(cls, source, RECIPES, "recipe")
