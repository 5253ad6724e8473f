"""Accuracy against the number of training equations and the size of the model: a recipe for the same number of steps.

python benchmarks/curve.py DIR [--recipe sums] [--sizes 10000 50000 100000 250000 500000] [--steps STEPS] [--n 1000]
                               [--shapes 3x64 2x128]

Each size is trained in DIR/SIZE and resumes there; then its model writes those of Table 1's extra columns that the recipe
is for. A shape is LAYERSxWIDTH, with a head for every 64 of the width and a hidden layer three times as wide; it is trained
in DIR/SIZE-SHAPE. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from itertools import product
from pathlib import Path

from revorder.data import example
from revorder.evals import covered, extra_tasks, run, scores
from revorder.model import Shape, llama
from revorder.problem import OPS
from revorder.recipe import Recipe
from revorder.report import markdown
from revorder.runtime import Runtime
from revorder.train import train


def named_shape(name: str) -> tuple[str, Shape]:
    """LAYERSxWIDTH, and the shape that it names; raises ValueError where it names none."""
    layers, width = map(int, name.split("x"))
    return name, Shape.read({"layers": layers, "width": width, "ffn": 3 * width, "heads": width // 64})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--recipe", default="sums")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000, 100_000, 250_000, 500_000])
    parser.add_argument("--steps", type=int)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--shapes", type=named_shape, nargs="+", metavar="LAYERSxWIDTH")
    arguments = parser.parse_args()
    recipe = Recipe.read(arguments.recipe)
    columns = extra_tasks(arguments.n)
    rows = []
    for size, (name, model) in product(arguments.sizes, arguments.shapes or [("", recipe.model)]):
        folder = arguments.out / (f"{size}-{name}" if name else str(size))
        mixture = replace(recipe.data, size=size)
        if not (folder / "revorder.json").exists():
            with redirect_stdout(sys.stderr):
                train(replace(recipe, data=mixture, model=model, exact=()), folder, arguments.steps)
        problems = {example(recipe.seed, index, mixture).problem for index in range(size)}
        runtime = Runtime(folder)
        tasks, _ = covered(runtime.card, columns)
        results = scores(run(runtime, tasks, folder / "results.jsonl", name=str(folder)))
        ops, per_op = [], []
        for op in OPS:
            if some := [score for score in results if tasks[score.task][0].op == op]:
                ops.append(op)
                per_op.append(f"{100 * sum(s.right for s in some) / sum(s.total for s in some):.2f}")
        clean = sum(score.right == score.total for score in results)
        parameters = llama(model).num_parameters()
        rows.append([f"{parameters:,}", f"{size:,}", f"{len(problems):,}", *per_op, f"{clean} of {len(results)}"])
        print(markdown(["parameters", "equations", "different", *ops, "columns without an error"], rows), flush=True)


if __name__ == "__main__":
    main()
