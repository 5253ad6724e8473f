"""Export a checkpoint as a GGUF file for llama.cpp and the tools built on it; needs the gguf package.

No tokenizer of llama.cpp tells a digit's place from the digits around it, so each token of our own tokenizer keeps its
name, and a prompt states the places: `1₁2+3₁5=`. The file's chat template writes them; elsewhere
`revorder.model.tokenizer` does. A fine-tuned Llama keeps its tokenizer, and is asked `12+35=`; only it needs torch.
"""

from __future__ import annotations

import json
import math
import re
from functools import partial
from pathlib import Path
from typing import Any

from revorder.errors import ProblemError, needs
from revorder.files import make_folder, written_whole
from revorder.inference.transformers_runtime import is_other_model
from revorder.model.checkpoint import CheckpointInfo, checkpoint
from revorder.model.llama_folder import LlamaShape, read_config, read_llama
from revorder.model.pretrained import load_model, load_tokenizer
from revorder.model.tokenizer import Tokenizer, place_suffix

# From the last character to the first: a digit's place is the number of digits right after it. llama.cpp's Jinja has
# slices of a string, but no single characters, and no negative indices.
_TEMPLATE = """\
{%%- set places = %s -%%}
{%%- set content = messages[-1]['content'] -%%}
{%%- set at = namespace(place=0, text='') -%%}
{%%- for i in range(content | length) if content is string -%%}
{%%- set character = content[::-1][i:i + 1] -%%}
{%%- set digit = character in '0123456789' -%%}
{%%- set at.text = character + (places[at.place] if digit else '') + at.text -%%}
{%%- set at.place = at.place + (1 if at.place < %d else 0) if digit else 0 -%%}
{%%- endfor -%%}
{{- bos_token + at.text -}}"""


def chat_template(places: int) -> str:
    """Return the Jinja template that turns the last message of a chat into a prompt with places.

    >>> import jinja2
    >>> turns = [{"role": "user", "content": "948/12="}]
    >>> jinja2.Template(chat_template(40)).render(messages=turns, bos_token="<bos>")
    '<bos>9₂4₁8/1₁2='
    """
    return _TEMPLATE % ([place_suffix(place) for place in range(max(places, 1))], max(places, 1) - 1)


def export_gguf(model: str | Path | None, path: Path) -> None:
    """Write a checkpoint, a folder or a shipped name, as a GGUF file in float32, whole or not at all.

    Raises ProblemError if the folder is not a checkpoint, a fine-tuned model is not one that llama.cpp reads as
    transformers does, or the gguf package is missing.
    """
    with needs("GGUF", "gguf"):
        import gguf
    folder = checkpoint(model)
    if is_other_model(folder):
        config, tensors = _read_pretrained(folder)
        add_tokenizer = partial(_add_byte_level, folder=folder, size=config.vocab_size)
    else:
        tokenizer = Tokenizer(CheckpointInfo.load(folder).places)
        config, tensors = read_llama(folder, len(tokenizer))
        add_tokenizer = partial(_add_tokenizer, tokenizer=tokenizer)
    make_folder(path.parent)
    with written_whole(path) as temporary:
        file = gguf.GGUFWriter(temporary, "llama")
        file.add_name(f"RevOrder {folder.name}")
        file.add_file_type(gguf.LlamaFileType.ALL_F32)
        file.add_sampling_temp(0)
        file.add_context_length(config.max_position_embeddings)
        file.add_vocab_size(config.vocab_size)
        file.add_embedding_length(config.hidden_size)
        file.add_feed_forward_length(config.intermediate_size)
        file.add_block_count(config.num_hidden_layers)
        file.add_head_count(config.num_attention_heads)
        file.add_head_count_kv(config.num_key_value_heads)
        file.add_key_length(config.head_dim)
        file.add_value_length(config.head_dim)
        file.add_rope_dimension_count(config.head_dim)
        file.add_rope_freq_base(config.rope_theta)
        file.add_layer_norm_rms_eps(config.rms_norm_eps)
        add_tokenizer(file)
        names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
        heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
        for name, tensor in tensors.items():
            if kind := re.search("[qk]_proj", name):
                tensor = interleaved(tensor, heads[kind[0]])
            file.add_tensor(f"{names[name.removesuffix('.weight')]}.weight", tensor)
        file.write_header_to_file()
        file.write_kv_data_to_file()
        file.write_tensors_to_file()
        file.close()


