"""RevOrder-1B's row of Table 1, from a small model in the paper's compact notation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revorder.evaluation.scores import together
from revorder.evaluation.tables import PAPER
from revorder.reproduce.ablation import RECIPE
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.columns import table1_columns
from revorder.reproduce.exhibits import Exhibit, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import ByRecipe
from revorder.training.recipe import Recipe

ROW = "RevOrder-1B"
DIFFERENCES = (  # more differences: their result depends on which of two equally long numbers is greater
    {"op": "+", "a": [1, 16], "b": [1, 16], "weight": 6, "hard": 0.3},
    {"op": "-", "a": [1, 16], "b": [1, 16], "weight": 20, "hard": 0.3},
    {"op": "-", "a": 16, "b": 16, "weight": 10, "hard": 0.3},
    {"op": "*", "a": [1, 16], "b": 1, "weight": 6, "hard": 0.15},
    {"op": "*", "a": [1, 8], "b": [1, 4], "weight": 8, "hard": 0.3},
    {"op": "*", "a": [4, 6], "b": [4, 6], "weight": 6, "hard": 0.3},
    {"op": "*", "a": 6, "b": 6, "weight": 4, "hard": 0.3},
    {"op": "/", "a": [1, 16], "b": 1, "weight": 8, "remainder": 0.5, "hard": 0.3},
    {"op": "/", "a": [1, 6], "b": [1, 6], "weight": 12, "remainder": 0.5, "hard": 0.3},
    {"op": "/", "a": [1, 12], "b": [2, 6], "weight": 12, "remainder": 0.5, "hard": 0.3},
    {"op": "/", "a": [9, 12], "b": [4, 6], "weight": 5, "remainder": 0.5, "hard": 0.2},
    {"op": "/", "a": [5, 12], "b": [3, 6], "weight": 6, "remainder": 0.5, "draw": "retries"},
)
LENGTHS = (("+", 16, 16), ("-", 16, 16), ("*", 16, 1), ("*", 8, 4), ("*", 6, 6), ("/", 16, 1), ("/", 12, 6))


@dataclass(frozen=True)
class Compact:
    """The recipe `narrow` in the compact notation with stated answers, for `steps` steps.

    A multiplier, which compact splits into digits, has at most 6 digits. `differences` selects the mixture DIFFERENCES
    instead of the recipe's. `longest` is the longest example in tokens. `tiny` skips the measurements in training.
    """

    steps: int
    differences: bool = False
    layers: int = 4
    width: int = 128
    longest: int = 720
    tiny: bool = False

    def recipe(self, size: str) -> dict[str, Any]:
        """Return the recipe of the model `size`."""
        recipe = Recipe.read(RECIPE).model_dump(mode="json")
        recipe["data"] |= {"name": size, "method": "revorder", "form": "compact", "answer": True}
        if self.differences:
            recipe["data"]["parts"], recipe["max_digits"] = list(DIFFERENCES), LENGTHS
        else:
            for part in recipe["data"]["parts"]:
                part["swap_operands"] = False
        shape = {"layers": self.layers, "width": self.width, "ffn": 4 * self.width, "heads": self.width // 64}
        recipe["model"] |= shape
        if self.tiny:
            recipe["eval_columns"] = []
        falling = self.steps * recipe["decay_steps"] // recipe["steps"]
        return recipe | {"name": size, "steps": self.steps, "decay_steps": falling, "longest": self.longest}


@dataclass(frozen=True)
class CompactSettings:
    """`trainings` are named by model size; a column has `n` problems; `only` selects columns, all if empty."""

    trainings: tuple[tuple[str, Compact], ...]
    n: int
    only: tuple[str, ...] = ()


def plans(settings: CompactSettings) -> list[Plan]:
    """Return a plan for each size."""
    tasks = table1_columns(settings.n, only=settings.only)
    recipes = [training.recipe(size) for size, training in settings.trainings]
    return [Plan(ByRecipe(recipe), recipe["data"], (), tasks) for recipe in recipes]


def render(settings: CompactSettings, folder: Path) -> list[Exhibit]:
    """Show the paper's row beside ours, by column, with our intervals."""
    stored = stored_cells(folder, [size for size, _ in settings.trainings])
    cells = [(name, what, scores_of(results)) for name, (what, results) in stored.items()]
    rows = []
    for task in table1_columns(settings.n, only=settings.only):
        row = [task, f"{PAPER[ROW][task]:g}"]
        rows.append([*row, *(scores[task].shown for _, _, scores in cells)])
    rows.append(["all problems", "-", *(together(scores.values()).shown for _, _, scores in cells)])
    sums = ["columns at 100", str(sum(value == 100 for value in PAPER[ROW].values()))]
    sums += [str(sum(score.is_clean for score in scores.values())) for _, _, scores in cells]
    made = dict(settings.trainings)
    weights = [(part["op"], part["weight"]) for part in DIFFERENCES]
    share = 100 * sum(weight for op, weight in weights if op == "-") / sum(weight for _, weight in weights)
    mixtures = {True: f", {share:.0f}% of the examples differences", False: " of the recipe `narrow`'s mixture"}
    seen = "; ".join(
        f"{name}: {made[name].layers} layers of width {made[name].width}, {what['tokens']:,} tokens"
        + mixtures[made[name].differences]
        for name, what, _ in cells
    )
    note = (
        f"Percent exact of up to {settings.n} problems a column, held out from 3 digits on and not BIG-bench's own, 95%"
        f" intervals, one seed. {seen}."
    )
    return [
        Table(
            f"The compact notation beside {ROW}", ["column", ROW, *(name for name, _, _ in cells)], [*rows, sums], note
        )
    ]


COMPACT = Experiment(
    "compact",
    "Table 1, RevOrder-1B",
    "The paper's notation at the paper's height",
    {
        "smoke": CompactSettings((("tiny", Compact(6, True, 1, 64, 120, tiny=True)),), 2, ("ADD 1D", "DIV 1D")),
        "cpu": CompactSettings((("1.2M", Compact(12_000)), ("1.7M", Compact(16_000, True, 6))), 1000),
        "gpu": CompactSettings((("4.4M", Compact(120_000, True, width=256)),), 1000),
    },
    render,
    plans,
)
