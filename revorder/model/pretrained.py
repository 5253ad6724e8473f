"""Prepare a pretrained language model for arithmetic: every digit is one token, and `r|` becomes a new token."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from revorder.arithmetic.reversed_numbers import MARK
from revorder.errors import ProblemError, first_line, quote

# (prompt, completion) that a tokenizer must encode digit by digit and decode unchanged
SAMPLES = (
    ("12+345=", "r|753=357"),
    ("9876543210-8=", "r|2023456789=9876543202"),
    ("12-35=", "-23"),
    ("".join(f"{number:02}" for number in range(100)), "*1000000=2024"),  # every pair of digits
    ("948/12=", "7R-(12*70)(r|048)(r|801)#9R-(12*9)(r|801)(0)=79"),
    ("How many? 1,000\n", "She has 48/2 = <<48/2=24>>24 clips,  so\n<<48+24=r|27=72>>72.\n#### 72"),
)


def load_tokenizer(name: str | Path) -> Any:
    """Load the tokenizer of a Hugging Face folder or Hub name. Raises ProblemError on failure."""
    from transformers import AutoTokenizer

    with _one_line(name):
        return AutoTokenizer.from_pretrained(name, clean_up_tokenization_spaces=False)


def load_model(name: str | Path) -> Any:
    """Load the causal language model of a Hugging Face folder or Hub name. Raises ProblemError on failure."""
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    hidden = Path(name).is_dir() and logging.is_progress_bar_enabled()  # a bar is for a download
    if hidden:
        logging.disable_progress_bar()
    try:
        with _one_line(name):
            return AutoModelForCausalLM.from_pretrained(name, dtype="auto")
    finally:
        if hidden:
            logging.enable_progress_bar()


@cache
def has_bf16() -> bool:
    """Whether this machine multiplies bfloat16 matrices in hardware."""
    import torch

    if torch.cuda.is_available():
        return torch.cuda.is_bf16_supported()
    capabilities = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))


@contextmanager
def _one_line(name: str | Path) -> Iterator[None]:
    """Turn any error while loading a model into a one-line ProblemError."""
    try:
        yield
    except ProblemError:
        raise
    except Exception as error:
        said = quote(first_line(error) or type(error).__name__)
        raise ProblemError(
            f"model {str(name)!r} can't be loaded: {said}; give the folder of a causal language model that "
            "transformers reads, or its name on the Hugging Face Hub"
        ) from None


def prepare(model: Any, tokenizer: Any, name: str | Path) -> Any:
    """Add `r|` to a model and its tokenizer, and return the tokenizer.

    A model that already knows `r|` keeps its embedding. Raises ProblemError if the tokenizer is unsuitable.
    """
    like = [_id(tokenizer, character) for character in MARK]
    known = MARK in tokenizer.get_vocab()
    tokenizer = prepare_tokenizer(tokenizer, model.config, str(name))
    if not known:
        add_embedding(model, tokenizer.convert_tokens_to_ids(MARK), like)
    stops = model.generation_config.eos_token_id or []
    stops = [stops] if isinstance(stops, int) else stops
    model.generation_config.eos_token_id = list(dict.fromkeys([tokenizer.eos_token_id, *stops]))
    return tokenizer


def _id(tokenizer: Any, text: str) -> int:
    """Return the id of a token, or of the last token of a text."""
    known = tokenizer.get_vocab().get(text)
    return known if known is not None else tokenizer(text, add_special_tokens=False).input_ids[-1]


def add_embedding(model: Any, token: int, like: Sequence[int]) -> None:
    """Set a new token's input and output embeddings to the mean of the tokens `like`, adding rows if needed."""
    import torch

    if token >= model.get_input_embeddings().weight.shape[0]:
        model.resize_token_embeddings(token + 1, mean_resizing=False)
    with torch.no_grad():
        for layer in (model.get_input_embeddings(), model.get_output_embeddings()):
            for rows in (layer.weight, getattr(layer, "bias", None)):
                if rows is not None:
                    rows[token] = rows[list(like)].mean(0)


# The tokenizer


