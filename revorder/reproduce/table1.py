"""Table 1: exact match of every method by column, from models of one shape trained on equal terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from revorder.evaluation.scores import group_errors, together, wilson
from revorder.evaluation.tables import PAPER
from revorder.methods import METHODS
from revorder.mixtures.mixture import Mixture
from revorder.reproduce.cells import scores_of, stored_cells
from revorder.reproduce.columns import by_op, fewer, fits, table1_columns
from revorder.reproduce.exhibits import Exhibit, Table
from revorder.reproduce.experiment import Experiment
from revorder.reproduce.plan import Plan
from revorder.reproduce.trainers import EQUATIONS, TINYLLAMA, Finetuning, Training, equations_seen, lengths

SYSTEMS = ("plain", "scratchpad", "goat", "revorder", "lean")
ALIKE = {"plain": "plain, mathglm"}  # MathGLM writes one operation as plain does
FIRST_ERRORS = 3  # kinds of error to show
PARTS = (
    {"op": "+", "a": [1, 16], "b": [1, 16], "weight": 15, "hard": 0.3},
    {"op": "-", "a": [1, 16], "b": [1, 16], "weight": 20, "hard": 0.3},
    {"op": "*", "a": [1, 16], "b": 1, "weight": 10, "hard": 0.15},
    {"op": "*", "a": [1, 8], "b": [1, 6], "weight": 19, "hard": 0.2},
    {"op": "*", "a": 6, "b": 6, "weight": 6, "hard": 0.1},  # else one product in 70 would be 6D*6D
    {"op": "/", "a": [1, 16], "b": 1, "weight": 9, "remainder": 0.5, "hard": 0.2},
    {"op": "/", "a": [1, 12], "b": [1, 6], "weight": 30, "remainder": 0.5, "hard": 0.2},
)
LENGTHS = (("+", 16, 16), ("-", 16, 16), ("*", 16, 1), ("*", 8, 6), ("/", 16, 1), ("/", 12, 6))


@dataclass(frozen=True)
class Table1Settings:
    """A column has `n` problems; `only` selects columns, all if empty."""

    training: Training | Finetuning
    n: int
    systems: tuple[str, ...] = SYSTEMS
    only: tuple[str, ...] = ()


def mixture(method: str) -> dict[str, object]:
    """Return a method's mixture: the same problems for all, with estimates from two digits if it has rollbacks."""
    return {
        "name": method,
        "method": method,
        "size": EQUATIONS,
        "estimate_digits": 2 if METHODS[method].can_rollback else 0,
        "parts": list(PARTS),
    }


def plans(settings: Table1Settings) -> list[Plan]:
    """Return a plan for each method, without the columns too long for it."""
    tasks = table1_columns(settings.n, only=settings.only)
    found: list[Plan] = []
    for method in settings.systems:
        data, longest = mixture(method), settings.training.longest
        asked = {task: some for task, some in tasks.items() if fits(some, method, Mixture.read(data).form, longest)}
        found.append(Plan(settings.training, data, LENGTHS, asked))
    return found


def render(settings: Table1Settings, folder: Path) -> list[Exhibit]:
    """Show Table 1 with our rows above the paper's, what each model saw, and the first errors."""
    tasks = table1_columns(settings.n, only=settings.only)
    rows: dict[str, Mapping[str, str]] = {}
    seen: list[list[str]] = []
    wrong: list[list[str]] = []
    for name, (what, results) in stored_cells(folder, settings.systems).items():
        scores = scores_of(results)
        longest = what["training"]["longest"]
        shown = ALIKE.get(name, name)
        groups = group_errors(results)
        most = [f"{len(texts):,} in {op}: {kind}" for (op, kind), texts in groups.items()][:FIRST_ERRORS]
        wrong.append([shown, f"{sum(map(len, groups.values())):,}", *most, *["-"] * (FIRST_ERRORS - len(most))])
        rows[f"{shown} (ours)"] = {
            task: f"{scores[task].percent:.1f}" if task in scores else "(long)" for task in tasks
        }
        sizes = lengths(Mixture.read(what["data"]))
        size = fmean(tokens for tokens in sizes if tokens <= longest)
        asked = together(scores.values())
        seen.append(
            [
                shown,
                f"{what['tokens']:,}",
                f"{size:.0f}",
                f"{100 * sum(tokens > longest for tokens in sizes) / len(sizes):.0f}",
                f"{equations_seen(what, size):,.0f}",
                f"{sum(score.is_clean for score in scores.values())} of {len(tasks)}",
                f"{asked.percent:.2f}",
                str(asked.false_passes),
            ]
        )
    rows |= {
        f"{model} (paper)": {task: "-" if (x := PAPER[model].get(task)) is None else f"{x:g}" for task in tasks}
        for model in PAPER
    }
    tokenizer = (
        ", and the same tokenizer, whose places favour reversed numbers"
        if isinstance(settings.training, Training)
        else ""
    )
    note = (
        f"Percent exact of up to {settings.n} problems a column, held out from 3 digits on. One model and one seed for"
        f" each method ({settings.training.terms}), with the same optimizer and mixture of problems{tokenizer}. 1D-5D"
        " are drawn like the other columns; the paper asks BIG-bench's problems there. MathGLM writes one operation as"
        " a direct answer, so one model fills both rows. (long): not asked, since most of the method's texts in that"
        " column are longer than any that the model was shown. With 95% confidence 100.0 means at least"
        f" {wilson(settings.n, settings.n)[0]:.1f}, and 50.0 at least {wilson(settings.n // 2, settings.n)[0]:.1f};"
        f" {fewer(tasks, settings.n)}."
    )
    parts = [
        Table(
            f"Table 1, {op}",
            ["system", *names],
            [[system, *(row[name] for name in names)] for system, row in rows.items()],
        )
        for op, names in by_op(list(tasks)).items()
    ]
    return [
        *parts[:-1],
        replace(parts[-1], note=note),
        Table(
            "What each model saw",
            [
                "method",
                "tokens",
                "tokens an equation",
                "% skipped as too long",
                "equations",
                "columns at 100",
                "% of those asked",
                "wrong and verified",
            ],
            seen,
        ),
        Table(
            "What goes wrong first",
            ["method", "texts with an error", "most often", *["then"] * (FIRST_ERRORS - 1)],
            wrong,
            "By the first step that the judge rejects; an answer alone by what it looks like.",
        ),
    ]


TABLE1 = Experiment(
    "table1",
    "Table 1",
    "Exact match by method, on equal terms",
    {
        "smoke": Table1Settings(
            Training(12, 2048, 120, 2, 64), 2, ("plain", "scratchpad", "goat", "lean"), ("ADD 1D", "MUL 1D", "DIV 1D")
        ),
        "cpu": Table1Settings(Training(4000, longest=720), 200),
        "gpu": Table1Settings(Finetuning(TINYLLAMA, "tinyllama"), 1000),
    },
    render,
    plans,
)
