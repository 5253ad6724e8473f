"""Exact match by column: how many held-out problems a model would answer, measured during a training and at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from revorder.mixtures.mixture import Mixture
from revorder.mixtures.rollbacks import plan_rollbacks
from revorder.mixtures.sampling import held_out, sampler
from revorder.mixtures.targets import IGNORED, Pair, as_pair
from revorder.training.batches import Encoded, pad
from revorder.training.recipe import Lengths
from revorder.training.runs import Log

VALIDATION_SEED = 1
Columns = Mapping[str, list[dict[str, Any]]]  # the batches of each column


def encode_columns(
    mixture: Mixture, columns: Lengths, n: int, encode: Callable[[Pair], Encoded], padding: int, at_once: int
) -> Columns:
    """Return `n` validation problems of each column as the mixture writes them, encoded, in batches of `at_once`."""
    found = {}
    for op, a, b in columns:
        rows = []
        for problem in held_out(op, a, b, n, VALIDATION_SEED, split="validation"):
            plan = plan_rollbacks(mixture, problem.a, problem.b) if op == "/" else {}
            rows.append(encode(as_pair(sampler(mixture).written(0, problem, plan), True)))
        found[f"{a}D{op}{b}D"] = [pad(rows[i : i + at_once], padding) for i in range(0, len(rows), at_once)]
    return found


def exact_match(model: Any, columns: Columns) -> dict[str, float]:
    """Return the percentage of each column's problems that greedy decoding would answer exactly."""
    model.eval()
    percent = {}
    with torch.no_grad():
        for name, batches in columns.items():
            good = count = 0
            for batch in batches:
                labels = batch["labels"][:, 1:].to(model.device)
                logits = model.forward(batch["input_ids"].to(model.device)).logits[:, :-1]  # not compiled
                hit = (logits.argmax(-1) == labels) | (labels == IGNORED)
                good += int(hit.all(1).sum())
                count += len(labels)
            percent[name] = 100 * good / count
    model.train()
    return percent


class Measure(Log):
    """Also measures exact match every `every` steps, and at the last one `at_the_end`, logs it and prints it.

    `encoded` returns the columns; it is called once, when they are first needed.
    """

    def __init__(
        self, log: Path, resumed: str | None, every: int, encoded: Callable[[], Columns], at_the_end: bool = False
    ) -> None:
        super().__init__(log, resumed)
        self.every, self.encoded, self.at_the_end = every, encoded, at_the_end
        self.columns: Columns | None = None

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        due = state.global_step % self.every == 0 or (self.at_the_end and state.global_step == state.max_steps)
        if not due or not state.is_world_process_zero:
            return
        if self.columns is None:
            self.columns = self.encoded()
        if self.columns:
            found = exact_match(getattr(model, "module", model), self.columns)
            self.write(step=state.global_step, exact=found)
            shown = "  ".join(f"{column} {percent:.1f}" for column, percent in found.items())
            print(f"step {state.global_step}: exact match {shown}", flush=True)
