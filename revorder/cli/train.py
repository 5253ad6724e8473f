"""revorder train: a model from a recipe."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Optional

import typer

from revorder.cli.common import Json, packaged, print_checkpoint
from revorder.errors import needs
from revorder.processes import wait_passively


def command(
    recipe: Annotated[
        str, typer.Argument(help=f"A recipe's YAML file, or a packaged one: {packaged('training/recipes')}.")
    ],
    out: Annotated[Path, typer.Option(help="The checkpoint folder; an interrupted run resumes.")],
    steps: Annotated[Optional[int], typer.Option(min=1, help="Steps, instead of the recipe's.")] = None,
    json_: Json = False,
) -> None:
    """Train a model with transformers' Trainer; needs torch, transformers and accelerate."""
    from revorder.training.recipe import Recipe

    wait_passively()
    Recipe.read(recipe)  # report its errors before torch is loaded, which takes seconds
    with needs("train", "train"):
        import accelerate  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    from revorder.training.trainer import train

    with redirect_stdout(sys.stderr):  # messages of libraries
        made = train(recipe, out, steps)
    print_checkpoint(made, json_)
