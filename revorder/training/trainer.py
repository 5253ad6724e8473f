"""Training with transformers' Trainer: interrupted, resumed and extended at will."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments, get_cosine_schedule_with_warmup

from revorder.data.rollbacks import plan_rollbacks
from revorder.data.sampling import held_out, sampler
from revorder.errors import ProblemError
from revorder.files import make_folder, write_whole
from revorder.model.checkpoint import CheckpointInfo
from revorder.model.llama import create_model, export
from revorder.model.tokenizer import Tokenizer
from revorder.training.batches import Batches, encode_example, pad
from revorder.training.model_card import model_card
from revorder.training.optimizer import MuonAndAdamW
from revorder.training.recipe import Recipe
from revorder.training.targets import IGNORED

COMPILE_FROM = 1000  # steps: compiling takes a minute or two, and makes each step about 1.4 times as fast
VALIDATION_SEED = 1


def train(source: str | Path | Mapping[str, Any], out: str | Path, steps: int | None = None) -> Path | None:
    """Train a recipe, as Recipe.read takes it, into the checkpoint folder `out`; `steps`: as many instead of the recipe's.

    The run is kept in `out`/run. Called again it goes on from there, also to more steps than before. On SIGINT and
    SIGTERM it saves and returns None. With torchrun each process calls it. Raises ProblemError for a recipe that can't
    be read, and where the folder holds a run of another recipe.
    """
    recipe = Recipe.read(source)
    if steps is not None:
        recipe = recipe.model_copy(update={"steps": steps})
    out, run = Path(out), Path(out) / "run"
    resumed = claim(run, recipe)
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    tokenizer = Tokenizer(recipe.model.places)
    model = create_model(recipe.model, recipe.seed)
    if recipe.steps >= COMPILE_FROM and shutil.which("c++"):
        model.compile(dynamic=True)
    optimizer = MuonAndAdamW(model, recipe.muon_lr, recipe.lr)
    warmup = min(recipe.warmup, recipe.steps // 10)
    interruption = SaveOnSignal()
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=str(run),
            max_steps=recipe.steps,
            per_device_train_batch_size=1,  # an item of the dataset is a batch
            train_sampling_strategy="sequential",
            use_cpu=not torch.cuda.is_available(),
            bf16=has_bf16(),
            max_grad_norm=1.0,
            logging_steps=max(1, min(100, recipe.steps // 10)),
            save_steps=recipe.save_every,
            save_total_limit=1,
            seed=recipe.seed,
            report_to=[],
            disable_tqdm=False,
            remove_unused_columns=False,
            ddp_find_unused_parameters=False,
        ),
        train_dataset=Batches(recipe, tokenizer, processes),
        data_collator=first_item,
        compute_loss_func=mean_loss,
        optimizers=(optimizer, get_cosine_schedule_with_warmup(optimizer, warmup, recipe.steps)),
        callbacks=[Measure(recipe, tokenizer, run / "log.jsonl", resumed), interruption],
    )
    with interruption:
        trainer.train(resume_from_checkpoint=resumed)
    if interruption.signal is not None:
        return None
    if trainer.is_world_process_zero():
        scores = exact_match(model, encode_columns(recipe, tokenizer, 1000))
        export(model, out, recipe.model.places)
        tokens = recipe.steps * recipe.tokens * processes
        about = {"recipe": recipe.name, "steps": recipe.steps, "tokens": tokens}
        mixture = recipe.data
        CheckpointInfo(
            mixture.method, mixture.form, recipe.max_digits, mixture.answer, recipe.model.places, about
        ).save(out)
        card = model_card(recipe, model.num_parameters(), scores, read_log(run / "log.jsonl"), processes)
        write_whole(out / "README.md", card)
    return out


def claim(run: Path, recipe: Recipe) -> str | None:
    """Make the run's folder and stamp it with the recipe; returns the saved state to go on from, if there is any.

    Raises ProblemError where the folder holds a run of another recipe, or of more steps than are asked for.
    """
    stamp = run / "recipe.json"
    wanted = recipe.model_dump(mode="json")
    if stamp.exists():
        try:
            found = json.loads(stamp.read_text())
            different = sorted(key for key in wanted if key != "steps" and found[key] != wanted[key])
        except (ValueError, KeyError, TypeError):
            raise ProblemError(f"folder {str(run)!r}: its recipe.json can't be read; accepted: a new folder") from None
        if different:
            raise ProblemError(
                f"folder {str(run)!r} holds a run with another {', '.join(different)}; accepted: a new folder"
            )
    make_folder(run)
    saved = last_saved(run)
    if (done := saved_step(saved)) > recipe.steps:
        raise ProblemError(f"folder {str(run)!r}: its run is at step {done}; accepted: as many steps or more")
    write_whole(stamp, json.dumps(wanted, indent=2) + "\n")  # each process does; none may read half of it
    return saved


def last_saved(run: Path) -> str | None:
    """The last whole saved state of a run; Trainer writes its trainer_state.json last."""
    whole = []
    for state in run.glob("checkpoint-*/trainer_state.json"):
        with suppress(ValueError):
            json.loads(state.read_text())
            whole.append(str(state.parent))
    return max(whole, key=saved_step, default=None)


def saved_step(saved: str | None) -> int:
    """The step of a saved state, from its folder's name; 0 for none.

    >>> saved_step("run/checkpoint-500")
    500
    """
    return int(saved.rpartition("-")[2]) if saved else 0


def first_item(items: list[Any]) -> Any:
    """Trainer's collator: an item of the dataset is a whole batch."""
    return items[0]


