"""Rewards: what is right earns all, a part of a number or a list nothing, and no text raises or hangs; TRL takes
them."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import FORMS, PROBLEMS, ROLLING, answer_of, divisions, traces

from revorder import METHODS, Problem, ProblemError, trace, verify
from revorder.integrations.trl import answer_reward, format_reward, is_in_format, share_of_steps, step_reward
from revorder.model.checkpoint import checkpoint

ROOT = Path(__file__).parent.parent.parent
REWARDS = [answer_reward, step_reward, format_reward]


def earned(reply, problem, method="revorder", form=None):
    """What the three rewards give one reply."""
    columns = {"problem": [str(problem)], "answer": [problem.answer], "method": method, "form": form}
    return [reward([f"{problem}="], [reply], **columns)[0] for reward in REWARDS]


def in_words(reply, answer="12"):
    return answer_reward(["?"], [reply], answer=[answer], method="plain")[0]


@settings(max_examples=80)
@given(traces())
def test_a_right_trace_earns_all(drawn):
    written, _ = drawn
    assert earned(written.text, written.problem, written.method, written.form) == [1, 1, 1]


@settings(max_examples=80)
@given(traces(), st.data())
def test_a_changed_digit_earns_the_steps_before_it(drawn, data):
    """No digit of a plan is taken back here: those steps earn nothing, as below."""
    problem, method, form = drawn[0].problem, drawn[0].method, drawn[0].form
    written = trace(problem, method, form)
    question = len(re.match(r"[0-9 ]+[-+*/][0-9 ]+", written.text)[0])
    digits = [i for i in range(question, len(written.text)) if written.text[i].isdigit()]
    at = data.draw(st.sampled_from(digits))
    other = data.draw(st.sampled_from(sorted(set("0123456789") - {written.text[at]})))
    changed = written.text[:at] + other + written.text[at + 1 :]
    _, steps, _ = earned(changed, problem, method, form)
    assert steps == verify(changed, method, form, problem).step / len(written.steps) < 1


@settings(max_examples=80)
@given(st.sampled_from(FORMS), PROBLEMS, st.randoms(use_true_random=False))
def test_any_digits_are_in_the_format(form, problem, random):
    written = trace(problem, *form).text
    question = len(re.match(r"[0-9 ]+[-+*/][0-9 ]+[\n=]*", written)[0])
    work = re.sub("[0-9]", lambda _: str(random.randrange(10)), written[question:])
    assert is_in_format(problem, written[:question] + work, *form) == 1


@given(divisions(), st.randoms(use_true_random=False))
def test_any_digits_with_digits_taken_back_are_in_the_format(drawn, random):
    method, form, problem, plan = drawn
    written = trace(problem, method, form, plan).text
    question = written.index("=") + 1
    work = re.sub("[1-9]", lambda _: str(random.randrange(1, 10)), written[question:])
    assert is_in_format(problem, written[:question] + work, method, form) == 1


@pytest.mark.parametrize(
    "reply", ["", "47", "It is 47.", "r|=", "r|74=47 I think", "r|74=47\n12+35=r|74=47", "r74=47", "(r|74)=47x"]
)
def test_words_and_what_is_left_out_are_not_in_the_format(reply):
    assert format_reward(["12+35="], [reply]) == [0]


def test_a_digit_that_is_wrong_and_not_taken_back_earns_its_format_and_the_steps_before():
    reply = "7R-(12*70)(r|048)(r|011)#8R-(12*8)(r|69)(r|41)=78R14"
    assert earned(reply, Problem(950, "/", 12)) == [0, 1 / 3, 1]


@pytest.mark.parametrize(("method", "form"), ROLLING)
def test_digits_that_are_taken_back_earn_nothing_more(method, form):
    problem, counted = Problem(9480, "/", 12), set()
    for times in (0, 1, 50):
        written = trace(problem, method, form, {0: [8, 6, 5, 4] * times} if times else None)
        half = "".join(step.text for step in written.steps[:-2])
        counted.add(share_of_steps(problem, half, method, form))
    assert len(counted) == 1 and 0 <= counted.pop() < 1


# Answers


@pytest.mark.parametrize(
    "reply",
    ["12", "**12**.", "\\boxed{12}", "12.0", "5 + 7 = 12", "It is not 11.\nSo the answer is 12", "$12$", "(3)(4) = 12"],
)
def test_an_answer_is_read_in_words(reply):
    assert in_words(reply) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "120",
        "112",
        "012 3",
        "12.5",
        "0.12",
        "-12",
        "12%",
        "1,200",
        "12 million",
        "1 2",
        "12R1",
        "12e3",
        "12^2",
        "x12",
        "12/5",
    ],
)
def test_a_part_of_a_number_earns_nothing(reply):
    assert in_words(reply) == 0


LISTS = ["{}, {}", "{} {}", "{}\n{}", "{}; {}", "{} | {}", "{}/{}", "{} or {}", "{} and {}", "[{}, {}]", "{{{}; {}}}"]
LISTS += ["\\boxed{{{}}} \\boxed{{{}}}", "\\boxed{{{}}}, \\boxed{{{}}}", "${}$, ${}$", "({}) ({})", "{}\t{}", "{} & {}"]


@given(st.sampled_from(LISTS), st.lists(st.integers(1, 10**6), min_size=2, max_size=2, unique=True))
def test_a_list_earns_nothing(listed, numbers):
    reply = f"Answer: {listed.format(*numbers)}"
    assert [in_words(reply, n) for n in numbers] == [0, 0]


@given(st.sampled_from(FORMS), PROBLEMS)
def test_two_answers_in_a_trace_earn_nothing(form, problem):
    for right in (problem.answer, str(problem.value)[::-1]):
        assert answer_reward([""], [f"{abs(problem.value) + 1}={right}"], answer=[problem.answer], method=form[0]) == [
            0
        ]


@given(PROBLEMS, st.integers(1, 9), st.sampled_from([*METHODS]))
def test_a_longer_or_shorter_number_is_not_the_answer(problem, digit, method):
    right = answer_of(problem)
    for reply in (f"{right}{digit}", f"{digit}{right}", f"{right},{digit}", f"{right} {digit}"):
        assert answer_reward([""], [f"={reply}"], answer=[right], method=method) == [0]


def test_answers_of_any_type():
    replies, answers = ["1,234", "79 R 5", "-23", "3", "7", "3.5"], [1234, "79R5", "−23", 3.0, "seven", "3.50"]
    assert answer_reward([""] * 6, replies, answer=answers, method="plain") == [1, 1, 1, 1, None, 1]


@given(traces(), st.sampled_from(["```\n{}\n```", "`{}`"]))
def test_a_fence_takes_nothing(drawn, fence):
    made, _ = drawn
    assume(not (METHODS[made.method].states_answer_only or (fence[1] == "{" and "\n" in made.text)))
    reply = fence.format(made.text)
    asked = [f"{made.problem}="]
    assert answer_reward(asked, [reply], answer=[made.answer], method=made.method) == [1]
    assert step_reward(asked, [reply], method=made.method) == [1]


# Columns, messages, names


@pytest.mark.parametrize(
    ("method", "form", "reply"),
    [
        ("revorder", "expanded", "9/4\n=3 Rem (9-4*3)\n=3 Rem (9-r|21)\n=3 Rem (-r|3) W"),
        ("revorder", "expanded", "9/4\n=3 Rem (9-4*3)\n=3 Rem (9-r|21)\n=3 Rem (-r|3) W\n=3 Rem (9-4*3)"),
        ("revorder", "expanded", "9/4\n=3 Rem (9-4*3)\n=3 Rem (9-r|21)"),
        ("authors", "authors", "3R(-3*4~r21~r3-)W"),
        ("lean", "lean", "3r|21r|07W"),
    ],
)
def test_a_wrong_quotient_digit_earns_nothing(method, form, reply):
    assert step_reward(["9/4="], [reply], method=method, form=form) == [0]


def test_what_a_row_does_not_say_earns_none():
    assert step_reward(["1+1="] * 2, ["r|2"] * 2, problem=[float("nan"), 12]) == [None, None]
    assert answer_reward(["12+35="] * 2, ["r|74=47"] * 2, answer=[None, "47"]) == [None, 1]
    assert answer_reward(["12+35="], ["r|74=47"]) == [None]
    asked = ["What is 12 plus 35?", "1/0=", "", "12+35=", "12+35+1="]
    assert step_reward(asked, ["r|74=47"] * 5) == [None, None, None, 1, None]
    assert step_reward(asked, ["r|74=47"] * 5, problem=["12+35"] * 4 + [None]) == [1, 1, 1, 1, None]


def test_messages_and_worked_examples_in_a_prompt():
    prompt = [{"role": "system", "content": "Work."}, {"role": "user", "content": "1+1=r|2=2\n12+35="}]
    replies = ["r|74=47", [{"type": "text", "text": "r|74"}, {"type": "text", "text": "=47"}], None]
    completions = [[{"role": "assistant", "content": reply}] for reply in replies]
    for reward in REWARDS:
        assert reward([prompt] * 3, completions, answer=["47"] * 3, completion_ids=[[1]] * 3, log_extra=None) == [
            1,
            1,
            0,
        ]


def test_the_question_is_the_one_that_was_asked():
    assert step_reward(["12+35="] * 2, ["1+1=r|2=2", "12+35=r|74=47"]) == [0, 1]


def test_expressions_for_a_method_that_takes_them():
    assert step_reward(["(3+4)*2="] * 2, ["7*2=14", "7*2=15"], method="mathglm") == [1, 1 / 2]


def test_a_method_that_is_unknown_is_named():
    for reward in REWARDS:
        with pytest.raises(ProblemError, match="method 'nope' is unknown; accepted: revorder, "):
            reward([], [], method="nope")


# Any text, any thread

SCRAPS = st.sampled_from(
    ["12+35=", "r|", "7R-(12*70)", "(r|048)", "W", "#", "=", "\n", "<scratch>", "-", "1" * 50, "\\boxed{", "47"]
)


@settings(max_examples=300)
@given(st.lists(SCRAPS | st.text(max_size=8), max_size=12).map("".join), st.sampled_from([*METHODS]))
@example("\ud800" * 3, "plain")
@example("(" * 20_000, "revorder")
@example("6R-(12*60)(r|027)(r|822)W" * 2_000 + "x", "revorder")
@example("6000r|27r|8220W" * 2_000, "lean")
@example("1; " * 20_000, "plain")
@example("9" * 20_000, "lean")
@example("\n=6 Rem (948-12*60)" * 2_000, "revorder")
def test_any_text_earns_from_0_to_1(reply, method):
    for reward in earned(reply, Problem(948, "/", 12), method):
        assert isinstance(reward, float) and 0 <= reward <= 1


def test_threads_agree():
    replies = [trace(Problem(a, "/", 12), "lean").text[:-cut] for a in range(900, 1000) for cut in (1, 2, 5)]
    prompts = [f"{reply.partition('=')[0]}=" for reply in replies]
    score = partial(step_reward, prompts, replies, method="lean")
    with ThreadPoolExecutor(8) as pool:
        assert {tuple(future.result()) for future in [pool.submit(score) for _ in range(8)]} == {tuple(score())}


# TRL


def code_of(page, marker):
    """The block of a page's Python that holds a marker."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    return next(block for block in blocks if marker in block)


