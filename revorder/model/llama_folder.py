"""Read a Llama folder: config.json and model.safetensors, checked against each other before a library uses them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revorder.errors import ProblemError, first_line, quote
from revorder.model.checkpoint import MAX_BYTES, Key, one_of, read_json, whole

CONFIG, WEIGHTS = "config.json", "model.safetensors"
MAX_WIDTH = 65_536
MAX_LAYERS = 128
MAX_POSITIONS = 1 << 20
MAX_PARAMETERS = 250_000_000


def _number(fits: Callable[[float], bool], accepted: str) -> Key:
    return Key(lambda value: type(value) in (int, float) and fits(value), accepted, required=False)


_THETA = _number(lambda value: 1 <= value <= 1e30, "a number from 1 to 1e30")


def _is_plain_rope(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= {"rope_theta", "rope_type"}
        and value.get("rope_type", "default") == "default"
        and _THETA.fits(value.get("rope_theta", 1))
    )


_ROPE = Key(_is_plain_rope, 'a rope_theta from 1 to 1e30 and the rope_type "default"', required=False)
_KEYS = {
    "model_type": one_of("llama"),
    "hidden_act": one_of("silu", required=False),
    "attention_bias": one_of(False, required=False),
    "mlp_bias": one_of(False, required=False),
    "tie_word_embeddings": one_of(False, True, required=False),
    "vocab_size": whole(1, MAX_WIDTH),
    "hidden_size": whole(1, MAX_WIDTH),
    "intermediate_size": whole(1, MAX_WIDTH),
    "num_hidden_layers": whole(1, MAX_LAYERS),
    "num_attention_heads": whole(1, MAX_WIDTH),
    "num_key_value_heads": whole(1, MAX_WIDTH, required=False),
    "head_dim": whole(2, MAX_WIDTH, required=False),
    "max_position_embeddings": whole(1, MAX_POSITIONS, required=False),
    "rms_norm_eps": _number(lambda value: 0 < value < 1, "a number between 0 and 1"),
    "rope_theta": _THETA,
    "rope_parameters": _ROPE,
    "rope_scaling": _ROPE,
}


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """The size of a Llama, as given in config.json.

    >>> LlamaShape(490, 128, 512, 4, 2, 2, 64).shapes["model.layers.3.mlp.down_proj.weight"]
    (128, 512)
    """

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rope_theta: float = 10_000.0
    rms_norm_eps: float = 1e-6
    tie_word_embeddings: bool = False
    max_position_embeddings: int = 2048

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor in model.safetensors, by name; a matrix is (outputs, inputs)."""
        hidden, ffn = self.hidden_size, self.intermediate_size
        queries, keys = self.num_attention_heads * self.head_dim, self.num_key_value_heads * self.head_dim
        layer = {
            "input_layernorm": (hidden,),
            "self_attn.q_proj": (queries, hidden),
            "self_attn.k_proj": (keys, hidden),
            "self_attn.v_proj": (keys, hidden),
            "self_attn.o_proj": (hidden, queries),
            "post_attention_layernorm": (hidden,),
            "mlp.gate_proj": (ffn, hidden),
            "mlp.up_proj": (ffn, hidden),
            "mlp.down_proj": (hidden, ffn),
        }
        whole_model = {"model.embed_tokens": (self.vocab_size, hidden), "model.norm": (hidden,)}
        if not self.tie_word_embeddings:
            whole_model["lm_head"] = (self.vocab_size, hidden)
        layers = {
            f"model.layers.{i}.{name}": size for i in range(self.num_hidden_layers) for name, size in layer.items()
        }
        return {f"{name}.weight": size for name, size in (whole_model | layers).items()}


