"""The tokenizer: text round trips, places, and the same ids from the `tokenizers` library and transformers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import METHODS, Problem, ProblemError, trace
from revorder.cost import characters
from revorder.tokenizer import Tokenizer, build, save

ASCII = st.text(st.sampled_from([chr(i) for i in range(32, 127)] + ["\n"]), max_size=60)
TRACES = st.builds(
    lambda method, a, op, b: trace(Problem(a, op, b), method).text,
    st.sampled_from(list(METHODS)),
    st.integers(0, 10**18),
    st.sampled_from("+-*/"),
    st.integers(1, 10**12),
)


@given(ASCII)
def test_decode_undoes_encode(text):
    tokenizer = Tokenizer()
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert Tokenizer(places=0).decode(Tokenizer(places=0).encode(text)) == text


@given(TRACES)
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


@given(TRACES)
def test_the_library_gives_the_same_ids(text):
    pytest.importorskip("tokenizers")
    ids = Tokenizer().encode(text)
    assert FAST.encode(text).ids == ids
    assert FAST.decode(ids) == FAST.decode(ids, skip_special_tokens=False) == text


def test_transformers_loads_it_and_keeps_the_mark(tmp_path):
    transformers = pytest.importorskip("transformers")
    save(tmp_path)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    ids = loaded("12+35=r|74")["input_ids"]
    assert ids == Tokenizer().encode("12+35=r|74")
    assert loaded.decode([1, *ids, 2], skip_special_tokens=True) == "12+35=r|74"
    assert (loaded.pad_token_id, loaded.bos_token_id, loaded.eos_token_id) == (0, 1, 2)


try:
    FAST = build()
except ImportError:
    FAST = None


def test_decode_restores_where_that_is_asked_for(tmp_path):
    pytest.importorskip("transformers")
    from revorder.tokenizer import RevOrderTokenizer

    save(tmp_path)
    loaded = RevOrderTokenizer.from_pretrained(tmp_path)
    ids = Tokenizer().encode("12-35=r|77Wr|32-")
    assert loaded.decode([1, *ids, 2], skip_special_tokens=True) == "12-35=77W-23"
    assert loaded.batch_decode([Tokenizer().encode("12+35=r|74")]) == ["12+35=47"]
