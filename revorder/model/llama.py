"""The model: an ordinary Llama of a given shape, created for training and exported for every runtime."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from revorder.model.tokenizer import PLACES, Tokenizer
from revorder.settings import Count, Settings


class ModelShape(Settings):
    """The size of a model.

    `ffn` is the width of the feed-forward layers, `theta` the base of RoPE, and `positions` the most tokens in a text.
    `places` is the number of digit places that the tokens name, 0 for a plain character model.
    """

    layers: Count = 3
    width: Count = 128
    ffn: Count = 384
    heads: Count = 2
    head_dim: Annotated[int, Field(ge=2, multiple_of=2)] = 64
    theta: Annotated[float, Field(gt=1)] = 1e6
    places: Annotated[int, Field(ge=0)] = PLACES
    positions: Count = 2048

    @model_validator(mode="after")
    def _places_fit(self) -> ModelShape:
        if self.width % self.heads:
            raise ValueError(f"key 'heads' is {self.heads}; accepted: a divisor of 'width', {self.width}")
        half = self.head_dim // 2
        slow = 2 * (half - int(half * 0.35))  # place_init.slow_dimensions
        if self.places > 2 * slow:
            raise ValueError(f"key 'places' is {self.places}; accepted: 0 to {2 * slow}, for heads of {self.head_dim}")
        if self.places and self.width < slow + 12:
            raise ValueError(f"key 'width' is {self.width}; accepted: at least {slow + 12}, any if 'places' is 0")
        return self


def create_model(shape: ModelShape, seed: int = 0) -> Any:
    """Return a new LlamaForCausalLM; with `places`, its embeddings are sums of factors until they are folded."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = Tokenizer(shape.places)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=shape.width,
        intermediate_size=shape.ffn,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        head_dim=shape.head_dim,
        max_position_embeddings=shape.positions,
        rope_parameters={"rope_type": "default", "rope_theta": shape.theta},
        rms_norm_eps=1e-5,
        tie_word_embeddings=False,
        pad_token_id=tokenizer.pad,
        bos_token_id=tokenizer.bos,
        eos_token_id=tokenizer.eos,
        attn_implementation="eager",  # the fused kernel's backward pass is slow on CPUs for short texts
    )
    model = LlamaForCausalLM(config)
    init_weights(model)
    if shape.places:
        from revorder.model.place_init import start_by_place

        start_by_place(model, tokenizer)
    return model


def init_weights(model: Any) -> None:
    """Draw the layers' matrices with a variance of 1 / inputs, less if they write to the residual stream."""
    import torch

    with torch.no_grad():
        for name, weight in model.model.layers.named_parameters():
            if weight.ndim == 2:
                scale = 1 / math.sqrt(weight.shape[1])
                if "o_proj" in name or "down_proj" in name:
                    scale /= math.sqrt(2 * model.config.num_hidden_layers)
                if "q_proj" in name or "k_proj" in name:
                    scale *= 0.7
                weight.normal_(0, scale)


def export(model: Any, folder: str | Path, places: int) -> None:
    """Write a folder for other runtimes: float32 weights, the tokenizer, and settings for greedy generation."""
    from revorder.model.hf_tokenizer import save_place_tokenizer
    from revorder.model.place_init import fold_embeddings

    folder, tokenizer = Path(folder), Tokenizer(places)
    folder.mkdir(parents=True, exist_ok=True)
    fold_embeddings(model).float().save_pretrained(folder)
    save_place_tokenizer(folder, places)
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["rope_theta"] = config["rope_parameters"]["rope_theta"]  # older libraries look here
    config["use_cache"] = True
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    ids = {f"{name}_token_id": getattr(tokenizer, name) for name in ("bos", "eos", "pad")}
    settings = {"do_sample": False, **ids}
    (folder / "generation_config.json").write_text(json.dumps(settings, indent=2) + "\n")
    (folder / "model.safetensors").chmod(0o644)  # safetensors makes it readable by the owner only
