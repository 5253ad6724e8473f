"""An endpoint: what is sent to a server, what becomes of its replies, and what happens when it fails.

The server is a real one on this machine; it answers exactly, by traces, or by the shipped checkpoint, and fails on demand.
"""

import gzip
import itertools
import json
import re
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from revorder import METHODS, Problem, ProblemError, trace, verify
from revorder.arithmetic.expression import parse_problem
from revorder.arithmetic.problem import MAX_DIGITS
from revorder.data.sampling import held_out
from revorder.inference.openai_server import MAX_REPLY, Endpoint
from revorder.inference.prompts import worked_examples
from revorder.inference.solver import load_runtime

WORDS = {"plus": "+", "minus": "-", "times": "*", "divided by": "/"}


class Server(ThreadingHTTPServer):
    """`faults`: what the next requests get instead of a reply, each a (status, headers, body) or seconds to wait first."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.lock = threading.Lock()
        self.faults, self.seen, self.busy, self.most = [], [], 0, 0
        self.endless, self.sent, self.models = None, 0, ["m"]  # (status, bytes, or how many of them) of every reply
        self.wait, self.reply = 0, lambda problem, body: (problem.answer, "stop")

    def bodies(self):
        return [body for _, _, body in self.seen]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, headers, body):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": len(data)} | headers).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def send_much(self, status, much):
        """A chunked reply of many spaces, so that its length is not told before; or of these compressed bytes."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        if isinstance(much, bytes):
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        chunks = [much] if isinstance(much, bytes) else itertools.repeat(b" " * 2**16, much // 2**16)
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.server.sent += len(chunk)
        self.wfile.write(b"0\r\n\r\n")

    def do_GET(self):
        self.send(200, {}, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.server.models]})

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            fault = server.faults.pop(0) if server.faults else None
            server.busy += 1
            server.most = max(server.most, server.busy)
        try:
            time.sleep(fault if isinstance(fault, float) else server.wait)
            if server.endless:
                self.send_much(*server.endless)
            elif isinstance(fault, tuple):
                self.send(*fault)
            elif self.path == "/v1/chat/completions":
                text, why = server.reply(asked(body["messages"][-1]["content"]), body)
                message = {"role": "assistant", "content": text}
                self.send(200, {}, {"choices": [{"index": 0, "message": message, "finish_reason": why}]})
            elif self.path == "/v1/completions":
                text, why = server.reply(asked(body["prompt"]), body)
                text = text.partition(body["stop"])[0]
                self.send(200, {}, {"choices": [{"index": 0, "text": text, "finish_reason": why}]})
            else:
                self.send(404, {}, {"error": {"message": f"no such path: {self.path}"}})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait
        finally:
            with server.lock:
                server.busy -= 1


def asked(text):
    if match := re.match(r"What is ([0-9]+) (plus|minus|times|divided by) ([0-9]+)\?", text):
        return Problem(int(match[1]), WORDS[match[2]], int(match[3]))
    return parse_problem(text.rstrip().rsplit("\n\n", 1)[-1].replace("\n=", "=").rsplit("\n", 1)[-1])


def judged(endpoint, problem, reply):
    return verify(endpoint.as_trace(problem, reply), endpoint.info.method, endpoint.info.form, problem)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    running = Server()
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def error(message, **more):
    return {"error": {"message": message, "type": "error", **more}}


SOON = {"Retry-After": "0.02"}
BROKEN = (500, SOON, error("it broke"))


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


# Failures