def prepare_tokenizer(tokenizer: Any, config: Any, name: str) -> Any:
    """Return the tokenizer with `r|` as one token and every digit as one token, as loaded back from a folder.

    If the tokenizer keeps digits together, they are split before encoding. Raises ProblemError that names the model if
    digits still stay together, or if a text does not decode to itself.
    """
    wrong = ""
    if not tokenizer.is_fast:
        wrong = "it is not of the tokenizers library, and tells no offsets"
    elif tokenizer.eos_token_id is None:
        wrong = "it has no token that ends a text"
    if not wrong:
        tokenizer.add_tokens([_added(MARK)])
        backend = tokenizer.backend_tokenizer
        for normalizer, pre_tokenizer in _ways(backend):
            backend.normalizer, backend.pre_tokenizer = normalizer, pre_tokenizer
            with TemporaryDirectory() as folder:
                config.save_pretrained(folder)
                save_tokenizer(tokenizer, folder)
                saved = load_tokenizer(folder)
            problem = find_fault(saved)
            if not problem:
                return saved
            wrong = wrong or problem
    raise ProblemError(
        f"model {name!r}: its tokenizer won't do: {wrong}; choose a model that can encode digits one by one"
    )


def _added(text: str) -> Any:
    from tokenizers import AddedToken

    return AddedToken(text, normalized=False, special=False)  # decoding would skip a special token


def _ways(backend: Any) -> Iterator[tuple[Any, Any]]:
    """Yield pairs (normalizer, pre-tokenizer) that may keep digits apart, the tokenizer's own first."""
    from tokenizers import pre_tokenizers

    normalizer, own = backend.normalizer, backend.pre_tokenizer
    digits = pre_tokenizers.Digits(individual_digits=True)
    yield normalizer, own
    yield normalizer, pre_tokenizers.Sequence([digits, own] if own else [digits])
    # for sentencepiece: a space before the text, but not before a text that follows `r|`
    spaces = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    yield None, spaces
    yield None, pre_tokenizers.Sequence([digits, spaces])


def find_fault(tokenizer: Any) -> str:
    """Return the first fault of a tokenizer with `r|` on SAMPLES, or an empty text."""
    mark = tokenizer.convert_tokens_to_ids(MARK)
    for prompt, completion in SAMPLES:
        text = prompt + completion
        encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        pieces = {start: text[start:stop].strip() for start, stop in encoded.offset_mapping if start < stop}
        joined = [piece for piece in pieces.values() if len(piece) > 1 and any(map(str.isdigit, piece))]
        if joined:
            return f"{quote(joined[0])} is one token"
        if "".join(filter(str.isdigit, pieces.values())) != "".join(filter(str.isdigit, text)):
            return f"digits of {quote(text)} are no tokens of their own"
        if encoded.input_ids.count(mark) != text.count(MARK):
            return f"{MARK!r} in {quote(text)} is not one token"
        ids = encode_prompt(tokenizer, prompt) + encode_completion(tokenizer, completion)[0]
        back = tokenizer.decode(ids, skip_special_tokens=True)
        if back != text:
            return f"it reads {quote(text)} back as {quote(back)}"
    return ""


def encode_prompt(tokenizer: Any, prompt: str) -> list[int]:
    """Return the ids of a prompt, with the tokenizer's tokens before a text but without its end token."""
    ids = list(tokenizer(prompt).input_ids)
    return ids[:-1] if ids and ids[-1] == tokenizer.eos_token_id else ids


def encode_completion(tokenizer: Any, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the ids of a text that follows any prompt, and the (start, end) of each token in its characters.

    The text is encoded after `r|`, because no tokenizer joins `r|` with the next characters or adds a space there.
    """
    encoded = tokenizer(MARK + text, add_special_tokens=False, return_offsets_mapping=True)
    offsets, end = [], 0
    for start, stop in encoded.offset_mapping[1:]:
        # some tokenizers leave out spaces at a token's ends: characters before it that no token has are its own
        offsets.append((min(start - len(MARK), end), stop - len(MARK)))
        end = stop - len(MARK)
    return list(encoded.input_ids[1:]), offsets


def save_tokenizer(tokenizer: Any, folder: str | Path) -> None:
    """Write a tokenizer that loads from its tokenizer.json; a model's own class would rebuild it with joined digits."""
    tokenizer.save_pretrained(folder)
    path = Path(folder) / "tokenizer_config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"tokenizer_class": "PreTrainedTokenizerFast"}
    path.write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
