"""Ablation: what each part of the recipe `narrow` is worth, on equal tokens and the validation split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revorder.arithmetic.problem import OPS
from revorder.evaluation.scores import together
from revorder.evaluation.suites import EXTRA, Draw, columns
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.exhibits import Exhibit, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import ByRecipe
from revorder.training.recipe import Recipe

RECIPE = "narrow"
STORED = "calculator"  # the recipe's name in stored results
Change = Callable[[dict[str, Any]], None]


def _data(**settings: Any) -> Change:
    return lambda recipe: recipe["data"].update(settings)


def _without_hard_cases(recipe: dict[str, Any]) -> None:
    for part in recipe["data"]["parts"]:
        part["hard"] = 0


def _without_retries(recipe: dict[str, Any]) -> None:
    recipe["data"]["parts"] = [part for part in recipe["data"]["parts"] if part["draw"] != "retries"]


CHANGES: dict[str, tuple[str, Change]] = {
    "as-it-is": ("none", lambda recipe: None),
    "another-seed": ("the same with another seed", lambda recipe: recipe.update(seed=1)),
    "no-places": ("plain characters in place of place tokens", lambda recipe: recipe["model"].update(places=0)),
    "no-muon": ("AdamW for the matrices too", lambda recipe: recipe.update(muon_lr=None)),
    "no-hard": ("no hard cases", _without_hard_cases),
    "no-retries": ("no divisions drawn for two estimates in a row that are too high", _without_retries),
    "no-estimates": ("correct quotient digits only", _data(estimate_digits=0)),
    "no-decay": ("a constant rate to the end", lambda recipe: recipe.update(decay_steps=0)),
}


def recipe_without(change: str, steps: int, tiny: bool = False) -> dict[str, Any]:
    """Return the recipe with one change, for `steps` steps; the decay keeps its share of the steps."""
    recipe = Recipe.read(RECIPE).model_dump(mode="json")
    falling = steps * recipe["decay_steps"] // recipe["steps"]
    recipe |= {"name": STORED, "steps": steps, "decay_steps": falling, "eval_columns": []}
    if tiny:
        recipe["model"] |= {"layers": 1, "width": 64, "ffn": 64, "heads": 1}
    CHANGES[change][1](recipe)
    recipe["data"]["name"] = change
    return recipe


@dataclass(frozen=True)
class AblationSettings:
    """A column has `n` problems."""

    steps: int
    n: int
    changes: tuple[str, ...] = tuple(CHANGES)
    tiny: bool = False


def plans(settings: AblationSettings) -> list[Plan]:
    """Return a plan for each change."""
    tasks = columns(EXTRA, Draw(OPS, settings.n, 1), "validation")
    recipes = [recipe_without(change, settings.steps, settings.tiny) for change in settings.changes]
    return [Plan(ByRecipe(recipe), recipe["data"], (), tasks) for recipe in recipes]


def render(settings: AblationSettings, folder: Path) -> list[Exhibit]:
    """Show the percentage wrong after each change, overall and by operation."""
    rows = []
    for name, (what, results) in stored_cells(folder, settings.changes).items():
        scores = scores_of(results).values()
        score = together(scores)
        low, high = score.interval
        wrong = f"{100 - score.percent:.2f}", f"{100 - high:.2f}-{100 - low:.2f}"
        by_op = (together(s for s in scores if s.task.startswith(op)) for op in ("ADD", "SUB", "MUL", "DIV"))
        rows.append([CHANGES[name][0], f"{what['tokens']:,}", *wrong, *(f"{100 - s.percent:.2f}" for s in by_op)])
    note = (
        f"Percent wrong of up to {settings.n} problems in each of {len(EXTRA)} columns of the validation split, after "
        f"{settings.steps:,} steps; all rows but the second have the same seed."
    )
    header = ["change", "tokens", "wrong, percent", "95% interval", "+", "-", "*", "/"]
    return [Table(f"The recipe {RECIPE} without its parts", header, rows, note)]


ABLATION = Experiment(
    "ablation",
    "Training",
    "What each part of the recipe is worth",
    {
        "smoke": AblationSettings(10, 1, ("as-it-is", "no-places", "no-muon"), tiny=True),
        "cpu": AblationSettings(2500, 300),
        "gpu": AblationSettings(20_000, 1000),
    },
    render,
    plans,
)
