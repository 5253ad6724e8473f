"""The model: an ordinary Llama, started so that it finds digits of equal place from the first step on.

Token embeddings begin as a sum of what a token is and the place it names, and most heads begin as heads that look
for the same place, or for the one before. Both are weights of a plain LlamaForCausalLM: the trained folder is read by
transformers, vLLM and others as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .problem import ProblemError
from .runtime import checkpoint, shipped
from .settings import COUNT, COUNT_OR_0, Keys, checked, whole
from .tokenizer import Tokenizer
from .tokenizer import save as save_tokenizer


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a model; `places`: 0 makes it a plain character model without the place start.

    >>> Shape().width
    128
    """

    layers: int = 3
    width: int = 128
    ffn: int = 384
    heads: int = 2
    head_dim: int = 64
    theta: float = 1e6
    places: int = 40
    positions: int = 2048

    @classmethod
    def read(cls, settings: dict[str, Any] | str) -> Shape:
        """A preset's name or a mapping; raises ProblemError that names an unknown key or preset.

        >>> Shape.read({"layers": 2}).layers
        2
        """
        if isinstance(settings, str):
            if settings not in PRESETS:
                raise ProblemError(f"model {settings!r} is unknown; accepted: {', '.join(PRESETS)}, or a mapping")
            return PRESETS[settings]
        shape = cls(**checked(settings, cls, "model", SHAPE_KEYS))
        if shape.width % shape.heads:
            raise ProblemError(f"model: key 'heads' is {shape.heads}; accepted: a divisor of the width {shape.width}")
        most = len(low_frequencies(shape.head_dim))
        if shape.places > most:
            raise ProblemError(f"model: key 'places' is {shape.places}; accepted: 0 to {most}")
        if shape.places and shape.width < most + CIRCLES:
            least = most + CIRCLES
            raise ProblemError(f"model: key 'width' is {shape.width}; accepted: at least {least}, any if 'places' is 0")
        return shape


CIRCLES = 12  # the numbers that a digit's token starts as, beside those of its place
_EVEN = (lambda value: whole(2, math.inf)(value) and value % 2 == 0, "an even number of at least 2")
SHAPE_KEYS: Keys = {
    **dict.fromkeys(("layers", "width", "ffn", "heads", "positions"), COUNT),
    "head_dim": _EVEN,
    "theta": (lambda value: type(value) in (int, float) and 1 < value < math.inf, "a number above 1"),
    "places": COUNT_OR_0,
}
PRESETS = {
    "tiny": Shape(),
    "small": Shape(layers=4, width=192, ffn=512, heads=3),
    "base": Shape(layers=4, width=256, ffn=768, heads=4),
    "large": Shape(layers=6, width=320, ffn=896, heads=5),
}


def low_frequencies(head_dim: int) -> list[int]:
    """The dimensions of a head that RoPE turns slowest, about two thirds: there positions hardly matter.

    >>> len(low_frequencies(64))
    42
    """
    half = head_dim // 2
    first = int(half * 0.35)
    return [*range(first, half), *range(half + first, head_dim)]


