"""Targets: the answer is learned, the question is not, nor a quotient digit that is wrong at random."""

import pytest
from strategies import ROLLING

from revorder import METHODS, Problem, trace
from revorder.arithmetic.trace import Kind
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.targets import IGNORED, as_pair, labels_of, make_targets
from revorder.model.tokenizer import Tokenizer
from revorder.training.batches import encode_example


def segments_of(written):
    return [segment for step in written.steps for segment in step.segments]


def test_the_loss_is_on_the_answer_only():
    tokenizer, mixture = Tokenizer(), Mixture.read("lean")
    for example in sampler(mixture).examples(0, 0, 200):
        ids, labels = encode_example(tokenizer, as_pair(example))
        assert len(ids) == len(labels) and tokenizer.decode(ids) == example.text
        asked = len(tokenizer.encode(f"{example.problem}=")) + 1
        assert set(labels[:asked]) == {IGNORED} and labels[-1] == tokenizer.eos
        learned = [(i, label) for i, label in enumerate(labels) if label != IGNORED]
        assert all(ids[i] == label for i, label in learned)
        if not example.rollback:
            assert len(learned) == len(ids) - asked


@pytest.mark.parametrize(("method", "form"), ROLLING)
def test_a_digit_that_is_wrong_at_random_is_not_learned_but_its_rollback_is(method, form):
    written = trace("948/12", method, form, {0: 8})
    spans = make_targets(segments_of(written))
    assert "".join(text for text, _ in spans) == written.text
    assert [int(text) for text, learned in spans[1:] if not learned] == [8]
    mark = METHODS[method].rollback_mark
    assert any(mark in text and learned for text, learned in spans)


@pytest.mark.parametrize(("method", "form"), ROLLING)
def test_a_digit_that_a_rule_makes_wrong_is_learned(method, form):
    spans = make_targets(segments_of(trace("948/12", method, form, {0: 8})), learn_estimates=True)
    assert all(learned for _, learned in spans[1:])


@pytest.mark.parametrize("method", ["goat", "scratchpad"])
def test_a_quotient_digit_with_its_zeros_is_learned(method):
    spans = make_targets(segments_of(trace("9480/12", method)))
    assert all(learned for _, learned in spans[1:])


def test_labels_follow_the_offsets_of_any_tokenizer():
    written = trace("948/12", rollback={0: 8})
    spans = make_targets(segments_of(written))
    pairs = [(i, min(i + 2, len(written.text))) for i in range(0, len(written.text), 2)]  # tokens of two characters
    labels = labels_of(range(len(pairs)), pairs, spans)
    wrong = written.text.index("8R")
    for (start, stop), label in zip(pairs, labels, strict=True):
        assert (label == IGNORED) == (start < len("948/12=") or start <= wrong < stop)


def test_a_recipe_of_estimates_learns_them_as_they_are_written():
    mixture = Mixture.read({"method": "lean", "estimate_digits": 2, "parts": [{"op": "/", "a": [3, 9], "b": [3, 5]}]})
    rolled = 0
    for example in sampler(mixture).examples(0, 0, 300):
        _, labels = encode_example(Tokenizer(), as_pair(example, learn_estimates=True))
        assert IGNORED not in labels[len(f"{example.problem}=") + 1 :]
        rolled += sum(segment.kind is Kind.ROLLBACK for segment in example.segments)
    assert rolled
    written = sampler(mixture).written(0, Problem(902, "/", 129), {0: 7})
    assert written.text == "902/129=7r|309r|0999W6r|477r|0821=6R128"
