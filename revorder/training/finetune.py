"""Fine-tune a pretrained language model with TRL's SFTTrainer, fully or with LoRA; runs can be resumed and extended."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer
from trl import SFTConfig, SFTTrainer

from revorder.arithmetic.reversed_numbers import MARK
from revorder.errors import ProblemError, needs
from revorder.files import weights_digest, write_whole
from revorder.mixtures.mixture import Mixture
from revorder.model.checkpoint import INFO_FILE, CheckpointInfo
from revorder.model.pretrained import load_model, load_tokenizer, prepare, save_tokenizer
from revorder.processes import process_count
from revorder.training.exact_match import Columns, Measure, encode_columns
from revorder.training.finetune_batches import (
    FinetuneBatches,
    can_pack,
    cut_off,
    encode_pair,
    examples_at_once,
    first_rows,
    learned_only,
    mean_tokens,
    steps_for,
)
from revorder.training.finetune_data import (
    Corpus,
    Equations,
    InTurn,
    Mixed,
    join_mixtures,
    read_source,
    refuse_wrong,
    trained_digits,
)
from revorder.training.finetune_recipe import FinetuneRecipe
from revorder.training.model_card import finetune_card
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

# keys of a recipe that may change during a run
NOT_LEARNED = ("device_batch", "checkpointing", "save_every", "eval_columns", "eval_every")
COMPILE_FROM = 100_000  # tokens


class _Trainer(SFTTrainer):
    """SFTTrainer with the recipe's learning rates, which no schedule of transformers provides."""

    recipe: FinetuneRecipe
    planned: int  # the steps of the run without `finish`

    def _send_telemetry(self) -> None:
        """Send nothing."""

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """Return the schedule, created at the first call."""
        if self.lr_scheduler is None:
            factor = partial(_factor, self.recipe, self.planned)
            self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer or self.optimizer, factor)
            self._created_lr_scheduler = True
        return self.lr_scheduler

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Return the mean loss of the learned tokens.

        transformers computes it: TRL's kernel is slow on a CPU.
        """
        return Trainer.compute_loss(self, model, learned_only(inputs), return_outputs, num_items_in_batch)


def _factor(recipe: FinetuneRecipe, steps: int, step: int) -> float:
    return recipe.rate(step, steps) / recipe.lr[0]


@keeping_freed_memory()
def finetune(
    model: str | Path,
    data: str | Sequence[str],
    out: str | Path,
    recipe: str | Path | Mapping[str, Any] | FinetuneRecipe | None = None,
    method: str | None = None,
    tokens: int = 0,
    check: bool = False,
    mix: str = "",
    share: float = 0.2,
) -> Path | None:
    """Fine-tune a causal language model, write it to `out`, and return `out`.

    The run is kept in `out`/run. The same call resumes it, also with more steps. On SIGINT and SIGTERM the run is saved
    and None is returned. With torchrun or accelerate each process makes the call.

    Args:
        model: A folder or a Hub name.
        data: A source that `read_source` takes, or several sources to learn in turn.
        out: The folder to write, which transformers loads as any other model.
        recipe: A recipe, or any source of FinetuneRecipe.read.
        method: The method that writes a mixture's traces, instead of the mixture's own.
        tokens: Train for about this many tokens; 0 for the recipe's length.
        check: Whether to refuse a corpus that states wrong equations.
        mix: A JSONL file of other text, which keeps the model's language.
        share: The share of examples from `mix`.

    Raises:
        ProblemError: An input can't be read, or the folder has a run with other settings.
    """
    out, run = Path(out), Path(out) / "run"
    names = [data] if isinstance(data, str) else list(data)
    if not isinstance(recipe, FinetuneRecipe):
        recipe = FinetuneRecipe.read(recipe or {})
    sources = [read_source(name, recipe.seed, method) for name in names]
    for name, one in zip(names, sources, strict=True) if check else ():
        refuse_wrong(name, one)
    mixture = join_mixtures([one.mixture for one in sources if isinstance(one, Equations)])
    if (Path(model) / INFO_FILE).exists() and CheckpointInfo.load(Path(model)).places:
        raise ProblemError(f"model {str(model)!r} knows no text but equations; give a language model")
    tokenizer, pretrained = load_tokenizer(model), load_model(model)
    kept = pretrained.dtype  # the dtype to write; training in it instead of float32 would lose small steps
    pretrained.float()
    if recipe.undo:
        move_back(pretrained, Path(model), recipe.undo)
    if not torch.cuda.is_available():
        pretrained.set_attn_implementation("eager")  # the fused kernel's backward pass is slow on a CPU
    tokenizer = prepare(pretrained, tokenizer, model)
    source: InTurn | Mixed = InTurn(sources)
    if mix:
        other = read_source(mix, recipe.seed)
        if not isinstance(other, Corpus) or not 0 < share < 1:
            raise ProblemError(f"mix {mix!r}, share {share:g}: give a JSONL file of texts, and a share between 0 and 1")
        source = Mixed(source, other, share)
    if positions := getattr(pretrained.config, "max_position_embeddings", None):
        recipe = recipe.model_copy(update={"max_tokens": min(recipe.max_tokens, positions)})
    sample = first_rows(source, tokenizer)
    if cut := cut_off(recipe, sample):
        print(
            f"max_tokens {recipe.max_tokens} cuts off {cut:.0%} of the examples, whose ends are not learned", flush=True
        )
    mean = mean_tokens(recipe, sample)
    at_once = examples_at_once(recipe, mean, not torch.cuda.is_available())
    recipe = recipe.model_copy(update={"device_batch": at_once})
    planned = steps_for(recipe, len(source), mean, tokens)
    steps = recipe.finish[1] if recipe.finish else planned
    if steps > planned:
        raise ProblemError(f"finish {recipe.finish[0]} to {steps}: the run has {planned} steps; end it before")
    if unseen := source.unseen(steps * recipe.batch):
        print(f"{steps} steps of {recipe.batch} end before {', '.join(names[-unseen:])}", flush=True)
    settings = recipe.model_dump(mode="json", exclude={"epochs", *NOT_LEARNED}, exclude_none=True) | {"steps": planned}
    settings |= {"model": str(model), "weights": weights_digest(Path(model)), "method": method}
    settings |= {"contents": [one.digest for one in sources]}
    settings |= {"mix": [source.other.digest, share]} if isinstance(source, Mixed) else {}
    resumed, commits = claim(run, settings, steps)
    processes, packed = process_count(), can_pack(pretrained)
    if steps * recipe.batch * mean >= COMPILE_FROM and can_compile() and not torch.cuda.is_available():
        compile_parts(pretrained)
    batches = FinetuneBatches(recipe, source, tokenizer, steps, processes, packed)
    measured, interruption = partial(held_out_columns, recipe, mixture, tokenizer), SaveOnSignal()
    trainer = _Trainer(
        model=pretrained,
        args=trainer_settings(
            SFTConfig,
            run,
            steps,
            batches.pieces // processes,
            recipe.save_every,
            recipe.seed,
            learning_rate=recipe.lr[0],
            dataset_kwargs={"skip_prepare_dataset": True},
            include_num_input_tokens_seen="non_padding",
            **checkpointing(recipe),
        ),
        train_dataset=batches.dataset(),
        data_collator=first_item,
        processing_class=tokenizer,
        peft_config=adapters(recipe.lora, pretrained, tokenizer) if recipe.lora else None,
        callbacks=[Progress(run / "log.jsonl", resumed, recipe.eval_every, measured, at_the_end=True), interruption],
    )
    trainer.recipe, trainer.planned = recipe, planned
    with alone_in(run), interruption:
        trainer.train(resume_from_checkpoint=resumed)
    if interruption.stopped:
        return None
    save(trainer, tokenizer, out, kept)
    if trainer.is_world_process_zero():
        seen = int(trainer.state.num_input_tokens_seen)
        about = {"base": str(model), "data": names, "recipe": recipe.name, "steps": steps, "tokens": seen}
        log = read_log(run / "log.jsonl")
        about |= {"planned": planned} if recipe.finish else {}
        about |= {"seconds": round(log[-1]["seconds"]) if log else 0, "commit": commits}
        about |= {"method": method} if method else {}
        about |= {"mix": mix, "share": share} if mix else {}
        info = CheckpointInfo("plain", "plain", (), True, 0, about)
        if mixture:
            info = CheckpointInfo(mixture.method, mixture.form, trained_digits(mixture), mixture.answer, 0, about)
        info.save(out)
        card = finetune_card(info, recipe, len(source), log, processes)
        write_whole(out / "README.md", card)
    return out


def move_back(model: Any, folder: Path, share: float) -> None:
    """Move a model's weights a `share` of the way back to the model that `folder` was fine-tuned from."""
    base = CheckpointInfo.load(folder).extra.get("base") if (folder / INFO_FILE).exists() else None
    if not base:
        raise ProblemError(f"undo {share:g}: model {str(folder)!r} names no model that it was fine-tuned from")
    before = load_model(base).state_dict()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            old = before[name]  # without the rows of `r|`, which stay
            weight[: len(old)].lerp_(old.float(), share)


