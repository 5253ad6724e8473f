"""An endpoint whose server fails, slowly or for good, or does to its client what it should not."""

import gzip
import json
import re
import socket
import subprocess
import sys
import time
import tracemalloc

import pytest
from answering import BROKEN, SOON, error, judged

from revorder import Problem, ProblemError
from revorder.inference.openai_server import MAX_REPLY, Endpoint

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
        (BROKEN, 2, "it failed in 3 attempts (.*it broke.*); try again later, or choose another server"),
        ((429, SOON, error("slow\ndown")), 1, "it failed in 2 attempts (.*slow.*down.*); try again later"),
        ((401, {}, error("Incorrect API key: secret")), 4, "the key was refused (.*Incorrect API key: [*]{3}"),
        ((403, {}, error("no")), 4, "the key was refused .*; set a valid one, by default in OPENAI_API_KEY"),
        (
            (404, {}, error("The model `x` does not exist")),
            4,
            "model 'm' was not found (.*does not exist.*); accepted: m$",
        ),
        (
            (400, {}, error("logprobs are unsupported")),
            4,
            "the request was refused (.*logprobs.*); choose ",
        ),
        (0.6, 0, r"no reply within 0.15 s, in 1 attempt; raise --timeout"),
        (
            (200, {}, "{not json"),
            0,
            "no reply could be read, in 1 attempt (JSON.*); give the URL of an OpenAI-comp",
        ),
        ((200, {}, {"choices": []}), 1, "no reply could be read, in 2 attempts (IndexError.*); give "),
        ((200, {"Content-Type": "text/html"}, "<html>"), 0, "no reply could be read, in 1 attempt (.*); give "),
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
        with pytest.raises(ProblemError, match=f"endpoint '{url}': it can't be reached .*; give "):
            Endpoint(url, "m", retries=0).generate(["12+35="], 8)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@[bad/v1",
        "me:secret@localhost/v1",
        "localhost/v1?key=secret",
        "http://a\tb/v1",
        "http://☃.invalid/v1",
    ],
)
def test_what_is_no_url_is_refused_without_its_password(url):
    with pytest.raises(ProblemError, match="it is not a URL.*; give one such as http://localhost:8000/v1") as failed:
        Endpoint(url, "m")
    assert "secret" not in str(failed.value)


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
    server.reply = lambda problem, body: ("The answer is 1", "content_filter")
    assert endpoint.generate(["5+7="], 3) == ["The answer is 1…"]
    server.reply = lambda problem, body: ([{"type": "text", "text": "1"}, {"type": "text", "text": "2"}], "stop")
    assert endpoint.generate(["5+7="], 3) == ["12"]
    server.reply = lambda problem, body: (None, "stop")  # a refusal, or a reasoning model that got no further
    assert endpoint.generate(["5+7="], 3) == [""]
    server.reply = lambda problem, body: ("r|7", "length")
    lean = Endpoint(server.url, "m", "lean", api="completions")
    verdict = judged(lean, Problem(12, "+", 5), lean.generate(["12+5="], 3)[0])
    assert not verdict.ok and verdict.answer is None


@pytest.mark.parametrize("reason", ["max_tokens", "MAX_TOKENS", "model_length", "length"])
def test_every_name_of_a_cut_off_is_one(server, reason):
    server.reply = lambda problem, body: ("The answer is 12", reason)
    for api in ("chat", "completions"):
        assert Endpoint(server.url, "m", api=api).generate(["5+7="], 3) == ["The answer is 12…"]
    server.reply = lambda problem, body: ("The answer is 12", "stop")
    assert Endpoint(server.url, "m").generate(["5+7="], 3) == ["The answer is 12"]


@pytest.mark.parametrize(
    "parts, text",
    [
        ([{"text": "47"}], "47"),
        (["4", {"text": "7"}], "47"),
        ([{"type": "output_text", "text": "47"}], "47"),
        ([{"type": "text"}], ""),
        ([{"type": "text", "text": None}, {"type": "thinking", "thinking": "12"}, {"type": "image_url"}], ""),
    ],
)
def test_parts_of_a_message_are_its_text(server, parts, text):
    server.reply = lambda problem, body: (parts, "stop")
    assert Endpoint(server.url, "m").generate(["12+35="], 8) == [text]


