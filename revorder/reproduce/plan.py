"""Plans: the model that a cell of an experiment needs, and the problems to ask the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revorder.arithmetic.problem import Problem
from revorder.evaluation.suites import hash_of
from revorder.mixtures.mixture import Mixture
from revorder.reproduce.trainers import Lengths, Trainer

Tasks = Mapping[str, list[Problem]]


@dataclass(frozen=True)
class Plan:
    """A model trained on the mixture `data`, for operands of up to `max_digits` digits, and the `tasks` to ask it.

    `measure` returns what else to store of the model in a folder.
    """

    training: Trainer
    data: Mapping[str, Any]
    max_digits: Lengths
    tasks: Tasks
    measure: Callable[[Path], Mapping[str, Any]] = lambda model: {}

    @property
    def name(self) -> str:
        """The name of the mixture and of the cell."""
        return self.data["name"]

    @property
    def terms(self) -> dict[str, Any]:
        """Everything that the cell's texts depend on."""
        return {
            "data": Mixture.read(self.data).model_dump(mode="json"),
            "training": self.training.settings(self.data, self.max_digits),
            "problems": hash_of(self.tasks),
        }
