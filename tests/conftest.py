"""What tests share: a hypothesis profile that draws the same cases everywhere, and the data beside the checkout."""

import os
import signal
import threading
from pathlib import Path

import pytest
from answering import Server
from erring import save_erring
from hypothesis import settings

# each of pytest-xdist's workers and what it starts stay on a core: torch and CTranslate2 wait by spinning, so that two
# that share two cores slow each other many times over
if (worker := os.environ.get("PYTEST_XDIST_WORKER")) and hasattr(os, "sched_setaffinity"):
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing here is on the Hub, and to ask it takes its time

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background, where what tests start inherits it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("same everywhere", derandomize=True, deadline=None, max_examples=150)
settings.load_profile("same everywhere")
SHARED = Path(__file__).parent.parent.parent / "shared" / "data"


@pytest.fixture
def shared(monkeypatch):
    """The folder ../shared/data with BIG-bench, GSM8K and others' traces, where commands find them too.

    Tests that need it skip where it is missing.
    """
    if not SHARED.is_dir():
        pytest.skip("needs ../shared/data beside the checkout")
    monkeypatch.setenv("REVORDER_DATA", str(SHARED))
    return SHARED


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


@pytest.fixture(scope="session")
def erring(tmp_path_factory):
    """The folder of a model that errs."""
    return save_erring(tmp_path_factory.mktemp("erring") / "model")
