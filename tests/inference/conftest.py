"""A model that errs, for what happens to a wrong trace; and a server that answers."""

import threading

import pytest
from answering import Server
from erring import save_erring


@pytest.fixture(scope="session")
def erring(tmp_path_factory):
    """The folder of a model that errs."""
    return save_erring(tmp_path_factory.mktemp("erring") / "model")


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
