"""RevOrder-1B's row of Table 1 by a small model: the paper's own compact notation at the paper's own height."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from revorder.evaluation.tables import PAPER
from revorder.reproduce.cells import EQUATIONS, Training, read_cells, run_cell, scores_of, table1_columns
from revorder.reproduce.experiment import Block, Experiment, Say, Table
from revorder.reproduce.table1 import MAX_DIGITS, PARTS

ROW = "RevOrder-1B"


@dataclass(frozen=True)
class Settings:
    """`trainings`: by the name of a size; `n`: problems a column; `only`: these columns, all where none is named."""

    trainings: tuple[tuple[str, Training], ...]
    n: int
    only: tuple[str, ...] = ()


def run(settings: Settings, folder: Path, say: Say) -> int:
    """Train and ask a model of each size; returns the training tokens of all."""
    data = {"method": "revorder", "form": "compact", "size": EQUATIONS, "estimate_digits": 2, "parts": list(PARTS)}
    tasks = table1_columns(settings.n, only=settings.only)
    return sum(
        run_cell(training, data | {"name": size}, MAX_DIGITS, tasks, folder, say)
        for size, training in settings.trainings
    )


def blocks(settings: Settings, folder: Path) -> list[Block]:
    """The paper's row beside ours, column by column, with intervals."""
    cells = [(name, what, scores_of(results)) for name, what, results in read_cells(folder)]
    rows = []
    for task in table1_columns(settings.n, only=settings.only):
        row = [task, f"{PAPER[ROW][task]:g}"]
        for _, _, scores in cells:
            low, high = scores[task].interval
            row.append(f"{scores[task].percent:.1f} ({low:.1f}-{high:.1f})")
        rows.append(row)
    sums = ["columns at 100", str(sum(value == 100 for value in PAPER[ROW].values()))]
    sums += [str(sum(score.correct == score.total for score in scores.values())) for _, _, scores in cells]
    seen = ", ".join(f"{name}: {what['tokens']:,} tokens" for name, what, _ in cells)
    note = f"Percent exact of {settings.n} held-out problems a column, 95% intervals. {seen}."
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
        "smoke": Settings((("tiny", Training(12, 2048, 120, 2, 64)),), 2, ("ADD 1D", "DIV 1D")),
        "cpu": Settings((("1.2M", Training(24_000, 4096, 720)),), 1000),
        "gpu": Settings((("4.4M", Training(60_000, 16_384, 720, 4, 256)),), 1000),
    },
    run,
    blocks,
    ("torch", "transformers", "accelerate"),
)
