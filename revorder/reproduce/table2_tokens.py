"""Training tokens needed: how long a method trains until every column of Table 2 is at 100."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from revorder.evaluation.scores import together
from revorder.evaluation.suites import SMALL
from revorder.reproduce import table1, table2
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.columns import table1_columns
from revorder.reproduce.exhibits import Chart, Exhibit, Series, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import Lengths, Training

COLUMNS = {name for name, *_ in SMALL}


@dataclass(frozen=True)
class Watched(Training):
    """A training that measures exact match on all columns of the validation split, every `every` steps."""

    every: int = 500

    def recipe(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """Return the recipe of one model."""
        measured = {"eval_columns": [column[1:] for column in SMALL], "eval_every": self.every}
        return super().recipe(data, max_digits) | measured


@dataclass(frozen=True)
class Table2TokensSettings:
    """A column has `n` problems; `cells` are (method, equations, seed)."""

    training: Watched
    n: int
    cells: tuple[tuple[str, int, int], ...]


def plans(settings: Table2TokensSettings) -> list[Plan]:
    """Return a plan for each cell."""
    tasks = table1_columns(settings.n, only=COLUMNS)
    return [
        Plan(replace(settings.training, seed=seed), table2.mixture(method, size, seed), table2.LENGTHS, tasks)
        for method, size, seed in settings.cells
    ]


def at_100(point: Mapping[str, float]) -> int:
    """Return how many columns have 100 in all their pairs of lengths, in a measurement by operation and lengths."""
    below = {name for name, op, a, b in SMALL if point[f"{a}D{op}{b}D"] < 100}
    return len(COLUMNS - below)


def render(settings: Table2TokensSettings, folder: Path) -> list[Exhibit]:
    """Show the columns at 100 by training tokens, and after how many tokens all of them are."""
    series, rows = [], []
    for (method, size, seed), (what, results) in stored_cells(
        folder, settings.cells, lambda cell: table2.cell_name(*cell)
    ).items():
        points = [(point["tokens"], at_100(point)) for point in what["exact"]]
        scores = list(scores_of(results).values())
        name = table1.ALIKE.get(method, method)
        needed = next((f"{tokens / 1e6:.1f}M" for tokens, clean in points if clean == len(COLUMNS)), "")
        rows.append(
            [
                name,
                f"{size:,}",
                needed or f"more than {what['tokens'] / 1e6:.0f}M",
                together(scores).shown,
                f"{sum(score.is_clean for score in scores)} of {len(scores)}",
            ]
        )
        series.append(Series(f"{name}, {size:,} equations" + (f", seed {seed}" if seed else ""), points))
    note = (
        f"{settings.training.terms}; the rates fall from an eighth of the run on. Every {settings.training.every} steps"
        f" 200 validation problems are measured for each of the {len(SMALL)} pairs of lengths in the columns."
    )
    header = ["method", "equations", "tokens until all are at 100", "exact at the end, percent", "columns at 100"]
    at_the_end = f"{note} At the end: up to {settings.n} problems a column, those of Table 2."
    return [
        Chart("Columns at 100 by training tokens", "training tokens", "columns at 100", series, note),
        Table("Table 2: tokens needed", header, rows, at_the_end),
    ]


TABLE2_TOKENS = Experiment(
    "table2-tokens",
    "Table 2",
    "Training tokens needed",
    {
        "smoke": Table2TokensSettings(Watched(12, 2048, 120, 2, 64, every=12), 1, (("plain", 1000, 0),)),
        "cpu": Table2TokensSettings(Watched(12_000, longest=320), 200, table2.grid(table2.SYSTEMS, (500_000,), (0,))),
        "gpu": Table2TokensSettings(
            Watched(60_000, 16_384, 320, 12, 768, every=1000), 1000, table2.grid(table2.SYSTEMS, (500_000,), (0, 1, 2))
        ),
    },
    render,
    plans,
)
