"""Views: rows that trainers take, in which a digit that is wrong at random bears no loss and each step has its
label."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FORMS, OPS, ROLLING

from revorder import METHODS, ProblemError, verify
from revorder.arithmetic.trace import split_steps
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.targets import IGNORED, as_pair
from revorder.mixtures.views import VIEWS, find_view, messages, prompt_completion, steps, trace_row

DIVISIONS = [{"op": "/", "a": [3, 9], "b": [1, 4], "remainder": 0.5}]


def mixture_of(method, form, op="/", **settings):
    return Mixture.read({"method": method, "form": form, "parts": [{"op": op, "a": [2, 6], "b": [1, 2]}], **settings})


def rolling(method, form, **settings):
    return Mixture.read({"method": method, "form": form, "rollback": 1, "parts": DIVISIONS, **settings})


@pytest.mark.parametrize(("method", "form"), FORMS)
@pytest.mark.parametrize("op", "+-*/")
def test_texts_hold_the_trace_and_what_rewards_take(method, form, op):
    mixture = mixture_of(method, form, op)
    for example in sampler(mixture).examples(1, 0, 20):
        row = prompt_completion(example, mixture)
        assert row["prompt"] == f"{row['problem']}=" == f"{example.problem}="
        assert example.text.endswith(row["completion"]) and row["completion"].strip("\n=")
        assert row["answer"] == example.problem.answer
        user, assistant = messages(example, mixture)["messages"]
        assert (user["role"], user["content"]) == ("user", row["prompt"])
        assert (assistant["role"], assistant["content"]) == ("assistant", row["completion"])


@given(st.sampled_from(FORMS), OPS, st.integers(0, 10**9))
def test_steps_are_labelled_as_the_judge_says(form, op, index):
    mixture = mixture_of(*form, op, **({"rollback": 0.5} if op == "/" and form in ROLLING else {}))
    example = sampler(mixture).example(3, index)
    row = steps(example, mixture)
    assert row == steps(example, mixture)
    pair, labels = as_pair(example), row["labels"]
    assert row["prompt"] == pair.prompt and len(row["completions"]) == len(labels) and all(row["completions"])
    completion = "".join(row["completions"])
    whole = len(labels) == len(split_steps(example.segments))
    if all(labels):
        assert whole and completion == pair.completion
        return
    assert labels == [True] * (len(labels) - 1) + [False]
    question = example.text[: len(example.text) - len(pair.completion)]
    verdict = verify(question + completion, *form, example.problem)
    assert not verdict.ok and verdict.step == len(labels) - 1
    right = pair.completion[: len(completion)]
    assert sum(a != b for a, b in zip(completion, right, strict=True)) == 1


def test_half_of_the_rows_have_a_wrong_step_at_any_place():
    mixture = Mixture.read("paper")
    labels = [steps(example, mixture)["labels"] for example in sampler(mixture).examples(1, 0, 600)]
    wrong = [len(row) for row in labels if not row[-1]]
    assert 240 < len(wrong) < 360 and len(set(wrong)) > 5


def test_a_digit_that_is_taken_back_is_a_right_step():
    mixture = rolling("revorder", "compact")
    rows = [steps(example, mixture) for example in sampler(mixture).examples(1, 0, 100)]
    assert any(
        step.endswith("W") and label for row in rows for step, label in zip(*list(row.values())[1:], strict=True)
    )


# Tokens


@pytest.fixture(scope="module", params=["single digits", "joined digits", "sentencepiece", "deepseek"])
def tokenizer(request):
    pytest.importorskip("transformers")
    from pretrained import KINDS

    return KINDS[request.param]()


def learned_text(tokenizer, text, row):
    """The characters of a text that tokens with a label cover, and those that the others cover."""
    offsets = tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
    covered = {True: set(), False: set()}
    for (start, stop), label in zip(offsets, row["labels"], strict=False):
        covered[label != IGNORED] |= set(range(start, stop))
    return covered[True], covered[False]


@pytest.mark.parametrize(("method", "form"), [*ROLLING, ("goat", "goat"), ("scratchpad", "scratchpad")])
def test_a_digit_that_is_wrong_at_random_bears_no_loss(tokenizer, method, form):
    rolls = (method, form) in ROLLING
    mixture = rolling(method, form) if rolls else mixture_of(method, form)
    view, missed = find_view("tokens", tokenizer), 0
    for example in sampler(mixture).examples(2, 0, 25):
        row, pair = view(example, mixture), as_pair(example)
        assert len(row["input_ids"]) == len(row["labels"])
        assert row["labels"][-1] == row["input_ids"][-1] == tokenizer.eos_token_id
        assert all(label in (IGNORED, token) for token, label in zip(row["input_ids"], row["labels"], strict=True))
        learned, others = learned_text(tokenizer, pair.prompt + pair.completion, row)
        at, wanted = len(pair.prompt), set()
        assert not learned & set(range(at))
        for text, learn in pair.spans:
            if learn:
                wanted |= set(range(at, at + len(text)))
            else:
                missed += 1
                assert not learned & set(range(at, at + len(text)))
            at += len(text)
        assert learned <= wanted <= learned | others
        assert len(learned) > len(wanted) / 2
    assert bool(missed) == rolls


def test_one_token_a_digit_costs_the_wrong_digit_alone():
    pytest.importorskip("transformers")
    from pretrained import byte_level

    mixture, view = rolling("lean", "lean"), find_view("tokens", byte_level(True))
    for example in sampler(mixture).examples(2, 0, 50):
        labels = view(example, mixture)["labels"]
        first = next(i for i, label in enumerate(labels) if label != IGNORED)
        leading = list(example.rollback) in ([0], [-1]) and not example.text.partition("=")[2].startswith("#")
        assert labels[first:].count(IGNORED) == len(example.rollback) - leading


def test_estimates_are_learned():
    pytest.importorskip("transformers")
    from pretrained import byte_level

    mixture = Mixture.read({"method": "lean", "estimate_digits": 1, "parts": DIVISIONS})
    view = find_view("tokens", byte_level(True))
    rows = [(view(example, mixture)["labels"], example) for example in sampler(mixture).examples(2, 0, 50)]
    assert any(example.rollback for _, example in rows)
    assert all(IGNORED not in labels[labels.index(next(x for x in labels if x != IGNORED)) :] for labels, _ in rows)


@pytest.mark.parametrize("view", ["prompt_completion", "messages", "tokens"])
def test_trl_trains_on_rows(view, tmp_path):
    trl = pytest.importorskip("trl")
    from datasets import Dataset
    from pretrained import byte_level, save_model
    from transformers import AutoTokenizer

    folder = save_model(tmp_path / "model", byte_level(True), chat=True)
    tokenizer, mixture = AutoTokenizer.from_pretrained(folder), rolling("revorder", "compact")
    made = find_view(view, tokenizer)
    rows = [made(example, mixture) for example in sampler(mixture).examples(1, 0, 4)]
    quiet = {"report_to": [], "save_strategy": "no", "use_cpu": True, "bf16": False, "disable_tqdm": True}
    trainer = trl.SFTTrainer(
        model=folder,
        args=trl.SFTConfig(str(tmp_path / "run"), max_steps=1, shuffle_dataset=False, **quiet),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    assert trainer.train().training_loss > 0
    if view == "tokens":
        assert trainer.train_dataset["labels"] == [row["labels"] for row in rows]


# Names


def test_the_default_row_is_the_trace():
    example = sampler(Mixture.read("small")).example(42, 7)
    row = trace_row(example, Mixture.read("small"))
    assert list(row) == ["index", "op", "a", "b", "answer", "text"] and VIEWS["trace"] is trace_row


def test_a_view_that_is_unknown_and_a_tokenizer_that_will_not_do_are_named():
    with pytest.raises(
        ProblemError, match="view 'nope' is unknown; accepted: trace, prompt_completion, messages, steps"
    ):
        find_view("nope")
    with pytest.raises(ProblemError, match="view 'tokens' is unknown; accepted: .*, and tokens with a tokenizer"):
        find_view("tokens")
    with pytest.raises(ProblemError, match="give a fast tokenizer of transformers"):
        find_view("tokens", object())


def test_every_method_is_covered():
    assert {method for method, _ in FORMS} == set(METHODS)