@pytest.mark.parametrize(
    "api, faults",
    [
        ("chat", [BROKEN, BROKEN]),
        ("completions", [(429, {"Retry-After": "0.05"}, error("slow down"))]),
        ("chat", [(503, SOON, "<html>down</html>")]),
        ("chat", [(200, {}, "{not json")]),
        ("completions", [(200, {"Content-Type": "text/html"}, "<html>a login page</html>")]),
        ("chat", [(200, {}, {"choices": []})]),
        ("completions", [(200, {}, "null")]),
        ("chat", [(200, {}, {"choices": [{"finish_reason": "stop"}]})]),
        ("completions", [(200, {}, {"choices": [{"finish_reason": "stop"}]})]),
    ],
)
def test_a_failure_that_passes_is_tried_again(server, api, faults):
    server.faults += faults
    assert Endpoint(server.url, "m", api=api).generate(["12+35="], 8) == ["47"]
    assert len(server.seen) == len(faults) + 1


def test_a_slow_reply_is_asked_for_again(server):
    server.faults = [1.0]
    assert Endpoint(server.url, "m", timeout=0.3).generate(["12+35="], 8) == ["47"]
    assert len(server.seen) >= 2


def test_retry_after_is_waited_for(server):
    server.faults = [(429, {"Retry-After": "0.9"}, error("slow down"))]
    start = time.monotonic()
    assert Endpoint(server.url, "m").generate(["12+35="], 8) == ["47"]
    assert time.monotonic() - start >= 0.9


@pytest.mark.parametrize(
    "fault, retries, says",
    [
        (BROKEN, 2, "it failed in 3 attempts (.*it broke.*); accepted: a server that answers"),
        ((429, SOON, error("slow\ndown")), 1, "it failed in 2 attempts (.*slow.*down.*); accepted"),
        ((401, {}, error("Incorrect API key: secret")), 4, "the key was refused (.*Incorrect API key: [*]{3}"),
        ((403, {}, error("no")), 4, "the key was refused .*; accepted: a valid key, by default in OPENAI_API_KEY"),
        (
            (404, {}, error("The model `x` does not exist")),
            4,
            "model 'm' was not found (.*does not exist.*); accepted: m$",
        ),
        (
            (400, {}, error("temperature 0 is unsupported")),
            4,
            "the request was refused (.*temperature 0.*); accepted: ",
        ),
        (0.6, 0, r"no reply within 0.15 s, in 1 attempt; accepted: a server that is faster"),
        (
            (200, {}, "{not json"),
            0,
            "no reply could be read, in 1 attempt (JSON.*); accepted: the JSON of an OpenAI-comp",
        ),
        ((200, {}, {"choices": []}), 1, "no reply could be read, in 2 attempts (IndexError.*); accepted: "),
        ((200, {"Content-Type": "text/html"}, "<html>"), 0, "no reply could be read, in 1 attempt (.*); accepted: "),
    ],
)
def test_a_failure_that_stays_is_one_line_that_names_the_url(server, fault, retries, says):
    server.faults = [fault] * (retries + 1)
    with pytest.raises(ProblemError) as failed:
        timeout = 0.15 if isinstance(fault, float) else 60.0
        Endpoint(server.url, "m", timeout=timeout, retries=retries, key="secret").generate(["12+35="], 8)
    said = str(failed.value)
    pattern = says.replace("(", r"\(").replace(")", r"\)")
    assert said.startswith(f"endpoint '{server.url}': ") and re.search(pattern, said), said
    assert "\n" not in said and "secret" not in said
    assert len(server.seen) == (1 if isinstance(fault, tuple) and 400 <= fault[0] < 405 else retries + 1)


def test_a_host_that_is_not_there():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ProblemError, match=f"endpoint '{url}': it can't be reached .*; accepted: "):
            Endpoint(url, "m", retries=0).generate(["12+35="], 8)


def test_a_wrong_path_names_the_served_models(server):
    with pytest.raises(ProblemError, match="was not found .*no such path"):
        Endpoint(server.url + "/more", "m", retries=0).generate(["12+35="], 8)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_replies_before_a_failure_are_kept(server, concurrency):
    questions = [f"{i}+1=" for i in range(40)]
    server.wait = 0.01
    server.faults = [0.01] * 10 + [(401, {}, error("expired"))] * 40
    kept = {}
    with pytest.raises(ProblemError, match="the key was refused"):
        for i, reply in Endpoint(server.url, "m", concurrency=concurrency).generate_each(questions, 8):
            kept[i] = reply
    assert len(kept) == 10 and all(reply == str(i + 1) for i, reply in kept.items())
    assert len(server.seen) <= 10 + 2 * concurrency


