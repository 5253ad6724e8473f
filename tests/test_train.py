"""Training: batches that are pure, a loss on the answer only, and a run that stops, goes on, and can be loaded."""

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from revorder import Problem, ProblemError, trace
from revorder.runtime import Runtime
from revorder.tokenizer import Tokenizer

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402

from revorder.batches import IGNORED, Batches, encode_problem, losses, pad  # noqa: E402
from revorder.data import example  # noqa: E402
from revorder.mixture import Mixture  # noqa: E402
from revorder.model import Shape, create, export, merge, restart  # noqa: E402
from revorder.noise import disturb  # noqa: E402
from revorder.ranking import ranking, worst_losses  # noqa: E402
from revorder.recipe import Recipe  # noqa: E402
from revorder.settings import RECIPES  # noqa: E402
from revorder.train import train  # noqa: E402

ROOT = Path(__file__).parent.parent
RECIPE = """
name: test
model: {layers: 2, width: 64, ffn: 96, heads: 1}
data: {method: lean, answer: false, size: 2000, parts: [{op: "+", a: [1, 2], b: [1, 2]}]}
limits: [["+", 2, 2]]
steps: 60
tokens: 128
exact: [["+", 2, 2]]
exact_every: 30
save_every: 10
"""


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "recipe.yaml"
    path.write_text(RECIPE)
    return path


def test_batches_are_a_pure_function_of_the_step(recipe):
    tokenizer = Tokenizer()
    one, two = (Batches(Recipe.read(recipe), tokenizer) for _ in range(2))
    two[5]  # another order of asking
    for step in (0, 31, 32, 33):
        assert torch.equal(one[step]["input_ids"], two[step]["input_ids"])
        assert one[step]["input_ids"].shape[1] % 8 == 0
    seen = sum(int(one[step]["input_ids"].ne(0).sum()) for step in range(32))
    assert 128 * 32 <= seen < 128 * 33


def longest(batches, items):
    return max(int(batches[item]["input_ids"].ne(0).sum(1).max()) for item in items)


def test_short_examples_come_first(tmp_path):
    path = tmp_path / "long.yaml"
    text = RECIPE.replace("[1, 2], b: [1, 2]", "[1, 16], b: [1, 16]").replace("steps: 60", "steps: 256")
    path.write_text(text + "shortest: 12\nlongest: 40\nshort_first: 0.5\n")
    recipe = Recipe.read(path)
    batches = Batches(recipe, Tokenizer())
    caps = [batches.cap(progress) for progress in (0, 0.25, 0.5, 1)]
    assert caps == [12, 22, 40, 40]
    assert longest(batches, range(32)) <= 12 < longest(batches, range(64, 96)) <= 22
    assert 30 < longest(batches, range(128, 160)) <= 40


def test_each_process_has_batches_of_its_own(recipe):
    recipe = Recipe.read(recipe)
    alone, (first, second) = Batches(recipe, Tokenizer()), (Batches(recipe, Tokenizer(), 2) for _ in range(2))
    assert len(first) == 2 * len(alone)
    mine = [first[item]["input_ids"] for item in range(0, 64, 2)]
    others = [second[item]["input_ids"] for item in range(1, 64, 2)]
    assert not any(one.shape == other.shape and torch.equal(one, other) for one in mine for other in others)
    assert torch.equal(first[1]["input_ids"], others[0])


def test_the_loss_is_on_the_answer_only():
    tokenizer = Tokenizer()
    mixture = Mixture.read("lean")
    for index in range(200):
        made = example(0, index, mixture)
        ids, labels = encode_problem(tokenizer, mixture, made.problem, made.rollback)
        assert len(ids) == len(labels) and tokenizer.decode(ids) == made.text
        asked = len(tokenizer.encode(f"{made.problem}=")) + 1
        assert set(labels[:asked]) == {IGNORED} and labels[-1] == tokenizer.eos
        learned = [(i, label) for i, label in enumerate(labels) if label != IGNORED]
        assert all(ids[i] == label for i, label in learned)
        if not made.rollback:
            assert len(learned) == len(ids) - asked


