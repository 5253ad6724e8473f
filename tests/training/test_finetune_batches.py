"""What a fine-tuned model learns and what not, and the batches that its steps are made of."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    CPU_TOKENS,
    LINE,
    FinetuneBatches,
    can_pack,
    encode_pair,
    examples_at_once,
    first_rows,
    learned_only,
    mean_tokens,
    pack,
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


def unpacked(item):
    """Split a batch into its examples, as (ids, labels), wherever the positions start again at 0."""
    found = []
    columns = (item[key] for key in ("input_ids", "labels", "attention_mask", "position_ids"))
    for ids, labels, mask, positions in zip(*columns, strict=True):
        length = int(mask.sum())
        assert mask[:length].all() and set(labels[length:].tolist()) <= {IGNORED}
        starts = [*(at for at in range(length) if positions[at] == 0), length]
        for start, end in pairwise(starts):
            assert positions[start:end].tolist() == list(range(end - start))
            found.append((ids[start:end].tolist(), labels[start:end].tolist()))
    return found


@pytest.mark.parametrize("processes", [1, 3])
def test_a_step_is_its_examples_in_pieces_of_about_equal_tokens(base, processes):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source = InTurn([read_source("paper", 0)])
    batches = FinetuneBatches(FinetuneRecipe(batch=50, device_batch=4), source, tokenizer, 3, processes)
    assert len(batches) == 3 * batches.pieces and batches.pieces >= 50 / 4 and batches.pieces % processes == 0
    wanted = [encode_pair(tokenizer, pair) for pair in source.pairs(0, 50, 100)]
    items = [batches[i] for i in range(batches.pieces, 2 * batches.pieces)]
    assert sorted(example for item in items for example in unpacked(item)) == sorted(wanted)
    sizes = [int(item["attention_mask"].sum()) for item in items]
    assert max(sizes) < sum(sizes) / len(items) + 2 * max(len(ids) for ids, _ in wanted)
    assert sum(item["labels"].numel() for item in items) < 1.2 * sum(sizes)  # the rest is padding
    again = FinetuneBatches(FinetuneRecipe(batch=50, device_batch=4), source, tokenizer, 3, processes)
    assert torch.equal(again[batches.pieces]["labels"], items[0]["labels"])
    assert torch.equal(batches.dataset()[batches.pieces]["labels"], items[0]["labels"])


@given(st.lists(st.integers(1, 200), min_size=1, max_size=60))
def test_lines_hold_every_example_once_and_are_no_longer_than_they_may_be(lengths):
    rows = [([at] * length, [at] * length) for at, length in enumerate(lengths)]
    lines = pack(rows, LINE)
    assert sorted(row for line in lines for row in line) == sorted(rows)
    totals = [sum(len(ids) for ids, _ in line) for line in lines]
    assert all(total <= LINE or len(line) == 1 for total, line in zip(totals, lines, strict=True))
    assert sum(total <= LINE / 2 for total in totals) <= 1  # two such lines would have been one


@pytest.mark.parametrize("packed", [True, False])
def test_a_batch_is_learned_as_its_examples_are_alone(base, packed):
    model, tokenizer = load_model(base).float(), byte_level(True)
    pairs = [Pair("12+35=", [("47", True)]), Pair("9-1=", [("1", False), ("8", True)]), Pair("", [("2+2=4", True)])]
    rows = [encode_pair(tokenizer, pair) for pair in pairs]
    alone = [model(torch.tensor([ids]), labels=torch.tensor([labels])).loss for ids, labels in rows]
    learned = [sum(label != IGNORED for label in labels[1:]) for _, labels in rows]
    wanted = sum(loss * n for loss, n in zip(alone, learned, strict=True)) / sum(learned)
    batches = FinetuneBatches(FinetuneRecipe(), InTurn([read_source("paper", 0)]), tokenizer, 1, packed=packed)
    batch = batches.lines(rows)
    assert len(batch["labels"]) == (1 if packed else 3)
    found = model(**learned_only(batch))
    assert found.loss.item() == pytest.approx(float(wanted), rel=1e-5)
    assert len(found.logits) == sum(learned)


def test_a_model_that_reads_on_over_positions_gets_an_example_a_line(base):
    assert can_pack(load_model(base))
    size = {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4, "vocab_size": 64}
    assert not can_pack(transformers.MambaForCausalLM(transformers.MambaConfig(**size)))


def test_how_many_examples_are_computed_at_once():
    assert examples_at_once(FinetuneRecipe(batch=400, device_batch=400), 20, cpu=False) == 400
    assert examples_at_once(FinetuneRecipe(batch=400, device_batch=400), 20, cpu=True) == CPU_TOKENS // 20
    assert examples_at_once(FinetuneRecipe(), 20, cpu=True) == CPU_TOKENS // 20
    assert examples_at_once(FinetuneRecipe(), 20, cpu=False) == 8
    assert examples_at_once(FinetuneRecipe(device_batch=2), 20, cpu=True) == 2
    assert examples_at_once(FinetuneRecipe(), 2 * CPU_TOKENS, cpu=True) == 1


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