def test_newer_models_name_the_limit_otherwise(server):
    refused = error("Use 'max_completion_tokens' instead.", param="max_tokens", code="unsupported_parameter")
    server.faults = [(400, {}, refused)]
    endpoint = Endpoint(server.url, "m", concurrency=1)
    assert endpoint.generate(["1+1=", "1+2="], 8) == ["2", "3"]
    limits = [{key: value for key, value in body.items() if key.startswith("max")} for body in server.bodies()]
    assert limits == [{"max_tokens": 8}, {"max_completion_tokens": 8}, {"max_completion_tokens": 8}]


def test_a_reply_that_was_cut_off_states_nothing(server):
    server.reply = lambda problem, body: ("The answer is 12", "length")
    endpoint = Endpoint(server.url, "m")
    problem = Problem(5, "+", 7)
    assert endpoint.generate(["5+7="], 3) == ["The answer is 12…"]
    assert endpoint.as_trace(problem, "The answer is 12…") == "5+7=" != endpoint.as_trace(problem, "The answer is 12")
    server.reply = lambda problem, body: (None, "stop")  # a refusal, or a reasoning model that got no further
    assert endpoint.generate(["5+7="], 3) == [""]
    server.reply = lambda problem, body: ("r|7", "length")
    lean = Endpoint(server.url, "m", "lean", api="completions")
    verdict = judged(lean, Problem(12, "+", 5), lean.generate(["12+5="], 3)[0])
    assert not verdict.ok and verdict.answer is None


@pytest.mark.parametrize(
    "settings, says",
    [
        ({"base_url": "localhost:8000"}, "it is no URL; accepted: one such as"),
        ({"base_url": "http://localhost:port/v1"}, "it is no URL"),
        ({"base_url": ""}, "it is no URL"),
        ({"api": "responses"}, "api 'responses' is unknown; accepted: chat, completions"),
        ({"method": "magic"}, "method 'magic' is unknown; accepted: revorder"),
        ({"form": "lean"}, "form 'lean' is unknown"),
        ({"shots": -1}, "shots -1; accepted: a whole number of at least 0"),
        ({"retries": 1.5}, "retries 1.5; accepted"),
        ({"concurrency": 0}, "concurrency 0; accepted: a whole number of at least 1"),
        ({"timeout": 0}, "timeout 0; accepted: seconds"),
        ({"key": "schlüssel"}, "the key has characters"),
    ],
)
def test_wrong_settings_are_named(settings, says):
    with pytest.raises(ProblemError, match=says):
        Endpoint(**({"base_url": "http://localhost:1/v1", "model": "m"} | settings))


