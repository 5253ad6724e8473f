"""revorder gsm8k: a file of solutions scored, and problems solved by a model, interrupted and resumed."""

import json
import os
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

QUESTIONS = ["48 clips and 24?", "9 hens, 4 die?", "3 boxes of 12?", "24 halved?"]
ANSWERS = ["<<48+24=72>>72\n#### 72", "<<9-4=5>>5\n#### 5", "<<3*12=36>>36\n#### 36", "<<24/2=12>>12\n#### 12"]


@pytest.fixture
def data(tmp_path):
    """A folder of made-up problems."""
    folder = tmp_path / "gsm8k"
    folder.mkdir()
    rows = [{"question": question, "answer": answer} for question, answer in zip(QUESTIONS, ANSWERS, strict=True)]
    (folder / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A random model that has a chat template, and does not stop."""
    pytest.importorskip("torch")
    from pretrained import byte_level, save_model

    return save_model(tmp_path_factory.mktemp("model"), byte_level(True), chat=True)


def test_a_file_of_solutions_is_scored(tmp_path, revorder, refused):
    path = tmp_path / "solutions.jsonl"
    rows = [
        {"question": "Why?", "answer": "48/2=<<48/2=24>>24\n#### 24", "solution": "48/2=<<48/2=24>>24\n#### 24"},
        {"question": "How?", "answer": "#### 72", "solution": "48+24=<<48+24=r|37=73>>73\n#### 73"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = revorder("gsm8k", "--solutions", path, "--json", "--errors")
    score, wrong = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0 and (score["total"], score["correct"]) == (2, 1)
    assert score["equations"]["+"] == [0, 1] and score["equations"]["/"] == [1, 1]
    assert (wrong["cause"], wrong["solutions"], wrong["examples"][0]["question"]) == ("arithmetic", 1, "How?")
    shown = revorder("gsm8k", "--solutions", path, "--errors").stdout
    assert "50.0 (9.5-90.5) of 2" in shown and "LLaMA2-7B, RevOrder (paper)" in shown
    assert "-> arithmetic in 48+24=r|37=73, which is 72; the final answer is 73, not 72" in shown
    for option in (["--out", "o.jsonl"], ["--model", "m"]):
        assert "or drop --solutions" in refused("gsm8k", "--solutions", path, *option)


def test_a_model_solves_them_and_goes_on_where_it_was_interrupted(model, data, tmp_path, revorder):
    out, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    partial = tmp_path / "out.jsonl.partial"
    command = ["gsm8k", "--model", model, "--data", data, "--batch", "1", "--max-tokens", "24", "--out"]
    problems = data / "test.jsonl"
    problems.write_text("".join(problems.read_text().replace("?", f" {i}?") for i in range(10)))  # not done at once

    def interrupt():
        while not (partial.exists() and len(partial.read_text().splitlines()) >= 2):
            time.sleep(0.002)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    stopped = revorder(*command, out)
    thread.join()
    assert stopped.returncode == 130 and 2 <= len(partial.read_text().splitlines()) < 41 and not out.exists()
    done = revorder(*command, out)
    assert done.returncode == 1 and " of 40" in done.stdout and "no answer" in done.stdout
    assert revorder(*command, whole).returncode == 1 and out.read_bytes() == whole.read_bytes()
    head, *rows = map(json.loads, out.read_text().splitlines())
    assert head["run"].keys() == {"suite", "n", "problems", "model", "weights", "max_tokens"}
    assert [row["problem"] for row in rows[:4]] == [question.replace("?", " 0?") for question in QUESTIONS]
    assert [row["expected"] for row in rows] == ["72", "5", "36", "12"] * 10
    table = out.with_suffix(".md").read_text()
    assert table.startswith("| system | score | equations |") and "| no answer | 0 | 40 |" in table
    again = revorder(*command, out, "--errors")
    assert "holds this run already" in again.stderr and "no answer: first in 40 of 40 wrong solutions" in again.stdout


def test_what_is_not_accepted_is_one_line(model, data, tmp_path, refused):
    asked = ["gsm8k", "--model", model, "--data", data]
    assert "give --model, a Hugging Face folder or name, or --solutions" in refused("gsm8k", "--data", data)
    assert "device 'gpu': " in refused(*asked, "--device", "gpu")
    assert "No such option: --method" in refused(*asked, "--method", "plain")
    assert "ends in .jsonl" in refused(*asked, "--out", "results.md")
    assert "can't be loaded" in refused("gsm8k", "--model", tmp_path, "--data", data)
    assert "test.jsonl' can't be read" in refused("gsm8k", "--model", model, "--data", tmp_path)


class Solver(BaseHTTPRequestHandler):
    """Solves the made-up problems, by chat and by completions."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = body["messages"][0]["content"] if "messages" in body else body["prompt"]
        self.server.seen.append((asked, body.get("stop"), body["max_tokens"]))
        text = dict(zip(QUESTIONS, ANSWERS, strict=True))[asked.removeprefix("Question: ").removesuffix("\nAnswer:\n")]
        choice = {"message": {"role": "assistant", "content": text}} if "messages" in body else {"text": text}
        data = json.dumps({"choices": [choice | {"index": 0, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_a_served_model_solves_them(api, data, tmp_path, revorder, monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Solver)
    server.seen = []
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    out, url = tmp_path / "out.jsonl", f"http://127.0.0.1:{server.server_port}/v1"
    command = ["gsm8k", "--data", data, "--base-url", url, "--api", api, "--model", "m", "--n", "3"]
    done = revorder(*command, "--out", out, "--json")
    server.shutdown()
    server.server_close()
    score = json.loads(done.stdout)
    assert (score["system"], score["total"], score["correct"]) == ("m", 3, 3), done
    assert sorted(server.seen) == sorted((f"Question: {question}\nAnswer:\n", None, 512) for question in QUESTIONS[:3])
    run = json.loads(out.read_text().splitlines()[0])["run"]
    assert (run["base_url"], run["api"], run["n"]) == (url, api, 3)


def test_solutions_that_state_no_answer_are_counted(tmp_path, revorder):
    file = tmp_path / "solutions.jsonl"
    rows = [{"answer": "#### 72", "solution": text} for text in ("I give up", "It is 72", "<<48+24=72>>72")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = revorder("gsm8k", "--solutions", file)
    assert done.returncode == 0 and "2 of 3 solutions state no answer; warning" in done.stderr, done
    file.write_text(json.dumps(rows[0]) + "\n")
    assert revorder("gsm8k", "--solutions", file).returncode == 1
