"""The tokenizer: text round trips, places, and the same ids from the `tokenizers` library and transformers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TRACE_TEXTS

from revorder import ProblemError
from revorder.metrics.token_cost import characters
from revorder.model.tokenizer import Tokenizer

ASCII = st.text(st.sampled_from([chr(i) for i in range(32, 127)] + ["\n"]), max_size=60)


@given(ASCII)
def test_decode_undoes_encode(text):
    tokenizer = Tokenizer()
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert Tokenizer(places=0).decode(Tokenizer(places=0).encode(text)) == text


@given(TRACE_TEXTS)
def test_one_token_a_character_and_one_for_the_mark(text):
    assert len(Tokenizer().encode(text)) == characters(text)


def test_places():
    tokenizer = Tokenizer()
    assert tokenizer.tokens(tokenizer.encode("948/12=7r|48r|801")) == (
        ["9₂", "4₁", "8", "/", "1₁", "2", "=", "7", "r|", "4₁", "8₂", "r|", "8₁", "0₂", "1₃"]
    )
    plain = Tokenizer(places=0)
    assert plain.tokens(plain.encode("12=r|21")) == ["1", "2", "=", "r|", "2", "1"]


def test_a_character_without_a_token_is_named():
    with pytest.raises(ProblemError, match="'é' has no token"):
        Tokenizer().encode("1+é")


@given(TRACE_TEXTS)
def test_offsets_are_where_a_tokens_text_stands(text):
    tokenizer = Tokenizer()
    ids = tokenizer.encode(text)
    assert [text[start:stop] for start, stop in tokenizer.offsets(ids)] == [tokenizer.decode([i]) for i in ids]