def mean_loss(outputs: Any, labels: Any, num_items_in_batch: Any) -> Any:
    """The mean loss of a batch's learned tokens (-log of the right one's probability), as Trainer asks for it."""
    logits, targets = outputs.logits[:, :-1].float(), labels[:, 1:]
    total = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    return total / num_items_in_batch


def has_bf16() -> bool:
    """Whether this machine multiplies bfloat16 matrices in hardware."""
    if torch.cuda.is_available():
        return torch.cuda.is_bf16_supported()
    capabilities = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))


def encode_columns(recipe: Recipe, tokenizer: Tokenizer, n: int = 200) -> dict[str, list[dict[str, Any]]]:
    """`n` problems of the validation split for each of the recipe's `eval_columns`, encoded, in batches of 100."""
    mixture, columns = recipe.data, {}
    for op, a, b in recipe.eval_columns:
        rows = []
        for problem in held_out(op, a, b, n, VALIDATION_SEED, split="validation"):
            plan = plan_rollbacks(mixture, problem.a, problem.b) if op == "/" else {}
            rows.append(encode_example(tokenizer, sampler(mixture).written(0, problem, plan), True))
        columns[f"{a}D{op}{b}D"] = [pad(rows[i : i + 100], tokenizer) for i in range(0, len(rows), 100)]
    return columns


def exact_match(model: Any, columns: dict[str, list[dict[str, Any]]]) -> dict[str, float]:
    """The percentage of each column's problems whose every answer token is the likeliest: greedy decoding writes it."""
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


class Measure(TrainerCallback):
    """Writes loss and exact match to the log, a JSON object a line, and to the screen.

    A log's lines beyond the step that a run goes on from are dropped, so that no step stands in it twice.
    """

    def __init__(self, recipe: Recipe, tokenizer: Tokenizer, log: Path, resumed: str | None) -> None:
        self.recipe, self.tokenizer, self.log = recipe, tokenizer, log
        self.columns: dict[str, list[dict[str, Any]]] | None = None
        entries = [entry for entry in read_log(log) if entry["step"] <= saved_step(resumed)]
        self.start = time.monotonic() - (entries[-1]["seconds"] if entries else 0)
        if os.environ.get("RANK", "0") == "0":
            write_whole(log, "".join(json.dumps(entry) + "\n" for entry in entries))

    def write(self, **entry: Any) -> None:
        entry["seconds"] = round(time.monotonic() - self.start, 1)
        with self.log.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if logs and "loss" in logs and state.is_world_process_zero:
            self.write(step=state.global_step, loss=float(logs["loss"]))

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        if self.recipe.eval_columns and state.is_world_process_zero and state.global_step % self.recipe.eval_every == 0:
            self.columns = self.columns or encode_columns(self.recipe, self.tokenizer)
            found = exact_match(model, self.columns)
            self.write(step=state.global_step, exact=found)
            shown = "  ".join(f"{column} {percent:.1f}" for column, percent in found.items())
            print(f"step {state.global_step}: exact match {shown}", flush=True)


class SaveOnSignal(TrainerCallback):
    """Within `with`, the first SIGINT or SIGTERM has the run saved and stopped at the end of its step."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.signal: int | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> None:
        for number in self.SIGNALS:
            self._handlers[number] = signal.signal(number, self._note)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: object) -> None:
        self.signal = number
        signal.signal(number, self._handlers[number])  # a second one stops at once

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        if self.signal is not None:
            print(f"saving step {state.global_step}; run again to go on", flush=True)
            control.should_save = control.should_training_stop = True
        return control


def read_log(log: Path) -> list[dict[str, Any]]:
    """The entries of a run's log, none where there is no log; a line that was cut off is left out."""
    entries = []
    for line in log.read_text().splitlines() if log.exists() else []:
        try:
            entries.append(json.loads(line))
        except ValueError:
            break
    return entries