@pytest.mark.parametrize("parts", [[5], [None], [{"type": 3, "text": "1"}], 5, {"text": "5"}, [{"text": ["1"]}]])
def test_what_is_no_message_is_one_line(server, parts):
    server.reply = lambda problem, body: (parts, "stop")
    with pytest.raises(ProblemError, match="no reply could be read, in 1 attempt .*give the URL"):
        Endpoint(server.url, "m", retries=0).generate(["12+35="], 8)


@pytest.mark.parametrize(
    "api, method, reply, trace",
    [
        ("completions", "plain", " 6170\n13+1=14", "1234*5=6170"),
        ("completions", "plain", " 6171\n1234*5=6170", "1234*5=6171"),
        ("completions", "lean", "r|0716\n1234*5=r|1716", "1234*5=r|0716"),
        ("completions", "plain", "\n6170", "1234*5="),
        ("chat", "plain", "It is 6170.\n\nQuestion: What is 13 plus 1?\nAnswer: 14", "1234*5=6170"),
        ("chat", "plain", "It is 6170.\n**Question 2:** What is 13 plus 1? 14", "1234*5=6170"),
        ("chat", "plain", "Question: What is 1234 times 5?\nAnswer: 6170", "1234*5=6170"),
        ("chat", "plain", "1234 times 5\nis 6170", "1234*5=6170"),
    ],
)
def test_a_problem_of_the_models_own_is_left_out(server, api, method, reply, trace):
    server.deaf, server.reply = True, lambda problem, body: (reply, "length" if "\n13" in reply else "stop")
    endpoint = Endpoint(server.url, "m", method, api=api)
    assert endpoint.as_trace(Problem(1234, "*", 5), endpoint.generate(["1234*5="], 8)[0]) == trace


@pytest.mark.parametrize("api", ["chat", "completions"])
@pytest.mark.parametrize("param", [{"param": "temperature"}, {}])
def test_a_model_without_temperatures_is_asked_without_one(server, api, param):
    server.faults = [(400, {}, error("Unsupported value: 'temperature' does not support 0.", **param))]
    endpoint = Endpoint(server.url, "m", api=api, concurrency=1)
    assert endpoint.greedy and endpoint.generate(["1+1=", "1+2="], 8) == ["2", "3"] and not endpoint.greedy
    assert ["temperature" in body for body in server.bodies()] == [True, False, False]


def test_a_model_that_refuses_both_is_asked_otherwise(server):
    refused = [(400, {}, error(f"Unsupported parameter: {name}")) for name in ("max_tokens", "temperature")]
    server.faults = list(refused)
    assert Endpoint(server.url, "m").generate(["1+1="], 8) == ["2"]
    assert set(server.bodies()[-1]) == {"model", "messages", "max_completion_tokens"}
    server.faults = refused[:1] * 2
    with pytest.raises(ProblemError, match="the request was refused"):
        Endpoint(server.url, "m").generate(["1+1="], 8)


@pytest.mark.parametrize("escape", ["\x1b[31m{}\x1b[0m", "\x1b]0;title\x07{}", "\x9b2J{}", "{}\x08\x08", "\x1bc{}"])
def test_a_servers_error_moves_no_cursor(server, escape):
    server.faults = [(400, {}, error(escape.format("bad model")))]
    with pytest.raises(ProblemError, match="bad model") as raised:
        Endpoint(server.url, "m").generate(["1+1="], 8)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize(
    "settings, says",
    [
        ({"base_url": "localhost:8000"}, "it is not a URL; give one such as"),
        ({"base_url": "http://localhost:port/v1"}, "it is not a URL"),
        ({"base_url": ""}, "it is not a URL"),
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
    with pytest.raises(ProblemError, match="its reply is compressed; turn compression off$"):
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


def test_a_password_in_the_url_is_not_said():
    with pytest.raises(ProblemError, match="endpoint 'http://localhost:9/v1': ") as refused:
        Endpoint("http://user:password@localhost:9/v1", "m", retries=0).generate(["12+35="], 8)
    assert "password" not in str(refused.value)
