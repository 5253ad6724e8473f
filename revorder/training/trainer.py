"""Train with transformers' Trainer; runs can be interrupted, resumed and extended."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainingArguments, get_wsd_schedule

from revorder.files import write_whole
from revorder.mixtures.targets import IGNORED
from revorder.model.checkpoint import CheckpointInfo
from revorder.model.llama import create_model, export
from revorder.model.tokenizer import Tokenizer
from revorder.processes import cores, is_first_process, process_count
from revorder.training.attention import attend_without_masks
from revorder.training.batches import Batches, encode_example
from revorder.training.exact_match import Columns, Measure, encode_columns, exact_match
from revorder.training.graphs import GraphTrainer
from revorder.training.model_card import model_card
from revorder.training.optimizer import MuonAndAdamW
from revorder.training.recipe import Recipe
from revorder.training.runs import (
    SaveOnSignal,
    alone_in,
    can_compile,
    claim,
    first_item,
    keeping_freed_memory,
    read_log,
    trainer_settings,
)

COMPILE_FROM = 1000  # steps


@keeping_freed_memory()
def train(source: str | Path | Mapping[str, Any], out: str | Path, steps: int | None = None) -> Path | None:
    """Train a recipe, write the checkpoint to `out`, and return `out`.

    The run is kept in `out`/run. The same call resumes it, also with more steps. On SIGINT and SIGTERM the run is saved
    and None is returned. With torchrun each process makes the call.

    Args:
        source: Any source of Recipe.read.
        out: The checkpoint folder.
        steps: The number of steps, instead of the recipe's.

    Raises:
        ProblemError: The recipe can't be read, or the folder has a run of another recipe.
    """
    recipe, out = Recipe.read(source), Path(out)
    recipe = recipe.model_copy(update={"steps": steps or recipe.steps})
    processes = process_count()
    run = out / "run"
    saved, commits = claim(run, recipe.run_settings(processes), recipe.steps)
    tokenizer, model = Tokenizer(recipe.model.places), create_model(recipe.model, recipe.seed)
    compiles = not on_one_gpu() and recipe.steps >= COMPILE_FROM and can_compile()
    if on_one_gpu() or compiles:
        attend_without_masks(model)
    if compiles:
        model.compile(dynamic=True)
    if not take_steps(recipe, tokenizer, model, run, saved, processes):
        return None
    if is_first_process():
        scores = exact_match(model, held_out_columns(recipe, tokenizer, 1000))
        export(model, out, recipe.model.places)
        mixture, log = recipe.data, read_log(run / "log.jsonl")
        about = {
            "recipe": recipe.name,
            "steps": recipe.steps,
            "tokens": recipe.tokens_seen(processes),
            "seconds": round(log[-1]["seconds"]) if log else 0,
            "commit": commits,
        }
        CheckpointInfo(
            mixture.method, mixture.form, recipe.max_digits, mixture.answer, recipe.model.places, about
        ).save(out)
        given = Path(source).name if isinstance(source, (str, Path)) else recipe.name
        card = model_card(recipe, given, steps, model.num_parameters(), scores, log, processes, commits)
        write_whole(out / "README.md", card)
    return out


def take_steps(recipe: Recipe, tokenizer: Tokenizer, model: Any, run: Path, saved: str | None, processes: int) -> bool:
    """Train the model, from the saved state if there is one; return False if the run was interrupted."""
    spare = max(0, cores() // processes - 1) if torch.cuda.is_available() else 0
    batches = Batches(recipe, tokenizer, processes, spare)
    optimizer = MuonAndAdamW(model, recipe.muon_lr, recipe.lr)
    measured, interruption = partial(held_out_columns, recipe, tokenizer, 200), SaveOnSignal()
    trainer = (GraphTrainer if on_one_gpu() else Trainer)(
        model=model,
        args=trainer_settings(TrainingArguments, run, recipe.steps, batches.pieces, recipe.save_every, recipe.seed),
        train_dataset=batches,
        data_collator=first_item,
        compute_loss_func=mean_loss,
        optimizers=(optimizer, get_wsd_schedule(optimizer, *recipe.schedule(), recipe.steps, decay_type="linear")),
        callbacks=[Measure(run / "log.jsonl", saved, recipe.eval_every, measured), interruption],
    )
    with alone_in(run), interruption, closing(batches):
        trainer.train(resume_from_checkpoint=saved)
    return not interruption.stopped


def held_out_columns(recipe: Recipe, tokenizer: Tokenizer, n: int) -> Columns:
    """Return `n` validation problems for each of the recipe's `eval_columns`."""
    encode = partial(encode_example, tokenizer)
    return encode_columns(recipe.data, recipe.eval_columns, n, encode, tokenizer.pad, 100)


def on_one_gpu() -> bool:
    """Whether this is the only process of the training, and has a GPU."""
    return torch.cuda.is_available() and process_count() == 1


def mean_loss(outputs: Any, labels: Any, num_items_in_batch: Any) -> Any:
    """Return the mean cross-entropy of a batch's learned tokens, in nats."""
    logits, targets = outputs.logits[:, :-1].float(), labels[:, 1:]
    total = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    return total / num_items_in_batch
