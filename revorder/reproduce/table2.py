"""Table 2: how many training equations each method needs until every BIG-bench column is at 100."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from revorder.evaluation.scores import wilson
from revorder.evaluation.suites import SMALL
from revorder.methods import METHODS
from revorder.reproduce.cells import (
    TINYLLAMA,
    Finetuning,
    Training,
    read_cells,
    run_cell,
    scores_of,
    table1_columns,
)
from revorder.reproduce.experiment import Block, Chart, Experiment, Say, Series, Table
from revorder.reproduce.table1 import ALIKE

SYSTEMS = ("lean", "revorder", "goat", "plain")
PAPER = (("RevOrder-1B", "0.5m", "Yes"), ("MathGLM-2B", "1m-50m", "No"), ("GOAT-7B", "1.7m", "No"))
PARTS = tuple(
    {"op": op, "a": [1, 5], "b": [1, 5], "weight": weight, "hard": 0.2} | ({"remainder": 0.3} if op == "/" else {})
    for op, weight in (("+", 1), ("-", 1.5), ("*", 3), ("/", 3))
)


@dataclass(frozen=True)
class Settings:
    """`sizes`: equations, each trained on once for each of `seeds`; `n`: problems a column."""

    training: Training | Finetuning
    n: int
    sizes: tuple[int, ...]
    seeds: tuple[int, ...] = (0,)
    systems: tuple[str, ...] = SYSTEMS


def run(settings: Settings, folder: Path, say: Say) -> int:
    """Train and ask a model for each method, number of equations and seed; returns the training tokens of all."""
    tasks = table1_columns(settings.n, only=[column[0] for column in SMALL])
    tokens = 0
    for method in settings.systems:
        data = {"method": method, "parts": list(PARTS), "estimate_digits": 2 if METHODS[method].can_rollback else 0}
        for size in settings.sizes:
            for seed in settings.seeds:
                named = data | {"name": f"{method}-{size}-{seed}", "size": size}
                training = replace(settings.training, seed=seed)
                tokens += run_cell(training, named, [(op, 5, 5) for op in "+-*/"], tasks, folder, say)
    return tokens


def blocks(settings: Settings, folder: Path) -> list[Block]:
    """The curve of accuracy against equations, and the fewest at which every column was at 100."""
    found: dict[str, dict[int, list[tuple[int, int, int]]]] = {}  # method, equations: (correct, total, clean columns)
    width = 0
    for name, _, results in read_cells(folder):
        method, size, _ = name.rsplit("-", 2)
        scores = scores_of(results).values()
        width = len(scores)
        clean = sum(score.correct == score.total for score in scores)
        total = sum(score.total for score in scores)
        row = (sum(score.correct for score in scores), total, clean)
        found.setdefault(method, {}).setdefault(int(size), []).append(row)
    series, rows = [], []
    for method in settings.systems:
        sizes = sorted(found[method].items())
        sums = [(size, sum(r[0] for r in runs), sum(r[1] for r in runs)) for size, runs in sizes]
        shown = ALIKE.get(method, method)
        series.append(
            Series(shown, [(size, 100 * good / n) for size, good, n in sums], [wilson(good, n) for _, good, n in sums])
        )
        clean = [size for size, runs in sizes if all(run[2] == width for run in runs)]
        seen = [
            f"{100 * good / n:.2f} ({'/'.join(str(run[2]) for run in runs)})"
            for (_, good, n), (_, runs) in zip(sums, sizes, strict=True)
        ]
        rows.append([shown, *seen, f"{clean[0]:,}" if clean else f"more than {sizes[-1][0]:,}"])
    note = (
        f"Percent exact of {settings.n} held-out problems in each of {width} columns, and of how many columns every "
        f"problem is right, by seed; {settings.training.terms}, for each."
    )
    return [
        Chart("Table 2 as a curve", "training equations", "exact, percent", series, note, log_x=True),
        Table(
            "Table 2: equations needed",
            ["method", *(f"{size:,}" for size in settings.sizes), "all columns at 100"],
            rows,
            note,
        ),
        Table("Table 2 of the paper", ["model", "equations", "100% accuracy"], PAPER),
    ]


TABLE2 = Experiment(
    "table2",
    "Table 2",
    "Training equations needed",
    {
        "smoke": Settings(Training(12, 2048, 120, 2, 64), 1, (1000,), systems=("lean", "plain")),
        "cpu": Settings(Training(3000, 4096, 320, 4, 128), 100, (10_000, 50_000, 250_000)),
        "gpu": Settings(Finetuning(TINYLLAMA, "tinyllama"), 1000, (50_000, 100_000, 200_000, 500_000), (0, 1, 2)),
    },
    run,
    blocks,
    ("torch", "transformers", "accelerate"),
)