def test_the_page_trains_with_grpo(tmp_path, monkeypatch):
    """The shipped model's traces earn all; at a high temperature some do not, and it learns from that."""
    trl = pytest.importorskip("trl")
    small = {"max_steps": 2, "max_completion_length": 64, "per_device_train_batch_size": 8, "num_generations": 8}
    quiet = {"report_to": [], "save_strategy": "no", "logging_steps": 1, "disable_tqdm": True}
    monkeypatch.chdir(tmp_path)
    config = trl.GRPOConfig
    logs = {}
    for temperature in (1.0, 4.0):
        hot = {"temperature": temperature, "use_cpu": True, "bf16": False}
        monkeypatch.setattr(trl, "GRPOConfig", lambda *given, **more: config(*given, **more | small | quiet | hot))  # noqa: B023
        space = {}
        code = code_of("rewards.md", "GRPOTrainer(").replace("MODEL", str(checkpoint("calculator")))
        exec(code.replace('"lean")),', '"small")),'), space)
        logs[temperature] = space["trainer"].state.log_history[:-1]
    for reward in REWARDS:
        assert [log[f"rewards/{reward.__name__}/mean"] for log in logs[1.0]] == [1, 1]
        assert all(0 <= log[f"rewards/{reward.__name__}/mean"] <= 1 for log in logs[4.0])
    assert any(log["reward_std"] > 0 and log["grad_norm"] > 0 for log in logs[4.0])


def test_other_trainers_call_a_reward_with_lists_of_one():
    space = {"answer_reward": answer_reward}
    exec(code_of("rewards.md", "compute_score"), space)
    assert [space["compute_score"]("any", reply, "47") for reply in ("It is 47.", "470")] == [1, 0]
