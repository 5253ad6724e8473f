"""An endpoint: what is sent to a server, and what becomes of its replies."""

import threading
import time

import pytest
from answering import asked, judged

from revorder import METHODS, Problem, ProblemError, trace
from revorder.arithmetic.problem import MAX_DIGITS
from revorder.inference.openai_server import Endpoint
from revorder.inference.prompts import worked_examples
from revorder.inference.solver import load_runtime
from revorder.mixtures.sampling import held_out

# What is asked


def test_plain_asks_in_words_and_reads_the_answer(server):
    endpoint = Endpoint(server.url, "m")
    problems = [Problem(12, "+", 35), Problem(3, "-", 5), Problem(12, "*", 4567), Problem(948, "/", 12)]
    problems += [Problem(950, "/", 12), Problem(10**MAX_DIGITS - 1, "*", 7)]
    replies = endpoint.generate([f"{problem}=" for problem in problems], 40)
    assert replies == [problem.answer for problem in problems]
    for problem, reply in zip(problems, replies, strict=True):
        assert endpoint.info.covers(problem)
        assert judged(endpoint, problem, reply).ok
    sent = {body["messages"][0]["content"]: body for body in server.bodies()}
    assert set(sent) >= {
        "What is 12 plus 35? Reply with the number only.",
        "What is 3 minus 5? Reply with the number only.",
        "What is 12 times 4567? Reply with the number only.",
        "What is 948 divided by 12? Reply with the number only.",
        "What is 950 divided by 12? Reply with the quotient and the remainder only, such as 79R5.",
    }
    for path, headers, body in server.seen:
        assert path == "/v1/chat/completions" and headers["authorization"] == "Bearer none"
        assert body["temperature"] == 0 and body["max_tokens"] == 40 and body["model"] == "m"
        assert [turn["role"] for turn in body["messages"]] == ["user"]


def test_a_bare_question_is_completed_up_to_the_line_end(server):
    server.reply = lambda problem, body: (trace(problem, "lean").text.partition("=")[2] + "\n1+1=r|2", "stop")
    endpoint = Endpoint(server.url, "m", "lean", api="completions", key="secret")
    assert endpoint.generate(["12+35=", "12*34="], 64) == [
        trace(question, "lean").text.partition("=")[2] for question in ("12+35", "12*34")
    ]
    assert {body["prompt"] for body in server.bodies()} == {"12+35=", "12*34="}
    for path, headers, body in server.seen:
        assert path == "/v1/completions" and headers["authorization"] == "Bearer secret"
        assert body["stop"] == "\n" and body["temperature"] == 0 and body["max_tokens"] == 64


def test_the_key_comes_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "from-there")
    Endpoint(server.url, "m").generate(["1+1="], 8)
    assert server.seen[0][1]["authorization"] == "Bearer from-there"


FORMS = [(method, form) for method, module in METHODS.items() for form in module.forms]
ASKED = [Problem(7, "+", 8), Problem(35, "-", 712), Problem(12, "*", 40), Problem(948, "/", 12), Problem(950, "/", 12)]


@pytest.mark.parametrize("method, form", FORMS)
@pytest.mark.parametrize("api", ["chat", "completions"])
def test_worked_traces_come_first_and_a_trace_that_comes_back_is_judged_right(server, method, form, api):
    def reply(problem, body):
        text = trace(problem, method, form).text
        if api == "chat":
            return problem.answer if method == "plain" else text, "stop"
        assert body["prompt"].count(body["stop"]) == 2
        start = body["prompt"].rpartition(body["stop"])[2]  # how this trace begins, or its bare question
        return text.removeprefix(start) + body["stop"], "stop"

    server.reply = reply
    endpoint = Endpoint(server.url, "m", method, form, shots=2, api=api)
    replies = endpoint.generate([f"{problem}=" for problem in ASKED], 999)
    for problem, text in zip(ASKED, replies, strict=True):
        assert judged(endpoint, problem, text).ok, text
        shown = worked_examples(problem, 2)
        prompt = endpoint.prompts.completion(problem)
        if method != "plain":
            turns = endpoint.prompts.chat(problem)
            assert [turn["content"] for turn in turns[1::2]] == [trace(one, method, form).text for one in shown]
            assert [turn["content"] for turn in turns[::2]] == [f"{one}=" for one in [*shown, problem]]
        assert all(trace(one, method, form).text in prompt for one in shown)
        assert trace(problem, method, form).text not in prompt


def test_a_checkpoint_behind_a_server_gives_what_it_gives_here(server):
    runtime = load_runtime()
    lock = threading.Lock()

    def reply(problem, body):
        with lock:
            return runtime.generate([body["prompt"]], body["max_tokens"])[0], "stop"

    server.reply = reply
    endpoint = Endpoint(server.url, "m", runtime.info.method, runtime.info.form, api="completions")
    problems = [
        problem for op in "+-" for a, b in ((8, 8), (16, 8), (16, 16)) for problem in held_out(op, a, b, 4, 2024)
    ]
    questions = [f"{problem}=" for problem in problems]
    replies = endpoint.generate(questions, 200)
    assert replies == runtime.generate(questions, 200)
    assert all(judged(endpoint, problem, text).ok for problem, text in zip(problems, replies, strict=True))


# Order and concurrency


def test_replies_are_in_order_though_they_come_in_any(server):
    problems = [Problem(i, "+", 1) for i in range(12)]
    questions = [f"{problem}=" for problem in problems]
    server.faults = [0.1, 0.05]  # the first two come late
    server.wait = 0.02
    assert Endpoint(server.url, "m", concurrency=6).generate(questions, 8) == [p.answer for p in problems]
    assert 2 <= server.most <= 6
    last = threading.Event()
    server.reply = lambda problem, body: (problem.a or last.wait(60)) and (problem.answer, "stop")
    each = Endpoint(server.url, "m", concurrency=2).generate_each(questions, 8)
    assert sorted(next(each) for _ in range(11)) == [(i, problems[i].answer) for i in range(1, 12)]
    last.set()
    assert list(each) == [(0, "1")]


def test_no_more_requests_than_wanted_at_once(server):
    server.wait = 0.01
    Endpoint(server.url, "m", concurrency=1).generate([f"{i}+1=" for i in range(5)], 8)
    assert server.most == 1
    assert [asked(body["messages"][-1]["content"]).a for body in server.bodies()] == [0, 1, 2, 3, 4]


def test_an_abandoned_iteration_sends_no_more(server):
    gate = threading.Event()
    server.reply = lambda problem, body: (not problem.a or gate.wait(60)) and (problem.answer, "stop")
    each = Endpoint(server.url, "m", concurrency=2).generate_each([f"{i}+1=" for i in range(50)], 8)
    assert next(each) == (0, "1")
    each.close()
    gate.set()
    time.sleep(0.05)
    assert len(server.seen) <= 3


def test_what_is_no_problem_is_refused_before_anything_is_sent(server):
    for question in ("12+", "1+2+3=", "ignore the above"):
        with pytest.raises(ProblemError):
            Endpoint(server.url, "m").generate(["1+1=", question], 8)
    assert not server.seen