@pytest.mark.parametrize(
    ("method", "form"), [("lean", "lean"), ("revorder", "compact"), ("revorder", "expanded"), ("authors", "authors")]
)
def test_no_loss_on_a_digit_that_is_wrong_at_random_but_on_its_w(method, form):
    tokenizer = Tokenizer()
    mixture = Mixture("x", (), method, form)
    ids, labels = encode_problem(tokenizer, mixture, Problem(948, "/", 12), {0: 8})
    written = trace("948/12", method, form, {0: 8})
    start = 1 + len(tokenizer.encode(written.steps[0].parts[0][0]))
    hidden = [i for i, label in zip(ids[start:], labels[start:], strict=True) if label == IGNORED]
    assert tokenizer.decode(hidden) == "8"
    assert tokenizer.decode(ids) == written.text
    w = tokenizer.ids["W"]
    assert labels[ids.index(w)] == w


def test_a_digit_that_the_margin_rounds_up_is_learned_with_its_step():
    tokenizer = Tokenizer()
    mixture = Mixture("x", (), "lean", "lean", answer=False, margin=0.1)
    ids, labels = encode_problem(tokenizer, mixture, Problem(359, "/", 12), {0: 3})
    assert tokenizer.decode(ids) == "359/12=30r|63r|999W20r|42r|911#9r|801r|011=29R11"
    assert IGNORED not in labels[len("359/12=") + 1 :]
    ids, labels = encode_problem(tokenizer, mixture, Problem(348, "/", 12), {0: 3})
    assert labels[len("348/12=") + 1] == IGNORED  # 34 is not short of 36 by so little


