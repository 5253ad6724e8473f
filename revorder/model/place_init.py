"""The place start: initial weights with which a Llama finds digits of equal place from the first training step.

Each token embedding starts as the sum of a vector for its symbol and a vector for the place that it names. From the
second layer on, each head starts by looking for the same place or for the place before. The sums are kept during
training and folded on export.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn.utils import parametrize

from revorder.model.tokenizer import Tokenizer

DIGIT_FEATURES = 12  # dimensions of a digit's initial symbol vector: five circles and a line


def slow_dimensions(head_dim: int) -> list[int]:
    """Return the dimensions of a head that RoPE rotates slowest, about two thirds, in which positions hardly matter.

    >>> len(slow_dimensions(64))
    42
    """
    half = head_dim // 2
    first = int(half * 0.35)
    return [*range(first, half), *range(half + first, head_dim)]


def start_by_place(model: Any, tokenizer: Tokenizer) -> None:
    """Initialize a LlamaForCausalLM by place; its embedding and head become sums of factors."""
    config = model.config
    slow = slow_dimensions(config.head_dim)
    frame = torch.linalg.qr(torch.randn(config.hidden_size, config.hidden_size))[0]
    basis, rest = frame[:, : len(slow)].T, frame[:, len(slow) :].T  # of the places' subspace, and of the rest
    codes = place_codes(tokenizer.places, len(slow))
    sources, targets = factor_tables(tokenizer, codes @ basis, rest)
    look_for_places(model, slow, basis, codes)
    for module, table, rows in (
        (model.model.embed_tokens, sources, len(tokenizer) + tokenizer.places - 1),  # `r|` at each place: shift_places
        (model.lm_head, targets, len(tokenizer)),
    ):
        parametrize.register_parametrization(module, "weight", SumOfFactors(tokenizer, rows, len(table)), unsafe=True)
        module.parametrizations.weight.original = torch.nn.Parameter(table)


def factor_tables(tokenizer: Tokenizer, places: Any, rest: Any) -> tuple[Any, Any]:
    """Return the factor tables of the embedding and of the head.

    A table has a row for each symbol of Tokenizer.factors, then a row for each place. Digits start as points on circles
    of periods 10, 5, 10/3, 5/2 and 2 and on a line, so that sums modulo 10 are easy to read.

    Args:
        tokenizer: The tokenizer, whose symbols and places the rows follow.
        places: The codes of the places, of shape (places, width).
        rest: An orthonormal basis of the symbols' subspace, of shape (rows, width).
    """
    width = places.shape[1]
    symbols = len(tokenizer) - 10 * (tokenizer.places - 1)
    amplitude = math.sqrt(width) / 2
    angles = [[2 * math.pi * turns * digit / 10 for turns in range(1, 6)] for digit in range(10)]
    features = [[f(x) for x in row for f in (math.cos, math.sin)] + [(d - 4.5) / 3] * 2 for d, row in enumerate(angles)]
    digits = torch.tensor(features) @ torch.linalg.qr(torch.randn(len(rest), DIGIT_FEATURES))[0].T
    digits = digits / digits.norm(dim=1).mean() * amplitude @ rest
    others = torch.randn(symbols - 10, len(rest))
    others = others / others.norm(dim=1, keepdim=True) * amplitude @ rest
    sources = torch.cat([others, digits, places * amplitude])
    targets = torch.randn(len(sources), width) * 0.02
    # after a token that names a place, the next token names the following place
    targets[symbols + 1 :] += places[:-1] * 0.2
    return sources, targets


def place_codes(places: int, width: int) -> Any:
    """Return a row of `width` numbers for each place. Rows are nearly orthogonal; a shift by k places is a rotation.

    A gated layer multiplies, so it can add the places of two tokens, as a partial product requires. With more places
    than numbers, the frequencies of the rotation are those, of 4,000 draws, whose rows are the least alike.

    >>> rows = place_codes(40, 42)
    >>> rows.shape, bool((rows @ rows.T - 1.025 * torch.eye(40)).abs().max() < 0.03)
    (torch.Size([40, 42]), True)
    >>> rows = place_codes(64, 42)
    >>> bool((rows @ rows.T - torch.eye(64)).max() < 0.1)
    True
    """
    period = places + 1 - places % 2
    turns = torch.arange(1, period // 2 + 1)
    angles = 2 * math.pi / period * torch.arange(places)[:, None] * turns
    if len(turns) > width // 2:
        draws = torch.rand(4000, len(turns), generator=torch.Generator().manual_seed(0)).argsort()[:, : width // 2]
        alike = angles.cos()[1:, draws].mean(-1).amax(0)
        angles = angles[:, draws[alike.argmin()].sort().values]
    rows = torch.cat([angles.cos(), angles.sin()], 1) / math.sqrt(angles.shape[1])
    return torch.nn.functional.pad(rows, (0, width - rows.shape[1]))


def look_for_places(model: Any, slow: list[int], basis: Any, codes: Any) -> None:
    """From the second layer on, let even heads look for the current place and odd heads for the place before it."""
    config = model.config
    before = codes.T @ torch.diag(torch.ones(len(codes) - 1), 1) @ codes
    before *= min(1, basis.shape[0] / len(codes))  # a sum over the places, of which there may be more than dimensions
    with torch.no_grad():
        for layer in model.model.layers[1:]:
            shape = (config.num_attention_heads, config.head_dim, config.hidden_size)
            query = layer.self_attn.q_proj.weight.view(shape)
            key = layer.self_attn.k_proj.weight.view(shape)
            query *= 0.3
            key *= 0.3
            for head in range(len(query)):
                key[head, slow] += basis
                query[head, slow] += before @ basis if head % 2 else basis


class SumOfFactors(torch.nn.Module):
    """Turn a factor table (factors, width) into a weight (tokens, width): each row is the sum of a token's factors."""

    def __init__(self, tokenizer: Tokenizer, tokens: int, factors: int) -> None:
        super().__init__()
        chosen = torch.zeros(tokens, factors)
        for token in range(tokens):
            symbol, place = tokenizer.factors(token)
            chosen[token, symbol] = 1
            if place is not None:
                chosen[token, factors - tokenizer.places + place] = 1
        self.register_buffer("chosen", chosen, persistent=False)

    def forward(self, factors: Any) -> Any:
        with torch.autocast(factors.device.type, enabled=False):
            return self.chosen @ factors


def fold_embeddings(model: Any) -> Any:
    """Replace the factors by the weights that they make, so that the model is an ordinary Llama, and return it."""
    for module in (model.model.embed_tokens, model.lm_head):
        if parametrize.is_parametrized(module):
            parametrize.remove_parametrizations(module, "weight", leave_parametrized=True)
            module.weight = torch.nn.Parameter(module.weight.detach()[: model.config.vocab_size].clone())
    return model
