"""What a fine-tuned model learns and what not, and the batches that its steps are made of."""

import json
from itertools import pairwise

import pytest

from revorder import ProblemError
from revorder.arithmetic.trace import Kind
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("trl")

from pretrained import KINDS, byte_level, sentencepiece  # noqa: E402

from revorder.corpora.gsm8k import question_prompt  # noqa: E402
from revorder.mixtures.targets import IGNORED, Pair, as_pair  # noqa: E402
from revorder.model.pretrained import load_model, prepare_tokenizer  # noqa: E402
from revorder.training.finetune_batches import (  # noqa: E402
    ROW,
    FinetuneBatches,
    encode_pair,
    first_rows,
    keeps_apart,
    mean_tokens,
    pack,
    packed_at_once,
    steps_for,
)
from revorder.training.finetune_data import ENHANCEMENT_SIZE, InTurn, read_source  # noqa: E402
from revorder.training.finetune_recipe import FinetuneRecipe  # noqa: E402


@pytest.mark.parametrize("kind", ["single digits", "joined digits", "sentencepiece"])
def test_labels_are_on_the_answer_and_on_no_digit_that_is_wrong_at_random(kind, base):
    tokenizer = prepare_tokenizer(KINDS[kind](), load_model(base).config, kind)
    rolled = 0
    for example in sampler(Mixture.read("paper")).examples(0, 0, 300):
        pair = as_pair(example)
        ids, labels = encode_pair(tokenizer, pair)
        prompt = tokenizer(pair.prompt).input_ids
        assert ids[: len(prompt)] == prompt and set(labels[: len(prompt)]) == {IGNORED}
        assert tokenizer.decode(ids, skip_special_tokens=True) == example.text and ids[-1] == tokenizer.eos_token_id
        assert all(label in (IGNORED, token) for token, label in zip(ids, labels, strict=True))
        left_out = [token for token, label in list(zip(ids, labels, strict=True))[len(prompt) :] if label == IGNORED]
        wrong = [
            segment.text
            for segment in example.segments
            if segment.kind is Kind.ESTIMATE and int(segment.text.rstrip("0") or 0) != segment.a // segment.b
        ]
        assert tokenizer.decode(left_out) == "".join(wrong)
        rolled += bool(wrong)
    assert rolled > 30


@pytest.mark.parametrize("method", ["plain", "reverse", "scratchpad", "goat", "authors"])
def test_a_mixture_can_be_written_by_another_method(method, base):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source = read_source("paper", 0, method)
    for pair in source.pairs(0, 0, 40):
        ids, labels = encode_pair(tokenizer, pair)
        assert pair.prompt.endswith("=") and "".join(text for text, _ in pair.spans)
        learned = labels[len(tokenizer(pair.prompt).input_ids) :]
        assert learned.count(IGNORED) <= sum(not keep for _, keep in pair.spans) and learned[-1] == ids[-1]


def test_all_of_a_corpus_answer_is_learned(tmp_path, base):
    path = tmp_path / "corpus.jsonl"
    rows = [{"prompt": "Say:", "completion": " two  words, \n48"}, {"question": "1+1? ", "answer": "<<1+1=r|2=2>>2"}]
    path.write_text("".join(json.dumps(row) + "\n\n" for row in rows))
    tokenizer = prepare_tokenizer(byte_level(False), load_model(base).config, "test")
    found = {pair.prompt: pair for pair in read_source(str(path), 0).pairs(0, 0, 2)}
    assert set(found) == {"Say:", question_prompt("1+1?")}
    for prompt, pair in found.items():
        _, labels = encode_pair(tokenizer, pair)
        assert IGNORED not in labels[len(tokenizer(prompt).input_ids) :]


def test_a_tokenizer_that_puts_spaces_learns_none_behind_the_question(base):
    tokenizer = prepare_tokenizer(sentencepiece(), load_model(base).config, "test")
    ids, labels = encode_pair(tokenizer, as_pair(sampler(Mixture.read("small")).example(42, 7)))
    tokens = tokenizer.convert_ids_to_tokens(ids)
    assert tokens == ["<s>", "▁", *"3422*8=", "r|", *"67372", "</s>"] and labels[8] == IGNORED != labels[9]


# Data and batches


def test_sources_come_in_turn_in_each_epoch_and_a_corpus_is_shuffled_anew(tmp_path, sums):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"prompt": str(i), "completion": "x"}) + "\n" for i in range(50)))
    source = InTurn([read_source(sums, 0), read_source(str(path), 0)])
    first, second = ([pair.prompt for pair in source.pairs(epoch, 398, 450)] for epoch in (0, 1))
    assert len(source) == 450 and first[:2] == second[:2] and all("+" in prompt for prompt in first[:2])
    assert sorted(first[2:], key=int) == [str(i) for i in range(50)] and first[2:] != second[2:]
    again = InTurn([read_source(sums, 0), read_source(str(path), 0)])
    assert [pair.prompt for pair in again.pairs(1, 398, 450)] == second


def test_enhancement_data_come_in_both_notations():
    plain, enclosed = (list(read_source(name, 3).pairs(0, 0, 99)) for name in ("enhancement", "enhancement@@"))
    assert len(read_source("enhancement", 3)) == ENHANCEMENT_SIZE
    assert any("r|" in pair.spans[0][0] for pair in plain) and not any("@@" in pair.spans[0][0] for pair in plain)
    assert any("@@" in pair.spans[0][0] for pair in enclosed)


def test_gsm8k_is_found_by_its_name_and_by_its_folder(shared):
    by_name, by_folder = read_source("gsm8k", 0), read_source(str(shared / "gsm8k"), 0)
    assert len(by_name) == len(by_folder) == 7473 and next(by_name.pairs(0, 0, 1)).spans[0][0].count("####") == 1