def _add_tokenizer(file: Any, tokenizer: Tokenizer) -> None:
    """Add a tokenizer of SentencePiece's kind: llama.cpp looks for its user-defined tokens first, the longest first."""
    from gguf import TokenType

    special = tokenizer.eos + 1
    file.add_tokenizer_model("llama")
    file.add_token_list(tokenizer.vocabulary)
    file.add_token_scores([0.0] * len(tokenizer))
    file.add_token_types([TokenType.CONTROL] * special + [TokenType.USER_DEFINED] * (len(tokenizer) - special))
    file.add_pad_token_id(tokenizer.pad)
    file.add_bos_token_id(tokenizer.bos)
    file.add_eos_token_id(tokenizer.eos)
    file.add_add_bos_token(True)
    file.add_add_eos_token(False)
    file.add_add_space_prefix(False)
    file.add_chat_template(chat_template(tokenizer.places))


def _read_pretrained(folder: Path) -> tuple[LlamaShape, dict[str, Any]]:
    """Return the config of a fine-tuned Llama, and its tensors by name as float32 arrays."""
    config = read_config(folder, most=math.inf)
    tensors, names = load_model(folder).state_dict(), config.shapes
    return config, {name: tensor.float().numpy() for name, tensor in tensors.items() if name in names}


def _add_byte_level(file: Any, folder: Path, size: int) -> None:
    """Add a byte-level BPE whose digits are tokens of their own, as SmolLM2's, with `size` tokens."""
    from gguf import SpecialVocab, TokenType

    tokenizer = load_tokenizer(folder)
    if not _splits_as_smollm(json.loads(tokenizer.backend_tokenizer.to_str())):
        raise ProblemError(
            f"model {str(folder)!r} has a tokenizer of another kind than SmolLM2's; export it with llama.cpp's"
            " convert_hf_to_gguf.py"
        )
    texts = {token: text for text, token in tokenizer.get_vocab().items()}
    added = {token: one.special for token, one in tokenizer.added_tokens_decoder.items()}
    kinds = {None: TokenType.NORMAL, False: TokenType.USER_DEFINED, True: TokenType.CONTROL}
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre("smollm")
    file.add_token_list([texts.get(token, f"[PAD{token}]") for token in range(size)])
    file.add_token_types([kinds[added.get(token)] if token in texts else TokenType.UNUSED for token in range(size)])
    SpecialVocab(folder, load_merges=True, n_vocab=size).add_to_gguf(file, quiet=True)


def _splits_as_smollm(tokenizer: dict[str, Any]) -> bool:
    """Whether a tokenizer.json splits a text into pieces as llama.cpp's kind "smollm" does."""
    split = tokenizer["pre_tokenizer"] or {}
    steps = split.get("pretokenizers", [split])
    same = {"Digits": {"individual_digits": True}, "ByteLevel": {"add_prefix_space": False, "use_regex": True}}
    return (
        tokenizer["model"]["type"] == "BPE"
        and not tokenizer["normalizer"]
        and steps[-1].get("type") == "ByteLevel"
        and all(same.get(step["type"], {"type": ""}).items() <= step.items() for step in steps)
    )


def interleaved(tensor: Any, heads: int) -> Any:
    """Return a query or key matrix with the rows of each head in the order of llama.cpp's RoPE.

    It rotates rows 0 and 1, 2 and 3, ...; transformers rotates row i and row i + half of the head.

    >>> import numpy as np
    >>> interleaved(np.arange(8).reshape(8, 1), 2).ravel().tolist()
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    rows, width = tensor.shape
    return tensor.reshape(heads, 2, rows // heads // 2, width).swapaxes(1, 2).reshape(rows, width)
