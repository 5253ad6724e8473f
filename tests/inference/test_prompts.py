"""Prompts: what a served model is asked, the worked examples before it, and how its replies are read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import METHODS, Problem, trace, verify
from revorder.arithmetic.problem import OPS
from revorder.inference.prompts import Prompts, in_words, worked_examples
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import held_out, sampler
from revorder.mixtures.split import split_of
from revorder.mixtures.targets import as_pair

PAPER = Mixture.read("paper").model_dump(mode="json")
FORMS = [(method, form) for method, module in METHODS.items() for form in module.forms]
ASKED = [Problem(7, "+", 8), Problem(35, "-", 712), Problem(12, "*", 40), Problem(948, "/", 12), Problem(950, "/", 12)]


def judged(prompts, problem, reply):
    return verify(prompts.as_trace(problem, reply), prompts.method, prompts.form, problem)


def test_the_example_of_a_remainder_is_never_the_answer():
    assert "79R5" not in in_words(Problem(953, "/", 12)) and "79R5" in in_words(Problem(7, "/", 2))


def test_plain_with_worked_answers():
    problem = Problem(123, "+", 456)
    shown = worked_examples(problem, 2)
    turns = Prompts("plain", "plain", shots=2).chat(problem)
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * 2 + ["user"]
    assert [turn["content"] for turn in turns[::2]] == [in_words(one) for one in [*shown, problem]]
    assert [turn["content"] for turn in turns[1::2]] == [one.answer for one in shown]


@given(st.integers(0, 10**20), st.integers(1, 10**20), st.sampled_from(OPS), st.integers(0, 12))
def test_examples_are_smaller_of_the_same_operation_and_never_the_problem(a, b, op, n):
    problem = Problem(a, op, b)
    shown = worked_examples(problem, n)
    assert shown == worked_examples(problem, n) and len(shown) <= n and len(set(shown)) == len(shown)
    for one in shown:
        assert one.op == op and one != problem and (op not in "+*" or (one.b, one.a) != (a, b))
        assert len(str(one.a)) <= max(1, len(str(a)) - 1) and len(str(one.b)) <= max(1, len(str(b)) - 1)
        assert one.remainder == 0 or problem.remainder
        assert split_of(one) == "train"
    if max(a, b) > 99:
        assert len(shown) == n or op == "/" or min(a, b) < 100


def test_of_one_digit_every_problem_but_the_asked_one():
    for problem in held_out("+", 1, 1, 100, 0):
        shown = worked_examples(problem, 200)
        assert len(shown) == (99 if problem.a == problem.b else 98) and problem not in shown


# Replies


@pytest.mark.parametrize(("method", "form"), FORMS)
def test_what_a_model_is_trained_to_write_is_judged_right(method, form):
    """The prompt is `12*34=` for every method, also for one whose traces begin otherwise."""
    mixture = Mixture.read(PAPER | {"method": method, "form": form, "rollback": 0.5 * METHODS[method].can_rollback})
    for example in sampler(mixture).examples(0, 0, 100):
        pair = as_pair(example)
        text = Prompts(method, form).of_trained(example.problem, pair.completion)
        assert pair.prompt == f"{example.problem}=" and verify(text, method, form, example.problem).ok, text


@pytest.mark.parametrize(
    "reply, text",
    [
        ("47", "12+35=47"),
        ("12 + 35 = **47**.", "12+35=47"),
        ("The sum is 1,047", "12+35=1047"),
        ("\\boxed{−47}", "12+35=-47"),
        ("79 remainder 5", "12+35=79R5"),
        ("12+35=", "12+35="),
        ("I can't do that.", "12+35="),
        ("", "12+35="),
        ("__import__('os').abort()", "12+35="),
    ],
)
def test_a_plain_reply_becomes_the_equation_that_it_states(reply, text):
    assert Prompts("plain", "plain").as_trace(Problem(12, "+", 35), reply) == text


@pytest.mark.parametrize("method, form", FORMS)
def test_a_trace_is_read_with_its_question_or_without(method, form):
    prompts = Prompts(method, form)
    for problem in ASKED:
        text = trace(problem, method, form).text
        question = re.match(r"\s*".join(map(re.escape, f"{problem}=")), text)
        for reply in (text, text[question.end() :] if question else text):
            for wrapped in (
                "{}",
                "\n{}\n",
                "```\n{}\n```",
                "```text\n{}\n```",
                *(["`{}`"] if "\n" not in reply else []),
            ):
                assert method == "plain" or judged(prompts, problem, wrapped.format(reply)).ok, reply
        other = Problem(problem.a + problem.b, problem.op, problem.b)
        assert not judged(prompts, problem, trace(other, method, form).text).ok
        assert not judged(prompts, problem, "").ok


@given(st.sampled_from(FORMS), st.sampled_from(ASKED), st.text(max_size=30), st.integers(0, 100))
def test_no_reply_but_a_right_one_is_judged_right(form, problem, noise, at):
    text = trace(problem, *form).text
    verdict = judged(Prompts(*form), problem, text[:at] + noise + text[at:])
    assert not verdict.ok or verdict.answer == problem.answer


@pytest.mark.parametrize("method, form", FORMS)
def test_no_trace_has_what_ends_a_completion_in_it(method, form):
    stop = Prompts(method, form).stop
    for problem in ASKED:
        text = trace(problem, method, form).text
        assert stop not in text and (stop == "\n\n") >= ("\n" in text)
