"""Causal attention without masks, for batches whose padding comes last."""

from __future__ import annotations

from typing import Any

from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

NAME = "causal"


def attend_without_masks(model: Any) -> None:
    """Let a model attend without masks; on CPUs, where it is not compiled, eager attention is faster."""
    AttentionInterface.register(NAME, causal_attention)
    model.set_attn_implementation(NAME)


def causal_attention(
    module: Any, query: Any, key: Any, value: Any, mask: Any, scaling: float | None = None, **_: Any
) -> tuple[Any, None]:
    """Return the attention of (batch, heads, tokens, head_dim) tensors as (batch, tokens, heads, head_dim)."""
    out = scaled_dot_product_attention(query, key, value, is_causal=True, scale=scaling)
    return out.transpose(1, 2).contiguous(), None
