"""revorder eval: a suite run, its results kept, and files that belong to one run."""

import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from erring import save_erring

from revorder.cli import common
from revorder.evaluation.tables import PAPER
from revorder.model.checkpoint import SHIPPED


def scores(done):
    return {score["task"]: score for score in map(json.loads, done.stdout.splitlines())}


def test_it_writes_results_and_a_table(tmp_path, revorder):
    out = tmp_path / "results.jsonl"
    first = revorder("eval", "extra", "+", "--n", "5", "--out", out)
    assert first.returncode == 0 and "3 of 3 tasks without an error, 15 of 15 problems correct" in first.stdout
    head, *rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {"suite": "extra", "ops": "+", "n": 5, "seed": 2024, "model": "calculator"}.items() <= head["run"].items()
    assert len(rows) == 15 and all(row["correct"] and row["verified"] for row in rows)
    table = out.with_suffix(".md").read_text()
    assert table.startswith("| task |") and "| ADD 16D+16D | 5 | 100.0 |" in table and "15 of 15" in table
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.jsonl", "results.md"]
    assert revorder("report", out).stdout == first.stdout


def test_finished_results_are_kept(tmp_path, revorder, refused):
    out = tmp_path / "results.jsonl"
    settings = ["extra", "+", "--model", "calculator", "--out", out]
    first = revorder("eval", *settings, "--n", "2")
    before = out.read_bytes()
    assert "another run: n 2, not 3" in refused("eval", *settings, "--n", "3")
    assert "another run: seed 2024, not 1" in refused("eval", *settings, "--n", "2", "--seed", "1")
    assert "another run: model " in refused(
        "eval", "extra", "+", "--model", save_erring(tmp_path / "other"), "--n", "2", "--out", out
    )
    again = revorder("eval", *settings, "--n", "2")
    assert (again.stdout, again.returncode) == (first.stdout, 0) and "holds this run already" in again.stderr
    assert out.read_bytes() == before
    marked = before.replace(b'"reason": ""', b'"reason": "kept"', 1)
    out.write_bytes(marked)
    assert revorder("eval", *settings, "--n", "2").returncode == 0 and out.read_bytes() == marked
    assert revorder("eval", *settings, "--n", "2", "--overwrite").stderr == "" and out.read_bytes() == before
    assert revorder("eval", *settings, "--n", "3", "--overwrite").returncode == 0
    assert len(out.read_text().splitlines()) == 1 + 9
    notes = tmp_path / "notes.md"
    notes.write_text("a user's own")
    assert "notes.md' is of no run" in refused("eval", "extra", "+", "--out", notes.with_suffix(".jsonl"))
    assert notes.read_text() == "a user's own"


def test_an_interrupted_run_goes_on(tmp_path, revorder):
    out = tmp_path / "results.jsonl"
    settings = ["eval", "extra", "+", "--model", "calculator", "--n", "2", "--out", out]
    revorder(*settings)
    head, first, *_ = out.read_text().splitlines()
    out.rename(tmp_path / "whole.jsonl")
    marked = first.replace('"reason": ""', '"reason": "kept"')
    (tmp_path / "results.jsonl.partial").write_text(f"{head}\n{marked}\n{first[:20]}")
    assert revorder(*settings).returncode == 0 and not (tmp_path / "results.jsonl.partial").exists()
    assert out.read_text() == (tmp_path / "whole.jsonl").read_text().replace(first, marked)
    (tmp_path / "results.jsonl.partial").write_text(f"{head}\n{marked}\n")
    assert revorder(*settings, "--overwrite").returncode == 0  # an interrupted --overwrite resumes too
    assert out.read_text() == (tmp_path / "whole.jsonl").read_text().replace(first, marked)
    for other in (f"{head.replace('2024', '1')}\n{marked}\n", "no results\n", f"{head}\n{marked}"[:50]):
        (tmp_path / "results.jsonl.partial").write_text(other)
        assert revorder(*settings, "--overwrite").returncode == 0
        assert out.read_text() == (tmp_path / "whole.jsonl").read_text()


def test_weights_of_another_model_at_the_same_place_are_another_run(tmp_path, revorder, refused):
    shutil.copytree(SHIPPED / "calculator", tmp_path / "model")
    settings = ["eval", "extra", "+", "--n", "1", "--model", tmp_path / "model", "--out", tmp_path / "results.jsonl"]
    revorder(*settings)
    weights = tmp_path / "model" / "model.safetensors"
    whole = bytearray(weights.read_bytes())
    whole[-1] ^= 1
    weights.write_bytes(whole)
    assert "another run: weights" in refused(*settings)


def test_n_limits_each_hard_family(revorder):
    done = scores(revorder("eval", "hard", "/", "--n", "2", "--model", "calculator", "--all", "--json"))
    assert len(done) == 13 and {score["total"] for score in done.values()} == {2}


