"""The perplexity of a language model on English, before and after it learns arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from revorder.corpora import gsm8k
from revorder.corpora.prose import paragraphs
from revorder.errors import needs

LONGEST = 256  # tokens of a text; the rest is cut off
BATCH = 8  # texts


def language(model: str | Path, n: int, data: str | None = None) -> dict[str, float]:
    """Return the perplexity of a model on up to `n` questions of GSM8K's test set, and paragraphs of prose.

    `data` is the argument of `corpora.gsm8k.load`, whose errors it raises.
    """
    with needs(f"model {str(model)!r}:", "train"):
        from revorder.model.pretrained import load_model, load_tokenizer
    questions = [row.question for row in islice(gsm8k.load(data, "test"), n)]
    tokenizer, network = load_tokenizer(model), load_model(model).float().eval()
    texts = {"questions": questions, "prose": paragraphs()[:n]}
    return {kind: perplexity(network, tokenizer, some) for kind, some in texts.items()}


def perplexity(network: Any, tokenizer: Any, texts: Sequence[str]) -> float:
    """Return exp of the mean loss per token of texts, each up to LONGEST tokens, its first token not counted."""
    import torch

    from revorder.training.batches import pad

    rows = sorted((tokenizer(text).input_ids[:LONGEST] for text in texts), key=len)
    total, count = 0.0, 0
    with torch.no_grad():
        for start in range(0, len(rows), BATCH):
            batch = pad([(ids, ids) for ids in rows[start : start + BATCH]], tokenizer.eos_token_id)
            learned = int((batch["labels"][:, 1:] >= 0).sum())
            total += network(**batch).loss.item() * learned
            count += learned
    return math.exp(total / count)
