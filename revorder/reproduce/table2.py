"""Table 2: how many training equations each method needs for 100 in every BIG-bench column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from revorder.evaluation.scores import Score, together
from revorder.evaluation.suites import SMALL
from revorder.mixtures.mixture import Mixture
from revorder.reproduce import table1
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.columns import fewer, table1_columns
from revorder.reproduce.exhibits import Chart, Exhibit, Series, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import TINYLLAMA, Finetuning, Lengths, Training, equations_seen, mean_tokens

SYSTEMS = ("lean", "revorder", "goat", "plain")
PAPER = (("RevOrder-1B", "0.5m", "Yes"), ("MathGLM-2B", "1m-50m", "No"), ("GOAT-7B", "1.7m", "No"))
PARTS = tuple(
    {"op": op, "a": [1, 5], "b": [1, 5], "weight": weight, "hard": 0.2} | ({"remainder": 0.3} if op == "/" else {})
    for op, weight in (("+", 1), ("-", 1.5), ("*", 3), ("/", 3))
)


@dataclass(frozen=True)
class Watched(Training):
    """A training that measures exact match on all columns of the validation split, every `every` steps."""

    every: int = 500

    def recipe(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """Return the recipe of one model."""
        measured = {"eval_columns": [column[1:] for column in SMALL], "eval_every": self.every}
        return super().recipe(data, max_digits) | measured


@dataclass(frozen=True)
class Table2Settings:
    """A column has `n` problems; `cells` are (method, equations, seed), and `longer` those that train by `watched`."""

    training: Training | Finetuning
    n: int
    cells: tuple[tuple[str, int, int], ...]
    watched: Watched | None = None
    longer: tuple[tuple[str, int, int], ...] = ()


def grid(methods: Sequence[str], sizes: Sequence[int], seeds: Sequence[int]) -> tuple[tuple[str, int, int], ...]:
    """Return a cell for each method, number of equations and seed."""
    return tuple(product(methods, sizes, seeds))


def cell_name(method: str, size: int, seed: int) -> str:
    return f"{method}-{size}-{seed}"


def long_name(method: str, size: int, seed: int) -> str:
    return f"{cell_name(method, size, seed)}-long"


def mixture(method: str, size: int, seed: int) -> dict[str, object]:
    """Return Table 1's mixture with operands of up to 5 digits."""
    return table1.mixture(method) | {"name": cell_name(method, size, seed), "size": size, "parts": list(PARTS)}


def plans(settings: Table2Settings) -> list[Plan]:
    """Return a plan for each cell."""
    tasks = table1_columns(settings.n, only=[column[0] for column in SMALL])
    found: list[Plan] = []
    for method, size, seed in settings.cells:
        training = replace(settings.training, seed=seed)
        found.append(Plan(training, mixture(method, size, seed), [(op, 5, 5) for op in "+-*/"], tasks))
    if settings.watched:
        for method, size, seed in settings.longer:
            data = mixture(method, size, seed) | {"name": long_name(method, size, seed)}
            found.append(Plan(replace(settings.watched, seed=seed), data, [(op, 5, 5) for op in "+-*/"], tasks))
    return found


def until_all(settings: Table2Settings, folder: Path, shown: Mapping[str, str]) -> list[Exhibit]:
    """Return the table of the tokens after which every column is at 100, if longer trainings are asked for."""
    if not settings.watched:
        return []
    rows = []
    for (method, size, seed), (what, results) in stored_cells(folder, settings.longer, lambda c: long_name(*c)).items():
        scores = list(scores_of(results).values())
        clean = [point["tokens"] for point in what["exact"] if min(v for k, v in point.items() if k != "tokens") == 100]
        most = max(sum(v == 100 for k, v in point.items() if k != "tokens") for point in what["exact"])
        rows.append(
            [
                shown.get(method, method),
                f"{size:,}",
                str(seed),
                f"{clean[0] / 1e6:.1f}M" if clean else f"not in {what['tokens'] / 1e6:.0f}M ({most} of {len(SMALL)})",
                together(scores).shown,
                f"{sum(score.is_clean for score in scores)} of {len(scores)}",
            ]
        )
    header = ["method", "equations", "seed", "tokens until all at 100", "exact at the end, percent", "columns at 100"]
    note = (
        f"{settings.watched.terms}, whose rates fall from an eighth on. All at 100: of 200 problems of the validation"
        f" split for each operation and pair of lengths ({len(SMALL)} in all), every {settings.watched.every} steps."
    )
    return [Table("Table 2: tokens needed", header, rows, note)]


