"""Trainers, which make a cell's model from random weights or by fine-tuning, and counts of what it saw."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, Protocol

from revorder.corpora import gsm8k
from revorder.errors import needs
from revorder.files import make_folder, write_whole
from revorder.metrics.token_cost import characters
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.targets import as_pair
from revorder.model.checkpoint import INFO_FILE
from revorder.processes import process_count
from revorder.training.finetune_recipe import FinetuneRecipe
from revorder.training.recipe import Recipe

Lengths = Sequence[tuple[str, int, int]]  # op, digits of the longer operand, digits of the shorter
EQUATIONS = 1_700_000  # as many as the paper trains on (section 5.1.1)
SMOLLM2 = "HuggingFaceTB/SmolLM2-135M-Instruct"
TINYLLAMA = "TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T"


class Trainer(Protocol):
    """A way to make the model of a cell."""

    def settings(self, data: Mapping[str, Any], max_digits: Lengths) -> Mapping[str, Any]:
        """Return every setting that training depends on except the data; it is stored with the results."""
        ...

    def train(self, data: Mapping[str, Any], max_digits: Lengths, model: Path) -> Path | None:
        """Train a model on the mixture `data` into a folder, or resume; returns None if interrupted."""
        ...


@dataclass(frozen=True)
class Training:
    """Training from random weights.

    The model has `layers` layers of `width`, a head for every 64 of the width, and a hidden layer four times as wide. A
    step has `tokens` tokens in two batches, so one process makes the same model as two. Examples of more than `longest`
    tokens are skipped.
    """

    steps: int
    tokens: int = 4096
    longest: int = 420
    layers: int = 4
    width: int = 128
    seed: int = 0

    @property
    def terms(self) -> str:
        """The training in a few words."""
        return f"{self.layers} layers of width {self.width}, {self.steps:,} steps of {self.tokens:,} tokens"

    def recipe(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        return {
            "name": data["name"],
            "data": data,
            "model": {
                "layers": self.layers,
                "width": self.width,
                "ffn": 4 * self.width,
                "heads": max(1, self.width // 64),
                "positions": max(1024, self.longest),
            },
            "max_digits": list(max_digits),
            "steps": self.steps,
            "tokens": self.tokens // 2,
            "batches": 2,
            "longest": self.longest,
            "decay_steps": self.steps * 7 // 8,
            "seed": self.seed,
        }

    def settings(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """Return the recipe's settings."""
        return without_data(self.recipe(data, max_digits))

    def train(self, data: Mapping[str, Any], max_digits: Lengths, model: Path) -> Path | None:
        """Train a model from random weights."""
        from revorder.training.trainer import train

        return train(self.recipe(data, max_digits), model)


@dataclass(frozen=True)
class ByRecipe:
    """Training by a complete recipe; the arguments `data` and `max_digits` are ignored."""

    recipe: Mapping[str, Any]

    def settings(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """Return the recipe's settings."""
        return without_data(self.recipe)

    def train(self, data: Mapping[str, Any], max_digits: Lengths, model: Path) -> Path | None:
        """Train the model."""
        from revorder.training.trainer import train

        return train(self.recipe, model)


@dataclass(frozen=True)
class Finetuning:
    """Fine-tuning of a pretrained model (a folder, a Hub name or another cell's name) by a recipe (a name or settings).

    It trains on about `tokens` tokens; 0 keeps the recipe's epochs. `share` of the examples are questions of GSM8K's
    training set, found by `questions`, an argument of corpora.gsm8k.load. If `tokenizer` is `bytes`, a tiny random
    Llama replaces the model.
    """

    model: str
    recipe: str | Mapping[str, Any]
    longest: int = 1024
    seed: int = 0
    tokens: int = 0
    tokenizer: Literal["", "bytes"] = ""
    share: float = 0
    questions: str | None = None

    @property
    def terms(self) -> str:
        """The training in a few words."""
        return f"{Path(self.model).name}, fine-tuned by the recipe {FinetuneRecipe.read(self.recipe).name}"

    @property
    def resolved(self) -> FinetuneRecipe:
        """The recipe with `seed`, and with `longest` as its `max_tokens`."""
        return FinetuneRecipe.read(self.recipe).model_copy(update={"max_tokens": self.longest, "seed": self.seed})

    def settings(self, data: Mapping[str, Any], max_digits: Lengths) -> dict[str, Any]:
        """Return the fields, with the recipe resolved."""
        return asdict(self) | {"recipe": self.resolved.terms()}

    def base(self, folder: Path) -> str:
        """Return the model to load, which may be in the `folder` of the cells; a stand-in is written there first."""
        if (folder / self.model / INFO_FILE).exists():
            return str(folder / self.model)
        return str(tiny_model(folder / self.model)) if self.tokenizer else self.model

    def train(self, data: Mapping[str, Any], max_digits: Lengths, model: Path) -> Path | None:
        """Fine-tune the model on a mixture."""
        with needs("fine-tuning", "reproduce"):
            from revorder.training.finetune import finetune

        make_folder(model)
        mixture = model / "mixture.yaml"
        write_whole(mixture, json.dumps(data))  # JSON is YAML
        mix = ""
        if self.share:
            mix = str(model / "questions.jsonl")
            rows = (json.dumps({"text": row.question}) + "\n" for row in gsm8k.load(self.questions))
            write_whole(Path(mix), "".join(rows))
        base = self.base(model.parent)
        return finetune(base, str(mixture), model, self.resolved, tokens=self.tokens, mix=mix, share=self.share)


def without_data(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return the recipe settings that affect what this run learns, without the data."""
    settings = Recipe.read(recipe).run_settings(process_count())
    del settings["data"]
    return settings


def tiny_model(folder: Path) -> Path:
    """Write a random 2-layer Llama whose tokens are bytes, unless it exists; return its folder."""
    if (folder / "tokenizer.json").exists():
        return folder
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

    tokens = ["<eos>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    set_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokens),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=0,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>").save_pretrained(folder)
    return folder


def equations_seen(what: Mapping[str, Any], size: float) -> float:
    """Return the number of equations, of `size` tokens on average, that a cell's model saw, repeats included."""
    finetuned = what["training"].get("recipe")
    return what["steps"] * finetuned["batch"] if finetuned else what["tokens"] / size


@cache
def lengths(mixture: Mixture) -> tuple[int, ...]:
    """Return the token counts of a mixture's first 2,000 examples, <bos> and <eos> included."""
    return tuple(characters(as_pair(example).text) + 2 for example in sampler(mixture).examples(0, 0, 2000))


def mean_tokens(mixture: Mixture, longest: int) -> float:
    """Return the mean token count of a mixture's examples with at most `longest` tokens."""
    return fmean(tokens for tokens in lengths(mixture) if tokens <= longest)
