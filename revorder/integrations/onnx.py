"""Export a checkpoint as an ONNX file for onnxruntime and other readers; needs the onnx package, and no torch.

The graph is one step of a decoder with a cache. Its inputs and outputs have the names of Hugging Face's libraries:
`input_ids`, `attention_mask`, `position_ids` and `past_key_values.0.key` to `logits` and `present.0.key`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from revorder.errors import needs
from revorder.files import make_folder, write_whole
from revorder.model.checkpoint import CheckpointInfo, checkpoint
from revorder.model.llama_folder import LlamaShape, read_llama
from revorder.model.tokenizer import Tokenizer

OPSET = 23  # the first with Attention, RMSNormalization and RotaryEmbedding

# A token sees itself and the tokens before it, except padding. `mask` is batch x 1 x tokens x (past + tokens).
_GRAPH = """decoder (
  int64[batch, tokens] input_ids, int64[batch, total] attention_mask, int64[batch, tokens] position_ids, {past}
) => (float[batch, tokens, {vocab}] logits, {present}) {{
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  column = Constant <value_ints = [1]> ()
  middle = Constant <value_ints = [1, 2]> ()
  total_shape = Shape <start = 1> (attention_mask)
  tokens_shape = Shape <start = 1> (input_ids)
  length = Squeeze (total_shape)
  new = Squeeze (tokens_shape)
  first = Sub (length, new)
  keys = Range (zero, length, one)
  query_row = Range (first, length, one)
  queries = Unsqueeze (query_row, column)
  before = Less (keys, queries)
  itself = Equal (keys, queries)
  flat = Cast <to = 9> (attention_mask)
  real = Unsqueeze (flat, middle)
  seen = And (before, real)
  mask = Or (seen, itself)
  x0 = Gather ("model.embed_tokens.weight", input_ids)
{layers}
  end = RMSNormalization <epsilon = {eps}> (x{last}, "model.norm.weight")
  logits = MatMul (end, "lm_head.weight")
}}"""

_LAYER = """
  a{i} = RMSNormalization <epsilon = {eps}> (x{i}, "model.layers.{i}.input_layernorm.weight")
  q{i} = MatMul (a{i}, "model.layers.{i}.self_attn.q_proj.weight")
  k{i} = MatMul (a{i}, "model.layers.{i}.self_attn.k_proj.weight")
  v{i} = MatMul (a{i}, "model.layers.{i}.self_attn.v_proj.weight")
  query{i} = RotaryEmbedding <num_heads = {heads}> (q{i}, cos, sin, position_ids)
  key{i} = RotaryEmbedding <num_heads = {kv_heads}> (k{i}, cos, sin, position_ids)
  y{i}, "present.{i}.key", "present.{i}.value" = Attention <q_num_heads = {heads}, kv_num_heads = {kv_heads}> (
    query{i}, key{i}, v{i}, mask, "past_key_values.{i}.key", "past_key_values.{i}.value")
  o{i} = MatMul (y{i}, "model.layers.{i}.self_attn.o_proj.weight")
  b{i} = Add (x{i}, o{i})
  c{i} = RMSNormalization <epsilon = {eps}> (b{i}, "model.layers.{i}.post_attention_layernorm.weight")
  gate{i} = MatMul (c{i}, "model.layers.{i}.mlp.gate_proj.weight")
  up{i} = MatMul (c{i}, "model.layers.{i}.mlp.up_proj.weight")
  open{i} = Sigmoid (gate{i})
  silu{i} = Mul (gate{i}, open{i})
  ffn{i} = Mul (silu{i}, up{i})
  d{i} = MatMul (ffn{i}, "model.layers.{i}.mlp.down_proj.weight")
  x{next} = Add (b{i}, d{i})"""


def export_onnx(model: str | Path | None, path: Path) -> None:
    """Write a checkpoint, a folder or a shipped name, as an ONNX file in float32, whole or not at all.

    Raises ProblemError if the folder is not a checkpoint, or the onnx package is missing.
    """
    with needs("ONNX", "onnx"):
        import onnx  # noqa: F401
    folder = checkpoint(model)
    decoder = build_decoder(*read_llama(folder, len(Tokenizer(CheckpointInfo.load(folder).places))))
    make_folder(path.parent)
    write_whole(path, decoder.SerializeToString())


def build_decoder(config: LlamaShape, tensors: Mapping[str, Any]) -> Any:
    """Return the ONNX model of a Llama from its tensors by name; a text has up to `max_position_embeddings` tokens."""
    import numpy as np
    from onnx import checker, helper, numpy_helper, parser

    def cache(name: str, length: str) -> str:
        size = f"batch, {config.num_key_value_heads}, {length}, {config.head_dim}"
        kinds = [f"{name}.{i}.{kind}" for i in range(config.num_hidden_layers) for kind in ("key", "value")]
        return ", ".join(f'float[{size}] "{kind}"' for kind in kinds)

    sizes = {"eps": config.rms_norm_eps, "heads": config.num_attention_heads, "kv_heads": config.num_key_value_heads}
    layers = [_LAYER.format(i=i, next=i + 1, **sizes) for i in range(config.num_hidden_layers)]
    graph = parser.parse_graph(
        _GRAPH.format(
            vocab=config.vocab_size,
            past=cache("past_key_values", "past"),
            present=cache("present", "total"),
            layers="".join(layers),
            last=config.num_hidden_layers,
            **sizes,
        )
    )
    arrays = {name: tensor.T if "_proj" in name or "lm_head" in name else tensor for name, tensor in tensors.items()}
    arrays.setdefault("lm_head.weight", tensors["model.embed_tokens.weight"].T)  # if they are tied
    frequencies = config.rope_theta ** -(np.arange(0, config.head_dim, 2) / config.head_dim)
    angles = np.outer(np.arange(config.max_position_embeddings), frequencies)
    arrays |= {"cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32)}
    graph.initializer.extend(
        numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in arrays.items()
    )
    opset = helper.make_opsetid("", OPSET)
    ir_version = helper.find_min_ir_version_for([opset])  # older runtimes refuse a newer one
    model = helper.make_model(graph, opset_imports=[opset], ir_version=ir_version, producer_name="revorder")
    checker.check_model(model, full_check=True)
    return model
