"""revorder finetune: a pretrained language model, taught equations or a corpus."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Optional

import typer

from revorder.cli.common import Json, given, packaged, print_checkpoint
from revorder.errors import ProblemError, needs
from revorder.methods import METHODS
from revorder.processes import wait_passively

OVER = "Instead of the recipe's"


def command(
    model: Annotated[
        str, typer.Argument(help="A causal language model: a Hugging Face folder, or its name on the Hub.")
    ],
    data: Annotated[
        list[str],
        typer.Argument(
            help=f"A mixture ({packaged('mixtures')}, a YAML file), gsm8k, enhancement, a JSONL file, or a Hugging "
            "Face dataset's name; several follow one another in each epoch."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The new model's folder; an interrupted run resumes.")],
    recipe: Annotated[
        Optional[str],
        typer.Option(help=f"A recipe's YAML file, or a packaged one: {packaged('training/finetunes')}."),
    ] = None,
    method: Annotated[Optional[str], typer.Option(help=f"The method of its traces: {', '.join(METHODS)}.")] = None,
    epochs: Annotated[Optional[int], typer.Option(min=1, help="Passes over the data.", rich_help_panel=OVER)] = None,
    steps: Annotated[
        Optional[int], typer.Option(min=1, help="Steps, in place of epochs.", rich_help_panel=OVER)
    ] = None,
    tokens: Annotated[
        Optional[int], typer.Option(min=1, help="Train for about this many tokens.", rich_help_panel=OVER)
    ] = None,
    batch: Annotated[Optional[int], typer.Option(min=1, help="Examples in a step.", rich_help_panel=OVER)] = None,
    device_batch: Annotated[
        Optional[int], typer.Option(min=1, help="Examples on a device at once.", rich_help_panel=OVER)
    ] = None,
    lr: Annotated[Optional[float], typer.Option(help="Learning rate.", rich_help_panel=OVER)] = None,
    lora: Annotated[
        Optional[int],
        typer.Option(min=1, metavar="RANK", help="Train LoRA adapters of this rank, and merge.", rich_help_panel=OVER),
    ] = None,
    seed: Annotated[Optional[int], typer.Option(min=0, help="Seed.", rich_help_panel=OVER)] = None,
    mix: Annotated[
        Optional[str], typer.Option(help="JSONL of other text to mix in, so that the model keeps its language.")
    ] = None,
    share: Annotated[float, typer.Option(help="The share of examples from --mix.")] = 0.2,
    check: Annotated[bool, typer.Option("--check", help="Refuse a corpus that states wrong equations.")] = False,
    json_: Json = False,
) -> None:
    """Fine-tune a pretrained language model with TRL; needs the extra finetune."""
    wait_passively()
    with needs("finetune", "finetune"):
        from revorder.training.finetune import finetune
    from revorder.training.finetune_recipe import FinetuneRecipe

    if tokens and (steps or epochs):
        raise ProblemError(f"tokens {tokens}: with steps or epochs; give one of the three")
    changes = given(epochs=epochs, steps=steps, batch=batch, device_batch=device_batch, lr=lr, lora=lora, seed=seed)
    settings = FinetuneRecipe.read(recipe or {}).model_dump(exclude_unset=True) | changes
    if epochs:
        settings["steps"] = steps or 0
    checked = FinetuneRecipe.check(settings, "finetune")
    with redirect_stdout(sys.stderr):  # messages of libraries
        made = finetune(model, data, out, checked, method, tokens or 0, check, mix or "", share)
    print_checkpoint(made, json_)
