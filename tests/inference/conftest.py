"""A model that errs, for what happens to a wrong trace; and a server that answers."""

import shutil
import threading

import pytest
from answering import Server
from safetensors.numpy import load_file, save_file

from revorder.inference.solver import load_runtime
from revorder.model.checkpoint import checkpoint
from revorder.model.tokenizer import Tokenizer


@pytest.fixture(scope="session")
def erring(tmp_path_factory):
    """The folder of the shipped model, but that it writes 8 for 7 and 7 for 8 as the first digit of a reversed number."""
    folder = shutil.copytree(checkpoint(), tmp_path_factory.mktemp("erring") / "model")
    weights = load_file(folder / "model.safetensors")
    ids = Tokenizer(load_runtime().info.places).ids
    seven, eight = ids["7₁"], ids["8₁"]
    weights["lm_head.weight"][[seven, eight]] = weights["lm_head.weight"][[eight, seven]]
    save_file(weights, folder / "model.safetensors")
    return str(folder)


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
