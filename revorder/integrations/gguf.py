"""Export a checkpoint as a GGUF file for llama.cpp and the tools built on it; needs the gguf package, and no torch.

No tokenizer of llama.cpp tells a digit's place from the digits around it, so each token keeps its name, and a prompt
states the places: `1₁2+3₁5=`. The file's chat template writes them; elsewhere `revorder.model.tokenizer` does.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from revorder.errors import needs
from revorder.files import make_folder, written_whole
from revorder.model.checkpoint import CheckpointInfo, checkpoint
from revorder.model.llama_folder import read_llama
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

    Raises ProblemError if the folder is not a checkpoint, or the gguf package is missing.
    """
    with needs("GGUF", "gguf"):
        import gguf
    folder = checkpoint(model)
    tokenizer = Tokenizer(CheckpointInfo.load(folder).places)
    config, tensors = read_llama(folder, len(tokenizer))
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
        _add_tokenizer(file, tokenizer)
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


def interleaved(tensor: Any, heads: int) -> Any:
    """Return a query or key matrix with the rows of each head in the order of llama.cpp's RoPE.

    It rotates rows 0 and 1, 2 and 3, ...; transformers rotates row i and row i + half of the head.

    >>> import numpy as np
    >>> interleaved(np.arange(8).reshape(8, 1), 2).ravel().tolist()
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    rows, width = tensor.shape
    return tensor.reshape(heads, 2, rows // heads // 2, width).swapaxes(1, 2).reshape(rows, width)
