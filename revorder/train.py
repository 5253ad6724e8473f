"""Training with transformers' Trainer: a recipe in, a checkpoint folder out, interrupted and resumed at will."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .batches import IGNORED, Batches, encode_problem, losses, pad, right_ones
from .data import held_out, rollback_of
from .model import create, export, mix, restart
from .noise import disturb
from .problem import ProblemError, quote
from .ranking import ranking
from .recipe import Recipe
from .runtime import Card
from .shards import make_folder, write_whole
from .tokenizer import Tokenizer

WORTH_COMPILING = 1000  # steps: compiling takes a minute or two, and makes each step about 1.4 times as fast


def exact_match(model: Any, batches: dict[str, list[dict[str, Any]]]) -> dict[str, float]:
    """The percentage of each column's problems whose every answer token is the likeliest: greedy decoding writes it."""
    import torch

    model.eval()
    out = {}
    with torch.no_grad():
        for name, parts in batches.items():
            good = count = 0
            for part in parts:
                labels = part["labels"][:, 1:].to(model.device)
                logits = model.forward(part["input_ids"].to(model.device)).logits[:, :-1]  # not compiled
                written = logits.argmax(-1)
                one, another = right_ones(labels, logits.shape[-1])
                hit = (written == one) | (written == another) | (labels == IGNORED)
                good += int(hit.all(1).sum())
                count += len(labels)
            out[name] = 100 * good / count
    model.train()
    return out


def columns(recipe: Recipe, tokenizer: Tokenizer, n: int = 200) -> dict[str, list[dict[str, Any]]]:
    """Held-out problems of the recipe's columns, encoded, in batches of 100."""
    out = {}
    for op, a, b in recipe.exact:
        rows = [
            encode_problem(tokenizer, recipe.data, problem, rollback_of(recipe.data, problem))
            for problem in held_out(op, a, b, n, seed=1)
        ]
        out[f"{a}D{op}{b}D"] = [pad(rows[i : i + 100], tokenizer) for i in range(0, len(rows), 100)]
    return out


def mean_loss(outputs: Any, labels: Any, num_items_in_batch: Any) -> Any:
    """The mean loss of a batch's learned tokens, as Trainer asks for it."""
    return losses(outputs.logits, labels).sum() / num_items_in_batch


def has_bf16() -> bool:
    """Whether this machine multiplies bfloat16 matrices in hardware."""
    import torch

    if torch.cuda.is_available():
        return torch.cuda.is_bf16_supported()
    capabilities = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))


def optimizer(model: Any, recipe: Recipe) -> Any:
    """Muon for the matrices of the layers, AdamW for embeddings, head and norms, as one optimizer."""
    import torch

    class Both(torch.optim.Optimizer):
        def __init__(self, parts: list[Any]) -> None:
            self.parts = parts
            super().__init__([p for part in parts for g in part.param_groups for p in g["params"]], {})
            self._share()

        def _share(self) -> None:
            self.param_groups = [group for part in self.parts for group in part.param_groups]

        def step(self, closure: Any = None) -> None:
            for part in self.parts:
                part.step()

        def zero_grad(self, set_to_none: bool = True) -> None:
            for part in self.parts:
                part.zero_grad(set_to_none)

        def state_dict(self) -> dict[str, Any]:
            return {"parts": [part.state_dict() for part in self.parts]}

        def load_state_dict(self, state_dict: dict[str, Any]) -> None:
            for part, state in zip(self.parts, state_dict["parts"], strict=True):
                part.load_state_dict(state)
            self._share()

    matrices = [p for p in model.model.layers.parameters() if p.ndim == 2]
    chosen = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in chosen]
    muon = torch.optim.Muon(matrices, lr=recipe.muon_lr, weight_decay=0.0)
    return Both([muon, torch.optim.AdamW(others, lr=recipe.lr, betas=(0.9, 0.98), weight_decay=0.0)])


