"""The figures of docs/results.md, as PNG: errors by column, exact match by digits, and tokens a problem.

revorder eval extra --n 10000 --seed SEED --out DIR/extra-SEED.jsonl    # for each seed
revorder eval ordinary --out DIR/ordinary.jsonl
python benchmarks/results.py DIR [--images docs/images] [--model calculator]

The script lets the model write the problems of the second figure, into DIR/lengths.jsonl.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean
from typing import Any

from matplotlib.figure import Figure

from revorder.evaluation.runner import load, run
from revorder.evaluation.scores import Score, score_tasks
from revorder.evaluation.suites import hash_of
from revorder.inference.ctranslate import Runtime
from revorder.metrics.token_cost import characters
from revorder.mixtures.sampling import held_out
from revorder.model.checkpoint import DEFAULT
from revorder.reproduce.charts import COLORS

N = 200  # problems of each length
LENGTHS = {  # digits of the longer operand, of the shorter, for each n that fits the model's places and positions
    "n by n, +": [("+", n, n) for n in range(4, 61, 4)],
    "n by n, -": [("-", n, n) for n in range(4, 61, 4)],
    "n by 1, *": [("*", n, 1) for n in range(4, 57, 4)],
    "n by n, *": [("*", n, n) for n in range(2, 23, 2)],
    "2n by n, /": [("/", 2 * n, n) for n in range(2, 25, 2)],
}
# GPT-5 at its highest effort: percent exact of 500 problems an operation, tokens a problem
GPT_5 = {"ADD": (96.4, 3800), "MUL": (97.6, 8700), "DIV": (89.6, 16200)}


def errors(folder: Path) -> Figure:
    """Return wrong answers per million for each column of the `extra` files, with Wilson intervals."""
    scores = score_tasks(result for path in sorted(folder.glob("extra-*.jsonl")) for result in load(path))
    figure, axes = plot("wrong per million (95% interval)", "")
    for y, score in enumerate(reversed(scores)):
        low, high = (1e4 * (100 - end) for end in reversed(score.interval))
        axes.plot([low, high], [y, y], color=COLORS[0], linewidth=2)
        axes.plot(1e4 * (100 - score.percent), y, "o", color=COLORS[0])
    names = [f"{score.task} ({score.total - score.correct} of {score.total:,})" for score in reversed(scores)]
    axes.set_yticks(range(len(scores)), names)
    axes.set_xlim(left=0)
    return figure


def lengths(folder: Path, model: str) -> Figure:
    """Return exact match by digits, with the lengths shaded that the model is asked."""
    runtime = Runtime(model)
    columns = {(name, n): (op, n, m) for name, some in LENGTHS.items() for op, n, m in some}
    tasks = {f"{name}, {n}": held_out(*column, N, 0) for (name, n), column in columns.items()}
    settings = {"model": model, "problems": hash_of(tasks)}
    scores = {score.task: score for score in score_tasks(run(runtime, tasks, folder / "lengths.jsonl", settings))}
    figure = Figure(figsize=(9, 5.4), layout="constrained")
    rows: Any = figure.subplots(2, 3)
    for axes, (name, some) in zip(rows.flat, LENGTHS.items(), strict=False):
        asked = max(n for op, n, m in some if runtime.info.covers(held_out(op, n, m, 1, 0)[0]))
        here: list[Score] = [scores[f"{name}, {n}"] for _, n, _ in some]
        bars = [
            [score.percent - score.interval[0] for score in here],
            [score.interval[1] - score.percent for score in here],
        ]
        axes.axvspan(0, asked, color="#dce9ef")
        axes.errorbar(
            [n for _, n, _ in some], [score.percent for score in here], yerr=bars, marker="o", ms=3, color=COLORS[0]
        )
        axes.set(title=name, ylim=(-3, 103), xlim=(0, some[-1][1] + 1))
        axes.spines[["top", "right"]].set_visible(False)
    rows.flat[-1].axis("off")
    figure.supxlabel("digits of the longer operand; shaded: what the model is asked")
    figure.supylabel(f"% exact of {N}")
    return figure


def tokens(folder: Path) -> Figure:
    """Return tokens a problem and percent exact of decimals, beside GPT-5's."""
    results = load(folder / "ordinary.jsonl")
    figure, axes = plot("tokens a problem", "% exact")
    scores = {score.task.split()[0]: score for score in score_tasks(results)}
    for color, (name, (percent, spent)) in zip(COLORS, GPT_5.items(), strict=False):
        mean = fmean(
            characters(result.text) - len(result.problem) for result in results if result.task.startswith(name)
        )
        axes.plot([mean, spent], [scores[name].percent, percent], color=color, alpha=0.4)
        axes.plot(mean, scores[name].percent, "o", color=color, label=f"{name}, this model: {mean:,.0f} tokens")
        axes.plot(spent, percent, "s", color=color, label=f"{name}, GPT-5: {spent:,} tokens")
    axes.set(xscale="log")
    axes.legend(frameon=False, fontsize=8)
    return figure


def plot(x: str, y: str) -> tuple[Figure, Any]:
    """Return an empty figure with named axes."""
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes: Any = figure.subplots()
    axes.set(xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return figure, axes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=Path, default=Path("docs/images"))
    parser.add_argument("--model", default=DEFAULT)
    given = parser.parse_args()
    figures = {"errors": errors(given.folder), "tokens": tokens(given.folder)}
    figures["lengths"] = lengths(given.folder, given.model)
    for name, figure in figures.items():
        figure.savefig(given.images / f"{name}.png", dpi=110, metadata={"Software": None})
        print(given.images / f"{name}.png")


if __name__ == "__main__":
    main()
