"""Perplexity: the mean over all tokens of all texts, whatever is padded."""

import math

import pytest
import torch
from pretrained import byte_level
from transformers import LlamaConfig, LlamaForCausalLM, set_seed

from revorder.corpora.prose import paragraphs
from revorder.evaluation.perplexity import LONGEST, perplexity

TEXTS = ["Two.", "She has 48 clips.", *paragraphs()[:9], "a " * 2 * LONGEST]


@pytest.fixture(scope="module")
def tokenizer():
    return byte_level(single_digits=True)


@pytest.fixture
def network(tokenizer):
    set_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **size)).eval()


def test_a_model_that_knows_nothing_has_as_many_choices_as_tokens(network, tokenizer):
    network.lm_head.weight.data.zero_()
    assert perplexity(network, tokenizer, TEXTS) == pytest.approx(len(tokenizer), rel=1e-5)


def test_padding_counts_nothing(network, tokenizer):
    losses, count = [], 0
    for text in TEXTS:
        ids = torch.tensor([tokenizer(text).input_ids[:LONGEST]])
        with torch.no_grad():
            losses.append(network(input_ids=ids, labels=ids).loss.item() * (ids.shape[1] - 1))
        count += ids.shape[1] - 1
    assert perplexity(network, tokenizer, TEXTS) == pytest.approx(math.exp(sum(losses) / count))
