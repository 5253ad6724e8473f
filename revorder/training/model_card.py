"""Write the model card of a checkpoint: its purpose, training, cost, scores and limits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from revorder.corpora.gsm8k import question_prompt
from revorder.methods import full_name
from revorder.model.checkpoint import CheckpointInfo
from revorder.provenance import hardware
from revorder.training.finetune_recipe import FINETUNES, FinetuneRecipe
from revorder.training.recipe import Recipe


def model_card(
    recipe: Recipe,
    given: str,
    steps: int | None,
    parameters: int,
    scores: dict[str, float],
    log: list[dict[str, Any]],
    processes: int,
    commits: str,
) -> str:
    """Return the README.md of a checkpoint.

    Args:
        recipe: The recipe of the run.
        given: The recipe's packaged name or file.
        steps: The steps asked for on the command line, if any.
        parameters: The number of the model's parameters.
        scores: Percent of exact matches on 1000 validation problems, by column.
        log: The entries of the run's log.
        processes: The number of processes.
        commits: The git commits that trained it.
    """
    mixture = recipe.data
    batches = recipe.batches_a_step(processes)
    alike = batches == recipe.batches  # then one process takes the same steps
    command = "revorder" if alike else f"torchrun --nproc-per-node {processes} -m revorder"
    command += f" train {given} --out {recipe.name}" + (f" --steps {steps}" if steps else "")
    operands = ", ".join(f"{n}D {op} {m}D" for op, n, m in recipe.max_digits)
    rows = "\n".join(f"| {column} | {percent:.1f} |" for column, percent in scores.items())
    losses = [entry["loss"] for entry in log if "loss" in entry]
    minutes = log[-1]["seconds"] / 60 if log else 0
    adamw = f"AdamW {recipe.lr:g}"
    rates = adamw if recipe.muon_lr is None else f"Muon {recipe.muon_lr:g} for matrices and {adamw} for the rest"
    trained = f"{recipe.steps:,} steps of {recipe.tokens * batches:,} tokens, {recipe.tokens_seen(processes):,} in all"
    return f"""---
license: apache-2.0
library_name: transformers
tags: [arithmetic, revorder]
---
# {recipe.name}

A plain `LlamaForCausalLM` of {parameters:,} parameters that does arithmetic step by step and writes out its work,
by the method `{full_name(mixture.method, mixture.form)}`, for operands of up to {operands}.

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = "."  # this folder
tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
question = tokenizer("12+35=", return_tensors="pt")
print(tokenizer.decode(model.generate(**question, max_new_tokens=64)[0], skip_special_tokens=True))
```

It prints the question and the work, where `r|74` is 47 reversed; `revorder solve` also judges every step.

## Made by

`{command}` at commit {commits}: {trained},
{minutes:.0f} minutes in {counted(processes)} on {hardware()},
seed {recipe.seed}. The equations are synthetic, drawn from the mixture's {mixture.size:,};
none of the validation or test split and none of BIG-bench's with 3 digits or more is among them.
Loss on the answer only. {rates}, falling to 0 over the last {recipe.schedule()[1]:,} steps.
Final loss per learned token {losses[-1] if losses else float("nan"):.5f}.

## Exact match, percent, on 1000 problems of the validation split a column

| column | correct |
|---|---|
{rows}

## Limits

It is not asked longer operands: `revorder solve` hands them to Python's integers and says so. It knows no text but
equations.
"""


def finetune_card(
    info: CheckpointInfo, recipe: FinetuneRecipe, size: int, log: list[dict[str, Any]], processes: int
) -> str:
    """Return the README.md of a fine-tuned model, from `size` examples per epoch and the run's log."""
    base, data, steps = info.extra["base"], info.extra["data"], info.extra["steps"]
    hub = "" if os.path.exists(base) else f"base_model: {base}\n"
    how = f"LoRA of rank {recipe.lora}, merged" if recipe.lora else "all weights"
    curve = [entry for entry in log if "loss" in entry]
    curve = [curve[round(i * (len(curve) - 1) / 9)] for i in range(10)] if len(curve) > 10 else curve
    rows = "\n".join(f"| {entry['step']:,} | {entry.get('tokens', 0):,} | {entry['loss']:.4f} |" for entry in curve)
    minutes = log[-1]["seconds"] / 60 if log else 0
    end = f", to 0 from step {recipe.finish[0]:,} on by `finish: {list(recipe.finish)}`" if recipe.finish else ""
    operands = ", ".join(f"{n}D {op} {m}D" for op, n, m in info.max_digits)
    asked = "12+35=" if operands else question_prompt("What is 12 plus 35?")
    knows = (
        f"It writes by the method `{full_name(info.method, info.form)}`, for operands of up to {operands}. "
        "`revorder solve --model` judges every step, and `revorder eval` scores it."
        if operands
        else "It answers word problems."
    )
    return f"""---
library_name: transformers
{hub}tags: [arithmetic, revorder]
---
# {Path(base).name} on {", ".join(data)}

`{base}`, fine-tuned; `r|74`, if it writes that, is 47 reversed. {knows}

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = "."  # this folder
tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
question = tokenizer({asked!r}, return_tensors="pt")
print(tokenizer.decode(model.generate(**question, max_new_tokens=64, do_sample=False)[0], skip_special_tokens=True))
```

## Made by

`{finetune_command(info, recipe)}` at commit {info.extra["commit"]}, {how}:
{steps:,} steps of {recipe.batch} examples of {size:,}, learning rate
{" then ".join(f"{rate:g}" for rate in recipe.lr)} ({recipe.schedule}, warmup {recipe.warmup:g}){end},
seed {recipe.seed}, {minutes:.0f} minutes in {counted(processes)} on {hardware()}.
Loss on the answer only, and on no quotient digit that is wrong at random.

| step | tokens | loss |
|---|---|---|
{rows}

## Limits

Beyond what it was trained on it may be wrong. The terms of `{base}` hold for it too.
"""


def finetune_command(info: CheckpointInfo, recipe: FinetuneRecipe) -> str:
    """Return the command that makes a fine-tuned model, with options where it differs from its recipe."""
    about = info.extra
    words = ["revorder finetune", about["base"], *about["data"], "--out DIR"]
    named = FinetuneRecipe()
    if recipe.name != named.name:
        words.append(f"--recipe {recipe.name}")
        if (FINETUNES / f"{recipe.name}.yaml").exists():
            named = FinetuneRecipe.read(recipe.name)
    if "method" in about:
        words.append(f"--method {about['method']}")
    if "mix" in about:
        words.append(f"--mix {about['mix']} --share {about['share']:g}")
    words.append(f"--steps {about.get('planned', about['steps'])}")
    for key in ("batch", "lora", "seed"):
        if (value := getattr(recipe, key)) != getattr(named, key):
            words.append(f"--{key} {value}")
    if recipe.lr != named.lr and len(recipe.lr) == 1:
        words.append(f"--lr {recipe.lr[0]:g}")
    return " ".join(words)


def counted(processes: int) -> str:
    """Return the number of processes in words.

    >>> counted(1), counted(2)
    ('1 process', '2 processes')
    """
    return f"{processes} process" + "es" * (processes > 1)