def compile_parts(model: Any) -> None:
    """Compile the loss and the layers of a model; as these are alike, one compilation serves them all."""
    model.loss_function = torch.compile(model.loss_function, dynamic=True)
    for layer in max((part for part in model.modules() if isinstance(part, torch.nn.ModuleList)), key=len):
        layer.compile(dynamic=True)


class Progress(Measure):
    """Also prints how fast the run learns, and how long it will take."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        super().on_train_begin(args, state, control, **more)
        self.began = time.monotonic(), state.global_step, state.num_input_tokens_seen

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
        super().on_log(args, state, control, logs, **more)
        start, first, tokens = self.began
        if logs and "loss" in logs and state.is_world_process_zero and state.global_step > first:
            seconds = time.monotonic() - start
            left = seconds / (state.global_step - first) * (state.max_steps - state.global_step) / 60
            rate = (state.num_input_tokens_seen - tokens) / seconds
            print(
                f"step {state.global_step} of {state.max_steps}: loss {float(logs['loss']):.3f}, "
                f"{rate:,.0f} tokens a second, {left:,.0f} minutes left",
                flush=True,
            )


def held_out_columns(recipe: FinetuneRecipe, mixture: Mixture | None, tokenizer: Any) -> Columns:
    """Return 100 validation problems for each of the recipe's `eval_columns`, none if no equations are learned."""
    encode, padding = partial(encode_pair, tokenizer), tokenizer.eos_token_id
    return encode_columns(mixture, recipe.eval_columns, 100, encode, padding, 25) if mixture else {}