def train(recipe: str | Path | Recipe, out: str | Path, steps: int | None = None) -> Path:
    """Train a recipe into the folder `out`; a run that was interrupted there goes on from its last checkpoint.

    Returns the checkpoint folder, `out`; `out`/run holds what a resumption needs and the log. Raises ProblemError for
    a recipe that can't be read, or another run's folder.
    """
    import torch
    from transformers import Trainer, TrainingArguments, get_cosine_schedule_with_warmup
    from transformers.trainer_utils import get_last_checkpoint

    if not isinstance(recipe, Recipe):
        recipe = Recipe.read(recipe)
    if steps is not None:
        from dataclasses import replace

        recipe = replace(recipe, steps=steps)
    out = Path(out)
    run = out / "run"
    stamp = run / "recipe.txt"
    if stamp.exists() and stamp.read_text() != repr(recipe):
        raise ProblemError(f"folder {quote(str(out))} holds another recipe's run; accepted: a new folder")
    tokenizer = Tokenizer(recipe.model.places)
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    model = restart(recipe.start, recipe.model) if recipe.start else create(recipe.model, recipe.seed)
    make_folder(run)
    write_whole(stamp, repr(recipe))  # each process does; none may read half of it
    disturbing = [disturb(model, recipe.noise)] if recipe.noise[0] else []
    if recipe.steps >= WORTH_COMPILING and shutil.which("c++"):
        model.compile(dynamic=True)
    both = optimizer(model, recipe)
    arguments = TrainingArguments(
        output_dir=str(run),
        max_steps=recipe.steps,
        per_device_train_batch_size=1,  # an item of the dataset is a batch
        train_sampling_strategy="sequential",
        use_cpu=not torch.cuda.is_available(),
        bf16=has_bf16(),
        max_grad_norm=1.0,
        logging_steps=max(1, min(100, recipe.steps // 10)),
        save_steps=recipe.save_every,
        save_total_limit=recipe.average,
        seed=recipe.seed,
        report_to=[],
        disable_tqdm=False,
        remove_unused_columns=False,
        ddp_find_unused_parameters=False,
    )
    trainer = Trainer(
        model=model,
        args=arguments,
        train_dataset=Batches(recipe, tokenizer, processes, ranking(model, recipe, tokenizer, run)),
        data_collator=lambda items: items[0],
        compute_loss_func=mean_loss,
        optimizers=(both, get_cosine_schedule_with_warmup(both, recipe.warmup, recipe.steps)),
        callbacks=[measuring(recipe, tokenizer, run / "log.jsonl"), *disturbing],
    )
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(run)))
    if not trainer.is_world_process_zero():
        return out
    saved = sorted(run.glob("checkpoint-*"), key=lambda folder: int(folder.name.partition("-")[2]))
    earlier = saved[-recipe.average : -1]
    for count, folder in enumerate(earlier, 2):
        mix(model, restart(folder, recipe.model), 1 / count)
    if recipe.kept:
        mix(model, restart(recipe.start, recipe.model), recipe.kept)
    final = exact_match(model, columns(recipe, tokenizer, 1000))
    export(model, out, recipe.model.places)
    mixture = recipe.data
    about = {"recipe": recipe.name, "steps": recipe.steps, "tokens": recipe.steps * recipe.tokens * processes}
    Card(mixture.method, mixture.form, recipe.limits, mixture.answer, recipe.model.places, about).save(out)
    (out / "README.md").write_text(
        card(recipe, model.num_parameters(), final, run / "log.jsonl", processes, 1 + len(earlier))
    )
    return out


