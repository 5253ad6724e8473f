"""Table 2: how many training equations each method needs for 100 in every BIG-bench column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import fmean

from revorder.evaluation.scores import Score, together
from revorder.evaluation.suites import SMALL
from revorder.mixtures.mixture import Mixture
from revorder.reproduce import table1
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.columns import fewer, table1_columns
from revorder.reproduce.exhibits import Chart, Exhibit, Series, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import TINYLLAMA, Finetuning, Training, equations_seen, mean_tokens

SYSTEMS = ("lean", "revorder", "goat", "plain")
PAPER = (("RevOrder-1B", "0.5m", "Yes"), ("MathGLM-2B", "1m-50m", "No"), ("GOAT-7B", "1.7m", "No"))
PARTS = tuple(
    {"op": op, "a": [1, 5], "b": [1, 5], "weight": weight, "hard": 0.2} | ({"remainder": 0.3} if op == "/" else {})
    for op, weight in (("+", 1), ("-", 1.5), ("*", 3), ("/", 3))
)
LENGTHS = [(op, 5, 5) for op in "+-*/"]


@dataclass(frozen=True)
class Table2Settings:
    """A column has `n` problems; `cells` are (method, equations, seed)."""

    training: Training | Finetuning
    n: int
    cells: tuple[tuple[str, int, int], ...]


def grid(methods: Sequence[str], sizes: Sequence[int], seeds: Sequence[int]) -> tuple[tuple[str, int, int], ...]:
    """Return a cell for each method, number of equations and seed."""
    return tuple(product(methods, sizes, seeds))


def cell_name(method: str, size: int, seed: int) -> str:
    return f"{method}-{size}-{seed}"


def mixture(method: str, size: int, seed: int) -> dict[str, object]:
    """Return Table 1's mixture with operands of up to 5 digits."""
    return table1.mixture(method) | {"name": cell_name(method, size, seed), "size": size, "parts": list(PARTS)}


def plans(settings: Table2Settings) -> list[Plan]:
    """Return a plan for each cell."""
    tasks = table1_columns(settings.n, only=[column[0] for column in SMALL])
    found: list[Plan] = []
    for method, size, seed in settings.cells:
        training = replace(settings.training, seed=seed)
        found.append(Plan(training, mixture(method, size, seed), LENGTHS, tasks))
    return found


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
        ),
        "gpu": Table2Settings(
            Finetuning(TINYLLAMA, "tinyllama"), 1000, grid(SYSTEMS, (50_000, 100_000, 200_000, 500_000), (0, 1, 2))
        ),
    },
    render,
    plans,
)