def llama(shape: Shape) -> Any:
    """A LlamaForCausalLM of this shape, its weights still to be set."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = Tokenizer(shape.places)
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
    return LlamaForCausalLM(config)


def create(shape: Shape, seed: int = 0) -> Any:
    """A LlamaForCausalLM of this shape, embeddings kept as sums of factors until `merge`."""
    import torch
    from torch.nn.utils.parametrize import register_parametrization

    tokenizer = Tokenizer(shape.places)
    torch.manual_seed(seed)
    model = llama(shape)
    spread(model, shape)
    if shape.places:
        sources, targets, basis, places = factors(tokenizer, shape)
        heads_by_place(model, shape, basis, places)
        for module, table in ((model.model.embed_tokens, sources), (model.lm_head, targets)):
            register_parametrization(module, "weight", sums_of_factors(tokenizer, table), unsafe=True)
            module.parametrizations.weight.original = torch.nn.Parameter(table)
    return model


def restart(folders: str | Path | Sequence[str | Path], shape: Shape) -> Any:
    """The LlamaForCausalLM of a checkpoint, to be trained further; `grown` where it has fewer layers or heads.

    A checkpoint is a folder or a shipped one's name. Of several it is their models `beside` each other, an equal share
    of the shape each. Raises ProblemError where a folder holds none, or one of another width or of more layers or heads.
    """
    from transformers import LlamaForCausalLM

    folder, *others = [folders] if isinstance(folders, str | Path) else folders
    if others:
        sizes = {key: getattr(shape, key) for key in ("width", "ffn", "heads")}
        if any(size % (1 + len(others)) for size in sizes.values()):
            raise ProblemError(
                f"start {[folder, *others]}: {sizes}; accepted: so many for each of {1 + len(others)} alike"
            )
        part = replace(shape, **{key: size // (1 + len(others)) for key, size in sizes.items()})
        return beside([restart(one, part) for one in (folder, *others)], shape)
    path = checkpoint(folder)
    if not (path / "config.json").is_file():
        raise ProblemError(
            f"start {str(folder)!r} has no config.json; accepted: a checkpoint folder, {', '.join(shipped())}"
        )
    try:
        model = LlamaForCausalLM.from_pretrained(path, attn_implementation="eager", local_files_only=True)
    except (OSError, ValueError) as error:
        first = str(error).partition("\n")[0]
        raise ProblemError(f"start {str(folder)!r} can't be read: {first}; accepted: a checkpoint folder") from None
    config = model.config
    more = (config.num_hidden_layers, config.num_attention_heads)
    same = (config.hidden_size, config.intermediate_size, config.head_dim, config.vocab_size)
    fits = same == (shape.width, shape.ffn, shape.head_dim, len(Tokenizer(shape.places)))
    if not fits or more[0] > shape.layers or more[1] > shape.heads:
        raise ProblemError(
            f"start {str(folder)!r}: layers, heads {more}, width, ffn, head_dim, tokens {same} don't fit {shape}; "
            "accepted: as many, or fewer layers and heads"
        )
    model = model.float()
    return model if more == (shape.layers, shape.heads) else grown(model, shape)


def grown(model: Any, shape: Shape) -> Any:
    """The model with the layers and heads of `shape`, computing the same: what is added writes 0 until it is trained.

    Added layers are copies of the first ones, behind all others, and added heads are copies of those of the layer
    above: they look where heads have learned to look.
    """
    import torch

    layers = model.model.layers
    new = llama(shape)
    for name in ("model.embed_tokens", "model.norm", "lm_head"):
        new.get_submodule(name).load_state_dict(model.get_submodule(name).state_dict())
    with torch.no_grad():
        for index, layer in enumerate(new.model.layers):
            here, above = (dict(layers[(index + up) % len(layers)].named_parameters()) for up in (0, 1))
            for name, weight in layer.named_parameters():
                its = here[name]
                if "o_proj" in name or "down_proj" in name:
                    weight.zero_()
                    if index < len(layers):
                        weight[:, : its.shape[1]] = its
                elif "self_attn" in name:  # q, k, v: a head's rows after another's
                    weight.copy_(torch.cat([its, *[above[name]] * (len(weight) // len(its))])[: len(weight)])
                else:
                    weight.copy_(its)
    return new


def beside(models: Sequence[Any], shape: Shape) -> Any:
    """One model whose heads and widths are those of all models side by side; its logits are the mean of theirs.

    Exactly so where their residual streams are equally long at each token, since RMSNorm measures them together.
    """
    import torch

    new = llama(shape)
    every = [dict(model.named_parameters()) for model in models]
    with torch.no_grad():
        for name, weight in new.named_parameters():
            parts = [weights[name] for weights in every]
            if "layers" in name and weight.ndim == 2:
                weight.copy_(torch.block_diag(*parts))
            else:
                weight.copy_(torch.cat(parts, -1) / (len(parts) if "lm_head" in name else 1))
    return new


def spread(model: Any, shape: Shape) -> None:
    """Matrices with a variance of 1 / inputs, smaller where they write to the residual stream."""
    import torch

    with torch.no_grad():
        for name, weight in model.model.layers.named_parameters():
            if weight.ndim == 2:
                scale = 1 / math.sqrt(weight.shape[1])
                if "o_proj" in name or "down_proj" in name:
                    scale /= math.sqrt(2 * shape.layers)
                if "q_proj" in name or "k_proj" in name:
                    scale *= 0.7
                weight.normal_(0, scale)


def factors(tokenizer: Tokenizer, shape: Shape) -> tuple[Any, Any, Any, Any]:
    """The factor tables of the embedding and of the head, the basis of the place subspace, and the places in it.

    A table has a row for each `what` of Tokenizer.factors, then one for each place. Digits start as points on circles
    of periods 10, 5, 10/3, 5/2 and 2 and on a line, so that sums modulo 10 are easy to read; places as `waves`.
    """
    import torch

    low = len(low_frequencies(shape.head_dim))
    whats = len(tokenizer) - 10 * (tokenizer.places - 1)
    amplitude = math.sqrt(shape.width) / 2
    frame = torch.linalg.qr(torch.randn(shape.width, shape.width))[0]
    basis, rest = frame[:, :low].T, frame[:, low:].T
    places = waves(tokenizer.places, low)

    def unit(rows: Any) -> Any:
        return rows / rows.norm(dim=1, keepdim=True) * amplitude

    angles = [[2 * math.pi * turns * digit / 10 for turns in range(1, 6)] for digit in range(10)]
    circles = [[f(x) for x in row for f in (math.cos, math.sin)] + [(d - 4.5) / 3] * 2 for d, row in enumerate(angles)]
    shape_of_digits = torch.tensor(circles) @ torch.linalg.qr(torch.randn(len(rest), CIRCLES))[0].T
    digits = shape_of_digits / shape_of_digits.norm(dim=1).mean() * amplitude @ rest
    others = unit(torch.randn(whats - 10, len(rest))) @ rest
    sources = torch.cat([others, digits, places @ basis * amplitude])
    targets = torch.randn(len(sources), shape.width) * 0.02
    # at the token that names a place, the next token to write names the place after it
    targets[whats + 1 :] += places[:-1] @ basis * 0.2
    return sources, targets, basis, places


def waves(places: int, width: int) -> Any:
    """A row for each place, nearly orthogonal: points on circles, so that a shift by k places is a rotation.

    A gated layer multiplies, so it can add the places that two tokens name; a partial product needs that.

    >>> rows = waves(40, 42)
    >>> rows.shape, bool((rows @ rows.T - 1.025 * __import__("torch").eye(40)).abs().max() < 0.03)
    (torch.Size([40, 42]), True)
    """
    import torch

    period = places + 1 - places % 2
    turns = torch.arange(1, period // 2 + 1)
    angles = 2 * math.pi / period * torch.arange(places)[:, None] * turns
    rows = torch.cat([angles.cos(), angles.sin()], 1) / math.sqrt(len(turns))
    return torch.nn.functional.pad(rows, (0, width - rows.shape[1]))


def heads_by_place(model: Any, shape: Shape, basis: Any, places: Any) -> None:
    """From the second layer on, even heads look for the place they stand at and odd ones for the place before it."""
    import torch

    low = low_frequencies(shape.head_dim)
    shift = torch.zeros(len(places), len(places))
    for place in range(1, len(places)):
        shift[place, place - 1] = 1
    before = places.T @ shift.T @ places
    with torch.no_grad():
        for layer in model.model.layers[1:]:
            query = layer.self_attn.q_proj.weight.view(shape.heads, shape.head_dim, shape.width)
            key = layer.self_attn.k_proj.weight.view(shape.heads, shape.head_dim, shape.width)
            query *= 0.3
            key *= 0.3
            for head in range(shape.heads):
                key[head, low] += basis
                query[head, low] += before @ basis if head % 2 else basis


def sums_of_factors(tokenizer: Tokenizer, table: Any) -> Any:
    """The module that turns a factor table into a weight: row t is the sum of token t's factors."""
    import torch

    pairs = [tokenizer.factors(token) for token in range(len(tokenizer))]
    whats = len(table) - tokenizer.places

    class Sums(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            places = [[place] if place is not None else [] for _, place in pairs]
            chosen = torch.zeros(len(pairs), len(table))
            for token, (what, _) in enumerate(pairs):
                chosen[token, what] = 1
                for place in places[token]:
                    chosen[token, whats + place] = 1
            self.register_buffer("chosen", chosen, persistent=False)

        def forward(self, factors: Any) -> Any:
            with torch.autocast(factors.device.type, enabled=False):
                return self.chosen @ factors

    return Sums()


def mix(model: Any, other: Any, share: float) -> None:
    """Give the weights of another model of the same shape that share in each of the model's."""
    import torch

    with torch.no_grad():
        for mine, its in zip(model.parameters(), other.parameters(), strict=True):
            mine.lerp_(its.to(mine.device), share)


def merge(model: Any) -> Any:
    """Replace factors by the weights they make: the model is an ordinary Llama afterwards."""
    from torch.nn.utils.parametrize import is_parametrized, remove_parametrizations

    for module in (model.model.embed_tokens, model.lm_head):
        if is_parametrized(module):
            remove_parametrizations(module, "weight", leave_parametrized=True)
    return model


def export(model: Any, folder: str | Path, places: int) -> None:
    """Write the folder that other runtimes read: weights in float32, the tokenizer, greedy generation."""
    import json

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    merge(model).float().save_pretrained(folder)
    save_tokenizer(folder, places)
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["rope_theta"] = config["rope_parameters"]["rope_theta"]  # where readers of older versions look
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    settings = {"do_sample": False, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    (folder / "generation_config.json").write_text(json.dumps(settings, indent=2) + "\n")