def hidden_digits(a, b, wrong, unsure=0.25, strict=True):
    """The answer's text as it is learned where digits are rounded to the nearest: [unlearned], {either of two}."""
    tokenizer = Tokenizer()
    mixture = Mixture("x", (), "lean", "lean", answer=False, margin=0.5, unsure=unsure)
    ids, labels = encode_problem(tokenizer, mixture, Problem(a, "/", b), wrong, strict)
    shown = []
    for token, label in list(zip(ids, labels, strict=True))[len(f"{a}/{b}=") + 1 :]:
        one, another = (tokenizer.decode([right]) for right in (label % len(tokenizer), label // len(tokenizer)))
        shown.append(
            f"[{tokenizer.decode([token])}]" if label == IGNORED else f"{{{one}{another}}}" if another else one
        )
    return "".join(shown)


def test_where_either_of_two_estimates_will_do_both_are_right():
    assert hidden_digits(67, 12, {0: 6}) == "{56}r|27r|059W5r|06r|070=5R7"  # 5.58, and a digit behind a W is sure
    assert hidden_digits(65, 12, None) == "{56}r|06r|050=5R5"  # 5.42
    assert hidden_digits(70, 12, {0: 6}) == "6r|27r|089W5r|06r|001=5R10"  # 5.83
    assert hidden_digits(65, 12, {0: 6}) == "{56}r|27r|039W5r|06r|050=5R5"
    assert hidden_digits(65, 12, {0: 9}).startswith("{56}r|801r|075W5r|")  # wrong, and what would be right is known
    assert hidden_digits(61, 12, {0: (9, 7)}) == "[9]r|801r|035W[7]r|48r|077W5r|06r|010=5R1"
    assert hidden_digits(61, 12, None) == "5r|06r|010=5R1"
    assert hidden_digits(67, 12, {0: 6}, unsure=0.01) == "6r|27r|059W5r|06r|070=5R7"
    assert hidden_digits(119, 12, {-1: 1}).endswith("W#9r|801r|011=9R11")  # 9.9: a 9 is never rounded
    assert hidden_digits(100, 24, None) == "{#1}4r|69r|040=4R4"  # 10 / 24 is 0.42, and a # stands for the 0
    assert hidden_digits(140, 24, {-1: 1}).startswith("{#1}0r|42r|")
    assert hidden_digits(5, 12, None).startswith("{01}r|")


def test_where_it_is_not_strict_an_estimate_may_be_one_too_high_but_not_behind_a_w():
    assert hidden_digits(70, 12, {0: 6}, strict=False) == "{56}r|27r|089W5r|06r|001=5R10"
    assert hidden_digits(120, 48, None, strict=False) == "{#1}{23}r|69r|042=2R24"
    assert hidden_digits(119, 12, {-1: 1}, strict=False).endswith("W#9r|801r|011=9R11")


def test_the_loss_where_either_will_do_is_that_of_both_together():
    torch.manual_seed(0)
    size = len(Tokenizer())
    logits, labels = torch.randn(2, 3, size), torch.tensor([[5, 7, IGNORED], [9, 7 + size * 8, 8]])
    chances = logits.softmax(-1)
    right = torch.tensor([[chances[0, 0, 7], 1], [chances[1, 0, 7] + chances[1, 0, 8], chances[1, 1, 8]]])
    assert torch.allclose(losses(logits, labels), -right.log(), atol=1e-6)
    logits[1, 0] = 0
    logits[1, 0, 7], logits[1, 0, 8] = 20, -20
    assert losses(logits, labels)[1, 0] < 1e-6  # all on one of them is as good


@pytest.mark.parametrize("method", ["goat", "scratchpad"])
def test_a_quotient_digit_with_its_zeros_is_learned(method):
    ids, labels = encode_problem(Tokenizer(), Mixture("x", (), method, method), Problem(84370, "/", 13))
    first = next(i for i, label in enumerate(labels) if label != IGNORED)
    assert labels[first:] == ids[first:] and len(ids) - first > 40


def test_every_packaged_recipe_can_be_read():
    names = [path.stem.removeprefix("train-") for path in RECIPES.glob("train-*.yaml")]
    assert {"calculator", "calculator-polish", "compact", "sums"} <= set(names)
    for name in names:
        recipe = Recipe.read(name)
        assert recipe.name == name and recipe.limits and recipe.data.parts


def test_a_number_may_have_an_exponent(recipe):
    recipe.write_text(
        RECIPE.replace("steps: 60", "lr: 1e-3\nmuon_lr: 2E-2").replace("width: 64", "width: 64, theta: 1e6")
    )
    read = Recipe.read(recipe)
    assert (read.lr, read.muon_lr, read.model.theta) == (0.001, 0.02, 1e6)


def test_a_recipe_is_like_another_but_for_what_it_says(recipe):
    other = recipe.with_name("other.yaml")
    other.write_text(f"like: {recipe}\nname: other\nsteps: 7\ndata: {{size: 99}}\n")
    one, two = Recipe.read(recipe), Recipe.read(other)
    assert (two.name, two.steps, two.data.size) == ("other", 7, 99)
    assert (two.data.parts, two.data.method, two.model, two.limits) == (one.data.parts, "lean", one.model, one.limits)
    third = recipe.with_name("third.yaml")
    third.write_text(f"like: {other}\n")
    for like in (str(other), str(third), "[1]", "nowhere.yaml"):
        other.write_text(f"like: {like}\n")
        with pytest.raises(ProblemError, match="key 'like' is|nowhere"):
            Recipe.read(other)


def ranked(folder, settings):
    """A recipe with `settings`, its tokenizer, a new model, and the ranking of both, kept in `folder`."""
    path = folder / "ranked.yaml"
    path.write_text(RECIPE + settings)
    recipe, tokenizer = Recipe.read(path), Tokenizer()
    model = create(recipe.model, seed=1)
    return recipe, tokenizer, model, ranking(model, recipe, tokenizer, folder)


def test_after_a_ranking_half_is_of_the_hardest_examples(tmp_path):
    recipe, tokenizer, model, first = ranked(tmp_path, "hardest: 0.3\nrank_every: 32\n")
    assert first(0) == first(31) == [] and not list(tmp_path.glob("hardest-*"))
    chosen = first(32)
    losses = worst_losses(model, recipe, tokenizer, range(1, 2000, 2))
    assert len(chosen) == 300 and chosen == sorted(chosen) and len(losses) == 1000
    assert min(losses[index] for index in chosen) >= max(losses[i] for i in losses if i not in chosen)
    other = create(recipe.model, seed=2)
    assert ranking(other, recipe, tokenizer, tmp_path)(40) == chosen  # a resumed run goes on with the same
    assert {index % 2 for index in ranking(other, recipe, tokenizer, tmp_path)(64)} == {0}
    assert len(ranking(model, replace(recipe, start="somewhere"), tokenizer, tmp_path)(0)) == 300

    batches = Batches(recipe, tokenizer, hardest=first)
    hard = {tuple(tokenizer.encode(example(0, index, recipe.data).text)) for index in chosen}

    def share(items):
        rows = [row for item in items for row in batches[item]["input_ids"].tolist()]
        texts = [tuple(token for token in row if token > 2) for row in rows]
        return sum(len(text) for text in texts if text in hard) / sum(map(len, texts))

    assert share(range(32)) < 0.4 and share(range(32, 60)) > 0.5


def test_a_ranking_of_fresh_examples_adds_others_each_time(tmp_path):
    recipe, tokenizer, model, hardest = ranked(
        tmp_path, "start: somewhere\nhardest: 0.05\nfresh: 400\nrank_every: 32\n"
    )
    chosen = hardest(0)
    losses = worst_losses(model, recipe, tokenizer, range(2000, 2400))
    assert chosen == sorted(sorted(losses, key=losses.__getitem__)[-20:])
    more = hardest(32)
    assert len(more) == 40 and more[:20] == chosen and set(more[20:]) < set(range(2400, 2800))
    assert recipe.steps == 60 and recipe.equations == 2040
    with pytest.raises(ProblemError, match="key 'fresh'; accepted: with 'hardest'"):
        ranked(tmp_path, "fresh: 400\n")


def test_a_retold_recipe_shows_the_same_equations_with_other_digits_taken_back(recipe, tmp_path):
    path = recipe.with_name("divisions.yaml")
    data = "{rollback: 1, size: 20, parts: [{op: /, a: [4, 6], b: [1, 2]}]}"
    path.write_text(f"like: {recipe}\nretold: true\nshort_first: 0\nhardest: 0.3\nstart: somewhere\ndata: {data}\n")
    recipe, tokenizer = Recipe.read(path), Tokenizer()
    batches = Batches(recipe, tokenizer)
    with pytest.raises(ProblemError, match="'test': no example has up to 9 tokens; accepted: a larger 'shortest'"):
        batches.pool(0, cap=9)

    def texts(items):
        rows = [row for item in items for row in batches[item]["input_ids"].tolist()]
        return {tokenizer.decode([token for token in row if token]) for row in rows}

    first, second = texts(range(32)), texts(range(32, 60))
    problems = [{text.partition("=")[0] for text in some} for some in (first, second)]
    assert problems[0] == problems[1] == {str(example(0, index, recipe.data).problem) for index in range(20)}
    assert len(first & second) < len(first) / 2
    hardest = ranking(create(recipe.model, seed=1), recipe, tokenizer, tmp_path)
    chosen, more = hardest(0), hardest(recipe.rank_every)
    assert len(chosen) == 3 and set(chosen) < set(range(0, 20, 2))
    assert more[:3] == chosen and set(more[3:]) < set(range(21, 40, 2))
    with pytest.raises(ProblemError, match="keys 'retold' and 'fresh'; accepted: one of them"):
        ranked(tmp_path, "retold: true\nhardest: 0.1\nfresh: 400\n")
    with pytest.raises(ProblemError, match="key 'passed'; accepted: with 'fresh'"):
        ranked(tmp_path, "passed: 400\n")


def test_half_of_what_is_shown_is_of_long_examples(recipe, tmp_path):
    path = recipe.with_name("long.yaml")
    data = "{rollback: 1, size: 2000, parts: [{op: +, a: [1, 9], b: [1, 9]}, {op: /, a: [1, 9], b: [1, 4]}]}"
    tokenizer = Tokenizer()

    def shown(settings, items=range(60)):
        path.write_text(f"like: {recipe}\nshort_first: 0\nretold: true\ndata: {data}\n{settings}\n")
        batches = Batches(Recipe.read(path), tokenizer)
        rows = [row for item in items for row in batches[item]["input_ids"].tolist()]
        return [tokenizer.decode([token for token in row if token]) for row in rows]

    def share(texts, op, longer, shorter):
        def long(text):
            lengths = sorted(map(len, text.partition("=")[0].split(op)))
            return len(lengths) == 2 and lengths[0] >= shorter and lengths[1] >= longer

        return sum(len(text) for text in texts if long(text)) / sum(map(len, texts))

    with pytest.raises(ProblemError, match="'test': an example has [0-9]+ tokens, a batch 128; accepted: a larger"):
        shown('long: [["/", 9, 1]]')
    recipe.write_text(RECIPE.replace("tokens: 128", "tokens: 512"))
    every, divisions = shown(""), shown('long: [["/", 8, 4]]')
    both = shown('long: [["+", 8, 8], ["/", 9, 4]]')
    assert share(every, "/", 8, 4) < 0.2 and share(divisions, "/", 8, 4) > 0.5 and share(divisions, "+", 1, 1) > 0.1
    assert share(both, "/", 9, 4) + share(both, "+", 8, 8) > 0.5 and share(both, "+", 8, 8) > 2 * share(
        every, "+", 8, 8
    )
    first, then = (set(shown('long: [["/", 9, 4]]', items)) for items in (range(32), range(32, 60)))
    problems = [{text.partition("=")[0] for text in texts if "/" in text} for texts in (first, then)]
    assert (
        len({text for text in first & then if "/" in text}) < len(problems[0] & problems[1]) / 2
    )  # told again otherwise
    with pytest.raises(ProblemError, match="'test': no example is as long as 17D[+]1D, 4D-2D; accepted: a shorter"):
        shown('long: [["+", 17, 1], ["-", 4, 2]]')


def test_two_processes_rank_as_one(recipe, tmp_path):
    start = train(recipe, tmp_path / "start", steps=20)
    other = tmp_path / "other.yaml"
    other.write_text(f"like: {recipe}\nstart: {start}\nhardest: 0.1\nfresh: 400\nsteps: 10\n")
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = ["-m", "revorder", "train", str(other), "--out", str(tmp_path / "two")]
    done = subprocess.run([*torchrun, *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    read, tokenizer = Recipe.read(other), Tokenizer()
    alone = worst_losses(restart(start, read.model), read, tokenizer, range(2000, 2400))
    chosen = json.loads((tmp_path / "two/run/hardest-0.json").read_text())
    assert len(chosen) == 40 and min(alone[index] for index in chosen) > sorted(alone.values())[-44]
    assert json.loads((tmp_path / "two/revorder.json").read_text())["extra"]["tokens"] == 10 * 128 * 2


def test_a_grown_model_writes_what_its_start_wrote(tmp_path):
    shape = Shape(layers=2, width=64, ffn=96, heads=1)
    export(create(shape, seed=3), tmp_path, shape.places)
    ids = torch.tensor([[1, *Tokenizer().encode("12+35=r|7")]])
    larger = replace(shape, layers=3, heads=4)
    before, after = (restart(tmp_path, size) for size in (shape, larger))
    assert after.num_parameters() > 2 * before.num_parameters() - 2 * before.lm_head.weight.numel()
    assert torch.allclose(before(ids).logits, after(ids).logits, atol=1e-5)
    after(input_ids=ids, labels=ids).loss.backward()
    added = after.model.layers[2].mlp.down_proj.weight, after.model.layers[0].self_attn.o_proj.weight[:, 64:]
    assert not any(weight.any() for weight in added)
    assert after.model.layers[2].mlp.down_proj.weight.grad.any()
    assert after.model.layers[0].self_attn.o_proj.weight.grad[:, 64:].any()
    assert restart("narrow", Recipe.read("calculator").model).num_parameters() == 1_175_168
    for other in (replace(shape, width=128), replace(shape, layers=1), replace(shape, head_dim=128)):
        with pytest.raises(ProblemError, match="accepted: as many, or fewer layers and heads"):
            restart(tmp_path, other)
    for heads, accepted in ((3, "a divisor of the width 64"), (0, "a whole number"), (-1, "a whole number")):
        with pytest.raises(ProblemError, match=f"'heads' is {heads}; accepted: {accepted}"):
            Shape.read({"width": 64, "heads": heads})


def test_models_side_by_side_write_the_mean_of_what_each_writes(tmp_path):
    shape = Shape(layers=2, width=64, ffn=96, heads=1)
    one, other = tmp_path / "one", tmp_path / "other"
    export(create(shape, seed=3), one, shape.places)
    shutil.copytree(one, other)
    weights = load_file(one / "model.safetensors")
    weights["lm_head.weight"] = weights["lm_head.weight"].flip(0)  # the residual streams stay equally long
    save_file(weights, other / "model.safetensors", {"format": "pt"})
    ids = torch.tensor([[1, *Tokenizer().encode("12+35=r|7")]])
    double = Shape(layers=2, width=128, ffn=192, heads=2)
    with torch.no_grad():
        each = [restart(folder, shape)(ids).logits for folder in (one, other)]
        both = restart([one, other], double)(ids).logits
    assert not torch.allclose(*each) and torch.allclose(both, sum(each) / 2, atol=1e-5)
    with pytest.raises(ProblemError, match="'heads': 1}; accepted: so many for each of 2 alike"):
        restart([one, other], shape)
    text = RECIPE.replace("width: 64, ffn: 96, heads: 1", "width: 128, ffn: 192, heads: 2")
    (tmp_path / "both.yaml").write_text(f"{text}start: [{one}, {other}]\nkept: 0.5\n")
    out = train(tmp_path / "both.yaml", tmp_path / "out", steps=10)
    assert f"mixed with 0.5 of {one} and {other}'s" in (out / "README.md").read_text()


def test_noise_is_what_a_model_learns_under_and_not_what_it_is_measured_under(recipe, tmp_path):
    shape = Shape(layers=2, width=64, ffn=96, heads=1)
    model = create(shape, seed=3)
    norm = model.model.layers[1].input_layernorm
    torch.nn.init.constant_(norm.weight, 3)
    hidden, ids = torch.randn(50, 64), torch.tensor([[1, *Tokenizer().encode("12+35=r|7")]])
    clean, logits = norm(hidden).detach(), model(ids).logits.detach()
    falling = disturb(model, (0.2, 0.1))

    def deviation():
        return (norm(hidden).detach() - clean).std().item()

    assert deviation() == pytest.approx(0.6, rel=0.1)
    falling.on_step_begin(None, transformers.TrainerState(global_step=96, max_steps=100), None)
    assert deviation() == pytest.approx(0.3, rel=0.1)
    assert not torch.equal(model(ids).logits, logits)
    with torch.no_grad():
        assert torch.equal(norm(hidden), clean) and torch.equal(model(ids).logits, logits)

    other = recipe.with_name("noisy.yaml")
    other.write_text(f"like: {recipe}\nnoise: [0.2, 0.1]\n")
    quiet, noisy, again = (
        load_file(train(path, tmp_path / out, steps=4) / "model.safetensors")
        for path, out in ((recipe, "quiet"), (other, "noisy"), (other, "again"))
    )
    assert quiet.keys() == noisy.keys()
    assert not torch.equal(quiet["lm_head.weight"], noisy["lm_head.weight"])
    assert torch.equal(again["lm_head.weight"], noisy["lm_head.weight"])


def test_padding_is_not_learned():
    batch = pad([([1, 5, 2], [IGNORED, 5, 2]), ([1] * 9, [1] * 9)], Tokenizer())
    assert batch["input_ids"].shape == batch["labels"].shape == (2, 16)
    assert batch["labels"][0, 3:].eq(IGNORED).all() and batch["input_ids"][0, 3:].eq(0).all()


def test_the_exported_folder_is_the_same_model_everywhere(tmp_path):
    from revorder.runtime import Card

    shape = Shape(layers=2, width=64, ffn=96, heads=1)
    model = create(shape, seed=3)
    ids = torch.tensor([[1, *Tokenizer().encode("12+35=r|7")]])
    with torch.no_grad():
        before = model(ids).logits
        assert torch.allclose(merge(model)(ids).logits, before, atol=1e-5)
    export(model, tmp_path, shape.places)
    Card("lean", "lean", (("+", 2, 2),)).save(tmp_path)
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path)
    assert type(loaded) is transformers.LlamaForCausalLM
    with torch.no_grad():
        assert torch.allclose(loaded(ids).logits, before, atol=1e-5)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for question in ("12+35=", "7-9="):
        prompt = torch.tensor([[1, *tokenizer(question)["input_ids"]]])
        greedy = loaded.generate(prompt, max_new_tokens=12, do_sample=False)[0, prompt.shape[1] :].tolist()
        assert Runtime(tmp_path).generate([question], 12) == [Tokenizer().decode(greedy)]


def test_a_killed_run_goes_on_and_ends_as_the_whole_one(recipe, tmp_path):
    def command(out):
        return [sys.executable, "-m", "revorder", "train", str(recipe), "--out", str(tmp_path / out)]

    process = subprocess.Popen(command("killed"), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(1200):
        if list((tmp_path / "killed" / "run").glob("checkpoint-*/trainer_state.json")) or process.poll() is not None:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "killed" / "model.safetensors").exists()
    for out in ("killed", "whole"):
        done = subprocess.run([*command(out), "--json"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        assert json.loads(done.stdout)["checkpoint"] == str(tmp_path / out)
    entries = [json.loads(line) for line in (tmp_path / "whole" / "run" / "log.jsonl").open()]
    losses = [entry["loss"] for entry in entries if "loss" in entry]
    assert losses[-1] < losses[0] and any("exact" in entry for entry in entries)
    card = (tmp_path / "whole" / "README.md").read_text()
    assert "2D `+` 2D" in card and "Exact match" in card
    from safetensors.torch import load_file

    one, two = (load_file(tmp_path / out / "model.safetensors") for out in ("killed", "whole"))
    assert one.keys() == two.keys()
    for name in one:
        assert torch.allclose(one[name], two[name], atol=2e-2), name
    again = subprocess.run([*command("whole"), "--steps", "7"], cwd=ROOT, capture_output=True, text=True)
    assert again.returncode == 2 and "another recipe" in again.stderr


@pytest.mark.parametrize(("most", "saved"), [(1, [20]), (2, [16, 20]), (9, [8, 16, 20])])
def test_an_average_is_of_the_last_weights_and_those_of_the_start_mix_in(recipe, tmp_path, most, saved):
    from safetensors.torch import load_file

    before = train(recipe, tmp_path / "first", steps=20)
    other = tmp_path / "other.yaml"
    other.write_text(f"like: {recipe}\nstart: {before}\naverage: {most}\nkept: 0.25\nsave_every: 8\n")
    mean = load_file(train(other, tmp_path / "second", steps=20) / "model.safetensors")
    run = tmp_path / "second/run"
    assert {folder.name for folder in run.glob("checkpoint-*")} == {f"checkpoint-{step}" for step in saved}
    says = f"the mean of the last {len(saved)} saved, mixed with 0.25 of {before}'s." if most > 1 else "the last, mixed"
    assert says in (tmp_path / "second/README.md").read_text()
    first, *others = (
        load_file(folder / "model.safetensors") for folder in (before, *(run / f"checkpoint-{step}" for step in saved))
    )
    assert first.keys() == mean.keys()
    for name in mean:
        total = sum((other[name] for other in others), torch.zeros_like(first[name]))
        assert torch.allclose(mean[name], 0.75 * total / len(saved) + 0.25 * first[name], atol=1e-6), name
    assert not torch.allclose(first["lm_head.weight"], others[-1]["lm_head.weight"], atol=1e-3)


def test_a_saved_point_that_a_killed_run_left_behind_is_not_averaged(recipe, tmp_path):
    weights = train(recipe, tmp_path / "out", steps=20) / "model.safetensors"
    before = weights.read_bytes()
    shutil.copytree(tmp_path / "out/run/checkpoint-20", tmp_path / "out/run/checkpoint-10")
    weights.unlink()
    train(recipe, tmp_path / "out", steps=20)
    assert weights.read_bytes() == before


@pytest.mark.parametrize(
    ("line", "wrong", "says"),
    [
        ("steps: 60", "steps: many", "accepted"),
        ("tokens: 128", "tokens: 0", "key 'tokens' is 0; accepted: a whole number of at least 1"),
        ("width: 64", "widht: 64", "model: key 'widht' is unknown; accepted: layers, width"),
        ("name: test", "nmae: test", "unknown"),
        ("name: test", "name: test\nkept: 0.5", "keys 'average' and 'kept'; accepted: with a 'start'"),
        ("name: test", "name: test\nkept: 1", "key 'kept' is 1; accepted: a number from 0, below 1"),
        ("name: test", "name: test\nmuon_lr: .inf", "key 'muon_lr' is inf; accepted: a number from 0 to 1"),
        ("name: test", "name: test\nhardest: -0.1", "key 'hardest' is -0.1; accepted: a number from 0 to 1"),
        ("name: test", "name: test\nranked: 0", "key 'ranked' is 0; accepted: 1, or"),
        ("name: test", "name: test\nranked: 0.4", "key 'ranked' is 0.4; accepted: 1, or a whole part of it"),
        ("name: test", "name: test\nnoise: 0.1", "key 'noise' is 0.1; accepted: two numbers from 0"),
        ("name: test", "name: test\nnoise: [true, 0]", "key 'noise' is [True, 0]; accepted: two numbers"),
        ("name: test", "name: test\nnoise: [.inf, 0]", "key 'noise' is [inf, 0]; accepted: two numbers"),
        (
            "name: test",
            "name: test\nnoise: [0.1, 0.2]",
            "key 'noise' is [0.1, 0.2]; accepted: two numbers from 0 to 1, the second no larger",
        ),
        ("name: test", "name: test\nretold: 1", "key 'retold' is 1; accepted: true or false"),
        (
            "name: test",
            "name: test\nlong: [[+, 2]]",
            "key 'long' is [['+', 2]]; accepted: a list of [op, digits, digits]",
        ),
        (
            "name: test",
            "name: test\nlong: [[+, 2, 2]]\nhardest: 0.1",
            "keys 'long' and 'hardest'; accepted: one of them",
        ),
        ('exact: [["+", 2, 2]]', "exact: [['^', 2, 2]]", "key 'exact' is [['^', 2, 2]]; accepted"),
        ('exact: [["+", 2, 2]]', "exact: [[/, 2, 5]]", "the longer operand's first"),
        ('exact: [["+", 2, 2]]', "exact: [[+, 50, 5]]", "at most 32"),
        ("name: test", "name: 5", "key 'name' is 5"),
        ("steps: 60", "steps: 1.5", "key 'steps' is 1.5"),
        ("name: test", "name: test\nstart: 5", "key 'start' is 5; accepted: a folder"),
        ("name: test", "name: test\nshortest: 500", "'longest' is below 'shortest'"),
        ("width: 64", "width: 0", "model: key 'width' is 0"),
        ("width: 64", "width: 32", "model: key 'width' is 32; accepted: at least 54, any if 'places' is 0"),
        ("width: 64", "width: 64, head_dim: 63", "model: key 'head_dim' is 63; accepted: an even number"),
    ],
)
def test_a_wrong_recipe_is_named(recipe, line, wrong, says, tmp_path):
    recipe.write_text(RECIPE.replace(line, wrong))
    with pytest.raises(ProblemError) as error:
        train(recipe, tmp_path / "out")
    assert says in str(error.value)
    with pytest.raises(
        ProblemError, match=r"none.yaml' can't be read: No such file.*accepted: a YAML file, or calculator, "
    ):
        Recipe.read(tmp_path / "none.yaml")
