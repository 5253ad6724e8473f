"""Batches: a pure function of the step and the process, the same bytes each time."""

import pytest

from revorder import ProblemError, trace
from revorder.model.tokenizer import Tokenizer
from revorder.training.recipe import Recipe

torch = pytest.importorskip("torch")

from revorder.mixtures.targets import IGNORED  # noqa: E402
from revorder.training.batches import Batches, pad  # noqa: E402


def test_batches_are_a_pure_function_of_the_step(recipe):
    tokenizer = Tokenizer()
    one, two = (Batches(Recipe.read(recipe), tokenizer) for _ in range(2))
    two[5]  # another order of asking
    for step in (0, 31, 32, 33):
        assert torch.equal(one[step]["input_ids"], two[step]["input_ids"])
        assert one[step]["input_ids"].shape[1] % 8 == 0
    seen = sum(int(one[step]["input_ids"].ne(0).sum()) for step in range(32))
    assert 128 * 32 <= seen < 128 * 33


def test_longer_examples_are_passed_over(recipe):
    recipe.write_text(recipe.read_text().replace("[1, 2], b: [1, 2]", "[1, 16], b: [1, 16]") + "longest: 40\n")
    batches = Batches(Recipe.read(recipe), Tokenizer())
    assert 30 < max(int(batches[item]["input_ids"].ne(0).sum(1).max()) for item in range(32)) <= 40


def test_each_process_has_batches_of_its_own(recipe):
    recipe = Recipe.read(recipe)
    alone, (first, second) = Batches(recipe, Tokenizer()), (Batches(recipe, Tokenizer(), 2) for _ in range(2))
    assert len(first) == 2 * len(alone)
    mine = [first[item]["input_ids"] for item in range(0, 64, 2)]
    others = [second[item]["input_ids"] for item in range(1, 64, 2)]
    assert not any(one.shape == other.shape and torch.equal(one, other) for one in mine for other in others)
    assert torch.equal(first[1]["input_ids"], others[0])


def test_one_process_takes_the_batches_of_two(recipe):
    recipe.write_text(recipe.read_text() + "batches: 2\n")
    alone, two = (Batches(Recipe.read(recipe), Tokenizer(), processes) for processes in (1, 2))
    assert len(alone) == len(two) and (alone.pieces, two.pieces) == (2, 1)
    for item in (0, 1, 65, 64):
        assert torch.equal(alone[item]["input_ids"], two[item]["input_ids"])


def test_helpers_make_the_same_batches(recipe):
    recipe.write_text(recipe.read_text() + "batches: 2\n")
    alone, helped = (Batches(Recipe.read(recipe), Tokenizer(), helpers=helpers) for helpers in (0, 2))
    for item in (0, 1, 63, 64, 66):
        assert torch.equal(alone[item]["input_ids"], helped[item]["input_ids"])
        assert torch.equal(alone[item]["labels"], helped[item]["labels"])
    helped.close()


def test_early_mixtures_give_way_to_the_next(recipe):
    early = """
early:
  - {method: lean, size: 2000, parts: [{op: "*", a: [1, 2], b: [1, 2]}]}
  - {method: lean, size: 2000, parts: [{op: "-", a: [1, 2], b: [1, 2]}]}
early_steps: 64
"""
    recipe.write_text(recipe.read_text().replace("steps: 60", "steps: 200") + early)
    tokenizer = Tokenizer()
    batches = Batches(Recipe.read(recipe), tokenizer)
    shares = []
    for turn in range(6):
        texts = [tokenizer.decode(row) for batch in batches.pool(turn) for row in batch["input_ids"].tolist()]
        lengths = [len(tokenizer.encode(text)) + 2 for text in texts]
        of = [next(op for op in "*+-" if op in text.partition("=")[0]) for text in texts]
        shares += [[sum(n for n, by in zip(lengths, of, strict=True) if by == op) / sum(lengths) for op in "*-+"]]
    expected = [[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0.5, 0.5], [0, 0, 1], [0, 0, 1]]
    assert shares == [pytest.approx(row, abs=0.01) for row in expected]


def test_divisions_may_be_learned_only_to_their_first_digit(recipe):
    text = recipe.read_text().replace('{op: "+", a: [1, 2], b: [1, 2]}', '{op: "/", a: 6, b: [1, 4], remainder: 0.5}')
    recipe.write_text(text.replace("tokens: 128", "tokens: 512") + "beginnings: 0.5\n")
    tokenizer = Tokenizer()
    pool = Batches(Recipe.read(recipe), tokenizer).pool(0)
    ends = [row[row != tokenizer.pad].tolist() for batch in pool for row in batch["input_ids"]]
    begun = [tokenizer.decode(ids) for ids in ends if ids[-1] != tokenizer.eos]
    assert 0.4 < len(begun) / len(ends) < 0.6
    for text in begun:
        question, _, work = text.partition("=")
        whole = trace(question, "lean").text
        assert whole.startswith(text) and work.lstrip("#").count("#") == 1 and work.endswith("#")
    for batch in pool:
        for ids, labels in zip(batch["input_ids"].tolist(), batch["labels"].tolist(), strict=True):
            learned = tokenizer.decode([i for i in labels if i != IGNORED])
            assert learned == tokenizer.decode(ids).partition("=")[2]


def test_padding_is_not_learned():
    batch = pad([([1, 5, 2], [IGNORED, 5, 2]), ([1] * 9, [1] * 9)], Tokenizer().pad)
    assert batch["input_ids"].shape == batch["labels"].shape == (2, 16)
    assert batch["labels"][0, 3:].eq(IGNORED).all() and batch["input_ids"][0, 3:].eq(0).all()


@pytest.mark.parametrize(
    ("line", "says"), [("longest: 5\n", "a larger 'longest'"), ("tokens: 4\n", "a larger 'tokens'")]
)
def test_what_leaves_no_batch_is_named(recipe, line, says):
    recipe.write_text(recipe.read_text().replace("tokens: 128\n", "" if "tokens" in line else "tokens: 128\n") + line)
    with pytest.raises(ProblemError, match=says):
        Batches(Recipe.read(recipe), Tokenizer())[0]