def checkpointing(recipe: FinetuneRecipe) -> dict[str, bool]:
    """Return SFTConfig's setting for `checkpointing`, under its name in this version of transformers.

    It must always be given, because TRL's default is True.
    """
    new, old = "activation_checkpointing", "gradient_checkpointing"
    return {new if new in SFTConfig.__dataclass_fields__ else old: recipe.checkpointing}


def adapters(rank: int, model: Any, tokenizer: Any) -> Any:
    """Return the config for LoRA on every linear layer, and for the embeddings of `r|`, which adapters don't train."""
    with needs("lora", "finetune"):
        from peft import LoraConfig
    ends = [model.get_input_embeddings(), model.get_output_embeddings()]
    if ends[0].weight is ends[1].weight:
        ends.pop()  # tied: peft trains both as one
    names = [name.rpartition(".")[2] for name, module in model.named_modules() if any(module is end for end in ends)]
    tokens = {name: [tokenizer.convert_tokens_to_ids(MARK)] for name in names}
    return LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", trainable_token_indices=tokens)


def save(trainer: Any, tokenizer: Any, out: Path, dtype: Any) -> None:
    """Write the model, adapters merged, and the tokenizer; each process calls it, because weights may be sharded."""
    state = trainer.accelerator.get_state_dict(trainer.model_wrapped)
    model = trainer.accelerator.unwrap_model(trainer.model_wrapped)
    if not trainer.is_world_process_zero():
        return
    if trainer.recipe.lora:
        model = model.merge_and_unload()
        state = model.state_dict()
    model.config.use_cache = True
    weights = {weight.data_ptr(): weight.to(dtype) for weight in state.values()}  # tied names share one, written once
    model.save_pretrained(out, state_dict={name: weights[weight.data_ptr()] for name, weight in state.items()})
    model.config.dtype = dtype  # save_pretrained wrote the type of the model in memory
    model.config.save_pretrained(out)
    save_tokenizer(tokenizer, out)
    for file in out.glob("*.safetensors"):
        file.chmod(0o644)  # safetensors makes it readable by the owner only