def read_config(folder: Path, most: float = MAX_PARAMETERS) -> LlamaShape:
    """Read config.json. Raises ProblemError that names the folder, the key, its value, and the accepted values.

    `most` limits the model's parameters.

    >>> from revorder.model.checkpoint import checkpoint
    >>> read_config(checkpoint()).head_dim
    64
    """
    values = read_json(folder, CONFIG, _KEYS)
    heads, hidden = values["num_attention_heads"], values["hidden_size"]
    if hidden % heads:
        raise _wrong(folder, CONFIG, f"has num_attention_heads {heads}", f"a divisor of hidden_size, {hidden}")
    if heads % (groups := values.setdefault("num_key_value_heads", heads)):
        raise _wrong(folder, CONFIG, f"has num_key_value_heads {groups}", f"a divisor of num_attention_heads, {heads}")
    if values.setdefault("head_dim", hidden // heads) % 2:
        raise _wrong(folder, CONFIG, f"has heads of {values['head_dim']} numbers", "an even number of them, for RoPE")
    values = values | values.get("rope_scaling", {}) | values.get("rope_parameters", {})
    config = LlamaShape(**{name: values[name] for name in LlamaShape.__slots__ if name in values})
    if (size := sum(map(math.prod, config.shapes.values()))) > most:
        raise _wrong(folder, CONFIG, f"is of a model with {size:,} parameters", f"at most {most:,}")
    if (angles := config.max_position_embeddings * config.head_dim) > MAX_PARAMETERS:
        raise _wrong(folder, CONFIG, f"has {angles:,} positions times head_dim", f"at most {MAX_PARAMETERS:,}")
    return config


def read_llama(folder: Path, vocab_size: int) -> tuple[LlamaShape, dict[str, Any]]:
    """Return the config of a Llama folder, and its tensors by name: float32 arrays of the shapes in the config.

    Raises ProblemError that names the folder, the file, the fault, and the accepted values.
    """
    config = read_config(folder)
    if config.vocab_size != vocab_size:
        raise _wrong(folder, CONFIG, f"has vocab_size {config.vocab_size}", f"{vocab_size}, the tokenizer's")
    return config, read_tensors(folder, config.shapes)


def read_tensors(folder: Path, shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """Return the tensors of model.safetensors as float32 arrays. Raises ProblemError unless they match `shapes`."""
    import numpy as np
    from safetensors import SafetensorError, safe_open

    path = folder / WEIGHTS
    try:
        if not path.is_file():  # reading a pipe would block, and reading a device would never end
            raise _wrong(folder, WEIGHTS, "is missing or no file", "a safetensors file")
        with path.open("rb") as opened:
            if (size := int.from_bytes(opened.read(8), "little")) > MAX_BYTES:
                raise _wrong(folder, WEIGHTS, f"has a header of {size:,} bytes", f"at most {MAX_BYTES:,}")
        with safe_open(path, framework="np") as file:
            names = set(file.keys())
            if differ := min(names ^ shapes.keys(), default=""):
                does = "has an unknown" if differ in names else "lacks the"
                raise _wrong(folder, WEIGHTS, f"{does} tensor {quote(differ)}", f"those of {CONFIG}")
            for name, shape in shapes.items():
                tensor = file.get_slice(name)
                if tuple(tensor.get_shape()) != shape or tensor.get_dtype() not in ("F32", "F16"):
                    found = f"has {name} as {tensor.get_dtype()} {tensor.get_shape()}"
                    raise _wrong(folder, WEIGHTS, found, f"F32 or F16 {list(shape)}, the shape that {CONFIG} says")
            tensors = {name: file.get_tensor(name).astype(np.float32, copy=False) for name in shapes}
    except (OSError, SafetensorError) as error:
        raise _wrong(folder, WEIGHTS, f"can't be read ({first_line(error)})", "a safetensors file") from None
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise _wrong(folder, WEIGHTS, f"has {name} with NaN or infinity in it", "numbers")
    return tensors


def _wrong(folder: Path, name: str, does: str, accepted: str) -> ProblemError:
    return ProblemError(f"model {str(folder)!r}: its {name} {does}; accepted: {accepted}")
