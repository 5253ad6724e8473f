"""The GGUF export, run by llama.cpp's own server and by llama-cpp-python's: the same traces as CTranslate2."""

import json
import re
import subprocess
import sys
import urllib.request
from contextlib import contextmanager

import pytest
from exports import MOST, questions, save_grouped
from hypothesis import given
from servers import free_port, running
from strategies import PROBLEMS

from revorder.errors import ProblemError
from revorder.inference.ctranslate import Runtime
from revorder.model.checkpoint import CheckpointInfo
from revorder.model.tokenizer import Tokenizer

pytest.importorskip("gguf")

from revorder.integrations.gguf import chat_template, export_gguf

# llama.cpp's server, which the package xllamacpp carries
LLAMA_CPP = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 4096, 2, 1
server = xllamacpp.Server(params)
sys.stdin.read()
"""
SERVERS = {
    "xllamacpp": lambda file, port: ["-c", LLAMA_CPP, str(file), port],
    "llama_cpp": lambda file, port: ["-m", "llama_cpp.server", "--model", str(file), "--port", port, "--n_ctx", "2048"],
}


@contextmanager
def serve(package, file, log):
    """The URL of a server that has a GGUF file."""
    pytest.importorskip(package)
    port = str(free_port())
    command = [sys.executable, *SERVERS[package](file, port)]
    with running(command, f"http://127.0.0.1:{port}/v1/models", log, stdin=subprocess.PIPE):
        yield f"http://127.0.0.1:{port}/v1"


@pytest.fixture(scope="module")
def calculator(tmp_path_factory):
    """The smaller shipped model as a GGUF file."""
    file = tmp_path_factory.mktemp("gguf") / "calculator.gguf"
    export_gguf("calculator", file)
    return file


def test_the_chat_template_writes_the_names_of_the_tokens():
    template = pytest.importorskip("jinja2").Template(chat_template(40))
    tokenizer = Tokenizer()

    @given(PROBLEMS)
    def check(problem):
        prompt = "".join(tokenizer.tokens(tokenizer.encode(f"{problem}=")))
        for written in (f"{problem}=", prompt):  # what has its places already is left as it is
            turns = [{"role": "user", "content": "1+1="}, {"role": "user", "content": written}]
            assert template.render(messages=turns, bos_token="<bos>") == f"<bos>{prompt}"

    check()


def test_llama_cpp_python_writes_the_same_traces(calculator):
    llama_cpp = pytest.importorskip("llama_cpp")
    model = llama_cpp.Llama(str(calculator), n_ctx=2048, n_threads=1, verbose=False)
    asked = questions()
    for question, text in zip(asked, Runtime("calculator").generate(asked, MOST), strict=True):
        turns = [{"role": "user", "content": question}]
        reply = model.create_chat_completion(turns, max_tokens=MOST, temperature=0)
        assert without_places(reply["choices"][0]["message"]["content"]) == text


@pytest.mark.parametrize("package", SERVERS)
def test_a_server_answers_eval(package, calculator, tmp_path, monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    out = tmp_path / "there.jsonl"
    with serve(package, calculator, tmp_path / "log") as url:
        command = [sys.executable, "-m", "revorder", "eval", "extra", "--n", "3", "--out", out, "--json"]
        server = ["--base-url", url, "--model", calculator, "--method", "lean"]
        done = subprocess.run([*command, *server], capture_output=True, text=True, check=False)
        assert complete(url, "1₁2+3₁5=", 16) == "r|7₁4₂"
    assert done.returncode == 0 and done.stderr == "", done
    rows = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    asked = [f"{row['problem']}=" for row in rows]
    assert len(rows) == 36 and {re.search("[-+*/]", question)[0] for question in asked} == set("+-*/")
    assert all(row["correct"] and row["verified"] for row in rows)
    if package == "xllamacpp":  # the other server's repeat penalty moves some estimates of quotient digits
        written = Runtime("calculator").generate(asked, 1024)
        assert [row["text"] for row in rows] == list(map("".join, zip(asked, written, strict=True)))


def test_a_model_of_another_shape_goes_on_in_the_same_way(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    save_grouped(tmp_path)
    export_gguf(tmp_path, tmp_path / "grouped.gguf")
    tokenizer = Tokenizer(12)
    most = 8  # its weights are random: sooner or later two tokens are as likely
    with serve("xllamacpp", tmp_path / "grouped.gguf", tmp_path / "log") as url:
        for text in ("12+35=", "948/12=7r|4", "1234567890123456-1="):
            said = complete(url, "".join(tokenizer.tokens(tokenizer.encode(text))), most)
            assert without_places(said) == Runtime(tmp_path).generate([text], most)[0]


def test_a_fine_tuned_model_goes_on_in_the_same_way(tmp_path):
    pytest.importorskip("trl")
    from pretrained import LEARNED, byte_level, save_taught

    from revorder.inference.transformers_runtime import TransformersRuntime

    taught = save_taught(tmp_path, byte_level(True))
    export_gguf(taught, tmp_path / "taught.gguf")
    asked = [*LEARNED, "12+35=r|74=", "How many clips? ", "Clips: 12+3=", "How\n\n are the  clips, it's 48"]
    with serve("xllamacpp", tmp_path / "taught.gguf", tmp_path / "log") as url:
        said = [complete(url, text, 12) for text in asked]
    assert said[: len(LEARNED)] == list(LEARNED.values())
    assert said == TransformersRuntime(taught).generate(asked, 12)


def test_a_fine_tuned_model_that_llama_cpp_reads_otherwise_is_refused(tmp_path):
    pytest.importorskip("trl")
    from pretrained import save_model, sentencepiece

    save_model(tmp_path, sentencepiece())
    CheckpointInfo("lean", "lean", (("+", 2, 2),)).save(tmp_path)
    with pytest.raises(ProblemError, match="another kind than SmolLM2's; export it with llama.cpp's convert"):
        export_gguf(tmp_path, tmp_path / "model.gguf")
    assert not (tmp_path / "model.gguf").exists()


def without_places(text):
    """A text of tokens' names as the text that they stand for."""
    return re.sub("[₀-₉]", "", text)


def complete(url, prompt, tokens):
    """What a server writes after a prompt."""
    asked = {"model": "any", "prompt": prompt, "max_tokens": tokens, "temperature": 0}
    request = urllib.request.Request(
        f"{url}/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"}
    )
    return json.load(urllib.request.urlopen(request, timeout=180))["choices"][0]["text"]