@pytest.mark.parametrize("processes", [1, 3])
def test_a_step_is_its_examples_packed_into_rows_of_about_equal_tokens(base, processes):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source = InTurn([read_source("paper", 0)])
    batches = FinetuneBatches(FinetuneRecipe(batch=50, device_batch=4), source, tokenizer, 3, processes)
    assert len(batches) == 3 * batches.pieces and batches.pieces >= 50 / 4 and batches.pieces % processes == 0
    wanted = [encode_pair(tokenizer, pair) for pair in source.pairs(0, 50, 100)]
    items = [batches[i] for i in range(batches.pieces, 2 * batches.pieces)]
    seen = []
    for item in items:
        starts = (item["position_ids"][0] == 0).nonzero().flatten().tolist()
        for start, stop in pairwise([*starts, item["input_ids"].shape[1]]):
            assert item["position_ids"][0, start:stop].tolist() == list(range(stop - start))
            seen.append((item["input_ids"][0, start:stop].tolist(), item["labels"][0, start:stop].tolist()))
    assert seen == wanted
    most, mean = max(item["labels"].shape[1] for item in items), sum(len(ids) for ids, _ in seen) / len(items)
    assert most < mean + 2 * max(len(ids) for ids, _ in seen)
    again = FinetuneBatches(FinetuneRecipe(batch=50, device_batch=4), source, tokenizer, 3, processes)
    assert torch.equal(again[batches.pieces]["labels"], items[0]["labels"])
    assert torch.equal(batches.dataset()[batches.pieces]["labels"], items[0]["labels"])


def test_a_packed_row_is_learned_as_its_examples_are_alone(base):
    model, tokenizer = load_model(base).float(), byte_level(True)
    rows = [
        encode_pair(tokenizer, pair)
        for pair in (Pair("12+35=", [("47", True)]), Pair("9-1=", [("1", False), ("8", True)]))
    ]
    alone = [model(torch.tensor([ids]), labels=torch.tensor([labels])).loss for ids, labels in rows]
    learned = [sum(label != IGNORED for label in labels) for _, labels in rows]
    wanted = sum(loss * n for loss, n in zip(alone, learned, strict=True)) / sum(learned)
    assert model(**pack(rows), use_cache=False).loss.item() == pytest.approx(wanted.item(), rel=1e-5)


SIZE = {"vocab_size": 64, "num_hidden_layers": 2, "hidden_size": 32}


@pytest.mark.parametrize(
    "config, apart",
    [
        (transformers.LlamaConfig(**SIZE, intermediate_size=64, num_attention_heads=2), True),
        (transformers.GPT2Config(vocab_size=64, n_layer=2, n_embd=32, n_head=2), True),
        (transformers.MambaConfig(**SIZE, state_size=4), False),  # its state runs on
        (transformers.BloomConfig(vocab_size=64, n_layer=2, hidden_size=32, n_head=2), False),  # takes no positions
    ],
    ids=lambda value: getattr(value, "model_type", None),
)
def test_whether_a_model_keeps_packed_examples_apart_is_found_out(config, apart):
    transformers.set_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    assert keeps_apart(model, list(range(3, 20))) == apart
    assert keeps_apart(model, list(range(3, 20)), 100) == apart


def test_how_many_examples_a_row_takes(base, sums, monkeypatch, capsys):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source, model = InTurn([read_source(sums, 0)]), load_model(base)
    recipe, sample = FinetuneRecipe(device_batch=400, batch=9), first_rows(source, tokenizer)
    assert packed_at_once(recipe, model, sample, False) == 400
    on_a_cpu = packed_at_once(recipe, model, sample, True)
    assert on_a_cpu < 100 and on_a_cpu * mean_tokens(recipe, sample) == pytest.approx(ROW, rel=0.1)
    config = transformers.MambaConfig(vocab_size=len(tokenizer), num_hidden_layers=1, hidden_size=32, state_size=4)
    mamba = transformers.AutoModelForCausalLM.from_config(config)
    assert packed_at_once(recipe, mamba, sample, False) == 1
    assert "one at a time" in capsys.readouterr().out
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ProblemError, match="batch is 9, and the model takes one example at a time; give a multiple"):
        packed_at_once(recipe, mamba, sample, False)


def test_a_model_that_was_built_for_rows_of_its_positions_is_found_out():
    config = transformers.GPTNeoConfig(
        vocab_size=64,
        hidden_size=32,
        num_layers=1,
        num_heads=2,
        attention_types=[[["global"], 1]],
        max_position_embeddings=40,
    )
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    assert keeps_apart(model, list(range(3, 20))) and not keeps_apart(model, list(range(3, 20)), 41)


def test_long_examples_are_cut_off(base):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source = InTurn([read_source("paper", 0)])
    batches = FinetuneBatches(FinetuneRecipe(max_tokens=40), source, tokenizer, 1)
    assert max(len(ids) for ids, _ in batches.rows(0)) == 40


def test_a_run_can_be_measured_in_epochs_or_tokens(base, sums):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source = InTurn([read_source(sums, 0)])
    assert steps_for(FinetuneRecipe(epochs=3, batch=32), len(source), 20.0) == 38
    recipe = FinetuneRecipe(batch=8)
    steps = steps_for(recipe, len(source), mean_tokens(recipe, first_rows(source, tokenizer)), tokens=20_000)
    batches = FinetuneBatches(recipe, source, tokenizer, steps)
    seen = sum(len(ids) for step in range(steps) for ids, _ in batches.rows(step))
    assert 0.95 * 20_000 < seen < 1.05 * 20_000
