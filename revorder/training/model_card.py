"""The model card: what a checkpoint is, how it was made, what it cost, how it scores, and what it can't do."""

from __future__ import annotations

import os
from typing import Any

import torch

from revorder.training.recipe import Recipe


def model_card(
    recipe: Recipe, parameters: int, scores: dict[str, float], log: list[dict[str, Any]], processes: int
) -> str:
    """The README.md of a checkpoint; `scores`: percent exact on 1000 validation problems a column, `log`: the run's."""
    mixture = recipe.data
    tokens = recipe.steps * recipe.tokens * processes
    command = "revorder" if processes == 1 else f"torchrun --nproc-per-node {processes} -m revorder"
    operands = ", ".join(f"{n}D {op} {m}D" for op, n, m in recipe.max_digits)
    rows = "\n".join(f"| {column} | {percent:.1f} |" for column, percent in scores.items())
    losses = [entry["loss"] for entry in log if "loss" in entry]
    minutes = log[-1]["seconds"] / 60 if log else 0
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"{os.cpu_count()} CPU cores"
    return f"""---
license: apache-2.0
library_name: transformers
tags: [arithmetic, revorder]
---
# {recipe.name}

A plain `LlamaForCausalLM` of {parameters:,} parameters that computes exactly and shows its work. It writes the method
`{mixture.method}`, form `{mixture.form}`, for operands up to: {operands}.

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = "."  # this folder
tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
question = tokenizer("12+35=", return_tensors="pt")
print(tokenizer.decode(model.generate(**question, max_new_tokens=64)[0], skip_special_tokens=True))
```

It prints the question and the work, `r|74` being 47 reversed; `revorder solve` also judges every step.

## Made by

`{command} train {recipe.name} --out {recipe.name}`: {recipe.steps:,} steps of {recipe.tokens * processes:,} tokens, {tokens / 1e6:.0f}M in all,
{minutes:.0f} minutes on {device}, seed {recipe.seed}. The equations are synthetic, drawn anew all the time (of {mixture.size:,});
none of the validation or test split and none of BIG-bench's with 3 digits or more is among them.
Loss on the answer only; Muon {recipe.muon_lr} for matrices and AdamW {recipe.lr} for the rest, half a cosine.
Final loss per learned token {losses[-1] if losses else float("nan"):.5f}.

## Exact match, percent, on 1000 problems of the validation split a column

| column | correct |
|---|---|
{rows}

## Limits

Beyond the operands above it was not trained, and is wrong; `revorder solve` hands such operands to Python's integers
and says so. It knows no text but equations.
"""