def test_without_the_package_it_says_what_to_install():
    code = """
import sys
sys.modules["openai"] = None  # as where it is not installed
from revorder import ProblemError
from revorder.inference.openai_server import Endpoint
try:
    Endpoint("http://localhost:1/v1", "m")
except ProblemError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("needs openai; install: pip install 'revorder[api]'")


def test_importing_it_does_not_import_the_package():
    code = "import sys, revorder.inference.openai_server; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# What a server may do to its client


def chat_reply(text):
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}


@pytest.mark.parametrize("api", ["chat", "completions"])
@pytest.mark.parametrize("status", [200, 400, 500, 302])
def test_a_reply_of_100_megabytes_is_not_read(server, api, status):
    server.endless = (status, 100 * 2**20)
    tracemalloc.start()
    start = time.monotonic()
    with pytest.raises(ProblemError) as failed:
        Endpoint(server.url, "m", api=api, retries=0).generate(["12+35="], 8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(failed.value) == (
        f"endpoint '{server.url}': its reply is too long; accepted: at most {MAX_REPLY:,} bytes"
    )
    assert time.monotonic() - start < 20 and peak < 30 * MAX_REPLY
    assert server.sent < 20 * 2**20 and len(server.seen) == 1


def test_a_reply_just_within_the_limit_is_read(server):
    size = MAX_REPLY - len(json.dumps(chat_reply("47")))
    server.faults = [(200, {}, chat_reply(" " * size + "47"))]
    assert Endpoint(server.url, "m").generate(["12+35="], 8)[0].strip() == "47"
    server.faults = [(200, {}, chat_reply(" " * size + " 47"))]
    with pytest.raises(ProblemError, match="its reply is too long"):
        Endpoint(server.url, "m", retries=0).generate(["12+35="], 8)


def test_a_compressed_reply_is_not_unpacked(server):
    server.endless = (200, gzip.compress(bytes(2**28)))
    with pytest.raises(ProblemError, match="its reply is compressed; accepted: one that is not$"):
        Endpoint(server.url, "m").generate(["12+35="], 8)
    assert server.seen[0][1]["accept-encoding"] == "identity"


@pytest.mark.parametrize("body", ["[" * 500_000, '{"choices": ' + "[" * 500_000, '{"choices": ' + "9" * 5000 + "}"])
def test_json_that_is_nested_or_long_beyond_reason_is_no_reply(server, body):
    server.faults = [(200, {}, body)]
    with pytest.raises(ProblemError, match="no reply could be read, in 1 attempt"):
        Endpoint(server.url, "m", retries=0).generate(["12+35="], 8)


KEY = "sk-0123456789abcdef"


def test_a_key_that_a_server_repeats_is_in_no_reply(server):
    server.reply = lambda problem, body: (f"Your key is {KEY}, {KEY}! The answer is 47.", "stop")
    for api in ("chat", "completions"):
        endpoint = Endpoint(server.url, "m", api=api, key=KEY)
        assert endpoint.generate(["12+35="], 8) == ["Your key is ***, ***! The answer is 47."]


def test_a_placeholder_for_a_key_changes_no_reply(server):
    for key in ("1", "47", "none", "EMPTY", "x"):
        assert Endpoint(server.url, "m", key=key).generate(["12+35="], 8) == ["47"]


@pytest.mark.parametrize(
    "fault",
    [
        (400, {}, error(f"no such thing: {KEY}")),
        (400, {}, error("." * 190 + KEY)),  # the message is shortened in the midst of the key
        (401, {}, error(f"Incorrect API key: {KEY}")),
        (404, {}, error(f"{KEY} has no model")),
        (500, SOON, error(KEY)),
        (500, SOON, KEY),
        (200, {}, {"choices": KEY}),
        (200, {}, {"choices": [{"message": {"content": {KEY: KEY}}}]}),
        (200, {"Content-Type": "text/html"}, f"<html>{KEY}"),
        (200, {"Content-Encoding": KEY}, ""),
        (302, {"Location": f"http://127.0.0.1:1/{KEY}"}, ""),
        (302, {"Location": f"{KEY}://{KEY}"}, ""),
    ],
)
def test_a_key_that_a_server_repeats_is_in_no_message(server, fault):
    server.faults = [fault]
    server.models = [KEY]
    with pytest.raises(ProblemError) as failed:
        Endpoint(server.url, "m", retries=0, key=KEY).generate(["12+35="], 8)
    assert KEY[:6] not in str(failed.value) and "\n" not in str(failed.value)


def test_a_key_in_the_url_is_in_no_message():
    with pytest.raises(ProblemError) as failed:
        Endpoint(f"http://user:{KEY}@127.0.0.1:1/v1", "m", retries=0, key=KEY).generate(["1+1="], 8)
    assert KEY not in str(failed.value)
