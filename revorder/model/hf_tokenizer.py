"""The tokenizer for Hugging Face's libraries: tokenizer.json, and a decoder that restores reversed numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as FastTokenizer
from transformers import PreTrainedTokenizerFast

from revorder.arithmetic.reversed_numbers import restore
from revorder.model.tokenizer import BOS, EOS, PAD, PLACES, Tokenizer, place_suffix


def build_fast_tokenizer(places: int = PLACES) -> FastTokenizer:
    """Return the tokenizer as a `tokenizers.Tokenizer`, for numbers of up to `places` digits, which prepends <bos>.

    >>> build_fast_tokenizer().encode("12+35=r|74").ids == [1, *Tokenizer().encode("12+35=r|74")]
    True
    """
    plain = Tokenizer(places)
    steps: list[Any] = []
    # insert subscripts at zero width, highest place first, so that unmarked digits stay together
    for place in range(places - 1, 0, -1):
        steps.append(normalizers.Replace(Regex(rf"(?<=r\|[0-9]{{{place}}})"), place_suffix(place)))
    for place in range(places - 1, 0, -1):
        steps.append(normalizers.Replace(Regex(rf"(?<=[0-9])(?=[0-9]{{{place}}}(?![0-9]))"), place_suffix(place)))
    fast = FastTokenizer(models.WordLevel(dict(plain.ids), unk_token=PAD))
    fast.normalizer = normalizers.Sequence(steps)
    fast.pre_tokenizer = pre_tokenizers.Split(Regex(r"r\||[0-9][₀-₉]*|[\s\S]"), "isolated")
    fast.decoder = decoders.Sequence([decoders.Replace(Regex("[₀-₉]+"), ""), decoders.Fuse()])
    # r| is not a special token: skip_special_tokens would drop it and leave a wrong number
    fast.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in (PAD, BOS, EOS)])
    fast.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", pair=f"{BOS} $A $B", special_tokens=[(BOS, plain.bos)]
    )
    return fast


def save_place_tokenizer(folder: str | Path, places: int = PLACES) -> None:
    """Write tokenizer.json and tokenizer_config.json, which transformers 4 and 5 can load."""
    folder = Path(folder)
    build_fast_tokenizer(places).save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": PAD,
        "bos_token": BOS,
        "eos_token": EOS,
        "clean_up_tokenization_spaces": False,
        "revorder_places": places,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")


class RevOrderTokenizer(PreTrainedTokenizerFast):
    """A transformers tokenizer whose `decode` restores reversed numbers (section 5.4.2: recovery by the tokenizer).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_place_tokenizer(folder)
    ...     tokenizer = RevOrderTokenizer.from_pretrained(folder)
    >>> tokenizer.decode(tokenizer("12+35=r|74").input_ids, skip_special_tokens=True)
    '12+35=47'
    """

    def _decode(self, *args: Any, **options: Any) -> str:
        return restore(super()._decode(*args, **options))
