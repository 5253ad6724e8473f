"""The tokenizer that Hugging Face's libraries read: the same ids, <bos> before every text, numbers restored on
demand."""

import json

import pytest
from hypothesis import given
from strategies import TRACE_TEXTS

from revorder import METHODS
from revorder.model.checkpoint import CheckpointInfo, checkpoint, shipped
from revorder.model.tokenizer import Tokenizer

transformers = pytest.importorskip("transformers")

from revorder.model.hf_tokenizer import RevOrderTokenizer, build_fast_tokenizer, save_place_tokenizer  # noqa: E402

FAST = build_fast_tokenizer()


@given(TRACE_TEXTS)
def test_the_library_gives_the_same_ids_after_bos(text):
    ids = Tokenizer().encode(text)
    encoding = FAST.encode(text)
    assert encoding.ids == [1, *ids]
    assert FAST.encode(text, add_special_tokens=False).ids == ids
    assert FAST.decode(encoding.ids) == FAST.decode(ids, skip_special_tokens=False) == text


def test_transformers_loads_it_adds_bos_and_keeps_the_mark(tmp_path):
    save_place_tokenizer(tmp_path)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    ids = loaded("12+35=r|74")["input_ids"]
    assert ids == [1, *Tokenizer().encode("12+35=r|74")]
    assert loaded.decode([*ids, 2], skip_special_tokens=True) == "12+35=r|74"
    assert (loaded.pad_token_id, loaded.bos_token_id, loaded.eos_token_id) == (0, 1, 2)
    # the name that transformers 4 knows
    assert json.loads((tmp_path / "tokenizer_config.json").read_text())["tokenizer_class"] == "PreTrainedTokenizerFast"


def test_decode_restores_where_that_is_asked_for(tmp_path):
    save_place_tokenizer(tmp_path)
    loaded = RevOrderTokenizer.from_pretrained(tmp_path)
    ids = Tokenizer().encode("12-35=r|77Wr|32-")
    assert loaded.decode([1, *ids, 2], skip_special_tokens=True) == "12-35=77W-23"
    assert loaded.batch_decode([Tokenizer().encode("12+35=r|74")]) == ["12+35=47"]


@pytest.mark.parametrize("name", shipped())
def test_the_shipped_folder_answers_in_plain_transformers(name):
    folder = checkpoint(name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    assert model.config.use_cache
    for problem in ("12+35", "7-9", "12*4567", "950/12", "999999+1", "100000/7"):
        question = tokenizer(f"{problem}=", return_tensors="pt")
        text = tokenizer.decode(model.generate(**question, max_new_tokens=160)[0], skip_special_tokens=True)
        method = METHODS[CheckpointInfo.load(folder).method]
        assert method.parse_answer(text) == method.parse_question(text).answer, text


@pytest.mark.parametrize("name", shipped())
def test_the_shipped_cards_snippet_runs(name, monkeypatch, capsys):
    folder = checkpoint(name)
    monkeypatch.chdir(folder)
    exec((folder / "README.md").read_text().partition("```python\n")[2].partition("```")[0], {})
    assert capsys.readouterr().out.startswith("12+35=r|74")
