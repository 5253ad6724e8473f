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
from itertools import product
from pathlib import Path

from revorder.arithmetic.problem import OPS
from revorder.data.sampling import sampler
from revorder.evaluation.runner import run
from revorder.evaluation.scores import score_tasks
from revorder.evaluation.suites import Draw, split_covered, suite_tasks
from revorder.evaluation.tables import markdown
from revorder.inference.ctranslate import Runtime
from revorder.model.llama import ModelShape, create_model
from revorder.model.place_init import fold_embeddings
from revorder.training.recipe import Recipe
from revorder.training.trainer import train


def named_shape(name: str) -> tuple[str, ModelShape]:
    """LAYERSxWIDTH, and the shape that it names; raises ValueError where it names none."""
    layers, width = map(int, name.split("x"))
    return name, ModelShape(layers=layers, width=width, ffn=3 * width, heads=width // 64)


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
    columns = suite_tasks("extra", Draw(OPS, arguments.n, 2024))
    rows = []
    for size, (name, model) in product(arguments.sizes, arguments.shapes or [("", recipe.model)]):
        folder = arguments.out / (f"{size}-{name}" if name else str(size))
        settings = recipe.model_dump() | {"model": model.model_dump(), "eval_columns": []}
        settings["data"]["size"] = size
        if not (folder / "revorder.json").exists():
            with redirect_stdout(sys.stderr):
                train(settings, folder, arguments.steps)
        mixture = Recipe.read(settings).data
        problems = {(a, op, b) for _, a, op, b, _ in sampler(mixture).problems(recipe.seed, 0, size)}
        runtime = Runtime(folder)
        tasks, _ = split_covered(runtime.info, columns)
        scores = score_tasks(run(runtime, tasks, folder / "results.jsonl", {"folder": str(folder)}))
        ops, per_op = [], []
        for op in OPS:
            if some := [score for score in scores if tasks[score.task][0].op == op]:
                ops.append(op)
                per_op.append(f"{100 * sum(s.correct for s in some) / sum(s.total for s in some):.2f}")
        clean = sum(score.correct == score.total for score in scores)
        parameters = fold_embeddings(create_model(model)).num_parameters()
        rows.append([f"{parameters:,}", f"{size:,}", f"{len(problems):,}", *per_op, f"{clean} of {len(scores)}"])
        print(markdown(["parameters", "equations", "different", *ops, "columns without an error"], rows), flush=True)


if __name__ == "__main__":
    main()
