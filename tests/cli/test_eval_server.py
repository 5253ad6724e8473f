"""revorder eval --base-url against a server that others wrote: `transformers serve` with a shipped checkpoint."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from revorder.model.checkpoint import SHIPPED

NEEDED = ("transformers", "torch", "fastapi", "uvicorn", "openai")
missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"pip install {' '.join(missing)}")


@pytest.fixture
def served(tmp_path):
    """The URL of a server that has the narrow checkpoint."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    where = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(SHIPPED / "narrow")]
    said = tmp_path / "server"
    with said.open("w") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"],
            stdout=log,
            stderr=log,
            env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        )
    try:
        until = time.monotonic() + 180
        while True:
            assert server.poll() is None and time.monotonic() < until, said.read_text()
            try:
                urllib.request.urlopen(f"{where}/health", timeout=5)
                break
            except OSError:
                time.sleep(0.2)
        yield f"{where}/v1"
    finally:
        server.terminate()
        server.wait(60)


def test_a_served_checkpoint_answers_as_it_does_here(served, tmp_path, revorder, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    asked = ["eval", "one-digit", "--n", "4", "--json", "--out"]
    server = ["--base-url", served, "--api", "completions", "--method", "lean"]
    there = revorder(*asked, tmp_path / "there.jsonl", "--model", SHIPPED / "narrow", *server)
    assert there.returncode == 0 and there.stderr == "", there
    revorder(*asked, tmp_path / "here.jsonl", "--model", "narrow")
    rows = {name: (tmp_path / f"{name}.jsonl").read_text().splitlines()[1:] for name in ("there", "here")}
    assert rows["there"] == rows["here"] and len(rows["here"]) == 20
    assert all(json.loads(row)["verified"] for row in rows["there"])