def measuring(recipe: Recipe, tokenizer: Tokenizer, log: Path) -> Any:
    """The callback that writes loss and exact match to the log, a JSON object a line, and to the screen."""
    from transformers import TrainerCallback

    class Measuring(TrainerCallback):
        def __init__(self) -> None:
            self.columns: dict[str, list[dict[str, Any]]] | None = None
            self.start = time.monotonic()

        def write(self, **entry: Any) -> None:
            entry["seconds"] = round(time.monotonic() - self.start, 1)
            with log.open("a") as file:
                file.write(json.dumps(entry) + "\n")

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs and "loss" in logs and state.is_world_process_zero:
                self.write(step=state.global_step, loss=float(logs["loss"]))

        def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
            if recipe.exact and state.is_world_process_zero and state.global_step % recipe.exact_every == 0:
                if self.columns is None:
                    self.columns = columns(recipe, tokenizer)
                found = exact_match(model, self.columns)
                self.write(step=state.global_step, exact=found)
                print(
                    f"step {state.global_step}: exact match " + "  ".join(f"{k} {v:.1f}" for k, v in found.items()),
                    flush=True,
                )

    return Measuring()


def elapsed(entries: Iterable[dict[str, Any]]) -> float:
    """The seconds of a log whose clock began anew with each resumption.

    >>> elapsed([{"seconds": 5}, {"seconds": 9}, {"seconds": 2}])
    11.0
    """
    total = last = 0.0
    for entry in entries:
        if entry["seconds"] < last:
            total += last
        last = entry["seconds"]
    return total + last


def machine() -> str:
    """What trains: a GPU's name, or how many CPU cores."""
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else f"{os.cpu_count()} CPU cores"


def card(recipe: Recipe, parameters: int, final: dict[str, float], log: Path, processes: int, averaged: int) -> str:
    """The model card: what the checkpoint is, what it was trained on, what it cost, how it scores, what it can't do."""
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    curve = [(entry["step"], entry["exact"]) for entry in entries if "exact" in entry]
    loss = [entry["loss"] for entry in entries if "loss" in entry]
    limits = ", ".join(f"{n}D `{op}` {m}D" for op, n, m in recipe.limits)
    rows = "\n".join(f"| {name} | {value:.1f} |" for name, value in final.items())
    points = "\n".join(f"| {step} | " + " | ".join(f"{v:.1f}" for v in found.values()) + " |" for step, found in curve)
    head = (
        "| step | "
        + " | ".join(curve[0][1] if curve else [])
        + " |\n|---|"
        + "---|" * len(curve[0][1] if curve else [])
    )
    last = f"the mean of the last {averaged} saved" if averaged > 1 else "the last"
    mixed = f", mixed with {recipe.kept} of {' and '.join(recipe.start)}'s" if recipe.kept else ""
    mean = f"The weights are {last}{mixed}.\n" if averaged > 1 or mixed else ""
    return f"""---
license: apache-2.0
library_name: transformers
tags: [arithmetic, revorder]
---
# {recipe.name}

A plain `LlamaForCausalLM` of {parameters:,} parameters that writes exact arithmetic in the method `{recipe.data.method}`,
form `{recipe.data.form}`. Operands up to: {limits}. Prompt: `<bos>` and the question up to `=`.

## Training
Recipe `{recipe.name}`: {recipe.steps:,} steps of {recipe.tokens * processes:,} tokens, {recipe.steps * recipe.tokens * processes / 1e6:.0f}M in all, from at most {recipe.equations:,} synthetic
equations (seed {recipe.seed}); {elapsed(entries) / 60:.0f} minutes on {machine()}. Loss on the answer only, none on digits wrong at random;
Muon {recipe.muon_lr} for matrices and AdamW {recipe.lr} for the rest, half a cosine{"; short examples first" if recipe.short_first else ""}.
Final loss per answer token {loss[-1] if loss else float("nan"):.4f}. No problem of the test split or of BIG-bench with 3 digits or more was trained on.
{mean}
## Exact match, percent, on 1000 held-out problems a column
| column | right |
|---|---|
{rows}

## Along the way (200 problems a column)
{head}
{points}

## Limits
Beyond the operands above it was not trained, and is wrong; `revorder solve` hands such operands to Python's integers and
says so. It knows no text but equations.
"""
