"""Convert a Llama folder to the files of a CTranslate2 model.

CTranslate2's own converter imports torch if it is installed, which takes two seconds. The file format is simple, and
later versions of CTranslate2 read files of earlier versions, so this module writes it directly.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from revorder.model.llama_folder import LlamaShape, read_llama

FORMAT, SPEC, REVISION = 6, "TransformerDecoderSpec", 8  # file format, architecture, and its revision
SWISH = 2  # CTranslate2's number of the activation
_TYPES = ("float32", "int8", "int16", "int32")  # in the order of their numbers in the file


def model_files(folder: Path, vocabulary: Sequence[str]) -> dict[str, bytes]:
    """Return the files that ctranslate2.Generator takes for a Llama folder, by name, in float32.

    Raises ProblemError if the folder's files are missing, disagree, or have a vocabulary of another size.

    >>> from revorder.model.checkpoint import checkpoint
    >>> from revorder.model.tokenizer import Tokenizer
    >>> sorted(model_files(checkpoint(), Tokenizer(64).vocabulary))
    ['config.json', 'model.bin', 'vocabulary.json']
    """
    config, tensors = read_llama(folder, len(vocabulary))
    unknown, begin, end = vocabulary[:3]
    settings = {
        "bos_token": begin,
        "eos_token": end,
        "layer_norm_epsilon": config.rms_norm_eps,
        "multi_query_attention": False,
        "unk_token": unknown,
    }
    return {
        "config.json": json.dumps(settings).encode(),
        "vocabulary.json": json.dumps(list(vocabulary)).encode(),
        "model.bin": encode(variables(config, tensors)),
    }


def variables(config: LlamaShape, tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arrays and numbers of a CTranslate2 decoder, sorted by name, from a Llama's tensors."""
    import numpy as np

    def weight(name: str) -> Any:
        return tensors[f"{name}.weight"]

    out: dict[str, Any] = {
        "activation": np.int8(SWISH),
        "alibi": np.int8(0),
        "alibi_use_positive_positions": np.int8(0),
        "alignment_heads": np.int16(1),
        "alignment_layer": np.int16(-1),
        "embeddings/weight": weight("model.embed_tokens"),
        "layer_norm/gamma": weight("model.norm"),
        "num_heads": np.int16(config.num_attention_heads),
        "pre_norm": np.int8(1),
        "projection/weight": weight("model.embed_tokens" if config.tie_word_embeddings else "lm_head"),
        "scale_alibi": np.int8(0),
        "scale_embeddings": np.int8(0),
        "start_from_zero_embedding": np.int8(0),
    }
    for i in range(config.num_hidden_layers):
        at = f"model.layers.{i}."
        layer = {
            "ffn/layer_norm/gamma": weight(f"{at}post_attention_layernorm"),
            "ffn/linear_0/weight": weight(f"{at}mlp.gate_proj"),
            "ffn/linear_0_noact/weight": weight(f"{at}mlp.up_proj"),
            "ffn/linear_1/weight": weight(f"{at}mlp.down_proj"),
            "self_attention/head_dim": np.int32(config.head_dim),
            "self_attention/layer_norm/gamma": weight(f"{at}input_layernorm"),
            "self_attention/linear_0/weight": np.concatenate([weight(f"{at}self_attn.{x}_proj") for x in "qkv"]),
            "self_attention/linear_1/weight": weight(f"{at}self_attn.o_proj"),
            "self_attention/num_heads_kv": np.int32(config.num_key_value_heads),
            "self_attention/rotary_base": np.float32(config.rope_theta),
            "self_attention/rotary_dim": np.int32(0),  # the whole head
            "self_attention/rotary_interleave": np.int8(0),
        }
        out |= {f"layer_{i}/{name}": value for name, value in layer.items()}
    return {f"decoder/{name}": out[name] for name in sorted(out)}


def encode(arrays: Mapping[str, Any]) -> bytes:
    """Return arrays as a CTranslate2 model.bin: a header, then name, shape, type and bytes of each, and no aliases."""
    out = [struct.pack("<I", FORMAT), _string(SPEC), struct.pack("<II", REVISION, len(arrays))]
    for name, array in arrays.items():
        kind = _TYPES.index(array.dtype.name)
        out += [_string(name), struct.pack(f"<B{array.ndim}IBI", array.ndim, *array.shape, kind, array.nbytes)]
        out.append(array.tobytes())
    return b"".join([*out, struct.pack("<I", 0)])


def _string(text: str) -> bytes:
    return struct.pack("<H", len(text) + 1) + text.encode() + b"\0"
