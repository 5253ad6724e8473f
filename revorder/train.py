"""Training with transformers' Trainer: a recipe in, a checkpoint folder out, interrupted and resumed at will.

Every batch is a pure function of (seed, step). The loss is on the answer only, and not on a rejected step that is
drawn at random: the model learns to take such a quotient digit back, not to write it. Short examples come first.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .cost import characters
from .data import example, falls_short, held_out, rollback_of
from .methods import METHODS, scripted
from .mixture import RECIPES, Mixture, checked
from .model import Shape, create, export, restart
from .problem import Problem, ProblemError, quote
from .runtime import Card
from .tokenizer import Tokenizer
from .trace import GUESS, Part, right

IGNORED = -100  # the label of a token that is not learned
GROUP = 32  # batches that are cut from one pool of examples
WORTH_COMPILING = 1000  # steps: compiling takes a minute or two, and makes each step about 1.4 times as fast


@dataclass(frozen=True, slots=True)
class Recipe:
    """A training run: what is learned from, by what, for how long.

    `tokens`: of a batch, padding not counted; a step takes one batch in each process (torchrun's WORLD_SIZE).
    `short_first`: the share of the steps over which the longest example grows from `shortest` to `longest` tokens.
    `muon_lr` and `lr`: of the matrices (Muon) and of all else (AdamW), both falling to 0 along half a cosine.
    `focus`: [op, digits, share] rows: of the examples whose shorter operand has at least so many digits, this share is
    kept; the last row that fits an example counts, and without one it is kept.
    `start`: a checkpoint folder whose weights the run begins with, such as that of another recipe.
    `limits`: [op, digits of the longer operand, of the shorter] of what the checkpoint may be asked for.
    `exact`: columns [op, digits, digits] on which exact match is measured every `exact_every` steps.
    """

    name: str
    data: Mixture
    model: Shape
    limits: tuple[tuple[str, int, int], ...]
    steps: int = 10_000
    tokens: int = 4096
    short_first: float = 0.5
    shortest: int = 24
    longest: int = 320
    lr: float = 3e-3
    muon_lr: float = 0.02
    warmup: int = 100
    seed: int = 0
    start: str = ""
    focus: tuple[tuple[str, int, float], ...] = ()
    exact: list[tuple[str, int, int]] = field(default_factory=list)
    exact_every: int = 1000
    save_every: int = 1000

    @classmethod
    def read(cls, path: str | Path) -> Recipe:
        """Read a YAML file, or a packaged recipe by its name; raises ProblemError naming the key that is wrong."""
        import yaml

        file = Path(path)
        if not file.suffix:
            file = RECIPES / f"train-{path}.yaml"
        try:
            settings = yaml.safe_load(file.read_text())
        except (OSError, yaml.YAMLError) as error:
            raise ProblemError(f"recipe {str(path)!r} can't be read: {str(error).splitlines()[0]}") from None
        settings = checked(settings, cls, f"recipe {str(path)!r}")
        try:
            settings["data"] = Mixture.read(settings["data"])
            settings["model"] = Shape.read(settings.get("model", {}))
            settings["limits"] = tuple((str(op), int(n), int(m)) for op, n, m in settings["limits"])
            settings["exact"] = [(str(op), int(n), int(m)) for op, n, m in settings.get("exact", [])]
            settings["focus"] = tuple((str(op), int(n), float(share)) for op, n, share in settings.get("focus", []))
            for key in ("steps", "tokens", "shortest", "longest", "warmup", "seed", "exact_every", "save_every"):
                settings[key] = int(settings.get(key, cls.__dataclass_fields__[key].default))
            for key in ("lr", "muon_lr", "short_first"):
                settings[key] = float(settings.get(key, cls.__dataclass_fields__[key].default))
            return cls(**settings)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, ProblemError):
                raise
            known = ", ".join(item.name for item in fields(cls))
            raise ProblemError(f"recipe {str(path)!r}: {error!r}; accepted: {known}") from None


def learned(parts: Iterable[Part], margin: float = 0) -> Iterator[tuple[str, bool]]:
    """Pieces of a trace's answer and whether they are learned; a rejected step is not, but its W is.

    A quotient digit that `margin` rounds up is learned, with its step: there the method wants it.

    >>> from revorder import trace
    >>> steps = trace("94/12", "lean", rollback={0: 8}).steps
    >>> [text for text, yes in learned(part for step in steps for part in step.parts) if not yes]
    ['8', 'r|69', 'r|0', '89']
    """
    rejected = False
    for text, kind, a, b in parts:
        if kind == GUESS and int(text) != a // b:
            rejected = int(text) != a // b + 1 or not falls_short(a, b, margin)
        if rejected and text.endswith("W"):
            rejected = False
            if text != "W":
                yield text[:-1], False
            yield "W", True
        else:
            yield text, not rejected


def encode(tokenizer: Tokenizer, question: str, pieces: Iterable[tuple[str, bool]]) -> tuple[list[int], list[int]]:
    """Token ids and labels of an example, <bos> and <eos> included.

    >>> encode(Tokenizer(), "1+1=", [("r|2", True)])[1][:5]
    [-100, -100, -100, -100, -100]
    """
    text = "".join([piece for piece, _ in pieces])
    ids = [tokenizer.bos, *tokenizer.encode(question + text), tokenizer.eos]
    labels = [IGNORED] * (len(tokenizer.encode(question)) + 1)
    for piece, yes in pieces:
        size = characters(piece)
        labels += ids[len(labels) : len(labels) + size] if yes else [IGNORED] * size
    labels.append(tokenizer.eos)
    return ids, labels


def encode_problem(
    tokenizer: Tokenizer, mixture: Mixture, problem: Problem, rollback: dict[int, int] | None = None
) -> tuple[list[int], list[int]]:
    """Token ids and labels of a problem's trace as the mixture writes it."""
    module = METHODS[mixture.method]
    guess = scripted(rollback) if rollback else right
    parts = list(module.write(problem, mixture.form, guess, mixture.answer))
    question = parts[0][0]
    return encode(tokenizer, question, list(learned(parts[1:], mixture.margin)))


def pad(rows: list[tuple[list[int], list[int]]], tokenizer: Tokenizer) -> dict[str, Any]:
    """Rows of ids and labels as tensors of shape (rows, longest row, rounded up to 8)."""
    import torch

    width = -(-max(len(ids) for ids, _ in rows) // 8) * 8
    ids = torch.tensor([row + [tokenizer.pad] * (width - len(row)) for row, _ in rows])
    labels = torch.tensor([row + [IGNORED] * (width - len(row)) for _, row in rows])
    return {"input_ids": ids, "labels": labels}  # pads come last: causal attention never sees them


class Batches:
    """A dataset whose item `i` is a whole batch, of step i // processes: a pure function of (recipe, i)."""

    def __init__(self, recipe: Recipe, tokenizer: Tokenizer, processes: int = 1) -> None:
        self.recipe, self.tokenizer, self.processes = recipe, tokenizer, processes
        self._pool: tuple[int, list[dict[str, Any]]] = (-1, [])

    def __len__(self) -> int:
        return self.recipe.steps * self.processes

    def __getitem__(self, item: int) -> dict[str, Any]:
        if item >= len(self):
            raise IndexError(item)
        # process p takes items p, p + processes, ...: each makes the pools of its own items only
        step, process = divmod(item, self.processes)
        turn, at = divmod(step, GROUP)
        number = turn * self.processes + process
        if self._pool[0] != number:
            self._pool = (number, self.pool(number, self.cap(turn * GROUP / self.recipe.steps)))
        return self._pool[1][at]

    def cap(self, progress: float) -> int:
        """The tokens of the longest example at `progress`, the share of the steps that are done."""
        recipe = self.recipe
        grown = 1.0 if progress >= recipe.short_first else (progress / recipe.short_first) ** 1.5
        return round(recipe.shortest + (recipe.longest - recipe.shortest) * grown)

    def kept(self, problem: Problem, index: int) -> bool:
        """Whether the recipe's focus keeps the example at `index`."""
        digits = min(len(str(problem.a)), len(str(problem.b)))
        shares = [share for op, n, share in self.recipe.focus if op == problem.op and digits >= n]
        return not shares or index * 0x9E3779B1 % 2**32 < shares[-1] * 2**32

    def pool(self, number: int, cap: int) -> list[dict[str, Any]]:
        """GROUP batches of like lengths and about equal numbers of tokens, no example above `cap`; in an order of their own."""
        recipe, tokenizer = self.recipe, self.tokenizer
        key = hashlib.blake2b(f"{recipe.seed}:{number}".encode(), digest_size=8).digest()
        size = recipe.data.size
        start = int.from_bytes(key, "little") % size
        rows: list[tuple[list[int], list[int]]] = []
        total = 0
        for index in range(start, start + size):
            drawn = example(recipe.seed, index % size, recipe.data)
            if characters(drawn.text) + 2 <= cap and self.kept(drawn.problem, index % size):
                rows.append(encode_problem(tokenizer, recipe.data, drawn.problem, drawn.rollback))
                total += len(rows[-1][0])
                if total >= recipe.tokens * GROUP:
                    break
        rows.sort(key=lambda row: len(row[0]))
        batches: list[list[tuple[list[int], list[int]]]] = [[] for _ in range(GROUP)]
        seen = 0
        for row in rows:
            batches[min(GROUP - 1, seen * GROUP // total)].append(row)
            seen += len(row[0])
        random.Random(key).shuffle(batches)
        return [pad(batch, tokenizer) for batch in batches]


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
                hit = (logits.argmax(-1) == labels) | (labels == IGNORED)
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
    run.mkdir(parents=True, exist_ok=True)
    stamp = run / "recipe.txt"
    if stamp.exists() and stamp.read_text() != repr(recipe):
        raise ProblemError(f"folder {quote(str(out))} holds another recipe's run; accepted: a new folder")
    stamp.write_text(repr(recipe))

    tokenizer = Tokenizer(recipe.model.places)
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    model = restart(recipe.start, recipe.model) if recipe.start else create(recipe.model, recipe.seed)
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
        save_total_limit=1,
        seed=recipe.seed,
        report_to=[],
        disable_tqdm=False,
        remove_unused_columns=False,
    )
    trainer = Trainer(
        model=model,
        args=arguments,
        train_dataset=Batches(recipe, tokenizer, processes),
        data_collator=lambda items: items[0],
        optimizers=(both, get_cosine_schedule_with_warmup(both, recipe.warmup, recipe.steps)),
        callbacks=[measuring(recipe, tokenizer, run / "log.jsonl")],
    )
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(run)))
    if not trainer.is_world_process_zero():
        return out
    final = exact_match(model, columns(recipe, tokenizer, 1000))
    export(model, out, recipe.model.places)
    mixture = recipe.data
    about = {"recipe": recipe.name, "steps": recipe.steps, "tokens": recipe.steps * recipe.tokens * processes}
    Card(mixture.method, mixture.form, recipe.limits, mixture.answer, recipe.model.places, about).save(out)
    (out / "README.md").write_text(card(recipe, model.num_parameters(), final, run / "log.jsonl", processes))
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


def card(recipe: Recipe, parameters: int, final: dict[str, float], log: Path, processes: int) -> str:
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
    return f"""---
license: apache-2.0
library_name: transformers
tags: [arithmetic, revorder]
---
# {recipe.name}

A plain `LlamaForCausalLM` of {parameters:,} parameters that writes exact arithmetic in the method `{recipe.data.method}`,
form `{recipe.data.form}`. Operands up to: {limits}. Prompt: `<bos>` and the question up to `=`.

## Training
Recipe `{recipe.name}`: {recipe.steps:,} steps of {recipe.tokens * processes:,} tokens, {recipe.steps * recipe.tokens * processes / 1e6:.0f}M in all, from at most {recipe.data.size:,} synthetic
equations (seed {recipe.seed}); {elapsed(entries) / 60:.0f} minutes on {machine()}. Loss on the answer only, none on steps rejected at random;
Muon {recipe.muon_lr} for matrices and AdamW {recipe.lr} for the rest, half a cosine; short examples first.
Final loss per answer token {loss[-1] if loss else float("nan"):.4f}. No problem of the test split or of BIG-bench with 3 digits or more was trained on.

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