def test_table1_needs_no_files(revorder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REVORDER_DATA", raising=False)
    done = revorder("eval", "table1", "--n", "2", "--model", "calculator", "--all", "--json")
    assert sorted(scores(done)) == sorted(PAPER["RevOrder-1B"]) and done.returncode == 0
    assert done.stderr.count("\n") == 1 and "1D-5D are drawn" in done.stderr


def test_a_file_of_results_is_for_report(refused, tmp_path):
    assert "to score it: revorder report results.jsonl" in refused("eval", "results.jsonl")


def test_long_work_says_how_far_it_is(revorder, monkeypatch):
    monkeypatch.setattr(common, "NOTICE", 0)
    said = revorder("eval", "extra", "+", "--n", "2", "--model", "calculator").stderr.splitlines()
    assert said[-1] == "revorder: problems: 6 of 6"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope"], "accepted: bigbench, extra, table1"),
        (["extra", "--n", "0"], "--n '0' should be"),
        (["extra", "--model", "calculator", "--method", "plain"], "was trained to write lean"),
        (["extra", "--base-url", ""], "model: missing"),
        (["one-digit", "+"], "no problem with +"),
        (["extra", "+", "--out", "results.md"], "'results.md': give --out a name that ends in .jsonl"),
        (["extra", "+", "--n", "1", "--out", "no/such/folder.jsonl"], "choose a folder that exists"),
        (["bigbench", "%"], "+ - * /"),
        (["bigbench", "--data", "no/such/folder"], "no/such/folder"),
        (["beyond", "+", "--n", "1", "--model", "no/such"], "no/such"),
        (["extra", "--base-url", "http://127.0.0.1:9/v1"], "model"),
    ],
)
def test_every_refusal_names_the_input_and_what_is_accepted(arguments, says, refused):
    assert says in refused("eval", *arguments)


def test_a_server_that_is_not_there_is_one_line(tmp_path, refused):
    out = tmp_path / "results.jsonl"
    asked = refused(
        "eval", "extra", "+", "--n", "1", "--base-url", "http://127.0.0.1:9/v1", "--model", "x", "--out", out
    )
    assert "127.0.0.1:9" in asked and not out.exists()


class Echo(BaseHTTPRequestHandler):
    """Replies with the headers that it was sent."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": f"You sent {self.headers['Authorization']}. The answer is 1."}
        body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def echo(monkeypatch):
    """A server on this machine that says what it was sent; the key is sk-secret-key."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")
    yield f"127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_a_key_that_a_server_echoes_is_not_kept(echo, tmp_path, revorder):
    out = tmp_path / "results.jsonl"
    asked = ["eval", "one-digit", "--n", "2", "--base-url", f"http://{echo}", "--model", "m", "--out", out]
    done = revorder(*asked, "--errors")
    files = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert sorted(files) == ["results.jsonl", "results.md"] and "You sent Bearer" in files["results.jsonl"], done
    for text in (*files.values(), done.stdout, done.stderr):
        assert "sk-secret" not in text


def test_a_password_in_the_url_is_not_kept(echo, tmp_path, revorder):
    out = tmp_path / "results.jsonl"
    asked = ["eval", "one-digit", "--n", "1", "--base-url", f"http://user:password@{echo}?a=b", "--model", "m"]
    done = revorder(*asked, "--out", out, "--shots", "1", "--max-tokens", "9")
    run = json.loads(out.read_text().splitlines()[0])["run"]
    assert run["base_url"] == f"http://{echo}" and "password" not in out.read_text() + done.stdout + done.stderr
    assert {"model": "m", "method": "plain", "shots": 1, "api": "chat", "max_tokens": 9}.items() <= run.items()


@pytest.mark.parametrize(
    "reply, asked, says",
    [
        (("", "stop"), [], "every reply is empty; look at the server's log, or try another --api"),
        (
            (None, "length", {"reasoning_content": "5 and 5 ..."}),
            [],
            "give a larger --max-tokens, or turn reasoning off",
        ),
        (("r|01 or so", "stop"), [], "such as 'r|01 or so'; does this model want --method lean?"),
        (("I am sorry.", "stop"), [], "no reply states an answer by method plain, such as 'I am sorry.'"),
        (("It is five.", "stop"), ["--method", "lean"], "does this model want --method plain, or --shots 4?"),
    ],
)
def test_replies_that_state_nothing_are_named(server, tmp_path, revorder, reply, asked, says):
    server.reply = lambda problem, body: reply
    out = tmp_path / "results.jsonl"
    done = revorder("eval", "extra", "+", "-n", "2", "--base-url", server.url, "-m", "m", "-o", out, *asked)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and says in done.stderr, done
    again = revorder("eval", "extra", "+", "-n", "2", "--base-url", server.url, "-m", "m", "-o", out, *asked)
    assert again.returncode == 1


def test_an_empty_reply_and_a_number_alone_differ(server, tmp_path, revorder):
    replies = iter(["", "1", "The sum is 2."])
    server.reply = lambda problem, body: (next(replies), "stop")
    out = tmp_path / "results.jsonl"
    revorder("eval", "extra", "+", "-n", "1", "--base-url", server.url, "-m", "m", "-o", out)
    rows = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    assert {row["reply"]: row["answer"] for row in rows} == {"": None, "1": "1", "The sum is 2.": "2"}


def test_wrong_answers_of_a_server_have_causes(server, tmp_path, revorder):
    server.reply = lambda problem, body: (
        str(problem.value)[::-1] if problem.op == "+" else str(-problem.value),
        "stop",
    )
    done = revorder("eval", "extra", "+", "-", "-n", "3", "--base-url", server.url, "-m", "m", "--errors", "--json")
    groups = {row["op"]: row for row in map(json.loads, done.stdout.splitlines()) if "op" in row}
    assert groups["+"]["first_wrong"] == "digits reversed" and groups["-"]["first_wrong"] == "sign", done
    shown = revorder("eval", "extra", "+", "-n", "3", "--base-url", server.url, "-m", "m", "--errors").stdout
    assert "% of errors" in shown and "digits reversed" in shown