def render(settings: Table2Settings, folder: Path) -> list[Exhibit]:
    """Show accuracy against equations, and the fewest equations with every column at 100."""
    tasks = table1_columns(settings.n, only=[column[0] for column in SMALL])
    found: dict[str, dict[int, list[list[Score]]]] = {}  # by method and equations: the columns' scores for each seed
    times: dict[str, dict[int, str]] = {}  # how often each equation was seen
    stored = stored_cells(folder, settings.cells, lambda cell: cell_name(*cell))
    for (method, size, _), (what, results) in stored.items():
        tokens = mean_tokens(Mixture.read(what["data"]), what["training"]["longest"])
        times.setdefault(method, {})[size] = f"{equations_seen(what, tokens) / size:.1f}"
        found.setdefault(method, {}).setdefault(size, []).append(list(scores_of(results).values()))
    missing = Counter(cell[0] for cell in settings.cells if cell not in stored)  # no result is shown until all exist
    series, rows = [], []
    every = sorted({size for sizes in found.values() for size in sizes})
    for method in sorted(found, key=SYSTEMS.index):
        sizes, shown = dict(sorted(found[method].items())), table1.ALIKE.get(method, method)
        percents = {size: [together(scores).percent for scores in models] for size, models in sizes.items()}
        series.append(
            Series(
                shown,
                [(size, fmean(seeds)) for size, seeds in percents.items()],
                [(min(seeds), max(seeds)) for seeds in percents.values()],
            )
        )
        clean = {size: [sum(score.is_clean for score in scores) for scores in models] for size, models in sizes.items()}
        most_short = max((size for size, counts in clean.items() if min(counts) < len(tasks)), default=0)
        enough = [size for size in sizes if size > most_short]
        seen = {size: f"{fmean(percents[size]):.2f} ({'/'.join(map(str, clean[size]))})" for size in sizes}
        rows.append(
            [
                shown,
                *(seen.get(size, "-") for size in every),
                "-" if missing[method] else f"{enough[0]:,}" if enough else f"more than {max(sizes):,}",
            ]
        )
    note = (
        f"Percent exact of up to {settings.n} problems in each of {len(tasks)} columns, held out from 3 digits on and"
        f" not BIG-bench's own ({fewer(tasks, settings.n)}), and in brackets the columns at 100 by seed;"
        f" {settings.training.terms}. Bars span the seeds; the last column counts a size if every seed has all columns"
        " at 100."
    )
    same = "All models see the same number of tokens. " if isinstance(settings.training, Training) else ""
    return [
        Chart("Table 2 as a curve", "training equations", "exact, percent", series, note, log_x=True),
        Table(
            "Table 2: equations needed",
            ["method", *(f"{size:,}" for size in every), "all columns at 100"],
            rows,
            note,
        ),
        Table(
            "How often each model saw an equation, on average",
            ["method", *(f"{size:,}" for size in every)],
            [[table1.ALIKE.get(method, method), *(times[method].get(size, "-") for size in every)] for method in times],
            f"{same}Below about three times, some equations were never seen.",
        ),
        *until_all(settings, folder, table1.ALIKE),
        Table("Table 2 of the paper", ["model", "equations", "100% accuracy"], PAPER),
    ]


TABLE2 = Experiment(
    "table2",
    "Table 2",
    "Training equations needed",
    {
        "smoke": Table2Settings(Training(12, 2048, 120, 2, 64), 1, (("lean", 1000, 0), ("plain", 1000, 0))),
        "cpu": Table2Settings(
            Training(2500, longest=320),
            200,
            (*grid(SYSTEMS, (10_000, 40_000), (0,)), *grid(("lean", "revorder"), (160_000,), (0,))),
            Watched(12_000, longest=320),
            (*grid(("lean", "revorder"), (50_000, 500_000), (0,)), *grid(("goat", "plain"), (500_000,), (0,))),
        ),
        "gpu": Table2Settings(
            Finetuning(TINYLLAMA, "tinyllama"), 1000, grid(SYSTEMS, (50_000, 100_000, 200_000, 500_000), (0, 1, 2))
        ),
    },
    render,
    plans,
)
