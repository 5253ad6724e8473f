"""revorder eval --base-url against a server that others wrote: `transformers serve` with a shipped checkpoint."""

import importlib.util
import json
import os
import sys

import pytest
from servers import free_port, running

from revorder.model.checkpoint import SHIPPED

NEEDED = ("transformers", "torch", "fastapi", "uvicorn", "openai")
missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"pip install {' '.join(missing)}")


@pytest.fixture
def served(tmp_path):
    """The URL of a server that has the shipped checkpoint."""
    port = str(free_port())
    where = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(SHIPPED / "calculator")]
    command += ["--host", "127.0.0.1", "--port", port, "--device", "cpu"]
    quiet = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with running(command, f"{where}/health", tmp_path / "server", env=quiet):
        yield f"{where}/v1"


def test_a_served_checkpoint_answers_as_it_does_here(served, tmp_path, revorder, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    asked = ["eval", "one-digit", "--n", "4", "--json", "--out"]
    server = ["--base-url", served, "--api", "completions", "--method", "lean"]
    there = revorder(*asked, tmp_path / "there.jsonl", "--model", SHIPPED / "calculator", *server)
    assert there.returncode == 0 and there.stderr == "", there
    revorder(*asked, tmp_path / "here.jsonl", "--model", "calculator")
    rows = {name: (tmp_path / f"{name}.jsonl").read_text().splitlines()[1:] for name in ("there", "here")}
    assert rows["there"] == rows["here"] and len(rows["here"]) == 20
    assert all(json.loads(row)["verified"] for row in rows["there"])
